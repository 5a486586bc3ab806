"""Agreement with people on the translations of a segment (`rankscope.agreement.segments`)."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.segment_level.agreement import AVERAGE as AVERAGE
    from rankscope.agreement.segment_level.agreement import SegmentAgreement as SegmentAgreement
    from rankscope.agreement.segment_level.agreement import agree_on_segments as agree_on_segments
    from rankscope.agreement.segment_level.agreement import agreement_on_pair as agreement_on_pair
    from rankscope.agreement.segment_level.agreement import refuse_unordered as refuse_unordered
    from rankscope.agreement.segment_level.agreement import segments as segments
    from rankscope.agreement.segment_level.view import ROWS_UNFOLDED as ROWS_UNFOLDED

HOMES = {
    "AVERAGE": "agreement",
    "ROWS_UNFOLDED": "view",
    "SegmentAgreement": "agreement",
    "agree_on_segments": "agreement",
    "agreement_on_pair": "agreement",
    "refuse_unordered": "agreement",
    "segments": "agreement",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
