"""The settings of interleaving, and the table of its methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.online.interleaving.balanced import balanced
from rankscope.online.interleaving.draft import Draft
from rankscope.online.interleaving.optimised import optimised
from rankscope.online.interleaving.probabilistic import TAU, probabilistic
from rankscope.online.interleaving.team_draft import team_draft
from rankscope.settings import POSITIVE, Settings, choice, count, needs, number, seed_field
from rankscope.typing import Ints

__all__ = [
    "METHODS",
    "InterleavingMethod",
    "InterleavingSettings",
]


class InterleavingMethod(NamedTuple):
    """A method of interleaving.

    Attributes
    ----------
    summary
        How it makes lists, in a few words.
    draft
        Makes the lists: `draft(lists, length, rng)`, and `tau` for the probabilistic one.
    most_runs
        How many runs it takes at most; None for any number.
    """

    summary: str
    draft: Callable[..., Draft]
    most_runs: int | None = None


#: The methods by name.
METHODS = {
    "team-draft": InterleavingMethod("in rounds, each run picks its best document that is not placed yet", team_draft),
    "balanced": InterleavingMethod("the two runs in turns", balanced, 2),
    "probabilistic": InterleavingMethod("each document is drawn from a softmax over the ranks of a run", probabilistic),
    "optimised": InterleavingMethod("lists drawn so that credit is fair and sensitive", optimised),
}
PROBABILISTIC = "probabilistic"


@dataclass(frozen=True, kw_only=True)
class InterleavingSettings(Settings):
    """How runs are interleaved; see `rankscope.online.interleave`."""

    FUNCTIONS = ("rankscope.online:interleave",)
    COMMANDS = ("interleave",)

    method: str = choice(
        "team-draft",
        METHODS,
        help="Method of interleaving: team draft, balanced (two runs), probabilistic, or optimised.",
    )
    length: int = count(10, help="Documents of each interleaved list.", maximum=1000)
    depth: int | None = count(
        None, help="Documents of each run that are considered.", unset="those of the length; all for probabilistic"
    )
    tau: float | None = number(
        None,
        rule=POSITIVE,
        help="For probabilistic: a document at rank r is drawn in proportion to 1 / r^tau.",
        unset=f"{TAU:g}",
        depends=needs(method=PROBABILISTIC),
    )
    seed: int = seed_field()

    @property
    def considered(self) -> int | None:
        """How many documents of each run are considered; None for all."""
        if self.depth is None and self.method == PROBABILISTIC:
            return None
        return max(self.depth or self.length, 1)

    def draft(self, lists: Ints, rng: np.random.Generator) -> Draft:
        """Interleaved lists. lists: (runs, queries, depth)."""
        options = {"tau": self.tau or TAU} if self.method == PROBABILISTIC else {}
        return METHODS[self.method].draft(lists, self.length, rng, **options)
