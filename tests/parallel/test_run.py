"""Units run one after another or in processes: the same results, in order, read as they are needed."""

import functools
import itertools
import os
import pickle
import signal
import threading
import time
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope.parallel.pool
from rankscope.errors import InputError, OutputError, ParameterError, RankscopeError, UnknownName
from rankscope.parallel import all_cores, run_units
from rankscope.parallel.threads import openblas_functions, thread_names, use_one_thread
from rankscope.parallel.worker import in_worker

BOTH = pytest.mark.parametrize("workers", [1, 2])


@pytest.fixture(autouse=True)
def _forked(monkeypatch):
    """Other tests of the session may have loaded polars, whose threads make workers spawn: slower, and not tested here.

    No unit here touches polars, so that a fork is harmless.
    """
    monkeypatch.setattr(rankscope.parallel.pool, "start_method", lambda: "fork")


pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the tests fork, and look processes up in /proc"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


class NeedsThree(Exception):
    """Pickle cannot put it together: its message is made of what it is given."""

    def __init__(self, one, two, three):
        self.three = three
        super().__init__(f"{one} {two}")


def square(x):
    return x * x


def late_when_early(x):
    """The first units take longest."""
    time.sleep(0.01 * (3 - x % 4))
    return x


def draw(seed):
    return np.random.default_rng(seed).standard_normal(5)


def process(x):
    return os.getpid()


def fails(x):
    if x == 3:
        raise InputError("run.txt:3: no score")
    return x


def later_fails_first(x):
    if x == 0:
        time.sleep(0.1)
        raise ValueError("the first")
    raise KeyError("a later one")


def misnamed(x):
    raise UnknownName("measure", "nDGC", ["nDCG", "AP"])


def needs_three(x):
    raise NeedsThree("two", "words", 3)


def unsendable(x):
    error = ValueError("with a lock")
    error.lock = threading.Lock()
    raise error


def dies(x):
    os.kill(os.getpid(), signal.SIGKILL)  # as Linux does when memory runs out


def slow(x):
    time.sleep(60)


def slow_but_for_the_first(x):
    if x:
        time.sleep(60)
    return x


def large(x):
    return x + 1


def nested(x):
    return list(run_units(process, range(3), workers=2)), os.getpid()


def threads_of_blas(x):
    return [get() for get in openblas_functions("get_num_threads")], os.environ["OMP_NUM_THREADS"]


#: Processes of other tests that live on, as the one that forks for commands.
OTHERS = set()


@pytest.fixture(autouse=True)
def processes_of_others():
    OTHERS.clear()
    OTHERS.update(children())


def children():
    """The processes whose parent this one is, zombies included.

    But for those that were there before the test, and the one that the standard library keeps to the end once any test
    has spawned: its tracker of resources.
    """
    tracker = str(resource_tracker._resource_tracker._pid)
    with open(f"/proc/self/task/{threading.get_native_id()}/children") as file:
        return [child for child in file.read().split() if child != tracker and child not in OTHERS]


@BOTH
def test_results_come_in_the_order_of_the_units_whatever_is_done_first(workers):
    assert list(run_units(late_when_early, range(8), workers=workers)) == list(range(8))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 30])
def test_any_number_of_units_gives_as_many_results(count):
    assert list(run_units(square, range(count), workers=2)) == [x * x for x in range(count)]


def test_results_do_not_depend_on_the_number_of_workers():
    seeds = np.random.SeedSequence(7).spawn(9)
    serial, two, three = (list(run_units(draw, seeds, workers=n)) for n in (1, 2, 3))
    assert_same_bits(serial, two)
    assert_same_bits(serial, three)


def test_one_worker_is_this_process_and_more_are_others():
    assert set(run_units(process, range(4), workers=1)) == {os.getpid()}
    found = set(run_units(process, range(20), workers=2))
    assert os.getpid() not in found
    assert 1 <= len(found) <= 2


def test_a_single_unit_needs_no_worker():
    assert list(run_units(process, [5], workers=4)) == [os.getpid()]


def test_a_unit_that_runs_units_of_its_own_runs_them_in_its_worker():
    for found, own in run_units(nested, range(3), workers=2):
        assert found == [own] * 3


def test_a_partial_of_a_function_of_a_module_can_be_sent():
    assert list(run_units(functools.partial(pow, 2), range(4), workers=2)) == [1, 2, 4, 8]


@BOTH
def test_units_are_read_as_they_are_needed(workers):
    read = []

    def units():
        for x in itertools.count():
            read.append(x)
            yield x

    results = run_units(square, units(), workers=workers)
    assert read == []
    for given in range(1, 10):
        assert next(results) == (given - 1) ** 2
        assert len(read) <= given + (2 * workers if workers > 1 else 0)
    results.close()


