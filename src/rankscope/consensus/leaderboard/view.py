"""The view of a leaderboard: sentences, tables, figures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from rankscope.consensus.leaderboard.result import Effect, Leaderboard, format_wins, format_wins_in_words
from rankscope.consensus.models import POSITION
from rankscope.consensus.voter_agreement import VoterAgreement
from rankscope.data.columns import Column, column, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_number, format_p_value, format_percent, join_names, pluralise

__all__ = [
    "leaderboard_sections",
]


#: Digits of ratings by scale.
DIGITS = {"elo": 0, "log": 2, "wins": 1}
#: The names of the ratings.
TITLES = {"elo": "rating (Elo scale)", "log": "log-ability", "wins": "comparisons won (%)"}
#: The most systems in the table of wins; the figure shows all.
WIDEST = 12
#: The most digits after the point of effects, and the greatest logarithm of odds whose odds are finite.
FINEST, LARGEST = 9, 700.0


def leaderboard_sections(board: Leaderboard) -> tuple[Section, ...]:
    """The sections of a leaderboard; those without content are left out."""
    sections = [order_section(board), wins_section(board)]
    if board.effects:
        sections.append(effects_section(board))
    if board.consistency is not None:
        sections.append(consistency_section(board))
    if board.voters is not None:
        sections.append(Section(title="Agreement of the voters", sentence=voters_sentence(board.voters)))
    return tuple(sections)


def order_section(board: Leaderboard) -> Section:
    """The systems in order, with ratings, intervals and possible ranks."""
    rating = partial(format_rating, board)
    n_met = np.rint(board.met.sum(axis=1)).astype(np.int64)
    data = {
        "systems": list(board.systems),
        "means": board.rating,
        "low": board.low,
        "high": board.high,
        "measure": TITLES[board.settings.scale],
        "interval": f"{format_percent(board.settings.confidence_level)} interval",
        "dot": "rating",
        "digits": DIGITS[board.settings.scale],
    }
    return Section(
        title="Leaderboard",
        sentence=" ".join(
            filter(None, (leader_sentence(board), language_pairs_sentence(board), win_rates_sentence(board)))
        ),
        table=table_of(
            column("system", board.systems, name=True),
            column("rating", board.rating, rating),
            column("low", board.low, rating),
            column("high", board.high, rating),
            column("rank", board.rank),
            column("possible ranks", zip(board.rank_low, board.rank_high, strict=True), format_ranks),
            column("cluster", board.cluster),
            column("wins %", board.wins, format_wins),
            column("pairs" if board.settings.is_of_votes else "comparisons", n_met.tolist(), thousands),
        ),
        figure=Figure("leaderboard", data),
        notes=tuple(order_notes(board)),
    )


def format_ranks(ranks: tuple[int, int]) -> str:
    """The possible ranks of a system."""
    low, high = ranks
    return f"{low}" if low == high else f"{low} to {high}"


def leader_sentence(board: Leaderboard) -> str:
    """Which system leads, and which systems cannot be told apart from it."""
    level = format_percent(board.settings.confidence_level)
    leaders = board.systems[: int((board.rank == 1).sum())]
    others = [name for i, name in enumerate(board.systems) if board.rank[i] > 1 and not board.apart[0, i]]
    if len(leaders) == len(board.systems):
        return "All systems have the same rating, so that none leads."
    if len(leaders) > 1:
        text = f"{join_names(leaders)} share the first rank."
        return text + (
            f" {leaders[0]} is not significantly better than {join_names(others, conjunction='or')}." if others else ""
        )
    name = leaders[0]
    rating_text = f"{format_rating(board, board.rating[0])} ({level} interval {format_rating(board, board.low[0])} to "
    rating_text += f"{format_rating(board, board.high[0])})"
    if not others:
        return f"{name} leads with a rating of {rating_text} and is significantly better than every other system."
    ties_all = len(others) == len(board.systems) - 1
    who = "any other system" if ties_all else join_names(others, conjunction="or")
    return f"{name} has the highest rating, {rating_text}, but it is not significantly better than {who}."


def language_pairs_sentence(board: Leaderboard) -> str:
    """Where language pairs are pooled, a sentence on pairs of systems that never met."""
    n_unmet, n_pairs = count_unmet_pairs(board)
    if len(board.pairs) < 2 or not n_unmet:
        return ""
    return (
        f"The data combine {len(board.pairs)} language pairs, and {n_unmet} of {pluralise(n_pairs, 'pair')} of systems "
        "never met: across language pairs the order depends only on systems that take part in several; --pair selects "
        "one."
    )


def count_unmet_pairs(board: Leaderboard) -> tuple[int, int]:
    """How many pairs of systems never met, and how many there are."""
    n = len(board.systems)
    return int((board.met[np.triu_indices(n, 1)] == 0).sum()), n * (n - 1) // 2


def win_rates_sentence(board: Leaderboard) -> str:
    """The win rates of the first system against the next and the last."""
    if board.rank.max() == 1:
        return ""
    leader, second, last = board.systems[0], board.systems[1], board.systems[-1]
    opponents = [(board.win_rates[0, 1], f"{second} (next)")]
    if board.rank[-1] > board.rank[1]:
        opponents.append((board.win_rates[0, -1], f"{last} (last)"))
    phrases = [f"{format_wins_in_words(share)} % of comparisons with {opponent}" for share, opponent in opponents]
    return f"The model predicts that {leader} wins {' and '.join(phrases)}; a tie counts as half a win."


def order_notes(board: Leaderboard) -> list[str]:
    """What the columns of the order mean."""
    share = format_percent(board.settings.confidence_level)
    return [
        {
            "elo": "rating: scaled to a mean of 1000; a lead of 400 points corresponds to odds of 10 to 1 of winning",
            "log": "rating: logarithm of odds, with mean 0; 1 more multiplies the odds of winning by 2.72",
            "wins": "rating: percentage of comparisons won if all other systems are met equally often",
        }[board.settings.scale],
        "wins %: percentage of comparisons won if all other systems are met equally often; a tie counts as half a win",
        f"possible ranks: from the {share} intervals of the differences between systems; these are not corrected for "
        "multiple comparisons, so that with many systems a few may be wrong",
        "cluster: every system of a cluster is significantly better than every system of the following clusters",
    ]


def wins_section(board: Leaderboard) -> Section:
    """Who wins against whom: the model's win rates, and notes on the data."""
    shown_systems = board.systems[:WIDEST]
    n = len(shown_systems)
    n_unmet, n_pairs = count_unmet_pairs(board)
    notes = []
    if n_unmet:
        notes.append(
            f"{n_unmet} of {pluralise(n_pairs, 'pair')} of systems never met: their win rates follow from the other "
            "comparisons"
        )
    if len(board.systems) > n:
        notes.append(f"only the best {n} of {len(board.systems)} systems are shown")
    if board.tie is not None:
        shares = (board.tie.value, board.tie.low, board.tie.high)
        tie_share, low, high = (format_wins(x / (2 + x)) for x in shares)
        level = format_percent(board.settings.confidence_level)
        notes.append(
            f"two systems with the same rating tie in {tie_share} % of comparisons ({level} interval {low} to {high})"
        )
    notes += [*board.fit, *worst_fit_note(board)]
    rates = board.win_rates.copy()
    np.fill_diagonal(rates, np.nan)
    data = {"systems": list(board.systems), "rates": rates, "counts": board.met, "note": "Predicted by the model."}
    return Section(
        title="Win rates",
        sentence="Predicted percentage of comparisons that the system of the row wins against that of the column.",
        table=table_of(
            column("", shown_systems, name=True),
            *(column(system, rates[:n, j], format_wins) for j, system in enumerate(shown_systems)),
        ),
        figure=Figure("win_matrix", data),
        notes=tuple(notes),
    )


