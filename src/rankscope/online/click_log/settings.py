"""The settings of what clicks say of ranks and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.online.logs import ACTIONS
from rankscope.settings import (
    NONNEGATIVE,
    Settings,
    choice,
    confidence_field,
    count,
    name_list,
    needs,
    number,
    table_columns,
)

__all__ = [
    "EXPECTATIONS",
    "ClickSettings",
]


#: By what the clicks on a document are divided: the mean click-through of its ranks, or the position bias.
CLICK_THROUGH, BIAS = "click-through", "bias"
EXPECTATIONS = (CLICK_THROUGH, BIAS)


@dataclass(frozen=True, kw_only=True)
class ClickSettings(Settings):
    """What is estimated from clicks; see `rankscope.online.summarise_clicks`."""

    FUNCTIONS = ("rankscope.online:summarise_clicks",)
    COMMANDS = ("clicks",)

    expected: str = choice(
        CLICK_THROUGH,
        EXPECTATIONS,
        help="Clicks that are expected of a document, by which its own are divided: the mean click-through of the "
        "ranks at which it was shown, or how likely these are examined (bias).",
    )
    eta: float | None = number(
        None,
        rule=NONNEGATIVE,
        help="For bias: a rank is examined with the probability 1 / rank^eta.",
        unset="estimated from documents that were shown at several ranks",
        depends=needs(expected=BIAS),
    )
    prior: float = number(
        0.0,
        rule=NONNEGATIVE,
        help="Expected clicks that are added to each document, with the mean outcome; more pulls grades of few "
        "impressions to the mean.",
        metavar="N",
    )
    min_impressions: int = count(10, help="Fewest impressions of a document that gets a grade.")
    confidence_level: float = confidence_field()
    actions: tuple[str, ...] = name_list(ACTIONS, help="Actions of UBI events that count as clicks.")
    columns: Mapping[str, str] | None = table_columns(
        {"query": "search_term", "documents": "hits"},
        help="Names of columns in the log and in the lists, where NAME is query, list, clicks or documents.",
    )
