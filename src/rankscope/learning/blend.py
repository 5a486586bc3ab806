"""`Blend`: several rankers trained and combined into one, their scores normalised, weighted, added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.learning.features import align_to_training, as_features, documents_to_score, validation_features
from rankscope.learning.losses.registry import Loss, LossFunction, parse_loss
from rankscope.learning.ranker import Estimator, defaults_of
from rankscope.learning.scaling import WITHIN_LISTS, within_deviation
from rankscope.stats.inputs import check_choice, check_positive
from rankscope.typing import Floats, Ints

__all__ = [
    "COMBINATIONS",
    "NORMALISATIONS",
    "Blend",
    "Combination",
    "check_combination",
    "check_same_features",
    "learn_combination",
    "stacked_weights",
]


#: "average": all weights alike. "stacked": weights of at least 0 that minimise a loss on validation lists.
COMBINATIONS = ("average", "stacked")


@dataclass(frozen=True, eq=False, kw_only=True)
class Combination:
    """normalise: one of `NORMALISATIONS`. centre, spread: (rankers) what "fixed" takes away and divides by. weights:
    (rankers) at least 0, with sum 1.
    """

    normalise: str
    centre: Floats
    spread: Floats
    weights: Floats

    def __call__(self, scores: npt.ArrayLike, offsets: Ints) -> Floats:
        """(documents) the blend of (rankers, documents) scores, of lists that begin at `offsets`."""
        rows = self.normalised(np.asarray(scores, np.float64), offsets)
        blend = np.zeros(rows.shape[1])
        for weight, row in zip(self.weights, rows, strict=True):  # a product of matrices adds in orders of its own
            blend += weight * row
        return blend

    def normalised(self, scores: Floats, offsets: Ints) -> Floats:
        """(rankers, documents) on one scale."""
        if self.normalise == "fixed":
            return np.asarray((scores - self.centre[:, None]) / self.spread[:, None])
        return np.array([WITHIN_LISTS[self.normalise](row, offsets) for row in scores])


def learn_combination(
    scores: npt.ArrayLike,
    offsets: Ints,
    relevance: Ints | None = None,
    *,
    how: str = "average",
    normalise: str = "fixed",
    loss: Loss | None = None,
    l2: float = 0.0,
    max_grade: int | None = None,
) -> Combination:
    """How the rankers that gave these scores, (rankers, documents), are blended; learned on lists held out.

    relevance, loss, l2: for how="stacked", see `stacked_weights`. A ranker whose scores are all alike adds nothing.
    Raises InputError for scores that are no finite numbers.
    """
    table = np.asarray(scores, np.float64)
    if not np.isfinite(table).all():
        place = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(f"part {place + 1} of the blend scores documents by what is no finite number; leave it out")
    spread = np.array([within_deviation(row, offsets) for row in table])
    found = Combination(
        normalise=normalise,
        centre=table.mean(axis=1),
        spread=np.where(spread > 0, spread, 1.0),
        weights=np.full(len(table), 1 / len(table)),
    )
    if how == "average":
        return found
    if relevance is None or loss is None:
        raise ParameterError("a blend is stacked on the grades of validation lists; give them, or how='average'")
    weights = stacked_weights(
        found.normalised(table, offsets), relevance, offsets, loss=loss, l2=l2, max_grade=max_grade
    )
    return Combination(normalise=normalise, centre=found.centre, spread=found.spread, weights=weights)


#: "fixed": by mean and deviation of validation scores, so that a document's score is its own.
NORMALISATIONS: tuple[Any, ...] = ("fixed", *WITHIN_LISTS)
#: Steps of the search; it is over a few weights, and ends long before.
MAX_STEPS = 200


def stacked_weights(
    scores: Floats, relevance: Ints, offsets: Ints, *, loss: Loss, l2: float = 0.0, max_grade: int | None = None
) -> Floats:
    """(rankers) weights of at least 0 with sum 1, of scores on one scale, (rankers, documents).

    They minimise the mean loss of the lists and l2 / 2 times the squares of their differences from the mean weight,
    which draws them together; their size, which the loss needs, is then left out. Where every weight is best 0, which
    is so where all rankers put documents in a wrong order, they are all the same.
    Raises InputError where all documents of each list have one grade.
    """
    from scipy.optimize import minimize

    starts, lengths = offsets[:-1], np.diff(offsets)
    apart = np.maximum.reduceat(relevance, starts) > np.minimum.reduceat(relevance, starts)
    if not apart.any():
        raise InputError(
            "the validation lists have documents of one grade each, and weights cannot be learned from them; expected "
            "two grades in some, or how='average'"
        )
    rows = ranges(starts[apart], lengths[apart])
    table, grades, cuts = np.ascontiguousarray(scores[:, rows].T), relevance[rows], bounds(lengths[apart])
    n = len(scores)

    def objective(weights: Floats) -> tuple[float, Floats]:
        draws = np.random.default_rng(0)
        value, slope = loss(table @ weights, grades, cuts, rng=draws, max_grade=max_grade)
        away = weights - weights.mean()
        return float(value) + l2 / 2 * float(away @ away), np.asarray(slope @ table + l2 * away)

    found = minimize(
        objective,
        np.full(n, 1 / n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * n,
        options={"maxiter": MAX_STEPS},
    ).x
    total = float(found.sum())
    return np.asarray(found / total if total > 0 else np.full(n, 1 / n))


#: A ranker of any kind: with `fit`, `predict`, `get_params` and `feature_names_`.
RankerLike = Any
#: Fewer rankers are no blend.
MIN_RANKERS = 2


class Blend(Estimator):
    """Learns to score documents by several rankers at once, whose errors in part cancel out.

    rankers: two or more, of any kinds, losses and seeds (a blend too): a sequence, or a mapping from names. how:
    "average" adds their scores with equal weights; "stacked" with weights of at least 0 that minimise, on validation
    lists, `loss` and l2 / 2 times the squares of their differences from the mean weight. normalise: how scores are put
    on one scale: "zscore" and "minmax" within each list, or "rank" (the share of the list's other documents that stand
    below), so that `predict` must know the lists; "fixed" by their mean and their deviation within lists, both from
    validation lists, so that the score of a document does not depend on those beside it.

    **Stacking uses the validation lists twice**: to stop the training of each ranker, and for weights. Whatever is
    measured on them after that is too good.

    After `fit`: `rankers_` (copies that were trained; those given stay as they are), `combination_` (weights, scales),
    `n_features_in_`, `feature_names_` and, where features had names, `feature_names_in_`, `parameters_`.

    Raises ParameterError from `fit` and `combine` for parameters that are none.

    >>> from rankscope.learning.ranker import Ranker
    >>> X = [[0.9, 0.2], [0.1, 0.4], [0.5, 0.3], [0.8, 0.9], [0.3, 0.1]]
    >>> blend = Blend([Ranker("listnet", hidden=()), Ranker("ranknet", hidden=())])
    >>> scores = blend.fit(X, [2, 0, 1, 1, 0], qid=[1, 1, 1, 2, 2]).predict(X, qid=[1, 1, 1, 2, 2])
    >>> int(scores.argmax()), blend.combination_.weights.tolist()
    (0, [0.5, 0.5])
    """

    #: Which module takes a trained one apart for a file: see `saved`.
    kind = "blend"

    def __init__(
        self,
        rankers: Sequence[RankerLike] | Mapping[str, RankerLike],
        *,
        how: str = "average",
        normalise: str = "zscore",
        loss: str | LossFunction = "listnet",
        l2: float = 1.0,
    ) -> None:
        self.rankers = rankers
        self.how = how
        self.normalise = normalise
        self.loss = loss
        self.l2 = l2

    def fit(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        y: npt.ArrayLike | None = None,
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        group: npt.ArrayLike | None = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        rel: int = 1,
        max_grade: int | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Blend:
        """Train a copy of each ranker on the same documents, then learn how their scores go together.

        All is given as to `Ranker.fit`, and goes to each ranker so. Without validation lists scores are put on one
        scale by those of the training lists, and cannot be stacked. progress: called as each ranker calls it.
        Raises what the rankers raise; ParameterError for how="stacked" without validation lists.
        """
        loss = self.check()
        features = as_features(X, y, qid, group, "training data")
        held = validation_features(eval_set, eval_qid, eval_group)
        if held is not None:
            held = align_to_training(held, features.names, "the training data have")
        elif self.how == "stacked":
            raise ParameterError("a blend is stacked on validation lists; give eval_set, or how='average'")
        trained = [type(one)(**one.get_params()) for one in parts_of_blend(self.rankers)]
        for one in trained:
            one.fit(features, eval_set=held, rel=rel, max_grade=max_grade, progress=progress)
        self.learn(trained, features if held is None else held, loss, max_grade)
        return self

    def combine(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        y: npt.ArrayLike | None = None,
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        group: npt.ArrayLike | None = None,
        max_grade: int | None = None,
    ) -> Blend:
        """Blend the rankers as they are, trained already, perhaps loaded from files: learn only scales and weights.

        From lists that they were not trained on, given as to `fit`. Raises ParameterError for a ranker that has not
        learned anything, InputError for rankers that were trained on different features, and data with others.
        """
        loss = self.check()
        rankers = parts_of_blend(self.rankers)
        names = check_same_features(rankers, part_names(self.rankers))
        features = as_features(X, y, qid, group, "validation data")
        self.learn(rankers, align_to_training(features, names, "the rankers were trained on"), loss, max_grade)
        return self

    def learn(self, rankers: Sequence[RankerLike], held: Features, loss: Loss, max_grade: int | None) -> None:
        """Scales and weights of trained rankers; all is set at once, or nothing."""
        found = learn_combination(
            scores_of_parts(rankers, held),
            held.offsets,
            held.relevance,
            how=self.how,
            normalise=self.normalise,
            loss=loss,
            l2=self.l2,
            max_grade=max_grade,
        )
        self.rankers_, self.combination_ = list(rankers), found
        self.feature_names_ = tuple(rankers[0].feature_names_)
        self.n_features_in_ = len(self.feature_names_)
        self.parameters_ = {**self.get_params(), "rankers": part_names(self.rankers)}

    def predict(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        group: npt.ArrayLike | None = None,
    ) -> Floats:
        """(documents) scores, higher is better, in the order of the rows.

        qid or group: as in `fit`; asked for where scores are put on one scale within lists, and by rankers that look at
        whole lists. Features are found as `Ranker.predict` finds them, and what that raises is raised; ParameterError
        where lists are asked for and not given.
        """
        if not self.__sklearn_is_fitted__():
            raise ParameterError("this Blend has not learned anything yet; call fit first")
        features = documents_to_score(X, qid, group, lists=self.lists)
        features = align_to_training(features, self.feature_names_, "the model was trained on")
        found = self.combination_(scores_of_parts(self.rankers_, features), features.offsets)
        return np.asarray(features.in_given_order(found))

    @property
    def lists(self) -> bool:
        """Whether scores depend on the other documents of a list; once fitted, as it was fitted."""
        known = self.__sklearn_is_fitted__()
        normalise = self.combination_.normalise if known else self.normalise
        rankers = self.rankers_ if known else parts_of_blend(self.rankers)
        return normalise != "fixed" or any(getattr(one, "lists", False) for one in rankers)

    @property
    def steps(self) -> int:
        """How often `fit` calls `progress` at most."""
        return sum(one.steps for one in parts_of_blend(self.rankers))

    def check(self) -> Loss:
        """The loss of weights. Raises for parameters that are none, those of the rankers too."""
        rankers = parts_of_blend(self.rankers)
        if len(rankers) < MIN_RANKERS:
            raise ParameterError(f"a Blend of {pluralise(len(rankers), 'ranker')}, expected at least {MIN_RANKERS}")
        called = part_names(self.rankers)
        if twice := [name for name in called if called.count(name) > 1]:
            raise ParameterError(f"two rankers of a Blend are called {twice[0]!r}, expected a name of its own for each")
        for one in rankers:
            if not (hasattr(one, "fit") and hasattr(one, "predict") and hasattr(one, "get_params")):
                raise ParameterError(f"{one!r} is a {type(one).__name__}, expected a Ranker or its like")
            if hasattr(one, "check"):
                one.check()
        return check_combination(self.how, self.normalise, self.loss, self.l2)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "combination_")

    def __repr__(self) -> str:
        return f"Blend([{', '.join(part_names(self.rankers))}], how={self.how!r}, normalise={self.normalise!r})"


Blend.defaults = defaults_of(Blend)


def check_combination(how: str, normalise: str, loss: str | LossFunction, l2: float) -> Loss:
    """The loss of weights. Raises ParameterError and UnknownName for parameters that are none."""
    check_choice("how", how, COMBINATIONS)
    check_choice("normalise", normalise, NORMALISATIONS)
    check_positive("l2", l2, zero=True)
    found = parse_loss(loss)
    if not found.exact:
        raise ParameterError(
            f"the loss of a stacked blend is {found}, whose gradient is not that of its value; take listnet or ranknet"
        )
    return found


def parts_of_blend(rankers: Sequence[RankerLike] | Mapping[str, RankerLike]) -> list[RankerLike]:
    """Raises ParameterError for what is no sequence and no mapping."""
    if isinstance(rankers, Mapping):
        return list(rankers.values())
    if isinstance(rankers, (str, bytes)) or not isinstance(rankers, Sequence):
        raise ParameterError(f"the rankers of a Blend are {rankers!r}, expected a list of them")
    return list(rankers)


def part_names(rankers: Sequence[RankerLike] | Mapping[str, RankerLike]) -> list[str]:
    """A name for each: those given, else the loss, with a number where one comes again."""
    if isinstance(rankers, Mapping):
        return list(map(str, rankers))
    found: list[str] = []
    for one in parts_of_blend(rankers):
        loss = getattr(one, "loss", type(one).__name__)
        plain = type(one).__name__ if isinstance(one, Blend) else str(getattr(loss, "__name__", loss))
        known, name = 1, plain
        while name in found:
            known, name = known + 1, f"{plain} #{known + 1}"
        found.append(name)
    return found


def check_same_features(rankers: Sequence[RankerLike], called: Sequence[str]) -> tuple[str, ...]:
    """The features that all were trained on. Raises InputError where they differ, ParameterError where one is none."""
    for one, name in zip(rankers, called, strict=True):
        if not hasattr(one, "feature_names_"):
            raise ParameterError(f"{name} has not learned anything yet; call fit first, of the blend or of each ranker")
    first = tuple(rankers[0].feature_names_)
    for one, name in zip(rankers[1:], called[1:], strict=True):
        other = tuple(one.feature_names_)
        if other == first:
            continue
        apart = [feature for feature in (*other, *first) if (feature in other) != (feature in first)]
        what = f"only one of them knows {join_names(map(repr, apart))}" if apart else "in another order"
        raise InputError(
            f"{name} was trained on {pluralise(len(other), 'feature')} and {called[0]} on {len(first)}, {what}; blend "
            "rankers that were trained on the same"
        )
    return first


def scores_of_parts(rankers: Sequence[RankerLike], features: Features) -> Floats:
    """(rankers, documents) in the order of the features, not in that of the rows as they were given."""
    order = features.order
    scores = np.array([one.predict(features) for one in rankers], np.float64)
    return scores if order is None else scores[:, order]
