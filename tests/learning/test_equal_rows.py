"""A document's score is its own: equal to the last bit whatever stands beside it, which the product promises."""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from rankscope import Features
from rankscope.kernels import trees
from rankscope.learning import Blend, Ranker, load_ranker, network, save_ranker, scaling
from rankscope.learning.blend import NORMALISATIONS
from rankscope.learning.scaling import TRANSFORMS

WIDTH = 11
RNG = np.random.default_rng(27)
TREES = "lambdamart(trees=12, leaves=6, min_documents=5)"
#: The blocks of products and of kernels of trees end at such numbers of rows.
TILED = (1, 2, 3, 7, 16, 33, 100, 515)


def lists(n, longest=14):
    """(X, y, qid): features of many sizes, rows of which some stand twice, queries that lie one after the other."""
    lengths = RNG.integers(1, longest, n)
    lengths[:2] = 1, longest
    rows = int(lengths.sum())
    values = RNG.lognormal(0, 2, (rows, WIDTH)) * RNG.choice([-1.0, 1.0], (rows, WIDTH))
    values[RNG.integers(0, rows, rows // 3)] = values[RNG.integers(0, rows, rows // 3)]
    return values, RNG.integers(0, 3, rows), np.repeat(np.arange(n), lengths)


TRAIN, TEST = lists(30), lists(16)
PLAIN = {
    "linear": Ranker("listnet", hidden=(), epochs=8),
    "linear by Adam": Ranker("lambdaloss", hidden=(), epochs=2),
    **{f"network, {name}": Ranker("listnet", hidden=(16, 8), epochs=2, transform=name) for name in TRANSFORMS},
    "deep network": Ranker("ranknet", hidden=(64, 33, 7, 5), epochs=2),
    "networks": Ranker("listnet", hidden=(70,), epochs=1, models=3),
    "trees": Ranker(TREES),
    "more trees": Ranker(TREES.replace("12", "40"), models=2),
    "fixed blend": Blend([Ranker("listnet", hidden=(5,), epochs=1) for _ in range(3)], normalise="fixed"),
}
#: Such as look at whole lists.
OF_LISTS = {
    "network of ranks": Ranker("listnet(ranks=True)", hidden=(16,), epochs=2),
    "trees of ranks": Ranker(TREES.replace(")", ", ranks=True)")),
    **{
        f"blend by {name}": Blend(
            [Ranker("listnet", hidden=(), epochs=5), Ranker("ranknet", hidden=(6,), epochs=1), Ranker(TREES)],
            normalise=name,
        )
        for name in NORMALISATIONS
        if name != "fixed"
    },
    "stacked blend": Blend(
        [Ranker("listnet", hidden=(), epochs=5), Ranker("ranknet(ranks=True)", hidden=(6,), epochs=1)], how="stacked"
    ),
}
EVERY = {**PLAIN, **OF_LISTS}


@cache
def trained(name):
    if "trees" in name or "blend by" in name:
        pytest.importorskip("lightgbm", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")
    X, y, qid = TRAIN
    return EVERY[name].fit(X, y, qid, eval_set=(X, y), eval_qid=qid)


@pytest.mark.parametrize("name", PLAIN)
def test_equal_rows_have_equal_scores_however_many_there_are(name):
    ranker = trained(name)
    for row in TEST[0][:2]:
        assert {score for n in TILED for score in ranker.predict(np.tile(row, (n, 1)))} == {
            ranker.predict(row[None])[0]
        }


@pytest.mark.parametrize("name", EVERY)
def test_equal_rows_of_a_list_have_equal_scores(name):
    X, _, qid = TEST
    scores = trained(name).predict(X, qid)
    rows = list(zip(qid.tolist(), map(bytes, X), strict=True))
    own = rows if name in OF_LISTS else [row for _, row in rows]
    assert len(set(own)) < len(own)
    assert len(set(zip(own, scores, strict=True))) == len(set(own))


@pytest.mark.parametrize("name", OF_LISTS)
def test_lists_of_equal_rows_have_equal_scores(name):
    ranker = trained(name)
    for n in TILED:
        scores = ranker.predict(np.tile(TEST[0][0], (n + 1, 1)), [0] * n + [1])
        assert len(set(scores[:n])) == 1


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_documents_and_of_queries_changes_no_score(name):
    X, _, qid = TEST
    ranker = trained(name)
    scores = ranker.predict(X, qid)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        assert (ranker.predict(X[order], qid[order]) == scores[order]).all()


@pytest.mark.parametrize("name", EVERY)
def test_a_query_alone_has_the_scores_that_it_has_in_a_file(name):
    X, _, qid = TEST
    ranker = trained(name)
    scores = ranker.predict(Features.of(X, None, qid))
    for query in np.unique(qid):
        rows = qid == query
        assert (ranker.predict(X[rows], qid[rows]) == scores[rows]).all()
    # And in a longer file, in which rows stand elsewhere.
    twice = ranker.predict(np.concatenate([X[::-1], X]), np.concatenate([qid[::-1], 1000 + qid]))
    assert (twice == np.concatenate([scores[::-1], scores])).all()


@pytest.mark.parametrize("name", EVERY)
def test_the_size_of_blocks_changes_no_score(name, monkeypatch):
    X, _, qid = TEST
    ranker = trained(name)
    scores = ranker.predict(X, qid)
    for size in (1, 3, 8, 100):
        monkeypatch.setattr(network, "DOCUMENTS_AT_ONCE", size)
        monkeypatch.setattr(trees, "AT_ONCE", size)
        monkeypatch.setattr(scaling, "SCALED_AT_ONCE", size)
        assert (ranker.predict(X, qid) == scores).all()


SCORES_OF_MODELS = """
import sys
import numpy as np
from rankscope.learning import load_ranker
X, qid = np.load(sys.argv[1]), np.load(sys.argv[2])
for path in sys.argv[3:]:
    ranker = load_ranker(path)
    print(ranker.predict(X, qid).tobytes().hex())
    print(len(set(ranker.predict(np.tile(X[:1], (7, 1)), [0] * 7))))
"""


#: What OpenMP and OpenBLAS are told; where there is no such processor, or no OpenBLAS, the latter changes nothing.
SETTINGS = (
    {"OMP_NUM_THREADS": "1"},
    {"OMP_NUM_THREADS": "2"},
    {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell"},
    {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Prescott"},
)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: " ".join(one.values()))
def test_threads_and_kernels_of_linear_algebra_change_no_score(setting, tmp_path):
    """In the same bits, too: no sum is rounded, and logarithms, which a library may round otherwise, are in none."""
    X, _, qid = TEST
    names = [name for name in PLAIN if name in ("linear", "network, standard", "network, none")]
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "qid.npy", qid)
    expected = []
    for i, name in enumerate(names):
        ranker = trained(name)
        save_ranker(ranker, tmp_path / f"{i}.model")
        assert load_ranker(tmp_path / f"{i}.model").predict(X, qid).tobytes() == ranker.predict(X, qid).tobytes()
        expected += [ranker.predict(X, qid).tobytes().hex(), "1"]
    paths = [str(tmp_path / name) for name in ("X.npy", "qid.npy", *(f"{i}.model" for i in range(len(names))))]
    done = subprocess.run(
        [sys.executable, "-c", SCORES_OF_MODELS, *paths],
        env={**os.environ, **setting},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == expected
