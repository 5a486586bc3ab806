"""Mallows' model of rankings: the centre, the concentration of votes around it, a test of fit, random rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Note, ResampledScores, Solution
from rankscope.consensus.optimal import Kemeny
from rankscope.consensus.parameters import quick_field, time_limit_field, unranked_field
from rankscope.data.text import format_p_value
from rankscope.data.votes import UNRANKED, Votes
from rankscope.errors import ParameterError
from rankscope.kernels.pairs import count_pairs_by_row
from rankscope.kernels.rounding_ties import at_most
from rankscope.settings import names
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_generator, check_count, is_real
from rankscope.typing import Floats

__all__ = [
    "Mallows",
    "law_of_distance",
    "log_normaliser",
    "moments_of_distance",
    "sample_mallows",
    "theta_of_mean",
]


#: Below this, a few terms of a series replace a difference of large terms.
SERIES_LIMIT = 0.05
#: Bisections: each adds a bit.
HALVINGS = 200


def law_of_distance(n_items: int, theta: float) -> Floats:
    """(items (items - 1) / 2 + 1) the chance of each number of pairs; proportional to Mahonian numbers exp(-theta d).

    The distance is a sum: the j-th item passes 0 to j - 1 of those before it, independently of the others.
    """
    law = np.ones(1)
    for j in range(2, n_items + 1):
        chances = np.exp(-theta * np.arange(1, j))
        law = np.convolve(law, np.concatenate([[1.0], chances]) / (1 + chances.sum()))
    return law


def moments_of_distance(n_items: int, theta: float) -> tuple[float, float]:
    """The mean and variance of the distance, in closed form.

    The j-th item passes h(theta) - j h(j theta) others in the mean, h(x) = 1 / (exp(x) - 1); where theta is small, the
    pole 1/x of each h is skipped, since the poles cancel.
    """
    if theta == np.inf:
        return 0.0, 0.0
    j = np.arange(1.0, n_items + 1)
    (h_theta, slope_theta), (h_j_theta, slopes_j_theta) = (
        passing_moments(x, pole=theta > 1) for x in (np.array([theta]), j * theta)
    )
    return float((h_theta - j * h_j_theta).sum()), float((j**2 * slopes_j_theta - slope_theta).sum())


def passing_moments(x: Floats, *, pole: bool) -> tuple[Floats, Floats]:
    """1 / (exp(x) - 1) and its derivative, for x of at least 0; without the pole: less 1/x."""
    small = x < SERIES_LIMIT
    y = np.where(small, x, 0.0)
    series = -0.5 + y / 12 - y**3 / 720 + y**5 / 30240
    slope = 1 / 12 - y**2 / 240 + y**4 / 6048 - y**6 / 172800
    z = np.where(small, 1.0, x)
    below, share = -np.expm1(-z), np.exp(-z)
    if pole:  # never with a small x
        return share / below, -share / below**2
    return np.where(small, series, share / below - 1 / z), np.where(small, slope, 1 / z**2 - share / below**2)


def log_normaliser(n_items: int, theta: float) -> float:
    """The log of the sum of exp(-theta distance) over all orders."""
    j = np.arange(1.0, n_items + 1)
    return float(np.log(j).sum() + (log_mean(j * theta) - log_mean(np.array([theta]))).sum())


def log_mean(x: Floats) -> Floats:
    """The log of (1 - exp(-x)) / x; 0 at 0."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(-np.expm1(-safe) / safe), 0.0)


def theta_of_mean(n_items: int, mean: float) -> float:
    """The theta of which `mean` is the mean distance: infinite for 0, 0 for what random orders have, or more."""
    if mean <= 0:
        return float("inf")
    low, high = 0.0, 1.0
    if at_most(moments_of_distance(n_items, 0.0)[0], mean):
        return 0.0
    while moments_of_distance(n_items, high)[0] > mean:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if moments_of_distance(n_items, middle)[0] > mean else (low, middle)
    return (low + high) / 2


def sample_mallows(center: Sequence[str], theta: float, n: int, rng: Any = None) -> Votes:
    """Draw votes from Mallows' model: a ranking is exp(-theta) times as likely for each pair against the centre.

    Parameters
    ----------
    center
        The items, the best first.
    theta
        From 0 (all orders are equally likely) to infinity (all votes are the centre).
    n
        Number of votes, at least 2.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    Votes
        Full rankings without ties, each of weight 1.

    Raises
    ------
    InputError
        There are fewer than two different items.
    ParameterError
        `theta` or `n` is out of range.

    References
    ----------
    The repeated insertion of Doignon, Pekec and Regenwetter (2004): the i-th item of the centre passes k of the i - 1
    items before it with a probability proportional to exp(-theta k).

    Examples
    --------
    >>> sample_mallows("ABC", float("inf"), 2).places.tolist()
    [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
    """
    if not is_real(theta) or not theta >= 0:  # infinity is accepted
        raise ParameterError(f"theta is {theta!r}, expected a number of at least 0")
    check_count("n", n, 2)
    return Votes(ranks=mallows_places(len(center), theta, n, as_generator(rng)), items=tuple(center))


