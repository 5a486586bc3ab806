"""Units on a Dask cluster: the results of one worker, to the last bit, in order, and errors with their type."""

import contextlib
import gc
import itertools
import os
import socket
import threading
import time

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.parallel import cluster as cluster_checks
from rankscope.parallel import cluster_run, run_units, unit, workers_for
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.threads import openblas_functions

distributed = pytest.importorskip(
    "distributed", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'"
)


class NeedsThree(Exception):
    """Pickle cannot put it together: its message is made of what it is given."""

    def __init__(self, one, two, three):
        self.three = three
        super().__init__(f"{one} {two}")


def draw(seed):
    return np.random.default_rng(seed).standard_normal((5, 3)).T


def square(x):
    return x * x


def late_when_early(x):
    time.sleep(0.01 * (3 - x % 4))
    return x


def add(shared, x):
    return shared["base"].sum() + x


def missing_unit(shared, x):
    return shared, x


def fails(x):
    if x == 3:
        raise InputError("run.txt:3: no score")
    return x


def misnamed(x):
    raise UnknownName("measure", "nDGC", ["nDCG", "AP"])


def needs_three(x):
    raise NeedsThree("two", "words", 3)


def unsendable(x):
    error = ValueError("with a lock")
    error.lock = threading.Lock()
    raise error


def divides(x):
    return 1 / x


def nested(x):
    return list(run_units(square, range(3), workers=2)), current_cluster() is None


def blas_threads(x):
    return [get() for get in openblas_functions("get_num_threads")]


def opens(path):
    return rs.read_run(path).name


@pytest.fixture
def used(client):
    with rs.parallel.use(client) as used:
        yield used


def test_a_cluster_is_in_use_to_the_end_of_the_block(client):
    with rs.parallel.use(client) as used:
        assert current_cluster() is used
        assert str(used) == f"Cluster({client.scheduler.address!r})"
    assert current_cluster() is None
    assert client.status == "running"


def test_without_a_block_it_is_in_use_until_it_is_closed(client):
    used = rs.parallel.use(client)
    assert current_cluster() is used
    used.close()
    used.close()
    assert current_cluster() is None


def test_an_address_is_enough_and_its_client_is_closed_at_the_end(client):
    with rs.parallel.use(client.scheduler.address) as used:
        assert used.client is not client
        assert list(run_units(square, range(3))) == [0, 1, 4]
    assert used.client.status == "closed"
    assert distributed.default_client() is client


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_results_are_those_of_one_worker_to_the_last_bit(client, count):
    seeds = np.random.SeedSequence(7).spawn(count)
    expected = list(run_units(draw, seeds))
    with rs.parallel.use(client):
        found = list(run_units(draw, seeds))
    assert len(found) == count
    for one, other in zip(found, expected, strict=True):
        assert_same_bits(one, other)
        assert one.strides == other.strides


@pytest.mark.usefixtures("used")
def test_results_come_in_the_order_of_the_units_and_progress_is_told_of_each():
    told = []
    for n, result in enumerate(run_units(late_when_early, range(8), progress=told.append)):
        assert result == n
        assert told == [1] * (n + 1)
    assert told == [1] * 8


@pytest.mark.usefixtures("used")
def test_units_are_read_as_they_are_needed():
    read = []

    def units():
        for x in itertools.count():
            read.append(x)
            yield x

    results = run_units(square, units())
    assert read == []
    for given in range(1, 8):
        assert next(results) == (given - 1) ** 2
        assert len(read) <= given + 4
    results.close()


@pytest.mark.usefixtures("used")
def test_what_units_share_goes_before_each_unit():
    assert list(run_units(add, range(3), shared={"base": np.arange(5)})) == [10, 11, 12]
    assert list(run_units(missing_unit, [1], shared=None)) == [(None, 1)]
    assert list(run_units(missing_unit, [(len, "ab")], shared=[len, {"a": 1}])) == [([len, {"a": 1}], (len, "ab"))]


def test_what_units_share_is_scattered_once(client, monkeypatch):
    scattered = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda *args, **options: scattered.append(args) or scatter(*args, **options))
    with rs.parallel.use(client):
        list(run_units(add, range(20), shared={"base": np.arange(5)}))
    assert len(scattered) == 1


@pytest.mark.usefixtures("used")
def test_large_units_are_sent_without_a_warning():
    assert list(run_units(np.sum, [np.ones(2_000_000)] * 2)) == [2e6, 2e6]


