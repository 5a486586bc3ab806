"""Prediction files: one number a line, in the order of a label file."""

from __future__ import annotations

import numpy as np

from rankscope.data.rows import decode_id
from rankscope.errors import InputError
from rankscope.io.blocks import BlockReader
from rankscope.io.letor_fields import BLOCK_SIZE, BlockLines, single_numbers
from rankscope.io.read import Source, open_source
from rankscope.io.streams import open_binary
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import Fields, decode
from rankscope.typing import Bools, Floats, PathLike

__all__ = ["predictions_from_source", "read_predictions"]


def read_predictions(path: PathLike) -> Floats:
    """The numbers of a prediction file, one a line, float64; "-" is standard input, compression is told by content.

    Raises InputError, naming file and line, for what is no finite number, a blank line (but at the end), an empty file.
    """
    with open_binary(path) as stream:
        return predictions_from_source(open_source(stream, path, None))


def predictions_from_source(source: Source) -> Floats:
    values: list[Floats] = []
    first_blank = 0
    reader = BlockReader(source, source.name, BLOCK_SIZE)
    block = reader.next()
    while block is not None:
        lines, fields, several = single_numbers(block)
        blank = np.flatnonzero(fields.lengths == 0)
        filled = np.flatnonzero(fields.lengths) if blank.size else np.arange(fields.starts.size)
        if filled.size and (first_blank or (blank.size and blank[0] < filled[-1])):
            number = first_blank or lines.number + int(blank[0])
            raise InputError(
                f"{source.name}:{number}: a blank line, expected one number a line; remove it, or "
                "write the prediction of that document"
            )
        if blank.size and not first_blank:
            first_blank = lines.number + int(blank[0])
        values.append(finite_numbers(fields.take(filled), several[filled], lines, source.name))
        block = reader.next(block.end)
    found = np.concatenate(values)
    if not found.size:
        raise InputError(f"{source.name}: no data, only blank lines; expected one number a line")
    return found


def finite_numbers(fields: Fields, several: Bools, lines: BlockLines, name: str) -> Floats:
    """The numbers of consecutive lines. Raises InputError for what is none."""
    values, bad = parse_floats(fields)
    good = np.isfinite(values) & ~several
    good[bad] = False
    if not good.all():
        row = int(np.argmin(good))
        found = "more than one field" if several[row] else repr(decode_id(decode(fields.take(np.array([row])))[0]))
        raise InputError(f"{name}:{lines.number + row}: {found}, expected one finite number a line; correct this line")
    return values
