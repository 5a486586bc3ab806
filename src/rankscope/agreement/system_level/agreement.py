"""Agreement on systems: the statistic of how far metrics agree with people, its intervals, the average over language
pairs.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.agreement.load import (
    Names,
    PeopleAndMetrics,
    SystemJudgments,
    SystemMetrics,
    directions,
    load_system_scores,
)
from rankscope.agreement.match import MatchedSystems, match_systems
from rankscope.agreement.segment_level import AVERAGE, SegmentAgreement
from rankscope.agreement.settings import SystemSettings, validate_system_settings
from rankscope.agreement.statistics import (
    ACCURACY,
    SOFT,
    SYSTEM_CORRELATIONS,
    bootstrap_systems,
    outlying_systems,
    soft_draws,
    soft_pairwise_accuracies,
    system_statistic,
)
from rankscope.data.result import Result
from rankscope.data.segment_scores import SegmentScores
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import Draws, draw
from rankscope.stats.correlation import fisher_ends
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints, PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "ALL",
    "SystemAgreement",
    "SystemValues",
    "compute_values",
    "summaries",
    "systems",
]


#: The name of the row in which pairs of systems of all language pairs are pooled.
ALL = "all"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemAgreement(Result):
    """How far each metric agrees with people on systems, for each language pair; arrays of shape (metrics, pairs).

    value: the statistic, higher is better. low, high: its interval, NaN where there is none. n: systems, or pairs of
    systems of an accuracy. without: the statistic without the systems whose human score is far from the rest, NaN where
    there are none or too few are left. average, average_low, average_high: (metrics) the mean over the language pairs,
    weighted where weights were given. pooled, pooled_low, pooled_high: (metrics) of "pairwise_accuracy" the share of
    the pairs of systems of all language pairs; else NaN.

    systems: by language pair, the names. human, scores: by language pair, (systems) and (metrics, systems) what was
    compared, as people and metrics say it. outliers: by language pair, the systems far from the rest. rule: what human
    scores are: "wins" and the like, "mean" or "given". parts: for each metric, whether its scores are of segments.
    interval: what intervals are of. higher: people's (gold) and the metrics' names in which higher is better.
    `frame()` is the tidy table: a row a metric and pair, and rows "average" and "all" where there are several.
    """

    VIEW = "rankscope.agreement.system_level.view:sections_of"
    COLUMNS = SegmentAgreement.COLUMNS

    metrics: tuple[str, ...]
    pairs: tuple[str, ...]
    systems: tuple[tuple[str, ...], ...]
    value: Floats
    low: Floats
    high: Floats
    n: Ints
    without: Floats
    average: Floats
    average_low: Floats
    average_high: Floats
    pooled: Floats
    pooled_low: Floats
    pooled_high: Floats
    human: tuple[Floats, ...]
    scores: tuple[Floats, ...]
    outliers: tuple[tuple[str, ...], ...]
    settings: SystemSettings
    gold: str
    rule: str
    has_segment_scores: tuple[bool, ...]
    interval: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def several_pairs(self) -> bool:
        """Whether there are several language pairs."""
        return len(self.pairs) > 1

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        name = self.settings.statistic
        for m, metric in enumerate(self.metrics):
            for p, pair in enumerate(self.pairs):
                ends = float(self.low[m, p]), float(self.high[m, p])
                yield metric, pair, name, float(self.value[m, p]), *ends, int(self.n[m, p])
            if self.several_pairs:
                ends = float(self.average_low[m]), float(self.average_high[m])
                yield metric, AVERAGE, name, float(self.average[m]), *ends, len(self.pairs)
            if self.several_pairs and name == ACCURACY:
                ends = float(self.pooled_low[m]), float(self.pooled_high[m])
                yield metric, ALL, name, float(self.pooled[m]), *ends, int(self.n[m].sum())

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
        weights = [] if settings.weights is None else [f"weights:{weights_text(settings.weights)}"]
        return [
            "agreement on systems",
            f"statistic:{settings.statistic}{',absolute' if settings.absolute else ''}",
            f"gold:{self.gold}",
            f"human:{self.rule}{f'({settings.over})' if self.rule == 'mean' else ''}{prior}",
            *([f"metrics:{settings.from_segments}{mean_segments}"] if segment_metrics else []),
            *([f"given:{','.join(system_metrics)}"] if system_metrics else []),
            *directions(self.gold, self.metrics, self.higher),
            *(["systems:common"] if settings.common else []),
            *(["outliers:left out"] if settings.without_outliers else []),
            *weights,
            f"interval:{interval_texts.get(self.interval, 'none')}",
            *([f"permutations:{settings.n_resamples}"] if settings.statistic == SOFT else []),
            *([f"rng:{settings.seed}"] if self.interval == "segments" or settings.statistic == SOFT else []),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        counts = f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"{self.settings.statistic}: {counts}"


def weights_text(weights: Mapping[str, float]) -> str:
    return ",".join(f"{pair}={weight:g}" for pair, weight in weights.items())


def systems(
    judgments: SystemJudgments,
    scores: SystemMetrics = (),
    *,
    statistic: str = ACCURACY,
    absolute: bool = False,
    human: str | None = None,
    prior: float = 0.0,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
    without_outliers: bool = False,
    weights: Mapping[str, float] | None = None,
    gold: str | None = None,
    pairs: Names | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    test_set: str | None = None,
    interval: str | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> SystemAgreement:
    """How far metrics agree with people on whole systems: are the systems that people like better scored higher?

    judgments: what people said: rankings or scores of segments, as in `rankscope.agreement.segments`, or scores of
    systems (`SystemScores`); or a file of any of these, as a table with a column of systems and none of segments.
    scores: a metric or several, of systems or of segments, or files; without any, every other column of the judgments.
    gold, pairs, metrics, higher, lower, duplicates, reference, lines, test_set: as in `rankscope.agreement.segments`;
    of scores of systems, higher is better where `lower` does not name them.

    statistic: "pairwise_accuracy", the share of pairs of systems that both order alike, in [0, 1];
    "soft_pairwise_accuracy", of scores of segments on both sides, in [0, 1]: 1 less the mean over pairs of systems of
    how far the p-values of people and metric are apart, of a test of `n_resamples` random signs; or a correlation,
    "pearson", "spearman", "kendall_b", in [-1, 1]. Higher is better. absolute: without the sign, as some papers print
    correlations.
    human: of rankings, "wins", a system's wins / (wins + losses), the default; "expected_wins", the mean over opponents
    of that; "better_or_equal", (wins + ties) / all; "bradley_terry", strengths, with `prior` wins and losses of each
    against an imagined one. These count all comparisons, also those with systems that are not compared. Of scores,
    their mean over segments ("mean", the default).
    from_segments: what makes a system's score of a metric's scores of segments: their "mean", or the "share" of
    comparisons with each other system's output of the same segment in which its own is better or equal. over: a mean is
    over the segments that all systems have ("common") or each over its own ("own"); where people's are means, too,
    over those of which people and all metrics have scores.
    common: compare the systems, segments and language pairs that people and all metrics have; else it is an error where
    a metric lacks some. Systems that nobody judged are left out, with a note.
    without_outliers: without systems whose human score is more than 2.5 deviations from the median.
    weights: of language pairs in the average, adding up to 1; alike where None.

    interval: "segments", a bootstrap by percentiles over segments, the same for people and metrics; scores that were
    given stay as they are, and those of metrics do under "bradley_terry". "fisher", of correlations, over systems, as
    in `rankscope.stats.correlation_test`. "none". None: "segments" where people's scores are made of segments, else
    "fisher" for correlations. NaN where there is none, as of an average by Fisher's z.

    Raises InputError where sets of systems differ, fewer than two are in common, a system has no score or all have one,
    no metric is there; UnknownName for names; ParameterError for other values, weights that do not add up to 1, a mean
    of ranks.

    Source: Callison-Burch et al. (2012) for human scores and Spearman's correlation; Mathur, Baldwin and Cohn (2020)
    for outliers; Kocmi et al. (2021) for pairwise accuracy, Thompson et al. (2024) for the soft one.

    >>> from rankscope.data.segment_scores import SystemScores
    >>> people = SystemScores("human", {"": {"A": 0.6, "B": 0.5, "C": 0.3}})
    >>> bleu = SystemScores("BLEU", {"": {"A": 30.0, "B": 31.5, "C": 25.0}})
    >>> float(systems(people, bleu).value[0, 0].round(4))  # of three pairs, A and B are the wrong way round
    0.6667
    """
    settings = validate_system_settings(
        statistic=statistic,
        absolute=absolute,
        human=human,
        prior=prior,
        from_segments=from_segments,
        over=over,
        common=common,
        without_outliers=without_outliers,
        interval=interval,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=rng,
        weights=weights,
    )
    inputs = load_system_scores(
        judgments,
        scores,
        human=human,
        gold=gold,
        pairs=pairs,
        metrics=metrics,
        higher=higher,
        lower=lower,
        duplicates=duplicates,
        reference=reference,
        lines=lines,
        test_set=test_set,
        segments=settings.statistic == SOFT,
    )
    return agreement_of(inputs, settings)


def agreement_of(inputs: PeopleAndMetrics, settings: SystemSettings) -> SystemAgreement:
    """The agreement on loaded inputs."""
    interval = interval_of(inputs, settings)
    matches, notes = match_systems(inputs, settings, settings.n_resamples if interval == "segments" else 0)
    weights = weights_of(settings, [matched.pair for matched in matches])
    outlier_masks = [outlying_systems(matched.oriented()[0]) for matched in matches]
    kept_masks = [~mask if settings.without_outliers else np.ones_like(mask) for mask in outlier_masks]
    for matched, mask in zip(matches, kept_masks, strict=True):
        if np.count_nonzero(mask) < 2:
            raise InputError(f"{matched.pair}: without systems far from the rest fewer than two are left")
    n_systems = np.array([int(np.count_nonzero(mask)) for mask in kept_masks])
    n = n_systems if settings.statistic in SYSTEM_CORRELATIONS else n_systems * (n_systems - 1) // 2
    values = compute_values(matches, kept_masks, outlier_masks, settings, interval)
    return SystemAgreement(
        metrics=tuple(metric.metric for metric in inputs.metrics),
        pairs=tuple(matched.pair for matched in matches),
        systems=tuple(matched.systems for matched in matches),
        value=values.value,
        low=values.low,
        high=values.high,
        without=values.without,
        n=np.tile(n, (len(values.value), 1)),
        **summaries(values, weights, n / n.sum(), settings),
        human=tuple(matched.people.values for matched in matches),
        scores=tuple(np.array([metric.values for metric in matched.metrics]) for matched in matches),
        outliers=tuple(
            tuple(matched.systems[i] for i in np.flatnonzero(mask).tolist())
            for matched, mask in zip(matches, outlier_masks, strict=True)
        ),
        settings=settings,
        gold=inputs.gold,
        rule=inputs.rule,
        has_segment_scores=tuple(isinstance(metric, SegmentScores) for metric in inputs.metrics),
        interval=interval,
        higher=higher_of(inputs, matches[0]),
        notes=(*inputs.notes, *notes, *few_notes(matches, n_systems)),
    )


def higher_of(inputs: PeopleAndMetrics, matched: MatchedSystems) -> tuple[str, ...]:
    """The names of people and metrics in which higher is better; without people where they ranked."""
    human_names = [inputs.gold] if inputs.rule in ("mean", "given") and matched.people_higher else []
    return (*human_names, *(metric.metric for metric in inputs.metrics if metric.higher_is_better))


def few_notes(matches: Sequence[MatchedSystems], n_systems: Ints) -> list[str]:
    pairs_of_two = [matched.pair for matched, n in zip(matches, n_systems.tolist(), strict=True) if n < 3]
    if not pairs_of_two:
        return []
    of_pairs = " of " + ", ".join(pairs_of_two) if any(pairs_of_two) else ""
    return [f"2 systems{of_pairs}: both sides order them alike or the other way round, and no more can be said"]


def interval_of(inputs: PeopleAndMetrics, settings: SystemSettings) -> str:
    """The kind of intervals. Raises ParameterError where they need segments and people's scores are of systems."""
    has_segments = inputs.rule != "given"
    if settings.statistic == SOFT:
        refuse_soft_without_segments(inputs)
        return "none"
    if settings.interval == "segments" and not has_segments:
        raise ParameterError(
            "a bootstrap over segments needs people's scores of segments, and these are of systems; give them, or ask "
            'for interval "fisher" or "none"'
        )
    if settings.interval is not None:
        return settings.interval
    return "segments" if has_segments else "fisher" if settings.statistic in SYSTEM_CORRELATIONS else "none"


