"""Scores of answers from judgments of nuggets and of citations, by the definitions of the TREC RAG track."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.data.hits import freeze
from rankscope.data.scores import Scores
from rankscope.data.tables import Column, Schema, Table
from rankscope.data.text import first_names, pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.evaluation.foreign_measure import ForeignMeasure
from rankscope.io.tables import name_codes, table_of_source
from rankscope.kernels.order import first_repeat
from rankscope.settings import Settings, table_columns
from rankscope.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NuggetSettings",
    "score_nugget_tables",
    "score_nuggets",
]


RUN = Column(name="run", aliases=("run_id", "system", "system_id", "model", "name"), required=True)
QUERY = Column(name="query", aliases=("query_id", "qid", "topic", "topic_id", "question", "question_id"), required=True)
SUPPORT = Column(name="support", aliases=("assignment", "label", "judgment"), required=True)
#: The table of nuggets: which nugget an answer holds.
NUGGETS = Schema(
    columns=(
        RUN,
        QUERY,
        Column(name="nugget", aliases=("nugget_id", "text"), required=True),
        Column(name="importance", required=True),
        SUPPORT,
    ),
    expected="nuggets: a line of names (query,nugget,importance,run,support) and a line for each nugget and answer",
)
#: The table of citations: whether a cited document supports its sentence.
CITATIONS = Schema(
    columns=(
        RUN,
        QUERY,
        Column(name="sentence", aliases=("sentence_id", "statement", "statement_id"), required=True),
        Column(name="citation", aliases=("doc", "doc_id", "docid", "document", "segment", "segment_id"), required=True),
        SUPPORT,
    ),
    expected="citations: a line of names (query,run,sentence,citation,support) and a line for each citation, or for "
    "each sentence without one",
)
#: How far something is supported, by what TREC and its tools call it.
SUPPORTS = {
    **dict.fromkeys(("support", "full_support", "supported", "fs"), 1.0),
    **dict.fromkeys(("partial_support", "partially_supported", "ps"), 0.5),
    **dict.fromkeys(("not_support", "no_support", "not_supported", "ns"), 0.0),
}
#: The weight of a nugget in the weighted scores.
IMPORTANCES = {"vital": 1.0, "okay": 0.5}
#: The measures of each table.
NUGGET_MEASURES = (
    "vital_recall_strict",
    "vital_recall",
    "weighted_recall_strict",
    "weighted_recall",
    "nugget_recall_strict",
    "nugget_recall",
)
CITATION_MEASURES = ("citation_precision", "citation_recall")


@dataclass(frozen=True, kw_only=True)
class NuggetSettings(Settings):
    """How tables of nuggets and citations are read; see `score_nuggets`."""

    FUNCTIONS = ("rankscope.judging.nuggets:score_nuggets",)
    COMMANDS = ("nuggets",)

    columns: Mapping[str, str] | None = table_columns(
        {"run": "engine", "nugget": "fact"},
        help="Column names, where NAME is run, query, nugget, importance, support, sentence or citation: run=engine.",
    )


class Support(NamedTuple):
    """The rows of a table of support.

    Attributes
    ----------
    table
        The table.
    runs, queries
        The names.
    run, query
        (rows) the index of each row's run and query.
    weight
        (rows) 1 for full support, .5 for partial support, 0 for none; NaN where nothing is cited.
    """

    table: Table
    runs: list[str]
    queries: list[str]
    run: Ints
    query: Ints
    weight: Floats


def score_nuggets(nuggets: Any, citations: Any = None, *, columns: Mapping[str, str] | None = None) -> Scores:
    """Recall of nuggets, and support of citations, of each run's answer to each query; no model is called.

    Parameters
    ----------
    nuggets
        A table with the columns query, nugget, importance (vital or okay), run and support (support, partial_support or
        not_support): a path, a data frame, a mapping of columns or a list of records.
    citations
        A table with the columns query, run, sentence, citation and support (full_support, partial_support or
        no_support), with an empty citation and support for a sentence that cites nothing. Default: no scores of
        citations.
    columns
        Column names, where NAME is run, query, nugget, importance, support, sentence or citation: run=engine. Default:
        found by their usual names.

    Returns
    -------
    Scores
        Values in [0, 1], higher is better, which `compare` and all other analyses take. A run without an answer to a
        query that others answered scores 0 there.

    Raises
    ------
    InputError
        A column is missing, a cell holds another word, a nugget stands twice for an answer, or is vital in one place
        and okay in another.

    Notes
    -----
    Support s is 1 for support, .5 for partial_support, 0 for not_support; strict scores take .5 as 0. With v the vital
    and o the okay nuggets of the query::

        vital_recall    = sum of s over v / number of v
        nugget_recall   = sum of s over v and o / number of v and o
        weighted_recall = (sum of s over v + .5 sum of s over o) / (number of v + .5 number of o)

    citation_precision is the mean support of the citations of the answer, and citation_recall the mean over its
    sentences of the best support that a citation of the sentence gives, 0 for a sentence that cites nothing. Where
    only one citation of a sentence was judged, give only that one. What divides 0 by 0 is 0, as
    in TREC's tools, and a note counts it. A nugget that is judged in answers of other runs only is not supported.

    References
    ----------
    Pradeep et al. (2024), "Initial nugget evaluation results for the TREC 2024 RAG track with the AutoNuggetizer
    framework"; Thakur et al. (2025), "Support evaluation for the TREC 2024 RAG track". Recall of nuggets is defined as
    in the source of castorini's nuggetizer.

    Examples
    --------
    >>> table = {
    ...     "query": ["1"] * 3,
    ...     "nugget": ["a", "b", "c"],
    ...     "importance": ["vital", "vital", "okay"],
    ...     "run": ["x"] * 3,
    ...     "support": ["support", "partial_support", "not_support"],
    ... }
    >>> scores = score_nuggets(table)
    >>> scores.overall("vital_recall"), scores.overall("weighted_recall"), scores.overall("nugget_recall_strict")
    (0.75, 0.6, 0.3333333333333333)
    """
    return score_nugget_tables(nuggets, citations, NuggetSettings(columns=columns))


def score_nugget_tables(nuggets: Any, citations: Any, settings: NuggetSettings) -> Scores:
    """As `score_nuggets`, with its settings as one object."""
    names = dict(settings.columns or {})
    known = {column.name for schema in (NUGGETS, CITATIONS) for column in schema.columns}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"columns (--columns) name {unknown[0]!r}, expected run, query, nugget, importance, support, sentence or "
            "citation"
        )
    tables = [support_of(nuggets, NUGGETS, names)]
    if citations is not None:
        tables.append(support_of(citations, CITATIONS, names))
    runs, queries = (
        list(dict.fromkeys(name for table in tables for name in getattr(table, part))) for part in ("runs", "queries")
    )
    shape = len(runs), len(queries)
    places = [{name: i for i, name in enumerate(names)} for names in (runs, queries)]
    tables = [
        table._replace(
            runs=runs,
            queries=queries,
            run=np.array([places[0][name] for name in table.runs])[table.run],
            query=np.array([places[1][name] for name in table.queries])[table.query],
        )
        for table in tables
    ]
    nugget_values, undefined, notes = nugget_scores(tables[0], shape)
    values, measures = nugget_values, list(NUGGET_MEASURES)
    if citations is not None:
        citation_values, citation_notes = citation_scores(tables[1], shape)
        values = np.concatenate((values, citation_values))
        undefined = np.concatenate((undefined, np.zeros((2, len(queries)), np.bool_)))
        measures += CITATION_MEASURES
        notes += citation_notes
    is_answered = np.zeros(shape, np.bool_)
    for table in tables:
        is_answered[table.run, table.query] = True
    for run, answered in zip(runs, is_answered, strict=True):
        n_missing = int((~answered).sum())
        if n_missing:
            notes.append(f"{run} has no answer to {n_missing} of {pluralise_queries(len(queries))}; it scores 0 there")
    return Scores(
        systems=tuple(runs),
        measures=tuple(ForeignMeasure(name=name, range=(0.0, 1.0)) for name in measures),
        query_ids=tuple(queries),
        values=freeze(np.ascontiguousarray(values.swapaxes(0, 1))),
        missing=freeze(~is_answered),
        undefined=freeze(undefined),
        settings={"nuggets": "trec_rag", "missing": "zero", "queries": str(len(queries))},
        measure_settings=({},) * len(measures),
        notes=tuple(notes),
    )


def support_of(source: Any, schema: Schema, names: Mapping[str, str]) -> Support:
    """The rows of a table. Raises InputError for a word that says nothing of support."""
    own_names = {name: own for name, own in names.items() if name in {column.name for column in schema.columns}}
    table = table_of_source(source, "citations" if schema is CITATIONS else "nuggets", schema, own_names)
    runs, run = table.codes("run")
    queries, query = table.codes("query")
    may_be_empty = schema is CITATIONS
    labels = table.names(table.columns["support"], required=not may_be_empty, noun="support")
    weight = weights_of_words(labels, SUPPORTS)
    is_wrong = np.isnan(weight)
    if may_be_empty:
        cites_nothing = (table.names(table.columns["citation"], required=False) == "").to_numpy()
        is_wrong = np.where(cites_nothing, (labels != "").to_numpy(), is_wrong)
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise InputError(
            f"{table.locate(row)}: support is {labels[row]!r}, expected support, partial_support or not_support"
            + (", and an empty cell where nothing is cited" if may_be_empty else "")
        )
    return Support(table, runs, queries, run.astype(np.int64), query.astype(np.int64), weight)


def weights_of_words(texts: pl.Series, words: Mapping[str, float]) -> Floats:
    """What each text stands for, in whatever case, with blanks or hyphens; NaN for another word."""
    distinct, (codes,) = name_codes([texts])
    weights = [words.get(word.strip().lower().replace(" ", "_").replace("-", "_"), np.nan) for word in distinct]
    return np.array(weights)[codes]


def refuse_repeats(table: Table, keys: Ints, noun: str) -> None:
    """Raise InputError where a key stands a second time."""
    repeat = first_repeat(keys)
    if repeat is not None:
        row, first = repeat
        raise InputError(
            f"{table.locate(row)}: this {noun} stands a second time for the answer, the first is at "
            f"{table.locate(first)}; keep one of the two"
        )


def nugget_scores(support: Support, shape: tuple[int, int]) -> tuple[Floats, Bools, list[str]]:
    """(measures, runs, queries) recall of nuggets; (measures, queries) where it is 0 by 0; notes."""
    n_runs, n_queries = shape
    table = support.table
    names, code = table.codes("nugget")
    # A nugget is that of a query: two queries may call theirs alike.
    _, first_row, nugget = np.unique(
        support.query * len(names) + code.astype(np.int64), return_index=True, return_inverse=True
    )
    query_of = support.query[first_row]
    words = table.names(table.columns["importance"], noun="importance")
    importance = weights_of_words(words, IMPORTANCES)
    if np.isnan(importance).any():
        row = int(np.isnan(importance).argmax())
        raise InputError(f"{table.locate(row)}: importance is {words[row]!r}, expected vital or okay")
    weight = importance[first_row]
    differing = importance != weight[nugget]
    if differing.any():
        row = int(differing.argmax())
        first, query = int(first_row[nugget[row]]), support.queries[int(support.query[row])]
        raise InputError(
            f"{table.locate(row)}: nugget {names[int(code[row])]!r} of query {query!r} is {words[row]}, and "
            f"{words[first]} at {table.locate(first)}; expected one importance of each nugget"
        )
    refuse_repeats(table, nugget * n_runs + support.run, "nugget")
    is_vital = weight == IMPORTANCES["vital"]
    cell = support.run * n_queries + support.query
    values, undefined = [], []
    for of_nugget in (is_vital.astype(np.float64), weight, np.ones(weight.size)):
        total = np.bincount(query_of, of_nugget, n_queries)
        for s in (np.floor(support.weight), support.weight):
            sums = np.bincount(cell, of_nugget[nugget] * s, n_runs * n_queries).reshape(shape)
            values.append(np.divide(sums, total, out=np.zeros(shape), where=total > 0))
            undefined.append(total == 0)
    notes = []
    n_without = int((np.bincount(query_of[is_vital], minlength=n_queries) == 0).sum())
    if n_without:
        notes.append(f"{pluralise_queries(n_without)} without a vital nugget: vital_recall is 0 there")
    is_answered = np.bincount(cell, minlength=n_runs * n_queries).reshape(shape) > 0
    n_unjudged = int((is_answered * np.bincount(query_of, minlength=n_queries)).sum()) - cell.size
    if n_unjudged:
        notes.append(
            f"{pluralise(n_unjudged, 'nugget')} of answers not judged, though judged in answers of other runs; taken "
            "as not supported"
        )
    return np.stack(values), np.stack(undefined), notes


def citation_scores(support: Support, shape: tuple[int, int]) -> tuple[Floats, list[str]]:
    """(measures, runs, queries) precision and recall of citations, and notes."""
    n_cells = shape[0] * shape[1]
    table = support.table
    names, code = table.codes("sentence")
    cell = support.run * shape[1] + support.query
    sentence_keys, sentence = np.unique(cell * len(names) + code.astype(np.int64), return_inverse=True)
    is_cited = ~np.isnan(support.weight)
    documents, (places,) = name_codes([table.names(table.columns["citation"], required=False)])
    refuse_repeats(table, sentence * len(documents) + places, "citation")
    weight = np.where(is_cited, support.weight, 0.0)
    n_cited, n_sentences = (
        np.bincount(cell, is_cited, n_cells),
        np.bincount(sentence_keys // len(names), minlength=n_cells),
    )
    best = np.zeros(sentence_keys.size)
    np.maximum.at(best, sentence, weight)
    sums = np.bincount(cell, weight, n_cells), np.bincount(sentence_keys // len(names), best, n_cells)
    values = [
        np.divide(total, n, out=np.zeros(n_cells), where=n > 0).reshape(shape)
        for total, n in zip(sums, (n_cited, n_sentences), strict=True)
    ]
    bare = np.flatnonzero((n_cited == 0) & (n_sentences > 0))
    notes = []
    if bare.size:
        runs = first_names(support.runs[i] for i in np.unique(bare // shape[1]).tolist())
        notes.append(f"{pluralise(bare.size, 'answer')} without a citation: citation_precision is 0 there ({runs})")
    return np.stack(values), notes
