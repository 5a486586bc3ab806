"""A simulated test collection: six systems, fifty queries, incomplete judgments, and a machine as a second judge.

For each query, every candidate document has a latent relevance, drawn from a normal distribution. Thresholds (`GRADES`)
turn it into a grade; a system scores it with weight x latent relevance + noise, so a higher weight makes a better
system (`SYSTEMS`, best first). As at TREC, only a pool is judged: the first documents of three of the systems and a few
others, so relevant documents further down are partly unjudged.

Each query has three to six subtopics, and most documents are about the first one, its usual meaning. One system
(`DIVERSE`) covers subtopics: its first relevant documents are about one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import OutputError
from rankscope.io.core import is_temporary, write_folder

__all__ = [
    "SEED",
    "SYSTEMS",
    "Collection",
    "collection_files",
    "judge_files",
    "make_collection",
    "refuse_occupied",
    "write_collection",
    "write_files",
]


SEED = 2003
QUERIES = 50
DOCUMENTS = 20_000  # in the collection
CANDIDATES = 300  # documents that may be retrieved for a query
DEPTH = 100  # of every run
POOL_DEPTH = 20
RANDOM_CANDIDATES = 5  # candidates added to the pool at random
JUDGED = 0.9  # the share of the pool that is judged
GRADES = (1.2, 1.8, 2.4)  # the lowest latent relevance of grades 1, 2, 3
SUBTOPICS = (3, 6)  # fewest and most of a query
DIVERSE = "hybrid"
DIVERSE_DEPTH = 10  # how far down it covers subtopics
RARER = 4.0  # how many times more documents are about a subtopic than about the next
SECOND_SUBTOPIC_SHARE = (
    0.1  # how likely a document is about a second subtopic, drawn as the first (and sometimes the same)
)


class System(NamedTuple):
    """How a simulated system scores.

    Attributes
    ----------
    weight
        Weight of relevance in its score.
    digits
        Digits of a printed score; few digits make ties.
    pooled
        Whether its documents were pooled.
    failed
        Indices of the queries without a list.
    """

    weight: float
    digits: int
    pooled: bool = False
    failed: tuple[int, ...] = ()  # indices of the queries without a list


#: The simulated systems, best first.
SYSTEMS = {
    "rerank": System(1.8, 6, pooled=True),
    "hybrid": System(1.65, 6),
    "dense": System(1.2, 4, pooled=True, failed=(16, 37)),
    "bm25-rm3": System(1.0, 3),
    "bm25": System(0.65, 2, pooled=True),
    "boolean": System(0.35, 0),
}


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A simulated test collection as plain data.

    Attributes
    ----------
    qrels
        {query_id: {doc_id: grade}}.
    subtopics
        {query_id: {subtopic: {doc_id: grade}}}, the same judgments by subtopic: every judged document under each
        subtopic of its query, and its highest grade is the one in qrels.
    runs
        {system: {query_id: {doc_id: score}}}.
    seed
        Seed of the simulation.
    """

    qrels: Mapping[str, Mapping[str, int]]
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]]
    runs: Mapping[str, Mapping[str, Mapping[str, float]]]
    seed: int


