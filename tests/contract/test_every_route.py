"""Every door there is, and what fills its path; who may pass, the matrix tells."""

import re
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from random import randrange
from typing import Any, Final
from uuid import UUID

import httpx
import msgspec
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from customers.mall import Mall
from devices.recorder import Recorder, ids
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.service import create_token
from pannier.app import build_litestar
from pannier.events.catalog import Name
from pannier.events.outbox import emit
from pannier.fleet import signin
from pannier.fleet.queries import DRIVERS
from pannier.notifications import service as notifications
from pannier.parked import service as parking
from pannier.parked.models import WorkKey
from pannier.webhooks import fanout
from payments.purse import Purse
from probe import refused
from proofs import drawn
from stage import Broom, Firm, House

pytestmark = pytest.mark.slow

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
# Doors that are open to anybody, and why.
PUBLIC: Final = {
    ("GET", "/healthz"): "load balancers ask it",
    ("GET", "/readyz"): "load balancers ask it",
    ("GET", "/openapi.json"): "what the doors are is no secret",
    ("GET", "/"): "it leads to the pages",
    ("GET", "/assets/{release}/{place}"): "styles and scripts are the same for everybody",
    ("GET", "/docs"): "what the doors are is no secret",
    ("GET", "/docs/copy/{name}"): "the guides offer them to copy",
    ("GET", "/docs/search.json"): "what the pages say is no secret",
    ("GET", "/docs/style.css"): "the pages look better with it",
    ("GET", "/docs/{page_path}"): "what the doors are is no secret",
    ("POST", "/int/v1/login"): "who signs in has no credential yet",
    ("GET", "/files/{file_id}"): "the link's signature is the credential",
    ("GET", "/invoices/{invoice_id}.pdf"): "the link's signature is the credential",
    ("POST", "/payments/stripe/notices"): "the gateway's signature is the credential",
    ("GET", "/payments/done"): "who has paid comes back to it",
    ("GET", "/payments/style.css"): "the pages look better with it",
    ("GET", "/payments/fake/{session}"): "who knows the address may pretend to pay",
    ("POST", "/payments/fake/{session}/pay"): "who knows the address may pretend to pay",
    ("GET", "/.well-known/jwks.json"): "public keys are public",
    ("GET", "/ingest/osmand/{token}"): "the token in the path is the credential",
    ("POST", "/ingest/osmand/{token}"): "the token in the path is the credential",
    ("POST", "/ingest/traccar/{token}"): "the token in the path is the credential",
    ("GET", "/verify/{order_id}/{sheet_mark}"): "whoever holds a proof sheet may check it",
    ("GET", "/driver"): "the app is the same for everybody",
    ("GET", "/driver/sw.js"): "the app is the same for everybody",
    ("GET", "/driver/scanner.js"): "the app is the same for everybody",
    ("GET", "/driver/map-worker.js"): "the app is the same for everybody",
    ("GET", "/driver/manifest.webmanifest"): "the app is the same for everybody",
    ("GET", "/driver/icons/{name}"): "the app is the same for everybody",
    ("GET", "/t"): "recipients ask for their number there",
    ("GET", "/t/{number}"): "recipients follow what comes to them",
    ("POST", "/t/{number}"): "recipients say which postcode is theirs",
    ("GET", "/t/{number}/news"): "recipients choose whether they hear of it",
    ("POST", "/t/{number}/news"): "recipients choose whether they hear of it",
    ("GET", "/t/{number}/proof"): "recipients see the proof again",
    ("GET", "/t/{number}/instructions"): "recipients say how they receive it",
    ("POST", "/t/{number}/instructions"): "recipients say how they receive it",
    ("GET", "/t/{number}/time"): "recipients choose another time",
    ("POST", "/t/{number}/time"): "recipients choose another time",
    ("GET", "/t/{number}/rating"): "recipients rate the delivery",
    ("POST", "/t/{number}/rating"): "recipients rate the delivery",
    ("GET", "/t/-/brand/{color}"): "the pages look better with it",
    ("GET", "/t/-/basemap/{theme}"): "the pages' maps need it",
    ("GET", "/t/-/tiles/{z}/{x}/{name}"): "the pages' maps need it",
}


