"""What a statistician would want to know of a comparison: notes on its data and on its test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.comparison.methods import ComparisonSettings
from rankscope.comparison.tested import pair_slices
from rankscope.data.wording import format_p_value, pluralise_queries
from rankscope.stats.anova import two_way_anova
from rankscope.stats.friedman import friedman_test
from rankscope.stats.inputs import levelled
from rankscope.typing import Bools, Floats

if TYPE_CHECKING:
    from rankscope.comparison.comparison import MeasureComparison

__all__ = ["notes_on_measure"]

#: Of fewer queries, a note.
FEW = 25
#: From this share of ties on, a note.
MANY_TIES = 0.5
#: How many queries a t-test needs where differences are skewed: this times the square of their skewness (Cochran,
#: 1977, section 2.15, of means and their intervals).
COCHRAN = 25


def notes_on_measure(
    part: MeasureComparison, settings: ComparisonSettings, shown: Bools, family: int
) -> tuple[str, ...]:
    """Notes on one measure: few queries, ties, equal or constant differences, skewness, and on the test.

    shown: (pairs) where the test speaks for a difference. family: how many tests are corrected together.
    """
    notes = [*on_queries(part), *on_data(part), *on_test(part, settings), *on_chances(part, settings, family)]
    notes += [*on_direction(part, settings, shown), *omnibus_notes(part, settings)]
    return tuple(f"{part.measure}: {note}" for note in notes)


def on_queries(part: MeasureComparison) -> list[str]:
    if part.n == 1:
        return ["one query says nothing of how much queries vary: no test and no interval can be trusted"]
    if part.n < FEW:
        return [f"{part.n} queries are few: only large differences can be shown, and intervals are rough"]
    return []


def on_data(part: MeasureComparison) -> list[str]:
    notes = []
    if part.equal.any():
        so = "p is 1 and " if part.tested.posterior is None else ""
        notes.append(name_pairs(part, part.equal, f"the same values on every query: {so}nothing differs"))
    constant = part.tested.effects.degenerate & ~part.equal & (part.n > 1)
    if constant.any():
        notes.append(
            name_pairs(part, constant, "the same difference on every query: how it varies is not known, so that tests which "
                  "need a variance (t, bootstrap, bayes-t) say nothing; permutation and sign do")
        )  # fmt: skip
    tied = (part.tested.effects.ties > MANY_TIES * part.n) & ~part.equal
    if tied.any():
        notes.append(name_pairs(part, tied, "ties on more than half of the queries: the rest decides alone"))
    return notes


def on_test(part: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    notes = []
    if settings.method.normal and part.n > 1:
        skewed = COCHRAN * skewness(part) ** 2 > part.n
        if skewed.any():
            notes.append(
                name_pairs(
                    part, skewed, f"differences too skewed for t on {part.n} queries; check with test permutation"
                )
            )
    if settings.method.about in ("ranks", "signs"):
        notes.append(
            f"the test {settings.test} asks about medians, not means; studies disagree whether it finds too much on "
            "many queries (Parapar et al. 2020; Urbano et al. 2019), so that t or permutation is the safer choice"
        )
    return notes


def on_chances(part: MeasureComparison, settings: ComparisonSettings, family: int) -> list[str]:
    """How exact p is, and whether it could be small enough at all."""
    notes = []
    family = 1 if settings.of_all or settings.correction not in ("holm", "bonferroni") else family
    tests = "a pair" if family == 1 else f"any of {family:,} pairs"
    drawn = settings.method.resampled and bool(np.nan_to_num(part.tested.error).any())
    if drawn:
        what = "probabilities are" if settings.bayesian else "p is"
        notes.append(f"{what} from {settings.n_resamples:,} resamples, with a standard error of up to "
                     f"{np.nanmax(part.tested.error):.4f}")  # fmt: skip
        if not settings.bayesian and family / (settings.n_resamples + 1) > settings.level:
            notes.append(
                f"{settings.n_resamples:,} resamples cannot show {tests} to differ at level {settings.level:g}; ask "
                f"for {int(np.ceil(family / settings.level)):,} or more"
            )
    elif settings.method.counted and part.n < 60:
        least = (2.0 if settings.alternative == "two-sided" else 1.0) / 2.0**part.n
        if least * family > settings.level:
            notes.append(
                f"the test {settings.test} cannot show {tests} to differ on {pluralise_queries(part.n)}: its least p is "
                f"{least:.4g}, and the level {settings.level:g}"
            )
    return notes


def on_direction(part: MeasureComparison, settings: ComparisonSettings, shown: Bools) -> list[str]:
    """Where ranks or signs say one thing and means another; and that a one-sided test looks one way only."""
    notes = []
    apart = shown & (part.found == 0)
    if apart.any():
        which = name_pairs(part, apart, f"means in one order and the test {settings.test} in the other")
        notes.append(f"{which}: of neither is it said that it is better")
    if settings.alternative != "two-sided" and part.first.size > 1:
        first = "of each pair, that the first in the order given" if len(set(part.second.tolist())) > 1 else "that each"
        against = "" if len(set(part.second.tolist())) > 1 else f" than those of {part.systems[part.second[0]]}"
        word = "higher" if settings.alternative == "greater" else "lower"
        notes.append(f"only one thing was tested: {first} has {word} values{against}; the other side cannot be shown")
    return notes


def omnibus_notes(part: MeasureComparison, settings: ComparisonSettings) -> list[str]:
    """All systems at once, where all pairs were compared."""
    m = len(part.systems)
    if m < 3 or part.n < 2 or part.first.size != m * (m - 1) // 2:
        return []
    if settings.method.about == "mean ranks":
        found = friedman_test(part.matched.values)
        return [f"Friedman's test of all {m} systems at once: chi-square {found.statistic:.2f} with {m - 1} degrees of "
                f"freedom, p {format_p_value(found.pvalue)}"]  # fmt: skip
    table = two_way_anova(part.matched.values)
    if np.isnan(table.pvalue):
        return []
    return [f"all {m} systems at once (two-way ANOVA): F = {table.statistic:.2f} with {table.df_systems} and "
            f"{table.df_error} degrees of freedom, p {format_p_value(table.pvalue)}"]  # fmt: skip


def skewness(part: MeasureComparison) -> Floats:
    """(pairs) of the differences, 0 where they do not vary."""
    found = np.zeros(part.first.size)
    for here in pair_slices(part.first.size, part.n):
        d, _ = levelled(part.matched.differences(part.first[here], part.second[here]))
        d = d - d.mean(axis=1, keepdims=True)
        spread = (d * d).mean(axis=1)
        steady = part.tested.degenerate[here] | part.equal[here] | (spread == 0)
        found[here] = np.where(steady, 0.0, (d**3).mean(axis=1) / np.where(steady, 1.0, spread) ** 1.5)
    return found


def name_pairs(part: MeasureComparison, which: Bools, what: str) -> str:
    """The pair by name where it is one of few, else how many."""
    found = np.flatnonzero(which).tolist()
    if len(found) > 2:
        return f"{len(found)} of {which.size} pairs have {what}"
    names = [f"{part.systems[part.first[i]]} and {part.systems[part.second[i]]}" for i in found]
    return f"{' and '.join(names) if len(names) == 1 else '; '.join(names)} have {what}"
