"""`pannier proofs`: a look at all of the evidence."""

import sys

import click

from pannier.cli import attach
from pannier.db import Database
from pannier.proofs import register
from pannier.settings import Settings


@click.group()
def proofs() -> None:
    """Check all proofs of delivery: none changed, and none missing."""


@proofs.command("verify")
@attach.data_option
@attach.company_option
def verify(data: str | None, company: str | None) -> None:
    """Check every proof of a company but for its picture, and that none is missing."""

    async def job(database: Database, _: Settings) -> int:
        async with database.reading() as db:
            owner = await attach.company_of(db, company)
            count = 0
            async for fault in register.faults(db, owner.uuid):
                click.echo(fault)
                count += 1
        return count

    if attach.work(data, job):
        sys.exit(1)
    click.echo("All proofs hold, and none is missing.")
