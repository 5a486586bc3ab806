"""Files of LETOR and SVMlight: labels, predictions, features."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.letor.feature_writer import write_features as write_features
    from rankscope.io.letor.features import locate_row as locate_row
    from rankscope.io.letor.features import read_features as read_features
    from rankscope.io.letor.fields import BLOCK_SIZE as BLOCK_SIZE
    from rankscope.io.letor.fields import BlockLines as BlockLines
    from rankscope.io.letor.fields import comment_starts as comment_starts
    from rankscope.io.letor.fields import find_lines as find_lines
    from rankscope.io.letor.fields import leading_fields as leading_fields
    from rankscope.io.letor.label_lines import BlockDocuments as BlockDocuments
    from rankscope.io.letor.label_lines import comment_values as comment_values
    from rankscope.io.letor.label_lines import line_query_codes as line_query_codes
    from rankscope.io.letor.label_lines import names_query as names_query
    from rankscope.io.letor.labels import LetorLabels as LetorLabels
    from rankscope.io.letor.labels import label_qrels as label_qrels
    from rankscope.io.letor.labels import labels_from_source as labels_from_source
    from rankscope.io.letor.labels import read_labels as read_labels
    from rankscope.io.letor.predictions import number_blocks as number_blocks
    from rankscope.io.letor.predictions import prediction_run as prediction_run
    from rankscope.io.letor.predictions import read_letor as read_letor
    from rankscope.io.letor.predictions import read_predictions as read_predictions

HOMES = {
    "BLOCK_SIZE": "fields",
    "BlockDocuments": "label_lines",
    "BlockLines": "fields",
    "LetorLabels": "labels",
    "comment_starts": "fields",
    "comment_values": "label_lines",
    "find_lines": "fields",
    "label_qrels": "labels",
    "labels_from_source": "labels",
    "leading_fields": "fields",
    "line_query_codes": "label_lines",
    "locate_row": "features",
    "names_query": "label_lines",
    "number_blocks": "predictions",
    "prediction_run": "predictions",
    "read_features": "features",
    "read_labels": "labels",
    "read_letor": "predictions",
    "read_predictions": "predictions",
    "write_features": "feature_writer",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
