"""`pannier payments`: the gateway's books beside our own."""

from datetime import timedelta

import click
import msgspec

from pannier.cli import attach, tables
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.kit.money import Money
from pannier.orders.quotes import service  # noqa: F401 - registers what follows a payment
from pannier.payments import books
from pannier.payments.books import Comparison
from pannier.payments.configuration import gateway_of
from pannier.settings import Settings


@click.group(cls=Group)
def payments() -> None:
    """Compare what the payment gateway has taken with what we know of it."""


@payments.command("reconcile")
@attach.data_option
@attach.number_option("--days", 1, 3650, 30, "How far to look back.")
@attach.json_option
def reconcile(data: str | None, days: int, as_json: bool) -> None:
    """Take what the gateway never told us, and compare its sums with ours."""

    async def job(database: Database, settings: Settings) -> Comparison:
        gateway = gateway_of(settings, database.clock)
        try:
            since = database.clock.now() - timedelta(days=days)
            return await books.reconcile(database, gateway, since)
        finally:
            await gateway.close()

    found = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        _show(found)
    if not found.agree:
        click.get_current_context().exit(1)


def _show(found: Comparison) -> None:
    """Print the sums, what differs, and the verdict."""
    header = ("CURRENCY", "PAID THERE", "PAID HERE", "GIVEN BACK THERE", "GIVEN BACK HERE")
    rows = [
        (
            sums.currency,
            *(
                str(Money(amount, sums.currency).to_decimal())
                for amount in (
                    sums.gateway_paid, sums.our_paid, sums.gateway_refunded, sums.our_refunded,
                )
            ),
        )
        for sums in found.sums
    ]  # fmt: skip
    tables.show(header, rows, nothing="Nothing was paid in this time.")
    for each in found.differences:
        click.echo(
            f"{each.transaction} ({each.payment}): paid {each.gateway_paid} there and "
            f"{each.our_paid} here, given back {each.gateway_refunded} there and "
            f"{each.our_refunded} here, in minor units of {each.currency}."
        )
    for stranger in found.unknown:
        click.echo(
            f"{stranger.payment}: paid {stranger.paid} there, in minor units of "
            f"{stranger.currency}, on a page that we know nothing of."
        )
    if found.learned:
        facts = "fact was" if found.learned == 1 else "facts were"
        click.echo(f"{found.learned} {facts} new to us, and taken.")
    verdict = "agree" if found.agree else "do not agree"
    click.echo(f"The books of {found.gateway} and our own {verdict}.")
