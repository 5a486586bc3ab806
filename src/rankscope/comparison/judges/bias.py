"""How the second judge errs: by grade of the first, and on what each system ranks first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.comparison.judges.common_documents import CommonDocuments, rows_for_ranking
from rankscope.data.hits import Hits
from rankscope.data.section import Section, Table
from rankscope.data.text import format_number, format_percent, join_names
from rankscope.stats.distributions import special
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DEPTH",
    "GradeBias",
    "SystemTaste",
    "bias_by_grade",
    "bias_rows",
    "bias_section",
    "taste_by_system",
    "taste_section",
]


Row = tuple[str, str, str, str, float, float, float, int]
#: Of so many first documents of each list it is asked how the judges agree on them.
DEPTH = 10
NONE = float("nan")


class ClusteredMean(NamedTuple):
    """A mean over documents with its interval, in which the documents of a query count as alike; NaN where there is
    none. n: documents.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, kw_only=True)
class GradeBias:
    """By how many grades the second judge is above the first. grade: of the first; None: of all documents.

    bias: its mean, with an interval.
    """

    grade: int | None
    bias: ClusteredMean


@dataclass(frozen=True, kw_only=True)
class SystemTaste:
    """The documents that both judged among the first `DEPTH` of a system.

    same: the share with one grade. bias: how many grades the second judge is above the first there. favour: how many
    grades more it gives them than documents elsewhere that have the same grade from the first.
    """

    system: str
    same: ClusteredMean
    bias: ClusteredMean
    favour: ClusteredMean


def clustered_mean(values: Floats, query: Ints, confidence_level: float) -> ClusteredMean:
    """The mean of values that are alike within a query: its variance is that of sums over queries of what a value is
    off the mean, with Student's quantile of as many degrees of freedom as queries, less one.
    """
    n = values.size
    if not n:
        return ClusteredMean(NONE, NONE, NONE, 0)
    mean = float(values.mean())
    groups = np.unique(query, return_inverse=True)[1]
    sums = np.bincount(groups, values - mean)
    if sums.size < 2:
        return ClusteredMean(mean, NONE, NONE, n)
    error = np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum()) / n
    half = float(special().stdtrit(sums.size - 1, (1 + confidence_level) / 2) * error)
    return ClusteredMean(mean, mean - half, mean + half, n)


def bias_by_grade(both: CommonDocuments, confidence_level: float) -> tuple[GradeBias, ...]:
    """Of each grade of the first judge, then of all documents."""
    a, b = both.grades
    off = (b - a).astype(np.float64)
    found = [
        GradeBias(grade=grade, bias=clustered_mean(off[a == grade], both.query[a == grade], confidence_level))
        for grade in np.unique(a).tolist()
    ]
    return (*found, GradeBias(grade=None, bias=clustered_mean(off, both.query, confidence_level)))


def taste_by_system(
    both: CommonDocuments, judged: str, systems: Sequence[str], hits: Sequence[Hits], confidence_level: float
) -> tuple[SystemTaste, ...]:
    """How the judges agree on what each system ranks first. hits: under the judgments of A, as `cut` gives them."""
    a, b = both.grades
    kept = rows_for_ranking(both, judged)[0]
    place = np.full(both.a.relevance.size, -1)  # where a judgment of A stands among the documents of both
    place[both.rows_a] = np.arange(both.n)
    found = []
    for system, one in zip(systems, hits, strict=True):
        first = one.rank <= DEPTH
        rows = kept[one.grade_offsets[:-1][one.query[first]] + one.judged[first]]
        own = np.zeros(both.n, np.bool_)
        own[place[rows][place[rows] >= 0]] = True
        found.append(taste_of(system, own, a, b, both.query, confidence_level))
    return tuple(found)


