"""Means over the items of a table: how it is read, and what is estimated and chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.demo.collection import SEED
from rankscope.demo.items import item_files
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats.prediction_powered import prediction_powered

JUDGED, ITEMS = 24, 60


def item_frame(systems: tuple[str, ...] = ("a", "b"), seed: int = 1) -> pl.DataFrame:
    """Items of systems, of which people judged every second or third."""
    rng = np.random.default_rng(seed)
    is_judged = rng.permutation(ITEMS) < JUDGED
    rows = []
    for shift, system in enumerate(systems):
        h = 0.3 * shift + rng.normal(size=ITEMS)
        m = 0.2 + h + 0.4 * rng.normal(size=ITEMS)
        rows += [
            {
                "system": system,
                "query": f"i{i}",
                "people": float(h[i]) if is_judged[i] else None,
                "llm": float(m[i]),
                "group": "head" if i % 3 else "tail",
                "topic": f"t{i // 3}",
                "w": 1.0 + i % 2,
                "p": round(0.2 + 0.01 * i, 2),
            }
            for i in range(ITEMS)
        ]
    return pl.DataFrame(rows)


def arrays_of(frame: pl.DataFrame, system: str) -> tuple[Any, Any, Any, Any]:
    """People's values, the machine's there and elsewhere, and the order of the items."""
    own = frame.filter(system=system)
    h, m = own["people"].to_numpy().astype(float), own["llm"].to_numpy()
    order = np.argsort(np.isnan(h), kind="stable")
    return h[order][:JUDGED], m[order][:JUDGED], m[order][JUDGED:], order


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("population", ["source", "items"])
@pytest.mark.parametrize("columns", [{}, {"weight": "w", "chance": "p"}])
def test_estimates_are_those_of_the_arrays(columns: dict[str, str], population: str, strata: bool) -> None:
    frame = item_frame()
    found = rs.judging.estimate_items(
        frame, human="people", machine="llm", columns=columns, population=population, strata=strata
    )
    (part,) = found.parts
    a, b = (arrays_of(frame, system) for system in "ab")
    own = frame.filter(system="a")[a[3].tolist()]
    design = {
        "weights": own["w"].to_numpy() if columns else None,
        "chances": own["p"].to_numpy()[:JUDGED] if columns else None,
        "strata": own["group"].to_list() if strata else None,
        "population": population,
    }
    for values, estimates in (
        (a[:3], part.of_systems),
        ([x - y for x, y in zip(a, b, strict=True)][:3], part.of_pairs),
    ):
        expected = prediction_powered(*values, **design)
        for name in ("human", "machine", "bias", "combined", "combined_low", "combined_high", "weight"):
            assert_same_numbers(float(getattr(estimates, name)[0]), float(getattr(expected, name)))


def test_clusters_and_a_baseline_count() -> None:
    frame = item_frame(("a", "b", "c"))
    found = rs.judging.estimate_items(frame, human="people", machine="llm", columns={"cluster": "topic"}, baseline="b")
    (part,) = found.parts
    assert found.frame().filter(pl.col("system_b") == "b")["system_a"].unique(maintain_order=True).to_list() == [
        "a",
        "c",
    ]
    h, m, u, order = arrays_of(frame, "a")
    codes = frame.filter(system="a")["topic"].to_numpy()[order]
    expected = prediction_powered(h, m, u, clusters=codes)
    assert_same_numbers(float(part.of_systems.combined_high[0]), float(expected.combined_high))


def test_labels_are_shares_of_the_positive_one() -> None:
    table = pl.DataFrame(
        {
            "llm": ["pass", "fail", "pass", "pass", "pass", "fail", "pass", "pass"],
            "people": ["pass", "fail", "fail", "pass", None, None, None, None],
        }
    )
    found = rs.judging.estimate_items(table, human="people", machine="llm", positive="pass", machine_weight=1)
    (part,) = found.parts
    assert part.measure == "people=pass"
    assert_same_numbers(float(part.of_systems.combined[0]), 6 / 8 - 1 / 4)


def test_items_of_some_systems_only_are_skipped_or_not_judged_and_a_note_says_so() -> None:
    frame = item_frame().with_columns(
        people=pl.when((pl.col("system") == "b") & (pl.col("query") == "i1")).then(None).otherwise(0.5 * pl.col("llm"))
    )
    found = rs.judging.estimate_items(frame[:-2], human="people", machine="llm")
    text = " ".join(found.notes)
    assert "2 items of 60 skipped" in text
    assert "1 item for some of the systems" in text
    assert found.parts[0].of_systems.n == 57


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"llm": ["", "0.2", "0.1"]}, {}, ":2: llm is empty"),
        ({"llm": ["x", "0.2", "0.1"]}, {}, ":2: llm is 'x'"),
        ({"people": ["", "", ""]}, {}, "people has no value"),
        ({"query": ["1", "1", "3"]}, {}, ":3: item '1'.*:2"),
        ({"chance": ["0.5", "1.5", "0.5"]}, {}, ":3: chance is 1.5"),
        ({"group": ["a", "a", "b"]}, {"strata": True}, "1 item of group 'a'|0 items of group 'b'"),
        ({}, {"human": "nobody"}, ":1: no column 'nobody'.*--human"),
        ({}, {"human": "query"}, "'query' is the query"),
        ({}, {"positive": "good"}, "no label 'good'"),
    ],
)
def test_tables_that_say_nothing_are_refused(
    tmp_path: Path, change: dict[str, list[str]], options: dict[str, Any], message: str
) -> None:
    columns = {"query": ["1", "2", "3"], "people": ["0.1", "0.4", ""], "llm": ["0.3", "0.2", "0.1"], **change}
    path = tmp_path / "items.csv"
    path.write_text("\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]) + "\n")
    with pytest.raises(InputError, match=message):
        rs.judging.estimate_items(path, **{"human": "people", "machine": "llm", **options})


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(UnknownName, match="'z'"):
        rs.judging.estimate_items(item_frame(), human="people", machine="llm", baseline="z")


def test_a_pool_that_was_chosen_adaptively_is_found_out(tmp_path: Path) -> None:
    """The true mean of the demo's answers by people is .4764."""
    path = tmp_path / "demo-items.csv"
    path.write_text(item_files(SEED)["demo-items.csv"])
    options: dict[str, Any] = {"human": "people", "machine": "llm", "population": "items"}
    naive = rs.judging.estimate_items(path, **options, columns={"query": "answer"})
    right = rs.judging.estimate_items(path, **options, columns={"query": "answer", "chance": "picked"})
    assert "do not look like a random sample" in " ".join(naive.notes)
    assert "do not look like a random sample" not in " ".join(right.notes)
    biased, corrected = (x.parts[0].of_systems for x in (naive, right))
    assert biased.human_low[0] > 0.4764
    assert biased.combined_low[0] > 0.4764
    assert corrected.combined_low[0] < 0.4764 < corrected.combined_high[0]


