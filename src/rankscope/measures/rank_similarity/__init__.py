"""Measures between two lists or two runs: rank correlations and rank-biased overlap."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.measures.rank_similarity.by_query import STATISTICS as STATISTICS
    from rankscope.measures.rank_similarity.by_query import BetweenRuns as BetweenRuns
    from rankscope.measures.rank_similarity.by_query import between_runs as between_runs
    from rankscope.measures.rank_similarity.correlation import goodman_kruskal_gamma as goodman_kruskal_gamma
    from rankscope.measures.rank_similarity.correlation import kendall_tau as kendall_tau
    from rankscope.measures.rank_similarity.correlation import spearman as spearman
    from rankscope.measures.rank_similarity.correlation import tau_ap as tau_ap
    from rankscope.measures.rank_similarity.correlation import weighted_tau as weighted_tau
    from rankscope.measures.rank_similarity.rank_biased_overlap import rbo as rbo

HOMES = {
    "BetweenRuns": "by_query",
    "STATISTICS": "by_query",
    "between_runs": "by_query",
    "goodman_kruskal_gamma": "correlation",
    "kendall_tau": "correlation",
    "rbo": "rank_biased_overlap",
    "spearman": "correlation",
    "tau_ap": "correlation",
    "weighted_tau": "correlation",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
