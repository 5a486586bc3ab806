"""Judgments of the package ir_datasets by their id, as `ir:beir/scifact/test`, where their files are on this machine.

The package downloads what it lacks; here it must not: whatever it would fetch is refused.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rankscope.data.row_tables import SCHEMAS, rows_from_table
from rankscope.data.rows import Rows
from rankscope.data.tables import bound_table, shorten_value
from rankscope.errors import InputError, ParameterError

__all__ = [
    "read_dataset",
]


PACKAGE = "ir_datasets"


class DownloadRefused(Exception):
    """The package was about to fetch something."""


def read_dataset(name: str) -> Rows:
    """The judgments of a data set with this name, as "ir:beir/scifact/test".

    Raises ParameterError if the package is not installed, InputError if there is no such data set, it has no judgments,
    or these are not on this machine.
    """
    import polars as pl

    id_ = name.partition(":")[2]
    try:
        package = importlib.import_module(PACKAGE)
    except ImportError:
        raise ParameterError(
            f"{name}: the package {PACKAGE} is not installed; install it (pip install {PACKAGE}), or name a file of "
            "judgments"
        ) from None
    with without_downloads(package):
        try:
            dataset = package.load(id_)
        except KeyError:
            raise InputError(f"{name}: {PACKAGE} has no data set {id_!r}; `{PACKAGE} list` names all") from None
        if not dataset.has_qrels():
            raise InputError(f"{name}: the data set has no judgments, expected one with qrels, often {id_}/test")
        try:
            judgments = [(judgment.query_id, judgment.doc_id, judgment.relevance) for judgment in dataset.qrels_iter()]
        except Exception as error:  # the package raises errors of many types for what it cannot fetch
            refuse_missing(name, id_, error)
    if not judgments:
        raise InputError(f"{name}: the data set holds no judgments, expected at least one")
    try:
        frame = pl.DataFrame(judgments, schema=["query_id", "doc_id", "relevance"], orient="row", strict=False)
    except (TypeError, pl.exceptions.PolarsError):
        raise InputError(f"{name}: {shorten_value(judgments[0])}, expected query, document and relevance") from None
    return rows_from_table(bound_table(frame, name, SCHEMAS["relevance"], {}), "relevance")[0]


def refuse_missing(name: str, id_: str, error: Exception) -> NoReturn:
    """Raise InputError for judgments that are not on this machine."""
    reason = "" if is_refusal(error) else f" ({type(error).__name__}: {error})"
    raise InputError(
        f"{name}: its judgments are not on this machine{reason}, and rankscope downloads nothing; fetch them once with "
        f"`{PACKAGE} export {id_} qrels > FILE`, and name that file or this id"
    ) from None


def is_refusal(error: BaseException) -> bool:
    """Whether a download was refused, also where the package wraps the error."""
    if isinstance(error, DownloadRefused):
        return True
    nested = [value for argument in error.args for value in (argument if isinstance(argument, list) else [argument])]
    return any(
        isinstance(one, DownloadRefused) for value in nested for one in (value if isinstance(value, tuple) else [value])
    )


@contextmanager
def without_downloads(package: Any) -> Iterator[None]:
    """Within the block the package's ways to fetch something raise, and its log is silent."""
    module = getattr(getattr(package, "util", None), "download", None)
    base = getattr(module, "BaseDownload", None)
    sources = [] if base is None else [source for source in base.__subclasses__() if "path" not in vars(source)]
    originals = [(source, source.stream) for source in sources]

    def refuse(*_: Any) -> NoReturn:
        raise DownloadRefused

    log_level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    for source in sources:
        source.stream = refuse
    try:
        yield
    finally:
        for source, stream in originals:
            source.stream = stream
        logging.disable(log_level)
