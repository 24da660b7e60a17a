"""Photos of messages: processed like those of proofs, sent once, and deleted with the message."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx

from console.reading import sent_by
from console.seat import Seat
from orders.shop import CHANGI, RAFFLES, Phone, Shop
from pannier.conversations import sweep
from pannier.conversations.erasure import erase_messages
from pannier.files.service import delete_held_files
from probe import refused
from proofs import drawn
from stage import Firm, House

LIST = "/v1/driver-messages"
PATH = f"{LIST}/with-photos"


def pictures(count: int) -> list[str]:
    return [drawn.text(drawn.photo(turn)) for turn in range(count)]


async def kept(house: House) -> int:
    count: int = await house.value("select count(*) from files where deleted_at is null")
    return count


async def test_a_driver_sends_photos_once_and_dispatch_opens_them(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    app = await phone(ada)
    fields = {"text": "Is this the gate?", "order": order["id"], "message_uuid": str(uuid4())}
    files = [("photos", (f"{turn}.jpg", drawn.photo(turn), "image/jpeg")) for turn in range(2)]
    for _ in range(2):
        answer = await app.post(PATH, data=fields, files=files)
        assert answer.status_code == 201, answer.text
        assert len(answer.json()["photos"]) == 2
    [message] = (await acme.api.get(f"{LIST}?order={order['id']}")).json()
    assert (message["text"], message["sender"]) == ("Is this the gate?", "driver")
    for name, kind in (("url", "image/jpeg"), ("thumbnail_url", "image/webp")):
        url = message["photos"][0][name].removeprefix(house.settings.base_url)
        picture = await house.client().get(url)
        assert (picture.status_code, picture.headers["content-type"]) == (200, kind)
    assert await kept(house) == 4
    house.clock.advance(seconds=30)
    assert (await acme.api.get(LIST)).json()[0]["photos"] == message["photos"]
    house.clock.advance(minutes=21)
    old = message["photos"][0]["url"].removeprefix(house.settings.base_url)
    assert (await house.client().get(old)).status_code == 410


async def test_photos_alone_are_a_message_and_what_is_no_picture_is_none(
    shop: Shop, phone: Phone, rival: Firm, house: House
) -> None:
    ada = await shop.driver()
    app = await phone(ada)
    answer = await app.post(PATH, json={"photos": pictures(1)})
    assert (answer.status_code, answer.json()["text"]) == (201, "")
    refused(await app.post(PATH, json={"text": "None."}), 422, "validation_failed")
    broken = {"photos": [drawn.text(b"no picture")]}
    assert (await app.post(PATH, json=broken)).status_code in {415, 422}
    stranger: httpx.AsyncClient = rival.api
    body: dict[str, Any] = {"driver": ada["id"], "photos": pictures(1)}
    refused(await stranger.post(PATH, json=body), 404, "not_found")
    assert await kept(house) == 2
    assert len((await app.get(LIST)).json()) == 1


async def test_another_photo_under_the_same_uuid_is_a_conflict(
    shop: Shop, phone: Phone, house: House
) -> None:
    app = await phone(await shop.driver())
    body = {"text": "Here.", "message_uuid": str(uuid4())}
    assert (await app.post(PATH, json=body | {"photos": pictures(2)})).status_code == 201
    assert (await app.post(PATH, json=body | {"photos": pictures(2)[::-1]})).status_code == 201
    for others in (pictures(1), pictures(3), [drawn.text(drawn.photo(7))] * 2):
        refused(await app.post(PATH, json=body | {"photos": others}), 409, "message_conflict")
    refused(await app.post(LIST, json=body), 409, "message_conflict")
    assert await kept(house) == 4


async def test_a_message_is_listed_while_its_photos_are_being_deleted(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    app = await phone(await shop.driver())
    await app.post(PATH, json={"text": "Here.", "photos": pictures(1)})
    async with house.database.transaction() as db:
        rows = await db.fetch_tuples(
            "select unnest(array[file, thumbnail]) from driver_message_photos"
        )
        await delete_held_files(db, acme.uuid, [uuid for (uuid,) in rows])
    assert (await app.get(LIST)).json()[0]["photos"] == []


async def test_photos_are_deleted_with_their_message(
    shop: Shop, phone: Phone, house: House, acme: Firm
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], pickup=RAFFLES, dropoff=CHANGI, dispatch=True)
    app = await phone(ada)
    await app.post(PATH, json={"order": order["id"], "photos": pictures(1)})
    await app.post(PATH, json={"photos": pictures(1)})
    async with house.database.transaction() as db:
        uuid = await db.fetch_value("select uuid from orders")
        await erase_messages(db, acme.uuid, uuid)
    assert await kept(house) == 2
    house.clock.advance(days=40)
    assert await sweep.delete_batch(house.database, timedelta(days=30))
    assert not await sweep.delete_batch(house.database, timedelta(days=30))
    assert await kept(house) == 0
    assert (await acme.api.get(LIST)).json() == []


async def test_dispatch_sends_a_photo_from_the_console(
    shop: Shop, phone: Phone, acme: Firm
) -> None:
    ada = await shop.driver()
    app, seat = await phone(ada), await Seat.of(acme)
    home = f"/console/drivers/{ada['id']}"
    card = (await seat.open(home)).main.one("section", id="conversation")
    form = sent_by(card.one("form"))
    for _ in range(2):
        answer = await seat.client.post(
            f"{home}/messages",
            data={**form, "text": "The parcel looks like this."},
            files={"photo": ("parcel.jpg", drawn.photo(), "image/jpeg")},
        )
        assert answer.status_code == 303, answer.text
    [message] = (await app.get(LIST)).json()
    assert (message["text"], len(message["photos"])) == ("The parcel looks like this.", 1)
    card = (await seat.open(home)).main.one("section", id="conversation")
    assert card.one("img")["src"] == message["photos"][0]["thumbnail_url"]
    # Without a chosen file, the browser sends an empty one.
    empty = {**sent_by(card.one("form")), "text": "No photo."}
    none = {"photo": ("", b"", "application/octet-stream")}
    assert (await seat.client.post(f"{home}/messages", data=empty, files=none)).status_code == 303
    assert (await app.get(LIST)).json()[0]["photos"] == []
