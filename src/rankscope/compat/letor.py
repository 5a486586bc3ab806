"""LETOR's evaluation tools: the scripts of LETOR 3.0 (2008), LETOR 4.0 (2009) and MSLR (2010).

They accept what rankscope refuses elsewhere (repeated documents, scores that are no numbers) and measure at every rank
of every list, so values are computed from arrays: one table of ranks for lists of similar length. Numbers are added in
the scripts' order, since LETOR 3.0 prints 15 digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, combined_keys, decode_id, decode_ids
from rankscope.errors import InputError, RankscopeError, UnknownName, in_one_line
from rankscope.io.core import BOM, SPACE, BlockReader, LineBlock, open_binary, open_source, source_name
from rankscope.io.letor import (
    BLOCK_SIZE,
    BlockLines,
    CollectedFields,
    begin_with,
    comment_starts,
    field_ends,
    find_lines,
    leading_fields,
    line_query_codes,
    names_query,
    single_numbers,
)
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.order import order_in_groups, repeated, stable_order
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, decode, hashes
from rankscope.typing import Bools, Bytes, Floats, Ints, PathLike

__all__ = [
    "VERSIONS",
    "LetorValues",
    "PairedTTest",
    "ScoredDocuments",
    "Script",
    "Stopped",
    "letor_rank",
    "letor_score",
    "letor_ttest",
    "letor_ttests",
    "letor_values",
    "perl_number",
    "read_documents",
    "show_tables",
    "show_ttest",
]


#: The label of a line whose label is in no script's table.
UNKNOWN_LABEL = 10


class Stopped(RankscopeError):
    """The script stops here: it prints the message on standard output and ends with this exit code."""

    def __init__(self, message: str, code: int = 254) -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        """The message as the script prints it, which may quote a line of the file with tabs and carriage returns."""
        return re.sub(r"[^\n\r\t]+", lambda match: in_one_line(match[0]), str(self.args[0]))


@dataclass(frozen=True, kw_only=True)
class Script:
    """The conventions of one script.

    Attributes
    ----------
    pattern
        Form of a line of labels.
    comment
        Text before each value of the comment, the first of which is the document; empty if lines need no comment, and
        each line is a document.
    to_the_end
        Whether nothing may follow the comment.
    gains
        Gains of the labels 0, 1, ...; others gain 0.
    relevant
        The lowest relevant label.
    positions
        The largest number of positions that are printed.
    """

    pattern: re.Pattern[bytes]
    comment: tuple[bytes, ...]
    to_the_end: bool = False
    gains: tuple[float, ...] = (0.0, 1.0, 3.0)
    relevant: int = 1
    positions: int = 10


LINE_BEGIN = rb"(\d+) qid:(\S+)"
#: The preset of each script.
VERSIONS = {
    "letor3": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+)\Z"), comment=(b"#docid = ",), to_the_end=True, positions=16
    ),
    "letor4": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+) inc = (\S+) prob = (\S+)"),
        comment=(b"#docid = ", b" inc = ", b" prob = "),
    ),
    "mslr": Script(pattern=re.compile(LINE_BEGIN), comment=(), gains=(0.0, 1.0, 3.0, 7.0, 15.0), relevant=2),
}


class ScoredDocuments(NamedTuple):
    """All n documents in the order of the lines.

    Attributes
    ----------
    label
        Label, UNKNOWN_LABEL if not 0 to 9, (n).
    query
        Index into `ids`, (n).
    ids
        The queries.
    scores
        Predictions, (n).
    """

    label: npt.NDArray[np.uint8]
    query: Ints
    ids: list[bytes]
    scores: Floats


class LetorBlock(NamedTuple):
    """The documents of one block, up to the first line that does not parse.

    Attributes
    ----------
    label, queries, docs
        Label, query and id of each document.
    first_bad
        Index of the first line that does not parse; -1 if all do.
    """

    label: npt.NDArray[np.uint8]
    queries: Fields
    docs: Fields | None
    first_bad: int


def read_documents(test: PathLike, predictions: PathLike, version: Script) -> ScoredDocuments:
    """Read both files in parallel, without the lines that a repeated document id overwrites.

    Parameters
    ----------
    test, predictions
        Labels, and one score per line.
    version
        Conventions of the script.

    Returns
    -------
    ScoredDocuments
        The documents with their scores.

    Raises
    ------
    Stopped
        The script stops here.
    InputError
        A file cannot be opened or has no lines.
    """
    scores = read_scores(predictions)
    interner, docs = Interner(), CollectedFields()
    labels, codes = [], []
    n_read = 0
    with open_binary(test) as stream:
        source = open_source(stream, test, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next()
        while block is not None:
            lines = find_lines(block, comments=bool(version.comment))
            if block.first_line < 1 and scores.size:  # a byte order mark is no label
                first_line = block.buffer[block.begin + 3 : block.buffer.find(b"\n", block.begin + 3)]
                raise cannot_parse(test, 1, BOM + first_line)
            parsed = parse_block(block, lines, version)
            n_parsed = lines.starts.size if parsed.first_bad < 0 else parsed.first_bad
            if n_read + n_parsed > scores.size or (parsed.first_bad >= 0 and n_read + n_parsed == scores.size):
                raise Stopped(f"Error to read {source_name(predictions)} at line {scores.size + 1}.")
            if parsed.first_bad >= 0:
                raise cannot_parse(test, n_read + parsed.first_bad + 1, lines.text(parsed.first_bad))
            codes.append(line_query_codes(parsed.queries, interner))
            labels.append(parsed.label)
            if parsed.docs is not None:
                docs.add(parsed.docs)
            n_read += n_parsed
            block = reader.next(block.end)
    documents = ScoredDocuments(np.concatenate(labels), np.concatenate(codes), list(interner.ids), scores[:n_read])
    return drop_overwritten(documents, docs.fields()) if version.comment else documents


def cannot_parse(path: PathLike, number: int, line: bytes) -> Stopped:
    return Stopped(f"Error to parse {source_name(path)} at line {number}:\n{decode_id(line)}")


def parse_block(block: LineBlock, lines: BlockLines, version: Script) -> LetorBlock:
    """Parse the lines of a block: usual lines at once, the others one by one with the script's pattern."""
    data = lines.buffer
    starts, lengths = leading_fields(data, lines.starts, lines.ends, 2)
    label_starts, label_lengths = starts[:, 0], lengths[:, 0]
    labels = data[label_starts] - np.uint8(ord("0"))
    is_usual = (label_starts == lines.starts) & (label_lengths == 1) & (labels < 10)  # longer labels are in no table
    is_usual &= single_blank_between(data, label_starts + label_lengths, starts[:, 1])
    is_usual &= names_query(Fields(data, starts[:, 1], lengths[:, 1]))
    queries = Fields(data, starts[:, 1] + 4, lengths[:, 1] - 4)
    docs = None
    if version.comment:
        docs, has_id = comment_ids(lines, version)
        is_usual &= has_id & (docs.starts - len(version.comment[0]) >= queries.starts + queries.lengths)
    first_bad = -1
    for row in np.flatnonzero(~is_usual).tolist():
        match = version.pattern.match(block.buffer, int(lines.starts[row]), int(lines.ends[row]))
        if match is None:
            first_bad = row
            break
        labels[row] = int(match[1]) if len(match[1]) == 1 else UNKNOWN_LABEL
        queries.starts[row], queries.lengths[row] = match.start(2), match.end(2) - match.start(2)
        if docs is not None:
            docs.starts[row], docs.lengths[row] = match.start(3), match.end(3) - match.start(3)
    return LetorBlock(labels, queries, docs, first_bad)


