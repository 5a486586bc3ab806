"""The settings that only networks of PyTorch have."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.learning.torch.device import DEVICES
from rankscope.settings import Settings, choice, count

__all__ = [
    "TorchSettings",
]


@dataclass(frozen=True, kw_only=True)
class TorchSettings(Settings):
    """What a `TorchRanker` has beside the settings of a `Ranker`."""

    FUNCTIONS = ("rankscope.learning.torch:TorchRanker",)
    COMMANDS = ("train", "crossvalidate")

    attention: int = count(
        0, minimum=0, help="Number of attention layers over the documents of a list (networks of PyTorch only)."
    )
    heads: int = count(2, help="Number of attention heads in each layer (networks of PyTorch only).")
    device: str = choice(
        "auto", DEVICES, help="Device for training; auto uses a GPU if there is one (networks of PyTorch only)."
    )
