"""Documents to which runs give the same have the same fused score, to the last bit, which the product promises."""

import numpy as np
import pytest

import rankscope as rs

METHODS = ("comb-sum", "comb-mnz", "comb-anz")
SUMS = (*METHODS, "rrf", "rbc", "isr", "borda")


def scores_of(runs, method, **settings):
    return {(query, doc): score for query, doc, score in rs.fusion.fuse(runs, method, **settings).frame().rows()}


@pytest.mark.parametrize("method", METHODS)
def test_whichever_run_has_which_score_the_sum_is_the_same(method):
    """Six numbers of many digits, dealt out in another way to a second document."""
    rng = np.random.default_rng(3)
    table = rng.random((20_000, 6)) * 10.0 ** rng.integers(-2, 3, (20_000, 6))
    dealt = rng.permuted(table, axis=1)
    runs = [
        {"q": {f"{name}{i}": score for name, of in (("a", table), ("b", dealt)) for i, score in enumerate(of[:, r])}}
        for r in range(6)
    ]
    found = scores_of(runs, method, normalise="none")
    assert all(found["q", f"a{i}"] == found["q", f"b{i}"] for i in range(len(table)))


@pytest.mark.parametrize(
    ("method", "normalise"),
    [(method, how) for method in SUMS for how in (("sum", "z-score", "min-max") if method in METHODS else (None,))],
)
def test_the_order_of_lines_and_other_queries_change_no_score(method, normalise):
    rng = np.random.default_rng(4)
    runs = [
        {f"q{q}": {f"d{d}": float(rng.random()) for d in rng.permutation(60)[:40]} for q in range(8)} for _ in range(5)
    ]
    whole = scores_of(runs, method, normalise=normalise)
    turned = [{q: dict(reversed(docs.items())) for q, docs in reversed(run.items())} for run in runs]
    assert scores_of(turned[::-1], method, normalise=normalise) == whole
    for query in runs[0]:
        alone = scores_of([{query: run[query]} for run in runs], method, normalise=normalise)
        assert alone == {key: score for key, score in whole.items() if key[0] == query}
