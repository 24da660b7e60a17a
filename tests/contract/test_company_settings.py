"""What a company may want different is data, read by every operator and changed by an admin."""

from typing import Any

import httpx
import pytest

from fleet.depot import Depot
from pannier.accounts.models import Role
from probe import paths, refused
from routing.test_routing import sign_in
from stage import Firm, House

SETTINGS = "/int/v1/settings"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


async def change(firm: Firm, **body: Any) -> dict[str, Any]:
    answer = await firm.admin.patch(SETTINGS, json=body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def named(answer: httpx.Response) -> list[str]:
    return [field["path"] for field in refused(answer, 404, "not_found")["fields"]]


async def upload(client: httpx.AsyncClient, name: str, data: bytes) -> str:
    answer = await client.post("/v1/files", files={"file": (name, data)})
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def test_a_company_begins_with_the_defaults(acme: Firm) -> None:
    answer = await acme.admin.get(SETTINGS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == '"1"'
    shown = answer.json()
    assert shown.pop("updated_at")
    assert shown == {
        "name": acme.company.name,
        "country": None,
        "time_zone": "UTC",
        "locale": "en",
        "currency": None,
        "order_config": None,
        "codes": {
            "sends_per_hour": 5,
            "sends_per_day": 10,
            "sends_per_minute": 300,
            "wrong_per_code": 5,
            "wrong_per_hour": 10,
            "wrong_per_day": 30,
            "sends_per_address": 20,
            "wrong_per_address": 100,
            "countries": None,
            "refused_types": [
                "pager",
                "premium_rate",
                "satellite",
                "shared_cost",
                "toll_free",
                "uan",
                "voicemail",
            ],
            "sms_per_day": 5000,
            "breaker_sends": 100,
            "breaker_percent": 10,
        },
        "quote_life": 1800,
        "dispatch_requires": "nothing",
        "undelivered_charge": "keep",
        "return_fee": None,
        "price_changes": "adjust",
        "cancellation_fees": {"created": 0, "dispatched": 0, "started": 0},
        "cancellation_refund": "manual",
        "prices_include_tax": True,
        "tax_rate": None,
        "tax_rounding": "line",
        "tax_number": None,
        "legal_name": "Acme",
        "billing_address": {"street": None, "postal_code": None, "city": None, "country": None},
        "iban": None,
        "bic": None,
        "payment_instructions": None,
        "payment_terms_days": 14,
        "invoice_prefix": "INV-",
        "credit_note_prefix": "CN-",
        "invoice_footer": None,
        "email_invoices": True,
        "speed_limit_kmh": None,
        "dispatch_phone": None,
        "unique_internal_ids": True,
        "locations": {"distance": 25, "interval": 5},
        "routing": {"detour_factor": 1.3, "speed_kmh": 50, "adhoc_distance": 6000},
        "retention": {
            "events": 90,
            "messages": 90,
            "webhook_log": 30,
            "audit": 3650,
            "billing": 3650,
            "positions": 90,
            "telemetry": 180,
            "alerts": 730,
            "heartbeats": 7,
            "other_readings": 90,
            "tokens": 30,
        },
        "branding": {"name": acme.company.name, "color": None, "logo": None},
        "senders": {"sms": None, "email": None},
        "news": {
            "on_its_way": ["push", "sms", "email"],
            "next_stop": ["push", "sms"],
            "delivered": ["push", "email", "sms"],
            "could_not_be_delivered": ["push", "sms", "email"],
            "cancelled": ["push", "email"],
            "sms_per_day": 5000,
            "texts": {},
        },
        "recipients": {
            "instructions_until": "near",
            "near_minutes": 10,
            "reschedule_days": 0,
            "reschedule_notice_hours": 12,
            "weekdays": ["mon", "tue", "wed", "thu", "fri", "sat"],
            "windows": ["08:00-12:00", "12:00-16:00", "16:00-20:00"],
            "contact_phone": None,
            "contact_email": None,
            "ratings": True,
        },
        "given": [],
        "version": 1,
    }


async def test_what_is_left_out_stays_and_null_goes_back_to_the_default(acme: Firm) -> None:
    await change(acme, country="sg", codes={"sends_per_hour": 3, "countries": ["my", "SG", "sg"]})
    shown = await change(acme, time_zone="Asia/Singapore", codes={"wrong_per_hour": 5})
    assert (shown["country"], shown["time_zone"]) == ("SG", "Asia/Singapore")
    assert shown["codes"]["sends_per_hour"] == 3
    assert shown["codes"]["wrong_per_hour"] == 5
    assert shown["codes"]["countries"] == ["MY", "SG"]
    assert shown["given"] == [
        "country", "time_zone", "codes.sends_per_hour", "codes.wrong_per_hour", "codes.countries",
    ]  # fmt: skip
    shown = await change(acme, country=None, codes={"sends_per_hour": None})
    assert (shown["country"], shown["codes"]["sends_per_hour"]) == (None, 5)
    shown = await change(acme, codes=None)
    assert shown["given"] == ["time_zone"]
    assert shown["codes"]["countries"] is None


async def test_everything_can_be_set(acme: Firm) -> None:
    logo = await upload(acme.api, "logo.png", PIXEL)
    config = (
        await acme.api.post(
            "/v1/order-configs", json={"name": "Parcels", "key": "parcels", "flow": FLOW}
        )
    ).json()
    body = {
        "name": "Acme International",
        "country": "DE",
        "time_zone": "Europe/Berlin",
        "locale": "de-DE",
        "currency": "EUR",
        "order_config": config["id"],
        "quote_life": 600,
        "dispatch_requires": "price",
        "undelivered_charge": "return_fee",
        "return_fee": "12.5%",
        "speed_limit_kmh": 110,
        "dispatch_phone": "+6561234567",
        "unique_internal_ids": False,
        "retention": {"events": 14, "positions": 7},
        "branding": {"name": "Acme", "color": "#0b7285", "logo": logo},
        "senders": {"sms": "ACME", "email": "Acme Couriers"},
        "recipients": {
            "instructions_until": "started",
            "near_minutes": 20,
            "reschedule_days": 7,
            "reschedule_notice_hours": 2,
            "weekdays": ["mon", "fri"],
            "windows": ["09:00-10:30", "18:00-21:00"],
            "contact_phone": "+6561234567",
            "contact_email": "help@example.com",
            "ratings": False,
        },
    }
    shown = await change(acme, **body)
    assert {name: shown[name] for name in body if name != "retention"} == {
        name: value for name, value in body.items() if name != "retention"
    }
    assert (shown["retention"]["events"], shown["retention"]["positions"]) == (14, 7)
    assert (await acme.admin.get(SETTINGS)).json() == shown
    assert (await acme.api.get("/v1/organizations/current")).json()["name"] == "Acme International"


FLOW = [
    {"code": "created", "status": "Created", "next": ["dispatched"]},
    {"code": "dispatched", "status": "Dispatched", "next": ["started"]},
    {"code": "started", "status": "Started", "next": ["completed"]},
    {"code": "completed", "status": "Completed", "complete": True},
]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": None}, "name"),
        ({"country": "XX"}, "country"),
        ({"country": "Singapore"}, "country"),
        ({"time_zone": "Singapore time"}, "time_zone"),
        ({"time_zone": "../../etc/passwd"}, "time_zone"),
        ({"time_zone": "localtime"}, "time_zone"),
        ({"time_zone": "Factory"}, "time_zone"),
        ({"locale": "english please"}, "locale"),
        ({"currency": "XXX"}, "currency"),
        ({"quote_life": 1}, "quote_life"),
        ({"dispatch_requires": "luck"}, "dispatch_requires"),
        ({"undelivered_charge": "double"}, "undelivered_charge"),
        ({"undelivered_charge": "return_fee"}, "return_fee"),
        ({"return_fee": "101%"}, "return_fee"),
        ({"speed_limit_kmh": 0}, "speed_limit_kmh"),
        ({"dispatch_phone": "61234567"}, "dispatch_phone"),
        ({"codes": {"sends_per_hour": 0}}, "codes.sends_per_hour"),
        ({"codes": {"wrong_per_code": 1000}}, "codes.wrong_per_code"),
        ({"codes": {"countries": []}}, "codes.countries"),
        ({"codes": {"countries": ["SG", "QQ"]}}, "codes.countries"),
        ({"codes": {"refused_types": ["landline"]}}, "codes.refused_types[0]"),
        ({"codes": {"sms_per_day": 0}}, "codes.sms_per_day"),
        ({"retention": {"events": 91}}, "retention.events"),
        ({"retention": {"webhook_log": 0}}, "retention.webhook_log"),
        ({"branding": {"color": "blue"}}, "branding.color"),
        ({"senders": {"sms": "A very long name"}}, "senders.sms"),
        ({"recipients": {"instructions_until": "friday"}}, "recipients.instructions_until"),
        ({"recipients": {"near_minutes": 0}}, "recipients.near_minutes"),
        ({"recipients": {"reschedule_days": 31}}, "recipients.reschedule_days"),
        ({"recipients": {"weekdays": []}}, "recipients.weekdays"),
        ({"recipients": {"windows": ["12:00-08:00"]}}, "recipients.windows"),
        ({"recipients": {"contact_phone": "61234567"}}, "recipients.contact_phone"),
        ({"recipients": {"contact_email": "help"}}, "recipients.contact_email"),
        ({"recipients": {"windows": ["morning"]}}, "recipients.windows[0]"),
    ],
)
async def test_a_setting_that_cannot_be_is_refused_by_its_name(
    acme: Firm, body: dict[str, Any], path: str
) -> None:
    answer = await acme.admin.patch(SETTINGS, json=body)
    assert paths(answer) == [path]
    assert (await acme.admin.get(SETTINGS)).json()["version"] == 1


