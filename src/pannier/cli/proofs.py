"""`pannier proofs`: verify proofs of delivery."""

import sys

import click
import msgspec

from pannier.cli import access
from pannier.db import Database
from pannier.proofs import register
from pannier.settings import Settings


@click.group()
def proofs() -> None:
    """Verify proofs of delivery."""


@proofs.command("verify")
@access.company_options
def verify_proofs(data: str | None, company: str | None, as_json: bool) -> None:
    """Verify a company's proofs without their images."""

    async def collect_messages(database: Database, _: Settings) -> list[str]:
        messages = []
        async with database.reading() as db:
            owner = await access.get_company(db, company)
            async for sentence in register.find_faults(db, owner.uuid):
                messages.append(str(sentence))
                if not as_json:
                    click.echo(sentence)
        return messages

    messages = access.run(data, collect_messages)
    if as_json:
        click.echo(msgspec.json.encode({"holds": not messages, "faults": messages}))
    elif not messages:
        click.echo("All proofs are valid and none is missing.")
    if messages:
        sys.exit(1)
