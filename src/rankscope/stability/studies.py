"""`rs.stability.study`: how far each measure can be trusted on these data."""

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
from rankscope.evaluation.joining.joined import Progress
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


#: Levels of significance where nobody says which; those of Dunaiski's tool under its preset.
LEVELS = (0.01, 0.05, 0.1)
CODED_LEVELS = (0.005, 0.01, 0.05, 0.1, 0.15)
#: Sets of the swap method: bootstrap samples of the same queries, or sets without a query in common.
SWAP_SETS = ("bootstrap", "disjoint")
#: Resampled differences that one process computes before others could have been started.
SMALL = 30_000_000
#: So many shares of the judgments are drawn anew in an ablation.
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
    >>> found = rs.stability.study(table, measures=["MeanRank", "P@10"], entities=60, iterations=20, rng=1)
    >>> error = {row[0]: row[7] for row in found.records()}  # in percent
    >>> error["MeanRank"] < error["P@10"]
    True
    """
    check_study(iterations, n_resamples, workers, swap_sets)
    coded = preset == PRESET
    levels_ = check_levels("levels (--sigs)", (CODED_LEVELS if coded else LEVELS) if levels is None else levels)
    fuzz_ = check_levels("fuzz", fuzz, zero=True)
    how = ({**(conventions or {}), "preset": preset}, input, total_ranks, reading, workers)
    material, scores, plan, joined = load_population(data, runs, measures, cutoffs, *how)
    if ablation and (plan is None or isinstance(material, Entities)):
        raise ParameterError("ablation drops judgments, so it asks for judgments and runs, not for scores or ranks")
    ranges = {"splits": splits, "systems": systems, "entities": entities, "set_size": set_size}
    conditions, notes = make_conditions(material.what, material.n_items, len(material.systems), **ranges)
    seed = seed_for(rng, checkpoint)
    asked = StudySettings(
        levels=levels_, fuzz=fuzz_, iterations=iterations, n_resamples=n_resamples, seed=seed, coded=coded
    )
    outcomes = run_all(material, conditions, asked, workers, progress, folder_of(checkpoint, material, scores, asked))
    return result_of(
        material,
        conditions,
        outcomes,
        asked,
        swap=swap,
        swap_sets=swap_sets,
        error_tie=error_tie,
        ablation=ablate(joined, plan, iterations=ABLATIONS, rng=seed) if ablation and plan is not None else None,
        settings=scores.signature(),
        notes=(
            *scores.notes,
            *notes,
            *logarithms(material),
            *unreachable_levels_note(conditions, material.what, asked),
        ),
    )


def result_of(
    material: Population,
    conditions: tuple[Condition, ...],
    outcomes: tuple[Outcome, ...],
    asked: StudySettings,
    **shown: Any,
) -> StabilityStudy:
    """The study of this material. shown: the other fields of StabilityStudy."""
    return StabilityStudy(
        what=material.what,
        measures=material.measures,
        signs=tuple(int(sign) for sign in material.signs),
        systems=material.systems,
        n_items=material.n_items,
        conditions=conditions,
        outcomes=outcomes,
        asked=asked,
        actual=material.actual,
        **shown,
    )


def seed_for(rng: Any, checkpoint: str | Path | None) -> int:
    """The seed; where none is given, that of the checkpoint, so that a study can be gone on with."""
    known = saved_settings(checkpoint) if checkpoint is not None and rng is None else None
    return int(known["seed"]) if known is not None and isinstance(known.get("seed"), int) else seed_of(rng)


def unreachable_levels_note(conditions: tuple[Condition, ...], what: str, asked: StudySettings) -> tuple[str, ...]:
    """A note where a level is below what the bootstrap of so small sets, or of so few resamples, can give."""
    if asked.coded:
        return ()
    found = {}
    for one in conditions:
        n = one.splits if what == "entities" else one.size
        beyond = [level for level in asked.levels if level < lowest_level(n, asked)]
        if beyond:
            found[n] = f"{', '.join(f'{level:g}' for level in beyond)} with sets of {n}"
    if not found:
        return ()
    return (f"levels that no bootstrap p can reach are left empty: {'; '.join(found.values())}",)


def logarithms(material: Population) -> tuple[str, ...]:
    """A note on what differences of geometric means are."""
    names = [str(measure) for measure in material.measures if measure.summary == "geometric"]
    return (f"{join_names(names)}: the differences are those of natural logarithms",) if names else ()


def check_study(iterations: int, n_resamples: int, workers: int, swap_sets: str) -> None:
    """Raise ParameterError for what `study` refuses whatever the data."""
    check_count("iterations (--iter)", iterations)
    check_count("n_resamples (--boot)", n_resamples)
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or not 1 <= workers <= MAX_WORKERS:
        raise ParameterError(f"workers is {workers!r}, expected a whole number from 1 to {MAX_WORKERS}")
    check_choice("swap_sets", swap_sets, SWAP_SETS)


def folder_of(path: str | Path | None, material: Population, scores: Scores, asked: StudySettings) -> Checkpoint | None:
    """The checkpoint, opened; None where nobody asked for one."""
    if path is None:
        return None
    digest = blake2b(digest_size=16)
    # The shares used are no part of the scores: of judgments and runs they are known, of saved scores they are not.
    shares = material.used if isinstance(material, Queries) else None
    arrays = [material.table.ranks if isinstance(material, Entities) else scores.values]
    for array in [*arrays, *([] if shares is None else [shares])]:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).astype("<f8").tobytes())
    digest.update("\n".join([*material.systems, *scores.query_ids]).encode("utf-8", "surrogateescape"))
    found = Checkpoint(
        path,
        {
            "seed": asked.seed,
            "data": digest.hexdigest(),
            "measures": scores.signature(),
            "levels": list(asked.levels),
            "fuzz": list(asked.fuzz),
            "iterations": asked.iterations,
            "n_resamples": asked.n_resamples,
            "version": __version__,
        },
    )
    found.open()
    return found


def run_all(
    material: Population,
    conditions: tuple[Condition, ...],
    asked: StudySettings,
    workers: int,
    progress: Callable[[float], Any] | None,
    checkpoint: Checkpoint | None,
) -> tuple[Outcome, ...]:
    """The outcome of each condition: those that are saved, and the others computed and saved."""
    found: dict[Condition, Outcome] = {}
    for one in conditions:
        saved = checkpoint.load(one) if checkpoint is not None else None
        if saved is not None:
            found[one] = saved
    missing = [one for one in conditions if one not in found]
    if progress is not None and found:
        progress(len(found) / len(conditions))
    n_units = -(-asked.iterations // ITERATIONS)
    drawn: dict[Condition, tuple[Sample, Floats]] = {}

    def units() -> Iterator[StudyUnit]:
        for one in missing:
            sample = material.sample(one, asked.iterations, asked.seed)
            drawn[one] = sample, sample_widths(sample, material)
            yield from units_of(*drawn[one], condition=one, asked=asked)

    def tell(n: int) -> None:
        if progress is not None:
            progress(n / (n_units * len(conditions)))

    work = sum(one.systems**2 // 2 for one in missing) * len(material.measures) * asked.iterations * asked.n_resamples
    results = run_units(measure_unit, units(), workers=1 if work < SMALL else workers, progress=tell)
    for one in missing:
        parts = [next(results) for _ in range(n_units)]
        sample, widths = drawn.pop(one)
        with one_thread():
            outcome = outcome_of(sample, widths, parts, material, one, asked)
        found[one] = with_coded_correlation(outcome, material, sample, asked)
        if checkpoint is not None:
            checkpoint.save(one, found[one])
    return tuple(found[one] for one in conditions)


def with_coded_correlation(outcome: Outcome, material: Population, sample: Sample, asked: StudySettings) -> Outcome:
    """With the correlation of Dunaiski's tool, which is one of all entities' ranks whatever the measure."""
    if asked.coded and isinstance(material, Entities):
        outcome.correlation[:] = material.coded_correlation(sample.systems)[:, None]
    return outcome
