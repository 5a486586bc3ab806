"""The settings of agreement on segments and on systems: which judgments and metrics, and what is computed of them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.agreement.statistics import (
    ACCURACY,
    CONVENTIONS,
    SEGMENT_CORRELATIONS,
    SEGMENT_GROUPINGS,
    SOFT,
    SYSTEM_CORRELATIONS,
    SYSTEM_STATISTICS,
    TAU_AP,
    AgreementStatistic,
    Cell,
    KendallConvention,
    as_convention,
    check_calibrated,
    statistic_named,
)
from rankscope.data.text import join_names
from rankscope.errors import ParameterError, UnknownName
from rankscope.settings import (
    NONNEGATIVE,
    Choice,
    Number,
    Rule,
    Settings,
    choice,
    confidence_field,
    count,
    declare,
    excludes,
    name_list,
    names,
    needs,
    number,
    resamples_field,
    seed_field,
    switch,
    table_columns,
    text,
)
from rankscope.stats.confusion import beta_field, normalise_field
from rankscope.stats.inputs import is_real
from rankscope.typing import PathLike

__all__ = [
    "CALIBRATED",
    "DUPLICATES",
    "FROM_SEGMENTS",
    "HUMAN",
    "INTERVALS",
    "OVER",
    "RULES",
    "SEGMENT_STATISTICS",
    "WEIGHTS",
    "DecisionSettings",
    "JudgmentSettings",
    "MetricSettings",
    "Names",
    "SegmentSettings",
    "Statistic",
    "SystemSettings",
    "common_field",
    "from_segments_field",
    "human_field",
    "judgment_settings_of",
    "judgment_weight_field",
    "metric_settings_of",
    "names_of",
    "over_field",
    "statistic_of",
    "weights_field",
    "weights_of_pairs",
]


#: One name, or several.
Names = str | Iterable[str]
#: What is done with judgments that repeat an earlier one.
DUPLICATES = ("keep", "drop", "refuse")


def names_of(names: Names) -> tuple[str, ...]:
    """The names, each once."""
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


@dataclass(frozen=True, kw_only=True)
class JudgmentSettings(Settings):
    """Which human judgments are read, and how."""

    FUNCTIONS = (
        "rankscope.agreement:segments",
        "rankscope.agreement:systems",
        "rankscope.agreement:decisions",
        "rankscope.agreement:raters",
        "rankscope.agreement:ranks",
        "rankscope.agreement:compare_metrics",
        "rankscope.agreement:favour",
    )
    COMMANDS = ("agree segments", "agree systems", "agree raters", "agree ranks", "agree metrics", "agree favour")

    gold: str | None = text(
        None,
        help="Column with the human ranks or scores.",
        unset='the column named "rank", "gold" or "human"',
        metavar="NAME",
        columns=("human", "gold", "rank", "score", "rating"),
    )
    pairs: tuple[str, ...] | None = name_list(
        None, help="Language pairs to include, in this order.", unset="all", metavar="PAIR,..."
    )
    higher: tuple[str, ...] = name_list(
        (), help="Columns in which higher is better, such as scores; other columns of judgments hold ranks."
    )
    duplicates: str | None = choice(
        None,
        DUPLICATES,
        help="What to do with judgments that repeat an earlier one in all fields.",
        unset="keep, as WMT does",
    )
    reference: str | None = choice(
        None,
        ("keep", "drop"),
        help="What to do with the reference if a ranking CSV of WMT ranks it as a system.",
        unset="keep",
    )
    lines: str | None = text(
        None, help="For WMT11: a file whose line i names segment i of the ranking CSV.", metavar="FILE"
    )
    columns: Mapping[str, str] | None = table_columns(
        {"segment": "prompt_id", "system": "engine"},
        help="Column names in a table, where NAME is segment, system, pair, judge or judgment: system=engine.",
    )


def judgment_settings_of(
    *,
    gold: str | None = None,
    pairs: Names | None = None,
    higher: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
) -> JudgmentSettings:
    """The settings from arguments, which may be one name instead of several."""
    return JudgmentSettings(
        gold=gold,
        pairs=None if pairs is None else names_of(pairs),
        higher=names_of(higher),
        duplicates=duplicates,
        reference=reference,
        lines=None if lines is None else os.fspath(lines),
        columns=columns,
    )


@dataclass(frozen=True, kw_only=True)
class MetricSettings(Settings):
    """Which metrics are compared with people, and in which direction."""

    FUNCTIONS = (
        "rankscope.agreement:segments",
        "rankscope.agreement:systems",
        "rankscope.agreement:decisions",
        "rankscope.agreement:ranks",
        "rankscope.agreement:compare_metrics",
        "rankscope.agreement:favour",
    )
    COMMANDS = ("agree segments", "agree systems", "agree ranks", "agree metrics", "agree favour")

    metrics: tuple[str, ...] | None = name_list(None, help="Metrics to include, in this order.", unset="all")
    lower: tuple[str, ...] = name_list(
        (), help="Metrics, or human scores, in which lower is better, such as TER and HTER."
    )
    ranks: tuple[str, ...] = name_list(
        (), help="Columns of ranks, 1 for the best, whose values or names do not say so, such as means of ranks."
    )
    test_set: str | None = text(None, help="Test set to use from score files that hold several.", metavar="NAME")


def metric_settings_of(
    *, metrics: Names | None = None, lower: Names = (), ranks: Names = (), test_set: str | None = None
) -> MetricSettings:
    """The settings from arguments, which may be one name instead of several."""
    return MetricSettings(
        metrics=None if metrics is None else names_of(metrics),
        lower=names_of(lower),
        ranks=names_of(ranks),
        test_set=test_set,
    )


#: Every statistic by name.
SEGMENT_STATISTICS = (*CONVENTIONS, *SEGMENT_CORRELATIONS)
CALIBRATED = "calibrated"
Statistic = str | KendallConvention | Sequence[Sequence[Cell]]


class StatisticRule(Choice):
    """A statistic on segments by its name, or a convention of one's own."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, KendallConvention) or super().accepts(value)


