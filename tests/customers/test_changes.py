"""What opens an account is changed after a fresh proof only, and ends the other sign-ins."""

import secrets
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
import pytest

from customers.mall import EMAIL, PASSWORD, PHONE, Mall
from pannier.kit.clock import ManualClock
from probe import refused
from stage import House

HERE = "/storefront/v1/customers"
ME = f"{HERE}/me"
NEW_PHONE, NEW_EMAIL = "+6598765432", "ada@example.org"


async def post(client: httpx.AsyncClient, action: str, **body: Any) -> httpx.Response:
    return await client.post(f"{HERE}/{action}", json=body)


async def granted(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def beside(mall: Mall) -> httpx.AsyncClient:
    """Sign the same customer in once more."""
    await mall.post("login-with-sms", phone=PHONE)
    done = await mall.post("verify-code", identity=PHONE, code=await mall.texted())
    return mall.signed((await granted(done))["token"])


WANTED = [
    ("request-phone-verification", {"phone": NEW_PHONE}),
    ("request-email-verification", {"email": NEW_EMAIL}),
]


@pytest.mark.parametrize(("action", "body"), WANTED)
async def test_a_stolen_token_gets_no_new_phone_or_address(
    mall: Mall, clock: ManualClock, house: House, action: str, body: dict[str, str]
) -> None:
    _, thief = await mall.visitor(phone=PHONE, password=PASSWORD)
    clock.advance(minutes=11)
    sent = await house.value("select count(*) from messages")
    refused(await post(thief, action, **body), 403, "fresh_sign_in_required")
    wrong = await post(thief, "confirm-with-password", password="a guess of somebody")
    refused(wrong, 422, "validation_failed")
    refused(await post(thief, "confirm", code="123456"), 422, "invalid_code")
    refused(await post(thief, action, **body), 403, "fresh_sign_in_required")
    assert await house.value("select count(*) from messages") == sent


async def test_a_new_phone_takes_a_code_to_the_old_one_and_ends_the_other_sign_ins(
    mall: Mall, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE)
    clock.advance(days=1)
    other = await beside(mall)
    assert (await granted(await post(client, "request-confirmation")))["method"] == "sms"
    assert (await mall.message())["to"] == PHONE
    until = await granted(await post(client, "confirm", code=await mall.texted()))
    assert until["confirmed_until"] == "2026-01-16T12:10:00.000Z"
    await granted(await post(client, "request-phone-verification", phone=NEW_PHONE))
    clock.advance(minutes=4)
    done = await granted(await post(client, "verify-phone-number", code=await mall.texted()))
    assert (done["phone"], done["phone_verified"]) == (NEW_PHONE, True)
    assert (await client.get(ME)).status_code == 200
    refused(await other.get(ME), 401, "customer_token_invalid")
    clock.advance(minutes=7)
    refused(
        await post(client, "request-phone-verification", phone=PHONE), 403, "fresh_sign_in_required"
    )


async def test_an_address_is_verified_and_changed_and_the_old_one_is_told(
    mall: Mall, clock: ManualClock, house: House
) -> None:
    made = await mall.registered(phone=PHONE, email=EMAIL, password=PASSWORD)
    client = mall.signed(made["token"])
    assert made["email_verified"] is False
    clock.advance(hours=1)
    other = await beside(mall)
    await granted(await post(client, "confirm-with-password", password=PASSWORD))
    sent = await granted(await post(client, "request-email-verification", email=EMAIL))
    assert (sent["method"], sent["expires_in"]) == ("email", 600)
    done = await granted(await post(client, "verify-email", code=await mall.texted()))
    assert (done["email"], done["email_verified"]) == (EMAIL, True)
    refused(await other.get(ME), 401, "customer_token_invalid")
    await granted(await post(client, "request-email-verification", email=NEW_EMAIL))
    done = await granted(await post(client, "verify-email", code=await mall.texted()))
    assert (done["email"], done["email_verified"]) == (NEW_EMAIL, True)
    told = await mall.message()
    assert (told["to"], told["channel"]) == (EMAIL, "email")
    assert "was changed" in told["text"]
    assert await house.value("select email from contacts") == NEW_EMAIL


async def test_whoever_edits_a_customers_contact_notices_what_the_customer_changed(
    mall: Mall,
) -> None:
    made, client = await mall.visitor(phone=PHONE)
    path = f"/v1/contacts/{made['contact']}"
    seen = (await mall.firm.api.get(path)).headers["etag"]
    await granted(await client.put(ME, json={"name": "Ada Lovelace"}))
    late = await mall.firm.api.put(path, json={"name": "Eve"}, headers={"If-Match": seen})
    refused(late, 412, "precondition_failed")
    seen = (await mall.firm.api.get(path)).headers["etag"]
    await granted(await post(client, "request-phone-verification", phone=NEW_PHONE))
    await granted(await post(client, "verify-phone-number", code=await mall.texted()))
    late = await mall.firm.api.put(path, json={"phone": PHONE}, headers={"If-Match": seen})
    refused(late, 412, "precondition_failed")


async def test_an_address_is_anothers_only_after_the_code_and_never_twice(mall: Mall) -> None:
    await mall.registered(email=EMAIL)
    _, eve = await mall.visitor(name="Eve", phone=PHONE)
    await granted(await post(eve, "request-email-verification", email=EMAIL.upper()))
    refused(await post(eve, "verify-email", code="1"), 422, "invalid_code")
    taken = await post(eve, "verify-email", code=await mall.texted())
    refused(taken, 409, "customer_exists")


async def test_a_verified_address_signs_in_by_code_and_any_other_gets_no_message(
    mall: Mall, house: House
) -> None:
    made = await mall.registered(email=EMAIL)
    await mall.registered(phone=PHONE, email=NEW_EMAIL)
    sent = await house.value("select count(*) from messages")
    known = await mall.post("login-with-email", email=EMAIL)
    assert await house.value("select count(*) from messages") == sent + 1
    code = await mall.texted()
    for nobody in ("nobody@example.com", NEW_EMAIL):
        unknown = await mall.post("login-with-email", email=nobody)
        assert (unknown.status_code, unknown.json()) == (200, known.json())
        refused(await mall.post("verify-code", identity=nobody, code=code), 422, "invalid_code")
    assert await house.value("select count(*) from messages") == sent + 1
    done = await granted(await mall.post("verify-code", identity=EMAIL, code=code))
    assert done["id"] == made["id"]


async def test_a_password_may_be_set_after_a_confirmation_by_code(
    mall: Mall, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE, password=PASSWORD)
    clock.advance(hours=1)
    other = await beside(mall)
    await granted(await post(client, "request-confirmation"))
    await granted(await post(client, "confirm", code=await mall.texted()))
    new = {"password": "an even longer sentence"}
    assert (await client.put(ME, json=new)).status_code == 200
    refused(await other.get(ME), 401, "customer_token_invalid")
    assert (await mall.post("login", identity=PHONE, **new)).status_code == 200


async def pushed(mall: Mall, customer: str) -> int:
    path = f"/int/v1/customers/{customer}/push"
    answer = await mall.firm.admin.post(path, json={"title": "On the way", "text": "Soon."})
    count: int = (await granted(answer))["devices"]
    return count


@pytest.mark.parametrize("end", ["unregister", "logout", "session", "all", "expiry"])
async def test_push_messages_end_with_the_sign_in_or_when_a_device_says_so(
    mall: Mall, clock: ManualClock, end: str
) -> None:
    made = await mall.registered(phone=PHONE)
    client = mall.signed(made["token"])
    device = {"platform": "ios", "token": "apns-1"}
    await granted(await post(client, "register-device", **device))
    assert await pushed(mall, made["id"]) == 1
    match end:
        case "unregister":
            await granted(await post(client, "unregister-device", **device))
            await granted(await post(client, "unregister-device", token="never-there"))
        case "logout":
            await granted(await post(client, "logout"))
        case "session":
            [session] = (await client.get(f"{HERE}/sessions")).json()
            await granted(await client.delete(f"{HERE}/sessions/{session['id']}"))
        case "all":
            await granted(await post(client, "logout-all"))
        case _:
            clock.advance(days=61)
    assert await pushed(mall, made["id"]) == 0


async def test_the_longest_device_token_is_pushed_to_and_a_longer_or_odd_one_is_refused(
    mall: Mall,
) -> None:
    made, client = await mall.visitor()
    longest = secrets.token_hex(1250)
    for token, status in ((longest, 200), (f"{longest}a", 422), ("\N{WHITE STAR}", 422)):
        device = {"platform": "web", "token": token}
        answer = await client.post(f"{HERE}/register-device", json=device)
        assert answer.status_code == status, answer.text
    body = {"title": "News", "text": "Hello."}
    pushed = await mall.firm.admin.post(f"/int/v1/customers/{made['id']}/push", json=body)
    assert pushed.json()["devices"] == 1
    assert (await mall.message())["to"] == longest


async def test_a_device_is_unregistered_by_its_owner_only(mall: Mall) -> None:
    made = await mall.registered(phone=PHONE)
    client = mall.signed(made["token"])
    _, eve = await mall.visitor(name="Eve")
    await granted(await post(client, "register-device", platform="ios", token="apns-1"))
    await granted(await post(eve, "unregister-device", token="apns-1"))
    assert await pushed(mall, made["id"]) == 1


async def test_of_very_many_devices_the_newest_are_kept(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor(phone=PHONE)
    for turn in range(22):
        clock.advance(seconds=1)
        await granted(await post(client, "register-device", platform="ios", token=f"apns-{turn}"))
    assert await house.value("select count(*) from customer_devices") == 20
    assert await house.value("select min(last_seen_at) from customer_devices") > clock.now() - (
        timedelta(seconds=20)
    )


@pytest.mark.parametrize("phone", ["+15555550100", PHONE])
async def test_a_test_company_tells_nobody_of_a_change_by_sms(house: House, phone: str) -> None:
    trial = Mall(await house.found("Trial", mode="test"), count())
    assert (await trial.post("request-creation-code", phone=phone)).status_code == 200
    code = await trial.texted() if phone == PHONE else "000000"
    made = (await trial.post("", name="Ada", phone=phone, code=code)).json()
    client = trial.signed(made["token"])
    await granted(await post(client, "request-phone-verification", phone="+15555550101"))
    await granted(await post(client, "verify-phone-number", code="000000"))
    said = await house.value(
        "select array_agg(state) from messages where body like '%was changed%'"
    )
    assert said == ["drawer"]
