"""Examples that are published, or small enough to be followed by hand."""

from collections.abc import Iterable

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

from rankscope import Votes
from rankscope.consensus import (
    MC1,
    MC2,
    MC3,
    MC4,
    Borda,
    Copeland,
    MeanRankAggregation,
    MedianRankAggregation,
    RankedPairs,
    Schulze,
    condorcet_loser,
    condorcet_winner,
    smith_set,
)
from rankscope.consensus.pairwise import preference_matrix, strength_levels
from rankscope.consensus.voting.schulze import widest_paths

#: The worked example of the docs.
THREE = [["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]
#: Three items in a circle, each beaten by another with the same majority.
CIRCLE = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]]


def counted(lists: Iterable[tuple[int, str]]) -> Votes:
    """Votes of letters with how many cast each."""
    weights, ballots = zip(*lists, strict=True)
    return Votes.of([list(ballot) for ballot in ballots], weights=weights)


#: Tennessee chooses its capital: Memphis, Nashville, Chattanooga, Knoxville; shares of 100 voters. The example of
#: Wikipedia's articles on Borda, Copeland, ranked pairs and Schulze.
TENNESSEE = counted([(42, "MNCK"), (26, "NCKM"), (15, "CKNM"), (17, "KCNM")])
#: Schulze 2011, section 3, and Wikipedia's article: 45 voters, 5 candidates.
SCHULZE = counted(
    [(5, "ACBED"), (5, "ADECB"), (8, "BEDAC"), (3, "CABED"), (7, "CAEBD"), (2, "CBADE"), (7, "DCEBA"), (8, "EBADC")]
)


def scores(order) -> dict[str, float]:
    return dict(zip(order.items, order.scores.tolist(), strict=True))


def test_borda_of_three_voters():
    found = Borda().order(THREE)
    assert found.order == ("A", "B", "C")
    # Number of items less the rank, summed: A 2 + 2 + 1, B 1 + 0 + 2, C 0 + 1 + 0.
    assert scores(found) == {"A": 5, "B": 3, "C": 1}
    assert found.method == "borda"


def test_mean_and_median_rank_of_three_voters():
    assert_same_numbers(
        scores(MeanRankAggregation().order(THREE)), {"A": (1 + 1 + 2) / 3, "B": (2 + 3 + 1) / 3, "C": (3 + 2 + 3) / 3}
    )
    assert scores(MedianRankAggregation().order(THREE)) == {"A": 1, "B": 2, "C": 3}


def test_tennessee_by_borda():
    # Wikipedia, "Borda count": 3, 2, 1, 0 points.
    expected = {
        "M": 42 * 3,
        "N": 42 * 2 + 26 * 3 + 15 * 1 + 17 * 1,
        "C": 42 * 1 + 26 * 2 + 15 * 3 + 17 * 2,
        "K": 26 * 1 + 15 * 2 + 17 * 3,
    }
    assert expected == {"M": 126, "N": 194, "C": 173, "K": 107}
    assert scores(Borda().order(TENNESSEE)) == expected


def test_tennessee_by_plurality_as_points():
    assert scores(Borda(points=(1,)).order(TENNESSEE)) == {"M": 42, "N": 26, "C": 15, "K": 17}


def test_tennessee_by_majorities():
    # Wikipedia, "Ranked pairs": Nashville, Chattanooga, Knoxville, Memphis.
    assert RankedPairs().order(TENNESSEE).order == Schulze().order(TENNESSEE).order == ("N", "C", "K", "M")
    assert scores(Copeland().order(TENNESSEE)) == {"M": 0, "N": 3, "C": 2, "K": 1}
    assert (condorcet_winner(TENNESSEE), condorcet_loser(TENNESSEE)) == ("N", "M")
    assert smith_set(TENNESSEE) == ("N",)


def test_pairs_of_tennessee():
    # Wikipedia, "Ranked pairs": Memphis 42 against 58 for each other, Nashville 68 and 68, Chattanooga 83.
    at = {name: i for i, name in enumerate(TENNESSEE.items)}
    found = preference_matrix(TENNESSEE)
    for above, below, votes in (("N", "M", 58), ("N", "C", 68), ("N", "K", 68), ("C", "K", 83), ("M", "C", 42)):
        assert found[at[above], at[below]] == votes
        assert found[at[below], at[above]] == 100 - votes


def in_letters(votes: Votes, matrix: np.ndarray) -> list[list[float]]:
    order = np.argsort(votes.items)
    return matrix[np.ix_(order, order)].tolist()


def test_schulzes_45_voters():
    found = Schulze().order(SCHULZE)
    assert found.order == ("E", "A", "C", "B", "D")
    assert scores(found) == {"E": 4, "A": 3, "C": 2, "B": 1, "D": 0}
    assert Schulze(strength="margins").order(SCHULZE).order == found.order


def test_pairs_and_paths_of_schulzes_45_voters():
    pairs = preference_matrix(SCHULZE)
    # Wikipedia, "Schulze method": pairwise preferences, and strengths of the strongest paths.
    assert in_letters(SCHULZE, pairs) == [
        [0, 20, 26, 30, 22],
        [25, 0, 16, 33, 18],
        [19, 29, 0, 17, 24],
        [15, 12, 28, 0, 14],
        [23, 27, 21, 31, 0],
    ]
    levels = strength_levels(pairs[None], "winning")
    strength = {int(level): votes for level, votes in zip(levels[0].ravel(), pairs.ravel(), strict=True) if level}
    paths = in_letters(SCHULZE, widest_paths(levels)[0])
    expected = [
        [None, 28, 28, 30, 24],
        [25, None, 28, 33, 24],
        [25, 29, None, 29, 24],
        [25, 28, 28, None, 24],
        [25, 28, 28, 31, None],
    ]
    assert [[None if i == j else strength[p] for j, p in enumerate(row)] for i, row in enumerate(paths)] == expected