class Order(msgspec.Struct):
    id: str


Maker = Callable[[Firm], Awaitable[str]]


async def key(firm: Firm) -> str:
    return await created(
        firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Registered"})
    )


async def operator(firm: Firm) -> str:
    email = f"registered{randrange(10**9)}@{firm.company.name.lower()}.example.com"
    body = {"email": email, "name": "R", "role": "viewer", "password": "a long sentence"}
    return await created(firm.admin.post("/int/v1/operators", json=body))


async def file(firm: Firm) -> str:
    # As a picture begins: some fields take pictures only.
    return await created(firm.api.post("/v1/files", json={"data": "iVBORw0KGgo="}))


async def event(firm: Firm) -> str:
    async with firm.house.database.transaction() as db:
        order = Order("order_1")
        told = await emit(db, firm.uuid, Name.ORDER_CREATED, order, subject=order.id)
    return told.public_id


async def device_event(firm: Firm) -> str:
    recorder = Recorder(firm)
    return ids(*await recorder.store(recorder.event(await recorder.device())))[0]


async def contact(firm: Firm) -> str:
    return await created(firm.api.post("/v1/contacts", json={"name": "Registered"}))


async def vendor(firm: Firm) -> str:
    return await created(firm.api.post("/v1/vendors", json={"name": "Registered"}))


async def place(firm: Firm) -> str:
    return await created(firm.api.post("/v1/places", json={"street1": "1 Registered Road"}))


async def service_area(firm: Firm) -> str:
    body = {"name": "Registered", "location": "1.3,103.8", "radius": 1000}
    return await created(firm.api.post("/v1/service-areas", json=body))


async def zone(firm: Firm) -> str:
    body = {"name": "Registered", "location": "1.3,103.8", "radius": 500}
    area = await service_area(firm)
    return await created(firm.api.post("/v1/zones", json={**body, "service_area": area}))


async def service_rate(firm: Firm) -> str:
    body = {
        "service_name": "Registered",
        "service_type": "standard",
        "currency": "SGD",
        "rate_calculation_method": "fixed_rate",
        "base_fee": 500,
    }
    return await created(firm.api.post("/v1/service-rates", json=body))


async def driver(firm: Firm) -> str:
    phone = f"+659{randrange(10**7):07}"
    return await created(firm.api.post("/v1/drivers", json={"name": "R", "phone": phone}))


async def at_work(firm: Firm, hired: str) -> httpx.Response:
    """Have a driver be seen somewhere, and go on duty."""
    place = {"latitude": 1.2839, "longitude": 103.8515}
    assert (await firm.api.post(f"/v1/drivers/{hired}/track", json=place)).is_success
    return await firm.api.post(f"/v1/drivers/{hired}/toggle-online", json={"online": True})


async def driving(firm: Firm) -> httpx.AsyncClient:
    """Come in as a driver of the company, a new one each time, who is at work and was seen."""
    on_duty = await at_work(firm, await driver(firm))
    uuid = on_duty.json()["uuid"]
    async with firm.house.database.transaction() as db:
        holder = signin.make_holder(await DRIVERS.get(db, firm.uuid, uuid))
        opened = await create_token(db, holder, "sms", SigninOrigin())
    return firm.house.client(opened.text)


async def vehicle(firm: Firm) -> str:
    return await created(firm.api.post("/v1/vehicles", json={}))


async def fleet(firm: Firm) -> str:
    return await created(firm.api.post("/v1/fleets", json={"name": "Registered"}))


async def device(firm: Firm) -> str:
    return await created(firm.api.post("/v1/devices", json={"name": "Registered"}))


async def driver_message(firm: Firm) -> str:
    body = {"driver": await driver(firm), "text": "Please call."}
    return await created(firm.api.post("/v1/driver-messages", json=body))


async def issue(firm: Firm) -> str:
    return await created(firm.api.post("/v1/issues", json={"report": "A flat tyre."}))


