"""Dunaiski's experiment: how stable measures are on a table of ranks, with the tool's names and output.

Statistics are those of the preset `dunaiski`: as coded, except for what makes its output meaningless (significance
matrices, identical systems, seeds), which is mended; docs/differences.md has the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.compat.dunaiski.named_measures import NamedMeasure, name_measures
from rankscope.compat.dunaiski.output import PRINTING, show_study
from rankscope.data.entities import EntityRanks
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import source_name
from rankscope.io.tables import read_entity_ranks
from rankscope.measures.base import Measure
from rankscope.settings import as_tuple
from rankscope.stability import StabilityStudy
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.sampling import Entities
from rankscope.stability.settings import DUNAISKI_LEVELS, PRESET, StudySettings
from rankscope.stability.studies import study_population
from rankscope.stats.inputs import check_choice, check_count, seed_of
from rankscope.typing import PathLike

__all__ = [
    "dunaiski",
    "dunaiski_study",
    "dunaiski_table",
    "experiment_conditions",
    "needs_total_ranks",
    "run_experiment",
]


def dunaiski(
    path: PathLike,
    measures: Mapping[str, str | Measure] | None = None,
    *,
    cutoffs: Sequence[int] | None = None,
    printing: str = "all",
    total_ranks: int | None = None,
    **options: Any,
) -> str:
    r"""The tool's output for a table of ranks.

    Parameters
    ----------
    path
        Table of ranks, as for `dunaiski_table`.
    measures, cutoffs
        As for `name_measures`.
    printing
        What is printed after "Results:", one of PRINTING.
    total_ranks
        Number of all ranked items.
    **options
        Arguments of `dunaiski_study`.

    Returns
    -------
    str
        The text, in the tool's layout.

    Raises
    ------
    InputError, ParameterError
        As for `dunaiski_table` and `dunaiski_study`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "ranks.txt")
    ...     _ = table.write_text("x\tS1\tS2\na\t1\t4\nb\t2\t3\nc\t5\t60\nd\t7\t9\n")
    ...     text = dunaiski(table, printing="actual", splits=2, iterations=5, n_resamples=20)
    >>> print(text.splitlines()[2].expandtabs())  # (1 + 2 + 5 + 7) / 4, (4 + 3 + 60 + 9) / 4
    Average 3.75    19.0
    """
    check_choice("printing", printing, PRINTING)
    study = dunaiski_study(dunaiski_table(path, total_ranks), measures, cutoffs=cutoffs, **options)
    return show_study(study, name_measures(measures, cutoffs), printing)


def dunaiski_table(path: PathLike, total_ranks: int | None = None) -> EntityRanks:
    """Read the tool's input: a header of system names, then one line per entity with its ranks, all above 0.

    Parameters
    ----------
    path
        The file.
    total_ranks
        Number of all ranked items.

    Returns
    -------
    EntityRanks
        The ranks.

    Raises
    ------
    InputError
        There are fewer than two systems, or as for `rankscope.read_entity_ranks`.
    """
    table = read_entity_ranks(path, total_ranks, least=0.0)
    if len(table.systems) < 2:
        raise InputError(
            f"{source_name(path)}: only {len(table.systems)} system ({table.systems[0]}), expected at least 2 to be "
            "compared; add a column"
        )
    return table


def experiment_conditions(table: EntityRanks, settings: StudySettings) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """The conditions of an experiment, and notes. Raises as `dunaiski_study` for what cannot be drawn."""
    conditions, notes = make_conditions("entities", len(table), len(table.systems), settings)
    if not any(condition.splits == 2 for condition in conditions):
        return conditions, notes
    split_note = "with 2 splits every resample has t = 0: asl says that all pairs differ, and estDiff says nothing"
    return conditions, (*notes, split_note)


def dunaiski_study(
    table: EntityRanks,
    measures: Mapping[str, str | Measure] | None = None,
    *,
    cutoffs: Sequence[int] | None = None,
    splits: int | Sequence[int] = 10,
    systems: int | Sequence[int] | None = None,
    entities: int | Sequence[int] | None = None,
    alpha: float | Sequence[float] = DUNAISKI_LEVELS,
    iterations: int = 50,
    n_resamples: int = 1000,
    rng: Any = None,
    error_tie: bool = False,
    swap: bool = False,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """The tool's experiment with its nine measures, or others; without those in permille if `total_ranks` is unknown.

    Parameters
    ----------
    table
        Ranks of entities.
    measures, cutoffs
        As for `name_measures`.
    error_tie
        Also compute error, tie, t and used rates.
    swap
        Test significance by the swap method instead of the bootstrap.
    workers
        Number of processes; it does not change the result.
    progress
        Called with the share of the work that was just done.
    splits, systems, entities, alpha, iterations, n_resamples, rng
        As in `rs.stability.study`.

    Returns
    -------
    StabilityStudy
        Each level is the fuzziness as well; rows in which the two differ mean nothing here.

    Raises
    ------
    ParameterError
        More systems or entities are to be drawn than there are, or as for `name_measures`.

    References
    ----------
    Dunaiski (2018), as the tool's commit 616db4e computes it.
    """
    settings = StudySettings(
        splits=as_tuple(splits),
        systems=as_tuple(systems),
        entities=as_tuple(entities),
        alpha=as_tuple(alpha, float),
        fuzz=as_tuple(alpha, float),
        iterations=iterations,
        n_resamples=n_resamples,
        seed=seed_of(rng),
        error_tie=error_tie,
        swap=swap,
        preset=PRESET,
    )
    return run_experiment(table, name_measures(measures, cutoffs), settings, workers=workers, progress=progress)


def run_experiment(
    table: EntityRanks,
    measures: Sequence[NamedMeasure],
    settings: StudySettings,
    *,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """As `dunaiski_study`, with its measures by name and its settings as one object."""
    conditions, notes = experiment_conditions(table, settings)
    check_count("workers", workers)
    computed = [each for each in measures if table.total_ranks is not None or not needs_total_ranks(each.measure)]
    if not computed:
        raise ParameterError(
            "all these measures are in permille and need the number of all ranked items; pass it (-n N, total_ranks=N)"
        )
    signature = f"{' '.join(str(each.measure) for each in computed)} | preset:{PRESET} | rankscope {__version__}"
    signs = np.array([each.sign for each in computed], np.float64)
    population = Entities(table, tuple(each.measure for each in computed), signs)
    result = study_population(population, conditions, settings, signature, workers=workers, progress=progress)
    return replace(result, notes=(*table.notes, *notes))


def needs_total_ranks(measure: Measure) -> bool:
    """Whether it needs the number of all ranked items: it is in permille, or in percent."""
    return getattr(measure, "scale", None) is not None
