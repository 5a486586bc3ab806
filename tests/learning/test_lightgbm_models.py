"""Trees read from LightGBM's models predict as LightGBM does; what they cannot stand for is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rankscope.learning.lambdamart import parse_trees

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")

RNG = np.random.default_rng(12)
#: Whole numbers, zeros, tiny numbers and numbers of all sizes, as features come.
X = np.column_stack(
    [
        RNG.integers(-2, 3, 600),
        RNG.normal(size=600) * (RNG.random(600) < 0.3),
        RNG.normal(size=600) * 1e-34,
        10.0 ** RNG.integers(-30, 30, 600),
        RNG.normal(size=600),
    ]
)
Y = (X[:, 0] > 0) + (X[:, 1] > 0.2) + (X[:, 4] > 0).astype(int)
QUIET = {"verbosity": -1, "num_threads": 1, "use_missing": False, "min_data_in_leaf": 3, "num_leaves": 12}


def booster(values: Any = X, trees: int = 20, **more: Any) -> Any:
    data = lightgbm.Dataset(values, Y, group=[20] * 30, params={**QUIET, **more})
    return lightgbm.train({"objective": "lambdarank", **QUIET, **more}, data, trees)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("trees", [1, 20])
def test_they_predict_as_lightgbm_does(dtype: Any, trees: int) -> None:
    with np.errstate(under="ignore"):
        grown = booster(X.astype(dtype), trees)
        others = np.concatenate([X, X * 0.999, np.zeros((1, 5)), -X, np.full((1, 5), 1e-35)]).astype(dtype)
    found = parse_trees(grown.model_to_string())(others)
    np.testing.assert_allclose(found, grown.predict(others), rtol=0, atol=1e-12)
    assert np.unique(found).size > trees


def test_the_first_trees_alone_predict_as_so_many_do() -> None:
    grown = booster()
    found = parse_trees(grown.model_to_string(num_iteration=7))
    assert found.roots.size == 7
    np.testing.assert_allclose(found(X), grown.predict(X, num_iteration=7), rtol=0, atol=1e-12)


def test_a_tree_of_one_leaf_says_its_number_of_all() -> None:
    grown = booster(trees=2)
    text = re.sub(
        r"(?s)\nTree=1.*?\n\n", "\nTree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=0.25\n\n", grown.model_to_string()
    )
    expected = grown.predict(X, num_iteration=1) + 0.25
    np.testing.assert_allclose(parse_trees(text)(X), expected, rtol=0, atol=1e-12)


def test_trees_with_ways_for_missing_numbers_categories_or_linear_leaves_are_refused() -> None:
    holes = X.copy()
    holes[::3, 4] = np.nan
    with pytest.raises(ValueError, match="missing numbers"):
        parse_trees(booster(holes, use_missing=True).model_to_string())
    text = booster(trees=1).model_to_string()
    with pytest.raises(ValueError, match="categories"):
        parse_trees(text.replace("num_cat=0", "num_cat=1"))
    with pytest.raises(ValueError, match="linear"):
        parse_trees(text.replace("is_linear=0", "is_linear=1"))
