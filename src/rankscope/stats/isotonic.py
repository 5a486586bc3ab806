"""Isotonic regression: the rising values nearest to given ones, by pooling adjacent violators."""

from __future__ import annotations

import numpy as np

from rankscope.typing import Bools, Floats

__all__ = [
    "isotonic_predictions",
    "pool_adjacent_violators",
]


def pool_adjacent_violators(values: Floats, weights: Floats) -> Floats:
    """The rising values with the least sum of weighted squares of differences from given ones, row by row.

    Parameters
    ----------
    values, weights
        (rows, items); weights are at least 0. An item of weight 0 has the value of the item before it, or of the first
        with a weight.

    Returns
    -------
    Floats
        (rows, items)

    Notes
    -----
    All runs of falling blocks, of all rows, are pooled at once, again and again until nothing falls: neighbours that
    fall have one value in the solution, so that the order of pooling does not matter. A row without any weight is 0.

    References
    ----------
    Barlow, Bartholomew, Bremner and Brunk (1972), "Statistical inference under order restrictions".

    Examples
    --------
    >>> pool_adjacent_violators(np.array([[1.0, 3.0, 2.0, 4.0, 0.0]]), np.ones((1, 5))).tolist()
    [[1.0, 2.25, 2.25, 2.25, 2.25]]
    """
    n_rows, n_items = values.shape
    has_weight = weights > 0
    # An item without a weight belongs to the block of the last item with one.
    start: Bools = has_weight.copy()
    start[:, 0] = True
    first = np.argmax(has_weight, axis=1)
    start[np.arange(n_items)[None] == first[:, None]] = True
    start &= (np.arange(n_items)[None] == 0) | (np.arange(n_items)[None] > first[:, None])
    block = np.cumsum(start.ravel()) - 1
    total = np.bincount(block, weights.ravel())
    sums = np.bincount(block, np.where(has_weight, values * weights, 0.0).ravel())
    row = np.repeat(np.arange(n_rows), n_items)[start.ravel()]
    while True:
        means = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        falls = (means[:-1] > means[1:]) & (row[:-1] == row[1:])
        if not falls.any():
            return np.asarray(means[block].reshape(values.shape))
        begins = np.flatnonzero(np.concatenate(([True], ~falls)))
        pooled = np.cumsum(np.concatenate(([0], ~falls)))
        sums, total, row, block = (
            np.add.reduceat(sums, begins),
            np.add.reduceat(total, begins),
            row[begins],
            pooled[block],
        )


def isotonic_predictions(x: Floats, y: Floats, weights: Floats) -> Floats:
    """What isotonic regression of y on x predicts for all x.

    Parameters
    ----------
    x
        (lists, N) values of the predictor.
    y, weights
        (lists, n) and (n): values of the first n, and their weights in the fit, 0 for one that is not fitted.

    Returns
    -------
    Floats
        (lists, N): between two fitted items interpolated, beyond them the nearest fitted value.

    Examples
    --------
    >>> isotonic_predictions(np.array([[1.0, 2.0, 3.0, 2.5, 9.0]]), np.array([[0.0, 2.0, 4.0]]), np.ones(3)).tolist()
    [[0.0, 2.0, 4.0, 3.0, 4.0]]
    """
    n = y.shape[1]
    is_fitted = weights > 0
    own_x, own_y, own_weights = x[:, :n][:, is_fitted], y[:, is_fitted], weights[is_fitted]
    order = np.argsort(own_x, axis=1, kind="stable")
    own_x, own_y = np.take_along_axis(own_x, order, axis=1), np.take_along_axis(own_y, order, axis=1)
    own_weights = own_weights[order]
    # Items of one x are one point: the first of them has their mean and weight, the others have weight 0.
    is_first = np.concatenate((np.ones((len(x), 1), np.bool_), np.diff(own_x, axis=1) > 0), axis=1)
    point = np.cumsum(is_first.ravel()) - 1
    total = np.bincount(point, own_weights.ravel())
    means = np.bincount(point, (own_y * own_weights).ravel()) / total
    fitted = pool_adjacent_violators(
        np.where(is_first, means[point].reshape(own_y.shape), 0.0),
        np.where(is_first, total[point].reshape(own_y.shape), 0.0),
    )
    # How many fitted items are at or below each x: by the place of both in one order.
    both = np.concatenate((own_x, x), axis=1)
    places = np.argsort(both, axis=1, kind="stable")
    counts = np.empty(both.shape, np.int64)
    np.put_along_axis(counts, places, np.cumsum(places < own_x.shape[1], axis=1), axis=1)
    right = counts[:, own_x.shape[1] :]
    low, high = np.maximum(right - 1, 0), np.minimum(right, own_x.shape[1] - 1)
    x_low, x_high = (np.take_along_axis(own_x, index, axis=1) for index in (low, high))
    y_low, y_high = (np.take_along_axis(fitted, index, axis=1) for index in (low, high))
    gap = x_high - x_low
    share = np.divide(x - x_low, gap, out=np.zeros_like(x), where=gap > 0)
    return np.asarray(y_low + np.clip(share, 0.0, 1.0) * (y_high - y_low))
