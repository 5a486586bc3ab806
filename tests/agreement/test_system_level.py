"""Metrics against people on systems: scores by hand, peers, the bootstrap as a loop, sets that differ, refusals."""

from __future__ import annotations

import zlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope import MetricScores, PairScores, Preferences, Rankings
from rankscope.agreement import systems
from rankscope.agreement.settings import RULES
from rankscope.agreement.statistics import SYSTEM_CORRELATIONS, SYSTEM_STATISTICS, outlying_systems, system_statistic
from rankscope.agreement.statistics.system_statistics import count_concordant_pairs
from rankscope.agreement.system_level import ALL
from rankscope.agreement.system_scores import mean_sums, share_sums, win_sums
from rankscope.consensus.models import fit_preferences
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.resample import bootstrap_indices, draw
from rankscope.stats import correlation_test

NAMES = ("A", "B", "C", "D", "E")


def people(judgments, segment=None, pair=None):
    """Ranks of the systems, a list a judgment; segment, pair: of each."""
    found = Rankings.of([dict(zip(NAMES, ranks, strict=False)) for ranks in judgments], name="rank")
    labels = {"segment": Labels.of(segment)} if segment else {}
    return replace(found, **labels, **({"pair": Labels.of(pair)} if pair else {}))


def given_scores(name, values, pair="", score=True):
    return MetricScores.of(name, {pair: dict(zip(NAMES, values, strict=False))}, higher_is_better=score)


def segment_scores(name, table, pair="", score=True):
    """A list of scores a system, by segment."""
    return MetricScores(name, {pair: PairScores.of(dict(zip(NAMES, table, strict=False)))}, score)


def random_judgments(seed, n=40, systems=4, pair=""):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 4, (n, systems)).astype(float)
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    found = people(ranks.tolist(), segment=[str(i) for i in rng.integers(1, 21, n)])
    return replace(found, pair=Labels.of([pair] * n))


# Human scores


def test_scores_from_rankings_by_hand():
    # A before B; A as good as B; B before A; A before B, and C last twice.
    judged = people([(1, 2), (1, 1), (2, 1), (1, 2, 3), (1, 1, 2)])
    wins = {"A": 2 + 2, "B": 1 + 2, "C": 0}  # A beats B twice and C twice; B beats A once and C twice
    losses = {"A": 1, "B": 2, "C": 2 + 2}
    ties = {"A": 2, "B": 2, "C": 0}
    found = {rule: win_sums(judged, "rank", "ABC", rule).values for rule in RULES[:3]}
    assert found["wins"] == pytest.approx([wins[s] / (wins[s] + losses[s]) for s in "ABC"])
    assert found["better_or_equal"] == pytest.approx(
        [(wins[s] + ties[s]) / (wins[s] + losses[s] + ties[s]) for s in "ABC"]
    )
    assert found["expected_wins"] == pytest.approx([(2 / 3 + 2 / 2) / 2, (1 / 3 + 2 / 2) / 2, 0])


def test_the_strengths_are_those_of_the_leaderboard():
    judged = random_judgments(3)
    fitted = fit_preferences(Preferences.from_rankings(judged, "rank"))
    order = [fitted.systems.index(name) for name in "DABC"]
    assert win_sums(judged, "rank", "DABC", "bradley_terry").values == pytest.approx(fitted.ratings[0, order])
    result = systems(judged, given_scores("m", [3, 1, 2, 4]), human="bradley_terry", statistic="pearson", rng=1)
    assert result.low[0, 0] < result.value[0, 0] < result.high[0, 0]


def test_not_ranked_is_no_rank_for_any_rule():
    judged = people([(1, -1, 2), (1, 2, 3), (2, 1, 3), (3, 2, 1)])
    for rule in RULES:
        found = systems(judged, given_scores("m", [3, 2, 1]), human=rule, rng=1)
        blank = systems(
            people([(1, None, 2), (1, 2, 3), (2, 1, 3), (3, 2, 1)]), given_scores("m", [3, 2, 1]), human=rule, rng=1
        )
        assert found.human[0] == pytest.approx(blank.human[0])
        assert mentions(found.notes, 1, "rank is -1")


