"""The interface's lines on customers, one by one."""

from itertools import count
from typing import Any

import pytest

from customers.mall import EMAIL, PASSWORD, PHONE, Mall
from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

SENT = {"status": "ok", "method": "sms", "expires_in": 300, "resend_after": 30}
FIELDS = {"id", "name", "email", "phone"}


@pytest.fixture
def mall(acme: Firm) -> Mall:
    return Mall(acme, count(1))


def login_result(body: dict[str, Any]) -> None:
    """`Login result (returned by every successful login)`."""
    assert body["token"].startswith("cst_live_")
    assert body["customer"].keys() >= FIELDS
    assert {name: body[name] for name in FIELDS} == {
        name: body["customer"][name] for name in FIELDS
    }


async def test_request_creation_code_by_phone(mall: Mall) -> None:
    """`phone`: a code is sent by SMS."""
    answer = await mall.post("request-creation-code", phone="6591234567")
    assert (answer.status_code, answer.json()) == (200, SENT)
    sent = await mall.message()
    assert (sent["channel"], sent["to"]) == ("sms", PHONE)


async def test_request_creation_code_by_email(mall: Mall) -> None:
    """`email`: a code is sent by email."""
    answer = await mall.post("request-creation-code", email="Ada@Example.com")
    assert answer.json() == {**SENT, "method": "email", "expires_in": 600}
    sent = await mall.message()
    assert (sent["channel"], sent["to"]) == ("email", "Ada@example.com")


@pytest.mark.parametrize(("mode", "identity"), [("sms", PHONE), ("email", EMAIL)])
async def test_request_creation_code_as_existing_apps_send_it(
    mall: Mall, mode: str, identity: str
) -> None:
    answer = await mall.post("request-creation-code", mode=mode, identity=identity)
    assert answer.json()["method"] == mode


async def test_create_customer(mall: Mall) -> None:
    """`name`, `email`, `phone`, `password`, `code`: registration is two steps."""
    await mall.post("request-creation-code", phone=PHONE)
    code = await mall.texted()
    body = {"name": "Ada", "email": EMAIL, "phone": "6591234567", "password": PASSWORD}
    refused(await mall.post("", **body, code=f"{(int(code) + 1) % 10**6:06}"), 422, "invalid_code")
    answer = await mall.post("", **body, code=code)
    assert answer.status_code == 201, answer.text
    login_result(answer.json())
    made = answer.json()["customer"]
    assert (made["name"], made["email"], made["phone"]) == ("Ada", EMAIL, PHONE)
    assert (made["phone_verified"], made["email_verified"]) == (True, False)


async def test_login_with_sms_and_verify_code(mall: Mall) -> None:
    """`login-with-sms` sends a one-time code; `verify-code` answers the login result."""
    await mall.registered(phone=PHONE)
    answer = await mall.post("login-with-sms", phone=PHONE)
    assert (answer.status_code, answer.json()) == (200, SENT)
    done = await mall.post("verify-code", identity="65 9123 4567", code=await mall.texted())
    assert done.status_code == 200, done.text
    login_result(done.json())


@pytest.mark.parametrize("verified", ["phone", "email"])
async def test_login_with_a_password(mall: Mall, verified: str) -> None:
    """`login`: identity is an email or a phone."""
    identity = {"phone": PHONE, "email": EMAIL}[verified]
    await mall.registered(**{verified: identity}, password=PASSWORD)
    answer = await mall.post("login", identity=identity, password=PASSWORD)
    assert answer.status_code == 200, answer.text
    login_result(answer.json())
    wrong = await mall.post("login", identity=identity, password="another sentence")
    refused(wrong, 401, "invalid_credentials")


async def test_me(mall: Mall) -> None:
    """`GET customers/me`: requires Customer-Token; answers the current customer."""
    customer, client = await mall.visitor()
    answer = await client.get("/storefront/v1/customers/me")
    assert (answer.status_code, answer.json()) == (200, customer)
    for token in ("", "nonsense", "cst_live_0000000000000000_x"):
        answer = await mall.signed(token).get("/storefront/v1/customers/me")
        refused(answer, 401, "customer_token_invalid")


async def test_phone_verification(mall: Mall) -> None:
    """`request-phone-verification`, `verify-phone-number`."""
    _, client = await mall.visitor(phone=PHONE)
    path = "/storefront/v1/customers"
    answer = await client.post(f"{path}/request-phone-verification", json={"phone": "6598765432"})
    assert (answer.status_code, answer.json()) == (200, SENT)
    assert (await mall.message())["to"] == "+6598765432"
    code = await mall.texted()
    done = await client.post(f"{path}/verify-phone-number", json={"code": code})
    assert (done.status_code, done.json()["phone"]) == (200, "+6598765432")
    told = await mall.message()
    assert told["to"] == PHONE
    assert "was changed" in told["text"]


