"""People and a machine on queries in clusters: what reaches the estimates and the plan, and what is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.clustered_queries import clustered_values, naive_error
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from helpers.simulated_rates import show

import rankscope as rs
from rankscope.errors import InputError
from rankscope.stats.prediction_powered import combined_half, prediction_powered, spread_of

#: 16 conversations of 1 to 4 turns.
SIZES = [3, 1, 4, 2, 3, 2, 4, 1, 3, 2, 2, 4, 1, 3, 4, 2]
QUERIES = [f"c{c:02}_{turn}" for c, size in enumerate(SIZES) for turn in range(size)]
CODES = [int(query[1:3]) for query in QUERIES]
DOCS = 12
RUNS = [
    rs.Run({q: {f"d{(k * step) % DOCS}": -float(k) for k in range(DOCS)} for q in QUERIES}, name=name)
    for name, step in (("x", 1), ("y", 5), ("z", 7))
]
TABLE = {"query": QUERIES, "cluster": [f"talk {code}" for code in CODES]}
#: Conversations that people judged as a whole.
JUDGED = [0, 2, 3, 6, 8, 9, 11, 14]


def judgments(seed: int = 1) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Of people and of a machine, for all queries: relevant documents are alike within a conversation."""
    rng = np.random.default_rng(seed)
    topics = rng.random((len(SIZES), DOCS)) < 0.3
    people, machine = {}, {}
    for query, code in zip(QUERIES, CODES, strict=True):
        relevant = np.where(rng.random(DOCS) < 0.8, topics[code], rng.random(DOCS) < 0.3)
        judged = np.where(rng.random(DOCS) < 0.9, relevant, ~relevant)
        people[query] = {f"d{i}": int(x) for i, x in enumerate(relevant)} | {"top": 1}
        machine[query] = {f"d{i}": int(x) for i, x in enumerate(judged)} | {"top": 1}
    return people, machine


PEOPLE, MACHINE = judgments()
HUMAN = {query: PEOPLE[query] for query, code in zip(QUERIES, CODES, strict=True) if code in JUDGED}
PARTS = {query: PEOPLE[query] for i, query in enumerate(QUERIES) if (i * 7) % 3 == 0}


def values_of(human: dict[str, Any]) -> tuple[Any, Any, Any, list[int]]:
    """(systems, queries) values of AP: of people, of the machine on these, and on the others; and the order."""
    machine = rs.evaluate(MACHINE, RUNS, "AP")
    people = rs.evaluate(PEOPLE, RUNS, "AP")
    judged = [i for i, query in enumerate(QUERIES) if query in human]
    others = [i for i, query in enumerate(QUERIES) if query not in human]
    place = {query: i for i, query in enumerate(machine.query_ids)}
    columns = [[place[QUERIES[i]] for i in part] for part in (judged, others)]
    return (
        people.matrix("AP")[:, columns[0]],
        machine.matrix("AP")[:, columns[0]],
        machine.matrix("AP")[:, columns[1]],
        judged + others,
    )


@pytest.mark.parametrize("human", [HUMAN, PARTS], ids=["whole", "parts"])
@pytest.mark.parametrize("weighted", [False, True])
def test_estimates_are_those_of_the_statistic_with_clusters_and_weights(human: dict[str, Any], weighted: bool) -> None:
    weights = [1.0 + i % 4 for i in range(len(QUERIES))]
    table = TABLE | ({"weight": weights} if weighted else {})
    (found,) = rs.judging.estimate(human, RUNS, MACHINE, "AP", queries={"queries": table}).parts
    *values, order = values_of(human)
    sample: dict[str, Any] = {"clusters": [CODES[i] for i in order]}
    if weighted:
        sample["weights"] = [weights[i] for i in order]
    expected = prediction_powered(*values, **sample)
    assert found.of_pairs is not None
    pairs = prediction_powered(*(x[[0, 0, 1]] - x[[1, 2, 2]] for x in values), **sample)
    for name in ("human", "human_low", "machine_high", "bias_low", "combined", "combined_low", "weight", "effective"):
        assert_same_numbers(getattr(found.of_systems, name), getattr(expected, name))
        assert_same_numbers(getattr(found.of_pairs, name), getattr(pairs, name))
    assert found.n_clusters == len({CODES[i] for i in order[: len(human)]})


def test_what_is_assumed_is_said() -> None:
    asked = {"queries": {"cluster_by": "^[^_]+"}}
    whole, parts = (rs.judging.estimate(human, RUNS, MACHINE, "AP", **asked) for human in (HUMAN, PARTS))
    assert "| clusters:16 |" in whole.signature()
    assert any(mentions(note, "16 clusters", "people judged 8 clusters", "correlate") for note in whole.notes)
    assert any(mentions(note, "random sample of these clusters") for note in whole.notes)
    assert not any("parts of" in note for note in whole.notes)
    assert any(mentions(note, "parts of", "random among its queries", "first turns") for note in parts.notes)
    plain = rs.judging.estimate(HUMAN, RUNS, MACHINE, "AP")
    assert any(mentions(note, "look clustered", "--cluster-by") for note in plain.notes)
    assert any(mentions(note, "random sample of these queries") for note in plain.notes)


