"""Evaluation: judgments and runs in, scores out.

`engine` holds `evaluate` and `Evaluator`. They plan the conventions (`conventions`), join runs with judgments
(`joining`) and measure the hits (`scoring`). `read_scores` and `score_tables` read values that were computed
elsewhere.
"""
