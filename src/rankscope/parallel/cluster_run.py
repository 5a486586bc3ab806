"""Running units on a Dask cluster: sent a few at a time, gathered in order, sent again when workers are lost."""

from __future__ import annotations

import contextlib
import pickle
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Any, TypeVar

from rankscope._version import __version__
from rankscope.errors import ParameterError, RankscopeError
from rankscope.parallel.cluster import Cluster, check_size, import_distributed, no_workers_error
from rankscope.parallel.cluster_unit import FailedUnit, run_unit
from rankscope.parallel.worker import UNSET, UnpicklableError

__all__ = [
    "run_in_cluster",
]


Unit = TypeVar("Unit")
Result = TypeVar("Result")
#: Units sent per thread of the workers: one runs, one waits.
AHEAD = 2
#: How often units are sent again after all workers that held them were lost.
AGAIN = 3
#: Seconds between counts of the workers.
LOOK = 1.0
#: Seconds to wait before a broken connection is tried again.
MOMENT = 0.1


class SentUnit:
    """A unit that was sent. packed: its pickle, to send it again if it is lost."""

    def __init__(self, pickled: bytes) -> None:
        self.packed = pickled
        self.future: Any = None

    def release(self) -> None:
        """Let the cluster drop the result.

        Deleting the future is not enough: after a timeout an exception holds it in a reference cycle until the next
        garbage collection.
        """
        self.future.release()


class UnitQueue:
    """The sent units, in order."""

    def __init__(self, cluster: Cluster, shared: Any) -> None:
        self.cluster, self.client, self.shared = cluster, cluster.client, shared
        self.queue: deque[SentUnit] = deque()
        self.fetched: deque[bytes] = deque()
        self.again = 0
        self.looked = self.seen = time.monotonic()  # when workers were last counted; when there last were any
        self.room = 0
        self.scattered: Any = UNSET

    def __len__(self) -> int:
        """The number of units that are sent, or fetched and not returned yet."""
        return len(self.queue) + len(self.fetched)

    def begin(self) -> None:
        self.look()
        if self.shared is not UNSET:
            check_size(self.client, self.shared)
            self.scatter()

    def scatter(self) -> None:
        """Send `shared` to each worker once; workers that come later fetch it from another one."""
        timeout = self.cluster.timeout  # for the wait for a worker
        try:
            (self.scattered,) = self.client.scatter([self.shared], broadcast=True, hash=False, timeout=timeout)
        except TimeoutError:
            raise no_workers_error(self.client, timeout) from None

    def look(self) -> None:
        """Count how many units the workers have room for. Raises where there has been no worker for too long."""
        try:
            threads = self.cluster.threads()
        except OSError:
            self.broken()
            return
        self.looked = time.monotonic()
        if threads:
            self.room, self.seen = AHEAD * threads, self.looked
        elif self.looked - self.seen > self.cluster.timeout:
            raise no_workers_error(self.client, self.cluster.timeout)

    def broken(self) -> None:
        """Wait a moment after the connection broke: Dask opens a new one, or gives up, which raises the error."""
        if self.client.status not in ("running", "connecting"):
            raise self.lost() from None
        time.sleep(MOMENT)

    def send(self, sent_unit: SentUnit) -> None:
        from dask import config

        arguments = (__version__, sent_unit.packed, self.scattered)
        with config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # large units are fine
            sent_unit.future = self.client.submit(run_unit, *arguments, key=f"rankscope-{uuid.uuid4()}")

    def put(self, pickled: bytes) -> None:
        sent_unit = SentUnit(pickled)
        self.send(sent_unit)
        self.queue.append(sent_unit)

    def next(self) -> Any:
        """Remove the first unit and return its result. Finished units behind it are fetched in the same call."""
        if self.fetched:
            return pickle.loads(self.fetched.popleft())
        package = import_distributed()
        if time.monotonic() - self.looked > LOOK:
            self.look()
        while True:
            try:
                result = pickle.loads(self.queue[0].future.result(timeout=LOOK))
                self.again = 0
                break
            except TimeoutError:
                self.look()
            except OSError:
                self.broken()
            except package.KilledWorker as error:
                raise RankscopeError(
                    f"a unit of work was lost with each worker that had it, the last one {error.last_worker.address}, "
                    "perhaps for lack of memory; give workers more (--memory-limit), or fewer threads each"
                ) from None
            except package.CancelledError:
                self.send_again()
            except ImportError as error:
                raise ParameterError(
                    f"a worker that has just come cannot run units of work ({error}), expected rankscope {__version__} "
                    "on all workers; install it there"
                ) from None
        self.queue.popleft().release()
        finished = list(takewhile(lambda sent_unit: sent_unit.future.status == "finished", self.queue))
        with contextlib.suppress(Exception):  # a unit was just lost, which is reported when its turn comes
            self.fetched.extend(self.client.gather([sent_unit.future for sent_unit in finished]))
            for _ in finished:
                self.queue.popleft().release()
        return result

    def send_again(self) -> None:
        """Send `shared` and the lost units again, after the last worker that held them was lost."""
        self.again += 1
        if self.client.status != "running" or self.again > AGAIN:
            raise self.lost()
        self.look()
        if self.shared is not UNSET:
            self.scatter()
        for sent_unit in self.queue:
            if sent_unit.future.cancelled():
                self.send(sent_unit)

    def lost(self) -> RankscopeError:
        times = f"it lost its work {self.again} times" if self.again > AGAIN else "it no longer answers"
        return RankscopeError(
            f"the cluster at {self.cluster.address} is given up, since {times}, so the results are incomplete; look "
            "whether its scheduler runs, and start again"
        )

    def leave(self) -> None:
        """Cancel all units, and drop everything on the cluster."""
        unfinished = list(self.queue)
        self.queue.clear()
        if self.scattered is not UNSET:
            self.scattered.release()
        if unfinished:
            with contextlib.suppress(Exception):  # the cluster has gone
                self.client.cancel([sent_unit.future for sent_unit in unfinished], force=True)
        for sent_unit in unfinished:
            sent_unit.release()


def run_in_cluster(
    cluster: Cluster,
    function: Callable[..., Result],
    units: Iterator[Unit],
    shared: Any,
    progress: Callable[[int], Any] | None,
) -> Iterator[Result]:
    """As `run_units`, on this cluster."""
    from cloudpickle import dumps  # comes with Dask; also pickles functions of the main script

    pickled_units = (dumps((function, unit), protocol=5) for unit in units)
    queue = UnitQueue(cluster, shared)
    try:
        queue.begin()
        for pickled in islice(pickled_units, queue.room):
            queue.put(pickled)
        while len(queue):
            result = queue.next()
            for pickled in islice(pickled_units, max(0, queue.room - len(queue))):
                queue.put(pickled)
            if isinstance(result, FailedUnit):
                raise result.error.error() if isinstance(result.error, UnpicklableError) else result.error
            if progress is not None:
                progress(1)
            yield result
    finally:
        queue.leave()
