"""Predicted labels against true ones: what is found, shown and refused."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from rankscope import agree_labels
from rankscope.errors import InputError, ParameterError
from rankscope.reporting.tables import RESULT_FORMATS, render_result

SENTENCES = Messages("label_agreement")

TRUE, PREDICTED = [1, 0, 1, 0, 1], [1, 0, 1, 1, 0]
PAIRS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=2, max_size=30)


def table(result):
    return {(row[0], row[1]): row[2:] for row in result.records()}


def test_five_items_by_hand():
    found = table(agree_labels(TRUE, PREDICTED))
    assert found["agreement", ""][0] == 3 / 5
    assert found["chance_agreement", ""][0] == pytest.approx((3 * 3 + 2 * 2) / 25)
    assert [found[name, "1"][0] for name in ("specificity", "fpr", "fnr", "recall")] == [1 / 2, 1 / 2, 1 / 3, 2 / 3]
    assert found["precision", "1"][3] == 3  # of three predicted to be 1
    assert found["count", "1 -> 0"][0] == 1


def test_an_undefined_matthews_correlation_is_0_with_a_note():
    found = agree_labels([1] * 9 + [0], [1] * 10)
    assert round(table(found)["fscore", "1"][0], 4) == 0.9474
    assert table(found)["mcc", "1"][0] == 0
    assert any("Matthews" in note for note in found.notes)


@given(pairs=PAIRS)
@examples(50)
def test_a_named_class_of_many_is_compared_with_all_others_together(pairs):
    true, predicted = zip(*pairs, strict=True)
    assume("x" in true and len({*true, *predicted}) > 2)
    found = agree_labels(true, predicted, positive="x")
    a, b = ([label == "x" for label in side] for side in (true, predicted))
    assert found.binary.mcc == pytest.approx(metrics.matthews_corrcoef(a, b))
    assert table(found)["recall", "x"][0] == pytest.approx(metrics.recall_score(a, b))
    by_class = agree_labels(true, predicted)
    assert by_class.binary is None
    assert table(by_class)["fscore_micro", ""][0] == pytest.approx(metrics.accuracy_score(true, predicted))
    assert by_class.rates.mcc == pytest.approx(metrics.matthews_corrcoef(true, predicted))


def test_the_second_of_two_classes_is_positive_and_said_where_it_may_surprise():
    assert agree_labels(["ham", "spam"] * 20, ["ham", "ham"] * 20).positive == "spam"
    assert mentions(agree_labels(["ham", "spam"], ["ham", "ham"]).notes, "'spam'", "positive class")
    for plain in ([0, 1], ["no", "yes"], ["No", "Yes"], [False, True], [-1, 1]):
        found = agree_labels(plain, plain[::-1])
        assert found.positive == plain[1]
        assert not any("positive class" in note for note in found.notes)


def test_weights_and_order_are_for_numbers_only():
    assert agree_labels([0, 1, 2, 1], [0, 2, 2, 1]).chance_corrected.quadratic is not None
    words = agree_labels(list("abcb"), list("accb"))
    assert words.chance_corrected.quadratic is None
    assert words.chance_corrected.alpha.level == "nominal"


def test_what_is_said_is_what_was_counted():
    found = agree_labels(TRUE, PREDICTED)
    SENTENCES.check("agreement in part", found.sections()[0].sentence)
    SENTENCES.check("a class that is positive", found.sections()[-1].sentence)
    assert found.sections()[0].sentence in " ".join(str(found).split())
    assert mentions(found.notes, "fewer", 30)
    three = agree_labels(list("aabbcc"), list("aabbca"))
    SENTENCES.check("the class that is recognised least", three.sections()[-1].sentence)
    SENTENCES.check("all recognised", agree_labels(list("abc"), list("abc")).sections()[-1].sentence)


@pytest.mark.parametrize("labels", [(TRUE, PREDICTED), (list("aabbcc"), list("aabbca"))])
def test_every_format_shows_a_result_and_the_tidy_table_has_its_columns(labels):
    found = agree_labels(*labels, normalise="all")
    assert all(render_result(found, format_).endswith("\n") for format_ in RESULT_FORMATS)
    assert found.frame().columns == ["statistic", "label", "value", "low", "high", "n"]
    figure = found.sections()[1].figure
    assert (figure.name, figure.data["rows"], figure.data["columns"]) == ("confusion_matrix", "true", "predicted")
    assert np.sum(figure.data["counts"]) == len(labels[0])


@pytest.mark.parametrize(
    ("true", "predicted", "options", "error", "message"),
    [
        ([1, 1], [1, 1], {}, InputError, r"label 1 .*\(2 items\), .* 2 classes"),
        (["a"], ["a"], {}, InputError, r"label 'a' .*\(1 item\), .* 2 classes"),
        ([1, 0], [1], {}, InputError, "2 true .*1 predicted"),
        ([1, np.nan], [1, 0], {}, InputError, "true labels are missing"),
        (["a", "b"], [0, 1], {}, InputError, "text .*predicted .*numbers"),
        (TRUE, PREDICTED, {"positive": 7}, ParameterError, r"positive class 7 .*\(0, 1\)"),
        (TRUE, PREDICTED, {"beta": -1.0}, ParameterError, "beta is -1.0"),
        (TRUE, PREDICTED, {"confidence_level": 2}, ParameterError, "confidence_level is 2"),
        (TRUE, PREDICTED, {"normalise": "x"}, ParameterError, "normalise is 'x'"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(true, predicted, options, error, message):
    with pytest.raises(error, match=message) as caught:
        agree_labels(true, predicted, **options)
    assert "\n" not in str(caught.value)
