"""Reading votes: a table of ranks, a row for each voter and item, a row for each ballot, or JSON lists of names."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.rows import first_duplicate
from rankscope.data.sparse import refuse_sparse
from rankscope.data.tables import Codes, Column, Schema, Table, is_number, list_columns, refuse_case
from rankscope.data.text import join_names, json_value, pluralise
from rankscope.data.votes import Votes, ballot_ranks
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import (
    HEAD,
    PARQUET_MAGIC,
    binary_file_error,
    empty_file_error,
    open_binary,
    refuse_foreign,
    remove_marks,
    source_name,
)
from rankscope.io.json_dicts import parse_json
from rankscope.io.tables import column_names, first_record, header_location, name_codes, parse_table
from rankscope.kernels.order import first_repeat
from rankscope.settings import Settings, switch, table_columns
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "VOTES",
    "VOTE_FORMATS",
    "VoteTableSettings",
    "holds_votes",
    "json_lines_votes",
    "json_votes",
    "read_votes",
]


#: A row for each voter and item.
VOTES = Schema(
    columns=(
        Column(
            name="voter",
            aliases=("voter_id", "judge", "judge_id", "rater", "annotator", "user", "ranker", "ballot"),
            required=True,
        ),
        Column(
            name="item",
            aliases=("item_id", "candidate", "entity", "alternative", "option", "system", "model"),
            required=True,
        ),
        Column(name="rank", aliases=("place", "position"), kind="number", required=True),
        Column(name="weight", aliases=("weights",), kind="number"),
    ),
    expected="votes: a header line (voter,item,rank) and one line per rank",
    nan_is_missing=True,
)
#: A row for each item, and a column of ranks for each voter.
RANKS = Schema(
    columns=(Column(name="item", first=True, required=True, unique=True),),
    expected="votes: a header line (any text, then the voters), and a line for each item with a rank per voter",
    all_numbers=True,
    nan_is_missing=True,
)
#: The voter of a ballot, and other columns beside its places.
VOTER = replace(
    VOTES.column("voter"),
    aliases=(*VOTES.column("voter").aliases, "name", "respondent", "participant", "student", "email", "email address"),
    required=False,
    unique=True,
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: The name of a column of ballots: 1, 1st, first choice, choice 1, rank_1, or a question with one of these in brackets.
PLACE = re.compile(
    r"(?:.*\[)?(?:(?:choice|rank|ranked|preference|place|position|option|vote|no\.?|#)[ _-]?)?"
    rf"(?:([1-9][0-9]{{0,4}})(?:st|nd|rd|th)?|({'|'.join(ORDINALS)}))"
    r"(?:[ _-]?(?:choice|rank|preference|place|position|option|vote))?\]?"
)
#: Cells of a ballot without an item, in lower case.
NO_ITEM = ("", "-", "na", "n/a", "nan", "null")
#: How many times the number of items a rank may be before it looks like a score.
FAR_ABOVE = 3
SHAPE = (
    'a list of lists of names, an object of such lists by voter, or {"items": [...], "rankings": [...]}, the best '
    "name first"
)


class ParsedVotes(NamedTuple):
    """Votes, and whether their ranks stand in the file as numbers, not as an order of names."""

    votes: Votes
    holds_numbers: bool


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


def json_votes(content: bytes, name: str, columns: Mapping[str, str]) -> ParsedVotes:
    """The votes in a JSON text. Raises InputError for JSON of another shape, and as `Votes`."""
    data, items = parse_json(content, name, shape=SHAPE, holder="item"), None
    if isinstance(data, dict) and "rankings" in data and set(data) <= {"items", "rankings"}:
        data, items = data["rankings"], data.get("items")
        if items is not None and not (isinstance(items, list) and all(isinstance(item, (str, int)) for item in items)):
            raise InputError(f'{name}: "items" is not a list of names, expected {SHAPE}')
    if not isinstance(data, (dict, list)):
        raise InputError(f"{name}: JSON that holds no rankings, expected {SHAPE}")
    entries = data.items() if isinstance(data, dict) else ((str(i), entry) for i, entry in enumerate(data, 1))
    return votes_from_entries(entries, items, lambda i: f"{name}:{ballot_lines(content)[i]}: ", columns)


def json_lines_votes(content: bytes, name: str, columns: Mapping[str, str]) -> ParsedVotes:
    """The votes in a text with one ranking per line. Raises InputError with the line."""
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    entries = [
        (str(i), parse_json(line, name, shape=SHAPE, holder="item", first_line=number))
        for i, (number, line) in enumerate(lines, 1)
    ]
    return votes_from_entries(entries, None, lambda i: f"{name}:{lines[i][0]}: ", columns)


def ballot_lines(content: bytes) -> list[int]:
    """The line on which each ballot (or its voter's name) begins, in JSON that was parsed without error."""
    text = content.decode("utf-8-sig")
    decode, blanks = json.JSONDecoder().raw_decode, re.compile(r"[\s,:]*")

    def skip_blanks(place: int) -> int:
        return next(blanks.finditer(text, place)).end()

    def entries(start: int) -> Iterator[tuple[Any, int, int]]:
        """The entries of the list or object at this place: name, where it begins, and where its value begins."""
        name, has_names = None, text[start] == "{"
        begin = value = skip_blanks(start + 1)
        while text[begin] not in "]}":
            if has_names:
                name, end = decode(text, begin)
                value = skip_blanks(end)
            yield name, begin, value
            begin = value = skip_blanks(decode(text, value)[1])

    start = skip_blanks(0)
    values = {name: value for name, _, value in entries(start)}
    if "rankings" in values and set(values) <= {"items", "rankings"}:
        start = values["rankings"]
    return [text.count("\n", 0, begin) + 1 for _, begin, _ in entries(start)]


def parse_ballot(entry: Any, voter: str, where: Callable[[], str], columns: Mapping[str, str]) -> Ballot:
    """A voter's entry as a ballot: a list of names, ranks by name, or an object with one of these as "ranking".

    where: gives the beginning of an error message. columns: other names of voter, weight and ranking.
    """
    keys = {key: columns.get(key, key) for key in JSON_KEYS}
    if columns and not (isinstance(entry, Mapping) and {keys[key] for key in columns} <= set(entry)):
        raise InputError(
            f"{where()}columns (--columns) names {join_names(map(repr, columns.values()))}, expected an object with "
            f"{'these keys' if len(columns) > 1 else 'this key'}; correct the names, or this ballot"
        )
    if not (isinstance(entry, Mapping) and isinstance(entry.get(keys["ranking"]), (list, dict))):
        return Ballot(voter, 1.0, entry)
    name, weight = entry.get(keys["voter"], voter), entry.get(keys["weight"], 1.0)
    if isinstance(name, bool) or not isinstance(name, (str, int)) or name == "":
        raise InputError(f"{where()}the voter is {name!r}, expected a name")
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight <= sys.float_info.max:
        raise InputError(
            f"{where()}the weight of voter {str(name)!r} is {weight!r}, expected a number above 0; leave out voters "
            "who do not count"
        )
    return Ballot(str(name), float(weight), entry[keys["ranking"]])


def votes_from_entries(
    entries: Iterable[tuple[str, Any]], items: list[Any] | None, where: Callable[[int], str], columns: Mapping[str, str]
) -> ParsedVotes:
    """The votes of each voter's name and entry. where: gives the beginning of a message by the number of an entry."""
    ballots = [parse_ballot(entry, voter, partial(where, i), columns) for i, (voter, entry) in enumerate(entries)]
    voters = [ballot.voter for ballot in ballots]
    duplicate = first_duplicate(voters)
    if duplicate is not None:
        raise InputError(f"{where(duplicate)}voter {voters[duplicate]!r} occurs twice; name each voter differently")
    names, ranks = ballot_ranks(voters, [ballot.ranking for ballot in ballots], items, where)
    weights = np.array([ballot.weight for ballot in ballots])
    votes = Votes(ranks=ranks, items=names, voters=tuple(voters), weights=weights)
    return ParsedVotes(votes, all(isinstance(ballot.ranking, Mapping) for ballot in ballots))


#: The formats of votes, and their descriptions.
VOTE_FORMATS = {
    "entity-ranks": "a table with one line per item and one column of ranks per voter",
    "long": "a table with the columns voter, item and rank",
    "ballots": "a table with one line per voter and one column per place (1st, 2nd, ...), which holds an item",
    "json": "JSON: lists of names, the best first",
    "jsonl": "one list of names, or one object with voter and ranking, per line",
}
#: The keys of a ballot in JSON.
JSON_KEYS = ("voter", "weight", "ranking")


@dataclass(frozen=True, kw_only=True)
class VoteTableSettings(Settings):
    """How a file of votes is read."""

    FUNCTIONS = ("rankscope:read_votes",)
    COMMANDS = ("consensus",)

    columns: Mapping[str, str] | None = table_columns(
        {"item": "dish", "rank": "points"},
        help="Column names in a file of votes, where NAME is voter, item, rank, weight or a place of ballots: "
        "item=dish,rank=points or 1=favourite.",
    )
    higher: bool = switch(False, help="The numbers in a file of votes are scores, where higher is better.")


def read_votes(
    path: PathLike, *, input: str | None = None, columns: Mapping[str, str] | None = None, higher: bool = False
) -> Votes:
    r"""Read voters' rankings of the same items.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.
    input
        Format. Default: detected from the content.
    columns
        Column names in a file of votes, where NAME is voter, item, rank, weight or a place of ballots:
        item=dish,rank=points or 1=favourite. Default: found by their usual names.
    higher
        The numbers in a file of votes are scores, where higher is better. Default: False.

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
    ParameterError
        `columns` has a name that the format does not have, or `higher` is for ballots or lists, whose order is known.
    UnknownName
        The format does not exist.

    Notes
    -----
    Formats:

    - "entity-ranks": a table (tabs, commas or semicolons; JSON lines, Parquet) with a header, anything and then a name
      per voter, and one line per item with its rank by each
    - "long": a table with the columns voter, item and rank, perhaps weight
    - "ballots": a table with a row per voter and a column per place (1st, 2nd, ...; first choice, choice 1, rank 1),
      which holds an item; perhaps with columns voter and weight. Empty cells are allowed
    - "json": a list of lists of names (a list within: tied), an object of such lists (or of ranks by item) by voter,
      or {"items": [...], "rankings": [...]}, where a ranking may be {"voter": ..., "weight": ..., "ranking": [...]}
    - "jsonl": one of these rankings per line

    Lower ranks are better, and may be any finite numbers; an empty cell, "-", NA and nan mean that a voter did not rank
    an item. A note says where the numbers look like scores.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ranks.tsv")
    >>> _ = path.write_text("paper\tAnn\tBob\nX\t1\t2\nY\t2\t1\nZ\t3\t\n")
    >>> votes = read_votes(path)
    >>> votes.items, votes.voters, votes.ranks.tolist()
    (('X', 'Y', 'Z'), ('Ann', 'Bob'), [[1.0, 2.0, 3.0], [2.0, 1.0, nan]])
    >>> _ = path.write_text("voter,1st,2nd,3rd\nAnn,X,Y,Z\nBob,Y,X,\n")
    >>> read_votes(path).ranks.tolist()
    [[1.0, 2.0, 3.0], [2.0, 1.0, nan]]
    """
    if input is not None and input not in VOTE_FORMATS:
        raise UnknownName("format of votes", str(input), VOTE_FORMATS)
    name, names = source_name(path), dict(columns or {})
    with open_binary(path) as stream:
        content = stream.read()
    if not content.startswith(PARQUET_MAGIC):
        content = remove_marks(content)
    if not content.strip():
        raise empty_file_error(name, "votes, as a table of ranks or JSON lists of names")
    if not content.startswith(PARQUET_MAGIC):
        refuse_foreign(content[:HEAD], name)
        if b"\0" in content:
            raise binary_file_error(content[:64], name)
    format_name = input or detect_vote_format(content, names)
    try:
        votes, holds_numbers = parse_votes(content, name, format_name, names, detected=input is None)
    except InputError as error:
        raise error if str(error).startswith(name) else InputError(f"{name}: {error}") from None
    if not higher:
        notes = score_notes(votes.ranks, name) if holds_numbers else ()
        return replace(votes, notes=(*votes.notes, *notes))
    if not holds_numbers:
        raise ParameterError(
            f"{name}: higher (--higher) is for numbers, and these are names in their order, the best first; leave it "
            "out"
        )
    note = f"{name}: the numbers are read as scores, of which the highest is the best (higher)"
    return replace(votes, ranks=-votes.ranks, notes=(*votes.notes, note))


def parse_votes(
    content: bytes, name: str, format_name: str, columns: Mapping[str, str], *, detected: bool
) -> ParsedVotes:
    """The votes in the content of a file. detected: whether the user did not name the format."""
    if format_name in ("json", "jsonl"):
        unknown = next((key for key in columns if key not in JSON_KEYS), None)
        if unknown is not None:
            raise ParameterError(f"columns (--columns) has {unknown!r}, expected some of {join_names(JSON_KEYS)}")
        parse = json_votes if format_name == "json" else json_lines_votes
        return parse(content, name, columns)
    if format_name == "long":
        return ParsedVotes(long_votes(parse_table(content, name, VOTES, columns)), True)
    if format_name == "ballots":
        header = column_names(content)
        schema = ballot_schema(header, columns, header_location(content, name))
        votes = ballot_votes(parse_table(content, name, schema, columns), allow_numbers=not detected or bool(columns))
        if votes is not None:
            return ParsedVotes(votes, False)
    return ParsedVotes(wide_votes(parse_table(content, name, RANKS, columns)), True)


def score_notes(ranks: Floats, name: str) -> tuple[str, ...]:
    """A note where numbers that are read as ranks look like scores."""
    is_ranked = ~np.isnan(ranks)
    values = ranks[is_ranked]
    lowest = np.where(is_ranked, ranks, np.inf).min(axis=1)
    n_lowest = (ranks == lowest[:, None]).sum(axis=1)
    fractions = values[values % 0.5 != 0]
    if fractions.size:
        reason = f"{fractions[0]:g} is no rank that ties share"
    elif not ((lowest == 1) | (lowest == 0) | (lowest == (n_lowest + 1) / 2)).any():
        reason = f"the lowest is {values.min():g}, not 1"
    elif values.max() > FAR_ABOVE * ranks.shape[1]:
        reason = f"{values.max():g} is far above the number of items, {ranks.shape[1]:,}"
    else:
        return ()
    return (
        f"{name}: the numbers look like scores ({reason}), and are read as ranks, of which the lowest is the best; if "
        "higher is better, add --higher (higher=True)",
    )


# Detecting the format


def detect_vote_format(content: bytes, columns: Mapping[str, str]) -> str:
    """The format, by the first lines or the names of the columns."""
    text = content.lstrip()
    if text.startswith((b"[", b"{")):
        row = first_record(text[:HEAD]) or first_record(text)
        if is_table_row(row, columns):
            return detect_table_format(list(row), columns)
        lines = [line.strip() for line in islice(filter(bytes.strip, io.BytesIO(text)), 2)]
        has_lines = (
            len(lines) > 1 and len(lines[0]) > 1 and any(isinstance(json_value(line), (list, dict)) for line in lines)
        )
        return "jsonl" if has_lines else "json"
    return detect_table_format(column_names(content), columns)


def detect_table_format(header: Sequence[str], columns: Mapping[str, str]) -> str:
    if VOTES.fits(header, columns):
        return "long"
    if len(place_columns(header, columns)) > 1:
        return "ballots"
    return "long" if set(columns) - {"item"} else "entity-ranks"


def holds_votes(header: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether these are columns of votes by their names: voter, item and rank, or places of ballots."""
    return detect_table_format(header, columns) != "entity-ranks"


def is_table_row(row: Mapping[str, object], columns: Mapping[str, str]) -> bool:
    """Whether an object of JSON has a voter, an item and a rank, or an item for each place."""
    if VOTES.fits(list(row), columns):
        return True
    cells = [row.get(name) for name, *_ in place_columns(row, columns).values()]
    return len(cells) > 1 and not any(isinstance(cell, (int, float, list, dict)) for cell in cells)


# Tables


def wide_votes(table: Table) -> Votes:
    """The votes in a table with one column per voter."""
    voters = table.more_columns
    notes: tuple[str, ...] = ()
    if table.columns["item"].lower() in VOTES.column("voter").names:
        notes = (
            f"{table.name}: each row is read as an item and each column as a voter, though the first column is called "
            f"{table.columns['item']!r}; if each row is a voter, transpose the table",
        )
    return Votes(
        ranks=table.number_columns_matrix(voters),
        items=tuple(table.ids("item").to_list()),
        voters=tuple(voters),
        notes=notes,
        where=table.locate,
    )


def long_votes(table: Table) -> Votes:
    """The votes in a table with a row for each voter and item."""
    voters, items, ranks, voter_index = table.matrix("voter", "item", "rank")
    return Votes(ranks=ranks, items=items, voters=voters, weights=voter_weights(table, voter_index, voters))


def voter_weights(table: Table, voter_index: Codes | Ints, voters: tuple[str, ...]) -> Floats:
    """(voters) the weight of each voter, which must be the same in all of the voter's rows; empty without a column."""
    if "weight" not in table:
        return np.empty(0)
    row_weights = table.weights(table.columns["weight"])
    weights = np.empty(len(voters))
    weights[voter_index[::-1]] = row_weights[::-1]  # reversed, so that each voter gets the weight of its first row
    differs = row_weights != weights[voter_index]
    if differs.any():
        row = int(np.argmax(differs))
        raise InputError(
            f"{table.locate(row)}: the weight of voter {voters[voter_index[row]]!r} is {row_weights[row]:g}, and was "
            f"{weights[voter_index[row]]:g} before, expected the same in all of the voter's rows"
        )
    return weights


# Ballots


def place_columns(header: Iterable[str], columns: Mapping[str, str]) -> dict[int, list[str]]:
    """The columns of each place: the one that the user names, or all that are called so.

    columns: the names that the user gives, also those of places.
    """
    places: dict[int, list[str]] = {}
    for column in header:
        if column not in columns.values() and (place := parse_place(column)) is not None:
            places.setdefault(place, []).append(column)
    places |= {place: [column] for name, column in columns.items() if (place := parse_place(name)) is not None}
    return dict(sorted(places.items()))


def parse_place(name: str) -> int | None:
    """The place that the name of a column says: 1 for 1st, first choice, Choice 1 or rank_1; None for another name.

    >>> [parse_place(name) for name in ("2nd", "First choice", "Your order [Choice 3]", "rank", "Ann")]
    [2, 1, 3, None, None]
    """
    match = PLACE.fullmatch(name.strip().lower())
    if match is None:
        return None
    return int(match[1]) if match[1] else ORDINALS.index(match[2]) + 1


def ballot_schema(header: Sequence[str], columns: Mapping[str, str], where: str) -> Schema:
    """The columns of these ballots. Raises InputError where places are missing, or two columns are of one place."""
    places = place_columns(header, columns)
    repeated = next((names for names in places.values() if len(names) > 1), None)
    if repeated is not None:
        raise InputError(
            f"{where}: the columns {repeated[0]!r} and {repeated[1]!r} are of the same place; keep one, or name the "
            "columns of the places: --columns 1=NAME,2=NAME (in Python columns=)"
        )
    missing = next((place for place in range(1, max(len(places), 1) + 1) if place not in places), None)
    if missing is not None:
        raise InputError(
            f"{where}: no column of place {missing} among {list_columns(header)}, expected 1st, 2nd, ...; name it: "
            f"--columns {missing}=NAME (in Python columns=)"
        )
    keys = {place: key for key in columns if (place := parse_place(key)) is not None}
    place_names = tuple(
        Column(name=keys.get(place, str(place)), aliases=(column.strip().lower(),), required=True)
        for place, (column,) in places.items()
    )
    return Schema(
        columns=(*place_names, VOTER, VOTES.column("weight")),
        expected="ballots: a header line (voter,1st,2nd,...) and one line per voter",
        nan_is_missing=True,
    )


def ballot_votes(table: Table, *, allow_numbers: bool) -> Votes | None:
    """The votes in a table with a row for each voter and an item for each place.

    None where all cells are numbers, which are then ranks, unless `allow_numbers`. Rows without any item are skipped.
    """
    own_names = [table.columns[column.name] for column in table.schema.columns if parse_place(column.name) is not None]
    texts = [table.texts(name).str.strip_chars() for name in own_names]
    cells = [column.set(column.str.to_lowercase().is_in(NO_ITEM), "") for column in texts]
    names, codes = name_codes(cells)
    if names == ("",):
        raise InputError(f"{table.name}: no item in any ballot, expected the name of one in each place")
    if not allow_numbers and all(name == "" or is_number(name) for name in names):
        return None
    items = tuple(name for name in names if name)
    empty = names.index("") if "" in names else len(names)
    item_of_cell = np.stack(codes, axis=1)
    table_rows, place = np.nonzero(item_of_cell != empty)
    item_codes = item_of_cell[table_rows, place]
    item_codes -= item_codes > empty
    repeat = first_repeat(table_rows * len(items) + item_codes)
    if repeat is not None:
        second, first = repeat
        raise InputError(
            f"{table.locate(int(table_rows[second]))}: {items[item_codes[second]]!r} stands twice in this ballot, as "
            f"{own_names[place[first]]!r} and as {own_names[place[second]]!r}; keep one of the two"
        )
    refuse_case(items, lambda i: table.locate(int(table_rows[np.argmax(item_codes == i)])), "item")
    voted, row_codes = np.unique(table_rows, return_inverse=True)
    refuse_sparse((voted.size, len(items)), item_codes.size, table.name, "voters and items")
    ranks = np.full((voted.size, len(items)), np.nan)
    ranks[row_codes, item_codes] = place + 1.0
    voters, notes = ballot_voters(table)
    n_empty = table.frame.height - voted.size
    if n_empty:
        notes.append(f"{table.name}: {pluralise(n_empty, 'ballot')} without an item skipped")
    weights = voter_weights(table, np.arange(table.frame.height), voters)
    return Votes(
        ranks=ranks,
        items=items,
        voters=tuple(voters[row] for row in voted.tolist()),
        weights=weights[voted] if weights.size else weights,
        notes=tuple(notes),
    )


def ballot_voters(table: Table) -> tuple[tuple[str, ...], list[str]]:
    """The names of the voters, or numbers without a column of them; and notes."""
    has_names, left_out = "voter" in table, table.more_columns
    voters = tuple(table.ids("voter").to_list() if has_names else map(str, range(1, table.frame.height + 1)))
    if not left_out:
        return voters, []
    numbered = "" if has_names else ", and voters are numbered (--columns voter=NAME says who voted)"
    be = "is" if len(left_out) == 1 else "are"
    return voters, [f"{table.name}: {join_names(map(repr, left_out))} {be} not read{numbered}"]
