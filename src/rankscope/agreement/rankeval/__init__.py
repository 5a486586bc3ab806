"""RankEval's measures of agreement between predicted and people's rankings (`ranks`, `per_segment`, `per_set`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.rankeval.kendall_tau import TauCounts as TauCounts
    from rankscope.agreement.rankeval.kendall_tau import combine_by_fisher as combine_by_fisher
    from rankscope.agreement.rankeval.kendall_tau import combine_by_stouffer as combine_by_stouffer
    from rankscope.agreement.rankeval.kendall_tau import count_pairs as count_pairs
    from rankscope.agreement.rankeval.kendall_tau import erfc as erfc
    from rankscope.agreement.rankeval.kendall_tau import permutation_pvalue as permutation_pvalue
    from rankscope.agreement.rankeval.kendall_tau import segment_statistics as segment_statistics
    from rankscope.agreement.rankeval.kendall_tau import tau_counts as tau_counts
    from rankscope.agreement.rankeval.kendall_tau import tau_pvalues as tau_pvalues
    from rankscope.agreement.rankeval.load import holds_rankings as holds_rankings
    from rankscope.agreement.rankeval.measures import RankCounts as RankCounts
    from rankscope.agreement.rankeval.measures import count_ranks as count_ranks
    from rankscope.agreement.rankeval.measures import dcg as dcg
    from rankscope.agreement.rankeval.measures import err as err
    from rankscope.agreement.rankeval.measures import farr as farr
    from rankscope.agreement.rankeval.measures import gold_of_best as gold_of_best
    from rankscope.agreement.rankeval.measures import ndcg as ndcg
    from rankscope.agreement.rankeval.paired_ranks import PairedRanks as PairedRanks
    from rankscope.agreement.rankeval.paired_ranks import as_list as as_list
    from rankscope.agreement.rankeval.paired_ranks import as_table as as_table
    from rankscope.agreement.rankeval.paired_ranks import segments_of as segments_of
    from rankscope.agreement.rankeval.paired_ranks import table_of as table_of
    from rankscope.agreement.rankeval.rank_agreement import OPTIONS_OF_RANKINGS as OPTIONS_OF_RANKINGS
    from rankscope.agreement.rankeval.rank_agreement import RankAgreement as RankAgreement
    from rankscope.agreement.rankeval.rank_agreement import RankSettings as RankSettings
    from rankscope.agreement.rankeval.rank_agreement import measure_rankings as measure_rankings
    from rankscope.agreement.rankeval.rank_agreement import ranks as ranks
    from rankscope.agreement.rankeval.reference_code import all_metrics as all_metrics
    from rankscope.agreement.rankeval.reference_code import as_printed as as_printed
    from rankscope.agreement.rankeval.reference_code import ndgc_err as ndgc_err
    from rankscope.agreement.rankeval.reference_code import set_taus as set_taus
    from rankscope.agreement.rankeval.reference_code import tau_and_counts as tau_and_counts
    from rankscope.agreement.rankeval.reference_code import tau_prob as tau_prob
    from rankscope.agreement.rankeval.reference_code import tool_table as tool_table

HOMES = {
    "OPTIONS_OF_RANKINGS": "rank_agreement",
    "PairedRanks": "paired_ranks",
    "RankAgreement": "rank_agreement",
    "RankCounts": "measures",
    "RankSettings": "rank_agreement",
    "TauCounts": "kendall_tau",
    "all_metrics": "reference_code",
    "as_list": "paired_ranks",
    "as_printed": "reference_code",
    "as_table": "paired_ranks",
    "combine_by_fisher": "kendall_tau",
    "combine_by_stouffer": "kendall_tau",
    "count_pairs": "kendall_tau",
    "count_ranks": "measures",
    "dcg": "measures",
    "erfc": "kendall_tau",
    "err": "measures",
    "farr": "measures",
    "gold_of_best": "measures",
    "holds_rankings": "load",
    "measure_rankings": "rank_agreement",
    "ndcg": "measures",
    "ndgc_err": "reference_code",
    "permutation_pvalue": "kendall_tau",
    "ranks": "rank_agreement",
    "segment_statistics": "kendall_tau",
    "segments_of": "paired_ranks",
    "set_taus": "reference_code",
    "table_of": "paired_ranks",
    "tau_and_counts": "reference_code",
    "tau_counts": "kendall_tau",
    "tau_prob": "reference_code",
    "tau_pvalues": "kendall_tau",
    "tool_table": "reference_code",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
