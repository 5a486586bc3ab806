"""From preferences to a leaderboard: which model, which intervals, which scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankscope.consensus.base import ranks_of
from rankscope.consensus.board import Effect, Leaderboard
from rankscope.consensus.board_data import LeaderboardData, language_pairs, load_preferences, load_votes
from rankscope.consensus.board_shown import format_wins_in_words
from rankscope.consensus.estimates import Estimate, LeaderboardSettings, estimate_from_preferences, estimate_from_votes
from rankscope.consensus.places import cluster_ranks
from rankscope.consensus.repeats import consistency_of_repeats, share_upheld
from rankscope.consensus.scales import SCALES, expected_shares, on_scale, win_shares
from rankscope.consensus.voters import VoterAgreement, agreement_of_voters
from rankscope.data.preferences import Preferences
from rankscope.data.votes import Votes, check_unranked
from rankscope.data.wording import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import check_choice, check_count, check_positive, check_share, seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Floats, Ints

__all__ = ["INTERVALS", "LEFT_OUT", "MODELS", "leaderboard"]


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
        f"the left one won {format_wins_in_words(left)} of 100 decided comparisons: where sides were given out by chance, standing "
        "left matters, and --position takes that out"
    ]
