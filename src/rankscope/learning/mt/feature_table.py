"""Features of translations as a table: a row an output, named by language pair, system and segment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.errors import InputError, UnknownName
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KEYS", "TranslationFeatures"]


#: The columns before those of the features.
KEYS = ("pair", "system", "segment")


@dataclass(frozen=True, eq=False, kw_only=True)
class TranslationFeatures:
    """Features of one language pair, as `translation_features` gives them.

    values: (systems, segments, features) finite numbers. names: of the features. pair: perhaps "". notes: what a reader
    should know. settings: what changes the numbers. Raises InputError for shapes that do not fit,
    names that occur twice or are those of other columns, and numbers that are not finite.

    >>> table = TranslationFeatures(
    ...     pair="de-en", systems=("A", "B"), segments=("1",), names=("length",), values=np.array([[[2.0]], [[3.0]]])
    ... )
    >>> list(table.records())
    [('de-en', 'A', '1', 2.0), ('de-en', 'B', '1', 3.0)]
    """

    pair: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    names: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...] = ()
    settings: str = ""

    def __post_init__(self) -> None:
        expected = (len(self.systems), len(self.segments), len(self.names))
        if self.values.shape != expected:
            raise InputError(f"features of shape {self.values.shape}, expected {expected}: systems, segments, features")
        taken = [*KEYS, *self.names]
        again = next((name for i, name in enumerate(taken) if name in taken[:i]), None)
        if again is not None:
            raise InputError(f"two columns are called {again!r}, expected a name of its own for each; rename one")
        if not np.isfinite(self.values).all():
            system, segment, name = (int(i) for i in np.argwhere(~np.isfinite(self.values))[0])
            value = self.values[system, segment, name]
            raise InputError(
                f"feature {self.names[name]!r} of system {self.systems[system]!r}, segment {self.segments[segment]} is "
                f"{value:g}, expected a finite number"
            )

    def __len__(self) -> int:
        """How many outputs."""
        return len(self.systems) * len(self.segments)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the table."""
        return (*KEYS, *self.names)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the table, system after system."""
        for system, rows in zip(self.systems, self.values, strict=True):
            for segment, row in zip(self.segments, rows.tolist(), strict=True):
                yield (self.pair, system, segment, *row)

    def frame(self) -> pl.DataFrame:
        """The table as a polars frame."""
        import polars as pl

        systems = pl.Series(self.systems, dtype=pl.String).gather(np.arange(len(self)) // len(self.segments))
        segments = pl.Series(self.segments, dtype=pl.String).gather(np.arange(len(self)) % len(self.segments))
        flat = self.values.reshape(len(self), len(self.names))
        keys = {
            "pair": pl.repeat(self.pair, len(self), dtype=pl.String, eager=True),
            "system": systems,
            "segment": segments,
        }
        return pl.DataFrame(keys | {name: flat[:, i] for i, name in enumerate(self.names)})

    def select(self, names: Iterable[str]) -> TranslationFeatures:
        """Some of the features, in this order. Raises UnknownName."""
        wanted = tuple(names)
        for name in wanted:
            if name not in self.names:
                raise UnknownName("feature of this table", name, self.names)
        places = [self.names.index(name) for name in wanted]
        return replace(self, names=wanted, values=self.values[:, :, places])
