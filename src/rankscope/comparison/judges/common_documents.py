"""The documents that two judges both judged, and their judgments of these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.comparison.judges.labels import ChanceCorrected
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, combined_keys
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes
from rankscope.stats.confusion import Rates
from rankscope.typing import Bools, Ints

__all__ = [
    "JUDGED",
    "CommonDocuments",
    "find_common_documents",
    "judgments_for_ranking",
    "notes_on_documents",
    "overlap",
    "overlap_by_query",
    "rows_for_ranking",
]


#: Which judgments rank the systems: those of documents that both judged, or all that each judge has of those queries.
JUDGED = ("both", "own")
ONE_BY_ONE = (
    "intervals take the judged documents as drawn one by one; those of one query are alike, so that the true "
    "uncertainty is greater"
)


class CommonDocuments(NamedTuple):
    """What two judges judged.

    rows_a, rows_b: the places of a document in the judgments of each. query: its query, by place in `a`. only_a,
    only_b: documents that one judged; negative_a, negative_b: judgments below 0, which mean "not judged".
    """

    a: Qrels
    b: Qrels
    rows_a: Ints
    rows_b: Ints
    query: Ints
    only_a: int
    only_b: int
    negative_a: int
    negative_b: int

    @property
    def grades(self) -> tuple[Ints, Ints]:
        return self.a.relevance[self.rows_a], self.b.relevance[self.rows_b]

    @property
    def n(self) -> int:
        return int(self.rows_a.size)

    @property
    def queries(self) -> int:
        """How many queries have a document that both judged."""
        return int(np.unique(self.query).size)


def find_common_documents(a: Qrels, b: Qrels, names: tuple[str, str]) -> CommonDocuments:
    """Find the documents that both judged. Raises InputError where there is none."""
    place = np.array([b.codes.get(id_, -1) for id_ in a.codes], np.int64)
    known = np.flatnonzero(place >= 0)
    lengths = np.diff(a.offsets)[known]
    rows = ranges(a.offsets[known], lengths)
    docs = a._docs.take(rows)
    keys = combined_keys(hashes(docs, b.lookup.seed), bounds(lengths), place[known])
    found, judged = b.lookup.find(keys, docs)
    rows_a, rows_b = rows[found], judged.astype(np.int64)
    # Below 0: pooled, but not judged.
    there = (a.relevance[rows_a] >= 0) & (b.relevance[rows_b] >= 0)
    rows_a, rows_b = rows_a[there], rows_b[there]
    if not rows_a.size:
        raise InputError(
            f"no document was judged in both {names[0]} and {names[1]} ({describe_qrels(a)} and {describe_qrels(b)}), "
            "expected documents in common; check that they belong to one collection and write ids alike"
        )
    negative_a, negative_b = (int((qrels.relevance < 0).sum()) for qrels in (a, b))
    return CommonDocuments(
        a=a,
        b=b,
        rows_a=rows_a,
        rows_b=rows_b,
        query=group_of(a.offsets)[rows_a],
        only_a=int(a.relevance.size) - negative_a - int(rows_a.size),
        only_b=int(b.relevance.size) - negative_b - int(rows_b.size),
        negative_a=negative_a,
        negative_b=negative_b,
    )


def describe_qrels(qrels: Qrels) -> str:
    first = next(iter(qrels._lookup[0]))
    return f"{pluralise(qrels.relevance.size, 'judgment')}, as {first!r} of query {qrels.query_ids[0]!r}"


def judgments_for_ranking(both: CommonDocuments, judged: str) -> tuple[Qrels, Qrels]:
    """The judgments of each that rank systems: of documents both judged, or all of a query that has one such."""
    a, b = rows_for_ranking(both, judged)
    return select_judgments(both.a, a), select_judgments(both.b, b)


def rows_for_ranking(both: CommonDocuments, judged: str) -> tuple[Ints, Ints]:
    """Which judgments of each these are, rising."""
    if judged == "both":
        return np.sort(both.rows_a), np.sort(both.rows_b)
    return rows_of_queries(both.a, both.rows_a), rows_of_queries(both.b, both.rows_b)


def rows_of_queries(qrels: Qrels, rows: Ints) -> Ints:
    """All judgments of the queries of these rows."""
    query = group_of(qrels.offsets)
    kept = np.zeros(len(qrels.query_ids), np.bool_)
    kept[query[rows]] = True
    return np.flatnonzero(kept[query])


def select_judgments(qrels: Qrels, rows: Ints) -> Qrels:
    """Some of the judgments, subtopics left out. rows: rising."""
    queries, lengths = np.unique(group_of(qrels.offsets)[rows], return_counts=True)
    ids = list(qrels.codes)
    docs = qrels._docs.take(rows)
    kept = [ids[q] for q in queries.tolist()]
    return Qrels.from_rows(Rows(kept, bounds(lengths), docs, hashes(docs), qrels.relevance[rows], str))


def overlap(binary: Rates) -> float:
    """Documents relevant for both over those relevant for one; NaN where there is none."""
    either = int(binary.n - binary.tn[1])
    return int(binary.tp[1]) / either if either else float("nan")


def overlap_by_query(both: CommonDocuments, a: Bools, b: Bools) -> float:
    """Relevant for both over relevant for one, on average over the queries that have such; NaN where none has."""
    n = len(both.a.query_ids)
    one, two = (np.bincount(both.query[which], minlength=n) for which in (a | b, a & b))
    shares = two[one > 0] / one[one > 0]
    return float(shares.mean()) if shares.size else float("nan")


def notes_on_documents(
    both: CommonDocuments,
    names: tuple[str, str],
    agreements: tuple[ChanceCorrected | None, ...],
    binary: Rates,
    judged: str | None,
) -> list[str]:
    """What a reader should know of the documents and of the numbers on them."""
    notes = [ONE_BY_ONE]
    for name, negative in zip(names, (both.negative_a, both.negative_b), strict=True):
        if negative:
            are = "is" if negative == 1 else "are"
            notes.append(f"{pluralise(negative, 'judgment')} of {name} {are} below 0, which means not judged; left out")
    for side, name in ((both.a, names[0]), (both.b, names[1])):
        lost = len(side.query_ids) - both.queries
        if lost:
            notes.append(f"{pluralise_queries(lost)} of {name} without a document that both judged: left out")
    if judged == "both" and both.only_a + both.only_b:
        notes.append(
            "systems are ranked by the documents that both judged; ask for each judge's own (judged:own) to see what "
            "the others change"
        )
    if judged == "own" and not both.only_a + both.only_b:
        notes.append("both judged the same documents: each judge's own judgments are those of both")
    found = [note for agreement in agreements if agreement is not None for note in agreement.notes]
    if agreements[-1] is None:
        found.append("both judges say the same of all documents, relevant or not: no kappa or alpha of that")
    return list(dict.fromkeys([*notes, *found, *binary.notes]))
