"""What becomes of runs that cannot be read: the first ends all, or each is left out with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError, UnknownName

if TYPE_CHECKING:
    from rankscope.evaluation.sources import JoinedRun

__all__ = ["ON_ERROR", "check_on_error", "for_each_run"]

ON_ERROR = ("stop", "skip")


def check_on_error(on_error: str) -> None:
    """Raises UnknownName for what is neither."""
    if on_error not in ON_ERROR:
        raise UnknownName("value of on_error (--on-error)", str(on_error), ON_ERROR)


def for_each_run(runs: Sequence[Any], join: Callable[[int], JoinedRun], on_error: str) -> list[JoinedRun]:
    """Each run, joined; with "skip" those that cannot be are left out, and the first of the others bears the notes.

    join: of the run at this place; called for one after the other. Raises what it raises: InputError with "stop", and
    where no run is left; with either whatever is no fault of the data.
    """
    found: list[JoinedRun] = []
    notes: list[str] = []
    for place in range(len(runs)):
        try:
            found.append(join(place))
        except InputError as error:
            if on_error == "stop" or (place == len(runs) - 1 and not found):
                raise
            notes.append(f"a run is left out (on_error:skip): {error}")
    if notes:
        found[0] = found[0]._replace(notes=(*notes, *found[0].notes))
    return found
