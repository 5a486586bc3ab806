"""The workers of a Dask cluster behind the executor that its client gives; what the executor does not say is here."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, wait
from typing import Any

from rankscope._version import __version__
from rankscope.errors import ParameterError, RankscopeError
from rankscope.parallel.cluster import Cluster, check_size, import_distributed, no_workers_error
from rankscope.parallel.unit import run_cluster_unit

__all__ = [
    "start_cluster_workers",
]


#: Units sent per thread of the workers: one runs, one waits.
AHEAD = 2
#: How often in a row lost work is sent again.
MAX_RESENDS = 3
#: Seconds between counts of the workers.
COUNT_INTERVAL = 1.0
#: Seconds to wait before a broken connection is tried again.
RETRY_DELAY = 0.1


class SentUnit:
    """A unit that was sent. pickled: to send it again if it is lost."""

    def __init__(self, pickled: bytes) -> None:
        self.pickled = pickled
        self.future: Future[Any] = Future()


class ClusterWorkers:
    """The workers of a cluster, which call one function.

    Dask computes lost results again by itself. Not so what units share when its last holder is lost, and anything when
    the connection breaks, even for a moment: then all is sent again. (As a task `shared` would be computed again, but
    sending 300 MB so takes three times as long.)
    """

    def __init__(self, cluster: Cluster, function: Callable[..., Any], shared: Any) -> None:
        self.cluster, self.client, self.function, self.shared = cluster, cluster.client, function, shared
        self.executor = cluster.client.get_executor(pure=False)
        self.sent: list[SentUnit] = []
        self.last_count = self.last_workers = time.monotonic()  # when last counted; when there last were any
        self.capacity = 0
        self.count_workers()
        check_size(self.client, shared)
        self.scatter()

    def scatter(self) -> None:
        """Send `shared` to each worker once; workers that come later fetch it from another one."""
        timeout = self.cluster.timeout  # for the wait for a worker
        try:
            (self.scattered,) = self.client.scatter([self.shared], broadcast=True, hash=False, timeout=timeout)
        except TimeoutError:
            raise no_workers_error(self.client, timeout) from None

    def submit(self, unit: Any) -> SentUnit:
        from cloudpickle import dumps  # comes with Dask; also pickles functions of the main script

        sent_unit = SentUnit(dumps((self.function, unit), protocol=5))
        self.sent.append(sent_unit)
        with self.name_lost_cluster():
            self.send(sent_unit)
        return sent_unit

    def send(self, sent_unit: SentUnit) -> None:
        from dask import config

        with config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # large units are fine
            sent_unit.future = self.executor.submit(run_cluster_unit, __version__, sent_unit.pickled, self.scattered)

    def result(self, sent_unit: SentUnit) -> Any:
        """The result of a unit, or a FailedUnit."""
        n_resends = 0
        while (pickled := self.fetch(sent_unit)) is None:
            n_resends += 1
            with self.name_lost_cluster():
                if n_resends > MAX_RESENDS:
                    raise CancelledError
                self.send_again()
        self.sent.remove(sent_unit)
        return pickle.loads(pickled)

    def fetch(self, sent_unit: SentUnit) -> bytes | None:
        """The pickled result of a unit, when it is done; None where it was lost."""
        if time.monotonic() - self.last_count > COUNT_INTERVAL:
            self.count_workers()
        while not wait([sent_unit.future], COUNT_INTERVAL).done:
            self.count_workers()
            if self.scattered.status != "finished":  # a future of the executor may then never be done
                return None
        try:
            pickled: bytes = sent_unit.future.result()
        except CancelledError:
            return None
        except import_distributed().KilledWorker as error:
            raise RankscopeError(
                f"a unit of work was lost with each worker that had it, the last one {error.last_worker.address}, "
                "perhaps for lack of memory; give workers more (--memory-limit), or fewer threads each"
            ) from None
        except ImportError as error:
            raise ParameterError(
                f"a worker that has just come cannot run units of work ({error}), expected rankscope {__version__} "
                "on all workers; install it there"
            ) from None
        return pickled

    def count_workers(self) -> None:
        """Count how many units the workers have room for. Raises where there has been no worker for too long."""
        with self.name_lost_cluster():
            try:
                threads = self.cluster.count_threads()
            except OSError:
                self.wait_for_connection()
                return
        self.last_count = time.monotonic()
        if threads:
            self.capacity, self.last_workers = AHEAD * threads, self.last_count
        elif self.last_count - self.last_workers > self.cluster.timeout:
            raise no_workers_error(self.client, self.cluster.timeout)

    def wait_for_connection(self) -> None:
        """Wait until Dask has opened a broken connection again, or has given up."""
        time.sleep(RETRY_DELAY)
        while self.client.status == "connecting":
            time.sleep(RETRY_DELAY)
        if self.client.status != "running":
            raise CancelledError

    def send_again(self) -> None:
        """Send `shared` and all units again that have no result."""
        self.wait_for_connection()
        self.count_workers()
        self.scatter()
        for sent_unit in self.sent:
            if not sent_unit.future.done() or sent_unit.future.cancelled():
                self.send(sent_unit)

    @contextlib.contextmanager
    def name_lost_cluster(self) -> Iterator[None]:
        """Raise RankscopeError where the connection is given up, whatever Dask then raises."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, CancelledError) and self.client.status in ("running", "connecting"):
                raise
            raise RankscopeError(
                f"the cluster at {self.cluster.address} is given up, since its work was lost with the connection to it "
                "or with all workers, so the results are incomplete; look whether its scheduler runs, and start again"
            ) from None

    def cancel_all(self) -> None:
        """Cancel all units, and drop everything on the cluster."""
        self.sent.clear()
        with contextlib.suppress(Exception):  # the cluster has gone
            self.executor.shutdown(wait=False)
        self.scattered.release()


@contextlib.contextmanager
def start_cluster_workers(cluster: Cluster, function: Callable[..., Any], shared: Any) -> Iterator[ClusterWorkers]:
    """The workers for the duration of the block. shared: sent to each worker once."""
    workers = ClusterWorkers(cluster, function, shared)
    try:
        yield workers
    finally:
        workers.cancel_all()
