"""What is drawn: groups of entities, sets of queries, subsets of systems, and the values of each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.study_data import collection, made, ranks_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import parse_measures
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.stability.conditions import Condition
from rankscope.stability.load import load_population
from rankscope.stability.sampling import Entities, Queries, stream

CONVENTIONS = (ConventionSettings(), InputSettings())


def entities_of(table, *measures):
    kinds = tuple(parse_measures(list(measures)))
    signs = np.array([1.0 if kind.higher_is_better else -1.0 for kind in kinds])
    return Entities(table, kinds, signs)


def queries_of(values, *measures):
    scores = made(values, measures)
    signs = np.array([scores.sign(name) for name in scores.measure_names], float)
    return Queries(scores, scores.measures, signs)


class Membership(Entities):
    """Instead of values, which entities a group holds."""

    def measure_groups(self, order, splits, systems):
        self.order = order
        self.groups = [np.array_split(row, splits) for row in order]
        return super().measure_groups(order, splits, systems)


@examples(40)
@given(st.integers(2, 40), st.data())
def test_groups_share_no_entity_and_differ_in_size_by_one_the_first_being_larger(entities, data):
    table = ranks_table(1, entities=45)
    splits = data.draw(st.integers(2, entities))
    material = Membership(table, tuple(parse_measures(["MeanRank"])), np.array([-1.0]))
    sample = material.sample(Condition(splits, 2, entities), 3, 7)
    for i, groups in enumerate(material.groups):
        sizes = [len(group) for group in groups]
        assert sizes == [entities // splits + 1] * (entities % splits) + [entities // splits] * (
            splits - entities % splits
        )
        assert len({e for group in groups for e in group.tolist()}) == entities
        for k, s in enumerate(sample.systems[i]):
            expected = [-table.ranks[s][group].mean() for group in groups]  # lower is better: with the sign turned
            np.testing.assert_allclose(sample.values[0, i, k], expected)


@pytest.mark.parametrize("kind", ["entities", "queries"])
def test_what_is_drawn_under_a_condition_hangs_on_nothing_else(kind):
    if kind == "entities":
        material = entities_of(ranks_table(2), "AP", "MeanRank")
    else:
        material = queries_of(np.random.default_rng(1).random((3, 2, 30)), "AP", "RR")
    condition = Condition(3, 2, 30)
    few, many = material.sample(condition, 4, 9), material.sample(condition, 11, 9)
    assert_same_bits(few.values, many.values[:, :4])
    np.testing.assert_array_equal(few.systems, many.systems[:4])
    np.testing.assert_array_equal(few.used, many.used[:, :4])
    for one, other in zip(few.disjoint, many.disjoint, strict=True):
        assert_same_bits(one, other[:, :4])
    other_seed = material.sample(condition, 4, 10)
    assert not np.array_equal(few.values, other_seed.values)


def test_streams_of_conditions_iterations_and_purposes_are_others():
    first = {
        stream(seed, Condition(2, s, 10), i, purpose).integers(1 << 62)
        for seed in (0, 1) for s in (2, 3) for i in range(5) for purpose in range(4)
    }  # fmt: skip
    assert len(first) == 80


def test_sets_of_queries_share_none_and_are_of_the_size_that_was_asked_for():
    values = np.arange(30.0)[None, None] + np.zeros((2, 1, 1))  # a value tells its query
    material = queries_of(values, "NumRelRet")
    sample = material.sample(Condition(4, 2, 29), 50, 3)
    assert sample.values.shape == (1, 50, 2, 7)
    for i in range(50):
        drawn = sample.values[0, i, 0].tolist()
        assert len(set(drawn)) == 7
        assert sample.disjoint[0][0, i, 0] == pytest.approx(np.mean(drawn))
    assert {q for row in sample.values[0, :, 0] for q in row} == set(range(30))  # every query has its chance


def test_the_second_set_holds_the_queries_drawn_next():
    material = queries_of(np.random.default_rng(1).random((2, 1, 10)), "AP")
    sample = material.sample(Condition(2, 2, 10), 20, 3)
    total = material.values[0].sum(axis=1)
    for i in range(20):  # both halves together are all queries
        both = 5 * (sample.disjoint[0][0, i] + sample.disjoint[1][0, i])
        np.testing.assert_allclose(both, total)
    assert material.sample(Condition(1, 2, 8), 20, 3).disjoint == ()


def test_of_groups_the_first_half_is_one_set_and_the_next_as_many_the_other():
    material = entities_of(ranks_table(3), "AP")
    sample = material.sample(Condition(7, 3, 60), 4, 1)  # the seventh group is in neither
    for i in range(4):
        for k, part in enumerate((slice(0, 3), slice(3, 6))):
            np.testing.assert_allclose(sample.disjoint[k][0, i], sample.values[0, i, :, part].mean(axis=1))


@pytest.mark.parametrize("drawn", [2, 3, 5])
def test_systems_are_drawn_without_repeats_and_in_order(drawn):
    material = queries_of(np.random.default_rng(1).random((5, 1, 10)), "AP")
    sample = material.sample(Condition(2, drawn, 10), 60, 3)
    assert sample.systems.shape == (60, drawn)
    assert (np.diff(sample.systems) > 0).all()
    assert set(sample.systems.ravel()) == set(range(5))
    for i in range(60):
        table = material.values[0][sample.systems[i]]
        assert all(column.tolist() in table.T.tolist() for column in sample.values[0, i].T)


def test_geometric_means_are_made_of_logarithms_and_of_lower_is_better_the_sign_is_turned():
    values = np.array([[[0.5, 0.0, 1.0], [3, 4, 5]], [[0.25, 0.1, 0.2], [1, 2, 9]]])
    material = queries_of(values, "GMAP", "MinRank")
    least = 1e-5  # what takes the place of 0, as in trec_eval
    np.testing.assert_allclose(material.values[0, 0], [math.log(0.5), math.log(least), 0])
    assert material.values[1].tolist() == [[-3, -4, -5], [-1, -2, -9]]
    assert material.actual[0, 1] == pytest.approx((0.25 * 0.1 * 0.2) ** (1 / 3))
    assert material.actual[1].tolist() == [4, 4]


def test_used_rates_are_shares_of_the_group_in_percent():
    table = rs.EntityRanks(ranks=[[1, 12, 3, 14], [15, 2, 13, 16]], systems="AB", entity_ids="wxyz")
    material = entities_of(table, "P@10", "MeanRank")
    sample = material.sample(Condition(2, 2, 4), 6, 1)
    # Of A two of four ranks are within the cutoff, of B one: over both systems and groups 3/8, however they are cut.
    assert sample.used[0].tolist() == pytest.approx([37.5] * 6)
    assert sample.used[1].tolist() == [100.0] * 6


def test_used_rates_of_queries_are_shares_of_the_relevant():
    qrels = {"q1": {"a": 1, "b": 1, "x": 0}, "q2": {"a": 1}, "q3": {"x": 0}}
    runs = {"A": ["a", "x", "b"], "B": ["x", "b", "y"]}
    runs = [rs.Run({q: {d: -float(i) for i, d in enumerate(docs)} for q in qrels}, name=n) for n, docs in runs.items()]
    material, *_ = load_population(qrels, runs, ["P@2", "AP"], None, *CONVENTIONS)
    # P@2 of A finds a (1 of 2; 1 of 1), of B b (1 of 2; 0 of 1); nothing is relevant to q3.
    np.testing.assert_allclose(material.used[:, 0], [[1 / 2, 1, np.nan], [1 / 2, 0, np.nan]])
    np.testing.assert_allclose(material.used[:, 1], [[1, 1, np.nan], [1 / 2, 0, np.nan]])
    sample = material.sample(Condition(1, 2, 3), 2, 1)
    np.testing.assert_allclose(sample.used, [[100 * 2 / 4] * 2, [100 * 2.5 / 4] * 2])


def test_a_group_without_a_value_is_left_out_for_that_measure_alone():
    table = ranks_table(3, entities=40, last=100)
    material = entities_of(table, "MeanRank@10", "MeanRank")
    sample = material.sample(Condition(8, 3, 40), 30, 1)
    holes = np.isnan(sample.values[0])
    assert holes.any()
    assert not np.isnan(sample.values[1]).any()
    first = sample.disjoint[0]
    for i in range(30):
        complete = ~holes[i, :, :4].any(axis=0)
        expected = sample.values[0, i, :, :4][:, complete].mean(axis=1) if complete.any() else [math.nan] * 3
        np.testing.assert_allclose(first[0, i], expected)
        np.testing.assert_allclose(first[1, i], sample.values[1, i, :, :4].mean(axis=1))


def test_scores_and_judgments_are_the_same_material():
    qrels, runs = collection()
    from_runs, *_ = load_population(qrels, runs, ["AP", "P@5"], None, *CONVENTIONS)
    scores = rs.evaluate(qrels, runs, ["AP", "P@5"])
    from_scores, *_ = load_population(scores, None, None, None, *CONVENTIONS)
    condition = Condition(2, 3, 12)
    one, other = (material.sample(condition, 4, 1) for material in (from_runs, from_scores))
    assert_same_bits(one.values, other.values)
    assert np.isnan(other.used).all()  # scores do not know how many documents were relevant