class EpsilonRule(Number):
    """A number of at least 0, or "calibrated"."""

    def __init__(self) -> None:
        super().__init__(0, expected=f'a number of at least 0, or "{CALIBRATED}"')

    def accepts(self, value: object) -> bool:
        return (isinstance(value, str) and value == CALIBRATED) or super().accepts(value)

    @staticmethod
    def parse(text: str) -> float | str:
        if text == CALIBRATED:
            return text
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"{text!r}, expected a number of at least 0, or {CALIBRATED}") from None


def statistic_of(statistic: Statistic) -> str | KendallConvention:
    """The statistic, where a table becomes a convention."""
    return statistic if isinstance(statistic, str) else as_convention(statistic)


def is_correlation(statistic: str | KendallConvention) -> bool:
    """Whether a statistic is a correlation, and none of pairs."""
    return statistic_named(statistic).convention is None


def judgment_weight_field(**options: Any) -> str | None:
    """The column with the weights of the judgments."""
    column: str | None = None
    return text(
        column,
        help="Column with the weight of each judgment, 1 / its chance to be drawn, if judgments were sampled with "
        "unequal chances.",
        unset="equal weights",
        metavar="NAME",
        **options,
    )


@dataclass(frozen=True, kw_only=True)
class SegmentSettings(Settings):
    """How agreement on segments is computed; see `segments`."""

    FUNCTIONS = ("rankscope.agreement:segments",)
    COMMANDS = ("agree segments",)

    statistic: str | KendallConvention = declare(
        StatisticRule(SEGMENT_STATISTICS, "statistic"), "wmt12", "Statistic of agreement between a metric and people."
    )
    grouping: str = choice(
        "none",
        SEGMENT_GROUPINGS,
        help="Pool all pairs of translations (none), or average over segments or systems.",
    )
    epsilon: float | str | None = declare(
        EpsilonRule(),
        None,
        "Largest difference of two metric scores that counts as a tie; calibrated: the one with the highest agreement.",
        metavar="E",
        unset="calibrated for acc_eq (0 if grouped by system), else 0",
        depends=(
            excludes(statistic=is_correlation, reason="a correlation has no ties to define"),
            excludes(grouping="system", when=CALIBRATED, reason="pairs of a system's translations do not decide on it"),
        ),
    )
    judgment_weight: str | None = judgment_weight_field()
    n_resamples: int = resamples_field(1000, "Number of bootstrap resamples of the segments.")
    confidence_level: float = confidence_field()
    seed: int = seed_field()

    @property
    def convention(self) -> KendallConvention | None:
        """What pairs of translations count; None for a correlation."""
        return self.entry.convention

    @property
    def entry(self) -> AgreementStatistic:
        """The statistic itself."""
        return statistic_named(self.statistic)

    @property
    def statistic_name(self) -> str:
        """The name of the statistic."""
        return self.statistic if isinstance(self.statistic, str) else self.statistic.name

    @property
    def fixed_epsilon(self) -> float | None:
        """The epsilon; None if it is calibrated."""
        return None if self.entry.is_calibrated(self.grouping, self.epsilon) else float(self.epsilon or 0.0)

    @property
    def is_calibrated(self) -> bool:
        """Whether the data decide on epsilon."""
        return self.convention is not None and self.fixed_epsilon is None

    def check(self) -> None:
        """Refuse to calibrate the epsilon of a convention that has none."""
        if self.convention is not None and self.is_calibrated:
            check_calibrated(self.convention)


