"""Confusion matrices and rates: by hand, against scikit-learn and statsmodels, and where a ratio is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from rankscope.errors import InputError, ParameterError
from rankscope.stats import confusion_matrix, rates
from rankscope.stats.confusion import encode, share_interval

TRUE, PREDICTED = [1, 0, 1, 0, 1], [1, 0, 1, 1, 0]  # the example in the spec: (TN, FP, FN, TP) = (1, 1, 1, 2)
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def naive(true, predicted, labels):
    return [[sum(t == a and p == b for t, p in zip(true, predicted, strict=True)) for b in labels] for a in labels]


def test_five_items_by_hand():
    matrix = confusion_matrix(TRUE, PREDICTED)
    assert matrix.labels == (0, 1)
    assert matrix.counts.tolist() == [[1, 1], [1, 2]]
    found = rates(TRUE, PREDICTED)
    assert found.of(1)["specificity"] == 1 / (1 + 1)  # TNR = TN / (TN + FP)
    assert found.of(1)["fpr"] == 1 / (1 + 1)  # FP / (TN + FP)
    assert_same_numbers(found.of(1)["fnr"], 1 / (1 + 2))  # FN / (FN + TP)
    assert_same_numbers(found.of(1)["recall"], 2 / (1 + 2))  # TPR = TP / (FN + TP)
    assert_same_numbers(found.of(1)["precision"], 2 / (2 + 1))
    assert_same_numbers(found.of(1)["fscore"], 2 * 2 / (2 * 2 + 1 + 1))
    assert_same_numbers(found.accuracy, (1 + 2) / 5)
    assert found.mcc == pytest.approx((2 * 1 - 1 * 1) / np.sqrt((2 + 1) * (2 + 1) * (1 + 1) * (1 + 1)))
    assert found.notes == ()


def test_all_predicted_positive_leaves_matthews_correlation_undefined_and_says_so():
    found = rates([1] * 9 + [0], [1] * 10)
    assert round(found.of(1)["fscore"], 4) == 0.9474  # 2 x 9 / (2 x 9 + 1)
    assert found.mcc == 0
    assert mentions(found.notes, "Matthews", "0 by 0")


def test_a_high_f1_may_go_with_a_correlation_below_zero():
    found = rates([[0, 9], [1, 90]])  # TN 0, FP 9, FN 1, TP 90
    assert round(found.of(1)["fscore"], 3) == 0.947  # 180 / 190
    assert found.mcc == pytest.approx((90 * 0 - 9 * 1) / np.sqrt(99 * 91 * 9 * 1))
    assert round(found.mcc, 2) == -0.03
    assert not any("Matthews" in note for note in found.notes)


def test_false_positives_are_divided_by_the_negatives_and_false_negatives_by_the_positives():
    found = rates([[30, 10], [15, 5]]).of(1)
    assert found["fpr"] == 10 / (30 + 10)  # and not 10 / (15 + 5)
    assert found["fnr"] == 15 / (15 + 5)  # and not 15 / (30 + 10)


@given(pairs=PAIRS)
def test_counts_are_those_of_a_loop_and_of_scikit_learn(pairs):
    true, predicted = (list(side) for side in zip(*pairs, strict=True))
    found = confusion_matrix(true, predicted)
    labels = sorted({*true, *predicted})
    assert found.labels == tuple(labels)
    assert found.counts.tolist() == naive(true, predicted, labels)
    assert found.counts.tolist() == metrics.confusion_matrix(true, predicted, labels=[*labels, 9])[:-1, :-1].tolist()
    words = confusion_matrix([f"c{x}" for x in true], [f"c{x}" for x in predicted])
    assert words.counts.tolist() == found.counts.tolist()
    apart = confusion_matrix([x / 3 for x in true], [x / 3 for x in predicted])
    assert apart.counts.tolist() == found.counts.tolist()
    far = confusion_matrix([x * 10**9 for x in true], [x * 10**9 for x in predicted])
    assert far.counts.tolist() == found.counts.tolist()


@given(pairs=PAIRS, by=st.sampled_from([("row", "true"), ("column", "pred"), ("all", "all")]))
def test_shares_are_those_of_scikit_learn_where_there_is_something_to_divide_by(pairs, by):
    true, predicted = zip(*pairs, strict=True)
    found = confusion_matrix(true, predicted, normalise=by[0], labels=[0, 1, 2, 3, 4])
    theirs = metrics.confusion_matrix(true, predicted, normalize=by[1], labels=[0, 1, 2, 3, 4])
    np.testing.assert_allclose(np.nan_to_num(found.values), theirs)
    empty = {"row": found.counts.sum(axis=1)[:, None] + 0 * found.counts, "column": found.counts.sum(axis=0)}
    if by[0] in empty:
        assert (np.isnan(found.values) == (np.broadcast_to(empty[by[0]], (5, 5)) == 0)).all()


@given(pairs=PAIRS, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_rates_are_those_of_scikit_learn(pairs, beta):
    true, predicted = zip(*pairs, strict=True)
    assume(len({*true, *predicted}) > 1)  # of one class scikit-learn warns
    found = rates(true, predicted, beta=beta)
    precision, recall, f, _ = metrics.precision_recall_fscore_support(true, predicted, beta=beta, zero_division=np.nan)
    np.testing.assert_allclose(found.precision, precision, equal_nan=True)
    np.testing.assert_allclose(found.recall, recall, equal_nan=True)
    np.testing.assert_allclose(found.fscore, f, equal_nan=True)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(true, predicted))
    assert found.mcc == pytest.approx(metrics.matthews_corrcoef(true, predicted))
    for average in ("macro", "micro"):
        theirs = metrics.precision_recall_fscore_support(
            true, predicted, beta=beta, average=average, zero_division=np.nan
        )
        ours = getattr(found, average)
        np.testing.assert_allclose([ours["precision"], ours["recall"], ours["fscore"]], theirs[:3])


@given(pairs=PAIRS)
def test_matthews_correlation_of_many_classes_is_pearsons_of_indicators(pairs):
    true, predicted = map(np.array, zip(*pairs, strict=True))
    labels = np.unique(np.r_[true, predicted])
    a, b = (np.eye(5)[side][:, labels] for side in (true, predicted))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    below = np.sqrt((a * a).sum() * (b * b).sum())
    assert rates(true, predicted).mcc == pytest.approx((a * b).sum() / below if below > 1e-9 else 0.0, abs=1e-12)


def test_matthews_correlation_of_large_counts_does_not_overflow():
    big = 10**9
    assert rates([[big, 0], [0, big]]).mcc == 1
    assert rates([[0, big], [big, 0]]).mcc == -1


def test_what_divides_zero_by_zero_is_nan_and_counted():
    found = rates([0, 0, 1, 2], [0, 0, 1, 1])
    assert np.isnan(found.precision[2])  # nothing was predicted to be 2
    assert found.recall[2] == 0
    assert found.fscore[2] == 0
    assert found.macro["precision"] == (1 + 1 / 2) / 2
    (note,) = found.notes
    assert mentions(note, "precision", "0 by 0", "1 of 3")
    assert metrics.precision_score([0, 0, 1, 2], [0, 0, 1, 1], average=None, zero_division=0).tolist() == [1, 0.5, 0]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_shares_are_wilsons(level):
    k, n = np.array([0, 1, 7, 20, 500]), np.array([1, 2, 9, 20, 1200])
    low, high = share_interval(k, n, confidence_level=level)
    theirs = proportion_confint(k, n, alpha=1 - level, method="wilson")
    np.testing.assert_allclose(low, theirs[0], atol=1e-12)
    np.testing.assert_allclose(high, theirs[1], atol=1e-12)
    assert np.isnan(share_interval(0, 0)).all()


# Labels


def test_labels_may_be_text_numbers_booleans_arrays_and_columns_of_frames():
    import pandas as pd
    import polars as pl

    want = [[1, 1], [1, 2]]
    words = [["no", "yes"][x] for x in TRUE], [["no", "yes"][x] for x in PREDICTED]
    for make in (list, tuple, np.array, pd.Series, pl.Series, lambda x: np.array(x, object)):
        assert confusion_matrix(make(TRUE), make(PREDICTED)).counts.tolist() == want
        found = confusion_matrix(make(words[0]), make(words[1]))
        assert (found.labels, found.counts.tolist()) == (("no", "yes"), want)
    truths = confusion_matrix(np.array(TRUE, bool), np.array(PREDICTED, bool))
    assert (truths.labels, truths.counts.tolist()) == ((False, True), want)
    for kind in (np.int8, np.uint8, np.uint64, np.float32):
        assert confusion_matrix(np.array(TRUE, kind), np.array(PREDICTED, kind)).counts.tolist() == want
    assert confusion_matrix(np.array([-128, 127], np.int8), np.array([127, 127], np.int8)).labels == (-128, 127)


def test_classes_may_be_given_in_any_order_and_more_than_occur():
    found = confusion_matrix(TRUE, PREDICTED, labels=[1, 0, 7])
    assert found.counts.tolist() == [[2, 1, 0], [1, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([1, 2], [1], "2 true .*1 predicted"),
        ([], [], "no labels"),
        ([1.0, np.nan], [1, 2], r"1 of 2 true .*missing .*index 1"),
        ([1, 2], [1, None], r"1 of 2 predicted .*missing .*index 1"),
        (["a", None], ["a", "b"], r"1 of 2 true .*missing"),
        (["a", float("nan")], ["a", "b"], r"index 1 is 'nan'|true .*missing"),
        (["a", "b"], [1, 2], "true .*text .*predicted .*numbers"),
        (["a", 1], ["a", "b"], "true .*index 1 is 1 .*text"),
        ([[1, 2]], [[1, 2]], "2 dimensions"),
        ([[1], [1, 2]], [1, 2], "2 dimensions"),
        ([{"a": 1}, 2], [1, 2], "text nor a number"),
        (np.arange(1001.0), np.arange(1001.0), "1001 .*labels; .*1000"),
        (np.linspace(0, 1, 2000), np.ones(2000), "2000 different labels"),
        (np.array(["2026-01-01"], "M8[D]"), [1], "true labels hold datetime64"),
    ],
)
def test_what_are_no_two_lists_of_labels_is_refused_in_one_line(true, predicted, message):
    with pytest.raises(InputError, match=message) as caught:
        confusion_matrix(true, predicted)
    assert "\n" not in str(caught.value)


def test_classes_that_do_not_fit_the_labels_are_refused():
    with pytest.raises(InputError, match=r"label 2 .*\(0, 1\)"):
        encode([0, 2], [1, 1], [0, 1])
    with pytest.raises(ParameterError, match="expected each class once"):
        encode([0, 1], [1, 1], [0, 1, 0])
    with pytest.raises(ParameterError, match=r"3 labels .*2 classes"):
        rates([[1, 2], [3, 4]], labels="abc")
    with pytest.raises(ParameterError, match=r"3 is none of .*0, 1"):
        rates(TRUE, PREDICTED).of(3)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2, 3], "expected a square table"),
        ([[1, 2, 3], [1, 2, 3]], "expected a square table"),
        ([[1, -2], [3, 4]], "not a count"),
        ([[1, 0.5], [3, 4]], "not a count"),
        ([[1, np.nan], [3, 4]], "not a count"),
        ([[0, 0], [0, 0]], "table of counts is empty"),
        ([["a", "b"], ["c", "d"]], "expected a square table"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(table, message):
    with pytest.raises(ParameterError, match=message):
        rates(table)


def test_arguments_out_of_range_are_refused():
    with pytest.raises(ParameterError, match=r"normalise is 'rows', .*'row', 'column', 'all'"):
        confusion_matrix(TRUE, PREDICTED, normalise="rows")
    with pytest.raises(ParameterError, match="beta is 0"):
        rates(TRUE, PREDICTED, beta=0)
    with pytest.raises(ParameterError, match="confidence_level"):
        share_interval(1, 2, confidence_level=1)
