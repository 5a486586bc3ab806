"""Dense arrays as they come in: scores, relevance and mask, checked and made one table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.typing import Bools, Floats, Ints

__all__ = ["DenseTable", "check_arrays"]

#: Grades beyond this are not exact in float64.
HIGHEST = 2**53


class DenseTable(NamedTuple):
    """The arrays, checked, from row `begin` on. Relevance is 0 where `mask` is False. lengths: (queries)."""

    scores: Floats
    relevance: npt.NDArray[np.integer[Any]]
    mask: Bools | None
    lengths: Ints
    max_grade: int
    begin: int = 0

    def part(self, begin: int, end: int) -> DenseTable:
        """Some rows, with scores of -inf where there is no document."""
        rows = slice(begin, end)
        scores, mask = self.scores[rows], None if self.mask is None else self.mask[rows]
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        return DenseTable(scores, self.relevance[rows], mask, self.lengths[rows], self.max_grade, begin)


def check_arrays(scores: Any, relevance: Any, mask: Any, precision: str) -> DenseTable:
    """Check the three arrays. Raises InputError."""
    found = as_matrix(scores, "scores")
    grades = as_matrix(relevance, "relevance", found.shape)
    there = None if mask is None else as_matrix(mask, "mask", found.shape)
    if there is not None and there.dtype != np.bool_:
        raise InputError(f"the mask is of type {there.dtype}, expected booleans: True where there is a document")
    if found.size == 0 or (there is not None and not there.any()):
        raise InputError(f"scores of shape {found.shape} hold no document, expected at least one query with one")
    if there is not None and there.all():
        there = None
    rows, columns = found.shape
    lengths = np.full(rows, columns) if there is None else np.count_nonzero(there, axis=1)
    floats, whole = check_scores(found, there, precision), check_relevance(grades, there)
    highest = int(whole.max())
    if highest == 0 and there is not None:  # which may stand only where there is no document
        highest = int(whole[there].max())
    return DenseTable(floats, whole, there, lengths, highest)


def as_matrix(values: Any, what: str, shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
    """The values as an array of two dimensions."""
    if isinstance(values, np.ma.MaskedArray):  # asarray would forget its mask
        raise InputError(f"{what}: a masked array is given, expected a plain one; pass x.data, and mask=~x.mask")
    try:
        found = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        why = str(error).split("\n")[0]
        raise InputError(f"{what}: no array ({why}); pass a NumPy array, as tensor.detach().cpu().numpy()") from error
    if shape is not None and found.shape != shape:
        raise InputError(f"{what}: shape {found.shape}, expected that of the scores, {shape}")
    if found.ndim != 2:
        raise InputError(f"{what}: shape {found.shape}, expected (queries, documents); of one list pass x[None, :]")
    if found.dtype.kind not in "biuf":
        raise InputError(f"{what}: type {found.dtype}, expected numbers; convert with x.astype(float)")
    return found


def check_scores(scores: npt.NDArray[Any], mask: Bools | None, precision: str) -> Floats:
    """Floats, finite where there is a document."""
    if scores.dtype not in (np.float64, np.float32):
        with np.errstate(over="ignore"):  # beyond float64 they are infinite, and refused
            scores = scores.astype(np.float32 if scores.dtype == np.float16 else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        fine = mask is None and np.isfinite(scores.sum())  # one that is not would stay in the sum
    good = np.ones((1, 1), np.bool_) if fine else np.isfinite(scores)
    if mask is not None:
        good |= ~mask
    if not good.all():
        row, column = first_false(good)
        raise InputError(
            f"scores: {scores[row, column]} at row {row}, column {column}, expected a finite number; "
            "correct it, or leave the document out with mask"
        )
    if precision == "float32" and scores.dtype != np.float32:
        with np.errstate(over="ignore", invalid="ignore"):  # beyond float32 all are tied, but no padding
            scores = scores.astype(np.float32).astype(np.float64).clip(-1e300, 1e300)
    return scores


def check_relevance(relevance: npt.NDArray[Any], mask: Bools | None) -> npt.NDArray[np.integer[Any]]:
    """Whole numbers, of one byte each if they are small; 0 where there is no document."""
    if relevance.dtype.kind == "b":
        relevance = relevance.view(np.int8)
    if relevance.dtype.kind in "iu" and int(relevance.min()) >= -128 and int(relevance.max()) < 128:
        bytes_ = relevance.astype(np.int8, copy=False)
        return bytes_ if mask is None else bytes_ * mask
    if mask is not None:
        relevance = np.where(mask, relevance, relevance.dtype.type(0))
    whole: npt.NDArray[np.integer[Any]] = relevance
    fine = True
    if relevance.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # what is no number is refused below
            whole = relevance.astype(np.int64)
        fine = bool((whole == relevance).all())
    fine = fine and int(whole.min()) > -HIGHEST and int(whole.max()) < HIGHEST
    if not fine:
        row, column = first_false((whole == relevance) & (whole > -HIGHEST) & (whole < HIGHEST))
        raise InputError(
            f"relevance: {relevance[row, column]} at row {row}, column {column}, expected a whole number "
            "below 2^53; round it, map grades to whole numbers, or leave the document out with mask"
        )
    small = int(whole.min()) >= -128 and int(whole.max()) < 128
    return whole.astype(np.int8) if small else whole


def first_false(good: Bools) -> tuple[int, int]:
    row, column = divmod(int(good.argmin()), good.shape[1])
    return row, column
