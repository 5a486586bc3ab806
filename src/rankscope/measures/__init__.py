"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here."""

from rankscope.measures.base import Measure
from rankscope.measures.binary import AP, GMAP, RR, P, R, Rprec, Success
from rankscope.measures.cascade import ERR, RBP, RBPResidual
from rankscope.measures.counts import NumNonrelRet, NumRel, NumRelRet, NumRet
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.ideal import BinG, G, IdealDCG, RnDCG, nDCGRel
from rankscope.measures.interpolated import AvgIPrec, IPrec
from rankscope.measures.judged import Bpref, GMBpref, Judged, infAP
from rankscope.measures.sets import RelP, SetAP, SetF, SetP, SetR, SetRelP, Unj, Utility, Yaap

__all__ = ["MEASURES", "Measure"]

#: Every measure by its name, in the order in which `rankscope measures` lists them.
MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (
        P,
        R,
        Success,
        RelP,
        AP,
        GMAP,
        IPrec,
        AvgIPrec,
        RR,
        Rprec,
        nDCG,
        DCG,
        IdealDCG,
        nDCGRel,
        RnDCG,
        G,
        BinG,
        ERR,
        RBP,
        RBPResidual,
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