def single_blank_between(data: Bytes, ends: Ints, starts: Ints) -> Bools:
    """Whether exactly one space separates two fields."""
    return np.asarray((starts == ends + 1) & (data[ends] == SPACE))


def comment_ids(lines: BlockLines, version: Script) -> tuple[Fields, Bools]:
    """The document ids in the comments, and whether each comment has the form of the script."""
    buffer, position = lines.buffer, comment_starts(lines)
    is_valid = np.ones(position.size, np.bool_)
    values: list[tuple[Ints, Ints]] = []
    for literal in version.comment:
        start = np.minimum(position + len(literal), lines.ends)
        end = field_ends(buffer, start)
        is_valid &= begin_with(buffer, position, literal) & (end > start)
        values.append((start, end))
        position = end
    if version.to_the_end:
        is_valid &= position == lines.ends
    start, end = values[0]
    return Fields(buffer, start, end - start), is_valid


def drop_overwritten(documents: ScoredDocuments, docs: Fields) -> ScoredDocuments:
    """Keep only the last line of each document of a query, as a hash does."""
    n = docs.starts.size
    keys = combined_keys(hashes(docs), np.arange(n + 1), documents.query)
    if not repeated(keys):
        return documents
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    candidates = np.unique(np.concatenate((order[repeats], order[repeats + 1])))
    document_keys = zip(documents.query[candidates].tolist(), decode(docs.take(candidates)), strict=True)
    last_line = dict(zip(document_keys, candidates.tolist(), strict=True))
    is_kept = np.ones(n, np.bool_)
    is_kept[candidates] = False
    is_kept[list(last_line.values())] = True
    return ScoredDocuments(documents.label[is_kept], documents.query[is_kept], documents.ids, documents.scores[is_kept])


