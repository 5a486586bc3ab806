"""Planning: how many queries people must judge beside a machine, for intervals of a given width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import Progress
from rankscope.evaluation.query_table import QueryTable
from rankscope.judging.estimation.dual_judgments import (
    DualValues,
    score_under_both,
)
from rankscope.judging.estimation.prediction_powered import pairs_of, resolve_baseline
from rankscope.judging.estimation.settings import grade_map_field, parse_grade_map
from rankscope.settings import NONNEGATIVE, POSITIVE, REQUIRED, Settings, confidence_field, needs, number, text
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.power import MAX_QUERIES
from rankscope.stats.prediction_powered import FEWEST, combined_half, fewest_enough, spread_of
from rankscope.typing import PathLike

__all__ = [
    "JudgmentPlan",
    "JudgmentPlanSettings",
    "MeasureNeeds",
    "Need",
    "plan_human_judgments",
    "plan_judgments",
]


#: Numbers of queries and clusters are rounded up except from within this of a whole one.
ROUNDING = 1e-9
#: How many numbers of people's labels are tried for the cheapest, up to how many times the fewest if no number of
#: people alone is enough; and how exact numbers of the machine are: but for one part in so many.
TRADE_OFFS, MOST_LABELS, PRECISION = 60, 1000, 1000


@dataclass(frozen=True, kw_only=True)
class JudgmentPlanSettings(Settings):
    """For which intervals judgments are planned; see `plan_judgments`."""

    FUNCTIONS = ("rankscope.judging:plan_judgments",)

    width: float = number(
        REQUIRED, rule=POSITIVE, metavar="W", help="Width of each confidence interval, from end to end."
    )
    baseline: str | None = text(
        None, help="Plan for the differences of the other systems to this one.", unset="all pairs", metavar="NAME"
    )
    map: Mapping[int, int] | str | None = grade_map_field()
    cost: float | None = number(
        None,
        rule=POSITIVE,
        metavar="C",
        help="What people's judgments of a query cost: also plans the cheapest numbers of queries of both.",
        unset="costs are not planned",
    )
    machine_cost: float = number(
        0.0,
        rule=NONNEGATIVE,
        metavar="C",
        help="What the machine's judgments of a query cost, in the unit of the cost of people's.",
        depends=needs("cost", reason="costs are compared"),
    )
    confidence_level: float = confidence_field()


class Need(NamedTuple):
    """The number of queries that people must judge for one system, or for the difference of two.

    Attributes
    ----------
    system_a, system_b
        The two systems; `system_b` is empty for a single one.
    method
        "human", "combined", "combined, any number by the machine", or with costs "cheapest".
    sd
        Standard deviation of people's values.
    explained
        The share of their variance that the machine explains.
    n_queries
        The number of queries; None where no number is enough.
    n_machine
        The number of queries that the machine judges; None where it is any, or no number is enough.
    cost
        What the judgments of both cost; None without costs, or for any number of the machine.
    """

    system_a: str
    system_b: str
    method: str
    sd: float
    explained: float
    n_queries: int | None
    n_machine: int | None = None
    cost: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureNeeds:
    """The needs by one measure.

    Attributes
    ----------
    measure
        Full name of the measure.
    systems
        Names of the systems.
    needs
        The needs of each system and pair by each method.
    n, n_all
        Queries judged so far by people, and by the machine.
    notes
        What a reader should know.
    per_cluster
        Queries of a cluster, on average; None if all queries are independent.
    """

    measure: str
    systems: tuple[str, ...]
    needs: tuple[Need, ...]
    n: int
    n_all: int
    notes: tuple[str, ...]
    per_cluster: float | None = None

    @property
    def by_method(self) -> dict[str, list[Need]]:
        """The needs of all systems and pairs by each method."""
        methods = dict.fromkeys(need.method for need in self.needs)
        return {method: [need for need in self.needs if need.method == method] for method in methods}

    def clusters_of(self, n_queries: int | None) -> int | None:
        """The fewest clusters that hold so many queries; None without clusters."""
        if self.per_cluster is None or n_queries is None:
            return None
        return floor((n_queries - 1) / self.per_cluster + ROUNDING) + 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgmentPlan(Result):
    """How many queries people must judge, by each measure.

    `frame()` is the tidy table: measure, system_a, system_b (empty for a system by itself), method (human, combined, or
    combined with any number of queries judged by the machine), width, sd (of people's values), explained (the share of
    their variance that the machine explains), n_queries (null if no number is enough); with costs also n_machine (the
    queries that the machine judges), cost and the method cheapest; with clusters also n_clusters.

    Attributes
    ----------
    parts
        The needs by each measure.
    settings
        The settings of the plan.
    signature_text
        Every setting that changes the numbers, in one line.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.judging.estimation.view:judgment_plan_sections"
    COLUMNS = (
        "measure",
        "system_a",
        "system_b",
        "method",
        "width",
        "sd",
        "explained",
        "n_queries",
    )

    parts: tuple[MeasureNeeds, ...]
    settings: JudgmentPlanSettings
    signature_text: str
    notes: tuple[str, ...]

    @property
    def has_clusters(self) -> bool:
        """Whether queries have clusters."""
        return any(measure_needs.per_cluster is not None for measure_needs in self.parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        costs = ("n_machine", "cost") if self.settings.cost is not None else ()
        return (*self.COLUMNS, *costs, *(("n_clusters",) if self.has_clusters else ()))

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for measure_needs in self.parts:
            for need in measure_needs.needs:
                n_clusters = (measure_needs.clusters_of(need.n_queries),) if self.has_clusters else ()
                costs = (need.n_machine, need.cost) if self.settings.cost is not None else ()
                yield (measure_needs.measure, *need[:3], self.settings.width, *need[3:6], *costs, *n_clusters)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.signature_text

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{', '.join(measure_needs.measure for measure_needs in self.parts)}, width {self.settings.width:g}"


def plan_judgments(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    measures: Any = None,
    *,
    width: float,
    baseline: str | None = None,
    map: Mapping[int, int] | str | None = None,
    cost: float | None = None,
    machine_cost: float = 0.0,
    confidence_level: float = 0.95,
    names: tuple[str, str] | None = None,
    queries: Mapping[str, Any] | None = None,
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
    input: str | None = None,
    progress: Progress | None = None,
) -> JudgmentPlan:
    """Plan how many queries people must judge beside a machine, for confidence intervals of a given width.

    Parameters
    ----------
    human
        Judgments of people, for some of the queries: `Qrels`, a file, or anything that `Qrels` takes.
    runs
        Runs, as for `evaluate`.
    machine
        Judgments of a machine, for all queries, those of people included.
    measures
        Measures, as for `evaluate`; each must be a mean over queries.
    width
        Width of each confidence interval, from end to end.
    baseline
        Plan for the differences of the other systems to this one. Default: all pairs.
    map
        The machine's grades on people's scale, as {0: 0, 1: 0, 2: 1} or the text '0=0,1=0,2=1'. Default: both use the
        same grades.
    cost
        What people's judgments of a query cost: also plans the cheapest numbers of queries of both. Default: costs are
        not planned.
    machine_cost
        What the machine's judgments of a query cost, in the unit of the cost of people's. Default: 0.0.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    names
        Names of people's judgments and of the machine's, for messages. Default: the names of the files.
    queries
        Arguments of `Scores.with_queries`, such as {"cluster_by": "^[^_]+"}: what is known of the queries.
    preset, rel, ties, missing, no_relevant, unjudged
        Conventions of the evaluation, as for `evaluate`; "bounds" are not available.
    input
        Format of the runs. Default: detected from their content.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    JudgmentPlan
        The number of queries for each system and each difference: for people alone, for people with the machine, and
        with costs the cheapest.

    Raises
    ------
    InputError
        People judged fewer than 5 queries or clusters, or parts of clusters, and as `estimate`.
    ParameterError
        A setting is out of range, and as `estimate`.
    UnknownName
        There is no such system or measure.

    Notes
    -----
    Planned are the mean of each system and the differences. With the machine there are two numbers: for the queries
    that it has judged, and for any number of them. The machine's queries are a sample too, and leave an interval that
    no human judgment makes narrower.

    With costs, the cheapest numbers of both for this width are planned, of all numbers that the machine may judge;
    costs are of all judgments, those made so far included, and people alone need no machine.

    The plan uses the standard deviation of people's values and the share of their variance that the machine explains.
    Both are estimated from the queries judged so far; with fewer than about 20 they are rough. Where queries have
    clusters, people are taken to judge whole clusters like those judged so far: the variation between these and what
    the machine explains of it are planned with, and the need is one of whole clusters. With weights, further queries
    are taken to have weights like these.

    References
    ----------
    The variance of the prediction-powered estimate: see `rankscope.stats.prediction_powered.combined_half`.

    Examples
    --------
    >>> import rankscope as rs
    >>> ranks = [1, 2, 1, 3, 1, 2, 4, 1, 2, 1]  # of the only relevant document; the machine errs on two queries
    >>> lists = {f"q{i}": {f"d{k}": -float(k) for k in range(1, 6)} for i in range(10)}
    >>> machine = {f"q{i}": {f"d{k if i % 7 else 2}": 1} for i, k in enumerate(ranks)}
    >>> human = {f"q{i}": {f"d{k}": 1} for i, k in enumerate(ranks[:8])}
    >>> found = rs.judging.plan_judgments(human, [rs.Run(lists, name="r")], machine, "RR", width=0.2)
    >>> [(need.method, need.n_queries) for need in found.parts[0].needs]
    [('human', 46), ('combined', None), ('combined, any number by the machine', 30)]
    """
    settings = JudgmentPlanSettings(
        width=width,
        baseline=baseline,
        map=map,
        cost=cost,
        machine_cost=machine_cost,
        confidence_level=confidence_level,
    )
    plan = make_plan(
        measures, preset=preset, rel=rel, ties=ties, missing=missing, no_relevant=no_relevant, unjudged=unjudged
    )
    return plan_human_judgments(
        human,
        runs,
        machine,
        plan,
        settings,
        names=names,
        queries=QueryTable.of(queries),
        input=input,
        progress=progress,
    )


def plan_human_judgments(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    plan: Plan,
    settings: JudgmentPlanSettings,
    *,
    names: tuple[str, str] | None = None,
    queries: QueryTable | None = None,
    input: str | None = None,
    progress: Progress | None = None,
) -> JudgmentPlan:
    """As `plan_judgments`, with measures and conventions as a plan and its settings as one object."""
    dual_scores = score_under_both(
        human,
        runs,
        machine,
        plan,
        parse_grade_map(settings.map),
        names=names,
        queries=queries,
        input=input,
        progress=progress,
    )
    settings = replace(settings, baseline=resolve_baseline(settings.baseline, runs, dual_scores))
    parts = tuple(
        needs_of(dual_scores.values(name), dual_scores.systems, settings) for name in dual_scores.human.measure_names
    )
    signature = dual_scores.signature(
        "judgments of people",
        width=f"{settings.width:g}",
        baseline=settings.baseline,
        cost=None if settings.cost is None else f"{settings.cost:g}+{settings.machine_cost:g}",
        confidence=f"{settings.confidence_level:g}",
    )
    return JudgmentPlan(
        parts=parts,
        settings=settings,
        signature_text=signature,
        notes=tuple(
            dict.fromkeys((*dual_scores.notes, *(note for measure_needs in parts for note in measure_needs.notes)))
        ),
    )


def needs_of(values: DualValues, systems: tuple[str, ...], settings: JudgmentPlanSettings) -> MeasureNeeds:
    """The needs of all systems and pairs by one measure."""
    refuse_few(values)
    first, second = pairs_of(systems, settings.baseline)
    named_pairs = [(systems[i], systems[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    human_rows, machine_rows = (
        np.concatenate((matrix, matrix[first] - matrix[second])) for matrix in (values.human, values.machine)
    )
    spread = spread_of(human_rows, machine_rows, **values.judged_sample)
    units = units_of(values)
    needs = [
        need
        for (system_a, system_b), sd, unit_sd, explained in zip(
            [*((system, "") for system in systems), *named_pairs],
            (spread.sd if units.are_queries else human_rows.std(axis=1, ddof=1)).tolist(),
            spread.sd.tolist(),
            spread.explained.tolist(),
            strict=True,
        )
        for need in needs_for(system_a, system_b, sd, unit_sd, explained, units, settings)
    ]
    return MeasureNeeds(
        measure=values.measure,
        systems=systems,
        needs=tuple(needs),
        n=values.n,
        n_all=values.n_all,
        notes=values.notes,
        per_cluster=None if values.clusters is None else units.per_cluster,
    )


def refuse_few(values: DualValues) -> None:
    """Raise InputError where people judged too few queries or clusters, or parts of clusters."""
    kind = "queries" if values.clusters is None else "clusters"
    if values.n_judged_clusters < FEWEST:
        raise InputError(
            f"people judged {values.n_judged_clusters} {kind} that have a value of {values.measure}, expected at least "
            f"{FEWEST} to estimate how much their values vary; have more {kind} judged, drawn at random"
        )
    if values.n_partly_judged:
        raise InputError(
            f"people judged parts of {pluralise(values.n_partly_judged, 'cluster')}, and judgments of whole clusters "
            "are planned; plan from clusters of which people judged all queries"
        )


class Units(NamedTuple):
    """What is drawn: queries, or clusters by what they weigh.

    Attributes
    ----------
    n_all
        How many effective units the machine judged.
    size
        Queries of an effective unit.
    per_cluster
        Queries of a cluster, on average; 1 without clusters.
    """

    n_all: int
    size: float
    per_cluster: float

    @property
    def are_queries(self) -> bool:
        """Whether each query is a unit."""
        return self.size == 1 and self.per_cluster == 1

    def queries_of(self, n_units: int | None) -> int | None:
        """How many queries, in whole clusters, so many units are; None stays None."""
        if n_units is None or self.are_queries:
            return n_units
        n_clusters = ceil(n_units * self.size / self.per_cluster - ROUNDING)
        return ceil(n_clusters * self.per_cluster - ROUNDING)


def units_of(values: DualValues) -> Units:
    """The units of these queries, by the clusters that people judged."""
    if values.clusters is None and values.weights is None:
        return Units(n_all=values.n_all, size=1.0, per_cluster=1.0)
    everything, judged = (
        cluster_sums(np.ones((1, n)), **sample).weights
        for n, sample in ((values.n_all, values.sample), (values.n, values.judged_sample))
    )
    size = values.n / effective_number(judged)
    n_all = int(effective_number(everything) + ROUNDING)
    return Units(n_all=n_all, size=size, per_cluster=values.n / values.n_judged_clusters)


def needs_for(
    system_a: str,
    system_b: str,
    sd: float,
    unit_sd: float,
    explained: float,
    units: Units,
    settings: JudgmentPlanSettings,
) -> list[Need]:
    """By people alone, with the machine as it is, with one that judges any number of queries, and the cheapest."""
    half_width, confidence_level = settings.width / 2, settings.confidence_level
    most = int(MAX_QUERIES / units.size)
    fewest = [
        fewest_queries(n_units, n_units, unit_sd, share, half_width, confidence_level)
        for n_units, share in ((most, 0.0), (units.n_all, explained), (most, explained))
    ]

    def need(method: str, n_units: int | None, n_machine_units: int | None) -> Need:
        n, n_machine = units.queries_of(n_units), units.queries_of(n_machine_units)
        cost = None
        if settings.cost is not None and n is not None and n_machine is not None:
            cost = settings.cost * n + settings.machine_cost * n_machine
        return Need(system_a, system_b, method, sd, explained, n, n_machine, cost)

    needs = [
        need("human", fewest[0], 0),
        need("combined", fewest[1], None if fewest[1] is None else units.n_all),
        need("combined, any number by the machine", fewest[2], None),
    ]
    if settings.cost is not None:
        choices = [
            needs[0],
            *(need("cheapest", *pair) for pair in trade_offs(fewest, unit_sd, explained, settings, most)),
        ]
        cheapest = min(choices, key=lambda choice: np.inf if choice.cost is None else choice.cost)
        needs.append(cheapest._replace(method="cheapest"))
    return needs


def trade_offs(
    fewest: list[int | None], unit_sd: float, explained: float, settings: JudgmentPlanSettings, most: int
) -> Iterator[tuple[int, int]]:
    """Numbers of units by people and by the machine that are just enough, from few of people to few of the machine."""
    n_human, _, n_unlimited = fewest
    if n_unlimited is None:
        return
    last = n_unlimited * MOST_LABELS if n_human is None else n_human
    for n in np.unique(np.geomspace(n_unlimited, max(last, n_unlimited), TRADE_OFFS).round().astype(int)).tolist():
        low, high = n, most
        while high - low > max(1, low // PRECISION):
            middle = (low + high) // 2
            half = combined_half(n, middle, unit_sd, explained, confidence_level=settings.confidence_level)
            low, high = (low, middle) if half <= settings.width / 2 else (middle, high)
        yield n, high


def fewest_queries(
    max_queries: int, n_all: int, sd: float, explained: float, half_width: float, confidence_level: float
) -> int | None:
    """The fewest queries for this half width; None where `max_queries` are not enough, or nothing varies."""

    def is_enough(n: int) -> bool:
        return combined_half(n, n_all, sd, explained, confidence_level=confidence_level) <= half_width

    return fewest_enough(is_enough, 2, max_queries) if sd > 0 else None  # one query says nothing about the variance
