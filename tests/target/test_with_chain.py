"""A deployment that asks the suite's chain: started with its address, and with a chain that knows no other case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.target.embedded import embedded
from conformance.target.errors import Missing
from conformance.target.pool import Pool
from conformance.target.source import Source
from conformance.target.with_chain import with_chain

Argv = Callable[..., list[str]]
Serve = Callable[..., str]
ACCOUNT = "0x" + "ab" * 20


def test_the_deployment_is_started_with_the_chain_of_the_pool_as_its_only_one(
    adapter_argv: Argv, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    argv = adapter_argv("--controls", "chain", "--log", str(log))
    with Pool(Source.program(argv)) as pool, with_chain(pool) as shared, with_chain(pool, alone=True) as alone:
        assert shared.stub is alone.stub is pool.chain
        assert shared.deployment is pool.deployment("chain")
        assert shared.node.connection.address != alone.node.connection.address
        asked = {shared.stub.name: shared.stub.url}
    starts = [args for command, args in map(json.loads, log.read_text().splitlines()) if command == "start"]
    assert starts == [{"chains": asked}] * 2


def test_what_one_case_tells_the_chain_the_next_one_does_not_find() -> None:
    with Pool(Source.program(embedded())) as pool:
        head = pool.chain.head
        for _ in range(2):
            with pytest.raises(ZeroDivisionError), with_chain(pool) as chain:  # noqa: PT012 - the case that breaks
                assert (chain.stub.rules, chain.stub.head) == ((), head)
                chain.stub.says(True, account=ACCOUNT)
                chain.stub.move_head(head + 7)
                _ = 1 // 0
        assert (pool.chain.rules, pool.chain.head) == ((), head)


def test_a_target_that_cannot_be_told_a_chain_lacks_it(adapter_argv: Argv, serve: Serve) -> None:
    without = r"^chain: the adapter fake does not offer it$"
    with Pool(Source.program(adapter_argv())) as pool, pytest.raises(Missing, match=without), with_chain(pool):
        pass
    fixed = Pool(Source.at(serve({"GetConfiguration": b""})))
    for alone in (False, True):
        with pytest.raises(Missing) as missing, with_chain(fixed, alone=alone):
            pass
        assert missing.value.control == "chain"
    fixed.close()


def test_the_chain_ends_with_its_pool() -> None:
    pool = Pool(Source.program(embedded()))
    chain = pool.chain
    assert pool.chain is chain
    pool.close()
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        _ = pool.chain
