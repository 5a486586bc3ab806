"""Scores that another tool computed: from tables in all usual forms, from data frames, mappings and arrays.

Every form becomes a `ScoreGrid`: values by system, measure and item, without a name for what the forms leave open.
`scores_of_grid` makes `Scores` of it, and `read_scores` reads files.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.entities import look_like_ranks
from rankscope.data.error_names import is_error_name
from rankscope.data.hits import freeze
from rankscope.data.queries import COLUMNS as QUERY_PARTS
from rankscope.data.row_tables import DOC_ID, LIST_QUERY_NAMES
from rankscope.data.scores import Scores
from rankscope.data.sparse import refuse_sparse
from rankscope.data.tables import (
    Codes,
    Column,
    Schema,
    Table,
    find_column,
    is_index_name,
    list_columns,
    refuse_case,
    table_of_frame,
)
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.column_settings import ColumnSettings
from rankscope.evaluation.foreign_measure import foreign_measure, measure_of_name
from rankscope.evaluation.inspect_samples import is_sample_frame, sample_table
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import with_queries
from rankscope.kernels.order import first_repeat
from rankscope.measures.base import Measure
from rankscope.settings import Settings, as_names, choice, name_list
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ALL",
    "NAMELESS",
    "SCHEMA",
    "ScoreCell",
    "ScoreGrid",
    "ScoreTableSettings",
    "grid_of_cells",
    "grid_of_mapping",
    "grid_of_table",
    "join_grids",
    "scores_of",
    "scores_of_grid",
]


#: The columns of tables of scores. Which of them there are says which form a table has.
SCHEMA = Schema(
    columns=(
        Column(
            name="system",
            aliases=("run", "model", "name", "system_id", "run_id", "run_name", "model_name", "method"),
        ),
        Column(
            name="query",
            aliases=(
                "query_id", "qid", "q_id", "topic", "topic_id", "item", "item_id", "question_id", "segment",
                "segment_id", "example", "example_id", "id", "sample_id", "instance_id", "question", "sample",
                "user_input", "questions", "prompt_id", "prompt",
            ),
        ),
        Column(name="measure", aliases=("metric", "measure_name", "metric_name")),
        Column(name="value", aliases=("score",), kind="number"),
        Column(name="group"),
        Column(name="cluster"),
        Column(name="weight", kind="number"),
        Column(name="epoch", aliases=("seed", "repetition", "trial")),
    ),
    expected="scores: a line of names (system,measure,query,value) and a value a line, or a column for each system",
    more_numbers=True,
    index_beside="query",
)  # fmt: skip
#: The columns of a table that are about a query, not about a value.
QUERY_COLUMNS = ("group", "cluster", "weight", "epoch")
#: Names of columns in the frame of scores and in saved scores.
RESERVED = ("system", "measure", "query", "value", "low", "high", "missing", "undefined")
#: Columns of what a system was asked, retrieved and answered, as evaluations of answers export them.
SAMPLE_COLUMNS = {
    *("user_input", "questions", "response", "answer", "predicted_answers", "prediction", "contexts", "documents"),
    *("retrieved_contexts", "retrieved_context_ids", "retrieved_ids", "retrieved_documents"),
}
#: The query of summaries.
ALL = "all"
#: The name of a measure that nothing names.
NAMELESS = "score"
#: Values this little outside the range of a measure are rounded; a measure in percent has this times its values.
ROUNDING, PERCENT = 1e-9, 100
#: The setting that says that values were read, not computed.
SOURCE = {"source": "table"}


#: What is done with several values of one system, measure and query.
REPEATS = ("error", "mean")
AVERAGE = "average them with --repeats mean (in Python repeats='mean')"


@dataclass(frozen=True, kw_only=True)
class ScoreTableSettings(Settings):
    """How a table of scores is read."""

    FUNCTIONS = ("rankscope:read_scores",)
    COMMANDS = ("compare", "gate", "plan", "report", "stability", "agree measures", "leaderboard")

    lower: tuple[str, ...] = name_list((), help="Measures in a file of scores for which lower values are better.")
    table_systems: tuple[str, ...] = name_list(
        (),
        flag="--systems",
        argument="systems",
        help="Systems to read from a file of scores or ranks: in a table with a column for each system, these columns.",
        unset="all",
    )
    repeats: str = choice(
        "error",
        REPEATS,
        help="Repeated measurements in a file of scores, such as those of epochs or seeds: refused (error) or "
        "averaged (mean).",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreGrid:
    """The values of one or more tables.

    Attributes
    ----------
    name
        Name of the file or data, for messages.
    systems, measures, query_ids
        Names. The measure is "" where the table does not name it.
    values
        (systems, measures, queries), NaN where there is none.
    notes
        What a reader should know.
    may_share_systems
        Whether another grid may hold further items of the same systems.
    query_columns
        What is known of the queries: name of a column, and its values in the order of the queries.
    columns
        The columns of a table with a column for each system, for the message about one that is none of them.
    counts
        How many measurements each value is the mean of, as `values`; None where it is one.
    locate
        The file and line of a value, from the names of its system, measure and query; None where that is not known.
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()
    may_share_systems: bool = False
    query_columns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    counts: Ints | None = None
    locate: Callable[[str, str, str], str] | None = None


