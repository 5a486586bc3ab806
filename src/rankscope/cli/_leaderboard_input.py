"""Input of leaderboards: detect whether a file holds comparisons, rankings, scores or votes, and read it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rankscope.agreement.load import detect_kind, first_bytes, ranked_only, read_rankings
from rankscope.consensus.leaderboards import LeaderboardData, column_of
from rankscope.data.rankings import Rankings
from rankscope.data.row_input import find_column
from rankscope.errors import ParameterError
from rankscope.evaluation.read_scores import read_score_files
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.io.ballots import read_votes
from rankscope.io.core import BOM, source_name
from rankscope.io.preferences import BETTER_COLUMNS, FIRST_COLUMNS, SECOND_COLUMNS, WORSE_COLUMNS
from rankscope.io.tables import first_record, read_named_table
from rankscope.io.translation import EXPECTED_ITEMS, ITEM_COLUMNS

__all__ = [
    "INPUTS",
    "read_leaderboard_data",
]


#: The columns of a table of scores.
SCORE_COLUMNS = ("system", "measure", "query", "value")
#: The values of `--input`.
INPUTS = ("comparisons", "rankings", "scores", "votes")


def read_leaderboard_data(
    path: str, kind: str | None, table_settings: ScoreTableSettings, *, multiway: bool, column: str | None, higher: bool
) -> LeaderboardData:
    """Read rankings, scores or votes. For comparisons return the path, since their reader needs more options.

    table_settings: how scores are read. multiway: whether the model needs votes on many systems at once. column,
    higher: for rankings, the column that says who is better, and whether it holds scores. Raises InputError as
    the readers do, ParameterError for comparisons if the model needs votes.
    """
    kind = kind or detect_input(path, multiway)
    if kind == "scores":
        return read_score_files([path], None, table_settings)
    if kind == "votes":
        return read_votes(path)
    if kind == "rankings":
        return read_ranked(path, column, higher)
    if multiway:
        raise ParameterError(
            f"{source_name(path)}: comparisons of two, but --model plackett-luce is for votes on many systems at once; "
            "use --model bradley-terry or davidson"
        )
    return path


def read_ranked(path: str, column: str | None, higher: bool) -> Rankings:
    """Read people's rankings, without the items that they did not rank."""
    rankings = read_rankings(path, higher=column if higher and column else ())
    name = column_of(rankings, column)
    if higher and column is None:
        rankings = rankings.with_column(name, rankings.column(name), higher_is_better=True)
    return ranked_only(rankings, name)


def detect_input(path: str, multiway: bool) -> str:
    """Which of INPUTS the file holds. If unclear, comparisons: their reader says what is wrong."""
    names = table_columns(path)
    if find_column(names, (*BETTER_COLUMNS, *FIRST_COLUMNS)) and find_column(names, (*WORSE_COLUMNS, *SECOND_COLUMNS)):
        return "comparisons"
    if all(find_column(names, (name,)) for name in SCORE_COLUMNS):
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
    """The column names of a table, as far as its first bytes tell them; none if the file is no table."""
    head = first_bytes(path).removeprefix(BOM)
    if head.startswith(b"PAR1"):
        return [] if source_name(path) == "<stdin>" else read_named_table(path, EXPECTED_ITEMS).frame.columns
    header = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    text = header.decode("utf-8", "replace").strip()
    if text.startswith(("{", "[")):
        record = first_record(head)
        is_vote = "ranking" in record or all(isinstance(value, (int, float)) for value in record.values())
        return [] if is_vote and text.startswith("[") else list(record)
    try:
        return [
            name.strip() for name in next(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ","), [])
        ]
    except csv.Error:
        return []
