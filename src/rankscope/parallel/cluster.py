"""Which Dask cluster units are sent to, if to one: it is named once, and holds for all calls until it is left."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rankscope.errors import ParameterError
from rankscope.parallel.cluster_checks import check_versions, connect, is_client, wait_for_workers
from rankscope.parallel.cluster_unit import in_unit

__all__ = ["Cluster", "current_cluster", "use"]

#: Seconds that a scheduler has to answer, and a worker to come.
TIMEOUT = 10.0
#: Those in use, the innermost last.
IN_USE: list[Cluster] = []


class Cluster:
    """A cluster in use. client: a client of Dask; own: whether it was made here and is closed with this."""

    def __init__(self, client: Any, own: bool, timeout: float) -> None:
        self.client, self.own, self.timeout = client, own, timeout
        self.address = str(client.scheduler.address)
        self.checked: set[str] = set()

    def threads(self) -> int:
        """How many units the workers run at a time, now; 0 where no worker is there.

        Raises RankscopeError for a worker that has come with another version of this package, or without it.
        """
        found: dict[str, int] = self.client.nthreads()
        if found.keys() - self.checked:
            self.checked |= check_versions(self.client, sorted(found.keys() - self.checked))
        return sum(found.values())

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
    own = isinstance(client, str)
    if own:
        client = connect(client, timeout)
    elif not is_client(client):
        raise ParameterError(
            f"a cluster is named by a dask.distributed.Client or the address of its scheduler, not by a "
            f"{type(client).__name__}; of a cluster object take get_client()"
        )
    cluster = Cluster(client, own, timeout)
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
