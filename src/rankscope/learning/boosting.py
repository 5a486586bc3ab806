"""Trees grown one after the other by LightGBM, watched by a measure of ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.learning.descent import informative_lists
from rankscope.learning.forest import BoostedTrees, parse_trees
from rankscope.learning.installed import load_lightgbm
from rankscope.learning.lambdamart import LambdaMART
from rankscope.learning.losses.gains import finite_gains
from rankscope.learning.losses.named import Loss
from rankscope.learning.stopping import EarlyStopping
from rankscope.typing import Reals

__all__ = ["boost"]

#: A list in which LightGBM's own objective looks at pairs holds at most so many documents.
MAX_LIST_LENGTH = 10_000
#: Rows by which LightGBM chooses between which values of a feature to tell.
BIN_SAMPLE_SIZE = 200_000


def boost(
    features: Features,
    loss: LambdaMART,
    watch: EarlyStopping | None,
    held: Features | None,
    rng: np.random.Generator,
    progress: Callable[[int], Any] | None = None,
) -> BoostedTrees:
    """One model. held: the lists that are watched.

    Raises InputError where there is nothing to learn from, no tree can be grown, and where the loss is no number or
    scores are none.
    """
    library = load_lightgbm()
    features = lists_with_order(features)
    ours = loss.loss()
    settings = lightgbm_parameters(loss, features, rng)
    try:
        data = dataset(library, features, settings, ours is None)
        booster = library.Booster(settings, data)
        if held is not None:
            booster.add_valid(dataset(library, held, settings, False, data), "held")
        slopes = None if ours is None else LossGradients(ours, features, rng)
        grown = grow_trees(booster, loss, slopes, watch, progress)
        kept = grown if watch is None else watch.best_epoch + 1
        text = booster.model_to_string(num_iteration=kept)
    except library.basic.LightGBMError as error:
        why = " ".join(str(error).split())
        raise InputError(f"{features.name}: LightGBM cannot train on it ({why})") from None
    forest = parse_trees(text)
    if not np.isfinite(forest.worth).all():
        raise InputError(
            f"{features.name}: trees diverged: their scores are no finite numbers, with a rate of {loss.rate:g}; try a "
            "smaller one, as in lambdamart(rate=0.05)"
        )
    return BoostedTrees(
        forest=forest,
        losses=() if slopes is None else tuple(slopes.losses),
        values=() if watch is None else tuple(watch.values),
        best_epoch=kept - 1,
        grown=grown,
    )


def lists_with_order(features: Features) -> Features:
    """The lists that there is an order in. Raises InputError where there is none."""
    lists = informative_lists(features)
    return features if lists.size == len(features.query_ids) else features.select(lists)


def lightgbm_parameters(loss: LambdaMART, features: Features, rng: np.random.Generator) -> dict[str, Any]:
    """LightGBM's parameters. Nothing is left to its defaults that changes numbers and is a matter of choice."""
    found: dict[str, Any] = {
        "objective": "lambdarank" if loss.objective is None else "none",
        "metric": "none",
        "verbosity": -1,
        "num_threads": loss.threads,
        "deterministic": True,
        "force_row_wise": True,
        "seed": int(rng.integers(2**31)),
        "learning_rate": loss.rate,
        "num_leaves": loss.leaves,
        "min_data_in_leaf": loss.least_documents(len(features)),
        "min_sum_hessian_in_leaf": 0.0,
        "feature_fraction": loss.features,
        "bagging_fraction": loss.documents,
        "bagging_freq": int(loss.documents < 1),
        "lambda_l2": loss.l2,
        "max_bin": loss.bins,
        "data_random_seed": 1,  # bins are the same for all seeds
        "bin_construct_sample_cnt": BIN_SAMPLE_SIZE,
        "use_missing": False,  # features are finite
    }
    if loss.objective is None:
        longest = int(np.diff(features.offsets).max())
        if longest > MAX_LIST_LENGTH:
            raise InputError(
                f"{features.name}: a query has {longest} documents, and lambdamart takes at most {MAX_LIST_LENGTH}; give it a "
                "loss of ours, as in \"lambdamart(objective='listnet')\", or fewer documents"
            )
        gains = finite_gains(np.unique(features.relevance))
        found["lambdarank_truncation_level"] = loss.truncation
        found["label_gain"] = [repr(gain) for gain in gains.tolist()]
    return found


def dataset(library: Any, features: Features, settings: dict[str, Any], graded: bool, reference: Any = None) -> Any:
    """Documents as LightGBM has them; graded: with places of grades among all, whose gains are in the settings."""
    labels = np.unique(features.relevance, return_inverse=True)[1] if graded else None
    sizes = np.diff(features.offsets) if graded else None
    return library.Dataset(features.values, labels, group=sizes, reference=reference, params=settings)


class LossGradients:
    """The gradient and the second derivatives of a loss of ours, as LightGBM asks for them. losses: of each round.

    Lists are summed, not averaged, so that numbers do not shrink with how many there are: LightGBM has them as float32.
    """

    def __init__(self, loss: Loss, features: Features, rng: np.random.Generator) -> None:
        self.loss, self.features, self.rng = loss, features, rng
        self.highest = int(features.relevance.max())
        self.losses: list[float] = []
        self.flat = 0.0

    def __call__(self, scores: Reals, _: Any) -> tuple[Reals, Reals]:
        features, bend = self.features, np.zeros(scores.size)
        lists = features.offsets.size - 1
        value, slope = self.loss(
            np.asarray(scores, np.float64),
            features.relevance,
            features.offsets,
            rng=self.rng,
            max_grade=self.highest,
            curvature=bend,
        )
        if not np.isfinite(value):
            raise InputError(f"the loss {self.loss} is {value} after {len(self.losses)} trees, expected a number")
        self.losses.append(value)
        slope, bend = slope * lists, bend * lists
        if not bend.any():  # a loss that does not tell: one number for all documents
            self.flat = self.flat or 2 * float(np.abs(slope).mean())
            bend = np.full(scores.size, self.flat)
        return slope, bend + MIN_CURVATURE * bend.max()


#: Of the greatest second derivative, what each has at least: a leaf whose documents have none would score without end.
MIN_CURVATURE = 1e-6


def grow_trees(
    booster: Any,
    loss: LambdaMART,
    slopes: LossGradients | None,
    watch: EarlyStopping | None,
    progress: Callable[[int], Any] | None,
) -> int:
    """Tree after tree; how many there are."""

    def judge(scores: Reals, _: Any) -> tuple[str, float, bool]:
        if watch is not None:
            watch.better(scores)
        return "watched", 0.0, True

    for tree in range(loss.trees):
        with warnings.catch_warnings():  # there is no split left: told by what is returned
            warnings.simplefilter("ignore")
            over = booster.update(fobj=slopes)
        if over and not tree:
            raise InputError(
                "no tree can be grown: no feature parts the documents so that each side has enough of them; give more "
                "documents, or say a smaller min_documents, as in lambdamart(min_documents=5)"
            )
        if progress is not None:
            progress(1)
        if watch is not None:
            booster.eval_valid(judge)
            if watch.over:
                return tree + 1
        if over:
            return tree + 1
    return loss.trees
