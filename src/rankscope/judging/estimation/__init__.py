"""Estimates from few human judgments beside many of a machine."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.judging.estimation.planning import JudgmentPlan as JudgmentPlan
    from rankscope.judging.estimation.planning import plan_judgments as plan_judgments
    from rankscope.judging.estimation.prediction_powered import Estimates as Estimates
    from rankscope.judging.estimation.prediction_powered import estimate as estimate

HOMES = {
    "Estimates": "prediction_powered",
    "JudgmentPlan": "planning",
    "estimate": "prediction_powered",
    "plan_judgments": "planning",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
