"""From joined runs to scores: all measures on all systems, with notes on what is missing or undefined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import has_fractions
from rankscope.data.hits import Hits, freeze
from rankscope.data.list_hashes import list_hashes
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining import JoinedRun, has_no_judged_document, unjudged_query_notes
from rankscope.io.core import file_stem, source_name
from rankscope.typing import Bools, Floats, Grades, Ints, PathLike, Words

__all__ = [
    "Fingerprint",
    "below_level_note",
    "empty_note",
    "fingerprint_of",
    "grade_notes",
    "missing_note",
    "most_tied_note",
    "n_tied",
    "score_hits",
    "tie_notes",
]

#: A note says so where more than this share of a system's judged documents are tied, if there are so many documents.
MOST_TIED, MIN_TIED = 0.5, 20


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What identifies judgments: their queries in order, and the grades of the judged documents of each, sorted.

    grades: in falling order within each query; offsets: (queries + 1) where those of each query begin. Ids of documents
    are no part of it, since scores do not hold them: two sets of judgments with the same grades for every query have
    the same fingerprint. Its text is computed at first use and then cached.
    """

    query_ids: Sequence[str]
    grades: Grades
    offsets: Ints

    @cached_property
    def by_query(self) -> Words:
        """(queries) a hash of the grades of each query."""
        bits = self.grades.astype(np.float64).view(np.uint64)
        hashes: Words = list_hashes(bits, np.zeros(bits.size), self.offsets, (0,), ties="file")[:, 0]
        return hashes

    @cached_property
    def text(self) -> str:
        """32 hexadecimal digits: BLAKE2b over ids, sizes and grades."""
        from hashlib import blake2b

        ids = [id_.encode("utf-8", "surrogateescape") for id_ in self.query_ids]
        digest = blake2b(repr([len(id_) for id_ in ids]).encode(), digest_size=16)
        digest.update(b"".join(ids))
        digest.update(self.offsets.astype("<i8").tobytes())
        if has_fractions(self.grades):
            digest.update(b"float64")
        digest.update(self.grades.astype("<f8" if has_fractions(self.grades) else "<i8").tobytes())
        return digest.hexdigest()

    def __call__(self) -> str:
        return self.text


def score_hits(plan: Plan, joined: Sequence[JoinedRun]) -> Scores:
    """Apply all measures to all systems."""
    systems, notes = name_systems(joined)
    first = joined[0].hits
    results = [plan.values(plan.measured_hits(run.hits), system) for run, system in zip(joined, systems, strict=True)]
    undefined = results[0][1]
    bounds = None
    if plan.unjudged == "bounds":
        run_results = zip(joined, results, strict=True)
        bounds = freeze(np.stack([plan.bounds(run.hits, *result) for run, result in run_results], axis=1))
        notes += unbounded_note(bounds, plan)
    for run, system in zip(joined, systems, strict=True):
        notes += run.notes
        notes += missing_note(run.hits.missing, system, plan)
    unjudged = [run.unjudged_queries for run in joined]
    if any(unjudged):
        notes += unjudged_query_notes(systems, unjudged, first.query_ids, [run.hits.missing for run in joined])
    ties = [(n_tied(run.hits), run.hits.rank.size) for run in joined]
    notes += tie_notes(systems, ties, first.ties, plan)
    for (values, _), run, system in zip(results, joined, systems, strict=True) if plan.may_lack_values else ():
        notes += empty_note(count_empty_values(values, run.hits, plan), system, plan)
    if plan.needs_subtopics and first.subtopics is not None and not first.subtopics.subtopic.any():
        from rankscope.measures.diversity import Diversity

        if any(isinstance(measure, Diversity) for measure in plan.measures):
            notes.append("no query has more than one subtopic: a measure of diversity has nothing to tell apart")
    notes += grade_notes(first, plan, undefined)
    return Scores(
        systems=tuple(systems),
        measures=plan.measures,
        query_ids=first.query_ids,
        values=stacked([values for values, _ in results]),
        missing=stacked([run.hits.missing for run in joined]),
        undefined=undefined,
        bounds=bounds,
        lists=hashes_of_lists(plan, joined),
        settings=plan.settings(len(first), first),
        measure_settings=plan.measure_settings(first),
        notes=tuple(notes),
        aliases=plan.aliases,
        judgments=first.cached_on_qrels("fingerprint", lambda: fingerprint_of(first)),
        unjudged_systems=unjudged_systems(systems, joined),
    )


