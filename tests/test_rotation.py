"""Another secret for the installation: nothing that was given out stops working."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pannier import rotation
from pannier.accounts.queries import STORES
from pannier.accounts.stores import service as stores
from pannier.customers import departures
from pannier.customers.departures import Departure
from pannier.db import Database, PageIn
from pannier.installation import InstallationError, check_secret
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.webhooks import sealed
from pannier.webhooks.switch import WEBHOOKS
from pannier.worker import Worker
from probe import refused
from proofs.evidence import Courier
from stage import SECRET, Firm, House

NEW, NEWER = "another secret that is long enough too", "and one more, for whoever comes after that"
HOOK = {"url": "https://hooks.example.com/", "events": ["*"], "headers": {"X-Token": "their own"}}
TRUST = {"c": {"app_id": "1234", "app_secret": "very-secret"}}
Restart = Callable[..., None]


@pytest.fixture
def restart(house: House) -> Iterator[Restart]:
    """Start everything anew with other secrets."""

    def started(*secrets: str) -> None:
        house.database.keys = Keyring(secrets[0], secrets[1:])

    yield started
    started(SECRET)


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


async def rotated(house: House, restart: Restart) -> int:
    """Take the new secret into use, as `pannier secret rotate` does."""
    await check_secret(house.database)
    restart(NEW, SECRET)
    await check_secret(house.database)
    assert await rotation.is_in_progress(house.database)
    count = await rotation.finish_rotation(house.database)
    assert not await rotation.is_in_progress(house.database)
    return count


async def opened(database: Database, firm: Firm, hook: dict[str, Any]) -> list[Any]:
    """Open all that is sealed."""
    async with database.reading() as db:
        [store] = (await STORES.load_page(db, STORES.where(firm.uuid), PageIn())).rows
        webhook = await WEBHOOKS.get(db, firm.uuid, hook["id"])
        trust = store.providers.c
        assert trust is not None
        return [
            stores.unseal(database.keys, store.uuid, trust.app_secret),
            sealed.open_active_secrets(database.keys, webhook, db.now),
            sealed.open_headers(database.keys, webhook),
        ]


async def test_links_pages_answers_and_sessions_outlive_the_secret(
    house: House, acme: Firm, restart: Restart
) -> None:
    file = (await acme.api.post("/v1/files", json={"data": "aGVsbG8="})).json()
    for name in ("One", "Two"):
        await acme.api.post("/v1/contacts", json={"name": name})
    page = await acme.admin.get("/int/v1/keys?limit=1")
    cursor = page.json()["meta"]["next_cursor"]
    keyed = {"json": {"name": "Three"}, "headers": {"Idempotency-Key": "once"}}
    first = await acme.api.post("/v1/contacts", **keyed)
    await rotated(house, restart)
    link = file["url"].removeprefix(house.settings.base_url)
    assert (await house.client().get(link)).content == b"hello"
    assert (await acme.admin.get(f"/int/v1/keys?limit=1&cursor={cursor}")).status_code == 200
    again = await acme.api.post("/v1/contacts", **keyed)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"


async def test_what_was_sealed_opens_with_the_new_secret_alone(
    house: House, acme: Firm, restart: Restart
) -> None:
    hook = (await acme.admin.post("/int/v1/webhooks", json=HOOK)).json()
    shop = (await acme.admin.get("/int/v1/storefronts")).json()["data"][0]["id"]
    await acme.admin.patch(f"/int/v1/storefronts/{shop}", json={"providers": TRUST})
    before = await opened(house.database, acme, hook)
    assert before == ["very-secret", [hook["secret"]], {"X-Token": "their own"}]
    assert await rotated(house, restart) == 2
    assert (
        await rotation.finish_rotation(house.database) == 0
    )  # a second time there is nothing to do
    restart(NEW)
    await check_secret(house.database)
    assert await opened(house.database, acme, hook) == before


async def test_whoever_is_killed_in_the_middle_begins_again(
    house: House, acme: Firm, restart: Restart
) -> None:
    hooks = [(await acme.admin.post("/int/v1/webhooks", json=HOOK)).json() for _ in range(2)]
    await check_secret(house.database)
    restart(NEW, SECRET)
    async with house.database.transaction() as db:  # one of two is done, and then we die
        row = await WEBHOOKS.get(db, acme.uuid, hooks[0]["id"])
        await db.update("webhooks", row.uuid, **sealed.reseal(db.database.keys, row))
    assert await rotation.is_in_progress(house.database)
    assert await rotation.finish_rotation(house.database) == 1
    restart(NEW)
    async with house.database.reading() as db:
        for hook in hooks:
            row = await WEBHOOKS.get(db, acme.uuid, hook["id"])
            assert sealed.open_active_secrets(house.database.keys, row, db.now) == [hook["secret"]]


async def test_proofs_of_an_old_key_verify_when_its_secret_is_forgotten(
    house: House, courier: Courier, restart: Restart, clock: ManualClock
) -> None:
    order = await courier.order()
    old = await courier.scanned(order)
    clock.advance(days=30)
    await rotated(house, restart)
    clock.advance(days=1)
    new = await courier.scanned(order, code="4006381333948")
    await check_secret(house.database)
    clock.advance(days=30)
    restart(NEWER, NEW)
    await rotation.finish_rotation(house.database)
    restart(NEWER)
    for proof in (old, new):
        found = await courier.get(f"proofs/{proof['id']}/verify")
        assert found["valid"], found["faults"]
    keys = (await house.client().get("/.well-known/jwks.json")).json()["keys"]
    by_name = {key["kid"]: key for key in keys}
    first, second = (by_name[proof["integrity"]["key_id"]] for proof in (old, new))
    assert (first["successor"], second["began_at"]) == (second["kid"], first["ended_at"])
    assert second["ended_at"] is not None
    assert len(keys) == 3


@pytest.mark.parametrize(
    "change",
    [
        "voucher = set_bit(voucher, 9, 1 - get_bit(voucher, 9))",
        "ended_at = ended_at + interval '1 day'",
        "began_at = began_at - interval '1 day'",
        "successor = key_id",
    ],
)
async def test_a_key_is_believed_only_as_its_successor_vouched_for_it(
    house: House, courier: Courier, restart: Restart, change: str
) -> None:
    proof = await courier.scanned(await courier.order())
    await rotated(house, restart)
    restart(NEW)
    assert (await courier.get(f"proofs/{proof['id']}/verify"))["valid"]
    async with house.database.transaction() as db:
        await db.execute(f"update proof_keys set {change} where successor is not null")
    assert not (await courier.get(f"proofs/{proof['id']}/verify"))["signature_valid"]


async def test_a_machine_that_missed_the_new_secret_signs_nothing_and_does_not_start(
    house: House, courier: Courier, restart: Restart
) -> None:
    order = await courier.order()
    await courier.scanned(order)
    await rotated(house, restart)
    restart(SECRET)
    answer = await courier.send(order, "capture-qr", code="4006381333948")
    refused(answer, 503, "key_replaced")
    with pytest.raises(InstallationError, match="does not match this database"):
        await check_secret(house.database)


def test_all_that_is_kept_sealed_is_known_to_the_rotation() -> None:
    source = Path(rotation.__file__).parent
    sealing = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "keys.seal(" in path.read_text()
    }
    assert sealing == {
        "accounts/stores/service.py",
        "customers/departures.py",
        "webhooks/sealed.py",
        "web/idempotency.py",  # gone in a month
    }


async def test_what_providers_granted_is_sealed_anew(
    house: House, acme: Firm, restart: Restart
) -> None:
    await check_secret(house.database)
    store = await house.value("select uuid from stores where company = :company", company=acme.uuid)
    async with house.database.transaction() as db:
        row = Departure(
            uuid=db.new_uuid(), company=acme.uuid, store=store, kind="provider_grant", party="a",
            sealed=departures.seal(db.database.keys, store, "a grant"), created_at=db.now,
            due_at=db.now,
        )  # fmt: skip
        await db.insert("departures", row)
    assert await rotated(house, restart) == 1
    restart(NEW)
    kept = await house.value("select sealed from departures")
    assert departures.unseal(house.database.keys, store, kept) == "a grant"


async def test_a_heartbeat_from_the_future_delays_no_rotation(
    house: House, restart: Restart, clock: ManualClock
) -> None:
    clock.advance(days=120)
    await Worker(house.database, []).record_heartbeat()
    clock.advance(days=-120)
    restart(NEW, SECRET)
    assert await rotation.count_outdated_workers(house.database) == 0
    restart(SECRET)
    await Worker(house.database, []).record_heartbeat()
    restart(NEW, SECRET)
    assert await rotation.count_outdated_workers(house.database) == 1
