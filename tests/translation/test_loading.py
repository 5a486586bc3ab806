"""Who loads the package: the commands that need it, and nobody else."""

import ast
import subprocess
import sys
from pathlib import Path

import rankscope

SOURCE = Path(rankscope.__file__).parent
#: The commands, and what two of them share. `predict` loads it within a function: for features of translations only.
USERS = {
    "cli/agree/wmt12.py",
    "cli/features/models.py",
    "cli/features/mt.py",
    "cli/learn/mt_experiment.py",
    "cli/learn/predict.py",
}
LOAD = """
import sys
from rankscope.cli.agree._group import COMMANDS as AGREE
from rankscope.cli.main import COMMANDS
from rankscope.registry import resolve
for name, (path, _) in {**COMMANDS, **AGREE}.items():
    if name not in ("mt-experiment", "wmt12"):
        resolve(path)
print(*sorted(name for name in sys.modules if name.startswith("rankscope.translation.")))
"""


def imports_translation(path):
    source = path.read_text("utf-8")
    return "rankscope.translation" in source and any(map(is_import_of_translation, ast.walk(ast.parse(source))))


def is_import_of_translation(node):
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").startswith("rankscope.translation")
    return isinstance(node, ast.Import) and any(alias.name.startswith("rankscope.translation") for alias in node.names)


def test_only_commands_on_translations_import_the_package():
    users = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "translation" not in path.relative_to(SOURCE).parts[0] and imports_translation(path)
    }
    assert users == USERS


def test_all_other_commands_are_loaded_without_it():
    loaded = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []
