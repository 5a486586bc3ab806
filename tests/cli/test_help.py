"""Every help, as somebody reads it who never saw the command: whole, alike everywhere, with an example that runs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
from helpers.random_calls import leaves

from rankscope._version import __version__
from rankscope.cli.main import COMMANDS
from rankscope.demo.collection import SYSTEMS
from rankscope.demo.tour import TOUR, take_tour

LEAVES = {" ".join(path): command for path, command in leaves()}
GROUPS = ("agree", "letor", "features")
#: Files of kinds that the demo has none of; their examples are not run.
OWN = "wmt12 wmt12.csv judged.jcml human.seg.score metrics/ bleu.seg.scr chrf.seg.scr bleu.sys.scr ter.sys.scr"
OWN += " test.txt positions.txt src.de ref.en a.en b.en news.de news.en drawn.jsonl"
#: Files that examples write without an option.
MADE = "bm25.parquet ideal.run waterfall.svg letor.qrels letor.run learned.run rerank.txt bm25.txt"


@pytest.fixture
def told(cli: Callable[..., Any]) -> Callable[..., str]:
    """What a help says, 100 columns wide as on most terminals."""

    def call(*args: str) -> str:
        done = cli(*args)
        assert (done.code, done.err) == (0, ""), args
        return str(done.out)

    return call


def examples(text: str) -> list[list[str]]:
    """The words of the commands in a help; those in its running text are in backquotes."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [shlex.split(line) for line in lines if re.match(r"  rankscope \S", line)]


@pytest.mark.parametrize("name", [*LEAVES, *GROUPS])
def test_a_help_is_laid_out_for_reading_and_has_an_example_of_its_command(told: Callable[..., str], name: str) -> None:
    text = told(*name.split(), "--help")
    assert text == told(*name.split(), "-h")
    if name == "dunaiski":  # by argparse, as the tool has it
        assert "rankscope dunaiski -f demo-ranks.tsv" in text
        return
    assert text.startswith(f"Usage: rankscope {name} ")
    assert "\\b" not in text
    if name == "rankeval":
        assert "rankscope rankeval judged.jcml" in text
    own = [words for words in examples(text) if words[1 : 1 + len(name.split())] == name.split()]
    assert own, "no example"


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_says_what_it_is_and_what_stands_behind_it(name: str) -> None:
    for option in LEAVES[name].params:
        if not isinstance(option, click.Option):
            continue
        assert option.help, option.name
        assert option.help.endswith((".", "?")), option.help
        shown = option.metavar or (option.type.name if not isinstance(option.type, click.Choice) else "")
        if not option.is_flag:
            assert shown not in ("text", "integer", "float", "integer range", "float range"), option.name


def test_an_option_has_one_letter_in_all_commands() -> None:
    letters: dict[str, set[str]] = {}
    for name, command in LEAVES.items():
        if name == "trec_eval":  # has the letters of trec_eval
            continue
        for option in command.params:
            if isinstance(option, click.Option):
                short = [text for text in option.opts if not text.startswith("--")]
                letters.setdefault(max(option.opts, key=len), set()).add(" ".join(short))
    assert {name: found for name, found in letters.items() if found != {""}} == {
        "--measure": {"-m"},
        "--output": {"-o"},
    }


@pytest.mark.parametrize("name", [name for name in LEAVES if name != "dunaiski"])
def test_the_examples_have_the_options_that_there_are_and_the_files_of_the_demo(
    told: Callable[..., str], name: str
) -> None:
    there = {word for step in TOUR for word in step.command.split()}
    there |= {f"{system}.run" for system in SYSTEMS} | set(OWN.split()) | set(MADE.split())
    for words in examples(told(*name.split(), "--help")):
        path = next(path for path in LEAVES if words[1 : 1 + len(path.split())] == path.split())
        LEAVES[path].make_context(path, words[1 + len(path.split()) :])  # raises where click would refuse
        there |= {
            after for option, after in pairwise(words) if option in ("-o", "--log", "--save-parameters", "--checkpoint")
        }
        for word in words:
            if re.fullmatch(r"[\w/*-]+\.[a-z]{2,}(\.[a-z]+)?", word) and not word.startswith("demo-mt/"):
                assert word in there, (words, word)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("help") / "demo"
    take_tour(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAVES)
def test_the_examples_run_where_the_demo_is(
    told: Callable[..., str], commands: dict[str, str], demo: Path, tmp_path: Path, name: str
) -> None:
    place = tmp_path / "demo"
    shutil.copytree(demo, place)
    text = told(*name.split(), "--help")
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    found = [line.strip() for line in lines if re.match(r"  rankscope \S", line)]
    if name == "dunaiski":
        found = ["rankscope dunaiski -f demo-ranks.tsv -i 5 -s 7"]
    for line in found:
        if set(shlex.split(line)) & set(OWN.split()):
            continue
        done = subprocess.run(line, shell=True, cwd=place, env=commands, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
        assert not [one for one in done.stderr.splitlines() if one.startswith("rankscope:")], (line, done.stderr)


def test_a_call_without_arguments_shows_the_overview(told: Callable[..., str], cli: Callable[..., Any]) -> None:
    text = told()
    assert text == told("--help") == told("-h")
    for name, (_, what) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(what[:40])}", text, re.MULTILINE)
    for name in GROUPS:
        assert told(name) == told(name, "--help")
    assert told("--version") == f"rankscope, version {__version__}\n"


@pytest.mark.parametrize("name", [name for name in LEAVES if name not in ("measures", "demo", "dunaiski")])
def test_a_command_without_arguments_says_what_is_missing_and_where_help_is(cli: Callable[..., Any], name: str) -> None:
    done = cli(*name.split())
    if name.startswith("letor"):
        assert (done.code, done.err) == (255, "")
        assert done.out.startswith(f"Usage: rankscope {name}")
        return
    assert (done.code, done.out) == (2, "")
    assert re.search(r"Missing (argument|option)|no output file", done.err)
    assert done.err.endswith(f"`rankscope {name} --help`\n") or "name a file" in done.err
