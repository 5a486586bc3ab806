"""Which system is better, and how sure that is (`rankscope.compare`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.compare.overview import overview_section as overview_section
    from rankscope.comparison.compare.paper_table import PaperTable as PaperTable
    from rankscope.comparison.compare.paper_table import PaperTableSettings as PaperTableSettings
    from rankscope.comparison.compare.paper_table import paper_table as paper_table
    from rankscope.comparison.compare.result import Comparison as Comparison
    from rankscope.comparison.compare.result import MeasureComparison as MeasureComparison
    from rankscope.comparison.compare.significance_tests import FAMILIES as FAMILIES
    from rankscope.comparison.compare.significance_tests import INTERVALS as INTERVALS
    from rankscope.comparison.compare.significance_tests import TESTS as TESTS
    from rankscope.comparison.compare.significance_tests import ComparisonSettings as ComparisonSettings
    from rankscope.comparison.compare.significance_tests import SignificanceTest as SignificanceTest
    from rankscope.comparison.compare.systems import compare as compare
    from rankscope.comparison.compare.systems import compare_systems as compare_systems
    from rankscope.comparison.compare.view import comparison_sentence as comparison_sentence
    from rankscope.comparison.compare.view import differences_figure as differences_figure
    from rankscope.comparison.compare.view import effect_size_sections as effect_size_sections
    from rankscope.comparison.compare.view import extremes_table as extremes_table
    from rankscope.comparison.compare.view import leaderboard as leaderboard
    from rankscope.comparison.compare.view import leading_systems as leading_systems
    from rankscope.comparison.compare.view import pair_by_pair as pair_by_pair
    from rankscope.comparison.compare.view import query_section as query_section

HOMES = {
    "Comparison": "result",
    "ComparisonSettings": "significance_tests",
    "FAMILIES": "significance_tests",
    "INTERVALS": "significance_tests",
    "MeasureComparison": "result",
    "PaperTable": "paper_table",
    "PaperTableSettings": "paper_table",
    "SignificanceTest": "significance_tests",
    "TESTS": "significance_tests",
    "compare": "systems",
    "compare_systems": "systems",
    "comparison_sentence": "view",
    "differences_figure": "view",
    "effect_size_sections": "view",
    "extremes_table": "view",
    "leaderboard": "view",
    "leading_systems": "view",
    "overview_section": "overview",
    "pair_by_pair": "view",
    "paper_table": "paper_table",
    "query_section": "view",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
