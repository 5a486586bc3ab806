"""Kendall's tau of people's and predicted ranks, and p-values of such taus by chance.

Judgments of one segment share the machine's ranks and are not independent: one permutation of the segment's systems
serves all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rankeval.paired_ranks import PairedRanks, apply_in_chunks
from rankscope.data.ranking import normalise_ranks
from rankscope.kernels.means import ratio_or_nan
from rankscope.kernels.pairs import PairCounts
from rankscope.kernels.resample import draw
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ChanceTau",
    "PermutationPlan",
    "TauCounts",
    "combine_by_fisher",
    "combine_by_stouffer",
    "erfc",
    "permutation_plans",
    "permutation_pvalue",
    "permuted_pair_counts",
    "segment_statistics",
    "tau_counts",
    "tau_pvalues",
]


@dataclass(frozen=True, eq=False)
class TauCounts:
    """Numbers of pairs in each list, (lists).

    Attributes
    ----------
    concordant, discordant
        Pairs that agree and that disagree, by the treatment of ties.
    pairs
        All pairs.
    gold_ties, predicted_ties
        Pairs that people tie, and pairs that the machine ties; a pair tied by both is in both.
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
        """Tau of all lists' pairs together."""
        c, d = int(self.concordant.sum()), int(self.discordant.sum())
        return (c - d) / (c + d) if c + d else float("nan")

    @property
    def macro(self) -> float:
        """The mean of the lists' taus; lists without a pair that counts have none."""
        tau = self.tau
        finite = tau[~np.isnan(tau)]
        return float(finite.mean()) if finite.size else float("nan")


def tau_counts(
    counts: PairCounts, *, exclude_gold_ties: bool = True, penalise_predicted_ties: bool = True
) -> TauCounts:
    """The numbers of pairs that agree and that disagree.

    Parameters
    ----------
    counts
        Numbers of pairs of each kind.
    exclude_gold_ties
        Whether pairs that people tie are skipped. Otherwise they agree if the machine ties them too, and disagree if
        not.
    penalise_predicted_ties
        Whether pairs that only the machine ties disagree. Otherwise they are skipped.
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
        pairs=np.asarray(counts.total, np.int64),
        gold_ties=np.asarray(counts.tied_x + counts.tied_both, np.int64),
        predicted_ties=np.asarray(counts.tied_y + counts.tied_both, np.int64),
    )


def tau_deviations(n: npt.ArrayLike) -> Floats:
    """The standard deviation of tau by chance, sqrt((4n + 10) / (9n(n - 1))), of n items; NaN for fewer than two."""
    items = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.sqrt((4 * items + 10) / (9 * items * (items - 1)))
    return np.where(items >= 2, deviations, np.nan)


def tau_statistics(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """Tau over its standard deviation by chance, of n items; NaN for fewer than two."""
    return np.asarray(np.asarray(tau, np.float64) / tau_deviations(n), np.float64)


def segment_statistics(taus: TauCounts, lengths: npt.ArrayLike, segments: npt.ArrayLike) -> Floats:
    """Tau of all pairs of a segment's judgments, divided by its standard deviation, (segments); NaN without pairs.

    Judgments of one segment share the machine's ranks. Their taus are assumed to be fully correlated, so the standard
    deviation of their mean, weighted by pairs, is the mean of their standard deviations: an upper bound. For a single
    judgment this is `tau_statistics`.

    Parameters
    ----------
    taus
        The pairs of each list.
    lengths
        Number of items in each list.
    segments
        The segment of each list.
    """
    pairs = taus.valid.astype(np.float64)
    segment_indices = np.unique(np.asarray(segments), return_inverse=True)[1]
    n_segments = int(segment_indices.max(initial=-1)) + 1
    numerators = np.bincount(segment_indices, taus.concordant - taus.discordant, n_segments)
    denominators = np.bincount(segment_indices, np.where(pairs > 0, pairs * tau_deviations(lengths), 0.0), n_segments)
    statistics = np.full(n_segments, np.nan)
    np.divide(numerators, denominators, out=statistics, where=np.asarray(denominators > 0))
    return statistics


def tau_pvalues(tau: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """The two-sided p-values erfc(|z| / sqrt 2)."""
    return erfc(np.abs(tau_statistics(tau, n)) / math.sqrt(2.0))


def erfc(values: Floats) -> Floats:
    """The complementary error function: Python's own, since SciPy takes a quarter of a second to load."""
    return np.array([math.erfc(value) for value in values.ravel().tolist()]).reshape(values.shape)


