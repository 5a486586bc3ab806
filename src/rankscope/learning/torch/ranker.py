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
from rankscope.learning.torch.device import DEVICES, resolve_device, single_thread, within_memory
from rankscope.learning.torch.network import NetworkShape
from rankscope.learning.torch.scoring import score_all
from rankscope.learning.torch.trainer import TorchTraining, to_device
from rankscope.measures.base import Measure
from rankscope.stats.inputs import check_choice, check_count
from rankscope.typing import Floats

__all__ = [
    "PARAMETERS",
    "TorchRanker",
]


class TorchRanker(Ranker):
    """Learns as a `Ranker` does, by a network that is deeper or looks at the whole list, on a CPU or a GPU.

    Takes what `Ranker` takes, with the same defaults, and is fitted, asked and saved in the same way. Besides:
    attention: so many layers, behind the hidden ones, in which the documents of a list look at one another before each
    is scored; `predict` then asks for the queries. heads: in how many ways they do so in each layer; the last of
    `hidden` is a multiple of it. device: "auto" (a GPU where there is one), "cpu" or "cuda". hidden: () is a linear
    scorer, which is trained by Adam as well.

    The same seed gives the same model on a CPU, of which one thread is used; on a GPU sums are rounded in another order
    each time. Losses are those of `rankscope.learning.losses`; on a GPU, listnet, softmax_cross_entropy, ranknet,
    lambdaloss and squared are computed there, and the scores of others go to the host and their gradients back.

    After `fit`: as `Ranker`. Raises ParameterError where PyTorch is not installed, where a GPU is asked for and
    there is none, and where there is not memory enough.

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

    def check(self) -> tuple[Loss | LambdaMART, Measure]:
        """The loss and the measure. Raises for invalid parameters, and for a device that this machine lacks."""
        loss_and_measure = super().check()
        resolve_device(self.device)
        return loss_and_measure

    def settings(self) -> tuple[Loss | LambdaMART, Measure]:
        """The loss and the measure. Raises for invalid parameters."""
        if isinstance(objective := parse_objective(self.loss), LambdaMART):
            raise ParameterError(
                f"the loss is {objective}, which grows trees, and a TorchRanker trains networks; give another loss, or "
                "leave torch out"
            )
        loss_and_measure = super().settings()
        check_count("attention", self.attention, minimum=0)
        check_count("heads", self.heads)
        check_choice("device", self.device, DEVICES)
        if self.attention and (not self.hidden or self.hidden[-1] % self.heads):
            raise ParameterError(
                f"hidden is {tuple(self.hidden)!r}, and attention asks for hidden layers, the last a multiple of "
                f"{self.heads} heads; give another size or other heads"
            )
        return loss_and_measure

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
        """Train one model."""
        device = resolve_device(self.device)
        training = TorchTraining(
            loss=loss,
            shape=self.shape(values.shape[1], self.get_params()),
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch_lists=self.batch_lists,
            dropout=self.dropout,
            weight_decay=self.weight_decay,
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
        """(documents) scores, higher is better, in the order of the rows.

        As `Ranker.predict`; qid or group must be given with attention, too, unless X is Features. There, the
        score of a document depends on the others of its list, and says nothing beside those of another list.
        Raises ParameterError besides where they are missing, and where there is not memory enough.
        """
        if not hasattr(self, "models_"):
            raise ParameterError("this TorchRanker has not learned anything yet; call fit first")
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
