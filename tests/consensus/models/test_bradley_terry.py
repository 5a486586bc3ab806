"""Strengths of systems from comparisons of two."""

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.simulated_rates import show
from helpers.wins_by_system import wins_by_system
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankscope import Preferences
from rankscope.consensus.models import draws_from_covariance, fit_preferences
from rankscope.consensus.models.bradley_terry_likelihood import Likelihood
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError

#: (winner, loser) as often.
CHOIX = {
    (0, 1): 5,
    (1, 0): 3,
    (1, 2): 4,
    (2, 1): 2,
    (2, 3): 6,
    (3, 2): 1,
    (3, 0): 2,
    (0, 3): 7,
    (0, 2): 3,
}


def of_wins(wins, n=4, **more):
    pairs = [pair for pair, times in wins.items() for _ in range(times)]
    left, right = np.array(pairs).T
    names = tuple(f"s{i}" for i in range(n))
    return Preferences(systems=names, left=left, right=right, outcome=np.ones(len(pairs)), **more)


def simulated(seed, n=5, m=400, nu=0.5, effects=(), position=0.0, **more):
    """Comparisons drawn from Davidson's model with random strengths, with a covariate for each effect."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=n)
    strengths -= strengths.mean()
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    x = rng.normal(size=(m, len(effects)))
    eta = strengths[left] - strengths[right] + x @ np.array(effects, float) + position
    odds = np.column_stack([np.exp(-eta / 2), np.full(m, nu), np.exp(eta / 2)])
    outcome = (rng.random((m, 1)) > np.cumsum(odds / odds.sum(1, keepdims=True), axis=1)).sum(axis=1) - 1
    named = {f"x{j}": column for j, column in enumerate(x.T)}
    names = tuple(f"s{i}" for i in range(n))
    return strengths, Preferences(systems=names, left=left, right=right, outcome=outcome, covariates=named, **more)


def naive(preferences, davidson=False, names=(), position=False, prior=0.0):
    """The same maximum by a general optimiser, from the definition: one comparison after the other."""
    n, columns = len(preferences.systems), [preferences.covariates[name] for name in names]
    columns += [np.ones(len(preferences))] * position

    def loss(free):
        ratings = free[:n] - free[:n].mean()
        eta = ratings[preferences.left] - ratings[preferences.right]
        for effect, column in zip(free[n:], columns, strict=False):
            eta = eta + effect * column
        a, b = np.exp(eta), np.ones(len(eta))
        if davidson:
            tie = np.exp(free[-1]) * np.sqrt(a * b)
            p = np.choose(preferences.outcome + 1, [b, tie, a]) / (a + b + tie)
            found = preferences.weight @ np.log(p)
        else:
            won = (preferences.outcome + 1) / 2
            found = preferences.weight @ (won * np.log(a / (a + b)) + (1 - won) * np.log(b / (a + b)))
        shrink = prior * (np.log(1 / (1 + np.exp(-ratings))) + np.log(1 / (1 + np.exp(ratings)))).sum()
        return -(found + shrink) + (free[:n].mean()) ** 2

    best = minimize(loss, np.zeros(n + len(columns) + davidson), method="BFGS", options={"gtol": 1e-7})
    return best.x[:n] - best.x[:n].mean(), best.x[n:], best.fun


def test_two_systems_have_the_logarithm_of_wins_over_losses_between_them():
    found = fit_preferences(of_wins({(0, 1): 7, (1, 0): 2}, n=2))
    assert found.ratings[0] == pytest.approx([np.log(7 / 2) / 2, -np.log(7 / 2) / 2], abs=1e-12)
    # Information of the difference: n p (1 - p); each rating has half of the difference, so a quarter of its variance.
    assert found.covariance[0, 0] == pytest.approx(1 / (9 * (7 / 9) * (2 / 9)) / 4, abs=1e-12)
    assert found.loglikelihood == pytest.approx(7 * np.log(7 / 9) + 2 * np.log(2 / 9), abs=1e-12)


def test_a_tie_is_half_a_win_of_each():
    tied = Preferences.of([("A", "B", "A")] * 3 + [("A", "B", "B")] + [("B", "A", "tie")] * 2)
    assert fit_preferences(tied).ratings[0, 0] == pytest.approx(np.log((3 + 1) / (1 + 1)) / 2, abs=1e-12)


def test_two_systems_of_davidson_have_the_square_root_of_the_strengths_in_their_ties():
    tied = Preferences.of([("A", "B", "A")] * 8 + [("A", "B", "B")] * 2 + [("A", "B", "tie")] * 6)
    found = fit_preferences(tied, model="davidson")
    assert found.ratings[0, 0] == pytest.approx(np.log(8 / 2) / 2, abs=1e-12)
    # P(tie)^2 / (P(win) P(loss)) = nu^2 (Davidson 1970, equation 2.3)
    assert np.exp(found.tie_parameter[0]) == pytest.approx(6 / np.sqrt(8 * 2), abs=1e-12)
    probabilities = np.array([8, 2, 6]) / 16
    assert found.loglikelihood == pytest.approx(np.array([8, 2, 6]) @ np.log(probabilities), abs=1e-12)


def test_ratings_are_those_of_choix():
    # choix 0.4.1, mm_pairwise(4, wins, tol=1e-12) of the same wins
    expected = [0.86689588, 0.42854994, -0.16343204, -1.13201378]
    assert fit_preferences(of_wins(CHOIX)).ratings[0] == pytest.approx(expected, abs=2e-8)


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
@pytest.mark.parametrize("more", [{}, {"covariates": ("x0",), "position": True}, {"prior": 1.5}], ids=str)
def test_a_general_optimiser_finds_the_same(model, more):
    _, seen = simulated(3, effects=(0.5,), position=0.4, weight=np.random.default_rng(0).integers(1, 4, 400) / 2)
    found = fit_preferences(seen, model=model, **more)
    options = {"names": more.get("covariates", ()), "position": "position" in more, "prior": more.get("prior", 0.0)}
    ratings, others, loss = naive(seen, model == "davidson", **options)
    assert found.ratings[0] == pytest.approx(ratings, abs=1e-5)
    ours = [values[0] for values in found.effects.values()] + [found.tie_parameter[0]] * (model == "davidson")
    assert ours == pytest.approx(others, abs=1e-5)
    if "prior" not in more:
        assert found.loglikelihood == pytest.approx(-loss, abs=1e-6)


def test_the_covariance_is_the_inverse_of_differences_of_the_likelihood():
    _, seen = simulated(4, n=3)
    found, step = fit_preferences(seen, model="davidson"), 1e-4

    def value(free):  # free: two ratings, the third keeps the mean; log nu
        ratings = np.append(free[:2], -free[:2].sum())
        eta = ratings[seen.left] - ratings[seen.right]
        parts = np.array([np.exp(-eta / 2), np.full(eta.size, np.exp(free[2])), np.exp(eta / 2)])
        return np.log(np.choose(seen.outcome + 1, parts) / parts.sum(axis=0)).sum()

    at = np.append(found.ratings[0, :2], found.tie_parameter[0])
    ways = step * np.eye(3)
    curve = np.array(
        [
            [
                (value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b)) / (4 * step**2)
                for a in ways
            ]
            for b in ways
        ]
    )
    inverse = np.linalg.inv(-curve)
    assert found.covariance[:2, :2] == pytest.approx(inverse[:2, :2], rel=1e-4)
    assert found.errors["ties"] ** 2 == pytest.approx(inverse[2, 2], rel=1e-4)
    assert found.covariance.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@st.composite
def tournaments(draw):
    """Systems in a ring, each of which beat the next, so that there is a maximum; and other comparisons."""
    n = draw(st.integers(2, 6))
    place = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(place, place, st.integers(-1, 1), st.sampled_from([0.5, 1.0, 2.0])), max_size=30))
    rows = [(i, (i + 1) % n, 1, 1.0) for i in range(n)] + [row for row in rows if row[0] != row[1]]
    left, right, outcome, weight = (np.array(column) for column in zip(*rows, strict=True))
    return Preferences(systems=tuple("abcdef"[:n]), left=left, right=right, outcome=outcome, weight=weight)


@examples(40)
@given(tournaments(), st.sampled_from(["bradley-terry", "davidson"]), st.sampled_from([0.0, 1.0]))
def test_expected_wins_are_observed_wins(seen, model, prior):
    found = fit_preferences(seen, model=model, prior=prior)
    observed, expected = wins_by_system(seen, found)
    gap = observed - expected
    assert gap - gap.mean() == pytest.approx(np.zeros(gap.size), abs=1e-8)
    assert prior or gap == pytest.approx(np.zeros(gap.size), abs=1e-8)
    assert found.ratings.mean() == pytest.approx(0, abs=1e-12)


@examples(25)
@given(tournaments(), st.randoms(use_true_random=False))
def test_neither_names_nor_order_nor_sides_matter(seen, random):
    n, rows = len(seen.systems), list(range(len(seen)))
    names = list(range(n))
    random.shuffle(rows)
    random.shuffle(names)
    turned = np.array([random.random() < 0.5 for _ in rows])
    place = np.array(names)
    left, right = place[seen.left[rows]], place[seen.right[rows]]
    other = Preferences(
        systems=tuple(seen.systems[i] for i in np.argsort(place)),
        left=np.where(turned, right, left),
        right=np.where(turned, left, right),
        outcome=np.where(turned, -seen.outcome[rows], seen.outcome[rows]),
        weight=seen.weight[rows],
    )
    one, two = (fit_preferences(of, model="davidson") for of in (seen, other))
    assert two.ratings[0, place] == pytest.approx(one.ratings[0], abs=1e-9)
    assert two.loglikelihood == pytest.approx(one.loglikelihood, abs=1e-9)


def test_effects_that_were_put_in_are_found():
    strengths, seen = simulated(5, n=8, m=20_000, nu=0.8, effects=(0.7, -0.4), position=0.25)
    found = fit_preferences(seen, model="davidson", covariates=("x0", "x1"), position=True)
    for name, value in {"x0": 0.7, "x1": -0.4, "position": 0.25}.items():
        assert abs(found.effects[name][0] - value) < 4 * found.errors[name], name
    assert abs(found.tie_parameter[0] - np.log(0.8)) < 4 * found.errors["ties"]
    assert np.abs(found.ratings[0] - strengths).max() < 4 * np.sqrt(np.diagonal(found.covariance).max())


def test_weights_are_numbers_of_comparisons():
    twice = of_wins(CHOIX, weight=np.full(sum(CHOIX.values()), 2.0))
    doubled = of_wins({pair: 2 * times for pair, times in CHOIX.items()})
    one, two = fit_preferences(twice), fit_preferences(doubled)
    assert one.ratings == pytest.approx(two.ratings, abs=1e-12)
    assert one.covariance == pytest.approx(two.covariance, abs=1e-12)


def test_a_prior_gives_systems_that_won_everything_a_strength():
    seen = of_wins({(0, 1): 3}, n=2)
    with pytest.raises(InputError, match="use a prior"):
        fit_preferences(seen)
    found = fit_preferences(seen, prior=1.0)
    # Slope of 3 log s(2 t) + 2 (log s(t) + log s(-t)) for ratings t and -t: 6 s(-2 t) = 2 tanh(t / 2)
    t = found.ratings[0, 0]
    assert 6 / (1 + np.exp(2 * t)) == pytest.approx(2 * np.tanh(t / 2), abs=1e-9)
    assert "prior" in found.notes[0]


def test_without_ties_davidson_is_bradley_and_terry():
    half, davidson = (
        fit_preferences(of_wins(CHOIX), model=model, n_resamples=5, rng=1) for model in ("bradley-terry", "davidson")
    )
    assert davidson.ratings == pytest.approx(half.ratings, abs=1e-9)
    assert np.isneginf(davidson.tie_parameter).all()
    assert np.isnan(half.tie_parameter).all()
    assert mentions(davidson.notes, "no comparison", "Davidson", "Bradley and Terry")


def test_what_has_no_maximum_is_refused():
    every = Preferences.of([("A", "B", "tie"), ("B", "C", "tie")])
    with pytest.raises(InputError, match="all comparisons are ties"):
        fit_preferences(every, model="davidson")
    assert fit_preferences(every).ratings.tolist() == [[0, 0, 0]]
    drifting = Preferences.of([("A", "B", "A"), ("A", "B", "tie")])
    with pytest.raises(InputError, match="no cycle of systems"):
        fit_preferences(drifting, model="davidson")
    _, seen = simulated(6, n=3, m=60, nu=0)
    decided = Preferences(
        systems=seen.systems,
        left=seen.left,
        right=seen.right,
        outcome=seen.outcome,
        covariates={"length": seen.outcome * np.linspace(1, 2, 60), "fixed": (seen.left - seen.right).astype(float)},
    )
    with pytest.raises(InputError, match="'length' may decide"):
        fit_preferences(decided, covariates=["length"])
    with pytest.raises(InputError, match=r"'fixed'.* strengths"):
        fit_preferences(decided, covariates=["fixed"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"model": "both"}, "model is 'both'"),
        ({"covariates": ("length",)}, "no covariate 'length'"),
        ({"prior": -1}, "prior is -1"),
        ({"n_resamples": -1}, "n_resamples is -1"),
        ({"rng": "seed"}, "rng is 'seed'"),
    ],
)
def test_other_arguments_are_refused(more, message):
    with pytest.raises(ParameterError, match=message):
        fit_preferences(of_wins(CHOIX), **more)


def test_the_same_seed_draws_the_same_resamples():
    _, seen = simulated(7)
    one, two, three = (fit_preferences(seen, n_resamples=20, rng=seed).ratings for seed in (1, 1, 2))
    assert one.shape == (21, 5)
    assert_same_bits(one, two)
    assert (one[1:] != three[1:]).any()
    assert one.mean(axis=1) == pytest.approx(np.zeros(21), abs=1e-12)


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
def test_each_resample_is_a_maximum_of_what_was_drawn(model):
    """Weights differ and each comparison is a cluster of its own, so that the draws can be made again."""
    m = 150
    _, seen = simulated(8, m=m, n=4)
    names = Labels(tuple(map(str, range(m))), np.arange(m))
    clustered = Preferences(**{**vars(seen), "cluster": names, "weight": np.linspace(0.5, 2, m)})
    found = fit_preferences(clustered, model=model, n_resamples=4, rng=5)
    drawn = np.random.default_rng(5).integers(0, m, (4, m))
    for row, places in zip(found.ratings[1:], drawn, strict=True):
        fields = {name: getattr(clustered, name)[places] for name in ("left", "right", "outcome", "weight")}
        again = fit_preferences(Preferences(systems=seen.systems, **fields), model=model)
        assert row == pytest.approx(again.ratings[0], abs=1e-7)


def test_resamples_draw_whole_clusters():
    """Ten prompts, each judged 50 times alike: the spread is that of ten comparisons, not of 500."""
    outcome = np.repeat([1, 1, 1, 1, 1, 1, -1, -1, -1, -1], 50)
    zero = np.zeros(500, np.int64)
    cluster = Labels(tuple("abcdefghij"), np.repeat(np.arange(10), 50))
    options = {"systems": ("A", "B"), "left": zero, "right": zero + 1, "outcome": outcome}
    alone, together = (
        fit_preferences(Preferences(**options, cluster=clusters), n_resamples=400, rng=1)
        for clusters in (None, cluster)
    )
    share = [np.std(1 / (1 + np.exp(-2 * fit.ratings[1:, 0]))) for fit in (alone, together)]
    assert share[0] == pytest.approx(np.sqrt(0.6 * 0.4 / 500), rel=0.15)
    assert share[1] == pytest.approx(np.sqrt(0.6 * 0.4 / 10), rel=0.15)


def test_resamples_spread_as_the_information_says():
    _, seen = simulated(9, n=4, m=2000, nu=0, effects=(0.5,))
    found = fit_preferences(seen, covariates=("x0",), n_resamples=300, rng=1)
    assert np.std(found.ratings[1:], axis=0) == pytest.approx(np.sqrt(np.diagonal(found.covariance)), rel=0.2)
    assert np.std(found.effects["x0"][1:]) == pytest.approx(found.errors["x0"], rel=0.2)


def test_resamples_without_a_maximum_are_counted_and_left_out():
    told = []
    found = fit_preferences(of_wins({(0, 1): 6, (1, 0): 1}, n=2), n_resamples=400, rng=1, progress=told.append)
    # The one win of the second is never drawn, or always: (6 / 7)^7 + (1 / 7)^7 = .34
    assert found.n_lost == pytest.approx(0.34 * 400, abs=40)
    assert len(found.ratings) == 401 - found.n_lost
    assert mentions(found.notes[0], found.n_lost, 400, "resamples")
    assert sum(told) == pytest.approx(1.0)


def test_draws_from_the_covariance_have_it():
    found = fit_preferences(of_wins(CHOIX))
    drawn = draws_from_covariance(found.ratings[0], found.covariance, 20_000, 1)
    assert np.cov(drawn.T) == pytest.approx(found.covariance, abs=0.03 * found.covariance.max())
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(20_000), abs=1e-7)
    for covariance in (-np.eye(4), np.eye(3)):
        with pytest.raises(ParameterError, match="covariance"):
            draws_from_covariance(found.ratings[0], covariance, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
def test_intervals_of_95_percent_hold_in_95_of_100_simulations(model):
    """Both kinds, of the difference between the first two of five systems; within 3.5 standard errors of 400 trials.

    Half wins of ties are checked without ties: with them the information is known to be too wide.
    """
    trials, hit = 400, np.zeros(2)
    for seed in range(trials):
        strengths, seen = simulated(seed, n=5, m=600, nu=0.6 if model == "davidson" else 0.0)
        found = fit_preferences(seen, model=model, n_resamples=200, rng=seed)
        gap = strengths[0] - strengths[1]
        draws = draws_from_covariance(found.ratings[0], found.covariance, 400, seed)
        for kind, rows in enumerate((found.ratings[1:], draws)):
            low, high = np.quantile(rows[:, 0] - rows[:, 1], [0.025, 0.975])
            hit[kind] += low <= gap <= high
    assert hit / trials == pytest.approx([0.95, 0.95], abs=3.5 * np.sqrt(0.95 * 0.05 / trials))


def of_prompts(seed, prompts):
    """Comparisons of four systems, 24 a prompt, on which systems are better or worse than usual (deviation 1)."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(prompts), 24)
    left, right = np.array([rng.permutation(4)[:2] for _ in prompt]).T
    strength = np.linspace(0.5, -0.5, 4) + rng.normal(size=(prompts, 4))
    gap = strength[prompt, left] - strength[prompt, right]
    outcome = np.where(rng.random(prompt.size) < 1 / (1 + np.exp(-gap)), 1, -1)
    return prompt, {"systems": tuple("abcd"), "left": left, "right": right, "outcome": outcome}


