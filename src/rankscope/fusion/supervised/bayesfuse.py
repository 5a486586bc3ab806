"""BayesFuse: fusion by the odds that a document of a rank is relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.fusion.comb import Gains, combine_gains
from rankscope.fusion.judgments import PoolJudgments, check_judged_queries
from rankscope.fusion.normalisation import NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.fusion.supervised.probfuse import distinct_ranks, worth_by_rank
from rankscope.kernels.segments import group_of
from rankscope.typing import Floats

__all__ = [
    "BAYES_SETTINGS",
    "bayes_fuse",
    "bayes_grid",
    "learn_bayes",
]


Setting = Mapping[str, Any]
#: Ranks that are one level: from the one behind the last end to this one.
LEVEL_ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
#: What takes the place of a share of 0, and of documents that a run lacks.
LEAST = 0.001
#: 1: documents that a run lacks, and those behind the last rank, are a level of their own whose odds are learned, and
#: half a document is added on either side in the place of LEAST.
BAYES_SETTINGS: Setting = {"smoothed": 0}


def bayes_grid(runs: int) -> list[dict[str, Any]]:
    """As ranx has it, or with odds of what a run lacks."""
    return [{"smoothed": 0}, {"smoothed": 1}]


def learn_bayes(
    pool: RunPool, known: PoolJudgments, setting: Setting, normalise: str | NormalisedPool
) -> dict[str, Any]:
    """For each run the logarithm of the odds of relevance at each level, and for what it lacks. Raises ParameterError.

    The share of relevant documents of a level is that of all its ranks, lists that end before included, and of all
    queries for which the run has a list; a share of 0 becomes .001, and one of 1 becomes .999.
    """
    check_judged_queries(known)
    smoothed = setting.get("smoothed", BAYES_SETTINGS["smoothed"])
    if smoothed not in (0, 1):
        raise ParameterError(f"smoothed is {smoothed!r}, expected 0 (as ranx) or 1 (odds of what a run lacks learned)")
    learned = smoothed_level_odds if smoothed else level_odds
    found = [learned(pool, known, i) for i in range(len(pool.entries))]
    return {"levels": [one[:-1].tolist() for one in found], "lacking": [float(one[-1]) for one in found]}


def level_odds(pool: RunPool, known: PoolJudgments, i: int) -> Floats:
    """(levels, and what the run lacks) by shares of all ranks."""
    lists = max(known.lists(pool.entries[i])[0].size, 1)
    share = count_levels(known.hits(i).rank)[:-1] / (np.diff(LEVEL_ENDS, prepend=0) * lists)
    share = np.append(share, 0.0)
    share[share == 0] = LEAST
    share[share == 1] = 1 - LEAST
    return np.asarray(np.log(share / (1 - share)), np.float64)


def smoothed_level_odds(pool: RunPool, known: PoolJudgments, i: int) -> Floats:
    """(levels, and what the run lacks) by counts of documents that are there, half of one added on either side."""
    queries, lengths = known.lists(pool.entries[i])
    reach = np.minimum(lengths[:, None], LEVEL_ENDS)
    there = np.diff(reach, axis=1, prepend=0).sum(axis=0)
    relevant = count_levels(known.hits(i).rank)
    # What any run has for these queries, less what this one has at some level.
    of_query = group_of(pool.offsets)[known.grades >= known.level]
    at_all = np.bincount(of_query, minlength=known.used.size)[queries].sum()
    relevant[-1] = at_all - relevant[:-1].sum()
    there = np.append(there, np.diff(pool.offsets)[queries].sum() - there.sum())
    return np.log((relevant + 0.5) / (there - relevant + 0.5))


def count_levels(rank: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(levels, and behind the last) how many ranks are of each."""
    return np.bincount(np.searchsorted(LEVEL_ENDS, rank), minlength=LEVEL_ENDS.size + 1)


def bayes_fuse(pool: RunPool, parameters: Setting, normalise: str | NormalisedPool) -> Floats:
    """(documents) sum over the runs that have a list of the logarithm of the odds: of the level of its rank, or of what
    the run lacks. Source: Aslam and Montague 2001 (Bayes-fuse), its prior left out, which is the same for all
    documents; unsmoothed as ranx's bayesfuse.
    """

    def worth(i: int) -> Gains:
        entry, lacking = pool.entries[i], parameters["lacking"][i]
        odds = np.array([*parameters["levels"][i], lacking])
        absent = np.zeros(len(pool.query_ids))
        absent[entry.query[entry.lengths > 0]] = lacking
        return worth_by_rank(entry, odds[np.searchsorted(LEVEL_ENDS, distinct_ranks(entry))]), absent

    return combine_gains(pool, worth, "sum", np.ones(len(pool.entries)), None)
