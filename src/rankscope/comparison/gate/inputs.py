"""What a gate starts from: judgments, runs of the baselines and of the new system, saved baselines, files of scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rankscope.comparison.gate.documents import moved_documents
from rankscope.comparison.gate.margins import Margin, split_margin
from rankscope.comparison.gate.noninferiority import decide_gate
from rankscope.comparison.gate.result import Gate
from rankscope.comparison.gate.settings import GateSettings
from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.scores import Scores
from rankscope.data.spans import Spans
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings, plan_evaluation
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, LETOR, Progress, as_qrels
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import with_queries
from rankscope.evaluation.read_scores import read_baseline, read_score_files
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import is_path, source_name
from rankscope.typing import PathLike

__all__ = [
    "GateInput",
    "default_looks_file",
    "gate_of_input",
    "input_of_runs",
    "input_of_scores",
    "measures_and_margins",
    "systems_of_one_file",
]


class GateInput(NamedTuple):
    """What is compared.

    Attributes
    ----------
    new
        Scores of the new system.
    baselines
        Scores of the baselines, one or several systems each.
    hits
        What the new system and each baseline retrieved, if their runs are known; else None.
    qrels
        The judgments, if they name documents.
    """

    new: Scores
    baselines: tuple[Scores, ...]
    hits: tuple[Hits | None, ...] = ()
    qrels: Qrels | None = None


def measures_and_margins(
    measures: Sequence[str], margin: Margin | None
) -> tuple[list[str], Margin | dict[str, Margin] | None]:
    """The measures of options such as nDCG@10:0.01, and the margins: one for all, or by measure.

    margin: of all measures that have none of their own.
    """
    parts = [split_margin(name) for name in measures]
    own_margins = {name: own for name, own in parts if own is not None}
    names = [name for name, _ in parts]
    if not own_margins:
        return names, margin
    return names, {**own_margins, **({} if margin is None else {"": margin})}


def input_of_runs(
    qrels: Any,
    runs: Sequence[Any],
    measures: Sequence[str],
    conventions: ConventionSettings | None = None,
    reading: InputSettings | None = None,
    queries: QuerySettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> GateInput:
    """The input of runs: those of baselines (or saved scores), then that of the new system.

    Raises ParameterError for fewer than two; else as `evaluate`.
    """
    conventions, reading = conventions or ConventionSettings(), reading or InputSettings()
    if len(runs) < 2:
        what = f"one run, {source_name(runs[0]) if is_path(runs[0]) else 'of one system'}" if runs else "no run"
        raise ParameterError(
            f"{what}: a gate takes the baseline, a run or saved scores, and then the new run; add the other "
            "(`rankscope evaluate --save` saves the scores of a baseline)"
        )
    saved = [read_baseline(run) if is_path(run) else None for run in runs[:-1]]
    first_saved = next((scores for scores in saved if scores is not None), None)
    names: list[Any] = list(measures) or list(() if first_saved is None else first_saved.measure_names)
    plan = plan_evaluation(names or None, conventions)
    if reading.input not in (*LETOR, ENTITY) and not isinstance(qrels, Spans):
        qrels = as_qrels(qrels, plan)
    evaluated = [run for run, scores in zip(runs, [*saved, None], strict=True) if scores is None]
    plan, joined = plan_and_join(
        qrels, evaluated, names or None, conventions, reading, workers=workers, hash_lists=True, progress=progress
    )
    scores = score_hits(plan, joined)
    if queries is not None and queries != QuerySettings():
        scores = with_queries(scores, queries.queries, queries)
    singles = iter([(scores.select(systems=[place]), run.hits) for place, run in enumerate(joined)])
    sides = [next(singles) if own is None else (own, None) for own in [*saved, None]]
    *baselines, (new, new_hits) = sides
    return GateInput(
        new=new,
        baselines=tuple(own for own, _ in baselines),
        hits=(new_hits, *(hits for _, hits in baselines)),
        qrels=qrels if type(qrels) is Qrels else None,
    )


def input_of_scores(
    paths: Sequence[PathLike],
    measures: Sequence[str] | None,
    table_settings: ScoreTableSettings,
    queries: QuerySettings | None = None,
    *,
    system: str | None = None,
    baselines: Sequence[str] = (),
) -> tuple[GateInput, str, tuple[str, ...]]:
    """The input of files of scores, and the names of the new system and of the baselines.

    One file holds all systems; of several, each is of one side, the new system last. Raises ParameterError where it is
    not clear which system is which.
    """
    queries = queries or QuerySettings()
    if len(paths) > 1:
        tables = [read_score_files([path], measures, replace(table_settings, table_systems=())) for path in paths]
        *old, new = tables
        new = add_queries(new, queries)
        name = system or only_system(new, paths[-1], "the new one with --new")
        if baselines and len(old) == 1:
            return GateInput(new, tuple(old)), name, tuple(baselines)
        names = tuple(
            next((baseline for baseline in baselines if baseline in scores.systems), None)
            or only_system(scores, path, "the baseline with --baseline")
            for scores, path in zip(old, paths, strict=False)
        )
        return GateInput(new, tuple(old)), name, names
    scores = add_queries(read_score_files(list(paths), measures, table_settings), queries)
    name, names = systems_of_one_file(scores, paths[0], system, baselines)
    return GateInput(scores, (scores,)), name, names


def add_queries(scores: Scores, queries: QuerySettings) -> Scores:
    """The scores with what is known of their queries."""
    return scores if queries == QuerySettings() else with_queries(scores, queries.queries, queries)


def only_system(scores: Scores, path: PathLike, advice: str) -> str:
    """The only system of a file. Raises ParameterError where there are several."""
    if len(scores.systems) > 1:
        raise ParameterError(
            f"{source_name(path)}: {len(scores.systems)} systems ({', '.join(scores.systems)}); name {advice}"
        )
    return scores.systems[0]


def systems_of_one_file(
    scores: Scores, path: PathLike, system: str | None, baselines: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """The new system and the baselines among the systems of one file. Raises ParameterError, UnknownName."""
    if not baselines:
        raise ParameterError(
            f"{source_name(path)}: {len(scores.systems)} systems ({', '.join(scores.systems)}), and none is the "
            "baseline; name it with --baseline"
        )
    for name in (*baselines, *([system] if system is not None else [])):
        scores.place_of_system(name)
    candidates = [name for name in scores.systems if name not in baselines]
    if system is None and len(candidates) != 1:
        listed = f" ({', '.join(candidates)})" if candidates else ""
        raise ParameterError(
            f"{source_name(path)}: {len(candidates)} systems beside the baseline{listed}; name the new one with --new"
        )
    return system or candidates[0], tuple(baselines)


def gate_of_input(
    given: GateInput,
    settings: GateSettings,
    measures: object = None,
    *,
    system: str | None = None,
    baseline_systems: Sequence[str] = (),
    seen: Sequence[str] = (),
    looks_file: PathLike | None = None,
) -> Gate:
    """The gate on this input, with the documents that moved if runs are known."""
    result = decide_gate(
        given.new,
        given.baselines,
        measures,
        settings,
        system=system,
        baseline_systems=baseline_systems,
        seen=seen,
        looks_file=looks_file,
    )
    if given.qrels is None or len(given.hits) != len(result.scores.systems):
        return result
    return replace(result, documents=moved_documents(result, given.qrels, given.hits))


def default_looks_file(baseline: object) -> str | None:
    """The file of looks beside a baseline: eval/old.parquet has eval/old.looks.json; None if it is no file."""
    if not is_path(baseline):
        return None
    stem, _ = os.path.splitext(os.fspath(baseline))
    return f"{stem}.looks.json"
