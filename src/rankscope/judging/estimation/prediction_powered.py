"""Prediction-powered estimates: values of systems from few human judgments beside many of a machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import UnknownName
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import Progress
from rankscope.evaluation.query_table import QueryTable
from rankscope.judging.estimation.dual_judgments import (
    DualScores,
    DualValues,
    score_under_both,
)
from rankscope.judging.estimation.settings import EstimateSettings, ItemSettings, parse_grade_map
from rankscope.stats.anova import all_pairs
from rankscope.stats.prediction_powered import FEWEST, FEWEST_FITTED, PredictionPowered, prediction_powered
from rankscope.typing import PathLike

__all__ = [
    "ALL",
    "COLUMNS_NOTE",
    "INTERVALS_NOTE",
    "Estimates",
    "MeasureEstimates",
    "estimate",
    "estimate_means",
    "estimates_of",
    "pairs_of",
]


NO_VALUE = float("nan")
#: The name of all items together, where no column names systems.
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureEstimates:
    """The estimates by one measure.

    Attributes
    ----------
    measure
        Full name of the measure.
    sign
        1 where higher is better, -1 where lower is, 0 where neither.
    systems
        Names of the systems.
    first, second
        (pairs) indices of the systems of each pair.
    of_systems
        The estimates of the means, arrays of shape (systems).
    of_pairs
        The estimates of the differences, first system less second, arrays of shape (pairs); None without a pair.
    notes
        What a reader should know.
    n_clusters
        Of how many clusters people judged a query; None if all queries are independent.
    unit
        What was judged: "query" or "item".
    """

    measure: str
    sign: int
    systems: tuple[str, ...]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    of_systems: PredictionPowered
    of_pairs: PredictionPowered | None
    notes: tuple[str, ...]
    n_clusters: int | None = None
    unit: str = "query"

    @property
    def units(self) -> str:
        """The plural of it."""
        return {"query": "queries"}.get(self.unit, f"{self.unit}s")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Estimates(Result):
    """Estimates from people's judgments, a machine's, and both combined.

    `result["nDCG@10"]` are the numbers of one measure. `frame()` is the tidy table: measure, system_a, system_b (empty
    for a system by itself; else the difference a - b), estimate (human, machine, bias, combined), value, low, high,
    weight (of the machine in the combined estimate), n_queries (on which the row is based), n_effective (of the
    combined estimate: how many queries judged by people alone would give the same precision).

    Attributes
    ----------
    parts
        The estimates of each measure.
    names
        Names of people's judgments and of the machine's.
    settings
        The settings of the estimates.
    signature_text
        Every setting that changes the numbers, in one line.
    notes
        What a reader should know.
    """

    #: The view of the result.
    VIEW = "rankscope.judging.estimation.view:estimate_sections"
    COLUMNS = (
        "measure",
        "system_a",
        "system_b",
        "estimate",
        "value",
        "low",
        "high",
        "weight",
        "n_queries",
        "n_effective",
    )

    parts: tuple[MeasureEstimates, ...]
    names: tuple[str, str]
    settings: EstimateSettings | ItemSettings
    signature_text: str
    notes: tuple[str, ...]

    @property
    def baseline(self) -> str | None:
        """The system that the others are compared with; None if all pairs are compared."""
        return self.settings.baseline

    @property
    def confidence_level(self) -> float:
        """The level of each interval."""
        return self.settings.confidence_level

    def __getitem__(self, measure: str) -> MeasureEstimates:
        for estimates in self.parts:
            if estimates.measure == measure:
                return estimates
        raise UnknownName("measure of these estimates", str(measure), [estimates.measure for estimates in self.parts])

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where there is no value."""
        for estimates in self.parts:
            for s, system in enumerate(estimates.systems):
                yield from estimate_rows(estimates.measure, system, "", estimates.of_systems, s)
            if estimates.of_pairs is not None:
                pairs = zip(estimates.first.tolist(), estimates.second.tolist(), strict=True)
                for i, (first, second) in enumerate(pairs):
                    system_a, system_b = estimates.systems[first], estimates.systems[second]
                    yield from estimate_rows(estimates.measure, system_a, system_b, estimates.of_pairs, i)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.signature_text

    def contents(self) -> str:
        """What it holds, in a few words."""
        first = self.parts[0]
        return (
            f"{pluralise(len(first.systems), 'system')}, {pluralise(len(self.parts), 'measure')}, "
            f"{first.of_systems.n:,} of {pluralise(first.of_systems.n_all, first.unit, first.units)} by people"
        )


