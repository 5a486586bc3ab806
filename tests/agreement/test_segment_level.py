"""Metrics against people on segments: values by hand, peers, groupings, the bootstrap as a loop, what is refused."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.paths import ROOT
from helpers.same import assert_same_bits
from scipy import stats

import rankscope as rs
from rankscope import MetricScores, PairScores, Rankings, read_rankings, read_segment_scores
from rankscope.agreement import KendallConvention, decisions, segments
from rankscope.agreement.judgments import GOLD, lists_of_scores
from rankscope.agreement.settings import SEGMENT_STATISTICS
from rankscope.agreement.statistics import CONVENTIONS, SEGMENT_CORRELATIONS, SEGMENT_GROUPINGS
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw

SYSTEMS = ("A", "B", "C", "D")


def people(judgments, segment=None, pair=None):
    """Ranks of the systems, a list a judgment; segment, pair: of each."""
    found = Rankings.of([dict(zip(SYSTEMS, ranks, strict=False)) for ranks in judgments], name="rank")
    labels = {"segment": Labels.of(segment)} if segment else {}
    return replace(found, **labels, **({"pair": Labels.of(pair)} if pair else {}))


def scores(name, table, pair=""):
    """A list of scores a system, by segment."""
    return MetricScores(name, {pair: PairScores.of(dict(zip(SYSTEMS, table, strict=False)))})


def random_scores(seed=1, segments=30, systems=4, missing=0.1):
    """Scores of people and of a metric that follows them, some missing, with ties on both sides."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 5, (systems, segments)).astype(float)
    metric = np.round(gold + rng.normal(0, 3, gold.shape))
    metric[rng.random(gold.shape) < missing] = np.nan
    names = tuple(str(i) for i in range(segments))
    return (
        gold,
        metric,
        *(
            MetricScores(n, {"x-y": PairScores(SYSTEMS[:systems], names, t)})
            for n, t in (("human", gold), ("metric", metric))
        ),
    )


# Values


def test_two_judgments_by_hand():
    judged = people([(1, 2, 3), (2, 1, 1)])
    chrf = scores("chrF", [(0.6, 0.5), (0.5, 0.5), (0.1, 0.7)])
    # First: A > B > C on both sides. Second: B and C as good, A worse; the metric ties A and B, has C before both.
    expected = {
        "wmt12": ((4 - 1) / 5, 5),  # the tie counts against it
        "wmt13": (4 / 4, 4),  # the tie is left out
        "wmt14": (4 / 5, 5),
        "tau23": ((4 - 2) / 6, 6),  # and B and C are no tie of the metric
        "acc_eq": (4 / 6, 6),
    }
    for statistic, (value, n) in expected.items():
        found = segments(judged, chrf, statistic=statistic, epsilon=0, rng=1)
        assert found.value[0, 0] == pytest.approx(value)
        assert found.n[0, 0] == n


def test_by_segment_the_judgments_of_one_segment_are_counted_together():
    judged = people([(1, 2), (2, 1), (1, 2)], segment=["s", "s", "t"])
    chrf = MetricScores("chrF", {"": PairScores.of({"A": [1, 1], "B": [0, 0]}, segments=["s", "t"])})
    found = segments(judged, chrf, grouping="segment", rng=1)
    assert found.value[0, 0] == (0 + 1) / 2  # 1 - 1 of two pairs; 1 of one
    assert found.n[0, 0] == 2
    assert segments(judged, chrf, rng=1).value[0, 0] == pytest.approx((2 - 1) / 3)


