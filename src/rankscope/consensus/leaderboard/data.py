"""Loading the data of a leaderboard: preferences, votes, a file, human rankings, or scores."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from rankscope.consensus.leaderboard.settings import INFORMATION, PLACKETT_LUCE, LeaderboardSettings
from rankscope.data.preferences import Preferences
from rankscope.data.rankings import Rankings
from rankscope.data.scores import Scores
from rankscope.data.tables import find_column
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


def load_preferences(data: LeaderboardData, settings: LeaderboardSettings) -> tuple[Preferences, LeaderboardSettings]:
    """The preferences, and the settings with the column or measure that was used.

    Raises ParameterError for votes, and for settings of other data.
    """
    if isinstance(data, Votes):
        raise ParameterError(
            f"votes are on several systems at once; use model='{PLACKETT_LUCE}' (--model {PLACKETT_LUCE})"
        )
    refuse_foreign_settings(data, settings)
    if isinstance(data, Preferences):
        return data, settings
    if isinstance(data, Rankings):
        settings.refuse("covariates", since="rankings have no covariates")
        column = column_of(data, settings.column)
        rankings = select_language_pair(data, settings.pair)
        return Preferences.from_rankings(rankings, column), replace(settings, column=column)
    if isinstance(data, Scores):
        settings.refuse("covariates", since="scores have no covariates")
        measure = measure_of(data, settings.measure)
        if settings.cluster_by is not None:
            data = data.with_queries(cluster_by=settings.cluster_by)
        if data.queries.weight is not None and settings.interval == INFORMATION:
            raise ParameterError(
                "queries have weights, which interval='information' (--interval information) would take for numbers of "
                "comparisons; choose bootstrap"
            )
        return Preferences.from_scores(data, measure), replace(settings, measure=measure)
    if not isinstance(data, (str, os.PathLike)):
        raise ParameterError(
            f"data are of type {type(data).__name__}, expected preferences, rankings, scores, votes or a file's path"
        )
    preferences = read_preferences(
        data, covariates=settings.covariates, cluster_by=settings.cluster_by, columns=settings.columns
    )
    return preferences, settings


def load_votes(data: LeaderboardData, settings: LeaderboardSettings) -> tuple[Votes, LeaderboardSettings, Ints | None]:
    """The votes on several systems at once, the settings with the column that was used, and the cluster of each vote.

    A judgment of rankings is a vote, and its segment the cluster; None without clusters. Raises ParameterError for
    comparisons of two, and for settings of other data.
    """
    refuse_foreign_settings(data, settings)
    settings.refuse("cluster_by", since="these are no comparisons of two")
    if isinstance(data, Votes):
        return data, settings, None
    if isinstance(data, (str, os.PathLike)):
        return read_votes(data, columns=settings.columns), settings, None
    if isinstance(data, Rankings):
        column = column_of(data, settings.column)
        votes, clusters = votes_from_rankings(select_language_pair(data, settings.pair), column)
        return votes, replace(settings, column=column), clusters
    raise ParameterError(
        "Plackett and Luce's model is for votes on several systems at once, but these are "
        f"{'scores' if isinstance(data, Scores) else 'comparisons of two'}; use model='bradley-terry'"
    )


def votes_from_rankings(rankings: Rankings, name: str) -> tuple[Votes, Ints]:
    """A vote a judgment, and the segment of each; judgments that rank nothing are skipped, with a note."""
    values = rankings.lower_is_better_values(name)
    ranks = np.full((len(rankings), len(rankings.systems)), np.nan)
    ranks[rankings.judgment, rankings.system.codes] = values
    has_ranks = ~np.isnan(ranks).all(axis=1)
    is_ranked = ~np.isnan(ranks).all(axis=0)
    n_skipped = int((~has_ranks).sum())
    skipped_note = [f"{pluralise(n_skipped, 'judgment')} without a value of {name!r} skipped"] * (n_skipped > 0)
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
        note = (
            f"judgments of {len(names)} language pairs together: {join_names(names, PAIRS)}; pair (--pair) selects one"
        )
        return replace(rankings, notes=(*rankings.notes, note))
    if pair not in names:
        raise UnknownName("language pair of these rankings", pair, names)
    return rankings.select(np.flatnonzero(rankings.pair.codes == rankings.pair.names.index(pair)))


def language_pairs(data: LeaderboardData) -> tuple[str, ...]:
    """The language pairs that have judgments."""
    if not isinstance(data, Rankings):
        return ()
    return tuple(data.pair.names[code] for code in np.unique(data.pair.codes).tolist())


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


def measure_of(scores: Scores, measure: str | None) -> str:
    """The given measure, or the only one. Raises UnknownName, ParameterError."""
    if measure is None:
        if len(scores.measure_names) != 1:
            raise ParameterError(f"by which measure? Name one of {join_names(scores.measure_names)} as measure (-m)")
        return scores.measure_names[0]
    return scores.measure_names[scores.place_of(measure)]


def refuse_foreign_settings(data: LeaderboardData, settings: LeaderboardSettings) -> None:
    """Raise SettingError for settings of other data."""
    if not isinstance(data, Scores):
        settings.refuse("measure", since="these are no scores, or not read as such (--input scores)")
    if not isinstance(data, Rankings):
        settings.refuse("column", "pair", since="these are no rankings")
    if not isinstance(data, (str, os.PathLike, Scores)):
        settings.refuse("cluster_by", since="this is neither a file of comparisons nor scores")
    if not isinstance(data, (str, os.PathLike)):
        settings.refuse("columns", since="this is no file of comparisons")