def estimate_rows(
    measure: str, system_a: str, system_b: str, estimates: PredictionPowered, i: int
) -> Iterator[tuple[Any, ...]]:
    """The four estimates of one system or pair."""
    n, n_all = estimates.n, estimates.n_all
    for name, n_queries in (("human", n), ("machine", n_all), ("bias", n), ("combined", n_all)):
        interval = (getattr(estimates, f"{name}{suffix}")[i].item() for suffix in ("", "_low", "_high"))
        weight = estimates.weight[i].item() if name == "combined" else NO_VALUE
        n_effective = estimates.effective[i].item() if name == "combined" else NO_VALUE
        yield (measure, system_a, system_b, name, *interval, weight, n_queries, n_effective)


#: What readers should know of the columns and of the intervals.
COLUMNS_NOTE = (
    "people: mean on the {0} that people judged; machine: mean on all {0}; bias: machine "
    "minus people, on the {0} that both judged; weight: of the machine in the combined estimate; "
    "worth: the number of {0} judged by people alone that would be as precise"
)
INTERVALS_NOTE = (
    "combined intervals have about the stated confidence level, however good or bad the machine is, if people judged a "
    "random sample of {}; the level holds for each interval, not for all of them jointly"
)


def estimate(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    measures: Any = None,
    *,
    baseline: str | None = None,
    map: Mapping[int, int] | str | None = None,
    machine_weight: float | None = None,
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
) -> Estimates:
    """Estimate the means and differences of systems that people would find if they judged all queries.

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
    baseline
        Estimate the differences of the other systems from this one. Default: all pairs.
    map
        The machine's grades on people's scale, as {0: 0, 1: 0, 2: 1} or the text '0=0,1=0,2=1'. Default: both use the
        same grades.
    machine_weight
        Weight of the machine's judgments: 0 ignores them, 1 is prediction-powered inference as first proposed. Default:
        the weight with the smallest variance.
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
    Estimates
        Three estimates of each mean and difference: from people alone; from the machine alone, with its bias; and
        combined.

    Raises
    ------
    InputError
        The machine lacks a query of people or of the runs, has no other query, or has another highest grade and there
        is no map.
    ParameterError
        A setting is out of range, and as `evaluate`.
    UnknownName
        There is no such system or measure.

    Notes
    -----
    The bias is the machine's mean minus people's, on the queries that people judged. The combined estimate is the mean
    of people's values, corrected by what the machine finds on the other queries
    (`rankscope.stats.prediction_powered`). If the queries of people are a random sample of all queries, its confidence
    interval is valid however good the machine is, and with the default weight never wider than that of people alone; a
    note says so if they do not look like a random sample. Intervals are for the mean over the population from which the
    queries were drawn. Where queries have clusters, these are what was drawn: people judged a random sample of whole
    clusters, or in each cluster queries that are random among its own. Where queries have weights, means are weighted.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference"; Angelopoulos, Duchi and Zrnic (2023), "PPI++".

    Examples
    --------
    >>> import rankscope as rs
    >>> machine = {f"q{i}": {"a": 1, "b": int(i % 3 > 0)} for i in range(9)}
    >>> human = {f"q{i}": {"a": int(i != 4), "b": 1} for i in (1, 4, 6, 8)}
    >>> run = rs.Run({f"q{i}": {"b": 2.0, "a": 1.0} for i in range(9)}, name="r")
    >>> (found,) = estimate(human, [run], machine, "P@1", machine_weight=1).parts
    >>> found.of_systems.human.tolist(), found.of_systems.bias.tolist()  # of 4 queries the machine errs on 1
    ([1.0], [-0.25])
    >>> round(float(found.of_systems.combined[0]), 4)  # 6/9 - 3/4 + 4/4
    0.9167
    """
    settings = EstimateSettings(
        baseline=baseline, map=map, machine_weight=machine_weight, confidence_level=confidence_level
    )
    plan = make_plan(
        measures, preset=preset, rel=rel, ties=ties, missing=missing, no_relevant=no_relevant, unjudged=unjudged
    )
    return estimate_means(
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


def estimate_means(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    plan: Plan,
    settings: EstimateSettings,
    *,
    names: tuple[str, str] | None = None,
    queries: QueryTable | None = None,
    input: str | None = None,
    progress: Progress | None = None,
) -> Estimates:
    """As `estimate`, with measures and conventions as a plan and its settings as one object."""
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
        estimates_of(dual_scores.values(name), dual_scores.systems, settings, dual_scores.kind)
        for name in dual_scores.human.measure_names
    )
    signature = dual_scores.signature(
        "prediction-powered",
        baseline=settings.baseline,
        weight="tuned" if settings.machine_weight is None else f"{settings.machine_weight:g}",
        confidence=f"{settings.confidence_level:g}",
    )
    measure_notes = [note for estimates in parts for note in estimates.notes]
    return Estimates(
        parts=parts,
        names=dual_scores.names,
        settings=settings,
        signature_text=signature,
        notes=tuple(
            dict.fromkeys(
                (
                    *dual_scores.notes,
                    *measure_notes,
                    COLUMNS_NOTE.format("queries"),
                    INTERVALS_NOTE.format(f"these {dual_scores.kind}"),
                )
            )
        ),
    )