async def payload(firm: Firm) -> str:
    body = {"pickup": "1 Registered Road", "dropoff": "2 Registered Road"}
    return await created(firm.api.post("/v1/payloads", json=body))


async def waypoint(firm: Firm) -> str:
    body = {"payload": await payload(firm), "place": "3 Registered Road"}
    return await created(firm.api.post("/v1/waypoints", json=body))


async def entity(firm: Firm) -> str:
    return await created(firm.api.post("/v1/entities", json={"name": "Registered"}))


async def webhook(firm: Firm) -> str:
    # A literal, so that nobody waits for a name server.
    body = {"url": "https://93.184.216.34/registered"}
    return await created(firm.admin.post("/int/v1/webhooks", json=body))


async def delivery(firm: Firm) -> str:
    endpoint = await webhook(firm)
    async with firm.house.database.transaction() as db:
        order = Order("order_1")
        told = await emit(db, firm.uuid, Name.ORDER_CREATED, order, subject=order.id)
    async with firm.house.database.transaction() as db:
        await fanout.create_deliveries(db, [told])
    rows = await firm.admin.get(f"/int/v1/webhooks/{endpoint}/deliveries")
    return str(rows.json()["data"][0]["id"])


async def created(answer: Awaitable[httpx.Response]) -> str:
    made = await answer
    assert made.status_code == 201, made.text
    name: str = made.json()["id"]
    return name


# Who makes what a path parameter names. A new parameter needs a line here.
async def order_config(firm: Firm) -> str:
    """The default flow, which every company has."""
    return str((await firm.api.get("/v1/order-configs")).json()[0]["id"])


async def flow_version(_: Firm) -> str:
    """The first one, which every flow has."""
    return "1"


async def order(firm: Firm) -> str:
    body = {"pickup": "1 Registered Road", "dropoff": "2 Registered Road"}
    return await created(firm.api.post("/v1/orders", json=body))


async def plan(firm: Firm) -> str:
    await driver(firm)
    return await created(firm.api.post("/v1/plans", json={"orders": [await order(firm)]}))


async def spreadsheet_import(firm: Firm) -> str:
    files = {"file": ("places.csv", b"name,city\nDepot,Singapore\n")}
    uploaded = (await firm.api.post("/v1/files", files=files)).json()["id"]
    return await created(
        firm.api.post("/v1/imports", json={"resource": "places", "file": uploaded})
    )


async def order_stop(firm: Firm) -> str:
    body = {"waypoints": ["1 Registered Road", "2 Registered Road"]}
    made = (await firm.api.post("/v1/orders", json=body)).json()
    return str(made["payload"]["waypoints"][1]["id"])


async def tracking_number(firm: Firm) -> str:
    rows = await firm.api.get(f"/v1/tracking-numbers?order={await order(firm)}")
    return str(rows.json()[0]["id"])


async def tracking_status(firm: Firm) -> str:
    body = {"order": await order(firm), "code": "customs", "status": "At customs"}
    return await created(firm.api.post("/v1/tracking-statuses", json=body))


async def proof(firm: Firm) -> str:
    path = f"/v1/orders/{await order(firm)}/capture-qr"
    return await created(firm.api.post(path, json={"code": "4006381333931"}))


async def transaction(firm: Firm) -> str:
    return (await Purse(firm).owe()).public_id


async def service_quote(firm: Firm) -> str:
    await service_rate(firm)
    way = {"pickup": "1.3,103.8", "dropoff": "1.3,103.9"}
    order = await created(firm.api.post("/v1/orders", json=way))
    answer = await firm.api.get(f"/v1/orders/{order}/service-quotes")
    return str(answer.json()[0]["id"])


async def shopper(firm: Firm) -> httpx.AsyncClient:
    """Come in as a customer of the company's store, a new one each time."""
    return (await Mall(firm, count(randrange(10**6))).visitor())[1]


async def customer(firm: Firm) -> str:
    made = await (await shopper(firm)).get("/storefront/v1/customers/me")
    return str(made.json()["id"])


