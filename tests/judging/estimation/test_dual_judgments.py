"""People's judgments of some queries and a machine's of all: what is estimated, what is shown, what is refused."""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.same import assert_same_numbers
from scipy.stats import mannwhitneyu

import rankscope as rs
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.judging.estimation.dual_judgments import rank_sum_pvalue
from rankscope.judging.estimation.settings import parse_grade_map
from rankscope.stats.prediction_powered import combined_half

QUERIES = [f"q{i:02}" for i in range(12)]
#: At which rank the only relevant document stands, by people; the machine errs on each third query.
RANKS = {"x": [1, 2, 1, 3, 1, 2, 4, 1, 2, 1, 3, 1], "y": [2, 2, 1, 4, 3, 2, 4, 2, 1, 1, 3, 2]}
RUNS = [rs.Run({q: {f"{name}{k}": -float(k) for k in range(1, 6)} for q in QUERIES}, name=name) for name in RANKS]
PEOPLE = {q: {f"{name}{RANKS[name][i]}": 1 for name in RANKS} for i, q in enumerate(QUERIES)}
MACHINE = {q: {f"{name}{RANKS[name][i] if i % 3 else 1}": 1 for name in RANKS} for i, q in enumerate(QUERIES)}
CHOSEN = [1, 3, 4, 6, 8, 9]
HUMAN = {QUERIES[i]: PEOPLE[QUERIES[i]] for i in CHOSEN}


SENTENCES = Messages("judging")


def value(ranks: list[int]) -> np.ndarray[Any, Any]:
    """RR where each list holds both systems' relevant documents, of which a run retrieves its own alone."""
    return 1 / np.array(ranks, float)


def test_estimates_are_those_of_the_values_that_evaluate_gives() -> None:
    (found,) = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR", machine_weight=1).parts
    human = value(RANKS["x"])[CHOSEN]
    machine = value([rank if i % 3 else 1 for i, rank in enumerate(RANKS["x"])])
    assert found.of_systems.human[0] == pytest.approx(human.mean())
    assert found.of_systems.machine[0] == pytest.approx(machine.mean())
    assert found.of_systems.bias[0] == pytest.approx((machine[CHOSEN] - human).mean())
    assert found.of_systems.combined[0] == pytest.approx(machine.mean() - (machine[CHOSEN] - human).mean())
    by_evaluate = rs.evaluate(PEOPLE, RUNS, "RR").matrix("RR")
    assert_same_numbers(by_evaluate[0].tolist(), value(RANKS["x"]).tolist())


def test_differences_are_of_all_pairs_or_to_the_baseline() -> None:
    (found,) = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR").parts
    (turned,) = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR", baseline="x").parts
    assert found.of_pairs is not None
    assert turned.of_pairs is not None
    difference = value(RANKS["x"])[CHOSEN] - value(RANKS["y"])[CHOSEN]
    assert found.of_pairs.human[0] == pytest.approx(difference.mean())
    assert turned.of_pairs.combined[0] == pytest.approx(-found.of_pairs.combined[0])
    interval = rs.stats.t_interval(difference)
    assert found.of_pairs.human_low[0] == pytest.approx(float(interval.low))


def test_the_tidy_table_has_four_estimates_of_each_system_and_pair() -> None:
    result = rs.judging.estimate(HUMAN, RUNS, MACHINE, ["RR", "P@1"])
    rows = list(result.records())
    assert len(rows) == 2 * 3 * 4
    assert [row[:4] for row in rows[8:12]] == [("RR", "x", "y", n) for n in ("human", "machine", "bias", "combined")]
    assert {(row[3], row[8]) for row in rows} == {("human", 6), ("machine", 12), ("bias", 6), ("combined", 12)}
    assert result["P@1"].measure == "P@1"
    with pytest.raises(UnknownName):
        result["AP"]
    assert "people:" not in result.signature()
    assert "machine_queries:12" in result.signature()


def test_one_system_has_no_differences() -> None:
    result = rs.judging.estimate(HUMAN, RUNS[0], MACHINE, "RR")
    assert result.parts[0].of_pairs is None
    assert len(result.sections()) == 1


def test_a_map_turns_the_machines_scale_into_peoples() -> None:
    other = {q: {doc: {1: 7}[grade] for doc, grade in docs.items()} | {"z": 2} for q, docs in MACHINE.items()}
    plain = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR")
    as_text, as_dict = (rs.judging.estimate(HUMAN, RUNS, other, "RR", map=given) for given in ("7=1,2=0", {7: 1, 2: 0}))
    assert_same_numbers(list(as_text.records()), list(plain.records()))
    assert_same_numbers(list(as_dict.records()), list(plain.records()))
    assert "map:7=1,2=0" in as_text.signature()


