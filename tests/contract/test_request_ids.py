"""Decisions §1, Request ids."""

import pytest

from pannier.web.routes import get
from probe import Heard, knock, mounted, refused
from stage import Firm, House


@get("/defect")
async def defect() -> None:
    """Fail."""
    raise ValueError("oops")


@pytest.mark.parametrize("name", ["a", "x" * 128, "4bf92f35-77b3.4da6:a3ce_929d", "0"])
async def test_a_request_id_is_taken_and_echoed(acme: Firm, name: str) -> None:
    answer = await acme.api.get("/v1/organizations/current", headers={"X-Request-Id": name})
    assert answer.headers.get_list("x-request-id") == [name]


async def test_a_request_id_is_made_when_there_is_none(acme: Firm) -> None:
    made = [(await acme.api.get("/v1/organizations/current")).headers["x-request-id"] for _ in "ab"]
    assert made[0] != made[1]
    assert all(len(name) >= 16 for name in made)


@pytest.mark.parametrize(
    "name",
    [b"", b" ", b"x" * 129, b"a b", b"a\n", b"a\r\nSet-Cookie: a=b", b"\n", b"a\0", b"<script>",
     b"\xff", "ü".encode(), b"a,b", b'"', b"a" * 100_000],
)  # fmt: skip
async def test_a_hostile_request_id_is_replaced(house: House, name: bytes) -> None:
    heard = Heard()
    await knock(house.edge, heard, path="/nowhere", headers=[(b"x-request-id", name)])
    echoed = heard.headers[b"x-request-id"]
    assert echoed != name
    assert echoed.isalnum()
    assert echoed in heard.body


async def test_a_credential_is_not_taken_for_a_request_id(acme: Firm) -> None:
    for secret in (acme.api_key, acme.token, acme.storefront_key, f"x-{acme.api_key}"):
        answer = await acme.api.get("/v1/nowhere", headers={"X-Request-Id": secret})
        assert secret not in answer.headers["x-request-id"]
        assert secret not in answer.text


async def test_every_problem_carries_the_request_id(acme: Firm, house: House) -> None:
    name = {"X-Request-Id": "trace-me"}
    answers = [
        await acme.api.get("/nowhere", headers=name),
        await house.client().get("/v1/organizations/current", headers=name),
        await acme.admin.post("/int/v1/keys", json={}, headers=name),
        await acme.admin.post("/int/v1/keys", content=b" " * 2_000_000, headers=name),
        await acme.api.put("/v1/organizations/current", headers=name),
        await mounted(house, defect).client().get("/defect", headers=name),
    ]
    assert [answer.status_code for answer in answers] == [404, 401, 422, 413, 405, 500]
    for answer in answers:
        body = refused(answer, answer.status_code, answer.json()["code"])
        assert body["request_id"] == answer.headers["x-request-id"] == "trace-me"


async def test_the_audit_log_knows_the_request(acme: Firm) -> None:
    body, name = {"kind": "api", "name": "Shop"}, {"X-Request-Id": "trace-me"}
    await acme.admin.post("/int/v1/keys", json=body, headers=name)
    entry = (await acme.admin.get("/int/v1/audit?action=key.created&limit=1")).json()["data"][0]
    assert entry["request_id"] == "trace-me"
    assert entry["address"] == "127.0.0.1"