def mallows_places(n_items: int, theta: float, n: int, rng: np.random.Generator) -> Floats:
    """(n, items) places from 1 of the items of the centre, in its order."""
    places = np.empty((n, n_items))
    for i in range(n_items):
        chances = np.exp(-theta * np.arange(1, i + 1))  # theta may be infinite
        cumulative = np.cumsum(np.concatenate([[1.0], chances]))
        n_passed = np.searchsorted(cumulative, rng.random(n) * cumulative[-1], side="right")
        new_places = i + 1.0 - np.minimum(n_passed, i)
        places[:, :i] += places[:, :i] >= new_places[:, None]
        places[:, i] = new_places
    return places


#: The least expected votes in a cell of the chi-square test, and the p-value below which the model does not fit.
EXPECTED, LEVEL = 5.0, 0.05


class MallowsFit(NamedTuple):
    """The concentration of votes around the centre.

    Attributes
    ----------
    theta, error
        The concentration and its standard error.
    observed, expected
        Mean distance of the votes from the centre, observed and by the model.
    loglikelihood
        Log-likelihood of the votes.
    """

    theta: float
    error: float
    observed: float
    expected: float
    loglikelihood: float


@dataclass(frozen=True, kw_only=True)
class Mallows(Method):
    """Mallows' model; scores are the number of items behind each in the centre, from 0 to items - 1; higher is better.

    Parameters
    ----------
    unranked
        Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last rank (worst),
        the first remaining rank (optimistic), or none (ignore). One of 'average', 'worst', 'optimistic'. Default:
        'average'.
    center
        The items in the order of the centre, if it is known. Default: Kemeny's order.
    time_limit
        Seconds after which the best order found so far is returned. Default: no limit.
    quick
        Prove the order for up to 14 items in majority cycles, and search from 4 starts for more. Default: False.

    Raises
    ------
    ParameterError
        A parameter is out of range, or the centre does not have every item once.

    Notes
    -----
    A vote is exp(-theta) times as likely for each pair of items that it orders against the centre: at theta 0 all
    orders are equally likely, and the larger theta, the more alike are the votes. The most likely centre is Kemeny's
    order; theta is the value whose mean distance is that of the votes.

    Each tied pair is half against the centre, the mean over the orders of tied items, so that theta is that of the mean
    log-likelihood. Unranked items are tied behind the ranked ones, by whichever name; "ignore" is refused, since
    distances would be of different lists. The test of fit compares the distances with their exact distribution, in
    cells of at least 5 expected votes. The centre counts as known: if it was found from few votes, they are closer to
    it than to the true one, and theta is too large.

    The details are those of Kemeny's order if no centre is given; theta, in [0, infinity]; its standard error from the
    information, for a known centre (NaN if theta is 0 or infinite); the mean distance of the votes, the one expected at
    theta (the same, unless theta is 0) and that of random orders; the log-likelihood; and, if there are enough votes
    and all are full, strict and count 1, "chi-square", "degrees of freedom" and "p-value of fit".

    References
    ----------
    Mallows (1957); Fligner and Verducci (1986), Distance based ranking models, section 2.

    Examples
    --------
    >>> order = Mallows(center=("A", "B", "C")).order([["A", "B", "C"], ["A", "B", "C"], ["B", "A", "C"]])
    >>> round(order.details["theta"], 4), round(order.details["mean distance"], 4)
    (1.778, 0.3333)
    """

    name: ClassVar[str] = "mallows"
    work = "search"
    meaning: ClassVar[str] = "number of items after this one in the centre; it does not show how certain the order is"
    FUNCTIONS = ("rankscope.consensus:Mallows",)

    unranked: str = unranked_field("average", UNRANKED[:3])
    center: tuple[str, ...] | None = names(
        None, help="The items in the order of the centre, if it is known.", flag="", unset="Kemeny's order"
    )
    time_limit: float | None = time_limit_field(None)
    quick: bool = quick_field()

    def __post_init__(self) -> None:
        if isinstance(self.center, Sequence):  # a list is taken as well
            self.__dict__["center"] = tuple(self.center)
        super().__post_init__()

    def _kemeny(self) -> Kemeny:
        return Kemeny(unranked=self.unranked, time_limit=self.time_limit, quick=self.quick)

    def for_many(self) -> tuple[Method, str]:
        if self.center is not None or self.time_limit is not None:
            return self, ""
        return replace(self, quick=True), Kemeny().for_many()[1]

    def scores(self, votes: Votes, weights: Floats) -> Floats:
        if self.center is None:
            return self._kemeny().scores(votes, weights)
        return np.repeat(len(votes.items) - places_in(self.center, votes)[None], len(weights), axis=0)

    def resampled_scores(self, votes: Votes, weights: Floats, rng: np.random.Generator) -> ResampledScores:
        return (
            super().resampled_scores(votes, weights, rng)
            if self.center
            else self._kemeny().resampled_scores(votes, weights, rng)
        )

    def solve(self, votes: Votes) -> Solution:
        if self.center is None:
            solution = self._kemeny().solve(votes)
        else:
            solution = Solution(self.scores(votes, votes.weights[None])[0])
        places = votes.ranks.shape[1] - solution.scores  # Kemeny's orders are strict
        distances = distances_from(places, votes.fill_unranked(self.unranked))
        fit = fit_theta(distances, votes.weights, places.size)
        details = {
            **solution.details,
            "theta": fit.theta,
            "standard error of theta": fit.error,
            "mean distance": fit.observed,
            "expected distance": fit.expected,
            "distance of random orders": places.size * (places.size - 1) / 4,
            "log-likelihood": fit.loglikelihood,
        }
        notes = [*solution.notes, *fit_notes(fit, self.center is None)]
        if np.isfinite(fit.theta):
            test_details, test_notes = chi_square_test(distances, votes.weights, places.size, fit.theta)
            details |= test_details
            notes += test_notes
        return solution._replace(notes=tuple(notes), details=details)