def test_clusters_that_do_not_look_drawn_at_random_get_a_note_and_their_queries_do_not_count_each() -> None:
    queries = [f"c{c:02}_{i}" for c in range(40) for i in range(3)]
    run = rs.Run({query: {"a": 2.0, "b": 1.0} for query in queries}, name="r")
    machine = {query: {"a": int(i % 2), "b": 1} for i, query in enumerate(queries)}
    asked = {"queries": {"cluster_by": "^[^_]+"}}
    first = rs.judging.estimate({q: machine[q] for q in queries[:36]}, [run], machine, "RR", **asked)
    assert any(mentions(note, "clusters that people judged are the first 12") for note in first.notes)
    # 12 of 40 that lie a little to the front: by query p is below .01, by cluster it is not.
    chosen = (1, 2, 4, 5, 7, 9, 12, 14, 17, 21, 26, 33)
    human = {q: machine[q] for q in queries if int(q[1:3]) in chosen}
    by_cluster, by_query = (rs.judging.estimate(human, [run], machine, "RR", **more) for more in (asked, {}))
    assert any("in the order of ids" in note for note in by_query.notes)
    assert not any("in the order of ids" in note for note in by_cluster.notes)


def test_few_clusters_leave_people_alone_and_it_is_said() -> None:
    few = {query: PEOPLE[query] for query, code in zip(QUERIES, CODES, strict=True) if code in (0, 2, 6, 11)}
    result = rs.judging.estimate(few, RUNS, MACHINE, "AP", queries={"cluster_by": "^[^_]+"})
    assert (result.parts[0].of_systems.weight == 0).all()
    assert any(mentions(note, "fewer than 5 clusters") for note in result.notes)
    assert mentions(result.sections()[0].sentence, "so few clusters")


# Planning


def test_needs_are_of_whole_clusters() -> None:
    asked = {"width": 0.2, "queries": {"cluster_by": "^[^_]+"}}
    result = rs.judging.plan_judgments(HUMAN, RUNS[:1], MACHINE, "AP", **asked)
    (part,) = result.parts
    h, m, _, order = values_of(HUMAN)
    n = len(HUMAN)
    codes = [CODES[i] for i in order[:n]]
    sizes = [SIZES[code] for code in JUDGED]
    effective = n**2 / sum(size**2 for size in sizes)
    unit_sd = naive_error(h[0], codes) * effective**0.5
    sums = [[sum(x[0, i] - x[0].mean() for i in range(n) if codes[i] == code) for code in JUDGED] for x in (h, m)]
    r2 = np.corrcoef(*sums)[0, 1] ** 2  # sums of deviations have the mean 0
    explained = 1 - (1 - r2) * 7 / 6
    assert_same_numbers([need.explained for need in part.needs], [explained] * 3)
    assert_same_numbers([need.sd for need in part.needs], [h[0].std(ddof=1)] * 3)
    n_units = 2
    while combined_half(n_units, 10**6, unit_sd, 0.0) > 0.1:
        n_units += 1
    n_clusters = int(np.ceil(n_units * (n / effective) / (n / 8) - 1e-9))
    per_cluster = n / 8
    assert part.needs[0].n_queries == int(np.ceil(n_clusters * per_cluster - 1e-9))
    (row, *_) = result.frame().to_dicts()
    assert (row["n_queries"], row["n_clusters"]) == (part.needs[0].n_queries, n_clusters)
    assert mentions(result.sections()[0].sentence, f"{part.needs[0].n_queries} queries ({n_clusters} clusters)")


def test_the_spread_of_clusters_of_a_query_each_is_that_of_queries() -> None:
    rng = np.random.default_rng(1)
    h = rng.random((2, 12))
    m = h + 0.2 * rng.random((2, 12))
    plain, clustered, weighted = (
        spread_of(h, m, **options) for options in ({}, {"clusters": np.arange(12)}, {"weights": np.full(12, 3.0)})
    )
    for other in (clustered, weighted):
        assert_same_numbers(other.sd, plain.sd)
        assert_same_numbers(other.explained, plain.explained)


def test_plans_need_whole_clusters_and_several_of_them() -> None:
    asked: dict[str, Any] = {"width": 0.2, "queries": {"cluster_by": "^[^_]+"}}
    with pytest.raises(InputError) as error:
        rs.judging.plan_judgments(PARTS, RUNS, MACHINE, "AP", **asked)
    assert mentions(error.value, "parts of", "whole clusters")
    few = {query: PEOPLE[query] for query, code in zip(QUERIES, CODES, strict=True) if code in (0, 2, 6, 11)}
    with pytest.raises(InputError) as error:
        rs.judging.plan_judgments(few, RUNS, MACHINE, "AP", **asked)
    assert mentions(error.value, "4 clusters", "at least 5")


@pytest.mark.slow
def test_planned_clusters_give_about_the_planned_width() -> None:
    """From 400 clusters, so that only the formula errs: the mean width of the interval with the planned number."""
    rng = np.random.default_rng(5)

    def drawn(n_clusters: int, runs: int) -> tuple[Any, Any, Any]:
        codes = np.repeat(np.arange(n_clusters), 4)
        h = 0.5 + 0.2 * clustered_values(rng, codes, 0.36, runs)
        m = h + 0.1 * rng.normal(size=h.shape) + 0.05 * rng.normal(size=(runs, n_clusters))[:, codes]
        return h, m, codes

    h, m, codes = drawn(400, 1)
    spread = spread_of(h, m, clusters=codes)
    for n_judged, n_all in ((12, 60), (30, 90)):
        expected = 2 * combined_half(n_judged, n_all, float(spread.sd[0]), float(spread.explained[0]))
        h, m, codes = drawn(n_all, 2000)
        n = 4 * n_judged
        found = prediction_powered(h[:, :n], m[:, :n], m[:, n:], clusters=codes)
        width = float((found.combined_high - found.combined_low).mean())
        show("width", f"{n_judged} of {n_all} clusters: planned {expected:.4f}, found {width:.4f}")
        assert width == pytest.approx(expected, rel=0.08)
