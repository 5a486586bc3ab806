"""The package ranx, as far as it evaluates: its measures under its names, its Qrels, Run and `evaluate`.

    from rankscope.compat import ranx  # instead of: import ranx

docs/ranx.md shows code that uses it, and says what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.compat.pytrec_eval import finite_scores
from rankscope.compat.ranx_data import Qrels, Run
from rankscope.compat.ranx_lists import check_mapping_of_mappings
from rankscope.data import qrels as our_qrels
from rankscope.data import run as our_run
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.wording import first_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, RR, F, P, R, Rprec, Success
from rankscope.measures.cascade import RBP
from rankscope.measures.counts import NumRelRet
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.judged import Bpref
from rankscope.measures.sets import SetF, SetP, SetR
from rankscope.typing import Floats, Ints

__all__ = ["Qrels", "Run", "evaluate"]

QrelsLike = Qrels | Mapping[str, Mapping[str, int]]
RunLike = Run | Mapping[str, Mapping[str, float]]


class NotComparable(InputError, AssertionError):
    """Judgments and run with different queries: an AssertionError in the original."""


class Metric(NamedTuple):
    """A name as it was read. cutoff: None for the whole list; level: least relevance that counts."""

    stem: str
    cutoff: int | None
    level: int
    p: float = 0.0


def count_hits(hits: Hits, cutoff: int | None) -> Floats:
    return NumRelRet()(hits if cutoff is None else hits.cut(cutoff))


def hit_rate(hits: Hits, cutoff: int | None) -> Floats:
    return np.minimum(NumRelRet()(hits), 1.0) if cutoff is None else Success(cutoff=cutoff)(hits)


def with_cutoff(within: Callable[..., Measure], whole: Callable[..., Measure]) -> Callable[[Hits, int | None], Floats]:
    """A measure of the first k, and its like of the whole list."""
    return lambda hits, cutoff: whole()(hits) if cutoff is None else within(cutoff=cutoff)(hits)


#: Those that ask only whether a document is relevant, and those of gains.
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
NO_CUTOFF = ("r-precision", "bpref")  # they take one, and make nothing of it


def rbp(hits: Hits, p: float) -> Floats:
    """Gains are the grades themselves, not divided by the highest one."""
    if p == 0:  # who never goes on sees the first document
        return DCG(cutoff=1)(hits)
    return RBP(p=p)(hits) * max(hits.max_grade, 1)


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    metrics: Iterable[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """The values of a run, as ranx.evaluate gives them.

    qrels, run: a Qrels and a Run, or dicts of dicts. metrics: a name or several: `map`, `ndcg@10`, `hits@5-l2` (grades
    below 2 do not count), `rbp.95`.

    For one metric its mean over all queries, for several a dict of means; with return_std, each `{"mean", "std"}`;
    with return_mean=False, each an array of one value a query, in the order of a Qrels (ids rising) or of the dict.
    save_results_in_run: whether a Run keeps all that in `scores`, `mean_scores`, `std_scores`. make_comparable:
    whether queries missing from the run are empty lists, and those that are not judged dropped (from a Run
    itself). threads: no effect.

    An empty list, or nothing relevant: 0. Raises ValueError for metrics that are not known and data that
    cannot be read, and one that is also an AssertionError where the queries are not the same.

    >>> qrels, run = {"q1": {"d1": 1, "d2": 3}}, {"q1": {"d3": 0.9, "d2": 0.8, "d1": 0.2}}
    >>> evaluate(qrels, run, ["mrr", "hits@3-l2"])
    {'mrr': np.float64(0.5), 'hits@3-l2': np.float64(1.0)}
    >>> evaluate(qrels, run, "precision@2", return_mean=False)
    array([0.5])
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    asked = {name: read_metric(name) for name in names}
    check_types(qrels, run)
    if make_comparable:
        run = run_of_judged_queries(qrels, run)
    queries = same_queries(qrels, run)
    hits = join_run(qrels, run)
    order = query_order(hits, queries)
    found = {name: values[order] for name, values in metric_values(hits, asked).items()}
    if isinstance(run, Run) and save_results_in_run:
        save_in_run(run, queries, found, with_std=return_mean and return_std)
    answers: dict[str, Any] = found
    if return_mean and return_std:
        answers = {name: {"mean": np.mean(values), "std": np.std(values)} for name, values in found.items()}
    elif return_mean:
        answers = {name: np.mean(values) for name, values in found.items()}
    return answers[names[0]] if len(names) == 1 else answers


