"""The result of a comparison: numbers by measure and pair, and the tidy table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues
from rankscope.comparison.compare.pair_tests import PairTestResults
from rankscope.comparison.compare.significance_tests import RESAMPLED_INTERVALS, ComparisonSettings
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise
from rankscope.errors import UnknownName
from rankscope.kernels.rounding_ties import join_ties, order_of, signs_of
from rankscope.stats.group_means import GroupMeansTest
from rankscope.stats.multiple_comparisons import Clusters, find_clusters
from rankscope.typing import Floats

__all__ = [
    "Comparison",
    "Interaction",
    "MeasureComparison",
]


COLUMNS = (
    "measure",
    "system_a",
    "system_b",
    "mean_a",
    "mean_b",
    "difference",
    "low",
    "high",
    "statistic",
    "pvalue",
    "pvalue_corrected",
    "effect_size",
    "wins",
    "ties",
    "losses",
    "n",
)
#: Further columns for Bayesian tests: the probabilities that A is worse than B, practically equal, better.
PROBABILITIES = ("worse", "equal", "better")
#: Further columns where queries have groups: whether the difference of a pair varies with the group.
INTERACTION = ("pvalue_interaction", "pvalue_interaction_corrected")
#: The column of groups stands behind those of the systems.
N_NAMES = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Interaction:
    """Whether the difference of each pair varies with the group of queries.

    Attributes
    ----------
    test
        The test of each pair, of arrays of shape (pairs).
    pvalue_corrected
        The p-values, corrected for the number of pairs, (pairs).
    """

    test: GroupMeansTest
    pvalue_corrected: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureComparison:
    """The comparison by one measure; arrays of shape (pairs), each pair the systems `first` and `second`.

    Attributes
    ----------
    measure_values
        The compared values.
    means
        The mean of each system; shape (systems).
    first, second
        The indices of the systems of each pair.
    test_results
        P-values, effect sizes and probabilities, as the test gives them.
    pvalue_corrected
        The p-values, corrected for multiple comparisons.
    decisions
        1 where the first system is significantly better than the second, -1 where it is significantly worse, else 0.
    alpha
        The significance level.
    notes
        What a reader should know of the data and the test.
    groups
        The comparison on the queries of each group, if there are groups; p-values are corrected for the number of
        groups and pairs together.
    interaction
        Whether differences vary with the group; None without groups, and with Bayesian tests.
    """

    measure_values: MeasureValues
    means: Floats
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    test_results: PairTestResults
    pvalue_corrected: Floats
    decisions: npt.NDArray[np.int64]
    alpha: float
    notes: tuple[str, ...]
    groups: Mapping[str, MeasureComparison] = field(default_factory=dict)
    interaction: Interaction | None = None

    @property
    def measure(self) -> str:
        return self.measure_values.measure

    @property
    def systems(self) -> tuple[str, ...]:
        return self.measure_values.systems

    @property
    def n(self) -> int:
        """How many queries the comparison uses."""
        return self.measure_values.n

    @property
    def difference(self) -> Floats:
        """Mean of the first less that of the second."""
        return self.test_results.difference

    @property
    def low(self) -> Floats:
        """The lower end of the interval of the difference; minus infinity with the alternative less."""
        return self.test_results.low

    @property
    def high(self) -> Floats:
        """The upper end of the interval of the difference; infinity with the alternative greater."""
        return self.test_results.high

    @property
    def statistic(self) -> Floats:
        return self.test_results.statistic

    @property
    def pvalue(self) -> Floats:
        """Before correction; NaN for tests of all systems at once, and for Bayesian ones."""
        return self.test_results.pvalue

    @property
    def effect_size(self) -> Floats:
        """Cohen's d of paired data: mean over standard deviation of the differences."""
        return self.test_results.effects.cohens_d

    @cached_property
    def withheld(self) -> npt.NDArray[np.bool_]:
        """(pairs) whether there is no verdict, since none of the documents of one of the systems is judged."""
        unjudged = self.measure_values.unjudged
        return np.isin(self.first, unjudged) | np.isin(self.second, unjudged)

    def pair_index(self, a: int, b: int) -> int:
        """The index of the pair of these two systems."""
        is_pair = ((self.first == a) & (self.second == b)) | ((self.first == b) & (self.second == a))
        return int(np.flatnonzero(is_pair)[0])

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The systems, best first."""
        return order_of(-self.measure_values.sign * self.means, self.measure_values.scale)

    @property
    def equal(self) -> npt.NDArray[np.bool_]:
        """(pairs) whether both systems have the same value on every query."""
        return self.test_results.equal

    @cached_property
    def beats(self) -> npt.NDArray[np.bool_]:
        """(systems, systems) whether the first was shown to be better than the second."""
        n_systems = len(self.systems)
        matrix = np.zeros((n_systems, n_systems), np.bool_)
        matrix[self.first, self.second] = self.decisions > 0
        matrix[self.second, self.first] |= self.decisions < 0
        return matrix

    @cached_property
    def against_baseline(self) -> npt.NDArray[np.int64]:
        """(systems) 1 where a system was shown to be better than the baseline, -1 where to be worse, else 0."""
        signs = np.zeros(len(self.systems), np.int64)
        signs[self.first] = np.sign(self.decisions)
        return signs

    @cached_property
    def turns(self) -> Mapping[str, npt.NDArray[np.bool_]]:
        """For each group, (pairs) whether its difference has another sign than that of all queries."""
        scale = self.measure_values.scale
        sign = signs_of(self.difference, scale)
        return {name: signs_of(part.difference, scale) * sign < 0 for name, part in self.groups.items()}

    @cached_property
    def clusters(self) -> Clusters | None:
        """Groups of systems that do not differ, and the ranks that the tests allow; None unless all pairs have p."""
        n_systems = len(self.systems)
        if self.first.size != n_systems * (n_systems - 1) // 2 or self.test_results.posterior is not None:
            return None
        pvalues = np.where(self.decisions != 0, self.pvalue_corrected, 1.0)
        values = join_ties(self.measure_values.sign * self.means, self.measure_values.scale)
        return find_clusters(values, pvalues, alpha=self.alpha)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Systems compared by one or more measures, as `compare` gives it.

    `comparison["AP"]` is the comparison by one measure. `print` shows sentences and tables, `frame()` is the tidy
    table.

    Attributes
    ----------
    scores
        The scores that were compared.
    comparisons
        The comparison by each measure.
    settings
        The settings of the comparison.
    notes
        What a reader should know of the scores and the tests.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = rs.Run({q: {"a": 2.0, "b": 1.0} for q in qrels}, name="good")
    >>> poor = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(qrels)}, name="poor")
    >>> result = rs.compare(rs.evaluate(qrels, [good, poor], ["RR", "P@1"]))
    >>> result
    Comparison(2 systems, 1 pair, RR, P@1)
    >>> result["RR"].means.tolist(), round(result["RR"].pvalue.item(), 4)
    ([1.0, 0.75], 0.0756)
    """

    VIEW = "rankscope.comparison.compare.view:sections_of"

    scores: Scores
    comparisons: tuple[MeasureComparison, ...]
    settings: ComparisonSettings
    notes: tuple[str, ...]

    @property
    def baseline(self) -> str | None:
        """The system that all others were compared with; None if all pairs were compared."""
        return self.settings.baseline

    def __getitem__(self, measure: object) -> MeasureComparison:
        """The comparison by one measure. Raises UnknownName for one that was not compared."""
        name = self.scores.measure_names[self.scores.place_of(measure)]
        if name not in self.measure_names:
            raise UnknownName("measure of this comparison", name, self.measure_names)
        return self.comparisons[self.measure_names.index(name)]

    @property
    def measure_names(self) -> tuple[str, ...]:
        return tuple(comparison.measure for comparison in self.comparisons)

    @property
    def family_size(self) -> int:
        """How many tests are corrected together."""
        n_pairs = self.comparisons[0].first.size
        return n_pairs * (len(self.comparisons) if self.settings.family == "all" else 1)

    @property
    def general_notes(self) -> tuple[str, ...]:
        """Notes on all measures together: what p-values are corrected for, and what "significant" promises."""
        return (*self.settings.family_notes(len(self.comparisons)), *self.claim_notes())

    def claim_notes(self) -> list[str]:
        """What "significant" promises, if anything is called so."""
        settings, n_tests = self.settings, self.family_size
        if settings.is_bayesian or not any(comparison.decisions.any() for comparison in self.comparisons):
            return []
        chance = f"{100 * settings.alpha:g} of 100"
        kinds = {comparison.measure_values.clusters is None for comparison in self.comparisons}
        condition = (
            f"if {'queries' if True in kinds else 'clusters'} are a random sample in which no rare, large difference "
            "is missing"
        )
        level = f"significant at level {settings.alpha:g}"
        if n_tests > 1 and settings.controls_any_claim:
            return [
                f"{level}: of equal systems, at most about {chance} such comparisons claim any difference, {condition}"
            ]
        if n_tests > 1 and settings.correction != "none":
            return [f"{level}: at most about {chance} such claims are false on average, {condition}"]
        return [f"{level}: of two equal systems, at most about {chance} such tests claim a difference, {condition}"]

    @property
    def has_groups(self) -> bool:
        """Whether there are comparisons by group of queries."""
        return any(comparison.groups for comparison in self.comparisons)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        probabilities = PROBABILITIES if self.settings.is_bayesian else ()
        if not self.has_groups:
            return COLUMNS + probabilities
        interaction = () if self.settings.is_bayesian else INTERACTION
        return (*COLUMNS[:N_NAMES], "group", *COLUMNS[N_NAMES:], *interaction, *probabilities)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, a row a measure and pair; NaN where a test gives no such number.

        If there are groups, a pair has a row for each and one for all queries.
        """
        for comparison in self.comparisons:
            parts = {**comparison.groups, "all": comparison} if self.has_groups else {None: comparison}
            for rows in zip(*(rows_of(part, name) for name, part in parts.items()), strict=True):
                yield from rows

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        scores_signature = self.scores.signature(self.comparisons[0].measure if len(self.comparisons) == 1 else None)
        head = scores_signature.rpartition(" | rankscope ")[0]
        test = settings.test if not settings.method.uses_resampling else f"{settings.test},{settings.n_resamples}"
        entries = [f"test:{test}"]
        if not settings.tests_all_systems and not settings.is_bayesian:
            n_pairs_text = pluralise(self.family_size, "pair")
            scope = " and measures" if settings.family == "all" and len(self.comparisons) > 1 else ""
            entries += [f"correction:{settings.correction}", f"family:{n_pairs_text}{scope}"]
        if settings.alternative != "two-sided":
            entries.append(f"alternative:{settings.alternative}")
        if settings.rope:
            entries.append(f"rope:{settings.rope:g}")
        intervals = dict.fromkeys(settings.interval_of(comparison.measure_values) for comparison in self.comparisons)
        interval = settings.test if settings.method.has_intervals else ",".join(intervals)
        entries += [f"alpha:{settings.alpha:g}", f"interval:{interval}"]
        if settings.method.uses_resampling or settings.interval in RESAMPLED_INTERVALS:
            entries.append(f"rng:{settings.seed}")
        return [head, *entries]

    def contents(self) -> str:
        """What it holds, in a few words."""
        n_systems, n_pairs = len(self.scores.systems), self.comparisons[0].first.size
        return f"{pluralise(n_systems, 'system')}, {pluralise(n_pairs, 'pair')}, {', '.join(self.measure_names)}"


def rows_of(comparison: MeasureComparison, group: str | None) -> Iterator[tuple[Any, ...]]:
    """The rows of the tidy table, one for each pair. group: the name of the group, or all; None without groups."""
    effects, posterior = comparison.test_results.effects, comparison.test_results.posterior
    first, second, n_pairs = comparison.first, comparison.second, comparison.first.size
    names = np.array(comparison.systems, object)
    columns: list[Any] = [names[first], names[second]]
    columns += [] if group is None else [np.full(n_pairs, group, object)]
    columns += [comparison.means[first], comparison.means[second]]
    ends = (np.where(np.isinf(end), np.nan, end) for end in (comparison.low, comparison.high))
    columns += [comparison.difference, *ends]
    columns += [comparison.statistic, comparison.pvalue, comparison.pvalue_corrected]
    columns += [comparison.effect_size, effects.wins, effects.ties, effects.losses, np.full(n_pairs, comparison.n)]
    if posterior is not None:
        columns += [*posterior]
    elif group is not None:
        interaction, missing = comparison.interaction, np.full(n_pairs, np.nan)
        columns += [missing] * 2 if interaction is None else [interaction.test.pvalue, interaction.pvalue_corrected]
    for row in zip(*(column.tolist() for column in columns), strict=True):
        yield (comparison.measure, *row)
