"""RankEval: what its code gave, recorded, for all functions that give numbers, and its command line byte by byte."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import cli

import rankscope as rs
from rankscope.agreement.rankeval import PairedRanks, as_printed, farr, ndgc_err, set_taus
from rankscope.agreement.rankeval.measures import count_ranks, gold_of_best
from rankscope.compat import rankeval
from rankscope.errors import InputError

__all__ = ["cli"]

FOLDER = Path(__file__).resolve().parent / "rankeval"
CASES: dict[str, Any] = json.loads((FOLDER / "cases.json").read_text())
#: Where the tool adds in another order, the last bits may differ; it prints 12 digits.
CLOSE = 1e-13
RUNS = {"readme": "readme.jcml", "wmt12": "wmt12.cs-en.bleu.jcml"}
#: Where a file that is not ours may lie: beside the repository.
SHARED = Path(os.environ.get("RANKSCOPE_SPEC") or FOLDER.parents[3] / "shared" / "spec") / "rankeval"


def path_of(run: str) -> Path:
    """The file of a recorded run; where it is not here, the test is skipped."""
    found = next((folder / RUNS[run] for folder in (FOLDER, SHARED) if (folder / RUNS[run]).is_file()), None)
    if found is None:
        pytest.skip(f"{RUNS[run]} holds WMT's data, which does not ship; $RANKSCOPE_SPEC names the folder that has it")
    return found


def close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=CLOSE, abs=CLOSE)


def table(case: dict[str, Any]) -> PairedRanks:
    return rankeval.table_of_lists(case["orig"], case["pred"])


def test_all_cases_are_here() -> None:
    counts = {name: len(cases) for name, cases in CASES.items()}
    assert counts == {
        "inverse": 1,
        "kendall_tau": 365,
        "kendall_tau_prob": 19,
        "ndgc_err": 219,
        "normalize": 18,
        "reciprocal_rank": 292,
        "set": 12,
        "source": 54,
    }


def test_ranks_are_normalised_as_recorded() -> None:
    for case in CASES["normalize"]:
        for ties, found in case["out"].items():
            assert rankeval.normalize(case["in"], ties) == found["value"]
            assert list(rs.Ranking(case["in"]).normalise(ties)) == found["value"]


def test_tau_and_its_counts_are_as_recorded_with_all_options() -> None:
    for case in CASES["kendall_tau"]:
        expected = {key: close(value) for key, value in case["out"]["value"].items()}
        assert rankeval.kendall_tau(case["pred"], case["orig"], **case["kwargs"]) == expected, case


def test_tau_without_the_broken_inversion_is_what_per_segment_gives() -> None:
    """With the tool's options; -1 is no rank there, and refused."""
    names = {"exclude_ties": "exclude_gold_ties", "penalize_predicted_ties": "penalise_predicted_ties"}
    compared = 0
    for case in CASES["kendall_tau"]:
        if "invert_ranks" in case["kwargs"] or -1 in case["orig"] or case["out"]["value"]["tau"] is None:
            continue
        options = {names[name]: value for name, value in case["kwargs"].items()}
        tau = rs.agreement.per_segment(case["orig"], case["pred"], "tau", **options)
        assert tau == close(case["out"]["value"]["tau"])
        compared += 1
    assert compared == 244


def test_the_pvalue_is_as_recorded() -> None:
    for case in CASES["kendall_tau_prob"]:
        found = rankeval.kendall_tau_prob(case["tau"], case["pairs"])
        assert found == pytest.approx(case["out"]["value"], rel=1e-12)


def test_ndcg_and_err_with_gains_that_overwrite_each_other_are_as_recorded() -> None:
    for case in CASES["ndgc_err"]:
        assert rankeval.ndgc_err(case["pred"], case["orig"], case["k"]) == tuple(map(close, case["out"]["value"]))


