"""Files of LETOR and SVMlight: labels, predictions, features."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.letor.feature_writer import write_features as write_features
    from rankscope.io.letor.features import locate_row as locate_row
    from rankscope.io.letor.features import read_features as read_features
    from rankscope.io.letor.fields import BLOCK_SIZE as BLOCK_SIZE
    from rankscope.io.letor.fields import BlockLines as BlockLines
    from rankscope.io.letor.fields import CollectedFields as CollectedFields
    from rankscope.io.letor.fields import begin_with as begin_with
    from rankscope.io.letor.fields import comment_places as comment_places
    from rankscope.io.letor.fields import field_ends as field_ends
    from rankscope.io.letor.fields import find_lines as find_lines
    from rankscope.io.letor.fields import leading_fields as leading_fields
    from rankscope.io.letor.fields import single_numbers as single_numbers
    from rankscope.io.letor.labels import label_qrels as label_qrels
    from rankscope.io.letor.labels import line_query_codes as line_query_codes
    from rankscope.io.letor.labels import names_query as names_query
    from rankscope.io.letor.labels import prediction_run as prediction_run
    from rankscope.io.letor.labels import read_labels as read_labels
    from rankscope.io.letor.labels import read_letor as read_letor
    from rankscope.io.letor.labels import read_predictions as read_predictions

HOMES = {
    "BLOCK_SIZE": "fields",
    "BlockLines": "fields",
    "CollectedFields": "fields",
    "begin_with": "fields",
    "comment_places": "fields",
    "field_ends": "fields",
    "find_lines": "fields",
    "label_qrels": "labels",
    "leading_fields": "fields",
    "line_query_codes": "labels",
    "locate_row": "features",
    "names_query": "labels",
    "prediction_run": "labels",
    "read_features": "features",
    "read_labels": "labels",
    "read_letor": "labels",
    "read_predictions": "labels",
    "single_numbers": "fields",
    "write_features": "feature_writer",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
