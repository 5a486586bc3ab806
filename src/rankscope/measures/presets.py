"""Presets: how a reference tool reads, ranks and measures, under its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankscope.errors import UnknownName

__all__ = ["PRESETS", "Preset", "find_preset"]


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What a reference tool does where the user says nothing else.

    measures: what it prints by default. parameters: by measure, those that its names imply.
    """

    tool: str
    ties: str = "doc_id_desc"
    precision: str = "float64"
    measures: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


#: What `trec_eval -m official` prints, but for runid and num_q, which are no measures.
OFFICIAL = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
)
#: Its defaults where ours are others.
TREC_EVAL: Mapping[str, Mapping[str, Any]] = {"RBP": {"p": 0.9, "gmax": "query"}, "RBPResidual": {"p": 0.9}}
#: Version 9 asks for trunc(x R + .9) relevant documents at recall x.
TREC_EVAL_9 = {**TREC_EVAL, "IPrec": {"rounding": "plus_point_nine"}, "AvgIPrec": {"rounding": "plus_point_nine"}}

PRESETS = {
    "trec_eval": Preset(tool="trec_eval 10.0: scores compared as float64", measures=OFFICIAL, parameters=TREC_EVAL),
    "trec_eval-9": Preset(
        tool="trec_eval 9.0.8 and pytrec_eval: scores compared as float32, recall rounded its way",
        precision="float32",
        measures=OFFICIAL,
        parameters=TREC_EVAL_9,
    ),
    "gdeval": Preset(
        tool="gdeval.pl of the TREC Web Track: nDCG with exponential gain, ERR with grades up to 4",
        measures=("nDCG@20", "ERR@20"),
        parameters={"nDCG": {"gain": "exp"}, "DCG": {"gain": "exp"}, "ERR": {"gmax": 4}},
    ),
    "ir_measures": Preset(
        tool="ir_measures 0.4: scores compared and recall rounded as by pytrec_eval, ERR with grades up to 4",
        precision="float32",
        measures=("nDCG@10", "AP", "RR", "P@10", "R@100"),
        parameters={"ERR": {"gmax": 4}, "IPrec": TREC_EVAL_9["IPrec"]},
    ),
}


def find_preset(name: str) -> Preset:
    """Raises UnknownName, with the nearest name."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return PRESETS[name]
