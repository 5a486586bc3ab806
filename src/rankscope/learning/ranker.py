"""`Ranker`, an estimator as in scikit-learn: fit, predict, get_params."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.judged_lists import check_measure
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import (
    align_to_training,
    as_features,
    default_names,
    documents_to_score,
    validation_features,
)
from rankscope.learning.lambdamart import BoostedTrees, LambdaMART, boost, parse_objective
from rankscope.learning.linear import train_linear
from rankscope.learning.losses import Loss, LossFunction, as_measure
from rankscope.learning.network import MinibatchTraining, TrainedNetwork
from rankscope.learning.scaling import learn_scaling, with_list_ranks
from rankscope.measures.base import Measure
from rankscope.parallel.threads import one_thread
from rankscope.stats.inputs import as_generator, check_count, check_positive, is_real
from rankscope.typing import Floats

__all__ = [
    "Estimator",
    "Ranker",
    "defaults_of",
]


class Estimator(ABC):
    """A class whose parameters are attributes of the same names, listed in `defaults`."""

    #: The default of each parameter, in the order of `__init__`.
    defaults: ClassVar[Mapping[str, Any]]

    feature_names_: tuple[str, ...]
    n_features_in_: int

    @property
    def feature_names_in_(self) -> npt.NDArray[np.object_]:
        """(features) the names of the columns; there is no such attribute where nobody named them."""
        if not self.__sklearn_is_fitted__() or self.feature_names_ == default_names(self.n_features_in_):
            raise AttributeError("the features have no names")
        return np.array(self.feature_names_, object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn asks for them; deep has no meaning here."""
        return {name: getattr(self, name) for name in self.defaults}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name. Raises ParameterError for one that there is not."""
        for name, value in parameters.items():
            if name not in self.defaults:
                raise ParameterError(
                    f"a {type(self).__name__} has no parameter {name!r}, expected one of {', '.join(self.defaults)}"
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """The tags that scikit-learn's pipelines need of their last step."""
        from sklearn.utils import Tags, TargetTags  # only scikit-learn asks for it

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...


def defaults_of(estimator: type[Estimator]) -> dict[str, Any]:
    """The default of each parameter of a class."""
    return {name: parameter.default for name, parameter in inspect.signature(estimator).parameters.items()}


