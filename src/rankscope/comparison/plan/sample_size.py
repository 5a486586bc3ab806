"""The function `plan`: how many queries a comparison needs, and what the queries at hand can show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rankscope.comparison.common_queries import check_systems, match_queries, measure_names_of
from rankscope.comparison.plan.cluster_design import ClusterDesign, design_of
from rankscope.data.result import Result
from rankscope.data.scores import MIN_GEOMETRIC, Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes, weight_notes
from rankscope.kernels.rounding_ties import NOISE
from rankscope.settings import POSITIVE, Settings, alpha_field, choice, count, number, share, text
from rankscope.stats.anova import two_way_anova
from rankscope.stats.distributions import special
from rankscope.stats.inputs import ALTERNATIVES, is_constant, scale_table
from rankscope.stats.power import (
    anova_power,
    difference_for_t,
    queries_for_anova,
    queries_for_interval,
    queries_for_t,
    t_power,
)
from rankscope.typing import Floats

__all__ = [
    "CURVE",
    "MAX_QUERIES",
    "NEEDS",
    "SMALLEST",
    "MeasurePlan",
    "PlanRow",
    "PlanSettings",
    "QueryPlan",
    "plan",
    "plan_measure",
    "plan_queries",
]


#: The methods that the tidy table has for each measure, before the rows of CURVE; with clusters or weights without
#: analyses of variance, which take all queries as independent.
NEEDS = ("t detectable", "t", "t achieved", "one-way ANOVA", "two-way ANOVA", "interval")
CURVE = "t at n"
#: The method of rows that stand in the place of these where no difference is named.
SMALLEST = "t detectable at n"
#: Numbers of queries, or of clusters, for which power is shown, if they are near the need.
GRID = tuple(int(m * 10**e) for e in range(1, 9) for m in (1, 2.5, 5))
#: Points of the curve of power.
POINTS = 60
#: The largest number of queries that the search allows; `stats.power` refuses more.
MAX_QUERIES = 10**8
#: The smallest differences are shown for numbers of queries between these multiples of that at hand.
FEWEST, MOST = 1 / 5, 20
#: Why nothing can be planned.
ONE_QUERY, IDENTICAL, CONSTANT = "one query", "identical", "constant"
UNJUDGED, FEW_CLUSTERS = "unjudged", "few clusters"
#: With fewer clusters, by what they weigh, nothing says how clusters vary.
MIN_CLUSTERS = 2
#: The ratio of the deviations of two pairs of systems from which on a note says so; of more systems, none does.
MOST_RATIO, MOST_COMPARED = 2.0, 1000


class PlanRow(NamedTuple):
    """A row of the tidy table, without its measure.

    Attributes
    ----------
    method
        How the number was computed.
    difference
        The difference to be found; NaN if undefined.
    power
        The power with that many queries; NaN if undefined.
    n_queries
        The number of queries; None if undefined.
    """

    method: str
    difference: float
    power: float
    n_queries: int | None


@dataclass(frozen=True, kw_only=True)
class PlanSettings(Settings):
    """What a comparison is planned for."""

    FUNCTIONS = ("rankscope:plan",)
    COMMANDS = ("plan",)

    baseline: str | None = text(None, help="Plan for comparisons with this system.", unset="all pairs", metavar="NAME")
    difference: float | None = number(
        None,
        rule=POSITIVE,
        help="Difference to be detected, in units of the measure.",
        unset="the smallest that the queries at hand detect",
        metavar="D",
    )
    width: float | None = number(
        None,
        rule=POSITIVE,
        help="Width of a confidence interval of the difference.",
        unset="twice the difference",
        metavar="W",
    )
    power: float = share(0.8, help="Statistical power: the probability of detecting the difference.")
    alpha: float = alpha_field(help="Significance level A; confidence intervals have the level 1 - A.")
    alternative: str = choice(
        "two-sided",
        ALTERNATIVES,
        help="Alternative hypothesis; if it is one-sided, the difference to detect lies in the tested direction.",
    )
    assurance: float | None = share(
        None,
        help="Probability that a plan from few queries has its power: the spread is taken as large as it may be.",
        unset="the spread as estimated, which few queries put too low as often as too high",
    )
    n_queries: int | None = count(
        None, minimum=2, flag="--at-hand", help="Number of queries at hand.", unset="the queries of the scores"
    )
    tests: int = count(1, help="Number of t-tests that share the significance level (Bonferroni correction).")

    @property
    def side(self) -> str:
        """The tested side, where positive differences are on it."""
        return "two-sided" if self.alternative == "two-sided" else "greater"

    @property
    def alpha_per_test(self) -> float:
        """The level of one test by Bonferroni's correction."""
        return self.alpha / self.tests

    def check(self) -> None:
        """Refuse a power that chance alone has."""
        if self.power <= self.alpha:
            raise ParameterError(
                f"power is {self.power:g}, which a test at the level {self.alpha:g} has by chance; expected a power "
                "above the level"
            )