@pytest.mark.slow
def test_intervals_hold_where_prompts_repeat_if_whole_prompts_are_drawn():
    """25 prompts of 24 comparisons, which get a note: one by one, intervals are too narrow."""
    trials, hit = 200, np.zeros(2)
    ratings = fit_preferences(Preferences(**of_prompts(0, 3000)[1])).ratings[0]
    for seed in range(1, trials + 1):
        prompt, data = of_prompts(seed, 25)
        for kind, cluster in enumerate((Labels(tuple(map(str, range(25))), prompt), None)):
            found = fit_preferences(Preferences(**data, cluster=cluster), n_resamples=200, rng=seed)
            low, high = np.quantile(found.ratings[1:, 0] - found.ratings[1:, 3], [0.025, 0.975])
            hit[kind] += low <= ratings[0] - ratings[3] <= high
    show("ratings of 25 prompts of 24", f"prompts drawn {hit[0] / trials:.4f}, comparisons drawn {hit[1] / trials:.4f}")
    assert hit[0] / trials >= 0.85
    assert hit[1] < hit[0]
    assert hit[1] / trials < 0.8


def test_the_name_of_one_covariate_is_no_list_of_letters():
    _, seen = simulated(9, n=4, m=400, nu=0, effects=(0.5,))
    alone, listed = (fit_preferences(seen, covariates=names) for names in ("x0", ["x0"]))
    assert_same_bits(alone.effects["x0"].tolist(), listed.effects["x0"].tolist())


def test_steps_of_resamples_take_no_logarithms_of_the_likelihood(monkeypatch):
    _, seen = simulated(3, n=4, m=800)
    asked = []
    point = Likelihood.point

    def told(self, parameters, sums, *, with_value=True):
        asked.append(with_value)
        found = point(self, parameters, sums, with_value=with_value)
        assert np.isnan(found.value).all() != with_value
        return found

    monkeypatch.setattr(Likelihood, "point", told)
    fit_preferences(seen, model="davidson")
    of_estimate = len(asked)
    fit_preferences(seen, model="davidson", n_resamples=20, rng=1)
    assert asked[of_estimate:].count(False) > 3
    assert asked[of_estimate:].count(True) == asked[:of_estimate].count(True)
