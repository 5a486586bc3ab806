"""The AP correlation of many pairs of lists at once."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.inversions import greater_before, order_by_row
from rankscope.stats.rank_rows import RankedRows
from rankscope.typing import Floats

__all__ = ["ap_above_groups", "tau_ap_by_row"]


def tau_ap_by_row(x: RankedRows, y: RankedRows) -> Floats:
    """(lists) the AP correlation of many pairs of lists: the mean of both directions, ties as in tau_AP,b.

    NaN where one of the two ties all items.
    """
    return (ap_above_groups(x, y) + ap_above_groups(y, x)) / 2


def ap_above_groups(truth: RankedRows, estimate: RankedRows) -> Floats:
    """(lists) one direction: of the items above the group of each item in the estimate, how many the truth has above.

    Items stand by falling estimate, those of one estimate by rising truth: items before one that are greater in truth
    are then all of a group above. Items of the top group have none above them, and are left out.
    """
    n = truth.codes.shape[1]
    keys = (n - 1 - estimate.codes) * n + truth.codes
    keys.sort(axis=1)
    concordant = greater_before(order_by_row(keys % n))
    group = keys // n
    places = np.broadcast_to(np.arange(1, n), (len(keys), n - 1))
    above = np.zeros(keys.shape, np.int64)
    np.maximum.accumulate(np.where(group[:, 1:] != group[:, :-1], places, 0), axis=1, out=above[:, 1:])
    below_top = np.count_nonzero(above, axis=1)
    share = np.divide(concordant, above, out=np.zeros(above.shape), where=above > 0).sum(axis=1)
    return np.asarray(np.divide(2 * share, below_top, out=np.full(len(keys), np.nan), where=below_top > 0) - 1)
