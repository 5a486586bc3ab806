"""Agreement of metrics' rankings with people's (`rankscope.agreement.ranks`): all measures of RankEval."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple, cast

import numpy as np

from rankscope.agreement.direction import refuse_fractions
from rankscope.agreement.judgments import human_column
from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load, read_rankings
from rankscope.agreement.match import lists_with_metrics, refuse_missing_pairs
from rankscope.agreement.rankeval.kendall_tau import TauCounts, tau_counts
from rankscope.agreement.rankeval.measures import (
    SEGMENT_MEASURES,
    SET_MEASURES,
    MeasureSettings,
    RankCounts,
    count_ranks,
    taus_of,
)
from rankscope.agreement.rankeval.paired_ranks import PairedRanks, segments_of, table_of
from rankscope.agreement.rankeval.reference_code import all_metrics, tau_and_counts, tool_table
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
    Names,
    judgment_settings_of,
    metric_settings_of,
)
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.result import Result
from rankscope.data.tables import find_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import PARQUET_MAGIC, source_name
from rankscope.io.translation import GOLD_COLUMNS, detect_kind, first_bytes
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.settings import Settings, choice, confidence_field, excludes, resamples_field, seed_field, switch
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "COLUMNS",
    "COUNTS",
    "IntervalStatistic",
    "RankAgreement",
    "RankPart",
    "RankSettings",
    "data_lines",
    "each_experiment",
    "holds_rankings",
    "measure_rankings",
    "ranks",
]


Experiments = JudgmentSource | Sequence[JudgmentSource] | Mapping[str, JudgmentSource]
#: The name of the column of experiments.
EXPERIMENT = "experiment"
#: Separates an experiment and a judge; no name contains it.
SEPARATOR = "\x1f"
#: The bootstrap's chunks are smaller by this factor than memory allows: larger ones are no faster.
CHUNK_DIVISOR = 8


PRESETS = ("rankeval",)
#: The measures that may order the figure over experiments.
ORDERS = tuple(name for name, measure in SET_MEASURES.items() if "segments" not in measure.options)
#: The counts of pairs among the statistics.
COUNTS = ("concordant", "discordant", "pairs", "gold_ties", "predicted_ties")
#: What is done about an item without a rank.
MISSING = ("error", "drop")
NOT_WITH_PRESET = excludes("preset", reason="the output of a preset has no options")


@dataclass(frozen=True, kw_only=True)
class RankSettings(Settings):
    """How predicted rankings are compared with people's; see `ranks`."""

    FUNCTIONS = ("rankscope.agreement:ranks",)
    COMMANDS = ("agree ranks",)

    preset: str | None = choice(
        None,
        PRESETS,
        kind="preset",
        help="Reproduce the output of RankEval's reference code: its keys and digits, errors included.",
    )
    by_segment: bool = switch(False, help="Also show the measures of every list.", depends=NOT_WITH_PRESET)
    order_by: str = choice(
        "MRR", ORDERS, help="Measure that orders the experiments in the figure, best first.", depends=NOT_WITH_PRESET
    )
    missing: str = choice(
        "error",
        MISSING,
        help="Items that people ranked and a metric did not (no value, or the rank -1): stop, or skip them.",
        depends=NOT_WITH_PRESET,
    )
    confidence_level: float = confidence_field()
    n_resamples: int = resamples_field(
        1_000, "Number of resamples of the segments for intervals, and of permutations for p-values."
    )
    seed: int = seed_field()


class IntervalStatistic(NamedTuple):
    """A statistic over all lists.

    Attributes
    ----------
    name
        The name of the statistic.
    value
        Its value.
    low, high
        Its confidence interval; NaN where there is none.
    n
        How many lists have a value.
    """

    name: str
    value: float
    low: float
    high: float
    n: int


