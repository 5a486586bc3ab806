"""Many short runs at once, joined and measured as one run of all their queries, which saves the overhead of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.data.hits import Hits, freeze
from rankscope.data.join import Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import is_mapping_of_mappings
from rankscope.data.scores import Scores
from rankscope.data.spans import SpanQrels
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining import MIN_NOTED_DOCUMENTS, unjudged_query_notes
from rankscope.evaluation.scoring import (
    empty_note,
    fingerprint_of,
    grade_notes,
    missing_note,
    tie_notes,
)
from rankscope.typing import Bools

__all__ = [
    "can_batch",
    "score_batch",
]


#: Queries and judgments, of all copies, that are measured at a time: their arrays fit the processor's cache.
CELLS = 1 << 16


def can_batch(plan: Plan, qrels: Qrels, runs: Sequence[Any]) -> bool:
    """Whether these runs can be measured together, and are short enough that it pays."""
    return (
        copies_at_a_time(qrels) > 1
        and len(runs) > 1
        and plan.missing != "error"  # the message names the run
        and plan.unjudged == "nonrelevant"
        and not plan.needs_subtopics
        and not plan.convention.merging
        and not isinstance(qrels, SpanQrels)
        and all(map(is_mapping_of_mappings, runs))
    )


def copies_at_a_time(qrels: Qrels) -> int:
    """How many runs are measured together."""
    return CELLS // (len(qrels.query_ids) + int(qrels.offsets[-1]))


def score_batch(plan: Plan, qrels: Qrels, runs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Scores:
    """The scores of these runs: the numbers, notes and settings that `score_hits` gives. See `can_batch`.

    Raises InputError for a run that cannot be joined; the message does not say which one that is.
    """
    systems, mappings = tuple(runs), list(runs.values())
    n_queries, at_a_time = len(qrels.query_ids), copies_at_a_time(qrels)
    values = np.empty((len(systems), len(plan.measures), n_queries))
    missing = np.empty((len(systems), n_queries), np.bool_)
    n_empty = np.zeros((len(systems), len(plan.measures)), np.int64)
    unjudged: list[str] = []
    has_unjudged = False  # whether a run has queries without judgments
    ties: list[tuple[int, int]] = []  # hits of each run that are tied, and all its hits
    for begin in range(0, len(systems), at_a_time):
        part = slice(begin, begin + at_a_time)
        joiner = joined_copies(plan, qrels, mappings[part])
        hits = joiner.finish()
        has_unjudged |= bool(joiner.unjudged_queries)
        ties += counts_of_ties(hits, n_queries)
        shape = (len(hits) // n_queries, n_queries)
        plan.refuse_levels_above_grades(hits)
        block, undefined = plan.values(hits, "")
        values[part] = block.reshape(len(plan.measures), *shape).swapaxes(0, 1)
        missing[part] = hits.missing.reshape(shape)
        for m in plan.may_lack_values:
            is_empty = np.isnan(block[m]) & (plan.measures[m].used(hits) == 0)
            n_empty[part, m] = is_empty.reshape(shape).sum(axis=1)
        unjudged += [
            system for system, is_unjudged in zip(systems[part], unjudged_runs(hits, shape), strict=True) if is_unjudged
        ]
    undefined = freeze(undefined[:, :n_queries].copy())
    base = hits.select(np.arange(n_queries))
    notes = list(qrels.notes)
    for system, queries in zip(systems, missing, strict=True):
        notes += missing_note(queries, system, plan)
    if has_unjudged:
        unjudged_queries = [[query for query in run if query not in qrels.places] for run in mappings]
        notes += unjudged_query_notes(systems, unjudged_queries, qrels.query_ids, list(missing))
    notes += tie_notes(systems, ties, plan.convention.ties, plan)
    for system, counts in zip(systems, n_empty, strict=True):
        notes += empty_note(counts, system, plan)
    return Scores(
        systems=systems,
        measures=plan.measures,
        query_ids=qrels.query_ids,
        values=freeze(values),
        missing=freeze(missing),
        undefined=undefined,
        settings=plan.settings(n_queries, hits),
        measure_settings=plan.measure_settings(hits),
        notes=(*notes, *grade_notes(base, plan, undefined)),
        aliases=plan.aliases,
        judgments=fingerprint_of(base),
        unjudged_systems=tuple(unjudged),
    )


def joined_copies(plan: Plan, qrels: Qrels, runs: Sequence[Mapping[str, Mapping[str, float]]]) -> Joiner:
    """The runs, joined as one run with as many copies of all queries."""
    copies = qrels.memory.get("copies")
    if copies is None or len(copies.query_ids) != len(runs) * len(qrels.query_ids):
        copies = qrels.memory["copies"] = qrels.repeat(len(runs))
    joiner = Joiner(copies, plan.convention, "run")
    joiner.add_mappings(runs, len(qrels.query_ids))
    return joiner


def counts_of_ties(hits: Hits, n_queries: int) -> list[tuple[int, int]]:
    """How many hits of each run are tied, and how many it has. hits: of runs with so many queries each."""
    ends = hits.offsets[::n_queries]
    tied_before = np.append(0, np.cumsum(hits.first < hits.last))
    return list(zip(np.diff(tied_before[ends]).tolist(), np.diff(ends).tolist(), strict=True))


def unjudged_runs(hits: Hits, shape: tuple[int, int]) -> list[bool]:
    """Whether no document of each run was judged, of those that are not small. shape: (runs, queries)."""
    n_hits = np.diff(hits.offsets).reshape(shape).sum(axis=1)
    is_unjudged: Bools = (n_hits == 0) & (hits.retrieved.reshape(shape).sum(axis=1) >= MIN_NOTED_DOCUMENTS)
    return list(is_unjudged.tolist())
