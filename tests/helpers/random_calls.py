"""Calls drawn from the tree of commands itself: any command with any of its options, good values, bad ones and junk."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from helpers.input_files import BAD, GOOD, make_files
from hypothesis import strategies as st

from rankscope.cli.main import cli, main

__all__ = ["Ended", "Folder", "calls", "ended", "leaves"]

#: What stands where a file is read, and where one is written: all in the folder of the test.
INPUTS = [
    *GOOD,
    *GOOD,
    *BAD,
    "my.model",
    "my.json",
    "saved.parquet",
    "en.lm",
    "de-en.lexicon",
    "folder",
    "missing",
    "-",
]
OUTPUTS = [
    "out.csv",
    "out.run",
    "out.qrels",
    "out.parquet",
    "out.html",
    "out.svg",
    "out.json",
    "out.model",
    "out.jsonl.gz",
]
OUTPUTS += ["out", "-", "folder", "old.txt", "my.qrels", "new/out.csv", "two words.txt", "caf\u00e9.csv", "a" * 300, ""]
#: What stands where a word is expected.
WORDS = [
    "nDCG@10",
    "AP",
    "P@5",
    "map",
    "alpha_nDCG@5",
    "nDCG@",
    "RBP(p=2)",
    "bm25",
    "dense",
    "rank",
    "gold",
    "comet",
    "human",
]
WORDS += [
    "de-en",
    "de-en=1",
    "Ada=2",
    "Ada=-1",
    "A=out.en",
    "1,2",
    "0=0,1=0,2=1",
    "1,-1,-1;x,x,x;-1,-1,1",
    "listnet",
    "prompt",
]
WORDS += [
    "linear:ranknet",
    "lambdaloss(kind='2')",
    "g=1,2",
    "wmt12",
    "acc_eq",
    "pearson",
    "doc_id_desc",
    "file",
    "average",
]
WORDS += ["trec_eval", "letor4", "de-en:system:pearson:0.5", "nine", "calibrated", "yes", "-1", "*:segment:acc_eq"]
JUNK = [
    "",
    " ",
    "-",
    "--",
    "=",
    ",",
    "\n",
    "\u202eabc",
    "\udce9",
    "x" * 2000,
    "0x10",
    "1_0",
    "\u0663",
    "{}",
    "[]",
    "$(ls)",
    "%s",
    "\\",
]
WHOLE = ["1", "2", "3", "5", "0", "-1", "1.5", "1e3", "99999999999999999999", "nan", "x", ""]
REAL = ["0.5", "0.05", "0.9", "1", "0", "2", "-1", "nan", "inf", "-inf", "1e308", "1e-320", "95", "5%", "x", ""]
#: Options whose number is so much work: nothing large is asked of them. Every one of them ends in an error beyond it.
COSTLY = {"--workers": ["1", "0", "-1", "x"], "--dask": ["", "localhost", "x:y", "tcp://"]}
FEW, SOME = ["1", "0", "-1", "x"], ["1", "20", "25", "0", "-1", "x", "1e3"]
COSTLY |= dict.fromkeys(("--epochs", "--seeds", "--models", "--search", "--restarts"), FEW)
COSTLY |= dict.fromkeys(("--resamples", "--iterations"), SOME)
COSTLY |= {
    "--hidden": ["0", "2", "2,2", "", "-1", "x"],
    "--attention": ["0", "1"],
    "--folds": ["3", "4", "1", "x", "-1"],
}
COSTLY |= {
    "--time-limit": ["0.1", "0", "-1", "nan"],
    "--order": ["2", "3", "1", "7", "x"],
    "--batch-lists": ["1", "4", "0"],
}
#: Where an option writes.
WRITES = {"--output", "--save", "--plot", "--log", "--checkpoint", "--save-parameters", "--cache"}
#: A drop-in that reads its arguments itself; flags have one value, nothing.
DUNAISKI = {"-f": INPUTS, "-o": OUTPUTS, "-s": WHOLE, "-t": ["1", "0", "x"], "-i": FEW, "-b": SOME, "-n": WHOLE}
DUNAISKI |= {"-p": ["all", "sign", "eval", "actual", "x"], "--splits": ["2", "5", "1", "0", "x"], "--systems": WHOLE}
DUNAISKI |= {"--cutoffs": WHOLE, "--entities": WHOLE, "--sigs": REAL, "-e": [""], "-w": [""], "-v": [""], "--x": [""]}
#: Drawn with nothing else, since the whole of it takes seconds.
DEMO = [["--tour"], ["old.txt"], ["my.qrels"], ["--seed", "x"], ["--seed", "-1"], ["--nonsense"], ["a", "b"]]


def leaves(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


def values(option: click.Option) -> list[str]:
    """Good ones and bad ones of an option."""
    name = max(option.opts, key=len)
    kind = option.type
    if name in COSTLY and not option.is_flag and not (name == "--cache" and option.is_flag):
        return COSTLY[name]
    if name in WRITES:
        return OUTPUTS
    if isinstance(kind, click.Choice):
        return [*map(str, kind.choices), "nonsense", ""]
    if isinstance(kind, click.types.IntParamType):
        return WHOLE
    if isinstance(kind, click.types.FloatParamType):
        return REAL
    return [*INPUTS, *WORDS, *WORDS, *REAL[:4], *JUNK]


@st.composite
def calls(draw: st.DrawFn, commands: Sequence[tuple[tuple[str, ...], click.Command]]) -> list[str]:
    """The words of one call."""
    path, command = draw(st.sampled_from(commands))
    if path == ("demo",):
        return ["demo", *draw(st.sampled_from(DEMO))]
    if path == ("dunaiski",):
        pairs = [(name, value) for name, known in DUNAISKI.items() for value in known]
        chosen = draw(st.lists(st.sampled_from(pairs), max_size=5))
        table = ["-f", "ranks.tsv"] if draw(st.booleans()) else []
        return ["dunaiski", *table, *(word for pair in chosen for word in pair if word)]
    given: list[list[str]] = []
    options = [one for one in command.params if isinstance(one, click.Option) and "--tour" not in one.opts]
    needed = [one for one in options if one.required and draw(st.integers(0, 9))]
    for option in [*needed, *(draw(st.lists(st.sampled_from(options), max_size=4)) if options else ())]:
        name = draw(st.sampled_from([*option.opts, *option.secondary_opts]))
        if option.is_flag:
            given.append([name])
        else:
            given.append([name, *(draw(st.sampled_from(values(option))) for _ in range(option.nargs))])
    for argument in (one for one in command.params if isinstance(one, click.Argument)):
        fewest, most = (1, 4) if argument.nargs == -1 else (argument.nargs, argument.nargs)
        some = draw(st.lists(st.sampled_from(usual(argument)), min_size=fewest, max_size=most))
        given.append(
            [word if draw(st.integers(0, 5)) else draw(st.sampled_from([*INPUTS, *WORDS, *JUNK])) for word in some]
        )
    if not draw(st.integers(0, 9)):
        given.append([draw(st.sampled_from([*JUNK, "--nonsense", "-z", "-h", "--help"]))])
    if not draw(st.integers(0, 4)):
        given = draw(st.permutations(given))
    return [*path, *(word for words in given for word in words)]


def usual(argument: click.Argument) -> list[str]:
    """Files that are likely to be right."""
    name = str(argument.name)
    if name.startswith("qrels"):
        return ["my.qrels", "llm.qrels", "one.qrels", "train.txt", "ranks.tsv"]
    if name.startswith("run"):
        return ["bm25.run", "dense.run", "rerank.run", "scores.txt", "few.run", "-"]
    if name == "arguments":  # of LETOR's scripts
        return ["test.txt", "scores.txt", "positions.txt", "out.csv", "-", "0", "1"]
    return [*GOOD, "my.model", "saved.parquet"]


class Ended(NamedTuple):
    """How a call ended, and what it wrote."""

    code: int
    out: str
    err: str


class Folder:
    """The files, as they were before each call; writing elsewhere is an error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.watching = False
        self.outside: list[str] = []
        make_files(path)
        (path / "tmp").mkdir()
        for made in (
            "train train.txt --hidden 0 --epochs 1 -o my.model",
            "evaluate my.qrels bm25.run dense.run --save saved.parquet",
            "fuse bm25.run dense.run --method rbc --train my.qrels --folds 3 --save-parameters my.json",
            "features lm ref.en --order 2 -o en.lm",
            "features lexicon src.de ref.en -o de-en.lexicon",
        ):
            done = self.run(shlex.split(made))
            assert done.code == 0, done
        self.kept = self.listing()
        sys.addaudithook(self.audit)

    def listing(self) -> dict[str, bytes | None]:
        return {str(p.relative_to(self.path)): p.read_bytes() if p.is_file() else None for p in self.path.rglob("*")}

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Remembers each file that is written, made, moved or deleted outside the folder."""
        if not self.watching:
            return
        if event == "open":
            path, mode, flags = args
            if isinstance(path, int) or not (
                flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or set(str(mode)) & set("wax+")
            ):
                return
            paths = [path]
        elif event in (
            "os.rename",
            "os.remove",
            "os.mkdir",
            "os.rmdir",
            "os.link",
            "os.symlink",
            "os.truncate",
            "os.chmod",
        ):
            paths = [one for one in args[:2] if isinstance(one, (str, bytes, os.PathLike))]
        elif event in ("socket.connect", "subprocess.Popen"):
            self.outside.append(f"{event} {args!r}"[:200])
            return
        else:
            return
        for path in paths:
            real = os.path.realpath(os.fsdecode(path))
            if not real.startswith((f"{self.path}{os.sep}", "/dev/", "/proc/self/")):
                self.outside.append(f"{event} {real}")

    def run(self, words: Sequence[str], stdin: bytes = b"") -> Ended:
        """The call in this process. Whatever it raises but an exit is raised."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        before = sys.stdin, os.getcwd()
        code: object = 0
        os.chdir(self.path)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
        self.watching = True
        try:
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                try:
                    main(list(words))
                except SystemExit as end:
                    code = end.code
        finally:
            self.watching = False
            sys.stdin = before[0]
            os.chdir(before[1])
        texts = []
        for stream in streams:
            stream.flush()
            buffer = stream.buffer
            assert isinstance(buffer, io.BytesIO)
            texts.append(buffer.getvalue().decode("utf-8", "surrogateescape"))
        assert code is None or isinstance(code, int)
        return Ended(code or 0, *texts)

    def restore(self) -> set[str]:
        """Put everything back; the names of what was made, changed or deleted."""
        now = self.listing()
        different = {name for name in {*now, *self.kept} if now.get(name, 0) != self.kept.get(name, 0)}
        for name in sorted(different, reverse=True):
            path = self.path / name
            if name not in self.kept:
                path.rmdir() if path.is_dir() else path.unlink()
            elif (content := self.kept[name]) is not None:
                path.write_bytes(content)
        return different


def ended(folder: Folder, words: Sequence[str], stdin: bytes) -> Ended:
    """Run it, look at what has to hold of every call, and put the folder back."""
    folder.outside.clear()
    try:
        done = folder.run(words, stdin)
    finally:
        different = folder.restore()
    said = shlex.join(words)
    assert not folder.outside, (said, folder.outside)
    assert not different & {*GOOD, *BAD} - set(words), (said, different)
    assert "Traceback" not in done.err, said
    if done.code == 2:
        lines = [line for line in done.err.splitlines() if line.startswith("rankscope: ")]
        assert len(lines) == 1, (said, done)
        assert len(lines[0]) < 5000, (said, done)
        assert not done.out, (said, done)
        assert words[0] == "dunaiski" or done.err.count("\n") == 1, (said, done)
        assert not {name for name in different if not name.endswith(".rscache")}, (said, different)
    else:
        allowed = {"compare": (0, 3, 4), "trec_eval": (0, 4), "letor": (0, 254, 255)}
        assert done.code in allowed.get(words[0], (0,)), (said, done)
    return done
