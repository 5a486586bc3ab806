"""Agreement on segments: how far metrics agree with people on the translations of a segment."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.agreement.load import (
    JudgedMetrics,
    Judgments,
    Names,
    Scores,
    directions,
    load_judgments_and_metrics,
)
from rankscope.agreement.settings import CALIBRATED, SegmentSettings, Statistic, validate_segment_settings
from rankscope.agreement.statistics import (
    JudgmentTables,
    KendallConvention,
    SegmentStatistic,
    bootstrap_segments,
    calibrate,
    correlation_statistic,
    count_unscored_pairs,
    pair_statistic,
    tables_by_metric,
)
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import Draws, draw
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "SegmentAgreement",
    "check_comparable",
    "refuse_unordered",
    "segments",
]


AVERAGE = "average"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SegmentAgreement(Result):
    """How far each metric agrees with people, for each language pair; arrays of shape (metrics, pairs).

    value: the statistic, higher is better; NaN where there is none. low, high: its bootstrap interval over segments,
    NaN where there is none. n: the pairs of translations that count (translations, of a correlation) with grouping
    "none", else the segments or systems with a value. epsilon: differences up to which the metric ties. missing:
    translations that people judged and the metric has no score of; lost: pairs of translations left out for that.
    average, average_low, average_high: (metrics) the mean over the pairs; NaN where one has no value. higher: of the
    column of people (gold) and the metrics those in which higher is better. `frame()` is the tidy table, a row a metric
    and pair, and a pair "average" where there are several.
    """

    VIEW = "rankscope.agreement.segment_level.view:sections_of"
    COLUMNS = ("metric", "pair", "statistic", "value", "low", "high", "n")

    metrics: tuple[str, ...]
    pairs: tuple[str, ...]
    value: Floats
    low: Floats
    high: Floats
    n: Ints
    epsilon: Floats
    missing: Ints
    lost: Ints
    average: Floats
    average_low: Floats
    average_high: Floats
    settings: SegmentSettings
    gold: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        name = self.settings.statistic
        for m, metric in enumerate(self.metrics):
            for p, pair in enumerate(self.pairs):
                ends = float(self.low[m, p]), float(self.high[m, p])
                yield metric, pair, name, float(self.value[m, p]), *ends, int(self.n[m, p])
            if len(self.pairs) > 1:
                ends = float(self.average_low[m]), float(self.average_high[m])
                yield metric, AVERAGE, name, float(self.average[m]), *ends, len(self.pairs)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        name = settings.statistic if settings.convention is None else settings.convention.settings
        epsilon = CALIBRATED if settings.epsilon is None else f"{settings.epsilon:g}"
        epsilon_entry = [] if settings.convention is None else [f"epsilon:{epsilon}"]
        return [
            "agreement on segments",
            f"statistic:{name}",
            f"grouping:{settings.grouping}",
            f"gold:{self.gold}",
            *directions(self.gold, self.metrics, self.higher),
            *epsilon_entry,
            f"bootstrap:{settings.n_resamples},{settings.confidence_level:g}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        counts = f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"{self.settings.statistic}: {counts}"


def segments(
    judgments: Judgments,
    scores: Scores = (),
    *,
    statistic: Statistic = "wmt12",
    grouping: str = "none",
    gold: str | None = None,
    pairs: Sequence[str] | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    test_set: str | None = None,
    epsilon: float | str | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> SegmentAgreement:
    """How far metrics agree with people on the translations of each segment; higher is better.

    judgments: what people said: rankings, in which every row of judging counts, repeated ones too; or scores, where the
    systems' translations of a segment are compared; or a file of either. scores: a metric or several, or files; without
    any, every other column of the judgments is one, as of an LLM that judged the same items. gold: the column of
    people. pairs: language pairs. metrics: those wanted. higher: the columns of the judgments in which higher is
    better; in all others lower is, as of ranks, and a note names those not called so. lower: the metrics, or the
    people's scores (HTER), in which lower is better. duplicates, reference, lines: how a ranking CSV is read, as in
    `rankscope.read_rankings`; test_set: as in `rankscope.read_segment_scores`.

    statistic: of pairs of translations in one judgment: "wmt10" to "wmt14", "tau10", "tau13", "tau14", "tau23", in
    [-1, 1]; "acc_eq", in [0, 1]; "darr", pairs at least 25 points apart, in [-1, 1]; a `Convention` or a 3 x 3 table
    (`Convention.of_table`). Or a correlation of values, in [-1, 1]: "kendall_b", "kendall_c", "pearson", "spearman".
    grouping: "none", all pairs (or translations) at once; "segment" and "system", each for itself, and the mean of
    those that have a value: a system's pairs are those its translations are in, its correlation is over segments; a
    segment's correlation is the mean of its judgments'. Pairs are always of translations of one segment.
    epsilon: differences up to which the metric ties; "calibrated" is the one that suits it best, found on these very
    data; None: calibrated for "acc_eq" (but by system), else 0.
    n_resamples, confidence_level, rng: of the bootstrap over segments, by percentiles; the same segments for all
    metrics, an epsilon as it was found on all. Kendall's and Spearman's correlations over all or systems have none.

    A translation without score on one side is in no pair, and is counted. Where no pair counts: NaN. Raises InputError
    where scores and judgments have nothing in common, no judgment or no metric is there; UnknownName for names;
    ParameterError for other values, for a correlation across judgments whose values are ranks, and for "darr" of ranks.

    Source: see `Convention`; Macháček and Bojar (2014) for the family, Deutsch et al. (2023) for ties and groupings.

    >>> from rankscope.data.rankings import Rankings
    >>> from rankscope.data.segment_scores import PairScores, SegmentScores
    >>> people = Rankings.of([{"A": 1, "B": 2, "C": 3}, {"A": 2, "B": 1, "C": 1}])
    >>> chrf = {"A": [0.6, 0.5], "B": [0.5, 0.5], "C": [0.1, 0.7]}
    >>> found = segments(people, SegmentScores("chrF", {"": PairScores.of(chrf)}), rng=1)  # 4 alike, A and B tied
    >>> float(found.value[0, 0]), int(found.n[0, 0])  # (4 - 1) / (4 + 1)
    (0.6, 5)
    """
    settings = validate_segment_settings(statistic, grouping, epsilon, n_resamples, confidence_level, rng)
    inputs = load_judgments_and_metrics(
        judgments,
        scores,
        gold=gold,
        pairs=pairs,
        metrics=metrics,
        higher=higher,
        lower=lower,
        duplicates=duplicates,
        reference=reference,
        lines=lines,
        test_set=test_set,
    )
    check_comparable(inputs, settings)
    refuse_unordered(inputs, settings.convention, settings.grouping)
    names, rows, draws = [], [], []
    for name, rankings in inputs.by_pair():
        row, pair_draws = agreement_on_pair(tables_by_metric(rankings, inputs.gold, inputs.metrics), settings, name)
        names.append(name)
        rows.append(row)
        draws.append(pair_draws)
    table: dict[str, Any] = {field: np.array([getattr(row, field) for row in rows]).T for field in PairValues._fields}
    resampled = np.stack(draws, axis=1)  # (metrics, pairs, resamples)
    low, high = percentile_ends(resampled, settings.confidence_level)
    average_low, average_high = percentile_ends(resampled.mean(axis=1), settings.confidence_level)
    return SegmentAgreement(
        metrics=inputs.metrics,
        pairs=tuple(names),
        **table,
        low=low,
        high=high,
        average=table["value"].mean(axis=1),
        average_low=average_low,
        average_high=average_high,
        settings=settings,
        gold=inputs.gold,
        higher=tuple(name for name in (inputs.gold, *inputs.metrics) if name in inputs.rankings.score_columns),
        notes=inputs.notes,
    )


class PairValues(NamedTuple):
    """The values of one language pair, for each metric; see `SegmentAgreement`."""

    value: list[float]
    n: list[int]
    epsilon: list[float]
    missing: list[int]
    lost: list[int]


def agreement_on_pair(
    tables: list[JudgmentTables], settings: SegmentSettings, pair: str, draws: Draws | None = None
) -> tuple[PairValues, Floats]:
    """All metrics on one language pair, and (metrics, resamples) their values on resampled segments.

    draws: of the segments; None for those of the language pair.
    """
    epsilons = [epsilon_of(table, settings) for table in tables]
    statistics = [statistic_value(table, settings, epsilon) for table, epsilon in zip(tables, epsilons, strict=True)]
    pair_values = PairValues(
        value=[statistic.value for statistic in statistics],
        n=[statistic.n for statistic in statistics],
        epsilon=epsilons,
        missing=[table.n_missing for table in tables],
        lost=[count_unscored_pairs(table.gold, table.metric) for table in tables],
    )
    draws_by_metric = np.full((len(tables), settings.n_resamples), np.nan)
    with_sums = [
        m for m, statistic in enumerate(statistics) if statistic.sums is not None and not np.isnan(statistic.value)
    ]
    if with_sums:
        sums_by_metric = [sums for m in with_sums if (sums := statistics[m].sums) is not None]
        # A stream for the name of the pair: an interval does not depend on other pairs.
        rng = np.random.default_rng([settings.seed, zlib.crc32(pair.encode("utf-8", "surrogateescape"))])
        draws_by_metric[with_sums] = bootstrap_segments(sums_by_metric, draws or draw(rng, settings.n_resamples))
    return pair_values, draws_by_metric


def epsilon_of(table: JudgmentTables, settings: SegmentSettings) -> float:
    if settings.convention is None:
        return float("nan")
    if settings.epsilon is not None:
        return settings.epsilon
    return calibrate(
        table.gold,
        table.metric,
        convention=settings.convention,
        grouping=settings.grouping,
        segment=table.segment,
    ).epsilon


def statistic_value(table: JudgmentTables, settings: SegmentSettings, epsilon: float) -> SegmentStatistic:
    if settings.convention is None:
        return correlation_statistic(table, settings.statistic, settings.grouping)
    return pair_statistic(table, settings.convention, settings.grouping, 0.0 if np.isnan(epsilon) else epsilon)


def check_comparable(inputs: JudgedMetrics, settings: SegmentSettings) -> None:
    """Raise ParameterError where the statistic compares ranks of different judgments, or needs scores."""
    if inputs.gold in inputs.rankings.score_columns:
        return
    if settings.convention is None and settings.grouping != "segment":
        raise ParameterError(
            f"{settings.statistic} with grouping {settings.grouping!r} compares what people said in different "
            "judgments, and these said ranks, which mean something within one only; group by segment, or give their "
            "scores"
        )
    if settings.convention is not None and settings.convention.min_difference > 0:
        raise ParameterError(
            f"{settings.convention.name} asks for human scores that differ by at least "
            f"{settings.convention.min_difference:g}, "
            "and these judgments are ranks; give their scores, or take wmt12"
        )


def refuse_unordered(inputs: JudgedMetrics, convention: KendallConvention | None, grouping: str) -> None:
    """Raise InputError where people order no items that the statistic compares.

    convention: of pairs in one judgment, where ties that people gave may count; None for a correlation, which is within
    judgments only where these are grouped by segment.
    """
    values = inputs.rankings.column(inputs.gold)
    if convention is None and grouping != "segment":
        if np.nanmin(values) < np.nanmax(values):
            return
        raise InputError(f"{inputs.gold} is {np.nanmin(values):g} wherever it is; expected at least two values")
    table = inputs.rankings.table(inputs.gold)
    lists_of_several = table[np.count_nonzero(~np.isnan(table), axis=1) > 1]
    ties_count = convention is not None and (convention.tied_human is not None or convention.tied_both is not None)
    if lists_of_several.size and (
        ties_count or bool((np.nanmin(lists_of_several, axis=1) < np.nanmax(lists_of_several, axis=1)).any())
    ):
        return
    raise InputError(
        f"in column {inputs.gold!r} no item is ranked above another of its list: all of a list are tied, or a "
        "list has one item; expected lists in which people prefer some items"
    )
