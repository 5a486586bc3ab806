"""What a file for a leaderboard holds: comparisons, rankings, scores or votes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rankscope.agreement.load import detect_kind, first_bytes, ranked_only, read_rankings
from rankscope.consensus.leaderboards import LeaderboardData, column_of
from rankscope.data.rankings import Rankings
from rankscope.data.row_input import find_column
from rankscope.errors import ParameterError
from rankscope.evaluation.saved_scores import TABLE_COLUMNS, read_baseline, read_score_table
from rankscope.io.ballots import read_votes
from rankscope.io.core import BOM, source_name
from rankscope.io.preferences import BETTER_COLUMNS, FIRST_COLUMNS, SECOND_COLUMNS, WORSE_COLUMNS
from rankscope.io.tables import first_record, read_named_table
from rankscope.io.translation import EXPECTED_ITEMS, ITEM_COLUMNS

__all__ = [
    "INPUTS",
    "read_board_data",
]


#: What `--input` may say.
INPUTS = ("comparisons", "rankings", "scores", "votes")


def read_board_data(
    path: str, kind: str | None, *, multiway: bool, column: str | None, higher: bool
) -> LeaderboardData:
    """Rankings, scores or votes as they are read; comparisons as the path, to be read with their options.

    multiway: whether votes are wanted, of many systems at once. column, higher: of rankings, which column says who is
    better, and whether it holds scores. Raises InputError as the readers, ParameterError for comparisons where
    votes are wanted.
    """
    kind = kind or detect_input(path, multiway)
    if kind == "scores":
        saved = read_baseline(path)
        return read_score_table(path) if saved is None else saved
    if kind == "votes":
        return read_votes(path)
    if kind == "rankings":
        return read_ranked(path, column, higher)
    if multiway:
        raise ParameterError(
            f"{source_name(path)}: comparisons of two, and --model plackett-luce is for votes on many systems at once; "
            "take --model bradley-terry or davidson"
        )
    return path


def read_ranked(path: str, column: str | None, higher: bool) -> Rankings:
    """People's rankings, without what they did not rank."""
    found = read_rankings(path, higher=column if higher and column else ())
    name = column_of(found, column)
    if higher and column is None:
        found = found.with_column(name, found.column(name), score=True)
    return ranked_only(found, name)


def detect_input(path: str, multiway: bool) -> str:
    """Which of INPUTS it is; comparisons where nothing tells, whose reader says what is wrong."""
    names = table_columns(path)
    if find_column(names, (*BETTER_COLUMNS, *FIRST_COLUMNS)) and find_column(names, (*WORSE_COLUMNS, *SECOND_COLUMNS)):
        return "comparisons"
    if all(find_column(names, (name,)) for name in TABLE_COLUMNS):
        return "scores"
    if find_column(names, ITEM_COLUMNS["segment"]) and find_column(names, ITEM_COLUMNS["system"]):
        return "rankings"
    head = first_bytes(path).removeprefix(BOM).lstrip()
    if head.startswith((b"[", b"{")):
        return "votes" if multiway or not names else "comparisons"
    if head and detect_kind(path) in ("wmt", "jcml", "appraise", "pairs", "seg.score", "seg.scr"):
        return "rankings"
    return "votes" if multiway else "comparisons"


def table_columns(path: str) -> Sequence[str]:
    """The names of a table's columns, as far as its beginning tells them; none of what is no table."""
    head = first_bytes(path).removeprefix(BOM)
    if head.startswith(b"PAR1"):
        return [] if source_name(path) == "<stdin>" else read_named_table(path, EXPECTED_ITEMS).frame.columns
    line = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    text = line.decode("utf-8", "replace").strip()
    if text.startswith(("{", "[")):
        row = first_record(head)
        votes = "ranking" in row or all(isinstance(value, (int, float)) for value in row.values())
        return [] if votes and text.startswith("[") else list(row)
    try:
        return [
            name.strip() for name in next(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ","), [])
        ]
    except csv.Error:
        return []