async def test_what_a_setting_names_must_be_the_companys_own(acme: Firm, rival: Firm) -> None:
    theirs = await upload(rival.api, "logo.png", PIXEL)
    words = await upload(acme.api, "logo.txt", b"not a picture")
    for logo in (theirs, words, "file_nothing"):
        answer = await acme.admin.patch(SETTINGS, json={"branding": {"logo": logo}})
        assert named(answer) == ["branding.logo"]
    config = (await rival.api.get("/v1/order-configs")).json()[0]["id"]
    answer = await acme.admin.patch(SETTINGS, json={"order_config": config})
    assert named(answer) == ["order_config"]


async def test_every_operator_reads_and_only_an_admin_changes(acme: Firm, house: House) -> None:
    roles: tuple[Role, ...] = ("viewer", "dispatcher")
    for role in roles:
        operator = await acme.operator(role)
        assert (await operator.get(SETTINGS)).status_code == 200
        refused(await operator.patch(SETTINGS, json={"country": "SG"}), 403, "forbidden")
    billing = await acme.operator("billing")
    assert (await billing.get(SETTINGS)).status_code == 200
    refused(await billing.patch(SETTINGS, json={"country": "SG"}), 403, "forbidden")
    both = {"return_fee": 100, "name": "Ours"}
    refused(await billing.patch(SETTINGS, json=both), 403, "forbidden")
    refused(await house.client().get(SETTINGS), 401, "unauthenticated")
    refused(await acme.api.get(SETTINGS), 401, "unauthenticated")


