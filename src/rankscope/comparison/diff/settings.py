"""The settings of a diff, declared once."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.measures.base import Measure
from rankscope.settings import Settings, count, resamples_field, seed_field, switch, text

__all__ = [
    "DEFAULT_MEASURE",
    "DiffSettings",
]


DEFAULT_MEASURE = "nDCG@10"
#: How many documents of a list are shown: without a cutoff, and at most where the cutoff is deeper.
UNCUT_DEPTH, MAX_DEPTH = 10, 20


@dataclass(frozen=True, kw_only=True)
class DiffSettings(Settings):
    """Which documents are shown, and how contributions are computed; see `diff`."""

    FUNCTIONS = ("rankscope:diff",)
    COMMANDS = ("diff",)

    query: str | None = text(
        None,
        help="Show both lists of this query side by side.",
        unset="show where the difference over all queries comes from",
        metavar="Q",
    )
    depth: int | None = count(
        None,
        metavar="K",
        maximum=10_000,
        help="Number of documents of each list that are shown with their ids.",
        unset=f"the cutoff of the measure, at most {MAX_DEPTH}, or {UNCUT_DEPTH} without a cutoff",
    )
    ideal: bool = switch(
        False, help="Compare one run with the best order possible: all relevant documents by falling grade."
    )
    n_resamples: int = resamples_field(
        1000,
        "Number of orders of documents that are sampled for Shapley values, where more than 12 documents moved and the "
        "measure has no closed form.",
        minimum=2,
    )
    seed: int = seed_field()

    def list_depth(self, measure: Measure) -> int:
        """How many documents of each list are shown."""
        cutoff = getattr(measure, "cutoff", None)
        if self.depth is not None:
            return self.depth
        return min(cutoff, MAX_DEPTH) if isinstance(cutoff, int) else UNCUT_DEPTH
