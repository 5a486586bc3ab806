"""Human judgments beside those of a machine: the same scale and queries, a random sample, values under both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.text import first_names, format_p_value, join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.engine import list_runs
from rankscope.evaluation.joining import ENTITY, LETOR, JoinedRun, as_qrels, join_run_object, refuse_measures
from rankscope.evaluation.joining.joined import Progress
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import check_single_stdin, file_stem, is_path
from rankscope.io.read import read_run
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes
from rankscope.kernels.ties import join_ties
from rankscope.stats.distributions import special
from rankscope.stats.inputs import LARGEST
from rankscope.typing import Bools, Floats

__all__ = [
    "DualScores",
    "DualValues",
    "beyond_scale_note",
    "check_queries",
    "judged_queries",
    "map_grades",
    "parse_grade_map",
    "randomness_notes",
    "rank_sum_pvalue",
    "refuse_different_scale",
    "refuse_unknown",
    "score_under_both",
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
            f"({first_names(lacking)}), expected judgments of the machine for every query that people judged; let it "
            "judge them, or leave them out"
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


#: By chance alone, so many of random draws are doubted by each look.
LEVEL = 0.01


def randomness_notes(query_ids: Sequence[str], judged: Bools, values: Floats, measure: str) -> list[str]:
    """Notes where the draw does not look random. values: (queries) of the machine, on average over the systems."""
    notes: list[str] = []
    if judged.all() or not judged.any():
        return notes
    places = places_in_order(query_ids)
    p, side = rank_sum_pvalue(places, judged)
    n = int(judged.sum())
    ends = "last" if side > 0 else "first"
    extreme = places[judged].max() == n - 1 if side < 0 else places[judged].min() == judged.size - n
    if p < LEVEL:
        what = f"are the {ends} {n:,} in the order of ids" if extreme else f"stand among the {ends} in the order of ids"
        notes.append(f"the queries that people judged {what} (p {format_p_value(p)}): {DOUBT}")
    p, side = rank_sum_pvalue(values, judged)
    if p < LEVEL:
        than = "higher" if side > 0 else "lower"
        notes.append(
            f"by the machine {measure} is {than} on the queries that people judged than on the others (p "
            f"{format_p_value(p)}): " + DOUBT
        )
    return notes


DOUBT = (
    "they were hardly drawn at random, and then neither estimate nor interval need hold for all queries; have queries "
    "judged that are drawn by lot"
)


def places_in_order(query_ids: Sequence[str]) -> Floats:
    """(queries) the place of each in the order of ids, as numbers where all are."""
    if all(query.isascii() and query.isdigit() for query in query_ids):
        order = sorted(range(len(query_ids)), key=lambda i: int(query_ids[i]))
    else:
        order = sorted(range(len(query_ids)), key=lambda i: query_ids[i].encode("utf-8", "surrogateescape"))
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    return places


def rank_sum_pvalue(values: Floats, judged: Bools) -> tuple[float, float]:
    """Two-sided p of Wilcoxon's rank sum of the judged against the others, by the normal approximation with ties and a
    correction of 1/2; and on which side the judged are, 1, -1 or 0. 1 where all values are one.

    Agrees with scipy.stats.mannwhitneyu(method="asymptotic").
    """
    codes, sizes = np.unique(join_ties(values[None])[0], return_inverse=True, return_counts=True)[1:]
    middle = np.cumsum(sizes) - (sizes - 1) / 2  # the mean rank of each group of ties
    n, total = int(judged.sum()), judged.size
    off = float(middle[codes][judged].sum() - n * (total + 1) / 2)
    ties = float((sizes**3.0 - sizes).sum())
    variance = n * (total - n) / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0, 0.0
    z = max(abs(off) - 0.5, 0.0) / np.sqrt(variance)
    return min(1.0, float(2 * special().ndtr(-z))), float(np.sign(off))


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
                    f"{measure}: {pluralise_queries(count)} of {size} {which} left out, where not every system has a "
                    "value"
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
