"""Training of a network in PyTorch on batches of complete lists, by Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import highest_grade
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import Loss
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.settings import RankerSettings
from rankscope.learning.torch.autograd import TorchLoss
from rankscope.learning.torch.batches import Batch, shuffled
from rankscope.learning.torch.device import load_pytorch, single_thread, within_memory
from rankscope.learning.torch.gpu_losses import native_loss
from rankscope.learning.torch.network import ListTable, NetworkShape, first_weights, score_lists
from rankscope.learning.torch.scoring import score_all
from rankscope.learning.trainer import EpochTraining, TrainingData, train_epochs
from rankscope.typing import Floats32

__all__ = [
    "TorchTraining",
    "VectorAdam",
    "to_device",
    "train_in_torch",
]


Tensor = Any


class VectorAdam:
    """Adam on all weights as one vector; tests compare it with `rankscope.learning.trainer.Adam`.

    decay: the share of the matrices that a step of rate 1 removes. PyTorch's own optimisers load its compiler, which
    takes seconds.

    Source: Kingma and Ba (2015), algorithm 1; decay: Loshchilov and Hutter (2019).
    """

    def __init__(
        self, weights: Sequence[Floats32], device: str, decay: float = 0.0, first: float = 0.9, second: float = 0.999
    ) -> None:
        torch = load_pytorch()
        self.mean_decay, self.square_decay, self.steps = first, second, 0
        self.shapes = [weight.shape for weight in weights]
        self.vector = (
            torch.from_numpy(np.concatenate([weight.ravel() for weight in weights])).to(device).requires_grad_()
        )
        self.mean, self.square = torch.zeros_like(self.vector), torch.zeros_like(self.vector)
        decay_rates = np.concatenate(
            [np.full(weight.size, decay * (weight.ndim > 1), np.float32) for weight in weights]
        )
        self.decay = torch.from_numpy(decay_rates).to(device) if decay else None

    def weights(self) -> list[Tensor]:
        """The current weights in their shapes, as views of the vector, so that results have a gradient."""
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        return [vector.view(shape) for vector, shape in zip(self.vector.split(sizes), self.shapes, strict=True)]

    def copy_weights(self) -> list[Floats32]:
        """Copies of the current weights, as arrays."""
        return [np.array(weight.detach().cpu().numpy()) for weight in self.weights()]

    def step(self, value: Tensor, rate: float) -> None:
        """One step down the gradient of a value that was computed from the weights."""
        torch = load_pytorch()
        (gradient,) = torch.autograd.grad(value, self.vector)
        self.steps += 1
        step_rate = rate * float(np.sqrt(1 - self.square_decay**self.steps)) / (1 - self.mean_decay**self.steps)
        with torch.no_grad():
            self.mean.mul_(self.mean_decay).add_(gradient, alpha=1 - self.mean_decay)
            self.square.mul_(self.square_decay).addcmul_(gradient, gradient, value=1 - self.square_decay)
            if self.decay is not None:
                self.vector.mul_(1 - rate * self.decay)
            self.vector.addcdiv_(self.mean, self.square.sqrt().add_(1e-8), value=-step_rate)


class TorchTraining(EpochTraining):
    """A network in PyTorch with the state of Adam, and its data on the device.

    device: "cpu" or "cuda". native: whether to compute the loss on the device where it is written in PyTorch; else
    NumPy computes it.
    """

    def __init__(
        self,
        data: TrainingData,
        loss: Loss,
        settings: RankerSettings,
        *,
        shape: NetworkShape,
        device: str,
        native: bool,
    ) -> None:
        assert data.values is not None  # as for trees only
        torch = load_pytorch()
        self.data, self.settings, self.shape, self.device = data, settings, shape, device
        self.lists, self.max_grade = informative_lists(data.features), highest_grade(data.features.relevance)
        self.native = native_loss(loss) if native else None
        self.bridge = TorchLoss(loss)
        self.adam = VectorAdam(first_weights(shape, data.rng), device, settings.weight_decay)
        self.generator = torch.Generator(device).manual_seed(int(data.rng.integers(2**63)))
        self.values = to_device(device, data.values)
        self.valid_values = None if data.valid_values is None else to_device(device, data.valid_values)
        self.grades = to_device(device, data.features.relevance.astype(np.float32))

    def epoch(self) -> float:
        """Waits for the device once, at the end."""
        settings, torch = self.settings, load_pytorch()
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the loss
            for batch in shuffled(self.lists, self.data.features.offsets, settings.batch_lists, self.data.rng):
                value = self.loss_of(batch)
                self.adam.step(value, settings.learning_rate)
                total += value.detach() * batch.lists.size
        return float(total) / self.lists.size

    def loss_of(self, batch: Batch) -> Tensor:
        rows = to_device(self.device, batch.rows)
        table = None
        if self.shape.attention or self.native is not None:
            table = ListTable(to_device(self.device, batch.cells), batch.lists.size, batch.longest)
        values = self.values.index_select(0, rows)
        scores = score_lists(self.adam.weights(), values, self.shape, table, self.settings.dropout, self.generator)
        if self.native is None or table is None:
            grades = self.data.features.relevance[batch.rows]
            return self.bridge(scores, grades, batch.offsets, rng=self.data.rng, max_grade=self.max_grade)
        return self.native(table.to_table(scores), table.to_table(self.grades.index_select(0, rows)), table.mask)

    def scores(self, *, valid: bool) -> Floats32:
        features, values = (self.data.valid, self.valid_values) if valid else (self.data.features, self.values)
        assert features is not None
        return score_all(self.adam.weights(), values, features.offsets, self.shape, self.device)

    def copy_weights(self) -> list[Floats32]:
        return self.adam.copy_weights()


def train_in_torch(
    data: TrainingData, loss: Loss, settings: RankerSettings, shape: NetworkShape, device: str
) -> TrainedNetwork:
    """Train a network on the device. Raises ParameterError where there is not enough memory."""
    longest = int(np.diff(data.features.offsets).max())
    n_lists = settings.batch_lists
    half = n_lists // 2
    smaller = f"batches of {half}, by batch_lists (--batch-lists)" if half else "hidden layers"
    advice = (
        f"for batches of {n_lists} lists of up to {longest} documents; try smaller {smaller}"
        f"{', or device=cpu' if device == 'cuda' else ''}"
    )
    with within_memory(advice), single_thread():
        network = TorchTraining(data, loss, settings, shape=shape, device=device, native=device == "cuda")
        return train_epochs(network, data, loss, settings)


def to_device(device: str, array: npt.NDArray[Any]) -> Tensor:
    """An array as a tensor on the device."""
    return load_pytorch().from_numpy(np.ascontiguousarray(array)).to(device)
