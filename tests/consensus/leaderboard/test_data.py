"""Rankings of several language pairs: all together, with a word on it, or one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Rankings, leaderboard
from rankscope.data.rankings import Labels
from rankscope.errors import UnknownName


def board(data: Any, **options: Any) -> Any:
    return leaderboard(data, **{"rng": 1, "n_resamples": 100, **options})


def judged_in_two_pairs() -> Rankings:
    """A and B into English, C and D into Czech, E in both."""
    first = [{"A": 1, "B": 2, "E": 2}, {"B": 1, "A": 2, "E": 3}, {"E": 1, "A": 1, "B": 3}] * 6
    second = [{"C": 1, "D": 2, "E": 2}, {"D": 1, "C": 2, "E": 1}, {"E": 1, "C": 2, "D": 3}] * 6
    found = Rankings.of([*first, *second])
    pair = Labels(("cs-en", "en-cs"), np.repeat([0, 1], 18))
    return Rankings(**{**vars(found), "pair": pair})


@pytest.mark.parametrize("model", ["bradley-terry", "plackett-luce"])
def test_language_pairs_together_are_said_and_one_may_be_kept(model: str) -> None:
    found = board(judged_in_two_pairs(), model=model)
    assert mentions(found.notes, 2, "cs-en", "en-cs", "--pair")
    assert found.pairs == ("cs-en", "en-cs")
    assert mentions(found.sections()[0].sentence, "2 language pairs", 4, 10, "--pair")
    one = board(judged_in_two_pairs(), model=model, pair="cs-en")
    assert set(one.systems) == {"A", "B", "E"}
    assert "| pair:cs-en |" in one.signature()
    assert "language pairs" not in str(one)
    with pytest.raises(UnknownName, match="'de-en'"):
        board(judged_in_two_pairs(), model=model, pair="de-en")
