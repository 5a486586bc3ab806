"""All losses with the formula that each is checked by and what is true of it; lists to try them on.

A loss is added by one line of TABLE, and a test demands that all are there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from helpers import naive_losses as naive
from hypothesis import strategies as st

from rankscope.learning.losses import Loss, parse_loss

#: The highest grade of all lists here.
TOP = 3


@dataclass(frozen=True)
class Entry:
    """naive: of the scores and grades of one list, None where a call draws. shift: whether a constant that is added to
    all scores changes nothing. order: whether that of the documents changes nothing, where no scores are equal.
    """

    text: str
    naive: Callable[..., Any] | None
    shift: bool = True
    order: bool = True

    @property
    def loss(self) -> Loss:
        return parse_loss(self.text)

    def by_loops(self, scores, grades, m=naive.PLAIN):
        """The value of one list."""
        parameters = dict(self.loss.parameters)
        return self.naive(scores, grades, m, **parameters)


TABLE = (
    Entry("listnet", naive.listnet),
    Entry("listnet(k=2)", None, order=False),
    Entry("softmax_cross_entropy", naive.softmax_cross_entropy),
    Entry("softmax_cross_entropy(gain='exp')", naive.softmax_cross_entropy),
    Entry("listmle", None, order=False),
    Entry("listmle(k=2, stages='position')", None, order=False),
    Entry("listmle(ties='efron')", naive.listmle),
    Entry("listmle(ties='efron', lowest=True)", naive.listmle),
    Entry("listmle(ties='efron', k=3)", naive.listmle),
    Entry("listmle(ties='breslow')", naive.listmle),
    Entry("listmle(ties='breslow', lowest=True, k=2)", naive.listmle),
    Entry("listmle(ties='efron', stages='position')", naive.listmle),
    Entry("ranknet", naive.ranknet),
    Entry("ranknet(sigma=2.0, weights='grades')", naive.ranknet),
    Entry("ranknet(weights='gains')", naive.ranknet),
    Entry("ranksvm", naive.ranksvm),
    Entry("ranksvm(margin=0.3, weights='gains')", naive.ranksvm),
    Entry("lambdarank", naive.lambdarank),
    Entry("lambdarank(measure='DCG@3', sigma=0.5)", naive.lambdarank),
    Entry("lambdarank(measure='AP')", naive.lambdarank),
    Entry("lambdarank(measure='P@2')", naive.lambdarank),
    Entry("lambdarank(measure='RR')", naive.lambdarank),
    Entry("lambdarank(measure='ERR@4')", naive.lambdarank),
    Entry("lambdarank(measure='RBP(p=0.8)')", naive.lambdarank),
    Entry("lambdaloss", naive.lambdaloss),
    Entry("lambdaloss(kind='1')", naive.lambdaloss),
    Entry("lambdaloss(kind='1', k=2)", naive.lambdaloss),
    Entry("lambdaloss(kind='2', sigma=2.0)", naive.lambdaloss),
    Entry("lambdaloss(kind='2++', k=2, mu=5.0)", naive.lambdaloss),
    Entry("approxndcg", naive.approxndcg),
    Entry("approxndcg(temperature=1.0)", naive.approxndcg),
    Entry("approxmrr(temperature=0.5)", naive.approxmrr),
    Entry("neuralndcg", naive.neuralndcg),
    Entry("neuralndcg(temperature=0.5, rounds=2)", naive.neuralndcg),
    Entry("squared", naive.squared, shift=False),
    Entry("ordinal", naive.ordinal, shift=False),
)
LOOPED = tuple(entry for entry in TABLE if entry.naive is not None)


def texts(entries):
    return [entry.text for entry in entries]


@st.composite
def graded_lists(draw, longest=5):
    """(scores, grades, offsets) of one to three lists; scores are eighths, so that some are equal."""
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=3))
    n = sum(lengths)
    scores = draw(st.lists(st.integers(-24, 24), min_size=n, max_size=n))
    grades = draw(st.lists(st.integers(0, TOP), min_size=n, max_size=n))
    return np.array(scores) / 8.0, np.array(grades), np.cumsum([0, *lengths])


def random_lists(seed=0, lengths=(1, 2, 5, 9, 4)):
    """(scores, grades, offsets) without equal scores; the last list is of one grade."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, TOP + 1, sum(lengths))
    grades[-lengths[-1] :] = 1
    return rng.normal(size=sum(lengths)), grades, np.cumsum([0, *lengths])


def called(loss, scores, grades, offsets):
    return loss(scores, grades, offsets, rng=np.random.default_rng(5), max_grade=TOP)


def lists_of(scores, grades, offsets):
    """(scores, grades) list by list, as Python's numbers."""
    return [(scores[a:b].tolist(), grades[a:b].tolist()) for a, b in pairwise(offsets)]


def differences(function, scores, step=1e-6):
    """The gradient by central finite differences."""
    found = np.zeros(scores.size)
    for i in range(scores.size):
        up, down = scores.copy(), scores.copy()
        up[i] += step
        down[i] -= step
        found[i] = (function(up) - function(down)) / (2 * step)
    return found
