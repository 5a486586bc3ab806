"""Joining runs of any kind with their judgments: objects, files, folders, in one process or several."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.evaluation.joining.inputs import LETOR as LETOR
    from rankscope.evaluation.joining.inputs import as_qrels as as_qrels
    from rankscope.evaluation.joining.inputs import n_workers as n_workers
    from rankscope.evaluation.joining.inputs import refuse_measures as refuse_measures
    from rankscope.evaluation.joining.inputs import run_size as run_size
    from rankscope.evaluation.joining.inputs import worth_parallelising as worth_parallelising
    from rankscope.evaluation.joining.joined import MIN_NOTED_DOCUMENTS as MIN_NOTED_DOCUMENTS
    from rankscope.evaluation.joining.joined import JoinedRun as JoinedRun
    from rankscope.evaluation.joining.joined import Progress as Progress
    from rankscope.evaluation.joining.joined import has_no_judged_document as has_no_judged_document
    from rankscope.evaluation.joining.joined import unjudged_query_notes as unjudged_query_notes
    from rankscope.evaluation.joining.joining import Joining as Joining
    from rankscope.evaluation.joining.joining import hits_of as hits_of
    from rankscope.evaluation.joining.systems import ENTITY as ENTITY
    from rankscope.evaluation.joining.systems import join_all as join_all
    from rankscope.evaluation.joining.systems import join_entities as join_entities

HOMES = {
    "ENTITY": "systems",
    "JoinedRun": "joined",
    "Joining": "joining",
    "LETOR": "inputs",
    "MIN_NOTED_DOCUMENTS": "joined",
    "Progress": "joined",
    "as_qrels": "inputs",
    "has_no_judged_document": "joined",
    "hits_of": "joining",
    "join_all": "systems",
    "join_entities": "systems",
    "n_workers": "inputs",
    "refuse_measures": "inputs",
    "run_size": "inputs",
    "unjudged_query_notes": "joined",
    "worth_parallelising": "inputs",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
