"""A signed link fetches one file without a credential, until it expires, and nothing else."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pannier.files import links
from pannier.files.links import LinkExpired, LinkInvalid
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from stage import NOON, SECRET, Firm, House

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
KEYS = Keyring(SECRET)


async def upload(firm: Firm, data: bytes = PNG, name: str = "parcel.png") -> str:
    answer = await firm.api.post("/v1/files", files={"file": (name, data)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["url"])


async def test_a_link_works_without_a_credential(acme: Firm, house: House) -> None:
    answer = await house.client().get(await upload(acme))
    assert (answer.status_code, answer.content) == (200, PNG)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-length"] == str(len(PNG))
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["content-disposition"] == (
        "inline; filename=\"parcel.png\"; filename*=UTF-8''parcel.png"
    )


@pytest.mark.parametrize(
    ("data", "kind", "way"),
    [
        (b"%PDF-1.7", "application/pdf", "inline"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp", "inline"),
        (b"\xff\xd8\xff\xe0", "image/jpeg", "inline"),
        (b"hello", "text/plain; charset=utf-8", "attachment"),
        (b"[1, 2]", "application/json", "attachment"),
    ],
)
async def test_only_pictures_and_documents_are_shown(
    acme: Firm, house: House, data: bytes, kind: str, way: str
) -> None:
    answer = await house.client().get(await upload(acme, data))
    assert answer.headers["content-type"] == kind
    assert answer.headers["content-disposition"].split(";")[0] == way


async def test_a_documents_policy_lets_the_browser_show_it(acme: Firm, house: House) -> None:
    answer = await house.client().get(await upload(acme, b"%PDF-1.7"))
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "sandbox" not in answer.headers["content-security-policy"]


async def test_a_name_in_any_script_survives_the_header(acme: Firm, house: House) -> None:
    answer = await house.client().get(await upload(acme, name='ein "Päckchen" 包.png'))
    assert answer.headers["content-disposition"] == (
        'inline; filename="ein _P_ckchen_ _.png"; '
        "filename*=UTF-8''ein%20%22P%C3%A4ckchen%22%20%E5%8C%85.png"
    )


async def test_a_link_expires_after_an_hour(acme: Firm, house: House, clock: ManualClock) -> None:
    url = await upload(acme)
    clock.advance(minutes=59, seconds=59)
    assert (await house.client().get(url)).status_code == 200
    clock.advance(seconds=1)
    answer = await house.client().get(url)
    assert (answer.status_code, answer.json()["code"]) == (410, "link_expired")
    fresh = (await acme.api.get(urlsplit(url).path.replace("/files", "/v1/files"))).json()["url"]
    assert (await house.client().get(fresh)).status_code == 200


async def test_a_link_changed_in_any_part_is_refused(acme: Firm, house: House) -> None:
    url, other = await upload(acme), await upload(acme, b"another")
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    uuid = (await acme.api.get(f"/v1{parts.path}")).json()["uuid"]
    later = {**query, "expires": str(int(query["expires"]) + 1)}
    changed = [
        (urlsplit(other).path, query),
        (f"/files/{uuid}", query),
        ("/files/file_0000000000000000", query),
        (parts.path, later),
        (parts.path, {**query, "expires": f"0{query['expires']}"}),
        (parts.path, {**query, "expires": f"{query['expires']} "}),
        (parts.path, {**query, "signature": query["signature"][:-1]}),
        (parts.path, {**query, "signature": query["signature"] + "="}),
        (parts.path, {**query, "signature": query["signature"].swapcase()}),
        (parts.path, {"expires": query["expires"]}),
        (parts.path, {"signature": query["signature"]}),
        (parts.path, {}),
        (parts.path, {"expires": "x", "signature": "é"}),
    ]
    for path, sent in changed:
        answer = await house.client().get(path, params=sent)
        assert (answer.status_code, answer.json()["code"]) == (403, "link_invalid"), (path, sent)


async def test_a_link_serves_whoever_holds_it_whatever_else_they_send(
    acme: Firm, rival: Firm
) -> None:
    assert (await rival.api.get(await upload(acme))).status_code == 200


async def test_an_unchanged_file_is_not_sent_again(acme: Firm, house: House) -> None:
    url, client = await upload(acme), house.client()
    tag = (await client.get(url)).headers["etag"]
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = await client.get(url, headers={"If-None-Match": sent})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == tag
    assert (await client.get(url, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_an_expired_link_is_refused_even_for_what_is_known(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    url = await upload(acme)
    clock.advance(hours=2)
    answer = await house.client().get(url, headers={"If-None-Match": "*"})
    assert answer.status_code == 410


async def test_a_head_tells_everything_but_the_content(acme: Firm, house: House) -> None:
    url = await upload(acme)
    answer = await house.client().head(url)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(PNG))
    assert answer.headers["content-type"] == "image/png"
    assert (await house.client().head(url[:-1])).status_code == 403


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("bytes=0-9", 206, 0, 10),
        ("bytes=10-", 206, 10, 264),
        ("bytes=-4", 206, 260, 264),
        ("bytes=5-5", 206, 5, 6),
        ("bytes=100-99999", 206, 100, 264),
        ("bytes=-99999", 200, 0, 264),
        ("bytes=9-5", 200, 0, 264),
        ("bytes=-", 200, 0, 264),
        ("bytes=0-1,5-6", 200, 0, 264),
        ("lines=1-2", 200, 0, 264),
    ],
)
async def test_a_part_of_a_file_is_sent_when_asked(
    acme: Firm, house: House, asked: str, status: int, start: int, end: int
) -> None:
    answer = await house.client().get(await upload(acme), headers={"Range": asked})
    assert (answer.status_code, answer.content) == (status, PNG[start:end])
    assert answer.headers["content-length"] == str(end - start)
    if status == 206:
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/264"


@pytest.mark.parametrize("asked", ["bytes=264-", "bytes=-0", "bytes=999-1000"])
async def test_a_part_beyond_the_end_is_refused(acme: Firm, house: House, asked: str) -> None:
    answer = await house.client().get(await upload(acme), headers={"Range": asked})
    assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
    assert answer.headers["content-range"] == "bytes */264"


async def test_a_part_of_another_version_is_the_whole(acme: Firm, house: House) -> None:
    url = await upload(acme)
    headers = {"Range": "bytes=0-9", "If-Range": '"other"'}
    assert (await house.client().get(url, headers=headers)).content == PNG
    headers["If-Range"] = (await house.client().head(url)).headers["etag"]
    assert (await house.client().get(url, headers=headers)).content == PNG[:10]


def signed(public_id: str = "file_x") -> dict[str, str]:
    query = links.sign_query(KEYS, public_id, NOON + timedelta(hours=1))
    return {name: values[0] for name, values in parse_qs(query).items()}


@given(some.text(), some.integers(1, 10**9))
def test_every_link_of_ours_opens_until_its_moment(public_id: str, seconds: int) -> None:
    end = NOON + timedelta(seconds=seconds)
    query = {
        name: values[0] for name, values in parse_qs(links.sign_query(KEYS, public_id, end)).items()
    }
    links.check(KEYS, public_id, **query, now=end - timedelta(seconds=1))
    with pytest.raises(LinkExpired):
        links.check(KEYS, public_id, **query, now=end)


@pytest.mark.slow
@given(some.from_regex(r"file_[0-9A-Za-z]{16}", fullmatch=True))
def test_a_link_with_any_bit_flipped_is_refused(public_id: str) -> None:
    genuine = {"public_id": public_id, **signed(public_id)}
    for part, text in genuine.items():
        for bit in range(len(text) * 8):
            raw = bytearray(text.encode())
            raw[bit // 8] ^= 1 << bit % 8
            with pytest.raises(LinkInvalid):
                links.check(KEYS, **{**genuine, part: raw.decode("latin-1")}, now=NOON)


@given(some.text(), some.text(), some.text())
def test_what_we_did_not_sign_is_refused(public_id: str, expires: str, signature: str) -> None:
    with pytest.raises(LinkInvalid):
        links.check(KEYS, public_id, expires, signature, NOON)


def test_a_signature_serves_one_installation_only() -> None:
    with pytest.raises(LinkInvalid):
        links.check(Keyring("another secret"), "file_x", **signed(), now=NOON)
