"""Credit of clicks: how much each interleaved system gets for what was clicked in an impression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankscope.errors import InputError
from rankscope.online.logs import Log, LogBatch, ShownLists, click_positions
from rankscope.typing import Floats, Ints

__all__ = [
    "BALANCED",
    "OPTIMISED",
    "TEAM_DRAFT",
    "Crediting",
    "Credits",
]


TEAM_DRAFT, BALANCED, OPTIMISED = "team-draft", "balanced", "optimised"


class Credits(NamedTuple):
    """The credit of some impressions.

    Attributes
    ----------
    values
        (impressions, systems)
    n_clicks
        (impressions)
    """

    values: Floats
    n_clicks: Ints


class Crediting:
    """Gives credit, batch by batch; the systems are those of the first batch with clicks.

    Parameters
    ----------
    log
        The log, for the lists that its impressions refer to.
    systems
        The systems in the order of the result. Default: those of the log.

    Attributes
    ----------
    systems
        The systems; () as long as no list and no click names them.
    method
        The method of interleaving.
    """

    def __init__(self, log: Log, systems: Sequence[str] = ()) -> None:
        self.log, self.systems, self.method = log, tuple(systems), ""

    def credit(self, batch: LogBatch) -> Credits:
        """The credit of each impression. Raises InputError for teams that are no system, and unknown lists."""
        n_clicks = np.bincount(batch.click_row, minlength=batch.n)
        lists, numbers = batch.shown, np.arange(batch.n)
        if self.log.lists is not None and batch.click_team is None:
            lists, numbers = self.log.lists.lists, self.log.lists.list_of(batch)
        has_credit = lists is not None and (
            lists.team is not None or lists.credit is not None or lists.ranks is not None
        )
        if lists is None or not has_credit:
            if batch.click_team is None:
                raise InputError(
                    f"{batch.where(0)}: no team, credit or ranks, expected who gets the credit of a click; add team to "
                    "the lines, or give the lists with lists (--lists)"
                )
            per_click = (batch.click_team[:, None] == np.arange(len(batch.systems))).astype(np.float64)
            return self.in_order(batch, batch.systems, per_click, n_clicks, TEAM_DRAFT)
        positions = click_positions(batch, lists, numbers)
        if lists.ranks is not None:
            per_click = counted_clicks(batch, lists, numbers, positions)
        else:
            per_click = lists.click_credit(positions)
        method = lists.method or (BALANCED if lists.ranks is not None else TEAM_DRAFT)
        return self.in_order(batch, lists.systems, per_click, n_clicks, method)

    def in_order(
        self, batch: LogBatch, names: Sequence[str], per_click: Floats, n_clicks: Ints, method: str
    ) -> Credits:
        """The sums by impression, in the order of the systems. per_click: (clicks, names)."""
        self.systems = self.systems or tuple(names)
        self.method = self.method or method
        if method != self.method:
            raise InputError(
                f"{batch.where(0)}: lists by {method} after others by {self.method}, expected one method of "
                "interleaving; analyse each by itself"
            )
        unknown = [place for place, name in enumerate(names) if name not in self.systems]
        if unknown and per_click[:, unknown].any():
            click = int(per_click[:, unknown].any(axis=1).argmax())
            name = names[unknown[int(per_click[click, unknown].argmax())]]
            raise InputError(
                f"{batch.where(int(batch.click_row[click]))}: a click of team {name!r}, expected one of "
                f"{', '.join(self.systems)}; name all systems with systems (--systems)"
            )
        values = np.zeros((batch.n, len(self.systems)))
        for place, name in enumerate(names):
            if name in self.systems:
                values[:, self.systems.index(name)] = np.bincount(batch.click_row, per_click[:, place], batch.n)
        return Credits(values, n_clicks)


def counted_clicks(batch: LogBatch, lists: ShownLists, list_of: Ints, positions: Ints) -> Floats:
    """(clicks, systems) 1 where a clicked document counts for a system by balanced interleaving.

    Parameters
    ----------
    batch
        The impressions.
    lists
        The lists, with ranks.
    list_of
        (n) the list of each impression.
    positions
        (clicks) where the clicked documents stand.

    Notes
    -----
    Down to the lowest click, the list has the first k documents of one of the systems, with k the better of the ranks
    that the lowest clicked document has in their lists. Clicks on the first k documents of a system count for it.
    """
    assert lists.ranks is not None
    lowest = np.zeros(batch.n, np.int64)
    np.maximum.at(lowest, batch.click_row, batch.click_rank)
    numbers = list_of[batch.click_row]
    ranks_of_lowest = lists.ranks[lists.offsets[numbers] + lowest[batch.click_row] - 1]
    k = np.where(ranks_of_lowest > 0, ranks_of_lowest, np.iinfo(np.int64).max).min(axis=1)
    ranks = lists.ranks[positions]
    return np.asarray((ranks > 0) & (ranks <= k[:, None]), np.float64)
