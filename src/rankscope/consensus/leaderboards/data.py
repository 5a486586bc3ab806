"""The data that a leaderboard takes: preferences, votes, a file, people's rankings, scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.data.preferences import Preferences
from rankscope.data.rankings import Rankings
from rankscope.data.row_input import find_column
from rankscope.data.scores import Scores
from rankscope.data.text import join_names, pluralise
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError, UnknownName
from rankscope.io.ballots import read_votes
from rankscope.io.preferences import read_preferences
from rankscope.io.translation import GOLD_COLUMNS
from rankscope.typing import Ints

__all__ = [
    "LeaderboardData",
    "language_pairs",
    "load_preferences",
    "load_votes",
]


#: What a leaderboard is made of.
LeaderboardData = Preferences | Rankings | Scores | Votes | str | os.PathLike[str]
#: Language pairs that a note names.
PAIRS = 8


def load_preferences(
    data: LeaderboardData,
    *,
    covariates: Sequence[str] = (),
    unit: str | None = None,
    winner: str | None = None,
    measure: object = None,
    column: str | None = None,
    pair: str | None = None,
) -> tuple[Preferences, dict[str, str]]:
    """Preferences, and what of them stands in the signature. Raises ParameterError for options of other data."""
    kind = type(data).__name__
    if isinstance(data, Votes):
        raise ParameterError("votes are of many systems at once; say model='plackett-luce' (--model plackett-luce)")
    refuse_foreign_options(data, measure=measure, column=column, pair=pair, unit=unit, winner=winner)
    if isinstance(data, Preferences):
        return data, {}
    if isinstance(data, Rankings):
        name = column_of(data, column)
        refuse_covariates(covariates, "rankings")
        return Preferences.from_rankings(select_language_pair(data, pair), name), rankings_settings(name, pair)
    if isinstance(data, Scores):
        refuse_covariates(covariates, "scores")
        name = measure_of(data, measure)
        return Preferences.from_scores(data, name), {"measure": name}
    if not isinstance(data, (str, os.PathLike)):
        raise ParameterError(f"data are of type {kind}, expected preferences, rankings, scores, votes or a file's path")
    return read_preferences(data, winner=winner, covariates=covariates, unit=unit), {}


def load_votes(
    data: LeaderboardData,
    *,
    measure: object = None,
    column: str | None = None,
    pair: str | None = None,
    **of_files: str | None,
) -> tuple[Votes, dict[str, str], Ints | None]:
    """Votes of many systems at once; a judgment of rankings is a vote. Also what stands in the signature, and which
    votes hang together, (voters), as those on one segment; None where nothing says so.

    Raises ParameterError for other data.
    """
    refuse_foreign_options(data, measure=measure, column=column, pair=pair)
    for name, value in of_files.items():
        if value is not None:
            raise ParameterError(f"{name} is {value!r}, which is for a file of comparisons; leave it out")
    if isinstance(data, Votes):
        return data, {}, None
    if isinstance(data, (str, os.PathLike)):
        return read_votes(data), {}, None
    if isinstance(data, Rankings):
        name = column_of(data, column)
        votes, units = votes_from_rankings(select_language_pair(data, pair), name)
        return votes, rankings_settings(name, pair), units
    raise ParameterError(
        "Plackett and Luce's model is for votes of many systems at once, and these are "
        f"{'scores' if isinstance(data, Scores) else 'comparisons of two'}; say model='bradley-terry'"
    )


def votes_from_rankings(rankings: Rankings, name: str) -> tuple[Votes, Ints]:
    """A vote a judgment, and the segment of each; those that rank nothing are left out, with a note."""
    values = rankings.better_low(name)
    ranks = np.full((len(rankings), len(rankings.systems)), np.nan)
    ranks[rankings.judgment, rankings.system.codes] = values
    voters = ~np.isnan(ranks).all(axis=1)
    items = ~np.isnan(ranks).all(axis=0)
    lost = int((~voters).sum())
    said = [f"{pluralise(lost, 'judgment')} without a value of {name!r} left out"] * (lost > 0)
    notes = (*rankings.notes, *said)
    systems = tuple(name for name, there in zip(rankings.systems, items.tolist(), strict=True) if there)
    segment = rankings.pair.codes * len(rankings.segment.names) + rankings.segment.codes
    return Votes(ranks=ranks[np.ix_(voters, items)], items=systems, notes=notes), segment[voters]


def select_language_pair(rankings: Rankings, pair: str | None) -> Rankings:
    """The judgments of one language pair; all of them, with a note, where none is asked for. Raises UnknownName."""
    names = language_pairs(rankings)
    if pair is None:
        if len(names) < 2:
            return rankings
        note = f"judgments of {len(names)} language pairs together: {join_names(names, PAIRS)}; pair (--pair) keeps one"
        return replace(rankings, notes=(*rankings.notes, note))
    if pair not in names:
        raise UnknownName("language pair of these rankings", pair, names)
    return rankings.select(np.flatnonzero(rankings.pair.codes == rankings.pair.names.index(pair)))


def language_pairs(data: LeaderboardData) -> tuple[str, ...]:
    """The language pairs of which there are judgments."""
    if not isinstance(data, Rankings):
        return ()
    return tuple(data.pair.names[code] for code in np.unique(data.pair.codes).tolist())


def rankings_settings(column: str, pair: str | None) -> dict[str, str]:
    """What stands in the signature."""
    return {"column": column} | ({} if pair is None else {"pair": pair})


def column_of(rankings: Rankings, column: str | None) -> str:
    """The column of ranks: the one asked for, that of people, or the only one. Raises UnknownName, ParameterError."""
    there = list(rankings.columns)
    if column is None:
        column = find_column(there, GOLD_COLUMNS) or (there[0] if len(there) == 1 else None)
        if column is None:
            raise ParameterError(f"which column says who is better? Name one as column (--column): {join_names(there)}")
    if column not in there:
        raise UnknownName("column of these rankings", column, there)
    return column


def measure_of(scores: Scores, measure: object) -> str:
    """The measure asked for, or the only one. Raises UnknownName, ParameterError."""
    if measure is None:
        if len(scores.measure_names) != 1:
            raise ParameterError(f"by which measure? Name one of {join_names(scores.measure_names)} as measure (-m)")
        return scores.measure_names[0]
    return scores.measure_names[scores.place_of(measure)]


def refuse_foreign_options(
    data: LeaderboardData, *, measure: object, column: str | None, pair: str | None, **of_files: str | None
) -> None:
    """Options that say something of other data than these. of_files: columns of a file of comparisons."""
    if measure is not None and not isinstance(data, Scores):
        raise ParameterError(f"measure is {str(measure)!r}, and these are no scores; leave it out")
    if column is not None and not isinstance(data, Rankings):
        raise ParameterError(f"column is {column!r}, and these are no rankings; leave it out")
    if pair is not None and not isinstance(data, Rankings):
        raise ParameterError(f"pair is {pair!r}, which is for rankings of several language pairs; leave it out")
    for name, value in of_files.items():
        if value is not None and not isinstance(data, (str, os.PathLike)):
            raise ParameterError(f"{name} is {value!r}, which is for a file of comparisons; leave it out")


def refuse_covariates(covariates: Sequence[str], what: str) -> None:
    if covariates:
        raise ParameterError(f"{what} have no covariates, and {covariates[0]!r} is asked for; leave it out")
