"""The metrics of ranx by name: `ndcg@10`, `hits@5-l2`, `rbp.95`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, RR, F, P, R, Rprec, Success
from rankscope.measures.cascade import RBP
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.incomplete_judgments import Bpref
from rankscope.measures.sets import NumRelRet, SetF, SetP, SetR
from rankscope.typing import Floats, Grades

__all__ = [
    "Metric",
    "metric_values",
    "read_metric",
]


class Metric(NamedTuple):
    """A parsed name.

    Attributes
    ----------
    stem
        Name without parameters.
    cutoff
        Cutoff; None for the whole list.
    level
        Lowest grade that counts as relevant.
    p
        Persistence of rbp.
    """

    stem: str
    cutoff: int | None
    level: int
    p: float = 0.0


def count_hits(hits: Hits, cutoff: int | None) -> Floats:
    """(queries) the number of relevant documents retrieved within the cutoff."""
    return NumRelRet()(hits if cutoff is None else hits.cut(cutoff))


def hit_rate(hits: Hits, cutoff: int | None) -> Floats:
    """(queries) 1 if a relevant document was retrieved within the cutoff, else 0."""
    return np.minimum(NumRelRet()(hits), 1.0) if cutoff is None else Success(cutoff=cutoff)(hits)


def with_cutoff(
    cutoff_measure: Callable[..., Measure], list_measure: Callable[..., Measure]
) -> Callable[[Hits, int | None], Floats]:
    """A measure at a cutoff, or its variant of the complete list."""
    return lambda hits, cutoff: list_measure()(hits) if cutoff is None else cutoff_measure(cutoff=cutoff)(hits)


#: Metrics that use binary relevance, and those with gains.
BINARY: dict[str, Callable[[Hits, int | None], Floats]] = {
    "hits": count_hits,
    "hit_rate": hit_rate,
    "precision": with_cutoff(P, SetP),
    "recall": with_cutoff(R, SetR),
    "f1": with_cutoff(F, SetF),
    "r-precision": lambda hits, _: Rprec()(hits),
    "mrr": lambda hits, cutoff: RR(cutoff=cutoff)(hits),
    "map": lambda hits, cutoff: AP(cutoff=cutoff)(hits),
    "bpref": lambda hits, _: Bpref()(hits),
}
GRADED: dict[str, Callable[[Hits, int | None], Floats]] = {
    "dcg": lambda hits, cutoff: DCG(cutoff=cutoff)(hits),
    "dcg_burges": lambda hits, cutoff: DCG(gain="exp", cutoff=cutoff)(hits),
    "ndcg": lambda hits, cutoff: nDCG(cutoff=cutoff)(hits),
    "ndcg_burges": lambda hits, cutoff: nDCG(gain="exp", cutoff=cutoff)(hits),
}
NO_CUTOFF = ("r-precision", "bpref")  # they accept a cutoff and ignore it


def rbp(hits: Hits, p: float) -> Floats:
    """Gains are the grades themselves, not divided by the highest one."""
    if p == 0:  # only the first document is seen
        return DCG(cutoff=1)(hits)
    return RBP(p=p)(hits) * max(hits.max_grade, 1)


def read_metric(name: str) -> Metric:
    """Parse a name: `stem@k-lN`, or `rbp.95-lN`. Raises UnknownName and ParameterError."""
    if not isinstance(name, str):
        raise ParameterError(f"a metric is {name!r}, expected a name such as 'ndcg@10'")
    head, *levels = name.split("-l")
    if len(levels) > 1:
        raise ParameterError(f"{name}: {len(levels)} relevance levels, expected one at the end, as in ndcg@10-l2")
    level = parse_integer(name, levels[0], "-l") if levels else 1
    if "rbp" in head:
        stem, *suffix = head.split("." if "." in head else "@")
        if stem != "rbp":
            raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
        try:
            return Metric(stem, None, level, float(f"0.{suffix[0]}"))
        except (IndexError, ValueError):
            raise ParameterError(f"{name}: found no persistence, expected its digits, as in rbp.95") from None
    stem, *suffix = head.split("@")
    if stem not in BINARY and stem not in GRADED:
        raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
    cutoff = parse_integer(name, suffix[0], "@") if suffix else 0
    if stem in NO_CUTOFF:
        cutoff = 0
    elif cutoff < 0:
        raise ParameterError(f"{name}: the cutoff is {cutoff}, expected at least 1, or 0 for the whole list")
    return Metric(stem, cutoff or None, level)


def parse_integer(name: str, text: str, sign: str) -> int:
    """A whole number in the name of a metric. sign: what stands before it. Raises ParameterError."""
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{name}: cannot read {text!r}, expected a whole number after {sign}") from None


def metric_values(hits: Hits, metrics: Mapping[str, Metric]) -> dict[str, Floats]:
    """(queries) the values of each metric, in arrays of their own."""
    hits_by_key: dict[tuple[bool, int], Hits] = {}
    values_by_metric = {}
    for name, metric in metrics.items():
        key = metric.stem in BINARY, metric.level
        if key not in hits_by_key:
            hits_by_key[key] = hits_from_level(hits, metric.level, binary=key[0])
        metric_hits = hits_by_key[key]
        if metric.stem == "rbp":
            values = rbp(metric_hits, metric.p)
        else:
            values = (BINARY if key[0] else GRADED)[metric.stem](metric_hits, metric.cutoff)
        values_by_metric[name] = np.array(values)
    return values_by_metric


def hits_from_level(hits: Hits, level: int, *, binary: bool) -> Hits:
    """The hits with grades below the level set to 0, also negative ones: judged, not relevant, no gain.

    binary: all others become 1, even where the level is below 1; else they stay.
    """

    def apply_level(grades: Grades) -> Grades:
        is_counted = grades >= level
        return is_counted.astype(np.int64) if binary else np.where(is_counted, np.maximum(grades, 0), 0)

    max_grade = int(apply_level(np.array([hits.max_grade]))[0])
    return replace(
        hits,
        relevance=apply_level(hits.relevance),
        grades=apply_level(hits.grades),
        max_grade=max_grade,
        _memory={},
        _qrels_memory={},
    )
