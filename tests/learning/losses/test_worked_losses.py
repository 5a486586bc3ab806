"""Every loss on a list small enough for a calculator, the expected value written as arithmetic."""

from math import e, exp, log, log2

import numpy as np
import pytest
from helpers.losses import called

from rankscope.learning import LOSSES
from rankscope.learning.losses import parse_loss

#: The scores of three documents with grades 2, 0, 1: the second stands first, then the first, then the third.
SCORES, GRADES = [1.0, 2.0, 0.0], [2, 0, 1]
Z = e + e**2 + 1  # of softmax(scores)
Y = e**2 + 1 + e  # of softmax(grades)
BEST = 3 / log2(2) + 1 / log2(3)  # the ideal DCG of gains 3, 1, 0
LAST = 1 / log2(4)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def bent(x):
    """What a pair that is x apart costs RankNet."""
    return log(1 + exp(-x))


#: The smooth ranks of the three at temperature 1: 1 + how far each other one is ahead.
SMOOTH = (1 + sigmoid(1) + sigmoid(-1), 1 + sigmoid(-1) + sigmoid(-2), 1 + sigmoid(1) + sigmoid(2))

WORKED = {
    # Cao et al. (2007), section 4.3: minus the sum of softmax(grade) log softmax(score)
    "listnet": -(e**2 / Y * log(e / Z) + 1 / Y * log(e**2 / Z) + e / Y * log(1 / Z)),
    # Bruch et al. (2019), equation 2, shares 2/3, 0, 1/3
    "softmax_cross_entropy": -(2 / 3 * log(e / Z) + 1 / 3 * log(1 / Z)),
    # Bruch (2021): shares of 2 ** grade - 1, 3/4 and 1/4
    "softmax_cross_entropy(gain='exp')": -(3 / 4 * log(e / Z) + 1 / 4 * log(1 / Z)),
    # Xia et al. (2008): the first of three, then the third of what is left; two stages
    "listmle": -(log(e / Z) + log(1 / (1 + e**2))) / 2,
    "listmle(lowest=True)": -(log(e / Z) + log(1 / (1 + e**2)) + log(1)) / 3,
    "listmle(k=1)": -log(e / Z),  # Xia et al. (2009): only the first stage
    # Lan et al. (2014): stage i of 3 counts 2 ** (3 - i) - 1 = 3, 1, 0
    "listmle(stages='position')": -(3 * log(e / Z) + 1 * log(1 / (1 + e**2))) / 4,
    # Burges et al. (2005), equation 3: pairs 1-2, 1-3, 3-2 are -1, 1, -2 apart
    "ranknet": (bent(-1) + bent(1) + bent(-2)) / 3,
    "ranknet(weights='grades')": (2 * bent(-1) + 1 * bent(1) + 1 * bent(-2)) / 4,
    "ranknet(weights='gains')": (3 * bent(-1) + 2 * bent(1) + 1 * bent(-2)) / 6,
    "ranknet(sigma=2.0)": (bent(-2) + bent(2) + bent(-4)) / 3,
    "ranksvm": (2 + 0 + 3) / 3,  # Joachims (2002): 1 - (-1), 1 - 1, 1 - (-2)
    # Burges (2010): |change of the reciprocal rank| of 1/2 when the first place is given to a relevant one, else 0
    "lambdarank(measure='RR')": (1 / 2 * bent(-1) + 0 * bent(1) + 1 / 2 * bent(-2)) / log(2),
    "lambdarank": (
        3 * abs(1 / log2(3) - 1) * bent(-1) + 2 * abs(1 / log2(3) - LAST) * bent(1) + abs(LAST - 1) * bent(-2)
    )
    / BEST
    / log(2),
    # Wang et al. (2018), NDCG-Loss 1: gain 3 at rank 2 against all three, gain 1 at rank 3 against all three
    "lambdaloss(kind='1')": (
        3 / log2(3) * (bent(0) + bent(-1) + bent(1)) + 1 / log2(4) * (bent(-1) + bent(-2) + bent(0))
    )
    / BEST
    / log(2),
    # NDCG-Loss 2: the gains differ by 3, 2, 1; ranks by 1, 1, 2
    "lambdaloss(kind='2')": (
        3 * (1 - 1 / log2(3)) * bent(-1) + 2 * (1 - 1 / log2(3)) * bent(1) + 1 * (1 / log2(3) - LAST) * bent(-2)
    )
    / BEST
    / log(2),
    # NDCG-Loss 2++ with mu 10: the change of discounts and ten times that of kind 2
    "lambdaloss": (
        3 * ((1 - 1 / log2(3)) + 10 * (1 - 1 / log2(3))) * bent(-1)
        + 2 * ((1 / log2(3) - LAST) + 10 * (1 - 1 / log2(3))) * bent(1)
        + 1 * ((1 - LAST) + 10 * (1 / log2(3) - LAST)) * bent(-2)
    )
    / BEST
    / log(2),
    # Qin et al. (2010), equations 11 and 12
    "approxndcg(temperature=1.0)": 1 - (3 / log2(1 + SMOOTH[0]) + 1 / log2(1 + SMOOTH[2])) / BEST,
    "approxmrr(temperature=1.0)": 1 - (1 / SMOOTH[0] + 1 / SMOOTH[2]) / 2,
    # Grover et al. (2019), equation 5, without balancing; the sums of differences are 2, 3, 3; rows by rank
    "neuralndcg(rounds=0)": 1
    - sum(
        (3 * exp(a * 1 - 2) + 1 * exp(a * 0 - 3)) / (exp(a * 1 - 2) + exp(a * 2 - 3) + exp(a * 0 - 3)) / log2(rank + 1)
        for rank, a in ((1, 2), (2, 0), (3, -2))
    )
    / BEST,
    "squared": ((1 - 2) ** 2 + (2 - 0) ** 2 + (0 - 1) ** 2) / 3,
    # Rennie and Srebro (2005), thresholds .5, 1.5, 2.5: how far each score is on the right side of each
    "ordinal": (
        (bent(0.5) + bent(-0.5) + bent(1.5))
        + (bent(-1.5) + bent(-0.5) + bent(0.5))
        + (bent(-0.5) + bent(1.5) + bent(2.5))
    )
    / 3,
}


