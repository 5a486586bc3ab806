"""Planning: how many queries a comparison needs (`rankscope.plan`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.plan.queries import PlanSettings as PlanSettings
    from rankscope.comparison.plan.queries import QueryPlan as QueryPlan
    from rankscope.comparison.plan.queries import plan as plan
    from rankscope.comparison.plan.queries import plan_queries as plan_queries

HOMES = {
    "QueryPlan": "queries",
    "PlanSettings": "queries",
    "plan": "queries",
    "plan_queries": "queries",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
