"""Measures inside LightGBM, XGBoost, CatBoost, scikit-learn and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope.learning import feval, scorer

SIZES = np.array([4, 1, 7, 3])
RNG = np.random.default_rng(5)
GRADES = np.concatenate((RNG.integers(0, 5, 12), np.zeros(3, int)))  # the last list holds nothing relevant
SCORES = RNG.normal(size=15)
GROUPS = np.repeat(["a", "b", "c", "d"], SIZES)


class Dataset:
    """What LightGBM passes to a metric, as far as it is used."""

    def __init__(self, sizes: Any = SIZES) -> None:
        self.sizes = sizes

    def get_label(self) -> Any:
        return GRADES.astype(np.float32)

    def get_group(self) -> Any:
        return self.sizes


class DMatrix:
    """What XGBoost passes to a metric, as far as it is used."""

    def get_label(self) -> Any:
        return GRADES.astype(np.float32)

    def get_uint_info(self, name: str) -> Any:
        assert name == "group_ptr"
        return np.concatenate(([0], np.cumsum(SIZES))).astype(np.uint32)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "MeanRank"])
def test_each_library_gets_the_value_of_evaluate_arrays_in_its_form(measure: str) -> None:
    expected = rs.evaluate_arrays(GRADES, SCORES, measure, sizes=SIZES).overall(measure)
    metric = feval(measure)
    assert metric(SCORES, Dataset()) == (measure, expected, measure != "MeanRank")
    assert metric(GRADES, SCORES, None, SIZES) == (measure, expected, measure != "MeanRank")
    assert metric(SCORES, DMatrix()) == (measure, expected)
    catboost = metric.for_catboost((np.ones(3), [1, 1, 2]), (GRADES, GROUPS))
    assert catboost.get_final_error(*catboost.evaluate([SCORES], GRADES, None)) == expected
    assert catboost.is_max_optimal() == (measure != "MeanRank")


def test_one_list_at_a_time_has_its_value() -> None:
    assert feval("RR")(np.array([0, 1]), np.array([2.0, 1.0])) == 0.5


def test_labels_that_change_under_the_same_sizes_are_seen() -> None:
    metric = feval("RR")
    assert metric(np.array([0.0, 1.0]), np.array([2.0, 1.0]), None, [2])[1] == 0.5
    assert metric(np.array([1.0, 0.0]), np.array([2.0, 1.0]), None, [2])[1] == 1.0


@pytest.mark.parametrize("preset", ["lightgbm", "xgboost"])
def test_lightgbm_stops_early_by_it_and_its_own_ndcg_is_the_same(preset: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 20, 60)
    features = rng.normal(size=(sizes.sum(), 3))
    grades = np.clip((features[:, 0] + rng.normal(size=sizes.sum())).round(), 0, 4)
    train, valid = slice(0, sizes[:40].sum()), slice(sizes[:40].sum(), None)
    data = lightgbm.Dataset(features[train], grades[train], group=sizes[:40])
    other = lightgbm.Dataset(features[valid], grades[valid], group=sizes[40:], reference=data)
    record: dict[str, Any] = {}
    lightgbm.train(
        {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1, "num_threads": 1},
        data,
        30,
        valid_sets=[other],
        feval=feval("nDCG@10", preset=preset),
        callbacks=[lightgbm.record_evaluation(record), lightgbm.early_stopping(3, verbose=False)],
    )
    theirs, ours = record["valid_0"]["ndcg@10"], record["valid_0"]["nDCG@10"]
    assert len(ours) < 30
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_xgboost_has_the_same_ndcg() -> None:
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(SCORES[:, None], GRADES, group=SIZES)
    record: dict[str, Any] = {}
    xgboost.train(
        {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "nthread": 1},
        data,
        5,
        evals=[(data, "train")],
        custom_metric=feval("nDCG@10", preset="xgboost"),
        maximize=True,
        evals_result=record,
        verbose_eval=False,
    )
    assert record["train"]["nDCG@10"] == pytest.approx(record["train"]["ndcg@10"], abs=1e-6)


def test_catboost_has_the_same_ndcg_where_nothing_is_tied() -> None:
    utils = pytest.importorskip("catboost.utils")
    theirs = utils.eval_metric(GRADES, SCORES, "NDCG:top=10;type=Base", group_id=GROUPS)[0]
    assert feval("nDCG@10", no_relevant="one").value(GRADES, SCORES, groups=GROUPS) == pytest.approx(theirs, abs=1e-6)


def test_a_pool_is_read_and_one_without_lists_is_refused() -> None:
    catboost = pytest.importorskip("catboost")
    pool = catboost.Pool(SCORES[:, None], GRADES, group_id=GROUPS)
    value = feval("AP").for_catboost(pool).evaluate([SCORES], GRADES.astype(float), None)[0]
    assert value == feval("AP").value(GRADES, SCORES, sizes=SIZES)
    with pytest.raises(rs.InputError, match="the pool needs group_id"):
        feval("AP").for_catboost(catboost.Pool(SCORES[:, None], GRADES))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: feval(["AP", "RR"]), "AP, RR are 2 measures, expected one"),  # type: ignore[arg-type]
        (lambda: feval("NumRet"), "neither higher nor lower is better"),
        (lambda: feval("AP", preset="lightgbn"), "lightgbm"),
        (lambda: feval("AP")(SCORES, Dataset(None)), "the Dataset has no lists; pass group= to it"),
        (lambda: feval("AP")(GRADES, SCORES, np.arange(15), SIZES), "no weights of documents"),
        (lambda: feval("AP")(GRADES, SCORES * np.nan, None, SIZES), "scores: nan at place 0"),
        (lambda: feval("AP").for_catboost(), "no pool"),
        (lambda: feval("AP").for_catboost(3), "expected pools, or pairs of grades and group ids"),
        (lambda: feval("AP").for_catboost((GRADES, GROUPS[1:])), "14 group ids of 15 documents"),
        (
            lambda: feval("AP").for_catboost((GRADES, GROUPS)).evaluate([SCORES], GRADES[1:], None),
            "passes 14 documents",
        ),
        (
            lambda: feval("AP").for_catboost((GRADES, GROUPS)).evaluate([SCORES], GRADES[::-1], None),
            "in another order, so that their lists are not known; train with boosting_type='Plain'",
        ),
    ],
)
def test_wrong_calls_are_refused_in_one_line(call: Any, message: str) -> None:
    with pytest.raises(rs.RankscopeError) as refusal:
        call()
    assert message in str(refusal.value)


def test_cross_validation_of_scikit_learn_is_told_the_groups() -> None:
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GroupKFold, cross_val_score

    features = np.stack((GRADES + RNG.normal(size=15), SCORES), axis=1)
    with pytest.raises(rs.ParameterError, match="enable_metadata_routing=True"):
        scorer("AP")
    with sklearn.config_context(enable_metadata_routing=True):
        values = cross_val_score(
            Ridge(), features, GRADES, cv=GroupKFold(2), scoring=scorer("AP"), params={"groups": GROUPS}
        )
        with pytest.raises(rs.ParameterError, match="the scorer is told no groups"):
            scorer("AP")(Ridge().fit(features, GRADES), features, GRADES)
        lower = scorer("MeanRank")(Ridge().fit(features, GRADES), features, GRADES, groups=GROUPS)
    expected = []
    for train, test in GroupKFold(2).split(features, GRADES, GROUPS):
        scores = Ridge().fit(features[train], GRADES[train]).predict(features[test])
        expected.append(rs.evaluate_arrays(GRADES[test], scores, "AP", groups=GROUPS[test]).overall("AP"))
    assert values.tolist() == pytest.approx(expected, rel=1e-12)
    assert lower < 0  # scikit-learn's sign where lower is better


def test_batches_of_pytorch_together_have_the_value_of_evaluate_arrays() -> None:
    torch = pytest.importorskip("torch")
    from rankscope.learning.torch import RankingMetric

    metric = RankingMetric("nDCG@3", rel=2)
    grades, scores = torch.from_numpy(GRADES), torch.from_numpy(SCORES).requires_grad_()
    expected = rs.evaluate_arrays(GRADES, SCORES, "nDCG@3", sizes=SIZES, rel=2)
    for begin, end, sizes in ((0, 5, [4, 1]), (5, 15, [7, 3])):
        metric.update(scores[begin:end], grades[begin:end], sizes=torch.tensor(sizes))
    assert metric.compute() == expected.overall("nDCG@3")
    assert metric.scores().matrix("nDCG@3").tolist() == expected.matrix("nDCG@3").tolist()
    metric.reset()
    mask = torch.arange(7) < torch.from_numpy(SIZES)[:, None]
    table, relevance = torch.full(mask.shape, torch.nan, dtype=torch.float64), torch.zeros(mask.shape)
    table[mask], relevance[mask] = scores.detach(), grades.float()
    metric.update(table, relevance, mask=mask)
    assert metric.compute() == expected.overall("nDCG@3")
    metric.reset()
    groups = torch.from_numpy(np.repeat(np.arange(4), SIZES))
    for step in (slice(0, 2), slice(2, 9), slice(9, 15)):  # lists go on in the next batch
        metric.update(scores[step], grades[step], groups=groups[step])
    assert metric.compute() == expected.overall("nDCG@3")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.1], [1, 2]), {"sizes": [1]}, "relevance: shape (2,), expected that of scores, (1,)"),
        (([0.1], [1]), {}, "a flat batch with sizes or groups"),
        (([0.1], [1]), {"sizes": [2]}, "sizes: 2 in all, expected 1"),
        (([0.1], [1]), {"groups": [2, 3]}, "groups: 2 of 1 scores"),
        (([[0.1]], [[1]]), {"sizes": [1]}, "for flat batches"),
        (([[0.1]], [[1]]), {"mask": [[True, True]]}, "mask: shape (1, 2)"),
    ],
)
def test_batches_that_cannot_be_right_are_refused(arguments: Any, options: dict[str, Any], message: str) -> None:
    torch = pytest.importorskip("torch")
    from rankscope.learning.torch import RankingMetric

    tensors = [torch.tensor(values) for values in arguments]
    with pytest.raises(rs.RankscopeError) as refusal:
        RankingMetric("AP").update(*tensors, **{name: torch.tensor(value) for name, value in options.items()})
    assert message in str(refusal.value)


def test_batches_of_two_forms_and_no_batch_are_refused() -> None:
    torch = pytest.importorskip("torch")
    from rankscope.learning.torch import RankingMetric

    metric = RankingMetric("AP")
    with pytest.raises(rs.InputError, match="there is no batch; call update first"):
        metric.compute()
    metric.update(torch.tensor([[0.5]]), torch.tensor([[1]]))
    with pytest.raises(rs.ParameterError, match="one batch has groups and another has none"):
        metric.update(torch.tensor([0.5]), torch.tensor([1]), groups=torch.tensor([1]))


def test_half_precision_is_taken() -> None:
    torch = pytest.importorskip("torch")
    from rankscope.learning.torch import RankingMetric

    metric = RankingMetric("RR")
    metric.update(torch.tensor([[0.5, 0.75]], dtype=torch.bfloat16), torch.tensor([[1, 0]]))
    assert metric.compute() == 0.5
