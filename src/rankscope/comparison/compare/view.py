"""The view of a comparison: sentences that claim no more than the test shows, query by query, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues, extreme_queries, gains_of
from rankscope.data.section import Cell, Figure, Marked, Section, Table
from rankscope.data.text import (
    first_names,
    format_chance,
    format_interval,
    format_number,
    format_p_cell,
    format_p_value,
    format_percent,
    join_names,
    pluralise_queries,
)
from rankscope.kernels.ties import NOISE, at_most, order_of
from rankscope.stats.intervals import bootstrap_interval, t_interval

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison, MeasureComparison

__all__ = [
    "comparison_sentence",
    "differences_figure",
    "extremes_table",
    "leading_systems",
    "letter",
    "query_section",
    "sections_of",
]


#: Means that agree to this share of the greatest are one.
ROUNDING = 1e-12


def comparison_sentence(result: Comparison, part: MeasureComparison) -> str:
    """What one measure says, in one to three sentences."""
    if part.first.size == 1:
        return of_pair(result, part)
    return against_baseline(result, part) if result.baseline is not None else of_all(result, part)


def of_pair(result: Comparison, part: MeasureComparison) -> str:
    """The better one first, how much better, and how easily that comes about by chance."""
    sign = part.matched.sign
    swap = sign * part.difference[0] < 0
    a, b = int(part.first[0]), int(part.second[0])
    a, b = (b, a) if swap else (a, b)
    first, second = part.systems[a], part.systems[b]
    if part.equal[0]:
        return (
            f"{first} and {second} have the same {part.measure} on every one of {pluralise_queries(part.n)}: between "
            f"them there is no difference to test{' (p = 1)' if part.tested.posterior is None else ''}."
        )
    ends = (-part.high[0], -part.low[0]) if swap else (part.low[0], part.high[0])
    size = abs(part.difference[0])
    ends = ends if sign > 0 else (-ends[1], -ends[0])
    within = ""
    if not np.isnan(ends[0]):
        within = f" ({format_percent(1 - part.level)} interval {ends[0]:.4f} to {ends[1]:.4f})"
    facts = (
        f"its mean {part.matched.label} on {pluralise_queries(part.n)} is {part.means[a]:.4f} against "
        f"{part.means[b]:.4f}, {'higher' if sign > 0 else 'lower'} by {size:.4f}{within}"
    )
    if size <= ROUNDING * np.abs(part.means).max():
        return (
            f"{first} and {second} have the same mean {part.matched.label}, {part.means[a]:.4f} on "
            f"{pluralise_queries(part.n)}{within}. That they differ was not shown; nor are they shown to be equal."
        )
    if part.tested.posterior is not None and not np.isnan(part.tested.posterior).any():
        return by_probability(result, part, first, second, facts, swap)
    p = float(part.pvalue[0] if not np.isnan(part.pvalue[0]) else part.pvalue_corrected[0])
    if np.isnan(p):
        return f"{first} is ahead of {second}: {facts}. How sure that is cannot be told from these values."
    chance = by_chance(result, part, p)
    if part.found[0]:
        return f"On queries like these, {first} is better than {second}: {facts}. {chance}"
    asked = f"{first} and {second} differ"
    if result.settings.alternative != "two-sided":
        word = "higher" if result.settings.alternative == "greater" else "lower"
        asked = f"{part.systems[part.first[0]]} has {word} values than {part.systems[part.second[0]]}"
    return (
        f"It was not shown that {asked}. {first} is ahead: {facts}. {chance} That does not show them to be equal "
        "either."
    )


def by_chance(result: Comparison, part: MeasureComparison, p: float) -> str:
    """What p means; of one-sided tests, for differences in the direction asked for."""
    what = "a difference as large"
    if result.settings.alternative != "two-sided":
        word = "high" if result.settings.alternative == "greater" else "low"
        what = f"values of {part.systems[part.first[0]]} as {word} beside those of {part.systems[part.second[0]]}"
    corrected = float(part.pvalue_corrected[0])
    family = f", {corrected:.4f} corrected for the number of tests" if abs(corrected - p) > 5e-5 else ""
    return (
        f"Were both equally good, {what} would still come about by chance {format_chance(p)} such comparisons "
        f"(p {format_p_value(p)}{family}, {result.settings.test})."
    )


def by_probability(result: Comparison, part: MeasureComparison, first: str, second: str, facts: str, swap: bool) -> str:
    assert part.tested.posterior is not None  # of Bayesian tests only
    worse, equal, better = part.tested.posterior[:, 0].tolist()
    worse, better = (better, worse) if swap else (worse, better)
    rope = result.settings.rope
    same = f", that they are within {rope:g} of each other {equal:.3f}," if rope else ""
    return (
        f"{first} is ahead of {second}: {facts}. The probability that it is better is {better:.3f}{same} and that it "
        f"is worse {worse:.3f}."
    )


def of_all(result: Comparison, part: MeasureComparison) -> str:
    """Who leads, by how much over the next and how sure that is; whom it beats, and how many pairs differ."""
    best = int(part.order[0])
    beaten = int(part.beats[best].sum())
    others = len(part.systems) - 1
    word = "highest" if part.matched.sign > 0 else "lowest"
    value = f"{part.means[best]:.4f} on {pluralise_queries(part.n)}"
    mean = f"{part.systems[best]} has the {word} mean {part.matched.label}: {value}"
    open_ = [part.systems[s] for s in part.order.tolist() if s != best and not part.beats[best, s]]
    if beaten == others:
        said = f"it is better than each of the {others} other systems"
    elif beaten:
        said = (
            f"it is better than {beaten} of the {others} other systems; that it is better than {join_names(open_)} was "
            "not shown"
        )
    else:
        said = f"that it is better than any of the {others} others was not shown"
    differ = int(np.count_nonzero(part.found))
    return (
        f"{mean}, {lead(part)}. On queries like these, {said}; {differ:,} of all {part.first.size:,} pairs "
        f"{'was' if differ == 1 else 'were'} shown to differ{how(result)}."
    )


def lead(part: MeasureComparison) -> str:
    """How far the best system is ahead of the next, and how sure that is."""
    best, second = part.order[:2].tolist()
    i = part.pair(best, second)
    size = abs(float(part.difference[i]))
    if size <= ROUNDING * np.abs(part.means).max():
        return f"as has {part.systems[second]}"
    p = float(part.pvalue_corrected[i])
    sure = "" if np.isnan(p) else f" (p {format_p_value(p)})"
    if part.tested.posterior is not None and not np.isnan(part.tested.posterior[:, i]).any():
        better = float(part.tested.posterior[2 if part.first[i] == best else 0, i])
        sure = f" (better with a probability of {better:.3f})"
    return f"{size:.4f} {'above' if part.matched.sign > 0 else 'below'} that of {part.systems[second]}, the next{sure}"


def against_baseline(result: Comparison, part: MeasureComparison) -> str:
    """Who is better than the baseline, who worse, and of whom neither was shown."""
    base = int(part.second[0])
    found = dict(zip(part.first.tolist(), part.found.tolist(), strict=True))
    better, worse, neither = (
        [part.systems[s] for s in part.order.tolist() if s != base and found[s] == sign] for sign in (1, -1, 0)
    )
    said = []
    if better:
        said.append(f"{join_names(better)} {'is' if len(better) == 1 else 'are'} better")
    if worse:
        said.append(f"{join_names(worse)} {'is' if len(worse) == 1 else 'are'} worse")
    if neither:
        said.append(f"of {join_names(neither)} neither was shown")
    return (
        f"Against {result.baseline}, with a mean {part.matched.label} of {part.means[base]:.4f} on "
        f"{pluralise_queries(part.n)}: on queries like these, {'; '.join(said)}{how(result)}."
    )


def how(result: Comparison) -> str:
    """Which test, in brackets."""
    settings = result.settings
    if settings.bayesian:
        return f" (probability of at least {1 - settings.level:g})"
    by = f", {settings.correction}" if not settings.of_all and settings.correction != "none" else ""
    return f" (test {settings.test}{by}, level {settings.level:g})"


#: Unanswered queries named.
MOST_IN_NOTE = 20


def query_section(result: Comparison, part: MeasureComparison, *, folded: bool = True) -> Section:
    """The two systems that matter most: the pair; the best one and the baseline; or the best two."""
    a, b = leading_systems(result, part)
    names = part.systems[a], part.systems[b]
    ids = [result.scores.query_ids[q] for q in part.matched.queries.tolist()]
    gain = gains_of(part.matched, a, b)
    order = order_of(-gain)
    return Section(
        title=f"{part.measure}, query by query: {names[0]} and {names[1]}",
        sentence=" ".join([win_counts(names, gain), *hangs_on(names, gain, order)]),
        table=extremes_table(part.matched, ids, a, b),
        figure=differences_figure(part.matched, ids, a, b),
        notes=unanswered(part, ids),
        folded=folded,
    )


def extremes_table(matched: MeasureValues, ids: Sequence[str], a: int, b: int) -> Table | None:
    """The queries that system a helps most against b, then those that it hurts most; None where all are equal."""
    gain = gains_of(matched, a, b)
    rows: list[tuple[Cell, ...]] = []
    for word, found in zip(("helped", "hurt"), extreme_queries(gain), strict=True):
        for q in found.tolist():
            cells = [f"{matched.values[s, q]:.4f}" for s in (a, b)]
            rows.append((word, ids[q], *cells, format_number(matched.sign * gain[q], signed=True)))
    columns = ("most", "query", matched.systems[a], matched.systems[b], "difference")
    return Table(columns=columns, rows=tuple(rows), left=2) if rows else None


def differences_figure(matched: MeasureValues, ids: Sequence[str], a: int, b: int) -> Figure:
    """Two systems query by query. ids: of the n queries."""
    return Figure(
        "query_differences",
        {
            "measure": matched.label,
            "system_a": matched.systems[a],
            "system_b": matched.systems[b],
            "query_ids": tuple(ids),
            "differences": tuple((matched.sign * gains_of(matched, a, b)).tolist()),
            "values_a": tuple(matched.values[a].tolist()),
            "values_b": tuple(matched.values[b].tolist()),
            "higher_is_better": matched.sign > 0,
        },
    )


def leading_systems(result: Comparison, part: MeasureComparison) -> tuple[int, int]:
    """The better one first, unless the other is the baseline."""
    first, second = part.order[:2].tolist()
    if result.baseline is None:
        return first, second
    base = int(part.second[0])
    return (first if first != base else second), base


def win_counts(names: tuple[str, str], gain: np.ndarray) -> str:
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    ties = gain.size - wins - losses
    equal = f", and on {ties} both are equal" if ties else ""
    return f"Of {gain.size:,} queries, {names[0]} is better on {wins:,} and {names[1]} on {losses:,}{equal}."


def hangs_on(names: tuple[str, str], gain: np.ndarray, order: np.ndarray) -> list[str]:
    """How few queries the lead hangs on: without so many of those that help the leader most, the other leads."""
    total = float(gain.sum())
    if total == 0 or gain.size < 2:
        return []
    leader, rival = names if total > 0 else names[::-1]
    falling = gain[order] if total > 0 else -gain[order[::-1]]
    left = abs(total) - np.cumsum(falling)
    n = int(np.argmax(left <= NOISE * np.abs(gain).sum())) + 1
    if n >= gain.size:
        return []
    which = "the query that helps" if n == 1 else f"the {n:,} queries that help"
    return [f"Without {which} {leader} most, it would not be ahead of {rival}."]


def unanswered(part: MeasureComparison, ids: list[str]) -> tuple[str, ...]:
    """Queries on which every system has the worst value that there is, 0."""
    if part.matched.sign < 0:
        return ()
    values = part.matched.values
    none = np.flatnonzero((values.max(axis=0) <= 0) & (values.min(axis=0) >= 0)).tolist()
    if not none:
        return ()
    named = first_names((ids[q] for q in none), MOST_IN_NOTE)
    are = "is" if len(none) == 1 else "are"
    return (f"{pluralise_queries(len(none))} {are} unanswered, 0 for every system: {named}",)


#: Pairs of more systems than these are left to the tidy table.
MOST_PAIRS = 45
#: Of more pairs than these, bootstrap intervals and effect sizes are not listed.
MOST_SIZES = 15
#: A matrix of more systems than these cannot be read.
MOST_IN_MATRIX = 40
#: Corrected p-values up to these get that many stars.
STARS = ((0.001, "***"), (0.01, "**"))


def sections_of(result: Comparison) -> list[Section]:
    """By measure: who leads, then pair by pair."""
    sections = []
    for part in result.parts:
        sections.append(leaderboard(result, part))
        if result.baseline is None:
            sections.append(pair_by_pair(result, part))
        sections += effect_size_sections(result, part)
        sections.append(query_section(result, part))
    return sections


def letter(i: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    text = ""
    i += 1
    while i:
        i, rest = divmod(i - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def beaten_letters(places: list[int], m: int) -> str:
    """The letters of the systems at these places; three and more in a row as a-c, and commas where letters are two."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    texts = []
    for run in runs:
        texts += [f"{letter(run[0])}-{letter(run[-1])}"] if len(run) > 2 else [letter(place) for place in run]
    return ("," if m > 26 else "").join(texts)


