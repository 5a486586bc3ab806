"""Drop-ins are called as the other commands are."""

from cli.conftest import cli, folder

__all__ = ["cli", "folder"]
