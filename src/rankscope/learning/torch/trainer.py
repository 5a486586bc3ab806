"""Training of a network in PyTorch on batches of complete lists, by Adam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import Loss
from rankscope.learning.network import TrainedNetwork, refuse_diverged
from rankscope.learning.settings import RankerSettings
from rankscope.learning.torch.autograd import TorchLoss
from rankscope.learning.torch.batches import Batch, shuffled
from rankscope.learning.torch.device import load_pytorch, single_thread, within_memory
from rankscope.learning.torch.gpu_losses import native_loss
from rankscope.learning.torch.network import ListTable, NetworkShape, first_weights, score_lists
from rankscope.learning.torch.scoring import score_all
from rankscope.typing import Floats32

__all__ = [
    "TorchTraining",
    "VectorAdam",
    "to_device",
]


Tensor = Any


class VectorAdam:
    """Adam on all weights as one vector; tests compare it with `rankscope.learning.network.Adam`.

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


@dataclass(frozen=True, kw_only=True)
class TorchTraining:
    """Training of a network by Adam in PyTorch. settings: of which `TorchRanker` documents the meaning.

    device: "cpu" or "cuda". native: whether to compute the loss on the device where it is written in PyTorch; else
    NumPy computes it.
    """

    loss: Loss
    shape: NetworkShape
    settings: RankerSettings
    device: str
    native: bool

    def train(
        self,
        values: Floats32,
        features: Features,
        stopping: EarlyStopping | None,
        valid_values: Floats32 | None,
        rng: np.random.Generator,
        progress: Callable[[int], Any] | None = None,
    ) -> TrainedNetwork:
        """values, valid_values: the scaled features of `features` and of the validation lists."""
        longest = int(np.diff(features.offsets).max())
        n_lists = self.settings.batch_lists
        half = n_lists // 2
        smaller = f"batches of {half}, by batch_lists (--batch-lists)" if half else "hidden layers"
        advice = (
            f"for batches of {n_lists} lists of up to {longest} documents; try smaller {smaller}"
            f"{', or device=cpu' if self.device == 'cuda' else ''}"
        )
        with within_memory(advice), single_thread():
            return TrainingRun(self, values, features, rng).run(stopping, valid_values, progress)


class TrainingRun:
    """One training with its data on the device, and the current weights."""

    def __init__(self, training: TorchTraining, values: Floats32, features: Features, rng: np.random.Generator) -> None:
        torch = load_pytorch()
        self.training, self.features, self.rng = training, features, rng
        self.lists, self.max_grade = informative_lists(features), highest_grade(features.relevance)
        self.native = native_loss(training.loss) if training.native else None
        self.bridge = TorchLoss(training.loss)
        self.steps = VectorAdam(first_weights(training.shape, rng), training.device, training.settings.weight_decay)
        self.generator = torch.Generator(training.device).manual_seed(int(rng.integers(2**63)))
        self.values = to_device(training.device, values)
        self.grades = to_device(training.device, features.relevance.astype(np.float32))

    def run(
        self, stopping: EarlyStopping | None, valid_values: Floats32 | None, progress: Callable[[int], Any] | None
    ) -> TrainedNetwork:
        training, losses = self.training, []
        valid_tensor = None if valid_values is None else to_device(training.device, valid_values)
        best_weights = None
        for epoch in range(training.settings.epochs):
            losses.append(self.epoch())
            self.check(losses[-1], epoch)
            if progress is not None:
                progress(1)
            if stopping is None or valid_tensor is None:
                continue
            scores = score_all(
                self.steps.weights(), valid_tensor, stopping.lists.offsets, training.shape, training.device
            )
            self.check(scores, epoch)
            if stopping.add_epoch(scores):
                best_weights = self.steps.copy_weights()
            if stopping.should_stop:
                break
        if stopping is None:  # no loss was computed after the last step
            scores = score_all(
                self.steps.weights(), self.values, self.features.offsets, training.shape, training.device
            )
            self.check(scores, training.settings.epochs - 1)
        return TrainedNetwork(
            weights=self.steps.copy_weights() if best_weights is None else best_weights,
            losses=tuple(losses),
            values=() if stopping is None else tuple(stopping.values),
            best_epoch=len(losses) - 1 if stopping is None else stopping.best_epoch,
        )

    def check(self, numbers: float | Floats32, epoch: int) -> None:
        refuse_diverged(numbers, epoch, self.training.loss, self.training.settings.learning_rate)

    def epoch(self) -> float:
        """One pass over the lists; the mean loss of a list. Waits for the device once, at the end."""
        training, settings, torch = self.training, self.training.settings, load_pytorch()
        total = torch.zeros((), dtype=torch.float64, device=training.device)
        with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the loss
            for batch in shuffled(self.lists, self.features.offsets, settings.batch_lists, self.rng):
                value = self.loss_of(batch)
                self.steps.step(value, settings.learning_rate)
                total += value.detach() * batch.lists.size
        return float(total) / self.lists.size

    def loss_of(self, batch: Batch) -> Tensor:
        training, dropout = self.training, self.training.settings.dropout
        rows = to_device(training.device, batch.rows)
        table = None
        if training.shape.attention or self.native is not None:
            table = ListTable(to_device(training.device, batch.cells), batch.lists.size, batch.longest)
        values = self.values.index_select(0, rows)
        scores = score_lists(self.steps.weights(), values, training.shape, table, dropout, self.generator)
        if self.native is None or table is None:
            grades = self.features.relevance[batch.rows]
            return self.bridge(scores, grades, batch.offsets, rng=self.rng, max_grade=self.max_grade)
        return self.native(table.to_table(scores), table.to_table(self.grades.index_select(0, rows)), table.mask)


def to_device(device: str, array: npt.NDArray[Any]) -> Tensor:
    """An array as a tensor on the device."""
    return load_pytorch().from_numpy(np.ascontiguousarray(array)).to(device)
