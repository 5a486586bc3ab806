"""The docs are true: every example runs and prints what the page says, every link leads somewhere.

Fenced blocks are `python` (doctests; a page shares its names), `console` (lines beginning "$ " are commands, the others
their output, letter for letter but for the last digits of numbers in full), or `text` (not run). A page's blocks run
one after the other in one fresh folder that `rankscope demo .` has filled. Blocks marked with the name of a folder of
the real data (`console trec`, `python trec`, `console wmt12`) run on its files instead, where they are; those marked
with a package (`python torch`) where that is installed.
"""

import doctest
import importlib.util
import operator
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.forks import run_command
from helpers.same import same_but_last_digits

import rankscope
from rankscope.cli.agree._group import COMMANDS as AGREE
from rankscope.cli.features._group import COMMANDS as FEATURES
from rankscope.cli.main import COMMANDS
from rankscope.demo import write_demo
from rankscope.demo.tour import TOUR

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DATA = Path(os.environ.get("RANKSCOPE_DATA") or ROOT.parent / "shared" / "data")
UPDATE = bool(os.environ.get("RANKSCOPE_UPDATE_GOLDEN"))
GENERATED = {"benchmarks.md", "measures.md", "modules.md"}
#: Folders of the real data, and what is in them; those that take long are for `make test-all`.
REAL = {"trec": "the runs of TREC Robust 2003", "wmt12": "the judgments and texts of WMT12"}
LONG = {"wmt12"}
#: Packages that some examples ask for, and the extra each is in: blocks marked with one run where it is installed, on
#: the files of the demo.
EXTRAS = {"torch": "torch", "lightgbm": "learn"}
#: Frameworks that no environment of the project brings: their blocks run where somebody has installed them.
FRAMEWORKS = ("xgboost", "catboost", "llama_index", "haystack", "pyterrier", "mlflow", "wandb")
KINDS = {"python", "console", "text"} | {
    f"{kind} {name}" for kind in ("python", "console") for name in (*REAL, *EXTRAS, *FRAMEWORKS)
}


class Block(NamedTuple):
    kind: str
    text: str
    line: int


def blocks_of(text):
    found, kind, inside, start = [], None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            inside.append(line)
        elif kind is None:
            kind, inside, start = line[3:].strip(), [], number
        else:
            found.append(Block(kind, "\n".join(inside) + "\n", start))
            kind = None
    assert kind is None, f"the block of line {start} does not end"
    return found


def without_version(text):
    return re.sub(r"\b(rankscope|sacrebleu)(,? version)? \d+\.\d+\.\d+\S*", r"\1\2 VERSION", text)


def run_console(block, folder, page, env):
    """Run a block's commands and compare all that they print, standard error included."""
    steps = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert steps[0] == "", f"{page}:{block.line}: a console block begins with a command"
    for step in steps[1:]:
        command, _, expected = step.partition("\n")
        done = run_command(command, folder, env, one_stream=True)
        found = "\n".join(line.rstrip() for line in without_version(done.stdout).splitlines()).rstrip("\n")
        wanted = without_version(expected).rstrip("\n")
        if UPDATE and not same_but_last_digits(found, wanted) and found != wanted:
            printed = "\n".join(line.rstrip() for line in done.stdout.splitlines()).rstrip("\n")
            replace_in(page, f"$ {command}\n{expected}", f"$ {command}\n{with_output(expected, printed)}")
            continue
        assert same_but_last_digits(found, wanted) or found == wanted, f"{page}:{block.line}: {command}"


def with_output(expected, printed):
    """What follows a command: the lines that it printed, then the blank lines that the page has there."""
    written = expected.rstrip("\n")
    blank = expected[len(written) + bool(written) :]  # without the end of the last line
    return f"{printed}\n{blank}" if printed else blank


def replace_in(page, old, new):
    """Write what was printed into the page: with RANKSCOPE_UPDATE_GOLDEN, whose changes are then read."""
    path = next(path for path in PAGES if path.name == page)
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{page}: {old!r} stands {text.count(old)} times"
    path.write_text(text.replace(old, new), "utf-8")


class Updating(doctest.DocTestRunner):
    """Writes what examples print into the page."""

    def report_failure(self, out, test, example, got):
        first, *more = example.source.splitlines()
        source = "\n".join([f">>> {first}", *(f"... {line}" for line in more)])
        got = re.sub(r"(?m)^(Traceback .*\n)(?: .*\n)+", r"\1    ...\n", got)
        printed = "".join(line if line.strip() else "<BLANKLINE>\n" for line in got.splitlines(keepends=True))
        replace_in(test.filename, f"{source}\n{example.want}", f"{source}\n{printed}")


class AnyVersion(doctest.OutputChecker):
    """Of any version, and with any last digits of numbers that are printed in full."""

    def check_output(self, want, got, optionflags):
        want, got = without_version(want), without_version(got)
        return super().check_output(want, got, optionflags) or same_but_last_digits(got, want)


