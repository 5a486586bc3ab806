"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here."""

from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, RR, P, R, Rprec, SetF, SetP, SetR, Success
from rankscope.measures.cascade import ERR, RBP, RBPResidual
from rankscope.measures.counts import NumNonrelRet, NumRel, NumRelRet, NumRet
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.judged import Bpref, Judged, infAP

__all__ = ["MEASURES", "Measure"]

#: Every measure by its name, in the order in which `rankscope measures` lists them.
MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (
        P,
        R,
        Success,
        AP,
        RR,
        Rprec,
        nDCG,
        DCG,
        ERR,
        RBP,
        RBPResidual,
        Bpref,
        infAP,
        Judged,
        SetP,
        SetR,
        SetF,
        NumRet,
        NumRel,
        NumRelRet,
        NumNonrelRet,
    )
}
