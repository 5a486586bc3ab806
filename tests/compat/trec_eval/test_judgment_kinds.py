"""Preferences, judgment groups and z-scores: what `rankscope trec_eval` prints is what trec_eval printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.paths import TESTS
from hypothesis import given
from hypothesis import strategies as st

from rankscope.compat.trec_eval import Options, trec_eval
from rankscope.errors import InputError, ParameterError

FOLDER = TESTS / "reference" / "trec_eval" / "groups"
#: The command lines of the README beside the files, and which file holds the judgments.
CASES = {
    "prefs": ("-q -c -R prefs -m all_prefs", "prefs"),
    "prefs-plain": ("-q -R prefs -m all_prefs", "prefs"),
    "qrels-prefs": ("-q -c -R qrels_prefs -m all_prefs", "qrels"),
    "groups": ("-q -c -R qrels_jg -m qrels_jg", "groups"),
    "zscores": ("-q -c -m map -m P.5,10 -m recip_rank -m ndcg_cut.10 -m bpref", "qrels"),
    "average3": ("-q -c -m 11pt_avg.0.2,0.5,0.8 -m runid", "qrels"),
}
NAMES = sorted(path.name.removesuffix(".txt") for path in FOLDER.glob("*.txt"))


def cut_queries(case: str) -> set[str]:
    """Queries for which the tool reads memory beyond the grades that it means.

    With -R qrels_prefs, a grade below 0 is a level below 0, and the last level holds fewer documents than are relevant.
    """
    grades: dict[str, list[int]] = {}
    for line in (FOLDER / f"{case}.qrels").read_text().splitlines():
        query, _, _, grade = line.split()
        grades.setdefault(query, []).append(int(grade))
    return {
        query
        for query, values in grades.items()
        if values.count(min(values)) < sum(value > 0 for value in values) < sum(value <= 0 for value in values)
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_output_is_reproduced_byte_for_byte(name: str, cli: Callable[..., Any]) -> None:
    case, options, version = name.split(".")
    written, judgments = CASES[options]
    arguments = written.split()
    if version == "v9":
        arguments += ["--preset", "trec_eval-9"]
    if options == "zscores":
        arguments += ["-Z", f"{FOLDER / case}.zscores"]
    done = cli("trec_eval", *arguments, str(FOLDER / f"{case}.{judgments}"), str(FOLDER / f"{case}.run"))
    assert (done.code, done.err) == (0, "")
    ours, theirs = done.out.splitlines(), (FOLDER / f"{name}.txt").read_text().splitlines()
    assert len(ours) == len(theirs)
    different = {tuple(their.split()[:2]) for our, their in zip(ours, theirs, strict=True) if our != their}
    cut = cut_queries(case) if options == "qrels-prefs" else set()
    assert different <= {("prefs_avgjg_Rnonrel", query) for query in {*cut, *(["all"] if cut else [])}}


def test_there_are_recorded_outputs_of_each_kind() -> None:
    assert {name.split(".")[1] for name in NAMES} == set(CASES)


def write(folder: Path, judgments: str, run: str) -> tuple[Path, Path]:
    (folder / "judgments").write_text(judgments)
    (folder / "run").write_text(run)
    return folder / "judgments", folder / "run"


def values(folder: Path, judgments: str, run: str, kind: str = "prefs", names: str = "all_prefs") -> dict[str, float]:
    """The values of all queries together."""
    text = trec_eval(*write(folder, judgments, run), names.split(), options=Options(complete=True, judgments=kind))
    return {line.split()[0]: float(line.split()[2]) for line in text.splitlines() if not line.startswith("runid")}


def run_of(documents: str) -> str:
    return "".join(f"q Q0 {document} 0 {-place} run\n" for place, document in enumerate(documents))


def test_preferences_of_sub_groups_are_joined(tmp_path: Path) -> None:
    # a over b over c in one sub-group, b over d in another: a over d follows; nothing is said of c and d.
    judgments = "q u s1 a 3\nq u s1 b 2\nq u s1 c 1\nq u s2 b 5\nq u s2 d 4\n"
    found = values(tmp_path, judgments, run_of("abcd"))
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == (5, 5)
    assert values(tmp_path, judgments, run_of("dcba"))["prefs_num_prefs_ful"] == 0


def test_documents_of_one_score_stand_in_the_rising_order_of_their_ids(tmp_path: Path) -> None:
    judgments = "q u s a 1\nq u s b 0\n"
    tied = "q Q0 a 0 1 run\nq Q0 b 0 1 run\n"
    assert values(tmp_path, judgments, tied)["prefs_simp"] == 1
    qrels = "q u a 1\nq u b 0\n"
    assert values(tmp_path, qrels, tied, "qrels", "recip_rank")["recip_rank"] == 0.5  # where b is first


@given(
    levels=st.lists(st.integers(0, 3), min_size=2, max_size=7),
    ranking=st.permutations(range(7)),
    n_retrieved=st.integers(0, 7),
)
def test_counts_are_those_of_a_loop_over_pairs(
    tmp_path_factory: pytest.TempPathFactory, levels: list[int], ranking: list[int], n_retrieved: int
) -> None:
    folder = tmp_path_factory.mktemp("prefs")
    names = "abcdefg"
    retrieved = [names[i] for i in ranking[:n_retrieved]]
    judged = dict(zip(names, levels, strict=False))
    fulfilled = possible = fulfilled_retrieved = with_one = 0
    for a, level_a in judged.items():
        for b, level_b in judged.items():
            if level_a > level_b:
                possible += 1
                with_one += a in retrieved or b in retrieved
                is_first = a in retrieved and (b not in retrieved or retrieved.index(a) < retrieved.index(b))
                fulfilled += is_first
                fulfilled_retrieved += is_first and b in retrieved
    run = run_of("".join(retrieved)) + "q Q0 unjudged 0 -99 run\n"
    found = values(folder, "".join(f"q u s {name} {level}\n" for name, level in judged.items()), run)
    assert found["prefs_num_prefs_poss"] == possible
    assert found["prefs_num_prefs_ful"] == fulfilled
    assert found["prefs_num_prefs_ful_ret"] == fulfilled_retrieved
    for name in ("prefs_simp", "prefs_pair", "prefs_avgjg"):
        assert found[name] == pytest.approx(fulfilled / possible if possible else 0, abs=5.1e-5)
    for name in ("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"):
        assert found[name] == pytest.approx(fulfilled / with_one if with_one else 0, abs=5.1e-5)


def test_the_mean_over_groups_is_that_of_each_group_alone(tmp_path: Path) -> None:
    groups = {"u": "q u a 1\nq u b 0\nq u c 1\n", "v": "q v b 1\nq v d 1\n", "w": "q w a 0\n"}
    run = run_of("abcd")
    for names, name, base in (
        ("map_avgjg", "map_avgjg", "map"),
        ("P_avgjg.2", "P_avgjg_2", "P_2"),
        ("Rprec_mult_avgjg.1.0", "Rprec_mult_avgjg_1.00", "Rprec_mult_1.00"),
    ):
        together = values(tmp_path, "".join(groups.values()), run, "qrels_jg", names)[name]
        alone = [values(tmp_path, text, run, "qrels", names.replace("_avgjg", ""))[base] for text in groups.values()]
        assert together == pytest.approx(np.mean(alone), abs=2e-4)


def test_a_missing_mean_or_deviation_is_minus_a_million(tmp_path: Path) -> None:
    (tmp_path / "z").write_text("q map 0.5 0\nq P_1 1 0\n")
    files = write(tmp_path, "q 0 a 1\n", run_of("a"))
    lines = trec_eval(*files, ["map", "P.1", "bpref"], options=Options(zscores=tmp_path / "z")).splitlines()
    assert [line.split() for line in lines] == [
        ["Zmap", "all", "-1000000.0000"],
        ["Zbpref", "all", "-1000000.0000"],
        ["ZP_1", "all", "0.0000"],
    ]


@pytest.mark.parametrize(
    ("judgments", "message"),
    [
        ("q u s a 1\nq u s a 1\n", "judgments:2: document 'a' of group 'u' of query 'q' occurs twice, first at "),
        (
            "q u s a 1\nq u t a 0\n",
            "judgments:2: document 'a' of group 'u' of query 'q' has level 0 (not relevant) and",
        ),
        ("q u s a x\n", "judgments:1: level 'x', expected a finite number below 2^53"),
        ("q u s a nan\n", "judgments:1: level 'nan', expected a finite number"),
        (
            "q u a 1\n",
            "judgments:1: 4 fields, expected 5 (query group sub-group document level); this looks like qrels",
        ),
        ("# nothing\n", "judgments: no data, only comments and blank lines; expected lines of 5 fields (query group"),
    ],
)
def test_malformed_preferences_are_refused(tmp_path: Path, judgments: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        values(tmp_path, judgments, run_of("a"))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "names", "message"),
    [
        (
            "prefs",
            "map",
            "map needs judgments that are read with -R qrels, not -R prefs; -m all_prefs has the measures",
        ),
        ("qrels", "prefs_simp", "prefs_simp needs judgments that are read with -R prefs or qrels_prefs, not -R qrels"),
        ("qrels_jg", "all_prefs", "-m qrels_jg has the measures of -R qrels_jg"),
    ],
)
def test_a_measure_asks_for_its_judgments(tmp_path: Path, kind: str, names: str, message: str) -> None:
    with pytest.raises(ParameterError) as raised:
        values(tmp_path, "q u s a 1\n", run_of("a"), kind, names)
    assert message in str(raised.value)


def test_malformed_z_scores_are_refused(tmp_path: Path) -> None:
    (tmp_path / "z").write_text("q map 0.5 x\n")
    with pytest.raises(InputError, match=r"z:1: deviation 'x', expected a number; correct this line"):
        trec_eval(*write(tmp_path, "q 0 a 1\n", run_of("a")), ["map"], options=Options(zscores=tmp_path / "z"))


def test_only_the_first_parameters_count(tmp_path: Path) -> None:
    assert list(values(tmp_path, "q 0 a 1\n", run_of("a"), "qrels", "P.5 P.7")) == ["P_5"]


def test_a_query_that_the_run_lacks_holds_one_document_in_version_10_but_for_j(tmp_path: Path) -> None:
    files = write(tmp_path, "q 0 a 1\np 0 a 1\n", run_of("a"))
    names = ["relstring.3", "utility.1,-1,0,0"]

    def lines(**options: Any) -> list[list[str]]:
        text = trec_eval(*files, names, options=Options(complete=True, by_query=True, summary=False, **options))
        return [line.split()[1:] for line in text.splitlines() if line.split()[1] == "p"]

    assert lines() == [["p", "'-'"], ["p", "-1.0000"]]
    assert lines(judged_only=True) == [["p", "''"], ["p", "0.0000"]]
