"""WMT12 on segments: do the published numbers of pairs come out, and how far do sentence BLEU and chrF agree?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.agreement.inputs import select_language_pairs
from rankscope.agreement.segment_agreement import SegmentAgreement, segments
from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import UnknownName
from rankscope.experiments.sentence_scores import Scorers, judged_scores, sentence_scorers
from rankscope.io.wmt_rankings import read_wmt_rankings
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JUDGMENTS", "PUBLISHED", "TEXTS", "SegmentLevel", "segment_level"]

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


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentLevel:
    """agreement: of each metric with people. judgments: by language pair, how many lists people ranked.

    pairs_found: by language pair, how many pairs of translations they ordered and both metrics have a score of. scored:
    how the metrics count. Its tidy table is that of the agreement.
    """

    agreement: SegmentAgreement
    judgments: dict[str, int]
    pairs_found: dict[str, int]
    scored: str

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

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The numbers of pairs beside those published; then the agreement."""
        rows = tuple(
            (pair, f"{self.judgments[pair]:,}", f"{found:,}", f"{PUBLISHED[pair]:,}" if pair in PUBLISHED else "-")
            for pair, found in self.pairs_found.items()
        )
        table = Table(columns=("pair", "judgments", "pairs found", "published"), rows=rows)
        title = "WMT12: the pairs of translations that people ordered"
        return (Section(title=title, sentence=self.sentence(), table=table), *self.agreement.sections())

    def sentence(self) -> str:
        """Whether as many pairs were found as were published."""
        others = [pair for pair, found in self.pairs_found.items() if found != PUBLISHED.get(pair)]
        if others:
            return (
                f"Not the numbers that Li, Jiang and Wang (2013) published, of {join_names(others)}: are these the files "
                "of WMT12, and whole?"
            )
        pairs = pluralise(len(self.pairs_found), "language pair")
        total = sum(self.pairs_found.values())
        return f"As many pairs as Li, Jiang and Wang (2013) published, for {pairs}: {total:,} in all."

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return f"{self.scored} | {self.agreement.signature()}"

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"SegmentLevel({self.agreement!r})"


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
    """Sentence BLEU and chrF against the people of WMT12, from the judgments and the plain texts.

    folder: with wmt12.RNK_results.csv and plain/ (sources, references, system-outputs). pairs: of the eight language
    pairs those wanted; None: all. scorers: other metrics than `sentence_scorers`. The statistic is "wmt12" of
    `rankscope.agreement.segments`, in [-1, 1], higher is better, NaN for a language pair of which people ordered no
    pair; n_resamples, confidence_level, rng: as there. progress: told of the share of the work just done.
    Raises InputError for files that are missing or do not belong together, UnknownName for another language pair,
    ParameterError where sacrebleu is not installed.

    Source: Li, Jiang and Wang (2013), "Listwise approach to learning to rank for automatic evaluation of machine
    translation", section 4, for the numbers of pairs; Callison-Burch et al. (2012) for judgments and statistic.
    """
    wanted = list(PUBLISHED) if pairs is None else list(pairs)
    unknown = [pair for pair in wanted if pair not in PUBLISHED]
    if unknown:
        raise UnknownName("language pair of WMT12", unknown[0], PUBLISHED)
    root = Path(folder)
    scorers = scorers or sentence_scorers()  # what is missing is said before anything is read
    judged = select_language_pairs(read_wmt_rankings(root / JUDGMENTS), wanted)
    scores = judged_scores(judged, root / TEXTS, scorers, progress=progress)
    found = segments(
        judged, scores, statistic="wmt12", n_resamples=n_resamples, confidence_level=confidence_level, rng=rng
    )
    return SegmentLevel(
        agreement=found,
        judgments={pair: len(part) for pair, part in judged.by_pair()},
        pairs_found=dict(zip(found.pairs, found.n.min(axis=0).tolist(), strict=True)),
        scored=scorers.settings,
    )
