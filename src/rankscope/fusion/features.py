"""Runs as features of documents, so that whatever learns to rank can fuse them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_ids
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.fusion.judgments import judge_pool
from rankscope.fusion.methods import INVERTED
from rankscope.fusion.normalisation import NORMALISATIONS, normalise_run
from rankscope.fusion.pool import PooledRun, RunPool, check_runs, lacking_queries_note, load_pool, runs_per_query
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import read_qrels
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import decode
from rankscope.settings import Settings, choice, excludes, switch
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "UNJUDGED_DOCUMENTS",
    "RunFeatureSettings",
    "features_of_runs",
    "run_features",
]


#: Treatments of documents without a judgment.
UNJUDGED_DOCUMENTS = ("zero", "drop")


@dataclass(frozen=True, kw_only=True)
class RunFeatureSettings(Settings):
    """Which features runs give, and of which documents; see `run_features`."""

    FUNCTIONS = ("rankscope.fusion:run_features",)
    COMMANDS = ("features runs",)

    normalise: str = choice(
        "min-max",
        NORMALISATIONS,
        kind="normalisation",
        help="Normalisation of the scores of each list, as in `fuse`; with none, the feature of the normalised"
        " score is omitted.",
    )
    unjudged: str = choice(
        "zero", UNJUDGED_DOCUMENTS, help="Documents without a judgment: give them grade 0, or drop them."
    )
    all_queries: bool = switch(
        False,
        help="Keep queries without judgments too, with grade 0, to predict for them.",
        depends=excludes(unjudged="drop", reason="it skips all documents of queries without judgments"),
    )


def run_features(
    qrels: Qrels | PathLike | Any | None,
    runs: Sequence[Run | PathLike | Any],
    *,
    normalise: str = "min-max",
    unjudged: str = "zero",
    all_queries: bool = False,
    input: str | None = None,
) -> Features:
    """Scores and ranks of documents in runs as features, from which rankers can learn to fuse.

    Parameters
    ----------
    qrels
        Judgments, or a file of them; None if there are none: all grades are then 0 and not known.
    runs
        List of runs, files, or anything that `Run` takes.
    normalise
        Normalisation of the scores of each list, as in `fuse`; with none, the feature of the normalised score is
        omitted. One of 'min-max', 'min-max-inverted', 'max', 'sum', 'z-score', 'rank', 'borda', 'none'. Default:
        'min-max'.
    unjudged
        Documents without a judgment: give them grade 0, or drop them. One of 'zero', 'drop'. Default: 'zero'.
    all_queries
        Keep queries without judgments too, with grade 0, to predict for them. Default: False.
    input
        Format of the files. Default: detected from their content.

    Returns
    -------
    Features
        One row for each document that any run retrieved, float64; the grades are those of the judgments. `notes` count
        the documents that were dropped and the values that were filled in.

    Raises
    ------
    InputError
        As `fuse`, or no document is left.
    ParameterError
        Documents without a judgment are to be dropped and there are no judgments, or `all_queries` needs them.
    UnknownName
        There is no such normalisation.

    Notes
    -----
    The columns of each run begin with its name: `:score`; `:normalised`, the score as `fuse` normalises it;
    `:reciprocal_rank`; and `:rank`, from 1, with ties in the order of document ids, descending by bytes. The last
    column, `runs`, is the number of runs that have the document.

    A document that a run lacks gets the lowest score of that list, raw and normalised, a reciprocal rank of 0, and the
    rank after the last one. If the run has no list for the query, it gets 0, 0, 0 and the rank after the longest list.
    A grade below 0 counts as no judgment. Documents are in the order of the first run's list, followed by those that
    only the second run has, and so on.

    Examples
    --------
    >>> runs = [Run({"q": {"a": 9.0, "b": 8.0}}, name="bm25"), Run({"q": {"b": 0.9}}, name="dense")]
    >>> result = run_features({"q": {"b": 2}}, runs, normalise="none")
    >>> result.names[:3], result.doc_ids, result.relevance.tolist()
    (('bm25:score', 'bm25:reciprocal_rank', 'bm25:rank'), ['a', 'b'], [0, 2])
    >>> result.values.tolist()
    [[9.0, 1.0, 1.0, 0.9, 0.0, 2.0, 1.0], [8.0, 0.5, 2.0, 0.9, 1.0, 1.0, 2.0]]
    """
    settings = RunFeatureSettings(normalise=normalise, unjudged=unjudged, all_queries=all_queries)
    return features_of_runs(qrels, runs, settings, input=input)


def features_of_runs(
    qrels: Qrels | PathLike | Any | None,
    runs: Sequence[Run | PathLike | Any],
    settings: RunFeatureSettings,
    *,
    input: str | None = None,
) -> Features:
    """As `run_features`, with its settings as one object."""
    if qrels is None and settings.unjudged == "drop":
        raise ParameterError(
            "unjudged='drop' without judgments leaves nothing; give judgments, or choose unjudged='zero'"
        )
    check_runs(runs)
    check_single_stdin([qrels, *runs])
    loaded_qrels = (
        qrels if qrels is None or isinstance(qrels, Qrels) else read_qrels(qrels) if is_path(qrels) else Qrels(qrels)
    )
    names, notes, pool = load_pool(runs, input=input, inverted=settings.normalise == INVERTED)
    notes = tuple(note for note in notes if note not in lacking_queries_note(pool))  # reworded below
    grades, is_kept, more_notes = grade_documents(pool, loaded_qrels, settings)
    order = documents_in_order(pool, is_kept)
    columns: dict[str, Floats] = {}
    for name, entry in zip(names, pool.entries, strict=True):
        values, run_notes = columns_of_run(pool, entry, name, settings.normalise)
        columns |= {f"{name}:{column_name}": column[order] for column_name, column in values.items()}
        more_notes += run_notes
    columns["runs"] = runs_per_document(pool)[order]
    n_lacking = int((runs_per_query(pool, pool.entries) < len(runs)).sum())
    if n_lacking:
        queries = pluralise_queries(len(pool.query_ids))
        more_notes.insert(0, f"{n_lacking:,} of {queries} {is_or_are(n_lacking)} not in every run")
    lengths = np.bincount(group_of(pool.offsets)[order], minlength=len(pool.query_ids))[pool.order]
    ids = [pool.query_ids[i] for i in pool.order[lengths > 0].tolist()]
    return Features(
        values=np.column_stack(list(columns.values())),
        relevance=grades[order],
        offsets=bounds(lengths[lengths > 0]),
        query_ids=tuple(decode_ids(ids)),
        names=tuple(columns),
        doc_ids=decode_ids(decode(pool.docs.take(order))),
        name="runs",
        notes=(*notes, *more_notes),
        graded=loaded_qrels is not None,
    )


def grade_documents(pool: RunPool, qrels: Qrels | None, settings: RunFeatureSettings) -> tuple[Ints, Bools, list[str]]:
    """(documents) grades, and which documents are kept; notes. Raises InputError if none is kept."""
    if qrels is None:
        return np.zeros(pool.size, np.int64), np.ones(pool.size, np.bool_), []
    drop, all_queries = settings.unjudged == "drop", settings.all_queries
    judgments = judge_pool(pool, qrels)
    if not judgments.used.any() and not all_queries:
        raise InputError("no query of the runs has judgments; check that queries of qrels and runs are written alike")
    group = group_of(pool.offsets)
    in_judged_query, has_grade = judgments.used[group], judgments.grades >= 0
    is_kept = (in_judged_query | all_queries) & (has_grade | (not drop))
    if not is_kept.any():
        raise InputError("no document of the runs is judged, and unjudged='drop' skips them all")
    notes = judgment_notes(qrels, judgments.used, in_judged_query, has_grade, drop, all_queries)
    return np.where(has_grade, judgments.grades, 0), is_kept, list(notes)


def judgment_notes(
    qrels: Qrels, is_judged: Bools, in_judged_query: Bools, has_grade: Bools, drop: bool, all_queries: bool
) -> Iterator[str]:
    """Notes on missing judgments. is_judged: (queries); in_judged_query, has_grade: (documents)."""
    n_without = int(np.count_nonzero(~is_judged))
    if n_without:
        whose = "its" if n_without == 1 else "their"
        consequence = "get grade 0" if all_queries and not drop else "are skipped"
        queries = pluralise_queries(is_judged.size)
        yield f"{n_without:,} of {queries} {has_or_have(n_without)} no judgments; {whose} documents {consequence}"
    n_missing = int(np.count_nonzero(in_judged_query & ~has_grade))
    if n_missing:
        consequence = "skipped" if drop else "grade 0"
        documents = pluralise(int(in_judged_query.sum()), "document")
        yield f"{n_missing:,} of {documents} {has_or_have(n_missing)} no judgment: {consequence}"
    n_judged = int((qrels.relevance >= 0).sum())
    n_lacking = n_judged - int(np.count_nonzero(in_judged_query & has_grade))
    if n_lacking:
        yield f"{n_lacking:,} of {pluralise(n_judged, 'judged document')} {is_or_are(n_lacking)} in no run: skipped"


def has_or_have(number: int) -> str:
    return "has" if number == 1 else "have"


def is_or_are(number: int) -> str:
    return "is" if number == 1 else "are"


def documents_in_order(pool: RunPool, is_kept: Bools) -> Ints:
    """The kept documents, sorted by query, then the first run that has each, then its rank there."""
    first_run = np.full(pool.size, len(pool.entries))
    rank = np.zeros(pool.size, np.int64)
    for i, entry in reversed(list(enumerate(pool.entries))):
        first_run[entry.document], rank[entry.document] = i, entry.rank
    query_position = np.empty(len(pool.query_ids), np.int64)
    query_position[pool.order] = np.arange(query_position.size)
    order = np.lexsort((rank, first_run, query_position[group_of(pool.offsets)]))
    return order[is_kept[order]]


def columns_of_run(
    pool: RunPool, entry: PooledRun, name: str, normalise: str
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """The columns of a run, (documents) each, and notes."""
    sign = -1.0 if normalise == INVERTED else 1.0  # the pool holds the scores with the other sign then
    longest = np.zeros(len(pool.query_ids))
    for other_entry in pool.entries:
        np.maximum.at(longest, other_entry.query, other_entry.lengths)
    rank_of_missing = longest + 1
    rank_of_missing[entry.query[entry.lengths > 0]] = entry.lengths[entry.lengths > 0] + 1
    normalised, notes = (entry.scores, ()) if normalise == "none" else normalise_run(pool, entry, normalise, name)
    columns = {"score": sign * spread_rows(pool, entry, entry.scores, worst_scores(pool, entry, entry.scores))}
    if normalise != "none":
        columns["normalised"] = spread_rows(pool, entry, normalised, worst_scores(pool, entry, normalised))
    columns["reciprocal_rank"] = spread_rows(pool, entry, 1 / entry.rank, np.zeros(rank_of_missing.size))
    columns["rank"] = spread_rows(pool, entry, entry.rank.astype(np.float64), rank_of_missing)
    return columns, notes


def worst_scores(pool: RunPool, entry: PooledRun, scores: Floats) -> Floats:
    """(queries) the lowest score of each list, 0 where there is no list."""
    worst = np.zeros(len(pool.query_ids))
    nonempty_lists = np.flatnonzero(entry.lengths)
    if nonempty_lists.size:
        worst[entry.query[nonempty_lists]] = np.minimum.reduceat(scores, bounds(entry.lengths)[nonempty_lists])
    return worst


def spread_rows(pool: RunPool, entry: PooledRun, values: Floats, lacking: Floats) -> Floats:
    """(documents) values of a run's rows, and by query for documents that it lacks."""
    by_document = pool.of_query(lacking)
    by_document[entry.document] = values
    return by_document


def runs_per_document(pool: RunPool) -> Floats:
    """(documents) how many runs have each."""
    n_runs = np.zeros(pool.size)
    for entry in pool.entries:
        n_runs[entry.document] += 1
    return n_runs
