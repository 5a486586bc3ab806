"""A sample of a pool: what was drawn, what of it is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.data.qrels import Qrels
from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.wording import pluralise, pluralise_queries
from rankscope.judging.lists import RunLists
from rankscope.judging.pooled import judgments_from
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LEFT_OUT", "TO_JUDGE", "Sampled"]

#: What stands for a grade: pooled and not drawn; drawn and not judged yet.
LEFT_OUT, TO_JUDGE = -1, -2
COLUMNS = ("query", "pooled", "drawn", "judged")
#: Fewer drawn documents of a query say little of it.
FEW = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled:
    """A random sample of a pool.

    lists: the pool. chosen: (documents) whether drawn. grades: (documents) of those that are drawn and judged, -1
    elsewhere. merged: whether judgments were put in; elsewhere: how many of them were of documents not drawn. `qrels()`
    is what to judge, and what to evaluate with afterwards. `frame()` is the tidy table: query, pooled, drawn, judged;
    the last row is of all queries.
    """

    lists: RunLists
    chosen: npt.NDArray[np.bool_]
    grades: Ints
    merged: bool
    elsewhere: int
    rate: float
    seed: int

    @property
    def drawn(self) -> int:
        """How many documents were drawn."""
        return int(self.chosen.sum())

    @property
    def judged(self) -> int:
        """How many of them are judged."""
        return int((self.grades >= 0).sum())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return COLUMNS

    @cached_property
    def counts(self) -> Ints:
        """(queries, columns) how many documents are pooled, drawn, judged."""
        query = self.lists.query_of
        marks = (self.chosen, self.grades >= 0)
        drawn = [np.bincount(query[mark], minlength=self.lists.sizes.size) for mark in marks]
        return np.array([self.lists.sizes, *drawn]).T

    def records(self) -> Iterator[tuple[str, int, int, int]]:
        """The rows of the tidy table: a query each, then all of them."""
        for name, row in zip(self.lists.names, self.counts.tolist(), strict=True):
            yield (name, *row)
        yield ("all", *self.counts.sum(axis=0).tolist())

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        return tidy_frame(self)

    def qrels(self) -> Qrels:
        """The whole pool: grades where judged, -2 where drawn and still to be judged, -1 where not drawn. Of each query
        those to judge come first, then those judged, then the rest.
        """
        relevance = np.where(self.chosen, np.where(self.grades >= 0, self.grades, TO_JUDGE), LEFT_OUT)
        query = self.lists.query_of
        part = np.where(self.chosen, self.grades >= 0, 2)
        order = np.lexsort((part, query))
        return judgments_from(self.lists, order, relevance[order])

    @cached_property
    def notes(self) -> tuple[str, ...]:
        found = list(self.lists.notes)
        left = self.drawn - self.judged
        if self.elsewhere:
            found.append(
                f"{pluralise(self.elsewhere, 'judgment')} {'is' if self.elsewhere == 1 else 'are'} of documents that "
                "were not drawn, and left out: taken in, they would bias what is inferred"
            )
        if self.merged and left:
            hint = ""
            if 2 * self.judged < self.drawn and self.elsewhere:
                hint = "; were they drawn from the same runs with this rate, depth and seed?"
            found.append(f"{left:,} of the {self.drawn:,} drawn documents have no judgment yet (-2){hint}")
        return tuple(found)

    def sections(self) -> list[Section]:
        lists = self.lists
        sentence = (
            f"Of {pluralise(lists.size, 'pooled document')} of {pluralise_queries(len(lists.query_ids))} {self.drawn:,} were drawn "
            f"at random ({100 * self.rate:g} % of each query's)"
        )
        if self.merged:
            sentence += f"; {self.judged:,} of them are judged."
        else:
            sentence += ": those are to be judged (-2), the others are left as they are (-1)."
        fewest = int(self.counts[:, 1].min())
        if fewest < FEW:
            sentence += (
                f" Of some query only {fewest} {'was' if fewest == 1 else 'were'} drawn, which says little of it."
            )
        rows = tuple((name, *(f"{n:,}" for n in numbers)) for name, *numbers in self.records())
        table = Table(columns=COLUMNS, rows=rows)
        return [
            Section(title="A sample of the pool", sentence=sentence),
            Section(title="By query", table=table, folded=True),
        ]

    def signature(self) -> str:
        return (
            f"sample:{self.rate:g} | depth:{self.lists.depth} | runs:{len(self.lists.systems)} | "
            f"queries:{len(self.lists.query_ids)} | rng:{self.seed} | rankscope {__version__}"
        )

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"Sampled({self.drawn:,} of {pluralise(self.lists.size, 'document')}, {self.judged:,} judged)"
