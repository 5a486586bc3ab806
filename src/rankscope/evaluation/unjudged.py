"""Shares of unjudged documents among the first k of each list, and the bounds of P@k that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.section import Cell, Section, Table
from rankscope.data.text import pluralise
from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = [
    "CUTOFFS",
    "UnjudgedShares",
    "unjudged_measures",
    "unjudged_shares",
]


#: The default cutoffs.
CUTOFFS = (5, 10, 20, 50, 100)
#: From this share of unjudged documents on, a sentence warns.
WARNING_SHARE = 0.1


def unjudged_measures(cutoffs: Sequence[int] = CUTOFFS) -> list[str]:
    """The measures that `unjudged_shares` needs."""
    return [name for k in cutoffs for name in (f"Judged@{k}", f"P@{k}")]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UnjudgedShares(Result):
    """The share of unjudged documents among the first k of each system's lists, and what P@k could be.

    Attributes
    ----------
    scores
        The values that these are means of.
    cutoffs
        The cutoffs k.
    unjudged
        (systems, cutoffs) share of unjudged documents, a mean over queries.
    precision
        (systems, cutoffs) mean P@k.
    low, high
        (systems, cutoffs) mean P@k with every unjudged document not relevant, which is P@k as it stands, and with every
        one relevant.
    """

    COLUMNS = ("system", "cutoff", "unjudged", "precision", "low", "high")

    scores: Scores
    cutoffs: tuple[int, ...]
    unjudged: Floats
    precision: Floats
    low: Floats
    high: Floats

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for s, system in enumerate(self.scores.systems):
            for c, cutoff in enumerate(self.cutoffs):
                numbers = (values[s, c].item() for values in (self.unjudged, self.precision, self.low, self.high))
                yield (system, cutoff, *numbers)

    def signature(self) -> str:
        return self.scores.signature()

    def sections(self) -> list[Section]:
        """One table: a row a system; the unjudged share at each cutoff, and the bounds of P@k at the main one."""
        main = self.main_cutoff_index()
        shares = [f"unjudged @{k}" for k in self.cutoffs]
        rows: list[tuple[Cell, ...]] = [
            (
                system,
                *(f"{100 * share:.1f} %" for share in self.unjudged[s].tolist()),
                f"{self.low[s, main]:.3f} to {self.high[s, main]:.3f}",
            )
            for s, system in enumerate(self.scores.systems)
        ]
        return [
            Section(
                title="Unjudged documents",
                sentence=self.sentence(),
                table=Table(columns=("system", *shares, f"P@{self.cutoffs[main]}"), rows=tuple(rows)),
            )
        ]

    def main_cutoff_index(self) -> int:
        """The index of the cutoff that the sentence is about: the second, which most people use."""
        return min(1, len(self.cutoffs) - 1)

    def sentence(self) -> str:
        """Whether missing judgments could change the comparison."""
        c = self.main_cutoff_index()
        shares, depth = self.unjudged[:, c], self.cutoffs[c]
        if (shares == 0).all():
            return f"Every document in the top {depth} of each list was judged."
        worst_system = int(np.argmax(shares))
        text = (
            f"Up to {100 * shares[worst_system]:.1f} % of the top {depth} documents are unjudged "
            f"({self.scores.systems[worst_system]}). They count as not relevant; P@{depth} would lie in the range "
            "shown if they were judged."
        )
        spread = float(np.ptp(shares))
        if shares[worst_system] < WARNING_SHARE or spread < WARNING_SHARE / 2:
            return text
        return f"{text} Systems differ in this, so the comparison may be unfair to those with more unjudged documents."

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.scores.systems), 'system')}, cutoffs {', '.join(map(str, self.cutoffs))}"


def unjudged_shares(scores: Scores, cutoffs: Sequence[int] = CUTOFFS) -> UnjudgedShares:
    """From scores of `unjudged_measures`, made with `unjudged="bounds"`.

    Raises UnknownName where a measure is not there, ParameterError for scores without bounds.
    """
    if scores.bounds is None:
        raise ParameterError("these scores have no bounds; evaluate with unjudged='bounds'")
    judged = np.stack([scores.summary(f"Judged@{k}") for k in cutoffs], axis=1)
    precision = np.stack([scores.summary(f"P@{k}") for k in cutoffs], axis=1)
    bounds = np.array([[scores.overall_bounds(f"P@{k}", s) for k in cutoffs] for s in scores.systems])
    return UnjudgedShares(
        scores=scores,
        cutoffs=tuple(cutoffs),
        unjudged=1 - judged,
        precision=precision,
        low=bounds[..., 0],
        high=bounds[..., 1],
    )
