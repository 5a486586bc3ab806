"""Scores in files: Parquet that restores them exactly, and the tidy table of `evaluate --by-query` in any format."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.hits import freeze
from rankscope.data.row_input import require_column
from rankscope.data.scores import MeasureLike, Scores
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import join_names, pluralise, replace_invalid_utf8
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.evaluation.conventions import MeasureAliases
from rankscope.io.core import (
    check_writable,
    is_file,
    open_binary,
    refuse_overwriting,
    source_name,
    to_parquet,
    write_chunks,
)
from rankscope.io.tables import (
    NamedTable,
    name_codes,
    name_column,
    number_values,
    polars_errors,
    read_named_table,
    refuse_false_pages,
)
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.typing import Bools, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "TABLE_COLUMNS",
    "SavedMeasure",
    "check_save",
    "read_baseline",
    "read_score_table",
    "read_scores",
    "write_scores",
]


#: The entry of the file's metadata that holds what the table does not; and the version of its format.
KEY, FORMAT_VERSION = "rankscope", 1
SUFFIX = ".parquet"
MAGIC = b"PAR1"
#: A table with these columns holds scores, whoever wrote it.
TIDY_COLUMNS = {"system", "measure", "query", "value"}
DAMAGED = "the file is damaged, expected scores as --save and write_scores save them; save them again"


@dataclass(frozen=True, kw_only=True)
class SavedMeasure:
    """A measure that is known by name only: one that somebody defined elsewhere (`define_measure`).

    Its values can be looked at, summed up and compared, but it measures nothing anew.
    """

    name: str
    summary: str
    higher_is_better: bool | None

    def __str__(self) -> str:
        return self.name


def check_save(path: PathLike, inputs: Iterable[PathLike] = (), *, output: PathLike | None = None) -> None:
    """Raise now rather than after long work for a file that scores cannot be saved to.

    inputs: files that are read. beside: a file that something else is written to. Raises ParameterError for a name that
    does not end in .parquet and for one of these files, OutputError where nothing can be written.
    """
    name = os.fspath(path)
    if not name.lower().endswith(SUFFIX):
        raise ParameterError(f"{name}: scores are saved as Parquet; name a file that ends in {SUFFIX}")
    check_writable(path)
    refuse_overwriting(path, inputs)
    if output is not None and os.path.realpath(path) == os.path.realpath(output):
        raise ParameterError(f"{name}: is to hold the saved scores and the output both; name two files")


def write_scores(scores: Scores, path: PathLike) -> None:
    """Save scores in a Parquet file (atomically); `read_scores` reads exactly the same scores again.

    Parameters
    ----------
    scores
        The scores, as `evaluate` returns them.
    path
        The file to write. Its name ends in .parquet.

    Raises
    ------
    ParameterError
        The name does not end in .parquet, the first argument is not a Scores, or it has no system or no measure.
    OutputError
        The file cannot be written.

    Notes
    -----
    Other programs can read the file as a table: system, measure, query, value (null if there is none), low and high
    (with bounds), missing (the run has no list), undefined (no relevant document was judged). Everything else is JSON
    in the file's metadata, under "rankscope". In the table, bytes of names that are not valid UTF-8 are replaced.

    Examples
    --------
    >>> import tempfile
    >>> import rankscope as rs
    >>> scores = rs.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(scores, f"{folder}/scores.parquet")
    ...     read_scores(f"{folder}/scores.parquet").overall("RR")
    0.5
    """
    if not isinstance(scores, Scores):
        raise ParameterError(
            f"a {type(scores).__name__} to be saved, expected scores, which evaluate gives; write "
            "write_scores(scores, path)"
        )
    check_save(path)
    if not scores.systems or not scores.measures:
        raise ParameterError("scores without a system or a measure, expected at least one of each to save")
    description = describe_scores(scores)
    description["digest"] = scores_digest(scores, description)
    write_chunks(path, [to_parquet(tidy_score_frame(scores), metadata={KEY: json.dumps(description)})])


def tidy_score_frame(scores: Scores) -> pl.DataFrame:
    import polars as pl

    s, m, q = scores.values.shape

    def repeated_names(items: Iterable[str], repeats: int, copies: int) -> pl.Series:
        texts = pl.Series([replace_invalid_utf8(name) for name in items], dtype=pl.String)
        return texts.gather(np.tile(np.repeat(np.arange(texts.len()), repeats), copies))

    bounds = {} if scores.bounds is None else {"low": scores.bounds[0].ravel(), "high": scores.bounds[1].ravel()}
    frame = pl.DataFrame(
        {
            "system": repeated_names(scores.systems, m * q, 1),
            "measure": repeated_names(scores.measure_names, q, s),
            "query": repeated_names(scores.query_ids, 1, s * m),
            "value": scores.values.ravel(),
            **bounds,
            "missing": np.repeat(scores.missing[:, None], m, axis=1).ravel(),
            "undefined": np.tile(scores.undefined.ravel(), s),
        }
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def describe_scores(scores: Scores) -> dict[str, Any]:
    """All that the table does not hold, for JSON, which escapes names to ASCII."""
    aliases = scores.aliases.user_names if isinstance(scores.aliases, MeasureAliases) else scores.aliases
    return {
        "form": FORMAT_VERSION,
        "version": scores.version,
        "systems": scores.systems,
        "measures": [
            {"name": name, "summary": measure.summary, "higher_is_better": measure.higher_is_better}
            for name, measure in zip(scores.measure_names, scores.measures, strict=True)
        ],
        "measure_settings": [dict(settings) for settings in scores.measure_settings],
        "query_ids": scores.query_ids,
        "settings": dict(scores.settings),
        "notes": scores.notes,
        "asked": dict(aliases),
        "judgments": scores.fingerprint,
    }


def scores_digest(scores: Scores, description: Mapping[str, Any]) -> str:
    """A digest of all that is saved, so that a changed byte is noticed."""
    from hashlib import blake2b

    digest = blake2b(json.dumps({k: v for k, v in description.items() if k != "digest"}).encode(), digest_size=16)
    for values in (scores.values, scores.bounds):
        if values is not None:
            digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())  # one bit pattern for NaN
    for flags in (scores.missing, scores.undefined):
        digest.update(flags.tobytes())
    return digest.hexdigest()


def read_scores(path: PathLike) -> Scores:
    """Scores that `write_scores` or `--save` saved: the same values, names, settings and notes.

    A measure that is not known here, since it was defined elsewhere, is known by its name only (`SavedMeasure`). Raises
    InputError for a file that is not there, is none of these, or is damaged.

    >>> import tempfile
    >>> import rankscope as rs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(rs.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 2.0}}, ["RR", "P@5"]), f"{folder}/old.parquet")
    ...     read_scores(f"{folder}/old.parquet")
    Scores(1 system, 2 measures, 1 query)
    """
    with open_binary(path) as stream:
        content = stream.read()
    name = source_name(path)
    if not content.startswith(MAGIC):
        raise InputError(f"{name}: is not a Parquet file, expected scores as --save and write_scores save them")
    description = read_description(content, name)
    if description is None:
        raise InputError(
            f"{name}: a Parquet file, but none of scores (its metadata have no entry {KEY!r}), expected one as --save "
            "and write_scores save it; save the scores again"
        )
    return build_scores(description, content, name)


def read_baseline(path: PathLike) -> Scores | None:
    """Saved scores, or None where the file is something else: a run. Raises InputError as `read_scores`.

    What stands for standard input is taken for a run.
    """
    if not is_file(path):  # a pipe could not be read again
        return None
    with open_binary(path) as stream:
        content = stream.read(len(MAGIC))
        if content != MAGIC:
            return None
        content += stream.read()
    name = source_name(path)
    description = read_description(content, name)
    if description is None:
        if set(read_score_frame(content, name, rows=0).columns) >= TIDY_COLUMNS:
            raise InputError(
                f"{name}: a table of scores, but not as it was saved: what they rest on is lost; save them again with "
                "--save or write_scores"
            )
        return None
    return build_scores(description, content, name)


def read_description(content: bytes, name: str) -> dict[str, Any] | None:
    """Our entry of the file's metadata; None where there is none. Raises InputError."""
    import polars as pl

    try:
        text = pl.read_parquet_metadata(io.BytesIO(content)).get(KEY)
        description = None if text is None else json.loads(text)
        if description is None or (isinstance(description, dict) and description.get("form") == FORMAT_VERSION):
            return description
        version = description.get("form") if isinstance(description, dict) else None
    except polars_errors():
        raise InputError(f"{name}: {DAMAGED}") from None
    if isinstance(version, int):
        raise InputError(
            f"{name}: scores saved in form {version}, expected form {FORMAT_VERSION}; save them again, or use a newer "
            "rankscope"
        )
    raise InputError(f"{name}: {DAMAGED}")


