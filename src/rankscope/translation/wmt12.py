"""The results of WMT12, recomputed from its files: agreement on segments, correlation on systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.agreement.judgments import ranked_only, select_language_pairs
from rankscope.agreement.segment_level import SegmentAgreement, segments
from rankscope.agreement.system_level import SystemAgreement, systems
from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.metric_scores import MetricScores
from rankscope.data.rankings import Rankings
from rankscope.data.result import Result
from rankscope.data.section import Section
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.translation import read_plain_texts, read_wmt_rankings
from rankscope.settings import Settings, confidence_field, name_list, resamples_field, seed_field
from rankscope.stats.inputs import seed_of
from rankscope.translation.sentence_scores import (
    CorpusScorer,
    Scorers,
    corpus_scorer,
    judged_scores,
    sentence_scorers,
)
from rankscope.typing import PathLike

__all__ = [
    "JUDGMENTS",
    "PUBLISHED",
    "PUBLISHED_SPEARMAN",
    "TEXTS",
    "SegmentLevel",
    "SystemLevel",
    "Wmt12Settings",
    "reproduce_segment_level",
    "reproduce_system_level",
    "segment_level",
    "system_level",
]


JUDGMENTS, TEXTS = "wmt12.RNK_results.csv", "plain"
#: How many pairs of translations people ordered: Li, Jiang and Wang (2013), tables 2 and 3.
PUBLISHED = {
    "fr-en": 11_594,
    "de-en": 11_934,
    "es-en": 9_796,
    "cs-en": 11_021,
    "en-fr": 11_562,
    "en-de": 14_553,
    "en-es": 11_834,
    "en-cs": 18_805,
}


@dataclass(frozen=True, kw_only=True)
class Wmt12Settings(Settings):
    """What of WMT12 is reproduced; see `segment_level` and `system_level`."""

    FUNCTIONS = ("rankscope.translation.wmt12:segment_level", "rankscope.translation.wmt12:system_level")
    COMMANDS = ("agree wmt12",)

    pairs: tuple[str, ...] | None = name_list(
        None,
        PUBLISHED,
        kind="language pair of WMT12",
        help=f"Language pairs: some of {', '.join(PUBLISHED)}.",
        unset="all",
        metavar="P,...",
    )
    n_resamples: int = resamples_field(1000, "Number of bootstrap resamples of the judged segments.", flag="")
    confidence_level: float = confidence_field(flag="")
    seed: int = seed_field(flag="")

    @property
    def bootstrap(self) -> dict[str, Any]:
        """The arguments of the bootstrap."""
        return {"n_resamples": self.n_resamples, "confidence_level": self.confidence_level, "rng": self.seed}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SegmentLevel(Result):
    """Agreement of sentence metrics with the people of WMT12. Its tidy table is that of the agreement.

    Attributes
    ----------
    agreement
        Agreement of each metric with people.
    judgments
        Language pair -> number of lists that people ranked.
    pairs_found
        Language pair -> number of pairs of translations that people ordered and both metrics score.
    scorer_settings
        How the metrics count.
    """

    agreement: SegmentAgreement
    judgments: dict[str, int]
    pairs_found: dict[str, int]
    scorer_settings: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return self.agreement.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.agreement.notes

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        return self.agreement.records()

    def sections(self) -> tuple[Section, ...]:
        """The numbers of pairs beside those published; then the agreement."""
        pairs = list(self.pairs_found)
        table = table_of(
            column("pair", pairs, name=True),
            column("judgments", (self.judgments[pair] for pair in pairs), thousands),
            column("ordered pairs", self.pairs_found.values(), thousands),
            column("published", map(PUBLISHED.get, pairs), thousands),
        )
        title = "WMT12: pairs of translations that people ordered"
        return (Section(title=title, sentence=self.sentence(), table=table), *self.agreement.sections())

    def sentence(self) -> str:
        """Whether the numbers of pairs equal the published ones."""
        differing_pairs = [pair for pair, n_pairs in self.pairs_found.items() if n_pairs != PUBLISHED.get(pair)]
        if differing_pairs:
            return (
                f"For {join_names(differing_pairs)} the numbers differ from those that Li, Jiang and Wang (2013) "
                "published. Are these the complete files of WMT12?"
            )
        pairs = pluralise(len(self.pairs_found), "language pair")
        total = sum(self.pairs_found.values())
        return f"The numbers equal those that Li, Jiang and Wang (2013) published for {pairs}: {total:,} pairs in all."

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return f"{self.scorer_settings} | {self.agreement.signature()}"

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.agreement!r}"


def segment_level(
    folder: PathLike,
    *,
    pairs: Sequence[str] | None = None,
    scorers: Scorers | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = 0,
    progress: Callable[[float], object] | None = None,
) -> SegmentLevel:
    """Agreement of sentence BLEU and chrF with the people of WMT12 on segments, from the judgments and the plain texts.

    Parameters
    ----------
    folder
        Folder with wmt12.RNK_results.csv and plain/ (sources, references, system-outputs).
    pairs
        Language pairs: some of fr-en, de-en, es-en, cs-en, en-fr, en-de, en-es, en-cs. Default: all.
    scorers
        Metrics to use instead of `sentence_scorers`.
    n_resamples
        Number of bootstrap resamples of the judged segments. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    SegmentLevel
        The statistic "wmt12" of `rankscope.agreement.segments`, in [-1, 1], higher is better, and NaN for a language
        pair in which people ordered no pair of translations; and the numbers of ordered pairs.

    Raises
    ------
    ParameterError
        A setting is out of range, or sacrebleu is not installed.
    UnknownName
        A language pair is not one of WMT12.
    InputError
        Files are missing or do not belong together.

    References
    ----------
    Li, Jiang and Wang (2013), "Listwise approach to learning to rank for automatic evaluation of machine translation",
    section 4, for the numbers of pairs; Callison-Burch et al. (2012) for judgments and statistic.
    """
    settings = Wmt12Settings(
        pairs=None if pairs is None else tuple(pairs),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
    )
    return reproduce_segment_level(folder, settings, scorers=scorers, progress=progress)


def reproduce_segment_level(
    folder: PathLike,
    settings: Wmt12Settings,
    *,
    scorers: Scorers | None = None,
    progress: Callable[[float], object] | None = None,
) -> SegmentLevel:
    """As `segment_level`, with its settings as one object."""
    language_pairs = list(PUBLISHED if settings.pairs is None else settings.pairs)
    root = Path(folder)
    scorers = scorers or sentence_scorers()  # raises for a missing package before any file is read
    rankings = select_language_pairs(read_wmt_rankings(root / JUDGMENTS), language_pairs)
    scores = judged_scores(rankings, root / TEXTS, scorers, progress=progress)
    agreement = segments(rankings, scores, statistic="wmt12", **settings.bootstrap)
    return SegmentLevel(
        agreement=agreement,
        judgments={pair: len(pair_rankings) for pair, pair_rankings in rankings.by_pair()},
        pairs_found=dict(zip(agreement.pairs, agreement.n.min(axis=0).tolist(), strict=True)),
        scorer_settings=scorers.settings,
    )


#: Spearman's correlation of BLEU with people: Li, Jiang and Wang (2013), tables 4 and 5.
PUBLISHED_SPEARMAN = {
    "cs-en": 0.89,
    "de-en": 0.67,
    "es-en": 0.87,
    "fr-en": 0.81,
    "en-cs": 0.80,
    "en-de": 0.22,
    "en-es": 0.40,
    "en-fr": 0.71,
}
#: Human scores of systems: the rule that gives the published values, and another that papers name.
RULES_TRIED = ("wins", "better_or_equal")
#: Published values have two digits, and another tool tokenised the outputs.
TOLERANCE = 0.02


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemLevel(Result):
    """Agreement of BLEU with the people of WMT12 on systems. In its tidy table the rule is part of the metric's name.

    Attributes
    ----------
    agreement
        By rule, agreement of BLEU with people's scores of systems.
    published
        Language pair -> published Spearman correlation of BLEU.
    scorer_settings
        How BLEU counts.
    """

    agreement: dict[str, SystemAgreement]
    published: dict[str, float]
    scorer_settings: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return self.main_agreement.columns

    @property
    def main_agreement(self) -> SystemAgreement:
        """That by the rule of the published values."""
        return self.agreement[RULES_TRIED[0]]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.main_agreement.notes

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table: first by wins, then by the other rules."""
        for rule, agreement in self.agreement.items():
            for metric, *fields in agreement.records():
                yield f"{metric} ({rule.replace('_', ' ')})", *fields

    def sections(self) -> tuple[Section, ...]:
        """The values beside those published; then the agreement by wins."""
        pairs = self.main_agreement.pairs
        table = table_of(
            column("pair", pairs, name=True),
            column("systems", map(len, self.main_agreement.systems)),
            column("published", (self.published.get(pair, np.nan) for pair in pairs), digits(2)),
            *(
                column(rule.replace("_", " "), agreement.value[0], digits())
                for rule, agreement in self.agreement.items()
            ),
        )
        title = f"WMT12: Spearman's correlation of {self.main_agreement.metrics[0]} with people on systems"
        return (Section(title=title, sentence=self.sentence(), table=table), *self.main_agreement.sections())

    def sentence(self) -> str:
        """Whether the values agree with the published ones, by each rule."""
        matching_pairs = {rule: self.pairs_within_tolerance(agreement) for rule, agreement in self.agreement.items()}
        n = len(self.main_agreement.pairs)
        clauses = [f"{len(pairs)} of {n} by {rule.replace('_', ' ')}" for rule, pairs in matching_pairs.items()]
        return f"Published values reproduced to within {TOLERANCE}: {join_names(clauses)}."

    def pairs_within_tolerance(self, agreement: SystemAgreement) -> list[str]:
        """The language pairs whose value agrees with the published one."""
        values = dict(zip(agreement.pairs, agreement.value[0].tolist(), strict=True))
        return [pair for pair, value in values.items() if abs(value - self.published.get(pair, np.inf)) <= TOLERANCE]

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return f"{self.scorer_settings} | rules:{','.join(self.agreement)} | {self.main_agreement.signature()}"

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.main_agreement!r}"


