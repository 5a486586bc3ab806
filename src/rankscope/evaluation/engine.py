"""Judgments and runs in, scores out. Run files stream past the judgments: memory grows with what was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rankscope.data.entities import EntityRanks
from rankscope.data.fingerprint import Fingerprint
from rankscope.data.hits import Hits, freeze
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.run_pieces import detect_pieces
from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.skipped import check_on_error
from rankscope.evaluation.sources import ENTITY, LETOR, JoinedRun, Progress, join_all, join_entities, n_workers
from rankscope.io.read import file_stem
from rankscope.io.streams import source_name
from rankscope.measures.base import Measure
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = ["list_runs", "evaluate", "plan_and_join", "score_hits"]


def evaluate(
    qrels: Qrels | PathLike | Any,
    runs: Run | PathLike | Any | Sequence[Run | PathLike | Any] = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    preset: str | None = None,
    rel: int = 1,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
    input: str | None = None,
    total_ranks: int | None = None,
    workers: int | None = None,
    on_error: str = "stop",
    progress: Progress | None = None,
) -> Scores:
    """Evaluate runs against judgments: one value for each system, measure and query.

    qrels: a Qrels, a path, or what `Qrels(...)` takes. runs: a Run, a path, what `Run(...)` takes, or a list of those;
    paths are streamed, as are iterators of the pieces of a run; the path of a folder is one run, in partitions.
    measures: names or Measures; default nDCG@10 AP RR P@10 R@100, or the preset's. preset: a reference tool whose
    conventions hold, see `rankscope measures --presets`. rel: least relevance that counts. ties: "doc_id_desc"
    (default), "file", "average" (the expected value over the orders of tied documents) or "error". missing: what a
    query without a list in the run counts as: "zero" (an empty ranking), "drop", "error". no_relevant: what a query
    without relevant documents counts as: "zero" (what the measure says, the default where a preset says nothing else),
    "drop", "one". unjudged: what a document of a list without judgment is: "nonrelevant", "skip" (taken out), or
    "bounds" (not relevant, and beside the value the lowest and highest that judgments could make of it, where they
    bound the measure). input: the format of the run files, where it should not be told by content; "letor" and
    "letor-ranks": `qrels` is a label file and `runs` are files of predictions or rank positions, a line a document
    (then ties is "file" where nothing else is asked for); "entity-ranks": `qrels` is a table of the ranks of known
    entities (or an EntityRanks), and there are no runs. total_ranks: how many items were ranked in all, where a measure
    of such a table asks for it. workers: processes that share the run files, and the pieces of large ones; None: all
    cores where that pays and processes can be forked. The result is the same, to the last bit. on_error: a run that
    cannot be read, or a partition of one, ends it all ("stop"), or is left out with a note that says why ("skip").
    progress: called with the number of bytes just read.

    Raises InputError for data, ParameterError for arguments; the message says what to do.

    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"d1": 1, "d2": 0, "d3": 2}})
    >>> scores = rs.evaluate(qrels, {"q1": {"d2": 3.0, "d3": 2.0, "d4": 1.0}}, ["RR", "P@2"])
    >>> scores.overall("RR"), scores.overall("P@2")
    (0.5, 0.5)
    """
    conventions = {
        "preset": preset,
        "rel": rel,
        "ties": ties,
        "missing": missing,
        "no_relevant": no_relevant,
        "unjudged": unjudged,
    }
    return score_hits(
        *plan_and_join(qrels, runs, measures, conventions, input, total_ranks, progress, workers, on_error)
    )


def plan_and_join(
    qrels: Any,
    runs: Any,
    measures: Any,
    conventions: Mapping[str, Any],
    input_: str | None,
    total_ranks: int | None,
    progress: Progress | None,
    workers: int | None = None,
    on_error: str = "stop",
) -> tuple[Plan, list[JoinedRun]]:
    """What `evaluate` does before anything is measured; all as there. conventions: the arguments of `make_plan`."""
    check_on_error(on_error)
    settled = dict(conventions)
    if workers is not None:
        n_workers(workers, ())  # a wrong one is told before anything is read
    if input_ in LETOR and settled.get("ties") is None and settled.get("preset") is None:
        settled["ties"] = "file"  # as LETOR's scripts and all learners rank
    plan = make_plan(measures, **settled)
    if input_ == ENTITY or isinstance(qrels, EntityRanks):
        if settled.get("ties") is not None or runs is not None:
            raise ParameterError(
                "a table of ranks is judgments and runs in one, ranked already; leave runs and ties out"
            )
        if plan.unjudged != "nonrelevant":
            raise ParameterError("a table of ranks holds relevant entities only; leave unjudged out")
        return plan, join_entities(qrels, plan, total_ranks)
    if total_ranks is not None:
        raise ParameterError(
            "total_ranks (--total-ranks) is for tables of ranks; pass input='entity-ranks' (--input entity-ranks), too"
        )
    return plan, join_all(qrels, list_runs(runs), plan, input_, progress, workers, on_error)


def list_runs(runs: Any) -> list[Any]:
    """The runs, of which there must be one."""
    if isinstance(runs, Iterator):
        pieces, runs = detect_pieces(runs)
        runs = list(runs) if pieces is None else [Run(runs)]
    elif not isinstance(runs, (list, tuple)):
        runs = [runs]
    if not runs or (len(runs) == 1 and runs[0] is None):
        raise ParameterError("no runs given, expected at least one")
    return list(runs)


def score_hits(plan: Plan, joined: Sequence[JoinedRun]) -> Scores:
    """Apply all measures to all systems."""
    systems, notes = name_systems(joined)
    first = joined[0].hits
    results = [plan.values(plan.read(one.hits), system) for one, system in zip(joined, systems, strict=True)]
    undefined = results[0][1]
    bounds = None
    if plan.unjudged == "bounds":
        pairs = zip(joined, results, strict=True)
        bounds = freeze(np.stack([plan.bounds(one.hits, *result) for one, result in pairs], axis=1))
        notes += unbounded_note(bounds, plan)
    for one, system in zip(joined, systems, strict=True):
        notes += one.notes
        notes += missing_note(one.hits, system, plan)
    for (values, _), one, system in zip(results, joined, systems, strict=True) if plan.may_lack_values else ():
        notes += empty_note(count_empty_values(values, one.hits, plan), system, plan)
    if plan.needs_subtopics and first.subtopics is not None and not first.subtopics.subtopic.any():
        notes.append("no query has more than one subtopic: a measure of diversity has nothing to tell apart")
    key = ("undefined_note", plan.names, first.rel, plan.no_relevant)
    notes += first.once_for_pool(key, lambda: undefined_note(undefined, plan))
    return Scores(
        systems=tuple(systems),
        measures=plan.measures,
        query_ids=first.query_ids,
        values=freeze(np.array([values for values, _ in results])),
        missing=freeze(np.array([one.hits.missing for one in joined])),
        undefined=undefined,
        bounds=bounds,
        settings=plan.settings(len(first), first),
        measure_settings=plan.measure_settings(first),
        notes=tuple(notes),
        asked=plan.asked,
        judgments=first.once_for_pool("fingerprint", lambda: fingerprint_of(first)),
    )


def fingerprint_of(hits: Hits) -> Fingerprint:
    """Of the judgments, which all runs of one Qrels share."""
    return Fingerprint(hits.query_ids, hits.grades, hits.grade_offsets)


class NamedSystem(Protocol):
    """A system with the name that it bears, and the file that it came from."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> PathLike | None: ...


