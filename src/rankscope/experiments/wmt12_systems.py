"""WMT12 on systems: does the published Spearman correlation of BLEU with people come out?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.agreement.inputs import select_language_pairs
from rankscope.agreement.system_agreement import SystemAgreement, systems
from rankscope.agreement.unranked import ranked_only
from rankscope.data.cells import format_value
from rankscope.data.rankings import Rankings
from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.segment_scores import SystemScores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, UnknownName
from rankscope.experiments.sentence_scores import corpus_scorer
from rankscope.experiments.wmt12 import JUDGMENTS, TEXTS
from rankscope.io.plain_texts import read_plain_texts
from rankscope.io.wmt_rankings import read_wmt_rankings
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PUBLISHED_SPEARMAN", "CorpusScorer", "SystemLevel", "system_level"]

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
#: Published values have two digits, and outputs were tokenised by other hands.
TOLERANCE = 0.02


class CorpusScorer(NamedTuple):
    """prepare: of the references, a function of a system's outputs to its score. settings: how it counts."""

    name: str
    prepare: Callable[[Sequence[str]], Callable[[Sequence[str]], float]]
    settings: str


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemLevel:
    """agreement: by rule, that of BLEU with people's scores of systems. published: by language pair, BLEU's Spearman
    correlation. scored: how BLEU counts. Its tidy table is that of both, the rule as part of the metric's name.
    """

    agreement: dict[str, SystemAgreement]
    published: dict[str, float]
    scored: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return self.first.columns

    @property
    def first(self) -> SystemAgreement:
        """That by the rule of the published values."""
        return self.agreement[RULES_TRIED[0]]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.first.notes

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table: first by wins, then by the other rules."""
        for rule, found in self.agreement.items():
            for metric, *rest in found.records():
                yield f"{metric} ({rule.replace('_', ' ')})", *rest

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The values beside those published; then the agreement by wins."""
        rows = []
        for p, pair in enumerate(self.first.pairs):
            found = [format_value(float(one.value[0, p]), "mean") for one in self.agreement.values()]
            known = self.published.get(pair)
            rows.append((pair, f"{len(self.first.systems[p])}", "-" if known is None else f"{known:.2f}", *found))
        names = [rule.replace("_", " ") for rule in self.agreement]
        table = Table(columns=("pair", "systems", "published", *names), rows=tuple(rows))
        title = f"WMT12: Spearman's correlation of {self.first.metrics[0]} with people on systems"
        return (Section(title=title, sentence=self.sentence(), table=table), *self.first.sections())

    def sentence(self) -> str:
        """Whether values come out as published, and by which rule."""
        near = {rule: self.near(found) for rule, found in self.agreement.items()}
        n = len(self.first.pairs)
        said = [
            f"by {rule.replace('_', ' ')} {'all are' if len(pairs) == n else f'{len(pairs)} of {n} are'} within {TOLERANCE}"
            for rule, pairs in near.items()
        ]
        return f"Of the values that were published for {pluralise(n, 'language pair')}, {join_names(said)}."

    def near(self, found: SystemAgreement) -> list[str]:
        """The language pairs of which the value is as published."""
        values = dict(zip(found.pairs, found.value[0].tolist(), strict=True))
        return [pair for pair, x in values.items() if abs(x - self.published.get(pair, np.inf)) <= TOLERANCE]

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return f"{self.scored} | rules:{','.join(self.agreement)} | {self.first.signature()}"

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"SystemLevel({self.first!r})"


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
    """Spearman's correlation of corpus BLEU with the people of WMT12 on systems, beside the published one.

    In [-1, 1], higher is better. folder: as of `rankscope.experiments.wmt12.segment_level`. pairs: of the eight
    language pairs those wanted; None: all. scorer: another metric than `corpus_scorer`. People's scores of systems are
    wins / (wins + losses), ties left out; and once more (wins + ties) / all. n_resamples, confidence_level, rng: of
    the bootstrap over segments that people judged. progress: told of the share of the work just done.
    Raises InputError for files that are missing or do not belong together, UnknownName for another language pair,
    ParameterError where sacrebleu is not installed.

    Source: Callison-Burch et al. (2012), as printed in Li, Jiang and Wang (2013), tables 4 and 5.
    """
    wanted = list(PUBLISHED_SPEARMAN) if pairs is None else list(pairs)
    unknown = [pair for pair in wanted if pair not in PUBLISHED_SPEARMAN]
    if unknown:
        raise UnknownName("language pair of WMT12", unknown[0], PUBLISHED_SPEARMAN)
    scorer = scorer or CorpusScorer(*corpus_scorer())  # what is missing is said before anything is read
    root = Path(folder)
    judged = select_language_pairs(read_wmt_rankings(root / JUDGMENTS), wanted)
    scores = scores_of_systems(judged, root / TEXTS, scorer, progress)
    options = {"n_resamples": n_resamples, "confidence_level": confidence_level, "rng": rng}
    found = {rule: systems(judged, scores, statistic="spearman", human=rule, **options) for rule in RULES_TRIED}
    return SystemLevel(agreement=found, published=PUBLISHED_SPEARMAN, scored=scorer.settings)


def scores_of_systems(
    rankings: Rankings, folder: PathLike, scorer: CorpusScorer, progress: Callable[[float], object] | None = None
) -> SystemScores:
    """What the scorer says of each system of which people ranked an output; all of its lines count."""
    judged = {}
    for pair, part in ranked_only(rankings, "rank").by_pair():
        there = np.unique(part.system.codes[~np.isnan(part.column("rank"))]).tolist()
        judged[pair] = [part.systems[code] for code in there]
    total = len(list(chain.from_iterable(judged.values())))
    found: dict[str, dict[str, float]] = {}
    for pair, names in judged.items():
        texts = read_plain_texts(folder, pair)
        if absent := [name for name in names if name not in texts.systems]:
            raise InputError(
                f"{folder}: no outputs of {join_names(absent)} for {pair}, which people judged; there are "
                f"{join_names(texts.systems)}"
            )
        score = scorer.prepare(texts.references)
        found[pair] = {}
        for name in names:
            found[pair][name] = score(texts.systems[name])
            if progress is not None:
                progress(1 / total)
    return SystemScores(scorer.name, found)