def read_score_frame(content: bytes, name: str, rows: int | None = None) -> pl.DataFrame:
    import polars as pl

    try:
        refuse_false_pages(content, name)
        return pl.read_parquet(io.BytesIO(content), n_rows=rows)
    except polars_errors():
        raise InputError(f"{name}: {DAMAGED}") from None


def build_scores(description: Mapping[str, Any], content: bytes, name: str) -> Scores:
    """The scores, after their digest was checked. Raises InputError."""
    frame = read_score_frame(content, name)
    try:
        scores = rebuild_scores(description, frame)
        if scores_digest(scores, description) == description["digest"]:
            return scores
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    raise InputError(f"{name}: {DAMAGED}")


def rebuild_scores(description: Mapping[str, Any], frame: pl.DataFrame) -> Scores:
    """Scores from description and table. Raises KeyError, TypeError or ValueError for content of another form."""
    systems, query_ids = tuple(description["systems"]), tuple(description["query_ids"])
    measures = tuple(find_measure(**entry) for entry in description["measures"])
    shape = (len(systems), len(measures), len(query_ids))
    columns = {name: frame[name].to_numpy().reshape(shape) for name in frame.columns if name not in NAMES}
    bounds = np.array([columns["low"], columns["high"]]) if "low" in columns else None
    return Scores(
        systems=systems,
        measures=measures,
        query_ids=query_ids,
        values=freeze(np.array(columns["value"])),
        missing=freeze(np.array(columns["missing"][:, 0])),
        undefined=freeze(np.array(columns["undefined"][0])),
        bounds=None if bounds is None else freeze(bounds),
        settings=dict(description["settings"]),
        measure_settings=tuple(dict(settings) for settings in description["measure_settings"]),
        notes=tuple(description["notes"]),
        aliases=MeasureAliases(dict(description["asked"]), [m for m in measures if isinstance(m, Measure)]),
        version=str(description["version"]),
        judgments=partial(str, description["judgments"]) if description["judgments"] else None,
    )


