"""A simulated test collection: six systems, fifty queries, incomplete judgments, and a machine as a second judge.

For each query, every candidate document has a latent relevance, drawn from a normal distribution. Its grade is told
by thresholds (`GRADES`); a system scores it with weight x latent relevance + noise, so a higher weight makes a better
system (`SYSTEMS`, best first). As at TREC, only a pool is judged: the first documents of three of the systems and a few
others, so relevant documents further down are partly unjudged.

Each query has three to six subtopics, and most documents are about the first, what most people mean by it. One system
(`DIVERSE`) minds them: its first relevant documents are about one subtopic after the other.
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
    "write_collection",
    "write_files",
]


SEED = 2003
QUERIES = 50
DOCUMENTS = 20_000  # in the collection
CANDIDATES = 300  # documents with anything to do with a query
DEPTH = 100  # of every run
POOL_DEPTH = 20
RANDOM_CANDIDATES = 5  # candidates that are judged by chance
JUDGED = 0.9  # the share of the pool that the assessors come to
GRADES = (1.2, 1.8, 2.4)  # from which latent relevance on a document has grade 1, 2, 3
SUBTOPICS = (3, 6)  # fewest and most of a query
DIVERSE = "hybrid"
DIVERSE_DEPTH = 10  # how far down it minds subtopics
RARER = 4.0  # how many times more documents are about a subtopic than about the next
SECOND_SUBTOPIC_SHARE = (
    0.1  # how likely a document is about a second subtopic, drawn as the first (and sometimes the same)
)


class System(NamedTuple):
    """weight: how much of its score is relevance. digits: of a printed score; few digits make ties."""

    weight: float
    digits: int
    pooled: bool = False
    failed: tuple[int, ...] = ()  # places of the queries that it gave no list for


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
    """Plain data: qrels {query_id: {doc_id: grade}}, runs {system: {query_id: {doc_id: score}}}, and the seed.

    subtopics: {query_id: {subtopic: {doc_id: grade}}}, the same judgments by subtopic: every judged document under each
    subtopic of its query, and its highest grade is the one in qrels.
    """

    qrels: Mapping[str, Mapping[str, int]]
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]]
    runs: Mapping[str, Mapping[str, Mapping[str, float]]]
    seed: int


@cache  # each part of the demo is made of it
def make_collection(seed: int = SEED) -> Collection:
    """Simulate the collection. The same seed gives the same collection.

    >>> collection = make_collection()
    >>> len(collection.qrels), len(collection.runs), len(collection.runs["dense"])
    (50, 6, 48)
    """
    rng = np.random.default_rng(seed)
    (subtopic_rng,) = rng.spawn(1)  # of its own: what came before there were subtopics is as it was
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in SYSTEMS}
    for place in range(QUERIES):
        query = str(101 + place)
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
            if place not in system.failed:
                runs[name][query] = {doc_id(docs[i]): float(scores[i]) for i in best}
        judged = pool[rng.random(pool.size) < JUDGED]
        qrels[query] = {doc_id(docs[i]): int(grades[i]) for i in np.sort(judged)}
    subtopics = {q: by_subtopic(docs, runs[DIVERSE][q], subtopic_rng) for q, docs in qrels.items()}
    return Collection(qrels=qrels, subtopics=subtopics, runs=runs, seed=seed)


def by_subtopic(
    judged: Mapping[str, int], ranking: Iterable[str], rng: np.random.Generator
) -> dict[str, dict[str, int]]:
    """A query's judgments by subtopic. judged: {doc_id: grade}. ranking: what the system that minds them gave."""
    n = int(rng.integers(*SUBTOPICS, endpoint=True))
    grades = np.array(list(judged.values()))
    shares = RARER ** -np.arange(n)
    main, second = rng.choice(n, (2, grades.size), p=shares / shares.sum())
    both = rng.random(grades.size) < SECOND_SUBTOPIC_SHARE
    place = {doc: i for i, doc in enumerate(judged)}
    first = [place[doc] for doc in list(ranking)[:DIVERSE_DEPTH] if judged.get(doc, 0) > 0]
    main[first] = np.arange(len(first)) % n
    table = np.zeros((n, grades.size), np.int64)
    table[second[both], np.flatnonzero(both)] = np.minimum(grades[both], 1)
    table[main, np.arange(grades.size)] = grades
    return {str(s): dict(zip(judged, row, strict=True)) for s, row in enumerate(table.tolist(), 1)}


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
    for name, lists in collection.runs.items():
        digits = SYSTEMS[name].digits
        lines = [
            f"{query} Q0 {doc} {rank} {score:.{digits}f} {name}"
            for query, docs in lists.items()
            for rank, (doc, score) in enumerate(docs.items(), 1)
        ]
        files[f"{name}.run"] = "\n".join(lines) + "\n"
    return files


