"""The view of a comparison of metrics: the table with ranks, every two metrics, ties, and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.agreement.direction import direction_notes
from rankscope.agreement.metrics.comparison import MetricComparison
from rankscope.agreement.metrics.metric_tests import TESTS
from rankscope.agreement.metrics.tasks import Task
from rankscope.agreement.segment_level import AVERAGE, ROWS_UNFOLDED
from rankscope.agreement.statistics import CalibrationCurve
from rankscope.data.columns import column, digits, rank_range, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_p_cell, join_names, pluralise
from rankscope.kernels.rounding_ties import at_most
from rankscope.typing import Floats

__all__ = [
    "sections_of",
]


#: The question that each test asks.
TEST_QUESTIONS = {
    "perm_both": "if two metrics were equally good, their scores could be swapped; scores are swapped at random",
    "boot_both": "whether the difference would hold for other systems and segments; both are resampled",
    "bootstrap": "whether the difference would hold for other segments; segments are resampled",
    "pair_swaps": "if two metrics were equally good, their decisions on each pair could be swapped",
    "williams": "whether the two correlations with people differ, by Williams' formula",
}
NAMES = {"bh": "Benjamini and Hochberg", "holm": "Holm", "bonferroni": "Bonferroni", "hochberg": "Hochberg"}
#: Where curves have a point, in percent of pairs that the metric ties.
STEPS = np.arange(0, 101, 2)


def sections_of(result: MetricComparison) -> tuple[Section, ...]:
    sections = [
        Section(
            title="Comparison of metrics",
            sentence=sentence_of(result),
            table=main_table(result),
            notes=notes_of(result),
        )
    ]
    last_column = len(result.pairs_and_statistics) - 1
    n_pairs = len(result.metrics) * (len(result.metrics) - 1) // 2
    sections.append(
        Section(title="Pairs of metrics", table=pair_table(result), folded=n_pairs * (last_column + 1) > ROWS_UNFOLDED),
    )
    sections.append(Section(title="Possible ranks", table=rank_ranges(result), folded=len(result.metrics) == 2))
    sections += [matrix(result, c, folded=c < last_column) for c in range(last_column, -1, -1) if was_tested(result, c)]
    if last_column:
        sections.append(Section(title="Tasks", table=tasks_table(result), folded=True))
    for c, curves in enumerate(result.curves):
        if curves and all(curve.epsilon.size for curve in curves):
            sections += ties(result, c, curves, folded=last_column > 0)
    return tuple(sections)


def was_tested(result: MetricComparison, c: int) -> bool:
    return bool(np.isfinite(result.pvalue[c]).any())


def headings(tasks: Sequence[Task]) -> list[str]:
    """A short name for each task: what distinguishes it from the others, or its language pair or statistic."""
    task_fields = [(task.pair, task.level, statistic_name(task.statistic), task.grouping) for task in tasks]
    varies = [len({fields[i] for fields in task_fields}) > 1 for i in range(4)]
    if not any(varies):
        return [task.pair or statistic_name(task.statistic) for task in tasks]
    varies[2] |= varies[1]
    # A grouping is shown only where nothing else tells tasks apart.
    varies[3] &= len({fields[:3] for fields in task_fields}) < len(task_fields)
    return [
        " ".join(text for text, is_shown in zip(fields, varies, strict=True) if is_shown and text) or "-"
        for fields in task_fields
    ]


def statistic_name(statistic: str) -> str:
    """The name of a statistic in plain text."""
    return statistic.replace("_", " ") if statistic.endswith("accuracy") else statistic


def column_titles(result: MetricComparison) -> list[str]:
    """The headings of the columns: tasks and, where there are several, the average."""
    titles = headings(result.tasks)
    return titles if len(titles) == 1 else [*titles, AVERAGE]


def order_of(result: MetricComparison) -> list[int]:
    """The metrics by falling value in the last column: the average, or the only task."""
    return list(result.clusters[-1].order)


def main_table(result: MetricComparison) -> Table:
    """Metrics by tasks with the average; the rank as a raised number, rank 1 in bold."""
    order = order_of(result)
    columns = [column("metric", (result.metrics[m] for m in order), name=True)]
    for c, title in enumerate(column_titles(result)):
        ranks = result.rank[c, order].astype(int).tolist() if was_tested(result, c) else []
        columns.append(
            column(
                title,
                result.value[c, order],
                digits(),
                bold=[rank == 1 for rank in ranks],
                raised=[str(rank) for rank in ranks],
            )
        )
    return table_of(*columns)


def pair_table(result: MetricComparison) -> Table:
    """Each two metrics on each task."""
    first, second, _, _, first_values, second_values, differences, p, corrected, n = zip(*result.records(), strict=True)
    n_pairs = len(result.metrics) * (len(result.metrics) - 1) // 2
    return table_of(
        column("metric a", first, name=True),
        column("metric b", second, name=True),
        column("task", (name for name in column_titles(result) for _ in range(n_pairs)), name=True),
        column("a", first_values, digits()),
        column("b", second_values, digits()),
        column("a - b", differences, digits(signed=True)),
        column("p", p, format_p_cell),
        column("p corrected", corrected, format_p_cell),
        column("n", n, thousands),
    )


def rank_ranges(result: MetricComparison) -> Table:
    """Metrics by tasks: the best and the worst rank that the tests allow."""
    order = order_of(result)
    columns = [column("metric", (result.metrics[m] for m in order), name=True)]
    for c, (title, clusters) in enumerate(zip(column_titles(result), result.clusters, strict=True)):
        ranks = zip(clusters.rank_low[order], clusters.rank_high[order], strict=True)
        columns.append(column(title, ranks, rank_range if was_tested(result, c) else lambda _: "-"))
    return table_of(*columns)


def matrix(result: MetricComparison, c: int, *, folded: bool) -> Section:
    order = list(result.clusters[c].order)
    uncorrected = f"p ≤ {result.settings.alpha:g}, not corrected"
    value = result.value[c][order]
    name = column_titles(result)[c]
    return Section(
        title="Which metrics "
        f"differ{f', {name}' if len(result.pairs_and_statistics) > 1 or result.tasks[0].pair else ''}",
        figure=Figure(
            "significance_matrix",
            {
                "systems": [result.metrics[m] for m in order],
                "differences": value[:, None] - value,
                "pvalues": result.pvalue_corrected[c][np.ix_(order, order)],
                "alpha": result.settings.alpha,
                "measure": name if c == len(result.tasks) else statistic_name(result.tasks[c].statistic),
                "noun": "metric",
                **({"criterion": uncorrected} if result.settings.correction == "none" else {}),
            },
        ),
        folded=folded,
    )


def tasks_table(result: MetricComparison) -> Table:
    """What each task compares, and its weight."""
    return table_of(
        column("pair", (task.pair or "-" for task in result.tasks), name=True),
        column("level", (task.level for task in result.tasks), name=True),
        column("statistic", (task.statistic for task in result.tasks), name=True),
        column("grouping", (task.grouping or "-" for task in result.tasks), name=True),
        column("test", result.tests, name=True),
        column("systems", result.systems, thousands),
        column("segments", (n or None for n in result.segments), thousands),
        column("weight", (task.weight for task in result.tasks), "{:.4g}".format),
    )


def ties(result: MetricComparison, c: int, curves: Sequence[CalibrationCurve], *, folded: bool) -> list[Section]:
    """How the statistic changes as more of a metric's differences count as ties."""
    task = result.tasks[c]
    order = order_of(result)
    positions = [position_of(curves[m], result.epsilon[c, m]) for m in order]
    task_label = f", {headings(result.tasks)[c]}" if len(result.tasks) > 1 or task.pair else ""
    name = task.statistic
    return [
        Section(
            title=f"Tie calibration{task_label}",
            sentence=(
                "People give ties, but scores with many digits rarely tie. So differences up to a threshold count as "
                "ties: for each metric the one with the highest agreement. The figure shows other thresholds."
            ),
            table=table_of(
                column("metric", (result.metrics[m] for m in order), name=True),
                column("tie threshold", result.epsilon[c, order], "{:.4g}".format),
                column(
                    "pairs tied",
                    (curves[m].tied[position] for m, position in zip(order, positions, strict=True)),
                    lambda share: f"{100 * share:.1f} %",
                ),
                column(f"{name} at 0", (curves[m].value[0] for m in order), digits()),
                column(
                    name, (curves[m].value[position] for m, position in zip(order, positions, strict=True)), digits()
                ),
            ),
            figure=Figure(
                "condition_lines",
                {
                    "x": [float(x) for x in STEPS],
                    "x_title": "pairs that the metric ties (%)",
                    "measures": [result.metrics[m] for m in order],
                    "values": np.array([at_shares(curves[m]) for m in order]),
                    "y_title": f"agreement ({name})",
                },
            ),
            folded=folded,
        )
    ]


