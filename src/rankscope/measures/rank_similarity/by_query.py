"""Association of two runs, query by query: rank correlations and rank-biased overlap."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.chunks import DocumentMap, Merging, as_document_map
from rankscope.data.rows import decode_id, decode_ids
from rankscope.data.run import Run
from rankscope.data.text import align_columns, first_names, format_value
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.text import decode
from rankscope.measures.rank_similarity.correlation import (
    goodman_kruskal_gamma,
    kendall_tau,
    spearman,
    tau_ap,
    weighted_tau,
)
from rankscope.measures.rank_similarity.rank_biased_overlap import rbo

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "STATISTICS",
    "BetweenRuns",
    "between_runs",
]


Scored = Mapping[str, float]
#: The statistics of `between_runs` by name.
STATISTICS: dict[str, Callable[..., float]] = {
    "tau": kendall_tau,
    "tau_ap": tau_ap,
    "weighted_tau": weighted_tau,
    "spearman": spearman,
    "gamma": goodman_kruskal_gamma,
    "rbo": rbo,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class BetweenRuns:
    """One value for each query that two runs have in common.

    Attributes
    ----------
    statistic
        Name of the statistic, with the parameters that were given.
    systems
        Names of the two runs.
    query_ids
        The common queries, in the order of the first run.
    values
        One value per query, NaN if undefined.
    notes
        What a reader should know.
    """

    statistic: str
    systems: tuple[str, str]
    query_ids: tuple[str, ...]
    values: npt.NDArray[np.float64]
    notes: tuple[str, ...] = ()

    @cached_property
    def mean(self) -> float:
        """The mean over the queries that have a value; nan where none has."""
        defined = self.values[~np.isnan(self.values)]
        return float(defined.mean()) if defined.size else float("nan")

    def frame(self) -> pl.DataFrame:
        """The values as a tidy polars frame: system_a, system_b, statistic, query, value (null where undefined)."""
        import polars as pl

        names = [name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in self.query_ids]
        columns = {
            "system_a": [self.systems[0]] * len(names),
            "system_b": [self.systems[1]] * len(names),
            "statistic": [self.statistic] * len(names),
            "query": names,
            "value": self.values,
        }
        return pl.DataFrame(columns).with_columns(pl.col("value").fill_nan(None))

    def __str__(self) -> str:
        cells = [format_value(value, "mean") for value in (*self.values.tolist(), self.mean)]
        rows = [["query", self.statistic], *map(list, zip((*self.query_ids, "all"), cells, strict=True))]
        return "\n".join([*align_columns(rows, 1), *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        a, b = self.systems
        return f"BetweenRuns({self.statistic} of {a!r} and {b!r}, {len(self.query_ids)} queries)"


def between_runs(
    run_a: Run | Mapping[str, Scored],
    run_b: Run | Mapping[str, Scored],
    statistic: str = "tau",
    *,
    duplicates: str | None = None,
    doc_of: DocumentMap | Mapping[str, str] | str | None = None,
    **parameters: Any,
) -> BetweenRuns:
    """How alike two runs rank, query by query: one value for each query that both answer.

    Parameters
    ----------
    run_a, run_b
        The runs, or mappings {query_id: {doc_id: score}}.
    statistic
        "tau" (Kendall's; variant="b"), "tau_ap" (run_a is the truth), "weighted_tau", "spearman", "gamma" or "rbo".
    duplicates
        What a document counts that a query holds several times: "first", "max" or "sum" of its scores; "error" refuses
        it. Default: "error", or "max" for chunks.
    doc_of
        The document of each chunk: a pattern with one group, such as '^([^#]+)', or a mapping {chunk: document}.
    **parameters
        Parameters of the function of that name in this module, such as variant="a", ties="b", p=0.8.

    Returns
    -------
    BetweenRuns
        A correlation is NaN for a query with fewer than two documents in common, or whose documents are all tied if the
        statistic is then undefined; notes count these queries, and `mean` skips them. Rank-biased overlap is then 0,
        since that is what it means.

    Raises
    ------
    InputError
        The runs have no query in common, scores are not finite, a document occurs twice, or the statistic refuses a
        query (the message begins with it).
    UnknownName
        The statistic does not exist.
    ParameterError
        The statistic does not have the parameter.

    Notes
    -----
    Correlations compare the documents that both lists hold, rank-biased overlap all documents. Equal scores are ties,
    which each statistic treats as its parameters say; no rule breaks them.

    Examples
    --------
    >>> import rankscope as rs
    >>> a = rs.Run({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0, "d2": 2.0}}, name="bm25")
    >>> b = rs.Run({"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}, "q2": {"d1": 1.0, "d9": 2.0}}, name="dense")
    >>> print(between_runs(a, b))
    query     tau
    q1     0.3333
    q2          -
    all    0.3333
    note: 1 of 2 queries has fewer than 2 documents in common and no value (q2)
    >>> between_runs(a, b, "rbo", p=0.5).values.tolist()
    [0.875, 0.25]
    """
    by_function = {function.__name__: name for name, function in STATISTICS.items()}
    statistic = by_function.get(str(statistic), statistic)
    if not isinstance(statistic, str) or statistic not in STATISTICS:
        raise UnknownName("statistic between runs", str(statistic), [*STATISTICS, *by_function])
    check_parameters(statistic, parameters)
    first_run, second_run = (run if isinstance(run, Run) else Run(run) for run in (run_a, run_b))
    merging = Merging.of(duplicates, as_document_map(doc_of))
    (lists_a, notes_a), (lists_b, notes_b) = scores_by_query(first_run, merging), scores_by_query(second_run, merging)
    queries = [query for query in lists_a if query in lists_b]
    if not queries:
        raise InputError(
            f"runs {first_run.name!r} ({len(lists_a)} queries) and {second_run.name!r} ({len(lists_b)} queries) have "
            "no query in common; expected two runs of one set of queries"
        )
    queries_apart: list[str] = []
    values = np.full(len(queries), np.nan)
    for i, query in enumerate(queries):
        a, b = lists_a[query], lists_b[query]
        n_common = sum(map(b.__contains__, a))
        if n_common < (1 if statistic == "rbo" else 2):
            queries_apart.append(query)
        try:
            values[i] = correlate_query(statistic, a, b, n_common, parameters)
        except InputError as error:
            raise InputError(f"query {query!r}: {error}") from None
    return BetweenRuns(
        statistic=statistic_name(statistic, parameters),
        systems=(first_run.name, second_run.name),
        query_ids=tuple(queries),
        values=values,
        notes=(
            *notes_a,
            *notes_b,
            *missing_value_notes(
                queries, values, queries_apart, len(lists_a) + len(lists_b) - 2 * len(queries), statistic
            ),
        ),
    )


def correlate_query(statistic: str, a: Scored, b: Scored, n_common: int, parameters: Mapping[str, Any]) -> float:
    """One query's value."""
    if statistic == "rbo":
        return rbo(a, b, **parameters) if a and b else 0.0
    return STATISTICS[statistic](a, b, common=True, **parameters) if n_common >= 2 else float("nan")


def check_parameters(statistic: str, parameters: Mapping[str, Any]) -> None:
    """Raise ParameterError for one that the statistic does not have, or a value that it refuses."""
    arguments = ("x", "y", "a", "b", "common")
    parameter_names = [name for name in inspect.signature(STATISTICS[statistic]).parameters if name not in arguments]
    for name in parameters:
        if name not in parameter_names:
            expected = f"one of {', '.join(parameter_names)}" if parameter_names else "none"
            raise ParameterError(f"{statistic} has no parameter {name!r}, expected {expected}")
    STATISTICS[statistic]({"x": 2.0, "y": 1.0}, {"x": 2.0, "y": 1.0}, **parameters)  # refuses bad values at once


def scores_by_query(run: Run, merging: Merging) -> tuple[dict[str, Scored], tuple[str, ...]]:
    """Scores by document, by query, and notes.

    Raises InputError for a score that is not finite, and for a document twice where that is refused.
    """
    notes: tuple[str, ...] = ()
    if run.mapping is not None and merging.doc_of is None:
        lists: dict[str, Scored] = dict(run.mapping)
    else:
        rows = all_rows = run.rows()
        if merging:
            rows, _, adds_negative = merging.merge(all_rows)
            notes = merging.notes(run.name, np.diff(all_rows.offsets), np.diff(rows.offsets), adds_negative)
        names, scores, bounds = decode_ids(decode(rows.docs)), rows.values.tolist(), rows.offsets.tolist()
        lists = {}
        for query, start, end in zip(map(decode_id, rows.query_ids), bounds, bounds[1:], strict=False):
            lists[query] = dict(zip(names[start:end], scores[start:end], strict=True))
            if len(lists[query]) < end - start:
                raise InputError(f"run {run.name!r}: query {query!r} holds a document twice, expected each once")
    for query, docs in lists.items():
        try:
            finite = bool(np.isfinite(np.fromiter(docs.values(), np.float64, len(docs))).all())
        except (TypeError, ValueError):
            finite = False
        if not finite:
            raise InputError(f"run {run.name!r}: a score of query {query!r} is not a finite number; correct it")
    return lists, notes


def statistic_name(statistic: str, parameters: Mapping[str, Any]) -> str:
    """The statistic with its parameters as printed: rbo(p=0.8)."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return f"{statistic}({arguments})" if arguments else statistic


def missing_value_notes(
    queries: list[str], values: npt.NDArray[np.float64], queries_apart: list[str], n_unmatched: int, statistic: str
) -> tuple[str, ...]:
    """Notes on queries without a value and queries in one run only."""
    notes = []
    undefined = [query for query, value in zip(queries, values.tolist(), strict=True) if np.isnan(value)]
    tied_queries = [query for query in undefined if query not in queries_apart]
    if n_unmatched:
        verb = "query is" if n_unmatched == 1 else "queries are"
        notes.append(f"{n_unmatched} {verb} in only one of the runs and skipped")
    if queries_apart:
        verb = "has" if len(queries_apart) == 1 else "have"
        problem = "fewer than 2 documents in common and no value"
        if statistic == "rbo":
            problem = f"no document in common and {'counts' if len(queries_apart) == 1 else 'count'} as 0"
        notes.append(f"{len(queries_apart)} of {len(queries)} queries {verb} {problem} ({first_names(queries_apart)})")
    if tied_queries:
        verb = "has" if len(tied_queries) == 1 else "have"
        notes.append(
            f"{len(tied_queries)} of {len(queries)} queries {verb} no value, for ties ({first_names(tied_queries)})"
        )
    return tuple(notes)
