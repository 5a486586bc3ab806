"""Estimates from few human judgments beside many of a machine."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.judging.estimation.active_choice import ItemChoice as ItemChoice
    from rankscope.judging.estimation.active_choice import choose_items as choose_items
    from rankscope.judging.estimation.active_choice import choose_table_items as choose_table_items
    from rankscope.judging.estimation.items import estimate_item_table as estimate_item_table
    from rankscope.judging.estimation.items import estimate_items as estimate_items
    from rankscope.judging.estimation.planning import JudgmentPlan as JudgmentPlan
    from rankscope.judging.estimation.planning import JudgmentPlanSettings as JudgmentPlanSettings
    from rankscope.judging.estimation.planning import plan_human_judgments as plan_human_judgments
    from rankscope.judging.estimation.planning import plan_judgments as plan_judgments
    from rankscope.judging.estimation.prediction_powered import Estimates as Estimates
    from rankscope.judging.estimation.prediction_powered import estimate as estimate
    from rankscope.judging.estimation.prediction_powered import estimate_means as estimate_means
    from rankscope.judging.estimation.settings import ChoiceSettings as ChoiceSettings
    from rankscope.judging.estimation.settings import EstimateSettings as EstimateSettings
    from rankscope.judging.estimation.settings import ItemSettings as ItemSettings

HOMES = {
    "ChoiceSettings": "settings",
    "EstimateSettings": "settings",
    "Estimates": "prediction_powered",
    "ItemChoice": "active_choice",
    "ItemSettings": "settings",
    "JudgmentPlan": "planning",
    "JudgmentPlanSettings": "planning",
    "choose_items": "active_choice",
    "choose_table_items": "active_choice",
    "estimate": "prediction_powered",
    "estimate_item_table": "items",
    "estimate_items": "items",
    "estimate_means": "prediction_powered",
    "plan_human_judgments": "planning",
    "plan_judgments": "planning",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