def position_of(curve: CalibrationCurve, epsilon: float) -> int:
    """The position of a threshold on the curve."""
    return max(int(np.searchsorted(curve.epsilon, epsilon * (1 + 1e-9), side="right")) - 1, 0)


def at_shares(curve: CalibrationCurve) -> Floats:
    """The value at the last epsilon that ties at most each percentage; NaN where the metric always ties more."""
    tied = 100 * curve.tied
    positions = np.searchsorted(tied, STEPS + 1e-9, side="right") - 1
    # The first value is put at the step next to it, so that a line begins where the metric ties almost nothing.
    near = tied[0] <= STEPS + (STEPS[1] - STEPS[0]) / 2
    values: Floats = np.where(near, curve.value[np.maximum(positions, 0)], np.nan)
    return values


def sentence_of(result: MetricComparison) -> str:
    """The sentence on which metrics are best, and which of these cannot be distinguished."""
    c = len(result.pairs_and_statistics) - 1
    basis = f", by the weighted average of {pluralise(len(result.tasks), 'task')}" if c else ""
    value_name = "average" if c else statistic_name(result.tasks[0].statistic)
    value = result.value[c]
    order = order_of(result)
    if not was_tested(result, c):
        return (
            f"{result.metrics[order[0]]} has the highest value{basis} ({value_name} {format_number(value[order[0]])}); "
            "differences are not tested."
        )
    best = [m for m in order if result.rank[c, m] == 1]
    names = join_names(result.metrics[m] for m in best)
    n_others = len(order) - len(best)
    chance = f"p ≤ {result.settings.alpha:g}{corrected_by(result)}"
    if len(best) == 1:
        indistinct = [
            m for m in order[1:] if not at_most(result.pvalue_corrected[c, best[0], m], result.settings.alpha)
        ]
        others = f"{result.metrics[order[1]]} ({format_number(value[order[1]])})"
        if not indistinct:
            others = f"{others}, the other one," if n_others == 1 else f"each of the {n_others} others"
        indistinct_sentence = (
            f" It does not differ significantly from {join_names(result.metrics[m] for m in indistinct)}."
            if indistinct
            else ""
        )
        return (
            f"{names} agrees best with people{basis} ({value_name} {format_number(value[best[0]])}), "
            f"significantly better than {others} ({chance}).{indistinct_sentence}"
        )
    range_ends = dict.fromkeys((format_number(value[best[0]]), format_number(value[best[-1]])))
    span = f"{value_name} {' to '.join(range_ends)}{' each' if len(range_ends) == 1 else ''}"
    if not n_others:
        opening = "Neither of the two metrics is" if len(best) == 2 else f"None of the {len(best)} metrics is"
        opening += f" significantly better than {'the other' if len(best) == 2 else 'another'}"
        return (
            f"{opening}{basis} ({span}; {chance}). This does not show that they are equally good: more data might "
            "separate them."
        )
    return (
        f"{names} agree best with people{basis} ({span}): no metric is significantly better than any of them "
        f"({chance}). {result.metrics[order[len(best)]]}, the next, is significantly worse than at least one of them."
    )


