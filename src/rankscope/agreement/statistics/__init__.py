"""Statistics of agreement between people's and metrics' scores, as functions of arrays."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.statistics.kendall import CLOSE as CLOSE
    from rankscope.agreement.statistics.kendall import CONVENTIONS as CONVENTIONS
    from rankscope.agreement.statistics.kendall import KINDS as KINDS
    from rankscope.agreement.statistics.kendall import Cell as Cell
    from rankscope.agreement.statistics.kendall import KendallConvention as KendallConvention
    from rankscope.agreement.statistics.kendall import as_convention as as_convention
    from rankscope.agreement.statistics.kendall import count_by_judgment as count_by_judgment
    from rankscope.agreement.statistics.kendall import count_unscored_pairs as count_unscored_pairs
    from rankscope.agreement.statistics.kendall import kinds_of as kinds_of
    from rankscope.agreement.statistics.kendall import pair_indices as pair_indices
    from rankscope.agreement.statistics.kendall import parse_table as parse_table
    from rankscope.agreement.statistics.matrix_statistics import MATRIX_STATISTICS as MATRIX_STATISTICS
    from rankscope.agreement.statistics.matrix_statistics import CommonCells as CommonCells
    from rankscope.agreement.statistics.matrix_statistics import MetricValues as MetricValues
    from rankscope.agreement.statistics.matrix_statistics import check_statistic as check_statistic
    from rankscope.agreement.statistics.matrix_statistics import common_cells as common_cells
    from rankscope.agreement.statistics.matrix_statistics import epsilons_of as epsilons_of
    from rankscope.agreement.statistics.matrix_statistics import mean_and_count as mean_and_count
    from rankscope.agreement.statistics.matrix_statistics import metric_statistics_of as metric_statistics_of
    from rankscope.agreement.statistics.matrix_statistics import metric_values as metric_values
    from rankscope.agreement.statistics.matrix_statistics import system_means as system_means
    from rankscope.agreement.statistics.matrix_statistics import values_of_means as values_of_means
    from rankscope.agreement.statistics.matrix_statistics import values_of_stack as values_of_stack
    from rankscope.agreement.statistics.segment_statistics import SEGMENT_CORRELATIONS as SEGMENT_CORRELATIONS
    from rankscope.agreement.statistics.segment_statistics import SEGMENT_GROUPINGS as SEGMENT_GROUPINGS
    from rankscope.agreement.statistics.segment_statistics import JudgmentTables as JudgmentTables
    from rankscope.agreement.statistics.segment_statistics import SegmentStatistic as SegmentStatistic
    from rankscope.agreement.statistics.segment_statistics import bootstrap_segments as bootstrap_segments
    from rankscope.agreement.statistics.segment_statistics import correlate_rows as correlate_rows
    from rankscope.agreement.statistics.segment_statistics import correlation_statistic as correlation_statistic
    from rankscope.agreement.statistics.segment_statistics import divide_or_nan as divide_or_nan
    from rankscope.agreement.statistics.segment_statistics import pair_statistic as pair_statistic
    from rankscope.agreement.statistics.segment_statistics import tables_by_metric as tables_by_metric
    from rankscope.agreement.statistics.soft_pairwise_accuracy import pair_pvalues as pair_pvalues
    from rankscope.agreement.statistics.soft_pairwise_accuracy import soft_draws as soft_draws
    from rankscope.agreement.statistics.soft_pairwise_accuracy import (
        soft_pairwise_accuracies as soft_pairwise_accuracies,
    )
    from rankscope.agreement.statistics.system_statistics import ACCURACY as ACCURACY
    from rankscope.agreement.statistics.system_statistics import OUTLIER_CUTOFF as OUTLIER_CUTOFF
    from rankscope.agreement.statistics.system_statistics import RULES as RULES
    from rankscope.agreement.statistics.system_statistics import SOFT as SOFT
    from rankscope.agreement.statistics.system_statistics import SYSTEM_CORRELATIONS as SYSTEM_CORRELATIONS
    from rankscope.agreement.statistics.system_statistics import SYSTEM_STATISTICS as SYSTEM_STATISTICS
    from rankscope.agreement.statistics.system_statistics import TAU_AP as TAU_AP
    from rankscope.agreement.statistics.system_statistics import SystemSums as SystemSums
    from rankscope.agreement.statistics.system_statistics import ap_correlations as ap_correlations
    from rankscope.agreement.statistics.system_statistics import best_systems as best_systems
    from rankscope.agreement.statistics.system_statistics import bootstrap_systems as bootstrap_systems
    from rankscope.agreement.statistics.system_statistics import fixed_sums as fixed_sums
    from rankscope.agreement.statistics.system_statistics import mean_sums as mean_sums
    from rankscope.agreement.statistics.system_statistics import outlying_systems as outlying_systems
    from rankscope.agreement.statistics.system_statistics import share_sums as share_sums
    from rankscope.agreement.statistics.system_statistics import system_statistic as system_statistic
    from rankscope.agreement.statistics.system_statistics import win_sums as win_sums
    from rankscope.agreement.statistics.tie_calibration import CalibrationCurve as CalibrationCurve
    from rankscope.agreement.statistics.tie_calibration import calibrate as calibrate
    from rankscope.agreement.statistics.tie_calibration import calibration_curve as calibration_curve
    from rankscope.agreement.statistics.tie_calibration import check_calibrated as check_calibrated

HOMES = {
    "ACCURACY": "system_statistics",
    "CLOSE": "kendall",
    "CONVENTIONS": "kendall",
    "CalibrationCurve": "tie_calibration",
    "Cell": "kendall",
    "CommonCells": "matrix_statistics",
    "JudgmentTables": "segment_statistics",
    "KINDS": "kendall",
    "KendallConvention": "kendall",
    "MATRIX_STATISTICS": "matrix_statistics",
    "MetricValues": "matrix_statistics",
    "OUTLIER_CUTOFF": "system_statistics",
    "RULES": "system_statistics",
    "SEGMENT_CORRELATIONS": "segment_statistics",
    "SEGMENT_GROUPINGS": "segment_statistics",
    "SOFT": "system_statistics",
    "SYSTEM_CORRELATIONS": "system_statistics",
    "SYSTEM_STATISTICS": "system_statistics",
    "SegmentStatistic": "segment_statistics",
    "SystemSums": "system_statistics",
    "TAU_AP": "system_statistics",
    "ap_correlations": "system_statistics",
    "as_convention": "kendall",
    "best_systems": "system_statistics",
    "bootstrap_segments": "segment_statistics",
    "bootstrap_systems": "system_statistics",
    "calibrate": "tie_calibration",
    "calibration_curve": "tie_calibration",
    "check_calibrated": "tie_calibration",
    "check_statistic": "matrix_statistics",
    "common_cells": "matrix_statistics",
    "correlate_rows": "segment_statistics",
    "correlation_statistic": "segment_statistics",
    "count_by_judgment": "kendall",
    "count_unscored_pairs": "kendall",
    "divide_or_nan": "segment_statistics",
    "epsilons_of": "matrix_statistics",
    "fixed_sums": "system_statistics",
    "kinds_of": "kendall",
    "mean_and_count": "matrix_statistics",
    "mean_sums": "system_statistics",
    "metric_statistics_of": "matrix_statistics",
    "metric_values": "matrix_statistics",
    "outlying_systems": "system_statistics",
    "pair_indices": "kendall",
    "pair_pvalues": "soft_pairwise_accuracy",
    "pair_statistic": "segment_statistics",
    "parse_table": "kendall",
    "share_sums": "system_statistics",
    "soft_draws": "soft_pairwise_accuracy",
    "soft_pairwise_accuracies": "soft_pairwise_accuracy",
    "system_means": "matrix_statistics",
    "system_statistic": "system_statistics",
    "tables_by_metric": "segment_statistics",
    "values_of_means": "matrix_statistics",
    "values_of_stack": "matrix_statistics",
    "win_sums": "system_statistics",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
