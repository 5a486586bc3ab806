"""What Dunaiski's tool writes: rates of the measures, values of the systems, and which systems are better."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.compat.dunaiski_measures import default_measures
from rankscope.stability import StabilityRow, StabilityStudy
from rankscope.stability.decided import STARS, marks_of

__all__ = ["PRINTING", "show_study"]

PRINTING = ("all", "sign", "eval", "actual")
HEAD = (
    *("method", "norm", "correlation", "stddev corr", "systemCount", "splitCount", "entityCount", "fuzziness"),
    *("cutoff", "errRate", "stddev errRate", "tieRate", "stddev tieRate", "tRate", "relRate", "asl", "estDiff"),
    *("swapDiffMin", "swapDiffMax", "decisions"),
)


def show_study(study: StabilityStudy, printing: str = "all") -> str:
    """All that the tool writes. study: of `dunaiski_study`; printing: one of PRINTING."""
    names = {str(measure): name for name, measure in default_measures().items()}
    lines = ["Results:"]
    if printing in ("all", "eval"):
        lines += ["\t".join(HEAD), *rate_lines(study, names), ""]
    if printing in ("all", "actual"):
        lines += ["\t".join(("Measure", *study.systems))]
        for name, values in zip(study.names, study.actual.tolist(), strict=True):
            lines.append("\t".join((names[name], *map(str, values))))
        lines.append("")
    if printing in ("all", "sign"):
        for m, name in enumerate(study.names):
            lines += [*significance_lines(study, m, names[name]), ""]
    return "\n".join(lines) + "\n"


def rate_lines(study: StabilityStudy, names: dict[str, str]) -> Iterator[str]:
    """A line for each condition, level, cutoff and measure."""
    place = {measure: m for m, measure in enumerate(study.names)}
    where = {condition: c for c, condition in enumerate(study.conditions)}
    levels = {level: k for k, level in enumerate(study.asked.levels)}

    def order(row: StabilityRow) -> tuple[int, ...]:
        cutoff = cutoff_of(row)
        condition = where[study.conditions[0]._replace(splits=row.splits, systems=row.systems, entities=row.entities)]
        return condition, levels[row.level], cutoff or 0, place[row.measure]

    for row in sorted((row for row in study.rows() if row.fuzz == row.level), key=order):
        name = names[row.measure]
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
    """The cutoff, where it is a number: those that each group has of its own are part of the name."""
    return row.cutoff if isinstance(row.cutoff, int) else None


def significance_lines(study: StabilityStudy, m: int, name: str) -> list[str]:
    """Which systems are better than which by measure m, under the first condition."""
    outcome, n = study.outcomes[0], len(STARS)
    levels = "".join(f" '{mark}' {level}" for mark, level in zip(STARS, study.asked.levels, strict=False))
    marks = marks_of(study.compared(outcome)[m], study.needed(outcome)[m, :n])
    return [
        f"{name}\tSignificance: 0{levels} ' ' 1",
        "\t".join(("Systems", *study.systems)),
        *("\t".join((system, *row)) for system, row in zip(study.systems, marks, strict=True)),
    ]
