"""Joining runs of any kind with their judgments: objects, files, folders, in one process or several."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.evaluation.joining.folder import join_folder as join_folder
    from rankscope.evaluation.joining.joined import JoinedRun as JoinedRun
    from rankscope.evaluation.joining.joined import Progress as Progress
    from rankscope.evaluation.joining.joined import RunPart as RunPart
    from rankscope.evaluation.joining.joined import has_no_judged_document as has_no_judged_document
    from rankscope.evaluation.joining.joined import join_file as join_file
    from rankscope.evaluation.joining.run_input import as_qrels as as_qrels
    from rankscope.evaluation.joining.run_input import hits_of as hits_of
    from rankscope.evaluation.joining.run_input import join_run as join_run
    from rankscope.evaluation.joining.run_input import join_run_object as join_run_object
    from rankscope.evaluation.joining.run_input import run_size as run_size
    from rankscope.evaluation.joining.systems import ENTITY as ENTITY
    from rankscope.evaluation.joining.systems import LETOR as LETOR
    from rankscope.evaluation.joining.systems import join_all as join_all
    from rankscope.evaluation.joining.systems import join_entities as join_entities
    from rankscope.evaluation.joining.systems import n_workers as n_workers
    from rankscope.evaluation.joining.systems import refuse_measures as refuse_measures
    from rankscope.evaluation.joining.systems import worth_parallelising as worth_parallelising

HOMES = {
    "ENTITY": "systems",
    "JoinedRun": "joined",
    "LETOR": "systems",
    "Progress": "joined",
    "RunPart": "joined",
    "as_qrels": "run_input",
    "has_no_judged_document": "joined",
    "hits_of": "run_input",
    "join_all": "systems",
    "join_entities": "systems",
    "join_file": "joined",
    "join_folder": "folder",
    "join_run": "run_input",
    "join_run_object": "run_input",
    "n_workers": "systems",
    "refuse_measures": "systems",
    "run_size": "run_input",
    "worth_parallelising": "systems",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
