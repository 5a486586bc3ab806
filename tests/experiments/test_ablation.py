"""ablate: each value against a ranker that was given the other features only; what a feature is worth, as a table."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.folds import QUICK, made, rankers
from helpers.messages import mentions
from helpers.same import assert_same_bits
from scipy.stats import ttest_rel

import rankscope as rs
from rankscope import Features
from rankscope.errors import ParameterError, UnknownName
from rankscope.experiments import FeatureAblation, FeatureImportance, ablate, cross_validate
from rankscope.stats import t_interval

GROUPS = ("first=1", "noise=3", "both=1-2")


@cache
def found() -> FeatureAblation:
    return ablate(made(), GROUPS, "linear:listnet", ["AP", "MinRank"], folds=4, seeds=1)


def without(*features: str) -> Features:
    keep = [name for name in made().names if name not in features]
    return replace(made(), values=made().values[:, [made().names.index(name) for name in keep]], names=tuple(keep))


@pytest.mark.parametrize(("group", "features"), [("first", ("1",)), ("noise", ("3",)), ("both", ("1", "2"))])
def test_a_groups_value_is_that_of_a_ranker_that_never_saw_it(group: str, features: tuple[str, ...]) -> None:
    plain = cross_validate(without(*features), "linear:listnet", ["AP", "MinRank"], folds=4, seeds=1)
    whole = cross_validate(made(), "linear:listnet", ["AP", "MinRank"], folds=4, seeds=1)
    place = list(found().groups).index(group)
    rows = [dict(zip(found().columns, row, strict=True)) for row in found().records()]
    mine = [row for row in rows if row["group"] == group]
    for k, (row, sign) in enumerate(zip(mine, (1, -1), strict=True)):  # of MinRank, less is better
        assert row["without"] == pytest.approx(float(plain.test.overall[0, k]))
        assert row["with"] == pytest.approx(float(whole.test.overall[0, k]))
        assert row["lost"] == pytest.approx(sign * (row["with"] - row["without"]))
        assert row["lost"] == pytest.approx(float(found().lost(("AP", "MinRank")[k])[place]))
        assert row["low"] <= row["lost"] <= row["high"]
        assert row["features"] == len(features)


def test_the_tests_are_paired_and_corrected_for_the_number_of_groups() -> None:
    scores = found().cross_validation.test.scores.matrix("AP")
    rows = [dict(zip(found().columns, row, strict=True)) for row in found().records() if row[3] == "AP"]
    plain = [float(ttest_rel(scores[0], scores[g + 1]).pvalue) for g in range(3)]
    assert [row["pvalue"] for row in rows] == pytest.approx(plain)
    order = np.argsort(plain)  # Holm: the least by three, the next by two, never falling
    holm = np.maximum.accumulate(np.minimum(np.array(plain)[order] * [3, 2, 1], 1))
    assert [rows[i]["pvalue_corrected"] for i in order] == pytest.approx(holm.tolist())


def test_what_says_nearly_all_is_missed_and_what_says_nothing_is_not() -> None:
    first, noise, both = found().lost("AP").tolist()
    assert first > 0.1
    assert both > 0.1
    assert abs(noise) < 0.05
    sections = found().sections()
    assert [one.title for one in sections] == [
        f"linear:listnet: {measure} without groups of features" for measure in ("AP", "MinRank")
    ]
    assert sections[0].table is not None
    assert sections[0].table.rows[-1][0] == "noise"
    assert mentions(sections[0].sentence, "all 3 features", "linear:listnet", "mean AP of 0.")
    assert re.search(r"\bworse\b.*first and both\b.*\bno significant difference\b.*\bnoise\b", sections[0].sentence)
    assert "groups:first[1] noise[3] both[1,2]" in found().signature().split(" | ")
    assert repr(found()) == "FeatureAblation('linear:listnet', 3 groups)"
    assert found().frame().columns == list(found().columns)


def test_the_order_of_groups_changes_no_value() -> None:
    other = ablate(made(), GROUPS[::-1], "linear:listnet", ["AP", "MinRank"], folds=4, seeds=1)
    assert_same_bits(other.lost("AP").tolist(), found().lost("AP")[::-1].tolist())
    assert_same_bits(other.cross_validation.test.overall[0].tolist(), found().cross_validation.test.overall[0].tolist())


@pytest.mark.parametrize(
    ("groups", "more", "said"),
    [
        ("first", {}, "'first'"),
        ("g=1", {"ranker": ["listnet", "ranknet"]}, r"\bone ranker\b.*\b2\b"),
        ("g=1", {"seeds": 0}, "seeds is 0"),
        ("g=1", {"test": "u"}, "'u'"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_read(groups: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        ablate("no such file", groups, **more)


def test_groups_that_the_data_do_not_have_are_refused() -> None:
    with pytest.raises(UnknownName, match="unknown feature '9'"):
        ablate(made(), "g=9", "linear:listnet", "AP")
    with pytest.raises(ParameterError, match="holds all 3 features"):
        ablate(made(), "g=1-3", "linear:listnet", "AP")
    with pytest.raises(ParameterError, match="no group"):
        ablate(made(), {}, "linear:listnet", "AP")


@cache
def importance() -> FeatureImportance:
    result = cross_validate(
        made(), rankers("linear:listnet", "ranknet", **QUICK), "AP", folds=3, seeds=2, importance=True
    )
    table = result.feature_importance
    assert table is not None
    return table


def test_the_table_of_features_has_means_and_intervals_over_folds() -> None:
    table = importance()
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.records()]
    assert len(rows) == 2 * 3
    for m, model in enumerate(table.models):
        drops = table.drops[m]
        assert drops.shape == (1 if model == "linear:listnet" else 2, 3, 3)  # seeds, folds, features
        mine = [row for row in rows if row["model"] == model]
        assert [row["worth"] for row in mine] == sorted((row["worth"] for row in mine), reverse=True)
        for row in mine:
            of_folds = drops[:, :, table.features.index(row["feature"])].mean(axis=0)
            assert row["worth"] == pytest.approx(of_folds.mean())
            interval = t_interval(of_folds)
            assert (row["low"], row["high"]) == pytest.approx((float(interval.low), float(interval.high)))
            assert row["n"] == 3
        assert mine[0]["feature"] == "1"


def test_the_table_of_features_is_a_result_like_others() -> None:
    table = importance()
    assert mentions(table.sections()[0].title, "linear:listnet", "features")
    assert mentions(table.sections()[0].sentence, "mean AP", "test lists", "one feature", "shuffled")
    assert table.frame().columns == ["model", "feature", "measure", "worth", "low", "high", "n"]
    assert table.signature()
    assert table.notes == ()
    assert repr(table) == "FeatureImportance(3 features, 2 rankers)"
    assert cross_validate(made(), "linear:listnet", "AP", folds=3, seeds=1).feature_importance is None


def test_trees_that_see_ranks_are_asked_list_by_list() -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")
    trees = "lambdamart(trees=10, leaves=3, min_documents=3, features=1.0, documents=1.0, ranks=True)"
    result = cross_validate(made(), trees, "AP", folds=3, seeds=1, importance=True)
    assert result.feature_importance is not None
    rows = list(result.feature_importance.records())
    assert len(rows) == 3
    assert rows[0][1] == "1"
    assert rows[0][3] > 0.1


def test_they_are_there_by_name() -> None:
    assert rs.experiments.ablate is ablate
    assert rs.experiments.FeatureAblation is FeatureAblation
    assert rs.experiments.FeatureImportance is FeatureImportance
