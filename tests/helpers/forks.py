"""Commands of examples in processes of their own that need not load the same modules again.

One process loads what most commands need and forks for each that is called. A small script named `rankscope`, first on
the PATH, hands it the arguments, the folder, the environment and the three standard streams, and ends as the command
does; so pipes, exit codes and messages are those of the real script. Half of what a short command costs is loading.

What this cannot show: signals and streams that are closed, which the small script has in the command's place; a module
that a command forgot to import; an order that comes of the hashes of strings, which all forks share. `make test-all`
calls the real script.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

# What begins no threads when it is loaded, for only one thread comes along in a fork: so neither Polars nor LightGBM.
LOADED = (
    "scipy.special",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "altair",
    "jinja2",
    "sacrebleu",
    "safetensors.numpy",
)

#: What Python does with other bytes in the locale of the commands; on standard error it shows them.
IN_C = "surrogateescape"

SCRIPT = """#!{python} -IS
import json, os, socket, sys
asked = {{"args": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
os.chdir({folder!r})  # for names of sockets must be short
with socket.socket(socket.AF_UNIX) as server:
    server.connect("socket")
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps(asked).encode() + b"\\n")
    code = server.makefile().readline()
sys.exit(int(code) if code else "the process that forks has ended")
"""


@contextlib.contextmanager
def forked_commands(folder: Path) -> Iterator[Path]:
    """The folder in which a `rankscope` lies that forks; all ends with the block."""
    script = folder / "rankscope"
    script.write_text(SCRIPT.format(python=sys.executable, folder=str(folder)), "utf-8")
    script.chmod(0o755)
    command = [sys.executable, __file__]
    spoken = {**os.environ, "LC_ALL": "C.UTF-8"}  # what streams are encoded by is settled when Python starts
    with subprocess.Popen(
        command, cwd=folder, env=spoken, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said == "ready\n", said
        yield folder
        server.communicate()  # which closes its standard input, and so ends it


def serve() -> None:
    """Fork for whoever connects, until standard input ends."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command line sets it
    from rankscope import cli

    for name in (*LOADED, *(module.name for module in walk_packages(cli.__path__, "rankscope.cli."))):
        with contextlib.suppress(ImportError):  # of an extra that is not installed
            import_module(name)
    threads = Path("/proc/self/task")
    assert not threads.is_dir() or len(list(threads.iterdir())) == 1, "loading began threads, which a fork would lose"
    gc.freeze()  # what is loaded stays shared: looking for garbage would write on it
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        server.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while server in select.select([server, sys.stdin], [], [])[0]:
            one, _ = server.accept()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not os.fork():
                server.close()
                run(one)
            one.close()


def run(one: socket.socket) -> NoReturn:
    """Run the command in a process of its own; this one waits for it and says how it ended."""
    from rankscope.cli.main import main

    _, streams, _, _ = socket.recv_fds(one, 1, 3)
    asked = json.loads(one.makefile().readline())
    command = os.fork()
    if command:
        for stream in (0, 1, 2, *streams):
            os.close(stream)  # for whoever reads them to the end
        _, status = os.waitpid(command, 0)
        with contextlib.suppress(OSError):  # who asked is no longer there
            one.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    one.close()
    for i, stream in enumerate(streams):
        os.dup2(stream, i)
        os.close(stream)
    sys.stdin, sys.stdout = open(0, errors=IN_C), open(1, "w", errors=IN_C)  # noqa: SIM115 - until the end
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115 - until the end
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    main(asked["args"])
    sys.exit()


if __name__ == "__main__":
    serve()
