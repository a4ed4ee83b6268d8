# make up     set up what is missing and run Baton (ARGS="--port 9000" passes options)
# make test   everything that CI runs

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
TESTS ?= tests
JOBS ?= 2

# The first Python on the path that is new enough.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python; do \
	if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then \
	echo "$$name"; break; fi; done)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all:

.PHONY: help up test check lint format types contracts migrations pins clean $(VENV)
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# \(make.*\)/\1/p' Makefile

$(VENV): $(VENV)/.runtime

$(VENV)/.runtime: requirements.txt
	@test -n "$(PYTHON)" || { \
		echo "Baton needs Python 3.12 or newer, with venv; found: $$(python3 --version 2>&1 || echo none)." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(BIN)/python -c '' 2>/dev/null || { echo "Making $(VENV)"; rm -rf $(VENV); "$(PYTHON)" -m venv $(VENV); }
	@echo "Installing what Baton needs"
	@$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt
	@echo "Installing what its tests need"
	@$(INSTALL) -r requirements-dev.txt
	@touch $@

up: $(VENV)/.runtime
	@exec $(BIN)/python manage.py up $(ARGS)

check: lint types contracts migrations

test: check
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(TESTS) $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

migrations: $(VENV)/.dev
	$(BIN)/python manage.py makemigrations --check --dry-run

pins: $(VENV)/.dev
	$(BIN)/python -m venv $(VENV)/pins
	$(VENV)/pins/bin/pip install --quiet uv
	$(VENV)/pins/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header \
		--no-emit-index-url pyproject.toml --output-file requirements.txt $(ARGS)
	$(VENV)/pins/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header \
		--no-emit-index-url --group dev pyproject.toml --output-file requirements-dev.txt $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
