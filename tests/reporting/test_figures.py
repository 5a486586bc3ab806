"""Figures: what they show, of any data; that everybody can read them; that files are whole and need no network."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef

from rankscope.data.sections import Figure
from rankscope.errors import OutputError, ParameterError, UnknownName
from rankscope.reporting import figures
from rankscope.reporting.figures.binary_measures import f1_and_mcc, two_class_counts
from rankscope.reporting.figures.colours import (
    BLUE,
    DARK,
    DIVERGING,
    SEQUENTIAL,
    SERIES,
    VERMILLION,
    between,
    contrast,
    ink_on,
)
from rankscope.reporting.figures.curves import DASHES, MOST_LINES, SHAPES, thinned
from rankscope.reporting.figures.inputs import short, shown
from rankscope.reporting.figures.spread import CLASSES, classes, shape_rows

pytest.importorskip("altair", reason="the extra `report` is not installed: pip install rankscope[report]")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed: pip install rankscope[report]")

HOSTILE = [
    "<script>alert(1)</script>",
    "a.b[0]['c']",
    "back\\slash\\n",
    "quo\"te' `tick`",
    "colon: semi; & amp; %s {x} ${y}",
    "数据 \u202e rtl \u2028 line",
    "datum.name",
    "__proto__",
]


def data_for(systems, queries=12, seed=3):
    """Data of every figure, for these names."""
    rng = np.random.default_rng(seed)
    m = len(systems)
    scores = np.clip(rng.beta(1, 1, queries) + rng.normal(0, 0.2, (m, queries)), 0, 1)
    means = scores.mean(axis=1)
    pvalues = rng.random((m, m)) * 0.1
    pvalues = np.minimum(pvalues, pvalues.T)
    curve = np.linspace(0, 1, 11)
    correlations = np.corrcoef(rng.normal(size=(m, 30))) if m > 1 else np.ones((1, 1))
    return {
        "leaderboard": {
            "systems": systems,
            "means": means,
            "low": means - 0.1,
            "high": means + 0.1,
            "measure": "nDCG@10",
            "letters": ["a"] * m,
            "baseline": systems[0],
        },
        "query_differences": {
            "measure": "AP",
            "system_a": systems[-1],
            "system_b": systems[0],
            "query_ids": [f"q{i}" for i in range(queries)],
            "differences": scores[-1] - scores[0] + 0.01,
            "values_a": scores[-1],
            "values_b": scores[0],
        },
        "significance_matrix": {
            "systems": systems,
            "differences": means[:, None] - means,
            "pvalues": pvalues,
            "level": 0.05,
        },
        "distribution": {"measure": "AP", "systems": systems, "values": scores},
        "precision_recall": {"systems": systems, "levels": curve, "precision": np.tile(1 - curve, (m, 1))},
        "gain_curve": {"systems": systems, "ranks": np.arange(1, 21), "gain": np.ones((m, 20)), "measure": "DCG"},
        "correlation_matrix": {"measures": systems, "values": correlations, "statistic": "Kendall's tau"},
        "measure_lines": {
            "experiments": [f"run {i}" for i in range(queries)],
            "measures": systems,
            "values": scores,
            "order_by": systems[-1],
        },
        "power_curve": {
            "measure": systems[0],
            "n": np.arange(2, 100),
            "power": 1 - 0.98 ** np.arange(2, 100),
            "n_now": 20,
            "n_needed": 80,
        },
        "confusion_matrix": {"labels": systems, "counts": np.arange(m * m).reshape(m, m), "normalise": "row"},
        "f1_against_mcc": {"samples": 20},
    }


PLAIN = data_for(["bm25", "dense", "hybrid"])
NAMES = sorted(figures.FIGURES)
PAGE = figures.Style(width=None, ground="page")


@pytest.fixture(scope="module")
def drawn():
    """Every figure's SVG, of plain names and of hostile ones."""
    hostile = data_for(HOSTILE)
    return {
        (name, kind): figures.as_svg(Figure(name, data[name]))
        for kind, data in (("plain", PLAIN), ("hostile", hostile))
        for name in NAMES
    }


