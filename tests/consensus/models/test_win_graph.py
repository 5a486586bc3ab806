"""Whether comparisons have a maximum of the likelihood."""

import itertools

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rankscope import Preferences
from rankscope.consensus.models import fit_preferences
from rankscope.consensus.models.bradley_terry import connected, davidson_has_maximum
from rankscope.consensus.models.bradley_terry_likelihood import contexts_of
from rankscope.errors import InputError


@st.composite
def comparisons(draw):
    n = draw(st.integers(2, 5))
    place = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(place, place, st.integers(-1, 1)), min_size=1, max_size=10))
    rows = [row for row in rows if row[0] != row[1]] or [(0, 1, 1)]
    left, right, outcome = np.array(rows).T
    return Preferences(systems=tuple("abcde"[:n]), left=left, right=right, outcome=outcome)


def directions(seen):
    """Whether there are groups of which one never won, and whether ties can go with strengths that grow: by search."""
    n = len(seen.systems)
    arcs = [(i, j) for i, j, o in zip(seen.left, seen.right, seen.outcome, strict=True) if o >= 0]
    arcs += [(j, i) for i, j, o in zip(seen.left, seen.right, seen.outcome, strict=True) if o <= 0]
    groups = [set(group) for size in range(1, n) for group in itertools.combinations(range(n), size)]
    split = any(not any(i in group and j not in group for i, j in arcs) for group in groups)
    rows, limits = [], []
    for i, j, o in zip(seen.left, seen.right, seen.outcome, strict=True):
        gap = np.eye(n)[i] - np.eye(n)[j]
        rows += [gap, -gap] if o == 0 else [-o * gap]
        limits += [1, 1] if o == 0 else [-1]
    drifts = linprog(np.zeros(n), np.array(rows), limits, bounds=(None, None)).status == 0
    return split, drifts


@examples(80)
@given(comparisons())
def test_a_maximum_exists_where_no_direction_makes_all_more_likely(seen):
    split, drifts = directions(seen)
    contexts = contexts_of(seen)
    sums = contexts.observed()
    assert connected(contexts, sums)[0] == (not split)
    if not split:
        assert davidson_has_maximum(contexts, sums)[0] == (not drifts)
        assert np.abs(fit_preferences(seen).ratings).max() < 10
        if not drifts:
            assert np.isfinite(fit_preferences(seen, model="davidson").ratings).all()


@examples(30)
@given(comparisons(), st.integers(0, 100))
def test_draws_are_looked_at_one_by_one(seen, seed):
    contexts = contexts_of(seen)
    counts = np.random.default_rng(seed).integers(0, 2, (6, contexts.unit_counts.size))
    together = contexts.sums(counts)
    for draw, row in enumerate(counts):
        alone = contexts.sums(row[None])
        assert connected(contexts, alone)[0] == connected(contexts, together)[draw]
        assert davidson_has_maximum(contexts, alone)[0] == davidson_has_maximum(contexts, together)[draw]


def test_groups_are_named_the_best_first():
    wins = [("C", "D", "tie"), ("A", "B", "A"), ("B", "A", "B"), ("A", "C", "A"), ("B", "D", "B")]
    with pytest.raises(InputError, match=r"\b2 groups\b.*\bA, B; C, D;.*--prior"):
        fit_preferences(Preferences.of(wins))


def test_systems_that_never_met_are_refused():
    wins = [("A", "B", "A"), ("A", "B", "B"), ("C", "D", "C"), ("C", "D", "D")]
    with pytest.raises(InputError, match="2 groups"):
        fit_preferences(Preferences.of(wins))


def test_of_many_groups_some_are_named():
    wins = [(f"s{i:02d}", f"s{i + 1:02d}", f"s{i:02d}") for i in range(12)]
    with pytest.raises(InputError, match=r"\b13 groups.*\bs00;.*\b7 more") as error:
        fit_preferences(Preferences.of(wins))
    assert "\n" not in str(error.value)
