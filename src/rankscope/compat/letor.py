"""LETOR's evaluation tools: the scripts of LETOR 3.0 (2008), LETOR 4.0 (2009) and MSLR (2010).

They accept what is refused elsewhere (repeated documents, scores that are no numbers) and measure at every rank of
every list, so the values are computed from arrays: one table of ranks for lists of much the same length. Each number is
added up in the scripts' order, since LETOR 3.0 prints 15 digits.
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
    comment_places,
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
        """As the script prints it: a line of the file with its tabs and carriage returns, below another line."""
        return re.sub(r"[^\n\r\t]+", lambda found: in_one_line(found[0]), str(self.args[0]))


@dataclass(frozen=True, kw_only=True)
class Script:
    """What one script holds true. gains: of the labels 0, 1, ..., others gain 0; relevant: the least label that counts.

    comment: what stands before each of the comment's values, the first of which is the document; nothing where a line
    needs no comment, and a document is its line. to_the_end: whether nothing may follow the comment. positions: the
    most that are printed.
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
    """All n documents in the order of the lines. label: (n) OTHER where it is none of 0 to 9; query: (n) into ids."""

    label: npt.NDArray[np.uint8]
    query: Ints
    ids: list[bytes]
    scores: Floats


class LetorBlock(NamedTuple):
    """The documents of one block, up to the first line that does not parse (`bad`; -1 where all do)."""

    label: npt.NDArray[np.uint8]
    queries: Fields
    docs: Fields | None
    bad: int


