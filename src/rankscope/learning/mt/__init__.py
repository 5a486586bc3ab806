"""Features of translations, and the models that they need.

>>> from rankscope.learning import mt
>>> model = mt.train_language_model(["the cat sat", "the dog sat", "a cat ran"], order=2)
>>> model.scores(["the cat ran", "ran the cat"]).log10.round(2)
array([-1.64, -4.07])
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives, a module here. Loaded when first asked for.
HOMES = {
    "EXTENDED": "features",
    "FEATURES": "features",
    "LanguageModel": "language_model",
    "Lexicon": "lexicon",
    "NINE": "features",
    "NINE_SMOOTHED": "features",
    "OTHERS": "features",
    "TranslationFeatures": "feature_table",
    "feature_names": "features",
    "judged_lists": "feature_files",
    "load_language_model": "model_files",
    "load_lexicon": "lexicon_files",
    "read_translation_features": "learned_scores",
    "save_language_model": "model_files",
    "save_lexicon": "lexicon_files",
    "score_translations": "learned_scores",
    "seg_score_lines": "learned_scores",
    "tokenised": "tokenisation",
    "train_language_model": "kneser_ney",
    "train_lexicon": "lexicon_training",
    "translation_features": "features",
    "write_translation_features": "feature_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
