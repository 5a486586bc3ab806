# Needs Python 3.11+ and make; everything else goes into .venv here.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Test files are shared out to so many processes.
WORKERS ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Compiling thousands of modules takes longer than the rest; those that are used are compiled then.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt

.PHONY: demo torch scale test test-all lint docs bench bench-learn clean

demo: $(VENV)/.installed
	$(BIN)/rankscope demo rankscope-demo --overwrite

# PyTorch, which some tests ask for and are skipped without: `make torch test` runs these, too. It is no part of `dev`,
# since on Linux the registry's newest build comes with gigabytes for GPUs.
torch: $(VENV)/.torch

# Dask, which the tests of clusters ask for and are skipped without.
scale: $(VENV)/.scale

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist loadfile

test-all: $(VENV)/.dev lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The generated page of measures.
docs: $(VENV)/.installed
	$(BIN)/rankscope measures --format markdown -o docs/measures.md

# Runs every benchmark beside its peers and prints the ratios; a quarter of an hour.
bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py

# Rankers on MQ2007, and their rows in docs/benchmarks.md; a quarter of an hour.
bench-learn: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py --only learning --write

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rankscope needs Python 3.11 or later; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[report,learn]'
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(INSTALL) --editable '.[dev]'
	touch $@

$(VENV)/.torch: $(VENV)/.dev
	$(INSTALL) --editable '.[torch]'
	touch $@

$(VENV)/.scale: $(VENV)/.dev
	$(INSTALL) --editable '.[scale]'
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) --editable '.[bench]'
	# It asks for NumPy below 2 and does not need it.
	$(PIP) install --no-deps rbo==0.1.3 tqdm
	touch $@

clean:
	rm -rf $(VENV) rankscope-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
