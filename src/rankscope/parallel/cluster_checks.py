"""Whether there is a cluster, what its workers have installed, and whether they can hold what they are to hold."""

from __future__ import annotations

import pickle
import re
import struct
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, cast

from rankscope._version import __version__
from rankscope.errors import ParameterError
from rankscope.parallel.cluster_unit import memory_limit

__all__ = ["check_size", "check_versions", "connect", "import_distributed", "wait_for_workers", "is_client"]

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
    kind: type = import_distributed().Client
    if not isinstance(client, kind):
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
    import asyncio  # who names no cluster needs it not, and it takes long to load

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
    found = await comm.read()
    kind = found.get("type") if isinstance(found, dict) else None
    if kind != "Scheduler":
        raise ValueError(f"it is the address of a {str(kind).lower()}; name that of the scheduler")


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
    found: dict[str, str] = client.run(eval, VERSION, workers=workers, on_error="ignore")
    for worker, version in sorted(found.items()):
        if version != __version__:
            raise version_mismatch(worker, version)
    return set(found)


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
    least, worker = min(((limit, worker) for worker, limit in limits.items() if limit), default=(0, ""))
    if least and size > SHARE * least:
        raise ParameterError(
            f"what each worker is to hold, as the judgments, takes {size / 1e6:,.0f} MB, expected at most a quarter of "
            f"a worker's memory, and {worker} has {least / 1e6:,.0f} MB; give workers more memory (--memory-limit), or "
            "evaluate fewer queries at a time"
        )


def serialised_size(value: Any) -> int:
    """Bytes that it takes on its way, without a copy of its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(rest) + sum(buffer.raw().nbytes for buffer in buffers)
