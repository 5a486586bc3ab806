"""Features of translations: n-grams, language model, lexicon, chrF, agreement with other outputs."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.translation.features.columns import COLUMNS as COLUMNS
    from rankscope.translation.features.extraction import EXTENDED as EXTENDED
    from rankscope.translation.features.extraction import FEATURES as FEATURES
    from rankscope.translation.features.extraction import NINE as NINE
    from rankscope.translation.features.extraction import NINE_SMOOTHED as NINE_SMOOTHED
    from rankscope.translation.features.extraction import OTHERS as OTHERS
    from rankscope.translation.features.extraction import SETS as SETS
    from rankscope.translation.features.extraction import FeatureSettings as FeatureSettings
    from rankscope.translation.features.extraction import column_of_scores as column_of_scores
    from rankscope.translation.features.extraction import extract_features as extract_features
    from rankscope.translation.features.extraction import feature_names as feature_names
    from rankscope.translation.features.extraction import translation_features as translation_features
    from rankscope.translation.features.table import TranslationFeatures as TranslationFeatures
    from rankscope.translation.features.table import features_by_segment as features_by_segment
    from rankscope.translation.features.table import judged_lists as judged_lists
    from rankscope.translation.features.table import read_translation_features as read_translation_features
    from rankscope.translation.features.table import write_translation_features as write_translation_features

HOMES = {
    "COLUMNS": "columns",
    "EXTENDED": "extraction",
    "FEATURES": "extraction",
    "FeatureSettings": "extraction",
    "NINE": "extraction",
    "NINE_SMOOTHED": "extraction",
    "OTHERS": "extraction",
    "SETS": "extraction",
    "TranslationFeatures": "table",
    "column_of_scores": "extraction",
    "extract_features": "extraction",
    "feature_names": "extraction",
    "features_by_segment": "table",
    "judged_lists": "table",
    "read_translation_features": "table",
    "translation_features": "extraction",
    "write_translation_features": "table",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
