"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here.

Measures between two lists or two runs are functions in `rankscope.measures.association`.
"""

import importlib
from typing import Any

from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, AUC, GMAP, RR, F, P, R, Rprec, Success
from rankscope.measures.cascade import ERR, RBP, RBPResidual, nERR
from rankscope.measures.compatibility import Compat
from rankscope.measures.counts import NumNonrelRet, NumRel, NumRelRet, NumRet
from rankscope.measures.cwl import BPM, INSQ, INST, NERR8, NERR9, NERR10, NERR11, SDCG
from rankscope.measures.diversity import (
    AP_IA,
    ERR_IA,
    NRBP,
    P_IA,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
)
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.ideal import BinG, G, IdealDCG, RnDCG, nDCGRel
from rankscope.measures.interpolated import AvgIPrec, IPrec
from rankscope.measures.judged import Bpref, GMBpref, Judged, infAP
from rankscope.measures.qmeasure import Q
from rankscope.measures.sets import RelP, SetAP, SetF, SetP, SetR, SetRelP, Unj, Utility, Yaap

__all__ = ["MEASURES", "Measure"]

#: Every measure by its name, in the order in which `rankscope measures` lists them.
MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (
        P,
        R,
        F,
        Success,
        RelP,
        AP,
        GMAP,
        IPrec,
        AvgIPrec,
        RR,
        Rprec,
        AUC,
        nDCG,
        DCG,
        IdealDCG,
        nDCGRel,
        RnDCG,
        G,
        BinG,
        Q,
        ERR,
        nERR,
        RBP,
        RBPResidual,
        SDCG,
        INST,
        INSQ,
        BPM,
        NERR8,
        NERR9,
        NERR10,
        NERR11,
        Compat,
        alpha_nDCG,
        alpha_DCG,
        ERR_IA,
        nERR_IA,
        NRBP,
        nNRBP,
        AP_IA,
        P_IA,
        StRecall,
        Bpref,
        GMBpref,
        infAP,
        Judged,
        Unj,
        SetP,
        SetRelP,
        SetR,
        SetAP,
        SetF,
        Yaap,
        Utility,
        NumRet,
        NumRel,
        NumRelRet,
        NumNonrelRet,
    )
}


def __getattr__(name: str) -> Any:
    if name == "association":  # loaded when first asked for
        return importlib.import_module("rankscope.measures.association")
    raise AttributeError(f"module 'rankscope.measures' has no attribute {name!r}")
