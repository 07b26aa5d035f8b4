"""The command `xmtp-conformance`, one module per subcommand."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

import click

import conformance

if TYPE_CHECKING:
    from collections.abc import Sequence

# subcommand -> module and attribute that hold it; imported only when used, so that every command starts fast
_COMMANDS = {
    "explain": ("ledger_commands", "explain_command"),
    "lint": ("lint_command", "lint_command"),
    "list": ("ledger_commands", "list_command"),
    "prove": ("prove_command", "prove_command"),
    "report": ("report_command", "report_command"),
    "run": ("run_command", "run_command"),
    "serve": ("serve_command", "serve_command"),
    "spec": ("spec_commands", "spec_group"),
}


class _LateGroup(click.Group):
    """A group whose commands are imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[cmd_name]
        found = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return found if isinstance(found, click.Command) else None


@click.group(cls=_LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(conformance.__version__, prog_name="xmtp-conformance")
def group() -> None:
    """Conformance suite for the XMTP backend API and message-sending contracts."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0, 1 or 3 as the verdicts say, 2 for a usage or set-up error."""
    # The transport's own log lines would stand between ours.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    group.main(args=arguments, prog_name="xmtp-conformance")
