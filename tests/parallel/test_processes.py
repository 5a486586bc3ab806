"""Whole programs: interrupted, killed, with threads of their own, with and without a guarded main script."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from helpers.messages import mentions

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")

THREAD = """
import threading, time
threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
"""
SLOW = """
import time
from rankscope.parallel import run_units

def unit(x):
    if x == 0:
        return x
    time.sleep(60)

if __name__ == "__main__":
    for result in run_units(unit, range(50), workers=2):
        print(result, flush=True)
"""


def start(path, script):
    path.write_text(textwrap.dedent(script), "utf-8")
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(path, script):
    started = start(path, script)
    try:
        out, err = started.communicate(timeout=30)
    finally:
        end(started)
    return started.returncode, out, err


def end(started):
    with contextlib.suppress(ProcessLookupError):  # all have gone
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    started.stdout.close()
    started.stderr.close()


def alive(group):
    """The processes of the group; a zombie has ended, and waits for whoever is to hear of it."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just gone
            state, _, itsgroup = stat.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(itsgroup) == group and state != "Z":
                found.append(stat.parent.name)
    return found


def gone(group):
    """Whether all processes of the group end within a few seconds."""
    until = time.perf_counter() + 5
    while time.perf_counter() < until:
        if not alive(group):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("threads", ["", THREAD], ids=["forked", "spawned"])
def test_an_interrupt_ends_the_program_and_all_its_workers_at_once(tmp_path, threads):
    started = start(tmp_path / "slow.py", threads + SLOW)
    try:
        assert started.stdout.readline() == "0\n"
        begun = time.perf_counter()
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does it
        _, err = started.communicate(timeout=10)
        assert time.perf_counter() - begun < 5
        assert started.returncode == -signal.SIGINT
        assert err.count("Traceback") == 1, "workers stay silent"
        assert err.rstrip().endswith("KeyboardInterrupt")
        assert gone(started.pid)
    finally:
        end(started)


def test_an_interrupt_while_workers_start_is_no_different(tmp_path):
    """The signal comes from the first unit's reading, so that it stands before the workers run."""
    script = """
        import os, signal, time
        from rankscope.parallel import run_units

        def units():
            yield from (1, 2)
            os.killpg(0, signal.SIGINT)
            yield 3

        run = run_units(time.sleep, (60 * x for x in units()), workers=2)
        next(run)
    """
    code, _, err = run(tmp_path / "early.py", script)
    assert code == -signal.SIGINT
    assert err.count("Traceback") == 1


@pytest.mark.parametrize("threads", ["", THREAD], ids=["forked", "spawned"])
def test_workers_end_when_the_program_is_killed(tmp_path, threads):
    started = start(tmp_path / "slow.py", threads + SLOW)
    try:
        assert started.stdout.readline() == "0\n"
        assert len(alive(started.pid)) >= 3
        started.kill()
        started.wait(10)
        assert gone(started.pid)
    finally:
        end(started)


def test_a_script_without_guard_forks_as_often_as_it_likes_without_a_warning(tmp_path):
    """Warnings are errors here; OpenBLAS has threads in the meantime."""
    script = """
        import numpy as np
        from rankscope.parallel import run_units
        from rankscope.parallel.pool import start_method

        square = np.ones((300, 300))
        for _ in range(3):
            square @ square
            assert start_method() == "fork"
            print(*run_units(abs, range(-3, 3), workers=2))
    """
    code, out, err = run(tmp_path / "plain.py", script)
    assert (code, err) == (0, "")
    assert out == "3 2 1 0 1 2\n" * 3


