"""Walks over everything of a kind: all modules, all subclasses, all commands."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterator

import click

import rankscope
from rankscope.cli.main import cli

__all__ = ["commands", "import_all", "subclasses"]


def import_all() -> list[str]:
    """Import each module of the package, and return their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers that are compiled when they are first imported
        names = [module.name for module in pkgutil.walk_packages(rankscope.__path__, "rankscope.")]
        for name in names:
            importlib.import_module(name)
    return names


def subclasses(base: type) -> set[type]:
    """All subclasses in the package, also indirect ones. Only those of imported modules are known."""
    found = {found for child in base.__subclasses__() for found in (child, *subclasses(child))}
    return {found_class for found_class in found if found_class.__module__.startswith("rankscope.")}


def commands() -> dict[str, click.Command]:
    """Each command that is not a group, by its path, as "agree labels"."""
    return dict(walk_commands(cli, ""))


def walk_commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None, name
        yield from walk_commands(child, f"{path} {name}".strip())
