"""Large answers are compressed for those who say that they can read it, and bodies may be."""

import asyncio
import gzip
import random
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
import pytest
from litestar import Response
from litestar.response import Stream

from console.seat import Seat
from contract.test_every_route import driving, shopper
from devices.garage import Garage
from pannier.web.buffered_response import compress_gzip_cached
from pannier.web.routes import get
from probe import Heard, knock, mounted, refused
from stage import PASSWORD, Firm, House

LONG = random.Random(1).randbytes(2 * 1024 * 1024).hex().encode()


@get("/words/{count:int}")
async def words(count: int) -> list[str]:
    """Answer so many words."""
    return ["word"] * count


@get("/image")
async def image() -> Response[bytes]:
    """Answer what is compressed already."""
    return Response(b"\x89PNG" * 1000, media_type="image/png")


@get("/long")
async def long() -> Response[bytes]:
    """Answer a text that takes a while to compress."""
    return Response(LONG, media_type="text/plain")


@get("/stream")
async def stream() -> Stream:
    """Answer piece by piece."""

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * 2000

    return Stream(pieces(), media_type="text/plain")


async def fetch(house: House, path: str, accept: bytes | None, method: str = "GET") -> Heard:
    heard = Heard()
    headers = [] if accept is None else [(b"accept-encoding", accept)]
    edge = mounted(house, words, image, stream, long).edge
    await knock(edge, heard, path=path, headers=headers, method=method)
    return heard


@pytest.mark.parametrize(
    "accept", [b"gzip", b"GZIP", b"gzip, deflate, br", b"br;q=1.0, gzip;q=0.8", b"deflate,gzip;q=1"]
)
async def test_a_large_answer_is_compressed_for_who_takes_it(house: House, accept: bytes) -> None:
    heard = await fetch(house, "/words/1000", accept)
    assert heard.headers[b"content-encoding"] == b"gzip"
    assert b"Accept-Encoding" in heard.headers[b"vary"]
    assert int(heard.headers[b"content-length"]) == len(heard.body) < 1000
    plain = await fetch(house, "/words/1000", None)
    assert gzip.decompress(heard.body) == plain.body


@pytest.mark.parametrize(
    "accept",
    [None, b"", b"identity", b"br", b"gzip;q=0", b"gzip; q=0.0", b"gzip;q=0.000, br", b"xgzip",
     b"gzipx"],
)  # fmt: skip
async def test_who_does_not_take_it_gets_it_plain(house: House, accept: bytes | None) -> None:
    heard = await fetch(house, "/words/1000", accept)
    assert b"content-encoding" not in heard.headers
    assert heard.body.startswith(b'["word"')


async def test_a_small_answer_and_an_image_stay_as_they_are(house: House) -> None:
    for path in ("/words/3", "/image"):
        heard = await fetch(house, path, b"gzip")
        assert b"content-encoding" not in heard.headers
        assert int(heard.headers[b"content-length"]) == len(heard.body)


async def test_a_stream_goes_out_as_it_comes(house: House) -> None:
    heard = await fetch(house, "/stream", b"gzip")
    assert heard.body == b"x" * 6000


async def test_while_a_large_answer_is_compressed_others_are_served(house: House) -> None:
    fetching = asyncio.create_task(fetch(house, "/long", b"gzip"))
    turns = 0
    while not fetching.done():
        turns += 1
        await asyncio.sleep(0.001)
    assert gzip.decompress((await fetching).body) == LONG
    assert turns > 20


async def test_the_same_answer_compresses_to_the_same_bytes(acme: Firm, house: House) -> None:
    first = await fetch(house, "/words/1000", b"gzip")
    acme.house.clock.advance(hours=1)
    assert (await fetch(house, "/words/1000", b"gzip")).body == first.body


async def test_a_real_list_is_compressed_and_reads_the_same(acme: Firm) -> None:
    async def listed(accept: str) -> Any:
        return await acme.admin.get("/int/v1/audit", headers={"Accept-Encoding": accept})

    for number in range(8):
        body = {"kind": "api", "name": f"Key {number}"}
        assert (await acme.admin.post("/int/v1/keys", json=body)).status_code == 201
    small, plain = await listed("gzip"), await listed("identity")
    assert small.headers["content-encoding"] == "gzip"
    assert small.json() == plain.json()
    assert int(small.headers["content-length"]) < len(plain.content)


@pytest.mark.slow
async def test_the_documentation_is_compressed_once_for_everybody(acme: Firm, house: House) -> None:
    first = await house.client().get("/openapi.json")
    assert first.headers["content-encoding"] == "gzip"
    before = compress_gzip_cached.cache_info()
    again = await house.client().get("/openapi.json")
    assert again.json() == first.json()
    # What belongs to a company stays nowhere.
    for _ in range(30):
        await acme.api.post("/v1/contacts", json={"name": "Ada"})
    assert (await acme.api.get("/v1/contacts")).headers["content-encoding"] == "gzip"
    after = compress_gzip_cached.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)


async def sent(acme: Firm, body: bytes, packing: str = "gzip") -> httpx.Response:
    headers = {"content-type": "application/json", "content-encoding": packing}
    return await acme.api.post("/v1/vehicles", content=body, headers=headers)


async def test_a_body_may_come_packed(acme: Firm) -> None:
    answer = await sent(acme, gzip.compress(b'{"plate_number": "SGX 1"}'))
    assert (answer.status_code, answer.json()["plate_number"]) == (201, "SGX 1")