def test_the_reciprocal_rank_is_as_recorded() -> None:
    for case in CASES["reciprocal_rank"]:
        found = rankeval.reciprocal_rank(case["pred"], case["orig"], case["ties"])
        assert found == close(case["out"]["value"])
        if -1 not in case["orig"]:
            assert rs.agreement.per_segment(case["orig"], case["pred"], "FARR", normalise=case["ties"]) == found


def set_functions(case: dict[str, Any]) -> dict[str, Callable[[], dict[str, float | int]]]:
    """The recorded functions of sets, by name."""
    ranks = table(case)

    def means(k: int) -> dict[str, float | int]:
        ndgc, err = ndgc_err(ranks, k)
        return {"ndgc": float(ndgc.mean()), "err": float(err.mean())}

    def best() -> dict[str, float | int]:
        found = count_ranks(gold_of_best(ranks, "minimize"))
        pairs = zip(found.ranks.tolist(), found.share.tolist(), strict=True)
        return {f"bph_{rank}": round(share, 2) for rank, share in pairs}

    return {
        "allmetrics": lambda: rankeval.allmetrics(case["pred"], case["orig"]),
        "avg_ndgc_err": lambda: means(len(case["pred"][0])),
        "avg_ndgc_err_k2": lambda: means(2),
        "avg_predicted_ranked": lambda: {"avg_predicted_ranked": float(gold_of_best(ranks).mean())},
        "best_predicted_vs_human": best,
        "kendall_tau_set": lambda: rankeval.kendall_tau_set(case["pred"], case["orig"]),
        "kendall_tau_set_nopen": lambda: set_taus(ranks, penalize_ties=False),
        "mrr": lambda: {"mrr": float(farr(ranks).mean())},
    }


@pytest.mark.parametrize("number", range(12))
def test_functions_of_sets_are_as_recorded_and_refuse_what_divides_by_zero(number: int) -> None:
    case = CASES["set"][number]
    functions = set_functions(case)
    assert set(case["out"]) == {*functions, "allmetrics_k2"}  # which always raises
    for name, function in functions.items():
        recorded = case["out"][name]
        if "error" in recorded:
            assert "ZeroDivisionError" in recorded["error"]
            with pytest.raises(InputError, match="no pair counts"):
                function()
            continue
        found = function()
        assert found.keys() == recorded["value"].keys()
        for key, value in recorded["value"].items():
            number_found = found[key]
            assert number_found == close(value) or (value is None and number_found != number_found), (name, key)


@pytest.mark.parametrize("run", RUNS)
def test_the_command_prints_what_the_tool_printed_byte_by_byte(cli: Callable[..., Any], run: str) -> None:
    expected = (FOLDER / f"{RUNS[run]}.out").read_text()
    done = cli("rankeval", path_of(run), "predicted_rank", "rank")
    assert (done.code, done.out, done.err) == (0, expected, "")


@pytest.mark.parametrize("run", RUNS)
def test_the_preset_has_the_same_keys_and_digits(run: str) -> None:
    found = rs.agreement.ranks(path_of(run), metrics="predicted_rank", gold="rank", preset="rankeval")
    lines = [f"{statistic}\t{as_printed(value)}" for _, _, statistic, value, *_ in found.records()]
    assert lines == (FOLDER / f"{RUNS[run]}.out").read_text().splitlines()


def test_where_the_tool_is_sound_the_default_agrees() -> None:
    """tau, its counts and MRR; the rest departs, as docs/differences.md says."""
    path = path_of("wmt12")
    ours = rs.agreement.ranks(path, metrics="predicted_rank", n_resamples=10, rng=1)
    theirs = rs.agreement.ranks(path, metrics="predicted_rank", preset="rankeval")
    for here, there in (
        ("tau", "tau"),
        ("concordant", "tau_concordant"),
        ("discordant", "tau_discordant"),
        ("pairs", "tau_all_pairs"),
        ("gold_ties", "tau_original_ties"),
        ("predicted_ties", "tau_predicted_ties"),
        ("MRR", "mrr"),
        ("average_predicted", "avg_predicted_ranked"),
    ):
        assert ours[here] == pytest.approx(theirs[there], rel=1e-12)
