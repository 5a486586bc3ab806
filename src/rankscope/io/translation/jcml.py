"""JCML, the XML format of judged translations, streamed into arrays of numbers and names.

`<jcml><judgedsentence id="1" langsrc="de" langtgt="en"><tgt system="a" rank="1" bleu="23.1">...</tgt>...`
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Labels, Rankings
from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.translation.xml_events import XmlReader
from rankscope.typing import PathLike

__all__ = [
    "read_jcml",
]


#: The attribute that names an item; every other attribute is a column if it holds numbers.
SYSTEM = "system"
#: Whole numbers with this many digits fit into 64 bits.
DIGITS = 18
#: Always a column of ranks: text in it is refused even if the column was not named.
RANK = "rank"


class NameCodes:
    """Names as codes, in the order of first appearance."""

    def __init__(self) -> None:
        self.code_by_name: dict[str, int] = {}
        self.codes = array("i")

    def add(self, name: str) -> None:
        self.codes.append(self.code_by_name.setdefault(name, len(self.code_by_name)))

    def labels(self, dtype: type[np.integer[Any]] = np.int64) -> Labels:
        names = tuple(self.code_by_name)
        self.code_by_name = {}  # no longer needed, and large where names are many
        codes = np.frombuffer(self.codes, np.int32).astype(dtype, copy=False)
        return Labels(names, cast("npt.NDArray[np.int64]", codes))


class NumberedNames(NameCodes):
    """Many names that are mostly whole numbers: as long as all are, only numbers are stored."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: array[int] | None = array("q")

    def add(self, name: str) -> None:
        if self.numbers is not None:
            if name.isdecimal() and name.isascii() and len(name) <= DIGITS and (name[0] != "0" or name == "0"):
                self.numbers.append(int(name))
                return
            numbers, self.numbers = self.numbers, None
            for number in numbers:
                super().add(str(number))
        super().add(name)

    def labels(self, dtype: type[np.integer[Any]] = np.int64) -> Labels:
        if self.numbers is None:
            return super().labels(dtype)
        numbers = np.frombuffer(self.numbers, np.int64)
        if (np.diff(numbers) > 0).all():  # as in most files: each once
            return Labels(tuple(str(number) for number in self.numbers), np.arange(numbers.size))
        distinct, first_rows, codes = np.unique(numbers, return_index=True, return_inverse=True)
        order = np.argsort(first_rows)  # by first appearance
        new_codes = np.empty(distinct.size, np.int64)
        new_codes[order] = np.arange(distinct.size)
        return Labels(tuple(map(str, distinct[order].tolist())), new_codes[codes])


