"""Measures of diversity over subtopics: intent-aware means (AP-IA, P-IA), and gain discounted for novelty (alpha-nDCG,
ERR-IA, NRBP).

They agree with ndeval, the tool of the TREC Web Track.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.kernels.gain import discount_log2
from rankscope.kernels.order import ranges, stable_order
from rankscope.kernels.segments import bounds, group_of, place_in_group, sum_by_group
from rankscope.measures.base import Binary, is_number, ratio, require
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "AP_IA",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "Aspects",
    "Diversity",
    "StRecall",
    "SubtopicHits",
    "alpha_DCG",
    "alpha_nDCG",
    "nERR_IA",
    "nNRBP",
]


class Aspects(NamedTuple):
    """Which documents are relevant to which subtopics: one entry per (document, subtopic).

    Attributes
    ----------
    document
        Number of the document among all judged ones, rising, (entries).
    offsets
        Where the entries of each document begin, (documents + 1).
    query
        Query of each entry.
    subtopic
        Number of the subtopic, which no other query's subtopics have, (entries).
    n_subtopics
        How many subtopics have a relevant document, (queries).
    n_codes
        How many numbers of subtopics there are.
    """

    document: Ints
    offsets: Ints
    query: Ints
    subtopic: Ints
    n_subtopics: Floats
    n_codes: int


def aspects_of(hits: Hits, rel: float) -> Aspects:
    """The relevant entries at this level. Raises ParameterError where judgments are not by subtopic."""
    judgments = hits.subtopics
    if judgments is None:
        raise ParameterError("the judgments have no subtopics, which this measure needs; add a column subtopic")
    if judgments.subgroup is not None:
        raise ParameterError(
            "the judgments are preferences by sub-group, expected one grade of a document in each subtopic; use Prefs, "
            "PrefsPair or PrefsJG"
        )
    subtopic_stride = int(judgments.subtopic.max(initial=0)) + 1
    query = judgments.query
    relevant_rows = np.flatnonzero(judgments.relevance >= rel)
    query = query[relevant_rows]
    document = judgments.judged[relevant_rows] + hits.grade_offsets[query]
    subtopic = query * subtopic_stride + judgments.subtopic[relevant_rows]
    distinct_subtopics = np.unique(subtopic)
    return Aspects(
        document=document,
        offsets=np.searchsorted(document, np.arange(int(hits.grade_offsets[-1]) + 1)),
        query=query,
        subtopic=subtopic,
        n_subtopics=np.bincount(distinct_subtopics // subtopic_stride, minlength=len(hits)).astype(np.float64),
        n_codes=subtopic_stride * len(hits),
    )


class SubtopicHits(NamedTuple):
    """What a reader meets going down the lists: one entry per (hit, subtopic that it is relevant to), in order of rank.

    Attributes
    ----------
    query, subtopic, rank
        Query, subtopic and rank of each entry.
    n_above
        How many documents above it are relevant to the same subtopic.
    """

    query: Ints
    subtopic: Ints
    rank: Floats
    n_above: Ints


def count_above(subtopic: Ints) -> Ints:
    """How many entries before each are of the same subtopic."""
    order = stable_order(subtopic)
    group_starts = np.flatnonzero(np.diff(subtopic[order], prepend=-1))
    n_above = np.empty(subtopic.size, np.int64)
    n_above[order] = place_in_group(np.append(group_starts, subtopic.size))
    return n_above


@dataclass(frozen=True, kw_only=True)
class Diversity(Binary):
    """Base of measures of diversity: which subtopics a document is relevant to."""

    needs_subtopics: ClassVar[bool] = True

    def aspects(self, hits: Hits) -> Aspects:
        level = self.level(hits)
        return hits.cached_on_qrels(("aspects", level), lambda: aspects_of(hits, level))

    def subtopic_hits(self, hits: Hits) -> SubtopicHits:
        return hits.cached(("seen", self.level(hits)), lambda: self.find_subtopic_hits(hits))

    def find_subtopic_hits(self, hits: Hits) -> SubtopicHits:
        aspects = self.aspects(hits)
        document = hits.grade_offsets[hits.query] + hits.judged
        counts = (aspects.offsets[1:] - aspects.offsets[:-1])[document]
        entries = ranges(aspects.offsets[document], counts)
        subtopic = aspects.subtopic[entries]
        return SubtopicHits(
            np.repeat(hits.query, counts), subtopic, np.repeat(hits.rank, counts), count_above(subtopic)
        )

    def within(self, subtopic_hits: SubtopicHits, cutoff: int | None) -> Bools:
        return np.ones(subtopic_hits.rank.size, np.bool_) if cutoff is None else subtopic_hits.rank <= cutoff

    def defined(self, hits: Hits) -> Bools:
        return self.aspects(hits).n_subtopics > 0


@dataclass(frozen=True, kw_only=True)
class AP_IA(Diversity):
    """Average precision of each subtopic, averaged over those with a relevant document; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).

    Notes
    -----
    0 without relevant documents.

    References
    ----------
    Agrawal et al. (2009); ndeval MAP-IA.
    """

    name: ClassVar[str] = "AP_IA"
    source: ClassVar[str] = "Agrawal et al. (2009); ndeval MAP-IA"

    def values(self, hits: Hits) -> Floats:
        subtopic_hits, aspects = self.subtopic_hits(hits), self.aspects(hits)
        n_relevant = np.bincount(aspects.subtopic, minlength=aspects.n_codes)[subtopic_hits.subtopic]
        precision = (subtopic_hits.n_above + 1.0) / subtopic_hits.rank / n_relevant
        return ratio(sum_by_group(precision, subtopic_hits.query, len(hits)), aspects.n_subtopics)


@dataclass(frozen=True, kw_only=True)
class P_IA(Diversity):
    """Precision in the first k of each subtopic with a relevant document, averaged; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read.

    Notes
    -----
    0 without relevant documents.

    References
    ----------
    Agrawal et al. (2009); ndeval P-IA.
    """

    name: ClassVar[str] = "P_IA"
    source: ClassVar[str] = "Agrawal et al. (2009); ndeval P-IA"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        subtopic_hits = self.subtopic_hits(hits)
        n_relevant_within = sum_by_group(self.within(subtopic_hits, self.cutoff), subtopic_hits.query, len(hits))
        return ratio(n_relevant_within / self.cutoff, self.aspects(hits).n_subtopics)


@dataclass(frozen=True, kw_only=True)
class StRecall(Diversity):
    """Subtopic recall: the share of subtopics with a relevant document in the first k; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    cutoff
        Number k of documents that are read.

    Notes
    -----
    Only subtopics with a relevant document count. 0 without relevant documents.

    References
    ----------
    Zhai et al. (2003); ndeval strec.
    """

    name: ClassVar[str] = "StRecall"
    source: ClassVar[str] = "Zhai et al. (2003); ndeval strec"
    cutoff: int

    def values(self, hits: Hits) -> Floats:
        subtopic_hits = self.subtopic_hits(hits)
        is_new = self.within(subtopic_hits, self.cutoff) & (subtopic_hits.n_above == 0)
        return ratio(sum_by_group(is_new, subtopic_hits.query, len(hits)), self.aspects(hits).n_subtopics)


#: The deepest cutoff where something is computed for every rank.
MAX_DEPTH = 10**7
#: Weights below this are ignored: negligible beside the first document.
NEGLIGIBLE = 1e-18
#: Gains closer than this are the same: sums of the same numbers in another order.
GAIN_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Novelty(Diversity):
    """Base of measures in which a document gains (1 - alpha)^n for each subtopic that n documents above have.

    Parameters
    ----------
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    """

    alpha: float = 0.5

    def check(self) -> None:
        valid = is_number(self.alpha) and 0 <= self.alpha <= 1
        require(valid, self, "alpha", self.alpha, "a number from 0 to 1")

    @abstractmethod
    def rank_weight(self, rank: Floats) -> Floats:
        """The weight of a gain at each rank."""

    def last_counted_rank(self) -> int | None:
        """The last rank where a gain counts; None: all do."""
        cutoff: int | None = getattr(self, "cutoff", None)
        return cutoff

    def gain_sums(self, hits: Hits) -> Floats:
        """(queries) the sum of all gains, each times the weight of its rank."""
        subtopic_hits = self.subtopic_hits(hits)
        gains = (
            (1.0 - self.alpha) ** subtopic_hits.n_above
            * self.rank_weight(subtopic_hits.rank)
            * self.within(subtopic_hits, self.last_counted_rank())
        )
        return sum_by_group(gains, subtopic_hits.query, len(hits))

    def ideal_gain_sums(self, hits: Hits) -> Floats:
        """(queries) the same of the ideal ranking, which at each rank takes the document that gains most."""
        key = ("greedy", self.level(hits), self.alpha, self.last_counted_rank())
        gains = hits.cached_on_qrels(
            key, lambda: greedy(self.aspects(hits), hits, self.alpha, self.last_counted_rank())
        )
        rank_weights = self.rank_weight(np.arange(1.0, gains.shape[1] + 1))
        return np.asarray(gains @ rank_weights, np.float64)

    def highest_gain_sums(self, hits: Hits, depth: int) -> Floats:
        """(queries) the same where every document were relevant to all subtopics."""
        if 0 < self.alpha < 1:  # gains below the last digit are ignored
            depth = min(depth, int(np.log(NEGLIGIBLE) / np.log(1 - self.alpha)) + 2)
        gains = (1.0 - self.alpha) ** np.arange(depth) * self.rank_weight(np.arange(1.0, depth + 1))
        return self.aspects(hits).n_subtopics * float(gains.sum())


def greedy(aspects: Aspects, hits: Hits, alpha: float, depth: int | None) -> Floats:
    """(queries, ranks) the gains of the greedy ideal ranking. Of equally good documents the first judged one is taken.

    Finding the true ideal is NP-hard (Clarke et al. 2008). One step a rank, for all queries together.
    """
    relevant_documents, first_entries = np.unique(aspects.document, return_index=True)  # those relevant to something
    query = aspects.query[first_entries]
    entry_offsets = bounds(np.diff(np.append(first_entries, aspects.document.size)))
    entry_document = group_of(entry_offsets)
    n_documents = np.bincount(query)
    n_ranks = int(n_documents.max(initial=0)) if depth is None else min(int(n_documents.max(initial=0)), depth)
    gains = np.zeros((len(hits), n_ranks))
    weight = np.ones(aspects.n_codes)
    remaining = np.ones(relevant_documents.size, np.bool_)
    queries = np.flatnonzero(n_documents)
    first_documents = np.searchsorted(query, queries)
    for rank_index in range(n_ranks):
        gain = sum_by_group(weight[aspects.subtopic], entry_document, relevant_documents.size)
        gain = np.where(remaining, gain, -1.0)
        highest_gain = np.maximum.reduceat(gain, first_documents)
        is_best = gain >= np.repeat(highest_gain, n_documents[queries]) - GAIN_TOLERANCE
        best_document = np.minimum.reduceat(np.where(is_best, np.arange(gain.size), gain.size), first_documents)
        has_document = highest_gain >= 0
        gains[queries[has_document], rank_index] = highest_gain[has_document]
        best_document = best_document[has_document]
        remaining[best_document] = False
        n_entries = entry_offsets[best_document + 1] - entry_offsets[best_document]
        weight[aspects.subtopic[ranges(entry_offsets[best_document], n_entries)]] *= 1.0 - alpha
    return gains


@dataclass(frozen=True, kw_only=True)
class NormalisedByBest(Novelty):
    """Base of measures divided by the value of documents that are all relevant to all subtopics.

    Parameters
    ----------
    cutoff
        Number k of documents that are read.
    """

    cutoff: int

    def check(self) -> None:
        super().check()
        valid = self.cutoff <= MAX_DEPTH
        require(valid, self, "cutoff", self.cutoff, f"at most {MAX_DEPTH}: every rank has its own best gain")

    def values(self, hits: Hits) -> Floats:
        return ratio(self.gain_sums(hits), self.highest_gain_sums(hits, self.cutoff))


@dataclass(frozen=True, kw_only=True)
class NormalisedByIdeal(Novelty):
    """Measures divided by the value of the greedy ideal ranking."""

    def values(self, hits: Hits) -> Floats:
        return ratio(self.gain_sums(hits), self.ideal_gain_sums(hits))


@dataclass(frozen=True, kw_only=True)
class alpha_DCG(NormalisedByBest):
    """DCG of what is new, divided by the most possible if every document had it all; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    The sum of gain / log2(rank + 1), a gain being the sum of (1 - alpha)^n over the document's subtopics, n the number
    of documents above that are relevant to the same; divided by the same sum for documents relevant to all subtopics of
    the query. 0 without relevant documents.

    References
    ----------
    Clarke et al. (2008); ndeval alpha-DCG.
    """

    name: ClassVar[str] = "alpha_DCG"
    source: ClassVar[str] = "Clarke et al. (2008); ndeval alpha-DCG"

    def rank_weight(self, rank: Floats) -> Floats:
        return discount_log2(rank)


@dataclass(frozen=True, kw_only=True)
class alpha_nDCG(NormalisedByIdeal):
    """DCG of what is new, divided by that of the ideal ranking; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    At most 1, unless the greedy ideal is not the best order. Gains as in alpha_DCG. The ideal takes the document that
    gains most, again and again; of equally good ones that with the last id, as ndeval. 0 if nothing is relevant.

    References
    ----------
    Clarke et al. (2008), section 4; ndeval alpha-nDCG.
    """

    name: ClassVar[str] = "alpha_nDCG"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Clarke et al. (2008), section 4; ndeval alpha-nDCG"
    cutoff: int | None = None

    def rank_weight(self, rank: Floats) -> Floats:
        return discount_log2(rank)


@dataclass(frozen=True, kw_only=True)
class ERR_IA(NormalisedByBest):
    """Intent-aware ERR, divided by the most possible if every document had it all; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    cutoff
        Number k of documents that are read.

    Notes
    -----
    The sum of gain / rank, with gains as in alpha_DCG. 0 without relevant documents.

    References
    ----------
    Chapelle et al. (2009), section 6; ndeval ERR-IA.
    """

    name: ClassVar[str] = "ERR_IA"
    source: ClassVar[str] = "Chapelle et al. (2009), section 6; ndeval ERR-IA"

    def rank_weight(self, rank: Floats) -> Floats:
        return 1.0 / rank


@dataclass(frozen=True, kw_only=True)
class nERR_IA(NormalisedByIdeal):
    """Intent-aware ERR, divided by that of the ideal ranking; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    cutoff
        Number k of documents that are read. Default: all.

    Notes
    -----
    At most 1, unless the greedy ideal is not the best order. The sum of gain / rank, with gains and ideal as in
    alpha_nDCG. 0 without relevant documents.

    References
    ----------
    Chapelle et al. (2009), section 6; ndeval nERR-IA.
    """

    name: ClassVar[str] = "nERR_IA"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Chapelle et al. (2009), section 6; ndeval nERR-IA"
    cutoff: int | None = None

    def rank_weight(self, rank: Floats) -> Floats:
        return 1.0 / rank


@dataclass(frozen=True, kw_only=True)
class Persistent(Novelty):
    """Base of measures of a reader who continues with probability beta.

    Parameters
    ----------
    beta
        Probability that the reader continues.
    """

    beta: float = 0.5

    def check(self) -> None:
        super().check()
        valid = is_number(self.beta) and 0 < self.beta < 1
        require(valid, self, "beta", self.beta, "a persistence between 0 and 1")

    def rank_weight(self, rank: Floats) -> Floats:
        return np.asarray(self.beta ** (rank - 1.0))

    def last_counted_rank(self) -> int:
        return int(np.log(NEGLIGIBLE) / np.log(self.beta)) + 2


@dataclass(frozen=True, kw_only=True)
class NRBP(Persistent):
    """Novelty- and rank-biased precision; in [0, 1], higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    beta
        Probability that the reader continues.

    Notes
    -----
    (1 - (1 - alpha) beta) / N sum of gain beta^(rank - 1), with gains as in alpha_DCG, and N subtopics that have a
    relevant document. 0 without relevant documents.

    References
    ----------
    Clarke et al. (2009), eq. 18; ndeval NRBP.
    """

    name: ClassVar[str] = "NRBP"
    source: ClassVar[str] = "Clarke et al. (2009), eq. 18; ndeval NRBP"

    def values(self, hits: Hits) -> Floats:
        scale = 1.0 - (1.0 - self.alpha) * self.beta
        return ratio(scale * self.gain_sums(hits), self.aspects(hits).n_subtopics)


@dataclass(frozen=True, kw_only=True)
class nNRBP(NormalisedByIdeal, Persistent):
    """NRBP divided by that of the ideal ranking; at least 0, higher is better.

    Parameters
    ----------
    rel
        Lowest grade that counts as relevant. Default: that of the evaluation (1, or `--rel`).
    alpha
        Probability that a document relevant to a subtopic satisfies a reader who wants that subtopic.
    beta
        Probability that the reader continues.

    Notes
    -----
    At most 1, unless the greedy ideal is not the best order. Gains and ideal as in alpha_nDCG. 0 without relevant
    documents.

    References
    ----------
    Clarke et al. (2009); ndeval nNRBP.
    """

    name: ClassVar[str] = "nNRBP"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    source: ClassVar[str] = "Clarke et al. (2009); ndeval nNRBP"
