"""Pairs of documents of different grades, against two loops."""

import numpy as np
import pytest
from helpers.losses import graded_lists
from helpers.properties import examples
from hypothesis import given

from rankscope.learning.losses.pairwise import chunks_with_all, count_pairs, graded_pairs, pair_chunks


def naive_pairs(grades, offsets):
    return sorted(
        (i, j, q)
        for q, (a, b) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))
        for i in range(a, b)
        for j in range(a, b)
        if grades[i] > grades[j]
    )


def as_triples(pairs):
    return list(zip(pairs.higher.tolist(), pairs.lower.tolist(), pairs.list_index.tolist(), strict=True))


@examples(60)
@given(lists=graded_lists())
def test_all_pairs_are_there_once(lists):
    _, grades, offsets = lists
    expected = naive_pairs(grades, offsets)
    assert sorted(as_triples(graded_pairs(grades, offsets))) == expected
    counts = np.bincount([q for *_, q in expected], minlength=offsets.size - 1)
    assert count_pairs(grades, offsets).tolist() == counts.tolist()


@pytest.mark.parametrize("at_once", [1, 2, 3, 7, 10**6])
@examples(25)
@given(lists=graded_lists())
def test_pairs_some_at_a_time_are_the_same_in_the_same_order(at_once, lists):
    _, grades, offsets = lists
    chunks = list(pair_chunks(grades, offsets, at_once))
    assert [triple for chunk in chunks for triple in as_triples(chunk)] == as_triples(graded_pairs(grades, offsets))
    longest = int(np.diff(offsets).max())
    assert all(chunk.higher.size <= max(at_once, longest) for chunk in chunks)
    if at_once == 10**6:
        assert len(chunks) <= 1


@pytest.mark.parametrize("at_once", [1, 4, 10**6])
@examples(25)
@given(lists=graded_lists())
def test_chosen_documents_meet_all_of_their_list(at_once, lists):
    scores, _, offsets = lists
    chosen = np.flatnonzero(scores > 0)
    found = [triple for chunk in chunks_with_all(chosen, offsets, at_once) for triple in as_triples(chunk)]
    lists_of = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    expected = [(i, j, lists_of[i]) for i in chosen.tolist() for j in range(scores.size) if lists_of[i] == lists_of[j]]
    assert found == expected


def test_a_long_list_is_cut_between_documents():
    grades = np.array([1] * 3 + [0] * 1000)
    chunks = list(pair_chunks(grades, np.array([0, 1003]), at_once=1500))
    assert [chunk.higher.size for chunk in chunks] == [1000, 1000, 1000]
