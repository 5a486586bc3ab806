"""Measures inside other libraries: early stopping of boosters, and scores of scikit-learn's cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.arrays import check_relevance, evaluate_arrays
from rankscope.evaluation.judged_lists import check_measure
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures

__all__ = [
    "BoosterMetric",
    "CatBoostMetric",
    "ListMetric",
    "feval",
    "scorer",
]


#: Data sets whose grades a metric keeps: boosters call it with the same ones after each tree.
DATA_SETS = 4


class ListMetric:
    """One measure of flat lists, as `feval`, `scorer` and the metric of PyTorch compute it.

    Parameters
    ----------
    measure
        The measure.
    preset
        Conventions of a reference tool.
    rel
        Lowest grade that counts as relevant.
    ties
        How equal scores are ranked.
    no_relevant
        Value of a query without relevant documents.

    Raises
    ------
    ParameterError
        Several measures, one that needs subtopics, or one of which neither higher nor lower is better.
    """

    def __init__(
        self,
        measure: str | Measure,
        *,
        preset: str | None = None,
        rel: float = 1,
        ties: str | None = None,
        no_relevant: str | None = None,
    ) -> None:
        parsed = parse_measures([measure] if isinstance(measure, str | Measure) else measure)
        if len(parsed) != 1:
            raise ParameterError(f"{', '.join(map(str, parsed))} are {len(parsed)} measures, expected one")
        check_measure(parsed[0])
        self.measure = measure
        self.options: dict[str, Any] = {"preset": preset, "rel": rel, "ties": ties, "no_relevant": no_relevant}
        self.name = str(measure)
        self.is_higher_better = parsed[0].higher_is_better is not False
        evaluate_arrays([[1.0]], [[1.0]], measure, **self.options)  # wrong options are refused before training
        self.checked: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = []

    def evaluate(self, relevance: npt.ArrayLike, scores: npt.ArrayLike, **lists: Any) -> Scores:
        """The scores of some lists. lists: sizes, offsets or groups."""
        return evaluate_arrays(self.small_grades(relevance), scores, self.measure, **self.options, **lists)

    def small_grades(self, relevance: npt.ArrayLike) -> npt.NDArray[Any]:
        """The grades, of one byte each where they are small whole numbers; those of the last data sets are kept."""
        values = np.asarray(relevance)
        for original, grades in self.checked:
            if np.array_equal(original, values):
                return grades
        if values.ndim != 1 or not values.size or values.dtype.kind not in "iuf":
            return values  # refused, or small already
        small: npt.NDArray[Any] = check_relevance(values[np.newaxis], None, is_flat=True)[0]
        self.checked = [*self.checked[-DATA_SETS + 1 :], (values.copy(), small)]
        return small

    def value(self, relevance: npt.ArrayLike, scores: npt.ArrayLike, **lists: Any) -> float:
        """The value over all lists."""
        return self.overall(self.evaluate(relevance, scores, **lists))

    def overall(self, scored: Scores) -> float:
        """The value over all lists of some scores."""
        return float(scored.overall(scored.measures[0]))


class BoosterMetric(ListMetric):
    """A measure as LightGBM and XGBoost call it; `feval` makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from rankscope.learning import feval
    >>> metric = feval("nDCG@10", preset="lightgbm")
    >>> name, value, higher_is_better = metric(np.array([2, 0, 1]), np.array([0.5, 0.1, 0.9]), None, np.array([3]))
    >>> name, round(value, 4), higher_is_better
    ('nDCG@10', 0.7967, True)
    """

    @property
    def __name__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"feval({self.name!r})"

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> Any:
        """Compute the measure as the library that calls expects it.

        Parameters
        ----------
        first
            Scores, where `second` is a data set; else grades.
        second
            LightGBM's Dataset, XGBoost's DMatrix, or scores.
        weight
            Weights of documents, from `LGBMRanker`; refused unless they are all equal, since a measure has none.
        group
            Sizes of the lists, from `LGBMRanker`.

        Returns
        -------
        object
            Of LightGBM: name, value, whether higher is better. Of XGBoost's `train`: name and value. Of `XGBRanker`,
            which passes one list at a time: the value.
        """
        if hasattr(second, "get_uint_info"):
            offsets = second.get_uint_info("group_ptr")
            if len(offsets) < 2:
                raise InputError("the DMatrix has no lists; pass qid= or group= to it")
            return self.name, self.value(second.get_label(), first, offsets=offsets)
        if hasattr(second, "get_group"):
            sizes = second.get_group()
            if sizes is None:
                raise InputError("the Dataset has no lists; pass group= to it")
            return self.name, self.value(second.get_label(), first, sizes=sizes), self.is_higher_better
        if group is None:
            return self.value(first, second, sizes=[len(first)])
        if weight is not None and np.ptp(weight) > 0:
            raise ParameterError(f"{self.name} has no weights of documents; train without eval_sample_weight")
        return self.name, self.value(first, second, sizes=group), self.is_higher_better

    def for_catboost(self, *pools: Any) -> CatBoostMetric:
        """Return the measure as CatBoost calls it, which passes grades and scores, but no lists.

        Parameters
        ----------
        pools
            The pools of training and validation, with group_id; or pairs of grades and group ids.
        """
        if not pools:
            raise ParameterError("for_catboost: no pool; CatBoost does not tell a metric its lists, so pass the pools")
        return CatBoostMetric(self, pools)


class CatBoostMetric:
    """A measure as CatBoost calls it, for `eval_metric`; `feval(...).for_catboost` makes it.

    Parameters
    ----------
    metric
        The measure.
    pools
        Pools of CatBoost, or pairs of grades and group ids.
    """

    def __init__(self, metric: ListMetric, pools: Iterable[Any]) -> None:
        self.metric = metric
        self.lists = [lists_of_pool(pool) for pool in pools]

    def __repr__(self) -> str:
        return f"feval({self.metric.name!r}).for_catboost(...)"

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return self.metric.is_higher_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The value and 1. Raises ParameterError where the documents are not those of a pool, in its order."""
        relevance, scores = np.asarray(target, np.float64), np.asarray(approxes[0])
        sizes = [grades.size for grades, _ in self.lists]
        if relevance.size not in sizes:
            raise ParameterError(
                f"CatBoost passes {relevance.size} documents, and the pools of this metric have "
                f"{', '.join(map(str, sizes))}; pass all pools of training and validation to for_catboost"
            )
        for grades, groups in self.lists:
            if np.array_equal(grades, relevance):
                return self.metric.value(relevance, scores, groups=groups), 1.0
        raise ParameterError(
            "CatBoost passes the documents of training in another order, so that their lists are not known; train with "
            "boosting_type='Plain', or with has_time=True"
        )

    def get_final_error(self, error: float, weight: float) -> float:
        """The value."""
        return error / weight


