"""Worked examples: every measure computed by hand from its definition."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given, settings
from strategies import Case, as_lists, cases, ranked

import rankscope as rs
from rankscope.measures import MEASURES

#: What the tests see of the table, before any test adds to it.
ALL = dict(MEASURES)

#: The list of many textbooks and blogs: relevant at ranks 1, 4, 5, 6, 9, 10.
TEXTBOOK = [1, 0, 0, 1, 1, 1, 0, 0, 1, 1]
e = 0.00001  # trec_eval's smoothing of infAP


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = (), **options: object) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure, **options).overall(measure)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 1),
        (2, 1 / 2),
        (3, 1 / 3),
        (4, 2 / 4),
        (5, 3 / 5),
        (6, 4 / 6),
        (7, 4 / 7),
        (8, 4 / 8),
        (9, 5 / 9),
        (10, 6 / 10),
    ],
)
def test_precision_of_the_textbook_list_at_every_rank(k: int, expected: float) -> None:
    assert value(f"P@{k}", TEXTBOOK) == expected


# measure, relevance down the list (None: not judged), relevance of judged documents that were not retrieved, value
EXAMPLES = [
    # P, R, Success: trec_eval P_k, recall_k, success_k
    ("P@20", TEXTBOOK, (), 6 / 20),  # a short list counts as filled up
    ("P@5", [None, 1, -1, 1, 0], (1,), 2 / 5),
    ("P(rel=2)@4", [2, 1, 3, 0], (), 2 / 4),
    ("R@4", TEXTBOOK, (1, 1), 2 / 8),
    ("R@1000", TEXTBOOK, (1, 1), 6 / 8),
    ("R(rel=2)@2", [1, 2, 3], (2, 1), 1 / 3),
    ("Success@1", [0, 1], (), 0.0),
    ("Success@2", [0, 1], (), 1.0),
    ("Success@5", [0, None], (1,), 0.0),
    # AP: sum of i / r_i over R (Buckley and Voorhees 2000)
    ("AP", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6),
    ("AP", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 8),
    ("AP@5", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5) / 6),  # still over all R, as trec_eval's map_cut
    ("AP(rel=2)", [1, 2, None, 3], (), (1 / 2 + 2 / 4) / 2),
    ("AP", [0, 0], (1,), 0.0),
    # RR: 1 / r_1
    ("RR", [0, None, 1, 1], (), 1 / 3),
    ("RR@2", [0, None, 1, 1], (), 0.0),
    ("RR@3", [0, None, 1, 1], (), 1 / 3),
    ("RR(rel=2)", [1, 2], (), 1 / 2),
    # Rprec: R = 6, four of them in the first six; with two more not retrieved R = 8, still four in the first eight
    ("Rprec", TEXTBOOK, (), 4 / 6),
    ("Rprec", TEXTBOOK, (1, 1), 4 / 8),
    # DCG and nDCG: gain / log2(rank + 1) (Järvelin and Kekäläinen 2002, as trec_eval has it)
    ("DCG", [3, 2, 0, None, 1], (2,), 3 / log2(2) + 2 / log2(3) + 1 / log2(6)),
    ("DCG@2", [3, 2, 0, None, 1], (2,), 3 / log2(2) + 2 / log2(3)),
    ("DCG(gain='exp')", [3, 2, -1, 1], (), 7 / log2(2) + 3 / log2(3) + 1 / log2(5)),
    (
        "nDCG",
        [3, 2, 0, None, 1],
        (2,),
        (3 / log2(2) + 2 / log2(3) + 1 / log2(6)) / (3 / log2(2) + 2 / log2(3) + 2 / log2(4) + 1 / log2(5)),
    ),
    ("nDCG@2", [0, 3, 2], (2,), (3 / log2(3)) / (3 / log2(2) + 2 / log2(3))),  # the ideal is cut as well
    ("nDCG@3", [1, 0, 1], (), (1 / log2(2) + 1 / log2(4)) / (1 / log2(2) + 1 / log2(3))),
    # exponential gain 2^g - 1 (Burges et al. 2005)
    ("nDCG(gain='exp')@3", [2, 3, 0], (1,), (3 / log2(2) + 7 / log2(3)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))),
    ("nDCG", [-1, 2], (-2,), (2 / log2(3)) / (2 / log2(2))),  # negative grades gain nothing, here and in the ideal
    # ERR: S = (2^g - 1) / 2^gmax; sum of 1/r S_r prod (1 - S_i) (Chapelle et al. 2009, algorithm 2)
    (
        "ERR(gmax=4)",
        [3, 2, 4],
        (),
        7 / 16 + 1 / 2 * (9 / 16) * (3 / 16) + 1 / 3 * (9 / 16) * (13 / 16) * (15 / 16),
    ),
    ("ERR(gmax=4)@2", [3, 2, 4], (), 7 / 16 + 1 / 2 * (9 / 16) * (3 / 16)),
    ("ERR", [1, None, -1, 2], (3,), 1 / 8 + 1 / 4 * (7 / 8) * (3 / 8)),  # gmax: 3, the highest judged
    ("ERR", [0, 1], (), 1 / 2 * (1 / 2)),
    # RBP: (1 - p) sum of g p^(rank - 1) (Moffat and Zobel 2008, eq. 4)
    ("RBP(p=0.5, rel=1)", [1, 0, 1], (), (1 - 0.5) * (1 + 0.5**2)),
    ("RBP(p=0.8, rel=2)", [1, 2, None, 3], (), (1 - 0.8) * (0.8**1 + 0.8**3)),
    ("RBP(p=0.8)", [1, 2, None, 4], (), (1 - 0.8) * (1 / 4 + 2 / 4 * 0.8 + 0.8**3)),
    ("RBP(p=0.8)@2", [1, 2, None, 4], (), (1 - 0.8) * (1 / 4 + 2 / 4 * 0.8)),
    ("RBP(p=0.5, gmax=8)", [-2, 4], (), (1 - 0.5) * (4 / 8 * 0.5)),
    # its residual: the unjudged documents' shares and p^n for what follows (section 4.2)
    ("RBPResidual(p=0.8)", [1, None, 0, -1], (), 0.8**4 + (1 - 0.8) * (0.8**1 + 0.8**3)),
    ("RBPResidual(p=0.8)@2", [1, None, 0, -1], (), 0.8**2 + (1 - 0.8) * 0.8**1),
    ("RBPResidual(p=0.8)@10", [1, None], (), 0.8**2 + (1 - 0.8) * 0.8**1),
    ("RBPResidual(p=0.5)", [0, 1], (), 0.5**2),
    # bpref: 1 - min(n, R) / min(N, R) over R (Buckley and Voorhees 2004, as trec_eval has it); here R = 4, N = 3
    ("Bpref", [1, 0, 1, None, 0, 0, 1], (1,), ((1 - 0) + (1 - 1 / 3) + (1 - 3 / 3)) / 4),
    # R = 2 < N = 4: more than R non-relevant ones above change nothing
    ("Bpref", [0, 1, 0, 0, 0, 1], (), ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    ("Bpref", [None, 1, -1, 1], (), (1 + 1) / 2),  # nothing judged not relevant
    ("Bpref(rel=2)", [1, 2, 0, 2], (), ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    # infAP: 1/(j+1) + j/(j+1) * pooled/j * (r+e)/(r+n+2e) at 0-based rank j (Yilmaz and Aslam 2006, as in trec_eval)
    (
        "infAP",
        [1, 0, -1, 1, None, 1],
        (),
        (
            1
            + (1 / 4 + 3 / 4 * (3 / 3) * (1 + e) / (1 + 1 + 2 * e))
            + (1 / 6 + 5 / 6 * (4 / 5) * (2 + e) / (2 + 1 + 2 * e))
        )
        / 3,
    ),
    ("infAP", [None, 1], (), 1 / 2 + 1 / 2 * 0),  # nothing pooled above
    # Judged: of the documents that are there
    ("Judged", [1, 0, None, -1], (), 2 / 4),
    ("Judged@3", [1, 0, None, -1], (), 2 / 3),
    ("Judged@10", [1, 0, None, -1], (), 2 / 4),
    # the retrieved set
    ("SetP", TEXTBOOK, (1, 1), 6 / 10),
    ("SetR", TEXTBOOK, (1, 1), 6 / 8),
    ("SetF", TEXTBOOK, (1, 1), 2 * (6 / 10) * (6 / 8) / (6 / 10 + 6 / 8)),
    ("SetF(beta=0.5)", TEXTBOOK, (1, 1), 1.5 * (6 / 10) * (6 / 8) / (6 / 8 + 0.5 * (6 / 10))),
    ("SetF(beta=2)", TEXTBOOK, (1, 1), 3 * (6 / 10) * (6 / 8) / (6 / 8 + 2 * (6 / 10))),
    ("SetF", [0, None], (1,), 0.0),
    # counts
    ("NumRet", [1, None, -1, 0], (1,), 4),
    ("NumRel", [1, None, -1, 2], (1, 0, -1), 3),
    ("NumRel(rel=2)", [1, None, -1, 2], (1, 0, -1), 1),
    ("NumRelRet", [1, None, -1, 2], (1,), 2),
    ("NumNonrelRet", [1, None, -1, 0], (0,), 1),
    ("NumNonrelRet(rel=2)", [1, None, -1, 0, 2], (), 2),
]


@pytest.mark.parametrize(("measure", "relevance", "missed", "expected"), EXAMPLES)
def test_a_worked_example(measure: str, relevance: list[int | None], missed: tuple[int, ...], expected: float) -> None:
    assert value(measure, relevance, missed) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_every_measure_has_a_worked_example_that_is_not_zero() -> None:
    assert {rs.parse_measure(name).name for name, *_, expected in EXAMPLES if expected} == set(ALL)


def test_rel_of_the_evaluation_counts_where_the_measure_says_nothing() -> None:
    assert value("AP", [1, 2], (), rel=2) == value("AP(rel=2)", [1, 2]) == 1 / 2
    assert value("AP(rel=1)", [1, 2], (), rel=2) == 1
    assert value("nDCG", [1, 2], (), rel=2) == value("nDCG", [1, 2])  # gains do not ask what counts as relevant
    assert value("Rprec", [1, 2], (), rel=2) == 0


class TestHighestGrade:
    def test_is_that_of_the_whole_qrels_also_of_other_queries(self) -> None:
        qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
        scores = rs.evaluate(qrels, {"q1": {"a": 1.0}}, ["ERR", "RBP(p=0.5)"])
        assert scores.matrix("ERR")[0].tolist() == [1 / 8, 0.0]
        assert scores.matrix("RBP(p=0.5)")[0].tolist() == [(1 - 0.5) * 1 / 3, 0.0]
        assert "gmax:3" in scores.signature("ERR")
        assert "gmax:3" in scores.signature("RBP(p=0.5)")

    @pytest.mark.parametrize("measure", ["ERR(gmax=2)", "RBP(p=0.5, gmax=2)"])
    def test_below_a_judged_grade_is_refused(self, measure: str) -> None:
        with pytest.raises(rs.ParameterError, match=r"gmax is 2, but a document is judged 3; expected at least 3"):
            value(measure, [3])

    def test_may_be_given_higher(self) -> None:
        assert value("ERR(gmax=5)", [3]) == 7 / 32
        assert value("RBP(p=0.5, gmax=6)", [3]) == pytest.approx(0.5 * 3 / 6)

    def test_of_qrels_without_anything_relevant_gives_0(self) -> None:
        assert value("ERR", [0, -1]) == 0
        assert value("RBP(p=0.5)", [0, -1]) == 0

    @pytest.mark.parametrize("grade", [1000, 1030, 5000])
    def test_may_be_so_large_that_its_power_of_2_is_no_float64(self, grade: int) -> None:
        # (2^g - 1) / 2^g is 1 to the last digit. The gain 2^g - 1 itself has no float64 above g = 1023.
        assert value("ERR", [grade]) == 1.0
        assert value("nDCG", [grade, 1]) == 1.0

    def test_of_only_very_negative_grades_gives_0(self) -> None:
        assert value("ERR", [-5000]) == 0


@settings(max_examples=150)
@given(case=cases())
def test_rbp_and_its_residual_bound_what_any_judgment_of_the_unjudged_would_give(case: Case) -> None:
    """Moffat and Zobel (2008), section 4.2: judged as relevant as can be, the unjudged raise RBP by exactly the
    residual within the list, and at most by all of it."""
    names = ["RBP(p=0.8, rel=1)", "RBPResidual(p=0.8)"]
    scores = rs.evaluate(case.qrels, case.run, names)
    judged = {
        q: {**docs, **{d: 1 for d in case.run.get(q, {}) if docs.get(d, -1) < 0}} for q, docs in case.qrels.items()
    }
    best = rs.evaluate(judged, case.run, names[:1])
    low, residual = (scores.matrix(name)[0] for name in names)
    high = best.matrix(names[0])[0]
    for i, query in enumerate(scores.query_ids):
        after_the_end = 0.8 ** len(case.run.get(query, {}))
        assert high[i] == pytest.approx(low[i] + residual[i] - after_the_end, abs=1e-12)
        assert low[i] + residual[i] <= 1 + 1e-12


def loop(name: str, grades: list[int | None], judged: list[int], gmax: int) -> float:
    """The measures that pytrec_eval does not know, as loops down the list. grades: None for unjudged."""
    p = 0.8
    if name == "ERR":
        total, trust = 0.0, 1.0
        for rank, grade in enumerate(grades, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**gmax
            total += trust * stop / rank
            trust *= 1 - stop
        return total
    if name == "RBP(p=0.8)":
        return (1 - p) * sum(max(g or 0, 0) / max(gmax, 1) * p ** (r - 1) for r, g in enumerate(grades, 1))
    if name == "RBPResidual(p=0.8)":
        unjudged = sum(p ** (r - 1) for r, g in enumerate(grades, 1) if g is None or g < 0)
        return p ** len(grades) + (1 - p) * unjudged
    if name == "Judged":
        return sum(g is not None and g >= 0 for g in grades) / len(grades) if grades else 0.0
    power = "exp" in name
    gain = [(2 ** max(g or 0, 0) - 1 if power else max(g or 0, 0)) for g in grades]
    dcg = sum(g / log2(r + 1) for r, g in enumerate(gain, 1))
    if name.startswith("DCG"):
        return dcg
    best = sorted((2 ** max(g, 0) - 1 if power else max(g, 0) for g in judged), reverse=True)
    ideal = sum(g / log2(r + 1) for r, g in enumerate(best, 1))
    return dcg / ideal if ideal else 0.0


LOOPS = ["ERR", "RBP(p=0.8)", "RBPResidual(p=0.8)", "Judged", "DCG", "DCG(gain='exp')", "nDCG(gain='exp')"]


@settings(max_examples=250)
@given(case=cases())
def test_measures_that_pytrec_eval_does_not_know_agree_with_a_loop_down_the_list(case: Case) -> None:
    gmax = max(g for docs in case.qrels.values() for g in docs.values())
    scores = rs.evaluate(case.qrels, case.run, LOOPS)
    for i, query in enumerate(scores.query_ids):
        docs = case.qrels[query]
        grades = [docs.get(d) for d in ranked(case.run.get(query, {}))]
        for name in LOOPS:
            expected = loop(name, grades, list(docs.values()), max(gmax, 0))
            assert scores.matrix(name)[0, i] == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, query)


@pytest.mark.parametrize("measure", ["nDCG(gain='exp')", "DCG(gain='exp')@5"])
def test_an_exponential_gain_beyond_float64_is_refused(measure: str) -> None:
    assert value("nDCG(gain='exp')", [1023]) == 1.0
    with pytest.raises(
        rs.ParameterError, match=r"judged 1024, and 2\^1024 is beyond float64; expected grades up to 1023"
    ):
        value(measure, [1024])
