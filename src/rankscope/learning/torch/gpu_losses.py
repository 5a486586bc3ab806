"""Losses written in PyTorch, for training on a GPU.

The definition of a loss is that of `rankscope.learning.losses`; the tests hold these against it. Scores and grades are
tables (lists, places), mask is true where there is a document, and the value is the mean over lists.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rankscope.learning.losses.registry import Loss
from rankscope.learning.torch.device import load_pytorch

__all__ = [
    "NATIVE",
    "native_loss",
]


#: A tensor of PyTorch, which is not loaded for the sake of a type.
Tensor = Any
LOG_2 = 0.6931471805599453


def native_loss(loss: Loss) -> Callable[[Tensor, Tensor, Tensor], Tensor] | None:
    """The loss written in PyTorch, a function of scores, grades and mask; None where there is none."""
    if loss.name not in NATIVE or loss.random or not is_builtin(loss):
        return None
    parameters = {name: value for name, value in loss.parameters.items() if name != "k" or loss.name == "lambdaloss"}
    return partial(NATIVE[loss.name], **parameters)


def is_builtin(loss: Loss) -> bool:
    """Whether it is not somebody's own function which happens to bear one of our names."""
    return type(loss) is Loss


def listnet(scores: Tensor, grades: Tensor, mask: Tensor) -> Tensor:
    wanted = load_pytorch().softmax(grades.masked_fill(~mask, -float("inf")), 1)
    return cross_entropy(scores, wanted, mask)


def softmax_cross_entropy(scores: Tensor, grades: Tensor, mask: Tensor, *, gain: str = "linear") -> Tensor:
    worth = gains(grades, mask) if gain == "exp" else (grades * mask).clamp(min=0.0)
    return cross_entropy(scores, worth / worth.sum(1, keepdim=True).clamp(min=1.0), mask)


def cross_entropy(scores: Tensor, wanted: Tensor, mask: Tensor) -> Tensor:
    logs = load_pytorch().log_softmax(scores.masked_fill(~mask, -float("inf")), 1)
    return -(wanted * logs.masked_fill(~mask, 0.0)).sum() / len(scores)


def squared(scores: Tensor, grades: Tensor, mask: Tensor) -> Tensor:
    apart = (scores - grades).masked_fill(~mask, 0.0)
    return ((apart * apart).sum(1) / mask.sum(1)).mean()


def ranknet(scores: Tensor, grades: Tensor, mask: Tensor, *, sigma: float = 1.0, weights: str = "equal") -> Tensor:
    worth = grades.exp2() if weights == "gains" else grades
    counts = is_higher_grade(grades, mask).to(scores.dtype)
    if weights != "equal":
        counts = counts * score_differences(worth)
    total = counts.sum((1, 2))
    value = (counts * logistic(scores, sigma)).sum((1, 2))
    return (value / total.masked_fill(total == 0, 1.0)).mean()


def lambdaloss(
    scores: Tensor,
    grades: Tensor,
    mask: Tensor,
    *,
    kind: str = "2++",
    k: int | None = None,
    mu: float = 10.0,
    sigma: float = 1.0,
) -> Tensor:
    torch = load_pytorch()
    with torch.no_grad():  # the gradient takes the weights as given
        longest = scores.shape[1]
        depth = longest if k is None else k
        worth = 1.0 / torch.arange(2, longest + 2, device=scores.device, dtype=scores.dtype).log2()
        worth[depth:] = 0.0
        place = ranks_from_zero(scores.detach(), mask)
        discount, gain = worth[place], gains(grades, mask)
        gain = gain / (gain.sort(dim=1, descending=True).values * worth).sum(1, keepdim=True).clamp(min=1.0)
        if kind == "1":
            weights = ((gain * discount)[:, :, None] * mask[:, None, :]).to(scores.dtype)
        else:
            slopes = 1.0 / torch.arange(2, longest + 3, device=scores.device, dtype=scores.dtype).log2()
            steps = torch.cat([slopes.new_zeros(1), slopes[:-1] - slopes[1:]])  # by how far apart two rank
            weights = steps[score_differences(place).abs()]
            if k is not None:
                weights = weights * (torch.minimum(place[:, :, None], place[:, None, :]) < k)
            if kind == "2++":
                weights = mu * weights + score_differences(discount).abs()
            weights = weights * score_differences(gain).abs() * is_higher_grade(grades, mask)
    return (weights * logistic(scores, sigma)).sum() / (LOG_2 * len(scores))


def logistic(scores: Tensor, sigma: float) -> Tensor:
    """(lists, places, places) log(1 + exp(-sigma (s_i - s_j)))."""
    return load_pytorch().nn.functional.softplus(
        -sigma * score_differences(scores), threshold=1e9
    )  # exact also where it is large


def score_differences(values: Tensor) -> Tensor:
    """(lists, places, places) differences."""
    return values[:, :, None] - values[:, None, :]


def is_higher_grade(grades: Tensor, mask: Tensor) -> Tensor:
    """(lists, places, places) whether the first is of the higher grade."""
    return (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]


def ranks_from_zero(scores: Tensor, mask: Tensor) -> Tensor:
    """(lists, places) the rank of each document from 0; of equal scores the first comes first, as in NumPy."""
    torch = load_pytorch()
    order = scores.masked_fill(~mask, -float("inf")).sort(dim=1, descending=True, stable=True).indices
    ranks = torch.arange(scores.shape[1], device=scores.device).expand_as(order)
    return torch.empty_like(order).scatter_(1, order, ranks)


def gains(grades: Tensor, mask: Tensor) -> Tensor:
    """2 ** grade - 1, at least 0."""
    return (grades.clamp(min=0.0).exp2() - 1.0) * mask


#: By name; what is not here goes through the bridge.
NATIVE: dict[str, Callable[..., Tensor]] = {
    "listnet": listnet,
    "softmax_cross_entropy": softmax_cross_entropy,
    "squared": squared,
    "ranknet": ranknet,
    "lambdaloss": lambdaloss,
}