# Forms


def grid_of_table(
    table: Table, system: str, settings: ScoreTableSettings, *, allow_summaries: bool = False
) -> ScoreGrid:
    """The values of a table in any form.

    Parameters
    ----------
    table
        The table.
    system
        What the only system is called where no column names it.
    settings
        How tables of scores are read.
    allow_summaries
        Whether summaries are values of a query "all" if there are no others; else they are refused.
    """
    refuse_documents(table)
    if is_sample_frame(table.frame.columns):
        samples, measures, notes = sample_table(table)
        grid = grid_of_columns(samples, measures, system, settings)
        return replace(grid, notes=(*notes, *grid.notes))
    has_keys = "system" in table or "measure" in table
    if has_keys:
        table.require("query")
        if "value" in table:
            value = table.columns["value"]
            return grid_of_columns(table, [value], system, settings, allow_summaries=allow_summaries)
    named_systems = [name for name in table.frame.columns if name in settings.table_systems]
    numbers = set(table.number_columns())
    columns = [name for name in table.frame.columns if name in numbers or name == table.columns.get("value")]
    if "system" in table:
        are_systems = False
    elif named_systems:
        are_systems, columns = True, named_systems
    elif "value" in table and not numbers:  # a column of items, and one of values
        are_systems = False
    else:
        is_of_samples = "value" not in table and is_sample_table(table.frame.columns)
        names_measures = bool(columns) and all(measure_of_name(name) is not None for name in columns)
        are_systems = not ("query" in table and (is_of_samples or names_measures))
    return grid_of_columns(table, columns, system, settings, are_systems=are_systems, allow_summaries=allow_summaries)


def is_sample_table(columns: Iterable[str]) -> bool:
    """Whether a table holds what one system answered, so that its numbers are measures and not systems."""
    return not SAMPLE_COLUMNS.isdisjoint(column.strip().lower() for column in columns)


def refuse_documents(table: Table) -> None:
    """Raise InputError for a table with documents: judgments or a run."""
    documents = find_column(table.frame.columns, DOC_ID.names)
    if documents is not None and documents not in table.columns.values():
        refuse_lack_of_queries(table.frame.columns, table.where)
        raise InputError(
            f"{table.where}: a column of documents ({documents!r}), so that these are judgments or a run, expected "
            "scores: a value for each system and query; evaluate it with its judgments"
        )


def refuse_lack_of_queries(columns: Sequence[str], where: str) -> None:
    """Raise InputError for a table with documents and no queries, which holds neither judgments nor scores."""
    documents = find_column(columns, DOC_ID.names)
    if documents is not None and find_column(columns, LIST_QUERY_NAMES) is None:
        raise InputError(
            f"{where}: a column {documents!r} and none of queries, expected judgments (query_id, doc_id, relevance) or "
            f"scores (query, and a column of numbers); if each row holds the values of an item, add --columns "
            f"query={documents} (columns=); samples of lm-evaluation-harness are known by their name, "
            "samples_TASK_DATE.jsonl"
        )


