"""The leaderboard: worked examples, what it rests on, what it says, what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.same import assert_same_bits, assert_same_numbers
from sklearn.linear_model import LogisticRegression

import rankscope as rs
from rankscope import Preferences, Rankings, Votes, leaderboard
from rankscope.data.rankings import Labels
from rankscope.demo.rankings import ASSISTANTS, LENGTH_EFFECT, POSITION_EFFECT, preference_files
from rankscope.errors import InputError, ParameterError, UnknownName

SENTENCES = Messages("leaderboard")

#: A beats B in 3 of 4, B and C are even, A and C never met.
SMALL = [("A", "B", "A")] * 3 + [("A", "B", "B")] + [("B", "C", "B")] * 2 + [("B", "C", "C")] * 2
CHAIN = [("A", "B", "A"), ("B", "C", "B"), ("A", "C", "A")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("demo") / "demo-preferences.csv"
    path.write_text(preference_files(2003)["demo-preferences.csv"])
    return str(path)


def board(rows: Any = SMALL, **options: Any) -> Any:
    data = Preferences.of(rows) if isinstance(rows, list) else rows
    return leaderboard(data, **{"rng": 1, "n_resamples": 100, **options})


# Numbers


def test_the_ratings_of_three_systems_are_logarithms_of_their_odds() -> None:
    found = board(scale="log")
    assert found.systems == ("A", "B", "C")
    assert found.rating == pytest.approx(np.array([2, -1, -1]) * np.log(3) / 3, abs=1e-9)
    assert found.rating.sum() == pytest.approx(0)
    assert found.rank.tolist() == [1, 2, 2]
    assert found.win_rates[0, 2] == pytest.approx(3 / 4)  # as against B, with whom C is even
    assert found.wins == pytest.approx([(3 / 4 + 3 / 4) / 2, (1 / 4 + 1 / 2) / 2, (1 / 4 + 1 / 2) / 2])


def test_what_was_seen_is_beside_what_the_model_says() -> None:
    found = board()
    assert found.met.tolist() == [[0, 4, 0], [4, 0, 4], [0, 4, 0]]
    assert found.observed[0, 1] == 3 / 4
    assert np.isnan(found.observed[0, 2])


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
@pytest.mark.parametrize("interval", ["bootstrap", "information"])
def test_expected_wins_are_those_that_were_seen(model: str, interval: str, demo: str) -> None:
    """The first-order condition; for Davidson's model with ties as half wins."""
    found = leaderboard(demo, model=model, interval=interval, n_resamples=50, rng=1)
    expected = (found.win_rates * found.met).sum(axis=1)
    seen = np.nan_to_num(found.observed * found.met).sum(axis=1)
    assert expected == pytest.approx(seen, abs=1e-6)


def test_ratings_are_those_of_a_logistic_regression(demo: str) -> None:
    """As arenas compute them: every comparison twice, a tie once as a win of either side; up to a constant."""
    seen = rs.read_preferences(demo)
    n = len(seen.systems)
    design = np.zeros((len(seen), n))
    design[np.arange(len(seen)), seen.left] = np.log(10)
    design[np.arange(len(seen)), seen.right] = -np.log(10)
    won = np.concatenate([seen.outcome >= 0, seen.outcome > 0])
    fitted = LogisticRegression(fit_intercept=False, C=1e9, tol=1e-10, max_iter=1000).fit(np.vstack([design] * 2), won)
    expected = 400 * fitted.coef_[0] + 1000
    found = leaderboard(seen, n_resamples=20, rng=1)
    places = [seen.systems.index(name) for name in found.systems]
    assert found.rating - found.rating[0] == pytest.approx(expected[places] - expected[places[0]], abs=0.01)


def test_two_systems_have_the_interval_of_a_log_odds() -> None:
    rows = [("A", "B", "A")] * 60 + [("A", "B", "B")] * 40
    found = board(rows, scale="log", interval="information", n_resamples=20_000)
    error = np.sqrt(1 / 60 + 1 / 40) / 2  # of half the log-odds
    assert found.rating[0] == pytest.approx(np.log(60 / 40) / 2)
    assert (found.high[0] - found.low[0]) / 2 == pytest.approx(1.959964 * error, rel=0.03)
    drawn = board(rows, scale="log", n_resamples=4000)
    assert drawn.high[0] - drawn.low[0] == pytest.approx(2 * 1.959964 * error, rel=0.1)


