"""Colours that the colour-blind tell apart, and the contrast between two of them.

The hues are those of Okabe and Ito (2008), the palest of them left out: each has a contrast of at least 3 with white
and with the dark ground, as WCAG 2.2 (1.4.11) asks of graphics. No figure says anything by colour alone.
"""

from __future__ import annotations

__all__ = ["BLUE", "DARK", "DIVERGING", "SEQUENTIAL", "SERIES", "VERMILLION", "between", "contrast", "ink_on"]

BLUE = "#0072B2"
VERMILLION = "#D55E00"
#: Lines, in this order.
SERIES = (BLUE, VERMILLION, "#009E73", "#CC79A7", "#A67400", "#767676")
#: Below, at and above 0.
DIVERGING = (VERMILLION, "#FFFFFF", BLUE)
#: From none to all.
SEQUENTIAL = ("#FFFFFF", BLUE)
#: The ground of a dark figure.
DARK = "#161616"


def channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Relative luminance in [0, 1]. Source: WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours in [1, 21]; text needs 4.5, other marks 3. Source: WCAG 2.2, 1.4.3 and 1.4.11.

    >>> round(contrast("#000000", "#FFFFFF"), 6)
    21.0
    """
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def between(colours: tuple[str, ...], place: float) -> str:
    """The colour at `place` in [0, 1] of a scale of colours, as Vega interpolates them in RGB.

    >>> between(("#000000", "#FFFFFF"), 0.5)
    '#808080'
    """
    at = min(max(place, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(at), len(colours) - 2)
    share = at - first
    mixed = [
        round(a + share * (b - a)) for a, b in zip(channels(colours[first]), channels(colours[first + 1]), strict=True)
    ]
    return "#" + "".join(f"{c:02X}" for c in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever stands out from a colour; the contrast is never below 4.5."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, colour))