async def customer_session(firm: Firm) -> str:
    rows = await (await shopper(firm)).get("/storefront/v1/customers/sessions")
    return str(rows.json()[0]["id"])


async def linked_provider(firm: Firm) -> str:
    """Link a provider to a new customer."""
    made = await (await shopper(firm)).get("/storefront/v1/customers/me")
    return str(
        await firm.house.value(
            """insert into customer_identities (uuid, company, store, customer, provider, subject,
                   verified, created_at, last_used_at)
               select gen_random_uuid(), company, store, uuid, 'a', uuid::text, true,
                   created_at, created_at
               from customers where uuid = :uuid returning uuid""",
            uuid=UUID(made.json()["uuid"]),
        )
    )


async def storefront(firm: Firm) -> str:
    """The store that every company has."""
    return str((await firm.admin.get("/int/v1/storefronts")).json()["data"][0]["id"])


async def parked(firm: Firm) -> str:
    async with firm.house.database.transaction() as db:
        work = WorkKey(firm.uuid, "a step", "order_1", db.new_uuid())
        await parking.park(db, work, RuntimeError("Out of order."))
    return str((await firm.admin.get("/int/v1/parked")).json()["data"][0]["id"])


async def audit_entry(firm: Firm) -> str:
    await key(firm)
    return str((await firm.admin.get("/int/v1/audit")).json()["data"][0]["id"])


async def message(firm: Firm) -> str:
    async with firm.house.database.transaction() as db:
        said = await notifications.queue_message(
            db, firm.uuid, "email", "ada@example.com", "Hello."
        )
    return said.public_id


async def debtor(firm: Firm) -> str:
    """A customer who was charged, and has no invoice yet."""
    customer = await contact(firm)
    way = {"pickup": "1 Registered Road", "dropoff": "2 Registered Road", "customer": customer}
    shipped = await created(firm.api.post("/v1/orders", json=way))
    await firm.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    await firm.api.post(f"/v1/orders/{shipped}/charges", json=CHARGE)
    return customer


async def invoice(firm: Firm) -> str:
    return await created(firm.api.post("/v1/invoices", json={"customer": await debtor(firm)}))


async def invoice_line(firm: Firm) -> str:
    found = (await firm.api.get(f"/v1/invoices/{await invoice(firm)}")).json()
    identifier: str = found["lines"][0]["id"]
    return identifier


async def cash_collection(firm: Firm) -> str:
    way = {"pickup": "1 Registered Road", "dropoff": "2 Registered Road"}
    cash = {"cod_amount": 1000, "cod_currency": "SGD"}
    shipped = await created(firm.api.post("/v1/orders", json={**way, **cash}))
    body = {"amount": 1000, "driver": await driver(firm)}
    return await created(firm.api.post(f"/v1/orders/{shipped}/collect-cash", json=body))


async def cash_hand_in(firm: Firm) -> str:
    collection = (await firm.api.get(f"/v1/cash/collections/{await cash_collection(firm)}")).json()
    path = f"/v1/drivers/{collection['driver']}/cash/hand-in"
    body = {"currency": "SGD", "counted_amount": 1000}
    return await created(firm.api.post(path, json=body))


async def merchant(firm: Firm, amount: int = 1000) -> str:
    """A customer for whom money was collected."""
    customer = await contact(firm)
    way = {"pickup": "1 Registered Road", "dropoff": "2 Registered Road"}
    cash = {"cod_amount": amount, "cod_currency": "SGD", "customer": customer}
    shipped = await created(firm.api.post("/v1/orders", json={**way, **cash}))
    body = {"amount": amount, "driver": await driver(firm), "method": "card"}
    await created(firm.api.post(f"/v1/orders/{shipped}/collect-cash", json=body))
    return customer


async def cash_remittance(firm: Firm) -> str:
    wanted = {"customer": await merchant(firm), "currency": "SGD"}
    return await created(firm.api.post("/v1/cash/remittances", json=wanted))


async def saved_view(firm: Firm) -> str:
    body = {"name": f"View {randrange(10**9)}", "shared": True}
    return await created(firm.admin.post("/int/v1/saved-views", json=body))


