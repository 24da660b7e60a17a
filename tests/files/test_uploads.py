"""Files come in by either encoding, belong to one company, and are what their content says."""

import asyncio
import base64
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import httpx
import msgspec
import pytest

import stage
from pannier.db import Database
from pannier.files import content_types, uploads
from pannier.kit.clock import ManualClock
from pannier.web.exchange import Exchange
from probe import refused
from stage import Firm, House

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" * 10
JPEG = b"\xff\xd8\xff\xe0" + b"pixels" * 10
PDF = b"%PDF-1.7\n%%EOF\n"


async def send(firm: Firm, data: bytes, name: str = "note.txt", kind: str = "text/plain") -> Any:
    answer = await firm.api.post("/v1/files", files={"file": (name, data, kind)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def objects(house: House) -> list[Path]:
    return [path for path in (house.settings.folder / "files").rglob("*") if path.is_file()]


def as_form(name: bytes, data: bytes) -> dict[str, Any]:
    """Spell a form with a raw file name, which no well-behaved client would send."""
    head = b'Content-Disposition: form-data; name="file"; filename="' + name + b'"\r\n\r\n'
    return {
        "content": b"--edge\r\n" + head + data + b"\r\n--edge--\r\n",
        "headers": {"Content-Type": "multipart/form-data; boundary=edge"},
    }


async def test_a_file_comes_as_a_form(acme: Firm) -> None:
    made = await send(acme, PNG, "parcel.png", "image/png")
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("file_")
    assert made["name"] == "parcel.png"
    assert made["content_type"] == "image/png"
    assert made["size"] == len(PNG)
    assert made["created_at"] == "2026-01-15T12:00:00.000Z"
    assert made["url_expires_at"] == "2026-01-15T13:00:00.000Z"
    assert made["url"].startswith(f"http://127.0.0.1:8000/files/{made['id']}?")


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(JPEG).decode(),
        base64.encodebytes(JPEG).decode(),
        "data:image/jpeg;base64," + base64.b64encode(JPEG).decode(),
        "DATA:image/jpeg;name=a.jpg;BASE64," + base64.b64encode(JPEG).decode(),
        "data:;base64," + base64.b64encode(JPEG).decode(),
    ],
)
async def test_a_file_comes_as_json(acme: Firm, text: str) -> None:
    answer = await acme.api.post("/v1/files", json={"data": text, "name": "door.jpg"})
    assert answer.status_code == 201, answer.text
    assert (answer.json()["content_type"], answer.json()["size"]) == ("image/jpeg", len(JPEG))
    assert answer.json()["name"] == "door.jpg"


async def test_a_file_without_a_name_gets_one(acme: Firm) -> None:
    answer = await acme.api.post("/v1/files", json={"data": "SGVsbG8="})
    assert answer.json()["name"] == "file"


