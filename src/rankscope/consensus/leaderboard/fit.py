"""Fitting a leaderboard to preferences or votes: models, intervals, ranges of ranks, scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import ranks_of
from rankscope.consensus.leaderboard.data import LeaderboardData, language_pairs, load_preferences, load_votes
from rankscope.consensus.leaderboard.result import (
    Effect,
    Leaderboard,
    consistency_of_repeats,
    format_wins_in_words,
    share_upheld,
)
from rankscope.consensus.leaderboard.settings import FEWEST, LeaderboardSettings
from rankscope.consensus.models import (
    BradleyTerryFit,
    LuceModel,
    PlackettLuce,
    check_least,
    deviance_from_pairs,
    draws_from_covariance,
    fit_preferences,
    lost_resamples_note,
    scale_votes,
)
from rankscope.consensus.pairwise import preference_matrix
from rankscope.consensus.voter_agreement import VoterAgreement, agreement_of_voters
from rankscope.data.preferences import Preferences
from rankscope.data.text import format_p_value, pluralise
from rankscope.data.votes import Votes
from rankscope.errors import InputError
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.kernels.rounding_ties import SOLVED, at_most, join_ties
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "AbilityEstimate",
    "RankClusters",
    "cluster_ranks",
    "estimate_from_preferences",
    "estimate_from_votes",
    "expected_shares",
    "fit_leaderboard",
    "leaderboard",
    "on_scale",
    "win_shares",
]


#: On the Elo scale, this many points more are odds of ten to one, and this is the mean.
POINTS, MEAN = 400.0, 1000.0
#: Numbers in memory at once.
AT_ONCE = 1 << 22


def win_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems, systems) how much of a comparison with the second the first wins on average; a tie is half a win.

    abilities: (..., systems) log-abilities. tie: (...) Davidson's parameter, 0 where ties are half wins anyway. In
    [0, 1]; one half on the diagonal. P(win) = a / (a + b + tie sqrt(ab)), with a and b the abilities, and
    P(tie) = tie sqrt(ab) / (a + b + tie sqrt(ab)) (Davidson 1970, equations 2.1 and 2.2).

    >>> win_shares(np.log([3.0, 1.0])).tolist()  # odds of 3 to 1
    [[0.5, 0.75], [0.25, 0.5]]
    """
    half_difference = (abilities[..., :, None] - abilities[..., None, :]) / 2
    return np.asarray(share_of(half_difference, np.asarray(tie, np.float64)[..., None, None]), np.float64)


def share_of(half_difference: Floats, tie: Floats) -> Floats:
    """exp(h) + tie / 2 over exp(h) + exp(-h) + tie, with no exponent above 0."""
    win, loss = np.exp(np.minimum(2 * half_difference, 0.0)), np.exp(np.minimum(-2 * half_difference, 0.0))
    tie_odds = tie * np.exp(-np.abs(half_difference))
    return np.asarray((win + tie_odds / 2) / (win + loss + tie_odds))


def expected_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems) the share of comparisons won by a system that meets each of the others equally often.

    >>> expected_shares(np.log([3.0, 1.0])).tolist()
    [0.75, 0.25]
    """
    n = abilities.shape[-1]
    flat = abilities.reshape(-1, n)
    ties = np.broadcast_to(np.asarray(tie, np.float64), abilities.shape[:-1]).reshape(-1)
    step = max(1, AT_ONCE // n**2)
    shares = np.empty_like(flat)
    for start in range(0, len(flat), step):  # in chunks, so that memory stays small
        rows = slice(start, start + step)
        shares[rows] = (win_shares(flat[rows], ties[rows]).sum(axis=-1) - 0.5) / (n - 1)
    return shares.reshape(abilities.shape)


def on_scale(abilities: Floats, scale: str, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems) ratings on one of SCALES; higher is better.

    "elo": 1000 + 400 / ln 10 times the log-ability, "log": the log-ability, "wins": `expected_shares` in percent.

    >>> on_scale(np.log([10.0, 1.0]) - np.log(10) / 2, "elo").round(6).tolist()
    [1200.0, 800.0]
    """
    if scale == "wins":
        return 100 * expected_shares(abilities, tie)
    return MEAN + POINTS / np.log(10) * abilities if scale == "elo" else abilities


