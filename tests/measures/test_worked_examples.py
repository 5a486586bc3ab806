"""Worked examples: every measure computed by hand from its definition."""

from __future__ import annotations

from dataclasses import replace
from math import exp, floor, log, log2

import pytest
from hypothesis import given, settings
from strategies import Case, as_lists, cases, ranked

import rankscope as rs
from rankscope.measures import MEASURES
from rankscope.measures.names import trec_name

#: What the tests see of the table, before any test adds to it.
ALL = dict(MEASURES)

#: The list of many textbooks and blogs: relevant at ranks 1, 4, 5, 6, 9, 10.
TEXTBOOK = [1, 0, 0, 1, 1, 1, 0, 0, 1, 1]
e = 0.00001  # trec_eval's smoothing of infAP


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = (), **options: object) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure, **options).overall(measure)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 1),
        (2, 1 / 2),
        (3, 1 / 3),
        (4, 2 / 4),
        (5, 3 / 5),
        (6, 4 / 6),
        (7, 4 / 7),
        (8, 4 / 8),
        (9, 5 / 9),
        (10, 6 / 10),
    ],
)
def test_precision_of_the_textbook_list_at_every_rank(k: int, expected: float) -> None:
    assert value(f"P@{k}", TEXTBOOK) == expected


# measure, relevance down the list (None: not judged), relevance of judged documents that were not retrieved, value
EXAMPLES = [
    # P, R, Success: trec_eval P_k, recall_k, success_k
    ("P@20", TEXTBOOK, (), 6 / 20),  # a short list counts as filled up
    ("P@5", [None, 1, -1, 1, 0], (1,), 2 / 5),
    ("P(rel=2)@4", [2, 1, 3, 0], (), 2 / 4),
    ("R@4", TEXTBOOK, (1, 1), 2 / 8),
    ("R@1000", TEXTBOOK, (1, 1), 6 / 8),
    ("R(rel=2)@2", [1, 2, 3], (2, 1), 1 / 3),
    ("Success@1", [0, 1], (), 0.0),
    ("Success@2", [0, 1], (), 1.0),
    ("Success@5", [0, None], (1,), 0.0),
    # AP: sum of i / r_i over R (Buckley and Voorhees 2000)
    ("AP", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6),
    ("AP", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 8),
    ("AP@5", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5) / 6),  # still over all R, as trec_eval's map_cut
    ("AP(rel=2)", [1, 2, None, 3], (), (1 / 2 + 2 / 4) / 2),
    ("AP", [0, 0], (1,), 0.0),
    # relative_P: P@k over the best there could be, min(R, k) / k
    ("RelP@5", TEXTBOOK, (), (3 / 5) / (5 / 5)),
    ("RelP@20", TEXTBOOK, (1, 1), (6 / 20) / (8 / 20)),
    ("RelP(rel=2)@3", [1, 2, 0, 2], (2,), (1 / 3) / (3 / 3)),
    # GMAP: AP, put together as exp(mean log max(AP, .00001)) (Robertson 2006); of one query AP itself
    ("GMAP", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 8),
    ("GMAP@5", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5) / 6),
    ("GMAP", [0, 0], (1,), 0.00001),
    # iprec_at_recall: highest precision from where floor(x R + .5) are seen; R = 8, so 0, 4, 6 and 7 of them
    ("IPrec@0.0", TEXTBOOK, (1, 1), 1 / 1),
    ("IPrec@0.5", TEXTBOOK, (1, 1), max(4 / 6, 5 / 9, 6 / 10)),
    ("IPrec@0.8", TEXTBOOK, (1, 1), 6 / 10),
    ("IPrec@0.9", TEXTBOOK, (1, 1), 0.0),
    ("IPrec(rel=2)@1.0", [1, 2, None, 3], (), 2 / 4),
    # R = 4: floor(1.2 + .5) = 1 seen; in version 9 floor(1.2 + .9) = 2
    ("IPrec@0.3", [1, 0, 0, 1, 1, 1], (), 1 / 1),
    ("IPrec(rounding='plus_point_nine')@0.3", [1, 0, 0, 1, 1, 1], (), max(2 / 4, 3 / 5, 4 / 6)),
    # 11pt_avg; R = 4: 0, 0, 1, 1 seen at recall 0 to .3, 2 at .4 to .6, 3 and more (never) from .7 on
    ("AvgIPrec", [1, 0, 1, 0], (1, 1), (4 * (1 / 1) + 3 * (2 / 3) + 4 * 0) / 11),
    # floor(4 x + .9): 0, 1, 1 seen up to .2; 2 at .3 to .5; 3 and more from .6 on
    ("AvgIPrec(rounding='plus_point_nine')", [1, 0, 1, 0], (1, 1), (3 * (1 / 1) + 3 * (2 / 3) + 5 * 0) / 11),
    # RR: 1 / r_1
    ("RR", [0, None, 1, 1], (), 1 / 3),
    ("RR@2", [0, None, 1, 1], (), 0.0),
    ("RR@3", [0, None, 1, 1], (), 1 / 3),
    ("RR(rel=2)", [1, 2], (), 1 / 2),
    # Rprec: R = 6, four of them in the first six; with two more not retrieved R = 8, still four in the first eight
    ("Rprec", TEXTBOOK, (), 4 / 6),
    ("Rprec", TEXTBOOK, (1, 1), 4 / 8),
    # Rprec_mult: in the first floor(x R + .9); R = 6, so 2 and 12
    ("Rprec(mult=0.2)", TEXTBOOK, (), 1 / 2),
    ("Rprec(mult=2.0)", TEXTBOOK, (), 6 / 12),
    # DCG and nDCG: gain / log2(rank + 1) (Järvelin and Kekäläinen 2002, as trec_eval has it)
    ("DCG", [3, 2, 0, None, 1], (2,), 3 / log2(2) + 2 / log2(3) + 1 / log2(6)),
    ("DCG@2", [3, 2, 0, None, 1], (2,), 3 / log2(2) + 2 / log2(3)),
    ("DCG(gain='exp')", [3, 2, -1, 1], (), 7 / log2(2) + 3 / log2(3) + 1 / log2(5)),
    (
        "nDCG",
        [3, 2, 0, None, 1],
        (2,),
        (3 / log2(2) + 2 / log2(3) + 1 / log2(6)) / (3 / log2(2) + 2 / log2(3) + 2 / log2(4) + 1 / log2(5)),
    ),
    ("nDCG@2", [0, 3, 2], (2,), (3 / log2(3)) / (3 / log2(2) + 2 / log2(3))),  # the ideal is cut as well
    ("nDCG@3", [1, 0, 1], (), (1 / log2(2) + 1 / log2(4)) / (1 / log2(2) + 1 / log2(3))),
    # exponential gain 2^g - 1 (Burges et al. 2005)
    ("nDCG(gain='exp')@3", [2, 3, 0], (1,), (3 / log2(2) + 7 / log2(3)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))),
    ("nDCG", [-1, 2], (-2,), (2 / log2(3)) / (2 / log2(2))),  # negative grades gain nothing, here and in the ideal
    # gains given: what trec_eval's ndcg.1=3,2=7 asks for
    (
        "nDCG(gains={1: 3, 2: 7})",
        [2, 1, 0, None, 1],
        (2,),
        (7 / log2(2) + 3 / log2(3) + 3 / log2(6)) / (7 / log2(2) + 7 / log2(3) + 3 / log2(4) + 3 / log2(5)),
    ),
    # the ideal puts the highest gain first, not the highest grade; other grades gain themselves
    ("nDCG(gains={1: 5, 2: 1})", [2, 1], (), (1 / log2(2) + 5 / log2(3)) / (5 / log2(2) + 1 / log2(3))),
    ("nDCG(gains={1: 5})@2", [4, 1, 1], (), (4 / log2(2) + 5 / log2(3)) / (5 / log2(2) + 5 / log2(3))),
    # given gains are used as given, of 0 and of negative grades too
    ("DCG(gains={0: 0.5, -1: 2})", [0, -1, 1], (), 0.5 / log2(2) + 2 / log2(3) + 1 / log2(4)),
    # ideal_dcg: all judged documents that gain something, best first
    ("IdealDCG", [0, 1, None, -1], (3,), 3 / log2(2) + 1 / log2(3)),
    ("IdealDCG@1", [0, 1], (3,), 3 / log2(2)),
    ("IdealDCG(gain='exp')", [0, 1], (3,), 7 / log2(2) + 1 / log2(3)),
    # ndcg_rel: nDCG where each document with gain stands (ranks 2 and 4), of the whole list for the one not retrieved
    (
        "nDCGRel",
        [0, 1, None, 2, None],
        (2,),
        (
            (1 / log2(3)) / (2 / log2(2) + 2 / log2(3))
            + 2 * (1 / log2(3) + 2 / log2(5)) / (2 / log2(2) + 2 / log2(3) + 1 / log2(4))
        )
        / 3,
    ),
    # Rndcg: the ideal gain changes behind ranks 2 and 3 (2, 2, 1, 0); a list of five adds the whole nDCG
    (
        "RnDCG",
        [0, 1, None, 2],
        (2,),
        ((1 / log2(3)) / (2 / log2(2) + 2 / log2(3)) + (1 / log2(3)) / (2 / log2(2) + 2 / log2(3) + 1 / log2(4))) / 2,
    ),
    (
        "RnDCG",
        [0, 1, None, 2, None],
        (2,),
        (
            (1 / log2(3)) / (2 / log2(2) + 2 / log2(3))
            + (1 / log2(3)) / (2 / log2(2) + 2 / log2(3) + 1 / log2(4))
            + (1 / log2(3) + 2 / log2(5)) / (2 / log2(2) + 2 / log2(3) + 1 / log2(4))
        )
        / 3,
    ),
    ("RnDCG(rel=4)", [3, 2], (), 0.0),  # nothing reaches that level
    # G: gain / log2(2 + C - S) over the ideal gain; ideal 3, 2, 1: C = 5 and 6, S = 2 and 3 at ranks 2 and 3
    ("G", [0, 2, 1], (3,), (2 / log2(2 + 5 - 2) + 1 / log2(2 + 6 - 3)) / (3 + 2 + 1)),
    ("G", [None, 0, 0, 1], (), 1 / log2(2 + 4 - 1) / 1),  # each rank beyond the ideal adds 1 to C
    ("G(gains={1: 3})", [0, 1], (), 3 / log2(2 + (3 + 1) - 3) / 3),
    # binG: 1 / log2(2 + documents above that are not relevant), over R
    ("BinG", [0, 1, 1, None, 1], (1,), (1 / log2(2 + 1) + 1 / log2(2 + 1) + 1 / log2(2 + 2)) / 4),
    # ERR: S = (2^g - 1) / 2^gmax; sum of 1/r S_r prod (1 - S_i) (Chapelle et al. 2009, algorithm 2)
    (
        "ERR(gmax=4)",
        [3, 2, 4],
        (),
        7 / 16 + 1 / 2 * (9 / 16) * (3 / 16) + 1 / 3 * (9 / 16) * (13 / 16) * (15 / 16),
    ),
    ("ERR(gmax=4)@2", [3, 2, 4], (), 7 / 16 + 1 / 2 * (9 / 16) * (3 / 16)),
    ("ERR", [1, None, -1, 2], (3,), 1 / 8 + 1 / 4 * (7 / 8) * (3 / 8)),  # gmax: 3, the highest judged
    ("ERR", [0, 1], (), 1 / 2 * (1 / 2)),
    # RBP: (1 - p) sum of g p^(rank - 1) (Moffat and Zobel 2008, eq. 4)
    ("RBP(p=0.5, rel=1)", [1, 0, 1], (), (1 - 0.5) * (1 + 0.5**2)),
    ("RBP(p=0.8, rel=2)", [1, 2, None, 3], (), (1 - 0.8) * (0.8**1 + 0.8**3)),
    ("RBP(p=0.8)", [1, 2, None, 4], (), (1 - 0.8) * (1 / 4 + 2 / 4 * 0.8 + 0.8**3)),
    ("RBP(p=0.8)@2", [1, 2, None, 4], (), (1 - 0.8) * (1 / 4 + 2 / 4 * 0.8)),
    ("RBP(p=0.5, gmax=8)", [-2, 4], (), (1 - 0.5) * (4 / 8 * 0.5)),
    ("RBP(p=0.5, gmax='query')", [1, None, 4], (2,), (1 - 0.5) * (1 / 4 + 4 / 4 * 0.5**2)),
    # its residual: the unjudged documents' shares and p^n for what follows (section 4.2)
    ("RBPResidual(p=0.8)", [1, None, 0, -1], (), 0.8**4 + (1 - 0.8) * (0.8**1 + 0.8**3)),
    ("RBPResidual(p=0.8)@2", [1, None, 0, -1], (), 0.8**2 + (1 - 0.8) * 0.8**1),
    ("RBPResidual(p=0.8)@10", [1, None], (), 0.8**2 + (1 - 0.8) * 0.8**1),
    ("RBPResidual(p=0.5)", [0, 1], (), 0.5**2),
    # bpref: 1 - min(n, R) / min(N, R) over R (Buckley and Voorhees 2004, as trec_eval has it); here R = 4, N = 3
    ("Bpref", [1, 0, 1, None, 0, 0, 1], (1,), ((1 - 0) + (1 - 1 / 3) + (1 - 3 / 3)) / 4),
    # R = 2 < N = 4: more than R non-relevant ones above change nothing
    ("Bpref", [0, 1, 0, 0, 0, 1], (), ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    ("Bpref", [None, 1, -1, 1], (), (1 + 1) / 2),  # nothing judged not relevant
    ("Bpref(rel=2)", [1, 2, 0, 2], (), ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    # gm_bpref: of one query bpref itself
    ("GMBpref", [1, 0, 1, None, 0, 0, 1], (1,), ((1 - 0) + (1 - 1 / 3) + (1 - 3 / 3)) / 4),
    ("GMBpref", [0, 0, 1, 1], (), 0.00001),
    # infAP: 1/(j+1) + j/(j+1) * pooled/j * (r+e)/(r+n+2e) at 0-based rank j (Yilmaz and Aslam 2006, as in trec_eval)
    (
        "infAP",
        [1, 0, -1, 1, None, 1],
        (),
        (
            1
            + (1 / 4 + 3 / 4 * (3 / 3) * (1 + e) / (1 + 1 + 2 * e))
            + (1 / 6 + 5 / 6 * (4 / 5) * (2 + e) / (2 + 1 + 2 * e))
        )
        / 3,
    ),
    ("infAP", [None, 1], (), 1 / 2 + 1 / 2 * 0),  # nothing pooled above
    # Judged: of the documents that are there
    ("Judged", [1, 0, None, -1], (), 2 / 4),
    ("Judged@3", [1, 0, None, -1], (), 2 / 3),
    ("Judged@10", [1, 0, None, -1], (), 2 / 4),
    # unj: of k, also where fewer are there
    ("Unj@3", [1, None, -1, 0], (), 2 / 3),
    ("Unj@10", [1, None, -1, 0], (), 2 / 10),
    # the retrieved set
    ("SetP", TEXTBOOK, (1, 1), 6 / 10),
    ("SetR", TEXTBOOK, (1, 1), 6 / 8),
    ("SetF", TEXTBOOK, (1, 1), 2 * (6 / 10) * (6 / 8) / (6 / 10 + 6 / 8)),
    ("SetF(beta=0.5)", TEXTBOOK, (1, 1), 1.5 * (6 / 10) * (6 / 8) / (6 / 8 + 0.5 * (6 / 10))),
    ("SetF(beta=2)", TEXTBOOK, (1, 1), 3 * (6 / 10) * (6 / 8) / (6 / 8 + 2 * (6 / 10))),
    ("SetF", [0, None], (1,), 0.0),
    ("SetRelP", TEXTBOOK, (1, 1), 6 / min(8, 10)),
    ("SetRelP", [1, 0, None], (1, 1, 1), 1 / min(4, 3)),
    ("SetAP", TEXTBOOK, (1, 1), 6**2 / (10 * 8)),
    # yaap: ln((1 + s) / (1 + R - s)), s = sum of i / r_i
    ("Yaap", [1, 0, 1], (1,), log((1 + (1 / 1 + 2 / 3)) / (1 + 3 - (1 / 1 + 2 / 3)))),
    ("Yaap", [0], (1, 1), -log(1 + 2)),
    # utility: a * relevant retrieved + b * others retrieved + c * relevant missed
    ("Utility", [1, 2, 0], (1,), 2 - 1),
    ("Utility(a=2, b=-0.5, c=-3)", [1, 0, None, 2], (1,), 2 * 2 - 0.5 * 2 - 3 * 1),
    # counts
    ("NumRet", [1, None, -1, 0], (1,), 4),
    ("NumRel", [1, None, -1, 2], (1, 0, -1), 3),
    ("NumRel(rel=2)", [1, None, -1, 2], (1, 0, -1), 1),
    ("NumRelRet", [1, None, -1, 2], (1,), 2),
    ("NumNonrelRet", [1, None, -1, 0], (0,), 1),
    ("NumNonrelRet(rel=2)", [1, None, -1, 0, 2], (), 2),
    # C/W/L: the gains weighted by how likely each rank is reached, over the sum of it; gains 1, 0, .5 of grades 2, -, 1
    ("SDCG@3", [2, None, 1, 2], (), (1 / log2(2) + 0.5 / log2(4)) / (1 / log2(2) + 1 / log2(3) + 1 / log2(4))),
    ("SDCG@2", [1], (4,), (1 / 4 / log2(2)) / (1 / log2(2) + 1 / log2(3))),  # a short list is filled up
    ("SDCG(gmin=1, gmax=5)@2", [4, 1], (), ((4 - 1) / (5 - 1) / log2(2)) / (1 / log2(2) + 1 / log2(3))),
    ("SDCG(depth=2)@3", [0, 1, 1], (), (1 / log2(3)) / (1 / log2(2) + 1 / log2(3))),
    # INST, T = 1: after the first gain T_i = 0, so C = (1/2)^2, (2/3)^2
    ("INST(depth=3)", [2, None, 1], (), (1 + 0.5 * (1 / 2) ** 2 * (2 / 3) ** 2) / (1 + 1 / 4 + 1 / 9)),
    # T = 2: T_i = 1, 1/2, so C = (3/4)^2, (3.5/4.5)^2
    (
        "INST(T=2.0, depth=3)",
        [2, 1, 1],
        (),
        (1 + 0.5 * (3 / 4) ** 2 + 0.5 * (3 / 4 * 3.5 / 4.5) ** 2) / (1 + (3 / 4) ** 2 + (3 / 4 * 3.5 / 4.5) ** 2),
    ),
    ("INSQ(depth=3)", [0, 2, 1], (), (1 / 3**2 + 0.5 / 4**2) / (1 / 2**2 + 1 / 3**2 + 1 / 4**2)),
    ("INSQ(T=2.5, depth=2)", [1, 2], (), (0.5 / 5**2 + 1 / 6**2) / (1 / 5**2 + 1 / 6**2)),
    # BPM: the mean gain down to where it comes to T
    ("BPM@10", [1, None, 1, 2], (), (0.5 + 0 + 0.5) / 3),
    ("BPM@2", [1, None, 1, 2], (), (0.5 + 0) / 2),
    ("BPM(T=1.5)@10", [1, None, 1, 2], (), (0.5 + 0 + 0.5 + 1) / 4),
    # NERR: a grade of 2 of 2 stops everybody, one of 1 every second reader
    ("NERR8@3", [1, 2, 2], (), (0.5 + 0.5 * 1) / (1 + 0.5)),
    ("NERR8@2", [None, 1, 2], (), (0 + 0.5) / (1 + 1)),
    ("NERR9@3", [1, None, 1], (2,), (0.5 + 1 / 2 * 0.5 * 2 / 3 * 0.5) / (1 + 1 / 2 * 0.5 + 1 / 2 * 0.5 * 2 / 3)),
    ("NERR10", [1, 2], (), (0.5 + 0.9 * 0.5) / (1 + 0.9 * 0.5)),
    ("NERR10(p=0.5, depth=3)", [None, 1, 1], (2,), (0.5 * 0.5 + 0.5**3 * 0.5) / (1 + 0.5 + 0.5**3)),
    ("NERR11", [1, 2], (), (0.5 + (2 / 3) ** 2 * 0.5) / (1 + (2 / 3) ** 2 * 0.5)),
    ("NERR11(T=2.0)", [1, 2], (), (0.5 + (4 / 5) ** 2 * 0.5) / (1 + (4 / 5) ** 2 * 0.5)),
    # Compat: the overlap at each depth, weighted by p^(depth - 1); the ideal: the third, the first
    ("Compat(p=0.5, normalize=False)", [1, None, 2], (), (0.5 * 1 / 2 + 0.5**2 * 2 / 3) / (1 + 0.5 + 0.5**2)),
    ("Compat(p=0.5)", [1, None, 2], (), (0.5 * 1 / 2 + 0.5**2 * 2 / 3) / (1 + 0.5 + 0.5**2 * 2 / 3)),
    # the ideal: the first, the third (as they are listed), the one that is not; as long as the list
    ("Compat", [1, 0, 1], (1,), (1 + 0.95 * 1 / 2 + 0.95**2 * 2 / 3) / (1 + 0.95 + 0.95**2)),
    # Q: (count + beta cg) / (rank + beta cg*) (Sakai 2007); ideal gains 3, 3 + 1 (and 3 + 2, 3 + 2 + 1 with a 2 missed)
    ("Q", [1, None, 3], (), ((1 + 1) / (1 + 3) + (2 + 4) / (3 + 4)) / 2),
    ("Q", [1, None, 3], (2, 0), ((1 + 1) / (1 + 3) + (2 + 4) / (3 + 6)) / 3),
    ("Q(beta=10)", [1, None, 3], (2,), ((1 + 10 * 1) / (1 + 10 * 3) + (2 + 10 * 4) / (3 + 10 * 6)) / 3),
    ("Q(gain='exp')", [1, 3], (), ((1 + 1) / (1 + 7) + (2 + 8) / (2 + 8)) / 2),
    ("Q(beta=0)", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 8),  # average precision
]


@pytest.mark.parametrize(("measure", "relevance", "missed", "expected"), EXAMPLES)
def test_a_worked_example(measure: str, relevance: list[int | None], missed: tuple[int, ...], expected: float) -> None:
    assert value(measure, relevance, missed) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_every_measure_has_a_worked_example_that_is_not_zero() -> None:
    assert {rs.parse_measure(name).name for name, *_, expected in EXAMPLES if expected} == set(ALL)


def test_rel_of_the_evaluation_counts_where_the_measure_says_nothing() -> None:
    assert value("AP", [1, 2], (), rel=2) == value("AP(rel=2)", [1, 2]) == 1 / 2
    assert value("AP(rel=1)", [1, 2], (), rel=2) == 1
    assert value("nDCG", [1, 2], (), rel=2) == value("nDCG", [1, 2])  # gains do not ask what counts as relevant
    assert value("Rprec", [1, 2], (), rel=2) == 0


def test_the_geometric_mean_takes_values_below_a_hundred_thousandth_as_that() -> None:
    """gm_map: exp(mean log(max(AP, .00001))) (Robertson 2006, as trec_eval has it)."""
    case = (
        {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1, "x": 0}},
        {
            "q1": {"a": 1.0},
            "q2": {"x": 2.0, "a": 1.0},
            "q3": {"x": 1.0},
        },
    )
    scores = rs.evaluate(*case, ["GMAP", "GMBpref", "AP"])
    assert scores.matrix("GMAP")[0].tolist() == scores.matrix("AP")[0].tolist() == [1 / 2, 1 / 2, 0]
    assert scores.overall("GMAP") == pytest.approx(exp((log(1 / 2) + log(1 / 2) + log(0.00001)) / 3), rel=1e-14)
    # bpref: 1 of 2 retrieved; 1 of 1; none
    assert scores.overall("GMBpref") == pytest.approx(exp((log(1 / 2) + log(1) + log(0.00001)) / 3), rel=1e-14)


