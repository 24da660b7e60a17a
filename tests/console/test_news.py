"""News to recipients at the console: how they are told, in which words, and how that reads."""

from typing import Any

import pytest

from console.browser import Tabs
from console.reading import Page, sent_by
from console.seat import Seat
from stage import Firm

HOME = "/console/settings/news"


async def news(firm: Firm) -> dict[str, Any]:
    found: dict[str, Any] = (await firm.admin.get("/int/v1/settings")).json()["news"]
    return found


def form(page: Page, name: str) -> dict[str, Any]:
    return sent_by(page.main.one("form", id=name))


async def test_how_recipients_are_told_is_chosen(acme: Firm, seat: Seat) -> None:
    page = await seat.open(HOME)
    ways = {**form(page, "ways"), "next_stop": "none", "delivered": "email,sms", "sms_per_day": "9"}
    led = await seat.sent(f"{HOME}/ways", ways)
    assert "Saved." in led.root.one("div", id="toasts").text
    told = await news(acme)
    assert (told["next_stop"], told["delivered"], told["sms_per_day"]) == ([], ["email", "sms"], 9)
    given = (await acme.admin.get("/int/v1/settings")).json()["given"]
    assert given == ["news.next_stop", "news.delivered", "news.sms_per_day"]
    log = (await acme.admin.get("/int/v1/audit?action=company.changed")).json()["data"]
    assert log[0]["actor_type"] == "operator"


async def test_nothing_typed_changes_nothing(acme: Firm, seat: Seat) -> None:
    page = await seat.open(f"{HOME}?language=de&kind=delivered")
    for name, path in (("ways", "ways"), ("wording", "words")):
        led = await seat.sent(f"{HOME}/{path}", form(page, name))
        assert "No changes." in led.root.one("div", id="toasts").text
    assert (await acme.admin.get("/int/v1/settings")).json()["given"] == []


@pytest.mark.slow
async def test_words_are_written_and_the_usual_ones_come_back(acme: Firm, seat: Seat) -> None:
    here = f"{HOME}?language=de&kind=delivered"
    typed = {**form(await seat.open(here), "wording"), "text": "Servus!\r\n{link}"}
    page = await seat.sent(f"{HOME}/words", typed)
    assert (await news(acme))["texts"] == {"de": {"delivered": {"text": "Servus!\n{link}"}}}
    assert "Servus!" in page.main.one("div", id="seen").text
    assert "Customized." in page.main.text
    await seat.sent(f"{HOME}/words", {**form(await seat.open(here), "wording"), "text": ""})
    assert (await news(acme))["texts"] == {}


async def test_a_store_has_words_of_its_own_and_borrows_the_companys(
    acme: Firm, seat: Seat
) -> None:
    texts = {"de": {"delivered": {"text": "Grüezi! {link}", "subject": "Da"}}}
    assert (await acme.admin.patch("/int/v1/settings", json={"news": {"texts": texts}})).is_success
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    here = f"{HOME}?storefront={store['id']}&language=de&kind=delivered"
    page = await seat.open(here)
    assert page.main.all("form", id="ways") == []
    typed = form(page, "wording")
    assert (typed["text"], typed["subject"]) == ("Grüezi! {link}", "Da")
    shown = await seat.send(f"{HOME}/words", {**typed, "text": "Servus, {brand}: {link}",
                                              "do": "look", "once": ""})  # fmt: skip
    assert f"Servus, {store['name']}: http" in Page(shown.text).main.one("div", id="seen").text
    page = await seat.sent(f"{HOME}/words", {**typed, "text": "Servus! {link}"})
    assert "Clear to use the company's text." in page.main.text
    path = f"/int/v1/storefronts/{store['id']}"
    kept = (await acme.admin.get(path)).json()["settings"]
    assert kept["news"]["texts"] == {"de": {"delivered": {"text": "Servus! {link}"}}}
    assert (await news(acme))["texts"] == texts
    answer = await seat.send(f"{HOME}/words", {**form(page, "wording"), "text": "No link."})
    assert answer.status_code == 422
    assert Page(answer.text).main.one("textarea", name="text")["aria-invalid"] == "true"
    await seat.sent(f"{HOME}/words", {**form(page, "wording"), "text": ""})
    assert "news" not in (await acme.admin.get(path)).json()["settings"] or not (
        await acme.admin.get(path)
    ).json()["settings"]["news"].get("texts")


