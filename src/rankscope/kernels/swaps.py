"""Random swaps of the cells of two tables, a bit each, and sums that are linear or quadratic in these bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.kernels.resample import Draws, chunks
from rankscope.typing import Bytes, Floats, Floats32

__all__ = [
    "SWAPS",
    "form_values",
    "grouped_bits",
    "linear_values",
    "swap_bits",
]


#: What is swapped together: single cells, all cells of a system (row), all cells of a segment (column).
SWAPS = ("cells", "systems", "segments")


def swap_bits(draws: Draws, shape: tuple[int, int], swap: str) -> Iterator[Bytes]:
    """(resamples, segments, systems), chunk by chunk: 1 where a cell's two scores change places, with probability 1/2.

    shape: (systems, segments). Cells that are swapped together have the same bit: the array is then a view.
    """
    n_systems, n_segments = shape
    n_bits = {"cells": n_systems * n_segments, "systems": n_systems, "segments": n_segments}[swap]
    n_words = -(-n_bits // 64)
    for stream, n_rows in chunks(draws, n_systems * n_segments):
        random_words = stream.integers(0, 1 << 64, size=(n_rows, n_words), dtype=np.uint64).astype("<u8", copy=False)
        bits = np.unpackbits(random_words.view(np.uint8), axis=1, count=n_bits, bitorder="little")
        if swap == "cells":
            yield bits.reshape(n_rows, n_segments, n_systems)
        else:
            shared_bits = bits[:, None, :] if swap == "systems" else bits[:, :, None]
            yield np.broadcast_to(shared_bits, (n_rows, n_segments, n_systems))


def grouped_bits(bits: Bytes, grouping: str) -> Bytes:
    """(groups, resamples, cells of a group) for "none", "segment" and "system"; in the order of `grouped` tables.

    bits: (resamples, segments, systems).
    """
    if grouping == "none":
        return bits.reshape(1, len(bits), -1)
    return bits.transpose(1, 0, 2) if grouping == "segment" else bits.transpose(2, 0, 1)


def linear_values(bits: Bytes, terms: Floats) -> Floats:
    """(groups, resamples, sums) of sum_i bit_i terms_i; bits: (groups, resamples, cells), terms: (groups, cells, sums).

    A matrix product for each group.
    """
    return np.asarray(np.ascontiguousarray(bits).astype(np.float64) @ terms)


def form_values(bits: Bytes, forms: Floats32) -> Floats32:
    """(groups, resamples) of sum_i sum_j bit_i form_ij bit_j; bits: (groups, resamples, cells).

    forms: (groups, cells, cells) whole numbers; all sums below 2^24 are exact in single precision. A bit is its own
    square, so the diagonal holds the linear terms.
    """
    float_bits = np.ascontiguousarray(bits).astype(np.float32)
    return np.asarray(np.einsum("gri,gri->gr", float_bits @ forms, float_bits))
