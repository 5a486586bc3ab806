"""Planning: how many queries a comparison needs (`rankscope.plan`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.plan.queries import QueryPlan as QueryPlan
    from rankscope.comparison.plan.queries import check_plan as check_plan
    from rankscope.comparison.plan.queries import plan as plan

HOMES = {
    "QueryPlan": "queries",
    "check_plan": "queries",
    "plan": "queries",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