class JcmlReader(XmlReader):
    """Collects judgments."""

    def __init__(self, path: PathLike, columns: Sequence[str] | None, by_place: bool) -> None:
        super().__init__(path, "JCML")
        self.selected, self.by_place = columns, by_place
        self.pair, self.segment, self.judge, self.system = NameCodes(), NumberedNames(), NameCodes(), NameCodes()
        self.offsets = array("q", [0])
        self.columns: dict[str, array[float]] = {column: array("d") for column in columns or ()}
        self.text_attributes: set[str] = set()  # attributes that hold text, and so are not columns
        self.in_judgment = False
        self.seen_systems: set[str] = set()  # systems of this judgment
        self.n_items = self.n_unnamed = self.n_values = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "tgt":
            if not self.in_judgment:
                raise self.error_here("<tgt> outside of a <judgedsentence>, expected it inside of one")
            self.add_translation(attributes)
        elif tag == "judgedsentence":
            if self.in_judgment:
                raise self.error_here("<judgedsentence> inside of another one, expected </judgedsentence> first")
            self.in_judgment = True
            self.seen_systems.clear()
            languages = [attributes[key] for key in ("langsrc", "langtgt") if attributes.get(key)]
            self.pair.add("-".join(languages))
            number = str(len(self.offsets))
            self.segment.add(attributes.get("segment_id") or attributes.get("id") or number)
            self.judge.add(attributes.get("judge_id") or "")

    def end(self, tag: str) -> None:
        if tag == "judgedsentence":
            self.in_judgment = False
            self.offsets.append(self.n_items)

    def add_translation(self, attributes: dict[str, str]) -> None:
        """Add one translation: its system and its numbers."""
        system = attributes.get(SYSTEM)
        if self.by_place or not system:
            self.n_unnamed += not system
            system = f"#{self.n_items - self.offsets[-1] + 1}"
        if system in self.seen_systems:
            raise self.error_here(f"system {system!r} twice in one judgment, expected each once; keep one of the two")
        self.seen_systems.add(system)
        self.system.add(system)
        for key in attributes if self.selected is None else self.selected:
            text = attributes.get(key)
            if text is None or key == SYSTEM or key in self.text_attributes:
                continue
            value = self.parse_number(key, text)
            if value is None:
                self.text_attributes.add(key)
                self.columns.pop(key, None)
                continue
            column = self.columns.get(key)
            if column is None:
                refuse_sparse(
                    (self.n_items, len(self.columns)),
                    self.n_values,
                    f"{self.name}:{self.line}",
                    "translations and attributes",
                )
                column = self.columns[key] = array("d")
            if len(column) < self.n_items:  # earlier items lack it
                column.extend(array("d", [math.nan]) * (self.n_items - len(column)))
            column.append(value)
            self.n_values += 1
        self.n_items += 1

    def parse_number(self, key: str, text: str) -> float | None:
        """The number in an attribute; None for text in an attribute that was not named."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isfinite(value) and "_" not in text and text.isascii():
            return value
        if self.selected is None and key != RANK:
            return None
        raise self.error_here(f"{key} is {text!r}, expected a finite number; correct it or leave the attribute out")

    def rankings(self) -> Rankings:
        refuse_sparse((self.n_items, len(self.columns)), self.n_values, self.name, "translations and attributes")
        for column in self.columns.values():
            column.extend(array("d", [math.nan]) * (self.n_items - len(column)))
        offsets = np.frombuffer(self.offsets, np.int64)  # the arrays themselves, not copies
        empty = int(np.count_nonzero(np.diff(offsets) == 0))
        notes = []
        if self.n_unnamed and not self.by_place:
            notes.append(
                f"{pluralise(self.n_unnamed, 'translation')} without a system, named by their places (#1, #2, ...)"
            )
        if self.text_attributes:
            notes.append(f"{self.name}: {join_names(map(repr, sorted(self.text_attributes)))} not read: no numbers")
        if empty:
            notes.append(f"{pluralise(empty, 'judgment')} without a translation")
        return Rankings(
            pair=self.pair.labels(),
            segment=self.segment.labels(),
            judge=self.judge.labels(),
            offsets=offsets,
            system=self.system.labels(np.int32),  # by far the largest array
            columns={key: np.frombuffer(values, np.float64) for key, values in self.columns.items()},
            notes=tuple(notes),
        )


def read_jcml(path: PathLike, columns: Sequence[str] | None = None, *, by_place: bool = False) -> Rankings:
    r"""Read the judgments of a JCML file.

    Parameters
    ----------
    path
        File, plain, .gz or .zst; "-" is standard input.
    columns
        Attributes of <tgt> to read. Default: all that hold numbers. An item that lacks one has NaN there.
    by_place
        Name items by their places in the judgment (#1, #2, ...) and not by their systems, which may then occur twice.

    Returns
    -------
    Rankings
        All columns are read as ranks, of which the lowest is the best. The language pair is langsrc and langtgt, the
        segment is segment_id or else id.

    Raises
    ------
    InputError
        With the line: XML is broken or has a document type, entities are declared or outside of the file, a rank is not
        a finite number, a system occurs twice in one judgment, or there is no judgment.
    UnknownName
        No item has the column.

    Notes
    -----
    Only numbers and names are kept: some 250 bytes per judgment of five items. To read a file of 100 MB took the whole
    process 53 MB if it holds texts, and 98 MB if it holds none.

    References
    ----------
    The format of RankEval (Avramidis 2013).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> items = '<tgt system="a" rank="2"/><tgt system="b" rank="1"/>'
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "made.jcml")
    ...     _ = path.write_text(f'<jcml><judgedsentence id="7">{items}</judgedsentence></jcml>')
    ...     rankings = read_jcml(path)
    >>> rankings.systems, rankings.segment.names, rankings.columns["rank"].tolist()
    (('a', 'b'), ('7',), [2.0, 1.0])
    """
    if isinstance(columns, str):
        raise ParameterError(f"columns is {columns!r}, expected a list of names, as [{columns!r}]")
    reader = JcmlReader(path, columns, by_place)
    reader.read()
    if len(reader.offsets) == 1:
        raise InputError(f"{reader.name}: no <judgedsentence>, expected JCML with at least one")
    check_columns(reader)
    return reader.rankings()


def check_columns(reader: JcmlReader) -> None:
    """Raise for a named column that no item has."""
    for key, values in reader.columns.items():
        if not len(values) and reader.n_items:
            available: Mapping[str, int] = {
                column: len(cells) for column, cells in reader.columns.items() if len(cells)
            }
            raise UnknownName(
                f"attribute of <tgt> in {reader.name}",
                key,
                available,
                f" ({join_names(available)})" if available else "",
            )
