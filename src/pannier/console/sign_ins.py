"""Access tokens and sessions of a record: shown on its page, and ended there."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import confirm, door, render
from pannier.console.desk import Desk
from pannier.console.records import Records, named
from pannier.web.exchange import Exchange
from pannier.web.routes import post

MOST: Final = "60"
# The label of the button, and the verb of the message.
VERBS: Final = {"session": ("End", "ended"), "token": ("Revoke", "revoked")}


async def shown(desk: Desk, tokens: str, **whose: str) -> Mapping[str, Any]:
    """Load the tokens for templates/_tokens.html, or None if the operator may not end them."""
    may = desk.may("DELETE", f"{tokens}/{{token_id}}")
    rows = (await desk.rows(tokens, {"limit": MOST}, **whose)).rows if may else None
    return {"tokens": rows}


def ending(records: Records, tokens: str, noun: str = "session") -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler that ends one or all tokens of a record.

    `tokens` is the API path of the tokens.
    """

    @post(f"/{records.resource}/{{identifier:str}}/tokens/end", status_code=200)
    async def ended(exchange: Exchange, identifier: str) -> Response[bytes]:
        home, whose = records.address(identifier), {records.name: identifier}
        return await end(exchange, home, tokens, noun, **whose)

    return named(ended, f"console_{records.resource}_end_tokens")


async def end(
    exchange: Exchange, home: str, tokens: str, noun: str = "session", **whose: str
) -> Response[bytes]:
    """End the token that the form names, or all of them."""
    token = door.sent(exchange).get("token")
    verb, done = VERBS[noun]
    asked = f"{verb} this {noun}? It stops" if token else f"{verb} all {noun}s? They stop"
    label = verb if token else f"{verb} all"
    confirm.require(exchange, f"{asked} working immediately.", label)
    if token:
        await Desk(exchange).act("DELETE", f"{tokens}/{{token_id}}", token_id=token, **whose)
    else:
        await Desk(exchange).act("DELETE", tokens, **whose)
    said = f"{noun.capitalize()} {done}." if token else f"All {noun}s {done}."
    return render.led(exchange, home, said=said)
