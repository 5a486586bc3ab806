"""Tables of items in the lists of judges: CSV, TSV, JSONL or Parquet, a row an item, columns by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.data.frames import column_named, one_of, shown_columns
from rankscope.data.rankings import Floats, Labels, Rankings
from rankscope.data.rows import Ints
from rankscope.data.wording import counted, listed
from rankscope.errors import InputError, UnknownName
from rankscope.io.blocks import BOM
from rankscope.io.mt_names import judgments_of, split_pair
from rankscope.io.read import PathLike
from rankscope.io.streams import empty_file, open_binary, source_name
from rankscope.io.table_frames import SEPARATORS, lines_of_records, read_frame, uneven_line

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NAMES",
    "PEOPLE",
    "Frame",
    "mostly_numbers",
    "name_codes",
    "name_column",
    "named_in",
    "numbers",
    "rankings_in",
    "read_named",
    "read_ranking_table",
    "texts",
]

#: What the columns may be called, ours first.
NAMES = {
    "segment": ("segment", "segment_id", "seg", "segid", "sid", "item", "item_id", "prompt", "query_id"),
    "system": ("system", "system_id", "candidate", "model", "doc_id"),
    "pair": ("pair", "lp", "langpair", "lang-pair", "language_pair"),
    "judge": ("judge", "judge_id", "rater", "annotator", "user"),
    "judgment": ("judgment", "judgement", "ranking_id", "judgment_id"),
}
#: What the column of people is called, where nobody says.
PEOPLE = ("rank", "gold", "human")
EXPECTED = "a line of names (segment,system,gold,predicted) and a line an item"
NO_VALUE = ("", "nan", "none", "na", "n/a", "null")


class Frame(NamedTuple):
    """A table as it was read. first: the number of its first row's line, 0 where rows have no lines."""

    frame: pl.DataFrame
    name: str
    first: int

    @property
    def head(self) -> str:
        """Where the names of the columns stand."""
        return f"{self.name}:{self.first - 1}" if self.first > 1 else self.name

    def where(self, row: int) -> str:
        return f"{self.name}:{row + self.first}" if self.first else f"{self.name}: row {row}"


def read_ranking_table(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
) -> Rankings:
    r"""Read judgments from a table with the columns segment and system, and one or more of numbers.

    "-" is standard input; Parquet, JSON lines, tabs or commas are told by content, and so is compression. pair, judge
    and judgment may be there, too. The rows of one (pair, segment, judge, judgment) are one judgment, wherever they
    stand. columns: the names of those with numbers; by default all that hold mostly numbers; a note names the others.
    scores: which of them are scores, of which higher is better; of the rest lower is, as of ranks. gold: the column of
    people, else the first of rank, gold and human; needed: more columns that must hold numbers if they are there, as
    that of people and scores must. An empty cell, nan, None and NA are no value (NaN), and counted in a note.

    Raises InputError with file and line for a column that is missing, a cell that is no number, an empty segment or
    system, a system twice in one judgment, scores in a column that is called as one of judges is; UnknownName for a
    score that is no column.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("segment,system,gold,reward\n1,A,1,0.5\n1,B,2,0.75\n2,A,1,\n")
    >>> found = read_ranking_table(path, scores=["reward"])
    >>> found.table("gold").tolist(), found.table("reward").tolist()
    ([[1.0, 2.0], [1.0, nan]], [[-0.5, -0.75], [nan, nan]])
    """
    return rankings_in(read_named(path), columns, scores=scores, gold=gold, needed=needed)


def rankings_in(
    table: Frame,
    columns: Sequence[str] | None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
) -> Rankings:
    """The judgments of a table that was read; as `read_ranking_table`."""
    there, line, chosen = table.frame.columns, table.head, set(scores)
    keys = {field: column_named(there, field, NAMES[field], line) for field in ("segment", "system")}
    keys |= {field: name for field in ("pair", "judge", "judgment") if (name := one_of(there, NAMES[field]))}
    asked = [*(columns or ()), *chosen, *needed, *([] if gold is None else [gold])]
    refuse_keys(keys, asked, line)
    notes = []
    if columns is None:
        rest = [name for name in there if name not in keys.values()]
        must = {*asked, one_of(rest, PEOPLE) if gold is None else gold}
        wanted = [name for name in rest if name in must or mostly_numbers(table.frame[name])]
        if not wanted:
            raise InputError(
                f"{line}: no column of numbers among {shown_columns(there)}, expected at least one beside segment and "
                "system; add one, or name it (columns) to see what is wrong with it"
            )
        left = [name for name in rest if name not in wanted]
        if left:
            notes.append(f"{table.name}: {listed(map(repr, left))} not read: no numbers")
    else:
        wanted = [chosen_column(there, name, line) for name in columns]
    unknown = chosen - set(wanted)
    if unknown:
        raise UnknownName("column of scores", min(unknown), wanted)
    if not table.frame.height:
        raise InputError(f"{table.name}: no items after the line of names, expected at least one")
    order, lengths, labels = grouped(
        {field: texts(table, name, field) for field, name in keys.items()}, table.frame.height
    )
    if "judge" in labels:
        refuse_numbers(table, keys["judge"], labels)
    values = {}
    for name in wanted:
        values[name] = numbers(table, name)[order]
        missing = int(np.isnan(values[name]).sum())
        if missing:
            notes.append(f"{table.name}: {counted(missing, 'item')} without a value of {name!r}")
    firsts = order[np.cumsum(lengths) - lengths]
    found = {field: list(labels[field].take(firsts)) if field in labels else [""] * firsts.size for field in NAMES}
    return judgments_of(
        pairs=[split_pair(pair) for pair in found["pair"]],
        segments=found["segment"],
        judges=found["judge"],
        lengths=lengths,
        systems=list(labels["system"].take(order)),
        columns=values,
        scores=chosen,
        where=lambda _, item: table.where(int(order[item])),
        notes=notes,
        shorten=False,
    )