def test_a_query_of_which_nothing_was_judged_yet_is_not_one_of_peoples() -> None:
    pooled = {q: {"z": -1, **HUMAN.get(q, {})} for q in QUERIES}  # as `pool` writes what is to be judged
    plain = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR")
    marked = rs.judging.estimate(pooled, RUNS, {**MACHINE, "q99": {"z": -1}}, "RR")
    assert_same_numbers(list(marked.records()), list(plain.records()))
    with pytest.raises(InputError, match=r"no grade .* 0"):
        rs.judging.estimate({q: {"z": -1} for q in QUERIES}, RUNS, MACHINE, "RR")


def test_a_map_beyond_peoples_scale_is_said() -> None:
    found = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR", map="1=3")
    assert mentions(found.notes, "with map", "machine", 3)
    assert not any("with map" in note for note in rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR", map="1=1").notes)


def test_a_map_may_say_that_a_grade_is_no_judgment() -> None:
    unsure = {q: {"z": 9} if q == "q02" else {**docs, "z": 9} for q, docs in MACHINE.items()}
    with pytest.raises(InputError, match="is missing 1 query"):
        rs.judging.estimate(HUMAN, RUNS, unsure, "RR", map="1=1,9=-1")
    with pytest.raises(InputError, match=r"no grade .* 0"):
        rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR", map="1=-1")


@pytest.mark.parametrize(
    "given", ["1", "1=2=3", "a=1", "1=x", "", "1=1,1=2", "-1=0", {1.5: 1}, {}, 7, {True: 1}, f"1={10**20}", {10**20: 1}]
)
def test_what_is_no_map_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="map"):
        parse_grade_map(given)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"machine": {q: MACHINE[q] for q in QUERIES if q != "q03"}}, "1 query of .*6 .*[(]q03[)]"),
        ({"machine": {q: MACHINE[q] for q in HUMAN}}, "no query .*6"),
        ({"machine": {q: MACHINE[q] for q in QUERIES if q != "q02"}}, "1 query of .*12 .*'x' [(]q02[)]"),
        ({"machine": {q: {"a": 3} for q in QUERIES}}, "up to 3, .*up to 1, .*3=3"),
        ({"map": "0=0"}, "grade 1, .*map"),
        ({"baseline": "z"}, "unknown system"),
        ({"machine_weight": float("inf")}, "machine_weight is inf"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"measures": "GMAP"}, "GMAP is not a mean"),
        ({"measures": "alpha_nDCG@10"}, "subtopic"),
        ({"unjudged": "bounds"}, "bounds"),
        ({"input": "letor"}, "convert them first"),
        ({"runs": []}, "no runs"),
    ],
    ids=lambda x: None if isinstance(x, dict) else "",
)
def test_what_does_not_fit_is_refused_in_one_line(changed: dict[str, Any], said: str) -> None:
    arguments = {"human": HUMAN, "runs": RUNS, "machine": MACHINE, "measures": "RR", **changed}
    with pytest.raises((InputError, ParameterError), match=said) as caught:
        rs.judging.estimate(**arguments)
    assert "\n" not in str(caught.value)


def test_queries_that_were_not_drawn_by_lot_are_noted() -> None:
    ids = [str(i) for i in range(1, 41)]  # numbers: 10 is after 9
    run = rs.Run({q: {"a": 2.0, "b": 1.0} for q in ids}, name="r")
    machine = {q: {"a": int(int(q) % 3 > 0), "b": 1} for q in ids}
    people = {q: {"a": 1, "b": 1} for q in ids[:12]}
    first = rs.judging.estimate(people, run, machine, "P@1").notes
    assert mentions(first, "first 12", "order of ids")
    last = rs.judging.estimate({q: {"a": 1} for q in ids[-12:]}, run, machine, "P@1").notes
    assert mentions(last, "last 12", "order of ids")
    easy = rs.judging.estimate({q: {"a": 1} for q in ids if int(q) % 3 == 1}, run, machine, "P@1").notes
    assert mentions(easy, "P@1", "higher", "people")
    spread = rs.judging.estimate({q: {"a": 1} for q in ids[1::4]}, run, machine, "P@1").notes
    assert not any(mentions(spread, doubt) for doubt in ("order of ids", "higher"))


def test_random_draws_are_doubted_no_more_often_than_the_level_says() -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(0, 5, 60) / 4
    doubted = 0
    for _ in range(1000):
        judged = np.zeros(60, np.bool_)
        judged[rng.choice(60, 15, replace=False)] = True
        doubted += rank_sum_pvalue(values, judged)[0] < 0.01
    assert doubted <= 20  # 10 are to be expected