async def test_the_same_bytes_twice_are_one_object_and_two_files(
    acme: Firm, rival: Firm, house: House
) -> None:
    first, second = await send(acme, PNG, "a.png"), await send(rival, PNG, "b.png")
    assert first["sha256"] == second["sha256"]
    assert first["id"] != second["id"]
    assert [path.read_bytes() for path in objects(house)] == [PNG]
    assert objects(house)[0].name == first["sha256"]
    assert await house.value("select count(*) from files") == 2


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b'{"data": "', b'{"data": "", "name": "\\ud800"}']
)
async def test_json_that_is_none_is_refused(acme: Firm, body: bytes) -> None:
    answer = await acme.api.post(
        "/v1/files", content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "body_unreadable")


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"data": 5},
        {"data": "not base64!"},
        {"data": "SGVsbG8"},
        {"data": "SGVsbG8=é"},
        {"data": "data:text/plain,Hello"},
        {"data": "data:nothing"},
        {"data": "data:" + ";a" * 100_000},
        {"data": "data:;base64;a,SGVsbG8="},
        {"data": "SGVsbG8=SGVsbG8="},
        {"data": "SGVsbG\u00e9="},
    ],
)
async def test_bad_content_in_json_is_refused_by_its_path(acme: Firm, sent: Any) -> None:
    answer = await acme.api.post("/v1/files", json=sent)
    assert answer.status_code == 422, answer.text
    assert [field["path"] for field in answer.json()["fields"]] == ["data"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
async def test_another_content_type_is_refused(acme: Firm, kind: str) -> None:
    answer = await acme.api.post("/v1/files", content=b"a=1", headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


async def test_a_body_without_a_content_type_is_refused(acme: Firm) -> None:
    answer = await acme.api.post("/v1/files", content=b"")
    assert answer.status_code == 415


async def test_an_empty_file_is_refused_in_either_encoding(acme: Firm, house: House) -> None:
    as_json = await acme.api.post("/v1/files", json={"data": ""})
    as_part = await acme.api.post("/v1/files", files={"file": ("a.txt", b"")})
    for answer in (as_json, as_part):
        assert (answer.status_code, answer.json()["code"]) == (422, "file_empty")
    assert objects(house) == []


@pytest.mark.parametrize(
    "files",
    [
        {"photo": ("a.png", PNG)},
        {"file": (None, PNG)},
        [("file", ("a.png", PNG)), ("file", ("b.png", PNG))],
    ],
)
async def test_a_form_without_exactly_one_file_is_refused(acme: Firm, files: Any) -> None:
    answer = await acme.api.post("/v1/files", files=files)
    assert answer.status_code == 422, answer.text
    assert answer.json()["fields"][0]["path"] in {"file", *dict(files)}


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("multipart/form-data", b"--x\r\n\r\n"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b"nothing of the kind"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="f'),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
        ),
        ("multipart/form-data; boundary=x", b"--x\r\nNo-Name: 1\r\n\r\nhalf\r\n--x--\r\n"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="\xff"\r\n\r\n1',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n1\r\n' * 200 + b"--x--",
        ),
    ],
)
async def test_a_broken_form_is_refused(acme: Firm, header: str, body: bytes) -> None:
    answer = await acme.api.post("/v1/files", content=body, headers={"Content-Type": header})
    assert (answer.status_code, answer.json()["code"]) == (400, "body_unreadable")


async def test_a_file_over_the_limit_is_refused(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), upload_limit="2048")
    firm = await house.found("Small")
    answer = await firm.api.post("/v1/files", files={"file": ("a.txt", b"a" * 2049)})
    assert answer.status_code == 413, answer.text
    assert (await send(firm, b"a" * 1024))["size"] == 1024


@pytest.mark.slow
async def test_an_upload_may_be_larger_than_an_ordinary_body(acme: Firm, house: House) -> None:
    data = bytes(range(256)) * 4096 * 12
    assert len(data) > house.settings.body_limit
    made = await send(acme, data, "big.bin")
    assert (await acme.api.get(made["url"])).content == data


async def test_an_upload_with_a_key_is_done_once(acme: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "one"}
    sent = {"data": "SGVsbG8="}
    first = await acme.api.post("/v1/files", json=sent, headers=headers)
    again = await acme.api.post("/v1/files", json=sent, headers=headers)
    assert first.json() == again.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert await house.value("select count(*) from files") == 1


async def test_a_file_is_read_by_either_identifier(acme: Firm) -> None:
    made = await send(acme, PDF, "waybill.pdf")
    for name in (made["id"], made["uuid"]):
        answer = await acme.api.get(f"/v1/files/{name}")
        assert answer.status_code == 200
        assert answer.json() == made


async def test_another_companys_file_is_not_there(acme: Firm, rival: Firm) -> None:
    made = await send(acme, PDF)
    for name in (made["id"], made["uuid"]):
        assert (await rival.api.get(f"/v1/files/{name}")).status_code == 404
        assert (await rival.api.delete(f"/v1/files/{name}")).status_code == 404
    assert (await rival.api.get("/v1/files")).json() == []
    assert (await acme.api.get(f"/v1/files/{made['id']}")).status_code == 200


