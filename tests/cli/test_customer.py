"""`pannier customer` takes away what is kept of somebody, and forgets it."""

import asyncio
import zipfile
from itertools import count
from pathlib import Path

import pytest

from cli import shell
from customers.mall import Mall
from privacy.traces import where
from stage import SECRET, Firm, House

pytestmark = pytest.mark.slow


async def test_a_customer_is_exported_and_erased(
    acme: Firm, house: House, database_url: str, tmp_path: Path
) -> None:
    made, _ = await Mall(acme, count(1)).visitor(name="Ada zzyzx")

    async def pannier(*words: str) -> tuple[int, str]:
        done = await asyncio.to_thread(
            shell.run, tmp_path, "customer", *words, database_url=database_url, secret=SECRET
        )
        return done.returncode, done.stdout + done.stderr

    target = tmp_path / "ada.zip"
    assert (await pannier("export", made["id"], "--output", str(target)))[0] == 0
    assert b"Ada zzyzx" in zipfile.ZipFile(target).read("customer.json")
    code, said = await pannier("export", made["id"], "--format", "json", "--output", "-")
    assert (code, said[:12]) == (0, '{"customer":')
    code, said = await pannier("export", "customer_nobody")
    assert (code, said.count("\n")) == (1, 1)
    assert await pannier("erase", made["id"]) == (0, f"{made['id']} is erased.\n")
    assert await where(house, "zzyzx", made["phone"]) == {}