def resolve_baseline(baseline: str | None, runs: Any, dual_scores: DualScores) -> str | None:
    """The name of the baseline, which is the name of a system or the path of a run. Raises UnknownName for another."""
    if baseline is None or baseline in dual_scores.systems:
        return baseline
    run_list = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    matches = [i for i, run in enumerate(run_list) if isinstance(run, str) and run == baseline]
    if not matches:
        raise UnknownName("system of these runs", str(baseline), dual_scores.systems, "; it was named as the baseline")
    return dual_scores.systems[matches[0]]


def pairs_of(systems: tuple[str, ...], baseline: str | None) -> tuple[Any, Any]:
    """The first and second system of each pair: the others against the baseline, or all i < j."""
    n_systems = len(systems)
    if baseline is None:
        return all_pairs(n_systems) if n_systems > 1 else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    baseline_index = systems.index(baseline)
    other_systems = np.delete(np.arange(n_systems), baseline_index)
    return other_systems, np.full(n_systems - 1, baseline_index)


def estimates_of(
    values: DualValues, systems: tuple[str, ...], settings: EstimateSettings | ItemSettings, kind: str
) -> MeasureEstimates:
    """The estimates of all systems and pairs by one measure. kind: what was drawn, in the plural."""
    first, second = pairs_of(systems, settings.baseline)
    value_matrices = (values.human, values.machine, values.machine_only)
    differences = [matrix[first] - matrix[second] for matrix in value_matrices]
    options: dict[str, Any] = {
        "machine_weight": settings.machine_weight,
        "confidence_level": settings.confidence_level,
        "calibration": values.calibration,
        **values.design,
    }
    signals = values.signals
    of_systems = prediction_powered(*value_matrices, signals=signals, **options)
    of_pairs = None
    if first.size:
        signal_differences = None if signals is None else signals[:, first] - signals[:, second]
        of_pairs = prediction_powered(*differences, signals=signal_differences, **options)
    notes = list(values.notes)
    if settings.machine_weight is None and values.n_judged_clusters < FEWEST:
        notes.append(
            f"people judged fewer than {FEWEST} {kind}, too few to tell the weight of the machine: the "
            "combined estimate is that of people alone"
        )
    notes += fit_notes(values, [of_systems] if of_pairs is None else [of_systems, of_pairs], kind)
    return MeasureEstimates(
        measure=values.measure,
        sign=values.sign,
        systems=systems,
        first=first,
        second=second,
        of_systems=of_systems,
        of_pairs=of_pairs,
        notes=tuple(notes),
        n_clusters=None if values.clusters is None else values.n_judged_clusters,
    )


def fit_notes(values: DualValues, estimates: Sequence[PredictionPowered], kind: str) -> list[str]:
    """A note where calibration or signals were not used, for all of the estimates or for some."""
    names = [
        name
        for name, is_set in (("calibration", values.calibration != "none"), ("signals", values.signals is not None))
        if is_set
    ]
    is_fitted = np.concatenate([np.atleast_1d(part.is_fitted) for part in estimates])
    if not names or is_fitted.all():
        return []
    if values.n == values.n_all:
        reason = f"people judged all {kind}"
    elif values.n_judged_clusters < FEWEST_FITTED:
        reason = (
            f"people judged fewer than {FEWEST_FITTED} {kind}, from which intervals of a fitted machine do not keep "
            "their level"
        )
    else:
        reason = "intervals would not be narrower with it"
    extent = (
        "not used" if not is_fitted.any() else f"not used for {int((~is_fitted).sum())} of {is_fitted.size} estimates"
    )
    return [f"{' and '.join(names)} {extent}: {reason}"]
