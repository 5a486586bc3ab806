"""Losses of orders: ListMLE with its ties, stages and ends, and top-k ListNet, against all orders enumerated."""

from itertools import pairwise, permutations
from math import exp, log

import numpy as np
import pytest
from helpers import naive_losses as naive
from helpers.losses import differences, graded_lists, lists_of
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import ParameterError
from rankscope.learning.losses import listmle, listnet
from rankscope.learning.losses.listwise import likelihood, wide_likelihood

SCORES, GRADES = np.array([0.4, -1.0, 0.9, 0.1, -0.3]), np.array([1, 2, 1, 0, 0])
COPIES = 4000


def copies(scores, grades):
    """One list again and again, so that one call draws as often."""
    return np.tile(scores, COPIES), np.tile(grades, COPIES), np.arange(COPIES + 1) * scores.size


def orders_of(grades):
    """All orders in which grades fall."""
    found = permutations(range(len(grades)))
    return [order for order in found if all(grades[a] >= grades[b] for a, b in pairwise(order))]


@pytest.mark.parametrize(
    "parameters", [{}, {"lowest": True}, {"k": 2}, {"stages": "position"}, {"k": 2, "stages": "position"}], ids=str
)
def test_ties_by_lot_are_on_average_the_mean_over_all_orders(parameters):
    def mean(scores):
        found = [
            naive.listmle(list(scores), GRADES.tolist(), ties="random", order=order, **parameters)
            for order in orders_of(GRADES)
        ]
        return np.mean(found), np.std(found)

    value, gradient = listmle(*copies(SCORES, GRADES), rng=np.random.default_rng(1), **parameters)
    expected, deviation = mean(SCORES)
    assert value == pytest.approx(expected, abs=4 * deviation / np.sqrt(COPIES) + 1e-12)
    parts = gradient.reshape(COPIES, -1) * COPIES
    error = parts.std(axis=0) / np.sqrt(COPIES)
    slope = differences(lambda x: mean(x)[0], SCORES)
    assert (np.abs(parts.mean(axis=0) - slope) <= 4 * error + 1e-8).all()


def test_ties_by_lot_are_drawn_anew_and_the_same_for_a_seed():
    value, _ = listmle(SCORES, GRADES, np.array([0, 5]), rng=1)
    assert_same_bits(value, listmle(SCORES, GRADES, np.array([0, 5]), rng=1)[0])
    rng = np.random.default_rng(1)
    assert len({listmle(SCORES, GRADES, np.array([0, 5]), rng=rng)[0] for _ in range(20)}) == 2  # 2 orders of grade 1


@examples(40)
@given(grades=st.permutations([0, 1, 2, 3, 5]), k=st.integers(1, 6), lowest=st.booleans())
def test_without_ties_all_rules_are_one(grades, k, lowest):
    rules = [
        listmle(SCORES, np.array(grades), np.array([0, 5]), k=k, lowest=lowest, ties=t)
        for t in ("random", "efron", "breslow")
    ]
    expected = naive.listmle(SCORES.tolist(), grades, k=k, lowest=lowest, ties="random")
    for value, gradient in rules:
        assert value == pytest.approx(expected)
        assert gradient == pytest.approx(rules[0][1])


def test_efron_and_breslow_are_as_in_the_literature_of_survival():
    # Two of risk a and b die at once while c and d stay: Efron (1977) takes half of both away from the second
    # denominator, Breslow (1974) nothing.
    scores, grades = np.array([0.5, -0.2, 0.3, 0.1]), np.array([1, 1, 0, 0])
    a, b, c, d = map(exp, scores)
    efron, _ = listmle(scores, grades, np.array([0, 4]), ties="efron")
    assert efron == pytest.approx(-log(a * b / ((a + b + c + d) * ((a + b + c + d) - (a + b) / 2))) / 2)
    breslow, _ = listmle(scores, grades, np.array([0, 4]), ties="breslow")
    assert breslow == pytest.approx(-log(a * b / (a + b + c + d) ** 2) / 2)
    assert efron < breslow  # a bound from above


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_of_tied_documents_none_is_left_behind_for_its_place_in_the_file(ties):
    # Three of the highest grade and one stage: each is first in a third of the orders, so each is pulled up alike.
    scores, grades = np.array([0.5, -0.2, 0.3, 0.1]), np.array([1, 1, 0, 1])
    value, gradient = listmle(scores, grades, np.array([0, 4]), ties=ties, k=1)
    powers = np.exp(scores)
    assert value == pytest.approx(np.mean([log(powers.sum() / powers[d]) for d in (0, 1, 3)]))
    assert gradient == pytest.approx(powers / powers.sum() - np.array([1, 1, 0, 1]) / 3)