def test_a_correlation_by_segment_weighs_a_segment_as_one_however_often_it_was_judged():
    judged = people([(1, 2, 3)] * 4 + [(3, 2, 1)], segment=["s"] * 4 + ["t"])
    metric = MetricScores("m", {"": PairScores.of({"A": [3, 3], "B": [2, 2], "C": [1, 1]}, segments=["s", "t"])})
    for statistic in SEGMENT_CORRELATIONS:
        found = segments(judged, metric, statistic=statistic, grouping="segment", rng=1)
        assert found.value[0, 0] == pytest.approx((1 - 1) / 2)  # of judgments it were (4 - 1) / 5
        assert found.n[0, 0] == 2
    two = people([(1, 2, 3), (1, 3, 2), (3, 2, 1)], segment=["s", "s", "t"])
    found = segments(two, metric, statistic="pearson", grouping="segment", rng=1)
    assert found.value[0, 0] == pytest.approx(((1 + 0.5) / 2 - 1) / 2)
    assert "means over segments" in str(found)


def test_by_system_each_has_the_pairs_its_translations_are_in():
    judged = people([(1, 2, 3)])
    metric = scores("m", [(3,), (1,), (2,)])  # A before C before B
    found = segments(judged, metric, grouping="system", rng=1)
    # A: 2 right; B: one right, one wrong; C: the same.
    assert found.value[0, 0] == pytest.approx((1 + 0 + 0) / 3)
    assert found.n[0, 0] == 3


def test_a_statistic_of_ones_own_is_a_table_or_a_convention():
    judged, metric = people([(1, 2, 3)]), scores("m", [(3,), (1,), (2,)])
    for own in ([[1, 0, 0], [None] * 3, [0, 0, 1]], KendallConvention(concordant=1, discordant=0, tied_metric=0)):
        found = segments(judged, metric, statistic=own, rng=1)
        assert found.value[0, 0] == pytest.approx(2 / 3)
        assert "statistic:own(1,0,x,0,x)" in found.signature()


def test_lower_is_better_for_a_metric_that_says_so():
    judged = people([(1, 2, 3)])
    ter = MetricScores("TER", {"": PairScores.of({"A": [0.1], "B": [0.2], "C": [0.9]})}, higher_is_better=False)
    assert segments(judged, ter, rng=1).value[0, 0] == 1


def test_darr_counts_pairs_at_least_25_points_apart():
    human = scores("human", [(80,), (55,), (54,)])
    metric = scores("m", [(1,), (2,), (0,)])
    found = segments(
        human, metric, statistic="darr", rng=1
    )  # A and B discordant, A and C concordant; B and C too close
    assert (found.value[0, 0], found.n[0, 0]) == (0, 2)


@pytest.mark.parametrize("grouping", SEGMENT_GROUPINGS)
@pytest.mark.parametrize("statistic", SEGMENT_CORRELATIONS)
def test_correlations_of_scores_agree_with_scipy(statistic, grouping):
    gold, metric, human, scored = random_scores()
    function = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall_b": stats.kendalltau,
        "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    }[statistic]
    lists = {
        "none": [(gold.ravel(), metric.ravel())],
        "segment": list(zip(gold.T, metric.T, strict=True)),
        "system": list(zip(gold, metric, strict=True)),
    }[grouping]
    values = []
    for x, y in lists:
        there = ~np.isnan(y)
        if there.sum() > 1 and len(set(x[there])) > 1 and len(set(y[there])) > 1:
            values.append(function(x[there], y[there])[0])
    found = segments(human, scored, statistic=statistic, grouping=grouping, rng=1)
    assert found.value[0, 0] == pytest.approx(np.mean(values))
    assert found.n[0, 0] == ((~np.isnan(metric)).sum() if grouping == "none" else len(values))
    assert found.low[0, 0] < found.value[0, 0] < found.high[0, 0]