async def test_email_verification(mall: Mall) -> None:
    """`request-email-verification`/`verify-email` mirror the phone's."""
    _, client = await mall.visitor(phone=PHONE)
    path = "/storefront/v1/customers"
    answer = await client.post(f"{path}/request-email-verification", json={"email": EMAIL})
    assert answer.json() == {**SENT, "method": "email", "expires_in": 600}
    body = {"code": await mall.texted()}
    done = await client.post(f"{path}/verify-email", json=body)
    assert (done.status_code, done.json()["email"]) == (200, EMAIL)
    assert done.json()["email_verified"] is True


async def test_login_with_email(mall: Mall) -> None:
    """`login-with-email` sends a code to a verified address."""
    await mall.registered(email=EMAIL)
    answer = await mall.post("login-with-email", email=EMAIL)
    assert answer.json() == {**SENT, "method": "email", "expires_in": 600}
    done = await mall.post("verify-code", identity=EMAIL, code=await mall.texted())
    assert done.status_code == 200, done.text
    login_result(done.json())


async def test_a_change_of_phone_asks_for_a_fresh_proof_and_ends_the_other_sessions(
    mall: Mall, clock: ManualClock
) -> None:
    """The password, or a code to the present identity."""
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    client, path = mall.signed(made["token"]), "/storefront/v1/customers"
    clock.advance(days=1)
    login = await mall.post("login", identity=PHONE, password=PASSWORD)
    other = mall.signed(login.json()["token"])
    new = {"phone": "+6598765432"}
    early = await client.post(f"{path}/request-phone-verification", json=new)
    refused(early, 403, "fresh_sign_in_required")
    confirmed = await client.post(f"{path}/confirm-with-password", json={"password": PASSWORD})
    assert confirmed.json()["status"] == "ok"
    answer = await client.post(f"{path}/request-phone-verification", json=new)
    assert (answer.status_code, answer.json()) == (200, SENT)
    body = {"code": await mall.texted()}
    assert (await client.post(f"{path}/verify-phone-number", json=body)).status_code == 200
    refused(await other.get(f"{path}/me"), 401, "customer_token_invalid")


async def test_account_closure(mall: Mall) -> None:
    """`account-closure` sends a confirmation code; `confirm-account-closure` closes."""
    _, client = await mall.visitor(phone=PHONE)
    path = "/storefront/v1/customers"
    answer = await client.post(f"{path}/account-closure", json={})
    assert answer.json() == SENT
    code = await mall.texted()
    done = await client.post(f"{path}/confirm-account-closure", json={"code": code})
    assert (done.status_code, done.json()["status"]) == (200, "closed")
    refused(await client.get(f"{path}/me"), 401, "customer_token_invalid")


async def test_register_device(mall: Mall) -> None:
    """`platform` (`ios` is a value shown), `token`; requires Customer-Token."""
    _, client = await mall.visitor()
    path = "/storefront/v1/customers/register-device"
    answer = await client.post(path, json={"platform": "ios", "token": "apns-1"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "ok"
    assert answer.json()["device"].startswith("device_")
    body = {"platform": "ios", "token": "apns-1"}
    refused(await mall.post("register-device", **body), 401, "customer_token_invalid")
    gone = await client.post("/storefront/v1/customers/unregister-device", json=body)
    assert (gone.status_code, gone.json()) == (200, {"status": "ok"})


async def test_when_a_request_answers_401_the_client_re_authenticates(
    mall: Mall, clock: ManualClock
) -> None:
    """`Customer request with an invalid or revoked customer token`: 401."""
    customer, client = await mall.visitor(phone=PHONE)
    await client.post("/storefront/v1/customers/logout")
    refused(await client.get("/storefront/v1/customers/me"), 401, "customer_token_invalid")
    clock.advance(minutes=10)
    await mall.post("login-with-sms", phone=PHONE)
    again = await mall.post("verify-code", identity=PHONE, code=await mall.texted())
    client = mall.signed(again.json()["token"])
    assert (await client.get("/storefront/v1/customers/me")).json()["id"] == customer["id"]


async def test_an_administrator_can_revoke_tokens(mall: Mall, house: House) -> None:
    """`Customer tokens are personal access tokens. An administrator can revoke them.`"""
    customer, client = await mall.visitor()
    admin = mall.firm.admin
    path = f"/int/v1/customers/{customer['id']}/tokens"
    [token] = (await admin.get(path)).json()["data"]
    assert (await admin.delete(f"{path}/{token['id']}")).status_code == 200
    refused(await client.get("/storefront/v1/customers/me"), 401, "customer_token_invalid")
    assert (
        await house.value(
            "select count(*) from tokens where kind = 'customer' and revoked_at is null"
        )
        == 0
    )


@pytest.mark.parametrize(
    "path",
    [
        "request-creation-code", "", "login-with-sms", "verify-code", "login",
        "request-phone-verification", "verify-phone-number", "account-closure",
        "confirm-account-closure", "register-device",
    ],
)  # fmt: skip
async def test_every_customer_request_carries_the_storefront_key(house: House, path: str) -> None:
    """`Every request carries Authorization: Bearer <STOREFRONT_KEY>`."""
    address = f"/storefront/v1/customers/{path}".removesuffix("/")
    refused(await house.client().post(address, json={}), 401, "unauthenticated")
