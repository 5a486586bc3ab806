"""Rank-biased overlap of two lists, with ties, of any lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from itertools import chain, repeat
from math import ceil, log, log1p
from typing import Any, Literal, NamedTuple

import numpy as np

from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.measures.rank_similarity.correlation import scores_of
from rankscope.typing import Floats, Ints

__all__ = [
    "rbo",
]


#: Types that hold a group of tied items.
TIE_TYPES = frozenset((set, frozenset))
#: Items of these types equal themselves; others may be NaN.
ID_TYPES = frozenset((str, bytes, int, np.str_))
#: The tail of a series is a sum of at most this many terms; a longer one is computed as a difference.
MAX_TERMS = 100_000
#: Items from the first to the last, a set for items that are tied; or scores by item, higher is better.
Ranking = Iterable[Any] | Mapping[Any, float]


def rbo(
    a: Ranking,
    b: Ranking,
    *,
    p: float = 0.9,
    variant: Literal["ext", "min", "res"] = "ext",
    ties: Literal["w", "a", "b"] = "a",
) -> float:
    """Rank-biased overlap: the share of common items, averaged over depths; in [0, 1], higher is more alike.

    Parameters
    ----------
    a, b
        Items (anything hashable) from the first to the last, where a set or frozenset holds tied items, as ["x", {"y",
        "z"}]; or mappings {item: score}, where equal scores are ties. The lists may differ in length and items.
    p
        How deep a reader looks: with .9, the first 10 ranks carry 86 % of the weight.
    variant
        Beyond their ends lists are unknown. "ext": what follows agrees as what is known; "min": nothing more agrees;
        "res": how much more it could be, so that the value lies between "min" and "min" + "res".
    ties
        What ties mean. "w": the tied items share the first rank of their group, as in sports; A_d is twice the items in
        common over the items of both lists that rank within d. "a": their order is not known; an item counts by the
        chance that it ranks within d. "b": as "a", divided by the root of both lists' agreements with themselves, so
        that a list with ties agrees fully with itself.

    Returns
    -------
    float
        Lists without a common item give 0, for "min" and "ext".

    Raises
    ------
    InputError
        A list is empty, an item occurs twice in a list, an item or score is NaN, or items are not hashable.
    ParameterError
        p is not between 0 and 1.
    UnknownName
        The variant or treatment of ties does not exist.

    Notes
    -----
    (1 - p) sum over d = 1, 2, ... of p^(d - 1) A_d, where A_d is the agreement of the first d items. For lists of one
    length "a" is the mean of RBO over the orders of tied items; for others "min" is, but "ext" and "res" weigh what the
    shorter list does not show by the ties of the longer one, as the paper does, and are not quite. Takes n log n steps
    for mappings, else n.

    References
    ----------
    Webber, Moffat and Zobel (2010), equations 11, 30 and 32; ties: Corsi and Urbano (2024), and agrees with the code
    that they published.

    Examples
    --------
    >>> rbo(["a", "b"], ["b", "a"], p=0.5)  # (1 - p) (0 + p 1) + p^2 1
    0.5
    >>> round(rbo(["a", "b", "c"], ["c", "a", "d", "e"], p=0.8), 4)
    0.5067
    >>> round(rbo(["a", {"b", "c"}], {"a": 3.5, "b": 2.0, "c": 2.0}, ties="b"), 12)
    1.0
    """
    if isinstance(p, bool) or not isinstance(p, (int, float, np.floating)) or not 0 < p < 1:
        raise ParameterError(f"rbo: p is {p!r}, expected a number between 0 and 1, both excluded, such as 0.9")
    if variant not in ("ext", "min", "res"):
        raise UnknownName("variant of rbo", str(variant), ("ext", "min", "res"))
    if ties not in ("w", "a", "b"):
        raise UnknownName("treatment of ties in rbo", str(ties), ("w", "a", "b"))
    short, long = rank_items(a, "a"), rank_items(b, "b")
    if len(short.items) > len(long.items):
        short, long = long, short
    depths = agreement(short, long, ties)
    if variant == "ext":
        return extrapolated(depths, float(p))
    lowest = lower_bound(depths, float(p))
    return lowest if variant == "min" else upper_bound(depths, float(p)) - lowest


class RankedItems(NamedTuple):
    """Items by rank, with their groups of ties.

    Attributes
    ----------
    items
        The items.
    top, bottom
        First and last rank of each item's group, from 1.
    tied
        Whether there are ties.
    """

    items: list[Hashable]
    top: Ints
    bottom: Ints
    tied: bool


def rank_items(ranking: Ranking, name: str) -> RankedItems:
    """Ranked items of a list that a user passed. Raises InputError as `rbo` says."""
    sizes: list[int] | Ints | None
    if isinstance(ranking, Mapping):
        scores = scores_of(list(ranking.values()), name)
        order = np.argsort(-scores, kind="stable")
        mapping_items = list(ranking)
        items: list[Any] = [mapping_items[i] for i in order.tolist()]
        falling_scores = scores[order]
        starts_group = np.concatenate(
            (np.ones(min(1, falling_scores.size), np.bool_), falling_scores[1:] != falling_scores[:-1])
        )
        sizes = np.diff(np.append(np.flatnonzero(starts_group), falling_scores.size))
        item_types = set(map(type, items))
    else:
        is_scalar_or_table = isinstance(ranking, np.ndarray) and ranking.ndim != 1
        if is_scalar_or_table or isinstance(ranking, (str, bytes, set, frozenset)) or not isinstance(ranking, Iterable):
            type_name = type(ranking).__name__
            raise InputError(
                f"rbo: {name} is of type {type_name}, expected a list of items, sets for ties, or {{item: score}}"
            )
        items = ranking.tolist() if isinstance(ranking, np.ndarray) else list(ranking)
        sizes = None
        if not TIE_TYPES.isdisjoint(item_types := set(map(type, items))):
            groups = [tuple(item) if type(item) in TIE_TYPES else (item,) for item in items]
            sizes = list(map(len, groups))
            items = list(chain.from_iterable(groups))
            if 0 in sizes:
                raise InputError(f"rbo: {name} holds an empty set, expected at least one item in each")
            item_types = set(map(type, items))
    check_items(items, item_types, name)
    n = len(items)
    if sizes is None or len(sizes) == n:
        ranks = np.arange(1, n + 1)
        return RankedItems(items, ranks, ranks, False)
    last_ranks = np.cumsum(sizes)
    return RankedItems(items, np.repeat(last_ranks - sizes + 1, sizes), np.repeat(last_ranks, sizes), True)


def check_items(items: list[Any], item_types: set[type], name: str) -> None:
    """Raise InputError where there are no items or they cannot be told apart."""
    if not items:
        raise InputError(f"rbo: {name} is empty, expected at least one item")
    try:
        distinct = set(items)
    except TypeError as error:
        message = f"rbo: {name} holds an item that cannot be compared ({error}); expected ids, and sets for ties"
        raise InputError(message) from None
    if len(distinct) < len(items):
        item, n_times = Counter(items).most_common(1)[0]
        raise InputError(f"rbo: {name} holds {item!r} {n_times} times, expected each item once; remove the others")
    if not item_types <= ID_TYPES and any(is_missing(item) for item in items):
        raise InputError(f"rbo: {name} holds NaN as an item, which equals no other; expected ids")


def is_missing(item: Any) -> bool:
    """Whether it does not equal itself, as NaN and NaT."""
    return bool(item != item)


class Depths(NamedTuple):
    """By depth d = 1, 2, ..., l, the length of the longer list; s is that of the shorter one.

    Attributes
    ----------
    s
        Length of the shorter list.
    overlap
        How many items both have; beyond s, of those seen.
    norm
        What the overlap is divided by for the agreement.
    mean_share
        (l - s) beyond s, what an item that only the longer list shows counts on average.
    first_sum
        (l - s) beyond s, what the first d - s of these items count together: so many items of the shorter list are not
        seen.
    """

    s: int
    overlap: Floats
    norm: Floats
    mean_share: Floats
    first_sum: Floats


def agreement(short: RankedItems, long: RankedItems, ties: str) -> Depths:
    """Overlap and norm by depth: Corsi and Urbano (2024), or Webber et al. (2010) where nothing is tied."""
    s, n = len(short.items), len(long.items)
    depths = np.arange(1.0, n + 1)
    index_in_long = dict(zip(long.items, range(n), strict=True))
    matches = np.fromiter(map(index_in_long.get, short.items, repeat(-1)), np.int64, s)
    in_short = np.flatnonzero(matches >= 0)
    in_long = matches[in_short]
    n_unseen = depths[s:] - s
    if not (short.tied or long.tied):
        overlap = count_from(np.maximum(in_short, in_long) + 1, n)
        return Depths(s, overlap, depths, np.ones(n - s), n_unseen)
    if ties == "w":
        overlap = count_from(np.maximum(short.top[in_short], long.top[in_long]), n)
        n_ranked_within = np.concatenate((short.bottom, depths[s:])) + long.bottom
        return Depths(s, overlap, n_ranked_within / 2, np.ones(n - s), n_unseen)
    share_short, share_long = np.zeros(n), share_of_group(long)
    share_short[:s] = share_of_group(short)
    overlap = expected_overlap(
        (short.top[in_short], short.bottom[in_short], share_short),
        (long.top[in_long], long.bottom[in_long], share_long),
    )
    norm = depths
    if ties == "b":
        norm = np.sqrt(np.concatenate((agreement_with_itself(short), depths[s:])) * agreement_with_itself(long))
    only_in_long = np.ones(n, np.bool_)
    only_in_long[in_long] = False
    top, bottom = long.top[only_in_long], long.bottom[only_in_long]
    n_within, n_across = count_from(bottom + 1, n)[s:], count_between(top, bottom, n)[s:]
    share = share_long[s:]
    n_first = np.minimum(n_unseen, n_within)
    mean = (n_within + share * n_across) / (n_within + n_across)
    return Depths(s, overlap, norm, mean, n_first + share * (n_unseen - n_first))


def count_from(starts: Ints, n: int) -> Floats:
    """For d = 1, ..., n, how many starts are at most d."""
    return np.cumsum(np.bincount(starts, minlength=n + 1)[1 : n + 1]).astype(np.float64)


def count_between(starts: Ints, ends: Ints, n: int) -> Floats:
    """For d = 1, ..., n, how many pairs have start <= d <= end; pairs with start > end have none."""
    nonempty = starts <= ends
    return count_from(starts[nonempty], n) - count_from(ends[nonempty] + 1, n)


def share_of_group(ranking: RankedItems) -> Floats:
    """By depth, the chance that an item of the group that lies across it ranks within it."""
    ranks = np.arange(1, len(ranking.items) + 1)
    return np.asarray((ranks - ranking.top + 1) / (ranking.bottom - ranking.top + 1), np.float64)


def agreement_with_itself(ranking: RankedItems) -> Floats:
    """By depth, the sum over items of the squared chance that they rank within it."""
    ranks = np.arange(1, len(ranking.items) + 1)
    return np.asarray(ranking.top - 1 + (ranks - ranking.top + 1) * share_of_group(ranking), np.float64)


def expected_overlap(short: tuple[Ints, Ints, Floats], long: tuple[Ints, Ints, Floats]) -> Floats:
    """By depth, the sum over common items of the product of their chances to rank within it.

    Each: first and last ranks of the common items' groups, and the chance of the group across each depth. An item's
    chance is 0 above its group, 1 below it: so four counts of items suffice.
    """
    (top_s, bottom_s, share_s), (top_l, bottom_l, share_l) = short, long
    n = share_l.size
    certain_in_both = count_from(np.maximum(bottom_s, bottom_l) + 1, n)
    certain_in_long = count_between(np.maximum(top_s, bottom_l + 1), bottom_s, n)
    certain_in_short = count_between(np.maximum(top_l, bottom_s + 1), bottom_l, n)
    certain_in_none = count_between(np.maximum(top_s, top_l), np.minimum(bottom_s, bottom_l), n)
    return (
        certain_in_both + share_s * certain_in_long + share_l * certain_in_short + share_s * share_l * certain_in_none
    )


def extrapolated(depths: Depths, p: float) -> float:
    """RBO_ext: Webber et al., equation 32; with ties Corsi and Urbano."""
    s, n = depths.s, depths.overlap.size
    agreement_at_s = depths.overlap[s - 1] / depths.norm[s - 1]
    overlap = depths.overlap.copy()
    overlap[s:] += np.arange(1, n - s + 1) * agreement_at_s * depths.mean_share
    further_agreement = (depths.overlap[-1] + (n - s) * agreement_at_s) / n * p**n
    return min(1.0, float(discounted(overlap / depths.norm, p) + further_agreement))


def lower_bound(depths: Depths, p: float) -> float:
    """RBO_min: nothing unseen agrees; Webber et al., equation 11, where lists have one length."""
    n = depths.overlap.size
    return float(discounted(depths.overlap / depths.norm, p) + depths.overlap[-1] * harmonic_tail(n, p) * (1 - p) / p)


def upper_bound(depths: Depths, p: float) -> float:
    """The highest value possible: RBO_min and equation 30's residual, where nothing is tied."""
    s, n = depths.s, depths.overlap.size
    overlap = depths.overlap.copy()
    overlap[s:] += depths.first_sum
    # Each further rank of both lists may add two items to the overlap, until all that was seen is in both.
    all_seen = n + s - round(depths.overlap[-1])
    d = np.arange(n + 1, all_seen + 1)
    further_agreement = (1 - p) * float(((2 - all_seen / d) * p ** (d - 1)).sum())
    return float(discounted(overlap / depths.norm, p) + further_agreement + p**all_seen)


def discounted(agreements: Floats, p: float) -> float:
    """(1 - p) sum of p^(d - 1) A_d."""
    return (1 - p) * float(agreements @ p ** np.arange(agreements.size))


def harmonic_tail(n: int, p: float) -> float:
    """The sum of p^d / d over d > n."""
    n_terms = ceil(-40 / log(p)) if -40 / log(p) < MAX_TERMS else None
    if n_terms is not None:  # p^n_terms is below any rounding
        d = np.arange(n + 1, n + n_terms + 1)
        return float((p**d / d).sum())
    d = np.arange(1, n + 1)
    return max(0.0, -log1p(-p) - float((p**d / d).sum()))
