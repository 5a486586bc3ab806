"""All systems by all measures in one table, for the first look and for a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.comparison.compare.columns import beaten_letters, interval_word, letter, mean_intervals, pair_columns
from rankscope.comparison.compare.leaders import withheld_sentence
from rankscope.data.columns import Column, column, digits, interval, is_best, table_of
from rankscope.data.section import Section
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries

if TYPE_CHECKING:
    from rankscope.comparison.compare.paper import PaperTable
    from rankscope.comparison.compare.result import Comparison, MeasureComparison

__all__ = [
    "all_measures_section",
    "paper_sections",
    "test_clause",
]


#: Marks behind the mean of a system that is significantly better, or worse, than the baseline.
BETTER, WORSE = "▲", "▼"
#: The titles of the columns of `pair_columns` by their name in `table_columns`; the first that the test has.
PAIR_TITLES: Mapping[str, tuple[str, ...]] = {
    "difference": ("difference",),
    "p": ("p corrected", "p", "P(better)"),
    "effect": ("effect d",),
}


def all_measures_section(result: Comparison, further_columns: Sequence[Column] = ()) -> Section:
    """The means of all systems by all measures, the systems best first by the first measure.

    further_columns: means by measures that allow no comparison, of the systems in that order.
    """
    columns = [mean_column(result, comparison) for comparison in result.comparisons]
    return Section(
        title=f"{pluralise(len(result.scores.systems), 'system')} by {pluralise(len(columns), 'measure')}",
        sentence=leaders_sentence(result),
        table=table_of(*name_columns(result), *columns, *further_columns),
        notes=legend(result),
    )


def paper_sections(table: PaperTable) -> list[Section]:
    """The table alone, with the columns of the settings."""
    result, names = table.comparison, table.settings.table_columns
    columns = [
        column
        for comparison in result.comparisons
        for name in names
        for column in columns_of_measure(result, comparison, name, is_named="mean" in names)
    ]
    n_queries = list(dict.fromkeys(comparison.n for comparison in result.comparisons))
    queries = " or ".join([*(f"{n:,}" for n in n_queries[:-1]), pluralise_queries(n_queries[-1])])
    systems = pluralise(len(result.scores.systems), "system")
    return [
        Section(
            title=f"{systems} on {queries}",
            table=table_of(*name_columns(result), *columns),
            notes=(*(legend(result, names_test=True) if "mean" in names else ()), *column_notes(result, names)),
        )
    ]


def column_notes(result: Comparison, names: Sequence[str]) -> tuple[str, ...]:
    """What the columns beside the means hold."""
    word = "interval" if result.baseline is None else interval_word(result.comparisons[0])
    reference = "the mean" if result.baseline is None else f"the difference from {result.baseline}"
    correction = "" if result.settings.tests_all_systems else f", correction: {result.settings.correction}"
    p_note = f"p: of the difference from {result.baseline} (test: {result.settings.test}{correction})"
    texts = {
        "interval": f"{format_percent(1 - result.settings.alpha)} {word}: of {reference}",
        "difference": f"difference: from {result.baseline}",
        "p": "" if result.settings.is_bayesian else p_note,
        "effect": "effect d: the mean difference over the standard deviation of the differences",
    }
    return tuple(texts[name] for name in names if texts.get(name))


def name_columns(result: Comparison) -> list[Column]:
    """The systems, best first by the first measure; without a baseline, each with its letter."""
    comparison = result.comparisons[0]
    names = [comparison.systems[system] for system in comparison.order.tolist()]
    letters = [] if result.baseline is not None else [column("", range(len(names)), letter, name=True)]
    return [*letters, column("system", names, name=True)]


def columns_of_measure(
    result: Comparison, comparison: MeasureComparison, name: str, *, is_named: bool
) -> tuple[Column, ...]:
    """The column of this name. is_named: whether a column of means before it has the name of the measure."""
    if name == "mean":
        return (mean_column(result, comparison),)
    prefix = "" if is_named else f"{comparison.measure} "
    if result.baseline is None:
        order = result.comparisons[0].order
        low, high = mean_intervals(result, comparison)
        title = f"{prefix}{format_percent(1 - comparison.alpha)} interval"
        return (column(title, zip(low[order], high[order], strict=True), interval()),)
    return (pair_column(result, comparison, name, prefix),)


def pair_column(result: Comparison, comparison: MeasureComparison, name: str, prefix: str) -> Column:
    """A number of each system's comparison with the baseline, whose own cell is empty."""
    order = result.comparisons[0].order.tolist()
    pair_of_system = {system: pair for pair, system in enumerate(comparison.first.tolist())}
    pairs = [pair_of_system[system] for system in order if system in pair_of_system]
    columns = {own.title: own for own in pair_columns(result, comparison, np.array(pairs))}
    level = format_percent(1 - comparison.alpha)
    titles = PAIR_TITLES.get(name, (f"{level} interval", f"{level} bound"))
    own = next(columns[title] for title in titles if title in columns)
    cells = iter(own.cells)
    title = name if own.title == "p corrected" else own.title
    return Column(prefix + title, tuple(next(cells) if system in pair_of_system else "" for system in order), False)