class PowerCurve(NamedTuple):
    """Numbers of queries, and the power with them."""

    n: tuple[int, ...]
    power: tuple[float, ...]


class ScoreSpread(NamedTuple):
    """Standard deviations of scores.

    Attributes
    ----------
    sd
        Of the difference of two systems.
    residual
        Of what neither system nor query explains.
    system
        Of the scores of a system.
    """

    sd: float
    residual: float
    system: float


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasurePlan:
    """The plan for one measure.

    Attributes
    ----------
    measure
        Full name of the measure.
    standardised
        Whether scores are standardised by query.
    systems
        The systems that the plan is based on.
    baseline
        The system that the others are compared with; None for all pairs.
    n
        Queries with values of all systems, from which the spread is estimated.
    n_now
        Queries at hand.
    difference
        The difference to be found; NaN where nothing can be planned.
    is_named
        Whether the user named the difference; else it is the smallest that the queries at hand detect.
    value_range
        How far apart two values of the measure can be.
    width
        Width of the interval.
    sd
        Standard deviation of the differences of two systems.
    planned_sd
        The deviation that the plan is for: `sd`, or with an assurance its upper bound.
    sd_low, sd_high
        Bounds of the deviation (95 % confidence, of a normal distribution); NaN where nothing can be planned.
    design
        The clusters and weights of the queries.
    need_low, need_high
        The need with these deviations; None beyond 100,000,000, and where no difference is named.
    rows
        Rows of the tidy table.
    curve
        The power of the t-test by the number of queries.
    obstacle
        Why nothing can be planned, in a word; else empty.
    unjudged
        The systems none of whose documents is judged.
    are_logarithms
        Whether values, and so differences, are natural logarithms.
    notes
        Notes on the values, as `compare` has them.
    """

    measure: str
    standardised: bool
    systems: tuple[str, ...]
    baseline: str | None
    n: int
    n_now: int
    difference: float
    is_named: bool
    value_range: float
    width: float
    sd: float
    planned_sd: float
    sd_low: float
    sd_high: float
    design: ClusterDesign
    need_low: int | None
    need_high: int | None
    rows: tuple[PlanRow, ...]
    curve: PowerCurve
    obstacle: str
    unjudged: tuple[str, ...]
    are_logarithms: bool
    notes: tuple[str, ...]

    def row(self, method: str) -> PlanRow:
        """The first row of a method."""
        return next(row for row in self.rows if row.method == method)

    def clusters_of(self, row: PlanRow) -> int | None:
        """In how many clusters the queries of a row are; None for no number of queries."""
        return None if row.n_queries is None else self.design.clusters_of(row.n_queries)


