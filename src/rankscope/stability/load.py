"""Loads the data of a study: measures at each cutoff, judgments and runs, or a table of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankscope.data.entities import EntityRanks
from rankscope.data.scores import MeasureLike, Scores
from rankscope.errors import ParameterError, RankscopeError
from rankscope.evaluation.conventions import DEFAULT_MEASURES, ConventionSettings, InputSettings, Plan, make_plan
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, JoinedRun, Progress, worth_parallelising
from rankscope.evaluation.query_table import QueryTable
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import is_path
from rankscope.io.tables import read_entity_ranks
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.measures.presets import find_preset
from rankscope.stability.sampling import Entities, Population, Queries

__all__ = [
    "MeasuresArgument",
    "load_population",
]


#: Default measures for a table of ranks.
ENTITY_MEASURES = ("MeanRank", "MedianRank", "AP", "nDCG", "P@10", "R@100")
MeasuresArgument = str | Measure | Iterable[str | Measure] | None


def at_cutoffs(
    measures: MeasuresArgument, cutoffs: tuple[int, ...] | None, preset: str | None, default: Sequence[str]
) -> list[str | Measure]:
    """The measures; those without a cutoff once at each of `cutoffs`.

    Raises ParameterError where cutoffs are given and no measure can take them.
    """
    requested = default if measures is None else [measures] if isinstance(measures, (str, Measure)) else list(measures)
    if cutoffs is None:
        return list(requested)
    with_cutoffs: list[str | Measure] = []
    n_ranged = 0
    for name in requested:
        variants = [variant for cutoff in cutoffs if (variant := with_cutoff(name, cutoff, preset)) is not None]
        with_cutoffs += variants or [name]
        n_ranged += bool(variants)
    if not n_ranged:
        make_plan(requested, preset=preset)  # refuses unknown names first
        raise ParameterError(
            "cutoffs apply to none of these measures: each has its own or takes none; add one without, such as nDCG "
            "or P"
        )
    return with_cutoffs


def with_cutoff(name: str | Measure, cutoff: int, preset: str | None) -> str | Measure | None:
    """The measure at this cutoff; None where it has one, or takes none."""
    if isinstance(name, Measure):
        takes_cutoff = any(field.name == "cutoff" for field in fields(name)) and getattr(name, "cutoff", 0) is None
        return replace(name, cutoff=cutoff) if takes_cutoff else None  # type: ignore[call-arg]  # it has such a field
    if "@" in name:
        return None
    preset_settings = find_preset(preset) if preset is not None else None
    text = f"{name}@{cutoff}"
    try:
        parsed = (
            parse_measures([text], preset_settings.parameters, preset_settings.renames, preset_settings.aliases)
            if preset_settings
            else parse_measures([text])
        )
    except RankscopeError:
        return None  # it takes no cutoff, or is no measure, which is refused later
    return text if len(parsed) == 1 and getattr(parsed[0], "cutoff", None) == cutoff else None


def load_population(
    data: Any,
    runs: Any,
    measures: MeasuresArgument,
    cutoffs: tuple[int, ...] | None,
    conventions: ConventionSettings,
    reading: InputSettings,
    *,
    table_systems: Sequence[str] = (),
    queries: QueryTable | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> tuple[Population, Scores, Plan | None, list[JoinedRun]]:
    """The population, its scores, and (for judgments and runs) the plan and the joined runs.

    table_systems: the systems to read from a table of ranks; all by default. Raises as `study` does, also for weights
    of queries.
    """
    if isinstance(data, Scores):
        if runs is not None or (conventions, reading) != (ConventionSettings(), InputSettings()):
            raise ParameterError("scores are already evaluated; leave out runs and the arguments of evaluate")
        return from_scores(without_weights(data, queries), measures, cutoffs)
    entities = isinstance(data, EntityRanks) or reading.input == ENTITY
    if entities and queries is not None:
        raise ParameterError(
            "a table of ranks has entities and no queries, so none that belong together; leave out the table, groups, "
            "clusters and weights of queries (--queries, --group, --group-by, --cluster-by, --weight)"
        )
    preset = conventions.preset
    default = find_preset(preset).measures if preset else ENTITY_MEASURES if entities else DEFAULT_MEASURES
    measures_at_cutoffs = at_cutoffs(measures, cutoffs, preset, default)
    if entities and is_path(data):
        least = find_preset(preset).least_rank if preset else 1.0
        data = read_entity_ranks(data, reading.total_ranks, least=least, systems=table_systems)
    n_readers = (
        workers if isinstance(runs, (list, tuple)) and worth_parallelising(runs) else 1
    )  # asked for what comes after
    plan, joined = plan_and_join(
        data, runs, measures_at_cutoffs, conventions, reading, workers=n_readers, progress=progress
    )
    refuse_undirected(plan.measures)
    scores = without_weights(score_hits(plan, joined), queries)
    signs = np.array([scores.sign(name) for name in scores.measure_names], np.float64)
    if not entities:
        used = np.array([[share_used(measure, run) for measure in plan.measures] for run in joined])
        return Queries(scores, plan.measures, signs, used), scores, plan, joined
    n_ranked = joined[0].hits.collection_size
    table = data if data.total_ranks == n_ranked else replace(data, total_ranks=n_ranked, where=None)
    return Entities(table, plan.measures, signs), scores, plan, joined


def without_weights(scores: Scores, queries: QueryTable | None) -> Scores:
    """The scores with what is known of their queries. Raises ParameterError for weights."""
    if queries is not None:
        scores = queries.add_to(scores)
    if scores.queries.weight is not None:
        raise ParameterError(
            "queries have weights, and a study counts all queries of its sets the same; leave the weights out "
            "(--weight, or the column weight)"
        )
    return scores


def from_scores(
    scores: Scores, measures: MeasuresArgument, cutoffs: tuple[int, ...] | None
) -> tuple[Population, Scores, None, list[JoinedRun]]:
    if cutoffs is not None:
        raise ParameterError("scores hold the cutoffs that they were evaluated at; name the measures, such as nDCG@10")
    if measures is not None:
        names = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        scores = scores.select(measures=list(dict.fromkeys(scores.place_of(name) for name in names)))
    else:
        scores = scores.with_direction()
    refuse_undirected(scores.measures)
    signs = np.array([scores.sign(name) for name in scores.measure_names], np.float64)
    return Queries(scores, scores.measures, signs), scores, None, []


def refuse_undirected(measures: Sequence[MeasureLike]) -> None:
    for measure in measures:
        if measure.higher_is_better is None or measure.summary == "none":
            raise ParameterError(f"of {measure} neither higher nor lower is better, so no system can be; leave it out")


def share_used(measure: Measure, run: JoinedRun) -> Any:
    """(queries) the share of the relevant documents that the value depends on; NaN where there are none."""
    relevant = run.hits.n_relevant(measure.level(run.hits))
    return np.divide(measure.used(run.hits), relevant, out=np.full(len(run.hits), np.nan), where=relevant > 0)
