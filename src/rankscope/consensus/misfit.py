"""Whether votes look as if Plackett and Luce's model had made them, by votes drawn from the fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.consensus.luce import fit_plackett_luce, fit_stages
from rankscope.consensus.samplers import luce_places
from rankscope.consensus.stages import NUMBERS, stages_of
from rankscope.consensus.weight_unit import check_prior, in_weight_units, weight_unit
from rankscope.data.votes import Votes
from rankscope.data.wording import format_p_value
from rankscope.kernels.ties import SOLVED
from rankscope.stats.inputs import as_generator, check_count
from rankscope.typing import Floats

__all__ = ["Misfit", "plackett_luce_misfit"]

Weights = Sequence[float] | Mapping[str, float] | None

#: The prior of drawn votes, as a share of the greatest weight: without any, some have no maximum.
SLIGHT_PRIOR = 1e-3
#: A p-value below says that the model does not fit.
LEVEL = 0.05


class Misfit(NamedTuple):
    """How far the voters for each pair of items are from what the model expects; how often drawn votes are as far."""

    statistic: float
    pvalue: float
    n_resamples: int

    @property
    def note(self) -> str:
        """For people."""
        said = f"(p {format_p_value(self.pvalue)} by {self.n_resamples:,} draws)"
        if self.pvalue < LEVEL:
            return (
                f"one worth an item does not describe these votes well: pairs differ from it more than by chance {said}"
            )
        return f"the pairs of items show no departure from one worth an item that chance would not make {said}"


def plackett_luce_misfit(
    rankings: Any,
    log_worths: Floats | None = None,
    *,
    weights: Weights = None,
    unranked: str = "average",
    prior: float = 0.0,
    n_resamples: int = 199,
    rng: Any = None,
) -> Misfit:
    """Whether Plackett and Luce's model describes the votes: a statistic from 0 (all pairs as expected), its p-value.

    The model says that i stands above j with the chance w_i / (w_i + w_j), whatever else there is. The statistic sums
    the squared differences of the voters for i over j from their expected number, each over its variance. Votes on the
    same items, with lists as long, are drawn n_resamples times from the fitted model, fitted and compared alike;
    the p-value is the share of those, the votes themselves among them, that are as far off: in (0, 1], a small one
    speaks against the model. Pairs of which a voter ranked neither do not count; tied ones count half each way, which
    makes the statistic smaller, and the drawn votes have no ties: with many ties the p-value is too large.

    log_worths: (items) the fit, where it is at hand; other parameters and errors as `plackett_luce`.
    Source: parametric bootstrap (Davison and Hinkley 1997, chapter 4) of Pearson's statistic on pairs.

    >>> round_table = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]] * 20  # nobody is better than anybody
    >>> plackett_luce_misfit(round_table, n_resamples=99, rng=1).pvalue
    0.01
    """
    check_count("n_resamples", n_resamples)
    rng = as_generator(rng)
    votes = Votes.of(rankings, weights=weights)
    check_prior(votes.weights, prior)
    unit = weight_unit(votes.weights)
    votes, prior = replace(votes, weights=in_weight_units(votes.weights)), prior / unit
    if log_worths is None:
        log_worths = fit_plackett_luce(votes, votes.weights[None], unranked=unranked, prior=prior)[0]
    subsets = unranked == "ignore"
    observed = float(pair_statistic(votes.places[None], votes.weights, log_worths[None], subsets)[0])
    drawn = []
    step = max(NUMBERS // max(votes.ranks.size, len(votes.items) ** 2), 1)
    for start in range(0, n_resamples, step):
        some = min(step, n_resamples - start)
        places = sample_places(votes, log_worths, some, subsets, rng)
        by = np.repeat(votes.weights[None], some, axis=0)
        begin = np.repeat(log_worths[None], some, axis=0)
        fits = fit_stages(stages_of(places, subsets=subsets), by, np.full(some, prior or SLIGHT_PRIOR), begin)
        drawn.append(pair_statistic(places, votes.weights, fits, subsets))
    as_far = np.concatenate(drawn) >= observed * (1 - SOLVED)
    return Misfit(observed * unit, (1 + int(as_far.sum())) / (n_resamples + 1), n_resamples)


def sample_places(votes: Votes, log_worths: Floats, draws: int, subsets: bool, rng: np.random.Generator) -> Floats:
    """(draws, voters, items) rankings of the model: of the same items, or cut to the same length."""
    missing = np.isnan(votes.places)
    logs = np.where(missing, -np.inf, log_worths) if subsets else np.broadcast_to(log_worths, missing.shape)
    places = luce_places(np.broadcast_to(logs, (draws, *missing.shape)), rng)
    length = (~missing).sum(axis=1, keepdims=True)
    return np.where(places > length, np.nan, places)


def pair_statistic(places: Floats, weights: Floats, log_worths: Floats, subsets: bool) -> Floats:
    """(draws) the statistic; places: (draws, voters, items), log_worths: (draws, items)."""
    known = np.where(np.isnan(places), np.nan if subsets else np.inf, places)
    draws, voters, n = known.shape
    above, level = np.zeros((draws, n, n)), np.zeros((draws, n, n))
    step = max(4 * NUMBERS // (draws * n * n), 1)
    for start in range(0, voters, step):
        some, by = known[:, start : start + step], weights[start : start + step]
        left, right = some[:, :, :, None], some[:, :, None, :]
        above += np.einsum("v,dvij->dij", by, (left < right).astype(np.float64))
        level += np.einsum("v,dvij->dij", by, ((left == right) & np.isfinite(left)).astype(np.float64))
    together = above + above.transpose(0, 2, 1) + level
    chance = 1 / (1 + np.exp(log_worths[:, None, :] - log_worths[:, :, None]))
    variance = together * chance * (1 - chance)
    off = (above + level / 2 - together * chance) ** 2
    upper = np.triu(np.ones((n, n), np.bool_), 1)
    return np.asarray(
        np.where((variance > 0) & upper, off / np.where(variance > 0, variance, 1.0), 0.0).sum(axis=(1, 2))
    )