def name_systems(joined: Sequence[NamedSystem]) -> tuple[list[str], list[str]]:
    """A name for each system, no two alike, and a note where files had to lend theirs."""
    names = [one.name for one in joined]
    notes: list[str] = []
    if len(set(names)) == len(names):
        return names, notes
    for shorter in (file_stem, source_name):
        repeated = {name for name, n in Counter(names).items() if n > 1}
        if not repeated:
            break
        for i, one in enumerate(joined):
            if names[i] in repeated and one.path is not None:
                names[i] = shorter(one.path)
        if shorter is file_stem:
            notes = [f"several runs are called {name!r}; their files' names are shown" for name in sorted(repeated)]
    repeated = {name for name, n in Counter(names).items() if n > 1}
    if repeated:
        raise InputError(
            f"two runs are called {min(repeated)!r}, expected a name each; give each file once, "
            "and name runs in memory with Run(..., name=...)"
        )
    return names, notes


def missing_note(hits: Hits, system: str, plan: Plan) -> list[str]:
    if not hits.missing.any():
        return []
    n = int(hits.missing.sum())
    done = "are left out" if plan.missing == "drop" else "count as empty rankings"
    return [f"{system} has no list for {n} of {len(hits)} queries; they {done} (missing:{plan.missing})"]


def count_empty_values(values: Floats, hits: Hits, plan: Plan) -> Ints:
    """(measures) in how many queries nothing relevant was found, so that there is no value, as for a mean rank."""
    found = np.zeros(len(plan.measures), np.int64)
    for m in plan.may_lack_values:
        found[m] = (np.isnan(values[m]) & (plan.measures[m].used(hits) == 0)).sum()
    return found


def empty_note(counts: Ints, system: str, plan: Plan) -> list[str]:
    """A note for each measure that has no value in so many queries."""
    queries = ["1 query" if n == 1 else f"{n} queries" for n in counts.tolist()]
    return [
        f"{name} has no value for {what} of {system}, where nothing relevant was found; left out"
        for name, what, n in zip(plan.names, queries, counts.tolist(), strict=True)
        if n
    ]


def unbounded_note(bounds: Floats, plan: Plan) -> list[str]:
    without = [name for m, name in enumerate(plan.names) if np.isnan(bounds[:, :, m]).all()]
    if not without:
        return []
    return [f"missing judgments give no bounds for {', '.join(without)}"]


def undefined_note(undefined: Bools, plan: Plan) -> list[str]:
    """A note for each group of measures that lack something relevant in the same queries."""
    done = {
        "zero": "count as the measure says, mostly 0",
        "drop": "are left out",
        "one": "count as 1",
    }[plan.no_relevant]
    alike: dict[bytes, list[int]] = {}
    for m in np.flatnonzero(undefined.any(axis=1)).tolist():
        alike.setdefault(undefined[m].tobytes(), []).append(m)
    notes = []
    for group in alike.values():
        n = int(undefined[group[0]].sum())
        everywhere = len(group) == sum(m.needs_relevant for m in plan.measures)
        whose = "" if everywhere else f" for {', '.join(plan.names[m] for m in group)}"
        queries = "1 query has" if n == 1 else f"{n} queries have"
        notes.append(f"{queries} no relevant documents{whose}; such queries {done} (no_relevant:{plan.no_relevant})")
    return notes
