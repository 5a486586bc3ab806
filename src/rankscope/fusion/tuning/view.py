"""The view of a trained fusion: the settings that were tried, and its worth on queries not used for training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.kernels.rounding_ties import order_of

if TYPE_CHECKING:
    from rankscope.fusion.tuning.result import TrainedFusion, TriedSetting

__all__ = [
    "fusion_sections",
]


#: Most settings shown; the tidy table has all of them.
FIRST_SETTINGS = 10


def fusion_sections(result: TrainedFusion) -> tuple[Section, ...]:
    """The settings, and the folds."""
    return settings_section(result), folds_section(result)


def settings_section(result: TrainedFusion) -> Section:
    """The settings that were tried, the best first."""
    shown_settings = best_first(result)[:FIRST_SETTINGS]
    n_settings = len(result.tried)
    chosen_setting = next(setting for setting in result.tried if setting.name == result.name)
    sentence = f"{result.name} has {'the best' if n_settings > 1 else 'a'} mean {result.measure}"
    sentence += f" of {pluralise(n_settings, 'setting')}" if n_settings > 1 else ""
    sentence += f" on {pluralise_queries(len(result.queries))}: {chosen_setting.mean:.4f}"
    if n_settings > FIRST_SETTINGS:
        sentence += f"; the best {FIRST_SETTINGS} are shown"
    return Section(
        title="Settings",
        sentence=sentence + ".",
        table=table_of(
            column("setting", (setting.name for setting in shown_settings), name=True),
            column(result.measure, (setting.mean for setting in shown_settings), digits()),
            *(
                column(f"fold {f + 1}", (setting.values[f] for setting in shown_settings), digits())
                for f in range(len(result.chosen))
            ),
        ),
    )


def best_first(result: TrainedFusion) -> list[TriedSetting]:
    """The settings by their means; the chosen one first where others are as good."""
    sign = -1.0 if result.higher_is_better else 1.0
    chosen_first = sorted(result.tried, key=lambda setting: setting.name != result.name)
    means = np.array([sign * setting.mean for setting in chosen_first])
    return [chosen_first[i] for i in order_of(means, 1.0).tolist()]


def folds_section(result: TrainedFusion) -> Section:
    """What the fusion is worth on queries that it did not learn from, and what each run is worth alone."""
    best_index = int(order_of(np.array(result.alone) * (-1.0 if result.higher_is_better else 1.0), 1.0)[0])
    best_mean, name = result.alone[best_index], result.runs[best_index]
    subject = f"The best run, {name}," if len(result.runs) > 1 else f"{name} alone"
    sentence = (
        "With cross-fitting, where each fold is fused with what was chosen and learned on the other folds, the "
        f"mean is {result.cross_fitted_mean:.4f}: about what to expect on other queries like these. {subject} has "
        f"{best_mean:.4f}."
    )
    table = table_of(
        column("fold", range(1, len(result.chosen) + 1), name=True),
        column("chosen by the other folds", (choice.name for choice in result.chosen), name=True),
        column("queries", (choice.queries for choice in result.chosen), thousands),
        column(result.measure, (choice.value for choice in result.chosen), digits()),
    )
    return Section(title="On queries not used for training", sentence=sentence, table=table)
