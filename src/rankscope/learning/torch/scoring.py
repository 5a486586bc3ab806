"""Scores of a trained network, by exact sums.

How sums are made exact, and why nothing else will do, is told in `rankscope.kernels.exact`; here the same is done with
tensors, on a CPU or a GPU, and for layers that look at the whole list. All else is done to single elements, by sums,
products and quotients that IEEE 754 defines to the last bit; exponentials and roots, which it does not and which
libraries compute in other ways at the end of a row, are made of these. So a score depends on its document, with
attention on the documents of its list, whatever their order, and on nothing that is computed beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankscope.kernels.exact import MANTISSA, NONE, ROW, TINY
from rankscope.learning.network import exact_layers
from rankscope.learning.torch.batches import by_length
from rankscope.learning.torch.device import load_pytorch
from rankscope.learning.torch.network import PER_LAYER, ListTable, NetworkShape
from rankscope.typing import Floats32, Ints

__all__ = [
    "score_all",
]


Tensor = Any
#: Documents that are scored at once, with attention places in a table of lists; the former stay in a CPU's cache.
DOCUMENTS_AT_ONCE = {"cpu": 1 << 10, "cuda": 1 << 14}
#: Of all documents with one another, how many are looked at at once.
CELLS = {"cpu": 1 << 16, "cuda": 1 << 23}
#: Of ln 2, what has few enough digits for whole multiples of it to be exact, and the rest; 1 / ln 2.
LN2, LN2_REST, PER_LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.4426950408889634
#: 1 / 8!, 1 / 7!, ..., 1 / 0!: within ln 2 / 2 of 0, powers of e to 10 digits.
POWERS = (2.48015873015873e-05, 1.984126984126984e-04, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0)
#: What a root is guessed from by the digits of its number; steps of Newton's method, each of which doubles the digits.
ROOT, STEPS = 0x5FE6EB50C7B537A9, 4
#: What is added to a variance before it is divided by, as PyTorch has it.
LEAST_VARIANCE = 1e-5


class Dense(NamedTuple):
    """Layers with the maximum with 0 between them, as `exact_layers` has them."""

    worth: Tensor
    layers: list[tuple[Tensor, Tensor]]

    @classmethod
    def of(cls, weights: list[Floats32], device: str) -> Dense:
        torch = load_pytorch()
        worth, layers = exact_layers(weights)
        moved = [tuple(torch.from_numpy(one).to(device) for one in layer) for layer in layers]
        return cls(torch.from_numpy(worth).to(device), moved)

    def __call__(self, values: Tensor) -> Tensor:
        hidden = values * self.worth
        for place, (matrix, added) in enumerate(self.layers):
            if place:
                hidden = hidden.relu()
            hidden = rounded(hidden, ROW) @ matrix
            hidden += added
        return hidden


class Norm(NamedTuple):
    """Each document with mean 0 and deviation 1 over its units, then scaled."""

    growth: Tensor
    shift: Tensor

    def __call__(self, values: Tensor) -> Tensor:
        width = values.shape[-1]
        digits = MANTISSA - width.bit_length()
        apart = values - rounded(values, digits).sum(-1, keepdim=True) * (1.0 / width)
        variance = rounded(apart * apart, digits).sum(-1, keepdim=True) * (1.0 / width)
        return apart * inverse_root(variance + LEAST_VARIANCE) * self.growth + self.shift


class ExactNetwork:
    """Weights as they are needed for scoring, on the device."""

    def __init__(self, weights: list[Tensor], shape: NetworkShape, device: str) -> None:
        self.shape, self.device = shape, device
        arrays = [one.detach().cpu().numpy() for one in weights]
        before = 2 * len(shape.hidden)
        self.last = Dense.of(arrays if not shape.attention else arrays[-2:], device)
        if not shape.attention:
            return
        self.hidden = Dense.of(arrays[:before], device)
        norms = [load_pytorch().from_numpy(one.astype(np.float64)).to(device) for one in arrays]
        self.layers = [
            (
                Norm(*norms[at : at + 2]),
                Dense.of(arrays[at + 2 : at + 4], device),
                Dense.of(arrays[at + 4 : at + 6], device),
                Norm(*norms[at + 6 : at + 8]),
                Dense.of(arrays[at + 8 : at + 12], device),
            )
            for at in range(before, before + PER_LAYER * shape.attention, PER_LAYER)
        ]
        self.norm = Norm(*norms[-4:-2])

    def alone(self, values: Tensor) -> Tensor:
        """(documents) scores without attention."""
        return self.last(values.double())[:, 0]

    def together(self, values: Tensor, table: ListTable, lengths: Ints) -> Tensor:
        """(documents) scores with attention, of lists of these lengths that stand in a table."""
        needed = load_pytorch().from_numpy(np.frexp(lengths)[1].astype(np.int64)).to(self.device)[:, None, None, None]
        inside = table.mask
        values = table.laid_out(self.hidden(values.double()).relu())
        for first, three, out, second, wide in self.layers:
            values = values + out(self.attended(three(first(values)), inside, needed))
            values = values + wide(second(values))
        return self.last(table.in_a_row(self.norm(values)))[:, 0]

    def attended(self, three: Tensor, inside: Tensor, needed: Tensor) -> Tensor:
        """(lists, longest, width) what documents see of one another. needed: digits of how many a list has."""
        torch, heads = load_pytorch(), self.shape.heads
        lists, longest, units = three.shape
        size = units // (3 * heads)
        asked, held, told = three.view(lists, longest, 3, heads, size).permute(2, 0, 3, 1, 4)
        digits = (MANTISSA - size.bit_length()) // 2
        asked, held = rounded(asked * size**-0.5, digits), rounded(held, digits).transpose(-1, -2)
        # Sums over the documents of a list: as many digits as leave room for these, never for those of other lists.
        digits = (MANTISSA - needed) // 2
        told = rounded(told.masked_fill(~inside[:, None, :, None], 0.0), digits, along=-2)
        one = rounder(torch.ones_like(needed, dtype=torch.float64), digits)
        nobody = ~inside[:, None, None, :]
        seen = torch.empty_like(told)
        step = max(1, CELLS[self.device] // (lists * heads * longest))
        for start in range(0, longest, step):
            rows = slice(start, start + step)
            shares = (asked[:, :, rows] @ held).masked_fill_(nobody, -float("inf"))
            shares = power(shares - shares.amax(-1, keepdim=True)).add_(one).sub_(one)
            seen[:, :, rows] = (shares @ told) / shares.sum(-1, keepdim=True)
        return seen.transpose(1, 2).reshape(lists, longest, heads * size)


def rounder(greatest: Tensor, digits: int | Tensor) -> Tensor:
    """As that of `rankscope.kernels.exact`."""
    exponent = (greatest.view(load_pytorch().int64) >> 52) + (MANTISSA - digits)
    return ((exponent.clamp(max=NONE) << 52) | (1 << 51)).view(load_pytorch().float64)


def rounded(values: Tensor, digits: int | Tensor, along: int = -1) -> Tensor:
    """Multiples of a unit that follows from the greatest number along a dimension: sums along it are exact."""
    by = rounder(values.abs().amax(along, keepdim=True).clamp(min=TINY), digits)
    return (values + by).sub_(by)


def power(values: Tensor) -> Tensor:
    """Powers of e by numbers of at most 0; nearly 0 below -600."""
    values = values.clamp(min=-600.0)
    whole = (values * PER_LN2).round_()
    rest = (values - whole * LN2).sub_(whole * LN2_REST)
    found = rest * POWERS[0]
    for factor in POWERS[1:-1]:
        found.add_(factor).mul_(rest)
    found.add_(POWERS[-1])
    return found.mul_(((whole.long() + 1023) << 52).view(load_pytorch().float64))


def inverse_root(values: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    torch = load_pytorch()
    found = (ROOT - (values.view(torch.int64) >> 1)).view(torch.float64)
    for _ in range(STEPS):
        found = found * (1.5 - values * 0.5 * found * found)
    return found


def score_all(weights: list[Tensor], values: Tensor, offsets: Ints, shape: NetworkShape, device: str) -> Floats32:
    """(documents) scores, some documents at a time, or with attention some lists. values: here or on the device."""
    torch = load_pytorch()
    found = np.empty(len(values), np.float32)
    network, at_once = ExactNetwork(weights, shape, device), DOCUMENTS_AT_ONCE[device]
    with torch.no_grad():
        if not shape.attention:
            for start in range(0, len(values), at_once):
                part = slice(start, start + at_once)
                found[part] = network.alone(values[part].to(device)).float().cpu().numpy()
            return found
        for batch in by_length(offsets, at_once):
            lengths = np.diff(batch.offsets)
            table = ListTable(torch.from_numpy(batch.cells).to(device), batch.lists.size, batch.longest)
            rows = torch.from_numpy(batch.rows).to(values.device)
            scores = network.together(values.index_select(0, rows).to(device), table, lengths)
            found[batch.rows] = scores.float().cpu().numpy()
    return found
