"""How the judgments of people and a machine are combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.errors import SettingError
from rankscope.settings import Number, Rule, Settings, confidence_field, declare, number, text

__all__ = [
    "EstimateSettings",
    "GradeMap",
    "grade_map_field",
]


class GradeMap(Rule):
    """The machine's grades on the human scale, as a mapping or a text."""

    expected = "the machine's grades with people's, as 0=0,1=0,2=1"

    def accepts(self, value: object) -> bool:
        return not self.find_fault(value)

    def fault(self, value: object) -> str:
        """What is wrong with a map."""
        return self.find_fault(value)

    def find_fault(self, value: object) -> str:
        """What is wrong with a map, "" if nothing is."""
        from rankscope.judging.estimation.dual_judgments import parse_grade_map

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


@dataclass(frozen=True, kw_only=True)
class EstimateSettings(Settings):
    """How the judgments of people and a machine are combined; see `rankscope.judging.estimate`."""

    FUNCTIONS = ("rankscope.judging:estimate",)
    COMMANDS = ("evaluate",)

    baseline: str | None = text(
        None, help="Estimate the differences of the other systems from this one.", unset="all pairs", metavar="NAME"
    )
    map: Mapping[int, int] | str | None = grade_map_field()
    weight: float | None = number(
        None,
        rule=Number(),
        metavar="W",
        help="Weight of the machine's judgments: 0 ignores them, 1 is prediction-powered inference as first proposed.",
        unset="the weight with the smallest variance",
    )
    confidence_level: float = confidence_field()
