"""Votes in files: the table of ranks that `read_entity_ranks` takes, JSON of names, or a row a voter and item."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

from rankscope.data.frames import find_column, list_columns
from rankscope.data.sparse import refuse_sparse
from rankscope.data.votes import Votes
from rankscope.errors import InputError, UnknownName
from rankscope.io.blocks import BOM
from rankscope.io.entity_ranks import TableTerms, parse_rank_table
from rankscope.io.foreign import binary_file_error
from rankscope.io.json_ballots import json_lines_votes, json_votes
from rankscope.io.named_tables import NO_VALUE, NamedTable, name_codes, name_column, number_values, parse_named_table
from rankscope.io.read import HEAD
from rankscope.io.sniff import refuse_foreign
from rankscope.io.streams import empty_file_error, open_binary, source_name
from rankscope.typing import Floats, PathLike

__all__ = ["VOTE_FORMATS", "read_votes"]

#: The formats of votes, and what each is.
VOTE_FORMATS = {
    "entity-ranks": "a table: a line an item, a column of ranks a voter",
    "long": "a table with the columns voter, item and rank",
    "json": "JSON: lists of names, the best first",
    "jsonl": "a list of names, or an object with voter and ranking, a line",
}
TERMS = TableTerms("voter", "item", "items")
#: What stands for no rank.
NONE = (*NO_VALUE, "-", "n/a")
CELLS = frozenset(form for word in NONE for form in (word, word.upper(), word.capitalize())) | {"NaN"}
#: What the columns of a table with a row a voter and item may be called, ours first.
LONG_COLUMNS = {
    "voter": ("voter", "voter_id", "judge", "judge_id", "rater", "annotator", "user", "ranker", "ballot"),
    "item": ("item", "item_id", "candidate", "entity", "alternative", "option", "system", "model"),
    "rank": ("rank", "place", "position"),
}
WEIGHT = ("weight", "weights")


def read_votes(path: PathLike, *, input: str | None = None) -> Votes:
    r"""Read what voters make of the same items; "-" is standard input, compression is told by content.

    Formats, told by content unless `input` names one: "entity-ranks", a table (tabs or commas) with a header, anything
    and then a name per voter, and a line an item with its rank by each; "long", a table (CSV, TSV, JSON lines, Parquet)
    with the columns voter, item and rank, perhaps weight; "json", a list of lists of names (a list within: tied), an
    object of such lists (or of ranks by item) by voter, or {"items": [...], "rankings": [...]}, where a ranking may be
    {"voter": ..., "weight": ..., "ranking": [...]}; "jsonl", one of these rankings a line. Lower ranks are better, and
    may be any finite numbers; an empty cell, "-", NA and nan say that a voter did not rank an item.

    Raises InputError with file and line for a rank that is no number, an item or voter twice, one that is not among
    "items", an item that nobody ranked, a weight that is not above 0, fewer than two voters or items, damaged JSON,
    bytes that are not UTF-8; UnknownName for another format.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ranks.tsv")
    >>> _ = path.write_text("paper\tAnn\tBob\nX\t1\t2\nY\t2\t1\nZ\t3\t\n")
    >>> votes = read_votes(path)
    >>> votes.items, votes.voters, votes.ranks.tolist()
    (('X', 'Y', 'Z'), ('Ann', 'Bob'), [[1.0, 2.0, 3.0], [2.0, 1.0, nan]])
    """
    if input is not None and input not in VOTE_FORMATS:
        raise UnknownName("format of votes", str(input), VOTE_FORMATS)
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM)
    if not content.strip():
        raise empty_file_error(name, "votes, as a table of ranks or JSON lists of names")
    parquet = content.startswith(b"PAR1")
    if not parquet:
        refuse_foreign(content[:HEAD], name)
        if b"\0" in content:
            raise binary_file_error(content[:64], name)
    form = input or ("parquet" if parquet else detect_vote_format(content))
    if not parquet and not form.startswith("json"):  # which says so itself
        refuse_other_bytes(content, name)
    try:
        if form == "json":
            return json_votes(content, name)
        if form == "jsonl":
            return json_lines_votes(content, name)
        if form == "entity-ranks" and not parquet:
            return table_votes(content, name)
        table = parse_named_table(content, name, "a line of names (voter,item,rank) and a line a rank", even=True)
        is_long = form == "long" or all(find_column(table.frame.columns, names) for names in LONG_COLUMNS.values())
        return long_votes(table) if is_long else wide_votes(table)
    except InputError as error:
        raise error if str(error).startswith(name) else InputError(f"{name}: {error}") from None


def refuse_other_bytes(content: bytes, name: str) -> None:
    """Raise InputError for a text that is not UTF-8: of two names no one could say which is which."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: bytes that are not UTF-8, expected text in UTF-8; convert the file") from None


# Telling


def detect_vote_format(content: bytes) -> str:
    """Which of the formats a text is in."""
    text = content.lstrip()
    if text.startswith((b"[", b"{")):
        first, second = first_lines(text)
        if not second:
            return "long" if is_long_row(parse_json_line(first)) else "json"
        found = parse_json_line(first)
        if found is None and len(first) > 1:
            found = parse_json_line(second)
        return "json" if found is None else "long" if is_long_row(found) else "jsonl"
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(b"#"))
    line = next(lines, b"").decode("utf-8", "replace")
    try:
        header = next(csv.reader(io.StringIO(line), delimiter="\t" if "\t" in line else ","), [])
    except csv.Error:
        header = []
    return "long" if all(find_column(header, names) for names in LONG_COLUMNS.values()) else "entity-ranks"


