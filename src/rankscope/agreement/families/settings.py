"""The settings of favouritism: which system belongs to which family, and how tests are corrected."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.settings import REQUIRED, Rule, Settings, alpha_field, choice, declare, switch
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "FavourSettings",
]


class FamiliesRule(Rule):
    """A mapping of systems to families, or the path of a table."""

    expected = (
        "systems with their families, such as gpt-5=openai,claude=anthropic (in Python {'gpt-5': 'openai'}), or the "
        "path of a table with the columns system and family"
    )

    def accepts(self, value: object) -> bool:
        if isinstance(value, (str, os.PathLike)):
            return bool(os.fspath(value))
        return (
            isinstance(value, Mapping)
            and bool(value)
            and all(isinstance(name, str) and name != "" for entry in value.items() for name in entry)
        )

    def plain(self, value: object) -> object:
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    @staticmethod
    def parse(text: str) -> Mapping[str, str] | str:
        """SYSTEM=FAMILY with commas between several; a text without an equals sign is a path."""
        if "=" not in text:
            return text
        families: dict[str, str] = {}
        for entry in text.split(","):
            system, _, family = (part.strip() for part in entry.rpartition("="))
            if not system or not family:
                raise ValueError(f"{entry!r}, expected SYSTEM=FAMILY, such as gpt-5=openai, or the path of a table")
            if system in families:
                raise ValueError(f"{system} is given twice, expected each system once")
            families[system] = family
        return families


@dataclass(frozen=True, kw_only=True)
class FavourSettings(Settings):
    """How favouritism of judges is tested; see `favour`."""

    FUNCTIONS = ("rankscope.agreement:favour",)
    COMMANDS = ("agree favour",)

    families: Mapping[str, str] | str = declare(
        FamiliesRule(),
        REQUIRED,
        "Family of each system: SYSTEM=FAMILY with commas between several, or a table with the columns system and "
        "family. It may also hold the families of judges, for --own. Systems without a family are others.",
        flag="--family",
        metavar="SYSTEM=FAMILY,...|TABLE",
        python_help="Family of each system, as {'gpt-5': 'openai'}, or a table with the columns system and family. It "
        "may also hold the families of judges, for `own`. Systems without a family are others.",
    )
    own: bool = switch(False, help="Test each judge with its own family only; judges without a family are not tested.")
    common: bool = switch(
        False, help="Skip systems, segments and language pairs that are missing from a judge, instead of stopping."
    )
    correction: str = choice(
        "holm", CORRECTIONS, help="Correction of p-values for multiple comparisons, over all judges and families."
    )
    alpha: float = alpha_field(
        help="Significance level. Confidence intervals have the level 1 - alpha, and are not corrected."
    )
