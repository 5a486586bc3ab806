"""Judgments, scores and texts of machine translation: WMT, mt-metrics-eval, JCML, Appraise."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.translation.appraise import read_appraise_rankings as read_appraise_rankings
    from rankscope.io.translation.darr import read_better_pairs as read_better_pairs
    from rankscope.io.translation.detect import detect_kind as detect_kind
    from rankscope.io.translation.detect import detect_system_kind as detect_system_kind
    from rankscope.io.translation.detect import first_bytes as first_bytes
    from rankscope.io.translation.jcml import read_jcml as read_jcml
    from rankscope.io.translation.mt_metrics_eval import list_mt_scores as list_mt_scores
    from rankscope.io.translation.mt_metrics_eval import read_mt_documents as read_mt_documents
    from rankscope.io.translation.mt_metrics_eval import read_mt_scores as read_mt_scores
    from rankscope.io.translation.mt_metrics_eval import read_mt_system_scores as read_mt_system_scores
    from rankscope.io.translation.mt_metrics_eval import read_mt_texts as read_mt_texts
    from rankscope.io.translation.names import build_rankings as build_rankings
    from rankscope.io.translation.names import normalise_pair as normalise_pair
    from rankscope.io.translation.plain_texts import Texts as Texts
    from rankscope.io.translation.plain_texts import read_lines as read_lines
    from rankscope.io.translation.plain_texts import read_plain_texts as read_plain_texts
    from rankscope.io.translation.tables import EXPECTED_ITEMS as EXPECTED_ITEMS
    from rankscope.io.translation.tables import GOLD_COLUMNS as GOLD_COLUMNS
    from rankscope.io.translation.tables import ITEMS as ITEMS
    from rankscope.io.translation.tables import UNNAMED_METRICS as UNNAMED_METRICS
    from rankscope.io.translation.tables import rankings_from_table as rankings_from_table
    from rankscope.io.translation.tables import read_ranking_table as read_ranking_table
    from rankscope.io.translation.tables import read_system_table as read_system_table
    from rankscope.io.translation.tables import systems_from_table as systems_from_table
    from rankscope.io.translation.wmt_rankings import read_wmt_rankings as read_wmt_rankings
    from rankscope.io.translation.wmt_scores import read_seg_scores as read_seg_scores
    from rankscope.io.translation.wmt_scores import read_sys_scores as read_sys_scores

HOMES = {
    "EXPECTED_ITEMS": "tables",
    "GOLD_COLUMNS": "tables",
    "ITEMS": "tables",
    "Texts": "plain_texts",
    "UNNAMED_METRICS": "tables",
    "build_rankings": "names",
    "detect_kind": "detect",
    "detect_system_kind": "detect",
    "first_bytes": "detect",
    "list_mt_scores": "mt_metrics_eval",
    "normalise_pair": "names",
    "rankings_from_table": "tables",
    "read_appraise_rankings": "appraise",
    "read_better_pairs": "darr",
    "read_jcml": "jcml",
    "read_lines": "plain_texts",
    "read_mt_documents": "mt_metrics_eval",
    "read_mt_scores": "mt_metrics_eval",
    "read_mt_system_scores": "mt_metrics_eval",
    "read_mt_texts": "mt_metrics_eval",
    "read_plain_texts": "plain_texts",
    "read_ranking_table": "tables",
    "read_seg_scores": "wmt_scores",
    "read_sys_scores": "wmt_scores",
    "read_system_table": "tables",
    "read_wmt_rankings": "wmt_rankings",
    "systems_from_table": "tables",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
