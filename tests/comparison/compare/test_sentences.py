"""What a comparison says in sentences: the numbers that were found, and no more than they show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.properties import examples
from helpers.score_tables import random_table, score_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.comparison.compare import TESTS, comparison_sentence

#: Differences .1, .2, .3, .2, .1: mean .18, s = sqrt(.028 / 4) = .0837, t = .18 / (.0837 / sqrt 5) = 4.81, df 4
CLEAR = np.array([[0.5, 0.6, 0.7, 0.6, 0.5], [0.4, 0.4, 0.4, 0.4, 0.4]])
UNCLEAR = np.array([[0.5, 0.1, 0.7, 0.2, 0.5], [0.4, 0.4, 0.4, 0.4, 0.4]])


def said(x: Any, measure: str = "AP", systems: tuple[str, ...] | None = None, **options: Any) -> str:
    result = rs.compare(score_table(x, measure, systems), **options)
    return comparison_sentence(result, result.comparisons[0])


def test_a_difference_that_was_shown():
    assert said(CLEAR, systems=("new", "old")) == (
        "On queries like these, new is better than old: its mean AP on 5 queries is 0.5800 against 0.4000, higher by "
        "0.1800 (95 % interval 0.0761 to 0.2839). Were both equally good, a difference as large would still come about "
        "by chance in about 9 of 1,000 such comparisons (p = 0.0086, t)."
    )


def test_the_better_system_comes_first_whatever_the_order():
    assert said(CLEAR[::-1], systems=("old", "new")) == said(CLEAR, systems=("new", "old"))


def test_a_difference_that_was_not_shown_is_not_called_equality_either():
    # Summed up, the means differ in their last bits; that makes none the better one, which would be named first.
    assert said(UNCLEAR).startswith("a and b have the same mean AP, 0.4000 on 5 queries (95 % interval -0.3")
    assert "ahead" not in said(UNCLEAR)
    less = UNCLEAR + np.array([[0.05], [0.0]])
    assert said(less).startswith("It was not shown that a and b differ. a is ahead: its mean AP on 5 queries is 0.4500")
    assert said(less).endswith("That does not show them to be equal either.")


def test_one_mean_and_other_values():
    x = [[0.25, 0.5, 0.75], [0.75, 0.5, 0.25]]
    assert said(x) == (
        "a and b have the same mean AP, 0.5000 on 3 queries (95 % interval -1.2421 to 1.2421). That they differ was "
        "not shown; nor are they shown to be equal."
    )


def test_equal_values():
    assert said([[0.1, 0.2], [0.1, 0.2]]) == (
        "a and b have the same AP on every one of 2 queries: between them there is no difference to test (p = 1)."
    )


def test_where_lower_is_better():
    text = said(100 * CLEAR, "MeanRank")
    assert text.startswith(
        "On queries like these, b is better than a: its mean MeanRank on 5 queries is 40.0000 against 58.0000, lower "
        "by 18.0000 (95 % interval 7.6115 to 28.3885)."
    )
    three = said(100 * np.vstack([CLEAR, CLEAR[1] + 0.01]), "MeanRank", test="tukey")
    assert three.startswith("b has the lowest mean MeanRank: 40.0000 on 5 queries, 1.0000 below that of c, the next")


def test_one_sided():
    assert "Were both equally good, values of a as high beside those of b would still come about by chance" in said(
        CLEAR, alternative="greater"
    )
    assert said(CLEAR, alternative="greater").startswith("On queries like these, a is better than b")
    assert said(CLEAR, alternative="less").startswith(
        "It was not shown that a has lower values than b. a is ahead: its mean AP on 5 queries is 0.5800"
    )


def test_probabilities():
    assert said(CLEAR, test="bayes-t") == (
        "a is ahead of b: its mean AP on 5 queries is 0.5800 against 0.4000, higher by 0.1800 (95 % interval 0.0761 to "
        "0.2839). The probability that it is better is 0.996 and that it is worse 0.004."
    )
    assert said(CLEAR[::-1], systems=("b", "a"), test="bayes-t") == said(CLEAR, test="bayes-t")
    with_rope = said(CLEAR, test="bayes-t", rope=0.1)
    assert "better is 0.950, that they are within 0.1 of each other 0.049, and that it is worse 0.001." in with_rope


def test_a_correction_over_measures_is_told_beside_p():
    x = np.stack([UNCLEAR + np.array([[0.3], [0.0]]), CLEAR], axis=1)
    result = rs.compare(score_table(x, ("RR", "AP")), family="all")
    assert "(p = 0.0086, 0.0172 corrected for the number of tests, t)" in comparison_sentence(result, result["AP"])


def test_many_systems():
    rng = np.random.default_rng(1)
    x = np.array([0.9, 0.5, 0.5, 0.1])[:, None] + 0.02 * rng.standard_normal((4, 30))
    text = said(x)
    assert text.startswith("a has the highest mean AP: 0.8987 on 30 queries, 0.3993 above that of b, the next (p < ")
    assert "On queries like these, it is better than each of the 3 other systems; 5 of all 6 pairs " in text
    assert text.endswith(" were shown to differ (test t, holm, level 0.05).")
    x[1] = x[0] + 0.001 * rng.standard_normal(30)
    assert "it is better than 2 of the 3 other systems; that it is better than" in said(x)
    noise = 0.5 + 0.2 * rng.standard_normal((8, 30))
    assert "that it is better than any of the 7 others was not shown; 0 of all 28 pairs were shown" in said(noise)
    assert said(noise, test="tukey").endswith("were shown to differ (test tukey, level 0.05).")
    assert said(noise, correction="none").endswith("(test t, level 0.05).")
    bayes = said(x, test="bayes-t")
    assert "(better with a probability of 0." in bayes
    assert bayes.endswith("were shown to differ (probability of at least 0.95).")


def test_of_two_leaders_with_one_mean_both_are_named():
    assert "0.2000 on 3 queries, as has b." in said([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.2]])


def test_against_a_baseline():
    rng = np.random.default_rng(1)
    x = np.array([0.5, 0.9, 0.1, 0.5, 0.9])[:, None] + 0.05 * rng.standard_normal((5, 30))
    text = said(x, baseline="a")
    assert text.startswith("Against a, with a mean AP of 0.4967 on 30")
    assert "on 30 queries: on queries like these, " in text
    assert "b and e are better; c is worse; of d neither was shown (test t, holm, level 0.05)." in text
    only = said(x[[0, 1, 4]], baseline="a", test="bayes-t")
    assert only.endswith("are better (probability of at least 0.95).")


@pytest.mark.parametrize("test", TESTS)
@examples(15)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 4), based=st.booleans(), lower=st.booleans())
def test_nothing_is_called_better_that_was_not_shown_to_be(test, seed, m, based, lower):
    table = score_table(random_table(m, 8, seed=seed, spread=0.03).matrix("AP"), "MeanRank" if lower else "AP")
    baseline = "a" if based and test not in ("tukey", "randomised-tukey", "nemenyi") else None
    result = rs.compare(table, test=test, baseline=baseline, n_resamples=99, rng=1)
    (part,) = result.comparisons
    text = comparison_sentence(result, part)
    claims = ["is better than b", "are better", "is better;", "is better (", "it is better than each"]
    if not part.decisions.any():
        claims += [f"better than {n} of" for n in range(m)]
        assert not [claim for claim in claims if claim in text]
        assert "was shown" not in text.replace("neither was shown", "")
    elif part.first.size == 1 and part.test_results.posterior is None:
        first, second = (0, 1) if part.beats[0, 1] else (1, 0)
        assert f"{part.systems[first]} is better than {part.systems[second]}: its mean" in text
    assert "nan" not in text
