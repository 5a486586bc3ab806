"""Results: what all of them inherit, their text for a terminal and their tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rankscope._version import __version__
from rankscope.data.section import Section, wrap_sentence
from rankscope.data.text import replace_invalid_utf8
from rankscope.errors import ParameterError, in_one_line
from rankscope.registry import resolve

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Result",
    "as_text",
]


class Result:
    """What every result inherits: its text, its tidy table, its signature, and what a notebook shows.

    A result is a frozen dataclass with `eq=False, repr=False`. It declares `COLUMNS`, `notes`, `records`,
    `signature_parts` and `contents`, and names its view.
    """

    #: The function that makes its sections, as "module:name". It is loaded when first needed: so views import results,
    #: and results never import views.
    VIEW: ClassVar[str] = ""
    #: The columns of the tidy table.
    COLUMNS: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # a real attribute would be the default of the dataclasses' fields

        @property
        def notes(self) -> Sequence[str]: ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return self.COLUMNS

    def records(self) -> Iterable[tuple[Any, ...]]:
        """The rows of the tidy table: texts and numbers, NaN where there is no value."""
        raise NotImplementedError

    def signature_parts(self) -> Sequence[str]:
        """Every setting that changes the numbers, as "alpha:0.05"."""
        raise NotImplementedError

    def contents(self) -> str:
        """What it holds, in a few words."""
        raise NotImplementedError

    def json_head(self) -> Mapping[str, Any]:
        """What stands beside the rows of the tidy table in JSON; without it JSON is the list of rows."""
        return {}

    def signature(self) -> str:
        """Every setting that changes the numbers, and the version, in one line."""
        return " | ".join([*self.signature_parts(), f"rankscope {__version__}"])

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        import polars as pl

        rows = [[replace_invalid_utf8(x) if isinstance(x, str) else x for x in row] for row in self.records()]
        frame = pl.DataFrame(
            {name: [row[index] for row in rows] for index, name in enumerate(self.columns)}, strict=False
        )
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_pandas(self) -> Any:
        """The tidy table as a data frame of pandas. Raises ParameterError where pandas is not installed."""
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise ParameterError("to_pandas: pandas is not installed; pip install pandas, or call frame()") from None
        return pd.DataFrame(self.frame().to_dict(as_series=False))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The tidy table for any library that reads Arrow, as `pyarrow.table(result)`."""
        stream: object = self.frame().__arrow_c_stream__(requested_schema)
        return stream

    def plot(self, name: str | None = None) -> Any:
        """Draw one of the result's figures.

        Parameters
        ----------
        name
            Name of the figure; a wrong one is answered with all that this result has. Default: the first.

        Returns
        -------
        Chart
            An Altair chart, to show, to change or to save.

        Raises
        ------
        ParameterError
            The result has no such figure, or Altair is not installed.
        """
        return resolve("rankscope.reporting.notebook:plot_result")(self, name)

    def render(self, format: str = "table", *, details: bool = False) -> str:
        """The result as text in one of the output formats, as `--format` writes it.

        Parameters
        ----------
        format
            table, csv, json, jsonl, latex or markdown.
        details
            With the folded sections; csv, json and jsonl hold the tidy table.

        Returns
        -------
        str
            The text, which ends with a newline.

        Raises
        ------
        UnknownName
            The format does not exist.

        Examples
        --------
        >>> import rankscope as rs
        >>> scores = rs.evaluate({"q": {"a": 1}}, rs.Run({"q": {"a": 1.0}}, name="one"), "RR")
        >>> print(scores.render("csv"), end="")
        system,measure,query,value
        one,RR,all,1.0
        """
        text: str = resolve("rankscope.reporting.tables:render_result")(self, format, details=details)
        return text

    def sections(self) -> Sequence[Section]:
        """What a terminal, a page and a notebook show."""
        sections: Sequence[Section] = resolve(self.VIEW)(self)
        return sections

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.contents()})"

    def _repr_html_(self) -> str:
        html: str = resolve("rankscope.reporting.notebook:result_html")(self)
        return html


def as_text(result: Result, *, details: bool = False) -> str:
    """A result as the terminal shows it: its sections, then signature and notes. details: with the folded sections."""
    blocks = []
    for section in result.sections():
        if section.folded and not details:
            continue
        paragraphs = [wrap_sentence(section.sentence)] if section.sentence else []
        paragraphs += ["\n".join(section.table.lines())] if section.table is not None else []
        paragraphs += ["\n".join(f"note: {in_one_line(note)}" for note in section.notes)] if section.notes else []
        if paragraphs:
            blocks.append("\n\n".join([section.title, *paragraphs] if section.title else paragraphs))
    footer = "\n".join([result.signature(), *(f"note: {in_one_line(note)}" for note in result.notes)])
    return "\n\n\n".join(blocks) + "\n\n" + footer
