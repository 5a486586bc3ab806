"""Votes in JSON: lists of names by many voters, in one text or one a line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.rows import first_duplicate
from rankscope.data.votes import Votes, ballot_ranks
from rankscope.errors import InputError
from rankscope.io.json_dicts import parse_json

__all__ = ["json_lines_votes", "json_votes"]

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