def refuse_soft_without_segments(inputs: PeopleAndMetrics) -> None:
    """Raise ParameterError where soft pairwise accuracy lacks scores of segments, on either side."""
    system_metrics = [metric.metric for metric in inputs.metrics if not isinstance(metric, SegmentScores)]
    if inputs.rule != "mean" or system_metrics:
        reason = (
            f"those of {system_metrics[0]} are of systems"
            if inputs.rule == "mean"
            else f"{inputs.gold} (people) has none"
        )
        raise ParameterError(
            f"{SOFT} needs scores of segments, by people and by metrics, and {reason}; give them, or take {ACCURACY}"
        )


def weights_of(settings: SystemSettings, pairs: Sequence[str]) -> Floats:
    """(pairs) weights that add up to 1. Raises UnknownName, ParameterError where one has no weight."""
    if settings.weights is None:
        return np.full(len(pairs), 1 / len(pairs))
    if unknown := [pair for pair in settings.weights if pair not in pairs]:
        raise UnknownName("language pair among the weights", unknown[0], pairs)
    if missing := [pair for pair in pairs if pair not in settings.weights]:
        raise ParameterError(f"weights say nothing of {missing[0]}; give each language pair one, 0 where it counts not")
    return np.array([settings.weights[pair] for pair in pairs])


