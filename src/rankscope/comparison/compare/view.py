"""The view of a comparison: tables, figures, and sentences that claim no more than the test shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import (
    MeasureValues,
    extreme_queries,
    query_gains,
)
from rankscope.comparison.compare.columns import (
    STARS,
    beaten_letters,
    correction_notes,
    is_corrected,
    letter,
    mean_intervals,
    pair_columns,
    stars,
    turned,
)
from rankscope.comparison.compare.group_view import group_sections
from rankscope.comparison.compare.leaders import (
    ROUNDING,
    headline,
    interval_phrase,
    is_untested,
    judged_order,
    leading_systems,
    others_sentence,
    untested_sentence,
    withheld_sentence,
)
from rankscope.comparison.compare.overview import all_measures_section, test_clause
from rankscope.data.columns import Column, column, digits, interval, rank_range, table_of
from rankscope.data.entities import look_like_ranks
from rankscope.data.section import Cell, Figure, Section, Table
from rankscope.data.text import (
    first_names,
    format_chance,
    format_p_value,
    format_percent,
    join_names,
    pluralise_queries,
)
from rankscope.evaluation.score_tables import NAMELESS
from rankscope.kernels.rounding_ties import NOISE, order_of
from rankscope.stats.confusion import share_interval
from rankscope.stats.intervals import bootstrap_interval, t_interval
from rankscope.typing import Ints

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison, MeasureComparison
    from rankscope.stats.multiple_comparisons import Clusters

__all__ = [
    "certainty_sentence",
    "comparison_sentence",
    "differences_figure",
    "extreme_queries_of_leaders",
    "extremes_table",
    "query_section",
    "sections_of",
]


def comparison_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """The comparison by one measure in one to three sentences."""
    if comparison.withheld.all():
        return withheld_sentence(comparison)
    doubt = rank_doubt(comparison)
    if comparison.first.size == 1:
        return f"{doubt}{pair_sentence(result, comparison)}"
    sentence = all_pairs_sentence if result.baseline is None else baseline_sentence
    withheld_text = f"{withheld_sentence(comparison)} " if comparison.withheld.any() else ""
    return f"{doubt}{withheld_text}{sentence(result, comparison)}"


def rank_doubt(comparison: MeasureComparison) -> str:
    """That values without a name look like ranks, of which lower is better; else nothing."""
    values = comparison.measure_values
    if comparison.measure != NAMELESS or values.sign < 0 or not look_like_ranks(values.values):
        return ""
    return "These values look like ranks: if they are, lower is better, and the order is the reverse (-m MeanRank). "


def pair_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """The better system of a pair, how much better it is, and how easily chance explains that."""
    sign = comparison.measure_values.sign
    is_swapped = sign * comparison.difference[0] < 0
    a, b = int(comparison.first[0]), int(comparison.second[0])
    a, b = (b, a) if is_swapped else (a, b)
    first, second = comparison.systems[a], comparison.systems[b]
    if comparison.equal[0]:
        return (
            f"{first} and {second} have the same {comparison.measure} on every one of "
            f"{pluralise_queries(comparison.n)}: there is no difference to "
            f"test{' (p = 1)' if comparison.test_results.posterior is None else ''}."
        )
    bounds = (-comparison.high[0], -comparison.low[0]) if is_swapped else (comparison.low[0], comparison.high[0])
    gap = abs(comparison.difference[0])
    bounds = bounds if sign > 0 else (-bounds[1], -bounds[0])
    interval_text = ""
    if not np.isnan(bounds[0]):
        interval_text = f" ({interval_phrase(comparison, float(bounds[0]), float(bounds[1]))})"
    facts = (
        f"its mean {comparison.measure_values.label} on {pluralise_queries(comparison.n)} is {comparison.means[a]:.4f} "
        f"against {comparison.means[b]:.4f}, {'higher' if sign > 0 else 'lower'} by {gap:.4f}{interval_text}"
    )
    if gap <= ROUNDING * np.abs(comparison.means).max():
        return (
            f"{first} and {second} have the same mean {comparison.measure_values.label}, {comparison.means[a]:.4f} on "
            f"{pluralise_queries(comparison.n)}{interval_text}. No significant difference was found; that does not "
            "show that they are equal."
        )
    if comparison.test_results.posterior is not None and not np.isnan(comparison.test_results.posterior).any():
        return probability_sentence(result, comparison, first, second, facts, is_swapped)
    p = float(comparison.pvalue[0] if not np.isnan(comparison.pvalue[0]) else comparison.pvalue_corrected[0])
    if np.isnan(p):
        return f"{first} is ahead of {second}: {facts}. {untested_sentence(result, comparison)}"
    chance_text = chance_sentence(result, comparison, p)
    if comparison.decisions[0]:
        return f"On queries like these, {first} is significantly better than {second}: {facts}. {chance_text}"
    claim = "No significant difference was found"
    if result.settings.alternative != "two-sided":
        direction = "higher" if result.settings.alternative == "greater" else "lower"
        claim = (
            f"{comparison.systems[comparison.first[0]]} was not shown to have {direction} values than "
            f"{comparison.systems[comparison.second[0]]}"
        )
    return f"{claim}. {first} is ahead: {facts}. {chance_text}{doubt_text(result, p)}"


def speaks_against(result: Comparison, p: float) -> bool:
    """Whether the values lie on the other side of the one that a one-sided test is about."""
    return result.settings.alternative != "two-sided" and p > 0.5


def doubt_text(result: Comparison, p: float) -> str:
    """What no significant difference does not show; nothing where the values lie on the other side."""
    return "" if speaks_against(result, p) else " That does not show that they are equal."


def chance_sentence(result: Comparison, comparison: MeasureComparison, p: float) -> str:
    """What p means; for a one-sided test, in the direction of the alternative."""
    event = "a difference at least this large"
    if speaks_against(result, p):
        direction = "higher" if result.settings.alternative == "greater" else "lower"
        return (
            f"Nothing here speaks for {direction} values of {comparison.systems[comparison.first[0]]} (p "
            f"{format_p_value(p)}, {result.settings.test})."
        )
    if result.settings.alternative != "two-sided":
        direction = "high" if result.settings.alternative == "greater" else "low"
        event = (
            f"values of {comparison.systems[comparison.first[0]]} at least as {direction}, compared with those of "
            f"{comparison.systems[comparison.second[0]]},"
        )
    corrected_p = float(comparison.pvalue_corrected[0])
    correction_text = f", {corrected_p:.4f} corrected for multiple comparisons" if abs(corrected_p - p) > 5e-5 else ""
    return (
        f"If both were equally good, {event} would occur by chance {format_chance(p)} such comparisons "
        f"(p {format_p_value(p)}{correction_text}, {result.settings.test})."
    )


#: What Bayesian tests hold for probable before they see the values.
PRIORS = {"bayes-t": "with a flat prior", "bayes-signed-rank": "with a prior of half a tie"}


def probability_sentence(
    result: Comparison, comparison: MeasureComparison, first: str, second: str, facts: str, is_swapped: bool
) -> str:
    assert comparison.test_results.posterior is not None  # called for Bayesian tests only
    worse, equal, better = comparison.test_results.posterior[:, 0].tolist()
    worse, better = (better, worse) if is_swapped else (worse, better)
    rope = result.settings.rope
    equal_text = f", that they are within {rope:g} of each other {equal:.3f}," if rope else ""
    return (
        f"{first} is ahead of {second}: {facts}. The probability that it is better is {better:.3f}{equal_text} and "
        f"that it is worse {worse:.3f} ({PRIORS[result.settings.test]})."
    )


def all_pairs_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """The best system, its lead over the next, the systems that it beats, and how many pairs differ."""
    best = judged_order(comparison)[0]
    rank_word = "highest" if comparison.measure_values.sign > 0 else "lowest"
    value_text = f"{comparison.means[best]:.4f} on {pluralise_queries(comparison.n)}"
    mean_text = f"{comparison.systems[best]} has the {rank_word} mean {comparison.measure_values.label}: {value_text}"
    if is_untested(comparison):
        return f"{mean_text}, {lead_clause(result, comparison)}. {untested_sentence(result, comparison)}"
    claim = pairs_claim(result, comparison, "it")
    return f"{mean_text}, {lead_clause(result, comparison)}. On queries like these, {claim[:-1]}{test_clause(result)}."


def pairs_claim(result: Comparison, comparison: MeasureComparison, subject: str) -> str:
    """Which systems the best one is better than, and how many pairs differ. subject: what it is called."""
    order = judged_order(comparison)
    best = order[0]
    n_beaten = int(comparison.beats[best].sum())
    n_others = len(order) - 1
    unbeaten = [comparison.systems[system] for system in order if system != best and not comparison.beats[best, system]]
    adverb = "" if result.settings.is_bayesian else "significantly "
    if n_beaten == n_others:
        other_systems = "the other system" if n_others == 1 else f"each of the {n_others} other systems"
        claim = f"{subject} is {adverb}better than {other_systems}"
    elif n_beaten:
        claim = (
            f"{subject} is {adverb}better than {n_beaten} of the {n_others} other systems, but not {adverb}better than "
            f"{join_names(unbeaten, conjunction='or')}"
        )
    else:
        other_systems = {1: "the other system", 2: "either other system"}.get(
            n_others, f"any of the {n_others} other systems"
        )
        claim = f"{subject} is not {adverb}better than {other_systems}"
    n_different = int(np.count_nonzero(comparison.decisions))
    n_pairs = int((~comparison.withheld).sum())
    verb = "differs" if n_different == 1 else "differ"
    pairs_text = f"{n_different:,} of {n_pairs:,} pairs {verb}" if n_different else "no pair differs"
    return f"{claim}; {pairs_text} significantly."


def lead_clause(result: Comparison, comparison: MeasureComparison) -> str:
    """The lead of the best system over the next, and how sure it is."""
    best, second = judged_order(comparison)[:2]
    i = comparison.pair_index(best, second)
    gap = abs(float(comparison.difference[i]))
    if gap <= ROUNDING * np.abs(comparison.means).max():
        return f"equal to that of {comparison.systems[second]}"
    p = float(comparison.pvalue_corrected[i])
    p_name = "corrected p" if result.settings.tests_all_systems or is_corrected(result) else "p"
    certainty = "" if np.isnan(p) else f" ({p_name} {format_p_value(p)})"
    if comparison.test_results.posterior is not None and not np.isnan(comparison.test_results.posterior[:, i]).any():
        better = float(comparison.test_results.posterior[2 if comparison.first[i] == best else 0, i])
        certainty = f" (better with a probability of {better:.3f})"
    direction = "higher" if comparison.measure_values.sign > 0 else "lower"
    return f"{gap:.4f} {direction} than that of the next system, {comparison.systems[second]}{certainty}"


def baseline_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """Which systems are better than the baseline, the best first; which are worse, and which do not differ."""
    if is_untested(comparison):
        return headline(result, comparison)
    parts = (headline(result, comparison), others_sentence(result, comparison), test_sentence(result, comparison))
    return " ".join(filter(None, parts))


def test_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """The test, its correction and its level, and the number of queries."""
    return f"Tested on {pluralise_queries(comparison.n)}{test_clause(result)}."


def certainty_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """How sure the finding of `headline` is, and what it says of the systems that the headline does not name."""
    if comparison.first.size == 1:
        p = float(comparison.pvalue[0] if not np.isnan(comparison.pvalue[0]) else comparison.pvalue_corrected[0])
        if np.isnan(p):
            return test_sentence(result, comparison)
        doubt = "" if comparison.decisions[0] else doubt_text(result, p)
        return f"{chance_sentence(result, comparison, p)}{doubt} {test_sentence(result, comparison)}"
    if result.baseline is not None:
        others = others_sentence(result, comparison)
        return " ".join(filter(None, (others, test_sentence(result, comparison))))
    leader = comparison.systems[judged_order(comparison)[0]]
    claim = pairs_claim(result, comparison, leader)
    return f"{claim} {test_sentence(result, comparison)}"


#: Unanswered queries that a note names at most.
MOST_IN_NOTE = 20


def query_section(result: Comparison, comparison: MeasureComparison, *, folded: bool = True) -> Section:
    """Query by query, the two systems of `leading_systems`."""
    a, b = leading_systems(result, comparison)
    system_names = comparison.systems[a], comparison.systems[b]
    query_ids = [result.scores.query_ids[query] for query in comparison.measure_values.queries.tolist()]
    gain = query_gains(comparison.measure_values, a, b)
    weights = comparison.measure_values.weights
    weighted_gain = gain if weights is None else gain * weights
    order = order_of(-weighted_gain)
    return Section(
        title=f"{comparison.measure}, query by query: {system_names[0]} and {system_names[1]}",
        sentence=" ".join([win_sentence(system_names, gain), *fragility_sentences(system_names, weighted_gain, order)]),
        table=extremes_table(comparison.measure_values, query_ids, a, b),
        figure=differences_figure(comparison.measure_values, query_ids, a, b),
        notes=unanswered_notes(comparison, query_ids),
        folded=folded,
    )


def extreme_queries_of_leaders(result: Comparison, comparison: MeasureComparison) -> tuple[tuple[int, int], Ints]:
    """The two systems of `leading_systems`, and the queries that `query_section` lists, as indices of the scores."""
    a, b = leading_systems(result, comparison)
    helped, hurt = extreme_queries(query_gains(comparison.measure_values, a, b))
    return (a, b), comparison.measure_values.queries[np.concatenate([helped, hurt])]


def extremes_table(measure_values: MeasureValues, query_ids: Sequence[str], a: int, b: int) -> Table | None:
    """The queries where system a gains most over b, then those where it loses most; None if no query differs."""
    gain = query_gains(measure_values, a, b)
    helped, hurt = extreme_queries(gain)
    queries = np.concatenate([helped, hurt])
    if not queries.size:
        return None
    return table_of(
        column("most", ["helped"] * helped.size + ["hurt"] * hurt.size, name=True),
        column("query", [query_ids[query] for query in queries.tolist()], name=True),
        *(
            column(measure_values.systems[system], measure_values.values[system, queries], digits())
            for system in (a, b)
        ),
        column("difference", measure_values.sign * gain[queries], digits(signed=True)),
    )


def differences_figure(measure_values: MeasureValues, query_ids: Sequence[str], a: int, b: int) -> Figure:
    """A figure of the differences of two systems, query by query. query_ids: of the n queries."""
    return Figure(
        "query_differences",
        {
            "measure": measure_values.label,
            "system_a": measure_values.systems[a],
            "system_b": measure_values.systems[b],
            "query_ids": tuple(query_ids),
            "differences": tuple((measure_values.sign * query_gains(measure_values, a, b)).tolist()),
            "values_a": tuple(measure_values.values[a].tolist()),
            "values_b": tuple(measure_values.values[b].tolist()),
            "higher_is_better": measure_values.sign > 0,
        },
    )


def win_sentence(names: tuple[str, str], gain: np.ndarray) -> str:
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    ties = gain.size - wins - losses
    ties_text = f", and they are equal on {ties:,}" if ties else ""
    return f"Of {gain.size:,} queries, {names[0]} is better on {wins:,} and {names[1]} on {losses:,}{ties_text}."


def fragility_sentences(names: tuple[str, str], gain: np.ndarray, order: np.ndarray) -> list[str]:
    """How few queries decide who leads: without that many of those that help the leader most, it is not ahead."""
    total = float(gain.sum())
    if total == 0 or gain.size < 2:
        return []
    leader, rival = names if total > 0 else names[::-1]
    sorted_gains = gain[order] if total > 0 else -gain[order[::-1]]
    remaining_lead = abs(total) - np.cumsum(sorted_gains)
    n = int(np.argmax(remaining_lead <= NOISE * np.abs(gain).sum())) + 1
    if n >= gain.size:
        return []
    queries_text = "the query that helps" if n == 1 else f"the {n:,} queries that help"
    return [f"Without {queries_text} {leader} most, {leader} would not be ahead of {rival}."]


def unanswered_notes(comparison: MeasureComparison, query_ids: list[str]) -> tuple[str, ...]:
    """A note on queries where every system has 0, the worst value."""
    if comparison.measure_values.sign < 0:
        return ()
    values = comparison.measure_values.values
    unanswered_queries = np.flatnonzero((values.max(axis=0) <= 0) & (values.min(axis=0) >= 0)).tolist()
    if not unanswered_queries:
        return ()
    names = first_names((query_ids[query] for query in unanswered_queries), MOST_IN_NOTE)
    verb = "is" if len(unanswered_queries) == 1 else "are"
    return (f"{pluralise_queries(len(unanswered_queries))} {verb} unanswered, 0 for every system: {names}",)


#: More pairs are shown in the tidy table only.
MOST_PAIRS = 45
#: Bootstrap intervals and effect sizes of more pairs are not listed.
MOST_SIZES = 15
#: A matrix of more systems is not readable.
MOST_IN_MATRIX = 40


def sections_of(result: Comparison) -> list[Section]:
    """All systems by all measures; for each the leaderboard, pairs, groups, effect sizes, and the queries."""
    sections = [all_measures_section(result)] if len(result.comparisons) > 1 else []
    for comparison in result.comparisons:
        sections.append(leaderboard(result, comparison))
        if result.baseline is None:
            sections.append(pair_by_pair(result, comparison))
        sections += group_sections(result, comparison)
        sections += effect_size_sections(result, comparison)
        if not comparison.withheld.all():
            sections.append(query_section(result, comparison))
    return sections


def leaderboard(result: Comparison, comparison: MeasureComparison) -> Section:
    """Systems, best first, the best in bold; after the mean the letters of beaten systems, or stars for a baseline."""
    low, high = mean_intervals(result, comparison)
    table = ranked_table(comparison, low, high) if result.baseline is None else baseline_table(result, comparison)
    order = comparison.order.tolist()
    figure_data = {
        "systems": tuple(comparison.systems[system] for system in order),
        "means": tuple(comparison.means[order].tolist()),
        "low": tuple(low[order].tolist()),
        "high": tuple(high[order].tolist()),
        "measure": comparison.measure,
        "baseline": result.baseline,
        "higher_is_better": comparison.measure_values.sign > 0,
        "interval": f"{format_percent(1 - comparison.alpha)} interval",
    }
    return Section(
        title=f"{comparison.measure} on {pluralise_queries(comparison.n)}",
        sentence=comparison_sentence(result, comparison),
        table=table,
        figure=Figure("leaderboard", figure_data),
        notes=legend(result, comparison),
    )


def legend(result: Comparison, comparison: MeasureComparison) -> tuple[str, ...]:
    """What letters or stars after a mean say, if there are any; how sure possible ranks are, and intervals."""
    if result.baseline is None:
        legend_text = "letters after a mean (superscripts): the systems that this one is significantly better than"
        return (*(legend_text,) * bool(comparison.beats.any()), *rank_notes(result, comparison))
    interval_notes = correction_notes(result, comparison)
    if not comparison.decisions.any():
        return interval_notes
    if result.settings.is_bayesian:
        return (f"*: better or worse than the baseline with a probability of at least {1 - comparison.alpha:g}",)
    star_bounds = [f"{marks} at {bound:g}" for bound, marks in reversed(STARS) if bound < comparison.alpha]
    stars_text = ", ".join([f"* differs from the baseline at level {comparison.alpha:g}", *star_bounds])
    return (stars_text, *interval_notes)


def rank_notes(result: Comparison, comparison: MeasureComparison) -> tuple[str, ...]:
    """How sure the possible ranks are, where they are shown and say anything."""
    if ranked_clusters(comparison) is None or not comparison.decisions.any():
        return ()
    if result.settings.controls_any_claim:
        return (f"possible ranks: for all systems at once, with {format_percent(1 - comparison.alpha)} confidence",)
    return ("possible ranks: each test for itself, so that some of many may be wrong",)


def ranked_clusters(comparison: MeasureComparison) -> Clusters | None:
    """The clusters from which the possible ranks are, if these are shown: of two systems the letters say as much."""
    return comparison.clusters if len(comparison.systems) > 2 else None


def ranked_table(comparison: MeasureComparison, low: np.ndarray, high: np.ndarray) -> Table:
    n_systems = len(comparison.systems)
    order = comparison.order
    beats = comparison.beats[np.ix_(order, order)]
    clusters = ranked_clusters(comparison)
    return table_of(
        column("", range(n_systems), letter, name=True),
        column("system", [comparison.systems[system] for system in order.tolist()], name=True),
        column(
            "mean",
            comparison.means[order],
            digits(),
            bold=[position == 0 for position in range(n_systems)],
            raised=[beaten_letters(np.flatnonzero(row).tolist(), n_systems) for row in beats],
        ),
        column(
            f"{format_percent(1 - comparison.alpha)} interval", zip(low[order], high[order], strict=True), interval()
        ),
        None
        if clusters is None
        else column(
            "possible ranks", zip(clusters.rank_low[order], clusters.rank_high[order], strict=True), rank_range
        ),
    )


def baseline_table(result: Comparison, comparison: MeasureComparison) -> Table:
    """All systems, best first, each but the baseline with its comparison with that."""
    order = comparison.order.tolist()
    pair_of_system = {int(system): i for i, system in enumerate(comparison.first.tolist())}
    pairs = [pair_of_system.get(system) for system in order]
    own_columns = pair_columns(result, comparison, np.array([i for i in pairs if i is not None]))
    baseline_position = pairs.index(None)
    superscripts = [
        (stars(float(comparison.pvalue_corrected[i]), comparison.alpha) or "*")
        if i is not None and comparison.decisions[i]
        else ""
        for i in pairs
    ]
    return table_of(
        column("system", [comparison.systems[system] for system in order], name=True),
        column(
            "mean",
            comparison.means[order],
            digits(),
            bold=[position == 0 for position in range(len(order))],
            raised=superscripts,
        ),
        *(
            Column(own.title, with_cell(own.cells, baseline_position, "" if k else "baseline"), False)
            for k, own in enumerate(own_columns)
        ),
    )


def with_cell(cells: tuple[Cell, ...], position: int, cell: Cell) -> tuple[Cell, ...]:
    """The cells with one more at a position."""
    return (*cells[:position], cell, *cells[position:])


def pair_by_pair(result: Comparison, comparison: MeasureComparison) -> Section:
    """Every pair, the better system first."""
    n_systems, n_pairs = len(comparison.systems), comparison.first.size
    title = f"{comparison.measure}, pair by pair" if n_pairs > 1 else f"{comparison.measure}: the difference"
    if n_pairs > MOST_PAIRS:
        return Section(
            title=title,
            sentence=f"The {n_pairs:,} pairs are in the tidy table (--format csv, or frame() in Python).",
            figure=matrix_figure(comparison) if n_systems <= MOST_IN_MATRIX else None,
            folded=True,
        )
    rank, signs = np.argsort(comparison.order), display_signs(result, comparison)
    leading = np.where(signs > 0, comparison.first, comparison.second)
    trailing = np.where(signs > 0, comparison.second, comparison.first)
    pairs = np.lexsort((rank[trailing], rank[leading]))
    return Section(
        title=title,
        table=table_of(
            column("ahead", [comparison.systems[system] for system in leading[pairs].tolist()], name=True),
            column("of", [comparison.systems[system] for system in trailing[pairs].tolist()], name=True),
            *pair_columns(result, comparison, pairs, signs[pairs]),
        ),
        figure=matrix_figure(comparison) if n_pairs > 1 else None,
        notes=correction_notes(result, comparison),
    )


def display_signs(result: Comparison, comparison: MeasureComparison) -> npt.NDArray[np.int64]:
    """(pairs) 1 where the first system is shown first, -1 where the second is: the better one, or not the baseline."""
    if result.baseline is not None:
        return np.ones(comparison.first.size, np.int64)
    rank = np.argsort(comparison.order)
    return np.where(rank[comparison.first] < rank[comparison.second], 1, -1)


def effect_size_sections(result: Comparison, comparison: MeasureComparison) -> list[Section]:
    """For each pair the bootstrap interval beside Student's, and effect sizes with intervals."""
    varies = ~(comparison.test_results.degenerate | comparison.equal | comparison.withheld)
    if comparison.first.size > MOST_SIZES or comparison.n < 2 or not varies.any():
        return []
    settings, effects = result.settings, comparison.test_results.effects
    sign = display_signs(result, comparison)
    a = np.where(sign > 0, comparison.first, comparison.second)
    b = np.where(sign > 0, comparison.second, comparison.first)
    confidence_level = 1 - comparison.alpha
    differences = comparison.measure_values.differences(a[varies], b[varies])
    sample = comparison.measure_values.sample
    student = t_interval(differences, confidence_level=confidence_level, **sample)
    bca = bootstrap_interval(
        differences, confidence_level=confidence_level, n_resamples=settings.n_resamples, rng=settings.seed, **sample
    )
    pairs = np.flatnonzero(varies)
    signs = sign[pairs]
    low, high = turned(effects.low[pairs], effects.high[pairs], signs)
    table = table_of(
        column(
            "ahead" if result.baseline is None else "system",
            [comparison.systems[system] for system in a[pairs].tolist()],
            name=True,
        ),
        column("of", [comparison.systems[system] for system in b[pairs].tolist()], name=True),
        column("difference", signs * comparison.difference[pairs], digits(signed=True)),
        column("t interval", zip(student.low, student.high, strict=True), interval()),
        column("BCa interval", zip(bca.low, bca.high, strict=True), interval()),
        column("Cohen's d", signs * effects.cohens_d[pairs], digits(2, signed=True)),
        column("its interval", zip(low, high, strict=True), interval(2)),
        column("Hedges' g", signs * effects.hedges_g[pairs], digits(2, signed=True)),
        *win_columns(comparison, np.where(signs > 0, effects.wins[pairs], effects.losses[pairs])),
    )
    sentence = (
        f"Each interval has the level {format_percent(1 - comparison.alpha)}, without correction for multiple "
        "comparisons."
    )
    title = f"{comparison.measure}: intervals and effect sizes"
    return [
        Section(
            title=title,
            sentence=sentence,
            table=table,
            notes=bca.notes,
            folded=True,
        )
    ]