def test_a_choice_is_the_table_of_the_next_estimate() -> None:
    frame = item_frame()
    choice = rs.judging.choose_items(frame, human="people", machine="llm", budget=12, rng=3)
    assert choice.targets == ("a - b",)
    assert abs(choice.n_chosen - 12) <= 8
    table = choice.frame()
    assert table.height == 2 * ITEMS
    by_item = table.group_by("query").agg(pl.col("chosen").n_unique(), pl.col("chance").n_unique())
    assert by_item["chosen"].max() == by_item["chance"].max() == 1
    judged = table.filter(pl.col("human").is_not_null() & pl.col("human").is_not_nan())
    assert judged.height == 2 * JUDGED
    assert judged["chosen"].sum() == 0
    assert judged["chance"].min() > JUDGED / ITEMS
    filled = table.with_columns(human=pl.when(pl.col("chosen") == 1).then(pl.col("machine")).otherwise(pl.col("human")))
    estimated = rs.judging.estimate_items(filled, human="human", machine="machine")
    assert estimated.parts[0].of_systems.n == JUDGED + choice.n_chosen
    again = rs.judging.choose_items(frame, human="people", machine="llm", budget=12, rng=3)
    assert again.is_chosen.tolist() == choice.is_chosen.tolist()


def test_costs_of_labels_count() -> None:
    frame = item_frame(("a",)).with_columns(minutes=pl.col("w") * 3)
    choice = rs.judging.choose_items(
        frame, human="people", machine="llm", budget=30, rng=1, columns={"cost": "minutes"}
    )
    minutes = dict(frame.select("query", "minutes").iter_rows())
    chosen = choice.frame().filter(chosen=1)["query"].to_list()
    assert_same_numbers(choice.cost, float(sum(minutes[query] for query in chosen)))


@pytest.mark.parametrize(("n", "message"), [(4, "4 items, expected at least 5"), (ITEMS, "all 60 items")])
def test_too_few_or_all_labels_leave_nothing_to_choose(n: int, message: str) -> None:
    table = pl.DataFrame({"llm": [0.1 * (i % 7) for i in range(ITEMS)]}).with_row_index("row")
    table = table.with_columns(people=pl.when(pl.col("row") < n).then(pl.col("llm")).otherwise(None))
    with pytest.raises(InputError, match=message):
        rs.judging.choose_items(table, human="people", machine="llm", budget=3)
    with pytest.raises(ParameterError, match="budget"):
        rs.judging.choose_items(table, human="people", machine="llm", budget=-3)


