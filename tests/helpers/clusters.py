"""Clusters for tests: within this process, and a scheduler and workers that are processes of their own."""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from helpers.paths import TESTS

#: Where workers look for what tests send: here.
HERE = TESTS
#: Seconds in which a process has to start on a busy machine.
PATIENCE = 60


def measured(shared, unit):
    """A unit's numbers, and who made them; it takes some milliseconds, so that all workers get their share."""
    time.sleep(0.02)
    return shared @ np.random.default_rng(unit).normal(size=(30, 5)), os.getpid()


def hide(path):
    """For this process the file is no longer there."""
    opened = builtins.open

    def open_(file, *args, **options):
        if str(file) == path:
            raise FileNotFoundError(2, "No such file or directory", path)
        return opened(file, *args, **options)

    builtins.open = open_
    Path.is_file = lambda self, found=Path.is_file: str(self) != path and found(self)


class Processes:
    """A scheduler and workers, each started as on a command line; with `with`, all are ended."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file, self.started = folder, folder / "scheduler.json", []
        self.scheduler = self.start("scheduler", "--port", "0", "--no-dashboard", "--no-jupyter", "--host", "127.0.0.1")
        self.address = self.read("address")

    def start(self, role, *options, path=HERE):
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--scheduler-file", str(self.file), *options]
        paths = [str(path), *filter(None, [os.environ.get("PYTHONPATH")])]  # so that it finds the same source as here
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        with (self.folder / f"{role}-{len(self.started)}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=environment)
        self.started.append(process)
        return process

    def worker(self, path=HERE):
        """One that is one process and one thread, so that who kills it kills it. path: its PYTHONPATH."""
        return self.start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", path=path)

    def read(self, name):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with contextlib.suppress(OSError, ValueError):  # not there yet, or half written
                return json.loads(self.file.read_text("utf-8"))[name]
            time.sleep(0.02)
        raise TimeoutError((self.folder / "scheduler-0.log").read_text("utf-8", "replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.kill()
        for process in self.started:
            process.wait()
