"""Kendall's tau of a person's ranks and a machine's, and how likely chance is to give such taus.

Judgments of one segment share the machine's ranks, so that they are not independent: one permutation of the segment's
systems serves all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rankeval.paired_ranks import PairedRanks, in_pieces
from rankscope.data.rank_list import normalise_ranks
from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.pairs import PairCounts, count_pairs_by_row
from rankscope.kernels.resample import draw
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ChanceTau",
    "Deal",
    "TauCounts",
    "combine_by_fisher",
    "combine_by_stouffer",
    "count_pairs",
    "deal_ranks",
    "deals_of",
    "erfc",
    "permutation_pvalue",
    "segment_statistics",
    "tau_counts",
    "tau_pvalues",
]


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


def tau_deviations(n: npt.ArrayLike) -> Floats:
    """The standard deviation of tau by chance, sqrt((4n + 10) / (9n(n - 1))), of n items; NaN for fewer than two."""
    items = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sqrt((4 * items + 10) / (9 * items * (items - 1)))
    return np.where(items >= 2, found, np.nan)


def tau_statistics(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Tau over its standard deviation by chance, of n items; NaN for fewer than two."""
    return np.asarray(np.asarray(tau, np.float64) / tau_deviations(n), np.float64)


def segment_statistics(taus: TauCounts, lengths: npt.ArrayLike, segments: npt.ArrayLike) -> Floats:
    """(segments) tau of the pairs of all a segment's judgments together over its standard deviation; NaN without any.

    Judgments of one segment share the machine's ranks. Their taus are taken to vary wholly together, so that the
    deviation of their mean, which is weighted by pairs, is the mean of theirs: it is never more in truth. Of a single
    judgment this is `tau_statistics`.
    """
    pairs = taus.valid.astype(np.float64)
    at = np.unique(np.asarray(segments), return_inverse=True)[1]
    k = int(at.max(initial=-1)) + 1
    above = np.bincount(at, taus.concordant - taus.discordant, k)
    below = np.bincount(at, np.where(pairs > 0, pairs * tau_deviations(lengths), 0.0), k)
    found = np.full(k, np.nan)
    np.divide(above, below, out=found, where=np.asarray(below > 0))
    return found