def set_statistics(
    table: PairedRanks,
    segments: Ints,
    of_list: Mapping[str, Floats],
    measure_settings: MeasureSettings,
    settings: RankSettings,
    progress: Callable[[float], Any] | None = None,
) -> tuple[IntervalStatistic, ...]:
    """All measures of a set of lists.

    Parameters
    ----------
    table
        Ranks of people and of the machine.
    segments
        The segment of each list, (lists). Lists of one segment are resampled and permuted together, and share one
        p-value.
    of_list
        The values (lists) of each measure of a list.
    measure_settings
        The options of measures.
    settings
        How intervals and p-values are computed.
    progress
        Called with the number of permutations that were just finished.
    """
    taus = taus_of(table, measure_settings)
    pooled = {"tau": taus, "tau_original": tau_counts(table.pair_counts, penalise_predicted_ties=False)}
    # Each statistic is a ratio of sums over lists, so that one draw of segments serves all.
    ratios: dict[str, tuple[Any, Any]] = {}
    for measure in SET_MEASURES.values():
        if measure.mean_of:
            ratios[measure.label(measure_settings)] = mean_as_ratio(
                of_list[SEGMENT_MEASURES[measure.mean_of].label(measure_settings)]
            )
        elif measure.name in pooled:
            counts = pooled[measure.name]
            ratios[measure.name] = counts.concordant - counts.discordant, counts.valid
    rng = np.random.default_rng(settings.seed)
    statistics = with_intervals(ratios, segments, settings, rng)
    n = int(np.count_nonzero(taus.valid))
    for measure in SET_MEASURES.values():
        if "segments" in measure.options:
            p = measure.compute(table, measure_settings, segments, settings.n_resamples, rng, progress)
            statistics.append(IntervalStatistic(measure.name, p, np.nan, np.nan, n))
    for name in COUNTS:
        total = int(getattr(taus, name).sum())
        statistics.append(IntervalStatistic(name, total, np.nan, np.nan, len(table)))
    return tuple(statistics)


def mean_as_ratio(values: Floats) -> tuple[Floats, Floats]:
    """The numerators and denominators (lists) of a mean over the lists that have a value."""
    return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)


def with_intervals(
    ratios: dict[str, tuple[Any, Any]], segments: Ints, settings: RankSettings, rng: np.random.Generator
) -> list[IntervalStatistic]:
    """Each statistic with a percentile interval from a bootstrap of whole segments; none for a single segment.

    ratios: numerators and denominators (lists) of each; entries are removed one by one to keep memory small.
    """
    groups = np.unique(segments, return_inverse=True)[1]
    n_segments, names = int(groups.max(initial=-1)) + 1, list(ratios)
    n_lists = [int(np.count_nonzero(denominators)) for _, denominators in ratios.values()]
    numerators, denominators = np.empty((2, len(names), n_segments))  # (statistics, segments)
    for i, name in enumerate(names):  # each pair of arrays is freed before the next
        numerator, denominator = ratios.pop(name)
        numerators[i], denominators[i] = (
            np.bincount(groups, numerator, n_segments),
            np.bincount(groups, denominator, n_segments),
        )
    resampled = np.full((len(names), settings.n_resamples), np.nan)
    if n_segments > 1:
        start = 0
        for counts in bootstrap_counts(
            draw(as_generator(rng), settings.n_resamples), n_segments, CHUNK_DIVISOR * n_segments
        ):
            n_drawn = len(counts)
            np.divide(
                numerators @ counts.T,
                denominators @ counts.T,
                out=resampled[:, start : start + n_drawn],
                where=np.asarray(denominators @ counts.T > 0),
            )
            start += n_drawn
    statistics = []
    for name, numerator, denominator, values, n in zip(
        names, numerators.sum(axis=1), denominators.sum(axis=1), resampled, n_lists, strict=True
    ):
        low, high = (float(end) for end in percentile_ends(values, settings.confidence_level))
        statistics.append(
            IntervalStatistic(name, float(numerator / denominator) if denominator else np.nan, low, high, n)
        )
    return statistics


