"""How the judgments of people and a machine are combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from rankscope.errors import SettingError
from rankscope.settings import (
    LARGEST,
    POSITIVE,
    REQUIRED,
    Number,
    Rule,
    Settings,
    choice,
    confidence_field,
    declare,
    name_list,
    number,
    seed_field,
    switch,
    table_columns,
    text,
)
from rankscope.stats.prediction_choices import ALLOCATIONS, CALIBRATIONS, POPULATIONS

__all__ = [
    "ChoiceSettings",
    "EstimateSettings",
    "GradeMap",
    "ItemSettings",
    "grade_map_field",
    "parse_grade_map",
]


class GradeMap(Rule):
    """The machine's grades on the human scale, as a mapping or a text."""

    expected = "the machine's grades with people's, such as 0=0,1=0,2=1"

    def accepts(self, value: object) -> bool:
        return not self.find_fault(value)

    def fault(self, value: object) -> str:
        """What is wrong with a map."""
        return self.find_fault(value)

    def find_fault(self, value: object) -> str:
        """What is wrong with a map, "" if nothing is."""
        try:
            parse_grade_map(value)
        except SettingError as error:
            return error.fault
        return ""


def grade_map_field() -> Mapping[int, int] | str | None:
    """The machine's grades on the human scale."""
    return declare(
        GradeMap(),
        None,
        "People's grade for each of the machine's grades, as MACHINE=PEOPLE pairs: 0=0,1=0,2=1.",
        metavar="A=B,...",
        python_help="The machine's grades on people's scale, as {0: 0, 1: 0, 2: 1} or the text '0=0,1=0,2=1'.",
        unset="both use the same grades",
    )


def machine_weight_field() -> float | None:
    """The weight of the machine's judgments."""
    return number(
        None,
        rule=Number(),
        metavar="W",
        help="Weight of the machine's judgments: 0 ignores them, 1 is prediction-powered inference as first proposed.",
        unset="the weight with the smallest variance",
    )


@dataclass(frozen=True, kw_only=True)
class EstimateSettings(Settings):
    """How the judgments of people and a machine are combined; see `rankscope.judging.estimate`."""

    FUNCTIONS = ("rankscope.judging:estimate",)
    COMMANDS = ("evaluate",)

    baseline: str | None = text(
        None, help="Estimate the differences of the other systems from this one.", unset="all pairs", metavar="NAME"
    )
    map: Mapping[int, int] | str | None = grade_map_field()
    machine_weight: float | None = machine_weight_field()
    confidence_level: float = confidence_field()


def human_field() -> str:
    """The column of people's values."""
    name: str = text(
        REQUIRED, help="Column of people's values, empty where people did not judge an item.", metavar="COLUMN"
    )
    return name


def machine_field() -> str:
    """The column of the machine's values."""
    name: str = text(REQUIRED, help="Column of the machine's values, one for each item.", metavar="COLUMN")
    return name


def positive_field() -> str | None:
    """The label whose share is estimated."""
    return text(
        None,
        help="Label whose share is estimated, where values are labels, as pass.",
        unset="values are numbers",
        metavar="LABEL",
    )


def population_field() -> str:
    """The population whose mean is estimated."""
    return choice(
        "source",
        POPULATIONS,
        help="Mean that is estimated: of the population from which the items come (source), or of these items only "
        "(items).",
    )


@dataclass(frozen=True, kw_only=True)
class ItemSettings(Settings):
    """How the mean of people's values is estimated from a table of items; see `rankscope.judging.estimate_items`."""

    FUNCTIONS = ("rankscope.judging:estimate_items",)
    COMMANDS = ("estimate",)

    human: str = human_field()
    machine: str = machine_field()
    positive: str | None = positive_field()
    baseline: str | None = text(
        None, help="Estimate the differences of the other systems from this one.", unset="all pairs", metavar="NAME"
    )
    lower: bool = switch(False, help="Lower values are better.")
    strata: bool = switch(
        False, help="Groups (column group) are strata: people judged a random sample of each, however large."
    )
    population: str = population_field()
    machine_weight: float | None = machine_weight_field()
    calibration: str = choice(
        "none",
        CALIBRATIONS,
        help="Calibration of the machine's values for the combined estimate: values of people that rise with them "
        "(isotonic), each fitted without the item's own label.",
    )
    signals: tuple[str, ...] | None = name_list(
        None,
        metavar="COLUMN,...",
        help="Columns that may help to predict people's values, as another machine's or a length: for the combined "
        "estimate people's values are regressed on the machine's and on these, without the item's own label.",
        unset="the machine alone",
    )
    confidence_level: float = confidence_field()
    columns: Mapping[str, str] | None = table_columns(
        {"query": "question", "cluster": "document"},
        help="Column names in the table. NAME is system, query, group, cluster, weight or chance: the chance with "
        "which an item was chosen to be judged by people.",
    )


