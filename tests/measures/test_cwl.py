"""The C/W/L family: against a loop from the definition, against cwl_eval, and what their parameters do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import log2

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.strategies import Case, as_lists, cases, random_case, ranked
from hypothesis import given

import rankscope as rs
from rankscope.measures import cwl

#: How likely a reader goes on from rank i, with gain g there and G in all so far: the definitions, in scalars.
Going = Callable[[int, float, float], float]
LOOPS: dict[str, Going] = {
    "SDCG@3": lambda i, g, so_far: log2(i + 1) / log2(i + 2) if i < 3 else 0.0,
    "INST": lambda i, g, so_far: ((i + 1 + (1 - so_far) - 1) / (i + 1 + (1 - so_far))) ** 2,
    "INST(T=2.5)": lambda i, g, so_far: ((i + 2.5 + (2.5 - so_far) - 1) / (i + 2.5 + (2.5 - so_far))) ** 2,
    "INSQ": lambda i, g, so_far: ((i + 2 - 1) / (i + 2)) ** 2,
    "INSQ(T=2.5)": lambda i, g, so_far: ((i + 5 - 1) / (i + 5)) ** 2,
    "BPM@4": lambda i, g, so_far: float(so_far < 1 and i < 4),
    "BPM(T=0.3)@4": lambda i, g, so_far: float(so_far < 0.3 and i < 4),
    "NERR8@5": lambda i, g, so_far: 1 - g if i < 5 else 0.0,
    "NERR9@5": lambda i, g, so_far: i / (i + 1) * (1 - g) if i < 5 else 0.0,
    "NERR10": lambda i, g, so_far: 0.9 * (1 - g),
    "NERR10(p=0.3)": lambda i, g, so_far: 0.3 * (1 - g),
    "NERR11": lambda i, g, so_far: ((i + 2 - 1) / (i + 2)) ** 2 * (1 - g),
}
ALL = ["SDCG@4", "INST", "INSQ", "BPM@4", "NERR8@4", "NERR9@4", "NERR10", "NERR11"]


def by_hand(going_on: Going, gains: list[float], depth: int) -> float:
    """The sum of W_i g_i, W_i falling as the product of all C_j above."""
    reached, so_far, weights, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        so_far += gain
        weights += reached
        total += reached * gain
        reached *= going_on(rank, gain, so_far)
    return total / weights


def with_parameters(name: str, **more: int) -> str:
    """The name with these parameters as well."""
    stem, at, cutoff = name.partition("@")
    inner = [stem[stem.index("(") + 1 : -1]] if "(" in stem else []
    inner += [f"{k}={v}" for k, v in more.items()]
    return f"{stem.partition('(')[0]}({', '.join(inner)}){at}{cutoff}"


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = ()) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure).values.item()


@examples(120)
@given(case=cases())
@pytest.mark.parametrize(("gmin", "depth"), [(0, 30), (1, 6)])
def test_the_family_agrees_with_a_loop_down_the_list(gmin: int, depth: int, case: Case) -> None:
    names = [with_parameters(name, gmin=gmin, depth=depth) for name in LOOPS]
    scores = rs.evaluate(case.qrels, case.run, names)
    gmax = max(1, gmin + 1, *(g for docs in case.qrels.values() for g in docs.values()))
    for i, query in enumerate(scores.query_ids):
        grades = [case.qrels[query].get(d, 0) for d in ranked(case.run.get(query, {}))]
        gains = [max(g - gmin, 0) / (gmax - gmin) for g in grades]
        for name, short in zip(names, LOOPS, strict=True):
            expected = by_hand(LOOPS[short], gains, depth)
            measured = scores.matrix(rs.parse_measure(name))[0, i]
            assert measured == pytest.approx(expected, rel=1e-12, abs=1e-13), (name, query)


class TestAgainstCwlEval:
    """cwl_eval 1.0.12 through ir_measures 0.4.3, which takes the highest grade as a parameter."""

    @staticmethod
    def collection(seed: int, top: int) -> Case:
        """Distinct scores; the first list is longer than the 1000 documents that cwl_eval reads."""
        rng = np.random.default_rng(seed)
        qrels, run = {}, {}
        for q in range(12):
            n = 1200 if q == 0 else int(rng.integers(1, 60))
            docs = [f"d{i}" for i in range(n)]
            judged = rng.choice(n, max(n * 2 // 3, 1), replace=False)
            dense = q % 3 == 0  # and many of the highest grade, so that INST's reader has more than wanted
            grades = rng.integers(top if dense else -1, top + 1, judged.size)
            qrels[f"q{q}"] = {docs[i]: int(g) for i, g in zip(judged, grades, strict=True)} | {"missed": top}
            run[f"q{q}"] = dict(zip(docs, (rng.permutation(n) + 1.0).tolist(), strict=True))
        return Case(qrels, run)

    @pytest.mark.parametrize(("gmin", "top"), [(0, 1), (0, 4), (1, 3), (0, 7)])
    def test_every_measure_agrees(self, gmin: int, top: int, monkeypatch: pytest.MonkeyPatch) -> None:
        ir_measures = pytest.importorskip("ir_measures")
        pytest.importorskip("cwl")
        # They warn of grades below gmin, which are meant to be there, and would write a file.
        for noisy in ("cwl", "ir_measures.cwl_eval"):
            monkeypatch.setattr(logging.getLogger(noisy), "disabled", True)
        case = self.collection(10 * gmin + top, top)
        theirs, ours = {}, {}
        for name, parameters, cutoff in [
            *(("SDCG", {}, 10), ("SDCG", {}, 1), ("SDCG", {}, 5000), ("INST", {}, None), ("INST", {"T": 0.25}, None)),
            *(("INST", {"T": 3.5}, None), ("INSQ", {}, None), ("INSQ", {"T": 3.5}, None), ("BPM", {}, 10)),
            *(("BPM", {"T": 2.5}, 50), ("BPM", {"T": 100.0}, 5000), ("NERR8", {}, 10), ("NERR8", {}, 5000)),
            *(("NERR9", {}, 10), ("NERR9", {}, 5000), ("NERR10", {}, None), ("NERR10", {"p": 0.5}, None)),
            *(("NERR11", {}, None), ("NERR11", {"T": 0.5}, None)),
        ]:
            at = {} if cutoff is None else {"cutoff": cutoff}
            peer = getattr(ir_measures, name)(**parameters, **at, min_rel=gmin, max_rel=top)
            own = rs.measures.MEASURES[name](**parameters, **at, gmin=gmin, depth=1000)  # its lists end there
            theirs[str(own)], ours[str(own)] = peer, own
        found = {
            (str(v.measure), v.query_id): v.value
            for v in ir_measures.cwl_eval.iter_calc(list(theirs.values()), case.qrels, case.run)
        }
        scores = rs.evaluate(case.qrels, case.run, list(ours.values()))
        for name, peer in theirs.items():
            expected = [found[str(peer), q] for q in scores.query_ids]
            assert scores.matrix(name)[0] == pytest.approx(expected, rel=1e-12, abs=1e-14), name


class TestDepth:
    @pytest.mark.parametrize("name", ALL)
    def test_what_stands_further_down_is_not_seen(self, name: str) -> None:
        short = with_parameters(name, depth=3)
        assert value(short, [0, 1, None, 2, 2]) == value(short, [0, 1, None], (2,)) > 0

    @pytest.mark.parametrize("name", ALL)
    def test_a_list_may_be_of_any_length(self, name: str) -> None:
        assert value(name, [0] * 1200 + [1]) == 0.0
        assert value(name, [1] * 1200) == pytest.approx(1.0, rel=1e-12)  # who reads gains 1 a document

    def test_a_cutoff_below_it_has_no_effect_beyond_the_list(self) -> None:
        assert_same_numbers(value("SDCG(depth=4)@10", [0, 1]), value("SDCG@4", [0, 1]))

    @pytest.mark.parametrize("depth", [0, 10**6 + 1, 2.0, True])
    def test_that_is_no_depth_is_refused(self, depth: object) -> None:
        with pytest.raises(rs.ParameterError, match=r"INST: depth is .*, .*1 to 1000000"):
            rs.parse_measure(f"INST(depth={depth!r})")


@pytest.mark.parametrize("name", ALL)
def test_many_queries_are_taken_chunk_by_chunk_with_the_same_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(5, 60)
    whole = rs.evaluate(case.qrels, case.run, name).values
    assert whole.any()
    for cells in (1, 3000):
        monkeypatch.setattr(cwl, "MAX_CELLS", cells)
        assert_same_bits(rs.evaluate(case.qrels, case.run, name).values, whole)


class TestGrades:
    @pytest.mark.parametrize("name", ALL)
    def test_a_grade_above_gmax_is_refused(self, name: str) -> None:
        with pytest.raises(rs.ParameterError, match=r"gmax is 2, .*judged 3"):
            value(with_parameters(name, gmax=2), [3])

    def test_gmax_is_the_highest_of_the_whole_qrels_unless_given(self) -> None:
        scores = rs.evaluate({"q1": {"a": 1}, "q2": {"b": 4}}, {"q1": {"a": 1.0}}, ["SDCG@1", "SDCG(gmax=8)@1"])
        assert scores.values[0, :, 0].tolist() == [1 / 4, 1 / 8]
        assert "gmax:4" in scores.signature("SDCG@1")

    def test_gmin_and_what_is_below_gain_nothing(self) -> None:
        assert value("NERR8(gmin=2)@3", [2, 1, -1], (4,)) == 0
        assert value("NERR8(gmin=2)@1", [3], (4,)) == (3 - 2) / (4 - 2)
        hits = rs.hits_of(*as_lists([3, 2, 1]))
        assert rs.parse_measure("INST(gmin=1)").used(hits).tolist() == [2]
        assert rs.parse_measure("INST(gmin=3)").defined(hits).tolist() == [False]

    def test_where_nothing_is_judged_above_gmin_the_value_is_0(self) -> None:
        for name in ALL:
            assert value(with_parameters(name, gmin=5), [3, 5]) == 0
            assert value(name, [0, -1, None]) == 0
            assert value(name, [], (1,)) == 0

    @pytest.mark.parametrize(("gmin", "gmax"), [(-1, 3), (2, 2), (3, 2), (0, 0), (2.5, 2)])
    def test_bounds_that_are_none_are_refused(self, gmin: object, gmax: object) -> None:
        with pytest.raises(rs.ParameterError, match=r"INSQ: gm(in|ax) is .*expected a number"):
            rs.parse_measure(f"INSQ(gmin={gmin!r}, gmax={gmax!r})")


class TestWhatIsWanted:
    @pytest.mark.parametrize("name", ["INSQ(T=0)", "BPM(T=-1)@3", "NERR11(T=0.0)", "INST(T='1')"])
    def test_is_a_number_above_0(self, name: str) -> None:
        with pytest.raises(rs.ParameterError, match=r"T is .*number"):
            rs.parse_measure(name)

    def test_is_at_least_a_quarter_for_inst_whose_reader_would_else_go_on_with_more_than_certainty(self) -> None:
        """All documents relevant: i + T + T_i is 2T, so C = ((2T - 1) / 2T)^2, which is 1 at T = 1/4."""
        assert ((2 * 0.25 - 1) / (2 * 0.25)) ** 2 == 1 < ((2 * 0.2 - 1) / (2 * 0.2)) ** 2
        assert value("INST(T=0.25, depth=6)", [1] * 5) == pytest.approx(5 / 6)  # all six are surely read
        with pytest.raises(rs.ParameterError, match=r"INST: T is 0\.2, .*0\.25"):
            rs.parse_measure("INST(T=0.2)")

    def test_of_bpm_is_added_up_in_float64(self) -> None:
        """As in cwl_eval: ten times 1/10 is a little less than 1, so the reader goes on to the eleventh document."""
        assert np.cumsum([1 / 10] * 10)[-1] < 1  # Python's own sum is exact from 3.12 on
        assert value("BPM@100", [1] * 11, (10,)) == pytest.approx(1.1 / 11)
        assert value("BPM@100", [1] * 10 + [0] * 5, (10,)) == pytest.approx(1 / 100)  # never comes to 1


@pytest.mark.parametrize("name", ALL)
def test_lists_whose_order_is_not_settled_are_refused(name: str) -> None:
    case = as_lists([1, 0])
    with pytest.raises(rs.ParameterError, match=r"average .*tied documents"):
        rs.evaluate(*case, name, ties="average")
