"""Confusion matrix of true and predicted labels (text or numbers), and the rates that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.means import nan_mean_of_list
from rankscope.settings import POSITIVE, choice, number
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
    "beta_field",
    "confusion_matrix",
    "encode",
    "normalise_field",
    "rates",
    "share_interval",
]


Label = str | int | float | bool
#: Most different labels; more are measurements, not classes.
CLASSES = 1000
#: Integer labels within a range of this size are encoded by a table.
SPAN = 1 << 16


def encode(true: Any, predicted: Any, labels: Sequence[Label] | None = None) -> tuple[tuple[Label, ...], Ints, Ints]:
    """The classes, and the index of each label among them.

    Parameters
    ----------
    true, predicted
        One label per item, text or numbers.
    labels
        Classes in the order wanted. Default: all that occur, in rising order.

    Returns
    -------
    classes, true_index, predicted_index
        The classes, and the index of each true and predicted label.

    Raises
    ------
    InputError
        The lists differ in length or are empty, labels are missing (NaN, None), text is mixed with numbers, a label is
        not in `labels`, or there are more than 1000 classes.
    ParameterError
        A class occurs twice in `labels`.
    """
    true_labels, predicted_labels = as_labels(true, "true"), as_labels(predicted, "predicted")
    if true_labels.size != predicted_labels.size:
        raise InputError(
            f"there are {true_labels.size} true and {predicted_labels.size} predicted labels; expected one of each an "
            "item, in one order"
        )
    if not true_labels.size:
        raise InputError("there are no labels; expected at least one item with a true and a predicted label")
    if (true_labels.dtype.kind == "O") != (predicted_labels.dtype.kind == "O"):
        text_side, number_side = ("true", "predicted") if true_labels.dtype.kind == "O" else ("predicted", "true")
        raise InputError(
            f"the {text_side} labels are text and the {number_side} ones numbers; expected one kind in both"
        )
    encode_labels = encode_text if true_labels.dtype.kind == "O" else encode_numbers
    classes, true_codes, predicted_codes = encode_labels(true_labels, predicted_labels)
    if labels is None:
        return classes, true_codes, predicted_codes
    index = {label: i for i, label in enumerate(labels)}
    if len(index) != len(labels):
        raise ParameterError(f"labels are {list(labels)!r}, expected each class once")
    unknown = [label for label in classes if label not in index]
    if unknown:
        class_names = ", ".join(map(repr, labels))
        raise InputError(
            f"the label {unknown[0]!r} is none of the classes ({class_names}); add it to labels or correct it"
        )
    new_codes = np.array([index[label] for label in classes], np.int64)
    return tuple(labels), new_codes[true_codes], new_codes[predicted_codes]


def as_labels(values: Any, side: str) -> npt.NDArray[Any]:
    """One list as an array: of numbers, or of kind "O" where it is text. Raises InputError as `encode`."""
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], str):
        return as_text_array(list(values), side)  # an array of text would copy it
    try:
        array = np.asarray(values)
    except ValueError:  # lists within a list
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise InputError(f"the {side} labels have {array.ndim} dimensions, expected a list, one label an item")
    if array.dtype.kind in "US":
        # NumPy turns numbers beside text into text: look at the original items.
        items = values if isinstance(values, (list, tuple)) else array.tolist()
        return as_text_array(list(items), side)
    if array.dtype.kind == "O":
        items = array.tolist()
        distinct_labels = distinct(items, side) - {None}
        if not distinct_labels or not all(is_number(x) for x in distinct_labels):
            return as_text_array(items, side)
        numbers = [np.nan if x is None else x for x in items] if None in items else items
        array = np.asarray(numbers, np.float64 if {float, type(None)} & set(map(type, items)) else None)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        refuse_missing(int(np.flatnonzero(~np.isfinite(array))[0]), int((~np.isfinite(array)).sum()), array.size, side)
    if array.dtype.kind not in "biuf":
        raise InputError(f"the {side} labels hold {array.dtype}, expected text or numbers; convert them first")
    return array


def distinct(items: list[Any], side: str) -> set[Any]:
    """The different labels. side: "true" or "predicted", for messages. Raises InputError."""
    try:
        return set(items)
    except TypeError:
        raise InputError(f"the {side} labels hold something that is neither text nor a number; convert it") from None


def is_number(x: object) -> bool:
    """Whether it is a number of Python or NumPy."""
    return isinstance(x, (int, float, np.integer, np.floating, np.bool_))


def as_text_array(items: list[Any], side: str) -> npt.NDArray[Any]:
    """Labels that are text as an array. Raises InputError for another label."""
    if not all(isinstance(x, str) for x in distinct(items, side)):
        index, label = next((i, x) for i, x in enumerate(items) if not isinstance(x, str))
        if label is None or label != label:
            refuse_missing(index, sum(x is None or x != x for x in items), len(items), side)
        raise InputError(f"the {side} label at index {index} is {label!r} beside text; expected text in all places")
    array = np.empty(len(items), object)
    array[:] = items
    return array


def refuse_missing(index: int, n_missing: int, n_labels: int, side: str) -> None:
    """Raise InputError for missing labels. index: of the first."""
    raise InputError(
        f"{n_missing} of {n_labels} {side} labels are missing (NaN, None or infinite), the first at index {index}; "
        "expected a label for each item; remove these items from both lists"
    )


def encode_text(
    true_labels: npt.NDArray[Any], predicted_labels: npt.NDArray[Any]
) -> tuple[tuple[Label, ...], Ints, Ints]:
    """The classes of labels that are text, and the index of each true and predicted label."""
    true_list, predicted_list = true_labels.tolist(), predicted_labels.tolist()
    classes = sorted({*true_list, *predicted_list})
    check_class_count(len(classes))
    index = {label: i for i, label in enumerate(classes)}
    true_codes, predicted_codes = (
        np.fromiter(map(index.__getitem__, labels), np.int64, len(labels)) for labels in (true_list, predicted_list)
    )
    return tuple(classes), true_codes, predicted_codes


def encode_numbers(
    true_labels: npt.NDArray[Any], predicted_labels: npt.NDArray[Any]
) -> tuple[tuple[Label, ...], Ints, Ints]:
    """Integers close together are encoded by a table of those that occur; others by sorting."""
    booleans = true_labels.dtype.kind == predicted_labels.dtype.kind == "b"
    label_arrays = [
        labels.astype(np.int64, copy=False) if are_integers(labels) else labels
        for labels in (true_labels, predicted_labels)
    ]
    if all(labels.dtype == np.int64 for labels in label_arrays):
        low = min(int(labels.min()) for labels in label_arrays)
        span = max(int(labels.max()) for labels in label_arrays) - low + 1
        if span <= SPAN:
            offsets = [labels - low for labels in label_arrays]
            present = np.zeros(span, np.bool_)
            for side_offsets in offsets:
                present[side_offsets] = True
            check_class_count(int(present.sum()))
            codes = np.cumsum(present) - 1
            whole_labels = (np.flatnonzero(present) + low).tolist()
            classes: tuple[Label, ...] = tuple(map(bool, whole_labels)) if booleans else tuple(whole_labels)
            if present.all():  # the usual case: offsets are the codes
                return classes, offsets[0], offsets[1]
            return classes, codes[offsets[0]], codes[offsets[1]]
    values, value_codes = np.unique(np.concatenate(label_arrays), return_inverse=True)
    check_class_count(values.size)
    return tuple(values.tolist()), value_codes[: true_labels.size], value_codes[true_labels.size :]


def are_integers(values: npt.NDArray[Any]) -> bool:
    """Whether all values are integers that int64 holds."""
    if values.dtype.kind == "f":
        return bool((np.abs(values) < 2.0**53).all() and (values == np.floor(values)).all())
    return values.dtype.kind != "u" or int(values.max()) < 1 << 63


def check_class_count(n_classes: int) -> None:
    """Raise InputError for so many labels that they are no classes."""
    if n_classes > CLASSES:
        raise InputError(
            f"there are {n_classes} different labels; expected classes, at most {CLASSES}; round or group them"
        )


def as_counts(values: Any) -> Ints:
    """(classes, classes) a confusion matrix. Raises ParameterError for anything else."""
    try:
        table = np.asarray(values)
    except ValueError:
        table = np.empty(0)
    is_square = table.ndim == 2 and table.shape[0] == table.shape[1] > 0
    if not is_square or table.dtype.kind not in "biuf":
        raise ParameterError(
            f"one array of shape {table.shape} was given, expected a square table of counts (rows true, columns "
            "predicted), or two lists of labels"
        )
    counts = table.astype(np.float64)
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (counts == np.floor(counts)).all()):
        raise ParameterError("the table holds a value that is not a count; expected whole numbers of at least 0")
    if not counts.any():
        raise ParameterError("the table of counts is empty, expected at least 1 item")
    return counts.astype(np.int64)


#: What counts are divided by: the sum of their row (true class), of their column (predicted class), or of all.
NORMALISE = ("row", "column", "all")


def beta_field() -> float:
    """The weight of recall in F."""
    return number(
        1.0,
        rule=POSITIVE,
        metavar="B",
        help="Weight of recall in the F measure: recall counts B times as much as precision; 1 gives F1.",
    )


def normalise_field(**options: Any) -> str | None:
    """How a confusion matrix is shown."""
    return choice(
        None,
        NORMALISE,
        help="Show the confusion matrix as shares of each row, of each column, or of all.",
        unset="counts",
        **options,
    )


MCC_UNDEFINED = (
    "all items have one class in one of the two lists: Matthews' correlation divides 0 by 0 there, and is given as 0"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionMatrix:
    """How often each true class (row) was predicted as each class (column).

    Attributes
    ----------
    labels
        Labels of rows and columns.
    counts
        Counts, (classes, classes).
    values
        The counts, or the shares that `normalise` asks for; NaN in a row or column without items.
    normalise
        What shares are of: "row", "column", "all", or None for counts.
    n
        Number of items.
    """

    labels: tuple[Label, ...]
    counts: Ints
    values: Floats
    normalise: str | None
    n: int


def confusion_matrix(
    true: Any, predicted: Any = None, *, labels: Sequence[Label] | None = None, normalise: str | None = None
) -> ConfusionMatrix:
    """Count items by true class (rows) and predicted class (columns).

    Parameters
    ----------
    true
        One label per item, text or numbers; or, alone, a square table of counts.
    predicted
        One label per item.
    labels
        Classes in the order wanted. Default: all that occur, in rising order.
    normalise
        "row", "column" or "all": shares of the sum of a row, a column or of all items, in [0, 1]; NaN if that sum is 0.
        Default: counts.

    Returns
    -------
    ConfusionMatrix
        Counts and shares.

    Raises
    ------
    InputError
        The lists differ in length or are empty, labels are missing (NaN, None), text is mixed with numbers, or a label
        is not in `labels`.
    ParameterError
        The table does not hold counts, or `normalise` is another name.

    References
    ----------
    Agrees with sklearn.metrics.confusion_matrix, which has 0 for a share of no items.

    Examples
    --------
    >>> confusion_matrix([1, 0, 1, 0, 1], [1, 0, 1, 1, 0]).counts.tolist()  # TN FP, FN TP
    [[1, 1], [1, 2]]
    >>> confusion_matrix(["no", "yes", "yes", "yes"], ["no", "yes", "yes", "no"], normalise="row").values[1].round(3)
    array([0.333, 0.667])
    """
    if normalise is not None:
        check_choice("normalise", normalise, NORMALISE)
    classes, counts = count_labels(true, predicted, labels)
    values = counts.astype(np.float64)
    if normalise is not None:
        axis = {"row": 1, "column": 0, "all": None}[normalise]
        values = quotient(values, np.broadcast_to(values.sum(axis=axis, keepdims=True), values.shape))
    return ConfusionMatrix(labels=classes, counts=counts, values=values, normalise=normalise, n=int(counts.sum()))


def count_labels(true: Any, predicted: Any, labels: Sequence[Label] | None = None) -> tuple[tuple[Label, ...], Ints]:
    """The classes, and the table of counts."""
    if predicted is None:
        counts = as_counts(true)
        if labels is not None and len(labels) != len(counts):
            raise ParameterError(
                f"there are {len(labels)} labels for a table of {len(counts)} classes; expected as many"
            )
        return tuple(range(len(counts))) if labels is None else tuple(labels), counts
    classes, true_codes, predicted_codes = encode(true, predicted, labels)
    n_classes = len(classes)
    counts = np.bincount(true_codes * n_classes + predicted_codes, minlength=n_classes * n_classes)
    return classes, counts.reshape(n_classes, n_classes)


def quotient(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Numerator / denominator, NaN where the denominator is 0."""
    undefined = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=np.asarray(denominator) > 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Rates:
    """Rates of a confusion matrix, each class against all others; arrays of shape (classes), in the order of `labels`.

    Attributes
    ----------
    labels
        The classes.
    tp, fp, fn, tn
        Counts of true and false positives and negatives.
    precision
        tp / (tp + fp), in [0, 1], NaN for 0 / 0, as all rates below.
    recall
        True positive rate, tp / (tp + fn).
    specificity
        True negative rate, tn / (tn + fp).
    fpr
        False positive rate, fp / (tn + fp).
    fnr
        False negative rate, fn / (tp + fn).
    fscore
        (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp).
    accuracy
        Share of items with the right class, in [0, 1], higher is better.
    mcc
        Matthews' correlation of all classes, in [-1, 1], higher is better; 0, with a note, if it is undefined.
    macro
        Precision, recall, specificity and fscore as the mean over the classes that have a value.
    micro
        The same from the counts of all classes together.
    beta
        How many times recall weighs more than precision in fscore.
    n
        Number of items.
    notes
        What a reader should know.
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
        """The rates of one class by name.

        Parameters
        ----------
        label
            The class.

        Returns
        -------
        dict
            Name of the rate -> value.

        Raises
        ------
        ParameterError
            The class does not exist.
        """
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
    """Accuracy, precision, recall, specificity, F and Matthews' correlation of predicted labels.

    Parameters
    ----------
    true
        One label per item, text or numbers; or, alone, a square table of counts.
    predicted
        One label per item.
    labels
        Classes in the order wanted. Default: all that occur, in rising order.
    beta
        How many times recall weighs more than precision in F; above 0.

    Returns
    -------
    Rates
        A rate that is 0 / 0 is NaN and counted in the notes; Matthews' correlation is then 0, with a note.

    Raises
    ------
    InputError
        As for `confusion_matrix`.
    ParameterError
        As for `confusion_matrix`, or beta is not above 0.

    References
    ----------
    Matthews (1975); Gorodkin (2004) for more than two classes; van Rijsbergen (1979) for F. Agrees with scikit-learn,
    which has 0 if a ratio is undefined.

    Examples
    --------
    >>> result = rates([1, 0, 1, 0, 1], [1, 0, 1, 1, 0])
    >>> {name: round(value, 3) for name, value in result.of(1).items()}
    {'precision': 0.667, 'recall': 0.667, 'specificity': 0.5, 'fpr': 0.5, 'fnr': 0.333, 'fscore': 0.667}
    >>> round(result.mcc, 4)  # (2 x 1 - 1 x 1) / sqrt(3 x 3 x 2 x 2)
    0.1667
    """
    check_positive("beta", beta)
    classes, counts = count_labels(true, predicted, labels)
    n = int(counts.sum())
    tp = np.diagonal(counts).copy()
    fp, fn = counts.sum(axis=0) - tp, counts.sum(axis=1) - tp
    tn = n - tp - fp - fn
    by_class = ratios(tp, fp, fn, tn, beta)
    undefined = {name: int(np.isnan(by_class[name]).sum()) for name in AVERAGED}
    notes = [
        f"{name} divides 0 by 0 for {n_undefined} of {len(classes)} classes and has no value there"
        for name, n_undefined in undefined.items()
        if n_undefined
    ]
    totals = [counts_by_class.sum(keepdims=True) for counts_by_class in (tp, fp, fn, tn)]
    pooled = ratios(totals[0], totals[1], totals[2], totals[3], beta)
    mcc = matthews(counts)
    return Rates(
        labels=classes,
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        **by_class,
        accuracy=float(tp.sum() / n),
        mcc=0.0 if mcc is None else mcc,
        macro={name: nan_mean_of_list(by_class[name]) for name in AVERAGED},
        micro={name: float(pooled[name][0]) for name in AVERAGED},
        beta=float(beta),
        n=n,
        notes=(*notes, *((MCC_UNDEFINED,) if mcc is None else ())),
    )


def ratios(tp: Ints, fp: Ints, fn: Ints, tn: Ints, beta: float) -> dict[str, Floats]:
    """The rates that follow from counts of true and false positives and negatives."""
    beta_factor = 1 + beta**2
    return {
        "precision": quotient(tp, tp + fp),
        "recall": quotient(tp, tp + fn),
        "specificity": quotient(tn, tn + fp),
        "fpr": quotient(fp, tn + fp),
        "fnr": quotient(fn, tp + fn),
        "fscore": quotient(beta_factor * tp, beta_factor * tp + beta**2 * fn + fp),
    }


def matthews(counts: Ints) -> float | None:
    """Matthews' correlation of any number of classes; None where it divides 0 by 0.

    (c n - sum_k t_k p_k) / sqrt((n^2 - sum_k p_k^2) (n^2 - sum_k t_k^2)), with c right ones of n, t_k items of class
    k and p_k predictions of it; of two classes (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
    """
    # Python's integers: products of counts overflow int64.
    true, predicted = (list(map(int, counts.sum(axis=axis))) for axis in (1, 0))
    n, n_right = sum(true), int(np.trace(counts))
    numerator = n_right * n - sum(t * p for t, p in zip(true, predicted, strict=True))
    denominator = (n * n - sum(p * p for p in predicted)) * (n * n - sum(t * t for t in true))
    return numerator / denominator**0.5 if denominator else None


def share_interval(
    n_part: npt.ArrayLike, n_all: npt.ArrayLike, *, confidence_level: float = 0.95
) -> tuple[Floats, Floats]:
    """Wilson's interval: the lowest and highest true share that the observed share is compatible with, in [0, 1].

    Parameters
    ----------
    n_part, n_all
        Numbers of items with the property, and of all items.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    low, high
        Ends of the interval; NaN if `n_all` is 0.

    Raises
    ------
    ParameterError
        The level is outside (0, 1).

    Notes
    -----
    (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), for items drawn independently.

    References
    ----------
    Wilson (1927); agrees with statsmodels' proportion_confint(method="wilson").

    Examples
    --------
    >>> low, high = share_interval(8, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.49, 0.943)
    """
    check_share("confidence_level", confidence_level)
    k, n = np.asarray(n_part, np.float64), np.asarray(n_all, np.float64)
    z = float(special().ndtri((1 + confidence_level) / 2))
    n_or_nan = np.where(n > 0, n, np.nan)
    p = k / n_or_nan
    centre = p + z * z / (2 * n_or_nan)
    half_width = z * np.sqrt(p * (1 - p) / n_or_nan + z * z / (4 * n_or_nan * n_or_nan))
    denominator = 1 + z * z / n_or_nan
    low = np.where(k == 0, 0.0 * n_or_nan, (centre - half_width) / denominator)
    high = np.where(k == n, 1.0 + 0.0 * n_or_nan, (centre + half_width) / denominator)
    return low, high
