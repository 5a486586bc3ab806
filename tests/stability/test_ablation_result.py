"""The ablation study: what it says is what evaluating anew with fewer judgments says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.strategies import Judgments as Qrels
from helpers.strategies import Lists, ranked

import rankscope as rs
from rankscope import Convention, EntityRanks
from rankscope.demo.collection import make_collection
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.engine import plan_and_join
from rankscope.measures.rank_similarity import kendall_tau, tau_ap
from rankscope.reporting.tables import render_result
from rankscope.stability.ablation_result import Ablation
from rankscope.stability.judgment_ablation import JudgmentSubset, ablate_judgments, judgments_of

SENTENCES = Messages("judgment_ablation")


def in_order(qrels: rs.Qrels, docs: Qrels) -> list[tuple[str, str]]:
    """Query and document of each judgment, as a Qrels orders them."""
    return [(query, doc) for query in qrels.query_ids for doc in docs[query]]


# The study


def study(
    qrels: Any, runs: Mapping[str, Lists], measures: list[str], options: dict[str, Any] | None = None, **asked: Any
) -> Ablation:
    named = [rs.Run(run, name=name) for name, run in runs.items()]
    plan, joined = plan_and_join(qrels, named, measures, ConventionSettings(**(options or {})), InputSettings())
    return ablate_judgments(joined, plan, **{"rng": 1, **asked})


def demo(n: int = 12) -> tuple[Qrels, dict[str, Lists]]:
    """The first queries of the demo."""
    collection = make_collection()
    some = sorted(collection.qrels)[:n]
    qrels = {q: dict(collection.qrels[q]) for q in some}
    return qrels, {s: {q: dict(run[q]) for q in some if q in run} for s, run in collection.runs.items()}


MEASURES = ["AP", "nDCG@10", "Bpref", "infAP", "MeanRank", "GMAP", "NumRelRet", "ERR"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rel": 2, "no_relevant": "drop", "missing": "drop"},
        {"unjudged": "skip", "ties": "file"},
    ],
)
def test_taus_and_values_are_those_of_evaluating_anew(options: dict[str, Any]) -> None:
    docs, runs = demo()
    found = study(docs, runs, MEASURES, options, depths=[1, 3, 30], shares=[0.6, 0.2], iterations=3)
    systems = [rs.Run(run, name=name) for name, run in runs.items()]
    full = rs.evaluate(docs, systems, MEASURES, **options)
    of_all = rs.evaluate(docs, systems, MEASURES).query_ids
    lists = {q: [ranked(run.get(q, {})) for run in runs.values()] for q in of_all}
    if options.get("ties") == "file":
        lists = {q: [sorted(run.get(q, {}), key=lambda d: -run[q][d]) for run in runs.values()] for q in of_all}
    pools: list[Qrels] = []
    for depth in (1, 3, 30):
        pool = {q: {doc for docs_ in lists[q] for doc in docs_[:depth]} for q in of_all}
        pools.append({q: {d: g for d, g in of.items() if d in pool[q]} for q, of in docs.items()})
    for n, pool_qrels in enumerate(pools):
        anew = rs.evaluate(pool_qrels, systems, MEASURES, **options)
        for m, name in enumerate(full.measure_names):
            a, b = full.summary(name), anew.summary(name)
            assert found.depth.values[m, n] == pytest.approx(np.nanmean(b), rel=1e-12)
            if not np.isfinite(b).all() or np.unique(b).size == 1:
                assert np.isnan(found.depth.tau[m, n])
                continue
            expected = kendall_tau(np.round(a, 12), np.round(b, 12))
            assert found.depth.tau[m, n] == pytest.approx(expected, abs=1e-12), name
            sign = full.sign(name)
            if np.unique(np.round(a, 12)).size == a.size:
                by_ap = tau_ap(np.round(sign * a, 12), np.round(sign * b, 12))
                assert found.depth.tau_ap[m, n] == pytest.approx(by_ap, abs=1e-12), name
    expect_random(found, docs, systems, full, options)


def expect_random(found: Ablation, docs: Qrels, systems: list[rs.Run], full: Any, options: dict[str, Any]) -> None:
    """The draws made again from the streams of the seed; documents that no run lists are told by their grade only."""
    qrels = rs.Qrels(docs)
    hits = [(run.name, rs.hits_of(qrels, run, Convention(rel=options.get("rel", 1)))) for run in systems]
    judgments = judgments_of(hits)
    taus = np.full((len(full.measure_names), 2, 3), np.nan)
    means = np.full(taus.shape, np.nan)
    for i, stream in enumerate(np.random.default_rng(1).spawn(3)):
        turn = judgments.shuffle(stream)
        for n, share in enumerate((0.6, 0.2)):
            kept: JudgmentSubset = judgments.sample(turn, share)
            pooled: Qrels = {q: {} for q in docs}
            for (q, doc), grade in zip(in_order(qrels, docs), kept.relevance.tolist(), strict=True):
                pooled[q][doc] = grade
            anew = rs.evaluate(pooled, systems, full.measure_names, **options)
            for m, name in enumerate(full.measure_names):
                b = anew.summary(name)
                means[m, n, i] = np.nanmean(b)
                if np.isfinite(b).all():
                    taus[m, n, i] = kendall_tau(np.round(full.summary(name), 12), np.round(b, 12))
    np.testing.assert_allclose(found.random.values, means.mean(axis=2), rtol=1e-12)
    there = np.isfinite(taus).all(axis=2)
    assert there.any()
    np.testing.assert_allclose(found.random.tau[there], taus[there].mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(found.random.tau_low[there], taus[there].min(axis=1), atol=1e-12)
    np.testing.assert_allclose(found.random.tau_high[there], taus[there].max(axis=1), atol=1e-12)


def test_a_small_pool_by_hand() -> None:
    """Three runs of one query with the relevant a, b, c, of which x lists all, y two, z one at rank 2."""
    lists = {"x": "abc", "y": "dab", "z": "eca"}
    runs = {name: {"q": {doc: 9.0 - i for i, doc in enumerate(docs)}} for name, docs in lists.items()}
    found = study({"q": {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0}}, runs, ["AP", "MeanRank"], shares=[0.9])
    # All: x 1; y (1/2 + 2/3) / 3; z the same.
    assert found.full[0] == pytest.approx((1 + 2 * (1 / 2 + 2 / 3) / 3) / 3)
    assert found.depth.levels.tolist() == [1, 2]
    # Depth 1 keeps a, d, e: AP is 1, 1/2, 1/3, so y and z, tied by all, are apart: 2 / sqrt(2 * 3).
    assert found.depth.kept.tolist() == [3 / 5, 1]
    assert found.depth.values[0].tolist() == pytest.approx([(1 + 1 / 2 + 1 / 3) / 3, found.full[0]])
    assert found.depth.tau[0].tolist() == pytest.approx([2 / np.sqrt(6), 1])
    # Mean ranks 2, 2.5, 2.5, lower is better; at depth 1 they are 1, 2, 3: the same order but for the tie.
    assert found.depth.tau[1].tolist() == pytest.approx([2 / np.sqrt(6), 1])
    assert found.depth.tau_ap[1, 1] == 1
    assert any("tau_AP,b" in note for note in found.notes)


def test_tau_ap_weighs_the_top_where_lower_is_better_too() -> None:
    """Ranks 1, 2, 3 and 4 of the one relevant document of each; the pool takes x's from it."""
    order = {"w": "abcd", "x": "bacd", "y": "bcad", "z": "bcda"}
    runs = {name: {"p": {d: 9.0 - i for i, d in enumerate(docs)}, "q": {"e": 1.0}} for name, docs in order.items()}
    found = study({"p": {"a": 1}}, runs, ["MeanRank", "RR"], shares=[0.9], depths=[1])
    assert found.depth.tau_ap[:, 0].tolist() == [1, 1]
    assert found.depth.values[:, 0].tolist() == pytest.approx([10 / 4, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4])


