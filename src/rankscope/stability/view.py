"""The view of a stability study: which measures can be trusted in two sentences, its tables, curves and other
figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_percent, format_value, join_names, pluralise
from rankscope.kernels.ties import order_of
from rankscope.stability.discriminative_power import BINS, difference_needed
from rankscope.stability.outcome import lowest_level
from rankscope.stability.reliability import RELIABILITY, TARGET
from rankscope.stability.result import STARS, lowest_level_reached
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.stability.outcome import Outcome
    from rankscope.stability.result import StabilityStudy

__all__ = [
    "STABLE",
    "curve_sections",
    "main_condition",
    "main_level",
    "sections_of",
    "set_of",
    "verdict",
]


#: A measure is stable where a set orders two systems otherwise than most do in at most this percentage of comparisons.
STABLE = 5.0
#: A measure that ties systems in more comparisons (in percent) mostly does not order them.
TYING = 50.0
#: A measure that tells fewer pairs apart (in percent) finds next to nothing.
LITTLE = 10.0
NEEDED = RELIABILITY.index("needed_relative")


def main_condition(study: StabilityStudy) -> int:
    """The place of the condition that sentences are about: with most systems, then the largest sets, then the first.

    One whose every set holds all that there is comes last: its sets differ by how entities are grouped alone, or not.
    """
    queries = study.what == "queries"
    drawn = [c.size if queries else c.entities for c in study.conditions]
    size = [(c.systems, n < study.n_items, n, -i) for i, (c, n) in enumerate(zip(study.conditions, drawn, strict=True))]
    return size.index(max(size))


def main_level(study: StabilityStudy) -> int:
    """The place of the level nearest to .05, of those that a test can reach where there is one."""
    far = np.abs(np.array(study.asked.levels) - 0.05)
    reached = [~np.isnan(study.outcomes[main_condition(study)].asl_rate[:, k]).all() for k in range(far.size)]
    return int(np.argmin(np.where(reached, far, far + 1.0)))


def set_of(study: StabilityStudy, place: int) -> str:
    """What a set of queries is under a condition: "a random set of 25 queries"."""
    condition = study.conditions[place]
    if study.what == "entities":
        size = pluralise(round(condition.entities / condition.splits), "entity", "entities")
        return f"{condition.splits} random groups of about {size}"
    return f"a random set of {condition.size} queries"


def verdict(study: StabilityStudy) -> str:
    """Which measures are stable and sensitive enough, and from how many queries on."""
    parts = stable_sentences(study) if study.error_tie else []
    return " ".join([*parts, sensitive_sentence(study), *caution(study)])


def caution(study: StabilityStudy) -> list[str]:
    """What the sentences do not say: that there is one pair only, that every draw holds all entities."""
    if len(study.systems) == 2:
        return ["These are two systems only: with others the measures may do otherwise."]
    if study.what != "entities" or not draws_everything(study) or not study.error_tie:
        return []
    fewer, splits = study.n_items // 2, study.conditions[main_condition(study)].splits
    if fewer < 2 * splits:
        return ["Every draw holds all entities, only grouped otherwise, and there are too few to draw only some."]
    return [
        f"Every draw holds all {study.n_items} entities, only grouped otherwise, so how stable the measures are with "
        f"others cannot be told: draw fewer (--entities {fewer}, entities={fewer})."
    ]


def draws_everything(study: StabilityStudy) -> bool:
    """Whether no draw leaves an entity out, or a query of a set."""
    condition = study.conditions[main_condition(study)]
    return (condition.entities if study.what == "entities" else condition.size) >= study.n_items


def least_level(study: StabilityStudy, place: int) -> float:
    """Below which no test of a set can come under a condition."""
    condition = study.conditions[place]
    return lowest_level(condition.splits if study.what == "entities" else condition.size, study.asked)


def rate(value: float) -> str:
    return f"{value:.1f} %"


def tying_measures(study: StabilityStudy) -> list[int]:
    """The measures that order two systems so seldom that their errors say little."""
    return [m for m, value in enumerate(study.outcomes[main_condition(study)].tie[:, 0]) if value > TYING]


def stable_sentences(study: StabilityStudy) -> list[str]:
    """Which measures order two systems alike on one set and another; nobody knows which order is the right one."""
    place = main_condition(study)
    if draws_everything(study):
        if study.what == "entities":
            return []  # `caution` says it
        return [f"Every set holds all {study.n_items} queries, so how stable measures are cannot be told."]
    errors, ties = (table[:, 0] for table in (study.outcomes[place].error, study.outcomes[place].tie))
    there = [m for m in order_of(errors).tolist() if not math.isnan(errors[m])]
    if not there:
        return [f"No measure has values to be compared on {set_of(study, place)}."]
    idle = [m for m in there if m in tying_measures(study)]
    judged = [m for m in there if m not in idle]
    found = [stable_sentence(study, errors, judged)] if judged else []
    if idle:
        names = join_names(f"{study.names[m]} ({rate(ties[m])})" for m in idle)
        who = "ties" if len(idle) == 1 else "tie"
        found.append(f"{names} {who} two systems in most comparisons, so few errors are no merit there.")
    return found


def stable_sentence(study: StabilityStudy, errors: Floats, judged: list[int]) -> str:
    """judged: places of measures, those with fewest errors first."""
    sets, does, most = comparing(study)
    named = {m: f"{study.names[m]} ({rate(errors[m])})" for m in judged}
    good = [m for m in judged if errors[m] <= STABLE]
    bad = [named[m] for m in judged if errors[m] > STABLE]
    often = f"{sets} {does} two systems otherwise than {most} in"
    if not good:
        first = study.names[judged[0]]
        if len(errors) == 1:
            return f"{first} is not stable: {often} {rate(errors[judged[0]])} of comparisons."
        return f"No measure is stable: {often} more than {STABLE:g} % of comparisons, by {join_names(bad)}."
    names = join_names(named[m] for m in good)
    text = f"{names} {'is' if len(good) == 1 else 'are'} stable: {often} at most {STABLE:g} % of comparisons"
    return f"{text}; {join_names(bad)} {'is' if len(bad) == 1 else 'are'} not." if bad else f"{text}."


def comparing(study: StabilityStudy) -> tuple[str, str, str]:
    """What orders two systems: a set, or as coded by Dunaiski's tool each query alone; and than what otherwise."""
    sets = set_of(study, main_condition(study))
    if not study.asked.coded:
        return sets, "orders" if study.what == "queries" else "order", "most draws do"
    return (
        ("a single query", "orders", "most of its set do")
        if study.what == "queries"
        else (f"one of {sets}", "orders", "most of them do")
    )


