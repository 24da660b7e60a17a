"""Who comes in where: every kind of credential at every door, with its own and with others' ids.

What a door asks for is read off its route, as docs/endpoints.md tells it; a few rules that no
route may break stand here on their own.
The walk prints what it counted.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from litestar.routes import HTTPRoute

import stage
from contract import test_every_route as doors
from pannier.accounts.permissions import INCLUDED_ROLES, RESOURCES, has_role, has_scope
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.service import create_token, revoke_all_tokens
from pannier.app import build_litestar
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi.security import read_requirement
from probe import refused
from stage import PASSWORD, Firm, House

# Takes some twenty seconds: thirty thousand requests to one installation.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NUMBERS: Final = count()
UNKNOWN: Final = "thing_0000000000000000"
NOBODY, LACKING, INSIDE = 401, 403, 0
# What nobody needs: these may be done with one's own sign-in, whatever one's role.
OWN: Final = re.compile(
    r"/int/v1/(me(/weekly-report|/alert-rules)?|login|logout|(saved-views|sessions)(/.*)?"
    r"|alerts/([^/]+/)?read)$"
)
# What shows or makes credentials, or who did what: for admins alone.
ADMIN: Final = re.compile(r"/int/v1/(keys|operators|audit)\b")
# What operators for billing may change.
BILLING: Final = {
    "PATCH /int/v1/settings",
    "POST /int/v1/cash/remittances",
    "POST /int/v1/drivers/{driver_id}/cash/hand-in",
    "DELETE /int/v1/invoices/{invoice_id}",
    "PATCH /int/v1/invoices/{invoice_id}",
    "POST /int/v1/invoices",
    "POST /int/v1/invoices/{invoice_id}/credit-note",
    "POST /int/v1/invoices/{invoice_id}/issue",
    "POST /int/v1/invoices/{invoice_id}/payments",
    "POST /int/v1/invoices/{invoice_id}/refresh",
    "POST /int/v1/invoices/{invoice_id}/send",
    "PUT /int/v1/invoices/{invoice_id}",
    "POST /int/v1/orders/{order_id}/charges",
    "POST /int/v1/orders/{order_id}/collect-cash",
    "POST /int/v1/transactions/{transaction_id}/checkout",
    "POST /int/v1/transactions/{transaction_id}/payments",
    "POST /int/v1/transactions/{transaction_id}/refund",
    "POST /int/v1/transactions/{transaction_id}/void",
}
# What devices say and what follows from it.
MODULE: Final = re.compile(r"/int/v1/fleet-module/")
# Heads that differ from answer to answer.
# What is left of a rate limit differs with every request.
FLEETING: Final = {"x-request-id", "date", "content-length", "ratelimit"}


@dataclass(frozen=True)
class Door:
    """A method of a path, and what it asks for: one of these sets of credentials, and more."""

    method: str
    template: str
    wanted: tuple[frozenset[str], ...]
    resource: str | None
    least: tuple[Any, ...]

    @property
    def area(self) -> str:
        areas = ("/storefront/v1", "/int/v1", "/v1", "/ingest", "/metrics", "/status")
        return next(area for area in areas if self.template.startswith(area))

    @property
    def verb(self) -> str:
        sends = (self.method, self.template) == doors.SENDS
        return "read" if self.method in SAFE_METHODS and not sends else "write"

    @property
    def named(self) -> bool:
        """Whether its path names something."""
        return "{" in self.template

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


@dataclass
class Caller:
    """Somebody at the door: what they show, and what that is worth."""

    name: str
    client: httpx.AsyncClient
    worth: frozenset[str] = frozenset()
    scopes: tuple[str, ...] = ()
    role: Any = None
    ours: bool = True
    holder: Holder | None = None
    sends_body: bool = True
    counted: Counter[int] = field(default_factory=Counter)

    def expected(self, door: Door) -> int:
        """Tell what the door has to say to them."""
        if not any(wanted <= self.worth for wanted in door.wanted):
            return NOBODY
        if "apiKey" in self.worth and door.resource:
            return INSIDE if has_scope(self.scopes, door.resource, door.verb) else LACKING
        if self.role and not has_role(self.role, *door.least):
            return LACKING
        return INSIDE

    @property
    def owns(self) -> bool:
        """Whether what Acme's paths name is theirs; a driver, customer or device has none of it."""
        return self.ours and not self.worth & {"driverToken", "customerToken", "deviceToken"}


