"""Labels as they come, text or numbers, to places among the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.typing import Ints

__all__ = ["CLASSES", "Label", "as_counts", "encode"]

Label = str | int | float | bool

#: More different labels are no classes but measurements.
CLASSES = 1000
#: Whole numbers that lie no further apart are counted in a table.
SPAN = 1 << 16


def encode(true: Any, predicted: Any, labels: Sequence[Label] | None = None) -> tuple[tuple[Label, ...], Ints, Ints]:
    """The classes in rising order, or as `labels` has them, and the place of each label among them.

    Raises InputError for lists of two lengths, empty ones, labels that are missing (NaN, None), text beside numbers, a
    label that is not among `labels`, more than 1000 classes; ParameterError for a class twice in `labels`.
    """
    one, other = as_labels(true, "true"), as_labels(predicted, "predicted")
    if one.size != other.size:
        raise InputError(
            f"there are {one.size} true and {other.size} predicted labels; expected one of each an item, in one order"
        )
    if not one.size:
        raise InputError("there are no labels; expected at least one item with a true and a predicted label")
    if (one.dtype.kind == "O") != (other.dtype.kind == "O"):
        text, numbers = ("true", "predicted") if one.dtype.kind == "O" else ("predicted", "true")
        raise InputError(f"the {text} labels are text and the {numbers} ones numbers; expected one kind in both")
    found, a, b = of_text(one, other) if one.dtype.kind == "O" else of_numbers(one, other)
    if labels is None:
        return found, a, b
    place = {label: i for i, label in enumerate(labels)}
    if len(place) != len(labels):
        raise ParameterError(f"labels are {list(labels)!r}, expected each class once")
    odd = [label for label in found if label not in place]
    if odd:
        known = ", ".join(map(repr, labels))
        raise InputError(f"the label {odd[0]!r} is none of the classes ({known}); add it to labels or correct it")
    moved = np.array([place[label] for label in found], np.int64)
    return tuple(labels), moved[a], moved[b]


def as_labels(values: Any, what: str) -> npt.NDArray[Any]:
    """One list as an array: of numbers, or of kind "O" where it is text. Raises InputError as `encode`."""
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], str):
        return checked_text(list(values), what)  # an array of text would copy it
    try:
        given = np.asarray(values)
    except ValueError:  # lists within a list
        given = np.empty((0, 0))
    if given.ndim != 1:
        raise InputError(f"the {what} labels have {given.ndim} dimensions, expected a list, one label an item")
    if given.dtype.kind in "US":
        # NumPy makes text of numbers that stand beside text: look at what was given.
        kept = values if isinstance(values, (list, tuple)) else given.tolist()
        return checked_text(list(kept), what)
    if given.dtype.kind == "O":
        kept = given.tolist()
        there = distinct(kept, what) - {None}
        if not there or not all(is_number(x) for x in there):
            return checked_text(kept, what)
        numbers = [np.nan if x is None else x for x in kept] if None in kept else kept
        given = np.asarray(numbers, np.float64 if {float, type(None)} & set(map(type, kept)) else None)
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        refuse_missing(int(np.flatnonzero(~np.isfinite(given))[0]), int((~np.isfinite(given)).sum()), given.size, what)
    if given.dtype.kind not in "biuf":
        raise InputError(f"the {what} labels hold {given.dtype}, expected text or numbers; convert them first")
    return given


def distinct(kept: list[Any], what: str) -> set[Any]:
    try:
        return set(kept)
    except TypeError:
        raise InputError(f"the {what} labels hold something that is neither text nor a number; convert it") from None


def is_number(x: object) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating, np.bool_))


def checked_text(kept: list[Any], what: str) -> npt.NDArray[Any]:
    if not all(isinstance(x, str) for x in distinct(kept, what)):
        at, label = next((i, x) for i, x in enumerate(kept) if not isinstance(x, str))
        if label is None or label != label:
            refuse_missing(at, sum(x is None or x != x for x in kept), len(kept), what)
        raise InputError(f"the {what} label at index {at} is {label!r} beside text; expected text in all places")
    found = np.empty(len(kept), object)
    found[:] = kept
    return found


def refuse_missing(at: int, n: int, of: int, what: str) -> None:
    raise InputError(
        f"{n} of {of} {what} labels are missing (NaN, None or infinite), the first at index {at}; expected a label an "
        "item; leave these items out of both lists"
    )


def of_text(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[tuple[Label, ...], Ints, Ints]:
    a, b = one.tolist(), other.tolist()
    found = sorted({*a, *b})
    refuse_many(len(found))
    place = {label: i for i, label in enumerate(found)}
    codes = (np.fromiter(map(place.__getitem__, side), np.int64, len(side)) for side in (a, b))
    return tuple(found), next(codes), next(codes)


def of_numbers(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[tuple[Label, ...], Ints, Ints]:
    """Whole numbers close together by a table of those that occur; others by sorting."""
    booleans = one.dtype.kind == other.dtype.kind == "b"
    sides = [side.astype(np.int64, copy=False) if are_integers(side) else side for side in (one, other)]
    if all(side.dtype == np.int64 for side in sides):
        low = min(int(side.min()) for side in sides)
        span = max(int(side.max()) for side in sides) - low + 1
        if span <= SPAN:
            shifted = [side - low for side in sides]
            there = np.zeros(span, np.bool_)
            for side in shifted:
                there[side] = True
            refuse_many(int(there.sum()))
            codes = np.cumsum(there) - 1
            whole_labels = (np.flatnonzero(there) + low).tolist()
            found: tuple[Label, ...] = tuple(map(bool, whole_labels)) if booleans else tuple(whole_labels)
            if there.all():  # the usual case: the table would change nothing
                return found, shifted[0], shifted[1]
            return found, codes[shifted[0]], codes[shifted[1]]
    values, places = np.unique(np.concatenate(sides), return_inverse=True)
    refuse_many(values.size)
    return tuple(values.tolist()), places[: one.size], places[one.size :]


def are_integers(side: npt.NDArray[Any]) -> bool:
    """Whether all are whole numbers that int64 holds."""
    if side.dtype.kind == "f":
        return bool((np.abs(side) < 2.0**53).all() and (side == np.floor(side)).all())
    return side.dtype.kind != "u" or int(side.max()) < 1 << 63


def refuse_many(n: int) -> None:
    if n > CLASSES:
        raise InputError(f"there are {n} different labels; expected classes, at most {CLASSES}; round or group them")


def as_counts(values: Any) -> Ints:
    """(classes, classes) a confusion matrix. Raises ParameterError for what is none."""
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.empty(0)
    square = found.ndim == 2 and found.shape[0] == found.shape[1] > 0
    if not square or found.dtype.kind not in "biuf":
        raise ParameterError(
            f"one array of shape {found.shape} was given, expected a square table of counts (rows true, columns "
            "predicted), or two lists of labels"
        )
    counts = found.astype(np.float64)
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (counts == np.floor(counts)).all()):
        raise ParameterError("the table holds something that is no count; expected whole numbers of at least 0")
    if not counts.any():
        raise ParameterError("the table of counts holds no item, expected at least 1")
    return counts.astype(np.int64)
