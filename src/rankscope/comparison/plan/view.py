"""The view of a plan: the sentence that everybody understands, the tables under it, and notes for a careful reader."""

from __future__ import annotations

import math
from fractions import Fraction

from rankscope.comparison.plan.queries import (
    CONSTANT,
    CURVE,
    IDENTICAL,
    MOST,
    ONE_QUERY,
    MeasurePlan,
    PlanRow,
    QueryPlan,
)
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, pluralise, pluralise_queries

__all__ = [
    "sections_of",
]


#: A spread taken from fewer queries than these is hardly known.
FEW = 25


def plan_sections(result: QueryPlan) -> list[Section]:
    """A sentence with the needs for each measure, and its power by number of queries."""
    return [
        section
        for plan in result.plans
        for section in sections_of(plan, result.power, result.level, result.alternative, result.tests)
    ]


def sections_of(one: MeasurePlan, power: float, level: float, alternative: str, tests: int = 1) -> list[Section]:
    """What the plan of one measure shows: the sentence and the needs, then power by number of queries."""
    what = measured_quantity(one)
    if one.trouble:
        return [Section(title=f"Queries needed: {what}", sentence=trouble_sentence(one), notes=shared_notes(one))]
    notes = (*spread_notes(one), *shared_notes(one), *test_notes(one, level, alternative, tests))
    needs = Section(
        title=f"Queries needed: {what}",
        sentence=sentence_of(one, power),
        table=needs_table(one, power, level),
        notes=notes,
    )
    t = one.row("t")
    numbers, powers = one.curve
    data = {
        "measure": what,
        "difference": one.difference,
        "n": numbers,
        "power": powers,
        "n_now": one.n_now,
        "n_needed": t.n_queries,
        "target": power,
    }
    curve = Section(
        title=f"Found in how many of 100 experiments: {what}",
        table=Table(
            columns=("queries", "found in 100"),
            rows=tuple((f"{row.n_queries:,}", of_100(row.power)) for row in one.rows if row.method == CURVE),
            left=0,
        ),
        figure=Figure("power_curve", data),
    )
    return [needs, curve]


def measured_quantity(one: MeasurePlan) -> str:
    """What differs, from query to query."""
    return f"{'standardised ' if one.standardised else ''}{'log ' if one.geometric else ''}{one.measure}"


def averaged_quantity(one: MeasurePlan) -> str:
    """What a difference is one of: of means, which logarithms have to be said to have."""
    return f"mean {measured_quantity(one)}" if one.geometric else measured_quantity(one)


def format_difference(value: float) -> str:
    """A difference as people write it."""
    return f"{value:.4g}"


def share(power: float) -> str:
    """.8 as "4 of 5"."""
    exact = Fraction(str(float(power)))
    return f"{exact.numerator} of {exact.denominator}" if exact.denominator <= 100 else f"{100 * power:.10g} of 100"


def of_100(power: float) -> str:
    """.587 as "58": rounded down, so that no target seems reached that is not."""
    hundredths = int(100 * power + 1e-9)
    if hundredths == 0:
        return "fewer than 1"
    return "more than 99" if power > 0.99 + 1e-9 else str(hundredths)


def sentence_of(one: MeasurePlan, power: float) -> str:
    """What is needed and what one has."""
    like = "two systems like these" if one.baseline is None else f"{one.baseline} and a system like these"
    as_here = "" if one.pair is None else f", as observed between {one.pair[0]} and {one.pair[1]},"
    t = one.row("t").n_queries
    need = (
        f"you need {pluralise_queries(t)}"
        if t is not None
        else f"you need more than {pluralise_queries(MOST)}, more than can be had"
    )
    now = of_100(one.row("t achieved").power)
    enough = t is not None and one.n_now >= t
    have = f"you have {one.n_now:,}, " + ("which is enough: with them" if enough else "with which")
    return (
        f"To find a difference of {format_difference(one.difference)} in {averaged_quantity(one)}{as_here} between "
        f"{like} in {share(power)} such experiments, {need}; {have} it would be found in {now} of 100."
    )


