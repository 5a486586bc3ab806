"""merge_rankings: the worked example, intervals, voters, one against one, and what is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Votes
from rankscope.consensus import METHODS, Method, merge_rankings
from rankscope.consensus.intervals import (
    FEWEST_AFFORDABLE,
    MAX_STEPS,
    affordable_draws,
    best_and_worst_places,
    without_nan,
)
from rankscope.consensus.registry import WORK, method_by_name, parameters_of, steps_of
from rankscope.errors import InputError, ParameterError, UnknownName

SENTENCES = Messages("consensus")

WORKED = [["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]


def noisy(voters: int, items: int, noise: float, seed: int = 0) -> Votes:
    """Voters who see one true order, each through noise."""
    seen = np.arange(items) + noise * np.random.default_rng(seed).normal(size=(voters, items))
    return Votes(ranks=seen.argsort(1).argsort(1) + 1.0, items=tuple(f"i{i:02d}" for i in range(items)))


# The issue's example


def test_the_worked_example_of_the_issue() -> None:
    found = merge_rankings(WORKED, "borda", rng=1)
    assert found.order == ("A", "B", "C")
    # N minus rank, summed: A 2 + 2 + 1, B 1 + 0 + 2, C 0 + 1 + 0
    assert [record[:3] for record in found.records()] == [("A", 1.0, 5.0), ("B", 2.0, 3.0), ("C", 3.0, 1.0)]
    assert found.condorcet_winner == "A"
    assert found.smith_set == ("A",)
    # rank sums 4, 6, 8: S = 8, W = 12 S / (9 * 24)
    assert found.voters.concordance.w == pytest.approx(12 * 8 / (9 * 24))
    # taus of the pairs of voters: 1/3, 1/3, -1/3
    assert found.voters.mean_tau == pytest.approx((1 / 3 + 1 / 3 - 1 / 3) / 3)
    assert found.voters.with_others.tolist() == pytest.approx([1 / 3, 0, 0])
    assert found.voters.with_consensus.tolist() == pytest.approx([1, 1 / 3, 1 / 3])
    assert found.voters.most_deviant == ("2", "3")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_puts_first_what_all_put_first(method: str) -> None:
    votes = [["A", "B", "C", "D"], ["A", "C", "B", "D"], ["A", "B", "D", "C"], ["A", "D", "B", "C"]]
    parameters = {"prior": 1.0} if "prior" in parameters_of(method) else {}
    found = merge_rankings(votes, method, n_resamples=30, rng=1, **parameters)
    assert found.order[0] == "A"
    assert found.n_resamples == 30
    assert found.signature().split(" | ")[:4] == ["consensus", f"method:{found.ordering.method}", "voters:4", "items:4"]
    assert all(low <= rank <= high for _, rank, _, low, high in found.records())


# Intervals


def test_intervals_leave_out_the_places_of_items_that_are_above_or_below_in_nearly_all_draws() -> None:
    """All draws of three voters, 27 of them, against the bootstrap of many."""
    votes = Votes.of(WORKED)
    for level in (0.5, 0.8, 0.95):
        found = merge_rankings(votes, n_resamples=4000, confidence_level=level, rng=3)
        above = np.zeros((3, 3))
        for drawn in np.ndindex(3, 3, 3):
            scores = (3 - votes.places[list(drawn)]).sum(axis=0)
            above += (np.sign(scores[:, None] - scores) + 1) / 2 / 27
        beats = above >= (1 + level) / 2
        assert found.low.tolist() == (1 + beats.sum(axis=0)).tolist()
        assert found.high.tolist() == (3 - beats.sum(axis=1)).tolist()


@given(st.integers(2, 8), st.integers(20, 60), st.sampled_from([0.5, 0.8, 0.95, 0.999]), st.integers(0, 99))
def test_places_in_draws_are_those_of_a_naive_count(items: int, draws: int, level: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = np.rint(np.arange(items) / 2 + rng.normal(size=(draws, items))).astype(np.int32)
    low, high = best_and_worst_places(ranks, level)
    for i in range(items):
        above = below = 0
        for j in range(items):
            wins = sum(1.0 if row[i] < row[j] else 0.5 if row[i] == row[j] else 0.0 for row in ranks.tolist())
            below += i != j and wins / draws >= (1 + level) / 2 - 1e-9
            above += i != j and (draws - wins) / draws >= (1 + level) / 2 - 1e-9
        assert (low[i], high[i]) == (1 + above, items - below)


def test_voters_of_one_mind_leave_no_room() -> None:
    found = merge_rankings([["A", "B", "C"]] * 12, rng=1)
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3]
    assert found.notes == ()


def test_more_voters_make_narrower_intervals() -> None:
    widths = []
    for voters in (10, 100, 400):
        found = merge_rankings(noisy(voters, 10, 4.0), rng=1)
        widths.append((found.high - found.low).sum())
    assert widths[0] > widths[1] > widths[2]


def test_an_interval_never_leaves_out_the_rank_itself() -> None:
    """A drawn voter often counts twice and breaks a tie; the tie itself is rank 1."""
    found = merge_rankings([["A", "B"], ["B", "A"]] * 10, n_resamples=500, rng=2)
    assert found.ordering.ranks.tolist() == [1, 1]
    assert (found.low <= found.ordering.ranks).all()
    assert (found.high >= found.ordering.ranks).all()


def test_few_voters_are_noted() -> None:
    (note,) = merge_rankings(WORKED, rng=1).notes
    assert mentions(note, "only 3 voters", "intervals")
    assert merge_rankings(WORKED, n_resamples=0).notes == ()


def test_without_intervals_there_is_none() -> None:
    found = merge_rankings(WORKED, n_resamples=0, rng=1)
    assert all(math.isnan(low) and math.isnan(high) for *_, low, high in found.records())
    assert "interval" not in str(found)
    assert found.sections()[0].figure is None


def test_the_same_seed_gives_the_same_and_another_one_is_shown() -> None:
    votes = noisy(12, 8, 5.0)
    a, b = (merge_rankings(votes, rng=7, n_resamples=200) for _ in range(2))
    assert list(a.records()) == list(b.records())
    assert_same_bits(a.voters.concordance, b.voters.concordance)
    drawn = merge_rankings(votes, n_resamples=200)
    assert f"rng:{drawn.settings.seed}" in drawn.signature()


def test_work_that_would_take_long_is_cut_by_a_rule_that_is_told() -> None:
    assert affordable_draws(1, 2) == (1000, ())
    compared = 2**2 / 2  # the ranks of two items
    assert affordable_draws(MAX_STEPS / 1000 - compared, 2) == (1000, ())
    count, notes = affordable_draws(MAX_STEPS / 500 - compared, 2)
    assert count == 500
    assert mentions(notes[0], "intervals", 500, "1,000", "--resamples", "n_resamples")
    assert affordable_draws(MAX_STEPS / FEWEST_AFFORDABLE - compared, 2)[0] == FEWEST_AFFORDABLE
    count, notes = affordable_draws(MAX_STEPS, 2)
    assert count == 0
    assert mentions(notes[0], "no intervals", "1,000", "--resamples", "n_resamples")
    assert affordable_draws(1, 4000)[0] == 499  # 8 million comparisons in each draw, and one step
    assert affordable_draws(1, 10_000)[0] == 0


def test_pairwise_methods_of_very_many_items_have_no_interval_unless_asked_for() -> None:
    votes = noisy(10, 1100, 50.0)
    assert steps_of(method_by_name("copeland"), votes) == (20 + 1) * 1100**2 > MAX_STEPS / FEWEST_AFFORDABLE
    found = merge_rankings(votes, "copeland", rng=1)
    assert found.n_resamples == 0
    assert mentions(found.notes[0], "no intervals")
    asked = merge_rankings(votes, "copeland", n_resamples=20, rng=1)
    assert asked.n_resamples == 20


def test_steps_grow_with_voters_and_items() -> None:
    for work in WORK.values():
        assert work(5, 10) < work(10, 10) < work(10, 20)


def test_an_item_without_a_score_comes_last_in_that_draw() -> None:
    scores = np.array([[3.0, np.nan, 1.0]])
    assert without_nan(scores, True)[0, 1] < 1
    assert without_nan(scores, False)[0, 1] > 3
    assert without_nan(np.array([[1.0, 2.0]]), True).tolist() == [[1.0, 2.0]]


# Weights, partial lists


def test_a_voter_of_weight_two_counts_as_two_voters() -> None:
    once = merge_rankings(WORKED, weights=[1, 1, 2], n_resamples=0)
    twice = merge_rankings([*WORKED, WORKED[2]], n_resamples=0)
    assert once.ordering.scores.tolist() == twice.ordering.scores.tolist()
    assert " | weights:3=2 | " in once.signature()
    assert mentions(once.voters.notes, "once", "weight")


def test_weights_by_name() -> None:
    named = dict(zip(("x", "y", "z"), WORKED, strict=True))
    found = merge_rankings(named, weights={"z": 5}, n_resamples=0)
    assert found.order[0] == "B"
    assert found.votes.weights.tolist() == [1, 1, 5]


def test_partial_lists_say_how_left_out_items_count() -> None:
    found = merge_rankings([["A", "B", "C"], ["B"], ["C", "A"]], unranked="worst", n_resamples=0)
    assert found.unranked == "worst"
    assert "borda(unranked='worst')" in found.signature()
    assert mentions(found.voters.notes[0], "agreement", "tied")
    # worst: A 2 + 0 + 1, B 1 + 2 + 0, C 0 + 0 + 2
    assert [found[item] for item in "ABC"] == [3, 3, 2]


@pytest.mark.parametrize("weights", [{"1": 1.7e308, "2": 1.7e308}, {"1": 1.7e308}, {"3": 1e-310}])
def test_weights_whose_sums_are_no_numbers_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"\bweight\b.*'[13]'.* divide"):
        merge_rankings(WORKED, weights=weights)


def test_very_large_and_very_small_weights_leave_mallows_theta_as_it_is() -> None:
    theta = merge_rankings(WORKED, "mallows", n_resamples=0).ordering.details
    for unit in (1e-300, 1e300):
        found = merge_rankings(WORKED, "mallows", weights=[unit] * 3, n_resamples=0).ordering.details
        for name in ("theta", "standard error of theta", "mean distance"):
            assert found[name] == pytest.approx(theta[name])


def test_draws_without_a_maximum_are_counted_in_a_note() -> None:
    """Four voters, of which A is above B by two: a draw of either two alone has no maximum, 2 (1/2)^4 of all."""
    found = merge_rankings([["A", "B"], ["A", "B"], ["B", "A"], ["B", "A"]], "plackett-luce", n_resamples=2000, rng=1)
    (said,) = [note for note in found.notes if "no solution" in note]
    count = int(re.search(r"(\d+) of 2,000", said)[1])
    assert 0.125 * 2000 - 4 * 15 < count < 0.125 * 2000 + 4 * 15  # sqrt(2000 / 8 * 7 / 8) = 15
    assert mentions(said, "always", "never", "prior", 0.001)
    prior = merge_rankings([["A", "B"], ["B", "A"]], "plackett-luce", prior=1.0, n_resamples=20, rng=1)
    assert not any("no solution" in note for note in prior.notes)


# One against one


def test_a_circle_has_no_winner() -> None:
    circle = [["A", "B", "C", "D"], ["B", "C", "A", "D"], ["C", "A", "B", "D"]]
    found = merge_rankings(circle, n_resamples=0)
    assert found.condorcet_winner is None
    assert found.smith_set == ("A", "B", "C")
    SENTENCES.check("three win in a circle", found.sections()[2].sentence)
    found = merge_rankings([row[:3] for row in circle], n_resamples=0)
    SENTENCES.check("all win in a circle", found.sections()[2].sentence)


def test_borda_may_have_another_first_than_the_majority() -> None:
    votes = [["A", "B", "C"]] * 3 + [["B", "C", "A"]] * 2
    found = merge_rankings(votes, n_resamples=0)
    assert (found.order[0], found.condorcet_winner) == ("B", "A")
    SENTENCES.check("the consensus has another first", found.sections()[2].sentence)


# What is shown


def test_voters_who_tie_all_agree_on_nothing() -> None:
    found = merge_rankings([[["A", "B"]], [["A", "B"]]], n_resamples=0)
    SENTENCES.check("voters tie all items", found.sections()[1].sentence)
    assert mentions(found.sections()[0].sentence, "A and B share")


def test_one_deviant_is_named() -> None:
    votes = {voter: ["P", "Q", "R", "S"] for voter in "abcd"} | {"odd": ["S", "R", "Q", "P"]}
    found = merge_rankings(votes, rng=1)
    assert found.voters.most_deviant == ("odd",)
    assert mentions(found.sections()[1].sentence, "odd agrees least", "mean tau -1.0000")


def test_scores_of_which_lower_is_better_are_said_to_be() -> None:
    assert "lower scores are better" in str(merge_rankings(WORKED, "mean-rank", n_resamples=0))
    assert "lower scores" not in str(merge_rankings(WORKED, n_resamples=0))


@pytest.mark.parametrize(
    ("method", "parameters", "case"),
    [
        ("borda", {}, "score of borda"),
        ("borda", {"points": (3, 1)}, "score of borda with points"),
        ("mean-rank", {}, "score of mean-rank"),
        ("robust-rank", {}, "score of robust-rank"),
        ("robust-rank", {"pvalue": "none"}, "score of robust-rank without p-values"),
        ("mc2", {}, "score of mc2"),
        ("plackett-luce", {}, "score of plackett-luce"),
    ],
)
def test_it_is_said_what_a_score_is(method: str, parameters: dict[str, Any], case: str) -> None:
    SENTENCES.check(case, merge_rankings(WORKED, method, n_resamples=0, **parameters).sections()[0].notes[0])


def test_of_many_voters_the_ten_most_and_least_deviant_are_shown() -> None:
    votes = {f"v{i:02d}": ["A", "B", "C"] for i in range(24)} | {"odd": ["C", "B", "A"]}
    found = merge_rankings(votes, n_resamples=0)
    shown, folded = found.sections()[1], found.sections()[3]
    assert shown.table is not None
    assert folded.table is not None
    assert (len(shown.table.rows), shown.table.rows[-1][0]) == (20, "odd")
    assert mentions(shown.notes[0], 10, "most", "least", "--details", 25)
    assert (folded.title, folded.folded, len(folded.table.rows)) == ("All voters", True, 25)
    few = merge_rankings(dict(list(votes.items())[-20:]), n_resamples=0)
    assert len(few.sections()) == 3
    assert len(few.sections()[1].table.rows) == 20


def test_a_line_break_in_a_name_does_not_break_the_table() -> None:
    text = str(merge_rankings([["a\nb", "c\x1b[2J"]] * 3, n_resamples=0))
    assert "\na\\nb" in text
    assert "\x1b" not in text


def test_details_of_a_method_are_shown() -> None:
    found = merge_rankings(WORKED, "kemeny", n_resamples=0)
    assert mentions(found.sections()[0].notes, "distance 2", "bound 2", "gap 0")
    found = merge_rankings(WORKED, "plackett-luce", n_resamples=0)
    assert mentions(found.sections()[-1].title, "plackett-luce")
    assert found.sections()[-1].folded


# What is refused


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"method": "bordah"}, UnknownName, ("'bordah'", "borda?")),
        ({"prior": 1.0}, ParameterError, ("borda", "'prior'", "unranked", "points")),
        (
            {"unranked": "ignore"},
            ParameterError,
            ("unranked", "'ignore'", "'average', 'worst', 'optimistic'"),
        ),
        ({"n_resamples": -1}, ParameterError, ("n_resamples", -1)),
        ({"n_resamples": 19}, ParameterError, ("n_resamples", 19, 20, 0)),
        ({"confidence_level": 95}, ParameterError, ("confidence_level", 95)),
        ({"weights": [1, 2]}, InputError, ("weights", 2, 3)),
        ({"weights": {"4": 2}}, InputError, ("weight", "'4'")),
        ({"rng": "seven"}, ParameterError, ("rng", "'seven'")),
    ],
)
def test_wrong_arguments_are_told_in_one_line(arguments: dict[str, Any], error: type[Exception], said: tuple) -> None:
    with pytest.raises(error) as caught:
        merge_rankings(WORKED, **arguments)
    assert mentions(caught.value, *said)
    assert "\n" not in str(caught.value)


def test_an_unknown_item_is_told() -> None:
    with pytest.raises(InputError, match=r"'Z'.* A, B and C"):
        merge_rankings(WORKED, n_resamples=0)["Z"]


def test_a_method_with_its_parameters_takes_no_others() -> None:
    method = rs.consensus.Borda(points=(3, 1))
    assert merge_rankings(WORKED, method, n_resamples=0)["A"] == 3 + 3 + 1
    with pytest.raises(ParameterError, match=r"\bunranked\b.*\bmethod\b"):
        merge_rankings(WORKED, method, unranked="worst")


# The table of methods


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_the_table_is_one_by_that_name(name: str) -> None:
    found = METHODS[name]
    assert issubclass(found, Method)
    assert found.name == name
    assert found.work in WORK
    assert str(method_by_name(name)).startswith(found.name)


def test_public_names_are_loaded_when_they_are_asked_for() -> None:
    for name in rs.consensus.__all__:
        assert getattr(rs.consensus, name) is not None
    assert dir(rs.consensus) == sorted(rs.consensus.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'bordah'"):
        _ = rs.consensus.bordah