def hashes_of_lists(plan: Plan, joined: Sequence[JoinedRun]) -> Words | None:
    """(systems, measures, queries) hashes of the lists as each measure sees them; None where none are kept."""
    depths = plan.convention.list_depths
    lists = [run.hits.lists for run in joined]
    if not depths or any(hashes is None for hashes in lists):
        return None
    columns = [depths.index(depth) for depth in plan.list_depths]
    return freeze(np.array([hashes[:, columns].T for hashes in lists if hashes is not None]))


def stacked(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """One array of all; read-only."""
    return freeze(arrays[0][np.newaxis] if len(arrays) == 1 else np.array(arrays))


def unjudged_systems(systems: Sequence[str], joined: Sequence[JoinedRun]) -> tuple[str, ...]:
    """The systems none of whose documents is judged."""
    if all(run.hits.rank.size for run in joined):
        return ()
    return tuple(system for system, run in zip(systems, joined, strict=True) if has_no_judged_document(run.hits))


def fingerprint_of(hits: Hits) -> Fingerprint:
    """The fingerprint of the judgments, which all runs of one Qrels share."""
    return Fingerprint(hits.query_ids, hits.grades, hits.grade_offsets)


class NamedSystem(Protocol):
    """A system with its name and the file that it came from."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> PathLike | None: ...


def name_systems(joined: Sequence[NamedSystem]) -> tuple[list[str], list[str]]:
    """A unique name for each system, and a note where file names replace repeated names."""
    names = [system.name for system in joined]
    notes: list[str] = []
    if len(set(names)) == len(names):
        return names, notes
    for name_from_path in (file_stem, source_name):
        repeated = {name for name, n in Counter(names).items() if n > 1}
        if not repeated:
            break
        for i, system in enumerate(joined):
            if names[i] in repeated and system.path is not None:
                names[i] = name_from_path(system.path)
        if name_from_path is file_stem:
            notes = [
                f"several runs are named {name!r}; the names of their files are shown" for name in sorted(repeated)
            ]
    repeated = {name for name, n in Counter(names).items() if n > 1}
    if repeated:
        raise InputError(
            f"two runs are called {min(repeated)!r}, expected a name each; give each file once, "
            "and name runs in memory with Run(..., name=...)"
        )
    return names, notes


def missing_note(missing: Bools, system: str, plan: Plan) -> list[str]:
    """A note on the queries for which a system has no list. missing: (queries)."""
    n = np.count_nonzero(missing)
    if not n:
        return []
    treatment = "they count as empty rankings"
    if plan.missing == "drop":
        treatment = "they are skipped" if n == missing.size else "its means are over the others only"
    return [f"{system} has no list for {n} of {missing.size} queries; {treatment} (missing:{plan.missing})"]


def n_tied(hits: Hits) -> int:
    """How many hits have the score of another document of their query."""
    return 0 if hits.first is hits.last else int(np.count_nonzero(hits.first < hits.last))


def tie_notes(systems: Sequence[str], counts: Sequence[tuple[int, int]], ties: str, plan: Plan) -> list[str]:
    """Notes on ties that decide values. counts: hits of each system that are tied, and all its hits."""
    return [*tied_order_note(sum(tied for tied, _ in counts), plan), *most_tied_note(systems, counts, ties)]


def most_tied_note(systems: Sequence[str], counts: Sequence[tuple[int, int]], ties: str) -> list[str]:
    """A note on systems with a score for many documents, whose values hang on the rule of ties."""
    if ties in ("average", "given"):
        return []
    shares = {system: tied / n for system, (tied, n) in zip(systems, counts, strict=True) if n >= MIN_TIED}
    tied = [system for system, share in shares.items() if share > MOST_TIED]
    if not tied:
        return []
    most = max(tied, key=shares.__getitem__)
    whose = f"{most}:" if len(tied) == 1 else f"{len(tied)} of {len(systems)} systems, most {most}:"
    return [
        f"{whose} {100 * shares[most]:.0f} % of its judged documents are tied with others, and ties:{ties} orders "
        "them; --ties average (ties='average') is the mean over all orders"
    ]


def tied_order_note(number: int, plan: Plan) -> list[str]:
    """A note where documents are tied that the tool of the preset orders as no tie rule here does."""
    if not plan.tied_order or not number:
        return []
    verb = "shares its score" if number == 1 else "share their score"
    return [
        f"{pluralise(number, 'judged document')} {verb} with others: {plan.preset} orders equal scores "
        f"{plan.tied_order}, and here it is ties:{plan.convention.ties}, so that its values can differ"
    ]


def count_empty_values(values: Floats, hits: Hits, plan: Plan) -> Ints:
    """(measures) in how many queries there is no value, as for a mean rank where nothing relevant was retrieved."""
    counts = np.zeros(len(plan.measures), np.int64)
    for m in plan.may_lack_values:
        counts[m] = (np.isnan(values[m]) & (plan.measures[m].used(hits) == 0)).sum()
    return counts


def empty_note(counts: Ints, system: str, plan: Plan) -> list[str]:
    """A note for each measure without a value in some queries. counts: (measures) the number of these queries."""
    query_counts = ["1 query" if n == 1 else f"{n} queries" for n in counts.tolist()]
    return [
        f"{name} has no value for {query_count} of {system}, where nothing relevant was found; skipped"
        for name, query_count, n in zip(plan.names, query_counts, counts.tolist(), strict=True)
        if n
    ]


def unbounded_note(bounds: Floats, plan: Plan) -> list[str]:
    """A note on the measures that missing judgments do not bound."""
    unbounded = [name for m, name in enumerate(plan.names) if np.isnan(bounds[:, :, m]).all()]
    if not unbounded:
        return []
    return [f"missing judgments give no bounds for {', '.join(unbounded)}"]


def grade_notes(hits: Hits, plan: Plan, undefined: Bools) -> list[str]:
    """Notes on the judgments alone: grades below the level, queries without relevant documents."""
    return hits.cached_on_qrels(
        ("grade_notes", plan.key, hits.rel),
        lambda: [*below_level_note(hits, plan, hits.grades), *undefined_note(undefined, plan)],
    )


def below_level_note(hits: Hits, plan: Plan, grades: Grades) -> list[str]:
    """A note where fractions are below the level from which documents are relevant, and nobody said that level.

    grades: all of them, of which the hits may have some only.
    """
    if hits.rel != 1 or not has_fractions(grades):
        return []
    names = [
        name
        for name, measure in zip(plan.names, plan.measures, strict=True)
        if getattr(measure, "rel", 1) is None and measure.level(hits) == 1
    ]
    n_below = int(((grades > 0) & (grades < 1)).sum())
    if not names or not n_below:
        return []
    verb = "lies" if n_below == 1 else "lie"
    return [
        f"{n_below} of {pluralise(grades.size, 'grade')} {verb} between 0 and 1: not relevant for {', '.join(names)} "
        "(rel:1); choose the lowest grade that counts with --rel (rel=)"
    ]


def undefined_note(undefined: Bools, plan: Plan) -> list[str]:
    """A note for each group of measures that are undefined on the same queries."""
    treatment = {
        "zero": "count as the measure says, mostly 0",
        "drop": "are skipped",
        "one": "count as 1",
    }[plan.no_relevant]
    measures_by_pattern: dict[bytes, list[int]] = {}
    for m in np.flatnonzero(undefined.any(axis=1)).tolist():
        measures_by_pattern.setdefault(undefined[m].tobytes(), []).append(m)
    notes = []
    for group in measures_by_pattern.values():
        n = int(undefined[group[0]].sum())
        all_measures = len(group) == sum(measure.needs_relevant for measure in plan.measures)
        of_measures = "" if all_measures else f" for {', '.join(plan.names[m] for m in group)}"
        queries = "1 query has" if n == 1 else f"{n} queries have"
        notes.append(
            f"{queries} no relevant documents{of_measures}; such queries {treatment} (no_relevant:{plan.no_relevant})"
        )
    return notes
