"""Ranks and cutoffs as percentiles or permilles of the collection instead of numbers of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.measures.base import Measure, require
from rankscope.measures.cutoffs import query_cutoff
from rankscope.typing import Floats

__all__ = [
    "SCALES",
    "ScaledRanks",
]


#: How many parts of the whole ranking each scale has.
SCALES = {"percentile": 100, "permille": 1000}


@dataclass(frozen=True, kw_only=True)
class ScaledRanks(Measure):
    """Base of measures whose ranks, and cutoff, may be parts of the whole ranking.

    Parameters
    ----------
    scale
        "percentile" or "permille": of N ranked items, the rank r counts as 100 r / N or 1000 r / N. Default: the rank
        itself.

    Raises
    ------
    ParameterError
        N, the size of the collection (`collection_size`, `--total-ranks`), is missing.
    """

    scale: Literal["percentile", "permille"] | None = None

    def check_shared(self) -> None:
        super().check_shared()
        valid = self.scale is None or (isinstance(self.scale, str) and self.scale in SCALES)
        require(valid, self, "scale", self.scale, "'percentile' or 'permille'")

    def __call__(self, hits: Hits) -> Floats:
        return super().__call__(self.scaled_hits(hits))

    def scaled_hits(self, hits: Hits) -> Hits:
        """The hits with ranks on the scale. Raises ParameterError where the number of ranked items is not known."""
        if self.scale is None:
            return hits
        collection_size, n_parts = hits.collection_size, SCALES[self.scale]
        if collection_size is None:
            raise ParameterError(
                f"{self}: a {self.scale} needs the number of all ranked items; pass it (--total-ranks N, total_ranks=N)"
            )

        def convert() -> Hits:
            rank, first, last = (ranks * n_parts / collection_size for ranks in (hits.rank, hits.first, hits.last))
            return replace(hits, rank=rank, first=first, last=last, _memory={})

        return hits.cached(("on a scale", self.scale), convert)

    def used(self, hits: Hits) -> Floats:
        return super().used(self.scaled_hits(hits))

    def resolve_cutoff(self, hits: Hits) -> int | Floats | None:
        cutoff: int | str | None = getattr(self, "cutoff", None)
        if self.scale is not None and isinstance(cutoff, str):  # all scaled ranks may be below 1
            return query_cutoff(hits, cutoff, self.level(hits), rounded=False)
        return super().resolve_cutoff(hits)

    def ranks_within(self, hits: Hits, depth: int | Floats) -> int | Floats:
        """How many ranks there are up to `depth`, which may be on the scale."""
        n_ranks: int | Floats = np.floor(depth) if isinstance(depth, np.ndarray) else depth
        if self.scale is not None:
            n_ranks = np.floor(np.multiply(depth, hits.collection_size or 1) / SCALES[self.scale])
        return n_ranks

    def can_average_ties(self) -> bool:
        return self.scale is None and super().can_average_ties()
