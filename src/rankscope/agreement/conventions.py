"""How pairs of translations count: which of the five kinds of a pair speak for a metric, which against, which not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.pairs import PairCounts
from rankscope.typing import Floats

__all__ = ["CONVENTIONS", "Cell", "KendallConvention", "as_convention", "parse_table"]

#: What a pair counts; None: it is left out.
Cell = float | None
X: Cell = None


@dataclass(frozen=True, kw_only=True)
class KendallConvention:
    """What each kind of pair counts: value = sum of coefficient x pairs / pairs that are not left out.

    concordant, discordant: ordered by the metric as by people, or the other way round. tied_human, tied_metric: tied by
    that side only. tied_both: by both. Each is a number, or None where such pairs are left out of both sums. least: of
    pairs that people ordered only those count whose human scores differ by at least so much; those tied or closer are
    left out.

    >>> KendallConvention(concordant=1, discordant=-1).of(PairCounts(6, 3, 4, 1, 2)).item()  # (6 - 3) / (6 + 3)
    0.3333333333333333
    """

    concordant: Cell = X
    discordant: Cell = X
    tied_human: Cell = X
    tied_metric: Cell = X
    tied_both: Cell = X
    least: float = 0.0
    name: str = "own"
    source: str = "the caller's own table"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """In the order of `PairCounts`: x are people, y is the metric."""
        return self.concordant, self.discordant, self.tied_human, self.tied_metric, self.tied_both

    @property
    def numerator(self) -> Floats:
        """(5) what a pair of each kind adds to the sum above the line."""
        return np.array([0.0 if cell is None else cell for cell in self.cells])

    @property
    def denominator(self) -> Floats:
        """(5) 1 for kinds that count, 0 for those left out."""
        return np.array([0.0 if cell is None else 1.0 for cell in self.cells])

    @property
    def range(self) -> tuple[float, float]:
        """The least and the highest value there can be."""
        there = [cell for cell in self.cells if cell is not None]
        return min(there), max(there)

    @property
    def keeps_pairs(self) -> bool:
        """Whether the same pairs count whatever the metric says: only then is there a best epsilon to look for."""
        below = self.denominator
        return bool(below[0] == below[1] == below[3] and below[2] == below[4])

    @property
    def settings(self) -> str:
        """The name, and of a table of one's own what it holds."""
        if CONVENTIONS.get(self.name) == self:
            return self.name
        shown = ",".join("x" if cell is None else f"{cell:g}" for cell in self.cells)
        return f"{self.name}({shown}{f';least={self.least:g}' if self.least else ''})"

    def sums(self, counts: PairCounts) -> tuple[Floats, Floats]:
        """Numerator and denominator of each list of counts."""
        kinds = (counts.concordant, counts.discordant, counts.tied_x, counts.tied_y, counts.tied_both)
        table = np.stack([np.asarray(kind, np.float64) for kind in kinds], axis=-1)
        return table @ self.numerator, table @ self.denominator

    def of(self, counts: PairCounts) -> Floats:
        """The value of each list of counts; NaN where no pair counts."""
        above, below = self.sums(counts)
        return np.asarray(np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0))

    @classmethod
    def of_table(cls, table: Sequence[Sequence[Cell]], *, name: str = "own") -> KendallConvention:
        """From 3 x 3 coefficients: rows, people say <, =, >; columns, the metric says <, =, >; None leaves pairs out.

        Which of two translations is the first means nothing, so the table turned by half is the same table.
        Raises ParameterError for another shape, for what is no number, for a table that is not its own half turn, and
        where nothing counts.

        >>> KendallConvention.of_table([[1, -1, -1], [None, None, None], [-1, -1, 1]]).range
        (-1.0, 1.0)
        """
        rows = [list(row) for row in table]
        if len(rows) != 3 or any(len(row) != 3 for row in rows):
            raise ParameterError(
                "the table of coefficients is not 3 x 3 (rows, people say <, =, >; columns, the metric); expected 9 "
                "numbers, as --table '1,-1,-1;x,x,x;-1,-1,1'"
            )
        cells = [as_cell(cell) for row in rows for cell in row]
        if cells != cells[::-1]:
            raise ParameterError(
                "the table of coefficients changes where the two translations change places, expected the same number "
                "for (<, <) and (>, >), (<, >) and (>, <), (<, =) and (>, =), (=, <) and (=, >)"
            )
        if all(cell is None for cell in cells):
            raise ParameterError("the table of coefficients leaves every pair out; give at least one cell a number")
        return cls(
            concordant=cells[0],
            tied_metric=cells[1],
            discordant=cells[2],
            tied_human=cells[3],
            tied_both=cells[4],
            name=name,
        )


