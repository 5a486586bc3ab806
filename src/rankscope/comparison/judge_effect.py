"""What another judge does to the ranking of systems: the same runs under two sets of judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.cells import format_value
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.sections import Section, Table
from rankscope.data.wording import counted, listed
from rankscope.errors import ParameterError
from rankscope.evaluation.engine import as_list, evaluate
from rankscope.evaluation.sources import is_path
from rankscope.io.read import read_run
from rankscope.io.streams import source_name
from rankscope.measures.correlation import kendall_tau, tau_ap
from rankscope.stats.inputs import Floats, snapped

__all__ = ["RankingEffect", "effect_section", "effects_on_ranking"]

Ints = npt.NDArray[np.int64]
NONE = float("nan")
#: Pairs of systems that change places are named, so many of them.
NAMED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingEffect:
    """The systems by one measure, under the judgments of A and of B.

    mean_a, mean_b: (systems). rank_a, rank_b: (systems) 1 for the best, equal ones share the better rank. tau_b:
    Kendall's, in [-1, 1], higher is more alike; tau_ap: the AP correlation, A being the truth, in which changes among
    the best weigh more; both NaN for one system and where one judge tells none apart. swaps: pairs of systems that
    change places, the better one under A first, those furthest apart first. n: queries.
    """

    measure: str
    systems: tuple[str, ...]
    mean_a: Floats
    mean_b: Floats
    rank_a: Ints
    rank_b: Ints
    tau_b: float
    tau_ap: float
    swaps: tuple[tuple[str, str], ...]
    n: int
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> int:
        m = len(self.systems)
        return m * (m - 1) // 2

    @property
    def rank_change(self) -> int:
        """The most places that a system moves."""
        return int(np.abs(self.rank_a - self.rank_b).max())

    @property
    def mean_change(self) -> float:
        """By how much the mean of a system changes, up or down, on average over the systems."""
        return float(np.abs(self.mean_a - self.mean_b).mean())

    def rows(self) -> Iterator[tuple[str, str, str, str, float, float, float, int]]:
        """Rows of the tidy table."""
        numbers: list[tuple[str, float, int]] = [
            ("tau_b", self.tau_b, len(self.systems)),
            ("tau_ap", self.tau_ap, len(self.systems)),
            ("greatest_rank_change", float(self.rank_change), len(self.systems)),
            ("swapped_pairs", float(len(self.swaps)), self.pairs),
            ("mean_absolute_change", self.mean_change, len(self.systems)),
        ]
        for name, value, n in numbers:
            yield name, "", self.measure, "", value, NONE, NONE, n
        for i, system in enumerate(self.systems):
            for name in ("mean_a", "mean_b", "rank_a", "rank_b"):
                yield name, "", self.measure, system, float(getattr(self, name)[i]), NONE, NONE, self.n


def effects_on_ranking(
    qrels: tuple[Qrels, Qrels], names: tuple[str, str], runs: Any, measures: Any, options: dict[str, Any]
) -> tuple[tuple[RankingEffect, ...], str, tuple[str, ...]]:
    """Evaluate the runs under both; the effects by measure, the signature of the scores, and notes."""
    # What cannot be read twice is read once.
    kept = [
        read_run(run, input=options.get("input")) if is_path(run) and source_name(run) == "<stdin>" else run
        for run in as_list(runs)
    ]
    kept = [run if is_path(run) or isinstance(run, Run) else Run(run) for run in kept]
    a, b = (evaluate(one, kept, measures, **options) for one in qrels)
    effects, notes = [], []
    for name in a.measure_names:
        values = np.stack((a.summary(name), b.summary(name)))
        if np.isnan(values).any():
            notes.append(f"{name} has no mean for every system under both judges; it is left out")
        else:
            effects.append(effect_of(name, a, values))
    if not effects:
        raise ParameterError(f"no measure has a mean for every system ({notes[0]}); choose another measure")
    return tuple(effects), a.signature(), (*notes, *notes_of(a, b, names))


def notes_of(a: Scores, b: Scores, names: tuple[str, str]) -> list[str]:
    """The notes of both evaluations, those of one judge by name; and settings that follow from the grades."""
    notes = [note for note in a.notes if note in b.notes]
    for scores, name in ((a, names[0]), (b, names[1])):
        notes += [f"by {name}: {note}" for note in scores.notes if note not in notes]
    differing = [
        measure
        for measure, one, other in zip(a.measure_names, a.measure_settings, b.measure_settings, strict=True)
        if one != other
    ]
    if differing:
        notes.append(
            f"the judges' highest grades differ, and so do settings of {', '.join(differing)} that follow from them; "
            f"the signature has those of {names[0]}"
        )
    return notes


def effect_of(measure: str, scores: Scores, values: Floats) -> RankingEffect:
    """values: (2, systems) means under A and under B."""
    a, b = snapped((scores.sign(measure) or 1) * values)
    systems = np.array(scores.systems, object)
    apart_a, apart_b = (side[:, None] - side for side in (a, b))
    first, second = np.nonzero((apart_a > 0) & (apart_b < 0))
    order = np.argsort(apart_b[first, second] - apart_a[first, second], kind="stable")
    first, second = first[order], second[order]
    notes: tuple[str, ...] = ()
    tau, by_ap = NONE, NONE
    if a.size > 1:
        tau = kendall_tau(a, b)
        tied = np.unique(a).size < a.size
        by_ap = tau_ap(a, b, ties="b" if tied else "a")
        if tied:
            notes = ("systems are tied under the first judge: tau_AP is tau_AP,b, the mean of both directions",)
    return RankingEffect(
        measure=measure,
        systems=scores.systems,
        mean_a=values[0],
        mean_b=values[1],
        rank_a=1 + (apart_a < 0).sum(axis=1),
        rank_b=1 + (apart_b < 0).sum(axis=1),
        tau_b=tau,
        tau_ap=by_ap,
        swaps=tuple(zip(systems[first].tolist(), systems[second].tolist(), strict=True)),
        n=len(scores.query_ids),
        notes=notes,
    )


def effect_section(effect: RankingEffect, names: tuple[str, str]) -> Section:
    """A sentence, and the systems in the order of A."""
    rows = []
    for i in np.argsort(effect.rank_a, kind="stable").tolist():
        a, b = float(effect.mean_a[i]), float(effect.mean_b[i])
        means = (format_value(a, "mean"), format_value(b, "mean"), f"{b - a:+.4f}")
        rows.append((effect.systems[i], *means, str(effect.rank_a[i]), str(effect.rank_b[i])))
    one, other = names
    return Section(
        title=f"Systems by {effect.measure}",
        sentence=effect_sentence(effect, names),
        table=Table(columns=("system", one, other, "change", f"rank by {one}", f"rank by {other}"), rows=tuple(rows)),
        notes=effect.notes,
    )


def effect_sentence(effect: RankingEffect, names: tuple[str, str]) -> str:
    """Who changes places, how far, and by how much the values move."""
    change = f"The mean {effect.measure} of a system changes by {effect.mean_change:.4f} on average."
    if len(effect.systems) == 1:
        return f"{change} There is one system, so no ranking to compare."
    taus = " and ".join(
        f"{name} {value:.2f}"
        for name, value in (("Kendall's tau", effect.tau_b), ("tau_AP", effect.tau_ap))
        if not np.isnan(value)
    )
    taus = f" ({taus}; 1 is the same order)" if taus else ""
    if not effect.swaps:
        alike = "in the same order" if (effect.rank_a == effect.rank_b).all() else "so that no pair changes places"
        return f"Both judges put the {counted(len(effect.systems), 'system')} {alike}{taus}. {change}"
    pairs = [f"{x} and {y}" for x, y in effect.swaps[:NAMED]]
    named = "; ".join(pairs) + (f"; and {len(effect.swaps) - NAMED} more" if len(effect.swaps) > NAMED else "")
    furthest = np.flatnonzero(np.abs(effect.rank_a - effect.rank_b) == effect.rank_change).tolist()
    who = listed([effect.systems[i] for i in sorted(furthest, key=effect.rank_a.tolist().__getitem__)])
    moves = f"{who} move{'s' if len(furthest) == 1 else ''} furthest, by {counted(effect.rank_change, 'place')}"
    several = (
        f"{len(effect.swaps)} of {effect.pairs} pairs of systems change{'s' if len(effect.swaps) == 1 else ''} places"
    )
    return f"{several} when {names[1]} judges in the place of {names[0]}{taus}: {named}. {moves}. {change}"