def trouble_sentence(one: MeasurePlan) -> str:
    """Why there is no number."""
    what = measured_quantity(one)
    names = " and ".join(one.systems) if len(one.systems) == 2 else f"all {pluralise(len(one.systems), 'system')}"
    if one.trouble == ONE_QUERY:
        return (
            f"From one query nobody can tell how much differences in {what} vary from query to query, so how many "
            "queries are needed cannot be said; measure more queries."
        )
    if one.trouble == IDENTICAL:
        return (
            f"{names} have the same {what} on every query: nothing varies, so how many queries a difference would need "
            "cannot be said from these scores."
        )
    if one.trouble == CONSTANT:
        return (
            f"The difference in {what} is the same on every query ({names}): it does not vary, so how many queries are "
            "needed cannot be said from these scores."
        )
    assert one.pair is not None
    return (
        f"{one.pair[0]} and {one.pair[1]} have the same mean {what}, so there is no observed difference to plan for; "
        "say which difference matters (difference=0.02, or --difference 0.02)."
    )


def needs_table(one: MeasurePlan, power: float, level: float) -> Table:
    """The needs as people read them."""
    m = len(one.systems)
    rows = {
        "t": f"t-test of two systems, found in {share(power)}",
        "t achieved": "t-test of two systems, with the queries at hand",
        "one-way ANOVA": f"analysis of variance of {pluralise(m, 'system')}, other queries for each",
        "two-way ANOVA": f"analysis of variance of {pluralise(m, 'system')}, the same queries for all",
        "interval": f"{format_percent(1 - level)} interval of the difference, this much to either side",
    }

    def cells(text: str, row: PlanRow) -> tuple[str, ...]:
        needed = f"more than {MOST:,}" if row.n_queries is None else f"{row.n_queries:,}"
        return text, format_difference(row.difference), "-" if row.power != row.power else of_100(row.power), needed

    return Table(
        columns=("what", "difference", "found in 100", "queries"),
        rows=tuple(cells(text, one.row(method)) for method, text in rows.items()),
    )


def spread_notes(one: MeasurePlan) -> tuple[str, ...]:
    """Where the spread comes from, and how well it is known."""
    m = len(one.systems)
    if m == 2:
        source = f"of the differences between {one.systems[0]} and {one.systems[1]}"
    elif one.baseline is not None:
        source = f"of the differences of {pluralise(m - 1, 'system')} to {one.baseline}, pooled"
    else:
        source = (
            f"of the difference of two of {pluralise(m, 'system')}, sqrt(2 MS_E) of the two-way analysis of variance"
        )
    notes = [f"standard deviation {source}: {one.sd:.4g}, from {pluralise_queries(one.n)}"]
    if one.need_low is not None:
        high = f"more than {MOST:,}" if one.need_high is None else f"{one.need_high:,}"
        few = f"; {pluralise_queries(one.n)} are few for this" if one.n < FEW else ""
        notes.append(
            "this deviation is itself an estimate: what the t-test needs is between "
            f"{one.need_low:,} and {high} queries (95 % confidence, if differences are about normal){few}"
        )
    return tuple(notes)


def shared_notes(one: MeasurePlan) -> tuple[str, ...]:
    """What holds whether or not something could be planned."""
    if not one.geometric or not one.difference:
        return one.notes
    times = f"a {one.measure} that is {math.exp(one.difference):.3g} times as high"
    return (*one.notes, f"a difference of {format_difference(one.difference)} in {averaged_quantity(one)}: {times}")


def test_notes(one: MeasurePlan, level: float, alternative: str, tests: int) -> tuple[str, ...]:
    """What is meant by finding a difference, and what the numbers do not say."""
    m, chance = len(one.systems), f"{100 * level:.10g}"
    if tests > 1:
        notes = [
            f"found: the t-test's p-value is at most {level:g} / {tests} = {level / tests:.2g}, as it is one of "
            f"{tests} that share the level (Bonferroni; Holm's correction asks for no more); of equal systems, "
            f"{chance} of 100 experiments find any"
        ]
    else:
        notes = [
            f"found: the test's p-value is at most {level:g}; of equal systems, {chance} of 100 experiments find one "
            "too"
        ]
    if one.pair is not None:
        notes.append(
            "power computed from the difference that was observed says nothing beyond the p-value of that difference; "
            "say which difference matters (difference=0.02, or --difference 0.02)"
        )
    if alternative != "two-sided":
        notes.append(
            f"alternative {alternative}: the difference is taken to be on that side; analyses of variance and "
            "intervals have no side"
        )
    if m > 2 and tests == 1:
        pairs = m - 1 if one.baseline is not None else m * (m - 1) // 2
        notes.append(
            f"the t-test is of one pair; with a correction for all {pairs} it needs more queries, at most those for "
            f"the level {level:g} / {pairs} = {level / pairs:.2g} (Bonferroni)"
        )
    return tuple(notes)
