"""ProbFuse, MAPFuse, PosFuse and SegFuse: fusion by how often documents at a rank of a run were relevant.

The parameters of a run do not depend on other runs. Shares are means over the lists that a run has for the queries
learned from, as in ranx; only mean average precision counts a missing list, as 0, as everywhere. Where sums depend on
the order of the queries, their last bits are rounded off, so that the order of the runs changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankscope.errors import ParameterError
from rankscope.fusion.comb import combine_gains, round_noise
from rankscope.fusion.judgments import JudgedDocuments, PoolJudgments, check_judged_queries
from rankscope.fusion.normalisation import NormalisedPool
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
    "row_values",
    "seg_fuse",
    "sum_row_gains",
]


Setting = Mapping[str, Any]
#: Settings of ProbFuse: the number of segments of a list; judged_only: 1 for the shares of judged documents alone.
PROB_SETTINGS: Setting = {"segments": 25, "judged_only": 0}
SEGMENTS = (25, 1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100)
#: Most segments: each has a share, whether lists have it or not.
MOST_SEGMENTS = 100_000
#: Last ranks of the segments of SegFuse: each is twice as long as the one before. Ranks behind the last have no share.
SEGMENT_ENDS = 5 * (2 ** np.arange(1, 11) - 1)


def learn_map(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """The mean average precision of each run: of a query that it lacks, or without relevant documents, 0."""
    check_judged_queries(judgments)
    n_queries = np.count_nonzero(judgments.used)
    mean_precisions = []
    for i in range(len(pool.entries)):
        hits = judgments.relevant_of_run(i)
        # Hits are sorted by rank: a hit's index within its query is the number of hits above it.
        offsets = np.searchsorted(hits.query, np.arange(judgments.used.size + 1))
        precision = (count_before(hits.relevant, offsets) + 1) / hits.rank
        mean_precisions.append((precision / judgments.n_relevant[hits.query]).sum() / n_queries)
    return {"map": round_noise(np.array(mean_precisions)).tolist()}


def map_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) sum of MAP / rank. Source: Lillis et al. 2010 (MAPFuse); as ranx's mapfuse."""
    return sum_row_gains(pool, lambda i, entry: row_values(entry, parameters["map"][i] / distinct_ranks(entry)))


def learn_pos(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """For each run and rank, in what share of the lists that are so long the document there was relevant.

    Shares of 0 behind the last relevant document are left out.
    """
    check_judged_queries(judgments)
    return {"shares": [trim_zeros(shares_of_ranks(entry, judgments, i)) for i, entry in enumerate(pool.entries)]}


def shares_of_ranks(entry: PooledRun, judgments: PoolJudgments, i: int) -> Floats:
    lengths = judgments.used_lists(entry)[1]
    longest = int(lengths.max(initial=0))
    n_reaching = np.cumsum(np.bincount(lengths, minlength=longest + 1)[::-1])[::-1][1:]
    return np.bincount(judgments.relevant_of_run(i).rank - 1, minlength=longest) / n_reaching


def pos_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) sum of the shares of its ranks. Source: Lillis et al. 2010 (PosFuse); as ranx's posfuse."""
    return sum_row_gains(
        pool, lambda i, entry: row_values(entry, pad_with_zeros(parameters["shares"][i], longest_list(entry)))
    )


def prob_grid(n_runs: int) -> list[dict[str, Any]]:
    """Numbers of segments to choose among."""
    return [{"segments": n, "judged_only": 0} for n in SEGMENTS]


