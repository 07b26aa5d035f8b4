"""results.json as a file: its digest, written in one step, read back only when whole and unchanged."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, cast

from conformance.verdict.consistency import check_consistency
from conformance.verdict.errors import ResultsError
from conformance.verdict.schema import validate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.verdict.results import Results


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys, no spaces and ASCII escapes: equal values give equal bytes.

    Raises ResultsError for a value JSON cannot carry, such as NaN.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError) as error:
        raise ResultsError(f"the results hold a value that JSON cannot carry: {error}") from error


def digest_of(results: Mapping[str, object]) -> str:
    """SHA-256, in hex, over the canonical JSON of everything but the key `digest`."""
    return hashlib.sha256(canonical_json({key: results[key] for key in results if key != "digest"})).hexdigest()


def write_results(results: Results, path: Path) -> None:
    """Write results.json in one step: a reader finds the old file or the new one, never a part.

    Raises ResultsError when the results do not match their schema or digest, or the file cannot be written.
    """
    check_results(results)
    write_atomically(path, json.dumps(results, sort_keys=True, indent=1, allow_nan=False) + "\n")


def read_results(path: Path) -> Results:
    """Read results.json; raises ResultsError when it is unreadable, of another schema, or changed since written."""
    try:
        results = json.loads(path.read_bytes())
    except OSError as error:
        raise ResultsError(f"the results {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"the results {path} are not JSON; name a results.json written by this suite") from error
    check_results(results)
    return cast("Results", results)


def check_results(results: object) -> None:
    """Raise ResultsError unless the results match their schema and their digest, and agree with themselves."""
    validate(results)
    whole = cast("Results", results)
    if digest_of(whole) != whole["digest"]:
        raise ResultsError("the results do not match their digest: they were changed after they were written")
    check_consistency(whole)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file in one step; raises ResultsError when that cannot be done."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ResultsError(f"the file {path} cannot be written: {error.strerror}") from error
