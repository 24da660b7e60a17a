"""Whatever receivers answer and operators do, no event is lost and no attempt goes unlogged.

Time is virtual. Somebody tells events, lets time pass, changes what receivers answer, pauses,
disables, enables, rotates, replays and deletes, and kills the worker in the middle of its work.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx
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
from pannier import webhooks
from pannier.db import connect
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.webhooks import sweep
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.queue import LaneQuota, LeasedDelivery, lease_deliveries
from pannier.webhooks.schedule import DELAYS
from stage import NOON, SECRET
from webhooks.office import Office, Request, answering

pytestmark = pytest.mark.slow

ORDERS: Final = ("order_a", "order_b")
ANSWERS: Final = {
    "ok": answering(200),
    "broken": answering(500),
    "busy": answering(429, retry_after="1200"),
    "moved": answering(302),
    "gone": answering(410),
    "silent": AttemptResult(outcome="timeout"),
    "forbidden": AttemptResult(outcome="blocked"),
    "hung up": AttemptResult(outcome="disconnected", stale=True),
}
DEAD: Final = 7  # the number of the worker that dies


@dataclass
class Desk:
    """An office with an event loop of its own."""

    runner: asyncio.Runner
    clock: ManualClock
    office: Office

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def ask(self, method: str, path: str, **body: Any) -> httpx.Response:
        answer: httpx.Response = self.run(
            self.office.firm.admin.request(method, f"/int/v1/{path}", json=body)
        )
        return answer

    def rows(self, sql: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run(
            self.office.firm.house.value(f"select jsonb_agg(to_jsonb(t)) from ({sql}) t")
        )
        return found or []


@pytest.fixture
def desk(database_url: str, tmp_path: Path) -> Iterator[Desk]:
    clock = ManualClock(NOON)
    with asyncio.Runner() as runner:
        database = runner.run(connect(database_url, clock=clock, keys=Keyring(SECRET)))
        rates = {"credential_rate": "10000000", "address_rate": "10000000"}
        house = runner.run(stage.build(database, clock, str(tmp_path), **rates))
        firm = runner.run(house.found("Acme"))
        yield Desk(runner, clock, Office.of(firm))
        runner.run(database.close())
        runner.run(stage.wipe(database_url))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


class Machine(RuleBasedStateMachine):
    """Somebody tries everything on two endpoints, of which one wants strict order."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk, self.office = desk, desk.office
        self.office.receivers.requests.clear()
        self.office.sender = Office.hire(self.office.firm, self.office.receivers)
        self.told = 0
        self.secrets: dict[str, str] = {}
        self.answers = {"0": "ok", "1": "ok"}
        self.lost: set[tuple[str, int]] = set()
        self.office.receivers.answer = self.answer

    @initialize()
    def open(self) -> None:
        for row in self.desk.rows("select public_id from webhooks where deleted_at is null"):
            self.desk.ask("DELETE", f"webhooks/{row['public_id']}")
        self.desk.runner.run(self._forget())
        self.webhooks = [
            self.desk.run(
                self.office.register(
                    url=f"https://receiver.example.com/{number}", ordering=ordering
                )
            )
            for number, ordering in enumerate(("first_attempt", "strict"))
        ]
        self.secrets = {str(n): webhook["secret"] for n, webhook in enumerate(self.webhooks)}

    async def _forget(self) -> None:
        async with self.office.firm.house.database.transaction() as db:
            for table in (
                "webhook_claims",
                "webhook_queue",
                "webhook_attempts",
                "webhook_deliveries",
                "events",
            ):
                await db.execute(f"delete from {table}")

    def answer(self, request: Request) -> AttemptResult:
        number = request.url.rpartition("/")[2]
        envelope = webhooks.verify(
            request.body, request.headers, self.secrets[number], now=request.at.timestamp()
        )
        assert envelope["event"] == request.headers["X-Service-Event"]
        answer = ANSWERS[self.answers[number]]
        return AttemptResult(
            outcome=answer.outcome,
            status=answer.status,
            error=answer.error,
            retry_after=answer.retry_after,
            stale=answer.stale and not request.fresh,
        )

    @rule(order=st.sampled_from(ORDERS), count=st.integers(1, 3))
    def tell(self, order: str, count: int) -> None:
        for _ in range(count):
            self.told += 1
            self.desk.run(self.office.tell(Name.ORDER_UPDATED, order, self.told))

    @rule(number=st.sampled_from("01"), answer=st.sampled_from(sorted(ANSWERS)))
    def receivers_change_their_mind(self, number: str, answer: str) -> None:
        self.answers[number] = answer

    @rule(minutes=st.sampled_from([1, 5, 30, 120, 480]))
    def work(self, minutes: int) -> None:
        self.desk.run(self.office.work())
        self.desk.clock.advance(minutes=minutes)
        self.desk.run(self.office.work())

    @rule(
        number=st.integers(0, 1),
        state=st.sampled_from(["enabled", "paused", "disabled"]),
    )
    def switch(self, number: int, state: str) -> None:
        answer = self.desk.ask("PUT", f"webhooks/{self.webhooks[number]['id']}", state=state)
        assert answer.status_code == 200, answer.text

    @rule(number=st.integers(0, 1), grace=st.sampled_from([0, 600]))
    def rotate(self, number: int, grace: int) -> None:
        answer = self.desk.ask(
            "POST", f"webhooks/{self.webhooks[number]['id']}/rotate-secret", grace_seconds=grace
        )
        self.secrets[str(number)] = answer.json()["secret"]

    @rule(number=st.integers(0, 1))
    def replay_what_failed(self, number: int) -> None:
        chosen = {"webhook": self.webhooks[number]["id"], "state": ["failed", "succeeded"]}
        counted = self.desk.ask(
            "POST", "webhook-deliveries/replay", filter=chosen, dry_run=True
        ).json()
        done = self.desk.ask("POST", "webhook-deliveries/replay", filter=chosen).json()
        assert counted["matched"] == done["matched"] == done["replayed"]

    @rule()
    def die(self) -> None:
        """A worker takes what is due, perhaps sends some of it, and is killed."""
        self.desk.run(self.office.relay())
        for taken in self.desk.run(self._take()):
            self.lost.add((taken.public_id, taken.attempts))
        # Another one finds it out, and takes it back.
        self.desk.clock.advance(seconds=2)
        self.office.sender = Office.hire(self.office.firm, self.office.receivers)

    async def _take(self) -> list[LeasedDelivery]:
        async with self.office.firm.house.database.transaction() as db:
            uuids = await db.fetch_value(
                "select array_agg(uuid) from webhooks where state = 'enabled'"
            )
            work = [LaneQuota(uuid, 2, 10) for uuid in uuids or ()]
            return await lease_deliveries(db, work, sender=DEAD) if work else []

    @rule(number=st.integers(0, 1))
    def delete_and_register_anew(self, number: int) -> None:
        self.desk.ask("DELETE", f"webhooks/{self.webhooks[number]['id']}")
        made = self.desk.run(
            self.office.register(
                url=f"https://receiver.example.com/{number}",
                ordering=self.webhooks[number]["ordering"],
            )
        )
        self.webhooks[number], self.secrets[str(number)] = made, made["secret"]

    @invariant()
    def every_request_is_in_the_log_and_every_attempt_was_a_request(self) -> None:
        """Apart from what a killed worker may or may not have sent."""
        rows = self.desk.rows(
            "select delivery_name(delivery) as delivery, number from webhook_attempts"
        )
        logged = Counter((row["delivery"], row["number"]) for row in rows)
        for lost in self.lost:
            logged.pop(lost, None)
        seen = Counter(
            (request.headers["webhook-id"], int(request.headers["X-Service-Attempt"]))
            for request in self.office.receivers.requests
        )
        assert logged == seen
        assert set(logged.values()) <= {1}

    @invariant()
    def no_event_is_lost(self) -> None:
        """Each event that was relayed has a delivery for each endpoint there was."""
        missing = self.desk.rows(
            """select e.public_id from events e join event_relays r on r.event = e.uuid
               where not exists (select from webhook_deliveries d where d.event = e.uuid)"""
        )
        assert missing == []

    @invariant()
    def deliveries_end_once_and_keep_to_the_schedule(self) -> None:
        attempts = self.desk.rows("select * from webhook_attempts order by delivery, round, number")
        by_round: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for attempt in attempts:
            by_round.setdefault((attempt["delivery"], attempt["round"]), []).append(attempt)
        for row in by_round.values():
            ended = [a for a in row if a["outcome"] not in {"interrupted", "sending"}]
            # What was forgiven: a connection that was stale.
            charged = [a for a in ended if a["outcome"] != "disconnected"]
            assert len(charged) <= 1 + len(DELAYS)
            good = [number for number, a in enumerate(row) if a["outcome"] == "succeeded"]
            assert good in ([], [len(row) - 1]), "it went on after it had succeeded"
            failures = 0
            for earlier, later in pairwise(row):
                if earlier["outcome"] in {"interrupted", "disconnected"}:
                    continue
                waited = moment(later["started_at"]) - moment(earlier["finished_at"])
                assert waited >= DELAYS[min(failures, 3)] or earlier["outcome"] == "interrupted"
                failures += 1

    @invariant()
    def every_thread_has_a_head(self) -> None:
        """Of each thread that has something waiting, one delivery has its turn, and only one."""
        strays = self.desk.rows(
            """select q.thread from webhook_queue q join webhooks w on w.uuid = q.webhook
               where q.thread is not null
               group by q.webhook, q.thread, w.ordering
               having not bool_or(q.ready) or count(*) filter (where q.ready and not q.tried) > 1"""
        )
        assert strays == []

    def teardown(self) -> None:
        """In the end everything gets through: nothing was forgotten on the way."""
        if not hasattr(self, "webhooks"):
            return
        self.answers = {"0": "ok", "1": "ok"}
        for webhook in self.webhooks:
            self.desk.ask("PUT", f"webhooks/{webhook['id']}", state="enabled")
        for _ in range(6):
            self.desk.run(self.office.work())
            self.desk.clock.advance(hours=9)
        while self.desk.run(sweep.cancel_deliveries(self.office.firm.house.database)):
            pass
        assert self.desk.rows("select * from webhook_queue") == []


@pytest.mark.properties
def test_whatever_happens_no_event_is_lost_and_no_attempt_unlogged(desk: Desk) -> None:
    run_state_machine_as_test(
        lambda: Machine(desk),
        settings=settings(
            stateful_step_count=25,
            deadline=None,
            phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
