"""Labels against labels, text or numbers: the confusion matrix, and the rates that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.means import mean_or_nan
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, check_positive, check_share
from rankscope.typing import Floats, Ints

__all__ = [
    "CLASSES",
    "NORMALISE",
    "ConfusionMatrix",
    "Label",
    "Rates",
    "as_counts",
    "confusion_matrix",
    "encode",
    "rates",
    "share_interval",
]


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


#: What counts are divided by: the sum of their row (true class), of their column (predicted class), or of all.
NORMALISE = ("row", "column", "all")
MCC_UNDEFINED = (
    "all items have one class in one of the two lists: Matthews' correlation divides 0 by 0 there, and is given as 0"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionMatrix:
    """How often each true class (row) was predicted as each class (column).

    labels: of rows and columns. counts: whole numbers. values: the counts, or the shares that `normalise` asked for;
    NaN in a row or column without items. n: items in all.
    """

    labels: tuple[Label, ...]
    counts: Ints
    values: Floats
    normalise: str | None
    n: int


def confusion_matrix(
    true: Any, predicted: Any = None, *, labels: Sequence[Label] | None = None, normalise: str | None = None
) -> ConfusionMatrix:
    """Count the items by true class (rows) and predicted class (columns).

    true, predicted: one label an item, text or numbers; or a square table of counts alone. labels: the classes in the
    order wanted; else all that occur, in rising order. normalise: "row", "column" or "all" for shares of the sum of a
    row, a column or of all items, in [0, 1]; NaN where that sum is 0.

    Raises InputError for lists of two lengths, empty ones, missing labels (NaN, None), text beside numbers, a label not
    in `labels`; ParameterError for a table that holds no counts, another `normalise`.

    Source: agrees with sklearn.metrics.confusion_matrix, which has 0 for a share of no items.

    >>> confusion_matrix([1, 0, 1, 0, 1], [1, 0, 1, 1, 0]).counts.tolist()  # TN FP, FN TP
    [[1, 1], [1, 2]]
    >>> confusion_matrix(["no", "yes", "yes", "yes"], ["no", "yes", "yes", "no"], normalise="row").values[1].round(3)
    array([0.333, 0.667])
    """
    if normalise is not None:
        check_choice("normalise", normalise, NORMALISE)
    found, counts = counted_labels(true, predicted, labels)
    values = counts.astype(np.float64)
    if normalise is not None:
        axis = {"row": 1, "column": 0, "all": None}[normalise]
        values = quotient(values, np.broadcast_to(values.sum(axis=axis, keepdims=True), values.shape))
    return ConfusionMatrix(labels=found, counts=counts, values=values, normalise=normalise, n=int(counts.sum()))


def counted_labels(true: Any, predicted: Any, labels: Sequence[Label] | None = None) -> tuple[tuple[Label, ...], Ints]:
    """The classes, and the table of counts."""
    if predicted is None:
        counts = as_counts(true)
        if labels is not None and len(labels) != len(counts):
            raise ParameterError(
                f"there are {len(labels)} labels for a table of {len(counts)} classes; expected as many"
            )
        return tuple(range(len(counts))) if labels is None else tuple(labels), counts
    found, a, b = encode(true, predicted, labels)
    k = len(found)
    return found, np.bincount(a * k + b, minlength=k * k).reshape(k, k)


def quotient(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """Part / whole, NaN where there is no whole."""
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Rates:
    """What follows from a confusion matrix, for each class against all others.

    Arrays of shape (classes), in the order of `labels`: tp, fp, fn, tn (counts); precision tp / (tp + fp), recall (TPR)
    tp / (tp + fn), specificity (TNR) tn / (tn + fp), fpr fp / (tn + fp), fnr fn / (tp + fn), fscore (1 + beta^2) tp /
    ((1 + beta^2) tp + beta^2 fn + fp), all in [0, 1] and NaN where they divide 0 by 0. Of all classes: accuracy, in
    [0, 1], higher is better; mcc, Matthews' correlation, in [-1, 1], higher is better, 0 with a note where it is
    undefined. macro: precision, recall, specificity and fscore as the mean over the classes that have a value. micro:
    of the counts of all classes together. n: items.
    """

    labels: tuple[Label, ...]
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints
    precision: Floats
    recall: Floats
    specificity: Floats
    fpr: Floats
    fnr: Floats
    fscore: Floats
    accuracy: float
    mcc: float
    macro: Mapping[str, float]
    micro: Mapping[str, float]
    beta: float
    n: int
    notes: tuple[str, ...]

    def of(self, label: Label) -> dict[str, float]:
        """The rates of one class by name. Raises ParameterError for a class that is not there."""
        if label not in self.labels:
            raise ParameterError(
                f"{label!r} is none of the classes {', '.join(map(repr, self.labels))}; name one of them"
            )
        i = self.labels.index(label)
        return {name: float(getattr(self, name)[i]) for name in RATES}


#: The rates of a class, by name.
RATES = ("precision", "recall", "specificity", "fpr", "fnr", "fscore")
AVERAGED = ("precision", "recall", "specificity", "fscore")


def rates(true: Any, predicted: Any = None, *, labels: Sequence[Label] | None = None, beta: float = 1.0) -> Rates:
    """Accuracy, precision, recall, specificity, F and Matthews' correlation of predicted labels; see `Rates`.

    true, predicted, labels: as for `confusion_matrix`. beta: how many times recall weighs more than precision in F.
    What divides 0 by 0 is NaN and counted in the notes; Matthews' correlation is then 0 with a note.

    Raises as `confusion_matrix`; ParameterError for a beta that is not above 0.

    Source: Matthews (1975); Gorodkin (2004) for more than two classes; van Rijsbergen (1979) for F. Agrees with
    scikit-learn, which has 0 where a ratio is undefined.

    >>> found = rates([1, 0, 1, 0, 1], [1, 0, 1, 1, 0])
    >>> {name: round(value, 3) for name, value in found.of(1).items()}
    {'precision': 0.667, 'recall': 0.667, 'specificity': 0.5, 'fpr': 0.5, 'fnr': 0.333, 'fscore': 0.667}
    >>> round(found.mcc, 4)  # (2 x 1 - 1 x 1) / sqrt(3 x 3 x 2 x 2)
    0.1667
    """
    check_positive("beta", beta)
    found, counts = counted_labels(true, predicted, labels)
    n = int(counts.sum())
    tp = np.diagonal(counts).copy()
    fp, fn = counts.sum(axis=0) - tp, counts.sum(axis=1) - tp
    tn = n - tp - fp - fn
    by_class = ratios(tp, fp, fn, tn, beta)
    undefined = {name: int(np.isnan(by_class[name]).sum()) for name in AVERAGED}
    notes = [
        f"{name} divides 0 by 0 for {many} of {len(found)} classes and has no value there"
        for name, many in undefined.items()
        if many
    ]
    sums = [side.sum(keepdims=True) for side in (tp, fp, fn, tn)]
    together = ratios(sums[0], sums[1], sums[2], sums[3], beta)
    mcc = matthews(counts)
    return Rates(
        labels=found,
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        **by_class,
        accuracy=float(tp.sum() / n),
        mcc=0.0 if mcc is None else mcc,
        macro={name: mean_or_nan(by_class[name]) for name in AVERAGED},
        micro={name: float(together[name][0]) for name in AVERAGED},
        beta=float(beta),
        n=n,
        notes=(*notes, *((MCC_UNDEFINED,) if mcc is None else ())),
    )


def ratios(tp: Ints, fp: Ints, fn: Ints, tn: Ints, beta: float) -> dict[str, Floats]:
    more = 1 + beta**2
    return {
        "precision": quotient(tp, tp + fp),
        "recall": quotient(tp, tp + fn),
        "specificity": quotient(tn, tn + fp),
        "fpr": quotient(fp, tn + fp),
        "fnr": quotient(fn, tp + fn),
        "fscore": quotient(more * tp, more * tp + beta**2 * fn + fp),
    }


def matthews(counts: Ints) -> float | None:
    """Matthews' correlation of any number of classes; None where it divides 0 by 0.

    (c n - sum_k t_k p_k) / sqrt((n^2 - sum_k p_k^2) (n^2 - sum_k t_k^2)), with c right ones of n, t_k items of class
    k and p_k predictions of it; of two classes (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
    """
    # Python's whole numbers: products of counts leave int64 soon.
    true, predicted = (list(map(int, counts.sum(axis=axis))) for axis in (1, 0))
    n, right = sum(true), int(np.trace(counts))
    top = right * n - sum(t * p for t, p in zip(true, predicted, strict=True))
    below = (n * n - sum(p * p for p in predicted)) * (n * n - sum(t * t for t in true))
    return top / below**0.5 if below else None


def share_interval(
    part: npt.ArrayLike, whole: npt.ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """The lowest and highest share that a found share part / whole goes with: Wilson's interval, within [0, 1].

    (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n). NaN where whole is 0. It takes the items as
    drawn one by one. Raises ParameterError for a level outside (0, 1).

    Source: Wilson (1927); agrees with statsmodels' proportion_confint(method="wilson").

    >>> low, high = share_interval(8, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.49, 0.943)
    """
    check_share("confidence_level", confidence_level)
    k, n = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    z = float(special().ndtri((1 + confidence_level) / 2))
    safe = np.where(n > 0, n, np.nan)
    p = k / safe
    middle = p + z * z / (2 * safe)
    half = z * np.sqrt(p * (1 - p) / safe + z * z / (4 * safe * safe))
    scale = 1 + z * z / safe
    low = np.where(k == 0, 0.0 * safe, (middle - half) / scale)
    high = np.where(k == n, 1.0 + 0.0 * safe, (middle + half) / scale)
    return low, high
