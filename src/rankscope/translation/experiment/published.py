"""Tables 2 to 5 of Li, Jiang and Wang (2013)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "AVERAGE",
    "Cell",
    "published_cells",
]


AVERAGE = "average"
#: A block a table: its number and columns; then a line a metric. 2 and 3: segment tau; 4 and 5: Spearman on systems,
#: negative where lower scores are better, averaged without the sign. A dash: not printed.
TABLES = """
2 fr-en de-en es-en cs-en average
ListNet 0.26 0.25 0.30 0.21 0.26
ListMLE 0.20 0.28 0.30 0.25 0.26
spede07_pP 0.26 0.28 0.26 0.21 0.25
Meteor 0.25 0.27 0.25 0.21 0.25
RankNet 0.20 0.24 0.24 0.22 0.23
AMBER 0.24 0.25 0.23 0.19 0.23
TerrorCat 0.18 0.19 0.18 0.19 0.19
simpBLEU 0.19 0.17 0.19 0.13 0.17
XEnErrCats 0.17 0.18 0.18 0.13 0.17
posF 0.16 0.18 0.15 0.12 0.15
WordBlockEC 0.15 0.16 0.17 0.13 0.15
BlockErrCats 0.07 0.08 0.08 0.06 0.07
SAGAN_STS - - 0.21 0.20 -

3 en-fr en-de en-es en-cs average
ListNet 0.25 0.19 0.26 0.19 0.22
ListMLE 0.25 0.18 0.24 0.15 0.21
RankNet 0.25 0.16 0.21 0.16 0.20
Meteor 0.26 0.18 0.21 0.16 0.20
AMBER 0.23 0.17 0.22 0.15 0.19
TerrorCat 0.18 0.19 0.18 0.18 0.18
simpBLEU 0.20 0.13 0.18 0.1 0.15
EnXErrCats 0.20 0.11 0.17 0.09 0.14
posF 0.15 0.13 0.15 0.13 0.14
WordBlockEC 0.19 0.1 0.17 0.1 0.14
BlockErrCats 0.13 0.04 0.12 0.01 0.08

4 cs-en de-en es-en fr-en average
SEMPOS 0.94 0.92 0.94 0.80 0.90
ListMLE -0.94 -0.94 -0.85 -0.78 0.88
AMBER 0.83 0.79 0.97 0.85 0.86
ListNet -0.83 -0.86 -0.87 -0.82 0.84
Meteor 0.66 0.89 0.95 0.84 0.83
TerrorCat 0.71 0.76 0.97 0.88 0.83
RankNet -0.89 -0.66 -0.92 -0.81 0.82
simpBLEU 0.89 0.70 0.89 0.82 0.82
TER -0.89 -0.62 -0.92 -0.82 0.81
BLEU 0.89 0.67 0.87 0.81 0.81
posF 0.66 0.66 0.87 0.83 0.75
BlockErrCats -0.64 -0.75 -0.88 -0.74 0.75
WordBlockEC -0.66 -0.67 -0.85 -0.77 0.74
XEnErrCats -0.66 -0.64 -0.87 -0.77 0.74
SAGAN_STS 0.66 - 0.91 - -

5 en-cs en-de en-es en-fr average
ListMLE -0.78 -0.81 -0.36 -0.68 0.66
simpBLEU 0.83 0.46 0.42 0.94 0.66
BlockErrCats -0.65 -0.53 -0.47 -0.93 0.64
EnXErrCats -0.74 -0.38 -0.47 -0.93 0.63
posF 0.80 0.54 0.37 0.69 0.60
WordBlockEC -0.71 -0.37 -0.47 -0.81 0.59
TerrorCat 0.65 0.48 0.58 0.53 0.56
ListNet -0.73 -0.53 -0.32 -0.64 0.55
AMBER 0.71 0.25 0.50 0.75 0.55
TER -0.69 -0.41 -0.45 -0.66 0.55
Meteor 0.73 0.18 0.45 0.82 0.54
BLEU 0.80 0.22 0.40 0.71 0.53
RankNet -0.38 -0.57 -0.17 -0.64 0.44
SEMPOS 0.52 - - - -
"""


class Cell(NamedTuple):
    """A cell of a published table.

    Attributes
    ----------
    table, metric, pair
        Number of the table, its row and column.
    value
        NaN if none was printed.
    """

    table: str
    metric: str
    pair: str
    value: float


def published_cells() -> Iterator[Cell]:
    """Every published cell, in the order of the paper.

    >>> next(published_cells())
    Cell(table='2', metric='ListNet', pair='fr-en', value=0.26)
    >>> sum(cell.value == cell.value for cell in published_cells())
    255
    """
    for block in TABLES.strip().split("\n\n"):
        (table, *columns), *rows = map(str.split, block.splitlines())
        for metric, *values in rows:
            for pair, value in zip(columns, values, strict=True):
                yield Cell(table, metric, pair, float("nan" if value == "-" else value))