def corrected_by(result: MetricComparison) -> str:
    family = len(result.metrics) * (len(result.metrics) - 1) // 2
    if result.settings.correction == "none" or family == 1:
        return ""
    return f", corrected for {family} tests by {NAMES[result.settings.correction]}"


def notes_of(result: MetricComparison) -> tuple[str, ...]:
    """Notes on the small numbers, on the tests, and on directions that may be wrong."""
    notes = []
    if any(was_tested(result, c) for c in range(len(result.pairs_and_statistics))):
        notes.append(
            "superscripts: ranks; from the top down, a new rank begins at a metric that is significantly worse than a "
            "metric of the current rank; bold: rank 1"
        )
    notes += [f"{test}: {TEST_QUESTIONS[test]}" for test in dict.fromkeys(result.tests)]
    if result.settings.correction != "none" and len(result.metrics) > 2:
        notes.append(
            f"p-values are corrected ({result.settings.correction}) for all pairs of metrics, separately for each "
            "column"
        )
    if len(result.tasks) > 1 and any(TESTS[test] for test in result.tests) and was_tested(result, len(result.tasks)):
        notes.append("the average is tested by averages of the tasks' resamples")
    if any(curves for curves in result.curves):
        notes.append("the tie threshold of each metric was calibrated on these data, so values are slightly too high")
    same_range = [i for i, task in enumerate(result.tasks) if task.range == result.tasks[0].range]
    gold = result.gold if result.rule in ("mean", "given") else None
    low, high = result.tasks[0].range
    notes += direction_notes(
        result.metrics, result.higher, result.value[same_range].T, chance=(low + high) / 2, gold=gold
    )
    return tuple(notes)
