"""The drop-ins are called as the other commands are."""

from cli.conftest import cli, folder
from helpers.dunaiski_tables import tables

__all__ = ["cli", "folder", "tables"]
