"""The measures of Dunaiski's tool under the names of its functions, and those nine that it evaluates."""

from __future__ import annotations

from rankscope.errors import UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures
from rankscope.measures.presets import PRESETS

__all__ = ["FUNCTIONS", "SIGNS", "coded_measure", "default_measures"]

#: A function of the tool -> what one asks the preset `dunaiski` for. {}: its cutoff.
FUNCTIONS = {
    "Average": "MeanRank",
    "Average_at_k": "MeanRank@{}",
    "Average_at_avg": "MeanRank@mean",
    "Average_at_testsize": "MeanRank@size",
    "Average_at_recall": "MeanRank@recall={}",
    "Median": "MedianRank",
    "Median_at_k": "MedianRank@{}",
    "Median_at_avg": "MedianRank@mean",
    "Median_at_testsize": "MedianRank@size",
    "Median_at_recall": "MedianRank@recall={}",
    "Min": "MinRank",
    "Max": "MaxRank",
    "P_at_k": "P@{}",
    "P_at_avg": "P@mean",
    "P_at_testsize": "P@size",
    "P_at_recall": "P@recall={}",
    "P_at_50recall": "P@recall=0.5",
    "P_at_k_buckets": "P(scale='permille')@{}",
    "P_at_avg_buckets": "P(scale='permille')@mean",
    "P_at_50recall_buckets": "P(scale='permille')@median",
    "P_at_recall_buckets": "P(scale='permille')@recall={}",
    "Recall_at_k": "R@{}",
    "Recall_at_10": "R@10",
    "Recall_at_avg": "R@mean",
    "Recall_at_testsize": "R@size",
    "Recall_at_k_buckets": "R(scale='permille')@{}",
    "Recall_at_avg_buckets": "R(scale='permille')@mean",
    "R_precision": "Rprec",
    "AP": "AP",
    "AP_at_n": "AP@{}",
    "AP_at_10": "AP@10",
    "AP_at_avg": "AP@mean",
    "AP_at_testsize": "AP@size",
    "AP_at_recall": "AP@recall={}",
    "AP_at_50recall": "AP@median",
    "AP_buckets": "AP(scale='permille')",
    "AP_at_n_buckets": "AP(scale='permille')@{}",
    "AP_at_avg_buckets": "AP(scale='permille')@mean",
    "AP_at_50recall_buckets": "AP(scale='permille')@median",
    "AP_interpolated": "IAP",
    "AP_interpolated_buckets": "IAP(scale='permille')",
    "NDCG": "nDCG",
    "NDCG_10": "nDCG@10",
    "NDCG_at_n": "nDCG@{}",
    "NDCG_at_avg": "nDCG@mean",
    "NDCG_at_testsize": "nDCG@size",
    "NDCG_at_recall": "nDCG@recall={}",
    "NDCG_at_50recall": "nDCG@median",
    "NDCG_buckets": "nDCG(scale='permille')",
    "NDCG_at_n_buckets": "nDCG(scale='permille')@{}",
    "NDCG_at_avg_buckets": "nDCG(scale='permille')@mean",
    "NDCG_at_50recall_buckets": "nDCG(scale='permille')@median",
    "PR_AUC": "PRAUC",
    "PR_AUC_interpolated": "PRAUC(interpolated=True)",
    "PR_AUC_buckets": "PRAUC(scale='permille')",
    "PR_AUC_interpolated_buckets": "PRAUC(scale='permille', interpolated=True)",
    "ROC_at_k_auc": "AUC@{}",
    "ROC_at_10000_auc": "AUC",
    "ROC_at_avg_auc": "AUC@mean",
    "ROC_AUC_buckets": "AUC(scale='permille')",
    "ROC_AUC_std_intervals": "AUCIntervals",
    "MAP_std_intervals": "APIntervals",
    "MAP_geom_intervals": "APIntervals(average='geometric')",
}

#: What the tool evaluates: its name, function, cutoff, and 1, or -1 where it takes lower for better. It tells that by
#: the name, and so turns Average@10 round, behind which is average precision.
DEFAULT_MEASURES = (
    ("Average", "Average", None, -1),
    ("Average@10", "AP_at_n", 10, -1),
    ("Average@20", "Average_at_k", 20, -1),
    ("Average@Avg", "Average_at_avg", None, -1),
    ("Median", "Median", None, -1),
    ("AP", "AP", None, 1),
    ("nDCG@Avg", "NDCG_at_avg", None, 1),
    ("AP_inter_per", "AP_interpolated_buckets", None, 1),
    ("P@2000_per", "P_at_k_buckets", 2000, 1),
)
SIGNS = {name: sign for name, _, _, sign in DEFAULT_MEASURES}


def coded_measure(function: str, cutoff: int | float | None = None) -> Measure:
    """What a function of the tool computes. Raises UnknownName; ParameterError for a cutoff that it cannot have.

    >>> str(coded_measure("AP_at_n", 10))
    'DunaiskiAP@10'
    """
    if function not in FUNCTIONS:
        raise UnknownName("function of Dunaiski's tool", function, FUNCTIONS)
    preset = PRESETS["dunaiski"]
    (measure,) = parse_measures([FUNCTIONS[function].format(cutoff)], preset.parameters, preset.renames)
    return measure


def default_measures(*, permille: bool = True) -> dict[str, Measure]:
    """The nine measures that the tool evaluates, by their names there; without the two in permille, if told so."""
    found = {name: coded_measure(function, cutoff) for name, function, cutoff, _ in DEFAULT_MEASURES}
    return {name: one for name, one in found.items() if permille or getattr(one, "scale", None) is None}
