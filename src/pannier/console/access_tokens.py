"""Access tokens and sessions of a record: shown on its page, and ended there."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import confirmation, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.records import Records, name_handler
from pannier.web.exchange import Exchange
from pannier.web.routes import post

MAX_TOKENS: Final = "60"


class EndTexts(NamedTuple):
    """The texts for ending a session or token: its button, its question and its message."""

    label: str
    question: str
    message: str


# The texts for one session or token, and for all of them.
END_TEXTS: Final = {
    "session": (
        EndTexts(
            "Sign out", "Sign out this session? It stops working immediately.", "Session ended."
        ),
        EndTexts(
            "Sign out everywhere",
            "Sign out everywhere? All sessions stop working immediately.",
            "All sessions ended.",
        ),
    ),
    "token": (
        EndTexts("Revoke", "Revoke this token? It stops working immediately.", "Token revoked."),
        EndTexts(
            "Revoke all",
            "Revoke all tokens? They stop working immediately.",
            "All tokens revoked.",
        ),
    ),
}


async def load_tokens(client: ApiClient, tokens: str, **path_params: str) -> Mapping[str, Any]:
    """Load the tokens for templates/_tokens.html, or None if the operator may not end them."""
    may = client.is_allowed("DELETE", f"{tokens}/{{token_id}}")
    rows = (
        (await client.list_rows(tokens, {"limit": MAX_TOKENS}, **path_params)).rows if may else None
    )
    return {"tokens": rows}


def make_end_handler(records: Records, tokens: str, noun: str = "session") -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler that ends one or all tokens of a record.

    `tokens` is the API path of the tokens.
    """

    @post(f"/{records.resource}/{{identifier:str}}/tokens/end", status_code=200)
    async def end_record_tokens(exchange: Exchange, identifier: str) -> Response[bytes]:
        home, owner = records.record_url(identifier), {records.name: identifier}
        return await end_tokens(exchange, home, tokens, noun, **owner)

    return name_handler(end_record_tokens, f"console_{records.resource}_end_tokens")


async def end_tokens(
    exchange: Exchange, home: str, tokens: str, noun: str = "session", **path_params: str
) -> Response[bytes]:
    """End the token that the form names, or all of them."""
    token = session.read_form(exchange).get("token")
    one, every = END_TEXTS[noun]
    texts = one if token else every
    confirmation.require(exchange, texts.question, texts.label)
    if token:
        await ApiClient(exchange).send(
            "DELETE", f"{tokens}/{{token_id}}", token_id=token, **path_params
        )
    else:
        await ApiClient(exchange).send("DELETE", tokens, **path_params)
    return responses.redirect_with_flash(exchange, home, message=texts.message)
