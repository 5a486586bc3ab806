"""Logs of what was shown and clicked, in four formats, as batches of impressions."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.online.logs.batches import LogBatch as LogBatch
    from rankscope.online.logs.batches import ShownLists as ShownLists
    from rankscope.online.logs.batches import Texts as Texts
    from rankscope.online.logs.batches import click_positions as click_positions
    from rankscope.online.logs.read_log import Log as Log
    from rankscope.online.logs.read_log import open_log as open_log
    from rankscope.online.logs.shown_documents import IMPRESSION as IMPRESSION
    from rankscope.online.logs.shown_documents import ShownDocuments as ShownDocuments
    from rankscope.online.logs.shown_documents import load_shown as load_shown
    from rankscope.online.logs.ubi import ACTIONS as ACTIONS

HOMES = {
    "ACTIONS": "ubi",
    "IMPRESSION": "shown_documents",
    "Log": "read_log",
    "LogBatch": "batches",
    "ShownDocuments": "shown_documents",
    "ShownLists": "batches",
    "Texts": "batches",
    "click_positions": "batches",
    "load_shown": "shown_documents",
    "open_log": "read_log",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