def grid_of_columns(
    table: Table,
    columns: Sequence[str],
    system: str,
    settings: ScoreTableSettings,
    *,
    are_systems: bool = False,
    allow_summaries: bool = False,
) -> ScoreGrid:
    """The values of columns of numbers: a row for each query, and system and measure where columns name them.

    Parameters
    ----------
    table
        The table.
    columns
        Columns with values, each of one measure. If there is a single one, a column may name the measure of each row.
    system
        What the only system is called where no column names it.
    settings
        How tables of scores are read.
    are_systems
        Whether each of the columns is of one system instead.
    allow_summaries
        As in `grid_of_table`.
    """
    refuse_no_columns(table, columns)
    systems, system_codes = codes_of(table, "system") if "system" in table and not are_systems else ([system], None)
    has_measures = "measure" in table and list(columns) == [table.columns.get("value")]
    measures, measure_codes = codes_of(table, "measure") if has_measures else ([""], None)
    queries, query_codes, notes = queries_of(table, columns, settings, are_systems=are_systems)
    values = table.number_columns_matrix(columns)
    cells = query_codes.astype(np.int64)
    for codes, size in ((measure_codes, len(queries)), (system_codes, len(queries) * len(measures))):
        if codes is not None:
            cells += codes * np.int64(size)
    if ALL in queries and not (len(queries) == 1 and (are_systems or allow_summaries)):
        is_value = query_codes != queries.index(ALL)
        notes += summary_notes(table, cells[~is_value], is_value, are_systems=are_systems)
        rows = np.flatnonzero(is_value)
        if measure_codes is not None and (only := summarised_only(measures, measure_codes, rows)):
            grid = grid_of_columns(table.take(rows), columns, system, settings)
            notes.append(f"{table.name}: summaries only, left out: {join_names(only)}")
            return replace(grid, notes=(*notes, *grid.notes))
        table, values, blocks = table.take(rows), values[:, rows], cells[rows] // len(queries)
        query_codes = query_codes[rows] - (query_codes[rows] > queries.index(ALL))
        queries.remove(ALL)
        cells = blocks * len(queries) + query_codes
    shape = (len(systems), len(measures), len(queries))
    refuse_sparse(shape, cells.size, table.name, "systems, measures and queries")
    filled = fill_cells(table, values, cells, math.prod(shape), settings)
    parts: list[np.ndarray[Any, Any]] = [part.reshape(len(columns), *shape) for part in filled]
    if are_systems:  # their axis takes the place of that of systems, and those of measures the place of measures
        parts = [part[:, 0] for part in parts]
    else:
        parts = [np.ascontiguousarray(part.swapaxes(0, 1)) for part in parts]
        parts = [part.reshape(len(systems), -1, len(queries)) for part in parts]
        if not has_measures:
            measures = ["" if len(columns) == 1 and name.lower() in ("value", "score") else name for name in columns]
    of_values = set(columns)
    more = [name for name in table.more_columns if name not in of_values]
    query_columns, column_notes = query_columns_of(table, more, query_codes, len(queries))
    if are_systems and not settings.table_systems:
        read = f"{table.name}: {pluralise(len(columns), 'column')} read as systems: {list_columns(columns)}"
        column_notes = (read, *column_notes)
    return ScoreGrid(
        name=table.name,
        systems=tuple(columns if are_systems else systems),
        measures=tuple(measures),
        query_ids=tuple(queries),
        values=parts[0],
        notes=(*column_notes, *notes, *(repeats_note(table.name, counts) for counts in parts[1:])),
        query_columns=query_columns,
        columns=tuple(table.frame.columns) if are_systems else (),
        counts=parts[1] if len(parts) > 1 else None,
        locate=cell_locator(table, cells, [] if system_codes is None else systems, measures * has_measures, queries),
    )


def cell_locator(
    table: Table, cells: Ints, systems: Sequence[str], measures: Sequence[str], queries: Sequence[str]
) -> Callable[[str, str, str], str]:
    """A function that gives file and line of the value of a system, measure and query.

    cells: of each row, as in `grid_of_columns`. systems, measures: those that rows are of; empty where columns are.
    """

    def locate(system: str, measure: str, query: str) -> str:
        cell = queries.index(query)
        if measure in measures:
            cell += measures.index(measure) * len(queries)
        if system in systems:
            cell += systems.index(system) * len(queries) * max(1, len(measures))
        return table.locate(int(np.argmax(cells == cell)))

    return locate


def queries_of(
    table: Table, columns: Sequence[str], settings: ScoreTableSettings, *, are_systems: bool
) -> tuple[list[str], Codes, list[str]]:
    """The queries of a table, the number of the one of each row, and notes. columns: those with values."""
    notes = []
    if any(map(is_index_name, table.frame.columns)):
        notes.append(f"{table.name}: a column without a name left out, as the index of a data frame")
    if are_systems and "query" not in table and (settings.table_systems or set(table.more_columns) <= set(columns)):
        queries = [str(number) for number in range(1, table.frame.height + 1)]
        notes.append(f"{table.name}: no column of queries, so that each row is one, called by its number")
        return queries, np.arange(table.frame.height, dtype=np.uint32), notes
    return *table.codes("query"), notes