NAMES = ("system", "measure", "query")


def find_measure(name: str, summary: str, higher_is_better: bool | None) -> MeasureLike:
    """The measure of this name where it is defined here with the same summary, else a `SavedMeasure`."""
    try:
        parsed_measures = parse_measures([name])
    except RankscopeError:
        parsed_measures = []
    if len(parsed_measures) == 1 and str(parsed_measures[0]) == name and parsed_measures[0].summary == summary:
        return parsed_measures[0]
    return SavedMeasure(name=name, summary=summary, higher_is_better=higher_is_better)


#: The columns of the table, and their other names.
TABLE_COLUMNS = ("system", "measure", "query", "value")
COLUMN_ALIASES = {"system": "run", "measure": "metric", "query": "query_id", "value": "score"}
#: The expected content, for the message about an empty file.
EXPECTED = "a header line (system,measure,query,value) and one line per value"
#: The query of summaries.
ALL = "all"


def read_score_table(path: PathLike) -> Scores:
    r"""Scores from a table with the columns system, measure, query and value; "-" is standard input.

    Rows of query "all" are summaries and are left out, with a note where one system and measure has several, since one
    may be a query of that name; an empty value is none. What else scores know, as the
    conventions, is not in a table: `write_scores` and `read_scores` keep it. Of a measure that is not known here higher
    is taken to be better, and a note says so.

    Raises InputError, with file and line, for a column that is missing, a value that is no number, one of a system,
    measure and query that occurs twice, and where there are only summaries.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.csv")
    >>> _ = path.write_text("system,measure,query,value\na,AP,1,0.5\na,AP,2,1\na,AP,all,0.75\n")
    >>> read_score_table(path).matrix("AP").tolist()
    [[0.5, 1.0]]
    """
    table = read_named_table(path, EXPECTED)
    columns = {
        name: require_column(table.frame.columns, name, (name, COLUMN_ALIASES[name]), table.header_location)
        for name in TABLE_COLUMNS
    }
    values = number_values(table, columns["value"])
    systems, (system_codes,) = name_codes([name_column(table, columns["system"], "system")])
    measure_names, (measure_codes,) = name_codes([name_column(table, columns["measure"], "measure")])
    queries, (query_codes,) = name_codes([name_column(table, columns["query"], "query")])
    is_summary = query_codes == (queries.index(ALL) if ALL in queries else -1)
    value_rows = np.flatnonzero(~is_summary)
    if not value_rows.size:
        raise InputError(
            f"{table.name}: summaries only (query {ALL!r}), expected every query's values, as `rankscope evaluate "
            "--by-query` writes them"
        )
    used_queries, query_codes = np.unique(query_codes[value_rows], return_inverse=True)
    shape = (len(systems), len(measure_names), used_queries.size)
    refuse_sparse(shape, value_rows.size, table.name, "systems, measures and queries")
    cells = np.ravel_multi_index((system_codes[value_rows], measure_codes[value_rows], query_codes.reshape(-1)), shape)
    refuse_repeated(table, cells, value_rows)
    value_array = np.full(shape, np.nan)
    value_array.ravel()[cells] = values[value_rows]
    measures = [measure_or_name(name) for name in measure_names]
    return Scores(
        systems=systems,
        measures=tuple(measures),
        query_ids=tuple(queries[i] for i in used_queries.tolist()),
        values=freeze(value_array),
        missing=freeze(np.zeros((shape[0], shape[2]), np.bool_)),
        undefined=freeze(np.zeros(shape[1:], np.bool_)),
        settings={},
        measure_settings=tuple({} for _ in measure_names),
        notes=(
            *score_table_notes(table, measures, np.isnan(value_array)),
            *summaries_note(table, system_codes[is_summary] * len(measure_names) + measure_codes[is_summary]),
        ),
    )


