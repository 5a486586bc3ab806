"""ProbFuse and its kin MAPFuse, PosFuse and SegFuse: what a document is worth by its rank in each run.

Of every method, what is learned by a run needs no other run. Shares are means over the lists that a run has for the
queries learned from, as in ranx; mean average precision alone counts a list that it lacks, as 0, as everywhere.
Where sums depend on the order of the queries their last bits are cut off: the order of the runs then changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankscope.errors import ParameterError
from rankscope.fusion.comb import combine_gains, round_noise
from rankscope.fusion.judgments import JudgedDocuments, PoolJudgments, check_judged_queries
from rankscope.fusion.normalisation import NormalisedPool, normalise_pool
from rankscope.fusion.pool import PooledRun, RunPool
from rankscope.kernels.segments import count_before
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats, Ints

__all__ = [
    "PROB_SETTINGS",
    "distinct_ranks",
    "learn_map",
    "learn_pos",
    "learn_prob",
    "learn_seg",
    "longest_list",
    "map_fuse",
    "pad_with_zeros",
    "pos_fuse",
    "prob_fuse",
    "prob_grid",
    "seg_fuse",
    "sum_of_worths",
    "worth_by_rank",
]


Setting = Mapping[str, Any]
#: Settings of ProbFuse: into how many segments a list is cut; 1 for the shares of judged documents alone.
PROB_SETTINGS: Setting = {"segments": 25, "judged_only": 0}
SEGMENTS = (25, 1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100)
#: Into more a list is not cut: shares are kept of each, whether a list has it or not.
MOST_SEGMENTS = 100_000
#: Where the segments of SegFuse end: each is twice as long as the one before. What is behind has no share.
SEGMENT_ENDS = 5 * (2 ** np.arange(1, 11) - 1)


def learn_map(pool: RunPool, known: PoolJudgments, setting: Setting, normalise: str | NormalisedPool) -> dict[str, Any]:
    """The mean average precision of each run: of a query that it lacks, or without relevant documents, 0."""
    check_judged_queries(known)
    queries = np.count_nonzero(known.used)
    found = []
    for i in range(len(pool.entries)):
        hits = known.hits(i)
        # Hits are in order: the number of those of the query so far is that of its own place.
        offsets = np.searchsorted(hits.query, np.arange(known.used.size + 1))
        precision = (count_before(hits.relevant, offsets) + 1) / hits.rank
        found.append((precision / known.relevant[hits.query]).sum() / queries)
    return {"map": round_noise(np.array(found)).tolist()}


def map_fuse(pool: RunPool, parameters: Setting, normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of MAP / rank. Source: Lillis et al. 2010 (MAPFuse); as ranx's mapfuse."""
    return sum_of_worths(pool, lambda i, entry: worth_by_rank(entry, parameters["map"][i] / distinct_ranks(entry)))


def learn_pos(pool: RunPool, known: PoolJudgments, setting: Setting, normalise: str | NormalisedPool) -> dict[str, Any]:
    """For each run and rank, in what share of the lists that are so long the document there was relevant.

    Shares of 0 behind the last relevant document are left out.
    """
    check_judged_queries(known)
    return {"shares": [trim_zeros(shares_of_ranks(entry, known, i)) for i, entry in enumerate(pool.entries)]}


def shares_of_ranks(entry: PooledRun, known: PoolJudgments, i: int) -> Floats:
    lengths = known.lists(entry)[1]
    longest = int(lengths.max(initial=0))
    reaching = np.cumsum(np.bincount(lengths, minlength=longest + 1)[::-1])[::-1][1:]
    return np.bincount(known.hits(i).rank - 1, minlength=longest) / reaching


