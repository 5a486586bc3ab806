"""The result of an ablation of judgments: its numbers and sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.data.columns import Column, column, digits, table_of
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, format_value, join_names, pluralise
from rankscope.kernels.rounding_ties import at_most
from rankscope.typing import Floats

__all__ = [
    "CLOSE_TAU",
    "Ablation",
    "AblationLevels",
    "AblationRow",
]


#: From this tau on two orders of systems are mostly called equivalent (Voorhees 2001).
CLOSE_TAU = 0.9
#: With fewer systems tau moves in large steps.
FEW_SYSTEMS = 6


class AblationRow(NamedTuple):
    """A row of the tidy table.

    Those of kind "all" are by all judgments.

    Attributes
    ----------
    level
        The share, or the depth.
    lost
        Queries without a relevant document left.
    """

    kind: str
    measure: str
    level: float
    kept: float
    lost: float
    tau_b: float
    tau_b_low: float
    tau_b_high: float
    tau_ap: float
    value: float


@dataclass(frozen=True, eq=False, kw_only=True)
class AblationLevels:
    """One kind of ablation, "random" or "depth": level by level, shares falling, depths rising.

    NaN where there is none.

    Attributes
    ----------
    levels
        (levels) the shares asked for, or the depths.
    kept
        (levels) the share of all judgments that are left, the mean over the draws.
    lost
        (levels) queries that had a relevant document and have none left.
    tau, tau_ap
        (measures, levels) of the order of systems with that by all judgments, the mean over the draws, in [-1, 1],
        higher is more alike.
    tau_low, tau_high
        Its lowest and highest value in a draw.
    values
        (measures, levels) the mean over draws of the mean over systems.
    """

    kind: str
    levels: Floats
    kept: Floats
    lost: Floats
    tau: Floats
    tau_low: Floats
    tau_high: Floats
    tau_ap: Floats
    values: Floats

    def stable_levels(self) -> list[float | None]:
        """(measures) the level with the fewest judgments such that tau is at least `NEAR` in every draw, at this level
        and at all levels with more judgments; None where no level is.
        """
        order = slice(None) if self.kind == "random" else slice(None, None, -1)
        is_near = (at_most(CLOSE_TAU, self.tau_low))[:, order]
        n_unbroken = np.logical_and.accumulate(is_near, axis=1).sum(axis=1).tolist()
        return [float(self.levels[order][n_levels - 1]) if n_levels else None for n_levels in n_unbroken]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ablation(Result):
    """How alike systems are ordered with fewer judgments.

    Attributes
    ----------
    scores
        By all judgments.
    n_judgments
        How many these are.
    n_unlisted
        How many are of documents that no run lists.
    random, depth
        What was found with judgments dropped at random, and of shallower pools.
    """

    COLUMNS = AblationRow._fields

    scores: Scores
    n_judgments: int
    n_unlisted: int
    iterations: int
    seed: int
    random: AblationLevels
    depth: AblationLevels
    notes: tuple[str, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.scores.measure_names

    @property
    def full(self) -> Floats:
        """(measures) the mean over systems by all judgments; NaN where one of them has no value."""
        return np.array([self.scores.summary(name).mean() for name in self.measures])

    def records(self) -> Iterator[AblationRow]:
        """A row for each measure and level, after one for all judgments."""
        for m, name in enumerate(self.measures):
            yield AblationRow("all", name, np.nan, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, float(self.full[m]))
            for levels in (self.random, self.depth):
                columns = (levels.tau[m], levels.tau_low[m], levels.tau_high[m], levels.tau_ap[m], levels.values[m])
                table = np.stack((levels.levels, levels.kept, levels.lost, *columns), axis=1)
                for row in table.tolist():
                    yield AblationRow(levels.kind, name, *row)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        shares, depths = (
            ",".join(f"{level:g}" for level in levels.levels.tolist()) for levels in (self.random, self.depth)
        )
        settings = [
            f"systems:{len(self.scores.systems)}",
            f"shares:{shares}",
            f"iterations:{self.iterations}",
            f"depths:{depths}",
            f"rng:{self.seed}",
        ]
        return [*self.scores.signature_parts(), *settings]

    def sections(self) -> tuple[Section, ...]:
        """One for each kind: a sentence, and the table."""
        draws = pluralise(self.iterations, "draw")
        return (
            Section(
                title="With judgments dropped at random",
                sentence=self._sentence(self.random),
                table=self._table(self.random),
                figure=self._figure(self.random, "share of judgments kept (%)", 100 * self.random.levels),
                notes=(
                    f"mean over {draws} of each share; tau low, tau high: the lowest and highest draw. The share is "
                    "kept of each query's relevant documents (at least 1) and of its other judged documents (at "
                    "least 10)",
                    "documents whose judgment was dropped stay in the pool, unjudged: infAP estimates their relevance "
                    "from the others; other measures treat them as not relevant, or ignore them",
                    *self._few(),
                ),
            ),
            Section(
                title="With a shallower pool",
                sentence=self._sentence(self.depth),
                table=self._table(self.depth),
                figure=self._figure(self.depth, "depth of the pool", self.depth.levels),
                notes=(
                    "the pool consists of these runs only, so every run contributed to the pool that it is measured "
                    "with; for systems that did not, this says nothing",
                    *self._unlisted(),
                    *self._few(),
                ),
            ),
        )

    def _table(self, levels: AblationLevels) -> Table:
        """For each measure a row with all judgments, then one for each level."""
        at_random = levels.kind == "random"
        n_rows = 1 + levels.levels.size
        level_texts = [format_percent(level) if at_random else f"{level:g}" for level in levels.levels.tolist()]
        kept_texts = [f"{100 * share:.1f} %" for share in levels.kept.tolist()]

        def taus(title: str, values: Floats) -> Column:
            return column(title, np.column_stack([np.ones(len(values)), values]).flat, digits(2))

        values = np.column_stack([self.full, levels.values])
        return table_of(
            column("measure", np.repeat(self.measures, n_rows), name=True),
            column("share" if at_random else "depth", ["all", *level_texts] * len(self.measures)),
            column("judgments kept", ["100.0 %", *kept_texts] * len(self.measures)),
            taus("tau", levels.tau),
            taus("tau low", levels.tau_low) if at_random else None,
            taus("tau high", levels.tau_high) if at_random else None,
            taus("tau_AP", levels.tau_ap),
            column("mean value", values.flat, lambda value: format_value(float(value), "mean")),
        )

    def _figure(self, levels: AblationLevels, title: str, x: Floats) -> Figure | None:
        """Tau over the levels; None for a single level, or where no tau is defined."""
        if x.size < 2 or np.isnan(levels.tau).all():
            return None
        band = {"lows": levels.tau_low, "highs": levels.tau_high, "interval": "lowest and highest draw"}
        data = {
            "x": x.tolist(),
            "x_title": title,
            "measures": list(self.measures),
            "values": levels.tau,
            "y_title": "Kendall's tau with all judgments",
        }
        return Figure("condition_lines", {**data, **(band if levels.kind == "random" else {})})

    def _sentence(self, levels: AblationLevels) -> str:
        """A sentence: down to which level the order of systems stays close to the original."""
        at_random = levels.kind == "random"
        names_of_level: dict[float, list[str]] = {}
        for name, level in zip(self.measures, levels.stable_levels(), strict=True):
            names_of_level.setdefault(np.nan if level is None else level, []).append(name)
        names_without = names_of_level.pop(np.nan, [])
        level_texts = [
            f"{format_level(levels.kind, level)} by {join_names(names)}"
            for level, names in sorted(names_of_level.items())
        ]
        how_dropped = "dropped at random" if at_random else "taken from a shallower pool only"
        in_each_draw = f" in each of {self.iterations} draws" if at_random and self.iterations > 1 else ""
        scale = f"Kendall's tau of at least {CLOSE_TAU:g}{in_each_draw}, where 1 is the same order"
        systems = pluralise(len(self.scores.systems), "system")
        if not level_texts:
            return (
                f"When judgments are {how_dropped}, the order of the {systems} does not stay close to the one with all "
                f"judgments ({scale}) at any level tried, by {join_names(names_without)}."
            )
        text = (
            f"When judgments are {how_dropped}, the order of the {systems} stays close to the one with all judgments "
        )
        text += f"({scale}) down to {'; '.join(level_texts)}."
        mildest = format_level(levels.kind, float(levels.levels.max()))
        return text + (f" By {join_names(names_without)} it already changes with {mildest}." if names_without else "")

    def _few(self) -> tuple[str, ...]:
        """A note where tau is coarse."""
        n_systems = len(self.scores.systems)
        if n_systems >= FEW_SYSTEMS:
            return ()
        n_pairs = n_systems * (n_systems - 1) // 2
        steps = f"{n_pairs} pairs, and each that changes places takes {2 / n_pairs:.2f} from tau"
        return (f"{n_systems} systems make {steps if n_pairs > 1 else '1 pair, so tau is 1 or -1'}",)

    def _unlisted(self) -> tuple[str, ...]:
        if not self.n_unlisted:
            return ()
        return (
            f"{self.n_unlisted:,} of {pluralise(self.n_judgments, 'judgment')} are of documents that no run contains, "
            "so no pool contains them",
        )

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.measures), 'measure')}, {pluralise(self.n_judgments, 'judgment')}"


def format_level(kind: str, level: float) -> str:
    """A level as text."""
    return f"{format_percent(level)} of them" if kind == "random" else f"depth {level:g}"