@pytest.mark.parametrize("grouping", SEGMENT_GROUPINGS)
@pytest.mark.parametrize("statistic", ["wmt12", "wmt13", "tau23", "darr", *SEGMENT_CORRELATIONS])
def test_the_bootstrap_is_that_of_a_loop_over_drawn_segments(statistic, grouping):
    _, _, human, scored = random_scores(segments=12)
    settings = {"statistic": statistic, "grouping": grouping, "rng": 5}
    if statistic in CONVENTIONS:
        settings["epsilon"] = 0.5
    if statistic == "darr":
        human = replace(human, pairs={"x-y": replace(human.pairs["x-y"], values=20 * human.pairs["x-y"].values)})
    found = segments(human, scored, n_resamples=15, **settings)
    draws = draw(np.random.default_rng([5, zlib.crc32(b"x-y")]), 15)
    values = []
    for drawn in np.concatenate(list(bootstrap_indices(draws, 12))):
        sample = [
            MetricScores(
                one.metric, {"": PairScores(SYSTEMS, tuple(map(str, range(12))), one.pairs["x-y"].values[:, drawn])}
            )
            for one in (human, scored)
        ]
        values.append(segments(*sample, n_resamples=1, **settings).value[0, 0])
    assert [found.low[0, 0], found.high[0, 0]] == pytest.approx(list(np.nanquantile(values, [0.025, 0.975])))


def test_epsilon_is_calibrated_for_each_metric_and_pair_on_its_own():
    judged = people([(1, 2, 2), (1, 2, 2)], pair=["a-b", "c-d"])
    fine = PairScores.of({"A": [9], "B": [2], "C": [1]}, segments=["1"])
    wide = PairScores.of({"A": [900], "B": [200], "C": [100]}, segments=["2"])
    found = segments(judged, MetricScores("m", {"a-b": fine, "c-d": wide}), statistic="acc_eq", rng=1)
    assert found.epsilon.tolist() == [[1, 100]]
    assert found.value.tolist() == [[1, 1]]
    assert found.average.tolist() == [1]
    assert "epsilon:calibrated" in found.signature()
    assert any("on these same data" in note for note in found.sections()[0].notes)


def test_calibration_weighs_segments_alike_where_the_statistic_does():
    _, _, human, scored = random_scores(segments=40)
    found = segments(human, scored, statistic="acc_eq", grouping="segment", rng=1)
    tried = [
        segments(human, scored, statistic="acc_eq", grouping="segment", epsilon=e, n_resamples=1, rng=1).value[0, 0]
        for e in range(12)
    ]
    assert found.value[0, 0] == pytest.approx(max(tried))
    assert found.epsilon[0, 0] == int(np.argmax(np.round(tried, 12)))


# Several metrics and pairs


def test_several_metrics_and_pairs_with_their_average():
    judged = people([(1, 2), (1, 2)], pair=["a-b", "c-d"])
    good, bad = (
        MetricScores(
            name, {p: PairScores.of({"A": [sign], "B": [0]}, segments=[s]) for p, s in (("a-b", "1"), ("c-d", "2"))}
        )
        for name, sign in (("good", 1), ("bad", -1))
    )
    found = segments(judged, [good, bad], rng=1)
    assert found.metrics == ("good", "bad")
    assert found.value.tolist() == [[1, 1], [-1, -1]]
    assert found.average.tolist() == [1, -1]
    assert [row[1] for row in found.records()][:3] == ["a-b", "c-d", "average"]
    one = segments(judged, [good, bad], pairs=["c-d"], rng=1)
    assert one.pairs == ("c-d",)
    swapped = segments(judged, [good], pairs=["c-d", "a-b"], rng=1)
    assert swapped.pairs == ("c-d", "a-b")


def test_an_interval_does_not_depend_on_the_other_pairs():
    rng = np.random.default_rng(2)
    judged = people(rng.permuted(np.tile([1, 2, 3], (40, 1)), axis=1).tolist(), pair=["a-b", "c-d"] * 20)
    judged = judged.with_column("m", rng.normal(size=120), higher_is_better=True)
    both, one = segments(judged, rng=3), segments(judged, pairs=["c-d"], rng=3)
    assert_same_bits((both.low[0, 1], both.high[0, 1]), (one.low[0, 0], one.high[0, 0]))


def test_a_metric_without_scores_for_one_pair_has_no_average():
    judged = people([(1, 2), (1, 2)], pair=["a-b", "c-d"])
    found = segments(judged, MetricScores("m", {"a-b": PairScores.of({"A": [1], "B": [0]})}), rng=1)
    assert found.value[0, 0] == 1
    assert np.isnan([found.value[0, 1], found.average[0], found.low[0, 1], found.average_low[0]]).all()
    assert any("m (c-d)" in note for note in found.sections()[0].notes)