def test_wins_that_do_not_connect_all_systems_are_refused_without_a_prior():
    judged = people([(1, 2), (1, 2)], pair=["de-en"] * 2)
    scores = given_scores("m", [2, 1], pair="de-en")
    with pytest.raises(InputError, match=r"^de-en: .*wins do not connect"):
        systems(judged, scores, human="bradley_terry", rng=1)
    found = systems(judged, scores, human="bradley_terry", prior=0.5, rng=1)
    assert found.value[0, 0] == 1
    assert "human:bradley_terry,prior=0.5" in found.signature()


@given(st.integers(0, 10_000))
@examples(30)
def test_wins_are_those_of_a_plain_loop(seed):
    judged = random_judgments(seed, n=12)
    table = judged.table("rank")
    won, lost, tied = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    for row in table:
        for a in range(4):
            for b in range(4):
                if a != b:
                    won[a, b] += row[a] < row[b]
                    lost[a, b] += row[a] > row[b]
                    tied[a, b] += row[a] == row[b]
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = {
            "wins": won.sum(axis=1) / (won + lost).sum(axis=1),
            "better_or_equal": (won + tied).sum(axis=1) / (won + lost + tied).sum(axis=1),
            "expected_wins": np.array(
                [np.mean(row[~np.isnan(row)]) if (~np.isnan(row)).any() else np.nan for row in won / (won + lost)]
            ),
        }
    for rule, values in expected.items():
        assert win_sums(judged, "rank", "ABCD", rule).values == pytest.approx(values, nan_ok=True)


# Metric scores


def test_means_over_common_segments_and_over_each_systems_own():
    table = PairScores.of({"A": [1, 2, None], "B": [0, None, 3]})
    assert mean_sums(table, "AB", "common").values.tolist() == [1, 0]
    assert mean_sums(table, "AB", "own").values.tolist() == [(1 + 2) / 2, (0 + 3) / 2]
    with pytest.raises(InputError, match="no segment"):
        mean_sums(PairScores.of({"A": [1, None], "B": [None, 2]}), "AB", "common")


@given(st.integers(0, 10_000))
@examples(30)
def test_the_share_is_that_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (4, 6)).astype(float)
    values[rng.random(values.shape) < 0.3] = np.nan
    table = PairScores(NAMES[:4], tuple("123456"), values)
    better, all_of = np.zeros(4), np.zeros(4)
    for a in range(4):
        for b in range(4):
            for x, y in zip(values[a], values[b], strict=True):
                if a != b and not np.isnan(x + y):
                    better[a] += x >= y
                    all_of[a] += 1
    expected = np.where(all_of > 0, better / np.maximum(all_of, 1), np.nan)
    assert share_sums(table, NAMES[:4]).values == pytest.approx(expected, nan_ok=True)


def test_lower_is_better_turns_a_metric_round_but_not_its_share():
    judged = people([(1, 2, 3)] * 3, segment=list("123"))
    ter = segment_scores("TER", [(1, 1, 2), (2, 3, 4), (5, 5, 5)], score=False)
    for way in ("mean", "share"):
        found = systems(judged, ter, from_segments=way, statistic="spearman", interval="none")
        assert found.value[0, 0] == pytest.approx(1)
        assert "lower:rank,TER" in found.signature()
    bad = systems(judged, replace(ter, higher_is_better=True), statistic="spearman", interval="none")
    assert bad.value[0, 0] == pytest.approx(-1)
    assert systems(judged, replace(ter, higher_is_better=True), lower="TER", rng=1).value[0, 0] == 1


# Statistics


def test_correlations_are_scipys():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 9))
    y[3] = y[4]
    for name, peer in zip(SYSTEM_CORRELATIONS, (stats.pearsonr, stats.spearmanr, stats.kendalltau), strict=True):
        assert system_statistic(x[None], y[None], name)[0] == pytest.approx(peer(x, y)[0])


