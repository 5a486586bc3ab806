"""TREC's qrels and runs, MS MARCO's runs, and advice on files that are neither."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.io.trec.diagnose import line_advice as line_advice
    from rankscope.io.trec.diagnose import looks_like_rank_table as looks_like_rank_table
    from rankscope.io.trec.format import QRELS as QRELS
    from rankscope.io.trec.format import RUN as RUN
    from rankscope.io.trec.format import SUBTOPIC_QRELS as SUBTOPIC_QRELS
    from rankscope.io.trec.format import advise_on_line as advise_on_line
    from rankscope.io.trec.format import read_rows as read_rows
    from rankscope.io.trec.format import stream_rows as stream_rows
    from rankscope.io.trec.preference_judgments import read_preference_judgments as read_preference_judgments

HOMES = {
    "advise_on_line": "format",
    "QRELS": "format",
    "RUN": "format",
    "SUBTOPIC_QRELS": "format",
    "line_advice": "diagnose",
    "looks_like_rank_table": "diagnose",
    "read_preference_judgments": "preference_judgments",
    "read_rows": "format",
    "stream_rows": "format",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
