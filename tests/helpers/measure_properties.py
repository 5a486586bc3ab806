"""What holds of measures, as checks: each takes measures and a case, and fails with the measure's name.

`measure_table` says of which measures each holds; `test_properties.py` shows that each fails on a measure made
to break it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from math import ceil
from statistics import median
from typing import Any

import numpy as np
from helpers.strategies import Case, by_subtopic, ranked

import rankscope as rs
from rankscope import Convention, Hits, Measure
from rankscope.typing import Floats


def hits_of(case: Case, rel: float = 1, *, plain: bool = False, ties: str = "doc_id_desc") -> Hits:
    """Of a collection of a thousand documents, which Utility asks for; judged by subtopic unless `plain`."""
    qrels = rs.Qrels(case.qrels if plain else by_subtopic(case.qrels))
    return replace(rs.hits_of(qrels, rs.Run(case.run), Convention(rel=rel, ties=ties)), collection_size=1000)


def refuse(measure: Measure, bad: Any, why: str, *values: Any) -> None:
    """The one way in which the checks fail."""
    assert not (bad if isinstance(bad, bool) else np.any(bad)), f"{measure}: {why}: {values}"


def expect_same(measure: Measure, a: Floats, b: Floats, why: str) -> None:
    same = a.shape == b.shape and (
        bool((a == b).all()) or np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)  # ten times as long
    )
    refuse(measure, not same, why, a, b)


def check_range(measures: Sequence[Measure], case: Case) -> None:
    """Where lower is better and nothing relevant was found there may be no value: NaN."""
    hits = hits_of(case)
    for measure in measures:
        values = measure(hits)
        low, high = measure.range
        refuse(measure, values.shape != (len(hits),) or values.dtype != np.float64, "one float64 a query", values)
        none = np.isnan(values) & (measure.used(hits) == 0) & (measure.higher_is_better is False)
        refuse(measure, ~np.isfinite(values) & ~none, "not finite", values)
        refuse(measure, (values < low) | (values > high + 1e-12), f"outside [{low}, {high}]", values)


def check_deeper(forms: Sequence[str], case: Case) -> None:
    hits = hits_of(case)
    for form in forms:
        deepening = [rs.parse_measure(form.format(k=k)) for k in (1, 2, 3, 4, 5, 7, 10, 50)]
        values = np.stack([measure(hits) for measure in deepening])
        refuse(deepening[0], values[1:] < values[:-1] - 1e-15, "falls with a deeper cutoff", values)


def check_renaming(measures: Sequence[Measure], case: Case) -> None:
    """case: without ties. The new names sort the other way round, and so do the documents in the dicts."""

    def renamed(docs: dict[str, Any]) -> dict[str, Any]:
        return {f"x{''.join(chr(0x10000 - ord(c) % 0x5000) for c in d)}y": v for d, v in reversed(list(docs.items()))}

    other = Case({q: renamed(d) for q, d in case.qrels.items()}, {q: renamed(d) for q, d in case.run.items()})
    hits, other_hits = hits_of(case), hits_of(other)
    for measure in measures:
        expect_same(measure, measure(hits), measure(other_hits), "changed by renaming documents")


def check_input_order(measures: Sequence[Measure], case: Case) -> None:
    def turned(lists: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {q: dict(reversed(docs.items())) for q, docs in reversed(lists.items())}

    other = Case(turned(case.qrels), turned(case.run))
    assert hits_of(case).query_ids == hits_of(other).query_ids
    for plain in (False, True):
        hits, turned_hits = hits_of(case, plain=plain), hits_of(other, plain=plain)
        for measure in measures:
            if not (plain and measure.needs_subtopics):
                expect_same(measure, measure(hits), measure(turned_hits), "changed by the order of the input")


def check_tail(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    longer = {
        q: {**docs, **{f"unseen-{i}": min(docs.values(), default=0.0) - 1.0 - i for i in range(3)}}
        for q, docs in case.run.items()
    }
    other = hits_of(Case(case.qrels, longer))
    for measure in measures:
        if getattr(measure, "short", None) == "listed" or getattr(measure, "ideal", None) == "retrieved":
            continue  # these forms measure a list by its own length
        expect_same(measure, measure(hits), measure(other), "changed by unjudged documents at the tail")


def check_ideal(measures: Sequence[Measure], case: Case) -> None:
    """infAP's smoothing keeps it 0.00001 below 1."""
    least = min((g for docs in case.qrels.values() for g in docs.values() if g > 0), default=1)
    best = {
        q: {d: float(g) for d, g in docs.items() if g > 0} for q, docs in case.qrels.items() if max(docs.values()) > 0
    }
    if not best:
        return
    hits = hits_of(Case({q: case.qrels[q] for q in best}, best), min(least, 1))
    for measure in measures:
        values = measure(hits)
        why = "the ideal list does not give 1; if that is right, `no_ideal` or `shallow` of its row says so"
        refuse(measure, np.abs(values - 1) > 2e-5, why, values)


