"""The gate (`rankscope.gate`): is the new system no worse than the baseline, within a margin?"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.gate.noninferiority import EXIT_CODES as EXIT_CODES
    from rankscope.comparison.gate.noninferiority import Gate as Gate
    from rankscope.comparison.gate.noninferiority import GateSettings as GateSettings
    from rankscope.comparison.gate.noninferiority import decide_gate as decide_gate
    from rankscope.comparison.gate.noninferiority import gate as gate

HOMES = {
    "EXIT_CODES": "noninferiority",
    "Gate": "noninferiority",
    "GateSettings": "noninferiority",
    "decide_gate": "noninferiority",
    "gate": "noninferiority",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
