"""`read_scores`: scores from files of any form, and how a file of scores is told from judgments."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.data.row_tables import DOC_ID, LISTS, QUERY_IDS
from rankscope.data.scores import Scores
from rankscope.data.tables import Table, find_column, is_number
from rankscope.data.text import join_names, json_value
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.column_settings import ColumnSettings
from rankscope.evaluation.foreign_measure import measure_of_name
from rankscope.evaluation.inspect_samples import is_inspect_log, log_values
from rankscope.evaluation.result_files import grid_of_results, is_metadata, is_result_file
from rankscope.evaluation.saved_scores import saved_scores
from rankscope.evaluation.score_tables import (
    ALL,
    SCHEMA,
    ScoreCell,
    ScoreGrid,
    ScoreTableSettings,
    grid_of_cells,
    grid_of_mapping,
    grid_of_table,
    join_grids,
    refuse_lack_of_queries,
    scores_of_grid,
)
from rankscope.io.core import (
    BOM,
    FORMATS,
    HEAD,
    PARQUET_MAGIC,
    columns_of,
    is_file,
    is_path,
    open_binary,
    sniff,
    source_name,
)
from rankscope.io.id_lists import columns_to_records
from rankscope.io.tables import column_names, first_record, parse_table, read_content
from rankscope.io.trec import looks_like_rank_table
from rankscope.settings import as_names
from rankscope.typing import PathLike

__all__ = [
    "is_score_file",
    "names_measures",
    "read_baseline",
    "read_score_files",
    "read_scores",
    "read_scores_or_summaries",
    "refuse_file_without_queries",
    "select_measures",
]


#: Fields of a line of `trec_eval -q` and of `ir_measures --by_query`.
PER_QUERY_FIELDS = 3
#: Fields of a line of AutoJudge, lines that tell such a file, and truth values in it.
FOUR_FIELDS = ["system", "measure", "query", "value"]
SAMPLE = 50
TRUTH = {b"True": b"1", b"False": b"0"}
#: The name of a log of lm-evaluation-harness, and its end: the date.
LOG_NAME, DATE = re.compile(r"samples_.+\.jsonl(\.\w+)?"), re.compile(r"_\d{4}-\d\d-\d\d.*$")
#: How a line of such a log begins, which may be longer than what is looked at.
BEGIN_OF_SAMPLE = re.compile(rb'\s*\{\s*"doc_id"\s*:\s*\d+\s*,\s*"doc"\s*:')
#: Fields of a sample that tell such a log, and those that are no measures.
LOG_FIELDS = ("resps", "filtered_resps", "doc_hash", "prompt_hash", "target_hash")
SAMPLE_FIELDS = (*LOG_FIELDS, "doc_id", "doc", "target", "arguments", "filter", "metrics")
#: A line of trec_eval that holds the name of the run, which is no value.
RUN_NAME = "runid"


def read_scores(
    path: PathLike | Sequence[PathLike],
    *,
    measures: Any = None,
    columns: Mapping[str, str] | None = None,
    lower: Any = (),
    systems: Any = (),
    repeats: str = "error",
) -> Scores:
    r"""Scores from a file: saved scores, or values that another tool computed.

    Saved scores (`write_scores`, `--save`) come back exactly. Everything else is a table of values: rows of system,
    query, measure and value, as `rankscope evaluate --by-query` writes them; a column for each system, or for each
    measure; the output of `trec_eval -q` and `ir_measures --by_query`; leaderboards of TREC AutoJudge; the samples of
    lm-evaluation-harness (`samples_*.jsonl`) and Inspect (the table of `samples_df`, or a log in JSON); result files of
    MTEB, RRE, `_rank_eval` and LlamaIndex. A table is CSV (commas, tabs or semicolons), JSON lines, a JSON list or
    Parquet. Where a file names no system, its own name is that of the system.

    Parameters
    ----------
    path
        The file, or several of one system each; "-" is standard input.
    measures
        Measures to include; or the name of the measure where the file does not name it. Default: all.
    columns
        Column names in tables. NAME is query_id, doc_id, relevance, score, rank, subtopic, relevant_ids or
        retrieved_ids; in a file of scores system, query, measure, value, group, cluster, weight or epoch; for spans
        also query, file, begin or end; in the table of --doc-of chunk or document, in that of --texts text_id, title or
        text. Default: found by their usual names.
    lower
        Measures in a file of scores for which lower values are better.
    systems
        Systems to read from a file of scores or ranks: in a table with a column for each system, these columns.
        Default: all.
    repeats
        Repeated measurements in a file of scores, such as those of epochs or seeds: refused (error) or averaged (mean).
        One of 'error', 'mean'. Default: 'error'.

    Returns
    -------
    Scores
        The scores. Of a measure that rankscope does not have, higher is better unless `lower` names it, and a note
        says so.

    Raises
    ------
    InputError
        The file holds no scores, or a value is no finite number, stands twice or lies in a short line; with file and
        line.
    UnknownName
        A measure is not in the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankscope as rs
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.csv")
    >>> _ = path.write_text("item,bm25,dense\n1,0.5,0.7\n2,0.25,0.5\n")
    >>> scores = rs.read_scores(path, measures="F1")
    >>> scores.matrix("F1").tolist(), scores.systems
    ([[0.5, 0.25], [0.7, 0.5]], ('bm25', 'dense'))
    """
    settings = ScoreTableSettings(lower=as_names(lower), table_systems=as_names(systems), repeats=repeats)
    naming = ColumnSettings(columns=columns)
    paths = [path] if is_path(path) else list(path)  # type: ignore[arg-type]  # a path or a list of paths
    if not paths:
        raise ParameterError("no file of scores, expected at least one")
    names = None if measures is None else list(map(str, as_names(measures)))
    return read_score_files(list(map(naming.path, paths)), names, settings)


def read_scores_or_summaries(path: PathLike, columns: Mapping[str, str] | None) -> Scores:
    """As `read_scores`; summaries are the values of a query "all" if a file has no others."""
    naming = ColumnSettings(columns=columns)
    return read_score_files([naming.path(path)], None, ScoreTableSettings(), allow_summaries=True)


def read_score_files(
    paths: Sequence[PathLike],
    measures: Sequence[str] | None,
    settings: ScoreTableSettings,
    *,
    allow_summaries: bool = False,
) -> Scores:
    """As `read_scores`, with its settings as one object. allow_summaries: as in `grid_of_table`."""
    grids = []
    results = [path for path in paths if not is_metadata(path)]
    if not results:
        raise InputError(f"{source_name(paths[0])}: metadata of a model, expected its results; name these")
    for path in results:
        content = read_content(path)
        saved = saved_scores(content, source_name(path))
        if saved is None:
            grids.append(grid_of_content(content, path, settings, allow_summaries=allow_summaries))
            continue
        since = f"{source_name(path)} holds saved scores, which know their measures"
        settings.refuse("lower", "repeats", since=since)
        ColumnSettings(columns=columns_of(path) or None).refuse("columns", since=since)
        if len(results) > 1:
            raise ParameterError(f"{source_name(path)}: saved scores beside other files; read each alone")
        if settings.table_systems:
            saved = saved.select(systems=[saved.place_of_system(system) for system in settings.table_systems])
        return saved if measures is None else select_measures(saved, measures)
    return scores_of_grid(join_grids(grids, settings), measures, settings)


def select_measures(scores: Scores, measures: Sequence[str]) -> Scores:
    """The scores by these measures. Raises UnknownName."""
    return scores.select(measures=list(dict.fromkeys(scores.place_of(name) for name in measures)))


def grid_of_content(
    content: bytes, path: PathLike, settings: ScoreTableSettings, *, allow_summaries: bool = False
) -> ScoreGrid:
    """The values in the content of a file. allow_summaries: as in `grid_of_table`."""
    name = source_name(path)
    if content.startswith(BOM):
        content = content.removeprefix(BOM)
    system = system_of_path(path)
    columns = columns_of(path)
    if is_sample_log(content[:HEAD], path):
        return grid_of_sample_log(content, path, settings)
    if is_inspect_log(content[:HEAD]) and (log := log_values(content, name)) is not None:
        grid = grid_of_cells(name, list(map(ScoreCell._make, log[0])), settings, may_share_systems=True)
        return replace(grid, notes=(*log[1], *grid.notes))
    if (results := grid_of_results(content, path, system, settings)) is not None:
        return results
    if (layout := per_query_layout(content[:HEAD])) is not None:
        table = per_query_table(content, name, layout, columns)
        return grid_of_table(table, system, settings, allow_summaries=allow_summaries)
    if may_have_four_fields(content[:HEAD]):
        layout = four_field_layout(content)
        if layout is None:
            raise InputError(
                f"{name}:1: four fields without a header, where no line has the topic {ALL!r}, so that measures cannot "
                "be told from topics; put a first line before them (system, measure, query, value), and tabs between "
                "the fields"
            )
        table = per_query_table(tabbed(content), name, layout, columns)
        return grid_of_table(table, system, settings, allow_summaries=allow_summaries)
    if (mapping := nested_mapping(content, name)) is not None:
        if not are_columns(mapping, columns):
            return grid_of_mapping(mapping, settings, name)
        content = json.dumps(records_of_columns(mapping)).encode("utf-8", "surrogatepass")
    if content[:HEAD].lstrip().startswith(b"{"):
        content = columns_to_records(content, name, SCHEMA.column("query").names)
    table = parse_table(content, name, SCHEMA, columns)
    return grid_of_table(table, system, settings, allow_summaries=allow_summaries)


def system_of_path(path: PathLike) -> str:
    """The name of the file without its folder and suffixes, as the name of a system."""
    name = source_name(path)
    return "system" if name == "<stdin>" else Path(name).name.split(".", 1)[0] or name


def nested_mapping(content: bytes, name: str) -> dict[str, dict[str, Any]] | None:
    """One object {system: {query: value}}; None where the content is something else."""
    if not content[:HEAD].lstrip().startswith(b"{"):
        return None
    record = json_value(content.lstrip().partition(b"\n")[0])
    if record is not None and not is_nested(record):
        return None
    try:
        mapping = json.loads(content, parse_constant=refuse_constant)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            return None  # JSON lines: their reader says what is wrong
        raise InputError(f"{name}: the value {error}, expected finite numbers") from None
    except RecursionError:
        return None
    return mapping if is_nested(mapping) else None


def are_columns(mapping: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str]) -> bool:
    """Whether these are columns of a table with numbered rows, as pandas' to_json writes them by default."""
    rows = [str(row) for row in range(len(next(iter(mapping.values()))))]
    is_numbered = all(list(cells) == rows for cells in mapping.values())
    return is_numbered and "query" in SCHEMA.match(list(mapping), columns)


