"""From preferences to a leaderboard: models, intervals, ranges of ranks, scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import ranks_of
from rankscope.consensus.leaderboards.data import LeaderboardData, language_pairs, load_preferences, load_votes
from rankscope.consensus.leaderboards.result import (
    Effect,
    Leaderboard,
    consistency_of_repeats,
    format_wins_in_words,
    share_upheld,
)
from rankscope.consensus.models import (
    BradleyTerryFit,
    LuceModel,
    deviance_from_pairs,
    draws_from_covariance,
    fit_preferences,
    lost_resamples_note,
    plackett_luce_covariance,
    plackett_luce_misfit,
)
from rankscope.consensus.pairwise import preference_matrix
from rankscope.consensus.voter_agreement import VoterAgreement, agreement_of_voters
from rankscope.consensus.weight_unit import check_least, check_prior, in_weight_units, weight_unit
from rankscope.data.preferences import Preferences
from rankscope.data.text import format_p_value, pluralise
from rankscope.data.votes import Votes, check_unranked
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.kernels.ties import SOLVED, at_most, join_ties
from rankscope.stats.inputs import as_generator, check_choice, check_count, check_positive, check_share, seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "INTERVALS",
    "LEFT_OUT",
    "MODELS",
    "SCALES",
    "Estimate",
    "LeaderboardSettings",
    "RankClusters",
    "cluster_ranks",
    "estimate_from_preferences",
    "estimate_from_votes",
    "expected_shares",
    "leaderboard",
    "on_scale",
    "win_shares",
]


#: How ratings may be given; the first is the default.
SCALES = ("elo", "log", "wins")
#: On the Elo scale so many points more are odds of ten to one, and this is the mean.
POINTS, MEAN = 400.0, 1000.0
#: Numbers that are held at once.
AT_ONCE = 1 << 22


def win_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems, systems) how much of a comparison with the second the first wins on average; a tie is half a win.

    abilities: (..., systems) log-abilities. tie: (...) Davidson's parameter, 0 where ties are half wins anyway. In
    [0, 1]; one half on the diagonal. P(win) = a / (a + b + tie sqrt(ab)), with a and b the abilities, and
    P(tie) = tie sqrt(ab) / (a + b + tie sqrt(ab)) (Davidson 1970, equations 2.1 and 2.2).

    >>> win_shares(np.log([3.0, 1.0])).tolist()  # odds of 3 to 1
    [[0.5, 0.75], [0.25, 0.5]]
    """
    half = (abilities[..., :, None] - abilities[..., None, :]) / 2
    return np.asarray(share_of(half, np.asarray(tie, np.float64)[..., None, None]), np.float64)


def share_of(half: Floats, tie: Floats) -> Floats:
    """exp(h) + tie / 2 over exp(h) + exp(-h) + tie, with no exponent above 0."""
    up, down = np.exp(np.minimum(2 * half, 0.0)), np.exp(np.minimum(-2 * half, 0.0))
    even = tie * np.exp(-np.abs(half))
    return np.asarray((up + even / 2) / (up + down + even))


