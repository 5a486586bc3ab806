"""Commands of examples in processes of their own that need not load the same modules again.

One process loads what most commands need and forks for each that is called. A small script named `rankscope`, first on
the PATH, hands it the arguments, the folder, the environment and the three standard streams, and ends as the command
does; so pipes, exit codes and messages are those of the real script. Half of what a short command costs is loading.
Beside it lies the same script as `python`, for programs: a file, or the text after `-c`, or a module after `-m`.
A command that needs no shell (`run_command`) is not even forked, where what it prints and its exit code are what is
looked at: a fork costs more than most commands, and figures need half a second for their first one in a process.

What this cannot show: signals and streams that are closed, which the small script has in the command's place; a module
that a command forgot to import; an order that comes of the hashes of strings, which all forks share. `make test-all`
calls the real script.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import gc
import io
import marshal
import os
import re
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from glob import glob
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, NoReturn
from unittest import mock

# What begins no threads when it is loaded that a command could miss, for only one thread comes along in a fork: so not
# LightGBM.
LOADED = (
    "scipy.special",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "safetensors.numpy",
    "polars",
    "encodings.utf_8_sig",
    "glob",
)

#: Threads that no command misses: Polars begins one that deletes what processes that ended had put on the disk. The
#: threads that compute begin with the first computation.
IDLE = {"polars-ooc-clea"}
#: The first version of Polars whose commands do not wait for that thread.
SINCE = (2, 1)
#: What keeps the memory of Polars beginning threads, too.
NO_THREADS = {"_RJEM_MALLOC_CONF": "background_thread:false"}

#: Seconds after which a command that hangs says where, and ends: else the tests would wait for it for ever.
LIMIT = 200

#: What Python does with other bytes in the locale of the commands; on standard error it shows them.
IN_C = "surrogateescape"

#: Only modules that are built in: of a short command's time, loading `json` and `socket` would take a third.
SCRIPT = """{begin}
import _socket, marshal, posix, sys
asked = marshal.dumps((sys.argv, posix.getcwd(), posix.environ))
posix.chdir({folder!r})  # for names of sockets must be short
server = _socket.socket(_socket.AF_UNIX)
server.connect("socket")
streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
server.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(asked)
server.shutdown(_socket.SHUT_WR)
code = server.recv(9)
sys.exit(int(code) if code else "the process that forks has ended")
"""


#: The first line of a script whose Python the system finds. And the lines of one whose Python's path has blanks or is
#: too long for it: a shell takes the second for a call of Python, and Python takes it for a text.
BEGIN = "#!{} -IS"
LONG_BEGIN = "#!/bin/sh\n'''exec' \"{}\" -IS \"$0\" \"$@\"\n' '''"


def begin_of(python: str) -> str:
    return (BEGIN if " " not in python and len(python) < 100 else LONG_BEGIN).format(python)


@contextlib.contextmanager
def forked_commands(folder: Path) -> Iterator[Path]:
    """The folder in which a `rankscope` and a `python` lie that fork; all ends with the block."""
    for name in ("rankscope", "python"):
        script = folder / name
        script.write_text(SCRIPT.format(begin=begin_of(sys.executable), folder=str(folder)), "utf-8")
        script.chmod(0o755)
    command = [sys.executable, __file__]
    # What streams are encoded by is settled when Python starts.
    spoken = {**os.environ, **NO_THREADS, "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        command, cwd=folder, env=spoken, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said == "ready\n", said
        yield folder
        try:
            server.communicate(timeout=10)  # which closes its standard input, and so ends it
        except subprocess.TimeoutExpired:  # a process that was forked here has that open, too
            server.kill()


def run_command(
    command: str, folder: Path, environment: dict[str, str], *, one_stream: bool = False
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` with a shell and without an input; but `rankscope` runs in this process where it can.

    It can where the shell has nothing to do with it, and in `other; rankscope ...` and `rankscope ... | other`.

    environment: what the fixture `commands` gives. one_stream: put what goes to standard error between what goes to
    standard output.
    """
    if (Path(environment["PATH"].split(os.pathsep)[0]) / "socket").exists():
        args = plain_words(command, folder)
        if args[:1] == ["rankscope"]:
            return run_here(command, args, folder, one_stream=one_stream)
        before, semicolon, last = command.rpartition("; ")
        if semicolon and plain_words(last.partition(" | ")[0], folder)[:1] == ["rankscope"]:
            first = run_in_shell(before, folder, environment, one_stream=one_stream)
            done = run_command(last, folder, environment, one_stream=one_stream)
            done.stdout = first.stdout + done.stdout
            done.stderr = None if one_stream else first.stderr + done.stderr
            return done
        source, bar, filters = command.partition(" | ")
        args = plain_words(source, folder)
        if bar and args[:1] == ["rankscope"]:
            first = run_here(source, args, folder)
            done = run_in_shell(filters, folder, environment, one_stream=one_stream, text=first.stdout)
            if one_stream:
                done.stdout = first.stderr + done.stdout
            else:
                done.stderr = first.stderr + done.stderr
            return done
    return run_in_shell(command, folder, environment, one_stream=one_stream)


