"""`Blend`: several rankers combined into one by normalising, weighting and adding their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.exact import exact_group_sums
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.learning.features import align_to_training, as_features, documents_to_score, validation_features
from rankscope.learning.losses import Loss, LossFunction, parse_loss
from rankscope.learning.ranker import Estimator, defaults_of
from rankscope.learning.scaling import fractional_rank
from rankscope.learning.settings import LossName
from rankscope.settings import NONNEGATIVE, Settings, choice, declare, number
from rankscope.stats.list_scales import scale_lists
from rankscope.typing import Floats, Ints

__all__ = [
    "COMBINATIONS",
    "NORMALISATIONS",
    "Blend",
    "BlendSettings",
    "Combination",
    "check_same_features",
    "learn_combination",
    "stacked_weights",
    "within_deviation",
]


#: "average": equal weights. "stacked": weights of at least 0 that minimise a loss on validation lists.
COMBINATIONS = ("average", "stacked")


#: "fixed": by mean and deviation of validation scores, so that a document's score is its own; the others within a list.
NORMALISATIONS = ("fixed", "z-score", "min-max", "rank")


@dataclass(frozen=True, kw_only=True)
class BlendSettings(Settings):
    """How the scores of several rankers are combined; see `Blend`."""

    FUNCTIONS = ("rankscope.learning:Blend",)

    how: str = choice(
        "average", COMBINATIONS, flag="", help="Weights of the rankers: equal, or learned on the validation lists."
    )
    normalise: str = choice(
        "z-score",
        NORMALISATIONS,
        flag="",
        help="Scale of scores before they are added: within each list, or fixed on the validation lists.",
    )
    loss: str | LossFunction = declare(LossName(), "listnet", "Loss that stacked weights minimise.", flag="")
    l2: float = number(
        1.0, rule=NONNEGATIVE, flag="", help="Strength of L2 regularisation that draws stacked weights together."
    )

    def check(self) -> None:
        if not self.parsed_loss.has_exact_gradient:
            raise ParameterError(
                f"the loss of a stacked blend is {self.parsed_loss}, whose gradient is not that of its value; take "
                "listnet or ranknet"
            )

    @cached_property
    def parsed_loss(self) -> Loss:
        """The loss that stacked weights minimise. Raises ParameterError and UnknownName."""
        return parse_loss(self.loss)


@dataclass(frozen=True, eq=False, kw_only=True)
class Combination:
    """How scores of several rankers are combined.

    Attributes
    ----------
    normalise
        One of `NORMALISATIONS`.
    centre, spread
        (rankers) what "fixed" subtracts, and divides by.
    weights
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
        for weight, row in zip(self.weights, rows, strict=True):  # a product of matrices may add in any order
            blend += weight * row
        return blend

    def normalised(self, scores: Floats, offsets: Ints) -> Floats:
        """(rankers, documents) scores on one scale."""
        if self.normalise == "fixed":
            return np.asarray((scores - self.centre[:, None]) / self.spread[:, None])
        if self.normalise == "rank":
            return np.array([fractional_rank(row, offsets) for row in scores])
        return np.array([scale_lists(row, offsets, self.normalise)[0] for row in scores])


def within_deviation(scores: Floats, offsets: Ints) -> float:
    """The standard deviation of scores from the mean of their list, which does not matter for the order.

    0 where it is no more than rounding.
    """
    differences = from_mean(scores, offsets)
    deviation = float(np.sqrt(np.mean(differences**2)))
    return deviation if deviation > 1e-12 * float(np.abs(scores).max()) else 0.0


def list_means(scores: Floats, offsets: Ints) -> Floats:
    """(lists) the mean of each list; the same whatever the order of its documents."""
    return exact_group_sums(scores, offsets) / np.diff(offsets)