def texts(svg):
    root = ET.fromstring(svg)
    return [e.text or "" for e in root.iter() if e.tag.endswith("}text") or e.tag.endswith("}tspan")]


def subtitle_of(specification):
    return " ".join(specification["title"].get("subtitle", []))


def rows_of(specification):
    return [row for rows in specification["datasets"].values() for row in rows]


# The table of figures


def test_every_figure_of_the_table_has_data_here():
    assert set(NAMES) == set(PLAIN)


def test_importing_the_figures_loads_neither_altair_nor_vl_convert():
    script = "import sys, rankscope.reporting.figures; print({'altair', 'vl_convert', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_unknown_figure_is_named_with_the_nearest_one():
    with pytest.raises(UnknownName, match="unknown figure 'leaderbord'; did you mean leaderboard"):
        figures.draw(Figure("leaderbord", {}))


def test_data_that_a_figure_does_not_take_are_an_error_of_one_line():
    with pytest.raises(ParameterError, match=r"the figure leaderboard cannot be drawn: .*missing.*'measure'"):
        figures.draw(Figure("leaderboard", {"systems": ["a"], "means": [1]}))
    with pytest.raises(ParameterError, match="int is no figure"):
        figures.as_svg(3)


@pytest.mark.parametrize(("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_extra_is_told_with_what_to_do(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParameterError, match=re.escape(f"{package} is not installed; pip install rankscope[report]")):
        figures.as_svg(Figure("leaderboard", PLAIN["leaderboard"]))


# What is shown


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("style", [figures.Style(), figures.Style(width=358, ground="dark"), PAGE])
def test_the_specification_is_valid_vega_lite_and_asks_nothing_of_the_network(name, style):
    made = figures.draw(Figure(name, PLAIN[name]), style=style).to_dict()  # altair checks it against the schema
    assert made["config"]["font"] == "sans-serif"
    assert made["width"] == (style.width or "container")
    text = json.dumps({key: value for key, value in made.items() if key != "$schema"})
    assert '"url"' not in text
    assert "http" not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_says_in_words_what_it_shows(name, drawn):
    root = ET.fromstring(drawn[name, "plain"])
    described = [e.get("aria-label") for e in root.iter() if e.get("aria-label")]
    assert max(map(len, described)) > 30
    assert figures.specification(Figure(name, PLAIN[name]))["title"]["text"]


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"f1_against_mcc", "power_curve", "query_differences"}))
def test_every_name_stands_in_the_figure(name, drawn):
    found = " ".join(texts(drawn[name, "plain"]))
    assert all(system in found for system in ("bm25", "dense", "hybrid"))


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"f1_against_mcc", "power_curve", "query_differences"}))
def test_hostile_names_are_shown_as_the_text_they_are(name, drawn):
    svg = drawn[name, "hostile"]
    assert "<script" not in svg
    found = texts(svg)
    assert {shown(n) if len(n) <= 34 else n for n in HOSTILE} <= set(found)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_values_and_never_names_of_fields_or_expressions(name):
    """Outside of data, domains and titles, no part of the specification holds a name."""
    made = figures.specification(Figure(name, data_for(HOSTILE)[name]))

    def parts(value, key=""):
        if isinstance(value, dict):
            for k, v in value.items():
                if k not in ("datasets", "domain", "title", "description"):
                    yield k
                    yield from parts(v, k)
        elif isinstance(value, list):
            for v in value:
                yield from parts(v, key)
        elif isinstance(value, str) and key != "value":  # {"value": text} is a constant
            yield value

    for part in parts(made):
        for hostile in HOSTILE:
            assert hostile not in part or hostile == "datum.name", (name, part)
    assert all(re.fullmatch(r"\w+", key) for row in rows_of(made) for key in row)


