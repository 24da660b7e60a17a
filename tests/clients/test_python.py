"""The Python client, against a house in this process and against servers that fail."""

import inspect
import re
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import httpx
import pytest

from clients.packages import Packages
from pannier.events import relay
from pannier_client import (
    AsyncClient,
    Client,
    NoResponseError,
    Options,
    PannierError,
    ProblemError,
    RetryPolicy,
    errors,
    types,
)
from pannier_client.resources import AsyncResources, Resources
from pannier_client.retries import read_retry_after
from proofs import drawn
from stage import Firm

ADDRESS = "http://pannier.test"
AT_ONCE = RetryPolicy(min_seconds=0.0)


@pytest.fixture
def shop(acme: Firm) -> AsyncClient:
    """The client of Acme's shop."""
    return AsyncClient(ADDRESS, acme.api_key, retry=AT_ONCE, http=acme.house.client())


async def test_a_record_is_created_changed_read_and_deleted(shop: AsyncClient) -> None:
    made = await shop.contacts.create(name="Ada Lovelace", type="customer")
    changed = await shop.contacts.update(made["id"], name="Ada King", email=None)
    assert changed["name"] == "Ada King"
    assert (await shop.contacts.get(made["id"]))["name"] == "Ada King"
    with pytest.raises(errors.PreconditionFailed) as refused:
        await shop.contacts.update(made["id"], name="Ada", options={"if_version": made["version"]})
    assert (refused.value.status, refused.value.code) == (412, "precondition_failed")
    await shop.contacts.delete(made["id"])
    with pytest.raises(errors.NotFound) as missing:
        await shop.contacts.get(made["id"])
    assert missing.value.request_id


async def test_a_list_loads_its_pages_while_it_is_read(shop: AsyncClient) -> None:
    names = [f"Contact {number}" for number in range(5)]
    for name in names:
        await shop.contacts.create(name=name)
    contacts = shop.contacts.list(limit=2, sort="created_at")
    assert [contact["name"] async for contact in contacts] == names
    first = await contacts.first_page()
    assert [contact["name"] for contact in first.items] == names[:2]
    later = [page.items async for page in contacts.pages(first.next_cursor)]
    assert [[contact["name"] for contact in page] for page in later] == [names[2:4], names[4:]]


async def test_a_list_for_operators_is_read_by_its_cursors(acme: Firm) -> None:
    client = AsyncClient(ADDRESS, acme.token, http=acme.house.client())
    for name in ("One", "Two"):
        await client.internal.keys.create(kind="api", name=name)
    keys = client.internal.keys.list(limit=1)
    assert {"One", "Two"} <= {key["name"] async for key in keys}


async def test_events_are_caught_up_from_a_cursor_that_never_ends(
    shop: AsyncClient, acme: Firm
) -> None:
    async def list_created_orders(cursor: str | None) -> tuple[list[str], str | None]:
        await relay.Relay(acme.house.database, []).step()
        ids: list[str] = []
        page = None
        async for page in shop.events.list(event="order.created", limit=1).pages(cursor):
            ids += [str(event["data"]["id"]) for event in page.items]
        assert page is not None
        return ids, page.next_cursor

    places: types.OrderIn = {"pickup": "1 Raffles Place", "dropoff": "80 Mandai Lake Road"}
    orders = [(await shop.orders.create(**places))["id"] for _ in range(3)]
    ids, cursor = await list_created_orders(None)
    assert ids == orders
    later = (await shop.orders.create(**places))["id"]
    ids, cursor = await list_created_orders(cursor)
    assert ids == [later]
    assert (await list_created_orders(cursor))[0] == []


async def test_a_field_that_is_a_word_of_python_has_an_underscore(shop: AsyncClient) -> None:
    order = await shop.orders.create(
        pickup="1 Raffles Place", dropoff="80 Mandai Lake Road", return_="10 Bayfront Avenue"
    )
    place = order["payload"]["return"]
    assert place is not None
    assert "Bayfront" in str(place["address"])
    report = await shop.reports.get_volume(from_="2026-01-01", to="2026-01-31")
    assert report["from"] == "2026-01-01"


async def test_a_signature_is_sent_as_bytes_and_read_as_a_file(shop: AsyncClient) -> None:
    order = await shop.orders.create(pickup="1 Raffles Place", dropoff="80 Mandai Lake Road")
    captured = await shop.orders.capture_signature(
        order["id"], signature=drawn.signature(), signer_name="Ada"
    )
    assert (captured["method"], captured["subject_id"]) == ("signature", order["id"])
    assert (await shop.orders.download_proof_sheet_pdf(order["id"])).startswith(b"%PDF")


async def test_an_error_names_the_fields(shop: AsyncClient) -> None:
    with pytest.raises(errors.ValidationFailed) as refused:
        await shop.contacts.create(name="Ada", email="nobody")
    [field] = refused.value.fields
    assert (field.path, bool(field.message)) == ("email", True)


