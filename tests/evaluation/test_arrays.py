"""evaluate_arrays: dense arrays give the numbers that the same data give as dicts."""

from __future__ import annotations

import subprocess
import sys
from math import log2
from typing import Any

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation import arrays
from rankscope.evaluation.conventions import make_plan
from rankscope.measures import MEASURES
from rankscope.measures.binary import P

#: Two that differ by the last bit, two zeros that are equal, and the largest and smallest that are finite.
SCORES = (0.5, 0.5000000000000001, 1.0, -2.0, 0.0, -0.0, 1e-300, 1.7976931348623157e308, -1.7976931348623157e308)
GRADES = (-2, -1, 0, 0, 1, 1, 2, 3)


def names_of(cutoff: int | None) -> list[str]:
    """Every measure that can be had with this cutoff, or without one."""
    found = []
    for name, measure in MEASURES.items():
        after_at = getattr(measure, "cutoff", None) is not None or "cutoff" in measure.__dataclass_fields__
        if measure.needs_subtopics or after_at == (cutoff is None):
            continue
        try:
            found.append(str(rs.parse_measure(f"{name}@{cutoff}" if cutoff else name)))
        except ParameterError:
            continue
    return found


AT_3 = [
    *names_of(3),
    *("P(rel=2)@2", "nDCG(gain='exp')@3", "DCG(gains={1: 3, 2: 1, 3: 2})@2", "nDCG(gains={0: 1, 1: 3, 2: -1, 3: 1})@2"),
    *("nDCG(ideal='listed')@2", "nDCG(discount='jk')@3", "nERR(gmax=4)@2", "F(beta=2.0)@2"),
    *(
        "AP(rel=3)@3",
        "AP(norm='found')@2",
        "AP(norm='min')@2",
        "RBP(p=0.5, gmax='query')@3",
        "RBP(p=0.5, rel=2)@1",
        "R(rel=40)@3",
    ),
]
WHOLE = [*names_of(None), *("AP", "RR", "nDCG", "ERR", "RBP(p=0.8)", "Judged", "IPrec@0.3", "P@3")]


@st.composite
def tables(draw: st.DrawFn, *, grades: tuple[int, ...] = GRADES, masked: bool = True) -> tuple[Any, Any, Any]:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    cells = rows * columns

    def table(values: Any) -> Any:
        return np.array(draw(st.lists(values, min_size=cells, max_size=cells))).reshape(rows, columns)

    scores, relevance = table(st.sampled_from(SCORES)), table(st.sampled_from(grades))
    if not masked or not draw(st.booleans()):
        return scores, relevance, None
    mask = table(st.booleans())
    mask[0, draw(st.integers(0, columns - 1))] = True
    return scores, relevance, mask


