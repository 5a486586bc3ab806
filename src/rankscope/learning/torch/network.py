"""A network with attention over the list: weights and scores as plain functions of tensors.

Each document goes through hidden layers by itself. Then, with attention, layers of a transformer's encoder let the
documents of a list look at one another. There are no position encodings, so that the order of the documents does not
matter.

Sources: Vaswani et al. (2017), with the norm first as in Xiong et al. (2020); over lists of documents Pobrotyn et al.
(2020), "Context-aware learning to rank with self-attention".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.learning.network import initial_weights
from rankscope.learning.torch.device import load_pytorch
from rankscope.typing import Floats32

__all__ = [
    "ListTable",
    "NetworkShape",
    "first_weights",
    "score_lists",
]


Tensor = Any
#: The number of arrays of an attention layer, and how much wider than the rest its feed-forward part is.
PER_LAYER, WIDER = 12, 2


@dataclass(frozen=True, kw_only=True)
class NetworkShape:
    """inputs: features. hidden: sizes of layers. attention: layers that look at the list, each with so many heads."""

    inputs: int
    hidden: tuple[int, ...]
    attention: int = 0
    heads: int = 1

    @property
    def width(self) -> int:
        """The number of units of a document after the hidden layers."""
        return (self.inputs, *self.hidden)[-1]

    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of all weights, in their order."""
        w, wide = self.width, WIDER * self.width
        shapes: list[tuple[int, ...]] = [
            shape for pair in pairwise((self.inputs, *self.hidden)) for shape in (pair, pair[1:])
        ]
        layer = [(w,), (w,), (w, 3 * w), (3 * w,), (w, w), (w,), (w,), (w,), (w, wide), (wide,), (wide, w), (w,)]
        shapes += layer * self.attention
        if self.attention:
            shapes += [(w,), (w,)]
        return [*shapes, (w, 1), (1,)]


class ListTable:
    """Maps the documents of a batch, one after the other, into a table of lists and back.

    cells: (documents) the index of each in the flattened table of `lists` x `longest`.
    """

    def __init__(self, cells: Tensor, lists: int, longest: int) -> None:
        self.cells, self.lists, self.longest = cells, lists, longest

    def to_table(self, values: Tensor) -> Tensor:
        """(lists, longest, ...) of (documents, ...), with 0 where there is no document."""
        table = values.new_zeros((self.lists * self.longest, *values.shape[1:]))
        return table.index_copy(0, self.cells, values).view(self.lists, self.longest, *values.shape[1:])

    def to_documents(self, table: Tensor) -> Tensor:
        """(documents, ...) of (lists, longest, ...)."""
        return table.flatten(0, 1).index_select(0, self.cells)

    @property
    def mask(self) -> Tensor:
        """(lists, longest) whether there is a document."""
        return self.to_table(load_pytorch().ones_like(self.cells, dtype=load_pytorch().bool))


def first_weights(shape: NetworkShape, rng: np.random.Generator) -> list[Floats32]:
    """Random weights: hidden layers as those of a `Ranker`; layers of attention change their input little at first."""
    perceptron = initial_weights((shape.inputs, *shape.hidden, 1), rng)
    weights, output_weights = perceptron[:-2], perceptron[-2:]
    for index, size in enumerate(shape.shapes()[len(weights) : -2]):
        if len(size) == 1:
            is_norm_scale = index % PER_LAYER in (0, 6)  # the factor of a norm, also of the last one
            weights.append(np.full(size, float(is_norm_scale), np.float32))
        else:
            scale = np.sqrt(1.0 / size[0])
            if index % PER_LAYER in (4, 10):  # a matrix whose product is added to the input
                scale /= np.sqrt(2.0 * shape.attention)
            weights.append((scale * rng.standard_normal(size)).astype(np.float32))
    return [*weights, *output_weights]


def score_lists(
    weights: list[Tensor],
    values: Tensor,
    shape: NetworkShape,
    table: ListTable | None = None,
    dropout: float = 0.0,
    generator: Any = None,
) -> Tensor:
    """(documents) scores. table: of their lists, needed for attention. dropout: the share of units that are set to 0,
    drawn from the generator.
    """
    index = 0
    for _ in shape.hidden:
        values = dropout_units((values @ weights[index] + weights[index + 1]).relu(), dropout, generator)
        index += 2
    if shape.attention and table is not None:
        values, present = table.to_table(values), table.mask
        for _ in range(shape.attention):
            values = attention_layer(
                weights[index : index + PER_LAYER], values, present, shape.heads, dropout, generator
            )
            index += PER_LAYER
        values = table.to_documents(layer_norm(values, *weights[index : index + 2]))
    return (values @ weights[-2] + weights[-1])[:, 0]


def attention_layer(
    weights: list[Tensor], values: Tensor, present: Tensor, heads: int, dropout: float, generator: Any
) -> Tensor:
    """(lists, longest, width) documents that have looked at one another."""
    lists, longest, width = values.shape
    projected = layer_norm(values, *weights[0:2]) @ weights[2] + weights[3]
    query, key, value = projected.view(lists, longest, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    attention = load_pytorch().nn.functional.scaled_dot_product_attention
    attended = attention(query, key, value, attn_mask=present[:, None, None, :])
    attended = attended.transpose(1, 2).reshape(lists, longest, width) @ weights[4] + weights[5]
    values = values + dropout_units(attended, dropout, generator)
    hidden = (layer_norm(values, *weights[6:8]) @ weights[8] + weights[9]).relu()
    return values + dropout_units(hidden @ weights[10] + weights[11], dropout, generator)


def layer_norm(values: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Each document with mean 0 and deviation 1 over its units, then scaled."""
    return load_pytorch().nn.functional.layer_norm(values, scale.shape, scale, shift)


def dropout_units(values: Tensor, dropout: float, generator: Any) -> Tensor:
    """Set random units to 0 and scale up the others; PyTorch's own `dropout` takes no generator."""
    if not dropout:
        return values
    random_numbers = load_pytorch().rand(values.shape, generator=generator, device=values.device)
    return values * (random_numbers >= dropout) / (1.0 - dropout)
