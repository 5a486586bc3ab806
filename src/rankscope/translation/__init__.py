"""Machine translation: language models, lexicons, features of translations, and the learned metric.

>>> import rankscope as rs
>>> model = rs.translation.train_language_model(["the cat sat", "the dog sat", "a cat ran"], order=2)
>>> model.scores(["the cat ran", "ran the cat"]).log10.round(2)
array([-1.64, -4.07])
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.translation.experiment import TranslationExperiment as TranslationExperiment
    from rankscope.translation.experiment import translation_experiment as translation_experiment
    from rankscope.translation.features import EXTENDED as EXTENDED
    from rankscope.translation.features import FEATURES as FEATURES
    from rankscope.translation.features import NINE as NINE
    from rankscope.translation.features import NINE_SMOOTHED as NINE_SMOOTHED
    from rankscope.translation.features import OTHERS as OTHERS
    from rankscope.translation.features import TranslationFeatures as TranslationFeatures
    from rankscope.translation.features import feature_names as feature_names
    from rankscope.translation.features import judged_lists as judged_lists
    from rankscope.translation.features import read_translation_features as read_translation_features
    from rankscope.translation.features import translation_features as translation_features
    from rankscope.translation.features import write_translation_features as write_translation_features
    from rankscope.translation.language_model import LanguageModel as LanguageModel
    from rankscope.translation.language_model import load_language_model as load_language_model
    from rankscope.translation.language_model import save_language_model as save_language_model
    from rankscope.translation.language_model import train_language_model as train_language_model
    from rankscope.translation.learned_metric import score_translations as score_translations
    from rankscope.translation.learned_metric import seg_score_lines as seg_score_lines
    from rankscope.translation.lexicon import Lexicon as Lexicon
    from rankscope.translation.lexicon import load_lexicon as load_lexicon
    from rankscope.translation.lexicon import save_lexicon as save_lexicon
    from rankscope.translation.lexicon import train_lexicon as train_lexicon
    from rankscope.translation.tokenisation import tokenised as tokenised

HOMES = {
    "EXTENDED": "features",
    "FEATURES": "features",
    "LanguageModel": "language_model",
    "Lexicon": "lexicon",
    "NINE": "features",
    "NINE_SMOOTHED": "features",
    "OTHERS": "features",
    "TranslationExperiment": "experiment",
    "TranslationFeatures": "features",
    "feature_names": "features",
    "judged_lists": "features",
    "load_language_model": "language_model",
    "load_lexicon": "lexicon",
    "read_translation_features": "features",
    "save_language_model": "language_model",
    "save_lexicon": "lexicon",
    "score_translations": "learned_metric",
    "seg_score_lines": "learned_metric",
    "tokenised": "tokenisation",
    "train_language_model": "language_model",
    "train_lexicon": "lexicon",
    "translation_experiment": "experiment",
    "translation_features": "features",
    "write_translation_features": "features",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