def mean_column(result: Comparison, comparison: MeasureComparison) -> Column:
    """The means by a measure, the best in bold, with letters of beaten systems or marks against the baseline."""
    order = result.comparisons[0].order
    if result.baseline is None:
        beats = comparison.beats[np.ix_(order, order)]
        raised = [beaten_letters(np.flatnonzero(row).tolist(), order.size) for row in beats]
    else:
        signs = comparison.against_baseline[order]
        raised = [BETTER * bool(sign > 0) + WORSE * bool(sign < 0) for sign in signs]
    means = comparison.means[order]
    bold = is_best(comparison.measure_values.sign * means)
    return column(comparison.measure_values.label, means, digits(), bold=bold, raised=raised)


def leaders_sentence(result: Comparison) -> str:
    """Which systems have the best mean by which measures."""
    withheld = [comparison for comparison in result.comparisons if comparison.withheld.any()]
    withheld_text = f"{withheld_sentence(withheld[0])} " if withheld else ""
    measures_of: dict[str, list[str]] = {}
    for comparison in result.comparisons:
        unjudged = comparison.measure_values.unjudged
        judged = [system for system in comparison.order.tolist() if system not in unjudged]
        best = is_best(comparison.measure_values.sign * comparison.means[judged])
        leaders = [comparison.systems[system] for system, leads in zip(judged, best, strict=True) if leads]
        if leaders:
            measures_of.setdefault(join_names(leaders), []).append(comparison.measure)
    if len(measures_of) == 1:
        leaders_text, measures = next(iter(measures_of.items()))
        if len(measures) == len(result.comparisons) > 1:
            return f"{withheld_text}Best mean by every measure: {leaders_text}."
    clauses = [f"{leaders_text} by {join_names(measures)}" for leaders_text, measures in measures_of.items()]
    return f"{withheld_text}Best mean: {'; '.join(clauses)}." if clauses else withheld_text.strip()


def legend(result: Comparison, *, names_test: bool = False) -> tuple[str, ...]:
    """What the marks of the means say, if there are any. names_test: whether nothing else says which test it was."""
    settings = result.settings
    adverb = "" if settings.is_bayesian else "significantly "
    certainty = (
        f"probability of at least {1 - settings.alpha:g}" if settings.is_bayesian else f"level {settings.alpha:g}"
    )
    certainty = test_clause(result).strip(" ()") if names_test else certainty
    if not any(comparison.decisions.any() for comparison in result.comparisons):
        return ("bold: the best mean; no difference is significant",) if not settings.is_bayesian else ()
    if result.baseline is None:
        return (
            f"bold: the best mean; letters (superscripts): the systems that this one is {adverb}better than by that "
            f"measure ({certainty})",
        )
    return (
        f"bold: the best mean; {BETTER} {adverb}better than the baseline {result.baseline}, {WORSE} {adverb}worse "
        f"({certainty})",
    )


def test_clause(result: Comparison) -> str:
    """The test, its correction and its level, in brackets."""
    settings = result.settings
    if settings.is_bayesian:
        return f" (probability of at least {1 - settings.alpha:g})"
    correction = f", {settings.correction}" if not settings.tests_all_systems and settings.correction != "none" else ""
    side = "" if settings.alternative == "two-sided" else f", alternative {settings.alternative}"
    return f" (test {settings.test}{correction}{side}, level {settings.alpha:g})"
