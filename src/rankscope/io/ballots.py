"""Reading votes: a table of ranks, JSON lists of names, or a table with a row for each voter and item."""

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

from rankscope.data.rows import first_duplicate
from rankscope.data.sparse import refuse_sparse
from rankscope.data.tables import find_column, list_columns
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
    """The vote of one voter.

    Attributes
    ----------
    voter
        Name.
    weight
        Its weight.
    ranking
        A list of names, or ranks by name.
    """

    voter: str
    weight: float
    ranking: Any


def json_votes(content: bytes, name: str) -> Votes:
    """The votes in a JSON text. Raises InputError for JSON of another shape, and as `Votes`."""
    data, items = parse_json(content, name, shape=SHAPE, holder="item"), None
    if isinstance(data, dict) and "rankings" in data and set(data) <= {"items", "rankings"}:
        data, items = data["rankings"], data.get("items")
        if items is not None and not (isinstance(items, list) and all(isinstance(item, (str, int)) for item in items)):
            raise InputError(f'{name}: "items" is not a list of names, expected {SHAPE}')
    lines: list[int] = []

    def where(i: int) -> str:
        """The file and line of a ballot; looked up only for an error."""
        if not lines:
            lines.extend(ballot_lines(content.decode("utf-8-sig")))
        return f"{name}:{lines[i]}: "

    if isinstance(data, dict):
        voter_entries: Iterable[tuple[str, Any]] = data.items()
    elif isinstance(data, list):
        voter_entries = ((str(i), entry) for i, entry in enumerate(data, 1))
    else:
        raise InputError(f"{name}: JSON that holds no rankings, expected {SHAPE}")
    ballots = [parse_ballot(entry, voter, partial(where, i)) for i, (voter, entry) in enumerate(voter_entries)]
    return votes_from_ballots(ballots, items, where)


def json_lines_votes(content: bytes, name: str) -> Votes:
    """The votes in a text with one ranking per line. Raises InputError with the line."""
    numbered_lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    ballots = []
    for i, (number, line) in enumerate(numbered_lines, 1):
        entry = parse_json(line, name, shape=SHAPE, holder="item", first_line=number)
        ballots.append(parse_ballot(entry, str(i), f"{name}:{number}: ".__str__))
    return votes_from_ballots(ballots, None, lambda i: f"{name}:{numbered_lines[i][0]}: ")


def ballot_lines(text: str) -> list[int]:
    """The line on which each ballot (or its voter's name) begins, in JSON that was parsed without error."""
    decoder, separator = json.JSONDecoder(), re.compile(r"[\s,:]*")

    def parse_value(position: int) -> tuple[Any, int]:
        return decoder.raw_decode(text, position)

    def entry_starts(position: int, has_names: bool) -> Iterator[tuple[Any, int, int]]:
        """The name of each entry (None in a list), where the entry begins, and where its value begins."""
        position = next_value(separator, text, position + 1)
        while text[position] not in "]}":
            begin = position
            key = None
            if has_names:
                key, position = parse_value(position)
                position = next_value(separator, text, position)
            yield key, begin, position
            position = next_value(separator, text, parse_value(position)[1])

    start = next_value(separator, text, 0)
    if text[start] == "{":
        value_positions = {key: position for key, _, position in entry_starts(start, has_names=True)}
        start = (
            value_positions["rankings"]
            if "rankings" in value_positions and set(value_positions) <= {"items", "rankings"}
            else start
        )
    return [text.count("\n", 0, begin) + 1 for _, begin, _ in entry_starts(start, has_names=text[start] == "{")]


def next_value(separator: re.Pattern[str], text: str, position: int) -> int:
    """The position of the next value or bracket."""
    match = separator.match(text, position)
    return match.end() if match else position


def parse_ballot(entry: Any, voter: str, where: Callable[[], str]) -> Ballot:
    """A voter's entry as a ballot: a list of names, ranks by name, or an object with one of these as "ranking".

    where: gives the beginning of an error message.
    """
    if not (isinstance(entry, Mapping) and isinstance(entry.get("ranking"), (list, dict))):
        return Ballot(voter, 1.0, entry)
    name, weight = entry.get("voter", voter), entry.get("weight", 1.0)
    if isinstance(name, bool) or not isinstance(name, (str, int)) or name == "":
        raise InputError(f"{where()}the voter is {name!r}, expected a name")
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight <= sys.float_info.max:
        raise InputError(
            f"{where()}the weight of voter {str(name)!r} is {weight!r}, expected a number above 0; leave out voters "
            "who do not count"
        )
    return Ballot(str(name), float(weight), entry["ranking"])


def votes_from_ballots(ballots: list[Ballot], items: list[Any] | None, where: Callable[[int], str]) -> Votes:
    voters = [ballot.voter for ballot in ballots]
    duplicate = first_duplicate(voters)
    if duplicate is not None:
        raise InputError(f"{where(duplicate)}voter {voters[duplicate]!r} occurs twice; name each voter differently")
    names, ranks = ballot_ranks(voters, [ballot.ranking for ballot in ballots], items, where)
    return Votes(
        ranks=ranks, items=names, voters=tuple(voters), weights=np.array([ballot.weight for ballot in ballots])
    )