def combine_by_fisher(statistics: Floats) -> float:
    """Fisher's combination of the two-sided p-values of statistics: -2 sum of ln p has a chi-square of 2k degrees of
    freedom. NaN is skipped; NaN of none.
    """
    finite = statistics[~np.isnan(statistics)]
    if not finite.size:
        return float("nan")
    with np.errstate(divide="ignore"):  # a p-value of 0 makes it infinite, and the result 0
        return float(special().chdtrc(2 * finite.size, -2.0 * np.log(erfc(np.abs(finite) / math.sqrt(2.0))).sum()))


def combine_by_stouffer(statistics: Floats) -> float:
    """Stouffer's combination of signed statistics: their sum over sqrt(k) is normal; two-sided."""
    finite = statistics[~np.isnan(statistics)]
    if not finite.size:
        return float("nan")
    return math.erfc(abs(float(finite.sum())) / math.sqrt(2.0 * finite.size))


#: Small integers: places and codes.
Small = npt.NDArray[Any]
#: Values that differ by less from the observed one are equal to it up to the rounding of sums.
NOISE = 1e-12
#: How many items (and places) are permuted at once, so that memory stays small; more are no faster.
CHUNK_ITEMS = 1 << 17


@dataclass(frozen=True, eq=False)
class PermutationPlan:
    """Lists whose predicted ranks are to be permuted.

    Attributes
    ----------
    table
        The lists, sorted by segment.
    segment
        (lists) the index of each list's segment, rising.
    sizes
        (segments) how many systems each has.
    place
        (lists, items) the index of each item's system among those of its segment.
    values
        (lists, places) codes in the order of the machine's ranks: that of the system at each place; where
        `by_order`, those of the list in rising order.
    by_order
        (lists) whether a list keeps its own ranks, which its items get in the order of the segment's permutation.
    share
        (lists) the share of pairs that the machine ties on average.
    varies
        (lists) whether that share differs between permutations.
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
    """Some lists, sorted by segment, and a slot for each system of each segment.

    owner: (slots) the segment of each slot. slot: (items) the slot of each item. sizes, firsts: (segments) the number
    of slots and the first slot of each. incomplete: (lists) whether the lists of its segment do not all hold the same
    systems.
    """

    def __init__(self, table: PairedRanks, segments: Ints) -> None:
        self.table = table
        self.segment = np.unique(segments, return_inverse=True)[1].astype(np.int64)
        self.rows, self.columns = np.nonzero(table.present)
        systems = self.columns if table.systems is None else table.systems[self.rows, self.columns]
        keys = self.segment[self.rows] * (int(systems.max(initial=0)) + 1) + systems
        slots, self.slot = np.unique(keys, return_inverse=True)
        self.owner = np.empty(slots.size, np.int64)
        self.owner[self.slot] = self.segment[self.rows]
        self.sizes = np.bincount(self.owner, minlength=int(self.segment.max(initial=-1)) + 1)
        self.firsts = np.cumsum(self.sizes) - self.sizes
        self.incomplete = np.isin(self.segment, self.segment[table.lengths < self.sizes[self.segment]])

    def value_of_slots(self) -> tuple[Floats, bool, bool]:
        """(slots) the machine's value of each system where lists hold different systems; whether a system has two
        values, and whether a system is in several lists.
        """
        in_incomplete = self.incomplete[self.rows]
        slot, predicted = self.slot[in_incomplete], self.table.predicted[self.rows, self.columns][in_incomplete]
        low, high = np.full(self.owner.size, np.inf), np.full(self.owner.size, -np.inf)
        np.minimum.at(low, slot, predicted)
        np.maximum.at(high, slot, predicted)
        return (
            np.where(np.isinf(low), np.nan, low),
            bool((low < high).any()),
            bool(np.bincount(slot).max(initial=0) > 1),
        )


def permutation_plans(table: PairedRanks, segments: npt.ArrayLike | None = None) -> Iterator[PermutationPlan]:
    """How ranks are permuted, some segments at a time.

    If all judgments of a segment have the same systems, these are permuted. If they have different systems, the
    machine's values for all systems of the segment are permuted, provided that each system has one value in all
    judgments of its segment and some system is in several of them. Otherwise the machine's numbers are ranks within
    each list: each list keeps its own ranks, and its systems get them in the order of one permutation of the segment's
    systems.

    Parameters
    ----------
    table
        Ranks of people and of the machine.
    segments
        The segment of each list, (lists). Default: each list is a segment.
    """
    segment_codes = np.arange(len(table)) if segments is None else np.asarray(segments, np.int64)
    rows = np.flatnonzero(table.lengths >= 2)
    rows = rows[np.argsort(segment_codes[rows], kind="stable")]
    segment_starts = np.flatnonzero(np.diff(segment_codes[rows], prepend=segment_codes[rows][:1] - 1))
    chunk_starts = np.unique(segment_starts * table.gold.shape[1] // CHUNK_ITEMS, return_index=True)[1]
    edges = [*segment_starts[chunk_starts].tolist(), rows.size]
    chunks = [rows[a:b] for a, b in pairwise(edges)]
    conflict = several_lists = False
    for chunk in chunks:
        layout = SegmentLayout(table.rows(chunk), segment_codes[chunk])
        if layout.incomplete.any():
            _, has_conflict, has_several = layout.value_of_slots()
            conflict, several_lists = conflict or has_conflict, several_lists or has_several
    for chunk in chunks:
        yield permutation_plan(SegmentLayout(table.rows(chunk), segment_codes[chunk]), several_lists and not conflict)


def permutation_plan(layout: SegmentLayout, permute_values: bool) -> PermutationPlan:
    """How the ranks of these lists are permuted.

    permute_values: where lists of a segment hold different systems, the values of all the segment's systems are
    permuted; otherwise each list's own ranks.
    """
    table, segment, incomplete = layout.table, layout.segment, layout.incomplete
    place = np.zeros(table.gold.shape, np.int32)
    place[layout.rows, layout.columns] = layout.slot - layout.firsts[layout.owner[layout.slot]]
    width = int(layout.sizes.max(initial=0))
    dtype = np.int8 if width < 100 else np.int32
    codes = apply_in_chunks(lambda chunk: np.nan_to_num(chunk.predicted_ranks("minimize")).astype(dtype), table)
    values = np.zeros((len(table), width), dtype)
    values[layout.rows, place[table.present]] = codes[table.present]
    share = tau_counts(table.pair_counts).predicted_ties / np.maximum(table.lengths * (table.lengths - 1) // 2, 1)
    no_list = np.zeros(len(table), np.bool_)
    if not incomplete.any():
        return PermutationPlan(table, segment, layout.sizes, place, values, no_list, share, no_list)
    if not permute_values:
        sorted_codes = np.sort(np.where(table.present, codes, np.iinfo(dtype).max)[incomplete], axis=1)[
            :, : values.shape[1]
        ]
        values[incomplete, : sorted_codes.shape[1]] = sorted_codes
        return PermutationPlan(table, segment, layout.sizes, place, values, incomplete, share, no_list)
    segment_values = value_table(layout.value_of_slots()[0], layout, values.shape[1])
    values[incomplete] = np.nan_to_num(segment_values[segment[incomplete]])
    share[incomplete] = tied_share(segment_values, layout.sizes)[segment[incomplete]]
    return PermutationPlan(table, segment, layout.sizes, place, values, no_list, share, incomplete)


def value_table(values: Floats, layout: SegmentLayout, width: int) -> Floats:
    """(segments, places) the ranks of each segment's systems by their values; NaN where there is no system."""
    table = np.full((layout.firsts.size, width), np.nan)
    table[layout.owner, np.arange(layout.owner.size) - layout.firsts[layout.owner]] = values
    return normalise_ranks(table, "minimize")


