"""BLEU of whole systems, as sacrebleu has it, beside the metrics of segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscope.data.segment_scores import SystemScores
from rankscope.experiments.mt_cache import ArrayCache, text_digest
from rankscope.experiments.mt_folder import JudgedPair
from rankscope.experiments.mt_judging import compared_systems
from rankscope.experiments.sentence_scores import corpus_scorer

__all__ = ["corpus_bleu"]


def corpus_bleu(judged: Sequence[JudgedPair], cache: ArrayCache) -> SystemScores:
    """BLEU of each system of which people ranked an output, over all of its lines; in [0, 100], higher is better.

    Raises ParameterError where sacrebleu is missing.
    """
    name, prepare, how = corpus_scorer()
    found = {}
    for one in judged:

        def make(one: JudgedPair = one) -> dict[str, npt.NDArray[np.float64]]:
            score = prepare(one.texts.references)
            return {"values": np.array([score(one.texts.systems[system]) for system in compared_systems(one)])}

        settings = {"outputs": text_digest(one.texts.references, dict(one.texts.systems)), "scored": how}
        kept = cache.get(f"{one.campaign}-{one.pair}-bleu", settings, make, {"values": (len(compared_systems(one)),)})
        found[one.pair] = dict(zip(compared_systems(one), kept["values"].tolist(), strict=True))
    return SystemScores(name, found)
