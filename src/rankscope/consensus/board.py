"""A leaderboard: the order of systems that preferences make, how sure each place is, and what else was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.consensus.repeats import RepeatConsistency
from rankscope.consensus.voters import VoterAgreement
from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.data.wording import pluralise
from rankscope.typing import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LeaderboardRow", "Effect", "Leaderboard"]


class LeaderboardRow(NamedTuple):
    """A row of the tidy table. low, high: the interval of the rating. rank_low, rank_high: best and worst rank."""

    system: str
    rating: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


class Effect(NamedTuple):
    """What else decides: by how much the logarithm of the odds of the left one grows where this is greater by 1.

    step: the greatest power of ten within two standard deviations of it, of which sentences speak.
    """

    name: str
    value: float
    low: float
    high: float
    step: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Leaderboard:
    """Systems, the best first, by what they win. Given by `rankscope.consensus.leaderboard`.

    rating, low, high: (systems) on the `scale`, with intervals at `confidence_level`. rank: (systems) from 1, tied ones
    share the first of their ranks. rank_low, rank_high: (systems) the best and the worst rank that each may have, 1 and
    those reliably better, and all but those reliably worse. cluster: (systems) from 1; every system of a cluster is
    reliably better than every one of the next. apart: (systems, systems) whether two can be told apart. abilities:
    (systems) logarithms of odds, mean 0. wins: (systems) the share of comparisons won where all others are met equally
    often. win_rates: (systems, systems) the share that the row wins against the column, by the model; observed: as it
    was, NaN where they never met; met: how much comparisons of the two weigh. In all of these a tie is half a win.

    effects: of covariates, and of "position". tie: Davidson's parameter with its interval, None for other models: two
    equal systems tie in tie / (2 + tie) of comparisons. alike: how alike comparisons come out; voters: how far voters
    agree; None where that is not known. upheld: the share of decided comparisons that the better rated one won, or NaN.
    fit: how well the model fits, in words. n, n_ties: comparisons, and ties among them; votes, where many systems are
    ranked at once, and 0. lost: resamples without a solution, left out. pairs: language pairs
    of rankings that are put together here. settings: what changes the numbers, for the
    signature. notes: what a reader should know.
    """

    systems: tuple[str, ...]
    rating: Floats
    low: Floats
    high: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    cluster: Ints
    apart: npt.NDArray[np.bool_]
    abilities: Floats
    wins: Floats
    win_rates: Floats
    observed: Floats
    met: Floats
    effects: tuple[Effect, ...]
    tie: Effect | None
    alike: RepeatConsistency | None
    voters: VoterAgreement | None
    upheld: float
    fit: tuple[str, ...]
    n: int
    n_ties: int
    lost: int
    pairs: tuple[str, ...]
    model: str
    scale: str
    interval: str
    confidence_level: float
    settings: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return LeaderboardRow._fields

    def records(self) -> Iterator[LeaderboardRow]:
        """A row a system, the best first."""
        numbers = (self.rating, self.low, self.high, self.rank, self.rank_low, self.rank_high, self.cluster)
        for row in zip(self.systems, *(column.tolist() for column in numbers), strict=True):
            yield LeaderboardRow(*row)

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        return tidy_frame(self)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        parts = [f"{name}:{value}" for name, value in self.settings.items()]
        return " | ".join(["leaderboard", *parts, f"rankscope {__version__}"])

    def sections(self) -> tuple[Section, ...]:
        """The order, who wins against whom, what else decides, how alike comparisons come out."""
        from rankscope.consensus.board_shown import leaderboard_sections  # which builds on this class

        return leaderboard_sections(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        what = pluralise(self.n, "vote" if self.model == "plackett-luce" else "comparison")
        return f"Leaderboard({pluralise(len(self.systems), 'system')}, {what}, {self.model})"
