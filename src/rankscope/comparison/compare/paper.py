"""A comparison as the one table that a paper has room for: systems by measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.data.result import Result
from rankscope.errors import ParameterError
from rankscope.settings import Settings, as_names, name_list

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison

__all__ = [
    "TABLE_COLUMNS",
    "PaperTable",
    "PaperTableSettings",
    "paper_table",
]


#: What the table can show of each measure.
TABLE_COLUMNS = ("mean", "interval", "difference", "p", "effect")


@dataclass(frozen=True, kw_only=True)
class PaperTableSettings(Settings):
    """What the table shows of each measure."""

    FUNCTIONS = ("rankscope.comparison.compare.paper:paper_table",)
    COMMANDS = ("compare",)

    table_columns: tuple[str, ...] = name_list(
        ("mean",),
        TABLE_COLUMNS,
        kind="column of the paper table",
        help="Columns of the paper table for each measure; difference, p and effect need a baseline.",
        metavar="COLUMN,...",
    )

    def check(self) -> None:
        """Refuse a table without columns."""
        if not self.table_columns:
            raise ParameterError(f"table_columns is empty; expected some of {', '.join(TABLE_COLUMNS)}")

    def refuse_differences(self) -> None:
        """Raise ParameterError for columns about differences from a baseline, where there is none."""
        for name in self.table_columns:
            if name not in ("mean", "interval"):
                raise ParameterError(
                    f"the column {name} is about differences from a baseline; name one with baseline (--baseline), or "
                    "choose mean and interval only"
                )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PaperTable(Result):
    """A comparison that shows one table of all systems by all measures, as `paper_table` gives it.

    Attributes
    ----------
    comparison
        The comparison; the tidy table, notes and signature are its own.
    settings
        The columns of the table.
    """

    VIEW = "rankscope.comparison.compare.overview:paper_sections"

    comparison: Comparison
    settings: PaperTableSettings

    @property
    def notes(self) -> Sequence[str]:
        return self.comparison.notes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return self.comparison.columns

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table of the comparison."""
        return self.comparison.records()

    def signature_parts(self) -> list[str]:
        """The settings of the comparison that change the numbers."""
        return self.comparison.signature_parts()

    def contents(self) -> str:
        """What it holds, in a few words."""
        return self.comparison.contents()


def paper_table(comparison: Comparison, table_columns: Sequence[str] = ("mean",)) -> PaperTable:
    """One table of all systems by all measures, as a paper has room for.

    Parameters
    ----------
    comparison
        The comparison, as `compare` gives it.
    table_columns
        Columns of the paper table for each measure; difference, p and effect need a baseline. Default: ('mean',).

    Returns
    -------
    PaperTable
        The systems, best first by the first measure, each with a letter; the best means in bold; behind a mean the
        letters of the systems that this one is significantly better than. With a baseline, marks against it instead.
        `interval` is that of the mean, with a baseline that of the difference; `p` is corrected.

    Raises
    ------
    UnknownName
        A column does not exist.
    ParameterError
        No column is named, or one that needs a baseline where there is none.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"a": 1} for i in range(9)}
    >>> good = rs.Run({q: {"a": 2.0, "b": 1.0} for q in qrels}, name="good")
    >>> poor = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 3 > 0)} for i, q in enumerate(qrels)}, name="poor")
    >>> comparison = rs.compare(rs.evaluate(qrels, [good, poor], ["RR", "P@1"]))
    >>> print(rs.paper_table(comparison).render("markdown").splitlines()[4])
    | a | good | **1.0000**<sup>b</sup> | **1.0000**<sup>b</sup> |
    """
    settings = PaperTableSettings(table_columns=as_names(table_columns))
    if comparison.baseline is None:
        settings.refuse_differences()
    return PaperTable(comparison=comparison, settings=settings)