def test_what_no_svg_may_hold_is_shown_by_a_sign():
    names = ["nul\x00", "esc\x1b[31m", "half\udc80", "line\nfeed", "\ufffe"]
    svg = figures.as_svg(Figure("leaderboard", {"systems": names, "means": range(5), "measure": "P"}))
    found = texts(svg)
    assert {"nul␀", "esc␛[31m", "half\ufffd", "line␊feed", "\ufffd"} <= set(found)


def test_long_names_lose_their_middle_and_are_whole_for_the_pointer():
    names = ["neural-ranker-" + "x" * 200 + f"-{i}" for i in range(3)]
    figure = Figure("leaderboard", {"systems": names, "means": [1, 2, 3], "measure": "P"})
    found = [text for text in texts(figures.as_svg(figure)) if "…" in text]
    assert len(set(found)) == 3
    assert all(len(text) <= 35 for text in found)
    made = figures.specification(figure)
    assert {row["system"] for row in rows_of(made)} == set(names)
    assert '"field": "system"' in json.dumps(made["layer"][0]["layer"][-1]["encoding"]["tooltip"])
    assert short("a" * 30, 11) == "aaaaa…aaaaa"


def test_the_best_system_is_on_top_and_one_without_a_value_at_the_bottom():
    data = {"systems": ["low", "none", "high"], "means": [0.1, np.nan, 0.9], "measure": "AP"}
    made = figures.specification(Figure("leaderboard", data))
    assert [row["system"] for row in rows_of(made)] == ["high", "low", "none"]
    assert rows_of(made)[2]["text"] == "2|none"
    data["higher_is_better"] = False
    made = figures.specification(Figure("leaderboard", data))
    assert [row["system"] for row in rows_of(made)] == ["low", "high", "none"]


def test_queries_are_sorted_from_most_helped_to_most_hurt_and_counted():
    data = {"measure": "AP", "system_a": "a", "system_b": "b", "query_ids": ["x", "y", "z", "u", "v"]}
    data["differences"] = [0.0, -0.5, 0.25, np.nan, 0.1]
    made = figures.specification(Figure("query_differences", data))
    rows = [row for row in rows_of(made) if "query" in row]
    assert [row["query"] for row in rows] == ["z", "v", "x", "y"]
    # (0 - .5 + .25 + .1) / 4
    assert subtitle_of(made) == ("a is better on 2 of 4 queries, b on 1; equal on 1. Mean difference −0.0375.")
    made = figures.specification(Figure("query_differences", {**data, "higher_is_better": False}))
    assert [row["query"] for row in rows_of(made) if "query" in row] == ["y", "x", "v", "z"]
    assert subtitle_of(made).startswith("a is better on 1 of 4 queries, b on 2; equal on 1.")


def test_of_very_many_queries_evenly_spaced_ones_are_shown_with_both_ends():
    n = 7000
    data = {"measure": "RR", "system_a": "a", "system_b": "b", "query_ids": [str(i) for i in range(n)]}
    made = figures.specification(Figure("query_differences", {**data, "differences": np.linspace(-1, 1, n)}))
    rows = [row for row in rows_of(made) if "query" in row]
    assert (len(rows), rows[0]["query"], rows[-1]["query"]) == (1000, str(n - 1), "0")
    assert "Of the 7,000 queries, sorted, 1,000 are shown" in subtitle_of(made)
    assert thinned(5, 9).tolist() == [0, 1, 2, 3, 4]


