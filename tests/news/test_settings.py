"""Words of news in the settings, and how they would look."""

from typing import Any

import pytest

from news.waiting import PHONE, Waiting
from probe import refused
from stage import Firm

PREVIEW = "/int/v1/settings/news/preview"
SETTINGS = "/int/v1/settings"


async def test_a_companys_own_words_are_told(waiting: Waiting) -> None:
    await waiting.set(
        texts={"EN": {"on_its_way": {"text": "Hey[ {name}]! {driver} comes: {link}"}}}
    )
    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    [told] = await waiting.heard(PHONE)
    assert told.text.startswith("Hey Ada Lovelace! ")
    shown = (await waiting.firm.admin.get(SETTINGS)).json()
    assert shown["news"]["texts"]["en"]["on_its_way"]["text"].startswith("Hey")
    assert shown["given"] == ["news.texts"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ({"text": "Hello {nobody}. {link}"}, "There is no field {nobody}"),
        ({"subject": "[{brand}"}, "Close each bracket"),
        ({"text": "On its way."}, "must contain {link} or {way_out}"),
    ],
)
async def test_words_that_could_not_be_told_are_refused(
    acme: Firm, text: dict[str, str], sentence: str
) -> None:
    texts = {"fr": {"delivered": text}}
    answer = await acme.admin.patch(SETTINGS, json={"news": {"texts": texts}})
    [field] = refused(answer, 422, "validation_failed")["fields"]
    assert field["path"] == "news.texts"
    assert field["message"].startswith(f"fr.delivered.{next(iter(text))}: {sentence}")
    answer = await acme.admin.post(PREVIEW, json={"kind": "delivered", "language": "fr", **text})
    [field] = refused(answer, 422, "validation_failed")["fields"]
    assert (field["path"], field["message"].startswith(sentence)) == (next(iter(text)), True)


async def test_a_language_is_a_language(acme: Firm) -> None:
    texts: dict[str, Any] = {"!": {}}
    answer = await acme.admin.patch(SETTINGS, json={"news": {"texts": texts}})
    refused(answer, 422, "validation_failed")
    answer = await acme.admin.post(PREVIEW, json={"kind": "delivered", "language": "zz zz"})
    refused(answer, 422, "validation_failed")


async def test_a_text_is_shown_as_it_would_be_read_and_counted(acme: Firm) -> None:
    dispatcher = await acme.operator("dispatcher")
    thought = {"kind": "delivered", "language": "de-CH", "text": "Grüezi {name}: {link}"}
    shown = (await dispatcher.post(PREVIEW, json=thought)).json()
    assert shown["text"].startswith("Grüezi Ada Lovelace: http://127.0.0.1:8000/t/ACM-")
    assert shown["subject"] == "Ihre Sendung wurde zugestellt"
    assert shown["sms"] == {
        "alphabet": "gsm",
        "characters": len(shown["text"]),
        "segments": 1,
        "others": "",
    }
    longer = {**thought, "text": "ç" * 60 + " {link}"}
    assert (await dispatcher.post(PREVIEW, json=longer)).json()["sms"]["segments"] == 2
    assert (await dispatcher.get(SETTINGS)).json()["given"] == []


async def test_the_words_that_apply_are_listed(acme: Firm) -> None:
    change = {"news": {"texts": {"it": {"delivered": {"text": "Ecco! {link}"}}}}}
    assert (await acme.admin.patch(SETTINGS, json=change)).is_success
    shown = (await acme.admin.get("/int/v1/settings/news")).json()
    assert shown["languages"] == ["en", "de", "fr", "es", "it"]
    own = [each for each in shown["words"] if each["own"]]
    assert [(each["language"], each["kind"], each["text"]) for each in own] == [
        ("it", "delivered", "Ecco! {link}")
    ]
    assert len(shown["words"]) == 5 * 5


async def test_a_stores_words_lie_over_those_of_its_company_part_by_part(
    acme: Firm, rival: Firm
) -> None:
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    path, read = f"/int/v1/storefronts/{store['id']}", "/int/v1/settings/news"
    company = {"news": {"texts": {"en": {"delivered": {"text": "A {link}", "subject": "B"}}}}}
    own = {"settings": {"news": {"texts": {"en": {"delivered": {"subject": "C"}}, "it": {}}}}}
    assert (await acme.admin.patch(SETTINGS, json=company)).is_success
    assert (await acme.admin.patch(path, json=own)).is_success
    for query, subject, said in (("", "B", ["subject", "text"]), (store["id"], "C", ["subject"])):
        shown = (await acme.admin.get(f"{read}{query and f'?storefront={query}'}")).json()
        [words] = [
            each
            for each in shown["words"]
            if (each["language"], each["kind"]) == ("en", "delivered")
        ]
        assert (words["subject"], words["text"], words["own"]) == (subject, "A {link}", said)
    thought = {"kind": "delivered", "storefront": store["id"], "subject": "{brand}"}
    assert (await acme.admin.post(PREVIEW, json=thought)).json()["subject"] == store["name"]
    refused(await rival.admin.get(f"{read}?storefront={store['id']}"), 404, "not_found")
    refused(await rival.admin.post(PREVIEW, json=thought), 404, "not_found")


async def test_a_store_has_words_and_a_budget_of_its_own(acme: Firm) -> None:
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    news = {"sms_per_day": 7, "texts": {"en": {"delivered": {"subject": "{brand}!"}}}}
    path = f"/int/v1/storefronts/{store['id']}"
    answer = await acme.admin.patch(path, json={"settings": {"news": news}})
    assert answer.status_code == 200, answer.text
    assert answer.json()["settings"]["news"]["sms_per_day"] == 7
    wrong = {"settings": {"news": {"texts": {"en": {"delivered": {"subject": "{x}"}}}}}}
    [field] = refused(await acme.admin.patch(path, json=wrong), 422, "validation_failed")["fields"]
    assert field["path"] == "settings.news.texts"