#: The part of a text that perl uses as a number.
PERL_NUMBER = re.compile(
    rb"[ \t-\r]*([+-]?)(?:(inf|[qs]?nan)|1\.?#(inf|ind|[qs]?nan)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE
)


def perl_number(text: bytes) -> float:
    """The number at the beginning of a text by Perl's rules; 0 if there is none.

    >>> perl_number(b" 1.5e3x"), perl_number(b"abc"), perl_number(b"-Infinity"), perl_number(b"0x10")
    (1500.0, 0.0, -inf, 0.0)
    """
    match = PERL_NUMBER.match(text)
    if match is None:
        return 0.0
    sign, name, windows_name, digits = match.groups()
    if digits is not None:
        return float(sign + digits)
    return float(sign + b"inf") if (name or windows_name).lower() == b"inf" else float("nan")


def read_scores(path: PathLike) -> Floats:
    """One number a line, by perl's rules; a blank line is 0. A file without lines has no numbers."""
    score_blocks: list[Floats] = [np.empty(0)]
    with open_binary(path) as stream:
        source = open_source(stream, path, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next() if source.head else None
        while block is not None:
            lines, fields, _ = single_numbers(block)
            values, bad_rows = parse_floats(fields)
            is_blank = fields.lengths == 0
            values[is_blank] = 0.0
            for row in bad_rows[~is_blank[bad_rows]].tolist():  # rare: no plain numbers
                values[row] = perl_number(lines.text(row))
            if block.first_line < 1:  # a byte order mark is no number
                values[:1] = 0.0
            score_blocks.append(values)
            block = reader.next(block.end)
    return np.concatenate(score_blocks)


#: Cells of one table of lists.
CELLS = 1 << 18


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorValues:
    """The values that a script computes for q queries, in its order: by their ids as numbers.

    Attributes
    ----------
    query_ids
        The queries.
    lengths
        Number of documents listed, (q).
    precision, ndcg
        Values at 1, 2, ..., (q, positions). Beyond a list nDCG is 0 (undefined there), and precision is that of a list
        padded with irrelevant documents.
    average_precision, mean_ndcg
        Values over the listed documents, (q).
    """

    query_ids: tuple[str, ...]
    lengths: Ints
    precision: Floats
    average_precision: Floats
    ndcg: Floats
    mean_ndcg: Floats


def letor_score(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    r"""The output of Eval-Score.pl.

    Parameters
    ----------
    test
        File of labels.
    predictions
        File with one score per line.
    preset
        The script: "letor3", "letor4" or "mslr".
    by_query
        Its flag: also print one line per query.

    Returns
    -------
    str
        The text, byte for byte as the scripts' recorded output.

    Raises
    ------
    Stopped
        The script refuses the files; with its message and exit code.
    InputError
        A file cannot be opened or has no lines.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     test, predicted = Path(folder, "test.txt"), Path(folder, "svm.txt")
    ...     _ = test.write_text("2 qid:10 #docid = A\n0 qid:10 #docid = B\n1 qid:10 #docid = C\n")
    ...     _ = predicted.write_text("0.1\n0.3\n0.2\n")
    ...     text = letor_score(test, predicted, preset="letor3")
    >>> print(text.splitlines()[2].expandtabs())  # (1/2 + 2/3) / 2
    MAP:    0.583333333333333
    """
    return show_tables(letor_values(test, predictions, preset=preset), preset, by_query=by_query)


def letor_rank(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    """The output of Eval-Rank.pl: as `letor_score`, for rank positions.

    Parameters
    ----------
    test
        File of labels.
    predictions
        File with one rank position per line, 1 the best; equal positions are a tie, in file order.
    preset
        The script: "letor3", "letor4" or "mslr".
    by_query
        Its flag: also print one line per query.

    Returns
    -------
    str
        The text.

    Raises
    ------
    Stopped
        The script refuses the files; with its message and exit code.
    InputError
        A file cannot be opened or has no lines.

    Notes
    -----
    Follows the text that describes LETOR's Eval-Rank.pl; the script itself is not available.
    """
    return show_tables(letor_values(test, predictions, preset=preset, ranks=True), preset, by_query=by_query)


def letor_ttest(a: PathLike, b: PathLike) -> str:
    """Compare two outputs by t-tests: one line per measure, tab-separated, below a line of names.

    Parameters
    ----------
    a, b
        Outputs of `letor_score` or `letor_rank` with lines by query.

    Returns
    -------
    str
        The table.

    Raises
    ------
    InputError
        A file is not such an output, or queries or measures differ.
    """
    return show_ttest(letor_ttests(a, b))


def letor_values(test: PathLike, predictions: PathLike, *, preset: str = "letor4", ranks: bool = False) -> LetorValues:
    """What `letor_score` and `letor_rank` write, as arrays. Raises as they do."""
    if preset not in VERSIONS:
        raise UnknownName("version of LETOR's scripts", preset, VERSIONS)
    version = VERSIONS[preset]
    documents = read_documents(test, predictions, version)
    scores = -documents.scores if ranks else documents.scores
    # By number, then by first occurrence in the file; perl leaves the order of equal numbers to its hash.
    query_order = np.argsort(np.array([perl_number(id_) for id_ in documents.ids]), kind="stable")
    row_of_query = np.empty(query_order.size, np.int64)
    row_of_query[query_order] = np.arange(query_order.size)
    row_of_document = row_of_query[documents.query]
    order = order_in_groups(row_of_document, scores)  # equal scores in file order, NaN last
    return compute_values(documents, order, row_of_document, query_order, version)


def compute_values(
    documents: ScoredDocuments, order: Ints, row_of_document: Ints, query_order: Ints, version: Script
) -> LetorValues:
    """The values, computed for blocks of lists of similar length."""
    lengths = np.bincount(row_of_document, minlength=query_order.size)
    offsets = bounds(lengths)
    positions = min(version.positions, int(lengths.max())) if version.to_the_end else version.positions
    labels = documents.label[order]
    gains = np.zeros(UNKNOWN_LABEL + 1)
    gains[: len(version.gains)] = version.gains
    is_relevant = (gains > 0) & (np.arange(gains.size) >= version.relevant)
    precision, ndcg = np.empty((2, query_order.size, positions))
    average_precision, mean_ndcg = np.empty((2, query_order.size))
    divisors = logarithms(int(lengths.max()))
    for rows in slices_by_length(lengths):
        longest = int(lengths[rows].max())
        present = np.arange(longest) < lengths[rows, None]
        indices = np.minimum(offsets[rows, None] + np.arange(longest), labels.size - 1)
        table = np.where(present, labels[indices], UNKNOWN_LABEL)
        precision[rows], average_precision[rows] = precisions(is_relevant[table], positions)
        ndcg_table = ndcgs(gains[table], divisors[:longest])
        ndcg_table[~present] = 0.0
        ndcg[rows] = first_columns(ndcg_table, positions)
        mean_ndcg[rows] = np.cumsum(ndcg_table, axis=1)[:, -1] / lengths[rows]
    ids = decode_ids([documents.ids[i] for i in query_order.tolist()])
    return LetorValues(
        query_ids=tuple(ids),
        lengths=lengths,
        precision=precision,
        average_precision=average_precision,
        ndcg=ndcg,
        mean_ndcg=mean_ndcg,
    )


def slices_by_length(lengths: Ints) -> Iterator[Ints]:
    """Blocks of lists from the shortest to the longest, of at most `CELLS` cells as a table, or of one list."""
    order = stable_order(lengths)
    begin = 0
    while begin < order.size:
        # Each list of the block takes as many cells as the last one, which is the longest.
        cells = lengths[order[begin:]] * np.arange(1, order.size - begin + 1)
        end = begin + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
        yield order[begin:end]
        begin = end


def precisions(is_relevant: npt.NDArray[np.bool_], positions: int) -> tuple[Floats, Floats]:
    """(lists, positions) precision, and (lists) the mean precision at the relevant documents' ranks; 0 without one."""
    relevant_counts = np.cumsum(is_relevant, axis=1)
    n_relevant = relevant_counts[:, -1]
    at_rank = relevant_counts / np.arange(1.0, relevant_counts.shape[1] + 1)
    precision_sums = np.cumsum(np.where(is_relevant, at_rank, 0.0), axis=1)[:, -1]
    counts = first_columns(relevant_counts, positions)
    counts[:, relevant_counts.shape[1] :] = n_relevant[:, None]
    return counts / np.arange(1.0, positions + 1), precision_sums / np.maximum(n_relevant, 1)


def ndcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) DCG divided by the ideal DCG of the same documents, at every rank; 0 where that is 0."""
    ideal = dcgs(-np.sort(-gains, axis=1), divisors)
    return np.where(ideal > 0, dcgs(gains, divisors) / np.where(ideal > 0, ideal, 1.0), 0.0)


def dcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) sums of gains up to each rank; from rank 3 on gain * log(2) / log(rank)."""
    discounted_gains = gains.copy()
    discounted_gains[:, 2:] = gains[:, 2:] * math.log(2.0) / divisors[2:]
    return np.cumsum(discounted_gains, axis=1)


def logarithms(n: int) -> Floats:
    """The logarithms of 1 to n by the C library, as in perl; NumPy's differ in the last bit."""
    return np.fromiter(map(math.log, range(1, n + 1)), np.float64, n)


def first_columns(table: npt.NDArray[np.generic], n: int) -> Floats:
    """The first n columns; 0 beyond the last."""
    padded = np.zeros((table.shape[0], n))
    width = min(n, table.shape[1])
    padded[:, :width] = table[:, :width]
    return padded


#: A line of LETOR 3.0 for one query.
LETOR3_LINE = re.compile(r"(precision|Map|NDCG) of query(\d+):\t")
NAMES = {"precision": "P", "Map": "MAP", "NDCG": "NDCG"}
EXPECTED_OUTPUT = "expected what `rankscope letor score ... 1` writes (flag 1: a line a query)"


def parse_finite(text: str) -> float:
    """A number of a script's output. Raises ValueError where it is not finite."""
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


class PairedTTest(NamedTuple):
    """A paired two-sided t-test of one measure.

    Attributes
    ----------
    measure
        Name of the measure.
    mean_a, mean_b
        Means of both systems.
    difference
        mean_a - mean_b.
    statistic, df, pvalue
        t, degrees of freedom and p.
    """

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    statistic: float
    df: int
    pvalue: float


def letor_ttests(a: PathLike, b: PathLike) -> list[PairedTTest]:
    """The paired t-test of each measure, in the order of the files.

    Parameters
    ----------
    a, b
        Outputs of `letor_score` or `letor_rank` with lines by query.

    Returns
    -------
    list of PairedTTest
        Statistic and p are NaN if no query differs, or all differ by the same amount.

    Raises
    ------
    InputError
        A file is not such an output, queries or measures differ, or there is only one query.
    """
    (queries_a, values_a), (queries_b, values_b) = read_output(a), read_output(b)
    if queries_a.keys() != queries_b.keys():
        unmatched = next(
            query for query in (*queries_a, *queries_b) if query not in queries_a or query not in queries_b
        )
        raise InputError(
            f"{source_name(a)} has {len(queries_a)} queries and {source_name(b)} {len(queries_b)}, "
            f"query {unmatched!r} only in one of them; expected the same queries; score both systems on one test file"
        )
    if values_a.keys() != values_b.keys():
        unmatched = next(
            measure for measure in (*values_a, *values_b) if measure not in values_a or measure not in values_b
        )
        raise InputError(
            f"{unmatched} is only in one of {source_name(a)} and {source_name(b)}, expected the same measures; "
            "score both systems with one preset"
        )
    if len(queries_a) < 2:
        raise InputError(f"{source_name(a)}: 1 query, expected at least 2 for a t-test; score more queries")
    order = [queries_b[query] for query in queries_a]
    return [paired_ttest(measure, values, values_b[measure][order]) for measure, values in values_a.items()]


def paired_ttest(measure: str, a: Floats, b: Floats) -> PairedTTest:
    """Student's t of the differences, n - 1 degrees of freedom, both tails."""
    from scipy.special import stdtr

    differences = a - b
    n, mean = differences.size, float(differences.mean())
    spread = float(np.ptp(differences))
    statistic = pvalue = math.nan
    # Differences that are equal as decimals differ by rounding.
    if spread > 1e-9:
        statistic = mean / math.sqrt(float(differences.var(ddof=1)) / n)
        pvalue = 2.0 * float(stdtr(n - 1, -abs(statistic)))
    return PairedTTest(measure, float(a.mean()), float(b.mean()), mean, statistic, n - 1, pvalue)


def read_output(path: PathLike) -> tuple[dict[str, int], dict[str, Floats]]:
    """The index of each query, and the values (queries) of each measure. Raises InputError."""
    with open_binary(path) as stream:
        lines = stream.read().decode("utf-8", "surrogateescape").splitlines()
    rows = parse_letor3(lines, path) if any(map(LETOR3_LINE.match, lines)) else parse_letor4(lines, path)
    if not rows:
        raise InputError(f"{source_name(path)}: no lines by query, {EXPECTED_OUTPUT}; write it again with flag 1")
    queries = {query: index for index, query in enumerate(dict.fromkeys(query for query, _ in rows))}
    values_by_measure = {measure: np.zeros(len(queries)) for measure in dict.fromkeys(measure for _, measure in rows)}
    # A list that ended before a position counts there as in the averages, with 0.
    for (query, measure), value in rows.items():
        values_by_measure[measure][queries[query]] = value
    return queries, values_by_measure


def parse_letor4(lines: list[str], path: PathLike) -> dict[tuple[str, str], float]:
    """The values of LETOR 4.0 and MSLR, by query and measure."""
    rows: dict[tuple[str, str], float] = {}
    names: list[str] = []
    for number, line in enumerate(lines, 1):
        query, *cells = line.split("\t")
        if query == "qid":
            names = cells
        elif query not in ("", "Average"):
            add_values(rows, query, names, cells, f"{source_name(path)}:{number}")
    return rows


def parse_letor3(lines: list[str], path: PathLike) -> dict[tuple[str, str], float]:
    """The values of LETOR 3.0."""
    rows: dict[tuple[str, str], float] = {}
    for number, line in enumerate(lines, 1):
        match = LETOR3_LINE.match(line)
        if match:
            cells = line[match.end() :].rstrip("\t").split("\t")
            name = NAMES[match[1]]
            names = [name] if name == "MAP" else [f"{name}@{n}" for n in range(1, len(cells) + 1)]
            add_values(rows, match[2], names, cells, f"{source_name(path)}:{number}")
    return rows


def add_values(
    rows: dict[tuple[str, str], float], query: str, names: list[str], cells: list[str], location: str
) -> None:
    """Add one line's values. Raises InputError for a line of another form."""
    if not names:
        raise InputError(
            f"{location}: no line of names (qid, P@1, ...) above this one, {EXPECTED_OUTPUT}; name such a file"
        )
    if len(names) != len(cells):
        raise InputError(
            f"{location}: {len(cells)} values of query {query!r}, expected {len(names)}; {EXPECTED_OUTPUT}"
        )
    try:
        values = [parse_finite(cell) for cell in cells]
    except ValueError:
        raise InputError(
            f"{location}: a value of query {query!r} is no number, {EXPECTED_OUTPUT}; correct this line"
        ) from None
    for name, value in zip(names, values, strict=True):
        if (query, name) in rows:
            raise InputError(
                f"{location}: {name} of query {query!r} stands twice, {EXPECTED_OUTPUT}; remove one of the two"
            )
        rows[query, name] = value


def show_tables(values: LetorValues, preset: str, *, by_query: bool) -> str:
    """All lines of an output file."""
    return "".join(letor3_lines(values, by_query) if preset == "letor3" else letor4_lines(values, by_query))


def running_means(values: Floats) -> Floats:
    """Means over queries, added one after the other as in the scripts, since the last digit can depend on that."""
    means: Floats = np.cumsum(values, axis=0)[-1] / len(values)
    return means


def letor4_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 4.0 and MSLR: two tables, each with a line of names and one of averages."""
    tables = (
        ("P", "MAP", values.precision, values.average_precision),
        ("NDCG", "MeanNDCG", values.ndcg, values.mean_ndcg),
    )
    for name, mean_name, by_position, overall in tables:
        headings = [f"{name}@{n}" for n in range(1, by_position.shape[1] + 1)]
        yield "\t".join(["qid", *headings, mean_name]) + "\n"
        numbers = np.column_stack((by_position, overall))
        row_format = "%s" + "\t%.4f" * numbers.shape[1] + "\n"
        if by_query:
            for query, row in zip(values.query_ids, numbers.tolist(), strict=True):
                yield row_format % (query, *row)
        yield row_format % ("Average", *running_means(numbers).tolist()) + "\n"


def letor3_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 3.0: queries are numbered from 0, and each list ends with its documents."""
    ends = np.minimum(values.lengths, values.precision.shape[1]).tolist()
    tables = (("precision", "precision", values.precision), ("Map", "MAP", None), ("NDCG", "NDCG", values.ndcg))
    for query_name, mean_name, by_position in tables:
        if by_position is None:
            numbers = values.average_precision[:, None]
            n_shown, tab = [1] * len(ends), ""
        else:
            # Beyond its end a list adds 0 to the averages, which divide by the number of all queries.
            numbers = np.where(np.arange(by_position.shape[1]) < values.lengths[:, None], by_position, 0.0)
            n_shown, tab = ends, "\t"
        if by_query:
            for query, (row, end) in enumerate(zip(numbers.tolist(), n_shown, strict=True)):
                yield f"{query_name} of query{query}:\t{perl_digits(row[:end])}{tab}\n"
        yield f"{mean_name}:\t{perl_digits(running_means(numbers).tolist())}{tab}\n\n"


def perl_digits(numbers: Sequence[float]) -> str:
    """Numbers in the form in which perl prints them."""
    return "\t".join([f"{number:.15g}" for number in numbers])


def show_ttest(tests: Sequence[PairedTTest]) -> str:
    """A line a measure below a line of names."""
    lines = ["measure\tmean A\tmean B\tdifference\tt\tdf\tp\n"]
    for test in tests:
        means_text = f"{test.mean_a:.4f}\t{test.mean_b:.4f}\t{test.difference:z.4f}"  # z: never -0.0000
        lines.append(f"{test.measure}\t{means_text}\t{test.statistic:z.4f}\t{test.df}\t{test.pvalue:.4g}\n")
    return "".join(lines)
