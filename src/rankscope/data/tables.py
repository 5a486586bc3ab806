"""Tables: the columns that a format has, bound to those that a file or a data frame has, and their cells.

A `Schema` is bound to the header before a row is parsed, so that a missing column, two columns of one name and a
column that the user calls otherwise are found first. A `Table` gives ids and numbers, and says where a row stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import first_names, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ID",
    "LIST",
    "NUMBER",
    "Codes",
    "Column",
    "Schema",
    "Table",
    "bound_table",
    "find_column",
    "list_columns",
    "require_column",
    "shorten_value",
    "table_of_frame",
    "to_frame",
    "type_with_article",
]


#: Texts of cells without a number, in lower case. NaN is none of them: it is what failed computations leave.
NO_NUMBER = ("", "na", "n/a", "null", "none", "-")
ID, NUMBER, LIST = "id", "number", "list"
#: Numbers of ids: unsigned, of the size that their number needs.
Codes = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a format.

    Attributes
    ----------
    name
        What it is called here, and in messages.
    aliases
        Other names by which it is found, in lower case.
    kind
        "id": text, always, so that 007 stays 007. "number": a finite number, or nothing. "choice": one of `choices`.
        "list": a list in each row.
    required
        Whether a table without it is refused.
    unique
        Whether a value may stand only once.
    choices
        The values of a choice, in lower case.
    """

    name: str
    aliases: tuple[str, ...] = ()
    kind: str = ID
    required: bool = False
    unique: bool = False
    choices: tuple[str, ...] = ()

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
    forms
        Sets of columns, of which a table must have one; if it has several, the first counts, and columns of the others
        are not read. Columns in no form are optional.
    elsewhere
        Names of columns in other tables that are read with the same names of columns; they are skipped.
    """

    columns: tuple[Column, ...]
    expected: str
    more_numbers: bool = False
    forms: tuple[tuple[str, ...], ...] = ()
    elsewhere: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

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
        refuse_bad_header(header, where, unnamed=not self.more_numbers)
        our_names = [column.name for column in self.columns]
        names = {name: column for name, column in names.items() if name in our_names or name not in self.elsewhere}
        for name, column_name in names.items():
            if name not in our_names:
                expected = join_names(dict.fromkeys((*our_names, *self.elsewhere)))
                raise ParameterError(
                    f"columns (--columns) has {name!r}, expected some of {expected}, as {our_names[0]}=NAME"
                )
            if column_name not in header:
                raise InputError(
                    f"{where}: no column {column_name!r}, which columns (--columns) names, among {list_columns(header)}"
                )
        bound = dict(names)
        for column in self.columns:
            is_list = column.kind == LIST
            free = [name for name in header if name not in bound.values() and (name in lists) == is_list]
            found = bound.get(column.name) or find_column(free, column.names)
            if found is not None:
                bound[column.name] = found
            elif column.required:
                raise self.missing_column(column.name, header, where)
        return self.first_form(bound, names, header, where) if self.forms else bound

    def first_form(
        self, bound: dict[str, str], names: Mapping[str, str], header: Sequence[str], where: str
    ) -> dict[str, str]:
        """The columns of the first form that is complete and has those that the user names, and optional ones."""
        in_forms = {name for form in self.forms for name in form}
        forms = [form for form in self.forms if set(names) & in_forms <= set(form)] or self.forms
        form = next((form for form in forms if bound.keys() >= set(form)), None)
        if form is None:
            missing = next(name for name in forms[0] if name not in bound)
            for column in self.columns:
                own_name = find_column(header, column.names)
                if column.kind == LIST and column.name in in_forms and own_name not in (None, *bound.values()):
                    raise InputError(
                        f"{where}: no column {missing!r} among {list_columns(header)}; {own_name} holds no lists, "
                        "expected a list in each row, as JSON writes it"
                    )
            raise self.missing_column(missing, header, where)
        return {name: column for name, column in bound.items() if name in form or name not in in_forms}

    def missing_column(self, name: str, header: Sequence[str], where: str) -> InputError:
        """The error for a table without this column."""
        column = self.column(name)
        return InputError(
            f"{where}: no column {name!r} among {list_columns(header)}; rename one of them (also understood: "
            f"{', '.join(column.aliases)}), or say which it is: --columns {name}=NAME (in Python columns=)"
        )


def refuse_bad_header(header: Sequence[str], where: str, *, unnamed: bool) -> None:
    """Raise InputError for two columns of one name; for a column without a name, or where `unnamed`, for two."""
    seen: dict[str, str] = {}
    for number, name in enumerate(header, 1):
        key = name.strip().lower()
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
    """

    frame: pl.DataFrame
    name: str
    schema: Schema
    columns: Mapping[str, str]
    where: str
    locate: Callable[[int], str]
    nan_is_missing: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def more_columns(self) -> list[str]:
        """The columns that the schema does not name."""
        bound = set(self.columns.values())
        return [name for name in self.frame.columns if name not in bound]

    def number_columns(self) -> list[str]:
        """Those of `more_columns` that hold numbers: most of their cells that are not empty."""
        return [name for name in self.more_columns if is_number_column(self.frame[name])]

    def require(self, name: str) -> str:
        """The column's own name. Raises InputError if there is none."""
        if name not in self.columns:
            raise self.schema.missing_column(name, self.frame.columns, self.where)
        return self.columns[name]

    def ids(self, name: str) -> pl.Series:
        """The texts of a column. Raises InputError for an empty cell, for another type, and where one stands twice."""
        import polars as pl

        own_name = self.require(name)
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
        empty = texts.is_null() | (texts == "")
        if empty.any():
            raise InputError(
                f"{self.locate(int(empty.arg_true()[0]))}: {own_name} is empty, expected an id; fill it in or drop the "
                "row"
            )
        column = self.schema.column(name)
        if column.kind == "choice" and not (valid := texts.str.to_lowercase().is_in(list(column.choices))).all():
            row = int((~valid).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {own_name} is {texts[row]!r}, expected one of {', '.join(column.choices)}"
            )
        if column.unique:
            self.refuse_repeated_ids(name, texts)
        return texts

    def refuse_repeated_ids(self, name: str, texts: pl.Series) -> None:
        """Raise InputError where an id of this column stands twice."""
        if texts.n_unique() < texts.len():
            row = int((~texts.is_first_distinct()).arg_true()[0])
            first = int((texts == texts[row]).arg_true()[0])
            raise InputError(
                f"{self.locate(row)}: {self.columns[name]} {texts[row]!r} stands a second time, the first is at "
                f"{self.locate(first)}; keep one of the two"
            )

    def codes(self, name: str) -> tuple[list[str], Codes]:
        """The distinct ids of a column in their order, and the number of each row's id among them."""
        import polars as pl

        texts = self.ids(name)
        distinct = texts.unique(maintain_order=True)
        codes = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
        return distinct.to_list(), codes

    def numbers(self, own_name: str, *, expected: str = "") -> Floats:
        """The numbers of a column by its own name, NaN where a cell is empty.

        Raises InputError for text, infinity and NaN; and for an empty cell where `expected` says what a number must be.
        """
        import polars as pl

        series = self.frame[own_name]
        if series.dtype == pl.Boolean:
            series = series.cast(pl.Float64)
        values, invalid = to_numbers(series, self.nan_is_missing)
        if invalid is not None and invalid.any():
            row = int(invalid.arg_true()[0])
            advice = "it" if expected else "it, or leave the cell empty where there is no value"
            raise InputError(
                f"{self.locate(row)}: {own_name} is {shorten_value(series[row])}, expected "
                f"{expected or 'a finite number'}; correct {advice}"
            )
        if expected and values.null_count():
            row = int(values.is_null().arg_true()[0])
            cell = "empty" if series[row] in (None, "") else shorten_value(series[row])
            raise InputError(
                f"{self.locate(row)}: {own_name} is {cell}, expected {expected}; fill it in or drop the row"
            )
        return np.asarray(values.fill_null(float("nan")).to_numpy(), np.float64)


