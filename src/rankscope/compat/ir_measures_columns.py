"""Each measure of ir_measures as one of ours, and what it sees of the hits."""

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

__all__ = ["NAMES", "PRESET", "MeasureColumn", "HitsView", "with_changed_grades", "translate", "values_of"]

PRESET = PRESETS["ir_measures"]
#: cwl_eval shares out all weight among so many ranks.
CWL_DEPTH = 1000
#: Their measure -> ours, where the names differ; what is called alike is found by its name.
OUR_NAMES = {"Accuracy": "AUC"}
#: Their parameter -> ours, where the names differ.
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
    """Grades below `lowest` become 0, those between it and `highest` what they are above it."""

    lowest: int
    highest: int | None = None

    def __call__(self, grades: Ints) -> Ints:
        clipped: Ints = np.clip(np.maximum(grades, 0), self.lowest, self.highest) - self.lowest
        return clipped


@dataclass(frozen=True)
class ReplacedGrades:
    """Certain grades become others."""

    by: tuple[tuple[int, int], ...]

    def __call__(self, grades: Ints) -> Ints:
        found = grades.copy()
        for grade, other in self.by:
            found[grades == grade] = other
        return found


class HitsView(NamedTuple):
    """What a measure sees of the hits."""

    grades: ClippedGrades | ReplacedGrades | None = None
    judged_only: bool = False


class MeasureColumn(NamedTuple):
    """A measure of theirs, and how it is computed. ours: None for the number of queries, which is 1 for each.

    scale: what its values are divided by. found_only: no value where nothing relevant was retrieved.
    """

    asked: Any
    ours: Measure | None
    view: HitsView
    scale: float = 1.0
    found_only: bool = False


def translate(measure: Any, parameters: Mapping[str, Any]) -> MeasureColumn:
    """Their measure as ours. parameters: those that have a value. Raises ParameterError where it cannot be one."""
    name = measure.NAME
    if name not in NAMES:
        raise UnknownName("measure of ir_measures", str(measure), NAMES)
    given = dict(parameters)
    view = HitsView(grade_change(name, given), given.pop("judged_only", False))
    if name == "NumQ":
        return MeasureColumn(measure, None, view)
    ours = MEASURES[our_name(name, given)]
    if "max_rel" in given:  # the gain of a grade is its share of the way from min_rel to max_rel
        given["max_rel"] -= given.pop("min_rel")
    if "dcg" in given:  # DCG's only other form
        given["dcg"] = "exp" if given["dcg"] == "exp-log2" else "linear"
    taken = {OUR_PARAMETERS.get(p, p): value for p, value in given.items()}
    scale = 1.0
    if name == "RBP" and "rel" in taken and "cutoff" not in taken:
        taken["cutoff"] = CWL_DEPTH
        scale = 1 - taken["p"] ** CWL_DEPTH
    if name == "SDCG":
        del taken["gain"]
    known = {f.name: f for f in fields(ours)}
    if "depth" in known:
        taken["depth"] = CWL_DEPTH
    lacking = [f for f, found in known.items() if found.default is MISSING and f not in taken]
    if lacking:
        raise ParameterError(f"{measure} needs a {lacking[0]}, expected a number behind it, as in {name}@10")
    implied = {p: v for p, v in PRESET.parameters.get(ours.name, {}).items() if p in known}
    return MeasureColumn(measure, ours(**{**implied, **taken}), view, scale, found_only=name == "Accuracy")


def our_name(name: str, given: dict[str, Any]) -> str:
    """The name of our measure; a parameter that chooses among several is taken from those given."""
    if name == "NumRet" and "rel" in given:
        return "NumRelRet"
    if name == "SetP" and given.pop("relative", False):
        return "SetRelP"
    return OUR_NAMES.get(name, name)


def grade_change(name: str, given: dict[str, Any]) -> ClippedGrades | ReplacedGrades | None:
    """What a measure does to grades; None where it takes them as they are."""
    if "gains" in given:
        gains = given.pop("gains")
        whole = isinstance(gains, Mapping) and all(isinstance(x, int) for pair in gains.items() for x in pair)
        if not whole:
            raise ParameterError(f"{name}: gains is {gains!r}, expected whole numbers by grade, as {{1: 1, 2: 5}}")
        return ReplacedGrades(tuple(sorted(gains.items())))
    if "max_rel" in given:
        if given["min_rel"] >= given["max_rel"]:
            raise ParameterError(f"{name}: max_rel is {given['max_rel']}, expected above min_rel, {given['min_rel']}")
        return ClippedGrades(given["min_rel"], given["max_rel"])
    return ClippedGrades(0) if name == "Judged" else None  # a negative grade is a judgment to it


def with_changed_grades(hits: Hits, change: Grades, memory: dict[Any, Any]) -> Hits:
    """The hits as if other grades had been given. memory: of what follows from the judgments alone."""
    if "grades" not in memory:
        grades = change(hits.grades)
        memory["grades"] = freeze(grades[np.lexsort((-grades, hits.grade_query))])
    grades = memory["grades"]
    return replace(
        hits,
        relevance=change(hits.relevance),
        grades=grades,
        max_grade=int(grades.max()),
        _memory={},
        _pool_memory=memory,
    )


def values_of(column: MeasureColumn, hits: Hits) -> Floats:
    """(queries) the values; NaN where there is none."""
    if column.ours is None:
        return np.ones(len(hits))
    values = column.ours(hits) / column.scale
    if column.found_only:
        values[column.ours.used(hits) == 0] = np.nan
    return values
