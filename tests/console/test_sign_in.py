import pytest

from console.reading import Page
from console.seat import Seat
from pannier.accounts.auth import SESSION_COOKIE
from stage import PASSWORD, Firm


async def test_the_bare_address_leads_to_the_console(acme: Firm) -> None:
    answer = await acme.house.client().get("/")
    assert answer.headers["Location"] == "/console"


async def test_whoever_is_not_signed_in_is_led_to_the_sign_in_and_back(acme: Firm) -> None:
    browser = acme.house.client()
    led = await browser.get("/console/contacts?query=ada")
    assert led.status_code == 303
    assert led.headers["Location"] == "/console/sign-in?next=/console/contacts%3Fquery%3Dada"
    page = Page((await browser.get(led.headers["Location"])).text)
    given = {**page.form("/console/sign-in"), "email": acme.email("admin"), "password": PASSWORD}
    answer = await browser.post("/console/sign-in", data=given)
    assert answer.headers["Location"] == "/console/contacts?query=ada"
    assert (await browser.get(answer.headers["Location"])).status_code == 200


async def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(acme: Firm) -> None:
    given = {"email": acme.email("admin"), "password": PASSWORD}
    answer = await acme.house.client().post("/console/sign-in", data=given)
    (cookie,) = [
        one for one in answer.headers.get_list("set-cookie") if one.startswith(f"{SESSION_COOKIE}=")
    ]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


async def test_a_wrong_password_is_refused_in_words_and_the_address_stays(acme: Firm) -> None:
    given = {"email": acme.email("admin"), "password": "wrong"}
    answer = await acme.house.client().post("/console/sign-in", data=given)
    assert answer.status_code == 401
    page = Page(answer.text)
    assert (
        page.root.one("p", role="alert").text
        == "The email address or password is wrong. Check both and try again."
    )
    assert page.root.one("input", id="email")["value"] == acme.email("admin")


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example.com/", "//evil.example.com", "/v1/orders", "/console/../x\\y", ""],
)
async def test_a_sign_in_leads_nowhere_but_to_the_console(acme: Firm, elsewhere: str) -> None:
    given = {"email": acme.email("admin"), "password": PASSWORD, "next": elsewhere}
    answer = await acme.house.client().post("/console/sign-in", data=given)
    assert answer.headers["Location"] == "/console/home"


async def test_a_sign_in_leads_to_an_address_and_to_nothing_behind_it(acme: Firm) -> None:
    given = {
        "email": acme.email("admin"), "password": PASSWORD,
        "next": "/console/contacts\r\nSet-Cookie: theirs=1",
    }  # fmt: skip
    answer = await acme.house.client().post("/console/sign-in", data=given)
    assert answer.headers["Location"] == "/console/contacts%0D%0ASet-Cookie:%20theirs=1"


async def test_another_sites_form_signs_nobody_in(acme: Firm) -> None:
    given = {"email": acme.email("admin"), "password": PASSWORD}
    browser = acme.house.client(**{"Sec-Fetch-Site": "cross-site"})
    answer = await browser.post("/console/sign-in", data=given)
    assert SESSION_COOKIE not in answer.cookies


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[", "http://pannier"])
async def test_a_browser_that_tells_only_its_origin_signs_nobody_in_from_another_site(
    acme: Firm, origin: str
) -> None:
    given = {"email": acme.email("admin"), "password": PASSWORD}
    browser = acme.house.client(Origin=origin)
    assert SESSION_COOKIE not in (await browser.post("/console/sign-in", data=given)).cookies
    refused = await browser.post("/int/v1/login", json={**given, "cookie": True})
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf_failed")


async def test_our_own_origin_signs_in_without_further_headers(acme: Firm) -> None:
    given = {"email": acme.email("admin"), "password": PASSWORD}
    client = acme.house.client()
    own = f"{client.base_url.scheme}://{client.base_url.netloc.decode()}"
    answer = await client.post("/console/sign-in", data=given, headers={"Origin": own})
    assert SESSION_COOKIE in answer.cookies


async def test_signing_out_ends_the_session(acme: Firm) -> None:
    seat = await Seat.signing_in(acme)
    token = seat.client.cookies[SESSION_COOKIE]
    answer = await seat.send("/console/sign-out")
    assert answer.headers["Location"] == "/console/sign-in"
    assert (await acme.house.client(token).get("/int/v1/me")).status_code == 401


async def test_a_form_without_the_sessions_token_changes_nothing(acme: Firm, seat: Seat) -> None:
    answer = await seat.client.post("/console/contacts/new", data={"name": "Ada"})
    assert answer.status_code == 303
    assert (await acme.api.get("/v1/contacts")).json() == []


async def test_a_part_of_a_page_that_finds_nobody_signed_in_leads_the_whole_page(
    acme: Firm,
) -> None:
    answer = await acme.house.client(**{"HX-Request": "true"}).get("/console/contacts")
    assert answer.status_code == 401
    assert answer.headers["HX-Redirect"] == "/console/sign-in?next=/console/contacts"
