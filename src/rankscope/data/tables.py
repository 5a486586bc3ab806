"""Tables: the columns that a format has, bound to those that a file or a data frame has, and their cells.

A `Schema` is bound to the header before a row is parsed, so that a missing column, two columns of one name and a
column that the user calls otherwise are found first. A `Table` gives ids and numbers, and says where a row stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.sparse import refuse_sparse
from rankscope.data.text import first_names, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import first_repeat
from rankscope.typing import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ID",
    "LIST",
    "NUMBER",
    "Codes",
    "Column",
    "Matrix",
    "Schema",
    "Table",
    "bound_table",
    "find_column",
    "is_index_name",
    "is_number",
    "list_columns",
    "list_fields",
    "refuse_case",
    "shorten_value",
    "table_of_frame",
    "to_frame",
    "type_with_article",
]


#: Texts of cells without a number, in lower case. NaN is none of them: it is what failed computations leave.
NO_NUMBER = ("", "na", "n/a", "null", "none", "-")
TRUTHS = ("true", "false")
ID, NUMBER, LIST = "id", "number", "list"
#: What pandas calls a column without a name: its index in Parquet, and in a CSV that it read.
INDEX = ("__index_level_", "Unnamed: ")
#: A number with a decimal comma, as 1,5 for 1.5.
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
#: Numbers of ids: unsigned, of the size that their number needs.
Codes = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of an input format; that of a table for people is `rankscope.data.columns.Column`.

    Attributes
    ----------
    name
        What it is called here, and in messages.
    aliases
        Other names by which it is found, in lower case.
    kind
        "id": text, always, so that 007 stays 007. "number": a finite number, or nothing. "list": a list in each row.
    required
        Whether a table without it is refused.
    unique
        Whether a value may stand only once.
    first
        Whether it is the first column of the table, whatever that is called, unless the user names another one.
    unless
        Names of other columns, in lower case, beside which it is not found by its own.
    """

    name: str
    aliases: tuple[str, ...] = ()
    kind: str = ID
    required: bool = False
    unique: bool = False
    first: bool = False
    unless: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and the others."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns of a format.

    Attributes
    ----------
    columns
        The columns.
    expected
        What a file should hold, for the message about an empty one.
    more_numbers
        Whether columns that the schema does not name may hold numbers, as a column for each system.
    all_numbers
        Whether they all hold numbers, so that none is guessed.
    nan_is_missing
        Whether NaN in a file is an empty cell, not the result of a computation that failed.
    forms
        Sets of columns, of which a table must have one; if it has several, the first counts, and columns of the others
        are not read. Columns in no form are optional.
    elsewhere
        Names of columns in other tables that are read with the same names of columns; they are skipped.
    skips_nameless
        Whether a column without a name is skipped, as the index of pandas, instead of refused.
    index_beside
        The column of ours beside which a first column without a name is skipped, too, where others may hold numbers.
    has_option
        Whether users can say what the columns are called.
    """

    columns: tuple[Column, ...]
    expected: str
    more_numbers: bool = False
    all_numbers: bool = False
    nan_is_missing: bool = False
    forms: tuple[tuple[str, ...], ...] = ()
    elsewhere: tuple[str, ...] = ()
    skips_nameless: bool = False
    index_beside: str = ""
    has_option: bool = True

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def has_first(self) -> bool:
        """Whether a column is found by being the first, so that it needs no name."""
        return any(column.first for column in self.columns)

    def match(self, header: Sequence[str], names: Mapping[str, str], lists: Collection[str] = ()) -> dict[str, str]:
        """Our names of the columns that there are, with the names in the header; as `bind`, but nothing is refused."""
        ours = {column.name for column in self.columns}
        bound = {name: column_name for name, column_name in names.items() if name in ours and column_name in header}
        takes_lists = any(column.kind == LIST for column in self.columns)
        of_name: dict[str, list[str]] = {}  # a table may have a million columns
        for name in header:
            of_name.setdefault(name.strip().lower(), []).append(name)
        for column in self.columns:
            is_list, taken = column.kind == LIST, set(bound.values())
            own_names = () if any(name in of_name for name in column.unless) else column.names
            candidates = header if column.first else [same for name in own_names for same in of_name.get(name, ())]
            free = (
                name for name in candidates if name not in taken and (not takes_lists or (name in lists) == is_list)
            )
            column_name = bound.get(column.name) or next(free, None)
            if column_name is not None:
                bound[column.name] = column_name
        return bound

    def fits(self, header: Sequence[str], names: Mapping[str, str]) -> bool:
        """Whether all required columns are there, and all columns that the user names are of this schema."""
        required = {column.name for column in self.columns if column.required}
        return {*required, *names} <= set(self.match(header, names))

    def bind(
        self, header: Sequence[str], names: Mapping[str, str], where: str, lists: Collection[str] = ()
    ) -> dict[str, str]:
        """Our names of the columns that there are, with the names in the header.

        Parameters
        ----------
        header
            The names of all columns.
        names
            What the user says: our name, and the name in the header.
        where
            What the message begins with: file and line.
        lists
            Columns in the header that hold a list in each row.

        Raises
        ------
        InputError
            Two columns have one name or names that differ in case only, a required one is missing, or a column has no
            name where any column may hold numbers.
        ParameterError
            The user names a column that the format does not have.
        """
        is_index = bool(self.index_beside) and self.index_beside in self.match(header, names, lists)
        refuse_bad_header(header, where, unnamed=self.skips_nameless, is_first_free=self.has_first or is_index)
        our_names = [column.name for column in self.columns]
        names = {name: column for name, column in names.items() if name in our_names or name not in self.elsewhere}
        bound = self.match(header, names, lists)
        for name, column_name in names.items():
            if name not in our_names:
                expected = join_names(dict.fromkeys((*our_names, *self.elsewhere)))
                raise ParameterError(
                    f"columns (--columns) has {name!r}, expected some of {expected}, as {our_names[0]}=NAME"
                )
            if column_name not in header and not self.is_of_another_form(name, bound):
                raise InputError(
                    f"{where}: no column {column_name!r}, which columns (--columns) names, among {list_columns(header)}"
                )
        names = {name: column_name for name, column_name in names.items() if column_name in header}
        missing = next((column.name for column in self.columns if column.required and column.name not in bound), None)
        if missing is not None:
            raise self.missing_column(missing, header, where)
        return self.first_form(bound, names, header, where, lists) if self.forms else bound

    def is_of_another_form(self, name: str, bound: Collection[str]) -> bool:
        """Whether a table is complete in a form that shares no column but the query, the first, with those of `name`.

        Then another file of the same call may have the column: of two runs, one has lists and one a document a row.
        """
        own = {column for form in self.forms if name in form for column in form[1:]}
        return name in own and any(own.isdisjoint(form[1:]) and set(bound) >= set(form) for form in self.forms)

    def first_form(
        self,
        bound: dict[str, str],
        names: Mapping[str, str],
        header: Sequence[str],
        where: str,
        lists: Collection[str],
    ) -> dict[str, str]:
        """The columns of the first form that is complete and has those that the user names, and optional ones."""
        in_forms = {name for form in self.forms for name in form}
        forms = [form for form in self.forms if set(names) & in_forms <= set(form)] or self.forms
        form = next((form for form in forms if bound.keys() >= set(form)), None)
        if form is None:
            missing = next(name for name in forms[0] if name not in bound)
            unbound = [own_name for own_name in header if own_name in lists and own_name not in bound.values()]
            for column in self.columns:
                if column.kind != LIST or column.name not in in_forms or column.name in bound:
                    continue
                if unbound:
                    raise InputError(
                        f"{where}: no column {missing!r} among {list_columns(header)}; if the lists of {unbound[0]} "
                        f"hold ids, say so: --columns {column.name}={unbound[0]} (in Python columns=)"
                    )
                own_name = find_column(header, column.names)
                if own_name not in (None, *bound.values()):
                    raise InputError(
                        f"{where}: no column {missing!r} among {list_columns(header)}; {own_name} holds no lists, "
                        "expected a list in each row, as JSON writes it"
                    )
            raise self.missing_column(missing, header, where)
        return {name: column for name, column in bound.items() if name in form or name not in in_forms}

    def missing_column(self, name: str, header: Sequence[str], where: str) -> InputError:
        """The error for a table without this column."""
        column = self.column(name)
        also = f" (also understood: {', '.join(column.aliases)})" if column.aliases else ""
        option = f", or say which it is: --columns {name}=NAME (in Python columns=)" if self.has_option else ""
        to = "" if option else f" to {name}"
        return InputError(
            f"{where}: no column {name!r} among {list_columns(header)}; rename one of them{to}{also}{option}"
        )


def refuse_bad_header(header: Sequence[str], where: str, *, unnamed: bool, is_first_free: bool = False) -> None:
    """Raise InputError for two columns of one name, and for columns without a name.

    unnamed: whether one column may be without a name. is_first_free: whether the first needs none.
    """
    seen: dict[str, str] = {}
    for number, name in enumerate(header, 1):
        key = name.strip().lower()
        if not key and number == 1 and is_first_free:
            continue
        if not key and not (unnamed and key not in seen):
            raise InputError(
                f"{where}: column {number} has no name; name it (pandas leaves the name of its index out: write with "
                "index_label='query', or index=False)"
            )
        if key in seen:
            same = "two columns are called" if seen[key] == name else f"the columns {seen[key]!r} and"
            differ = "" if seen[key] == name else " differ in case or blanks only"
            raise InputError(f"{where}: {same} {name!r}{differ}; rename or remove one of them")
        seen[key] = name


class Matrix(NamedTuple):
    """The values of a table that has a row for each of them.

    Attributes
    ----------
    rows, columns
        Names.
    values
        (rows, columns), NaN where there is none.
    row_codes
        The row of the matrix for each row of the table.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    row_codes: Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A table whose columns are bound to a schema.

    Attributes
    ----------
    frame
        The rows, with the columns by their own names.
    name
        Name of the file or data.
    schema
        The schema.
    columns
        Our names of the columns, and their own.
    where
        File and line of the header.
    locate
        Gives file and line of a row. It reads the file again: only for messages.
    nan_is_missing
        Whether NaN stands for no value, as in data frames.
    is_text
        Whether all cells were text, so that nothing but their form tells numbers from texts.
    """

    frame: pl.DataFrame
    name: str
    schema: Schema
    columns: Mapping[str, str]
    where: str
    locate: Callable[[int], str]
    nan_is_missing: bool = False
    is_text: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def take(self, rows: Ints) -> Table:
        """These rows, in rising order, as a table; each keeps its place in the file."""
        import polars as pl

        is_taken = np.zeros(self.frame.height, np.bool_)
        is_taken[rows] = True
        frame = self.frame.filter(pl.Series(is_taken))  # faster than by number
        return replace(self, frame=frame, locate=lambda row: self.locate(int(rows[row])))

    @property
    def more_columns(self) -> list[str]:
        """The columns that the schema does not name, without the index of a data frame."""
        bound = set(self.columns.values())
        return [name for name in self.frame.columns if name not in bound and not is_index_name(name)]

    def number_columns(self, *, half: bool = True) -> list[str]:
        """Those of `more_columns` that hold numbers: most of their cells that are not empty, or half of them."""
        return [name for name in self.more_columns if is_number_column(self.frame[name], half=half)]

    def holds_numbers(self, own_name: str) -> bool:
        """Whether all cells of a column that are not empty hold numbers, and there is one."""
        n_numbers, n_others = self.count_numbers(own_name)
        return n_numbers > 0 and not n_others

    def count_numbers(self, own_name: str) -> tuple[int, int]:
        """How many cells of a column hold numbers, and how many hold something else."""
        values, invalid = to_numbers(self.frame[own_name], self.nan_is_missing)
        return values.len() - values.null_count(), 0 if invalid is None else int(invalid.sum())

    def require(self, name: str) -> str:
        """The column's own name. Raises InputError if there is none."""
        if name not in self.columns:
            raise self.schema.missing_column(name, self.frame.columns, self.where)
        return self.columns[name]

    def find(self, own_name: str) -> str:
        """The column that is called so, perhaps in other case. Raises InputError if there is none."""
        names = self.frame.columns
        column = own_name if own_name in names else find_column(names, (own_name.strip().lower(),))
        if column is None:
            raise InputError(f"{self.where}: no column {own_name!r} among {list_columns(names)}; name one of those")
        return column

    def ids(self, name: str) -> pl.Series:
        """The texts of a column. Raises InputError for an empty cell, for another type, and where one stands twice."""
        own_name = self.require(name)
        texts = self.names(own_name, noun=name)
        if self.schema.column(name).unique and texts.n_unique() < texts.len():
            row = int((~texts.is_first_distinct()).arg_true()[0])
            first = int((texts == texts[row]).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {own_name or name} {texts[row]!r} stands a second time, the first is at "
                f"{self.locate(first)}; keep one of the two"
            )
        return texts

    def names(self, own_name: str, *, required: bool = True, noun: str = "") -> pl.Series:
        """The texts of a column by its own name.

        required: whether empty cells raise an error; else they are empty texts. noun: what a column without a name is
        called in messages. Raises InputError for another type.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype.is_float() or series.dtype == pl.Boolean:
            raise InputError(
                f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected ids: texts or whole numbers "
                "(pandas makes 1.0 of 1 where a cell is empty); convert it"
            )
        if not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
            raise InputError(
                f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected texts or whole numbers; convert "
                "it"
            )
        texts = series.cast(pl.String)
        if texts.null_count():
            texts = texts.fill_null("")
        if required and (empty := texts == "").any():
            raise InputError(
                f"{self.locate(int(empty.arg_true()[0]))}: {own_name or noun} is empty, expected an id; fill it in or "
                "drop the row"
            )
        return texts

    def codes(self, name: str) -> tuple[list[str], Codes]:
        """The distinct ids of a column in their order, and the number of each row's id among them."""
        import polars as pl

        texts = self.ids(name)
        distinct = texts.unique(maintain_order=True)
        codes = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
        return distinct.to_list(), codes

    def texts(self, own_name: str) -> pl.Series:
        """The cells of a column by its own name as texts, "" where one is empty.

        Raises InputError for cells that are neither texts nor numbers.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype.is_nested():
            raise InputError(f"{self.locate(0)}: column {own_name!r} holds {series.dtype}, expected texts; convert it")
        return series.cast(pl.String).fill_null("")

    def type_of(self, own_name: str) -> str:
        """What the type of a column says that it holds: "number" (also true and false), "text" or "other"."""
        import polars as pl

        dtype = self.frame[own_name].dtype
        if dtype.is_numeric() or dtype == pl.Boolean:
            return "number"
        return "text" if dtype in (pl.String, pl.Categorical, pl.Enum) else "other"

    def cells(self, own_name: str) -> pl.Series | None:
        """A column of numbers or texts, null where a cell is empty; None for one of another type."""
        import polars as pl

        series, kind = self.frame[own_name], self.type_of(own_name)
        if kind == "number":
            return series.fill_nan(None) if series.dtype.is_float() else series
        return series.cast(pl.String).replace("", None) if kind == "text" else None

    def is_nested(self, own_name: str) -> bool:
        """Whether the cells of a column by its own name are lists or objects of JSON."""
        return bool(self.frame[own_name].dtype.is_nested())

    def numbers(self, own_name: str, *, complete: bool = False, expected: str = "a finite number") -> Floats:
        """The numbers of a column by its own name, NaN where a cell is empty.

        complete: whether no cell may be empty. expected: what a cell must be, for the message. Raises InputError for
        text, infinity and NaN.
        """
        values, invalid = to_numbers(self.frame[own_name], self.nan_is_missing)
        has_empty = values.null_count() > 0
        if complete and has_empty:
            invalid = values.is_null() if invalid is None else invalid | values.is_null()
        if invalid is not None and invalid.any():
            raise self.number_error(own_name, int(invalid.arg_true()[0]), complete=complete, expected=expected)
        return np.asarray((values.fill_null(float("nan")) if has_empty else values).to_numpy(), np.float64)

    def weights(self, own_name: str) -> Floats:
        """The numbers of a column of weights. Raises InputError, too, for an empty cell and for one of 0 or below."""
        expected = "a number above 0 (leave out what does not count)"
        values = self.numbers(own_name, complete=True, expected=expected)
        if (values <= 0).any():
            raise self.number_error(own_name, int(np.argmax(values <= 0)), complete=True, expected=expected)
        return values

    def with_truths(self) -> Table:
        """The table with its columns of the texts true and false as 1 and 0."""
        import polars as pl

        texts = [self.frame[name] for name in self.more_columns if self.frame[name].dtype == pl.String]
        truths = []
        for series in texts:
            first_text = series.drop_nulls().head(1).str.to_lowercase()
            if not first_text.is_in(TRUTHS).any():  # avoids checking each cell of other columns
                continue
            lower_texts = series.str.to_lowercase()
            if lower_texts.drop_nulls().is_in((*TRUTHS, *NO_NUMBER, "nan")).all():
                truths.append(lower_texts.replace_strict({"true": 1.0, "false": 0.0}, default=None))
        return replace(self, frame=self.frame.with_columns(truths))

    def number_error(
        self, own_name: str, row: int, *, complete: bool = False, expected: str = "a finite number"
    ) -> InputError:
        """The error for a cell that holds no number. complete, expected: as for `numbers`."""
        import polars as pl

        cell = self.frame[own_name][row]
        advice = "correct it" if complete else "correct it, or leave the cell empty where there is no value"
        if isinstance(cell, pl.Series):
            cell_text = "a list"
        elif cell is None or cell == "":
            cell_text, advice = "empty", "fill it in or drop the row"
        else:
            cell_text = shorten_value(cell)
            if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()):
                advice = "replace the decimal comma by a point"
        return InputError(f"{self.locate(row)}: {own_name} is {cell_text}, expected {expected}; {advice}")

    def number_columns_matrix(self, own_names: Sequence[str], *, complete: bool = False) -> Floats:
        """(columns, rows) the numbers of several columns by their own names; as `numbers`."""
        frame = self.frame[list(own_names)]
        if all(dtype.is_float() for dtype in frame.dtypes):
            values = np.ascontiguousarray(frame.to_numpy().astype(np.float64, copy=False).T)
            n_missing = sum(frame.null_count().row(0))
            if int(np.isfinite(values).sum()) == values.size - n_missing and not (complete and n_missing):
                return values
        return np.array([self.numbers(name, complete=complete) for name in own_names])

    def matrix(self, rows: str, columns: str, value: str) -> Matrix:
        """The numbers of a table that has a row for each of them.

        Parameters
        ----------
        rows, columns
            Our names of two columns of ids, which say where a value belongs.
        value
            Our name of the column of numbers.

        Raises
        ------
        InputError
            Two rows are of the same place, or the matrix would be nearly empty; and as `ids` and `numbers`.
        """
        row_names, row_codes = self.codes(rows)
        column_names, column_codes = self.codes(columns)
        shape = (len(row_names), len(column_names))
        refuse_sparse(shape, row_codes.size, self.name, f"{rows}s and {columns}s")
        cells = row_codes.astype(np.int64) * shape[1] + column_codes
        self.refuse_repeated_cells(cells, shape[0] * shape[1], (rows, columns))
        values = np.full(shape, np.nan)
        values.ravel()[cells] = self.numbers(self.require(value))
        return Matrix(tuple(row_names), tuple(column_names), values, row_codes)

    def refuse_repeated_cells(
        self, cells: Ints, n_cells: int, names: Sequence[str], advice: str = "keep one of the two"
    ) -> None:
        """Raise InputError where two rows are of the same cell of a matrix.

        Parameters
        ----------
        cells
            The cell of each row.
        n_cells
            Number of cells.
        names
            Our names of the columns that say which cell a row is of.
        advice
            What to do, for the message.
        """
        repeat = first_repeat(cells, n_cells)
        if repeat is not None:
            row, first = repeat
            values = join_names(repr(str(self.frame[self.columns[name]][row])) for name in names)
            raise InputError(
                f"{self.locate(row)}: a second value of this {join_names(names)} ({values}), the first is at "
                f"{self.locate(first)}; {advice}"
            )


def refuse_case(names: Sequence[str], location: Callable[[int], str], noun: str) -> None:
    """Raise InputError for two names that differ in case only. location: file and line of a name, by its index."""
    seen: dict[str, str] = {}
    for number, name in enumerate(names):
        if (earlier := seen.setdefault(name.casefold(), name)) != name:
            raise InputError(
                f"{location(number)}: the {noun} {name!r} differs from {earlier!r} in case only; write both alike, or "
                "give one another name"
            )


def is_number_column(series: pl.Series, *, half: bool) -> bool:
    """Whether most cells of a column that are not empty hold numbers: the others are then mistakes.

    half: whether half of the cells are enough.
    """
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return True
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    texts = series.cast(pl.String).str.strip_chars()
    n_numbers = int(texts.cast(pl.Float64, strict=False).is_not_null().sum())  # NaN and infinity are mistakes later
    n_missing = int((texts.is_null() | texts.str.to_lowercase().is_in(NO_NUMBER)).sum())
    return n_numbers >= max(texts.len() - n_missing - n_numbers + (not half), 1)


def to_numbers(series: pl.Series, nan_is_missing: bool) -> tuple[pl.Series, pl.Series | None]:
    """The numbers of a column, null where there is none; and a mask of invalid cells, None if all are valid."""
    import polars as pl

    if series.dtype in (pl.Null, pl.Boolean):
        return series.cast(pl.Float64), None
    if series.dtype.is_numeric():
        values = series.cast(pl.Float64)
        if values.is_finite().all():
            return values, None
        if nan_is_missing:
            values = values.fill_nan(None)
        return values, ~values.is_finite().fill_null(True)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return pl.repeat(None, series.len(), dtype=pl.Float64, eager=True), series.is_not_null()
    texts = series.cast(pl.String).str.strip_chars()
    values = texts.cast(pl.Float64, strict=False)
    missing = texts.is_null() | texts.str.to_lowercase().is_in((*NO_NUMBER, "nan") if nan_is_missing else NO_NUMBER)
    invalid = ~missing & ~(values.is_not_null() & values.is_finite())
    return pl.select(pl.when(missing | ~values.is_finite()).then(None).otherwise(values)).to_series(), invalid


# Data in memory


def table_of_frame(data: Any, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A data frame, an Arrow table, a mapping of columns or a list of records as a table.

    Raises InputError for what is none of these and as `Schema.bind`.
    """
    try:
        frame = to_frame(data)
    except InputError as error:
        raise InputError(f"{name}: no table ({error}), expected a data frame or columns of one length") from None
    if not frame.height:
        raise InputError(f"{name}: a table without rows, expected {schema.expected}")
    return bound_table(frame, name, schema, columns, nan_is_missing=True)


