"""Planning: how many queries a comparison needs (`rankscope.plan`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.plan.sample_size import MeasurePlan as MeasurePlan
    from rankscope.comparison.plan.sample_size import PlanSettings as PlanSettings
    from rankscope.comparison.plan.sample_size import QueryPlan as QueryPlan
    from rankscope.comparison.plan.sample_size import plan as plan
    from rankscope.comparison.plan.sample_size import plan_queries as plan_queries
    from rankscope.comparison.plan.view import detectable_sentence as detectable_sentence

HOMES = {
    "MeasurePlan": "sample_size",
    "QueryPlan": "sample_size",
    "detectable_sentence": "view",
    "PlanSettings": "sample_size",
    "plan": "sample_size",
    "plan_queries": "sample_size",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
