"""How far metrics agree with people on whole systems: the statistic, its intervals, the average over language pairs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankscope._version import __version__
from rankscope.agreement.load import (
    Names,
    PeopleAndMetrics,
    SystemJudgments,
    SystemMetrics,
    directions,
    load_system_scores,
)
from rankscope.agreement.match import MatchedSystems, match_systems
from rankscope.agreement.segment_level import AVERAGE, COLUMNS
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
from rankscope.data.result import as_text, sections_by_view, tidy_frame
from rankscope.data.section import Section
from rankscope.data.segment_scores import SegmentScores
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import Draws, draw
from rankscope.stats.correlation import fisher_ends
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ALL",
    "SystemAgreement",
    "SystemValues",
    "compute_values",
    "summaries",
    "systems",
]


#: All pairs of systems of all language pairs in one pot.
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemAgreement:
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

    #: The view that shows it.
    VIEW: ClassVar[str] = "rankscope.agreement.system_level.view:sections_of"

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
    asked: SystemSettings
    gold: str
    rule: str
    parts: tuple[bool, ...]
    interval: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return COLUMNS

    @property
    def several(self) -> bool:
        """Whether there are several language pairs."""
        return len(self.pairs) > 1

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        name = self.asked.statistic
        for m, metric in enumerate(self.metrics):
            for p, pair in enumerate(self.pairs):
                ends_of = float(self.low[m, p]), float(self.high[m, p])
                yield metric, pair, name, float(self.value[m, p]), *ends_of, int(self.n[m, p])
            if self.several:
                ends_of = float(self.average_low[m]), float(self.average_high[m])
                yield metric, AVERAGE, name, float(self.average[m]), *ends_of, len(self.pairs)
            if self.several and name == ACCURACY:
                ends_of = float(self.pooled_low[m]), float(self.pooled_high[m])
                yield metric, ALL, name, float(self.pooled[m]), *ends_of, int(self.n[m].sum())

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> Sequence[Section]:
        """Metrics by language pairs, each value with its interval, the scores of the systems, and a figure of them."""
        return sections_by_view(self)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        asked = self.asked
        prior = f",prior={asked.prior:g}" if asked.prior else ""
        given = [name for name, part in zip(self.metrics, self.parts, strict=True) if not part]
        made = [name for name, part in zip(self.metrics, self.parts, strict=True) if part]
        over = f"({asked.over})" if asked.from_segments == "mean" else ""
        drawn = {
            "segments": f"segments,{asked.n_resamples},{asked.confidence_level:g}",
            "fisher": f"fisher,{asked.confidence_level:g}",
        }
        weights = [] if asked.weights is None else [f"weights:{weights_text(asked.weights)}"]
        parts = [
            "agreement on systems",
            f"statistic:{asked.statistic}{',absolute' if asked.absolute else ''}",
            f"gold:{self.gold}",
            f"human:{self.rule}{f'({asked.over})' if self.rule == 'mean' else ''}{prior}",
            *([f"metrics:{asked.from_segments}{over}"] if made else []),
            *([f"given:{','.join(given)}"] if given else []),
            *directions(self.gold, self.metrics, self.higher),
            *(["systems:common"] if asked.common else []),
            *(["outliers:left out"] if asked.without_outliers else []),
            *weights,
            f"interval:{drawn.get(self.interval, 'none')}",
            *([f"permutations:{asked.n_resamples}"] if asked.statistic == SOFT else []),
            *([f"rng:{asked.seed}"] if self.interval == "segments" or asked.statistic == SOFT else []),
            f"rankscope {__version__}",
        ]
        return " | ".join(parts)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        of = f"{pluralise(len(self.metrics), 'metric')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"SystemAgreement({self.asked.statistic}: {of})"


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
    asked = validate_system_settings(
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
    given = load_system_scores(
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
        segments=asked.statistic == SOFT,
    )
    return agreement_of(given, asked)


def agreement_of(given: PeopleAndMetrics, asked: SystemSettings) -> SystemAgreement:
    """The result on what was read."""
    interval = interval_of(given, asked)
    compared, notes = match_systems(given, asked, asked.n_resamples if interval == "segments" else 0)
    weights = weights_of(asked, [one.pair for one in compared])
    far = [outlying_systems(one.oriented()[0]) for one in compared]
    kept = [~which if asked.without_outliers else np.ones_like(which) for which in far]
    for one, which in zip(compared, kept, strict=True):
        if np.count_nonzero(which) < 2:
            raise InputError(f"{one.pair}: without systems far from the rest fewer than two are left")
    sizes = np.array([int(np.count_nonzero(which)) for which in kept])
    n = sizes if asked.statistic in SYSTEM_CORRELATIONS else sizes * (sizes - 1) // 2
    cells = compute_values(compared, kept, far, asked, interval)
    return SystemAgreement(
        metrics=tuple(one.metric for one in given.metrics),
        pairs=tuple(one.pair for one in compared),
        systems=tuple(one.systems for one in compared),
        value=cells.value,
        low=cells.low,
        high=cells.high,
        without=cells.without,
        n=np.tile(n, (len(cells.value), 1)),
        **summaries(cells, weights, n / n.sum(), asked),
        human=tuple(one.people.values for one in compared),
        scores=tuple(np.array([metric.values for metric in one.metrics]) for one in compared),
        outliers=tuple(
            tuple(one.systems[i] for i in np.flatnonzero(which).tolist())
            for one, which in zip(compared, far, strict=True)
        ),
        asked=asked,
        gold=given.gold,
        rule=given.rule,
        parts=tuple(isinstance(one, SegmentScores) for one in given.metrics),
        interval=interval,
        higher=higher_of(given, compared[0]),
        notes=(*given.notes, *notes, *few_notes(compared, sizes)),
    )


def higher_of(given: PeopleAndMetrics, one: MatchedSystems) -> tuple[str, ...]:
    """Those of people and the metrics in which higher is better; of rankings people's wins are not the column."""
    people = [given.gold] if given.rule in ("mean", "given") and one.people_higher else []
    return (*people, *(metric.metric for metric in given.metrics if metric.score))


