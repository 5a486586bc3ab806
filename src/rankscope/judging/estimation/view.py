"""Views of estimates, human, machine and both combined, and of how many people must judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.columns import Column, column, digits, percent, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.judging.estimation.prediction_powered import ALL
from rankscope.kernels.rounding_ties import at_most, order_of
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.stats.prediction_powered import FEWEST, PredictionPowered
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.judging.estimation.active_choice import ItemChoice
    from rankscope.judging.estimation.planning import JudgmentPlan, JudgmentPlanSettings, MeasureNeeds, Need
    from rankscope.judging.estimation.prediction_powered import Estimates, MeasureEstimates

__all__ = [
    "differences_section",
    "systems_section",
]


def estimate_sections(result: Estimates) -> list[Section]:
    """For each measure the systems, then the differences."""
    sections = []
    for measure_estimates in result.parts:
        sections.append(
            systems_section(measure_estimates, result.confidence_level, result.settings.machine_weight is None)
        )
        if measure_estimates.of_pairs is not None:
            make_positive = result.baseline is None
            sections.append(
                differences_section(
                    measure_estimates, measure_estimates.of_pairs, result.confidence_level, make_positive
                )
            )
    return sections


def systems_section(measure_estimates: MeasureEstimates, confidence_level: float, tuned: bool) -> Section:
    """Every system by the three estimates, the best by the combined one first."""
    estimate = measure_estimates.of_systems
    order = order_of(-(measure_estimates.sign or 1) * estimate.combined).tolist()
    level_text = format_percent(confidence_level)
    figure = Figure(
        "leaderboard",
        {
            "systems": tuple(measure_estimates.systems[s] for s in order),
            "means": tuple(estimate.combined[order].tolist()),
            "low": tuple(estimate.combined_low[order].tolist()),
            "high": tuple(estimate.combined_high[order].tolist()),
            "measure": measure_estimates.measure,
            "higher_is_better": {1: True, -1: False, 0: None}[measure_estimates.sign],
            "interval": f"{level_text} interval, combined",
        },
    )
    return Section(
        title=f"{measure_estimates.measure}: people, machine, and both combined",
        sentence=systems_sentence(measure_estimates, estimate, tuned),
        table=table_of(
            column("system", [measure_estimates.systems[s] for s in order], name=True),
            *estimate_columns(estimate, order, np.ones(len(order)), signed=False),
        ),
        figure=figure,
    )


def systems_sentence(measure_estimates: MeasureEstimates, estimate: PredictionPowered, tuned: bool) -> str:
    """The worth of the machine, and the systems of which it is significantly biased."""
    unit, units = measure_estimates.unit, measure_estimates.units
    opening = f"People judged {pluralise(estimate.n, unit, units)}, the machine {estimate.n_all:,}, including these. "
    gain = estimate.effective / estimate.n
    known_gains = gain[~np.isnan(gain)]
    has_weight = estimate.weight != 0
    if not has_weight.any() and not tuned:
        gain_sentence = "Its weight is 0. "
    elif not has_weight.any():
        n_clusters = measure_estimates.n_clusters
        reason = (
            f"Its weight cannot be estimated from so few {units if n_clusters is None else 'clusters'}"
            if (estimate.n if n_clusters is None else n_clusters) < FEWEST
            else "Its values predict people's too poorly to narrow the intervals"
        )
        gain_sentence = f"{reason}: the combined estimate is that of people alone. "
    else:
        effective = estimate.effective[~np.isnan(gain)]
        low, high = float(effective.min()), float(effective.max())
        worth_text = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
        gain_sentence = (
            "With the machine's judgments, the means of single systems are estimated as precisely as from about "
            f"{worth_text} {units} judged by people alone. "
            if known_gains.size
            else ""
        )
    systems = measure_estimates.systems
    biased = biased_systems(estimate)
    if not biased:
        return f"{opening}{gain_sentence}No significant bias of the machine was found for any system."
    biased.sort(key=lambda s: -abs(float(estimate.bias[s])))
    overrated = [systems[s] for s in biased if estimate.bias[s] > 0]
    underrated = [systems[s] for s in biased if estimate.bias[s] < 0]
    clauses = [
        f"{verb} {f'these {units}' if names == [ALL] else join_names(names)}"
        for verb, names in (("overrates", overrated), ("underrates", underrated))
        if names
    ]
    largest_bias = f"{abs(float(estimate.bias[biased[0]])):.4f}"
    size_text = f" by {largest_bias}"
    if len(biased) > 1:
        size_text = f", {systems[biased[0]]} most (by {largest_bias})"
    if len(systems) > 1:
        size_text += f" (Holm's correction for {len(systems):,} systems)"
    return f"{opening}{gain_sentence}The machine significantly {' and '.join(clauses)}{size_text}."


def biased_systems(estimate: PredictionPowered) -> list[int]:
    """The systems of which the machine is biased (with Holm's correction), and those of which it always errs alike."""
    pvalue = adjust_pvalues(estimate.bias_pvalue, method="holm").pvalue
    is_same_error = np.isnan(pvalue) & (estimate.bias_low == estimate.bias_high) & (estimate.bias != 0)
    return np.flatnonzero(at_most(pvalue, 1 - estimate.confidence_level) | is_same_error).tolist()


def differences_section(
    measure_estimates: MeasureEstimates, estimate: PredictionPowered, confidence_level: float, make_positive: bool
) -> Section:
    """Every pair, the greatest difference first. make_positive: turn pairs whose combined difference is negative."""
    order = order_of(-np.abs(estimate.combined)).tolist()
    signs = np.where(estimate.combined[order] < 0, -1.0, 1.0) if make_positive else np.ones(len(order))
    names = []
    for i, sign in zip(order, signs.tolist(), strict=True):
        first, second = pair_systems(measure_estimates, i)
        names.append(f"{first} - {second}" if sign > 0 else f"{second} - {first}")
    return Section(
        title=f"{measure_estimates.measure}: differences of systems",
        sentence=differences_sentence(measure_estimates, estimate, confidence_level),
        table=table_of(
            column("difference", names, name=True),
            *estimate_columns(estimate, order, signs, signed=True),
        ),
    )


def estimate_columns(
    estimate: PredictionPowered, order: list[int], signs: Floats, *, signed: bool
) -> tuple[Column, ...]:
    """The three estimates in this order, with their intervals. signs: -1 turns an estimate round."""

    def of(title: str, name: str, turned_name: str = "", *, signed: bool = signed) -> Column:
        values = getattr(estimate, name)[order]
        turned = getattr(estimate, turned_name or name)[order]
        return column(title, signs * np.where(signs > 0, values, turned), digits(signed=signed))

    return (
        of("people", "human"),
        of("low", "human_low", "human_high"),
        of("high", "human_high", "human_low"),
        of("machine", "machine"),
        of("bias", "bias", signed=True),
        of("combined", "combined"),
        of("low", "combined_low", "combined_high"),
        of("high", "combined_high", "combined_low"),
        column("weight", estimate.weight[order], digits(2)),
        column("worth", estimate.effective[order], digits(0)),
    )


def differences_sentence(
    measure_estimates: MeasureEstimates, estimate: PredictionPowered, confidence_level: float
) -> str:
    """The number of significant pairs by each estimate, those of the combined one only, and errors of the machine."""

    def directions(name: str) -> np.ndarray:
        low, high = getattr(estimate, f"{name}_low"), getattr(estimate, f"{name}_high")
        return np.where(low > 0, 1, np.where(high < 0, -1, 0))

    people, machine, combined = directions("human"), directions("machine"), directions("combined")
    pairs = pluralise(people.size, "pair")
    text = (
        f"The {format_percent(confidence_level)} intervals of {int((combined != 0).sum())} of {pairs} exclude 0 with "
        f"both combined, of {int((people != 0).sum())} with people alone."
    )
    new_pairs = np.flatnonzero((combined != 0) & (people == 0)).tolist()
    if new_pairs and measure_estimates.sign:
        pair_texts = join_names(format_order(measure_estimates, i, int(combined[i])) for i in new_pairs)
        text += f" Only with both combined: {pair_texts}."
    misleading_pairs = np.flatnonzero((machine != 0) & (machine * combined <= 0)).tolist()
    if misleading_pairs and measure_estimates.sign:
        pair_texts = join_names(format_order(measure_estimates, i, int(machine[i])) for i in misleading_pairs)
        text += f" By the machine alone, but not confirmed by the combined estimate: {pair_texts}."
    return text


def pair_systems(measure_estimates: MeasureEstimates, i: int) -> tuple[str, str]:
    """The names of the systems of pair i."""
    systems = measure_estimates.systems
    return systems[measure_estimates.first[i]], systems[measure_estimates.second[i]]


def format_order(measure_estimates: MeasureEstimates, i: int, direction: int) -> str:
    first, second = pair_systems(measure_estimates, i)
    better, worse = (first, second) if direction * measure_estimates.sign > 0 else (second, first)
    return f"{better} above {worse}"


def judgment_plan_sections(result: JudgmentPlan) -> list[Section]:
    """A sentence and a table for each measure."""
    return [needs_section(result, measure_needs) for measure_needs in result.parts]


def needs_section(result: JudgmentPlan, measure_needs: MeasureNeeds) -> Section:
    """A sentence and a table for one measure."""
    by_method = measure_needs.by_method
    human_needs, combined_needs, unlimited_needs = (by_method[method] for method in list(by_method)[:3])
    cheapest = by_method.get("cheapest", ())
    return Section(
        title=f"{measure_needs.measure}: queries that people must judge",
        sentence=needs_sentence(result, measure_needs),
        table=table_of(
            column("system or difference", map(need_label, human_needs), name=True),
            column("sd", [need.sd for need in human_needs], digits()),
            column("explained", [need.explained for need in human_needs], percent()),
            need_column("people alone", human_needs),
            need_column(f"machine on {measure_needs.n_all:,}", combined_needs),
            need_column("machine on any number", unlimited_needs),
            *cost_columns(human_needs, cheapest),
        ),
    )


def cost_columns(human_needs: Sequence[Need], cheapest: Sequence[Need]) -> tuple[Column, ...]:
    """The cheapest numbers and what they cost, beside people alone; nothing without costs."""
    if not cheapest:
        return ()
    machine = ["-" if need.n_machine is None else thousands(need.n_machine) for need in cheapest]
    return (
        need_column("cheapest: people", cheapest),
        column("machine", machine),
        column("cost", [format_cost(need.cost) for need in cheapest]),
        column("cost of people alone", [format_cost(need.cost) for need in human_needs]),
    )


def format_cost(cost: float | None) -> str:
    """A cost with up to two decimals; a dash where there is none."""
    return "-" if cost is None else f"{cost:,.2f}".removesuffix(".00")


def needs_sentence(result: JudgmentPlan, measure_needs: MeasureNeeds) -> str:
    """The numbers of queries for the largest need."""
    kind = "difference" if any(need.system_b for need in measure_needs.needs) else "mean"
    hardest = max(
        (
            needs
            for needs in zip(*measure_needs.by_method.values(), strict=True)
            if (needs[0].system_b != "") == (kind == "difference")
        ),
        key=lambda needs: needs[0].n_queries or 0,
    )
    n_human, n_combined, n_unlimited = (need.n_queries for need in hardest[:3])
    cost_text = cost_sentence(hardest[0], hardest[3], result.settings) if len(hardest) > 3 else ""
    level_text, width = format_percent(result.settings.confidence_level), result.settings.width
    opening = f"For {level_text} intervals of a {kind} no wider than {width:g}, "
    if n_human is None:
        return f"{opening}nothing can be planned: people's values do not vary, or far too many queries are needed."

    def count_text(n_queries: int) -> str:
        n_clusters = measure_needs.clusters_of(n_queries)
        return pluralise_queries(n_queries) + ("" if n_clusters is None else f" ({pluralise(n_clusters, 'cluster')})")

    text = f"{opening}people alone must judge up to {count_text(n_human)}; they have judged {measure_needs.n:,}. "
    machine_text = pluralise_queries(measure_needs.n_all)
    if n_combined is not None:
        are_enough = "is enough" if n_combined == 1 else "are enough"
        return (
            f"{text}With this machine's judgments of {machine_text}, {count_text(n_combined)} judged by "
            f"people {are_enough}.{cost_text}"
        )
    unlimited_text = ""
    if n_unlimited is not None:
        unlimited_text = f"; if it judged many more, {count_text(n_unlimited)} judged by people would be enough"
    return (
        f"{text}With this machine's judgments of {machine_text}, no number judged by people is enough, "
        f"since these queries themselves are a sample{unlimited_text}.{cost_text}"
    )


def cost_sentence(human: Need, cheapest: Need, settings: JudgmentPlanSettings) -> str:
    """What the cheapest numbers of both cost, beside people alone."""
    if cheapest.cost is None or human.cost is None:
        return ""
    if not cheapest.n_machine:
        return f" At {settings.cost:g} a query, people alone are cheapest ({format_cost(human.cost)})."
    return (
        f" At {settings.cost:g} a query for people and {settings.machine_cost:g} for the machine, it costs least to "
        f"have people judge {cheapest.n_queries:,} and the machine {cheapest.n_machine:,}: "
        f"{format_cost(cheapest.cost)}, people alone {format_cost(human.cost)}."
    )


def need_label(need: Need) -> str:
    """The name of a system, or of a difference."""
    return f"{need.system_a} - {need.system_b}" if need.system_b else need.system_a


def need_column(title: str, needs: Sequence[Need]) -> Column:
    """The numbers of queries; a dash where no number is enough."""
    return column(title, ["-" if need.n_queries is None else thousands(need.n_queries) for need in needs])


def choice_sections(result: ItemChoice) -> list[Section]:
    """What is chosen, and how wide intervals will be; with strata, how many items of each."""
    sampling, level = result.sampling, format_percent(result.settings.confidence_level)
    widths = [2 * x for x in (result.half_width_now, sampling.half_width_even, sampling.half_width)]
    n_others = result.order.size - result.n_judged
    are = "is" if result.n_chosen == 1 else "are"
    cost = f", which costs {result.cost:g}" if result.cost != result.n_chosen else ""
    clusters = result.chosen_clusters
    in_clusters = "" if clusters is None else f", {pluralise(len(clusters), 'whole cluster')}"
    sentence = (
        f"People judged {pluralise(result.n_judged, 'item')}; {result.n_chosen:,} of the other {n_others:,} {are} to "
        f"be judged next{in_clusters}{cost}. "
    )
    hardest = int(np.argmax(widths[2]))
    now = widths[0][hardest]
    now_text = "now there is none, since a group has too few labels" if np.isnan(now) else f"now it is {now:.4f}"
    sentence += (
        f"The {level} interval of {result.targets[hardest]} is then about {widths[2][hardest]:.4f} wide, with as many "
        f"items at random {widths[1][hardest]:.4f}; {now_text}."
    )
    section = Section(
        title="Items that people judge next",
        sentence=sentence,
        table=table_of(
            column("mean or difference", list(result.targets), name=True),
            column("width now", widths[0], digits()),
            column("at random", widths[1], digits()),
            column("chosen so", widths[2], digits()),
        ),
    )
    return [section, *([strata_section(result)] if result.settings.strata else [])]


def strata_section(result: ItemChoice) -> Section:
    """How many items of each group there are, were judged, and are to be judged next."""
    names, codes = np.unique(np.array(result.design["group"]), return_inverse=True)
    counts = (np.bincount(x, minlength=names.size) for x in (codes, codes[: result.n_judged], codes[result.is_chosen]))
    return Section(
        title="By group",
        table=table_of(
            column("group", names.tolist(), name=True),
            *(
                column(title, list(map(thousands, of.tolist())))
                for title, of in zip(("items", "judged", "to judge next"), counts, strict=True)
            ),
        ),
    )
