"""What holds of which measure: a row a measure, beyond what it says of itself (range, direction, cutoffs).

After scikit-learn's test_common.py. A new measure needs its row here; `test_all_measures.py` holds it to that.
"""

from __future__ import annotations

from dataclasses import dataclass

import rankscope as rs

__all__ = ["FORMS", "TABLE", "Row"]

#: Why the ideal list does not give 1, where several measures have one reason.
DEFECTS = "with the defects of the tool that it follows"
OTHER_ORDER = "documents in falling order of grade are no ideal list where subtopics count"
A_DOCUMENT = "it is what a reader gains a document read"


@dataclass(frozen=True)
class Row:
    """What holds of a measure.

    forms: names with parameters; every parameter is set in one of them. tail: unjudged documents below the list change
    nothing. no_ideal: why not 1, where a measure in [0, 1], of which higher is better, does not give just that to the
    relevant documents in falling order of grade. shallow: forms with a cutoff below R, for which it does not either.
    falling: judged documents in falling order of grade are no worse than in rising order. deeper: a form with {k}, if
    the value never falls with a deeper cutoff. counted: it rests on the relevant documents up to the cutoff.
    """

    forms: tuple[str, ...]
    tail: bool = True
    no_ideal: str = ""
    shallow: tuple[str, ...] = ()
    falling: bool = True
    deeper: str | None = None
    counted: bool = True


