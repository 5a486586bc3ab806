"""The section of a comparison by group of queries: the difference in each group, and whether it varies with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.comparison.compare.columns import interval_column, interval_word
from rankscope.comparison.compare.leaders import leading_systems
from rankscope.data.columns import Column, column, digits, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_p_cell, format_p_value, format_percent, join_names, pluralise
from rankscope.kernels.rounding_ties import at_most

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison, MeasureComparison

__all__ = [
    "group_sections",
]


#: More rows are shown of the leading pair only, and of its largest groups.
MAX_ROWS = 45
#: What the tests of the interaction are called in a sentence.
TEST_NAMES = {"welch": "Welch's test", "hotelling": "Hotelling's test"}


def group_sections(result: Comparison, comparison: MeasureComparison, *, folded: bool = False) -> list[Section]:
    """The differences of all pairs by group, or of the leading pair if these are many; nothing without groups."""
    if not comparison.groups or comparison.withheld.all():
        return []
    first, second = leading_systems(result, comparison)
    leading = comparison.pair_index(first, second)
    pairs, names = np.arange(comparison.first.size), list(comparison.groups)
    notes = []
    if pairs.size * (len(names) + 1) > MAX_ROWS:
        notes += ["only the leading pair; the others are in the tidy table"] if pairs.size > 1 else []
        pairs = np.array([leading])
    if len(names) + 1 > MAX_ROWS:
        names = sorted(names, key=lambda name: -comparison.groups[name].n)[: MAX_ROWS - 1]
        notes.append(f"the {len(names)} largest of {len(comparison.groups):,} groups; the others are in the tidy table")
    sentence = " ".join(
        [*interaction_sentences(result, comparison, leading, first), *turn_sentences(comparison, leading, first)]
    )
    return [
        Section(
            title=f"{comparison.measure} by group",
            sentence=sentence,
            table=table_of(*group_columns(result, comparison, pairs, names)),
            figure=group_figure(comparison, leading, first, names),
            notes=(*notes, *correction_notes(result, comparison)),
            folded=folded,
        )
    ]


def turned_difference(comparison: MeasureComparison, pair: int, first: int) -> float:
    """The difference of a pair, as the system `first` less the other one."""
    difference = float(comparison.difference[pair])
    return difference if comparison.first[pair] == first else -difference


def pair_names(comparison: MeasureComparison, pair: int, first: int) -> tuple[str, str]:
    """The names of a pair, that of the system `first` first."""
    a, b = int(comparison.first[pair]), int(comparison.second[pair])
    return (
        (comparison.systems[a], comparison.systems[b]) if a == first else (comparison.systems[b], comparison.systems[a])
    )


def interaction_sentences(result: Comparison, comparison: MeasureComparison, pair: int, first: int) -> list[str]:
    """Whether the difference of a pair varies with the group, and from where to where it goes."""
    differences = {name: turned_difference(part, pair, first) for name, part in comparison.groups.items()}
    sign = comparison.measure_values.sign
    best, worst = (choose(differences, key=lambda name: sign * differences[name]) for choose in (max, min))
    range_text = f"from {differences[best]:+.4f} ({best}) to {differences[worst]:+.4f} ({worst})"
    names = " and ".join(pair_names(comparison, pair, first))
    interaction = comparison.interaction
    if interaction is None or np.isnan(interaction.test.pvalue[pair]):
        return [f"The difference between {names} goes {range_text}."]
    p = float(interaction.pvalue_corrected[pair])
    is_corrected = abs(p - float(interaction.test.pvalue[pair])) > 5e-5
    p_name = "corrected p" if is_corrected else "p"
    test_text = (
        f"({p_name} {format_p_value(p)}, {TEST_NAMES[interaction.test.test]} of {interaction.test.n_groups} groups)"
    )
    if at_most(np.array(p), comparison.alpha):
        return [f"The difference between {names} varies with the group, {range_text} {test_text}."]
    return [
        f"The difference between {names} goes {range_text}. It was not shown to vary with the group {test_text}; that "
        "does not show that it is the same in all."
    ]


def turn_sentences(comparison: MeasureComparison, pair: int, first: int) -> list[str]:
    """The groups in which the other system is ahead."""
    turned = [name for name, turns in comparison.turns.items() if turns[pair]]
    if not turned:
        return []
    ahead, behind = pair_names(comparison, pair, first)
    if comparison.measure_values.sign * turned_difference(comparison, pair, first) < 0:
        ahead, behind = behind, ahead
    significant = [name for name in turned if comparison.groups[name].decisions[pair]]
    adverb = "significantly " if significant == turned else ""
    part_text = f" (significantly in {join_names(significant)})" if significant and significant != turned else ""
    place = f"In {join_names(turned)}, {behind} is {adverb}ahead{part_text}"
    sentence = f"{place}, though {ahead} is ahead on all queries together."
    if 2 * len(turned) <= len(comparison.groups):
        return [sentence]
    return [
        sentence,
        f"This is Simpson's paradox: {len(turned):,} of {pluralise(len(comparison.groups), 'group')} contradict the "
        "whole.",
    ]


def group_columns(
    result: Comparison, comparison: MeasureComparison, pairs: np.ndarray, names: list[str]
) -> list[Column | None]:
    """A row for each pair and group, and one of each pair for all queries; the better system first."""
    parts = [*((name, comparison.groups[name]) for name in names), ("all", comparison)]
    sign = comparison.measure_values.sign
    better_first = (
        np.where(sign * comparison.difference >= 0, 1, -1)
        if result.baseline is None
        else np.ones(comparison.first.size, np.int64)
    )
    rows = [(name, part, int(pair), int(better_first[pair])) for pair in pairs for name, part in parts]
    firsts = [int((part.first if turn > 0 else part.second)[pair]) for _, part, pair, turn in rows]
    seconds = [int((part.second if turn > 0 else part.first)[pair]) for _, part, pair, turn in rows]
    is_single = pairs.size == 1
    systems = [[comparison.systems[system] for system in places] for places in (firsts, seconds)]
    has_clusters = comparison.measure_values.clusters is not None
    ends = [
        (part.low[pair], part.high[pair]) if turn > 0 else (-part.high[pair], -part.low[pair])
        for _, part, pair, turn in rows
    ]
    return [
        None if is_single else column("ahead" if result.baseline is None else "system", systems[0], name=True),
        None if is_single else column("of", systems[1], name=True),
        column("group", [name for name, *_ in rows], name=True),
        column("queries", [part.n for _, part, *_ in rows], thousands),
        column("clusters", [part.measure_values.n_clusters for _, part, *_ in rows], thousands)
        if has_clusters
        else None,
        *(mean_columns(comparison, rows, firsts[0], seconds[0]) if is_single else []),
        column("difference", [turn * part.difference[pair] for _, part, pair, turn in rows], digits(signed=True)),
        interval_column(comparison, ends),
        *p_columns(result, rows),
    ]


def mean_columns(
    comparison: MeasureComparison, rows: list[tuple[str, MeasureComparison, int, int]], *systems: int
) -> list[Column]:
    """The means of these systems in each row."""
    return [
        column(comparison.systems[system], [part.means[system] for _, part, *_ in rows], digits()) for system in systems
    ]


def p_columns(result: Comparison, rows: list[tuple[str, MeasureComparison, int, int]]) -> list[Column | None]:
    """The p-values or probabilities of these rows, and of each pair whether its difference varies with the group."""
    if result.settings.is_bayesian:
        posteriors = [
            part.test_results.posterior[::turn, pair]
            for _, part, pair, turn in rows
            if part.test_results.posterior is not None
        ]
        return [
            column(title, [posterior[place] for posterior in posteriors], digits(3))
            for place, title in enumerate(("P(worse)", "P(equal)", "P(better)"))
        ]
    has_single = not result.settings.tests_all_systems
    has_corrected = not has_single or result.settings.correction != "none"
    interactions = [
        np.nan if part.interaction is None else part.interaction.pvalue_corrected[pair] for _, part, pair, _ in rows
    ]
    return [
        column("p", [part.pvalue[pair] for _, part, pair, _ in rows], format_p_cell) if has_single else None,
        column("p corrected", [part.pvalue_corrected[pair] for _, part, pair, _ in rows], format_p_cell)
        if has_corrected
        else None,
        column("p varies", interactions, format_p_cell) if len(rows) > len({name for name, *_ in rows}) else None,
    ]


def correction_notes(result: Comparison, comparison: MeasureComparison) -> list[str]:
    """What corrected p-values and intervals are corrected for."""
    settings, n_pairs = result.settings, comparison.first.size
    if settings.is_bayesian or (settings.correction == "none" and not settings.tests_all_systems):
        return ["intervals and tests: each for itself"]
    n_groups = pluralise(len(comparison.groups), "group")
    scope = n_groups if n_pairs == 1 else f"{n_groups} and {n_pairs:,} pairs together"
    measures = " and all measures" if settings.family == "all" and len(result.comparisons) > 1 else ""
    note = f"p corrected: in groups for {scope}{measures}"
    notes = [note if settings.method.has_intervals else f"{note}; intervals: each for itself"]
    if n_pairs > 1:
        notes.append("p varies: whether the difference varies with the group, corrected for the number of pairs")
    return notes


def group_figure(comparison: MeasureComparison, pair: int, first: int, names: list[str]) -> Figure:
    """A figure of the difference of a pair in each group and on all queries."""
    parts = [*(comparison.groups[name] for name in names), comparison]
    turn = 1 if comparison.first[pair] == first else -1
    ends = [drawn_ends(part, pair)[::turn] for part in parts]
    ahead, behind = pair_names(comparison, pair, first)
    return Figure(
        "group_differences",
        {
            "measure": comparison.measure_values.label,
            "system_a": ahead,
            "system_b": behind,
            "groups": tuple(names),
            "differences": tuple(turn * float(part.difference[pair]) for part in parts),
            "low": tuple(turn * float(low) for low, _ in ends),
            "high": tuple(turn * float(high) for _, high in ends),
            "n_queries": tuple(part.n for part in parts),
            "higher_is_better": comparison.measure_values.sign > 0,
            "interval": f"{format_percent(1 - comparison.alpha)} {interval_word(comparison)}",
        },
    )


def drawn_ends(comparison: MeasureComparison, pair: int) -> tuple[float, float]:
    """The ends of the interval of a pair; that of a one-sided test reaches from its bound to the difference."""
    low, high, difference = (float(x[pair]) for x in (comparison.low, comparison.high, comparison.difference))
    return (difference if np.isinf(low) else low, difference if np.isinf(high) else high)