def stars(p: float, level: float) -> str:
    """How small a corrected p-value is; nothing above the level."""
    if not at_most(p, level):
        return ""
    return next((marks for bound, marks in STARS if at_most(p, min(bound, level))), "*")


def leaderboard(result: Comparison, part: MeasureComparison) -> Section:
    """Systems, best first; the best in bold; behind the mean, whom it beats (all pairs) or stars (a baseline)."""
    interval = t_interval(part.matched.values, confidence_level=1 - part.level)
    low, high = (np.where(interval.degenerate, np.nan, ends_) for ends_ in (interval.low, interval.high))
    table = ranked_table(part, low, high) if result.baseline is None else against_table(result, part)
    order = part.order.tolist()
    shown = {
        "systems": tuple(part.systems[s] for s in order),
        "means": tuple(part.means[order].tolist()),
        "low": tuple(low[order].tolist()),
        "high": tuple(high[order].tolist()),
        "measure": part.measure,
        "baseline": result.baseline,
        "higher_is_better": part.matched.sign > 0,
        "interval": f"{format_percent(1 - part.level)} interval",
    }
    return Section(
        title=f"{part.measure} on {pluralise_queries(part.n)}",
        sentence=comparison_sentence(result, part),
        table=table,
        figure=Figure("leaderboard", shown),
        notes=legend(result, part),
    )