@cache  # all parts of the demo use it
def make_collection(seed: int = SEED) -> Collection:
    """Simulate the collection; the same seed gives the same collection.

    >>> collection = make_collection()
    >>> len(collection.qrels), len(collection.runs), len(collection.runs["dense"])
    (50, 6, 48)
    """
    rng = np.random.default_rng(seed)
    (subtopic_rng,) = rng.spawn(1)  # a stream of its own, so that subtopics do not change the other numbers
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in SYSTEMS}
    for query_index in range(QUERIES):
        query = str(101 + query_index)
        docs = np.sort(rng.choice(DOCUMENTS, CANDIDATES, replace=False))
        latent = rng.normal(size=CANDIDATES)
        # Some queries have more to find than others, and some are easier.
        grades = np.searchsorted(GRADES, latent + rng.normal(0.0, 0.25), side="right")
        ease = np.exp(rng.normal(0.0, 0.25))
        pool = rng.choice(CANDIDATES, RANDOM_CANDIDATES, replace=False)
        for name, system in SYSTEMS.items():
            scores = 10 + 2 * (ease * system.weight * latent + rng.normal(size=CANDIDATES))
            scores = np.round(scores, system.digits)
            best = np.lexsort((docs, -scores))[:DEPTH]
            if system.pooled:
                pool = np.union1d(pool, best[:POOL_DEPTH])
            if query_index not in system.failed:
                runs[name][query] = {doc_id(docs[i]): float(scores[i]) for i in best}
        judged_candidates = pool[rng.random(pool.size) < JUDGED]
        qrels[query] = {doc_id(docs[i]): int(grades[i]) for i in np.sort(judged_candidates)}
    subtopics = {q: by_subtopic(docs, runs[DIVERSE][q], subtopic_rng) for q, docs in qrels.items()}
    return Collection(qrels=qrels, subtopics=subtopics, runs=runs, seed=seed)


def by_subtopic(
    judgments: Mapping[str, int], ranking: Iterable[str], rng: np.random.Generator
) -> dict[str, dict[str, int]]:
    """A query's judgments by subtopic. judgments: {doc_id: grade}. ranking: by the diverse system."""
    n = int(rng.integers(*SUBTOPICS, endpoint=True))
    grades = np.array(list(judgments.values()))
    shares = RARER ** -np.arange(n)
    main, second = rng.choice(n, (2, grades.size), p=shares / shares.sum())
    has_second = rng.random(grades.size) < SECOND_SUBTOPIC_SHARE
    doc_index = {doc: i for i, doc in enumerate(judgments)}
    first_relevant = [doc_index[doc] for doc in list(ranking)[:DIVERSE_DEPTH] if judgments.get(doc, 0) > 0]
    main[first_relevant] = np.arange(len(first_relevant)) % n
    table = np.zeros((n, grades.size), np.int64)
    table[second[has_second], np.flatnonzero(has_second)] = np.minimum(grades[has_second], 1)
    table[main, np.arange(grades.size)] = grades
    return {str(s): dict(zip(judgments, row, strict=True)) for s, row in enumerate(table.tolist(), 1)}


def doc_id(number: np.integer[npt.NBitBase]) -> str:
    return f"D{number:05d}"


def collection_files(seed: int) -> dict[str, str]:
    """The collection's files: demo.qrels, demo-diversity.qrels and one run a system, as TREC writes them."""
    collection = make_collection(seed)
    lines = [f"{q} 0 {doc} {grade}" for q, docs in collection.qrels.items() for doc, grade in docs.items()]
    files = {"demo.qrels": "\n".join(lines) + "\n"}
    lines = [
        f"{query} {subtopic} {doc} {grade}"
        for query, subtopics in collection.subtopics.items()
        for subtopic, docs in subtopics.items()
        for doc, grade in docs.items()
    ]
    files["demo-diversity.qrels"] = "\n".join(lines) + "\n"
    for name, run in collection.runs.items():
        digits = SYSTEMS[name].digits
        lines = [
            f"{query} Q0 {doc} {rank} {score:.{digits}f} {name}"
            for query, docs in run.items()
            for rank, (doc, score) in enumerate(docs.items(), 1)
        ]
        files[f"{name}.run"] = "\n".join(lines) + "\n"
    return files


def write_collection(directory: str | Path, seed: int = SEED, *, overwrite: bool = False) -> list[Path]:
    """Write the collection's files into a folder.

    Parameters
    ----------
    directory
        The folder, which is created if necessary.
    seed
        Seed of the simulation.
    overwrite
        Replace the demo's own files if the folder is not empty.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    OutputError
        The folder is not empty, and `overwrite` is False or other files would be replaced.
    """
    return write_files(directory, collection_files(seed), overwrite=overwrite)