def expected_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems) the share of comparisons won by a system that meets each of the others equally often.

    >>> expected_shares(np.log([3.0, 1.0])).tolist()
    [0.75, 0.25]
    """
    n = abilities.shape[-1]
    flat = abilities.reshape(-1, n)
    ties = np.broadcast_to(np.asarray(tie, np.float64), abilities.shape[:-1]).reshape(-1)
    step = max(1, AT_ONCE // n**2)
    found = np.empty_like(flat)
    for start in range(0, len(flat), step):  # some at a time, so that memory stays small
        rows = slice(start, start + step)
        found[rows] = (win_shares(flat[rows], ties[rows]).sum(axis=-1) - 0.5) / (n - 1)
    return found.reshape(abilities.shape)


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
        gap = draws[:, i, None] - draws
        above[i] = ((gap > 0).sum(axis=0) + (gap == 0).sum(axis=0) / 2) / n_draws
    beats = at_most(1 - (1 - level) / 2, above)
    np.fill_diagonal(beats, False)
    later = ~np.triu(beats, 1) & np.triu(np.ones((n, n), np.bool_), 1)
    # A cluster ends before the first system from which all before are told apart.
    reach = np.where(later, np.arange(n), np.arange(n)[:, None]).max(axis=1)  # the last one that it is not apart from
    furthest = np.maximum.accumulate(reach)
    starts = np.r_[True, furthest[:-1] < np.arange(1, n)]
    return RankClusters(
        apart=beats | beats.T,
        rank_low=1 + beats.sum(axis=0),
        rank_high=n - beats.sum(axis=1),
        cluster=np.cumsum(starts),
    )


#: A p-value below says that the model does not fit.
LEVEL = 0.05
#: Votes drawn to see whether the model fits, and comparisons that this may take.
DRAWS, LONG = 199, 300_000_000
#: Draws of logarithms are cut here, where the information says next to nothing.
LARGEST = 700.0
#: Numbers that a resample is taken to have at least: few resamples at once, so that the bar moves.
NARROW = 1 << 15


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings:
    """Which model, and which draws of it: by the bootstrap, or from the information matrix."""

    model: str
    covariates: tuple[str, ...]
    position: bool
    prior: float
    unranked: str
    interval: str
    n_resamples: int
    seed: int
    progress: Callable[[float], Any] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """What a model says of the data: row 0 of each array is the estimate, the others are draws.

    abilities: (1 + draws, systems), logarithms of odds, mean 0. tie: (1 + draws), 0 where ties are half wins. effects:
    (1 + draws) each. seen: (systems, systems) how much the row won against the column, by weight, a tie half. fit: how
    well the model fits, in words. lost: draws without a solution, which are not among these.
    """

    systems: tuple[str, ...]
    abilities: Floats
    tie: Floats
    effects: Mapping[str, Floats]
    seen: Floats
    fit: tuple[str, ...]
    lost: int
    notes: tuple[str, ...]


def estimate_from_preferences(preferences: Preferences, asked: LeaderboardSettings) -> Estimate:
    """Bradley and Terry's model, or Davidson's. Raises as `fit_preferences`."""
    resampled = asked.interval == "bootstrap"
    fitted = fit_preferences(
        preferences,
        ties="davidson" if asked.model == "davidson" else "half",
        covariates=asked.covariates,
        position=asked.position,
        prior=asked.prior,
        n_resamples=asked.n_resamples if resampled else 0,
        rng=asked.seed,
        progress=progress_in_steps(asked.progress),
    )
    abilities, log_tie, effects = fitted.ratings, fitted.tie_parameter, dict(fitted.effects)
    if not resampled:
        abilities, effects, log_tie = joint_draws(fitted, asked)
    tie = np.zeros(len(abilities)) if asked.model != "davidson" else np.exp(np.minimum(log_tie, LARGEST))
    return Estimate(
        systems=preferences.systems,
        abilities=abilities,
        tie=tie,
        effects=effects,
        seen=observed_wins(preferences),
        fit=() if effects else fit_of_pairs(preferences, fitted),
        lost=fitted.lost,
        notes=fitted.notes,
    )


def joint_draws(fitted: BradleyTerryFit, asked: LeaderboardSettings) -> tuple[Floats, dict[str, Floats], Floats]:
    """Ratings, effects and log nu, each with draws below the estimate, that vary together as the information says."""
    estimate = np.concatenate([fitted.ratings[0], *fitted.effects.values(), fitted.tie_parameter[:1]])
    n, size = fitted.ratings.shape[1], len(fitted.joint)
    scale = np.ones(size)  # effects of numbers as great as lengths are small: rounding must not be as great as they
    errors = np.sqrt(np.diagonal(fitted.joint)[n:])
    scale[n:] = np.where(errors > 0, errors, 1.0)
    joint = fitted.joint / scale / scale[:, None]
    noise = draws_from_covariance(np.zeros(size), joint, asked.n_resamples, as_generator(asked.seed)) * scale
    noise = np.vstack([np.zeros(size), noise])
    noise = np.hstack([noise, np.zeros((len(noise), estimate.size - size))])  # without ties of their own
    values = (estimate + noise).T
    return values[:n].T, dict(zip(fitted.effects, values[n:], strict=False)), values[-1]


def fit_of_pairs(preferences: Preferences, fitted: BradleyTerryFit) -> tuple[str, ...]:
    """Whether one rating a system explains who wins against whom."""
    found = deviance_from_pairs(preferences, fitted)
    if np.isnan(found.pvalue):
        return ()
    what = (
        f"(deviance {found.deviance:.1f}, {pluralise(found.df, 'degree')} of freedom, p {format_p_value(found.pvalue)})"
    )
    if found.pvalue < LEVEL:
        text = "one rating a system does not explain all of who wins against whom: pairs differ by more than chance"
    else:
        text = "who wins against whom is not further from one rating a system than chance makes it"
    return (f"{text} {what}", *found.notes)


def fit_of_votes(votes: Votes, abilities: Floats, asked: LeaderboardSettings) -> tuple[str, ...]:
    """The same of votes, by votes drawn from the model; nothing where that would take long."""
    if votes.ranks.size * len(votes.items) * DRAWS > LONG:
        return ()
    rng = as_generator([asked.seed, 1])
    found = plackett_luce_misfit(
        votes, abilities, unranked=asked.unranked, prior=asked.prior, n_resamples=DRAWS, rng=rng
    )
    return (found.note,)


def progress_in_steps(progress: Callable[[float], Any] | None) -> Callable[[float], Any] | None:
    """Told the share that is done in all, it tells what was just done."""
    if progress is None:
        return None
    done = 0.0

    def tell(share: float) -> None:
        nonlocal done
        progress(share - done)
        done = share

    return tell


def observed_wins(preferences: Preferences) -> Floats:
    """(systems, systems) by weight, how much the row won against the column, a tie half."""
    n = len(preferences.systems)
    share = preferences.weight * (1 + preferences.outcome) / 2
    forth = np.bincount(preferences.left * n + preferences.right, share, n * n)
    back = np.bincount(preferences.right * n + preferences.left, preferences.weight - share, n * n)
    return np.asarray((forth + back).reshape(n, n))


def estimate_from_votes(votes: Votes, asked: LeaderboardSettings, unit: Ints | None = None) -> Estimate:
    """Plackett and Luce's model. unit: (voters) which votes hang together. Raises as `fit_plackett_luce`."""
    check_least(votes.weights)
    check_prior(votes.weights, asked.prior)
    size = weight_unit(votes.weights)
    light, prior = replace(votes, weights=in_weight_units(votes.weights)), asked.prior / size
    model = LuceModel.of(light, asked.unranked, prior)
    model.refuse_unsolvable(light.weights)
    best = model.best(light.weights)
    rng, lost = as_generator(asked.seed), 0
    if asked.interval == "bootstrap":
        unit = np.arange(len(votes.voters)) if unit is None else unit
        drawn, lost = resample_votes(model, best, asked, unit, rng)
    else:
        covariance = plackett_luce_covariance(light, log_worths=best, unranked=asked.unranked, prior=prior) / size
        drawn = draws_from_covariance(best, covariance, asked.n_resamples, rng)
    abilities = np.vstack([best, drawn])
    return Estimate(
        systems=votes.items,
        abilities=abilities,
        tie=np.zeros(len(abilities)),
        effects={},
        seen=observed_above(votes, asked.unranked),
        fit=fit_of_votes(votes, best, asked),
        lost=lost,
        notes=lost_resamples_note(lost, asked.n_resamples),
    )


