"""Files that cannot be read to their end, that change while they are read, and that are none."""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.finished_commands import Done

from rankscope.errors import InputError
from rankscope.io.core import blocks

Call = Callable[..., Done]

TEXTS = "demo-mt/mt-train/newstest2010/newstest2010"
#: Calls that read: @ before the files that things happen to.
READING = (
    "evaluate @demo.qrels @bm25.run",
    "evaluate demo.qrels @run.csv",
    "evaluate demo.qrels @run.jsonl",
    "evaluate demo.qrels @run.json",
    "evaluate demo.qrels @run.parquet",
    "evaluate demo.qrels @run.gz",
    "evaluate demo.qrels @run.zst",
    "evaluate demo.qrels bm25.run @mixed.run",
    "evaluate @demo-diversity.qrels rerank.run -m alpha_nDCG@10",
    "evaluate @demo-letor.txt @demo-letor-bm25.txt --input letor",
    "evaluate @demo-ranks.tsv --input entity-ranks --total-ranks 20000 -m AP",
    "compare demo.qrels bm25.run --against @saved.parquet --baseline dense -m AP",
    "plan @demo-few.qrels rerank.run hybrid.run --machine @demo-judge.qrels -m nDCG@10 --width 0.1",
    "agree judgments @demo.qrels @demo-judge.qrels",
    "agree labels @demo-labels.csv",
    "agree segments @demo-answers.csv --higher llm,reward --resamples 10 --seed 1",
    "consensus @demo-votes.tsv",
    "leaderboard @demo-preferences.csv --resamples 20 --seed 1",
    "fuse @bm25.run @dense.run -o - --to trec",
    "fuse bm25.run dense.run --parameters @fusion.json -o - --to trec",
    "pool @bm25.run dense.run --depth 5 -o -",
    "online @demo-clicks.jsonl --lists @demo-interleaved.jsonl",
    "trec_eval @demo.qrels @bm25.run",
    "letor score @demo-letor.txt @demo-letor-rerank.txt - 0",
    "dunaiski -f @demo-ranks.tsv -b 10 -i 2 -s 1",
    "convert @demo.qrels - --to csv",
    "train @demo-train.txt --loss linear:listnet -o {}/model",
    "predict @demo.model @demo-test.txt",
    "features runs @demo.qrels @bm25.run -o -",
    f"features lm @{TEXTS}.en -o {{}}/lm",
    f"features lexicon @{TEXTS}.de @{TEXTS}.en -o {{}}/lexicon",
    "stability demo.qrels bm25.run dense.run -m AP --iterations 5 --resamples 20 --seed 1 "
    "--checkpoint @checkpoint/study.json",
)


