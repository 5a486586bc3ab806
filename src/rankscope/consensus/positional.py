"""Methods that give points for places: Borda, mean and median rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method
from rankscope.data.votes import UNRANKED, Votes, check_unranked

__all__ = ["Borda"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Borda(Method):
    """Borda: the number of items less the rank, summed over voters with their weights."""

    name: ClassVar[str] = "borda"
    unranked: str = UNRANKED[0]

    def __post_init__(self) -> None:
        check_unranked(self.unranked, UNRANKED[:3])

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        return np.asarray(weights @ (len(votes.items) - votes.filled(self.unranked)))
