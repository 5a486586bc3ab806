"""The module pytrec_eval: its calls, its names, its dicts, with the values of trec_eval 9.0.8.

    from rankscope.compat import pytrec_eval  # instead of: import pytrec_eval

docs/pytrec_eval.md shows examples and lists the differences.
"""

from __future__ import annotations

import operator
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from rankscope.compat.trec_eval import ONLY_10, QRELS_NICKNAMES, MeasureLine, parse_measure_lines
from rankscope.data.grades import refuse_fractions
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.qrels import Qrels
from rankscope.errors import InputError, UnknownName
from rankscope.measures.names import TREC_GROUP_NAMES, TREC_NAMES
from rankscope.measures.presets import PRESETS
from rankscope.typing import Floats

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


VERSION = "trec_eval-9"
#: The values of the original for names that are no measures of ours.
CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}
#: Infinite in float32, in which scores are compared, so that infinite scores tie with it as in C.
LARGEST_SCORE = sys.float_info.max
supported_nicknames = {name: set(members) - ONLY_10 for name, members in QRELS_NICKNAMES.items()}
supported_measures = set(supported_nicknames["all_trec"])
T = TypeVar("T", int, float)


class RelevanceEvaluator:
    """Judgments and measures, prepared; `evaluate` takes one run. Values are those of trec_eval 9.0.8.

    Parameters
    ----------
    query_relevance
        `{query_id: {document_id: relevance}}`; a query without documents is skipped.
    measures
        Names and nicknames: `map`, `ndcg_cut` (with trec_eval's cutoffs), `ndcg_cut_10`, `ndcg_cut.5,10`, `official`.
    relevance_level
        Lowest grade that counts as relevant.
    judged_docs_only_flag
        Remove documents without a judgment first.

    Raises
    ------
    ValueError
        A measure does not exist.
    TypeError
        Judgments or arguments have a wrong type.

    Notes
    -----
    Arguments are neither kept nor changed.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0, "d3": 1}}, {"map", "P_2"})
    >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 0.7, "d3": 0.9}})
    {'q1': {'map': 0.8333333333333333, 'P_2': 0.5}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._columns = measure_keys(measures)
        level = operator.index(relevance_level)
        if level < 1:
            raise TypeError(f"relevance_level is {level}, expected at least 1: the least relevance that counts")
        self._convention = Convention(precision=PRESETS[VERSION].precision, rel=level)
        self._judged_only = bool(operator.index(judged_docs_only_flag))
        check_mapping_of_mappings("query_relevance", query_relevance, "relevance")
        judgments = {query: docs for query, docs in query_relevance.items() if docs}
        try:
            self._qrels = Qrels(judgments) if judgments else None
            if self._qrels is not None:
                advice = "use rankscope.evaluate, which takes fractions"
                refuse_fractions(self._qrels.relevance, "query_relevance", "pytrec_eval", advice)
        except InputError as error:
            raise TypeError(str(error)) from None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of one run.

        Parameters
        ----------
        scores
            `{query_id: {document_id: score}}`.

        Returns
        -------
        dict
            `{query_id: {measure: value}}`, queries in the order of the run. A query without judgments, or missing here,
            has no entry; an empty list is one that retrieved nothing. gm_map and gm_bpref hold a query's logarithm.

        Raises
        ------
        TypeError
            An id is not a string or a score is not a number.
        ValueError
            A score is NaN.

        Examples
        --------
        >>> RelevanceEvaluator({"q1": {"d1": 1}}, ["recip_rank"]).evaluate({"q1": {"d2": 2.0, "d1": 1.0}, "q9": {}})
        {'q1': {'recip_rank': 0.5}}
        """
        if not scores:
            return {}
        if not isinstance(scores, Mapping):
            raise TypeError(f"scores is {scores!r:.80}, expected {{query_id: {{document_id: score}}}}")
        qrels = self._qrels
        if qrels is None:
            return {}
        joiner = self._join(qrels, scores)
        query_rows = {query: qrels.places[query] for query in scores if query in qrels.places}
        if not query_rows:
            return {}
        hits = joiner.finish()
        values = self._values(hits.judged_only() if self._judged_only else hits)
        rows = values[:, list(query_rows.values())].T.tolist()
        return {query: dict(zip(self._columns, row, strict=True)) for query, row in zip(query_rows, rows, strict=True)}

    def _join(self, qrels: Qrels, scores: Mapping[str, Mapping[str, float]]) -> Joiner:
        joiner = Joiner(qrels, self._convention, "scores")
        try:
            joiner.add_mapping(scores)
        except (InputError, TypeError, AttributeError):
            joiner = Joiner(qrels, self._convention, "scores")
            joiner.add_mapping(finite_scores(scores))
        return joiner

    def _values(self, hits: Hits) -> Floats:
        """(measures, queries)."""
        values = np.empty((len(self._columns), len(hits)))
        for row, line in zip(values, self._columns.values(), strict=True):
            row[:] = line.measures[0](hits) if line.measures else CONSTANTS[line.stem]
            if line.stem in ("gm_map", "gm_bpref"):
                row[:] = np.log(np.maximum(row, 0.00001))
        return values


