"""How the second judge errs: by grade, on what each system ranks first, and on the ranking of systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope import agree_judgments
from rankscope.comparison.judges import JudgeAgreement
from rankscope.comparison.judges.bias import DEPTH, clustered_mean
from rankscope.demo.collection import KIN, SEED, SYSTEMS, collection_files, judge_files, write_files
from rankscope.measures.rank_similarity import kendall_tau, tau_ap
from rankscope.stats.distributions import special

A = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "e": 1}, "3": {"f": 0, "g": 2}}
B = {"1": {"a": 2, "b": 1, "c": 0, "x": 1}, "2": {"a": 0, "e": 2}, "3": {"f": 2, "g": 2}}
UP = rs.Run({"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"e": 2.0}, "3": {"y": 3.0, "g": 2.0}}, name="up")
DOWN = rs.Run({"1": {"b": 3.0}, "2": {"a": 2.0, "e": 1.0}, "3": {"f": 2.0}}, name="down")


def row(found: JudgeAgreement, statistic: str, label: str = "", system: str = "", measure: str = "") -> list[Any]:
    (one,) = [r for r in found.records() if r[:4] == (statistic, label, measure, system)]
    return list(one[4:])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_files(folder, {**collection_files(SEED), **judge_files(SEED)})
    return folder


@pytest.fixture(scope="module")
def agreed(demo: Path) -> JudgeAgreement:
    runs = [demo / f"{name}.run" for name in SYSTEMS]
    return agree_judgments(demo / "demo.qrels", demo / "demo-judge.qrels", runs, "nDCG@10", n_resamples=500)


def test_the_bias_of_a_grade_is_the_mean_of_b_less_a() -> None:
    found = agree_judgments(A, B)
    # Both judged a b c of query 1, a e of 2, f g of 3: grades 2 2, 0 1, 1 0; 0 0, 1 2; 0 2, 2 2.
    assert row(found, "bias", "0")[0] == pytest.approx((1 + 0 + 2) / 3)
    assert row(found, "bias", "1")[0] == pytest.approx((-1 + 1) / 2)
    assert row(found, "bias", "2")[0] == 0
    value, low, high, n = row(found, "bias")
    assert (value, n) == (pytest.approx(3 / 7), 7)
    # Sums of the queries off the mean: 0 - 9/7, 1 - 6/7, 2 - 6/7.
    error = np.sqrt(3 / 2 * ((9 / 7) ** 2 + (1 / 7) ** 2 + (8 / 7) ** 2)) / 7
    assert high - value == pytest.approx(special().stdtrit(2, 0.975) * error)
    assert value - low == pytest.approx(high - value)


def test_a_system_is_favoured_where_its_documents_get_more_than_others_of_the_same_grade() -> None:
    found = agree_judgments(A, B, [UP, DOWN], "P@1")
    # up: a c b, e and g, so that of the seven a of query 2 and f are elsewhere, both of grade 0: 0 and 2 by B.
    assert row(found, f"same_at_{DEPTH}", system="up")[0] == 2 / 5
    assert row(found, f"bias_at_{DEPTH}", system="up")[0] == pytest.approx((0 - 1 + 1 + 1 + 0) / 5)
    assert row(found, f"favour_at_{DEPTH}", system="up")[0] == pytest.approx(1 - (0 + 2) / 2)
    assert row(found, f"favour_at_{DEPTH}", system="up")[3] == 1  # grades 1 and 2 are nowhere else
    # down: b, a and e, f: elsewhere a of grade 2, c of grade 1 (0 by B), g.
    assert row(found, f"favour_at_{DEPTH}", system="down")[0] == pytest.approx(2 - 0)
    own = agree_judgments(A, B, [UP, DOWN], "P@1", judged="own")
    for name in ("same", "bias", "favour"):  # the same documents, whatever ranks the systems
        assert row(own, f"{name}_at_{DEPTH}", system="up") == pytest.approx(
            row(found, f"{name}_at_{DEPTH}", system="up"), nan_ok=True
        )


def test_the_judge_of_the_demo_is_found_to_favour_its_own_kind(agreed: JudgeAgreement) -> None:
    for system in SYSTEMS:
        low = row(agreed, f"favour_at_{DEPTH}", system=system)[1]
        assert (low > 0) == (system == KIN)
    (section,) = [s for s in agreed.sections() if s.title.startswith("Bias of")]
    assert section.sentence.startswith(f"demo-judge favours {KIN} (+")
    effect = agreed.effects[0]
    raised = [s for s, beyond in zip(effect.systems, effect.changes_beyond_others, strict=True) if beyond[1] > 0]
    assert raised == [KIN]


def test_changes_are_those_of_the_means_with_their_intervals(agreed: JudgeAgreement) -> None:
    effect = agreed.effects[0]
    assert effect.changes[:, 0] == pytest.approx(effect.mean_b - effect.mean_a)
    change = effect.changes[:, 0]
    others = (change.sum() - change) / (change.size - 1)
    assert effect.changes_beyond_others[:, 0] == pytest.approx(change - others)
    assert (effect.changes[:, 1] < change).all()
    assert (effect.changes_beyond_others[:, 2] > effect.changes_beyond_others[:, 0]).all()


def test_intervals_of_correlations_are_of_resampled_queries(demo: Path, agreed: JudgeAgreement) -> None:
    runs = [demo / f"{name}.run" for name in SYSTEMS]
    a, b = (rs.evaluate(demo / name, runs, "nDCG@10").matrix("nDCG@10") for name in ("demo.qrels", "demo-judge.qrels"))
    rng = np.random.default_rng(9)
    taus = []
    for _ in range(400):
        drawn = rng.integers(0, a.shape[1], a.shape[1])
        x, y = a[:, drawn].mean(axis=1).tolist(), b[:, drawn].mean(axis=1).tolist()
        taus.append((kendall_tau(x, y), tau_ap(x, y)))
    low, high = np.quantile(np.array(taus), (0.025, 0.975), axis=0)
    effect = agreed.effects[0]
    assert effect.tau_b_ends == pytest.approx((low[0], high[0]), abs=0.14)  # a pair of systems more or less
    assert effect.tau_ap_ends == pytest.approx((low[1], high[1]), abs=0.2)
    again = agree_judgments(demo / "demo.qrels", demo / "demo-judge.qrels", runs, "nDCG@10", n_resamples=500, rng=0)
    assert_same_bits(again.effects[0].tau_b_ends, effect.tau_b_ends)
    assert "| bootstrap:500,rng:0 |" in again.signature()


def test_one_query_or_one_system_leaves_no_interval() -> None:
    one_query = agree_judgments({"1": A["1"]}, {"1": B["1"]}, [UP, DOWN], "P@1")
    assert np.isnan(one_query.effects[0].tau_b_ends).all()
    assert np.isnan(row(one_query, "bias")[1:3]).all()
    one_system = agree_judgments(A, B, [UP], "P@1")
    assert np.isnan(one_system.effects[0].changes_beyond_others).all()
    assert np.isfinite(one_system.effects[0].changes).all()
    counts = agree_judgments(A, B, [UP, DOWN], ["NumRelRet"])  # a sum over queries, no mean
    assert np.isnan(counts.effects[0].changes).all()


def test_intervals_of_documents_that_are_alike_within_a_query_hold() -> None:
    rng = np.random.default_rng(6)
    held = 0
    query = np.repeat(np.arange(25), 8)
    for _ in range(600):
        values = np.repeat(rng.normal(0, 1, 25), 8) + rng.normal(0, 0.5, 200)
        found = clustered_mean(values, query, 0.95)
        held += found.low <= 0 <= found.high
    assert 0.92 < held / 600 < 0.98
    assert clustered_mean(np.array([]), np.array([], np.int64), 0.95).n == 0