def test_notes_and_sentences_speak_of_items() -> None:
    table = item_frame(("a",)).drop("system")
    found = rs.judging.estimate_items(table, human="people", machine="llm", columns={"cluster": "topic", "weight": "w"})
    assert mentions(found.notes, "20 clusters of 3 items")
    assert not mentions(found.notes, "queries")
    table = table.with_columns(llm=pl.col("llm") + 3)
    sentence = rs.judging.estimate_items(table, human="people", machine="llm").sections()[0].sentence
    assert "overrates these items" in (sentence or "")


def test_an_item_that_stands_twice_may_be_named_by_a_wrong_column() -> None:
    table = item_frame(("a",)).rename({"query": "answer", "topic": "question"})
    with pytest.raises(InputError, match="--columns query="):
        rs.judging.estimate_items(table, human="people", machine="llm")


def test_calibration_and_signals_are_those_of_the_arrays_and_named_in_signature_and_notes() -> None:
    rng = np.random.default_rng(4)
    h = rng.normal(size=120)
    m, length = np.exp(2 * h), h + rng.normal(size=120)
    table = pl.DataFrame(
        {"people": [float(x) if i < 50 else None for i, x in enumerate(h)], "llm": m, "length": length}
    )
    options: dict[str, Any] = {"human": "people", "machine": "llm"}
    found = rs.judging.estimate_items(table, **options, calibration="isotonic", signals=["length"])
    expected = prediction_powered(h[:50], m[:50], m[50:], calibration="isotonic", signals=length[None])
    of = found.parts[0].of_systems
    assert_same_numbers([of.combined[0], of.combined_low[0]], [expected.combined, expected.combined_low])
    assert bool(of.is_fitted[0])
    assert "calibration:isotonic" in found.signature()
    assert "signals:length" in found.signature()
    assert not any(note.startswith("calibration") for note in found.notes)
    few = rs.judging.estimate_items(table[20:], **options, calibration="isotonic")
    assert few.parts[0].of_systems.is_fitted[0]
    (note,) = (
        note
        for note in rs.judging.estimate_items(table[21:], **options, calibration="isotonic").notes
        if note.startswith("calibration not used")
    )
    assert "30" in note


def test_signals_of_systems_are_those_of_each_and_of_a_difference_their_difference() -> None:
    rng = np.random.default_rng(5)
    h, m, s = rng.normal(size=(2, 90)), rng.normal(size=(2, 90)), rng.normal(size=(2, 90))
    s += h
    rows = [
        {
            "system": "ab"[k],
            "query": f"i{i}",
            "people": float(h[k, i]) if i < 40 else None,
            "llm": m[k, i],
            "s": s[k, i],
        }
        for i in range(90)
        for k in range(2)
    ]
    found = rs.judging.estimate_items(pl.DataFrame(rows), human="people", machine="llm", signals="s").parts[0]
    d, e, t = h[0] - h[1], m[0] - m[1], s[0] - s[1]
    expected = prediction_powered(d[:40], e[:40], e[40:], signals=t[None])
    assert found.of_pairs is not None
    assert_same_numbers(found.of_pairs.combined_high, [expected.combined_high])
    assert found.of_pairs.is_fitted.all()


@pytest.mark.parametrize(("column", "name"), [("length", "length"), ("people", "people")])
def test_signals_that_cannot_be_read_are_refused(column: str, name: str) -> None:
    table = item_frame().with_columns(length=pl.when(pl.col("query") == "i3").then(None).otherwise(1.0))
    with pytest.raises(InputError, match=name):
        rs.judging.estimate_items(table, human="people", machine="llm", signals=column)


def grouped_frame(sizes: tuple[int, ...] = (40, 24, 6), n_judged: tuple[int, ...] = (20, 12, 0)) -> pl.DataFrame:
    """Questions with 1 to 3 answers, in groups of these sizes; people judged all answers to the first of each."""
    rng, rows = np.random.default_rng(11), []
    for g, (size, judged) in enumerate(zip(sizes, n_judged, strict=True)):
        for i in range(size):
            for k in range(1 + i % 3):
                m = float(rng.random())
                h = m + (0.05, 0.4, 0.2)[g] * float(rng.normal())
                question = f"g{g}q{i}"
                rows.append((f"g{g}", question, f"{question}a{k}", h if i < judged else None, m))
    return pl.DataFrame(rows, schema=["group", "cluster", "query", "people", "llm"], orient="row")


