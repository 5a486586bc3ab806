"""Margins: the largest acceptable loss of a mean, in units of the measure or as a share of the baseline's mean."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

from rankscope.errors import ParameterError
from rankscope.settings import Rule

__all__ = [
    "Margin",
    "MarginRule",
    "margin_of",
    "split_margin",
]


class Margin(NamedTuple):
    """A margin.

    Attributes
    ----------
    value
        The largest acceptable loss; of a relative margin a share, as 0.02.
    is_relative
        Whether it is a share of the baseline's mean.
    """

    value: float
    is_relative: bool = False

    def __str__(self) -> str:
        return f"{100 * self.value:g}%" if self.is_relative else f"{self.value:g}"

    def of_mean(self, mean: float) -> float:
        """The margin in units of the measure. mean: of the baseline."""
        return self.value * abs(mean) if self.is_relative else self.value


def parse_margin(value: object) -> Margin | None:
    """A margin from a number of at least 0, or from a text such as "0.01" or "2%"; None for anything else."""
    if isinstance(value, Margin):
        return value
    is_relative = False
    if isinstance(value, str):
        text = value.strip()
        is_relative = text.endswith("%")
        try:
            number = float(text.removesuffix("%")) / (100 if is_relative else 1)
        except ValueError:
            return None
    elif isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
    else:
        return None
    return Margin(number, is_relative) if isfinite(number) and number >= 0 else None


class MarginRule(Rule):
    """A margin: a number, a percentage of the baseline's mean, or one for each measure."""

    expected = "a number of at least 0, as 0.01, or a percentage of the baseline's mean, as '2%'"

    def __init__(self, *, by_measure: bool = True) -> None:
        self.by_measure = by_measure

    def accepts(self, value: object) -> bool:
        if isinstance(value, Mapping) and self.by_measure:
            return bool(value) and all(parse_margin(margin) is not None for margin in value.values())
        return parse_margin(value) is not None

    def fault(self, value: object) -> str:
        if isinstance(value, Mapping):
            wrong = {name: margin for name, margin in value.items() if parse_margin(margin) is None}
            of_measure = next((f" of {name}" for name in wrong), "")
            return f"{of_measure} is {next(iter(wrong.values()), value)!r}, expected {self.expected}".lstrip()
        return super().fault(value)

    @staticmethod
    def parse(text: str) -> Margin:
        """The margin in an option's text."""
        margin = parse_margin(text)
        if margin is None:
            expected = MarginRule.expected.replace("'2%'", "2%")
            raise ValueError(f"{text!r}, expected {expected}")
        return margin

    def plain(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(name): parse_margin(margin) for name, margin in value.items()}
        return value if value is None else parse_margin(value)


def split_margin(name: str) -> tuple[str, Margin | None]:
    """The measure and its margin in a text such as "nDCG@10:0.01" or "R@100:2%"; None where there is no margin.

    Raises ParameterError for something else behind the last colon that looks like a margin.
    """
    measure, colon, text = name.rpartition(":")
    if not colon or (not text[:1].isdigit() and not text.startswith((".", "-", "+"))):
        return name, None
    margin = parse_margin(text)
    if margin is None:
        raise ParameterError(f"the margin of {measure} is {text!r}, expected {MarginRule.expected}")
    return measure, margin


def margin_of(margins: Margin | Mapping[str, Margin], measure: str, names: Mapping[str, str]) -> Margin:
    """The margin of a measure.

    Parameters
    ----------
    margins
        One margin for all, or margins by measure; that of "" is for all others.
    measure
        Full name of the measure.
    names
        The full name of a measure by each name that margins use.
    """
    if isinstance(margins, Margin):
        return margins
    for name, margin in margins.items():
        if name and names.get(name) == measure:
            return margin
    if "" in margins:
        return margins[""]
    raise ParameterError(
        f"no margin of {measure}, expected one for each measure; add it (-m {measure}:0.01), or one for all (--margin)"
    )