def test_other_columns_of_the_judgments_are_metrics_as_of_an_llm():
    judged = people([(1, 2, 3)]).with_column("judge", np.array([3.0, 2.0, 2.0]), higher_is_better=True)
    found = segments(judged, rng=1)
    assert found.metrics == ("judge",)
    assert found.value[0, 0] == pytest.approx((2 - 1) / 3)


def test_repeated_judgments_count_as_often_as_they_stand():
    judged = people([(1, 2), (1, 2), (2, 1)], segment=["s"] * 3)
    found = segments(judged, MetricScores("m", {"": PairScores.of({"A": [1], "B": [0]}, segments=["s"])}), rng=1)
    assert found.value[0, 0] == pytest.approx((2 - 1) / 3)


def test_scores_of_people_are_one_judgment_a_segment_without_what_they_left_out():
    human = scores("MQM", [(-1, None), (-5, None), (None, 0)])
    found = lists_of_scores(human)
    assert len(found) == 2
    assert found.columns[GOLD].tolist() == [-1, -5, 0]
    assert found.score_columns == {GOLD}


# Missing values


def test_pairs_without_a_score_are_left_out_and_counted():
    judged = people([(1, 2, 3), (1, 2, 3)])
    found = segments(judged, scores("m", [(3, 3), (2, None), (1, 1)]), rng=1)
    assert found.value[0, 0] == 1
    assert found.n[0, 0] == 3 + 1
    assert (found.missing[0, 0], found.lost[0, 0]) == (1, 2)
    assert mentions(found.notes, 1, 6, "no score")
    assert mentions(found.sections()[0].notes, "2 pairs", "skipped")


def test_nothing_that_counts_is_no_value_and_a_note():
    found = segments(people([(1, 2, 2)]), scores("m", [(3,), (3,), (3,)]), statistic="wmt13", rng=1)
    assert np.isnan(found.value[0, 0])
    assert found.n[0, 0] == 0
    assert mentions(str(found), "No metric")
    assert mentions(found.sections()[0].notes, "no value", "no pair counts")


def test_people_who_order_nothing_are_refused():
    for ranks in ((1,), (1, 1, 1)):
        with pytest.raises(InputError, match="above another"):
            segments(people([ranks]), scores("m", [(3,), (2,), (1,)]))


def test_a_metric_of_one_value_has_no_correlation():
    flat = segments(people([(1, 2)]), scores("m", [(3,), (3,)]), statistic="kendall_b", grouping="segment", rng=1)
    assert np.isnan(flat.value[0, 0])


# Directions and files


@pytest.fixture
def table(tmp_path):
    """An LLM that agrees with people wholly, by points; a column of years."""
    path = tmp_path / "llm.csv"
    path.write_text("segment,system,rank,llm,year\n1,A,1,10,2012\n1,B,2,6,2013\n1,C,3,1,2011\n")
    return path


@pytest.mark.parametrize("function", [segments, decisions])
def test_columns_read_as_ranks_are_named_in_a_note_and_in_the_signature(table, function):
    found = function(table, metrics="llm")
    assert mentions(found.signature(), "| gold:rank |", "| lower:rank,llm |")
    assert mentions(found.notes, "llm", "read as ranks", "lower")
    for options in ({"higher": "llm"}, {"lower": ["llm"]}):
        assert not [note for note in function(table, metrics="llm", **options).notes if "read as ranks" in note]
    assert mentions(
        function(table, metrics="llm", higher=["llm"]).signature(), "| gold:rank |", "| higher:llm |", "| lower:rank |"
    )


def test_points_of_a_perfect_judge_agree_wholly_where_higher_is_said_to_be_better(table):
    assert segments(table, metrics="llm", higher="llm", rng=1).value[0, 0] == 1
    assert segments(table, metrics="llm", rng=1).value[0, 0] == -1
    rankings = read_rankings(table, higher="llm")
    assert segments(rankings, metrics=["llm"], rng=1).value[0, 0] == 1
    assert segments(rankings, metrics=["llm"], lower="llm", rng=1).value[0, 0] == -1
    assert segments(read_rankings(table), metrics=["llm"], higher=["llm"], rng=1).value[0, 0] == 1


