"""The view of an ablation of judgments: for each kind of ablation a sentence, a table and a figure."""

from __future__ import annotations

import numpy as np

from rankscope.data.columns import Column, column, digits, table_of
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, format_value, join_names, pluralise
from rankscope.stability.ablation_result import CLOSE_TAU, Ablation, AblationLevels
from rankscope.typing import Floats

__all__ = [
    "ablation_sections",
]


#: With fewer systems tau moves in large steps.
FEW_SYSTEMS = 6


def ablation_sections(result: Ablation) -> tuple[Section, ...]:
    """One for each kind: a sentence, and the table."""
    draws = pluralise(result.iterations, "draw")
    return (
        Section(
            title="With judgments dropped at random",
            sentence=levels_sentence(result, result.random),
            table=levels_table(result, result.random),
            figure=levels_figure(result, result.random, "share of judgments kept (%)", 100 * result.random.levels),
            notes=(
                f"mean over {draws} of each share; tau low, tau high: the lowest and highest draw. The share is "
                "kept of each query's relevant documents (at least 1) and of its other judged documents (at "
                "least 10)",
                "documents whose judgment was dropped stay in the pool, unjudged: infAP estimates their relevance "
                "from the others; other measures treat them as not relevant, or ignore them",
                *few_systems_notes(result),
            ),
        ),
        Section(
            title="With a shallower pool",
            sentence=levels_sentence(result, result.depth),
            table=levels_table(result, result.depth),
            figure=levels_figure(result, result.depth, "depth of the pool", result.depth.levels),
            notes=(
                "the pool consists of these runs only, so every run contributed to the pool that it is measured "
                "with; for systems that did not, this says nothing",
                *unlisted_notes(result),
                *few_systems_notes(result),
            ),
        ),
    )


def levels_table(result: Ablation, levels: AblationLevels) -> Table:
    """For each measure a row with all judgments, then one for each level."""
    at_random = levels.kind == "random"
    n_rows = 1 + levels.levels.size
    level_texts = [format_percent(level) if at_random else f"{level:g}" for level in levels.levels.tolist()]
    kept_texts = [f"{100 * share:.1f} %" for share in levels.kept.tolist()]

    def taus(title: str, values: Floats) -> Column:
        return column(title, np.column_stack([np.ones(len(values)), values]).flat, digits(2))

    values = np.column_stack([result.full, levels.values])
    return table_of(
        column("measure", np.repeat(result.measures, n_rows), name=True),
        column("share" if at_random else "depth", ["all", *level_texts] * len(result.measures)),
        column("judgments kept", ["100.0 %", *kept_texts] * len(result.measures)),
        taus("tau", levels.tau),
        taus("tau low", levels.tau_low) if at_random else None,
        taus("tau high", levels.tau_high) if at_random else None,
        taus("tau_AP", levels.tau_ap),
        column("mean value", values.flat, lambda value: format_value(float(value), "mean")),
    )


def levels_figure(result: Ablation, levels: AblationLevels, title: str, x: Floats) -> Figure | None:
    """Tau over the levels; None for a single level, or where no tau is defined."""
    if x.size < 2 or np.isnan(levels.tau).all():
        return None
    band = {"lows": levels.tau_low, "highs": levels.tau_high, "interval": "lowest and highest draw"}
    data = {
        "x": x.tolist(),
        "x_title": title,
        "measures": list(result.measures),
        "values": levels.tau,
        "y_title": "Kendall's tau with all judgments",
    }
    return Figure("condition_lines", {**data, **(band if levels.kind == "random" else {})})


def levels_sentence(result: Ablation, levels: AblationLevels) -> str:
    """A sentence: down to which level the order of systems stays close to the original."""
    at_random = levels.kind == "random"
    names_of_level: dict[float, list[str]] = {}
    for name, level in zip(result.measures, levels.stable_levels(), strict=True):
        names_of_level.setdefault(np.nan if level is None else level, []).append(name)
    names_without = names_of_level.pop(np.nan, [])
    level_texts = [
        f"{format_level(levels.kind, level)} by {join_names(names)}" for level, names in sorted(names_of_level.items())
    ]
    how_dropped = "dropped at random" if at_random else "taken from a shallower pool only"
    in_each_draw = f" in each of {result.iterations} draws" if at_random and result.iterations > 1 else ""
    scale = f"Kendall's tau of at least {CLOSE_TAU:g}{in_each_draw}, where 1 is the same order"
    systems = pluralise(len(result.scores.systems), "system")
    if not level_texts:
        return (
            f"When judgments are {how_dropped}, the order of the {systems} does not stay close to the one with all "
            f"judgments ({scale}) at any level tried, by {join_names(names_without)}."
        )
    text = f"When judgments are {how_dropped}, the order of the {systems} stays close to the one with all judgments "
    text += f"({scale}) down to {'; '.join(level_texts)}."
    mildest = format_level(levels.kind, float(levels.levels.max()))
    return text + (f" By {join_names(names_without)} it already changes with {mildest}." if names_without else "")


def few_systems_notes(result: Ablation) -> tuple[str, ...]:
    """A note where tau is coarse."""
    n_systems = len(result.scores.systems)
    if n_systems >= FEW_SYSTEMS:
        return ()
    n_pairs = n_systems * (n_systems - 1) // 2
    steps = f"{n_pairs} pairs, and each that changes places takes {2 / n_pairs:.2f} from tau"
    return (f"{n_systems} systems make {steps if n_pairs > 1 else '1 pair, so tau is 1 or -1'}",)


def unlisted_notes(result: Ablation) -> tuple[str, ...]:
    if not result.n_unlisted:
        return ()
    return (
        f"{result.n_unlisted:,} of {pluralise(result.n_judgments, 'judgment')} are of documents that no run contains, "
        "so no pool contains them",
    )


def format_level(kind: str, level: float) -> str:
    """A level as text."""
    return f"{format_percent(level)} of them" if kind == "random" else f"depth {level:g}"
