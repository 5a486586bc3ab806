"""Whether judges favour systems of a family (`rankscope.agreement.favour`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.families.favouritism import FamilyFavour as FamilyFavour
    from rankscope.agreement.families.favouritism import FavourSettings as FavourSettings
    from rankscope.agreement.families.favouritism import favour as favour
    from rankscope.agreement.families.favouritism import judge_families as judge_families

HOMES = {
    "FamilyFavour": "favouritism",
    "FavourSettings": "favouritism",
    "favour": "favouritism",
    "judge_families": "favouritism",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
