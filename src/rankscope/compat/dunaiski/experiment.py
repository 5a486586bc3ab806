"""Dunaiski's experiment: how stable nine measures are on a table of ranks, with the tool's names and output.

Statistics are those of the preset `dunaiski`: as coded, except for what makes its output meaningless (significance
matrices, identical systems, seeds), which is mended; docs/differences.md has the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.entities import EntityRanks
from rankscope.errors import InputError, UnknownName
from rankscope.io.core import source_name
from rankscope.io.tables import read_entity_ranks
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.measures.presets import PRESETS
from rankscope.settings import as_tuple
from rankscope.stability import StabilityRow, StabilityStudy
from rankscope.stability.conditions import Condition, make_conditions
from rankscope.stability.result import STARS, marks_of
from rankscope.stability.sampling import Entities
from rankscope.stability.settings import CODED_LEVELS, PRESET, StudySettings
from rankscope.stability.studies import study_population
from rankscope.stats.inputs import check_choice, check_count, seed_of
from rankscope.typing import PathLike

__all__ = [
    "FUNCTIONS",
    "PRINTING",
    "SIGNS",
    "coded_measure",
    "default_measures",
    "dunaiski",
    "dunaiski_study",
    "dunaiski_table",
    "experiment_conditions",
    "run_experiment",
    "show_study",
]


#: A function of the tool -> the measure of the preset `dunaiski`. {}: its cutoff.
FUNCTIONS = {
    "Average": "MeanRank",
    "Average_at_k": "MeanRank@{}",
    "Average_at_avg": "MeanRank@mean",
    "Average_at_testsize": "MeanRank@size",
    "Average_at_recall": "MeanRank@recall={}",
    "Median": "MedianRank",
    "Median_at_k": "MedianRank@{}",
    "Median_at_avg": "MedianRank@mean",
    "Median_at_testsize": "MedianRank@size",
    "Median_at_recall": "MedianRank@recall={}",
    "Min": "MinRank",
    "Max": "MaxRank",
    "P_at_k": "P@{}",
    "P_at_avg": "P@mean",
    "P_at_testsize": "P@size",
    "P_at_recall": "P@recall={}",
    "P_at_50recall": "P@recall=0.5",
    "P_at_k_buckets": "P(scale='permille')@{}",
    "P_at_avg_buckets": "P(scale='permille')@mean",
    "P_at_50recall_buckets": "P(scale='permille')@median",
    "P_at_recall_buckets": "P(scale='permille')@recall={}",
    "Recall_at_k": "R@{}",
    "Recall_at_10": "R@10",
    "Recall_at_avg": "R@mean",
    "Recall_at_testsize": "R@size",
    "Recall_at_k_buckets": "R(scale='permille')@{}",
    "Recall_at_avg_buckets": "R(scale='permille')@mean",
    "R_precision": "Rprec",
    "AP": "AP",
    "AP_at_n": "AP@{}",
    "AP_at_10": "AP@10",
    "AP_at_avg": "AP@mean",
    "AP_at_testsize": "AP@size",
    "AP_at_recall": "AP@recall={}",
    "AP_at_50recall": "AP@median",
    "AP_buckets": "AP(scale='permille')",
    "AP_at_n_buckets": "AP(scale='permille')@{}",
    "AP_at_avg_buckets": "AP(scale='permille')@mean",
    "AP_at_50recall_buckets": "AP(scale='permille')@median",
    "AP_interpolated": "IAP",
    "AP_interpolated_buckets": "IAP(scale='permille')",
    "NDCG": "nDCG",
    "NDCG_10": "nDCG@10",
    "NDCG_at_n": "nDCG@{}",
    "NDCG_at_avg": "nDCG@mean",
    "NDCG_at_testsize": "nDCG@size",
    "NDCG_at_recall": "nDCG@recall={}",
    "NDCG_at_50recall": "nDCG@median",
    "NDCG_buckets": "nDCG(scale='permille')",
    "NDCG_at_n_buckets": "nDCG(scale='permille')@{}",
    "NDCG_at_avg_buckets": "nDCG(scale='permille')@mean",
    "NDCG_at_50recall_buckets": "nDCG(scale='permille')@median",
    "PR_AUC": "PRAUC",
    "PR_AUC_interpolated": "PRAUC(interpolated=True)",
    "PR_AUC_buckets": "PRAUC(scale='permille')",
    "PR_AUC_interpolated_buckets": "PRAUC(scale='permille', interpolated=True)",
    "ROC_at_k_auc": "AUC@{}",
    "ROC_at_10000_auc": "AUC",
    "ROC_at_avg_auc": "AUC@mean",
    "ROC_AUC_buckets": "AUC(scale='permille')",
    "ROC_AUC_std_intervals": "AUCIntervals",
    "MAP_std_intervals": "APIntervals",
    "MAP_geom_intervals": "APIntervals(average='geometric')",
}
#: The measures of the tool: name, function, cutoff, and 1, or -1 where the tool takes lower for better. It decides that
#: by the name, and so reverses Average@10, which is average precision.
DEFAULT_MEASURES = (
    ("Average", "Average", None, -1),
    ("Average@10", "AP_at_n", 10, -1),
    ("Average@20", "Average_at_k", 20, -1),
    ("Average@Avg", "Average_at_avg", None, -1),
    ("Median", "Median", None, -1),
    ("AP", "AP", None, 1),
    ("nDCG@Avg", "NDCG_at_avg", None, 1),
    ("AP_inter_per", "AP_interpolated_buckets", None, 1),
    ("P@2000_per", "P_at_k_buckets", 2000, 1),
)
SIGNS = {name: sign for name, _, _, sign in DEFAULT_MEASURES}


def coded_measure(function: str, cutoff: int | float | None = None) -> Measure:
    """The measure that a function of the tool computes.

    Parameters
    ----------
    function
        Name of the function in the tool's code.
    cutoff
        Its cutoff.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    UnknownName
        The function does not exist.
    ParameterError
        The function cannot have this cutoff.

    Examples
    --------
    >>> str(coded_measure("AP_at_n", 10))
    'DunaiskiAP@10'
    """
    if function not in FUNCTIONS:
        raise UnknownName("function of Dunaiski's tool", function, FUNCTIONS)
    preset = PRESETS["dunaiski"]
    (measure,) = parse_measures([FUNCTIONS[function].format(cutoff)], preset.parameters, preset.renames)
    return measure


def default_measures(*, permille: bool = True) -> dict[str, Measure]:
    """The nine measures that the tool evaluates, by their names there.

    Parameters
    ----------
    permille
        With the two in permille.
    """
    measures = {name: coded_measure(function, cutoff) for name, function, cutoff, _ in DEFAULT_MEASURES}
    return {name: measure for name, measure in measures.items() if permille or getattr(measure, "scale", None) is None}


PRINTING = ("all", "sign", "eval", "actual")
HEAD = (
    *("method", "norm", "correlation", "stddev corr", "systemCount", "splitCount", "entityCount", "fuzziness"),
    *("cutoff", "errRate", "stddev errRate", "tieRate", "stddev tieRate", "tRate", "relRate", "asl", "estDiff"),
    *("swapDiffMin", "swapDiffMax", "decisions"),
)


def show_study(study: StabilityStudy, printing: str = "all") -> str:
    """The tool's output.

    Parameters
    ----------
    study
        Of `dunaiski_study`.
    printing
        One of PRINTING.
    """
    names = {str(measure): name for name, measure in default_measures().items()}
    lines = ["Results:"]
    if printing in ("all", "eval"):
        lines += ["\t".join(HEAD), *rate_lines(study, names), ""]
    if printing in ("all", "actual"):
        lines += ["\t".join(("Measure", *study.systems))]
        for name, values in zip(study.names, study.actual.tolist(), strict=True):
            lines.append("\t".join((names[name], *map(str, values))))
        lines.append("")
    if printing in ("all", "sign"):
        for m, name in enumerate(study.names):
            lines += [*significance_lines(study, m, names[name]), ""]
    return "\n".join(lines) + "\n"


def rate_lines(study: StabilityStudy, names: dict[str, str]) -> Iterator[str]:
    """A line for each condition, level, cutoff and measure."""
    measure_index = {measure: m for m, measure in enumerate(study.names)}
    condition_index = {condition: c for c, condition in enumerate(study.conditions)}
    level_index = {level: k for k, level in enumerate(study.settings.tested_alpha)}

    def sort_key(row: StabilityRow) -> tuple[int, ...]:
        cutoff = cutoff_of(row)
        condition = condition_index[
            study.conditions[0]._replace(splits=row.splits, systems=row.systems, entities=row.entities)
        ]
        return condition, level_index[row.level], cutoff or 0, measure_index[row.measure]

    for row in sorted((row for row in study.rows() if row.fuzz == row.level), key=sort_key):
        name = names[row.measure]
        numbers = (
            *(row.error_rate, row.error_rate_sd, row.tie_rate, row.tie_rate_sd, row.t_rate, row.used_rate),
            *(row.asl_rate, row.est_diff, row.swap_diff_min, row.swap_diff_max, row.decisions),
        )
        fields = (
            *(name, name, f"{row.correlation:.5f}", f"{row.correlation_sd:.5f}"),
            *(str(row.systems), str(row.splits), str(row.entities), f"{row.level:.3f}", str(cutoff_of(row))),
            *(f"{number:.5f}" for number in numbers),
        )
        yield "\t".join(fields)


def cutoff_of(row: StabilityRow) -> int | None:
    """The cutoff where it is a number; cutoffs that differ between groups are part of the name."""
    return row.cutoff if isinstance(row.cutoff, int) else None


def significance_lines(study: StabilityStudy, m: int, name: str) -> list[str]:
    """Which systems are better than which by measure m, under the first condition."""
    outcome, n_levels = study.outcomes[0], len(STARS)
    marks_text = "".join(f" '{mark}' {level}" for mark, level in zip(STARS, study.settings.tested_alpha, strict=False))
    marks = marks_of(study.compared_values(outcome)[m], study.needed(outcome)[m, :n_levels])
    return [
        f"{name}\tSignificance: 0{marks_text} ' ' 1",
        "\t".join(("Systems", *study.systems)),
        *("\t".join((system, *row)) for system, row in zip(study.systems, marks, strict=True)),
    ]


def dunaiski(path: PathLike, *, printing: str = "all", total_ranks: int | None = None, **options: Any) -> str:
    r"""The tool's output for a table of ranks.

    Parameters
    ----------
    path
        Table of ranks, as for `dunaiski_table`.
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
    return show_study(dunaiski_study(dunaiski_table(path, total_ranks), **options), printing)


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
    *,
    splits: int | Sequence[int] = 10,
    systems: int | Sequence[int] | None = None,
    entities: int | Sequence[int] | None = None,
    alpha: float | Sequence[float] = CODED_LEVELS,
    iterations: int = 50,
    n_resamples: int = 1000,
    rng: Any = None,
    error_tie: bool = False,
    swap: bool = False,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """The tool's experiment with its nine measures; without the two in permille if `total_ranks` is unknown.

    Parameters
    ----------
    table
        Ranks of entities.
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
        More systems or entities are to be drawn than there are.

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
    return run_experiment(table, settings, workers=workers, progress=progress)


def run_experiment(
    table: EntityRanks,
    settings: StudySettings,
    *,
    workers: int = 1,
    progress: Callable[[float], Any] | None = None,
) -> StabilityStudy:
    """As `dunaiski_study`, with its settings as one object."""
    conditions, notes = experiment_conditions(table, settings)
    check_count("workers", workers)
    named_measures = default_measures(permille=table.total_ranks is not None)
    measures, signs = tuple(named_measures.values()), tuple(SIGNS[name] for name in named_measures)
    signature = f"{' '.join(map(str, measures))} | preset:{PRESET} | rankscope {__version__}"
    population = Entities(table, measures, np.array(signs, np.float64))
    result = study_population(population, conditions, settings, signature, workers=workers, progress=progress)
    return replace(result, notes=(*table.notes, *notes))