def plan_measure(scores: Scores, name: str, settings: PlanSettings) -> MeasurePlan:
    """The plan for one measure of the scores. Raises as `plan` does."""
    measure_values, baseline = match_queries(scores, name), settings.baseline
    measure = scores.measures[scores.measure_names.index(name)]
    geometric = measure.summary == "geometric"
    low, high = range_of_values(measure.range, geometric)
    refuse_beyond_range(name, low, high, geometric, settings)
    x, n = measure_values.values, measure_values.n
    baseline_index = None if baseline is None else scores.systems.index(baseline)
    design = design_of(measure_values, baseline_index)
    spread = ScoreSpread(0.0, 0.0, 0.0) if n == 1 else spread_of(x, baseline_index, design)
    n_now = n if settings.n_queries is None else settings.n_queries
    trouble = UNJUDGED if measure_values.unjudged else trouble_of(x, spread, design)
    planned, sd_ends = spread, (np.nan, np.nan)
    if not trouble:
        refuse_part_of_clusters(n_now, design)
        sd_ends = interval_of_sd(spread.sd, n / design.size)
        if settings.assurance is not None:
            factor = largest_sd(1.0, n / design.size, settings.assurance)
            planned = ScoreSpread(*(factor * sd for sd in spread))
    smallest_row = detectable_row(0.0 if trouble else planned.sd, n_now, design, settings)
    is_named = settings.difference is not None
    difference = smallest_row.difference if settings.difference is None else settings.difference
    width = 2 * difference if settings.width is None else settings.width
    rows, curve = empty_rows(difference, width, n_now, design) if is_named else (), PowerCurve((), ())
    need_low = need_high = None
    if not trouble and is_named:
        rows, curve = plan_rows(len(x), planned, design, difference, width, n_now, settings)
        need_low, need_high = (queries_needed(difference, sd, design, settings) for sd in sd_ends)
    elif not trouble:
        rows, curve = smallest_rows(planned.sd, design, difference, n_now, settings)
    return MeasurePlan(
        measure=name,
        standardised="standardised" in scores.settings,
        systems=scores.systems,
        baseline=baseline,
        n=n,
        n_now=n_now,
        difference=difference,
        is_named=is_named,
        value_range=high - low,
        width=width,
        sd=spread.sd,
        planned_sd=planned.sd,
        sd_low=sd_ends[0],
        sd_high=sd_ends[1],
        design=design,
        need_low=need_low,
        need_high=need_high,
        rows=(smallest_row, *rows),
        curve=curve,
        obstacle=trouble,
        unjudged=scores.unjudged_systems,
        are_logarithms=geometric,
        notes=(
            *measure_values.notes,
            *weight_notes(measure_values.weights),
            *cluster_notes(measure_values.clusters, design.correlation),
            *([] if trouble else pair_spread_notes(x, scores.systems, baseline_index)),
        ),
    )


def range_of_values(value_range: tuple[float, float], geometric: bool) -> tuple[float, float]:
    """The lowest and the highest value; of a geometric measure, those of the logarithms."""
    low, high = (float(np.log(max(bound, MIN_GEOMETRIC))) for bound in value_range) if geometric else value_range
    return low, high


def refuse_beyond_range(name: str, low: float, high: float, geometric: bool, settings: PlanSettings) -> None:
    """Raise for a difference that the measure cannot reach, as one in percent."""
    if settings.difference is not None and settings.difference > high - low:
        raise ParameterError(
            f"difference is {settings.difference:g}, and {'log ' if geometric else ''}{name} lies between {low:.4g} "
            f"and {high:.4g}; expected at most {high - low:.4g}, such as 0.02"
        )


def refuse_part_of_clusters(n_now: int, design: ClusterDesign) -> None:
    """Raise ParameterError for fewer queries at hand than two clusters hold."""
    if n_now < MIN_CLUSTERS * design.size:
        least = design.complete(int(np.ceil(MIN_CLUSTERS * design.size)))
        raise ParameterError(
            f"n_queries (--at-hand) is {n_now}, less than two {design.kind} like these hold; expected at least {least}"
        )


def spread_of(x: Floats, baseline: int | None, design: ClusterDesign) -> ScoreSpread:
    """The standard deviations that the methods need. x: (systems, queries), at least 2 of each.

    The variance of a difference is 2 MS_E, twice that of the residuals, where it is the same for all pairs of systems;
    with a baseline it is the mean over the differences to it. Of two systems, both are the variance of their
    differences.
    """
    residual = two_way_anova(x).sigma
    if len(x) == 2 or baseline is not None:
        reference_index = len(x) - 1 if baseline is None else baseline
        sd = pooled_deviation(np.delete(x, reference_index, axis=0) - x[reference_index])
    else:
        sd = float(np.sqrt(2)) * residual
    return ScoreSpread(sd * design.deviation, residual, pooled_deviation(x))


def pair_spread_notes(x: Floats, systems: Sequence[str], baseline: int | None) -> list[str]:
    """A note where the differences of some pairs spread far more than those of others. x: (systems, queries)."""
    if not 2 < len(x) <= MOST_COMPARED:
        return []
    scaled, power = scale_table(x)
    covariances = np.cov(scaled)
    variances = np.diag(covariances)
    first, second = np.triu_indices(len(x), 1)
    if baseline is not None:
        first, second = (indices[(first == baseline) | (second == baseline)] for indices in (first, second))
    squares = variances[first] + variances[second] - 2 * covariances[first, second]
    differ = np.flatnonzero(squares > NOISE * variances.max())  # the others are equal but for a constant
    if not differ.size:
        return []
    least, most = (differ[pick(squares[differ])] for pick in (np.argmin, np.argmax))
    if squares[most] <= MOST_RATIO**2 * squares[least]:
        return []
    ends = " and ".join(
        f"{np.ldexp(np.sqrt(squares[pair]), power):.4g} ({systems[first[pair]]} and {systems[second[pair]]})"
        for pair in (least, most)
    )
    return [
        f"the deviation of the difference of two systems is between {ends}; a plan for two alone names them (--systems)"
    ]