def test_infap_keeps_its_value_where_half_of_the_judgments_are_dropped() -> None:
    """What it was made for (Yilmaz and Aslam 2006); AP falls with the judgments."""
    collection = make_collection()
    found = study(collection.qrels, collection.runs, ["AP", "infAP"], shares=[0.5], depths=[5])  # runs are listed
    ap, inferred = found.random.values[:, 0] / found.full
    assert ap < 0.7
    assert inferred > 0.95


def test_queries_that_lose_all_relevant_documents_count_as_the_plan_says() -> None:
    docs = {"p": {"a": 1}, "q": {"b": 1, "c": 0}}
    runs = {"x": {"p": {"a": 2.0}, "q": {"c": 2.0, "b": 1.0}}, "y": {"p": {"a": 1.0}, "q": {"c": 2.0}}}
    asked: dict[str, Any] = {"depths": [1], "shares": [0.9]}
    zero, drop = (study(docs, runs, ["AP"], {"no_relevant": how}, **asked) for how in ("zero", "drop"))
    assert zero.depth.values.tolist() == [[1 / 2]]
    assert drop.depth.values.tolist() == [[1.0]]
    assert zero.depth.lost.tolist() == [1]
    assert mentions(zero.notes, "1 query", "relevant documents")
    assert np.isnan(zero.depth.tau).all()
    assert mentions(zero.notes, "no tau")


