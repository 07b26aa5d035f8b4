"""Validates results against the JSON Schema that ships with the suite."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from conformance.verdict.errors import ResultsError

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_LONGEST_EXCERPT = 200


def validate(results: object) -> None:
    """Raise ResultsError, naming the place and the problem in one sentence, unless `results` match the schema."""
    problem = best_match(_validator().iter_errors(cast("Any", results)))
    if problem is not None:
        text = problem.message
        if len(text) > _LONGEST_EXCERPT:
            text = f"{text[:_LONGEST_EXCERPT]}..."
        raise ResultsError(f"the results do not match schema xmtp-conformance/results/1 at {problem.json_path}: {text}")


@cache
def _validator() -> Validator:
    text = (files("conformance.verdict") / "schema" / "results-1.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
