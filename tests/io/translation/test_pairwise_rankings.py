"""Tables in which a row says which of two is better: forms of choices, formats, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.agreement import read_preference_rankings, segments
from rankscope.agreement.load import read_judgments
from rankscope.agreement.settings import JudgmentSettings
from rankscope.errors import InputError
from rankscope.io.translation import detect_kind

CHOSEN = "item,a,b,human,judge\n1,large,small,a,tie\n2,small,large,b,b\n3,small,large,tie,\n"


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "chosen"
        path.write_text(content)
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        CHOSEN,
        CHOSEN.replace(",", "\t"),
        "prompt,model_a,model_b,human,judge\n1,large,small,model_a,Tie\n2,small,large,model_b,B\n3,small,large,tie,NA\n",
        "item,a,b,human,judge\n1,large,small,1.0,0.0\n2,small,large,2.0,2.0\n3,small,large,0.0,\n",
        "item,a,b,human,judge\n1,large,small,1,0\n2,small,large,2,2\n3,small,large,0,\n",
        "item,a,b,human,judge\n1,large,small,large,equal\n2,small,large,large,large\n3,small,large,same,\n",
        "".join(
            json.dumps({"item": i, "a": a, "b": b, "human": human, "judge": judge}) + "\n"
            for i, a, b, human, judge in (
                (1, "large", "small", "a", "tie"),
                (2, "small", "large", "b", "b"),
                (3, "small", "large", "tie", None),
            )
        ),
    ],
)
def test_choices_become_ranks_of_two_items(written, content):
    found = read_judgments(written(content))
    assert list(found.segment) == ["1", "2", "3"]
    assert list(found.system) == ["large", "small", "small", "large", "small", "large"]
    assert found.table("human").tolist() == [[1, 2], [2, 1], [1, 1]]
    np.testing.assert_array_equal(found.table("judge"), [[1, 1], [2, 1], [np.nan, np.nan]])
    assert mentions(found.notes[0], 1, "'judge'")


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_better_and_worse_may_be_separated_by_anything(written, separator):
    path = written("prompt,better,worse\n1,A,B\n1,B,C\n".replace(",", separator))
    found = read_judgments(path)
    assert detect_kind(path) == ("pairs" if separator == " " else "table")
    assert list(found.system) == ["A", "B", "B", "C"]
    assert found.table("rank").tolist() == [[1, 2], [1, 2]]


def test_who_judged_and_the_pair_are_read_and_other_columns_named(written):
    found = read_preference_rankings(written("lp,item,better,worse,rater,why\nde-en,1,A,B,ann,nicer\n"))
    assert (found.pair.names, found.judge.names) == (("de-en",), ("ann",))
    assert mentions(found.notes[0], "'why'", "not read")
    found = read_preference_rankings(written("item,a,b,human,judge\n1,A,B,a,ann\n2,A,B,b,bob\n"))
    assert (list(found.columns), found.judge.names) == (["human"], ("ann", "bob"))


def test_a_judge_is_held_against_people(written):
    found = segments(written(CHOSEN), statistic="wmt12", rng=1)
    assert found.value[0, 0] == pytest.approx((1 - 1) / 2)  # row 2 alike, row 1 tied by the judge, row 3 by people
    assert not any("--higher" in note for note in found.notes)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CHOSEN.replace("small,a,", "small,upper,"), ":2: human is 'upper', .*a, b or tie"),
        (CHOSEN.replace("large,small", "small,small"), ":2: 'small' is compared with itself"),
        (CHOSEN.replace("large,small", ",small"), ":2: a is empty"),
        ("item,a,b,human\n1,x,y,1\n2,x,y,0\n", ":1: .*'human' .*0 and 1 .*2"),
        ("item,a,b,text\n1,x,y,long\n", ":1: no column of choices"),
        ("who,a,b,human\n1,x,y,a\n", ":1: no column 'segment'"),
        ("item,a,b,human\n", "no rows"),
        ("item,candidate,rank\n1,A,1\n", ":1: columns 'item', 'candidate', 'rank'"),
    ],
)
def test_what_is_no_preference_is_refused_with_the_line(written, content, said):
    with pytest.raises(InputError, match="chosen.*" + said):
        read_preference_rankings(written(content))


def test_choices_are_no_scores(written):
    with pytest.raises(InputError, match=r"preferences .*'judge'"):
        read_judgments(written(CHOSEN), JudgmentSettings(higher=("judge",)))
    with pytest.raises(InputError, match=":2: judge is 'maybe'"):
        read_judgments(written(CHOSEN.replace("tie\n2", "maybe\n2")), JudgmentSettings(gold="judge"))