def test_a_table_of_ranks_loses_entities() -> None:
    rng = np.random.default_rng(0)
    ranks = np.stack([rng.permutation(1000)[:60] + 1.0 for _ in range(4)])
    table = EntityRanks(systems=tuple("abcd"), entity_ids=tuple(map(str, range(60))), ranks=ranks)
    plan, joined = plan_and_join(table, None, ["MeanRank", "AP"], ConventionSettings(), InputSettings())
    found = ablate_judgments(joined, plan, shares=[0.5], depths=[100, 1000], iterations=2, rng=0)
    assert found.random.kept.tolist() == [0.5]
    assert_same_numbers(found.depth.kept.tolist(), [(ranks.min(axis=0) <= 100).mean(), 1])
    near = ranks[:, ranks.min(axis=0) <= 100]
    assert found.depth.values[0].tolist() == pytest.approx([near.mean(), ranks.mean()])


def test_the_same_seed_gives_the_same_and_depths_do_not_depend_on_it() -> None:
    docs, runs = demo()
    a, b, c = (study(docs, runs, ["AP"], rng=seed) for seed in (5, 5, 6))
    assert_same_bits(str(list(a.records())), str(list(b.records())))
    assert a.random.values.tolist() != c.random.values.tolist()
    assert_same_bits(a.depth.values.tolist(), c.depth.values.tolist())
    assert a.signature() != c.signature()


def test_by_default_depths_go_to_where_nothing_more_is_lost() -> None:
    docs, runs = demo()
    found = study(docs, {s: {q: dict(list(of.items())[:33]) for q, of in r.items()} for s, r in runs.items()}, ["AP"])
    assert found.depth.levels.tolist()[:-1] == [1, 2, 5, 10, 20]
    assert 20 < found.depth.levels[-1] <= 33
    unlisted = found.n_unlisted / found.n_judgments
    assert found.depth.kept[-1] == pytest.approx(1 - unlisted)
    assert (np.diff(found.depth.kept) >= 0).all()