class RankClusters(NamedTuple):
    """See `Leaderboard`, which has the same."""

    apart: Bools
    rank_low: Ints
    rank_high: Ints
    cluster: Ints


def cluster_ranks(draws: Floats, level: float) -> RankClusters:
    """Places of systems in the order of the estimate, the best first. draws: (draws, systems) log-abilities.

    Two systems are told apart where the interval of their difference excludes 0: where the first is above the second in
    all draws but (1 - level) / 2 of them, a tie counting as half;
    those that differ by a billionth of the range (of 1 at least) are tied.
    """
    n_draws, n = draws.shape
    draws = join_ties(draws, np.maximum(np.ptp(draws, axis=1), 1.0), SOLVED)
    above = np.zeros((n, n))
    for i in range(n):  # a row at a time, so that memory stays small
        differences = draws[:, i, None] - draws
        above[i] = ((differences > 0).sum(axis=0) + (differences == 0).sum(axis=0) / 2) / n_draws
    beats = at_most(1 - (1 - level) / 2, above)
    np.fill_diagonal(beats, False)
    not_apart = ~np.triu(beats, 1) & np.triu(np.ones((n, n), np.bool_), 1)
    # A cluster ends before the first system that is apart from all systems before it.
    last_not_apart = np.where(not_apart, np.arange(n), np.arange(n)[:, None]).max(axis=1)
    furthest = np.maximum.accumulate(last_not_apart)
    starts_cluster = np.r_[True, furthest[:-1] < np.arange(1, n)]
    return RankClusters(
        apart=beats | beats.T,
        rank_low=1 + beats.sum(axis=0),
        rank_high=n - beats.sum(axis=1),
        cluster=np.cumsum(starts_cluster),
    )


#: A p-value below this says that the model does not fit.
LEVEL = 0.05
#: Sets of votes drawn for the test of fit, and the most comparisons that it may take.
DRAWS, LONG = 199, 300_000_000
#: Draws of logarithms are capped here, where the information is nearly 0.
LARGEST = 700.0
#: The least numbers assumed for a resample: few resamples at once, so that the progress bar moves.
NARROW = 1 << 15


@dataclass(frozen=True, eq=False, kw_only=True)
class AbilityEstimate:
    """The fit of a model to the data: row 0 of each array is the estimate, the others are draws.

    Attributes
    ----------
    systems
        Names.
    abilities
        (1 + draws, systems) logarithms of odds, mean 0.
    tie
        (1 + draws) Davidson's parameter of ties; 0 where ties are half wins.
    effects
        (1 + draws) the effect of each covariate, by name.
    observed_wins
        (systems, systems) how much the system of the row won against that of the column, by weight; a tie counts half.
    fit
        How well the model fits, in words.
    n_lost
        Number of draws without a solution; the arrays do not hold them.
    notes
        Warnings about the data and the fit.
    """

    systems: tuple[str, ...]
    abilities: Floats
    tie: Floats
    effects: Mapping[str, Floats]
    observed_wins: Floats
    fit: tuple[str, ...]
    n_lost: int
    notes: tuple[str, ...]