@pytest.mark.usefixtures("used")
def test_what_a_unit_raises_is_raised_when_its_turn_comes():
    results = run_units(fails, range(9))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match=r"^run.txt:3: no score$"):
        next(results)


@pytest.mark.usefixtures("used")
@pytest.mark.parametrize(
    ("function", "expected", "message"),
    [
        (misnamed, UnknownName, "unknown measure 'nDGC'; did you mean nDCG?"),
        (needs_three, NeedsThree, "two words"),
        (unsendable, RuntimeError, "ValueError: with a lock"),
    ],
)
def test_exceptions_keep_type_and_message(function, expected, message):
    with pytest.raises(expected) as caught:
        list(run_units(function, [1]))
    assert str(caught.value) == message


def test_a_bug_in_a_unit_says_on_which_worker_and_where_it_was(client, used):
    with pytest.raises(ZeroDivisionError) as caught:
        list(run_units(divides, [0]))
    (note,) = caught.value.__notes__
    assert "return 1 / x" in note
    assert any(worker in note for worker in client.nthreads())


def test_a_file_that_a_worker_cannot_see_is_named_with_the_worker(client, used, tmp_path):
    with pytest.raises(InputError) as caught:
        list(run_units(opens, [str(tmp_path / "only-here.run")]))
    message = str(caught.value)
    assert "\n" not in message
    assert f"{tmp_path}/only-here.run: no such file" in message
    assert any(f"worker {worker} cannot see the file" in message for worker in client.nthreads())


@pytest.mark.usefixtures("used")
def test_a_unit_that_runs_units_of_its_own_runs_them_where_it_is():
    assert list(run_units(nested, range(3))) == [([0, 1, 4], True)] * 3


@pytest.mark.usefixtures("used")
def test_a_unit_has_one_thread_for_linear_algebra():
    for found in run_units(blas_threads, range(3)):
        assert set(found) <= {1}


@pytest.mark.usefixtures("used")
def test_a_function_that_cannot_be_sent_is_refused():
    with pytest.raises(ParameterError, match=r"<lambda>.* sent"):
        run_units(lambda x: x, [1])


def test_leaving_early_cancels_what_has_not_begun(client, used, tmp_path):
    results = run_units(touches, (tmp_path / str(x) for x in range(100)))
    next(results)
    results.close()
    until = time.monotonic() + 10
    while client.cluster.scheduler.tasks and time.monotonic() < until:
        time.sleep(0.01)
    assert not client.cluster.scheduler.tasks
    assert len(list(tmp_path.iterdir())) < 20  # few are under way at a time, of which some may have been done


def test_nothing_is_kept_on_the_cluster_after_a_result_that_was_waited_for(client, used, monkeypatch):
    """A wait that ends without result leaves an exception in a cycle, which holds the future until it is collected."""
    monkeypatch.setattr(cluster_run, "COUNT_INTERVAL", 0.05)
    gc.disable()
    try:
        results = run_units(waits, [0.3, 0, 0, 0, 0, 0], shared={"base": np.arange(3)})
        assert next(results) == 0.3
        results.close()
        until = time.monotonic() + 10
        while client.cluster.scheduler.tasks and time.monotonic() < until:
            time.sleep(0.01)
        assert not client.cluster.scheduler.tasks
    finally:
        gc.enable()


def waits(shared, seconds):
    time.sleep(seconds)
    return seconds


def touches(path):
    path.touch()
    time.sleep(0.02)


@pytest.mark.parametrize("goes", ["cluster", "client"])
def test_what_goes_away_in_mid_run_is_told_in_one_line(goes):
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        cluster.get_client() as client,
        rs.parallel.use(client),
    ):
        results = run_units(waits, itertools.repeat(0.01), shared={"base": np.arange(3)})
        next(results)
        begun = time.perf_counter()
        (cluster if goes == "cluster" else client).close()
        with pytest.raises(RankscopeError) as caught:
            list(results)
        assert time.perf_counter() - begun < 10
        assert "\n" not in str(caught.value)
        assert mentions(caught.value, cluster.scheduler_address, "incomplete", "start again")


@pytest.mark.usefixtures("used")
def test_a_connection_that_breaks_for_a_moment_loses_nothing(client):
    results = run_units(waits, [0.01 * (x % 3) for x in range(12)], shared={"base": np.arange(3)})
    found = [next(results), next(results)]
    client.loop.add_callback(client.scheduler_comm.comm.abort)
    assert [*found, *results] == [0.01 * (x % 3) for x in range(12)]


