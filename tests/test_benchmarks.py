"""The benchmarks' own code, at a tiny size: no times are asserted."""

import ast
import importlib.util
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
TINY = {"queries": 3, "documents": 20, "judged": 10}
#: Those of `run_all`, read there; `variants` is the first one again, on files written in other ways.
(SCRIPTS,) = (
    [name for name in ast.literal_eval(node.value) if name != "variants"]
    for node in ast.parse((BENCHMARKS / "run_all.py").read_text("utf-8")).body
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SCRIPTS"
)
PEERS = tuple(name for name in ("pytrec_eval",) if importlib.util.find_spec(name))
BESIDE_PEERS = (
    "files_1m",
    "trec_eval_1m",
    "in_memory",
    "single_query",
)  # the others run alone here: enough, and faster

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="the benchmarks count CPU with os.wait4")


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Shared, so that each collection is made once."""
    return tmp_path_factory.mktemp("benchmarks")


@cache
def module(name):
    """By its path: a folder of tests may have the same name."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # as dataclasses want it
    spec.loader.exec_module(found)
    return found


def run_lines(path):
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.parametrize("variant", ["plain", "shuffled", "gz"])
def test_the_generator_makes_the_same_bytes_again(tmp_path, variant):
    generate = module("generate")
    shape = generate.Shape(3, 20, 10, variant)
    first, second = generate.write(shape, tmp_path / "a"), generate.write(shape, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_generator_makes_what_it_says(tmp_path):
    generate = module("generate")
    qrels, run = map(run_lines, generate.write(generate.Shape(3, 20, 10), tmp_path))
    assert len(qrels) == 3 * 10
    assert len(run) == 3 * 20
    assert [line[0] for line in run[::20]] == ["301", "302", "303"]
    pairs = {(line[0], line[2]) for line in run}
    assert len(pairs) == len(run)
    judged = {(line[0], line[2]) for line in qrels}
    assert len(judged) == len(qrels)
    assert len(judged & pairs) == 3 * 6
    assert {len(line[2]) for line in run} == {11, 12, 13}
    scores = [float(line[4]) for line in run[:20]]
    assert scores == sorted(set(scores), reverse=True)


def test_variants_hold_the_same_documents(tmp_path):
    generate = module("generate")
    plain = run_lines(generate.write(generate.Shape(3, 20, 10), tmp_path)[1])
    for variant in ("digits17", "tied", "crlf", "shuffled"):
        other = run_lines(generate.write(generate.Shape(3, 20, 10, variant), tmp_path)[1])
        assert sorted(line[:4] for line in other) == sorted(line[:4] for line in plain), variant
        assert (other == plain) == (variant == "crlf"), variant


def test_values_that_do_not_agree_stop_a_benchmark():
    measuring = module("measuring")
    measuring.agree({"a": {"AP": 0.5}, "b": {"AP": 0.5 + 1e-9}})
    for other in (0.6, float("nan")):
        with pytest.raises(SystemExit, match=r"a and b\b.*\bAP\b"):
            measuring.agree({"a": {"AP": 0.5}, "b": {"AP": other}})


def test_a_line_says_whether_its_target_was_reached():
    measuring = module("measuring")
    a, b = measuring.Medians("a", 1.0), measuring.Medians("b", 4.0)
    assert [measuring.ratio("w", a, b, at_most).reached for at_most in (0.25, 0.2, None)] == [True, False, None]


def test_each_benchmark_has_its_place_in_run_all():
    helpers = {"measuring", "generate", "peers", "run_all", "letor_folds"}
    helpers |= {"learning_search", "learning_peers", "other_collections"}
    assert {path.stem for path in BENCHMARKS.glob("*.py")} - helpers == set(module("run_all").SCRIPTS)


#: These take seconds even so: `make test-all` runs them.
LONG = {"dense_arrays", "cluster", "memory", "stability", "report_page", "fusion", "agreement", "features"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in SCRIPTS]
)
def test_each_benchmark_runs_at_a_tiny_size(name, folder, capsys, commands, monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("python", path=commands["PATH"]))  # beside it lies `rankscope`
    sizes = {
        "single_query": {"calls": 20},
        "association": {"scores": 200, "items": 20},
        "judges": {"labels": 50},
        "label_intervals": {"items": 60, "resamples": 5},
        "nuggets": {"queries": 3, "systems": 3},
        "prediction_powered": {"means": 3, "judged": 8, "queries": 20},
        "randomisation": {"systems": 3, "queries": 20, "resamples": 50},
        "compare": {"systems": 3, "queries": 20, "resamples": 50},
        "clusters": {"systems": 3, "queries": 20, "clusters": 5, "resamples": 50},
        "gate": {"queries": 20, "documents": 30, "judged": 10, "pairs": 2, "betting_queries": 20, "looks": 3},
        "saved_scores": {"systems": 2, "measures": 2, "queries": 5},
        "score_tables": {"systems": 3, "queries": 5},
        "preference_tables": {"systems": 3, "comparisons": 50},
        "id_lists": {"queries": 3, "ids": 200},
        "chunks": {"queries": 3, "documents": 20},
        "click_logs": {"impressions": 500, "users": 50},
        "correlation": {"measures": 3, "queries": 20, "resamples": 50},
        "report_page": {"systems": 2, "queries": 3, "documents": 20, "judged": 10},
        "planning": {"queries": 20, "repeats": 1},
        "stability": {"systems": 4, "entities": 40, "iterations": 2, "resamples": 20, "many": (3, 20)},
        "kemeny": {"voters": 6, "items": 7, "more": 8, "fewer": 5},
        "consensus_votes": {"voters": 6, "items": 7},
        "language_model": {"sentences": 60, "asked": 10},
        "framework_metrics": {"queries": 10, "documents": 10},
        "learning": {"seeds": 1, "documents": 500, "features": 5, "queries": 4, "most": 2},
        "torch_ranker": {"small": (4, 40, 3), "large": (4, 40, 3)},
        "agreement": {"share": 0.005, "systems": 4, "segments": 30, "megabytes": 0.01},
        "metric_tests": {"systems": 4, "segments": 6, "resamples": 20},
        "leaderboard": {"systems": 4, "comparisons": 300, "resamples": 5},
        "cluster": {**TINY, "units": 20},
    }
    size = sizes.get(name, TINY)
    peers = PEERS if name in BESIDE_PEERS else ()
    result = module(name).measure(runs=1, folder=folder, peers=peers, **size)
    assert result["name"] == name
    assert capsys.readouterr().out.count("\n") == len(result["rows"])
    if peers:
        assert any("pytrec_eval" in row[2] for row in result["rows"])


