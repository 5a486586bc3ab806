"""trec_eval's names of measures, its parameters, and what they are called here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["TREC_NAMES", "TrecName"]


@dataclass(frozen=True)
class TrecName:
    """One of trec_eval's measures.

    ours: our name. reads: what a parameter (the text after the name) means to ours, as keyword arguments; None: it
    takes none. defaults: the parameters it stands for when none is named. several: parameters are separated by commas
    and each makes a measure of its own; else the whole text is one. shown: how trec_eval prints a parameter. form: what
    a parameter looks like, for messages. fixed: what ours is always given.
    """

    ours: str
    reads: Callable[[str], Mapping[str, Any]] | None = None
    defaults: tuple[str, ...] = ()
    several: bool = True
    shown: Callable[[str], str] = str
    form: str = "a number, as in .10"
    fixed: Mapping[str, Any] = field(default_factory=dict)


def parse_integer(text: str) -> int:
    """As C writes it: no blanks, no underscores, no other digits, as `int` would take."""
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def parse_number(text: str) -> float:
    """As C writes it."""
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise ValueError(text)
    return float(text)


def cutoff_parameter(text: str) -> Mapping[str, Any]:
    return {"cutoff": parse_integer(text)}


def number_parameter(name: str) -> Callable[[str], Mapping[str, Any]]:
    """A number as this parameter of ours."""
    return lambda text: {name: parse_number(text)}


def weights_parameter(text: str) -> Mapping[str, Any]:
    a, b, c, d = map(parse_number, text.split(","))
    return {"a": a, "b": b, "c": c, "d": d}


def gains_parameter(text: str) -> Mapping[str, Any]:
    pairs = [
        (parse_integer(level), parse_number(gain)) for level, gain in (pair.split("=") for pair in text.split(","))
    ]
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a grade stands twice")
    return {"gains": dict(pairs), "others": "gain"}


def persistence_parameter(text: str) -> Mapping[str, Any]:
    name, value = text.split("=")
    if name != "p":
        raise ValueError(name)
    return {"p": parse_number(value)}


def without_zeros(text: str) -> str:
    return str(int(text))


def two_digits(text: str) -> str:
    return f"{float(text):.2f}"


INTEGERS = "whole numbers, as in P.5,10"
PERSISTENCE = "a persistence, as in rbp.p=.5"
CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
RECALLS = ("0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90", "1.00")
MULTIPLES = ("0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00")

#: In the order in which trec_eval prints them.
TREC_NAMES = {
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
    "map": TrecName("AP"),
    "gm_map": TrecName("GMAP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("Bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec", number_parameter("recall"), RECALLS, shown=two_digits),
    "P": TrecName("P", cutoff_parameter, CUTOFFS, shown=without_zeros, form=INTEGERS),
    "recall": TrecName("R", cutoff_parameter, CUTOFFS, shown=without_zeros, form=INTEGERS),
    "infAP": TrecName("infAP"),
    "gm_bpref": TrecName("GMBpref"),
    "Rprec_mult": TrecName("Rprec", number_parameter("mult"), MULTIPLES, shown=two_digits),
    "utility": TrecName("Utility", weights_parameter, several=False, form="four weights, as in utility.1,-1,0,0"),
    "11pt_avg": TrecName("AvgIPrec"),
    "binG": TrecName("BinG"),
    "G": TrecName("G", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "dcg": TrecName("DCG", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "ideal_dcg": TrecName("IdealDCG", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "ndcg": TrecName("nDCG", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "ndcg_rel": TrecName("nDCGRel", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "Rndcg": TrecName("RnDCG", gains_parameter, several=False, form="gains by grade, as in ndcg.1=3,2=7"),
    "ndcg_cut": TrecName("nDCG", cutoff_parameter, CUTOFFS, shown=without_zeros, form=INTEGERS),
    "map_cut": TrecName("AP", cutoff_parameter, CUTOFFS, shown=without_zeros, form=INTEGERS),
    "relative_P": TrecName("RelP", cutoff_parameter, CUTOFFS, shown=without_zeros, form=INTEGERS),
    "success": TrecName("Success", cutoff_parameter, ("1", "5", "10"), shown=without_zeros, form=INTEGERS),
    "set_P": TrecName("SetP"),
    "set_relative_P": TrecName("SetRelP"),
    "set_recall": TrecName("SetR"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("SetF", number_parameter("beta"), several=False),
    "num_nonrel_judged_ret": TrecName("NumNonrelRet"),
    "yaap": TrecName("Yaap"),
    "rbp": TrecName("RBP", persistence_parameter, several=False, form=PERSISTENCE, fixed={"p": 0.9, "gmax": "query"}),
    "rbp_resid": TrecName("RBPResidual", persistence_parameter, several=False, form=PERSISTENCE, fixed={"p": 0.9}),
    "unj": TrecName("Unj", cutoff_parameter, ("5", "10", "20"), shown=without_zeros, form=INTEGERS),
}
