"""`evaluate`: judgments and runs in, scores out, while files are read; and `Evaluator`, for loops over many runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankscope.data.entities import EntityRanks, EntityRankSettings
from rankscope.data.join import Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import detect_pieces, is_mapping_of_mappings
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.spans import SpanQrels
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.batch import can_batch, score_batch
from rankscope.evaluation.column_settings import ColumnSettings
from rankscope.evaluation.conventions import (
    ConventionSettings,
    InputSettings,
    Plan,
    RunErrorSettings,
    make_plan,
    plan_evaluation,
)
from rankscope.evaluation.joining import (
    ENTITY,
    LETOR,
    JoinedRun,
    Joining,
    Progress,
    join_all,
    join_entities,
    n_workers,
)
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import is_path
from rankscope.measures.base import Measure
from rankscope.settings import as_names
from rankscope.typing import PathLike

__all__ = [
    "Evaluator",
    "evaluate",
    "list_runs",
    "plan_and_join",
]


#: The default of what happens if a run cannot be read.
STOP_AT_ERRORS = RunErrorSettings()


def evaluate(
    qrels: Qrels | PathLike | Any,
    runs: Run | PathLike | Any | Sequence[Run | PathLike | Any] = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    preset: str | None = None,
    rel: float = 1,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
    duplicates: str | None = None,
    doc_of: Any = None,
    overlap: float | None = None,
    overlap_of: str = "gold",
    input: str | None = None,
    columns: Mapping[str, str] | None = None,
    total_ranks: int | None = None,
    systems: Any = (),
    workers: int | None = None,
    on_error: str = "stop",
    hash_lists: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Evaluate runs against judgments: one value for each system, measure and query.

    Parameters
    ----------
    qrels
        Judgments: a Qrels, a path, or anything that `Qrels(...)` takes. With input="letor", a label file; with
        input="entity-ranks", a table of ranks or an EntityRanks.
    runs
        A Run, a path, anything that `Run(...)` takes, or a list of those. Files, and iterators over the pieces of a
        run, are streamed. A folder is one run in several files (partitions). None for a table of ranks.
    measures
        Names or measures. Default: nDCG@10 AP RR P@10 R@100, or those of the preset.
    preset
        Conventions of a reference tool; `rankscope measures --presets` lists them. One of 'trec_eval', 'trec_eval-9',
        'gdeval', 'ir_measures', 'letor3', 'letor4', 'mslr', 'letor-filled', 'burges', 'lightgbm', 'xgboost', 'allrank',
        'catboost', 'tensorflow-ranking', 'torchmetrics', 'recbole', 'sentence-transformers', 'mteb', 'beir', 'mlflow',
        'llama_index', 'haystack', 'ragas', 'elasticsearch', 'opensearch', 'sklearn', 'ranx', 'dunaiski'.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    ties
        Order of documents with equal scores: by id (doc_id_desc, as trec_eval), file order (file), the average over all
        orders (average), or stop if a judged document is tied (error). One of 'doc_id_desc', 'file', 'average',
        'error'. Default: as the preset says, else doc_id_desc.
    missing
        Queries missing from a run: score them as empty, skip them, or stop with an error. One of 'zero', 'drop',
        'error'. Default: 'zero'.
    no_relevant
        Queries without relevant documents: score them as the measure defines (mostly 0), skip them, or score them as 1.
        One of 'zero', 'drop', 'one'. Default: as the preset says, else zero.
    unjudged
        Unjudged documents: treat them as not relevant, remove them from the list, or count them as not relevant and
        also show the lowest and highest values that their judgments could give. One of 'nonrelevant', 'skip', 'bounds'.
        Default: 'nonrelevant'.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    overlap
        Least share of a gold span, such as 0.5, that a retrieved span must cover to find it; QRELS then holds gold
        spans, and each RUN retrieved spans (columns query, file, begin, end).
    overlap_of
        With --overlap: take the share of the gold span, of the retrieved span, or of their union. One of 'gold',
        'retrieved', 'union'. Default: 'gold'.
    input
        Format of the runs. elasticsearch:FILE names the queries of responses, in order; mteb:SUBSET/SPLIT chooses
        predictions. With letor or letor-ranks, QRELS is a label file and each RUN a file of predictions or rank
        positions; with entity-ranks, QRELS is a table of ranks and there are no runs. One of 'trec', 'csv', 'tsv',
        'lists', 'jsonl', 'json', 'parquet', 'lz4', 'msmarco', 'letor', 'letor-ranks', 'entity-ranks', 'rank-eval',
        'search-relevance', 'rre', 'elasticsearch', 'quepid', 'mteb', 'llama-index'. Default: detected from the content.
    columns
        Column names in tables. NAME is query_id, doc_id, relevance, score, rank, subtopic, relevant_ids or
        retrieved_ids; in a file of scores system, query, measure, value, group, cluster, weight or epoch; for spans
        also query, file, begin or end; in the table of --doc-of chunk or document, in that of --texts text_id, title or
        text. Default: found by their usual names.
    total_ranks
        For tables of ranks: number of all items that each system ranked, including those not in the table.
    systems
        Systems to read from a table with a column for each system: these columns. Default: all columns but the first.
    workers
        Number of processes, which share the run files and the pieces of large ones. They do not change the result.
        Default: all cores if that is faster and processes can be forked.
    on_error
        Runs, and partitions of runs, that cannot be read: stop, or skip them with a note. One of 'stop', 'skip'.
        Default: 'stop'.
    hash_lists
        Also keep a hash of each ranked list, as far as the measure sees it, which tells `gate` whether the lists of two
        systems are the same.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    Scores
        The values by system, measure and query. `print` shows the table of means; `frame()` gives one row per value.

    Raises
    ------
    InputError
        Judgments or a run cannot be read.
    ParameterError
        An argument is out of range, or two exclude each other.
    UnknownName
        A measure or preset does not exist.

    Notes
    -----
    Notes count the queries that are missing from a run and those without relevant documents. With input="letor",
    tied documents keep their order in the file unless `ties` or `preset` is given.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"d1": 1, "d2": 0, "d3": 2}})
    >>> scores = rs.evaluate(qrels, {"q1": {"d2": 3.0, "d3": 2.0, "d4": 1.0}}, ["RR", "P@2"])
    >>> scores.overall("RR"), scores.overall("P@2")
    (0.5, 0.5)
    """
    reading, naming = InputSettings(input=input, total_ranks=total_ranks), ColumnSettings(columns=columns)
    conventions = ConventionSettings(
        preset=preset,
        rel=rel,
        ties=ties,
        missing=missing,
        no_relevant=no_relevant,
        unjudged=unjudged,
        duplicates=duplicates,
        doc_of=naming.document_map(doc_of),
        overlap=overlap,
        overlap_of=overlap_of,
    )
    if columns:
        qrels, runs = naming.judgments(qrels), runs if runs is None else [naming.run(run) for run in list_runs(runs)]
    errors = RunErrorSettings(on_error=on_error)
    table_settings = EntityRankSettings(table_systems=as_names(systems))
    return score_hits(
        *plan_and_join(
            qrels,
            runs,
            measures,
            conventions,
            reading,
            errors,
            table_systems=table_settings.table_systems,
            workers=workers,
            hash_lists=hash_lists,
            progress=progress,
        )
    )