def few_notes(compared: Sequence[MatchedSystems], sizes: Ints) -> list[str]:
    few = [one.pair for one, n in zip(compared, sizes.tolist(), strict=True) if n < 3]
    if not few:
        return []
    of = " of " + ", ".join(few) if any(few) else ""
    return [f"2 systems{of}: both sides order them alike or the other way round, and no more can be said"]


def interval_of(given: PeopleAndMetrics, asked: SystemSettings) -> str:
    """What intervals are of. Raises ParameterError where people's scores are not made of segments."""
    drawable = given.rule != "given"
    if asked.statistic == SOFT:
        refuse_soft_without_segments(given)
        return "none"
    if asked.interval == "segments" and not drawable:
        raise ParameterError(
            "a bootstrap over segments needs people's scores of segments, and these are of systems; give them, or ask "
            'for interval "fisher" or "none"'
        )
    if asked.interval is not None:
        return asked.interval
    return "segments" if drawable else "fisher" if asked.statistic in SYSTEM_CORRELATIONS else "none"


def refuse_soft_without_segments(given: PeopleAndMetrics) -> None:
    """Raise ParameterError where soft pairwise accuracy lacks scores of segments, on either side."""
    whole = [one.metric for one in given.metrics if not isinstance(one, SegmentScores)]
    if given.rule != "mean" or whole:
        lacks = f"those of {whole[0]} are of systems" if given.rule == "mean" else f"{given.gold} (people) has none"
        raise ParameterError(
            f"{SOFT} needs scores of segments, by people and by metrics, and {lacks}; give them, or take {ACCURACY}"
        )


def weights_of(asked: SystemSettings, pairs: Sequence[str]) -> Floats:
    """(pairs) adding up to 1. Raises UnknownName, ParameterError where one has no weight."""
    if asked.weights is None:
        return np.full(len(pairs), 1 / len(pairs))
    if unknown := [pair for pair in asked.weights if pair not in pairs]:
        raise UnknownName("language pair among the weights", unknown[0], pairs)
    if missing := [pair for pair in pairs if pair not in asked.weights]:
        raise ParameterError(f"weights say nothing of {missing[0]}; give each language pair one, 0 where it counts not")
    return np.array([asked.weights[pair] for pair in pairs])


def signed_statistic(table: Floats, asked: SystemSettings) -> Floats:
    """(metrics) the statistic with its sign; table: (1 + metrics, systems), people's first."""
    metrics = table[1:]
    return system_statistic(np.broadcast_to(table[0], metrics.shape), metrics, asked.statistic)


def statistic_values(one: MatchedSystems, kept: Bools, asked: SystemSettings) -> Floats:
    """(metrics) the statistic as it is shown; kept: (systems) which count."""
    if asked.statistic == SOFT:
        draws = soft_draws(asked.seed, one.pair, asked.n_resamples)
        return np.array([soft_accuracy_value(one, m, kept, draws) for m in range(len(one.metrics))])
    found = signed_statistic(one.oriented()[:, kept], asked)
    return np.abs(found) if asked.absolute else found


