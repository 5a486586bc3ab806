"""Lexicons: translation probabilities of words by IBM model 1, scores of sentence pairs, files."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.translation.lexicon.ibm_model_1 import LexiconSettings as LexiconSettings
    from rankscope.translation.lexicon.ibm_model_1 import estimate_lexicon as estimate_lexicon
    from rankscope.translation.lexicon.ibm_model_1 import train_lexicon as train_lexicon
    from rankscope.translation.lexicon.lexicon import LexicalScores as LexicalScores
    from rankscope.translation.lexicon.lexicon import Lexicon as Lexicon
    from rankscope.translation.lexicon.lexicon import copied_words as copied_words
    from rankscope.translation.lexicon.model_files import LEXICON_MAGIC as LEXICON_MAGIC
    from rankscope.translation.lexicon.model_files import load_lexicon as load_lexicon
    from rankscope.translation.lexicon.model_files import save_lexicon as save_lexicon

HOMES = {
    "LEXICON_MAGIC": "model_files",
    "LexicalScores": "lexicon",
    "Lexicon": "lexicon",
    "LexiconSettings": "ibm_model_1",
    "copied_words": "lexicon",
    "estimate_lexicon": "ibm_model_1",
    "load_lexicon": "model_files",
    "save_lexicon": "model_files",
    "train_lexicon": "ibm_model_1",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
