"""The Dask cluster that runs units of work, if any: it is named once, checked, and used until it is closed."""

from __future__ import annotations

import pickle
import re
import struct
from types import ModuleType, TracebackType
from typing import Any, cast

from rankscope._version import __version__
from rankscope.errors import ParameterError
from rankscope.parallel.unit import in_cluster_unit

__all__ = [
    "Cluster",
    "check_size",
    "check_versions",
    "connect",
    "current_cluster",
    "import_distributed",
    "is_client",
    "use",
    "wait_for_workers",
]


#: Seconds to wait for an answer of the scheduler, and for a first worker.
TIMEOUT = 10.0
#: The clusters in use, the innermost last.
IN_USE: list[Cluster] = []


class Cluster:
    """A cluster in use. client: a client of Dask; owns_client: whether `close` also closes the client."""

    def __init__(self, client: Any, owns_client: bool, timeout: float) -> None:
        self.client, self.owns_client, self.timeout = client, owns_client, timeout
        self.address = str(client.scheduler.address)
        self.checked_workers: set[str] = set()

    def count_threads(self) -> int:
        """The number of units that the workers run at a time, now; 0 without workers.

        Raises RankscopeError for a new worker with another version of this package, or without it.
        """
        thread_counts: dict[str, int] = self.client.nthreads()
        if thread_counts.keys() - self.checked_workers:
            self.checked_workers |= check_versions(self.client, sorted(thread_counts.keys() - self.checked_workers))
        return sum(thread_counts.values())

    def close(self) -> None:
        """Stop using this cluster: units run where they ran before."""
        if self in IN_USE:
            IN_USE.remove(self)
        if self.owns_client:
            self.client.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Cluster({self.address!r})"


def use(client: Any, *, timeout: float = TIMEOUT) -> Cluster:
    """From now on, send units of work to this Dask cluster: to the end of a `with` block, or until `close()`.

    Whatever takes `workers` then runs on the cluster, and `workers` has no effect. Results are the same. The workers
    read files themselves, so a path must lead to the same file on their machines as here. This package must be
    installed on all workers, in the same version as here.

    Parameters
    ----------
    client
        A `dask.distributed.Client`, or the address of a scheduler, such as "tcp://10.0.0.1:8786". For an address, a
        client is made, and closed at the end.
    timeout
        Seconds to wait until the scheduler answers and the first worker comes.

    Returns
    -------
    Cluster
        The cluster; its `close()` ends its use.

    Raises
    ------
    ParameterError
        The client is neither a client nor an address, the timeout is not above 0, the scheduler does not answer or no
        worker comes in time, a worker lacks this package or has another version of it, or the extra `scale` is not
        installed.

    Examples
    --------
    >>> import rankscope as rs
    >>> with rs.parallel.use("tcp://10.0.0.1:8786"):  # doctest: +SKIP
    ...     scores = rs.evaluate("robust.qrels", ["bm25.run", "dense.run"])
    """
    if not timeout > 0:
        raise ParameterError(f"timeout is {timeout}, expected seconds above 0 to wait for a cluster")
    owns_client = isinstance(client, str)
    if owns_client:
        client = connect(client, timeout)
    elif not is_client(client):
        raise ParameterError(
            f"a cluster is named by a dask.distributed.Client or the address of its scheduler, not by a "
            f"{type(client).__name__}; of a cluster object take get_client()"
        )
    cluster = Cluster(client, owns_client, timeout)
    try:
        wait_for_workers(client, timeout)
        cluster.count_threads()
    except BaseException:
        cluster.close()
        raise
    IN_USE.append(cluster)
    return cluster


def current_cluster() -> Cluster | None:
    """The cluster in use; None inside a unit, whose own units run on the same worker."""
    return IN_USE[-1] if IN_USE and not in_cluster_unit() else None


#: Addresses as Dask writes them; without a scheme it is TCP.
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[^\]/]+\]|[^\s:/\[\]]+):\d+/?|inproc://.+")
#: Evaluated on a worker before it loads this package, which may be missing there. It is loaded without NumPy.
VERSION = (
    "getattr(__import__('importlib.util').util.find_spec('rankscope') and __import__('rankscope'), '__version__', '')"
)
#: The fraction of a worker's memory that `shared` may take; the remainder is for the units.
MAX_SHARED_FRACTION = 0.25


def import_distributed() -> ModuleType:
    """The package `distributed` of Dask. Raises ParameterError where it is not installed."""
    try:
        import distributed
    except ImportError:
        raise ParameterError("Dask is not installed; pip install 'rankscope[scale]'") from None
    return cast(ModuleType, distributed)