def plan_and_join(
    qrels: Any,
    runs: Any,
    measures: Any,
    conventions: ConventionSettings,
    reading: InputSettings,
    errors: RunErrorSettings = STOP_AT_ERRORS,
    *,
    table_systems: Sequence[str] = (),
    workers: int | None = None,
    hash_lists: bool = False,
    progress: Progress | None = None,
    depth: int = 0,
) -> tuple[Plan, list[JoinedRun]]:
    """Plan the evaluation, and join the runs with the judgments. Wrong arguments raise before anything is read.

    table_systems: the systems to read from a table of ranks; all by default. depth: how many documents of each list to
    keep with their ids.
    """
    if workers is not None:
        n_workers(workers, ())  # raises for a wrong number before anything is read
    if reading.input in LETOR and conventions.ties is None and conventions.preset is None:
        conventions = replace(conventions, ties="file")  # as LETOR's scripts and all learners rank
    if reading.input in (*LETOR, ENTITY) or isinstance(qrels, EntityRanks):
        conventions.refuse("duplicates", "doc_of", "overlap", since="this input holds each document once")
    plan = plan_evaluation(measures, conventions)
    if hash_lists:
        plan = plan.with_list_hashes()
    if reading.input == ENTITY or isinstance(qrels, EntityRanks):
        if conventions.ties is not None or runs is not None:
            raise ParameterError(
                "a table of ranks holds judgments and runs together, already ranked; leave out runs and ties"
            )
        if plan.unjudged != "nonrelevant":
            raise ParameterError("a table of ranks holds only relevant entities; leave out unjudged (--unjudged)")
        return plan, join_entities(qrels, plan, reading.total_ranks, table_systems)
    if reading.total_ranks is not None:
        raise ParameterError(
            "total_ranks (--total-ranks) needs a table of ranks; add input='entity-ranks' (--input entity-ranks)"
        )
    if table_systems:
        raise ParameterError(
            "systems (--systems) needs a table of ranks; add input='entity-ranks' (--input entity-ranks), or name the "
            "runs of these systems only"
        )
    joined = join_all(qrels, list_runs(runs), plan, reading.input, progress, workers, errors.on_error, depth)
    plan.refuse_levels_above_grades(joined[0].hits)
    return plan, joined


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
    """Evaluate many runs against the same judgments: call it with a run to get the Scores of that run.

    Judgments and measures are prepared once, which makes it fast in loops over runs.

    Parameters
    ----------
    qrels
        Judgments: a Qrels, a path, or anything that `Qrels(...)` takes.
    measures
        Names or measures. Default: nDCG@10 AP RR P@10 R@100, or those of the preset.
    preset
        Conventions of a reference tool; `rankscope measures --presets` lists them. One of 'trec_eval', 'trec_eval-9',
        'gdeval', 'ir_measures', 'letor3', 'letor4', 'mslr', 'letor-filled', 'burges', 'lightgbm', 'xgboost', 'allrank',
        'catboost', 'tensorflow-ranking', 'torchmetrics', 'recbole', 'sentence-transformers', 'mteb', 'beir', 'mlflow',
        'llama_index', 'haystack', 'ragas', 'elasticsearch', 'opensearch', 'sklearn', 'ranx', 'dunaiski'.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    ties
        Order of documents with equal scores: by id (doc_id_desc, as trec_eval), file order (file), the average over all
        orders (average), or stop if a judged document is tied (error). One of 'doc_id_desc', 'file', 'average',
        'error'. Default: as the preset says, else doc_id_desc.
    missing
        Queries missing from a run: score them as empty, skip them, or stop with an error. One of 'zero', 'drop',
        'error'. Default: 'zero'.
    no_relevant
        Queries without relevant documents: score them as the measure defines (mostly 0), skip them, or score them as 1.
        One of 'zero', 'drop', 'one'. Default: as the preset says, else zero.
    unjudged
        Unjudged documents: treat them as not relevant, remove them from the list, or count them as not relevant and
        also show the lowest and highest values that their judgments could give. One of 'nonrelevant', 'skip', 'bounds'.
        Default: 'nonrelevant'.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    overlap
        Least share of a gold span, such as 0.5, that a retrieved span must cover to find it; QRELS then holds gold
        spans, and each RUN retrieved spans (columns query, file, begin, end).
    overlap_of
        With --overlap: take the share of the gold span, of the retrieved span, or of their union. One of 'gold',
        'retrieved', 'union'. Default: 'gold'.

    Raises
    ------
    InputError
        The judgments cannot be read; in a call, the run.
    ParameterError
        An argument is out of range, or two exclude each other.

    Examples
    --------
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
        rel: float = 1,
        ties: str | None = None,
        missing: str = "zero",
        no_relevant: str | None = None,
        unjudged: str = "nonrelevant",
        duplicates: str | None = None,
        doc_of: Any = None,
        overlap: float | None = None,
        overlap_of: str = "gold",
    ) -> None:
        self.plan = make_plan(
            measures,
            preset=preset,
            rel=rel,
            ties=ties,
            missing=missing,
            no_relevant=no_relevant,
            unjudged=unjudged,
            duplicates=duplicates,
            doc_of=doc_of,
            overlap=overlap,
            overlap_of=overlap_of,
        )
        self.joining = Joining.of(qrels, self.plan)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that are computed."""
        return self.plan.measures

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.joining.qrels

    def __call__(self, run: Any) -> Scores:
        """The scores of one run: a Run, a path, or anything that `Run(...)` takes. Raises as `evaluate`."""
        joined = self._join(run)
        if self.qrels.notes:
            joined = joined._replace(notes=(*self.qrels.notes, *joined.notes))
        self.plan.refuse_levels_above_grades(joined.hits)
        return score_hits(self.plan, [joined])

    def evaluate_many(self, runs: Mapping[str, Any] | Iterable[Any]) -> Scores:
        """The scores of many runs in one call: the numbers of single calls, for short lists in a fraction of the time.

        A call for one short list takes tens of microseconds, mostly overhead; runs held as `{query_id: {document_id:
        score}}` are joined and measured together.

        Parameters
        ----------
        runs
            `{name: run}`, or runs one after the other: a `Run` has a name, others are called "run 1", "run 2", ...
            A run is anything that a call of the Evaluator takes.

        Returns
        -------
        Scores
            The values by system, measure and query.

        Raises
        ------
        InputError
            A run cannot be read; the message names it.
        ParameterError
            There is no run, or one run is given in the place of several.

        Examples
        --------
        >>> import rankscope as rs
        >>> evaluator = rs.Evaluator({"q1": {"d1": 1}}, ["RR"])
        >>> runs = {"old": {"q1": {"d1": 1.0, "d2": 2.0}}, "new": {"q1": {"d1": 2.0, "d2": 1.0}}}
        >>> evaluator.evaluate_many(runs).summary("RR").tolist()
        [0.5, 1.0]
        """
        run_of_name = name_runs(runs)
        if can_batch(self.plan, self.qrels, list(run_of_name.values())):
            try:
                return score_batch(self.plan, self.qrels, run_of_name)
            except (InputError, TypeError, AttributeError):
                pass  # one run after the other, the error is that of the run
        joined = [self._join(run, name) for name, run in run_of_name.items()]
        if self.qrels.notes:
            joined[0] = joined[0]._replace(notes=(*self.qrels.notes, *joined[0].notes))
        self.plan.refuse_levels_above_grades(joined[0].hits)
        return score_hits(self.plan, joined)

    def _join(self, run: Any, name: str = "run") -> JoinedRun:
        if is_mapping_of_mappings(run) and not isinstance(
            self.qrels, SpanQrels
        ):  # fast for loops over runs: no Run is built
            joiner = Joiner(self.qrels, self.plan.convention, name)
            joiner.add_mapping(run)
            hits, notes = joiner.finish(), joiner.merge_notes()
            return JoinedRun(name, hits, notes, None, unjudged_queries=tuple(joiner.unjudged_queries))
        if isinstance(run, (list, tuple)):
            raise ParameterError(
                "an Evaluator takes one run per call; call it for each run, or pass the list to `evaluate`"
            )
        joined = self.joining.join_run(run)
        return joined if name == "run" else joined._replace(name=name)


