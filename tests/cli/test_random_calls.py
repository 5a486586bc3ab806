"""No call of any command, however it is put together, ends in a traceback, in two errors, or in half a file.

RANKSCOPE_FUZZ_EXAMPLES=20000 pytest -m slow tests/cli/test_random_calls.py tries as many.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator

import pytest
from helpers.input_files import GOOD
from helpers.properties import examples
from helpers.random_calls import Folder, calls, ended, leaves
from hypothesis import example, given
from hypothesis import strategies as st

COMMANDS = list(leaves())
#: Not where somebody waits: what draws figures.
QUICK = [(path, command) for path, command in COMMANDS if path != ("report",)]
INPUTS = st.sampled_from([b"", GOOD["bm25.run"].encode(), GOOD["my.qrels"].encode(), b"\x00\xff", b"1\n2\n"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    folder = Folder(tmp_path_factory.mktemp("calls").resolve())
    before, tempfile.tempdir = tempfile.tempdir, str(folder.path / "tmp")
    yield folder
    tempfile.tempdir = before


def test_every_command_and_option_can_be_drawn() -> None:
    assert len(COMMANDS) > 30
    assert ("agree", "segments") in dict(COMMANDS)


# Found so.
@example(words=shlex.split("trec_eval -M 99999999999999999999 -c my.qrels rerank.run"), stdin=b"")
@example(words=shlex.split("features lexicon -o '' labels.csv arena.csv"), stdin=b"")
@example(words=shlex.split("predict --cache -o out my.model saved.parquet"), stdin=b"")
@example(words=shlex.split("evaluate my.qrels bm25.run/"), stdin=b"")
@examples(250)
@given(words=calls(QUICK), stdin=INPUTS)
def test_any_call_ends_well(place: Folder, words: list[str], stdin: bytes) -> None:
    ended(place, words, stdin)


@pytest.mark.slow
@examples(int(os.environ.get("RANKSCOPE_FUZZ_EXAMPLES", "3000")))
@given(words=calls(COMMANDS), stdin=INPUTS)
def test_many_calls_end_well(place: Folder, words: list[str], stdin: bytes) -> None:
    ended(place, words, stdin)
