"""RankEval's measures of agreement between predicted and people's rankings (`ranks`, `per_segment`, `per_set`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.rankeval.measures import MeasureSettings as MeasureSettings
    from rankscope.agreement.rankeval.measures import RankMeasure as RankMeasure
    from rankscope.agreement.rankeval.measures import farr as farr
    from rankscope.agreement.rankeval.measures import per_segment as per_segment
    from rankscope.agreement.rankeval.measures import per_set as per_set
    from rankscope.agreement.rankeval.paired_ranks import PairedRanks as PairedRanks
    from rankscope.agreement.rankeval.rank_agreement import RankAgreement as RankAgreement
    from rankscope.agreement.rankeval.rank_agreement import RankSettings as RankSettings
    from rankscope.agreement.rankeval.rank_agreement import data_lines as data_lines
    from rankscope.agreement.rankeval.rank_agreement import holds_rankings as holds_rankings
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
    "MeasureSettings": "measures",
    "PairedRanks": "paired_ranks",
    "RankAgreement": "rank_agreement",
    "RankMeasure": "measures",
    "RankSettings": "rank_agreement",
    "all_metrics": "reference_code",
    "as_printed": "reference_code",
    "data_lines": "rank_agreement",
    "farr": "measures",
    "holds_rankings": "rank_agreement",
    "measure_rankings": "rank_agreement",
    "ndgc_err": "reference_code",
    "per_segment": "measures",
    "per_set": "measures",
    "ranks": "rank_agreement",
    "set_taus": "reference_code",
    "tau_and_counts": "reference_code",
    "tau_prob": "reference_code",
    "tool_table": "reference_code",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
