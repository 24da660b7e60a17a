"""What a page that is made of several calls may do, and in which order."""

import pytest

from console.seat import Seat
from pannier.console.api_client import ApiClient
from pannier.web.exchange import Exchange, current
from stage import Firm


async def test_the_outside_is_not_asked_once_something_was_changed(
    acme: Firm, seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be asked with the transaction undone, and what was changed would be lost unseen."""
    seen: list[Exchange] = []
    act = ApiClient.send

    async def watched(desk: ApiClient, *words: object, **more: object) -> object:
        done = await act(desk, *words, **more)  # type: ignore[arg-type]  # handed on as they came
        seen.append(current.get())
        async with desk.exchange.edge.suspend_transaction(desk.exchange):
            return done

    monkeypatch.setattr(ApiClient, "send", watched)
    answer = await seat.send("/console/contacts/new", {"name": "Ada"})
    assert seen
    assert "went%20wrong" in answer.headers["set-cookie"]
    assert (await acme.api.get("/v1/contacts")).json() == []
