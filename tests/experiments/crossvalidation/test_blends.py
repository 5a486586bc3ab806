"""Blends in a cross-validation: each number against a Blend made by hand, and what a report says of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.folds import QUICK, made, rankers, write_folds
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import parse_measure
from rankscope.data.result import as_text
from rankscope.errors import ParameterError, UnknownName
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments import CrossValidation, cross_validate
from rankscope.experiments.crossvalidation import Fold, join_features, read_folds
from rankscope.experiments.crossvalidation.blends import BLEND_NAME
from rankscope.learning import Blend, Ranker

LOSSES = ("linear:listnet", "ranknet")


@cache
def found(how: str = "average") -> CrossValidation:
    return cross_validate(made(), rankers(*LOSSES, **QUICK), ["nDCG@3", "AP"], folds=4, seeds=2, blend=how)


def parts_of(fold: Fold, seeds: tuple[int, ...]) -> list[Ranker]:
    """What the blend of a fold is made of, trained one by one: the linear one, which no seed changes, once."""
    linear = Ranker("listnet", **{**QUICK, "hidden": ()}, rng=0)
    networks = [Ranker("ranknet", **QUICK, rng=seed) for seed in seeds]
    return [one.fit(join_features(fold.train, "training"), eval_set=fold.valid) for one in (linear, *networks)]


def by_hand(how: str, seeds: tuple[int, ...], part: str) -> tuple[list[float], np.ndarray]:
    """The values of all queries, fold by fold, and (folds, parts) weights."""
    values: list[float] = []
    weights = []
    for fold in read_folds(made(), folds=4).folds:
        blend = Blend(parts_of(fold, seeds), how=how).combine(fold.valid)
        lists = getattr(fold, part)
        hits = FullyJudgedLists(lists.relevance, lists.offsets, by_lot=True).hits(blend.predict(lists))
        values += parse_measure("AP")(hits).tolist()
        weights.append(blend.combination_.weights)
    return values, np.array(weights)


@pytest.mark.parametrize("how", ["average", "stacked"])
def test_the_blend_is_that_of_all_rankers_from_all_seeds(how: str) -> None:
    result = found(how)
    assert result.models == ("linear:listnet", "ranknet", BLEND_NAME)
    assert result.blend is not None
    assert result.blend.parts == (("linear:listnet", None), ("ranknet", 0), ("ranknet", 1))
    for part, measured in (("test", result.test), ("valid", result.valid)):
        expected, weights = by_hand(how, (0, 1), part)
        ours = measured.scores.values[2, 1]
        np.testing.assert_allclose(ours, expected, atol=1e-12)
        assert float(measured.overall[2, 1]) == pytest.approx(np.mean(expected))
    np.testing.assert_allclose(result.blend.weights, weights, atol=1e-12)
    if how == "average":
        assert result.blend.weights == pytest.approx(1 / 3)


def test_seeds_are_told_by_blends_of_one_seed_each() -> None:
    of_seed = [np.mean(by_hand("average", (seed,), "test")[0]) for seed in (0, 1)]
    assert found().test.by_seed[:, 2, 1].tolist() == pytest.approx(of_seed)
    assert found().test.deviation[2, 1] == pytest.approx(np.std(of_seed, ddof=1))


def test_the_other_rankers_are_as_they_are_without_a_blend() -> None:
    plain = cross_validate(made(), rankers(*LOSSES, **QUICK), ["nDCG@3", "AP"], folds=4, seeds=2)
    assert_same_bits(plain.test.scores.values.tolist(), found().test.scores.values[:2].tolist())
    assert plain.blend is None
    assert found().seconds[0, 2, 0] >= found().seconds[0, :2, 0].sum()  # a blend takes the time of its parts


@pytest.mark.usefixtures("forked_workers")
def test_any_number_of_workers_gives_the_same() -> None:
    two = cross_validate(
        made(), rankers(*LOSSES, **QUICK), ["nDCG@3", "AP"], folds=4, seeds=2, blend="stacked", workers=2
    )
    assert_same_bits(two.test.scores.values.tolist(), found("stacked").test.scores.values.tolist())


def test_the_test_lists_decide_nothing(tmp_path: Path) -> None:
    common = {"measures": "AP", "seeds": 1, "blend": "stacked"}
    first = cross_validate(write_folds(tmp_path / "a"), rankers(*LOSSES, **QUICK), **common)
    other = cross_validate(write_folds(tmp_path / "b", shuffled_tests=True), rankers(*LOSSES, **QUICK), **common)
    assert first.blend is not None
    assert other.blend is not None
    assert_same_bits(first.blend.weights.tolist(), other.blend.weights.tolist())
    assert_same_bits(first.valid.scores.values.tolist(), other.valid.scores.values.tolist())
    assert first.test.overall.tolist() != other.test.overall.tolist()


def test_a_report_shows_the_blend_against_its_parts_with_tests() -> None:
    section = next(one for one in found().sections() if mentions(one.title, "blend", "2 parts"))
    assert section.table is not None
    assert [row[:2] for row in section.table.rows] == [
        (measure, found().models[m]) for measure in ("nDCG@3", "AP") for m in found().order if m != 2
    ]
    comparison = found().comparison
    assert comparison is not None
    for row in section.table.rows:
        measure, name, value, blend, difference, interval, p, weight = map(str, row)
        m, k = found().models.index(name), found().measures.index(measure)
        means = found().test.overall[:, k]
        assert (value, blend) == (f"{means[m]:.4f}", f"{means[2]:.4f}")
        assert float(difference) == pytest.approx(means[2] - means[m], abs=1e-4)
        low, high = map(float, interval.strip("[]").split(", "))
        assert low <= float(difference) <= high
        part = comparison[measure]
        assert p.startswith(f"{part.pvalue_corrected[part.pair_index(m, 2)]:.4f}"[:4])
        assert weight == ("0.33" if name == "linear:listnet" else "0.67")
    assert mentions(section.sentence, "blend", "nDCG@3", f"{found().test.overall[2, 0]:.4f}", "test")
    for name in LOSSES:
        assert name in section.sentence


def test_notes_say_what_a_blend_is_and_what_stacking_does() -> None:
    averaged, stacked = found().sections()[0].notes, found("stacked").sections()[0].notes
    assert mentions(stacked, "blend", "3 rankers", "weights learned", "validation")
    assert mentions(stacked, "blend", "validation", "twice")
    assert not mentions(averaged, "twice")
    assert mentions(averaged, "blend", "sd over seeds", "one seed")
    assert "blend:average,z-score" in found().signature()
    assert "blend:stacked,z-score,listnet,l2=1" in found("stacked").signature()


def test_a_blend_may_be_the_baseline_and_has_no_importance() -> None:
    result = cross_validate(
        made(), rankers(*LOSSES, **QUICK), "AP", folds=3, seeds=1, blend=True, baseline=BLEND_NAME, importance=True
    )
    assert result.comparison is not None
    assert {result.models[m] for m in result.comparison.comparisons[0].first} == {BLEND_NAME} or {
        result.models[m] for m in result.comparison.comparisons[0].second
    } == {BLEND_NAME}
    worth = result.feature_importance
    assert worth is not None
    assert sorted(worth.models) == sorted(LOSSES)
    as_text(result)
    other = cross_validate(made(), rankers(*LOSSES, **QUICK), "AP", folds=3, seeds=1, blend=True, baseline="ranknet")
    assert mentions(as_text(other), "2 parts")


def test_seeds_of_one_network_are_a_blend_and_a_linear_ranker_alone_is_none() -> None:
    result = cross_validate(made(), rankers("ranknet", **QUICK), "AP", folds=3, seeds=2, blend=True)
    assert result.blend is not None
    assert result.blend.parts == (("ranknet", 0), ("ranknet", 1))
    with pytest.raises(ParameterError, match=r"\blinear:listnet\b.*\b3 seeds\b"):
        cross_validate(made(), "linear:listnet", blend=True)
    with pytest.raises(ParameterError, match=r"\branknet\b.*\b1 seed\b"):
        cross_validate(made(), "ranknet", seeds=1, blend=True)


def test_what_is_no_blend_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ParameterError, match=r"\bblend\b.*'median'.*'average', 'stacked'"):
        cross_validate("no such file", LOSSES, blend="median")
    with pytest.raises(ParameterError, match="called 'blend'"):
        cross_validate("no such file", {"blend": Ranker(), "other": Ranker()}, blend=True)
    with pytest.raises(ParameterError, match=r"'both'.*\bBlend\b.*\bRanker\b"):
        cross_validate("no such file", {"both": Blend([Ranker(), Ranker()]), "other": Ranker()})  # wrong
    with pytest.raises(UnknownName, match="unknown ranker 'blend'"):
        cross_validate("no such file", LOSSES, baseline=BLEND_NAME)
