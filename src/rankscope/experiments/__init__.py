"""Whole studies over several parts of the package."""
