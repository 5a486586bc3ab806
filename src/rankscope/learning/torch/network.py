"""A network with attention over the list: weights and scores as plain functions of tensors.

Each document goes through hidden layers by itself. Then, where there is attention, layers of a transformer's encoder
let the documents of a list look at one another: which of them come together says something of each. No place in the
list is told, so that the order of the documents changes nothing.

Sources: Vaswani et al. (2017), normalised first as in Xiong et al. (2020); over lists of documents Pobrotyn et al.
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
#: Weights of a layer of attention, and how much wider than the rest it is where each document is by itself.
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
        """Of what stands for a document after the hidden layers."""
        return (self.inputs, *self.hidden)[-1]

    def shapes(self) -> list[tuple[int, ...]]:
        """Of all weights, in the order in which they are kept."""
        w, wide = self.width, WIDER * self.width
        found: list[tuple[int, ...]] = [
            shape for pair in pairwise((self.inputs, *self.hidden)) for shape in (pair, pair[1:])
        ]
        layer = [(w,), (w,), (w, 3 * w), (3 * w,), (w, w), (w,), (w,), (w,), (w, wide), (wide,), (wide, w), (w,)]
        found += layer * self.attention
        if self.attention:
            found += [(w,), (w,)]
        return [*found, (w, 1), (1,)]


class ListTable:
    """How the documents of a batch, one after the other, stand in a table of lists.

    cells: (documents) the place of each in the table of `lists` x `longest`, as one row.
    """

    def __init__(self, cells: Tensor, lists: int, longest: int) -> None:
        self.cells, self.lists, self.longest = cells, lists, longest

    def laid_out(self, values: Tensor) -> Tensor:
        """(lists, longest, ...) of (documents, ...), with 0 where there is no document."""
        table = values.new_zeros((self.lists * self.longest, *values.shape[1:]))
        return table.index_copy(0, self.cells, values).view(self.lists, self.longest, *values.shape[1:])

    def in_a_row(self, table: Tensor) -> Tensor:
        """(documents, ...) of (lists, longest, ...)."""
        return table.flatten(0, 1).index_select(0, self.cells)

    @property
    def mask(self) -> Tensor:
        """(lists, longest) whether there is a document."""
        return self.laid_out(load_pytorch().ones_like(self.cells, dtype=load_pytorch().bool))


def first_weights(shape: NetworkShape, rng: np.random.Generator) -> list[Floats32]:
    """Hidden layers as those of a `Ranker`; layers of attention begin by changing little of what goes through them."""
    plain = initial_weights((shape.inputs, *shape.hidden, 1), rng)
    found, last = plain[:-2], plain[-2:]
    for place, size in enumerate(shape.shapes()[len(found) : -2]):
        if len(size) == 1:
            norm = place % PER_LAYER in (0, 6)  # what a norm multiplies by; the last one's, too
            found.append(np.full(size, float(norm), np.float32))
        else:
            scale = np.sqrt(1.0 / size[0])
            if place % PER_LAYER in (4, 10):  # what is added to what was there
                scale /= np.sqrt(2.0 * shape.attention)
            found.append((scale * rng.standard_normal(size)).astype(np.float32))
    return [*found, *last]


def score_lists(
    weights: list[Tensor],
    values: Tensor,
    shape: NetworkShape,
    table: ListTable | None = None,
    dropout: float = 0.0,
    generator: Any = None,
) -> Tensor:
    """(documents) scores. table: how these stand in lists, asked for by attention. dropout: the share of units that
    are left out, drawn from the generator.
    """
    at = 0
    for _ in shape.hidden:
        values = dropout_units((values @ weights[at] + weights[at + 1]).relu(), dropout, generator)
        at += 2
    if shape.attention and table is not None:
        values, inside = table.laid_out(values), table.mask
        for _ in range(shape.attention):
            values = attention_layer(weights[at : at + PER_LAYER], values, inside, shape.heads, dropout, generator)
            at += PER_LAYER
        values = table.in_a_row(layer_norm(values, *weights[at : at + 2]))
    return (values @ weights[-2] + weights[-1])[:, 0]


def attention_layer(
    weights: list[Tensor], values: Tensor, inside: Tensor, heads: int, dropout: float, generator: Any
) -> Tensor:
    """(lists, longest, width) documents that have looked at one another."""
    lists, longest, width = values.shape
    three = layer_norm(values, *weights[0:2]) @ weights[2] + weights[3]
    asked, held, told = three.view(lists, longest, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    attention = load_pytorch().nn.functional.scaled_dot_product_attention
    seen = attention(asked, held, told, attn_mask=inside[:, None, None, :])
    seen = seen.transpose(1, 2).reshape(lists, longest, width) @ weights[4] + weights[5]
    values = values + dropout_units(seen, dropout, generator)
    alone = (layer_norm(values, *weights[6:8]) @ weights[8] + weights[9]).relu()
    return values + dropout_units(alone @ weights[10] + weights[11], dropout, generator)


def layer_norm(values: Tensor, growth: Tensor, shift: Tensor) -> Tensor:
    """Each document with mean 0 and deviation 1 over its units, then scaled."""
    return load_pytorch().nn.functional.layer_norm(values, growth.shape, growth, shift)


def dropout_units(values: Tensor, dropout: float, generator: Any) -> Tensor:
    """Some units set to 0, the others growing as much. Drawn from a generator of our own, as `dropout` cannot be."""
    if not dropout:
        return values
    lots = load_pytorch().rand(values.shape, generator=generator, device=values.device)
    return values * (lots >= dropout) / (1.0 - dropout)
