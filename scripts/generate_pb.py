"""Generates conformance/pb from proto/: one flat module a file, registered in the private descriptor pool.

`generate_pb.py` rewrites conformance/pb; `generate_pb.py DIRECTORY` writes the modules there instead, which is how a
test sees whether the committed ones are stale.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
PACKAGE = ROOT / "conformance" / "pb"


def generate(destination: Path) -> None:
    """Write one `NAME_pb2.py` and one `NAME_pb2.pyi` into `destination` for every file under proto/."""
    sources = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        code = protoc.main(["protoc", f"-I{PROTO}", f"--python_out={folder}", f"--pyi_out={folder}", *sources])
        if code != 0:
            raise SystemExit("protoc refused the files under proto/; its message stands above")
        for source in sources:
            stem = source.removesuffix(".proto")
            name = stem.rsplit("/", 1)[-1]
            for suffix in ("py", "pyi"):
                text = (Path(folder) / f"{stem}_pb2.{suffix}").read_text(encoding="utf-8")
                (destination / f"{name}_pb2.{suffix}").write_text(_rehome(text, name), encoding="utf-8")


def _rehome(text: str, name: str) -> str:
    """Point one generated module at the private pool and at its flat neighbours."""
    text = re.sub(r"^from [\w.]+ import (\w+_pb2) as ", r"from conformance.pb import \1 as ", text, flags=re.MULTILINE)
    text = text.replace("from google.protobuf import descriptor_pool as _descriptor_pool\n", "")
    text = text.replace("from google.protobuf import symbol_database as _symbol_database\n", "")
    text = text.replace("_sym_db = _symbol_database.Default()\n", "from conformance.pb.pool import POOL as _POOL\n")
    text = text.replace("_descriptor_pool.Default()", "_POOL")
    text = re.sub(r"\b_Mapping([\],])", r"_Mapping[str, object]\1", text)
    return re.sub(r"(BuildTopDescriptorsAndMessages\(DESCRIPTOR, )'[\w.]+'", rf"\1'conformance.pb.{name}_pb2'", text)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
