"""Counterfactual estimates against loops, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError, ParameterError

CUTOFF = 2
TARGET = {"q0": ["a", "b"], "q1": ["b", "c"], "q2": ["c", "a"]}
USERS = 15


def random_log(n=300, seed=1, *, propensity=True):
    """Impressions of three documents in any order; each stands at each rank with probability 1/3."""
    rng = np.random.default_rng(seed)
    log = []
    for _ in range(n):
        record = {
            "user": f"u{rng.integers(USERS)}",
            "query": f"q{rng.integers(3)}",
            "documents": rng.permutation(["a", "b", "c"]).tolist(),
            "clicks": (1 + np.flatnonzero(rng.random(3) < [0.6, 0.4, 0.2])).tolist(),
        }
        log.append({**record, "propensity": [1 / 3] * 3} if propensity else record)
    return log


def target_run():
    return rs.Run(TARGET, name="target")


def propensities(log):
    """{(query, document, rank): share of the impressions of the query} by a loop."""
    shares = {}
    for record in log:
        n = sum(other["query"] == record["query"] for other in log)
        for rank, doc in enumerate(record["documents"]):
            key = record["query"], doc, rank
            shares[key] = shares.get(key, 0) + 1 / n
    return shares


def by_loop(log, estimator, clip=np.inf, shares=None):
    total = 0.0
    for rank in range(CUTOFF):
        value = mass = 0.0
        for record in log:
            doc = record["documents"][rank]
            p = 1 / 3 if shares is None else shares[record["query"], doc, rank]
            weight = min((TARGET[record["query"]][rank] == doc) / p, clip)
            value += weight * (rank + 1 in record["clicks"])
            mass += weight
        total += value / (mass if estimator == "snips" else len(log))
    return total


@pytest.mark.parametrize("estimator", ["ips", "snips", "clipped"])
def test_estimates_and_errors_are_those_of_loops(estimator):
    log = random_log()
    options = {"clip": 2.0} if estimator == "clipped" else {}
    result = rs.online.estimate_clicks(log, [target_run()], estimator=estimator, cutoff=CUTOFF, **options)
    (estimate,) = result.estimates
    clip = options.get("clip", np.inf)
    value = by_loop(log, estimator, clip)
    left_out = [
        by_loop([record for record in log if record["user"] != user], estimator, clip)
        for user in sorted({record["user"] for record in log})
    ]
    assert estimate.clicks == pytest.approx(value)
    n = len(left_out)
    assert estimate.standard_error == pytest.approx(np.sqrt((n - 1) / n * np.sum((value - np.array(left_out)) ** 2)))
    assert result.n_clusters == n


def test_propensities_are_shares_of_impressions_where_the_log_has_none():
    log = random_log(200, propensity=False)
    result = rs.online.estimate_clicks(log, [target_run()], estimator="ips", cutoff=CUTOFF)
    assert result.is_frequency
    assert result.estimates[0].clicks == pytest.approx(by_loop(log, "ips", shares=propensities(log)))
    assert result.estimates[0].support == pytest.approx(1)


def test_doubly_robust_estimates_are_near_the_others_with_a_smaller_error():
    log = random_log()
    doubly = rs.online.estimate_clicks(log, [target_run()], estimator="dr", cutoff=CUTOFF).estimates[0]
    weighted = rs.online.estimate_clicks(log, [target_run()], estimator="ips", cutoff=CUTOFF).estimates[0]
    assert doubly.clicks == pytest.approx(weighted.clicks, abs=2 * weighted.standard_error)
    assert doubly.standard_error < weighted.standard_error


def test_the_logging_policy_itself_has_the_clicks_of_the_log():
    log = [
        {"query": "q", "documents": ["a", "b"], "clicks": [1] if i % 3 else [2], "propensity": [1, 1]}
        for i in range(60)
    ]
    for estimator in ("ips", "snips", "dr"):
        result = rs.online.estimate_clicks(log, [rs.Run({"q": ["a", "b"]}, name="same")], estimator=estimator)
        assert result.estimates[0].clicks == pytest.approx(result.logged)


def test_documents_that_the_log_never_shows_are_refused_with_a_reason():
    result = rs.online.estimate_clicks(random_log(), [rs.Run({"q0": ["new"], "q1": ["a"]}, name="other")], cutoff=1)
    (estimate,) = result.estimates
    assert np.isnan(estimate.clicks)
    assert "seldom shows" in estimate.reason
    assert "other has no estimate" in str(result)
    assert next(result.records())[1] is None
    assert any("q2" in note for note in result.notes)


def test_weights_of_few_impressions_are_refused():
    log = [{**record, "query": "q0"} for record in random_log(30)]
    (estimate,) = rs.online.estimate_clicks(log, [target_run()], cutoff=CUTOFF, cluster_by="impression").estimates
    assert "fewer than 20" in estimate.reason


def test_propensities_that_are_wrong_are_noticed():
    log = [{**record, "propensity": [0.05] * 3} for record in random_log()]
    (estimate,) = rs.online.estimate_clicks(log, [target_run()], cutoff=CUTOFF).estimates
    assert "too small" in estimate.reason


@pytest.mark.parametrize("wrong", [0.0, -0.1, 1.5])
def test_propensities_outside_0_to_1_are_refused(wrong):
    log = random_log(20)
    log[3] = {**log[3], "propensity": [0.5, wrong, 0.5]}
    with pytest.raises(InputError, match="row 4"):
        rs.online.estimate_clicks(log, [target_run()])


def test_wrong_calls_are_refused():
    with pytest.raises(ParameterError, match="clip"):
        rs.online.estimate_clicks(random_log(20), [target_run()], clip=2)
    with pytest.raises(InputError, match="no query of the log"):
        rs.online.estimate_clicks(random_log(20), [rs.Run({"zz": ["a"]}, name="target")])
    with pytest.raises(InputError, match="'session'"):
        rs.online.estimate_clicks(random_log(20), [target_run()], cluster_by="session")