COLUMNS = ("metric", "pair", "statistic", "value", "low", "high", "n")
SEGMENT_COLUMNS = ("metric", "pair", "segment", "judge", "statistic", "value", "low", "high", "n")
#: Stands for all segments and judges, and for all language pairs together.
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class RankPart:
    """One metric on one language pair.

    Attributes
    ----------
    metric
        The name of the metric.
    pair
        The language pair; "all" for several together.
    lists
        The judgments that were measured.
    lengths
        How many items each list has.
    statistics
        The statistics over all lists; `part["tau"]` is one's value.
    taus
        What tau is computed from.
    best
        How often people give each rank to what the prediction ranks best.
    of_list
        The values (lists) of each measure of a list; NaN where a list has no value.
    """

    metric: str
    pair: str
    lists: Rankings
    lengths: tuple[int, ...]
    statistics: tuple[IntervalStatistic, ...]
    taus: TauCounts
    best: RankCounts
    of_list: Mapping[str, Floats]

    def __getitem__(self, name: str) -> float:
        return next(statistic.value for statistic in self.statistics if statistic.name == name)

    @property
    def all_pairs(self) -> bool:
        """Whether it holds several language pairs, each of which is a part of its own, too."""
        return self.pair == ALL and len(set(self.lists.pair.codes.tolist())) > 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankAgreement(Result):
    """How well metrics rank as people do, by all measures of RankEval's paper: `result["tau"]` of the first part.

    `frame()` is the tidy table: a row for each metric, language pair and statistic. The statistic "best_predicted=RANK"
    is the percentage of lists in which people give that rank to what the prediction ranks best.

    Attributes
    ----------
    parts
        The measures by metric and language pair.
    gold
        The column of people's ranks.
    higher
        Those of the column of people and the metrics in which higher is better.
    settings
        How the rankings were compared.
    measure_settings
        The options of measures.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.agreement.rankeval.view:sections_of"

    parts: tuple[RankPart, ...]
    gold: str
    higher: tuple[str, ...]
    settings: RankSettings
    measure_settings: MeasureSettings
    notes: tuple[str, ...]

    def __getitem__(self, statistic: str) -> float:
        return self.parts[0][statistic]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return SEGMENT_COLUMNS if self.settings.by_segment else COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        segment_cells = (ALL, ALL) if self.settings.by_segment else ()
        for part in self.parts:
            for name, value, low, high, n in part.statistics:
                yield part.metric, part.pair, *segment_cells, name, value, low, high, n
            best = part.best
            for rank, n, share in zip(best.ranks.tolist(), best.counts, best.share.tolist(), strict=True):
                name = f"best_predicted={rank:g}"
                yield part.metric, part.pair, *segment_cells, name, share, float("nan"), float("nan"), int(n)
            if self.settings.by_segment and not part.all_pairs:
                yield from self.segment_records(part)

    def segment_records(self, part: RankPart) -> Iterator[tuple[Any, ...]]:
        """The rows of a part's lists, one for each list and measure; the column n is the number of items.

        Parameters
        ----------
        part
            One metric on one language pair.
        """
        nan = float("nan")
        columns = {name: values.tolist() for name, values in part.of_list.items()}
        names = zip(part.lists.segment, part.lists.judge, part.lengths, strict=True)
        for i, (segment, judge, n) in enumerate(names):
            for name, values in columns.items():
                yield part.metric, part.pair, segment, judge, name, values[i], nan, nan, n

    def signature_parts(self) -> list[str]:
        """Every setting that changes the numbers."""
        settings = self.settings
        if settings.preset is not None:
            return ["agreement of ranks", f"preset:{settings.preset}", f"gold:{self.gold}"]
        return [
            "agreement of ranks",
            f"gold:{self.gold}",
            *([f"higher:{','.join(self.higher)}"] if self.higher else []),
            f"gold ties:{'counted' if self.measure_settings.count_gold_ties else 'excluded'}",
            f"predicted ties:{'excluded' if self.measure_settings.ignore_predicted_ties else 'penalised'}",
            "ties:average",
            *self.measure_settings.parts("normalise"),
            *settings.parts("missing"),
            f"bootstrap:{settings.n_resamples},{settings.confidence_level:g}",
            f"permutations:{settings.n_resamples}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        metrics = dict.fromkeys(part.metric for part in self.parts)
        return f"{pluralise(len(metrics), 'metric')} against {self.gold!r}"


def ranks(
    judgments: Experiments,
    scores: ScoreSource = (),
    *,
    preset: str | None = None,
    by_segment: bool = False,
    order_by: str = "MRR",
    missing: str = "error",
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    normalise: str = "ceiling",
    cutoff: int | None = None,
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
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> RankAgreement:
    """How well metrics or models rank a few items as people do: every segment and set measure of RankEval's paper.

    Parameters
    ----------
    judgments
        What people said, as `rankscope.agreement.segments` takes it: rankings, scores of segments, or a file of either.
        A list of them, a mapping of names to them, and a table with a column "experiment" are several experiments.
    scores
        A metric or several, as scores of segments or files of them. Without any, every other column of the judgments
        is a metric: predicted ranks, or scores if it is named in `higher`.
    preset
        Reproduce the output of RankEval's reference code: its keys and digits, errors included. One of 'rankeval'.
    by_segment
        Also show the measures of every list. Default: False.
    order_by
        Measure that orders the experiments in the figure, best first. One of 'tau', 'tau_macro', 'tau_original',
        'tau_original_macro', 'MRR', 'DCG', 'nDCG', 'ERR', 'average_predicted'. Default: 'MRR'.
    missing
        Items that people ranked and a metric did not (no value, or the rank -1): stop, or skip them. One of 'error',
        'drop'. Default: 'error'.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise. Default:
        True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them. Default: True.
    normalise
        Rank given to tied items, for MRR and for the human rank of the item that is predicted best. One of 'ceiling',
        'floor', 'middle', 'minimize'. Default: 'ceiling'.
    cutoff
        Compute DCG, nDCG and ERR on the first K items only. Default: all items.
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
    n_resamples
        Number of resamples of the segments for intervals, and of permutations for p-values. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the share of the permutations just done.

    Returns
    -------
    RankAgreement
        The measures by metric and language pair, with intervals and p-values.

    Raises
    ------
    InputError
        A file cannot be read, a metric has no rank of an item, scores and judgments have nothing in common, or no list
        has an item that people rank above another.
    UnknownName
        A column, metric, language pair or preset does not exist.
    ParameterError
        A setting is out of range, or given with a preset; or scores are given with several experiments.

    Notes
    -----
    tau is penalised and micro (all pairs counted together); its original and its macro form (mean over lists) are
    beside it. Its p-values come from permutations of the systems of each segment, one for all judgments of it, and from
    the segments' p-values by Fisher's and Stouffer's methods. MRR is the mean of FARR. DCG, nDCG and ERR have the
    relevance n - rank + 1, and are averaged over the orders of what the prediction ties. `per_segment` and `per_set`
    explain the treatment of ties, the cutoff and missing ranks. Intervals are percentiles of a bootstrap of segments;
    all judgments of a segment are drawn together. Several language pairs are measured one by one, and all together
    (pair "all").

    Items that people did not rank (no value, or the rank -1) are skipped, with a note. In a predicted column, -1 is a
    number like others if the column holds scores (`higher`, `lower`) or another number below 0.

    References
    ----------
    Avramidis (2013), "RankEval: open tool for evaluation of machine-learned ranking".

    Examples
    --------
    >>> import numpy as np
    >>> import rankscope as rs
    >>> from rankscope import Rankings
    >>> judged = Rankings.of([{"a": 1, "b": 2, "c": 3, "d": 3}, {"a": 2, "b": 1}])
    >>> judged = judged.with_column("metric", np.array([3, 4, 1, 2, 1.5, 1.5]), higher_is_better=False)
    >>> found = rs.agreement.ranks(judged)
    >>> round(found["tau"], 4), round(found["MRR"], 4)  # (1 - 5) / 6, (1/3 + 1/2) / 2
    (-0.6667, 0.4167)
    >>> from rankscope import MetricScores, PairScores
    >>> chrf = MetricScores("chrF", {"": PairScores.of({"a": [60, 40], "b": [70, 50], "c": [20, 0], "d": [10, 0]})})
    >>> found = rs.agreement.ranks(judged, [chrf], metrics="chrF")
    >>> round(found["MRR"], 4)  # (1/2 + 1) / 2
    0.75
    """
    settings = RankSettings(
        preset=preset,
        by_segment=by_segment,
        order_by=order_by,
        missing=missing,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    measure_settings = MeasureSettings(
        count_gold_ties=not exclude_gold_ties,
        ignore_predicted_ties=not penalise_predicted_ties,
        normalise=normalise,
        cutoff=cutoff,
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return measure_rankings(
        judgments, scores, judgment_settings, metric_settings, measure_settings, settings, progress=progress
    )


def measure_rankings(
    judgments: Experiments,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    measure_settings: MeasureSettings,
    settings: RankSettings,
    *,
    progress: Callable[[float], Any] | None = None,
) -> RankAgreement:
    """As `ranks`, with its settings as objects."""
    has_scores = not isinstance(scores, (list, tuple)) or bool(scores)
    needed = () if has_scores else metric_settings.metrics or ()
    experiments = list(each_experiment(judgments, judgment_settings, needed))
    if settings.preset is not None:
        judgment_settings.refuse(
            *(name for name in judgment_settings.declared() if name not in ("gold", "columns")),
            since=f"preset {settings.preset!r} has no options",
        )
        metric_settings.refuse("lower", "ranks", "test_set", since=f"preset {settings.preset!r} has no options")
        measure_settings.refuse(*measure_settings.declared(), since=f"preset {settings.preset!r} has no options")
        if has_scores:
            raise ParameterError(f"preset {settings.preset!r} takes ranks, and no scores of metrics; leave scores out")
        return tool_agreement(experiments, metric_settings.metrics, measure_settings, settings)
    if has_scores and len(experiments) > 1:
        raise ParameterError(
            f"scores are given with {len(experiments)} experiments, expected one set of judgments; measure each alone"
        )
    parts: list[RankPart] = []
    notes: list[str] = []
    gold_names: dict[str, None] = {}
    higher: dict[str, None] = {}
    for name, source, people, people_settings in experiments:
        with file_name_in_errors(None if people is source else source):
            lists = load_lists(people, source, scores, people_settings, metric_settings, settings.missing)
        rankings, gold = lists.people.values, lists.gold
        assert isinstance(rankings, Rankings)
        gold_names[gold] = None
        higher |= dict.fromkeys(column for column in (gold, *lists.columns) if column in rankings.score_columns)
        list_notes = [*rankings.notes, *lists.notes]
        list_notes += unranked_note(rankings, gold, list_notes)
        for column in lists.columns:
            metric = metric_name(name, column, lists.columns)
            with file_name_in_errors(source):
                measured, n_skipped = measure_language_pairs(
                    metric, rankings, gold, column, measure_settings, settings, progress
                )
            parts += measured
            if n_skipped and not has_scores:  # otherwise there is a note on translations without a score
                notes.append(f"{metric}: {pluralise(n_skipped, 'item')} without a rank skipped")
        notes += [f"{name}: {note}" if name else note for note in list_notes]
    return RankAgreement(
        parts=tuple(parts),
        gold=join_names(gold_names),
        higher=tuple(higher),
        settings=settings,
        measure_settings=measure_settings,
        notes=tuple(dict.fromkeys(notes)),
    )


def load_lists(
    people: JudgmentSource,
    source: JudgmentSource | None,
    scores: ScoreSource,
    people_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    missing: str,
) -> PeopleAndMetrics:
    """The judgments with a column for each metric.

    Raises as `load`, and InputError where a metric lacks language pairs and `missing` does not allow that.
    """
    inputs = load(people, scores, people_settings, metric_settings, level="segment")
    if people is not source:  # read from a file, which `load` does not know
        named = [*people_settings.higher, *metric_settings.lower, *metric_settings.ranks]
        refuse_fractions(inputs.people, inputs.columns, named)
    if missing == "error":
        refuse_missing_pairs(
            inputs, "name those that it has (--pairs), or skip the others with --missing drop (missing=)"
        )
    return lists_with_metrics(inputs)


def metric_name(experiment: str, column: str, columns: Sequence[str]) -> str:
    """The name of a part: that of the column, of the experiment, or both if an experiment has several columns."""
    if not experiment:
        return column
    return experiment if len(columns) == 1 else f"{experiment} {column}"


def unranked_note(rankings: Rankings, gold: str, notes: Sequence[str]) -> list[str]:
    """A note on items without a human rank, unless one of these notes has told."""
    n_unranked = int(np.count_nonzero(np.isnan(rankings.column(gold))))
    if not n_unranked or any("not ranked" in note for note in notes):
        return []
    verb = "is" if n_unranked == 1 else "are"
    return [f"{pluralise(n_unranked, 'item')} {verb} not ranked by people ({gold} has no value) and skipped"]


@contextmanager
def file_name_in_errors(source: JudgmentSource | None) -> Iterator[None]:
    """Errors about the ranks of a file name the file."""
    try:
        yield
    except InputError as error:
        if not isinstance(source, (str, os.PathLike)):
            raise
        raise InputError(f"{source_name(source)}: {error}") from None


def measure_language_pairs(
    metric: str,
    rankings: Rankings,
    gold: str,
    column: str,
    measure_settings: MeasureSettings,
    settings: RankSettings,
    progress: Callable[[float], Any] | None,
) -> tuple[list[RankPart], int]:
    """The parts of each language pair, and of all together where there are several; and the number of skipped items."""
    codes, names = np.unique(rankings.pair.codes), rankings.pair.names
    pairs = [(names[codes[0]], rankings)] if codes.size == 1 else [*rankings.by_pair(), (ALL, rankings)]
    parts, n_skipped = [], 0
    for pair, pair_rankings in pairs:
        part, n_skipped = measure_part(metric, pair, pair_rankings, gold, column, measure_settings, settings, progress)
        parts.append(part)
    if not any((part.taus.pairs - part.taus.gold_ties).any() for part in parts):
        raise InputError(
            f"in column {gold!r} no item is ranked above another of its list: all of a list are tied, or a list has "
            "one item; expected lists in which people prefer some items"
        )
    return parts, n_skipped


def tool_agreement(
    experiments: Sequence[RankingExperiment],
    metrics: Sequence[str] | None,
    measure_settings: MeasureSettings,
    settings: RankSettings,
) -> RankAgreement:
    """What RankEval's reference code prints of each experiment."""
    parts: list[RankPart] = []
    notes: list[str] = []
    gold_names: dict[str, None] = {}
    for name, source, people, people_settings in experiments:
        rankings, gold, columns = tool_rankings(people, people_settings, metrics)
        gold_names[gold] = None
        notes += [f"{name}: {note}" if name else note for note in rankings.notes]
        with file_name_in_errors(source):
            parts += [tool_part(metric_name(name, column, columns), rankings, gold, column) for column in columns]
    return RankAgreement(
        parts=tuple(parts),
        gold=join_names(gold_names),
        higher=(),
        settings=settings,
        measure_settings=measure_settings,
        notes=tuple(dict.fromkeys(notes)),
    )