def write_files(directory: str | Path, files: Mapping[str, str], *, overwrite: bool = False) -> list[Path]:
    """Write texts into a folder, all or none; files with other names stay as they are.

    Parameters
    ----------
    directory
        The folder, which is created if necessary.
    files
        File name -> text.
    overwrite
        Replace the demo's own files if the folder is not empty.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    OutputError
        As for `write_collection`.
    """
    folder = Path(directory)
    refuse_occupied(folder, overwrite=overwrite)
    write_folder(folder, {name: [text.encode()] for name, text in files.items()})
    return [folder / name for name in files]


def refuse_occupied(folder: Path, *, overwrite: bool) -> None:
    """Raise OutputError for a folder that is not empty, unless its files may be replaced."""
    try:
        occupied = folder.exists() and any(not is_temporary(entry) for entry in folder.iterdir())
    except NotADirectoryError:
        raise OutputError(f"{folder}: is a file, expected a folder; name another one") from None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used ({error.strerror or error}); name another folder") from None
    if occupied and not overwrite:
        raise OutputError(
            f"{folder}: the folder is not empty; name another one, or pass --overwrite to replace the "
            "demo's files in it (others are left alone)"
        )


LENIENCY = 0.2  # the bias of the machine's grades
NOISE = 0.5  # the noise of its grades
BY_QUERY = 0.2  # the noise that all its grades of a query share
KIN = "dense"  # the system that uses the same model
FAMILIES = {"demo-judge": "nova", KIN: "nova", "rerank": "lark", "bm25": "lexical", "bm25-rm3": "lexical"}
TASTE = 0.6  # by how much it overrates that system's first documents
TASTE_DEPTH = 10
N_HUMAN_QUERIES = 20  # queries with human judgments in demo-few.qrels, drawn at random


def judge_files(seed: int) -> dict[str, str]:
    """demo-judge.qrels, judgments of the documents of demo.qrels; demo-few.qrels, those of demo.qrels for a few queries
    drawn at random; demo-labels.csv, both judges' yes and no, a document a line; demo-families.csv, the families of
    systems and of the machine.
    """
    collection = make_collection(seed)
    rng = np.random.default_rng([seed, 2])  # a stream of its own
    lines, labels = [], ["true,predicted"]
    label_names = np.array(["not relevant", "relevant"])
    for query, judgments in collection.qrels.items():
        grades = np.array(list(judgments.values()))
        favoured = set(list(collection.runs[KIN].get(query, {}))[:TASTE_DEPTH])
        taste = TASTE * np.array([doc in favoured for doc in judgments])
        readings = grades + LENIENCY + taste + rng.normal(0.0, BY_QUERY) + rng.normal(0.0, NOISE, grades.size)
        machine_grades = np.clip(np.round(readings), 0, len(GRADES)).astype(np.int64)
        lines += [f"{query} 0 {doc} {grade}" for doc, grade in zip(judgments, machine_grades.tolist(), strict=True)]
        label_columns = (label_names[(judge_grades > 0).astype(np.int64)] for judge_grades in (grades, machine_grades))
        labels += [f"{true},{predicted}" for true, predicted in zip(*label_columns, strict=True)]
    ids = list(collection.qrels)
    sampled_queries = np.sort(
        np.random.default_rng([seed, 18]).choice(len(ids), N_HUMAN_QUERIES, replace=False)
    ).tolist()
    few_lines = [
        f"{ids[q]} 0 {doc} {grade}" for q in sampled_queries for doc, grade in collection.qrels[ids[q]].items()
    ]
    families = ["system,family", *(f"{name},{family}" for name, family in FAMILIES.items())]
    lines_by_file = {
        "demo-judge.qrels": lines,
        "demo-few.qrels": few_lines,
        "demo-labels.csv": labels,
        "demo-families.csv": families,
    }
    return {name: "\n".join(file_lines) + "\n" for name, file_lines in lines_by_file.items()}
