"""Rows of keys: the hash table and the binary search find what a dictionary finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels import key_index
from rankscope.kernels.key_index import KeyIndex
from rankscope.kernels.text import MULTIPLIER

KEYS = st.integers(-(2**63), 2**63 - 1).filter(lambda key: key != -1)


def rows_by_dictionary(keys, lookups):
    rows = {key: row for row, key in enumerate(keys)}
    return [rows.get(key, -1) for key in lookups]


@given(st.sets(KEYS, max_size=60), st.lists(KEYS, max_size=20), st.sampled_from([1, 20, 1000]))
def test_rows_are_those_of_a_dictionary(keys, others, at_once):
    keys = sorted(keys)
    lookups = [*others, *keys[::2], *keys[::3]]
    index = KeyIndex(np.array(keys, np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_index, "SORTED_LOOKUP_SIZE", at_once)
        patch.setattr(key_index, "PIECE", 7)
        for _ in range(2):
            assert index.find(np.array(lookups, np.int64)).tolist() == rows_by_dictionary(keys, lookups)
    assert index.has_table == (bool(keys) and len(lookups) >= at_once)


def test_many_keys_of_neighbouring_numbers_and_few_lookups_that_build_no_table():
    keys = np.arange(0, 200_000, 2)
    index = KeyIndex(keys)
    assert index.find(np.arange(5000)).tolist() == [i // 2 if i % 2 == 0 else -1 for i in range(5000)]
    assert not index.has_table
    assert (index.find(keys[::-1].copy()) == np.arange(keys.size)[::-1]).all()
    assert index.has_table
    assert (index.find(keys + 1) == -1).all()


def test_keys_that_were_made_to_collide_are_found_by_binary_search():
    inverse = pow(int(MULTIPLIER), -1, 2**64)
    one_slot = [i * inverse % 2**64 for i in range(1, 5000)]  # all begin with the same bits after multiplication
    keys = np.sort(np.array(one_slot, np.uint64).view(np.int64))
    index = KeyIndex(keys)
    assert (index.find(keys[::-1].copy()) == np.arange(keys.size)[::-1]).all()
    assert index.collides
    assert not index.has_table
