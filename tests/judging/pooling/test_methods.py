"""Each method of pooling does what its paper says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers.naive_pooling import bandit, by_depth, hedge, move_to_front
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import ParameterError, UnknownName
from rankscope.judging.pooling import METHODS
from rankscope.judging.pooling.adjudication import rank_losses
from rankscope.judging.pooling.judgment_pool import PoolSettings
from rankscope.judging.pooling.methods import even_shares

#: Two runs, of which A is good at first and B later on.
LISTS = {"A": "abcd", "B": "efgh"}
RELEVANT = frozenset("abf")


def runs_of(lists: dict[str, Any], query: str = "q") -> list[rs.Run]:
    return [rs.Run({query: {doc: -float(i) for i, doc in enumerate(docs)}}, name=name) for name, docs in lists.items()]


def played(method: str, **options: Any) -> str:
    """The documents in the order in which they are judged when all judgments are known."""
    judged: dict[str, int] = {}
    order = ""
    while True:
        given_ = {"q": judged} if judged else None
        found = rs.judging.pool(runs_of(LISTS), depth=4, budget=1, method=method, judged=given_, rng=3, **options)
        docs = found.documents()["doc_id"].to_list()
        if not docs:
            return order
        order += docs[0]
        judged[docs[0]] = int(docs[0] in RELEVANT)


def test_depth_takes_documents_by_their_best_rank() -> None:
    assert played("depth") == "ea" + "fb" + "gc" + "hd"


def test_a_run_goes_on_while_its_documents_are_relevant_and_the_front_is_whoever_failed_least() -> None:
    # e fails: A is in front with a and b, until c fails. Both failed once then: f of B stands higher than d, and is
    # relevant; g fails, B failed twice; d fails: both failed twice.
    assert played("mtf") == "e" + "abc" + "fg" + "d" + "h"


def test_the_run_with_the_best_mean_is_played() -> None:
    # Means of (h + 1) / (n + 2): after e, B has 1/3 and A 1/2; a: 2/3, b: 3/4, c: 3/5, d: 3/6; then only B is left.
    assert played("bandit") == "e" + "abcd" + "fgh"


def test_at_rate_0_only_the_last_judgment_of_a_run_counts() -> None:
    # A has 2/3 after a and b, and 1/3 after c, as B after e: f stands higher than d. After g both have 1/3: h by id.
    assert played("bandit", rate=0) == "e" + "abc" + "fg" + "h" + "d"


def test_losses_of_hedge_are_those_of_the_paper() -> None:
    # Three documents a, b, c; one run has a and b, the other b and c. What a run lacks has the mean over ranks behind.
    losses = rank_losses(np.array([[1, 0], [2, 1], [0, 2]]))
    ln = math.log
    assert np.allclose(losses, [[ln(3) / 2, 0], [ln(1.5) / 2, ln(3) / 2], [0, ln(1.5) / 2]])
    alone = rank_losses(np.array([[1], [0], [0]]))
    assert np.allclose(alone[1:], (ln(3 / 2) + ln(3 / 3)) / 2 / 2)


def test_hedge_trusts_runs_by_what_was_judged() -> None:
    lists = {"A": "ab", "B": "bc"}
    losses = {"a": (math.log(3) / 2, 0.0), "b": (math.log(1.5) / 2, math.log(3) / 2), "c": (0.0, math.log(1.5) / 2)}
    # At first both runs weigh 1, and b, which both have, is at most. Then each weighs beta ** its loss.
    assert max(losses, key=lambda doc: sum(losses[doc])) == "b"
    assert rs.judging.pool(runs_of(lists), depth=2, budget=1, method="hedge").documents()["doc_id"].to_list() == ["b"]
    for grade, then in ((0, "a"), (1, "c")):
        weights = [0.01 ** (loss * (-1 if grade else 1)) for loss in losses["b"]]
        mixed = {doc: sum(w * loss for w, loss in zip(weights, losses[doc], strict=True)) for doc in "ac"}
        assert max(mixed, key=mixed.__getitem__) == then
        judged = {"q": {"b": grade}}
        found = rs.judging.pool(runs_of(lists), depth=2, budget=1, method="hedge", beta=0.01, judged=judged)
        assert found.documents()["doc_id"].to_list() == [then]


lists_of_runs = st.lists(st.permutations("abcdefgh"), min_size=1, max_size=4).flatmap(
    lambda rankings: st.tuples(*(st.integers(1, 8).map(lambda n, r=ranking: r[:n]) for ranking in rankings))
)
subsets = st.sets(st.sampled_from("abcdefgh"))


@pytest.mark.parametrize("name", METHODS)
@examples(20)
@given(rankings=lists_of_runs, relevant=subsets, free=subsets, budget=st.integers(1, 9))
def test_arrays_do_what_loops_over_the_lists_do(
    name: str, rankings: Any, relevant: set[str], free: set[str], budget: int
) -> None:
    lists = {f"run {i}": ranking for i, ranking in enumerate(rankings)}
    judged = {"q": {**{doc: int(doc in relevant) for doc in sorted(free)}, "elsewhere": 1}}
    found = rs.judging.pool(runs_of(lists), depth=8, budget=budget, method=name, judged=judged, rng=5)
    known = relevant & free  # what is not judged yet counts as not relevant
    stream = np.random.default_rng(5).spawn(1)[0]
    loops = {
        "depth": by_depth,
        "mtf": move_to_front,
        "mtf-global": move_to_front,
        "hedge": hedge,
        "bandit": bandit,
        "thompson": lambda *given: bandit(*given, stream=stream),
    }
    assert found.documents()["doc_id"].to_list() == loops[name](lists, known, free, budget)


@examples(20)
@given(
    rankings=st.lists(lists_of_runs, min_size=2, max_size=3),
    relevant=st.lists(subsets, min_size=3, max_size=3),
    rate=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_queries_in_step_do_what_each_does_alone(rankings: Any, relevant: list[set[str]], rate: float) -> None:
    names = [f"run {i}" for i in range(4)]
    runs = [
        rs.Run(
            {
                f"q{q}": {doc: -float(i) for i, doc in enumerate(lists[r])}
                for q, lists in enumerate(rankings)
                if r < len(lists)
            },
            name=name,
        )
        for r, name in enumerate(names)
        if any(r < len(lists) for lists in rankings)
    ]
    qrels = {f"q{q}": {doc: int(doc in good) for doc in "abcdefgh"} for q, good in enumerate(relevant)}
    found = rs.judging.play_back(runs, qrels, "bandit", depth=8, rate=rate).relevance_by_method[
        f"bandit(rate={rate:g})"
    ]
    alone = []
    for lists, good in zip(rankings, relevant, strict=False):
        order = bandit({names[r]: ranking for r, ranking in enumerate(lists)}, good, set(), 99, rate)
        alone.append([doc in good for doc in order])
    steps = [one[k] for k in range(8) for one in alone if k < len(one)]
    assert found.tolist() == steps


@examples(40)
@given(open_=st.lists(st.integers(0, 9), min_size=1, max_size=6), budget=st.integers(0, 60))
def test_queries_share_a_budget_round_by_round(open_: list[int], budget: int) -> None:
    left, shares = budget, [0] * len(open_)
    while left and shares != open_:
        for q, most in enumerate(open_):
            if left and shares[q] < most:
                shares[q] += 1
                left -= 1
    assert even_shares(np.array(open_), budget).tolist() == shares


def test_over_all_queries_at_once_those_with_more_to_find_get_more() -> None:
    lists = {f"q{q}": {f"d{i}": -float(i) for i in range(6)} for q in range(2)}
    qrels = {"q0": {f"d{i}": 1 for i in range(6)}, "q1": {"d0": 0}}
    runs = [rs.Run(lists, name="one"), rs.Run(lists, name="two")]
    assert rs.judging.play_back(runs, qrels, "mtf", 6, depth=6).relevant("mtf")[-1] == 3
    assert rs.judging.play_back(runs, qrels, "mtf-global", 6, depth=6).relevant("mtf-global")[-1] >= 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "depth", "rate": 0.5}, "rate needs method='bandit' or 'thompson', not 'depth'"),
        ({"method": "bandit", "rate": 1.5}, r"rate is 1\.5, .* 0 and of at most 1"),
        ({"method": "hedge", "beta": 1.0}, r"beta is 1\.0, .*0 and 1"),
        ({"method": "mtf", "beta": 0.5}, "beta needs method='hedge', not 'mtf'"),
    ],
)
def test_parameters_of_other_methods_and_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PoolSettings(**options)


def test_a_misspelt_method_is_told() -> None:
    with pytest.raises(UnknownName, match="did you mean hedge"):
        PoolSettings(method="hedg")
