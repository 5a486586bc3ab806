"""Labels of several raters: columns from a mapping, a data frame or a file, and their codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from rankscope.comparison.judges.agreement_rows import scale_of
from rankscope.comparison.judges.label_settings import LabelTableSettings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import is_path
from rankscope.io.tables import LabelTable, find_label, labels_of_frame, parse_label_number, read_label_table
from rankscope.stats.confusion import Label, encode
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "cluster_codes",
    "encode_raters",
    "item_weights",
    "load_labels",
    "usable_items",
]


#: Whole numbers from here on are not exact as floats.
EXACT = 2**53


def load_labels(labels: Any, settings: LabelTableSettings) -> LabelTable:
    """The labels of raters from a mapping, a data frame or a file. Raises InputError as `agree_labels`."""
    if is_path(labels):
        return read_label_table(labels, settings.raters, settings.columns)
    if not isinstance(labels, Mapping):
        return labels_of_frame(labels, settings.raters, settings.columns)
    columns = settings.columns or {}
    names = {"cluster": "cluster", "weight": "weight", **columns}
    if len(names) > 2:
        raise ParameterError(f"columns has {[*names][2]!r}, expected some of cluster and weight, as cluster=NAME")
    for name in (*columns.values(), *(settings.raters or ())):
        if name not in labels:
            raise InputError(f"no column {name!r} among {join_names(map(repr, labels))}; name one of those")
    raters = settings.raters or tuple(name for name in labels if name not in names.values())
    of_items = {name: labels[column] for name, column in names.items() if column in labels and column not in raters}
    lengths = {len(labels[name]) for name in raters} | {len(values) for values in of_items.values()}
    if len(lengths) > 1:
        raise InputError(
            f"the columns have {join_names(map(str, sorted(lengths)))} values, expected one for each item in all of "
            "them, None where a rater gave no label"
        )
    return LabelTable(
        name="",
        labels={name: labels[name] for name in raters},
        clusters=clusters_of(of_items["cluster"]) if "cluster" in of_items else None,
        weights=weights_of(of_items["weight"]) if "weight" in of_items else None,
    )


def weights_of(values: Any) -> Floats:
    """The weights of items. Raises InputError if one is not above 0."""
    try:
        weights = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError("a weight is not a number above 0, expected how many items each item stands for")
    return weights


def clusters_of(values: Any) -> list[Any]:
    """The clusters of items. Raises InputError if an item has none."""
    clusters = list(values)
    if any(cluster is None or cluster != cluster for cluster in clusters):
        raise InputError("an item has no cluster, expected the name of one for each item")
    return clusters


def encode_raters(
    columns: Mapping[str, Sequence[Label | None]], order: Sequence[str] | None
) -> tuple[tuple[Label, ...], Ints]:
    """The labels in their order, and (raters, items) their indices, -1 where there is none.

    order: names of all labels; without it, those that occur are sorted. Raises InputError, ParameterError.
    """
    present = {name: present_labels(name, values) for name, values in columns.items()}
    labels_by_rater = {name: values for name, (values, _) in present.items() if len(values)}
    if not labels_by_rater:
        raise InputError("there are no labels, expected at least one item with labels of two raters")
    is_text = {name: any(isinstance(value, str) for value in values[:1]) for name, values in labels_by_rater.items()}
    texts, numbers = ([name for name in labels_by_rater if is_text[name] is kind] for kind in (True, False))
    if texts and numbers:
        raise InputError(
            f"the labels of {texts[0]} are text and those of {numbers[0]} numbers; expected one kind for all raters"
        )
    values = (
        [label for name in labels_by_rater for label in labels_by_rater[name]]
        if texts
        else np.concatenate(list(labels_by_rater.values()))
    )
    half = (len(values) + 1) // 2
    classes, *halves = encode(values[:half], values[-half:])  # it takes two lists of one length
    label_codes = np.concatenate((halves[0], halves[1][half - len(values) // 2 :]))
    if order is not None:
        ordered_classes = order_labels(order, classes)
        label_codes = np.array([ordered_classes.index(label) for label in classes], np.int64)[label_codes]
        classes = ordered_classes
    codes = np.full((len(columns), len(next(iter(present.values()))[1])), -1, np.int64)
    codes[np.stack([mask for _, mask in present.values()])] = label_codes
    return classes, codes


def order_labels(order: Sequence[str], classes: Sequence[Label]) -> tuple[Label, ...]:
    """The labels of this order, which names all classes, and perhaps some that do not occur.

    Raises InputError for a class that the order lacks, and ParameterError for a label that stands twice, and for
    numbers that do not rise.

    >>> order_labels(["1", "2", "3"], [1, 3])
    (1, 2, 3)
    """
    labels = tuple(find_label(name, classes) for name in order)
    if scale_of(classes) is not None:
        numbers = [parse_label_number(label) if isinstance(label, str) else label for label in labels]
        if None in numbers:
            name = order[numbers.index(None)]
            raise ParameterError(f"order (--order) has {name!r}, but the labels are numbers; remove it, or correct it")
        labels = tuple(number for number in numbers if number is not None)
    if len(set(labels)) < len(labels):
        raise ParameterError(f"order (--order) is {','.join(order)}, expected each label once")
    if unknown := [label for label in classes if label not in labels]:
        raise InputError(
            f"the label {unknown[0]!r} is not in order (--order), which is {','.join(order)}; add it there, or correct "
            "it"
        )
    positions = scale_of(labels)
    if positions is not None and (np.diff(positions) <= 0).any():
        raise ParameterError(
            f"order (--order) is {','.join(order)}, but numbers count as they are; name them from the lowest to the "
            "highest, or leave order out"
        )
    return labels


def present_labels(name: str, values: Any) -> tuple[Any, Bools]:
    """The labels of a rater without gaps, and where they are. Raises InputError for what is no label."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        mask = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(values.shape, bool)
        return values[mask], mask
    items = list(values.tolist() if hasattr(values, "tolist") else values)
    types = set(map(type, items))
    if types == {str}:
        return items, np.ones(len(items), bool)
    if types and types <= {int, float} and not (int in types and max(map(abs, items)) >= EXACT):
        return present_labels(name, np.array(items))
    mask = np.array([not is_gap(item) for item in items], bool)
    labels = [item for item, is_present in zip(items, mask.tolist(), strict=True) if is_present]
    is_text = [isinstance(label, str) for label in labels]
    if labels and all(is_text):
        return labels, mask
    for label, text in zip(labels, is_text, strict=True):
        if text or not isinstance(label, Real | np.bool_):
            raise InputError(f"{name} has the label {label!r} beside others, expected only texts or only numbers")
    return np.array(labels), mask


