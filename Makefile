# Everything a newcomer, CI and a release need. Only Python 3.11+ and make must be there before.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
OUT    ?= reports/latest
WORKERS ?= 2

.PHONY: run test env lint differential proto soak-clean prove bench clean

run: env ## run the suite against the embedded backend and print the verdict table
	$(BIN)/xmtp-conformance run -n $(WORKERS) --out $(OUT)

test: env ## lint, types and the project's own tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

env: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

bench: env ## how long runs take on this machine; figures, never a test
	$(BIN)/python benchmarks/profiles.py
	$(BIN)/python benchmarks/front.py

differential: env ## the suite's admission rules against the embedded backend's, on N objects and N updates (20000 unless given)
	DIFFERENTIAL_EXAMPLES=$(or $(N),20000) $(BIN)/python -m pytest tests/differential -q -s -k "any_object or any_update"

soak-clean: env ## N consecutive runs on the clean backend beside a busy core; resumable, logged in reports/
	$(BIN)/python scripts/soak_clean.py -n $(or $(N),50) $(if $(ONLY),-- $(foreach id,$(ONLY),--only '$(id)'))

prove: env ## every seeded fault and odd variant; keeps what reports say about the power of each clause
	$(BIN)/xmtp-conformance prove --seeds $(or $(SEEDS),1) --out reports/prove
	cp reports/prove/power.json conformance/prove/power.json

proto: env ## regenerate conformance/pb from proto/
	$(BIN)/python scripts/generate_pb.py

clean:
	rm -rf $(VENV) reports/latest .mypy_cache .ruff_cache .pytest_cache .hypothesis
