"""The audit log can be downloaded whole, as its filters show it, by admins."""

import csv
import io
import json
from typing import Any

import pytest

from pannier.accounts import audit_export
from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm

AUDIT = "/int/v1/audit"
EXPORT = f"{AUDIT}/export"


async def make_keys(firm: Firm, clock: ManualClock, count: int = 5) -> None:
    for number in range(count):
        given = {"kind": "api", "name": f"=Key {number}"}
        await firm.admin.post("/int/v1/keys", json=given)
        clock.advance(hours=1)


async def lines(firm: Firm, **asked: Any) -> list[dict[str, Any]]:
    answer = await firm.admin.get(EXPORT, params={"format": "ndjson", **asked})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_export, "ROWS_PER_PAGE", 2)


async def test_lines_are_the_entries_of_the_list_over_all_pages(
    acme: Firm, rival: Firm, clock: ManualClock
) -> None:
    await make_keys(rival, clock)
    await make_keys(acme, clock)
    listed = (await acme.admin.get(AUDIT, params={"limit": 100})).json()["data"]
    assert await lines(acme) == listed[::-1]
    [third] = [entry for entry in listed if entry["details"].get("name") == "=Key 2"]
    assert await lines(acme, subject=third["subject"]) == [third]
    since = third["created_at"]
    assert (await lines(acme, since=since, action="key.created"))[0] == third
    assert len(await lines(acme, since=since)) == 3
    assert third not in await lines(acme, until=since)
    assert await lines(acme, actor="operator_nobody") == []


async def test_no_cell_of_the_table_is_a_formula(acme: Firm, clock: ManualClock) -> None:
    renamed = await acme.admin.patch("/int/v1/me", json={"name": "=1+1"})
    assert renamed.status_code == 200, renamed.text
    await make_keys(acme, clock, 3)
    answer = await acme.admin.get(f"{EXPORT}?action=key.created")
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="audit-20260115T' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [json.loads(row["after"]).get("name") for row in rows[-3:]] == [
        "=Key 0", "=Key 1", "=Key 2",
    ]  # fmt: skip
    assert {row["actor_name"] for row in rows[-3:]} == {"'=1+1"}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@"))]


async def test_it_is_for_admins(acme: Firm) -> None:
    for role in ("viewer", "dispatcher", "billing"):
        refused(await (await acme.operator(role)).get(EXPORT), 403, "forbidden")
    refused(await acme.api.get(EXPORT), 401, "unauthenticated")
    refused(await acme.admin.get(f"{EXPORT}?format=xml"), 422, "unknown_value")