async def order_template(firm: Firm) -> str:
    body = {"name": "Mornings", "order": await order(firm)}
    return await created(firm.api.post("/v1/order-templates", json=body))


async def alert(firm: Firm) -> str:
    failed = await order(firm)
    acts = {
        "assign-driver": {"driver": await driver(firm)},
        "start": {"skip_dispatch": True},
        "fail-attempt": {"reason": "nobody_home"},
    }
    for action, body in acts.items():
        answer = await firm.api.post(f"/v1/orders/{failed}/{action}", json=body)
        assert answer.status_code == 200, answer.text
    found = await firm.admin.get(f"/int/v1/alerts?subject={failed}")
    identifier: str = found.json()["data"][0]["id"]
    return identifier


async def recurring_order(firm: Firm) -> str:
    body = {"name": "Weekly", "order": await order(firm), "rule": "FREQ=DAILY"}
    return await created(firm.api.post("/v1/recurring-orders", json=body))


MAKERS: Final[dict[str, Maker]] = {
    "alert_id": alert,
    "saved_view_id": saved_view,
    "order_template_id": order_template,
    "recurring_order_id": recurring_order,
    "storefront_id": storefront,
    "customer_id": customer,
    "session_id": customer_session,
    "token_id": customer_session,
    "provider_id": linked_provider,
    "proof_id": proof,
    "transaction_id": transaction,
    "service_quote_id": service_quote,
    "subject_id": order_stop,
    "order_id": order,
    "plan_id": plan,
    "import_id": spreadsheet_import,
    "stop_id": order_stop,
    "number_id": tracking_number,
    "tracking_status_id": tracking_status,
    "key_id": key,
    "operator_id": operator,
    "file_id": file,
    "event_id": event,
    "parked_id": parked,
    "audit_id": audit_entry,
    "message_id": message,
    "contact_id": contact,
    "vendor_id": vendor,
    "driver_id": driver,
    "vehicle_id": vehicle,
    "fleet_id": fleet,
    "issue_id": issue,
    "driver_message_id": driver_message,
    "device_id": device,
    "device_event_id": device_event,
    "place_id": place,
    "service_area_id": service_area,
    "zone_id": zone,
    "service_rate_id": service_rate,
    "order_config_id": order_config,
    "number": flow_version,
    "payload_id": payload,
    "waypoint_id": waypoint,
    "entity_id": entity,
    "webhook_id": webhook,
    "delivery_id": delivery,
    "cash_collection_id": cash_collection,
    "invoice_id": invoice,
    "cash_hand_in_id": cash_hand_in,
    "cash_remittance_id": cash_remittance,
}


