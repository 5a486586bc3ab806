"""Whatever the bytes are, a reader gives a result or one of our errors, in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers.fuzzing.mutations import hostile
from helpers.fuzzing.reader_process import Apart
from helpers.fuzzing.readers import READERS, Reader, refusals
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

#: The strategy of each reader, made once.
HOSTILE = cache(lambda name: hostile(READERS[name].seeds()))
FOUND = sorted((Path(__file__).parent / "found").iterdir())
Write = Callable[[Reader, bytes], Path]


@pytest.fixture(scope="module")
def put(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """A file of some bytes, in the place where its reader looks; all of one module in one folder."""
    folder = tmp_path_factory.mktemp("fuzz")

    def write(reader: Reader, content: bytes) -> Path:
        path = folder / reader.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return write


#: Reads bytes by the reader of this name, and fails where that is no result and no error of ours.
Read = Callable[[str, bytes], None]


@pytest.fixture
def read(put: Write, request: pytest.FixtureRequest) -> Iterator[Read]:
    """Where a reader reads Parquet, in a process of its own, which polars may end."""
    apart: dict[str, Apart] = {}

    def one(name: str, content: bytes) -> None:
        reader = READERS[name]
        if not any(seed.startswith(b"PAR1") for seed in reader.seeds().values()):
            refusals(reader, put(reader, content))
            return
        if name not in apart:
            apart[name] = Apart(name)
        apart[name].read(content)

    yield one
    for reader in apart.values():
        code, said = reader.close()
        assert code == 0, said
        request.node.user_properties.append(("files that ended polars", reader.ended))


@pytest.mark.parametrize("name", READERS)
def test_every_seed_is_taken(name: str, put: Write) -> None:
    reader = READERS[name]
    for what, content in reader.seeds().items():
        assert None in refusals(reader, put(reader, content)), what


@pytest.mark.parametrize("name", READERS)
@examples(20, quick=5)
@given(data=st.data())
def test_hostile_bytes_give_a_result_or_an_error_of_ours(name: str, put: Write, data: st.DataObject) -> None:
    reader = READERS[name]
    refusals(reader, put(reader, data.draw(HOSTILE(name))))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@examples(600)
@given(data=st.data())
def test_hostile_bytes_give_a_result_or_an_error_of_ours_at_length(name: str, read: Read, data: st.DataObject) -> None:
    read(name, data.draw(HOSTILE(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_good_file_cut_anywhere_gives_a_result_or_an_error_of_ours(name: str, read: Read) -> None:
    for content in READERS[name].seeds().values():
        for end in range(0, len(content), max(len(content) // 60, 1)):
            read(name, content[:end])


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_once_broke_a_reader_does_not(path: Path, put: Write) -> None:
    reader = READERS[path.name.partition("--")[0]]
    refusals(reader, put(reader, path.read_bytes()))
