"""Scores that another tool computed: from tables in all usual forms, from data frames, mappings and arrays.

Every form becomes a `ScoreGrid`: values by system, measure and item, without a name for what the forms leave open.
`scores_of_grid` makes `Scores` of it, and `read_scores` reads files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.error_names import is_error_name
from rankscope.data.hits import freeze
from rankscope.data.row_input import COLUMN_NAMES, find_column
from rankscope.data.scores import Scores
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import first_names, join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.foreign_measure import foreign_measure, measure_of_name
from rankscope.io.tables import Codes, Column, Schema, Table, table_of_frame
from rankscope.measures.base import Measure
from rankscope.settings import Rule, Settings, as_names, declare, name_list
from rankscope.typing import Floats, Ints

__all__ = [
    "SCHEMA",
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
                "segment_id", "example", "example_id", "sample_id", "instance_id", "id", "question", "sample",
                "user_input", "questions",
            ),
        ),
        Column(name="measure", aliases=("metric", "measure_name", "metric_name")),
        Column(name="value", aliases=("score",), kind="number"),
    ),
    expected="scores: a line of names (system,measure,query,value) and a value a line, or a column for each system",
    more_numbers=True,
)  # fmt: skip
#: Columns of what a system was asked, retrieved and answered, as evaluations of answers export them.
SAMPLE_COLUMNS = {
    *("user_input", "questions", "response", "answer", "predicted_answers", "prediction", "contexts", "documents"),
    *("retrieved_contexts", "retrieved_context_ids", "retrieved_ids", "retrieved_documents"),
}
#: The query of summaries.
ALL = "all"
#: The name of a measure that nothing names.
NAMELESS = "score"
#: The setting that says that values were read, not computed.
SOURCE = {"source": "table"}


class ColumnNames(Rule):
    """What columns are called, as {"query": "topic"}, or query=topic,... on the command line."""

    expected = "names of columns, such as query=topic,value=F1 (in Python {'query': 'topic', 'value': 'F1'})"

    def accepts(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(isinstance(name, str) for pair in value.items() for name in pair)

    @staticmethod
    def parse(text: str) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
        if not pairs or not all(name.strip() and equals and column.strip() for name, equals, column in pairs):
            raise ValueError(
                f"{text!r}, expected NAME=COLUMN with commas between several, such as query=topic,value=F1"
            )
        return {name.strip(): column.strip() for name, _, column in pairs}


@dataclass(frozen=True, kw_only=True)
class ScoreTableSettings(Settings):
    """How a table of scores is read."""

    FUNCTIONS = ("rankscope:read_scores",)
    COMMANDS = ("compare", "plan", "report", "stability", "agree measures")

    columns: Mapping[str, str] | None = declare(
        ColumnNames(),
        None,
        "Column names in a file of scores, where NAME is system, query, measure or value: system=model,value=f1.",
        metavar="NAME=COLUMN,...",
        unset="found by their usual names",
    )
    lower: tuple[str, ...] = name_list((), help="Measures in a file of scores for which lower values are better.")


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
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()
    may_share_systems: bool = False


# Forms


def grid_of_table(table: Table, system: str) -> ScoreGrid:
    """The values of a table in any form. system: what the only system is called where no column names it."""
    refuse_documents(table)
    if "value" in table and "query" in table and ("system" in table or "measure" in table):
        return long_form(table, system)
    if "query" not in table and ("system" in table or "measure" in table):
        table.require("query")
    if "system" in table:
        return a_column_a_measure(table, system)
    if "value" in table:  # a column of items, and one of values
        own_name = table.columns["value"]
        if table.number_columns():  # and further systems or measures beside it
            return wide_form(
                table, [name for name in table.frame.columns if name in {own_name, *table.number_columns()}], system
            )
        return a_column_a_measure(table, system)
    if "query" in table and is_sample_table(table.frame.columns):
        return a_column_a_measure(table, system)
    return wide_form(table, table.number_columns(), system)


def is_sample_table(columns: Iterable[str]) -> bool:
    """Whether a table holds what one system answered, so that its numbers are measures and not systems."""
    return not SAMPLE_COLUMNS.isdisjoint(column.strip().lower() for column in columns)


def refuse_documents(table: Table) -> None:
    """Raise InputError for a table with documents: judgments or a run."""
    documents = find_column(table.frame.columns, COLUMN_NAMES["doc_id"])
    if documents is not None and documents not in table.columns.values():
        raise InputError(
            f"{table.where}: a column of documents ({documents!r}), so that these are judgments or a run, expected "
            "scores: a value for each system and query; evaluate it with its judgments"
        )


def long_form(table: Table, system: str) -> ScoreGrid:
    """A row for each value: query and value, with system and measure or one of them."""
    systems, system_codes = table.codes("system") if "system" in table else ([system], None)
    measures, measure_codes = table.codes("measure") if "measure" in table else ([""], None)
    refuse_case(systems, lambda i: first_location(table, system_codes, i), "system")
    refuse_case(measures, lambda i: first_location(table, measure_codes, i), "measure")
    queries, query_codes = table.codes("query")
    value_column = table.require("value")
    if "measure" not in table:
        measures = ["" if value_column.lower() in ("value", "score") else value_column]
    notes = left_out_note(table, table.more_columns)
    values = table.numbers(value_column)
    rows, summary_notes = value_rows(table, queries, query_codes, system_codes, measure_codes, len(measures))
    if rows is not None:
        system_codes = system_codes[rows] if system_codes is not None else None
        measure_codes = measure_codes[rows] if measure_codes is not None else None
        all_code = queries.index(ALL)
        query_codes = query_codes[rows]
        query_codes = query_codes - (query_codes > all_code)
        queries = [query for query in queries if query != ALL]
        values = values[rows]
    shape = (len(systems), len(measures), len(queries))
    refuse_sparse(shape, values.size, table.name, "systems, measures and queries")
    cells = query_codes.astype(np.int64)
    if system_codes is not None:
        cells += system_codes * np.int64(shape[1] * shape[2])
    if measure_codes is not None:
        cells += measure_codes * np.int64(shape[2])
    refuse_repeated_cells(table, cells, rows, int(np.prod(shape)))
    grid = np.full(shape, np.nan)
    grid.ravel()[cells] = values
    return ScoreGrid(
        name=table.name,
        systems=tuple(systems),
        measures=tuple(measures),
        query_ids=tuple(queries),
        values=grid,
        notes=(*notes, *summary_notes),
    )


def value_rows(
    table: Table,
    queries: Sequence[str],
    query_codes: Codes,
    system_codes: Codes | None,
    measure_codes: Codes | None,
    n_measures: int,
) -> tuple[Ints | None, tuple[str, ...]]:
    """The rows that are no summaries (query "all"), None for all rows; and a note where there are too many summaries.

    Raises InputError where there are only summaries.
    """
    if ALL not in queries:
        return None, ()
    is_summary = query_codes == queries.index(ALL)
    if is_summary.all():
        raise InputError(
            f"{table.name}: summaries only (query {ALL!r}), expected the values of every query, as `rankscope evaluate "
            "--by-query`, `trec_eval -q` and `ir_measures --by_query` write them"
        )
    keys = np.zeros(int(is_summary.sum()), np.int64)
    for codes, factor in ((system_codes, n_measures), (measure_codes, 1)):
        if codes is not None:
            keys += codes[is_summary] * np.int64(factor)
    n_extra = keys.size - np.unique(keys).size
    notes = () if not n_extra else (
        f"{table.name}: {pluralise(n_extra, 'row')} of query {ALL!r} more than one summary for each system and "
        "measure; all are left out, and with them a query of that name, which a file of --save (write_scores) keeps "
        "apart",
    )  # fmt: skip
    return np.flatnonzero(~is_summary), notes


def refuse_repeated_cells(table: Table, cells: Ints, rows: Ints | None, n_cells: int) -> None:
    """Raise InputError where one system has two values of a measure on one query."""
    if cells.size <= n_cells:
        is_filled = np.zeros(n_cells, np.bool_)
        is_filled[cells] = True
        if int(np.count_nonzero(is_filled)) == cells.size:
            return
    order = np.argsort(cells, kind="stable")
    repeats = order[1:][cells[order[1:]] == cells[order[:-1]]]
    row = int(repeats.min())
    first = int(np.flatnonzero(cells == cells[row])[0])
    if rows is not None:
        row, first = int(rows[row]), int(rows[first])
    keys = [name for name in ("system", "measure", "query") if name in table]
    raise InputError(
        f"{table.locate(row)}: a second value of this {join_names(keys)}, the first is at {table.locate(first)}; keep "
        "one of the two"
    )


def a_column_a_measure(table: Table, system: str) -> ScoreGrid:
    """A row for each system and query, or for each query of one system, and a column for each measure."""
    value = [table.columns["value"]] if "value" in table else []
    measures = [name for name in table.frame.columns if name in {*value, *table.number_columns()}]
    if not measures:
        raise InputError(
            f"{table.where}: no column of numbers beside {list_of(table.columns.values())}, expected one with values"
        )
    systems, system_codes = table.codes("system") if "system" in table else ([system], None)
    refuse_case(systems, lambda i: first_location(table, system_codes, i), "system")
    queries, query_codes = table.codes("query")
    rows, notes = value_rows(table, queries, query_codes, system_codes, None, 1)
    if rows is not None:
        all_code = queries.index(ALL)
        system_codes = system_codes[rows] if system_codes is not None else None
        query_codes = query_codes[rows]
        query_codes = query_codes - (query_codes > all_code)
        queries = [query for query in queries if query != ALL]
    shape = (len(systems), len(measures), len(queries))
    refuse_sparse((shape[0], shape[2]), query_codes.size, table.name, "systems and queries")
    cells = query_codes.astype(np.int64)
    if system_codes is not None:
        cells += system_codes * np.int64(len(queries))
    refuse_repeated_cells(table, cells, rows, len(systems) * len(queries))
    grid = np.full(shape, np.nan)
    plane = np.full(len(systems) * len(queries), np.nan)
    for m, name in enumerate(measures):
        values = table.numbers(name)
        plane[cells] = values if rows is None else values[rows]
        grid[:, m] = plane.reshape(shape[0], shape[2])
    left_out = [name for name in table.more_columns if name not in measures]
    names = [("" if len(measures) == 1 and name.lower() in ("value", "score") else name) for name in measures]
    return ScoreGrid(
        name=table.name,
        systems=tuple(systems),
        measures=tuple(names),
        query_ids=tuple(queries),
        values=grid,
        notes=(*left_out_note(table, left_out), *notes),
    )


def wide_form(table: Table, names: Sequence[str], system: str) -> ScoreGrid:
    """A row for each query and a column for each system, or for each measure if all are called as measures are."""
    if not names:
        raise InputError(
            f"{table.where}: no column of numbers among {list_of(table.frame.columns)}, expected scores: columns "
            "system, query and value, or query and a column for each system"
        )
    if "query" in table and all(measure_of_name(name) is not None for name in names):
        return a_column_a_measure(table, system)
    notes = []
    if "query" in table:
        queries = table.ids("query")
        table.refuse_repeated_ids("query", queries)
        query_ids = queries.to_list()
    elif set(table.more_columns) > set(names):
        raise table.schema.missing_column("query", table.frame.columns, table.where)
    else:
        query_ids = [str(number) for number in range(1, table.frame.height + 1)]
        notes.append(f"{table.name}: no column of queries, so that each row is one, called by its number")
    values = wide_values(table, names)
    if ALL in query_ids and len(query_ids) > 1:
        kept = [i for i, query in enumerate(query_ids) if query != ALL]
        values, query_ids = values[:, kept], [query_ids[i] for i in kept]
        notes.append(f"{table.name}: the row of {ALL!r} is taken for a summary and left out")
    left_out = [name for name in table.more_columns if name not in names]
    columns_note = (
        f"{table.name}: {pluralise(len(names), 'column')} read as systems: {first_names(map(repr, names), 8)}"
    )
    return ScoreGrid(
        name=table.name,
        systems=tuple(names),
        measures=("",),
        query_ids=tuple(query_ids),
        values=values[:, None],
        notes=(columns_note, *left_out_note(table, left_out), *notes),
    )


def wide_values(table: Table, names: Sequence[str]) -> Floats:
    """(columns, rows) the numbers of these columns."""
    frame = table.frame[list(names)]
    if all(dtype.is_float() for dtype in frame.dtypes):
        values = np.ascontiguousarray(frame.to_numpy().astype(np.float64, copy=False).T)
        n_missing = sum(frame.null_count().row(0))
        if int(np.isfinite(values).sum()) == values.size - n_missing:
            return values
    return np.array([table.numbers(name) for name in names])


def list_of(names: Iterable[str]) -> str:
    return first_names(map(repr, names), 8)


def left_out_note(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """A note on columns that are not read."""
    if not names:
        return ()
    subject = "the column" if len(names) == 1 else "the columns"
    return (f"{table.name}: {subject} {list_of(names)} left out: no scores",)


def first_location(table: Table, codes: Codes | None, code: int) -> str:
    return table.where if codes is None else table.locate(int(np.argmax(codes == code)))


def refuse_case(names: Sequence[str], location: Callable[[int], str], noun: str) -> None:
    """Raise InputError for two names that differ in case only."""
    seen: dict[str, str] = {}
    for number, name in enumerate(names):
        if (other := seen.setdefault(name.casefold(), name)) != name:
            raise InputError(
                f"{location(number)}: the {noun} {name!r} differs from {other!r} in case only; write both alike, or "
                "give one another name"
            )


def grid_of_cells(
    name: str, cells: Mapping[tuple[str, str, str], float], *, may_share_systems: bool = False
) -> ScoreGrid:
    """A grid of values by (system, measure, query)."""
    axes = [list(dict.fromkeys(key[axis] for key in cells)) for axis in range(3)]
    places = [{label: place for place, label in enumerate(labels)} for labels in axes]
    shape = (len(axes[0]), len(axes[1]), len(axes[2]))
    refuse_sparse(shape, len(cells), name, "systems, measures and queries")
    values = np.full(shape, np.nan)
    for key, value in cells.items():
        values[tuple(place[label] for place, label in zip(places, key, strict=True))] = value
    systems, measures, queries = map(tuple, axes)
    return ScoreGrid(
        name=name,
        systems=systems,
        measures=measures,
        query_ids=queries,
        values=values,
        may_share_systems=may_share_systems,
    )


def join_grids(grids: Sequence[ScoreGrid]) -> ScoreGrid:
    """The values of several files. Raises InputError where a system is in two of them."""
    if len(grids) == 1:
        return grids[0]
    owner: dict[str, ScoreGrid] = {}
    for grid in grids:
        for system in grid.systems:
            other = owner.setdefault(system, grid)
            if other is not grid and not (other.may_share_systems and grid.may_share_systems):
                raise InputError(
                    f"{grid.name}: the system {system!r} is in {other.name}, too; give each file one system of its own"
                )
    axes = [
        list(dict.fromkeys(label for grid in grids for label in getattr(grid, axis)))
        for axis in ("systems", "measures", "query_ids")
    ]
    refuse_case(axes[0], lambda i: next(grid.name for grid in grids if axes[0][i] in grid.systems), "system")
    shape = (len(axes[0]), len(axes[1]), len(axes[2]))
    refuse_sparse(shape, sum(grid.values.size for grid in grids), grids[0].name, "systems, measures and queries")
    places = [{label: place for place, label in enumerate(labels)} for labels in axes]
    values = np.full(shape, np.nan)
    for grid in grids:
        index = np.ix_(
            *(
                [place[label] for label in labels]
                for place, labels in zip(places, (grid.systems, grid.measures, grid.query_ids), strict=True)
            )
        )
        repeated = np.argwhere(~np.isnan(values[index]) & ~np.isnan(grid.values))
        if repeated.size:
            s, m, q = repeated[0]
            raise InputError(
                f"{grid.name}: {grid.systems[s]} has a second {grid.measures[m]} of {grid.query_ids[q]!r}, the first "
                "is in another of the files; give each value once"
            )
        values[index] = np.where(np.isnan(grid.values), values[index], grid.values)
    systems, measures, queries = map(tuple, axes)
    return ScoreGrid(
        name=grids[0].name,
        systems=systems,
        measures=measures,
        query_ids=queries,
        values=values,
        notes=tuple(note for grid in grids for note in grid.notes),
    )


# Scores


def scores_of_grid(grid: ScoreGrid, measures: Sequence[str] | None, lower: Collection[str]) -> Scores:
    """Scores of these values.

    measures: those to include, or the name of the only one where nothing names it. lower: those of which lower is
    better. Raises UnknownName for a measure that is not there, InputError where there is no value at all.
    """
    grid = name_measure(grid, measures)
    refuse_case(grid.measures, lambda i: grid.name, "measure")
    for name in lower:
        if name not in grid.measures:
            raise UnknownName(f"measure of {grid.name}, which lower (--lower) names", name, grid.measures)
    if np.isnan(grid.values).all():
        raise InputError(f"{grid.name}: no value in any cell, expected numbers")
    known_measures = [measure_of_name(name) for name in grid.measures]
    foreign_measures = [
        foreign_measure(name, known, lower=name in lower)
        for name, known in zip(grid.measures, known_measures, strict=True)
    ]
    absent = np.isnan(grid.values)
    settings = {**SOURCE, **({"missing": "drop"} if absent.any() else {}), "queries": str(len(grid.query_ids))}
    scores = Scores(
        systems=grid.systems,
        measures=tuple(foreign_measures),
        query_ids=grid.query_ids,
        values=freeze(grid.values),
        missing=freeze(np.zeros((grid.values.shape[0], grid.values.shape[2]), np.bool_)),
        undefined=freeze(np.zeros(grid.values.shape[1:], np.bool_)),
        settings=settings,
        measure_settings=tuple({"better": "lower"} if name in lower else {} for name in grid.measures),
        notes=(*grid.notes, *value_notes(grid, known_measures, lower)),
    )
    if measures is None:
        return scores
    return scores.select(measures=list(dict.fromkeys(scores.place_of(name) for name in measures)))


def name_measure(grid: ScoreGrid, measures: Sequence[str] | None) -> ScoreGrid:
    """The grid with a name for a measure that the tables do not name."""
    if "" not in grid.measures:
        return grid
    name = measures[0] if measures is not None and len(measures) == 1 and len(grid.measures) == 1 else NAMELESS
    return replace(grid, measures=tuple(measure or name for measure in grid.measures))


def value_notes(grid: ScoreGrid, known_measures: Sequence[Measure | None], lower: Collection[str]) -> list[str]:
    """Notes on directions that nobody said, on values that a measure of this name cannot have, and on missing ones.

    known_measures: rankscope's measures of these names, None where there is none.
    """
    unknown = [
        name for name, known in zip(grid.measures, known_measures, strict=True) if known is None and name not in lower
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
    for m, (name, known) in enumerate(zip(grid.measures, known_measures, strict=True)):
        if known is None:
            continue
        low, high = known.range
        values = grid.values[:, m]
        least, most = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
        if least < low - 1e-9 or most > high + 1e-9:
            notes.append(
                f"{grid.name}: {name} goes from {least:.4g} to {most:.4g}, and rankscope's {name} lies between {low:g} "
                f"and {high:g}: is this another measure, or one in percent?"
            )
    n_missing = int(np.isnan(grid.values).sum())
    if n_missing:
        notes.append(f"{grid.name}: {pluralise(n_missing, 'value')} missing")
    return notes


def scores_of(
    data: Any,
    *,
    systems: Sequence[str] | None = None,
    measures: Any = None,
    columns: Mapping[str, str] | None = None,
    lower: Any = (),
) -> Scores:
    """As `Scores.of`."""
    settings = ScoreTableSettings(columns=columns, lower=as_names(lower))
    names = None if measures is None else list(map(str, as_names(measures)))
    return scores_of_grid(grid_of_data(data, systems, settings.columns or {}), names, settings.lower)


def grid_of_data(data: Any, systems: Sequence[str] | None, columns: Mapping[str, str]) -> ScoreGrid:
    """The values of data in memory."""
    if isinstance(data, np.ndarray):
        return grid_of_array(data, systems)
    if systems is not None:
        raise ParameterError("systems names the rows of an array, and this is none; leave it out")
    if isinstance(data, Scores):
        raise ParameterError("scores already; leave Scores.of out")
    if isinstance(data, Mapping) and data and all(isinstance(values, Mapping) for values in data.values()):
        return grid_of_mapping(data)
    return grid_of_table(table_of_frame(data, "scores", SCHEMA, columns), "system")


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


def grid_of_mapping(data: Mapping[str, Mapping[str, Any]], name: str = "scores") -> ScoreGrid:
    """{system: {query: value}}, or {system: {query: {measure: value}}} as pytrec_eval gives for each run."""
    cells: dict[tuple[str, str, str], float] = {}
    for system, by_query in data.items():
        for query, value in by_query.items():
            by_measure = value if isinstance(value, Mapping) else {"": value}
            for measure, number in by_measure.items():
                cells[str(system), str(measure), str(query)] = as_number(
                    number, f"{name}: {measure or 'the value'} of system {system!r} and query {query!r}"
                )
    if not cells:
        raise InputError(f"{name}: no values, expected {{system: {{query: value}}}}")
    grid = grid_of_cells(name, cells)
    refuse_case(grid.systems, lambda i: name, "system")
    return grid


def as_number(value: Any, where: str) -> float:
    """The number, NaN for None. Raises InputError for what is none, and for infinity."""
    if value is None:
        return float("nan")
    try:
        number = float(value) if isinstance(value, (int, float, np.number, np.bool_)) else math.inf
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{where} is {value!r}, expected a finite number; correct it or leave it out")
    return number