def tied_share(values: Floats, sizes: Ints) -> Floats:
    """(segments) the share of pairs with equal values."""
    ties = tau_counts(PairedRanks(values, values).pair_counts).predicted_ties
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
    """The share of permutations whose micro tau is at least as far from its average by chance as the observed one.

    The observed ranks count as one permutation. If ties of the machine count against it, the average by chance is below
    0, which is taken into account.

    Parameters
    ----------
    table
        Ranks of people and of the machine.
    segments
        The segment of each list, (lists), as in `permutation_plans`. Default: each list is a segment.
    exclude_gold_ties, penalise_predicted_ties
        As in `tau_counts`.
    n_resamples
        Number of permutations.
    rng
        Random seed or generator.
    progress
        Called with the number of permutations that were just finished.
    """
    options = {"exclude_gold_ties": exclude_gold_ties, "penalise_predicted_ties": penalise_predicted_ties}
    counts = table.pair_counts
    observed = tau_counts(counts, **options)
    if not observed.valid.sum():
        return float("nan")
    net, untied_by_both, machine_ties = np.zeros((3, n_resamples))
    generator, chance = as_generator(rng), ChanceTau()
    for plan in permutation_plans(table, segments):
        chance.add(plan, **options)
        plan_sums = permuted_pair_counts(plan, n_resamples, generator, scaled(progress, len(plan.table) / len(table)))
        for total, plan_sum in zip((net, untied_by_both, machine_ties), plan_sums, strict=True):
            total += plan_sum
    # c, d: agreeing and disagreeing pairs, by the treatment of ties.
    c, d = (untied_by_both + net) / 2, (untied_by_both - net) / 2
    gold_untied = int((counts.concordant + counts.discordant + counts.tied_y).sum())
    if penalise_predicted_ties:
        d = d + (gold_untied - untied_by_both)
    if not exclude_gold_ties:
        tied_both = machine_ties - (gold_untied - untied_by_both)
        c, d = c + tied_both, d + (int(observed.gold_ties.sum()) - tied_both)
    taus = (c - d) / np.maximum(c + d, 1)
    centre = float(taus.mean()) if chance.centre is None else chance.centre
    n_far = np.count_nonzero(np.abs(taus - centre) >= abs(observed.micro - centre) - NOISE)
    return (1 + int(n_far)) / (1 + n_resamples)