def refuse_repeated(table: NamedTable, cells: Ints, value_rows: Ints) -> None:
    """Raise InputError where one system has two values of a measure on one query."""
    order = np.argsort(cells, kind="stable")
    repeats = np.flatnonzero(cells[order[1:]] == cells[order[:-1]])
    if repeats.size:
        first, row = (int(value_rows[order[i]]) for i in (repeats[0], repeats[0] + 1))
        raise InputError(
            f"{table.location(row)}: a second value of this system, measure and query, the first is at "
            f"{table.location(first)}; keep one of the two"
        )


def measure_or_name(name: str) -> MeasureLike:
    """The measure of this name, or a `SavedMeasure` where it is not defined here."""
    try:
        [measure] = parse_measures([name])
    except (RankscopeError, ValueError):
        return SavedMeasure(name=name, summary="mean", higher_is_better=True)
    return measure if str(measure) == name else SavedMeasure(name=name, summary="mean", higher_is_better=True)


def score_table_notes(table: NamedTable, measures: list[MeasureLike], absent: Bools) -> list[str]:
    """Notes on measures that are not defined here and on missing values."""
    unknown_names = [str(measure) for measure in measures if isinstance(measure, SavedMeasure)]
    notes = []
    if unknown_names:
        notes.append(f"{table.name}: {join_names(unknown_names)}: not known here, higher is taken to be better")
    if absent.any():
        notes.append(f"{table.name}: {pluralise(int(absent.sum()), 'value')} missing")
    return notes


def summaries_note(table: NamedTable, keys: Ints) -> tuple[str, ...]:
    """A note where a system and measure has several summaries. keys: (summaries) one number a system and measure."""
    n_extra = keys.size - np.unique(keys).size
    if not n_extra:
        return ()
    return (
        f"{table.name}: {pluralise(n_extra, 'row')} of query {ALL!r} more than one mean for each system and measure; "
        "all are skipped. If a query has that name, save scores with --save (write_scores), which keeps it apart",
    )
