"""Parameters of consensus methods: the rule and the sentence of each, whichever methods have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeVar

from rankscope.data.votes import UNRANKED
from rankscope.settings import NONNEGATIVE, POSITIVE, SHARE, Rule, Switch, choice, count, declare, number, switch

__all__ = [
    "PVALUES",
    "STRENGTHS",
    "as_points",
    "exact_field",
    "points_field",
    "prior_field",
    "pvalue_field",
    "quick_field",
    "restarts_field",
    "strength_field",
    "teleport_field",
    "time_limit_field",
    "unranked_field",
]


Value = TypeVar("Value")
#: The strength of a majority: the weight of its supporters, or that minus the weight of its opponents.
STRENGTHS = ("winning", "margins")
#: How rho becomes a p-value: by its distribution, times the number of lists, or unchanged.
PVALUES = ("exact", "bonferroni", "none")


class Points(Rule):
    """Numbers of at least 0 that do not rise."""

    expected = "numbers of at least 0 that do not rise, as (3, 1, 0)"

    def accepts(self, value: object) -> bool:
        if not isinstance(value, tuple) or not value:
            return False
        if not all(isinstance(points, Real) and math.isfinite(points) for points in value):
            return False
        return list(value) == sorted(value, reverse=True) and value[-1] >= 0

    @staticmethod
    def parse(text: str) -> tuple[float, ...]:
        try:
            return tuple(float(number) for number in text.split(","))
        except ValueError:
            raise ValueError(f"{text!r}, expected numbers separated by commas, as 3,1,0") from None


def as_points(points: Any) -> Any:
    """Points as a tuple of floats; what cannot be one is returned as it is, for the rule to refuse."""
    try:
        return tuple(float(value) for value in points)
    except (TypeError, ValueError):
        return points


def sentence_for(methods: str, sentence: str) -> str:
    """A sentence, after the methods that it is for if these are named."""
    return f"For {methods}. {sentence}" if methods else sentence


def unranked_field(default: Value, choices: Sequence[str] = UNRANKED, *, unset: str = "") -> Value:
    """The places of items that a voter did not rank."""
    return choice(
        default,
        choices,
        help="Rank of the items that a voter did not rank: the mean of the remaining ranks (average), the last"
        " rank (worst), the first remaining rank (optimistic), or none (ignore).",
        unset=unset,
    )


def strength_field(default: Value, methods: str = "") -> Value:
    """The strength of a majority."""
    sentence = (
        "Strength of a majority: the weight of its supporters (winning), or that minus the weight of its opponents "
        "(margins)."
    )
    return choice(default, STRENGTHS, help=sentence_for(methods, sentence))


def pvalue_field(default: Value, methods: str = "") -> Value:
    """The p-value of robust rank aggregation."""
    sentence = "Scores are -log10 of the exact p-value, of the Bonferroni bound, or of rho itself (none)."
    return choice(default, PVALUES, help=sentence_for(methods, sentence))


def teleport_field(default: Value, methods: str = "") -> Value:
    """The share of jumps of a Markov chain."""
    sentence = "Share of steps that go to an item chosen at random, above 0 and below 1."
    return number(default, rule=SHARE, help=sentence_for(methods, sentence), metavar="P")


def prior_field(default: Value, methods: str = "") -> Value:
    """The prior of Plackett and Luce's model."""
    sentence = "Number of wins and of losses against an average item that are added to each item."
    return number(default, rule=NONNEGATIVE, help=sentence_for(methods, sentence), metavar="W")


def exact_field(default: Value, methods: str = "") -> Value:
    """Whether Kemeny's order is proved."""
    return declare(
        Switch(),
        default,
        sentence_for(methods, "Prove that no order is closer to the voters, or only search for a good order."),
        unset="prove it for up to 50 items in majority cycles, or 200 with a time limit",
    )


def time_limit_field(default: Value, methods: str = "") -> Value:
    """The time limit of a search."""
    sentence = "Seconds after which the best order found so far is returned."
    return number(default, rule=POSITIVE, help=sentence_for(methods, sentence), metavar="SECONDS", unset="no limit")


def restarts_field(default: Value, methods: str = "") -> Value:
    """The starts of the search for Kemeny's order."""
    return count(
        default, help=sentence_for(methods, "Number of starts of the search."), unset="32, or fewer for many items"
    )


def points_field(default: Value, methods: str = "") -> Value:
    """The points of Borda's count."""
    return declare(
        Points(),
        default,
        sentence_for(methods, "Points for each place, starting with the first; later places get 0."),
        metavar="P,...",
        unset="the number of items minus the rank",
    )


def quick_field() -> bool:
    """Whether Kemeny's order is one of many to find, such as those of the queries of runs."""
    sentence = "Prove the order for up to 14 items in majority cycles, and search from 4 starts for more."
    return switch(False, help=sentence, flag="")