def system_level(
    folder: PathLike,
    *,
    pairs: Sequence[str] | None = None,
    scorer: CorpusScorer | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = 0,
    progress: Callable[[float], object] | None = None,
) -> SystemLevel:
    """Spearman's correlation of corpus BLEU with the people of WMT12 on systems, beside the published correlation.

    Parameters
    ----------
    folder
        Folder with wmt12.RNK_results.csv and plain/ (sources, references, system-outputs).
    pairs
        Language pairs: some of fr-en, de-en, es-en, cs-en, en-fr, en-de, en-es, en-cs. Default: all.
    scorer
        Metric to use instead of `corpus_scorer`.
    n_resamples
        Number of bootstrap resamples of the judged segments. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    SystemLevel
        Correlations in [-1, 1], higher is better.

    Raises
    ------
    ParameterError
        A setting is out of range, or sacrebleu is not installed.
    UnknownName
        A language pair is not one of WMT12.
    InputError
        Files are missing or do not belong together.

    Notes
    -----
    People's scores of systems are wins / (wins + losses), without ties; and, for comparison, (wins + ties) / all.

    References
    ----------
    Callison-Burch et al. (2012), as printed in Li, Jiang and Wang (2013), tables 4 and 5.
    """
    settings = Wmt12Settings(
        pairs=None if pairs is None else tuple(pairs),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
    )
    return reproduce_system_level(folder, settings, scorer=scorer, progress=progress)


