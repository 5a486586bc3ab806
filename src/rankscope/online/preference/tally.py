"""The sums of a log that its test needs, added up batch by batch: by unit, and by unit and day for daily looks."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.kernels.segments import sum_by_group
from rankscope.kernels.text import hashes
from rankscope.online.credit import BALANCED, TEAM_DRAFT, Credits
from rankscope.online.logs import IMPRESSION, LogBatch, Texts
from rankscope.online.preference.days import day_of_time
from rankscope.online.preference.settings import ANYTIME, SHARE, WIN, InterleavingTestSettings
from rankscope.typing import Bools, Floats, Indices, Ints, Words

__all__ = [
    "Tally",
    "UnitSums",
]


#: What stands in the second key of a unit that is a single row.
ALONE = np.uint64(2**64 - 1)
#: Rows that are held before they are added up.
PENDING = 1 << 22


class UnitSums(NamedTuple):
    """Sums by unit.

    Attributes
    ----------
    n
        (units) impressions.
    sums
        (pairs, units) of the outcomes.
    days
        (units) the first day of each.
    """

    n: Floats
    sums: Floats
    days: Ints

    @property
    def means(self) -> Floats:
        """(pairs, units) the mean outcome of each unit."""
        return np.asarray(self.sums / self.n)


class UnitRows(NamedTuple):
    """Impressions, or sums of those of a unit, or of a unit and day.

    Attributes
    ----------
    key, second_key
        (rows) what tells units apart.
    day
        (rows) the day; 0 for all where days do not count.
    first
        (rows) the first impression, counted in the log.
    n
        (rows) impressions.
    sums
        (pairs, rows) of the outcomes.
    """

    key: Words
    second_key: Words
    day: Ints
    first: Ints
    n: Floats
    sums: Floats


class Tally:
    """Sums over the impressions of a log.

    Parameters
    ----------
    settings
        The settings of the test.

    Attributes
    ----------
    cluster_by, outcome
        Those of the settings, or the default for this log; "" before the first batch.
    method
        The method of interleaving.
    pairs
        The two systems of each pair, as places.
    n, n_without_clicks, n_clicks
        Impressions that count, those without clicks, and clicks.
    credit
        (systems) sums of credit.
    wins, ties, losses
        (pairs) impressions.
    totals, squares
        (pairs) sums of the outcomes and of their squares.
    """

    def __init__(self, settings: InterleavingTestSettings) -> None:
        self.settings = settings
        self.cluster_by, self.outcome, self.method = settings.cluster_by or "", settings.outcome or "", ""
        self.pairs: list[tuple[int, int]] = []
        self.n = self.n_without_clicks = self.n_clicks = self.n_read = 0
        self.credit, self.wins, self.ties, self.losses, self.totals, self.squares = (np.zeros(0) for _ in range(6))
        self.values: list[Floats] = []
        self.days: list[Ints] = []
        self.pending: list[UnitRows] = []
        self.n_pending = 0

    @property
    def needs_days(self) -> bool:
        """Whether the day of each impression counts."""
        return self.settings.test == ANYTIME

    @property
    def holds_values(self) -> bool:
        """Whether each impression is a unit whose outcome is needed by itself."""
        return self.cluster_by == IMPRESSION and self.settings.test in ("bootstrap", ANYTIME)

    def start(self, batch: LogBatch, n_systems: int, method: str) -> None:
        """Decide what the log leaves open, by its first batch."""
        self.cluster_by = self.cluster_by or next(
            (name for name in ("user", "session") if name in batch.columns), IMPRESSION
        )
        if self.cluster_by != IMPRESSION and self.cluster_by not in batch.columns:
            raise InputError(
                f"{batch.where(0)}: no column {self.cluster_by!r}, the cluster_by (--cluster-by); add it, or "
                "choose another"
            )
        self.method = method
        self.outcome = self.outcome or (WIN if method in (TEAM_DRAFT, BALANCED) else SHARE)
        self.pairs = list(combinations(range(n_systems), 2))
        self.credit = np.zeros(n_systems)
        self.wins, self.ties, self.losses, self.totals, self.squares = (np.zeros(len(self.pairs)) for _ in range(5))

    def add(self, batch: LogBatch, credits: Credits, method: str) -> None:
        """Add a batch with the credit of its impressions. Raises InputError for a unit or a time that it lacks."""
        if not self.pairs:
            self.start(batch, credits.values.shape[1], method)
        counts = credits.n_clicks > 0
        self.n_without_clicks += int(batch.n - counts.sum())
        self.n_clicks += int(credits.n_clicks.sum())
        if self.settings.no_clicks == "tie":
            counts = np.ones(batch.n, np.bool_)
        values, n_clicks = credits.values[counts], credits.n_clicks[counts]
        differences = np.stack([values[:, a] - values[:, b] for a, b in self.pairs])
        self.n += n_clicks.size
        self.credit += values.sum(axis=0)
        self.wins += (differences > 0).sum(axis=1)
        self.ties += (differences == 0).sum(axis=1)
        self.losses += (differences < 0).sum(axis=1)
        if self.outcome == WIN:
            outcomes = np.sign(differences)
        else:
            outcomes = differences / np.maximum(n_clicks, 1) if self.outcome == SHARE else differences
        self.totals += outcomes.sum(axis=1)
        self.squares += (outcomes * outcomes).sum(axis=1)
        if self.cluster_by != IMPRESSION:
            self.add_units(batch, counts, outcomes)
        elif self.holds_values:
            self.values.append(outcomes)
            self.days.append(self.days_of(batch)[counts])
        self.n_read += batch.n

    def days_of(self, batch: LogBatch) -> Ints:
        """(n) the day of each impression, from 1970-01-01; 0 for all where days do not count or the log has no time."""
        if not self.needs_days or "time" not in batch.columns:
            return np.zeros(batch.n, np.int64)
        return day_of_time(batch.columns["time"], batch.where)

    def add_units(self, batch: LogBatch, counts: npt.NDArray[np.bool_], outcomes: Floats) -> None:
        """Add the outcomes of the impressions that count, by unit."""
        rows = np.flatnonzero(counts)
        key, second_key = unit_keys(batch.columns[self.cluster_by], rows, self.n_read)
        day, first = (self.days_of(batch)[rows], self.n_read + rows) if self.needs_days else (zeros(rows.size),) * 2
        n = np.broadcast_to(1.0, rows.size)  # needs no memory
        self.pending.append(UnitRows(key, second_key, day, first, n, outcomes))
        self.n_pending += rows.size
        if self.n_pending > PENDING:
            self.add_pending()

    def add_pending(self) -> UnitRows:
        """The sums of what is pending by unit, and by day where days count; they take its place."""
        parts, self.pending = self.pending, []
        n_rows = sum(part.n.size for part in parts)
        rows = UnitRows(
            key=np.concatenate([part.key for part in parts]),
            second_key=np.concatenate([part.second_key for part in parts]),
            day=np.concatenate([part.day for part in parts]) if self.needs_days else zeros(n_rows),
            first=np.concatenate([part.first for part in parts]) if self.needs_days else zeros(n_rows),
            n=np.concatenate([part.n for part in parts]),
            sums=np.concatenate([part.sums for part in parts], axis=1),
        )
        parts.clear()
        rows = sum_rows(rows)
        self.pending, self.n_pending = [rows], 0
        return rows

    def by_unit(self, *, first_day: bool = True) -> UnitSums:
        """The sums by unit; where days count, of its first day, in the order of the first impressions.

        first_day: if not, those of all days.
        """
        rows = self.add_pending()
        if self.needs_days and first_day:
            places = np.flatnonzero(is_first_of_unit(rows))
            places = places[np.lexsort((rows.first[places], rows.day[places]))]
            return UnitSums(rows.n[places], rows.sums[:, places], rows.day[places])
        if self.needs_days:
            rows = sum_rows(rows._replace(day=zeros(rows.day.size)))
        return UnitSums(rows.n, rows.sums, rows.day)


def sum_rows(rows: UnitRows) -> UnitRows:
    """The sums by unit and day, ordered by them; those of a unit are added in the order of its rows.

    All orders are stable, so that the first row of each unit and day has its first impression.
    """
    order, is_first = sort_units(rows.key, rows.second_key)
    if rows.day.any():
        code, earliest = group_numbers(order, is_first), int(rows.day.min())
        code *= int(rows.day.max()) - earliest + 1
        code += rows.day
        code -= earliest
        order = np.argsort(code, kind="stable")
        is_first = differs_from_last(code[order])
    firsts = order[is_first]
    groups = group_numbers(order, is_first)
    del order, is_first
    return UnitRows(
        key=rows.key[firsts],
        second_key=rows.second_key[firsts],
        day=rows.day[firsts],
        first=rows.first[firsts],
        n=sum_by_group(rows.n, groups, firsts.size),
        sums=np.stack([sum_by_group(outcomes, groups, firsts.size) for outcomes in rows.sums]),
    )


def sort_units(key: Words, second_key: Words) -> tuple[Indices, Bools]:
    """The stable order of rows by unit, and (rows) which in that order are the first of a unit."""
    order = np.argsort(key, kind="stable")
    is_first = differs_from_last(key[order])
    is_other = differs_from_last(second_key[order])
    if (is_other & ~is_first).any():  # units with the same first key
        order = np.lexsort((second_key, key))
        is_first = differs_from_last(key[order]) | differs_from_last(second_key[order])
    return order, is_first


def group_numbers(order: Indices, is_first: Bools) -> Ints:
    """(rows) the group of each row, where an order has them group by group; is_first: which in that order begin one."""
    numbers: Ints = np.cumsum(is_first, dtype=np.int64)
    numbers -= 1
    groups = np.empty(order.size, np.int64)
    groups[order] = numbers
    return groups


def is_first_of_unit(rows: UnitRows) -> Bools:
    """(rows) the first of each unit among sums in order."""
    return differs_from_last(rows.key) | differs_from_last(rows.second_key)


def zeros(n: int) -> Ints:
    """Zeros that need no memory."""
    return np.broadcast_to(np.int64(0), n)


def differs_from_last(values: Words | Ints) -> Bools:
    """(rows) whether each differs from the one before it; true for the first."""
    differs = np.ones(values.size, np.bool_)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def unit_keys(texts: Texts, rows: Ints, n_before: int) -> tuple[Words, Words]:
    """(rows) two hashes of the unit of each row: units are the same where both are, as 128 bits tell them apart.

    A row whose unit is missing is a unit of its own. n_before: how many rows came before this batch.
    """
    fields = texts.fields.take(rows)
    first, second = hashes(fields), hashes(fields, seed=1)
    if texts.is_missing is not None:
        missing = np.flatnonzero(texts.is_missing[rows])
        first[missing], second[missing] = n_before + rows[missing], ALONE
    return first, second
