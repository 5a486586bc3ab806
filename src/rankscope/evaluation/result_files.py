"""Scores in the result files of other tools: MTEB, RRE, `_rank_eval`, and what evaluators of LlamaIndex return.

Each becomes a `ScoreGrid`, as a table does: system, measure and query of every value.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import InputError
from rankscope.evaluation.score_tables import ScoreCell, ScoreGrid, ScoreTableSettings, grid_of_cells
from rankscope.io.core import HEAD, source_name
from rankscope.io.json_dicts import parse_json
from rankscope.io.other_tools import details_of, number_of_text, parse_entries, refuse_shape
from rankscope.typing import PathLike

__all__ = [
    "grid_of_results",
    "is_metadata",
    "is_result_file",
]


#: What the files of each tool hold, of which all must be in the first bytes.
MTEB, RRE = (b'"mteb_version"', b'"task_name"'), (b'"metrics"', b'"versions"', b'"totalHits"')
RANK_EVAL = (b'"metric_score"', b'"details"')
LLAMA_INDEX = (b'"metric_dict"', b'"retrieved_ids"')
#: A name of a revision of a model, between the folder of the model and its results.
REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|external|main")
METADATA = "model_meta.json"


def is_result_file(head: bytes) -> bool:
    """Whether these are the first bytes of a result file."""
    return reader_of(head) is not None


def is_metadata(path: object) -> bool:
    """Whether it is the file about a model that MTEB writes beside results."""
    return isinstance(path, (str, os.PathLike)) and os.path.basename(os.fspath(path)) == METADATA


def grid_of_results(content: bytes, path: PathLike, system: str, settings: ScoreTableSettings) -> ScoreGrid | None:
    """The values of a result file, None for other files. system: its name where the file names none.

    Raises InputError where a value is no number, and as `grid_of_cells`.
    """
    reader = reader_of(content[:HEAD])
    if reader is None:
        return None
    name = source_name(path)
    cells = list(reader(content, path, system))
    if not cells:
        raise InputError(f"{name}: no values, expected at least one; check how it was made")
    return grid_of_cells(name, cells, settings, may_share_systems=reader is mteb_cells)


def reader_of(head: bytes) -> Callable[[bytes, PathLike, str], Iterator[ScoreCell]] | None:
    """The reader of files that begin so."""
    if not head.lstrip().startswith((b"{", b"[")):
        return None
    return next((reader for signs, reader in READERS.items() if all(sign in head for sign in signs)), None)


def cell(system: str, measure: str, query: str, value: Any, where: str) -> ScoreCell:
    """A value. Raises InputError for one that is no finite number."""
    number = number_of_text(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not np.isfinite(float(number)):
        refuse_shape(where, value, "a finite number")
    return ScoreCell(system, measure, query, float(number), where)


# MTEB


def mteb_cells(content: bytes, path: PathLike, system: str) -> Iterator[ScoreCell]:
    """A result of MTEB: the model is the system, the task (with subset and split where there are several) the query."""
    name = source_name(path)
    data = parse_results(content, name)
    task, scores = data.get("task_name"), data.get("scores")
    if not isinstance(task, str) or not isinstance(scores, dict):
        refuse_shape(name, data, "a result of MTEB with task_name and scores")
    entries = list(mteb_entries(scores, name))
    several_splits = len({split for split, _, _ in entries}) > 1
    several_subsets = len({entry.get("hf_subset") for _, entry, _ in entries}) > 1
    system = model_of_path(path) or system
    for split, entry, where in entries:
        subset = str(entry.get("hf_subset", "default"))
        query = "/".join([task, *([subset] if several_subsets else []), *([split] if several_splits else [])])
        for measure, value in entry.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield cell(system, measure, query, value, f"{where}.{measure}")


def parse_results(content: bytes, name: str) -> dict[str, Any]:
    """A result of MTEB, in which NaN stands for no value."""
    with suppress(ValueError, RecursionError):
        data = json.loads(content.decode("utf-8-sig"), parse_constant=lambda word: None)
        if isinstance(data, dict):
            return data
        refuse_shape(name, data, "an object")
    parse_json(content, name, shape="a result of MTEB")
    raise InputError(f"{name}: cannot be read as JSON; save it again")


def mteb_entries(scores: Mapping[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Split, scores and place of each subset."""
    for split, by_subset in scores.items():
        if not isinstance(by_subset, list):
            refuse_shape(f"{name}: scores.{split}", by_subset, "a list with the scores of each subset")
        for number, entry in enumerate(by_subset):
            where = f"{name}: scores.{split}[{number}]"
            if not isinstance(entry, dict):
                refuse_shape(where, entry, "an object")
            yield split, entry, where