@examples(40)
@given(lists=graded_lists(), ties=st.sampled_from(["random", "efron", "breslow"]), seed=st.integers(0, 99))
def test_sums_as_logarithms_are_the_same_sums(lists, ties, seed):
    scores, _, offsets = lists
    rng = np.random.default_rng(seed)
    grades = np.concatenate([sorted(rng.integers(0, 3, n))[::-1] for n in np.diff(offsets)])
    weight = rng.random(scores.size) * (rng.random(scores.size) < 0.7)
    given_ = scores - np.repeat(np.maximum.reduceat(scores, offsets[:-1]), np.diff(offsets))
    value, gradient = likelihood(given_, weight, grades, offsets, ties)
    other, same = wide_likelihood(given_, weight, grades, offsets, ties)
    assert other == pytest.approx(value, abs=1e-12)
    assert same == pytest.approx(gradient, abs=1e-12)


@pytest.mark.parametrize("ties", ["random", "efron", "breslow"])
def test_scores_that_are_thousands_apart_keep_their_value(ties):
    # The worst first: each choice costs the distance to the best of what is left, 3000 and then 1000.
    scores, grades = np.array([0.0, 2000.0, 3000.0]), np.array([3, 2, 1])
    value, gradient = listmle(scores, grades, np.array([0, 3]), ties=ties)
    assert value == pytest.approx((3000 + 1000) / 2)
    assert gradient == pytest.approx([-0.5, -0.5, 1.0])


@examples(40)
@given(lists=graded_lists(), ties=st.sampled_from(["efron", "breslow"]), lowest=st.booleans(), k=st.integers(1, 5))
def test_ends_and_position_weights_are_those_of_the_loops(lists, ties, lowest, k):
    for parameters in ({"k": k}, {"stages": "position"}, {"k": k, "stages": "position"}):
        value, _ = listmle(*lists, ties=ties, lowest=lowest, **parameters)
        loops = [naive.listmle(*one, ties=ties, lowest=lowest, **parameters) for one in lists_of(*lists)]
        assert value == pytest.approx(np.mean(loops), abs=1e-9)


def test_position_weights_of_a_long_list_are_numbers():
    # Lan et al. (2014): 2 ** (n - i) - 1, with n = 3000 beyond what a float holds; scaled they are 1/2, 1/4, ...
    n = 3000
    value, gradient = listmle(np.zeros(n), np.arange(n)[::-1], np.array([0, n]), stages="position")
    assert value == pytest.approx(sum(2.0**-i * log(n - i + 1) for i in range(1, 60)))
    assert np.isfinite(gradient).all()


# Top-k ListNet


def pair_chances(values):
    """The chance of each ordered pair to be the first two, by Plackett and Luce."""
    powers = np.exp(values)
    total = powers.sum()
    n = len(values)
    return {(a, b): powers[a] / total * powers[b] / (total - powers[a]) for a in range(n) for b in range(n) if a != b}


def test_draws_of_two_are_on_average_the_cross_entropy_over_all_ordered_pairs():
    def entropy(scores):
        wanted, found = pair_chances(GRADES.astype(float)), pair_chances(scores)
        costs = np.array([-np.log(found[pair]) for pair in wanted])
        chances = np.array(list(wanted.values()))
        mean = chances @ costs
        return mean, np.sqrt(chances @ (costs - mean) ** 2)

    value, gradient = listnet(*copies(SCORES, GRADES), k=2, rng=np.random.default_rng(2))
    mean, deviation = entropy(SCORES)
    assert abs(value - mean) < 4 * deviation / np.sqrt(COPIES)
    parts = gradient.reshape(COPIES, -1) * COPIES
    slope = differences(lambda x: entropy(x)[0], SCORES)
    assert (np.abs(parts.mean(axis=0) - slope) < 4 * parts.std(axis=0) / np.sqrt(COPIES)).all()


def test_a_draw_of_one_is_on_average_listnet_itself():
    value, gradient = listnet(SCORES, GRADES, np.array([0, 5]))
    chances = naive.softmax(GRADES.tolist(), naive.PLAIN)
    costs = -np.log(naive.softmax(SCORES.tolist(), naive.PLAIN))
    assert value == pytest.approx(np.dot(chances, costs))
    assert gradient == pytest.approx(np.exp(-costs) - chances)


def test_a_k_of_all_documents_is_the_likelihood_of_an_order_and_a_longer_one_the_same():
    for k in (5, 50):
        value, _ = listnet(SCORES, np.array([400, 300, 200, 100, 0]), np.array([0, 5]), k=k, rng=0)
        whole, _ = listmle(SCORES, np.array([400, 300, 200, 100, 0]), np.array([0, 5]), lowest=True)
        assert value == pytest.approx(whole * 5)  # summed over stages where ListMLE takes their mean


@pytest.mark.parametrize("k", [0, -1, 1.5, "2"])
def test_an_end_that_is_no_number_of_documents_is_refused(k):
    for loss in (listnet, listmle):
        with pytest.raises(ParameterError, match=rf"\bk is {k!r}, "):
            loss(SCORES, GRADES, np.array([0, 5]), k=k)
