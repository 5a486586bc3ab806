"""As of other rankers: a score is that of the document, with attention of its list, to the last bit: it is promised."""

from functools import cache

import numpy as np
import pytest

from rankscope.learning import Blend, Ranker

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch import TorchRanker, scoring  # noqa: E402 - it asks for PyTorch

RNG = np.random.default_rng(28)
LENGTHS = np.array([1, 9, 30, 2, 5, 9, 1, 17, 4])
QID = np.repeat(np.arange(LENGTHS.size), LENGTHS)
X = RNG.lognormal(0, 2, (QID.size, 7)) * RNG.choice([-1.0, 1.0], (QID.size, 7))
X[RNG.integers(0, len(X), 30)] = X[RNG.integers(0, len(X), 30)]
X[12:15] = X[11]  # of the longest list
Y = RNG.integers(0, 3, QID.size)
QUICK = {"epochs": 2, "device": "cpu", "batch_lists": 3}
EVERY = {
    "linear": TorchRanker("ranknet", hidden=(), **QUICK),
    "network": TorchRanker("listnet", hidden=(33, 6), **QUICK),
    "ranks": TorchRanker("listnet(ranks=True)", hidden=(33, 6), transform="none", **QUICK),
    "attention": TorchRanker("listnet", hidden=(12,), attention=1, **QUICK),
    "two layers": TorchRanker("ranknet", hidden=(9, 24), attention=2, heads=4, models=2, transform="none", **QUICK),
    "blend": Blend([TorchRanker("listnet", hidden=(8,), attention=1, **QUICK), Ranker("listnet", hidden=())]),
}


@cache
def trained(name):
    return EVERY[name].fit(X, Y, QID, eval_set=(X, Y), eval_qid=QID)


@pytest.mark.parametrize("name", EVERY)
def test_equal_rows_of_a_list_have_equal_scores(name):
    ranker = trained(name)
    assert len(set(ranker.predict(X, QID)[11:15])) == 1
    for n in (1, 2, 7, 33, 100):
        assert len(set(ranker.predict(np.tile(X[:1], (n + 1, 1)), [0] * n + [1])[:n])) == 1


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_documents_and_of_queries_changes_no_score(name):
    ranker = trained(name)
    scores = ranker.predict(X, QID)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        assert (ranker.predict(X[order], QID[order]) == scores[order]).all()


@pytest.mark.parametrize("name", EVERY)
def test_a_query_alone_has_the_scores_that_it_has_beside_longer_ones(name):
    ranker = trained(name)
    scores = ranker.predict(X, QID)
    for query in range(LENGTHS.size):
        rows = np.flatnonzero(query == QID)
        assert (ranker.predict(X[rows], QID[rows]) == scores[rows]).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", EVERY)
def test_batches_and_threads_change_no_score(name, threads, monkeypatch):
    ranker = trained(name)
    scores, before, set_threads = ranker.predict(X, QID), torch.get_num_threads(), torch.set_num_threads
    monkeypatch.setattr(torch, "set_num_threads", lambda _: set_threads(threads))  # which predicting calls with 1
    try:
        for documents, cells in ((1, 1), (20, 50), (1000, 1 << 20))[threads - 1 :]:  # one document is for one thread
            monkeypatch.setitem(scoring.DOCUMENTS_AT_ONCE, "cpu", documents)
            monkeypatch.setitem(scoring.CELLS, "cpu", cells)
            assert (ranker.predict(X, QID) == scores).all()
    finally:
        set_threads(before)


def test_powers_and_roots_are_those_of_numpy_within_what_scores_need():
    values = -np.concatenate([np.zeros(1), RNG.exponential(5, 2000), np.linspace(0, 590, 2001)])
    assert scoring.power(torch.from_numpy(values)).numpy() == pytest.approx(np.exp(values), rel=1e-9)
    values = np.concatenate([np.full(1, 1e-5), RNG.lognormal(0, 8, 2000)])
    assert scoring.inverse_root(torch.from_numpy(values)).numpy() == pytest.approx(values**-0.5, rel=1e-14)


def test_without_attention_scores_are_those_of_a_ranker_with_the_same_weights():
    """Both are exact, and so the same bits: of what computes them nothing is left to see."""
    for name in ("linear", "network"):
        torch_ranker = trained(name)
        plain = Ranker("ranknet", hidden=torch_ranker.hidden, epochs=1).fit(X, Y, QID)
        plain.models_, plain.scaling_ = torch_ranker.models_, torch_ranker.scaling_
        assert (plain.predict(X) == torch_ranker.predict(X)).all()
