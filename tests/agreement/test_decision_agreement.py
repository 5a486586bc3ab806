"""What metrics decide of two translations: matrices by hand, rates against scikit-learn."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from rankscope import Rankings
from rankscope.agreement import decisions
from rankscope.agreement.decision_agreement import LABELS
from rankscope.errors import InputError, ParameterError

LISTS = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), min_size=1, max_size=4), min_size=1, max_size=5
)


def judged(lists):
    """Lists of (rank by people, score of the metric)."""
    found = Rankings.of([{f"s{i}": rank for i, (rank, _) in enumerate(one)} for one in lists])
    scores = np.array([score for one in lists for _, score in one], float)
    return found.with_column("metric", scores, higher_is_better=True)


def table(result):
    return {(row[1], row[2]): row[3] for row in result.records()}


def test_three_translations_by_hand():
    found = decisions(judged([[(1, 9), (2, 5), (2, 5)], [(1, 5), (2, 5)]]))
    # Twice as people do, one tie of both, one of the metric; each seen from either side.
    assert found.kinds.tolist() == [[2, 0, 0, 1, 1]]
    assert found.confusion[0].counts.tolist() == [[2, 1, 0], [0, 2, 0], [0, 1, 2]]
    values = table(found)
    assert values["accuracy", ""] == 3 / 4
    assert (values["precision", "better"], values["recall", "better"]) == (1, 2 / 3)
    assert (values["precision", "tie"], values["recall", "tie"]) == (2 / 4, 1)
    assert values["pairs", "tied_metric"] == 1
    assert values["count", "better -> tie"] == 1


@given(lists=LISTS)
@examples(40)
def test_rates_are_those_of_scikit_learn_on_every_ordered_pair(lists):
    said = lambda x: LABELS[1 - int(np.sign(x))]  # noqa: E731 - 1 is better
    true, predicted = [], []
    for one in lists:
        for a, b in permutations(one, 2):
            true.append(said(b[0] - a[0]))
            predicted.append(said(a[1] - b[1]))
    if not true:
        with pytest.raises(InputError, match="nothing to count"):
            decisions(judged(lists))
        return
    found = decisions(judged(lists))
    assert found.confusion[0].counts.tolist() == metrics.confusion_matrix(true, predicted, labels=LABELS).tolist()
    assert found.rates[0].accuracy == pytest.approx(metrics.accuracy_score(true, predicted))
    if len({*true, *predicted}) > 1:  # of one class the peer warns
        assert found.rates[0].mcc == pytest.approx(metrics.matthews_corrcoef(true, predicted))
    assert np.nan_to_num(found.rates[0].fscore) == pytest.approx(
        metrics.f1_score(true, predicted, labels=LABELS, average=None, zero_division=0)
    )


def test_the_order_in_which_translations_are_listed_changes_nothing():
    one = [(1, 9), (2, 5), (3, 7), (3, 7)]
    counts = [decisions(judged([list(order)])).confusion[0].counts.tolist() for order in permutations(one)]
    assert all(found == counts[0] for found in counts)


def test_epsilon_makes_close_scores_ties_and_shares_are_of_rows():
    found = decisions(judged([[(1, 9), (2, 8), (3, 1)]]), epsilon=1, normalise="row")
    assert found.kinds.tolist() == [[2, 0, 0, 1, 0]]
    assert found.confusion[0].values[0].tolist() == [2 / 3, 1 / 3, 0]
    assert table(found)["share_of_row", "better -> tie"] == 1 / 3


def test_a_figure_is_named_for_each_metric():
    found = decisions(judged([[(1, 9), (2, 8)]]).with_column("other", np.array([1.0, 2.0]), higher_is_better=True))
    figures = [section.figure for section in found.sections() if section.figure]
    assert [(figure.name, figure.data["columns"]) for figure in figures] == [
        ("confusion_matrix", "metric"),
        ("confusion_matrix", "other"),
    ]
    assert mentions(found.sections()[0].sentence, "metric", "100 %")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"epsilon": -1}, "epsilon is -1"), ({"normalise": "rows"}, "normalise is 'rows'"), ({"beta": 0}, "beta is 0")],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        decisions(judged([[(1, 9), (2, 8)]]), **options)