@given(st.integers(0, 10_000), st.integers(2, 7))
@examples(30)
def test_pairs_alike_are_those_of_a_plain_loop(seed, n):
    x, y = np.random.default_rng(seed).integers(0, 4, (2, 3, n)).astype(float)
    for a, b, found in zip(x, y, count_concordant_pairs(x, y), strict=True):
        assert found == sum(np.sign(a[i] - a[j]) == np.sign(b[i] - b[j]) for i, j in combinations(range(n), 2))


def test_pairwise_accuracy_is_pooled_over_language_pairs_and_averaged():
    judged = MetricScores.of("human", {"a-b": {"A": 3, "B": 2, "C": 1}, "c-d": {"A": 1, "B": 2}})
    metric = MetricScores.of("m", {"a-b": {"A": 2, "B": 3, "C": 1}, "c-d": {"A": 1, "B": 2}})
    found = systems(judged, metric)
    assert found.value.tolist() == [[2 / 3, 1]]
    rows = {row[1]: row[3:] for row in found.records()}
    assert rows[ALL][0] == pytest.approx((2 + 1) / (3 + 1))
    assert rows[ALL][-1] == 3 + 1
    assert rows["average"][0] == pytest.approx((2 / 3 + 1) / 2)
    assert mentions(found.notes, "2 systems", "c-d")
    assert ALL not in {row[1] for row in systems(judged, metric, statistic="spearman").records()}


def test_the_average_may_be_of_absolute_values_and_weighted():
    judged = MetricScores.of("human", {p: {"A": 1, "B": 2, "C": 3, "D": 4} for p in ("a-b", "c-d")})
    metric = MetricScores.of("m", {"a-b": {"A": 4, "B": 3, "C": 2, "D": 1}, "c-d": {"A": 1, "B": 3, "C": 2, "D": 4}})
    spearman = 1 - 6 * 2 / (4 * 15)
    plain = systems(judged, metric, statistic="spearman")
    assert plain.average[0] == pytest.approx((-1 + spearman) / 2)
    absolute = systems(judged, metric, statistic="spearman", absolute=True)
    assert absolute.average[0] == pytest.approx((1 + spearman) / 2)
    assert "statistic:spearman,absolute" in absolute.signature()
    weighted = systems(judged, metric, statistic="spearman", weights={"a-b": 0.25, "c-d": 0.75})
    assert weighted.average[0] == pytest.approx(-0.25 + 0.75 * spearman)
    assert "weights:a-b=0.25,c-d=0.75" in weighted.signature()


def test_soft_pairwise_accuracy_is_one_for_people_themselves():
    rng = np.random.default_rng(4)
    table = rng.normal(size=(4, 30)) + np.arange(4)[:, None]
    human = segment_scores("human", table.tolist())
    same = segment_scores("same", table.tolist())
    other = segment_scores("other", (-table).tolist())
    found = systems(human, [same, other], statistic="soft_pairwise_accuracy", rng=1, n_resamples=200)
    assert found.value[0, 0] == 1
    assert found.value[1, 0] < 0.3
    assert found.n.tolist() == [[6], [6]]
    assert np.isnan(found.low).all()
    assert "permutations:200" in found.signature()
    with pytest.raises(ParameterError, match=r"scores of segments .*BLEU"):
        systems(human, given_scores("BLEU", [1, 2, 3, 4]), statistic="soft_pairwise_accuracy")


# Outliers


def test_far_from_the_rest_is_beyond_two_and_a_half_median_deviations():
    values = np.array([1.0, 2, 3, 4, 5])  # median 3, absolute deviations 2 1 0 1 2, their median 1
    values[-1] = 3 + 2.5 * 1.483 - 0.01
    assert not outlying_systems(values).any()
    values[-1] += 0.02
    assert outlying_systems(values).tolist() == [False] * 4 + [True]
    assert not outlying_systems(np.array([1.0, 1, 1, 1, 9])).any()  # half of them are one
    assert not outlying_systems(np.array([1.0, 2, 3, 30])).any()  # too few


