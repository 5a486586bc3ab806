"""How estimates are shown: human, machine and both combined, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_percent, join_names, pluralise, pluralise_queries
from rankscope.kernels.ties import order_of
from rankscope.stats.prediction_powered import FEWEST, PredictionPowered

if TYPE_CHECKING:
    from rankscope.judging.estimation.prediction_powered import Estimates, MeasureEstimates

__all__ = [
    "differences_section",
    "systems_section",
]


#: What the tables show of each estimate; and with its sign turned.
ENDS = ("human", "human_low", "human_high", "machine", "bias", "combined", "combined_low", "combined_high")
TURNED = ("human", "human_high", "human_low", "machine", "bias", "combined", "combined_high", "combined_low")


def estimate_sections(result: Estimates) -> list[Section]:
    """For each measure the systems, then the differences."""
    sections = []
    for part in result.parts:
        sections.append(systems_section(part, result.confidence_level, result.tuned))
        if part.of_pairs is not None:
            sections.append(differences_section(part, part.of_pairs, result.confidence_level, result.baseline is None))
    return sections


def systems_section(part: MeasureEstimates, confidence_level: float, tuned: bool) -> Section:
    """Every system by the three estimates, the best by the combined one first."""
    found = part.of_systems
    order = order_of(-(part.sign or 1) * found.combined).tolist()
    of = format_percent(confidence_level)
    columns = ("system", "people", "low", "high", "machine", "bias", "combined", "low", "high", "weight", "worth")
    rows = []
    for s in order:
        cells = [format_number(getattr(found, name)[s], signed=name == "bias") for name in ENDS]
        rows.append((part.systems[s], *cells, format_number(found.weight[s], 2), format_number(found.effective[s], 0)))
    figure = Figure(
        "leaderboard",
        {
            "systems": tuple(part.systems[s] for s in order),
            "means": tuple(found.combined[order].tolist()),
            "low": tuple(found.combined_low[order].tolist()),
            "high": tuple(found.combined_high[order].tolist()),
            "measure": part.measure,
            "higher_is_better": {1: True, -1: False, 0: None}[part.sign],
            "interval": f"{of} interval, combined",
        },
    )
    return Section(
        title=f"{part.measure}: people, machine, and both combined",
        sentence=systems_sentence(part, found, tuned),
        table=Table(columns=columns, rows=tuple(rows)),
        figure=figure,
    )


def systems_sentence(part: MeasureEstimates, found: PredictionPowered, tuned: bool) -> str:
    """What the machine is worth, and where it errs by more than chance."""
    start = f"People judged {pluralise_queries(found.n)}, the machine {found.n_all:,}, those among them. "
    gain = found.effective / found.n
    there = gain[~np.isnan(gain)]
    used = found.weight != 0
    if not used.any() and not tuned:
        gained = "It has no weight. "
    elif not used.any():
        why = (
            "From so few no weight of the machine can be told"
            if found.n < FEWEST
            else "Its values foretell people's too badly to make an interval narrower"
        )
        gained = f"{why}: the combined estimate is that of people alone. "
    else:
        low, high = float(found.effective[~np.isnan(gain)].min()), float(found.effective[~np.isnan(gain)].max())
        worth = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
        gained = f"With it, these {found.n:,} are worth {worth} judged by people alone. " if there.size else ""
    off = [s for s in range(len(part.systems)) if found.bias_low[s] > 0 or found.bias_high[s] < 0]
    if not off:
        return f"{start}{gained}For no system is the machine shown to be biased."
    off.sort(key=lambda s: -abs(float(found.bias[s])))
    over = [part.systems[s] for s in off if found.bias[s] > 0]
    under = [part.systems[s] for s in off if found.bias[s] < 0]
    told = [f"{word} {join_names(names)}" for word, names in (("overrates", over), ("underrates", under)) if names]
    most = f"{abs(float(found.bias[off[0]])):.4f}"
    by = f" by {most}, more" if len(off) == 1 else f", most {part.systems[off[0]]} by {most}, by more"
    return f"{start}{gained}The machine {' and '.join(told)}{by} than chance would explain."


def differences_section(
    part: MeasureEstimates, found: PredictionPowered, confidence_level: float, turned: bool
) -> Section:
    """Every pair, the greater difference first; of all pairs each so that it is positive."""
    order = order_of(-np.abs(found.combined)).tolist()
    columns = ("difference", "people", "low", "high", "machine", "bias", "combined", "low", "high", "weight", "worth")
    rows = []
    for i in order:
        a, b, names, sign = part.systems[part.first[i]], part.systems[part.second[i]], ENDS, 1.0
        if turned and found.combined[i] < 0:
            a, b, names, sign = b, a, TURNED, -1.0
        cells = [format_number(sign * getattr(found, name)[i], signed=True) for name in names]
        rows.append((f"{a} - {b}", *cells, format_number(found.weight[i], 2), format_number(found.effective[i], 0)))
    return Section(
        title=f"{part.measure}: differences of systems",
        sentence=differences_sentence(part, found, confidence_level),
        table=Table(columns=columns, rows=tuple(rows)),
    )


def differences_sentence(part: MeasureEstimates, found: PredictionPowered, confidence_level: float) -> str:
    """How many pairs each estimate tells apart, which only the combined one does, and where the machine misleads."""

    def side(name: str) -> np.ndarray:
        low, high = getattr(found, f"{name}_low"), getattr(found, f"{name}_high")
        return np.where(low > 0, 1, np.where(high < 0, -1, 0))

    people, machine, combined = side("human"), side("machine"), side("combined")
    pairs = pluralise(people.size, "pair")
    text = (
        f"The {format_percent(confidence_level)} intervals of {int((combined != 0).sum())} of {pairs} leave out 0 when "
        f"both are combined, of {int((people != 0).sum())} by people alone."
    )
    new = np.flatnonzero((combined != 0) & (people == 0)).tolist()
    if new and part.sign:
        text += f" Only combined: {join_names(format_order(part, i, int(combined[i])) for i in new)}."
    wrong = np.flatnonzero((machine != 0) & (machine * combined <= 0)).tolist()
    if wrong and part.sign:
        named = join_names(format_order(part, i, int(machine[i])) for i in wrong)
        text += f" The machine alone would say what is not shown: {named}."
    return text


def format_order(part: MeasureEstimates, i: int, direction: int) -> str:
    a, b = part.systems[part.first[i]], part.systems[part.second[i]]
    better, worse = (a, b) if direction * part.sign > 0 else (b, a)
    return f"{better} above {worse}"
