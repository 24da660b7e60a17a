"""Events, messages, the audit log and parked work at the console."""

from console.seat import Seat
from pannier.notifications import service as notifications
from pannier.parked import service as parking
from pannier.parked.models import WorkKey
from stage import Firm
from webhooks.office import Office


async def test_an_event_is_found_and_shown_with_its_deliveries(acme: Firm, seat: Seat) -> None:
    office = Office.of(acme)
    await office.register()
    await office.tell(subject="order_0000000000000001")
    await office.tell(subject="order_0000000000000002")
    await office.work()
    rows = (await seat.open("/console/events")).rows()
    assert [row[2] for row in rows] == ["Order 0002", "Order 0001"]
    found = await seat.open("/console/events?subject=order_0000000000000001&event=order.created")
    assert [row[1:3] for row in found.rows()] == [["order.created", "Order 0001"]]
    assert (await seat.open("/console/events?until=2020-01-01T00:00")).rows() == []
    event = (await acme.admin.get("/int/v1/events?subject=order_0000000000000001")).json()["data"][
        0
    ]
    page = await seat.open(f"/console/events/{event['id']}")
    assert '"order_0000000000000001"' in page.main.one("pre").text
    assert [row[:2] for row in page.rows()] == [["Succeeded", "order.created"]]


async def test_a_message_is_read_and_a_code_in_the_drawer_too(acme: Firm, seat: Seat) -> None:
    async with acme.house.database.transaction() as db:
        said = await notifications.queue_message(
            db, acme.uuid, "email", "ada@example.com", "Your parcel arrives today.", "News"
        )
        code = await notifications.queue_message(
            db, acme.uuid, "sms", "+15555550123", "Your code is 123456.", secret=True
        )
        await db.execute("update messages set state = 'drawer' where uuid = :u", u=code.uuid)
    assert len((await seat.open("/console/messages")).rows()) == 2
    found = await seat.open("/console/messages?channel=email&to=ada@example.com")
    assert [row[4] for row in found.rows()] == ["Your parcel arrives today."]
    page = await seat.open(f"/console/messages/{said.public_id}")
    assert "Your parcel arrives today." in page.main.one("p", class_="said").text
    page = await seat.open(f"/console/messages/{code.public_id}")
    assert "Your code is 123456." in page.main.one("p", class_="said").text


async def test_a_change_is_shown_before_and_after(acme: Firm, seat: Seat) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Night"})).json()
    await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"name": "Day"})
    found = await seat.open(f"/console/audit?subject={made['id']}&action=key.changed")
    assert [row[1] for row in found.rows()] == ["key.changed"]
    (entry,) = (await acme.admin.get("/int/v1/audit?action=key.changed")).json()["data"]
    page = await seat.open(f"/console/audit/{entry['id']}")
    assert page.heading.endswith("key.changed")
    assert ["name", "Night", "Day"] in page.rows()
    assert (await seat.open("/console/audit?since=2030-01-01T00:00")).rows() == []


async def test_parked_work_is_tried_again_and_given_up(acme: Firm, seat: Seat) -> None:
    async with acme.house.database.transaction() as db:
        work = WorkKey(acme.uuid, "a step", "order_1", db.new_uuid())
        await parking.park(db, work, RuntimeError("Out of order."))
    (parked,) = (await acme.admin.get("/int/v1/parked")).json()["data"]
    page = await seat.open("/console/parked")
    assert page.heading == "Failed jobs"
    assert [row[:2] for row in page.rows()] == [["a step", "order_1"]]
    home = f"/console/parked/{parked['id']}"
    assert "Out of order." in (await seat.open(home)).main.text
    page = await seat.sent(f"{home}/retry")
    assert "Job queued for retry." in page.root.one("div", id="toasts").text
    await seat.sent(f"{home}/delete")
    assert (await acme.admin.get("/int/v1/parked")).json()["data"] == []
