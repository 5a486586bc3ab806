"""Nothing that is read can run: no call of the source unpickles, evaluates or imports what a file says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankscope

SOURCE = Path(rankscope.__file__).parent

#: What can run code that data brings, by the last name of a call or of an import.
RUNNING = {
    "eval", "exec", "exec_module", "compile", "__import__", "import_module", "literal_eval",
    "loads", "load", "Unpickler", "pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib",
    "yaml", "runpy", "codeop", "ctypes", "read_pickle", "system", "popen", "Popen", "check_call",
}  # fmt: skip
#: Calls of these modules' `load` and `loads` make data and nothing else.
DATA = {"json", "safetensors"}
#: What is left, and why it cannot be reached by what a file says.
ALLOWED = {
    ("registry.py", "import_module"): "a place in one of the package's own tables",
    ("cli/_scipy_special.py", "exec_module"): "scipy.special, by the loader that Python has for it",
    ("compat/dunaiski/named_measures.py", "exec_module"): "the Python file that the user names with --measures",
    ("compat/ir_measures/rankscope_provider.py", "import_module"): "ir_measures, where it is installed",
    ("compat/ranx/files.py", "import_module"): "pandas, where it is installed",
    ("io/json_dicts.py", "import_module"): "a fast JSON parser, where one is installed",
    ("io/other_tools/local_datasets.py", "import_module"): "ir_datasets, where it is installed",
    ("io/other_tools/local_datasets.py", "load"): "a data set of ir_datasets, by an id that the user names",
    ("io/json_dicts.py", "loads"): "that parser's, which makes data",
    ("online/logs/solr.py", "eval"): "an expression of polars on the elements of lists, not of a text",
    ("parallel/memory.py", "ctypes"): "asks the system's library how much memory there is",
    ("parallel/threads.py", "ctypes"): "tells the libraries of linear algebra how many threads to use",
    ("measures/names.py", "literal_eval"): "numbers, texts and lists of a measure's name; no calls",
    ("parallel/pool.py", "pickle"): "writes what the workers that this process starts are to share",
    ("parallel/worker.py", "pickle"): "as its parent wrote it",
    ("parallel/worker.py", "load"): "of what its parent wrote into a file that only this user may change",
    ("parallel/unit.py", "pickle"): "between processes that this one started, or on a cluster that the user named",
    ("parallel/unit.py", "loads"): "of a unit on such a cluster, and of what it pickled itself: can that be sent?",
    ("parallel/cluster_run.py", "pickle"): "from a cluster that the user named",
    ("parallel/cluster_run.py", "loads"): "of results, from a cluster that the user named",
    ("parallel/cluster_run.py", "cloudpickle"): "packs what goes to a cluster that the user named",
    ("parallel/cluster.py", "pickle"): "measures what would be sent",
    ("parallel/run.py", "pickle"): "sees whether a function can be sent",
    ("experiments/crossvalidation/models.py", "pickle"): "sees whether a ranker can be sent",
}


def of_module(call: ast.expr) -> str:
    """The name that a call is of: numpy in numpy.load(...)."""
    while isinstance(call, ast.Attribute):
        call = call.value
    return call.id if isinstance(call, ast.Name) else ""


def found_in(tree: ast.AST) -> Iterator[str]:
    """What could run code, by name; NumPy's load where it allows no pickles is data."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (part for name in node.names for part in name.name.split(".") if part in RUNNING)
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").startswith("rankscope"):
                continue  # looked at where it is written
            names = [*(node.module or "").split("."), *(name.name for name in node.names)]
            yield from (name for name in names if name in RUNNING)
        elif isinstance(node, ast.keyword) and node.arg in ("allow_pickle", "shell"):
            if not (isinstance(node.value, ast.Constant) and node.value.value is False):
                yield node.arg
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in RUNNING or (name == "compile" and of_module(node.func) == "re"):
                continue
            safe = any(k.arg == "allow_pickle" for k in node.keywords)  # what it is, is looked at above
            if name in ("load", "loads") and (safe or of_module(node.func) in DATA or in_the_house(node)):
                continue
            yield name


def in_the_house(call: ast.Call) -> bool:
    """Whether a `load` is a function or a method of our own, that does what this test sees it do."""
    return of_module(call.func) in ("load", "self", "checkpoint", "library")  # library: safetensors, see `saved`


def test_only_the_places_that_are_named_here_could_run_code() -> None:
    words = "|".join(sorted(RUNNING))
    a_word = re.compile(rf"\b({words})\(|\b(shell|allow_pickle)\b|^\s*(from|import)\b.*\b({words})\b", re.MULTILINE)
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    found = {
        (name, what) for name, text in texts.items() if a_word.search(text) for what in found_in(ast.parse(text, name))
    }
    assert sorted(found - set(ALLOWED)) == []
    assert sorted(set(ALLOWED) - found) == []  # what is gone need not be allowed


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import pickle", "pickle"),
        ("from pickle import loads", "loads"),
        ("numpy.load(path)", "load"),
        ("numpy.load(path, allow_pickle=True)", "allow_pickle"),
        ("torch.load(path)", "load"),
        ("eval(text)", "eval"),
        ("builtins.exec(text)", "exec"),
        ("import yaml", "yaml"),
        ("import importlib; importlib.import_module(text)", "import_module"),
        ("subprocess.run(text, shell=True)", "shell"),
        ("os.system(text)", "system"),
        ("polars.read_pickle(path)", "read_pickle"),
    ],
)
def test_it_would_see_them(text: str, what: str) -> None:
    assert what in list(found_in(ast.parse(text)))


def test_what_is_data_is_let_through() -> None:
    text = "json.loads(x); numpy.load(x, allow_pickle=False); re.compile(x); json.load(file)"
    assert list(found_in(ast.parse(text))) == []
