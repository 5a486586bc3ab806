"""Training of a network in PyTorch by batches of whole lists, with Adam on all weights at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses.registry import Loss
from rankscope.learning.network import TrainedNetwork, refuse_diverged
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
    """Weights that change by steps; the same as of `rankscope.learning.network.Adam`, which the tests hold it against.

    decay: what share of the weights a step of rate 1 takes away, matrices only. PyTorch's own optimisers load its
    compiler when they are made, which takes seconds.

    Source: Kingma and Ba (2015), algorithm 1; decay: Loshchilov and Hutter (2019).
    """

    def __init__(
        self, weights: Sequence[Floats32], device: str, decay: float = 0.0, first: float = 0.9, second: float = 0.999
    ) -> None:
        torch = load_pytorch()
        self.first, self.second, self.steps = first, second, 0
        self.shapes = [one.shape for one in weights]
        self.all = torch.from_numpy(np.concatenate([one.ravel() for one in weights])).to(device).requires_grad_()
        self.mean, self.square = torch.zeros_like(self.all), torch.zeros_like(self.all)
        shares = np.concatenate([np.full(one.size, decay * (one.ndim > 1), np.float32) for one in weights])
        self.decay = torch.from_numpy(shares).to(device) if decay else None

    def weights(self) -> list[Tensor]:
        """As they are now, in their shapes, so that what is computed of them has a gradient."""
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        return [part.view(shape) for part, shape in zip(self.all.split(sizes), self.shapes, strict=True)]

    def copied(self) -> list[Floats32]:
        """As they are now, as arrays."""
        return [np.array(one.detach().cpu().numpy()) for one in self.weights()]

    def step(self, value: Tensor, rate: float) -> None:
        """Down from a value that was computed of the weights."""
        torch = load_pytorch()
        (slope,) = torch.autograd.grad(value, self.all)
        self.steps += 1
        scaled = rate * float(np.sqrt(1 - self.second**self.steps)) / (1 - self.first**self.steps)
        with torch.no_grad():
            self.mean.mul_(self.first).add_(slope, alpha=1 - self.first)
            self.square.mul_(self.second).addcmul_(slope, slope, value=1 - self.second)
            if self.decay is not None:
                self.all.mul_(1 - rate * self.decay)
            self.all.addcdiv_(self.mean, self.square.sqrt().add_(1e-8), value=-scaled)


@dataclass(frozen=True, kw_only=True)
class TorchTraining:
    """How a network is trained: a `TorchRanker` says what these mean. device: "cpu" or "cuda".

    native: whether losses are computed where the scores are, if they are written in PyTorch; else, and on a CPU, they
    are those of NumPy.
    """

    loss: Loss
    shape: NetworkShape
    epochs: int
    learning_rate: float
    batch_lists: int
    dropout: float
    weight_decay: float
    device: str
    native: bool

    def train(
        self,
        values: Floats32,
        features: Features,
        watch: EarlyStopping | None,
        validation: Floats32 | None,
        rng: np.random.Generator,
        progress: Callable[[int], Any] | None = None,
    ) -> TrainedNetwork:
        """values, validation: the scaled features of `features` and of the lists that are watched."""
        longest = int(np.diff(features.offsets).max())
        half = self.batch_lists // 2
        smaller = f"batches of {half}, by batch_lists (--batch-lists)" if half else "hidden layers"
        advice = (
            f"for batches of {self.batch_lists} lists of up to {longest} documents; try smaller {smaller}"
            f"{', or device=cpu' if self.device == 'cuda' else ''}"
        )
        with within_memory(advice), single_thread():
            return TrainingRun(self, values, features, rng).run(watch, validation, progress)


class TrainingRun:
    """A course with its data on the device, and the weights as they are now."""

    def __init__(self, course: TorchTraining, values: Floats32, features: Features, rng: np.random.Generator) -> None:
        torch = load_pytorch()
        self.course, self.features, self.rng = course, features, rng
        self.lists, self.highest = informative_lists(features), int(features.relevance.max())
        self.native = native_loss(course.loss) if course.native else None
        self.bridge = TorchLoss(course.loss)
        self.steps = VectorAdam(first_weights(course.shape, rng), course.device, course.weight_decay)
        self.generator = torch.Generator(course.device).manual_seed(int(rng.integers(2**63)))
        self.values = to_device(course.device, values)
        self.grades = to_device(course.device, features.relevance.astype(np.float32))

    def run(
        self, watch: EarlyStopping | None, validation: Floats32 | None, progress: Callable[[int], Any] | None
    ) -> TrainedNetwork:
        course, losses = self.course, []
        ahead = None if validation is None else to_device(course.device, validation)
        best = None
        for epoch in range(course.epochs):
            losses.append(self.epoch())
            self.check(losses[-1], epoch)
            if progress is not None:
                progress(1)
            if watch is None or ahead is None:
                continue
            scores = score_all(self.steps.weights(), ahead, watch.lists.offsets, course.shape, course.device)
            self.check(scores, epoch)
            if watch.better(scores):
                best = self.steps.copied()
            if watch.over:
                break
        if watch is None:  # the last step has had no loss yet that would tell
            scores = score_all(self.steps.weights(), self.values, self.features.offsets, course.shape, course.device)
            self.check(scores, course.epochs - 1)
        return TrainedNetwork(
            weights=self.steps.copied() if best is None else best,
            losses=tuple(losses),
            values=() if watch is None else tuple(watch.values),
            best_epoch=len(losses) - 1 if watch is None else watch.best_epoch,
        )

    def check(self, numbers: float | Floats32, epoch: int) -> None:
        refuse_diverged(numbers, epoch, self.course.loss, self.course.learning_rate)

    def epoch(self) -> float:
        """One pass over the lists; the mean loss of a list. The device is waited for once, at the end."""
        course, torch = self.course, load_pytorch()
        total = torch.zeros((), dtype=torch.float64, device=course.device)
        with np.errstate(over="ignore", invalid="ignore"):  # a loss that diverges is told by its value
            for batch in shuffled(self.lists, self.features.offsets, course.batch_lists, self.rng):
                value = self.loss_of(batch)
                self.steps.step(value, course.learning_rate)
                total += value.detach() * batch.lists.size
        return float(total) / self.lists.size

    def loss_of(self, batch: Batch) -> Tensor:
        course = self.course
        rows = to_device(course.device, batch.rows)
        table = None
        if course.shape.attention or self.native is not None:
            table = ListTable(to_device(course.device, batch.cells), batch.lists.size, batch.longest)
        values = self.values.index_select(0, rows)
        scores = score_lists(self.steps.weights(), values, course.shape, table, course.dropout, self.generator)
        if self.native is None or table is None:
            grades = self.features.relevance[batch.rows]
            return self.bridge(scores, grades, batch.offsets, rng=self.rng, max_grade=self.highest)
        return self.native(table.laid_out(scores), table.laid_out(self.grades.index_select(0, rows)), table.mask)


def to_device(device: str, array: npt.NDArray[Any]) -> Tensor:
    """An array as a tensor there."""
    return load_pytorch().from_numpy(np.ascontiguousarray(array)).to(device)