def refuse_keys(keys: Mapping[str, str], asked: Iterable[str], line: str) -> None:
    """Raise InputError for a column that is asked for as one of numbers and says which judgment a row is of."""
    for name in asked:
        field = next((field for field, column in keys.items() if column == name), None)
        if field is not None:
            what = {"judge": "who judged", "judgment": "which judgment a row is of"}.get(field, f"the {field}")
            raise InputError(
                f"{line}: column {name!r} says {what}, and is asked for as one of numbers; give one of the two "
                f"another name, as {name}_score"
            )


def refuse_numbers(table: Frame, column: str, labels: Mapping[str, Labels]) -> None:
    """Raise InputError for scores in a column called as that of judges: they tear the lists of segments apart."""
    if not holds_numbers(table.frame[column]):
        return
    parts = {field: list(labels[field]) for field in ("pair", "segment", "judgment") if field in labels}
    n = len(labels["system"])
    with_judge = list_of({**parts, "judge": list(labels["judge"])}, n)
    without = list_of(parts, n)
    alone = (np.bincount(with_judge)[with_judge] == 1) & (np.bincount(without)[without] > 1)
    systems = np.stack((without, labels["system"].codes))
    repeated = np.unique(systems, axis=1).shape[1] < n
    # People who judged the same items are judges, whatever they are called, unless most of them ranked nothing.
    if alone.any() and (not repeated or 2 * int(alone.sum()) > int(with_judge.max()) + 1):
        lists = counted(int(alone.sum()), "list has", "lists have")
        raise InputError(
            f"{table.head}: column {column!r}, of who judged, holds numbers, and by it {lists} one item only; if these "
            f"are scores, give it another name, as {column}_score"
        )


def list_of(columns: Mapping[str, list[str]], n: int) -> Ints:
    """(rows) the number of the list that each is in, from 0."""
    order, lengths, _ = grouped(dict(columns), n)
    found = np.empty(n, np.int64)
    found[order] = np.repeat(np.arange(lengths.size), lengths)
    return found


def chosen_column(there: Sequence[str], name: str, where: str) -> str:
    """The column that somebody named, in whatever case. Raises InputError where there is none."""
    found = name if name in there else one_of(there, (name.strip().lower(),))
    if found is None:
        raise InputError(f"{where}: no column {name!r} among {shown_columns(there)}; name one of those")
    return found


def grouped(columns: dict[str, list[str]], n: int) -> tuple[Ints, Ints, dict[str, Labels]]:
    """The rows judgment by judgment, in the order in which these first stand, the length of each; and all labels."""
    labels = {field: Labels.of(values) for field, values in columns.items()}
    key = np.zeros(n, np.int64)
    for field in ("pair", "segment", "judge", "judgment"):
        if field in labels:
            key = key * len(labels[field].names) + labels[field].codes
            _, key = np.unique(key, return_inverse=True)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return np.argsort(first[key], kind="stable"), counts[np.argsort(first)], labels


def read_named(path: PathLike, expected: str = EXPECTED, *, even: bool = False) -> Frame:
    """A table of whatever format, with the line of its first row.

    expected: what an empty file should hold. even: a line that ends too early is refused; else the rest of it is empty.
    """
    with open_binary(path) as stream:
        return named_in(stream.read(), source_name(path), expected, even=even)


def named_in(content: bytes, name: str, expected: str = EXPECTED, *, even: bool = False) -> Frame:
    """The table in a file that was read; as `read_named`."""
    content = content.removeprefix(BOM)
    if not content.strip():
        raise empty_file(name, expected)
    if content.startswith(b"PAR1"):
        return Frame(read_frame(content, name, "parquet"), name, 0)
    if content.lstrip().startswith((b"{", b"[")):
        form, before = "jsonl", 1
        if content.lstrip().startswith(b"["):
            content, before = lines_of_records(content, name), 0
    else:
        before = 2
        while content and (content.startswith(b"#") or not content.partition(b"\n")[0].strip()):
            content, before = content.partition(b"\n")[2], before + 1
        if not content:
            raise InputError(f"{name}: comments only, expected {expected}")
        form = "tsv" if b"\t" in content.partition(b"\n")[0] else "csv"
        content = content.rstrip(b"\r\n") + b"\n"  # blank lines at the end are no rows
    try:
        frame = read_frame(content, name, form)
        even = not (even and form in SEPARATORS and frame[:, -1].null_count() and ends_early(content, SEPARATORS[form]))
        wrong = None
    except InputError as error:
        even, wrong = False, error
    where = None if even else uneven_line(content, form, before - 2 if form in SEPARATORS else 0)
    if where is not None:
        raise InputError(f"{name}:{where}; correct this line")
    if wrong is not None:
        raise wrong
    return Frame(frame if form in SEPARATORS else in_order(frame, content), name, before)


