"""Means and deviations of measures, with which trec_eval prints z-scores (-Z)."""

from __future__ import annotations

from rankscope.data.rows import decode_ids
from rankscope.errors import InputError
from rankscope.io.core import LineLayout, read_fields
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import decode
from rankscope.typing import PathLike

__all__ = [
    "MISSING_ZSCORE",
    "read_zscores",
]


#: In the place of a z-score that has no mean, or no deviation.
MISSING_ZSCORE = -1000000.0
ZSCORE_LAYOUT = LineLayout(4, 4, (0, 1, 2, 3), "4 (query measure mean deviation)", lambda *_: None)


def read_zscores(path: PathLike) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and standard deviation for each query and measure, from lines of `query measure mean deviation`.

    Raises InputError for a malformed line.
    """
    block, (queries, measures, *texts) = read_fields(path, ZSCORE_LAYOUT)
    columns = []
    for name, fields in zip(("mean", "deviation"), texts, strict=True):
        numbers, invalid_rows = parse_floats(fields)
        if invalid_rows.size:
            row = invalid_rows[:1]
            raise InputError(
                f"{block.location(int(fields.starts[row[0]]))}: {name} {decode_ids(decode(fields.take(row)))[0]!r}, "
                "expected a number; correct this line"
            )
        columns.append(numbers.tolist())
    names = zip(decode_ids(decode(queries)), decode_ids(decode(measures)), strict=True)
    return dict(zip(names, zip(*columns, strict=True), strict=True))
