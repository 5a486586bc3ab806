"""Differences of two systems document by document (`rankscope.diff`): what each contributes, and why."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.diff.attribution import diff as diff
    from rankscope.comparison.diff.attribution import diff_files as diff_files
    from rankscope.comparison.diff.attribution import diff_joined as diff_joined
    from rankscope.comparison.diff.result import RunDiff as RunDiff
    from rankscope.comparison.diff.settings import DEFAULT_MEASURE as DEFAULT_MEASURE
    from rankscope.comparison.diff.settings import DiffSettings as DiffSettings
    from rankscope.comparison.diff.view import query_sections as query_sections

HOMES = {
    "DEFAULT_MEASURE": "settings",
    "DiffSettings": "settings",
    "RunDiff": "result",
    "diff": "attribution",
    "diff_files": "attribution",
    "diff_joined": "attribution",
    "query_sections": "view",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
