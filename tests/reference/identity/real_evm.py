"""A node of a real chain, where npm can bring one: wallets deployed on it, and what is asked of it."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import tarfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from conformance.craft.identity.wallet import keccak256
from conformance.target.patience import until

NODE = "@foundry-rs/anvil-linux-amd64@1.7.1"
VALIDATOR = "@ambire/signature-validator@1.3.1"
# of the program that clients send in order to have a signature judged (EIP-6492), 1792 bytes
VALIDATOR_SHA256 = "ee4f10dc27735f5f8fd686ddf765fe4f124a45dd339581347f53a1b0c8dfe24c"
PATIENCE_S = 240
_SALT = bytes(32)
_LISTENING = re.compile(r"Listening on (127\.0\.0\.1:\d+)")

# deploys its call data by CREATE2 with a salt of zeros
FACTORY = bytes.fromhex("365f5f375f365f5ff55f526014600cf3")
# answers isValidSignature: with zeros; not at all; by a revert
REFUSING, SILENT, REVERTING = (bytes.fromhex(code) for code in ("60205ff3", "00", "5f5ffd"))


def owned(owner: bytes) -> bytes:
    """Write a wallet (ERC-1271) that takes the signatures of one key: 65 bytes over the hash itself."""
    words = "6004355f5260a43560f81c602052606435604052608435606052"  # hash, v, r, s
    recover = "60205f60805f60015afa50"
    compare = "5f5173" + owner.hex() + "14"
    return bytes.fromhex(words + recover + compare + "631626ba7e60e01b025f5260205ff3")


def creating(code: bytes) -> bytes:
    """Write what deploys a code of fewer than 256 bytes."""
    return bytes([0x60, len(code), 0x80, 0x60, 0x09, 0x3D, 0x39, 0x3D, 0xF3]) + code


@dataclass(frozen=True, kw_only=True)
class RealChain:
    """A running node, and the validator program that clients use."""

    url: str
    validator: bytes

    def ask(self, method: str, *params: object) -> Any:  # noqa: ANN401 - whatever JSON has
        """Make a call; the result, or the error object."""
        return ask(self.url, method, *params)

    def deploy(self, code: bytes) -> bytes:
        """Deploy a contract with this code; its address."""
        return bytes.fromhex(self.send(data=creating(code))["contractAddress"][2:])

    def send(self, *, data: bytes, to: bytes | None = None) -> dict[str, Any]:
        """Send a transaction and wait until it is in a block; its receipt."""
        # as little gas as does not fail would not be enough for what is called on the way
        transaction = {"from": self.ask("eth_accounts")[0], "data": "0x" + data.hex(), "gas": hex(1_000_000)}
        if to is not None:
            transaction["to"] = "0x" + to.hex()
        name = self.ask("eth_sendTransaction", transaction)
        receipt = until(lambda: self.ask("eth_getTransactionReceipt", name), bool)
        assert receipt["status"] == "0x1", receipt
        return dict(receipt)

    def has_code(self, account: bytes) -> bool:
        return bool(self.ask("eth_getCode", "0x" + account.hex(), "latest") != "0x")


def ask(url: str, method: str, *params: object) -> Any:  # noqa: ANN401 - as above
    """Make a JSON-RPC call; the result, or the error object."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - a node started here
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - as above
        answer = json.loads(response.read())
    return answer["error"] if "error" in answer else answer["result"]


def deployed_by(factory: bytes, creation: bytes) -> bytes:
    """Name the account that the factory deploys when called with a creation."""
    return keccak256(b"\xff" + factory + _SALT + keccak256(creation))[-20:]


@contextmanager
def real_chain(folder: Path) -> Iterator[RealChain]:
    """Start a node from packages unpacked in a folder; skip the test where they cannot be had."""
    unpacked = _packed(folder, NODE)
    validator = _validator(_packed(folder, VALIDATOR))
    command = [str(unpacked / "bin" / "anvil"), "--host", "127.0.0.1", "--port", "0", "--chain-id", "31337"]
    log = folder / "node.log"
    with log.open("w", encoding="utf-8") as out, subprocess.Popen(command, cwd=folder, stdout=out) as process:
        try:
            listening = until(lambda: _LISTENING.search(log.read_text(encoding="utf-8")), bool)
            assert listening is not None, "the node does not listen"
            yield RealChain(url=f"http://{listening[1]}", validator=validator)
        finally:
            process.kill()


def _packed(folder: Path, package: str) -> Path:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(f"{package} runs on Linux x86_64 only")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"there is no npm to bring {package}")
    into = folder / package.split("/")[1].replace("@", "-")
    into.mkdir()
    try:
        packed = subprocess.run(
            [npm, "pack", "--silent", package], cwd=into, capture_output=True, text=True, timeout=PATIENCE_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"npm does not bring {package}: {type(error).__name__}")
    with tarfile.open(into / packed.stdout.split()[-1]) as archive:
        archive.extractall(into, filter="data")
    return into / "package"


def _validator(package: Path) -> bytes:
    found = re.search("0x(60[0-9a-f]{3000,})", (package / "index.js").read_text(encoding="utf-8"))
    assert found is not None
    code = bytes.fromhex(found[1])
    assert sha256(code).hexdigest() == VALIDATOR_SHA256
    return code