class TestTheRestOfTheCollection:
    """Utility's d counts what was neither retrieved nor relevant."""

    def test_is_what_the_size_of_the_collection_leaves(self) -> None:
        hits = rs.hits_of(*as_lists([1, 0, None], (1, 1)))
        in_100 = replace(hits, collection_size=100)
        # 3 retrieved, 1 of them relevant; 2 relevant missed; 100 - 3 - 2 others missed
        expected = 1 * 1 - 1 * 2 + 0 * 2 + 0.25 * (100 - 3 - 2)
        assert rs.parse_measure("Utility(d=0.25)")(in_100).tolist() == [expected]
        assert rs.parse_measure("utility.1,-1,0,0.25")(in_100).tolist() == [expected]

    def test_cannot_be_known_without_that_size(self) -> None:
        with pytest.raises(rs.ParameterError, match="Utility: d needs the number of documents in the collection"):
            value("Utility(d=0.25)", [1, 0])
        assert value("Utility(d=0)", [1, 0]) == 0


@pytest.mark.parametrize(
    "measure", ["nDCG", "DCG", "IdealDCG", "G", "nDCGRel", "RnDCG", "IPrec@0.5", "AvgIPrec", "BinG", "Yaap", "SetRelP"]
)
def test_without_relevant_documents_or_any_at_all_the_value_is_0(measure: str) -> None:
    assert value(measure, [0, None, -1], (0,)) == 0
    assert value(measure, [], (0,)) == 0


