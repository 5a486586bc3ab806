"""The measures of ir_measures as ours: names, parameters, changes of the grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.hits import Hits, freeze
from rankscope.errors import ParameterError, UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure
from rankscope.measures.presets import PRESETS
from rankscope.typing import Floats, Ints

__all__ = [
    "NAMES",
    "PRESET",
    "HitsView",
    "MeasureColumn",
    "translate",
    "values_of",
    "with_changed_grades",
]


PRESET = PRESETS["ir_measures"]
#: cwl_eval distributes all weight over so many ranks.
CWL_DEPTH = 1000
#: Measures of ir_measures -> ours, where the names differ.
OUR_NAMES = {"Accuracy": "AUC"}
#: Parameters of ir_measures -> ours, where the names differ.
OUR_PARAMETERS = {"max_rel": "gmax", "dcg": "gain"}
NAMES = (
    *("AP", "Accuracy", "AP_IA", "BPM", "Bpref", "Compat", "ERR", "ERR_IA", "INSQ", "INST", "IPrec", "Judged"),
    *("NERR8", "NERR9", "NERR10", "NERR11", "NRBP", "NumQ", "NumRel", "NumRet", "P", "P_IA", "R", "RBP", "RR", "Rprec"),
    *("SDCG", "SetAP", "SetF", "SetP", "SetR", "StRecall", "Success", "alpha_DCG", "alpha_nDCG", "infAP", "nDCG"),
    *("nERR_IA", "nNRBP"),
)
Grades = Callable[[Ints], Ints]


@dataclass(frozen=True)
class ClippedGrades:
    """Grades less `lowest`, at least 0; grades above `highest` count as `highest`.

    Attributes
    ----------
    lowest, highest
        Grades.
    """

    lowest: int
    highest: int | None = None

    def __call__(self, grades: Ints) -> Ints:
        clipped: Ints = np.clip(np.maximum(grades, 0), self.lowest, self.highest) - self.lowest
        return clipped


@dataclass(frozen=True)
class ReplacedGrades:
    """Some grades are replaced by others.

    Attributes
    ----------
    replacements
        Grade -> new grade.
    """

    replacements: tuple[tuple[int, int], ...]

    def __call__(self, grades: Ints) -> Ints:
        replaced = grades.copy()
        for grade, replacement in self.replacements:
            replaced[grades == grade] = replacement
        return replaced


class HitsView(NamedTuple):
    """The changes that a measure makes to the hits.

    Attributes
    ----------
    grades
        Change of the grades, if any.
    judged_only
        Remove documents without a judgment.
    """

    grades: ClippedGrades | ReplacedGrades | None = None
    judged_only: bool = False


class MeasureColumn(NamedTuple):
    """A measure of ir_measures, and how it is computed.

    Attributes
    ----------
    their_measure
        The measure of ir_measures.
    our_measure
        Ours; None for the number of queries, which is 1 for each.
    view
        Changes of the hits.
    scale
        Divisor of its values.
    needs_retrieved
        Whether it has no value if nothing relevant was retrieved.
    """

    their_measure: Any
    our_measure: Measure | None
    view: HitsView
    scale: float = 1.0
    needs_retrieved: bool = False


def translate(measure: Any, parameters: Mapping[str, Any]) -> MeasureColumn:
    """Our measure for one of ir_measures. parameters: those that have a value. Raises ParameterError."""
    name = measure.NAME
    if name not in NAMES:
        raise UnknownName("measure of ir_measures", str(measure), NAMES)
    arguments = dict(parameters)
    view = HitsView(grade_change(name, arguments), arguments.pop("judged_only", False))
    if name == "NumQ":
        return MeasureColumn(measure, None, view)
    measure_class = MEASURES[our_name(name, arguments)]
    if "max_rel" in arguments:  # the gain of a grade is its share of the way from min_rel to max_rel
        arguments["max_rel"] -= arguments.pop("min_rel")
    if "dcg" in arguments:  # DCG's only other form
        arguments["dcg"] = "exp" if arguments["dcg"] == "exp-log2" else "linear"
    our_arguments = {OUR_PARAMETERS.get(parameter, parameter): value for parameter, value in arguments.items()}
    scale = 1.0
    if name == "RBP" and "rel" in our_arguments and "cutoff" not in our_arguments:
        our_arguments["cutoff"] = CWL_DEPTH
        scale = 1 - our_arguments["p"] ** CWL_DEPTH
    if name == "SDCG":
        del our_arguments["gain"]
    known_fields = {field.name: field for field in fields(measure_class)}
    if "depth" in known_fields:
        our_arguments["depth"] = CWL_DEPTH
    missing_parameters = [
        parameter
        for parameter, field in known_fields.items()
        if field.default is MISSING and parameter not in our_arguments
    ]
    if missing_parameters:
        raise ParameterError(f"{measure} needs a {missing_parameters[0]}, expected a number behind it, as in {name}@10")
    preset_arguments = {
        parameter: value
        for parameter, value in PRESET.parameters.get(measure_class.name, {}).items()
        if parameter in known_fields
    }
    return MeasureColumn(
        measure, measure_class(**{**preset_arguments, **our_arguments}), view, scale, needs_retrieved=name == "Accuracy"
    )


def our_name(name: str, arguments: dict[str, Any]) -> str:
    """The name of our measure; a parameter that chooses among several is removed from the arguments."""
    if name == "NumRet" and "rel" in arguments:
        return "NumRelRet"
    if name == "SetP" and arguments.pop("relative", False):
        return "SetRelP"
    return OUR_NAMES.get(name, name)


def grade_change(name: str, arguments: dict[str, Any]) -> ClippedGrades | ReplacedGrades | None:
    """How a measure changes grades; None where it does not."""
    if "gains" in arguments:
        gains = arguments.pop("gains")
        all_integers = isinstance(gains, Mapping) and all(
            isinstance(number, int) for pair in gains.items() for number in pair
        )
        if not all_integers:
            raise ParameterError(f"{name}: gains is {gains!r}, expected whole numbers by grade, as {{1: 1, 2: 5}}")
        return ReplacedGrades(tuple(sorted(gains.items())))
    if "max_rel" in arguments:
        if arguments["min_rel"] >= arguments["max_rel"]:
            raise ParameterError(
                f"{name}: max_rel is {arguments['max_rel']}, expected above min_rel, {arguments['min_rel']}"
            )
        return ClippedGrades(arguments["min_rel"], arguments["max_rel"])
    return ClippedGrades(0) if name == "Judged" else None  # it counts negative grades as judgments


def with_changed_grades(hits: Hits, change_grades: Grades, memory: dict[Any, Any]) -> Hits:
    """The hits with changed grades. memory: cache of what depends on the judgments alone."""
    if "grades" not in memory:
        grades = change_grades(hits.grades)
        memory["grades"] = freeze(grades[np.lexsort((-grades, hits.grade_query))])
    grades = memory["grades"]
    return replace(
        hits,
        relevance=change_grades(hits.relevance),
        grades=grades,
        max_grade=int(grades.max()),
        _memory={},
        _qrels_memory=memory,
    )


def values_of(column: MeasureColumn, hits: Hits) -> Floats:
    """(queries) the values; NaN where there is none."""
    if column.our_measure is None:
        return np.ones(len(hits))
    values = column.our_measure(hits) / column.scale
    if column.needs_retrieved:
        values[column.our_measure.used(hits) == 0] = np.nan
    return values
