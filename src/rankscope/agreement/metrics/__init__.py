"""Comparison of metrics with each other by tests (`rankscope.agreement.compare_metrics`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.metrics.comparison import MetricComparison as MetricComparison
    from rankscope.agreement.metrics.comparison import cluster_ranks as cluster_ranks
    from rankscope.agreement.metrics.comparison import compare_judged_metrics as compare_judged_metrics
    from rankscope.agreement.metrics.comparison import compare_metrics as compare_metrics
    from rankscope.agreement.metrics.metric_tests import ALTERNATIVES as ALTERNATIVES
    from rankscope.agreement.metrics.metric_tests import TESTS as TESTS
    from rankscope.agreement.metrics.metric_tests import compare_matrices as compare_matrices
    from rankscope.agreement.metrics.tasks import STATISTICS_BY_LEVEL as STATISTICS_BY_LEVEL
    from rankscope.agreement.metrics.tasks import MetricComparisonSettings as MetricComparisonSettings
    from rankscope.agreement.metrics.tasks import Task as Task
    from rankscope.agreement.metrics.tasks import tasks_of as tasks_of

HOMES = {
    "ALTERNATIVES": "metric_tests",
    "MetricComparison": "comparison",
    "MetricComparisonSettings": "tasks",
    "STATISTICS_BY_LEVEL": "tasks",
    "TESTS": "metric_tests",
    "Task": "tasks",
    "cluster_ranks": "comparison",
    "compare_judged_metrics": "comparison",
    "compare_matrices": "metric_tests",
    "compare_metrics": "comparison",
    "tasks_of": "tasks",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
