"""A shop's orders reach us once each, through both clients, over a connection that breaks."""

import csv
import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from clients.packages import ROOT, Packages
from faults.breaking import BREAKS, breaking
from program import PATIENCE, Serving

pytestmark = pytest.mark.slow

WHOLE: Final = os.environ.get("PANNIER_FAULTS") == "whole"
ORDERS: Final = 500 if WHOLE else 60
CUSTOMERS: Final = ORDERS // 4
COLUMNS: Final = ("number", "pickup", "dropoff", "name", "phone", "amount")
GUIDE: Final = ROOT / "docs" / "guide" / "clients.md"
# The guide's programs wait as long as is right for the Internet.
HASTE: Final = {
    "python": ("max_retries=12", "max_retries=12, min_seconds=0.002, max_seconds=0.02"),
    "ts": ("maxRetries: 12", "maxRetries: 12, minDelayMs: 2, maxDelayMs: 20"),
}
# What each program reads back at the end, over the same connection.
READ_BACK: Final = {
    "python": """
import json, sys
print(json.dumps([each for each in shop.orders.list(limit=40, sort="created_at")]))
""",
    "ts": """
const all = await shop.orders.list({ limit: 40, sort: "created_at" }).toArray();
console.log(JSON.stringify(all));
""",
}

# The same for asyncio, with eight orders at once and the keys that the client makes.
AT_ONCE: Final = """
import asyncio, csv, json, os
from pathlib import Path

from pannier_client import AsyncClient, RetryPolicy

retry = RetryPolicy(max_retries=12, min_seconds=0.002, max_seconds=0.02)


async def main():
    gate = asyncio.Semaphore(8)

    async def send(row):
        async with gate:
            return await shop.orders.create(
                internal_id=row["number"],
                pickup=row["pickup"],
                dropoff=row["dropoff"],
                customer={"name": row["name"], "phone": row["phone"]},
                cod_amount=int(row["amount"]),
                cod_currency="SGD",
            )

    async with AsyncClient(os.environ["PANNIER"], os.environ["API_KEY"], retry=retry) as shop:
        with Path("orders.csv").open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        for row, order in zip(rows, await asyncio.gather(*map(send, rows))):
            print(row["number"], order["id"])
        orders = shop.orders.list(limit=40, sort="created_at")
        print(json.dumps([order async for order in orders]))


asyncio.run(main())
"""


def write_program(language: str, folder: Path) -> str:
    """Write the guide's program that sends the orders of a file."""
    if language == "asyncio":
        (folder / "shop.py").write_text(AT_ONCE)
        return "shop.py"
    blocks = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    first = blocks[0]
    [sending] = [block for block in blocks if "orders.csv" in block]
    text = f"{first}\n{sending}".replace(*HASTE[language])
    assert HASTE[language][1] in text
    name = "shop.py" if language == "python" else "shop.mjs"
    # The first call of all has the client of usual patience.
    head = [line for line in text.splitlines() if "company" not in line]
    (folder / name).write_text("\n".join([*head, READ_BACK[language]]))
    return name


def write_orders(folder: Path, prefix: str) -> list[dict[str, str]]:
    """Write a shop's file: customers order more than once."""
    chance = random.Random(prefix)
    rows = []
    for number in range(ORDERS):
        buyer = chance.randrange(CUSTOMERS)
        rows.append(
            {
                "number": f"{prefix}-{number}",
                "pickup": "1 Raffles Place",
                "dropoff": f"{number} Mandai Lake Road",
                "name": f"{prefix} buyer {buyer}",
                "phone": f"+65{80_000_000 + len(prefix) * 10_000 + buyer}",
                "amount": str(chance.randrange(10_000)),
            }
        )
    with (folder / "orders.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=";", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def read_all(client: httpx.Client, path: str, **query: str) -> list[dict[str, Any]]:
    """Read a whole list, without a client of ours."""
    found: list[dict[str, Any]] = []
    link: str | None = str(httpx.URL(path, params={"limit": "100", **query}))
    while link:
        answer = client.get(link).raise_for_status()
        found += answer.json()
        link = answer.links.get("next", {}).get("url")
    return found


def to_books(orders: list[dict[str, Any]], prefix: str) -> dict[str, tuple[int, str]]:
    """Return the amount and the customer of each of a shop's orders."""
    ours = [each for each in orders if (each["internal_id"] or "").startswith(f"{prefix}-")]
    assert len(ours) == ORDERS, "each order is there once"
    return {each["internal_id"]: (each["cod_amount"], each["customer"]["name"]) for each in ours}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", ["python", "asyncio", "ts"])
def test_a_shops_orders_arrive_once_each_over_a_connection_that_breaks(
    client_packages: Packages, served: Serving, tmp_path: Path, language: str
) -> None:
    rows, name = write_orders(tmp_path, language), write_program(language, tmp_path)
    run = client_packages.run_node if language == "ts" else client_packages.run_python
    key = served.said("API key")
    with breaking(served.url, seed=len(language)) as (proxy, address):
        said = run(tmp_path, name, PANNIER=address, API_KEY=key).splitlines()
    *printed, read_back = said
    asked = sum(proxy.fates.values())
    assert asked > ORDERS * 1.5
    assert all(abs(proxy.fates[fate] - asked / 9) < 1 for fate in BREAKS), proxy.fates
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=PATIENCE) as client:
        stored = read_all(client, "/v1/orders")
        contacts = read_all(client, "/v1/contacts", query=f"{language} buyer")
    expected = {row["number"]: (int(row["amount"]), row["name"]) for row in rows}
    assert to_books(stored, language) == expected
    assert to_books(json.loads(read_back), language) == expected
    ids = {each["internal_id"]: each["id"] for each in stored}
    assert [line.split() for line in printed] == [
        [each["number"], ids[each["number"]]] for each in rows
    ]
    buyers = Counter(contact["name"] for contact in contacts)
    assert buyers == Counter({row["name"] for row in rows})
    print(f"{asked} requests for {ORDERS} orders, {dict(proxy.fates)}")  # noqa: T201 - the counts are the result
