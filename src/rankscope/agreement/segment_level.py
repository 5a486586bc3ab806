"""Agreement on segments: how far metrics agree with people on the translations of a segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.direction import directions
from rankscope.agreement.load import JudgmentSource, ScoreSource, load
from rankscope.agreement.match import match
from rankscope.agreement.settings import (
    CALIBRATED,
    JudgmentSettings,
    MetricSettings,
    Names,
    SegmentSettings,
    Statistic,
    judgment_settings_of,
    metric_settings_of,
    statistic_of,
)
from rankscope.agreement.statistics import (
    AgreementStatistic,
    AlignedScores,
    bootstrap_segments,
    check_scores,
    count_unscored_pairs,
    epsilons_of,
    evaluate_scores,
    random_stream,
)
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.resample import draw
from rankscope.stats.inputs import seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "AVERAGE",
    "ROWS_UNFOLDED",
    "SegmentAgreement",
    "agree_on_segments",
    "agreement_on_pair",
    "refuse_unordered",
    "segments",
]


AVERAGE = "average"
#: A table with more rows is folded.
ROWS_UNFOLDED = 24


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SegmentAgreement(Result):
    """How far each metric agrees with people on the translations of each segment, as `segments` gives it.

    `frame()` is the tidy table: a row for each metric and language pair, and a pair "average" if there are several.
    Arrays have the shape (metrics, pairs).

    Attributes
    ----------
    metrics
        The names of the metrics.
    pairs
        The language pairs.
    value
        The statistic; higher is better, NaN where there is none.
    low, high
        Its bootstrap confidence interval over segments; NaN where there is none.
    n
        With grouping "none" the pairs of translations that count (translations, for a correlation), else the segments
        or systems with a value.
    epsilon
        The largest difference of two metric scores that is a tie; NaN for a correlation.
    missing
        Translations that people judged and the metric does not score.
    lost
        Pairs of translations that are skipped because of these.
    average, average_low, average_high
        (metrics) the mean over the language pairs and its interval; NaN where one has no value.
    settings
        How agreement was computed.
    gold
        The column of people.
    higher
        Those of the column of people and the metrics in which higher is better.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.agreement.segment_view:sections_of"
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
        name = self.settings.statistic_name
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
        name = settings.statistic_name if settings.convention is None else settings.convention.settings
        epsilon = CALIBRATED if settings.fixed_epsilon is None else f"{settings.fixed_epsilon:g}"
        epsilon_entry = [] if settings.convention is None else [f"epsilon:{epsilon}"]
        return [
            "agreement on segments",
            f"statistic:{name}",
            f"grouping:{settings.grouping}",
            f"gold:{self.gold}",
            *directions(self.gold, self.metrics, self.higher),
            *epsilon_entry,
            *([] if settings.judgment_weight is None else settings.parts("judgment_weight")),
            f"bootstrap:{settings.n_resamples},{settings.confidence_level:g}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        counts = f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"{self.settings.statistic_name}: {counts}"


def segments(
    judgments: JudgmentSource,
    scores: ScoreSource = (),
    *,
    statistic: Statistic = "wmt12",
    grouping: str = "none",
    gold: str | None = None,
    pairs: Names | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    ranks: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    test_set: str | None = None,
    epsilon: float | str | None = None,
    judgment_weight: str | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> SegmentAgreement:
    """How far metrics agree with people on the translations of each segment; higher is better.

    Parameters
    ----------
    judgments
        What people said: rankings, in which each judgment counts, repeated ones too; scores of segments, where the
        systems' translations of a segment are compared; or a file of either.
    scores
        A metric or several, as scores of segments or files of them. Without any, every other column of the judgments
        is a metric, such as an LLM that judged the same items.
    statistic
        Statistic of agreement between a metric and people. One of 'wmt10', 'wmt11', 'wmt12', 'tau10', 'wmt13', 'tau13',
        'wmt14', 'tau14', 'tau23', 'acc_eq', 'darr', 'kendall_b', 'kendall_c', 'pearson', 'spearman'. Default: 'wmt12'.
    grouping
        Pool all pairs of translations (none), or average over segments or systems. One of 'none', 'segment', 'system'.
        Default: 'none'.
    gold
        Column with the human ranks or scores. Default: the column named "rank", "gold" or "human".
    pairs
        Language pairs to include, in this order. Default: all.
    metrics
        Metrics to include, in this order. Default: all.
    higher
        Columns in which higher is better, such as scores; other columns of judgments hold ranks.
    lower
        Metrics, or human scores, in which lower is better, such as TER and HTER.
    ranks
        Columns of ranks, 1 for the best, whose values or names do not say so, such as means of ranks.
    duplicates
        What to do with judgments that repeat an earlier one in all fields. One of 'keep', 'drop', 'refuse'. Default:
        keep, as WMT does.
    reference
        What to do with the reference if a ranking CSV of WMT ranks it as a system. One of 'keep', 'drop'. Default:
        keep.
    lines
        For WMT11: a file whose line i names segment i of the ranking CSV.
    columns
        Column names in a table, where NAME is segment, system, pair, judge or judgment: system=engine. Default: found
        by their usual names.
    test_set
        Test set to use from score files that hold several.
    epsilon
        Largest difference of two metric scores that counts as a tie; calibrated: the one with the highest agreement.
        Default: calibrated for acc_eq (0 if grouped by system), else 0.
    judgment_weight
        Column with the weight of each judgment, 1 / its chance to be drawn, if judgments were sampled with unequal
        chances. Default: equal weights.
    n_resamples
        Number of bootstrap resamples of the segments. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    SegmentAgreement
        The statistic of each metric and language pair with its confidence interval, and the average over the language
        pairs.

    Raises
    ------
    InputError
        Scores and judgments have nothing in common, or there is no judgment or no metric.
    UnknownName
        A statistic, column, metric or language pair does not exist.
    ParameterError
        A setting is out of range, two settings exclude each other, or the statistic does not suit the data: a
        correlation across judgments that are ranks, or "darr" of ranks.

    Notes
    -----
    Statistics of pairs of translations in one judgment are "wmt10" to "wmt14", "tau10", "tau13", "tau14" and "tau23",
    in [-1, 1]; "acc_eq", in [0, 1]; and "darr", of pairs that people scored at least 25 points apart, in [-1, 1]. A
    `KendallConvention`, or a table of 3 x 3 coefficients (`KendallConvention.of_table`), takes the place of a name.
    Correlations of values, in [-1, 1], are "kendall_b", "kendall_c", "pearson" and "spearman".

    Pairs are always of two translations of one segment. With grouping "none" all pairs (or, for a correlation, all
    translations) count together; with "segment" and "system" the value is the mean over the segments or systems that
    have one. The pairs of a system are those with one of its translations, its correlation is over segments; the
    correlation of a segment is the mean over its judgments. A translation without a score on either side is in no
    pair, and such pairs are counted. Where no pair counts, the value is NaN.

    A calibrated epsilon is found on the very data on which it is used, for each metric and language pair. The bootstrap
    is a percentile bootstrap that draws the same segments for all metrics and keeps epsilon as it was found.

    A note names columns that are read as ranks although they are not called so.

    References
    ----------
    Macháček and Bojar (2014) for the family of statistics, with the source of each in `KendallConvention`; Deutsch,
    Foster and Freitag (2023) for ties and groupings.

    Examples
    --------
    >>> from rankscope import MetricScores, PairScores, Rankings
    >>> people = Rankings.of([{"A": 1, "B": 2, "C": 3}, {"A": 2, "B": 1, "C": 1}])
    >>> chrf = {"A": [0.6, 0.5], "B": [0.5, 0.5], "C": [0.1, 0.7]}
    >>> result = segments(people, MetricScores("chrF", {"": PairScores.of(chrf)}), rng=1)  # 4 alike, A and B tied
    >>> float(result.value[0, 0]), int(result.n[0, 0])  # (4 - 1) / (4 + 1)
    (0.6, 5)
    """
    settings = SegmentSettings(
        statistic=statistic_of(statistic),
        grouping=grouping,
        epsilon=epsilon,
        judgment_weight=judgment_weight,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return agree_on_segments(judgments, scores, judgment_settings, metric_settings, settings)


def agree_on_segments(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    settings: SegmentSettings,
) -> SegmentAgreement:
    """As `segments`, with its settings as objects."""
    inputs = load(
        judgments, scores, judgment_settings, metric_settings, level="segment", judgment_weight=settings.judgment_weight
    )
    matches, notes = match(inputs, "list", "keep")
    gold, *metrics = names = matches[0].names
    pairs = {matched_scores.pair: matched_scores.aligned() for matched_scores in matches}
    for aligned in pairs.values():
        check_scores(aligned, settings.entry, settings.grouping)
    refuse_unordered(list(pairs.values()), gold, settings.entry, settings.grouping)
    pair_values = [agreement_on_pair(aligned, settings, name) for name, aligned in pairs.items()]
    table: dict[str, Any] = {
        field: np.array([getattr(values, field) for values in pair_values]).T
        for field in ("value", "n", "epsilon", "missing", "lost")
    }
    resampled = np.stack([values.resampled for values in pair_values], axis=1)  # (metrics, pairs, resamples)
    low, high = percentile_ends(resampled, settings.confidence_level)
    average_low, average_high = percentile_ends(resampled.mean(axis=1), settings.confidence_level)
    return SegmentAgreement(
        metrics=tuple(metrics),
        pairs=tuple(pairs),
        **table,
        low=low,
        high=high,
        average=table["value"].mean(axis=1),
        average_low=average_low,
        average_high=average_high,
        settings=settings,
        gold=gold,
        higher=tuple(compress(names, matches[0].higher)),
        notes=tuple(notes),
    )


class PairValues(NamedTuple):
    """The values of one language pair, (metrics), and (metrics, resamples) those on drawn segments."""

    value: Floats
    n: Ints
    epsilon: Floats
    missing: list[int]
    lost: list[int]
    resampled: Floats


def agreement_on_pair(scores: AlignedScores, settings: SegmentSettings, pair: str) -> PairValues:
    """All metrics on one language pair, and on its segments drawn with replacement.

    Parameters
    ----------
    scores
        The scores.
    settings
        How agreement is computed.
    pair
        The language pair: its name has a random stream, so that an interval does not depend on other pairs.
    """
    epsilons = epsilons_of(scores, settings.entry, settings.grouping, settings.epsilon)
    values = evaluate_scores(scores, settings.entry, settings.grouping, epsilons)
    rng = random_stream(settings.seed, pair)
    return PairValues(
        values.value,
        values.n,
        values.epsilon,
        missing=[int(np.count_nonzero(~np.isnan(scores.people) & np.isnan(metric))) for metric in scores.metrics],
        lost=[count_unscored_pairs(scores.people, metric) for metric in scores.metrics],
        resampled=bootstrap_segments(
            scores, settings.entry, settings.grouping, values, draw(rng, settings.n_resamples)
        ),
    )


def refuse_unordered(pairs: Sequence[AlignedScores], gold: str, statistic: AgreementStatistic, grouping: str) -> None:
    """Raise InputError where people order no items that the statistic compares.

    Parameters
    ----------
    pairs
        The scores of each language pair.
    gold
        The column of people, for messages.
    statistic, grouping
        What is computed: ties that people gave may count.
    """
    if statistic.compares_lists(grouping):
        values = np.concatenate([scores.people.ravel() for scores in pairs])
        if np.nanmin(values) < np.nanmax(values):
            return
        raise InputError(f"all values of {gold} are {abs(np.nanmin(values)):g}, expected at least two different ones")
    convention = statistic.convention
    ties_count = convention is not None and (convention.tied_human is not None or convention.tied_both is not None)
    for scores in pairs:
        lists = scores.people[np.count_nonzero(~np.isnan(scores.people), axis=1) > 1]
        if lists.size and (ties_count or bool((np.nanmin(lists, axis=1) < np.nanmax(lists, axis=1)).any())):
            return
    raise InputError(
        f"in column {gold!r} no item is ranked above another of its list: lists have one item, or all items "
        "are tied; expected lists in which people prefer some items"
    )