def read_documents(test: PathLike, predictions: PathLike, version: Script) -> ScoredDocuments:
    """Both files, line beside line, without the lines that a repeated document id overwrites.

    Raises Stopped where the script stops, InputError for a file that cannot be opened or holds no line.
    """
    scores = read_scores(predictions)
    interner, docs = Interner(), CollectedFields()
    labels, codes = [], []
    read = 0
    with open_binary(test) as stream:
        source = open_source(stream, test, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next()
        while block is not None:
            lines = find_lines(block, comments=bool(version.comment))
            if block.first_line < 1 and scores.size:  # a byte order mark is no label
                first = block.buffer[block.begin + 3 : block.buffer.find(b"\n", block.begin + 3)]
                raise cannot_parse(test, 1, BOM + first)
            part = read_part(block, lines, version)
            good = lines.starts.size if part.bad < 0 else part.bad
            if read + good > scores.size or (part.bad >= 0 and read + good == scores.size):
                raise Stopped(f"Error to read {source_name(predictions)} at line {scores.size + 1}.")
            if part.bad >= 0:
                raise cannot_parse(test, read + part.bad + 1, lines.text(part.bad))
            codes.append(line_query_codes(part.queries, interner))
            labels.append(part.label)
            if part.docs is not None:
                docs.add(part.docs)
            read += good
            block = reader.next(block.end)
    listed = ScoredDocuments(np.concatenate(labels), np.concatenate(codes), list(interner.ids), scores[:read])
    return drop_overwritten(listed, docs.fields()) if version.comment else listed


def cannot_parse(path: PathLike, number: int, line: bytes) -> Stopped:
    return Stopped(f"Error to parse {source_name(path)} at line {number}:\n{decode_id(line)}")


def read_part(block: LineBlock, lines: BlockLines, version: Script) -> LetorBlock:
    """The lines of a block: at once where they are as usual, the others one by one with the script's pattern."""
    data = lines.buffer
    starts, lengths = leading_fields(data, lines.starts, lines.ends, 2)
    places, sizes = starts[:, 0], lengths[:, 0]
    digit = data[places] - np.uint8(ord("0"))
    good = (places == lines.starts) & (sizes == 1) & (digit < 10)  # longer labels are in no table
    good &= single_blank_between(data, places + sizes, starts[:, 1])
    good &= names_query(Fields(data, starts[:, 1], lengths[:, 1]))
    queries = Fields(data, starts[:, 1] + 4, lengths[:, 1] - 4)
    docs = None
    if version.comment:
        docs, named = comment_ids(lines, version)
        good &= named & (docs.starts - len(version.comment[0]) >= queries.starts + queries.lengths)
    bad = -1
    for row in np.flatnonzero(~good).tolist():
        found = version.pattern.match(block.buffer, int(lines.starts[row]), int(lines.ends[row]))
        if found is None:
            bad = row
            break
        digit[row] = int(found[1]) if len(found[1]) == 1 else UNKNOWN_LABEL
        queries.starts[row], queries.lengths[row] = found.start(2), found.end(2) - found.start(2)
        if docs is not None:
            docs.starts[row], docs.lengths[row] = found.start(3), found.end(3) - found.start(3)
    return LetorBlock(digit, queries, docs, bad)


def single_blank_between(data: Bytes, ends: Ints, starts: Ints) -> Bools:
    """Whether one space and nothing else stands between two fields."""
    return np.asarray((starts == ends + 1) & (data[ends] == SPACE))


def comment_ids(lines: BlockLines, version: Script) -> tuple[Fields, Bools]:
    """The document ids of the comments from the first `#` on, and whether each comment is as the script has it."""
    buffer, place = lines.buffer, comment_places(lines)
    good = np.ones(place.size, np.bool_)
    values: list[tuple[Ints, Ints]] = []
    for literal in version.comment:
        start = np.minimum(place + len(literal), lines.ends)
        end = field_ends(buffer, start)
        good &= begin_with(buffer, place, literal) & (end > start)
        values.append((start, end))
        place = end
    if version.to_the_end:
        good &= place == lines.ends
    start, end = values[0]
    return Fields(buffer, start, end - start), good


def drop_overwritten(listed: ScoredDocuments, docs: Fields) -> ScoredDocuments:
    """Of the lines of one document of a query only the last, as in a hash."""
    n = docs.starts.size
    keys = combined_keys(hashes(docs), np.arange(n + 1), listed.query)
    if not repeated(keys):
        return listed
    order = np.argsort(keys, kind="stable")
    level = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    suspects = np.unique(np.concatenate((order[level], order[level + 1])))
    documents = zip(listed.query[suspects].tolist(), decode(docs.take(suspects)), strict=True)
    last = dict(zip(documents, suspects.tolist(), strict=True))
    kept = np.ones(n, np.bool_)
    kept[suspects] = False
    kept[list(last.values())] = True
    return ScoredDocuments(listed.label[kept], listed.query[kept], listed.ids, listed.scores[kept])


#: What perl takes of a text that is used as a number.
PERL_NUMBER = re.compile(
    rb"[ \t-\r]*([+-]?)(?:(inf|[qs]?nan)|1\.?#(inf|ind|[qs]?nan)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE
)


def perl_number(text: bytes) -> float:
    """The number at the beginning of a text, as perl has it; 0 where there is none.

    >>> perl_number(b" 1.5e3x"), perl_number(b"abc"), perl_number(b"-Infinity"), perl_number(b"0x10")
    (1500.0, 0.0, -inf, 0.0)
    """
    found = PERL_NUMBER.match(text)
    if found is None:
        return 0.0
    sign, name, windows, digits = found.groups()
    if digits is not None:
        return float(sign + digits)
    return float(sign + b"inf") if (name or windows).lower() == b"inf" else float("nan")


def read_scores(path: PathLike) -> Floats:
    """One number a line, as perl has it; a blank line is 0. A file without lines has no numbers."""
    found: list[Floats] = [np.empty(0)]
    with open_binary(path) as stream:
        source = open_source(stream, path, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next() if source.head else None
        while block is not None:
            lines, fields, _ = single_numbers(block)
            values, bad = parse_floats(fields)
            blank = fields.lengths == 0
            values[blank] = 0.0
            for row in bad[~blank[bad]].tolist():  # few: what is no plain number
                values[row] = perl_number(lines.text(row))
            if block.first_line < 1:  # a byte order mark is no number
                values[:1] = 0.0
            found.append(values)
            block = reader.next(block.end)
    return np.concatenate(found)


#: Ranks of all lists that are looked at together.
CELLS = 1 << 18


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorValues:
    """What a script computes of q queries, in its order: by their ids as numbers.

    lengths: (q) documents listed. precision and ndcg: (q, positions) at 1, 2, ...; beyond a list, nDCG is 0 (it is
    undefined there), and precision that of a list filled up with documents that are not relevant. average_precision and
    mean_ndcg: (q), over the listed documents.
    """

    query_ids: tuple[str, ...]
    lengths: Ints
    precision: Floats
    average_precision: Floats
    ndcg: Floats
    mean_ndcg: Floats


def letor_score(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    r"""What Eval-Score.pl writes. by_query: its flag, 1 or 0. preset: the script, "letor3", "letor4" or "mslr".

    Raises Stopped (with the script's message and exit code) for what the script refuses; InputError for a file that
    cannot be opened or holds no line.

    Source: the scripts' recorded output; byte for byte.

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
    """As `letor_score`, of rank positions, 1 the best; one position twice is a tie, in file order.

    Source: the text that describes LETOR's Eval-Rank.pl; the script itself is not available.
    """
    return show_tables(letor_values(test, predictions, preset=preset, ranks=True), preset, by_query=by_query)


def letor_ttest(a: PathLike, b: PathLike) -> str:
    """Two outputs with lines by query, compared: a line a measure, tab-separated, below a line of names.

    Raises InputError for files that are no such output, and for unequal queries or measures.
    """
    return show_ttest(letor_ttests(a, b))


def letor_values(test: PathLike, predictions: PathLike, *, preset: str = "letor4", ranks: bool = False) -> LetorValues:
    """What `letor_score` and `letor_rank` write, as arrays. Raises as they do."""
    if preset not in VERSIONS:
        raise UnknownName("version of LETOR's scripts", preset, VERSIONS)
    version = VERSIONS[preset]
    listed = read_documents(test, predictions, version)
    scores = -listed.scores if ranks else listed.scores
    # By number, then as the file first names them; perl leaves the order of equal numbers to its hash.
    queries = np.argsort(np.array([perl_number(id_) for id_ in listed.ids]), kind="stable")
    place = np.empty(queries.size, np.int64)
    place[queries] = np.arange(queries.size)
    of_document = place[listed.query]
    order = order_in_groups(of_document, scores)  # equal scores in file order; what is no number comes last
    return compute_values(listed, order, of_document, queries, version)


def compute_values(
    listed: ScoredDocuments, order: Ints, of_document: Ints, queries: Ints, version: Script
) -> LetorValues:
    """The values, of some lists of much the same length at a time."""
    lengths = np.bincount(of_document, minlength=queries.size)
    offsets = bounds(lengths)
    positions = min(version.positions, int(lengths.max())) if version.to_the_end else version.positions
    labels = listed.label[order]
    gains = np.zeros(UNKNOWN_LABEL + 1)
    gains[: len(version.gains)] = version.gains
    relevant = (gains > 0) & (np.arange(gains.size) >= version.relevant)
    precision, ndcg = np.empty((2, queries.size, positions))
    average_precision, mean_ndcg = np.empty((2, queries.size))
    divisors = logarithms(int(lengths.max()))
    for rows in slices_by_length(lengths):
        longest = int(lengths[rows].max())
        inside = np.arange(longest) < lengths[rows, None]
        at = np.minimum(offsets[rows, None] + np.arange(longest), labels.size - 1)
        table = np.where(inside, labels[at], UNKNOWN_LABEL)
        precision[rows], average_precision[rows] = precisions(relevant[table], positions)
        found = ndcgs(gains[table], divisors[:longest])
        found[~inside] = 0.0
        ndcg[rows] = first_columns(found, positions)
        mean_ndcg[rows] = np.cumsum(found, axis=1)[:, -1] / lengths[rows]
    ids = decode_ids([listed.ids[i] for i in queries.tolist()])
    return LetorValues(
        query_ids=tuple(ids),
        lengths=lengths,
        precision=precision,
        average_precision=average_precision,
        ndcg=ndcg,
        mean_ndcg=mean_ndcg,
    )


def slices_by_length(lengths: Ints) -> Iterator[Ints]:
    """The lists from the shortest to the longest, so many at a time that their table stays small."""
    order = stable_order(lengths)
    begin = 0
    while begin < order.size:
        # Each list of the piece takes as many cells as its last, which is the longest.
        cells = lengths[order[begin:]] * np.arange(1, order.size - begin + 1)
        end = begin + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
        yield order[begin:end]
        begin = end


def precisions(relevant: npt.NDArray[np.bool_], positions: int) -> tuple[Floats, Floats]:
    """(lists, positions) precision, and (lists) the mean precision at the relevant documents' ranks; 0 without one."""
    found = np.cumsum(relevant, axis=1)
    total = found[:, -1]
    at_rank = found / np.arange(1.0, found.shape[1] + 1)
    summed = np.cumsum(np.where(relevant, at_rank, 0.0), axis=1)[:, -1]
    counts = first_columns(found, positions)
    counts[:, found.shape[1] :] = total[:, None]
    return counts / np.arange(1.0, positions + 1), summed / np.maximum(total, 1)


def ndcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) DCG over the DCG of the best order of the same documents, at every rank; 0 where that is 0."""
    ideal = dcgs(-np.sort(-gains, axis=1), divisors)
    return np.where(ideal > 0, dcgs(gains, divisors) / np.where(ideal > 0, ideal, 1.0), 0.0)


def dcgs(gains: Floats, divisors: Floats) -> Floats:
    """Gains added up over the ranks; from rank 3 on gain * log(2) / log(rank)."""
    worth = gains.copy()
    worth[:, 2:] = gains[:, 2:] * math.log(2.0) / divisors[2:]
    return np.cumsum(worth, axis=1)


def logarithms(n: int) -> Floats:
    """The logarithms of 1 to n, of the C library as in perl: NumPy's differ in the last bit."""
    return np.fromiter(map(math.log, range(1, n + 1)), np.float64, n)


def first_columns(table: npt.NDArray[np.generic], n: int) -> Floats:
    """The first n columns; 0 beyond the last."""
    found = np.zeros((table.shape[0], n))
    width = min(n, table.shape[1])
    found[:, :width] = table[:, :width]
    return found


#: A line of LETOR 3.0 for one query.
LETOR3_LINE = re.compile(r"(precision|Map|NDCG) of query(\d+):\t")
NAMES = {"precision": "P", "Map": "MAP", "NDCG": "NDCG"}
EXPECTED_OUTPUT = "expected what `rankscope letor score ... 1` writes (flag 1: a line a query)"


def parse_finite(text: str) -> float:
    """Raise ValueError for what is no finite number, as a script writes it."""
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


class PairedTTest(NamedTuple):
    """A paired two-sided t-test of one measure. difference: mean_a - mean_b."""

    measure: str
    mean_a: float
    mean_b: float
    difference: float
    statistic: float
    df: int
    pvalue: float


def letor_ttests(a: PathLike, b: PathLike) -> list[PairedTTest]:
    """The test of each measure, in the order of the files.

    Where no query differs, or all by the same, there is no variance to test against: the statistic and p are NaN.

    Raises InputError for files that are no output with lines by query, for unequal queries or measures, for one query.
    """
    (queries, first), (others, second) = read_output(a), read_output(b)
    if queries.keys() != others.keys():
        only = next(q for q in (*queries, *others) if q not in queries or q not in others)
        raise InputError(
            f"{source_name(a)} has {len(queries)} queries and {source_name(b)} {len(others)}, query {only!r} only in "
            "one of them; expected the same queries; score both systems on one test file"
        )
    if first.keys() != second.keys():
        only = next(m for m in (*first, *second) if m not in first or m not in second)
        raise InputError(
            f"{only} is only in one of {source_name(a)} and {source_name(b)}, expected the same measures; "
            "score both systems with one preset"
        )
    if len(queries) < 2:
        raise InputError(f"{source_name(a)}: 1 query, expected at least 2 for a t-test; score more queries")
    order = [others[query] for query in queries]
    return [paired_ttest(measure, values, second[measure][order]) for measure, values in first.items()]


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
    """The place of each query, and one value a query of each measure. Raises InputError."""
    with open_binary(path) as stream:
        lines = stream.read().decode("utf-8", "surrogateescape").splitlines()
    rows = parse_letor3(lines, path) if any(map(LETOR3_LINE.match, lines)) else parse_letor4(lines, path)
    if not rows:
        raise InputError(f"{source_name(path)}: no lines by query, {EXPECTED_OUTPUT}; write it again with flag 1")
    queries = {query: place for place, query in enumerate(dict.fromkeys(query for query, _ in rows))}
    found = {measure: np.zeros(len(queries)) for measure in dict.fromkeys(measure for _, measure in rows)}
    # A list that ended before a position counts there as in the averages, with 0.
    for (query, measure), value in rows.items():
        found[measure][queries[query]] = value
    return queries, found


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
        found = LETOR3_LINE.match(line)
        if found:
            cells = line[found.end() :].rstrip("\t").split("\t")
            name = NAMES[found[1]]
            names = [name] if name == "MAP" else [f"{name}@{n}" for n in range(1, len(cells) + 1)]
            add_values(rows, found[2], names, cells, f"{source_name(path)}:{number}")
    return rows


def add_values(rows: dict[tuple[str, str], float], query: str, names: list[str], cells: list[str], where: str) -> None:
    """Add one line's values. Raises InputError for what is no such line."""
    if not names:
        raise InputError(
            f"{where}: no line of names (qid, P@1, ...) above this one, {EXPECTED_OUTPUT}; name such a file"
        )
    if len(names) != len(cells):
        raise InputError(f"{where}: {len(cells)} values of query {query!r}, expected {len(names)}; {EXPECTED_OUTPUT}")
    try:
        values = [parse_finite(cell) for cell in cells]
    except ValueError:
        raise InputError(
            f"{where}: a value of query {query!r} is no number, {EXPECTED_OUTPUT}; correct this line"
        ) from None
    for name, value in zip(names, values, strict=True):
        if (query, name) in rows:
            raise InputError(
                f"{where}: {name} of query {query!r} stands twice, {EXPECTED_OUTPUT}; remove one of the two"
            )
        rows[query, name] = value


def show_tables(values: LetorValues, preset: str, *, by_query: bool) -> str:
    """All lines of an output file."""
    return "".join(letor3_lines(values, by_query) if preset == "letor3" else letor4_lines(values, by_query))


def running_means(values: Floats) -> Floats:
    """Over all queries, added one after the other as the scripts add: the last digit can depend on that."""
    found: Floats = np.cumsum(values, axis=0)[-1] / len(values)
    return found


def letor4_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 4.0 and MSLR: two tables, each with a line of names and one of averages."""
    parts = (
        ("P", "MAP", values.precision, values.average_precision),
        ("NDCG", "MeanNDCG", values.ndcg, values.mean_ndcg),
    )
    for name, last, at, whole in parts:
        heads = [f"{name}@{n}" for n in range(1, at.shape[1] + 1)]
        yield "\t".join(["qid", *heads, last]) + "\n"
        numbers = np.column_stack((at, whole))
        form = "%s" + "\t%.4f" * numbers.shape[1] + "\n"
        if by_query:
            for query, row in zip(values.query_ids, numbers.tolist(), strict=True):
                yield form % (query, *row)
        yield form % ("Average", *running_means(numbers).tolist()) + "\n"


def letor3_lines(values: LetorValues, by_query: bool) -> Iterable[str]:
    """LETOR 3.0: queries numbered from 0, and each list only as long as its documents."""
    ends = np.minimum(values.lengths, values.precision.shape[1]).tolist()
    parts = (("precision", "precision", values.precision), ("Map", "MAP", None), ("NDCG", "NDCG", values.ndcg))
    for one, all_, at in parts:
        if at is None:
            numbers = values.average_precision[:, None]
            shown, tab = [1] * len(ends), ""
        else:
            # A list that has ended adds nothing to the averages, which divide by all queries all the same.
            numbers = np.where(np.arange(at.shape[1]) < values.lengths[:, None], at, 0.0)
            shown, tab = ends, "\t"
        if by_query:
            for query, (row, end) in enumerate(zip(numbers.tolist(), shown, strict=True)):
                yield f"{one} of query{query}:\t{perl_digits(row[:end])}{tab}\n"
        yield f"{all_}:\t{perl_digits(running_means(numbers).tolist())}{tab}\n\n"


def perl_digits(numbers: Sequence[float]) -> str:
    """As perl prints numbers."""
    return "\t".join([f"{number:.15g}" for number in numbers])


def show_ttest(tests: Sequence[PairedTTest]) -> str:
    """A line a measure below a line of names."""
    lines = ["measure\tmean A\tmean B\tdifference\tt\tdf\tp\n"]
    for test in tests:
        means_ = f"{test.mean_a:.4f}\t{test.mean_b:.4f}\t{test.difference:z.4f}"  # z: never -0.0000
        lines.append(f"{test.measure}\t{means_}\t{test.statistic:z.4f}\t{test.df}\t{test.pvalue:.4g}\n")
    return "".join(lines)
