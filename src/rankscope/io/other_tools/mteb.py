"""The format mteb: the file of predictions of a retrieval task, as `mteb` saves it in its folder of predictions.

`{"mteb_model_meta": {...}, subset: {split: {query: {document: score}}}}`. Where a file has several subsets or splits,
one is named: `--input mteb:SUBSET/SPLIT`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankscope.data.row_input import DICT_SHAPE, is_mapping_of_mappings, rows_from_dicts
from rankscope.data.text import first_names
from rankscope.errors import InputError
from rankscope.io.core import FileContent, Format, ReadRequest
from rankscope.io.json_dicts import parse_json
from rankscope.io.other_tools.json_entries import refuse_shape

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "MTEB",
]


META = "mteb_model_meta"
SHAPE = f"{{subset: {{split: {DICT_SHAPE}}}}}"
BEGIN = re.compile(rb'\{\s*"%s"' % META.encode())


def read_predictions(source: Source, request: ReadRequest) -> FileContent:
    """The predictions of one split of one subset, as a run with the name of the model. Raises InputError."""
    del request
    name = source.name
    data = parse_json(source.read_bytes(), name, shape=SHAPE)
    if not isinstance(data, dict):
        refuse_shape(name, data, SHAPE)
    meta = data.pop(META, {})
    splits = {}
    for subset, by_split in data.items():
        if not isinstance(by_split, dict):
            refuse_shape(f"{name}: {subset}", by_split, SHAPE)
        splits.update({f"{subset}/{split}": predictions for split, predictions in by_split.items()})
    place = chosen_split(list(splits), source.detail, name)
    predictions = splits[place]
    if not is_mapping_of_mappings(predictions):
        expected = f"{DICT_SHAPE}; only predictions of retrieval and reranking tasks are rankings"
        refuse_shape(f"{name}: {place}", predictions, expected)
    model = meta.get("model_name") if isinstance(meta, dict) else None
    run_name = model if isinstance(model, str) and model else None
    return FileContent(rows_from_dicts(predictions, f"{name}: {place}", "score", allow_bool=False), name=run_name)


def chosen_split(places: list[str], split: str, name: str) -> str:
    """The only split of the only subset, or the one that is named. Raises InputError."""
    if split:
        if split not in places:
            raise InputError(f"{name}: no subset and split {split!r}, expected one of {first_names(places, 8)}")
        return split
    if len(places) == 1:
        return places[0]
    if not places:
        raise InputError(f"{name}: no predictions, expected {SHAPE}")
    raise InputError(
        f"{name}: {len(places)} subsets and splits ({first_names(places, 8)}), expected one; name it: --input "
        f"mteb:{places[0]} (in Python input='mteb:{places[0]}')"
    )


MTEB = Format(
    read=read_predictions,
    sniff=lambda head: BEGIN.match(head.text) is not None,
    detail="a subset and split, as en/test",
)
