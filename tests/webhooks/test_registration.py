"""Registering endpoints: what is taken, what is refused, and what is never shown again."""

import asyncio
from types import SimpleNamespace
from typing import Any, Final

import aiodns
import httpx
import pytest

import stage
from pannier.events.catalog import Name
from pannier.web.times import to_rfc3339
from pannier.webhooks.guard import PLAIN_HTTP
from probe import paths, refused
from stage import Firm, House
from webhooks.office import URL, Office, answering

HERE: Final = "/int/v1/webhooks"
BOTH: Final = ("/int/v1/webhooks", "/v1/webhooks")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A name server that knows some names; all others are asked of the real one."""
    known: dict[str, list[str]] = {}
    really = aiodns.DNSResolver.getaddrinfo

    async def answer(resolver: Any, host: Any, *args: Any, **more: Any) -> Any:
        if host not in known:
            return await really(resolver, host, *args, **more)
        nodes = [SimpleNamespace(addr=(one.encode(), 0)) for one in known[host]]
        return SimpleNamespace(nodes=nodes)

    monkeypatch.setattr(aiodns.DNSResolver, "getaddrinfo", answer)
    return known


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


def client(firm: Firm, path: str) -> httpx.AsyncClient:
    return firm.admin if path.startswith("/int") else firm.api


async def changed(firm: Firm, webhook: dict[str, Any], **wishes: Any) -> dict[str, Any]:
    answer = await firm.admin.patch(f"{HERE}/{webhook['id']}", json=wishes)
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def states(office: Office) -> list[str]:
    return [row["state"] for row in await office.deliveries()]


@pytest.mark.parametrize("path", BOTH)
async def test_an_endpoint_needs_nothing_but_its_address(acme: Firm, path: str) -> None:
    made = await client(acme, path).post(path, json={"url": URL})
    assert made.status_code == 201, made.text
    row = made.json()
    assert row["secret"].startswith("whsec_")
    assert row["id"] == row["public_id"]
    assert row["events"] == ["*"]
    assert row["headers"] == {}
    assert (row["signature_format"], row["ordering"]) == ("prefixed", "first_attempt")
    assert (row["timeout"], row["rate_limit"], row["max_in_flight"]) == (10, None, 16)
    assert (row["state"], row["state_reason"], row["description"]) == ("enabled", None, None)
    assert row["health"] == {
        "failing_since": None, "failures": 0, "last_success_at": None, "last_failure_at": None,
    }  # fmt: skip
    assert made.headers["etag"] == '"1"'


async def test_everything_that_can_be_chosen_is_kept(acme: Firm) -> None:
    wishes = {
        "url": "https://Shop.Example.com/hooks?shop=1",
        "events": ["order.*", "issue.created"],
        "description": "Stock keeping",
        "signature_format": "bare",
        "ordering": "strict",
        "timeout": 30,
        "rate_limit": 1000,
        "max_in_flight": 64,
        "state": "paused",
    }
    made = (await acme.admin.post(HERE, json={**wishes, "headers": {"X-Shop": "7"}})).json()
    read = (await acme.admin.get(f"{HERE}/{made['id']}")).json()
    wishes["url"] = "https://shop.example.com/hooks?shop=1"
    assert {name: read[name] for name in wishes} == wishes
    assert read["state_reason"] == "operator"
    assert read["headers"] == {"X-Shop": "***"}


@pytest.mark.parametrize("path", BOTH)
async def test_the_secret_is_shown_once_and_kept_sealed(acme: Firm, path: str) -> None:
    caller = client(acme, path)
    made = (await caller.post(path, json={"url": URL})).json()
    for answer in (await caller.get(path), await caller.get(f"{path}/{made['id']}")):
        assert "whsec_" not in answer.text
    changed = await caller.patch(f"{path}/{made['id']}", json={"description": "x"})
    assert "whsec_" not in changed.text
    kept = await acme.house.value("select secrets::text from webhooks")
    assert "whsec_" not in kept
    assert made["secret"][6:] not in kept
    assert [set(one) for one in made["secrets"]] == [{"id", "created_at", "leads_at", "expires_at"}]


async def test_asked_twice_with_one_idempotency_key_there_is_one_endpoint(acme: Firm) -> None:
    key = {"Idempotency-Key": "once"}
    first = await acme.admin.post(HERE, json={"url": URL}, headers=key)
    again = await acme.admin.post(HERE, json={"url": URL}, headers=key)
    assert again.content == first.content
    assert len((await acme.admin.get(HERE)).json()["data"]) == 1


@pytest.mark.parametrize("path", BOTH)
async def test_plain_http_is_refused_with_a_clear_sentence(acme: Firm, path: str) -> None:
    answer = await client(acme, path).post(path, json={"url": "http://shop.example.com/hooks"})
    told = refused(answer, 422, "validation_failed")
    assert told["fields"] == [{"path": "url", "message": PLAIN_HTTP}]
    made = (await client(acme, path).post(path, json={"url": URL})).json()
    body = {"url": "http://shop.example.com/hooks"}
    assert paths(await client(acme, path).patch(f"{path}/{made['id']}", json=body)) == ["url"]


async def test_an_address_that_webhooks_may_not_reach_is_refused(acme: Firm) -> None:
    for url in (
        "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest/meta-data",
        "https://2130706433/", "https://user:password@shop.example.com/",
        "https://shop.example.com:25/", "https://shop.example.com/#here", "ftp://shop.example.com/",
        "shop.example.com", "https://", "", "https://" + "x" * 5000, 7, None,
    ):  # fmt: skip
        assert paths(await acme.admin.post(HERE, json={"url": url})) == ["url"], url
    assert (await acme.admin.get(HERE)).json()["data"] == []


async def test_a_name_that_leads_inside_is_refused_without_telling_where(
    acme: Firm, names: dict[str, list[str]]
) -> None:
    names["inside.example.com"] = ["93.184.216.34", "10.7.8.9"]
    for path in BOTH:
        answer = await client(acme, path).post(path, json={"url": "https://inside.example.com/"})
        assert paths(answer) == ["url"]
        assert "10.7.8.9" not in answer.text
    made = (await acme.admin.post(HERE, json={"url": URL})).json()
    moved = await acme.admin.put(f"{HERE}/{made['id']}", json={"url": "https://inside.example.com"})
    assert paths(moved) == ["url"]


async def test_a_name_that_leads_outside_or_nowhere_at_present_is_taken(
    acme: Firm, names: dict[str, list[str]]
) -> None:
    names["outside.example.com"] = ["93.184.216.34"]
    for host in ("outside.example.com", "nowhere.invalid"):
        made = await acme.admin.post(HERE, json={"url": f"https://{host}/"})
        assert made.status_code == 201, made.text


async def test_events_are_chosen_by_name_by_group_or_all(acme: Firm) -> None:
    for events in (["*"], ["order.*", "driver.*"], [str(name) for name in Name]):
        made = await acme.admin.post(HERE, json={"url": URL, "events": events})
        assert made.json()["events"] == events
    twice = await acme.admin.post(HERE, json={"url": URL, "events": ["order.*", "*", "order.*"]})
    assert twice.json()["events"] == ["order.*", "*"]
    for events in ([], ["order"], ["order.made"], ["webhook.ping"], ["*.created"], ["ORDER.*"]):
        assert paths(await acme.admin.post(HERE, json={"url": URL, "events": events})) == ["events"]


async def test_what_is_out_of_bounds_is_refused(acme: Firm) -> None:
    made = (await acme.admin.post(HERE, json={"url": URL})).json()
    wrongs: list[tuple[str, Any]] = [
        ("timeout", 0), ("timeout", 31), ("timeout", "10"), ("rate_limit", 0), ("rate_limit", 1001),
        ("max_in_flight", 0), ("max_in_flight", 65), ("signature_format", "hex"),
        ("ordering", "none"), ("state", "gone"), ("description", "x" * 1001), ("events", "*"),
        ("headers", []), ("headers", {f"X-{number}": "1" for number in range(21)}),
    ]  # fmt: skip
    for field, wrong in wrongs:
        assert paths(await acme.admin.post(HERE, json={"url": URL, field: wrong})) == [field]
        assert paths(await acme.admin.patch(f"{HERE}/{made['id']}", json={field: wrong})) == [field]


async def test_a_header_that_is_ours_or_none_at_all_is_refused(acme: Firm) -> None:
    for name in (
        "Host", "content-type", "CONTENT-LENGTH", "Transfer-Encoding", "User-Agent", "TE",
        "Accept-Encoding", "Connection", "Trailer", "Upgrade", "Expect", "Keep-Alive",
        "Proxy-Authorization", "webhook-id", "Webhook-Signature", "X-Service-Signature",
        "", "X Shop", "X-Shop:", "X\nShop", "Ünder", "x" * 101,
    ):  # fmt: skip
        body = {"url": URL, "headers": {name: "1", "X-Good": "1"}}
        assert paths(await acme.admin.post(HERE, json=body)) == [f"headers.{name[:100]}"]


async def test_a_header_whose_value_could_break_out_is_refused(acme: Firm) -> None:
    for value in ("a\r\nHost: b", "a\nb", "\0", "ü", "x" * 2001, " x", "x\t"):
        answer = await acme.admin.post(HERE, json={"url": URL, "headers": {"X-Shop": value}})
        assert paths(answer) == ["headers.X-Shop"]
        assert "Host: b" not in answer.text


async def test_a_header_stands_once_whatever_its_capitals(acme: Firm) -> None:
    body = {"url": URL, "headers": {"X-Shop": "1", "x-shop": "2"}}
    assert paths(await acme.admin.post(HERE, json=body)) == ["headers.x-shop"]


async def test_values_of_headers_are_kept_sealed_and_never_shown(acme: Firm, house: House) -> None:
    body = {"url": URL, "headers": {"Authorization": "Bearer 7Yw2kQ", "Cookie": "a=b"}}
    made = await acme.admin.post(HERE, json=body)
    assert made.json()["headers"] == {"Authorization": "***", "Cookie": "***"}
    assert "7Yw2kQ" not in made.text
    kept: bytes = await house.value("select headers from webhooks")
    assert b"7Yw2kQ" not in kept


async def test_a_header_that_comes_back_hidden_keeps_its_value(acme: Firm, office: Office) -> None:
    given = {"Authorization": "Bearer 7Yw2kQ", "X-Shop": "7"}
    made = await office.register(headers=given)
    same = await changed(acme, made, headers=made["headers"])
    assert same["version"] == 1

    after = {"authorization": "***", "X-Till": "8"}
    assert (await changed(acme, made, headers=after))["headers"] == dict.fromkeys(after, "***")
    await office.tell()
    await office.work()
    sent = office.receivers.requests[0].headers
    assert (sent["authorization"], sent["X-Till"]) == ("Bearer 7Yw2kQ", "8")
    assert "X-Shop" not in sent

    assert paths(
        await acme.admin.patch(f"{HERE}/{made['id']}", json={"headers": {"X-Shop": "***"}})
    ) == ["headers.X-Shop"]
    assert (await changed(acme, made, headers=None))["headers"] == {}
    assert await acme.house.value("select headers is null from webhooks")


async def test_values_of_headers_do_not_follow_to_another_host(acme: Firm, office: Office) -> None:
    made = await office.register(headers={"Authorization": "Bearer 7Yw2kQ", "X-Shop": "7"})
    at, there = f"{HERE}/{made['id']}", {"url": "https://elsewhere.example.com/hooks"}
    for headers in ({}, {"headers": made["headers"]}):
        refused = await acme.admin.patch(at, json=there | headers)
        assert paths(refused) == ["headers.Authorization", "headers.X-Shop"]
    given = {"headers": {"Authorization": "Bearer other", "X-Shop": "***"}}
    assert paths(await acme.admin.patch(at, json=there | given)) == ["headers.X-Shop"]

    await changed(acme, made, url="https://receiver.example.com/other/path")
    moved = await changed(acme, made, **there, headers={"Authorization": "Bearer other"})
    assert moved["headers"] == {"Authorization": "***"}
    await changed(acme, made, url=made["url"], headers=None)


async def test_a_company_has_a_hundred_webhooks_at_the_most(acme: Firm, rival: Firm) -> None:
    made = (await acme.admin.post(HERE, json={"url": URL})).json()
    await copies(acme.house, 98)
    racing = await asyncio.gather(
        *(acme.admin.post(HERE, json={"url": URL}) for _ in range(3))
    )  # fmt: skip
    assert sorted(answer.status_code for answer in racing) == [201, 409, 409]
    refused(await acme.api.post("/v1/webhooks", json={"url": URL}), 409, "webhook_limit")
    assert (await rival.admin.post(HERE, json={"url": URL})).status_code == 201
    assert (await acme.admin.delete(f"{HERE}/{made['id']}")).status_code == 200
    assert (await acme.admin.post(HERE, json={"url": URL})).status_code == 201


async def copies(house: House, count: int) -> None:
    """Copy the one webhook there is."""
    async with house.database.transaction() as db:
        await db.execute(
            """insert into webhooks select (jsonb_populate_record(w, jsonb_build_object(
                   'uuid', gen_random_uuid(), 'public_id', 'webhook_' || gen_random_uuid()))).*
               from webhooks w, generate_series(1, :count)""",
            count=count,
        )


@pytest.mark.parametrize("path", BOTH)
async def test_what_no_text_can_hold_is_no_defect_of_ours(acme: Firm, path: str) -> None:
    for body in ({"description": "a\0b"}, {"headers": {"X\0": "1"}}, {"url": f"{URL}\0"}):
        answer = await client(acme, path).post(path, json={"url": URL, **body})
        assert answer.status_code == 422, answer.text


async def test_a_field_left_out_stays_and_null_clears(acme: Firm, office: Office) -> None:
    made = await office.register(description="Stock", rate_limit=5, events=["order.*"])
    after = await changed(acme, made, timeout=5)
    kept = ("url", "description", "rate_limit", "events", "max_in_flight", "state")
    assert {name: after[name] for name in kept} == {name: made[name] for name in kept}
    assert (after["timeout"], after["version"]) == (5, 2)
    cleared = await changed(acme, made, description=None, rate_limit=None)
    assert (cleared["description"], cleared["rate_limit"]) == (None, None)
    for field in ("url", "events", "timeout", "state", "max_in_flight"):
        body = {field: None}
        assert paths(await acme.admin.patch(f"{HERE}/{made['id']}", json=body)) == [field]


async def test_a_change_of_what_somebody_else_changed_is_refused(
    acme: Firm, office: Office
) -> None:
    made = await office.register()
    await changed(acme, made, timeout=5)
    late = await acme.admin.put(
        f"{HERE}/{made['id']}", json={"timeout": 6}, headers={"If-Match": '"1"'}
    )
    refused(late, 412, "precondition_failed")


async def test_webhooks_are_listed_by_state_and_by_words(acme: Firm, office: Office) -> None:
    shop = await office.register(url="https://shop.example.com/", description="100% stock")
    till = await office.register(url="https://till.example.com/", state="paused")
    for path in BOTH:

        async def listed(path: str = path, **query: Any) -> list[str]:
            answer = await client(acme, path).get(path, params=query)
            assert answer.status_code == 200, answer.text
            rows = answer.json() if path.startswith("/v1") else answer.json()["data"]
            return [row["id"] for row in rows]

        assert await listed() == [till["id"], shop["id"]]
        assert await listed(state="paused") == [till["id"]]
        assert await listed(state=["paused", "enabled"]) == [till["id"], shop["id"]]
        assert await listed(query="SHOP") == [shop["id"]]
        assert await listed(query="100%") == [shop["id"]]
        assert await listed(query="%till%") == []


async def test_pausing_holds_what_waits_and_enabling_lets_it_go_on(
    acme: Firm, office: Office
) -> None:
    made = await office.register()
    await office.tell(subject="order_1")
    await office.relay()
    acme.house.clock.advance(minutes=1)
    paused = await changed(acme, made, state="paused")
    assert (paused["state"], paused["state_reason"]) == ("paused", "operator")
    assert paused["state_changed_at"] == "2026-01-15T12:01:00.000Z"
    await office.tell(subject="order_2")
    await office.work()
    assert await states(office) == ["held", "held"]
    assert {row["next_attempt_at"] for row in await office.deliveries()} == {None}

    acme.house.clock.advance(minutes=1)
    assert (await changed(acme, made, state="disabled"))["state_reason"] == "operator"
    assert await states(office) == ["held", "held"]
    enabled = await changed(acme, made, state="enabled")
    assert enabled["state_reason"] is None
    assert await states(office) == ["pending", "pending"]
    due = [row["next_attempt_at"] for row in await office.deliveries()]
    assert due == ["2026-01-15T12:00:00.000Z", "2026-01-15T12:01:00.000Z"]
    await office.work()
    assert await states(office) == ["succeeded", "succeeded"]


async def test_enabling_forgets_old_failures(acme: Firm, office: Office) -> None:
    made = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    health = (await changed(acme, made, state="paused"))["health"]
    assert health == {
        "failing_since": to_rfc3339(stage.NOON), "failures": 1,
        "last_success_at": None, "last_failure_at": to_rfc3339(stage.NOON),
    }  # fmt: skip
    health = (await changed(acme, made, state="enabled"))["health"]
    assert (health["failures"], health["failing_since"]) == (0, None)
    assert health["last_failure_at"] == to_rfc3339(stage.NOON)


async def test_deleting_cancels_what_waits_and_says_so(acme: Firm, office: Office) -> None:
    made, other = await office.register(), await office.register(state="paused")
    await office.tell()
    await office.relay()
    for row in (made, other):
        gone = await acme.admin.delete(f"{HERE}/{row['id']}")
        assert gone.status_code == 200
        assert (gone.json()["id"], gone.json()["object"]) == (row["id"], "webhook")
        assert gone.json()["deleted"] is True
        refused(await acme.admin.get(f"{HERE}/{row['id']}"), 404, "not_found")
        refused(await acme.admin.delete(f"{HERE}/{row['id']}"), 404, "not_found")
        refused(await acme.admin.patch(f"{HERE}/{row['id']}", json={}), 404, "not_found")
    assert (await acme.admin.get(HERE)).json()["data"] == []
    for delivery in await office.deliveries():
        assert (delivery["state"], delivery["error"]) == ("cancelled", "The webhook was deleted.")
        assert delivery["finished_at"] is not None
    assert len(await office.deliveries(webhook=made["id"])) == 1
    await office.tell()
    await office.work()
    assert office.receivers.requests == []


async def test_who_may_look_may_not_change(acme: Firm, office: Office) -> None:
    made = await office.register()
    one = f"{HERE}/{made['id']}"
    viewer, dispatcher = await acme.operator("viewer"), await acme.operator("dispatcher")
    for reader in (viewer, dispatcher):
        for path in (HERE, one, f"{one}/deliveries", "/int/v1/webhook-deliveries"):
            assert (await reader.get(path)).status_code == 200
        for answer in (
            await reader.post(HERE, json={"url": URL}),
            await reader.patch(one, json={"timeout": 5}),
            await reader.post(f"{one}/rotate-secret", json={}),
            await reader.delete(one),
        ):
            refused(answer, 403, "forbidden")
    for path, body in (
        (f"{one}/ping", {}),
        ("/int/v1/webhook-deliveries/replay", {"filter": {"webhook": made["id"]}}),
        ("/int/v1/webhook-deliveries/delivery_1/replay", {}),
    ):
        refused(await viewer.post(path, json=body), 403, "forbidden")
    many = await dispatcher.post(
        "/int/v1/webhook-deliveries/replay", json={"filter": {"webhook": made["id"]}}
    )
    assert many.status_code == 200, many.text


async def test_a_key_needs_the_scope(acme: Firm, house: House, office: Office) -> None:
    made = await office.register()

    async def keyed(*scopes: str) -> httpx.AsyncClient:
        body = {"kind": "api", "name": "Hooks", "scopes": list(scopes)}
        return house.client((await acme.admin.post("/int/v1/keys", json=body)).json()["key"])

    reading, other = await keyed("webhooks:read"), await keyed("orders:write")
    assert (await reading.get("/v1/webhooks")).json()[0]["id"] == made["id"]
    assert (await reading.get("/v1/webhook-deliveries")).json() == []
    refused(await reading.post("/v1/webhooks", json={"url": URL}), 403, "forbidden")
    refused(await reading.post(f"/v1/webhooks/{made['id']}/ping"), 403, "forbidden")
    refused(await other.get("/v1/webhooks"), 403, "forbidden")
    writing = await keyed("webhooks:write")
    assert (await writing.post("/v1/webhooks", json={"url": URL})).status_code == 201


async def test_a_key_that_may_read_webhooks_alone_does_not_see_what_events_say(
    acme: Firm, house: House, office: Office
) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    (row,) = await office.deliveries()
    path = f"/v1/webhook-deliveries/{row['id']}"
    seen = []
    for scopes in (["webhooks:read"], ["webhooks:read", "events:read"], ["*"]):
        body = {"kind": "api", "name": "Hooks", "scopes": scopes}
        key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
        seen.append((await house.client(key).get(path)).json()["body"])
    assert seen[0] is None
    assert seen[1]["data"] == seen[2]["data"] == {"id": "order_1", "number": 0}
    assert (await acme.admin.get(f"/int{path}")).json()["body"] == seen[1]


async def test_a_refused_address_names_the_setting_that_would_allow_it(acme: Firm) -> None:
    told = {
        "http://shop.example.com/": "PANNIER_WEBHOOK_CA_BUNDLE",
        "https://10.1.2.3/": "PANNIER_WEBHOOK_ALLOW_NETWORKS",
    }
    for url, setting in told.items():
        answer = await acme.admin.post(HERE, json={"url": url})
        assert answer.status_code == 422, url
        assert setting in answer.json()["fields"][0]["message"], url


async def test_the_audit_log_tells_who_did_what_and_no_secret(acme: Firm, office: Office) -> None:
    url = "https://shop.example.com/hooks/T0PSECRET?key=7Yw2kQ"
    made = await office.register(url=url, headers={"Authorization": "Bearer 7Yw2kQ"})
    path = f"{HERE}/{made['id']}"
    await acme.admin.patch(path, json={"timeout": 5, "headers": {"X-Shop": "7Yw2kQ"}})
    await acme.admin.patch(path, json={"state": "paused"})
    await acme.admin.patch(path, json={"timeout": 5})
    await acme.api.patch(f"/v1/webhooks/{made['id']}", json={"state": "enabled"})
    await acme.admin.post(f"{path}/rotate-secret", json={})
    await acme.api.delete(f"/v1/webhooks/{made['id']}")
    entries = await acme.admin.get("/int/v1/audit", params={"subject": made["id"]})
    rows = entries.json()["data"][::-1]
    assert [(row["action"], row["actor_type"]) for row in rows] == [
        ("webhook.created", "operator"),
        ("webhook.changed", "operator"),
        ("webhook.paused", "operator"),
        ("webhook.enabled", "key"),
        ("webhook.secret_rotated", "operator"),
        ("webhook.deleted", "key"),
    ]
    assert set(rows[1]["details"]["changed"]) == {"timeout", "headers"}
    assert rows[3]["request_id"]
    for secret in ("7Yw2kQ", "T0PSECRET", "whsec_", made["secret"]):
        assert secret not in entries.text
