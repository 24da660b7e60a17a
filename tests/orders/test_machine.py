"""From any flow, any sequence of actions through the door leaves the order where the flow allows.

A refused action changes nothing and tells nothing; an accepted one tells exactly what it changed.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import stage
from orders.flows import CODES, proving_flows
from orders.model import Action, Model, Refusal
from orders.shop import CHANGI, MANDAI, RAFFLES
from pannier.db import connect
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.orders import flow
from pannier.orders.activities import Activity
from pannier.orders.flow import IllegalMove
from probe import refused
from stage import NOON, SECRET, Firm, House

SUBFLOWS: Final = ("collect", "cold")
PLACES: Final = (RAFFLES, MANDAI, CHANGI)
MOMENTS: Final = ("2026-02-01T09:00:00.000Z", "2026-02-02T09:00:00.000Z", None)
ONCE: Final = ("created", "dispatched", "started", "completed", "cancelled")
FINAL: Final = ("completed", "canceled")
# What events of an order tell of it, and actions change.
FACTS: Final = (
    "status", "current_waypoint", "driver_assigned", "vehicle_assigned", "notes", "scheduled_at",
)  # fmt: skip

Shown = dict[str, Any]


@dataclass
class Desk:
    """Asks a company's door one thing after the other, with an event loop of its own."""

    runner: asyncio.Runner
    clock: ManualClock
    house: House
    firm: Firm
    api: httpx.AsyncClient
    # Who may carry an order, and with what.
    drivers: list[tuple[str, str | None]]
    numbers: Iterator[int]

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return self.runner.run(self.api.request(method, f"/v1/{path}", json=body))

    def made(self, path: str, **body: Any) -> Shown:
        answer = self.ask("POST", path, body)
        assert answer.status_code == 201, answer.text
        thing: Shown = answer.json()
        return thing

    def told(self) -> list[Shown]:
        """What was told at this very moment."""
        sql = """select array_agg(body order by uuid) from events
                 where company = :company and created_at = :now"""
        bodies = self.runner.run(
            self.house.value(sql, company=self.firm.uuid, now=self.clock.now())
        )
        return [json.loads(body) for body in bodies or ()]


@pytest.fixture
def desk(database_url: str, tmp_path: Path) -> Iterator[Desk]:
    clock = ManualClock(NOON)
    with asyncio.Runner() as runner:
        database = runner.run(connect(database_url, clock=clock, keys=Keyring(SECRET)))
        rates = {"credential_rate": "10000000", "address_rate": "10000000"}
        house = runner.run(stage.build(database, clock, str(tmp_path), **rates))
        firm = runner.run(house.found("Acme"))
        opened = Desk(runner, clock, house, firm, firm.api, [], count(1))
        van = opened.made("vehicles", plate_number="SGX 1")["id"]
        for phone, vehicle in (("+6591234501", None), ("+6591234502", van)):
            driver = opened.made("drivers", name="Ada", phone=phone, vehicle=vehicle)["id"]
            opened.drivers.append((driver, vehicle))
        yield opened
        runner.run(database.close())
        runner.run(stage.wipe(database_url))


