"""The tables and figures of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.comparison.query_view import query_section
from rankscope.comparison.words import comparison_sentence
from rankscope.data.cells import format_interval, format_number
from rankscope.data.sections import Cell, Figure, Marked, Section, Table
from rankscope.data.wording import format_p_cell, format_percent, pluralise_queries
from rankscope.kernels.ties import at_most
from rankscope.stats.intervals import bootstrap_interval, t_interval

if TYPE_CHECKING:
    from rankscope.comparison.comparison import Comparison, MeasureComparison

__all__ = ["letter", "sections_of"]

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
