"""A process of its own that reads files as they are sent to it: where it is ended by what it reads, others go on.

Polars ends its process where the head of a damaged page of Parquet asks for more memory than there is. That is known;
whatever else ends the process is a fault. As a program: `python -m helpers.fuzzing.reader_process READER` in `tests`,
with files on standard input, each behind its length in a line of its own; one line of JSON for each on standard output.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from helpers.paths import TESTS

__all__ = ["Apart"]

#: What Rust says before it ends a process that has no memory.
KNOWN = b"memory allocation of "


class Apart:
    """A reader of the table, in a process of its own. ended: how many files ended it as is known."""

    def __init__(self, name: str) -> None:
        self.name, self.ended = name, 0
        self.begin()

    def begin(self) -> None:
        self.errors = TemporaryFile()  # noqa: SIM115 - closed at the end
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", __spec__.name, self.name],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )

    def read(self, content: bytes) -> None:
        """Raise AssertionError where the reader raises what is no error of ours, or ends its process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answer = b""
        with suppress(BrokenPipeError):  # it has ended
            self.process.stdin.write(b"%d\n%b" % (len(content), content))
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if answer:
            fault = json.loads(answer)
            assert fault is None, fault
            return
        code, said = self.close()
        self.begin()
        assert code == -signal.SIGABRT and KNOWN in said, f"ended by {code}: {said!r}"  # noqa: PT018 - one fault
        self.ended += 1

    def close(self) -> tuple[int, bytes]:
        """How it ended, and what it said last."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read()[-3000:]
        self.errors.close()
        return code, said


def main() -> None:
    from helpers.fuzzing.readers import READERS, refusals

    reader = READERS[sys.argv[1]]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    with TemporaryDirectory() as folder:
        path = Path(folder, reader.name)
        path.parent.mkdir(exist_ok=True)
        while length := sys.stdin.buffer.readline():
            path.write_bytes(sys.stdin.buffer.read(int(length)))
            try:
                refusals(reader, path)
                fault = None
            except Exception:
                fault = traceback.format_exc()
            answers.write(json.dumps(fault).encode() + b"\n")
            answers.flush()


if __name__ == "__main__":
    main()