#: The formats of votes, and their descriptions.
VOTE_FORMATS = {
    "entity-ranks": "a table with one line per item and one column of ranks per voter",
    "long": "a table with the columns voter, item and rank",
    "json": "JSON: lists of names, the best first",
    "jsonl": "one list of names, or one object with voter and ranking, per line",
}
TERMS = TableTerms("voter", "item", "items")
#: Texts of cells without a rank.
MISSING_RANK_TEXTS = (*NO_VALUE, "-", "n/a")
MISSING_RANK_CELLS = frozenset(
    spelling for word in MISSING_RANK_TEXTS for spelling in (word, word.upper(), word.capitalize())
) | {"NaN"}
#: Names of the columns of a table with a row for each voter and item; the first of each is ours.
LONG_COLUMNS = {
    "voter": ("voter", "voter_id", "judge", "judge_id", "rater", "annotator", "user", "ranker", "ballot"),
    "item": ("item", "item_id", "candidate", "entity", "alternative", "option", "system", "model"),
    "rank": ("rank", "place", "position"),
}
WEIGHT = ("weight", "weights")


def read_votes(path: PathLike, *, input: str | None = None) -> Votes:
    r"""Read voters' rankings of the same items.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.
    input
        Format. Default: detected from the content.

    Returns
    -------
    Votes
        The ranks.

    Raises
    ------
    InputError
        With file and line: a rank is not a number, an item or voter occurs twice, an item is not among "items", nobody
        ranked an item, a weight is not above 0, there are fewer than two voters or items, JSON is damaged, or bytes are
        not UTF-8.
    UnknownName
        The format does not exist.

    Notes
    -----
    Formats:

    - "entity-ranks": a table (tabs or commas) with a header, anything and then a name per voter, and one line per item
      with its rank by each
    - "long": a table (CSV, TSV, JSON lines, Parquet) with the columns voter, item and rank, perhaps weight
    - "json": a list of lists of names (a list within: tied), an object of such lists (or of ranks by item) by voter,
      or {"items": [...], "rankings": [...]}, where a ranking may be {"voter": ..., "weight": ..., "ranking": [...]}
    - "jsonl": one of these rankings per line

    Lower ranks are better, and may be any finite numbers; an empty cell, "-", NA and nan mean that a voter did not rank
    an item.

    Examples
    --------
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
    format_name = input or ("parquet" if parquet else detect_vote_format(content))
    if not parquet and not format_name.startswith("json"):  # the JSON reader checks this itself
        refuse_other_bytes(content, name)
    try:
        if format_name == "json":
            return json_votes(content, name)
        if format_name == "jsonl":
            return json_lines_votes(content, name)
        if format_name == "entity-ranks" and not parquet:
            return table_votes(content, name)
        table = parse_named_table(content, name, "a header line (voter,item,rank) and one line per rank", even=True)
        is_long = format_name == "long" or all(
            find_column(table.frame.columns, names) for names in LONG_COLUMNS.values()
        )
        return long_votes(table) if is_long else wide_votes(table)
    except InputError as error:
        raise error if str(error).startswith(name) else InputError(f"{name}: {error}") from None


def refuse_other_bytes(content: bytes, name: str) -> None:
    """Raise InputError for a text that is not UTF-8: decoded loosely, two names could become one."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: bytes that are not UTF-8, expected text in UTF-8; convert the file") from None


# Detecting the format


def detect_vote_format(content: bytes) -> str:
    """The format of a text, by its first lines."""
    text = content.lstrip()
    if text.startswith((b"[", b"{")):
        first_line, second_line = first_lines(text)
        if not second_line:
            return "long" if is_long_row(parse_json_line(first_line)) else "json"
        record = parse_json_line(first_line)
        if record is None and len(first_line) > 1:
            record = parse_json_line(second_line)
        return "json" if record is None else "long" if is_long_row(record) else "jsonl"
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(b"#"))
    line = next(lines, b"").decode("utf-8", "replace")
    try:
        header = next(csv.reader(io.StringIO(line), delimiter="\t" if "\t" in line else ","), [])
    except csv.Error:
        header = []
    return "long" if all(find_column(header, names) for names in LONG_COLUMNS.values()) else "entity-ranks"


def first_lines(text: bytes) -> tuple[bytes, bytes]:
    """The first line, and the next line that is not blank."""
    first_line, _, remainder = text.partition(b"\n")
    return first_line.strip(), remainder.lstrip().partition(b"\n")[0].strip()