def tool_rankings(
    people: JudgmentSource, settings: JudgmentSettings, metrics: Sequence[str] | None
) -> tuple[Rankings, str, Sequence[str]]:
    """Rankings as the tool reads them, with -1 as a rank; the human column, and those of metrics."""
    if isinstance(people, (str, os.PathLike)):
        people = read_rankings(people, columns=settings.columns)
    if not isinstance(people, Rankings):
        raise ParameterError(f"judgments are {type(people).__name__}, expected Rankings or the path of a file of ranks")
    gold = human_column([*people.columns], settings.gold, allow_any_name=False)
    columns = [name for name in people.columns if name != gold] if metrics is None else metrics
    if unknown := [name for name in columns if name not in people.columns]:
        raise UnknownName("metric", unknown[0], people.columns)
    if not columns:
        raise InputError("there is no metric to compare with people; name judgments with another column")
    return people, gold, columns


def tool_part(metric: str, rankings: Rankings, gold: str, column: str) -> RankPart:
    """The part with the statistics that RankEval's reference code prints."""
    table = tool_table(rankings, gold, column)
    nan = float("nan")
    values = (IntervalStatistic(key, value, nan, nan, len(table)) for key, value in all_metrics(table).items())
    pairs = np.unique(rankings.pair.codes)
    return RankPart(
        metric=metric,
        pair=rankings.pair.names[pairs[0]] if pairs.size == 1 else ALL,
        lists=rankings,
        lengths=tuple(table.lengths.tolist()),
        statistics=tuple(values),
        taus=tau_and_counts(table),
        best=count_ranks(np.empty(0)),
        of_list={},
    )


