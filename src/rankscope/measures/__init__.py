"""Measures of rankings. `MEASURES` is the table: a new measure is a class in one file and its line here.

Measures between two lists or two runs are functions in `rankscope.measures.rank_similarity.by_query`.
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
        "IPrec": "rankscope.measures.curves:IPrec",
        "AvgIPrec": "rankscope.measures.curves:AvgIPrec",
        "RR": "rankscope.measures.binary:RR",
        "Rprec": "rankscope.measures.binary:Rprec",
        "AUC": "rankscope.measures.binary:AUC",
        "nDCG": "rankscope.measures.graded:nDCG",
        "DCG": "rankscope.measures.graded:DCG",
        "IdealDCG": "rankscope.measures.graded:IdealDCG",
        "nDCGRel": "rankscope.measures.graded:nDCGRel",
        "RnDCG": "rankscope.measures.graded:RnDCG",
        "G": "rankscope.measures.graded:G",
        "BinG": "rankscope.measures.graded:BinG",
        "Q": "rankscope.measures.graded:Q",
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
        "alpha_nDCG": "rankscope.measures.diversity:alpha_nDCG",
        "alpha_DCG": "rankscope.measures.diversity:alpha_DCG",
        "ERR_IA": "rankscope.measures.diversity:ERR_IA",
        "nERR_IA": "rankscope.measures.diversity:nERR_IA",
        "NRBP": "rankscope.measures.diversity:NRBP",
        "nNRBP": "rankscope.measures.diversity:nNRBP",
        "AP_IA": "rankscope.measures.diversity:AP_IA",
        "P_IA": "rankscope.measures.diversity:P_IA",
        "StRecall": "rankscope.measures.diversity:StRecall",
        "Bpref": "rankscope.measures.incomplete_judgments:Bpref",
        "GMBpref": "rankscope.measures.incomplete_judgments:GMBpref",
        "infAP": "rankscope.measures.incomplete_judgments:infAP",
        "Judged": "rankscope.measures.incomplete_judgments:Judged",
        "Unj": "rankscope.measures.incomplete_judgments:Unj",
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
        "IAP": "rankscope.measures.curves:IAP",
        "PRAUC": "rankscope.measures.curves:PRAUC",
        "APIntervals": "rankscope.measures.curves:APIntervals",
        "AUCIntervals": "rankscope.measures.curves:AUCIntervals",
        "DunaiskiP": "rankscope.compat.dunaiski.measures:DunaiskiP",
        "DunaiskiR": "rankscope.compat.dunaiski.measures:DunaiskiR",
        "DunaiskiAP": "rankscope.compat.dunaiski.measures:DunaiskiAP",
        "DunaiskiNDCG": "rankscope.compat.dunaiski.measures:DunaiskiNDCG",
        "DunaiskiIAP": "rankscope.compat.dunaiski.measures:DunaiskiIAP",
        "DunaiskiPRAUC": "rankscope.compat.dunaiski.measures:DunaiskiPRAUC",
        "DunaiskiAUC": "rankscope.compat.dunaiski.measures:DunaiskiAUC",
        "DunaiskiAPIntervals": "rankscope.compat.dunaiski.measures:DunaiskiAPIntervals",
        "DunaiskiAUCIntervals": "rankscope.compat.dunaiski.measures:DunaiskiAUCIntervals",
        "AP_JG": "rankscope.measures.judgment_groups:AP_JG",
        "P_JG": "rankscope.measures.judgment_groups:P_JG",
        "Rprec_JG": "rankscope.measures.judgment_groups:Rprec_JG",
        "Prefs": "rankscope.measures.preferences:Prefs",
        "PrefsPair": "rankscope.measures.preferences:PrefsPair",
        "PrefsJG": "rankscope.measures.preferences:PrefsJG",
        "PrefsJGR": "rankscope.measures.preferences:PrefsJGR",
        "NumPrefs": "rankscope.measures.preferences:NumPrefs",
        "NumPrefsFul": "rankscope.measures.preferences:NumPrefsFul",
        "NumRet": "rankscope.measures.sets:NumRet",
        "NumRel": "rankscope.measures.sets:NumRel",
        "NumRelRet": "rankscope.measures.sets:NumRelRet",
        "NumNonrelRet": "rankscope.measures.sets:NumNonrelRet",
    }
)


__getattr__, __dir__ = lazy_attributes(__name__, {}, ("rank_similarity",))
