"""The function `diff`: which documents make the difference of two systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.comparison.diff.documents import DocumentEffects, list_documents
from rankscope.comparison.diff.ideal import ideal_hits
from rankscope.comparison.diff.result import RunDiff
from rankscope.comparison.diff.settings import DEFAULT_MEASURE, DiffSettings
from rankscope.comparison.diff.shapley import shapley_values
from rankscope.comparison.diff.sources import sources_of, sum_sources
from rankscope.data.entities import EntityRanks
from rankscope.data.hit_pairs import HitPairs
from rankscope.data.run import Run
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.column_settings import ColumnSettings
from rankscope.evaluation.conventions import ConventionSettings, InputSettings, Plan, plan_evaluation
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, JoinedRun, Progress
from rankscope.evaluation.scoring import score_hits
from rankscope.io.ideal import IDEAL
from rankscope.io.text_tables import read_texts
from rankscope.measures.base import Measure
from rankscope.stats.inputs import seed_of
from rankscope.typing import Bools, Floats, Indices, Ints, PathLike

__all__ = [
    "check_measure",
    "diff",
    "diff_files",
    "diff_joined",
]


def diff(
    qrels: Any,
    a: Run | PathLike | Any,
    b: Run | PathLike | Any = None,
    measure: str | Measure = DEFAULT_MEASURE,
    *,
    query: str | None = None,
    depth: int | None = None,
    ideal: bool = False,
    texts: Any = None,
    n_resamples: int = 1000,
    rng: Any = 0,
    input: str | None = None,
    columns: Mapping[str, str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    conventions: Mapping[str, Any] | None = None,
) -> RunDiff:
    """Find the documents that make the difference of two systems: what each contributes, query by query.

    Parameters
    ----------
    qrels
        Judgments, as for `evaluate`.
    a, b
        Two runs, as for `evaluate`. The difference is the value of a less that of b.
    measure
        The measure.
    query
        Show both lists of this query side by side. Default: show where the difference over all queries comes from.
    depth
        Number of documents of each list that are shown with their ids. Default: the cutoff of the measure, at most 20,
        or 10 without a cutoff.
    ideal
        Compare one run with the best order possible: all relevant documents by falling grade. Default: False.
    texts
        Texts of documents, of which the title or the beginning is shown: a table (a file, a data frame, a mapping of
        columns) with the columns text_id and title or text, or a mapping {document: text}.
    n_resamples
        Number of orders of documents that are sampled for Shapley values, where more than 12 documents moved and the
        measure has no closed form. Default: 1000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    input, workers, progress
        As for `evaluate`.
    columns
        Column names in tables, as for `evaluate`; in the table of texts text_id, title or text.
    conventions
        Further arguments of `evaluate`, as {"ties": "file"}.

    Returns
    -------
    RunDiff
        `print` shows where the difference comes from, or both lists of one query; `frame()` gives one row a document.

    Raises
    ------
    InputError
        Judgments, a run or the texts cannot be read, or no query has a value of both systems.
    ParameterError
        An argument is out of range, or two exclude each other; the measure has no direction, or no value for queries
        where nothing relevant was found.
    UnknownName
        The measure does not exist, or the judgments do not have the query.

    Notes
    -----
    Contributions sum to the difference. Of a measure that is a sum over documents (P, R, F, RelP, Rprec, SetR, DCG,
    nDCG, RBP, SDCG, INSQ) a document contributes what it adds to the first list less what it adds to the second. Of all
    others its contribution is a Shapley value (Shapley 1953): documents move from their ranks in the second list to
    those in the first in every order, and each contributes the mean of what its move changes. AP, RR, Success, ERR and
    nERR have closed forms; others are exact if up to 12 documents moved, and sampled otherwise, with a standard error.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 1}}
    >>> a, b = rs.Run({"q1": ["d1", "d3"]}, name="a"), rs.Run({"q1": ["d2", "x", "d1"]}, name="b")
    >>> result = rs.diff(qrels, a, b, "nDCG@3")
    >>> {row["document"]: round(row["contribution"], 4) for row in result.frame().to_dicts()}
    {'d1': 0.4131, 'd3': 0.1738, 'd2': 0.0, 'x': 0.0}
    >>> abs(float(result.documents.contribution.sum() - result.differences.sum())) < 1e-12
    True
    """
    naming = ColumnSettings(columns=columns)
    settings = DiffSettings(query=query, depth=depth, ideal=ideal, n_resamples=n_resamples, seed=seed_of(rng))
    evaluate_options = {**(conventions or {})}
    if "doc_of" in evaluate_options:
        evaluate_options["doc_of"] = naming.document_map(evaluate_options["doc_of"])
    runs = [run for run in (a, b) if run is not None]
    return diff_files(
        naming.judgments(qrels),
        [naming.run(run) for run in runs],
        measure,
        settings,
        ConventionSettings(**evaluate_options),
        InputSettings(input=input),
        texts=texts,
        text_columns=naming.of_texts,
        workers=workers,
        progress=progress,
    )


def diff_files(
    qrels: Any,
    runs: Sequence[Any],
    measure: str | Measure,
    settings: DiffSettings,
    conventions: ConventionSettings,
    reading: InputSettings,
    *,
    texts: Any = None,
    text_columns: Mapping[str, str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RunDiff:
    """As `diff`, with each group of settings as one object. A wrong argument raises before anything is read."""
    if len(runs) != 2 - settings.ideal:
        expected = "1 run beside the ideal (--ideal, ideal=)" if settings.ideal else "2, or 1 with --ideal (ideal=)"
        raise ParameterError(f"{len(runs)} runs, expected {expected}")
    if reading.input == ENTITY or isinstance(qrels, EntityRanks):
        raise ParameterError("a table of ranks holds no lists of documents; give judgments and runs")
    plan = plan_evaluation([measure], conventions)
    check_measure(plan)
    depth = settings.list_depth(plan.measures[0])
    plan, joined = plan_and_join(
        qrels, list(runs), [measure], conventions, reading, workers=workers, progress=progress, depth=depth
    )
    result = diff_joined(plan, joined, settings)
    if texts is None:
        return result
    return replace(result, texts=read_texts(texts, set(result.documents.ids), text_columns))


def check_measure(plan: Plan) -> None:
    """Raise ParameterError unless the plan has one measure whose differences documents can explain."""
    if len(plan.measures) != 1:
        raise ParameterError(f"{len(plan.measures)} measures ({', '.join(plan.names)}), expected 1; name one with -m")
    measure = plan.measures[0]
    if measure.higher_is_better is None or measure.summary == "none":
        raise ParameterError(
            f"of {measure} neither higher nor lower is better, so that no document can be; choose another"
        )
    if measure.summary == "geometric":
        raise ParameterError(
            f"{measure} is a geometric mean, which is no sum over queries; choose the measure of a query ("
            f"{str(measure).replace('GM', '', 1)})"
        )
    if measure.may_lack_value():
        raise ParameterError(
            f"{measure} has no value where nothing relevant was found, so that no document can be left out; choose a "
            "measure of which higher is better"
        )
    if plan.unjudged == "bounds":
        raise ParameterError(
            "unjudged='bounds' (--unjudged bounds) gives two values of a query, and documents explain one; choose "
            "nonrelevant or skip"
        )


def diff_joined(
    plan: Plan, joined: Sequence[JoinedRun], settings: DiffSettings, queries: Sequence[int] | Ints | None = None
) -> RunDiff:
    """The documents that make the difference of two joined runs, on all queries or some.

    Parameters
    ----------
    plan
        The conventions, and one measure.
    joined
        Two runs, or one to be compared with its ideal, joined with the first documents of their lists (`depth`).
    settings
        The settings; of one query, that query.
    queries
        Indices of queries, such as those that decide a gate. Default: all of which both systems have a value.

    Raises
    ------
    ParameterError
        The measure cannot be explained; see `check_measure`.
    InputError
        No query has a value of both systems, or the chosen one has none.
    UnknownName
        The judgments do not have the query.
    """
    check_measure(plan)
    measure = plan.measures[0]
    lists = [run.top_lists for run in joined]
    first_lists = lists[0]
    assert first_lists is not None  # they were joined with a depth
    if settings.ideal:
        ideal = ideal_hits(measure, joined[0].hits, first_lists.qrels)
        joined, lists = [JoinedRun(IDEAL, ideal, (), None), joined[0]], [None, *lists]
    scores = score_hits(plan, joined)
    values = scores.values[:, 0]
    complete = np.asarray(~np.isnan(values).any(axis=0))
    query_places = chosen_queries(scores.query_ids, complete, settings.query, queries, str(measure))
    if complete[query_places].sum() == 0:
        raise InputError(
            f"no query has a value of {measure} for both {scores.systems[0]} and {scores.systems[1]}; check that runs "
            "and judgments are about the same queries"
        )
    query_places = query_places[complete[query_places]]
    is_complete = query_places.size == complete.size and bool((np.diff(query_places) > 0).all())
    hits = [plan.measured_hits(run.hits) for run in joined]
    pairs = HitPairs.of(*(hits if is_complete else [of_run.select(query_places) for of_run in hits]))
    effects = document_effects(measure, pairs, settings, query_places)
    if plan.no_relevant != "zero":  # both systems have the value that the rule says
        effects = without(effects, np.asarray(scores.undefined[0, query_places]))
    depth = first_lists.depth
    tops = [None if of_run is None or plan.unjudged == "skip" else of_run.rows for of_run in lists]
    notes = list(scores.notes)
    n_skipped = int((~complete).sum())
    if n_skipped and settings.query is None and queries is None:
        notes.append(f"{pluralise_queries(n_skipped)} of {complete.size} skipped, where not both systems have a value")
    return RunDiff(
        scores=scores,
        queries=query_places,
        documents=list_documents(effects, (tops[0], tops[1]), depth, query_places, first_lists.qrels),
        sources=sum_sources(pairs.query, effects.contributions, effects.sources, effects.length),
        length=effects.length,
        method=effects.method,
        n_sampled=effects.n_sampled,
        depth=depth,
        settings=settings,
        texts={},
        notes=(*notes, *sampling_notes(effects, settings)),
    )


def chosen_queries(query_ids: Sequence[str], complete: Bools, query: str | None, queries: Any, measure: str) -> Indices:
    """Indices of the queries that the diff is about. Raises UnknownName for a query that the judgments do not have."""
    if query is None:
        return np.arange(len(query_ids)) if queries is None else np.asarray(queries, np.intp)
    if query not in query_ids:
        raise UnknownName("query of the judgments", query, query_ids)
    place = query_ids.index(query)
    if not complete[place]:
        raise InputError(
            f"query {query!r} has no value of {measure} for both systems (missing:drop or no_relevant:drop); choose "
            "another query or convention"
        )
    return np.array([place], np.intp)


def document_effects(measure: Measure, pairs: HitPairs, settings: DiffSettings, query_numbers: Ints) -> DocumentEffects:
    """What each document contributes, by the measure's own sum or closed form, else as the Shapley value of calls."""
    in_a, in_b = measure.contributions(pairs.a), measure.contributions(pairs.b)
    errors, length, n_sampled, method = np.zeros(len(pairs)), np.zeros(len(pairs.a)), 0, "sum"
    values: Floats | None
    if in_a is not None and in_b is not None:
        values = pairs.differences(in_a, in_b)
    else:
        if pairs.a.ties == "average":
            raise ParameterError(
                f"{measure} is no sum over documents, and with ties='average' a list has no one order to explain it "
                "by; choose ties doc_id_desc or file (--ties), or a measure that is one, such as nDCG, P or RBP"
            )
        method = "shapley"
        values = measure.shapley_values(pairs)
        if values is not None:
            values = np.where(pairs.moved, values, 0.0)  # where sums in another order leave a rounding error
        else:
            values, errors, length, n_sampled = shapley_values(
                measure, pairs, settings.n_resamples, settings.seed, query_numbers
            )
    return DocumentEffects(
        pairs=pairs,
        contributions=values,
        errors=errors,
        length=length,
        sources=sources_of(measure, pairs),
        method=method,
        n_sampled=n_sampled,
    )


def without(effects: DocumentEffects, excluded: Bools) -> DocumentEffects:
    """The effects with nothing on some queries. excluded: (queries)."""
    return replace(
        effects,
        contributions=np.where(excluded[effects.pairs.query], 0.0, effects.contributions),
        errors=np.where(excluded[effects.pairs.query], 0.0, effects.errors),
        length=np.where(excluded, 0.0, effects.length),
    )


def sampling_notes(effects: DocumentEffects, settings: DiffSettings) -> list[str]:
    """A note where contributions are sampled."""
    if not effects.n_sampled:
        return []
    return [
        f"contributions on {pluralise_queries(effects.n_sampled)} are sampled Shapley values of up to "
        f"{settings.n_resamples:,} orders of the documents, with standard errors up to {effects.errors.max():.2g}; "
        "they sum to the difference exactly"
    ]
