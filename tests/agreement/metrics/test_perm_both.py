"""Permuted metrics: the fast forms against matrices put together swap by swap."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.agreement.metrics import perm_both as swapped_epsilons
from rankscope.agreement.metrics import perm_both as swapped_taus
from rankscope.agreement.metrics.perm_both import differences_by_matrix, permuted_differences
from rankscope.agreement.statistics import STATISTICS, from_matrices
from rankscope.kernels import resample
from rankscope.kernels.resample import draw
from rankscope.kernels.swaps import SWAPS

NAN = np.nan
FAST = [
    *(("pearson", grouping) for grouping in STATISTICS["pearson"].groupings),
    *((statistic, "means") for statistic in ("spearman", "kendall_b", "pairwise_accuracy")),
    *(("kendall_b", grouping) for grouping in ("none", "segment")),
    *(("acc_eq", grouping) for grouping in ("none", "segment")),
]
DRAWS = draw(np.random.default_rng(3), 12)


@st.composite
def pairs(draw):
    """Gold and two metrics; few scores, so that many tie, or many; some missing."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 6)))
    scores = draw(st.sampled_from([st.integers(0, 2).map(float), st.integers(-999, 999).map(lambda k: k / 999)]))
    found = draw(arrays(np.float64, (3, *shape), elements=scores))
    found[:, draw(arrays(np.bool_, shape, elements=st.sampled_from([False, False, False, True])))] = NAN
    there = ~np.isnan(found[0])
    assume(there.any())
    found = found[:, there.any(axis=1)][:, :, there.any(axis=0)]
    return found[0], found[1:]


def aligned(gold, pair):
    """A grid of these matrices, and the scores of both metrics as lists."""
    scores = from_matrices(gold, pair)
    return scores, scores.metrics


def both_ways(gold, pair, statistic, grouping, epsilons, swap, observed=None):
    asked = (*aligned(gold, pair), STATISTICS[statistic], grouping, epsilons, DRAWS, swap, DRAWS)
    fast = np.concatenate(list(permuted_differences(*asked, observed)))
    return fast, np.concatenate(list(differences_by_matrix(*asked)))


@examples(80)
@given(pairs(), st.sampled_from(FAST), st.sampled_from(SWAPS), st.sampled_from([None, (0.0, 0.0), (0.1, 0.6)]))
def test_fast_forms_are_what_the_statistic_of_each_permuted_matrix_is(given_, asked, swap, epsilons):
    close = None if epsilons is None and asked[0] == "acc_eq" else np.array(epsilons or (0.0, 0.0))
    fast, plain = both_ways(*given_, *asked, close, swap)
    np.testing.assert_allclose(fast, plain, atol=1e-9)


@examples(25)
@given(pairs(), st.sampled_from(["segment", "none"]), st.sampled_from([1, 2, 3]))
def test_the_best_epsilon_is_found_whatever_the_size_of_a_block(given_, grouping, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swapped_epsilons, "BLOCK_SIZE", size)
        patch.setattr(swapped_epsilons, "CHUNK_PAIRS", 40)
        fast, plain = both_ways(*given_, "acc_eq", grouping, None, "cells")
    np.testing.assert_allclose(fast, plain, atol=1e-9)


@pytest.mark.parametrize("decimals", [0, 1])
def test_the_best_epsilon_is_found_in_many_blocks(monkeypatch, decimals):
    rng = np.random.default_rng(4)
    gold = rng.normal(size=(6, 40)).round(0)
    pair = (gold + rng.normal(size=(2, 6, 40))).round(decimals + 1)
    monkeypatch.setattr(swapped_epsilons, "BLOCK_SIZE", 32)
    fast, plain = both_ways(gold, pair, "acc_eq", "segment", None, "cells")
    np.testing.assert_allclose(fast, plain, atol=1e-9)
    assert np.unique(fast).size > 5


@examples(40)
@given(pairs(), st.floats(-0.5, 0.5), st.sampled_from(SWAPS))
def test_taus_that_were_not_counted_out_are_on_their_side_of_what_was_observed(given_, observed, swap):
    fast, plain = both_ways(*given_, "kendall_b", "none", None, swap, observed)
    assert (np.isnan(fast) == np.isnan(plain)).all()
    for bound in (observed, -observed):
        np.testing.assert_array_equal(fast >= bound - 1e-10, plain >= bound - 1e-10)
        np.testing.assert_array_equal(fast <= bound + 1e-10, plain <= bound + 1e-10)


def test_few_taus_of_metrics_with_ties_are_counted_out(monkeypatch):
    rng = np.random.default_rng(1)
    gold = rng.normal(size=(8, 60))
    pair = (gold + rng.normal(size=(2, 8, 60))).round(1)
    counted = []
    plain = swapped_taus.surplus_of_rows
    monkeypatch.setattr(swapped_taus, "surplus_of_rows", lambda g, rows: counted.append(len(rows)) or plain(g, rows))
    draws = draw(np.random.default_rng(1), 500)
    list(permuted_differences(*aligned(gold, pair), STATISTICS["kendall_b"], "none", None, draws, "cells", draws, 0.02))
    assert 0 < sum(counted) < 100


@pytest.mark.parametrize(("statistic", "grouping"), FAST)
def test_chunks_change_nothing(monkeypatch, statistic, grouping):
    rng = np.random.default_rng(6)
    gold = rng.integers(0, 4, (4, 9)).astype(float)
    pair = rng.integers(0, 6, (2, 4, 9)).astype(float)
    draws = draw(np.random.default_rng(1), 30)
    epsilons = np.zeros(2) if statistic != "acc_eq" else None
    asked = (*aligned(gold, pair), STATISTICS[statistic], grouping, epsilons, draws, "cells", draws)
    whole = np.concatenate(list(permuted_differences(*asked)))
    monkeypatch.setattr(resample, "NUMBERS", 4 * 9 * 7)
    parts = list(permuted_differences(*asked))
    assert [len(part) for part in parts] == [7, 7, 7, 7, 2]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-12)
