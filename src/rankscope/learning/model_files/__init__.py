"""Saving and loading trained rankers as safetensors files."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.learning.model_files.model_file import check_saving as check_saving
    from rankscope.learning.model_files.model_file import feature_names_in as feature_names_in
    from rankscope.learning.model_files.model_file import load_ranker as load_ranker
    from rankscope.learning.model_files.model_file import ranks_in as ranks_in
    from rankscope.learning.model_files.model_file import save_ranker as save_ranker

HOMES = {
    "check_saving": "model_file",
    "feature_names_in": "model_file",
    "load_ranker": "model_file",
    "ranks_in": "model_file",
    "save_ranker": "model_file",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