def places_in(center: tuple[str, ...], votes: Votes) -> Floats:
    """(items) the place of each item of the votes in the centre. Raises ParameterError for another set of items."""
    if len(center) != len(votes.items) or set(center) != set(votes.items):
        raise ParameterError(f"a centre of {len(center)} items, expected each of the {len(votes.items)} items once")
    place = {item: i + 1.0 for i, item in enumerate(center)}
    return np.array([place[item] for item in votes.items])


def distances_from(center: Floats, places: Floats) -> Floats:
    """(voters) how many pairs each has against the centre; tied ones half."""
    pairs = count_pairs_by_row(np.broadcast_to(center, places.shape), places)
    return np.asarray(pairs.discordant + pairs.tied_y / 2)


def fit_theta(distances: Floats, weights: Floats, n_items: int) -> MallowsFit:
    """Theta by maximum likelihood: in this exponential family the expected distance is then that of the votes."""
    total, shares = float(weights.sum()), weights / weights.max()
    observed = float(shares @ distances) / float(shares.sum())
    theta = theta_of_mean(n_items, observed)
    if theta == np.inf:
        return MallowsFit(theta, np.nan, observed, 0.0, 0.0)
    expected, variance = moments_of_distance(n_items, theta)
    # This many voters of equal weight have as much information.
    n_effective = float(shares.sum()) ** 2 / float(shares @ shares)
    error = 1 / float(np.sqrt(n_effective * variance)) if theta > 0 else np.nan
    return MallowsFit(theta, error, observed, expected, -total * (theta * observed + log_normaliser(n_items, theta)))


def fit_notes(fit: MallowsFit, center_fitted: bool) -> tuple[str, ...]:
    """Notes on the concentration and on its standard error."""
    if fit.theta == np.inf:
        return (general_note("all votes equal the centre: theta is infinite"),)
    if fit.theta == 0:
        return (general_note("the votes are no closer to the centre than random orders would be: theta is 0"),)
    if not center_fitted:
        return ()
    return (
        general_note(
            "the standard error of theta treats the centre as known, although it was estimated from the same votes"
        ),
    )


def general_note(text: str) -> Note:
    """A note that is the same for many orders."""
    return Note(text, text)


def chi_square_test(
    distances: Floats, weights: Floats, n_items: int, theta: float
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The chi-square test of the distances, where it applies: details and notes."""
    if (weights != 1).any() or (distances % 1 != 0).any():
        return {}, (general_note("no test of fit: it needs votes without ties that rank all items and have weight 1"),)
    law = law_of_distance(n_items, theta)
    expected, observed = pool_cells(law * distances.size, np.bincount(distances.astype(np.int64), minlength=law.size))
    df = expected.size - 1 - (theta > 0)
    if df < 1:
        return {}, (Note(f"no test of fit: {distances.size} votes are too few", "no test of fit: votes are too few"),)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    pvalue = float(special().chdtrc(df, statistic))
    test_text = f"(chi-square {statistic:.2f} with {df}, p {format_p_value(pvalue)})"
    note = (
        f"Mallows' model does not describe the distances of these votes well {test_text}"
        if pvalue < LEVEL
        else f"no significant departure of the distances of the votes from Mallows' model was found {test_text}"
    )
    return {"chi-square": statistic, "degrees of freedom": float(df), "p-value of fit": pvalue}, (Note(note),)


def pool_cells(expected: Floats, observed: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Merge neighbouring cells until each expects enough votes; the remaining ones join the last cell."""
    cells: list[list[float]] = [[0.0, 0.0]]
    for cell in zip(expected.tolist(), observed.tolist(), strict=True):
        if cells[-1][0] >= EXPECTED:
            cells.append([0.0, 0.0])
        cells[-1] = [a + b for a, b in zip(cells[-1], cell, strict=True)]
    if len(cells) > 1 and cells[-1][0] < EXPECTED:
        last_cell = cells.pop()
        cells[-1] = [a + b for a, b in zip(cells[-1], last_cell, strict=True)]
    table = np.array(cells)
    return table[:, 0], table[:, 1]
