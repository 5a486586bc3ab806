"""Human judgments beside those of a machine: checks of scale, queries and sampling, and values under both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.grades import has_fractions, refuse_fractions
from rankscope.data.qrels import Qrels
from rankscope.data.queries import Queries
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.text import first_names, format_p_value, join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes, plural_of, weight_notes
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.engine import list_runs
from rankscope.evaluation.joining import ENTITY, LETOR, JoinedRun, Joining, Progress, as_qrels, refuse_measures
from rankscope.evaluation.query_table import QueryTable, describe
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import check_single_stdin, file_stem, is_path
from rankscope.io.read import read_run
from rankscope.kernels.rounding_ties import join_ties
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes
from rankscope.stats.cluster_sums import intraclass_correlation
from rankscope.stats.distributions import special
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DualScores",
    "DualValues",
    "beyond_scale_note",
    "check_queries",
    "judged_queries",
    "map_grades",
    "randomness_notes",
    "rank_sum_pvalue",
    "refuse_different_scale",
    "refuse_unknown",
    "score_under_both",
]


def map_grades(machine: Qrels, grades: Mapping[int, int], name: str) -> Qrels:
    """The machine's judgments on the human scale; grades below 0, not judged, stay, and a map may give such grades.

    Raises InputError for a grade that the map lacks.
    """
    refuse_fractions(machine.relevance, name, "map (--map)", "leave the map out, or round the grades")
    machine_grades = np.unique(machine.relevance[machine.relevance >= 0]).tolist()
    missing_grades = [grade for grade in machine_grades if grade not in grades]
    if missing_grades:
        raise InputError(
            f"{name} has the grade {join_names(map(str, missing_grades))}, which map (--map) does not; expected all of "
            f"{', '.join(map(str, machine_grades))}; add {missing_grades[0]}=..."
        )
    relevance = machine.relevance.copy()
    for machine_grade, human_grade in grades.items():
        relevance[machine.relevance == machine_grade] = human_grade
    docs = machine.docs
    return Qrels.from_rows(Rows(list(machine.codes), machine.offsets, docs, hashes(docs), relevance, str))


def judged_queries(qrels: Qrels, name: str) -> Qrels:
    """The judgments of queries with at least one: in pools, a grade below 0 means not judged.

    Raises InputError where no query has a judgment.
    """
    query = group_of(qrels.offsets)
    has_judgment = np.zeros(len(qrels.query_ids), np.bool_)
    has_judgment[query[qrels.relevance >= 0]] = True
    if has_judgment.all():
        return qrels
    if not has_judgment.any():
        raise InputError(f"{name} has no grade of at least 0, and below 0 means not judged; expected judgments")
    rows = np.flatnonzero(has_judgment[query])
    docs = qrels.docs.take(rows)
    ids = [id_ for id_, is_judged in zip(qrels.codes, has_judgment.tolist(), strict=True) if is_judged]
    lengths = np.diff(qrels.offsets)[has_judgment]
    return Qrels.from_rows(Rows(ids, bounds(lengths), docs, hashes(docs), qrels.relevance[rows], str))


def refuse_different_scale(human: Qrels, machine: Qrels, names: tuple[str, str]) -> None:
    """Raise InputError where the highest grades differ: the values of the two would not be comparable."""
    highest = [qrels.max_grade for qrels in (human, machine)]
    if has_fractions(human.relevance) or has_fractions(machine.relevance):
        if highest[1] > highest[0]:
            raise InputError(
                f"the grades of {names[1]} go up to {highest[1]}, those of {names[0]} up to {highest[0]}, expected one "
                f"scale; divide those of {names[1]}, so that both mean the same"
            )
    elif highest[0] != highest[1]:
        machine_grades = np.unique(machine.relevance[machine.relevance >= 0]).tolist()
        identity_map = ",".join(f"{grade}={grade}" for grade in machine_grades)
        raise InputError(
            f"the grades of {names[1]} go up to {highest[1]}, those of {names[0]} up to {highest[0]}, expected one "
            f"scale; map the grades with map (--map), such as {identity_map or '1=1'} where they mean the same"
        )


def beyond_scale_note(human: Qrels, machine: Qrels, names: tuple[str, str]) -> str:
    """A note where a map gives the machine a higher grade than people used; else ""."""
    highest = [qrels.max_grade for qrels in (human, machine)]
    if highest[1] <= highest[0]:
        return ""
    return (
        f"with map the grades of {names[1]} go up to {highest[1]}, those of {names[0]} up to {highest[0]}: gains are "
        f"of one scale only if people could have given {highest[1]}"
    )


def check_queries(human: Qrels, machine: Qrels, names: tuple[str, str]) -> None:
    """Raise InputError where the machine lacks a query that people judged, or has none that they did not."""
    machine_queries = set(machine.query_ids)
    missing_queries = [query for query in human.query_ids if query not in machine_queries]
    if missing_queries:
        raise InputError(
            f"{names[1]} is missing {pluralise_queries(len(missing_queries))} of the {len(human.query_ids):,} that "
            f"{names[0]} has ({first_names(missing_queries)}), expected judgments of the machine for every query that "
            f"people judged; let it judge them, or remove them from {names[0]}"
        )
    if len(machine_queries) == len(human.query_ids):
        raise InputError(
            f"{names[1]} has no query beside the {len(machine_queries):,} of {names[0]}, expected judgments of the "
            "machine for more queries than people judged; evaluate by people's alone, or let it judge more"
        )


def refuse_unknown(run_queries: tuple[str, ...], machine: Qrels, system: str, name: str) -> None:
    """Raise InputError where a run has queries that the machine did not judge: the estimate is for all queries."""
    machine_queries = set(machine.query_ids)
    missing_queries = [query for query in run_queries if query not in machine_queries]
    if missing_queries:
        raise InputError(
            f"{name} is missing {pluralise_queries(len(missing_queries))} of the {len(run_queries):,} of run "
            f"{system!r} "
            f"({first_names(missing_queries)}), expected judgments of the machine for all queries of the runs; let it "
            "judge them, or cut the runs to its queries"
        )


#: The share of random samples that each check doubts by chance.
LEVEL = 0.01


def randomness_notes(
    query_ids: Sequence[str],
    is_judged: Bools,
    values: Floats,
    measure: str,
    clusters: Ints | None = None,
    units: str = "queries",
) -> list[str]:
    """Notes where the sample does not look random.

    Parameters
    ----------
    query_ids
        All queries.
    is_judged
        (queries) whether people judged them.
    values
        (queries) of the machine, averaged over the systems.
    measure
        The measure.
    clusters
        (queries) the cluster of each query; clusters are then looked at, those of which people judged a query and the
        others. None: all are independent.
    units
        What the queries are called.
    """
    notes: list[str] = []
    id_positions, kind = id_order_positions(query_ids), units
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
        sizes = np.bincount(codes)
        first_positions = np.full(sizes.size, np.inf)
        np.minimum.at(first_positions, codes, id_positions)
        id_positions = np.argsort(np.argsort(first_positions)).astype(np.float64)
        values, is_judged = np.bincount(codes, values) / sizes, np.bincount(codes, is_judged) > 0
        kind = "clusters"
    if is_judged.all() or not is_judged.any():
        return notes
    p, direction = rank_sum_pvalue(id_positions, is_judged)
    n_judged = int(is_judged.sum())
    end_name = "last" if direction > 0 else "first"
    first, last = id_positions[is_judged].min(), id_positions[is_judged].max()
    at_end = last == n_judged - 1 if direction < 0 else first == is_judged.size - n_judged
    if p < LEVEL:
        location = f"are the {end_name} {n_judged:,}" if at_end else f"are mostly among the {end_name}"
        notes.append(
            f"the {kind} that people judged {location} in the order of ids (p {format_p_value(p)}): "
            + DOUBT.format(units=units, kind=kind)
        )
    p, direction = rank_sum_pvalue(values, is_judged)
    if p < LEVEL:
        comparative = "higher" if direction > 0 else "lower"
        notes.append(
            f"by the machine {measure} is {comparative} on the {kind} that people judged than on the others (p "
            f"{format_p_value(p)}): " + DOUBT.format(units=units, kind=kind)
        )
    return notes


DOUBT = (
    "they do not look like a random sample, without which estimates and intervals may not hold for all {units}; have "
    "randomly drawn {kind} judged"
)


def id_order_positions(query_ids: Sequence[str]) -> Floats:
    """(queries) the position of each in the order of ids, which is numeric where all are numbers."""
    if all(query.isascii() and query.isdigit() for query in query_ids):
        order = sorted(range(len(query_ids)), key=lambda i: int(query_ids[i]))
    else:
        order = sorted(range(len(query_ids)), key=lambda i: query_ids[i].encode("utf-8", "surrogateescape"))
    positions = np.empty(len(order))
    positions[order] = np.arange(len(order))
    return positions


def rank_sum_pvalue(values: Floats, is_judged: Bools) -> tuple[float, float]:
    """Two-sided p of Wilcoxon's rank sum of the judged against the others, by the normal approximation with ties and a
    correction of 1/2; and the direction of the judged: 1, -1 or 0. p is 1 where all values are equal.

    Agrees with scipy.stats.mannwhitneyu(method="asymptotic").
    """
    codes, sizes = np.unique(join_ties(values[None])[0], return_inverse=True, return_counts=True)[1:]
    mean_ranks = np.cumsum(sizes) - (sizes - 1) / 2  # the mean rank of each group of ties
    n, total = int(is_judged.sum()), is_judged.size
    deviation = float(mean_ranks[codes][is_judged].sum() - n * (total + 1) / 2)
    tie_sum = float((sizes**3.0 - sizes).sum())
    variance = n * (total - n) / 12 * (total + 1 - tie_sum / (total * (total - 1)))
    if variance <= 0:
        return 1.0, 0.0
    z = max(abs(deviation) - 0.5, 0.0) / np.sqrt(variance)
    return min(1.0, float(2 * special().ndtr(-z))), float(np.sign(deviation))


@dataclass(frozen=True, eq=False, kw_only=True)
class DualValues:
    """The values of one measure by people and by the machine.

    Attributes
    ----------
    measure
        Full name of the measure.
    sign
        1 where higher is better, -1 where lower is, 0 where neither.
    human, machine
        (systems, n) on the queries that people judged.
    machine_only
        (systems, N - n) of the machine on the other queries.
    notes
        Notes on skipped queries, and on whether the n look like a random sample.
    clusters, weights
        (N) of the queries, the n first; None if all are independent, or count the same.
    strata, chances, population
        How people chose the n, as of `rankscope.stats.prediction_powered.prediction_powered`.
    calibration, signals
        How the machine is fitted to people's values, as there; signals are (signals, systems, N), the n first.
    """

    measure: str
    sign: int
    human: Floats
    machine: Floats
    machine_only: Floats
    notes: tuple[str, ...]
    clusters: Ints | None = None
    weights: Floats | None = None
    strata: Sequence[str] | None = None
    chances: Floats | None = None
    population: str = "source"
    calibration: str = "none"
    signals: Floats | None = None

    @property
    def sample(self) -> dict[str, Any]:
        """Clusters and weights of the queries, as statistics take them."""
        return {"clusters": self.clusters, "weights": self.weights}

    @property
    def design(self) -> dict[str, Any]:
        """How queries were drawn and chosen for people, as prediction-powered estimates take it."""
        return {**self.sample, "strata": self.strata, "chances": self.chances, "population": self.population}

    @property
    def judged_sample(self) -> dict[str, Any]:
        """Those of the queries that people judged."""
        return {name: None if values is None else values[: self.n] for name, values in self.sample.items()}

    @property
    def n_judged_clusters(self) -> int:
        """Of how many clusters people judged a query; without clusters each query is one."""
        return self.n if self.clusters is None else np.unique(self.clusters[: self.n]).size

    @property
    def n_clusters(self) -> int:
        """How many clusters there are; without clusters each query is one."""
        return self.n_all if self.clusters is None else np.unique(self.clusters).size

    @property
    def n_partly_judged(self) -> int:
        """Of how many clusters people judged some of the queries, and not all."""
        if self.clusters is None:
            return 0
        return np.intersect1d(self.clusters[: self.n], self.clusters[self.n :]).size

    @property
    def n(self) -> int:
        return int(self.human.shape[1])

    @property
    def n_all(self) -> int:
        return self.n + int(self.machine_only.shape[1])


@dataclass(frozen=True, eq=False, kw_only=True)
class DualScores:
    """Scores by people's judgments and by the machine's, of the same systems in the same order.

    Attributes
    ----------
    human, machine
        The scores by the judgments of each.
    names
        Names of people's judgments and of the machine's.
    map
        The human grade of each machine grade; None if grades are the same.
    notes
        What a reader should know.
    queries
        What is known of the queries of the machine; None if nothing is.
    """

    human: Scores
    machine: Scores
    names: tuple[str, str]
    map: Mapping[int, int] | None
    notes: tuple[str, ...]
    queries: Queries | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.human.systems

    @property
    def kind(self) -> str:
        """What was drawn."""
        return "queries" if self.queries is None or self.queries.cluster is None else "clusters"

    def signature(self, title: str, **settings: str | None) -> str:
        """Every setting that changes the numbers, in one line; a setting of None is skipped."""
        grades = None if self.map is None else ",".join(f"{grade}={mapped}" for grade, mapped in self.map.items())
        known = {} if self.queries is None else describe(replace(self.queries, group=None))
        all_settings = {**settings, "map": grades, "machine_queries": str(len(self.machine.query_ids)), **known}
        setting_texts = (f"{key}:{value}" for key, value in all_settings.items() if value is not None)
        return " | ".join((title, *setting_texts, self.human.signature()))

    def values(self, measure: str) -> DualValues:
        """The values of a measure, on the queries with a value for every system."""
        human_values, machine_values = self.human.matrix(measure), self.machine.matrix(measure)
        machine_index = {query: i for i, query in enumerate(self.machine.query_ids)}
        human_queries = np.array([machine_index[query] for query in self.human.query_ids])
        machine_complete: Bools = np.asarray(~np.isnan(machine_values).any(axis=0), np.bool_)
        human_complete: Bools = np.asarray(
            ~np.isnan(human_values).any(axis=0) & machine_complete[human_queries], np.bool_
        )
        if not human_complete.any():
            raise InputError(
                f"no query has a value of {measure} by people and by the machine for every system "
                f"({join_names(self.systems)}); choose another measure, or missing zero"
            )
        is_judged = np.zeros(machine_complete.size, np.bool_)
        is_judged[human_queries] = True
        machine_only = machine_complete & ~is_judged
        notes = []
        for group_text, n_skipped, n_queries in (
            ("by the machine", int((~machine_complete).sum()), machine_complete.size),
            ("of those that people judged", int((~human_complete).sum()), human_queries.size),
        ):
            if n_skipped:
                notes.append(
                    f"{measure}: {pluralise_queries(n_skipped)} of {n_queries} {group_text} skipped, since not every "
                    "system has a value"
                )
        is_used: Bools = np.zeros(machine_complete.size, np.bool_)
        is_used[human_queries[human_complete]] = True
        in_estimate = is_used | machine_only
        ids = [self.machine.query_ids[q] for q in np.flatnonzero(in_estimate).tolist()]
        clusters = None if self.queries is None else self.queries.cluster_codes
        weights = None if self.queries is None else self.queries.weight
        notes += randomness_notes(
            ids,
            is_used[in_estimate],
            machine_values[:, in_estimate].mean(axis=0),
            measure,
            None if clusters is None else clusters[in_estimate],
        )
        order = np.concatenate((human_queries[human_complete], np.flatnonzero(machine_only)))
        values = DualValues(
            measure=measure,
            sign=self.human.sign(measure),
            human=human_values[:, human_complete],
            machine=machine_values[:, human_queries[human_complete]],
            machine_only=machine_values[:, machine_only],
            notes=tuple(notes),
            clusters=None if clusters is None else clusters[order],
            weights=None if weights is None else weights[order],
        )
        return replace(values, notes=(*values.notes, *sample_notes(values)))


def sample_notes(values: DualValues, unit: str = "query") -> list[str]:
    """Notes on clusters and weights: how many people judged, and what is assumed where they judged parts of some."""
    notes = weight_notes(values.weights, unit)
    if values.clusters is None:
        return notes
    differences = values.human - values.machine
    judged = values.clusters[: values.n]
    correlations = intraclass_correlation(differences, judged) if values.n > 1 else np.nan
    of_all, *_ = cluster_notes(values.clusters, np.nan, unit=unit)
    of_judged = cluster_notes(judged, correlations, "people's values less the machine's", unit)
    notes.append(f"{of_all}; people judged {of_judged[0]}")
    notes += of_judged[1:]
    n_parts = values.n_partly_judged
    if n_parts:
        units = plural_of(unit)
        notes.append(
            f"people judged parts of {pluralise(n_parts, 'cluster')}: estimates hold if the judged {units} of a "
            f"cluster are random among its {units}, not such as the first turns of conversations"
        )
    return notes


def check_inputs(inputs: tuple[Any, Any, Any], plan: Plan, input: str | None) -> None:
    """Raise ParameterError for judgments, runs and measures that cannot be compared. inputs: human, machine, runs."""
    runs = list_runs(inputs[2])
    if input in (*LETOR, ENTITY):
        raise ParameterError(
            "people and a machine are compared on judgments and runs, and LETOR's files and tables of ranks are "
            "neither; convert them first (rankscope convert)"
        )
    if plan.unjudged == "bounds":
        raise ParameterError("unjudged 'bounds' (--unjudged) has no estimate; choose nonrelevant or skip")
    if plan.overlap is not None:
        raise ParameterError("judgments of spans (--overlap) have no estimate; leave it out")
    if plan.needs_subtopics:
        raise ParameterError(
            "measures of diversity ask for judgments by subtopic, and a machine's are grades of documents; choose "
            "other measures"
        )
    not_means = [str(measure) for measure in plan.measures if measure.summary != "mean"]
    if not_means:
        raise ParameterError(
            f"{not_means[0]} is not a mean over queries, and only means can be estimated; choose measures that are, "
            "such as nDCG@10"
        )
    check_single_stdin([inputs[0], inputs[1], *runs])
    refuse_measures(runs)


def score_under_both(
    human: Any,
    runs: Any,
    machine: Any,
    plan: Plan,
    grades: Mapping[int, int] | None,
    *,
    names: tuple[str, str] | None = None,
    queries: QueryTable | None = None,
    input: str | None = None,
    progress: Progress | None = None,
) -> DualScores:
    """Evaluate the runs under both, each run read once. See `estimate` for the arguments and for what is refused.

    grades: the human grade of each machine grade. queries: what is known of the queries.
    """
    check_inputs((human, machine, runs), plan, input)
    scale_note = ""
    source_names = names or judgment_names(human, machine)
    human_qrels, machine_qrels = (
        judged_queries(as_qrels(judgments), name)
        for judgments, name in zip((human, machine), source_names, strict=True)
    )
    if grades is not None:
        machine_qrels = judged_queries(map_grades(machine_qrels, grades, source_names[1]), source_names[1])
        scale_note = beyond_scale_note(human_qrels, machine_qrels, source_names)
    else:
        refuse_different_scale(human_qrels, machine_qrels, source_names)
    check_queries(human_qrels, machine_qrels, source_names)
    human_joining = Joining(qrels=human_qrels, convention=plan.convention)
    machine_joining = Joining(qrels=machine_qrels, convention=plan.convention)
    human_joined: list[JoinedRun] = []
    machine_joined: list[JoinedRun] = []
    for run_source in list_runs(runs):
        path = run_source if is_path(run_source) else None
        run = read_run(run_source, input=input) if path is not None else run_source
        run = run if isinstance(run, Run) else Run(run)
        refuse_unknown(run.query_ids, machine_qrels, run.name, source_names[1])
        # That people judged some of the queries only is what all this is for, and needs no note.
        human_joined.append(human_joining.join_object(run, path)._replace(unjudged_queries=()))
        machine_joined.append(machine_joining.join_object(run, path))
        if progress is not None and path is not None:
            progress(file_size(path))
    for joined, name in zip((human_joined, machine_joined), source_names, strict=True):
        if fault := plan.level_above_grades(joined[0].hits):
            raise ParameterError(f"{name}: {fault}")
    human_scores, machine_scores = score_hits(plan, human_joined), score_hits(plan, machine_joined)
    known, query_notes = None, tuple(machine_scores.queries.clustering_notes())
    if queries is not None:
        known, query_notes = queries.queries(machine_scores.query_ids)
        query_notes = (*query_notes, *known.clustering_notes())
    return DualScores(
        human=human_scores,
        machine=machine_scores,
        names=source_names,
        map=grades,
        notes=(
            *((scale_note,) if scale_note else ()),
            *merge_notes(human_scores, machine_scores, source_names),
            *query_notes,
        ),
        queries=known,
    )


def file_size(path: Any) -> int:
    from os import stat

    try:
        return stat(path).st_size
    except OSError:  # standard input
        return 0


def judgment_names(human: Any, machine: Any) -> tuple[str, str]:
    """The names of the files where they differ, else general ones."""
    if is_path(human) and is_path(machine):
        human_name, machine_name = (file_stem(path).removesuffix(".qrels") for path in (human, machine))
        if human_name != machine_name:
            return human_name, machine_name
    return "the judgments of people", "the machine"


def merge_notes(human_scores: Scores, machine_scores: Scores, names: tuple[str, str]) -> list[str]:
    """The notes of both evaluations; notes of only one get its name."""
    notes = [note for note in human_scores.notes if note in machine_scores.notes]
    for scores, name in ((human_scores, names[0]), (machine_scores, names[1])):
        notes += [f"by {name}: {note}" for note in scores.notes if note not in notes]
    return notes