async def test_files_are_listed_page_by_page_and_filtered(acme: Firm, clock: ManualClock) -> None:
    for number in range(5):
        await send(acme, b"%d" % number, f"Note {number}.txt")
        clock.advance(seconds=1)
    await send(acme, PNG, "parcel.png")
    page = await acme.api.get("/v1/files", params={"limit": 4})
    names = [file["name"] for file in page.json()]
    assert names == ["parcel.png", "Note 4.txt", "Note 3.txt", "Note 2.txt"]
    rest = await acme.api.get(page.links["next"]["url"])
    assert [file["name"] for file in rest.json()] == ["Note 1.txt", "Note 0.txt"]
    assert "link" not in rest.headers
    assert len((await acme.api.get("/v1/files", params={"name": "note"})).json()) == 5
    assert len((await acme.api.get("/v1/files", params={"name": "%"})).json()) == 0
    pictures = await acme.api.get("/v1/files", params={"content_type": "image/png"})
    assert [file["name"] for file in pictures.json()] == ["parcel.png"]


async def test_a_deleted_file_is_gone_everywhere_at_once(acme: Firm) -> None:
    made = await send(acme, PNG)
    assert (await acme.api.get(made["url"])).status_code == 200
    answer = await acme.api.delete(f"/v1/files/{made['id']}")
    assert (answer.status_code, answer.json()["deleted"]) == (200, True)
    assert (await acme.api.get(f"/v1/files/{made['id']}")).status_code == 404
    assert (await acme.api.delete(f"/v1/files/{made['id']}")).status_code == 404
    assert (await acme.api.get("/v1/files")).json() == []
    assert (await acme.api.get(made["url"])).status_code == 404


async def test_a_key_does_only_what_its_scopes_allow(acme: Firm, house: House) -> None:
    sent = {"kind": "api", "name": "Reader", "scopes": ["files:read"]}
    made = (await acme.admin.post("/int/v1/keys", json=sent)).json()
    reader = house.client(made["key"])
    assert (await reader.get("/v1/files")).status_code == 200
    assert (await reader.post("/v1/files", json={"data": "SGVsbG8="})).status_code == 403
    assert (await house.client().get("/v1/files")).status_code == 401
    assert (await acme.storefront.get("/v1/files")).status_code == 401


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (b"../../etc/passwd", "passwd"),
        (rb"C:\Windows\evil.exe", "evil.exe"),
        (b"a\x00b.png", "ab.png"),
        ("invoice\u202egnp.exe".encode(), "invoicegnp.exe"),
        (b"..", "file"),
        ("Ünïcode 包裹.txt".encode(), "Ünïcode 包裹.txt"),
    ],
)
async def test_a_hostile_name_in_a_form_becomes_a_name(
    acme: Firm, house: House, name: bytes, kept: str
) -> None:
    answer = await acme.api.post("/v1/files", **as_form(name, b"hello"))
    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == kept
    assert (await house.client().get(answer.json()["url"])).content == b"hello"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("a\x00b\r\nSet-Cookie: x=1.png", "abSet-Cookie: x=1.png"),
        ("\u202egnp.exe", "gnp.exe"),
        ('say "hi"; filename=evil.html', 'say "hi"; filename=evil.html'),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
        ("", "file"),
    ],
)
async def test_a_hostile_name_in_json_becomes_a_name(
    acme: Firm, house: House, name: str, kept: str
) -> None:
    answer = await acme.api.post("/v1/files", json={"data": "SGVsbG8=", "name": name})
    assert answer.json()["name"] == kept
    served = await house.client().get(answer.json()["url"])
    assert (served.status_code, served.content) == (200, b"Hello")
    assert "set-cookie" not in served.headers