def signed_statistic(table: Floats, settings: SystemSettings) -> Floats:
    """(metrics) the statistic with its sign; table: (1 + metrics, systems), people's first."""
    metrics = table[1:]
    return system_statistic(np.broadcast_to(table[0], metrics.shape), metrics, settings.statistic)


def statistic_values(matched: MatchedSystems, is_kept: Bools, settings: SystemSettings) -> Floats:
    """(metrics) the statistic as it is shown; is_kept: (systems) the mask of systems that count."""
    if settings.statistic == SOFT:
        draws = soft_draws(settings.seed, matched.pair, settings.n_resamples)
        return np.array([soft_accuracy_value(matched, m, is_kept, draws) for m in range(len(matched.metrics))])
    values = signed_statistic(matched.oriented()[:, is_kept], settings)
    return np.abs(values) if settings.absolute else values


def soft_accuracy_value(matched: MatchedSystems, m: int, is_kept: Bools, draws: Draws) -> float:
    """Soft pairwise accuracy of one metric, on the translations of which both sides have a score."""
    people, metric = matched.tables(m)
    return float(soft_pairwise_accuracies(people[is_kept], metric[None, is_kept], draws)[0])


def pair_stream(matched: MatchedSystems, settings: SystemSettings) -> np.random.Generator:
    """A random stream for the language pair's name, so that draws do not depend on other pairs."""
    return np.random.default_rng([settings.seed, zlib.crc32(matched.pair.encode("utf-8", "surrogateescape"))])