def from_mean(scores: Floats, offsets: Ints) -> Floats:
    """Scores less the mean of their list; exactly 0 in a list of equal scores."""
    list_index = group_of(offsets)
    differences = scores - np.maximum.reduceat(scores, offsets[:-1])[list_index]
    return np.asarray(differences - list_means(differences, offsets)[list_index])


def learn_combination(
    scores: npt.ArrayLike,
    offsets: Ints,
    relevance: Ints | None = None,
    *,
    settings: BlendSettings,
    max_grade: float | None = None,
) -> Combination:
    """How the rankers that gave these scores, (rankers, documents), are blended; learned on lists held out.

    relevance: for how="stacked", see `stacked_weights`. A ranker whose scores are all alike adds nothing.
    Raises InputError for scores that are no finite numbers.
    """
    table = np.asarray(scores, np.float64)
    if not np.isfinite(table).all():
        index = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(f"part {index + 1} of the blend gives scores that are not finite; leave it out")
    spread = np.array([within_deviation(row, offsets) for row in table])
    average = Combination(
        normalise=settings.normalise,
        centre=table.mean(axis=1),
        spread=np.where(spread > 0, spread, 1.0),
        weights=np.full(len(table), 1 / len(table)),
    )
    if settings.how == "average":
        return average
    if relevance is None:
        raise ParameterError(
            "stacked weights are learned from the grades of validation lists; give them, or how='average'"
        )
    weights = stacked_weights(
        average.normalised(table, offsets),
        relevance,
        offsets,
        loss=settings.parsed_loss,
        l2=settings.l2,
        max_grade=max_grade,
    )
    return replace(average, weights=weights)


#: The most steps of the search, which is over a few weights and ends long before.
MAX_STEPS = 200


