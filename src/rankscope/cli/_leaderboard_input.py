"""Input of leaderboards: detect whether a file holds comparisons, rankings, scores or votes, and read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from rankscope.agreement.judgments import ranked_only
from rankscope.agreement.load import read_rankings
from rankscope.consensus.leaderboard import LeaderboardData, LeaderboardSettings, column_of
from rankscope.data.rankings import Rankings
from rankscope.errors import ParameterError
from rankscope.evaluation.read_scores import is_score_file, read_score_files
from rankscope.evaluation.score_tables import SCHEMA as SCORES
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.io.ballots import holds_votes, read_votes
from rankscope.io.core import BOM, PARQUET_MAGIC, source_name, with_columns
from rankscope.io.preferences import has_both_systems, has_comparison_column
from rankscope.io.tables import column_names, first_record, read_content
from rankscope.io.translation import ITEMS, detect_kind, first_bytes
from rankscope.io.trec import looks_like_rank_table

__all__ = [
    "INPUTS",
    "read_leaderboard_data",
]


#: The values of `--input`.
INPUTS = ("comparisons", "rankings", "scores", "votes")

#: Lines of a table that tell ranks from scores.
LINES = 50


def read_leaderboard_data(
    path: str, kind: str | None, settings: LeaderboardSettings, table_settings: ScoreTableSettings, *, higher: bool
) -> LeaderboardData:
    """Read rankings, scores or votes. For comparisons return the path, since their reader needs more options.

    table_settings: how scores are read. higher: whether numbers of rankings and votes are scores. Raises InputError as
    the readers do, ParameterError for comparisons if the model needs votes.
    """
    kind = kind or detect_input(path, settings.is_of_votes, settings.columns or {})
    if kind == "scores":
        measures = None if settings.measure is None else [settings.measure]
        return read_score_files([with_columns(path, settings.columns)], measures, table_settings)
    if kind == "votes":
        return read_votes(path, columns=settings.columns, higher=higher)
    if kind == "rankings":
        return read_ranked(path, settings.column, higher, settings.columns)
    if settings.is_of_votes:
        raise ParameterError(
            f"{source_name(path)}: comparisons of two, but --model plackett-luce is for votes on many systems at once; "
            "use --model bradley-terry or davidson"
        )
    return path


def read_ranked(path: str, column: str | None, higher: bool, columns: Mapping[str, str] | None = None) -> Rankings:
    """Read people's rankings, without the items that they did not rank."""
    rankings = read_rankings(path, higher=column if higher and column else (), columns=columns)
    name = column_of(rankings, column)
    if higher and column is None:
        rankings = rankings.with_column(name, rankings.column(name), higher_is_better=True)
    return ranked_only(rankings, name)


def detect_input(path: str, multiway: bool, columns: Mapping[str, str]) -> str:
    """Which of INPUTS the file holds. If unclear, comparisons: their reader says what is wrong.

    multiway: whether the model needs votes on many systems at once. columns: names that the user gives.
    """
    names = table_columns(path)
    if has_both_systems(names, columns):
        return "comparisons"
    if {"system", "measure", "query", "value"} <= set(SCORES.match(names, columns)):
        return "scores"
    if {"segment", "system"} <= ITEMS.match(names, columns).keys():
        return "rankings"
    if not multiway and holds_scores(path, names, columns):
        return "scores"
    head = first_bytes(path).removeprefix(BOM).lstrip()
    if head.startswith((b"[", b"{")):
        return "votes" if multiway or not names else "comparisons"
    if holds_votes(names, columns):
        return "votes"
    if head and detect_kind(path) in ("wmt", "jcml", "appraise", "pairs", "seg.score", "seg.scr"):
        return "rankings"
    return "votes" if multiway else "comparisons"


def holds_scores(path: str, names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether this is a file of scores of any form, and neither comparisons nor votes, nor perhaps ranks."""
    if has_comparison_column(names, columns) or (names and holds_votes(names, columns)):
        return False
    return is_score_file(with_columns(path, columns), alone=False) and not may_hold_ranks(path)


def may_hold_ranks(path: str) -> bool:
    """Whether a table has a name and numbers in each row, and none of its first numbers is below 1."""
    if not looks_like_rank_table(path):
        return False
    lines = first_bytes(path).splitlines()[1:LINES]
    cells = [cell for line in lines for cell in line.split(b"\t" if b"\t" in line else b",")[1:] if cell.strip()]
    with suppress(ValueError):
        return min(map(float, cells)) >= 1
    return True  # cut off, or no numbers further down


def table_columns(path: str) -> Sequence[str]:
    """The column names of a table, as far as its first bytes tell them; none if the file is no table."""
    head = first_bytes(path)
    if head.startswith(PARQUET_MAGIC):
        return [] if source_name(path) == "<stdin>" else column_names(read_content(path))
    if head.removeprefix(BOM).lstrip().startswith(b"["):
        record = first_record(head.removeprefix(BOM))
        is_vote = "ranking" in record or all(isinstance(value, (int, float)) for value in record.values())
        return [] if is_vote else list(record)
    return column_names(head)
