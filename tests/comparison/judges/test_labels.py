"""Labels of raters: what is counted, shown and refused. The numbers themselves: test_label_estimates.py."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

import rankscope as rs
from rankscope.comparison.judges.label_result import Estimate
from rankscope.comparison.judges.label_view import needed_items_sentence
from rankscope.errors import InputError, ParameterError
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.stats.confusion import share_interval

SENTENCES = Messages("label_agreement")

TRUE, PREDICTED = [1, 0, 1, 0, 1], [1, 0, 1, 1, 0]
PAIRS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=2, max_size=30)
ORDER = ["bad", "ok", "good"]
LABELS = {
    "ann": ["bad", "ok", "good", "good", "ok", "bad"],
    "bob": ["bad", "ok", "ok", "good", None, "bad"],
    "gpt": ["ok", "ok", "good", "good", "bad", "bad"],
}


def agree(true, predicted, **options):
    return rs.agree_labels({"true": true, "predicted": predicted}, **{"n_resamples": 20, **options})


def table(result):
    """Statistic and label -> value, low, high and n; of two raters."""
    return {row[2:4]: row[4:] for row in result.records()}


# Two raters


def test_five_items_by_hand():
    found = table(agree(TRUE, PREDICTED))
    assert found["agreement", ""][0] == 3 / 5
    assert found["chance_agreement", ""][0] == pytest.approx((3 * 3 + 2 * 2) / 25)
    rates = [found[name, "1"][0] for name in ("specificity", "fpr", "fnr", "recall")]
    assert rates == pytest.approx([1 / 2, 1 / 2, 1 / 3, 2 / 3])
    assert found["count", "1 -> 0"][0] == 1
    assert found["fscore", "1"][0] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))


def test_shares_have_wilsons_interval_unless_items_have_clusters_or_weights():
    found = table(agree(TRUE, PREDICTED))
    assert found["agreement", ""][1:3] == pytest.approx([float(x) for x in share_interval(3, 5)])
    assert found["precision", "1"][1:3] == pytest.approx([float(x) for x in share_interval(2, 3)])
    with_weights = rs.agree_labels({"a": TRUE * 9, "b": PREDICTED * 9, "weight": [1, 2, 1, 1, 1] * 9})
    low, high = with_weights.pairs[0].statistics["agreement"][1:]
    assert (low, high) != pytest.approx([float(x) for x in share_interval(27, 45)], abs=1e-3)


def test_an_undefined_matthews_correlation_is_0_with_a_note():
    found = agree([1] * 9 + [0], [1] * 10)
    assert round(table(found)["fscore", "1"][0], 4) == 0.9474
    assert table(found)["mcc", "1"][0] == 0
    assert mentions(found.notes, "Matthews")


@given(pairs=PAIRS)
@examples(50)
def test_a_named_class_of_many_is_compared_with_all_others_together(pairs):
    true, predicted = zip(*pairs, strict=True)
    assume("x" in true and len({*true, *predicted}) > 2)
    found = table(agree(true, predicted, positive="x"))
    a, b = ([label == "x" for label in side] for side in (true, predicted))
    assert found["mcc", "x"][0] == pytest.approx(metrics.matthews_corrcoef(a, b))
    assert found["recall", "x"][0] == pytest.approx(metrics.recall_score(a, b))
    by_class = table(agree(true, predicted))
    accuracy = metrics.accuracy_score(true, predicted)
    labels = sorted({*true, *predicted})
    assert by_class["fscore_micro", ""][0] == pytest.approx(accuracy)
    assert by_class["specificity_micro", ""][0] == pytest.approx(1 - (1 - accuracy) / (len(labels) - 1))
    assert by_class["mcc", ""][0] == pytest.approx(metrics.matthews_corrcoef(true, predicted))
    if set(labels) == set(true) == set(predicted):
        scores = metrics.f1_score(true, predicted, average="macro")
        assert by_class["fscore_macro", ""][0] == pytest.approx(scores)


def test_the_second_of_two_classes_is_positive_and_said_where_it_may_surprise():
    assert agree(["ham", "spam"] * 20, ["ham", "ham"] * 20).positive == "spam"
    assert mentions(agree(["ham", "spam"], ["ham", "ham"]).notes, "'spam'", "positive class")
    for plain in ([0, 1], ["no", "yes"], ["No", "Yes"], [False, True], [-1, 1]):
        found = agree(plain, plain[::-1])
        assert found.positive == plain[1]
        assert not any("positive class" in note for note in found.notes)
    assert agree(["no", "a"], ["a", "a"], order=["no", "a"]).positive == "a"


def test_sentences():
    found = agree(TRUE, PREDICTED, n_resamples=500)
    SENTENCES.check("agreement in part", found.sections()[0].sentence)
    SENTENCES.check("a class that is positive", found.sections()[-1].sentence)
    assert found.sections()[0].sentence in " ".join(str(found).split())
    assert mentions(found.notes, "fewer", 30)
    three = agree(list("aabbcc"), list("aabbca"))
    SENTENCES.check("the class that is recognised least", three.sections()[-1].sentence)
    SENTENCES.check("all recognised", agree(list("abc"), list("abc")).sections()[-1].sentence)
    rated = {"ann": list("aabbab") * 9, "bob": list("aabbbb") * 9, "gpt": list("ababab") * 9}
    for margin in (0.0, 0.9):
        together = rs.agree_labels(rated, machines="gpt", margin=margin)
        SENTENCES.check(f"a machine beside people, margin {margin:g}", together.sections()[0].sentence)
    SENTENCES.check("all raters together", together.sections()[1].sentence)


@pytest.mark.parametrize("labels", [(TRUE, PREDICTED), (list("aabbcc"), list("aabbca"))])
def test_every_format_shows_a_result_and_the_tidy_table_has_its_columns(labels):
    found = agree(*labels, normalise="all")
    assert all(render_result(found, format_).endswith("\n") for format_ in RESULT_FORMATS)
    assert found.frame().columns == ["rater", "other", "statistic", "label", "value", "low", "high", "n"]
    figure = found.sections()[1].figure
    assert (figure.name, figure.data["rows"], figure.data["columns"]) == ("confusion_matrix", "true", "predicted")
    assert np.sum(figure.data["counts"]) == len(labels[0])


# Several raters


def test_gaps_are_skipped_and_counted():
    found = rs.agree_labels(LABELS, order=ORDER, n_resamples=20)
    assert [pair.raters for pair in found.pairs] == [("ann", "bob"), ("ann", "gpt"), ("bob", "gpt")]
    assert [pair.n for pair in found.pairs] == [5, 6, 5]
    assert found.pair("gpt", "ann") is found.pairs[1]
    assert mentions(found.notes[0], "bob", 1, 6)
    everyone = found.groups[0]
    assert (everyone.name, everyone.raters, everyone.n) == ("all", ("ann", "bob", "gpt"), 6)
    weights = np.array([5, 6, 5])
    kappas = [pair.statistics["kappa"].value for pair in found.pairs]
    assert everyone.statistics["kappa"].value == pytest.approx(np.average(kappas, weights=weights))
    with pytest.raises(ParameterError, match="no pair of 'ann' and 'eve'"):
        found.pair("ann", "eve")


def test_texts_without_an_order_are_classes_and_numbers_are_a_scale():
    assert "alpha_ordinal" not in rs.agree_labels(LABELS, n_resamples=9).groups[0].statistics
    by_order = rs.agree_labels(LABELS, order=ORDER, n_resamples=9)
    codes = {name: [np.nan if x is None else ORDER.index(x) for x in column] for name, column in LABELS.items()}
    by_number = rs.agree_labels(codes, n_resamples=9)  # NaN is no label
    for a, b in zip(by_order.records(), by_number.records(), strict=True):
        assert a[:3] == b[:3]
        assert a[4:] == pytest.approx(b[4:], nan_ok=True)
    stretched = rs.agree_labels({name: np.array(column) * 2.5 for name, column in codes.items()}, n_resamples=9)
    assert [row[4] for row in stretched.records()] == pytest.approx(
        [row[4] for row in by_number.records()], nan_ok=True
    )
    assert mentions(by_order.signature(), "order:bad,ok,good")


@pytest.mark.parametrize("order", [[1, 2, 2.5, 4], ["1", "2.0", "2.5", "4"]])
def test_an_order_of_numbers_adds_labels_that_nobody_gave(order):
    columns = {"a": [1, 2, 4, 4, 1, 2], "b": [1, 4, 4, 2, 1, 2]}
    found = rs.agree_labels(columns, order=order, n_resamples=9)
    assert found.labels == (1, 2, 2.5, 4)
    statistics, without = (result.pairs[0].statistics for result in (found, rs.agree_labels(columns, n_resamples=9)))
    # Chance in AC depends on the number of labels; kappa and alpha are of those that occur, by their size.
    for weights in ("linear", "quadratic"):
        peer = rs.stats.gwets_ac([columns["a"], columns["b"]], weights=weights, classes=[1, 2, 2.5, 4]).value
        assert statistics[f"ac2_{weights}"].value == pytest.approx(peer)
        assert statistics[f"ac2_{weights}"].value != pytest.approx(without[f"ac2_{weights}"].value)
    for name in ("kappa_linear", "kappa_quadratic", "alpha_ordinal", "alpha_interval"):
        assert statistics[name].value == pytest.approx(without[name].value)


def test_all_kinds_of_gaps_are_gaps():
    pandas = pytest.importorskip("pandas")
    b = ["x", "x", "y", "y"]
    for gap in (None, float("nan"), pandas.NA):
        found = rs.agree_labels({"a": ["x", "y", gap, "y"], "b": b}, n_resamples=9)
        assert (found.pairs[0].n, found.n_items) == (3, 3)
    assert rs.agree_labels({"a": np.array([1, 2, np.nan, 2]), "b": [1, 1, 2, 2]}, n_resamples=9).pairs[0].n == 3
    assert rs.agree_labels({"a": pl.Series([1, 2, None, 2]), "b": [1, 1, 2, 2]}, n_resamples=9).pairs[0].n == 3


def test_people_come_before_machines_and_are_the_reference():
    rated = {"gpt": list("abba"), "ann": list("abab"), "bob": list("abaa"), "cem": list("abbb")}
    found = rs.agree_labels(rated, machines=["gpt"], n_resamples=20)
    assert found.raters == ("ann", "bob", "cem", "gpt")
    assert found.pair("gpt", "ann").raters == ("ann", "gpt")
    assert [group.name for group in found.groups] == ["all", "people"]
    assert [(c.machine, c.left_out, c.others) for c in found.ceilings] == [
        ("gpt", None, "people"),
        ("gpt", "ann", "people but ann"),
        ("gpt", "bob", "people but bob"),
        ("gpt", "cem", "people but cem"),
    ]
    means = [found.pair("gpt", name).statistics["kappa"].value for name in ("ann", "bob", "cem")]
    assert found.ceilings[0].machine_agreement["kappa"].value == pytest.approx(np.mean(means))


def test_pairs_of_many_raters_are_details():
    rated = {f"r{i}": [0, 1, 0, i % 2, 1] for i in range(11)}
    shown = [section.title for section in rs.agree_labels(rated, n_resamples=5).sections() if not section.folded]
    assert shown == ["All raters together"]
    few = {name: rated[name] for name in list(rated)[:10]}
    assert "Every two raters" in str(rs.agree_labels(few, n_resamples=5))


def test_a_machine_reaches_people_falls_short_or_it_is_undecided():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 400)

    def rater(accuracy):
        return np.where(rng.random(400) < accuracy, truth, 1 - truth)

    rated = {"ann": rater(0.85), "bob": rater(0.85), "good": rater(0.97), "poor": rater(0.7), "like": rater(0.85)}
    found = rs.agree_labels(rated, machines=["good", "poor", "like"])
    assert [c.verdict for c in found.ceilings] == ["reaches", "falls short", "undecided"]
    assert rs.agree_labels(rated, machines=["good", "poor", "like"], margin=0.2).ceilings[2].verdict == "reaches"
    assert found.statistic == "alpha_nominal"
    difference = found.ceilings[0].difference["kappa"]
    sides = (found.ceilings[0].machine_agreement["kappa"], found.ceilings[0].people_agreement["kappa"])
    assert difference.value == pytest.approx(sides[0].value - sides[1].value)
    assert difference.high - difference.low < sum(side.high - side.low for side in sides)  # the same resamples


def verdict_of(rated, **options):
    return rs.agree_labels(rated, **{"n_resamples": 200, **options}).sections()[0].sentence


def test_a_single_person_withholds_the_verdict_on_machines():
    rated = {"ann": list("abab"), "gpt": list("abba"), "llm": list("abbb")}
    found = rs.agree_labels({name: rated[name] for name in ("ann", "gpt")}, machines="gpt", n_resamples=9)
    assert not found.ceilings
    SENTENCES.check("a machine and a single person", found.sections()[0].sentence)
    SENTENCES.check("two machines and a single person", verdict_of(rated, machines=["gpt", "llm"]))


def test_verdicts_on_agreement_beyond_chance():
    labels = list("abababab") * 5
    for case, other in {
        "full agreement": labels,
        "agreement beyond chance": [*labels[:-2], "a", "a"],
        "agreement below chance": [*labels[1:], "a"],
        "undecided beyond chance": list("aabbaabb") * 5,
    }.items():
        SENTENCES.check(case, verdict_of({"ann": labels, "bob": other}))


def test_an_undecided_verdict_names_the_items_that_would_decide_it():
    # the low end must rise from .1 below 0 to 0, which is .15 below .05 now: (.15 / .05)^2 = 9 times as many items
    assert mentions([needed_items_sentence(Estimate(0.05, -0.10, 0.2), 0.0, 100)], "about 900 ", "of 100")
    # the high end must fall to -.02: from .04 above the value to .01 above it, 16 times
    assert mentions([needed_items_sentence(Estimate(-0.03, -0.07, 0.01), -0.02, 50)], "about 800 ", "of 50")
    assert mentions([needed_items_sentence(Estimate(0.0, -0.1, 0.1), 0.0, 100)], "100 times")
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 60)
    rated = {name: np.where(rng.random(60) < 0.85, truth, 1 - truth) for name in ("ann", "bob", "gpt")}
    SENTENCES.check("a machine beside people, undecided", verdict_of(rated, machines="gpt"))


def test_weights_and_clusters_may_be_columns_of_a_mapping_a_frame_or_a_file(tmp_path):
    data = {"a": list("xyxyxx"), "b": list("xyyyxx"), "doc": list("ppqqrr"), "w": [1.0, 2, 1, 1, 3, 1]}
    options = {"raters": ["a", "b"], "columns": {"cluster": "doc", "weight": "w"}, "n_resamples": 50}
    pl.DataFrame(data).write_csv(tmp_path / "a.csv")
    sources = (data, pl.DataFrame(data), pl.DataFrame(data).to_arrow(), tmp_path / "a.csv")
    found = [rs.agree_labels(source, **options) for source in sources]
    assert len({tuple(map(str, result.records())) for result in found}) == 1
    assert (found[0].n_clusters, found[0].is_weighted) == (3, True)
    assert found[0].pairs[0].statistics["agreement"].value == pytest.approx(8 / 9)
    assert mentions(found[0].signature(), "weights:yes", "clusters:3")
    named = {"a": data["a"], "b": data["b"], "cluster": data["doc"], "weight": data["w"]}
    assert rs.agree_labels(named, n_resamples=50).frame().equals(found[0].frame())


def test_weights_that_sum_to_less_than_the_items_are_scaled_with_a_note():
    labels = {"a": [1, 2, 3, 1], "b": [1, 2, 2, 1]}
    plain = rs.agree_labels(labels, n_resamples=9)
    found = rs.agree_labels({**labels, "weight": [0.25] * 4}, n_resamples=9)
    assert mentions(found.notes, "weights sum to 1", "4 items")
    for name, estimate in plain.pairs[0].statistics.items():
        assert found.pairs[0].statistics[name].value == pytest.approx(estimate.value)


def test_where_an_interval_is_missing_or_rough_a_note_says_so():
    same = agree(list("abab") * 10, list("abab") * 10)
    assert math.isnan(same.pairs[0].statistics["kappa"].low)
    assert mentions(same.notes, "agree on every item")
    rare = agree(["a"] * 46 + ["b"] * 4, ["a"] * 45 + ["b"] * 5)
    assert mentions(rare.notes, "true and predicted", "fewer than 10 items", "too narrow")
    one = agree(["a"] * 30 + ["b"] * 10, ["a"] * 40)
    assert mentions(one.notes, "one rater gave every item the same label")
    apart = rs.agree_labels({"a": [1, 2, None], "b": [1, 2, None], "c": [1, None, 2]}, n_resamples=9)
    assert len(apart.pairs) == 3
    apart = rs.agree_labels({"a": [1, 2, None], "b": [1, 2, None], "c": [None, None, 2]}, n_resamples=9)
    assert mentions(apart.notes, "2 pairs", "no item in common")


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "labels of 'a' only, expected those of two raters"),
        ({"a": [1, 2], "b": [1]}, {}, "1 and 2 values"),
        ({"a": [1, 2], "b": [1, 2], "weight": [1]}, {}, "1 and 2 values"),
        ({"a": [1, 2], "b": [1, 2], "weight": [1, 0]}, {}, "a weight is not a number above 0"),
        ({"a": [1, 2], "b": [1, 2], "weight": ["x", "y"]}, {}, "a weight is not a number above 0"),
        ({"a": [1, 2], "b": [1, 2], "cluster": [1, None]}, {}, "an item has no cluster"),
        ({"a": [1, 2], "b": [1, 2]}, {"columns": {"doc": "a"}}, "columns has 'doc'"),
        ({"a": [1, 2], "b": [1, 2]}, {"columns": {"cluster": "doc"}}, "no column 'doc' among 'a' and 'b'"),
        ({"a": [1, 2], "b": [1, 2]}, {"raters": ["a", "c"]}, "no column 'c' among 'a' and 'b'"),
        ({"a": [None], "b": [None]}, {}, "no labels"),
        ({"a": [1, None], "b": [None, 2]}, {}, "no item has labels of two raters .a and b."),
        ({"a": [1, 1], "b": [1, 1]}, {}, r"only the label 1 from two raters or more \(2 items\), expected at least 2"),
        ({"a": ["x", "y"], "b": ["x", None]}, {}, r"only the label 'x' from two raters or more \(1 item\)"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"order": ["x", "z"]}, "the label 'y' is not in order .* x,z;"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {"order": ["x", "x", "y"]}, "order .* is x,x,y, expected each label once"),
        ({"a": [1, 2], "b": [1, 2]}, {"order": [1, 3]}, "the label 2 is not in order .* 1,3;"),
        ({"a": [1, 2], "b": [1, 2]}, {"order": ["1", "1.0", "2"]}, "order .* is 1,1.0,2, expected each label once"),
        ({"a": [1, 2], "b": [1, 2]}, {"order": ["1", "2", "x"]}, "order .* has 'x', but the labels are numbers"),
        ({"a": [1, 2], "b": [1, 2]}, {"order": [2, 1]}, "order .* is 2,1, but numbers count as they are"),
        ({"a": ["x", "y"], "b": [1, 2]}, {}, "the labels of a are text and those of b numbers"),
        ({"a": ["x", 1], "b": ["x", "y"]}, {}, "a has the label 'x' beside others"),
        ({"a": [[1], [2]], "b": [1, 2]}, {}, r"a has the label \[1\] beside others"),
        ({"a": [1, 2], "b": [1, 2]}, {"positive": 7}, r"positive class 7 .*\(1, 2\)"),
        ({"a": [1, 2], "b": [1, 2]}, {"beta": -1.0}, "beta is -1.0"),
        ({"a": [1, 2], "b": [1, 2]}, {"confidence_level": 2}, "confidence_level is 2"),
        ({"a": [1, 2], "b": [1, 2]}, {"normalise": "x"}, "normalise is 'x'"),
        ({"a": [1, 2], "b": [1, 2]}, {"machines": "c"}, "'c', which is none of the raters a and b"),
        ({"a": [1, 2], "b": [1, 2]}, {"machines": ["a", "b"]}, "names all raters"),
        ({"a": [1, 2], "b": [1, 2]}, {"statistic": "ac2_linear"}, "needs three labels or more with an order"),
        ({"a": [1, 2, 3], "b": [1, 2, 3]}, {"statistic": "fscore"}, "needs a positive class"),
        ({"a": [1, 2], "b": [1, 2]}, {"statistic": "tau"}, "statistic is 'tau'"),
        ({str(i): [1, 2] for i in range(51)}, {}, "51 raters, expected at most 50"),
        (5, {}, "no table"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(labels, options, message):
    with pytest.raises((InputError, ParameterError), match=message) as caught:
        rs.agree_labels(labels, **options)
    assert "\n" not in str(caught.value)


@given(st.data())
@examples(60)
def test_any_labels_give_a_result_or_one_clear_error(data):
    n_raters, n_items = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 6))
    pool = data.draw(st.sampled_from([[0, 1, None], [0, 1, 2, 3.5], ["a", "b", None], [None, "a"]]))
    column = st.lists(st.sampled_from(pool), min_size=n_items, max_size=n_items)
    labels = {f"r{i}": data.draw(column) for i in range(n_raters)}
    if data.draw(st.booleans()):
        labels["cluster"] = data.draw(st.lists(st.integers(0, 2), min_size=n_items, max_size=n_items))
    if data.draw(st.booleans()):
        labels["weight"] = data.draw(st.lists(st.sampled_from([0.1, 1, 3]), min_size=n_items, max_size=n_items))
    machines = data.draw(st.sampled_from([[], ["r0"], ["r0", "r1"]]))
    n_resamples = data.draw(st.integers(1, 9))
    try:
        found = rs.agree_labels(labels, machines=machines, n_resamples=n_resamples)
    except (InputError, ParameterError):
        return
    assert str(found)
    for *_, value, low, high, _ in found.records():
        assert math.isnan(low) == math.isnan(high)
        assert not low > high
        assert not math.isnan(value) or math.isnan(low)
