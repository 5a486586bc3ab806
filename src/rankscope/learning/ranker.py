"""`Ranker`, an estimator as in scikit-learn: fit, predict, get_params."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.errors import InputError, ParameterError
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import (
    align_to_training,
    as_features,
    default_names,
    documents_to_score,
    validation_features,
)
from rankscope.learning.lambdamart import BoostedTrees, LambdaMART, boost, parse_objective
from rankscope.learning.losses import Loss, LossFunction
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.scaling import differences_from_training, learn_scaling, with_list_ranks
from rankscope.learning.settings import NETWORK_PARAMETERS, RankerSettings, as_sizes
from rankscope.learning.trainer import TrainingData, train_linear, train_network
from rankscope.measures.base import Measure
from rankscope.parallel.threads import one_thread
from rankscope.stats.inputs import as_generator
from rankscope.typing import Floats, Ints, Reals

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

    An estimator as in scikit-learn: parameters are stored as given, and checked by `fit`.

    Parameters
    ----------
    loss
        A name of `rankscope.learning.LOSSES`, with parameters in parentheses as in "lambdaloss(kind='2')"; a function
        of scores, relevance and offsets that returns a value and its gradient; or "lambdamart", which grows trees by
        LightGBM (see `rankscope.learning.LambdaMART`). Default: 'listnet'.
    hidden
        Sizes of the hidden layers of a network; () means a linear scorer. Default: (64,).
    epochs
        Maximum number of passes over the training lists. Default: 100.
    patience
        Stop after this number of epochs without improvement on the validation lists. Default: 15.
    stop_on
        Measure that chooses the best epoch on the validation lists. Default: "nDCG(gain='exp')@10".
    learning_rate
        Learning rate of Adam; linear scorers use it only with lambdarank and lambdaloss. Default: 0.002.
    batch_lists
        Number of lists in each step of Adam; linear scorers use it only with lambdarank and lambdaloss. Default: 8.
    dropout
        Dropout: the share of hidden units that are dropped at random in each step. Default: 0.3.
    weight_decay
        Strength of weight decay; for linear scorers, of L2 regularisation. Default: 0.0.
    transform
        Transformation of the features, learned on the training lists. One of 'standard', 'log', 'auto', 'none'.
        Default: 'auto'.
    models
        Number of networks or tree ensembles that make up one ranker, trained from different seeds; their scores are
        averaged. Default: 1.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Attributes
    ----------
    models_
        A `TrainedNetwork` or `BoostedTrees` for each model: weights or trees, losses and validation values by epoch,
        the best epoch.
    scaling_
        The scaling of the features; None for trees.
    ranks_
        Whether the ranker sees ranks within lists.
    n_features_in_
        The number of features.
    feature_names_
        The names of the features; "1", "2", ... if they have none.
    feature_names_in_
        The same names as an array, only if the features have names (scikit-learn's convention).
    parameters_
        The parameters of the training.

    Raises
    ------
    UnknownName
        From `fit`: a loss, one of its parameters or a measure does not exist.
    ParameterError
        From `fit`: a parameter is out of range, or is one that trees do not have.

    Notes
    -----
    With hidden=() the ranker is a linear scorer, trained by L-BFGS on all lists at once (by Adam for lambdarank and
    lambdaloss, whose gradient is not that of their value). Otherwise it is a multi-layer perceptron, trained by Adam on
    batches of whole lists. With validation lists, training ends when the mean of `stop_on` on them has not improved for
    `patience` epochs, and the best epoch is kept. The transform "standard" gives features mean 0 and deviation 1, "log"
    takes sign(x) log(1 + |x|) first, "auto" does so where it makes a feature less skewed, and "none" changes nothing.
    Values more than 5 deviations from the mean count as 5, so that no feature can decide all scores of other data; not
    with "none". Features that have another value than usual in at most 10 training documents (of less than 1,000
    documents, in 1 of 100) are not used, since nothing can be learned of them.

    ranks=True in the parentheses of any loss, as in "listnet(ranks=True)", gives the ranker, beside each feature, its
    rank within the list, as `with_list_ranks` computes it; `predict` then needs the queries.

    "lambdamart" takes its parameters in the parentheses, as in "lambdamart(trees=500, objective='listnet')". Of the
    parameters here it has stop_on, models and rng.

    Examples
    --------
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
        rel: float = 1,
        max_grade: float | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Ranker:
        """Learn from documents with features and grades.

        Parameters
        ----------
        X
            The features, (documents, features): an array, a data frame, whose column names are kept, or `Features`,
            which hold grades and queries as well.
        y
            The grade of each document.
        qid
            The query of each document, in any order.
        group
            Instead of qid: the sizes of the groups, one after the other, as in LightGBM.
        eval_set
            Validation lists: (X, y) with eval_qid or eval_group, (X, y, qid), `Features`, or a list of one of these.
            Columns are matched by name if both tables have names.
        eval_qid, eval_group
            The queries of the validation lists, as qid and group.
        rel
            The lowest grade that counts as relevant, for `stop_on`.
        max_grade
            The highest grade, for `stop_on`. Default: the highest grade of the data.
        progress
            Called with 1 after each epoch.

        Returns
        -------
        Ranker
            The ranker itself.

        Raises
        ------
        InputError
            The data do not fit, or there is nothing to learn from.
        UnknownName, ParameterError
            A parameter of the ranker is wrong.

        Notes
        -----
        `stop_on` breaks ties between documents at random.
        """
        loss, settings = self.check()
        features = as_features(X, y, qid, group, "training data")
        valid_features = validation_features(eval_set, eval_qid, eval_group)
        if valid_features is not None:
            valid_features = align_to_training(valid_features, features.names, "the training data have")
            max_grades = [highest_grade(data.relevance) for data in (features, valid_features)]
            max_grade = max(max_grades) if max_grade is None else max_grade
        original_features, ranks = features, loss.ranks
        if ranks:
            features = with_list_ranks(features)
            valid_features = None if valid_features is None else with_list_ranks(valid_features)
        is_trees = isinstance(loss, LambdaMART)
        scaling = None if is_trees else learn_scaling(features.values, settings.transform, ranks=ranks)
        values = None if scaling is None else scaling(features.values)
        valid_values = None if valid_features is None or scaling is None else scaling(valid_features.values)
        models: list[TrainedNetwork | BoostedTrees] = []
        with one_thread():  # matrices are small, and rounding depends on the number of threads
            for generator in np.random.default_rng(self.rng).spawn(settings.models):
                stopping = None
                if valid_features is not None:
                    patience = loss.patience if isinstance(loss, LambdaMART) else settings.patience
                    stopping = EarlyStopping(valid_features, settings.measure, patience, max_grade=max_grade, rel=rel)
                data = TrainingData(
                    features=features,
                    valid=valid_features,
                    values=values,
                    valid_values=valid_values,
                    stopping=stopping,
                    rng=generator,
                    progress=progress,
                )
                models.append(self.train_model(data, loss, settings))
        # All at once, so that a failed training leaves the model before intact.
        self.scaling_, self.models_, self.ranks_ = scaling, models, ranks
        self.feature_names_, self.n_features_in_ = original_features.names, original_features.values.shape[1]
        self.parameters_ = {**self.get_params(), "hidden": settings.hidden}
        return self

    def train_model(
        self, data: TrainingData, loss: Loss | LambdaMART, settings: RankerSettings
    ) -> TrainedNetwork | BoostedTrees:
        """Train one model: trees, a network, or a linear scorer if there are no hidden layers.

        Parameters
        ----------
        data
            The lists, and what goes with the training of one model.
        loss
            The loss to minimise.
        settings
            The settings of the ranker.
        """
        if isinstance(loss, LambdaMART):
            return boost(data, loss)
        if not settings.hidden and loss.has_exact_gradient:
            return train_linear(data, loss, settings)
        return train_network(data, loss, settings)

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
            The features, as in `fit`. Columns are matched by name if both tables have names, else by position; other
            columns are skipped.
        qid, group
            The queries, as in `fit`. Only a ranker whose scores depend on the list needs them: one with ranks within
            lists, or with attention.

        Returns
        -------
        numpy.ndarray
            A score for each document (higher is better), in the order of the rows.

        Raises
        ------
        ParameterError
            The ranker is not fitted, queries are missing, or there is not enough memory.
        InputError
            The features are not those of `fit`, or a score is not finite.
        """
        if not hasattr(self, "models_"):
            raise ParameterError(f"this {type(self).__name__} is not fitted; call fit first")
        features = documents_to_score(X, qid, group, needs_lists=self.lists)
        features = align_to_training(features, self.feature_names_, "the model was trained on")
        if self.ranks_:
            features = with_list_ranks(features)
        values = features.values if self.scaling_ is None else self.scaling_(features.values)
        scores = self.score_values(values, features.offsets)
        if not np.isfinite(scores).all():
            raise InputError(
                f"{features.name}: {int((~np.isfinite(scores)).sum())} of {len(features)} documents get a score "
                "that is not finite; the model's weights are too large: train it again with a smaller learning rate"
            )
        return np.asarray(features.in_input_order(scores))

    def score_values(self, values: Reals, offsets: Ints) -> Floats:
        """(documents) the mean of the models' scores.

        Parameters
        ----------
        values
            The features as models see them: scaled, and with ranks; as they are for trees.
        offsets
            Where each list begins.
        """
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):  # the caller raises
            return np.asarray(sum(model.scores(values) for model in self.models_)) / len(self.models_)

    def differences_from_training(self, X: npt.ArrayLike | Features) -> tuple[str, ...]:  # noqa: N803 - as in fit
        """Notes on features that are far outside of their range in training, or that vary only here.

        Parameters
        ----------
        X
            The features, as in `predict`.

        Returns
        -------
        tuple of str
            The notes; none for trees, which treat a value as they treat the closest one in training.

        Raises
        ------
        InputError
            The features are not those of `fit`.

        Notes
        -----
        Far outside means beyond the range of training by more than its width (after logarithms where the ranker takes
        them). Such values count as 5 deviations from the mean.
        """
        if self.scaling_ is None:
            return ()
        features = align_to_training(documents_to_score(X), self.feature_names_, "the model was trained on")
        return differences_from_training(self.scaling_, features)

    def check(self) -> tuple[Loss | LambdaMART, RankerSettings]:
        """The loss and the settings. Raises for wrong parameters, and where a library for training is missing."""
        settings, loss = self.settings(), parse_objective(self.loss)
        self.check_libraries(loss)
        return loss, settings

    def check_libraries(self, loss: Loss | LambdaMART) -> None:
        """Raise ParameterError where what training needs is missing.

        Parameters
        ----------
        loss
            The loss to minimise.
        """
        if isinstance(loss, LambdaMART):
            loss.check_installed()

    def settings(self) -> RankerSettings:
        """The parameters, checked with the loss. Raises for wrong ones, and for those that trees do not have."""
        as_generator(self.rng)  # raises for what is no seed; a generator is used as it is
        seed = int(self.rng) if isinstance(self.rng, (int, np.integer)) else RankerSettings.seed
        values = {name: getattr(self, setting.argument) for name, setting in RankerSettings.declared().items()}
        settings = RankerSettings(**{**values, "hidden": as_sizes(self.hidden), "seed": seed})
        self.check_parameters(parse_objective(self.loss), settings)
        return settings

    def check_parameters(self, loss: Loss | LambdaMART, settings: RankerSettings) -> None:
        """Raise ParameterError for parameters that do not go together.

        Parameters
        ----------
        loss
            The loss to minimise.
        settings
            The settings, each of which is right by itself.
        """
        if isinstance(loss, LambdaMART):
            settings.refuse(
                *NETWORK_PARAMETERS,
                since="lambdamart has no such parameter (parameters of trees are set in the loss, as in "
                "lambdamart(trees=500, leaves=15))",
            )

    @property
    def kind(self) -> str:
        """What was trained, "network" or "trees", which chooses the module that saves it."""
        return "trees" if hasattr(self, "models_") and isinstance(self.models_[0], BoostedTrees) else "network"

    @property
    def lists(self) -> bool:
        """Whether a document's score depends on the others of its list."""
        if hasattr(self, "models_"):
            return self.ranks_
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


Ranker.defaults = defaults_of(Ranker)
