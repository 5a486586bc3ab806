"""What clicks say of ranks and documents: click-through, position bias, judgments."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.online.click_log.settings import ClickSettings as ClickSettings
    from rankscope.online.click_log.summary import ClickSummary as ClickSummary
    from rankscope.online.click_log.summary import run_click_summary as run_click_summary
    from rankscope.online.click_log.summary import summarise_clicks as summarise_clicks

HOMES = {
    "ClickSettings": "settings",
    "ClickSummary": "summary",
    "run_click_summary": "summary",
    "summarise_clicks": "summary",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