SIGNATURE: Final = drawn.text(drawn.signature())
CHARGE: Final = {"kind": "other", "description": "Toll", "amount": 1}
# What a door takes at the least, where it does not take nothing.
BODIES: Final[dict[str, dict[str, Any]]] = {
    "/v1/drivers/{driver_id}/positions": {"positions": []},
    "/int/v1/drivers/{driver_id}/send-app-link": {"channel": "sms"},
    "/int/v1/test-messages": {"channel": "sms", "to": "+6591234567"},
    "/v1/orders/{order_id}/charges": CHARGE,
    "/int/v1/orders/{order_id}/charges": CHARGE,
    "/v1/invoices/{invoice_id}/credit-note": {"reason": "Wrong."},
    "/int/v1/invoices/{invoice_id}/credit-note": {"reason": "Wrong."},
    "/v1/invoices/{invoice_id}/payments": {"method": "cash"},
    "/int/v1/invoices/{invoice_id}/payments": {"method": "cash"},
    "/v1/transactions/{transaction_id}/payments": {"method": "cash"},
    "/int/v1/transactions/{transaction_id}/payments": {"method": "cash"},
    "/v1/orders/{order_id}/update-activity": {"activity": "enroute"},
    "/v1/orders/{order_id}/collect-cash": {"amount": 1000},
    "/int/v1/orders/{order_id}/collect-cash": {"amount": 1000},
    "/v1/drivers/{driver_id}/cash/hand-in": {"currency": "SGD", "counted_amount": 1},
    "/int/v1/drivers/{driver_id}/cash/hand-in": {"currency": "SGD", "counted_amount": 1},
    "/v1/orders/{order_id}/assign-driver": {"driver": None},
    "/v1/orders/{order_id}/fail-attempt": {"reason": "nobody_home"},
    "/v1/orders/{order_id}/resume-attempt": {"then": "retry"},
    "/v1/recurring-orders/{recurring_order_id}/skip": {"day": "2026-01-16"},
    "/v1/recurring-orders/{recurring_order_id}/create-order": {"day": "2026-01-16"},
    "/v1/issues/{issue_id}/photos": {"photo": SIGNATURE},
    "/v1/orders/{order_id}/capture-signature": {"signature": SIGNATURE},
    "/v1/orders/{order_id}/capture-signature/{subject_id}": {"signature": SIGNATURE},
    "/v1/orders/{order_id}/capture-photo": {"photo": SIGNATURE},
    "/v1/orders/{order_id}/capture-photo/{subject_id}": {"photo": SIGNATURE},
    "/v1/orders/{order_id}/capture-qr": {"code": "4006381333931"},
    "/v1/orders/{order_id}/capture-qr/{subject_id}": {"code": "4006381333931"},
    "/v1/orders/{order_id}/capture-sms": {"code": "123456"},
    "/v1/orders/{order_id}/capture-sms/{subject_id}": {"code": "123456"},
    "/v1/devices/{device_id}/attach": {"vehicle": "vehicle_0000000000000000"},
    "/int/v1/devices/{device_id}/attach": {"vehicle": "vehicle_0000000000000000"},
    "/int/v1/fleet-module/devices/{device_id}/events": {"event_type": "device_heartbeat"},
    "/int/v1/customers/{customer_id}/close": {"reason": "Because."},
    "/int/v1/customers/{customer_id}/erase": {"reason": "Because."},
    "/int/v1/customers/{customer_id}/push": {"title": "A", "text": "B"},
    "/int/v1/orders/{order_id}/override-proof": {"activity": "enroute", "reason": "Because."},
}


# What is asked at the least where nothing is no question.
QUESTIONS: Final[dict[str, str]] = {
    "/v1/service-quotes": "pickup=1.3,103.8&dropoff=1.3,103.9",
    "/int/v1/service-quotes/preview": "pickup=1.3,103.8&dropoff=1.3,103.9&explain=1",
    "/storefront/v1/service-quotes": "pickup=1.3,103.8&dropoff=1.3,103.9",
    **{
        f"{prefix}/addresses{path}": query
        for prefix in ("/v1", "/storefront/v1")
        for path, query in (("", "query=koulukatu"), ("/reverse", "location=61.0,24.0"))
    },
}


def doors(app: Litestar) -> Iterator[tuple[str, str]]:
    """List every method of every path."""
    for route in app.routes:
        assert isinstance(route, HTTPRoute), f"Teach this test what {route} is."
        for method in METHODS:
            if method in route.route_handler_map:
                yield method, route.path_format


# Some trackers send with this method; there is nothing to read.
# Nobody has a geocoder here; `test_addresses` has one.
NEEDS_GEOCODER: Final = frozenset(path for path in QUESTIONS if "/addresses" in path)
# A draft has none; `test_invoice_papers` has an issued one.
STRUCTURED: Final = frozenset(
    {"/v1/invoices/{invoice_id}.xml", "/int/v1/invoices/{invoice_id}.xml"}
)
# Kept of an erased customer who owes; `test_erasure` has one.
# Live companies have no simulations, and their webhooks no stream.
OF_TEST_COMPANIES: Final = frozenset({"/v1/webhooks/stream", "/v1/orders/{order_id}/simulate"})
OF_THE_ERASED: Final = frozenset({"/int/v1/transactions/{transaction_id}/billing-identity"})
SENDS: Final = ("GET", "/ingest/osmand")
# Packs proofs that are named; whose they may be, tests/proofs/test_documents.py tells.
PACKS: Final = ("GET", "/v1/proofs.zip")
DOORS: Final = sorted(doors(build_litestar()), key=lambda door: (door[1], door[0]))
# Pages of the console lead to its sign-in; see tests/console/test_every_screen.py.
SHUT: Final = [door for door in DOORS if door not in PUBLIC and not door[1].startswith("/console")]