def every_door() -> Iterator[Door]:
    """Read the doors off the routes."""
    for route in build_litestar().routes:
        assert isinstance(route, HTTPRoute)
        for method, (handler, _) in route.route_handler_map.items():
            if (method, route.path_format) in doors.SHUT:
                wanted = tuple(frozenset(each) for each in handler.resolve_security())
                told = read_requirement(handler)
                yield Door(method, route.path_format, wanted, told.resource, told.min_roles)


DOORS: Final = sorted(every_door(), key=lambda door: (door.template, door.method))


@pytest.fixture
async def installation(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house that counts no requests: here one caller sends thousands."""
    return await stage.build(
        database, clock, str(tmp_path), credential_rate="1000000", address_rate="1000000"
    )


async def key(firm: Firm, kind: str, **wish: Any) -> dict[str, Any]:
    made = await firm.admin.post("/int/v1/keys", json={"kind": kind, "name": "Matrix", **wish})
    assert made.status_code == 201, made.text
    shown: dict[str, Any] = made.json()
    return shown


async def person(firm: Firm, kind: Any, role: str = "") -> Holder:
    """Name a new driver, customer, device or operator of a company as tokens do."""
    public_id = await operator(firm, role) if role else await doors.MAKERS[f"{kind}_id"](firm)
    uuid = await firm.house.value(f"select uuid from {kind}s where public_id = :p", p=public_id)
    store = await firm.house.value("select uuid from stores where company = :c", c=firm.uuid)
    return Holder(firm.uuid, kind, uuid, public_id, store if kind == "customer" else None)


async def operator(firm: Firm, role: str) -> str:
    email = f"{role}.{next(NUMBERS)}@matrix.example.com"
    body = {"email": email, "name": "M", "role": role, "password": PASSWORD}
    return await doors.created(firm.admin.post("/int/v1/operators", json=body))


async def token(house: House, holder: Holder) -> str:
    async with house.database.transaction() as db:
        return (await create_token(db, holder, "sms", SigninOrigin())).text


async def people(firm: Firm, prefix: str, *, ours: bool) -> list[Caller]:
    """Those of a company who show a token of their own."""
    driver, customer = await person(firm, "driver"), await person(firm, "customer")
    await doors.at_work(firm, driver.public_id)
    device = await person(firm, "device")
    house, shop = firm.house, firm.storefront_key
    shown = {"Customer-Token": await token(house, customer)}
    found = [
        Caller(
            f"{prefix}driver token", house.client(await token(house, driver)),
            frozenset({"driverToken"}), ours=ours, holder=driver,
        ),
        Caller(
            f"{prefix}customer token", house.client(shop, **shown),
            frozenset({"storefrontKey", "customerToken"}), ours=ours, holder=customer,
        ),
        Caller(
            f"{prefix}device token", house.client(await token(house, device)),
            frozenset({"deviceToken"}), ours=ours, holder=device,
        ),
    ]  # fmt: skip
    for role in INCLUDED_ROLES:
        holder = await person(firm, "operator", role)
        client = house.client(await token(house, holder))
        worth = frozenset({"operator"})
        name = f"{prefix}operator, {role}"
        found.append(Caller(name, client, worth, role=role, ours=ours, holder=holder))
    return found


async def refused_ones(firm: Firm, other: Firm) -> list[Caller]:
    """Those whom nobody knows, or nobody knows any more."""
    house, sent = firm.house, []
    for kind in ("api", "app", "storefront"):
        made = await key(firm, kind)
        assert (await firm.admin.delete(f"/int/v1/keys/{made['id']}")).is_success
        sent.append(Caller(f"revoked {kind} key", house.client(made["key"])))
    for kind in ("driver", "customer", "device"):
        holder = await person(firm, kind)
        text = await token(house, holder)
        async with house.database.transaction() as db:
            await revoke_all_tokens(db, holder, revoked_by="test")
        bearer, beside = (None, {"Customer-Token": text}) if kind == "customer" else (text, {})
        sent.append(Caller(f"revoked {kind} token", house.client(bearer, **beside)))
    gone = await person(firm, "operator", "admin")
    disabled = Caller("disabled operator", house.client(await token(house, gone)))
    path = f"/int/v1/operators/{gone.public_id}"
    assert (await firm.admin.patch(path, json={"disabled": True})).is_success
    customer = await person(firm, "customer")
    return [
        *sent,
        Caller("nobody", house.client()),
        Caller("nobody, without a body", house.client(), sends_body=False),
        Caller("nonsense without a body", house.client("nonsense"), sends_body=False),
        Caller("cookie alone", house.client(Cookie="pannier_session=x")),
        Caller("nonsense", house.client("api_live_x_y", Cookie="pannier_session=x")),
        Caller("key of the other mode", house.client(firm.api_key.replace("_live_", "_test_"))),
        disabled,
        Caller(
            "customer token without a key",
            house.client(**{"Customer-Token": await token(house, customer)}),
        ),
        Caller(
            "customer token as bearer", house.client(await token(house, customer)),
        ),
        Caller(
            "customer token, another's key",
            house.client(other.storefront_key, **{"Customer-Token": await token(house, customer)}),
            frozenset({"storefrontKey"}), ours=False,
        ),
    ]  # fmt: skip


async def cast(acme: Firm, rival: Firm, trial: Firm) -> list[Caller]:
    """Everybody who may come to a door."""
    every_read = tuple(f"{resource}:read" for resource in RESOURCES)
    app = (await key(acme, "app"))["key"]
    narrow = {"read-only API key": every_read, "API key for files": ("files:read", "files:write")}
    keys = [
        Caller("API key", acme.api, frozenset({"apiKey"}), ("*",)),
        Caller("rival's API key", rival.api, frozenset({"apiKey"}), ("*",), ours=False),
        Caller("test company's API key", trial.api, frozenset({"apiKey"}), ("*",), ours=False),
        *[
            Caller(
                name, acme.house.client((await key(acme, "api", scopes=list(scopes)))["key"]),
                frozenset({"apiKey"}), scopes,
            )
            for name, scopes in narrow.items()
        ],
        Caller("storefront key", acme.storefront, frozenset({"storefrontKey"})),
        Caller(
            "rival's storefront key", rival.storefront, frozenset({"storefrontKey"}), ours=False
        ),
        Caller("app key", acme.house.client(app), frozenset({"appKey"})),
    ]  # fmt: skip
    return [
        *await refused_ones(acme, rival),
        *keys,
        *await people(acme, "", ours=True),
        *await people(rival, "rival's ", ours=False),
    ]


async def route(firm: Firm) -> dict[str, str]:
    """Place an order, and name it and one of its stops."""
    body = {"waypoints": ["1 Registered Road", "2 Registered Road"]}
    made = (await firm.api.post("/v1/orders", json=body)).json()
    stop = made["payload"]["waypoints"][1]["id"]
    return {"order_id": made["id"], "stop_id": stop, "subject_id": stop}


@cache
def read_address(text: str) -> httpx.URL:
    """Parse an address once for all who come to it: parsing takes as long as many refusals."""
    return httpx.URL("http://pannier.test").join(text)


class Walk:
    """One installation, everybody in it, and what went against expectation."""

    def __init__(self, acme: Firm, callers: list[Caller]) -> None:
        self.acme, self.callers = acme, callers
        self.things: dict[str, str] = {}
        self.wrong: list[str] = []
        self.requests = 0

    async def path(self, door: Door) -> str:
        """Fill a door's path with what Acme has; nothing here changes or ends it."""
        if not self.things:
            self.things = await route(self.acme)
        for name in doors.parameters(door.template):
            if name not in self.things:
                self.things[name] = await doors.MAKERS[name](self.acme)
        return door.template.format(**self.things)

    async def send(self, caller: Caller, door: Door, path: str) -> httpx.Response:
        self.requests += 1
        answer = await caller.client.request(
            door.method,
            read_address(f"{path}?{doors.QUESTIONS.get(door.template, '')}"),
            json=doors.BODIES.get(door.template, {}) if caller.sends_body else None,
        )
        caller.counted[answer.status_code] += 1
        if answer.status_code >= 500:
            self.wrong.append(f"{caller.name} at {door}: {answer.status_code} {answer.text[:200]}")
        return answer

    def expect(self, caller: Caller, door: Door, answer: httpx.Response, *, holds: bool) -> None:
        if not holds:
            told = f"{answer.status_code} {answer.text[:160]}"
            self.wrong.append(f"{caller.name} at {door}: {told}")

    def expect_refusal(
        self, caller: Caller, door: Door, answer: httpx.Response, status: int
    ) -> None:
        """Expect a problem with this status, spelled as the contract has it."""
        try:
            refused(answer, status, "not_found" if status == 404 else answer.json()["code"])
        except (AssertionError, KeyError, ValueError):
            self.expect(caller, door, answer, holds=False)

    async def everywhere(self) -> None:
        """Let everybody come to every door: those who are to stay outside first."""
        paths = [
            (door, await self.path(door), re.sub(r"{\w+}", UNKNOWN, door.template))
            for door in DOORS
        ]
        # All that Acme has is read twice, not at each door: reading it takes longer than refusing
        # everybody. Until then nobody has come in who could have changed it.
        before = await doors.contents(self.acme.house, self.acme)
        for door, real, absent in paths:
            await self.refuse(door, real, absent)
        after = await doors.contents(self.acme.house, self.acme)
        changed = [table for table in before if before[table] != after[table]]
        if changed:
            self.wrong.append(f"refused requests changed what Acme has: {', '.join(changed)}")
        for door, real, absent in paths:
            await self.admit(door, real, absent)

    async def refuse(self, door: Door, real: str, absent: str) -> None:
        """Let those come to a door who are to stay outside, or to see nothing there."""
        for caller in self.callers:
            expected = caller.expected(door)
            if expected != INSIDE:
                await self.outside(caller, door, expected, (real, absent))
            elif door.named and not caller.ours:
                await self.elsewhere(caller, door, real, absent)

    async def admit(self, door: Door, real: str, absent: str) -> None:
        """Let those come to a door who may come in."""
        # What a device of Acme's own says of another one is kept, though refused.
        for caller in self.callers:
            if caller.expected(door) == INSIDE and door.named and caller.ours and not caller.owns:
                await self.elsewhere(caller, door, real, absent)
        for caller in self.callers:
            if caller.expected(door) == INSIDE:
                await self.inside(caller, door, real, absent)

    async def outside(
        self, caller: Caller, door: Door, expected: int, paths: tuple[str, str]
    ) -> None:
        """They are refused, in the same words whether there is such a thing or not."""
        answers = [await self.send(caller, door, path) for path in dict.fromkeys(paths)]
        for answer in answers:
            self.expect_refusal(caller, door, answer, expected)
        self.expect(caller, door, answers[0], holds=words(answers[0]) == words(answers[-1]))

    async def elsewhere(self, caller: Caller, door: Door, real: str, absent: str) -> None:
        """For them there is no such thing: what is another's answers like what is nobody's."""
        foreign = await self.send(caller, door, real)
        nothing = await self.send(caller, door, absent)
        self.expect_refusal(caller, door, foreign, 404)
        self.expect(caller, door, foreign, holds=words(foreign) == words(nothing))

    async def inside(self, caller: Caller, door: Door, real: str, absent: str) -> None:
        """They come in: whoever reads sees what is theirs, and no one is turned away."""
        reads = door.verb == "read" and door.method == "GET" and (not door.named or caller.owns)
        answer = await self.send(caller, door, real if reads else absent)
        self.expect(caller, door, answer, holds=answer.status_code not in {401, 403})
        # Which proofs a pack is of must be said, there is no geocoder, drafts have no XML, nobody
        # was erased, and the companies are live.
        packs = (door.method, door.template) == doors.PACKS
        without = doors.NEEDS_GEOCODER | doors.STRUCTURED | doors.OF_THE_ERASED
        without |= doors.OF_TEST_COMPANIES
        exempt = packs or door.template in without
        self.expect(caller, door, answer, holds=answer.is_success or exempt or not reads)
        if not door.named and door.method != "GET":
            await self.sign_in_anew(caller)

    async def sign_in_anew(self, caller: Caller) -> None:
        """Some doors end a sign-in."""
        if caller.holder is not None:
            text = await token(self.acme.house, caller.holder)
            customer = caller.holder.kind == "customer"
            caller.client.headers["Customer-Token" if customer else "Authorization"] = (
                text if customer else f"Bearer {text}"
            )

    def report(self) -> str:
        """Tell who got what, how often."""
        lines = [
            f"{caller.name:32} "
            + "  ".join(f"{s}: {n:4}" for s, n in sorted(caller.counted.items()))
            for caller in self.callers
        ]
        heading = f"{len(DOORS)} doors, {len(self.callers)} callers, {self.requests} requests"
        return "\n".join([heading, *lines])


def words(answer: httpx.Response) -> Any:
    """An answer without what differs every time."""
    heads = {name: text for name, text in answer.headers.items() if name not in FLEETING}
    body = answer.json() if "json" in answer.headers.get("content-type", "") else answer.content
    if isinstance(body, dict):
        body = {name: part for name, part in body.items() if name not in {"request_id", "instance"}}
    return answer.status_code, heads, body


async def test_everybody_gets_in_where_they_may_and_nowhere_else(
    installation: House, capsys: pytest.CaptureFixture[str]
) -> None:
    acme, rival = await installation.found("Acme"), await installation.found("Rival")
    trial = await installation.found("Trial", "test")
    walk = Walk(acme, await cast(acme, rival, trial))
    await walk.everywhere()
    with capsys.disabled():
        print(f"\n{walk.report()}")  # noqa: T201 - this is what the walk is for
    assert not walk.wrong, "\n".join([f"{len(walk.wrong)} answers:", *walk.wrong[:40]])
    assert walk.requests > 30 * len(DOORS)


def test_no_route_is_open_to_a_kind_of_caller_it_is_not_for() -> None:
    prefixes = {
        "/v1": [{"apiKey"}, {"driverToken"}, {"appKey"}],
        "/storefront/v1": [{"storefrontKey"}, {"storefrontKey", "customerToken"}],
        "/int/v1": [{"operator"}],
        "/ingest": [{"apiKey"}, {"deviceToken"}],
        "/metrics": [{"metricsToken"}],
        "/status": [{"operator"}],
    }
    # What devices report, programs read too, and devices send.
    module = [*prefixes["/int/v1"], {"apiKey"}, {"deviceToken"}]
    for door in DOORS:
        allowed = module if MODULE.match(door.template) else prefixes[door.area]
        assert door.wanted, door
        assert all(wanted in allowed for wanted in door.wanted), door
    reporting = {str(door) for door in DOORS if frozenset({"deviceToken"}) in door.wanted}
    sending = re.compile(r"POST /int/v1/fleet-module/device|(GET|POST) /ingest/")
    assert all(sending.match(door) for door in reporting)
    app = {str(door) for door in DOORS if frozenset({"appKey"}) in door.wanted}
    assert app == {"POST /v1/drivers/login-with-sms", "POST /v1/drivers/verify-code"}


def test_an_operator_who_only_looks_changes_nothing_but_their_own() -> None:
    for door in (each for each in DOORS if each.area == "/int/v1"):
        if ADMIN.match(door.template):
            assert door.least == ("admin",), door
        if door.verb == "write" and not OWN.match(door.template):
            assert "viewer" not in door.least, door


def test_who_minds_the_money_changes_nothing_but_money_and_their_own() -> None:
    writes = {
        str(door)
        for door in DOORS
        if door.area == "/int/v1" and door.verb == "write" and has_role("billing", *door.least)
        and not OWN.match(door.template) and not MODULE.match(door.template)
    }  # fmt: skip
    assert writes == BILLING


def test_every_resource_of_the_fleet_api_asks_for_a_scope() -> None:
    """But for what is the key's own company, and what is a signed-in driver's alone."""
    bare = {door.template for door in DOORS if door.area == "/v1" and not door.resource}
    by_driver = {door.template for door in DOORS if door.wanted == (frozenset({"driverToken"}),)}
    assert bare - by_driver == {"/v1/organizations/current", "/v1/companies/current"}