def as_dicts(scores: Any, relevance: Any, mask: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same as qrels and run. Ids fall with the column, so that every tie rule has the lower column first."""
    there = np.ones(np.shape(scores), np.bool_) if mask is None else np.asarray(mask)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for row, columns in enumerate(there):
        listed = {f"d{99999 - column}": column for column in np.flatnonzero(columns).tolist()}
        qrels[str(row)] = {doc: int(relevance[row][column]) for doc, column in listed.items()}
        run[str(row)] = {doc: float(scores[row][column]) for doc, column in listed.items()}
    return qrels, run


def highest_grade(table: tuple[Any, Any, Any]) -> int:
    return max(grade for docs in as_dicts(*table)[0].values() for grade in docs.values())


def without_ties(scores: rs.Scores) -> tuple[str, ...]:
    """The notes, but that on ties: arrays are ranked as deep as the measures look."""
    return tuple(note for note in scores.notes if "are tied" not in note)


def expect_same(table: tuple[Any, Any, Any], names: list[str], **options: Any) -> None:
    scores, relevance, mask = table
    if 0 < highest_grade(table) < options.get("rel", 1):  # which is refused for judgments, and not for a batch of them
        options = {**options, "rel": 1}
    found = rs.evaluate_arrays(relevance, scores, names, mask=mask, **options)
    expected = rs.evaluate(*as_dicts(scores, relevance, mask), names, **{"ties": "file", **options})
    assert found.query_ids == expected.query_ids
    assert found.signature() == expected.signature()
    assert without_ties(found) == tuple(note.replace(" of run,", " of arrays,") for note in without_ties(expected))
    np.testing.assert_array_equal(found.undefined, expected.undefined)
    assert not found.missing.any()
    for m, name in enumerate(found.measure_names):
        np.testing.assert_allclose(found.values[0, m], expected.values[0, m], rtol=1e-13, atol=1e-15, err_msg=name)


OPTIONS: list[dict[str, Any]] = [{}, {"rel": 2}, {"no_relevant": "drop"}, {"no_relevant": "one"}]


@examples(150)
@given(table=tables(), options=st.sampled_from(OPTIONS))
def test_dense_arrays_have_the_numbers_of_dicts_where_all_measures_have_a_cutoff(table: Any, options: Any) -> None:
    # 1 would be the best of mean ranks, so these are refused with no_relevant="one".
    refused = ("MeanRank@3", "MedianRank@3", "MinRank@3", "MaxRank@3") if options.get("no_relevant") == "one" else ()
    expect_same(table, [name for name in AT_3 if name not in refused], **options)
    expect_same(table, ["nDCG@1", "P@2", "R@3"], **options)


@examples(100)
@given(table=tables(), options=st.sampled_from(OPTIONS))
def test_dense_arrays_have_the_numbers_of_dicts_for_whole_lists(table: Any, options: Any) -> None:
    refused = ("MeanRank", "MedianRank", "MinRank", "MaxRank") if options.get("no_relevant") == "one" else ()
    expect_same(table, [name for name in WHOLE if name not in refused], **options)


@examples(100)
@given(table=tables(), name=st.sampled_from(AT_3))
def test_each_measure_of_the_first_documents_has_its_number_alone(table: Any, name: str) -> None:
    """Nobody else in the call asks for a longer list, or for other grades."""
    expect_same(table, [name])
    if rs.parse_measure(name).can_average_ties():
        expect_same(table, [name], ties="average")


@examples(100)
@given(table=tables(), cutoff=st.integers(1, 8))
def test_ties_averaged_over_their_orders_have_the_numbers_of_dicts_across_the_cutoff(table: Any, cutoff: int) -> None:
    names = [f"{name}@{cutoff}" for name in ("P", "R", "AP", "RR", "nDCG", "ERR", "Success")]
    expect_same(table, names, ties="average")
    expect_same(table, ["AP", "RR", "nDCG"], ties="average")


@examples(60)
@given(table=tables(grades=(-300, -1, 0, 1, 17, 200, 40000)))
def test_grades_that_are_sorted_and_not_counted_give_the_same(table: Any) -> None:
    expect_same(table, ["nDCG@2", "R@3", "AP(rel=17)@3"])
    expect_same(table, ["nDCG", "AP", "NumRel", "Bpref"])


@pytest.mark.parametrize("seed", range(6))
def test_large_arrays_with_ties_and_padding_have_the_numbers_of_dicts(seed: int) -> None:
    """More than one block of work, and ties that go beyond the cutoff in most rows."""
    rng = np.random.default_rng(seed)
    rows, columns = ((9, 5000), (9, 257), (1, 40000))[seed % 3]
    scores = rng.integers(0, (5, 200, 10**6)[seed % 3], (rows, columns)) / 7
    relevance = rng.choice([0, 0, 0, 1, 2, -1], (rows, columns))
    mask = rng.random((rows, columns)) < 0.7 if seed < 3 else None
    expect_same((scores, relevance, mask), ["nDCG@10", "P@100", "RR@5", "AP@30"])
    expect_same((scores, relevance, mask), ["nDCG@10", "AP", "Bpref"])
    expect_same((scores, relevance, mask), ["nDCG@10", "P@100"], ties="average")


@pytest.mark.parametrize("at_once", [1, 70, 1 << 15])
def test_rows_worked_on_apart_have_the_numbers_of_dicts(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The highest grade, which ERR and RBP divide by, is that of all rows, and errors name the row of the whole."""
    monkeypatch.setattr(arrays, "HITS_PER_BLOCK", at_once)
    rng = np.random.default_rng(at_once)
    scores, relevance = rng.integers(0, 40, (9, 12)) / 4, rng.integers(-1, 2, (9, 12))
    relevance[7, 3] = 4
    for mask in (None, rng.random((9, 12)) < 0.6):
        for ties in ("file", "average"):
            expect_same((scores, relevance, mask), ["ERR@5", "RBP(p=0.8)@3", "nDCG@3", "R@4"], ties=ties)
            expect_same((scores, relevance, mask), ["ERR", "AP", "nDCG@3", "NumRel"], ties=ties)
    apart = np.tile(np.arange(12.0), (9, 1))
    apart[8, 4] = 0.0
    with pytest.raises(InputError, match=r"row 8, column 0 \(query '8'\) .*\b1 more"):
        rs.evaluate_arrays(relevance, apart, "P@1", ties="error")


@pytest.mark.parametrize("preset", ["trec_eval", "trec_eval-9", "gdeval"])
def test_a_preset_has_its_measures_and_precision_and_columns_break_ties(preset: str) -> None:
    close = [[1.0, 1.0 + 1e-9, 0.5, 1e300, 2e300], [-1e300, 1.0, -2e300, 0.0, 3.4028234663852886e38]]
    mask = np.array([[True] * 5, [True] * 4 + [False]])
    expect_same((np.array(close), np.array([[0, 1, 2, 0, 3], [1, 0, 0, 1, 1]]), mask), None, preset=preset)
    expect_same((np.array(close), np.array([[0, 1, 2, 0, 3], [1, 0, 0, 1, 1]]), None), ["RR@2", "P@1"], preset=preset)


def test_every_measure_of_the_first_documents_only_takes_a_cutoff_and_has_the_parameters_that_it_names() -> None:
    for name, measure in MEASURES.items():
        if measure.first_k_parameters is not None:
            assert {"cutoff", *measure.first_k_parameters} <= set(measure.__dataclass_fields__), name


def test_a_parameter_that_may_look_further_leads_to_whole_lists() -> None:
    first_only = {name: rs.parse_measure(name).needs_first_k_only() for name in AT_3}
    assert first_only["nDCG@3"]
    assert first_only["AP(norm='min')@2"]
    assert not first_only["nDCG(ideal='listed')@2"]
    assert not first_only["DCG(gains={1: 3, 2: 1, 3: 2})@2"]
    assert not first_only["AUC@3"]
    for name in ("nDCG", "P@mean", "P(scale='permille')@3"):
        assert not rs.parse_measure(name).needs_first_k_only(), name


def test_a_measure_made_of_another_may_look_further_and_is_given_whole_lists() -> None:
    class Further(P):
        """P that says nothing of what it looks at."""

    assert P(cutoff=3).needs_first_k_only()
    assert not Further(cutoff=3).needs_first_k_only()


def test_a_measure_of_the_users_own_is_given_whole_lists() -> None:
    @rs.define_measure("Lowest", range=(0, float("inf")))
    def lowest(hits: rs.Hits, *, cutoff: int = 1) -> Any:
        "Rank of the last hit; at least 0."
        return hits.retrieved * 0.0 + hits.rank.max()

    try:
        assert rs.evaluate_arrays([[1, 0, 0]], [[3.0, 2.0, 1.0]], ["Lowest@1", "P@1"]).overall("Lowest@1") == 3.0
    finally:
        MEASURES.pop("Lowest")


# Worked examples


def test_a_worked_example_with_a_tie_and_padding() -> None:
    scores = np.array([[0.2, 0.9, 0.9, 0.1], [5.0, 1.0, 9.0, 0.0]])
    relevance = np.array([[1, 0, 2, 0], [0, 1, 3, 0]])
    mask = np.array([[True, True, True, True], [True, True, False, False]])
    # Row 0: columns 1 (0), 2 (2), 0 (1), 3 (0). Row 1: columns 0 (0), 1 (1).
    found = rs.evaluate_arrays(relevance, scores, ["DCG@3", "nDCG@3", "RR", "P@2"], mask=mask, name="model")
    assert found.systems == ("model",)
    assert found.query_ids == ("0", "1")
    dcg = [2 / log2(3) + 1 / log2(4), 1 / log2(3)]
    np.testing.assert_allclose(found.matrix("DCG@3")[0], dcg, rtol=1e-15)
    ideal = [2 / log2(2) + 1 / log2(3), 1 / log2(2)]
    np.testing.assert_allclose(found.matrix("nDCG@3")[0], [dcg[0] / ideal[0], dcg[1] / ideal[1]], rtol=1e-15)
    assert found.matrix("RR").tolist() == [[1 / 2, 1 / 2]]
    assert found.matrix("P@2").tolist() == [[1 / 2, 1 / 2]]


def test_a_row_of_padding_is_an_empty_ranking_of_nothing() -> None:
    mask = [[True, True], [False, False]]
    found = rs.evaluate_arrays([[1, 0], [1, 1]], [[1, 2], [3, 4]], ["nDCG@2", "RR", "NumRet", "NumRel"], mask=mask)
    assert found.values[0, :, 1].tolist() == [0, 0, 0, 0]
    assert found.undefined[:, 1].tolist() == [True, True, False, False]
    assert not found.missing.any()


def test_queries_have_the_ids_that_are_given() -> None:
    found = rs.evaluate_arrays([[1], [0]], [[1.0], [2.0]], "P@1", query_ids=["b", "a"])
    assert found.query_ids == ("b", "a")
    assert found.matrix("P@1").tolist() == [[1, 0]]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.int64, np.uint16, list])
