"""A scheduler and workers that are processes of their own: the same results, and a worker killed loses nothing."""

import os
import signal

import numpy as np
import pytest
from helpers.clusters import Processes, measured
from helpers.messages import mentions

import rankscope as rs
from rankscope.errors import RankscopeError
from rankscope.parallel import run_units

distributed = pytest.importorskip(
    "distributed", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'"
)

#: Units of work, and what they share.
UNITS, SHARED = range(24), np.random.default_rng(3).normal(size=(40, 30))


def same(found, expected):
    return [one.tobytes() for one, _ in found] == [one.tobytes() for one, _ in expected]


@pytest.fixture(scope="module")
def expected():
    return list(run_units(measured, UNITS, shared=SHARED))


@pytest.fixture
def processes(tmp_path):
    with Processes(tmp_path) as processes:
        yield processes


@pytest.fixture
def two(processes):
    """Two workers, and a client."""
    workers = [processes.worker() for _ in range(2)]
    with distributed.Client(processes.address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
        yield workers, client


def kill_in_mid_run(workers, client, expected):
    """One of two workers is killed once some results have come. What came, and who worked."""
    with rs.parallel.use(client):
        found = []
        for result in run_units(measured, UNITS, shared=SHARED):
            found.append(result)
            if len(found) == 5:
                workers[0].send_signal(signal.SIGKILL)
    assert same(found, expected)
    assert workers[0].wait(30) == -signal.SIGKILL
    return {pid for _, pid in found}


def test_a_worker_killed_in_mid_run_loses_nothing(two, expected):
    workers, client = two
    assert kill_in_mid_run(workers, client, expected) >= {workers[1].pid}


@pytest.mark.slow
@pytest.mark.parametrize("time_", range(20))
def test_a_worker_killed_in_mid_run_loses_nothing_twenty_times(time_, two, expected):
    workers, client = two
    assert kill_in_mid_run(workers, client, expected) >= {workers[1].pid}


@pytest.mark.slow
def test_two_workers_that_are_processes_share_the_work_and_give_the_same(two, expected):
    workers, client = two
    with rs.parallel.use(client.scheduler.address):
        found = list(run_units(measured, UNITS, shared=SHARED))
    assert same(found, expected)
    assert {pid for _, pid in found} == {worker.pid for worker in workers}


@pytest.mark.slow
def test_when_all_workers_were_lost_others_go_on(two, processes, expected):
    """What all units share was lost with them, and is sent again."""
    workers, client = two
    found = []
    with rs.parallel.use(client, timeout=60):
        for result in run_units(measured, UNITS, shared=SHARED):
            found.append(result)
            if len(found) == 5:
                for worker in workers:
                    worker.kill()
                processes.worker()
    assert same(found, expected)
    assert len({pid for _, pid in found}) > 1


@pytest.mark.slow
def test_when_all_workers_were_lost_and_none_comes_that_is_told_after_the_time_limit(two):
    workers, client = two
    with rs.parallel.use(client, timeout=1.5):
        results = run_units(measured, UNITS, shared=SHARED)
        next(results)
        for worker in workers:
            worker.kill()
        with pytest.raises(RankscopeError, match=r"no worker.*\b1\.5 seconds"):
            list(results)


@pytest.mark.slow
def test_when_the_scheduler_was_lost_that_is_told_in_one_line(two, processes):
    _, client = two
    with rs.parallel.use(client), distributed.worker.dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        results = run_units(measured, UNITS, shared=SHARED)
        next(results)
        processes.scheduler.kill()
        with pytest.raises(RankscopeError) as caught:
            list(results)
    assert "\n" not in str(caught.value)
    assert mentions(caught.value, "scheduler runs")


@pytest.mark.slow
def test_a_unit_that_ends_each_worker_is_given_up(two, processes):
    _, client = two
    for _ in range(3):
        processes.worker()
    client.wait_for_workers(5, timeout=60)
    with (
        rs.parallel.use(client),
        pytest.raises(RankscopeError, match=r"lost.*each worker") as caught,
    ):
        list(run_units(os._exit, [1]))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_worker_without_the_package_is_refused(processes, tmp_path):
    """It finds a package of that name that is not this one."""
    (tmp_path / "rankscope").mkdir()
    (tmp_path / "rankscope" / "__init__.py").write_text("__version__ = '0.0.1'\n")
    processes.worker(tmp_path)
    with pytest.raises(RankscopeError, match=r"^worker tcp://\S+ .*rankscope 0\.0\.1\b"):
        rs.parallel.use(processes.address, timeout=60)
