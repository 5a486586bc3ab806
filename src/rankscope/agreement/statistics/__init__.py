"""Statistics of agreement between people's and metrics' scores, as functions of arrays."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.statistics.aligned import AlignedScores as AlignedScores
    from rankscope.agreement.statistics.aligned import from_matrices as from_matrices
    from rankscope.agreement.statistics.aligned import from_rankings as from_rankings
    from rankscope.agreement.statistics.aligned import random_stream as random_stream
    from rankscope.agreement.statistics.aligned import sum_by_code as sum_by_code
    from rankscope.agreement.statistics.kendall import BY_SIGNS as BY_SIGNS
    from rankscope.agreement.statistics.kendall import CLOSE as CLOSE
    from rankscope.agreement.statistics.kendall import CONVENTIONS as CONVENTIONS
    from rankscope.agreement.statistics.kendall import KINDS as KINDS
    from rankscope.agreement.statistics.kendall import CalibrationCurve as CalibrationCurve
    from rankscope.agreement.statistics.kendall import Cell as Cell
    from rankscope.agreement.statistics.kendall import KendallConvention as KendallConvention
    from rankscope.agreement.statistics.kendall import as_convention as as_convention
    from rankscope.agreement.statistics.kendall import calibrate as calibrate
    from rankscope.agreement.statistics.kendall import calibration_curve as calibration_curve
    from rankscope.agreement.statistics.kendall import check_calibrated as check_calibrated
    from rankscope.agreement.statistics.kendall import count_by_judgment as count_by_judgment
    from rankscope.agreement.statistics.kendall import count_unscored_pairs as count_unscored_pairs
    from rankscope.agreement.statistics.kendall import kinds_of as kinds_of
    from rankscope.agreement.statistics.kendall import pair_indices as pair_indices
    from rankscope.agreement.statistics.kendall import pair_weights as pair_weights
    from rankscope.agreement.statistics.kendall import parse_table as parse_table
    from rankscope.agreement.statistics.registry import SEGMENT_CORRELATIONS as SEGMENT_CORRELATIONS
    from rankscope.agreement.statistics.registry import SEGMENT_GROUPINGS as SEGMENT_GROUPINGS
    from rankscope.agreement.statistics.registry import STATISTICS as STATISTICS
    from rankscope.agreement.statistics.registry import AgreementStatistic as AgreementStatistic
    from rankscope.agreement.statistics.registry import check_scores as check_scores
    from rankscope.agreement.statistics.registry import check_statistic as check_statistic
    from rankscope.agreement.statistics.registry import statistic_named as statistic_named
    from rankscope.agreement.statistics.system_statistics import ACCURACY as ACCURACY
    from rankscope.agreement.statistics.system_statistics import OUTLIER_CUTOFF as OUTLIER_CUTOFF
    from rankscope.agreement.statistics.system_statistics import SOFT as SOFT
    from rankscope.agreement.statistics.system_statistics import SYSTEM_CORRELATIONS as SYSTEM_CORRELATIONS
    from rankscope.agreement.statistics.system_statistics import SYSTEM_STATISTICS as SYSTEM_STATISTICS
    from rankscope.agreement.statistics.system_statistics import TAU_AP as TAU_AP
    from rankscope.agreement.statistics.system_statistics import ap_correlations as ap_correlations
    from rankscope.agreement.statistics.system_statistics import best_systems as best_systems
    from rankscope.agreement.statistics.system_statistics import outlying_systems as outlying_systems
    from rankscope.agreement.statistics.system_statistics import pair_pvalues as pair_pvalues
    from rankscope.agreement.statistics.system_statistics import soft_draws as soft_draws
    from rankscope.agreement.statistics.system_statistics import (
        soft_pairwise_accuracies as soft_pairwise_accuracies,
    )
    from rankscope.agreement.statistics.system_statistics import system_statistic as system_statistic
    from rankscope.agreement.statistics.values import StatisticValues as StatisticValues
    from rankscope.agreement.statistics.values import bootstrap_segments as bootstrap_segments
    from rankscope.agreement.statistics.values import correlate_rows as correlate_rows
    from rankscope.agreement.statistics.values import divide_or_nan as divide_or_nan
    from rankscope.agreement.statistics.values import epsilons_of as epsilons_of
    from rankscope.agreement.statistics.values import evaluate_scores as evaluate_scores
    from rankscope.agreement.statistics.values import mean_and_count as mean_and_count
    from rankscope.agreement.statistics.values import mean_by_segment as mean_by_segment
    from rankscope.agreement.statistics.values import mean_over_segments as mean_over_segments
    from rankscope.agreement.statistics.values import metric_values as metric_values
    from rankscope.agreement.statistics.values import sampled_items as sampled_items
    from rankscope.agreement.statistics.values import system_means as system_means
    from rankscope.agreement.statistics.values import values_of_cells as values_of_cells
    from rankscope.agreement.statistics.values import values_of_means as values_of_means
    from rankscope.agreement.statistics.values import values_of_stack as values_of_stack

HOMES = {
    "ACCURACY": "system_statistics",
    "AgreementStatistic": "registry",
    "AlignedScores": "aligned",
    "BY_SIGNS": "kendall",
    "CLOSE": "kendall",
    "CONVENTIONS": "kendall",
    "CalibrationCurve": "kendall",
    "Cell": "kendall",
    "KINDS": "kendall",
    "KendallConvention": "kendall",
    "OUTLIER_CUTOFF": "system_statistics",
    "SEGMENT_CORRELATIONS": "registry",
    "SEGMENT_GROUPINGS": "registry",
    "SOFT": "system_statistics",
    "STATISTICS": "registry",
    "SYSTEM_CORRELATIONS": "system_statistics",
    "SYSTEM_STATISTICS": "system_statistics",
    "StatisticValues": "values",
    "TAU_AP": "system_statistics",
    "ap_correlations": "system_statistics",
    "as_convention": "kendall",
    "bootstrap_segments": "values",
    "best_systems": "system_statistics",
    "calibrate": "kendall",
    "calibration_curve": "kendall",
    "check_calibrated": "kendall",
    "check_scores": "registry",
    "check_statistic": "registry",
    "correlate_rows": "values",
    "count_by_judgment": "kendall",
    "count_unscored_pairs": "kendall",
    "divide_or_nan": "values",
    "epsilons_of": "values",
    "evaluate_scores": "values",
    "from_matrices": "aligned",
    "from_rankings": "aligned",
    "kinds_of": "kendall",
    "mean_and_count": "values",
    "mean_by_segment": "values",
    "mean_over_segments": "values",
    "metric_values": "values",
    "outlying_systems": "system_statistics",
    "pair_indices": "kendall",
    "pair_pvalues": "system_statistics",
    "pair_weights": "kendall",
    "parse_table": "kendall",
    "sampled_items": "values",
    "soft_draws": "system_statistics",
    "soft_pairwise_accuracies": "system_statistics",
    "statistic_named": "registry",
    "random_stream": "aligned",
    "sum_by_code": "aligned",
    "system_means": "values",
    "system_statistic": "system_statistics",
    "values_of_cells": "values",
    "values_of_means": "values",
    "values_of_stack": "values",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
