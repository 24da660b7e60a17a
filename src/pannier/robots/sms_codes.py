"""SMS codes of simulated drivers, who can read only those of test numbers."""

from collections.abc import Sequence

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict
from pannier.notifications import sandbox
from pannier.orders import flow, gate
from pannier.orders.captures import recipients
from pannier.orders.captures import service as captures
from pannier.orders.progress import find_stop, load_progress
from pannier.orders.views import OrderAggregate


class TestRecipientRequired(Conflict):
    """A robot knows only the code of test numbers, to which no SMS is sent."""

    code = "test_recipient_required"
    title = "A robot cannot read this recipient's SMS code."
    remedy = "Use a number like +15555550123 for the customer or the stop's contact."


async def check_recipients(db: Db, order: OrderAggregate, subject_ids: Sequence[str]) -> None:
    """Refuse subjects whose SMS codes go to a number that is not for tests."""
    settings = await company_settings.load(db, order.row.company)
    for subject_id in subject_ids:
        subject = captures.get_subject(order.row, order.payload_aggregate, subject_id)
        phone = await recipients.find_phone(db, order.row, order.payload_aggregate, subject)
        if phone is None or not sandbox.is_test_recipient(settings, phone):
            raise TestRecipientRequired


async def send_codes(db: Db, order: OrderAggregate, activity_code: str | None = None) -> None:
    """Send the codes that an activity needs, by default the next one.

    Commit this before the activity fires: sending resets the counters of wrong codes, and checking
    a code counts in a transaction of its own, which would wait for that.
    """
    progress = await load_progress(db, order)
    activity_code = activity_code or next(iter(flow.list_next_codes(progress)), None)
    if activity_code is None:
        return
    activity = flow.get_activity(progress, activity_code)
    if activity.pod_method != "sms":
        return
    stop = find_stop(order, progress, activity_code)
    match = await gate.match_unused_proofs(
        db, order.row, activity, stop, order.payload_aggregate.entities
    )
    subject_ids = [requirement.subject_id for requirement in match.missing]
    await check_recipients(db, order, subject_ids)
    for subject_id in subject_ids:
        context = await captures.load_context(db, order.row, subject_id)
        await captures.send_code(db, context)
