"""Dunaiski's tool for the stability of measures, commit 616db4e: its experiment and what it writes.

Statistics are those of the preset `dunaiski`: as coded, except for what makes its output meaningless (significance
matrices, identical systems, seeds), which is mended; docs/differences.md has the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.compat.dunaiski_measures import SIGNS, default_measures
from rankscope.compat.dunaiski_output import PRINTING, show_study
from rankscope.data.entities import EntityRanks
from rankscope.errors import InputError
from rankscope.io.entity_ranks import read_entity_ranks
from rankscope.io.streams import source_name
from rankscope.stability import StabilityStudy
from rankscope.stability.chosen import check_levels
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.outcome import StudySettings
from rankscope.stability.sampling import Entities
from rankscope.stability.studies import CODED_LEVELS, check_study, result_of, run_all
from rankscope.stats.inputs import check_choice, check_count, seed_of
from rankscope.typing import PathLike

__all__ = ["CODED_LEVELS", "dunaiski", "dunaiski_study", "dunaiski_table", "validate_experiment"]


def dunaiski(path: PathLike, *, printing: str = "all", total_ranks: int | None = None, **options: Any) -> str:
    r"""What the tool writes about a table of ranks: "Results:", then what `printing` names, one of PRINTING.

    options: those of `dunaiski_study`. Raises as that, and as `dunaiski_table`.

    Source: the tool's layout; the experiment as in `dunaiski_study`.

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
    return show_study(dunaiski_study(dunaiski_table(path, total_ranks), **options), printing)


def dunaiski_table(path: PathLike, total_ranks: int | None = None) -> EntityRanks:
    """The tool's input: a header of system names, then an entity a line with its ranks, all above 0.

    total_ranks: how many items were ranked in all. Raises InputError for fewer than two systems, and as
    `rankscope.read_entity_ranks`, which reads it.
    """
    table = read_entity_ranks(path, total_ranks, least=0.0)
    if len(table.systems) < 2:
        raise InputError(
            f"{source_name(path)}: only {len(table.systems)} system ({table.systems[0]}), expected at least 2 to be "
            "compared; add a column"
        )
    return table


def validate_experiment(
    table: EntityRanks,
    *,
    splits: object = 10,
    systems: object = None,
    entities: object = None,
    levels: object = CODED_LEVELS,
    iterations: int = 50,
    n_resamples: int = 1000,
    rng: Any = None,
) -> tuple[tuple[Condition, ...], StudySettings, tuple[str, ...]]:
    """What an experiment is: its conditions, its numbers, and notes. Raises as `dunaiski_study`."""
    check_study(iterations, n_resamples, 1, "bootstrap")
    conditions, notes = make_conditions(
        "entities", len(table), len(table.systems), splits=splits, systems=systems, entities=entities
    )
    chosen = check_levels("levels (--sigs)", levels)
    asked = StudySettings(
        levels=chosen, fuzz=chosen, iterations=iterations, n_resamples=n_resamples, seed=seed_of(rng), coded=True
    )
    pairs = ("with 2 splits every resample has t = 0: asl says that all pairs differ, and estDiff says nothing",)
    return conditions, asked, (*notes, *(pairs if any(one.splits == 2 for one in conditions) else ()))


def dunaiski_study(
    table: EntityRanks,
    *,
    error_tie: bool = False,
    swap: bool = False,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
    **options: Any,
) -> StabilityStudy:
    """The tool's experiment with its nine measures; without the two in permille where `total_ranks` is not known.

    Arguments as in `rs.stability.study`; options are splits (10), systems, entities, levels (CODED_LEVELS),
    iterations (50), n_resamples (1000) and rng. Each level is the fuzziness as well, as there, so that rows of the
    result in which the two differ are of no use here. Raises ParameterError for what cannot be drawn.

    Source: Dunaiski (2018), as the tool's commit 616db4e computes it.
    """
    conditions, asked, notes = validate_experiment(table, **options)
    check_count("workers", workers)
    found = default_measures(permille=table.total_ranks is not None)
    measures, signs = tuple(found.values()), tuple(SIGNS[name] for name in found)
    material = Entities(table, measures, np.array(signs, np.float64))
    names = " ".join(map(str, measures))
    return result_of(
        material,
        conditions,
        run_all(material, conditions, asked, workers, progress, None),
        asked,
        swap=swap,
        swap_sets="bootstrap",
        error_tie=error_tie,
        ablation=None,
        settings=f"{names} | preset:dunaiski | rankscope {__version__}",
        notes=(*table.notes, *notes),
    )