def legend(result: Comparison, part: MeasureComparison) -> tuple[str, ...]:
    """What letters or stars behind a mean say, where there are any."""
    if result.baseline is None:
        return ("letters behind a mean: the systems that this one was shown to be better than",) * bool(
            part.beats.any()
        )
    if not part.found.any():
        return ()
    if result.settings.bayesian:
        return (f"*: better or worse than the baseline with a probability of at least {1 - part.level:g}",)
    below = [f"{marks} at {bound:g}" for bound, marks in reversed(STARS) if bound < part.level]
    return (f"{', '.join([f'* differs from the baseline at level {part.level:g}', *below])}",)


def ranked_table(part: MeasureComparison, low: np.ndarray, high: np.ndarray) -> Table:
    m = len(part.systems)
    order = part.order
    beats = part.beats[np.ix_(order, order)]
    rows: list[tuple[Cell, ...]] = []
    for place, s in enumerate(order.tolist()):
        raised = beaten_letters(np.flatnonzero(beats[place]).tolist(), m)
        row: list[Cell] = [letter(place), part.systems[s]]
        row += [Marked(f"{part.means[s]:.4f}", bold=place == 0, raised=raised), format_interval(low[s], high[s])]
        if part.clusters is not None and m > 2:
            best, worst = int(part.clusters.rank_low[s]), int(part.clusters.rank_high[s])
            row.append(f"{best}" if best == worst else f"{best}-{worst}")
        rows.append(tuple(row))
    ranks = ("ranks left",) if part.clusters is not None and m > 2 else ()
    columns = ("", "system", "mean", f"{format_percent(1 - part.level)} interval", *ranks)
    return Table(columns=columns, rows=tuple(rows), left=2)