def refuse_no_columns(table: Table, columns: Sequence[str]) -> None:
    """Raise InputError for a table without columns of values."""
    if not columns:
        raise InputError(
            f"{table.where}: no column of numbers among {list_columns(table.frame.columns)}, expected scores: columns "
            "system, query and value, or query and a column for each system or measure"
        )


def fill_cells(
    table: Table, values: Floats, cells: Ints, n_cells: int, settings: ScoreTableSettings
) -> list[np.ndarray[Any, Any]]:
    """(columns, cells) the values, NaN where there is none; if cells repeat, their means, and how many these are of.

    values: (columns, rows). cells: of each row. Raises InputError for repeated cells unless they are averaged.
    """
    if first_repeat(cells, n_cells) is not None:
        if settings.repeats == "error":
            refuse_repeats(table, cells, n_cells)
        averages = [average_cells(cells, of_column, n_cells) for of_column in values]
        return [np.array(parts) for parts in zip(*averages, strict=True)]
    if cells.size == n_cells and (cells[1:] > cells[:-1]).all():
        return [values]
    filled = np.full((len(values), n_cells), np.nan)
    for row, of_column in zip(filled, values, strict=True):
        row[cells] = of_column
    return [filled]


def codes_of(table: Table, name: str) -> tuple[list[str], Codes]:
    """As `Table.codes`. Raises InputError, too, for names that differ in case only."""
    names, codes = table.codes(name)
    refuse_case(names, lambda i: table.locate(int(np.argmax(codes == i))), name)
    return names, codes


def summarised_only(measures: Sequence[str], codes: Codes, rows: Ints) -> list[str]:
    """The measures that none of these rows is of. codes: the number of each row's measure."""
    n_rows = np.bincount(codes[rows], minlength=len(measures))
    return [measure for measure, n in zip(measures, n_rows.tolist(), strict=True) if not n]


def summary_notes(table: Table, cells: Ints, is_value: Bools, *, are_systems: bool) -> list[str]:
    """A note where rows of summaries (query "all") are left out that are perhaps none. cells: of these rows.

    Raises InputError where there are only summaries.
    """
    if not is_value.any():
        raise InputError(
            f"{table.name}: summaries only (query {ALL!r}), expected the values of every query, as `rankscope evaluate "
            "--by-query`, `trec_eval -q` and `ir_measures --by_query` write them"
        )
    if are_systems:
        return [f"{table.name}: the row of {ALL!r} is taken for a summary and left out"]
    n_extra = cells.size - np.unique(cells).size
    return [] if not n_extra else [
        f"{table.name}: {pluralise(n_extra, 'row')} of query {ALL!r} more than one summary for each system and "
        "measure; all are left out, and with them a query of that name, which a file of --save (write_scores) keeps "
        "apart"
    ]  # fmt: skip


def refuse_repeats(table: Table, cells: Ints, n_cells: int) -> None:
    """Raise InputError for the first repeated cell."""
    keys = [name for name in ("system", "measure", "query") if name in table]
    texts = [name for name in table.more_columns if name not in table.number_columns()]
    advice = f"keep one of the two, or {AVERAGE}"
    if "measure" in table and "system" not in table and not texts:
        advice += "; if these are several systems, give each a file of its own"
    if texts and "system" not in table:
        advice += (
            f", or say which column names the systems, such as --columns system={texts[0]}, or, of judgments, the "
            f"documents: --columns doc_id={texts[0]} (in Python columns=)"
        )
    table.refuse_repeated_cells(cells, n_cells, keys, advice)


def average_cells(cells: Ints, values: Floats, n_cells: int) -> tuple[Floats, Ints]:
    """The mean of the values of each cell, NaN where there is none, and their number."""
    present = ~np.isnan(values)
    counts = np.bincount(cells[present], minlength=n_cells)
    sums = np.bincount(cells[present], weights=values[present], minlength=n_cells)
    return np.divide(sums, counts, out=np.full(n_cells, np.nan), where=counts > 0), counts


def repeats_note(name: str, counts: Ints) -> str:
    """How many measurements were averaged. counts: of each value."""
    filled = counts[counts > 0]
    least, most = (int(filled.min()), int(filled.max())) if filled.size else (1, 1)
    each = f"{most}" if least == most else f"{least} to {most}"
    values = pluralise(filled.size, "value")
    return f"{name}: repeated measurements are averaged: {int(filled.sum()):,} make {values}, {each} each"


