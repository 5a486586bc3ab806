"""The significance tests by name. A new test is a function of `rankscope.stats` and a line of `TESTS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankscope.comparison.common_queries import MeasureValues, refuse_one_cluster
from rankscope.data.text import format_percent, join_names
from rankscope.errors import InputError
from rankscope.settings import (
    NONNEGATIVE,
    Settings,
    alpha_field,
    choice,
    excludes,
    number,
    resamples_field,
    seed_field,
    text,
)
from rankscope.stats.anova import randomised_tukey_hsd, tukey_hsd
from rankscope.stats.bayes import bayes_signed_rank_test, bayes_t_test
from rankscope.stats.friedman import nemenyi_test
from rankscope.stats.inputs import ALTERNATIVES
from rankscope.stats.max_t import max_t_test
from rankscope.stats.multiple_comparisons import CORRECTIONS
from rankscope.stats.paired_tests import bootstrap_test, randomisation_test, sign_test, t_test, wilcoxon_test
from rankscope.typing import Floats

__all__ = [
    "FAMILIES",
    "INTERVALS",
    "RESAMPLED_INTERVALS",
    "TESTS",
    "ComparisonSettings",
    "SignificanceTest",
]


@dataclass(frozen=True, kw_only=True)
class SignificanceTest:
    """A test of systems.

    Attributes
    ----------
    summary
        A description in a few words.
    run
        The function that computes the test; its input and output depend on `kind`. Clusters and weights of the queries
        are the last argument.
    kind
        "pairs": `run` takes the differences (pairs, queries) and gives a PairedTest. "all": it takes the values
        (systems, queries) and gives an AllPairs. "posterior": it takes the differences, above 0 for better, and gives
        a Posterior.
    compares
        What it compares, "means", "ranks" (signed ranks), "signs", or "mean ranks".
    uses_resampling
        Whether it resamples.
    is_counting
        Whether its exact p is a count over 2^n.
    assumes_normality
        Whether it assumes means that are about normal.
    has_intervals
        Whether it has its own intervals, which hold all true differences at once.
    is_for_binary
        Whether it is for outcomes 0 and 1 only.
    takes_clusters
        Whether it takes clusters and weights of queries; else all queries must be independent and count the same.
    pools_spread
        Whether it takes the differences of all pairs to vary alike.
    if_skewed
        The test that errs less often where differences are skewed, since this one takes means as about normal, or
        differences as symmetric; empty if there is none.
    """

    summary: str
    run: Callable[[Floats, ComparisonSettings, Mapping[str, Any]], Any]
    kind: str = "pairs"
    compares: str = "means"
    uses_resampling: bool = False
    is_counting: bool = False
    assumes_normality: bool = False
    has_intervals: bool = False
    is_for_binary: bool = False
    takes_clusters: bool = False
    pools_spread: bool = False
    if_skewed: str = ""


def resampling_options(settings: ComparisonSettings) -> dict[str, Any]:
    return {"n_resamples": settings.n_resamples, "rng": settings.seed}


TESTS: dict[str, SignificanceTest] = {
    "t": SignificanceTest(
        summary="Student's paired t-test of the mean difference",
        run=lambda d, s, sample: t_test(d, alternative=s.alternative, **sample),
        assumes_normality=True,
        takes_clusters=True,
        if_skewed="bootstrap",
    ),
    "permutation": SignificanceTest(
        summary="Fisher's randomisation test: sign flips of the differences",
        run=lambda d, s, sample: randomisation_test(d, alternative=s.alternative, **resampling_options(s), **sample),
        uses_resampling=True,
        is_counting=True,
        takes_clusters=True,
        if_skewed="bootstrap",
    ),
    "bootstrap": SignificanceTest(
        summary="studentised bootstrap test of the mean difference",
        run=lambda d, s, sample: bootstrap_test(d, alternative=s.alternative, **resampling_options(s), **sample),
        uses_resampling=True,
        takes_clusters=True,
    ),
    "wilcoxon": SignificanceTest(
        summary="Wilcoxon's signed rank test",
        run=lambda d, s, _: wilcoxon_test(d, alternative=s.alternative),
        compares="ranks",
        is_counting=True,
    ),
    "sign": SignificanceTest(
        summary="sign test: are as many queries won as lost",
        run=lambda d, s, _: sign_test(d, alternative=s.alternative, zone=s.rope),
        compares="signs",
        is_counting=True,
    ),
    "mcnemar": SignificanceTest(
        summary="McNemar's exact test of outcomes 0 and 1: the sign test of successes",
        run=lambda d, s, _: sign_test(d, alternative=s.alternative),
        compares="signs",
        is_counting=True,
        is_for_binary=True,
    ),
    "tukey": SignificanceTest(
        summary="Tukey's honestly significant difference, queries as blocks",
        run=lambda x, s, _: tukey_hsd(x, confidence_level=1 - s.alpha),
        kind="all",
        assumes_normality=True,
        has_intervals=True,
        pools_spread=True,
        if_skewed="max-t-bootstrap",
    ),
    "randomised-tukey": SignificanceTest(
        summary="Tukey's HSD by permutations of each query's values",
        run=lambda x, s, _: randomised_tukey_hsd(x, confidence_level=1 - s.alpha, **resampling_options(s)),
        kind="all",
        uses_resampling=True,
        has_intervals=True,
        pools_spread=True,
        if_skewed="max-t-bootstrap",
    ),
    "max-t": SignificanceTest(
        summary="Westfall and Young's max-t: random signs of each query's differences",
        run=lambda x, s, sample: max_t_test(x, confidence_level=1 - s.alpha, **resampling_options(s), **sample),
        kind="all",
        uses_resampling=True,
        has_intervals=True,
        takes_clusters=True,
        if_skewed="max-t-bootstrap",
    ),
    "max-t-bootstrap": SignificanceTest(
        summary="Westfall and Young's max-t: bootstrap of the queries",
        run=lambda x, s, sample: max_t_test(
            x, resampling="bootstrap", confidence_level=1 - s.alpha, **resampling_options(s), **sample
        ),
        kind="all",
        uses_resampling=True,
        has_intervals=True,
        takes_clusters=True,
    ),
    "nemenyi": SignificanceTest(
        summary="Nemenyi's test of mean ranks, after Friedman's",
        run=lambda x, s, _: nemenyi_test(x, confidence_level=1 - s.alpha),
        kind="all",
        compares="mean ranks",
        pools_spread=True,
    ),
    "bayes-t": SignificanceTest(
        summary="Bayesian correlated t-test",
        run=lambda d, s, _: bayes_t_test(d, rope=s.rope),
        kind="posterior",
        assumes_normality=True,
        if_skewed="bootstrap",
    ),
    "bayes-signed-rank": SignificanceTest(
        summary="Bayesian signed rank test",
        run=lambda d, s, _: bayes_signed_rank_test(d, rope=s.rope, **resampling_options(s)),
        kind="posterior",
        uses_resampling=True,
    ),
}
#: Which p-values are corrected together.
FAMILIES = {"pairs": "all pairs of one measure", "all": "all pairs of all measures"}
RESAMPLED_INTERVALS = ("bca", "percentile")
#: tango is for outcomes 0 and 1.
INTERVALS = ("t", *RESAMPLED_INTERVALS, "tango")


def tests_all_systems(test: str) -> bool:
    """Whether this test is of all systems at once."""
    return TESTS[test].kind == "all"


#: What only tests of two systems at a time have, which give p-values.
OF_PAIRED_TESTS = excludes(
    test=lambda test: tests_all_systems(test) or TESTS[test].kind == "posterior", reason="that test has no such setting"
)


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(Settings):
    """How systems are compared; see `compare`. seed: of all resampling, so that all pairs get the same resamples."""

    FUNCTIONS = ("rankscope:compare", "rankscope:report")
    COMMANDS = ("compare", "report")

    baseline: str | None = text(
        None,
        help="Compare each of the other systems with this one.",
        unset="compare all pairs",
        metavar="NAME",
        depends=excludes(test=tests_all_systems, reason="that test compares all pairs"),
    )
    test: str = choice(
        "t",
        TESTS,
        kind="test",
        help="Significance test: of two systems at a time; of all systems at once (max-t, max-t-bootstrap, tukey, "
        "randomised-tukey, nemenyi); or a Bayesian test instead (bayes-t, bayes-signed-rank).",
    )
    correction: str = choice(
        "holm",
        CORRECTIONS,
        kind="correction",
        help="Correction of p-values for multiple comparisons.",
        depends=OF_PAIRED_TESTS,
    )
    family: str | None = choice(
        None,
        FAMILIES,
        kind="family",
        help="Which p-values are corrected together: those of all pairs of systems for one measure (pairs), or"
        " for all measures (all).",
        unset="all if no measure is named, else pairs",
        depends=OF_PAIRED_TESTS,
    )
    alternative: str = choice(
        "two-sided",
        ALTERNATIVES,
        help="Alternative hypothesis: the values of the first system of a pair differ from those of the second"
        " (two-sided), are greater, or are less. With a baseline, the baseline is the second.",
        depends=OF_PAIRED_TESTS,
    )
    alpha: float = alpha_field(help="Significance level A; confidence intervals have the level 1 - A.")
    interval: str | None = choice(
        None,
        INTERVALS,
        kind="interval",
        help="Confidence interval of the mean difference: Student's t, a bootstrap (bca, percentile), or, for outcomes "
        "0 and 1, Tango's score interval (tango).",
        unset="tango for outcomes 0 and 1 from a file of scores, else t",
        depends=excludes(
            test=lambda test: TESTS[test].has_intervals,
            when=[interval for interval in INTERVALS if interval != "t"],
            reason="that test has intervals of its own",
        ),
    )
    rope: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="Region of practical equivalence, in units of the measure: Bayesian tests, the sign test and the "
        "counts of wins treat a difference of at most X as a tie.",
    )
    n_resamples: int = resamples_field(10_000, "Number of resamples of a permutation test or bootstrap.")
    seed: int = seed_field()

    @property
    def method(self) -> SignificanceTest:
        return TESTS[self.test]

    @property
    def tests_all_systems(self) -> bool:
        """Whether all systems are tested at once; such a test corrects for all pairs by itself."""
        return tests_all_systems(self.test)

    @property
    def controls_any_claim(self) -> bool:
        """Whether the level is that of any false claim of a family, and not of each test or of the share of claims."""
        return self.tests_all_systems or self.correction not in ("bh", "by", "none")

    def with_family(self, measures: object) -> ComparisonSettings:
        """The settings with the family that the measures give it, if none is set. measures: None if none is named."""
        if self.family is not None or self.tests_all_systems or self.is_bayesian:
            return self
        return replace(self, family="all" if measures is None else "pairs")

    def family_notes(self, n_measures: int) -> list[str]:
        """Whether the claims by several measures are corrected together."""
        if n_measures == 1:
            return []
        corrects = self.correction != "none" and not self.tests_all_systems and not self.is_bayesian
        if corrects and self.family == "all":
            return [
                f"p-values are corrected for all pairs and all {n_measures} measures together; with the family pairs, "
                "or with one measure, they are corrected for its pairs only"
            ]
        remedy = ", or choose the family all" if corrects else ""
        return [
            f"each of the {n_measures} measures is tested for itself: that one of them tells equal systems apart is "
            f"more probable than {format_percent(self.alpha)}; name the measure that decides beforehand{remedy}"
        ]

    def interval_of(self, values: MeasureValues) -> str:
        """The interval that is computed for these values."""
        is_plain = values.clusters is None and values.weights is None
        return self.interval or ("tango" if is_plain and values.are_foreign and values.are_binary else "t")

    def check_values(self, values: MeasureValues) -> None:
        """Raise InputError for values that the test or the interval cannot take.

        Some are for outcomes 0 and 1 only, and some for queries that are independent and count the same.
        """
        self.check_sample(values)
        if values.are_binary:
            return
        if self.method.is_for_binary:
            raise InputError(
                f"{values.measure} has values other than 0 and 1, and the test {self.test!r} is for outcomes 0 and 1; "
                "choose another, such as sign"
            )
        if self.interval == "tango":
            raise InputError(
                f"{values.measure} has values other than 0 and 1, and the interval 'tango' is for outcomes 0 and 1; "
                "choose t, bca or percentile"
            )

    def check_sample(self, values: MeasureValues) -> None:
        """Raise InputError for clusters, a single cluster, or weights that the test or the interval cannot take."""
        if values.clusters is None and values.weights is None:
            return
        kind = "clusters" if values.clusters is not None else "weights"
        assumption = "independent" if values.clusters is not None else "of one weight"
        if not self.method.takes_clusters:
            able = [name for name, method in TESTS.items() if method.takes_clusters]
            raise InputError(
                f"the test {self.test!r} takes all queries as {assumption}, and these have {kind}; choose "
                f"{join_names(able, conjunction='or')}"
            )
        if self.interval == "tango":
            raise InputError(
                f"the interval 'tango' takes all queries as {assumption}, and these have {kind}; choose t, bca or "
                "percentile"
            )
        refuse_one_cluster(values)

    @property
    def is_bayesian(self) -> bool:
        """Whether the test gives probabilities instead of p-values."""
        return self.method.kind == "posterior"
