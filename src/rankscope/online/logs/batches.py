"""Impressions of a log, batch by batch: who saw which list, and what was clicked, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.kernels.text import Fields, decode, encode
from rankscope.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LogBatch",
    "ShownLists",
    "Texts",
    "click_positions",
]


class Texts(NamedTuple):
    """A column of texts, as bytes.

    Attributes
    ----------
    fields
        The texts, empty where one is missing.
    is_missing
        Whether each is missing; None if none is.
    """

    fields: Fields
    is_missing: Bools | None = None

    @classmethod
    def of(cls, column: pl.Series) -> Texts:
        """From a column of strings."""
        is_missing = column.is_null().to_numpy() if column.null_count() else None
        return cls(encode(column.fill_null("").to_list()), is_missing)

    def text(self, row: int) -> str:
        """One of them."""
        return decode(self.fields.take(np.array([row])))[0].decode("utf-8", "replace")


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownLists:
    """Lists that were shown, one after the other, with what the credit of clicks needs.

    Attributes
    ----------
    offsets
        (lists + 1) where the documents of each list begin.
    documents
        (shown) ids; None if the log does not have them.
    systems
        Names of the interleaved systems.
    team
        (shown) the system that each document belongs to, as a place in `systems`, -1 for none; None without teams.
    credit
        (shown, systems) credit of each system for a click; None without credit.
    ranks
        (shown, systems) rank in each system's list, from 1, 0 if it is not there; None without ranks.
    propensity
        (shown) probability with which the document was shown at its rank; None without propensities.
    method
        The method of interleaving; "" if the log does not say it.
    """

    offsets: Ints
    documents: pl.Series | None = None
    systems: tuple[str, ...] = ()
    team: Ints | None = None
    credit: Floats | None = None
    ranks: Ints | None = None
    propensity: Floats | None = None
    method: str = ""

    @property
    def lengths(self) -> Ints:
        """(lists) how long each is."""
        return np.diff(self.offsets)

    def click_credit(self, positions: Ints) -> Floats:
        """(clicks, systems) the credit of clicks. positions: (clicks) indices of documents."""
        if self.credit is not None:
            return np.asarray(self.credit[positions])
        assert self.team is not None
        return np.asarray(self.team[positions][:, None] == np.arange(len(self.systems)), np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class LogBatch:
    """Some impressions of a log.

    Attributes
    ----------
    n
        How many there are.
    columns
        query, user, session, time and list, as far as they are needed and the log has them.
    click_row
        (clicks) the impression of each click, rising.
    click_rank
        (clicks) from 1; 0 where the log does not say it.
    click_team
        (clicks) as `ShownLists.team`, where the log has the team of clicked documents only; None in other logs.
    systems
        The names that `click_team` refers to.
    shown
        The list of each impression; None if the log does not have it.
    where
        File and line of an impression, for messages.
    """

    n: int
    columns: Mapping[str, Texts]
    click_row: Ints
    click_rank: Ints
    click_team: Ints | None = None
    systems: tuple[str, ...] = ()
    shown: ShownLists | None = None
    where: Callable[[int], str]


def click_positions(batch: LogBatch, lists: ShownLists, list_of: Ints) -> Ints:
    """(clicks) where the clicked documents stand among those of the lists.

    Parameters
    ----------
    batch
        The impressions.
    lists
        The lists.
    list_of
        (n) the list of each impression.

    Raises
    ------
    InputError
        A click is below the end of its list.
    """
    numbers = list_of[batch.click_row]
    lengths = lists.lengths[numbers]
    is_below = batch.click_rank > lengths
    if is_below.any():
        click = int(is_below.argmax())
        raise InputError(
            f"{batch.where(int(batch.click_row[click]))}: a click at rank {batch.click_rank[click]}, expected a rank "
            f"from 1 to {lengths[click]}, the length of the list; correct it"
        )
    return np.asarray(lists.offsets[numbers] + batch.click_rank - 1)