def measure_part(
    metric: str,
    pair: str,
    rankings: Rankings,
    gold: str,
    column: str,
    measure_settings: MeasureSettings,
    settings: RankSettings,
    progress: Callable[[float], Any] | None,
) -> tuple[RankPart, int]:
    table, n_skipped = table_of(rankings, gold, column, missing=settings.missing)
    if not table.lengths.all():
        with_items = np.flatnonzero(table.lengths > 0)
        table, rankings = table.rows(with_items), rankings.select(with_items)
    of_list = {
        measure.label(measure_settings): measure.compute(table, measure_settings)
        for measure in SEGMENT_MEASURES.values()
    }
    part = RankPart(
        metric=metric,
        pair=pair,
        lists=rankings,
        lengths=tuple(table.lengths.tolist()),
        statistics=set_statistics(table, segments_of(rankings), of_list, measure_settings, settings, progress),
        taus=taus_of(table, measure_settings),
        best=count_ranks(of_list["best_predicted"]),
        of_list=of_list,
    )
    return part, n_skipped


# Experiments in files, objects and tables


def holds_rankings(path: PathLike) -> bool:
    """Whether a file holds judgments: XML, a CSV of WMT, pairs, or a table with a column of people; False for a run."""
    kind = detect_kind(path)
    if kind in ("wmt", "jcml", "appraise", "pairs"):
        return True
    lines = data_lines(path)
    if kind != "table" or not lines or not (lines[0].startswith(b"{") or b"," in lines[0] or b"\t" in lines[0]):
        return False
    words = re.findall(r"[\w.-]+", lines[0].decode("utf-8", "replace").lower())
    return not {"segment", "better", *GOLD_COLUMNS}.isdisjoint(words)


