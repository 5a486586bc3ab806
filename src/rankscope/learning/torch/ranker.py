"""`TorchRanker`: a ranker that trains a network in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from rankscope.errors import ParameterError
from rankscope.learning.lambdamart import LambdaMART
from rankscope.learning.losses import Loss, LossFunction
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.ranker import Ranker, defaults_of
from rankscope.learning.settings import RankerSettings, TorchSettings
from rankscope.learning.torch.device import resolve_device, single_thread, within_memory
from rankscope.learning.torch.network import NetworkShape
from rankscope.learning.torch.scoring import score_all
from rankscope.learning.torch.trainer import to_device, train_in_torch
from rankscope.learning.trainer import TrainingData
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Ints, Reals

__all__ = [
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
    scored. `predict` then needs the queries, scores of different lists cannot be compared, and the last size of
    `hidden` must be a multiple of `heads`. With hidden=() the ranker is a linear scorer, which is trained by Adam as
    well. The attributes are those of `Ranker`.

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

    def check_libraries(self, loss: Loss | LambdaMART) -> None:
        """Raise ParameterError where PyTorch, or the device, is missing."""
        resolve_device(self.device)

    def check_parameters(self, loss: Loss | LambdaMART, settings: RankerSettings) -> None:
        """Raise ParameterError for parameters that do not go together."""
        if isinstance(loss, LambdaMART):
            raise ParameterError(
                f"the loss is {loss}, which grows trees, and a TorchRanker trains networks; give another loss, or "
                "leave out torch"
            )
        own_settings = TorchSettings(attention=self.attention, heads=self.heads, device=self.device)
        if own_settings.attention and (not settings.hidden or settings.hidden[-1] % own_settings.heads):
            raise ParameterError(
                f"hidden is {settings.hidden!r}, and attention needs hidden layers, the last a multiple of "
                f"{own_settings.heads} heads; give another size or other heads"
            )

    def train_model(self, data: TrainingData, loss: Loss | LambdaMART, settings: RankerSettings) -> TrainedNetwork:
        """Train one network."""
        shape = self.shape(data.features.values.shape[1], self.get_params())
        return train_in_torch(data, cast(Loss, loss), settings, shape, resolve_device(self.device))

    @staticmethod
    def shape(inputs: int, parameters: dict[str, Any]) -> NetworkShape:
        """The shape of a network for this number of features."""
        return NetworkShape(
            inputs=inputs,
            hidden=tuple(int(size) for size in parameters["hidden"]),
            attention=int(parameters["attention"]),
            heads=int(parameters["heads"]),
        )

    def score_values(self, values: Reals, offsets: Ints) -> Floats:
        """(documents) the mean of the models' scores. Raises ParameterError where there is not enough memory."""
        shape, device = self.shape(values.shape[1], self.parameters_), resolve_device(self.device)
        tensor = to_device("cpu", values)
        scores = np.zeros(len(values))
        of_lists = f" of lists of up to {int(np.diff(offsets).max())}" if shape.attention else ""
        hint = "; try device='cpu'" if device == "cuda" else ""
        with within_memory(f"to score documents{of_lists}{hint}"), single_thread():
            for model in self.models_:
                arrays = cast(TrainedNetwork, model).weights  # no model here has trees
                weights = [to_device(device, array) for array in arrays]
                scores += score_all(weights, tensor, offsets, shape, device)
        return scores / len(self.models_)


TorchRanker.defaults = defaults_of(TorchRanker)