def resample_statistic(matched: MatchedSystems, is_kept: Bools, settings: SystemSettings) -> Floats:
    """(metrics, resamples) the statistic on segments drawn with replacement; NaN where there is one segment only."""
    if matched.people.counted_segments() < 2:
        return np.full((len(matched.metrics), settings.n_resamples), np.nan)
    # Where a model drew its own resamples, metrics have no matching ones.
    sums = [matched.people, *(matched.metrics if matched.people.resampled is None else [])]
    resampled = bootstrap_systems(sums, draw(pair_stream(matched, settings), settings.n_resamples))
    resampled += [np.tile(metric.values, (settings.n_resamples, 1)) for metric in matched.metrics[len(resampled) - 1 :]]
    signs = [1.0 if higher else -1.0 for higher in (matched.people_higher, *matched.higher)]
    people, *metrics = (scores[:, is_kept] * sign for scores, sign in zip(resampled, signs, strict=True))
    values = np.stack([system_statistic(people, metric, settings.statistic) for metric in metrics])
    return np.abs(values) if settings.absolute else values


def fisher_intervals(values: Floats, n_systems: Ints, settings: SystemSettings) -> tuple[Floats, Floats]:
    """(metrics, pairs) the ends of the intervals; NaN for values of 1 and -1, and for too few systems."""
    min_systems = 5 if settings.statistic.startswith("kendall") else 4
    low, high = np.full((2, *values.shape), np.nan)
    for p, n in enumerate(n_systems.tolist()):
        has_interval = ~np.isnan(values[:, p]) & (np.abs(values[:, p]) < 1)
        if n >= min_systems:
            ends = fisher_ends(values[has_interval, p], n, settings.statistic, settings.confidence_level)
            low[has_interval, p], high[has_interval, p] = ends
    if not settings.absolute:
        return low, high
    lower_ends = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return lower_ends, np.maximum(np.abs(low), np.abs(high))


