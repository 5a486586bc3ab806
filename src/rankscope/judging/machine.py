"""Judgments of a machine beside those of people: the same scale and queries, or a line that says what is amiss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows
from rankscope.data.wording import first_names, join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes
from rankscope.stats.inputs import LARGEST

__all__ = [
    "parse_grade_map",
    "beyond_scale_note",
    "check_queries",
    "judged_queries",
    "map_grades",
    "refuse_different_scale",
    "refuse_unknown",
]


def parse_grade_map(given: Any) -> dict[int, int] | None:
    """Which grade of the machine is which of people's: a mapping of whole numbers, or text as "0=0,1=1,2=1".

    Raises ParameterError for anything else, and for a grade that stands twice.

    >>> parse_grade_map("0=0, 1=0, 2=1, 3=2")
    {0: 0, 1: 0, 2: 1, 3: 2}
    """
    if given is None:
        return None
    expected = "expected the machine's grades with people's, as 0=0,1=0,2=1"
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, str):
        pairs = [tuple(part.split("=")) for part in given.split(",")]  # type: ignore[misc]  # counted below
    else:
        raise ParameterError(f"map (--map) is {given!r}, {expected}")
    found: dict[int, int] = {}
    for pair in pairs:
        try:
            if len(pair) != 2 or any(isinstance(side, (float, bool)) for side in pair):
                raise ValueError
            theirs, ours = (int(side) for side in pair)
        except (TypeError, ValueError):
            raise ParameterError(f"map (--map) has {'='.join(map(str, pair))!r}, {expected}") from None
        if theirs in found:
            raise ParameterError(f"map (--map) has the grade {theirs} twice; say once what it is")
        if theirs < 0:
            raise ParameterError(f"map (--map) has the grade {theirs}, which means not judged; leave it out")
        if max(theirs, abs(ours)) > LARGEST:
            raise ParameterError(f"map (--map) has {'='.join(map(str, pair))!r}, expected grades up to {LARGEST:,}")
        found[theirs] = ours
    if not found:
        raise ParameterError(f"map (--map) is empty, {expected}")
    return found


def map_grades(machine: Qrels, grades: Mapping[int, int], name: str) -> Qrels:
    """The machine's judgments on people's scale; grades below 0, not judged, stay, and a map may make others such.

    Raises InputError for a grade that the map does not have.
    """
    there = np.unique(machine.relevance[machine.relevance >= 0]).tolist()
    lacking = [grade for grade in there if grade not in grades]
    if lacking:
        raise InputError(
            f"{name} has the grade {join_names(map(str, lacking))}, which map (--map) does not; expected all of "
            f"{', '.join(map(str, there))}; add {lacking[0]}=..."
        )
    relevance = machine.relevance.copy()
    for theirs, ours in grades.items():
        relevance[machine.relevance == theirs] = ours
    docs = machine._docs
    return Qrels.from_rows(Rows(list(machine.codes), machine.offsets, docs, hashes(docs), relevance, str))


def judged_queries(qrels: Qrels, name: str) -> Qrels:
    """The judgments of queries that have one: pools mark documents that nobody judged yet by a grade below 0.

    Raises InputError where no query has one.
    """
    query = group_of(qrels.offsets)
    judged = np.zeros(len(qrels.query_ids), np.bool_)
    judged[query[qrels.relevance >= 0]] = True
    if judged.all():
        return qrels
    if not judged.any():
        raise InputError(f"{name} has no grade of at least 0, and below 0 means not judged; expected judgments")
    rows = np.flatnonzero(judged[query])
    docs = qrels._docs.take(rows)
    ids = [id_ for id_, there in zip(qrels.codes, judged.tolist(), strict=True) if there]
    lengths = np.diff(qrels.offsets)[judged]
    return Qrels.from_rows(Rows(ids, bounds(lengths), docs, hashes(docs), qrels.relevance[rows], str))


def refuse_different_scale(human: Qrels, machine: Qrels, names: tuple[str, str]) -> None:
    """Raise InputError where the highest grades differ: values of the two would then be of other things."""
    highest = [int(qrels.relevance.max()) for qrels in (human, machine)]
    if highest[0] != highest[1]:
        there = np.unique(machine.relevance[machine.relevance >= 0]).tolist()
        same = ",".join(f"{grade}={grade}" for grade in there)
        raise InputError(
            f"the grades of {names[1]} go up to {highest[1]}, those of {names[0]} up to {highest[0]}, expected one "
            f"scale; say with map (--map) which is which, as {same or '1=1'} where they mean the same"
        )


def beyond_scale_note(human: Qrels, machine: Qrels, names: tuple[str, str]) -> str:
    """A note where a map gives the machine a higher grade than people gave, who may have had no use for it; else ""."""
    highest = [int(qrels.relevance.max()) for qrels in (human, machine)]
    if highest[1] <= highest[0]:
        return ""
    return (
        f"with map the grades of {names[1]} go up to {highest[1]}, those of {names[0]} up to {highest[0]}: gains are "
        f"of one scale only if people could have given {highest[1]}"
    )


def check_queries(human: Qrels, machine: Qrels, names: tuple[str, str]) -> None:
    """Raise InputError where the machine lacks a query that people judged, or has none that they did not."""
    known = set(machine.query_ids)
    lacking = [query for query in human.query_ids if query not in known]
    if lacking:
        raise InputError(
            f"{names[1]} lacks {pluralise_queries(len(lacking))} of the {len(human.query_ids):,} that {names[0]} has "
            f"({first_names(lacking)}), expected judgments of the machine for every query that people judged; let it judge "
            "them, or leave them out"
        )
    if len(known) == len(human.query_ids):
        raise InputError(
            f"{names[1]} has no query beside the {len(known):,} of {names[0]}, expected judgments of the machine for "
            "more queries than people judged; evaluate by people's alone, or let it judge more"
        )


def refuse_unknown(queries_of_run: tuple[str, ...], machine: Qrels, system: str, name: str) -> None:
    """Raise InputError where a run has queries that the machine did not judge: the estimate is of all queries."""
    known = set(machine.query_ids)
    lacking = [query for query in queries_of_run if query not in known]
    if lacking:
        raise InputError(
            f"{name} lacks {pluralise_queries(len(lacking))} of the {len(queries_of_run):,} of run {system!r} "
            f"({first_names(lacking)}), expected judgments of the machine for all queries of the runs; let it judge "
            "them, or cut the runs to its queries"
        )
