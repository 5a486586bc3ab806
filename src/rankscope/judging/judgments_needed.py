"""What `plan_judgments` found, shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.wording import format_percent, pluralise_queries

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JudgmentPlan", "MeasureNeeds", "Need"]

COLUMNS = ("measure", "system_a", "system_b", "method", "width", "sd", "explained", "n_queries")


class Need(NamedTuple):
    """What a system (system_b empty) or a difference takes.

    method: "human", "combined", or "combined, any number by the machine". sd: of people's values; explained: the share
    of their variance that the machine explains. n_queries: that people must judge; None where no number will do.
    """

    system_a: str
    system_b: str
    method: str
    sd: float
    explained: float
    n_queries: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureNeeds:
    """By one measure. n, n_all: queries that people and that the machine judged so far."""

    measure: str
    systems: tuple[str, ...]
    needs: tuple[Need, ...]
    n: int
    n_all: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgmentPlan:
    """What `plan_judgments` found.

    `frame()` is the tidy table: measure, system_a, system_b (empty for a system by itself), method (human, combined,
    or combined with any number of queries judged by the machine), width, sd (of people's values), explained (the share
    of their variance that the machine explains), n_queries (null where no number will do).
    """

    parts: tuple[MeasureNeeds, ...]
    width: float
    confidence_level: float
    measured: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for part in self.parts:
            for need in part.needs:
                yield (part.measure, *need[:3], self.width, *need[3:])

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        return tidy_frame(self)

    def sections(self) -> list[Section]:
        """A sentence and a table for each measure."""
        return [self.section(part) for part in self.parts]

    def section(self, part: MeasureNeeds) -> Section:
        rows = []
        for alone, helped, any_number in triples(part.needs):
            what = f"{alone.system_a} - {alone.system_b}" if alone.system_b else alone.system_a
            cells = (format_count(need.n_queries) for need in (alone, helped, any_number))
            rows.append((what, f"{alone.sd:.4f}", f"{100 * alone.explained:.0f} %", *cells))
        columns = ("of", "sd", "explained", "people alone", f"machine on {part.n_all:,}", "machine on any number")
        return Section(
            title=f"{part.measure}: queries that people must judge",
            sentence=self.sentence(part),
            table=Table(columns=columns, rows=tuple(rows)),
        )

    def sentence(self, part: MeasureNeeds) -> str:
        """What the hardest of all takes."""
        kind = "difference" if any(need.system_b for need in part.needs) else "mean"
        hardest = max(
            (three for three in triples(part.needs) if (three[0].system_b != "") == (kind == "difference")),
            key=lambda three: three[0].n_queries or 0,
        )
        alone, helped, any_number = (need.n_queries for need in hardest)
        start = f"For {format_percent(self.confidence_level)} intervals of a {kind} no wider than {self.width:g}, "
        if alone is None:
            return (
                f"{start}nothing can be planned: people's values do not vary, or more queries are needed than can be."
            )
        text = f"{start}people alone must judge up to {pluralise_queries(alone)}; they have judged {part.n:,}. "
        if helped is not None:
            return f"{text}With this machine's judgments of {pluralise_queries(part.n_all)} it takes {pluralise_queries(helped)}."
        more = (
            ""
            if any_number is None
            else f"; if it judged many more, {pluralise_queries(any_number)} by people would do"
        )
        return (
            f"{text}With this machine's judgments of {pluralise_queries(part.n_all)} no number of them is enough, since these "
            f"queries themselves are a sample{more}."
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        return self.measured

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"JudgmentPlan({', '.join(part.measure for part in self.parts)}, width {self.width:g})"


def triples(needs: tuple[Need, ...]) -> Iterator[tuple[Need, ...]]:
    """The three needs of each system and pair."""
    for i in range(0, len(needs), 3):
        yield needs[i : i + 3]


def format_count(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"