def test_a_pair_is_marked_where_its_p_value_is_at_most_the_level():
    differences = np.array([[0, 0.2, 0.1], [-0.2, 0, -0.1], [-0.1, 0.1, 0]])
    pvalues = np.array([[1, 0.05, np.nan], [0.05, 1, 0.0501], [np.nan, 0.0501, 1]])
    data = {"systems": ["a", "b", "c"], "differences": differences, "pvalues": pvalues, "level": 0.05}
    made = figures.specification(Figure("significance_matrix", data))
    marks = {(row["row"], row["column"]): row["mark"] for row in rows_of(made)}
    assert marks[("a", "b")] == "higher"
    assert marks[("b", "a")] == "lower"
    assert [marks[pair] for pair in [("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]] == [None] * 4
    assert subtitle_of(made).startswith("1 of 2 pairs differ significantly (p ≤ 0.05, corrected).")  # a, c: not tested
    made = figures.specification(Figure("significance_matrix", {**data, "criterion": "probability ≥ 95%"}))
    assert subtitle_of(made) == "1 of 2 pairs differ (probability ≥ 95%). ▲ row higher than column, ▼ lower."


def test_the_shapes_of_a_distribution_are_shares_of_the_queries_that_have_a_value():
    values = np.array([0.0, 0.0, 0.05, 1.0, np.nan])
    edges = classes(values[None])
    assert edges.tolist() == np.linspace(0, 1, CLASSES[0] + 1).tolist()
    rows = shape_rows("a", values, edges)
    assert [(row["from"], row["share"]) for row in rows] == [(0.0, 3 / 4), (0.9, 1 / 4)]
    assert classes(np.array([[-2.0, 6.0]]))[[0, -1]].tolist() == [-2, 6]
    assert classes(np.full((1, 2), np.nan))[[0, -1]].tolist() == [0, 1]


def test_experiments_rise_by_the_measure_that_orders_them():
    data = {"experiments": ["x", "y", "z"], "measures": ["AP", "RR"], "values": [[1, 2, 3], [0.3, 0.1, 0.2]]}
    made = figures.specification(Figure("measure_lines", {**data, "order_by": "RR"}))
    of = {row["x"]: row["of"] for row in rows_of(made) if row["name"] == "RR"}
    assert of == {1: "y", 2: "z", 3: "x"}
    assert made["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["RR", "AP"]
    with pytest.raises(ParameterError, match="order_by is 'P', expected one of the measures"):
        figures.draw(Figure("measure_lines", {**data, "order_by": "P"}))


def test_the_power_of_the_queries_there_are_is_read_off_the_curve():
    data = {"measure": "AP", "n": [10, 20], "power": [0.4, 0.6], "n_now": 15, "n_needed": None}
    made = figures.specification(Figure("power_curve", data))
    assert subtitle_of(made) == "With 15 queries it would be found in 50% of experiments."
    with pytest.raises(ParameterError, match="n does not rise"):
        figures.draw(Figure("power_curve", {**data, "n": [20, 10]}))


def test_a_confusion_matrix_shows_counts_and_shares_of_what_was_asked_for():
    data = {"labels": [0, 1], "counts": [[1, 1], [1, 2]]}  # TN, FP, FN, TP of statistics, worked example
    for normalise, texts_ in (
        (None, ["1", "1", "1", "2"]),
        ("row", ["1 (50%)", "1 (50%)", "1 (33%)", "2 (67%)"]),
        ("column", ["1 (50%)", "1 (33%)", "1 (50%)", "2 (67%)"]),
        ("all", ["1 (20%)", "1 (20%)", "1 (20%)", "2 (40%)"]),
    ):
        made = figures.specification(Figure("confusion_matrix", {**data, "normalise": normalise}))
        assert [row["text"] for row in rows_of(made)] == texts_
        assert subtitle_of(made).startswith("3 of 5 (60.0%) lie on the diagonal.")
    assert "diagonal" not in subtitle_of(
        figures.specification(Figure("confusion_matrix", {**data, "counts": np.zeros((2, 2))}))
    )
    with pytest.raises(ParameterError, match="counts has a negative number"):
        figures.draw(Figure("confusion_matrix", {**data, "counts": [[1, -1], [0, 0]]}))


# F1 against MCC


def test_f1_and_mcc_are_those_of_scikit_learn():
    counts = np.stack(two_class_counts(30), axis=1)
    counts = counts[(counts > 0).sum(axis=1) > 1]
    picked = np.vstack([counts[:: counts.shape[0] // 60], [[0, 30, 0, 0], [29, 1, 0, 0]]])
    f1, mcc = f1_and_mcc(*picked.T)
    for (tp, fp, tn, fn), one, other in zip(picked.astype(int), f1, mcc, strict=True):
        truth = np.repeat([1, 0, 0, 1], [tp, fp, tn, fn])
        guess = np.repeat([1, 1, 0, 0], [tp, fp, tn, fn])
        assert one == pytest.approx(f1_score(truth, guess, zero_division=0), abs=1e-12)
        assert other == pytest.approx(matthews_corrcoef(truth, guess), abs=1e-12)
    undefined = np.array([[0, 0, 30, 0], [30, 0, 0, 0]], float)  # all negative and found so; all positive and found so
    assert [values.tolist() for values in f1_and_mcc(*undefined.T)] == [[0, 1], [0, 0]]


def test_all_matrices_of_100_samples_are_counted_and_those_marked_are_drawn_one_by_one():
    made = figures.specification(Figure("f1_against_mcc", {}))
    rows = rows_of(made)
    assert sum(row["count"] for row in rows if "count" in row) == 176_851  # 103 * 102 * 101 / 6
    marked = {(row["tp"], row["fp"], row["tn"], row["fn"]) for row in rows if "tp" in row}
    expected = {
        (tp, fp, 100 - tp - fp - fn, fn)
        for tp in range(101)
        for fp in range(101 - tp)
        for fn in range(101 - tp - fp)
        if tp + fn > 95 and 2 * tp > 0.95 * (2 * tp + fp + fn)
    }
    assert marked == expected
    assert (90, 9, 0, 1) not in marked  # F1 .947
    assert "What is undefined counts as 0" in subtitle_of(made)


def test_f1_against_mcc_stays_small():
    assert len(figures.as_svg(Figure("f1_against_mcc", {}))) < 400_000
    with pytest.raises(ParameterError, match="samples is 201, expected at most 200"):
        figures.draw(Figure("f1_against_mcc", {"samples": 201}))
    with pytest.raises(ParameterError, match="samples is 0"):
        figures.draw(Figure("f1_against_mcc", {"samples": 0}))


# Everybody can read it


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_text_stands_out_from_its_ground(ground):
    config = figures.theme(ground)
    for part, keys in {
        "axis": ["labelColor", "titleColor"],
        "legend": ["labelColor", "titleColor"],
        "title": ["color", "subtitleColor"],
        "text": ["color"],
    }.items():
        for key in keys:
            assert contrast(config[part][key], config["background"]) >= 7  # WCAG 2.2, level AAA


@pytest.mark.parametrize("ground", ["#FFFFFF", DARK])
def test_colours_stand_out_from_both_grounds(ground):
    assert min(contrast(colour, ground) for colour in (*SERIES, BLUE, VERMILLION)) >= 3  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize("scale", [DIVERGING, SEQUENTIAL])
def test_text_in_cells_stands_out_from_every_colour_of_the_scale(scale):
    for place in np.linspace(0, 1, 101):
        colour = between(scale, place)
        assert contrast(ink_on(colour), colour) >= 4.5


def test_a_page_lends_its_own_colour_of_text():
    svg = figures.as_svg(Figure("leaderboard", PLAIN["leaderboard"]), style=figures.Style(ground="page"))
    assert 'fill="currentColor"' in svg
    assert "#1A1A1A" not in svg


def simulated(colour, matrix):
    """A colour as somebody sees it who lacks a cone, in linear RGB (Viénot, Brettel and Mollon 1999)."""
    linear = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]) ** 2.2
    return np.clip(np.array(matrix) @ linear, 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],  # no red cones
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],  # no green cones
    ],
)
def test_better_and_worse_differ_for_the_colour_blind(matrix):
    assert np.abs(simulated(BLUE, matrix) - simulated(VERMILLION, matrix)).max() > 0.4


def test_no_two_lines_look_alike_in_grey_print():
    looks = {(tuple(DASHES[i % len(DASHES)]), SHAPES[i % len(SHAPES)]) for i in range(MOST_LINES)}
    assert len(looks) == MOST_LINES


# Sizes


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_as_wide_as_asked_for(name, drawn):
    for width, svg in (
        (640, drawn[name, "plain"]),
        (358, figures.as_svg(Figure(name, PLAIN[name]), style=figures.Style(width=358))),
    ):
        assert float(re.search(r'width="([\d.]+)"', svg)[1]) == pytest.approx(width, abs=8)


@pytest.mark.parametrize(("name", "shown_of"), [
    ("leaderboard", "The best 50 of 2,000 systems"),
    ("distribution", "The first 50 of 2,000 systems"),
    ("significance_matrix", "The first 40 of 2,000 systems"),
    ("precision_recall", "The first 16 of 2,000 systems"),
    ("gain_curve", "The first 16 of 2,000 systems"),
    ("correlation_matrix", "The first 40 of 2,000 measures"),
    ("measure_lines", "The first 16 of 2,000 measures"),
    ("confusion_matrix", "The first 40 of 2,000 labels"),
])  # fmt: skip
def test_of_2000_systems_the_first_are_shown_and_the_subtitle_says_so(name, shown_of, crowd):
    made = figures.specification(Figure(name, crowd[name]))
    assert shown_of in subtitle_of(made)
    assert len(json.dumps(made)) < 600_000


@pytest.fixture(scope="module")
def crowd():
    return data_for([f"system {i}" for i in range(2000)], queries=2)


@pytest.mark.parametrize("name", NAMES)
def test_one_system_and_one_query_are_drawn(name):
    figures.as_svg(Figure(name, data_for(["only"], queries=1)[name]))


@pytest.mark.parametrize(
    "name", ["leaderboard", "distribution", "precision_recall", "gain_curve", "correlation_matrix"]
)
def test_a_measure_without_values_is_drawn_empty(name):
    data = dict(PLAIN[name])
    for key in ("means", "low", "high", "values", "precision", "gain"):
        if key in data:
            data[key] = np.full_like(data[key], np.nan, dtype=float)
    assert "bm25" in " ".join(texts(figures.as_svg(Figure(name, data))))


# Wrong data


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("leaderboard", {"systems": []}, "systems is empty"),
        ("leaderboard", {"systems": "bm25"}, "systems is the text 'bm25', expected a list of names"),
        ("leaderboard", {"systems": ["a", "b", "a"]}, "systems has 'a' twice"),
        ("leaderboard", {"means": [1, 2]}, r"means has shape \(2,\), expected \(3,\)"),
        ("leaderboard", {"means": ["x", "y", "z"]}, "means is no table of numbers"),
        ("leaderboard", {"low": [1, 2, np.inf]}, "low has infinite values"),
        ("leaderboard", {"letters": ["a"]}, "letters has 1 texts, expected 3"),
        ("leaderboard", {"baseline": "x"}, "the baseline 'x' is not among the systems"),
        ("query_differences", {"differences": np.full(12, np.nan)}, "differences has no value"),
        ("significance_matrix", {"level": 5}, "level is 5, expected a number between 0 and 1"),
        ("distribution", {"values": [1, 2, 3]}, r"values has shape \(3,\), expected \(systems, queries\)"),
        ("correlation_matrix", {"values": np.full((3, 3), 2.0)}, "values has correlations beyond 1"),
        ("confusion_matrix", {"normalise": "cells"}, "normalise is 'cells', expected one of 'row', 'column', 'all'"),
        ("power_curve", {"target": 2}, "target is 2"),
        ("power_curve", {"n_now": 0}, "n_now is 0"),
    ],
)
def test_data_that_do_not_fit_are_refused(name, changed, message):
    with pytest.raises(ParameterError, match=message):
        figures.draw(Figure(name, {**PLAIN[name], **changed}))


