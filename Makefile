.DEFAULT_GOAL := help
.PHONY: help setup run test fast faults lint types bench docs lock
RUN := .venv/bin

help: ## List what make can do
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: ## Set everything up (quick when nothing changed)
	@scripts/setup

run: setup ## Set everything up and start Pannier on http://127.0.0.1:8000
	@exec $(RUN)/pannier serve

test: setup lint types ## Set everything up and run the whole suite
	@$(RUN)/python -m pytest -n 2

fast: setup ## Run the everyday tests (under 90 seconds)
	@$(RUN)/python -m pytest -n 2 -m "not slow"

faults: setup ## Kill workers 200 times and count
	@PANNIER_FAULTS=whole $(RUN)/python -m pytest -s tests/faults/test_webhook_kills.py

lint: setup ## Check style and the arrows between packages
	@$(RUN)/ruff format --check -q . && $(RUN)/ruff check -q . && $(RUN)/lint-imports --no-logo

types: setup ## Check the types
	@$(RUN)/mypy

bench: setup ## Measure the promises against their floor
	@for script in bench/*.py; do echo "== $$script"; $(RUN)/python $$script || exit 1; done

docs: setup ## Write the generated pages of docs/ anew
	@$(RUN)/python scripts/docs.py

lock: setup ## Resolve requirements/*.in anew
	@$(RUN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q requirements/run.in -o requirements/run.txt
	@$(RUN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q -c requirements/run.txt requirements/dev.in -o requirements/dev.txt
