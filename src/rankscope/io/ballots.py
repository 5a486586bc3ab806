"""Votes in files: a table of ranks, JSON lists of names, or a row a voter and item."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.row_input import find_column, list_columns
from rankscope.data.rows import first_duplicate
from rankscope.data.sparse import refuse_sparse
from rankscope.data.votes import Votes, ballot_ranks
from rankscope.errors import InputError, UnknownName
from rankscope.io.core import BOM, HEAD, binary_file_error, empty_file_error, open_binary, refuse_foreign, source_name
from rankscope.io.json_dicts import parse_json
from rankscope.io.tables import (
    NO_VALUE,
    NamedTable,
    TableTerms,
    name_codes,
    name_column,
    number_values,
    parse_named_table,
    parse_rank_table,
)
from rankscope.typing import Floats, PathLike

__all__ = [
    "VOTE_FORMATS",
    "json_lines_votes",
    "json_votes",
    "read_votes",
]


SHAPE = (
    'a list of lists of names, an object of such lists by voter, or {"items": [...], "rankings": [...]}, the best '
    "name first"
)


class Ballot(NamedTuple):
    """What one voter says. ranking: a list of names, or ranks by name."""

    voter: str
    weight: float
    ranking: Any


def json_votes(content: bytes, name: str) -> Votes:
    """The votes in one text. Raises InputError for JSON of another shape, and as `Votes`."""
    data, items = parse_json(content, name, shape=SHAPE, holder="item"), None
    if isinstance(data, dict) and "rankings" in data and set(data) <= {"items", "rankings"}:
        data, items = data["rankings"], data.get("items")
        if items is not None and not (isinstance(items, list) and all(isinstance(x, (str, int)) for x in items)):
            raise InputError(f'{name}: "items" is no list of names, expected {SHAPE}')
    lines: list[int] = []

    def where(i: int) -> str:
        """Where a ballot begins; looked up where there is something to say of it."""
        if not lines:
            lines.extend(ballot_lines(content.decode("utf-8-sig")))
        return f"{name}:{lines[i]}: "

    if isinstance(data, dict):
        named: Iterable[tuple[str, Any]] = data.items()
    elif isinstance(data, list):
        named = ((str(i), entry) for i, entry in enumerate(data, 1))
    else:
        raise InputError(f"{name}: JSON that holds no rankings, expected {SHAPE}")
    ballots = [ballot_of(entry, voter, partial(where, i)) for i, (voter, entry) in enumerate(named)]
    return votes_from_ballots(ballots, items, where)


def json_lines_votes(content: bytes, name: str) -> Votes:
    """The votes in a text with a ranking a line. Raises InputError with the line."""
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    ballots = []
    for i, (number, line) in enumerate(lines, 1):
        entry = parse_json(line, name, shape=SHAPE, holder="item", first=number)
        ballots.append(ballot_of(entry, str(i), f"{name}:{number}: ".__str__))
    return votes_from_ballots(ballots, None, lambda i: f"{name}:{lines[i][0]}: ")


def ballot_lines(text: str) -> list[int]:
    """The line on which each ballot begins (its voter's name, where it has one), in JSON that was read already."""
    decoder, blank = json.JSONDecoder(), re.compile(r"[\s,:]*")

    def value(at: int) -> tuple[Any, int]:
        return decoder.raw_decode(text, at)

    def starts(at: int, named: bool) -> Iterator[tuple[Any, int, int]]:
        """Each name (None in a list) with where it begins, and where its value does."""
        at = next_value(blank, text, at + 1)
        while text[at] not in "]}":
            begin = at
            key = None
            if named:
                key, at = value(at)
                at = next_value(blank, text, at)
            yield key, begin, at
            at = next_value(blank, text, value(at)[1])

    first = next_value(blank, text, 0)
    if text[first] == "{":
        inner = {key: at for key, _, at in starts(first, named=True)}
        first = inner["rankings"] if "rankings" in inner and set(inner) <= {"items", "rankings"} else first
    return [text.count("\n", 0, begin) + 1 for _, begin, _ in starts(first, named=text[first] == "{")]


def next_value(blank: re.Pattern[str], text: str, at: int) -> int:
    """Where the next value or bracket stands."""
    found = blank.match(text, at)
    return found.end() if found else at


def ballot_of(entry: Any, voter: str, where: Callable[[], str]) -> Ballot:
    """What one voter says: a list of names, ranks by name, or an object with these as "ranking".

    where: what an error begins with.
    """
    if not (isinstance(entry, Mapping) and isinstance(entry.get("ranking"), (list, dict))):
        return Ballot(voter, 1.0, entry)
    called, weight = entry.get("voter", voter), entry.get("weight", 1.0)
    if isinstance(called, bool) or not isinstance(called, (str, int)) or called == "":
        raise InputError(f"{where()}the voter is {called!r}, expected a name")
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight <= sys.float_info.max:
        raise InputError(
            f"{where()}the weight of voter {str(called)!r} is {weight!r}, expected a number above 0; leave out voters "
            "who do not count"
        )
    return Ballot(str(called), float(weight), entry["ranking"])


def votes_from_ballots(ballots: list[Ballot], items: list[Any] | None, where: Callable[[int], str]) -> Votes:
    voters = [ballot.voter for ballot in ballots]
    twice = first_duplicate(voters)
    if twice is not None:
        raise InputError(f"{where(twice)}voter {voters[twice]!r} stands twice; name each voter differently")
    names, ranks = ballot_ranks(voters, [ballot.ranking for ballot in ballots], items, where)
    return Votes(
        ranks=ranks, items=names, voters=tuple(voters), weights=np.array([ballot.weight for ballot in ballots])
    )


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