def test_the_rank_sum_test_is_scipys() -> None:
    rng = np.random.default_rng(2)
    values, judged = rng.integers(0, 6, 40) / 5, rng.random(40) < 0.4
    theirs = mannwhitneyu(values[judged], values[~judged], method="asymptotic")
    assert rank_sum_pvalue(values, judged)[0] == pytest.approx(theirs.pvalue)
    assert rank_sum_pvalue(np.ones(40), judged) == (1.0, 0.0)


def test_queries_without_a_value_are_left_out_and_noted() -> None:
    machine = {**MACHINE, "q00": {"x1": 0}, "q04": {"x1": 0}}
    result = rs.judging.estimate(HUMAN, RUNS, machine, "RR", no_relevant="drop")
    assert (result.parts[0].of_systems.n, result.parts[0].of_systems.n_all) == (5, 10)
    assert mentions(result.notes, "RR", 2, 12, "machine")


def test_the_sentences_say_what_the_machine_does() -> None:
    result = rs.judging.estimate(HUMAN, RUNS, MACHINE, "RR")
    first, second = result.sections()
    SENTENCES.check("of systems", first.sentence)
    SENTENCES.check("of a pair", second.sentence)
    few = rs.judging.estimate({q: HUMAN[q] for q in list(HUMAN)[:3]}, RUNS, MACHINE, "RR")
    SENTENCES.check("too few to weigh the machine", few.sections()[0].sentence)
    assert mentions(few.notes, "fewer than 5")


def test_a_plan_says_how_many_queries_people_must_judge() -> None:
    plan = rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0.4)
    needs = {(need.system_a, need.system_b, need.method): need.n_queries for need in plan.parts[0].needs}
    sd = float(np.std(value(RANKS["x"])[CHOSEN], ddof=1))
    assert needs["x", "", "human"] == rs.stats.queries_for_interval(0.4, sd)
    assert list(plan.columns) == list(plan.frame().columns)
    assert len(list(plan.records())) == 3 * 3
    for a, b in (("x", ""), ("y", ""), ("x", "y")):
        alone, many = (needs[a, b, m] for m in ("human", "combined, any number by the machine"))
        assert many is not None
        assert alone is not None
        assert many <= alone
    SENTENCES.check("a plan", plan.sections()[0].sentence)
    assert plan.sections()[0].sentence in " ".join(str(plan).split())


def half_of(human: Any, n: int, m: int) -> float:
    """Half the width of the combined interval, where people judge n queries of m."""
    return combined_half(n, m, human.sd, human.explained, confidence_level=0.95)


def test_the_cheapest_plan_costs_as_little_as_any_numbers_that_are_enough() -> None:
    plan = rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0.4, cost=3, machine_cost=0.2)
    assert list(plan.columns) == list(plan.frame().columns)
    needs = plan.parts[0].by_method
    for human, cheapest in zip(needs["human"], needs["cheapest"], strict=True):
        assert human.n_queries is not None
        assert human.cost == 3 * human.n_queries
        costs = [human.cost]
        for n in range(2, human.n_queries):
            numbers = range(n + 1, 2000)
            halves = [half_of(human, n, m) for m in numbers[::400]]
            assert halves == sorted(halves, reverse=True)  # so the first number that is enough can be looked for
            first = bisect.bisect_left(numbers, True, key=lambda m, n=n, human=human: half_of(human, n, m) <= 0.2)
            costs += [3 * n + 0.2 * m for m in numbers[first : first + 1]]
        assert cheapest.cost is not None
        assert min(costs) <= cheapest.cost <= 1.01 * min(costs)
    assert "it costs least" in (plan.sections()[0].sentence or "")
    dear = rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0.4, cost=3, machine_cost=30)
    assert "people alone are cheapest" in (dear.sections()[0].sentence or "")
    with pytest.raises(ParameterError, match="machine_cost needs cost"):
        rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0.4, machine_cost=2)


def test_a_plan_that_cannot_be_made_says_why() -> None:
    wide = rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0.01)
    assert {need.n_queries for need in wide.parts[0].needs if need.method == "combined"} == {None}
    SENTENCES.check("a plan that no number of queries fulfils", wide.sections()[0].sentence)
    with pytest.raises(ParameterError, match="width is 0"):
        rs.judging.plan_judgments(HUMAN, RUNS, MACHINE, "RR", width=0)
    with pytest.raises(InputError, match=r"people .*3 queries .*at least 5"):
        rs.judging.plan_judgments({q: HUMAN[q] for q in list(HUMAN)[:3]}, RUNS, MACHINE, "RR", width=0.1)
    same = {q: {"x1": 1, "y1": 1} for q in QUERIES}
    flat = rs.judging.plan_judgments({q: same[q] for q in HUMAN}, RUNS, same, "RR", width=0.1)
    SENTENCES.check("nothing to plan", flat.sections()[0].sentence)
