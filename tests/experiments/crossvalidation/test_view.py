"""What is said of a cross-validation: who is best, who cannot be told from whom, how large noise is."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import Messages, mentions
from scipy import stats

import rankscope as rs
from rankscope import Features
from rankscope.data.result import as_text
from rankscope.experiments import CrossValidation, cross_validate
from rankscope.experiments.crossvalidation import FoldValues
from rankscope.experiments.crossvalidation.result import noise_of_pairs, seeds_note
from rankscope.experiments.crossvalidation.view import verdict

SENTENCES = Messages("crossvalidation")

T = 2.2621571627982049  # 9 degrees of freedom, .975


def t_of(variances: list[float], freedom: list[int]) -> float:
    """Student's t at .975 with the degrees of freedom of a sum of variances (Satterthwaite 1946, equation 17)."""
    degrees = sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, freedom, strict=True))
    return float(stats.t.ppf(0.975, degrees))


def made(
    values: npt.NDArray[np.float64], fixed: tuple[bool, ...] | None = None, baseline: str | None = None
) -> CrossValidation:
    """A cross-validation by RR with these values, (seeds, models, 10 queries), of models a, b, ..."""
    x = np.arange(60.0).reshape(30, 2) % 7
    base = cross_validate(
        Features.of(x, np.arange(30) % 3 == 0, sizes=[3] * 10), "linear:listnet", "RR", folds=3, seeds=1
    )
    _, models, _ = values.shape
    names = tuple("abcdef"[:models])
    scores = replace(
        base.test.scores,
        systems=names,
        values=values.mean(axis=0)[:, None],
        missing=np.zeros((models, 10), np.bool_),
    )
    part = FoldValues(scores=scores, fold=base.test.fold, by_seed=values.mean(axis=2)[:, :, None])
    return replace(
        base,
        models=names,
        test=part,
        valid=part,
        fixed=fixed or (False,) * models,
        comparison=rs.compare(scores, baseline=baseline, rng=0) if models > 1 else None,
        curves=base.curves * models,
        stop_on=base.stop_on * models,
        best_epochs=np.ones((len(values), models, 3)),
        seconds=np.ones((len(values), models, 3)),
        at_end=np.zeros(models, np.bool_),
        rank_counts=np.repeat(base.rank_counts, models, axis=0),
    )


def queries(*shifts: float, spread: float = 0.02) -> npt.NDArray[np.float64]:
    """(models, queries) values about .5, each model's moved; how they differ varies from query to query."""
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(len(shifts), 10))
    noise -= noise.mean(axis=1, keepdims=True)
    return 0.5 + np.array(shifts)[:, None] + spread * noise


def test_noise_is_half_the_interval_of_the_difference_with_the_variance_of_seed_means_added() -> None:
    values = np.array([queries(0.0, 0.01), queries(0.002, 0.013), queries(0.001, 0.007)])
    result = made(values)
    assert result.comparison is not None
    noise = noise_of_pairs(result, result.comparison.comparisons[0])
    mean = values.mean(axis=0)
    asked = float(np.var(mean[0] - mean[1], ddof=1)) / 10
    drawn = [float(np.var(one, ddof=1)) / 3 for one in ([0.0, 0.002, 0.001], [0.01, 0.013, 0.007])]
    of_queries = T * sqrt(asked)
    of_seeds = t_of(drawn, [2, 2]) * sqrt(sum(drawn))
    assert noise.queries[0] == pytest.approx(of_queries)
    assert noise.seeds[0] == pytest.approx(of_seeds)
    assert noise.both[0] == pytest.approx(t_of([asked, *drawn], [9, 2, 2]) * sqrt(asked + sum(drawn)))
    said = verdict(result)
    assert mentions(said, f"{noise.both[0]:.4f}", f"queries alone: {of_queries:.4f}", f"3 seeds alone: {of_seeds:.4f}")
    SENTENCES.check("three seeds", said)


def test_one_seed_says_nothing_of_seeds_and_rankers_that_have_none_need_none() -> None:
    values = queries(0.0, 0.01)[None]
    alone, fixed = made(values), made(values, fixed=(True, True))
    SENTENCES.check("one seed", verdict(alone))
    assert "seed" not in verdict(fixed)
    assert fixed.comparison is not None
    assert noise_of_pairs(fixed, fixed.comparison.comparisons[0]).seeds.tolist() == [0]


