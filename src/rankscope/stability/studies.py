"""Studies of measures (`rankscope.stability.study`): all conditions, computed by workers, with checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.scores import Scores
from rankscope.data.text import join_names
from rankscope.errors import ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.joining import Progress
from rankscope.evaluation.query_table import QueryTable
from rankscope.parallel import check_workers, run_units
from rankscope.parallel.threads import one_thread
from rankscope.settings import as_tuple
from rankscope.stability.checkpoint import Checkpoint, saved_settings
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.judgment_ablation import ablate_judgments
from rankscope.stability.load import MeasuresArgument, load_population
from rankscope.stability.outcome import (
    ITERATIONS,
    Outcome,
    StudyUnit,
    lowest_level,
    measure_unit,
    outcome_of,
    sample_widths,
    units_of,
)
from rankscope.stability.result import StabilityStudy
from rankscope.stability.sampling import Entities, Population, Queries, Sample
from rankscope.stability.settings import PRESET, StudySettings
from rankscope.stats.cluster_sums import intraclass_correlation
from rankscope.stats.inputs import seed_of
from rankscope.typing import Floats

__all__ = [
    "study",
    "study_measures",
    "study_population",
    "with_seed",
]


#: Fewer resampled differences are computed in one process: starting workers would take longer.
MIN_PARALLEL_DIFFERENCES = 30_000_000
#: Draws of each share in an ablation.
ABLATIONS = 10


def study(
    data: Any,
    runs: Any = None,
    measures: MeasuresArgument = None,
    *,
    cutoffs: int | Sequence[int] | None = None,
    alpha: float | Sequence[float] | None = None,
    splits: int | Sequence[int] | None = None,
    systems: int | Sequence[int] | None = None,
    entities: int | Sequence[int] | None = None,
    set_size: int | Sequence[int] | None = None,
    fuzz: float | Sequence[float] = (0.05,),
    iterations: int = 50,
    n_resamples: int = 1000,
    rng: Any = None,
    error_tie: bool = True,
    swap: bool = False,
    swap_sets: str = "bootstrap",
    ablation: bool = False,
    preset: str | None = None,
    conventions: Mapping[str, Any] | None = None,
    queries: Mapping[str, Any] | None = None,
    input: str | None = None,
    total_ranks: int | None = None,
    workers: int = 1,
    checkpoint: str | Path | None = None,
    reading: Progress | None = None,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """Study how stable and how sensitive measures are on these data: which of them can be trusted.

    Every iteration draws a random set of queries. Of a table of ranks, entities are cut into groups, which act as
    queries and together are the set. Of real queries, disjoint sets are cut, the first of which is the set: by default
    a random half. Where queries have clusters, these are drawn: all numbers of queries are then numbers of clusters,
    and tests take the queries of a cluster as dependent. Where several values are given (splits, systems, ...), all
    combinations are computed.

    Parameters
    ----------
    data
        Scores; or an EntityRanks, or with input="entity-ranks" the path of a table of ranks; or judgments.
    runs
        With judgments: runs as `evaluate` takes them.
    measures
        Names or measures. Default: nDCG@10 AP RR P@10 R@100, or those of the preset; for a table of ranks MeanRank
        MedianRank AP nDCG P@10 R@100.
    cutoffs
        Cutoffs of the measures that are named without one, such as nDCG.
    alpha
        Significance levels. Default: 0.01,0.05,0.1, or those of the preset dunaiski.
    splits
        Number of groups of entities, or of disjoint sets of queries (of whole clusters). Default: 10 groups, or 2 sets.
    systems
        Number of systems in each draw. Default: all.
    entities
        Number of entities, of queries, or of their clusters, in each draw. Default: all.
    set_size
        Number of queries, or of their clusters, in a set; replaces splits and entities.
    fuzz
        Fuzziness: systems tie if their means differ by at most this share of the greater mean. Default: (0.05,).
    iterations
        Number of random draws. Default: 50.
    n_resamples
        Number of bootstrap samples of each draw. Default: 1000.
    rng
        Seed or `numpy.random.Generator`. The same seed gives the same results. Default: that of the checkpoint, else a
        new seed.
    error_tie
        Show error rates, tie rates, the share of pairs that a t-test distinguishes, and the share of relevant items
        that the values depend on. Default: True.
    swap
        Decide pairs by the swap method instead of the bootstrap. Default: False.
    swap_sets
        Sets of queries that the swap method compares: bootstrap samples, or sets without a common query. One of
        'bootstrap', 'disjoint'. Default: 'bootstrap'.
    ablation
        Also study the effect of fewer judgments: with judgments dropped at random, and with shallower pools. Needs
        judgments and runs. Default: False.
    preset
        Conventions of a reference tool; 'dunaiski' also computes the statistics as that tool does.
    conventions
        Further arguments of `evaluate`, such as {"ties": "file"}.
    queries
        Arguments of `Scores.with_queries`, such as {"cluster_by": "^[^_]+"}. Sets are then made of whole clusters.
    input
        Format of the runs, as in `evaluate`.
    total_ranks
        How many items were ranked, for a table of ranks.
    workers
        Number of processes. The result does not depend on it.
    checkpoint
        A folder that keeps every finished combination. A study that was interrupted continues from there, with the same
        result.
    reading
        Called with the number of bytes just read.
    progress
        Called with the share of the work just done.

    Returns
    -------
    StabilityStudy
        `print` shows the verdict, tables and notes; `frame()` is the tidy table.

    Raises
    ------
    InputError
        The data cannot be studied, or the checkpoint is that of another study.
    ParameterError
        An argument is out of range, sets of this size cannot be drawn from the data, queries have weights, or clusters
        meet a preset or a table of ranks that knows none.

    References
    ----------
    Buckley and Voorhees (2000); Voorhees and Buckley (2002); Sakai (2006); Dunaiski et al. (2018).

    Examples
    --------
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
    settings = StudySettings(
        cutoffs=as_tuple(cutoffs),
        alpha=as_tuple(alpha, float),
        splits=as_tuple(splits),
        systems=as_tuple(systems),
        entities=as_tuple(entities),
        set_size=as_tuple(set_size),
        fuzz=as_tuple(fuzz, float),
        iterations=iterations,
        n_resamples=n_resamples,
        seed=None if rng is None else seed_of(rng),
        error_tie=error_tie,
        swap=swap,
        swap_sets=swap_sets,
        ablation=ablation,
        preset=preset,
    )
    return study_measures(
        data,
        runs,
        measures,
        settings,
        ConventionSettings(**{**(conventions or {}), "preset": preset}),
        InputSettings(input=input, total_ranks=total_ranks),
        queries=QueryTable.of(queries),
        workers=workers,
        checkpoint=checkpoint,
        reading=reading,
        progress=progress,
    )


