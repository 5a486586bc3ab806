"""Measures on the ranks of known entities: by arithmetic, against naive loops, and beside those of the preset."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from math import log2
from statistics import mean, median

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import EntityRanks, Hits, Measure, parse_measures
from rankscope.data.entities import hits_of_entities
from rankscope.measures.presets import PRESETS

PRESET = PRESETS["dunaiski"]


def hits_of(ranks: list[float], total: int | None = None, least: float = 1) -> Hits:
    names = [f"e{i}" for i in range(len(ranks))]
    return EntityRanks(ranks=[ranks], systems=["s"], entity_ids=names, total_ranks=total, min_rank=least).hits()


def value(measure: str | Measure, ranks: list[float], total: int | None = None) -> float:
    return float(rs.parse_measure(measure)(hits_of(ranks, total))[0])


def coded(name: str) -> Measure:
    """What the preset takes for this name."""
    (measure,) = parse_measures([name], PRESET.parameters, PRESET.renames)
    return measure


# --- examples ---------------------------------------------------------------------------------------------------------

PERFECT = (
    *("P@4", "P@size", "P@recall=0.5", "P@mean", "R@size", "R@10", "Rprec", "AP", "AP@size", "AP(norm='min')@2"),
    *("IAP", "IAP(norm='min')@3", "nDCG", "nDCG@2", "nDCG@10", "nDCG@mean", "PRAUC", "PRAUC(interpolated=True)"),
    *(
        "AUC",
        "AUC@10",
        "APIntervals",
        "APIntervals(average='geometric')",
        "AUCIntervals",
        "AUCIntervals(step=1, depth=9)",
    ),
    *("P(scale='permille')@1", "R(scale='permille')@1", "AP(scale='permille')", "AP(scale='percentile')"),
    *(
        "AP(norm='min', scale='permille')@1",
        "IAP(scale='permille')",
        "nDCG(scale='permille')",
        "PRAUC(scale='permille')",
    ),
    *("nDCG(scale='percentile')@1", "nDCG(scale='permille')@median"),
)


@pytest.mark.parametrize("measure", PERFECT)
def test_a_perfect_list_gives_1(measure: str) -> None:
    assert value(measure, [1, 2, 3, 4], 4000) == pytest.approx(1, rel=1e-14)


EXAMPLES = [
    ("MeanRank", [3, 1, 8], None, (1 + 3 + 8) / 3),
    ("MeanRank@mean", [3, 1, 8], None, (1 + 3) / 2),  # mean 4
    ("MeanRank(scale='permille')", [3, 1, 8], 4000, (1 + 3 + 8) / 3 * 1000 / 4000),
    ("MeanRank(scale='percentile')@3", [30, 10, 90], 1000, (30 + 10) / 2 * 100 / 1000),
    ("MedianRank", [3.5, 3.5, 1, 8], None, 3.5),
    ("MinRank", [2.5, 2.5], None, 2.5),
    ("MaxRank(scale='permille')", [2, 30], 6000, 30 * 1000 / 6000),
    # permille: 3 of 5 entities within the first 2 permille of 10,000, that is 20 ranks
    ("R(scale='permille')@2", [1, 20, 15, 21, 400], 10_000, 3 / 5),
    ("P(scale='permille')@2", [20, 21, 400], 10_000, 1 / 2),
    ("P(scale='permille')@2", [1, 20, 15, 21, 400], 10_000, 1.0),  # more than 2
    # precision at most 1: ranks 2, 60, 100 of 20,000 are .1, 3 and 5 permille
    ("AP(scale='permille')", [2, 60, 100], 20_000, (1 + 2 / 3 + 3 / 5) / 3),
    ("IAP(scale='permille')", [2, 60, 80], 20_000, (1 + 3 / 4 + 3 / 4) / 3),
    # the ideal ranks 1, 2, 3 are within the first permille, where nothing is worth more than 1/log2(2)
    ("nDCG(scale='permille')", [2, 60, 100], 20_000, (1 / log2(2) + 1 / log2(4) + 1 / log2(6)) / (3 / log2(2))),
    # of 500 ranked, the ideal ranks 1, 2, 3 are 2, 4, 6 permille, and one of them is within 3
    ("nDCG(scale='permille')@3", [1, 5, 9], 500, (1 / log2(3)) / (1 / log2(3))),
    ("nDCG(scale='permille')@5", [2, 5, 9], 500, (1 / log2(5)) / (1 / log2(3) + 1 / log2(5))),
    # two of 4 not relevant items above the second of two entities; the first above all
    ("AUC", [1, 4], 6, (4 + 2) / (2 * 4)),
    ("AUC", [5, 6], 6, 0.0),
    # rank 1.5: tied with one that is not relevant, which counts half
    ("AUC", [1.5], 5, (3 + 1 / 2) / 4),
    ("AUC", [2.5, 2.5], 10, (6 + 6 + 2 * (2 / 2)) / (2 * 8)),  # two of four tied at ranks 1 to 4
    ("AUC", [2, 2, 2], 10, 1.0),  # three tied at the top, with nothing else
    ("AUC@4", [1, 4], 6, (2 + 0) / (2 * 2)),
    ("PRAUC", [1, 4], None, (1 + (1 + 2 / 4) / 2) / 2),
    ("nDCG@2", [1, 4], None, 1 / (1 / log2(2) + 1 / log2(3))),
    ("nDCG@100", [1, 4], None, (1 / log2(2) + 1 / log2(5)) / (1 / log2(2) + 1 / log2(3))),  # ideal over min(R, k)
    ("nDCG", [1.5, 1.5], None, (2 / log2(2.5)) / (1 / log2(2) + 1 / log2(3))),
    ("P@2", [5, 20], None, 0.0),
    ("P@recall=0.5", [5, 20], None, 1 / 5),
    ("AUCIntervals(step=2, depth=4)", [1, 3], 10, (1 / (2 * 1) + (2 + 1) / (2 * 2)) / 2),
]


@pytest.mark.parametrize(("measure", "ranks", "total", "expected"), EXAMPLES)
def test_a_worked_example(measure: str, ranks: list[float], total: int | None, expected: float) -> None:
    assert value(measure, ranks, total) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_lower_is_better_for_ranks_and_they_say_so() -> None:
    for name in ("MeanRank", "MedianRank", "MinRank", "MaxRank"):
        assert rs.parse_measure(name).higher_is_better is False


def test_where_nothing_is_found_there_is_no_rank_and_the_query_is_left_out_of_the_mean() -> None:
    for name in ("MeanRank", "MedianRank", "MinRank", "MaxRank"):
        measure = rs.parse_measure(f"{name}@5")
        assert math.isnan(measure(hits_of([6, 7]))[0])
        assert measure.used(hits_of([6, 7])).tolist() == [0]
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"x": 0, "y": 1}}
    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "q3": {"x": 2.0, "y": 1.0}}
    scores = rs.evaluate(qrels, run, ["MeanRank", "MinRank"])
    assert scores.matrix("MeanRank")[0].tolist() == pytest.approx([(2 + 3) / 2, math.nan, 2], nan_ok=True)
    assert scores.overall("MeanRank") == ((2 + 3) / 2 + 2) / 2
    assert scores.overall("MinRank") == (2 + 2) / 2


def test_a_rank_rests_on_one_entity_a_mean_on_all_within_the_cutoff() -> None:
    hits = hits_of([1, 2.5, 2.5, 7, 30], 100)
    for name, n in (("MinRank", 1), ("MaxRank@10", 1), ("MeanRank", 5), ("MeanRank@mean", 4), ("MedianRank@2", 1)):
        assert rs.parse_measure(name).used(hits).tolist() == [n], name
    for name, n in (("Rprec", 3), ("R(scale='percentile')@7", 4), ("P(scale='permille')@20", 1), ("AUC", 5)):
        assert rs.parse_measure(name).used(hits).tolist() == [n], name


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["AP(scale='permille')", "MeanRank(scale='percentile')@5", "nDCG(scale='permille')"])
def test_a_scale_asks_for_the_number_of_ranked_items(name: str) -> None:
    measure = rs.parse_measure(name)
    for call in (measure, measure.used):
        with pytest.raises(rs.ParameterError, match=r"number of .*ranked items; .*--total-ranks"):
            call(hits_of([1, 2]))


def test_the_area_over_all_ranked_items_and_the_permille_forms_of_the_preset_ask_for_their_number() -> None:
    for measure in (rs.parse_measure("AUC"), coded("AP(scale='permille')"), coded("AUC(scale='permille')")):
        with pytest.raises(rs.ParameterError, match="--total-ranks"):
            measure(hits_of([1, 2]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AP(scale='promille')", "AP: scale is 'promille', expected 'percentile' or 'permille'"),
        ("DunaiskiAP(scale='percentile')", "DunaiskiAP: scale is 'percentile', expected 'permille', or none"),
        ("AP(scale=1000)", "AP: scale is 1000, expected"),
        ("nDCG(scale='permille', short='zero')@3", "none with short='zero'"),
        ("APIntervals(step=0)", "step is 0, expected a whole number of at least 1"),
        ("APIntervals(step=9, depth=8)", "depth is 8, expected at least the step, 9"),
        ("AUCIntervals(step=1, depth=10000000)", "at most 100,000 cutoffs"),
        ("APIntervals(average='mean')", "average is 'mean', expected 'arithmetic' or 'geometric'"),
        ("PRAUC(interpolated=1)", "interpolated is 1, expected True or False"),
        ("DunaiskiAUC(scale='permille')@5", "cutoff is 5, expected none with scale='permille'"),
        ("MeanRank@meen", "the cutoff is 'meen', expected a whole number as in nDCG@10, or @mean, @median, @size"),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, message: str) -> None:
    with pytest.raises(rs.ParameterError) as caught:
        rs.parse_measure(name)
    assert message in str(caught.value)


def test_an_ideal_that_would_not_fit_in_memory_is_refused() -> None:
    with pytest.raises(rs.ParameterError, match="ideal of 100000000"):
        rs.parse_measure("DunaiskiNDCG@100000000")(hits_of([1]))


def test_ranks_on_a_scale_are_not_averaged_over_orders_of_ties() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    for name in ("AP(scale='permille')", "P(scale='permille')@5", "MedianRank", "MeanRank@5", "IAP", "PRAUC"):
        with pytest.raises(rs.ParameterError, match="has no closed form"):
            rs.evaluate(qrels, run, name, ties="average")


def test_the_mean_rank_of_ties_is_that_of_their_group() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "x": 1.0, "y": 1.0, "b": 0.5}}
    assert rs.evaluate(qrels, run, "MeanRank", ties="average").overall("MeanRank") == (2 + 4) / 2


# --- properties -------------------------------------------------------------------------------------------------------

FORMS = tuple(
    form
    for name in ("P", "R", "AP", "IAP", "nDCG", "MeanRank", "MedianRank", "MinRank", "MaxRank")
    for form in (
        *(f"{name}@{k}" for k in ("1", "7", "mean", "median", "size", "recall=0.5")),
        *(f"{name}(scale='permille')@{k}" for k in ("3", "mean", "median", "size", "recall=0.5")),
        *(() if name in ("P", "R") else (name, f"{name}(scale='percentile')")),
    )
)
SOUND = (
    *FORMS,
    *("AP(norm='min')@3", "AP(norm='min', scale='permille')@mean", "IAP(norm='min')@size", "AP(norm='found')", "Rprec"),
    *("AUC", "AUC@7", "PRAUC", "PRAUC(interpolated=True)", "PRAUC(scale='percentile')", "F@3", "RR", "RR@3"),
    *("APIntervals(step=3, depth=40)", "APIntervals(step=3, depth=40, average='geometric')"),
    *("AUCIntervals(step=3, depth=40)", "AUCIntervals", "nDCG(ideal='listed', scale='permille')@5"),
)
#: Equal and fractional ones, also such as no list can have.
RANKS = st.lists(st.sampled_from([1, 1.5, 2, 2.5, 3, 4, 7.5, 40]) | st.integers(1, 60), min_size=1, max_size=9)


@examples(150)
@given(st.lists(RANKS, min_size=1, max_size=3), st.integers(60, 3000))
def test_whatever_the_ranks_every_value_is_in_range_and_missing_only_where_nothing_is_used(
    groups: list[list[float]], total: int
) -> None:
    hits = Hits.concat([hits_of(ranks, total) for ranks in groups])
    for measure in map(rs.parse_measure, SOUND):
        values, (low, high) = measure(hits), measure.range
        missing = np.isnan(values)
        assert (missing <= ((measure.used(hits) == 0) & (measure.higher_is_better is False))).all(), str(measure)
        assert ((values[~missing] >= low) & (values[~missing] <= high)).all(), (str(measure), values)


@examples(60)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=9, unique=True), st.data())
def test_an_entity_that_comes_up_a_rank_lowers_no_value(ranks: list[int], data: st.DataObject) -> None:
    """Of measures over the whole list; lower is better where the measure says so."""
    moved = data.draw(st.sampled_from([r for r in ranks if r > 1 and r - 1 not in ranks] or [None]))
    if moved is None:
        return
    better = [r - 1 if r == moved else r for r in ranks]
    whole = ["AP", "IAP", "nDCG", "AUC", "PRAUC", "MeanRank", "MedianRank", "AUCIntervals(step=1, depth=70)", "Rprec"]
    for name in (*whole, "AP(scale='percentile')", "nDCG(scale='permille')", "APIntervals(step=2, depth=60)"):
        measure = rs.parse_measure(name)
        before, after = value(measure, [*map(float, ranks)], 300), value(measure, [*map(float, better)], 300)
        assert (after <= before + 1e-12) if measure.higher_is_better is False else (after >= before - 1e-12), name


ON_RUNS = [form for form in SOUND if not form.startswith(("AUC", "F@", "RR"))]


@pytest.mark.parametrize("form", [*ON_RUNS, *(str(coded(form)) for form in ("AP", "IAP", "PRAUC", "APIntervals"))])
def test_a_run_has_the_value_of_the_ranks_of_its_relevant_documents(form: str) -> None:
    lists = [[2, 3, 7, 11], [1], [1, 4, 5, 12], [12], [6, 8]]
    qrels = {f"q{i}": {f"d{r}": int(r in ranks) for r in range(1, 13)} for i, ranks in enumerate(lists)}
    hits = rs.hits_of(qrels, {q: {f"d{r}": -float(r) for r in range(1, 13)} for q in qrels})
    expected = [value(form, ranks, 400) for ranks in lists]
    found = rs.parse_measure(form)(replace(hits, collection_size=400))
    assert found.tolist() == pytest.approx(expected, rel=1e-12, nan_ok=True)


# --- naive loops ------------------------------------------------------------------------------------------------------


def precisions(r: list[float]) -> list[float]:
    return [min(1, i / x) for i, x in enumerate(r, 1)]


def partial_area(r: list[float], k: int) -> float:
    """Pairs in the right order of every relevant item and the others in the first k, ranks all different."""
    others = [x for x in range(1, k + 1) if x not in r]
    pairs = [(a, b) for a in r for b in others]
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else 1.0


NAIVE: dict[str, Callable[[list[float]], float]] = {
    "MeanRank": mean,
    "MedianRank": median,
    "MeanRank@20": lambda r: mean([x for x in r if x <= 20] or [math.nan]),
    "MedianRank@mean": lambda r: median([x for x in r if x <= int(mean(r))]),
    "MinRank": min,
    "MaxRank@30": lambda r: max([x for x in r if x <= 30], default=math.nan),
    "AP": lambda r: mean(precisions(r)),
    "AP(norm='min')@5": lambda r: sum(p for p, x in zip(precisions(r), r, strict=True) if x <= 5) / min(5, len(r)),
    "IAP": lambda r: mean(max(precisions(r)[i:]) for i in range(len(r))),
    "PRAUC": lambda r: (
        (precisions(r)[0] + sum(map(mean, zip(precisions(r), precisions(r)[1:], strict=False)))) / len(r)
    ),
    "nDCG@20": lambda r: (
        sum(1 / log2(x + 1) for x in r if x <= 20) / sum(1 / log2(i + 1) for i in range(1, min(20, len(r)) + 1))
    ),
    "AUC": lambda r: mean(mean(x < y for y in range(1, 101) if y not in r) for x in r),
    "AUCIntervals(step=7, depth=60)": lambda r: mean(partial_area(r, k) for k in range(7, 61, 7)),
    "APIntervals(step=7, depth=60)": lambda r: mean(
        sum(p for p, x in zip(precisions(r), r, strict=True) if x <= k) / min(k, len(r)) for k in range(7, 61, 7)
    ),
    "AP(scale='permille')": lambda r: mean(min(1, i / (10 * x)) for i, x in enumerate(r, 1)),
}


@pytest.mark.parametrize("name", NAIVE)
def test_a_measure_of_many_groups_at_once_is_that_of_a_naive_loop(name: str) -> None:
    rng = np.random.default_rng(4)
    ranks = np.stack([rng.permutation(100)[:40] + 1.0 for _ in range(3)])
    table = EntityRanks(ranks=ranks, systems="abc", entity_ids=[f"e{i}" for i in range(40)], total_ranks=100)
    groups = [rng.permutation(40)[: rng.integers(1, 12)] for _ in range(60)]
    for s, (_, hits) in enumerate(hits_of_entities(table, groups)):
        expected = [NAIVE[name](sorted(ranks[s][group].tolist())) for group in groups]
        assert rs.parse_measure(name)(hits).tolist() == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_tables_too_wide_for_memory_are_done_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankscope.measures import curves as entity_curves

    rng = np.random.default_rng(5)
    hits = Hits.concat([hits_of([*map(float, rng.integers(1, 90, 5))], 100) for _ in range(23)])
    measures = [rs.parse_measure("APIntervals(step=2, depth=90)"), coded("nDCG(scale='permille')@9")]
    whole = [measure(hits) for measure in measures]
    monkeypatch.setattr(entity_curves, "MAX_CELLS", 5000)
    for measure, values in zip(measures, whole, strict=True):
        assert_same_bits(measure(replace(hits, _memory={})).tolist(), values.tolist())
        assert measure.used(hits).shape == (23,)


# --- the preset -------------------------------------------------------------------------------------------------------


def test_under_the_preset_names_mean_what_the_tool_computes_and_are_printed_so() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    scores = rs.evaluate(qrels, run, ["P@3", "map", "nDCG@3", "MeanRank", "RR"], preset="dunaiski")
    assert scores.measure_names == ("DunaiskiP@3", "DunaiskiAP", "DunaiskiNDCG@3", "MeanRank", "RR")
    assert_same_numbers(scores.matrix("P@3")[0].tolist(), [2 / 3])  # asked as P@3
    assert "preset:dunaiski" in scores.signature()
    default = rs.evaluate(qrels, run, preset="dunaiski").measure_names
    assert default == (
        "MeanRank",
        "MedianRank",
        "DunaiskiP@10",
        "DunaiskiR@10",
        "DunaiskiAP",
        "DunaiskiNDCG",
        "DunaiskiPRAUC",
    )
    with pytest.raises(rs.errors.UnknownName, match="P_5"):
        rs.evaluate(qrels, run, "P_5", preset="dunaiski")


#: ranks, number of ranked items, what is asked for, the sound value, the tool's
DIFFERENCES = [
    # P@k counts the first entity at rank k or deeper, however deep
    ([5, 2000], None, "P@10", 1 / 10, 2 / 10),
    ([2000], None, "P@10", 0, 1 / 10),
    # R counts no more than k of tied entities
    ([1, 1, 1], None, "R@2", 3 / 3, 2 / 3),
    # AP@k is over min(R, k), as AP(norm='min') here; ours, as trec_eval's, over R
    ([1, 2, 30], None, "AP@2", (1 + 1) / 3, (1 + 1) / 2),
    # nDCG@k: an ideal of k relevant items, however few there are
    ([1, 2], None, "nDCG@10", 1, (1 + 1 / log2(3)) / sum(1 / log2(i + 1) for i in range(1, 11))),
    # the area left of recall 1/R is missing
    ([1, 2, 3, 4, 5], None, "PRAUC", 1, 4 / 5),
    ([1, 2, 3, 4, 5], None, "PRAUC(interpolated=True)", 1, 4 / 5),
    # the ROC curve ends at the last entity
    ([1, 2], 10_000, "AUC", 1, 0),
    # over intervals: c in the place of min(R, c); the root of the product is the square root; the first step is missing
    ([1, 2], None, "APIntervals(step=2, depth=4)", 1, (2 / 2 + 2 / 4) / 2),
    ([2, 3], None, "APIntervals(step=4, depth=12, average='geometric')", (1 / 2 + 2 / 3) / 2, None),
    ([1, 2], None, "AUCIntervals", 1, (10_000 - 100) / 10_000),
    # permille: ranks are converted by us, and taken for permilles by the tool
    ([10, 20], 10_000, "MeanRank(scale='permille')", 1.5, None),
    ([10], 10_000, "P(scale='permille')@1", 1, 0),
    ([10], 10_000, "R(scale='permille')@1", 1, 0),
    # the mean over all 1,000 buckets: of one entity in the first bucket 10 items wide, 1/(10 i)
    ([1], 10_000, "AP(scale='permille')", 1, sum(1 / (10 * i) for i in range(1, 1001)) / 1000),
    # interpolated, it may exceed 1: buckets .1 items wide
    ([1], 100, "IAP(scale='permille')", 1 / 10, sum(1 / (0.1 * i) for i in range(1, 1001)) / 1000),
    # recall in the place of precision, at rank ceil(x R)
    ([1, 2, 3, 4], 1000, "P(scale='permille')@recall=0.5", 1, 2 / 4),
    # and 0 where the cutoff reaches the number of items
    ([1, 2], 1000, "R(scale='permille')@1000", 1, 0),
]


@pytest.mark.parametrize(("ranks", "total", "name", "sound", "tools"), DIFFERENCES)
def test_a_difference_to_the_tool(
    ranks: list[float], total: int | None, name: str, sound: float, tools: float | None
) -> None:
    hits = hits_of(ranks, total)
    assert rs.parse_measure(name)(hits)[0] == pytest.approx(sound, rel=1e-12, abs=1e-12)
    if tools is not None:
        assert coded(name)(hits)[0] == pytest.approx(tools, rel=1e-12, abs=1e-12)


def test_the_geometric_mean_of_the_tool_is_a_square_root() -> None:
    total = 1 / 2 + 2 / 3
    found = coded("APIntervals(step=4, depth=12, average='geometric')")(hits_of([2, 3]))
    assert found.tolist() == pytest.approx([math.sqrt(total / 4 * total / 8 * total / 12)], rel=1e-12)


def test_the_tool_says_that_interpolated_ap_by_permille_rests_on_a_thousand_entities() -> None:
    assert coded("IAP(scale='permille')").used(hits_of([1, 2], 1000)).tolist() == [1000]
    assert rs.parse_measure("IAP(scale='permille')").used(hits_of([1, 2], 1000)).tolist() == [2]
