"""The sums of a log that its test needs, added up batch by batch: by unit, and by unit and day for daily looks."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.kernels.text import hashes
from rankscope.online.credit import BALANCED, TEAM_DRAFT, Credits
from rankscope.online.logs import IMPRESSION, LogBatch, Texts
from rankscope.online.preference.days import day_of_time
from rankscope.online.preference.settings import ANYTIME, SHARE, WIN, InterleavingTestSettings
from rankscope.typing import Floats, Ints, Words

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Tally",
    "UnitSums",
]


#: The columns that tell units apart, and what stands in the second for a unit that is a single row.
KEYS, ALONE = ["key", "second key"], np.uint64(2**64 - 1)
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
        self.pending: list[pl.DataFrame] = []
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
        import polars as pl

        rows = np.flatnonzero(counts)
        columns: dict[str, Any] = dict(
            zip(KEYS, unit_keys(batch.columns[self.cluster_by], rows, self.n_read), strict=True)
        )
        if self.needs_days:
            columns["day"] = self.days_of(batch)[rows]
            columns["first"] = self.n_read + rows
        columns |= {f"outcome {pair}": values for pair, values in enumerate(outcomes)}
        self.pending.append(pl.DataFrame(columns).with_columns(n=pl.lit(1.0)))
        self.n_pending += rows.size
        if self.n_pending > PENDING:
            self.pending, self.n_pending = [self.summed(pl.concat(self.pending))], 0

    def summed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The sums by unit, and by day where days count."""
        import polars as pl

        keys = [*KEYS, "day"] if self.needs_days else KEYS
        first = [pl.col("first").min()] if self.needs_days else []
        return frame.group_by(keys).agg(*first, pl.col("^(n|outcome .*)$").sum())

    def by_unit(self, *, first_day: bool = True) -> UnitSums:
        """The sums by unit; where days count, of its first day, in the order of the first impressions.

        first_day: if not, those of all days.
        """
        import polars as pl

        frame = self.summed(pl.concat(self.pending))
        if self.needs_days and first_day:
            frame = frame.sort("day", "first").unique(KEYS, keep="first", maintain_order=True)
        else:
            if self.needs_days:
                frame = frame.group_by(KEYS).agg(pl.col("^(n|outcome .*)$").sum())
            frame = frame.sort(KEYS)
        sums = np.stack([frame[f"outcome {pair}"].to_numpy() for pair in range(len(self.pairs))])
        days = frame["day"].to_numpy() if "day" in frame.columns else np.zeros(frame.height, np.int64)
        return UnitSums(frame["n"].to_numpy(), sums, days)


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