def measure_keys(measures: Iterable[str]) -> dict[str, MeasureLine]:
    """The keys of each query's values, in the order of the original: trec_eval's, with rising cutoffs."""
    names = list(measures)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a measure is {name!r}, expected a name such as 'ndcg_cut_10'")
    lines = parse_measure_lines(sorted(names), VERSION, join_parameters=True)
    for line in lines:
        if line.stem in TREC_GROUP_NAMES:
            raise UnknownName("measure of pytrec_eval", line.stem, sorted(supported_measures))
    return {measure_key(line): line for line in lines}


def measure_key(line: MeasureLine) -> str:
    """The key of a measure, with its cutoff, but without parameters of `set_F`, `utility` and others with one value."""
    has_several = line.stem in TREC_NAMES and TREC_NAMES[line.stem].comma_separated
    return line.printed_name if has_several else line.stem


def check_mapping_of_mappings(name: str, data: object, value: str) -> None:
    """Raise TypeError unless it is a mapping of mappings."""
    if not isinstance(data, Mapping):
        raise TypeError(f"{name} is {data!r:.80}, expected {{query_id: {{document_id: {value}}}}}")
    for query, docs in data.items():
        if not isinstance(docs, Mapping):
            raise TypeError(f"{name}: query {query!r} has {docs!r:.80}, expected {{document_id: {value}}}")


def finite_scores(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The run with infinite scores made finite. Raises TypeError where something else is wrong."""
    check_mapping_of_mappings("scores", scores, "score")
    finite: dict[str, dict[str, float]] = {}
    for query, docs in scores.items():
        finite[query] = {}
        for doc, score in docs.items():
            if not isinstance(query, str) or not isinstance(doc, str) or not isinstance(score, Real):
                raise TypeError(
                    f"scores: query {query!r}, document {doc!r} has {score!r}, expected strings and a number"
                )
            finite[query][doc] = max(-LARGEST_SCORE, min(LARGEST_SCORE, score)) if score == score else score
    return finite


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse a run from lines of `query Q0 document rank score tag`.

    Parameters
    ----------
    f_run
        The lines.

    Returns
    -------
    dict
        `{query_id: {document_id: score}}`.

    Raises
    ------
    ValueError
        A line has another number of fields, or a score is not a number. A document that a query holds twice raises an
        error that is also an AssertionError.

    Examples
    --------
    >>> dict(parse_run(["q1 Q0 d1 1 2.5 tag", "q1 Q0 d2 2 1.5 tag"]))
    {'q1': {'d1': 2.5, 'd2': 1.5}}
    """
    return parse_lines(f_run, "query Q0 document rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse judgments from lines of `query 0 document relevance`.

    Parameters
    ----------
    f_qrel
        The lines.

    Returns
    -------
    dict
        `{query_id: {document_id: relevance}}`.

    Raises
    ------
    ValueError
        As for `parse_run`.

    Examples
    --------
    >>> dict(parse_qrel(["q1 0 d1 1", "q1 0 d2 0"]))
    {'q1': {'d1': 1, 'd2': 0}}
    """
    return parse_lines(f_qrel, "query 0 document relevance", 3, int)


class DuplicateDocument(InputError, AssertionError):
    """A document that a query holds twice: an AssertionError in the original."""


def parse_lines(
    lines: Iterable[str], line_format: str, column: int, parse_number: Callable[[str], T]
) -> dict[str, dict[str, T]]:
    source, n_fields = getattr(lines, "name", "line"), len(line_format.split())
    lists: defaultdict[str, dict[str, T]] = defaultdict(dict)
    for line_number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != n_fields:
            raise InputError(f"{source}:{line_number}: {len(fields)} fields, expected {n_fields} ({line_format})")
        docs, doc = lists[fields[0]], fields[2]
        if doc in docs:
            raise DuplicateDocument(
                f"{source}:{line_number}: document {doc!r} of query {fields[0]!r} stands twice; remove one of the two"
            )
        try:
            docs[doc] = parse_number(fields[column])
        except ValueError:
            raise InputError(
                f"{source}:{line_number}: {fields[column]!r} is no number ({parse_number.__name__})"
            ) from None
    return lists


def compute_aggregated_measure(measure: str, values: Any) -> float:
    """One number for all queries: a sum for `num_...`, exp of the mean for `gm_...`, else the mean.

    Parameters
    ----------
    measure
        Name of the measure.
    values
        One value per query, as `evaluate` gives them.

    Returns
    -------
    float
        Without values 0 for a sum, else NaN.

    Examples
    --------
    >>> compute_aggregated_measure("num_ret", [10.0, 5.0]), compute_aggregated_measure("map", [0.25, 0.75])
    (15.0, 0.5)
    """
    array = np.array(list(values), np.float64)
    if measure.startswith("num_"):
        return float(array.sum())
    if not array.size:
        return float("nan")
    return float(np.exp(array.sum() / array.size) if measure.startswith("gm_") else array.mean())
