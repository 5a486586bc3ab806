"""A sample of the pool: every document is as likely drawn, and infAP of it is what it should be."""

from __future__ import annotations

from collections import Counter
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.judging.pooling.random_sample import LEFT_OUT, TO_JUDGE

RUN = rs.Run({f"q{q}": {f"d{i:02}": -float(i) for i in range(40)} for q in range(3)}, name="one")
QRELS = {f"q{q}": {f"d{i:02}": int((i + q) % 3 == 0) for i in range(40)} for q in range(3)}


def marks(qrels: rs.Qrels) -> Counter[int]:
    return Counter(qrels.relevance.tolist())


def test_what_is_drawn_is_to_be_judged_and_the_rest_of_the_pool_is_marked() -> None:
    drawn = rs.judging.sample([RUN], 0.25, depth=40, rng=1)
    assert marks(drawn.qrels()) == {TO_JUDGE: 30, LEFT_OUT: 90}
    assert list(drawn.records())[-1] == ("all", 120, 30, 0)
    frame = drawn.qrels().frame()
    assert frame["relevance"].to_list() == [*[-2] * 10, *[-1] * 30] * 3  # what to judge comes first


def test_with_judgments_the_same_call_gives_what_to_evaluate_with() -> None:
    to_judge = rs.judging.sample([RUN], 0.25, depth=40, rng=1).qrels().frame()
    human: dict[str, dict[str, int]] = {}
    for query, doc, relevance in to_judge.rows():
        if relevance == TO_JUDGE:
            human.setdefault(query, {})[doc] = QRELS[query][doc]
    merged = rs.judging.sample([RUN], 0.25, depth=40, rng=1, judged=human)
    assert merged.n_judged == merged.n_sampled == 30
    assert merged.notes == ()
    assert marks(merged.qrels())[LEFT_OUT] == 90
    # Edited in place, the file says the same.
    edited = {
        query: {
            doc: human[query][doc] if relevance == TO_JUDGE else relevance
            for q, doc, relevance in to_judge.rows()
            if q == query
        }
        for query in human
    }
    one, other = (rs.evaluate(qrels, RUN, ["infAP"]).overall("infAP") for qrels in (merged.qrels(), edited))
    assert one == other > 0


def test_judgments_of_documents_that_were_not_drawn_are_left_out_and_said() -> None:
    found = rs.judging.sample([RUN], 0.25, depth=40, rng=1, judged=QRELS)
    assert found.n_judged == 30
    assert marks(found.qrels())[LEFT_OUT] == 90
    assert mentions(found.notes[0], 90, "not drawn")


def test_missing_judgments_are_said() -> None:
    found = rs.judging.sample([RUN], 0.25, depth=40, rng=1, judged={"q0": QRELS["q0"]})
    assert mentions(found.notes[-1], 20, 30, "(-2)")


def test_a_higher_rate_draws_further_documents_beside_the_first() -> None:
    few, many = (rs.judging.sample([RUN], rate, depth=40, rng=5).is_sampled for rate in (0.2, 0.5))
    assert few.sum() == 24
    assert many.sum() == 60
    assert many[few].all()
    assert rs.judging.sample([RUN], 1, depth=40).is_sampled.all()


def test_at_least_one_document_a_query_is_drawn() -> None:
    assert rs.judging.sample([RUN], 0.001, rng=1).n_sampled == 3


def test_every_document_is_as_likely_drawn() -> None:
    counts = sum(rs.judging.sample([RUN], 0.25, depth=40, rng=seed).is_sampled.astype(int) for seed in range(300))
    expected, sd = 300 / 4, (300 * 0.25 * 0.75) ** 0.5
    assert np.abs(counts - expected).max() < 4.5 * sd
    assert abs((np.asarray(counts) - expected).std() / sd - 1) < 0.2


@pytest.mark.parametrize("rate", [0, -0.1, 1.01, float("nan"), "half", True])
def test_a_rate_outside_0_to_1_is_refused(rate: Any) -> None:
    with pytest.raises(ParameterError, match="rate is"):
        rs.judging.sample([RUN], rate)


def test_judgments_of_other_queries_are_refused() -> None:
    with pytest.raises(InputError, match="none of the 3 queries"):
        rs.judging.sample([RUN], 0.5, judged={"other": {"d01": 1}})


def test_files_hold_the_whole_pool(tmp_path: Path) -> None:
    drawn = rs.judging.sample([RUN], 0.25, depth=40, rng=1)
    rs.judging.write_pool(drawn, tmp_path / "sample.qrels")
    assert marks(rs.read_qrels(tmp_path / "sample.qrels")) == {TO_JUDGE: 30, LEFT_OUT: 90}


def expected_inferred_ap(relevant: np.ndarray, drawn: int) -> float:
    """The mean of infAP over all samples of a pool that is one list, each weighing by how many relevant it holds.

    Of a relevant document at rank k that was drawn, precision above it is estimated without bias from what was drawn
    there; only where nothing was, infAP takes 1/2 (Yilmaz and Aslam's smoothing).
    """
    n, total = relevant.size, 0.0
    for k in np.flatnonzero(relevant) + 1:
        above = k - 1
        none = comb(n - 1 - above, drawn - 1) / comb(n - 1, drawn - 1)
        precision = relevant[:above].mean() if above else 0.0
        total += 1 / k + above / k * (precision * (1 - none) + 0.5 * none)
    return total / relevant.sum()


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.2, 0.5])
def test_infap_of_500_samples_has_no_bias_but_that_of_its_smoothing(rate: float) -> None:
    rng = np.random.default_rng(3)
    n = 600
    relevance = {f"q{q}": rng.random(n) < 0.7 * np.exp(-np.arange(n) / (150 + 50 * q)) for q in range(4)}
    run = rs.Run({q: {f"d{i}": -float(i) for i in range(n)} for q in relevance}, name="one")
    qrels = rs.Qrels({q: {f"d{i}": int(good) for i, good in enumerate(line)} for q, line in relevance.items()})
    found, drawn = np.empty((500, 4)), np.empty((500, 4))
    for seed in range(500):
        merged = rs.judging.sample([run], rate, depth=n, judged=qrels, rng=seed)
        found[seed] = rs.evaluate(merged.qrels(), run, ["infAP"]).matrix("infAP")[0]
        drawn[seed] = np.add.reduceat(merged.grades > 0, np.arange(4) * n)
    every = np.array([line.sum() for line in relevance.values()])
    assert (np.abs(drawn.mean(axis=0) / rate - every) < 3.5 * drawn.std(axis=0) / rate / 500**0.5).all()
    expected = np.array([expected_inferred_ap(line, round(rate * n)) for line in relevance.values()])
    weighed = drawn * found / (rate * every)
    assert (np.abs(weighed.mean(axis=0) - expected) < 3.5 * weighed.std(axis=0) / 500**0.5).all()
    # So is the plain mean, but for that smoothing and for dividing by a number that is drawn.
    truth = rs.evaluate(qrels, run, ["AP"]).overall("AP")
    assert abs(found.mean() - truth) < (0.015 if rate < 0.5 else 0.005)
