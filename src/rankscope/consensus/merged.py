"""A consensus: the order of the items, how sure it is, how far the voters agree, and who wins one against one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope._version import __version__
from rankscope.consensus.base import Order
from rankscope.consensus.merged_shown import (
    all_voters_section,
    condorcet_section,
    consensus_section,
    details_section,
    voters_section,
)
from rankscope.consensus.voters import VoterAgreement
from rankscope.consensus.weights_said import weights_signature
from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.data.votes import Votes
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "Consensus"]


COLUMNS = ("item", "rank", "score", "low", "high")


@dataclass(frozen=True, eq=False, kw_only=True)
class Consensus:
    """Many rankings merged into one.

    found: the order with scores and ranks, an `Order`; votes: what it was made of. low, high: (items) between which
    ranks an item lies if other voters of the same kind vote, NaN where no interval was made. voters: how far they
    agree. condorcet_winner: who beats every other item one against one; None where nobody does. smith_set: the fewest
    items that beat every other one. unranked: where items stand that a voter left out.
    """

    found: Order
    votes: Votes
    low: Floats
    high: Floats
    voters: VoterAgreement
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
    unranked: str
    n_resamples: int
    confidence_level: float
    seed: int
    notes: tuple[str, ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first, as in `Order.order`."""
        return self.found.order

    def __getitem__(self, item: str) -> float:
        """The score of an item. Raises InputError for one that is not among the votes."""
        if item not in self.found.items:
            raise InputError(f"no item {item!r} among the votes; items: {join_names(self.found.items)}")
        return self.found[item]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, the best item first; NaN where there is no interval."""
        for i in self.places():
            numbers = (self.found.ranks[i], self.found.scores[i], self.low[i], self.high[i])
            yield self.found.items[i], *(float(x) for x in numbers)

    def places(self) -> list[int]:
        """Where the items stand among the votes, the best first."""
        return self.found.places()

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no interval."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The order; how far the voters agree; who wins one against one; what else the method found."""
        more = [section for section in (all_voters_section(self), details_section(self)) if section is not None]
        return consensus_section(self), voters_section(self), condorcet_section(self), *more

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        parts = [
            "consensus",
            f"method:{self.found.method}",
            f"voters:{len(self.votes.voters)}",
            f"items:{len(self.votes.items)}",
        ]
        parts += weights_signature(zip(self.votes.voters, self.votes.weights.tolist(), strict=True))
        if self.n_resamples:
            parts.append(f"interval:bootstrap,{self.n_resamples},{self.confidence_level:g}")
        parts += [f"agreement:{self.voters.concordance.method}", f"rng:{self.seed}", f"rankscope {__version__}"]
        return " | ".join(parts)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        n = pluralise(len(self.votes.items), "item")
        return f"Consensus({n} by {pluralise(len(self.votes.voters), 'voter')}, {self.found.method!r})"