def estimate_from_preferences(
    preferences: Preferences, settings: LeaderboardSettings, progress: Callable[[float], Any] | None = None
) -> AbilityEstimate:
    """Bradley and Terry's model, or Davidson's. Raises as `fit_preferences`."""
    resampled = settings.interval == "bootstrap"
    fitted = fit_preferences(
        preferences,
        model=settings.model,
        covariates=settings.covariates,
        position=settings.position,
        prior=settings.prior,
        n_resamples=settings.n_resamples if resampled else 0,
        rng=settings.seed,
        progress=progress,
    )
    abilities, log_tie, effects = fitted.ratings, fitted.tie_parameter, dict(fitted.effects)
    if not resampled:
        abilities, effects, log_tie = joint_draws(fitted, settings)
    tie = np.zeros(len(abilities)) if settings.model != "davidson" else np.exp(np.minimum(log_tie, LARGEST))
    return AbilityEstimate(
        systems=preferences.systems,
        abilities=abilities,
        tie=tie,
        effects=effects,
        observed_wins=observed_wins(preferences),
        fit=() if effects else fit_of_pairs(preferences, fitted),
        n_lost=fitted.n_lost,
        notes=fitted.notes,
    )


def joint_draws(fitted: BradleyTerryFit, settings: LeaderboardSettings) -> tuple[Floats, dict[str, Floats], Floats]:
    """Ratings, effects and log nu, each with draws below the estimate, drawn jointly by the information matrix."""
    estimate = np.concatenate([fitted.ratings[0], *fitted.effects.values(), fitted.tie_parameter[:1]])
    n, size = fitted.ratings.shape[1], len(fitted.joint_covariance)
    scale = np.ones(size)  # covariates such as lengths have small effects, which must stay above rounding errors
    errors = np.sqrt(np.diagonal(fitted.joint_covariance)[n:])
    scale[n:] = np.where(errors > 0, errors, 1.0)
    joint = fitted.joint_covariance / scale / scale[:, None]
    noise = draws_from_covariance(np.zeros(size), joint, settings.n_resamples, as_generator(settings.seed)) * scale
    noise = np.vstack([np.zeros(size), noise])
    # No noise for log nu where the model has none.
    noise = np.hstack([noise, np.zeros((len(noise), estimate.size - size))])
    values = (estimate + noise).T
    return values[:n].T, dict(zip(fitted.effects, values[n:], strict=False)), values[-1]


def fit_of_pairs(preferences: Preferences, fitted: BradleyTerryFit) -> tuple[str, ...]:
    """Whether one rating a system explains who wins against whom."""
    deviance = deviance_from_pairs(preferences, fitted)
    if np.isnan(deviance.pvalue):
        return ()
    freedom, pvalue = pluralise(deviance.df, "degree"), format_p_value(deviance.pvalue)
    details = f"(deviance {deviance.deviance:.1f}, {freedom} of freedom, p {pvalue})"
    if deviance.pvalue < LEVEL:
        text = "one rating per system does not explain the results of all pairs of systems"
    else:
        text = "no significant departure of the results from one rating per system was found"
    return (f"{text} {details}", *deviance.notes)


def fit_of_votes(votes: Votes, abilities: Floats, settings: LeaderboardSettings) -> tuple[str, ...]:
    """The test of fit of votes, by votes drawn from the model; none where that would take long."""
    if votes.ranks.size * len(votes.items) * DRAWS > LONG:
        return ()
    rng = as_generator([settings.seed, 1])
    method = PlackettLuce(unranked=settings.unranked, prior=settings.prior)
    return (method.misfit(votes, log_worths=abilities, n_resamples=DRAWS, rng=rng).note,)


def observed_wins(preferences: Preferences) -> Floats:
    """(systems, systems) by weight, how much the row won against the column, a tie half."""
    n = len(preferences.systems)
    left_share = preferences.weight * (1 + preferences.outcome) / 2
    left_wins = np.bincount(preferences.left * n + preferences.right, left_share, n * n)
    right_wins = np.bincount(preferences.right * n + preferences.left, preferences.weight - left_share, n * n)
    return np.asarray((left_wins + right_wins).reshape(n, n))


