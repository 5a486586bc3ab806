"""rankscope: evaluate rankings, compare the systems that made them.

>>> import rankscope as rs
>>> qrels = rs.Qrels({"q1": {"d1": 0, "d2": 1, "d3": 2}})
>>> rs.evaluate(qrels, {"q1": {"d1": 1.2, "d2": 0.4, "d4": 0.3}}, ["nDCG@10", "RR"]).overall("RR")
0.5
"""

from __future__ import annotations

from rankscope._version import __version__
from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.agreement.load import read_rankings, read_segment_scores
    from rankscope.comparison.compare import Comparison, compare, paper_table
    from rankscope.comparison.diff import RunDiff, diff
    from rankscope.comparison.gate import Gate, gate
    from rankscope.comparison.judges import agree_judgments, agree_labels
    from rankscope.comparison.measure_agreement import agree_measures
    from rankscope.comparison.merge_scores import join_scores
    from rankscope.comparison.plan import QueryPlan, plan
    from rankscope.comparison.standardisation import standardise
    from rankscope.consensus.leaderboard import Leaderboard, leaderboard
    from rankscope.data.entities import EntityRanks
    from rankscope.data.features import Features
    from rankscope.data.hits import Hits
    from rankscope.data.join import Convention
    from rankscope.data.metric_scores import MetricScores, PairScores
    from rankscope.data.preferences import Preferences
    from rankscope.data.qrels import Qrels
    from rankscope.data.ranking import Ranking
    from rankscope.data.rankings import Rankings
    from rankscope.data.run import Run
    from rankscope.data.scores import Scores
    from rankscope.data.spans import Spans
    from rankscope.data.votes import Votes
    from rankscope.errors import InputError, OutputError, ParameterError, RankscopeError, UnknownName
    from rankscope.evaluation.arrays import evaluate_arrays
    from rankscope.evaluation.conventions_table import ConventionTable, compare_conventions
    from rankscope.evaluation.engine import Evaluator, evaluate
    from rankscope.evaluation.joining import hits_of
    from rankscope.evaluation.read_scores import read_scores
    from rankscope.evaluation.saved_scores import write_scores
    from rankscope.io.ballots import read_votes
    from rankscope.io.convert import convert
    from rankscope.io.ideal import ideal_run
    from rankscope.io.letor import read_features, read_letor, write_features
    from rankscope.io.preferences import read_preferences
    from rankscope.io.read import read_qrels, read_run
    from rankscope.io.tables import read_entity_ranks
    from rankscope.measures.base import Measure
    from rankscope.measures.custom import define_measure
    from rankscope.measures.names import parse_measure, parse_measures
    from rankscope.reporting.report import report

__all__ = [
    "Comparison",
    "Convention",
    "ConventionTable",
    "EntityRanks",
    "Evaluator",
    "Features",
    "Gate",
    "Hits",
    "InputError",
    "Leaderboard",
    "Measure",
    "MetricScores",
    "OutputError",
    "PairScores",
    "ParameterError",
    "Preferences",
    "Qrels",
    "QueryPlan",
    "Ranking",
    "Rankings",
    "RankscopeError",
    "Run",
    "RunDiff",
    "Scores",
    "Spans",
    "UnknownName",
    "Votes",
    "__version__",
    "agree_judgments",
    "agree_labels",
    "agree_measures",
    "compare",
    "compare_conventions",
    "convert",
    "define_measure",
    "diff",
    "evaluate",
    "evaluate_arrays",
    "gate",
    "hits_of",
    "ideal_run",
    "join_scores",
    "leaderboard",
    "paper_table",
    "parse_measure",
    "parse_measures",
    "plan",
    "read_entity_ranks",
    "read_features",
    "read_letor",
    "read_preferences",
    "read_qrels",
    "read_rankings",
    "read_run",
    "read_scores",
    "read_segment_scores",
    "read_votes",
    "report",
    "standardise",
    "write_features",
    "write_scores",
]

# Where each public name lives. Loaded when first asked for, so that `import rankscope` costs nothing.
HOMES = {
    "Comparison": "comparison.compare",
    "Convention": "data.join",
    "ConventionTable": "evaluation.conventions_table",
    "EntityRanks": "data.entities",
    "Evaluator": "evaluation.engine",
    "Features": "data.features",
    "Gate": "comparison.gate",
    "Hits": "data.hits",
    "InputError": "errors",
    "Leaderboard": "consensus.leaderboard",
    "Measure": "measures.base",
    "OutputError": "errors",
    "PairScores": "data.metric_scores",
    "ParameterError": "errors",
    "Preferences": "data.preferences",
    "Qrels": "data.qrels",
    "QueryPlan": "comparison.plan",
    "Ranking": "data.ranking",
    "Rankings": "data.rankings",
    "RankscopeError": "errors",
    "Run": "data.run",
    "RunDiff": "comparison.diff",
    "Spans": "data.spans",
    "Scores": "data.scores",
    "MetricScores": "data.metric_scores",
    "UnknownName": "errors",
    "Votes": "data.votes",
    "agree_judgments": "comparison.judges",
    "agree_labels": "comparison.judges",
    "agree_measures": "comparison.measure_agreement",
    "compare": "comparison.compare",
    "compare_conventions": "evaluation.conventions_table",
    "convert": "io.convert",
    "define_measure": "measures.custom",
    "diff": "comparison.diff",
    "evaluate": "evaluation.engine",
    "evaluate_arrays": "evaluation.arrays",
    "gate": "comparison.gate",
    "hits_of": "evaluation.joining",
    "ideal_run": "io.ideal",
    "join_scores": "comparison.merge_scores",
    "leaderboard": "consensus.leaderboard",
    "paper_table": "comparison.compare",
    "parse_measure": "measures.names",
    "parse_measures": "measures.names",
    "plan": "comparison.plan",
    "read_entity_ranks": "io.tables",
    "read_features": "io.letor",
    "read_letor": "io.letor",
    "read_preferences": "io.preferences",
    "read_qrels": "io.read",
    "read_rankings": "agreement.load",
    "read_run": "io.read",
    "read_scores": "evaluation.read_scores",
    "read_segment_scores": "agreement.load",
    "read_votes": "io.ballots",
    "report": "reporting.report",
    "standardise": "comparison.standardisation",
    "write_features": "io.letor",
    "write_scores": "evaluation.saved_scores",
}


#: Packages that are reached as `rs.stats.t_test` or `rs.reporting.figures`, also loaded when first asked for.
NAMESPACES = (
    *("agreement", "consensus", "demo", "experiments", "fusion", "judging", "learning"),
    *("measures", "online", "parallel", "reporting", "stability", "stats", "translation"),
)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, NAMESPACES)
