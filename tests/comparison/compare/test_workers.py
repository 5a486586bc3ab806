"""Comparisons whose parts several workers share: bit for bit those of one."""

from pathlib import Path

import numpy as np
import pytest
from helpers.same import assert_same_bits

import rankscope as rs
import rankscope.parallel.pool
from rankscope.comparison.compare import pair_tests as tested
from rankscope.errors import ParameterError

FIELDS = ("difference", "low", "high", "statistic", "pvalue", "pvalue_corrected")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(3)
    queries = [f"q{i}" for i in range(30)]
    qrels = {query: {f"d{j}": int(rng.integers(3)) for j in range(12)} for query in queries}
    runs = [
        rs.Run({query: {f"d{j}": float(rng.random()) for j in range(12)} for query in queries}, name=name)
        for name in "abcde"
    ]
    return rs.evaluate(qrels, runs, ["nDCG@5", "AP"])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the test forks")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "bayes-signed-rank", "randomised-tukey"])
def test_any_number_of_workers_gives_the_bits_of_one(scores, test, monkeypatch):
    # Polars, loaded by other tests, is not used here.
    monkeypatch.setattr(rankscope.parallel.pool, "start_method", lambda: "fork")
    monkeypatch.setattr(tested, "AT_ONCE", 100)  # 3 pairs: 4 parts a measure
    interval = "t" if test == "randomised-tukey" else "bca"
    told: list[int] = []
    one, two, four, usual = (
        rs.compare(scores, test=test, interval=interval, n_resamples=200, rng=1, workers=n, progress=told.append)
        for n in (1, 2, 4, None)
    )
    assert sum(told) == 4 * 2 * 10
    for other in (two, four, usual):
        assert other.notes == one.notes
        for a, b in zip(one.comparisons, other.comparisons, strict=True):
            for name in FIELDS:
                assert_same_bits({name: getattr(a, name)}, {name: getattr(b, name)})


@pytest.mark.parametrize("workers", [0, -2, 2.5, "2"])
def test_what_is_no_number_of_workers_is_refused(scores, workers):
    with pytest.raises(ParameterError, match=r"workers is .*, .*1 to 1024"):
        rs.compare(scores, workers=workers)