@dataclass(frozen=True, kw_only=True)
class ChoiceSettings(Settings):
    """Which items of a table people judge next; see `rankscope.judging.choose_items`."""

    FUNCTIONS = ("rankscope.judging:choose_items",)
    COMMANDS = ("choose",)

    human: str = human_field()
    machine: str = machine_field()
    budget: float | None = number(
        None,
        rule=POSITIVE,
        metavar="C",
        help="What the new labels may cost on average; without a column of costs their number.",
        unset="the least for the width",
    )
    width: float | None = number(
        None,
        rule=POSITIVE,
        metavar="W",
        help="Width that no interval is expected to exceed, from end to end: as few labels as that takes.",
        unset="what the budget brings",
    )
    positive: str | None = positive_field()
    baseline: str | None = text(
        None, help="Choose for the differences of the other systems from this one.", unset="all pairs", metavar="NAME"
    )
    strata: bool = switch(
        False, help="Groups (column group) are strata, between which the labels are shared out, at least 2 in each."
    )
    allocation: str = choice(
        "neyman",
        ALLOCATIONS,
        help="How labels are shared out between strata: as the number of items times the spread of people's values "
        "around the machine's (neyman), or as the number of items (proportional).",
    )
    clusters: bool = switch(False, help="Whole clusters (column cluster) are chosen, with all of their items.")
    population: str = population_field()
    confidence_level: float = confidence_field()
    columns: Mapping[str, str] | None = table_columns(
        {"query": "question", "cost": "minutes"},
        help="Column names in the table. NAME is system, query, group, cluster, weight, cost (of a label) or chance: "
        "the chance with which an item was chosen so far.",
    )
    seed: int = seed_field()

    def check(self) -> None:
        if self.budget is None and self.width is None:
            raise SettingError(
                "budget", "--budget", "is missing, and so is width (--width); name what labels may cost, or a width"
            )
        if self.budget is not None:
            self.refuse("width", since="there is a budget (--budget), which decides how many labels there are")
        if not self.strata:
            self.refuse("allocation", since="there are no strata (--strata) to share labels out between")


def parse_grade_map(grade_map: Any) -> dict[int, int] | None:
    """The human grade of each machine grade, from a mapping of whole numbers, or text as "0=0,1=1,2=1".

    Raises SettingError for anything else, and for a grade that occurs twice.

    >>> parse_grade_map("0=0, 1=0, 2=1, 3=2")
    {0: 0, 1: 0, 2: 1, 3: 2}
    """
    if grade_map is None:
        return None
    if isinstance(grade_map, Mapping):
        pairs = list(grade_map.items())
    elif isinstance(grade_map, str):
        pairs = [tuple(pair_text.split("=")) for pair_text in grade_map.split(",")]  # type: ignore[misc]  # counted below
    else:
        refuse_grade_map(f"is {grade_map!r}, expected {GradeMap.expected}")
    grades: dict[int, int] = {}
    for pair in pairs:
        try:
            if len(pair) != 2 or any(isinstance(value, (float, bool)) for value in pair):
                raise ValueError
            machine_grade, human_grade = (int(value) for value in pair)
        except (TypeError, ValueError):
            refuse_grade_map(f"has {'='.join(map(str, pair))!r}, expected {GradeMap.expected}")
        if machine_grade in grades:
            refuse_grade_map(f"has the grade {machine_grade} twice; map it once")
        if machine_grade < 0:
            refuse_grade_map(f"has the grade {machine_grade}, which means not judged; remove it")
        if max(machine_grade, abs(human_grade)) > LARGEST:
            refuse_grade_map(f"has {'='.join(map(str, pair))!r}, expected grades up to {LARGEST:,}")
        grades[machine_grade] = human_grade
    if not grades:
        refuse_grade_map(f"is empty, expected {GradeMap.expected}")
    return grades


def refuse_grade_map(fault: str) -> NoReturn:
    raise SettingError("map", "--map", fault) from None