def first_lines(text: bytes) -> tuple[bytes, bytes]:
    """The first line, and the next that is not blank."""
    first, _, rest = text.partition(b"\n")
    return first.strip(), rest.lstrip().partition(b"\n")[0].strip()


def parse_json_line(line: bytes) -> object:
    """What a line of JSON holds, if it is a list or an object; else None."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, (list, dict)) else None


def is_long_row(found: object) -> bool:
    """Whether this is a rank that one voter gave to one item."""
    return isinstance(found, dict) and all(find_column(list(found), names) for names in LONG_COLUMNS.values())


# Tables


def table_votes(content: bytes, name: str) -> Votes:
    """The votes in a table with a column a voter."""
    found = parse_rank_table(content, name, TERMS, CELLS)
    return build_votes(found.ranks, found.items, found.names, [f"{name}:{line}" for line in found.lines])


def wide_votes(table: NamedTable) -> Votes:
    """The same from a data frame."""
    first, *voters = table.frame.columns
    items = name_column(table, first, "item").to_list()
    if not voters or not items:
        raise InputError(f"{table.head}: columns {list_columns(table.frame.columns)}, expected {TERMS.form}")
    ranks = np.array([number_values(table, voter, NONE) for voter in voters])
    return build_votes(ranks, items, voters, [table.where(row) for row in range(len(items))])


def build_votes(
    ranks: Floats, items: list[str] | tuple[str, ...], voters: list[str] | tuple[str, ...], where: list[str]
) -> Votes:
    """The votes. where: the place of each item. Raises InputError for what is wrong with one of them."""
    seen: dict[str, int] = {}
    for row, item in enumerate(items):
        if not item:
            raise InputError(f"{where[row]}: an item without a name, expected one; correct this line")
        if seen.setdefault(item, row) != row:
            raise InputError(
                f"{where[row]}: item {item!r} is listed twice, first at {where[seen[item]]}; keep one of its lines"
            )
    infinite = np.argwhere(np.isinf(ranks.T))
    if infinite.size:
        row, voter = infinite[0]
        raise InputError(
            f"{where[row]}: the rank of voter {voters[voter]!r} is infinite, expected a finite number, or nothing for "
            "an item that was not ranked; correct this line"
        )
    lost = np.flatnonzero(np.isnan(ranks).all(axis=0))
    if lost.size:
        raise InputError(f"{where[lost[0]]}: nobody ranked {items[lost[0]]!r}, expected a rank; drop this line")
    return Votes(ranks=ranks, items=tuple(items), voters=tuple(voters))


def long_votes(table: NamedTable) -> Votes:
    """The votes in a table with a row a voter and item."""
    there = table.frame.columns
    columns = {field: find_column(there, names) for field, names in LONG_COLUMNS.items()}
    for field, column in columns.items():
        if column is None:
            raise InputError(
                f"{table.head}: no column {field!r} among {list_columns(there)}, expected voter, item and rank; "
                f"rename one of them to {field} (also understood: {', '.join(LONG_COLUMNS[field][1:])})"
            )
    if not table.frame.height:
        raise InputError(f"{table.name}: no rows after the line of names, expected at least one")
    voters, (voter,) = name_codes([name_column(table, columns["voter"] or "", "voter")])
    items, (item,) = name_codes([name_column(table, columns["item"] or "", "item")])
    key = voter * len(items) + item
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if again.size:
        row = int(order[again + 1].min())
        first = int(np.argmax(key == key[row]))
        raise InputError(
            f"{table.where(row)}: voter {voters[voter[row]]!r} ranks {items[item[row]]!r} twice, first at "
            f"{table.where(first)}; keep one of the two"
        )
    refuse_sparse((len(voters), len(items)), voter.size, table.name, "voters and items")
    ranks = np.full((len(voters), len(items)), np.nan)
    ranks[voter, item] = number_values(table, columns["rank"] or "", NONE)
    weight = find_column(there, WEIGHT)
    weights = np.empty(0) if weight is None else voter_weights(table, weight, voter, voters)
    return Votes(ranks=ranks, items=items, voters=voters, weights=weights)


def voter_weights(
    table: NamedTable, column: str, voter: np.ndarray[tuple[int], np.dtype[np.int64]], voters: tuple[str, ...]
) -> Floats:
    """(voters) the weight of each, which must be the same in all of a voter's rows."""
    found = number_values(table, column)
    weights = np.empty(len(voters))
    weights[voter[::-1]] = found[::-1]  # the last that is written is the first row
    bad = np.flatnonzero(~(found > 0) | (found != weights[voter]))
    if bad.size:
        row = int(bad[0])
        if found[row] > 0:
            why = f"and was {weights[voter[row]]:g} before, expected the same in all of the voter's rows"
        else:
            why = "expected a number above 0; leave out voters who do not count"
        raise InputError(
            f"{table.where(row)}: the weight of voter {voters[voter[row]]!r} is "
            f"{table.frame[column][row] or 'empty'}, {why}"
        )
    return weights
