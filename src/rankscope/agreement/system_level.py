"""Agreement on systems: the statistic of how far metrics agree with people, its intervals, the average over language
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.agreement.direction import directions
from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load
from rankscope.agreement.match import match, prefix_of
from rankscope.agreement.segment_level import AVERAGE, SegmentAgreement
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
    Names,
    SystemSettings,
    judgment_settings_of,
    metric_settings_of,
    names_of,
    weights_of_pairs,
)
from rankscope.agreement.statistics import (
    ACCURACY,
    SOFT,
    SYSTEM_CORRELATIONS,
    TAU_AP,
    best_systems,
    outlying_systems,
    random_stream,
    soft_draws,
    soft_pairwise_accuracies,
    system_statistic,
)
from rankscope.agreement.system_scores import SystemScores, bootstrap_systems, score_systems
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import Draws, draw
from rankscope.kernels.rounding_ties import NOISE, join_ties
from rankscope.stats.correlation import fisher_ends
from rankscope.stats.inputs import seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "ALL",
    "SystemAgreement",
    "SystemValues",
    "agree_on_systems",
    "resample_scores",
    "systems",
]


#: The statistics that may be below 0.
SIGNED = (*SYSTEM_CORRELATIONS, TAU_AP)
#: The name of the row in which pairs of systems of all language pairs are pooled.
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemValues:
    """One statistic of all metrics among some systems of each language pair.

    Attributes
    ----------
    statistic
        The name of the statistic.
    interval
        The kind of intervals: "segments", "fisher" or "none".
    value, low, high
        (metrics, pairs) the statistic, and its confidence interval; NaN where there is none.
    n
        (metrics, pairs) systems, or pairs of systems for an accuracy.
    average, average_low, average_high
        (metrics) the mean over the language pairs, weighted if there are weights, and its interval.
    pooled, pooled_low, pooled_high
        (metrics) for "pairwise_accuracy" the share of the pairs of systems of all language pairs; else NaN.
    missed, average_missed, pooled_missed
        (metrics, pairs) or (metrics) whether there is no interval because that of the resamples misses the value.
    """

    statistic: str
    interval: str
    value: Floats
    low: Floats
    high: Floats
    n: Ints
    average: Floats
    average_low: Floats
    average_high: Floats
    pooled: Floats
    pooled_low: Floats
    pooled_high: Floats
    missed: Bools
    average_missed: Bools
    pooled_missed: Bools

    def rows(self, metric: int, pairs: Sequence[str]) -> Iterator[tuple[str, float, float, float, int]]:
        """Pair, value, low, high and n of a metric: for each language pair, and for all if there are several."""
        for p, pair in enumerate(pairs):
            cell = metric, p
            yield pair, float(self.value[cell]), float(self.low[cell]), float(self.high[cell]), int(self.n[cell])
        summaries = [(AVERAGE, self.average, self.average_low, self.average_high, len(pairs))]
        if self.statistic == ACCURACY:
            summaries.append((ALL, self.pooled, self.pooled_low, self.pooled_high, int(self.n[metric].sum())))
        for name, value, low, high, n in summaries if len(pairs) > 1 else ():
            yield name, float(value[metric]), float(low[metric]), float(high[metric]), n


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemAgreement(Result):
    """How far each metric agrees with people on whole systems, as `systems` gives it.

    `frame()` is the tidy table: a row for each metric, statistic and language pair, and rows "average" and "all" if
    there are several pairs. Rows of the best 15 systems have the statistic "kendall_b@15". Properties such as `value`
    and `average` are those of the first statistic among all systems.

    Attributes
    ----------
    metrics
        The names of the metrics.
    pairs
        The language pairs.
    systems
        By language pair, the names of the systems.
    statistics
        The values of each statistic.
    top
        The values of each statistic among the best systems by people's scores; empty unless `settings.top` is given.
    top_systems
        By language pair, the names of the best systems, in the order of `systems`; empty unless `settings.top` is
        given.
    without
        (metrics, pairs) the first statistic without outliers; NaN where there are none or too few systems are left.
    human
        By language pair, (systems) the human scores.
    scores
        By language pair, (metrics, systems) the scores of the metrics.
    outliers
        By language pair, the systems whose human score is far from the median.
    settings
        How agreement was computed.
    gold
        The column of people.
    rule
        What human scores are: "wins" and the like, "mean" or "given".
    has_segment_scores
        For each metric, whether its scores are of segments.
    higher
        Those of the column of people and the metrics in which higher is better.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.agreement.system_view:sections_of"
    COLUMNS = SegmentAgreement.COLUMNS

    metrics: tuple[str, ...]
    pairs: tuple[str, ...]
    systems: tuple[tuple[str, ...], ...]
    statistics: tuple[SystemValues, ...]
    top: tuple[SystemValues, ...]
    top_systems: tuple[tuple[str, ...], ...]
    without: Floats
    human: tuple[Floats, ...]
    scores: tuple[Floats, ...]
    outliers: tuple[tuple[str, ...], ...]
    settings: SystemSettings
    gold: str
    rule: str
    has_segment_scores: tuple[bool, ...]
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def value(self) -> Floats:
        """(metrics, pairs) the first statistic; higher is better."""
        return self.statistics[0].value

    @property
    def low(self) -> Floats:
        """(metrics, pairs) the lower end of its confidence interval; NaN where there is none."""
        return self.statistics[0].low

    @property
    def high(self) -> Floats:
        """(metrics, pairs) the upper end of its confidence interval; NaN where there is none."""
        return self.statistics[0].high

    @property
    def n(self) -> Ints:
        """(metrics, pairs) systems, or pairs of systems for an accuracy."""
        return self.statistics[0].n

    @property
    def average(self) -> Floats:
        """(metrics) the mean over the language pairs, weighted if there are weights."""
        return self.statistics[0].average

    @property
    def average_low(self) -> Floats:
        """(metrics) the lower end of its confidence interval."""
        return self.statistics[0].average_low

    @property
    def average_high(self) -> Floats:
        """(metrics) the upper end of its confidence interval."""
        return self.statistics[0].average_high

    @property
    def pooled(self) -> Floats:
        """(metrics) for "pairwise_accuracy" the share of the pairs of systems of all language pairs; else NaN."""
        return self.statistics[0].pooled

    @property
    def pooled_low(self) -> Floats:
        """(metrics) the lower end of its confidence interval."""
        return self.statistics[0].pooled_low

    @property
    def pooled_high(self) -> Floats:
        """(metrics) the upper end of its confidence interval."""
        return self.statistics[0].pooled_high

    @property
    def interval(self) -> str:
        """The kind of intervals of the first statistic: "segments", "fisher" or "none"."""
        return self.statistics[0].interval

    @property
    def several_pairs(self) -> bool:
        """Whether there are several language pairs."""
        return len(self.pairs) > 1

    @property
    def several_statistics(self) -> bool:
        """Whether there are several statistics."""
        return len(self.statistics) > 1

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        suffix = f"@{self.settings.top}"
        for m, metric in enumerate(self.metrics):
            for parts, behind in ((self.statistics, ""), (self.top, suffix)):
                for values in parts:
                    for pair, *numbers in values.rows(m, self.pairs):
                        yield metric, pair, f"{values.statistic}{behind}", *numbers

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        prior = f",prior={settings.prior:g}" if settings.prior else ""
        system_metrics = [
            name for name, of_segments in zip(self.metrics, self.has_segment_scores, strict=True) if not of_segments
        ]
        segment_metrics = [
            name for name, of_segments in zip(self.metrics, self.has_segment_scores, strict=True) if of_segments
        ]
        mean_segments = f"({settings.over})" if settings.from_segments == "mean" else ""
        interval_texts = {
            "segments": f"segments,{settings.n_resamples},{settings.confidence_level:g}",
            "fisher": f"fisher,{settings.confidence_level:g}",
        }
        intervals = list(dict.fromkeys(values.interval for values in self.statistics))
        weights = [] if settings.weights is None else [f"weights:{weights_text(settings.weights)}"]
        is_random = "segments" in intervals or SOFT in settings.statistics
        return [
            "agreement on systems",
            f"statistic:{','.join(settings.statistics)}{',absolute' if settings.absolute else ''}",
            f"gold:{self.gold}",
            f"human:{self.rule}{f'({settings.over})' if self.rule == 'mean' else ''}{prior}",
            *([f"metrics:{settings.from_segments}{mean_segments}"] if segment_metrics else []),
            *([f"given:{','.join(system_metrics)}"] if system_metrics else []),
            *directions(self.gold, self.metrics, self.higher),
            *(["systems:common"] if settings.common else []),
            *(["outliers:skipped"] if settings.without_outliers else []),
            *([] if settings.top is None else [f"top:{settings.top}"]),
            *weights,
            *([] if settings.judgment_weight is None else settings.parts("judgment_weight")),
            f"interval:{'+'.join(interval_texts.get(interval, 'none') for interval in intervals)}",
            *([f"permutations:{settings.n_resamples}"] if SOFT in settings.statistics else []),
            *([f"rng:{settings.seed}"] if is_random else []),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        counts = f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"{', '.join(self.settings.statistics)}: {counts}"


def weights_text(weights: Mapping[str, float]) -> str:
    return ",".join(f"{pair}={weight:g}" for pair, weight in weights.items())


def systems(
    judgments: JudgmentSource,
    scores: ScoreSource = (),
    *,
    statistic: str | Sequence[str] = ACCURACY,
    absolute: bool = False,
    human: str | None = None,
    prior: float = 0.0,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
    without_outliers: bool = False,
    top: int | None = None,
    weights: Mapping[str, float] | None = None,
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
    judgment_weight: str | None = None,
    interval: str | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> SystemAgreement:
    """How far metrics agree with people on whole systems: do they score the systems higher that people prefer?

    Parameters
    ----------
    judgments
        What people said: rankings or scores of segments, as in `rankscope.agreement.segments`; scores of systems
        (`MetricScores`); or a file of any of these, such as a table with a column of systems and none of segments.
    scores
        A metric or several, as scores of systems or of segments, or files of them. Without any, every other column of
        the judgments is a metric.
    statistic
        Statistic of agreement between a metric and people, or several: 'pearson', 'spearman', 'kendall_b', 'tau_ap',
        'pairwise_accuracy', 'soft_pairwise_accuracy'. Default: 'pairwise_accuracy'.
    absolute
        Use absolute values of correlations, as some papers do. Default: False.
    human
        How human judgments become scores of systems. One of 'wins', 'expected_wins', 'better_or_equal',
        'bradley_terry', 'mean'. Default: wins for rankings, the mean for scores of segments.
    prior
        For bradley_terry: wins and losses to add for each system, against an imagined opponent. Default: 0.0.
    from_segments
        How a metric's scores of segments become a system's score: their mean, or the share of comparisons with other
        systems in which its translation is better or equal. One of 'mean', 'share'. Default: 'mean'.
    over
        Segments in a system's mean: those with scores for all systems (common), or all with a score for this system
        (own). One of 'common', 'own'. Default: 'common'.
    common
        Skip systems, segments and language pairs that are missing from a metric, instead of stopping. Default: False.
    without_outliers
        Skip systems whose human score is more than 2.5 scaled median absolute deviations from the median. Default:
        False.
    top
        Also compute agreement among the best K systems by people's scores. Default: all systems only.
    weights
        Weights of the language pairs in the average, adding up to 1. Default: equal weights.
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
    judgment_weight
        Column with the weight of each judgment, 1 / its chance to be drawn, if judgments were sampled with unequal
        chances. Default: equal weights.
    interval
        Confidence interval: a bootstrap over segments, Fisher's z over systems, or none. One of 'segments', 'fisher',
        'none'. Default: segments if human scores come from segments, else fisher for correlations.
    n_resamples
        Number of bootstrap resamples of the segments, or of permutations for soft_pairwise_accuracy. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    SystemAgreement
        The statistic of each metric and language pair with its confidence interval, the averages over the language
        pairs, and the scores that were compared.

    Raises
    ------
    InputError
        The sides have different systems, fewer than two systems in common, a system without a score, or the same score
        for all systems; or there is no metric.
    UnknownName
        A statistic, column, metric or language pair does not exist.
    ParameterError
        A setting is out of range, two settings exclude each other, or the data do not allow a setting, such as the mean
        of ranks.

    Notes
    -----
    Statistics are "pairwise_accuracy", the share of pairs of systems that both sides order alike, in [0, 1];
    "soft_pairwise_accuracy", for scores of segments on both sides, in [0, 1]: 1 minus the mean over pairs of systems of
    the distance between the p-values of people and metric, from a test of `n_resamples` random signs; the correlations
    "pearson", "spearman" and "kendall_b", in [-1, 1]; and "tau_ap", the AP correlation with people as the truth, in
    [-1, 1], as `rankscope.agreement.statistics.ap_correlations` computes it. Higher is better.

    From rankings, the score of a system is "wins", wins / (wins + losses); "expected_wins", the mean of that over its
    opponents; "better_or_equal", (wins + ties) / all comparisons; or "bradley_terry", its strength, with `prior` wins
    and losses against an imagined opponent. All comparisons count, also those with systems that are not compared. From
    scores of segments it is their mean ("mean"). Such a mean is over the segments of which people and all metrics have
    a score, of all systems ("common") or of the system ("own"). Scores of systems are used as they are; higher is
    better in them unless `lower` names them.

    The best systems (`top`) are those with the best human scores on all data, and the same in all resamples; systems
    that tie with the last of them are among them, with a note. They differ less than all systems do, so agreement among
    them is lower, also that of a good metric.

    Systems that nobody judged are skipped, with a note. A system is an outlier if its human score is more than 2.5
    deviations (scaled median absolute deviations) from the median.

    The interval "segments" is a percentile bootstrap that draws the same segments for people and metrics; scores of
    systems stay as they are, and so do those of metrics with "bradley_terry". The interval "fisher" takes the systems
    as a sample, as in `rankscope.stats.correlation_test`. Where there is no interval, its ends are NaN: for an average
    of Fisher's z, and where a bootstrap's interval does not hold the value itself, since resampling adds noise to the
    scores of systems, which can move values near 1 or -1 further than the interval is wide; a note names them.

    References
    ----------
    Callison-Burch et al. (2012) for human scores and Spearman's correlation; Mathur, Baldwin and Cohn (2020) for
    outliers; Kocmi et al. (2021) for pairwise accuracy; Thompson et al. (2024) for soft pairwise accuracy; Yilmaz,
    Aslam and Robertson (2008) for the AP correlation.

    Examples
    --------
    >>> from rankscope import MetricScores
    >>> people = MetricScores.of("human", {"": {"A": 0.6, "B": 0.5, "C": 0.3}})
    >>> bleu = MetricScores.of("BLEU", {"": {"A": 30.0, "B": 31.5, "C": 25.0}})
    >>> float(systems(people, bleu).value[0, 0].round(4))  # of three pairs, A and B are the wrong way round
    0.6667
    """
    settings = SystemSettings(
        statistics=names_of(statistic),
        absolute=absolute,
        human=human,
        prior=prior,
        from_segments=from_segments,
        over=over,
        common=common,
        without_outliers=without_outliers,
        top=top,
        weights=weights,
        judgment_weight=judgment_weight,
        interval=interval,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return agree_on_systems(judgments, scores, judgment_settings, metric_settings, settings)


def agree_on_systems(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    settings: SystemSettings,
) -> SystemAgreement:
    """As `systems`, with its settings as objects."""
    level = "any" if SOFT in settings.statistics else "system"
    inputs = load(
        judgments, scores, judgment_settings, metric_settings, level=level, judgment_weight=settings.judgment_weight
    )
    return agreement_of(inputs.for_systems(settings.human), settings)


def agreement_of(inputs: PeopleAndMetrics, settings: SystemSettings) -> SystemAgreement:
    """The agreement on loaded inputs."""
    intervals = {statistic: interval_of(inputs, settings, statistic) for statistic in settings.statistics}
    draws_segments = "segments" in intervals.values()
    matches, notes = match(inputs, "system", "skip" if settings.common else "refuse")
    all_scores, n_drawn = [], settings.n_resamples if draws_segments else 0
    for matched_scores in matches:
        scores, pair_notes = score_systems(matched_scores, inputs.rule, settings, n_drawn)
        all_scores.append(scores)
        notes += pair_notes
    weights = np.array(weights_of_pairs(settings.weights, [scores.pair for scores in all_scores]))
    outlier_masks = [outlying_systems(scores.oriented()[0]) for scores in all_scores]
    kept_masks = [~mask if settings.without_outliers else np.ones_like(mask) for mask in outlier_masks]
    for scores, mask in zip(all_scores, kept_masks, strict=True):
        if np.count_nonzero(mask) < 2:
            raise InputError(f"{scores.pair}: fewer than two systems are left without outliers")
    resampled = [resample_scores(scores, settings) if draws_segments else None for scores in all_scores]
    top_masks, top_notes = top_of(all_scores, kept_masks, settings.top)
    statistics, top = (
        tuple(
            statistic_among(statistic, interval, all_scores, masks, resampled, weights, settings)
            for statistic, interval in (intervals.items() if masks else ())
        )
        for masks in (kept_masks, top_masks)
    )
    return SystemAgreement(
        metrics=tuple(metric.metric for metric in inputs.metrics),
        pairs=tuple(scores.pair for scores in all_scores),
        systems=tuple(scores.systems for scores in all_scores),
        statistics=statistics,
        top=top,
        top_systems=tuple(
            names_in(scores, mask) for scores, mask in zip(all_scores, top_masks, strict=bool(top_masks))
        ),
        without=values_without(all_scores, outlier_masks, settings),
        human=tuple(scores.people.values for scores in all_scores),
        scores=tuple(np.array([metric.values for metric in scores.metrics]) for scores in all_scores),
        outliers=tuple(names_in(scores, mask) for scores, mask in zip(all_scores, outlier_masks, strict=True)),
        settings=settings,
        gold=inputs.gold,
        rule=inputs.rule,
        has_segment_scores=tuple(metric.level == "segment" for metric in inputs.metrics),
        higher=higher_of(inputs, all_scores[0]),
        notes=(*inputs.notes, *notes, *few_notes(all_scores, kept_masks), *top_notes),
    )


def names_in(scores: SystemScores, mask: Bools) -> tuple[str, ...]:
    return tuple(scores.systems[i] for i in np.flatnonzero(mask).tolist())


def top_of(
    all_scores: Sequence[SystemScores], kept_masks: Sequence[Bools], n_top: int | None
) -> tuple[list[Bools], list[str]]:
    """For each language pair (systems) which of those that count are the best by people, and notes; empty for none."""
    if n_top is None:
        return [], []
    masks, notes = [], []
    for scores, is_kept in zip(all_scores, kept_masks, strict=True):
        prefix = prefix_of(scores.pair)
        values = scores.oriented()[0]
        is_top = np.zeros_like(is_kept)
        is_top[is_kept] = best_systems(values[is_kept], n_top)
        n_systems, n_best = int(np.count_nonzero(is_kept)), int(np.count_nonzero(is_top))
        if n_systems < n_top:
            notes.append(f"{prefix}there are only {n_systems} systems, so the best {n_top} are all of them")
        elif n_best > n_top:
            is_last = is_top & (join_ties(values) == join_ties(values)[is_top].min())
            notes.append(
                f"{prefix}the best {n_top} systems are {n_best}, because people's scores of "
                f"{join_names(names_in(scores, is_last))} are equal"
            )
        masks.append(is_top)
    return masks, notes


def values_without(
    all_scores: Sequence[SystemScores], outlier_masks: Sequence[Bools], settings: SystemSettings
) -> Floats:
    """(metrics, pairs) the first statistic without outliers."""
    without = np.full((len(all_scores[0].metrics), len(all_scores)), np.nan)
    for p, (scores, mask) in enumerate(zip(all_scores, outlier_masks, strict=True)):
        if mask.any() and np.count_nonzero(~mask) > 2:
            without[:, p] = statistic_values(scores, ~mask, settings.statistics[0], settings)
    return without


def higher_of(inputs: PeopleAndMetrics, scores: SystemScores) -> tuple[str, ...]:
    """The names of people and metrics in which higher is better; without people where they ranked."""
    human_names = [inputs.gold] if inputs.rule in ("mean", "given") and scores.higher[0] else []
    return (*human_names, *(metric.metric for metric in inputs.metrics if metric.higher_is_better))


def few_notes(all_scores: Sequence[SystemScores], kept_masks: Sequence[Bools]) -> list[str]:
    pairs_of_two = [
        scores.pair for scores, mask in zip(all_scores, kept_masks, strict=True) if np.count_nonzero(mask) < 3
    ]
    if not pairs_of_two:
        return []
    of_pairs = f" ({', '.join(pairs_of_two)})" if any(pairs_of_two) else ""
    return [f"with only 2 systems{of_pairs} the sides either agree on their order or disagree, nothing in between"]


def interval_of(inputs: PeopleAndMetrics, settings: SystemSettings, statistic: str) -> str:
    """The kind of intervals. Raises ParameterError where they need segments and people's scores are of systems."""
    has_segments = inputs.rule != "given"
    if statistic == SOFT:
        refuse_soft_without_segments(inputs)
        return "none"
    if settings.interval == "segments" and not has_segments:
        raise ParameterError(
            "a bootstrap over segments needs human scores of segments, but these are of systems; pass those, or use "
            'interval "fisher" or "none"'
        )
    if settings.interval == "none" or (settings.interval is None and has_segments):
        return settings.interval or "segments"
    if settings.interval == "segments":
        return "segments"
    return "fisher" if statistic in SYSTEM_CORRELATIONS else "none"


def refuse_soft_without_segments(inputs: PeopleAndMetrics) -> None:
    """Raise ParameterError where soft pairwise accuracy lacks scores of segments, on either side."""
    system_metrics = [metric.metric for metric in inputs.metrics if metric.level == "system"]
    if inputs.rule != "mean" or system_metrics:
        reason = (
            f"those of {system_metrics[0]} are of systems"
            if inputs.rule == "mean"
            else f"{inputs.gold} (people) has none"
        )
        raise ParameterError(
            f"{SOFT} needs scores of segments from people and metrics, but {reason}; pass them, or use {ACCURACY}"
        )


def signed_statistic(table: Floats, statistic: str) -> Floats:
    """(metrics) the statistic with its sign; table: (1 + metrics, systems), people's first."""
    metrics = table[1:]
    return system_statistic(np.broadcast_to(table[0], metrics.shape), metrics, statistic)


def statistic_values(scores: SystemScores, is_kept: Bools, statistic: str, settings: SystemSettings) -> Floats:
    """(metrics) the statistic as it is shown; is_kept: (systems) the mask of systems that count."""
    if statistic == SOFT:
        draws = soft_draws(settings.seed, scores.pair, settings.n_resamples)
        return np.array([soft_accuracy_value(scores, m, is_kept, draws) for m in range(len(scores.metrics))])
    return as_shown(signed_statistic(scores.oriented()[:, is_kept], statistic), statistic, settings)


def as_shown(values: Floats, statistic: str, settings: SystemSettings) -> Floats:
    """The values without their sign, if they have one and it is to be dropped."""
    return np.abs(values) if settings.absolute and statistic in SIGNED else values


def soft_accuracy_value(scores: SystemScores, m: int, is_kept: Bools, draws: Draws) -> float:
    """Soft pairwise accuracy of one metric, on the translations of which both sides have a score."""
    people, metric = scores.tables(m)
    return float(soft_pairwise_accuracies(people[is_kept], metric[None, is_kept], draws)[0])


def resample_scores(scores: SystemScores, settings: SystemSettings) -> list[Floats] | None:
    """(resamples, systems) the scores of people and of each metric on segments drawn with replacement, oriented.

    None where there is one segment only.
    """
    if scores.people.counted_segments() < 2:
        return None
    # Where a model drew its own resamples, metrics have no matching ones.
    sums = [scores.people, *(scores.metrics if scores.people.resampled is None else [])]
    resampled = bootstrap_systems(sums, draw(random_stream(settings.seed, scores.pair), settings.n_resamples))
    resampled += [np.tile(metric.values, (settings.n_resamples, 1)) for metric in scores.metrics[len(resampled) - 1 :]]
    return [values * sign for values, sign in zip(resampled, scores.signs.tolist(), strict=True)]


def resampled_statistic(
    scores: SystemScores, resampled: list[Floats] | None, is_kept: Bools, statistic: str, settings: SystemSettings
) -> Floats:
    """(metrics, resamples) the statistic on each resample; NaN where there is none."""
    if resampled is None:
        return np.full((len(scores.metrics), settings.n_resamples), np.nan)
    people, *metrics = (values[:, is_kept] for values in resampled)
    values = np.stack([system_statistic(people, metric, statistic) for metric in metrics])
    return as_shown(values, statistic, settings)


def fisher_intervals(
    values: Floats, n_systems: Ints, statistic: str, settings: SystemSettings
) -> tuple[Floats, Floats]:
    """(metrics, pairs) the ends of the intervals; NaN for values of 1 and -1, and for too few systems."""
    min_systems = 5 if statistic.startswith("kendall") else 4
    low, high = np.full((2, *values.shape), np.nan)
    for p, n in enumerate(n_systems.tolist()):
        has_interval = ~np.isnan(values[:, p]) & (np.abs(values[:, p]) < 1)
        if n >= min_systems:
            ends = fisher_ends(values[has_interval, p], n, statistic, settings.confidence_level)
            low[has_interval, p], high[has_interval, p] = ends
    if not settings.absolute:
        return low, high
    lower_ends = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return lower_ends, np.maximum(np.abs(low), np.abs(high))


def statistic_among(
    statistic: str,
    interval: str,
    all_scores: Sequence[SystemScores],
    masks: Sequence[Bools],
    resampled: Sequence[list[Floats] | None],
    weights: Floats,
    settings: SystemSettings,
) -> SystemValues:
    """A statistic with its intervals among the systems of the masks, (systems) for each language pair.

    Parameters
    ----------
    statistic
        The name of the statistic.
    interval
        The kind of intervals.
    all_scores
        The scores of each language pair.
    masks
        For each language pair, the systems that count.
    resampled
        For each language pair the scores on resamples of the segments, see `resample_scores`.
    weights
        (pairs) the weights of the average.
    settings
        How agreement is computed.
    """
    masked_scores = list(zip(all_scores, masks, strict=True))
    value = np.stack([statistic_values(scores, mask, statistic, settings) for scores, mask in masked_scores], axis=1)
    low, high = np.full((2, *value.shape), np.nan)
    missed = np.zeros(value.shape, np.bool_)
    n_systems = np.array([int(np.count_nonzero(mask)) for mask in masks])
    n = n_systems * (n_systems - 1) // 2 if statistic in (ACCURACY, SOFT) else n_systems
    resampled_values = None
    if interval == "segments":
        resampled_values = np.stack(
            [
                resampled_statistic(scores, sample, mask, statistic, settings)
                for (scores, mask), sample in zip(masked_scores, resampled, strict=True)
            ],
            axis=1,
        )
        low, high, missed = ends_around(value, resampled_values, settings.confidence_level)
    elif interval == "fisher":
        signed = np.stack(
            [signed_statistic(scores.oriented()[:, mask], statistic) for scores, mask in masked_scores], 1
        )
        low, high = fisher_intervals(signed, n_systems, statistic, settings)
    return SystemValues(
        statistic=statistic,
        interval=interval,
        value=value,
        low=low,
        high=high,
        missed=missed,
        n=np.tile(n, (len(value), 1)),
        **summaries(statistic, value, resampled_values, weights, n / n.sum(), settings),
    )


def ends_around(value: Floats, resampled: Floats, confidence_level: float) -> tuple[Floats, Floats, Bools]:
    """The ends of percentile intervals, NaN where an interval does not hold the value; and where that is.

    Resampling adds noise to the scores of systems, which lowers agreement: near its highest or lowest value, by more
    than the interval is wide, so that quantiles of resamples say nothing about the value.

    Parameters
    ----------
    value
        (...) the value of all data.
    resampled
        (..., resamples) its values on resamples.
    confidence_level
        Confidence level.

    Examples
    --------
    >>> low, high, missed = ends_around(np.array([0.5, 1.0]), np.linspace(0.0, 0.9, 10) * np.ones((2, 1)), 0.8)
    >>> low.round(2).tolist(), high.round(2).tolist(), missed.tolist()
    ([0.09, nan], [0.81, nan], [False, True])
    """
    low, high = percentile_ends(resampled, confidence_level)
    missed = np.asarray((value < low - NOISE) | (value > high + NOISE), np.bool_)
    return np.where(missed, np.nan, low), np.where(missed, np.nan, high), missed


def summaries(
    statistic: str,
    values: Floats,
    resampled: Floats | None,
    weights: Floats,
    shares: Floats,
    settings: SystemSettings,
) -> dict[str, Any]:
    """The average over language pairs, and for an accuracy the share of all pairs of systems, with their intervals.

    values: (metrics, pairs); resampled: (metrics, pairs, resamples).
    """
    columns: dict[str, Any] = {}
    for name, pair_weights in (("average", weights), ("pooled", shares)):
        low, high, value = np.full((3, len(values)), np.nan)
        missed = np.zeros(len(values), np.bool_)
        if name == "average" or statistic == ACCURACY:
            value = values @ pair_weights
            if resampled is not None:
                resampled_means = np.einsum("mpr,p->mr", resampled, pair_weights)
                low, high, missed = ends_around(value, resampled_means, settings.confidence_level)
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high, f"{name}_missed": missed}
    return columns
