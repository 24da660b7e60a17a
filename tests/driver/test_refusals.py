"""Refusals: none is lost, each is shown with its reason, and the driver decides."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from driver.handset import Dispatcher, Handset
from driver.weather import Weather, problem
from pannier.errors import list_problems
from pannier.locales.catalogue import LANGUAGES, load_part
from pannier.web import idempotency
from proofs import drawn

pytestmark = pytest.mark.slow

ENDPOINTS: Final = Path(__file__).parents[2] / "docs" / "endpoints.md"
# The doors that the app sends to from its outbox.
DOORS: Final = {
    "POST /v1/drivers/{driver_id}/toggle-online": "duty",
    "POST /v1/issues": "issue",
    "POST /v1/orders/{order_id}/collect-cash": "cash",
    "POST /v1/issues/with-photos": "issue",
    "POST /v1/orders/{order_id}/start": "activity",
    "POST /v1/orders/{order_id}/update-activity": "activity",
    "POST /v1/orders/{order_id}/complete": "activity",
    "POST /v1/orders/{order_id}/set-destination/{stop_id}": "activity",
    "POST /v1/orders/{order_id}/fail-attempt": "attempt",
    "POST /v1/orders/{order_id}/capture-photo/{subject_id}": "proof",
    "POST /v1/orders/{order_id}/capture-qr/{subject_id}": "proof",
    "POST /v1/orders/{order_id}/capture-signature/{subject_id}": "proof",
    "POST /v1/orders/{order_id}/capture-sms/{subject_id}": "proof",
}
# What the app calls while the driver waits for the answer.
CALLS: Final = (
    "POST /v1/drivers/login-with-sms",
    "POST /v1/drivers/verify-code",
    "GET /v1/orders/nearby",
    "POST /v1/orders/{order_id}/take",
    "POST /v1/orders/{order_id}/send-sms-code/{subject_id}",
)
# What any door may say, beside the refusals of its own.
ANYWHERE: Final = (
    "body_unreadable", "request_malformed", "unauthenticated", "forbidden", "not_found",
    "method_not_allowed", "body_too_large", "unsupported_media_type", "validation_failed",
    "idempotency_key_reused", "idempotency_in_progress", "too_many_requests", "internal",
    "unavailable", "outcome_unknown",
)  # fmt: skip
GENERAL: Final = "POST /v1/orders/{order_id}/update-activity"


def refusals() -> list[tuple[str, str, int]]:
    """List every refusal that a door of the app can give, and its status."""
    statuses = {kind.code: kind.status for kind in list_problems()}
    found = [(GENERAL, code, statuses[code]) for code in ANYWHERE]
    for line in ENDPOINTS.read_text().splitlines():
        door = re.match(r"\| `([^`]+)`", line)
        if door and door[1] in DOORS:
            found += [(door[1], code, statuses[code]) for code in re.findall(r"\[`(\w+)`\]", line)]
    named = {door for door in DOORS if f"`{door}`" in ENDPOINTS.read_text()}
    assert {door for door, _, _ in found} == named
    return list(dict.fromkeys(found))


def address(door: str, number: int) -> str:
    """Name a thing of its own for each refusal."""
    path = door.split()[1].replace("{driver_id}", "me").replace("{order_id}", f"order_{number}")
    return re.sub(r"{\w+}", "it", path)


async def test_the_queue_outlives_every_refusal_that_the_server_can_give(
    handset: Handset, weather: Weather
) -> None:
    later = {"idempotency_in_progress"}
    for number, (door, code, status) in enumerate(refusals()):
        sentence = f"It is {code} for {number}."
        fate = problem(status, code, sentence, **{"Retry-After": "60"})
        weather.coming.extend([fate] * 20)
        entry = await handset.add(
            *([drawn.photo()] if "photo" in door else []),
            kind=DOORS[door],
            order=f"order_{number}" if "order_id" in door else None,
            path=address(door, number),
            body={"online": True},
        )
        await handset.outcome(entry)
        [kept] = await handset.entries()
        refused = code not in later and (
            idempotency.is_permanent(status) or status in {403, 412, 413}
        )
        said = (door, code, kept["state"], kept["problem"])
        assert kept["state"] == ("refused" if refused else "waiting"), said
        standing = await handset.standing()
        assert standing["signIn"] is (status == 401), said
        if status != 401:
            assert kept["problem"]["detail"] == sentence, said
        if refused:
            await shown(handset, kept)
        weather.coming.clear()
        await handset.js(
            """for (const name of ["pause", "token-refused"])
                   await store.saveValue(name, undefined);
               const kept = await store.getRecord("outbox", given.id);
               await store.putRecord("outbox", { ...kept, state: "refused" });
               return outbox.discardEntry(given.id)""",
            id=entry,
        )
        assert await handset.entries() == []


async def explained(handset: Handset, entry: dict[str, Any], language: str) -> dict[str, str]:
    """Let the app explain a refused entry in a language."""
    told: dict[str, str] = await handset.js(
        """const { setLanguage } = await import(given.words);
           await setLanguage(given.language);
           return refusals.explainRefusal(given.entry)""",
        entry=entry,
        language=language,
        words=handset.address("i18n"),
    )
    return told


async def shown(handset: Handset, entry: dict[str, Any]) -> None:
    """Check that a refusal has its own text in every language, and none of the server's."""
    said = (entry["path"], entry["problem"])
    titles = set()
    for language in LANGUAGES:
        told = await explained(handset, entry, language)
        assert told["fix"] in {"again", "change", "discard"}
        assert told["code"] == "", said
        assert told["title"] != load_part(language, "driver")["refused.other"], said
        titles.add(told["title"])
    assert len(titles) == len(LANGUAGES), said