def test_a_style_is_checked():
    with pytest.raises(ParameterError, match="width is 10"):
        figures.Style(width=10)
    with pytest.raises(ParameterError, match="ground is 'grey', expected one of 'light', 'dark', 'page'"):
        figures.Style(ground="grey")
    chart = figures.draw(Figure("leaderboard", PLAIN["leaderboard"]))
    with pytest.raises(ParameterError, match="style is given for a chart that is drawn already"):
        figures.as_svg(chart, style=figures.Style())


# Files

STARTS = {".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG", ".html": b"<!doctype html>", ".json": b"{"}


@pytest.mark.parametrize("suffix", figures.SUFFIXES)
def test_a_figure_is_written_in_the_format_of_its_suffix(suffix, tmp_path):
    target = tmp_path / f"plot{suffix.upper()}"
    figures.save_figure(Figure("leaderboard", PLAIN["leaderboard"]), target)
    assert target.read_bytes().startswith(STARTS[suffix])
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    again = tmp_path / f"again{suffix}"
    figures.save_figure(figures.draw(Figure("leaderboard", PLAIN["leaderboard"])), again)
    assert again.read_bytes().startswith(STARTS[suffix])


def test_the_same_figure_is_the_same_bytes(drawn):
    """Also where others were drawn in between: names inside the SVG do not count on."""
    for name in NAMES:
        assert figures.as_svg(Figure(name, PLAIN[name])) == drawn[name, "plain"], name
    assert 'id="gradient_0"' in drawn["significance_matrix", "plain"]
    one, other = (figures.specification(Figure("gain_curve", PLAIN["gain_curve"])) for _ in range(2))
    assert json.dumps(one) == json.dumps(other)


