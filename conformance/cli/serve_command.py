"""`xmtp-conformance serve`: the embedded backend on a port, for trying clients and the suite itself."""

from __future__ import annotations

import sys

import click

from conformance.reference.backend.program import main


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), default=5050, help="The port on 127.0.0.1; 0 picks a free one.")
@click.option("--data", type=click.Path(file_okay=False), required=True, help="The folder that holds its data.")
def serve_command(port: int, data: str) -> None:
    """Serve the embedded backend until interrupted."""
    sys.exit(main(["serve", "--port", str(port), "--data", data]))
