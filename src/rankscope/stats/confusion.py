"""Labels against labels: the confusion matrix, and the rates that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.means import mean_or_nan
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, check_positive, check_share
from rankscope.stats.labels import Label, as_counts, encode
from rankscope.typing import Floats, Ints

__all__ = ["NORMALISE", "ConfusionMatrix", "Rates", "confusion_matrix", "rates", "share_interval"]

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
