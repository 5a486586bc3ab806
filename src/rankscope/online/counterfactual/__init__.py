"""What users would have clicked in other rankings, estimated from a log with propensities."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.online.counterfactual.inference import estimate_clicks as estimate_clicks
    from rankscope.online.counterfactual.inference import run_click_estimates as run_click_estimates
    from rankscope.online.counterfactual.result import ClickEstimates as ClickEstimates
    from rankscope.online.counterfactual.settings import ClickEstimateSettings as ClickEstimateSettings

HOMES = {
    "ClickEstimateSettings": "settings",
    "ClickEstimates": "result",
    "estimate_clicks": "inference",
    "run_click_estimates": "inference",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
