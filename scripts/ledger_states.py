"""Sets the state of every clause in the ledger by the marks of the suite: tested where a test covers it, else planned.

Prints the clauses whose state it changed.
"""

from __future__ import annotations

import re
from pathlib import Path

from conformance.plugin.marks import collect_marks

LEDGER = Path(__file__).resolve().parent.parent / "conformance" / "ledger"
TABLE = re.compile(r"^\[((?:API|SEND)-\d{3}\.[a-z0-9.]+)\]$")
STATE = re.compile(r'^state = "(tested|planned)"$')


def main() -> None:
    """Rewrite the two ledger files in place."""
    marked = {clause for clauses in collect_marks().values() for clause in clauses}
    for path in (LEDGER / "api.toml", LEDGER / "send.toml"):
        clause = ""
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if found := TABLE.match(line):
                clause = found[1]
            elif found := STATE.match(line):
                state = "tested" if clause in marked else "planned"
                if state != found[1]:
                    print(f"{clause}: {found[1]} -> {state}")
                    lines[number] = f'state = "{state}"'
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
