"""What predicted rankings have to do with people's, in numbers: the result of `rs.agreement.ranks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope._version import __version__
from rankscope.agreement.set_values import RankSettings, SetMeasures
from rankscope.data.rankings import Rankings
from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.data.wording import pluralise

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "RankAgreement", "RankPart"]

COLUMNS = ("metric", "pair", "statistic", "value", "low", "high", "n")
SEGMENT_COLUMNS = ("metric", "pair", "segment", "judge", "statistic", "value", "low", "high", "n")
#: Stands for all segments and judges, and for all language pairs together.
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class RankPart:
    """One metric on one language pair ("all" for several together). lists: the judgments, as they were measured."""

    metric: str
    pair: str
    lists: Rankings
    lengths: tuple[int, ...]
    found: SetMeasures

    @property
    def together(self) -> bool:
        """Whether it holds several language pairs, which are parts of their own."""
        return self.pair == ALL and len(set(self.lists.pair.codes.tolist())) > 1


@dataclass(frozen=True, eq=False, kw_only=True)
class RankAgreement:
    """How well metrics rank as people do, all measures of RankEval's paper: `result["tau"]` of the first part.

    parts: by metric and language pair. gold: the column of people's ranks. by_segment: `records()` and the tables
    hold every list too. `frame()` is the tidy table: a row a metric, language pair and statistic; how often people give
    the machine's best which rank is best_predicted=RANK, in percent. preset: "rankeval" where the statistics are that
    tool's, by its keys. order_by: the measure that orders experiments in the figure.
    """

    parts: tuple[RankPart, ...]
    gold: str
    by_segment: bool
    asked: RankSettings
    notes: tuple[str, ...]
    preset: str | None = None
    order_by: str = "MRR"

    def __getitem__(self, statistic: str) -> float:
        return self.parts[0].found[statistic]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return SEGMENT_COLUMNS if self.by_segment else COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        where = (ALL, ALL) if self.by_segment else ()
        for part in self.parts:
            for name, value, low, high, n in part.found.statistics:
                yield part.metric, part.pair, *where, name, value, low, high, n
            best = part.found.best
            for rank, count, share in zip(best.ranks.tolist(), best.counts, best.share.tolist(), strict=True):
                name = f"best_predicted={rank:g}"
                yield part.metric, part.pair, *where, name, share, float("nan"), float("nan"), int(count)
            if self.by_segment and not part.together:
                yield from self.segment_records(part)

    def segment_records(self, part: RankPart) -> Iterator[tuple[Any, ...]]:
        """A row a list and measure; n: the items of the list."""
        nan = float("nan")
        columns = {name: values.tolist() for name, values in part.found.of_list.items()}
        names = zip(part.lists.segment, part.lists.judge, part.lengths, strict=True)
        for i, (segment, judge, n) in enumerate(names):
            for name, values in columns.items():
                yield part.metric, part.pair, segment, judge, name, values[i], nan, nan, n

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The measures, how people rank the machine's best, the pairs, and with `by_segment` every list."""
        from rankscope.agreement.rank_shown import sections_of

        return sections_of(self)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        asked = self.asked
        if self.preset is not None:
            return f"agreement of ranks | preset:{self.preset} | gold:{self.gold} | rankscope {__version__}"
        parts = [
            "agreement of ranks",
            f"gold:{self.gold}",
            *(["predicted:scores"] if asked.invert else []),
            f"gold ties:{'excluded' if asked.exclude_gold_ties else 'counted'}",
            f"predicted ties:{'penalised' if asked.penalise_predicted_ties else 'excluded'}",
            "ties:average",
            f"normalise:{asked.normalise}",
            f"missing:{asked.missing}",
            f"bootstrap:{asked.n_resamples},{asked.confidence_level:g}",
            f"permutations:{asked.n_resamples}",
            f"rng:{asked.seed}",
            f"rankscope {__version__}",
        ]
        return " | ".join(parts)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        metrics = dict.fromkeys(part.metric for part in self.parts)
        return f"RankAgreement({pluralise(len(metrics), 'metric')} against {self.gold!r})"
