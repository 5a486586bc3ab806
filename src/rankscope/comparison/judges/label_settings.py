"""Settings of the agreement of raters on labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from rankscope.settings import (
    NONNEGATIVE,
    Rule,
    Settings,
    choice,
    confidence_field,
    declare,
    name_list,
    number,
    resamples_field,
    seed_field,
    table_columns,
)
from rankscope.stats.confusion import beta_field, normalise_field

__all__ = [
    "GRADED",
    "STATISTICS",
    "LabelSettings",
    "LabelTableSettings",
]


#: Statistics by which a machine is compared with people.
STATISTICS = (
    "agreement",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "ac1",
    "ac2_linear",
    "ac2_quadratic",
    "fscore",
    "mcc",
)
#: Those that need an order of the labels.
GRADED = ("kappa_linear", "kappa_quadratic", "alpha_ordinal", "alpha_interval", "ac2_linear", "ac2_quadratic")


class LabelRule(Rule):
    """A label: a text or a number."""

    expected = "a label, which is a text or a number"

    def accepts(self, value: object) -> bool:
        return isinstance(value, (str, Real, np.bool_))


@dataclass(frozen=True, kw_only=True)
class LabelSettings(Settings):
    """How labels of raters are compared; see `agree_labels`."""

    FUNCTIONS = ("rankscope:agree_labels",)
    COMMANDS = ("agree labels",)

    machines: tuple[str, ...] | None = name_list(
        None,
        help="Raters that are machines: each is compared with people, beside what people agree with each other.",
        unset="all raters are people",
    )
    order: tuple[str, ...] | None = name_list(
        None,
        help="All labels from the lowest to the highest: bad,ok,good, also those that nobody gave. Weighted kappa, "
        "alpha and AC2 then count how far two labels are apart.",
        unset="numbers by size; texts have no order",
    )
    positive: str | float | None = declare(
        LabelRule(),
        None,
        "The positive class, for F, precision, recall and the other rates.",
        metavar="LABEL",
        unset="of two classes, the last in sorted order; of more than two, none",
    )
    beta: float = beta_field()
    normalise: str | None = normalise_field()
    statistic: str | None = choice(
        None,
        STATISTICS,
        help="Statistic by which machines are compared with people.",
        unset="alpha_ordinal for labels with an order, else alpha_nominal",
    )
    margin: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="How far below the agreement of people a machine may be and still reach it.",
    )
    confidence_level: float = confidence_field()
    n_resamples: int = resamples_field(2000, "Number of bootstrap resamples of the items, or of clusters of items.")
    seed: int = seed_field()


@dataclass(frozen=True, kw_only=True)
class LabelTableSettings(Settings):
    """How a table of labels is read."""

    FUNCTIONS = ("rankscope:agree_labels",)
    COMMANDS = ("agree labels",)

    raters: tuple[str, ...] | None = name_list(
        None,
        help="Columns of the raters, two or more: alice,bob,gpt4. The first of two is the reference.",
        unset="the columns true and predicted",
        columns=("true", "predicted", "rater", "raters", "label", "labels", "human", "gold"),
    )
    columns: Mapping[str, str] | None = table_columns(
        {"cluster": "document", "weight": "w"},
        help="Column names of clusters and weights of items: cluster=document,weight=w.",
        advice="columns of labels are named with --raters",
    )
