"""N-gram language models: Kneser-Ney training, ARPA and binary files, scores."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.translation.language_model.backoff_model import LanguageModel as LanguageModel
    from rankscope.translation.language_model.kneser_ney import LanguageModelSettings as LanguageModelSettings
    from rankscope.translation.language_model.kneser_ney import estimate_language_model as estimate_language_model
    from rankscope.translation.language_model.kneser_ney import train_language_model as train_language_model
    from rankscope.translation.language_model.model_files import LANGUAGE_MODEL_MAGIC as LANGUAGE_MODEL_MAGIC
    from rankscope.translation.language_model.model_files import load_language_model as load_language_model
    from rankscope.translation.language_model.model_files import save_language_model as save_language_model
    from rankscope.translation.language_model.vocabulary import refuse_reserved as refuse_reserved

HOMES = {
    "LANGUAGE_MODEL_MAGIC": "model_files",
    "LanguageModel": "backoff_model",
    "LanguageModelSettings": "kneser_ney",
    "estimate_language_model": "kneser_ney",
    "load_language_model": "model_files",
    "refuse_reserved": "vocabulary",
    "save_language_model": "model_files",
    "train_language_model": "kneser_ney",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
