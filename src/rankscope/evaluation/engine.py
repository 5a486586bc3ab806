"""`evaluate`: judgments and runs in, scores out, while files are read; and `Evaluator`, for loops over many runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankscope.data.entities import EntityRanks
from rankscope.data.join import Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import detect_pieces, is_mapping_of_mappings
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import (
    ENTITY,
    LETOR,
    JoinedRun,
    Progress,
    as_qrels,
    check_on_error,
    join_all,
    join_entities,
    join_run,
    n_workers,
)
from rankscope.evaluation.scoring import score_hits
from rankscope.measures.base import Measure
from rankscope.typing import PathLike

__all__ = [
    "Evaluator",
    "evaluate",
    "list_runs",
    "plan_and_join",
]


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
    """Check the arguments of `evaluate`, make the plan and join the runs. conventions: the arguments of `make_plan`."""
    check_on_error(on_error)
    plan_arguments = dict(conventions)
    if workers is not None:
        n_workers(workers, ())  # raises for a wrong number before anything is read
    if input_ in LETOR and plan_arguments.get("ties") is None and plan_arguments.get("preset") is None:
        plan_arguments["ties"] = "file"  # as LETOR's scripts and all learners rank
    plan = make_plan(measures, **plan_arguments)
    if input_ == ENTITY or isinstance(qrels, EntityRanks):
        if plan_arguments.get("ties") is not None or runs is not None:
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
    """The runs as a list. Raises ParameterError where there is none."""
    if isinstance(runs, Iterator):
        pieces, runs = detect_pieces(runs)
        runs = list(runs) if pieces is None else [Run(runs)]
    elif not isinstance(runs, (list, tuple)):
        runs = [runs]
    if not runs or (len(runs) == 1 and runs[0] is None):
        raise ParameterError("no runs given, expected at least one")
    return list(runs)


class Evaluator:
    """Judgments and measures, prepared; a call takes one run and gives its Scores.

    Arguments as for `evaluate`. The same run gives the same numbers however often it is called.
    Raises ParameterError for arguments and InputError for judgments at once, InputError for a run when it is called.

    >>> import rankscope as rs
    >>> evaluator = rs.Evaluator({"q1": {"d1": 1}}, ["RR"])
    >>> [evaluator({"q1": ranking}).overall("RR") for ranking in ({"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0})]
    [1.0, 0.5]
    """

    def __init__(
        self,
        qrels: Qrels | PathLike | Any,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        preset: str | None = None,
        rel: int = 1,
        ties: str | None = None,
        missing: str = "zero",
        no_relevant: str | None = None,
        unjudged: str = "nonrelevant",
    ) -> None:
        self.plan = make_plan(
            measures, preset=preset, rel=rel, ties=ties, missing=missing, no_relevant=no_relevant, unjudged=unjudged
        )
        self.qrels = as_qrels(qrels, self.plan)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.plan.measures

    def __call__(self, run: Any) -> Scores:
        """The scores of one run: a Run, a path, or what `Run(...)` takes. Raises as `evaluate`."""
        return score_hits(self.plan, [self._join(run)])

    def _join(self, run: Any) -> JoinedRun:
        if is_mapping_of_mappings(run):  # fast for loops over runs: no Run is built
            joiner = Joiner(self.qrels, self.plan.convention, "run")
            joiner.add_mapping(run)
            return JoinedRun("run", joiner.finish(), (), None)
        if isinstance(run, (list, tuple)):
            raise ParameterError("an Evaluator takes one run a call; call it for each, or pass all to `evaluate`")
        return join_run(self.qrels, run, self.plan.convention, None, None)