def test_a_thread_without_name_is_not_taken_for_one_of_openblas(tmp_path):
    """As those of OpenMP, which a fork would lose; OpenBLAS has ended its own threads before the first fork."""
    script = """
        import _thread, os, time
        import numpy as np
        from rankscope.parallel.pool import start_method
        from rankscope.parallel.threads import openblas_functions

        for set_threads in openblas_functions("set_num_threads"):
            set_threads(3)
        np.ones((300, 300)) @ np.ones((300, 300))
        print(start_method())
        if not os.fork():
            os._exit(0)
        os.wait()
        _thread.start_new_thread(time.sleep, (30,))
        print(start_method())
    """
    code, out, err = run(tmp_path / "nameless.py", script)
    assert (code, err) == (0, "")
    assert out == "fork\nspawn\n"


POLARS = """
import polars
polars.DataFrame({"a": [1, 2]}).lazy().filter(polars.col("a") > 1).collect()
"""


@pytest.mark.parametrize("threads", [THREAD, POLARS], ids=["Python's", "polars'"])
def test_with_other_threads_workers_are_spawned_and_have_one_thread_too(tmp_path, threads):
    script = """
import os
import numpy
from rankscope.parallel import run_units
from rankscope.parallel.pool import start_method
from rankscope.parallel.threads import openblas_functions

def unit(x):
    one = {get() for get in openblas_functions("get_num_threads")} <= {1}
    return one, os.environ["OMP_NUM_THREADS"], len(os.environ)

if __name__ == "__main__":
    START
    before = dict(os.environ)
    assert start_method() == "spawn"
    print({found[:2] for found in run_units(unit, range(5), workers=2)})
    assert os.environ == before
"""
    script = script.replace("START", textwrap.indent(threads, "    ").strip())
    code, out, err = run(tmp_path / "threads.py", script)
    assert (code, err) == (0, "")
    assert out == "{(True, '1')}\n"


@pytest.mark.parametrize("call", ["abs, range(5)", "max, range(5), shared=bytes(10_000_000)"], ids=["", "much shared"])
def test_a_script_without_guard_and_with_threads_is_told_what_to_do_in_one_line(tmp_path, call):
    """A worker ends before it has read what it shares, which does not fit into a pipe."""
    script = THREAD + textwrap.dedent(f"""
        from rankscope.errors import ParameterError
        from rankscope.parallel import run_units
        try:
            list(run_units({call}, workers=2))
        except ParameterError as error:
            print(error)
    """)
    code, out, err = run(tmp_path / "unguarded.py", script)
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    assert mentions(out, "workers is 2", "start")
    assert 'if __name__ == "__main__"' in out


def test_what_spawned_workers_share_leaves_no_file_behind(tmp_path):
    script = """
        import os, sys, tempfile
        from rankscope.errors import RankscopeError
        from rankscope.parallel import run_units

        def unit(shared, x):
            return shared[x], len(os.listdir(tempfile.gettempdir()))

        if __name__ == "__main__":
            START
            print(*run_units(unit, range(3), workers=2, shared=bytes(range(3))))
            print(os.listdir(tempfile.gettempdir()))
            tempfile.tempdir = "/dev/null"
            try:
                list(run_units(unit, range(3), workers=2, shared=b""))
            except RankscopeError as error:
                print(error)
    """
    (tmp_path / "free").mkdir()
    start = f"tempfile.tempdir = {str(tmp_path / 'free')!r};" + THREAD.strip().replace("\n", ";")
    code, out, err = run(tmp_path / "shares.py", script.replace("START", start))
    assert (code, err) == (0, "")
    results, left, error = out.splitlines()
    assert [pair.split(", ")[0] for pair in results.strip("()").split(") (")] == ["0", "1", "2"]
    assert left == "[]"
    assert mentions(error, "/dev/null: ", "share", "TMPDIR", "workers=1")


def test_what_was_typed_in_cannot_be_sent_to_spawned_workers():
    script = THREAD + textwrap.dedent("""
        from rankscope.parallel import run_units
        def unit(x):
            return x
        list(run_units(unit, range(5), workers=2))
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)
    told = done.stderr.rstrip().splitlines()[-1]
    assert mentions(told, "ParameterError: ", "workers is 2", "import unit ")