def test_the_table_goes_between_the_markers(tmp_path):
    run_all = module("run_all")
    path = tmp_path / "benchmarks.md"
    path.write_text(run_all.DOCS.read_text(encoding="utf-8"), encoding="utf-8")
    results = [{"name": "n", "runs": 5, "rows": [["w", "a 1.00 CPU s", "b 4.00 CPU s", "0.250 x", "0.300 x", "yes"]]}]
    for _ in range(2):  # a second time, over what is there
        run_all.write_docs(path, run_all.machine(), results)
    text = path.read_text(encoding="utf-8")
    assert text.count(f"| {' | '.join(results[0]['rows'][0])} |") == 1
    assert text.startswith("# Benchmarks")
    assert text.rstrip().endswith(run_all.DOCS.read_text(encoding="utf-8").rstrip()[-40:])


def test_some_rows_of_the_table_are_replaced_alone(tmp_path):
    run_all = module("run_all")
    path = tmp_path / "benchmarks.md"
    path.write_text(f"# Benchmarks\n{run_all.BEGIN}\n{run_all.END}\nThe end.\n", encoding="utf-8")

    def result(name, value):
        return {"name": name, "runs": 3, "rows": [[f"work of {name}", "a", "b", value, "", ""]]}

    run_all.write_docs(path, "one day.", [result("x", "1.00 s"), result("y", "2.00 s")])
    for value in ("3.00 s", "4.00 s"):
        run_all.write_rows(path, "another day.", [result("x", value), result("z", "5.00 s")])
    text = path.read_text(encoding="utf-8")
    rows = [line.split(" | ")[0::3] for line in text.splitlines() if line.startswith("| work of")]
    assert rows == [["| work of y", "2.00 s"], ["| work of x", "4.00 s"], ["| work of z", "5.00 s"]]
    assert text.count("another day.") == text.count("one day.") == 1
    assert text.endswith("The end.\n")