@dataclass(frozen=True, kw_only=True)
class DecisionSettings(Settings):
    """How decisions of metrics and people are compared; see `decisions`.

    `agree segments --decisions` has one option for this epsilon and that of its statistics.
    """

    FUNCTIONS = ("rankscope.agreement:decisions",)
    COMMANDS = ("agree segments",)

    epsilon: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="Largest difference of two scores of a metric that counts as a tie.",
        metavar="E",
        flag="",
    )
    normalise: str | None = normalise_field()
    beta: float = beta_field()


#: How a metric's scores of segments become a system's score, and over which segments a mean is.
FROM_SEGMENTS = ("mean", "share")
OVER = ("common", "own")
#: How rankings become scores of systems.
RULES = ("wins", "expected_wins", "better_or_equal", "bradley_terry")
#: How people's judgments become a system's score; given scores of systems stay as they are.
HUMAN = (*RULES, "mean")
INTERVALS = ("segments", "fisher", "none")
#: How much the sum of weights may differ from 1.
ROUNDING = 1e-6


class WeightRule(Rule):
    """A mapping of language pairs to weights that add up to 1."""

    expected = "a mapping of language pairs to numbers, such as {'de-en': 0.5, 'fr-en': 0.5}"

    def accepts(self, value: object) -> bool:
        return (
            isinstance(value, Mapping)
            and all(is_real(weight) and 0 <= float(weight) < math.inf for weight in value.values())
            and abs(math.fsum(map(float, value.values())) - 1) <= ROUNDING
        )

    def fault(self, value: object) -> str:
        if not isinstance(value, Mapping):
            return super().fault(value)
        for pair, weight in value.items():
            if not is_real(weight) or not 0 <= float(weight) < math.inf:
                return f"give {pair} the weight {weight!r}, expected a number of at least 0"
        total = math.fsum(map(float, value.values()))
        return f"add up to {total:g}, expected 1; divide each by their sum"

    @staticmethod
    def parse(text: str) -> dict[str, float]:
        weights: dict[str, float] = {}
        for entry in text.split(","):
            pair, separator, weight = entry.rpartition("=")
            try:
                number = float(weight)
            except ValueError:
                separator = ""
            if not separator or not pair:
                raise ValueError(f"{entry!r}, expected PAIR=WEIGHT, such as de-en=0.5")
            if pair in weights:
                raise ValueError(f"{pair} is given twice, expected each language pair once")
            weights[pair] = number
        return weights


#: The rule for weights.
WEIGHTS = WeightRule()


def weights_field(**options: Any) -> Mapping[str, float] | None:
    """The weights of language pairs in an average."""
    weights: Mapping[str, float] | None = None
    return declare(
        WEIGHTS,
        weights,
        "Weights of the language pairs in the average, adding up to 1.",
        metavar="PAIR=W,...",
        unset="equal weights",
        **options,
    )


