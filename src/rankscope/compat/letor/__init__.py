"""LETOR's evaluation tools: the scripts of LETOR 3.0 (2008), LETOR 4.0 (2009) and MSLR (2010)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.compat.letor.output import letor_rank as letor_rank
    from rankscope.compat.letor.output import letor_score as letor_score
    from rankscope.compat.letor.perl import perl_number as perl_number
    from rankscope.compat.letor.scripts import VERSIONS as VERSIONS
    from rankscope.compat.letor.scripts import Script as Script
    from rankscope.compat.letor.scripts import Stopped as Stopped
    from rankscope.compat.letor.ttest import PairedTTest as PairedTTest
    from rankscope.compat.letor.ttest import letor_ttest as letor_ttest
    from rankscope.compat.letor.ttest import letor_ttests as letor_ttests
    from rankscope.compat.letor.values import LetorValues as LetorValues
    from rankscope.compat.letor.values import letor_values as letor_values

HOMES = {
    "LetorValues": "values",
    "PairedTTest": "ttest",
    "Script": "scripts",
    "Stopped": "scripts",
    "VERSIONS": "scripts",
    "letor_rank": "output",
    "letor_score": "output",
    "letor_ttest": "ttest",
    "letor_ttests": "ttest",
    "letor_values": "values",
    "perl_number": "perl",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