def model_of_path(path: PathLike) -> str:
    """The folder of the model, in which MTEB saves results: MODEL/REVISION/TASK.json, or MODEL/TASK.json."""
    name = source_name(path)
    if name == "<stdin>":
        return ""
    folder = Path(os.path.abspath(name)).parent
    if REVISION.fullmatch(folder.name) or (folder / METADATA).is_file():
        folder = folder.parent
    return folder.name


# RRE


def rre_cells(content: bytes, path: PathLike, system: str) -> Iterator[ScoreCell]:
    """An evaluation of RRE: a version of the search engine is a system."""
    del system
    name = source_name(path)
    data = parse_json(content, name, shape="an evaluation of RRE")
    for query, metrics, where in rre_evaluations(data, f"{name}: "):
        for metric, entry in metrics.items():
            versions = entry.get("versions") if isinstance(entry, dict) else None
            if not isinstance(versions, dict):
                refuse_shape(f"{where}metrics.{metric}", entry, "an object with versions")
            for version, value in versions.items():
                number = value.get("value") if isinstance(value, dict) else value
                yield cell(version, metric, query, number, f"{where}metrics.{metric}.versions.{version}")


def rre_evaluations(node: Any, where: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Text, metrics and place of all queries."""
    if not isinstance(node, dict):
        refuse_shape(where.rstrip(". :"), node, "an object")
    for key in ("corpora", "topics", "query-groups", "query-evaluations"):
        children = node.get(key, [])
        if not isinstance(children, list):
            refuse_shape(f"{where}{key}", children, "a list")
        for number, child in enumerate(children):
            place = f"{where}{key}[{number}]."
            if key != "query-evaluations":
                yield from rre_evaluations(child, place)
                continue
            query, metrics = (child.get("query"), child.get("metrics")) if isinstance(child, dict) else (None, None)
            if not isinstance(query, str) or not query or not isinstance(metrics, dict):
                refuse_shape(place.rstrip("."), child, "an object with query and metrics")
            yield query, metrics, place


# Elasticsearch and OpenSearch


def rank_eval_cells(content: bytes, path: PathLike, system: str) -> Iterator[ScoreCell]:
    """A response of `_rank_eval`: its metric for each query. The file names the system."""
    name = source_name(path)
    details, place = details_of(parse_json(content, name, shape="a response of _rank_eval"), name)
    for query, detail in details.items():
        if not isinstance(detail, dict) or "metric_score" not in detail:
            refuse_shape(f"{name}: {place}{query}", detail, "an object with metric_score")
        metric_details = detail.get("metric_details")
        metrics = list(metric_details) if isinstance(metric_details, dict) else []
        metric = metrics[0] if len(metrics) == 1 else ""
        yield cell(system, metric, query, detail["metric_score"], f"{name}: {place}{query}.metric_score")


# LlamaIndex


def llama_index_cells(content: bytes, path: PathLike, system: str) -> Iterator[ScoreCell]:
    """What retrieval evaluators return: a list of objects, or one a line, with query and `metric_dict`."""
    name = source_name(path)
    for line, entry in parse_entries(content, name, "results of an evaluator"):
        for number, record in enumerate(entry if isinstance(entry, list) else [entry]):
            where = f"{line}: [{number}]" if isinstance(entry, list) else line
            metrics = record.get("metric_dict") if isinstance(record, dict) else None
            query = record.get("query") if isinstance(record, dict) else None
            if not isinstance(metrics, dict) or not isinstance(query, str) or not query:
                refuse_shape(where, record, "an object with query and metric_dict")
            for metric, value in metrics.items():
                score = value.get("score") if isinstance(value, dict) else value
                yield cell(system, metric, query, score, f"{where}: metric_dict.{metric}")


READERS: dict[tuple[bytes, ...], Callable[[bytes, PathLike, str], Iterator[ScoreCell]]] = {
    MTEB: mteb_cells,
    RRE: rre_cells,
    RANK_EVAL: rank_eval_cells,
    LLAMA_INDEX: llama_index_cells,
}
