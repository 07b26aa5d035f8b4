#!/usr/bin/env bash
# Renews requirements.lock: every dependency pinned with its hashes. Needs `uv` on the PATH.
set -euo pipefail
cd "$(dirname "$0")/.."
uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
  --no-header --no-annotate --no-emit-index-url -o requirements.lock "$@"