@pytest.mark.parametrize(
    "data",
    [
        b"GIF89a/*<script>alert(1)</script>*/=1",
        b"<html><script>alert(1)</script></html>",
        b"\xef\xbb\xbf \n<!DOCTYPE html><p>hello",
        b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        b"hello <ScRiPt>alert(1)</script>",
        b"MZ\x90\x00 not a picture",
        "<html>".encode("utf-16"),
    ],
)
async def test_a_page_in_a_pictures_clothes_is_only_ever_saved(
    acme: Firm, house: House, data: bytes
) -> None:
    made = await send(acme, data, "picture.png", "image/png")
    assert made["content_type"] == "application/octet-stream"
    served = await house.client().get(made["url"])
    assert served.content == data
    _assert_harmless(served)
    assert served.headers["content-disposition"].startswith("attachment;")


def _assert_harmless(served: httpx.Response) -> None:
    assert served.headers["content-type"] == "application/octet-stream"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in served.headers["content-security-policy"]


async def test_what_the_client_says_chooses_only_between_texts(acme: Firm) -> None:
    async def kind(data: bytes, declared: str) -> str:
        return str((await send(acme, data, "file", declared))["content_type"])

    assert await kind(b"a,b\n1,2\n", "text/csv") == "text/csv"
    assert await kind(b"hello", "text/html") == "text/plain"
    assert await kind(b'{"a": "<b>"}', "text/html") == "application/json"
    assert await kind(PNG, "text/html") == "image/png"
    assert await kind(b"\x00\x01", "text/csv") == "application/octet-stream"


async def test_an_upload_tried_again_with_another_boundary_is_the_same_upload(acme: Firm) -> None:
    def form(boundary: str, text: str) -> bytes:
        return (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n'
            f"Content-Type: text/plain\r\n\r\n{text}\r\n--{boundary}--\r\n"
        ).encode()

    async def upload(boundary: str, text: str) -> httpx.Response:
        headers = {
            "Idempotency-Key": "parcel-1",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        }
        return await acme.api.post("/v1/files", content=form(boundary, text), headers=headers)

    first, again = await upload("first", "hello"), await upload("second", "hello")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    other = await upload("third", "good bye")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


HOSTILE = {
    "parameters": "data:" + ";a" * 8_000_000,
    "base64 and base64": "data:" + ";base64" * 2_000_000,
    "gaps": "A " * 8_000_000,
    "padding": "=" * 16_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_sixteen_hostile_megabytes_are_settled_at_once(text: str) -> None:
    started = process_time()
    with suppress(ValueError):
        uploads.decode_base64(text)

    # An expression that tries everything takes seconds.
    assert process_time() - started < 2


@pytest.mark.parametrize("data", [b"<" * 8_000_000, b"[" + b"0," * 8_000_000 + b"0]"])
def test_a_large_file_is_looked_at_no_longer_than_it_helps(data: bytes) -> None:
    started = process_time()
    assert content_types.detect(data) in {content_types.UNKNOWN, "text/plain"}
    assert process_time() - started < 2


async def test_a_large_upload_is_read_beside_the_event_loop(house: House) -> None:
    letters = base64.b64encode(b"x" * 3_000_000).decode()
    scope: Any = {
        "type": "http", "method": "POST", "path": "/v1/files", "raw_path": b"/v1/files",
        "query_string": b"", "scheme": "http", "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    exchange = Exchange(scope, None, house.edge)  # type: ignore[arg-type]  # its body is here
    exchange.body = msgspec.json.encode({"data": letters})
    reading = asyncio.ensure_future(uploads.read(exchange))
    await asyncio.sleep(0)
    assert not reading.done()
    assert (await reading).data == b"x" * 3_000_000


async def test_only_files_make_a_body_large(acme: Firm, house: House) -> None:
    content = b'{"data": "SGVsbG8=", "name": [' + b"0," * house.settings.body_limit + b"0]}"
    headers = {"Content-Type": "application/json"}
    answer = await acme.api.post("/v1/files", content=content, headers=headers)
    refused(answer, 413, "body_too_large")