async def test_every_problem_of_a_call_has_a_text_and_an_unknown_one_a_general_text(
    handset: Handset,
) -> None:
    for code in called():
        met = {"code": code, "detail": "It is English."}
        told = await handset.js("return refusals.explainProblem(given.met)", met=met)
        assert "English" not in told
        assert told != load_part("en", "driver")["went-wrong"], code
    unknown = {"problem": {"code": "brand_new", "title": "No.", "detail": "It is English."}}
    for language in LANGUAGES:
        told = await explained(handset, unknown, language)
        assert told == {
            "title": load_part(language, "driver")["refused.other"],
            "code": "brand_new",
            "fix": "again",
        }


def called() -> set[str]:
    """List the problems of the calls that the app does not queue."""
    lines = ENDPOINTS.read_text().splitlines()
    found = [line for line in lines if line.startswith(tuple(f"| `{call}`" for call in CALLS))]
    assert len(found) == len(CALLS)
    return {code for line in found for code in re.findall(r"\[`(\w+)`\]", line)} | set(ANYWHERE)


async def test_an_order_that_was_cancelled_meanwhile_is_explained(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order, other = [await dispatcher.give(handset.driver) for _ in range(2)]
    await handset.press(order, "started")
    assert await handset.send() == 0
    weather.gone = True
    await handset.press(order, "arrived")
    photo = await handset.photo(order)
    await handset.press(order, "handed_over")
    await handset.press(other, "started")
    await dispatcher.act(order, "cancel", reason="The customer changed their mind.")
    weather.gone = False
    assert await handset.send() == 2
    entries = await handset.entries()
    assert [entry["state"] for entry in entries] == ["refused", "waiting", "waiting"]
    assert entries[0]["problem"]["code"] == "illegal_move"
    assert [entry["behind"] for entry in entries] == [None, entries[0]["id"], entries[0]["id"]]
    assert (await dispatcher.get(f"orders/{other['id']}"))["status"] == "started"
    # The photo was taken before the order was cancelled: given up is only what cannot be.
    await handset.js("return outbox.discardEntry(given.id)", id=entries[0]["id"])
    left = await handset.entries()
    assert [(entry["kind"], entry["state"]) for entry in left] == [("activity", "refused")]
    assert photo not in {entry["id"] for entry in left}
    await handset.js("return outbox.discardEntry(given.id, { rest: true })", id=left[0]["id"])
    assert await handset.entries() == []


async def test_an_order_that_was_given_to_somebody_else_is_refused_and_kept(
    handset: Handset, dispatcher: Dispatcher, weather: Weather
) -> None:
    order = await dispatcher.give(handset.driver)
    weather.gone = True
    await handset.press(order, "started")
    await handset.photo(order)
    grace = await dispatcher.driver(name="Grace")
    await dispatcher.act(order, "assign-driver", driver=grace["id"])
    weather.gone = False
    assert await handset.send() == 1
    first, second = await handset.entries()
    assert (first["state"], first["problem"]["status"]) == ("refused", 404)
    assert second["state"] == "waiting"
    # Back with its driver, the very same is sent again.
    await dispatcher.act(order, "assign-driver", driver=handset.driver["id"])
    assert await handset.js("return outbox.retryEntry(given.id)", id=first["id"]) == 0
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "started"


async def test_what_was_wrong_is_put_right_and_sent_again(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    code = "4006381333931"
    lamp = {"name": "Lamp", "expected_codes": [code]}
    order = await dispatcher.give(handset.driver, entities=[lamp])
    path = f"/v1/orders/{order['id']}/capture-qr"
    entry = await handset.add(
        kind="proof", order=order["id"], path=path, body={"code": "another", "symbology": "Code128"}
    )
    assert (await handset.outcome(entry))["refused"]["code"] == "code_mismatch"
    script = "return outbox.retryEntry(given.id, { code: given.code })"
    assert await handset.js(script, id=entry, code=code) == 0
    assert await handset.entries() == []
    [proof] = await dispatcher.get(f"orders/{order['id']}/proofs")
    assert proof["raw_data"] == code


async def test_a_step_without_its_proof_waits_for_the_driver_and_goes_through_with_it(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    order = await dispatcher.give(handset.driver)
    for code in ("started", "arrived"):
        await handset.press(order, code)
    entry = await handset.press(order, "handed_over")
    refused = (await handset.outcome(entry))["refused"]
    assert refused["code"] == "pod_required"
    assert refused["missing"]
    # The proof comes after what needs it: it goes ahead, because it is what the other waits for.
    await handset.photo(order)
    assert await handset.send() == 0
    assert await handset.js("return outbox.retryEntry(given.id)", id=entry) == 0
    assert (await dispatcher.get(f"orders/{order['id']}"))["status"] == "completed"
