"""Scores of metrics and their joining with judgments: matched by name, what is missing is counted and named."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement.match import attach_scores
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError


def judged(pairs, segments, lists):
    """One judgment each, all ranks in order."""
    systems = [system for one in lists for system in one]
    return Rankings(
        pair=Labels.of(pairs),
        segment=Labels.of(segments),
        judge=Labels.of([""] * len(lists)),
        offsets=np.cumsum([0, *map(len, lists)]),
        system=Labels.of(systems),
        columns={"rank": np.arange(1.0, len(systems) + 1)},
    )


names = st.sampled_from("ABCD")
tables = st.dictionaries(
    st.sampled_from(["de-en", "en-de", "fr-en"]),
    st.dictionaries(names, st.lists(st.none() | st.integers(0, 9), min_size=3, max_size=3), min_size=1),
    min_size=1,
)


@given(tables, st.lists(st.tuples(st.sampled_from(["de-en", "en-de"]), st.sampled_from("1234"), st.sets(names))))
def test_each_item_gets_the_score_of_its_pair_segment_and_system_as_in_a_loop(table, rows):
    scores = MetricScores("m", {pair: PairScores.of(systems) for pair, systems in table.items()})
    lists = [sorted(systems) for _, _, systems in rows]
    expected = [
        table.get(pair, {}).get(system, [None] * 4)[int(segment) - 1] if int(segment) < 4 else None
        for (pair, segment, _), systems in zip(rows, lists, strict=True)
        for system in systems
    ]
    given_ = judged([pair for pair, _, _ in rows], [segment for _, segment, _ in rows], lists)
    if expected and all(score is None for score in expected):
        with pytest.raises(InputError, match="scores of m"):
            attach_scores(given_, scores)
        return
    found = attach_scores(given_, scores).columns["m"]
    np.testing.assert_array_equal(found, [np.nan if score is None else score for score in expected])


SCORES = MetricScores("chrF", {"de-en": PairScores.of({"A": [0.5, 0.25], "X": [0.1, 0.2]})}, notes=("of the metric",))


def test_notes_count_what_has_no_score_and_name_systems_and_pairs_on_both_sides():
    given_ = judged(["de-en", "de-en", "en-de"], ["1", "2", "1"], [["A", "_ref"], ["A"], ["A"]])
    found = attach_scores(given_, SCORES)
    assert len(found.notes) == 4
    assert found.notes[0] == "of the metric"
    assert mentions(found.notes[1], "chrF: ", "2 of 4", "skipped", "_ref")
    assert mentions(found.notes[2], "chrF: ", "X", "nobody judged")
    assert mentions(found.notes[3], "chrF: ", "no scores", "en-de")


def test_scores_that_count_segments_from_zero_are_pointed_out():
    scores = MetricScores("m", {"de-en": PairScores.of({"A": [1, 2]}, segments=["0", "1"])})
    assert mentions(attach_scores(judged(["de-en"], ["1"], [["A"]]), scores).notes[-1], "count from")


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_overwritten():
    given_ = judged(["de-en"], ["1"], [["A", "X"]])
    found = attach_scores(attach_scores(attach_scores(given_, SCORES), SCORES), SCORES)
    assert list(found.columns) == ["rank", "chrF", "chrF (2)", "chrF (3)"]
    assert found.score_columns == {"chrF", "chrF (2)", "chrF (3)"}


def test_errors_stay_columns_in_which_lower_is_better():
    found = attach_scores(
        judged(["de-en"], ["1"], [["A"]]), MetricScores("TER", dict(SCORES.pairs), higher_is_better=False)
    )
    assert found.score_columns == frozenset()


@pytest.mark.parametrize(("ours", "theirs"), [("", "de-en"), ("de-en", "")])
def test_one_pair_without_a_name_is_the_only_pair_of_the_other_side(ours, theirs):
    scores = MetricScores("m", {theirs: PairScores.of({"A": [7]})})
    assert attach_scores(judged([ours], ["1"], [["A"]]), scores).columns["m"].tolist() == [7]


@pytest.mark.parametrize(
    ("pair", "segment", "system", "said"),
    [
        ("en-de", "1", "A", "no language pair .*'en-de', .*'de-en'"),
        ("de-en", "9", "A", "no segment .*'9', .*'1' and '2'"),
        ("de-en", "1", "a", "no system .*'a', .*'A' and 'X'"),
    ],
)
def test_where_nothing_matches_an_example_of_both_sides_is_named(pair, segment, system, said):
    with pytest.raises(InputError, match=said):
        attach_scores(judged([pair], [segment], [[system]]), SCORES)


def test_scores_that_are_all_missing_are_refused():
    scores = MetricScores("m", {"de-en": PairScores.of({"A": [None]})})
    with pytest.raises(InputError, match=r"scores of m: .*judged"):
        attach_scores(judged(["de-en"], ["1"], [["A"]]), scores)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PairScores(("A", "A"), ("1",), np.zeros((2, 1))), "system 'A' occurs twice"),
        (lambda: PairScores(("A",), ("1", "1"), np.zeros((1, 2))), "segment '1' occurs twice"),
        (lambda: PairScores(("A",), ("1",), np.zeros((2, 1))), "1 systems .*1 segments"),
        (lambda: PairScores.of({"A": [1, float("inf")]}), "'A' .*'2' is infinite"),
        (lambda: PairScores.of({"A": [1, 2], "B": [1]}), "1 of system 'B', .* 2"),
        (lambda: MetricScores("", {"de-en": PairScores.of({"A": [1]})}), "has no name"),
        (lambda: MetricScores("m", {}), "no language pair"),
        (lambda: MetricScores.of("m", {"de-en": {"A": float("inf")}}), "system 'A' is infinite"),
    ],
)
def test_scores_that_cannot_be_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_scores_that_are_no_mapping_are_refused():
    with pytest.raises(ParameterError, match="a mapping of systems"):
        PairScores.of([1, 2])
