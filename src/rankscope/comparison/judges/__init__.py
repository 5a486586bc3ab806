"""Agreement of two judges, or of predicted and true labels (`rankscope.agree_judgments`, `agree_labels`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.comparison.judges.common_documents import JudgeSettings as JudgeSettings
    from rankscope.comparison.judges.judgments import JudgeAgreement as JudgeAgreement
    from rankscope.comparison.judges.judgments import agree_judges as agree_judges
    from rankscope.comparison.judges.judgments import agree_judgments as agree_judgments
    from rankscope.comparison.judges.label_raters import LabelRaters as LabelRaters
    from rankscope.comparison.judges.label_raters import agree_label_columns as agree_label_columns
    from rankscope.comparison.judges.label_raters import agree_label_raters as agree_label_raters
    from rankscope.comparison.judges.labels import LabelAgreement as LabelAgreement
    from rankscope.comparison.judges.labels import LabelSettings as LabelSettings
    from rankscope.comparison.judges.labels import LabelTableSettings as LabelTableSettings
    from rankscope.comparison.judges.labels import agree_label_lists as agree_label_lists
    from rankscope.comparison.judges.labels import agree_labels as agree_labels

HOMES = {
    "JudgeAgreement": "judgments",
    "JudgeSettings": "common_documents",
    "LabelAgreement": "labels",
    "LabelRaters": "label_raters",
    "LabelSettings": "labels",
    "LabelTableSettings": "labels",
    "agree_judges": "judgments",
    "agree_judgments": "judgments",
    "agree_label_columns": "label_raters",
    "agree_label_lists": "labels",
    "agree_label_raters": "label_raters",
    "agree_labels": "labels",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
