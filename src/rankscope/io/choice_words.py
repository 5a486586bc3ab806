"""Words for the better of two: what columns of pairs are called, and what people and judges write into their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "BETTER_COLUMNS",
    "FIRST_COLUMNS",
    "NO_CHOICE",
    "SECOND_COLUMNS",
    "TIE",
    "WORSE_COLUMNS",
    "parse_choice",
    "ambiguous_digits",
    "normalise_cell",
]

#: What the columns of the two may be called, the first of each ours.
FIRST_COLUMNS = (
    *("left", "a", "system_a", "model_a", "response_a", "player_a", "system1", "model1", "response1", "player1"),
    *("system_1", "model_1", "response_1", "player_1", "system_left", "model_left", "left_system", "left_model"),
)
SECOND_COLUMNS = (
    *("right", "b", "system_b", "model_b", "response_b", "player_b", "system2", "model2", "response2", "player2"),
    *("system_2", "model_2", "response_2", "player_2", "system_right", "model_right", "right_system", "right_model"),
)
#: What they may be called where the columns say which of them is better.
BETTER_COLUMNS, WORSE_COLUMNS = ("better", "winner"), ("worse", "loser")

#: What a cell chooses: the first (0), the second (1), or one of these.
TIE, NO_CHOICE = 2, 3
CHOICE_WORDS = (
    frozenset((*FIRST_COLUMNS, "1", "first", "1-0", "a>b", "a>>b", "[[a]]", "[[a>b]]", "[[a>>b]]")),
    frozenset((*SECOND_COLUMNS, "2", "second", "0-1", "b>a", "b>>a", "[[b]]", "[[b>a]]", "[[b>>a]]")),
    frozenset(
        (
            *("tie", "tied", "ties", "draw", "drawn", "equal", "same", "neither", "both", "0", "=", "a=b", "[[a=b]]"),
            *("[[c]]", "1/2-1/2", "both good", "bothgood", "both_good", "tie (bothgood)", "tie (both good)"),
            *("both bad", "bothbad", "both_bad", "tie (bothbad)", "tie (both bad)"),
        )
    ),
    frozenset(("", "nan", "none", "na", "null")),
)


def normalise_cell(cell: str) -> str:
    """A cell in lower case; whole numbers beside empty cells become fractions in many a tool, and are whole again.

    >>> normalise_cell(" Model_A "), normalise_cell("2.0")
    ('model_a', '2')
    """
    return cell.strip().lower().removesuffix(".0")


def parse_choice(cell: str, columns: Sequence[str] = ()) -> int | None:
    """Which of the two a cell chooses: 0 or 1, TIE, NONE for no choice; None for a word that says nothing of it.

    columns: what the columns of the two are called, which may stand in a cell as well.

    >>> parse_choice("A"), parse_choice("output", ["reference", "output"]), parse_choice("both bad"), parse_choice("large")
    (0, 1, 2, None)
    """
    word = normalise_cell(cell)
    for place, column in enumerate(columns):
        if word == normalise_cell(column):
            return place
    return next((place for place, words in enumerate(CHOICE_WORDS) if word in words), None)


def ambiguous_digits(cells: Iterable[str]) -> bool:
    """Whether 0 and 1 stand there without 2: is 0 a tie, or the second? Nobody can tell."""
    return {normalise_cell(cell) for cell in cells} & {"0", "1", "2", "-1"} == {"0", "1"}
