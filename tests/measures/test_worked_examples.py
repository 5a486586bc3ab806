"""Worked examples: every measure computed by hand from its definition."""

from __future__ import annotations

from math import exp, log, log2

import pytest
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists

import rankscope as rs
from rankscope.measures import MEASURES

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
    assert_same_numbers(value(f"P@{k}", TEXTBOOK), expected)


# measure, relevance down the list (None: not judged), relevance of judged documents that were not retrieved, value
EXAMPLES = [
    # P, R, Success: trec_eval P_k, recall_k, success_k
    ("P@20", TEXTBOOK, (), 6 / 20),  # a short list counts as filled up
    ("P@5", [None, 1, -1, 1, 0], (1,), 2 / 5),
    ("P(rel=2)@4", [2, 1, 3, 0], (), 2 / 4),
    ("R@4", TEXTBOOK, (1, 1), 2 / 8),
    ("R@1000", TEXTBOOK, (1, 1), 6 / 8),
    ("R(rel=2)@2", [1, 2, 3], (2, 1), 1 / 3),
    # F: (1 + b^2) P R / (b^2 P + R) (van Rijsbergen 1979); P = 3/5, R = 3/8
    ("F@5", TEXTBOOK, (1, 1), 2 * (3 / 5) * (3 / 8) / (3 / 5 + 3 / 8)),
    ("F(beta=2)@5", TEXTBOOK, (1, 1), (1 + 2**2) * (3 / 5) * (3 / 8) / (2**2 * (3 / 5) + 3 / 8)),
    ("F(beta=0.5, rel=2)@4", [2, 1, None, 3], (2,), (1 + 0.5**2) * (2 / 4) * (2 / 3) / (0.5**2 * (2 / 4) + 2 / 3)),
    ("F(beta=0)@4", [1, 0], (1,), 1 / 4),  # recall counts nothing: precision
    ("F@5", [0, None], (1,), 0.0),
    ("Success@1", [0, 1], (), 0.0),
    ("Success@2", [0, 1], (), 1.0),
    ("Success@5", [0, None], (1,), 0.0),
    # AP: sum of i / r_i over R (Buckley and Voorhees 2000)
    ("AP", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6),
    ("AP", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 8),
    ("AP@5", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5) / 6),  # still over all R, as trec_eval's map_cut
    ("AP(rel=2)", [1, 2, None, 3], (), (1 / 2 + 2 / 4) / 2),
    ("AP", [0, 0], (1,), 0.0),
    # over the lesser of R and k, so that the best list gives 1; and over the relevant ones found in the first k
    ("AP(norm='min')@5", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5) / min(8, 5)),
    ("AP(norm='min')@20", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / min(8, 20)),
    ("AP(norm='found')@5", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5) / 3),
    ("AP(norm='found')", TEXTBOOK, (1, 1), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6),
    ("AP(norm='found')@2", [0, 0, 1], (), 0.0),
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
    # AUC: of the pairs of a relevant and another document of the list, those in the right order: relevant ones at ranks
    # 2, 4, others at 1, 3, 5; pairs in order: 3, 5 below the first, 5 below the second (Hanley and McNeil 1982)
    ("AUC", [0, 1, None, 1, -1], (1,), (2 + 1) / (2 * 3)),
    ("AUC@3", [0, 1, None, 1, -1], (1,), 1 / (1 * 2)),  # of the first three: below rank 2, that at 3
    ("AUC(rel=2)", [1, 2, 0, 3, 1], (), (2 + 1) / (2 * 3)),
    ("AUC", [1, 2], (1,), 1.0),  # no other document stands above
    ("AUC", [0, None], (1,), 0.0),
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
    ("nDCG(gains={1: 5}, others='gain')@2", [4, 1, 1], (), (4 / log2(2) + 5 / log2(3)) / (5 / log2(2) + 5 / log2(3))),
    # given gains are used as given, of 0 and of negative grades too
    ("DCG(gains={0: 0.5, -1: 2, 1: 1})", [0, -1, 1], (), 0.5 / log2(2) + 2 / log2(3) + 1 / log2(4)),
    # other discounts: ln(rank + 1); none before rank b, then log_b(rank) (Järvelin and Kekäläinen 2002)
    ("DCG(discount='natural')", [3, 2], (), 3 / log(2) + 2 / log(3)),
    ("DCG(discount='jk')", [3, 2, 0, None, 1], (), 3 + 2 / log2(2) + 1 / log2(5)),
    ("DCG(discount='jk', base=3)@4", [3, 2, 1, 2, 1], (), 3 + 2 + 1 / log(3, 3) + 2 / log(4, 3)),
    ("nDCG(discount='jk', base=3)", [0, 0, 0, 1], (2,), (1 / log(4, 3)) / (2 + 1)),
    # the ideal of what is listed: 2, 1, not the 3 that was missed
    ("nDCG(ideal='listed')", [1, 0, 2], (3,), (1 / log2(2) + 2 / log2(4)) / (2 / log2(2) + 1 / log2(3))),
    ("nDCG(ideal='listed')@2", [1, 0, 2], (3,), (1 / log2(2)) / (2 / log2(2) + 1 / log2(3))),
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
    # nERR: over the ERR of the judged in falling order: 4, 3, 2 at ranks 1, 2, 3; with a cutoff both are cut
    (
        "nERR(gmax=4)",
        [3, None, 4],
        (2,),
        (7 / 16 + 1 / 3 * (9 / 16) * (15 / 16))
        / (15 / 16 + 1 / 2 * (1 / 16) * (7 / 16) + 1 / 3 * (1 / 16) * (9 / 16) * (3 / 16)),
    ),
    ("nERR@1", [1, 2], (), (1 / 4) / (3 / 4)),
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
    # ranks of what is relevant, as of known entities; what was not retrieved has none
    ("MeanRank", TEXTBOOK, (1, 1), (1 + 4 + 5 + 6 + 9 + 10) / 6),
    ("MeanRank@mean", TEXTBOOK, (), (1 + 4 + 5) / 3),  # up to the mean, 35/6
    ("MeanRank@recall=0.5", TEXTBOOK, (1, 1), (1 + 4 + 5 + 6) / 4),
    ("MedianRank", TEXTBOOK, (), (5 + 6) / 2),
    ("MedianRank@5", TEXTBOOK, (), 4),
    ("MedianRank@median", TEXTBOOK, (), 4),  # up to 5.5, rounded down
    ("MinRank", [0, None, 1, 1], (), 3),
    ("MaxRank", TEXTBOOK, (1,), 10),
    ("MaxRank@size", TEXTBOOK, (), 6),
    # interpolated AP: the highest of i / r_i from each on: 1, 2/3, 2/3, 2/3, 3/5, 3/5
    ("IAP", TEXTBOOK, (), (1 / 1 + 4 / 6 + 4 / 6 + 4 / 6 + 6 / 10 + 6 / 10) / 6),
    ("IAP@5", TEXTBOOK, (1, 1), (1 / 1 + 3 / 5 + 3 / 5) / 8),
    ("IAP(norm='min')@5", TEXTBOOK, (), (1 / 1 + 3 / 5 + 3 / 5) / 5),
    # the first precision from recall 0 to 1/R, then trapezoids 1/R wide
    ("PRAUC", [1, 0, 1], (), (1 + (1 + 2 / 3) / 2) / 2),
    ("PRAUC", [0, 1, 0, 1, 1], (1,), (1 / 2 + (1 / 2 + 2 / 4) / 2 + (2 / 4 + 3 / 5) / 2) / 4),
    ("PRAUC(interpolated=True)", [0, 1, 0, 1, 1], (1,), (3 / 5 + 3 / 5 + 3 / 5) / 4),
    ("PRAUC", [1, 1, 1], (), 1.0),
    # the mean over cutoffs 2 and 4 of AP(norm='min')@k, and of right pairs over R times the others in the first k
    ("APIntervals(step=2, depth=5)", [0, 1, 1, 0, 1], (), ((1 / 2) / 2 + (1 / 2 + 2 / 3) / 3) / 2),
    (
        "APIntervals(step=2, depth=4, average='geometric')",
        *([0, 1, 1, 0, 1], ()),
        ((1 / 2) / 2 * (1 / 2 + 2 / 3) / 3) ** (1 / 2),
    ),
    ("APIntervals", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6),  # all before the first cutoff
    ("AUCIntervals(step=2, depth=4)", [1, 0, 1, 0], (), (1 / (2 * 1) + (2 + 1) / (2 * 2)) / 2),
    ("AUCIntervals", [1, 1], (), 1.0),
    # as Dunaiski's tool computes them
    ("DunaiskiP@5", TEXTBOOK, (), 3 / 5),  # the one at rank 5 counts as the first at rank 5 or deeper
    ("DunaiskiP@3", TEXTBOOK, (), 2 / 3),  # that at rank 4 as well
    ("DunaiskiR@5", TEXTBOOK, (1, 1), 3 / 8),
    ("DunaiskiAP@5", TEXTBOOK, (), (1 / 1 + 2 / 4 + 3 / 5) / 5),
    ("DunaiskiNDCG@3", [1, 0, 0, 1], (), 1 / (1 / log2(2) + 1 / log2(3) + 1 / log2(4))),  # over an ideal of three
    ("DunaiskiIAP", TEXTBOOK, (), (1 / 1 + 4 / 6 + 4 / 6 + 4 / 6 + 6 / 10 + 6 / 10) / 6),
    ("DunaiskiPRAUC", [1, 1, 1, 1, 1], (), 4 / 5),
    # false positive shares at the first and second: 0/(1 + 4 - 2), 1/(3 + 4 - 4); recall 1/2, 1
    ("DunaiskiAUC@4", [1, 0, 1, 0], (), (1 / 2 + 1) / 2 * (1 / 3 - 0)),
    ("DunaiskiAPIntervals(step=2, depth=4)", [0, 1, 1, 0, 1], (), ((1 / 2) / 2 + (1 / 2 + 2 / 3) / 4) / 2),
    ("DunaiskiAUCIntervals(step=2, depth=4)", [1, 0, 0, 1], (), (1 / 2 + 1) / 2 * ((4 - 2) - (2 - 1)) / 4),
]


