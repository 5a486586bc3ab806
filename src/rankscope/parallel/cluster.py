"""The Dask cluster that units of work are sent to, if any: named once, checked, and used by all calls until it is
closed.
"""

from __future__ import annotations

import pickle
import re
import struct
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, TracebackType
from typing import Any, cast

from rankscope._version import __version__
from rankscope.errors import ParameterError
from rankscope.parallel.cluster_unit import in_unit, memory_limit

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


#: Seconds that a scheduler has to answer, and a worker to come.
TIMEOUT = 10.0
#: Those in use, the innermost last.
IN_USE: list[Cluster] = []


class Cluster:
    """A cluster in use. client: a client of Dask; own: whether it was made here and is closed with this."""

    def __init__(self, client: Any, owns_client: bool, timeout: float) -> None:
        self.client, self.own, self.timeout = client, owns_client, timeout
        self.address = str(client.scheduler.address)
        self.checked: set[str] = set()

    def threads(self) -> int:
        """How many units the workers run at a time, now; 0 where no worker is there.

        Raises RankscopeError for a worker that has come with another version of this package, or without it.
        """
        thread_counts: dict[str, int] = self.client.nthreads()
        if thread_counts.keys() - self.checked:
            self.checked |= check_versions(self.client, sorted(thread_counts.keys() - self.checked))
        return sum(thread_counts.values())

    def close(self) -> None:
        """From now on units are sent where they were before."""
        if self in IN_USE:
            IN_USE.remove(self)
        if self.own:
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

    client: a `dask.distributed.Client`, or the address of a scheduler as "tcp://10.0.0.1:8786", for which a client is
    made and closed again. timeout: so many seconds a scheduler has to answer and a first worker to come.

    Whatever takes `workers` then runs on the cluster, and `workers` says nothing. Results are the same. Files are read
    where the workers are, so a path has to lead to the same file there as here. The package has to be installed on all
    workers in the version that it has here.

    Raises ParameterError for what is no client and no address, where nobody answers in time, where no worker comes,
    where a worker has another version, and where the extra `scale` is not installed.

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
        cluster.threads()
    except BaseException:
        cluster.close()
        raise
    IN_USE.append(cluster)
    return cluster


def current_cluster() -> Cluster | None:
    """The cluster in use; none for a unit that is at work on it, whose own units run where it is."""
    return IN_USE[-1] if IN_USE and not in_unit() else None


#: What Dask writes addresses as; without a scheme it is TCP.
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[^\]/]+\]|[^\s:/\[\]]+):\d+/?|inproc://.+")
#: Asked of a worker before anything of this package is, as it may not be there. It is loaded without NumPy.
VERSION = (
    "getattr(__import__('importlib.util').util.find_spec('rankscope') and __import__('rankscope'), '__version__', '')"
)
#: The share of a worker's memory that what all units share may take; the rest is for the units.
SHARE = 0.25


def import_distributed() -> ModuleType:
    """Dask's package of clusters. Raises ParameterError where it is not installed."""
    try:
        import distributed as found
    except ImportError:
        raise ParameterError("Dask is not installed; pip install 'rankscope[scale]'") from None
    return cast(ModuleType, found)


def is_client(client: object) -> bool:
    """Whether it is one that waits for what it is asked for."""
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
            f"{address!r} is no address of a Dask scheduler, expected HOST:PORT, as tcp://10.0.0.1:8786; the scheduler "
            "says it when it starts"
        )
    import asyncio

    package = import_distributed()
    try:
        # Asked this way first, since a client that was not answered complains once more when it is thrown away. In a
        # thread, since in a notebook a loop may be running in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, answered(address, timeout)).result()
        return package.Client(address, timeout=timeout, set_as_default=False)
    except Exception as error:  # of many types: of sockets, of Dask, of TLS
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, (OSError, TimeoutError)):
            reason = "check the address, and that the scheduler runs and can be reached from here"
        elif isinstance(error, (MemoryError, struct.error)):  # of reading something else as Dask's lengths
            reason = "what answers there does not speak Dask's language; check the address"
        raise ParameterError(
            f"no Dask scheduler answered at {address} within {timeout:g} seconds (--cluster-timeout); {reason}"
        ) from None


async def answered(address: str, timeout: float) -> None:
    """Raises where nobody who speaks Dask's language answers in time.

    Dask's own limit ends with the connection: for the first word of whoever took it, and then says nothing, it waits
    for ever.
    """
    import asyncio

    await asyncio.wait_for(asked(address, timeout), timeout)


async def asked(address: str, timeout: float) -> None:
    """timeout: for the connection."""
    comm = await import_distributed().comm.connect(address, timeout=timeout)
    try:
        await identified(comm)
    finally:
        comm.abort()


async def identified(comm: Any) -> None:
    """Raises ValueError where a worker answers and not a scheduler."""
    await comm.write({"op": "identity", "reply": True})
    identity = await comm.read()
    node_type = identity.get("type") if isinstance(identity, dict) else None
    if node_type != "Scheduler":
        raise ValueError(f"it is the address of a {str(node_type).lower()}; name that of the scheduler")


def wait_for_workers(client: Any, timeout: float) -> None:
    """Waits for the first. Raises ParameterError where none comes in time."""
    try:
        client.wait_for_workers(1, timeout=timeout)
    except TimeoutError:
        raise no_workers_error(client, timeout) from None


def no_workers_error(client: Any, timeout: float) -> ParameterError:
    address = client.scheduler.address
    return ParameterError(
        f"the cluster at {address} has had no worker for {timeout:g} seconds (--cluster-timeout), expected at least 1; "
        f"start some with `dask worker {address}`, or wait until the batch system does"
    )


def check_versions(client: Any, workers: list[str]) -> set[str]:
    """The workers that have answered; those that have just ended have not.

    Raises ParameterError for one that has another version of this package than there is here.
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
    """Raises ParameterError where workers could not hold what all units share, which goes to each of them."""
    size = serialised_size(shared)
    limits: dict[str, int] = client.run(memory_limit, on_error="ignore")
    smallest_limit, worker = min(((limit, worker) for worker, limit in limits.items() if limit), default=(0, ""))
    if smallest_limit and size > SHARE * smallest_limit:
        raise ParameterError(
            f"what each worker is to hold, as the judgments, takes {size / 1e6:,.0f} MB, expected at most a quarter of "
            f"a worker's memory, and {worker} has {smallest_limit / 1e6:,.0f} MB; give workers more memory (--memory-limit), or "
            "evaluate fewer queries at a time"
        )


def serialised_size(value: Any) -> int:
    """Bytes that it takes on its way, without a copy of its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(pickled) + sum(buffer.raw().nbytes for buffer in buffers)
