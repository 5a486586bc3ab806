"""Joining a large run whose queries are mixed, by way of temporary files."""

from __future__ import annotations

from operator import itemgetter

from rankscope.data.join import Joiner
from rankscope.data.rows import Rows
from rankscope.errors import InputError
from rankscope.evaluation.sources import Joined, Progress, first_of, stranger_notes
from rankscope.io.read import Source, apart_note
from rankscope.io.regrouped import Regrouped

__all__ = ["join_regrouped"]


def join_regrouped(joiner: Joiner, source: Source, progress: Progress | None) -> Joined:
    """Join a run whose queries come in any order. joiner: an empty one.

    Queries are joined in another order than that of the file, with the same result. Raises InputError: of several
    faults that of the query that comes first in the file, as for a run that is read whole.
    """
    first = ""
    faults: list[tuple[int, InputError]] = []
    with Regrouped(source.name) as regrouped:
        order = regrouped.known.ids
        for rows in regrouped.rows(source.stretches(progress), source.row_called):
            first = first or first_of(rows)
            try:
                joiner.add(rows)
            except InputError as error:
                faults.append(first_fault(rows, joiner, order) or (0, error))
        notes: tuple[str, ...] = (apart_note(source.name, regrouped.apart),) if regrouped.apart else ()
    if faults:
        raise min(faults, key=itemgetter(0))[1]
    if not joiner.answered:
        joiner.unknown.sort(key=lambda name: order[name.encode("utf-8", "surrogateescape")])
    hits = joiner.finish()
    notes += stranger_notes(joiner.qrels, hits, joiner.name, lambda: first)
    return Joined(joiner.name, hits, notes, source.path)


def first_fault(rows: Rows, joiner: Joiner, order: dict[bytes, int]) -> tuple[int, InputError] | None:
    """The first of these queries that cannot be joined: its place in `order`, and why."""
    search = Joiner(joiner.qrels, joiner.convention, joiner.name)
    for q, query in enumerate(rows.query_ids):
        try:
            search.add(rows.part(q, q + 1))
        except InputError as error:
            return order[query], error
    return None
