"""Evaluation: judgments and runs in, scores out."""
