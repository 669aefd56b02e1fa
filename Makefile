# Every target makes its own virtual environment in .venv and installs what it needs.
# Another Python: make test PYTHON=python3.13 VENV=.venv-3.13; without PyTorch: EXTRAS=dev,arena

PYTHON ?= python3
EXTRAS ?= dev,train,data,play,render,window
COVERED ?= tests
QUICK := $(foreach name,actions aec arena batch cli datasets game notation players record single vector,tests/test_$(name)*.py)
GAMES ?= 100000
MINUTES ?= 120
SECONDS ?= 300
VENV := .venv
CONSTRAINTS := constraints.txt
LOWEST := .venv-lowest
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS)
DEV := $(VENV)/.installed-dev
RAY := $(VENV)/.installed-ray
BROWSER := .venv-browser/.installed

.DEFAULT_GOAL := help
.PHONY: help train train-ray test test-lowest test-libraries coverage coverage-quick lint style types imports format bench golden soak fuzz soak-training ladder docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
		{ echo "Python 3.11 or newer is needed; choose one with make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(DEV): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	$(INSTALL) setuptools
	$(INSTALL) --no-build-isolation -e ".[$(EXTRAS)]"
	@touch $@

train: $(DEV) ## train an agent for some minutes and evaluate it against bots
	$(BIN)/python -m training.train configs/quickstart.yaml --continue
	$(BIN)/python -m training.evaluate checkpoints/quickstart

$(RAY): $(DEV)
	$(INSTALL) --no-build-isolation -e ".[ray]"
	@touch $@

train-ray: $(RAY) ## the same with Ray RLlib: two runners, a league
	$(BIN)/python -m training.ray.train configs/rllib.yaml --continue
	$(BIN)/python -m training.evaluate checkpoints/my_rllib

# Marked as done only if everything is there; otherwise the next run tries again.
$(BROWSER): tests/browser.py | $(DEV)
	@if $(BIN)/python -m tests.browser; then touch $@; fi

test: $(DEV) $(BROWSER) ## run all tests
	$(BIN)/python -m pytest -n 2 $(PYTEST)

$(LOWEST)/constraints.txt: pyproject.toml constraints.txt constraints-lowest.txt .ci/lowest.py
	@mkdir -p $(@D)
	$(PYTHON) .ci/lowest.py > $@

# Old libraries call functions that newer ones have deprecated, so these warnings are no errors.
test-lowest: $(LOWEST)/constraints.txt ## run all tests with the lowest versions that pyproject.toml allows
	$(MAKE) test VENV=$(LOWEST) CONSTRAINTS=$< PYTEST="-W default::DeprecationWarning"

# Needs no $(DEV): each library has its own environment, or shares .venv-libraries.
test-libraries: ## run the examples of LIBRARIES="sb3 torchrl ..." (default: all), each built once
	$(PYTHON) -m tests.libraries $(LIBRARIES)

# Not part of `test`, because tracing makes the tests about 75% slower.
coverage: $(DEV) ## run the tests in COVERED=tests and print the coverage of Python code
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term $(PYTEST) $(COVERED)

coverage-quick: ## the same for the tests of the public Python API
	$(MAKE) coverage COVERED="$(QUICK)"

lint: style types imports ## check formatting, style, types and imports

style: $(DEV) ## check formatting and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(DEV) ## check types
	$(BIN)/mypy

imports: $(DEV) ## check that modules import only from the layers below them
	$(BIN)/lint-imports --no-logo

format: $(DEV) ## format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV) ## measure the speed of the engine and of the environments
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.environments
	$(BIN)/python -m benchmarks.training
	$(BIN)/python -m benchmarks.turns

golden: $(DEV) ## replace the golden games in tests/playthroughs
	$(BIN)/python -m tests.golden

soak: $(DEV) ## play GAMES=100000 random games, checking every step
	$(BIN)/python -m benchmarks.soak --games $(GAMES)

fuzz: $(DEV) ## fuzz everything that reads untrusted input, for SECONDS=300
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

soak-training: $(DEV) ## train and step for MINUTES=120, with ten kills and resumes
	$(BIN)/python -m benchmarks.soak_training --minutes $(MINUTES)

ladder: $(DEV) ## play each bot against copies of a weaker one, for the table in the documentation
	@mkdir -p runs
	$(BIN)/alhambra ladder --folder runs/ladder --json docs/ladder.json
	$(BIN)/python -m docs.generate

docs: $(DEV) $(BROWSER) ## write the generated tables and pictures of the documentation
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.gallery

clean: ## remove the virtual environments and caches
	rm -rf $(VENV) .venv-* .coverage .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