def learn_prob(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """For each run and segment of its lists, the mean share of relevant documents.

    Parameters
    ----------
    pool
        The documents of all runs.
    judgments
        Their judgments.
    setting
        segments: how many segments a list has. judged_only: 1 if only judged documents count, 0 if all do.

    Returns
    -------
    dict
        shares: a list for each run, with a share for each segment.

    Raises
    ------
    InputError
        No query has judgments.
    ParameterError
        A setting is out of range.

    Notes
    -----
    A list of L documents is cut into segments of ceil(L / segments); the last one may be shorter, and short lists have
    fewer. The share is 0 for a segment that a list lacks, or that has no judged documents if only these count.
    """
    check_judged_queries(judgments)
    segments = setting.get("segments", PROB_SETTINGS["segments"])
    judged_only = setting.get("judged_only", PROB_SETTINGS["judged_only"])
    check_count("segments", segments)
    if segments > MOST_SEGMENTS:
        raise ParameterError(f"segments is {segments}, expected at most {MOST_SEGMENTS:,}, more than lists have ranks")
    if judged_only not in (0, 1):
        raise ParameterError(f"judged_only is {judged_only!r}, expected 0 (all documents) or 1 (judged ones alone)")
    shares = []
    for i, entry in enumerate(pool.entries):
        n_lists = judgments.used_lists(entry)[0].size
        if judged_only:
            share_sums = shares_of_judged(judgments.judged_of_run(i), segments)
        else:
            share_sums = shares_of_all(judgments.relevant_of_run(i), segments)
        shares.append(round_noise(share_sums / max(n_lists, 1)).tolist())
    return {"shares": shares}


def shares_of_all(hits: JudgedDocuments, segments: int) -> Floats:
    """(segments) the share of relevant documents of all documents, summed over lists."""
    segment_lengths, segment = segments_of(hits.rank, hits.size, segments)
    n_documents = np.minimum(segment_lengths, hits.size - segment * segment_lengths)
    return np.bincount(segment, 1 / n_documents, segments).astype(np.float64, copy=False)  # integers if empty


def shares_of_judged(judged: JudgedDocuments, segments: int) -> Floats:
    """(segments) the share of relevant documents of the judged ones, summed over lists."""
    segment = segments_of(judged.rank, judged.size, segments)[1]
    cells, cell = np.unique(judged.query * segments + segment, return_inverse=True)
    share = np.bincount(cell, judged.relevant, cells.size) / np.bincount(cell, minlength=cells.size)
    return np.bincount(cells % segments, share, segments).astype(np.float64, copy=False)


def segments_of(rank: Ints, size: Ints, segments: int) -> tuple[Ints, Ints]:
    """The lengths of the segments of lists of these sizes, and the segment of each rank, from 0."""
    segment_lengths = -(-size // segments)
    return segment_lengths, (rank - 1) // segment_lengths


def prob_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) sum of the share of its segment / the segment's number, from 1. Source: Lillis et al. 2006
    (ProbFuse: ProbFuseAll, and ProbFuseJudged where judged documents alone count); as ranx's probfuse.
    """

    def row_gains(i: int, entry: PooledRun) -> Floats:
        shares = np.asarray(parameters["shares"][i], np.float64)
        segment = segments_of(entry.rank, np.repeat(entry.lengths, entry.lengths), shares.size)[1]
        return np.asarray((shares / np.arange(1, shares.size + 1))[segment])

    return sum_row_gains(pool, row_gains)


def learn_seg(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """For each run and segment, the mean share of relevant documents; lists that end before count as not relevant."""
    check_judged_queries(judgments)
    sizes = np.diff(SEGMENT_ENDS, prepend=0)
    shares = []
    for i, entry in enumerate(pool.entries):
        segment = np.searchsorted(SEGMENT_ENDS, judgments.relevant_of_run(i).rank)
        counts = np.bincount(segment, minlength=sizes.size)[: sizes.size]
        shares.append((counts / (sizes * max(judgments.used_lists(entry)[0].size, 1))).tolist())
    return {"shares": shares}


def seg_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) sum of (1 + score) times the share of its segment. Source: Shokouhi 2007; as ranx's segfuse."""
    gains = normalised.gains

    def row_gains(i: int, entry: PooledRun) -> Floats:
        shares = np.array([*parameters["shares"][i], 0.0])
        segment = np.searchsorted(SEGMENT_ENDS, distinct_ranks(entry))
        return (1 + gains[i][0]) * row_values(entry, shares[segment])

    return sum_row_gains(pool, row_gains)


def sum_row_gains(pool: RunPool, row_gains: Callable[[int, PooledRun], Floats]) -> Floats:
    """(documents) sums of the gains of rows. row_gains: (rows) those of the i-th run."""
    return combine_gains(pool, lambda i: (row_gains(i, pool.entries[i]), None), "sum", np.ones(len(pool.entries)), None)


def row_values(entry: PooledRun, rank_values: Floats) -> Floats:
    """(rows) the value of each row's rank. rank_values: (ranks)."""
    return np.asarray(rank_values[entry.rank - 1], np.float64)


def longest_list(entry: PooledRun) -> int:
    return int(entry.lengths.max(initial=0))


def distinct_ranks(entry: PooledRun) -> Ints:
    """Each rank of a run once."""
    return np.arange(1, longest_list(entry) + 1)


def pad_with_zeros(values: Any, size: int) -> Floats:
    """The first `size` values, 0 behind the last."""
    padded = np.zeros(size)
    first_values = np.asarray(values, np.float64)[:size]
    padded[: first_values.size] = first_values
    return padded


def trim_zeros(values: Floats) -> list[float]:
    """The values without trailing zeros."""
    nonzero = np.flatnonzero(values)
    return values[: int(nonzero[-1]) + 1].tolist() if nonzero.size else []
