"""The tool's output of a study: rates of each measure, values of the systems, and which differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankscope.compat.dunaiski.named_measures import NamedMeasure
from rankscope.stability import StabilityRow, StabilityStudy
from rankscope.stability.result import STARS, marks_of

__all__ = [
    "HEAD",
    "PRINTING",
    "show_study",
]


PRINTING = ("all", "sign", "eval", "actual")
HEAD = (
    *("method", "norm", "correlation", "stddev corr", "systemCount", "splitCount", "entityCount", "fuzziness"),
    *("cutoff", "errRate", "stddev errRate", "tieRate", "stddev tieRate", "tRate", "relRate", "asl", "estDiff"),
    *("swapDiffMin", "swapDiffMax", "decisions"),
)


def show_study(study: StabilityStudy, measures: Sequence[NamedMeasure], printing: str = "all") -> str:
    """The tool's output.

    Parameters
    ----------
    study
        Of `run_experiment`.
    measures
        The measures by their names, which may be more than those of the study.
    printing
        One of PRINTING.
    """
    measure_of_name = {str(each.measure): each for each in measures}
    lines = ["Results:"]
    if printing in ("all", "eval"):
        lines += ["\t".join(HEAD), *rate_lines(study, measure_of_name), ""]
    if printing in ("all", "actual"):
        lines += ["\t".join(("Measure", *study.systems))]
        for name, values in zip(study.names, study.actual.tolist(), strict=True):
            lines.append("\t".join((measure_of_name[name].label, *map(str, values))))
        lines.append("")
    if printing in ("all", "sign"):
        for m, name in enumerate(study.names):
            lines += [*significance_lines(study, m, measure_of_name[name].label), ""]
    return "\n".join(lines) + "\n"


def rate_lines(study: StabilityStudy, measure_of_name: dict[str, NamedMeasure]) -> Iterator[str]:
    """A line for each condition, level, cutoff and measure."""
    measure_index = {measure: m for m, measure in enumerate(study.names)}
    condition_index = {condition: c for c, condition in enumerate(study.conditions)}
    level_index = {level: k for k, level in enumerate(study.settings.tested_alpha)}

    def sort_key(row: StabilityRow) -> tuple[int, ...]:
        cutoff = cutoff_of(row)
        condition = condition_index[
            study.conditions[0]._replace(splits=row.splits, systems=row.systems, entities=row.entities)
        ]
        return condition, level_index[row.level], cutoff or 0, measure_index[row.measure]

    for row in sorted((row for row in study.rows() if row.fuzz == row.level), key=sort_key):
        name = measure_of_name[row.measure].name
        numbers = (
            *(row.error_rate, row.error_rate_sd, row.tie_rate, row.tie_rate_sd, row.t_rate, row.used_rate),
            *(row.asl_rate, row.est_diff, row.swap_diff_min, row.swap_diff_max, row.decisions),
        )
        fields = (
            *(name, name, f"{row.correlation:.5f}", f"{row.correlation_sd:.5f}"),
            *(str(row.systems), str(row.splits), str(row.entities), f"{row.level:.3f}", str(cutoff_of(row))),
            *(f"{number:.5f}" for number in numbers),
        )
        yield "\t".join(fields)


def cutoff_of(row: StabilityRow) -> int | None:
    """The cutoff where it is a number; cutoffs that differ between groups are part of the name."""
    return row.cutoff if isinstance(row.cutoff, int) else None


def significance_lines(study: StabilityStudy, m: int, name: str) -> list[str]:
    """Which systems are better than which by measure m, under the first condition."""
    outcome, n_levels = study.outcomes[0], len(STARS)
    marks_text = "".join(f" '{mark}' {level}" for mark, level in zip(STARS, study.settings.tested_alpha, strict=False))
    marks = marks_of(study.compared_values(outcome)[m], study.needed(outcome)[m, :n_levels])
    return [
        f"{name}\tSignificance: 0{marks_text} ' ' 1",
        "\t".join(("Systems", *study.systems)),
        *("\t".join((system, *row)) for system, row in zip(study.systems, marks, strict=True)),
    ]