async def test_a_post_that_is_sent_twice_is_done_once(shop: AsyncClient) -> None:
    options: Options = {"idempotency_key": "order-17"}
    first = await shop.contacts.create(name="Ada", options=options)
    assert await shop.contacts.create(name="Ada", options=options) == first
    with pytest.raises(errors.IdempotencyKeyReused):
        await shop.contacts.create(name="Grace", options=options)


# What fails on the way

Reply = httpx.Response | Exception


def failing(*replies: Reply) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A server that gives these replies in order, and the requests that it gets."""
    requests: list[httpx.Request] = []
    left = iter(replies)

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return httpx.MockTransport(handle), requests


def problem(code: str, status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code, "detail": "No."}, headers=headers)


def client_of(transport: httpx.MockTransport, retry: RetryPolicy = AT_ONCE) -> Client:
    return Client(ADDRESS, "key", retry=retry, http=httpx.Client(transport=transport))


DONE = {"id": "contact_1", "name": "Ada"}


@pytest.mark.parametrize(
    "reply",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("cut off"),
        httpx.Response(502, text="<h1>Bad gateway</h1>"),
        problem("request_timeout", 408),
        problem("too_many_requests", 429),
        problem("outcome_unknown", 503),
        problem("idempotency_in_progress", 409),
    ],
    ids=repr,
)
def test_a_request_that_fails_on_the_way_is_repeated_with_its_key(reply: Reply) -> None:
    transport, requests = failing(reply, reply, httpx.Response(201, json=DONE))
    assert client_of(transport).contacts.create(name="Ada") == DONE
    assert len(requests) == 3
    assert len({request.headers["Idempotency-Key"] for request in requests}) == 1
    assert len({request.content for request in requests}) == 1


class LostAnswers(httpx.AsyncBaseTransport):
    """Passes each request on, and loses every second answer."""

    def __init__(self, firm: Firm) -> None:
        self.inner = httpx.ASGITransport(firm.house.edge)
        self.is_lost = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        self.is_lost = not self.is_lost
        if self.is_lost:
            raise httpx.RemoteProtocolError("cut off")
        return answer


async def test_no_attempt_is_refused_because_an_earlier_one_succeeded(acme: Firm) -> None:
    http = httpx.AsyncClient(transport=LostAnswers(acme))
    shop = AsyncClient(ADDRESS, acme.api_key, retry=AT_ONCE, http=http)
    made = await shop.contacts.create(name="Ada")
    options: Options = {"if_version": made["version"]}
    changed = await shop.contacts.update(made["id"], name="Grace", options=options)
    assert (changed["name"], changed["version"]) == ("Grace", made["version"] + 1)
    # By the caller's own header, too.
    own: Options = {"headers": {"if-match": f'"{changed["version"]}"'}}
    changed = await shop.contacts.update(made["id"], name="Ada", options=own)
    assert changed["name"] == "Ada"
    with pytest.raises(errors.PreconditionFailed):
        await shop.contacts.update(made["id"], name="Grace", options=options)
    assert (await shop.contacts.delete(made["id"]))["id"] == made["id"]


def test_two_calls_have_two_keys_and_reads_have_none() -> None:
    replies = [httpx.Response(200, json=DONE) for _ in range(3)]
    transport, requests = failing(*replies)
    client = client_of(transport)
    client.contacts.create(name="Ada")
    client.contacts.create(name="Ada")
    client.contacts.get("contact_1")
    keys = [request.headers.get("Idempotency-Key") for request in requests]
    assert len(set(keys)) == 3
    assert keys[2] is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (500, "internal", errors.Internal),
        (409, "conflict", errors.Conflict),
        (422, "validation_failed", errors.ValidationFailed),
        (418, "of_a_later_version", ProblemError),
    ],
)
def test_an_error_that_would_come_again_is_raised_at_once(
    status: int, code: str, kind: type[ProblemError]
) -> None:
    transport, requests = failing(problem(code, status))
    with pytest.raises(kind) as raised:
        client_of(transport).contacts.create(name="Ada")
    assert (raised.value.status, raised.value.code) == (status, code)
    assert len(requests) == 1


def test_a_client_gives_up_after_as_many_retries_as_it_is_allowed() -> None:
    transport, requests = failing(*[httpx.ConnectError("refused")] * 9)
    with pytest.raises(NoResponseError) as raised:
        client_of(transport).contacts.create(name="Ada", options={"max_retries": 2})
    assert raised.value.attempts == len(requests) == 3
    assert raised.value.idempotency_key == requests[0].headers["Idempotency-Key"]
    assert isinstance(raised.value.__cause__, httpx.ConnectError)


def test_the_last_error_is_raised_when_no_retry_is_left() -> None:
    transport, requests = failing(*[problem("overloaded", 503)] * 2)
    with pytest.raises(ProblemError, match="503"):
        client_of(transport).contacts.create(name="Ada", options={"max_retries": 1})
    assert len(requests) == 2


def test_a_mistake_in_the_request_is_not_repeated() -> None:
    transport, requests = failing()
    with pytest.raises(TypeError, match="cannot be sent"):
        client_of(transport).contacts.create(name=object())  # type: ignore[arg-type] - a mistake
    with pytest.raises(ValueError, match="not an identifier"):
        client_of(transport).contacts.get("..")
    assert requests == []


def test_an_id_cannot_leave_its_part_of_the_path() -> None:
    transport, requests = failing(httpx.Response(200, json=DONE))
    client_of(transport).contacts.get("../orders?x=1#y")
    assert requests[0].url.raw_path == b"/v1/contacts/..%2Forders%3Fx%3D1%23y"


def test_the_wait_doubles_up_to_its_limit_and_obeys_the_server() -> None:
    policy = RetryPolicy(max_retries=6, min_seconds=1.0, max_seconds=8.0)
    for retries, full in enumerate((1.0, 2.0, 4.0, 8.0, 8.0, 8.0)):
        delays = {policy.find_delay(retries, None) for _ in range(20)}
        assert all(delay is not None and full / 2 <= delay <= full for delay in delays)
        assert len(delays) > 1, "clients that failed together would return together"
    assert policy.find_delay(6, None) is None
    assert policy.find_delay(0, 30.0) == 30.0
    assert policy.find_delay(0, 3600.0) is None, "nobody waits an hour for a call"


@pytest.mark.parametrize("cursor", [None, "", "one"])
def test_a_list_whose_last_page_has_no_cursor_does_not_begin_again(cursor: str | None) -> None:
    pages = [
        httpx.Response(200, json={"data": [DONE], "meta": {"next_cursor": text, "has_more": True}})
        for text in ("one", cursor)
    ]
    transport, requests = failing(*pages)
    with pytest.raises(PannierError, match="does not end"):
        list(client_of(transport).events.list())
    assert len(requests) == 2


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("Thu, 01 Jan 2026 00:00:00", 0.0),
        ("Mon, 01 Jan 0001 00:00:00 +2359", 0.0),
    ],
)
def test_retry_after_is_read_or_ignored(text: str, seconds: float | None) -> None:
    assert read_retry_after(httpx.Response(503, headers={"Retry-After": text})) == seconds


def test_retry_after_may_be_a_date() -> None:
    past = httpx.Response(503, headers={"Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"})
    assert read_retry_after(past) == 0.0


def test_a_list_that_leads_elsewhere_gets_no_credentials_there() -> None:
    link = '<https://attacker.example.com/v1/contacts?cursor=next>; rel="next"'
    pages = [
        httpx.Response(200, json=[DONE], headers={"Link": link}),
        httpx.Response(200, json=[DONE]),
    ]
    transport, requests = failing(*pages)
    assert list(client_of(transport).contacts.list(limit=1)) == [DONE, DONE]
    assert {request.url.host for request in requests} == {"pannier.test"}
    assert requests[1].url.params["cursor"] == "next"
    assert requests[1].url.params["limit"] == "1"


def test_a_list_that_leads_to_itself_ends_with_an_error() -> None:
    link = '</v1/contacts?cursor=same>; rel="next"'
    transport, requests = failing(*[httpx.Response(200, json=[DONE], headers={"Link": link})] * 3)
    with pytest.raises(PannierError, match="refers to itself"):
        list(client_of(transport).contacts.list())
    assert len(requests) == 2


def test_an_answer_that_is_not_ours_is_an_error_of_its_own() -> None:
    transport, _ = failing(httpx.Response(200, text="Sign in to this network"))
    with pytest.raises(ProblemError) as raised:
        client_of(transport).contacts.get("contact_1")
    assert raised.value.code == "response_unreadable"
    transport, _ = failing(httpx.Response(302, headers={"Location": "https://elsewhere"}))
    with pytest.raises(ProblemError) as raised:
        client_of(transport).contacts.get("contact_1")
    assert raised.value.code == "http_302"


def test_both_clients_have_the_same_methods() -> None:
    def walk(kind: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
        for name, member in vars(kind).items():
            if name.startswith("_"):
                continue
            group = getattr(member, "func", None)
            if group is None:
                yield name, member
            else:
                inner = inspect.get_annotations(group)["return"]
                module = inspect.getmodule(kind)
                yield from ((f"{name}.{each}", at) for each, at in walk(vars(module)[inner]))

    plain, later = dict(walk(Resources)), dict(walk(AsyncResources))
    assert plain.keys() == later.keys()
    assert len(plain) > 400
    for name, member in plain.items():
        names = list(inspect.signature(member).parameters)
        assert list(inspect.signature(later[name]).parameters) == names


@pytest.mark.slow
def test_the_wheel_is_typed_and_needs_only_httpx(client_packages: Packages) -> None:
    with zipfile.ZipFile(client_packages.wheel) as wheel:
        names = wheel.namelist()
        [metadata] = [wheel.read(name).decode() for name in names if name.endswith("/METADATA")]
    assert {"pannier_client/py.typed", "pannier_client/LICENSE"} <= set(names)
    assert re.findall(r"^Requires-Dist: (\w+)", metadata, re.MULTILINE) == ["httpx"]
    assert f"Version: {version('pannier')}\n" in metadata