def run_python(block, names, page):
    """Run a block as a doctest in the page's names."""
    assert ">>> " in block.text, f"{page}:{block.line}: a python block is written with >>>"
    test = doctest.DocTestParser().get_doctest(block.text, names, f"{page}:{block.line}", page, block.line)
    test.globs = names  # shared with the blocks that follow
    report = []
    (Updating if UPDATE else doctest.DocTestRunner)(AnyVersion()).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def run_page(blocks, folder, page, monkeypatch, env):
    monkeypatch.chdir(folder)
    names = {"__name__": "__main__"}
    for block in blocks:
        if block.kind.startswith("console"):
            run_console(block, folder, page, env)
        else:
            run_python(block, names, page)


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder)
    return folder


def pages_with(*kinds):
    return [
        pytest.param(page, id=page.name)
        for page in PAGES
        if any(block.kind in kinds for block in blocks_of(page.read_text("utf-8")))
    ]


@pytest.mark.parametrize("page", pages_with("python", "console"))
def test_every_example_prints_what_the_page_says(page, demo_files, tmp_path, monkeypatch, own_measures, commands):
    folder = tmp_path / "page"
    shutil.copytree(demo_files, folder)
    blocks = [b for b in blocks_of(page.read_text("utf-8")) if b.kind in ("python", "console")]
    run_page(blocks, folder, page.name, monkeypatch, commands)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        pytest.param(name, *page.values, id=f"{name} {page.id}")
        for name in EXTRAS
        for page in pages_with(f"python {name}", f"console {name}")
    ],
)
def test_every_example_of_an_extra_prints_what_the_page_says(name, page, demo_files, tmp_path, monkeypatch, commands):
    pytest.importorskip(name, reason=f"{name} is not installed: pip install 'rankscope[{EXTRAS[name]}]'")
    folder = tmp_path / "page"
    shutil.copytree(demo_files, folder)
    blocks = [b for b in blocks_of(page.read_text("utf-8")) if b.kind.endswith(f" {name}")]
    run_page(blocks, folder, page.name, monkeypatch, commands)


@pytest.mark.filterwarnings("ignore")  # those of frameworks are theirs
@pytest.mark.parametrize(
    ("name", "page"),
    [
        pytest.param(name, *page.values, id=f"{name} {page.id}")
        for name in FRAMEWORKS
        for page in pages_with(f"python {name}")
    ],
)
def test_every_recipe_for_a_framework_prints_what_the_page_says(name, page, demo_files, tmp_path, monkeypatch):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"the framework {name} is not here: no environment of the project brings it")
    shutil.copytree(demo_files, folder := tmp_path / "page")
    blocks = [b for b in blocks_of(page.read_text("utf-8")) if b.kind == f"python {name}"]
    run_page(blocks, folder, page.name, monkeypatch, {})


@pytest.mark.parametrize(
    ("name", "page"),
    [
        pytest.param(name, *page.values, id=f"{name} {page.id}", marks=[pytest.mark.slow] if name in LONG else [])
        for name in REAL
        for page in pages_with(f"python {name}", f"console {name}")
    ],
)
def test_every_example_on_real_data_prints_what_the_page_says(name, page, tmp_path, monkeypatch, commands):
    if not (DATA / name).is_dir():
        pytest.skip(f"{REAL[name]} are not here; RANKSCOPE_DATA names the folder in which {name} is")
    folder = tmp_path / name
    folder.mkdir()
    for source in (DATA / name).iterdir():
        (folder / source.name).symlink_to(source)
    blocks = [b for b in blocks_of(page.read_text("utf-8")) if b.kind.endswith(f" {name}")]
    run_page(blocks, folder, page.name, monkeypatch, commands)


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in GENERATED], ids=lambda page: page.name)
def test_every_block_says_whether_it_is_run(page):
    for block in blocks_of(page.read_text("utf-8")):
        assert block.kind in KINDS, f"{page.name}:{block.line}: a block is one of {', '.join(sorted(KINDS))}"


