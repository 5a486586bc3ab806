"""The house stands: public names, what is loaded when, docstrings, sizes, dependencies."""

import ast
import dataclasses
import graphlib
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
import types
from functools import cache
from pathlib import Path

import pytest

import rankscope
import rankscope.stats
from rankscope.demo.collection import write_collection
from rankscope.measures import MEASURES

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MODULES = ["rankscope", *(m.name for m in pkgutil.walk_packages(rankscope.__path__, "rankscope."))]
NAMES = [name for name in rankscope.__all__ if name != "__version__"]


@cache
def code(path):
    return ast.parse(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def nodes():
    """Of every source, its imports and functions."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef)
    yield {path: [node for node in ast.walk(code(path)) if isinstance(node, kinds)] for path in SOURCES}
    code.cache_clear()


def python(script, *args, **options):
    return subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True, **options)


# Names


def test_no_package_or_module_shadows_a_public_name():
    for module in MODULES:
        importlib.import_module(module)
    for name in NAMES:
        home = importlib.import_module(f"rankscope.{rankscope.HOMES[name]}")
        assert not isinstance(getattr(rankscope, name), types.ModuleType), name
        assert getattr(rankscope, name) is getattr(home, name), name
        assert callable(getattr(rankscope, name)), name


def test_public_names_agree_in_all_homes_and_type_checking():
    (block,) = (
        node
        for node in code(ROOT / "src" / "rankscope" / "__init__.py").body
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    )
    shown = {alias.name: node.module for node in block.body for alias in node.names}
    assert shown == {name: f"rankscope.{home}" for name, home in rankscope.HOMES.items()}
    assert set(rankscope.__all__) == {*rankscope.HOMES, "__version__"}
    assert rankscope.__all__ == sorted(rankscope.__all__)
    assert dir(rankscope) == sorted(rankscope.__all__)


#: Packages and folders whose names are loaded when they are first used.
LAZY = [name for name in MODULES if hasattr(importlib.import_module(name), "HOMES")]


@pytest.mark.parametrize("name", LAZY)
def test_every_lazy_name_is_where_its_table_says(name):
    package = importlib.import_module(name)
    for public, home in package.HOMES.items():
        assert getattr(package, public) is getattr(importlib.import_module(f"{name}.{home}"), public), public
        assert not isinstance(getattr(package, public), types.ModuleType), public


@pytest.mark.parametrize("name", LAZY)
def test_what_a_folder_lists_for_type_checkers_is_what_it_loads(name):
    package = importlib.import_module(name)
    blocks = [
        node
        for node in code(Path(package.__file__)).body
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    for block in blocks:
        shown = {alias.name: node.module for node in block.body for alias in node.names}
        assert shown == {public: f"{name}.{home}" for public, home in package.HOMES.items()}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        _ = rankscope.evalute


def test_what_a_module_lists_as_its_own_exists():
    modules = map(importlib.import_module, MODULES)
    listed = [(module, public) for module in modules for public in getattr(module, "__all__", ())]
    assert len(listed) > len(MODULES)
    assert not [f"{module.__name__}.{public}" for module, public in listed if not hasattr(module, public)]


# What is loaded

HEAVY = {"scipy", "polars", "altair", "torch", "lightgbm", "pandas", "pyarrow", "rich", "dask", "distributed", "fsspec"}
#: What only workers and clusters need, and takes long to load, too.
OF_WORKERS = {"asyncio", "logging", "multiprocessing"}
LOADED = "import sys; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
EVALUATE = """
import sys
from rankscope.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)
"""


def test_import_rankscope_loads_no_numpy():
    assert "numpy" not in python("import rankscope; " + LOADED).stdout.split()


@pytest.mark.parametrize("options", [[], ["--by-query", "--format", "json"], ["--format", "latex", "-m", "ERR@20"]])
def test_evaluating_text_files_loads_nothing_heavy(tmp_path, options):
    write_collection(tmp_path)
    done = python(EVALUATE, "evaluate", "demo.qrels", "bm25.run", "boolean.run", *options, cwd=tmp_path)
    loaded = set(done.stderr.split())
    assert "numpy" in loaded
    assert not loaded & (HEAVY | OF_WORKERS)
    assert "bm25" in done.stdout


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["evaluate", "--help"]])
def test_help_loads_no_reader_of_frames(args):
    assert not set(python(EVALUATE, *args).stderr.split()) & HEAVY


# Docstrings


#: Every public name with its object: of the package, and of its statistics.
PUBLIC = {name: getattr(rankscope, name) for name in NAMES} | {
    f"stats.{name}": getattr(rankscope.stats, name) for name in rankscope.stats.__all__
}
CALLED = {name: thing for name, thing in PUBLIC.items() if callable(thing)}
#: Who needs no example, and why.
SHOWN_ELSEWHERE = {
    **dict.fromkeys((n for n, c in CALLED.items() if inspect.isclass(c) and issubclass(c, Exception)), "it is raised"),
    **dict.fromkeys((n for n, c in CALLED.items() if n.startswith("stats.") and inspect.isclass(c)), "a test gives it"),
}
#: Classes that are given by a function, which says what it refuses.
GIVEN = ("Comparison", "ConventionTable", "Gate", "Hits", "Leaderboard", "QueryPlan", "RunDiff", "Scores")


def test_what_is_public_and_not_called_is_a_table_of_names():
    assert {name for name in PUBLIC if name not in CALLED} == {
        *("stats.CORRECTIONS", "stats.SPENDING", "stats.STANDARDISATIONS")
    }


@pytest.mark.parametrize("name", CALLED)
def test_every_public_name_has_a_docstring_of_its_own(name):
    doc = CALLED[name].__doc__
    assert doc
    assert doc.strip()[0].isupper() or doc.strip()[0] in "`[("
    assert not doc.startswith(f"{name.rpartition('.')[2]}("), "a dataclass without one is given its signature"


@pytest.mark.parametrize("name", [name for name in CALLED if name not in SHOWN_ELSEWHERE])
def test_every_public_name_has_an_example(name):
    assert ">>> " in CALLED[name].__doc__


@pytest.mark.parametrize("name", [name for name in CALLED if name not in {*SHOWN_ELSEWHERE, *GIVEN}])
def test_what_can_be_refused_is_said(name):
    assert re.search(r"\b[Rr]aises?\b", CALLED[name].__doc__)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda measure: measure.name)
def test_every_measure_says_its_range_and_direction(measure):
    doc = " ".join(measure.__doc__.split()).lower()
    if measure.summary == "sum":
        assert "; a count" in doc
        return
    assert measure.summary == "mean" or (measure.summary == "geometric" and "geometric mean" in doc)
    low, high = measure.range
    unbounded = "unbounded" if low == -float("inf") else "at least 0"
    assert (unbounded if high == float("inf") else f"in [{low:g}, {high:g}]") in doc
    directions = {True: "higher is better", False: "lower is better", None: "no direction"}
    assert directions[measure.higher_is_better] in doc


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda measure: measure.name)
def test_every_measure_describes_its_parameters_and_names_its_source(measure):
    sections = re.split(r"^([A-Z][a-z]+)\n-{3,}\n", inspect.cleandoc(measure.__doc__), flags=re.MULTILINE)
    sections = dict(zip(sections[1::2], sections[2::2], strict=True))
    described = [
        name for line in re.findall(r"^\S.*", sections.get("Parameters", ""), re.MULTILINE) for name in line.split(", ")
    ]
    expected = [field.name for field in dataclasses.fields(measure)]
    assert described == expected, "Parameters describes every field in this order, those of the base class, too"
    assert " ".join(sections.get("References", "").split()) == f"{measure.source}.", "References is `source` and a dot"


def test_every_module_says_what_it_is():
    assert not [str(path.relative_to(ROOT / "src")) for path in SOURCES if not ast.get_docstring(code(path))]


# Imports


@cache
def home_of(module, name):
    """The module that an import leads to: of a package, the one where its name is."""
    package = importlib.import_module(module)
    if f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    home = getattr(package, "HOMES", {}).get(name)
    return home_of(f"{module}.{home}", name) if home else module


def test_no_module_imports_itself_by_way_of_others(nodes):
    """Imports within functions and for types count, too."""
    graph = {}
    for path in SOURCES:
        name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if path.name == "__init__.py":
            continue
        graph[name] = {
            home_of(node.module, alias.name)
            for node in nodes[path]
            if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "rankscope"
            for alias in node.names
        }
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_no_module_imports_past_the_init_of_a_sub_folder(nodes):
    """Siblings use what the `__init__` of a sub-folder lists; only the package that holds it looks inside."""
    packages = {".".join(path.parent.relative_to(ROOT / "src").parts) for path in SOURCES if path.name == "__init__.py"}
    past = []
    for path in SOURCES:
        home = ".".join(path.parent.relative_to(ROOT / "src").parts)
        for node in nodes[path]:
            if isinstance(node, ast.ImportFrom) and node.module.startswith("rankscope."):
                parts = node.module.split(".")
                for n in range(3, len(parts)):
                    folder = ".".join(parts[:n])
                    inside = home == folder or home.startswith(f"{folder}.") or home == ".".join(parts[: n - 1])
                    if folder in packages and not inside:
                        past.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.module}")
    assert past == []


# Sizes


def lines_of_code(function):
    """How many lines a function has, its docstring not counted."""
    first = function.body[0]
    is_doc = ast.get_docstring(function) is not None
    return function.end_lineno - function.lineno + 1 - is_doc * (first.end_lineno - first.lineno + 1)


def test_no_function_is_longer_than_60_lines(nodes):
    long = [
        f"{path.name}: {node.name} has {lines_of_code(node)} lines"
        for path in SOURCES
        for node in nodes[path]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and lines_of_code(node) > 60
    ]
    assert long == []


# What is shipped


def tracked():
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [ROOT / name for name in os.fsdecode(listed.stdout).split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_path_of_somebodys_machine():
    homes = re.compile(rb"(?<![\w./-])/(?:home|Users|root|work)/\w+")
    mine = str(ROOT).encode()
    found = []
    for path in tracked():
        content = path.read_bytes()
        if homes.search(content) or (len(ROOT.parts) > 2 and mine in content):
            found.append(str(path.relative_to(ROOT)))
    assert found == []


#: The module that a distribution of another name holds.
MODULES_OF = {"vl-convert-python": "vl_convert"}


def test_every_dependency_is_imported_somewhere_and_every_import_is_a_dependency(nodes):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = ("report", "mt", "learn", "torch", "scale")
    required = [*project["dependencies"], *(r for extra in extras for r in project["optional-dependencies"][extra])]
    names = [re.split(r"[^\w-]", r)[0].lower() for r in required]
    declared = {MODULES_OF.get(name, name.partition(".")[0]) for name in names}
    imported = set()
    for path in SOURCES:
        for node in nodes[path]:
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported.add(node.module.partition(".")[0])
    outside = imported - set(sys.stdlib_module_names) - {"rankscope"} - {"compression"}  # of Python 3.14
    outside.remove("pytest")  # which alone loads its plugin
    outside -= {"sklearn", "pandas"}  # wanted only by who has them: tags of a Ranker, a scorer, data frames
    assert declared == outside


def test_every_package_has_a_folder_of_tests():
    packages = {p.parent.name for p in (ROOT / "src" / "rankscope").glob("*/__init__.py")}
    mirrored = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir()}
    assert packages - mirrored == set()