def test_the_example_of_the_three_ways_to_normalise_average_precision() -> None:
    """Two queries as textbooks and blogs have them: [1, 0, 1, 0, 1] and [0, 0, 1, 1, 0]."""
    lists = [as_lists(relevance, query=q) for q, relevance in (("q1", [1, 0, 1, 0, 1]), ("q2", [0, 0, 1, 1, 0]))]
    qrels, run = ({q: docs for case in lists for q, docs in case[side].items()} for side in (0, 1))
    scores = rs.evaluate(qrels, run, ["P@5", "AP(norm='found')@5", "AP@5", "AP(norm='min')@5", "DCG@5"])
    first, second = (1 + 2 / 3 + 3 / 5) / 3, (1 / 3 + 1 / 2) / 2
    assert_same_numbers(scores.matrix("P@5")[0].tolist(), [3 / 5, 2 / 5])
    # R is 3 and 2, all of them in the first 5: the three divisors are one.
    for name in ("AP(norm='found')@5", "AP@5", "AP(norm='min')@5"):
        assert scores.matrix(name)[0] == pytest.approx([first, second], rel=1e-15)
        assert scores.overall(name) == pytest.approx((first + second) / 2, rel=1e-15)
    assert round(scores.overall("AP(norm='found')@5"), 3) == 0.586
    dcg = [1 / log2(2) + 1 / log2(4) + 1 / log2(6), 1 / log2(4) + 1 / log2(5)]
    assert scores.matrix("DCG@5")[0] == pytest.approx(dcg, rel=1e-15)


@pytest.mark.parametrize(("measure", "relevance", "missed", "expected"), EXAMPLES)
def test_a_worked_example(measure: str, relevance: list[int | None], missed: tuple[int, ...], expected: float) -> None:
    assert value(measure, relevance, missed) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_every_measure_has_a_worked_example_that_is_not_zero() -> None:
    """Those of diversity in `test_worked_diversity.py`."""
    expected = {name for name, kind in ALL.items() if not kind.needs_subtopics}
    assert {rs.parse_measure(name).name for name, *_, value in EXAMPLES if value} == expected


def test_rel_of_the_evaluation_counts_where_the_measure_says_nothing() -> None:
    assert value("AP", [1, 2], (), rel=2) == value("AP(rel=2)", [1, 2]) == 1 / 2
    assert value("AP(rel=1)", [1, 2], (), rel=2) == 1
    assert_same_numbers(
        value("nDCG", [1, 2], (), rel=2), value("nDCG", [1, 2])
    )  # gains do not ask what counts as relevant
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