def bound_table(
    frame: pl.DataFrame,
    name: str,
    schema: Schema,
    columns: Mapping[str, str],
    *,
    where: str = "",
    locate: Callable[[int], str] | None = None,
    nan_is_missing: bool = False,
    is_text: bool = False,
) -> Table:
    """A frame whose columns are bound to a schema. where, locate, nan_is_missing, is_text: as for `Table`.

    Raises InputError and ParameterError as `Schema.bind`.
    """
    where = where or name
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=schema.bind(frame.columns, columns, where, list_fields(frame.schema)),
        where=where,
        locate=locate or (lambda row: f"{name}: row {row}"),
        nan_is_missing=nan_is_missing or schema.nan_is_missing,
        is_text=is_text,
    )


def list_fields(schema: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that hold a list in each row."""
    import polars as pl

    return [own_name for own_name, dtype in schema.items() if isinstance(dtype, (pl.List, pl.Array))]


def type_with_article(x: object) -> str:
    """The type of an object for messages, as "an int"."""
    name = type(x).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def to_frame(data: Any) -> pl.DataFrame:
    """Data of any supported kind as a polars frame. Raises InputError with what is wrong, or the type of other data."""
    import polars as pl

    try:
        if isinstance(data, Mapping):
            return pl.DataFrame(plain_columns(data), strict=False)  # [2, 1.5] are numbers
        if isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "__arrow_c_stream__"):
            data = list(data)
            if not all(isinstance(row, Mapping) for row in data):
                raise TypeError  # polars would read tuples as columns
        try:
            return pl.DataFrame(data)
        except ImportError:  # pandas without pyarrow
            return pl.DataFrame({str(name): data[name].tolist() for name in data.columns})
    except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError) as error:
        raise InputError(str(error).partition("\n")[0] or type_with_article(data)) from None


def plain_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with NumPy's object arrays as lists, of which polars infers the type."""
    object_columns = {name for name, column in data.items() if getattr(column, "dtype", None) == np.dtype(object)}
    return {name: list(column) if name in object_columns else column for name, column in data.items()}


# Names


def find_column(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The column with the first of these names that occurs, in any case and with blanks around it; None without one."""
    column_of_name = {column.strip().lower(): column for column in reversed(columns)}
    return next((column_of_name[name] for name in names if name in column_of_name), None)


def is_number(text: str) -> bool:
    """Whether Python reads the text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_index_name(column: str) -> bool:
    """Whether a column of this name is the index of a data frame of pandas, which has none."""
    return not column.strip() or column.startswith(INDEX)


def list_columns(columns: Sequence[str]) -> str:
    """The names of the columns, for a message."""
    return first_names(map(repr, columns), 8)


def shorten_value(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