def check_direction(measures: Sequence[Measure], case: Case) -> None:
    """Of all judged documents falling order of grade is no worse than rising order. Where neither has a value: NaN."""
    falling = {q: {d: float(grade) for d, grade in docs.items()} for q, docs in case.qrels.items()}
    rising = {q: {d: -float(grade) for d, grade in docs.items()} for q, docs in case.qrels.items()}
    good, poor = hits_of(Case(case.qrels, falling)), hits_of(Case(case.qrels, rising))
    for measure in measures:
        best, worst = measure(good), measure(poor)
        less, more = (worst, best) if measure.higher_is_better else (best, worst)
        refuse(measure, less > more + 1e-12, "the better order has the worse value", best, worst)


def check_chunks(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    places = range(len(hits))
    alone = [hits.select([i]) for i in places]
    again = Hits.concat([hits.select([*places[::2]]), *(alone[i] for i in places[1::2])])
    order = [*places[::2], *places[1::2]]
    repeated = hits.select([*reversed(places), 0])
    for measure in measures:
        values = measure(hits)
        expect_same(measure, values, np.concatenate([measure(one) for one in alone]), "other values query by query")
        expect_same(measure, values[order], measure(again), "other values when put together again")
        expect_same(
            measure, values[[*reversed(places), 0]], measure(repeated), "other values when queries are selected"
        )


#: Behind every other id in the order of bytes.
LAST = "\U0010fffd"


def check_other_queries(measures: Sequence[Measure], case: Case) -> None:
    """A query before and one behind all others, with grades that were there already."""
    grades = {g for docs in case.qrels.values() for g in docs.values()}
    judged = {f"o{i}": g for i, g in enumerate(sorted(grades))}
    more = Case(
        {"!": judged, **case.qrels, LAST: judged}, {**case.run, LAST: {d: float(len(d)) for d in [*judged, "unseen"]}}
    )
    hits, more_hits = hits_of(case), hits_of(more)
    assert [*more_hits.query_ids] == ["!", *hits.query_ids, LAST]
    for measure in measures:
        expect_same(measure, measure(hits), measure(more_hits)[1:-1], "changed by another query")


#: Parameters that say where reading ends.
ENDS = ("cutoff", "depth")


def own_cutoff(cutoff: str, listed: Sequence[bool], n: int) -> int:
    """@mean, @median, @size and @recall=x of one query, as one would count by hand. n: its relevant documents."""
    ranks = [rank for rank, relevant in enumerate(listed, 1) if relevant]
    if cutoff == "size":
        return n
    if cutoff == "mean":
        return sum(ranks) // len(ranks) if ranks else 0
    if cutoff == "median":
        return int(median(ranks)) if ranks else 0
    wanted = ceil(Fraction(cutoff.removeprefix("recall=")) * n)
    if wanted == 0:
        return 0
    return ranks[wanted - 1] if wanted <= len(ranks) else len(listed)


def check_used(measures: Sequence[Measure], case: Case) -> None:
    """A value rests on the relevant documents retrieved within the cutoff."""
    hits = hits_of(case)
    for measure in measures:
        level = getattr(measure, "rel", None) or getattr(measure, "gmin", 0) + 1
        has_no_level = not hasattr(measure, "rel") or (measure.name == "RBP" and measure.rel is None)
        if has_no_level and hits.grades.dtype.kind == "f":
            level = np.nextafter(getattr(measure, "gmin", 0), 9)  # any gain at all
        ends = [k for f in fields(measure) if f.name in ENDS and (k := getattr(measure, f.name))]
        expected = []
        for query in hits.query_ids:
            listed = [case.qrels[query].get(d, 0) >= level for d in ranked(case.run.get(query, {}))]
            n = sum(grade >= level for grade in case.qrels[query].values())
            cutoff = min((own_cutoff(k, listed, n) if isinstance(k, str) else k for k in ends), default=None)
            expected.append(sum(listed[:cutoff]))
        expect_same(measure, measure.used(hits), np.array(expected, float), "rests on another number of documents")


def check_missing(measures: Sequence[Measure], case: Case) -> None:
    """A query without a list scores as one with an empty list."""
    listed = {**{q: {} for q in case.qrels}, **case.run}
    hits, other = hits_of(case), hits_of(Case(case.qrels, listed))
    for measure in measures:
        expect_same(measure, measure(hits), measure(other), "a missing query is no empty ranking")


def check_pure(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)

    def state() -> dict[str, Any]:
        inside = vars(hits.subtopics) if hits.subtopics is not None else {}
        found = {f.name: getattr(hits, f.name) for f in fields(hits) if not f.name.startswith("_")}
        del found["subtopics"]
        return found | {f"subtopics.{k}": v for k, v in inside.items() if isinstance(v, np.ndarray)}

    before = copy.deepcopy(state())
    for measure in measures:
        values = measure(hits)
        expect_same(measure, values, measure(hits), "another value when called again")
        for name, array in state().items():
            refuse(measure, not np.array_equal(array, before[name]), f"changed hits.{name}")


def check_name(measures: Sequence[Measure], case: Case | None = None) -> None:
    for measure in measures:
        refuse(measure, rs.parse_measure(str(measure)) != measure, "its name reads back as another measure")


def check_rel(measures: Sequence[Measure], case: Case) -> None:
    """Where a measure has `rel`, asking for it by the measure or by the evaluation is the same."""
    hits, of_2 = hits_of(case), hits_of(case, 2)
    for measure in measures:
        parameters = {f.name: getattr(measure, f.name) for f in fields(measure)}
        if measure.name != "RBP" and parameters.get("rel", 0) is None:  # RBP without rel has graded gain
            asked = type(measure)(**{**parameters, "rel": 2})
            expect_same(measure, measure(of_2), asked(hits), "rel=2 of measure and evaluation differ")


def check_plain(measures: Sequence[Measure], case: Case) -> None:
    """Who does not ask for subtopics is told the same by judgments with and without them."""
    hits, plain = hits_of(case), hits_of(case, plain=True)
    for measure in measures:
        if not measure.needs_subtopics:
            expect_same(measure, measure(hits), measure(plain), "changed by judgments by subtopic")


def check_averages(measures: Sequence[Measure], case: Case) -> None:
    """case: without ties. There is one order, and the average over all orders is its value."""
    hits, averaged = hits_of(case), hits_of(case, ties="average")
    for measure in measures:
        if measure.can_average_ties():
            expect_same(measure, measure(averaged), measure(hits), "another average where nothing is tied")


def check_best_grade(measures: Sequence[Measure], case: Case) -> None:
    """No judgments of unjudged documents leave the bounds: all of the best grade, and none at all."""
    hits = hits_of(case, plain=True)
    rng = np.random.default_rng(sum(map(len, case.run.values())))
    for measure in measures:
        best = None if measure.needs_subtopics else measure.best_grade(hits)
        if best is None:
            continue
        low, high = measure(hits), measure(hits.filled(best))
        empty = hits.filled(-1)
        unjudged = empty.relevance < 0
        for highest in (0, 1, best, best, best):
            grades = rng.integers(0, max(min(highest, best), 0) + 1, unjudged.size)
            relevance = np.where(unjudged, grades, empty.relevance)
            values = measure(replace(empty, relevance=relevance, _memory={}))
            refuse(measure, values < low - 1e-12, "a judgment lowers it below its lowest value", values, low)
            refuse(measure, values > high + 1e-12, "a judgment raises it above its highest value", values, high)
