"""Decisions §1, Status codes and single answers."""

import pytest

from pannier.web.routes import get
from probe import Heard, knock, mounted, refused
from stage import Firm, House


@get("/big")
async def big() -> list[str]:
    """Answer a lot."""
    return ["word"] * 1000


async def test_200_and_a_bare_object_for_a_single_answer(acme: Firm) -> None:
    answer = await acme.api.get("/v1/organizations/current")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["id"] == acme.company.public_id


async def test_201_when_something_was_created_and_200_otherwise(acme: Firm) -> None:
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    assert made.status_code == 201
    path = f"/int/v1/keys/{made.json()['id']}"
    assert (await acme.admin.patch(path, json={"name": "New"})).status_code == 200
    assert (await acme.admin.post(f"{path}/rotate", json={})).status_code == 201
    assert (await acme.admin.delete(path)).status_code == 200
    assert (await acme.admin.post("/int/v1/logout")).status_code == 200


async def test_204_has_no_body_and_no_length(acme: Firm) -> None:
    await acme.sign_up("viewer")
    listed = await acme.admin.get("/int/v1/operators?role=viewer")
    answer = await acme.admin.delete(f"/int/v1/operators/{listed.json()['data'][0]['id']}")
    assert answer.status_code == 204
    assert answer.content == b""
    assert "content-length" not in answer.headers


async def test_400_when_the_body_cannot_be_parsed(acme: Firm) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await acme.admin.post("/int/v1/keys", content=b"{kind}", headers=headers)
    refused(answer, 400, "body_unreadable")


async def test_401_when_the_credential_is_missing_and_says_how_to_send_one(house: House) -> None:
    answer = await house.client().get("/v1/organizations/current")
    refused(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_401_comes_before_anything_is_said_about_the_body(house: House) -> None:
    for body in (b"", b"{", b'{"kind": 1}'):
        headers = {"Content-Type": "application/json"}
        answer = await house.client().post("/int/v1/keys", content=body, headers=headers)
        refused(answer, 401, "unauthenticated")


async def test_403_when_the_caller_is_known_and_may_not(acme: Firm) -> None:
    viewer = await acme.operator("viewer")
    refused(await viewer.get("/int/v1/keys"), 403, "forbidden")


async def test_404_when_there_is_no_such_path(acme: Firm, house: House) -> None:
    for path in ("/v1", "/v2/organizations/current", "/int", "/V1/organizations/current"):
        refused(await acme.api.get(path), 404, "not_found")
        refused(await house.client().get(path), 404, "not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get"])
async def test_405_names_the_methods_that_are_allowed(acme: Firm, method: str) -> None:
    heard = Heard()
    headers = [(b"authorization", f"Bearer {acme.api_key}".encode())]
    await knock(
        acme.house.edge, heard, method=method, path="/v1/organizations/current", headers=headers
    )
    assert heard.status == 405
    allowed = heard.headers[b"allow"].decode().split(", ")
    assert {"GET", "HEAD"} <= set(allowed)
    assert method not in allowed
    assert b"method_not_allowed" in heard.body


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
async def test_a_method_cannot_be_overridden(acme: Firm, header: str) -> None:
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    path = f"/int/v1/keys/{made.json()['id']}"
    refused(await acme.admin.get(f"{path}?_method=DELETE"), 422, "unknown_parameter")
    answer = await acme.admin.get(path, headers={header: "DELETE"})
    assert answer.status_code == 200
    assert answer.json()["revoked_at"] is None
    refused(await acme.admin.post(path, headers={header: "DELETE"}), 405, "method_not_allowed")


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
     "application/xml", "application/jsonp", "application/octet-stream", "json", "a/b, x/json"],
)  # fmt: skip
async def test_415_when_the_body_is_not_json(acme: Firm, kind: str) -> None:
    body = b'{"kind": "api", "name": "Shop"}'
    answer = await acme.admin.post("/int/v1/keys", content=body, headers={"Content-Type": kind})
    refused(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "text/json",
     "application/vnd.api+json", "application/merge-patch+json;x=y", None],
)  # fmt: skip
async def test_json_may_be_called_by_any_of_its_names(acme: Firm, kind: str | None) -> None:
    body = b'{"kind": "api", "name": "Shop"}'
    headers = {"Content-Type": kind} if kind else {}
    answer = await acme.admin.post("/int/v1/keys", content=body, headers=headers)
    assert answer.status_code == 201, answer.text


async def test_head_answers_as_get_does_without_the_body(acme: Firm, house: House) -> None:
    got = await acme.api.get("/v1/organizations/current")
    head = await acme.api.head("/v1/organizations/current")
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == got.headers["content-length"]
    assert head.headers["content-type"] == got.headers["content-type"]
    assert (await house.client().head("/v1/organizations/current")).status_code == 401
    assert (await acme.api.head("/v1/files/nothing")).status_code == 404
    long = await mounted(house, big).client().head("/big")
    assert (long.status_code, long.content) == (200, b"")


async def test_options_tells_the_methods_and_changes_nothing(acme: Firm) -> None:
    answer = await acme.admin.request("OPTIONS", "/int/v1/keys")
    assert answer.status_code == 204
    assert "GET" in answer.headers["allow"].split(", ")


@pytest.mark.parametrize(
    "path",
    ["/v1/organizations/current/", "//v1/organizations/current", "/v1/organizations%2Fcurrent",
     "/v1/organizations/curren%74", "/v1//organizations/current"],
)  # fmt: skip
async def test_another_spelling_of_a_path_opens_no_other_door(
    acme: Firm, house: House, path: str
) -> None:
    heard = Heard()
    target = path.replace("%2F", "/").replace("%74", "t")
    await knock(house.edge, heard, path=target)
    assert heard.status in {401, 404}
    found = await acme.api.get(path)
    assert found.status_code in {200, 404}
