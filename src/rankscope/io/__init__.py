"""Reading qrels, runs and other data from files, and writing results. Every error names file and line."""

from rankscope.io.read import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