def in_order(frame: pl.DataFrame, content: bytes) -> pl.DataFrame:
    """The columns of JSON lines as the first object has them, then the others: they are read in any order."""
    first = next(line for line in content.splitlines() if line.strip())
    names = [*json.loads(first), *sorted(frame.columns)]
    return frame[list(dict.fromkeys(name for name in names if name in frame))]


def ends_early(content: bytes, separator: str) -> bool:
    """Whether a line may have fewer fields than the first: by counting separators, unless quotes hide some."""
    if b'"' in content:
        return True
    text = np.frombuffer(content, np.uint8)
    ends = np.append(np.flatnonzero(text == ord("\n")), text.size)
    fields = np.diff(np.searchsorted(np.flatnonzero(text == ord(separator)), ends), prepend=0)
    blank = np.diff(ends, prepend=-1) <= 2  # the line's end alone, perhaps with a carriage return
    return bool(((fields < fields[0]) & ~blank).any())


def name_column(table: Frame, column: str, field: str, *, needed: bool = True) -> pl.Series:
    """The names in a column as text. needed: each must be there, else it is empty where none is.

    Raises InputError for a column of something else, and for an empty cell where names are needed.
    """
    import polars as pl

    series = table.frame[column]
    if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
        raise InputError(f"{table.where(0)}: column {column!r} holds {series.dtype}, expected names or whole numbers")
    found = series.cast(pl.String).fill_null("")
    if needed:
        empty = (found == "").arg_true()
        if empty.len():
            raise InputError(
                f"{table.where(int(empty[0]))}: the {field} is empty, expected a name; fill it in or drop the line"
            )
    return found


def name_codes(columns: Sequence[pl.Series]) -> tuple[tuple[str, ...], list[Ints]]:
    """All names of some columns of text, as they first stand, row by row; and the code of each row's."""
    import polars as pl

    names = pl.concat([column.unique() for column in columns]).unique()
    kind = pl.Enum(names)
    codes = [column.cast(kind).to_physical().to_numpy().astype(np.int64) for column in columns]
    first = np.full(names.len(), len(columns) * columns[0].len())
    for i, found in enumerate(codes):
        at = np.full(names.len(), first.max(initial=0))
        at[found[::-1]] = np.arange(found.size)[::-1] * len(columns) + i  # the last that is written is the first row
        first = np.minimum(first, at)
    order = np.argsort(first, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return tuple(names.gather(order).to_list()), [place[found] for found in codes]


def texts(table: Frame, column: str, field: str) -> list[str]:
    """The names in a column, each there where they are of a segment or a system."""
    found: list[str] = name_column(table, column, field, needed=field in ("segment", "system")).to_list()
    return found


def as_numbers(series: pl.Series, none: Sequence[str] = NO_VALUE) -> tuple[pl.Series, pl.Series]:
    """The numbers of a column, null where there is none, and where something else stands. none: texts for none."""
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).str.strip_chars()
        missing = series.is_null() | series.str.to_lowercase().is_in(none)
    else:
        missing = series.is_null()
    if not (series.dtype.is_numeric() or series.dtype in (pl.String, pl.Null)):
        return series, ~missing
    values = series.cast(pl.Float64, strict=False)
    missing = missing | values.is_nan().fill_null(False)
    return values, ~missing & ~values.is_finite().fill_null(False)


def holds_numbers(series: pl.Series) -> bool:
    """Whether a column holds numbers, and nothing else."""
    values, bad = as_numbers(series)
    return not bad.any() and values.dtype.is_float() and bool(values.is_finite().any())


def mostly_numbers(series: pl.Series) -> bool:
    """Whether most of what a column holds are numbers: what else stands there is then a mistake, and no text."""
    values, bad = as_numbers(series)
    return values.dtype.is_float() and int(values.is_finite().sum()) > int(bad.sum())


def numbers(table: Frame, column: str, none: Sequence[str] = NO_VALUE) -> Floats:
    """The numbers of a column, NaN where there is none."""
    values, bad = as_numbers(table.frame[column], none)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise InputError(
            f"{table.where(row)}: {column} is {table.frame[column][row]!r}, expected a finite number, or nothing for "
            "no value; correct this line"
        )
    return np.asarray(values.fill_null(float("nan")).to_numpy(), np.float64)