def weights_of_pairs(weights: Mapping[str, float] | None, pairs: Sequence[str]) -> list[float]:
    """The weight of each language pair, equal if weights is None. Raises UnknownName, ParameterError for none."""
    if weights is None:
        return [1 / len(pairs)] * len(pairs)
    if pairs == [""]:
        raise ParameterError("weights apply to language pairs, but these data have none; leave weights out")
    if unknown := [pair for pair in weights if pair not in pairs]:
        raise UnknownName("language pair among the weights", unknown[0], pairs)
    if missing := [pair for pair in pairs if pair not in weights]:
        raise ParameterError(
            f"weights have no entry for {join_names(missing)}; give every language pair a weight, 0 to ignore it"
        )
    return [float(weights[pair]) for pair in pairs]


def human_field() -> str | None:
    """How human judgments become scores of systems."""
    human: str | None = None
    return choice(
        human,
        HUMAN,
        help="How human judgments become scores of systems.",
        unset="wins for rankings, the mean for scores of segments",
    )


def from_segments_field() -> str:
    """How a metric's scores of segments become scores of systems."""
    return choice(
        "mean",
        FROM_SEGMENTS,
        help="How a metric's scores of segments become a system's score: their mean, or the share of comparisons with "
        "other systems in which its translation is better or equal.",
    )


def over_field() -> str:
    """Over which segments means are."""
    return choice(
        "common",
        OVER,
        help="Segments in a system's mean: those with scores for all systems (common), or all with a score for this "
        "system (own).",
    )


def common_field() -> bool:
    """Whether what some metrics lack is skipped."""
    return switch(
        False,
        help="Skip systems, segments and language pairs that are missing from a metric, instead of stopping.",
    )


@dataclass(frozen=True, kw_only=True)
class SystemSettings(Settings):
    """How agreement on systems is computed; see `systems`."""

    FUNCTIONS = ("rankscope.agreement:systems",)
    COMMANDS = ("agree systems",)

    statistics: tuple[str, ...] = names(
        (ACCURACY,),
        table=SYSTEM_STATISTICS,
        kind="statistic",
        flag="--statistic",
        argument="statistic",
        help="Statistic of agreement between a metric and people. Repeat the option for several.",
        python_help="Statistic of agreement between a metric and people, or several: "
        f"{', '.join(map(repr, SYSTEM_STATISTICS))}. Default: {ACCURACY!r}.",
    )
    absolute: bool = switch(
        False,
        help="Use absolute values of correlations, as some papers do.",
        depends=needs(statistics=(*SYSTEM_CORRELATIONS, TAU_AP), reason="others have no sign"),
    )
    human: str | None = human_field()
    prior: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="For bradley_terry: wins and losses to add for each system, against an imagined opponent.",
        depends=needs(human="bradley_terry"),
    )
    from_segments: str = from_segments_field()
    over: str = over_field()
    common: bool = common_field()
    without_outliers: bool = switch(
        False, help="Skip systems whose human score is more than 2.5 scaled median absolute deviations from the median."
    )
    top: int | None = count(
        None,
        minimum=2,
        metavar="K",
        help="Also compute agreement among the best K systems by people's scores.",
        unset="all systems only",
    )
    weights: Mapping[str, float] | None = weights_field()
    judgment_weight: str | None = judgment_weight_field(
        depends=(
            excludes(statistics=SOFT, reason=f"{SOFT} has no weighted form"),
            excludes(from_segments="share", reason="shares of comparisons of a metric have no weighted form"),
        )
    )
    interval: str | None = choice(
        None,
        INTERVALS,
        help="Confidence interval: a bootstrap over segments, Fisher's z over systems, or none.",
        unset="segments if human scores come from segments, else fisher for correlations",
        depends=(
            needs(statistics=SYSTEM_CORRELATIONS, when="fisher", reason="Fisher's z is for correlations"),
            needs(statistics=lambda statistic: statistic != SOFT, when="segments", reason=f"{SOFT} has no interval"),
        ),
    )
    n_resamples: int = resamples_field(
        1000, "Number of bootstrap resamples of the segments, or of permutations for soft_pairwise_accuracy."
    )
    confidence_level: float = confidence_field()
    seed: int = seed_field()

    def check(self) -> None:
        """Refuse no statistic, and one that is named twice."""
        if not self.statistics:
            raise ParameterError("there is no statistic, expected at least one; or leave statistic out")
        if len(set(self.statistics)) < len(self.statistics):
            raise ParameterError(f"statistic names {' and '.join(self.statistics)}, expected each once")
