"""Build the wheel and the sdist, install the wheel in an empty environment away from the source, and use it.

There the examples of the README run, Python and command line, and `rankscope demo` makes a collection whose first
command is run. Nothing of the checkout is on the path.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(*command: object, folder: Path, env: dict[str, str]) -> str:
    """What it prints; the job ends where it fails."""
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=env, text=True, stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def built(folder: Path) -> Path:
    """The wheel; the wheel and the sdist are looked into."""
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder, env=dict(os.environ))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    inside = zipfile.ZipFile(wheel).namelist()
    sources = [str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")]
    missing = sorted({path.replace(os.sep, "/") for path in sources} - set(inside))
    if missing:
        raise SystemExit(f"{wheel.name} lacks {missing[:5]}")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    lacking = {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/conftest.py"} - names
    if lacking:
        raise SystemExit(f"{sdist.name} lacks {sorted(lacking)}")
    print(f"{wheel.name}: {len(inside)} files; {sdist.name}: {len(names)}")
    return wheel


def examples(folder: Path, env: dict[str, str]) -> int:
    """Run the README's blocks where the demo's files are, and compare what they print. Gives how many there are."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = BLOCK.findall(text)
    python = "".join(block for kind, block in blocks if kind == "python")
    (folder / "readme.txt").write_text(python, "utf-8")
    script = (
        f"import doctest, sys; sys.exit(doctest.testfile('readme.txt', False, optionflags={doctest.ELLIPSIS}).failed)"
    )
    print(run("python", "-c", script, folder=folder, env=env), end="")
    for step in (step for kind, block in blocks if kind == "console" for step in block.split("$ ")[1:]):
        command, _, expected = step.partition("\n")
        printed = subprocess.run(command, shell=True, cwd=folder, env=env, text=True, capture_output=True, check=False)
        if printed.stdout + printed.stderr != expected:
            raise SystemExit(f"README: {command}\nexpected:\n{expected}\nprinted:\n{printed.stdout}{printed.stderr}")
    return len(blocks)


def fresh_environment(folder: Path, *requirements: object) -> dict[str, str]:
    """Install these in an empty environment, away from the source. Gives the variables for its programs."""
    run(sys.executable, "-m", "venv", "fresh", folder=folder, env=dict(os.environ))
    programs = folder / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"PATH": os.pathsep.join([str(programs), env["PATH"]]), "LC_ALL": "C.UTF-8"}
    options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--constraint", ROOT / "constraints.txt"]
    run(programs / "python", "-m", "pip", "install", *options, *requirements, folder=folder, env=env)
    place = run("python", "-c", "import rankscope; print(rankscope.__file__)", folder=folder, env=env)
    if not Path(place.strip()).is_relative_to(folder.resolve()):
        raise SystemExit(f"rankscope was imported from {place.strip()}, expected the new environment")
    return env


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        env = fresh_environment(folder, f"{built(folder)}[report,learn]")
        run(shutil.which("rankscope", path=env["PATH"]), "demo", "rankscope-demo", folder=folder, env=env)
        count = examples(folder / "rankscope-demo", env)
        print(f"the wheel works: rankscope demo, and {count} examples of the README")


if __name__ == "__main__":
    main()
