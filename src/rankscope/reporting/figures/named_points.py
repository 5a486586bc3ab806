"""Points that bear names: where each name stands, and the line that ties one to its point where it stands far off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.reporting.figures.inputs import cell, shorten
from rankscope.reporting.figures.label_places import LINE, label_places, text_width
from rankscope.reporting.figures.style import Style
from rankscope.typing import Floats

__all__ = ["AT", "HEIGHT", "TIE", "labelled_points"]

#: Height of the plot, and what the axis at the left takes of the width, in pixels.
HEIGHT, MARGIN = 340, 66
#: A name that stands farther off than this is tied to its point by a line.
NEAR = 8.0
#: How a mark is told where names stand, and where the lines to them end, by the rows of `labelled_points`.
AT = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}
TIE = {"x2Offset": {"expr": "datum.end_x"}, "y2Offset": {"expr": "datum.end_y"}}


def labelled_points(names: Sequence[str], points: Floats, bars: Floats, style: Style) -> list[dict[str, Any]]:
    """A row a point: its name as it is written, its pixels from the point and how it is aligned; whether it is tied to
    the point by a line, and the pixels to where that ends.

    points, bars: as in `label_places`.
    """
    letters = 34 if style.narrowest >= 560 else 18
    texts = [shorten(name, letters) for name in names]
    widths = [text_width(text) for text in texts]
    wide = (style.narrowest - MARGIN,) if style.width else (style.narrowest - MARGIN, 640)
    moves = label_places(points, widths, [(width, HEIGHT) for width in wide], bars)
    rows = []
    for text, width, (dx, dy) in zip(texts, widths, moves, strict=True):
        half = width / 2
        # The line ends where the name begins.
        end = float(np.clip(0, dx - half, dx + half)), float(np.clip(0, dy - LINE / 2, dy + LINE / 2))
        # A name grows away from its point, so that a font of other widths leaves no gap.
        align = "left" if dx >= half else "right" if dx <= -half else "center"
        begin = {"left": dx - half, "right": dx + half, "center": dx}[align]
        row = {"text": text, "dx": cell(begin), "dy": cell(dy), "align": align}
        rows.append(row | {"tied": bool(np.hypot(*end) > NEAR), "end_x": cell(end[0]), "end_y": cell(end[1])})
    return rows
