"""The fixture `ranking_gate`: a test passes, fails with the sentence of the gate and no traceback, or is skipped."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from helpers.messages import mentions

import rankscope as rs

pytest_plugins = ["pytester"]

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
#: 40 queries with one relevant document, at rank 1, 2 or 4.
QRELS = {f"q{i:02d}": {"a": 1} for i in range(40)}
#: The ranks of the document in each run, again and again.
RANKS = {
    "old": [2, 1, 4, 2],
    "same": [2, 1, 4, 2],
    "better": [1, 1, 2, 4],
    "worse": [4, 2, 8, 4],
    "unclear": [1, 2, 2, 4],
}
#: The calls of a test each, and the words that it fails with; without words it passes.
CALLS = {
    "same_lists": ("'my.qrels', 'old.run', 'same.run', measures='RR', margin=0.02", ()),
    "saved": ("'my.qrels', 'old.parquet', 'same.run', margin=0.02", ()),
    "memory": ("QRELS, rs.Run(OLD, name='old'), rs.Run(OLD, name='new'), measures=['RR'], margin=0.02", ()),
    "table": ("'scores.csv', baseline='old', margin=0.1", ()),
    "scores": ("rs.read_scores('scores.csv'), baseline=['old'], new='new', margin=0.1", ()),
    "looks": ("'my.qrels', 'old.run', 'same.run', margin=0.02, measures='RR', looks=3", ()),
    "worse": (
        "'my.qrels', 'old.run', 'worse.run', margin={'RR': 0.02}",
        ("worse is worse: ", "Hurt most, by RR against old: q01 (-0.5000), q05 (-0.5000)"),
    ),
    "unclear": ("'my.qrels', 'old.run', 'unclear.run', margin={'RR': '2%'}", ("Undecided. ", "Hurt most")),
    "skip_worse": ("'my.qrels', 'old.run', 'worse.run', margin={'RR': '2%'}, undecided='skip'", ("worse is worse",)),
    "one_run": ("'my.qrels', 'old.run', margin=0.02", ("one run", "baseline")),
    "no_file": ("'my.qrels', 'old.run', 'none.run', margin=0.02", ("none.run: no such file",)),
    "margin": ("'my.qrels', 'old.run', 'same.run', margin=-1", ("margin is -1",)),
    "setting": ("'my.qrels', 'old.run', 'same.run', margin=0.02, alfa=0.1", ("alfa is no setting",)),
    "undecided": ("'my.qrels', 'old.run', 'same.run', margin=0.02, undecided='no'", ("undecided is 'no'",)),
}


def run(name: str) -> dict[str, dict[str, float]]:
    ranks = RANKS[name] * 10
    return {q: {"a": 10.0, **{f"x{r}": 20.0 + r for r in range(n - 1)}} for q, n in zip(QRELS, ranks, strict=True)}


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgments, runs, a saved baseline and a table of scores."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in RANKS:
        lines = [f"{q} Q0 {d} 1 {s} {name}\n" for q, docs in run(name).items() for d, s in docs.items()]
        (pytester.path / f"{name}.run").write_text("".join(lines))
    (pytester.path / "my.qrels").write_text("".join(f"{q} 0 a 1\n" for q in QRELS))
    old = rs.evaluate(QRELS, rs.Run(run("old"), name="old"), "RR", hash_lists=True)
    rs.write_scores(old, pytester.path / "old.parquet")
    rows = [f"q{i},{0.5 + i % 7 / 20},{0.4 + i % 7 / 20 + i % 3 / 10}\n" for i in range(60)]
    (pytester.path / "scores.csv").write_text("query,old,new\n" + "".join(rows))
    return pytester.path


def test_tests_pass_fail_in_a_sentence_or_are_skipped(folder: Path, pytester: pytest.Pytester) -> None:
    tests = [f"def test_{name}(ranking_gate):\n    ranking_gate({call})\n" for name, (call, _) in CALLS.items()]
    tests.append(
        "def test_skip(ranking_gate):\n"
        "    ranking_gate('my.qrels', 'old.run', 'unclear.run', margin={'RR': '2%'}, undecided='skip')\n"
    )
    tests.append(
        "def test_result(ranking_gate):\n"
        "    gate = ranking_gate('my.qrels', 'old.run', 'same.run', measures='RR', margin=0.02)\n"
        "    assert gate.exit_code == 0 and gate['RR'].n == 40\n"
    )
    pytester.makepyfile("\n".join([f"import rankscope as rs\nQRELS, OLD = {QRELS}, {run('old')}", *tests]))
    result = pytester.runpytest_subprocess("-p", "rankscope.pytest_plugin", "-p", "no:cacheprovider", "-rs")
    text = result.stdout.str()
    n_failing = sum(bool(words) for _, words in CALLS.values())
    outcomes = {what: n for what, n in result.parseoutcomes().items() if what != "warnings"}  # of older libraries
    assert outcomes == {"passed": len(CALLS) - n_failing + 1, "failed": n_failing, "skipped": 1}, text
    assert mentions(text, "SKIPPED", "Undecided")
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text.partition("short test summary")[0]
    parts = dict(re.findall(r"^_+ test_(\w+) _+\n(.*?)(?=\n_|\n=)", text, re.MULTILINE | re.DOTALL))
    for name, (_, words) in CALLS.items():
        assert (name in parts) == bool(words)
        assert mentions(parts.get(name, ""), *words), name
        assert len(parts.get(name, "").splitlines()) <= 2
    assert (folder / "old.looks.json").is_file()


def test_the_plugin_is_an_entry_point() -> None:
    entry_points = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    assert entry_points == {"rankscope": "rankscope.pytest_plugin"}
    assert hasattr(import_module(entry_points["rankscope"]), "ranking_gate")