def pooled_deviation(samples: Floats) -> float:
    """The root of the mean variance of rows (samples, queries); constant rows but for rounding have variance 0."""
    scaled, power = scale_table(samples)
    return float(np.ldexp(np.sqrt(np.where(is_constant(scaled), 0.0, scaled.var(axis=1, ddof=1)).mean()), power))


def trouble_of(x: Floats, spread: ScoreSpread, design: ClusterDesign) -> str:
    """Why nothing can be planned; empty if it can."""
    n = x.shape[1]
    if n == 1:
        return ONE_QUERY
    if n < MIN_CLUSTERS * design.size:
        return FEW_CLUSTERS
    if min(spread) == 0 or design.design_effect <= NOISE:
        return IDENTICAL if is_constant(x.T).all() else CONSTANT
    return ""


def detectable_row(sd: float, n_now: int, design: ClusterDesign, settings: PlanSettings) -> PlanRow:
    """The smallest difference that the t-test detects with the queries at hand; NaN if the spread is unknown."""
    if sd == 0:
        return PlanRow("t detectable", np.nan, np.nan, n_now)
    smallest = difference_for_t(
        n_now,
        sd,
        power=settings.power,
        alpha=settings.alpha_per_test,
        alternative=settings.side,
        **design.for_power,
    )
    return PlanRow("t detectable", smallest, settings.power, n_now)


def empty_rows(difference: float, width: float, n_now: int, design: ClusterDesign) -> tuple[PlanRow, ...]:
    return tuple(
        PlanRow(method, width / 2 if method == "interval" else difference, np.nan, n_queries)
        for method, n_queries in zip(NEEDS[1:], (None, n_now, None, None, None), strict=True)
        if design.is_simple or "ANOVA" not in method
    )


def plan_rows(
    n_systems: int,
    spread: ScoreSpread,
    design: ClusterDesign,
    difference: float,
    width: float,
    n_now: int,
    settings: PlanSettings,
) -> tuple[tuple[PlanRow, ...], PowerCurve]:
    """The rows of the tidy table for a named difference, and the curve of power."""
    power_with = partial(powers, difference, spread.sd, design, settings)
    n_needed = queries_needed(difference, spread.sd, design, settings)
    rows = [
        PlanRow("t", difference, np.nan if n_needed is None else power_with([n_needed])[0], n_needed),
        PlanRow("t achieved", difference, power_with([n_now])[0], n_now),
    ]
    if design.is_simple:
        rows += anova_rows(n_systems, spread, difference, settings)
    rows.append(interval_row(width, spread.sd, design, settings))
    largest = design.clusters_of(MAX_QUERIES if n_needed is None else n_needed)
    most = int(MAX_QUERIES / design.per_cluster)
    grid = [
        design.queries_of(n_clusters)
        for n_clusters in GRID
        if max(10, largest / 25) <= n_clusters <= max(50, min(4 * largest, most))
        and design.queries_of(n_clusters) >= MIN_CLUSTERS * design.size
    ]
    rows += [PlanRow(CURVE, difference, p, n) for n, p in zip(grid, power_with(grid), strict=True)]
    points = points_of_curve(largest, n_now, n_needed, design)
    return tuple(rows), PowerCurve(tuple(points), tuple(power_with(points)))


def smallest_rows(
    sd: float, design: ClusterDesign, difference: float, n_now: int, settings: PlanSettings
) -> tuple[tuple[PlanRow, ...], PowerCurve]:
    """The smallest differences that other numbers of queries detect, and the curve of power for the one at hand.

    difference: the smallest that the queries at hand detect.
    """
    rows = [] if settings.width is None else [interval_row(settings.width, sd, design, settings)]
    n_clusters_now = design.clusters_of(n_now)
    for n_clusters in GRID:
        n = design.queries_of(n_clusters)
        is_near = FEWEST * n_clusters_now <= n_clusters <= MOST * n_clusters_now
        if is_near and MIN_CLUSTERS * design.size <= n <= MAX_QUERIES:
            rows.append(detectable_row(sd, n, design, settings)._replace(method=SMALLEST))
    points = points_of_curve(n_clusters_now, n_now, n_now, design)
    return tuple(rows), PowerCurve(tuple(points), tuple(powers(difference, sd, design, settings, points)))


