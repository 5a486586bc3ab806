"""The measures of a study by the names in its output: the tool's nine, any of its functions, and measures of rankscope.

The tool has a dictionary of measures in its code. Here it is a list of texts, or a Python file with a dictionary.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.measures.presets import PRESETS
from rankscope.stability.load import refuse_undirected

__all__ = [
    "DEFAULT_NAMES",
    "FUNCTIONS",
    "NamedMeasure",
    "coded_measure",
    "name_measures",
    "parse_texts",
    "read_measure_file",
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
#: Their names.
DEFAULT_NAMES = tuple(name for name, *_ in DEFAULT_MEASURES)
#: What stands behind @ for each of the cutoffs.
EACH_CUTOFF = "@k"
#: The dictionary in a Python file.
DICTIONARY = "MEASURES"


class NamedMeasure(NamedTuple):
    """A measure of a study.

    Attributes
    ----------
    name
        Its name in the output.
    measure
        The measure.
    sign
        1 if higher is better, -1 if lower is.
    label
        Its name with the cutoff where it is computed at several.
    """

    name: str
    measure: Measure
    sign: int
    label: str


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


def name_measures(
    measures: Mapping[str, str | Measure] | None = None, cutoffs: Sequence[int] | None = None
) -> tuple[NamedMeasure, ...]:
    """The measures of a study.

    Parameters
    ----------
    measures
        Measure by its name in the output: one of the nine names of the tool, a function of the tool (`AP_at_n`), a
        measure by rankscope's name under the preset dunaiski (`nDCG@10`), or an object. Default: the tool's nine.
    cutoffs
        Cutoffs of functions that take one, and of measures written with `@k`, as `P@k`.

    Returns
    -------
    tuple of NamedMeasure
        Each of them, at each of its cutoffs. Of the tool's nine names lower is better where the tool has it so, of
        others where the measure says so.

    Raises
    ------
    ParameterError
        A measure does not exist, or has no direction; cutoffs are missing, or nothing takes them; one measure has two
        names.

    Examples
    --------
    >>> [(each.label, str(each.measure), each.sign) for each in name_measures({"P": "P@k", "low": "MeanRank"}, [5])]
    [('P@5', 'DunaiskiP@5', 1), ('low', 'MeanRank', -1)]
    """
    if measures is None:
        return tuple(default_measure(name) for name in DEFAULT_NAMES)
    variants = [variant for name, measure in measures.items() for variant in variants_of(name, measure, cutoffs)]
    if cutoffs and not any(each.label != each.name for each in variants):
        raise ParameterError(
            "cutoffs (--cutoffs) apply to none of these measures; write P@k for P at each cutoff, or name a "
            "function of the tool that takes one, as AP_at_n"
        )
    refuse_undirected([each.measure for each in variants])
    names: dict[str, str] = {}
    for each in variants:
        first_label = names.setdefault(str(each.measure), each.label)
        if first_label != each.label:
            raise ParameterError(
                f"{first_label!r} and {each.label!r} are one measure, {each.measure}; leave out one of them"
            )
    return tuple(variants)


def default_measure(name: str) -> NamedMeasure:
    """One of the nine."""
    place = DEFAULT_NAMES.index(name)
    _, function, cutoff, sign = DEFAULT_MEASURES[place]
    return NamedMeasure(name, coded_measure(function, cutoff), sign, name)


def variants_of(name: str, measure: str | Measure, cutoffs: Sequence[int] | None) -> list[NamedMeasure]:
    """The measure, or what it is at each of the cutoffs. Raises ParameterError."""
    if isinstance(measure, Measure):
        return [NamedMeasure(name, measure, sign_of(measure), name)]
    if not isinstance(measure, str):
        raise ParameterError(
            f"measure {name!r} is {measure!r}, expected the name of a measure, as 'P@k', or an object of a class of "
            "rankscope.measures"
        )
    if measure in DEFAULT_NAMES and (measure == name or measure not in FUNCTIONS):
        return [default_measure(measure)._replace(name=name, label=name)]
    takes_cutoff = measure.endswith(EACH_CUTOFF) or "{}" in FUNCTIONS.get(measure, "")
    if not takes_cutoff:
        parsed = single_measure(measure)
        return [NamedMeasure(name, parsed, sign_of(parsed), name)]
    if not cutoffs:
        raise ParameterError(f"{measure} is computed at each of several cutoffs; add --cutoffs (cutoffs=), as 10 20")
    template = measure.removesuffix("k") + "{}" if measure.endswith(EACH_CUTOFF) else measure
    at_cutoffs = [(single_measure(template, cutoff), cutoff) for cutoff in dict.fromkeys(cutoffs)]
    return [NamedMeasure(name, parsed, sign_of(parsed), f"{name}@{cutoff}") for parsed, cutoff in at_cutoffs]


def single_measure(text: str, cutoff: int | None = None) -> Measure:
    """A function of the tool, or a measure by rankscope's name under the preset. Raises ParameterError."""
    if text in FUNCTIONS:
        return coded_measure(text, cutoff)
    preset = PRESETS["dunaiski"]
    name = text if cutoff is None else text.replace("{}", str(cutoff))
    parsed = parse_measures([name], preset.parameters, preset.renames)
    if len(parsed) != 1:
        raise ParameterError(f"{text!r} stands for {len(parsed)} measures, expected one for each name; name them")
    return parsed[0]


def sign_of(measure: Measure) -> int:
    """-1 for a measure of which lower values are better, else 1."""
    return -1 if measure.higher_is_better is False else 1


def parse_texts(texts: Iterable[str]) -> dict[str, str | Measure]:
    """Measures as the command line names them: `MEASURE`, or `NAME=MEASURE` for another name in the output.

    Raises ParameterError for a name that is given twice.
    """
    measures: dict[str, str | Measure] = {}
    for text in texts:
        left, sign, right = text.partition("=")
        name, measure = (left, right) if sign and not is_measure(text) else (text.removesuffix(EACH_CUTOFF), text)
        if not name or not measure or "\t" in name:
            raise ParameterError(f"measure {text!r}, expected MEASURE or NAME=MEASURE, as P@k or precision=P@10")
        if name in measures:
            raise ParameterError(f"two measures are called {name!r}; write NAME=MEASURE to name one otherwise")
        measures[name] = measure
    return measures


def is_measure(text: str) -> bool:
    """Whether all of it is the name of a measure, such as `P@recall=0.5`."""
    if text in FUNCTIONS or text in DEFAULT_NAMES:
        return True
    try:
        single_measure(text.removesuffix(EACH_CUTOFF) + "@1" if text.endswith(EACH_CUTOFF) else text)
    except RankscopeError:
        return False
    return True


def read_measure_file(path: str) -> dict[str, str | Measure]:
    """The dictionary `MEASURES` of a Python file, which is run: it may define measures, by `rs.define_measure`.

    Raises InputError for a file that cannot be run, or without such a dictionary.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{path}: no such file; expected a Python file with a dictionary {DICTIONARY}")
    name = f"rankscope_measures_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)  # workers find its classes by this name
    try:
        spec.loader.exec_module(module)
    except RankscopeError:
        raise
    except Exception as error:  # whatever the file does
        raise InputError(f"{path}: {type(error).__name__} while it was run: {error}; correct the file") from error
    measures: Any = getattr(module, DICTIONARY, None)
    if not isinstance(measures, Mapping) or not measures or not all(isinstance(key, str) for key in measures):
        raise InputError(
            f"{path}: no dictionary {DICTIONARY}, expected one of names and measures, as "
            f'{DICTIONARY} = {{"precision": "P@k"}}; add it'
        )
    return dict(measures)
