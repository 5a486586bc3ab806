"""Loading of people's judgments and metrics' scores, from files or objects, in the given directions."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.load.files import NOT_RANKED as NOT_RANKED
    from rankscope.agreement.load.files import AnyScores as AnyScores
    from rankscope.agreement.load.files import detect_kind as detect_kind
    from rankscope.agreement.load.files import first_bytes as first_bytes
    from rankscope.agreement.load.files import not_ranked as not_ranked
    from rankscope.agreement.load.files import ranked_only as ranked_only
    from rankscope.agreement.load.files import read_judgments as read_judgments
    from rankscope.agreement.load.files import refuse_item as refuse_item
    from rankscope.agreement.load.segments import GOLD as GOLD
    from rankscope.agreement.load.segments import JudgedMetrics as JudgedMetrics
    from rankscope.agreement.load.segments import Judgments as Judgments
    from rankscope.agreement.load.segments import Names as Names
    from rankscope.agreement.load.segments import Scores as Scores
    from rankscope.agreement.load.segments import directions as directions
    from rankscope.agreement.load.segments import load_judged_metrics as load_judged_metrics
    from rankscope.agreement.load.segments import load_people as load_people
    from rankscope.agreement.load.segments import rankings_from_scores as rankings_from_scores
    from rankscope.agreement.load.segments import read_rankings as read_rankings
    from rankscope.agreement.load.segments import read_segment_scores as read_segment_scores
    from rankscope.agreement.load.segments import select_human_judgments as select_human_judgments
    from rankscope.agreement.load.segments import select_language_pairs as select_language_pairs
    from rankscope.agreement.load.systems import PeopleAndMetrics as PeopleAndMetrics
    from rankscope.agreement.load.systems import SystemJudgments as SystemJudgments
    from rankscope.agreement.load.systems import SystemMetrics as SystemMetrics
    from rankscope.agreement.load.systems import load_people_and_metrics as load_people_and_metrics
    from rankscope.agreement.load.systems import read_metric_scores as read_metric_scores

HOMES = {
    "AnyScores": "files",
    "GOLD": "segments",
    "JudgedMetrics": "segments",
    "Judgments": "segments",
    "NOT_RANKED": "files",
    "Names": "segments",
    "PeopleAndMetrics": "systems",
    "Scores": "segments",
    "SystemJudgments": "systems",
    "SystemMetrics": "systems",
    "detect_kind": "files",
    "directions": "segments",
    "first_bytes": "files",
    "load_judged_metrics": "segments",
    "load_people": "segments",
    "load_people_and_metrics": "systems",
    "not_ranked": "files",
    "ranked_only": "files",
    "rankings_from_scores": "segments",
    "read_judgments": "files",
    "read_metric_scores": "systems",
    "read_rankings": "segments",
    "read_segment_scores": "segments",
    "refuse_item": "files",
    "select_human_judgments": "segments",
    "select_language_pairs": "segments",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
