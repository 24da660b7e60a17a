import asyncio
from urllib.parse import unquote

import httpx
import pytest

from console.reading import Page
from console.seat import Seat
from pannier.console.responses import ERROR_COOKIE
from pannier.console.session import BUSY_MESSAGE
from pannier.db import Database
from stage import Firm


async def until_somebody_waits(database: Database) -> None:
    """Wait until a statement waits for what another transaction has locked."""
    async with database.reading() as db:
        while not await db.fetch_value(  # noqa: ASYNC110 - PostgreSQL tells only when asked
            """select count(*) from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock'"""
        ):
            await asyncio.sleep(0)


async def test_a_contact_is_made_changed_and_deleted_with_the_operator_as_actor(
    acme: Firm, seat: Seat
) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()
    made = await seat.send("/console/contacts/new", {**form, "name": "Ada", "type": "customer"})
    page = await seat.open(made.headers["Location"])
    assert page.heading.endswith("Ada")
    assert "Contact saved." in page.root.one("div", id="toasts").text

    home = made.headers["Location"]
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.send(f"{home}/edit", {**form, "name": "Ada Lovelace", "phone": "+6591234567"})
    (contact,) = (await acme.api.get("/v1/contacts")).json()
    assert (contact["name"], contact["phone"]) == ("Ada Lovelace", "+6591234567")

    await seat.send(f"{home}/delete", {"version": contact["version"]})
    assert (await acme.api.get("/v1/contacts")).json() == []
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    mine = [entry for entry in log if entry["subject"] == contact["id"]]
    assert [entry["actor_type"] for entry in mine] == ["operator"] * 3


async def test_a_form_that_is_sent_twice_is_done_once(acme: Firm, seat: Seat) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()

    async def send() -> httpx.Response:
        return await seat.client.post("/console/contacts/new", data={**form, "name": "Ada"})

    answers = [*await asyncio.gather(send(), send()), await send()]
    # Where the one takes long the other is led back, and told why; once more, and it is done.
    busy = [
        answer
        for answer in answers
        if BUSY_MESSAGE in unquote(answer.cookies.get(ERROR_COOKIE) or "")
    ]
    led = {answer.headers["Location"] for answer in answers if answer not in busy}
    assert led == {answers[-1].headers["Location"]}
    assert "contact_" in answers[-1].headers["Location"]
    assert len((await acme.api.get("/v1/contacts")).json()) == 1


@pytest.mark.slow
async def test_who_sends_a_form_again_while_it_is_worked_on_is_told_so_in_words(
    acme: Firm, seat: Seat, database: Database
) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()
    told = {**form, "name": "Ada"}
    async with database.transaction() as db:
        await db.execute("lock table contacts in share mode")
        first = asyncio.create_task(seat.client.post("/console/contacts/new", data=told))
        await until_somebody_waits(database)
        again = await seat.client.post("/console/contacts/new", data=told)
        page = await seat.open(again.headers["Location"])
    assert BUSY_MESSAGE in unquote(again.cookies[ERROR_COOKIE])
    assert "still being processed" in page.root.one("p", role="alert").text
    assert "contact_" in (await first).headers["Location"]
    assert len((await acme.api.get("/v1/contacts")).json()) == 1


async def test_a_form_that_was_refused_is_done_when_it_is_filled_in_otherwise(
    acme: Firm, seat: Seat
) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()
    wrong = {**form, "name": "Ada", "email": "nowhere"}
    for _ in range(2):
        refused = await seat.client.post("/console/contacts/new", data=wrong)
        assert refused.status_code == 422
    answer = await seat.client.post("/console/contacts/new", data={**form, "name": "Ada"})
    assert answer.status_code == 303
    assert len((await acme.api.get("/v1/contacts")).json()) == 1