def data_lines(path: PathLike) -> list[bytes]:
    """The first lines of a file, without empty ones and comments."""
    return [line for line in first_bytes(path).splitlines() if line.strip() and not line.startswith(b"#")]


class RankingExperiment(NamedTuple):
    """Judgments to be measured by themselves.

    Attributes
    ----------
    name
        Its name; a single experiment has none.
    source
        Where the judgments come from: an object, or a file, which errors name.
    judgments
        The judgments, or the source where it is to be read as a whole.
    settings
        How these judgments are read.
    """

    name: str
    source: JudgmentSource
    judgments: JudgmentSource
    settings: JudgmentSettings


def each_experiment(
    judgments: Experiments, settings: JudgmentSettings, needed: Sequence[str]
) -> Iterator[RankingExperiment]:
    """The experiments in files, objects and tables. needed: columns of tables that must hold numbers.

    Raises InputError, and ParameterError where names repeat or are missing.
    """
    for name, source in sources_by_name(judgments).items():
        if isinstance(source, (str, os.PathLike)) and may_be_several(source):
            by_name = experiments_in_table(source, settings, needed)
            of_objects = replace(settings, columns=None)
            for experiment, rankings in by_name.items():
                yield RankingExperiment(f"{name} {experiment}".strip(), source, rankings, of_objects)
            if by_name:
                continue
        yield RankingExperiment(name, source, source, settings)