@BOTH
def test_progress_is_told_of_each_unit_in_this_process(workers):
    told = []
    for n, _ in enumerate(run_units(square, range(7), workers=workers, progress=told.append), 1):
        assert told == [1] * n
    assert told == [1] * 7


@BOTH
def test_what_a_unit_raises_is_raised_when_its_turn_comes(workers):
    results = run_units(fails, range(9), workers=workers)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match=r"^run.txt:3: no score$"):
        next(results)
    assert children() == []


@BOTH
def test_the_first_of_the_units_that_fail_is_told_not_the_fastest(workers):
    with pytest.raises(ValueError, match="the first"):
        list(run_units(later_fails_first, range(4), workers=workers))


@pytest.mark.parametrize(
    "error",
    [RankscopeError("a"), InputError("b"), ParameterError("c"), OutputError("d")],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_this_package_are_the_same_after_a_journey(error):
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


@BOTH
@pytest.mark.parametrize(
    ("function", "expected", "message"),
    [(misnamed, UnknownName, "unknown measure 'nDGC'; did you mean nDCG?"), (needs_three, NeedsThree, "two words")],
)
def test_exceptions_that_pickle_cannot_put_together_keep_type_and_message(function, expected, message, workers):
    with pytest.raises(expected) as caught:
        list(run_units(function, range(3), workers=workers))
    assert str(caught.value) == message
    if expected is NeedsThree:
        assert caught.value.three == 3


def test_an_exception_that_cannot_be_sent_at_all_is_told_in_words():
    with pytest.raises(RuntimeError, match=r"^ValueError: with a lock$"):
        list(run_units(unsendable, range(3), workers=2))


def test_an_exception_ends_what_others_are_at():
    def units():
        yield from (1, 2)
        raise OSError("no more")

    begun = time.perf_counter()
    with pytest.raises(OSError, match="no more"):
        list(run_units(slow, units(), workers=2))
    assert time.perf_counter() - begun < 5
    assert children() == []


def test_an_exception_of_progress_ends_the_workers():
    def progress(n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_units(slow_but_for_the_first, range(9), workers=2, progress=progress))
    assert children() == []


def test_a_worker_that_dies_is_told_in_one_line():
    with pytest.raises(RankscopeError) as caught:
        list(run_units(dies, range(9), workers=2))
    assert "\n" not in str(caught.value)
    assert mentions(caught.value, "one of 2", "ended", "memory")
    assert children() == []


def dies_in_the_middle_of_a_result(connection, buffer):
    """In the place of what sends: half of a large result, then an end as Linux makes it when memory runs out."""
    if in_worker() and len(buffer) > 100_000:
        os.write(connection.fileno(), bytes(buffer[: len(buffer) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)
    return SEND(connection, buffer)


SEND = Connection._send


def large_at_last(x):
    return np.zeros(100_000) if x == 6 else x


def test_a_worker_that_dies_while_it_sends_a_result_is_told_in_one_line(monkeypatch):
    """The executor alone would wait for the remainder for ever."""
    monkeypatch.setattr(Connection, "_send", dies_in_the_middle_of_a_result)
    monkeypatch.setattr(rankscope.parallel.pool, "LOOK_INTERVAL", 0.1)
    found = []
    with pytest.raises(RankscopeError) as caught:
        found.extend(run_units(large_at_last, range(9), workers=2))
    assert "\n" not in str(caught.value)
    assert mentions(caught.value, "one of 2", "ended", "memory")
    assert children() == []


def test_leaving_early_does_not_wait_for_a_result_that_is_never_sent_to_the_end(monkeypatch):
    monkeypatch.setattr(Connection, "_send", dies_in_the_middle_of_a_result)
    results = run_units(large_at_last, itertools.count(), workers=2)
    for x in range(4):
        assert next(results) == x
    time.sleep(0.2)  # the result behind is under way
    results.close()
    assert children() == []


def test_workers_without_work_that_do_not_end_are_ended(monkeypatch):
    """One that was stopped stands for one that waits for a lock which another took with it."""
    monkeypatch.setattr(rankscope.parallel.pool, "PATIENCE", 0.2)
    results = run_units(process, range(4), workers=2)
    pids = {next(results) for _ in range(4)}
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    assert list(results) == []
    assert children() == []


def test_a_worker_that_began_ends_where_another_cannot(monkeypatch):
    """It would wait for a unit as long as this process lives, and at its end Python would wait for the worker."""
    fork, started = os.fork, []

    def refused():
        if started:
            time.sleep(0.3)  # until it is at work
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(fork())
        return started[-1]

    monkeypatch.setattr(os, "fork", refused)
    with pytest.raises(RankscopeError, match=r"workers is 2\b.*\(Resource"):
        list(run_units(abs, [-1, -2, -3], workers=2))
    assert started
    assert children() == []


def test_leaving_early_ends_the_workers():
    for result in run_units(slow_but_for_the_first, itertools.count(), workers=2):
        assert result == 0
        break
    assert children() == []


def test_leaving_early_does_not_wait_for_large_units_and_results():
    size = 1_000_000
    results = run_units(large, (np.full(size, float(x)) for x in itertools.count()), workers=2)
    for x in range(3):
        assert next(results)[-1] == x + 1
    results.close()
    assert children() == []


def test_nothing_is_left_after_the_last_unit():
    before = threading.active_count()
    for _ in range(2):
        assert list(run_units(square, range(4), workers=2)) == [0, 1, 4, 9]
        assert children() == []
        assert threading.active_count() == before


def test_each_worker_has_one_thread_for_linear_algebra():
    before = [get() for get in openblas_functions("get_num_threads")], dict(os.environ)
    for found, variable in run_units(threads_of_blas, range(2), workers=2):
        assert found == [1] * len(before[0])
        assert variable == "1"
    assert ([get() for get in openblas_functions("get_num_threads")], dict(os.environ)) == before


def threads_of_process(_: int) -> tuple[int, int, list[int]]:
    return len(thread_names()), threading.active_count(), [get() for get in openblas_functions("get_num_threads")]


def test_a_forked_worker_begins_no_threads_of_linear_algebra_that_it_will_not_use():
    before = [get() for get in openblas_functions("get_num_threads")]
    try:
        for set_threads in openblas_functions("set_num_threads"):
            set_threads(3)
        np.ones((300, 300)) @ np.ones((300, 300))  # begins those of the parent
        for n_threads, of_python, of_blas in run_units(threads_of_process, range(2), workers=2):
            assert n_threads == of_python
            assert of_blas == [1] * len(before)
    finally:
        for set_threads, count in zip(openblas_functions("set_num_threads"), before, strict=True):
            set_threads(count)


def test_the_openblas_of_numpy_is_found_and_set(monkeypatch):
    if not openblas_functions("get_num_threads"):
        pytest.skip("NumPy brings no OpenBLAS here")
    before = [get() for get in openblas_functions("get_num_threads")]
    try:
        for variable in rankscope.parallel.pool.ONE_THREAD:
            monkeypatch.setenv(variable, "2")  # put back after the test
        use_one_thread()
        assert [get() for get in openblas_functions("get_num_threads")] == [1] * len(before)
    finally:
        for set_threads, count in zip(openblas_functions("set_num_threads"), before, strict=True):
            set_threads(count)


@pytest.mark.parametrize("workers", [0, -1, 2.0, "2", True, None, 1025])
def test_workers_are_a_whole_number_from_1(workers):
    with pytest.raises(ParameterError, match=r"^workers is .*\b1\b.*\b1024$"):
        run_units(square, [1, 2], workers=workers)


def test_a_function_that_cannot_be_sent_is_refused_before_anything_starts():
    def units():
        raise AssertionError("read")
        yield

    with pytest.raises(ParameterError, match=r"<lambda>.* sent") as caught:
        run_units(lambda x: x, units(), workers=2)
    assert "\n" not in str(caught.value)
    assert list(run_units(lambda x: x, [1, 2], workers=1)) == [1, 2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot be bound to cores here")
def test_all_cores_are_those_that_the_process_is_bound_to():
    mine = os.sched_getaffinity(0)
    assert all_cores() == len(mine)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert all_cores() == 1
    finally:
        os.sched_setaffinity(0, mine)


def test_all_cores_are_those_of_the_machine_where_nothing_else_is_known(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert all_cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert all_cores() == 1


def shared_and_unit(shared, unit):
    return os.getpid(), id(shared), shared["base"] + unit


class Sent:
    """Counts in a file how often it was put together again."""

    def __init__(self, path):
        self.path = path

    def __setstate__(self, state):
        self.__dict__.update(state)
        with open(self.path, "a") as file:
            file.write("x")

    def __getitem__(self, name):
        return 100


@pytest.mark.parametrize("workers", [1, 2])
def test_what_units_share_is_given_to_each(workers):
    found = list(run_units(shared_and_unit, range(5), workers=workers, shared={"base": 10}))
    assert [value for _, _, value in found] == [10, 11, 12, 13, 14]
    assert all(len({place for pid, place, _ in found if pid == worker}) == 1 for worker in {pid for pid, *_ in found})


def test_what_units_share_goes_to_a_worker_once_if_at_all(tmp_path):
    path = tmp_path / "sent"
    path.touch()
    assert [value for *_, value in run_units(shared_and_unit, range(9), workers=2, shared=Sent(path))] == [
        *range(100, 109)
    ]
    assert len(path.read_text()) <= 2


def test_none_can_be_shared():
    assert list(run_units(max_or_none, [1, 2], workers=2, shared=None)) == [(None, 1), (None, 2)]


def max_or_none(shared, unit):
    return shared, unit