class SystemValues(NamedTuple):
    """Values by metric and language pair, see `SystemAgreement`; drawn: (metrics, pairs, resamples), or None."""

    value: Floats
    low: Floats
    high: Floats
    without: Floats
    resampled: Floats | None


def compute_values(
    matches: Sequence[MatchedSystems],
    kept_masks: Sequence[Bools],
    outlier_masks: Sequence[Bools],
    settings: SystemSettings,
    interval: str,
) -> SystemValues:
    """The statistic with its intervals; kept_masks, outlier_masks: for each language pair (systems) which count, and
    which are outliers.
    """
    value = np.stack(
        [statistic_values(matched, mask, settings) for matched, mask in zip(matches, kept_masks, strict=True)], axis=1
    )
    low, high, without = np.full((3, *value.shape), np.nan)
    for p, (matched, mask) in enumerate(zip(matches, outlier_masks, strict=True)):
        if mask.any() and np.count_nonzero(~mask) > 2:
            without[:, p] = statistic_values(matched, ~mask, settings)
    resampled = None
    if interval == "segments":
        resampled = np.stack(
            [resample_statistic(matched, mask, settings) for matched, mask in zip(matches, kept_masks, strict=True)],
            axis=1,
        )
        low, high = percentile_ends(resampled, settings.confidence_level)
    elif interval == "fisher":
        signed_values = [
            signed_statistic(matched.oriented()[:, mask], settings)
            for matched, mask in zip(matches, kept_masks, strict=True)
        ]
        n_systems = np.array([int(np.count_nonzero(mask)) for mask in kept_masks])
        low, high = fisher_intervals(np.stack(signed_values, axis=1), n_systems, settings)
    return SystemValues(value, low, high, without, resampled)


def summaries(values: SystemValues, weights: Floats, shares: Floats, settings: SystemSettings) -> dict[str, Floats]:
    """The average over language pairs, and for an accuracy the share of all pairs of systems, with their intervals."""
    columns: dict[str, Floats] = {}
    for name, pair_weights in (("average", weights), ("pooled", shares)):
        low, high, value = np.full((3, len(values.value)), np.nan)
        if name == "average" or settings.statistic == ACCURACY:
            value = values.value @ pair_weights
            if values.resampled is not None:
                low, high = percentile_ends(
                    np.einsum("mpr,p->mr", values.resampled, pair_weights), settings.confidence_level
                )
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return columns
