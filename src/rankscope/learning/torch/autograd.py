"""Every loss as a function for PyTorch's autograd."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds
from rankscope.learning.losses import Loss, LossFunction, parse_loss
from rankscope.learning.torch.device import load_pytorch
from rankscope.typing import Bools, Ints

__all__ = [
    "TorchLoss",
    "loss",
]


def loss(text: str | LossFunction) -> TorchLoss:
    """A loss by its name, as "lambdaloss(kind='2')", or a function like ours, for tensors of PyTorch.

    Raises UnknownName and ParameterError as `rankscope.learning.losses.parse_loss`, and ParameterError where PyTorch is
    not installed.

    Source: the losses of `rankscope.learning.losses`, each with its paper; checked against autograd of PyTorch.

    >>> loss("lambdaloss(kind='2')")  # doctest: +SKIP
    TorchLoss(lambdaloss(kind='2'))
    >>> loss("ranknet")(scores, flat_grades, offsets).backward()  # doctest: +SKIP
    """
    load_pytorch()
    return TorchLoss(parse_loss(text))


@dataclass(frozen=True, repr=False)
class TorchLoss:
    """What `loss` makes. It is called with flat lists or with padded ones; both give the mean over lists, lower is
    better, as a tensor without a dimension through which `backward()` goes.

    Flat: scores, relevance (documents) and offsets (lists + 1), which say where each list begins. Padded: scores,
    relevance (lists, places) and mask (lists, places), true where there is a document; all places without a mask.
    Whatever stands at the others has no part in it, and their gradient is 0.

    scores: float64, float32, bfloat16 or float16, on any device; the last two are computed in float32, which the value
    is in. relevance, offsets and mask: tensors on any device, or arrays. rng: a seed or generator for the losses that
    draw, listmle with random ties and listnet beyond k = 1; default another draw at each call. max_grade: the highest
    grade there is, of `ordinal` and of lambdarank by ERR; default that of these lists.

    The gradient is exact, that which NumPy computes from the same scores, and has no derivative of its own. With
    lambdarank and lambdaloss it takes their weights as given. Raises InputError for shapes that do not fit, grades that
    are no whole numbers, and lists without documents; ParameterError where a second derivative is asked for.
    """

    loss: Loss

    def __call__(
        self,
        scores: Any,
        relevance: Any,
        offsets: Any = None,
        *,
        mask: Any = None,
        rng: np.random.Generator | int | None = None,
        max_grade: int | None = None,
    ) -> Any:
        torch = load_pytorch()
        if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
            raise InputError(f"scores are a {describe_tensor(scores)}, expected a tensor of floating-point numbers")
        if scores.ndim == 2 and offsets is not None:
            raise InputError("scores of shape (lists, places) and offsets were given, expected a mask, or flat scores")
        lists = (
            flat_lists(scores, relevance, offsets, mask)
            if scores.ndim == 1
            else lists_of_padded(scores, relevance, mask)
        )
        loss_rng = np.random.default_rng(rng)
        return autograd_function().apply(
            scores,
            lambda flat: self.loss(flat, lists.relevance, lists.offsets, rng=loss_rng, max_grade=max_grade),
            lists,
        )

    def __str__(self) -> str:
        return str(self.loss)

    def __repr__(self) -> str:
        return f"TorchLoss({self.loss})"


class FlatLists(NamedTuple):
    """relevance: (documents) grades. offsets: (lists + 1). mask: (lists, places) True for documents; None if flat."""

    relevance: Ints
    offsets: Ints
    mask: Bools | None


def describe_tensor(value: Any) -> str:
    """A description such as "tensor of int64"."""
    name = type(value).__name__.lower()
    return f"{name} of {str(value.dtype).removeprefix('torch.')}" if hasattr(value, "dtype") else name


def to_numpy(values: Any) -> npt.NDArray[Any]:
    """A tensor, or whatever NumPy takes, as an array; bfloat16, which NumPy lacks, as float32."""
    torch = load_pytorch()
    if isinstance(values, torch.Tensor):
        tensor = values.detach()
        return np.asarray((tensor.float() if tensor.dtype == torch.bfloat16 else tensor).cpu().numpy())
    return np.asarray(values)


def flat_lists(scores: Any, relevance: Any, offsets: Any, mask: Any) -> FlatLists:
    if mask is not None:
        raise InputError("flat scores and a mask were given, expected offsets, or scores of shape (lists, places)")
    if offsets is None:
        raise InputError("flat scores were given without offsets, expected where each list begins, as [0, 3, 5]")
    n, offset_array = scores.shape[0], to_numpy(offsets)
    if (
        offset_array.ndim != 1
        or offset_array.dtype.kind not in "iu"
        or offset_array[:1].tolist() != [0]
        or offset_array[-1] != n
    ):
        raise InputError(
            f"offsets are {describe_value(offset_array)}, expected whole numbers from 0 to {n}, where the {n} scores "
            "end; give one more than there are lists"
        )
    list_offsets = offset_array.astype(np.int64)
    check_lengths(np.diff(list_offsets))
    return FlatLists(flat_grades(relevance, (n,)), list_offsets, None)


def lists_of_padded(scores: Any, relevance: Any, mask: Any) -> FlatLists:
    shape = tuple(scores.shape)
    if len(shape) != 2:
        raise InputError(f"scores are of shape {shape}, expected (documents) with offsets or (lists, places)")
    present = np.ones(shape, np.bool_) if mask is None else to_numpy(mask)
    if present.shape != shape or present.dtype != np.bool_:
        raise InputError(
            f"the mask is {present.dtype} of shape {present.shape}, expected bool of {shape}, true where a document is"
        )
    lengths = present.sum(axis=1)
    check_lengths(lengths)
    return FlatLists(flat_grades(relevance, shape, present), bounds(lengths), present)


def check_lengths(lengths: Ints) -> None:
    if not lengths.size or (lengths < 1).any():
        problem = f"list {int(np.argmax(lengths < 1)) + 1} has no document" if lengths.size else "there is no list"
        raise InputError(f"{problem}, expected at least one in each; leave it out")


def flat_grades(relevance: Any, shape: tuple[int, ...], mask: Bools | None = None) -> Ints:
    """(documents) grades as whole numbers, where the mask is True."""
    grade_array = to_numpy(relevance)
    if grade_array.shape != shape or grade_array.dtype.kind not in "fiub":
        raise InputError(
            f"grades are {grade_array.dtype} of shape {grade_array.shape}, expected numbers of the "
            f"shape of the scores, {shape}"
        )
    grades = grade_array if mask is None else grade_array[mask]
    if grades.dtype.kind == "f":
        is_invalid = ~(np.isfinite(grades) & (grades == np.floor(grades)))
        if is_invalid.any():
            raise InputError(f"a document has grade {grades[np.argmax(is_invalid)]:g}, expected whole numbers")
    return grades.astype(np.int64)


def describe_value(array: npt.NDArray[Any]) -> str:
    return f"{array.tolist()}" if array.size <= 8 else f"{array.dtype} of shape {array.shape}"


@cache
def autograd_function() -> Any:
    """The autograd function; made at first use, since it needs PyTorch."""
    torch = load_pytorch()

    class LossOfLists(torch.autograd.Function):  # type: ignore[misc,name-defined,unused-ignore]  # untyped
        """Computes value and gradient at once, and keeps the gradient."""

        @staticmethod
        def forward(ctx: Any, scores: Any, compute: Any, lists: FlatLists) -> Any:
            float_type = scores.dtype if scores.dtype in (torch.float32, torch.float64) else torch.float32
            host_scores = scores.detach().to("cpu", float_type).numpy()
            value, gradient = compute(host_scores if lists.mask is None else host_scores[lists.mask])
            if lists.mask is not None:
                table = np.zeros(lists.mask.shape, host_scores.dtype)
                table[lists.mask] = gradient
                gradient = table
            gradient_tensor = torch.from_numpy(np.ascontiguousarray(gradient, host_scores.dtype))
            ctx.kind = scores.dtype
            ctx.save_for_backward(gradient_tensor.to(scores.device))
            return torch.tensor(value, dtype=float_type, device=scores.device)

        @staticmethod
        def backward(ctx: Any, upstream: Any) -> Any:
            if torch.is_grad_enabled():  # by create_graph=True, whose second derivative would be wrong
                raise ParameterError(
                    "losses have first derivatives only, and a second one was asked for; leave out create_graph=True"
                )
            (gradient,) = ctx.saved_tensors
            return (gradient * upstream).to(ctx.kind), None, None  # scaled first, since half floats have a narrow range

    return LossOfLists