def run_in_shell(
    command: str, folder: Path, environment: dict[str, str], *, one_stream: bool, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command by a shell. text: what it reads."""
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if one_stream else subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=LIMIT,
    )


def run_here(
    command: str, args: list[str], folder: Path, *, one_stream: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process. A bug of ours is raised."""
    from rankscope.cli.main import main

    out = io.BytesIO()
    err = out if one_stream else io.BytesIO()
    with (
        open(os.devnull, encoding="utf-8") as none,
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", args),
        mock.patch.object(sys, "stdin", none),
        mock.patch.object(sys, "stdout", io.TextIOWrapper(out, "utf-8")),
        mock.patch.object(sys, "stderr", io.TextIOWrapper(err, "utf-8", line_buffering=True)),
    ):
        try:
            main(args[1:])
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
        printed = [stream.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(command, code, printed[0], None if one_stream else printed[1])


def plain_words(command: str, folder: Path) -> list[str]:
    """The words of a shell's command, `*` replaced by names in the folder; none where it is more than words."""
    unquoted = re.sub(r"""'[^']*'|"[^"$`\\]*\"""", "", command)
    if re.search(r"""[][|&;<>()$`\\"'?#~!{}\n]""", unquoted) or unquoted.count("*") not in (0, command.count("*")):
        return []
    words = shlex.split(command)
    if "*" not in unquoted:
        return words
    return [name for word in words for name in (sorted(glob(word, root_dir=folder)) if "*" in word else [word])]


def polars_may_be_forked() -> bool:
    return tuple(map(int, version("polars").split(".")[:2])) >= SINCE


def serve() -> None:
    """Fork for whoever connects, until standard input ends."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command line sets it
    from rankscope import cli

    loaded = [name for name in LOADED if name != "polars" or polars_may_be_forked()]
    for name in (*loaded, *(module.name for module in walk_packages(cli.__path__, "rankscope.cli."))):
        with contextlib.suppress(ImportError):  # of an extra that is not installed
            import_module(name)
    begun = [path.read_text().strip() for path in Path("/proc/self/task").glob("[0-9]*/comm")]
    lost = [name for name in begun if name not in IDLE]
    assert len(lost) <= 1, f"loading began threads, which a fork would lose: {lost}"
    gc.freeze()  # what is loaded stays shared: looking for garbage would write on it
    ended, note = socket.socketpair()
    note.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(note.fileno())
    waiting: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        server.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while sys.stdin not in (ready := select.select([server, ended, sys.stdin], [], [])[0]):
            if ended in ready:
                ended.recv(4096)
                answer(waiting)
            if server in ready:
                one, _ = server.accept()
                _, streams, _, _ = socket.recv_fds(one, 1, 3)
                with one.makefile("rb") as file:
                    args, folder, environment = marshal.loads(file.read())
                command = os.fork()
                if not command:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for other in (server, ended, note, one, *waiting.values()):
                        other.close()
                    run(args, folder, environment, streams)
                waiting[command] = one
                for stream in streams:
                    os.close(stream)  # for whoever reads them to the end


def answer(waiting: dict[int, socket.socket]) -> None:
    """Say how commands ended that have."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            with waiting.pop(found[0]) as one, contextlib.suppress(OSError):  # who asked is no longer there
                one.sendall(b"%d" % os.waitstatus_to_exitcode(found[1]))


def run(args: list[str], folder: str, environment: dict[bytes, bytes], streams: list[int]) -> NoReturn:
    """Run the command in this process, which it ends. args: the name by which it was called is the first."""
    from rankscope.cli.main import main

    for i, stream in enumerate(streams):
        os.dup2(stream, i)
        os.close(stream)
    sys.stdin, sys.stdout = open(0, errors=IN_C), open(1, "w", errors=IN_C)  # noqa: SIM115 - until the end
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115 - until the end
    end_after(LIMIT)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(environment)
    try:
        if Path(args[0]).name == "rankscope":
            main(args[1:])
        else:
            run_program(args[1:])
        code = 0
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # says so
    # At its end Python takes all modules apart, which would write on all memory that is shared: half of what a short
    # command costs.
    os._exit(code)


def end_after(seconds: int, file: IO[str] | int = 2) -> None:
    """Have this process killed after so many seconds, and the lines of all its threads written to the file first.

    0: take that back. Threads would be simpler, but what forks asks how many there are. Forks do not inherit it.
    """
    if sys.platform != "win32":
        faulthandler.register(signal.SIGALRM, file=file, all_threads=True, chain=True)
        signal.alarm(seconds)


def run_program(args: list[str]) -> None:
    """As `python` does with these arguments."""
    if args[0] == "-m":
        sys.argv, sys.path[0] = args[1:], os.getcwd()
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    elif args[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *args[2:]], ""
        exec(args[1], {"__name__": "__main__"})
    else:
        sys.argv, sys.path[0] = args, str(Path(args[0]).resolve().parent)
        runpy.run_path(args[0], run_name="__main__")


if __name__ == "__main__":
    serve()