def soft_accuracy_value(one: MatchedSystems, m: int, kept: Bools, draws: Draws) -> float:
    """Soft pairwise accuracy of one metric, on the translations of which both sides have a score."""
    people, metric = one.tables(m)
    return float(soft_pairwise_accuracies(people[kept], metric[None, kept], draws)[0])


def pair_stream(one: MatchedSystems, asked: SystemSettings) -> np.random.Generator:
    """By the name of the language pair: what is drawn does not depend on which others were asked for."""
    return np.random.default_rng([asked.seed, zlib.crc32(one.pair.encode("utf-8", "surrogateescape"))])


def resample_statistic(one: MatchedSystems, kept: Bools, asked: SystemSettings) -> Floats:
    """(metrics, resamples) the statistic on segments drawn with replacement; NaN where there is one segment only."""
    if one.people.counted_segments() < 2:
        return np.full((len(one.metrics), asked.n_resamples), np.nan)
    # A model that drew its own resamples drew no segments of the metrics'.
    sums = [one.people, *(one.metrics if one.people.drawn is None else [])]
    drawn = bootstrap_systems(sums, draw(pair_stream(one, asked), asked.n_resamples))
    drawn += [np.tile(metric.values, (asked.n_resamples, 1)) for metric in one.metrics[len(drawn) - 1 :]]
    signs = [1.0 if up else -1.0 for up in (one.people_higher, *one.higher)]
    people, *metrics = (side[:, kept] * sign for side, sign in zip(drawn, signs, strict=True))
    found = np.stack([system_statistic(people, metric, asked.statistic) for metric in metrics])
    return np.abs(found) if asked.absolute else found


def fisher_intervals(values: Floats, sizes: Ints, asked: SystemSettings) -> tuple[Floats, Floats]:
    """(metrics, pairs) the ends of the intervals; NaN of 1 and -1, and of too few systems."""
    least = 5 if asked.statistic.startswith("kendall") else 4
    low, high = np.full((2, *values.shape), np.nan)
    for p, n in enumerate(sizes.tolist()):
        good = ~np.isnan(values[:, p]) & (np.abs(values[:, p]) < 1)
        if n >= least:
            found = fisher_ends(values[good, p], n, asked.statistic, asked.confidence_level)
            low[good, p], high[good, p] = found
    if not asked.absolute:
        return low, high
    across = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return across, np.maximum(np.abs(low), np.abs(high))


class SystemValues(NamedTuple):
    """Of each metric and language pair: see `SystemAgreement`; drawn: (metrics, pairs, resamples), or None."""

    value: Floats
    low: Floats
    high: Floats
    without: Floats
    drawn: Floats | None


def compute_values(
    compared: Sequence[MatchedSystems],
    kept: Sequence[Bools],
    far: Sequence[Bools],
    asked: SystemSettings,
    interval: str,
) -> SystemValues:
    """The statistic with its intervals; kept, far: of each language pair, (systems) which count, which are far."""
    value = np.stack([statistic_values(one, which, asked) for one, which in zip(compared, kept, strict=True)], axis=1)
    low, high, without = np.full((3, *value.shape), np.nan)
    for p, (one, which) in enumerate(zip(compared, far, strict=True)):
        if which.any() and np.count_nonzero(~which) > 2:
            without[:, p] = statistic_values(one, ~which, asked)
    drawn = None
    if interval == "segments":
        drawn = np.stack(
            [resample_statistic(one, which, asked) for one, which in zip(compared, kept, strict=True)], axis=1
        )
        low, high = percentile_ends(drawn, asked.confidence_level)
    elif interval == "fisher":
        found = [signed_statistic(one.oriented()[:, which], asked) for one, which in zip(compared, kept, strict=True)]
        sizes = np.array([int(np.count_nonzero(which)) for which in kept])
        low, high = fisher_intervals(np.stack(found, axis=1), sizes, asked)
    return SystemValues(value, low, high, without, drawn)


def summaries(cells: SystemValues, weights: Floats, shares: Floats, asked: SystemSettings) -> dict[str, Floats]:
    """The average over language pairs, and of an accuracy the share of all pairs of systems, with their intervals."""
    found: dict[str, Floats] = {}
    for name, by in (("average", weights), ("pooled", shares)):
        low, high, value = np.full((3, len(cells.value)), np.nan)
        if name == "average" or asked.statistic == ACCURACY:
            value = cells.value @ by
            if cells.drawn is not None:
                low, high = percentile_ends(np.einsum("mpr,p->mr", cells.drawn, by), asked.confidence_level)
        found |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return found