def test_scores_and_relevance_of_any_kind_of_number_give_the_same(kind: Any) -> None:
    scores, relevance = [[3, 1, 2], [0, 2, 2]], [[0, 1, 1], [1, 0, 1]]
    expected = rs.evaluate_arrays(np.array(relevance), np.array(scores, float), ["nDCG@2", "AP"])
    make = (lambda x: x) if kind is list else (lambda x: np.array(x, kind))
    found = rs.evaluate_arrays(make(relevance), make(scores), ["nDCG@2", "AP"])
    assert_same_bits(found.values, expected.values)
    flags = np.array(relevance, bool)
    assert_same_bits(rs.evaluate_arrays(flags, scores, ["nDCG@2", "AP"]).values, expected.values)


# Bad input

GOOD = [[0.5, 0.2], [0.1, 0.3]]
JUDGED = [[1, 0], [0, 1]]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.2], [1, 0]), r"scores: shape \(2,\), expected \(queries, documents\)"),
        ((GOOD, [[1, 0]]), r"relevance: .*\(1, 2\), .*\(2, 2\)"),
        ((GOOD, JUDGED, "P@1", [[True, False]]), r"mask: shape \(1, 2\)"),
        ((GOOD, JUDGED, "P@1", JUDGED), "mask .*int64"),
        (([[0.5, 0.2], [NAN, 0.3]], JUDGED), "scores: nan .*row 1, column 0"),
        (([[0.5, -INF], [0.1, 0.3]], JUDGED), "scores: -inf .*row 0, column 1"),
        (([[INF, -INF], [0.1, 0.3]], JUDGED, "P@1", [[True] * 2] * 2), "scores: inf .*row 0, column 0"),
        ((GOOD, [[1, NAN], [0, 1]]), "relevance: nan .*row 0, column 1"),
        ((GOOD, [[1, INF], [0, 1]]), "relevance: inf .*row 0, column 1"),
        ((GOOD, [[1, 2**60], [0, 1]]), "relevance: 1152921504606846976 .*row 0, column 1"),
        ((np.ones((0, 3)), np.ones((0, 3))), r"\(0, 3\) .*no document"),
        ((np.ones((3, 0)), np.ones((3, 0))), r"\(3, 0\) .*no document"),
        ((GOOD, JUDGED, "P@1", np.zeros((2, 2), bool)), "hold no document"),
        (([["a", "b"]], [[1, 0]]), "scores: type <U1"),
        (([[1.0], [1.0, 2.0]], JUDGED), "scores: no array"),
        ((np.ma.masked_array(GOOD), JUDGED), "scores: .*masked"),
    ],
)
def test_arrays_that_cannot_be_right_are_refused_in_one_line(arguments: tuple[Any, ...], message: str) -> None:
    scores, relevance, *rest = arguments
    with pytest.raises(InputError, match=message) as caught:
        rs.evaluate_arrays(relevance, scores, *rest[:1], mask=rest[1] if rest[1:] else None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "doc_id_desc"}, "no ids; .*'file'"),
        ({"ties": "random"}, "unknown tie rule 'random'"),
        ({"rel": 0}, "rel is 0, .*1"),
        ({"no_relevant": "two"}, "no_relevant is 'two'"),
        ({"measures": []}, "no measures given"),
        ({"query_ids": ["a"]}, "1 query_ids, .*2 rows"),
        ({"query_ids": ["a", "a"]}, "an id occurs twice"),
        ({"query_ids": [1, 2]}, r"id .*str\(...\)"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        rs.evaluate_arrays(JUDGED, GOOD, **options)
    with pytest.raises(UnknownName):
        rs.evaluate_arrays(JUDGED, GOOD, "nDCB@10")


def test_ties_are_refused_where_asked_also_beyond_the_cutoff() -> None:
    scores = [[1.0, 0.5, 0.5], [3.0, 2.0, 1.0]]
    with pytest.raises(InputError, match=r"row 0, column 1 \(query '0'\) .*\b1 more"):
        rs.evaluate_arrays([[1, 0, 0]] * 2, scores, "P@1", ties="error")
    mask = [[True, True, False], [True, True, True]]
    assert rs.evaluate_arrays([[1, 0, 0]] * 2, scores, "P@1", mask=mask, ties="error").overall("P@1") == 1


def test_what_stands_under_padding_is_not_looked_at() -> None:
    mask = np.array([[True, False], [True, True]])
    a = rs.evaluate_arrays([[1, NAN], [0, 1]], [[0.5, NAN], [0.1, 0.3]], ["nDCG@1", "AP"], mask=mask)
    b = rs.evaluate_arrays([[1, 0.5], [0, 1]], [[0.5, INF], [0.1, 0.3]], ["nDCG@1", "AP"], mask=mask)
    np.testing.assert_array_equal(a.values, b.values)


# Purity


@given(table=tables())
def test_arguments_stay_as_they_are(table: Any) -> None:
    scores, relevance, mask = table
    before = [None if x is None else x.copy() for x in table]
    for names in ("nDCG@2", "AP"):
        rs.evaluate_arrays(relevance, scores, names, mask=mask)
    for array, old in zip(table, before, strict=True):
        assert old is None or (np.array_equal(array, old) and array.flags.writeable)
        assert old is None or np.array_equal(np.signbit(array), np.signbit(old))


def test_read_only_and_reordered_arrays_are_taken() -> None:
    rng = np.random.default_rng(3)
    scores, relevance = rng.random((50, 30)), rng.integers(0, 3, (50, 30))
    expected = rs.evaluate_arrays(relevance, scores, ["nDCG@5", "AP"])
    turned, judged = np.asfortranarray(scores), np.asfortranarray(relevance)
    turned.flags.writeable = False
    assert_same_bits(rs.evaluate_arrays(judged, turned, ["nDCG@5", "AP"]).values, expected.values)


SCRIPT = """
import sys, rankscope
rankscope.evaluate_arrays([[1.0]], [[1]], "AP")
print({"torch", "polars"} & {*sys.modules})
"""


def test_what_has_an_array_interface_is_taken_and_torch_is_not_loaded() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([[0.5, 0.2]], np.float32)

    class Elsewhere:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("can't convert cuda:0 device type tensor to numpy.\nUse Tensor.cpu()")

    assert rs.evaluate_arrays([[0, 1]], Tensor(), "RR").overall("RR") == 0.5
    with pytest.raises(InputError, match=r"^scores: .*\(can't convert .*NumPy array") as caught:
        rs.evaluate_arrays([[0, 1]], Elsewhere(), "RR")
    assert "\n" not in str(caught.value)
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# Beside scikit-learn, which averages nothing with ignore_ties; the data has no ties


@pytest.mark.parametrize(("rows", "columns", "k"), [(40, 100, 10), (7, 1000, 100), (100, 9, 20), (5, 50, None)])
def test_ndcg_and_dcg_are_those_of_scikit_learn(rows: int, columns: int, k: int | None) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(11)
    scores = rng.permuted(np.tile(np.arange(columns) / 3 - 5, (rows, 1)), axis=1)
    relevance = rng.integers(0, 5, (rows, columns))
    at = f"@{k}" if k else ""
    found = rs.evaluate_arrays(relevance, scores, [f"nDCG{at}", f"DCG{at}"])
    ndcg = metrics.ndcg_score(relevance, scores, k=k, ignore_ties=True)
    assert found.overall(f"nDCG{at}") == pytest.approx(ndcg, rel=1e-12)
    assert found.overall(f"DCG{at}") == pytest.approx(metrics.dcg_score(relevance, scores, k=k, ignore_ties=True))


def test_tied_scores_averaged_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(12)
    scores, relevance = rng.integers(0, 4, (30, 20)) / 2, rng.integers(0, 3, (30, 20))
    found = rs.evaluate_arrays(relevance, scores, ["nDCG@10", "DCG@5"], ties="average")
    assert found.overall("nDCG@10") == pytest.approx(metrics.ndcg_score(relevance, scores, k=10), rel=1e-12)
    assert found.overall("DCG@5") == pytest.approx(metrics.dcg_score(relevance, scores, k=5), rel=1e-12)


def test_a_plan_of_arrays_is_that_of_evaluate() -> None:
    assert rs.evaluate_arrays(JUDGED, GOOD).measures == make_plan(None).measures
