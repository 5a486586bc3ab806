"""Judgments by people: what is refused, tables with a row a judgment, choosing, pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Rankings
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName

JUDGED = [{"A": 1, "B": 2}, {"B": 1, "C": 1, "A": None}]

judgments = st.lists(
    st.dictionaries(st.sampled_from("ABCDE"), st.none() | st.integers(1, 5), max_size=5), min_size=1, max_size=8
)


@given(judgments)
def test_a_table_has_a_row_a_judgment_and_nan_behind_its_last_item(judged):
    found = Rankings.of(judged, name="gold")
    table = found.table("gold")
    for row, one in zip(table, judged, strict=True):
        expected = [np.nan if rank is None else rank for rank in one.values()]
        np.testing.assert_array_equal(row, expected + [np.nan] * (table.shape[1] - len(expected)))


@given(judgments, st.data())
def test_chosen_judgments_are_those_of_a_loop(judged, data):
    chosen = data.draw(st.lists(st.integers(0, len(judged) - 1)))
    found, expected = Rankings.of(judged).select(chosen), Rankings.of([judged[i] for i in chosen])
    assert list(found.system) == list(expected.system)
    assert list(found.segment) == [str(i + 1) for i in chosen]
    np.testing.assert_array_equal(found.columns["rank"], expected.columns["rank"])
    np.testing.assert_array_equal(found.offsets, expected.offsets)


def test_scores_are_turned_round_where_lower_is_to_be_better():
    found = Rankings.of([{"A": 0.5, "B": 0.25}], name="chrF", higher_is_better=True)
    assert found.lower_is_better_values("chrF").tolist() == [-0.5, -0.25]
    turned = found.with_column("chrF", found.column("chrF"), higher_is_better=False)
    assert turned.lower_is_better_values("chrF").tolist() == [
        0.5,
        0.25,
    ]


def test_a_mask_and_places_choose_the_same():
    found = Rankings.of(JUDGED)
    assert list(found.select(np.array([False, True])).system) == list(found.select([1]).system) == ["B", "C", "A"]


def test_pairs_come_in_the_order_in_which_they_first_stand():
    found = Rankings.of(JUDGED)
    pair = Labels(("en-de", "unused", "de-en"), np.array([2, 0]))
    apart = Rankings(
        pair=pair,
        segment=found.segment,
        judge=found.judge,
        offsets=found.offsets,
        system=found.system,
        columns=found.columns,
    )
    assert [(name, len(one)) for name, one in apart.by_pair()] == [("en-de", 1), ("de-en", 1)]


def rankings(**changed):
    parts = {
        "pair": Labels.of(["", ""]),
        "segment": Labels.of(["1", "2"]),
        "judge": Labels.of(["", ""]),
        "offsets": np.array([0, 2, 3]),
        "system": Labels.of(["A", "B", "A"]),
        "columns": {"rank": np.array([1.0, 2.0, 1.0])},
    }
    return Rankings(**{**parts, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"pair": Labels.of([""])}, InputError, "1 names .*2 judgments"),
        ({"system": Labels.of(["A", "B"])}, InputError, "2 systems .*3 items"),
        ({"columns": {"rank": np.array([1.0])}}, InputError, "1 .*'rank' .*3 items"),
        ({"columns": {"rank": np.array([1.0, np.inf, 2.0])}}, InputError, "infinite"),
        ({"score_columns": frozenset(["chrF"])}, UnknownName, "unknown column .*'chrF'"),
        ({"system": Labels.of(["A", "A", "A"])}, InputError, r"judgment 1 \(segment 1\) holds system 'A' twice"),
    ],
)
def test_judgments_that_cannot_be_are_refused(changed, error, said):
    with pytest.raises(error, match=said):
        rankings(**changed)


@pytest.mark.parametrize("given_", [{"A": 1}, [1, 2]])
def test_something_else_than_a_list_of_mappings_is_refused(given_):
    with pytest.raises(ParameterError, match="list of mappings"):
        Rankings.of(given_)


def test_a_repr_is_one_line_however_much_there_is() -> None:
    n = 3000
    many = Rankings(
        pair=Labels.of(["de-en", "cs-en"] * (n // 2)),
        segment=Labels.of([str(i) for i in range(n)]),
        judge=Labels(("",), np.zeros(n, np.int64)),
        offsets=np.arange(n + 1),
        system=Labels.of([f"s{i % 7}" for i in range(n)]),
        columns={f"metric{i}": np.zeros(n) for i in range(20)},
    )
    expected = (
        "3,000 judgments of 2 language pairs, 7 systems; columns metric0, metric1, metric2, metric3 and 16 others"
    )
    assert repr(many) == f"Rankings({expected})"
    assert repr(many.select([0])).startswith("Rankings(1 judgment of 1 language pair, 1 system;")
    assert repr(many.system) == "Labels(3,000 of 7 names: s0, s1, s2, ...)"
    assert repr(Rankings.of([], name="rank")) == "Rankings(0 judgments, 0 systems; column rank)"