def anchors(text):
    """The anchors of a page's headings, as they are made where the page is shown."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page):
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name) if name else page
        assert path.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(path.read_text("utf-8")), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_a_page_names_exists(page):
    """`tests/test_docs.py` and `tests/test_docs.py::test_name`, wherever they stand."""
    for path, name in re.findall(r"`((?:tests|src|benchmarks|docs)/[\w/.-]+)(?:::(\w+))?`", page.read_text("utf-8")):
        assert (ROOT / path).exists(), f"{page.name} names {path}"
        assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8"), f"{page.name} names {path}::{name}"


def test_the_table_of_functions_has_every_command_and_its_names_exist():
    section = (ROOT / "docs" / "start.md").read_text("utf-8").split("## The commands in Python\n")[1].split("\n## ")[0]
    commands, functions = (set(re.findall(pattern, section)) for pattern in (r"`([a-z\d -]+)`", r"`(rs\.[\w.]+)`"))
    named = {name.split()[-1] for name in commands}
    replaced = {"trec_eval", "letor", "rankeval", "dunaiski"}
    assert {*COMMANDS, *AGREE, *FEATURES} - named == {"agree", "features", *replaced}
    for name in functions:
        assert callable(operator.attrgetter(name.removeprefix("rs."))(rankscope)), name


def test_every_page_can_be_reached_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
        todo += [(page.parent / link).resolve() for link in links if not link.startswith("http")]
    assert set(PAGES) <= reached


def test_the_page_of_measures_is_the_one_that_make_docs_writes(tmp_path, commands):
    made = tmp_path / "measures.md"
    command = ["rankscope", "measures", "--format", "markdown", "-o", str(made)]
    subprocess.run(command, check=True, env=commands)
    assert made.read_text("utf-8") == (ROOT / "docs" / "measures.md").read_text("utf-8"), "run `make docs`"


def test_the_table_of_layers_is_the_contract():
    with open(ROOT / "pyproject.toml", "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = text[text.index("| layer, highest first |") :].split("\n\n")[0].splitlines()[2:]
    assert [line.split("|")[1].strip() for line in table] == [
        layer.replace("rankscope.", "").replace(" | ", ", ") for layer in layers
    ]


def test_the_list_of_modules_is_the_one_that_make_docs_writes():
    made = subprocess.run([sys.executable, ROOT / "docs" / "modules.py"], capture_output=True, check=True).stdout
    assert made.decode() == (ROOT / "docs" / "modules.md").read_text("utf-8"), "run `make docs`"


def test_the_page_on_architecture_is_short_and_names_every_folder():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert len(text.splitlines()) <= 160
    folders = [path.parent.name for path in (ROOT / "src" / "rankscope").glob("*/__init__.py")]
    assert all(f"{name}/ " in text for name in folders)


def test_the_changelog_tells_of_this_version_and_has_the_heading_for_numbers_that_change():
    from rankscope import __version__

    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(__version__)}\b", text, flags=re.MULTILINE)
    assert "### Numbers that change" in text


def test_a_wrong_example_is_found(tmp_path, commands, monkeypatch):
    """The tests above can fail: the harness is shown wrong output, of a command and in Python."""
    monkeypatch.setitem(globals(), "UPDATE", False)  # else it would be written into a page that there is not
    with pytest.raises(AssertionError, match="rankscope --version"):
        run_console(Block("console", "$ rankscope --version\nrankscope, version none\n", 1), tmp_path, "page", commands)
    run_console(Block("console", "$ rankscope --version\nrankscope, version 9.9.9\n", 1), tmp_path, "page", commands)
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), {}, "page")
    run_python(Block("python", ">>> 1 + 1\n2\n", 1), {}, "page")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$ echo 100\n", "$ echo 100\n100\n"),  # the page had no output yet
        ("$ echo 100\nold\nolder\n", "$ echo 100\n100\n"),
        ("$ echo 100\n\n$ true\nold\n\n$ echo 3\n", "$ echo 100\n100\n\n$ true\n\n$ echo 3\n3\n"),
        ("$ true\nold\n", "$ true\n"),
    ],
)
def test_what_commands_print_is_written_into_the_page(before, after, tmp_path, monkeypatch, commands):
    page = tmp_path / "page.md"
    page.write_text(f"Text.\n\n```console\n{before}```\n\nMore.\n", "utf-8")
    monkeypatch.setitem(globals(), "PAGES", [page])
    monkeypatch.setitem(globals(), "UPDATE", True)
    (block,) = blocks_of(page.read_text("utf-8"))
    run_console(block, tmp_path, "page.md", commands)
    assert page.read_text("utf-8") == f"Text.\n\n```console\n{after}```\n\nMore.\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_an_example_fails_only_where_rankscope_refuses(page: Path) -> None:
    """Else a broken example could stand there with its own failure as what it prints."""
    text = page.read_text(encoding="utf-8")
    raised = re.findall(r"^Traceback \(most recent call last\):\n(?: .*\n)*(\S+)", text, re.MULTILINE)
    assert all(error.startswith("rankscope.errors.") for error in raised), raised


def test_each_line_of_the_readme_is_a_step_of_the_tour_which_another_test_runs():
    rows = [line for line in PAGES[0].read_text("utf-8").splitlines() if line.startswith("| ")]
    lines = [row.split(" | ")[-1].removesuffix(" |").strip("`") for row in rows]
    lines = [line for line in lines if line.startswith("rankscope ")]
    assert len(lines) > 10
    assert set(lines) <= {step.command for step in TOUR}