def observed_above(votes: Votes, unranked: str) -> Floats:
    """(systems, systems) by weight, how often the row was above the column, half where they are level."""
    above = preference_matrix(votes, unranked)
    there = ~np.isnan(votes.ranks)
    if unranked == "ignore":
        met = (votes.weights[:, None] * there).T @ there
    else:  # of two that a voter left out nobody knows
        met = votes.weights.sum() - (votes.weights[:, None] * ~there).T @ ~there
    found = above + np.maximum(met - above - above.T, 0.0) / 2
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def resample_votes(
    model: LuceModel, best: Floats, asked: LeaderboardSettings, unit: Ints, rng: np.random.Generator
) -> tuple[Floats, int]:
    """(draws, systems) fits to units drawn with replacement, and how many draws have none."""
    votes = model.votes
    units, place = np.unique(unit, return_inverse=True)
    found, lost = [np.empty((0, len(votes.items)))], 0
    width = max(len(votes.voters) if model.quick else votes.ranks.size, NARROW)
    for counts in bootstrap_counts(draw(rng, asked.n_resamples), units.size, width):
        weights = counts[:, place] * votes.weights
        good = model.solvable(weights)
        lost += int((~good).sum())
        if good.any():
            found.append(model.fits(weights[good], best, votes.weights))
        if asked.progress is not None:
            asked.progress(len(counts) / asked.n_resamples)
    return np.vstack(found), lost


