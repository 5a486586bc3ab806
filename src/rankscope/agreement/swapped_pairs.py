"""Pairs of systems on a segment, after swaps: each is one of four, so sums over pairs are quadratic in the bits.

With bits x and y of a pair's two systems, a permuted metric compares scores 00 (both its own), 10, 01 or 11. What the
pair counts is t00 + x (t10 - t00) + y (t01 - t00) + x y (t11 - t10 - t01 + t00), for each segment a form in the bits.
The other metric has what is left, 11 where this has 00. Where both count alike (and every pair counts by itself), the
products of bits cancel in the difference of the two, and what remains is linear.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.agreement.pair_counts import CLOSE, pair_places
from rankscope.agreement.segment_sums import divide_or_nan
from rankscope.kernels.resample import Draws
from rankscope.kernels.swaps import form_values, grouped_bits, linear_values, swap_bits
from rankscope.typing import Bools, Floats, Floats32

__all__ = [
    "accuracy_differences",
    "differences",
    "forms_of",
    "gold_signs",
    "pair_weights",
    "signs_of",
    "tau_differences",
    "weighed",
]

Signs = npt.NDArray[np.int8]

#: The cells 00, 10, 01, 11: which metric each of the pair's two systems has its score of.
CELLS = ((0, 0), (1, 0), (0, 1), (1, 1))


def signs_of(apart: Floats, epsilon: float) -> Signs:
    """Signs of differences, 0 up to epsilon; NaN is 0."""
    found = np.sign(np.nan_to_num(apart)).astype(np.int8)
    if epsilon > 0:
        found[np.abs(apart) <= epsilon * (1 + CLOSE)] = 0
    return found


def differences(pair: Floats) -> Floats:
    """(4, segments, pairs) the four differences of each pair of systems; pair: (2, systems, segments)."""
    first, second = pair_places(pair.shape[1])
    turned = pair.swapaxes(1, 2)
    return np.stack([turned[a][:, first] - turned[b][:, second] for a, b in CELLS])


def gold_signs(gold: Floats) -> tuple[Signs, Bools]:
    """(segments, pairs) the sign of gold, and whether both systems are there."""
    first, second = pair_places(len(gold))
    apart = gold.T[:, first] - gold.T[:, second]
    return np.sign(np.nan_to_num(apart)).astype(np.int8), ~np.isnan(apart)


def forms_of(table: npt.NDArray[np.int8], systems: int) -> Floats32:
    """(segments, systems, systems) of a table (4, segments, pairs): linear on the diagonal, products above it."""
    first, second = pair_places(systems)
    of_00, of_10, of_01, of_11 = table.astype(np.float32)
    forms = np.zeros((table.shape[1], systems, systems), np.float32)
    forms[:, first, second] = of_11 - of_10 - of_01 + of_00
    of_first, of_second = np.zeros((2, first.size, systems), np.float32)
    of_first[np.arange(first.size), first] = of_second[np.arange(first.size), second] = 1
    at = np.arange(systems)
    forms[:, at, at] = (of_10 - of_00) @ of_first + (of_01 - of_00) @ of_second
    return forms


def weighed(forms: Floats32, start: Floats, weights: Floats, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the sum over segments of weight x (start + form of the bits); NaN of none."""
    segments, systems, _ = forms.shape
    at = np.arange(systems)
    linear = forms[:, at, at] * weights[:, None]
    straight = not np.triu(forms, 1).any()
    for bits in swap_bits(draws, (systems, segments), swap):
        if straight:
            found = linear_values(grouped_bits(bits, "none"), linear.reshape(1, -1, 1))[0, :, 0]
        else:
            found = weights @ form_values(grouped_bits(bits, "segment"), forms)
        yield found + (float(weights @ start) if weights.any() else np.nan)


def pair_weights(there: Bools, grouping: str) -> Floats:
    """(segments) what a pair weighs: with grouping "segment" all segments alike, with "none" all pairs."""
    many = np.count_nonzero(there, axis=1)
    if grouping == "none":
        return np.full(len(many), 1 / many.sum() if many.any() else 0.0)
    return divided_or_0(np.ones(len(many)), many * max(1, int(np.count_nonzero(many))))


def divided_or_0(above: Floats, below: npt.NDArray[np.generic]) -> Floats:
    return np.nan_to_num(divide_or_nan(above, below))


def accuracy_differences(
    gold: Floats, pair: Floats, epsilons: Floats, grouping: str, draws: Draws, swap: str
) -> Iterator[Floats]:
    """acc_eq of the first permuted metric less that of the second, each with its own epsilon whatever it has got."""
    people, there = gold_signs(gold)
    apart = differences(pair)
    right = [(signs_of(apart, float(epsilon)) == people) & there for epsilon in epsilons]
    table = right[0].astype(np.int8) - right[1][::-1]
    start = table[0].sum(axis=1).astype(np.float64)
    return weighed(forms_of(table, len(gold)), start, pair_weights(there, grouping), draws, swap)


def tau_differences(gold: Floats, pair: Floats, draws: Draws, swap: str) -> Iterator[Floats]:
    """Kendall's tau-b of each segment, and the mean of those that have one: first metric less second."""
    people, there = gold_signs(gold)
    signs = signs_of(differences(pair), 0.0)
    alike = signs * people
    many = np.count_nonzero(people, axis=1)
    if not (signs == 0)[:, there].any():  # no ties: what stands below the line never changes
        pairs = np.count_nonzero(there, axis=1)
        weights = divided_or_0(np.ones(len(many)), np.sqrt(many * pairs)) / max(1, int(np.count_nonzero(many)))
        table = alike - alike[::-1]
        yield from weighed(forms_of(table, len(gold)), table[0].sum(axis=1).astype(np.float64), weights, draws, swap)
        return
    untied = ((signs != 0) & there).astype(np.int8)
    parts = [
        (forms_of(table, len(gold)), table[0].sum(axis=1)[:, None])
        for table in (alike, untied, alike[::-1], untied[::-1])
    ]
    for bits in swap_bits(draws, (len(gold), gold.shape[1]), swap):
        grouped = grouped_bits(bits, "segment")
        surplus, below, other_surplus, other_below = (form_values(grouped, form) + start for form, start in parts)
        yield mean_tau(surplus, below, many) - mean_tau(other_surplus, other_below, many)


def mean_tau(surplus: Floats32, untied: Floats32, many: npt.NDArray[np.int_]) -> Floats:
    """(resamples) of (segments, resamples)."""
    below = np.sqrt(many[:, None] * untied.astype(np.float64))
    n = np.count_nonzero(below, axis=0)
    return divide_or_nan(divided_or_0(surplus.astype(np.float64), below).sum(axis=0), n)
