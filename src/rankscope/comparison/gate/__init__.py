"""The gate (`rankscope.gate`): is the new system no worse than the baseline, within a margin?"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.gate.decision import EXIT_CODES as EXIT_CODES
    from rankscope.comparison.gate.inputs import GateInput as GateInput
    from rankscope.comparison.gate.inputs import default_looks_file as default_looks_file
    from rankscope.comparison.gate.inputs import gate_of_input as gate_of_input
    from rankscope.comparison.gate.inputs import input_of_runs as input_of_runs
    from rankscope.comparison.gate.inputs import input_of_scores as input_of_scores
    from rankscope.comparison.gate.inputs import measures_and_margins as measures_and_margins
    from rankscope.comparison.gate.inputs import systems_of_one_file as systems_of_one_file
    from rankscope.comparison.gate.noninferiority import gate as gate
    from rankscope.comparison.gate.result import Gate as Gate
    from rankscope.comparison.gate.result import MeasureGate as MeasureGate
    from rankscope.comparison.gate.result import MovedDocument as MovedDocument
    from rankscope.comparison.gate.settings import GateSettings as GateSettings
    from rankscope.comparison.gate.view import gate_sentence as gate_sentence
    from rankscope.comparison.gate.view import sentence_of as sentence_of
    from rankscope.comparison.gate.view import summary_table as summary_table

HOMES = {
    "EXIT_CODES": "decision",
    "Gate": "result",
    "GateInput": "inputs",
    "GateSettings": "settings",
    "MeasureGate": "result",
    "MovedDocument": "result",
    "default_looks_file": "inputs",
    "gate": "noninferiority",
    "gate_of_input": "inputs",
    "gate_sentence": "view",
    "input_of_runs": "inputs",
    "input_of_scores": "inputs",
    "measures_and_margins": "inputs",
    "sentence_of": "view",
    "summary_table": "view",
    "systems_of_one_file": "inputs",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
