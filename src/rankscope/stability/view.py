"""The view of a stability study: the verdict in a few sentences, tables, curves and other figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.columns import Column, column, digits, table_of
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, format_value, join_names, pluralise
from rankscope.kernels.rounding_ties import order_of
from rankscope.stability.conditions import SINGULAR
from rankscope.stability.discriminative_power import BINS, difference_needed
from rankscope.stability.outcome import lowest_level
from rankscope.stability.reliability import RELIABILITY, TARGET
from rankscope.stability.resampled_power import leads_of
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


#: A measure is stable up to this percentage of comparisons in which a set orders two systems unlike most sets.
STABLE = 5.0
#: A measure that ties systems in more comparisons than this (in percent) mostly does not order them.
HIGH_TIE_RATE = 50.0
#: A measure that tells fewer pairs apart than this (in percent) finds nearly nothing.
LOW_ASL_RATE = 10.0
#: A measure that comes first in fewer resamples than this share is not named.
NEVER = 0.01
NEEDED = RELIABILITY.index("needed_relative")


def main_condition(study: StabilityStudy) -> int:
    """The place of the condition that sentences are about: with most systems, then the largest sets, then the first.

    A condition whose sets hold all queries or entities comes last: its sets differ in the grouping only, or not at all.
    """
    n_drawn = [condition.entities if study.kind == "entities" else condition.size for condition in study.conditions]
    sort_keys = [
        (condition.systems, n < study.n_items, n, -i)
        for i, (condition, n) in enumerate(zip(study.conditions, n_drawn, strict=True))
    ]
    return sort_keys.index(max(sort_keys))


def main_level(study: StabilityStudy) -> int:
    """The place of the level nearest to .05, among those that a test can reach, if any."""
    distance = np.abs(np.array(study.settings.tested_alpha) - 0.05)
    is_reached = [~np.isnan(study.outcomes[main_condition(study)].asl_rate[:, k]).all() for k in range(distance.size)]
    return int(np.argmin(np.where(is_reached, distance, distance + 1.0)))


def set_of(study: StabilityStudy, place: int) -> str:
    """The set of queries of a condition as text: "a random set of 25 queries"."""
    condition = study.conditions[place]
    if study.kind == "entities":
        size = pluralise(round(condition.entities / condition.splits), "entity", "entities")
        return f"{condition.splits} random groups of about {size}"
    return f"a random set of {condition.size} {study.kind}"


def group_size(study: StabilityStudy, place: int) -> float:
    """How many entities a group has in a condition, on average; 1 where queries or clusters are drawn."""
    condition = study.conditions[place]
    return condition.entities / condition.splits if study.kind == "entities" else 1.0


def unit_of(study: StabilityStudy) -> str:
    """What acts as a query: groups of entities, queries, or clusters."""
    return "groups" if study.kind == "entities" else study.kind


def verdict(study: StabilityStudy) -> str:
    """Sentences: which measures are stable and sensitive, and from how many queries on."""
    sentences = stable_sentences(study) if study.settings.error_tie else []
    return " ".join([*sentences, sensitive_sentence(study), *caution_sentences(study)])


def caution_sentences(study: StabilityStudy) -> list[str]:
    """A caution where there is one pair of systems only, or every draw holds all entities."""
    if len(study.systems) == 2:
        return ["There are only two systems; with others, the measures may behave differently."]
    if study.kind != "entities" or not draws_everything(study) or not study.settings.error_tie:
        return []
    n_fewer, n_splits = study.n_items // 2, study.conditions[main_condition(study)].splits
    if n_fewer < 2 * n_splits:
        return [
            "Every draw contains all entities, grouped differently, and there are too few to draw only some of them."
        ]
    return [
        f"Every draw contains all {study.n_items} entities, grouped differently, so how stable the measures are with "
        f"other entities is unknown: draw fewer (--entities {n_fewer}, entities={n_fewer})."
    ]


def draws_everything(study: StabilityStudy) -> bool:
    """Whether every draw holds all entities, or every set all queries."""
    condition = study.conditions[main_condition(study)]
    return (condition.entities if study.kind == "entities" else condition.size) >= study.n_items


def least_level(study: StabilityStudy, place: int) -> float:
    """The lowest level that a test of a set can reach under a condition."""
    condition = study.conditions[place]
    return lowest_level(condition.splits if study.kind == "entities" else condition.size, study.settings)


def percent_text(value: float) -> str:
    return f"{value:.1f} %"


def tying_measures(study: StabilityStudy) -> list[int]:
    """The measures that tie systems so often that their error rate is no evidence."""
    return [m for m, value in enumerate(study.outcomes[main_condition(study)].tie[:, 0]) if value > HIGH_TIE_RATE]


def stable_sentences(study: StabilityStudy) -> list[str]:
    """Sentences: which measures order two systems in the same way on different sets."""
    place = main_condition(study)
    if draws_everything(study):
        if study.kind == "entities":
            return []  # `caution_sentences` says it
        return [f"Every set contains all {study.n_items} {study.kind}, so how stable the measures are is unknown."]
    errors, ties = (table[:, 0] for table in (study.outcomes[place].error, study.outcomes[place].tie))
    with_values = [m for m in order_of(errors).tolist() if not math.isnan(errors[m])]
    if not with_values:
        return [f"No measure has values that can be compared on {set_of(study, place)}."]
    tying = [m for m in with_values if m in tying_measures(study)]
    ordering = [m for m in with_values if m not in tying]
    sentences = [stable_sentence(study, errors, ordering)] if ordering else []
    if tying:
        names = join_names(f"{study.names[m]} ({percent_text(ties[m])})" for m in tying)
        verb = "ties" if len(tying) == 1 else "tie"
        sentences.append(f"{names} {verb} two systems in most comparisons, so a low error rate says little there.")
    return sentences


def stable_sentence(study: StabilityStudy, errors: Floats, ordering: list[int]) -> str:
    """ordering: places of the measures that do not mostly tie, those with fewest errors first."""
    ordered_on, reference = comparison_words(study)
    described = {m: f"{study.names[m]} ({percent_text(errors[m])})" for m in ordering}
    stable = [m for m in ordering if errors[m] <= STABLE]
    unstable = [described[m] for m in ordering if errors[m] > STABLE]
    comparison_text = f"of comparisons of two systems on {ordered_on} contradict the order that {reference}"
    if not stable:
        first_name = study.names[ordering[0]]
        if len(errors) == 1:
            return f"{first_name} is not stable: {percent_text(errors[ordering[0]])} {comparison_text}."
        return f"No measure is stable: more than {STABLE:g} % {comparison_text}, with {join_names(unstable)}."
    names = join_names(described[m] for m in stable)
    text = f"{names} {'is' if len(stable) == 1 else 'are'} stable: at most {STABLE:g} % {comparison_text}"
    return f"{text}; {join_names(unstable)} {'is' if len(unstable) == 1 else 'are'} not." if unstable else f"{text}."


def comparison_words(study: StabilityStudy) -> tuple[str, str]:
    """Words for a comparison: on what two systems are compared (a set, or in Dunaiski's tool a single query), and what
    gives the order that it may contradict, with the verb.
    """
    set_text = set_of(study, main_condition(study))
    if not study.settings.as_dunaiski:
        return set_text, "most draws give"
    if study.kind != "entities":
        return "a single query", "most queries of its set give"
    return f"one of {set_text}", "most of them give"


def sensitive_sentence(study: StabilityStudy) -> str:
    place, k = main_condition(study), main_level(study)
    outcome = study.outcomes[place]
    asl, level = outcome.asl_rate[:, k], study.settings.tested_alpha[k]
    tested = [m for m in range(len(asl)) if not math.isnan(asl[m])]
    if not tested:
        lowest = least_level(study, place)
        if max(study.settings.tested_alpha) < lowest:
            return (
                f"No bootstrap test of {set_of(study, place)} with {study.settings.n_resamples} resamples can "
                "reach a "
                f"level below {lowest:.2g}, so whether measures are sensitive is unknown: use larger sets or more "
                "resamples."
            )
        return "No measure has values that can be tested."
    at_level = f"at level {level:g}"
    if not max(asl[tested]):
        return f"No test distinguishes two systems {at_level} in any draw: on these data no measure is sensitive."
    prefer_stable = study.settings.error_tie and not draws_everything(study)
    stable = [m for m in tested if prefer_stable and outcome.error[m, 0] <= STABLE and m not in tying_measures(study)]
    candidates = stable or tested
    best = max(candidates, key=lambda m: asl[m])
    tied_names = [study.names[m] for m in candidates if percent_text(asl[m]) == percent_text(asl[best]) and m != best]
    group_noun = "stable measures" if len(candidates) < len(tested) else "measures"
    opening = f"With {study.names[best]} the test"
    if tied_names:
        most_sensitive = join_names([study.names[best], *tied_names])
        opening = f"In this study {most_sensitive} are the most sensitive of the {group_noun}: with each, the test"
    elif len(candidates) > 1:
        opening = f"In this study {study.names[best]} is the most sensitive of the {group_noun}: the test"
    text = f"{opening} finds {finding_text(study, float(asl[best]))} {at_level}"
    if study.settings.error_tie:
        measure_text = f" with {study.names[best]}" if tied_names else ""
        text += f", and {percent_text(outcome.tie[best, 0])} of comparisons{measure_text} are ties"
    if asl[best] < LOW_ASL_RATE:
        text += "; hardly any difference is detected"
    others_text = other_queries_text(study, outcome.resampled[:, k], candidates, best) if len(candidates) > 1 else ""
    return f"{text}.{others_text} {reliability_sentence(study, place, best)}."


def other_queries_text(study: StabilityStudy, rates: Floats, candidates: list[int], best: int) -> str:
    """Whether other queries would put the same measure first. rates: (measures, resamples) as of `resampled_power`."""
    if np.isnan(rates[candidates]).any():
        return " Differences between the measures were not tested."
    leads = dict(zip(candidates, leads_of(rates[candidates]).tolist(), strict=True))
    others = sorted((m for m in candidates if m != best and leads[m] >= NEVER), key=lambda m: -leads[m])
    leads_text = f"In resamples of these {study.kind}, {study.names[best]} comes first in {100 * leads[best]:.0f} %"
    rivals = join_names(f"{study.names[m]} in {100 * leads[m]:.0f} %" for m in others)
    return f" {leads_text}{f', {rivals}' if rivals else ''}."


def finding_text(study: StabilityStudy, value: float) -> str:
    """What a test finds significantly different: the two systems in a share of draws, or a share of all pairs."""
    n_systems = study.conditions[main_condition(study)].systems
    if len(study.systems) == 2:
        return f"the two systems significantly different in {percent_text(value)} of draws"
    pairs = pluralise(n_systems * (n_systems - 1) // 2, "pair") if n_systems == len(study.systems) else "pairs"
    return f"{percent_text(value)} of {pairs} of systems significantly different"


def reliability_sentence(study: StabilityStudy, place: int, best: int) -> str:
    """A sentence: from how many queries on the order of systems is reliable."""
    needed, low, high = study.outcomes[place].reliability[best, NEEDED : NEEDED + 3].tolist()
    order_text = f"the order of systems by {study.names[best]}"
    if math.isnan(needed):
        return f"How many queries make {order_text} reliable is unknown"
    if math.isinf(needed):
        return f"On these data, no number of queries makes {order_text} reliable"
    size = group_size(study, place)
    n_needed = pluralise(round(needed * size), SINGULAR[study.kind], study.kind)
    if study.kind == "entities":
        n_needed += f", in groups of about {round(size)},"
    low, high = low * size, high * size
    text = f"{order_text[0].upper()}{order_text[1:]} is reliable with about {n_needed} or more"
    if math.isnan(low) or math.isnan(high):
        return f"{text} (reliability {format_percent(TARGET)})"
    interval_text = f"{low:,.0f} or many more" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
    return f"{text} (95 % interval: {interval_text}; reliability {format_percent(TARGET)})"


#: Further rows are in the tidy table only.
MAX_ROWS = 60
#: Matrices of more systems are not shown, and at most so many matrices.
MAX_SYSTEMS, MAX_MATRICES = 40, 24


def sections_of(study: StabilityStudy) -> list[Section]:
    """The verdict first, then its evidence."""
    sections = []
    if "eval" in study.parts:
        sections += [
            overview_section(study),
            significance_section(study),
            *curve_sections(study),
            reliability_section(study),
            correlation_section(study),
        ]
        if study.ablation is not None:
            sections += study.ablation.sections()
    if "actual" in study.parts:
        sections.append(value_section(study))
    if "significance" in study.parts:
        sections += matrix_sections(study)
    return sections


def rate(form: str = ".1f") -> Callable[[float], str]:
    """Writes rates; a dash for NaN, and words for what has no limit."""

    def text(value: float) -> str:
        if math.isnan(value):
            return "-"
        return f"{float(value):{form}}" if math.isfinite(value) else ("none" if value < 0 else "no limit")

    return text


def rate_range(form: str) -> Callable[[tuple[float, float]], str]:
    """Writes pairs of rates, as "10 to 20"."""
    return lambda ends: " to ".join(map(rate(form), ends))


def varying_fields(study: StabilityStudy) -> list[str]:
    """The fields of conditions that have several values; for queries, the size of a set is one of the fields."""
    fields = study.conditions[0]._fields if study.kind == "entities" else ("size", "systems")
    return [name for name in fields if len({getattr(condition, name) for condition in study.conditions}) > 1]


def heading(name: str) -> str:
    return "set size" if name == "size" else name


def has_used_rates(study: StabilityStudy) -> bool:
    """Whether the shares of relevant items that values depend on are known (scores have none) and wanted."""
    return study.settings.error_tie and not all(np.isnan(outcome.used).all() for outcome in study.outcomes)


def overview_section(study: StabilityStudy) -> Section:
    """One row for each measure and condition, at the level nearest to .05 and the first fuzziness."""
    k = main_level(study)
    rows = [(c, m) for c in range(len(study.conditions)) for m in range(len(study.names))]
    shown_rows = rows[:MAX_ROWS]
    needed, decided = (list(map(of_outcome, study.outcomes)) for of_outcome in (study.needed, study.decisions))

    def rates(title: str, field: str, place: tuple[int, ...] = (), form: str = ".1f") -> Column:
        """A column of one field of the outcomes. place: of the rate among those of a measure."""
        return column(title, [getattr(study.outcomes[c], field)[m, *place] for c, m in shown_rows], rate(form))

    order_rates = [
        rates("error %", "error", (0,)),
        rates("sd", "error_sd", (0,), ".2f"),
        rates("tie %", "tie", (0,)),
        rates("sd", "tie_sd", (0,), ".2f"),
    ]
    table = table_of(
        column("measure", [study.names[m] for _, m in shown_rows], name=True),
        *(
            column(heading(name), [getattr(study.conditions[c], name) for c, _ in shown_rows])
            for name in varying_fields(study)
        ),
        *(order_rates if study.settings.error_tie else []),
        rates("ASL %", "asl_rate", (k,)),
        column("diff needed", [needed[c][m, k] for c, m in shown_rows], rate(".4g")),
        column("decided %", [decided[c][m, k] for c, m in shown_rows], rate()),
        rates("used %", "used") if has_used_rates(study) else None,
    )
    cut_note = (f"--format csv shows {len(rows) - MAX_ROWS} more rows",)
    return Section(
        title="Stability and discriminative power of the measures",
        sentence=verdict(study),
        table=table,
        figure=error_figure(study),
        notes=(column_note(study, k), *(cut_note if len(rows) > MAX_ROWS else ())),
    )


def column_note(study: StabilityStudy, k: int) -> str:
    level, fuzz = study.settings.tested_alpha[k], study.settings.fuzz[0]
    method = f"the swap method with {study.settings.swap_sets} sets" if study.settings.swap else "the bootstrap"
    rates_text = (
        f"error, tie: comparisons of two systems that contradict most draws, or that tie (fuzziness {fuzz:g}); "
        if study.settings.error_tie
        else ""
    )
    return (
        f"{rates_text}ASL: pairs of systems that the test distinguishes at level {level:g}; diff needed: by "
        f"{method}; decided: pairs that differ by more"
        + ("; used: relevant items that the values depend on" if has_used_rates(study) else "")
    )


def error_figure(study: StabilityStudy) -> Figure | None:
    if not study.settings.error_tie:
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
        "bar": "one standard deviation" if study.settings.as_dunaiski else "one standard error",
    }
    return Figure("error_against_tie", data)


def significance_section(study: StabilityStudy) -> Section:
    """How many pairs each measure tells apart, at each level, by three tests."""
    place = main_condition(study)
    outcome = study.outcomes[place]
    alpha = study.settings.tested_alpha
    data = {
        "measures": list(study.names),
        "alpha": list(alpha),
        "rates": outcome.asl_rate,
        "lows": outcome.asl_low,
        "highs": outcome.asl_high,
        "interval": "95% of draws",
    }
    return Section(
        title="How many pairs of systems are distinguished",
        table=table_of(
            column("measure", np.repeat(study.names, len(alpha)), name=True),
            column("level", list(alpha) * len(study.names), "{:g}".format),
            column("ASL %", outcome.asl_rate.flat, rate()),
            column("95% of draws", zip(outcome.asl_low.flat, outcome.asl_high.flat, strict=True), rate_range(".0f")),
            column("t-test %", outcome.t_rate.flat, rate()),
            column("Tukey %", outcome.tukey.flat, rate()),
        ),
        figure=Figure("asl_rates", data) if len(alpha) <= 6 else None,
        notes=(
            f"ASL and t-test: pair by pair on {set_of(study, place)}; Tukey: randomised Tukey HSD, corrected for all "
            f"pairs, on {'the groups of the first draw' if study.kind == 'entities' else 'all queries'}"
            + ("; queries of a cluster are taken as dependent by all three" if study.kind == "clusters" else ""),
        ),
    )


def reliability_section(study: StabilityStudy) -> Section:
    """Generalisability coefficients, and how many queries they need."""
    values = study.outcomes[main_condition(study)].reliability
    coefficients = dict(zip(RELIABILITY, values.T, strict=True))

    def ends(kind: str) -> zip[tuple[float, float]]:
        return zip(coefficients[f"{kind}_low"], coefficients[f"{kind}_high"], strict=True)

    in_groups = ", in groups of this size," if study.kind == "entities" else ""
    size = group_size(study, main_condition(study))

    def needed(name: str) -> Floats:
        return np.asarray(coefficients[f"needed_{name}"] * size)

    needed_ends = zip(needed("relative_low"), needed("relative_high"), strict=True)
    return Section(
        title=f"How many {study.kind} are needed",
        table=table_of(
            column("measure", study.names, name=True),
            column("E-rho2", coefficients["relative"], rate(".3f")),
            column("95% interval", ends("relative"), rate_range(".3f")),
            column("Phi", coefficients["absolute"], rate(".3f")),
            column("95% interval", ends("absolute"), rate_range(".3f")),
            column(study.kind, needed("relative"), format_needed),
            column("95% interval", needed_ends, lambda ends: " to ".join(map(format_needed, ends))),
            column("for Phi", needed("absolute"), format_needed),
        ),
        notes=(
            f"E-rho2: reliability of the order of systems on {set_of(study, main_condition(study))}; Phi: reliability "
            f"of their scores; {study.kind}: how many{in_groups} raise E-rho2 (Phi) to {TARGET:g}"
            + ("; of means in which all clusters weigh the same" if study.kind == "clusters" else ""),
        ),
    )


def correlation_section(study: StabilityStudy) -> Section:
    """Correlations of the values of two systems over queries, and of two queries over systems."""
    between_systems, deviation, between_queries = study.outcomes[main_condition(study)].correlation
    return Section(
        title="How similar systems, and queries, are",
        table=table_of(
            column("measure", study.names, name=True),
            column("between systems", between_systems, rate(".3f")),
            column("sd", deviation, rate(".3f")),
            column("between queries", between_queries, rate(".3f")),
        ),
        notes=(
            "mean Spearman's rho over pairs of systems (their values on the queries of a set) and over pairs of "
            "queries (the values of the systems)",
        ),
        folded=True,
    )


def value_section(study: StabilityStudy) -> Section:
    """The value of each system on all queries or entities, one row for each measure."""
    summaries = [measure.summary for measure in study.measures]
    return Section(
        title=f"Values on all {study.n_items} {study.kind}",
        table=table_of(
            column("measure", study.names, name=True),
            *(
                column(system, map(format_value, map(float, values), summaries))
                for system, values in zip(study.systems, study.actual.T, strict=True)
            ),
        ),
    )


def matrix_sections(study: StabilityStudy) -> list[Section]:
    """For each measure and condition: which systems are better than which, in stars."""
    only_matrices = study.parts == ("significance",)  # then all matrices are shown, and none is folded
    if len(study.systems) > MAX_SYSTEMS and not only_matrices:
        sentence = f"Matrices of {len(study.systems)} systems are not shown; --print significance shows them."
        return [Section(title="Which systems are better", sentence=sentence)]
    sections: list[Section] = []
    varying_names = varying_fields(study)
    legend = ", ".join(f"{mark} {level:g}" for mark, level in zip(STARS, study.settings.tested_alpha, strict=False))
    main_place = main_condition(study)
    for place in sorted(range(len(study.conditions)), key=lambda place: place != main_place):
        suffix = condition_suffix(study, place, varying_names)
        for m, name in enumerate(study.names):
            sections.append(matrix_section(study, place, m, f"{name}{suffix}", legend, only_matrices))
    if only_matrices or len(sections) <= MAX_MATRICES:
        return sections
    cut_sentence = f"{len(sections) - MAX_MATRICES} more are not shown; --print significance shows them."
    return [*sections[:MAX_MATRICES], Section(title="More matrices", sentence=cut_sentence, folded=True)]


def condition_suffix(study: StabilityStudy, place: int, varying_names: list[str]) -> str:
    """The fields in which a condition differs from others, as text: " with sets of 10 queries, 4 systems"."""
    condition = study.conditions[place]
    texts = [
        f"sets of {condition.size} {study.kind}" if name == "size" else f"{getattr(condition, name)} {name}"
        for name in varying_names
    ]
    return f" with {', '.join(texts)}" if texts else ""


def matrix_section(study: StabilityStudy, place: int, m: int, title: str, legend: str, only_matrices: bool) -> Section:
    outcome = study.outcomes[place]
    marks = study.marks(outcome, m)
    return Section(
        title=f"Which systems are better by {title}",
        table=table_of(
            column("system", study.systems, name=True),
            *(column(name, cells) for name, cells in zip(study.systems, zip(*marks, strict=True), strict=True)),
        ),
        notes=(f"marked: the row's system is better than the column's by more than the difference needed: {legend}",),
        figure=matrix_figure(study, outcome, m, title) if len(study.systems) <= MAX_SYSTEMS else None,
        folded=not only_matrices and (m > 0 or place != main_condition(study)),
    )


def matrix_figure(study: StabilityStudy, outcome: Outcome, m: int, title: str) -> Figure:
    """Differences in the measure's direction, and the lowest level at which each is larger than needed."""
    values = study.compared_values(outcome)[m] * study.signs[m]
    differences = values[:, None] - values
    zero_decides = not study.settings.as_dunaiski
    lowest_levels = lowest_level_reached(
        differences, study.needed(outcome)[m], study.settings.tested_alpha, zero_decides=zero_decides
    )
    np.fill_diagonal(lowest_levels, np.nan)
    data = {
        "systems": list(study.systems),
        "differences": differences,
        "pvalues": lowest_levels,
        "alpha": list(study.settings.tested_alpha),
        "measure": title,
        "criterion": f"more than needed by the {'swap method' if study.settings.swap else 'bootstrap'}",
    }
    return Figure("significance_matrix", data)


TITLES = {
    "splits": "number of splits",
    "systems": "number of systems",
    "entities": "number of entities",
    "queries": "queries in a set",
    "clusters": "clusters in a set",
    "cutoff": "cutoff",
}


def curve_sections(study: StabilityStudy) -> list[Section]:
    """The sections of curves, where there is something to draw."""
    sections = [*range_sections(study), *cutoff_sections(study)]
    if not study.settings.as_dunaiski:
        sections.append(swap_section(study))
    return [*sections, asl_curves(study), *split_half_sections(study)]


def line_figure(x: list[Any], title: str, names: list[str], values: Floats, y_title: str) -> Figure | None:
    if np.isnan(values).all() or len(x) < 2:
        return None
    data = {"x": x, "x_title": title, "measures": names, "values": values, "y_title": y_title}
    return Figure("condition_lines", data)


def plotted_rates(study: StabilityStudy) -> list[tuple[str, str, str]]:
    """The rates that are drawn over ranges: field, title of the section, title of the axis."""
    orders = [("error", "Error rate", "error rate (%)"), ("tie", "Tie rate", "tie rate (%)")]
    return [*(orders if study.settings.error_tie else []), ("asl_rate", "Pairs distinguished", "ASL rate (%)")]


def range_sections(study: StabilityStudy) -> list[Section]:
    """Rates over each range with several values, with the other ranges as in the main condition."""
    k = main_level(study)
    sections = []
    ranges = ["splits", "entities"] if study.kind == "entities" else ["size"]
    for name in [*ranges, "systems"]:
        condition_index = conditions_along(study, name)
        if len(condition_index) < 2:
            continue
        x = [getattr(study.conditions[i], name) for i in condition_index]
        noun = study.kind if name == "size" else name
        for field, title, axis in plotted_rates(study):
            column = k if field == "asl_rate" else 0
            values = np.array([getattr(study.outcomes[i], field)[:, column] for i in condition_index]).T
            figure = line_figure(x, TITLES[noun], list(study.names), values, axis)
            if figure is not None:
                sections.append(
                    Section(
                        title=f"{title} by {TITLES[noun]}",
                        table=range_table(study, x, TITLES[noun], values),
                        figure=figure,
                    )
                )
    return sections


def conditions_along(study: StabilityStudy, name: str) -> list[int]:
    """The places of the conditions that differ from the main one in this field alone, by its rising value."""
    main = study.conditions[main_condition(study)]
    if name == "size":
        matching = [i for i, condition in enumerate(study.conditions) if condition.systems == main.systems]
    else:
        main_without = main._replace(**{name: 0})
        matching = [
            i for i, condition in enumerate(study.conditions) if condition._replace(**{name: 0}) == main_without
        ]
    by_value = {getattr(study.conditions[i], name): i for i in matching}
    return [by_value[value] for value in sorted(by_value)]


def range_table(study: StabilityStudy, x: list[Any], title: str, values: Floats) -> Table:
    """(measures, x) values as a table."""
    return table_of(
        column(f"measure, by {title}", study.names, name=True),
        *(column(str(x_value), column_values, digits(1)) for x_value, column_values in zip(x, values.T, strict=True)),
    )


def cutoff_sections(study: StabilityStudy) -> list[Section]:
    """Rates over cutoffs of measures that were computed at several cutoffs."""
    families: dict[str, dict[int, int]] = {}
    for m, name in enumerate(study.names):
        cutoff = getattr(study.measures[m], "cutoff", None)
        if isinstance(cutoff, int):
            families.setdefault(name.rpartition("@")[0], {})[cutoff] = m
    families = {name: measure_of_cutoff for name, measure_of_cutoff in families.items() if len(measure_of_cutoff) > 1}
    if not families:
        return []
    x = sorted({cutoff for measure_of_cutoff in families.values() for cutoff in measure_of_cutoff})
    outcome, k = study.outcomes[main_condition(study)], main_level(study)
    sections = []
    for field, title, axis in plotted_rates(study):
        column = k if field == "asl_rate" else 0
        values = np.full((len(families), len(x)), np.nan)
        for row, measure_of_cutoff in enumerate(families.values()):
            for cutoff, m in measure_of_cutoff.items():
                values[row, x.index(cutoff)] = getattr(outcome, field)[m, column]
        figure = line_figure(x, TITLES["cutoff"], list(families), values, axis)
        sections.append(Section(title=f"{title} by cutoff", figure=figure))
    return sections


def swap_section(study: StabilityStudy) -> Section:
    """By how much two systems must differ so that another set of queries seldom reverses them."""
    outcome = study.outcomes[main_condition(study)]
    alpha = study.settings.tested_alpha
    bounds = np.array(
        [
            [
                difference_needed(counts[:, m : m + 1], outcome.widths[m : m + 1], level)[:, 0]
                for counts in outcome.swapped
            ]
            for m in range(len(study.names))
            for level in alpha
        ]
    )
    n_differences, n_swapped = outcome.swapped[study.sets]
    rates = np.divide(
        100.0 * n_swapped, n_differences, out=np.full(n_differences.shape, np.nan), where=n_differences > 0
    )
    data = {
        "measures": list(study.names),
        "edges": outcome.widths[:, None] * np.arange(BINS),
        "rates": rates,
        "alpha": list(alpha),
        "ranges": outcome.widths * BINS,
    }
    place = main_condition(study)
    disjoint_text = "half as many groups" if study.kind == "entities" else f"as many other {study.kind}"
    return Section(
        title="How large a difference must be to persist",
        table=table_of(
            column("measure", np.repeat(study.names, len(alpha)), name=True),
            column("swap rate", list(alpha) * len(study.names), "{:g}".format, name=True),
            column("bootstrap from", bounds[:, 0, 0], format_bound),
            column("to", bounds[:, 0, 1], format_bound),
            column("disjoint from", bounds[:, 1, 0], format_bound),
            column("to", bounds[:, 1, 1], format_bound),
        ),
        figure=None if np.isnan(rates).all() else Figure("swap_curve", data),
        notes=(
            "the smallest bin from which on two sets of queries disagree on the order of two systems at most as often "
            f"as the swap rate; bootstrap: samples of {set_of(study, place)}; disjoint: sets of "
            f"{disjoint_text}",
        ),
    )


def asl_curves(study: StabilityStudy) -> Section:
    """The mean significance level of each pair, from large to small."""
    outcome = study.outcomes[main_condition(study)]
    has_values = ~np.isnan(outcome.asl).all()
    data = {
        "measures": list(study.names),
        "asls": np.clip(outcome.asl, 0.0, 1.0),
        "alpha": list(study.settings.tested_alpha),
    }
    return Section(
        title="Significance of each pair of systems",
        figure=Figure("asl_curves", data) if has_values else None,
        folded=True,
        notes=("the achieved significance level of each pair, mean over the draws; lower curves are better",),
    )


def split_half_sections(study: StabilityStudy) -> list[Section]:
    """How similarly two sets of queries rank the systems, by the number of queries."""
    outcome = study.outcomes[main_condition(study)]
    sizes = [int(size) for size in outcome.half_sizes]
    if not sizes or np.isnan(outcome.halves[0]).all():
        return []
    tau, low, high, tau_ap = outcome.halves[:4]
    unit = unit_of(study)
    figure = line_figure(sizes, f"{unit} in a set", list(study.names), tau, "Kendall's tau of two sets")
    if figure is not None:
        figure = Figure(figure.name, {**figure.data, "lows": low, "highs": high, "interval": "95% of draws"})
    return [
        Section(
            title="Do two sets of queries rank the systems the same way",
            table=table_of(
                column("measure", np.repeat(study.names, len(sizes)), name=True),
                column(unit, sizes * len(study.names)),
                column("tau", tau.flat, digits(3)),
                column("2.5%", low.flat, digits(3)),
                column("97.5%", high.flat, digits(3)),
                column("tau_AP", tau_ap.flat, digits(3)),
            ),
            figure=figure,
            notes=(f"Kendall's tau between two random sets without common {unit}; 1: the same order of systems",),
        )
    ]


def format_needed(value: float) -> str:
    """A number of queries as text."""
    return "-" if math.isnan(value) else "none suffices" if math.isinf(value) else f"{value:,.0f}"


def format_bound(value: float) -> str:
    """A bound of a difference as text."""
    return "-" if math.isnan(value) else "no limit" if math.isinf(value) else f"{value:.4g}"
