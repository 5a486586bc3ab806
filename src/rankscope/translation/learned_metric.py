"""A trained ranker as a metric of translations: scores of outputs, as WMT's seg.scr."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.errors import InputError
from rankscope.learning.features import match_features
from rankscope.learning.ranker import Ranker
from rankscope.translation.features import TranslationFeatures, features_by_segment

__all__ = [
    "score_translations",
    "seg_score_lines",
]


def score_translations(ranker: Ranker, tables: Sequence[TranslationFeatures], metric: str = "learned") -> MetricScores:
    """Score each output with a trained ranker; unbounded, higher is better.

    Parameters
    ----------
    ranker
        A trained ranker.
    tables
        Features of outputs, matched by name; features that the ranker does not have are skipped. The outputs for a
        segment are one list, for rankers that look at whole lists.
    metric
        Name of the scores.

    Returns
    -------
    MetricScores
        The scores.

    Raises
    ------
    InputError
        Features are missing, or a ranker that looks at whole lists gets the outputs of one system alone.
    ParameterError
        The ranker has not been trained, or there is no table.

    Examples
    --------
    >>> from rankscope.data.rankings import Rankings
    >>> from rankscope.learning import Ranker
    >>> from rankscope.translation import judged_lists, translation_features
    >>> table = translation_features(["ein haus"], ["a house"], {"A": ["house"], "B": ["a house"]}, features=["BLEU"])
    >>> ranker = Ranker(hidden=()).fit(judged_lists(table, Rankings.of([{"A": 2, "B": 1}])))
    >>> found = score_translations(ranker, [table]).pairs[""]
    >>> bool(found.values[1, 0] > found.values[0, 0])
    True
    """
    pairs = {}
    for table in tables:
        if getattr(ranker, "lists", False) and len(table.systems) == 1:
            pair_suffix = f" of {table.pair}" if table.pair else ""
            raise InputError(
                f"the translations{pair_suffix} are those of one system, {table.systems[0]!r}, and this ranker looks "
                "at all outputs for a segment; give those of two systems or more in one table, or train without ranks"
            )
        scores = ranker.predict(match_features(features_by_segment([table]), ranker.feature_names_))
        values = np.asarray(scores, np.float64).reshape(len(table.segments), len(table.systems)).T
        pairs[table.pair] = PairScores(table.systems, table.segments, values)
    return MetricScores(metric, pairs)


def seg_score_lines(scores: MetricScores, test_set: str) -> Iterator[str]:
    """Scores in WMT's format seg.scr: METRIC, LANGPAIR, TESTSET, SYSTEM, SEGNR, SCORE, with tabs; one text per system.

    Parameters
    ----------
    scores
        The scores; an output without a score has no line.
    test_set
        Name of the test set.

    Raises
    ------
    InputError
        A language pair has no name, or a name has tabs or line breaks.

    Examples
    --------
    >>> scores = MetricScores("m", {"de-en": PairScores.of({"A": [0.5, None]})})
    >>> "".join(seg_score_lines(scores, "news")).split()
    ['m', 'de-en', 'news', 'A', '1', '0.5']
    """
    for pair, pair_scores in scores.pairs.items():
        if not pair:
            raise InputError(
                f"scores of {scores.metric}: the language pair has no name, expected one such as de-en; name it in the "
                "column pair (`rankscope features mt --pair de-en`)"
            )
        for name in (scores.metric, pair, test_set, *pair_scores.systems):
            if any(separator in name for separator in "\t\n\r"):
                raise InputError(f"{name!r} contains a tab or a line break, which seg.scr cannot hold; rename it")
        for system, values in zip(pair_scores.systems, pair_scores.values.tolist(), strict=True):
            prefix = f"{scores.metric}\t{pair}\t{test_set}\t{system}\t"
            rows = zip(pair_scores.segments, values, strict=True)
            yield "".join(f"{prefix}{segment}\t{value!r}\n" for segment, value in rows if value == value)