def scaled(progress: Callable[[float], Any] | None, share: float) -> Callable[[float], Any] | None:
    return None if progress is None else lambda count: progress(share * count)


class ChanceTau:
    """The average micro tau by chance, over permutation plans added one by one.

    By chance a pair is as often concordant as discordant, and tied by the machine as often as any other pair of its
    list.
    """

    def __init__(self) -> None:
        self.numerator = self.denominator = 0.0
        self.varies = False

    def add(
        self, plan: PermutationPlan, *, exclude_gold_ties: bool = True, penalise_predicted_ties: bool = True
    ) -> None:
        counts = plan.table.pair_counts
        untied = counts.concordant + counts.discordant + counts.tied_y
        gold_ties = counts.tied_x + counts.tied_both
        numerator, denominator = np.zeros(len(plan.share)), untied.astype(np.float64)
        if penalise_predicted_ties:
            numerator = numerator - plan.share * untied
        else:
            denominator = denominator - plan.share * untied
            self.varies |= bool(((plan.share > 0) & (untied > 0) & (plan.varies | (gold_ties > 0))).any())
        if not exclude_gold_ties:
            numerator, denominator = numerator + (2 * plan.share - 1) * gold_ties, denominator + gold_ties
        self.numerator += float(numerator.sum())
        self.denominator += float(denominator.sum())

    @property
    def centre(self) -> float | None:
        """The average, or None where it has no closed form: the number of pairs that count varies."""
        return None if self.varies or not self.denominator > 0 else self.numerator / self.denominator


