"""Tables from columns: each with its title, its values and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from rankscope.data.section import Cell, Marked, Table
from rankscope.data.text import format_interval, format_number

__all__ = [
    "Column",
    "column",
    "columns_of",
    "digits",
    "general",
    "interval",
    "is_best",
    "percent",
    "rank_range",
    "table_of",
    "thousands",
]


class Column(NamedTuple):
    """A column of a table for people; that of an input format is `rankscope.data.tables.Column`.

    Attributes
    ----------
    title
        Its heading.
    cells
        Its cells as people read them.
    is_name
        Whether it holds names, which stand on the left.
    """

    title: str
    cells: tuple[Cell, ...]
    is_name: bool


def column(
    title: str,
    values: Iterable[Any],
    text: Callable[[Any], str] = str,
    *,
    name: bool = False,
    bold: Sequence[bool] | None = None,
    raised: Sequence[str] | None = None,
) -> Column:
    """A column of values. text: writes a value. bold, raised: whether a cell is bold, and its superscript.

    >>> column("mean", [0.5, 0.25], digits(2)).cells
    ('0.50', '0.25')
    """
    texts = tuple(map(text, values))
    if bold is None and raised is None:
        return Column(title, texts, name)
    marks = zip(texts, bold or [False] * len(texts), raised or [""] * len(texts), strict=True)
    return Column(title, tuple(Marked(cell, bold=is_bold, raised=above) for cell, is_bold, above in marks), name)


def columns_of(
    titles: Iterable[str], rows: Iterable[Sequence[Any]], text: Callable[[Any], str] = str
) -> tuple[Column, ...]:
    """A column for each title from rows of values. text: writes a value.

    >>> [entry.cells for entry in columns_of(("low", "high"), [(0.1, 0.3), (0.2, 0.4)], digits(1))]
    [('0.1', '0.2'), ('0.3', '0.4')]
    """
    values = list(rows)
    return tuple(column(title, [row[place] for row in values], text) for place, title in enumerate(titles))


def table_of(*columns: Column | None) -> Table:
    """The table of these columns, names first; None stands for a column that is not shown.

    >>> table_of(column("system", "ab", name=True), column("mean", [1, 2], digits(1)), None).rows
    (('a', '1.0'), ('b', '2.0'))
    """
    present = [entry for entry in columns if entry is not None]
    return Table(
        columns=tuple(entry.title for entry in present),
        rows=tuple(zip(*(entry.cells for entry in present), strict=True)),
        n_name_columns=sum(entry.is_name for entry in present),
    )


def is_best(values: Iterable[float], n: int = 4) -> list[bool]:
    """Whether each value is the highest of two or more, as written with `n` digits.

    >>> is_best([0.25, 0.5, 0.500001]), is_best([0.5])
    ([False, True, True], [False])
    """
    numbers = [float(value) for value in values]
    present = [value for value in numbers if value == value]
    best_text = format_number(max(present), n) if len(present) > 1 else None
    return [format_number(value, n) == best_text for value in numbers]


def digits(n: int = 4, *, signed: bool = False) -> Callable[[float], str]:
    """Writes numbers with `n` digits; a dash for NaN."""
    return lambda value: format_number(value, n, signed=signed)


def general(value: float) -> str:
    """A number without trailing zeros; a dash for NaN.

    >>> general(2.0), general(2.5), general(math.nan)
    ('2', '2.5', '-')
    """
    return "-" if math.isnan(value) else f"{value:g}"


def percent(n: int = 0) -> Callable[[float], str]:
    """Writes shares as percentages with `n` digits: 0.53 as "53 %"."""
    return lambda share: f"{100 * share:.{n}f} %"


def interval(n: int = 4) -> Callable[[tuple[float, float]], str]:
    """Writes pairs of ends as an interval; a dash where an end is NaN."""
    return lambda ends: format_interval(ends[0], ends[1], n)


def rank_range(ranks: tuple[float, float]) -> str:
    """The best and the worst rank, as "2-4"; one number if they are the same.

    >>> rank_range((2, 4)), rank_range((1, 1))
    ('2-4', '1')
    """
    best, worst = map(int, ranks)
    return f"{best}" if best == worst else f"{best}-{worst}"


def thousands(count: float | None) -> str:
    """A count with commas between thousands; a dash for None.

    >>> thousands(12345), thousands(None)
    ('12,345', '-')
    """
    return "-" if count is None else f"{count:,.0f}"
