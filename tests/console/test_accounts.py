"""Keys, operators and oneself at the console."""

import base64

import pytest

from console.reading import Page
from console.seat import Seat
from pannier.console.formatting import describe_browser
from pannier.kit import labels
from stage import PASSWORD, Firm


async def test_a_key_is_issued_with_scopes_and_shown_this_once(acme: Firm, seat: Seat) -> None:
    form = {"kind": "api", "name": "Night", "scopes": ["orders:read", "orders:write"]}
    page = await seat.sent("/console/keys/new", form)
    secret = page.main.one("div", class_="secret").one("code").text
    assert (await acme.house.client(secret).get("/v1/orders")).status_code == 200
    assert (await acme.house.client(secret).get("/v1/drivers")).status_code == 403
    made = next(one for one in await keys(acme) if one["name"] == "Night")
    assert secret not in (await seat.open(f"/console/keys/{made['id']}")).main.text


async def keys(firm: Firm) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (await firm.admin.get("/int/v1/keys")).json()["data"]
    return found


async def test_a_key_without_scopes_is_refused_beside_them(seat: Seat) -> None:
    answer = await seat.send("/console/keys/new", {"kind": "api", "name": "Night"})
    assert answer.status_code == 422
    assert "Choose at least one" in Page(answer.text).main.one("small", id="f-scopes-note").text


async def test_a_key_of_an_app_takes_no_scopes(acme: Firm, seat: Seat) -> None:
    await seat.sent("/console/keys/new", {"kind": "app", "name": "Couriers", "scopes": ["*"]})
    made = next(one for one in await keys(acme) if one["name"] == "Couriers")
    assert (made["kind"], made["scopes"]) == ("app", [])


async def test_a_key_of_an_app_is_handed_out_as_a_link_and_a_code(acme: Firm, seat: Seat) -> None:
    page = await seat.sent("/console/keys/new", {"kind": "app", "name": "Couriers"})
    secret = page.main.one("div", class_="secret").one("code").text
    handed = page.main.one("section", class_="handed")
    link = f"{acme.house.settings.base_url.rstrip('/')}/driver#key={secret}"
    assert handed.one("code").text == link
    drawn = base64.b64decode((handed.one("img").attributes["src"] or "").partition(",")[2])
    assert drawn == labels.render_qr(link, "svg")
    made = next(one for one in await keys(acme) if one["name"] == "Couriers")
    later = (await seat.open(f"/console/keys/{made['id']}")).main
    assert secret not in later.text
    assert "on each driver's page" in later.text
    again = await seat.sent(f"/console/keys/{made['id']}/rotate", {"overlap_seconds": "3600"})
    assert "/driver#key=app_" in again.main.one("section", class_="handed").text


async def test_a_key_of_a_program_is_no_link(seat: Seat) -> None:
    form = {"kind": "api", "name": "Night", "scopes": "orders:read"}
    assert "/driver#" not in (await seat.sent("/console/keys/new", form)).main.text


async def test_a_key_is_rotated_and_revoked(acme: Firm, seat: Seat) -> None:
    form = {"kind": "api", "name": "Night", "scopes": "orders:read"}
    page = await seat.sent("/console/keys/new", form)
    old = page.main.one("div", class_="secret").one("code").text
    made = next(one for one in await keys(acme) if one["name"] == "Night")
    home = f"/console/keys/{made['id']}"
    page = await seat.sent(f"{home}/rotate", {"overlap_seconds": "3600"})
    new = page.main.one("div", class_="secret").one("code").text
    # Whoever loads the page again asks for the new key, and rotates none.
    assert page.root.one("body")["data-at"].startswith("/console/keys/key_")
    for secret in (old, new):
        assert (await acme.house.client(secret).get("/v1/orders")).status_code == 200
    page = await seat.sent(f"{home}/revoke")
    assert "Requests with this key are rejected" in page.main.text
    assert (await acme.house.client(old).get("/v1/orders")).status_code == 401
    log = (await acme.admin.get(f"/int/v1/audit?subject={made['id']}")).json()["data"]
    assert {entry["actor_type"] for entry in log} == {"operator"}


