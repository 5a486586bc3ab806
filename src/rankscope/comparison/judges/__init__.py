"""Agreement of two judges, or of raters on labels (`rankscope.agree_judgments`, `agree_labels`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.judges.common_documents import JudgeSettings as JudgeSettings
    from rankscope.comparison.judges.judgments import JudgeAgreement as JudgeAgreement
    from rankscope.comparison.judges.judgments import agree_judges as agree_judges
    from rankscope.comparison.judges.judgments import agree_judgments as agree_judgments
    from rankscope.comparison.judges.label_columns import load_labels as load_labels
    from rankscope.comparison.judges.label_result import Estimate as Estimate
    from rankscope.comparison.judges.label_result import HumanCeiling as HumanCeiling
    from rankscope.comparison.judges.label_result import LabelAgreement as LabelAgreement
    from rankscope.comparison.judges.label_result import RaterGroup as RaterGroup
    from rankscope.comparison.judges.label_result import RaterPair as RaterPair
    from rankscope.comparison.judges.label_settings import LabelSettings as LabelSettings
    from rankscope.comparison.judges.label_settings import LabelTableSettings as LabelTableSettings
    from rankscope.comparison.judges.labels import agree_label_table as agree_label_table
    from rankscope.comparison.judges.labels import agree_labels as agree_labels

HOMES = {
    "Estimate": "label_result",
    "HumanCeiling": "label_result",
    "JudgeAgreement": "judgments",
    "JudgeSettings": "common_documents",
    "LabelAgreement": "label_result",
    "LabelSettings": "label_settings",
    "LabelTableSettings": "label_settings",
    "RaterGroup": "label_result",
    "RaterPair": "label_result",
    "agree_judges": "judgments",
    "agree_judgments": "judgments",
    "agree_label_table": "labels",
    "agree_labels": "labels",
    "load_labels": "label_columns",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