def stacked_weights(
    scores: Floats, relevance: Ints, offsets: Ints, *, loss: Loss, l2: float = 0.0, max_grade: float | None = None
) -> Floats:
    """Learn the weights of rankers that minimise a loss on validation lists.

    Parameters
    ----------
    scores
        (rankers, documents) scores on one scale.
    relevance
        (documents) the grades.
    offsets
        The start of each list, and the end of the last.
    loss
        The loss to minimise, averaged over lists.
    l2
        Strength of the penalty: l2 / 2 times the squared differences of the weights from their mean.
    max_grade
        The highest grade, for losses that need it.

    Returns
    -------
    numpy.ndarray
        (rankers) weights of at least 0 with sum 1. They are equal if the best weights are all 0, because every ranker
        orders documents wrongly.

    Raises
    ------
    InputError
        In each list, all documents have the same grade.
    """
    from scipy.optimize import minimize

    starts, lengths = offsets[:-1], np.diff(offsets)
    is_informative = np.maximum.reduceat(relevance, starts) > np.minimum.reduceat(relevance, starts)
    if not is_informative.any():
        raise InputError(
            "the documents of each validation list have one grade each, so no weights can be learned from them; "
            "expected two grades in some list, or how='average'"
        )
    rows = ranges(starts[is_informative], lengths[is_informative])
    table, grades, list_offsets = (
        np.ascontiguousarray(scores[:, rows].T),
        relevance[rows],
        bounds(lengths[is_informative]),
    )
    n = len(scores)

    def objective(weights: Floats) -> tuple[float, Floats]:
        loss_rng = np.random.default_rng(0)
        value, slope = loss(table @ weights, grades, list_offsets, rng=loss_rng, max_grade=max_grade)
        differences = weights - weights.mean()
        return float(value) + l2 / 2 * float(differences @ differences), np.asarray(slope @ table + l2 * differences)

    solution = minimize(
        objective,
        np.full(n, 1 / n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * n,
        options={"maxiter": MAX_STEPS},
    ).x
    total = float(solution.sum())
    return np.asarray(solution / total if total > 0 else np.full(n, 1 / n))


#: A ranker of any kind: with `fit`, `predict`, `get_params` and `feature_names_`.
RankerLike = Any
#: The fewest rankers of a blend.
MIN_RANKERS = 2


class Blend(Estimator):
    """Learns to score documents by several rankers at once, whose errors in part cancel out.

    An estimator as in scikit-learn: parameters are stored as given, and checked by `fit` and `combine`.

    Parameters
    ----------
    rankers
        Two or more rankers of any kind (blends too), losses and seeds: a sequence, or a mapping from names.
    how
        Weights of the rankers: equal, or learned on the validation lists. One of 'average', 'stacked'. Default:
        'average'.
    normalise
        Scale of scores before they are added: within each list, or fixed on the validation lists. One of 'fixed',
        'z-score', 'min-max', 'rank'. Default: 'z-score'.
    loss
        Loss that stacked weights minimise. Default: 'listnet'.
    l2
        Strength of L2 regularisation that draws stacked weights together. Default: 1.0.

    Attributes
    ----------
    rankers_
        The trained copies of the rankers; those given stay as they are.
    combination_
        The weights and scales.
    n_features_in_, feature_names_, feature_names_in_, parameters_
        As in `Ranker`.

    Raises
    ------
    UnknownName, ParameterError
        From `fit` and `combine`: a parameter is wrong.

    Notes
    -----
    "average" adds the rankers' scores with equal weights. "stacked" adds them with weights of at least 0 that minimise,
    on validation lists, the loss plus l2 / 2 times the squares of the weights' differences from their mean.

    "z-score" and "min-max" put scores on one scale within each list, and "rank" takes the share of the list's other
    documents that rank below; `predict` then needs the queries. "fixed" uses the scores' mean and their deviation
    within lists, both from validation lists, so that a document's score does not depend on the others of its list.

    **Stacking uses the validation lists twice**: to stop the training of each ranker, and for weights. Whatever is
    measured on them after that is too good.

    Examples
    --------
    >>> from rankscope.learning.ranker import Ranker
    >>> X = [[0.9, 0.2], [0.1, 0.4], [0.5, 0.3], [0.8, 0.9], [0.3, 0.1]]
    >>> blend = Blend([Ranker("listnet", hidden=()), Ranker("ranknet", hidden=())])
    >>> scores = blend.fit(X, [2, 0, 1, 1, 0], qid=[1, 1, 1, 2, 2]).predict(X, qid=[1, 1, 1, 2, 2])
    >>> int(scores.argmax()), blend.combination_.weights.tolist()
    (0, [0.5, 0.5])
    """

    #: Chooses the module that saves a trained blend.
    kind = "blend"

    def __init__(
        self,
        rankers: Sequence[RankerLike] | Mapping[str, RankerLike],
        *,
        how: str = "average",
        normalise: str = "z-score",
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
        rel: float = 1,
        max_grade: float | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Blend:
        """Train a copy of each ranker on the same documents, then learn how to combine their scores.

        Parameters
        ----------
        X, y, qid, group, eval_set, eval_qid, eval_group, rel, max_grade
            As in `Ranker.fit`; every ranker gets them. Without validation lists, the training lists give the scales,
            and weights cannot be stacked.
        progress
            Called as each ranker calls it.

        Returns
        -------
        Blend
            The blend itself.

        Raises
        ------
        InputError, UnknownName, ParameterError
            As `Ranker.fit`, and for how="stacked" without validation lists.
        """
        settings = self.check()
        features = as_features(X, y, qid, group, "training data")
        valid_features = validation_features(eval_set, eval_qid, eval_group)
        if valid_features is not None:
            valid_features = align_to_training(valid_features, features.names, "the training data have")
        elif settings.how == "stacked":
            raise ParameterError("stacked weights are learned on validation lists; give eval_set, or how='average'")
        rankers = [type(ranker)(**ranker.get_params()) for ranker in list_rankers(self.rankers)]
        for ranker in rankers:
            ranker.fit(features, eval_set=valid_features, rel=rel, max_grade=max_grade, progress=progress)
        self.learn(rankers, features if valid_features is None else valid_features, settings, max_grade)
        return self

    def combine(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        y: npt.ArrayLike | None = None,
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        group: npt.ArrayLike | None = None,
        max_grade: float | None = None,
    ) -> Blend:
        """Combine rankers that are trained already, perhaps loaded from files: learn only scales and weights.

        Parameters
        ----------
        X, y, qid, group
            Lists that the rankers were not trained on, as in `fit`.
        max_grade
            The highest grade. Default: that of the lists.

        Returns
        -------
        Blend
            The blend itself.

        Raises
        ------
        ParameterError
            A ranker is not fitted, or a parameter is wrong.
        InputError
            The rankers were trained on different features, or the data have others.
        """
        settings = self.check()
        rankers = list_rankers(self.rankers)
        names = check_same_features(rankers, name_rankers(self.rankers))
        features = as_features(X, y, qid, group, "validation data")
        self.learn(rankers, align_to_training(features, names, "the rankers were trained on"), settings, max_grade)
        return self

    def learn(
        self, rankers: Sequence[RankerLike], features: Features, settings: BlendSettings, max_grade: float | None
    ) -> None:
        """Learn scales and weights of trained rankers; all attributes are set at once, or none.

        Parameters
        ----------
        rankers
            The trained rankers.
        features
            The lists to learn from, with the features that the rankers were trained on.
        settings
            The settings of the blend.
        max_grade
            The highest grade. Default: that of the lists.
        """
        combination = learn_combination(
            score_by_rankers(rankers, features),
            features.offsets,
            features.relevance,
            settings=settings,
            max_grade=max_grade,
        )
        self.rankers_, self.combination_ = list(rankers), combination
        self.feature_names_ = tuple(rankers[0].feature_names_)
        self.n_features_in_ = len(self.feature_names_)
        self.parameters_ = {**self.get_params(), "rankers": name_rankers(self.rankers)}

    def predict(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        group: npt.ArrayLike | None = None,
    ) -> Floats:
        """Score documents.

        Parameters
        ----------
        X
            The features, as in `Ranker.predict`.
        qid, group
            The queries, as in `fit`; needed if scores are put on one scale within lists, and by rankers that look at
            whole lists.

        Returns
        -------
        numpy.ndarray
            A score for each document (higher is better), in the order of the rows.

        Raises
        ------
        ParameterError
            The blend is not fitted, or queries are missing.
        InputError
            As `Ranker.predict`.
        """
        if not self.__sklearn_is_fitted__():
            raise ParameterError("this Blend is not fitted; call fit first")
        features = documents_to_score(X, qid, group, needs_lists=self.lists)
        features = align_to_training(features, self.feature_names_, "the model was trained on")
        scores = self.combination_(score_by_rankers(self.rankers_, features), features.offsets)
        return np.asarray(features.in_input_order(scores))

    def differences_from_training(self, X: npt.ArrayLike | Features) -> tuple[str, ...]:  # noqa: N803 - as in fit
        """Notes on features that are far outside of their range in training, or that vary only here.

        Parameters
        ----------
        X
            The features, as in `predict`.

        Returns
        -------
        tuple of str
            The notes of all rankers, each once.

        Raises
        ------
        InputError
            As `Ranker.differences_from_training`.
        """
        notes = [
            note
            for ranker in self.rankers_
            if hasattr(ranker, "differences_from_training")
            for note in ranker.differences_from_training(X)
        ]
        return tuple(dict.fromkeys(notes))

    @property
    def lists(self) -> bool:
        """Whether scores depend on the other documents of a list; once fitted, as it was fitted."""
        is_fitted = self.__sklearn_is_fitted__()
        normalise = self.combination_.normalise if is_fitted else self.normalise
        rankers = self.rankers_ if is_fitted else list_rankers(self.rankers)
        return normalise != "fixed" or any(getattr(ranker, "lists", False) for ranker in rankers)

    @property
    def steps(self) -> int:
        """How often `fit` calls `progress` at most."""
        return sum(ranker.steps for ranker in list_rankers(self.rankers))

    def settings(self) -> BlendSettings:
        """The parameters beside the rankers, checked. Raises for wrong ones."""
        return BlendSettings(how=self.how, normalise=self.normalise, loss=self.loss, l2=self.l2)

    def check(self) -> BlendSettings:
        """The settings. Raises for wrong parameters, also those of the rankers."""
        rankers = list_rankers(self.rankers)
        if len(rankers) < MIN_RANKERS:
            raise ParameterError(f"a Blend of {pluralise(len(rankers), 'ranker')}, expected at least {MIN_RANKERS}")
        names = name_rankers(self.rankers)
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ParameterError(f"two rankers of a Blend are called {repeated[0]!r}, expected different names")
        for ranker in rankers:
            if not (hasattr(ranker, "fit") and hasattr(ranker, "predict") and hasattr(ranker, "get_params")):
                raise ParameterError(f"{ranker!r} is a {type(ranker).__name__}, expected a ranker")
            if hasattr(ranker, "check"):
                ranker.check()
        return self.settings()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "combination_")

    def __repr__(self) -> str:
        return f"Blend([{', '.join(name_rankers(self.rankers))}], how={self.how!r}, normalise={self.normalise!r})"


Blend.defaults = defaults_of(Blend)


def list_rankers(rankers: Sequence[RankerLike] | Mapping[str, RankerLike]) -> list[RankerLike]:
    """The rankers as a list. Raises ParameterError for what is no sequence and no mapping."""
    if isinstance(rankers, Mapping):
        return list(rankers.values())
    if isinstance(rankers, (str, bytes)) or not isinstance(rankers, Sequence):
        raise ParameterError(f"the rankers of a Blend are {rankers!r}, expected a list of them")
    return list(rankers)


def name_rankers(rankers: Sequence[RankerLike] | Mapping[str, RankerLike]) -> list[str]:
    """A name for each ranker: the given names, else the losses, with a number where one is repeated."""
    if isinstance(rankers, Mapping):
        return list(map(str, rankers))
    names: list[str] = []
    for ranker in list_rankers(rankers):
        loss = getattr(ranker, "loss", type(ranker).__name__)
        base_name = type(ranker).__name__ if isinstance(ranker, Blend) else str(getattr(loss, "__name__", loss))
        n, name = 1, base_name
        while name in names:
            n, name = n + 1, f"{base_name} #{n + 1}"
        names.append(name)
    return names


def check_same_features(rankers: Sequence[RankerLike], names: Sequence[str]) -> tuple[str, ...]:
    """The features that all were trained on. Raises InputError where they differ, ParameterError before fit."""
    for ranker, name in zip(rankers, names, strict=True):
        if not hasattr(ranker, "feature_names_"):
            raise ParameterError(f"{name} is not fitted; call fit first, of the blend or of each ranker")
    first_features = tuple(rankers[0].feature_names_)
    for ranker, name in zip(rankers[1:], names[1:], strict=True):
        ranker_features = tuple(ranker.feature_names_)
        if ranker_features == first_features:
            continue
        differing = [
            feature
            for feature in (*ranker_features, *first_features)
            if (feature in ranker_features) != (feature in first_features)
        ]
        difference = f"only one of them knows {join_names(map(repr, differing))}" if differing else "in another order"
        raise InputError(
            f"{name} was trained on {pluralise(len(ranker_features), 'feature')} and {names[0]} on "
            f"{len(first_features)}, {difference}; blend rankers that were trained on the same"
        )
    return first_features


def score_by_rankers(rankers: Sequence[RankerLike], features: Features) -> Floats:
    """(rankers, documents) scores in the order of `features`, not in that of the input rows."""
    order = features.order
    scores = np.array([ranker.predict(features) for ranker in rankers], np.float64)
    return scores if order is None else scores[:, order]