def test_work_is_cut_for_the_workers_of_the_cluster(client, used):
    assert workers_for(None, worthwhile=False) == 2
    assert workers_for(7, worthwhile=True) == 2


# What is refused


def test_a_worker_with_another_version_is_refused_by_name_and_version(client, monkeypatch):
    monkeypatch.setattr(cluster_checks, "__version__", "99.1")
    with pytest.raises(ParameterError) as caught:
        rs.parallel.use(client)
    worker = min(client.nthreads())
    assert str(caught.value).startswith(f"worker {worker} has rankscope {rs.__version__}, expected 99.1, ")
    assert current_cluster() is None
    assert client.status == "running"


def test_a_worker_without_the_package_is_refused(client, monkeypatch):
    monkeypatch.setattr(cluster_checks, "VERSION", cluster_checks.VERSION.replace("rankscope", "rankscope_not_there"))
    with pytest.raises(ParameterError, match=r"^worker \S+ .*no rankscope\D+\d"):
        rs.parallel.use(client)


def test_a_worker_that_comes_later_with_another_version_is_refused_by_its_unit(used, monkeypatch):
    monkeypatch.setattr(unit, "__version__", "0.0.1")
    with pytest.raises(ParameterError, match=r"^worker \S+ .*rankscope 0\.0\.1\b"):
        list(run_units(square, range(3)))


def test_a_cluster_without_workers_is_waited_for_and_refused():
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        cluster.get_client() as client,
        pytest.raises(ParameterError) as caught,
    ):
        rs.parallel.use(client, timeout=0.2)
    assert str(caught.value).startswith("the cluster at inproc://")
    assert mentions(caught.value, "no worker", "0.2 seconds")


@pytest.mark.usefixtures("used")
def test_what_is_too_large_for_the_workers_is_not_sent(monkeypatch):
    monkeypatch.setattr(cluster_checks, "memory_limit", tiny_memory)
    with pytest.raises(ParameterError, match=r"\b8 MB\b.*\b4 MB\b"):
        list(run_units(add, range(3), shared={"base": np.zeros(1_000_000)}))
    assert list(run_units(add, [1], shared={"base": np.zeros(100_000)})) == [1]


def tiny_memory(dask_worker):
    return 4_000_000


@pytest.mark.parametrize("address", ["", "nowhere", "tcp://10.0.0.1", "http://10.0.0.1:80", "two words:1"])
def test_what_is_no_address_is_told_at_once(address):
    with pytest.raises(ParameterError, match=r"address.*HOST:PORT"):
        rs.parallel.use(address)


def test_an_address_nobody_answers_at_is_named_with_the_time_limit():
    with pytest.raises(ParameterError) as caught:
        rs.parallel.use("127.0.0.1:1", timeout=0.2)
    assert mentions(caught.value, "Dask", "127.0.0.1:1 ", "0.2 seconds")


@pytest.mark.parametrize(
    ("banner", "timeout", "said"),
    [
        (b"", 0.5, "scheduler runs"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", 30, "Dask's language"),
        (bytes(64), 30, "Dask's language"),
    ],
    ids=["nothing", "text", "zeros"],
)
def test_whoever_takes_the_connection_and_speaks_otherwise_is_not_waited_for(banner, timeout, said):
    left = []

    def serve():
        connection, _ = server.accept()
        with connection:
            connection.settimeout(60)
            connection.sendall(banner)
            with contextlib.suppress(ConnectionError):
                while connection.recv(1 << 16):
                    pass
        left.append(True)  # not by the time limit here

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ParameterError) as caught:
            rs.parallel.use(address, timeout=timeout)
        gc.collect()
        thread.join()
    assert mentions(caught.value, "Dask", address, f"{timeout} seconds")
    assert mentions(caught.value, said)
    assert left == [True]


def test_the_address_of_a_worker_is_told_as_such(client):
    with pytest.raises(ParameterError, match=r"worker.*scheduler"):
        rs.parallel.use(min(client.nthreads()))


@pytest.mark.parametrize("thing", [None, 5, os], ids=["None", "a number", "a module"])
def test_what_is_no_client_is_refused(thing):
    with pytest.raises(ParameterError, match=r"dask\.distributed\.Client.*address"):
        rs.parallel.use(thing)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_time_limit_is_above_0(client, timeout):
    with pytest.raises(ParameterError, match=r"expected seconds above 0"):
        rs.parallel.use(client, timeout=timeout)