def test_ranked_pairs_of_schulzes_45_voters():
    # From the strongest on: BD 33, ED 31, AD 30, CB 29; DC 28 would close C B D; EB 27, AC 26; BA 25 would close A C B;
    # CE 24; EA 23 would close A C E.
    found = RankedPairs().order(SCHULZE)
    assert found.order == ("A", "C", "E", "B", "D")
    assert found.notes == ()


def test_no_condorcet_winner_in_a_smith_set_of_three():
    # Wikipedia, "Smith set": 40 D A B C, 35 B C A D, 25 C A B D. A over B 65, B over C 75, C over A 60; each over D 60.
    votes = counted([(40, "DABC"), (35, "BCAD"), (25, "CABD")])
    assert set(smith_set(votes)) == {"A", "B", "C"}
    assert condorcet_winner(votes) is None
    assert condorcet_loser(votes) == "D"
    assert scores(Copeland().order(votes)) == {"D": 0, "A": 2, "B": 2, "C": 2}


def test_a_circle_of_equal_majorities_is_tied_with_a_note():
    found = RankedPairs().order(CIRCLE)
    assert found.ranks.tolist() == [1, 1, 1]
    assert mentions(found.notes[0], 3, "majorities", "'A' over 'B'")
    assert Schulze().order(CIRCLE).ranks.tolist() == [1, 1, 1]
    assert smith_set(CIRCLE) == ("A", "B", "C")


def test_what_no_circle_holds_is_locked_beside_one():
    votes = [[*ballot, "D"] for ballot in CIRCLE]
    found = RankedPairs().order(Votes.of(votes))
    assert scores(found) == {"A": 2, "B": 2, "C": 2, "D": 0}


def test_winning_votes_and_margins_differ_where_voters_tie():
    votes = Votes.of(
        [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], [["A", "C"], "B"], ["B", ["A", "C"]], ["C", ["A", "B"]]],
        weights=[3, 2, 2, 2, 4, 3],
    )
    # A over B: 3 + 2 + 2 to 2 + 4; B over C: 3 + 2 + 4 to 2 + 2 + 3; C over A: 2 + 2 + 3 to 3.
    assert preference_matrix(votes).tolist() == [[0, 7, 3], [6, 0, 9], [7, 7, 0]]
    # Winning votes 7, 9, 7: B over C is locked; A over B and C over A close a circle with it, and are equal.
    found = RankedPairs(strength="winning").order(votes)
    assert (scores(found), len(found.notes)) == ({"A": 1 / 2 + 1 / 2, "B": 1 + 1 / 2, "C": 1 / 2}, 1)
    # Margins 1, 2, 4: A over B is the weakest, so B, C, A.
    assert RankedPairs().order(votes).order == Schulze(strength="margins").order(votes).order == ("B", "C", "A")


def test_chains_of_three_voters_by_hand():
    t = 0.05
    # MC4: A wins against both, B against C. From B to A with 1/3; from C to A and to B with 1/3 each.
    c = (t / 3) / (1 - (1 - t) * 1 / 3)
    b = (t / 3 + (1 - t) * 1 / 3 * c) / (1 - (1 - t) * 2 / 3)
    assert MC4().order(THREE).scores == pytest.approx([1 - b - c, b, c])
    # MC3: of C's lists all have A above it, two have B. From C to A with 3/9, to B with 2/9; from B to A with 2/9, to C
    # with 1/9; from A to B with 1/9.
    steps = np.array([[8 / 9, 1 / 9, 0], [2 / 9, 6 / 9, 1 / 9], [3 / 9, 2 / 9, 4 / 9]])
    assert MC3().order(THREE).scores == pytest.approx(walked(steps, t), abs=1e-9)
    # MC2: C is third, second, third: to A with (1/3 + 1/2 + 1/3) / 3, to B with (1/3 + 1/3) / 3, and so on.
    steps = np.array([[1 + 1 + 1 / 2, 1 / 2, 0], [1 / 2 + 1 / 3, 1 / 2 + 1 / 3 + 1, 1 / 3], [7 / 6, 2 / 3, 7 / 6]]) / 3
    assert MC2().order(THREE).scores == pytest.approx(walked(steps, t), abs=1e-9)
    # MC1: C's multiset is A three times, B twice, C three times.
    steps = np.array([[3 / 4, 1 / 4, 0], [2 / 6, 3 / 6, 1 / 6], [3 / 8, 2 / 8, 3 / 8]])
    assert MC1().order(THREE).scores == pytest.approx(walked(steps, t), abs=1e-9)


def walked(steps: np.ndarray, teleport: float) -> list[float]:
    """How often a long walk is at each item."""
    share = np.full(len(steps), 1 / len(steps))
    for _ in range(2000):
        share = (1 - teleport) * share @ steps + teleport / len(steps)
    return share.tolist()


def test_a_lists_end_says_nothing_in_the_paper_and_something_by_the_other_rules():
    # One voter knows D only from his own list, where it is first.
    votes = [["A", "B", "C"], ["A", "B", "C"], ["A", "B", "C"], ["D", "A"]]
    assert MC3().order(votes).order[0] == "D"  # nobody who ranked D put anything above it
    assert MC3(unranked="average").order(votes).order[0] == "A"