async def test_what_is_typed_is_shown_as_it_would_be_read(acme: Firm, seat: Seat) -> None:
    typed = {**form(await seat.open(HOME), "wording"), "text": "Reçu, {name}: {link}"}
    answer = await seat.send(f"{HOME}/words", {**typed, "do": "look", "once": ""})
    seen = Page(answer.text).main.one("div", id="seen").text
    assert "Reçu, Ada Lovelace: http" in seen
    assert "ç needs Unicode" in seen
    wrong = {**typed, "text": "{nobody} {link}", "do": "look", "once": ""}
    answer = await seat.send(f"{HOME}/words", wrong)
    assert "There is no field {nobody}" in Page(answer.text).main.one("div", id="seen").text
    assert (await news(acme))["texts"] == {}


async def test_what_is_refused_stands_beside_its_field(acme: Firm, seat: Seat) -> None:
    typed = {**form(await seat.open(HOME), "wording"), "text": "On its way."}
    answer = await seat.send(f"{HOME}/words", typed)
    assert answer.status_code == 422
    field = Page(answer.text).main.one("textarea", name="text")
    assert (field["aria-invalid"], field.text) == ("true", "On its way.")
    ways = {**form(await seat.open(HOME), "ways"), "sms_per_day": "many"}
    answer = await seat.send(f"{HOME}/ways", ways)
    assert answer.status_code == 422
    assert Page(answer.text).main.one("input", name="sms_per_day")["aria-invalid"] == "true"
    assert (await news(acme))["texts"] == {}


@pytest.mark.parametrize(
    ("language", "begins"), [("it", "Your delivery"), ("de-AT", "Ihre Sendung")]
)
async def test_another_language_begins_with_the_words_it_borrows(
    acme: Firm, seat: Seat, language: str, begins: str
) -> None:
    page = await seat.open(f"{HOME}?language={language}&kind=delivered")
    assert "No template in this language yet." in page.main.text
    typed = form(page, "wording")
    assert typed["subject"].startswith(begins)
    await seat.sent(f"{HOME}/words", {**typed, "subject": "Ecco"})
    assert (await news(acme))["texts"] == {language: {"delivered": {"subject": "Ecco"}}}


async def test_a_language_that_is_none_is_said_to_be(seat: Seat) -> None:
    page = await seat.open(f"{HOME}?language=%3Cb%3E&kind=unheard")
    assert "must be a language tag" in page.main.one("div", id="seen").text


async def test_who_saves_over_somebody_elses_change_is_told(acme: Firm, seat: Seat) -> None:
    typed = {**form(await seat.open(HOME), "wording"), "subject": "Mine"}
    change = {"news": {"texts": {"en": {"on_its_way": {"subject": "Theirs"}}}}}
    assert (await acme.admin.patch("/int/v1/settings", json=change)).is_success
    answer = await seat.send(f"{HOME}/words", typed)
    assert answer.status_code == 412
    assert "This record was changed after you opened it" in Page(answer.text).main.text
    assert (await news(acme))["texts"]["en"]["on_its_way"]["subject"] == "Theirs"


async def test_a_viewer_reads_and_saves_nothing(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(HOME)
    assert not [button for button in page.main.all("button") if button.text.startswith("Save")]
    refused = await viewer.sent(f"{HOME}/words", {"subject": "Mine", "kind": "delivered"})
    assert "This requires the billing role" in refused.main.text
    assert (await news(acme))["texts"] == {}


@pytest.mark.slow
async def test_how_it_reads_is_shown_while_one_types(acme: Firm, browse: Tabs) -> None:
    page = await browse(maps=False)
    await page.goto(f"{HOME}?kind=delivered&language=en")
    await page.fill("textarea[name=text]", "Here it is, {name}: {link}")
    bubble = page.locator(".bubble")
    await bubble.get_by_text("Here it is, Ada Lovelace: http").wait_for()
    await page.fill("textarea[name=text]", "Here it is, {nobody}: {link}")
    await page.locator("#seen").get_by_text("There is no field {nobody}").wait_for()
    assert await page.input_value("textarea[name=text]") == "Here it is, {nobody}: {link}"
    await page.fill("textarea[name=text]", "Done: {link}")
    await page.get_by_role("button", name="Save template").click()
    await page.get_by_text("Customized.").wait_for()
    assert (await news(acme))["texts"] == {"en": {"delivered": {"text": "Done: {link}"}}}


@pytest.mark.parametrize(
    ("locale", "typed", "read"), [("en", "1,500", 1500), ("de", "1 500", 1500)]
)
async def test_numbers_are_read_as_the_companys_language_writes_them(
    acme: Firm, seat: Seat, locale: str, typed: str, read: int
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"locale": locale})
    ways = {**form(await seat.open(HOME), "ways"), "sms_per_day": typed}
    await seat.sent(f"{HOME}/ways", ways)
    assert (await news(acme))["sms_per_day"] == read
