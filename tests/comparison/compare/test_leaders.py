"""The headline of a comparison: the winner first, with its mean and its lead; and no winner where none was shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.score_tables import random_table, score_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.comparison.compare import headline
from rankscope.comparison.summary import verdict

SENTENCES = Messages("headlines")
WAVE = np.array([0.02, -0.02, 0.01, -0.01, 0.0] * 4)
#: Means .8, .5, .2 of twenty queries, far apart beside the noise of .02; and one that cannot be told from the second.
HIGH, MIDDLE, LOW = 0.8 + WAVE, 0.5 - WAVE, 0.2 + 0 * WAVE
NEAR = 0.505 + np.roll(WAVE, 1) * 3


def said(x: Any, measure: str = "AP", n_digits: int = 3, **options: Any) -> str:
    result = rs.compare(score_table(x, measure), **options)
    return headline(result, result.comparisons[0], n_digits)


@pytest.mark.parametrize(
    ("case", "x", "options"),
    [
        ("the best of all pairs", [MIDDLE, HIGH, LOW], {}),
        ("the best two cannot be told apart", [MIDDLE, NEAR, LOW], {}),
        ("two with one mean", [MIDDLE, MIDDLE[::-1], LOW], {}),
        ("better than the baseline", [MIDDLE, HIGH, LOW], {"baseline": "a"}),
        ("none is better than the baseline", [MIDDLE, NEAR, LOW], {"baseline": "a"}),
        ("the baseline is the best", [HIGH, MIDDLE, LOW], {"baseline": "a"}),
        ("the baseline is the better of two", [HIGH, MIDDLE], {"baseline": "a"}),
        ("not better than the baseline", [MIDDLE, NEAR], {"baseline": "a"}),
        ("a probability", [MIDDLE, HIGH, LOW], {"baseline": "a", "test": "bayes-t"}),
    ],
)
def test_the_winner_comes_first_with_its_number(case: str, x: Any, options: dict[str, Any]) -> None:
    SENTENCES.check(case, said(x, **options))


def test_where_lower_is_better_the_lower_mean_wins_and_the_sentence_says_so() -> None:
    SENTENCES.check("lower is better", said([100 * HIGH, 100 * LOW], "MeanRank"))


def test_the_difference_is_that_of_the_comparison_whatever_the_order() -> None:
    result = rs.compare(score_table([MIDDLE, HIGH]))
    part = result["AP"]
    text = headline(result, part, 4)
    low, high = -float(part.high[0]), -float(part.low[0])
    assert mentions(text, f"b beats a: AP 0.8000 against 0.5000 (+0.3000, 95 % interval {low:.4f} to {high:.4f})")


def test_a_small_difference_has_a_digit_more() -> None:
    x = [0.5 + WAVE + 0.0042, 0.5 + np.roll(WAVE, 2)]
    assert mentions(said(x), "0.5042 against 0.5000 (+0.0042")
    assert mentions(said([MIDDLE, HIGH]), "0.800 against 0.500 (+0.300")


def test_a_system_that_was_shown_to_be_better_is_the_winner_even_if_another_has_a_higher_mean() -> None:
    wild = 0.62 + np.where(np.arange(20) % 2, 0.35, -0.35)  # ahead of b in the mean, and all over the place
    result = rs.compare(score_table([MIDDLE, 0.6 + WAVE, wild]), baseline="a")
    assert result["AP"].order[0] == 2
    first, second, *_ = verdict(result)
    assert first.startswith("b beats the baseline a: AP 0.600 against 0.500")
    assert mentions(second, "No significant difference: c.")


@pytest.mark.parametrize("test", ["t", "sign", "tukey", "bayes-t"])
@examples(15)
@given(seed=st.integers(0, 10**6), m=st.integers(2, 4), based=st.booleans(), lower=st.booleans())
def test_nothing_beats_that_was_not_shown_to(test: str, seed: int, m: int, based: bool, lower: bool) -> None:
    table = random_table(m, 8, measures="MeanRank" if lower else "AP", seed=seed, spread=0.03)
    result = rs.compare(table, test=test, baseline="a" if based and test != "tukey" else None, rng=1)
    (part,) = result.comparisons
    text = " ".join(verdict(result))
    assert "nan" not in text
    if not part.decisions.any():
        assert not [c for c in (" beats ", "Also better", "Worse: ", "with a probability of") if c in text]
    for name in part.systems:
        if f"{name} beats " in text:
            assert part.beats[part.systems.index(name)].any()
