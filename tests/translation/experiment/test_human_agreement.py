"""Scores of translations against people: taus, tests, protocols, the measure that stops training, published values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.same import assert_same_bits, assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Features, MetricScores, PairScores, Rankings
from rankscope.agreement import segments, systems
from rankscope.data.rankings import Labels
from rankscope.errors import InputError
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.io.translation import Texts
from rankscope.translation.experiment import LOSSES, PAIRS, PROTOCOLS
from rankscope.translation.experiment.human_agreement import (
    PlannedComparison,
    pair_tests,
    segment_tau,
    segment_taus,
    system_correlations,
)
from rankscope.translation.experiment.protocols import FOLDS, folds_of
from rankscope.translation.experiment.published import AVERAGE, published_cells
from rankscope.translation.experiment.training import (
    FoldTraining,
    LearnedMetric,
    PairTau,
    is_held_out,
    random_models,
    train_fold,
    train_ranker,
)
from rankscope.translation.experiment.wmt_campaigns import JudgedPair
from rankscope.translation.wmt12 import PUBLISHED, PUBLISHED_SPEARMAN

LINES, SYSTEMS = 40, ("A", "B", "C", "D")


def judged_pair(pair: str, campaign: str = "wmt12", seed: int = 0) -> JudgedPair:
    """Two judgments of each line; the first systems are better."""
    rng = np.random.default_rng([seed, len(pair)])
    seen = np.rint(np.arange(len(SYSTEMS)) + 2 * rng.normal(size=(2 * LINES, len(SYSTEMS))))
    ranks = 1 + (seen[:, :, None] > seen[:, None, :]).sum(axis=2)
    made = Rankings.of([dict(zip(SYSTEMS, map(float, row), strict=True)) for row in ranks])
    segment = Labels(tuple(str(i + 1) for i in range(LINES)), np.repeat(np.arange(LINES), 2))
    made = replace(made, segment=segment, pair=Labels((pair,), np.zeros(2 * LINES, np.int64)))
    lines = ("x",) * LINES
    texts = Texts(pair, lines, lines, dict.fromkeys(SYSTEMS, lines))
    return JudgedPair(campaign=campaign, pair=pair, rankings=made, all_rankings=made, texts=texts)


def some_scores(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(SYSTEMS), LINES)) - np.arange(len(SYSTEMS))[:, None]


def test_segment_taus_and_their_intervals_are_those_of_agree_segments():
    one, values = judged_pair("de-en"), some_scores(1)
    found = segment_taus([one], {"de-en": {"m": values}}, n_resamples=50, seed=3)
    names = tuple(map(str, range(1, LINES + 1)))
    scores = MetricScores("m", {"de-en": PairScores(SYSTEMS, names, values)})
    expected = segments(one.rankings, scores, n_resamples=50, rng=3)
    assert found.value[0, 0] == expected.value[0, 0] == segment_tau(one, values)
    assert_same_bits((found.low[0, 0], found.high[0, 0]), (expected.low[0, 0], expected.high[0, 0]))
    assert found.n.tolist() == [expected.n[0, 0]]


def test_averages_are_over_language_pairs_segment_by_segment_drawn_alike_for_all_metrics():
    judged = [judged_pair("de-en"), judged_pair("fr-en", seed=1)]
    tables = {one.pair: {"m": some_scores(1), "same": some_scores(1), "other": some_scores(2)} for one in judged}
    found = segment_taus(judged, tables, n_resamples=200, seed=0)
    assert found.average == pytest.approx(found.value.mean(axis=1))
    assert found.average_resamples.shape == (3, 200)
    assert_same_bits(found.average_resamples[0].tolist(), found.average_resamples[1].tolist())
    tests = pair_tests("into", found, [PlannedComparison("m", "same"), PlannedComparison("m", "other")])
    assert (tests[0].difference, tests[0].pvalue) == (0.0, 1.0)
    apart = found.average_resamples[0] - found.average_resamples[2]
    wrong = min((apart <= 0).sum(), (apart >= 0).sum())
    assert tests[1].pvalue == min(1.0, 2 * (1 + wrong) / (1 + 200))
    assert tests[1].pvalue_corrected == min(1.0, 2 * tests[1].pvalue)  # Holm, of two tests the smaller p
    assert pair_tests("into", found, []) == []


def test_correlations_on_systems_have_their_sign_by_pair_and_none_on_average():
    judged = [judged_pair("de-en"), judged_pair("fr-en")]
    whole = Rankings(
        pair=Labels(("de-en", "fr-en"), np.repeat([0, 1], 2 * LINES)),
        segment=Labels(judged[0].rankings.segment.names, np.tile(judged[0].rankings.segment.codes, 2)),
        judge=Labels(("",), np.zeros(4 * LINES, np.int64)),
        offsets=np.arange(0, 16 * LINES + 1, 4),
        system=Labels(SYSTEMS, np.tile(np.arange(4), 4 * LINES)),
        columns={"rank": np.concatenate([one.rankings.columns["rank"] for one in judged])},
    )
    judged = [replace(one, all_rankings=whole) for one in judged]
    up = np.tile(-np.arange(4.0)[:, None], (1, LINES))
    tables = {"de-en": {"m": up}, "fr-en": {"m": -up}}
    bleu = MetricScores.of("BLEU", {one.pair: dict(zip(SYSTEMS, (4.0, 3.0, 2.0, 1.0), strict=True)) for one in judged})
    found = system_correlations(judged, tables, [bleu], n_resamples=20, seed=0)
    rows = {(metric, pair): (x, low, high) for metric, pair, x, low, high in found.rows("share")}
    assert rows["m", "de-en"][0] == 1.0
    assert rows["m", "fr-en"][0] == -1.0
    assert all(low <= x <= high for x, low, high in rows.values())
    assert rows["m", AVERAGE][0] == rows["BLEU", AVERAGE][0] == 1.0
    scores = MetricScores("BLEU", bleu.pairs)
    plain = systems(whole, scores, statistic="spearman", human="wins", rng=0)
    assert plain.value[0].tolist() == [rows["BLEU", pair][0] for pair in plain.pairs]


def test_each_line_is_scored_once_by_what_learned_nothing_of_its_judgments():
    one = judged_pair("de-en")
    judged = {("wmt12", "de-en"): one}
    folds = list(folds_of("cv", judged, ["de-en"], 0))
    assert len(folds) == FOLDS
    assert sorted(np.concatenate([fold.lines for fold in folds]).tolist()) == list(range(LINES))
    for fold in folds:
        (part,) = fold.train
        assert not set(one.line_index[part.judgments].tolist()) & set(fold.lines.tolist())
        assert part.judgments.size == 2 * (LINES - fold.lines.size)
    again, other = (next(folds_of("cv", judged, ["de-en"], seed)).lines.tolist() for seed in (0, 1))
    assert again == folds[0].lines.tolist() != other


def test_what_is_trained_on_what_in_the_other_protocols():
    eleven = {("wmt11", pair): judged_pair(pair, "wmt11") for pair in ("de-en", "en-es", "en-fr")}
    twelve = {("wmt12", pair): judged_pair(pair) for pair in PAIRS}
    thirteen = {("wmt13", "fr-en"): judged_pair("fr-en", "wmt13")}

    def trained_on(protocol, judged, pair):
        (fold,) = folds_of(protocol, judged, [pair], 0)
        assert (fold.pair, fold.lines) == (pair, None)
        assert all(part.judgments is None for part in fold.train)
        return [f"{part.campaign} {part.pair}" for part in fold.train]

    both = eleven | twelve
    assert trained_on("wmt11", both, "de-en") == ["wmt11 de-en"]
    assert trained_on("wmt11", both, "fr-en") == ["wmt11 de-en"]
    assert trained_on("wmt11", both, "en-fr") == ["wmt11 en-fr"]
    assert trained_on("wmt11", both, "en-cs") == ["wmt11 en-es", "wmt11 en-fr"]
    assert trained_on("wmt11-all", both, "en-fr") == ["wmt11 de-en", "wmt11 en-es", "wmt11 en-fr"]
    assert trained_on("leave-pair-out", twelve, "en-cs") == [f"wmt12 {pair}" for pair in PAIRS if pair != "en-cs"]
    assert trained_on("wmt13", thirteen | twelve, "cs-en") == ["wmt13 fr-en"]
    with pytest.raises(InputError, match=r"no judgments .*de-en"):
        list(folds_of("leave-pair-out", {("wmt12", "de-en"): judged_pair("de-en")}, ["de-en"], 0))
    assert {name for name, one in PROTOCOLS.items() if one.depends_on_seed} == {"cv"}


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.floats(-2, 2)), min_size=1, max_size=5), min_size=1, max_size=6)
)
def test_training_stops_by_pairs_in_order_less_those_that_are_not(lists):
    grades = np.array([grade for one in lists for grade, _ in one])
    scores = np.array([score for one in lists for _, score in one])
    offsets = np.cumsum([0, *map(len, lists)])
    found = PairTau()(FullyJudgedLists(grades, offsets).hits(scores))
    for value, one in zip(found, lists, strict=True):
        order = sorted(range(len(one)), key=lambda i: (-one[i][1], i))
        ranked = [one[i][0] for i in order]
        assert value == sum(int(np.sign(a - b)) for i, a in enumerate(ranked) for b in ranked[i + 1 :])


def lists_to_learn(n: int = 60) -> Features:
    """Grades that the first of two features gives; the second says nothing."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(n * 4, 2))
    grades = np.argsort(np.argsort(values[:, 0].reshape(n, 4), axis=1), axis=1).ravel()
    names = tuple(f"wmt12 de-en:{i // 2}#{i}" for i in range(n))
    return Features(values=values, relevance=grades, offsets=np.arange(0, n * 4 + 1, 4), query_ids=names)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=list(LOSSES))
