"""Each check of `helpers/measure_properties.py` fails on a measure made to break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from helpers import measure_properties as properties
from helpers.measure_properties import (
    check_averages,
    check_best_grade,
    check_chunks,
    check_deeper,
    check_direction,
    check_ideal,
    check_input_order,
    check_missing,
    check_name,
    check_other_queries,
    check_plain,
    check_pure,
    check_range,
    check_rel,
    check_renaming,
    check_tail,
    check_used,
)
from helpers.strategies import GRADES, Case, by_subtopic, random_case

import rankscope as rs
from rankscope import Hits, Measure
from rankscope.measures import MEASURES
from rankscope.typing import Floats


@dataclass(frozen=True, kw_only=True)
class Wrong(Measure):
    """Relevant documents retrieved over judged ones, correct but for what a subclass breaks."""

    name: ClassVar[str] = "Wrong"
    source: ClassVar[str] = "made to fail"

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(1)) / np.maximum(np.diff(hits.grade_offsets), 1)


class TooLarge(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) + 1.5


class NotANumber(Wrong):
    def values(self, hits: Hits) -> Floats:
        return np.where(hits.missing, np.nan, super().values(hits))


class OneNumber(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits)[:1]


class ByOrderOfJudgments(Wrong):
    """As a measure whose ties are broken by where a document stood in the input."""

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.judged / 100)


class OverAllRetrieved(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / np.maximum(hits.retrieved, 1)


class Halved(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / 2


class Backward(Wrong):
    """Says that higher is better of a mean rank."""

    def values(self, hits: Hits) -> Floats:
        return hits.sum(np.where(hits.relevant(1), hits.rank, 0.0)) / 1000


class OverAllQueries(Wrong):
    """As a measure that looks at the best query of a chunk."""

    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / (1 + len(hits))


class RestsOnAll(Wrong):
    def used(self, hits: Hits) -> Floats:
        return hits.retrieved.astype(np.float64)


class HalfForMissing(Wrong):
    def values(self, hits: Hits) -> Floats:
        return np.where(hits.missing, 0.5, super().values(hits))


CALLS: list[int] = []


class Counting(Wrong):
    def values(self, hits: Hits) -> Floats:
        CALLS.append(1)
        return super().values(hits) / len(CALLS)


class Changing(Wrong):
    def values(self, hits: Hits) -> Floats:
        values = super().values(hits)
        object.__setattr__(hits, "relevance", np.ones_like(hits.relevance))
        return values


@dataclass(frozen=True, kw_only=True)
class DeafToRel(Wrong):
    """To that of the evaluation."""

    rel: int | None = None

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel or 1))


class SeesSubtopics(Wrong):
    """Though it does not say that it asks for them."""

    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / (1 if hits.subtopics is None else 2)


class AveragesByHalves(Wrong):
    has_tie_average: ClassVar[bool] = True

    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / (2 if hits.ties == "average" else 1)


class LikesWhatIsNotRelevant(Wrong):
    """Of which the highest grade makes the least."""

    def values(self, hits: Hits) -> Floats:
        return 1.0 - hits.sum(hits.relevant(1)) / np.maximum(hits.retrieved, 1)

    def best_grade(self, hits: Hits) -> int:
        return hits.max_grade


class LikesTheMiddle(Wrong):
    """Bounded below, but a grade below the highest is worth more."""

    def values(self, hits: Hits) -> Floats:
        return hits.sum((hits.relevance > 0) & (hits.relevance < hits.max_grade)) / np.maximum(hits.retrieved, 1)

    def best_grade(self, hits: Hits) -> int:
        return hits.max_grade


@dataclass(frozen=True, kw_only=True)
class Nameless(Wrong):
    depth: int = 3

    def __str__(self) -> str:
        return "Wrong"


MANY = random_case(1, 40, scores=None)
COUNTEREXAMPLES: list[tuple[Callable[..., None], Any]] = [
    (check_range, TooLarge()),
    (check_range, NotANumber()),
    (check_range, OneNumber()),
    (check_deeper, "P@{k}"),
    (check_deeper, "nDCG@{k}"),
    (check_renaming, ByOrderOfJudgments()),
    (check_input_order, ByOrderOfJudgments()),
    (check_tail, OverAllRetrieved()),
    (check_tail, rs.parse_measure("SetP")),
    (check_ideal, Halved()),
    (check_ideal, rs.parse_measure("P@50")),
    (check_direction, Backward()),
    (check_chunks, OverAllQueries()),
    (check_other_queries, OverAllQueries()),
    (check_used, RestsOnAll()),
    (check_missing, HalfForMissing()),
    (check_pure, Counting()),
    (check_pure, Changing()),
    (check_rel, DeafToRel()),
    (check_plain, ByOrderOfJudgments()),
    (check_plain, SeesSubtopics()),
    (check_averages, AveragesByHalves()),
    (check_best_grade, LikesWhatIsNotRelevant()),
    (check_best_grade, LikesTheMiddle()),
    (check_name, Nameless(depth=4)),
]


@pytest.mark.parametrize(
    ("check", "wrong"),
    COUNTEREXAMPLES,
    ids=lambda x: getattr(x, "__name__", x if isinstance(x, str) else type(x).__name__),
)
def test_each_check_fails_on_a_measure_made_to_break_it(
    check: Callable[..., None], wrong: Any, own_measures: None
) -> None:
    if isinstance(wrong, Wrong):
        MEASURES["Wrong"] = Nameless if check is check_name else type(wrong)
    with pytest.raises(AssertionError, match=r"^\S+: "):
        check([wrong], MANY)


def test_each_check_has_a_counterexample() -> None:
    checks = {check for name, check in vars(properties).items() if name.startswith("check_")}
    assert {check for check, _ in COUNTEREXAMPLES} == checks


def test_renaming_changes_values_where_documents_are_tied() -> None:
    """Why that check is made without ties: with them, the names decide."""
    tied = Case({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}})
    with pytest.raises(AssertionError, match="RR: changed by renaming"):
        check_renaming([rs.parse_measure("RR")], tied)


def test_the_cases_reach_what_the_checks_are_about() -> None:
    assert min(GRADES) < 0 < max(GRADES)
    assert any(q not in MANY.run for q in MANY.qrels)
    assert any(len(docs) > 20 for docs in MANY.run.values())
    assert any(docs.get("3", {}).keys() - docs.get("2", {}).keys() for docs in by_subtopic(MANY.qrels).values())