class Ranker(Estimator):
    """Learns to score documents so that those of high grades come first in the list of each query.

    loss: a name of `rankscope.learning.LOSSES`, with parameters in parentheses as in "lambdaloss(kind='2')", or a
    function of scores, relevance and offsets to a value and its gradient. hidden: the sizes of hidden layers; () is a
    linear scorer, trained by L-BFGS on all lists at once (by Adam for LambdaRank and LambdaLoss, whose gradient is not
    that of their value), anything else a multi-layer perceptron, trained by Adam on batches of whole lists. epochs: at
    most so many passes over the lists (iterations of L-BFGS). patience, stop_on: with validation lists, training ends
    where the mean of the measure `stop_on` on them has not risen for `patience` epochs, and the best epoch is kept.
    dropout: the share of hidden units left out at a time. weight_decay: how strongly weights are drawn to 0 (with a
    linear scorer times half their squares, part of the loss). transform: what is done to features, learned on training
    data: "standard" (mean 0, deviation 1), "log" (sign(x) log(1 + |x|) first), "auto" (the latter where it makes a
    feature less skewed), "none". models: how many networks (or times all trees), trained from different seeds, whose
    scores are averaged.
    rng: the seed; the same one gives the same model.

    ranks=True in the parentheses of any loss, as in "listnet(ranks=True)", lets the ranker see, beside each feature,
    its rank within the list, as `with_list_ranks` has it; then `predict` asks for the queries.

    loss="lambdamart" grows trees by LightGBM instead, and what they are like is said in its parentheses, as in
    "lambdamart(trees=500, objective='listnet')": see `rankscope.learning.LambdaMART`. Of the parameters here it has
    stop_on, models and rng.

    After `fit`: `models_` (each `TrainedNetwork`, or `BoostedTrees`: weights or trees, losses and validation values by
    epoch, the best epoch), `scaling_` (None of trees), `ranks_` (whether it sees ranks), `n_features_in_`,
    `feature_names_` ("1", "2", ... where nobody named them), `feature_names_in_` (the same names, as scikit-learn calls
    them; only where there were names), `parameters_` (those that it was trained with).

    Raises UnknownName and ParameterError from `fit` for parameters that are none.

    >>> X = [[0.9, 0.2], [0.1, 0.4], [0.5, 0.3], [0.8, 0.9], [0.3, 0.1]]
    >>> ranker = Ranker(loss="listnet", hidden=()).fit(X, [2, 0, 1, 1, 0], qid=[1, 1, 1, 2, 2])
    >>> ranker.predict(X).argmax()
    np.int64(0)
    """

    def __init__(
        self,
        loss: str | LossFunction | LambdaMART = "listnet",
        *,
        hidden: Sequence[int] = (64,),
        epochs: int = 100,
        patience: int = 15,
        stop_on: str | Measure = "nDCG(gain='exp')@10",
        learning_rate: float = 0.002,
        batch_lists: int = 8,
        dropout: float = 0.3,
        weight_decay: float = 0.0,
        transform: str = "auto",
        models: int = 1,
        rng: int | None = 0,
    ) -> None:
        self.loss = loss
        self.hidden = hidden
        self.epochs = epochs
        self.patience = patience
        self.stop_on = stop_on
        self.learning_rate = learning_rate
        self.batch_lists = batch_lists
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.transform = transform
        self.models = models
        self.rng = rng

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
    ) -> Ranker:
        """Learn from documents, (documents, features), with their grades, (documents).

        qid: (documents) the query of each, in any order; or group: the sizes of the groups one after the other, as in
        LightGBM. X may be `Features`, which say both, or a table with named columns, as a data frame, whose names are
        kept. eval_set: validation lists, as (X, y) with eval_qid or eval_group, as (X, y, qid), in a list of one, or as
        Features; columns are found by name where both have names. rel, max_grade: of `stop_on`: the least grade that
        counts as relevant, and the highest there is, default that of all data given. There, documents of one score
        are put in an order by lot. progress: called with 1 after each epoch.
        Raises InputError for what does not fit, and where there is nothing to learn from.
        """
        loss, measure = self.check()
        features = as_features(X, y, qid, group, "training data")
        valid_features = validation_features(eval_set, eval_qid, eval_group)
        if valid_features is not None:
            valid_features = align_to_training(valid_features, features.names, "the training data have")
            max_grades = [int(data.relevance.max()) for data in (features, valid_features)]
            max_grade = max(max_grades) if max_grade is None else max_grade
        original_features, ranks = features, loss.ranks
        if ranks:
            features, valid_features = (
                with_list_ranks(features),
                None if valid_features is None else with_list_ranks(valid_features),
            )
        scaling = None if isinstance(loss, LambdaMART) else learn_scaling(features.values, self.transform)
        values = None if scaling is None else scaling(features.values)
        valid_values = None if valid_features is None or scaling is None else scaling(valid_features.values)
        models: list[TrainedNetwork | BoostedTrees] = []
        with one_thread():  # matrices are small, and rounding depends on the number of threads
            for generator in np.random.default_rng(self.rng).spawn(self.models):
                stopping = None
                if valid_features is not None:
                    patience = loss.patience if isinstance(loss, LambdaMART) else self.patience
                    stopping = EarlyStopping(valid_features, measure, patience, max_grade=max_grade, rel=rel)
                if isinstance(loss, LambdaMART):
                    models.append(boost(features, loss, stopping, valid_features, generator, progress))
                elif values is not None:
                    models.append(self.train(loss, values, features, stopping, valid_values, generator, progress))
        # All at once, so that a failed training leaves the model before intact.
        self.scaling_, self.models_, self.ranks_ = scaling, models, ranks
        self.feature_names_, self.n_features_in_ = original_features.names, original_features.values.shape[1]
        self.parameters_ = {**self.get_params(), "hidden": tuple(self.hidden)}
        return self

    def train(
        self,
        loss: Loss,
        values: npt.NDArray[np.float32],
        features: Features,
        stopping: EarlyStopping | None,
        valid_values: npt.NDArray[np.float32] | None,
        rng: np.random.Generator,
        progress: Callable[[int], Any] | None,
    ) -> TrainedNetwork:
        """A network, or a linear scorer."""
        if not self.hidden and loss.has_exact_gradient:
            return train_linear(
                values,
                features,
                loss,
                l2=self.weight_decay,
                iterations=self.epochs,
                stopping=stopping,
                valid_values=valid_values,
                rng=rng,
                progress=progress,
            )
        training = MinibatchTraining(
            loss=loss,
            hidden=tuple(self.hidden),
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_lists=self.batch_lists,
            dropout=self.dropout,
            weight_decay=self.weight_decay,
        )
        return training.train(values, features, stopping, valid_values, rng, progress)

    def predict(
        self,
        X: npt.ArrayLike | Features,  # noqa: N803 - as everybody calls it
        qid: Sequence[Any] | npt.NDArray[Any] | None = None,
        group: npt.ArrayLike | None = None,
    ) -> Floats:
        """(documents) scores, higher is better, in the order of the rows.

        Columns are found by name where they have names and those of `fit` had, else by place; others beside them are
        left out. qid, group: as in `fit`. They are needed by a Ranker that sees ranks within lists; any other scores
        documents one by one, so that they are checked and change nothing. Raises ParameterError before `fit` and where
        they are missing, and InputError for another number of features, for names that are missing and for scores that
        are no finite numbers.
        """
        if not hasattr(self, "models_"):
            raise ParameterError("this Ranker has not learned anything yet; call fit first")
        features = documents_to_score(X, qid, group, needs_lists=self.lists)
        features = align_to_training(features, self.feature_names_, "the model was trained on")
        if self.lists:
            features = with_list_ranks(features)
        values = features.values if self.scaling_ is None else self.scaling_(features.values)
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):  # raised below
            scores = np.asarray(sum(model.scores(values) for model in self.models_)) / len(self.models_)
        if not np.isfinite(scores).all():
            raise InputError(
                f"{features.name}: {int((~np.isfinite(scores)).sum())} of {len(features)} documents get a score "
                "that is no finite number; what the model learned is too large, so train it anew, with a smaller rate"
            )
        return np.asarray(features.in_input_order(scores))

    def check(self) -> tuple[Loss | LambdaMART, Measure]:
        """The loss and the measure. Raises for invalid parameters, and where a library for training is missing."""
        loss, measure = self.settings()
        if isinstance(loss, LambdaMART):
            loss.check_installed()
        return loss, measure

    def settings(self) -> tuple[Loss | LambdaMART, Measure]:
        """The loss and the measure. Raises for invalid parameters, and those that trees do not have."""
        counts = {"epochs": self.epochs, "patience": self.patience, "batch_lists": self.batch_lists}
        for name, count in {**counts, "models": self.models}.items():
            check_count(name, count)
        sizes = self.hidden if isinstance(self.hidden, (tuple, list)) else (None,)
        if not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
            raise ParameterError(f"hidden is {self.hidden!r}, expected sizes of layers, as (64,), or () for none")
        check_positive("learning_rate", self.learning_rate)
        if not is_real(self.dropout) or not 0 <= self.dropout < 1:
            raise ParameterError(f"dropout is {self.dropout!r}, expected a share from 0 to below 1")
        check_positive("weight_decay", self.weight_decay, zero=True)
        as_generator(self.rng)  # raises for an invalid seed
        loss, measure = parse_objective(self.loss), as_measure("stop_on", self.stop_on)
        check_measure(measure, "stop_on: ")
        if isinstance(loss, LambdaMART):
            self.refuse_parameters_of_networks()
        return loss, measure

    def refuse_parameters_of_networks(self) -> None:
        """Raise ParameterError where a parameter of networks was set, which trees would ignore."""
        for name in NETWORK_PARAMETERS:
            value = getattr(self, name)
            if differ(tuple(value) if isinstance(value, list) else value, DEFAULTS[name]):
                raise ParameterError(
                    f"{name} is {value!r}, and lambdamart has no networks to train so; leave it out, and say what "
                    "trees are like in the loss, as in lambdamart(trees=500, leaves=15)"
                )

    @property
    def kind(self) -> str:
        """What was trained, "network" or "trees", which chooses the module that saves it."""
        return "trees" if hasattr(self, "models_") and isinstance(self.models_[0], BoostedTrees) else "network"

    @property
    def lists(self) -> bool:
        """Whether a document's score depends on the others of its list."""
        if hasattr(self, "models_"):
            return getattr(self, "ranks_", False)
        return parse_objective(self.loss).ranks

    @property
    def rounds(self) -> int:
        """The most epochs, or trees, of a model."""
        loss = parse_objective(self.loss)
        return loss.trees if isinstance(loss, LambdaMART) else self.epochs

    @property
    def steps(self) -> int:
        """How often `fit` calls `progress` at most."""
        return self.rounds * self.models

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "models_")

    def __repr__(self) -> str:
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if differ(value, self.defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def differ(value: Any, default: Any) -> bool:
    """Whether a value is not the default; arrays, whose comparison has no single answer, are not."""
    return isinstance(value, np.ndarray) or bool(value != default)


Ranker.defaults = DEFAULTS = defaults_of(Ranker)
#: In the order of `__init__`.
PARAMETERS = tuple(DEFAULTS)
#: The parameters that trees do not have; theirs are in the parentheses of the loss.
NETWORK_PARAMETERS = tuple(name for name in PARAMETERS if name not in ("loss", "stop_on", "models", "rng"))