def test_every_loss_learns_what_orders_translations(loss):
    ranker = train_ranker(lists_to_learn(), loss, (), 0)
    (weights, _) = ranker.models_[0].weights
    assert weights[0, 0] > 5 * abs(weights[1, 0])


def test_hidden_layers_are_stopped_by_segments_that_are_held_out_whole():
    features = lists_to_learn()
    held = {name for name in features.query_ids if is_held_out(name, 0)}
    assert 0 < len(held) < len(features.query_ids) / 3
    segments_held = {name.partition("#")[0] for name in held}
    assert held == {name for name in features.query_ids if name.partition("#")[0] in segments_held}
    ranker = train_ranker(features, "listnet", (4,), 0)
    assert ranker.models_[0].values  # of the measure that training was stopped by
    assert ranker.stop_on == PairTau()


def test_a_unit_scores_all_translations_by_all_models_each_on_its_own_columns():
    features = replace(lists_to_learn(), names=("a", "b"), where=None)
    test = np.stack(np.meshgrid([0.0, 1.0, 2.0], [0.0, 5.0], indexing="ij"), axis=-1).astype(np.float32)
    models = (LearnedMetric("one", "listnet", "x", ("a",)), LearnedMetric("other", "ranknet", "y", ("b", "a")))
    found = train_fold(FoldTraining(features, test, ("a", "b"), models, (), 0))
    assert found.shape == (2, 3, 2)
    assert (np.diff(found, axis=1) > 0).all()  # along a
    assert_same_numbers(found[0, :, 0].tolist(), found[0, :, 1].tolist())  # b is no column of the first


