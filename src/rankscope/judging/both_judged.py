"""Runs under the judgments of people and under those of a machine: values of the same measures, query by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.wording import join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.engine import list_runs, score_hits
from rankscope.evaluation.sources import ENTITY, LETOR, JoinedRun, Progress, as_qrels, join_run_object, refuse_measures
from rankscope.io.read import file_stem, read_run
from rankscope.io.streams import check_single_stdin, is_path
from rankscope.judging.drawn import randomness_notes
from rankscope.judging.machine import (
    beyond_scale_note,
    check_queries,
    judged_queries,
    map_grades,
    parse_grade_map,
    refuse_different_scale,
    refuse_unknown,
)
from rankscope.typing import Bools, Floats

__all__ = ["DualScores", "DualValues", "score_under_both"]


@dataclass(frozen=True, eq=False, kw_only=True)
class DualValues:
    """One measure. human, machine: (systems, n) on the queries that people judged; others: (systems, N - n) of the
    machine on those that they did not. notes: what was left out, and whether the n were drawn at random.
    """

    measure: str
    sign: int
    human: Floats
    machine: Floats
    others: Floats
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        return int(self.human.shape[1])

    @property
    def n_all(self) -> int:
        return self.n + int(self.others.shape[1])


@dataclass(frozen=True, eq=False, kw_only=True)
class DualScores:
    """Scores by people's judgments and by the machine's, of the same systems in the same order."""

    human: Scores
    machine: Scores
    names: tuple[str, str]
    map: Mapping[int, int] | None
    notes: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        return self.human.systems

    def signature(self, what: str, **settings: str | None) -> str:
        """Every setting that changes the numbers, in one line; None for one that was not asked for."""
        grades = None if self.map is None else ",".join(f"{a}={b}" for a, b in self.map.items())
        every = {**settings, "map": grades, "machine_queries": str(len(self.machine.query_ids))}
        told = (f"{key}:{value}" for key, value in every.items() if value is not None)
        return " | ".join((what, *told, self.human.signature()))

    def values(self, measure: str) -> DualValues:
        """The values of a measure, of the queries that have one for every system."""
        h, m = self.human.matrix(measure), self.machine.matrix(measure)
        place = {query: i for i, query in enumerate(self.machine.query_ids)}
        own = np.array([place[query] for query in self.human.query_ids])
        known: Bools = np.asarray(~np.isnan(m).any(axis=0), np.bool_)
        judged_here: Bools = np.asarray(~np.isnan(h).any(axis=0) & known[own], np.bool_)
        if not judged_here.any():
            raise InputError(
                f"no query has a value of {measure} by people and by the machine for every system "
                f"({join_names(self.systems)}); choose another measure, or missing zero"
            )
        judged = np.zeros(known.size, np.bool_)
        judged[own] = True
        rest = known & ~judged
        notes = []
        for which, count, size in (
            ("by the machine", int((~known).sum()), known.size),
            ("of those that people judged", int((~judged_here).sum()), own.size),
        ):
            if count:
                notes.append(
                    f"{measure}: {pluralise_queries(count)} of {size} {which} left out, where not every system has a value"
                )
        taken: Bools = np.zeros(known.size, np.bool_)
        taken[own[judged_here]] = True
        seen = taken | rest
        ids = [self.machine.query_ids[q] for q in np.flatnonzero(seen).tolist()]
        notes += randomness_notes(ids, taken[seen], m[:, seen].mean(axis=0), measure)
        return DualValues(
            measure=measure,
            sign=self.human.sign(measure),
            human=h[:, judged_here],
            machine=m[:, own[judged_here]],
            others=m[:, rest],
            notes=tuple(notes),
        )


def check_inputs(inputs: tuple[Any, Any, Any], measures: Any, options: Mapping[str, Any]) -> Plan:
    """Tell a wrong argument before anything is read."""
    runs = list_runs(inputs[2])
    if options.get("input") in (*LETOR, ENTITY) or options.get("total_ranks") is not None:
        raise ParameterError(
            "people and a machine are compared on judgments and runs, and LETOR's files and tables of ranks are "
            "neither; convert them first (rankscope convert)"
        )
    if options.get("unjudged") == "bounds":
        raise ParameterError("unjudged 'bounds' (--unjudged) has no estimate; choose nonrelevant or skip")
    plan = make_plan(measures, **{name: x for name, x in options.items() if name not in ("input", "total_ranks")})
    if plan.needs_subtopics:
        raise ParameterError(
            "measures of diversity ask for judgments by subtopic, and a machine's are grades of documents; choose "
            "other measures"
        )
    other = [str(measure) for measure in plan.measures if measure.summary != "mean"]
    if other:
        raise ParameterError(
            f"{other[0]} is no mean over queries, and what is estimated are means; choose measures that are, as nDCG@10"
        )
    check_single_stdin([inputs[0], inputs[1], *runs])
    refuse_measures(runs)
    return plan


def score_under_both(
    human: Any,
    runs: Any,
    machine: Any,
    measures: Any,
    *,
    map: Any = None,
    names: tuple[str, str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> DualScores:
    """Evaluate the runs under both, each run read once. See `estimate` for the arguments and for what is refused."""
    grades, beyond = parse_grade_map(map), ""
    plan = check_inputs((human, machine, runs), measures, options)
    called = names or judgment_names(human, machine)
    people, judge = (judged_queries(as_qrels(one), name) for one, name in zip((human, machine), called, strict=True))
    if grades is not None:
        judge = judged_queries(map_grades(judge, grades, called[1]), called[1])
        beyond = beyond_scale_note(people, judge, called)
    else:
        refuse_different_scale(people, judge, called)
    check_queries(people, judge, called)
    by_people: list[JoinedRun] = []
    by_machine: list[JoinedRun] = []
    for given in list_runs(runs):
        path = given if is_path(given) else None
        run = read_run(given, input=options.get("input")) if path is not None else given
        run = run if isinstance(run, Run) else Run(run)
        refuse_unknown(run.query_ids, judge, run.name, called[1])
        by_people.append(join_run_object(people, run, plan.convention, path))
        by_machine.append(join_run_object(judge, run, plan.convention, path))
        if progress is not None and path is not None:
            progress(file_size(path))
    a, b = score_hits(plan, by_people), score_hits(plan, by_machine)
    return DualScores(
        human=a, machine=b, names=called, map=grades, notes=(*((beyond,) if beyond else ()), *merge_notes(a, b, called))
    )


def file_size(path: Any) -> int:
    from os import stat

    try:
        return stat(path).st_size
    except OSError:  # standard input
        return 0


def judgment_names(human: Any, machine: Any) -> tuple[str, str]:
    """By their files, else "people" and "the machine"."""
    if is_path(human) and is_path(machine):
        one, other = (file_stem(path).removesuffix(".qrels") for path in (human, machine))
        if one != other:
            return one, other
    return "the judgments of people", "the machine"


def merge_notes(a: Scores, b: Scores, names: tuple[str, str]) -> list[str]:
    """The notes of both evaluations, those of one by name."""
    notes = [note for note in a.notes if note in b.notes]
    for scores, name in ((a, names[0]), (b, names[1])):
        notes += [f"by {name}: {note}" for note in scores.notes if note not in notes]
    return notes