@pytest.mark.parametrize("name", WORKED)
def test_the_value_is_that_of_the_arithmetic(name):
    value, _ = called(parse_loss(name), np.array(SCORES), np.array(GRADES), np.array([0, 3]))
    assert value == pytest.approx(WORKED[name])


@pytest.mark.parametrize("name", WORKED)
def test_a_list_counts_as_much_as_another_one(name):
    scores, grades = np.array([*SCORES, 0.5]), np.array([*GRADES, 1])
    value, gradient = called(parse_loss(name), scores, grades, np.array([0, 3, 4]))
    alone, one = called(parse_loss(name), np.array([0.5]), np.array([1]), np.array([0, 1]))
    assert value == pytest.approx((WORKED[name] + alone) / 2)
    assert gradient[3:] == pytest.approx(one / 2)


def test_every_loss_is_worked():
    assert {parse_loss(name).name for name in WORKED} == set(LOSSES), "add its value to WORKED"


# TF-Ranking's documentation of ApproxNDCGLoss shows these two (it gives minus nDCG).


@pytest.mark.parametrize(
    ("scores", "grades", "offsets", "shown"),
    [
        ([0.6, 0.8], [1, 0], [0, 2], 0.655107),
        ([0.6, 0.8, 0.5, 0.8, 0.4], [1, 0, 0, 1, 0], [0, 2, 5], 0.80536866),
    ],
)
def test_approxndcg_is_that_of_the_documentation_of_tensorflow_ranking(scores, grades, offsets, shown):
    value, _ = parse_loss("approxndcg")(np.array(scores), np.array(grades), np.array(offsets))
    assert 1 - value == pytest.approx(shown, abs=1e-6)
