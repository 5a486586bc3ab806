"""The view of a plan: a plain sentence, tables, a figure, and notes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.comparison.common_queries import unjudged_reason
from rankscope.comparison.plan.sample_size import (
    CONSTANT,
    CURVE,
    FEW_CLUSTERS,
    IDENTICAL,
    MAX_QUERIES,
    ONE_QUERY,
    SMALLEST,
    UNJUDGED,
    MeasurePlan,
    PlanRow,
    PlanSettings,
    QueryPlan,
)
from rankscope.data.columns import Column, column, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, pluralise, pluralise_queries

__all__ = [
    "sections_of",
]


#: A standard deviation estimated from fewer queries is uncertain.
FEW = 25


def plan_sections(result: QueryPlan) -> list[Section]:
    """For each measure what its queries can show and what a difference needs, and power by number of queries."""
    return [section for plan in result.plans for section in sections_of(plan, result.settings)]


def sections_of(plan: MeasurePlan, settings: PlanSettings) -> list[Section]:
    """The plan of one measure: the sentences and the needs, then power by number of queries."""
    quantity = measured_quantity(plan)
    if plan.obstacle:
        title = "Queries needed" if plan.is_named else "What these queries can show"
        return [Section(title=f"{title}: {quantity}", sentence=trouble_sentence(plan), notes=shared_notes(plan))]
    notes = (
        *spread_notes(plan, settings),
        *shared_notes(plan),
        *test_notes(plan, settings.alpha, settings.alternative, settings.tests),
    )
    if not plan.is_named:
        return [smallest_section(plan, settings, notes)]
    needs = Section(
        title=f"Queries needed: {quantity}",
        sentence=f"{detectable_sentence(plan, settings.power)} {need_sentence(plan)}",
        table=needs_table(plan, settings.power, settings.alpha),
        notes=notes,
    )
    curve_rows = [row for row in plan.rows if row.method == CURVE]
    curve = Section(
        title=f"Power by number of queries: {quantity}",
        table=table_of(
            column("queries", [row.n_queries for row in curve_rows], thousands),
            cluster_column(plan, curve_rows),
            column("power %", [row.power for row in curve_rows], count_in_100),
        ),
        figure=curve_figure(plan, settings, plan.row("t").n_queries),
    )
    return [needs, curve]


def smallest_section(plan: MeasurePlan, settings: PlanSettings, notes: tuple[str, ...]) -> Section:
    """Where no difference is named: the smallest that these queries detect, and other numbers of queries."""
    rows = [row for row in plan.rows if row.method == SMALLEST]
    intervals = [row for row in plan.rows if row.method == "interval"]
    interval_text = ""
    if intervals:
        n = intervals[0].n_queries
        interval_text = f" A {format_percent(1 - settings.alpha)} interval that is {plan.width:.4g} wide needs " + (
            f"more than {pluralise_queries(MAX_QUERIES)}." if n is None else f"{pluralise_queries(n)}."
        )
    return Section(
        title=f"What these queries can show: {measured_quantity(plan)}",
        sentence=f"{detectable_sentence(plan, settings.power)}{interval_text} To see how many queries a difference "
        "needs, name it (difference=0.02, or --difference 0.02).",
        table=table_of(
            column("queries", [row.n_queries for row in rows], thousands),
            cluster_column(plan, rows),
            column(
                "smallest difference",
                [row.difference if row.difference <= plan.value_range else math.nan for row in rows],
                lambda value: "-" if math.isnan(value) else format_difference(value),
            ),
        )
        if rows
        else None,
        figure=curve_figure(plan, settings, None),
        notes=notes,
    )


def curve_figure(plan: MeasurePlan, settings: PlanSettings, n_needed: int | None) -> Figure:
    """The curve of power, with the numbers of queries at hand and needed."""
    n_queries, powers = plan.curve
    figure_data = {
        "measure": measured_quantity(plan),
        "difference": plan.difference,
        "n": n_queries,
        "power": powers,
        "n_now": plan.n_now,
        "n_needed": n_needed,
        "target": settings.power,
    }
    return Figure("power_curve", figure_data)


def measured_quantity(plan: MeasurePlan) -> str:
    """The name of the values of a query."""
    return f"{'standardised ' if plan.standardised else ''}{'log ' if plan.are_logarithms else ''}{plan.measure}"


def averaged_quantity(plan: MeasurePlan) -> str:
    """The name of the means that differ; for logarithms it says that they are means."""
    return f"mean {measured_quantity(plan)}" if plan.are_logarithms else measured_quantity(plan)


def format_difference(value: float) -> str:
    """A difference with four significant digits."""
    return f"{value:.4g}"


def count_in_100(power: float) -> str:
    """Power in 100 experiments: 0.587 is "58", rounded down so that no missed target looks reached; a dash for NaN."""
    if math.isnan(power):
        return "-"
    hundredths = int(100 * power + 1e-9)
    if hundredths == 0:
        return "below 1"
    return "above 99" if power > 0.99 + 1e-9 else str(hundredths)


def detectable_sentence(plan: MeasurePlan, power: float) -> str:
    """The smallest difference that the queries at hand can show."""
    systems_text = "two systems like these" if plan.baseline is None else f"{plan.baseline} and a system like these"
    smallest = plan.row("t detectable").difference
    queries = pluralise_queries(plan.n_now)
    if plan.design.n_clusters is not None:
        queries = f"{queries} in {pluralise(plan.design.clusters_of(plan.n_now), 'cluster')}"
    if smallest > plan.value_range:
        return f"{queries} cannot show any difference in {averaged_quantity(plan)} with {format_percent(power)} power."
    return (
        f"With {queries}, a difference of at least {format_difference(smallest)} in {averaged_quantity(plan)} "
        f"between {systems_text} is detected with {format_percent(power)} power."
    )


def need_sentence(plan: MeasurePlan) -> str:
    """The queries that the named difference needs, and the power of those at hand."""
    n_needed = plan.row("t").n_queries
    need_text = (
        f"{pluralise_queries(n_needed)}{clusters_text(plan, n_needed)}"
        if n_needed is not None
        else f"more than {pluralise_queries(MAX_QUERIES)}, which is not realistic"
    )
    found_now = count_in_100(plan.row("t achieved").power)
    is_enough = n_needed is not None and plan.n_now >= n_needed
    have_text = f"you have {plan.n_now:,}{', which is enough' if is_enough else ''} (power {found_now} %)"
    more_text = "" if n_needed is None or is_enough else more_clusters_text(plan, n_needed)
    return (
        f"To detect a difference of {format_difference(plan.difference)}, you need {need_text}; {have_text}{more_text}."
    )


def clusters_text(plan: MeasurePlan, n_queries: int) -> str:
    """In how many clusters so many queries are; nothing without clusters."""
    if plan.design.n_clusters is None:
        return ""
    n_clusters = plan.design.clusters_of(n_queries)
    return f", {pluralise(n_clusters, 'cluster')} of {size_text(plan)}"


def more_clusters_text(plan: MeasurePlan, n_needed: int) -> str:
    """How many clusters are missing; nothing without clusters."""
    if plan.design.n_clusters is None:
        return ""
    n_more = plan.design.clusters_of(n_needed) - plan.design.clusters_of(plan.n_now)
    return f": {n_more:,} more {'cluster' if n_more == 1 else 'clusters'} of {size_text(plan)}"


def size_text(plan: MeasurePlan) -> str:
    """How many queries a cluster has."""
    size = plan.design.per_cluster
    if size == round(size):
        return pluralise_queries(round(size))
    return f"{size:.1f} queries on average"


def first_upper(text: str) -> str:
    """The text with a capital at its beginning, unless it is the name of a system."""
    return text.replace("all ", "All ", 1) if text.startswith("all ") else text


def trouble_sentence(plan: MeasurePlan) -> str:
    """Why there is no number."""
    quantity = measured_quantity(plan)
    names = " and ".join(plan.systems) if len(plan.systems) == 2 else f"all {pluralise(len(plan.systems), 'system')}"
    if plan.obstacle == UNJUDGED:
        return f"Nothing can be planned: {unjudged_reason(plan.unjudged, quantity)}."
    if plan.obstacle == ONE_QUERY:
        return (
            f"With one query the variation of {quantity} between queries is unknown, so the number of queries needed "
            "cannot be estimated; measure more queries."
        )
    if plan.obstacle == IDENTICAL:
        return (
            f"{first_upper(names)} have the same {quantity} on every query: nothing varies, so the number of queries "
            "needed cannot be estimated from these scores."
        )
    if plan.obstacle == FEW_CLUSTERS:
        assert plan.design.n_clusters is not None
        return (
            f"{pluralise(plan.design.n_clusters, 'cluster')} of {size_text(plan)}, of which the largest outweighs the "
            f"others, do not show how {quantity} varies between clusters, so the number of queries needed cannot be "
            "estimated; measure more clusters."
        )
    assert plan.obstacle == CONSTANT
    place = "on every query" if plan.sd == 0 else "in every cluster"
    return (
        f"The difference in {quantity} is the same {place} ({names}): it does not vary, so the number of queries "
        "needed cannot be estimated from these scores."
    )


def needs_table(plan: MeasurePlan, power: float, alpha: float) -> Table:
    """The needs by each method."""
    n_systems = len(plan.systems)
    method_texts = {
        "t detectable": "t-test of two systems, smallest detectable difference",
        "t": f"t-test of two systems, {format_percent(power)} power",
        "t achieved": "t-test of two systems, with the queries at hand",
        "one-way ANOVA": f"analysis of variance of {pluralise(n_systems, 'system')}, other queries for each",
        "two-way ANOVA": f"analysis of variance of {pluralise(n_systems, 'system')}, the same queries for all",
        "interval": f"half-width of the {format_percent(1 - alpha)} interval of the difference",
    }
    rows = [row for row in plan.rows if row.method in method_texts]
    return table_of(
        column("method", [method_texts[row.method] for row in rows], name=True),
        column("difference", [row.difference for row in rows], format_difference),
        column("power %", [row.power for row in rows], count_in_100),
        column("queries", [row.n_queries for row in rows], format_need),
        cluster_column(plan, rows),
    )


def cluster_column(plan: MeasurePlan, rows: Sequence[PlanRow]) -> Column | None:
    """The clusters that the queries of these rows are in; None without clusters."""
    if plan.design.n_clusters is None:
        return None
    return column("clusters", ["-" if row.n_queries is None else thousands(plan.clusters_of(row)) for row in rows])


def format_need(n_queries: int | None) -> str:
    """A number of queries; None is more than a plan considers."""
    return f"more than {MAX_QUERIES:,}" if n_queries is None else thousands(n_queries)


def spread_notes(plan: MeasurePlan, settings: PlanSettings) -> tuple[str, ...]:
    """Where the standard deviation comes from, and how uncertain it is."""
    n_systems = len(plan.systems)
    if n_systems == 2:
        source = f"of the differences between {plan.systems[0]} and {plan.systems[1]}"
    elif plan.baseline is not None:
        source = f"of the differences of {pluralise(n_systems - 1, 'system')} to {plan.baseline}, pooled"
    else:
        source = (
            f"of the difference of two of {pluralise(n_systems, 'system')}, sqrt(2 MS_E) of the two-way analysis of "
            "variance"
        )
    notes = [f"standard deviation {source}: {plan.sd:.4g}, from {pluralise_queries(plan.n)}"]
    design = plan.design
    if not design.is_simple:
        reason = "clusters" if not design.has_weights else "clusters and weights" if design.n_clusters else "weights"
        notes.append(
            f"{reason}: the variance of a mean is {design.design_effect:.2f} times that of independent queries of one "
            f"weight; further {design.kind} are taken to be like these; analyses of variance would take all queries as "
            "independent, and are left out"
        )
    if settings.assurance is not None:
        notes.append(
            f"planned with a deviation of {plan.planned_sd:.4g}: the true one is at most that with a probability of "
            f"{format_percent(settings.assurance)}, if differences are about normal (assurance)"
        )
    elif plan.need_low is not None or not plan.is_named:
        n_units, kind = (plan.n, "query") if design.n_clusters is None else (design.n_clusters, "cluster")
        few_text = (
            f"; {pluralise(n_units, kind, design.kind)} are few for this: more than half of such plans miss their "
            "power, and with an assurance (assurance=0.8, or --assurance 0.8) 1 of 5 does"
        )
        notes.append(
            f"this deviation is itself an estimate: {uncertainty_text(plan)} (95 % confidence, if differences are "
            f"about normal){few_text if n_units < FEW else ''}"
        )
    return tuple(notes)


def uncertainty_text(plan: MeasurePlan) -> str:
    """Between what bounds the result lies, since the deviation is an estimate."""
    if plan.need_low is not None:
        return f"the t-test needs between {plan.need_low:,} and {format_need(plan.need_high)} queries"
    low, high = (format_difference(plan.difference * sd / plan.planned_sd) for sd in (plan.sd_low, plan.sd_high))
    return f"the smallest difference is between {low} and {high}"


def shared_notes(plan: MeasurePlan) -> tuple[str, ...]:
    """Notes that hold whether or not a plan was possible."""
    if not plan.are_logarithms or math.isnan(plan.difference):
        return plan.notes
    ratio_text = f"a {plan.measure} that is {math.exp(plan.difference):.3g} times as high"
    return (
        *plan.notes,
        f"a difference of {format_difference(plan.difference)} in {averaged_quantity(plan)}: {ratio_text}",
    )


def test_notes(plan: MeasurePlan, alpha: float, alternative: str, tests: int) -> tuple[str, ...]:
    """Notes on what finding a difference means, and on what the numbers do not say."""
    n_systems, chance = len(plan.systems), f"{100 * alpha:.10g}"
    if tests > 1:
        notes = [
            f"power: the probability that the t-test's p-value is at most {alpha:g} / {tests} = {alpha / tests:.2g} if "
            f"the true difference is the one stated, since {tests} tests share the level (Bonferroni; Holm's "
            f"correction needs no more queries); of equal systems, at most about {chance} of 100 such experiments find "
            "any difference"
        ]
    else:
        notes = [
            f"power: the probability that the test's p-value is at most {alpha:g} if the true difference is the one "
            f"stated; of equal systems, it is at most {alpha:g} in about {chance} of 100 experiments, too"
        ]
    if alternative != "two-sided":
        notes.append(
            f"alternative {alternative}: the difference is assumed to be on that side; analyses of variance and "
            "intervals are two-sided"
        )
    if n_systems > 2 and tests == 1:
        n_pairs = n_systems - 1 if plan.baseline is not None else n_systems * (n_systems - 1) // 2
        notes.append(
            f"the t-test is of one pair; with a correction for all {n_pairs} it needs more queries, at most as many as "
            f"at the level {alpha:g} / {n_pairs} = {alpha / n_pairs:.2g} (Bonferroni)"
        )
    return tuple(notes)