@pytest.mark.parametrize("recall", [0.0, 0.5, 1.0])
def test_of_an_empty_list_interpolated_precision_is_0_and_not_nan(recall: float) -> None:
    assert value(f"IPrec@{recall}", [], (1, 1)) == 0
    assert value("AvgIPrec", [], (1, 1)) == 0


def test_recalls_are_decimals_and_not_multiples_of_a_tenth() -> None:
    """.7 * 45 + .5 is a little below 32 in float64, .1 * 7 * 45 + .5 is not: 31 relevant documents are enough."""
    assert int(0.7 * 45 + 0.5) == 31 < int(0.1 * 7 * 45 + 0.5) == 32
    case = as_lists([1] * 31, (1,) * 14)
    assert rs.evaluate(*case, "IPrec@0.7").values.item() == 1
    assert rs.evaluate(*case, "AvgIPrec").values.item() == 8 / 11


class TestHighestGrade:
    def test_is_that_of_the_whole_qrels_also_of_other_queries(self) -> None:
        qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
        scores = rs.evaluate(qrels, {"q1": {"a": 1.0}}, ["ERR", "RBP(p=0.5)"])
        assert scores.matrix("ERR")[0].tolist() == [1 / 8, 0.0]
        assert scores.matrix("RBP(p=0.5)")[0].tolist() == [(1 - 0.5) * 1 / 3, 0.0]
        assert "gmax:3" in scores.signature("ERR")
        assert "gmax:3" in scores.signature("RBP(p=0.5)")

    def test_of_each_query_is_asked_for_by_its_name(self) -> None:
        """As rbp of trec_eval 10: q1's highest grade is 1, q2's is 4, q3 has none above 0."""
        qrels = {"q1": {"a": 1}, "q2": {"b": 2, "c": 4}, "q3": {"d": 0, "e": -1}}
        run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"d": 1.0}}
        scores = rs.evaluate(qrels, run, "RBP(p=0.5, gmax='query')")
        assert scores.values[0, 0].tolist() == [(1 - 0.5) * 1 / 1, (1 - 0.5) * 2 / 4, 0]
        assert "gmax:query" in scores.signature()
        assert trec_name(rs.parse_measure("RBP(p=0.9, gmax='query')")) == "rbp"

    @pytest.mark.parametrize("measure", ["ERR(gmax=2)", "RBP(p=0.5, gmax=2)"])
    def test_below_a_judged_grade_is_refused(self, measure: str) -> None:
        with pytest.raises(rs.ParameterError, match=r"gmax is 2, but a document is judged 3; expected at least 3"):
            value(measure, [3])

    def test_may_be_given_higher(self) -> None:
        assert value("ERR(gmax=5)", [3]) == 7 / 32
        assert value("RBP(p=0.5, gmax=6)", [3]) == pytest.approx(0.5 * 3 / 6)

    def test_of_qrels_without_anything_relevant_gives_0(self) -> None:
        assert value("ERR", [0, -1]) == 0
        assert value("RBP(p=0.5)", [0, -1]) == 0

    @pytest.mark.parametrize("grade", [1000, 1030, 5000])
    def test_may_be_so_large_that_its_power_of_2_is_no_float64(self, grade: int) -> None:
        # (2^g - 1) / 2^g is 1 to the last digit. The gain 2^g - 1 itself has no float64 above g = 1023.
        assert value("ERR", [grade]) == 1.0
        assert value("nDCG", [grade, 1]) == 1.0

    def test_of_only_very_negative_grades_gives_0(self) -> None:
        assert value("ERR", [-5000]) == 0


