"""Losses for ranking: functions of (scores, relevance, offsets) that give the value and its gradient.

All work on flat arrays of ragged lists: scores and relevance are (documents), and `offsets` (lists + 1) says where each
list begins; no list is empty. The value is the mean over lists, and the gradient, of the scores' own type, that of this
mean. A list of one grade counts in the mean. To losses of pairs and to ListMLE it is worth 0, with a gradient of 0; the
others ask for something even there (ListNet for equal scores, pointwise losses for the grade), and trainers leave such
lists out. Scores that are NaN or infinite, or too large for a finite loss, raise `NonFiniteLoss`, an InputError.

>>> import numpy as np
>>> from rankscope.learning import losses
>>> value, gradient = losses.ranknet(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
>>> round(value, 6), gradient.tolist()
(0.693147, [-0.5, 0.5])
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.learning.losses.approx_ndcg import approxmrr as approxmrr
    from rankscope.learning.losses.approx_ndcg import approxndcg as approxndcg
    from rankscope.learning.losses.finite import NonFiniteLoss as NonFiniteLoss
    from rankscope.learning.losses.gains import finite_gains as finite_gains
    from rankscope.learning.losses.listwise import listmle as listmle
    from rankscope.learning.losses.listwise import listnet as listnet
    from rankscope.learning.losses.listwise import softmax_cross_entropy as softmax_cross_entropy
    from rankscope.learning.losses.neural_sort import neuralndcg as neuralndcg
    from rankscope.learning.losses.pairwise import lambdaloss as lambdaloss
    from rankscope.learning.losses.pairwise import lambdarank as lambdarank
    from rankscope.learning.losses.pairwise import ranknet as ranknet
    from rankscope.learning.losses.pairwise import ranksvm as ranksvm
    from rankscope.learning.losses.pointwise import ordinal as ordinal
    from rankscope.learning.losses.pointwise import squared as squared
    from rankscope.learning.losses.registry import CALL_FORM as CALL_FORM
    from rankscope.learning.losses.registry import LOSSES as LOSSES
    from rankscope.learning.losses.registry import Loss as Loss
    from rankscope.learning.losses.registry import LossFunction as LossFunction
    from rankscope.learning.losses.registry import as_measure as as_measure
    from rankscope.learning.losses.registry import parse_loss as parse_loss

#: The module of each public name, imported at first use, so that no loss is loaded for another.
HOMES = {
    "CALL_FORM": "registry",
    "LOSSES": "registry",
    "Loss": "registry",
    "LossFunction": "registry",
    "NonFiniteLoss": "finite",
    "approxmrr": "approx_ndcg",
    "approxndcg": "approx_ndcg",
    "as_measure": "registry",
    "finite_gains": "gains",
    "lambdaloss": "pairwise",
    "lambdarank": "pairwise",
    "listmle": "listwise",
    "listnet": "listwise",
    "neuralndcg": "neural_sort",
    "ordinal": "pointwise",
    "parse_loss": "registry",
    "ranknet": "pairwise",
    "ranksvm": "pairwise",
    "softmax_cross_entropy": "listwise",
    "squared": "pointwise",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