def permuted_pair_counts(
    plan: PermutationPlan, n_resamples: int, rng: np.random.Generator, progress: Callable[[float], Any] | None = None
) -> tuple[Floats, Floats, Floats]:
    """(resamples) over all lists: concordant less discordant pairs, pairs that neither side ties, and pairs that the
    machine ties.
    """
    sums = np.zeros((3, n_resamples))
    n_lists, n_items = plan.table.gold.shape
    chunk_size = max(1, CHUNK_ITEMS // max(n_lists * max(n_items, plan.values.shape[1]), 1))
    gold = np.ascontiguousarray(plan.table.gold.T)[:, None, :]
    signs = [order_of(gold[:j], gold[j]) for j in range(n_items)]
    position = 0
    for stream, size in draw(rng, n_resamples).streams():
        for start in range(0, size, chunk_size):
            count = min(chunk_size, size - start)
            add_pairs(sums[:, position : position + count], permuted_codes(plan, stream, count), signs)
            position += count
            if progress is not None:
                progress(count)
    return sums[0], sums[1], sums[2]


def add_pairs(sums: Floats, permuted: Small, signs: list[npt.NDArray[np.int8]]) -> None:
    """Add the counts of pairs of `permuted` to the sums.

    permuted: codes, (items, resamples, lists). signs: the person's order of pairs.
    """
    for j in range(1, len(permuted)):
        machine_signs = order_of(permuted[:j], permuted[j])
        sign_products = machine_signs * signs[j]
        sums[0] += sign_products.sum(axis=(0, 2), dtype=np.int64)
        sums[1] += np.count_nonzero(sign_products, axis=(0, 2))
        sums[2] += j * permuted.shape[2] - np.count_nonzero(machine_signs, axis=(0, 2))


def permuted_codes(plan: PermutationPlan, stream: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """(items, resamples, lists) the machine's codes, permuted; behind the last item, codes that tie with none."""
    n_lists, n_items = plan.table.gold.shape
    width = plan.values.shape[1]
    keys = stream.random((count, plan.sizes.size, width), dtype=np.float32)
    if (plan.sizes < width).any():
        keys[:, np.arange(width) >= plan.sizes[:, None]] = 2.0  # sorts behind all systems: the places without one stay
    # The place whose rank each item gets: (resamples, lists, items).
    positions = (plan.segment[:, None] * width + plan.place).ravel()
    rank_owners = np.argsort(keys, axis=2).reshape(count, -1).take(positions, axis=1).reshape(count, n_lists, n_items)
    if plan.by_order.any():
        owner_order = np.where(plan.table.present[plan.by_order], rank_owners[:, plan.by_order], width)
        rank_owners[:, plan.by_order] = np.argsort(
            np.argsort(owner_order, axis=2, kind="stable"), axis=2, kind="stable"
        )
        np.minimum(rank_owners, width - 1, out=rank_owners)  # places without an item
    rank_owners += width * np.arange(n_lists)[:, None]
    codes = plan.values.ravel().take(rank_owners)
    if (plan.table.lengths < n_items).any():
        codes = np.where(plan.table.present, codes, -2 - np.arange(n_items, dtype=codes.dtype))
    return np.ascontiguousarray(np.moveaxis(codes, 2, 0))  # one comparison covers many lists


def order_of(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
    """The sign of a - b: -1, 0 or 1; 0 for NaN."""
    return np.asarray((a > b).view(np.int8) - (a < b).view(np.int8))
