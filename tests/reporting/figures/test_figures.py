"""Figures: the table of them, and what each shows, of any data."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers.figure_data import (
    HOSTILE,
    NAMES,
    NAMING,
    PAGE,
    PLAIN,
    SYSTEMS,
    drawn,
    example,
    rows_of,
    subtitle_of,
    texts,
)
from helpers.messages import Messages, mentions
from sklearn.metrics import f1_score, matthews_corrcoef

from rankscope.data.section import Figure
from rankscope.errors import ParameterError, UnknownName
from rankscope.reporting import figures
from rankscope.reporting.figures import registry
from rankscope.reporting.figures.agreement import f1_and_mcc, two_class_counts
from rankscope.reporting.figures.inputs import printable, shorten
from rankscope.reporting.figures.marks import evenly_spaced
from rankscope.reporting.figures.systems import CLASS_LIMITS, class_edges, shape_rows

pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed: pip install 'rankscope[report]'")

SENTENCES = Messages("figures")

# The table of figures


def test_a_figure_enters_the_table_by_the_line_above_it(monkeypatch):
    monkeypatch.setattr(registry, "functions", dict(registry.functions))

    @registry.figure
    def bars(*, names, style=None):
        return names

    assert registry.functions["bars"] is bars
    with pytest.raises(ValueError, match="two figures called 'bars'"):
        registry.figure(bars)


def test_every_figure_is_a_function_of_the_package():
    assert len(NAMES) >= 11
    assert set(NAMES) <= set(dir(figures))
    for name in NAMES:
        assert getattr(figures, name) is figures.FIGURES[name]
        assert figures.FIGURES[name].__doc__
    with pytest.raises(AttributeError, match="has no attribute 'leaderbord'"):
        _ = figures.leaderbord


def test_importing_the_figures_loads_neither_altair_nor_vl_convert():
    script = "import sys, rankscope.reporting.figures; print({'altair', 'vl_convert', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_unknown_figure_is_named_with_the_nearest_one():
    with pytest.raises(UnknownName, match=r"'leaderbord'.*\bleaderboard\b"):
        figures.draw(Figure("leaderbord", {}))


def test_data_that_a_figure_does_not_take_are_an_error_of_one_line():
    with pytest.raises(ParameterError, match=r"\bleaderboard\b.*\bmissing\b.*'measure'"):
        figures.draw(Figure("leaderboard", {"systems": ["a"], "means": [1]}))
    with pytest.raises(ParameterError, match="int is not a figure"):
        figures.as_svg(3)


@pytest.mark.parametrize(("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_a_missing_extra_is_told_with_what_to_do(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParameterError, match=rf"\b{package}\b.*pip install 'rankscope\[report\]'"):
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
def test_every_figure_says_in_words_what_it_shows(name):
    root = ET.fromstring(drawn(name, "plain"))
    described = [e.get("aria-label") for e in root.iter() if e.get("aria-label")]
    assert max(map(len, described)) > 30
    assert figures.specification(Figure(name, PLAIN[name]))["title"]["text"]


@pytest.mark.parametrize("name", NAMING)
def test_every_name_stands_in_the_figure(name):
    found = " ".join(texts(drawn(name, "plain")))
    assert all(system in found for system in SYSTEMS)


@pytest.mark.parametrize("name", NAMING)
def test_hostile_names_are_shown_as_the_text_they_are(name):
    svg = drawn(name, "hostile")
    assert "<script" not in svg
    found = texts(svg)
    assert {printable(n) if len(n) <= 34 else n for n in HOSTILE} <= set(found)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_values_and_never_names_of_fields_or_expressions(name):
    """Outside of data, domains and titles, no part of the specification holds a name."""
    made = figures.specification(example(name, HOSTILE))

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
    assert shorten("a" * 30, 11) == "aaaaa…aaaaa"


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
    SENTENCES.check("differences by query", subtitle_of(made))
    made = figures.specification(Figure("query_differences", {**data, "higher_is_better": False}))
    assert [row["query"] for row in rows_of(made) if "query" in row] == ["y", "x", "v", "z"]
    SENTENCES.check("differences by query, lower is better", subtitle_of(made))


def test_of_very_many_queries_evenly_spaced_ones_are_shown_with_both_ends():
    n = 7000
    data = {"measure": "RR", "system_a": "a", "system_b": "b", "query_ids": [str(i) for i in range(n)]}
    made = figures.specification(Figure("query_differences", {**data, "differences": np.linspace(-1, 1, n)}))
    rows = [row for row in rows_of(made) if "query" in row]
    assert (len(rows), rows[0]["query"], rows[-1]["query"]) == (1000, str(n - 1), "0")
    assert mentions(subtitle_of(made), "7,000 queries", "1,000")
    assert evenly_spaced(5, 9).tolist() == [0, 1, 2, 3, 4]


def test_a_pair_is_marked_where_its_p_value_is_at_most_the_level():
    differences = np.array([[0, 0.2, 0.1], [-0.2, 0, -0.1], [-0.1, 0.1, 0]])
    pvalues = np.array([[1, 0.05, np.nan], [0.05, 1, 0.0501], [np.nan, 0.0501, 1]])
    data = {"systems": ["a", "b", "c"], "differences": differences, "pvalues": pvalues, "alpha": 0.05}
    made = figures.specification(Figure("significance_matrix", data))
    marks = {(row["row"], row["column"]): row["mark"] for row in rows_of(made)}
    assert marks[("a", "b")] == "higher"
    assert marks[("b", "a")] == "lower"
    assert [marks[pair] for pair in [("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]] == [None] * 4
    SENTENCES.check("pairs by p-values", subtitle_of(made))  # a, c: not tested
    made = figures.specification(Figure("significance_matrix", {**data, "criterion": "probability ≥ 95%"}))
    SENTENCES.check("pairs by a criterion", subtitle_of(made))


def test_the_shapes_of_a_distribution_are_shares_of_the_queries_that_have_a_value():
    values = np.array([0.0, 0.0, 0.05, 1.0, np.nan])
    edges = class_edges(values[None])
    assert edges.tolist() == np.linspace(0, 1, CLASS_LIMITS[0] + 1).tolist()
    rows = shape_rows("a", values, edges)
    assert [(row["from"], row["share"]) for row in rows] == [(0.0, 3 / 4), (0.9, 1 / 4)]
    assert class_edges(np.array([[-2.0, 6.0]]))[[0, -1]].tolist() == [-2, 6]
    assert class_edges(np.full((1, 2), np.nan))[[0, -1]].tolist() == [0, 1]


def test_experiments_rise_by_the_measure_that_orders_them():
    data = {"experiments": ["x", "y", "z"], "measures": ["AP", "RR"], "values": [[1, 2, 3], [0.3, 0.1, 0.2]]}
    made = figures.specification(Figure("measure_lines", {**data, "order_by": "RR"}))
    of = {row["x"]: row["of"] for row in rows_of(made) if row["name"] == "RR"}
    assert of == {1: "y", 2: "z", 3: "x"}
    assert made["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["RR", "AP"]
    with pytest.raises(ParameterError, match="order_by is 'P'"):
        figures.draw(Figure("measure_lines", {**data, "order_by": "P"}))


def test_the_power_of_the_queries_there_are_is_read_off_the_curve():
    data = {"measure": "AP", "n": [10, 20], "power": [0.4, 0.6], "n_now": 15, "n_needed": None}
    made = figures.specification(Figure("power_curve", data))
    SENTENCES.check("power of 15 queries", subtitle_of(made))
    with pytest.raises(ParameterError, match="n does not rise"):
        figures.draw(Figure("power_curve", {**data, "n": [20, 10]}))


def test_no_chance_is_said_to_be_higher_than_it_is():
    data = {"measure": "AP", "n": [10, 20], "power": [0.4, 0.7999], "n_now": 20, "difference": 0.119892}
    made = figures.specification(Figure("power_curve", data))
    SENTENCES.check("power of 20 queries", subtitle_of(made))
    assert mentions(" ".join(made["title"]["text"]), "difference of 0.1199", "AP")


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
        assert mentions(subtitle_of(made), "3 of 5 (60.0%)", "diagonal")
    assert "diagonal" not in subtitle_of(
        figures.specification(Figure("confusion_matrix", {**data, "counts": np.zeros((2, 2))}))
    )
    with pytest.raises(ParameterError, match=r"\bcounts\b.*\bnegative\b"):
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
    assert mentions(subtitle_of(made), "Undefined", 0)


def test_f1_against_mcc_stays_small():
    assert len(figures.as_svg(Figure("f1_against_mcc", {}))) < 400_000
    with pytest.raises(ParameterError, match=r"\bsamples\b.*\b201\b.*\b200\b"):
        figures.draw(Figure("f1_against_mcc", {"samples": 201}))
    with pytest.raises(ParameterError, match="samples is 0"):
        figures.draw(Figure("f1_against_mcc", {"samples": 0}))
