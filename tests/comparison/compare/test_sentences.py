"""What a comparison says in sentences: the numbers that were found, and no more than they show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.score_tables import OF_ANY_VALUES, random_table, score_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.comparison.compare import comparison_sentence
from rankscope.comparison.compare.significance_tests import TESTS

SENTENCES = Messages("comparison_sentences")

#: Differences .1, .2, .3, .2, .1: mean .18, s = sqrt(.028 / 4) = .0837, t = .18 / (.0837 / sqrt 5) = 4.81, df 4
CLEAR = np.array([[0.5, 0.6, 0.7, 0.6, 0.5], [0.4, 0.4, 0.4, 0.4, 0.4]])
UNCLEAR = np.array([[0.5, 0.1, 0.7, 0.2, 0.5], [0.4, 0.4, 0.4, 0.4, 0.4]])


def said(x: Any, measure: str = "AP", systems: tuple[str, ...] | None = None, **options: Any) -> str:
    result = rs.compare(score_table(x, measure, systems), **options)
    return comparison_sentence(result, result.comparisons[0])


def test_a_difference_that_was_shown():
    SENTENCES.check("a difference that was shown", said(CLEAR, systems=("new", "old")))


def test_the_better_system_comes_first_whatever_the_order():
    assert said(CLEAR[::-1], systems=("old", "new")) == said(CLEAR, systems=("new", "old"))


def test_a_difference_that_was_not_shown_is_not_called_equality_either():
    # Summed up, the means differ in their last bits; that makes none the better one, which would be named first.
    assert mentions(said(UNCLEAR), "a and b", "same mean AP", "0.4000", 5, "95 %", "-0.3")
    assert "ahead" not in said(UNCLEAR)
    less = UNCLEAR + np.array([[0.05], [0.0]])
    SENTENCES.check("a difference that was not shown", said(less))


def test_one_mean_and_other_values():
    x = [[0.25, 0.5, 0.75], [0.75, 0.5, 0.25]]
    SENTENCES.check("one mean and other values", said(x))


def test_equal_values():
    SENTENCES.check("equal values", said([[0.1, 0.2], [0.1, 0.2]]))


def test_where_lower_is_better():
    SENTENCES.check("lower is better, two systems", said(100 * CLEAR, "MeanRank"))
    three = said(100 * np.vstack([CLEAR, CLEAR[1] + 0.01]), "MeanRank", test="tukey")
    SENTENCES.check("lower is better, three systems", three)


def test_one_sided():
    SENTENCES.check("greater, shown", said(CLEAR, alternative="greater"))
    SENTENCES.check("less, not shown", said(CLEAR, alternative="less"))


def test_the_bound_of_a_one_sided_test_is_that_of_the_leader_too():
    # Differences of mean .18 and error .0837 / sqrt 5: .18 -+ 2.132 x .0374 = .1002 and .2598.
    assert mentions(said(CLEAR, alternative="greater"), "higher by 0.1800 (at least 0.1002 with 95 % confidence)")
    assert mentions(said(CLEAR[::-1], alternative="less"), "higher by 0.1800 (at least 0.1002 with 95 % confidence)")
    assert mentions(said(CLEAR[::-1], alternative="greater"), "(at most 0.2598 with 95 % confidence)", "Nothing here")
    lower = said(100 * CLEAR, "MeanRank", alternative="greater")  # a is worse, and its values are higher
    assert mentions(lower, "better than a", "lower by 18.0000 (at least 10.02", "95 % confidence")
    assert mentions(said(CLEAR, alternative="greater", alpha=0.1), "90 % confidence")
    three = said(np.vstack([CLEAR, CLEAR[1] + 0.01]), baseline="b", alternative="greater")
    assert mentions(three, "a beats the baseline b", "at least 0.1002 with 95 % confidence")


def test_what_lies_on_the_other_side_of_a_one_sided_test_is_said_not_to_speak_for_it():
    text = said(UNCLEAR + np.array([[0.05], [0.0]]), alternative="less")
    assert mentions(text, "Nothing here speaks for lower values of a (p = 0.")
    assert not mentions(text, "That does not show")
    other = said(UNCLEAR + np.array([[0.05], [0.0]]), alternative="greater")
    assert mentions(other, "That does not show that they are equal")
    assert not mentions(other, "Nothing here")


def test_probabilities():
    SENTENCES.check("probabilities", said(CLEAR, test="bayes-t"))
    assert said(CLEAR[::-1], systems=("b", "a"), test="bayes-t") == said(CLEAR, test="bayes-t")
    SENTENCES.check("probabilities with a rope", said(CLEAR, test="bayes-t", rope=0.1))


def test_a_correction_over_measures_is_told_beside_p():
    x = np.stack([UNCLEAR + np.array([[0.3], [0.0]]), CLEAR], axis=1)
    result = rs.compare(score_table(x, ("RR", "AP")), family="all")
    assert mentions(comparison_sentence(result, result["AP"]), "p = 0.0086", "0.0172 corrected")


def test_many_systems():
    rng = np.random.default_rng(1)
    x = np.array([0.9, 0.5, 0.5, 0.1])[:, None] + 0.02 * rng.standard_normal((4, 30))
    SENTENCES.check("many systems, one ahead of each", said(x))
    x[1] = x[0] + 0.001 * rng.standard_normal(30)
    assert mentions(said(x), "better than 2", "3 other")
    noise = 0.5 + 0.2 * rng.standard_normal((8, 30))
    assert mentions(said(noise), "not significantly better", 7, "no pair differs")
    assert said(noise, test="tukey").endswith("(test tukey, level 0.05).")
    assert said(noise, correction="none").endswith("(test t, level 0.05).")
    assert mentions(said(x, test="bayes-t"), "(better", "probability of 0.", 0.95)


def test_of_two_leaders_with_one_mean_both_are_named():
    assert mentions(said([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.2]]), "0.2000", 3, "equal to that of b.")


def test_against_a_baseline():
    rng = np.random.default_rng(1)
    x = np.array([0.5, 0.9, 0.1, 0.5, 0.9])[:, None] + 0.05 * rng.standard_normal((5, 30))
    SENTENCES.check("against a baseline", said(x, baseline="a"))
    assert mentions(said(x[[0, 1, 4]], baseline="a", test="bayes-t"), "better than the baseline a", "Also better")


@pytest.mark.parametrize("test", OF_ANY_VALUES)
@examples(15, quick=5)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 4), based=st.booleans(), lower=st.booleans())
def test_nothing_is_called_better_that_was_not_shown_to_be(test, seed, m, based, lower):
    table = score_table(random_table(m, 8, seed=seed, spread=0.03).matrix("AP"), "MeanRank" if lower else "AP")
    baseline = "a" if based and TESTS[test].kind != "all" else None
    result = rs.compare(table, test=test, baseline=baseline, n_resamples=99, rng=1)
    (part,) = result.comparisons
    text = comparison_sentence(result, part)
    claims = [
        "is significantly better than b",
        " beats ",
        "with a probability of 0.9",
        "Also better: ",
        "Worse: ",
        "it is significantly better than each",
    ]
    if not part.decisions.any():
        claims += [f"better than {n} of" for n in range(m)]
        assert not [claim for claim in claims if claim in text]
        assert "was shown" not in text.replace("neither was shown", "")
    elif part.first.size == 1 and part.test_results.posterior is None:
        first, second = (0, 1) if part.beats[0, 1] else (1, 0)
        assert f"{part.systems[first]} is significantly better than {part.systems[second]}: its mean" in text
    assert "nan" not in text
