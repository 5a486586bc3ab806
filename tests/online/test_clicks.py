"""What clicks say of ranks and documents: click-through, position bias from swaps, clicks over expected clicks."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.online import simulate_clicks

DOCUMENTS = ["a", "b", "c"]
ATTRACTION = {"a": 0.8, "b": 0.5, "c": 0.3}


def shuffled_log(n, seed=1, eta=1.0, n_queries=1):
    """Impressions of queries with the documents in any order; users examine ranks with 1 / rank^eta."""
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(np.arange(3), (n, 1)), axis=1)
    attraction = np.array([ATTRACTION[doc] for doc in DOCUMENTS])[orders]
    clicks = simulate_clicks(attraction, eta=eta, rng=rng)
    return [
        {
            "query": f"q{i % n_queries}",
            "documents": [DOCUMENTS[i] for i in order],
            "clicks": (np.flatnonzero(row) + 1).tolist(),
        }
        for i, (order, row) in enumerate(zip(orders, clicks, strict=True))
    ]


def counts_by_rank(log):
    return np.array([sum(rank in record["clicks"] for record in log) for rank in (1, 2, 3)])


def grades_by_loop(log, expected_of_rank, prior):
    clicks, expected = dict.fromkeys(DOCUMENTS, 0), dict.fromkeys(DOCUMENTS, 0.0)
    for record in log:
        for rank, doc in enumerate(record["documents"], 1):
            clicks[doc] += rank in record["clicks"]
            expected[doc] += expected_of_rank[rank - 1]
    mean = sum(clicks.values()) / sum(expected.values())
    return {doc: (clicks[doc] + prior * mean) / (expected[doc] + prior) for doc in DOCUMENTS}


def grades_of(summary):
    return {summary.doc_ids[doc]: grade for doc, grade in zip(summary.document.tolist(), summary.grade, strict=True)}


@pytest.mark.parametrize("prior", [0.0, 5.0])
def test_grades_are_clicks_over_expected_clicks(prior):
    log = shuffled_log(120)
    summary = rs.online.summarise_clicks(log, prior=prior)
    through = counts_by_rank(log) / len(log)
    assert summary.click_through == pytest.approx(through)
    assert grades_of(summary) == pytest.approx(grades_by_loop(log, through, prior), abs=1e-4)


def test_grades_by_a_given_position_bias():
    log = shuffled_log(120)
    summary = rs.online.summarise_clicks(log, expected="bias", eta=0.7)
    assert grades_of(summary) == pytest.approx(grades_by_loop(log, np.arange(1, 4) ** -0.7, 0), abs=1e-4)


def test_bias_from_swaps_is_near_the_truth_and_inside_its_interval():
    summary = rs.online.summarise_clicks(shuffled_log(4000, n_queries=20), expected="bias")
    truth = 1 / np.arange(1, 4)
    assert summary.bias.bias == pytest.approx(truth, abs=0.05)
    assert ((summary.bias.low <= truth) & (truth <= summary.bias.high)).all()


def test_grades_by_the_estimated_bias_are_attractions():
    summary = rs.online.summarise_clicks(shuffled_log(4000), expected="bias")
    assert np.isnan(summary.bias.low[1:]).all()  # of one query
    assert grades_of(summary) == pytest.approx(ATTRACTION, abs=0.06)


def test_two_ranks_and_one_document_have_the_quotient_of_their_click_throughs():
    log = [
        {"query": "q", "documents": ["a", f"x{i}"] if i % 2 else [f"x{i}", "a"], "clicks": clicks}
        for i, clicks in enumerate([[2], [1], [], [1], [2], [1], [], []] * 5)
    ]
    at_second = sum(2 in record["clicks"] for record in log[::2]) / 20
    at_first = sum(1 in record["clicks"] for record in log[1::2]) / 20
    summary = rs.online.summarise_clicks(log)
    assert summary.bias.bias[1] == pytest.approx(at_second / at_first)


def test_lists_that_never_change_say_nothing_of_bias():
    log = [{"query": "q", "documents": DOCUMENTS, "clicks": [1]}] * 20
    summary = rs.online.summarise_clicks(log)
    assert np.isnan(summary.bias.bias[1:]).all()
    assert "too few" in str(summary)


def test_judgments_are_qrels_with_fractions():
    log = shuffled_log(60)
    summary = rs.online.summarise_clicks(log)
    scores = rs.evaluate(summary.qrels(), [rs.Run({"q0": ["b", "a", "c"]}, name="run")], ["nDCG@3"])
    grade = grades_of(summary)
    gains = [grade["b"], grade["a"], grade["c"]]
    discount = 1 / np.log2(np.arange(2, 5))
    assert scores.summary("nDCG@3")[0] == pytest.approx(gains @ discount / (sorted(gains)[::-1] @ discount))


def test_too_few_impressions_have_no_judgment():
    summary = rs.online.summarise_clicks(shuffled_log(9))
    assert summary.grade.size == 0
    with pytest.raises(InputError, match="--min-impressions"):
        summary.qrels()


def test_eta_needs_bias():
    with pytest.raises(ParameterError, match="eta"):
        rs.online.summarise_clicks(shuffled_log(5), eta=1)


def test_a_log_without_documents_or_queries_is_refused():
    with pytest.raises(InputError, match="documents"):
        rs.online.summarise_clicks([{"query": "q", "clicks": [1]}])
    with pytest.raises(InputError, match="query"):
        rs.online.summarise_clicks([{"documents": ["a"], "clicks": [1]}])
