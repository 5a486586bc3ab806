"""Scores of metrics from WMT's metrics task: seg.scr and sys.scr, with one score per line and several metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rows import Interner, decode_id
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BlockReader, LineBlock, LineLayout, open_binary, source_name, split_fields
from rankscope.io.translation.names import bare_names, normalise_pair, segment_order
from rankscope.io.trec import advise_on_line
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.order import first_repeat
from rankscope.kernels.text import Fields, as_fields, decode
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "NO_SCORE",
    "SEGMENTS",
    "SYSTEMS",
    "ScoreLines",
    "is_score",
    "read_score_lines",
    "read_seg_scores",
    "read_sys_scores",
]


SEGMENTS = ("metric", "pair", "test set", "system", "segment", "score")
SYSTEMS = ("metric", "pair", "test set", "system", "score")
#: Texts for a missing score.
NO_SCORE = {b"nan", b"none", b"na", b"null", b"-"}
#: Replaces a blank inside a field of a file with tabs while lines are split; no name contains DEL.
BLANK, STAND_IN = b" ", b"\x7f"
TO_STAND_IN = bytes.maketrans(BLANK, STAND_IN)


class ScoreLines(NamedTuple):
    """The lines of a file.

    Attributes
    ----------
    name
        Name of the file.
    names
        Field -> its distinct values.
    codes
        Field -> index of each line's value in `names`.
    values
        Score of each line.
    """

    name: str
    names: dict[str, list[str]]
    codes: dict[str, npt.NDArray[np.int32]]
    values: Floats

    def by_metric(self) -> list[tuple[str, dict[str, Ints]]]:
        """The lines of each pair of each metric, in the order of first appearance."""
        n_pairs = len(self.names["pair"])
        key = self.codes["metric"].astype(np.int64) * n_pairs + self.codes["pair"]
        order = np.argsort(key, kind="stable")
        rows_by_metric: dict[str, dict[str, Ints]] = {metric: {} for metric in self.names["metric"]}
        for rows in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
            metric, pair = divmod(int(key[rows[0]]), n_pairs)
            rows_by_metric[self.names["metric"][metric]][self.names["pair"][pair]] = rows
        return [(metric, pairs) for metric, pairs in rows_by_metric.items() if pairs]

    def notes(self, metric: str, pairs: dict[str, Ints]) -> tuple[str, ...]:
        missing = sum(int(np.isnan(self.values[rows]).sum()) for rows in pairs.values())
        return (f"{self.name}: {pluralise(missing, 'line')} of {metric} without a score",) if missing else ()


def read_score_lines(
    path: PathLike, fields: Sequence[str], columns: Sequence[str] | None, test_set: str | None
) -> ScoreLines:
    name = source_name(path)
    interners = {field: Interner() for field in fields[:-1]}
    codes: dict[str, list[npt.NDArray[np.int32]]] = {field: [] for field in fields[:-1]}
    values: list[Floats] = []
    lines: list[npt.NDArray[np.int32]] = []
    with open_binary(path) as stream:
        head = b""
        while b"\n" not in head.strip() and (chunk := stream.read(1 << 16)):
            head += chunk
        first_line = next(
            (line.rstrip() for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b""
        )
        has_tabs = len(first_line.split(b"\t")) >= len(fields)
        layout = layout_of(first_line.split(b"\t") if has_tabs else first_line.split(), fields, columns, name)
        reader = BlockReader(ReplayedStream(head, stream, has_tabs), name)
        block = reader.next()
        while block is not None:
            field_texts = split_fields(block, layout)
            for field, texts in zip(fields[:-1], field_texts, strict=False):
                codes[field].append(interners[field].codes(texts).astype(np.int32))
            values.append(parse_scores(field_texts[-1], block))
            lines.append(line_numbers(field_texts[-1], block))
            block = reader.next(block.end) if not block.is_last else None
    table = ScoreLines(
        name,
        {
            field: [decode_id(id_.replace(STAND_IN, BLANK).strip()) for id_ in interner.ids]
            for field, interner in interners.items()
        },
        {field: np.concatenate(chunks) for field, chunks in codes.items()},
        np.concatenate(values),
    )
    row_lines = np.concatenate(lines)
    if not row_lines.size:
        raise InputError(f"{name}: comments and blank lines only, expected {layout.expected}")
    table, row_lines = select_test_set(table, row_lines, test_set)
    for field, new_names in (
        ("pair", {pair: normalise_pair(pair) for pair in table.names["pair"]}),
        ("system", bare_names(table.names["system"])),
    ):
        merge_names(table, field, new_names)
    refuse_repeated(table, row_lines)
    return table


class ReplayedStream:
    """A stream whose first bytes were read ahead; with tabs, blanks inside fields are replaced by STAND_IN."""

    def __init__(self, head: bytes, stream: Any, has_tabs: bool) -> None:
        self.unread, self.stream, self.tabs = memoryview(head), stream, has_tabs

    def readinto(self, buffer: memoryview, /) -> int | None:
        if self.unread:
            n_bytes = min(len(self.unread), len(buffer))
            buffer[:n_bytes], self.unread = self.unread[:n_bytes], self.unread[n_bytes:]
        else:
            n_bytes = self.stream.readinto(buffer) or 0
        if self.tabs and BLANK in (text := bytes(buffer[:n_bytes])):
            buffer[:n_bytes] = text.translate(TO_STAND_IN)
        return n_bytes


def layout_of(
    first_fields: Sequence[bytes], fields: Sequence[str], columns: Sequence[str] | None, name: str
) -> LineLayout:
    """The layout of the lines, from `columns` or from the first line."""
    expected = f"{len(fields)} ({' '.join(field.upper() for field in fields)})"
    if columns is not None:
        missing = [field for field in fields if list(columns).count(field) != 1]
        if missing:
            raise ParameterError(
                f"columns={list(columns)}: {missing[0]!r} must stand in it once, as {', '.join(fields)}"
            )
        n_fields = len(columns)
        return LineLayout(
            n_fields,
            n_fields,
            tuple(map(list(columns).index, fields)),
            f"{n_fields} ({' '.join(columns)})",
            advise_on_line,
        )
    end = len(first_fields)
    while end > len(fields) and not is_score(first_fields[end - 1], dash=False):
        end -= 1
    n_behind = len(fields) - 3  # system, perhaps segment, score
    column_index = (0, 1, 2, *range(end - n_behind, end))
    if len(fields) == len(SYSTEMS) and end > len(fields) and is_score(first_fields[end - 2], dash=False):
        raise InputError(
            f"{name}: the first line has a number before the score, as seg.scr has, expected {expected}; read it with "
            "read_seg_scores, or name the columns"
        )
    n_fields = max(len(first_fields), len(fields))
    if n_fields > len(fields):
        expected = f"{n_fields} fields, as in the first line"
    alternatives = {5: "this looks like sys.scr, the scores of whole systems"} if fields is SEGMENTS else {}
    return LineLayout(n_fields, n_fields, column_index, expected, advise_on_line, alternatives)


def is_score(text: bytes, *, dash: bool = True) -> bool:
    """Whether a field is a number or says that there is no score. dash: whether "-" says so, too."""
    try:
        float(text)
    except ValueError:
        return text.strip().lower() in (NO_SCORE if dash else NO_SCORE - {b"-"})
    return True


def parse_scores(texts: Fields, block: LineBlock) -> Floats:
    """The scores of a block, NaN for a missing score."""
    values, invalid = parse_floats(texts)
    special_rows = np.union1d(invalid, np.flatnonzero(np.isinf(values)))
    special_texts = [text.replace(STAND_IN, BLANK).strip() for text in decode(texts.take(special_rows))]
    score_of_text = {text: np.nan if text.lower() in NO_SCORE else parse_score(text) for text in set(special_texts)}
    values[special_rows] = [score_of_text[text] for text in special_texts]
    for row, text in zip(special_rows.tolist(), special_texts, strict=True):
        if np.isinf(score_of_text[text]):
            raise InputError(
                f"{block.location(int(texts.starts[row]))}: score {decode_id(text)!r}, expected a finite number, or "
                "nan for none; correct this line"
            )
    return values


def parse_score(text: bytes) -> float:
    """The number in a text; infinite where it is not a number."""
    values, invalid = parse_floats(as_fields([text]))
    return np.inf if invalid.size else float(values[0])


def line_numbers(texts: Fields, block: LineBlock) -> npt.NDArray[np.int32]:
    """The number of the line of each field."""
    newlines = np.flatnonzero(block.array[block.begin : block.end] == ord("\n")) + block.begin
    if newlines.size == texts.starts.size:
        return np.arange(block.first_line, block.first_line + newlines.size, dtype=np.int32)
    return np.asarray(np.searchsorted(newlines, texts.starts) + block.first_line, np.int32)


def select_test_set(
    table: ScoreLines, row_lines: npt.NDArray[np.int32], test_set: str | None
) -> tuple[ScoreLines, npt.NDArray[np.int32]]:
    """The lines of the named test set, or of the only one."""
    names = table.names["test set"]
    if test_set is None and len(names) > 1:
        raise InputError(
            f"{table.name}: {len(names)} test sets ({join_names(names)}), expected one; say which is wanted (test_set)"
        )
    if test_set is None or names == [test_set]:
        return table, row_lines
    if test_set not in names:
        raise InputError(f"{table.name}: no test set {test_set!r}, there is {join_names(names)}; name one of those")
    in_test_set = table.codes["test set"] == names.index(test_set)
    codes = {field: field_codes[in_test_set] for field, field_codes in table.codes.items()}
    return ScoreLines(table.name, table.names, codes, table.values[in_test_set]), row_lines[in_test_set]


def merge_names(table: ScoreLines, field: str, new_names: dict[str, str]) -> None:
    """Rename the values of a field; values with the same new name are merged."""
    new_codes: dict[str, int] = {}
    code_map = np.array(
        [new_codes.setdefault(new_names[name], len(new_codes)) for name in table.names[field]], np.int32
    )
    table.names[field], table.codes[field] = list(new_codes), code_map[table.codes[field]]


def refuse_repeated(table: ScoreLines, row_lines: npt.NDArray[np.int32]) -> None:
    fields = [field for field in ("metric", "pair", "system", "segment") if field in table.codes]
    key = np.zeros(row_lines.size, np.int64)
    for field in fields:
        key = key * len(table.names[field]) + table.codes[field]
    repeat = first_repeat(key)
    if repeat is not None:
        second, first = repeat
        description = ", ".join(f"{field} {table.names[field][table.codes[field][second]]}" for field in fields)
        raise InputError(
            f"{table.name}:{row_lines[second]}: a second score for {description} (the first is in line "
            f"{row_lines[first]}), expected each once; keep one of the two"
        )


def read_seg_scores(
    path: PathLike, *, test_set: str | None = None, columns: Sequence[str] | None = None, higher_is_better: bool = True
) -> list[MetricScores]:
    r"""Read a seg.scr: lines METRIC PAIR TESTSET SYSTEM SEGMENT SCORE, separated by tabs or else by blanks.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content.
    test_set
        The test set to read, if there are several.
    columns
        What the fields hold, in order ("metric", "pair", "test set", "system", "segment", "score", anything else for
        what is ignored). Default: from the first line.
    higher_is_better
        Direction of the scores.

    Returns
    -------
    list of MetricScores
        One entry per metric. Languages become codes (cz-en: cs-en), a test set before systems' names is removed. nan,
        None, NA and - are no score.

    Raises
    ------
    InputError
        With file and line: a line has another number of fields, a score is not a number or occurs twice, or there are
        several test sets and none is named.

    Notes
    -----
    Some years have more columns. The first three come first; of the first line, what is not a number at the end
    (ensemble, public) is ignored, then come, from the end, score, segment and system, and what is left between test set
    and system (document, reference) is ignored, too. All lines are read as the first.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "chrf.seg.scr")
    >>> _ = path.write_text("chrF\tde-en\tnewstest2012\tA\t1\t0.5\nchrF\tde-en\tnewstest2012\tA\t2\t0.25\n")
    >>> [scores] = read_seg_scores(path)
    >>> scores.metric, scores.pairs["de-en"].values.tolist()
    ('chrF', [[0.5, 0.25]])
    """
    table = read_score_lines(path, SEGMENTS, columns, test_set)
    segment_scores = []
    for metric, pairs in table.by_metric():
        scores = {pair: pair_scores(table, rows) for pair, rows in pairs.items()}
        segment_scores.append(MetricScores(metric, scores, higher_is_better, table.notes(metric, pairs)))
    return segment_scores


def read_sys_scores(
    path: PathLike, *, test_set: str | None = None, columns: Sequence[str] | None = None, higher_is_better: bool = True
) -> list[MetricScores]:
    r"""Read a sys.scr: lines METRIC PAIR TESTSET SYSTEM SCORE.

    Parameters
    ----------
    path, test_set, columns, higher_is_better
        As for `read_seg_scores`.

    Returns
    -------
    list of MetricScores
        One entry per metric.

    Raises
    ------
    InputError
        As for `read_seg_scores`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "bleu.sys.scr")
    >>> _ = path.write_text("BLEU\tde-en\tnewstest2012\tA\t0.25\nBLEU\tde-en\tnewstest2012\tB\t0.21\n")
    >>> read_sys_scores(path)[0].pairs["de-en"].by_system
    {'A': 0.25, 'B': 0.21}
    """
    table = read_score_lines(path, SYSTEMS, columns, test_set)
    system_scores = []
    for metric, pairs in table.by_metric():
        scores = {
            pair: dict(
                zip(
                    (table.names["system"][i] for i in table.codes["system"][rows].tolist()),
                    table.values[rows].tolist(),
                    strict=True,
                )
            )
            for pair, rows in pairs.items()
        }
        notes = table.notes(metric, pairs)
        system_scores.append(MetricScores.of(metric, scores, higher_is_better=higher_is_better, notes=notes))
    return system_scores


def pair_scores(table: ScoreLines, rows: Ints) -> PairScores:
    """The scores of the lines of one metric and one pair."""
    system_codes, system_index = np.unique(table.codes["system"][rows], return_inverse=True)
    segment_codes, segment_index = np.unique(table.codes["segment"][rows], return_inverse=True)
    refuse_sparse((system_codes.size, segment_codes.size), rows.size, table.name, "systems and segments")
    values = np.full((system_codes.size, segment_codes.size), np.nan)
    values[system_index, segment_index] = table.values[rows]
    names = [table.names["segment"][code] for code in segment_codes.tolist()]
    order = segment_order(names)
    return PairScores(
        tuple(table.names["system"][code] for code in system_codes.tolist()),
        tuple(names[i] for i in order),
        np.ascontiguousarray(values[:, order]),
    )
