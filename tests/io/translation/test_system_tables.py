"""Tables of scores of whole systems: what their columns mean, and what is refused with its line."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError
from rankscope.io.translation import read_system_table


def scores_by_pair(scores):
    return {pair: pair_scores.by_system for pair, pair_scores in scores.pairs.items()}


@pytest.fixture
def write(tmp_path):
    def written(text, name="scores.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def test_each_column_of_numbers_is_a_metric(write):
    path = write("model,lp,human,BLEU,note\nA,cz-en,0.5,31.5,x\nB,cs-en,,28,y\nA,de-en,0.1,3,z\n")
    human, bleu = read_system_table(path)
    assert scores_by_pair(bleu) == {"cs-en": {"A": 31.5, "B": 28.0}, "de-en": {"A": 3.0}}
    assert np.isnan(human.pairs["cs-en"].by_system["B"])
    assert len(human.notes) == 2
    assert mentions(human.notes[0], f"{path}: ", "'note'", "no numbers")
    assert mentions(human.notes[1], f"{path}: ", 1, "'human'")


def test_a_single_column_called_score_takes_the_name_of_the_file(write):
    (found,) = read_system_table(write("system,score\nA,1\nB,2\n", "COMET.sys.csv"))
    assert found.metric == "COMET"
    [chrf] = read_system_table(write('{"system": "A", "chrF": 3}\n{"system": "B", "chrF": 4}\n', "x.jsonl"))
    assert scores_by_pair(chrf) == {"": {"A": 3.0, "B": 4.0}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,score\nA,1\n", "scores.csv:1: no column 'system'"),
        ("system,note\nA,x\n", "scores.csv:1: no column ... 'system', 'note'"),
        (
            "system,score\nA,1\nA,2\n",
            "scores.csv:3: ... 'A'",
        ),
        ("system,pair,score\nA,a-b,1\nA,a-b,2\n", "scores.csv:3: ... 'A' of a-b"),
        ("system,human\nA,1\nB,x\n", "scores.csv:3: human is 'x'"),
        ("", "(system,bleu,chrf)"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(write, text, said):
    with pytest.raises(InputError) as error:
        read_system_table(write(text), needed=["human"])
    assert mentions(error.value, *said.split(" ... "))


@pytest.mark.parametrize("options", [{}, {"people": True}])
def test_a_wrong_cell_among_numbers_is_refused_and_no_column_dropped_for_it(write, options):
    # "O" for 0 in one of three: without people's column another metric would stand for them.
    with pytest.raises(InputError, match=r"scores\.csv:3: human .*'O\.64'"):
        read_system_table(write("system,human,BLEU\nA,0.7,31\nB,O.64,29\nC,0.5,30\n"), **options)


def test_a_column_of_people_without_a_number_is_refused_and_a_text_beside_metrics_left_out(write):
    path = write("system,human,BLEU\nA,good,31\nB,bad,29\nC,bad,30\n")
    with pytest.raises(InputError, match=r"scores\.csv:2: human .*'good'"):
        read_system_table(path, people=True)
    assert [one.metric for one in read_system_table(path)] == ["BLEU"]