def lists_of_pool(pool: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Grades, as CatBoost keeps them, and the lists of a pool's documents."""
    if hasattr(pool, "get_group_id_hash"):
        grades, groups = pool.get_label(), pool.get_group_id_hash()
    else:
        try:
            grades, groups = pool
        except (TypeError, ValueError) as error:
            raise ParameterError("for_catboost: expected pools, or pairs of grades and group ids") from error
    relevance, names = np.asarray(grades, np.float32).astype(np.float64), np.asarray(groups)
    if names.shape != relevance.shape:
        raise InputError(f"for_catboost: {names.size} group ids of {relevance.size} documents; the pool needs group_id")
    return relevance, names


def feval(
    measure: str | Measure,
    *,
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    no_relevant: str | None = None,
) -> BoosterMetric:
    """Make a measure a custom metric of LightGBM, XGBoost or CatBoost, also for early stopping.

    Parameters
    ----------
    measure
        The measure.
    preset
        Conventions of a reference tool, as in `evaluate`: "lightgbm" and "xgboost" give the numbers of these libraries.
    rel
        Lowest grade that counts as relevant.
    ties
        How equal scores are ranked, as in `evaluate_arrays`.
    no_relevant
        Value of a query without relevant documents, as in `evaluate`.

    Returns
    -------
    BoosterMetric
        For `feval` of `lightgbm.train`, `eval_metric` of `LGBMRanker.fit`, `custom_metric` of `xgboost.train` (with
        maximize=True) and, by `.for_catboost(pools)`, `eval_metric` of `CatBoostRanker`.

    Raises
    ------
    ParameterError
        Several measures, or one that has no direction.

    Examples
    --------
    >>> from rankscope.learning import feval
    >>> feval("nDCG@10", preset="lightgbm")
    feval('nDCG@10')
    """
    return BoosterMetric(measure, preset=preset, rel=rel, ties=ties, no_relevant=no_relevant)


def scorer(
    measure: str | Measure,
    *,
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    no_relevant: str | None = None,
) -> Callable[..., float]:
    """Make a measure a scorer of scikit-learn that is told the lists by metadata routing.

    Parameters
    ----------
    measure
        The measure.
    preset
        Conventions of a reference tool, as in `evaluate`.
    rel
        Lowest grade that counts as relevant.
    ties
        How equal scores are ranked, as in `evaluate_arrays`.
    no_relevant
        Value of a query without relevant documents, as in `evaluate`.

    Returns
    -------
    Callable
        For `scoring` of `cross_val_score(..., cv=GroupKFold(), params={"groups": queries})` and of searches.

    Raises
    ------
    ParameterError
        scikit-learn is not installed, its metadata routing is off, or the measure has no direction.
    """
    try:
        from sklearn import get_config
        from sklearn.metrics import make_scorer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise ParameterError("scorer: scikit-learn is not installed; pip install scikit-learn") from None
    metric = ListMetric(measure, preset=preset, rel=rel, ties=ties, no_relevant=no_relevant)
    if not get_config()["enable_metadata_routing"]:
        raise ParameterError(
            "scikit-learn passes no groups to a scorer unless metadata routing is on; call "
            "sklearn.set_config(enable_metadata_routing=True) first"
        )

    def score_lists(relevance: Any, scores: Any, groups: Any = None) -> float:
        if groups is None:
            raise ParameterError('the scorer is told no groups; pass params={"groups": queries}')
        return metric.value(relevance, scores, groups=groups)

    list_scorer = make_scorer(score_lists, greater_is_better=metric.is_higher_better)
    return list_scorer.set_score_request(groups=True)  # type: ignore[no-any-return]