def pos_fuse(pool: RunPool, parameters: Setting, normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of the shares of its ranks. Source: Lillis et al. 2010 (PosFuse); as ranx's posfuse."""
    return sum_of_worths(
        pool, lambda i, entry: worth_by_rank(entry, pad_with_zeros(parameters["shares"][i], longest_list(entry)))
    )


def prob_grid(runs: int) -> list[dict[str, Any]]:
    """Numbers of segments to choose among."""
    return [{"segments": n, "judged_only": 0} for n in SEGMENTS]


def learn_prob(
    pool: RunPool, known: PoolJudgments, setting: Setting, normalise: str | NormalisedPool
) -> dict[str, Any]:
    """For each run and segment, the mean share of relevant documents, of all there or of those judged.

    A list of L documents is cut into segments of ceil(L / segments); the last one may be shorter, and short lists have
    fewer. A segment that a list has not, or without judged documents where these alone count, has a share of 0.
    Raises ParameterError.
    """
    check_judged_queries(known)
    segments = setting.get("segments", PROB_SETTINGS["segments"])
    judged_only = setting.get("judged_only", PROB_SETTINGS["judged_only"])
    check_count("segments", segments)
    if segments > MOST_SEGMENTS:
        raise ParameterError(f"segments is {segments}, expected at most {MOST_SEGMENTS:,}, more than lists have ranks")
    if judged_only not in (0, 1):
        raise ParameterError(f"judged_only is {judged_only!r}, expected 0 (all documents) or 1 (judged ones alone)")
    found = []
    for i, entry in enumerate(pool.entries):
        lists = known.lists(entry)[0].size
        share = shares_of_judged(known.found(i), segments) if judged_only else shares_of_all(known.hits(i), segments)
        found.append(round_noise(share / max(lists, 1)).tolist())
    return {"shares": found}


def shares_of_all(hits: JudgedDocuments, segments: int) -> Floats:
    """(segments) of relevant documents of all there, summed over lists."""
    step, segment = segments_of(hits.rank, hits.size, segments)
    there = np.minimum(step, hits.size - segment * step)
    return np.bincount(segment, 1 / there, segments).astype(np.float64, copy=False)  # whole numbers of nothing


def shares_of_judged(found: JudgedDocuments, segments: int) -> Floats:
    """(segments) of relevant documents of the judged ones, summed over lists."""
    segment = segments_of(found.rank, found.size, segments)[1]
    cells, cell = np.unique(found.query * segments + segment, return_inverse=True)
    share = np.bincount(cell, found.relevant, cells.size) / np.bincount(cell, minlength=cells.size)
    return np.bincount(cells % segments, share, segments).astype(np.float64, copy=False)


def segments_of(rank: Ints, size: Ints, segments: int) -> tuple[Ints, Ints]:
    """How long the segments are of lists of these sizes, and the segment of each rank, from 0."""
    step = -(-size // segments)
    return step, (rank - 1) // step


def prob_fuse(pool: RunPool, parameters: Setting, normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of the share of its segment / the segment's number, from 1. Source: Lillis et al. 2006
    (ProbFuse: ProbFuseAll, and ProbFuseJudged where judged documents alone count); as ranx's probfuse.
    """

    def worth(i: int, entry: PooledRun) -> Floats:
        shares = np.asarray(parameters["shares"][i], np.float64)
        segment = segments_of(entry.rank, np.repeat(entry.lengths, entry.lengths), shares.size)[1]
        return np.asarray((shares / np.arange(1, shares.size + 1))[segment])

    return sum_of_worths(pool, worth)


def learn_seg(pool: RunPool, known: PoolJudgments, setting: Setting, normalise: str | NormalisedPool) -> dict[str, Any]:
    """For each run and segment, the mean share of relevant documents; lists that end before count as not relevant."""
    check_judged_queries(known)
    sizes = np.diff(SEGMENT_ENDS, prepend=0)
    found = []
    for i, entry in enumerate(pool.entries):
        segment = np.searchsorted(SEGMENT_ENDS, known.hits(i).rank)
        counts = np.bincount(segment, minlength=sizes.size)[: sizes.size]
        found.append((counts / (sizes * max(known.lists(entry)[0].size, 1))).tolist())
    return {"shares": found}


def seg_fuse(pool: RunPool, parameters: Setting, normalise: str | NormalisedPool) -> Floats:
    """(documents) sum of (1 + score) times the share of its segment. Source: Shokouhi 2007; as ranx's segfuse."""
    gains = normalise_pool(pool, normalise).gains

    def worth(i: int, entry: PooledRun) -> Floats:
        shares = np.array([*parameters["shares"][i], 0.0])
        segment = np.searchsorted(SEGMENT_ENDS, distinct_ranks(entry))
        return (1 + gains[i][0]) * worth_by_rank(entry, shares[segment])

    return sum_of_worths(pool, worth)


def sum_of_worths(pool: RunPool, worth: Callable[[int, PooledRun], Floats]) -> Floats:
    """(documents) sums of what rows of runs are worth. worth: (rows) of the i-th run."""
    return combine_gains(pool, lambda i: (worth(i, pool.entries[i]), None), "sum", np.ones(len(pool.entries)), None)


def worth_by_rank(entry: PooledRun, worth: Floats) -> Floats:
    """(rows) from (ranks)."""
    return np.asarray(worth[entry.rank - 1], np.float64)


def longest_list(entry: PooledRun) -> int:
    return int(entry.lengths.max(initial=0))


def distinct_ranks(entry: PooledRun) -> Ints:
    """Each rank of a run once."""
    return np.arange(1, longest_list(entry) + 1)


def pad_with_zeros(values: Any, size: int) -> Floats:
    """The first so many values, 0 behind the last."""
    found = np.zeros(size)
    part = np.asarray(values, np.float64)[:size]
    found[: part.size] = part
    return found


def trim_zeros(values: Floats) -> list[float]:
    """Without zeros behind."""
    some = np.flatnonzero(values)
    return values[: int(some[-1]) + 1].tolist() if some.size else []
