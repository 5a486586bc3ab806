"""`evaluate`: the values of a run, as ranx.evaluate gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankscope.compat.pytrec_eval import finite_scores
from rankscope.compat.ranx.lists import check_mapping_of_mappings
from rankscope.compat.ranx.metrics import metric_values, read_metric
from rankscope.compat.ranx.qrels import Qrels, whole_qrels
from rankscope.compat.ranx.run import Run
from rankscope.data import run as our_run
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.text import first_names
from rankscope.errors import InputError
from rankscope.typing import Floats, Ints

__all__ = [
    "NotComparable",
    "evaluate",
]


QrelsLike = Qrels | Mapping[str, Mapping[str, int]]
RunLike = Run | Mapping[str, Mapping[str, float]]


class NotComparable(InputError, AssertionError):
    """Judgments and run with different queries: an AssertionError in the original."""


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

    Parameters
    ----------
    qrels, run
        A Qrels and a Run, or dicts of dicts.
    metrics
        Name or names: `map`, `ndcg@10`, `hits@5-l2` (grades below 2 do not count), `rbp.95`.
    return_mean
        Give means over all queries. Otherwise arrays of one value per query, in the order of a Qrels (ids rising) or of
        the dict.
    return_std
        Give `{"mean", "std"}` for each metric.
    threads
        No effect.
    save_results_in_run
        Store the results in a Run's `scores`, `mean_scores`, `std_scores`.
    make_comparable
        Score queries missing from the run as empty, and drop those without judgments (from a Run itself).

    Returns
    -------
    float or dict
        For one metric its value, for several a dict by metric. 0 for an empty list, or without relevant documents.

    Raises
    ------
    ValueError
        A metric does not exist, or the data cannot be read. If the queries differ, the error is also an AssertionError.

    Examples
    --------
    >>> qrels, run = {"q1": {"d1": 1, "d2": 3}}, {"q1": {"d3": 0.9, "d2": 0.8, "d1": 0.2}}
    >>> evaluate(qrels, run, ["mrr", "hits@3-l2"])
    {'mrr': np.float64(0.5), 'hits@3-l2': np.float64(1.0)}
    >>> evaluate(qrels, run, "precision@2", return_mean=False)
    array([0.5])
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    parsed_metrics = {name: read_metric(name) for name in names}
    check_types(qrels, run)
    if isinstance(qrels, Qrels) and not qrels.sorted:
        qrels.sort()
    if make_comparable:
        run = run_of_judged_queries(qrels, run)
    queries = same_queries(qrels, run)
    hits = join_run(qrels, run)
    order = query_order(hits, queries)
    values_by_metric = {name: values[order] for name, values in metric_values(hits, parsed_metrics).items()}
    if isinstance(run, Run) and save_results_in_run:
        save_in_run(run, queries, values_by_metric, with_std=return_mean and return_std)
    results: dict[str, Any] = values_by_metric
    if return_mean and return_std:
        results = {name: {"mean": np.mean(values), "std": np.std(values)} for name, values in values_by_metric.items()}
    elif return_mean:
        results = {name: np.mean(values) for name, values in values_by_metric.items()}
    return results[names[0]] if len(names) == 1 else results


def check_types(qrels: object, run: object) -> None:
    """Raise InputError for anything but objects of these classes, or dicts of dicts."""
    for argument, data, expected_class in (("qrels", qrels, Qrels), ("run", run, Run)):
        if not isinstance(data, (Mapping, expected_class)):
            raise InputError(
                f"{argument}: found a {type(data).__name__}, expected a {expected_class.__name__} or a dict of dicts"
            )
        if isinstance(data, Mapping):
            check_mapping_of_mappings(argument, data)


def run_of_judged_queries(qrels: QrelsLike, run: RunLike) -> RunLike:
    """The run with the queries of the judgments. A Run is changed, a dict is not."""
    if isinstance(run, Run):
        return run.make_comparable(qrels if isinstance(qrels, Qrels) else Qrels(qrels))
    return {query: run.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - a Qrels has keys, no iterator


def same_queries(qrels: QrelsLike, run: RunLike) -> list[str]:
    """The ids of all queries, in the order of the judgments. Raises NotComparable."""
    judged_queries, listed_queries = qrels.keys(), run.keys()
    if judged_queries != listed_queries:
        missing, unjudged = (
            [q for q in judged_queries if q not in listed_queries],
            [q for q in listed_queries if q not in judged_queries],
        )
        raise NotComparable(
            f"the run has no list for {len(missing)} of {len(judged_queries)} queries of the qrels "
            f"({first_names(missing)}), and {len(unjudged)} lists for others ({first_names(unjudged)}), expected the "
            "same queries; pass make_comparable=True"
        )
    return list(judged_queries)


def join_run(qrels: QrelsLike, run: RunLike) -> Hits:
    """The hits of a run, whose scores may be infinite, as in the original."""
    judgments = qrels._prepared() if isinstance(qrels, Qrels) else whole_qrels(qrels)
    name = getattr(run, "name", None) or "run"
    lists = run._prepared() if isinstance(run, Run) else our_run.Run(run)
    joiner = Joiner(judgments, Convention(), name)
    if lists.mapping is None:
        joiner.add(lists.rows())
    else:
        try:
            joiner.add_mapping(lists.mapping)
        except (InputError, TypeError, AttributeError):
            joiner = Joiner(judgments, Convention(), name)
            joiner.add_mapping(finite_scores(lists.mapping))  # with infinite scores made finite
    return joiner.finish()


def query_order(hits: Hits, queries: list[str]) -> Ints | slice:
    """The index of each query in the hits."""
    if len(queries) == len(hits) and tuple(queries) == hits.query_ids:
        return slice(None)
    index_of_query = {query: i for i, query in enumerate(hits.query_ids)}
    return np.array([index_of_query[query] for query in queries], np.int64)


def save_in_run(run: Run, queries: list[str], values_by_metric: Mapping[str, Floats], *, with_std: bool) -> None:
    """Store the values in the run, as the original does."""
    for name, values in values_by_metric.items():
        run.mean_scores[name] = np.mean(values)
        if with_std:
            run.std_scores[name] = np.std(values)
        run.scores[name].update(zip(queries, values, strict=True))