def powers(
    difference: float, sd: float, design: ClusterDesign, settings: PlanSettings, n_queries: list[int]
) -> list[float]:
    """The power of the t-test with each number of queries."""
    alpha, side = settings.alpha_per_test, settings.side
    values = t_power(n_queries, difference, sd, alpha=alpha, alternative=side, **design.for_power)
    return [float(power) for power in np.clip(values, 0.0, 1.0)]


def interval_row(width: float, sd: float, design: ClusterDesign, settings: PlanSettings) -> PlanRow:
    """The queries that an interval of this width needs."""
    confidence_level = 1 - settings.alpha
    n = queries_or_none(partial(queries_for_interval, width, sd, confidence_level=confidence_level, **design.for_power))
    return PlanRow("interval", width / 2, np.nan, design.complete(n))


def points_of_curve(largest: int, n_now: int, n_needed: int | None, design: ClusterDesign) -> list[int]:
    """The numbers of queries at which the curve of power is drawn. largest: the clusters that are to be on it."""
    least = int(np.ceil(MIN_CLUSTERS * design.size))
    last_n = max(2 * min(design.queries_of(largest), MAX_QUERIES // 2), 1.2 * n_now, 20 * design.per_cluster)
    return sorted({*np.geomspace(least, last_n, POINTS).astype(int).tolist(), n_now, *([n_needed] if n_needed else [])})


def anova_rows(n_systems: int, spread: ScoreSpread, difference: float, settings: PlanSettings) -> list[PlanRow]:
    """The needs of analyses of variance."""
    rows = []
    for design, sd in (("one-way", spread.system), ("two-way", spread.residual)):
        n = queries_or_none(
            partial(
                queries_for_anova, n_systems, difference, sd, power=settings.power, alpha=settings.alpha, design=design
            )
        )
        power = np.nan if n is None else anova_power(n, n_systems, difference, sd, alpha=settings.alpha, design=design)
        rows.append(PlanRow(f"{design} ANOVA", difference, power, n))
    return rows


def queries_needed(difference: float, sd: float, design: ClusterDesign, settings: PlanSettings) -> int | None:
    """How many queries, in whole clusters, the t-test needs; None if more than the search allows."""
    return design.complete(
        queries_or_none(
            partial(
                queries_for_t,
                difference,
                sd,
                power=settings.power,
                alpha=settings.alpha_per_test,
                alternative=settings.side,
                **design.for_power,
            )
        )
    )


def queries_or_none(count_queries: Callable[[], int]) -> int | None:
    """The result of `count_queries`; None if it is more than the search allows, the only error of checked arguments."""
    try:
        return count_queries()
    except ParameterError:
        return None


def interval_of_sd(sd: float, n: float) -> tuple[float, float]:
    """The 95 % confidence interval of the true standard deviation, if differences are normal.

    (n - 1) sd^2 / sigma^2 has a chi-square distribution with n - 1 degrees of freedom. For several systems it has more
    if their residuals are independent, which is unknown; the result is then the wider interval. With clusters or
    weights n is the effective number of clusters, between which the error of a mean is estimated.
    """
    chdtri = special().chdtri
    low, high = (float(sd * np.sqrt((n - 1) / chdtri(n - 1, tail))) for tail in (0.025, 0.975))
    return low, high


def largest_sd(sd: float, n: float, confidence: float) -> float:
    """What the true standard deviation exceeds with a probability of 1 - confidence only, if differences are normal.

    n: as for `interval_of_sd`. Browne (1995): with it, a plan has its power with this probability.
    """
    return float(sd * np.sqrt((n - 1) / special().chdtri(n - 1, confidence)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryPlan(Result):
    """How many queries a comparison needs by each measure, as `plan` gives it.

    `frame()` has the columns measure, method, difference, power and n_queries. The methods are

    - "t detectable": the smallest difference that the paired t-test detects with the queries at hand;
    - "t": the fewest queries with which the paired t-test reaches the power;
    - "t achieved": the power of that test with the queries at hand;
    - "one-way ANOVA", "two-way ANOVA": the fewest queries for an analysis of variance of all systems (different queries
    for each system, or the same for all), if the best and the worst differ by `difference`;
    - "interval": the fewest queries for an interval of the given width; `difference` is half the width;
    - "t at n": the power of the t-test with other numbers of queries.

    Where no difference is named, there are only "t detectable", "interval" if a width is named, and

    - "t detectable at n": the smallest difference that the t-test detects with other numbers of queries.

    power is what n_queries reach, so it is at least the requested power. Null means that there is no such number;
    sentences and notes say why. With clusters there is one more column, n_clusters, and n_queries are those of whole
    clusters; with clusters or weights there are no analyses of variance.

    Attributes
    ----------
    plans
        The plan for each measure.
    settings
        The settings of the plan.
    scores_signature
        The signature of the scores, with the settings of the plan.
    notes
        What a reader should know of the scores.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = rs.Run({q: {"a": 2.0, "b": 1.0} for q in qrels}, name="good")
    >>> poor = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(qrels)}, name="poor")
    >>> result = rs.plan(rs.evaluate(qrels, [good, poor], "RR"), difference=0.1)
    >>> result
    QueryPlan(RR with power 0.8)
    >>> [row[-1] for row in result.records() if row[1] == "t"]  # queries to find a difference of 0.1
    [61]
    """

    VIEW = "rankscope.comparison.plan.view:plan_sections"
    COLUMNS = ("measure", *PlanRow._fields)

    plans: tuple[MeasurePlan, ...]
    settings: PlanSettings
    scores_signature: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return (*self.COLUMNS, "n_clusters") if self.has_clusters else self.COLUMNS

    @property
    def has_clusters(self) -> bool:
        """Whether the queries have clusters."""
        return any(measure_plan.design.n_clusters is not None for measure_plan in self.plans)

    def records(self) -> Iterator[tuple[str | float | None, ...]]:
        """The rows of the tidy table."""
        for measure_plan in self.plans:
            for row in measure_plan.rows:
                n_clusters = (measure_plan.clusters_of(row),) if self.has_clusters else ()
                yield (measure_plan.measure, *row, *n_clusters)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.scores_signature

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{', '.join(measure_plan.measure for measure_plan in self.plans)} with power {self.settings.power:g}"


def plan(
    scores: Scores,
    measures: object = None,
    *,
    baseline: str | None = None,
    difference: float | None = None,
    width: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    n_queries: int | None = None,
    assurance: float | None = None,
    tests: int = 1,
) -> QueryPlan:
    r"""How many queries are needed to detect a difference between two systems, and what the queries at hand can show.

    Parameters
    ----------
    scores
        Scores of at least two systems, from which the variation between queries is estimated.
    measures
        A measure, a list of measures, or None for all measures of the scores.
    baseline
        Plan for comparisons with this system. Default: all pairs.
    difference
        Difference to be detected, in units of the measure. Default: the smallest that the queries at hand detect.
    width
        Width of a confidence interval of the difference. Default: twice the difference.
    power
        Statistical power: the probability of detecting the difference. Default: 0.8.
    alpha
        Significance level A; confidence intervals have the level 1 - A. Default: 0.05.
    alternative
        Alternative hypothesis; if it is one-sided, the difference to detect lies in the tested direction. One of
        'two-sided', 'greater', 'less'. Default: 'two-sided'.
    n_queries
        Number of queries at hand. Default: the queries of the scores.
    assurance
        Probability that a plan from few queries has its power: the spread is taken as large as it may be. Default: the
        spread as estimated, which few queries put too low as often as too high.
    tests
        Number of t-tests that share the significance level (Bonferroni correction). Default: 1.

    Returns
    -------
    QueryPlan
        For each measure the queries needed by the t-test, by analyses of variance and for a confidence interval, and a
        curve of power.

    Raises
    ------
    ParameterError
        An argument is out of range, there are fewer than two systems, a measure has no direction, or cannot reach the
        difference.
    UnknownName
        A measure or the baseline does not exist.
    InputError
        No query has a value for every system.

    Notes
    -----
    The variation is, for two systems, the standard deviation s of their differences; for more, sqrt(2 MS_E) of the
    two-way analysis of variance, or with a baseline the pooled standard deviation of the differences from it. The power
    of the paired t-test with n queries is that of the noncentral t distribution with noncentrality
    difference sqrt(n) / s. Values are those that `compare` tests: on the queries where every system has one, and of a
    geometric measure (GMAP) the natural logarithms. A difference that was observed is no difference to plan for: chosen
    because it was seen, it is too large on average, and its power says no more than its p-value.
    With an assurance A, s is replaced by s sqrt((k - 1) / q), with q the quantile of chi-square with k - 1 degrees of
    freedom that is exceeded with probability A, and k the queries, or effective clusters, that s is from: if
    differences are normal, the true deviation is at most that in A of all cases.
    With several tests each t-test has the level alpha / tests (Bonferroni; Holm's correction needs no more queries).
    Where queries have clusters, the variance of a mean is larger by the design effect 1 + (m - 1) r, with r the
    correlation of differences within a cluster, of all pairs together, and m the size of a query's cluster averaged
    over queries; the degrees of freedom are n / m - 1, and further clusters are taken to be like these. With weights
    the variance is that of the jackknife, as in `compare`.
    With one query, differences that do not vary, or a system none of whose documents is judged, nothing can be planned:
    a sentence says so, and there are no numbers.

    References
    ----------
    Cohen (1988); Sakai (2016), topic set size design, with an exact noncentral F; Kish (1965), "Survey sampling", for
    the design effect; Browne (1995), "On the use of a pilot sample for sample size determination", for the assurance.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {q: {"a": 1} for q in "123456"}
    >>> ranks = {"good": (1, 1, 2, 1, 3, 1), "poor": (2, 1, 3, 3, 2, 4)}  # of the only relevant document
    >>> runs = [
    ...     rs.Run({q: {"x": -1, "y": -2, "z": -3, "a": 0.5 - r} for q, r in zip(qrels, of)}, name=name)
    ...     for name, of in ranks.items()
    ... ]
    >>> result = rs.plan(rs.evaluate(qrels, runs, "RR"), difference=0.2)
    >>> print(result.sections()[0].sentence.replace(". ", ".\n"))
    With 6 queries, a difference of at least 0.5368 in RR between two systems like these is detected with 80 % power.
    To detect a difference of 0.2, you need 30 queries; you have 6 (power 18 %).
    """
    settings = PlanSettings(
        baseline=baseline,
        difference=difference,
        width=width,
        power=power,
        alpha=alpha,
        alternative=alternative,
        n_queries=n_queries,
        assurance=assurance,
        tests=tests,
    )
    return plan_queries(scores, measures, settings)


def plan_queries(scores: Scores, measures: object, settings: PlanSettings) -> QueryPlan:
    """As `plan`, with its settings as one object."""
    check_systems(scores, settings.baseline)
    if measures is None:
        scores = scores.with_direction()
    measure_names = measure_names_of(scores, measures)
    optional_entries = {
        "baseline": settings.baseline,
        "difference": "detectable" if settings.difference is None else f"{settings.difference:g}",
        "width": None if settings.width is None else f"{settings.width:g}",
        "power": f"{settings.power:g}",
        "alpha": f"{settings.alpha:g}",
        "tests": None if settings.tests == 1 else str(settings.tests),
        "alternative": settings.alternative,
        "assurance": None if settings.assurance is None else f"{settings.assurance:g}",
        "at_hand": None if settings.n_queries is None else str(settings.n_queries),
    }
    signature_entries = {key: value for key, value in optional_entries.items() if value is not None}
    return QueryPlan(
        plans=tuple(plan_measure(scores, name, settings) for name in measure_names),
        settings=settings,
        scores_signature=signature_of(scores, measure_names, signature_entries),
        notes=tuple(dict.fromkeys((*scores.notes, *scores.queries.clustering_notes()))),
    )


def signature_of(scores: Scores, measure_names: Sequence[str], settings: Mapping[str, str]) -> str:
    """The signature of the scores for these measures, with the settings of the plan."""
    measure_settings = scores.measure_settings or ({},) * len(scores.measures)
    measure_indices = [scores.measure_names.index(name) for name in measure_names]
    return replace(
        scores,
        measures=tuple(scores.measures[index] for index in measure_indices),
        measure_settings=tuple(measure_settings[index] for index in measure_indices),
        settings={**scores.settings, **settings},
    ).signature()