def test_a_system_far_from_the_rest_is_named_with_the_value_without_it():
    human, metric = [1.0, 2, 3, 4, 30], [2.0, 1, 4, 3, 50]
    found = systems(given_scores("human", human), given_scores("m", metric), statistic="pearson")
    assert found.outliers == (("E",),)
    assert found.without[0, 0] == pytest.approx(stats.pearsonr(human[:4], metric[:4])[0])
    assert found.value[0, 0] == pytest.approx(stats.pearsonr(human, metric)[0])
    assert mentions(str(found), "E is ", "2.5 deviations", "still counted")
    left = systems(given_scores("human", human), given_scores("m", metric), statistic="pearson", without_outliers=True)
    assert left.value[0, 0] == pytest.approx(stats.pearsonr(human[:4], metric[:4])[0])
    assert left.n[0, 0] == 4
    assert "outliers:skipped" in left.signature()


# Intervals


def test_the_bootstrap_is_over_segments_the_same_for_people_and_metrics():
    judged = random_judgments(5, n=30, pair="x-y")
    rng = np.random.default_rng(6)
    table = PairScores(NAMES[:4], tuple(map(str, range(1, 26))), rng.normal(size=(4, 25)))
    metric = MetricScores("m", {"x-y": table})
    found = systems(judged, metric, statistic="pearson", rng=7, n_resamples=50)
    sums = win_sums(judged, "rank", "ABCD", "wins")
    order = list(dict.fromkeys([*sums.segments, *table.segments]))
    draws = draw(np.random.default_rng([7, zlib.crc32(b"x-y")]), 50)
    values = []
    for indices in np.concatenate(list(bootstrap_indices(draws, len(order)))):
        drawn = [order[i] for i in indices]
        above = sum(sums.numerators[sums.segments.index(s)] for s in drawn if s in sums.segments)
        below = sum(sums.denominators[sums.segments.index(s)] for s in drawn if s in sums.segments)
        columns = [table.segments.index(s) for s in drawn if s in table.segments]
        values.append(stats.pearsonr((above / below)[:, 0], table.values[:, columns].mean(axis=1))[0])
    assert [found.low[0, 0], found.high[0, 0]] == pytest.approx(np.quantile(values, [0.025, 0.975]))


def test_given_scores_have_fishers_interval_or_none():
    human, metric = [1.0, 2, 3, 4, 5], [2.0, 1, 4, 3, 6]
    for statistic in SYSTEM_CORRELATIONS:
        found = systems(given_scores("human", human), given_scores("m", metric), statistic=statistic)
        peer = correlation_test(human, metric, statistic=statistic)
        assert [found.low[0, 0], found.high[0, 0]] == pytest.approx([float(peer.low), float(peer.high)])
        assert "interval:fisher,0.95" in found.signature()
    upside = [-x for x in metric]
    turned = systems(given_scores("human", human), given_scores("m", upside), statistic="pearson", absolute=True)
    plain = systems(given_scores("human", human), given_scores("m", metric), statistic="pearson")
    assert turned.low[0, 0] == max(plain.low[0, 0], 0)
    assert turned.high[0, 0] == pytest.approx(plain.high[0, 0])
    accuracy = systems(given_scores("human", human), given_scores("m", metric))
    assert np.isnan(accuracy.low).all()
    assert "interval:none" in accuracy.signature()


def test_the_same_seed_gives_the_same_interval_whatever_pairs_are_asked_for():
    judged = [random_judgments(8, pair="a-b"), random_judgments(9, pair="c-d")]
    both = replace(judged[0], **joined(judged))
    metric = MetricScores.of("m", {p: {"A": 1, "B": 3, "C": 2, "D": 4} for p in ("a-b", "c-d")})
    all_of = systems(both, metric, rng=3)
    one = systems(both, metric, pairs="c-d", rng=3)
    assert one.pairs == ("c-d",)
    assert_same_bits((one.low[0, 0], one.high[0, 0]), (all_of.low[0, 1], all_of.high[0, 1]))


def joined(parts):
    """The fields of the judgments of two language pairs in one."""
    items = len(parts[0].system)
    return {
        "pair": Labels.of([name for part in parts for name in part.pair]),
        "segment": Labels.of([name for part in parts for name in part.segment]),
        "judge": Labels.of([name for part in parts for name in part.judge]),
        "system": Labels.of([name for part in parts for name in part.system]),
        "offsets": np.append(parts[0].offsets, items + parts[1].offsets[1:]),
        "columns": {"rank": np.concatenate([part.columns["rank"] for part in parts])},
    }


