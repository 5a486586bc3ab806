"""Which combinations are tried, and which are refused."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import InputError, ParameterError
from rankscope.stability.conditions import Condition, integers_of_range, make_conditions


def test_all_ranges_are_crossed_and_repeats_are_left_out():
    found, notes = make_conditions("entities", 40, 4, splits=[2, 4, 2], systems=(2, 4), entities=[20, 40])
    assert found == tuple(Condition(a, s, e) for a in (2, 4) for e in (20, 40) for s in (2, 4))
    assert notes == ()


def test_by_default_entities_are_cut_into_ten_and_queries_into_two():
    assert make_conditions("entities", 60, 3)[0] == (Condition(10, 3, 60),)
    assert make_conditions("queries", 51, 3)[0] == (Condition(2, 3, 51),)
    assert make_conditions("queries", 51, 3)[0][0].size == 25


def test_a_size_of_sets_stands_for_as_many_disjoint_ones_as_there_can_be():
    found, _ = make_conditions("queries", 50, 3, set_size=[8, 25, 30, 50])
    assert found == (Condition(6, 3, 48), Condition(2, 3, 50), Condition(1, 3, 30), Condition(1, 3, 50))
    assert [one.size for one in found] == [8, 25, 30, 50]


def test_small_groups_are_noted_and_sets_of_queries_are_not():
    _, notes = make_conditions("entities", 40, 3, splits=[4, 8, 9, 40])
    assert notes == (
        "groups of 1 and 4 entities are small (fewer than 5), so that values say little; take fewer splits or more "
        "entities",
    )
    assert make_conditions("queries", 8, 3, splits=4)[1] == ()


@pytest.mark.parametrize(
    ("what", "items", "systems", "asked", "message"),
    [
        ("entities", 30, 1, {}, "1 system in the data; a measure is tried on at least 2, so add another"),
        (
            "entities",
            30,
            3,
            {"splits": 31},
            "30 entities cannot be cut into 31 parts of at least 1; ask for at most 30",
        ),
        ("entities", 30, 3, {"splits": [2, 12], "entities": 11}, "11 entities cannot be cut into 12 parts"),
        ("queries", 30, 3, {"splits": 16}, "30 queries cannot be cut into 16 parts of at least 2; ask for at most 15"),
        (
            "entities",
            30,
            3,
            {"splits": 1},
            "splits is 1: a group is one query then, and tests need at least 2; ask for 2",
        ),
        ("queries", 30, 3, {"splits": 1}, "splits is 1: nothing is drawn then; ask for 2 or more"),
        ("queries", 30, 3, {"splits": 0}, "splits is 0, expected a whole number of at least 1"),
        ("queries", 30, 3, {"splits": 2.0}, "splits is 2.0, expected a whole number of at least 1"),
        ("queries", 30, 3, {"splits": True}, "splits is True, expected a whole number"),
        ("queries", 30, 3, {"splits": "2"}, "splits is '2', expected a whole number"),
        ("queries", 30, 3, {"splits": []}, "splits holds no value, expected at least one whole number"),
        ("queries", 30, 3, {"systems": 1}, "systems is 1, expected a whole number of at least 2"),
        ("queries", 30, 3, {"systems": [2, 4]}, "systems is 4, and there are 3; ask for 2 to 3"),
        ("queries", 30, 3, {"entities": 31}, "entities is 31, and there are 30 queries; ask for at most 30"),
        ("entities", 30, 3, {"entities": 1}, "entities is 1, expected a whole number of at least 2"),
        ("entities", 30, 3, {"set_size": 5}, "set_size (--set-size) is for queries; entities are cut by splits"),
        ("queries", 30, 3, {"set_size": 31}, "set_size (--set-size) is 31, of 30 queries; ask for 2 to 30"),
        ("queries", 30, 3, {"set_size": 1}, "set_size (--set-size) is 1, expected a whole number of at least 2"),
        ("queries", 30, 3, {"set_size": 5, "splits": 3}, "says how splits and entities are chosen; leave these out"),
        ("queries", 30, 3, {"set_size": 5, "entities": 9}, "says how splits and entities are chosen; leave these out"),
    ],
)
def test_what_cannot_be_drawn_is_refused(what, items, systems, asked, message):
    with pytest.raises(InputError if "in the data" in message else ParameterError) as caught:
        make_conditions(what, items, systems, **asked)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    assert integers_of_range("splits", [np.int64(3), 3, np.int32(4)], 1) == (3, 4)
    assert integers_of_range("splits", range(2, 5), 1) == (2, 3, 4)
