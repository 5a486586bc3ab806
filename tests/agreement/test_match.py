"""People's and metrics' scores are matched by name: what is missing is refused, skipped, or kept, counted and named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement.load import load
from rankscope.agreement.match import attach_scores, match
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.data.rankings import Labels
from rankscope.errors import InputError

# Lists


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


# Language pairs, systems and segments


SYSTEMS, SEGMENTS = ("A", "B", "C", "D"), ("1", "2", "3", "4", "5")
LEVELS = ("list", "segment", "system")


def table(seed, systems=SYSTEMS, segments=SEGMENTS):
    return PairScores(systems, segments, np.random.default_rng(seed).normal(size=(len(systems), len(segments))))


def inputs(people, *metrics):
    return load(people, metrics, JudgmentSettings(), MetricSettings(), level="any")


PEOPLE = MetricScores("human", {"x": table(1), "y": table(2)})


@pytest.mark.parametrize("level", LEVELS)
def test_scores_stand_at_the_places_of_their_names_in_one_direction(level):
    shuffled = table(3, tuple("DXBAC"), tuple("51234"))
    loss = MetricScores("loss", {"x": shuffled, "y": table(4)}, higher_is_better=False)
    matches, notes = match(inputs(PEOPLE, loss), level, "refuse")
    assert [matched.pair for matched in matches] == ["x", "y"]
    assert mentions(notes, "x: ", "X", "did not judge")
    scores = matches[0].aligned()
    for place, segment in enumerate(np.array(scores.segments)[scores.segment].tolist()):
        for item, system in enumerate(np.array(scores.systems)[scores.system[place]].tolist()):
            people, metric = (
                side.values[side.systems.index(system), side.segments.index(segment)]
                for side in (PEOPLE.pairs["x"], shuffled)
            )
            assert (scores.people[place, item], scores.metrics[0, place, item]) == (people, -metric)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("scores", "missing", "shape"),
    [
        (table(3, systems=("A", "B", "D")), "system C,", (3, 5)),
        (table(3, segments=("1", "4", "5")), "segments 2 and 3,", (4, 3)),
    ],
)
def test_what_a_metric_lacks_is_refused_by_one_message_or_skipped_with_a_note(level, scores, missing, shape):
    given_ = inputs(PEOPLE, MetricScores("m", {"x": scores, "y": table(4)}))
    with pytest.raises(InputError, match=f"x: m has no score of {missing} which people judged; use --common"):
        match(given_, level, "refuse")
    matches, notes = match(given_, level, "skip")
    assert mentions(notes, "x: ", "skipped because not all metrics have scores", *missing.strip(",").split(" and ")[1:])
    if level == "list":  # lists stay as people judged them
        assert np.isnan(matches[0].aligned().metrics).any()
    else:
        assert (len(matches[0].systems), len(matches[0].segments)) == shape
    if level != "system":
        kept, _ = match(given_, "list", "keep")
        assert kept[0].aligned().people.shape == (5, 4)


@pytest.mark.parametrize("level", LEVELS)
def test_a_language_pair_that_a_metric_lacks_is_refused_by_one_message_or_skipped_with_a_note(level):
    given_ = inputs(PEOPLE, MetricScores("m", {"y": table(3)}), MetricScores("n", {"x": table(4), "y": table(4)}))
    for pairs, advice in ((None, "--common"), (["x"], "--pairs")):
        with pytest.raises(InputError, match=f"m has no scores of language pair 'x', only of 'y'; .*{advice}"):
            match(given_, level, "refuse", pairs=pairs)
    matches, notes = match(given_, level, "skip")
    assert [matched.pair for matched in matches] == ["y"]
    assert notes == ["x skipped because m has no scores of it"]


def test_whole_systems_are_refused_where_segments_are_compared():
    of_systems = MetricScores.of("m", {"x": {"A": 1, "B": 2}, "y": {"A": 1, "B": 2}})
    for level in ("list", "segment"):
        with pytest.raises(InputError, match="m has scores of systems only"):
            match(inputs(PEOPLE, of_systems), level, "skip")
    assert not match(inputs(PEOPLE, of_systems), "system", "skip")[0][0].of_segments


@pytest.mark.parametrize("level", LEVELS)
def test_too_little_in_common_is_refused(level):
    for scores, noun in ((table(3, systems=("A", "X")), "system"), (table(3, segments=("8", "9")), "segment")):
        with pytest.raises(InputError, match=f"{noun}s? in common.* human .*; m .*same {noun} names"):
            match(inputs(PEOPLE, MetricScores("m", {"x": scores, "y": table(4)})), level, "skip")


def test_people_are_weighted_alike_on_all_sides():
    weights = np.arange(1.0, 6.0)
    people = replace(PEOPLE, pairs={"x": replace(PEOPLE.pairs["x"], weights=weights)})
    given_ = inputs(people, MetricScores("m", {"x": table(3, segments=("5", "2", "1"))}))
    (matched,), _ = match(given_, "segment", "skip")
    assert matched.segments == ("1", "2", "5")
    assert matched.aligned().weights.tolist() == [1, 2, 5]