async def test_billing_changes_fees(acme: Firm) -> None:
    billing = await acme.operator("billing")
    body = {"undelivered_charge": "return_fee", "return_fee": "50%"}
    changed = await billing.patch(SETTINGS, json=body)
    assert changed.status_code == 200, changed.text
    assert {name: changed.json()[name] for name in body} == body


async def test_settings_are_one_companys(acme: Firm, rival: Firm) -> None:
    await change(acme, country="SG", name="Acme Singapore")
    theirs = (await rival.admin.get(SETTINGS)).json()
    assert (theirs["country"], theirs["name"]) == (None, rival.company.name)


async def test_a_change_that_knows_an_older_version_is_refused(acme: Firm) -> None:
    tag = (await acme.admin.get(SETTINGS)).headers["ETag"]
    changed = await acme.admin.patch(SETTINGS, json={"country": "SG"}, headers={"If-Match": tag})
    assert changed.headers["ETag"] == '"2"'
    late = await acme.admin.patch(SETTINGS, json={"country": "MY"}, headers={"If-Match": tag})
    refused(late, 412, "precondition_failed")
    same = await acme.admin.patch(SETTINGS, json={"country": "SG"})
    assert same.headers["ETag"] == '"2"'


async def test_a_change_is_in_the_audit_log_with_before_and_after(acme: Firm) -> None:
    await change(acme, country="SG", codes={"sends_per_hour": 3})
    await change(acme, country="MY", codes={"sends_per_hour": 3})
    entry = (await acme.admin.get("/int/v1/audit?action=company.changed")).json()["data"][0]
    assert entry["actor_type"] == "operator"
    assert entry["subject"] == acme.company.public_id
    assert (entry["before"], entry["after"]) == ({"country": "SG"}, {"country": "MY"})


async def test_drivers_read_the_number_of_dispatch(acme: Firm) -> None:
    depot = Depot(acme)
    driver = await depot.driver()
    path = f"/v1/drivers/{driver['id']}/stops"
    assert (await acme.api.get(path)).json()["dispatch_phone"] is None
    await acme.admin.patch("/int/v1/settings", json={"dispatch_phone": "+65 6123 4567"})
    client = await sign_in(acme, driver)
    assert (await client.get("/v1/drivers/me/stops")).json()["dispatch_phone"] == "+6561234567"
