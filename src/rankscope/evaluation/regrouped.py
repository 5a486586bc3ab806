"""Joining a large run whose queries are mixed, by way of temporary files."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Protocol

from rankscope.data.join import Joiner
from rankscope.data.rows import Rows
from rankscope.data.stretches import RowBatch
from rankscope.errors import InputError
from rankscope.evaluation.run_files import Progress, RunPart, first_document
from rankscope.io.regrouped import ExternalGroupBy

__all__ = ["BatchSource", "join_ungrouped"]


class BatchSource(Protocol):
    """A file, or several, whose rows are read in their order; as of `Source`."""

    name: str

    @property
    def run_tag(self) -> str | None: ...
    def stretches(self, progress: Progress | None = None) -> Iterator[RowBatch]: ...
    def row_called(self, number: int) -> str: ...


def join_ungrouped(joiner: Joiner, source: BatchSource, progress: Progress | None) -> RunPart:
    """Join a run whose queries come in any order. joiner: an empty one.

    Queries are joined in another order than that of the file, with the same result. Raises InputError: of several
    faults that of the query that comes first in the file, as for a run that is read whole.
    """
    first = ""
    faults: list[tuple[int, InputError]] = []
    with ExternalGroupBy(source.name) as regrouped:
        order = regrouped.known.ids
        for rows in regrouped.rows(source.stretches(progress), source.row_called):
            first = first or first_document(rows)
            try:
                joiner.add(rows)
            except InputError as error:
                faults.append(first_fault(rows, joiner, order) or (0, error))
    if faults:
        raise min(faults, key=itemgetter(0))[1]
    joiner.unknown.sort(key=lambda name: order[name.encode("utf-8", "surrogateescape")])
    return RunPart(joiner.portion(), source.run_tag or "", regrouped.apart, first=first)


def first_fault(rows: Rows, joiner: Joiner, order: dict[bytes, int]) -> tuple[int, InputError] | None:
    """The first of these queries that cannot be joined: its place in `order`, and why."""
    search = Joiner(joiner.qrels, joiner.convention, joiner.name)
    search.advice = joiner.advice
    for q, query in enumerate(rows.query_ids):
        try:
            search.add(rows.part(q, q + 1))
        except InputError as error:
            return order[query], error
    return None
