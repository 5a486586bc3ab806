"""Losses for ranking: functions of (scores, relevance, offsets) that give the value and its gradient.

All work on flat arrays of ragged lists: scores and relevance are (documents), and `offsets` (lists + 1) says where each
list begins; no list is empty. The value is the mean over lists, and the gradient, of the scores' own type, that of this
mean. A list of one grade counts in the mean. To losses of pairs and to ListMLE it is worth 0, with a gradient of 0; the
others ask for something even there (ListNet for equal scores, pointwise losses for the grade), and trainers leave such
lists out.

>>> import numpy as np
>>> from rankscope.learning import losses
>>> value, gradient = losses.ranknet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
>>> round(value, 6), gradient.tolist()
(0.693147, [-0.5, 0.5])
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for, so that no loss is loaded for the sake of another.
HOMES = {
    "LOSSES": "named",
    "Loss": "named",
    "approxmrr": "approximate",
    "approxndcg": "approximate",
    "lambdaloss": "lambdas",
    "lambdarank": "lambdas",
    "listmle": "plackett",
    "listnet": "top_one",
    "neuralndcg": "neural_sort",
    "ordinal": "pointwise",
    "parse_loss": "named",
    "ranknet": "pairwise",
    "ranksvm": "pairwise",
    "softmax_cross_entropy": "top_one",
    "squared": "pointwise",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
