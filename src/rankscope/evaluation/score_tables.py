"""Scores from the tidy table that `evaluate --by-query` writes: CSV, TSV, JSON lines, any table of these columns."""

from __future__ import annotations

import numpy as np

from rankscope.data.frames import require_column
from rankscope.data.hits import freeze
from rankscope.data.scores import MeasureLike, Scores
from rankscope.data.sparse import refuse_sparse
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.saved import SavedMeasure
from rankscope.io.named_tables import NamedTable, name_codes, name_column, number_values, read_named_table
from rankscope.measures.names import parse_measures
from rankscope.typing import Bools, Ints, PathLike

__all__ = ["TABLE_COLUMNS", "read_score_table"]

#: The columns of the table, and what else they may be called.
TABLE_COLUMNS = ("system", "measure", "query", "value")
COLUMN_ALIASES = {"system": "run", "measure": "metric", "query": "query_id", "value": "score"}
#: What an empty file should hold.
EXPECTED = "a line of names (system,measure,query,value) and a line a value"
#: The query of summaries.
ALL = "all"


def read_score_table(path: PathLike) -> Scores:
    r"""Scores from a table with the columns system, measure, query and value; "-" is standard input.

    Rows of query "all" are summaries and are left out, with a note where one system and measure has several, since one
    may be a query of that name; an empty value is none. What else scores know, as the
    conventions, is not in a table: `write_scores` and `read_scores` keep it. Of a measure that is not known here higher
    is taken to be better, and a note says so.

    Raises InputError, with file and line, for a column that is missing, a value that is no number, one of a system,
    measure and query that stands twice, and where there are only summaries.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.csv")
    >>> _ = path.write_text("system,measure,query,value\na,AP,1,0.5\na,AP,2,1\na,AP,all,0.75\n")
    >>> read_score_table(path).matrix("AP").tolist()
    [[0.5, 1.0]]
    """
    table = read_named_table(path, EXPECTED)
    columns = {
        name: require_column(table.frame.columns, name, (name, COLUMN_ALIASES[name]), table.head)
        for name in TABLE_COLUMNS
    }
    values = number_values(table, columns["value"])
    systems, (system,) = name_codes([name_column(table, columns["system"], "system")])
    measures, (measure,) = name_codes([name_column(table, columns["measure"], "measure")])
    queries, (query,) = name_codes([name_column(table, columns["query"], "query")])
    summary = query == (queries.index(ALL) if ALL in queries else -1)
    kept = np.flatnonzero(~summary)
    if not kept.size:
        raise InputError(
            f"{table.name}: summaries only (query {ALL!r}), expected every query's values, as `rankscope evaluate "
            "--by-query` writes them"
        )
    used, query = np.unique(query[kept], return_inverse=True)
    shape = (len(systems), len(measures), used.size)
    refuse_sparse(shape, kept.size, table.name, "systems, measures and queries")
    place = np.ravel_multi_index((system[kept], measure[kept], query.reshape(-1)), shape)
    refuse_repeated(table, place, kept)
    found = np.full(shape, np.nan)
    found.ravel()[place] = values[kept]
    known = [measure_or_name(name) for name in measures]
    return Scores(
        systems=systems,
        measures=tuple(known),
        query_ids=tuple(queries[i] for i in used.tolist()),
        values=freeze(found),
        missing=freeze(np.zeros((shape[0], shape[2]), np.bool_)),
        undefined=freeze(np.zeros(shape[1:], np.bool_)),
        settings={},
        measure_settings=tuple({} for _ in measures),
        notes=(
            *score_table_notes(table, known, np.isnan(found)),
            *summaries_note(table, system[summary] * len(measures) + measure[summary]),
        ),
    )


def refuse_repeated(table: NamedTable, place: Ints, kept: Ints) -> None:
    """Raise InputError where one system has two values of a measure on one query."""
    order = np.argsort(place, kind="stable")
    again = np.flatnonzero(place[order[1:]] == place[order[:-1]])
    if again.size:
        first, row = (int(kept[order[i]]) for i in (again[0], again[0] + 1))
        raise InputError(
            f"{table.where(row)}: a second value of this system, measure and query, the first is at "
            f"{table.where(first)}; keep one of the two"
        )


def measure_or_name(name: str) -> MeasureLike:
    """The measure of this name, or one known by it only."""
    try:
        [found] = parse_measures([name])
    except (RankscopeError, ValueError):
        return SavedMeasure(name=name, summary="mean", higher_is_better=True)
    return found if str(found) == name else SavedMeasure(name=name, summary="mean", higher_is_better=True)


def score_table_notes(table: NamedTable, measures: list[MeasureLike], absent: Bools) -> list[str]:
    """Notes."""
    strange = [str(one) for one in measures if isinstance(one, SavedMeasure)]
    notes = []
    if strange:
        notes.append(f"{table.name}: {join_names(strange)}: not known here, higher is taken to be better")
    if absent.any():
        notes.append(f"{table.name}: {pluralise(int(absent.sum()), 'value')} missing")
    return notes


def summaries_note(table: NamedTable, keys: Ints) -> tuple[str, ...]:
    """Where there are more summaries than one. keys: (summaries) one number a system and measure."""
    more = keys.size - np.unique(keys).size
    if not more:
        return ()
    return (
        f"{table.name}: {pluralise(more, 'row')} of query {ALL!r} more than one summary for each system and measure; all "
        "are left out, and with them a query of that name, which a file of --save (write_scores) keeps apart",
    )
