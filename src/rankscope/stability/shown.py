"""The tables and figures of a stability study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.cells import format_value
from rankscope.data.sections import Figure, Section, Table
from rankscope.stability.decided import STARS, lowest_level_reached
from rankscope.stability.pooled import RELIABILITY, TARGET, format_needed
from rankscope.stability.shown_curves import curve_sections
from rankscope.stability.words import main_condition, main_level, set_of, verdict

if TYPE_CHECKING:
    from rankscope.stability.outcome import Outcome
    from rankscope.stability.result import StabilityStudy

__all__ = ["sections_of"]


#: A table of more rows is left to the tidy table.
MOST_ROWS = 60
#: Matrices of more systems than these cannot be read; of more measures and conditions they are left out.
MOST_SYSTEMS, MOST_MATRICES = 40, 24


def sections_of(study: StabilityStudy) -> list[Section]:
    """The verdict first, then what it rests on."""
    found = []
    if "eval" in study.parts:
        found += [
            overview_section(study),
            significance_section(study),
            *curve_sections(study),
            reliability_section(study),
            correlation_section(study),
        ]
        if study.ablation is not None:
            found += study.ablation.sections()
    if "actual" in study.parts:
        found.append(value_section(study))
    if "significance" in study.parts:
        found += matrices(study)
    return found


def format_rate(value: float, form: str = ".1f") -> str:
    if math.isnan(value):
        return "-"
    return f"{value:{form}}" if math.isfinite(value) else ("none" if value < 0 else "no end")


def varying(study: StabilityStudy) -> list[str]:
    """Those parts of the conditions of which there are several values; of queries, the size of a set is one."""
    fields = ("size", "systems") if study.what == "queries" else study.conditions[0]._fields
    return [name for name in fields if len({getattr(one, name) for one in study.conditions}) > 1]


def heading(name: str) -> str:
    return "set size" if name == "size" else name


def has_used_rates(study: StabilityStudy) -> bool:
    """Whether it is known, and wanted, on how many relevant items values rest; scores do not tell."""
    return study.error_tie and not all(np.isnan(outcome.used).all() for outcome in study.outcomes)


def overview_section(study: StabilityStudy) -> Section:
    """One row a measure and condition, at the level nearest to .05 and the first fuzziness."""
    k, ranges = main_level(study), varying(study)
    rows = []
    for condition, outcome in zip(study.conditions, study.outcomes, strict=True):
        decided, needs = study.decisions(outcome), study.needed(outcome)
        for m, name in enumerate(study.names):
            rates = [(outcome.error, outcome.error_sd), (outcome.tie, outcome.tie_sd)]
            rows.append(
                (
                    name,
                    *(str(getattr(condition, part)) for part in ranges),
                    *(
                        format_rate(float(table[m, 0]), form)
                        for pair in rates
                        for table, form in zip(pair, (".1f", ".2f"), strict=True)
                        if study.error_tie
                    ),
                    format_rate(float(outcome.asl_rate[m, k])),
                    format_rate(float(needs[m, k]), ".4g"),
                    format_rate(float(decided[m, k])),
                    *([format_rate(float(outcome.used[m]))] if has_used_rates(study) else []),
                )
            )
    orders = ("error %", "sd", "tie %", "sd") if study.error_tie else ()
    table = Table(
        columns=(
            "measure",
            *map(heading, ranges),
            *orders,
            "ASL %",
            "diff needed",
            "decided %",
            *(["used %"] if has_used_rates(study) else []),
        ),
        rows=tuple(rows[:MOST_ROWS]),
    )
    left = (f"{len(rows) - MOST_ROWS} more rows are in the table for programs (--format csv)",)
    return Section(
        title="Which measures can be trusted",
        sentence=verdict(study),
        table=table,
        figure=error_figure(study),
        notes=(meaning(study, k), *(left if len(rows) > MOST_ROWS else ())),
    )


def meaning(study: StabilityStudy, k: int) -> str:
    level, fuzz = study.asked.levels[k], study.asked.fuzz[0]
    how = f"the swap method with {study.swap_sets} sets" if study.swap else "the bootstrap"
    orders = (
        f"error, tie: comparisons of two systems that come out otherwise than most, or tied (fuzziness {fuzz:g}); "
        if study.error_tie
        else ""
    )
    return (
        f"{orders}ASL: pairs of systems told apart at the level {level:g}; diff needed: by {how}; decided: pairs that "
        "differ by more" + ("; used: relevant items that values rest on" if has_used_rates(study) else "")
    )


def error_figure(study: StabilityStudy) -> Figure | None:
    if not study.error_tie:
        return None
    outcome = study.outcomes[main_condition(study)]
    if np.isnan(outcome.error[:, 0]).all():
        return None
    data = {
        "measures": list(study.names),
        "error_rates": outcome.error[:, 0],
        "tie_rates": outcome.tie[:, 0],
        "error_sds": outcome.error_sd[:, 0],
        "tie_sds": outcome.tie_sd[:, 0],
        "bar": "one standard deviation" if study.asked.coded else "one standard error",
    }
    return Figure("error_against_tie", data)


def significance_section(study: StabilityStudy) -> Section:
    """How many pairs each measure tells apart, at each level, by three tests."""
    place = main_condition(study)
    outcome = study.outcomes[place]
    rows = []
    for m, name in enumerate(study.names):
        for k, level in enumerate(study.asked.levels):
            ends = f"{format_rate(float(outcome.asl_low[m, k]), '.0f')} to {format_rate(float(outcome.asl_high[m, k]), '.0f')}"
            tests = [outcome.asl_rate[m, k], outcome.t_rate[m, k], outcome.tukey[m, k]]
            asl, t, tukey = (format_rate(float(value)) for value in tests)
            rows.append((name, f"{level:g}", asl, ends, t, tukey))
    several = len(study.asked.levels) <= 6
    data = {
        "measures": list(study.names),
        "levels": list(study.asked.levels),
        "rates": outcome.asl_rate,
        "lows": outcome.asl_low,
        "highs": outcome.asl_high,
        "interval": "95% of draws",
    }
    return Section(
        title="How many pairs of systems are told apart",
        table=Table(columns=("measure", "level", "ASL %", "95% of draws", "t-test %", "Tukey %"), rows=tuple(rows)),
        figure=Figure("asl_rates", data) if several else None,
        notes=(
            f"ASL and t-test: pair by pair on {set_of(study, place)}; Tukey: randomised Tukey HSD, corrected for all "
            f"pairs, on {'the groups of the first draw' if study.what == 'entities' else 'all queries'}",
        ),
    )


def reliability_section(study: StabilityStudy) -> Section:
    """Generalisability coefficients, and how many queries they ask for."""
    outcome = study.outcomes[main_condition(study)]
    rows = []
    for m, name in enumerate(study.names):
        found = dict(zip(RELIABILITY, outcome.reliability[m].tolist(), strict=True))
        cells = [name]
        for kind in ("relative", "absolute"):
            cells.append(format_rate(found[kind], ".3f"))
            cells.append(f"{format_rate(found[f'{kind}_low'], '.3f')} to {format_rate(found[f'{kind}_high'], '.3f')}")
        cells.append(format_needed(found["needed_relative"]))
        cells.append(f"{format_needed(found['needed_relative_low'])} to {format_needed(found['needed_relative_high'])}")
        cells.append(format_needed(found["needed_absolute"]))
        rows.append(tuple(cells))
    unit = "groups" if study.what == "entities" else "queries"
    return Section(
        title="How many queries it takes",
        table=Table(
            columns=(
                "measure",
                "E-rho2",
                "95% interval",
                "Phi",
                "95% interval",
                unit,
                "95% interval",
                "for Phi",
            ),
            rows=tuple(rows),
        ),
        notes=(
            f"E-rho2: how far the order of systems on {set_of(study, main_condition(study))} can be relied on; Phi: "
            f"how far their scores; {unit}: how many bring E-rho2 (Phi) to {TARGET:g}",
        ),
    )


def correlation_section(study: StabilityStudy) -> Section:
    """How alike values of two systems go over the queries, and those of two queries over the systems."""
    correlation = study.outcomes[main_condition(study)].correlation
    rows = [
        (name, *(format_rate(float(value), ".3f") for value in correlation[:, m])) for m, name in enumerate(study.names)
    ]
    return Section(
        title="How alike systems, and queries, are",
        table=Table(columns=("measure", "between systems", "sd", "between queries"), rows=tuple(rows)),
        notes=(
            "mean of Spearman's rho over pairs: of systems, of their values on the queries of a set; of queries, of "
            "the systems' values on them",
        ),
        folded=True,
    )


def value_section(study: StabilityStudy) -> Section:
    """The value of each system on all that there is, a row a measure."""
    rows = [
        (name, *(format_value(float(value), measure.summary) for value in row))
        for name, measure, row in zip(study.names, study.measures, study.actual, strict=True)
    ]
    return Section(
        title=f"Values on all {study.n_items} {study.what}",
        table=Table(columns=("measure", *study.systems), rows=tuple(rows)),
    )


def matrices(study: StabilityStudy) -> list[Section]:
    """For each measure and condition: which systems are better than which, in stars."""
    alone = study.parts == ("significance",)  # then all of them are wanted, and none is folded away
    if len(study.systems) > MOST_SYSTEMS and not alone:
        why = f"Matrices of {len(study.systems)} systems are left out; --print significance shows them."
        return [Section(title="Which systems are better", sentence=why)]
    found: list[Section] = []
    ranges = varying(study)
    stars = ", ".join(f"{mark} {level:g}" for mark, level in zip(STARS, study.asked.levels, strict=False))
    first = main_condition(study)
    for place in sorted(range(len(study.conditions)), key=lambda place: place != first):
        under = under_of(study, place, ranges)
        for m, name in enumerate(study.names):
            found.append(matrix(study, place, m, f"{name}{under}", stars, alone))
    if alone or len(found) <= MOST_MATRICES:
        return found
    left = f"{len(found) - MOST_MATRICES} more are left out; --print significance shows them."
    return [*found[:MOST_MATRICES], Section(title="More matrices", sentence=left, folded=True)]


def under_of(study: StabilityStudy, place: int, ranges: list[str]) -> str:
    """What tells a condition from the others: " with sets of 10 queries, 4 systems"."""
    condition = study.conditions[place]
    parts = [
        f"sets of {condition.size} queries" if name == "size" else f"{getattr(condition, name)} {name}"
        for name in ranges
    ]
    return f" with {', '.join(parts)}" if parts else ""


def matrix(study: StabilityStudy, place: int, m: int, title: str, stars: str, alone: bool) -> Section:
    outcome = study.outcomes[place]
    marks = study.marks(outcome, m)
    rows = tuple((name, *row) for name, row in zip(study.systems, marks, strict=True))
    return Section(
        title=f"Which systems are better by {title}",
        table=Table(columns=("system", *study.systems), rows=rows),
        notes=(
            f"marked where the system of the row is better than that of the column by more than is needed: {stars}",
        ),
        figure=matrix_figure(study, outcome, m, title) if len(study.systems) <= MOST_SYSTEMS else None,
        folded=not alone and (m > 0 or place != main_condition(study)),
    )


def matrix_figure(study: StabilityStudy, outcome: Outcome, m: int, title: str) -> Figure:
    """Differences as the measure has them, and the lowest level at which each is enough."""
    values = study.compared(outcome)[m] * study.signs[m]
    differences = values[:, None] - values
    zero = not study.asked.coded
    enough = lowest_level_reached(differences, study.needed(outcome)[m], study.asked.levels, zero=zero)
    np.fill_diagonal(enough, np.nan)
    data = {
        "systems": list(study.systems),
        "differences": differences,
        "pvalues": enough,
        "levels": list(study.asked.levels),
        "measure": title,
        "criterion": f"more than needed by the {'swap method' if study.swap else 'bootstrap'}",
    }
    return Figure("significance_matrix", data)