async def test_a_packed_body_is_no_larger_than_another_and_no_other_kind_is_unpacked(
    acme: Firm, house: House
) -> None:
    bomb = b'{"plate_number": "' + b"A" * house.settings.body_limit + b'"}'
    refused(await sent(acme, gzip.compress(bomb)), 413, "body_too_large")
    whole = gzip.compress(b'{"plate_number": "SGX 1"}')
    for broken in (b"{}", whole[:-9], whole + whole):
        refused(await sent(acme, broken), 400, "body_unreadable")
    refused(await sent(acme, whole, "br"), 415, "unsupported_media_type")


PACKED = {"content-type": "application/json", "content-encoding": "gzip"}


async def test_a_stranger_sends_no_compressed_body(house: House) -> None:
    body = gzip.compress(b'{"email": "a@example.com", "password": "secret"}')
    answer = await house.client().post("/int/v1/login", content=body, headers=PACKED)
    refused(answer, 415, "unsupported_media_type")


async def test_a_key_that_ships_in_an_app_allows_no_compressed_body(
    acme: Firm, house: House
) -> None:
    body = gzip.compress(b'{"phone": "+6591230000"}')
    path = "/storefront/v1/customers/login-with-sms"
    refused(
        await acme.storefront.post(path, content=body, headers=PACKED),
        415,
        "unsupported_media_type",
    )
    made = await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "Drivers"})
    answer = await house.client(made.json()["key"]).post(
        "/v1/drivers/login-with-sms", content=body, headers=PACKED
    )
    refused(answer, 415, "unsupported_media_type")


FORM = PACKED | {"content-type": "application/x-www-form-urlencoded"}


async def test_nobody_signs_in_with_a_compressed_form(acme: Firm, house: House) -> None:
    await acme.sign_up("viewer")
    form = urlencode({"email": acme.email("viewer"), "password": PASSWORD}).encode()
    plain = FORM | {"content-encoding": "identity"}
    for body, headers in ((form, plain), (gzip.compress(form), FORM)):
        answer = await house.client().post("/console/sign-in", content=body, headers=headers)
        assert ("pannier_session=" in answer.headers["set-cookie"]) == (body is form)


@pytest.mark.parametrize("path", ["/t/PN1234567890", "/t/PN1234567890/news"])
async def test_a_page_for_everybody_takes_no_compressed_form(house: House, path: str) -> None:
    body = gzip.compress(b"email=a&password=b&secret=c&news=stop")
    assert (await house.client().post(path, content=body, headers=FORM)).status_code == 415


async def test_customers_drivers_and_the_console_may_send_compressed_bodies(acme: Firm) -> None:
    named = gzip.compress(b'{"name": "Ada"}')
    customer = await shopper(acme)
    answer = await customer.put("/storefront/v1/customers/me", content=named, headers=PACKED)
    assert (answer.status_code, answer.json()["name"]) == (200, "Ada")
    seen = gzip.compress(b'{"latitude": 1.3, "longitude": 103.8}')
    answer = await (await driving(acme)).post("/v1/drivers/me/track", content=seen, headers=PACKED)
    assert answer.status_code == 200, answer.text
    seat = await Seat.of(acme)
    csrf = (await seat.open("/console/contacts")).root.one("body")["data-csrf"]
    form = gzip.compress(f"csrf={csrf}&name=Ada&type=contact".encode())
    answer = await seat.client.post("/console/contacts/new", content=form, headers=FORM)
    assert answer.status_code == 303, answer.text


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


async def test_operators_and_devices_may_send_compressed_bodies(
    acme: Firm, house: House, garage: Garage
) -> None:
    named = gzip.compress(b'{"kind": "api", "name": "Packed"}')
    answer = await acme.admin.post("/int/v1/keys", content=named, headers=PACKED)
    assert answer.status_code == 201
    van = await garage.device()
    alive = gzip.compress(b'[{"event_type": "device_heartbeat"}]')
    path = "/int/v1/fleet-module/device-events/batch"
    answer = await house.client(van["token"]).post(path, content=alive, headers=PACKED)
    assert answer.json()["accepted"] == 1
    spoken = gzip.compress(b"lat=1.3&lon=103.8&timestamp=1768478399")
    answer = await house.client().post(
        f"/ingest/osmand/{van['token']}", content=spoken, headers=FORM
    )
    assert answer.status_code == 200, answer.text


async def test_a_body_that_expands_far_is_refused_before_it_does(
    house: House, garage: Garage
) -> None:
    van = await garage.device()
    own, path = house.client(van["token"]), "/int/v1/fleet-module/device-events/batch"
    for kind in ("application/json", "application/x-ndjson"):
        bomb = gzip.compress(b"[" * house.settings.intake_limit)
        answer = await own.post(path, content=bomb, headers=PACKED | {"content-type": kind})
        refused(answer, 413, "body_too_large")
        assert "expands" in answer.json()["detail"]
    events = [
        {"event_type": "device_heartbeat", "event_id": f"{number}", "data": {"battery": 80}}
        for number in range(5000)
    ]
    honest = gzip.compress(msgspec.json.encode(events), 9)
    answer = await own.post(path, content=honest, headers=PACKED)
    assert answer.json()["accepted"] == 5000
