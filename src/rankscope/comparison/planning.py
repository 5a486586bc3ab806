"""How many queries a comparison needs, and what those at hand can show: planned from scores that one has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankscope.comparison.matched import check_systems, select_measures
from rankscope.comparison.planning_measure import MeasurePlan, PlanRow, PlanSettings, plan_measure
from rankscope.comparison.planning_words import sections_of
from rankscope.data.scores import Scores
from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.errors import ParameterError
from rankscope.stats.inputs import check_alternative, check_count, check_level, check_positive, check_share

if TYPE_CHECKING:
    import polars as pl

__all__ = ["QueryPlan", "check_plan", "plan"]


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryPlan:
    """What `plan` found: how many queries a comparison needs, measure by measure.

    `frame()`, and the output for programs, have the columns measure, method, difference, power, n_queries. Methods:
    "t": the fewest queries with which the paired t-test reaches the power that was asked for; "t achieved": its power
    with the queries at hand; "one-way ANOVA" and "two-way ANOVA": the fewest for an analysis of variance of all systems
    (other queries for each, or the same for all), the best and worst of which differ by `difference`; "interval": the
    fewest for an interval of the width asked for, half of which stands in `difference`; "t at n": the power of the
    t-test with other numbers of queries. power is what n_queries reach, so at least what was asked for. Null or empty:
    there is no such number, as sentences and notes say. `plan` makes it.

    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = rs.Run({q: {"a": 2.0, "b": 1.0} for q in qrels}, name="good")
    >>> poor = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(qrels)}, name="poor")
    >>> found = rs.plan(rs.evaluate(qrels, [good, poor], "RR"), difference=0.1)
    >>> found
    QueryPlan(RR with power 0.8)
    >>> [row[-1] for row in found.records() if row[1] == "t"]  # queries to find a difference of 0.1
    [61]
    """

    plans: tuple[MeasurePlan, ...]
    power: float
    level: float
    tests: int
    alternative: str
    settings: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("measure", *PlanRow._fields)

    def records(self) -> Iterator[tuple[str | float | None, ...]]:
        """The rows of the tidy table."""
        for one in self.plans:
            for row in one.rows:
                yield (one.measure, *row)

    def sections(self) -> list[Section]:
        """A sentence with the needs for each measure, and its power by number of queries."""
        return [
            section
            for one in self.plans
            for section in sections_of(one, self.power, self.level, self.alternative, self.tests)
        ]

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.settings

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"QueryPlan({', '.join(one.measure for one in self.plans)} with power {self.power:g})"


def plan(
    scores: Scores,
    measures: object = None,
    *,
    baseline: str | None = None,
    difference: float | None = None,
    width: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
    alternative: str = "two-sided",
    n_queries: int | None = None,
    tests: int = 1,
) -> QueryPlan:
    r"""How many queries it takes to find a difference between two systems, and what the queries at hand can show.

    How much scores vary is taken from these scores: of two systems, the standard deviation s of their differences; of
    more, sqrt(2 MS_E) of the two-way analysis of variance, or with a baseline the pooled deviation of the differences
    to it. The power of the paired t-test with n queries is then that of the noncentral t with noncentrality
    difference sqrt(n) / s. The values are those that `compare` tests: of the queries where every system has one, and of
    a geometric measure (GMAP) their natural logarithms, so that differences are those of logarithms.

    difference: how large a difference is to be found, above 0; without it the one that was observed between the two
    best systems (or the best and the baseline), whose power says no more than its p-value does. width: of an interval
    of the mean difference; twice the difference where not given, so that an observed difference of this size is just
    told from 0. alternative: where one-sided, the difference is on the side that is tested. n_queries: at hand, where
    they are not those of the scores. tests: how many t-tests share the level, each at level / tests, as Bonferroni's
    correction has it (Holm's asks for no more).

    One query, or differences that do not vary: a sentence says that nothing can be
    planned, and there are no numbers.

    Raises ParameterError for fewer than two systems, for a level or power outside (0, 1), for a difference or width not
    above 0, for a difference that the measure cannot reach, for a measure without direction; UnknownName for a measure
    or baseline that the scores do not hold; InputError where no query has values of all systems.

    Source: Cohen (1988); Sakai (2016), topic set size design, with an exact noncentral F.

    >>> import rankscope as rs
    >>> qrels = {q: {"a": 1} for q in "123456"}
    >>> ranks = {"good": (1, 1, 2, 1, 3, 1), "poor": (2, 1, 3, 3, 2, 4)}  # of the only relevant document
    >>> runs = [
    ...     rs.Run({q: {"x": -1, "y": -2, "z": -3, "a": 0.5 - r} for q, r in zip(qrels, of)}, name=name)
    ...     for name, of in ranks.items()
    ... ]
    >>> found = rs.plan(rs.evaluate(qrels, runs, "RR"), difference=0.2)
    >>> print(found.sections()[0].sentence.replace("; ", ";\n"))
    To find a difference of 0.2 in RR between two systems like these in 4 of 5 such experiments, you need 30 queries;
    you have 6, with which it would be found in 18 of 100.
    """
    check_plan(
        difference=difference,
        width=width,
        power=power,
        level=level,
        alternative=alternative,
        n_queries=n_queries,
        tests=tests,
    )
    check_systems(scores, baseline)
    side = "two-sided" if alternative == "two-sided" else "greater"
    asked = PlanSettings(difference, width, power, level, side, n_queries, tests)
    chosen = select_measures(scores, measures)
    settings = {
        "baseline": baseline,
        "difference": "observed" if difference is None else f"{difference:g}",
        "width": None if width is None else f"{width:g}",
        "power": f"{power:g}",
        "level": f"{level:g}",
        "tests": None if tests == 1 else str(tests),
        "alternative": alternative,
        "at_hand": None if n_queries is None else str(n_queries),
    }
    return QueryPlan(
        plans=tuple(plan_measure(scores, name, baseline, asked) for name in chosen),
        power=power,
        level=level,
        tests=tests,
        alternative=alternative,
        settings=signature_of(scores, chosen, {key: value for key, value in settings.items() if value is not None}),
        notes=scores.notes,
    )


def check_plan(
    *,
    difference: float | None = None,
    width: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
    alternative: str = "two-sided",
    n_queries: int | None = None,
    tests: int = 1,
) -> None:
    """Raise ParameterError for what `plan` refuses whatever the scores; for those who have not read them yet."""
    for name, value in (("difference", difference), ("width", width)):
        if value is not None:
            check_positive(name, value)
    check_share("power", power)
    check_level(level)
    if power <= level:
        raise ParameterError(
            f"power is {power:g}, which a test at the level {level:g} has by chance; expected a power above the level"
        )
    check_alternative(alternative)
    check_count("tests", tests)
    if n_queries is not None:
        check_count("n_queries", n_queries, 2)


def signature_of(scores: Scores, chosen: Sequence[str], settings: Mapping[str, str]) -> str:
    """That of the scores, of these measures only, with the settings of the plan."""
    own = scores.measure_settings or ({},) * len(scores.measures)
    places = [scores.measure_names.index(name) for name in chosen]
    return replace(
        scores,
        measures=tuple(scores.measures[m] for m in places),
        measure_settings=tuple(own[m] for m in places),
        settings={**scores.settings, **settings},
    ).signature()
