"""Scores of a trained network, by exact sums.

`rankscope.kernels.exact` explains how sums are exact, and why they must be; here the same is done with tensors, on a
CPU or a GPU, and for layers of attention. All else is done element by element, by sums, products and quotients that
IEEE 754 defines to the last bit; exponentials and roots, which it does not define and which libraries compute
differently at the end of a row, are computed from these. So a score depends on its document only, with attention on the
documents of its list, whatever their order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankscope.kernels.exact import MANTISSA, NON_FINITE_EXPONENT, ROW_BITS, TINY
from rankscope.learning.network import exact_layers
from rankscope.learning.torch.batches import by_length
from rankscope.learning.torch.device import load_pytorch
from rankscope.learning.torch.network import PER_LAYER, ListTable, NetworkShape
from rankscope.typing import Floats32, Ints

__all__ = [
    "score_all",
]


Tensor = Any
#: Documents that are scored at once (with attention: cells of a table of lists), few enough for a CPU's cache.
DOCUMENTS_AT_ONCE = {"cpu": 1 << 10, "cuda": 1 << 14}
#: Cells of one block of attention weights.
CELLS = {"cpu": 1 << 16, "cuda": 1 << 23}
#: ln 2 with few enough digits for exact multiples, the rest of it, and 1 / ln 2.
LN2, LN2_REST, PER_LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.4426950408889634
#: 1 / 8!, 1 / 7!, ..., 1 / 0!: exp(x) to 10 digits for |x| up to ln 2 / 2.
POWERS = (2.48015873015873e-05, 1.984126984126984e-04, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0)
#: The constant of the first guess of 1 / sqrt(x) from the bits of x; steps of Newton's method, which double the digits.
ROOT, STEPS = 0x5FE6EB50C7B537A9, 4
#: Added to a variance before division, as in PyTorch.
LEAST_VARIANCE = 1e-5


class Dense(NamedTuple):
    """Layers with the maximum with 0 between them, from `exact_layers`."""

    input_scale: Tensor
    layers: list[tuple[Tensor, Tensor]]

    @classmethod
    def of(cls, weights: list[Floats32], device: str) -> Dense:
        torch = load_pytorch()
        worth, layers = exact_layers(weights)
        device_layers = [tuple(torch.from_numpy(array).to(device) for array in layer) for layer in layers]
        return cls(torch.from_numpy(worth).to(device), device_layers)

    def __call__(self, values: Tensor) -> Tensor:
        hidden = values * self.input_scale
        for index, (matrix, bias) in enumerate(self.layers):
            if index:
                hidden = hidden.relu()
            hidden = round_to_unit(hidden, ROW_BITS) @ matrix
            hidden += bias
        return hidden


class Norm(NamedTuple):
    """Each document with mean 0 and deviation 1 over its units, then scaled."""

    growth: Tensor
    shift: Tensor

    def __call__(self, values: Tensor) -> Tensor:
        width = values.shape[-1]
        digits = MANTISSA - width.bit_length()
        centred = values - round_to_unit(values, digits).sum(-1, keepdim=True) * (1.0 / width)
        variance = round_to_unit(centred * centred, digits).sum(-1, keepdim=True) * (1.0 / width)
        return centred * inverse_root(variance + LEAST_VARIANCE) * self.growth + self.shift


class ExactNetwork:
    """A network prepared for exact scoring, on the device."""

    def __init__(self, weights: list[Tensor], shape: NetworkShape, device: str) -> None:
        self.shape, self.device = shape, device
        arrays = [weight.detach().cpu().numpy() for weight in weights]
        n_hidden_arrays = 2 * len(shape.hidden)
        self.last = Dense.of(arrays if not shape.attention else arrays[-2:], device)
        if not shape.attention:
            return
        self.hidden = Dense.of(arrays[:n_hidden_arrays], device)
        tensors = [load_pytorch().from_numpy(array.astype(np.float64)).to(device) for array in arrays]
        self.layers = [
            (
                Norm(*tensors[start : start + 2]),
                Dense.of(arrays[start + 2 : start + 4], device),
                Dense.of(arrays[start + 4 : start + 6], device),
                Norm(*tensors[start + 6 : start + 8]),
                Dense.of(arrays[start + 8 : start + 12], device),
            )
            for start in range(n_hidden_arrays, n_hidden_arrays + PER_LAYER * shape.attention, PER_LAYER)
        ]
        self.norm = Norm(*tensors[-4:-2])

    def score_documents(self, values: Tensor) -> Tensor:
        """(documents) scores without attention."""
        return self.last(values.double())[:, 0]

    def score_lists(self, values: Tensor, table: ListTable, lengths: Ints) -> Tensor:
        """(documents) scores with attention, of lists of these lengths."""
        length_digits = (
            load_pytorch().from_numpy(np.frexp(lengths)[1].astype(np.int64)).to(self.device)[:, None, None, None]
        )
        present = table.mask
        values = table.to_table(self.hidden(values.double()).relu())
        for attention_norm, project, output, feed_forward_norm, feed_forward in self.layers:
            values = values + output(self.attend(project(attention_norm(values)), present, length_digits))
            values = values + feed_forward(feed_forward_norm(values))
        return self.last(table.to_documents(self.norm(values)))[:, 0]

    def attend(self, projected: Tensor, present: Tensor, length_digits: Tensor) -> Tensor:
        """(lists, longest, width) the result of attention. length_digits: bits of the length of each list."""
        torch, heads = load_pytorch(), self.shape.heads
        lists, longest, units = projected.shape
        size = units // (3 * heads)
        query, key, value = projected.view(lists, longest, 3, heads, size).permute(2, 0, 3, 1, 4)
        digits = (MANTISSA - size.bit_length()) // 2
        query, key = round_to_unit(query * size**-0.5, digits), round_to_unit(key, digits).transpose(-1, -2)
        # For sums over the documents of a list, the digits depend on its own length, never on other lists.
        digits = (MANTISSA - length_digits) // 2
        value = round_to_unit(value.masked_fill(~present[:, None, :, None], 0.0), digits, along=-2)
        rounding_term = rounder(torch.ones_like(length_digits, dtype=torch.float64), digits)
        absent = ~present[:, None, None, :]
        attended = torch.empty_like(value)
        rows_per_block = max(1, CELLS[self.device] // (lists * heads * longest))
        for start in range(0, longest, rows_per_block):
            rows = slice(start, start + rows_per_block)
            shares = (query[:, :, rows] @ key).masked_fill_(absent, -float("inf"))
            shares = power(shares - shares.amax(-1, keepdim=True)).add_(rounding_term).sub_(rounding_term)
            attended[:, :, rows] = (shares @ value) / shares.sum(-1, keepdim=True)
        return attended.transpose(1, 2).reshape(lists, longest, heads * size)


def rounder(greatest: Tensor, digits: int | Tensor) -> Tensor:
    """The same as in `rankscope.kernels.exact`, for tensors."""
    exponent = (greatest.view(load_pytorch().int64) >> 52) + (MANTISSA - digits)
    return ((exponent.clamp(max=NON_FINITE_EXPONENT) << 52) | (1 << 51)).view(load_pytorch().float64)


def round_to_unit(values: Tensor, digits: int | Tensor, along: int = -1) -> Tensor:
    """Round to multiples of a unit from the greatest number along a dimension, so that sums along it are exact."""
    rounding_term = rounder(values.abs().amax(along, keepdim=True).clamp(min=TINY), digits)
    return (values + rounding_term).sub_(rounding_term)


def power(values: Tensor) -> Tensor:
    """exp(x) for x of at most 0; nearly 0 below -600."""
    values = values.clamp(min=-600.0)
    multiple = (values * PER_LN2).round_()
    remainder = (values - multiple * LN2).sub_(multiple * LN2_REST)
    result = remainder * POWERS[0]
    for factor in POWERS[1:-1]:
        result.add_(factor).mul_(remainder)
    result.add_(POWERS[-1])
    return result.mul_(((multiple.long() + 1023) << 52).view(load_pytorch().float64))


def inverse_root(values: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    torch = load_pytorch()
    root = (ROOT - (values.view(torch.int64) >> 1)).view(torch.float64)
    for _ in range(STEPS):
        root = root * (1.5 - values * 0.5 * root * root)
    return root


def score_all(weights: list[Tensor], values: Tensor, offsets: Ints, shape: NetworkShape, device: str) -> Floats32:
    """(documents) scores, in blocks of documents, or with attention of lists. values: on the CPU or the device."""
    torch = load_pytorch()
    scores = np.empty(len(values), np.float32)
    network, at_once = ExactNetwork(weights, shape, device), DOCUMENTS_AT_ONCE[device]
    with torch.no_grad():
        if not shape.attention:
            for start in range(0, len(values), at_once):
                documents = slice(start, start + at_once)
                scores[documents] = network.score_documents(values[documents].to(device)).float().cpu().numpy()
            return scores
        for batch in by_length(offsets, at_once):
            lengths = np.diff(batch.offsets)
            table = ListTable(torch.from_numpy(batch.cells).to(device), batch.lists.size, batch.longest)
            rows = torch.from_numpy(batch.rows).to(values.device)
            batch_scores = network.score_lists(values.index_select(0, rows).to(device), table, lengths)
            scores[batch.rows] = batch_scores.float().cpu().numpy()
    return scores
