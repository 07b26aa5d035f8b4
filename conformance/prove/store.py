"""What was proved so far, kept in a file so that an interrupted proof goes on where it stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.prove.matrix import Verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.prove.jobs import Job


class ProofFile:
    """Finished jobs of one state of the suite, one JSON line each. Lines of another state are not looked at."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        self._digest = digest
        path.parent.mkdir(parents=True, exist_ok=True)

    def done(self) -> dict[str, Verdicts]:
        """The jobs that need not be run again, by key.

        A run that went wrong is run again, and so is one whose line was cut short by a kill.
        """
        if not self._path.exists():
            return {}
        found: dict[str, Verdicts] = {}
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry["digest"] == self._digest and not entry["error"]:
                found[entry["key"]] = Verdicts(
                    subject=entry["subject"], seed=entry["seed"], words=entry["words"], error=entry["error"]
                )
        return found

    def add(self, job: Job, verdicts: Verdicts) -> None:
        """Keep what one job found."""
        entry = {"digest": self._digest, "key": job.key, **vars(verdicts)}
        with self._path.open("a", encoding="utf-8") as file:
            # The line end comes first: whatever a kill left unfinished before it stays a line of its own.
            file.write("\n" + json.dumps(entry))