async def test_what_is_refused_stands_beside_its_field_and_what_was_typed_stays(seat: Seat) -> None:
    answer = await seat.send("/console/contacts/new", {"name": "Ada", "email": "nowhere"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.root.one("input", name="email")["value"] == "nowhere"
    assert page.root.one("input", name="email")["aria-invalid"] == "true"
    assert page.root.one("small", id="f-email-note").text


async def test_a_change_of_what_somebody_else_changed_meanwhile_is_refused_in_words(
    acme: Firm, seat: Seat
) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    home = f"/console/contacts/{made['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await acme.api.patch(f"/v1/contacts/{made['id']}", json={"title": "Countess"})
    answer = await seat.send(f"{home}/edit", {**form, "name": "Somebody"})
    assert answer.status_code == 412
    assert "changed after you opened it" in Page(answer.text).root.one("p", role="alert").text
    assert (await acme.api.get(f"/v1/contacts/{made['id']}")).json()["name"] == "Ada"


@pytest.mark.slow
async def test_a_list_is_filtered_by_its_address_and_goes_on_behind_its_end(
    acme: Firm, seat: Seat
) -> None:
    for number in range(62):
        await acme.api.post("/v1/contacts", json={"name": f"Ada {number}"})
    await acme.api.post("/v1/contacts", json={"name": "Grace"})
    assert [row[0] for row in (await seat.open("/console/contacts?query=grace")).rows()] == [
        "Grace"
    ]
    first = await seat.open("/console/contacts")
    assert len(first.rows()) == 60
    (onward,) = [link["href"] for link in first.root.all("a", rel="next")]
    assert len((await seat.open(onward)).rows()) == 3


async def test_a_viewer_is_offered_no_change_and_refused_one(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open("/console/contacts")
    assert "/console/contacts/new" not in page.links()
    refused = await viewer.sent("/console/contacts/new", {"name": "Ada"})
    assert "This requires the dispatcher role" in refused.main.one("p", role="alert").text
    assert (await acme.api.get("/v1/contacts")).json() == []


async def test_what_is_anothers_is_not_found(acme: Firm, rival: Firm) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    stranger = await Seat.of(rival)
    page = await stranger.open(f"/console/contacts/{made['id']}", status=404)
    assert page.heading == "Not found"


async def test_search_finds_pages_and_records(acme: Firm, seat: Seat) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Orderly Ada"})).json()
    found = (await seat.open("/console/search?query=order")).main.one("ul", id="found")
    links = [link["href"] for link in found.all("a")]
    assert "/console/orders" in links
    assert f"/console/contacts/{made['id']}" in links


async def test_search_finds_an_order_by_how_its_numbers_begin(acme: Firm, seat: Seat) -> None:
    given = {"pickup": "1 Raffles Place", "dropoff": "1 Cluny Road", "internal_id": "SO-2041"}
    order = (await acme.api.post("/v1/orders", json=given)).json()
    number = order["tracking_number"]["tracking_number"]
    for query in ("so-20", number[:8], number[:11].replace("-", " ").lower()):
        found = (await seat.open(f"/console/search?query={query}")).main.one("ul", id="found")
        assert f"/console/orders/{order['id']}" in [link["href"] for link in found.all("a")]


async def test_pages_forbid_whatever_is_not_our_own(seat: Seat) -> None:
    answer = await seat.client.get("/console/contacts")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_form_changes_nothing_but_what_was_typed_anew(acme: Firm, seat: Seat) -> None:
    given = {"name": "Ada", "phone": "+6591234567"}
    made = (await acme.api.post("/v1/contacts", json=given)).json()
    home = f"/console/contacts/{made['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.send(f"{home}/edit", {**form, "name": "Ada Lovelace"})
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    (changed,) = [entry for entry in log if entry["subject"] == made["id"] and entry["before"]]
    assert set(changed["after"]) - {"updated_at", "version"} == {"name"}


async def test_a_country_is_chosen_by_its_name_and_an_unlisted_code_is_kept(
    acme: Firm, seat: Seat
) -> None:
    for country, shown in (("FI", "Finland"), ("XK", "XK")):
        made = await acme.api.post("/v1/places", json={"name": country, "country": country})
        path = f"/console/places/{made.json()['id']}"
        form = await seat.open(f"{path}/edit")
        field = form.main.one("select", id="f-country")
        [chosen] = [option for option in field.all("option") if "selected" in option.attributes]
        assert chosen.text == shown
        await seat.send(f"{path}/edit", {**form.sheet(), "name": "Depot"})
        saved = (await acme.api.get(f"/v1/places/{made.json()['id']}")).json()
        assert (saved["name"], saved["country"]) == ("Depot", country)