def test_measures_that_cannot_order_systems_by_fewer_judgments_are_left_out() -> None:
    qrels = {"q": {"1": {"a": 1, "b": 1}, "2": {"c": 1}}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"b": 1.0}}}
    found = study(qrels, runs, ["AP", "alpha_nDCG", "NumRet"])
    assert found.measures == ("AP",)
    assert mentions(found.notes, "subtopic", "alpha_nDCG")
    assert mentions(found.notes, "better", "NumRet")
    with pytest.raises(rs.ParameterError, match="no measure"):
        study(qrels, runs, ["StRecall@3"])


def test_what_follows_from_the_highest_grade_is_told() -> None:
    runs = {"x": {"q": {"b": 2.0, "a": 1.0}}, "y": {"q": {"b": 1.0}}}
    found = study({"q": {"a": 3, "b": 1}}, runs, ["ERR", "AP"], depths=[1], shares=[0.9])
    assert mentions(found.notes, "ERR", "shallower")
    # At depth 1 the grade of b is the highest there is: both stop with probability (2^1 - 1) / 2^1.
    assert found.depth.values[0].tolist() == [1 / 2]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"shares": [1.5]}, r"\bshares\b.*1\.5"),
        ({"shares": []}, r"\bshares\b.*\blist\b"),
        ({"shares": 0.5}, r"\bshares\b.*\blist\b"),
        ({"depths": [0]}, r"\bdepths\b.*\b0\b"),
        ({"depths": "12"}, r"\bdepths\b.*\blist\b"),
        ({"iterations": 0}, "iterations is 0"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_arguments_out_of_range_are_refused(asked: dict[str, Any], message: str) -> None:
    docs, runs = demo(2)
    with pytest.raises(rs.ParameterError, match=message):
        study(docs, runs, ["AP"], **asked)


def test_systems_that_cannot_be_ordered_are_refused() -> None:
    docs, runs = demo(2)
    with pytest.raises(rs.ParameterError, match=r"\b1 system\b.*\b2\b"):
        study(docs, {"bm25": runs["bm25"]}, ["AP"])
    with pytest.raises(rs.InputError, match=r"\bno run\b.*\bjudged\b"):
        study({"q": {"a": 1}}, {"x": {"q": {"b": 1.0}}, "y": {"q": {"c": 1.0}}}, ["AP"])


# What is shown


def test_the_result_reads_well_and_has_a_row_a_measure_and_level() -> None:
    docs, runs = demo()
    found = study(docs, runs, ["AP", "P@10"], shares=[0.9, 0.1], depths=[1, 50])
    assert found.frame().columns == list(found.columns)
    assert len(found.frame()) == 2 * (1 + 2 + 2)
    at_random, shallower = found.sections()
    assert mentions(at_random.sentence, "6 systems")
    assert mentions(shallower.title, "shallower pool")
    assert {"shares:0.9,0.1", "iterations:10", "depths:1,50", "rng:1"} <= set(found.signature().split(" | "))
    for format_ in ("markdown", "latex", "csv", "json"):
        assert "AP" in render_result(found, format_)


def test_the_sentence_names_the_last_level_of_an_unbroken_row() -> None:
    docs, runs = demo()
    found = study(docs, runs, ["AP", "P@10"], shares=[0.9, 0.5, 0.1], iterations=4)
    low = np.array([[1.0, 0.8, 1.0], [0.95, 0.9, 0.91]])  # AP is no more at .5, whatever .1 says
    changed = replace(found, random=replace(found.random, tau_low=low))
    assert changed.random.stable_levels() == [0.9, 0.1]
    SENTENCES.check("levels of judgments by two measures", changed.sections()[0].sentence)
    never = replace(found, random=replace(found.random, tau_low=np.zeros((2, 3))))
    assert never.random.stable_levels() == [None, None]
    SENTENCES.check("at no level of judgments", never.sections()[0].sentence)
    one = replace(found, random=replace(found.random, tau_low=np.stack((low[1], np.zeros(3)))))
    SENTENCES.check("at no level of judgments by one of two measures", one.sections()[0].sentence)