def estimate_from_votes(
    votes: Votes,
    settings: LeaderboardSettings,
    cluster: Ints | None = None,
    progress: Callable[[float], Any] | None = None,
) -> AbilityEstimate:
    """Plackett and Luce's model. cluster: (voters) the cluster of each vote. Raises as `fit_plackett_luce`."""
    check_least(votes.weights)
    scaled_votes, prior, unit_weight = scale_votes(votes, settings.prior)
    model = LuceModel.of(scaled_votes, settings.unranked, prior)
    model.refuse_unsolvable(scaled_votes.weights)
    best = model.fit(scaled_votes.weights)
    rng, lost = as_generator(settings.seed), 0
    if settings.interval == "bootstrap":
        cluster = np.arange(len(votes.voters)) if cluster is None else cluster
        draws, lost = resample_votes(model, best, settings, cluster, rng, progress)
    else:
        draws = draws_from_covariance(best, model.covariance(best) / unit_weight, settings.n_resamples, rng)
    abilities = np.vstack([best, draws])
    return AbilityEstimate(
        systems=votes.items,
        abilities=abilities,
        tie=np.zeros(len(abilities)),
        effects={},
        observed_wins=observed_above(votes, settings.unranked),
        fit=fit_of_votes(votes, best, settings),
        n_lost=lost,
        notes=lost_resamples_note(lost, settings.n_resamples),
    )


def observed_above(votes: Votes, unranked: str) -> Floats:
    """(systems, systems) by weight, how often the row was above the column, half for ties."""
    above = preference_matrix(votes, unranked)
    ranked = ~np.isnan(votes.ranks)
    if unranked == "ignore":
        met = (votes.weights[:, None] * ranked).T @ ranked
    else:  # two systems that a voter did not rank are not compared
        met = votes.weights.sum() - (votes.weights[:, None] * ~ranked).T @ ~ranked
    wins = above + np.maximum(met - above - above.T, 0.0) / 2
    np.fill_diagonal(wins, 0.0)
    return np.asarray(wins)


def resample_votes(
    model: LuceModel,
    best: Floats,
    settings: LeaderboardSettings,
    cluster: Ints,
    rng: np.random.Generator,
    progress: Callable[[float], Any] | None,
) -> tuple[Floats, int]:
    """(draws, systems) fits to clusters drawn with replacement, and how many draws have no fit."""
    votes = model.votes
    clusters, cluster_index = np.unique(cluster, return_inverse=True)
    fits, n_lost = [np.empty((0, len(votes.items)))], 0
    width = max(len(votes.voters) if model.merges_choices else votes.ranks.size, NARROW)
    for counts in bootstrap_counts(draw(rng, settings.n_resamples), clusters.size, width):
        weights = counts[:, cluster_index] * votes.weights
        solvable = model.solvable(weights)
        n_lost += int((~solvable).sum())
        if solvable.any():
            fits.append(model.fit_resamples(weights[solvable], best, votes.weights))
        if progress is not None:
            progress(len(counts) / settings.n_resamples)
    return np.vstack(fits), n_lost


#: With fewer clusters to draw from, intervals are rough.
FEW = 10
#: A share of wins of the left side this many standard errors from one half has a note.
FAR = 3.0


