"""`rs.stability.study`: computes the study, with workers and checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.scores import Scores
from rankscope.data.text import join_names
from rankscope.errors import ParameterError
from rankscope.evaluation.joining import Progress
from rankscope.parallel import run_units
from rankscope.parallel.run import MAX_WORKERS
from rankscope.parallel.threads import one_thread
from rankscope.stability._checkpoint import Checkpoint, saved_settings
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.judgment_ablation import ablate
from rankscope.stability.outcome import (
    ITERATIONS,
    Outcome,
    StudySettings,
    StudyUnit,
    lowest_level,
    measure_unit,
    outcome_of,
    sample_widths,
    units_of,
)
from rankscope.stability.result import StabilityStudy
from rankscope.stability.sampling import Entities, Population, Queries, Sample
from rankscope.stability.settings import PRESET, MeasuresArgument, check_levels, load_population
from rankscope.stats.inputs import check_choice, check_count, seed_of
from rankscope.typing import Floats

__all__ = [
    "LEVELS",
    "check_study",
    "study",
]


#: Default levels of significance, and those of Dunaiski's tool under its preset.
LEVELS = (0.01, 0.05, 0.1)
CODED_LEVELS = (0.005, 0.01, 0.05, 0.1, 0.15)
#: Sets of the swap method: bootstrap samples of the same queries, or sets without a query in common.
SWAP_SETS = ("bootstrap", "disjoint")
#: Fewer resampled differences are computed in one process: starting workers would take longer.
MIN_PARALLEL_DIFFERENCES = 30_000_000
#: Draws of each share in an ablation.
ABLATIONS = 10


def study(
    data: Any,
    runs: Any = None,
    measures: MeasuresArgument = None,
    *,
    cutoffs: object = None,
    levels: object = None,
    fuzz: object = 0.05,
    splits: object = None,
    systems: object = None,
    entities: object = None,
    set_size: object = None,
    iterations: int = 50,
    n_resamples: int = 1000,
    rng: Any = None,
    workers: int = 1,
    error_tie: bool = True,
    swap: bool = False,
    swap_sets: str = "bootstrap",
    ablation: bool = False,
    checkpoint: str | Path | None = None,
    preset: str | None = None,
    conventions: Mapping[str, Any] | None = None,
    input: str | None = None,
    total_ranks: int | None = None,
    reading: Progress | None = None,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """How stable and how sensitive measures are on these data: which of them can be trusted, and from where on.

    data: Scores; or an EntityRanks, or with input="entity-ranks" the path of a table of ranks; or judgments, and then
    runs as `evaluate` takes them, as preset, input and total_ranks; conventions: its other arguments, as
    {"ties": "file"}. measures: as there; by default nDCG@10 AP RR P@10 R@100, for a table of ranks MeanRank MedianRank
    AP nDCG P@10 R@100.

    Every iteration draws a set of queries at random. Of a table of ranks, entities are cut into `splits` groups (10),
    which act as queries and are the set; of real queries, `splits` (2) disjoint sets are cut, of which the first is the
    set, by default a random half; or `set_size` says how many queries a set has. cutoffs, levels (of significance, by
    default .01 .05 .1), fuzz (two systems tie where their means differ by at most this share of the greater), splits,
    systems (so many are drawn), entities (so many, or queries, are drawn) and set_size may each be a number or a list;
    all combinations are computed. iterations: draws; n_resamples: bootstrap samples of each.

    error_tie: whether error, tie, t and relevant-used rates are wanted. swap: whether pairs count as decided where they
    differ by what the swap method asks for, and not by what the bootstrap does. swap_sets: the sets of queries that the
    swap method compares: "bootstrap" (with replacement), "disjoint" (without). ablation: whether judgments are dropped,
    too (of judgments and runs only). preset "dunaiski": measures and statistics of Dunaiski's tool as coded.

    rng: a seed (or a Generator); every iteration has a stream of its own, so the result does not depend on `workers`,
    the number of processes. checkpoint: a folder that keeps every finished combination; a study that was interrupted
    goes on from there, with the same result. progress: told of the share of the work just done; reading: as in
    `evaluate`.

    Raises InputError for data, and for a checkpoint of another study; ParameterError for arguments.

    Source: Buckley and Voorhees (2000), Voorhees and Buckley (2002), Sakai (2006), Dunaiski et al. (2018).

    >>> import numpy as np
    >>> import rankscope as rs
    >>> rng = np.random.default_rng(1)
    >>> ranks = rng.permuted(np.tile(np.arange(1, 401), (3, 1)), axis=1)[:, :100] * [[1], [1], [4]]  # C is worse
    >>> table = rs.EntityRanks(ranks=ranks, systems="ABC", entity_ids=[f"e{i}" for i in range(100)])
    >>> result = rs.stability.study(table, measures=["MeanRank", "P@10"], entities=60, iterations=20, rng=1)
    >>> error = {row[0]: row[7] for row in result.records()}  # in percent
    >>> error["MeanRank"] < error["P@10"]
    True
    """
    check_study(iterations, n_resamples, workers, swap_sets)
    is_coded = preset == PRESET
    default_levels = CODED_LEVELS if is_coded else LEVELS
    alphas = check_levels("levels (--sigs)", default_levels if levels is None else levels)
    fuzz_shares = check_levels("fuzz", fuzz, zero=True)
    evaluate_arguments = ({**(conventions or {}), "preset": preset}, input, total_ranks, reading, workers)
    population, scores, plan, joined = load_population(data, runs, measures, cutoffs, *evaluate_arguments)
    if ablation and (plan is None or isinstance(population, Entities)):
        raise ParameterError("ablation drops judgments, so it asks for judgments and runs, not for scores or ranks")
    ranges = {"splits": splits, "systems": systems, "entities": entities, "set_size": set_size}
    conditions, notes = make_conditions(population.kind, population.n_items, len(population.systems), **ranges)
    seed = seed_for(rng, checkpoint)
    study_settings = StudySettings(
        levels=alphas, fuzz=fuzz_shares, iterations=iterations, n_resamples=n_resamples, seed=seed, coded=is_coded
    )
    folder = open_checkpoint(checkpoint, population, scores, study_settings)
    outcomes = run_all(population, conditions, study_settings, workers, progress, folder)
    level_note = unreachable_levels_note(conditions, population.kind, study_settings)
    return result_of(
        population,
        conditions,
        outcomes,
        study_settings,
        swap=swap,
        swap_sets=swap_sets,
        error_tie=error_tie,
        ablation=ablate(joined, plan, iterations=ABLATIONS, rng=seed) if ablation and plan is not None else None,
        settings=scores.signature(),
        notes=(*scores.notes, *notes, *logarithm_note(population), *level_note),
    )


def result_of(
    population: Population,
    conditions: tuple[Condition, ...],
    outcomes: tuple[Outcome, ...],
    study_settings: StudySettings,
    **other_fields: Any,
) -> StabilityStudy:
    """The result of the study. other_fields: the other fields of StabilityStudy."""
    return StabilityStudy(
        kind=population.kind,
        measures=population.measures,
        signs=tuple(int(sign) for sign in population.signs),
        systems=population.systems,
        n_items=population.n_items,
        conditions=conditions,
        outcomes=outcomes,
        study_settings=study_settings,
        actual=population.actual,
        **other_fields,
    )


def seed_for(rng: Any, checkpoint: str | Path | None) -> int:
    """The seed; by default that of the checkpoint, so that its study continues."""
    saved = saved_settings(checkpoint) if checkpoint is not None and rng is None else None
    return int(saved["seed"]) if saved is not None and isinstance(saved.get("seed"), int) else seed_of(rng)


def unreachable_levels_note(
    conditions: tuple[Condition, ...], kind: str, study_settings: StudySettings
) -> tuple[str, ...]:
    """A note where a level is below the lowest p that the bootstrap can give with these set sizes and resamples."""
    if study_settings.coded:
        return ()
    text_of_size = {}
    for condition in conditions:
        n_queries = condition.splits if kind == "entities" else condition.size
        unreachable = [level for level in study_settings.levels if level < lowest_level(n_queries, study_settings)]
        if unreachable:
            text_of_size[n_queries] = f"{', '.join(f'{level:g}' for level in unreachable)} with sets of {n_queries}"
    if not text_of_size:
        return ()
    return (f"levels that no bootstrap p can reach are left empty: {'; '.join(text_of_size.values())}",)


def logarithm_note(population: Population) -> tuple[str, ...]:
    """A note on the unit of differences of geometric means."""
    names = [str(measure) for measure in population.measures if measure.summary == "geometric"]
    return (f"{join_names(names)}: the differences are those of natural logarithms",) if names else ()


def check_study(iterations: int, n_resamples: int, workers: int, swap_sets: str) -> None:
    """Raise ParameterError for arguments that `study` refuses for any data."""
    check_count("iterations (--iter)", iterations)
    check_count("n_resamples (--boot)", n_resamples)
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or not 1 <= workers <= MAX_WORKERS:
        raise ParameterError(f"workers is {workers!r}, expected a whole number from 1 to {MAX_WORKERS}")
    check_choice("swap_sets", swap_sets, SWAP_SETS)


def open_checkpoint(
    path: str | Path | None, population: Population, scores: Scores, study_settings: StudySettings
) -> Checkpoint | None:
    """The opened checkpoint; None without a path."""
    if path is None:
        return None
    digest = blake2b(digest_size=16)
    # The shares used are not part of the scores: they are known for judgments and runs, not for saved scores.
    shares = population.used if isinstance(population, Queries) else None
    arrays = [population.table.ranks if isinstance(population, Entities) else scores.values]
    for array in [*arrays, *([] if shares is None else [shares])]:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).astype("<f8").tobytes())
    digest.update("\n".join([*population.systems, *scores.query_ids]).encode("utf-8", "surrogateescape"))
    checkpoint = Checkpoint(
        path,
        {
            "seed": study_settings.seed,
            "data": digest.hexdigest(),
            "measures": scores.signature(),
            "levels": list(study_settings.levels),
            "fuzz": list(study_settings.fuzz),
            "iterations": study_settings.iterations,
            "n_resamples": study_settings.n_resamples,
            "version": __version__,
        },
    )
    checkpoint.open()
    return checkpoint


def run_all(
    population: Population,
    conditions: tuple[Condition, ...],
    study_settings: StudySettings,
    workers: int,
    progress: Callable[[float], Any] | None,
    checkpoint: Checkpoint | None,
) -> tuple[Outcome, ...]:
    """The outcome of each condition: loaded from the checkpoint, or computed and saved."""
    outcomes: dict[Condition, Outcome] = {}
    for condition in conditions:
        saved_outcome = checkpoint.load(condition) if checkpoint is not None else None
        if saved_outcome is not None:
            outcomes[condition] = saved_outcome
    missing = [condition for condition in conditions if condition not in outcomes]
    if progress is not None and outcomes:
        progress(len(outcomes) / len(conditions))
    n_units = -(-study_settings.iterations // ITERATIONS)
    samples: dict[Condition, tuple[Sample, Floats]] = {}

    def units() -> Iterator[StudyUnit]:
        for condition in missing:
            sample = population.sample(condition, study_settings.iterations, study_settings.seed)
            samples[condition] = sample, sample_widths(sample, population)
            yield from units_of(*samples[condition], condition=condition, settings=study_settings)

    def report_progress(n_done: int) -> None:
        if progress is not None:
            progress(n_done / (n_units * len(conditions)))

    n_differences = (
        sum(condition.systems**2 // 2 for condition in missing)
        * len(population.measures)
        * study_settings.iterations
        * study_settings.n_resamples
    )
    results = run_units(
        measure_unit,
        units(),
        workers=1 if n_differences < MIN_PARALLEL_DIFFERENCES else workers,
        progress=report_progress,
    )
    for condition in missing:
        statistics = [next(results) for _ in range(n_units)]
        sample, widths = samples.pop(condition)
        with one_thread():
            outcome = outcome_of(sample, widths, statistics, population, condition, study_settings)
        outcomes[condition] = with_coded_correlation(outcome, population, sample, study_settings)
        if checkpoint is not None:
            checkpoint.save(condition, outcomes[condition])
    return tuple(outcomes[condition] for condition in conditions)


def with_coded_correlation(
    outcome: Outcome, population: Population, sample: Sample, study_settings: StudySettings
) -> Outcome:
    """The outcome with the correlation of Dunaiski's tool, which is that of all entities' ranks for every measure."""
    if study_settings.coded and isinstance(population, Entities):
        outcome.correlation[:] = population.coded_correlation(sample.systems)[:, None]
    return outcome