def test_metrics_are_those_wanted_in_the_order_asked_for(table):
    assert segments(table).metrics == ("llm", "year")
    assert segments(table, metrics=["year", "llm"]).metrics == ("year", "llm")
    made = [scores(name, [(3,), (2,), (1,)]) for name in ("a", "b")]
    assert segments(JUDGED, made, metrics=["b"]).metrics == ("b",)


def test_lower_is_better_of_what_people_say_too(tmp_path):
    path = tmp_path / "de-en.hter.seg.score"
    path.write_text("A\t0.1\nB\t0.3\nC\t0.5\n")
    metric = scores("m", [(3,), (2,), (1,)])
    assert segments(path, metric, rng=1).value[0, 0] == -1
    found = segments(path, metric, lower="hter", rng=1)
    assert found.value[0, 0] == 1
    assert "higher:m | lower:human" in found.signature()
    assert segments(scores("hter", [(1,), (2,), (3,)]), metric, lower=["hter"], rng=1).value[0, 0] == 1
    assert read_rankings(path, lower="hter").table(GOLD).tolist() == [[0.1, 0.3, 0.5]]


def test_scores_are_read_with_their_direction_and_test_set(tmp_path):
    path = tmp_path / "ter.seg.scr"
    path.write_text("".join(f"TER\tx-y\t{of}\t{s}\t1\t{i}\n" for of in "uv" for i, s in enumerate("ABC")))
    [ter] = read_segment_scores(path, lower="TER", test_set="u")
    assert (ter.metric, ter.higher_is_better) == ("TER", False)
    assert segments(JUDGED, path, lower="TER", test_set="v", rng=1).value[0, 0] == 1
    with pytest.raises(UnknownName, match="metric 'BLEU'"):
        read_segment_scores(path, lower="BLEU", test_set="u")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"higher": "m"}, UnknownName, "judgments 'm'"),
        ({"lower": "TER"}, UnknownName, "metric 'TER'"),
        ({"higher": "rank", "lower": "rank"}, ParameterError, "rank .*higher .*lower"),
        ({"lines": "here"}, ParameterError, "not a file, .*lines"),
        ({"duplicates": "twice"}, ParameterError, "duplicates is 'twice'"),
        ({"test_set": "news"}, ParameterError, "test_set selects scores"),
        ({"metrics": ["n"]}, UnknownName, "metric 'n'"),
        ({"metrics": []}, ParameterError, "metrics is empty"),
    ],
)
def test_directions_of_nothing_are_refused(options, error, message):
    for function in (segments, decisions):
        with pytest.raises(error, match=message):
            function(JUDGED, METRIC, **options)


def test_a_reader_refuses_a_direction_of_no_column(table):
    with pytest.raises(UnknownName, match="'lmm'; did you mean llm"):
        read_rankings(table, lower="lmm")


def test_every_reader_that_the_page_names_is_public():
    page = (ROOT / "docs" / "agreement.md").read_text("utf-8")
    named = set(re.findall(r"\| `(read_\w+)` \|", page))
    assert named == {name for name in rs.agreement.__all__ if name.startswith("read_")}
    assert rs.read_rankings is read_rankings
    assert rs.Rankings is Rankings
    assert rs.MetricScores is MetricScores


# Refused

