"""Families of systems and judges, such as the makers of models: from an option, a mapping or a table."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rankscope.data.tables import Column, Schema
from rankscope.errors import InputError
from rankscope.io.tables import read_table
from rankscope.settings import Rule

__all__ = [
    "FamiliesRule",
    "read_families",
]


#: The table of families.
FAMILIES = Schema(
    columns=(
        Column(name="system", aliases=("model", "engine", "candidate", "name"), required=True),
        Column(name="family", aliases=("vendor", "maker", "provider", "group"), required=True),
    ),
    expected="a header line (system,family) and one line per system",
    has_option=False,
)


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


def read_families(path: str) -> dict[str, str]:
    """The families in a table. Raises InputError for a system that stands twice."""
    table = read_table(path, FAMILIES, {})
    families: dict[str, str] = {}
    for row, (system, family) in enumerate(
        zip(table.ids("system").to_list(), table.ids("family").to_list(), strict=True)
    ):
        if families.get(system, family) != family:
            raise InputError(
                f"{table.locate(row)}: system {system!r} is of the family {family!r}, and of {families[system]!r} "
                "before; expected one family for each system"
            )
        families[system] = family
    return families