# What judgments may be


def test_other_columns_of_the_judgments_are_metrics_and_a_score_of_people_is_their_mean():
    judged = people([(1, 2, 3), (1, 2, 3), (1, 3, 2)], segment=list("stu"))
    judged = judged.with_column("llm", np.array([9.0, 5, 1, 8, 4, np.nan, 7, 1, 2]), higher_is_better=True)
    found = systems(judged, statistic="spearman", over="own", rng=1)
    assert found.metrics == ("llm",)
    assert found.scores[0][0] == pytest.approx([(9 + 8 + 7) / 3, (5 + 4 + 1) / 3, (1 + 2) / 2])
    turned = systems(judged, gold="llm", statistic="spearman", over="own", rng=1)
    assert (turned.rule, turned.metrics) == ("mean", ("rank",))
    assert turned.value == pytest.approx(found.value)  # of both the order is A, B, C
    assert "human:mean(own)" in turned.signature()
    ruled = systems(judged, gold="llm", human="wins", statistic="spearman", over="own", rng=1)
    assert ruled.rule == "wins"


def test_sets_that_differ_are_refused_and_named_or_compared_where_they_meet():
    human = given_scores("human", [1, 2, 3, 4], pair="a-b")
    less = MetricScores.of("m", {"a-b": {"A": 1, "B": 2, "C": 3, "X": 5}})
    with pytest.raises(InputError) as error:
        systems(human, less)
    assert mentions(error.value, "a-b: m ", " D", 3, "--common")
    found = systems(human, less, common=True)
    assert found.systems == (("A", "B", "C"),)
    assert mentions(found.notes, "a-b: 1 system skipped", "D")
    assert mentions(found.notes, "a-b: X ", "not judge")
    more = MetricScores.of("m", {"a-b": {"A": 1, "B": 2, "C": 3, "D": 4, "X": 5}})
    extra = systems(human, more)  # nobody judged X: there is nothing to compare
    assert extra.systems == (("A", "B", "C", "D"),)
    assert len(extra.notes) == 1
    assert mentions(extra.notes, "a-b: X ", "not judge")
    assert "systems:common" in found.signature()
    with pytest.raises(InputError, match=r"\b0 systems .*human A, B, C and D; m X"):
        systems(human, MetricScores.of("m", {"a-b": {"X": 1, "Y": 2}}), common=True)


def test_language_pairs_that_a_metric_lacks_are_refused_or_left_out():
    human = MetricScores.of("human", {p: {"A": 1, "B": 2, "C": 3} for p in ("a-b", "c-d")})
    metric = given_scores("m", [1, 2, 3], pair="a-b")
    with pytest.raises(InputError, match=r"m .*'c-d', .*'a-b'"):
        systems(human, metric)
    found = systems(human, metric, common=True)
    assert found.pairs == ("a-b",)
    assert mentions(found.notes, "c-d skipped", " m ")
    with pytest.raises(InputError, match="use the same names"):
        systems(human, given_scores("m", [1, 2, 3], pair="e-f"), common=True)
    assert systems(given_scores("h", [1, 2, 3], pair="a-b"), given_scores("m", [1, 2, 3])).value[0, 0] == 1