def reproduce_system_level(
    folder: PathLike,
    settings: Wmt12Settings,
    *,
    scorer: CorpusScorer | None = None,
    progress: Callable[[float], object] | None = None,
) -> SystemLevel:
    """As `system_level`, with its settings as one object."""
    language_pairs = list(PUBLISHED_SPEARMAN if settings.pairs is None else settings.pairs)
    scorer = scorer or corpus_scorer()  # raises for a missing package before any file is read
    root = Path(folder)
    rankings = select_language_pairs(read_wmt_rankings(root / JUDGMENTS), language_pairs)
    scores = scores_of_systems(rankings, root / TEXTS, scorer, progress)
    agreements = {
        rule: systems(rankings, scores, statistic="spearman", human=rule, **settings.bootstrap) for rule in RULES_TRIED
    }
    return SystemLevel(agreement=agreements, published=PUBLISHED_SPEARMAN, scorer_settings=scorer.settings)


def scores_of_systems(
    rankings: Rankings, folder: PathLike, scorer: CorpusScorer, progress: Callable[[float], object] | None = None
) -> MetricScores:
    """The score of each system that has an output ranked by people, over all of its lines."""
    judged_systems = {}
    for pair, pair_rankings in ranked_only(rankings, "rank").by_pair():
        system_codes = np.unique(pair_rankings.system.codes[~np.isnan(pair_rankings.column("rank"))]).tolist()
        judged_systems[pair] = [pair_rankings.systems[code] for code in system_codes]
    total = len(list(chain.from_iterable(judged_systems.values())))
    scores_by_pair: dict[str, dict[str, float]] = {}
    for pair, names in judged_systems.items():
        texts = read_plain_texts(folder, pair)
        if missing_systems := [name for name in names if name not in texts.systems]:
            raise InputError(
                f"{folder}: no outputs of {join_names(missing_systems)} for {pair}, which people judged; there are "
                f"{join_names(texts.systems)}"
            )
        score = scorer.prepare(texts.references)
        scores_by_pair[pair] = {}
        for name in names:
            scores_by_pair[pair][name] = score(texts.systems[name])
            if progress is not None:
                progress(1 / total)
    return MetricScores.of(scorer.name, scores_by_pair)
