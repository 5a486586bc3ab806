"""How likely chance is to give such taus: of one list, of many together, and by dealing ranks out anew."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rank_table import Floats, RankTable, in_pieces
from rankscope.agreement.rank_taus import counted_pairs, tau_counts
from rankscope.kernels.resample import NUMBERS, draw
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator

__all__ = ["erfc", "fisher", "permutation_pvalue", "stouffer", "tau_pvalues", "tau_statistics"]

#: Values are as far from chance as the one found where they are but for the noise of sums.
NOISE = 1e-12


def tau_statistics(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Tau over its standard deviation by chance, sqrt((4n + 10) / (9n(n - 1))), of n items; NaN for fewer than two."""
    items = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.asarray(tau, np.float64) / np.sqrt((4 * items + 10) / (9 * items * (items - 1)))
    return np.where(items >= 2, z, np.nan)


def tau_pvalues(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """erfc(|z| / sqrt 2): two-sided."""
    return erfc(np.abs(tau_statistics(tau, n)) / math.sqrt(2.0))


def erfc(values: Floats) -> Floats:
    """The complementary error function: Python's own, since SciPy takes a quarter of a second to load."""
    return np.array([math.erfc(value) for value in values.ravel().tolist()]).reshape(values.shape)


def fisher(pvalues: Floats) -> float:
    """Fisher's combination: -2 sum of ln p has a chi-square of 2k degrees of freedom. NaN are left out; of none NaN."""
    there = pvalues[~np.isnan(pvalues)]
    if not there.size:
        return float("nan")
    with np.errstate(divide="ignore"):  # a p-value of 0 makes it infinite, and the result 0
        return float(special().chdtrc(2 * there.size, -2.0 * np.log(there).sum()))


def stouffer(statistics: Floats) -> float:
    """Stouffer's combination of signed statistics: their sum over sqrt(k) is normal; two-sided."""
    there = statistics[~np.isnan(statistics)]
    if not there.size:
        return float("nan")
    return math.erfc(abs(float(there.sum())) / math.sqrt(2.0 * there.size))


def permutation_pvalue(
    table: RankTable,
    *,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    n_resamples: int,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> float:
    """The share of dealt-out sets whose micro tau is as far from what chance gives on average, the one found included.

    Within each list the machine's ranks are dealt out to the items anew. Where ties of the machine count against it,
    chance gives less than 0 on average, which is taken into account.
    """
    counts = counted_pairs(table)
    found = tau_counts(counts, exclude_gold_ties=exclude_gold_ties, penalise_predicted_ties=penalise_predicted_ties)
    if not found.valid.sum():
        return float("nan")
    if not (table.lengths >= 2).all():
        table = table.rows(np.flatnonzero(table.lengths >= 2))
    net, both = dealt_out(table, n_resamples, as_generator(rng), progress)
    # Of the pairs that the person does not tie, those that the machine does not tie either are `both`. How many pairs
    # each of the two ties does not change.
    c, d = (both + net) / 2, (both - net) / 2
    untied = int((counts.concordant + counts.discordant + counts.tied_y).sum())
    if penalise_predicted_ties:
        d = d + (untied - both)
    if not exclude_gold_ties:
        tied_both = int(found.predicted_ties.sum()) - (untied - both)
        c, d = c + tied_both, d + (int(found.gold_ties.sum()) - tied_both)
    values = (c - d) / np.maximum(c + d, 1)
    centre = float(values.mean())
    if exclude_gold_ties and penalise_predicted_ties:
        # Of two orders by chance each pair is as often concordant as discordant, and tied as often as any other.
        share = found.predicted_ties / np.maximum(found.pairs, 1)
        centre = float(-(share * found.valid).sum() / found.valid.sum())
    far = np.count_nonzero(np.abs(values - centre) >= abs(found.micro - centre) - NOISE)
    return (1 + int(far)) / (1 + n_resamples)


def dealt_out(
    table: RankTable, n_resamples: int, rng: np.random.Generator, progress: Callable[[float], Any] | None
) -> tuple[Floats, Floats]:
    """(resamples) concordant less discordant pairs of all lists, and how many pairs neither ties."""
    lists, items = table.gold.shape
    kind = np.int8 if items < 128 else np.int32
    codes = in_pieces(lambda part: np.nan_to_num(part.predicted_ranks("minimize")).astype(kind), table)
    signs = [order_of(table.gold[:, :j], table.gold[:, j : j + 1]).T[:, None, :] for j in range(items)]
    net, both = np.empty((2, n_resamples))
    most = max(1, NUMBERS // (4 * max(table.gold.size, 1)))
    done = 0
    for stream, size in draw(rng, n_resamples).streams():
        for start in range(0, size, most):
            count = min(most, size - start)
            keys = stream.random((count, lists, items), dtype=np.float32)
            keys[:, ~table.there] = 2.0  # behind all items, where they stand already
            dealt = np.take_along_axis(codes[None], np.argsort(keys, axis=2), axis=2)
            dealt = np.ascontiguousarray(np.moveaxis(dealt, 2, 0))  # one comparison takes places of many lists
            part = slice(done, done + count)
            net[part], both[part] = 0, 0
            for j in range(1, items):
                alike = order_of(dealt[:j], dealt[j]) * signs[j]
                net[part] += alike.sum(axis=(0, 2), dtype=np.int64)
                both[part] += np.count_nonzero(alike, axis=(0, 2))
            done += count
            if progress is not None:
                progress(count)
    return net, both


def order_of(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    """-1, 0 or 1: the order of two; 0 where there is none."""
    return np.asarray((a > b).view(np.int8) - (a < b).view(np.int8))