def against_table(result: Comparison, part: MeasureComparison) -> Table:
    base = int(part.second[0])
    place = {int(s): i for i, s in enumerate(part.first.tolist())}
    columns = pair_columns(result, part)
    rows: list[tuple[Cell, ...]] = []
    for s in part.order.tolist():
        raised = ""
        if s != base:
            i = place[s]
            raised = (stars(float(part.pvalue_corrected[i]), part.level) or "*") if part.found[i] else ""
        mean = Marked(f"{part.means[s]:.4f}", bold=s == part.order[0], raised=raised)
        cells = pair_cells(result, part, place[s]) if s != base else ["baseline", *[""] * (len(columns) - 1)]
        rows.append((part.systems[s], mean, *cells))
    return Table(columns=("system", "mean", *columns), rows=tuple(rows), left=1)


def is_corrected(result: Comparison) -> bool:
    """Whether more than one p-value was corrected for their number."""
    together = result.parts if result.settings.family == "all" else result.parts[:1]
    return result.settings.correction != "none" and sum(part.first.size for part in together) > 1


def pair_columns(result: Comparison, part: MeasureComparison) -> list[str]:
    tests = ["p", "p corrected"]
    if result.settings.of_all:
        tests = ["p corrected"]
    elif result.settings.bayesian:
        tests = ["P(worse)", "P(equal)", "P(better)"]
    elif not is_corrected(result):
        tests = ["p"]
    return [
        "difference",
        f"{format_percent(1 - part.level)} interval",
        *tests,
        "effect d",
        "better on",
        "wins/ties/losses",
    ]