def may_be_several(source: PathLike) -> bool:
    """Whether a file is a table that may have a column of experiments."""
    if os.path.isdir(source) or detect_kind(source) != "table":
        return False
    head = first_bytes(source)
    return head.startswith(PARQUET_MAGIC) or (EXPERIMENT.encode() in head.lower() and holds_rankings(source))


def experiments_in_table(source: PathLike, settings: JudgmentSettings, needed: Sequence[str]) -> dict[str, Rankings]:
    """The rankings of each experiment in a table, in order of first appearance; none if it has no such column.

    The table is read as a whole, so that errors name the line: meanwhile the names of judges hold the experiment, too.

    Parameters
    ----------
    source
        The table.
    settings
        Which columns hold people's ranks, judges and so on.
    needed
        Columns of metrics that the table must have.
    """
    import polars as pl

    from rankscope.io.tables import read_table
    from rankscope.io.translation import ITEMS, rankings_from_table

    gold = settings.gold
    table = read_table(source, ITEMS, settings.columns or {})
    column = find_column(table.frame.columns, (EXPERIMENT,))
    if column is None or column in (gold, *needed):
        if source_name(source) != "<stdin>":
            return {}
        return {"": rankings_from_table(table, None, gold=gold, needed=needed)}  # it can be read only once
    judge = table.columns.get("judge", "judge")
    experiment_names = table.names(column, required=False).to_list()
    judges = table.names(judge, required=False).to_list() if "judge" in table else [""] * len(experiment_names)
    labelled_judges = pl.Series(
        judge, [f"{name}{SEPARATOR}{judge_name}" for name, judge_name in zip(experiment_names, judges, strict=True)]
    )
    columns = None if not needed or gold is None else list(dict.fromkeys([gold, *needed]))
    frame = table.frame.drop(column).with_columns(labelled_judges)
    table = replace(table, frame=frame, columns={**table.columns, "judge": judge})
    rankings = rankings_from_table(table, columns, gold=gold, needed=needed)
    name_parts = [name.partition(SEPARATOR) for name in rankings.judge.names]
    experiments = Labels.of([name for name, _, _ in name_parts])
    judge_labels = Labels.of([judge for _, _, judge in name_parts])
    experiment_codes = experiments.codes[rankings.judge.codes]
    rankings = replace(rankings, judge=judge_labels.take(rankings.judge.codes))
    by_experiment = {name: rankings.select(experiment_codes == code) for code, name in enumerate(experiments.names)}
    # Notes on the table are given once.
    return {
        name or "-": experiment_rankings if i == 0 else replace(experiment_rankings, notes=())
        for i, (name, experiment_rankings) in enumerate(by_experiment.items())
    }


def sources_by_name(judgments: Experiments) -> Mapping[str, JudgmentSource]:
    """The sources by name; a single source has an empty name."""
    if isinstance(judgments, Mapping):
        if not judgments or not all(isinstance(name, str) for name in judgments):
            raise ParameterError("judgments is a mapping without names, expected at least one name with its rankings")
        return judgments
    if not isinstance(judgments, (list, tuple)):
        return {"": cast("JudgmentSource", judgments)}
    if not judgments:
        raise ParameterError("judgments is empty, expected Rankings or a file")
    if len(judgments) == 1:
        return {"": judgments[0]}
    stems = [
        PurePath(source_name(item)).name.partition(".")[0] if isinstance(item, (str, os.PathLike)) else f"#{i + 1}"
        for i, item in enumerate(judgments)
    ]
    if len(set(stems)) < len(stems):  # as in a/dev.jcml and b/dev.jcml
        stems = [
            source_name(item) if isinstance(item, (str, os.PathLike)) else f"#{i + 1}"
            for i, item in enumerate(judgments)
        ]
    if len(set(stems)) < len(stems):
        raise ParameterError("judgments names one file twice, expected each once")
    return dict(zip(stems, judgments, strict=True))
