"""Who may do what at the console, form by form, and what strangers write into pages."""

import re
from typing import Any, Final

import httpx
import pytest

from console import walk
from console.reading import sent_by
from console.seat import Seat
from contract.test_every_route import contents
from pannier.accounts.models import Role
from stage import Firm, House

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
IDENTIFIER: Final = re.compile(r"/[a-z_]+_[0-9A-Za-z]{8,}")
# What ends an attribute, a script, and whatever else it stands in, and begins an element.
HOSTILE: Final = "</script>\"'><img src=x onerror=hostile()>{{7*7}}"


async def forms(seat: Seat) -> dict[str, tuple[str, dict[str, Any]]]:
    """Find every form that somebody is offered: by kind, where it goes, and what it sends."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for address, page, _ in (await walk.pages(seat)).seen.values():
        for form in page.root.all("form", method="post"):
            action = (form["action"] or address).partition("?")[0]
            # Of several buttons, the one that saves.
            saves = {"do": "save"} if form.all("button", name="do", value="save") else {}
            found.setdefault(IDENTIFIER.sub("/*", action), (action, {**sent_by(form), **saves}))
    return found


def is_refused(answer: httpx.Response) -> bool:
    """Tell whether a form came to nothing."""
    led = answer.status_code == 303 and "pannier_refused" in answer.headers.get("set-cookie", "")
    return led or answer.is_client_error


@pytest.mark.parametrize("role", ["viewer", "dispatcher"])
async def test_what_a_role_is_not_offered_is_refused_to_it(
    acme: Firm, house: House, seat: Seat, role: Role
) -> None:
    await walk.furnish(acme)
    lesser = await Seat.of(acme, role)
    everything, offered = await forms(seat), await forms(lesser)
    others = {kind: form for kind, form in everything.items() if kind not in offered}
    assert len(others) > (30 if role == "viewer" else 10)
    before = await contents(house, acme)
    done = []
    for kind, (action, fields) in others.items():
        sent = {name: value for name, value in fields.items() if name != "csrf"}
        if not is_refused(await lesser.send(action, sent)):
            done.append(kind)
    assert done == []
    assert await contents(house, acme) == before


async def test_no_form_reaches_what_is_anothers(
    acme: Firm, rival: Firm, house: House, seat: Seat
) -> None:
    await walk.furnish(acme)
    stranger = await Seat.of(rival)
    before = await contents(house, acme)
    for kind, (action, fields) in (await forms(seat)).items():
        if "*" in kind:
            sent = {name: value for name, value in fields.items() if name != "csrf"}
            assert is_refused(await stranger.send(action, sent)), kind
    assert await contents(house, acme) == before


async def hostile(firm: Firm) -> None:
    """Write what would run into whatever takes words."""
    made: dict[str, str] = {}
    for path, told in (
        ("contacts", {"name": HOSTILE, "title": HOSTILE}),
        ("vendors", {"name": HOSTILE}),
        ("drivers", {"name": HOSTILE, "phone": "+6591230001"}),
        ("vehicles", {"make": HOSTILE, "plate_number": HOSTILE[:20]}),
        ("places", {"name": HOSTILE, "street1": HOSTILE,
                    "location": {"type": "Point", "coordinates": [103.85, 1.29]}}),
        ("fleets", {"name": HOSTILE}),
    ):  # fmt: skip
        answer = await firm.api.post(f"/v1/{path}", json=told)
        assert answer.is_success, answer.text
        made[path] = answer.json()["id"]
    order = {"pickup": made["places"], "dropoff": made["places"], "notes": HOSTILE,
             "internal_id": HOSTILE, "customer": made["contacts"], "driver": made["drivers"],
             "entities": [{"name": HOSTILE, "sku": HOSTILE}],
             "meta": {HOSTILE: HOSTILE}}  # fmt: skip
    answer = await firm.api.post("/v1/orders", json=order)
    assert answer.is_success, answer.text
    issue = {"driver": made["drivers"], "type": "vehicle", "report": HOSTILE,
             "location": {"type": "Point", "coordinates": [103.85, 1.29]}}  # fmt: skip
    answer = await firm.api.post("/v1/issues", json=issue)
    assert answer.is_success, answer.text


async def test_what_strangers_write_is_only_ever_read(acme: Firm, seat: Seat) -> None:
    await walk.furnish(acme)
    await hostile(acme)
    found = await walk.pages(seat)
    assert found.broken == []
    shown = 0
    views = [seen.address for seen in found.seen.values()]
    views += [f"/console/orders?layout={view}" for view in ("board", "table", "map", "planner")]
    orders = (await acme.api.get("/v1/orders")).json()
    views += [f"/console/orders/{orders[0]['id']}", f"/console/orders/{orders[0]['id']}/label"]
    for address in dict.fromkeys(views):
        page = await seat.open(address)
        assert not page.root.all("img", src="x"), address
        shown += any("onerror" in str(one.inside) for one in page.root.within())
        assert not [one for one in page.root.within() if "onerror" in one.attributes], address
    assert shown > 10
