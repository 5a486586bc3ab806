"""The settings of a study, checked before anything long begins: measures at each cutoff, levels, the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankscope.data.entities import EntityRanks
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError, RankscopeError
from rankscope.evaluation.conventions import DEFAULT_MEASURES, Plan, make_plan
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, JoinedRun, worth_parallelising
from rankscope.evaluation.joining.joined import Progress
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import is_path
from rankscope.io.tables import read_entity_ranks
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.measures.presets import find_preset
from rankscope.stability.conditions import integers_of_range
from rankscope.stability.sampling import Entities, Population, Queries
from rankscope.stats.inputs import check_positive, is_real

__all__ = [
    "PRESET",
    "MeasuresArgument",
    "check_levels",
    "load_population",
]


#: The preset whose statistics, too, are those of its tool.
PRESET = "dunaiski"
#: What is tried on a table of ranks where nobody says what.
ENTITY_MEASURES = ("MeanRank", "MedianRank", "AP", "nDCG", "P@10", "R@100")
MeasuresArgument = str | Measure | Iterable[str | Measure] | None


def check_levels(name: str, values: object, *, zero: bool = False) -> tuple[float, ...]:
    """Levels of significance, each once, in the order given; or (zero) shares from 0 on. Raises ParameterError."""
    found = values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values
    found = found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    if not found:
        raise ParameterError(f"{name} holds no value, expected at least one, as 0.05")
    for value in found:
        if zero:
            check_positive(name, value, zero=True)
            if float(value) >= 1:
                raise ParameterError(f"{name} is {value!r}, expected a share of a score, from 0 to below 1")
        elif not is_real(value) or not 0 < value < 1:
            raise ParameterError(f"{name} is {value!r}, expected numbers between 0 and 1, as 0.05")
    return tuple(dict.fromkeys(map(float, found)))


def at_cutoffs(
    measures: MeasuresArgument, cutoffs: object, preset: str | None, default: Sequence[str]
) -> list[str | Measure]:
    """The measures, those without a cutoff of their own once at each of `cutoffs`.

    Raises ParameterError where cutoffs are given and no measure is left to have them.
    """
    chosen = default if measures is None else [measures] if isinstance(measures, (str, Measure)) else list(measures)
    if cutoffs is None:
        return list(chosen)
    depths = integers_of_range("cutoffs", cutoffs, 1)
    found: list[str | Measure] = []
    ranged = 0
    for name in chosen:
        forms = [form for depth in depths if (form := with_cutoff(name, depth, preset)) is not None]
        found += forms or [name]
        ranged += bool(forms)
    if not ranged:
        make_plan(chosen, preset=preset)  # a name that is none is told as such
        raise ParameterError("cutoffs are given, and every measure has its own or takes none; name one as nDCG or P")
    return found


def with_cutoff(name: str | Measure, depth: int, preset: str | None) -> str | Measure | None:
    """The measure at this cutoff; None where it has one, or takes none."""
    if isinstance(name, Measure):
        free = any(f.name == "cutoff" for f in fields(name)) and getattr(name, "cutoff", 0) is None
        return replace(name, cutoff=depth) if free else None  # type: ignore[call-arg]  # it has such a field
    if "@" in name:
        return None
    chosen = find_preset(preset) if preset is not None else None
    text = f"{name}@{depth}"
    try:
        found = parse_measures([text], chosen.parameters, chosen.renames) if chosen else parse_measures([text])
    except RankscopeError:
        return None  # it takes no cutoff, or is no measure, which is told where it is read
    return text if len(found) == 1 and getattr(found[0], "cutoff", None) == depth else None


def load_population(
    data: Any,
    runs: Any,
    measures: MeasuresArgument,
    cutoffs: object,
    conventions: dict[str, Any],
    input_: str | None,
    total_ranks: int | None,
    progress: Progress | None,
    workers: int = 1,
) -> tuple[Population, Scores, Plan | None, list[JoinedRun]]:
    """What is drawn from, its scores, and (of judgments and runs) how they were joined."""
    if isinstance(data, Scores):
        if runs is not None or total_ranks is not None or input_ is not None or any(conventions.values()):
            raise ParameterError("scores are evaluated already; leave runs and the arguments of evaluate out")
        return from_scores(data, measures, cutoffs)
    entities = isinstance(data, EntityRanks) or input_ == ENTITY
    preset = conventions.get("preset")
    default = find_preset(preset).measures if preset else ENTITY_MEASURES if entities else DEFAULT_MEASURES
    asked = at_cutoffs(measures, cutoffs, preset, default)
    known = {name: value for name, value in conventions.items() if value is not None}
    if entities and is_path(data):
        data = read_entity_ranks(data, total_ranks, least=find_preset(preset).least_rank if preset else 1.0)
    reading = (
        workers if isinstance(runs, (list, tuple)) and worth_parallelising(runs) else 1
    )  # asked for what comes after
    plan, joined = plan_and_join(data, runs, asked, known, input_, total_ranks, progress, reading)
    refuse_undirected(plan.measures)
    scores = score_hits(plan, joined)
    signs = np.array([scores.sign(name) for name in scores.measure_names], np.float64)
    if not entities:
        used = np.array([[share_used(measure, one) for measure in plan.measures] for one in joined])
        return Queries(scores, plan.measures, signs, used), scores, plan, joined
    total = joined[0].hits.collection_size
    table = data if data.total_ranks == total else replace(data, total_ranks=total, where=None)
    return Entities(table, plan.measures, signs), scores, plan, joined


def from_scores(
    scores: Scores, measures: MeasuresArgument, cutoffs: object
) -> tuple[Population, Scores, None, list[JoinedRun]]:
    if cutoffs is not None:
        raise ParameterError("scores hold the cutoffs that they were evaluated at; name the measures, as nDCG@10")
    if measures is not None:
        names = [measures] if isinstance(measures, (str, Measure)) else list(measures)
        scores = scores.select(measures=list(dict.fromkeys(scores.place_of(name) for name in names)))
    kinds = [
        measure if isinstance(measure, Measure) else parse_measures([str(measure)])[0] for measure in scores.measures
    ]
    refuse_undirected(kinds)
    signs = np.array([scores.sign(name) for name in scores.measure_names], np.float64)
    return Queries(scores, tuple(kinds), signs), scores, None, []


def refuse_undirected(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if measure.higher_is_better is None or measure.summary == "none":
            raise ParameterError(f"of {measure} neither higher nor lower is better, so no system can be; leave it out")


def share_used(measure: Measure, one: JoinedRun) -> Any:
    """(queries) which share of the relevant documents the value rests on; NaN where there are none."""
    relevant = one.hits.n_relevant(measure.level(one.hits))
    return np.divide(measure.used(one.hits), relevant, out=np.full(len(one.hits), np.nan), where=relevant > 0)