@pytest.mark.slow
async def test_an_operator_is_taken_in_changed_disabled_and_let_go(acme: Firm, seat: Seat) -> None:
    form = (await seat.open("/console/operators/new")).sheet()
    told = {
        **form,
        "name": "Ada",
        "email": "ada@example.com",
        "password": "a long sentence of hers",
    }
    page = await seat.sent("/console/operators/new", told)
    assert page.heading.endswith("Ada")
    rows = (await acme.admin.get("/int/v1/operators")).json()["data"]
    ada = next(one for one in rows if one["name"] == "Ada")
    home = f"/console/operators/{ada['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.send(f"{home}/edit", {**form, "role": "viewer"})
    assert "Viewer" in (await seat.open(home)).main.text
    page = await seat.sent(f"{home}/disable")
    assert "cannot sign in" in page.main.text
    page = await seat.sent(f"{home}/enable")
    assert "cannot sign in" not in page.main.text
    page = await seat.sent(f"{home}/reset", {"password": "another long sentence"})
    assert "Password reset" in page.root.one("div", id="toasts").text
    await seat.send(f"{home}/delete")
    assert len((await acme.admin.get("/int/v1/operators")).json()["data"]) == 1


async def test_the_last_admin_stays_and_is_told_why(acme: Firm, seat: Seat) -> None:
    (me,) = (await acme.admin.get("/int/v1/operators")).json()["data"]
    page = await seat.sent(f"/console/operators/{me['id']}/disable")
    assert page.main.one("p", role="alert").text
    assert (await acme.admin.get("/int/v1/me")).status_code == 200


async def test_a_sign_in_of_an_operator_is_ended(acme: Firm, seat: Seat) -> None:
    viewer = await Seat.of(acme, "viewer")
    rows = (await acme.admin.get("/int/v1/operators?role=viewer")).json()["data"]
    home = f"/console/operators/{rows[0]['id']}"
    page = await seat.open(home)
    token = page.main.one("input", name="token")["value"]
    await seat.sent(f"{home}/tokens/end", {"token": token})
    answer = await viewer.client.get("/console/contacts")
    assert answer.headers["Location"].startswith("/console/sign-in")


async def test_whoever_is_no_admin_is_led_to_no_keys(acme: Firm) -> None:
    dispatcher = await Seat.of(acme, "dispatcher")
    links = (await dispatcher.open("/console/contacts")).links()
    assert not {"/console/keys", "/console/operators", "/console/audit"} & set(links)
    page = await dispatcher.open("/console/keys", status=403)
    assert "This requires the admin role" in page.main.text


async def test_anybody_changes_their_own_name_and_password(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.sent("/console/me/name", {"name": "Grace"})
    assert page.heading == "Grace"
    answer = await viewer.send(
        "/console/me/password", {"current_password": "wrong", "password": "a long sentence of mine"}
    )
    assert answer.status_code >= 400
    assert Page(answer.text).main.one("p", role="alert").text
    changed = {"current_password": PASSWORD, "password": "a long sentence of mine"}
    answer = await viewer.send("/console/me/password", changed)
    assert answer.headers["Location"] == "/console/sign-in"
    signing = {"email": acme.email("viewer"), "password": changed["password"]}
    answer = await acme.house.client().post("/console/sign-in", data=signing)
    assert answer.status_code == 303


async def test_one_sees_where_one_is_signed_in_and_signs_out_everywhere(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open("/console/me")
    assert "Current" in page.main.text
    await viewer.send("/console/me/tokens/end")
    answer = await viewer.client.get("/console/me")
    assert answer.headers["Location"].startswith("/console/sign-in")


def test_a_browser_is_called_what_people_call_it() -> None:
    chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"
    assert describe_browser(chrome) == "Chrome on Linux"
    assert (
        describe_browser("Mozilla/5.0 (iPhone; CPU like Mac OS X) Safari/604") == "Safari on iPhone"
    )
    assert describe_browser("python-httpx/0.28") == "python-httpx/0.28"
