"""Who may do what at the console, form by form."""

import re
from typing import Any, Final

import httpx
import pytest

from console import walk
from console.reading import Page, sent_by
from console.seat import Seat
from contract.test_every_route import contents
from pannier.accounts.models import Role
from stage import Firm, House

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
IDENTIFIER: Final = re.compile(r"/[a-z_]+_[0-9A-Za-z]{8,}")
# How many forms more than these are for others than a role.
LESSER: Final[dict[Role, int]] = {"viewer": 30, "billing": 25, "dispatcher": 10}


def forms(walked: walk.Walk) -> dict[str, tuple[str, dict[str, Any]]]:
    """Find every form that somebody is offered: by kind, where it goes, and what it sends."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for address, page, *_ in walked.seen.values():
        for form in page.root.all("form", method="post"):
            action = (form["action"] or address).partition("?")[0]
            # Of several buttons, the one that saves.
            saves = {"do": "save"} if form.all("button", name="do", value="save") else {}
            found.setdefault(IDENTIFIER.sub("/*", action), (action, {**sent_by(form), **saves}))
    return found


def list_offering_pages(walked: walk.Walk) -> dict[str, list[str]]:
    """List the pages that offer each kind of form."""
    found: dict[str, list[str]] = {}
    for address, page, *_ in walked.seen.values():
        for form in page.root.all("form", method="post"):
            action = (form["action"] or address).partition("?")[0]
            found.setdefault(IDENTIFIER.sub("/*", action), []).append(address)
    return found


async def is_offered(seat: Seat, kind: str, pages: list[str]) -> bool:
    """Tell whether somebody is offered a form on one of the pages where others are."""
    for address in pages:
        answer = await seat.client.get(address, follow_redirects=True)
        found = Page(answer.text).root.all("form", method="post")
        actions = ((form["action"] or address).partition("?")[0] for form in found)
        if any(IDENTIFIER.sub("/*", action) == kind for action in actions):
            return True
    return False


def is_refused(answer: httpx.Response) -> bool:
    """Tell whether a form came to nothing."""
    led = answer.status_code == 303 and "pannier_refused" in answer.headers.get("set-cookie", "")
    return led or answer.is_client_error


def list_sent(fields: dict[str, Any]) -> dict[str, Any]:
    """List what somebody else would send with a form, whose token is another."""
    return {name: value for name, value in fields.items() if name != "csrf"}


async def test_nobody_does_what_they_are_not_offered_nor_anything_to_what_is_anothers(
    acme: Firm, rival: Firm, house: House, seat: Seat
) -> None:
    await walk.furnish(acme)
    walked = await walk.pages(seat)
    everything, offering = forms(walked), list_offering_pages(walked)
    seats = {role: await Seat.of(acme, role) for role in LESSER}
    before = await contents(house, acme)
    done = []
    for role, lesser in seats.items():
        seen = await walk.pages(lesser, ["/console/orders"])
        assert seen.broken == [], role
        offered = forms(seen)
        # A walk opens one record of a kind. The others walk to another order, whose form differs.
        others = {
            kind: form
            for kind, form in everything.items()
            if kind not in offered and not await is_offered(lesser, kind, offering[kind])
        }
        assert len(others) > LESSER[role]
        for kind, (action, fields) in others.items():
            if not is_refused(await lesser.send(action, list_sent(fields))):
                done.append(f"{role}: {kind}")
        if role == "viewer":
            # What a shipment would cost can be asked by everybody, and changes nothing.
            changing = {path for path in seen.seen if path.endswith(("/new", "/edit"))}
            assert changing <= {"/console/service-quotes/new"}
    stranger = await Seat.of(rival)
    for kind, (action, fields) in everything.items():
        if "*" in kind and not is_refused(await stranger.send(action, list_sent(fields))):
            done.append(f"another company: {kind}")
    assert done == []
    assert await contents(house, acme) == before
