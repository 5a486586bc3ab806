"""The curves of a stability study: over the ranges, of swap rates, of significance levels, of halves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.cells import format_number
from rankscope.data.sections import Figure, Section, Table
from rankscope.stability.swaps import BINS, difference_needed
from rankscope.stability.words import main_condition, main_level, set_of
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.stability.result import StabilityStudy

__all__ = ["curve_sections"]


TITLES = {
    "splits": "number of splits",
    "systems": "number of systems",
    "entities": "number of entities",
    "queries": "queries in a set",
    "cutoff": "cutoff",
}


def curve_sections(study: StabilityStudy) -> list[Section]:
    """Each where there is something to draw."""
    found = [*over_ranges(study), *over_cutoffs(study)]
    if not study.asked.coded:
        found.append(swap_section(study))
    return [*found, asl_curves(study), *split_half_sections(study)]


def line_figure(x: list[Any], title: str, names: list[str], values: Floats, y_title: str) -> Figure | None:
    if np.isnan(values).all() or len(x) < 2:
        return None
    data = {"x": x, "x_title": title, "measures": names, "values": values, "y_title": y_title}
    return Figure("condition_lines", data)


def plotted_rates(study: StabilityStudy) -> list[tuple[str, str, str]]:
    """Which rates are drawn over ranges: name, title of the section, title of the axis."""
    orders = [("error", "Error rate", "error rate (%)"), ("tie", "Tie rate", "tie rate (%)")]
    return [*(orders if study.error_tie else []), ("asl_rate", "Pairs told apart", "ASL rate (%)")]


def over_ranges(study: StabilityStudy) -> list[Section]:
    """Rates over each range of which there are several values, the others as under the main condition."""
    k = main_level(study)
    found = []
    ranges = ["size"] if study.what == "queries" else ["splits", "entities"]
    for name in [*ranges, "systems"]:
        along = conditions_along(study, name)
        if len(along) < 2:
            continue
        x = [getattr(study.conditions[i], name) for i in along]
        said = "queries" if name == "size" else name
        for field, title, axis in plotted_rates(study):
            column = k if field == "asl_rate" else 0
            values = np.array([getattr(study.outcomes[i], field)[:, column] for i in along]).T
            figure = line_figure(x, TITLES[said], list(study.names), values, axis)
            if figure is not None:
                found.append(
                    Section(
                        title=f"{title} by {TITLES[said]}",
                        table=table_of(study, x, TITLES[said], values),
                        figure=figure,
                    )
                )
    return found


def conditions_along(study: StabilityStudy, name: str) -> list[int]:
    """The conditions that differ from the main one in this alone, by rising value of it."""
    main = study.conditions[main_condition(study)]
    if name == "size":
        found = [i for i, one in enumerate(study.conditions) if one.systems == main.systems]
    else:
        rest = main._replace(**{name: 0})
        found = [i for i, one in enumerate(study.conditions) if one._replace(**{name: 0}) == rest]
    by_value = {getattr(study.conditions[i], name): i for i in found}
    return [by_value[value] for value in sorted(by_value)]


def table_of(study: StabilityStudy, x: list[Any], title: str, values: Floats) -> Table:
    rows = [
        (name, *(format_number(value, 1) for value in row.tolist()))
        for name, row in zip(study.names, values, strict=True)
    ]
    return Table(columns=(f"measure, by {title}", *map(str, x)), rows=tuple(rows))


def over_cutoffs(study: StabilityStudy) -> list[Section]:
    """Rates of measures that were computed at several cutoffs, which are otherwise the same."""
    families: dict[str, dict[int, int]] = {}
    for m, name in enumerate(study.names):
        cutoff = getattr(study.measures[m], "cutoff", None)
        if isinstance(cutoff, int):
            families.setdefault(name.rpartition("@")[0], {})[cutoff] = m
    families = {name: places for name, places in families.items() if len(places) > 1}
    if not families:
        return []
    x = sorted({cutoff for places in families.values() for cutoff in places})
    outcome, k = study.outcomes[main_condition(study)], main_level(study)
    found = []
    for field, title, axis in plotted_rates(study):
        column = k if field == "asl_rate" else 0
        values = np.full((len(families), len(x)), np.nan)
        for row, places in enumerate(families.values()):
            for cutoff, m in places.items():
                values[row, x.index(cutoff)] = getattr(outcome, field)[m, column]
        figure = line_figure(x, TITLES["cutoff"], list(families), values, axis)
        found.append(Section(title=f"{title} by cutoff", figure=figure))
    return found


def swap_section(study: StabilityStudy) -> Section:
    """By how much two systems must differ so that another set of queries seldom turns them round."""
    outcome = study.outcomes[main_condition(study)]
    rows = []
    for m, name in enumerate(study.names):
        for level in study.asked.levels:
            cells = []
            for counts in outcome.swapped:
                low, high = difference_needed(counts[:, m : m + 1], outcome.widths[m : m + 1], level)[:, 0].tolist()
                cells += ["-" if np.isnan(end) else "no end" if np.isinf(end) else f"{end:.4g}" for end in (low, high)]
            rows.append((name, f"{level:g}", *cells))
    seen, turned = outcome.swapped[study.sets]
    rates = np.divide(100.0 * turned, seen, out=np.full(seen.shape, np.nan), where=seen > 0)
    data = {
        "measures": list(study.names),
        "edges": outcome.widths[:, None] * np.arange(BINS),
        "rates": rates,
        "levels": list(study.asked.levels),
        "ranges": outcome.widths * BINS,
    }
    place = main_condition(study)
    half = "half as many groups" if study.what == "entities" else "as many queries, without one in common"
    return Section(
        title="How large a difference must be to last",
        table=Table(
            columns=("measure", "swap rate", "bootstrap from", "to", "disjoint from", "to"), rows=tuple(rows), left=2
        ),
        figure=None if np.isnan(rates).all() else Figure("swap_curve", data),
        notes=(
            "the bin of differences from which on two sets of queries order two systems in two ways no more often than "
            f"the swap rate says; bootstrap: samples of {set_of(study, place)}; disjoint: sets of {half}",
        ),
    )


def asl_curves(study: StabilityStudy) -> Section:
    """The mean significance level of each pair, from large to small."""
    outcome = study.outcomes[main_condition(study)]
    there = ~np.isnan(outcome.asl).all()
    data = {"measures": list(study.names), "asls": np.clip(outcome.asl, 0.0, 1.0), "levels": list(study.asked.levels)}
    return Section(
        title="Significance of each pair of systems",
        figure=Figure("asl_curves", data) if there else None,
        folded=True,
        notes=("the achieved significance level of each pair, mean over the draws; the lower a curve, the better",),
    )


def split_half_sections(study: StabilityStudy) -> list[Section]:
    """How alike two sets of queries rank the systems, by the number of queries."""
    outcome = study.outcomes[main_condition(study)]
    sizes = [int(size) for size in outcome.half_sizes]
    if not sizes or np.isnan(outcome.halves[0]).all():
        return []
    tau, low, high, tau_ap = outcome.halves[:4]
    unit = "groups" if study.what == "entities" else "queries"
    rows = [
        (
            name,
            str(size),
            *(format_number(x, 3) for x in (tau[m, n], low[m, n], high[m, n], tau_ap[m, n])),
        )
        for m, name in enumerate(study.names)
        for n, size in enumerate(sizes)
    ]
    figure = line_figure(sizes, f"{unit} in a set", list(study.names), tau, "Kendall's tau of two sets")
    if figure is not None:
        figure = Figure(figure.name, {**figure.data, "lows": low, "highs": high, "interval": "95% of draws"})
    return [
        Section(
            title="Do two sets of queries rank the systems alike",
            table=Table(columns=("measure", unit, "tau", "2.5%", "97.5%", "tau_AP"), rows=tuple(rows)),
            figure=figure,
            notes=(f"two random sets without {unit} in common; 1: the same order of systems",),
        )
    ]
