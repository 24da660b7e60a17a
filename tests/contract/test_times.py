"""Times that nobody means: refused by name wherever one may be sent, harmless where one lies."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import asyncpg
import pytest
from click.testing import CliRunner

from contract.test_every_route import addressed, caller_for
from pannier.cli import pannier
from pannier.orders import sweep
from pannier.web.times import to_rfc3339
from probe import paths
from stage import Firm, House

Json = dict[str, Any]

# What is sent for each format: before, after, and before only when the offset is minded.
BEYOND: Final = {
    "date-time": ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+12:00"),
    "date": ("0001-01-01", "9999-12-31"),
}


def test_spelling_never_fails() -> None:
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    for zone in (UTC, east, west):
        for moment in (datetime(1, 1, 1, tzinfo=zone), datetime(9999, 12, 31, 23, tzinfo=zone)):
            assert to_rfc3339(moment).endswith("Z")


# Where a device's own clock speaks. A wrong one is corrected, and nothing that is said is lost:
# see `test_device_protocols.py`.
CLOCKS: Final = ("/ingest/", "/int/v1/fleet-module/device")
# Of many fixes at once each is refused by itself.
BY_ITEM: Final = {"positions[0].recorded_at"}
# Each order of a batch has its own refusal.
BATCH: Final = "/v1/orders/batch"


class Walk:
    """Finds every time that may be sent, in a document that says so."""

    def __init__(self, document: Json) -> None:
        self.document = document

    def operations(self) -> Iterator[tuple[str, str, Json]]:
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                told = method == "post" and path.startswith(CLOCKS)
                if method in {"get", "post", "put", "patch", "delete"} and not told:
                    yield method, path, operation

    def requests(self, operation: Json) -> Iterator[tuple[str, Json]]:
        """Make a request for each time beyond, and tell which field it is in."""
        for name, kind in self._filters(operation):
            yield from ((name, {"params": {name: value}}) for value in BEYOND[kind])
        for name, kind in set(self._fields(operation)):
            yield from ((name, {"json": holding(name, value)}) for value in BEYOND[kind])

    def _filters(self, operation: Json) -> Iterator[tuple[str, str]]:
        for parameter in operation.get("parameters", []):
            schema = parameter.get("schema", {})
            if parameter.get("in") == "query" and schema.get("format") in BEYOND:
                yield parameter["name"], schema["format"]

    def _fields(self, operation: Json) -> Iterator[tuple[str, str]]:
        content = operation.get("requestBody", {}).get("content", {})
        yield from self._times("", content.get("application/json", {}).get("schema", {}), ())

    def _times(self, path: str, schema: Json, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        reference = schema.get("$ref")
        if reference is not None and reference not in above:
            found = self.document["components"]["schemas"][reference.rpartition("/")[2]]
            yield from self._times(path, found, (*above, reference))
        if schema.get("format") in BEYOND:
            yield path, schema["format"]
        for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            yield from self._times(path, choice, above)
        for name, inner in schema.get("properties", {}).items():
            yield from self._times(f"{path}.{name}".strip("."), inner, above)
        if isinstance(schema.get("items"), dict):
            yield from self._times(f"{path}[0]", schema["items"], above)


def holding(path: str, value: str) -> Any:
    """Build the body in which a path leads to a value."""
    built: Any = value
    for part in reversed(path.replace("[0]", ".0").split(".")):
        built = [built] if part == "0" else {part: built}
    return built


@pytest.mark.slow
async def test_every_time_that_may_be_sent_is_refused_by_name_beyond_1970_and_2100(
    acme: Firm,
) -> None:
    walk, sent = Walk((await acme.api.get("/openapi.json")).json()), set()
    for method, path, operation in walk.operations():
        requests = list(walk.requests(operation))
        address = await addressed(path, acme) if requests else ""
        client = await caller_for(acme, path)
        for name, request in requests:
            sent.add(name)
            answer = await client.request(method, address, **request)
            assert name in BY_ITEM or path == BATCH or name in paths(answer), (
                f"{method} {path}: {answer.text}"
            )
            assert "between the years 1970 and 2100" in answer.text
    assert {
        "scheduled_at", "time_window_start", "recorded_at", "captured_at", "expires_at", "since",
        "until", "on", "date", "license_expiry", "waypoints[0].time_window_end", "filter.since",
        "payload.waypoints[0].time_window_start",
    } <= sent  # fmt: skip


async def test_a_form_is_no_way_around_it(acme: Firm) -> None:
    address = await addressed("/v1/orders/{order_id}/capture-signature", acme)
    answer = await acme.api.post(
        address,
        data={"captured_at": "9999-12-31T23:59:59Z"},
        files={"signature": ("signature.png", b"x")},
    )
    assert "captured_at" in paths(answer)


def test_nor_is_the_command_line() -> None:
    ran = CliRunner().invoke(pannier, ["webhook", "replay", "--since", "0001-01-01T00:00:00Z"])
    assert ran.exit_code == 2
    assert "between the years 1970 and 2100" in ran.output.replace("\n", " ")


@pytest.mark.parametrize("year", ["0001-01-01", "9999-12-31"])
async def test_a_time_that_came_in_some_other_way_fails_no_list_and_no_step(
    acme: Firm, rival: Firm, house: House, year: str
) -> None:
    body = {"pickup": "1 Raffles Place", "dropoff": "2 Raffles Place", "adhoc": True}
    order = (await acme.api.post("/v1/orders", json=body)).json()["id"]
    driver = await addressed("/v1/drivers/{driver_id}", acme)
    await acme.api.post(f"{driver}/track", json={"latitude": 1.3, "longitude": 103.8})
    due = {**body, "scheduled_at": to_rfc3339(house.clock.now() + timedelta(minutes=1))}
    theirs = (await rival.api.post("/v1/orders", json=due)).json()["id"]
    async with house.database.transaction() as db:
        for statement in (
            f"update orders set scheduled_at = '{year}Z' where public_id = '{order}'",
            f"update waypoints set time_window_start = '{year}Z'",
            f"update whereabouts set located_at = '{year}Z'",
        ):
            await db.execute(statement)
    house.clock.advance(minutes=5)
    while await sweep.step(house.database):
        pass
    assert (await rival.api.get(f"/v1/orders/{theirs}")).json()["dispatched"]
    for path in ("/v1/orders", f"/v1/orders/{order}", driver):
        answer = await acme.api.get(path)
        assert answer.status_code == 200, answer.text
        assert year in answer.text


UNREADABLE: Final = ("infinity", "-infinity", "0044-03-15 12:00:00 BC", "290000-01-01")
UNBOUNDED: Final = """
    select array_agg(table_name || '.' || column_name) from information_schema.columns
        join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'
      and data_type in ('timestamp with time zone', 'timestamp without time zone', 'date')
      and not exists (
        select from pg_constraint where contype = 'c' and conrelid = table_name::regclass
          and pg_get_constraintdef(oid) like '%(' || column_name || ' >= ''0001-01-01%')"""


@pytest.mark.parametrize("moment", UNREADABLE)
async def test_no_time_that_cannot_be_read_gets_into_the_database_in_any_way(
    acme: Firm, house: House, moment: str
) -> None:
    body = {"pickup": "1 Raffles Place", "dropoff": "2 Raffles Place"}
    assert (await acme.api.post("/v1/orders", json=body)).status_code == 201
    with pytest.raises(asyncpg.CheckViolationError):
        async with house.database.transaction() as db:
            await db.execute(f"update orders set scheduled_at = '{moment}'")
    assert (await acme.api.get("/v1/orders")).status_code == 200


async def test_every_column_of_a_time_has_that_bound(house: House) -> None:
    assert await house.value(UNBOUNDED) is None