def worst_fit_note(board: Leaderboard) -> list[str]:
    """The pair whose wins the model fits worst, in standard errors."""
    if board.effects or np.isnan(board.observed).all():
        return []  # with covariates the win rates are not those of the observed comparisons
    spread = np.sqrt(board.win_rates * (1 - board.win_rates) / np.maximum(board.met, 1.0))
    gap = np.nan_to_num(np.abs(board.observed - board.win_rates)) / np.maximum(spread, 1e-12)
    i, j = (int(index) for index in np.unravel_index(np.argmax(np.triu(gap, 1)), gap.shape))
    if not gap[i, j] > 0:
        return []
    return [
        f"largest difference between data and model: {board.systems[i]} won "
        f"{format_wins_in_words(board.observed[i, j])} % of its comparisons with {board.systems[j]}, and the "
        f"model predicts {format_wins_in_words(board.win_rates[i, j])} %"
    ]


def effects_section(board: Leaderboard) -> Section:
    """The effects of covariates and of the position on the outcome."""
    return Section(
        title="Other effects on the outcome",
        sentence=" ".join(effect_sentence(effect, board.settings.confidence_level) for effect in board.effects),
        table=table_of(
            column("", board.effects, step_name, name=True),
            *interval_columns("effect", map(format_effect, board.effects)),
            *interval_columns("odds ratio", map(format_odds, board.effects)),
        ),
        notes=(
            "effect: change of the log-odds of the left system; odds ratio: factor of its odds of winning",
            "ratings and win rates hold for comparisons in which none of these effects favours either system",
        ),
    )


