"""A note where the rule of ties decides most of a system's list."""

import numpy as np
import pytest

import rankscope as rs

DOCS = [f"d{i}" for i in range(40)]
QRELS = {"q": {doc: i % 3 for i, doc in enumerate(DOCS)}}


def ranked(n_tied):
    """Forty judged documents of which the first n_tied have one score."""
    return {doc: float(-max(i, n_tied - 1)) for i, doc in enumerate(DOCS)}


def run(n_tied):
    return rs.Run({"q": ranked(n_tied)}, name=f"tied-{n_tied}")


def tie_notes(*runs, **options):
    return [note for note in rs.evaluate(QRELS, list(runs), ["AP"], **options).notes if "tied" in note]


@pytest.mark.parametrize(("n_tied", "share"), [(40, "100 %"), (30, "75 %"), (21, "52 %"), (20, None), (1, None)])
def test_the_share_of_tied_documents_is_named_if_it_is_more_than_half(n_tied, share):
    notes = tie_notes(run(n_tied))
    assert [share in note and f"tied-{n_tied}:" in note for note in notes] == [True] * (share is not None)


def test_many_systems_get_one_note_which_names_the_worst():
    (note,) = tie_notes(run(30), run(1), run(40), ties="file")
    assert "2 of 3 systems, most tied-40: 100 %" in note
    assert "ties:file" in note


def test_without_an_order_to_decide_there_is_none():
    assert tie_notes(run(40), ties="average") == []
    assert tie_notes(rs.Run({"q": {"d0": 1.0, "d1": 1.0}}, name="short")) == []
    assert np.isfinite(rs.evaluate(QRELS, run(40), ["AP"], ties="average").overall("AP"))


def test_arrays_get_it_too():
    (note,) = rs.evaluate_arrays([list(QRELS["q"].values())], [[0.5] * 40], "AP", name="model").notes
    assert "model: 100 %" in note
    assert rs.evaluate_arrays([list(QRELS["q"].values())], [list(range(40))], "AP").notes == ()


def test_many_runs_at_once_get_the_note_of_one_call():
    qrels = dict.fromkeys("abc", QRELS["q"])
    runs = {f"tied-{n}": dict.fromkeys("abc", ranked(n)) for n in (1, 30, 40)}
    many = rs.Evaluator(qrels, ["AP"]).evaluate_many(runs)
    assert many.notes == rs.evaluate(qrels, [rs.Run(lists, name=name) for name, lists in runs.items()], ["AP"]).notes
    assert "2 of 3 systems, most tied-40: 100 %" in many.notes[0]