def parse_json_line(line: bytes) -> object:
    """The list or object in a line of JSON; None for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (list, dict)) else None


def is_long_row(value: object) -> bool:
    """Whether a value is an object with a voter, an item and a rank."""
    return isinstance(value, dict) and all(find_column(list(value), names) for names in LONG_COLUMNS.values())


# Tables


def table_votes(content: bytes, name: str) -> Votes:
    """The votes in a text table with one column per voter."""
    table = parse_rank_table(content, name, TERMS, MISSING_RANK_CELLS)
    return build_votes(table.ranks, table.items, table.names, [f"{name}:{line}" for line in table.lines])


def wide_votes(table: NamedTable) -> Votes:
    """The votes in a data frame with one column per voter."""
    item_column, *voters = table.frame.columns
    items = name_column(table, item_column, "item").to_list()
    if not voters or not items:
        raise InputError(
            f"{table.header_location}: columns {list_columns(table.frame.columns)}, expected {TERMS.expected}"
        )
    ranks = np.array([number_values(table, voter, MISSING_RANK_TEXTS) for voter in voters])
    return build_votes(ranks, items, voters, [table.location(row) for row in range(len(items))])


def build_votes(
    ranks: Floats, items: list[str] | tuple[str, ...], voters: list[str] | tuple[str, ...], locations: list[str]
) -> Votes:
    """The votes. locations: file and line of each item. Raises InputError for an invalid item."""
    first_rows: dict[str, int] = {}
    for row, item in enumerate(items):
        if not item:
            raise InputError(f"{locations[row]}: an item without a name, expected one; correct this line")
        if first_rows.setdefault(item, row) != row:
            raise InputError(
                f"{locations[row]}: item {item!r} is listed twice, first at {locations[first_rows[item]]}; keep one of "
                "its lines"
            )
    infinite = np.argwhere(np.isinf(ranks.T))
    if infinite.size:
        row, voter = infinite[0]
        raise InputError(
            f"{locations[row]}: the rank of voter {voters[voter]!r} is infinite, expected a finite number, or nothing "
            "for an item that was not ranked; correct this line"
        )
    unranked = np.flatnonzero(np.isnan(ranks).all(axis=0))
    if unranked.size:
        raise InputError(
            f"{locations[unranked[0]]}: nobody ranked {items[unranked[0]]!r}, expected a rank; drop this line"
        )
    return Votes(ranks=ranks, items=tuple(items), voters=tuple(voters))


def long_votes(table: NamedTable) -> Votes:
    """The votes in a table with a row for each voter and item."""
    column_names = table.frame.columns
    columns = {field: find_column(column_names, names) for field, names in LONG_COLUMNS.items()}
    for field, column in columns.items():
        if column is None:
            raise InputError(
                f"{table.header_location}: no column {field!r} among {list_columns(column_names)}, expected voter, "
                "item and rank; "
                f"rename one of them to {field} (also understood: {', '.join(LONG_COLUMNS[field][1:])})"
            )
    if not table.frame.height:
        raise InputError(f"{table.name}: no rows after the header line, expected at least one")
    voters, (voter_index,) = name_codes([name_column(table, columns["voter"] or "", "voter")])
    items, (item_index,) = name_codes([name_column(table, columns["item"] or "", "item")])
    key = voter_index * len(items) + item_index
    order = np.argsort(key, kind="stable")
    repeats = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if repeats.size:
        row = int(order[repeats + 1].min())
        first_row = int(np.argmax(key == key[row]))
        raise InputError(
            f"{table.location(row)}: voter {voters[voter_index[row]]!r} ranks {items[item_index[row]]!r} twice, first "
            "at "
            f"{table.location(first_row)}; keep one of the two"
        )
    refuse_sparse((len(voters), len(items)), voter_index.size, table.name, "voters and items")
    ranks = np.full((len(voters), len(items)), np.nan)
    ranks[voter_index, item_index] = number_values(table, columns["rank"] or "", MISSING_RANK_TEXTS)
    weight_column = find_column(column_names, WEIGHT)
    weights = np.empty(0) if weight_column is None else voter_weights(table, weight_column, voter_index, voters)
    return Votes(ranks=ranks, items=items, voters=voters, weights=weights)


def voter_weights(
    table: NamedTable, column: str, voter_index: np.ndarray[tuple[int], np.dtype[np.int64]], voters: tuple[str, ...]
) -> Floats:
    """(voters) the weight of each voter, which must be the same in all of the voter's rows."""
    row_weights = number_values(table, column)
    weights = np.empty(len(voters))
    weights[voter_index[::-1]] = row_weights[::-1]  # reversed, so that each voter gets the weight of its first row
    invalid = np.flatnonzero(~(row_weights > 0) | (row_weights != weights[voter_index]))
    if invalid.size:
        row = int(invalid[0])
        if row_weights[row] > 0:
            reason = f"and was {weights[voter_index[row]]:g} before, expected the same in all of the voter's rows"
        else:
            reason = "expected a number above 0; leave out voters who do not count"
        raise InputError(
            f"{table.location(row)}: the weight of voter {voters[voter_index[row]]!r} is "
            f"{table.frame[column][row] or 'empty'}, {reason}"
        )
    return weights