PEOPLE_AND_LLM: dict[str, Any] = {"human": "people", "machine": "llm"}


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("allocation", ["neyman", "proportional"])
def test_a_choice_by_strata_has_two_labels_in_each_and_is_read_by_the_next_estimate(
    allocation: str, clusters: bool
) -> None:
    frame = grouped_frame()
    choice = rs.judging.choose_items(
        frame, **PEOPLE_AND_LLM, budget=20, strata=True, allocation=allocation, clusters=clusters, rng=1
    )
    table = choice.frame()
    chosen = table.filter(chosen=1)
    unit = "cluster" if clusters else "query"
    assert chosen.filter(group="g2")[unit].n_unique() >= 2
    if clusters:
        assert table.group_by("cluster").agg(pl.col("chosen").n_unique())["chosen"].max() == 1
        assert chosen["cluster"].n_unique() == len(choice.chosen_clusters or ())
    else:
        assert choice.n_chosen == 20
        assert choice.chosen_clusters is None
    assert bool(np.isnan(choice.half_width_now).all())  # nobody judged the last group
    filled = table.with_columns(human=pl.when(pl.col("chosen") == 1).then(pl.col("machine")).otherwise(pl.col("human")))
    if not clusters:
        filled = filled.drop("cluster", strict=False)
    estimates = rs.judging.estimate_items(filled, human="human", machine="machine", strata=True)
    assert "strata:3" in estimates.signature()
    assert ("clusters:70" in estimates.signature()) == clusters
    assert estimates.parts[0].of_systems.n == choice.n_judged + choice.n_chosen
    assert mentions(choice.notes, "strata (--strata, strata=True)")


def test_the_smallest_number_of_labels_for_a_width_is_chosen() -> None:
    frame = item_frame(("a",))
    choice = rs.judging.choose_items(frame, **PEOPLE_AND_LLM, width=0.46, rng=1)
    n = round(choice.sampling.n_labels)
    enough, fewer = (rs.judging.choose_items(frame, **PEOPLE_AND_LLM, budget=k, rng=1) for k in (n, n - 1))
    assert 2 * enough.sampling.half_width[0] <= 0.46 < 2 * fewer.sampling.half_width[0]
    assert choice.is_chosen.tolist() == enough.is_chosen.tolist()


WISHES: dict[str, tuple[dict[str, Any], str]] = {
    "neither": ({}, "budget is missing, and so is width"),
    "both": ({"budget": 5, "width": 0.1}, "width is 0.1, and there is a budget"),
    "too narrow": ({"width": 0.01}, "width is 0.01, but with labels of all items"),
    "narrow already": ({"width": 5}, "no label is needed"),
    "fewer labels than strata": ({"budget": 1, "strata": True}, "budget is 1, expected at least 2, so that each of 3"),
    "no strata": ({"budget": 5, "allocation": "proportional"}, "allocation is 'proportional', and there are no strata"),
}


@pytest.mark.parametrize("wish", WISHES)
def test_impossible_wishes_are_refused(wish: str) -> None:
    options, message = WISHES[wish]
    with pytest.raises(ParameterError, match=message):
        rs.judging.choose_items(grouped_frame(), **PEOPLE_AND_LLM, **options)


def test_clusters_must_be_judged_as_a_whole_and_be_of_one_group() -> None:
    frame = grouped_frame()
    parts = frame.with_columns(people=pl.when(pl.col("query").str.ends_with("a0")).then("people"))
    mixed = frame.with_columns(group=pl.when(pl.col("query") == "g0q1a1").then(pl.lit("g1")).otherwise("group"))
    for table, message in (
        (parts, "'g0q1' only, and parts of 21 clusters"),
        (mixed, "cluster 'g0q1' has the groups 'g0' and 'g1'"),
        (frame.with_columns(chance=pl.Series(np.linspace(0.1, 1, frame.height))), "cluster 'g0q1' has the chances"),
        (frame.filter(pl.col("cluster").is_in(["g0q2", "g0q5", "g0q30"])), "people judged 2 clusters"),
        (frame.drop("cluster"), "no column 'cluster'"),
    ):
        with pytest.raises(InputError, match=message):
            rs.judging.choose_items(table, **PEOPLE_AND_LLM, budget=9, clusters=True, strata=True, rng=1)


@pytest.mark.parametrize(
    ("n_passed", "chances", "note"),
    [
        (19, None, "and 19 labels of the rarer"),
        (20, None, ""),
        (81, None, "and 19 labels of the rarer"),
        (40, [1.0] * 20 + [0.1] * 80, ""),  # (20 + 200)^2 / (20 + 2000) = 23.96
        (22, [1.0] * 20 + [0.1] * 80, "and as many as 7 labels"),  # (20 + 20)^2 / (20 + 200) = 7.3
    ],
)
def test_few_labels_of_the_rarer_value_are_noted(n_passed: int, chances: list[float] | None, note: str) -> None:
    table = pl.DataFrame({"people": [1.0] * n_passed + [0.0] * (100 - n_passed), "llm": [0.5] * 50 + [0.6] * 50})
    if chances is not None:
        table = table.with_columns(chance=pl.Series(chances))
    found = rs.judging.estimate_items(table, human="people", machine="llm")
    is_rare = note != ""
    assert mentions(found.notes, note) if is_rare else not mentions(found.notes, "of the rarer")
