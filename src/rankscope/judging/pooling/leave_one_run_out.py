"""Leave one run out: the ranks of runs under judgments without the documents that only one run has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.text import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import JoinedRun, as_qrels, join_all
from rankscope.evaluation.scoring import score_hits
from rankscope.io.chunk_tables import merge_inputs
from rankscope.io.core import file_stamps, refuse_changed, refuse_pipes
from rankscope.judging.pooling.judgment_pool import DEEP
from rankscope.judging.pooling.run_lists import RunLists, judgments_of, read_lists
from rankscope.kernels.rounding_ties import join_ties
from rankscope.kernels.segments import bounds, group_of
from rankscope.measures.base import Measure
from rankscope.settings import Settings, count, grade_level, text
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "LeaveOutSettings",
    "LeftOut",
    "leave_out",
    "leave_out_runs",
]


@dataclass(frozen=True, kw_only=True)
class LeaveOutSettings(Settings):
    """How runs are left out of the pool; see `leave_out`."""

    FUNCTIONS = ("rankscope.judging:leave_out",)
    COMMANDS = ("pool",)

    measure: str | Measure = text("nDCG@10", or_a=Measure, metavar="MEASURE", help="Measure by which runs are ranked.")
    depth: int = count(DEEP, flag="", help="Pool depth: how many documents of each list were pooled.")
    cutoff: int = count(10, metavar="K", help="Cutoff for the share of unjudged documents: the first K of each list.")
    rel: float = grade_level(help="Minimum relevance that counts as relevant.")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LeftOut(Result):
    """What would become of each run if it had not taken part in the pool.

    `frame()` is all this as a tidy table. Rank 1 is the best; equal runs share the better rank.

    Attributes
    ----------
    measure
        Name of the measure.
    systems
        Names of the runs.
    mean
        Mean of each run.
    rank
        Rank of each run by its mean.
    mean_without
        Mean of each run under the judgments without the documents that no other run has.
    rank_without
        Rank of each run under these judgments.
    unjudged
        For each run, the share of its first `cutoff` documents without a judgment.
    unjudged_without
        The same share under the judgments without the documents that no other run has.
    only_here
        Number of judged documents that no other run has among its first `depth`.
    only_here_relevant
        Number of these that are relevant.
    settings
        The settings of the analysis.
    scores_signature
        Every setting that changes the means, in one line.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.judging.pooling.view:leave_out_sections"
    COLUMNS = (
        "system",
        "measure",
        "mean",
        "rank",
        "mean_without",
        "rank_without",
        "unjudged",
        "unjudged_without",
        "only_here",
        "only_here_relevant",
    )

    measure: str
    systems: tuple[str, ...]
    mean: Floats
    rank: Ints
    mean_without: Floats
    rank_without: Ints
    unjudged: Floats
    unjudged_without: Floats
    only_here: Ints
    only_here_relevant: Ints
    settings: LeaveOutSettings
    scores_signature: str
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for s, system in enumerate(self.systems):
            yield (system, self.measure, *(getattr(self, name)[s].item() for name in self.COLUMNS[2:]))

    def sentence(self) -> str:
        """Which runs would fall."""
        rank_drops = self.rank_without - self.rank
        opening = (
            'Columns "without" ignore the judgments of documents that no other run has among its first '
            f"{self.settings.depth}, as if that run were new. "
        )
        if not rank_drops.any():
            return f"{opening}No run would change its rank by {self.measure}."
        worst = int(np.argmax(rank_drops))
        falling = [self.systems[i] for i in np.flatnonzero(rank_drops > 0).tolist()]
        if rank_drops[worst] <= 0:
            n_rising = int((rank_drops < 0).sum())
            return f"{opening}No run would fall by {self.measure}; {pluralise(n_rising, 'run')} would rise."
        return (
            f"{opening}{join_names(falling)} would fall by {self.measure}, {self.systems[worst]} furthest, "
            f"from rank {self.rank[worst]} to {self.rank_without[worst]}. A new run like it would have fewer judged "
            "documents than the runs that took part."
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, and the version, in one line."""
        settings = self.settings
        return f"left out of the pool | depth:{settings.depth} | unjudged@{settings.cutoff} | {self.scores_signature}"

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.systems), 'system')}, {self.measure}, depth {self.settings.depth}"


def leave_out(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    measure: Any = "nDCG@10",
    *,
    depth: int = DEEP,
    cutoff: int = 10,
    rel: float = 1,
    duplicates: str | None = None,
    doc_of: Any = None,
    input: str | None = None,
) -> LeftOut:
    """Show what would become of each run if it had not taken part in the pool.

    Parameters
    ----------
    runs
        List of at least two runs, files, or anything that `Run` takes.
    qrels
        Judgments, or a file of them.
    measure
        Measure by which runs are ranked. Default: 'nDCG@10'.
    depth
        Pool depth: how many documents of each list were pooled. Default: 100.
    cutoff
        Cutoff for the share of unjudged documents: the first K of each list. Default: 10.
    rel
        Minimum relevance that counts as relevant. Default: 1.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    input
        Format of the files. Default: detected from their content.

    Returns
    -------
    LeftOut
        For each run its mean and rank as they are and without its own documents, and the share of its first documents
        without a judgment.

    Raises
    ------
    InputError, ParameterError
        As `evaluate` and `pool`.

    Notes
    -----
    For each run, the judgments of documents that no other run has among its first `depth` are removed, and all runs are
    evaluated again. A run that falls shows that the judgments are unfair to new runs. Another run of the same makers
    keeps the documents of the run that is left out, so give one run of each.

    References
    ----------
    Zobel (1998), "How reliable are the results of large-scale information retrieval experiments?".

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = [rs.Run({"q": {"a": 2.0, "b": 1.0}}, name="x"), rs.Run({"q": {"d": 2.0, "a": 1.0}}, name="y")]
    >>> found = rs.judging.leave_out(runs, qrels, "P@2")
    >>> found.systems, found.mean.tolist(), found.mean_without.tolist()
    (('x', 'y'), [1.0, 0.5], [0.5, 0.5])
    """
    settings = LeaveOutSettings(measure=measure, depth=depth, cutoff=cutoff, rel=rel)
    return leave_out_runs(merge_inputs(runs, duplicates, doc_of, input), qrels, settings, input=input)


def leave_out_runs(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    settings: LeaveOutSettings,
    *,
    input: str | None = None,
) -> LeftOut:
    """As `leave_out`, with its settings as one object."""
    depth, cutoff = settings.depth, settings.cutoff
    plan = make_plan([settings.measure], rel=settings.rel)
    if plan.needs_subtopics:
        raise ParameterError(
            f"{settings.measure} asks for judgments by subtopic, and pools have none; choose another measure"
        )
    files = runs if isinstance(runs, (list, tuple)) else ()
    refuse_pipes(files, "runs are read twice here")
    stamps = file_stamps(files)
    lists = read_lists(runs, max(depth, cutoff), input=input)
    if len(lists.systems) < 2:
        raise ParameterError("one run, expected at least two: without its documents there would be no judgments")
    judgments = as_qrels(qrels)
    joined_runs = join_all(judgments, list(runs), plan, input, None)
    refuse_changed(stamps)
    plan.refuse_levels_above_grades(joined_runs[0].hits)
    scores = score_hits(plan, joined_runs)
    score_index = [list(scores.systems).index(system) for system in lists.systems]
    sorted_runs = [JoinedRun(lists.systems[i], joined_runs[p].hits, (), None) for i, p in enumerate(score_index)]
    judgment_index = judgments_of(lists, judgments)
    present = judgment_index >= 0
    judgment_index[present] = np.where(judgments.relevance[judgment_index[present]] >= 0, judgment_index[present], -1)
    only_run = own_documents(lists, depth)
    own_judgments = [judgment_index[only_run == i] for i in range(len(sorted_runs))]
    means_without = means_without_runs(sorted_runs, judgments, own_judgments, plan)
    sign = scores.sign(scores.measure_names[0]) or 1
    mean = scores.summary(scores.measure_names[0])[score_index]
    relevance = np.where(judgment_index >= 0, judgments.relevance[np.maximum(judgment_index, 0)], -1)
    return LeftOut(
        measure=scores.measure_names[0],
        systems=lists.systems,
        mean=mean,
        rank=ranks_of(sign * mean[None])[0],
        mean_without=means_without.diagonal().copy(),
        rank_without=ranks_of(sign * means_without).diagonal().copy(),
        unjudged=unjudged_share(lists, relevance >= 0, cutoff, None),
        unjudged_without=unjudged_share(lists, relevance >= 0, cutoff, only_run),
        only_here=count_by_run(only_run[relevance >= 0], len(lists.systems)),
        only_here_relevant=count_by_run(only_run[relevance >= settings.rel], len(lists.systems)),
        settings=settings,
        scores_signature=scores.signature(),
        notes=tuple(dict.fromkeys((*lists.notes, *scores.notes))),
    )


def means_without_runs(
    joined_runs: Sequence[JoinedRun], judgments: Qrels, own_judgments: Sequence[Ints], plan: Plan
) -> Floats:
    """(run left out, runs) means of the plan's measure. own_judgments: by run, those of its own documents; -1: none."""
    means = np.empty((len(joined_runs), len(joined_runs)))
    order = np.lexsort((-judgments.relevance, group_of(judgments.offsets)))
    for i, removed in enumerate(own_judgments):
        is_kept = np.ones(judgments.relevance.size, np.bool_)
        is_kept[removed[removed >= 0]] = False
        rejudged = judged_without(judgments, is_kept, order)
        rejudged_runs = [JoinedRun(run.name, run.hits.rejudged(**rejudged, memory={}), (), None) for run in joined_runs]
        scores = score_hits(plan, rejudged_runs)
        means[i] = scores.summary(scores.measure_names[0])
    return means


def own_documents(lists: RunLists, depth: int) -> Ints:
    """(documents) the only run that has it within the depth; -1 where several or none have it."""
    within = lists.rank <= depth
    counts = np.bincount(lists.doc[within], minlength=lists.size)
    only_run = np.full(lists.size, -1)
    only_run[lists.doc[within]] = lists.run[within]
    only_run[counts != 1] = -1
    return only_run


def count_by_run(run: Ints, n_runs: int) -> Ints:
    return np.bincount(run[run >= 0], minlength=n_runs)


def judged_without(qrels: Qrels, is_kept: Bools, order: Ints) -> dict[str, Ints]:
    """The arguments of `Hits.rejudged`. is_kept: (judgments); order: sorts them by query, then by falling grade."""
    query = group_of(qrels.offsets)
    counts = np.bincount(query[is_kept], minlength=len(qrels.query_ids))
    n_kept_before: Ints = np.concatenate((np.zeros(1, np.int64), np.cumsum(is_kept, dtype=np.int64)))
    new_places = np.where(is_kept, n_kept_before[:-1] - n_kept_before[qrels.offsets[:-1]][query], -1)
    grades = qrels.relevance[order][is_kept[order]]
    return {"relevance": qrels.relevance, "places": new_places, "grades": grades, "grade_offsets": bounds(counts)}


def ranks_of(values: Floats) -> Ints:
    """(rows, systems) ranks from 1, the highest value first; ties share the better rank."""
    joined = (
        join_ties(np.where(np.isnan(values), np.nanmin(values) - 1, values))
        if np.isnan(values).any()
        else join_ties(values)
    )
    return np.asarray(1 + (joined[:, :, None] < joined[:, None, :]).sum(axis=2))


def unjudged_share(lists: RunLists, is_judged: Bools, cutoff: int, only_run: Ints | None) -> Floats:
    """(runs) the share of its first documents without a judgment. only_run: (documents) the run without which the
    judgment is missing; None keeps all judgments.
    """
    within_cutoff = lists.rank <= cutoff
    run, doc = lists.run[within_cutoff], lists.doc[within_cutoff]
    is_known = is_judged[doc] if only_run is None else is_judged[doc] & (only_run[doc] != run)
    n_listed = np.bincount(run, minlength=len(lists.systems))
    return np.bincount(run[~is_known], minlength=n_listed.size) / np.maximum(n_listed, 1)
