"""Losses and rankers in PyTorch, on a CPU or a GPU; the extra `torch`.

`loss` makes any loss of `rankscope.learning.LOSSES` one that PyTorch's autograd goes through, for models of one's own.
`TorchRanker` trains deeper networks, and such as look at the whole list before they score a document of it. Nothing
here loads PyTorch before it is needed.
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for.
HOMES = {
    "TorchLoss": "autograd",
    "TorchRanker": "ranker",
    "loss": "autograd",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
