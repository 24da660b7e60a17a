.DEFAULT_GOAL := help
.PHONY: help setup tools run demo test suite fast faults fuzz lint types js bench docs lock
RUN := .venv/bin
JS := frontend/node_modules
# What was compiled is kept: else every process of a run compiles the house again.
unexport PYTHONDONTWRITEBYTECODE
# Only the default index: an extra one may list the files of one platform, and the lock is for all.
LOCK := UV_INDEX= UV_FIND_LINKS= scripts/setup uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q

help: ## List what make can do
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: ## Set up what running needs (quick when nothing changed)
	@scripts/setup run

tools: ## Set up what tests and linters need as well
	@scripts/setup dev

run: setup ## Set up and start Pannier on http://127.0.0.1:8000
	@exec $(RUN)/pannier serve

demo: setup ## The same with a demo company: a city to look at, which lives while it runs
	@exec $(RUN)/pannier serve --demo

test: tools ## Set up and run everything that has to be green: linters and types, then all tests
	@$(MAKE) --no-print-directory -j 2 lint types js
	@$(MAKE) --no-print-directory suite

suite: tools ## Run all tests, with a worker for each core
	@$(RUN)/python -m pytest -n logical --dist worksteal

fast: tools ## Run the everyday tests (target: 60 seconds on two cores)
	@$(RUN)/python -m pytest -n logical --dist worksteal -m "not slow"

faults: tools ## Kill everything again and again, and count
	@PANNIER_FAULTS=whole $(RUN)/python -m pytest -s tests/faults tests/driver/test_kills.py

fuzz: tools ## Try 100 examples of each property, and 100 requests to each route
	@PANNIER_FUZZ=100 $(RUN)/python -m pytest -n logical --timeout 7200 -m "hypothesis or properties"

lint: tools ## Check style, names, texts and imports between packages
	@$(RUN)/ruff format --check -q . && $(RUN)/ruff check -q . && $(RUN)/lint-imports --no-logo
	@$(RUN)/python scripts/plain_english.py

types: tools ## Check the types
	@$(RUN)/mypy

js: tools ## Check the types and the style of the scripts, and that none import each other in a circle
	@$(JS)/@typescript/*/lib/tsc -p frontend
	@$(JS)/@typescript/*/lib/tsc -p frontend/tsconfig.workers.json
	@$(JS)/@biomejs/*/biome lint --error-on-warnings src

bench: tools ## Measure the promises against their floor, and write docs/performance.md
	@$(RUN)/python scripts/performance.py

docs: tools ## Write the generated pages of docs/ anew
	@$(RUN)/python scripts/docs.py

lock: ## Resolve requirements/*.in anew
	@$(LOCK) requirements/run.in -o requirements/run.txt
	@$(LOCK) -c requirements/run.txt requirements/dev.in -o requirements/dev.txt
	@for name in uv node cities; do $(LOCK) requirements/$$name.in -o requirements/$$name.txt; done
