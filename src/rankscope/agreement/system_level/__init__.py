"""Agreement with people on whole systems (`rankscope.agreement.systems`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.system_level.agreement import SystemAgreement as SystemAgreement
    from rankscope.agreement.system_level.agreement import agree_on_systems as agree_on_systems
    from rankscope.agreement.system_level.agreement import systems as systems

HOMES = {
    "SystemAgreement": "agreement",
    "agree_on_systems": "agreement",
    "systems": "agreement",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
