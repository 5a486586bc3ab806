"""A measure of lists that come batch by batch, kept on their device until it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.data.scores import Scores
from rankscope.errors import InputError, ParameterError
from rankscope.learning.framework_metrics import ListMetric
from rankscope.learning.torch.device import load_pytorch
from rankscope.measures.base import Measure

__all__ = [
    "RankingMetric",
]


class RankingMetric(ListMetric):
    """A measure that batches are added to: `update`, `compute`, `reset`.

    Tensors are kept where they are, without gradients, and copied to the computer's memory once, by `compute`, which
    gives what `evaluate_arrays` gives for all batches together.

    Parameters
    ----------
    measure
        The measure.
    preset
        Conventions of a reference tool, as in `evaluate`.
    rel
        Lowest grade that counts as relevant.
    ties
        How equal scores are ranked, as in `evaluate_arrays`.
    no_relevant
        Value of a query without relevant documents, as in `evaluate`.
    """

    def __init__(
        self,
        measure: str | Measure,
        *,
        preset: str | None = None,
        rel: float = 1,
        ties: str | None = None,
        no_relevant: str | None = None,
    ) -> None:
        super().__init__(measure, preset=preset, rel=rel, ties=ties, no_relevant=no_relevant)
        self.reset()

    def __repr__(self) -> str:
        return f"RankingMetric({self.name!r}) of {len(self.batches)} batches"

    def reset(self) -> None:
        """Forget all batches."""
        self.batches: list[tuple[Any, Any]] = []
        self.sizes: list[Any] = []
        self.groups: list[Any] = []

    def update(self, scores: Any, relevance: Any, *, mask: Any = None, sizes: Any = None, groups: Any = None) -> None:
        """Add a batch.

        Parameters
        ----------
        scores
            (lists, documents), or flat with `sizes` or `groups`.
        relevance
            Grades in the same shape.
        mask
            True where there is a document.
        sizes
            Of a flat batch, the number of documents of each list.
        groups
            Of a flat batch, the list of each document; a list may go on in another batch.

        Raises
        ------
        InputError
            The tensors have different shapes.
        ParameterError
            Flat without `sizes` or `groups`, or one batch with groups and another without.
        """
        torch = load_pytorch()
        scores, relevance = torch.as_tensor(scores).detach(), torch.as_tensor(relevance).detach()
        if scores.shape != relevance.shape:
            raise InputError(
                f"relevance: shape {tuple(relevance.shape)}, expected that of scores, {tuple(scores.shape)}"
            )
        if scores.ndim == 2:
            if sizes is not None or groups is not None:
                raise ParameterError("sizes and groups are for flat batches, and scores have two dimensions")
            present = torch.ones_like(scores, dtype=torch.bool) if mask is None else torch.as_tensor(mask).bool()
            if present.shape != scores.shape:
                raise InputError(f"mask: shape {tuple(present.shape)}, expected that of scores, {tuple(scores.shape)}")
            scores, relevance, sizes = scores[present], relevance[present.to(relevance.device)], present.sum(1)
        elif scores.ndim != 1 or mask is not None or (sizes is None) == (groups is None):
            raise ParameterError(
                f"scores have the shape {tuple(scores.shape)}; expected (lists, documents), with a mask where lists "
                "differ in length, or a flat batch with sizes or groups"
            )
        if self.batches and (groups is None) != (not self.groups):
            raise ParameterError("one batch has groups and another has none; expected the same form in all batches")
        if groups is not None:
            self.groups.append(torch.as_tensor(groups).detach())
            if self.groups[-1].shape != scores.shape:
                raise InputError(f"groups: {self.groups[-1].numel()} of {scores.numel()} scores, expected one a score")
        else:
            self.sizes.append(torch.as_tensor(sizes).detach())
            if int(self.sizes[-1].sum()) != scores.numel():
                raise InputError(f"sizes: {int(self.sizes[-1].sum())} in all, expected {scores.numel()}, one a score")
        self.batches.append((scores, relevance))

    def compute(self) -> float:
        """The value over all lists of all batches."""
        return self.overall(self.scores())

    def scores(self) -> Scores:
        """The scores of all lists, to compare them, or to save them."""
        if not self.batches:
            raise InputError("there is no batch; call update first")
        scores, relevance = (together([batch[i] for batch in self.batches]) for i in (0, 1))
        lists = {"groups": together(self.groups)} if self.groups else {"sizes": together(self.sizes)}
        return self.evaluate(relevance, scores, **lists)


def together(tensors: list[Any]) -> Any:
    """Tensors one after another, as an array; types of 16 bits, which NumPy may lack, as float32."""
    tensor = load_pytorch().cat([tensor.flatten() for tensor in tensors]).cpu()
    if tensor.is_floating_point() and tensor.element_size() < 4:
        tensor = tensor.float()
    return np.asarray(tensor)
