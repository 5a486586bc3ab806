"""`TorchRanker`: a ranker that trains a network in PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import ParameterError
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import align_to_training, documents_to_score
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.losses import Loss, LossFunction
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.ranker import Ranker, defaults_of
from rankscope.learning.scaling import Scaling, column_count, with_list_ranks
from rankscope.learning.settings import RankerSettings
from rankscope.learning.torch.device import resolve_device, single_thread, within_memory
from rankscope.learning.torch.network import NetworkShape
from rankscope.learning.torch.scoring import score_all
from rankscope.learning.torch.settings import TorchSettings
from rankscope.learning.torch.trainer import TorchTraining, to_device
from rankscope.measures.base import Measure
from rankscope.typing import Floats

__all__ = [
    "PARAMETERS",
    "TorchRanker",
]


class TorchRanker(Ranker):
    """Learns as a `Ranker` does, by a network that is deeper or looks at the whole list, on a CPU or a GPU.

    It has the parameters of `Ranker` with the same defaults, and is fitted, called and saved in the same way.

    Parameters
    ----------
    loss
        As in `Ranker`, but no trees. Default: 'listnet'.
    hidden
        Sizes of the hidden layers of a network; () means a linear scorer. Default: (64,).
    attention
        Number of attention layers over the documents of a list (networks of PyTorch only). Default: 0.
    heads
        Number of attention heads in each layer (networks of PyTorch only). Default: 2.
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
    device
        Device for training; auto uses a GPU if there is one (networks of PyTorch only). One of 'auto', 'cpu', 'cuda'.
        Default: 'auto'.

    Raises
    ------
    ParameterError
        From `fit`: PyTorch is not installed, there is no GPU to use, or there is not enough memory.

    Notes
    -----
    Attention layers follow the hidden layers: in them the documents of a list look at one another before each is
    scored. `predict` then needs the queries, and the last size of `hidden` must be a multiple of `heads`. With
    hidden=() the ranker is a linear scorer, which is trained by Adam as well. The attributes are those of `Ranker`.

    On a CPU, of which one thread is used, the same seed gives the same model; on a GPU sums are rounded in another
    order each time. Losses are those of `rankscope.learning.losses`; on a GPU, listnet, softmax_cross_entropy, ranknet,
    lambdaloss and squared are computed there, and the scores of others go to the host and their gradients back.

    Examples
    --------
    >>> X = [[0.9, 0.2], [0.1, 0.4], [0.5, 0.3], [0.8, 0.9], [0.3, 0.1]]
    >>> ranker = TorchRanker("ranknet", hidden=(8, 8), attention=1)
    >>> qid = [1, 1, 1, 2, 2]
    >>> ranker.fit(X, [2, 0, 1, 1, 0], qid=qid).predict(X, qid=qid).argmax()  # doctest: +SKIP
    np.int64(0)
    """

    def __init__(
        self,
        loss: str | LossFunction = "listnet",
        *,
        hidden: Sequence[int] = (64,),
        attention: int = 0,
        heads: int = 2,
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
        device: str = "auto",
    ) -> None:
        super().__init__(
            loss,
            hidden=hidden,
            epochs=epochs,
            patience=patience,
            stop_on=stop_on,
            learning_rate=learning_rate,
            batch_lists=batch_lists,
            dropout=dropout,
            weight_decay=weight_decay,
            transform=transform,
            models=models,
            rng=rng,
        )
        self.attention = attention
        self.heads = heads
        self.device = device

    @property
    def kind(self) -> str:
        """Chooses the module that saves it."""
        return "torch"

    @property
    def lists(self) -> bool:
        """Whether a document's score depends on the others of its list."""
        parameters = self.parameters_ if hasattr(self, "models_") else self.get_params()
        return super().lists or parameters["attention"] > 0

    def check(self) -> tuple[Loss | LambdaMART, RankerSettings]:
        """The loss and the settings. Raises for wrong parameters, and for a device that this machine lacks."""
        loss_and_settings = super().check()
        resolve_device(self.device)
        return loss_and_settings

    def settings(self) -> RankerSettings:
        """The settings that it shares with `Ranker`, checked with its own. Raises for wrong parameters."""
        if isinstance(objective := parse_objective(self.loss), LambdaMART):
            raise ParameterError(
                f"the loss is {objective}, which grows trees, and a TorchRanker trains networks; give another loss, or "
                "leave out torch"
            )
        settings = super().settings()
        own_settings = TorchSettings(attention=self.attention, heads=self.heads, device=self.device)
        if own_settings.attention and (not settings.hidden or settings.hidden[-1] % own_settings.heads):
            raise ParameterError(
                f"hidden is {settings.hidden!r}, and attention needs hidden layers, the last a multiple of "
                f"{own_settings.heads} heads; give another size or other heads"
            )
        return settings

    def train(
        self,
        loss: Loss,
        settings: RankerSettings,
        values: npt.NDArray[np.float32],
        features: Features,
        stopping: EarlyStopping | None,
        valid_values: npt.NDArray[np.float32] | None,
        rng: np.random.Generator,
        progress: Callable[[int], Any] | None,
    ) -> TrainedNetwork:
        """Train one model."""
        device = resolve_device(self.device)
        training = TorchTraining(
            loss=loss,
            shape=self.shape(values.shape[1], self.get_params()),
            settings=settings,
            device=device,
            native=device == "cuda",
        )
        return training.train(values, features, stopping, valid_values, rng, progress)

    @staticmethod
    def shape(inputs: int, parameters: dict[str, Any]) -> NetworkShape:
        """The shape of a network for this number of features."""
        return NetworkShape(
            inputs=inputs,
            hidden=tuple(int(size) for size in parameters["hidden"]),
            attention=int(parameters["attention"]),
            heads=int(parameters["heads"]),
        )

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
            The queries, as in `fit`; needed with attention or ranks within lists, unless X is `Features`.

        Returns
        -------
        numpy.ndarray
            A score for each document (higher is better), in the order of the rows. With attention, it depends on the
            other documents of its list, and cannot be compared with scores of another list.

        Raises
        ------
        ParameterError
            The ranker is not fitted, queries are missing, or there is not enough memory.
        InputError
            As `Ranker.predict`.
        """
        if not hasattr(self, "models_"):
            raise ParameterError("this TorchRanker is not fitted; call fit first")
        width = column_count(self.n_features_in_, self.ranks_)
        shape, device = self.shape(width, self.parameters_), resolve_device(self.device)
        features = documents_to_score(X, qid, group, needs_lists=self.lists)
        features = align_to_training(features, self.feature_names_, "the model was trained on")
        if self.ranks_:
            features = with_list_ranks(features)
        values = to_device("cpu", cast(Scaling, self.scaling_)(features.values))
        scores = np.zeros(len(features))
        of_lists = f" of lists of up to {int(np.diff(features.offsets).max())}" if shape.attention else ""
        hint = "; try device='cpu'" if device == "cuda" else ""
        with within_memory(f"to score documents{of_lists}{hint}"), single_thread():
            for model in self.models_:
                arrays = cast(TrainedNetwork, model).weights  # no model here has trees
                weights = [to_device(device, array) for array in arrays]
                scores += score_all(weights, values, features.offsets, shape, device)
        return np.asarray(features.in_input_order(scores / len(self.models_)))


TorchRanker.defaults = defaults_of(TorchRanker)
#: In the order of `__init__`.
PARAMETERS = tuple(TorchRanker.defaults)
