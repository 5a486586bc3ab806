"""Which system is better, and how sure that is (`rankscope.compare`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.compare.group_view import group_sections as group_sections
    from rankscope.comparison.compare.leaders import headline as headline
    from rankscope.comparison.compare.leaders import is_untested as is_untested
    from rankscope.comparison.compare.leaders import leading_systems as leading_systems
    from rankscope.comparison.compare.leaders import withheld_sentence as withheld_sentence
    from rankscope.comparison.compare.overview import all_measures_section as all_measures_section
    from rankscope.comparison.compare.paper import PaperTable as PaperTable
    from rankscope.comparison.compare.paper import PaperTableSettings as PaperTableSettings
    from rankscope.comparison.compare.paper import paper_table as paper_table
    from rankscope.comparison.compare.result import Comparison as Comparison
    from rankscope.comparison.compare.result import Interaction as Interaction
    from rankscope.comparison.compare.result import MeasureComparison as MeasureComparison
    from rankscope.comparison.compare.significance_tests import FAMILIES as FAMILIES
    from rankscope.comparison.compare.significance_tests import INTERVALS as INTERVALS
    from rankscope.comparison.compare.significance_tests import TESTS as TESTS
    from rankscope.comparison.compare.significance_tests import ComparisonSettings as ComparisonSettings
    from rankscope.comparison.compare.significance_tests import SignificanceTest as SignificanceTest
    from rankscope.comparison.compare.systems import compare as compare
    from rankscope.comparison.compare.systems import compare_systems as compare_systems
    from rankscope.comparison.compare.view import certainty_sentence as certainty_sentence
    from rankscope.comparison.compare.view import comparison_sentence as comparison_sentence
    from rankscope.comparison.compare.view import differences_figure as differences_figure
    from rankscope.comparison.compare.view import effect_size_sections as effect_size_sections
    from rankscope.comparison.compare.view import extreme_queries_of_leaders as extreme_queries_of_leaders
    from rankscope.comparison.compare.view import extremes_table as extremes_table
    from rankscope.comparison.compare.view import leaderboard as leaderboard
    from rankscope.comparison.compare.view import pair_by_pair as pair_by_pair
    from rankscope.comparison.compare.view import query_section as query_section

HOMES = {
    "Comparison": "result",
    "ComparisonSettings": "significance_tests",
    "FAMILIES": "significance_tests",
    "INTERVALS": "significance_tests",
    "Interaction": "result",
    "MeasureComparison": "result",
    "PaperTable": "paper",
    "PaperTableSettings": "paper",
    "SignificanceTest": "significance_tests",
    "TESTS": "significance_tests",
    "certainty_sentence": "view",
    "compare": "systems",
    "compare_systems": "systems",
    "comparison_sentence": "view",
    "withheld_sentence": "leaders",
    "differences_figure": "view",
    "effect_size_sections": "view",
    "extreme_queries_of_leaders": "view",
    "extremes_table": "view",
    "group_sections": "group_view",
    "headline": "leaders",
    "is_untested": "leaders",
    "leaderboard": "view",
    "leading_systems": "leaders",
    "all_measures_section": "overview",
    "pair_by_pair": "view",
    "paper_table": "paper",
    "query_section": "view",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