def test_who_is_beaten_and_who_cannot_be_told_apart_are_named() -> None:
    result = made(np.array([queries(0.0, 0.2, 0.199)] * 2))
    SENTENCES.check("better than one of two", verdict(result))
    assert result.order == (1, 2, 0)
    SENTENCES.check("better than the other", verdict(made(np.array([queries(0.0, 0.2)] * 2))))


def test_only_pairs_with_the_best_ranker_are_spoken_of_and_thresholds_that_differ_are_told_as_a_range() -> None:
    near = queries(0.0, 0.01)
    result = made(np.array([[*near, queries(0.0, spread=0.2)[0][::-1]]] * 2))
    assert result.comparison is not None
    part = result.comparison.comparisons[0]
    both = noise_of_pairs(result, part).both
    assert result.order[0] == 1
    low, high = sorted([both[part.pair_index(0, 1)], both[part.pair_index(1, 2)]])
    assert mentions(verdict(result), "difference from b", f"below {low:.4f} to {high:.4f},")


def test_a_pair_without_the_best_ranker_does_not_count() -> None:
    """b and c differ from a by as much, to either side, and so from each other by twice as much."""
    to_either_side = np.random.default_rng(4).normal(size=10) / 50
    to_either_side -= to_either_side.mean()
    result = made(np.array([[np.full(10, 0.6), 0.5 + to_either_side, 0.5 - to_either_side]] * 2))
    assert result.comparison is not None
    part = result.comparison.comparisons[0]
    both = noise_of_pairs(result, part).both
    assert both[part.pair_index(1, 2)] == pytest.approx(2 * both[part.pair_index(0, 1)])
    assert mentions(verdict(result), "difference from a", f"below about {both[part.pair_index(0, 1)]:.4f} ")


def test_rankers_that_never_differ_are_not_said_to_be_noisy() -> None:
    same = np.array([queries(0.0)[[0, 0]]] * 2)
    SENTENCES.check("rankers that never differ", verdict(made(same)))


def test_with_a_baseline_only_its_pairs_are_spoken_of() -> None:
    result = made(np.array([queries(0.0, 0.2, 0.199)] * 2), baseline="a")
    SENTENCES.check("with a baseline", verdict(result))


def test_a_difference_of_queries_that_seeds_could_have_made_is_noted() -> None:
    values = np.array([queries(0.1, 0.0), queries(-0.1, 0.05)])  # b is .025 better, and seeds are .1 apart
    result = made(values)
    assert result.comparison is not None
    assert result.comparison.comparisons[0].decisions.tolist() == [-1]
    (note,) = seeds_note(result)
    SENTENCES.check("a difference that seeds could have made", note)
    assert note in result.notes
    SENTENCES.check("better by no more than seeds may make", verdict(made(values[:, ::-1])))
    assert seeds_note(made(np.array([queries(0.0, 0.2)] * 2))) == []


def test_tables_show_the_best_ranker_first_with_its_deviation_over_seeds() -> None:
    text = as_text(made(np.array([queries(0.0, 0.2), queries(0.02, 0.2)])), details=True)
    assert "3 folds, 2 seeds" in text
    lines = [line.split() for line in text.splitlines() if line.startswith("RR ")]
    assert lines[0] == ["RR", "b", "0.7000", "0.0000", "0.7000", "1"]
    assert lines[1] == ["RR", "a", "0.5100", f"{0.02 / sqrt(2):.4f}", "0.5100", "1"]
    assert ["RR", "a", "b", "0.1900"] in [line[:4] for line in lines]


def test_no_part_of_noise_is_stated_to_be_larger_than_the_sum() -> None:
    """Two seeds have one degree of freedom each: t is 12.7 for seeds alone, and about 2 for queries and seeds."""
    result = made(np.array([queries(0.0, 0.01), queries(0.0, 0.014)]))
    assert result.comparison is not None
    noise = noise_of_pairs(result, result.comparison.comparisons[0])
    assert noise.seeds[0] > noise.both[0] > noise.queries[0]
    assert mentions(verdict(result), "2 seeds are too few to tell", f"queries alone: {noise.queries[0]:.4f}")
    assert f"{noise.seeds[0]:.4f}" not in as_text(result, details=True)
    assert "seeds, -: 2 seeds are too few to tell" in as_text(result, details=True)
