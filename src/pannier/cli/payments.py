"""`pannier payments`: compare the gateway's payments with our own."""

from datetime import timedelta

import click
import msgspec

from pannier.cli import attach, tables
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.kit.money import Money
from pannier.orders.quotes import service  # noqa: F401 - registers its payment hook
from pannier.payments import books
from pannier.payments.books import Comparison
from pannier.payments.configuration import gateway_of
from pannier.settings import Settings


@click.group(cls=Group)
def payments() -> None:
    """Reconcile payments with the gateway."""


@payments.command("reconcile")
@attach.data_option
@attach.number_option("--days", 1, 3650, 30, "Days to look back.")
@attach.json_option
def reconcile(data: str | None, days: int, as_json: bool) -> None:
    """Import missing gateway payments and compare the totals."""

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
    """Print the totals, the differences and the verdict."""
    header = (
        "CURRENCY",
        "PAID (GATEWAY)",
        "PAID (PANNIER)",
        "REFUNDED (GATEWAY)",
        "REFUNDED (PANNIER)",
    )
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
    tables.show(header, rows, nothing="No payments in this period.")
    for each in found.differences:
        click.echo(
            f"{each.transaction} ({each.payment}): gateway paid {each.gateway_paid}, Pannier "
            f"{each.our_paid}; gateway refunded {each.gateway_refunded}, Pannier "
            f"{each.our_refunded} (minor units of {each.currency})."
        )
    for stranger in found.unknown:
        click.echo(
            f"{stranger.payment}: gateway paid {stranger.paid} (minor units of "
            f"{stranger.currency}), unknown to Pannier."
        )
    if found.learned:
        noun = "record" if found.learned == 1 else "records"
        click.echo(f"Imported {found.learned} missing {noun}.")
    verdict = "match" if found.agree else "do not match"
    click.echo(f"Payments of {found.gateway} and Pannier {verdict}.")