class Machine(RuleBasedStateMachine):
    """Somebody tries everything on an order, legal or not."""

    model: Model
    content: bytes

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.happened: Counter[str] = Counter()

    @property
    def order(self) -> Shown:
        shown: Shown = json.loads(self.content)
        return shown

    @property
    def stops(self) -> list[str]:
        return [stop["id"] for stop in self.order["payload"]["waypoints"]]

    @initialize(
        main=proving_flows(),
        subflows=st.dictionaries(st.sampled_from(SUBFLOWS), proving_flows(), max_size=2),
        # Without stops there are a pickup and a dropoff; one stop alone is no route.
        stops=st.just([]) | st.lists(st.integers(0, 2), min_size=2, max_size=3),
        adhoc=st.booleans(),
        driver=st.none() | st.integers(0, 1),
        ahead=st.integers(0, 9),
    )
    def place(
        self,
        main: list[Activity],
        subflows: dict[str, list[Activity]],
        stops: list[int],
        adhoc: bool,  # noqa: FBT001 - drawn by hypothesis
        driver: int | None,
        ahead: int,
    ) -> None:
        number = next(self.desk.numbers)
        config = self.desk.made(
            "order-configs",
            name=f"Flow {number}",
            flow=msgspec.to_builtins(main),
            subflows=msgspec.to_builtins(subflows),
        )
        flows = {
            name: {activity.code: activity for activity in sub} for name, sub in subflows.items()
        }
        named = [self._subflow(flows, choice) for choice in stops]
        whole = flow.prepend_head(main)
        progress = flow.create_progress(
            whole, [flow.strip_head(whole) if name is None else flows[name] for name in named]
        )
        who, van = (None, None) if driver is None else self.desk.drivers[driver]
        ends = bool(stops) and PLACES[len(stops) - 1] is CHANGI
        self.model = Model(progress, flows, adhoc, who, van, ends_there=ends)
        self.desk.clock.advance(seconds=1)
        made = self.desk.made(
            "orders",
            order_config=config["id"],
            adhoc=adhoc,
            driver=who,
            **self._parts(named),
        )
        self.content = self.desk.ask("GET", f"orders/{made['id']}").content
        self._count(self.desk.told())
        assert self.happened["order.created"] == self.happened["tracking_status.created"] == 1
        # Left to chance alone, few orders would come far.
        self.go_on([0] * ahead)

    @staticmethod
    def _subflow(flows: dict[str, Any], choice: int) -> str | None:
        return dict(enumerate(flows)).get(choice)

    @staticmethod
    def _parts(named: list[str | None]) -> Shown:
        if not named:
            return {"pickup": RAFFLES, "dropoff": MANDAI}
        places = zip(PLACES, named, strict=False)
        return {"waypoints": [{"place": place, "subflow": name} for place, name in places]}

    @rule(driver=st.none() | st.integers(0, 1))
    def dispatch(self, driver: int | None) -> None:
        who, van = (None, None) if driver is None else self.desk.drivers[driver]
        self.act(lambda model: model.dispatch(who, van), "dispatch", {"driver": who})

    @rule(skip=st.booleans())
    def start(self, skip: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        self.act(lambda model: model.start(skip_dispatch=skip), "start", {"skip_dispatch": skip})

    @rule(
        code=st.sampled_from([*CODES, *flow.HEAD, "completed", "nonsense"]),
        number=st.none() | st.integers(0, 4),
    )
    def fire(self, code: str, number: int | None) -> None:
        stops = self.stops
        number = None if number is None or not stops else number % len(stops)
        body = {"activity": code, "waypoint": None if number is None else stops[number]}
        self.act(lambda model: model.advance(code, number), "update-activity", body)

    @rule(moves=st.lists(st.sampled_from([0, 0, 1, 2]), min_size=1, max_size=4))
    def go_on(self, moves: list[int]) -> None:
        for choice in moves:
            allowed = flow.list_next_codes(self.model.progress) or ("enroute",)
            self._fire(allowed[choice % len(allowed)])

    def _fire(self, code: str) -> None:
        body = {"activity": {"code": code}}
        self.act(lambda model: model.advance(code, None), "update-activity", body)

    @rule()
    def complete(self) -> None:
        self.act(Model.complete, "complete")

    @rule(sure=st.integers(0, 4))
    def cancel(self, sure: int) -> None:
        if sure == 0:
            self.act(Model.cancel, "cancel")

    @rule(number=st.integers(0, 4))
    def set_destination(self, number: int) -> None:
        stops = self.stops or [self.order["payload"]["pickup"]["id"]]
        number %= len(stops)
        self.act(lambda model: model.head_for(number), f"set-destination/{stops[number]}")

    @rule(driver=st.integers(0, 1))
    def assign(self, driver: int) -> None:
        who, van = self.desk.drivers[driver]
        self.act(lambda model: model.assign(who, van), "assign-driver", {"driver": who})

    @rule()
    def unassign(self) -> None:
        self.attempt(Model.unassign, "DELETE", self._path("/assign-driver"))

    @rule(notes=st.sampled_from(["Ring twice.", "Ring once.", None]))
    def write(self, notes: str | None) -> None:
        self.attempt(lambda model: model.write(notes), "PATCH", self._path(), {"notes": notes})

    @rule(moment=st.sampled_from(MOMENTS))
    def schedule(self, moment: str | None) -> None:
        self.act(lambda model: model.schedule(moment), "schedule", {"scheduled_at": moment})

    @rule(choice=st.integers(0, 2))
    def add_stop(self, choice: int) -> None:
        name = self._subflow(self.model.subflows, choice)
        body = {"payload": self.order["payload"]["id"], "place": CHANGI, "subflow": name}
        self.attempt(lambda model: model.add_stop(name), "POST", "waypoints", body)

    def _path(self, action: str = "") -> str:
        return f"orders/{self.order['id']}{action}"

    def act(self, predicted: Action, action: str, body: Any = None) -> None:
        self.attempt(predicted, "POST", self._path(f"/{action}"), body)

    def attempt(self, predicted: Action, method: str, path: str, body: Any = None) -> None:
        """Try an action, and see that it does what the model says."""
        self.desk.clock.advance(seconds=1)
        answer = self.desk.ask(method, path, body)
        shown, told = self.desk.ask("GET", self._path()).content, self.desk.told()
        after = prediction(predicted, self.model)
        if not isinstance(after, Model):
            check_refusal(answer, after)
            assert shown == self.content, "a refused action changes nothing"
            assert told == [], "and tells nothing"
            return
        assert answer.is_success, answer.text
        before, self.content = self.order, shown
        if path.startswith("orders/"):
            told_order = answer.json()
            # Only an assignment has them.
            told_order.pop("warnings", None)
            assert told_order == self.order
            check_told(before, told, self.order)
        assert [summary(event) for event in told] == list(after.told)
        self._count(told)
        self.model = replace(after, told=())

    def _count(self, told: list[Shown]) -> None:
        self.happened.update(event["event"] for event in told)

    @invariant()
    def stands_as_the_model_says(self) -> None:
        if not hasattr(self, "content"):
            return
        model, shown = self.model, self.order
        progress, stops = model.progress, shown["payload"]["waypoints"]
        assert shown["status"] == progress.status
        assert [(stop["status_code"], stop["complete"]) for stop in stops] == [
            (stop.activity, stop.done) for stop in progress.stops
        ]
        current = None if progress.current is None else stops[progress.current]["id"]
        assert (shown["current_waypoint"], shown["payload"]["state"]) == (current, model.state)
        assert (shown["dispatched"], shown["started"]) == (model.dispatched, model.started)
        assert (facts(shown)["driver_assigned"], facts(shown)["vehicle_assigned"]) == (
            model.driver,
            model.vehicle,
        )
        assert (shown["notes"], shown["scheduled_at"]) == (model.notes, model.scheduled_at)
        ended = (shown["completed_at"] is not None, shown["canceled_at"] is not None)
        assert ended == (shown["status"] == "completed", shown["status"] == "canceled")
        upcoming = self.desk.ask("GET", self._path("/next-activity")).json()
        assert [each["code"] for each in upcoming] == list(flow.list_next_codes(progress))

    @invariant()
    def what_happens_once_is_told_once(self) -> None:
        assert all(self.happened[f"order.{name}"] <= 1 for name in ONCE)
        assert self.happened["order.completed"] + self.happened["order.cancelled"] <= 1


def facts(shown: Shown) -> Shown:
    """What is told of an order, whether it is shown or told."""
    values = {name: shown[name] for name in FACTS}
    return {
        name: value["id"] if isinstance(value, dict) else value for name, value in values.items()
    }


def prediction(predicted: Action, model: Model) -> Model | Refusal | IllegalMove:
    try:
        return predicted(model)
    except (Refusal, IllegalMove) as refusal:
        return refusal


def check_refusal(answer: httpx.Response, expected: Refusal | IllegalMove) -> None:
    problem = refused(answer, expected.status, expected.code)
    if isinstance(expected, IllegalMove):
        assert problem["allowed"] == expected.extra["allowed"]


def summary(event: Shown) -> tuple[str, Any]:
    name, data = event["event"], event["data"]
    if name == "order.updated":
        return name, set(data["changed"])
    return name, data["code"] if name == "tracking_status.created" else None


def check_told(before: Shown, told: list[Shown], after: Shown) -> None:
    """See that each event of the order tells what differs from the one before it, and no more."""
    last = facts(before)
    for event in told:
        if not event["event"].startswith("order."):
            continue
        now = facts(event["data"])
        differing = {name for name in FACTS if now[name] != last[name]}
        assert differing == set(event["data"].get("changed", ["status"]))
        assert last["status"] not in FINAL or differing == {"notes"}, "what is over stays over"
        last = now
    assert last == facts(after)


@pytest.mark.slow
@pytest.mark.properties
def test_an_order_does_what_its_flow_allows_and_tells_what_it_did(desk: Desk) -> None:
    chosen = settings(
        stateful_step_count=16,
        deadline=None,
        # Looking for the shortest way to a failure would take minutes here.
        phases=[Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(lambda: Machine(desk), settings=chosen)