def pair_cells(result: Comparison, part: MeasureComparison, i: int, sign: int = 1) -> list[str]:
    """A pair's numbers. sign: -1 to show it the other way round."""
    effects, tested = part.tested.effects, part.tested
    low, high = (part.low[i], part.high[i]) if sign > 0 else (-part.high[i], -part.low[i])
    wins, ties, losses = (int(x[i]) for x in (effects.wins, effects.ties, effects.losses))
    wins, losses, better = (
        (wins, losses, effects.superiority[i]) if sign > 0 else (losses, wins, 1 - effects.superiority[i])
    )
    tests = [format_p_cell(part.pvalue[i]), format_p_cell(part.pvalue_corrected[i])]
    if result.settings.of_all:
        tests = tests[1:]
    elif tested.posterior is not None:
        tests = [format_number(p, 3) for p in tested.posterior[::sign, i].tolist()]
    elif not is_corrected(result):
        tests = tests[:1]
    cells = [format_number(sign * part.difference[i], 4, signed=True), format_interval(low, high), *tests]
    cells += [format_number(sign * part.effect_size[i], 2, signed=True), f"{100 * better:.0f} %"]
    return [*cells, f"{wins}/{ties}/{losses}"]


def pair_by_pair(result: Comparison, part: MeasureComparison) -> Section:
    """Every pair, the better system first; of two systems the BCa interval too."""
    m, pairs = len(part.systems), part.first.size
    title = f"{part.measure}, pair by pair" if pairs > 1 else f"{part.measure}: the difference"
    if pairs > MOST_PAIRS:
        return Section(
            title=title,
            sentence=f"The {pairs:,} pairs are in the tidy table (--format csv, or frame() in Python).",
            figure=matrix_figure(part) if m <= MOST_IN_MATRIX else None,
            folded=True,
        )
    rank, signs = np.argsort(part.order), leading_side(result, part)
    above, below = np.where(signs > 0, part.first, part.second), np.where(signs > 0, part.second, part.first)
    rows = []
    for i in np.lexsort((rank[below], rank[above])).tolist():
        names = (part.systems[above[i]], part.systems[below[i]])
        rows.append((*names, *pair_cells(result, part, i, int(signs[i]))))
    return Section(
        title=title,
        table=Table(columns=("ahead", "of", *pair_columns(result, part)), rows=tuple(rows), left=2),
        figure=matrix_figure(part) if pairs > 1 else None,
    )


