"""The gate (`rankscope.gate`): is the new system no worse than the baseline, within a margin?"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.gate.decision import EXIT_CODES as EXIT_CODES
    from rankscope.comparison.gate.noninferiority import decide_gate as decide_gate
    from rankscope.comparison.gate.noninferiority import gate as gate
    from rankscope.comparison.gate.result import Gate as Gate
    from rankscope.comparison.gate.settings import GateSettings as GateSettings

HOMES = {
    "EXIT_CODES": "decision",
    "Gate": "result",
    "GateSettings": "settings",
    "decide_gate": "noninferiority",
    "gate": "noninferiority",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
