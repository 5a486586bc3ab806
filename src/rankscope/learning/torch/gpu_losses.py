"""Losses written in PyTorch, for training on a GPU.

The losses are defined in `rankscope.learning.losses`; tests compare these with them. Scores and grades are tables
(lists, positions), mask is True for documents, and the value is the mean over lists.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rankscope.learning.losses import Loss
from rankscope.learning.torch.device import load_pytorch

__all__ = [
    "NATIVE",
    "native_loss",
]


#: A tensor of PyTorch, which is not imported for a type.
Tensor = Any
LOG_2 = 0.6931471805599453


def native_loss(loss: Loss) -> Callable[[Tensor, Tensor, Tensor], Tensor] | None:
    """The loss written in PyTorch, a function of scores, grades and mask; None where there is none."""
    if loss.name not in NATIVE or loss.random or not is_builtin(loss):
        return None
    parameters = {name: value for name, value in loss.parameters.items() if name != "k" or loss.name == "lambdaloss"}
    return partial(NATIVE[loss.name], **parameters)


def is_builtin(loss: Loss) -> bool:
    """Whether it is one of our losses, not a user's function with the same name."""
    return type(loss) is Loss


def listnet(scores: Tensor, grades: Tensor, mask: Tensor) -> Tensor:
    target_shares = load_pytorch().softmax(grades.masked_fill(~mask, -float("inf")), 1)
    return cross_entropy(scores, target_shares, mask)


def softmax_cross_entropy(scores: Tensor, grades: Tensor, mask: Tensor, *, gain: str = "linear") -> Tensor:
    grade_gains = gains(grades, mask) if gain == "exp" else (grades * mask).clamp(min=0.0)
    return cross_entropy(scores, grade_gains / nonzero(grade_gains.sum(1, keepdim=True)), mask)


def cross_entropy(scores: Tensor, target_shares: Tensor, mask: Tensor) -> Tensor:
    log_shares = load_pytorch().log_softmax(scores.masked_fill(~mask, -float("inf")), 1)
    return -(target_shares * log_shares.masked_fill(~mask, 0.0)).sum() / len(scores)


def squared(scores: Tensor, grades: Tensor, mask: Tensor) -> Tensor:
    differences = (scores - grades).masked_fill(~mask, 0.0)
    return ((differences * differences).sum(1) / mask.sum(1)).mean()


def ranknet(scores: Tensor, grades: Tensor, mask: Tensor, *, sigma: float = 1.0, weights: str = "equal") -> Tensor:
    grade_values = grades.exp2() if weights == "gains" else grades
    pair_weights = is_higher_grade(grades, mask).to(scores.dtype)
    if weights != "equal":
        pair_weights = pair_weights * score_differences(grade_values)
    weight_totals = pair_weights.sum((1, 2))
    value = (pair_weights * logistic(scores, sigma)).sum((1, 2))
    return (value / nonzero(weight_totals)).mean()


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
    with torch.no_grad():  # the gradient treats the weights as constants
        longest = scores.shape[1]
        depth = longest if k is None else k
        rank_discounts = 1.0 / torch.arange(2, longest + 2, device=scores.device, dtype=scores.dtype).log2()
        rank_discounts[depth:] = 0.0
        ranks = ranks_from_zero(scores.detach(), mask)
        discount, gain = rank_discounts[ranks], gains(grades, mask)
        ideal_dcg = (gain.sort(dim=1, descending=True).values * rank_discounts).sum(1, keepdim=True)
        gain = gain / nonzero(ideal_dcg)
        if kind == "1":
            weights = ((gain * discount)[:, :, None] * mask[:, None, :]).to(scores.dtype)
        else:
            all_discounts = 1.0 / torch.arange(2, longest + 3, device=scores.device, dtype=scores.dtype).log2()
            # By the difference of two ranks.
            discount_steps = torch.cat([all_discounts.new_zeros(1), all_discounts[:-1] - all_discounts[1:]])
            weights = discount_steps[score_differences(ranks).abs()]
            if k is not None:
                weights = weights * (torch.minimum(ranks[:, :, None], ranks[:, None, :]) < k)
            if kind == "2++":
                weights = mu * weights + score_differences(discount).abs()
            weights = weights * score_differences(gain).abs() * is_higher_grade(grades, mask)
    return (weights * logistic(scores, sigma)).sum() / (LOG_2 * len(scores))


def nonzero(totals: Tensor) -> Tensor:
    """The totals to divide by, 1 where they are 0, as is then what is divided."""
    return totals.masked_fill(totals == 0, 1.0)


def logistic(scores: Tensor, sigma: float) -> Tensor:
    """(lists, positions, positions) log(1 + exp(-sigma (s_i - s_j)))."""
    exponents = -sigma * score_differences(scores)
    return load_pytorch().nn.functional.softplus(exponents, threshold=1e9)  # exact also for large values


def score_differences(values: Tensor) -> Tensor:
    """(lists, positions, positions) differences."""
    return values[:, :, None] - values[:, None, :]


def is_higher_grade(grades: Tensor, mask: Tensor) -> Tensor:
    """(lists, positions, positions) whether the first has the higher grade."""
    return (grades[:, :, None] > grades[:, None, :]) & mask[:, :, None] & mask[:, None, :]


def ranks_from_zero(scores: Tensor, mask: Tensor) -> Tensor:
    """(lists, positions) the rank of each document from 0; equal scores keep their order, as in NumPy."""
    torch = load_pytorch()
    order = scores.masked_fill(~mask, -float("inf")).sort(dim=1, descending=True, stable=True).indices
    ranks = torch.arange(scores.shape[1], device=scores.device).expand_as(order)
    return torch.empty_like(order).scatter_(1, order, ranks)


def gains(grades: Tensor, mask: Tensor) -> Tensor:
    """2 ** grade - 1, at least 0."""
    return (grades.clamp(min=0.0).exp2() - 1.0) * mask


#: Losses by name; the others are computed by NumPy, through `TorchLoss`.
NATIVE: dict[str, Callable[..., Tensor]] = {
    "listnet": listnet,
    "softmax_cross_entropy": softmax_cross_entropy,
    "squared": squared,
    "ranknet": ranknet,
    "lambdaloss": lambdaloss,
}