def test_scales_say_the_same() -> None:
    by = {scale: board(scale=scale) for scale in ("log", "elo", "wins")}
    for end in ("rating", "low", "high"):
        elo, log = getattr(by["elo"], end), getattr(by["log"], end)
        assert elo == pytest.approx(1000 + 400 / np.log(10) * log)
    assert by["wins"].rating == pytest.approx(100 * by["wins"].wins)
    assert len({tuple(found.rank_low.tolist()) for found in by.values()}) == 1


def test_ties_of_davidson_have_a_parameter_that_says_how_many_there_are() -> None:
    rows = [("A", "B", "A")] * 30 + [("A", "B", "B")] * 30 + [("A", "B", "tie")] * 40
    found = board(rows, model="davidson")
    assert found.tie.value / (2 + found.tie.value) == pytest.approx(40 / 100)
    assert found.tie.low < found.tie.value < found.tie.high
    assert mentions(found.sections()[1].notes, "tie in 40 %")
    assert board(rows).tie is None


def test_without_a_tie_davidson_is_bradley_terry() -> None:
    found, plain = board(model="davidson"), board()
    assert found.rating == pytest.approx(plain.rating)
    assert (found.tie.value, found.tie.high) == (0, 0)
    assert mentions(found.notes, "no comparison", "Davidson", "Bradley and Terry")


def test_length_and_position_are_found_and_taken_out(demo: str) -> None:
    options = {"model": "davidson", "cluster_by": "prompt", "n_resamples": 200, "rng": 1}
    found = leaderboard(demo, covariates="length", position=True, **options)
    by_name = {one.name: one for one in found.effects}
    assert by_name["length"].low < LENGTH_EFFECT < by_name["length"].high
    assert by_name["position"].low < POSITION_EFFECT < by_name["position"].high
    assert found.systems[0] == next(iter(ASSISTANTS)) == "sage"
    assert leaderboard(demo, **options).systems[0] == "verbose"  # whose answers are long
    half = leaderboard(demo, covariates="length", position=True, interval="information", **options)
    assert_same_numbers([one.value for one in half.effects], [one.value for one in found.effects])
    assert half.effects[0].low < half.effects[0].value < half.effects[0].high


def test_votes_of_two_are_comparisons() -> None:
    votes = Votes.of([["A", "B"]] * 3 + [["B", "A"]] + [["B", "C"]] * 2 + [["C", "B"]] * 2)
    for interval in ("bootstrap", "information"):
        found = board(votes, model="plackett-luce", interval=interval, scale="log")
        assert found.rating == pytest.approx(board(scale="log").rating, abs=1e-6)
        assert found.met.tolist() == board().met.tolist()
        assert np.nan_to_num(found.observed).tolist() == np.nan_to_num(board().observed).tolist()


def test_votes_that_stop_are_behind_or_were_never_asked() -> None:
    votes = Votes.of([["A", "B"], ["B", "A", "C"], ["C", "B"], ["A", "C", "B"]])
    asked = board(votes, model="plackett-luce", prior=0.5, unranked="worst")
    among = board(votes, model="plackett-luce", prior=0.5)
    assert asked.met.sum() == 3 * 2 * 4  # every pair by every voter, since only one item is left out each time
    assert among.met.sum() < asked.met.sum()


def test_judgments_are_votes_for_plackett_luce_and_pairs_for_the_others() -> None:
    rows = [{"A": 1, "B": 2, "C": 3}, {"B": 1, "A": 2, "C": 2}, {"C": 1, "A": 2}, {"B": 1, "C": 2}] * 5
    rankings = Rankings.of(rows)
    multiway = board(rankings, model="plackett-luce")
    assert (multiway.n, multiway.n_ties) == (20, 0)
    pairs = board(rankings)
    assert (pairs.n, pairs.n_ties) == (5 * (3 + 3 + 1 + 1), 5)
    assert pairs.met.tolist() == multiway.met.tolist()
    assert "column:rank" in pairs.signature()