def is_number_column(series: pl.Series) -> bool:
    """Whether most cells of a column that are not empty hold numbers: the others are then mistakes."""
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return True
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    values, invalid = to_numbers(series, True)
    n_invalid = 0 if invalid is None else int(invalid.sum())
    return values.len() - values.null_count() >= max(n_invalid, 1)


def to_numbers(series: pl.Series, nan_is_missing: bool) -> tuple[pl.Series, pl.Series | None]:
    """The numbers of a column, null where there is none; and a mask of invalid cells, None if all are valid."""
    import polars as pl

    if series.dtype == pl.Null:
        return series.cast(pl.Float64), None
    if series.dtype.is_numeric():
        values = series.cast(pl.Float64)
        if values.is_finite().all():
            return values, None
        if nan_is_missing:
            values = values.fill_nan(None)
        return values, ~values.is_finite().fill_null(True)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series, series.is_not_null()
    texts = series.cast(pl.String).str.strip_chars()
    values = texts.cast(pl.Float64, strict=False)
    missing = texts.is_null() | texts.str.to_lowercase().is_in(NO_NUMBER)
    invalid = ~missing & ~(values.is_not_null() & values.is_finite())
    return pl.select(pl.when(missing | ~values.is_finite()).then(None).otherwise(values)).to_series(), invalid


