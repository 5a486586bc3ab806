"""Worked examples of the measures of diversity, by hand from their definitions."""

from __future__ import annotations

from math import log2

import pytest

import rankscope as rs
from rankscope.measures import MEASURES
from rankscope.measures.diversity import Diversity

#: What the tests see of the table, before any test adds to it.
ALL = dict(MEASURES)

Aspects = tuple[set[str] | None, ...]
#: Down a list, the subtopics that each document is about; one is about none, one was not judged.
NUGGETS: Aspects = ({"b", "d"}, {"b"}, {"b", "d", "f"}, set(), None, {"e"})
# measure, subtopics down the list (None: not judged), subtopics of judged documents that were not retrieved, value
DIVERSE: list[tuple[str, Aspects, Aspects, float]] = [
    # a gain of (1 - alpha)^n for each subtopic that n above were about (Clarke et al. 2008), here alpha = 1/2: 1 + 1,
    # 1/2, 1/4 + 1/2 + 1, 0, 0, 1; discounted by log2(rank + 1); the most: every document about each of 4 subtopics
    (
        "alpha_DCG@3",
        NUGGETS,
        (),
        (2 / log2(2) + 0.5 / log2(3) + 1.75 / log2(4)) / (4 * (1 / log2(2) + 0.5 / log2(3) + 0.25 / log2(4))),
    ),
    ("alpha_DCG(alpha=0)@2", NUGGETS, (), (2 / log2(2) + 1 / log2(3)) / (4 / log2(2) + 4 / log2(3))),
    ("alpha_DCG(alpha=1)@2", [{"a"}, {"a", "b"}], (), (1 / log2(2) + 1 / log2(3)) / (2 / log2(2))),
    # the ideal takes b, d, f (3), e (1), then b, d (1/2 + 1/2), then b (1/4)
    (
        "alpha_nDCG",
        NUGGETS,
        (),
        (2 / log2(2) + 0.5 / log2(3) + 1.75 / log2(4) + 1 / log2(7))
        / (3 / log2(2) + 1 / log2(3) + 1 / log2(4) + 0.25 / log2(5)),
    ),
    ("alpha_nDCG@2", NUGGETS, (), (2 / log2(2) + 0.5 / log2(3)) / (3 / log2(2) + 1 / log2(3))),
    ("alpha_nDCG(alpha=0.9)@1", [{"a"}], ({"a", "b"},), 1 / 2),
    # the same with 1 / rank (Chapelle et al. 2009, section 6)
    ("ERR_IA@3", NUGGETS, (), (2 / 1 + 0.5 / 2 + 1.75 / 3) / (4 * (1 / 1 + 0.5 / 2 + 0.25 / 3))),
    ("nERR_IA", NUGGETS, (), (2 / 1 + 0.5 / 2 + 1.75 / 3 + 1 / 6) / (3 / 1 + 1 / 2 + 1 / 3 + 0.25 / 4)),
    ("nERR_IA(alpha=0)@1", NUGGETS, (), 2 / 3),
    # and with beta^(rank - 1), times (1 - (1 - alpha) beta) / subtopics (Clarke et al. 2009, eq. 18)
    ("NRBP", NUGGETS, (), (1 - 0.5 * 0.5) / 4 * (2 + 0.5 * 0.5 + 1.75 * 0.5**2 + 1 * 0.5**5)),
    ("NRBP(alpha=0.2, beta=0.8)", [{"a"}, {"a"}], ({"b"},), (1 - 0.8 * 0.8) / 2 * (1 + 0.8 * 0.8)),
    (
        "nNRBP",
        NUGGETS,
        (),
        (2 + 0.5 * 0.5 + 1.75 * 0.5**2 + 1 * 0.5**5) / (3 + 1 * 0.5 + 1 * 0.5**2 + 0.25 * 0.5**3),
    ),
    # the mean over subtopics (Agrawal et al. 2009): b at ranks 1, 2, 3; d at 1, 3; f at 3; e at 6
    ("AP_IA", NUGGETS, (), ((1 / 1 + 2 / 2 + 3 / 3) / 3 + (1 / 1 + 2 / 3) / 2 + 1 / 3 + 1 / 6) / 4),
    ("AP_IA", [{"a"}], ({"a", "b"},), ((1 / 1) / 2 + 0) / 2),
    ("P_IA@3", NUGGETS, (), (3 / 3 + 2 / 3 + 1 / 3 + 0) / 4),
    # subtopics met in the first k (Zhai et al. 2003)
    ("StRecall@2", NUGGETS, (), 2 / 4),
    ("StRecall@10", NUGGETS, ({"g"},), 4 / 5),
]


@pytest.mark.parametrize(("measure", "aspects", "missed", "expected"), DIVERSE)
def test_a_worked_example_of_diversity(measure: str, aspects: Aspects, missed: Aspects, expected: float) -> None:
    docs = {f"d{i}": about for i, about in enumerate(aspects)}
    judged = {
        **{d: about for d, about in docs.items() if about is not None},
        **{f"m{i}": a for i, a in enumerate(missed)},
    }
    subtopics = sorted(set().union(*judged.values()))
    qrels = {"q": {s: {d: int(s in about) for d, about in judged.items()} for s in subtopics}}
    run = {"q": {d: float(-i) for i, d in enumerate(docs)}}
    assert rs.evaluate(qrels, run, measure).overall(measure) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_every_measure_of_diversity_has_a_worked_example() -> None:
    expected = {name for name, kind in ALL.items() if issubclass(kind, Diversity)}
    assert {rs.parse_measure(name).name for name, *_ in DIVERSE} == expected
