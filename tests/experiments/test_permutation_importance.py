"""What features are worth: by the measure's own summary and conventions, against a shuffle by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.folds import features

from rankscope import Features, parse_measure
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments import cross_validate
from rankscope.experiments.crossvalidation import FoldTask, join_features, read_folds, run_fold_task
from rankscope.experiments.crossvalidation.fold_values import plan_measures
from rankscope.experiments.permutation_importance import permutation_drops
from rankscope.learning import Ranker

Floats = npt.NDArray[np.float64]


def test_importance_is_told_by_the_summary_of_the_measure() -> None:
    """Against a shuffle by hand with the same numbers drawn."""
    fold = read_folds(features(), folds=4).folds[0]
    ranker = Ranker("listnet", hidden=(), epochs=4).fit(join_features(fold.train, "training"), eval_set=fold.valid)
    lists = FullyJudgedLists(fold.test.relevance, fold.test.offsets, by_lot=True)

    def drop_of(name: str) -> float:
        plan = plan_measures([name], 1, None)
        return float(permutation_drops(ranker, fold.test, lists, plan, repeats=1, rng=np.random.default_rng(3))[0])

    def by_hand(total: Callable[[Floats], Any]) -> float:
        values = fold.test.values.copy()
        whole = total(parse_measure("AP")(lists.hits(ranker.predict(values))))
        values[:, 0] = np.random.default_rng(3).permutation(values[:, 0])
        return float(whole - total(parse_measure("AP")(lists.hits(ranker.predict(values)))))

    assert drop_of("AP") == pytest.approx(by_hand(np.mean))
    assert drop_of("GMAP") == pytest.approx(by_hand(lambda each: np.exp(np.log(np.maximum(each, 1e-5)).mean())))


def test_importance_leaves_out_queries_that_are_left_out() -> None:
    kept = [
        cross_validate(features(), "linear:listnet", "AP", folds=3, seeds=1, importance=True, no_relevant=chosen)
        for chosen in ("zero", "drop")
    ]
    fold = np.array([int((kept[0].test.fold == k).sum()) for k in range(3)])
    empty = np.isnan(kept[1].test.scores.matrix("AP")[0])
    left = np.array([int((~empty[kept[1].test.fold == k]).sum()) for k in range(3)])
    assert (left < fold).any()
    zero, drop = (found.importance[:, 0] for found in kept)
    np.testing.assert_allclose(drop, zero * (fold / left)[:, None], atol=1e-12)


def test_of_a_fold_equal_scores_are_put_in_an_order_by_lot() -> None:
    rng = np.random.default_rng(1)
    x = (rng.random((240, 3)) < 0.3).astype(float)
    grades = np.sort(rng.integers(0, 3, (24, 10)), axis=1)[:, ::-1].ravel()
    fold = read_folds(Features.of(x, grades, sizes=[10] * 24), folds=3).folds[0]
    plan, ranker = plan_measures(["nDCG@3"], 1, None), Ranker(hidden=(), epochs=2, rng=0)
    lists = {"train": fold.train, "valid": fold.valid, "test": fold.test}
    task = FoldTask(fold=fold.name, **lists, model="linear", ranker=ranker, importance_plan=plan)
    found = run_fold_task(task).importance
    ranker = Ranker(hidden=(), epochs=2, rng=0).fit(join_features(fold.train, "training"), eval_set=fold.valid)
    by_lot, by_file = (
        permutation_drops(
            ranker,
            fold.test,
            FullyJudgedLists(fold.test.relevance, fold.test.offsets, by_lot=lot),
            plan,
            rng=np.random.default_rng([0, 1]),
        )
        for lot in (True, False)
    )
    assert found is not None
    assert found.tolist() == by_lot.tolist() != by_file.tolist()
