"""The composite action: its steps run in a shell as a runner of GitHub runs them, without a network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.messages import mentions

ROOT = Path(__file__).resolve().parent.parent
ACTION = ROOT / "action.yml"
PROGRAMS = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not ACTION.is_file() or not shutil.which("bash") or os.name == "nt", reason="needs the checkout and bash"
)

QRELS = "".join(f"q{i} 0 a 1\n" for i in range(40))
#: The ranks of the relevant document, again and again.
RANKS = {"old": [2, 1, 4, 2], "same": [2, 1, 4, 2], "worse": [4, 2, 8, 4], "unclear": [1, 2, 2, 4]}
#: A `gh` that keeps what it is called with; it has a comment already if there is a file.
GH = """#!/bin/sh
printf '%s\\n' "$*" >> calls.txt
case "$*" in *--paginate*) cat comments.txt 2> /dev/null || true;; esac
"""


class Step(NamedTuple):
    name: str
    condition: str
    env: dict[str, str]
    run: str


def parse_steps(text: str) -> list[Step]:
    """The steps of the action, which is written plainly enough to be read without a library."""
    steps = []
    for part in re.split(r"^    - name: ", text.partition("  steps:\n")[2], flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        head, _, script = body.partition("      run: |\n")
        assert "      shell: bash\n" in head
        condition = re.search(r"^      if: (.*)$", head, re.MULTILINE)
        env = dict(re.findall(r"^        (\w+): (.*)$", head, re.MULTILINE))
        lines = [line.removeprefix("        ") for line in script.rstrip().splitlines()]
        steps.append(Step(name, condition[1] if condition else "", env, "\n".join(lines) + "\n"))
    return steps


def declared(text: str, part: str) -> dict[str, str]:
    """The inputs or outputs, with their default or value; "" where there is none."""
    section = re.search(rf"^{part}:\n((?:  .*\n|\n)*)", text, re.MULTILINE)
    assert section is not None
    entries = re.split(r"^  ([\w-]+):\n", section[1], flags=re.MULTILINE)[1:]
    return {
        name: next(iter(re.findall(r"^    (?:default|value): (.*)$", body, re.MULTILINE)), "").strip('"')
        for name, body in zip(entries[::2], entries[1::2], strict=True)
    }


class Runner:
    """A runner that knows expressions with one name, and keeps outputs of steps."""

    def __init__(self, folder: Path, inputs: Mapping[str, str], event: str) -> None:
        self.text = ACTION.read_text("utf-8")
        self.folder = folder
        known = declared(self.text, "inputs")
        assert set(inputs) <= set(known)
        self.values = {f"inputs.{name}": value for name, value in {**known, **inputs}.items()}
        self.values |= {"github.token": "secret", "github.repository": "me/search", "github.event_name": event}
        self.values |= {"github.event.pull_request.number": "7", "github.action_path": str(ROOT)}
        self.files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}

    def value(self, expression: str) -> str:
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: self.value(self.values.get(match[1], "")), expression)

    def applies(self, condition: str) -> bool:
        parts = [part.split(" == ") for part in condition.split(" && ")] if condition else []
        return all(self.values[name] == value.strip("'") for name, value in parts)

    def run(self) -> tuple[int, str]:
        """Exit code and what was printed."""
        printed = ""
        for path in self.files.values():
            path.touch()
        for step in parse_steps(self.text):
            if step.name == "Install" or not self.applies(step.condition):
                continue
            env = {**os.environ, **{name: self.value(text) for name, text in step.env.items()}}
            env |= {name: str(path) for name, path in self.files.items()} | {"RUNNER_TEMP": str(self.folder / "temp")}
            env["PATH"] = os.pathsep.join([str(self.folder / "bin"), str(PROGRAMS), env["PATH"]])
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.run],
                cwd=self.folder,
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            printed += done.stdout
            for line in self.files["GITHUB_OUTPUT"].read_text().splitlines():
                name, _, value = line.partition("=")
                self.values[f"steps.gate.outputs.{name}"] = value
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def outputs(self) -> dict[str, str]:
        return {name: self.value(value) for name, value in declared(self.text, "outputs").items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my.qrels").write_text(QRELS)
    for name, ranks in RANKS.items():
        lines = [
            f"q{i} Q0 {'a' if r == ranks[i % 4] else f'x{r}'} {r} {20 - r} {name}\n"
            for i in range(40)
            for r in range(1, ranks[i % 4] + 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return tmp_path


def act(folder: Path, new: str, event: str = "push", **inputs: Any) -> tuple[int, str, Runner]:
    given = {"qrels": "my.qrels", "baseline": "old.run", "new": f"{new}.run", "measures": "RR:0.02\nP@1:5%\n"}
    runner = Runner(folder, {**given, **inputs}, event)
    return (*runner.run(), runner)


def test_a_run_that_passes(folder: Path) -> None:
    code, text, runner = act(folder, "same")
    assert (code, runner.outputs()["verdict"], runner.outputs()["exit-code"]) == (0, "pass", "0")
    page = runner.files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
    assert page == Path(runner.outputs()["summary"]).read_text("utf-8")
    assert page in text
    content = json.loads(Path(runner.outputs()["json"]).read_text("utf-8"))
    assert [(row["measure"], row["verdict"]) for row in content["rows"]] == [("RR", "pass"), ("P@1", "pass")]
    assert "<testsuite" in Path(runner.outputs()["junit"]).read_text("utf-8")
    assert not (folder / "calls.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "inputs", "code", "words"),
    [
        ("worse", {"undecided": "warn"}, 3, "::error::the gate did not pass"),
        ("unclear", {}, 4, "::error::the gate did not pass"),
        ("unclear", {"undecided": "warn"}, 0, "::warning::the gate is undecided"),
        ("none", {}, 2, "::error::rankscope gate ended with exit code 2"),
    ],
)
def test_a_run_that_does_not_pass(folder: Path, new: str, inputs: dict[str, str], code: int, words: str) -> None:
    found, text, _ = act(folder, new, "pull_request", **inputs)
    assert found == code
    assert mentions(text, words)
    calls = (folder / "calls.txt").read_text().splitlines() if (folder / "calls.txt").exists() else []
    assert len(calls) == (0 if code == 2 else 2)  # the comment is there before the job fails


@pytest.mark.slow
def test_a_comment_is_written_once_and_then_renewed(folder: Path) -> None:
    act(folder, "same", "pull_request")
    asked, written = (folder / "calls.txt").read_text().splitlines()
    assert mentions(asked, "--paginate", "repos/me/search/issues/7/comments", "<!-- rankscope gate -->")
    assert mentions(written, "repos/me/search/issues/7/comments -F body=@", "gate.md.comment")
    content = (folder / "temp" / "rankscope-gate" / "gate.md.comment").read_text("utf-8")
    assert content.startswith("<!-- rankscope gate -->\n### ")
    (folder / "comments.txt").write_text("99\n")
    act(folder, "same", "pull_request")
    assert mentions((folder / "calls.txt").read_text().splitlines()[-1], "--method PATCH", "issues/comments/99")


@pytest.mark.slow
def test_more_arguments_and_several_baselines(folder: Path) -> None:
    inputs = {"baseline": "old.run\nunclear.run\n", "measures": "", "margin": "2%", "args": "-m\nRR\n--alpha=0.1\n"}
    _, text, _ = act(folder, "same", **inputs)
    assert mentions(text, "against old and unclear", "alpha:0.1", "margin:2%")


def test_each_input_is_used_and_none_is_pasted_into_a_script() -> None:
    text = ACTION.read_text("utf-8")
    for name in declared(text, "inputs"):
        assert f"inputs.{name} " in text, name
    for step in parse_steps(text):
        assert "${{" not in step.run
