"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here.

Measures between two lists or two runs are functions in `rankscope.measures.association`.
"""

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from rankscope.measures.base import Measure

__all__ = ["MEASURES", "Measure"]


class Table(MutableMapping[str, type[Measure]]):
    """Measures by name. The file of a family is loaded when one of its measures is first asked for."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._entries: dict[str, str | type[Measure]] = dict(homes)

    def __getitem__(self, name: str) -> type[Measure]:
        entry = self._entries[name]
        if isinstance(entry, str):
            entry = self._entries[name] = getattr(importlib.import_module(f"rankscope.measures.{entry}"), name)
        return entry

    def __setitem__(self, name: str, measure: type[Measure]) -> None:
        self._entries[name] = measure

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __len__(self) -> int:
        return len(self._entries)


#: Every measure by its name, in the order in which `rankscope measures` lists them, and the file that holds it.
MEASURES = Table(
    {
        "P": "binary",
        "R": "binary",
        "F": "binary",
        "Success": "binary",
        "RelP": "binary",
        "AP": "binary",
        "GMAP": "binary",
        "IPrec": "interpolated",
        "AvgIPrec": "interpolated",
        "RR": "binary",
        "Rprec": "binary",
        "AUC": "binary",
        "nDCG": "graded",
        "DCG": "graded",
        "IdealDCG": "ideal",
        "nDCGRel": "ideal",
        "RnDCG": "ideal",
        "G": "ideal",
        "BinG": "ideal",
        "Q": "qmeasure",
        "ERR": "cascade",
        "nERR": "cascade",
        "RBP": "cascade",
        "RBPResidual": "cascade",
        "SDCG": "cwl",
        "INST": "cwl",
        "INSQ": "cwl",
        "BPM": "cwl",
        "NERR8": "cwl",
        "NERR9": "cwl",
        "NERR10": "cwl",
        "NERR11": "cwl",
        "Compat": "compatibility",
        "alpha_nDCG": "novelty",
        "alpha_DCG": "novelty",
        "ERR_IA": "novelty",
        "nERR_IA": "novelty",
        "NRBP": "novelty",
        "nNRBP": "novelty",
        "AP_IA": "diversity",
        "P_IA": "diversity",
        "StRecall": "diversity",
        "Bpref": "judged",
        "GMBpref": "judged",
        "infAP": "judged",
        "Judged": "judged",
        "Unj": "judged",
        "SetP": "sets",
        "SetRelP": "sets",
        "SetR": "sets",
        "SetAP": "sets",
        "SetF": "sets",
        "Yaap": "sets",
        "Utility": "sets",
        "MeanRank": "entity",
        "MedianRank": "entity",
        "MinRank": "entity",
        "MaxRank": "entity",
        "IAP": "entity_curves",
        "PRAUC": "entity_curves",
        "APIntervals": "entity_curves",
        "AUCIntervals": "entity_curves",
        "DunaiskiP": "dunaiski",
        "DunaiskiR": "dunaiski",
        "DunaiskiAP": "dunaiski",
        "DunaiskiNDCG": "dunaiski",
        "DunaiskiIAP": "dunaiski_curves",
        "DunaiskiPRAUC": "dunaiski_curves",
        "DunaiskiAUC": "dunaiski_curves",
        "DunaiskiAPIntervals": "dunaiski_curves",
        "DunaiskiAUCIntervals": "dunaiski_curves",
        "NumRet": "counts",
        "NumRel": "counts",
        "NumRelRet": "counts",
        "NumNonrelRet": "counts",
    }
)


def __getattr__(name: str) -> Any:
    if name == "association":  # loaded when first asked for
        return importlib.import_module("rankscope.measures.association")
    raise AttributeError(f"module 'rankscope.measures' has no attribute {name!r}")
