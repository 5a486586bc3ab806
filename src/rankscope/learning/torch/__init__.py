"""Losses and rankers in PyTorch, on a CPU or a GPU; the extra `torch`.

`loss` makes any loss of `rankscope.learning.LOSSES` work with PyTorch's autograd, for your own models. `TorchRanker`
trains deeper networks, also with attention over the list of a document. `RankingMetric` collects the
batches of a loop and gives any measure of them. PyTorch is imported when it is needed.
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.learning.torch.autograd import TorchLoss as TorchLoss
    from rankscope.learning.torch.autograd import loss as loss
    from rankscope.learning.torch.metric import RankingMetric as RankingMetric
    from rankscope.learning.torch.ranker import TorchRanker as TorchRanker

#: The module of each public name, imported at first use.
HOMES = {
    "RankingMetric": "metric",
    "TorchLoss": "autograd",
    "TorchRanker": "ranker",
    "loss": "autograd",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