@settings(max_examples=150)
@given(case=cases())
def test_rbp_and_its_residual_bound_what_any_judgment_of_the_unjudged_would_give(case: Case) -> None:
    """Moffat and Zobel (2008), section 4.2: judged as relevant as can be, the unjudged raise RBP by exactly the
    residual within the list, and at most by all of it."""
    names = ["RBP(p=0.8, rel=1)", "RBPResidual(p=0.8)"]
    scores = rs.evaluate(case.qrels, case.run, names)
    judged = {
        q: {**docs, **{d: 1 for d in case.run.get(q, {}) if docs.get(d, -1) < 0}} for q, docs in case.qrels.items()
    }
    best = rs.evaluate(judged, case.run, names[:1])
    low, residual = (scores.matrix(name)[0] for name in names)
    high = best.matrix(names[0])[0]
    for i, query in enumerate(scores.query_ids):
        after_the_end = 0.8 ** len(case.run.get(query, {}))
        assert high[i] == pytest.approx(low[i] + residual[i] - after_the_end, abs=1e-12)
        assert low[i] + residual[i] <= 1 + 1e-12


def loop(name: str, grades: list[int | None], judged: list[int], gmax: int) -> float:
    """The measures that pytrec_eval does not know, as loops down the list. grades: None for unjudged."""
    p = 0.8
    if name == "ERR":
        total, trust = 0.0, 1.0
        for rank, grade in enumerate(grades, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**gmax
            total += trust * stop / rank
            trust *= 1 - stop
        return total
    if name == "RBP(p=0.8)":
        return (1 - p) * sum(max(g or 0, 0) / max(gmax, 1) * p ** (r - 1) for r, g in enumerate(grades, 1))
    if name == "RBPResidual(p=0.8)":
        unjudged = sum(p ** (r - 1) for r, g in enumerate(grades, 1) if g is None or g < 0)
        return p ** len(grades) + (1 - p) * unjudged
    if name == "Judged":
        return sum(g is not None and g >= 0 for g in grades) / len(grades) if grades else 0.0
    if name == "Unj@3":
        return sum(g is None or g < 0 for g in grades[:3]) / 3
    if name == "Yaap":
        s, seen = 0.0, 0
        for rank, grade in enumerate(grades, 1):
            if (grade or 0) >= 1:
                seen += 1
                s += seen / rank
        return log((1 + s) / (1 + sum(g >= 1 for g in judged) - s))
    if name == "IPrec@0.4":
        seen = [sum((g or 0) >= 1 for g in grades[:rank]) for rank in range(1, len(grades) + 1)]
        needed = floor(0.4 * sum(g >= 1 for g in judged) + 0.5)
        return max((n / rank for rank, n in enumerate(seen, 1) if n >= needed), default=0.0)
    power = "exp" in name
    gain = [(2 ** max(g or 0, 0) - 1 if power else max(g or 0, 0)) for g in grades]
    dcg = sum(g / log2(r + 1) for r, g in enumerate(gain, 1))
    if name.startswith("DCG"):
        return dcg
    if "gains" in name:
        table = {1: 7, 2: 3}
        dcg = sum(table.get(g or 0, max(g or 0, 0)) / log2(r + 1) for r, g in enumerate(grades, 1))
        best = sorted((table.get(g, max(g, 0)) for g in judged), reverse=True)
        return dcg / ideal if (ideal := sum(g / log2(r + 1) for r, g in enumerate(best, 1))) else 0.0
    best = sorted((2 ** max(g, 0) - 1 if power else max(g, 0) for g in judged), reverse=True)
    ideal = sum(g / log2(r + 1) for r, g in enumerate(best, 1))
    if name == "IdealDCG":
        return ideal
    return dcg / ideal if ideal else 0.0


LOOPS = [
    *("ERR", "RBP(p=0.8)", "RBPResidual(p=0.8)", "Judged", "DCG", "DCG(gain='exp')", "nDCG(gain='exp')"),
    *("IdealDCG", "nDCG(gains={1: 7, 2: 3})", "Unj@3", "Yaap", "IPrec@0.4"),
]


@settings(max_examples=250)
@given(case=cases())
def test_measures_that_pytrec_eval_does_not_know_agree_with_a_loop_down_the_list(case: Case) -> None:
    gmax = max(g for docs in case.qrels.values() for g in docs.values())
    scores = rs.evaluate(case.qrels, case.run, LOOPS)
    for i, query in enumerate(scores.query_ids):
        docs = case.qrels[query]
        grades = [docs.get(d) for d in ranked(case.run.get(query, {}))]
        for name in LOOPS:
            expected = loop(name, grades, list(docs.values()), max(gmax, 0))
            assert scores.matrix(name)[0, i] == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, query)


@pytest.mark.parametrize(
    "measure",
    [
        *("nDCG(gain='exp')", "DCG(gain='exp')@5", "IdealDCG(gain='exp')"),
        *("G(gain='exp')", "nDCGRel(gain='exp')", "RnDCG(gain='exp')"),
    ],
)
def test_an_exponential_gain_beyond_float64_is_refused(measure: str) -> None:
    assert value("nDCG(gain='exp')", [900]) == 1.0
    assert value(measure, [900]) > 0
    with pytest.raises(rs.ParameterError, match=r"judged 901, and 2\^901 is beyond float64; expected grades up to 900"):
        value(measure, [901])