def test_votes_on_one_segment_are_drawn_together() -> None:
    rankings = Rankings.of([{"A": 1, "B": 2}, {"B": 1, "A": 2}, {"A": 1, "B": 2}] * 12)
    together = Rankings(**{**vars(rankings), "segment": Labels.of([str(i // 3) for i in range(36)])})
    alone = board(rankings, model="plackett-luce", scale="log")
    found = board(together, model="plackett-luce", scale="log")
    assert alone.high[0] - alone.low[0] > 0.3
    assert found.high[0] - found.low[0] < 1e-6  # every segment holds two wins and a loss
    assert "clusters" in found.signature()


def test_scores_are_compared_query_by_query() -> None:
    qrels = {f"q{i}": {"d": 1} for i in range(6)}
    first = {q: {"d": 2.0, "e": 1.0} if i < 4 else {"e": 2.0, "d": 1.0} for i, q in enumerate(qrels)}
    second = {q: {"d": 2.0, "e": 1.0} if i >= 3 else {"e": 2.0, "d": 1.0} for i, q in enumerate(qrels)}
    scores = rs.evaluate(qrels, [rs.Run(first, name="one"), rs.Run(second, name="two")], ["RR", "P@1"])
    found = leaderboard(scores, measure="RR", scale="log", rng=1)
    # one wins 3, two wins 2, one tie: odds of 3.5 to 2.5
    assert found.rating[0] - found.rating[1] == pytest.approx(np.log(3.5 / 2.5))
    assert (found.n, found.n_ties) == (6, 1)
    assert "measure:RR" in found.signature()
    with pytest.raises(ParameterError, match="by which measure"):
        leaderboard(scores)


def test_the_same_seed_gives_the_same_and_another_one_other_intervals() -> None:
    assert str(board(rng=4)) == str(board(rng=4))
    assert board(rng=4).low.tolist() != board(rng=5).low.tolist()
    assert_same_bits(board(rng=4).rating.tolist(), board(rng=5).rating.tolist())


def test_weights_are_as_many_comparisons() -> None:
    rows = [("A", "B", "A"), ("A", "B", "B"), ("B", "C", "B"), ("B", "C", "C")]
    weighted = Preferences.of(rows, weight=np.array([3.0, 1.0, 2.0, 2.0]))
    found = board(weighted, interval="information")
    assert found.rating == pytest.approx(board(interval="information").rating)
    assert found.met.tolist() == board().met.tolist()
    assert mentions(found.notes, "weights", 1, 3, 8)


def test_whole_units_are_drawn() -> None:
    rows = [("A", "B", "A"), ("A", "B", "A"), ("A", "B", "B")] * 20
    clusters = Labels.of([str(i // 3) for i in range(60)])
    alone, together = board(rows, scale="log"), board(Preferences.of(rows, cluster=clusters), scale="log")
    assert together.high[0] - together.low[0] < 1e-6 < 0.2 < alone.high[0] - alone.low[0]
    assert mentions(together.notes, "bootstrap", "clusters", 20)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    truth, hits, n = np.array([0.6, 0.0, -0.6]), 0, 40
    rng = np.random.default_rng(8)
    for trial in range(n):
        left = rng.integers(3, size=240)
        right = (left + rng.integers(1, 3, size=240)) % 3
        won = rng.random(240) < 1 / (1 + np.exp(truth[right] - truth[left]))
        seen = Preferences(systems=("A", "B", "C"), left=left, right=right, outcome=np.where(won, 1, -1))
        found = leaderboard(seen, scale="log", n_resamples=200, rng=trial)
        places = ["ABC".index(name) for name in found.systems]
        hits += int(((found.low <= truth[places]) & (truth[places] <= found.high)).sum())
    assert 0.87 <= hits / (3 * n) <= 1  # .95 of 120, give or take three standard errors and a little


# Sentences


def test_who_leads_and_who_cannot_be_told_apart_is_said() -> None:
    clear = board([("A", "B", "A")] * 90 + [("A", "B", "B")] * 10)
    SENTENCES.check("one leads", clear.sections()[0].sentence)
    close = board([("A", "B", "A")] * 6 + [("A", "B", "B")] * 5)
    SENTENCES.check("the first cannot be told apart", close.sections()[0].sentence)


def test_equal_systems_share_the_first_place() -> None:
    even = board([("A", "B", "A"), ("A", "B", "B")] * 5)
    SENTENCES.check("all are equal", even.sections()[0].sentence)
    assert even.rank.tolist() == [1, 1]
    two = board(
        [("A", "B", "A"), ("A", "B", "B")] * 5
        + [("A", "C", "A"), ("B", "C", "B")] * 9
        + [("C", "A", "C"), ("C", "B", "C")]
    )
    SENTENCES.check("two share the first place", two.sections()[0].sentence)


def test_what_never_happened_is_not_said_to_be_certain() -> None:
    found = board([("A", "B", "A")] * 999 + [("A", "B", "B")])
    assert mentions(found.sections()[0].sentence, "more than 99 %")


def test_a_side_that_wins_too_often_is_noted_unless_it_is_taken_out() -> None:
    rows = [("A", "B", "A"), ("B", "A", "B")] * 40 + [("A", "B", "B"), ("B", "A", "A")] * 10
    assert mentions(board(rows).notes, "left", "80 %", "--position")
    found = board(rows, position=True)
    assert not mentions(found.notes, "left")
    assert found.effects[0].value == pytest.approx(np.log(80 / 20))
    assert mentions(found.sections()[2].sentence, "raises the left system's odds", "4.00")


def test_nothing_is_said_of_sides_where_there_are_none() -> None:
    rankings = Rankings.of([{"A": 1, "B": 2}] * 80 + [{"A": 2, "B": 1}] * 20)
    scores = rs.evaluate(
        {f"q{i}": {"d": 1} for i in range(40)},
        [
            rs.Run({f"q{i}": {"d": 2.0, "e": 1.0 if i % 5 else 3.0} for i in range(40)}, name="one"),
            rs.Run({f"q{i}": {"d": 1.0, "e": 2.0 if i % 5 else 0.5} for i in range(40)}, name="two"),
        ],
        ["RR"],
    )
    for data in (rankings, scores):
        assert not any("left" in note for note in board(data).notes)
        with pytest.raises(ParameterError, match=r"\bposition\b.*\bleft\b"):
            board(data, position=True)


def test_units_that_lean_one_way_are_not_taken_for_as_many_comparisons() -> None:
    rows = [("A", "B", "A")] * 60 + [("A", "B", "B")] * 40
    assert not any("the left system" in note for note in board(rows).notes)  # 20 more of 100: two standard errors
    rows = [("A", "B", "A")] * 80 + [("A", "B", "B")] * 20
    assert any("the left system" in note for note in board(rows).notes)
    clusters = Labels.of([str(i // 20) for i in range(100)])  # five people, of whom four always say left
    assert not any("the left system" in note for note in board(Preferences.of(rows, cluster=clusters)).notes)


def test_resamples_without_a_solution_are_counted() -> None:
    found = board([("A", "B", "A")] * 8 + [("A", "B", "B")])
    assert found.n_lost > 0
    assert mentions(found.notes, found.n_lost, 100, "resamples")


def test_pairs_that_never_met_are_counted_and_few_units_noted() -> None:
    found = board()
    assert mentions(found.sections()[1].notes, 1, 3, "never met")
    assert mentions(found.notes, "only 8 comparisons", "intervals")


def test_a_cycle_is_found_out_not_to_fit() -> None:
    found = board([("A", "B", "A"), ("B", "C", "B"), ("C", "A", "C")] * 9)
    assert mentions(found.sections()[1].notes, "not explain", "deviance", "p < 0.0001")


def test_voters_who_rank_all_have_their_agreement() -> None:
    votes = Votes.of([["A", "B", "C"]] * 3 + [["B", "A", "C"]] * 2 + [["C", "A", "B"]])
    found = board(votes, model="plackett-luce")
    assert "Agreement of the voters" in [section.title for section in found.sections()]
    partial = board(Votes.of([["A", "B"], ["B", "A"], ["C", "A"], ["A", "C"]] * 3), model="plackett-luce")
    assert partial.voters is None


def test_many_systems_have_a_table_of_the_best() -> None:
    names = [f"s{i:02d}" for i in range(15)]
    rows = [(a, b, winner) for i, a in enumerate(names) for b in names[i + 1 :] for winner in (a, a, b)]
    found = board(rows)
    table = found.sections()[1].table
    assert table is not None
    assert len(table.rows) == len(table.columns) - 1 == 12
    assert mentions(found.sections()[1].notes, "best", 12, 15)


# What is refused


def test_systems_that_never_lost_are_named_and_a_prior_helps() -> None:
    with pytest.raises(InputError, match=r"--prior\b") as caught:
        board(CHAIN)
    assert all(name in str(caught.value) for name in "ABC")
    assert "prior=0.5 (--prior 0.5)" in str(caught.value)
    found = board(CHAIN, prior=0.5)
    assert found.systems == ("A", "B", "C")
    assert "prior:0.5" in found.signature()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "elo"}, "model is 'elo'"),
        ({"scale": "points"}, "scale is 'points'"),
        ({"interval": "exact"}, "interval is 'exact'"),
        ({"prior": -1}, "prior is -1"),
        ({"n_resamples": 5}, "n_resamples is 5"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"unranked": "best"}, "unranked is 'best'"),
        ({"measure": "AP"}, "measure is 'AP'"),
        ({"column": "rank"}, "column is 'rank'"),
        ({"cluster_by": "prompt"}, "cluster_by is 'prompt'"),
        ({"columns": {"winner": "won"}}, "columns is {'winner': 'won'}"),
        ({"covariates": "length"}, "no covariate 'length'"),
        ({"unranked": "worst"}, "unranked needs model='plackett-luce'"),
        ({"pair": "cs-en"}, "pair is 'cs-en'"),
        ({"model": "plackett-luce"}, "use model='bradley-terry'"),
        ({"model": "plackett-luce", "position": True}, "position"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        board(**options)
    assert said in str(caught.value)


def test_data_of_another_kind_are_refused() -> None:
    with pytest.raises(ParameterError, match="use model='plackett-luce'"):
        board(Votes.of([["A", "B"], ["B", "A"]]))
    with pytest.raises(ParameterError, match="type int, expected preferences"):
        board(3)
    with pytest.raises(UnknownName, match="rnak"):
        board(Rankings.of([{"A": 1, "B": 2}]), column="rnak")
    two = Rankings.of([{"A": 1, "B": 2}], name="x").with_column("y", np.array([1.0, 2.0]), higher_is_better=False)
    with pytest.raises(ParameterError, match=r"\bcolumn\b"):
        board(two)
    with pytest.raises(ParameterError, match="rankings have no covariates"):
        board(Rankings.of([{"A": 1, "B": 2}]), covariates="length")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv"):
        leaderboard(tmp_path / "none.csv")


# Scores of queries in clusters and with weights

IDS = [f"c{cluster}_{i}" for cluster in range(10) for i in range(1 + cluster % 4)]
CLUSTERS = [query.split("_")[0] for query in IDS]


def scores_of(values):
    return rs.Scores.of(
        {f"s{s}": dict(zip(IDS, row.tolist(), strict=True)) for s, row in enumerate(values)}, measures="AP"
    )


def clustered_values(seed=1):
    rng = np.random.default_rng(seed)
    between = rng.normal(size=(3, 10))[:, [int(cluster[1:]) for cluster in CLUSTERS]]
    return 0.5 + 0.1 * between + 0.05 * rng.normal(size=(3, len(IDS)))


def test_scores_with_clusters_are_rated_as_preferences_with_these_clusters():
    values = clustered_values()
    rows = [
        (f"s{a}", f"s{b}", f"s{a}" if row[a] > row[b] else f"s{b}")
        for row in values.T
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    preferences = Preferences.of(rows, cluster=Labels.of(np.repeat(CLUSTERS, 3).tolist()), sides=False)
    asked = {"scale": "log", "n_resamples": 100, "rng": 1}
    expected = rs.leaderboard(preferences, **asked)
    table = {"query": IDS, "cluster": CLUSTERS}
    scores = scores_of(values)
    for found in (
        rs.leaderboard(scores, **asked, cluster_by="^[^_]+"),
        rs.leaderboard(scores.with_queries(table), **asked),
    ):
        assert found.n_clusters == 10
        assert found.systems == expected.systems
        for name in ("rating", "low", "high"):
            assert_same_numbers(getattr(found, name), getattr(expected, name))
    assert any("--cluster-by" in note for note in rs.leaderboard(scores, **asked).notes)
    assert not any("--cluster-by" in note for note in found.notes)


def test_weights_of_queries_are_those_of_their_comparisons():
    values = clustered_values()
    weights = 1 + np.arange(len(IDS)) % 3
    weighted = scores_of(values).with_queries({"query": IDS, "weight": weights})
    repeated = rs.Scores.of(
        {
            f"s{s}": {
                f"{query} {i}": value for query, value, n in zip(IDS, row, weights, strict=True) for i in range(n)
            }
            for s, row in enumerate(values)
        },
        measures="AP",
    )
    found, expected = (rs.leaderboard(x, scale="log", n_resamples=50, rng=1) for x in (weighted, repeated))
    assert_same_numbers(
        dict(zip(found.systems, found.rating, strict=True)), dict(zip(expected.systems, expected.rating, strict=True))
    )
    with pytest.raises(ParameterError) as error:
        rs.leaderboard(weighted, interval="information")
    assert mentions(error.value, "weights", "--interval information", "bootstrap")
