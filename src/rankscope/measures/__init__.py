"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here.

Measures between two lists or two runs are functions in `rankscope.measures.association`.
"""

from collections.abc import MutableMapping

from rankscope.measures.base import Measure
from rankscope.registry import LazyRegistry, lazy_attributes

__all__ = ["MEASURES", "Measure"]


#: Every measure by its name, in the order in which `rankscope measures` lists them; loaded when it is first asked for.
MEASURES: MutableMapping[str, type[Measure]] = LazyRegistry(
    {
        "P": "rankscope.measures.binary:P",
        "R": "rankscope.measures.binary:R",
        "F": "rankscope.measures.binary:F",
        "Success": "rankscope.measures.binary:Success",
        "RelP": "rankscope.measures.binary:RelP",
        "AP": "rankscope.measures.binary:AP",
        "GMAP": "rankscope.measures.binary:GMAP",
        "IPrec": "rankscope.measures.interpolated:IPrec",
        "AvgIPrec": "rankscope.measures.interpolated:AvgIPrec",
        "RR": "rankscope.measures.binary:RR",
        "Rprec": "rankscope.measures.binary:Rprec",
        "AUC": "rankscope.measures.binary:AUC",
        "nDCG": "rankscope.measures.graded:nDCG",
        "DCG": "rankscope.measures.graded:DCG",
        "IdealDCG": "rankscope.measures.ideal:IdealDCG",
        "nDCGRel": "rankscope.measures.ideal:nDCGRel",
        "RnDCG": "rankscope.measures.ideal:RnDCG",
        "G": "rankscope.measures.ideal:G",
        "BinG": "rankscope.measures.ideal:BinG",
        "Q": "rankscope.measures.qmeasure:Q",
        "ERR": "rankscope.measures.cascade:ERR",
        "nERR": "rankscope.measures.cascade:nERR",
        "RBP": "rankscope.measures.cascade:RBP",
        "RBPResidual": "rankscope.measures.cascade:RBPResidual",
        "SDCG": "rankscope.measures.cwl:SDCG",
        "INST": "rankscope.measures.cwl:INST",
        "INSQ": "rankscope.measures.cwl:INSQ",
        "BPM": "rankscope.measures.cwl:BPM",
        "NERR8": "rankscope.measures.cwl:NERR8",
        "NERR9": "rankscope.measures.cwl:NERR9",
        "NERR10": "rankscope.measures.cwl:NERR10",
        "NERR11": "rankscope.measures.cwl:NERR11",
        "Compat": "rankscope.measures.compatibility:Compat",
        "alpha_nDCG": "rankscope.measures.novelty:alpha_nDCG",
        "alpha_DCG": "rankscope.measures.novelty:alpha_DCG",
        "ERR_IA": "rankscope.measures.novelty:ERR_IA",
        "nERR_IA": "rankscope.measures.novelty:nERR_IA",
        "NRBP": "rankscope.measures.novelty:NRBP",
        "nNRBP": "rankscope.measures.novelty:nNRBP",
        "AP_IA": "rankscope.measures.diversity:AP_IA",
        "P_IA": "rankscope.measures.diversity:P_IA",
        "StRecall": "rankscope.measures.diversity:StRecall",
        "Bpref": "rankscope.measures.judged:Bpref",
        "GMBpref": "rankscope.measures.judged:GMBpref",
        "infAP": "rankscope.measures.judged:infAP",
        "Judged": "rankscope.measures.judged:Judged",
        "Unj": "rankscope.measures.judged:Unj",
        "SetP": "rankscope.measures.sets:SetP",
        "SetRelP": "rankscope.measures.sets:SetRelP",
        "SetR": "rankscope.measures.sets:SetR",
        "SetAP": "rankscope.measures.sets:SetAP",
        "SetF": "rankscope.measures.sets:SetF",
        "Yaap": "rankscope.measures.sets:Yaap",
        "Utility": "rankscope.measures.sets:Utility",
        "MeanRank": "rankscope.measures.entity:MeanRank",
        "MedianRank": "rankscope.measures.entity:MedianRank",
        "MinRank": "rankscope.measures.entity:MinRank",
        "MaxRank": "rankscope.measures.entity:MaxRank",
        "IAP": "rankscope.measures.entity_curves:IAP",
        "PRAUC": "rankscope.measures.entity_curves:PRAUC",
        "APIntervals": "rankscope.measures.entity_curves:APIntervals",
        "AUCIntervals": "rankscope.measures.entity_curves:AUCIntervals",
        "DunaiskiP": "rankscope.measures.dunaiski:DunaiskiP",
        "DunaiskiR": "rankscope.measures.dunaiski:DunaiskiR",
        "DunaiskiAP": "rankscope.measures.dunaiski:DunaiskiAP",
        "DunaiskiNDCG": "rankscope.measures.dunaiski:DunaiskiNDCG",
        "DunaiskiIAP": "rankscope.measures.dunaiski_curves:DunaiskiIAP",
        "DunaiskiPRAUC": "rankscope.measures.dunaiski_curves:DunaiskiPRAUC",
        "DunaiskiAUC": "rankscope.measures.dunaiski_curves:DunaiskiAUC",
        "DunaiskiAPIntervals": "rankscope.measures.dunaiski_curves:DunaiskiAPIntervals",
        "DunaiskiAUCIntervals": "rankscope.measures.dunaiski_curves:DunaiskiAUCIntervals",
        "NumRet": "rankscope.measures.counts:NumRet",
        "NumRel": "rankscope.measures.counts:NumRel",
        "NumRelRet": "rankscope.measures.counts:NumRelRet",
        "NumNonrelRet": "rankscope.measures.counts:NumNonrelRet",
    }
)


__getattr__, __dir__ = lazy_attributes(__name__, {}, ("association",))
