"""Methods of fusion that learn: examples by hand, every method against loops, properties, what is refused."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from helpers.judged_runs import by_document
from helpers.naive_supervised_fusion import applied, learned
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.fusion import TRAINED
from rankscope.fusion.judgments import judge_pool
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import load_pool

WEIGHTED = ("weighted-sum", "weighted-mnz", "mixed")
#: Settings with which every method is tried, those by default among them.
TRIED: list[tuple[str, dict[str, Any]]] = [
    *((name, {"weights": [0.5, 2.0, 0.0, 1.25]}) for name in WEIGHTED),
    ("map-fuse", {}),
    ("pos-fuse", {}),
    *(("prob-fuse", {"segments": n, "judged_only": only}) for n, only in ((1, 0), (3, 0), (3, 1), (25, 0), (25, 1))),
    ("seg-fuse", {}),
    *(("slide-fuse", {"window": w}) for w in (0, 1, 5, 40)),
    ("bayes-fuse", {"smoothed": 0}),
    ("bayes-fuse", {"smoothed": 1}),
]
NAMES = [f"{name} {setting}" for name, setting in TRIED]

Lists = dict[str, dict[str, float]]


def some(seed: int, runs: int = 4, documents: int = 30) -> tuple[list[Lists], dict[str, dict[str, int]]]:
    """Runs with ties that lack queries, and judgments that lack a query, too; one query has nothing relevant."""
    draw = random.Random(seed)
    docs = [f"d{i}" for i in range(documents)]

    def listed() -> dict[str, float]:
        return {doc: draw.randint(0, 12) / 4 for doc in draw.sample(docs, draw.randint(1, documents))}

    queries = [f"q{i}" for i in range(6)]
    found = [{"q0": listed()} | {q: listed() for q in draw.sample(queries[1:], 4)} for _ in range(runs)]
    qrels = {q: {doc: draw.randint(-1, 2) for doc in draw.sample(docs, 12)} for q in queries[:5]}
    qrels["q4"] = dict.fromkeys(qrels["q4"], 0)
    return found, qrels


def learn(
    method: str, runs: Sequence[Lists], qrels: Mapping[str, Mapping[str, int]], setting: Mapping[str, Any]
) -> dict[str, Any]:
    pool = load_pool(runs).pool
    return TRAINED[method].learn(pool, judge_pool(pool, rs.Qrels(qrels)), setting)


def apply(method: str, runs: Sequence[Lists], parameters: Mapping[str, Any], how: str = "min-max") -> Lists:
    pool = load_pool(runs).pool
    return by_document(pool, TRAINED[method].apply(pool, dict(parameters), normalise_pool(pool, how)))


def same(one: Lists, other: Lists, reach: float = 1e-9) -> None:
    assert one.keys() == other.keys()
    for query, scores in one.items():
        assert scores == pytest.approx(other[query], rel=reach, abs=reach)


# By hand: one run has three documents and two, the other has two and lacks the second query.
# Relevant are a, d and e of the first query, and y of the second; b is not, c and x are not judged.
ONE = {"first": {"a": 3.0, "b": 2.0, "c": 1.0}, "second": {"x": 2.0, "y": 1.0}}
OTHER = {"first": {"b": 2.0, "d": 1.0}}
JUDGED = {"first": {"a": 1, "d": 2, "e": 1, "b": 0}, "second": {"y": 1, "x": -1}}
#: Two lists to fuse: m, n, o and n, s.
NEW = [{"q": {"m": 9.0, "n": 8.0, "o": 5.0}}, {"q": {"n": 4.0, "s": 3.0}}]
ABSENT = math.log(0.001 / 0.999)
FIFTH = math.log(0.2 / 0.8)
BY_HAND: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, float]]] = [
    (
        "weighted-sum",
        {"weights": [0.5, 2.0]},
        {"weights": [0.5, 2.0]},
        {"m": 0.5 * 1, "n": 0.5 * 3 / 4 + 2 * 1, "o": 0.0, "s": 0.0},
    ),
    (
        "weighted-mnz",
        {"weights": [0.5, 2.0]},
        {"weights": [0.5, 2.0]},
        {"m": 1 * 0.5, "n": (3 / 4 + 1) * (0.5 + 2), "o": 0.0, "s": 0.0},
    ),
    (
        "mixed",
        {"weights": [0.5, 2.0]},
        {"weights": [0.5, 2.0]},
        {"m": 0.5 * 1, "n": (0.5 * 3 / 4 + 2 * 1) * math.sqrt(2), "o": 0.0, "s": 0.0},
    ),
    (
        # Average precision: a at rank 1 of 3 relevant ones, y at rank 2 of 1; d at rank 2 of 3, and a list that lacks.
        "map-fuse",
        {},
        {"map": [(1 / 1 / 3 + 1 / 2 / 1) / 2, (1 / 2 / 3 + 0) / 2]},
        {"m": 5 / 12, "n": 5 / 12 / 2 + 1 / 12, "o": 5 / 12 / 3, "s": 1 / 12 / 2},
    ),
    (
        # Rank 1: a of a and x; rank 2: y of b and y; rank 3, 0 of c, is left out. The other: b, then d.
        "pos-fuse",
        {},
        {"shares": [[1 / 2, 1 / 2], [0.0, 1.0]]},
        {"m": 1 / 2, "n": 1 / 2 + 0, "o": 0.0, "s": 1.0},
    ),
    (
        # a, b | c and x | y: (1/2 + 0) / 2 and (0 + 1) / 2. The other: b | d. Second segments are divided by 2.
        "prob-fuse",
        {"segments": 2},
        {"shares": [[1 / 4, 1 / 2], [0.0, 1.0]]},
        {"m": 1 / 4, "n": 1 / 4 + 0, "o": 1 / 2 / 2, "s": 1 / 2},
    ),
    (
        # All in one: a of a, b, c and y of x, y; the other d of b, d.
        "prob-fuse",
        {"segments": 1},
        {"shares": [[(1 / 3 + 1 / 2) / 2], [1 / 2]]},
        {"m": 5 / 12, "n": 5 / 12 + 1 / 2, "o": 5 / 12, "s": 1 / 2},
    ),
    (
        # c and x are not judged: a of a, b and y of y.
        "prob-fuse",
        {"segments": 1, "judged_only": 1},
        {"shares": [[(1 / 2 + 1) / 2], [1 / 2]]},
        {"m": 3 / 4, "n": 3 / 4 + 1 / 2, "o": 3 / 4, "s": 1 / 2},
    ),
    (
        # Two relevant ones in two times five ranks, one in five; scores are 1, 3/4, 0 and 1, 0.
        "seg-fuse",
        {},
        {"shares": [[2 / 10] + [0.0] * 9, [1 / 5] + [0.0] * 9]},
        {"m": 2 * 0.2, "n": (1 + 3 / 4) * 0.2 + 2 * 0.2, "o": 1 * 0.2, "s": 1 * 0.2},
    ),
    (
        # The shares of pos-fuse are 1/2, 1/2, 0 and 0, 1; a list's first and last have a neighbour on one side only.
        "slide-fuse",
        {"window": 1},
        {"shares": [[1 / 2, 1 / 2], [0.0, 1.0]], "window": 1},
        {"m": (1 / 2 + 1 / 2) / 2, "n": (1 / 2 + 1 / 2 + 0) / 3 + (0 + 1) / 2, "o": (1 / 2 + 0) / 2, "s": (0 + 1) / 2},
    ),
    (
        # Two in two times five ranks, one in five; nothing behind.
        "bayes-fuse",
        {},
        {"levels": [[FIFTH] + [ABSENT] * 8] * 2, "lacking": [ABSENT, ABSENT]},
        {"m": FIFTH + ABSENT, "n": 2 * FIFTH, "o": FIFTH + ABSENT, "s": ABSENT + FIFTH},
    ),
    (
        # 2 of 5 documents, and d, which it lacks, 1 of 1; the other: 1 of 2, and of a and c, which it lacks, 1 of 2.
        "bayes-fuse",
        {"smoothed": 1},
        {
            "levels": [[math.log(2.5 / 3.5)] + [0.0] * 8, [math.log(1.5 / 1.5)] + [0.0] * 8],
            "lacking": [math.log(1.5 / 0.5), math.log(1.5 / 1.5)],
        },
        {"m": math.log(2.5 / 3.5), "n": math.log(2.5 / 3.5), "o": math.log(2.5 / 3.5), "s": math.log(1.5 / 0.5)},
    ),
]


@pytest.mark.parametrize(
    ("method", "setting", "parameters", "scores"),
    BY_HAND,
    ids=[f"{method} {setting}" for method, setting, *_ in BY_HAND],
)
def test_each_method_learns_and_fuses_as_by_hand(
    method: str, setting: dict[str, Any], parameters: dict[str, Any], scores: dict[str, float]
) -> None:
    found = learn(method, [ONE, OTHER], JUDGED, setting)
    assert list(found) == list(parameters)
    for name, expected in parameters.items():
        assert np.allclose(flat(found[name]), flat(expected), rtol=0, atol=1e-11)
        assert len(flat(found[name])) == len(flat(expected))
    assert apply(method, NEW, found) == {"q": pytest.approx(scores, rel=0, abs=1e-11)}


def flat(values: Any) -> list[float]:
    return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]


def test_every_method_has_an_example_by_hand_and_is_tried() -> None:
    assert {method for method, *_ in BY_HAND} == {method for method, _ in TRIED} == set(TRAINED)


@pytest.mark.parametrize(("method", "setting"), TRIED, ids=NAMES)
def test_each_method_is_its_formula(method: str, setting: dict[str, Any]) -> None:
    for seed in range(4):
        runs, qrels = some(seed)
        others, _ = some(seed + 100, documents=45)
        parameters = learn(method, runs, qrels, setting)
        known = parameters["weights"] if method in WEIGHTED else learned(method, runs, qrels, setting)
        for how in ("min-max", "z-score") if TRAINED[method].uses_scores else ("none",):
            same(apply(method, others, parameters, how), applied(method, others, known, setting, how))


def test_deep_lists_are_cut_into_the_same_levels_as_by_the_formula() -> None:
    draw = random.Random(7)
    docs = [f"d{i}" for i in range(1100)]
    runs = [{"q": dict(zip(draw.sample(docs, n), itertools.count(1.0), strict=False))} for n in (1100, 640)]
    qrels = {"q": {doc: draw.randint(0, 1) for doc in docs[::3]}}
    for method, setting in (("seg-fuse", {}), ("bayes-fuse", {"smoothed": 0}), ("bayes-fuse", {"smoothed": 1})):
        fused = apply(method, runs, learn(method, runs, qrels, setting), "none")
        expected = applied(method, runs, learned(method, runs, qrels, setting), setting, "none")
        same(fused, expected)


def test_behind_the_last_segment_nothing_was_learned() -> None:
    deep = {"q": {f"d{i}": float(-i) for i in range(5117)}}  # ten segments, the last of which ends at 5 (2^10 - 1)
    fused = apply("seg-fuse", [deep], learn("seg-fuse", [deep], {"q": dict.fromkeys(deep["q"], 1)}, {}), "none")
    assert [fused["q"][f"d{i}"] for i in (5113, 5114, 5115, 5116)] == [1 - 5113, 1 - 5114, 0, 0]


@pytest.mark.parametrize(("method", "setting"), TRIED, ids=NAMES)
def test_the_order_of_the_runs_changes_nothing(method: str, setting: dict[str, Any]) -> None:
    runs, qrels = some(1)
    expected = apply(method, runs, learn(method, runs, qrels, setting))
    for order in ((3, 2, 1, 0), (1, 3, 0, 2)):
        turned = [runs[i] for i in order]
        mine = {"weights": [setting["weights"][i] for i in order]} if method in WEIGHTED else setting
        found = apply(method, turned, learn(method, turned, qrels, mine))
        assert_same_bits({query: found[query] for query in expected}, expected)


@pytest.mark.parametrize(("method", "setting"), TRIED, ids=NAMES)
def test_copies_of_a_run_are_fused_into_its_own_order(method: str, setting: dict[str, Any]) -> None:
    run, qrels = some(3, runs=1)
    mine = {} if method in WEIGHTED else setting
    alone = apply(method, run, learn(method, run, qrels, mine))
    thrice = learn(method, run * 3, qrels, mine)
    factor = {"weighted-mnz": 9, "mixed": 3 * math.sqrt(3)}.get(method, 3)
    same(apply(method, run * 3, thrice), {q: {d: factor * s for d, s in docs.items()} for q, docs in alone.items()})


@pytest.mark.parametrize(("method", "setting"), TRIED, ids=NAMES)
def test_a_query_that_one_run_alone_has_is_fused_from_that_one(method: str, setting: dict[str, Any]) -> None:
    runs, qrels = some(2)
    parameters = learn(method, runs, qrels, setting)
    lone = {"lone": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
    with_it = apply(method, [runs[0], runs[1] | lone, *runs[2:]], parameters)
    own = {key: [value[1]] if isinstance(value, list) else value for key, value in parameters.items()}
    assert with_it["lone"] == pytest.approx(apply(method, [lone], own)["lone"], rel=1e-11)


@pytest.mark.parametrize(("method", "setting"), TRIED, ids=NAMES)
def test_what_is_learned_does_not_look_at_queries_that_are_left_out_and_can_be_saved(
    method: str, setting: dict[str, Any]
) -> None:
    runs, qrels = some(4)
    pool = load_pool(runs).pool
    kept = np.array([query in (b"q0", b"q2", b"q5") for query in pool.query_ids])

    def from_some(judgments: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
        known = judge_pool(pool, rs.Qrels(judgments)).restrict(kept)
        return TRAINED[method].learn(pool, known, setting)

    turned = {q: {d: 1 - g for d, g in docs.items()} if q in ("q1", "q3") else docs for q, docs in qrels.items()}
    found = from_some(qrels)
    assert_same_bits(from_some(turned), found)
    without = {q: docs for q, docs in qrels.items() if q in ("q0", "q2")}  # nobody judged q5
    assert_same_bits(learn(method, runs, without, setting), found)
    assert_same_bits(json.loads(json.dumps(found)), found)


@pytest.mark.parametrize("method", TRAINED)
def test_nothing_to_learn_from_is_refused(method: str) -> None:
    pool = load_pool([ONE, OTHER]).pool
    setting = TRAINED[method].grid(2)[0]
    for known in (
        judge_pool(pool, rs.Qrels({"elsewhere": {"a": 1}})),
        judge_pool(pool, rs.Qrels(JUDGED)).restrict(np.zeros(2, np.bool_)),
    ):
        with pytest.raises(InputError, match=r"\bno query\b.*\bjudgments\b"):
            TRAINED[method].learn(pool, known, setting)


@pytest.mark.parametrize("method", TRAINED)
def test_a_run_without_lists_for_the_training_queries_is_fused_all_the_same(method: str) -> None:
    later = {"new": {"a": 2.0, "b": 1.0}}
    parameters = learn(method, [ONE | later, later], JUDGED, TRAINED[method].grid(2)[0])
    fused = apply(method, [ONE | later, later], parameters)
    assert fused["new"]["a"] >= fused["new"]["b"]
    assert all(math.isfinite(score) for docs in fused.values() for score in docs.values())


@pytest.mark.parametrize(
    ("method", "setting", "message"),
    [
        ("prob-fuse", {"segments": 0}, "segments is 0"),
        ("prob-fuse", {"segments": 2.5}, "segments is 2.5"),
        ("prob-fuse", {"segments": 2, "judged_only": 2}, "judged_only is 2"),
        ("slide-fuse", {"window": -1}, "window is -1"),
        ("bayes-fuse", {"smoothed": "yes"}, "smoothed is 'yes'"),
        ("weighted-sum", {"weights": [1.0]}, r"\b1 weight\b.*\b2 runs\b"),
        ("mixed", {"weights": [1.0, -2.0]}, r"\bweights\b.* -2\.0\b"),
        ("weighted-mnz", {"weights": [0.0, 0.0]}, r"\ball weights\b"),
    ],
)
def test_settings_that_make_no_sense_are_refused(method: str, setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        learn(method, [ONE, OTHER], JUDGED, setting)


def test_weights_of_few_runs_are_all_in_steps_of_a_tenth_that_add_up_to_one() -> None:
    grid = TRAINED["weighted-sum"].grid
    for runs in (2, 3, 4):
        first, *rest = [setting["weights"] for setting in grid(runs)]
        assert first == [1.0] * runs
        # As many as ways to put runs - 1 bars between ten stars; those of two equal halves are the first again.
        assert len(rest) == math.comb(10 + runs - 1, runs - 1) - (runs == 2)
        assert len({tuple(weights) for weights in rest}) == len(rest)
        assert all(sum(weights) == pytest.approx(1) and min(weights) >= 0 for weights in rest)
    assert grid(1) == [{"weights": [1.0]}]


def test_weights_of_many_runs_are_few_and_treat_all_runs_alike() -> None:
    found = [setting["weights"] for setting in TRAINED["mixed"].grid(7)]
    assert len(found) == 1 + 3 * 7
    assert found[0] == [1.0] * 7
    assert {tuple(weights[::-1]) for weights in found} == {tuple(weights) for weights in found}


@pytest.mark.parametrize("method", TRAINED)
def test_settings_to_choose_among_begin_with_what_is_usual_and_all_can_be_learned(method: str) -> None:
    known = TRAINED[method]
    grid = known.grid(2)
    for setting in grid:
        assert set(setting) <= set(known.default_setting)
        assert learn(method, [ONE, OTHER], JUDGED, setting)
    default = learn(method, [ONE, OTHER], JUDGED, {})
    assert_same_bits(learn(method, [ONE, OTHER], JUDGED, grid[0]), default)
    assert_same_bits(learn(method, [ONE, OTHER], JUDGED, known.default_setting), default)


def test_borda_shares_count_for_documents_that_a_run_lacks() -> None:
    # Shares of the first run: 1, 2/3 and, for c, 1/3; of the second: 1 for c, and half of what is left for each other.
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"c": 5.0}}]
    parameters = {"weights": [0.5, 2.0]}
    assert apply("weighted-sum", runs, parameters, "borda")["q"] == pytest.approx(
        {"a": 0.5 + 2 * 0.5, "b": 0.5 * 2 / 3 + 2 * 0.5, "c": 0.5 / 3 + 2}
    )
    assert apply("weighted-mnz", runs, parameters, "borda")["q"] == pytest.approx(
        {"a": 1.5 * 2.5, "b": (2 / 3 + 1 / 2) * 2.5, "c": (1 / 3 + 1) * 2.5}
    )
