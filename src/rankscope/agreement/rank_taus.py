"""Kendall's tau of many short lists, a person's order against a machine's: pairs counted, ties as one says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.agreement.rank_table import PairedRanks
from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.pairs import PairCounts, count_pairs_by_row
from rankscope.typing import Floats, Ints

__all__ = ["TauCounts", "count_pairs", "tau_counts"]


@dataclass(frozen=True, eq=False)
class TauCounts:
    """(lists) of each: the pairs that agree and that disagree, as the treatment of ties has it, and what was tied.

    pairs: all pairs. gold_ties, predicted_ties: those tied by the person, and by the machine (both counted twice).
    """

    concordant: Ints
    discordant: Ints
    pairs: Ints
    gold_ties: Ints
    predicted_ties: Ints

    @property
    def valid(self) -> Ints:
        """(lists) the pairs that count."""
        return np.asarray(self.concordant + self.discordant, np.int64)

    @property
    def tau(self) -> Floats:
        """(lists) (concordant - discordant) / (concordant + discordant); NaN without a pair that counts."""
        return ratio_or_nan(self.concordant - self.discordant, self.valid)

    @property
    def micro(self) -> float:
        """Of all lists' pairs together."""
        c, d = int(self.concordant.sum()), int(self.discordant.sum())
        return (c - d) / (c + d) if c + d else float("nan")

    @property
    def macro(self) -> float:
        """The mean of the lists' taus; lists without a pair that counts have none."""
        tau = self.tau
        there = tau[~np.isnan(tau)]
        return float(there.mean()) if there.size else float("nan")


def count_pairs(table: PairedRanks) -> PairCounts:
    """(lists) the five classes of pairs; x is the person's ranking, y the machine's."""
    return count_pairs_by_row(table.gold, table.predicted)


def tau_counts(
    counts: PairCounts, *, exclude_gold_ties: bool = True, penalise_predicted_ties: bool = True
) -> TauCounts:
    """What agrees and disagrees.

    exclude_gold_ties: a pair that the person ties is left out; otherwise it agrees where the machine ties it too, and
    disagrees elsewhere. penalise_predicted_ties: a pair that only the machine ties disagrees; otherwise it is left out.
    """
    concordant, discordant = counts.concordant.copy(), counts.discordant.copy()
    if penalise_predicted_ties:
        discordant += counts.tied_y
    if not exclude_gold_ties:
        concordant += counts.tied_both
        discordant += counts.tied_x
    return TauCounts(
        concordant=concordant,
        discordant=discordant,
        pairs=np.asarray(counts.all, np.int64),
        gold_ties=np.asarray(counts.tied_x + counts.tied_both, np.int64),
        predicted_ties=np.asarray(counts.tied_y + counts.tied_both, np.int64),
    )
