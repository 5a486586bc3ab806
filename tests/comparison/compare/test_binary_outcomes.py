"""Outcomes 0 and 1: McNemar's test by its name, intervals that hold at 0 and 1, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from scipy import stats

import rankscope as rs
from rankscope.errors import InputError
from rankscope.stats import t_interval, tango_interval

OUTCOMES = (np.random.default_rng(4).random((3, 40)) < [[0.95], [0.8], [0.5]]).astype(float)


def scores(values=OUTCOMES):
    return rs.Scores.of(values, systems=["a", "b", "c"][: len(values)], measures="accuracy")


def evaluated():
    """Success@1 of two runs, of which rankscope computes the values."""
    qrels = {f"q{i}": {"d": 1} for i in range(12)}
    runs = [rs.Run({q: {"d": 1.0, "x": 2.0 * (i % k == 0)} for i, q in enumerate(qrels)}, name=str(k)) for k in (2, 3)]
    return rs.evaluate(qrels, runs, "Success@1")


def test_mcnemars_exact_test_is_that_of_statsmodels():
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    result = rs.compare(scores(), test="mcnemar", correction="none")["accuracy"]
    for i, (a, b) in enumerate(zip(result.first, result.second, strict=True)):
        x, y = OUTCOMES[a], OUTCOMES[b]
        table = [[int(((x == u) & (y == v)).sum()) for v in (1, 0)] for u in (1, 0)]
        assert result.pvalue[i] == pytest.approx(contingency.mcnemar(table, exact=True).pvalue, rel=1e-12)
        assert result.pvalue[i] == pytest.approx(stats.binomtest(table[0][1], table[0][1] + table[1][0]).pvalue)


def test_outcomes_of_a_file_have_intervals_of_shares_and_others_keep_theirs():
    result = rs.compare(scores(), baseline="a")
    expected = tango_interval(OUTCOMES[1:] - OUTCOMES[0])
    np.testing.assert_array_equal(result["accuracy"].low, expected.low)
    assert "interval:tango" in result.signature()
    assert any(mentions(note, "0 or 1", "McNemar", "Jeffreys", "Tango") for note in result.notes)
    by_t = rs.compare(scores(), baseline="a", interval="t")
    np.testing.assert_array_equal(by_t["accuracy"].low, t_interval(OUTCOMES[1:] - OUTCOMES[0]).low)
    ours = rs.compare(evaluated())
    assert "interval:t " in ours.signature()
    assert any(mentions(note, "0 or 1", "tango") for note in ours.notes)
    assert "interval:tango" in rs.compare(evaluated(), interval="tango").signature()


def test_means_have_intervals_that_end_at_1():
    table = rs.compare(scores(np.ones((2, 20))))
    text = str(table)
    assert "1.0000  [0.8834, 1.0000]" in text  # beta(20.5, 0.5), its quantile at .025
    assert (table["accuracy"].low[0], table["accuracy"].high[0]) == pytest.approx((-0.1611, 0.1611), abs=1e-4)


@pytest.mark.parametrize("settings", [{"test": "mcnemar"}, {"interval": "tango"}])
def test_other_values_are_refused(settings):
    with pytest.raises(InputError) as raised:
        rs.compare(scores(OUTCOMES / 2), **settings)
    assert mentions(raised.value, "accuracy", "0 and 1", next(iter(settings.values())))


def test_two_measures_have_an_interval_each():
    rows = [
        ("s", 1, 1, 0.5),
        ("s", 2, 0, 0.25),
        ("s", 3, 1, 1.0),
        ("t", 1, 0, 0.25),
        ("t", 2, 0, 0.5),
        ("t", 3, 1, 0.5),
    ]
    both = rs.Scores.of([dict(zip(("system", "query", "x", "F"), row, strict=True)) for row in rows])
    result = rs.compare(both)
    assert "interval:tango,t" in result.signature()
    np.testing.assert_array_equal(result["F"].low, t_interval([0.25, -0.25, 0.5]).low)


@pytest.mark.parametrize(("n", "verdict"), [(20, "undecided"), (2000, "pass")])
def test_a_gate_decides_by_the_score_interval(n, verdict):
    """All answers are right: by t, a constant difference of 0 would pass."""
    new, old = (rs.Scores.of(np.ones((1, n)), systems=[name], measures="accuracy") for name in ("new", "old"))
    result = rs.gate(new, old, margin=0.02)
    z = stats.norm.ppf(0.95)
    (decision,) = (gate.decision for gate in result.measure_gates)
    assert decision.verdict == verdict
    assert decision.low == pytest.approx(-(z**2) / (n + z**2), rel=1e-6)
    assert any("score test" in note for note in result.notes)
    if verdict == "undecided":  # the least n with which this bound is within the margin
        assert decision.n_fresh == np.ceil(z**2 * (1 / 0.02 - 1))