# Data in memory


def table_of_frame(data: Any, name: str, schema: Schema, columns: Mapping[str, str]) -> Table:
    """A data frame, an Arrow table, a mapping of columns or a list of records as a table.

    Raises InputError for what is none of these and as `Schema.bind`.
    """
    import polars as pl

    try:
        frame = to_frame(data)
    except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else type_with_article(data)
        raise InputError(f"{name}: no table ({reason}), expected a data frame or columns of one length") from None
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
) -> Table:
    """A frame whose columns are bound to a schema. where, locate, nan_is_missing: as for `Table`.

    Raises InputError and ParameterError as `Schema.bind`.
    """
    import polars as pl

    where = where or name
    lists = [own_name for own_name, dtype in frame.schema.items() if isinstance(dtype, (pl.List, pl.Array))]
    return Table(
        frame=frame,
        name=name,
        schema=schema,
        columns=schema.bind(frame.columns, columns, where, lists),
        where=where,
        locate=locate or (lambda row: f"{name}: row {row}"),
        nan_is_missing=nan_is_missing,
    )


def type_with_article(x: object) -> str:
    name = type(x).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def to_frame(data: Any) -> pl.DataFrame:
    """Data of any supported kind as a polars frame."""
    import polars as pl

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


def plain_columns(data: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with NumPy's object arrays as lists, of which polars infers the type."""
    object_columns = {name for name, column in data.items() if getattr(column, "dtype", None) == np.dtype(object)}
    return {name: list(column) if name in object_columns else column for name, column in data.items()}


# Names


def find_column(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The column with the first of these names that occurs, in any case and with blanks around it; None without one."""
    column_of_name = {column.strip().lower(): column for column in reversed(columns)}
    return next((column_of_name[name] for name in names if name in column_of_name), None)


def list_columns(columns: Sequence[str]) -> str:
    """The names of the columns, for a message."""
    return first_names(map(repr, columns), 8)


def require_column(columns: Sequence[str], field: str, names: Sequence[str], where: str) -> str:
    """The column that holds a field, by one of its names, ours first. Raises InputError where it is missing."""
    column = find_column(columns, names)
    if column is None:
        raise InputError(
            f"{where}: no column {field!r} among {list_columns(columns)}; rename one of them to {field} (also "
            f"understood: {', '.join(names[1:])})"
        )
    return column


def shorten_value(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