MODELS = ("bradley-terry", "davidson", "plackett-luce")
INTERVALS = ("bootstrap", "information")
#: What becomes of systems that a voter left out.
LEFT_OUT = ("ignore", "worst")
#: Of fewer draws there are no percentiles.
FEWEST = 20
#: Of fewer that are drawn, intervals are rough.
FEW = 10
#: Of left places and wins, so many standard errors from one half are worth a note.
FAR = 3.0


def leaderboard(
    data: LeaderboardData,
    *,
    model: str = "bradley-terry",
    covariates: Sequence[str] = (),
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
    unit: str | None = None,
    winner: str | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Leaderboard:
    """Systems in order by who was preferred to whom: ratings with intervals, places, and who wins how often.

    data: preferences, or the path of a file of them (`rankscope.read_preferences`, which winner and unit are for);
    Rankings of people, of which `column` (that of people) says who is better, and of which `pair` keeps one language
    pair; Scores, compared query by query by
    `measure`; or Votes (or a file of them), of many systems at once, for model "plackett-luce", which takes Rankings,
    too.

    model: "bradley-terry", in which a tie is half a win of each; "davidson", in which ties are an outcome of their own;
    "plackett-luce", of votes. covariates: names of numbers that come with each comparison, as a difference of lengths,
    whose effect is taken out of the ratings; position: that of standing left, too, where there are sides. prior: wins,
    and as many losses, of every system against one of average strength, 0 for none; then systems that never lost have a
    rating as well.
    unit: the column of a file that says whose comparisons hang together, as those of one prompt. Whole units are drawn
    where there are any: segments of rankings, queries of scores. unranked: of votes, by "ignore" a voter chose among
    those that he ranked; by "worst" among all, and those that he left out are behind; it is for "plackett-luce" only.

    scale: "elo", of mean 1000, on which 400 more are odds of ten to one; "log", logarithms of odds of mean 0; "wins",
    of 100 comparisons, as many with each other system, those won. Higher is better. interval: by the "bootstrap" of
    n_resamples draws, or by the "information" matrix, as if every comparison stood for itself. Two systems are told
    apart where the interval of the difference of their abilities excludes 0. rng: where random numbers begin; one is
    drawn and shown otherwise. progress: is told the share of the work just done.

    Raises InputError where no strengths are most likely, since the wins do not lead from each system to each other one,
    with the groups between which they do not (a prior helps); and as the readers. ParameterError for other values and
    for options of other data; UnknownName for a covariate, column, pair or measure that is not there.

    Source: Bradley and Terry (1952); Davidson (1970) for ties; Ford (1957) for what is refused; Plackett (1975) and
    Luce (1959). Ratings agree with choix.

    >>> import rankscope as rs
    >>> wins = [("A", "B", "A")] * 3 + [("A", "B", "B")] + [("B", "C", "B")] * 2 + [("B", "C", "C")] * 2
    >>> board = rs.consensus.leaderboard(rs.Preferences.of(wins), scale="log", rng=1)
    >>> board.systems, board.rank.tolist(), round(board.rating[0] - board.rating[1], 4).item()  # A beats B in 3 of 4
    (('A', 'B', 'C'), [1, 2, 2], 1.0986)
    >>> board.win_rates[0, 2].round(4).item()  # they never met
    0.75
    """
    names = (covariates,) if isinstance(covariates, str) else tuple(dict.fromkeys(covariates))
    check_choice("model", model, MODELS)
    check_unranked(unranked, LEFT_OUT)
    check_choice("scale", scale, SCALES)
    check_choice("interval", interval, INTERVALS)
    check_positive("prior", prior, zero=True)
    check_count("n_resamples", n_resamples, FEWEST)
    check_share("confidence_level", confidence_level)
    asked = LeaderboardSettings(
        model=model,
        covariates=names,
        position=position,
        prior=float(prior),
        unranked=unranked,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed_of(rng),
        progress=progress,
    )
    source, found, units, settings = fit_model(
        data, asked, measure=measure, column=column, pair=pair, unit=unit, winner=winner
    )
    if len(found.abilities) <= FEWEST:
        cure = "" if prior else "give a prior, as prior=0.5 (--prior 0.5), or "
        cure += "leave covariates and position out, or " if found.effects else ""
        raise InputError(
            f"only {len(found.abilities) - 1} of {n_resamples} resamples have most likely strengths, too few for "
            f"intervals; {cure}take interval='information' (--interval)"
        )
    settings = {
        **signature_settings(asked, scale, confidence_level, units is not None),
        **settings,
        "systems": f"{len(found.systems)}",
        "votes" if isinstance(source, Votes) else "comparisons": f"{count_of(source)}",
    }
    notes = leaderboard_notes(source, found, asked, None if units is None else np.unique(units).size)
    together = language_pairs(data) if pair is None else ()
    return build_leaderboard(
        source, found, asked, scale=scale, level=confidence_level, pairs=together, settings=settings, notes=notes
    )


def fit_model(
    data: LeaderboardData, asked: LeaderboardSettings, **of_data: Any
) -> tuple[Preferences | Votes, Estimate, Ints | None, dict[str, str]]:
    """The data as the model takes them, the estimate, which of them hang together, and parts of the signature."""
    if asked.model != "plackett-luce" and asked.unranked != LEFT_OUT[0]:
        raise ParameterError(
            f"unranked is {asked.unranked!r}, which is for votes and model 'plackett-luce' (--model); leave it out"
        )
    if asked.model == "plackett-luce":
        refuse_effects(asked.covariates, asked.position)
        votes, settings, units = load_votes(data, **of_data)
        return votes, estimate_from_votes(votes, asked, units), units, settings
    seen, settings = load_preferences(data, covariates=asked.covariates, **of_data)
    return seen, estimate_from_preferences(seen, asked), None if seen.unit is None else seen.unit.codes, settings


def refuse_effects(covariates: Sequence[str], position: bool) -> None:
    """Of votes on many systems."""
    if covariates or position:
        what = "position" if position else f"covariate {covariates[0]!r}"
        raise ParameterError(f"{what} is for comparisons of two, and plackett-luce is for votes on many; leave it out")


def build_leaderboard(
    source: Preferences | Votes,
    found: Estimate,
    asked: LeaderboardSettings,
    *,
    scale: str,
    level: float,
    pairs: tuple[str, ...],
    settings: dict[str, str],
    notes: tuple[str, ...],
) -> Leaderboard:
    """The result, systems in order."""
    ranks = ranks_of(found.abilities[:1], least_range=1.0)[0]
    order = np.argsort(ranks, kind="stable")
    abilities, tie = found.abilities[:, order], float(found.tie[0])
    ratings = on_scale(abilities, scale, found.tie)
    low, high = percentile_ends(ratings[1:].T, level)
    places = cluster_ranks(abilities[1:], level)
    seen = found.seen[np.ix_(order, order)]
    met = seen + seen.T
    return Leaderboard(
        systems=tuple(found.systems[i] for i in order),
        rating=ratings[0],
        low=low,
        high=high,
        rank=ranks[order].astype(np.int64),
        rank_low=places.rank_low,
        rank_high=places.rank_high,
        cluster=places.cluster,
        apart=places.apart,
        abilities=abilities[0],
        wins=expected_shares(abilities[0], tie),
        win_rates=win_shares(abilities[0], tie),
        observed=np.divide(seen, met, out=np.full(met.shape, np.nan), where=met > 0),
        met=met,
        effects=tuple(effect_of(name, draws, level, step_of(source, name)) for name, draws in found.effects.items()),
        tie=effect_of("ties", found.tie, level) if asked.model == "davidson" else None,
        n=count_of(source),
        n_ties=0 if isinstance(source, Votes) else int((source.outcome == 0).sum()),
        alike=None if isinstance(source, Votes) else consistency_of_repeats(source),
        voters=voters_of(source, ranks, asked.seed) if asked.model == "plackett-luce" else None,
        upheld=np.nan if isinstance(source, Votes) else share_upheld(source, found.abilities[0]),
        fit=found.fit,
        lost=found.lost,
        pairs=pairs,
        model=asked.model,
        scale=scale,
        interval=asked.interval,
        confidence_level=level,
        settings=settings,
        notes=notes,
    )


def count_of(source: Preferences | Votes) -> int:
    return len(source.voters) if isinstance(source, Votes) else len(source)


def voters_of(source: Preferences | Votes, ranks: Floats, seed: int) -> VoterAgreement | None:
    """How far voters agree, where all rank everything: partial lists agree and differ by what they leave out."""
    if not isinstance(source, Votes) or not source.complete:
        return None
    return agreement_of_voters(source, ranks, rng=[seed, 2])


def effect_of(name: str, draws: Floats, level: float, step: float = 1.0) -> Effect:
    """The first is the estimate."""
    low, high = percentile_ends(draws[1:], level)
    return Effect(name, float(draws[0]), float(low), float(high), step)


def step_of(source: Preferences | Votes, name: str) -> float:
    """The greatest power of ten within two standard deviations of a covariate; 1 for position."""
    if isinstance(source, Votes) or name not in source.covariates:
        return 1.0
    spread = float(source.covariates[name].std())
    return float(10.0 ** np.floor(np.log10(2 * spread))) if np.isfinite(spread) and spread > 0 else 1.0


def signature_settings(asked: LeaderboardSettings, scale: str, level: float, grouped: bool) -> dict[str, str]:
    """All else that changes the numbers, for the signature. grouped: whether whole units are drawn."""
    drawn = f"{asked.interval},{asked.n_resamples}"
    if asked.interval == "bootstrap":
        single = "votes" if asked.model == "plackett-luce" else "comparisons"
        drawn += f",{'units' if grouped else single}"
    found = {"model": asked.model}
    if asked.model == "plackett-luce":
        found["unranked"] = asked.unranked
    if asked.covariates:
        found["covariates"] = ",".join(asked.covariates)
    if asked.position:
        found["position"] = "yes"
    rest = {"prior": f"{asked.prior:g}", "scale": scale, "interval": drawn, "confidence": f"{level:g}"}
    return {**found, **rest, "rng": f"{asked.seed}"}


def leaderboard_notes(
    source: Preferences | Votes, found: Estimate, asked: LeaderboardSettings, units: int | None
) -> tuple[str, ...]:
    """How much there was, what hangs together, what was lost. units: how many, where there are any."""
    notes = list(source.notes)
    if isinstance(source, Votes):
        notes.append(f"{pluralise(len(source.voters), 'vote')} on {pluralise(len(source.items), 'system')}")
        weight = source.weights
    else:
        n_ties = int((source.outcome == 0).sum())
        how = "an outcome of their own" if asked.model == "davidson" else "half a win for each"
        ties = f"{pluralise(n_ties, 'tie')} among them" + (f" ({how})" if n_ties else "")
        notes.append(f"{pluralise(len(source), 'comparison')}, {ties}")
        weight = source.weight
    if np.ptp(weight) > 0 or weight[0] != 1:
        notes.append(f"weights between {weight.min():g} and {weight.max():g}, {weight.sum():g} in all")
    if asked.interval == "bootstrap":
        if units is not None:
            notes.append(f"the bootstrap draws whole units, of which there are {units:,}")
        if (units or count_of(source)) < FEW:
            notes.append(
                f"{units or count_of(source)} to draw from are few: intervals are rough, and rather too narrow"
            )
    elif units is not None:
        notes.append(
            f"those of one of the {units:,} units count as independent here; --interval bootstrap draws whole units"
        )
    if isinstance(source, Preferences) and not asked.position:
        notes += side_note(source)
    return tuple(dict.fromkeys((*notes, *found.notes)))


def side_note(source: Preferences) -> list[str]:
    """Where the left one won more or less often than chance makes it; comparisons of one unit may all lean one way."""
    decided = np.flatnonzero(source.outcome)
    if not source.sides or not decided.size:
        return []
    lean = source.outcome[decided].astype(np.float64)
    by_unit = lean if source.unit is None else np.bincount(source.unit.codes[decided], lean)
    if abs(lean.sum()) <= FAR * np.sqrt((by_unit**2).sum()):
        return []
    left = float((lean > 0).mean())
    return [
        f"the left one won {format_wins_in_words(left)} of 100 decided comparisons: where sides were given out by "
        "chance, standing left matters, and --position takes that out"
    ]
