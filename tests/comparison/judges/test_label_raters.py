"""Labels of several raters: alpha over all, kappa of every pair, orders of texts; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import agree_label_raters, agree_labels
from rankscope.errors import InputError, ParameterError
from rankscope.stats import cohens_kappa, krippendorffs_alpha

ORDER = ["bad", "ok", "good"]
LABELS = {
    "ann": ["bad", "ok", "good", "good", "ok", "bad"],
    "bob": ["bad", "ok", "ok", "good", None, "bad"],
    "gpt": ["ok", "ok", "good", "good", "bad", "bad"],
}


def ratings(labels):
    return np.array([[np.nan if x is None else ORDER.index(x) for x in column] for column in labels.values()])


def test_alpha_is_over_all_raters_and_kappa_over_what_two_labelled():
    found = agree_label_raters(LABELS, order=ORDER)
    alpha = krippendorffs_alpha(ratings(LABELS), level="ordinal")
    assert (found.alpha.value, found.alpha.level, found.alpha.n) == (alpha.value, "ordinal", 17)
    assert [pair.raters for pair in found.pairs] == [("ann", "bob"), ("ann", "gpt"), ("bob", "gpt")]
    both = [0, 1, 2, 3, 5]
    kappa = cohens_kappa([LABELS["ann"][i] for i in both], [LABELS["bob"][i] for i in both])
    assert (found.pairs[0].kappa.value, found.pairs[0].kappa.n) == (pytest.approx(kappa.value), 5)
    assert mentions(found.notes[0], "bob", 1, 6)
    rows = {row[:2]: row[2] for row in found.records()}
    assert rows["all", "alpha_ordinal"] == alpha.value
    assert rows["ann and bob", "agreement"] == 4 / 5


def test_texts_without_an_order_are_classes_and_numbers_are_a_scale():
    assert agree_label_raters(LABELS).alpha.value == pytest.approx(
        krippendorffs_alpha(ratings(LABELS), level="nominal").value
    )
    numbers = {name: [x * 2.5 for x in row] for name, row in zip(LABELS, ratings(LABELS).tolist(), strict=True)}
    found = agree_label_raters(numbers)  # NaN is no label
    assert found.alpha.level == "ordinal"
    assert found.alpha.value == pytest.approx(krippendorffs_alpha(ratings(LABELS), level="ordinal").value)


def test_two_raters_have_the_kappa_of_predicted_and_true_labels():
    pair = {name: LABELS[name] for name in ("ann", "gpt")}
    expected = agree_labels(*pair.values()).chance_corrected.kappa
    assert agree_label_raters(pair).pairs[0].kappa.value == expected.value


def test_an_order_of_texts_gives_weighted_kappa_as_numbers_do():
    a, b = LABELS["ann"], LABELS["gpt"]
    by_order = agree_labels(a, b, order=ORDER)
    by_number = agree_labels([ORDER.index(x) for x in a], [ORDER.index(x) for x in b])
    assert by_order.confusion.labels == tuple(ORDER)
    assert by_order.chance_corrected.kappas["kappa_linear"].value == pytest.approx(
        by_number.chance_corrected.kappas["kappa_linear"].value
    )
    assert by_order.chance_corrected.alpha.value == pytest.approx(by_number.chance_corrected.alpha.value)
    assert mentions(by_order.signature(), "order:bad,ok,good", "alpha:ordinal")
    assert agree_labels(["no", "a"], ["a", "a"], order=["no", "a"]).positive == "a"


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "1 rater, expected two"),
        ({"a": [1, 2], "b": [1]}, {}, "lists of 1 and 2 labels"),
        ({"a": [None], "b": [None]}, {}, "no labels"),
        ({"a": [1, None], "b": [None, 2]}, {}, "a and b labelled no item in common"),
        ({"a": [1, 1], "b": [1, 1]}, {}, "only the label 1"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"order": ["x", "z"]}, "the label 'y' is none of"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"order": ["x", "x", "y"]}, "each class once"),
        ({"a": ["x", "y"], "b": [1, 2]}, {}, "text"),
    ],
)
def test_what_cannot_be_compared_is_refused(labels, options, message):
    with pytest.raises((InputError, ParameterError), match=message):
        agree_label_raters(labels, **options)