def name_runs(runs: Any) -> dict[str, Any]:
    """The runs by name. Raises ParameterError where there are none, or one in the place of several."""
    if isinstance(runs, Mapping):
        if is_single_run(runs):
            raise ParameterError(
                "runs is one run, expected several by name, {name: {query: {document: score}}}; call the Evaluator "
                "itself with one run"
            )
        run_of_name = dict(runs)
    elif isinstance(runs, Run) or is_path(runs) or not isinstance(runs, Iterable):
        raise ParameterError(f"runs is one {type(runs).__name__}, expected several: {{name: run}} or a list of runs")
    else:
        listed = list(runs)
        run_of_name = {run.name if isinstance(run, Run) else f"run {i}": run for i, run in enumerate(listed, 1)}
        if len(run_of_name) < len(listed):
            raise ParameterError("two runs have one name; name them with Run(..., name=...), or pass {name: run}")
    if not run_of_name:
        raise ParameterError("no runs given, expected at least one")
    return run_of_name


def is_single_run(runs: Mapping[Any, Any]) -> bool:
    """Whether it is {query: {document: score}} and not {name: {query: {document: score}}}."""
    first = next(iter(runs.values()), None)
    return isinstance(first, Mapping) and not isinstance(next(iter(first.values()), {}), (Mapping, list, tuple))