def taste_of(system: str, own: Bools, a: Ints, b: Ints, query: Ints, confidence_level: float) -> SystemTaste:
    """own: (documents) those among the first of the system."""
    codes = np.unique(a, return_inverse=True)[1]
    many = np.bincount(codes[~own], minlength=int(codes.max()) + 1)
    sums = np.bincount(codes[~own], b[~own], minlength=many.size)
    elsewhere = np.divide(sums, many, out=np.full(many.size, np.nan), where=many > 0)[codes]
    known = own & ~np.isnan(elsewhere)
    off = (b - a).astype(np.float64)
    return SystemTaste(
        system=system,
        same=clustered_mean((off[own] == 0).astype(np.float64), query[own], confidence_level),
        bias=clustered_mean(off[own], query[own], confidence_level),
        favour=clustered_mean(b[known] - elsewhere[known], query[known], confidence_level),
    )


def bias_rows(biases: Sequence[GradeBias], tastes: Sequence[SystemTaste]) -> Iterator[Row]:
    """Rows of the tidy table."""
    for one in biases:
        yield "bias", "" if one.grade is None else str(one.grade), "", "", *one.bias
    for taste in tastes:
        for name in ("same", "bias", "favour"):
            yield f"{name}_at_{DEPTH}", "", "", taste.system, *getattr(taste, name)


def mean_cells(mean: ClusteredMean, signed: bool = True) -> tuple[str, str, str]:
    value, low, high = (format_number(x, signed=signed) for x in (mean.value, mean.low, mean.high))
    return value, low, high


def bias_section(biases: Sequence[GradeBias], names: tuple[str, str], confidence_level: float) -> Section:
    """Which grades the second judge raises, and which it lowers."""
    one, other = names
    rows = tuple(
        ("all" if bias.grade is None else str(bias.grade), f"{bias.bias.n:,}", *mean_cells(bias.bias))
        for bias in biases
    )
    every = biases[-1].bias
    sure = "" if every.low > 0 or every.high < 0 else ", no more than chance would explain"
    side = "above" if every.value > 0 else "below"
    if every.value == 0:
        told = f"On average {other} gives the same grades as {one}."
    else:
        told = f"On average {other} is {abs(every.value):.2f} grades {side} {one}{sure}."
    edge = " Of the lowest grade it can only be above, of the highest only below."
    return Section(
        title=f"{other} less {one}, by grade of {one}",
        sentence=told + edge,
        table=Table(columns=("grade", "documents", "bias", "low", "high"), rows=rows),
        notes=(f"low and high: {format_percent(confidence_level)} intervals; the documents of a query count as alike",),
    )


def taste_section(tastes: Sequence[SystemTaste], names: tuple[str, str], confidence_level: float) -> Section:
    """Whose documents the second judge favours."""
    one, other = names
    rows = tuple(
        (
            taste.system,
            f"{taste.same.n:,}",
            mean_cells(taste.same, signed=False)[0],
            mean_cells(taste.bias)[0],
            *mean_cells(taste.favour),
        )
        for taste in sorted(tastes, key=lambda taste: -np.nan_to_num(taste.favour.value, nan=-np.inf))
    )
    liked = sorted((t for t in tastes if t.favour.low > 0), key=lambda t: -t.favour.value)
    spurned = sorted((t for t in tastes if t.favour.high < 0), key=lambda t: t.favour.value)
    told = [
        f"{word} {join_names(f'{t.system} ({t.favour.value:+.2f})' for t in which)}"
        for word, which in (("favours", liked), ("is hard on", spurned))
        if which
    ]
    start = f"{other} {' and '.join(told)}" if told else f"{other} is shown to favour no system and to be hard on none"
    return Section(
        title=f"What each system ranks first, by {other}",
        sentence=f"{start}: grades more or less for the first {DEPTH} documents of a system than for documents "
        f"elsewhere that have the same grade from {one}.",
        table=Table(columns=("system", "documents", "same grade", "bias", "favour", "low", "high"), rows=rows),
        notes=(
            f"low and high: {format_percent(confidence_level)} intervals of favour, each by itself; the documents of a "
            "query count as alike",
        ),
    )