def records_of_columns(mapping: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a table of columns with the same keys."""
    return [
        dict(zip(mapping, row, strict=True)) for row in zip(*(each.values() for each in mapping.values()), strict=True)
    ]


def is_nested(data: Any) -> bool:
    """Whether this is an object of objects."""
    return isinstance(data, dict) and bool(data) and all(isinstance(value, dict) for value in data.values())


def refuse_constant(text: str) -> float:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(text)


# trec_eval and ir_measures


def per_query_layout(head: bytes) -> list[str] | None:
    """The columns of lines without a header of `trec_eval -q` or `ir_measures --by_query`; None for another file."""
    for line in head.split(b"\n", 3)[:3]:  # the first may name the run, and count the queries
        cells = [cell.strip() for cell in line.decode("utf-8", "replace").split("\t")]
        if len(cells) != PER_QUERY_FIELDS or not all(cells):
            return None
        if cells[0] in (RUN_NAME, "num_q"):
            continue
        try:
            float(cells[2])
        except ValueError:
            return None
        if measure_of_name(cells[0]) is not None:
            return ["measure", "query", "value"]
        return ["query", "measure", "value"] if measure_of_name(cells[1]) is not None else None
    return None


def per_query_table(content: bytes, name: str, layout: Sequence[str], columns: Mapping[str, str]) -> Table:
    """The lines as a table, without those that name the run; of several runs with a column of their names."""
    import polars as pl

    table = parse_table(content, name, SCHEMA, columns, header=layout)
    names_run = (table.frame["measure"] == RUN_NAME).fill_null(False)
    runs = table.frame.filter(names_run)["value"].cast(pl.String).to_list()
    if len(set(runs)) > 1:
        # trec_eval names a run below its queries, and what rankscope writes of several runs names it above them.
        block = np.minimum(np.cumsum(names_run.to_numpy()) - bool(names_run[0]), len(runs) - 1)
        frame = table.frame.with_columns(pl.Series("system", runs).gather(block))
        table = replace(table, frame=frame, columns={**table.columns, "system": "system"})
    return table.take((~names_run).arg_true().to_numpy())


# AutoJudge: run, measure, topic and value, or run, topic, measure and value


def four_fields(content: bytes) -> list[list[bytes]]:
    """The fields of all lines that are not blank; empty where a line is none of four with a number or truth value last.

    Lines of judgments (query, iteration, document, grade), whose second field is a number or Q0, are none of these.
    """
    lines = [line.split() for line in content.splitlines() if line.strip()]
    for line in lines:
        if len(line) != len(FOUR_FIELDS) or not (is_number(line[3].decode("utf-8", "replace")) or line[3] in TRUTH):
            return []
    seconds = {line[1] for line in lines}
    return [] if seconds == {b"Q0"} or seconds == {b"0"} else lines


def may_have_four_fields(head: bytes) -> bool:
    """Whether this begins with lines of four fields without a header."""
    lines = head.splitlines(keepends=True)[:SAMPLE]
    if lines and not lines[-1].endswith(b"\n") and len(head) == HEAD:
        lines.pop()  # cut off
    fields = four_fields(b"".join(lines))
    return bool(fields) and not all(is_number(line[1].decode("utf-8", "replace")) for line in fields)


def four_field_layout(content: bytes) -> list[str] | None:
    """The columns of lines of four fields; None where nothing tells measures from topics."""
    fields = four_fields(content)
    seconds, thirds = ({line[place].decode("utf-8", "replace") for line in fields} for place in (1, 2))
    if ALL in thirds and ALL not in seconds:
        return FOUR_FIELDS
    swapped = ["system", "query", "measure", "value"]
    if ALL in seconds and ALL not in thirds:
        return swapped
    for names, layout in ((seconds, FOUR_FIELDS), (thirds, swapped)):
        if names and all(measure_of_name(name) is not None for name in names):
            return layout
    return None


def tabbed(content: bytes) -> bytes:
    """The lines with tabs between their fields, and truth values as numbers."""
    lines = [line.split() for line in content.splitlines()]
    return b"".join(b"\t".join([*line[:3], *(TRUTH.get(field, field) for field in line[3:])]) + b"\n" for line in lines)


# lm-evaluation-harness


def is_sample_log(head: bytes, path: PathLike) -> bool:
    """Whether this is a log of samples of lm-evaluation-harness, or what is left of one without some of its fields.

    Its objects have a doc_id and no query, unlike judgments. If no field tells where they come from, the name of the
    file does.
    """
    if b'"doc_id"' not in head:
        return False
    record = json_value(head.lstrip().partition(b"\n")[0])
    if record is None:  # it may be cut off
        return BEGIN_OF_SAMPLE.match(head) is not None
    if not isinstance(record, dict) or "doc_id" not in record or find_column(list(record), QUERY_IDS) is not None:
        return False
    if any(field in record for field in LOG_FIELDS) or isinstance(record.get("doc"), dict):
        return True
    is_named = "filter" in record or LOG_NAME.fullmatch(os.path.basename(source_name(path))) is not None
    return is_named and any(True for _ in sample_values(record, ""))


def grid_of_sample_log(content: bytes, path: PathLike, settings: ScoreTableSettings) -> ScoreGrid:
    """The values of samples_TASK_DATE.jsonl: the folder is the system, a query is task/number.

    Of several filters each has measures of its own, as "exact_match,strict-match".
    """
    name = source_name(path)
    task = DATE.sub("", Path(name).name.removesuffix(".jsonl").removeprefix("samples_"))
    folder = Path(os.path.abspath(name)).parent.name if name != "<stdin>" else ""
    samples = list(sample_records(content, name))
    filters = {str(sample.get("filter", "none")) for _, sample in samples}
    cells = []
    for line, sample in samples:
        suffix = "" if len(filters) == 1 else f",{sample.get('filter', 'none')}"
        for measure, value in sample_values(sample, f"{name}:{line}"):
            query = f"{task}/{sample['doc_id']}"
            cells.append(ScoreCell(folder or "system", f"{measure}{suffix}", query, value, f"{name}:{line}"))
    if not cells:
        raise InputError(f"{name}: samples without a number, expected values of measures as acc or exact_match")
    grid = grid_of_cells(name, cells, settings, may_share_systems=True)
    unread = {str(measure) for _, sample in samples for measure in listed_metrics(sample)}
    unread -= {
        measure for _, sample in samples for measure in sample if isinstance(sample[measure], (bool, int, float))
    }
    if not unread:
        return grid
    return replace(grid, notes=(f"{name}: no numbers of {join_names(sorted(unread))}: left out", *grid.notes))


def sample_records(content: bytes, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The samples of a log, one JSON object for each line, with the number of the line. Raises InputError."""
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        sample = json_value(line)
        if not isinstance(sample, dict) or not isinstance(sample.get("doc_id"), (int, str)):
            raise InputError(f"{name}:{number}: no sample with a doc_id, expected a JSON object a line; correct it")
        yield number, sample


def listed_metrics(sample: Mapping[str, Any]) -> list[Any]:
    """The measures that a sample lists, none where it has no list."""
    listed = sample.get("metrics")
    return listed if isinstance(listed, list) else []


def sample_values(sample: Mapping[str, Any], where: str) -> Iterator[tuple[str, float]]:
    """The measures of a sample: those that it lists, or else all its numbers."""
    names = listed_metrics(sample) or [name for name in sample if name not in SAMPLE_FIELDS]
    for name in map(str, names):
        value = sample.get(name)
        if isinstance(value, (bool, int, float)):
            if not np.isfinite(float(value)):
                raise InputError(f"{where}: {name} is {value!r}, expected a finite number; correct it")
            yield name, float(value)


def read_baseline(path: PathLike) -> Scores | None:
    """Saved scores, or None where the file is something else: a run.

    What stands for standard input is taken for a run. Raises InputError for damaged scores, and for scores that are not
    as they were saved: what they rest on is not known, and new scores of runs could rest on something else.
    """
    if not is_file(path):  # a pipe could not be read again
        return None
    with open_binary(path) as stream:
        content = stream.read(len(PARQUET_MAGIC))
        content += stream.read() if content == PARQUET_MAGIC else b""
    saved = saved_scores(content, source_name(path))
    if saved is None and is_score_file(path, alone=False):
        raise InputError(
            f"{source_name(path)}: a table of scores, but not as it was saved: what they rest on is lost; save them "
            "again with --save or write_scores"
        )
    return saved


# Scores or judgments


def is_score_file(path: object, *, alone: bool) -> bool:
    """Whether a file in the place of judgments holds scores.

    alone: whether no run follows, so that judgments make no sense: then a table without documents will do. Else a file
    is one of scores only if its columns or lines say so. Pipes are never read.
    """
    if not is_file(path):
        return False
    assert isinstance(path, (str, os.PathLike))
    if is_metadata(path):
        return True
    columns, head = columns_of(path), head_of(path)
    if head.startswith(PARQUET_MAGIC):
        return is_score_header(parquet_columns(path), alone, columns)
    if is_sample_log(head, path) or is_inspect_log(head) or is_result_file(head) or per_query_layout(head) is not None:
        return True
    if may_have_four_fields(head):
        complete = head if len(head) < HEAD else head[: head.rfind(b"\n") + 1]
        return alone or four_field_layout(complete) is not None
    if head.lstrip().startswith((b"{", b"[")):
        record = first_record(head)
        if is_of_tool(head, source_name(path)) or (not alone and holds_no_value(record, columns)):
            return False
        return is_score_header(list(record), alone, columns) if record else alone
    header = column_names(head)
    if len(header) < 2 or any(map(is_number, header)):
        return False
    return is_score_header(header, False, columns) or (
        alone and is_score_header(header, True, columns) and not looks_like_rank_table(os.fspath(path))
    )


def refuse_file_without_queries(path: object) -> None:
    """Raise InputError for a table with documents and no queries. Pipes are never read."""
    if not is_file(path):
        return
    assert isinstance(path, (str, os.PathLike))
    head, columns = head_of(path), columns_of(path)
    if head.startswith(PARQUET_MAGIC):
        header = parquet_columns(path)
    elif head.lstrip().startswith((b"{", b"[")):
        header = [name for name, value in first_record(head).items() if not isinstance(value, (dict, list))]
    else:
        header = column_names(head)
    if columns.get("query_id", columns.get("query")) not in header:
        refuse_lack_of_queries(header, source_name(path))


def is_of_tool(head: bytes, name: str) -> bool:
    """Whether these are the first bytes of judgments or a run as one tool writes them."""
    return bool(FORMATS[sniff(head, name)].begins)


def holds_no_value(record: Mapping[str, object], columns: Mapping[str, str]) -> bool:
    """Whether a record of JSON has lists, as judgments and runs may, and no number but the query's id.

    If nothing names the lists as ids, there must be no empty cell, no text of a number and no list of numbers either.
    """
    queries = {SCHEMA.match(list(record), columns).get("query"), columns.get("query_id")}
    cells = {name: value for name, value in record.items() if name not in queries}
    if any(isinstance(value, (int, float)) for value in cells.values()):
        return False
    lists = {name: value for name, value in cells.items() if isinstance(value, list)}
    if any(columns.get(column.name) in lists or find_column(list(lists), column.names) for column in LISTS.values()):
        return True
    has_value = any(value is None or is_number(str(value)) for name, value in cells.items() if name not in lists)
    return bool(lists) and not has_value and not any(map(is_list_of_numbers, lists.values()))


def is_list_of_numbers(values: list[object]) -> bool:
    """Whether the values of a list that are not empty are numbers, and there is one."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, (int, float)) for value in present)


def names_measures(path: object, columns: Mapping[str, str]) -> bool:
    """Whether a file holds scores by their measures: saved ones, or lines that name query and measure.

    columns: what the columns are called. Pipes are never read.
    """
    if not is_file(path):
        return False
    assert isinstance(path, (str, os.PathLike))
    head = head_of(path)
    if not head.startswith(PARQUET_MAGIC) and (per_query_layout(head) is not None or may_have_four_fields(head)):
        return True
    header = parquet_columns(path) if head.startswith(PARQUET_MAGIC) else column_names(head)
    return {"query", "measure", "value"} <= {*columns, *SCHEMA.match(header, {})}


def is_score_header(header: Sequence[str], alone: bool, columns: Mapping[str, str]) -> bool:
    """Whether columns of these names are scores. columns: what the user calls them."""
    if columns.get("query") in header and columns["query"] == find_column(header, DOC_ID.names):
        return True
    if find_column(header, DOC_ID.names) is not None or columns.get("doc_id") in header:
        return False
    if columns.get("query") in header:
        return True
    return alone or "query" in SCHEMA.match(header, {})


def head_of(path: PathLike) -> bytes:
    """The first bytes of a file."""
    with open_binary(path) as stream:
        return stream.read(HEAD).removeprefix(BOM)


def parquet_columns(path: PathLike) -> list[str]:
    """The names of the columns; none for a file that cannot be read."""
    import polars as pl

    try:
        return list(pl.read_parquet_schema(os.fspath(path)))
    except (pl.exceptions.PolarsError, OSError):
        return []
