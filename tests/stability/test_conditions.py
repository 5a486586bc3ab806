"""Which combinations are tried, and which are refused."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError, ParameterError
from rankscope.settings import as_tuple
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.settings import StudySettings


def conditions_of(what, items, number, /, **asked):
    return make_conditions(what, items, number, StudySettings(**{name: as_tuple(x) for name, x in asked.items()}))


def test_all_ranges_are_crossed_and_repeats_are_left_out():
    found, notes = conditions_of("entities", 40, 4, splits=[2, 4, 2], systems=(2, 4), entities=[20, 40])
    assert found == tuple(Condition(a, s, e) for a in (2, 4) for e in (20, 40) for s in (2, 4))
    assert notes == ()


def test_by_default_entities_are_cut_into_ten_and_queries_into_two():
    assert conditions_of("entities", 60, 3)[0] == (Condition(10, 3, 60),)
    assert conditions_of("queries", 51, 3)[0] == (Condition(2, 3, 51),)
    assert conditions_of("queries", 51, 3)[0][0].size == 25


def test_a_size_of_sets_stands_for_as_many_disjoint_ones_as_there_can_be():
    found, _ = conditions_of("queries", 50, 3, set_size=[8, 25, 30, 50])
    assert found == (Condition(6, 3, 48), Condition(2, 3, 50), Condition(1, 3, 30), Condition(1, 3, 50))
    assert [one.size for one in found] == [8, 25, 30, 50]


def test_small_groups_are_noted_and_sets_of_queries_are_not():
    _, notes = conditions_of("entities", 40, 3, splits=[4, 8, 9, 40])
    (note,) = notes
    assert mentions(note, "1 and 4 entities", "fewer than 5", "splits")
    assert conditions_of("queries", 8, 3, splits=4)[1] == ()


@pytest.mark.parametrize(
    ("what", "items", "systems", "asked", "said"),
    [
        ("entities", 30, 1, {}, ("1 system", 2)),
        (
            "entities",
            30,
            3,
            {"splits": 31},
            ("30 entities", 31, "at most 30"),
        ),
        ("entities", 30, 3, {"splits": [2, 12], "entities": 11}, ("11 entities", 12)),
        ("queries", 30, 3, {"splits": 16}, ("30 queries", 16, 2, "at most 15")),
        (
            "entities",
            30,
            3,
            {"splits": 1},
            ("splits", 1, "at least 2", "2 groups"),
        ),
        ("queries", 30, 3, {"splits": 1}, ("splits", 1, "nothing is drawn", 2)),
        ("queries", 30, 3, {"splits": 0}, ("splits", 0, 1)),
        ("queries", 30, 3, {"splits": 2.0}, ("splits", 2.0, 1)),
        ("queries", 30, 3, {"splits": True}, ("splits", "True")),
        ("queries", 30, 3, {"splits": "2"}, ("splits", "'2'")),
        ("queries", 30, 3, {"splits": []}, ("splits", "no value")),
        ("queries", 30, 3, {"systems": 1}, ("systems", 1, 2)),
        ("queries", 30, 3, {"systems": [2, 4]}, ("systems", 4, "2 to 3")),
        ("queries", 30, 3, {"entities": 31}, ("entities", 31, "30 queries")),
        ("entities", 30, 3, {"entities": 1}, ("entities", 1, 2)),
        ("entities", 30, 3, {"set_size": 5}, ("set_size", "--set-size", "queries", "splits")),
        ("queries", 30, 3, {"set_size": 31}, ("set_size", "--set-size", 31, "2 to 30")),
        ("queries", 30, 3, {"set_size": 1}, ("set_size", 1, 2)),
        ("queries", 30, 3, {"set_size": 5, "splits": 3}, ("set_size", "splits", "entities")),
        ("queries", 30, 3, {"set_size": 5, "entities": 9}, ("set_size", "splits", "entities")),
    ],
)
def test_what_cannot_be_drawn_is_refused(what, items, systems, asked, said):
    with pytest.raises(InputError if systems == 1 else ParameterError) as caught:
        conditions_of(what, items, systems, **asked)
    assert mentions(caught.value, *said)
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    assert as_tuple([np.int64(3), 3, np.int32(4)]) == as_tuple(np.array([3, 4])) == (3, 4)
    assert as_tuple(range(2, 5)) == (2, 3, 4)
    assert StudySettings(splits=(np.int64(3), 4)).splits == (3, 4)