def query_columns_of(
    table: Table, names: Sequence[str], codes: Codes, n_queries: int
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """The columns with one value for each query, and notes.

    names: columns that hold no scores; those that the schema has for queries are taken, too. codes: the number of the
    query in each row.
    """
    import polars as pl

    own_names = {table.columns[name]: name for name in QUERY_COLUMNS if name in table.columns}
    names = [*own_names, *(name for name in names if name not in own_names)]
    if not names:
        return {}, ()
    first_row = np.zeros(n_queries, np.int64)
    first_row[codes[::-1]] = np.arange(codes.size)[::-1]
    columns: dict[str, tuple[Any, ...]] = {}
    left_out = []
    for name in names:
        is_weight = own_names.get(name) == "weight"
        series = pl.Series(name, table.numbers(name)).fill_nan(None) if is_weight else table.cells(name)
        key = own_names.get(name, name)
        if series is not None and key.lower() not in (*RESERVED, *columns) and series.null_count() < series.len():
            of_query = series.gather(first_row)
            if codes.size == n_queries or of_query.gather(codes).eq_missing(series).all():
                columns[key] = tuple(of_query.to_list())
                continue
        left_out.append(name)
    reasons = ((columns, "kept with the queries"), (left_out, "left out: neither scores nor one value for each query"))
    notes = tuple(
        f"{table.name}: the column{'s'[: len(names) - 1]} {list_columns(list(names))} {reason}"
        for names, reason in reasons
        if names
    )
    return columns, notes


class ScoreCell(NamedTuple):
    """One value of a result file.

    Attributes
    ----------
    system, measure, query
        What the value is of.
    value
        The value.
    where
        File and place of the value, for messages.
    """

    system: str
    measure: str
    query: str
    value: float
    where: str


def grid_of_cells(
    name: str, cells: Sequence[ScoreCell], settings: ScoreTableSettings, *, may_share_systems: bool = False
) -> ScoreGrid:
    """A grid of values. Raises InputError where names of systems differ in case only, and for repeated values."""
    *labels, numbers, _ = zip(*cells, strict=True)
    systems, measures, queries = (tuple(dict.fromkeys(names)) for names in labels)
    refuse_case(systems, lambda i: name, "system")
    shape = (len(systems), len(measures), len(queries))
    refuse_sparse(shape, len(cells), name, "systems, measures and queries")
    places = [{name: place for place, name in enumerate(names)} for names in (systems, measures, queries)]
    indices = [[place[name] for name in names] for place, names in zip(places, labels, strict=True)]
    keys = np.ravel_multi_index(indices, shape)
    repeat = first_repeat(keys, math.prod(shape))
    if repeat is not None and settings.repeats == "error":
        second, first = (cells[place] for place in repeat)
        raise InputError(
            f"{second.where}: a second {second.measure} of {second.system!r} for {second.query!r}, the first is at "
            f"{first.where}; keep one of the two, or {AVERAGE}"
        )
    values, counts = average_cells(keys, np.array(numbers, np.float64), math.prod(shape))
    return ScoreGrid(
        name=name,
        systems=systems,
        measures=measures,
        query_ids=queries,
        values=values.reshape(shape),
        may_share_systems=may_share_systems,
        notes=() if repeat is None else (repeats_note(name, counts),),
        counts=None if repeat is None else counts.reshape(shape),
    )


def join_grids(grids: Sequence[ScoreGrid], settings: ScoreTableSettings) -> ScoreGrid:
    """The values of several files. Raises InputError where a system is in two, unless repeated values are averaged."""
    if len(grids) == 1:
        return grids[0]
    if settings.repeats == "error":
        refuse_shared_systems(grids)
    axes = [
        list(dict.fromkeys(label for grid in grids for label in getattr(grid, axis)))
        for axis in ("systems", "measures", "query_ids")
    ]
    refuse_case(axes[0], lambda i: next(grid.name for grid in grids if axes[0][i] in grid.systems), "system")
    shape = (len(axes[0]), len(axes[1]), len(axes[2]))
    refuse_sparse(shape, sum(grid.values.size for grid in grids), grids[0].name, "systems, measures and queries")
    places = [{label: place for place, label in enumerate(labels)} for labels in axes]
    values, counts = np.full(shape, np.nan), np.zeros(shape, np.int64)
    is_repeated = False
    for grid in grids:
        index = np.ix_(
            *(
                [place[label] for label in labels]
                for place, labels in zip(places, (grid.systems, grid.measures, grid.query_ids), strict=True)
            )
        )
        present = ~np.isnan(grid.values)
        repeated = np.argwhere((counts[index] > 0) & present)
        if repeated.size and settings.repeats == "error":
            s, m, q = repeated[0]
            raise InputError(
                f"{grid.name}: {grid.systems[s]} has a second {grid.measures[m]} of {grid.query_ids[q]!r}, the first "
                f"is in another of the files; give each value once, or {AVERAGE}"
            )
        is_repeated |= bool(repeated.size)
        own_counts = present * (1 if grid.counts is None else grid.counts)
        old_counts, old_values = counts[index], values[index]
        total = old_counts + own_counts
        both = (old_counts > 0) & present
        mean = np.where(present, grid.values, old_values)
        mean[both] = ((old_values * old_counts + grid.values * own_counts)[both]) / total[both]
        values[index], counts[index] = mean, total
    systems, measures, queries = map(tuple, axes)
    columns, column_notes = join_query_columns(grids, queries)
    return ScoreGrid(
        name=grids[0].name,
        systems=systems,
        measures=measures,
        query_ids=queries,
        values=values,
        notes=(
            *(note for grid in grids for note in grid.notes),
            *column_notes,
            *((repeats_note("these files", counts),) if is_repeated else ()),
        ),
        query_columns=columns,
        columns=tuple(name for grid in grids for name in grid.columns),
        counts=counts if is_repeated or any(grid.counts is not None for grid in grids) else None,
    )


def refuse_shared_systems(grids: Sequence[ScoreGrid]) -> None:
    """Raise InputError where a system is in two of the files, which do not allow that."""
    owner: dict[str, ScoreGrid] = {}
    for grid in grids:
        for system in grid.systems:
            earlier_grid = owner.setdefault(system, grid)
            if earlier_grid is not grid and not (earlier_grid.may_share_systems and grid.may_share_systems):
                raise InputError(
                    f"{grid.name}: the system {system!r} is in {earlier_grid.name}, too; give each file one system of "
                    f"its own, or, if these are repeated measurements, {AVERAGE}"
                )


def join_query_columns(
    grids: Sequence[ScoreGrid], queries: Sequence[str]
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """What several files know of the queries, and a note on columns that they disagree on, which are left out."""
    joined: dict[str, dict[str, Any]] = {}
    disputed: list[str] = []
    for grid in grids:
        for name, values in grid.query_columns.items():
            column = joined.setdefault(name, {})
            value_of_query = {
                query: value for query, value in zip(grid.query_ids, values, strict=True) if value is not None
            }
            if any(column.get(query, value) != value for query, value in value_of_query.items()):
                disputed.append(name)
            column |= value_of_query
    columns = {
        name: tuple(column.get(query) for query in queries) for name, column in joined.items() if name not in disputed
    }
    notes = (
        (f"the files have different values of {list_columns(list(dict.fromkeys(disputed)))} for one query: left out",)
        if disputed
        else ()
    )
    return columns, notes


# Scores


def scores_of_grid(grid: ScoreGrid, measures: Sequence[str] | None, settings: ScoreTableSettings) -> Scores:
    """Scores of these values.

    measures: those to include, or the name of the only one where nothing names it. Raises UnknownName for a measure or
    system that is not there, InputError where there is no value at all.
    """
    grid, lower = name_measure(select_systems(grid, settings.table_systems), measures), settings.lower
    refuse_case(grid.measures, lambda i: grid.name, "measure")
    for name in lower:
        if name not in grid.measures:
            raise UnknownName(f"measure of {grid.name}, which lower (--lower) names", name, grid.measures)
    if np.isnan(grid.values).all():
        raise InputError(f"{grid.name}: no value in any cell, expected numbers")
    known_measures = [measure_of_name(name) for name in grid.measures]
    foreign_measures = [
        foreign_measure(name, own_measure, lower=name in lower)
        for name, own_measure in zip(grid.measures, known_measures, strict=True)
    ]
    absent = np.isnan(grid.values)
    signature = {
        **SOURCE,
        **({"missing": "drop"} if absent.any() else {}),
        **({} if grid.counts is None else {"repeats": settings.repeats}),
        "queries": str(len(grid.query_ids)),
    }
    scores = Scores(
        systems=grid.systems,
        measures=tuple(foreign_measures),
        query_ids=grid.query_ids,
        values=freeze(grid.values),
        missing=freeze(np.zeros((grid.values.shape[0], grid.values.shape[2]), np.bool_)),
        undefined=freeze(np.zeros(grid.values.shape[1:], np.bool_)),
        settings=signature,
        measure_settings=tuple({"better": "lower"} if name in lower else {} for name in grid.measures),
        notes=(*rank_notes(grid, lower), *grid.notes, *value_notes(grid, known_measures, lower)),
        query_columns=grid.query_columns,
    )
    if not grid.query_columns.keys().isdisjoint(QUERY_PARTS):
        scores = with_queries(scores, None, QuerySettings())
    if measures is None:
        return scores
    return scores.select(measures=list(dict.fromkeys(scores.place_of(name) for name in measures)))


def select_systems(grid: ScoreGrid, systems: Sequence[str]) -> ScoreGrid:
    """The values of these systems, of all where there are none. Raises UnknownName."""
    if not systems or tuple(systems) == grid.systems:
        return grid
    for system in systems:
        if system not in grid.systems:
            known_names = tuple(dict.fromkeys((*grid.systems, *grid.columns)))
            raise UnknownName(f"system of {grid.name}, which systems (--systems) names", system, known_names)
    index = [grid.systems.index(system) for system in systems]
    counts = None if grid.counts is None else grid.counts[index]
    return replace(grid, systems=tuple(systems), values=grid.values[index], counts=counts)


def name_measure(grid: ScoreGrid, measures: Sequence[str] | None) -> ScoreGrid:
    """The grid with a name for a measure that the tables do not name."""
    if "" not in grid.measures:
        return grid
    name = measures[0] if measures is not None and len(measures) == 1 and len(grid.measures) == 1 else NAMELESS
    return replace(grid, measures=tuple(measure or name for measure in grid.measures))


def rank_notes(grid: ScoreGrid, lower: Collection[str]) -> list[str]:
    """A note where the values of a measure without a name look like ranks, which higher ones are no better by."""
    is_nameless = [name == NAMELESS and name not in lower for name in grid.measures]
    if not any(look_like_ranks(grid.values[:, m]) for m in np.flatnonzero(is_nameless)):
        return []
    return [
        f"{grid.name}: these values look like ranks (whole or halves, from 1 on), but higher is taken to be better: "
        "if they are ranks of known items, read them with --input entity-ranks (in Python input='entity-ranks'), or "
        "call them -m MeanRank, of which lower is better"
    ]


def value_notes(grid: ScoreGrid, known_measures: Sequence[Measure | None], lower: Collection[str]) -> list[str]:
    """Notes on directions that nobody said, on values that a measure of this name cannot have, and on missing ones.

    known_measures: rankscope's measures of these names, None where there is none.
    """
    unknown = [
        name
        for name, own_measure in zip(grid.measures, known_measures, strict=True)
        if own_measure is None and name not in lower
    ]
    error_names = [name for name in unknown if is_error_name(name)]
    assumed = [name for name in unknown if name not in error_names]
    notes = []
    if assumed:
        notes.append(f"{grid.name}: {join_names(assumed)}: not a measure of rankscope, so higher is taken to be better")
    if error_names:
        notes.append(
            f"{grid.name}: {join_names(error_names)}: named like an error rate, but higher is taken to be better: if "
            f"lower is better, use --lower {','.join(error_names)} (in Python lower=)"
        )
    for m, (name, own_measure) in enumerate(zip(grid.measures, known_measures, strict=True)):
        if own_measure is None:
            continue
        refuse_impossible(grid, m, own_measure)
        low, high = own_measure.range
        values = grid.values[:, m]
        least, most = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
        if most > high + ROUNDING:
            notes.append(
                f"{grid.name}: {name} goes from {least:.4g} to {most:.4g}, and rankscope's {name} lies between {low:g} "
                f"and {high:g}: is this another measure, or one in percent?"
            )
    n_missing = int(np.isnan(grid.values).sum())
    if n_missing:
        notes.append(f"{grid.name}: {pluralise(n_missing, 'value')} missing")
    return notes


def refuse_impossible(grid: ScoreGrid, m: int, measure: Measure) -> None:
    """Raise InputError for a value that the measure cannot have, unless all are in percent. m: index of the measure."""
    low, high = measure.range
    values, name = grid.values[:, m], grid.measures[m]
    are_ranks = look_like_ranks(values)
    is_outside = (values < low - ROUNDING) | (values > high + ROUNDING)
    may_be_percent = high == 1.0 and not (values > PERCENT * high + ROUNDING).any() and not (values < low).any()
    if not is_outside.any() or (may_be_percent and not are_ranks):
        return
    worst = np.where(is_outside, np.maximum(low - values, values - high), -np.inf)
    system, query = np.unravel_index(np.argmax(worst), worst.shape)
    names = grid.systems[system], grid.query_ids[query]
    where = grid.name if grid.locate is None else grid.locate(names[0], name, names[1])
    advice = "if this is another measure, give it a name of its own"
    if are_ranks:
        advice = (
            "these look like ranks: if they are ranks of known items, read them with --input entity-ranks (in Python "
            "input='entity-ranks'), or call them -m MeanRank, of which lower is better; else give the measure "
            "a name of its own"
        )
    raise InputError(
        f"{where}: {name} of system {names[0]!r} for query {names[1]!r} is {values[system, query]:.10g}, expected "
        f"{expected_range(low, high)}; {advice}"
    )


def expected_range(low: float, high: float) -> str:
    """The values of a measure, in words."""
    return f"a value from {low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"


def scores_of(
    data: Any,
    *,
    systems: Sequence[str] | None = None,
    measures: Any = None,
    columns: Mapping[str, str] | None = None,
    lower: Any = (),
    repeats: str = "error",
) -> Scores:
    """As `Scores.of`."""
    naming = ColumnSettings(columns=columns)
    settings = ScoreTableSettings(
        lower=as_names(lower), table_systems=() if systems is None else as_names(systems), repeats=repeats
    )
    names = None if measures is None else list(map(str, as_names(measures)))
    return scores_of_grid(grid_of_data(data, settings, naming.columns or {}), names, settings)


def grid_of_data(data: Any, settings: ScoreTableSettings, columns: Mapping[str, str]) -> ScoreGrid:
    """The values of data in memory. columns: what the columns of a table are called."""
    if isinstance(data, np.ndarray):
        return grid_of_array(data, settings.table_systems or None)
    if isinstance(data, Scores):
        raise ParameterError("scores already; leave Scores.of out")
    if isinstance(data, (str, os.PathLike)):
        raise ParameterError(f"{os.fspath(data)!r} is a path, expected data; use read_scores(path)")
    if isinstance(data, Mapping) and data and all(isinstance(values, Mapping) for values in data.values()):
        return grid_of_mapping(data, settings)
    table = table_of_frame(with_index(data), "scores", SCHEMA, columns)
    return grid_of_table(table, "system", settings)


def with_index(data: Any) -> Any:
    """A data frame of pandas whose index has a name, as after a pivot, with the index as columns; else the data."""
    names = {name for name in getattr(getattr(data, "index", None), "names", None) or () if name is not None}
    return data.reset_index() if names and names.isdisjoint(data.columns) else data


def grid_of_array(data: np.ndarray[Any, Any], systems: Sequence[str] | None) -> ScoreGrid:
    """(systems, queries) values."""
    if data.ndim != 2 or not data.size or data.dtype.kind not in "fiub":
        raise InputError(f"scores: an array of {data.dtype}, shape {data.shape}, expected numbers (systems, queries)")
    if np.isinf(data).any():
        raise InputError("scores: an infinite value, expected finite numbers, or NaN where there is none")
    names = [f"system {i}" for i in range(1, len(data) + 1)] if systems is None else list(systems)
    if len(names) != len(data) or len(set(names)) < len(names):
        raise ParameterError(f"systems holds {len(names)} names, expected {len(data)}, one for each row and each once")
    return ScoreGrid(
        name="scores",
        systems=tuple(names),
        measures=("",),
        query_ids=tuple(str(i) for i in range(1, data.shape[1] + 1)),
        values=np.array(data, np.float64)[:, None],
    )


def grid_of_mapping(
    data: Mapping[str, Mapping[str, Any]], settings: ScoreTableSettings, name: str = "scores"
) -> ScoreGrid:
    """{system: {query: value}}, or {system: {query: {measure: value}}} as pytrec_eval gives for each run."""
    cells = []
    for system, by_query in data.items():
        for query, value in by_query.items():
            by_measure = value if isinstance(value, Mapping) else {"": value}
            for measure, number in by_measure.items():
                cell_value = as_number(number)
                if math.isinf(cell_value):
                    raise InputError(
                        f"{name}: {measure or 'the value'} of system {system!r} and query {query!r} is {number!r}, "
                        "expected a finite number; correct it or leave it out"
                    )
                cells.append(ScoreCell(str(system), str(measure), str(query), cell_value, name))
    if not cells:
        raise InputError(f"{name}: no values, expected {{system: {{query: value}}}}")
    return grid_of_cells(name, cells, settings)


def as_number(value: Any) -> float:
    """The number, NaN for None, infinity for what is no number."""
    if value is None:
        return math.nan
    try:
        return float(value) if isinstance(value, (int, float, np.number, np.bool_)) else math.inf
    except OverflowError:
        return math.inf