HUMAN, METRIC = given_scores("human", [1, 2, 3, 4]), given_scores("m", [1, 2, 4, 3])


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"statistic": "spearmann"}, UnknownName, "unknown statistic 'spearmann'; did you mean spearman"),
        ({"absolute": True}, ParameterError, "absolute ... pairwise_accuracy"),
        ({"human": "wins"}, ParameterError, "already scores of systems"),
        ({"human": "elo"}, ParameterError, "human is 'elo', ... 'wins'"),
        ({"prior": 1}, ParameterError, "prior needs human='bradley_terry'"),
        ({"interval": "fisher"}, ParameterError, "interval='fisher' ... pairwise_accuracy"),
        ({"interval": "segments"}, ParameterError, "bootstrap ... scores of segments"),
        ({"weights": {"": 0.5}}, ParameterError, "weights ... 0.5, ... 1"),
        ({"weights": {"": 2, "x": -1}}, ParameterError, "weights ... x ... -1 ... 0"),
        ({"weights": {"x-y": 1}}, ParameterError, "these data have none"),
        ({"metrics": []}, ParameterError, "metrics is empty"),
        ({"metrics": "BLEU"}, UnknownName, "unknown metric 'BLEU'"),
        ({"lower": "TER"}, UnknownName, "unknown metric 'TER'"),
        ({"higher": "m", "lower": "m"}, ParameterError, "m is ... higher ... lower"),
        ({"pairs": "x-y"}, UnknownName, "unknown language pair 'x-y'"),
        ({"gold": "people"}, UnknownName, "judgments 'people'"),
        ({"duplicates": "drop"}, ParameterError, "scores of systems, ... duplicates"),
        ({"test_set": "x"}, ParameterError, "test_set selects"),
    ],
)
def test_what_is_asked_for_wrongly_is_refused(options, error, said):
    with pytest.raises(error) as caught:
        systems(HUMAN, METRIC, **options)
    assert mentions(caught.value, *said.split(" ... "))


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InputError, match=r"\bm .*\b2 .*\b4 systems"):
        systems(HUMAN, given_scores("m", [2, 2, 2, 2]))
    with pytest.raises(InputError, match=r"human .*\b2 .*\b4 systems"):
        systems(given_scores("human", [2, 2, 2, 2]), METRIC)
    with pytest.raises(InputError, match="no metric"):
        systems(HUMAN)
    with pytest.raises(ParameterError, match="scores hold int"):
        systems(HUMAN, [3])
    with pytest.raises(ParameterError, match="rank holds ranks"):
        systems(people([(1, 2, 3, 4)]), METRIC, human="mean")
    with pytest.raises(InputError, match=r"rank .*C and D"):
        systems(people([(1, 2), (None, None, 1, 1)]), METRIC)


@pytest.mark.parametrize("statistic", SYSTEM_STATISTICS[:-1])
def test_renaming_systems_and_shifting_a_metric_changes_nothing(statistic):
    judged = random_judgments(11)
    metric = given_scores("m", [3.0, 1, 2, 7])
    found = systems(judged, metric, statistic=statistic, interval="none").value
    moved = systems(
        judged, given_scores("m", [3 * x + 2 for x in (3.0, 1, 2, 7)]), statistic=statistic, interval="none"
    )
    assert moved.value == pytest.approx(found)


def test_means_that_differ_by_rounding_only_are_tied():
    human = given_scores("human", [3, 2, 1])
    # 0.1 + 0.2 is 0.30000000000000004 in a computer
    metric = segment_scores("m", [(0.1, 0.2), (0.15, 0.15), (0.1, 0.1)])
    found = systems(human, metric)
    assert found.value[0, 0] == pytest.approx(2 / 3)


def test_a_bootstrap_that_misses_the_value_gives_no_interval_and_a_note():
    # Scores that agree perfectly in the mean, and in single segments not at all: every resample agrees less.
    rng = np.random.default_rng(1)
    means, noise = np.arange(5.0)[:, None], rng.normal(size=(2, 5, 40))
    tables = means + 3 * (noise - noise.mean(axis=2, keepdims=True))
    human, metric = (segment_scores(name, table.tolist()) for name, table in zip(("human", "m"), tables, strict=True))
    found = systems(human, metric, statistic=["pearson", "pairwise_accuracy"], rng=1, n_resamples=200)
    pearson, accuracy = found.statistics
    assert pearson.value[0, 0] == pytest.approx(1)
    assert pearson.missed[0, 0]
    assert np.isnan([pearson.low[0, 0], pearson.high[0, 0]]).all()
    assert not accuracy.missed[0, 0]
    assert accuracy.low[0, 0] < accuracy.value[0, 0] == 1
    shown = [note for section in found.sections() for note in section.notes]
    assert mentions(shown, "no interval of pearson for m", "--interval fisher")
    ends = systems(human, metric, statistic="pearson", interval="fisher", rng=1)
    assert not ends.statistics[0].missed.any()
