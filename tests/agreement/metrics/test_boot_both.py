"""Statistics of samples given as counts, against samples that are put together."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.agreement.metrics.boot_both import bootstrap_values, statistic_by_counts
from rankscope.agreement.statistics import STATISTICS, from_matrices, sampled_items, values_of_stack
from rankscope.kernels import resample
from rankscope.kernels.resample import draw

NAN = np.nan
FAST = [
    *(("pearson", grouping) for grouping in STATISTICS["pearson"].groupings),
    *((statistic, "means") for statistic in ("spearman", "kendall_b", "pairwise_accuracy")),
    ("kendall_b", "segment"),
    *((name, grouping) for name in ("acc_eq", "wmt13", "wmt14", "tau23") for grouping in ("none", "segment", "system")),
    *((name, grouping) for name in ("spearman", "kendall_c") for grouping in ("none", "segment", "system")),
    ("kendall_b", "none"),
    ("kendall_b", "system"),
]
SOFT = draw(np.random.default_rng(1), 20)


@st.composite
def samples(draw):
    """Gold, a metric, and counts of systems and segments that make up whole samples."""
    systems, segments = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    scores = draw(st.sampled_from([st.integers(0, 2).map(float), st.integers(-999, 999).map(lambda k: k / 999)]))
    found = draw(arrays(np.float64, (2, systems, segments), elements=scores))
    gone = draw(arrays(np.bool_, (systems, segments), elements=st.sampled_from([False, False, False, True])))
    found[:, gone] = NAN
    assume(not gone.all())
    counts = []
    for n in (systems, segments):
        drawn = draw(arrays(np.int64, (3, n), elements=st.integers(0, n - 1)))
        counts.append(np.stack([np.bincount(row, minlength=n) for row in drawn]).astype(np.float64))
    return found, counts


def by_hand(gold, metric, statistic, grouping, system_counts, segment_counts):
    """The statistic of each sample, put together as matrices of its own."""
    values = []
    for systems, segments in zip(sampled_items(system_counts), sampled_items(segment_counts), strict=True):
        sample = [matrix[systems][:, segments] for matrix in (gold, metric)]
        if np.isnan(sample).all():
            values.append(NAN)
            continue
        scores = from_matrices(sample[0], sample[1])
        values.append(values_of_stack(scores, scores.metrics, STATISTICS[statistic], grouping, 0.25, SOFT)[0])
    return values


@examples(120)
@given(samples(), st.sampled_from(FAST))
def test_counts_give_what_the_samples_give(given_, asked):
    (gold, metric), counts = given_
    scores = from_matrices(gold, metric)
    fast = statistic_by_counts(scores, scores.metrics[0], STATISTICS[asked[0]], asked[1], 0.25, SOFT)
    np.testing.assert_allclose(fast(*counts), by_hand(gold, metric, *asked, *counts), atol=1e-9)


def test_places_repeat_what_counts_several_times():
    assert sampled_items(np.array([[2.0, 0, 1], [0.0, 3, 0]])).tolist() == [[0, 0, 2], [1, 1, 1]]


@pytest.mark.parametrize("systems", [True, False])
def test_samples_are_the_same_for_all_metrics_and_sizes_of_chunks(monkeypatch, systems):
    rng = np.random.default_rng(2)
    gold = rng.normal(size=(4, 8))
    metrics = gold + rng.normal(size=(3, 4, 8))
    of_systems, of_segments = (draw(np.random.default_rng(seed), 25) for seed in (1, 2))
    pearson = STATISTICS["pearson"]
    asked = (pearson, "segment", np.full(3, NAN), of_systems if systems else None, of_segments, SOFT)
    together = bootstrap_values(from_matrices(gold, metrics), *asked)
    alone = bootstrap_values(from_matrices(gold, metrics[1:2]), pearson, "segment", asked[2][:1], *asked[3:])
    np.testing.assert_allclose(together[1], alone[0])
    monkeypatch.setattr(resample, "NUMBERS", 4 * 8 * 4)
    np.testing.assert_allclose(bootstrap_values(from_matrices(gold, metrics), *asked), together)
