"""Print docs/modules.md: every module with the first sentence of its docstring (`make docs`)."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "rankscope"


def first_sentence(path: Path) -> str:
    """Of the docstring, on one line."""
    doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")


def page() -> str:
    """A heading for each folder, its modules below."""
    lines = ["# All modules", "", "Made by `make docs` from the first lines of the modules."]
    for folder in sorted({path.parent for path in SOURCE.rglob("*.py")}):
        name = "/".join(["rankscope", *folder.relative_to(SOURCE).parts])
        lines += ["", f"## {name}", "", first_sentence(folder / "__init__.py"), "", "| module | |", "|:--|:--|"]
        modules = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
        lines += [f"| `{path.stem}` | {first_sentence(path)} |" for path in modules]
        if not modules:
            del lines[-3:]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
