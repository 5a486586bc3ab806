"""The settings of a test of interleaved systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.online.logs import ACTIONS, IMPRESSION
from rankscope.settings import (
    Number,
    Settings,
    alpha_field,
    choice,
    name_list,
    number,
    resamples_field,
    seed_field,
    share,
    table_columns,
)
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "ANYTIME",
    "CLUSTERS",
    "OUTCOMES",
    "TESTS",
    "InterleavingTestSettings",
]


CLUSTERS = ("user", "session", "query", IMPRESSION)
#: What an impression counts for a system: 1 for a win, the share of its clicks, or the sum of their credit.
WIN, SHARE, SUM = "win", "share", "sum"
OUTCOMES = (WIN, SHARE, SUM)
ANYTIME = "anytime"
TESTS = ("t", "sign", "bootstrap", ANYTIME)
NO_CLICKS = ("drop", "tie")


@dataclass(frozen=True, kw_only=True)
class InterleavingTestSettings(Settings):
    """Who won; see `rankscope.online.interleaving_test`."""

    FUNCTIONS = ("rankscope.online:interleaving_test",)
    COMMANDS = ("online",)

    cluster_by: str | None = choice(
        None,
        CLUSTERS,
        help="What is independent of each other: impressions of one user, session or query are a cluster.",
        unset="user or else session, if the log has them; else impression",
    )
    outcome: str | None = choice(
        None,
        OUTCOMES,
        help="What an impression counts: who has more credit (win), the difference of credit by click (share), or its "
        "sum over the clicks (sum).",
        unset="win; share for probabilistic and optimised interleaving",
    )
    no_clicks: str = choice("drop", NO_CLICKS, help="Impressions without clicks are dropped, or are ties.")
    test: str = choice(
        "t",
        TESTS,
        help="Test and interval of the mean difference: cluster t, sign test of the units, cluster bootstrap, or the "
        "confidence sequence that may be looked at every day (anytime).",
    )
    correction: str = choice("holm", tuple(CORRECTIONS), help="Correction of p-values for several pairs of systems.")
    alpha: float = alpha_field(help="Significance level; intervals have the level 1 - alpha.")
    difference: float | None = number(
        None,
        rule=Number(0, low_open=True, expected="a number above 0"),
        help="Mean difference that another experiment should be able to show.",
        unset="the observed one",
        metavar="D",
    )
    power: float = share(0.8, help="Statistical power of that experiment.")
    systems: tuple[str, ...] = name_list((), help="Systems in this order.", unset="those of the log")
    actions: tuple[str, ...] = name_list(ACTIONS, help="Actions of UBI events that count as clicks.")
    columns: Mapping[str, str] | None = table_columns(
        {"user": "visitor", "team": "variant"},
        help="Names of columns in the log and in the lists, where NAME is query, user, session, time, list, clicks, "
        "click_teams, documents, team, credit, ranks, systems or propensity.",
    )
    n_resamples: int = resamples_field(2000, "Number of bootstrap resamples.")
    seed: int = seed_field()