def item_weights(weights: Floats | None, is_labelled: Bools) -> tuple[Floats, list[str]]:
    """The weights of labelled items. If they sum to less than the number of items, they are scaled to it."""
    n_items = int(is_labelled.sum())
    if weights is None:
        return np.ones(n_items), []
    labelled_weights = weights[is_labelled]
    total = float(labelled_weights.sum())
    if total >= n_items * (1 - 1e-9):
        return labelled_weights, []
    note = (
        f"the weights sum to {total:g}, less than the {n_items:,} items, and are scaled to that; a weight is how many "
        "items one stands for, such as 1 over its chance to be drawn"
    )
    return labelled_weights * (n_items / total), [note]


def cluster_codes(clusters: Sequence[Any]) -> Ints:
    """The index of each item's cluster."""
    index: dict[Any, int] = {}
    return np.array([index.setdefault(cluster, len(index)) for cluster in clusters], np.int64)


def is_gap(item: Any) -> bool:
    """Whether this stands for no label: None, NaN, or the NA of pandas."""
    try:
        return item is None or bool(item != item)
    except (TypeError, ValueError):  # of NA, and of arrays
        return type(item).__name__ == "NAType"


def usable_items(
    raters: Sequence[str], classes: tuple[Label, ...], codes: Ints, order: Sequence[str] | None
) -> tuple[tuple[Label, ...], Ints, Bools]:
    """The labels that occur on items that count, their codes, and which items count.

    Of two raters, the items that both labelled count; of more, those with a label.

    Parameters
    ----------
    raters
        Names of the raters, for messages.
    classes
        All labels.
    codes
        (raters, items) the index of each label; -1 where there is none.
    order
        The order of the labels; if there is one, all labels stay.

    Raises
    ------
    InputError
        No item has two labels, or all labels of those that do are the same.
    """
    n_labels = (codes >= 0).sum(axis=0)
    is_common = np.asarray(n_labels > 1)
    if not is_common.any():
        raise InputError(
            f"no item has labels of two raters ({join_names(raters)}), expected at least one; without common items, "
            "agreement cannot be measured"
        )
    common = codes if is_common.all() else codes[:, is_common]
    if (np.bincount(common.ravel() + 1)[1:] > 0).sum() == 1:
        n_items = pluralise(int(is_common.sum()), "item")
        raise InputError(
            f"there is only the label {classes[int(common.max())]!r} from two raters or more ({n_items}), expected at "
            "least 2 labels; with one label, agreement cannot be distinguished from chance"
        )
    is_used = is_common if len(raters) == 2 else np.asarray(n_labels > 0)
    used = codes if is_used.all() else codes[:, is_used]
    if order is not None:
        return classes, used, is_used
    occurring = np.flatnonzero(np.bincount(used.ravel() + 1)[1:])
    if occurring.size == len(classes):
        return classes, used, is_used
    places = np.full(len(classes) + 1, -1, np.int64)  # the last one is that of gaps, -1
    places[occurring] = np.arange(occurring.size)
    return tuple(classes[k] for k in occurring.tolist()), places[used], is_used
