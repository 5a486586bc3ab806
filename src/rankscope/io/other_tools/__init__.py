"""Files of other tools as they write them: responses of search engines, judgment lists, predictions, data sets.

Every reader is a `Format` in the table `FORMATS` (`rankscope.io.core.formats`), and is told by the content of a file.
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.other_tools.beir import judgments_in_folder as judgments_in_folder
    from rankscope.io.other_tools.json_entries import number_of_text as number_of_text
    from rankscope.io.other_tools.json_entries import parse_entries as parse_entries
    from rankscope.io.other_tools.json_entries import refuse_shape as refuse_shape
    from rankscope.io.other_tools.local_datasets import read_dataset as read_dataset
    from rankscope.io.other_tools.rank_eval import details_of as details_of

HOMES = {
    "details_of": "rank_eval",
    "judgments_in_folder": "beir",
    "number_of_text": "json_entries",
    "parse_entries": "json_entries",
    "read_dataset": "local_datasets",
    "refuse_shape": "json_entries",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