def leading_side(result: Comparison, part: MeasureComparison) -> npt.NDArray[np.int64]:
    """(pairs) 1 where the first system is shown first, -1 the second: the better one, or the one beside a baseline."""
    if result.baseline is not None:
        return np.ones(part.first.size, np.int64)
    rank = np.argsort(part.order)
    return np.where(rank[part.first] < rank[part.second], 1, -1)


def effect_size_sections(result: Comparison, part: MeasureComparison) -> list[Section]:
    """Of each pair, the bootstrap interval beside Student's, and what else says how large the difference is."""
    vary = ~(part.tested.degenerate | part.equal)
    if part.first.size > MOST_SIZES or part.n < 2 or not vary.any():
        return []
    settings, effects = result.settings, part.tested.effects
    sign = leading_side(result, part)
    a, b = np.where(sign > 0, part.first, part.second), np.where(sign > 0, part.second, part.first)
    level = 1 - part.level
    differences = part.matched.differences(a[vary], b[vary])
    student = t_interval(differences, confidence_level=level)
    bca = bootstrap_interval(differences, confidence_level=level, n_resamples=settings.n_resamples, rng=settings.seed)
    rows: list[tuple[Cell, ...]] = []
    for k, i in enumerate(np.flatnonzero(vary).tolist()):
        low, high = (effects.low[i], effects.high[i]) if sign[i] > 0 else (-effects.high[i], -effects.low[i])
        cells = [
            format_number(sign[i] * part.difference[i], signed=True),
            format_interval(student.low[k], student.high[k]),
        ]
        cells += [
            format_interval(bca.low[k], bca.high[k]),
            format_number(sign[i] * effects.cohens_d[i], 2, signed=True),
        ]
        cells += [format_interval(low, high, 2), format_number(sign[i] * effects.hedges_g[i], 2, signed=True)]
        rows.append((part.systems[a[i]], part.systems[b[i]], *cells))
    first = "ahead" if result.baseline is None else "system"
    columns = (first, "of", "difference", "t interval", "BCa interval", "Cohen's d", "its interval", "Hedges' g")
    text = f"Intervals hold the true value in {format_percent(1 - part.level)} of cases, each for itself, uncorrected."
    title = f"{part.measure}: intervals and effect sizes"
    return [Section(title=title, sentence=text, table=Table(columns=columns, rows=tuple(rows), left=2), folded=True)]


def matrix_figure(part: MeasureComparison) -> Figure:
    """All pairs as a matrix, systems best first."""
    m = len(part.systems)
    differences, pvalues = np.zeros((m, m)), np.full((m, m), np.nan)
    p = part.pvalue_corrected
    criterion = None
    if part.tested.posterior is not None:  # the probability of not being better, so that small means sure here as well
        p = 1 - part.tested.posterior[[0, 2]].max(axis=0)
        criterion = f"probability of one to be better of at least {format_percent(1 - part.level)}"
    differences[part.first, part.second], differences[part.second, part.first] = part.difference, -part.difference
    pvalues[part.first, part.second] = pvalues[part.second, part.first] = p
    order = np.ix_(part.order, part.order)
    return Figure(
        "significance_matrix",
        {
            "systems": tuple(part.systems[s] for s in part.order.tolist()),
            "differences": tuple(map(tuple, differences[order].tolist())),
            "pvalues": tuple(map(tuple, pvalues[order].tolist())),
            "level": part.level,
            "measure": part.measure,
            **({} if criterion is None else {"criterion": criterion}),
        },
    )