def tau_pvalues(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """erfc(|z| / sqrt 2): two-sided."""
    return erfc(np.abs(tau_statistics(tau, n)) / math.sqrt(2.0))


def erfc(values: Floats) -> Floats:
    """The complementary error function: Python's own, since SciPy takes a quarter of a second to load."""
    return np.array([math.erfc(value) for value in values.ravel().tolist()]).reshape(values.shape)


def combine_by_fisher(pvalues: Floats) -> float:
    """Fisher's combination: -2 sum of ln p has a chi-square of 2k degrees of freedom. NaN are left out; of none NaN."""
    there = pvalues[~np.isnan(pvalues)]
    if not there.size:
        return float("nan")
    with np.errstate(divide="ignore"):  # a p-value of 0 makes it infinite, and the result 0
        return float(special().chdtrc(2 * there.size, -2.0 * np.log(there).sum()))


def combine_by_stouffer(statistics: Floats) -> float:
    """Stouffer's combination of signed statistics: their sum over sqrt(k) is normal; two-sided."""
    there = statistics[~np.isnan(statistics)]
    if not there.size:
        return float("nan")
    return math.erfc(abs(float(there.sum())) / math.sqrt(2.0 * there.size))


#: Places and codes, in few bytes.
Small = npt.NDArray[Any]
#: Values are as far from chance as the one found where they are but for the noise of sums.
NOISE = 1e-12
#: Items (and places) that are dealt to at once, so that memory stays small; more are no faster.
AT_ONCE = 1 << 17


@dataclass(frozen=True, eq=False)
class Deal:
    """Lists whose ranks are to be dealt out. table: the lists, those of one segment side by side.

    segment: (lists) from 0 on, rising. sizes: (segments) the systems of each.
    place: (lists, items) of each item's system among those of its segment.
    values: (lists, places) codes that order as the machine does: that of the system at each place; where `by_order`,
    those of the list in rising order, which are dealt to its items as the segment's permutation orders them.
    share: (lists) the share of pairs that the machine ties on average. varies: (lists) whether that share is not the
    same in every deal.
    """

    table: PairedRanks
    segment: Ints
    sizes: Ints
    place: Small
    values: Small
    by_order: Bools
    share: Floats
    varies: Bools


class SegmentLayout:
    """Some lists, whole segments side by side, and where the systems of each segment stand.

    owner: (slots) of which segment each system is. slot: (items) of which slot each is. sizes, firsts: (segments).
    few: (lists) those of a segment in which not all lists hold the same systems.
    """

    def __init__(self, table: PairedRanks, segments: Ints) -> None:
        self.table = table
        self.segment = np.unique(segments, return_inverse=True)[1].astype(np.int64)
        self.rows, self.columns = np.nonzero(table.there)
        systems = self.columns if table.systems is None else table.systems[self.rows, self.columns]
        keys = self.segment[self.rows] * (int(systems.max(initial=0)) + 1) + systems
        slots, self.slot = np.unique(keys, return_inverse=True)
        self.owner = np.empty(slots.size, np.int64)
        self.owner[self.slot] = self.segment[self.rows]
        self.sizes = np.bincount(self.owner, minlength=int(self.segment.max(initial=-1)) + 1)
        self.firsts = np.cumsum(self.sizes) - self.sizes
        self.few = np.isin(self.segment, self.segment[table.lengths < self.sizes[self.segment]])

    def value_of_slots(self) -> tuple[Floats, bool, bool]:
        """(slots) the machine's value of each system where lists differ; whether one has two, and several lists."""
        among = self.few[self.rows]
        slot, predicted = self.slot[among], self.table.predicted[self.rows, self.columns][among]
        low, high = np.full(self.owner.size, np.inf), np.full(self.owner.size, -np.inf)
        np.minimum.at(low, slot, predicted)
        np.maximum.at(high, slot, predicted)
        return (
            np.where(np.isinf(low), np.nan, low),
            bool((low < high).any()),
            bool(np.bincount(slot).max(initial=0) > 1),
        )


def deals_of(table: PairedRanks, segments: npt.ArrayLike | None = None) -> Iterator[Deal]:
    """How ranks are dealt out, some segments at a time. segments: (lists) of which each is; by default one of its own.

    Where all judgments of a segment hold the same systems, these are permuted. Where they hold others, so are the
    machine's values of all the segment's systems, if each system has one value in all judgments of its segment, and
    some system is in several. Otherwise the machine's numbers are ranks within each list: each list keeps its own,
    dealt to its systems in the order of one permutation of the segment's.
    """
    given = np.arange(len(table)) if segments is None else np.asarray(segments, np.int64)
    kept = np.flatnonzero(table.lengths >= 2)
    kept = kept[np.argsort(given[kept], kind="stable")]
    begins = np.flatnonzero(np.diff(given[kept], prepend=given[kept][:1] - 1))
    cut = np.unique(begins * table.gold.shape[1] // AT_ONCE, return_index=True)[1]
    edges = [*begins[cut].tolist(), kept.size]
    parts = [kept[a:b] for a, b in pairwise(edges)]
    conflict = several = False
    for part in parts:
        layout = SegmentLayout(table.rows(part), given[part])
        if layout.few.any():
            _, two, more = layout.value_of_slots()
            conflict, several = conflict or two, several or more
    for part in parts:
        yield deal_of(SegmentLayout(table.rows(part), given[part]), several and not conflict)


def deal_of(layout: SegmentLayout, across: bool) -> Deal:
    """across: where lists of a segment hold other systems, the values of all its systems are permuted."""
    table, segment, few = layout.table, layout.segment, layout.few
    place = np.zeros(table.gold.shape, np.int32)
    place[layout.rows, layout.columns] = layout.slot - layout.firsts[layout.owner[layout.slot]]
    width = int(layout.sizes.max(initial=0))
    kind = np.int8 if width < 100 else np.int32
    codes = in_pieces(lambda part: np.nan_to_num(part.predicted_ranks("minimize")).astype(kind), table)
    values = np.zeros((len(table), width), kind)
    values[layout.rows, place[table.there]] = codes[table.there]
    share = tau_counts(count_pairs(table)).predicted_ties / np.maximum(table.lengths * (table.lengths - 1) // 2, 1)
    none = np.zeros(len(table), np.bool_)
    if not few.any():
        return Deal(table, segment, layout.sizes, place, values, none, share, none)
    if not across:
        ordered = np.sort(np.where(table.there, codes, np.iinfo(kind).max)[few], axis=1)[:, : values.shape[1]]
        values[few, : ordered.shape[1]] = ordered
        return Deal(table, segment, layout.sizes, place, values, few, share, none)
    of_all = value_table(layout.value_of_slots()[0], layout, values.shape[1])
    values[few] = np.nan_to_num(of_all[segment[few]])
    share[few] = tied_share(of_all, layout.sizes)[segment[few]]
    return Deal(table, segment, layout.sizes, place, values, none, share, few)


def value_table(values: Floats, layout: SegmentLayout, width: int) -> Floats:
    """(segments, places) ranks by the values of each segment's systems; NaN where there is none."""
    found = np.full((layout.firsts.size, width), np.nan)
    found[layout.owner, np.arange(layout.owner.size) - layout.firsts[layout.owner]] = values
    return normalise_ranks(found, "minimize")


def tied_share(values: Floats, sizes: Ints) -> Floats:
    """(segments) the share of pairs that have one value."""
    ties = tau_counts(count_pairs(PairedRanks(values, values))).predicted_ties
    return np.asarray(ties / np.maximum(sizes * (sizes - 1) / 2, 1))


def permutation_pvalue(
    table: PairedRanks,
    segments: npt.ArrayLike | None = None,
    *,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    n_resamples: int,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> float:
    """The share of dealt-out sets whose micro tau is as far from what chance gives on average, the one found included.

    segments: (lists) of which segment each is, as in `deals_of`. Where ties of the machine count against it, chance
    gives less than 0 on average, which is taken into account.
    """
    options = {"exclude_gold_ties": exclude_gold_ties, "penalise_predicted_ties": penalise_predicted_ties}
    counts = count_pairs(table)
    found = tau_counts(counts, **options)
    if not found.valid.sum():
        return float("nan")
    net, both, tied = np.zeros((3, n_resamples))
    generator, known = as_generator(rng), ChanceTau()
    for deal in deals_of(table, segments):
        known.add(deal, **options)
        more = deal_ranks(deal, n_resamples, generator, scaled(progress, len(deal.table) / len(table)))
        for total, part in zip((net, both, tied), more, strict=True):
            total += part
    # Of the pairs that the person does not tie, those that the machine does not tie either are `both`.
    c, d = (both + net) / 2, (both - net) / 2
    untied = int((counts.concordant + counts.discordant + counts.tied_y).sum())
    if penalise_predicted_ties:
        d = d + (untied - both)
    if not exclude_gold_ties:
        tied_both = tied - (untied - both)
        c, d = c + tied_both, d + (int(found.gold_ties.sum()) - tied_both)
    values = (c - d) / np.maximum(c + d, 1)
    centre = float(values.mean()) if known.centre is None else known.centre
    far = np.count_nonzero(np.abs(values - centre) >= abs(found.micro - centre) - NOISE)
    return (1 + int(far)) / (1 + n_resamples)


def scaled(progress: Callable[[float], Any] | None, share: float) -> Callable[[float], Any] | None:
    return None if progress is None else lambda done: progress(share * done)


class ChanceTau:
    """The micro tau that chance gives on average, of deals added one by one.

    A pair is by chance as often concordant as discordant, and tied by the machine as often as any other of its list.
    """

    def __init__(self) -> None:
        self.above = self.below = 0.0
        self.varies = False

    def add(self, deal: Deal, *, exclude_gold_ties: bool = True, penalise_predicted_ties: bool = True) -> None:
        counts = count_pairs(deal.table)
        untied = counts.concordant + counts.discordant + counts.tied_y
        gold_ties = counts.tied_x + counts.tied_both
        above, below = np.zeros(len(deal.share)), untied.astype(np.float64)
        if penalise_predicted_ties:
            above = above - deal.share * untied
        else:
            below = below - deal.share * untied
            self.varies |= bool(((deal.share > 0) & (untied > 0) & (deal.varies | (gold_ties > 0))).any())
        if not exclude_gold_ties:
            above, below = above + (2 * deal.share - 1) * gold_ties, below + gold_ties
        self.above += float(above.sum())
        self.below += float(below.sum())

    @property
    def centre(self) -> float | None:
        """None where it has no closed form: the pairs that count are not as many in every deal."""
        return None if self.varies or not self.below > 0 else self.above / self.below


def deal_ranks(
    deal: Deal, n_resamples: int, rng: np.random.Generator, progress: Callable[[float], Any] | None = None
) -> tuple[Floats, Floats, Floats]:
    """(resamples) concordant less discordant pairs of all lists, how many pairs neither ties, how many the machine."""
    sums = np.zeros((3, n_resamples))
    lists, items = deal.table.gold.shape
    most = max(1, AT_ONCE // max(lists * max(items, deal.values.shape[1]), 1))
    gold = np.ascontiguousarray(deal.table.gold.T)[:, None, :]
    signs = [order_of(gold[:j], gold[j]) for j in range(items)]
    done = 0
    for stream, size in draw(rng, n_resamples).streams():
        for start in range(0, size, most):
            count = min(most, size - start)
            add_pairs(sums[:, done : done + count], deal_once(deal, stream, count), signs)
            done += count
            if progress is not None:
                progress(count)
    return sums[0], sums[1], sums[2]


def add_pairs(sums: Floats, dealt: Small, signs: list[npt.NDArray[np.int8]]) -> None:
    """Count the pairs of dealt (items, resamples, lists), of which `signs` has the person's order, in the sums."""
    for j in range(1, len(dealt)):
        order = order_of(dealt[:j], dealt[j])
        alike = order * signs[j]
        sums[0] += alike.sum(axis=(0, 2), dtype=np.int64)
        sums[1] += np.count_nonzero(alike, axis=(0, 2))
        sums[2] += j * dealt.shape[2] - np.count_nonzero(order, axis=(0, 2))


def deal_once(deal: Deal, stream: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """(items, resamples, lists) the machine's codes dealt out anew; behind the last item, codes that tie nothing."""
    lists, items = deal.table.gold.shape
    width = deal.values.shape[1]
    keys = stream.random((count, deal.sizes.size, width), dtype=np.float32)
    if (deal.sizes < width).any():
        keys[:, np.arange(width) >= deal.sizes[:, None]] = 2.0  # behind all systems, where they stand already
    # Whose rank stands at each place: (resamples, lists, items).
    at = (deal.segment[:, None] * width + deal.place).ravel()
    whose = np.argsort(keys, axis=2).reshape(count, -1).take(at, axis=1).reshape(count, lists, items)
    if deal.by_order.any():
        among = np.where(deal.table.there[deal.by_order], whose[:, deal.by_order], width)
        whose[:, deal.by_order] = np.argsort(np.argsort(among, axis=2, kind="stable"), axis=2, kind="stable")
        np.minimum(whose, width - 1, out=whose)  # of no item
    whose += width * np.arange(lists)[:, None]
    dealt = deal.values.ravel().take(whose)
    if (deal.table.lengths < items).any():
        dealt = np.where(deal.table.there, dealt, -2 - np.arange(items, dtype=dealt.dtype))
    return np.ascontiguousarray(np.moveaxis(dealt, 2, 0))  # one comparison takes places of many lists


def order_of(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    """-1, 0 or 1: the order of two; 0 where there is none."""
    return np.asarray((a > b).view(np.int8) - (a < b).view(np.int8))
