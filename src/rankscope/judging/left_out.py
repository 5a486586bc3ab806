"""What leaving each run out of the pool does to it, shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.cells import format_value
from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.wording import join_names, pluralise
from rankscope.typing import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LeftOut"]

COLUMNS = (
    "system",
    "measure",
    "mean",
    "rank",
    "mean_without",
    "rank_without",
    "unjudged",
    "unjudged_without",
    "only_here",
    "only_here_relevant",
)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOut:
    """What becomes of each run had it not taken part in the pool.

    All are (systems). mean, rank: as it is; 1 is the best rank, equal ones share the better one. mean_without,
    rank_without: under the judgments without the documents that no other run has. unjudged, unjudged_without: the share
    of its first `cutoff` documents without a judgment. only_here, only_here_relevant: how many judged documents no
    other run has among its first `depth`, and how many of them are relevant. `frame()` is all this as a tidy table.
    """

    measure: str
    systems: tuple[str, ...]
    mean: Floats
    rank: Ints
    mean_without: Floats
    rank_without: Ints
    unjudged: Floats
    unjudged_without: Floats
    only_here: Ints
    only_here_relevant: Ints
    depth: int
    cutoff: int
    measured: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for s, system in enumerate(self.systems):
            yield (system, self.measure, *(getattr(self, name)[s].item() for name in COLUMNS[2:]))

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        return tidy_frame(self)

    def sections(self) -> list[Section]:
        headings = (
            "run",
            self.measure,
            "rank",
            "without",
            "rank without",
            f"unjudged @{self.cutoff}",
            "without",
            "judged alone",
            "relevant",
        )
        rows = tuple(
            (
                system,
                format_value(mean, "mean"),
                str(rank),
                format_value(mean_without, "mean"),
                str(rank_without),
                f"{100 * unjudged:.1f} %",
                f"{100 * unjudged_without:.1f} %",
                f"{only:,}",
                f"{relevant:,}",
            )
            for system, _, mean, rank, mean_without, rank_without, unjudged, unjudged_without, only, relevant in (
                self.records()
            )
        )
        order = np.lexsort((np.arange(self.rank.size), self.rank)).tolist()
        table = Table(columns=headings, rows=tuple(rows[i] for i in order))
        return [Section(title="Each run, had it not taken part", sentence=self.sentence(), table=table)]

    def sentence(self) -> str:
        """Who would lose by it."""
        down = self.rank_without - self.rank
        start = (
            f"Without: judgments of documents that no other run has among its first {self.depth} are taken away, as if "
            "that run were new. "
        )
        if not down.any():
            return f"{start}No run would change its rank by {self.measure}."
        worst = int(np.argmax(down))
        moved = [self.systems[i] for i in np.flatnonzero(down > 0).tolist()]
        if down[worst] <= 0:
            return f"{start}No run would fall by {self.measure}; {pluralise(int((down < 0).sum()), 'run')} would rise."
        return (
            f"{start}{join_names(moved)} would fall by {self.measure}; the furthest {self.systems[worst]}, from rank "
            f"{self.rank[worst]} to {self.rank_without[worst]}. Of a new run like it, fewer documents would be judged "
            "than of those that took part."
        )

    def signature(self) -> str:
        return f"left out of the pool | depth:{self.depth} | unjudged@{self.cutoff} | {self.measured}"

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"LeftOut({pluralise(len(self.systems), 'system')}, {self.measure}, depth {self.depth})"
