"""trec_eval 10.0 and 9.0.8: options, measures by its names, kinds of judgments, output."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.compat.trec_eval.evaluation import trec_eval as trec_eval
    from rankscope.compat.trec_eval.measure_lines import NICKNAMES as NICKNAMES
    from rankscope.compat.trec_eval.measure_lines import ONLY_10 as ONLY_10
    from rankscope.compat.trec_eval.measure_lines import QRELS_NICKNAMES as QRELS_NICKNAMES
    from rankscope.compat.trec_eval.measure_lines import MeasureLine as MeasureLine
    from rankscope.compat.trec_eval.measure_lines import parse_measure_lines as parse_measure_lines
    from rankscope.compat.trec_eval.options import JUDGMENT_KINDS as JUDGMENT_KINDS
    from rankscope.compat.trec_eval.options import PREFERENCES as PREFERENCES
    from rankscope.compat.trec_eval.options import QRELS as QRELS
    from rankscope.compat.trec_eval.options import QRELS_GROUPS as QRELS_GROUPS
    from rankscope.compat.trec_eval.options import QRELS_PREFERENCES as QRELS_PREFERENCES
    from rankscope.compat.trec_eval.options import VERSIONS as VERSIONS
    from rankscope.compat.trec_eval.options import Options as Options
    from rankscope.compat.trec_eval.output import MissingQuery as MissingQuery

HOMES = {
    "JUDGMENT_KINDS": "options",
    "MeasureLine": "measure_lines",
    "MissingQuery": "output",
    "NICKNAMES": "measure_lines",
    "ONLY_10": "measure_lines",
    "Options": "options",
    "PREFERENCES": "options",
    "QRELS": "options",
    "QRELS_GROUPS": "options",
    "QRELS_NICKNAMES": "measure_lines",
    "QRELS_PREFERENCES": "options",
    "VERSIONS": "options",
    "parse_measure_lines": "measure_lines",
    "trec_eval": "evaluation",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