def test_seeds_matter_to_hidden_layers_and_to_losses_that_draw():
    fixed = [LearnedMetric(name, loss, "nine", ()) for name, loss in LOSSES.items()]
    assert not random_models(fixed, ())
    assert random_models(fixed, (4,))
    assert random_models([LearnedMetric("x", "listmle", "nine", ())], ())


def test_published_cells_are_all_there_and_agree_with_what_the_other_studies_know():
    cells = list(published_cells())
    assert {cell.table for cell in cells} == {"2", "3", "4", "5"}
    values = {(c.table, c.metric, c.pair): c.value for c in cells}
    assert len(values) == len(cells) == 265
    assert values["2", "ListMLE", AVERAGE] == 0.26
    assert values["5", "RankNet", "en-es"] == -0.17
    assert {c.pair for c in cells} == {*PUBLISHED, AVERAGE} == {*PAIRS, AVERAGE}
    bleu = {c.pair: c.value for c in cells if c.metric == "BLEU" and c.pair != AVERAGE}
    assert bleu == PUBLISHED_SPEARMAN
    for table in "2345":  # averages are those of the pairs, to the digits printed
        for metric in dict.fromkeys(c.metric for c in cells if c.table == table):
            row = [abs(c.value) for c in cells if (c.table, c.metric) == (table, metric) and c.pair != AVERAGE]
            if not np.isnan(row).any():
                assert values[table, metric, AVERAGE] == pytest.approx(np.mean(row), abs=0.016)
