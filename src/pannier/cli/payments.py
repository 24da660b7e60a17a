"""`pannier payments`: compare the gateway's payments with our own."""

from datetime import timedelta

import click
import msgspec

from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.kit.money import Money
from pannier.orders.quotes import service  # noqa: F401 - registers its payment hook
from pannier.payments import reconciliation
from pannier.payments.configuration import make_gateway
from pannier.payments.reconciliation import Reconciliation
from pannier.settings import Settings


@click.group(cls=Group)
def payments() -> None:
    """Reconcile payments with the gateway."""


@payments.command("reconcile")
@access.data_option
@access.number_option("--days", 1, 3650, 30, "Days to look back.")
@access.json_option
def reconcile_payments(data: str | None, days: int, as_json: bool) -> None:
    """Import missing gateway payments and compare the totals."""

    async def compare(database: Database, settings: Settings) -> Reconciliation:
        gateway = make_gateway(settings, database.clock)
        try:
            since = database.clock.now() - timedelta(days=days)
            return await reconciliation.reconcile(database, gateway, since)
        finally:
            await gateway.close()

    comparison = access.run(data, compare)
    if as_json:
        click.echo(msgspec.json.encode(comparison))
    else:
        _print_comparison(comparison)
    if not comparison.agree:
        click.get_current_context().exit(1)


def _print_comparison(comparison: Reconciliation) -> None:
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
        for sums in comparison.sums
    ]  # fmt: skip
    tables.print_table(header, rows, empty_text="No payments in this period.")
    for difference in comparison.differences:
        click.echo(
            f"{difference.transaction} ({difference.payment}): gateway paid "
            f"{difference.gateway_paid}, Pannier {difference.our_paid}; gateway refunded "
            f"{difference.gateway_refunded}, Pannier {difference.our_refunded} "
            f"(minor units of {difference.currency})."
        )
    for unknown_payment in comparison.unknown:
        click.echo(
            f"{unknown_payment.payment}: gateway paid {unknown_payment.paid} (minor units of "
            f"{unknown_payment.currency}), unknown to Pannier."
        )
    if comparison.learned:
        noun = "record" if comparison.learned == 1 else "records"
        click.echo(f"Imported {comparison.learned} missing {noun}.")
    verdict = "match" if comparison.agree else "do not match"
    click.echo(f"Payments of {comparison.gateway} and Pannier {verdict}.")