def name(door: tuple[str, str]) -> str:
    return " ".join(door)


def parameters(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)


async def addressed(path: str, firm: Firm) -> str:
    """Fill a path with what the company has."""
    for parameter in parameters(path):
        assert parameter in MAKERS, (
            f"{path} has the parameter {parameter}, and nobody in MAKERS can make one."
        )
        path = path.replace(f"{{{parameter}}}", await MAKERS[parameter](firm))
    return path


# Doors that open to a signed-in customer only, or to a signed-in driver.
SIGNED_IN: Final = re.compile(r"^/storefront/v1/customers/(me|sessions|orders|places|providers)")
DRIVING: Final = re.compile(r"^/v1/(drivers/sessions|orders/nearby|orders/[^/]+/take$)")


async def caller_for(firm: Firm, path: str) -> httpx.AsyncClient:
    if DRIVING.match(path):
        return await driving(firm)
    return await shopper(firm) if SIGNED_IN.match(path) else client_for(firm, path)


def client_for(firm: Firm, path: str) -> httpx.AsyncClient:
    if path == "/metrics":
        return firm.house.client(firm.house.metrics_token)
    if path.startswith("/int/") or path == "/status":
        return firm.admin
    return firm.storefront if path.startswith("/storefront/") else firm.api


def test_the_list_of_public_doors_names_only_doors_there_are() -> None:
    assert set(PUBLIC) - set(DOORS) == set()


CHANGEABLE: Final = [
    path for method, path in DOORS if method == "DELETE" and ("PUT", path) in DOORS
]


@pytest.mark.parametrize("path", CHANGEABLE)
async def test_who_deletes_what_has_changed_meanwhile_is_told(acme: Firm, path: str) -> None:
    address, client = await addressed(path, acme), await caller_for(acme, path)
    stale = await client.delete(address, headers={"If-Match": '"987654"'})
    refused(stale, 412, "precondition_failed")
    assert (await client.get(address)).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "door",
    [
        door
        for door in SHUT
        if door[0] == "GET" and not parameters(door[1]) and door not in {SENDS, PACKS}
    ],
    ids=name,
)
async def test_what_a_company_reads_never_names_another(
    furnished: tuple[Firm, list[str]], rival: Firm, door: tuple[str, str]
) -> None:
    (acme, made), (_, path) = furnished, door
    answer = await (await caller_for(rival, path)).get(f"{path}?{QUESTIONS.get(path, '')}")
    assert answer.is_success or path in NEEDS_GEOCODER | OF_TEST_COMPANIES, answer.text
    for thing in (*made, acme.company.public_id, str(acme.uuid), "Acme"):
        assert thing not in answer.text


@pytest.fixture
async def furnished(house: House, broom: Broom) -> tuple[Firm, list[str]]:
    """Acme with one of everything there is, and the names those things go by."""

    async def furnish(firm: Firm) -> list[str]:
        made = [await make(firm) for make in MAKERS.values() if make is not flow_version]
        return [*made, str(firm.uuid)]

    return await broom.furnish(house, "Furnished", furnish)


async def contents(house: House, firm: Firm) -> Any:
    """Everything the company has, table by table, but for what reading may touch."""
    tables = await house.value(
        """select array_agg(c.relname::text order by c.relname) from pg_class c
           join pg_attribute a on a.attrelid = c.oid and a.attname = 'company'
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
             and not c.relispartition"""
    )
    rows = [
        f"""(select json_agg(to_jsonb(t) - 'last_used_at' order by t::text)::text from {table} t
             where company = :company)"""
        for table in tables
    ]
    found = await house.value(f"select array[{', '.join(rows)}]", company=firm.uuid)
    return dict(zip(tables, found, strict=True))