@pytest.fixture(scope="module")
def inputs(demo_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's files, and others that are made of them."""
    from rankscope.cli.main import cli

    folder = tmp_path_factory.mktemp("inputs") / "all"
    shutil.copytree(demo_files, folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for call in (
            *(f"convert bm25.run run.{form}" for form in ("csv", "jsonl", "json", "parquet")),
            "convert bm25.run run.gz --to trec",
            "convert bm25.run run.zst --to trec",
            "compare demo.qrels bm25.run dense.run -m AP --save saved.parquet -o compared",
            "fuse bm25.run dense.run --method weighted-sum --train demo.qrels --save-parameters fusion.json -o f.run",
            "train demo-train.txt --loss linear:listnet -o demo.model",
            READING[-1].replace("@checkpoint/study.json", "checkpoint") + " -o study",
        ):
            cli.main(call.split(), standalone_mode=False)
    finally:
        os.chdir(before)
    lines = (folder / "bm25.run").read_bytes().splitlines(keepends=True)
    (folder / "mixed.run").write_bytes(b"".join(lines[::2] + lines[1::2]))  # queries are not together: read twice
    return folder


class Raw(io.FileIO):
    """A file that tells before each of its reads."""

    before: Callable[[str], None]

    def readinto(self, buffer: Any) -> int | None:
        self.before(self.name)
        return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes | None:
        self.before(self.name)
        return super().read(size if size is not None else -1)

    def readall(self) -> bytes | None:
        self.before(self.name)
        return super().readall()


def opening(names: set[str], make: Callable[[str], io.RawIOBase]) -> AbstractContextManager[None]:
    """Within the block the files of these names are read by way of what `make` gives."""
    opened = io.open

    def open_(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, int) or os.path.abspath(os.fspath(file)) not in names or set(mode) & set("wxa+"):
            return opened(file, mode, buffering, *args, **kwargs)
        stream = io.BufferedReader(make(os.fspath(file)), 1 << 12)  # type: ignore[arg-type]  # as good as FileIO
        return stream if "b" in mode else io.TextIOWrapper(stream, *args, **kwargs)

    @contextmanager
    def patched() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(builtins, "open", open_)
            patch.setattr(io, "open", open_)
            yield

    return patched()


def watched(names: set[str], before: Callable[[str], None]) -> AbstractContextManager[None]:
    """Within the block `before` is called with the path whenever one of the files is opened or read."""

    def make(path: str) -> Raw:
        before(path)
        raw = Raw(path, "r")
        raw.before = before
        return raw

    return opening(names, make)


def files_in(call: str) -> list[str]:
    return [part[1:] for part in call.split() if part.startswith("@")]


def arguments(call: str, place: Path, **others: str) -> list[str]:
    """others: what stands in the place of a file, by its name."""
    args = [part.replace("{}", str(place)) for part in call.split()]
    named = [others.get(arg[1:], arg[1:]) if arg.startswith("@") else arg for arg in args]
    return [name.removesuffix("/study.json") if name.startswith("checkpoint/") else name for name in named]


@pytest.fixture
def folder(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(inputs)
    return inputs


def strike(call: str, at: int, folder: Path, place: Path, cli: Call, do: Callable[[str], None]) -> tuple[bool, Done]:
    """Whether the place `at` was reached, at which `do` was called, and how the command ended."""
    seen = 0

    def before(path: str) -> None:
        nonlocal seen
        seen += 1
        if seen == at + 1:
            do(path)

    with watched({str(folder / name) for name in files_in(call)}, before):
        done = cli(*arguments(call, place))
    return seen > at, done


def refused(code: int) -> Callable[[str], None]:
    def do(path: str) -> None:
        raise OSError(code, os.strerror(code))

    return do


@pytest.mark.parametrize("args", READING)
def test_an_error_at_every_read(args: str, folder: Path, tmp_path: Path, call: Call) -> None:
    """EIO has no path with it, so that the message must have it from us."""
    for at in range(60):
        reached, done = strike(args, at, folder, tmp_path, call, refused(errno.EIO))
        if not reached:
            assert done.code == 0
            assert at > 1, "nothing was watched"
            return
        assert done.code == 2, (at, done)
        assert any(name in done.said for name in files_in(args)), (at, done)
        assert "Input/output error" in done.said, (at, done)
        assert done.out == ""
        assert not list(tmp_path.iterdir())


#: What drop-ins say of files that do not fit each other, as the originals.
OWN_CODES = {"trec_eval": 4, "letor": 254}
CHANGES = {
    "shrinks": lambda path: os.truncate(path, os.path.getsize(path) // 2),
    "is emptied": lambda path: os.truncate(path, 0),
    "is gone": os.unlink,
    "is a folder": lambda path: (os.unlink(path), os.mkdir(path)),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("args", READING)
def test_a_file_that_changes_while_it_is_read(
    args: str, change: str, inputs: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is what is told, or it is refused; nothing else happens."""
    for at in range(60):
        folder = tmp_path / f"in{at}"
        shutil.copytree(inputs, folder)
        monkeypatch.chdir(folder)
        out = tmp_path / f"out{at}"
        out.mkdir()
        reached, done = strike(args, at, folder, out, call, CHANGES[change])
        shutil.rmtree(folder)
        if not reached:
            return
        assert done.code in (0, 2, OWN_CODES.get(args.split()[0])), (at, done)
        if done.code == 2:
            assert done.said
            assert not list(out.iterdir())


@pytest.mark.parametrize("args", READING)
def test_a_folder_in_the_place_of_a_file(args: str, folder: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "named").mkdir()
    (tmp_path / "out").mkdir()
    for name in files_in(args):
        if name.startswith("checkpoint/"):
            continue
        done = call(*arguments(args, tmp_path / "out", **{name: str(tmp_path / "named")}))
        assert done.code == 2, (name, done)
        assert str(tmp_path / "named") in done.said
        assert done.out == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("args", READING)
def test_a_pipe_in_the_place_of_a_file(args: str, folder: Path, tmp_path: Path, call: Call) -> None:
    """It gives what the file gives, or is refused in one line, and nobody waits."""
    (tmp_path / "out").mkdir()
    for name in files_in(args):
        if name.startswith("checkpoint/"):
            continue
        pipe = tmp_path / Path(name).name
        os.mkfifo(pipe)
        content = (folder / name).read_bytes()
        feeder = threading.Thread(target=feed, args=(pipe, content))
        feeder.start()
        done = call(*arguments(args, tmp_path / "out", **{name: str(pipe)}))
        drain(pipe, feeder)
        pipe.unlink()
        assert done.code in (0, 2), (name, done)
        assert done.code == 0 or str(pipe) in done.said, (name, done)


def feed(pipe: Path, content: bytes) -> None:
    try:
        with open(pipe, "wb") as file:
            file.write(content)
    except BrokenPipeError:  # who read it needed no more
        pass


def drain(pipe: Path, feeder: threading.Thread) -> None:
    """Let the feeder go where nobody read, or not all of it."""
    while feeder.is_alive():
        descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        feeder.join(0.05)
        os.close(descriptor)
        feeder.join(0.05)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
@pytest.mark.parametrize("args", READING)
def test_a_device_without_end_is_refused(args: str, folder: Path, tmp_path: Path, call: Call) -> None:
    for name in files_in(args):
        if name.startswith("checkpoint/"):
            continue
        done = call(*arguments(args, tmp_path, **{name: "/dev/zero"}))
        assert done.code == 2, (name, done)
        assert "/dev/zero" in done.said
        assert not list(tmp_path.iterdir())


class Endless(io.RawIOBase):
    """Never ends, and has no lines. Asked for far too much it says so."""

    def __init__(self, start: bytes) -> None:
        self.start, self.left = start, 8 << 20

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.left -= len(buffer)
        assert self.left > 0, "it is read on and on"
        buffer[:] = (self.start + b"x" * len(buffer))[: len(buffer)]
        self.start = b""
        return len(buffer)


@pytest.mark.parametrize(("start", "line"), [(b"", 1), (b"1 0 a 1\n1 0 b 1\n", 3)])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "in blocks"])
def test_a_line_without_end_is_refused(start: bytes, line: int, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_LINE_BYTES", 2 << 20)
    with pytest.raises(InputError, match=rf"^pipe:{line}: .*2 MB"):
        (blocks.read_all if whole else read_in_blocks)(Endless(start), "pipe")


def read_in_blocks(stream: Any, name: str) -> None:
    reader = blocks.BlockReader(stream, name)
    block = reader.next()
    while block is not None:
        block = reader.next(block.end)
