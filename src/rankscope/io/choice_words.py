"""Words for the better of two: what columns of pairs are called, and what people and judges write into their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["BETTER", "FIRST", "NONE", "SECOND", "TIE", "WORSE", "choice_of", "doubtful_digits", "plain"]

#: What the columns of the two may be called, the first of each ours.
FIRST = (
    *("left", "a", "system_a", "model_a", "response_a", "player_a", "system1", "model1", "response1", "player1"),
    *("system_1", "model_1", "response_1", "player_1", "system_left", "model_left", "left_system", "left_model"),
)
SECOND = (
    *("right", "b", "system_b", "model_b", "response_b", "player_b", "system2", "model2", "response2", "player2"),
    *("system_2", "model_2", "response_2", "player_2", "system_right", "model_right", "right_system", "right_model"),
)
#: What they may be called where the columns say which of them is better.
BETTER, WORSE = ("better", "winner"), ("worse", "loser")

#: What a cell chooses: the first (0), the second (1), or one of these.
TIE, NONE = 2, 3
CHOICES = (
    frozenset((*FIRST, "1", "first", "1-0", "a>b", "a>>b", "[[a]]", "[[a>b]]", "[[a>>b]]")),
    frozenset((*SECOND, "2", "second", "0-1", "b>a", "b>>a", "[[b]]", "[[b>a]]", "[[b>>a]]")),
    frozenset(
        (
            *("tie", "tied", "ties", "draw", "drawn", "equal", "same", "neither", "both", "0", "=", "a=b", "[[a=b]]"),
            *("[[c]]", "1/2-1/2", "both good", "bothgood", "both_good", "tie (bothgood)", "tie (both good)"),
            *("both bad", "bothbad", "both_bad", "tie (bothbad)", "tie (both bad)"),
        )
    ),
    frozenset(("", "nan", "none", "na", "null")),
)


def plain(cell: str) -> str:
    """A cell in lower case; whole numbers beside empty cells become fractions in many a tool, and are whole again.

    >>> plain(" Model_A "), plain("2.0")
    ('model_a', '2')
    """
    return cell.strip().lower().removesuffix(".0")


def choice_of(cell: str, columns: Sequence[str] = ()) -> int | None:
    """Which of the two a cell chooses: 0 or 1, TIE, NONE for no choice; None for a word that says nothing of it.

    columns: what the columns of the two are called, which may stand in a cell as well.

    >>> choice_of("A"), choice_of("output", ["reference", "output"]), choice_of("both bad"), choice_of("large")
    (0, 1, 2, None)
    """
    word = plain(cell)
    for place, column in enumerate(columns):
        if word == plain(column):
            return place
    return next((place for place, words in enumerate(CHOICES) if word in words), None)


def doubtful_digits(cells: Iterable[str]) -> bool:
    """Whether 0 and 1 stand there without 2: is 0 a tie, or the second? Nobody can tell."""
    return {plain(cell) for cell in cells} & {"0", "1", "2", "-1"} == {"0", "1"}
