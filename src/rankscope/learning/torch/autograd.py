"""Every loss as a function for PyTorch's autograd."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds
from rankscope.learning.losses import Loss, LossFunction, parse_loss
from rankscope.learning.torch.device import load_pytorch
from rankscope.typing import Bools, Grades, Ints

__all__ = [
    "TorchLoss",
    "loss",
]


def loss(text: str | LossFunction) -> TorchLoss:
    """A loss for tensors of PyTorch.

    Parameters
    ----------
    text
        The name of a loss, as "lambdaloss(kind='2')", or a function as those of `rankscope.learning.losses`.

    Returns
    -------
    TorchLoss
        The loss as a function of tensors.

    Raises
    ------
    UnknownName
        The loss or one of its parameters does not exist.
    ParameterError
        A parameter is out of range, or PyTorch is not installed.

    References
    ----------
    Each loss has its paper in `rankscope.learning.losses`; all are checked against PyTorch's autograd.

    Examples
    --------
    >>> loss("lambdaloss(kind='2')")  # doctest: +SKIP
    TorchLoss(lambdaloss(kind='2'))
    >>> loss("ranknet")(scores, flat_grades, offsets).backward()  # doctest: +SKIP
    """
    load_pytorch()
    return TorchLoss(parse_loss(text))


@dataclass(frozen=True, repr=False)
class TorchLoss:
    """A loss as a function of tensors, made by `loss`; the mean over lists, lower is better.

    Call it with flat lists, (scores, relevance, offsets), or with padded ones, (scores, relevance, mask=mask). The
    result is a tensor without a dimension, through which `backward()` goes.

    Attributes
    ----------
    loss
        The loss that is computed.

    Raises
    ------
    InputError
        From a call: shapes do not fit, grades are not numbers, or a list has no documents.
    ParameterError
        From a call: a second derivative is requested.

    Notes
    -----
    Flat: scores and relevance are (documents), and offsets (lists + 1) say where each list begins. Padded: scores and
    relevance are (lists, places), and the mask (lists, places) is true for documents; without a mask all places are
    documents. Values at other places are ignored, and their gradient is 0.

    Scores are float64, float32, bfloat16 or float16, on any device; the last two are computed in float32, which is the
    type of the value. The others are tensors on any device, or arrays. rng is the seed or generator of losses that draw
    (listmle with random ties, listnet with k above 1); by default each call draws anew. max_grade is the highest grade,
    for `ordinal` and for lambdarank by ERR; by default that of these lists.

    The gradient is exact, the one that NumPy computes from the same scores, and has no derivative of its own. With
    lambdarank and lambdaloss it treats their weights as constants.
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
        max_grade: float | None = None,
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

    relevance: Grades
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


def flat_grades(relevance: Any, shape: tuple[int, ...], mask: Bools | None = None) -> Grades:
    """(documents) grades, where the mask is True."""
    grade_array = to_numpy(relevance)
    if grade_array.shape != shape or grade_array.dtype.kind not in "fiub":
        raise InputError(
            f"grades are {grade_array.dtype} of shape {grade_array.shape}, expected numbers of the "
            f"shape of the scores, {shape}"
        )
    grades = grade_array if mask is None else grade_array[mask]
    if grades.dtype.kind == "f":
        invalid = invalid_grades(grades)
        if invalid.any():
            raise InputError(f"a document has grade {grades[np.argmax(invalid)]:g}, expected {EXPECTED_GRADE}")
    return as_grades(grades)


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
                    "losses have first derivatives only, but create_graph=True requests a second one; leave it out"
                )
            (gradient,) = ctx.saved_tensors
            return (gradient * upstream).to(ctx.kind), None, None  # scaled first, since half floats have a narrow range

    return LossOfLists