def is_client(client: object) -> bool:
    """Whether it is a client of Dask. Raises ParameterError for an asynchronous one."""
    client_class: type = import_distributed().Client
    if not isinstance(client, client_class):
        return False
    if getattr(client, "asynchronous", False):
        raise ParameterError("this client is asynchronous, expected one that waits; make it outside of coroutines")
    return True


def connect(address: str, timeout: float) -> Any:
    """A client of the scheduler at this address."""
    if not ADDRESS.fullmatch(address):
        raise ParameterError(
            f"{address!r} is not the address of a Dask scheduler, expected HOST:PORT, such as "
            "tcp://10.0.0.1:8786; the scheduler prints it when it starts"
        )
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    package = import_distributed()
    try:
        # Checked first, since a client without an answer logs another error when it is deleted. In a thread, since in a
        # notebook an event loop may be running in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, check_answer(address, timeout)).result()
        return package.Client(address, timeout=timeout, set_as_default=False)
    except Exception as error:  # of many types: of sockets, of Dask, of TLS
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, (OSError, TimeoutError)):
            reason = "check the address, and that the scheduler runs and can be reached from here"
        elif isinstance(error, (MemoryError, struct.error)):  # of reading something else as Dask's lengths
            reason = "what answers there does not speak Dask's language; check the address"
        raise ParameterError(
            f"no Dask scheduler answered at {address} within {timeout:g} seconds (--dask-timeout); {reason}"
        ) from None


async def check_answer(address: str, timeout: float) -> None:
    """Raise where no scheduler of Dask answers in time.

    Dask's own timeout covers only the connection: it waits forever for the first message of a server that is silent.
    """
    import asyncio

    await asyncio.wait_for(connect_and_check(address, timeout), timeout)


async def connect_and_check(address: str, timeout: float) -> None:
    """Connect and check that a scheduler answers. timeout: of the connection."""
    comm = await import_distributed().comm.connect(address, timeout=timeout)
    try:
        await check_identity(comm)
    finally:
        comm.abort()


async def check_identity(comm: Any) -> None:
    """Raise ValueError where a worker answers instead of a scheduler."""
    await comm.write({"op": "identity", "reply": True})
    identity = await comm.read()
    node_type = identity.get("type") if isinstance(identity, dict) else None
    if node_type != "Scheduler":
        raise ValueError(f"it is the address of a {str(node_type).lower()}; name that of the scheduler")


def wait_for_workers(client: Any, timeout: float) -> None:
    """Wait for the first worker. Raises ParameterError where none comes in time."""
    try:
        client.wait_for_workers(1, timeout=timeout)
    except TimeoutError:
        raise no_workers_error(client, timeout) from None


def no_workers_error(client: Any, timeout: float) -> ParameterError:
    address = client.scheduler.address
    return ParameterError(
        f"the cluster at {address} has had no worker for {timeout:g} seconds (--dask-timeout), expected at least 1; "
        f"start some with `dask worker {address}`, or wait until the batch system does"
    )


def check_versions(client: Any, workers: list[str]) -> set[str]:
    """The workers that answered; workers that have just ended do not.

    Raises ParameterError for a worker with another version of this package.
    """
    versions: dict[str, str] = client.run(eval, VERSION, workers=workers, on_error="ignore")
    for worker, version in sorted(versions.items()):
        if version != __version__:
            raise version_mismatch(worker, version)
    return set(versions)


def version_mismatch(worker: str, version: str) -> ParameterError:
    has = f"has rankscope {version}" if version else "has no rankscope"
    return ParameterError(
        f"worker {worker} {has}, expected {__version__}, which is installed here; install it there: "
        f"pip install rankscope=={__version__}"
    )


def check_size(client: Any, shared: Any) -> None:
    """Raise ParameterError where `shared`, of which each worker gets a copy, is too large for a worker's memory."""
    size = serialised_size(shared)
    limits: dict[str, int] = client.run(memory_limit, on_error="ignore")
    smallest_limit, worker = min(((limit, worker) for worker, limit in limits.items() if limit), default=(0, ""))
    if smallest_limit and size > MAX_SHARED_FRACTION * smallest_limit:
        raise ParameterError(
            f"what each worker is to hold, such as the judgments, takes {size / 1e6:,.0f} MB, expected at most a "
            f"quarter of a worker's memory, and {worker} has {smallest_limit / 1e6:,.0f} MB; give workers more memory "
            "(--memory-limit), or evaluate fewer queries at a time"
        )


def memory_limit(dask_worker: Any) -> int:
    """The memory limit of a worker in bytes; 0 if there is none. dask_worker: Dask fills it in."""
    return int(dask_worker.memory_manager.memory_limit or 0)


def serialised_size(value: Any) -> int:
    """The number of bytes that are sent, computed without copying arrays."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(pickled) + sum(buffer.raw().nbytes for buffer in buffers)
