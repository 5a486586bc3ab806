"""What stands for judgments and runs: objects, files, LETOR's pairs of files; joined, they are hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankscope.data.entities import EntityRanks, hits_of_entities
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner, join
from rankscope.data.qrels import Qrels
from rankscope.data.rows import name_of
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.evaluation.conventions import Plan
from rankscope.io.read import PathLike, file_stem, open_source, read_qrels, read_run
from rankscope.io.streams import is_path, one_stdin, open_binary, source_name
from rankscope.io.trec import Ungrouped
from rankscope.kernels.text import decode
from rankscope.measures.names import parse_measures

__all__ = ["ENTITY", "LETOR", "Joined", "as_qrels", "hits_of", "is_path", "join_all", "join_any", "join_entities"]

Progress = Callable[[int], Any]

#: Inputs of two files that belong together: labels, and predictions in the order of their lines.
LETOR = {"letor": "a label file, then files of scores", "letor-ranks": "a label file, then files of rank positions"}
#: Fewer documents may well be all unjudged.
FEW = 100
#: A table of ranks, judgments and runs in one.
ENTITY = "entity-ranks"


class Joined(NamedTuple):
    """One system after the join. path: the file it came from."""

    name: str
    hits: Hits
    notes: tuple[str, ...]
    path: PathLike | None


def join_all(
    qrels: Qrels | PathLike | Any, runs: Sequence[Any], plan: Plan, input_: str | None, progress: Progress | None
) -> list[Joined]:
    """All systems, joined."""
    one_stdin([qrels, *runs])
    refuse_measures(runs)
    if input_ in LETOR:
        return join_letor(qrels, runs, plan.convention, input_, progress)
    judged = as_qrels(qrels, plan)
    return [join_any(judged, run, plan.convention, input_, progress) for run in runs]


def refuse_measures(runs: Sequence[Any]) -> None:
    """Raise for a file that is not there and has the name of a measure: an -m before it was forgotten."""
    for run in runs:
        if is_path(run) and source_name(run) != "<stdin>" and not Path(run).exists():
            try:
                parse_measures(source_name(run))
            except RankscopeError:
                continue  # then the reader says that there is no such file
            raise InputError(f"{run}: no such file; {run} is a measure: write -m {run}")


def join_entities(table: EntityRanks | PathLike | Any, plan: Plan, total_ranks: int | None) -> list[Joined]:
    """The systems of a table of ranks, which needs no join."""
    if is_path(table):
        from rankscope.io.entity_ranks import read_entity_ranks  # TREC's files need it not

        table = read_entity_ranks(table, total_ranks, least=plan.least_rank)
    elif not isinstance(table, EntityRanks):
        raise ParameterError(f"input={ENTITY!r} asks for a path or an EntityRanks, not a {type(table).__name__}")
    elif total_ranks is not None and total_ranks != table.total_ranks:
        table = replace(table, total_ranks=total_ranks, where=None)
    if (table.ranks < 1).any():
        sound = next((m for m in plan.measures if not m.ranks_below_1), None)
        if sound is not None:
            raise InputError(
                f"{table.name}: a rank is below 1, which {sound} does not know; correct it, or choose measures that "
                "the preset dunaiski has of its own"
            )
    found = [Joined(name, hits, (), None) for name, hits in hits_of_entities(table)]
    return [found[0]._replace(notes=table.notes), *found[1:]]


def join_letor(
    labels: PathLike | Any, runs: Sequence[Any], convention: Convention, input_: str, progress: Progress | None
) -> list[Joined]:
    """Prediction files and the label file whose lines they follow."""
    for path in (labels, *runs):
        if not is_path(path):
            raise ParameterError(f"input={input_!r} asks for paths ({LETOR[input_]}), not a {type(path).__name__}")
    from rankscope.io.letor import label_qrels, prediction_run, read_labels  # TREC's files need it not

    read = read_labels(labels, progress=progress)
    judged = label_qrels(read)
    found = []
    for path in runs:
        run = prediction_run(read, path, ranks=input_ == "letor-ranks")
        found.append(Joined(run.name, join(judged, run, convention), run.notes, path))
    return found


def as_qrels(qrels: Qrels | PathLike | Any, plan: Plan | None = None) -> Qrels:
    """A Qrels from whatever stands for one, with subtopics where a measure asks for them."""
    subtopics = plan is not None and plan.needs_subtopics
    if is_path(qrels):
        return read_qrels(qrels, subtopics=subtopics)
    found = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    if plan is not None and subtopics and found.subtopics is None:
        name = next(str(measure) for measure in plan.measures if measure.needs_subtopics)
        raise InputError(
            f"{name} needs judgments by subtopic, and the qrels have none; expected a column subtopic, or "
            "read_qrels(path, subtopics=True) for lines `query subtopic document relevance`"
        )
    return found


def join_any(qrels: Qrels, run: Any, convention: Convention, input_: str | None, progress: Progress | None) -> Joined:
    if is_path(run):
        return join_file(qrels, run, convention, input_, progress)
    if not isinstance(run, Run):
        run = Run(run)
    return joined_run(qrels, run, convention, None)


def joined_run(qrels: Qrels, run: Run, convention: Convention, path: PathLike | None) -> Joined:
    """A run held in memory, joined."""
    hits = join(qrels, run, convention)
    notes = stranger_notes(qrels, hits, run.name, lambda: first_document(run))
    return Joined(run.name, hits, (*run.notes, *notes), path)


def first_document(run: Run) -> str:
    if run._mapping is not None:
        return next(doc for docs in run._mapping.values() for doc in docs)
    assert run._rows is not None
    return name_of(decode(run._rows.docs.slice(slice(1)))[0])


def stranger_notes(qrels: Qrels, hits: Hits, name: str, first: Callable[[], str]) -> tuple[str, ...]:
    """A note where no document of the run was judged: ids may be written in two ways. first: one of the run's."""
    listed = int(hits.retrieved.sum())
    if hits.rank.size or listed < FEW:
        return ()
    judged = name_of(decode(qrels._docs.slice(slice(1)))[0])
    return (
        f"run {name!r}: none of its {listed:,} documents was judged (run: {first()!r}; judgments: {judged!r}): check "
        "that ids are written alike",
    )