def as_cell(value: object) -> Cell:
    if value is None:
        return None
    good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not good or not np.isfinite(value):  # type: ignore[call-overload]  # a number, where it is good
        raise ParameterError(f"a coefficient is {value!r}, expected a number, or None to leave such pairs out")
    return float(value)  # type: ignore[arg-type]  # a number, as was just checked


def strict_convention(name: str, tied_metric: Cell, source: str, least: float = 0.0) -> KendallConvention:
    """Pairs that people tied are left out; those ordered alike count 1, the other way round -1."""
    return KendallConvention(
        concordant=1.0, discordant=-1.0, tied_metric=tied_metric, least=least, name=name, source=source
    )


OLD = "Callison-Burch et al. (2010; 2011; 2012); a metric's tie counts against it"
TAU13 = "Macháček and Bojar (2013); a metric's ties are left out"
TAU14 = "Macháček and Bojar (2014); a metric's tie counts neither way, but is counted"
#: Every named convention.
CONVENTIONS: Mapping[str, KendallConvention] = {
    found.name: found
    for found in (
        *(strict_convention(name, -1.0, OLD) for name in ("wmt10", "wmt11", "wmt12", "tau10")),
        *(strict_convention(name, None, TAU13) for name in ("wmt13", "tau13")),
        *(strict_convention(name, 0.0, TAU14) for name in ("wmt14", "tau14")),
        KendallConvention(
            concordant=1.0,
            discordant=-1.0,
            tied_human=-1.0,
            tied_metric=-1.0,
            tied_both=1.0,
            name="tau23",
            source="Deutsch, Foster and Freitag (2023), table 1",
        ),
        KendallConvention(
            concordant=1.0,
            discordant=0.0,
            tied_human=0.0,
            tied_metric=0.0,
            tied_both=1.0,
            name="acc_eq",
            source="Deutsch, Foster and Freitag (2023), table 1",
        ),
        strict_convention(
            "darr", -1.0, "Bojar et al. (2017): pairs whose human scores differ by at least 25 points", 25.0
        ),
    )
}


def as_convention(statistic: str | KendallConvention | Sequence[Sequence[Cell]]) -> KendallConvention:
    """A convention by its name, as it is, or from a table of 3 x 3 coefficients. Raises as `KendallConvention.of_table`.

    Raises UnknownName for other names.

    >>> as_convention("wmt14").tied_metric, as_convention("wmt13").tied_metric
    (0.0, None)
    """
    if isinstance(statistic, KendallConvention):
        return statistic
    if isinstance(statistic, str):
        if statistic not in CONVENTIONS:
            raise UnknownName("convention", statistic, CONVENTIONS)
        return CONVENTIONS[statistic]
    return KendallConvention.of_table(statistic)


def parse_table(text: str) -> KendallConvention:
    """A 3 x 3 table of coefficients as text: commas between numbers, semicolons between rows, x to leave out.

    Raises ParameterError where it is not that.

    >>> parse_table("1,x,-1; x,x,x; -1,x,1") == KendallConvention.of_table([[1, None, -1], [None] * 3, [-1, None, 1]])
    True
    """
    rows = [[cell.strip() for cell in row.split(",")] for row in text.split(";")]
    try:
        table = [[None if cell.lower() == "x" else float(cell) for cell in row] for row in rows]
    except ValueError:
        raise ParameterError(
            f"{text!r} is no table of coefficients, expected three rows of three as '1,-1,-1;x,x,x;-1,-1,1'"
        ) from None
    return KendallConvention.of_table(table)