def leaderboard(
    data: LeaderboardData,
    *,
    model: str = "bradley-terry",
    covariates: str | Sequence[str] = (),
    position: bool = False,
    prior: float = 0.0,
    unranked: str = "ignore",
    scale: str = "elo",
    interval: str = "bootstrap",
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
    measure: object = None,
    column: str | None = None,
    pair: str | None = None,
    cluster_by: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Leaderboard:
    """Rate systems by preferences: which system leads, how certain that is, and who would win how often.

    Parameters
    ----------
    data
        `Preferences`, or the path of a file of them; `Rankings` by people; `Scores`, compared query by query; or
        `Votes` on several systems at once, or a file of them.
    model
        Model of the preferences: a tie is half a win for each side (bradley-terry) or an outcome of its own (davidson);
        plackett-luce is for votes on several systems at once. One of 'bradley-terry', 'davidson', 'plackett-luce'.
        Default: 'bradley-terry'.
    covariates
        Name or names of covariates whose effect is removed from the ratings, such as the difference in length.
    position
        Remove the effect of standing on the left side. Default: False.
    prior
        Number of wins and of losses against an average system that are added to each system. Default: 0.0.
    unranked
        For votes: systems that a voter did not rank are ignored (ignore), or come after the ranked ones (worst). One of
        'ignore', 'worst'. Default: 'ignore'.
    scale
        Scale of the ratings: Elo points, logarithms of odds (log), or the percentage of comparisons won (wins). One of
        'elo', 'log', 'wins'. Default: 'elo'.
    interval
        Intervals from resamples (bootstrap) or, which is faster, from the information matrix (information), as if all
        comparisons were independent. One of 'bootstrap', 'information'. Default: 'bootstrap'.
    n_resamples
        Number of bootstrap resamples or, with `--interval information`, of draws from the normal distribution whose
        covariance comes from the information matrix. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    measure
        For scores: measure that compares the systems on each query. Default: the measure of the scores, if there is
        only one.
    column
        For rankings: column that says which system is better. Default: the human ranks.
    pair
        For rankings: use only this language pair, such as cs-en. Default: all language pairs together.
    cluster_by
        Column of the cluster of a comparison, such as its prompt; for scores of that of a query, or a regular
        expression that finds it in the id of a query. The bootstrap draws whole clusters. Default: for scores a column
        cluster, if there is one.
    columns
        Column names in a file of comparisons, where NAME is left, right, winner, better, worse or weight:
        left=model_1,winner=verdict; of rankings, votes and scores as for `agree ranks`, `consensus`, `compare`.
        Default: found by their usual names.
    progress
        Called with the share of the work just done.

    Returns
    -------
    Leaderboard
        Ratings with intervals, ranks, and win rates. `print` shows sentences and tables, `frame()` is the tidy table.

    Raises
    ------
    InputError
        The wins do not lead from each system to each other one, so that no strengths are most likely; the message names
        the groups of systems (a prior helps). And as the readers.
    ParameterError
        A value is out of range, a setting is for other data, or queries have weights and the interval is "information".
    UnknownName
        A covariate, column, language pair or measure does not exist.

    Notes
    -----
    Ratings: on the scale "elo" the mean is 1000, and a difference of 400 means odds of ten to one; "log" has the mean
    0; "wins" is the percentage of comparisons won if all other systems are met equally often. Higher is better.

    With a prior, systems that never lost have a rating, too. `position` needs comparisons with a left and a right side.
    With the model "plackett-luce", which also takes `Rankings`, "ignore" means that a voter chose among the systems
    that it ranked, "worst" that it chose among all. The bootstrap draws whole clusters if there are any: those of
    `cluster_by`, the segments of rankings, the queries of scores or the clusters that these have. Weights of queries
    are those of their comparisons. Two systems are told apart if the interval of the difference of their abilities
    excludes 0.

    References
    ----------
    Bradley and Terry (1952); Davidson (1970) for ties; Ford (1957) for the existence of a solution; Plackett (1975) and
    Luce (1959). Ratings agree with choix.

    Examples
    --------
    >>> import rankscope as rs
    >>> wins = [("A", "B", "A")] * 3 + [("A", "B", "B")] + [("B", "C", "B")] * 2 + [("B", "C", "C")] * 2
    >>> board = rs.leaderboard(rs.Preferences.of(wins), scale="log", rng=1)
    >>> board.systems, board.rank.tolist(), round(board.rating[0] - board.rating[1], 4).item()  # A beats B in 3 of 4
    (('A', 'B', 'C'), [1, 2, 2], 1.0986)
    >>> board.win_rates[0, 2].round(4).item()  # they never met
    0.75
    """
    settings = LeaderboardSettings(
        model=model,
        covariates=(covariates,) if isinstance(covariates, str) else tuple(covariates),
        position=position,
        prior=prior,
        unranked=unranked,
        scale=scale,
        interval=interval,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
        measure=None if measure is None else str(measure),
        column=column,
        pair=pair,
        cluster_by=cluster_by,
        columns=columns,
    )
    return fit_leaderboard(data, settings, progress=progress)


def fit_leaderboard(
    data: LeaderboardData, settings: LeaderboardSettings, *, progress: Callable[[float], Any] | None = None
) -> Leaderboard:
    """As `leaderboard`, with its settings as one object."""
    settings = replace(settings, covariates=tuple(dict.fromkeys(settings.covariates)))
    source: Preferences | Votes
    if settings.is_of_votes:
        source, settings, clusters = load_votes(data, settings)
        estimate = estimate_from_votes(source, settings, clusters, progress)
    else:
        source, settings = load_preferences(data, settings)
        estimate = estimate_from_preferences(source, settings, progress)
        clusters = None if source.cluster is None else source.cluster.codes
    if len(estimate.abilities) <= FEWEST:
        cure = "" if settings.prior else "use a prior, such as prior=0.5 (--prior 0.5), or "
        cure += "leave covariates and position out, or " if estimate.effects else ""
        raise InputError(
            f"only {len(estimate.abilities) - 1} of {settings.n_resamples} resamples have a solution, too few for "
            f"intervals; {cure}use interval='information' (--interval information)"
        )
    n_clusters = None if clusters is None else np.unique(clusters).size
    pooled = language_pairs(data) if settings.pair is None else ()
    return build_leaderboard(source, estimate, settings, n_clusters=n_clusters, pairs=pooled)


def build_leaderboard(
    source: Preferences | Votes,
    estimate: AbilityEstimate,
    settings: LeaderboardSettings,
    *,
    n_clusters: int | None,
    pairs: tuple[str, ...],
) -> Leaderboard:
    """The result, with the systems in order."""
    level = settings.confidence_level
    ranks = ranks_of(estimate.abilities[:1], least_range=1.0)[0]
    order = np.argsort(ranks, kind="stable")
    abilities, tie = estimate.abilities[:, order], float(estimate.tie[0])
    ratings = on_scale(abilities, settings.scale, estimate.tie)
    low, high = percentile_ends(ratings[1:].T, level)
    clusters = cluster_ranks(abilities[1:], level)
    wins = estimate.observed_wins[np.ix_(order, order)]
    met = wins + wins.T
    return Leaderboard(
        systems=tuple(estimate.systems[i] for i in order),
        rating=ratings[0],
        low=low,
        high=high,
        rank=ranks[order].astype(np.int64),
        rank_low=clusters.rank_low,
        rank_high=clusters.rank_high,
        cluster=clusters.cluster,
        apart=clusters.apart,
        abilities=abilities[0],
        wins=expected_shares(abilities[0], tie),
        win_rates=win_shares(abilities[0], tie),
        observed=np.divide(wins, met, out=np.full(met.shape, np.nan), where=met > 0),
        met=met,
        effects=tuple(effect_of(name, draws, level, step_of(source, name)) for name, draws in estimate.effects.items()),
        tie=effect_of("ties", estimate.tie, level) if settings.model == "davidson" else None,
        n=count_of(source),
        n_ties=0 if isinstance(source, Votes) else int((source.outcome == 0).sum()),
        consistency=None if isinstance(source, Votes) else consistency_of_repeats(source),
        voters=voters_of(source, ranks, settings.seed) if settings.is_of_votes else None,
        upheld=np.nan if isinstance(source, Votes) else share_upheld(source, estimate.abilities[0]),
        fit=estimate.fit,
        n_clusters=n_clusters,
        n_lost=estimate.n_lost,
        pairs=pairs,
        settings=settings,
        notes=leaderboard_notes(source, estimate, settings, n_clusters),
    )


def count_of(source: Preferences | Votes) -> int:
    """The number of votes or comparisons."""
    return len(source.voters) if isinstance(source, Votes) else len(source)


def voters_of(source: Preferences | Votes, ranks: Floats, seed: int) -> VoterAgreement | None:
    """How far voters agree, where all rank everything: partial lists would agree and differ by what they skip."""
    if not isinstance(source, Votes) or not source.complete:
        return None
    return agreement_of_voters(source, ranks, rng=[seed, 2])


def effect_of(name: str, draws: Floats, level: float, step: float = 1.0) -> Effect:
    """An effect with its interval. draws: the first is the estimate."""
    low, high = percentile_ends(draws[1:], level)
    return Effect(name, float(draws[0]), float(low), float(high), step)


def step_of(source: Preferences | Votes, name: str) -> float:
    """The greatest power of ten within two standard deviations of a covariate; 1 for position."""
    if isinstance(source, Votes) or name not in source.covariates:
        return 1.0
    spread = float(source.covariates[name].std())
    return float(10.0 ** np.floor(np.log10(2 * spread))) if np.isfinite(spread) and spread > 0 else 1.0


def leaderboard_notes(
    source: Preferences | Votes, estimate: AbilityEstimate, settings: LeaderboardSettings, n_clusters: int | None
) -> tuple[str, ...]:
    """Notes on the amount of data, its clusters, and the estimate. n_clusters: None without clusters."""
    notes = list(source.notes)
    if isinstance(source, Votes):
        notes.append(f"{pluralise(len(source.voters), 'vote')} on {pluralise(len(source.items), 'system')}")
        weight = source.weights
    else:
        n_ties = int((source.outcome == 0).sum())
        tie_text = "an outcome of their own" if settings.model == "davidson" else "half a win for each"
        ties_text = f"{pluralise(n_ties, 'tie')} among them" + (f" ({tie_text})" if n_ties else "")
        notes.append(f"{pluralise(len(source), 'comparison')}, {ties_text}")
        weight = source.weight
    if np.ptp(weight) > 0 or weight[0] != 1:
        notes.append(f"weights between {weight.min():g} and {weight.max():g}, {weight.sum():g} in all")
    if settings.interval == "bootstrap":
        if n_clusters is not None:
            notes.append(f"the bootstrap draws whole clusters of comparisons ({n_clusters:,})")
        if (n_clusters or count_of(source)) < FEW:
            kind = "cluster" if n_clusters else "vote" if isinstance(source, Votes) else "comparison"
            count_text = pluralise(n_clusters or count_of(source), kind)
            notes.append(f"only {count_text} to resample: intervals are rough and probably too narrow")
    elif n_clusters is not None:
        notes.append(
            f"comparisons of one cluster count as independent here ({pluralise(n_clusters, 'cluster')}); --interval "
            "bootstrap draws whole clusters"
        )
    if isinstance(source, Preferences) and not settings.position:
        notes += side_note(source)
    return tuple(dict.fromkeys((*notes, *estimate.notes)))


def side_note(source: Preferences) -> list[str]:
    """A note where the left side won more often, or less, than by chance; those of one cluster may be correlated."""
    decided = np.flatnonzero(source.outcome)
    if not source.sides or not decided.size:
        return []
    outcomes = source.outcome[decided].astype(np.float64)
    sums = outcomes if source.cluster is None else np.bincount(source.cluster.codes[decided], outcomes)
    if abs(outcomes.sum()) <= FAR * np.sqrt((sums**2).sum()):
        return []
    left_share = float((outcomes > 0).mean())
    return [
        f"the left system won {format_wins_in_words(left_share)} % of the decided comparisons: if sides were assigned "
        "at random, being on the left matters; --position removes this effect"
    ]