def hits_of(qrels: Qrels | PathLike | Any, run: Run | PathLike | Any, convention: Convention | None = None) -> Hits:
    """The hits of one run: every judged document that it retrieved, with its rank. Both as `evaluate` takes them.

    A query without a list has no hits. Raises InputError as `evaluate`.

    >>> hits = hits_of({"q": {"d1": 2, "d2": 0, "d3": 1}}, {"q": {"d4": 3.0, "d1": 2.0, "d2": 1.0}})
    >>> hits.rank.tolist(), hits.relevance.tolist(), hits.grades.tolist()
    ([2.0, 3.0], [2, 0], [2, 1, 0])
    """
    return join_any(as_qrels(qrels), run, convention or Convention(), None, None).hits


def join_file(
    qrels: Qrels, path: PathLike, convention: Convention, input_: str | None, progress: Progress | None
) -> Joined:
    """Join a run file block by block; where its queries are mixed, or it is a pipe, all at once."""
    _ = qrels.lookup  # built before the run is read, when most memory is free
    if source_name(path) != "<stdin>" and Path(path).is_file():  # what can be read again
        with open_binary(path) as stream:
            source = open_source(stream, path, input_)
            if source.format == "trec":
                name = source.tag or file_stem(path)
                joiner = Joiner(qrels, convention, name)
                try:
                    for rows in source.stream_rows(progress=progress):
                        joiner.add(rows)
                    hits = joiner.finish()
                    notes = stranger_notes(qrels, hits, name, lambda: name_of(source.first_line[2]))
                    return Joined(name, hits, notes, path)
                except Ungrouped:
                    pass
    return joined_run(qrels, read_run(path, input=input_), convention, path)
