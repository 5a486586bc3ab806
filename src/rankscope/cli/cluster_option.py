"""`--cluster ADDRESS`: the work of a command goes to a Dask cluster."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.errors import ParameterError

__all__ = ["cluster_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def cluster_option(command: Command, needs: tuple[str, str] | None = None) -> Command:
    """Of each command that has --workers. The cluster is in use while the command runs, once all arguments are read.

    needs: an argument and its option without which nothing is sent to workers.
    """

    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Of a Dask scheduler, as tcp://10.0.0.1:8786: its workers do the work. The result is the same.",
    )
    @click.option(
        "--cluster-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="With --cluster: how long it may take to answer and to have a worker. Default: 10.",
    )
    @functools.wraps(command)
    def on_cluster(*args: Any, cluster: str | None, cluster_timeout: float | None, **options: Any) -> Any:
        if cluster is None:
            if cluster_timeout is not None:
                raise ParameterError("--cluster-timeout is for --cluster, which is not given; leave it out")
            return command(*args, **options)
        if options.get("workers") is not None:
            raise ParameterError("--workers beside --cluster, whose workers do the work; leave one of them out")
        if needs is not None and options[needs[0]] is None:
            raise ParameterError(f"--cluster is for {needs[1]}, which is not given; leave it out")
        import logging  # no other call needs it

        from rankscope.parallel.cluster import TIMEOUT, use

        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # one line says what failed
        with use(cluster, timeout=TIMEOUT if cluster_timeout is None else cluster_timeout):
            return command(*args, **options)

    return on_cluster  # type: ignore[return-value]  # click calls it by name