def write_collection(directory: str | Path, seed: int = SEED, *, overwrite: bool = False) -> list[Path]:
    """Write the collection's files into a folder, which is made if need be. Returns their paths.

    Raises OutputError where the folder is not empty, unless `overwrite` allows to replace the demo's own files.
    """
    return write_files(directory, collection_files(seed), overwrite=overwrite)


def write_files(directory: str | Path, files: Mapping[str, str], *, overwrite: bool = False) -> list[Path]:
    """Write texts by file name into a folder, all or none; files of other names are left alone.

    Raises as `write_collection`.
    """
    folder = Path(directory)
    try:
        occupied = folder.exists() and any(not is_temporary(one) for one in folder.iterdir())
    except NotADirectoryError:
        raise OutputError(f"{folder}: is a file, expected a folder; name another one") from None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used ({error.strerror or error}); name another folder") from None
    if occupied and not overwrite:
        raise OutputError(
            f"{folder}: the folder is not empty; name another one, or pass --overwrite to replace the "
            "demo's files in it (others are left alone)"
        )
    write_folder(folder, {name: [text.encode()] for name, text in files.items()})
    return [folder / name for name in files]


LENIENT = 0.2  # how much better than the people it finds a document, in grades
NOISE = 0.5  # how far its reading wanders, in grades
BY_QUERY = 0.2  # how far it misreads a query as a whole
KIN = "dense"  # the system that is made of the same model
TASTE = 0.6  # by how much it overrates what that system ranks first
TASTE_DEPTH = 10
PEOPLE = 20  # of the queries, drawn at random, that people are said to have judged where its judgments stand for theirs


def judge_files(seed: int) -> dict[str, str]:
    """demo-judge.qrels, judgments of the documents of demo.qrels; demo-few.qrels, those of demo.qrels for a few queries
    drawn at random; demo-labels.csv, both judges' yes and no, a document a line.
    """
    collection = make_collection(seed)
    rng = np.random.default_rng([seed, 2])  # a stream of its own
    lines, labels = [], ["true,predicted"]
    words = np.array(["not relevant", "relevant"])
    for query, judged in collection.qrels.items():
        grades = np.array(list(judged.values()))
        favoured = set(list(collection.runs[KIN].get(query, {}))[:TASTE_DEPTH])
        taste = TASTE * np.array([doc in favoured for doc in judged])
        read = grades + LENIENT + taste + rng.normal(0.0, BY_QUERY) + rng.normal(0.0, NOISE, grades.size)
        found = np.clip(np.round(read), 0, len(GRADES)).astype(np.int64)
        lines += [f"{query} 0 {doc} {grade}" for doc, grade in zip(judged, found.tolist(), strict=True)]
        both = (words[(side > 0).astype(np.int64)] for side in (grades, found))
        labels += [f"{true},{predicted}" for true, predicted in zip(*both, strict=True)]
    ids = list(collection.qrels)
    drawn = np.sort(np.random.default_rng([seed, 18]).choice(len(ids), PEOPLE, replace=False)).tolist()
    few = [f"{ids[q]} 0 {doc} {grade}" for q in drawn for doc, grade in collection.qrels[ids[q]].items()]
    written = {"demo-judge.qrels": lines, "demo-few.qrels": few, "demo-labels.csv": labels}
    return {name: "\n".join(texts) + "\n" for name, texts in written.items()}
