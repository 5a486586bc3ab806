"""How commands ended, and calls put in the place of what a command does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

import rankscope.cli._options as evaluating


class Done(NamedTuple):
    """How a command ended. err: the lines on standard error."""

    code: int
    out: str
    err: list[str]

    @property
    def said(self) -> str:
        """The one line that tells what is wrong; anything else but notes is an error of the test."""
        (line,) = (line for line in self.err if line.startswith("rankscope: "))
        assert "Traceback" not in "".join(self.err)
        return line


EVALUATE = ("evaluate", "demo.qrels", "bm25.run", "-o")


def instead(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    monkeypatch.setattr(evaluating, "plan_and_join", lambda *_, **__: do())


def raising(error: BaseException) -> Callable[[], None]:
    def do() -> None:
        raise error

    return do