def win_columns(comparison: MeasureComparison, wins: npt.NDArray[np.int64]) -> list[Column]:
    """Wilson's interval of the share of queries that are won; none where queries have clusters or weights."""
    if any(values is not None for values in comparison.measure_values.sample.values()):
        return []
    low, high = share_interval(wins, comparison.n, confidence_level=1 - comparison.alpha)
    return [column("better on, %", zip(100 * low, 100 * high, strict=True), interval(0))]


def matrix_figure(comparison: MeasureComparison) -> Figure:
    """A figure of all pairs as a matrix, systems best first."""
    n_systems = len(comparison.systems)
    differences, pvalues = np.zeros((n_systems, n_systems)), np.full((n_systems, n_systems), np.nan)
    p = comparison.pvalue_corrected
    criterion = None
    if comparison.test_results.posterior is not None:
        # The probability of not being better: small values mean certainty, as of p-values.
        p = 1 - comparison.test_results.posterior[[0, 2]].max(axis=0)
        criterion = f"probability of one to be better of at least {format_percent(1 - comparison.alpha)}"
    differences[comparison.first, comparison.second] = comparison.difference
    differences[comparison.second, comparison.first] = -comparison.difference
    pvalues[comparison.first, comparison.second] = pvalues[comparison.second, comparison.first] = p
    order = np.ix_(comparison.order, comparison.order)
    return Figure(
        "significance_matrix",
        {
            "systems": tuple(comparison.systems[system] for system in comparison.order.tolist()),
            "differences": tuple(map(tuple, differences[order].tolist())),
            "pvalues": tuple(map(tuple, pvalues[order].tolist())),
            "alpha": comparison.alpha,
            "measure": comparison.measure,
            **({} if criterion is None else {"criterion": criterion}),
        },
    )
