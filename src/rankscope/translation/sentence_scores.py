"""Sentence BLEU and chrF of judged translations, from sacrebleu's counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.translation import Texts, read_plain_texts
from rankscope.translation.tokenisation import sacrebleu_version
from rankscope.typing import PathLike

__all__ = [
    "CorpusScorer",
    "Scorers",
    "corpus_scorer",
    "judged_scores",
    "sentence_bleu",
    "sentence_scorers",
]


#: A function of an output and its reference that gives a number; higher is better.
Scorer = Callable[[str, str], float]


class Scorers(NamedTuple):
    """Metrics of sentences.

    Attributes
    ----------
    metrics
        Name -> function of output and reference.
    settings
        How they count, and the version of sacrebleu.
    """

    metrics: dict[str, Scorer]
    settings: str


def sentence_bleu(matches: Sequence[int], totals: Sequence[int], length: int, reference_length: int) -> float:
    """BLEU of one sentence, in [0, 1], higher is better: a geometric mean of precisions, less for short outputs.

    Parameters
    ----------
    matches, totals
        For each order the n-grams that the reference has, too, and all n-grams.
    length, reference_length
        Lengths in words; an empty output has length 1 in the penalty.

    Returns
    -------
    float
        The k-th order without a match counts as 1 / (2^k max(total, 1)); no order is skipped, however short the
        sentence.

    References
    ----------
    Smoothing by halving, as in NIST's mteval-v13a; Li, Jiang and Wang (2013) take its parts as features.

    Examples
    --------
    >>> sentence_bleu([1, 0], [2, 1], 2, 2) == math.sqrt(1 / 2 * 1 / 2)
    True
    """
    log_sum, n_unmatched = 0.0, 0
    for match, total in zip(matches, totals, strict=True):
        n_unmatched += not match
        precision = match / total if match else 1 / (2**n_unmatched * max(total, 1))
        log_sum += math.log(precision)
    return math.exp(log_sum / len(totals) + min(0.0, 1 - reference_length / max(length, 1)))


def sentence_scorers() -> Scorers:
    """sentBLEU, in [0, 1], and chrF, in [0, 100]; higher is better.

    Returns
    -------
    Scorers
        sentBLEU: four orders, lower-cased, words as in mteval-v13a. chrF: characters, six orders, beta 2 (Popović
        2015), as sacrebleu computes it.

    Raises
    ------
    ParameterError
        sacrebleu is not installed.
    """
    version = sacrebleu_version()
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    bleu = BLEU(lowercase=True, tokenize="13a", smooth_method="none", effective_order=True)
    chrf = CHRF()

    def bleu_score(output: str, reference: str) -> float:
        score = bleu.sentence_score(output, [reference])
        return sentence_bleu(score.counts, score.totals, score.sys_len, score.ref_len)

    def chrf_score(output: str, reference: str) -> float:
        return float(chrf.sentence_score(output, [reference]).score)

    settings = f"sentBLEU:13a,lowercase,halving | chrF:6,2 | sacrebleu {version}"
    return Scorers({"sentBLEU": bleu_score, "chrF": chrf_score}, settings)


class CorpusScorer(NamedTuple):
    """A metric of whole systems.

    Attributes
    ----------
    name
        Name of the metric.
    prepare
        A function of the references that gives a function of a system's outputs to its score.
    settings
        How it counts.
    """

    name: str
    prepare: Callable[[Sequence[str]], Callable[[Sequence[str]], float]]
    settings: str


def corpus_scorer() -> CorpusScorer:
    """BLEU of all outputs of a system, in [0, 100], higher is better, with sacrebleu's defaults.

    Returns
    -------
    CorpusScorer
        It splits words as mteval-v13a does, and is case-sensitive.

    Raises
    ------
    ParameterError
        sacrebleu is not installed.
    """
    version = sacrebleu_version()
    from sacrebleu.metrics.bleu import BLEU

    def prepare(references: Sequence[str]) -> Callable[[Sequence[str]], float]:
        bleu = BLEU(references=[list(references)])  # counted once for all systems
        return lambda outputs: float(bleu.corpus_score(list(outputs), None).score)

    return CorpusScorer("BLEU", prepare, f"BLEU:13a,mixed case | sacrebleu {version}")


def judged_scores(
    rankings: Rankings,
    folder: PathLike,
    scorers: Scorers | None = None,
    *,
    progress: Callable[[float], object] | None = None,
) -> list[MetricScores]:
    """Score every judged translation with each scorer; other translations have no score.

    Parameters
    ----------
    rankings
        The judgments.
    folder
        Folder with sources, references and system-outputs, as for `read_plain_texts`; segment i is line i.
    scorers
        Metrics. Default: `sentence_scorers`.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    list of MetricScores
        One entry per scorer.

    Raises
    ------
    InputError
        Texts are missing, a judged system has no output, or a segment is not a line of them.
    """
    metrics = (scorers or sentence_scorers()).metrics
    scores_by_metric: dict[str, dict[str, PairScores]] = {name: {} for name in metrics}
    for pair, pair_rankings in rankings.by_pair():
        texts = read_plain_texts(folder, pair)
        systems = {system: texts.systems.get(system) for system in pair_rankings.system}
        missing_systems = [system for system, lines in systems.items() if lines is None]
        if missing_systems:
            raise InputError(
                f"{folder}: no outputs of {join_names(missing_systems)} for {pair}, which people judged; there are "
                f"{join_names(texts.systems)}"
            )
        tables: dict[str, dict[str, list[float | None]]] = {
            name: {system: [None] * len(texts) for system in systems} for name in metrics
        }
        outputs_to_score = judged_lines(pair_rankings, texts)
        for system, line_index in outputs_to_score:
            output, reference = texts.systems[system][line_index], texts.references[line_index]
            for name, scorer in metrics.items():
                tables[name][system][line_index] = scorer(output, reference)
            if progress is not None:
                progress(len(pair_rankings) / len(rankings) / len(outputs_to_score))
        for name, table in tables.items():
            scores_by_metric[name][pair] = PairScores.of(table)
    return [MetricScores(name, pairs) for name, pairs in scores_by_metric.items()]


def judged_lines(rankings: Rankings, texts: Texts) -> list[tuple[str, int]]:
    """System and line index, from 0, of each judged translation, without duplicates. Raises InputError."""
    line_of_segment = {}
    for code, name in enumerate(rankings.segment.names):
        if name.isdecimal() and 0 < int(name) <= len(texts):
            line_of_segment[code] = int(name) - 1
    segments = rankings.segment.codes[rankings.judgment].tolist()
    unknown_codes = [code for code in dict.fromkeys(segments) if code not in line_of_segment]
    if unknown_codes:
        raise InputError(
            f"segment {rankings.segment.names[unknown_codes[0]]!r} of {texts.pair} was judged, and its texts have "
            f"{pluralise(len(texts), 'line')}; do judgments and texts belong together?"
        )
    return list(dict.fromkeys(zip(rankings.system, (line_of_segment[code] for code in segments), strict=True)))
