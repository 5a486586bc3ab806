"""Nothing is asked of the network unless the user names a URL or a cluster: commands run where sockets are forbidden.

The commands run in a process of their own, and so do their workers, all with a hook of Python's audit that refuses
sockets of the Internet and names to look up, and writes down who asked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.data.section import Figure
from rankscope.demo.collection import write_collection
from rankscope.demo.tour import TOUR
from rankscope.reporting import figures

#: Loaded by each Python before anything else. Sockets of one machine (AF_UNIX) stay: processes talk by them.
GUARD = """
import os, socket, sys

def guard(event, args):
    internet = event == "socket.__new__" and args[1] in (socket.AF_INET, socket.AF_INET6)
    if internet or event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request"):
        with open(os.environ["ASKED_OF_NETWORK"], "a") as file:
            file.write(f"{event} {args[1:]!r}\\n")
        raise RuntimeError("the network is forbidden here")

sys.addaudithook(guard)
"""
#: Commands that the quick test runs; the slow one runs the whole tour.
QUICK = (
    "evaluate demo.qrels rerank.run hybrid.run --workers 2",
    "evaluate demo.qrels bm25.run --by-query --format csv -o scores.csv --save scores.parquet",
    "compare demo.qrels rerank.run hybrid.run -m nDCG@10",
    "consensus bm25.run dense.run rerank.run --format csv",
    "fuse bm25.run dense.run -o fused.run",
    "convert bm25.run bm25.jsonl",
    "measures nDCG",
)


@pytest.fixture
def alone(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """The environment of processes without a network, and the file that says who asked for one."""
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD)
    asked = tmp_path / "asked"
    paths = [str(guard), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Tests that measure coverage start it by a module of this name, too; here it is the guard.
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "ASKED_OF_NETWORK": str(asked)}, asked


def python(code: str, env: dict[str, str], *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *args], env=env, cwd=cwd, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "from multiprocessing import get_context as c\n"
        "import socket\n"
        "if __name__ == '__main__':\n"
        "    p = c('spawn').Process(target=socket.socket); p.start(); p.join(); assert p.exitcode == 0",
    ],
    ids=["socket", "socket of version 6", "a name", "a page", "in a process of its own"],
)
def test_the_guard_sees_who_asks(alone: tuple[dict[str, str], Path], code: str) -> None:
    env, asked = alone
    assert python(code, env).returncode != 0
    assert asked.read_text().startswith(("socket", "urllib"))


#: Runs a list of commands in one process, since starting one takes longer than most of them.
SEVERAL = """
import contextlib, io, json, sys
from rankscope.cli.main import main
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            main(words)
        except SystemExit as end:
            if end.code:
                raise SystemExit(f"{words}: {end.code}")
"""


def test_commands_ask_nothing_of_the_network(tmp_path: Path, alone: tuple[dict[str, str], Path]) -> None:
    env, asked = alone
    write_collection(tmp_path / "demo")
    several = [words.split() for words in QUICK]
    done = python(SEVERAL, env, json.dumps(several), cwd=tmp_path / "demo")
    assert done.returncode == 0, done.stderr
    assert not asked.exists()


@pytest.mark.slow
def test_every_command_of_the_tour_asks_nothing_of_the_network(
    tmp_path: Path, alone: tuple[dict[str, str], Path]
) -> None:
    env, asked = alone
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    for place, command in enumerate(["rankscope demo demo", *(step.command for step in TOUR)]):
        folder = tmp_path / "demo" if place else tmp_path
        done = subprocess.run(command, shell=True, env=env, cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert not asked.exists(), command


WORKERS = """
import rankscope as rs
from rankscope.parallel import run_units

def look(n):
    import os, socket
    try:
        socket.socket()
    except RuntimeError:
        return n * 2
    return -1

if __name__ == "__main__":
    import sys
    scores = rs.evaluate(sys.argv[1], sys.argv[2], ["AP"], workers=2)
    print(scores.overall("AP") > 0, list(run_units(look, [1, 2, 3, 4], workers=2)))
"""


def test_workers_start_and_work_without_a_network(tmp_path: Path, alone: tuple[dict[str, str], Path]) -> None:
    """Here the workers ask, to see that the guard is theirs as well: four times, and nobody else."""
    env, asked = alone
    (tmp_path / "q").write_text("".join(f"{q} 0 d{d} {d % 2}\n" for q in range(50) for d in range(20)))
    (tmp_path / "r").write_text("".join(f"{q} Q0 d{d} 1 {9 - d} x\n" for q in range(50) for d in range(20)))
    script = tmp_path / "script.py"
    script.write_text(WORKERS)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "q"), str(tmp_path / "r")], env=env, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("True [2, 4, 6, 8]\n", "", 0)
    assert len(asked.read_text().splitlines()) == 4


class Hosts(HTMLParser):
    """What a page would load or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action", "formaction", "srcset", "poster", "data", "background"):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.slow
def test_a_report_and_a_figure_refer_to_no_host(tmp_path: Path) -> None:
    write_collection(tmp_path)
    page = rs.report(tmp_path / "demo.qrels", [tmp_path / "bm25.run", tmp_path / "dense.run"], ["nDCG@10", "AP"]).html
    hosts = Hosts()
    hosts.feed(page)
    assert [one for one in hosts.found if "=#" not in one] == []
    assert "@import" not in page
    assert re.findall(r"url\((?!['\"]?#)[^)]*\)", page) == []
    drawn = figures.as_html(Figure("leaderboard", {"systems": ["a", "b"], "means": [1, 2], "measure": "AP"}))
    hosts = Hosts()
    hosts.feed(drawn)
    assert [one for one in hosts.found if "=#" not in one] == []
