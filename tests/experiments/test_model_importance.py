"""Importance of features for a trained ranker: that of a fold of a cross-validation, with intervals over queries."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.folds import made
from helpers.messages import mentions

from rankscope import Features, parse_measure
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments import feature_importance
from rankscope.experiments.crossvalidation.fold_values import plan_measures
from rankscope.experiments.permutation_importance import permutation_drops
from rankscope.learning import Blend, Ranker
from rankscope.stats import t_interval


@cache
def linear() -> Ranker:
    return Ranker("listnet", hidden=(), epochs=4).fit(made(seed=6))


@pytest.mark.parametrize("measure", ["AP", "GMAP", "MedianRank", "AP(rel=2)"])
def test_it_is_the_importance_of_a_fold_with_the_same_seed(measure: str) -> None:
    test, plan = made(), plan_measures(measure, 1, None)
    lists = FullyJudgedLists(test.relevance, test.offsets, by_lot=True)
    drops = permutation_drops(linear(), test, lists, plan, repeats=2, rng=np.random.default_rng([4, 1]))
    result = feature_importance(linear(), test, measure, repeats=2, rng=4)
    np.testing.assert_allclose(result.worth(0)[0], drops, atol=1e-12)


def test_intervals_are_over_queries() -> None:
    """One feature, shuffled by hand."""
    test = made()
    lists = FullyJudgedLists(test.relevance, test.offsets, by_lot=True)

    def values(features: np.ndarray) -> np.ndarray:
        return parse_measure("RR")(lists.hits(linear().predict(features)))

    generator, shuffled = np.random.default_rng([0, 1]), test.values.copy()
    shuffled[:, 0] = generator.permutation(test.values[:, 0])
    drop = values(test.values) - values(shuffled)
    row = next(row for row in feature_importance(linear(), test, "RR", repeats=1).records() if row[1] == "1")
    interval = t_interval(drop)
    assert row[:3] == ("linear:listnet", "1", "RR")
    assert row[3:6] == pytest.approx((drop.mean(), float(interval.low), float(interval.high)))
    assert row[6] == len(test.query_ids)


def test_queries_without_value_do_not_count_and_are_noted() -> None:
    result = feature_importance(linear(), made(), "AP", rel=2, no_relevant="drop")
    everything = feature_importance(linear(), made(), "AP", rel=2)
    n = result.drops[0].shape[1]
    assert n < everything.drops[0].shape[1] == 24
    np.testing.assert_allclose(result.worth(0)[0], everything.worth(0)[0] * 24 / n, atol=1e-12)
    assert mentions(result.notes, str(24 - n), "skipped")


def test_a_measure_that_is_no_mean_has_no_interval() -> None:
    rows = list(feature_importance(linear(), made(), "GMAP").records())
    assert np.isnan([row[4:6] for row in rows]).all()
    assert all(row[6] == 1 for row in rows)


def test_features_are_matched_and_read_from_files(tmp_path: Path) -> None:
    test = made()
    lines = [
        f"{grade} qid:{query} " + " ".join(f"{j}:{value!r}" for j, value in enumerate(row, 1))
        for row, grade, query in zip(
            test.values.tolist(), test.relevance.tolist(), np.repeat(np.arange(24), np.diff(test.offsets)), strict=True
        )
    ]
    (tmp_path / "test.txt").write_text("\n".join(lines) + "\n")
    read = feature_importance(linear(), tmp_path / "test.txt", "AP")
    expected = feature_importance(linear(), test, "AP")
    assert [row[1] for row in read.records()] == [row[1] for row in expected.records()]
    np.testing.assert_allclose(read.drops[0], expected.drops[0], atol=1e-12)


def test_a_blend_has_importance_too() -> None:
    blend = Blend([linear(), Ranker("ranknet", hidden=(), epochs=4)], normalise="fixed").fit(
        made(seed=6), eval_set=made(seed=7)
    )
    result = feature_importance(blend, made(), "AP")
    assert result.models == ("blend",)
    assert result.features[result.order(0)[0]] == "1"


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(ParameterError, match="not fitted"):
        feature_importance(Ranker(), made())
    with pytest.raises(UnknownName, match="unknown measure 'nDGC'"):
        feature_importance(linear(), made(), "nDGC")
    with pytest.raises(ParameterError, match="repeats is 0"):
        feature_importance(linear(), made(), repeats=0)
    ungraded = Features.of(made().values, None, sizes=np.diff(made().offsets))
    with pytest.raises(InputError, match="no grades"):
        feature_importance(linear(), ungraded)


def test_the_table_says_what_its_intervals_are_of() -> None:
    section = feature_importance(linear(), made(), "AP").sections()[0]
    assert mentions(section.notes, "over the queries", "this trained ranker")
    assert section.table is not None
    assert "sd over queries" in section.table.columns
