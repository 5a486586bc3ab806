"""Loading the data of a leaderboard: preferences, votes, a file, human rankings, or scores."""

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


#: The types of data of a leaderboard.
LeaderboardData = Preferences | Rankings | Scores | Votes | str | os.PathLike[str]
#: The most language pairs that a note names.
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
    """Preferences, and their parts of the signature. Raises ParameterError for options of other data."""
    type_name = type(data).__name__
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
        raise ParameterError(
            f"data are of type {type_name}, expected preferences, rankings, scores, votes or a file's path"
        )
    return read_preferences(data, winner=winner, covariates=covariates, unit=unit), {}


def load_votes(
    data: LeaderboardData,
    *,
    measure: object = None,
    column: str | None = None,
    pair: str | None = None,
    **file_options: str | None,
) -> tuple[Votes, dict[str, str], Ints | None]:
    """Votes of many systems at once; a judgment of rankings is a vote. Also the parts of the signature, and the unit of
    each vote, (voters), such as its segment; None without units.

    Raises ParameterError for other data.
    """
    refuse_foreign_options(data, measure=measure, column=column, pair=pair)
    for name, value in file_options.items():
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
    """A vote a judgment, and the segment of each; judgments that rank nothing are skipped, with a note."""
    values = rankings.lower_is_better_values(name)
    ranks = np.full((len(rankings), len(rankings.systems)), np.nan)
    ranks[rankings.judgment, rankings.system.codes] = values
    has_ranks = ~np.isnan(ranks).all(axis=1)
    is_ranked = ~np.isnan(ranks).all(axis=0)
    n_skipped = int((~has_ranks).sum())
    skipped_note = [f"{pluralise(n_skipped, 'judgment')} without a value of {name!r} left out"] * (n_skipped > 0)
    notes = (*rankings.notes, *skipped_note)
    systems = tuple(name for name, ranked in zip(rankings.systems, is_ranked.tolist(), strict=True) if ranked)
    segment = rankings.pair.codes * len(rankings.segment.names) + rankings.segment.codes
    return Votes(ranks=ranks[np.ix_(has_ranks, is_ranked)], items=systems, notes=notes), segment[has_ranks]


def select_language_pair(rankings: Rankings, pair: str | None) -> Rankings:
    """The judgments of one language pair; by default of all of them, with a note. Raises UnknownName."""
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
    """The language pairs that have judgments."""
    if not isinstance(data, Rankings):
        return ()
    return tuple(data.pair.names[code] for code in np.unique(data.pair.codes).tolist())


def rankings_settings(column: str, pair: str | None) -> dict[str, str]:
    """The parts of the signature."""
    return {"column": column} | ({} if pair is None else {"pair": pair})


def column_of(rankings: Rankings, column: str | None) -> str:
    """The column of ranks: the given one, that of people, or the only one. Raises UnknownName, ParameterError."""
    columns = list(rankings.columns)
    if column is None:
        column = find_column(columns, GOLD_COLUMNS) or (columns[0] if len(columns) == 1 else None)
        if column is None:
            raise ParameterError(
                f"which column says who is better? Name one as column (--column): {join_names(columns)}"
            )
    if column not in columns:
        raise UnknownName("column of these rankings", column, columns)
    return column


def measure_of(scores: Scores, measure: object) -> str:
    """The given measure, or the only one. Raises UnknownName, ParameterError."""
    if measure is None:
        if len(scores.measure_names) != 1:
            raise ParameterError(f"by which measure? Name one of {join_names(scores.measure_names)} as measure (-m)")
        return scores.measure_names[0]
    return scores.measure_names[scores.place_of(measure)]


def refuse_foreign_options(
    data: LeaderboardData, *, measure: object, column: str | None, pair: str | None, **file_options: str | None
) -> None:
    """Raises ParameterError for options of other data. file_options: columns of a file of comparisons."""
    if measure is not None and not isinstance(data, Scores):
        raise ParameterError(f"measure is {str(measure)!r}, and these are no scores; leave it out")
    if column is not None and not isinstance(data, Rankings):
        raise ParameterError(f"column is {column!r}, and these are no rankings; leave it out")
    if pair is not None and not isinstance(data, Rankings):
        raise ParameterError(f"pair is {pair!r}, which is for rankings of several language pairs; leave it out")
    for name, value in file_options.items():
        if value is not None and not isinstance(data, (str, os.PathLike)):
            raise ParameterError(f"{name} is {value!r}, which is for a file of comparisons; leave it out")


def refuse_covariates(covariates: Sequence[str], data_kind: str) -> None:
    if covariates:
        raise ParameterError(f"{data_kind} have no covariates, and {covariates[0]!r} is asked for; leave it out")
