"""The kernels of dense tables give what a loop over their rows gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels.dense import best_of_rows, count_grades

INF = float("inf")
#: Neighbours that differ by the last bit, two zeros that are equal, the largest and smallest that are finite.
CLOSE = (0.5, 0.5000000000000001, 0.5000000000000002, -2.0, -2.0000000000000004)
SCORES = (*CLOSE, 1.0, 0.0, -0.0, 5e-324, 1.7e308, -1.7e308)


@st.composite
def tables(draw: st.DrawFn, *, grades: tuple[int, ...] = (0,)) -> tuple[Any, Any, Any]:
    """Scores, grades, mask or None."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 9))

    def table(values: Any) -> Any:
        cells = rows * columns
        return np.array(draw(st.lists(values, min_size=cells, max_size=cells))).reshape(rows, columns)

    mask = table(st.booleans()) if draw(st.booleans()) else None
    return table(st.sampled_from(SCORES)), table(st.sampled_from(grades)), mask


@examples(200)
@given(table=tables(), depth=st.integers(1, 8), single=st.booleans())
def test_the_best_of_each_row_are_those_that_a_loop_finds(table: Any, depth: int, single: bool) -> None:
    scores, _, mask = table
    with np.errstate(over="ignore"):
        scores = scores.astype(np.float32 if single else np.float64).clip(-3e38, 3e38)
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    best = best_of_rows(scores, depth)
    assert best.scores.dtype == scores.dtype
    for row, values in enumerate(scores.tolist()):
        order = sorted(range(len(values)), key=lambda c: (-values[c], c))[:depth]
        there = [c for c in order if values[c] > -INF]
        assert best.columns[row].tolist()[: len(there)] == there
        assert best.scores[row].tolist() == [values[c] for c in order]
        if len(there) == len(order):
            assert best.last[row] == sum(v >= values[order[-1]] for v in values)


def test_scores_of_one_key_are_put_right_in_each_row_for_itself() -> None:
    """Two bits of a key are the column, so it tells no score from the next one: the first two columns are taken."""
    above = 1 + 2.0**-52
    best = best_of_rows(np.array([[1, 1, above], [2, 1, 1], [1, above, 1]]), 2)
    assert best.columns.tolist() == [[2, 0], [0, 1], [1, 0]]
    assert best.last.tolist() == [3, 3, 3]


@examples(100)
@given(table=tables(grades=(-2, 0, 1, 3)), depth=st.integers(1, 8), wide=st.booleans())
def test_grades_counted_or_sorted_are_those_that_a_loop_finds(table: Any, depth: int, wide: bool) -> None:
    _, relevance, mask = table
    mask = np.ones(relevance.shape, bool) if mask is None else mask
    relevance = np.where(mask, relevance, 0).astype(np.int64 if wide else np.int8)
    found = count_grades(relevance, mask, mask.sum(axis=1), depth=depth, levels={1, 2, 3, 9})
    expected = [sorted(r[m].tolist(), reverse=True) for r, m in zip(relevance, mask, strict=True)]
    assert found.grades.tolist() == [grade for row in expected for grade in row[:depth]]
    assert np.diff(found.offsets).tolist() == [min(len(row), depth) for row in expected]
    for level, n in found.n_relevant.items():
        assert n.tolist() == [sum(grade >= level for grade in row) for row in expected]


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
@pytest.mark.parametrize(
    "rows",
    [
        [[0, 0, 0], [0, 0, 0]],
        [[1, 2, 1], [1, 1, 1]],
        [[2, 3, 3], [3, 3, 3]],
        [[-1, -2, -2], [-1, -1, -1]],
        [[-1, 0, 0], [0, 0, -1]],
        [[*range(-5, 20)], [7] * 25],
        [[1, 0] * 150, [1] * 300],  # more in a row than a byte counts
        # Long, for NumPy sorts short rows whole where it is asked for a part.
        [[i * 7919 % 5003 % 127 - 60 for i in range(5000)], [i * 104_729 % 4999 % 113 - 40 for i in range(5000)]],
    ],
    ids=[
        "nothing but 0",
        "all from 1 on",
        "all from 2 on",
        "all below 0",
        "none above 0",
        "many grades",
        "long rows",
        "in no order",
    ],
)
def test_grades_of_every_kind_are_cut_at_every_depth(rows: list[list[int]], dtype: Any) -> None:
    n = len(rows[0])
    for depth in {1, 2, 3, n - 1, n}:
        found = count_grades(np.array(rows, dtype), None, np.array([n, n]), depth=depth, levels={1, 2, 3, 30})
        assert found.grades.tolist() == [g for row in rows for g in sorted(row, reverse=True)[:depth]]
        assert found.offsets.tolist() == [0, min(depth, n), 2 * min(depth, n)]
        assert found.grades.dtype == np.int64
        assert found.n_relevant.keys() == {1, 2, 3, 30}
        for level, reached in found.n_relevant.items():
            assert reached.tolist() == [sum(g >= level for g in row) for row in rows]
            assert reached.dtype == np.float64


@pytest.mark.parametrize("step", [0.0, 2.0**-50, 2.0**-30, 1.0])
def test_scores_that_the_keys_cannot_tell_apart_are_ranked_all_the_same(step: float) -> None:
    """Far more columns than low bits, in several blocks, scores rising by the least that float64 can hold or more."""
    rng = np.random.default_rng(5)
    scores = 1.0 + step * rng.integers(0, 700, (70, 3000))
    for depth in (1, 10, 3000):
        best = best_of_rows(scores, depth)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
        np.testing.assert_array_equal(best.columns, order)
        edge = np.take_along_axis(scores, order, axis=1)[:, -1:]
        np.testing.assert_array_equal(best.last, (scores >= edge).sum(axis=1))
