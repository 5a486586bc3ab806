"""Tables of scores: what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope import MetricScores, PairScores
from rankscope.errors import InputError, ParameterError


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: PairScores(("A", "A"), ("1",), np.zeros((2, 1))), "system 'A' occurs twice"),
        (lambda: PairScores(("A",), ("1", "1"), np.zeros((1, 2))), "segment '1' occurs twice"),
        (lambda: PairScores(("A",), ("1",), np.zeros((2, 1))), "1 systems .*1 segments"),
        (lambda: PairScores.of({"A": [1, float("inf")]}), "'A' .*'2' is infinite"),
        (lambda: PairScores.of({"A": [1, 2], "B": [1]}), "1 of system 'B', .* 2"),
        (lambda: MetricScores("", {"de-en": PairScores.of({"A": [1]})}), "has no name"),
        (lambda: MetricScores("m", {}), "no language pair"),
        (lambda: MetricScores.of("m", {"de-en": {"A": float("inf")}}), "system 'A' is infinite"),
    ],
)
def test_scores_that_cannot_be_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_scores_that_are_no_mapping_are_refused():
    with pytest.raises(ParameterError, match="a mapping of systems"):
        PairScores.of([1, 2])
