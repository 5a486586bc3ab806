"""Standardised scores are scores like any other: names, signature, notes, missing values, other references."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from scipy import stats

from rankscope import Scores, parse_measures, standardise
from rankscope.errors import ParameterError, UnknownName


def scores_of(values, measures=("AP",), systems="abcdefgh", queries=None):
    """Scores from an array (systems, queries) or (systems, measures, queries)."""
    values = np.asarray(values, float)
    values = values[:, None] if values.ndim == 2 else values
    s, m, q = values.shape
    return Scores(
        systems=tuple(systems[:s]),
        measures=tuple(parse_measures(list(measures))),
        query_ids=tuple(queries or map(str, range(q))),
        values=values,
        missing=np.zeros((s, q), bool),
        undefined=np.zeros((m, q), bool),
        settings={"ties": "doc_id_desc", "queries": str(q)},
        measure_settings=({"rel": "1"},) * m,
        notes=("as it was",),
    )


@pytest.fixture
def some():
    return scores_of(np.random.default_rng(1).random((5, 2, 12)), ("AP", "nDCG@10"))


def test_each_measure_is_standardised_for_itself(some):
    z, cdf = standardise(some), standardise(some, method="cdf")
    for name in ("AP", "nDCG@10"):
        expected = stats.zscore(some.matrix(name), axis=0, ddof=1)
        np.testing.assert_allclose(z.matrix(name), expected, rtol=1e-9)
        np.testing.assert_allclose(cdf.matrix(name), stats.norm.cdf(expected), rtol=1e-9)


def test_what_is_standardised_says_so_and_keeps_its_names(some):
    z = standardise(some)
    assert z.measure_names == some.measure_names
    assert z.systems == some.systems
    assert z.signature().split(" | ")[-3:-1] == ["queries:12", "standardised:z"]
    assert "AP[rel:1] nDCG@10[rel:1] | " in z.signature()
    assert z.notes[0] == "as it was"
    assert mentions(z.notes[1], "standardised:z", "standard deviations", "mean")
    assert len(z.notes) == 2
    assert z.measures[0].range == (-np.inf, np.inf)
    assert standardise(some, method="cdf").measures[0].range == (0, 1)
    assert "standardised" not in some.signature()


def test_means_are_shown_as_of_any_other_measure(some):
    z = standardise(some)
    np.testing.assert_allclose(z.summary("AP"), z.matrix("AP").mean(axis=1))
    assert sum(z.summary("AP")) == pytest.approx(0, abs=1e-12)
    assert "a" in str(z)


def test_counts_and_geometric_means_are_averaged_once_they_are_standardised():
    x = np.random.default_rng(2).integers(1, 9, (4, 2, 6))
    z = standardise(scores_of(x, ("num_rel_ret", "gm_map")))
    for name in z.measure_names:
        np.testing.assert_allclose(z.summary(name), z.matrix(name).mean(axis=1))


def test_where_lower_is_better_lower_stays_better():
    z = standardise(scores_of([[1.0, 5.0], [2.0, 9.0], [4.0, 7.0]], ("MeanRank",)))
    assert z.measures[0].higher_is_better is False
    assert z.matrix("MeanRank")[:, 0].tolist() == sorted(z.matrix("MeanRank")[:, 0])


def test_missing_values_stay_missing(some):
    values = some.values.copy()
    values[1, 0, 3] = np.nan
    z = standardise(scores_of(values, ("AP", "nDCG@10")))
    assert np.isnan(z.values).sum() == 1
    assert np.isnan(z.matrix("AP")[1, 3])
    np.testing.assert_allclose(
        z.matrix("AP")[[0, 2, 3, 4], 3], stats.zscore(values[[0, 2, 3, 4], 0, 3], ddof=1), rtol=1e-9
    )


def test_queries_that_tell_no_system_apart_are_counted():
    z = standardise(scores_of([[0.5, 0.1, 0.0], [0.5, 0.2, 0.0], [0.5, 0.3, 0.0]]))
    assert z.matrix("AP").tolist() == [[0, pytest.approx(-1), 0], [0, pytest.approx(0), 0], [0, pytest.approx(1), 0]]
    assert mentions(z.notes[-1], "AP", "2 of 3", 0)
    assert mentions(standardise(scores_of([[0.5], [0.5], [0.5]]), method="cdf").notes[-1], 0.5)


def test_the_reference_may_be_some_of_the_systems(some):
    z = standardise(some, reference=["b", "d", "e"])
    expected = stats.zmap(some.matrix("AP"), some.matrix("AP")[[1, 3, 4]], axis=0, ddof=1)
    np.testing.assert_allclose(z.matrix("AP"), expected, rtol=1e-9)
    assert "standardised:z | reference:b,d,e |" in z.signature()
    with pytest.raises(UnknownName, match="'x'"):
        standardise(some, reference=["b", "x"])


def test_the_reference_may_be_other_scores_of_the_same_queries_in_any_order(some):
    x = np.random.default_rng(9).random((6, 2, 14))
    queries = [str(q) for q in reversed(range(14))]
    other = scores_of(x, ("nDCG@10", "AP"), queries=queries)
    z = standardise(some, reference=other)
    reference = x[:, 1, ::-1][:, :12]
    np.testing.assert_allclose(z.matrix("AP"), stats.zmap(some.matrix("AP"), reference, axis=0, ddof=1), rtol=1e-9)
    assert "reference:6 systems" in z.signature()
    few = scores_of(x[:, :, 5:], ("nDCG@10", "AP"), queries=queries[5:])
    with pytest.raises(ParameterError, match=r"3 of 12 queries .*reference .*'9'"):
        standardise(some, reference=few)
    with pytest.raises(UnknownName, match=r"'nDCG@10'"):
        standardise(some, reference=scores_of(x[:, 1], queries=queries))


def test_two_systems_are_few_and_one_is_none():
    z = standardise(scores_of([[0.1, 0.9], [0.4, 0.2]]))
    half = 0.5**0.5  # of two values, each is sd / sqrt(2) from their mean, whatever their distance
    assert z.matrix("AP") == pytest.approx(np.array([[-half, half], [half, -half]]))
    assert mentions(z.notes[-1], "two reference systems")
    with pytest.raises(ParameterError, match=r"1 system .*reference .* 2"):
        standardise(scores_of([[0.1, 0.9]]))
    with pytest.raises(ParameterError, match="1 system is no reference"):
        standardise(scores_of([[0.1, 0.9], [0.4, 0.2]]), reference="a")


def test_standardising_twice_is_refused(some):
    with pytest.raises(ParameterError, match=r"standardised already \(standardised:cdf\)"):
        standardise(standardise(some, method="cdf"))
    with pytest.raises(ParameterError, match="reference scores are standardised"):
        standardise(some, reference=standardise(some))
    with pytest.raises(ParameterError, match="method is 'rank'"):
        standardise(some, method="rank")


def test_what_are_no_scores_and_no_reference_is_refused(some):
    for nothing in (None, [1], "scores"):
        with pytest.raises(ParameterError, match=r"scores are .*evaluate"):
            standardise(nothing)
    with pytest.raises(ParameterError, match=r"reference is 5, .*names .*scores"):
        standardise(some, reference=5)
    with pytest.raises(UnknownName, match="'5'"):
        standardise(some, reference=["a", 5])
    with pytest.raises(ParameterError, match="0 systems are no reference"):
        standardise(some, reference=[])
