"""The settings of a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.consensus.models import PAIR_MODELS
from rankscope.settings import (
    NONNEGATIVE,
    Settings,
    choice,
    confidence_field,
    excludes,
    names,
    needs,
    number,
    resamples_field,
    seed_field,
    switch,
    table_columns,
    text,
)

__all__ = [
    "FEWEST",
    "INFORMATION",
    "INTERVALS",
    "MODELS",
    "PLACKETT_LUCE",
    "SCALES",
    "UNRANKED_CHOICES",
    "LeaderboardSettings",
]


#: The model of votes on several systems at once.
PLACKETT_LUCE = "plackett-luce"
MODELS = (*PAIR_MODELS, PLACKETT_LUCE)
SCALES = ("elo", "log", "wins")
INFORMATION = "information"
INTERVALS = ("bootstrap", INFORMATION)
#: Treatments of systems that a voter did not rank.
UNRANKED_CHOICES = ("ignore", "worst")
#: The fewest resamples for percentiles.
FEWEST = 20
#: Effects in comparisons of two systems.
OF_TWO = excludes(model=PLACKETT_LUCE, reason="that model is for votes, not for comparisons of two")


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(Settings):
    """How systems are rated; see `rankscope.leaderboard`."""

    FUNCTIONS = ("rankscope:leaderboard",)
    COMMANDS = ("leaderboard",)

    model: str = choice(
        "bradley-terry",
        MODELS,
        help="Model of the preferences: a tie is half a win for each side (bradley-terry) or an outcome of its own "
        "(davidson); plackett-luce is for votes on several systems at once.",
    )
    covariates: tuple[str, ...] = names(
        (),
        help="Column whose effect is removed from the ratings, such as length, or NAME for the columns NAME_left and "
        "NAME_right; may be repeated.",
        flag="--covariate",
        python_help="Name or names of covariates whose effect is removed from the ratings, such as the difference in "
        "length.",
        depends=OF_TWO,
    )
    position: bool = switch(False, help="Remove the effect of standing on the left side.", depends=OF_TWO)
    cluster_by: str | None = text(
        None,
        help="Column of the cluster of a comparison, such as its prompt; for scores of that of a query, or a regular "
        "expression that finds it in the id of a query. The bootstrap draws whole clusters.",
        metavar="COLUMN|REGEX",
        unset="for scores a column cluster, if there is one",
    )
    columns: Mapping[str, str] | None = table_columns(
        {"left": "model_1", "winner": "verdict"},
        help="Column names in a file of comparisons, where NAME is left, right, winner, better, worse or weight: "
        "left=model_1,winner=verdict; of rankings, votes and scores as for `agree ranks`, `consensus`, `compare`.",
    )
    column: str | None = text(
        None,
        help="For rankings: column that says which system is better.",
        unset="the human ranks",
        metavar="NAME",
        columns=("rank",),
    )
    pair: str | None = text(
        None,
        help="For rankings: use only this language pair, such as cs-en.",
        unset="all language pairs together",
        metavar="LANGPAIR",
    )
    measure: str | None = text(
        None,
        help="For scores: measure that compares the systems on each query.",
        unset="the measure of the scores, if there is only one",
        metavar="NAME",
    )
    unranked: str = choice(
        "ignore",
        UNRANKED_CHOICES,
        help="For votes: systems that a voter did not rank are ignored (ignore), or come after the ranked ones "
        "(worst).",
        depends=needs(model=PLACKETT_LUCE, reason="only votes leave systems out"),
    )
    prior: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="Number of wins and of losses against an average system that are added to each system.",
        metavar="N",
    )
    scale: str = choice(
        "elo",
        SCALES,
        help="Scale of the ratings: Elo points, logarithms of odds (log), or the percentage of comparisons won (wins).",
    )
    interval: str = choice(
        "bootstrap",
        INTERVALS,
        help="Intervals from resamples (bootstrap) or, which is faster, from the information matrix (information), as "
        "if all comparisons were independent.",
    )
    confidence_level: float = confidence_field()
    n_resamples: int = resamples_field(
        1000,
        "Number of bootstrap resamples or, with `--interval information`, of draws from the normal "
        "distribution whose covariance comes from the information matrix.",
        minimum=FEWEST,
    )
    seed: int = seed_field()

    @property
    def is_of_votes(self) -> bool:
        """Whether the model is for votes on several systems at once."""
        return self.model == PLACKETT_LUCE