def sensitive_sentence(study: StabilityStudy) -> str:
    place, k = main_condition(study), main_level(study)
    outcome = study.outcomes[place]
    asl, level = outcome.asl_rate[:, k], study.asked.levels[k]
    tested = [m for m in range(len(asl)) if not math.isnan(asl[m])]
    if not tested:
        least = least_level(study, place)
        if max(study.asked.levels) < least:
            return (
                f"No bootstrap test of {set_of(study, place)} with {study.asked.n_resamples} resamples can reach a "
                f"level below {least:.2g}, so whether measures are sensitive cannot be told: take larger sets, or more "
                "resamples."
            )
        return "No measure has values to be tested."
    at = f"at the level {level:g}"
    if not max(asl[tested]):
        return f"No test tells two systems apart {at} in any draw: on these data no measure is sensitive."
    choose = study.error_tie and not draws_everything(study)
    stable = [m for m in tested if choose and outcome.error[m, 0] <= STABLE and m not in tying_measures(study)]
    among = stable or tested
    best = max(among, key=lambda m: asl[m])
    rivals = [study.names[m] for m in among if rate(asl[m]) == rate(asl[best]) and m != best]
    of = "stable measures" if len(among) < len(tested) else "measures"
    found = study.names[best] if len(among) == 1 else f"Of the {of} {study.names[best]} is the most sensitive"
    if rivals:
        found = f"Of the {of} {join_names([study.names[best], *rivals])} are the most sensitive"
    text = f"{found}{'' if len(among) == 1 else ': it'} tells {pairs_text(study, float(asl[best]))} {at}"
    if rivals:
        text = text.replace(": it tells", ": each tells")
    if study.error_tie:
        text += f"{', and ' + study.names[best] if rivals else ', and it' if len(among) > 1 else ' and'} ties "
        text += f"{rate(outcome.tie[best, 0])} of comparisons"
    if asl[best] < LITTLE:
        text += ", so that next to nothing is found to differ"
    return f"{text}. {reliability_sentence(study, place, best)}."


def pairs_text(study: StabilityStudy, value: float) -> str:
    """What a test tells apart: the two systems in so many draws, or so many of all pairs."""
    n = study.conditions[main_condition(study)].systems
    if len(study.systems) == 2:
        return f"the two systems apart in {rate(value)} of draws"
    pairs = pluralise(n * (n - 1) // 2, "pair") if n == len(study.systems) else "pairs"
    return f"{rate(value)} of {pairs} of systems apart"


def reliability_sentence(study: StabilityStudy, place: int, best: int) -> str:
    """From how many queries on the order of systems can be relied on."""
    needed, low, high = study.outcomes[place].reliability[best, NEEDED : NEEDED + 3].tolist()
    order = f"the order of systems by {study.names[best]}"
    if math.isnan(needed):
        return f"How many queries it takes to rely on {order} cannot be said"
    if math.isinf(needed):
        return f"From these data no number of queries can be named from which on {order} can be relied on"
    condition = study.conditions[place]
    one, of = "query", "queries"
    if study.what == "entities":
        size = pluralise(round(condition.entities / condition.splits), "entity", "entities")
        one, of = (f"{n} of about {size}" for n in ("group", "groups"))
    text = f"{order[0].upper()}{order[1:]} can be relied on from about {pluralise(round(needed), one, of)} on"
    if math.isnan(low) or math.isnan(high):
        return f"{text} (reliability {format_percent(TARGET)})"
    ends = f"{low:,.0f} or far more" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
    return f"{text} ({ends}, so far as these data tell; reliability {format_percent(TARGET)})"


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
            ends = " to ".join(format_rate(float(end[m, k]), ".0f") for end in (outcome.asl_low, outcome.asl_high))
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


def format_needed(value: float) -> str:
    """How many queries, as people read it."""
    return "-" if math.isnan(value) else "none will do" if math.isinf(value) else f"{value:,.0f}"
