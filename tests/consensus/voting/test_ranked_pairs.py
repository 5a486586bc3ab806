"""Ranked pairs against the definition, step by step."""

import numpy as np
import pytest
from helpers.voter_places import random_levels

from rankscope.consensus import RankedPairs
from rankscope.consensus.voting.ranked_pairs import lock_pairs
from rankscope.errors import ParameterError


def closed(edges, n):
    """Who stands above whom by chains of edges: (n, n)."""
    reach = np.zeros((n, n), np.bool_)
    for a, b in edges:
        reach[a, b] = True
    for k in range(n):
        reach |= reach[:, [k]] & reach[[k], :]
    return reach


def by_definition(levels):
    """Locked are, of each strength, those that close no circle with what is locked and what is as strong."""
    n, locked, left_out = len(levels), [], 0
    for level in range(int(levels.max()), 0, -1):
        above = closed(locked, n)
        group = [tuple(pair) for pair in np.argwhere((levels == level) & ~above & ~above.T).tolist()]
        if not group:
            continue
        reach = closed(locked + group, n)
        left_out += sum(reach[b, a] for a, b in group)
        locked += [(a, b) for a, b in group if not reach[b, a]]
    return closed(locked, n), left_out


@pytest.mark.parametrize(("items", "most"), [(4, 2), (6, 4), (6, 60), (9, 6), (10, 100)])
def test_what_is_locked_follows_the_definition(items, most):
    for levels in random_levels(items + most, 12, items, most):
        above, left_out = lock_pairs(levels)
        expected, number = by_definition(levels)
        assert above.tolist() == expected.tolist()
        assert len(left_out) == number
        assert not (above & above.T).any()


def test_without_majorities_nothing_is_locked():
    above, left_out = lock_pairs(np.zeros((3, 3), np.int64))
    assert (above.any(), left_out) == (False, [])


def test_majorities_that_differ_leave_no_tie():
    strengths = np.random.default_rng(6).permutation(7 * 7).reshape(7, 7) + 1
    found, left_out = lock_pairs(np.where(strengths > strengths.T, strengths, 0))
    assert found.sum() == 7 * 6 / 2
    assert left_out == []


@pytest.mark.parametrize(
    ("options", "message"), [({"strength": "votes"}, "strength is"), ({"unranked": 1}, "unranked")]
)
def test_other_options_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        RankedPairs(**options).order([["A", "B"], ["B", "A"]])