JUDGED, METRIC = people([(1, 2, 3)]), scores("m", [(3,), (2,), (1,)])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"statistic": "wtm12"}, UnknownName, "did you mean wmt1"),
        ({"grouping": "systems"}, ParameterError, "grouping is 'systems'"),
        ({"gold": "human"}, UnknownName, "judgments 'human'"),
        ({"pairs": ["de-en"]}, UnknownName, "language pair 'de-en'"),
        ({"pairs": []}, ParameterError, "pairs is empty"),
        ({"epsilon": -1}, ParameterError, "epsilon is -1"),
        ({"epsilon": "best"}, ParameterError, "epsilon is 'best'"),
        ({"epsilon": "calibrated", "statistic": "wmt13"}, ParameterError, "leaves pairs out"),
        (
            {"epsilon": "calibrated", "grouping": "system"},
            ParameterError,
            "epsilon='calibrated' cannot be combined with grouping='system'",
        ),
        ({"epsilon": 1, "statistic": "pearson"}, ParameterError, "epsilon cannot be combined with statistic='pearson'"),
        ({"statistic": "pearson"}, ParameterError, "these are ranks"),
        ({"statistic": "kendall_b", "grouping": "system"}, ParameterError, "group by segment"),
        ({"statistic": "darr"}, ParameterError, "differ .*25"),
        ({"n_resamples": 0}, ParameterError, "n_resamples is 0"),
        ({"confidence_level": 1}, ParameterError, "confidence_level is 1"),
        ({"rng": "x"}, ParameterError, "rng is 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        segments(JUDGED, METRIC, **options)


@pytest.mark.parametrize(
    ("judgments", "metrics", "error", "message"),
    [
        (JUDGED, (), InputError, "no metric"),
        (JUDGED, [3], ParameterError, "scores hold int"),
        ([1], METRIC, ParameterError, "judgments are list"),
        (JUDGED.select([]), METRIC, InputError, "there is no judgment"),
        (JUDGED, MetricScores("m", {"": PairScores.of({"Z": [1]})}), InputError, "no system"),
        (scores("human", [(None,), (None,)]), METRIC, InputError, "no score"),
        (
            replace(JUDGED, columns={"one": JUDGED.column("rank"), "two": JUDGED.column("rank")}),
            (),
            ParameterError,
            "which column",
        ),
    ],
)
def test_input_that_cannot_be_compared_is_refused(judgments, metrics, error, message):
    with pytest.raises(error, match=message):
        segments(judgments, metrics)


def test_every_statistic_gives_a_value_in_its_range_and_rises_with_agreement():
    for statistic in SEGMENT_STATISTICS:
        gold, _, human, _ = random_scores(segments=15)
        human = replace(human, pairs={"x-y": replace(human.pairs["x-y"], values=30 * gold)})
        for grouping in SEGMENT_GROUPINGS:
            itself = segments(human, replace(human, metric="itself"), statistic=statistic, grouping=grouping, rng=1)
            against = segments(
                human,
                MetricScores("against", {"x-y": replace(human.pairs["x-y"], values=-30 * gold)}),
                statistic=statistic,
                grouping=grouping,
                rng=1,
            )
            if statistic != "kendall_c":
                assert itself.value[0, 0] == pytest.approx(1)
            assert -1 <= against.value[0, 0] < itself.value[0, 0] <= 1


def test_pairs_are_those_that_a_loop_counts():
    gold, metric, human, scored = random_scores(seed=9)
    concordant = discordant = 0
    for x, y in zip(gold.T, metric.T, strict=True):
        for i, j in combinations(range(4), 2):
            if np.isnan(y[i]) or np.isnan(y[j]) or x[i] == x[j]:
                continue
            right = (x[i] - x[j]) * (y[i] - y[j]) > 0
            concordant, discordant = concordant + right, discordant + (not right)
    found = segments(human, scored, rng=1)
    assert found.value[0, 0] == pytest.approx((concordant - discordant) / (concordant + discordant))


def test_a_language_pair_without_any_score_of_a_metric_has_no_value():
    judged = people([[1, 2, 3], [3, 2, 1]], segment=["1", "1"], pair=["x", "y"])
    judged = judged.with_column("human", -judged.column("rank"), higher_is_better=True)
    for statistic in SEGMENT_CORRELATIONS:
        found = segments(judged, scores("m", [[3], [2], [0]], "x"), gold="human", statistic=statistic, rng=1)
        assert found.value[0, 0] > 0.9
        assert np.isnan(found.value[0, 1])
