"""BayesFuse: fusion by the odds that a document at a rank is relevant."""

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
from rankscope.fusion.supervised.probfuse import distinct_ranks, row_values
from rankscope.kernels.segments import group_of
from rankscope.typing import Floats

__all__ = [
    "BAYES_SETTINGS",
    "bayes_fuse",
    "bayes_grid",
    "learn_bayes",
]


Setting = Mapping[str, Any]
#: Levels of ranks: each from the rank behind the previous end to this end.
LEVEL_ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
#: Replaces a share of 0, and the share of documents that a run lacks.
LEAST = 0.001
#: smoothed: 1: documents that a run lacks, and those behind the last level, are a level of their own whose odds are
#: learned, and half a document is added on either side instead of LEAST.
BAYES_SETTINGS: Setting = {"smoothed": 0}


def bayes_grid(n_runs: int) -> list[dict[str, Any]]:
    """As in ranx, or with odds of documents that a run lacks."""
    return [{"smoothed": 0}, {"smoothed": 1}]


def learn_bayes(pool: RunPool, judgments: PoolJudgments, setting: Setting) -> dict[str, Any]:
    """For each run the log odds of relevance at each level, and of documents that it lacks.

    Parameters
    ----------
    pool
        The documents of all runs.
    judgments
        Their judgments.
    setting
        smoothed: 1 to learn also the odds of missing documents, 0 as in ranx.

    Returns
    -------
    dict
        levels: a list for each run, with the log odds of each level. lacking: those of documents that each run lacks.

    Raises
    ------
    InputError
        No query has judgments.
    ParameterError
        A setting is out of range.

    Notes
    -----
    The share of relevant documents of a level is that of all its ranks, also in lists that end before, and of all
    queries for which the run has a list. A share of 0 becomes .001, and one of 1 becomes .999.
    """
    check_judged_queries(judgments)
    smoothed = setting.get("smoothed", BAYES_SETTINGS["smoothed"])
    if smoothed not in (0, 1):
        raise ParameterError(
            f"smoothed is {smoothed!r}, expected 0 (as in ranx) or 1 (also learn the odds of missing documents)"
        )
    learn_odds = smoothed_level_odds if smoothed else level_odds
    odds = [learn_odds(pool, judgments, i) for i in range(len(pool.entries))]
    return {
        "levels": [run_odds[:-1].tolist() for run_odds in odds],
        "lacking": [float(run_odds[-1]) for run_odds in odds],
    }


def level_odds(pool: RunPool, judgments: PoolJudgments, i: int) -> Floats:
    """(levels, and documents that the run lacks) log odds by shares of all ranks."""
    n_lists = max(judgments.used_lists(pool.entries[i])[0].size, 1)
    shares = count_levels(judgments.relevant_of_run(i).rank)[:-1] / (np.diff(LEVEL_ENDS, prepend=0) * n_lists)
    shares = np.append(shares, 0.0)
    shares[shares == 0] = LEAST
    shares[shares == 1] = 1 - LEAST
    return np.asarray(np.log(shares / (1 - shares)), np.float64)


def smoothed_level_odds(pool: RunPool, judgments: PoolJudgments, i: int) -> Floats:
    """(levels, and documents that the run lacks) log odds by counts of documents, half of one added on either side."""
    queries, lengths = judgments.used_lists(pool.entries[i])
    level_lengths = np.minimum(lengths[:, None], LEVEL_ENDS)
    n_documents = np.diff(level_lengths, axis=1, prepend=0).sum(axis=0)
    n_relevant = count_levels(judgments.relevant_of_run(i).rank)
    # Relevant documents of any run for these queries, less those that this run has at some level.
    relevant_queries = group_of(pool.offsets)[judgments.grades >= judgments.level]
    n_relevant_in_pool = np.bincount(relevant_queries, minlength=judgments.used.size)[queries].sum()
    n_relevant[-1] = n_relevant_in_pool - n_relevant[:-1].sum()
    n_documents = np.append(n_documents, np.diff(pool.offsets)[queries].sum() - n_documents.sum())
    return np.log((n_relevant + 0.5) / (n_documents - n_relevant + 0.5))


def count_levels(rank: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(levels, and behind the last) the number of ranks of each."""
    return np.bincount(np.searchsorted(LEVEL_ENDS, rank), minlength=LEVEL_ENDS.size + 1)


def bayes_fuse(pool: RunPool, parameters: Setting, normalised: NormalisedPool) -> Floats:
    """(documents) the sum, over the runs that have a list, of the log odds of the level of the document's rank.

    A document that a run lacks adds the odds of those that it lacks. Source: Aslam and Montague 2001 (Bayes-fuse), its
    prior left out, which is the same for all documents; unsmoothed as ranx's bayesfuse. For the parameters see
    `TrainedMethod.apply`.
    """

    def level_gains(i: int) -> Gains:
        entry, lacking = pool.entries[i], parameters["lacking"][i]
        odds = np.array([*parameters["levels"][i], lacking])
        lacking_gains = np.zeros(len(pool.query_ids))
        lacking_gains[entry.query[entry.lengths > 0]] = lacking
        return row_values(entry, odds[np.searchsorted(LEVEL_ENDS, distinct_ranks(entry))]), lacking_gains

    return combine_gains(pool, level_gains, "sum", np.ones(len(pool.entries)), None)
