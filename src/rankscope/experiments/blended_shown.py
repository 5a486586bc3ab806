"""A blend beside its parts: what it gains over each, with the tests of the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.cells import format_interval, format_number
from rankscope.data.sections import Cell, Section, Table
from rankscope.data.wording import format_p_cell, join_names, pluralise
from rankscope.experiments.blended import BLEND_NAME, BlendComposition
from rankscope.experiments.crossvalidation_words import value_label

if TYPE_CHECKING:
    from rankscope.comparison.comparison import Comparison, MeasureComparison
    from rankscope.experiments.crossvalidated import CrossValidation

__all__ = ["blend_section", "blend_notes"]


def blend_section(result: CrossValidation, blended: BlendComposition, comparison: Comparison) -> Section:
    """A row a measure and part: both values, their difference and its test. Parts that were not compared have none."""
    blend = result.models.index(BLEND_NAME)
    rows: list[tuple[Cell, ...]] = []
    for part in comparison.parts:
        rows += [part_row(result, part, blend, m) for m in result.order if m != blend]
    columns = ("measure", "part", "its value", "blend", "difference", "95 % interval", "p", "weight")
    return Section(
        title=f"The blend against its {len(result.models) - 1} parts" if len(result.models) > 2 else "The blend",
        sentence=blend_sentence(result, blended, comparison.parts[0], blend),
        table=Table(columns=columns_at_level(columns, comparison), rows=tuple(rows), left=2),
        notes=(
            "weight: of all rankers with this loss together, the mean over folds; p: corrected for the number of pairs "
            "that were compared",
        ),
    )


def columns_at_level(columns: tuple[str, ...], comparison: Comparison) -> tuple[str, ...]:
    level = 100 * (1 - comparison.settings.level)
    return tuple(name.replace("95", f"{level:g}") for name in columns)


def part_row(result: CrossValidation, part: MeasureComparison, blend: int, model: int) -> tuple[Cell, ...]:
    """One part by one measure; the difference is the blend's value less that of the part."""
    assert result.blended is not None
    mine = [i for i, (name, _) in enumerate(result.blended.parts) if name == result.models[model]]
    weight = format_number(float(result.blended.weights[:, mine].sum(axis=1).mean()), 2)
    measure = result.test.scores.place_of(part.measure)
    values = (format_number(result.test.overall[model, measure]), format_number(result.test.overall[blend, measure]))
    place = np.flatnonzero(
        ((part.first == blend) & (part.second == model)) | ((part.first == model) & (part.second == blend))
    )
    if not place.size:  # another one is the baseline
        return (part.measure, result.models[model], *values, "-", "-", "-", weight)
    i = int(place[0])
    sign = 1.0 if part.first[i] == blend else -1.0
    low, high = sorted((sign * float(part.low[i]), sign * float(part.high[i])))
    cells = (
        format_number(sign * float(part.difference[i])),
        format_interval(low, high),
        format_p_cell(float(part.pvalue_corrected[i])),
    )
    return (part.measure, result.models[model], *values, *cells, weight)


def blend_sentence(result: CrossValidation, blended: BlendComposition, part: MeasureComparison, blend: int) -> str:
    """By the first measure: of which parts the blend was shown to be better, or worse."""
    others = [m for m in range(len(result.models)) if m != blend]
    pairs = set(zip(part.first.tolist(), part.second.tolist(), strict=True))
    tested = [m for m in others if (m, blend) in pairs or (blend, m) in pairs]
    above = [result.models[m] for m in tested if part.beats[blend, m]]
    below = [result.models[m] for m in tested if part.beats[m, blend]]
    open_ = [result.models[m] for m in tested if not part.beats[blend, m] and not part.beats[m, blend]]
    value = format_number(float(result.test.overall[blend, 0]))
    said = [f"The blend has a {value_label(result)} of {value} on the test lists"]
    said += [f"it is better than {join_names(above)}"] if above else []
    said += [f"it is worse than {join_names(below)}"] if below else []
    said += [f"from {join_names(open_)} it cannot be told apart"] if open_ else []
    said += [] if tested else ["it was compared with none of its parts"]
    return "; ".join(said) + "."


def blend_notes(result: CrossValidation) -> list[str]:
    """What the blend is, and why it is not as its parts are; nothing where there is none."""
    blended = result.blended
    if blended is None:
        return []
    how = "equal weights" if blended.how == "average" else "weights learned on the validation lists"
    found = [
        f"{BLEND_NAME}: one ranker made of {pluralise(len(blended.parts), 'ranker')} (all losses, all seeds), with {how}; the "
        "others stand for a single ranker each, so that part of what it gains is what several seeds gain"
    ]
    if result.seeds > 1 and not result.fixed[-1]:
        found.append(f"{BLEND_NAME}, sd over seeds: of blends of one seed each")
    if blended.how == "stacked":
        found.append(
            f"{BLEND_NAME}: the validation lists were used to stop training and for its weights, so that its value there is "
            "too high twice over"
        )
    return found