def step_name(effect: Effect) -> str:
    """The name of a row: position, or an amount of a covariate."""
    return effect.name if effect.step == 1 else f"{effect.step:,g} more of {effect.name}"


def interval_columns(title: str, texts: Iterable[list[str]]) -> list[Column]:
    """The columns of a number and the ends of its interval. texts: the three of each row."""
    rows = list(texts)
    return [column(heading, rows, itemgetter(i)) for i, heading in enumerate((title, "low", "high"))]


def format_effect(effect: Effect) -> list[str]:
    """The effect of a step, and its interval, with as many digits as they differ in."""
    ends = np.array([effect.value, effect.low, effect.high]) * effect.step
    return [f"{x:.{digits_of(ends, 3)}f}" for x in ends]


def format_odds(effect: Effect) -> list[str]:
    """The odds ratio of a step, and its interval, with as many digits as they differ in."""
    odds = np.exp(np.clip(np.array([effect.value, effect.low, effect.high]) * effect.step, -LARGEST, LARGEST))
    digits = digits_of(odds, 2)
    return [f"{x:.{digits}f}" if 10.0**-digits <= x < 1e4 else f"{x:.2g}" for x in odds]


def digits_of(interval: np.ndarray[Any, np.dtype[np.float64]], least: int) -> int:
    """Digits after the point that show two significant digits of an interval (value, low, high), at least `least`."""
    width = float(interval[2] - interval[1])
    return int(np.clip(1 - np.floor(np.log10(width)), least, FINEST)) if width > 0 else least


def effect_sentence(effect: Effect, level: float) -> str:
    """The effect on the odds of the left system."""
    subject = (
        "Standing on the left side"
        if effect.name == POSITION
        else f"An increase of {effect.step:,g} in {effect.name} on the left side"
    )
    factor, low, high = format_odds(effect)
    odds_text = f"(odds ratio {factor}, {format_percent(level)} interval {low} to {high})"
    if effect.low <= 0 <= effect.high:
        return f"{subject} has no significant effect on the left system's odds of winning {odds_text}."
    return f"{subject} {'raises' if effect.value > 0 else 'lowers'} the left system's odds of winning {odds_text}."


def consistency_section(board: Leaderboard) -> Section:
    """The consistency of repeated comparisons, and the share of comparisons that the ratings predict."""
    repeats = board.consistency
    pairs: list[tuple[str, float, int]] = []
    sentences = []
    if repeats is not None and repeats.pairs:
        share = repeats.alike / repeats.pairs
        sentences.append(
            f"Two comparisons of the same two systems agree in {format_wins_in_words(share)} % of cases: the same "
            "system wins, or both are ties."
        )
        pairs.append(("two comparisons of the same two systems", share, repeats.pairs))
        if repeats.pairs_within_clusters:
            share = repeats.alike_within_clusters / repeats.pairs_within_clusters
            pairs.append(("the same, within one cluster", share, repeats.pairs_within_clusters))
    else:
        sentences.append("No two systems were compared twice, so that the agreement of comparisons is unknown.")
    decided = board.n - board.n_ties
    if decided:
        sentences.append(
            f"The system with the higher rating won {format_wins_in_words(board.upheld)} % of the decided comparisons."
        )
        pairs.append(("ratings and decided comparisons", board.upheld, decided))
    table = None
    if pairs:
        names, shares, counts = zip(*pairs, strict=True)
        table = table_of(
            column("", names, name=True), column("agree %", shares, format_wins), column("n", counts, thousands)
        )
    return Section(title="Agreement of comparisons", sentence=" ".join(sentences), table=table)


def voters_sentence(agreement: VoterAgreement) -> str:
    """Kendall's W, the mean tau, and who agrees least."""
    if np.isnan(agreement.concordance.w):
        return "Every voter ties all systems, so that their agreement is undefined."
    p = format_p_value(agreement.concordance.pvalue)
    text = (
        f"Kendall's W is {agreement.concordance.w:.2f} (p {p}), where 1 means that all voters have the same "
        "order, and 0 that their ranks cancel out."
    )
    if not np.isnan(agreement.mean_tau):
        text += f" The mean Kendall's tau of two voters is {agreement.mean_tau:.2f}, where 1 means the same order, and "
        text += "-1 the opposite order."
    return text + (
        f" {join_names(agreement.most_deviant)} agrees least with the others."
        if len(agreement.most_deviant) == 1
        else ""
    )


def format_rating(board: Leaderboard, value: float) -> str:
    """A rating with the digits of its scale; never a negative zero.

    Where all systems meet equally often, wins are observed shares, such as 58.75, except for the last bits of
    the fit. These are rounded away first, so that they do not decide how 58.75 is rounded.
    """
    return format_number(round(float(value), 9), DIGITS[board.settings.scale])