def read_metric(name: str) -> Metric:
    """A name's parts: `stem@k-lN`, or `rbp.95-lN`. Raises UnknownName and ParameterError."""
    if not isinstance(name, str):
        raise ParameterError(f"a metric is {name!r}, expected a name such as 'ndcg@10'")
    front, *levels = name.split("-l")
    if len(levels) > 1:
        raise ParameterError(f"{name}: {len(levels)} relevance levels, expected one at the end, as in ndcg@10-l2")
    level = parse_integer(name, levels[0], "-l") if levels else 1
    if "rbp" in front:
        stem, *rest = front.split("." if "." in front else "@")
        if stem != "rbp":
            raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
        try:
            return Metric(stem, None, level, float(f"0.{rest[0]}"))
        except (IndexError, ValueError):
            raise ParameterError(f"{name}: found no persistence, expected its digits, as in rbp.95") from None
    stem, *rest = front.split("@")
    if stem not in BINARY and stem not in GRADED:
        raise UnknownName("metric of ranx", stem, [*BINARY, *GRADED, "rbp.95"])
    cutoff = parse_integer(name, rest[0], "@") if rest else 0
    if stem in NO_CUTOFF:
        cutoff = 0
    elif cutoff < 0:
        raise ParameterError(f"{name}: the cutoff is {cutoff}, expected at least 1, or 0 for the whole list")
    return Metric(stem, cutoff or None, level)


def parse_integer(name: str, text: str, sign: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{name}: cannot read {text!r}, expected a whole number after {sign}") from None


def check_types(qrels: object, run: object) -> None:
    for what, data, kind in (("qrels", qrels, Qrels), ("run", run, Run)):
        if not isinstance(data, (Mapping, kind)):
            raise InputError(f"{what}: found a {type(data).__name__}, expected a {kind.__name__} or a dict of dicts")
        if isinstance(data, Mapping):
            check_mapping_of_mappings(what, data)


def run_of_judged_queries(qrels: QrelsLike, run: RunLike) -> RunLike:
    """The run with the queries of the judgments. A Run is changed, a dict is not."""
    if isinstance(run, Run):
        return run.make_comparable(qrels if isinstance(qrels, Qrels) else Qrels(qrels))
    return {query: run.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - a Qrels has keys, no iterator


def same_queries(qrels: QrelsLike, run: RunLike) -> list[str]:
    """The ids of all queries, in the order of the judgments. Raises NotComparable."""
    judged, listed = qrels.keys(), run.keys()
    if judged != listed:
        without, strange = [q for q in judged if q not in listed], [q for q in listed if q not in judged]
        raise NotComparable(
            f"the run has no list for {len(without)} of {len(judged)} queries of the qrels ({first_names(without)}), and "
            f"{len(strange)} lists for others ({first_names(strange)}), expected the same queries; pass "
            "make_comparable=True"
        )
    return list(judged)


def join_run(qrels: QrelsLike, run: RunLike) -> Hits:
    judged = qrels._prepared() if isinstance(qrels, Qrels) else our_qrels.Qrels(qrels)
    name = getattr(run, "name", None) or "run"
    listed = run._prepared() if isinstance(run, Run) else our_run.Run(run)
    joiner = Joiner(judged, Convention(), name)
    if listed._rows is not None:
        joiner.add(listed._rows)
    elif listed._mapping is not None:
        try:
            joiner.add_mapping(listed._mapping)
        except (InputError, TypeError, AttributeError):
            joiner = Joiner(judged, Convention(), name)
            joiner.add_mapping(finite_scores(listed._mapping))  # infinite scores, which have an order, made finite
    return joiner.finish()


def query_order(hits: Hits, queries: list[str]) -> Ints | slice:
    """Where each query stands in the hits."""
    if len(queries) == len(hits) and tuple(queries) == hits.query_ids:
        return slice(None)
    place = {query: i for i, query in enumerate(hits.query_ids)}
    return np.array([place[query] for query in queries], np.int64)


def metric_values(hits: Hits, asked: Mapping[str, Metric]) -> dict[str, Floats]:
    """(queries) the values of each metric, in arrays of their own."""
    made: dict[tuple[bool, int], Hits] = {}
    found = {}
    for name, metric in asked.items():
        key = metric.stem in BINARY, metric.level
        if key not in made:
            made[key] = hits_from_level(hits, metric.level, binary=key[0])
        at = made[key]
        if metric.stem == "rbp":
            values = rbp(at, metric.p)
        else:
            values = (BINARY if key[0] else GRADED)[metric.stem](at, metric.cutoff)
        found[name] = np.array(values)
    return found


def hits_from_level(hits: Hits, level: int, *, binary: bool) -> Hits:
    """The hits as if grades below the level were 0: no gain, and judged not relevant, negative ones too.

    binary: all others are 1, even where the level is below 1; else they are kept.
    """

    def leveled(grades: Ints) -> Ints:
        counts = grades >= level
        return counts.astype(np.int64) if binary else np.where(counts, np.maximum(grades, 0), 0)

    top = int(leveled(np.array([hits.max_grade]))[0])
    return replace(
        hits,
        relevance=leveled(hits.relevance),
        grades=leveled(hits.grades),
        max_grade=top,
        _memory={},
        _pool_memory={},
    )


def save_in_run(run: Run, queries: list[str], found: Mapping[str, Floats], *, with_std: bool) -> None:
    for name, values in found.items():
        run.mean_scores[name] = np.mean(values)
        if with_std:
            run.std_scores[name] = np.std(values)
        run.scores[name].update(zip(queries, values, strict=True))