def study_measures(
    data: Any,
    runs: Any,
    measures: MeasuresArgument,
    settings: StudySettings,
    evaluation: ConventionSettings,
    input_settings: InputSettings,
    *,
    table_systems: Sequence[str] = (),
    queries: QueryTable | None = None,
    workers: int = 1,
    checkpoint: str | Path | None = None,
    reading: Progress | None = None,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """As `study`, with its settings as objects. table_systems: those to read from a table of ranks."""
    check_workers(workers)
    population, scores, plan, joined = load_population(
        data,
        runs,
        measures,
        settings.cutoffs,
        evaluation,
        input_settings,
        table_systems=table_systems,
        queries=queries,
        workers=workers,
        progress=reading,
    )
    if settings.as_dunaiski and population.clusters is not None:
        raise ParameterError(
            f"the preset {PRESET!r} computes as its tool does, which takes all queries as independent; leave out the "
            "preset (--preset) or the clusters (--cluster-by, or the column cluster)"
        )
    if settings.ablation and (plan is None or isinstance(population, Entities)):
        raise ParameterError("ablation drops judgments, so it asks for judgments and runs, not for scores or ranks")
    conditions, notes = make_conditions(population.kind, population.n_items, len(population.systems), settings)
    settings = with_seed(settings, checkpoint)
    folder = open_checkpoint(checkpoint, population, scores, settings)
    result = study_population(
        population, conditions, settings, scores.signature(), folder=folder, workers=workers, progress=progress
    )
    level_note = unreachable_levels_note(conditions, population.kind, settings)
    result = replace(
        result,
        notes=(*scores.notes, *notes, *logarithm_note(population), *level_note, *query_notes(population, scores)),
    )
    if not settings.ablation or plan is None:
        return result
    return replace(result, ablation=ablate_judgments(joined, plan, iterations=ABLATIONS, rng=settings.seed))


def study_population(
    population: Population,
    conditions: tuple[Condition, ...],
    settings: StudySettings,
    scores_signature: str,
    *,
    folder: Checkpoint | None = None,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """The study of these data under these conditions, without ablation and notes."""
    return StabilityStudy(
        kind=population.kind,
        measures=population.measures,
        signs=tuple(int(sign) for sign in population.signs),
        systems=population.systems,
        n_items=population.n_items,
        conditions=conditions,
        outcomes=run_all(population, conditions, settings, workers, progress, folder),
        settings=settings,
        scores_signature=scores_signature,
        actual=population.actual,
        ablation=None,
        notes=(),
    )


def with_seed(settings: StudySettings, checkpoint: str | Path | None = None) -> StudySettings:
    """The settings with a seed: by default that of the checkpoint, so that its study continues, else a new one."""
    if settings.seed is not None:
        return settings
    saved = saved_settings(checkpoint) if checkpoint is not None else None
    saved_seed = None if saved is None else saved.get("seed")
    return replace(settings, seed=saved_seed if isinstance(saved_seed, int) else seed_of(None))


def unreachable_levels_note(conditions: tuple[Condition, ...], kind: str, settings: StudySettings) -> tuple[str, ...]:
    """A note where a level is below the lowest p that the bootstrap can give with these set sizes and resamples."""
    if settings.as_dunaiski:
        return ()
    text_of_size = {}
    for condition in conditions:
        n_queries = condition.splits if kind == "entities" else condition.size
        unreachable = [level for level in settings.tested_alpha if level < lowest_level(n_queries, settings)]
        if unreachable:
            text_of_size[n_queries] = f"{', '.join(f'{level:g}' for level in unreachable)} with sets of {n_queries}"
    if not text_of_size:
        return ()
    return (f"levels that no bootstrap p can reach are left empty: {'; '.join(text_of_size.values())}",)


def logarithm_note(population: Population) -> tuple[str, ...]:
    """A note on the unit of differences of geometric means."""
    names = [str(measure) for measure in population.measures if measure.summary == "geometric"]
    return (f"{join_names(names)}: the differences are those of natural logarithms",) if names else ()


def query_notes(population: Population, scores: Scores) -> list[str]:
    """How many clusters there are and what they are worth; or that ids look as if there should be some."""
    if not isinstance(population, Queries):
        return []
    if population.clusters is None:
        return scores.queries.clustering_notes()
    correlations = []
    for values in population.values:
        is_complete = ~np.isnan(values).any(axis=0)
        if is_complete.any():
            rows, codes = values[:, is_complete], population.clusters[is_complete]
            correlations.append(intraclass_correlation(rows - rows.mean(axis=0), codes, pooled=True))
    return cluster_notes(population.clusters, correlations)


def open_checkpoint(
    path: str | Path | None, population: Population, scores: Scores, settings: StudySettings
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
    if population.clusters is not None:
        digest.update(population.clusters.astype("<i8").tobytes())
    checkpoint = Checkpoint(
        path,
        {
            "seed": settings.root_seed,
            "data": digest.hexdigest(),
            "measures": scores.signature(),
            "alpha": list(settings.tested_alpha),
            "fuzz": list(settings.fuzz),
            "iterations": settings.iterations,
            "n_resamples": settings.n_resamples,
            "version": __version__,
        },
    )
    checkpoint.open()
    return checkpoint


def run_all(
    population: Population,
    conditions: tuple[Condition, ...],
    settings: StudySettings,
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
    n_units = -(-settings.iterations // ITERATIONS)
    samples: dict[Condition, tuple[Sample, Floats]] = {}

    def units() -> Iterator[StudyUnit]:
        for condition in missing:
            sample = population.sample(condition, settings.iterations, settings.root_seed)
            samples[condition] = sample, sample_widths(sample, population)
            yield from units_of(*samples[condition], condition=condition, settings=settings)

    def report_progress(n_done: int) -> None:
        if progress is not None:
            progress(n_done / (n_units * len(conditions)))

    n_differences = (
        sum(condition.systems**2 // 2 for condition in missing)
        * len(population.measures)
        * settings.iterations
        * settings.n_resamples
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
            outcome = outcome_of(sample, widths, statistics, population, condition, settings)
        outcomes[condition] = with_dunaiski_correlation(outcome, population, sample, settings)
        if checkpoint is not None:
            checkpoint.save(condition, outcomes[condition])
    return tuple(outcomes[condition] for condition in conditions)


def with_dunaiski_correlation(
    outcome: Outcome, population: Population, sample: Sample, settings: StudySettings
) -> Outcome:
    """The outcome with the correlation of Dunaiski's tool, which is that of all entities' ranks for every measure."""
    if settings.as_dunaiski and isinstance(population, Entities):
        outcome.correlation[:] = population.dunaiski_correlation(sample.systems)[:, None]
    return outcome
