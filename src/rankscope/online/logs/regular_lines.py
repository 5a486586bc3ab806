"""Lines of JSON that all have the keys of the first line, in its order: values are found without a loop over lines.

One comparison finds all quotes and line ends. Where every line has as many quotes as the first, and no text has an
escape, the positions of the quotes, reshaped to a table, are the keys and the texts, and what is between them are the
numbers and lists. Anything else (other keys, escapes, texts in lists of unequal length) is for a parser of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from rankscope.kernels.order import ranges
from rankscope.kernels.text import PADDING, Fields, as_fields, words
from rankscope.typing import Bytes, Ints

__all__ = [
    "WholeNumbers",
    "regular_columns",
]


QUOTE, NEWLINE, COMMA, SPACE, OPENING, CLOSING, ZERO = b'"\n, []0'
#: Digits of a number in a list; more are for a parser of JSON.
MAX_DIGITS = 9
#: What stands between a key and its value, a number or list, and what stands behind it.
VALUE = re.compile(r"( ?: ?)([^ :,{}][^:{}]*?)( ?[,}] ?\r?)")


class WholeNumbers(NamedTuple):
    """Lists of whole numbers.

    Attributes
    ----------
    offsets
        (lines + 1) where the numbers of each line begin.
    values
        All numbers.
    """

    offsets: Ints
    values: Ints


class Value(NamedTuple):
    """A value of the first line.

    Attributes
    ----------
    key
        Its key.
    is_text
        Whether it is a text; else it is a number, or a list of numbers.
    mark
        Which of the quotes of the line is the last before it.
    start, end
        Characters from that quote to the value, and from its end to the next quote, or to the end of the line.
    fixed
        What stands between the value before it, or the beginning of the line, and it.
    """

    key: str
    is_text: bool
    mark: int
    start: int
    end: int
    fixed: str


def regular_columns(
    content: bytes, texts: Collection[str], lists: Collection[str]
) -> Mapping[str, Fields | WholeNumbers] | None:
    """The values of some keys of all lines; None where the lines are not regular.

    Parameters
    ----------
    content
        Complete lines.
    texts
        Keys whose values are texts.
    lists
        Keys whose values are lists of whole numbers.
    """
    first_line = content[: content.find(b"\n")]
    if b"\\" in content or not first_line.isascii():
        return None
    values, closing = template_of(first_line.decode())
    is_text = {value.key: value.is_text for value in values}
    if not all(is_text.get(key) is True for key in texts) or not all(is_text.get(key) is False for key in lists):
        return None
    buffer = np.frombuffer(b"".join((bytes(PADDING), content, bytes(PADDING))), np.uint8)
    marks = np.flatnonzero((buffer == QUOTE) | (buffer == NEWLINE))
    n_marks = first_line.count(b'"') + 1
    n_lines, remainder = divmod(marks.size, n_marks)
    if remainder:
        return None
    table = marks.reshape(n_lines, n_marks)
    is_newline = buffer[table] == NEWLINE
    if not is_newline[:, -1].all() or np.count_nonzero(is_newline) != n_lines:
        return None
    position = np.concatenate(([PADDING], table[:-1, -1] + 1))
    columns: dict[str, Fields | WholeNumbers] = {}
    for value in values:
        start, end = table[:, value.mark] + value.start, table[:, value.mark + 1] - value.end
        if (end < start).any() or not is_fixed(buffer, position, start, value.fixed):
            return None
        position = end
        fields = Fields(buffer, start, end - start)
        if value.key in texts:
            columns[value.key] = fields
        elif value.key in lists:
            numbers = parse_lists(fields)
            if numbers is None:
                return None
            columns[value.key] = numbers
    return columns if is_fixed(buffer, position, table[:, -1], closing) else None


def template_of(line: str) -> tuple[list[Value], str]:
    """The values of the first line, and what stands behind the last; none where a value is nested or no line fits."""
    parts = line.split('"')  # outside of texts, inside, outside, ...
    if len(parts) < 3 or len(parts) % 2 == 0 or parts[0].strip() != "{":
        return [], ""
    values: list[Value] = []
    fixed, place = parts[0], 1
    while place < len(parts):
        key, gap = parts[place], parts[place + 1]
        is_last = place + 2 == len(parts)
        fixed += f'"{key}"'
        if gap.strip() == ":" and not is_last:  # a text follows
            values.append(Value(key, True, place + 1, 1, 0, f'{fixed}{gap}"'))
            fixed, place = '"' + parts[place + 3], place + 4
        else:
            match = VALUE.fullmatch(gap)
            if match is None:
                return [], ""
            values.append(Value(key, False, place, 1 + len(match[1]), len(match[3]), fixed + match[1]))
            fixed, place = match[3], place + 2
        if fixed.strip(' "\r') != ("}" if place == len(parts) else ","):
            return [], ""
    return values, fixed


def is_fixed(buffer: Bytes, starts: Ints, ends: Ints, text: str) -> bool:
    """Whether this text is between all starts and ends."""
    if (ends - starts != len(text)).any():
        return False
    fields = Fields(buffer, starts, np.full(starts.size, len(text)))
    expected = as_fields([text.encode()])
    return all((words(fields, j) == words(expected, j)).all() for j in range((len(text) + 7) // 8))


def parse_lists(fields: Fields) -> WholeNumbers | None:
    """Lists as [1, 3]; None where one is anything else."""
    n_lines = fields.starts.size
    characters = fields.buffer[ranges(fields.starts, fields.lengths)]
    line_ends = np.cumsum(fields.lengths)
    is_digit = (characters - np.uint8(ZERO)) < 10
    is_comma = characters == COMMA
    is_opening, is_closing = characters == OPENING, characters == CLOSING
    n_valid = sum(
        int(np.count_nonzero(mask)) for mask in (is_digit, is_comma, is_opening, is_closing, characters == SPACE)
    )
    if n_valid < characters.size or np.count_nonzero(is_opening) != n_lines or np.count_nonzero(is_closing) != n_lines:
        return None
    if not is_opening[line_ends - fields.lengths].all() or not is_closing[line_ends - 1].all():
        return None
    edges = np.flatnonzero(np.diff(is_digit, prepend=False, append=False))
    starts, lengths = edges[::2], np.diff(edges)[::2]
    if int(lengths.max(initial=0)) > MAX_DIGITS:
        return None
    commas = np.flatnonzero(is_comma)
    line_bounds = np.concatenate(([0], line_ends))
    offsets = np.searchsorted(starts, line_bounds)
    n_commas = np.diff(np.searchsorted(commas, line_bounds))
    # With one comma fewer than numbers, and no two numbers without one between them, each comma is between two.
    if (n_commas != np.maximum(np.diff(offsets) - 1, 0)).any():
        return None
    is_first = np.zeros(starts.size + 1, np.bool_)
    is_first[offsets[:-1]] = True
    n_before = np.searchsorted(commas, starts)
    if (~is_first[1:-1] & (np.diff(n_before) != 1)).any():
        return None
    values = np.zeros(starts.size, np.int64)
    for place in range(int(lengths.max(initial=0))):
        has_digit = lengths > place
        digit = characters[np.minimum(starts + place, characters.size - 1)].astype(np.int64) - ZERO
        values = np.where(has_digit, 10 * values + digit, values)
    return WholeNumbers(offsets.astype(np.int64), values)