TABLE = {
    "P": Row(
        (
            *("P@1", "P@5", "P(rel=2)@3", "P@size", "P@mean", "P@median", "P@recall=0.3", "P(scale='permille')@3"),
            *("P(short='listed')@5", "P(short='listed', rel=2)@size"),
        ),
        no_ideal="only where all of the first k are relevant",
    ),
    "F": Row(("F@3", "F(beta=2)@5", "F(beta=0.5, rel=2)@100", "F(beta=0)@2"), no_ideal="only where k = R"),
    "R": Row(
        ("R@100", "R@2", "R(rel=2)@100", "R@size", "R@recall=1.0", "R(scale='permille')@100"),
        deeper="R@{k}",
        shallow=("R@2",),
    ),
    "Success": Row(("Success@1", "Success@5", "Success(rel=2)@5"), deeper="Success@{k}"),
    "RelP": Row(("RelP@1", "RelP@5", "RelP(rel=2)@3")),
    "AP": Row(
        (
            *("AP", "AP(rel=2)", "AP@100", "AP@3", "AP(norm='min')@3", "AP(norm='found')", "AP(norm='found', rel=2)@3"),
            *("AP@size", "AP(norm='min')@recall=0.5", "AP(norm='found')@mean", "AP(norm='min')@median"),
            *("AP(scale='percentile')", "AP(scale='permille', norm='min')@mean"),
        ),
        deeper="AP@{k}",
        shallow=("AP@3",),
    ),
    "GMAP": Row(
        (
            *("GMAP", "GMAP(rel=2)", "GMAP@100", "GMAP@3", "GMAP(norm='min')@3", "GMAP(norm='found')"),
            "GMAP(scale='percentile')",
        ),
        deeper="GMAP@{k}",
        shallow=("GMAP@3",),
    ),
    "IPrec": Row(
        ("IPrec@0.0", "IPrec@0.3", "IPrec@1.0", "IPrec(rounding='plus_point_nine')@0.45", "IPrec(rel=2)@0.5"),
    ),
    "AvgIPrec": Row(("AvgIPrec", "AvgIPrec(rel=2)", "AvgIPrec(rounding='plus_point_nine')")),
    "RR": Row(("RR", "RR(rel=2)", "RR@2"), deeper="RR@{k}"),
    "Rprec": Row(("Rprec", "Rprec(rel=2)", "Rprec(mult=0.2)"), counted=False),  # those in the first R
    # an unjudged document below a relevant one is one more pair in the right order
    "AUC": Row(("AUC", "AUC(rel=2)", "AUC@4"), tail=False),
    "nDCG": Row(
        (
            *("nDCG", "nDCG@3", "nDCG(gain='exp')", "nDCG(gain='exp')@5", "nDCG(discount='natural')@4"),
            *("nDCG(discount='jk')@4", "nDCG(discount='jk', base=3)", "nDCG(discount='jk', base=2.5, gain='exp')@5"),
            *("nDCG(ideal='listed')", "nDCG(ideal='listed', discount='natural')@3", "nDCG(gain='binary')@5"),
            *("nDCG(ideal='whole')", "nDCG(ideal='retrieved')@4", "nDCG(ideal='retrieved', gain='binary')"),
            *("nDCG@size", "nDCG(gain='exp')@recall=0.5", "nDCG(short='zero')@3", "nDCG@median"),
            *("nDCG(scale='percentile')", "nDCG(gain='exp', scale='permille')@3", "nDCG(scale='permille')@mean"),
            *("nDCG(gains={1: 7, 2: 3.5, 3: 4, 12: 1})", "nDCG(gains={1: 7, 2: 3.5}, others='gain')"),
            *("nDCG(gains={3: 0}, others='gain')@4", "nDCG(gains={1: 2, 2: 0.5}, others='gain', ideal='listed')@3"),
        ),
    ),
    "DCG": Row(
        (
            *("DCG", "DCG@3", "DCG(gain='exp')@5", "DCG(gains={1: 7, 2: 3.5}, others='gain')"),
            *("DCG(discount='natural')", "DCG(discount='jk', base=3)@5", "DCG(gains={1: 7, 2: 3, 3: 4, 12: 0})@6"),
        ),
        deeper="DCG(gain='exp')@{k}",
    ),
    "IdealDCG": Row(
        (
            *("IdealDCG", "IdealDCG@3", "IdealDCG(gain='exp')@5", "IdealDCG(gains={1: 7}, others='gain')"),
            *("IdealDCG(discount='natural')", "IdealDCG(discount='jk', base=3)@5"),
        )
    ),
    "nDCGRel": Row(("nDCGRel", "nDCGRel(gain='exp')", "nDCGRel(gains={1: 7, 2: 3.5}, others='gain')")),
    "RnDCG": Row(
        ("RnDCG", "RnDCG(rel=2)", "RnDCG(gain='exp')", "RnDCG(gains={1: 7, 2: 3.5}, others='gain')"),
        tail=False,
    ),
    "G": Row(("G", "G(gain='exp')", "G(gains={1: 7, 2: 3.5}, others='gain')")),
    "BinG": Row(("BinG", "BinG(rel=2)")),
    "Q": Row(("Q", "Q(beta=0.3)", "Q(gain='exp')", "Q(gains={1: 7, 2: 3.5}, others='gain')")),
    "ERR": Row(("ERR", "ERR(gmax=12)", "ERR@3"), deeper="ERR@{k}", no_ideal="nobody stops for certain"),
    "nERR": Row(("nERR", "nERR(gmax=14)", "nERR@3")),
    "RBP": Row(
        ("RBP(p=0.8)", "RBP(p=0.5, rel=2)", "RBP(p=0.95, gmax=14)@3", "RBP(p=0.9, gmax='query')"),
        deeper="RBP(p=0.8)@{k}",
        no_ideal="a reader who goes on wants more",
    ),
    "RBPResidual": Row(("RBPResidual(p=0.8)", "RBPResidual(p=0.5)@3")),
    "SDCG": Row(("SDCG@3", "SDCG(gmin=1, gmax=14)@5", "SDCG(depth=4)@10"), no_ideal=A_DOCUMENT),
    "INST": Row(("INST", "INST(T=3)", "INST(T=0.25, gmin=1, gmax=14, depth=4)"), no_ideal=A_DOCUMENT),
    "INSQ": Row(("INSQ", "INSQ(T=0.1)", "INSQ(T=3, gmin=1, gmax=14, depth=4)"), no_ideal=A_DOCUMENT),
    "BPM": Row(
        ("BPM@3", "BPM(T=0.5)@100", "BPM(T=2, gmin=1, gmax=14, depth=4)@10"), no_ideal=A_DOCUMENT, falling=False
    ),
    "NERR8": Row(("NERR8@3", "NERR8(gmin=1, gmax=14)@5", "NERR8(depth=4)@10"), no_ideal=A_DOCUMENT),
    "NERR9": Row(("NERR9@3", "NERR9(gmin=1, gmax=14)@5", "NERR9(depth=4)@10"), no_ideal=A_DOCUMENT),
    "NERR10": Row(("NERR10", "NERR10(p=0.5)", "NERR10(gmin=1, gmax=14, depth=4)"), no_ideal=A_DOCUMENT),
    "NERR11": Row(("NERR11", "NERR11(T=0.1)", "NERR11(T=3, gmin=1, gmax=14, depth=4)"), no_ideal=A_DOCUMENT),
    "Compat": Row(("Compat", "Compat(p=0.5)", "Compat(p=0.9, normalize=False)"), tail=False),
    # of diversity: those over a greedy ideal have no bound, as it is not always the best; and those over the most that
    # k documents could have may fall with a deeper cutoff
    "alpha_nDCG": Row(
        ("alpha_nDCG", "alpha_nDCG@3", "alpha_nDCG(alpha=0.2, rel=2)@5", "alpha_nDCG(alpha=1)"), falling=False
    ),
    "alpha_DCG": Row(
        ("alpha_DCG@3", "alpha_DCG(alpha=0, rel=2)@100", "alpha_DCG(alpha=0.9)@1"), no_ideal=OTHER_ORDER, falling=False
    ),
    "ERR_IA": Row(
        ("ERR_IA@3", "ERR_IA(alpha=0.1, rel=2)@100", "ERR_IA(alpha=1.0)@2"), no_ideal=OTHER_ORDER, falling=False
    ),
    "nERR_IA": Row(("nERR_IA", "nERR_IA@3", "nERR_IA(alpha=0.3, rel=2)@5", "nERR_IA(alpha=0)@2"), falling=False),
    "NRBP": Row(
        ("NRBP", "NRBP(alpha=0.2, beta=0.8)", "NRBP(alpha=0, beta=0.95, rel=2)"), no_ideal=OTHER_ORDER, falling=False
    ),
    "nNRBP": Row(("nNRBP", "nNRBP(alpha=0.2, beta=0.8)", "nNRBP(alpha=1, beta=0.1, rel=2)"), falling=False),
    "AP_IA": Row(("AP_IA", "AP_IA(rel=2)"), no_ideal=OTHER_ORDER, falling=False),
    "P_IA": Row(("P_IA@1", "P_IA@5", "P_IA(rel=2)@3"), no_ideal=OTHER_ORDER),
    "StRecall": Row(
        ("StRecall@100", "StRecall@2", "StRecall(rel=2)@3"),
        deeper="StRecall@{k}",
        shallow=("StRecall@2",),
        falling=False,
    ),
    # of judgment groups and preferences
    "AP_JG": Row(("AP_JG", "AP_JG(rel=2)"), no_ideal=OTHER_ORDER, falling=False),
    "P_JG": Row(("P_JG@1", "P_JG@5", "P_JG(rel=2)@3"), no_ideal=OTHER_ORDER),
    "Rprec_JG": Row(
        ("Rprec_JG", "Rprec_JG(rel=2)", "Rprec_JG(mult=0.2)"), no_ideal=OTHER_ORDER, falling=False, counted=False
    ),
    "Prefs": Row(("Prefs", "Prefs(among='retrieved')", "Prefs(among='implied')"), no_ideal=OTHER_ORDER, counted=False),
    "PrefsPair": Row(
        ("PrefsPair", "PrefsPair(among='retrieved')", "PrefsPair(among='implied')"),
        no_ideal=OTHER_ORDER,
        counted=False,
    ),
    "PrefsJG": Row(
        ("PrefsJG", "PrefsJG(among='retrieved')", "PrefsJG(among='implied')"), no_ideal=OTHER_ORDER, counted=False
    ),
    "PrefsJGR": Row(("PrefsJGR", "PrefsJGR(among='retrieved')"), no_ideal=OTHER_ORDER, counted=False),
    "NumPrefs": Row(("NumPrefs", "NumPrefs(among='retrieved')", "NumPrefs(among='implied')"), counted=False),
    "NumPrefsFul": Row(("NumPrefsFul", "NumPrefsFul(among='retrieved')"), counted=False),
    "Bpref": Row(("Bpref", "Bpref(rel=2)")),
    "GMBpref": Row(("GMBpref", "GMBpref(rel=2)")),
    "infAP": Row(("infAP", "infAP(rel=2)")),
    "Judged": Row(("Judged", "Judged@3"), tail=False),
    "Unj": Row(("Unj@1", "Unj@5"), tail=False),
    "SetP": Row(("SetP", "SetP(rel=2)"), tail=False),
    "SetRelP": Row(("SetRelP", "SetRelP(rel=2)"), tail=False),
    "SetR": Row(("SetR", "SetR(rel=2)")),
    "SetAP": Row(("SetAP", "SetAP(rel=2)"), tail=False),
    "SetF": Row(("SetF", "SetF(beta=0.5)", "SetF(rel=2)"), tail=False),
    "Yaap": Row(("Yaap", "Yaap(rel=2)")),
    "Utility": Row(("Utility", "Utility(rel=2)", "Utility(a=2.5, b=-0.5, c=-1, d=0.25)"), tail=False),
    "MeanRank": Row(("MeanRank", "MeanRank(rel=2)@5", "MeanRank@mean", "MeanRank(scale='percentile')")),
    "MedianRank": Row(("MedianRank", "MedianRank(rel=2)@5", "MedianRank@size", "MedianRank(scale='permille')@4")),
    "MinRank": Row(("MinRank", "MinRank(rel=2)@5", "MinRank(scale='percentile')@1"), counted=False),  # on one
    "MaxRank": Row(("MaxRank", "MaxRank(rel=2)@5", "MaxRank(scale='percentile')@median"), counted=False),
    "IAP": Row(
        (
            *("IAP", "IAP(rel=2)@5", "IAP(norm='min')@3", "IAP(norm='found')@size", "IAP(scale='percentile')"),
            "IAP(scale='permille', norm='min')@recall=0.5",
        ),
    ),
    "PRAUC": Row(
        ("PRAUC", "PRAUC(rel=2)", "PRAUC(interpolated=True)", "PRAUC(scale='percentile', interpolated=True)"),
    ),
    "APIntervals": Row(
        (
            *("APIntervals", "APIntervals(rel=2, step=1, depth=7)", "APIntervals(step=2, depth=40)"),
            *("APIntervals(average='geometric')", "APIntervals(step=5, depth=20, average='geometric')"),
        ),
    ),
    "AUCIntervals": Row(
        ("AUCIntervals", "AUCIntervals(rel=2, step=1, depth=7)", "AUCIntervals(step=3, depth=30)"),
    ),
    # as coded elsewhere: on what they rest is counted as there
    "DunaiskiP": Row(
        (
            *("DunaiskiP@5", "DunaiskiP(rel=2)@mean", "DunaiskiP@recall=0.5", "DunaiskiP(scale='permille')@3"),
            *("DunaiskiP(scale='permille')@median", "DunaiskiP(scale='permille')@recall=0.5"),
        ),
        counted=False,
        no_ideal=DEFECTS,
    ),
    "DunaiskiR": Row(
        ("DunaiskiR@5", "DunaiskiR(rel=2)@mean", "DunaiskiR(scale='permille')@3", "DunaiskiR(scale='permille')@size"),
        counted=False,
        no_ideal=DEFECTS,
    ),
    "DunaiskiAP": Row(
        (
            *("DunaiskiAP", "DunaiskiAP(rel=2)@5", "DunaiskiAP@median", "DunaiskiAP(scale='permille')"),
            *("DunaiskiAP(scale='permille')@4", "DunaiskiAP(scale='permille')@mean"),
        ),
        counted=False,
    ),
    "DunaiskiNDCG": Row(
        (
            *("DunaiskiNDCG", "DunaiskiNDCG(rel=2)@5", "DunaiskiNDCG@median", "DunaiskiNDCG@recall=0.5"),
            *("DunaiskiNDCG(scale='permille')", "DunaiskiNDCG(scale='permille')@4"),
        ),
        counted=False,
    ),
    "DunaiskiIAP": Row(("DunaiskiIAP", "DunaiskiIAP(rel=2)", "DunaiskiIAP(scale='permille')"), counted=False),
    "DunaiskiPRAUC": Row(
        (
            *("DunaiskiPRAUC", "DunaiskiPRAUC(rel=2, interpolated=True)", "DunaiskiPRAUC(scale='permille')"),
            "DunaiskiPRAUC(scale='permille', interpolated=True)",
        ),
        counted=False,
        no_ideal=DEFECTS,
        falling=False,
    ),
    "DunaiskiAUC": Row(
        ("DunaiskiAUC", "DunaiskiAUC(rel=2)@5", "DunaiskiAUC@mean", "DunaiskiAUC(scale='permille')"),
        counted=False,
        falling=False,
    ),
    "DunaiskiAPIntervals": Row(
        (
            *("DunaiskiAPIntervals", "DunaiskiAPIntervals(rel=2, step=2, depth=40)"),
            "DunaiskiAPIntervals(average='geometric')",
        ),
        counted=False,
    ),
    "DunaiskiAUCIntervals": Row(
        ("DunaiskiAUCIntervals", "DunaiskiAUCIntervals(rel=2, step=2, depth=40)"), counted=False
    ),
    "NumRet": Row(("NumRet",), tail=False),
    "NumRel": Row(("NumRel", "NumRel(rel=2)")),
    "NumRelRet": Row(("NumRelRet", "NumRelRet(rel=2)")),
    "NumNonrelRet": Row(("NumNonrelRet", "NumNonrelRet(rel=2)")),
}

#: All forms of all measures.
FORMS = [rs.parse_measure(form) for row in TABLE.values() for form in row.forms]
