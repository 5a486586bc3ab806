"""Commands and options that there are not: the nearest one is named, and where help is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.cli._advice import COMMAND_SYNONYMS, OPTION_HINTS, OPTION_SYNONYMS, VALUE_SYNONYMS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("evalute", "No such command 'evalute'; did you mean 'evaluate'? See `rankscope --help`"),
        ("agree labls x", "No such command 'labls'; did you mean 'labels'? See `rankscope agree --help`"),
        (
            "agree demo.qrels x",
            "No such command 'demo.qrels'; expected judgments, labels, measures, ranks, segments, systems, metrics, "
            "raters, favour or wmt12; see `rankscope agree --help`",
        ),
        ("letor scor", "No such command 'scor'; did you mean 'score'? See `rankscope letor --help`"),
        (
            "evaluate --metric AP a b",
            "No such option '--metric'; did you mean '--measure'? See `rankscope evaluate --help`",
        ),
        (
            "evaluate --frmat=csv a b",
            "No such option '--frmat'; did you mean '--format'? See `rankscope evaluate --help`",
        ),
        (
            "compare --significance-level 0.1 a b",
            "No such option '--significance-level'; did you mean '--alpha'? See `rankscope compare --help`",
        ),
        ("evaluate --alpha 0.1 a b", "No such option '--alpha'; see `rankscope evaluate --help`"),
        ("evaluate -z a b", "No such option '-z'; see `rankscope evaluate --help`"),
        ("mt-experimen x", "No such command 'mt-experimen'; did you mean 'mt-experiment'? See `rankscope --help`"),
        (
            "mt-experiment --loss ListNet",
            "No such option '--loss'; did you mean '--losses'? See `rankscope mt-experiment --help`",
        ),
        ("fus a.run", "No such command 'fus'; did you mean 'fuse'? See `rankscope --help`"),
        ("fuse --methd rrf a.run", "No such option '--methd'; did you mean '--method'? See `rankscope fuse --help`"),
        ("crossvalidat x", "No such command 'crossvalidat'; did you mean 'crossvalidate'? See `rankscope --help`"),
        (
            "crossvalidate --losses ranknet x",
            "No such option '--losses'; did you mean '--loss'? See `rankscope crossvalidate --help`",
        ),
    ],
)
def test_the_nearest_name_is_named(cli: Callable[..., Any], arguments: str, said: str) -> None:
    done = cli(*arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err == f"rankscope: {said}\n"


def test_where_no_command_is_near_all_are_named(cli: Callable[..., Any]) -> None:
    done = cli("qrels.txt", "it's", "a.run")
    assert mentions(
        done.err,
        "evaluate, nuggets, measures, convert",
        "compare, gate, diff, plan, report, stability",
        "fuse, consensus, leaderboard",
    )
    assert mentions(cli("it's so").err, "rankscope: ", "'it's so'", "expected evaluate, ")


def test_there_are_few_words_of_other_tools() -> None:
    assert sum(map(len, (COMMAND_SYNONYMS, OPTION_SYNONYMS, OPTION_HINTS, VALUE_SYNONYMS))) <= 40
