"""Every loss as a function that PyTorch's autograd goes through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds
from rankscope.learning.losses.registry import Loss, LossFunction, parse_loss
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
        draws = np.random.default_rng(rng)
        return autograd_function().apply(
            scores, lambda flat: self.loss(flat, lists.relevance, lists.offsets, rng=draws, max_grade=max_grade), lists
        )

    def __str__(self) -> str:
        return str(self.loss)

    def __repr__(self) -> str:
        return f"TorchLoss({self.loss})"


class FlatLists(NamedTuple):
    """relevance: (documents) grades. offsets: (lists + 1). mask: (lists, places) where these stand; None: all, flat."""

    relevance: Ints
    offsets: Ints
    mask: Bools | None


def describe_tensor(given: Any) -> str:
    """As in "tensor of int64"."""
    name = type(given).__name__.lower()
    return f"{name} of {str(given.dtype).removeprefix('torch.')}" if hasattr(given, "dtype") else name


def to_numpy(given: Any) -> npt.NDArray[Any]:
    """A tensor, or whatever NumPy takes, as an array. NumPy has no bfloat16."""
    torch = load_pytorch()
    if isinstance(given, torch.Tensor):
        found = given.detach()
        return np.asarray((found.float() if found.dtype == torch.bfloat16 else found).cpu().numpy())
    return np.asarray(given)


def flat_lists(scores: Any, relevance: Any, offsets: Any, mask: Any) -> FlatLists:
    if mask is not None:
        raise InputError("flat scores and a mask were given, expected offsets, or scores of shape (lists, places)")
    if offsets is None:
        raise InputError("flat scores were given without offsets, expected where each list begins, as [0, 3, 5]")
    n, given = scores.shape[0], to_numpy(offsets)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given[:1].tolist() != [0] or given[-1] != n:
        raise InputError(
            f"offsets are {describe_value(given)}, expected whole numbers from 0 to {n}, where the {n} scores end; "
            "give one more than there are lists"
        )
    starts = given.astype(np.int64)
    check_lengths(np.diff(starts))
    return FlatLists(flat_grades(relevance, (n,)), starts, None)


def lists_of_padded(scores: Any, relevance: Any, mask: Any) -> FlatLists:
    shape = tuple(scores.shape)
    if len(shape) != 2:
        raise InputError(f"scores are of shape {shape}, expected (documents) with offsets or (lists, places)")
    inside = np.ones(shape, np.bool_) if mask is None else to_numpy(mask)
    if inside.shape != shape or inside.dtype != np.bool_:
        raise InputError(
            f"the mask is {inside.dtype} of shape {inside.shape}, expected bool of {shape}, true where a document is"
        )
    lengths = inside.sum(axis=1)
    check_lengths(lengths)
    return FlatLists(flat_grades(relevance, shape, inside), bounds(lengths), inside)


def check_lengths(lengths: Ints) -> None:
    if not lengths.size or (lengths < 1).any():
        where = f"list {int(np.argmax(lengths < 1)) + 1} has no document" if lengths.size else "there is no list"
        raise InputError(f"{where}, expected at least one in each; leave it out")


def flat_grades(relevance: Any, shape: tuple[int, ...], mask: Bools | None = None) -> Ints:
    """(documents) whole numbers, of the places of the mask."""
    given = to_numpy(relevance)
    if given.shape != shape or given.dtype.kind not in "fiub":
        raise InputError(
            f"grades are {given.dtype} of shape {given.shape}, expected numbers of the shape of the scores, {shape}"
        )
    found = given if mask is None else given[mask]
    if found.dtype.kind == "f":
        wrong = ~(np.isfinite(found) & (found == np.floor(found)))
        if wrong.any():
            raise InputError(f"a document has grade {found[np.argmax(wrong)]:g}, expected whole numbers")
    return found.astype(np.int64)


def describe_value(given: npt.NDArray[Any]) -> str:
    return f"{given.tolist()}" if given.size <= 8 else f"{given.dtype} of shape {given.shape}"


@cache
def autograd_function() -> Any:
    """The class through which autograd goes; made when first asked for, since PyTorch is loaded for it."""
    torch = load_pytorch()

    class LossOfLists(torch.autograd.Function):  # type: ignore[misc,name-defined,unused-ignore]  # untyped
        """Computes value and gradient at once, and keeps the latter."""

        @staticmethod
        def forward(ctx: Any, scores: Any, compute: Any, lists: FlatLists) -> Any:
            wide = scores.dtype if scores.dtype in (torch.float32, torch.float64) else torch.float32
            host = scores.detach().to("cpu", wide).numpy()
            value, gradient = compute(host if lists.mask is None else host[lists.mask])
            if lists.mask is not None:
                table = np.zeros(lists.mask.shape, host.dtype)
                table[lists.mask] = gradient
                gradient = table
            back = torch.from_numpy(np.ascontiguousarray(gradient, host.dtype))
            ctx.kind = scores.dtype
            ctx.save_for_backward(back.to(scores.device))
            return torch.tensor(value, dtype=wide, device=scores.device)

        @staticmethod
        def backward(ctx: Any, upstream: Any) -> Any:
            if torch.is_grad_enabled():  # by create_graph=True: a wrong second derivative would go unnoticed
                raise ParameterError(
                    "losses have first derivatives only, and a second one was asked for; leave out create_graph=True"
                )
            (gradient,) = ctx.saved_tensors
            return (gradient * upstream).to(ctx.kind), None, None  # scaled first: half floats have a narrow range

    return LossOfLists