def test_names_that_look_like_parts_of_an_svg_stay_as_they_are():
    names = ['="url(#gradient_0)"', 'x id="clip3"', "<path fill='url(#clip1)'>"]
    svg = figures.as_svg(Figure("correlation_matrix", {"measures": names, "values": np.eye(3), "statistic": "tau"}))
    assert set(names) <= set(texts(svg))


def test_a_theme_that_the_user_has_enabled_does_not_get_into_files(drawn):
    import altair as alt

    with alt.theme.enable("dark"):
        assert figures.as_svg(Figure("leaderboard", PLAIN["leaderboard"])) == drawn["leaderboard", "plain"]


def test_no_name_can_end_the_script_it_stands_in(tmp_path):
    hostile = ["</script><script>alert(1)</script>", "<!--<script>", "a\u2028b"]
    page = figures.as_html(Figure("leaderboard", {"systems": hostile, "means": [1, 2, 3], "measure": "</title><b>"}))
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<!--<script>" not in page
    assert "<b>" not in page.split("<script>")[0]
    stored = re.search(r'<script type="application/json" id="specification">(.*?)</script>', page, re.DOTALL)[1]
    assert {row["system"] for row in rows_of(json.loads(stored))} == set(hostile)


def test_a_page_needs_no_network():
    page = figures.as_html(Figure("leaderboard", PLAIN["leaderboard"]))
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<[^>]+(?:src|href)=", outside)
    assert "vegaEmbed" in page


def test_data_from_the_network_is_refused():
    import altair as alt

    chart = alt.Chart("https://example.org/data.csv").mark_point().encode(x="x:Q")
    with pytest.raises(ValueError, match=r"(?i)url|allow|denied|external"):
        figures.as_svg(chart)


@pytest.mark.parametrize("name", ["plot.gif", "plot", ".svg", "plot.svg.gz"])
def test_another_suffix_is_refused_before_anything_is_drawn(name, tmp_path):
    with pytest.raises(ParameterError, match=r"expected \.svg, \.pdf, \.png, \.html or \.json"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / name)


def test_an_unwritable_path_is_refused_before_anything_is_drawn(tmp_path):
    with pytest.raises(OutputError, match="does not exist; create it first"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / "nowhere" / "plot.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        figures.save_figure(Figure("no such figure", {}), tmp_path / "folder.svg")


def test_what_goes_wrong_leaves_the_old_file(tmp_path):
    target = tmp_path / "plot.svg"
    target.write_text("old")
    with pytest.raises(ParameterError):
        figures.save_figure(Figure("leaderboard", {"systems": [], "means": [], "measure": "P"}), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["plot.svg"]
