"""Files to Qrels and Runs, and results to files. Every error names file and line."""

from rankscope.io.read import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
