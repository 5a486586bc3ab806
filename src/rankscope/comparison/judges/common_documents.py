"""The documents that both of two judges judged, with their grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.comparison.judges.agreement_rows import ChanceCorrected
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, combined_keys
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.evaluation.families import FamiliesRule
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes
from rankscope.settings import (
    NONNEGATIVE,
    Settings,
    choice,
    confidence_field,
    count,
    declare,
    grade_level,
    number,
    resamples_field,
    seed_field,
)
from rankscope.stats.confusion import Rates, beta_field, normalise_field
from rankscope.typing import Bools, Ints

__all__ = [
    "JUDGED",
    "CommonDocuments",
    "JudgeSettings",
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
    "the intervals of agreement treat the judged documents as independent; documents of one query are usually similar, "
    "so these intervals are probably too narrow"
)


@dataclass(frozen=True, kw_only=True)
class JudgeSettings(Settings):
    """How two judges are compared; see `agree_judgments`. Conventions of evaluation are arguments beside it."""

    FUNCTIONS = ("rankscope:agree_judgments",)
    COMMANDS = ("agree judgments",)

    rel: float = grade_level(  # the option is one of evaluation
        help="Lowest grade that is relevant, for the measures and for agreement on relevant or not.", flag=""
    )
    beta: float = beta_field()
    normalise: str | None = normalise_field()
    confidence_level: float = confidence_field()
    judged: str = choice(
        "both",
        JUDGED,
        help="Judgments used to rank the systems: only those of documents that both judges judged (both), or "
        "all judgments of each judge (own).",
    )
    n_resamples: int = resamples_field(
        2000,
        "Number of bootstrap resamples of the queries, for the intervals of the correlations between the "
        "two rankings of the systems.",
    )
    seed: int = seed_field()
    families: Mapping[str, str] | str | None = declare(
        FamiliesRule(),
        None,
        "Family of each system, for a test whether the second judge favours it: SYSTEM=FAMILY with commas between "
        "several, or a table with the columns system and family. Name the second judge, too, to test its own family.",
        flag="--family",
        metavar="SYSTEM=FAMILY,...|TABLE",
        python_help="Family of each system, for a test whether the second judge favours it, such as {'gpt-run': "
        "'openai'}, or a table with the columns system and family. Name the second judge, too, to test its own family.",
        unset="no families",
    )
    top: int | None = count(
        None,
        minimum=2,
        metavar="K",
        help="Also say how the order among the best K systems by the first judge changes.",
        unset="all systems only",
    )
    margin: float = number(
        0.02,
        rule=NONNEGATIVE,
        help="Largest change of a mean, or of a difference between systems, that does not matter, for the verdict "
        "whether the second judge may replace the first.",
    )


class CommonDocuments(NamedTuple):
    """The documents that both judges judged.

    Attributes
    ----------
    qrels_a, qrels_b
        The judgments of both.
    rows_a, rows_b
        (documents) the row of each document in the judgments of each judge.
    query
        (documents) the index of the query in `qrels_a`.
    n_only_a, n_only_b
        How many documents only one of the judges judged.
    n_negative_a, n_negative_b
        How many judgments are below 0, which means "not judged".
    clusters
        (queries of `qrels_a`) the cluster of each query; None if queries are independent.
    """

    qrels_a: Qrels
    qrels_b: Qrels
    rows_a: Ints
    rows_b: Ints
    query: Ints
    n_only_a: int
    n_only_b: int
    n_negative_a: int
    n_negative_b: int
    clusters: Ints | None = None

    @property
    def grades(self) -> tuple[Ints, Ints]:
        return self.qrels_a.relevance[self.rows_a], self.qrels_b.relevance[self.rows_b]

    @property
    def n_documents(self) -> int:
        return int(self.rows_a.size)

    @property
    def n_queries(self) -> int:
        """How many queries have a document that both judged."""
        return int(np.unique(self.query).size)


def find_common_documents(a: Qrels, b: Qrels, names: tuple[str, str]) -> CommonDocuments:
    """Find the documents that both judged. Raises InputError if there is none."""
    query_in_b = np.array([b.codes.get(query_id, -1) for query_id in a.codes], np.int64)
    shared_queries = np.flatnonzero(query_in_b >= 0)
    lengths = np.diff(a.offsets)[shared_queries]
    rows = ranges(a.offsets[shared_queries], lengths)
    docs = a.docs.take(rows)
    keys = combined_keys(hashes(docs, b.lookup.seed), bounds(lengths), query_in_b[shared_queries])
    key_index, rows_in_b = b.lookup.find(keys, docs)
    rows_a, rows_b = rows[key_index], rows_in_b.astype(np.int64)
    # Below 0: pooled, but not judged.
    judged_by_both = (a.relevance[rows_a] >= 0) & (b.relevance[rows_b] >= 0)
    rows_a, rows_b = rows_a[judged_by_both], rows_b[judged_by_both]
    if not rows_a.size:
        raise InputError(
            f"no document was judged in both {names[0]} and {names[1]} ({describe_qrels(a)} and {describe_qrels(b)}), "
            "expected documents in common; check that both are for the same collection and use the same ids"
        )
    negative_a, negative_b = (int((qrels.relevance < 0).sum()) for qrels in (a, b))
    return CommonDocuments(
        qrels_a=a,
        qrels_b=b,
        rows_a=rows_a,
        rows_b=rows_b,
        query=group_of(a.offsets)[rows_a],
        n_only_a=int(a.relevance.size) - negative_a - int(rows_a.size),
        n_only_b=int(b.relevance.size) - negative_b - int(rows_b.size),
        n_negative_a=negative_a,
        n_negative_b=negative_b,
    )


def describe_qrels(qrels: Qrels) -> str:
    first = next(iter(qrels.document_places[0]))
    return f"{pluralise(qrels.relevance.size, 'judgment')}, such as {first!r} of query {qrels.query_ids[0]!r}"


def judgments_for_ranking(common: CommonDocuments, judged: str) -> tuple[Qrels, Qrels]:
    """The judgments of each judge that rank systems; see `rows_for_ranking`."""
    rows_a, rows_b = rows_for_ranking(common, judged)
    return select_judgments(common.qrels_a, rows_a), select_judgments(common.qrels_b, rows_b)


def rows_for_ranking(common: CommonDocuments, judged: str) -> tuple[Ints, Ints]:
    """Rows of the judgments of each judge that rank systems, ascending.

    judged: "both" for the common documents, "own" for all judgments of the queries that have one.
    """
    if judged == "both":
        return np.sort(common.rows_a), np.sort(common.rows_b)
    return rows_of_queries(common.qrels_a, common.rows_a), rows_of_queries(common.qrels_b, common.rows_b)


def rows_of_queries(qrels: Qrels, rows: Ints) -> Ints:
    """The rows of all judgments of the queries of these rows."""
    query = group_of(qrels.offsets)
    is_selected = np.zeros(len(qrels.query_ids), np.bool_)
    is_selected[query[rows]] = True
    return np.flatnonzero(is_selected[query])


def select_judgments(qrels: Qrels, rows: Ints) -> Qrels:
    """The judgments of these rows, ascending, without subtopics."""
    query_indices, lengths = np.unique(group_of(qrels.offsets)[rows], return_counts=True)
    all_ids = list(qrels.codes)
    docs = qrels.docs.take(rows)
    query_ids = [all_ids[query] for query in query_indices.tolist()]
    return Qrels.from_rows(Rows(query_ids, bounds(lengths), docs, hashes(docs), qrels.relevance[rows], str))


def overlap(binary_rates: Rates) -> float:
    """Documents relevant for both over documents relevant for at least one; NaN if there is none."""
    n_either = int(binary_rates.n - binary_rates.tn[1])
    return int(binary_rates.tp[1]) / n_either if n_either else float("nan")


def overlap_by_query(common: CommonDocuments, a: Bools, b: Bools) -> float:
    """The mean of the overlap over the queries that have a relevant document; NaN if none has.

    a, b: (documents) whether each judge finds a document relevant.
    """
    n = len(common.qrels_a.query_ids)
    n_either, n_both = (np.bincount(common.query[mask], minlength=n) for mask in (a | b, a & b))
    shares = n_both[n_either > 0] / n_either[n_either > 0]
    return float(shares.mean()) if shares.size else float("nan")


def notes_on_documents(
    common: CommonDocuments,
    names: tuple[str, str],
    agreements: tuple[ChanceCorrected | None, ...],
    binary: Rates,
    judged: str | None,
) -> list[str]:
    """Notes on the documents and on the numbers computed from them."""
    notes = [ONE_BY_ONE]
    for name, negative in zip(names, (common.n_negative_a, common.n_negative_b), strict=True):
        if negative:
            verb = "is" if negative == 1 else "are"
            notes.append(f"{pluralise(negative, 'judgment')} of {name} {verb} below 0, which means not judged; skipped")
    for qrels, name in ((common.qrels_a, names[0]), (common.qrels_b, names[1])):
        n_lost = len(qrels.query_ids) - common.n_queries
        if n_lost:
            has, are = ("has", "is") if n_lost == 1 else ("have", "are")
            notes.append(f"{pluralise_queries(n_lost)} of {name} {has} no document that both judged and {are} skipped")
    if judged == "both" and common.n_only_a + common.n_only_b:
        notes.append(
            "systems are ranked on the documents that both judged; --judged own (judged='own') includes the documents "
            "that only one of them judged"
        )
    if judged == "own" and not common.n_only_a + common.n_only_b:
        notes.append("both judged the same documents, so judged:own and judged:both are the same")
    agreement_notes = [note for agreement in agreements if agreement is not None for note in agreement.notes]
    if agreements[-1] is None:
        agreement_notes.append(
            "both judges give all documents the same label, relevant or not, so its kappa and alpha are undefined"
        )
    return list(dict.fromkeys([*notes, *agreement_notes, *binary.notes]))
