"""Access tokens and sessions of a record, and the actions that end them."""

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
    """The button, question and message for ending sessions or tokens."""

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


async def load_tokens(client: ApiClient, tokens_path: str, **path_params: str) -> Mapping[str, Any]:
    """Load the tokens for templates/_tokens.html, or None if the operator may not end them."""
    can_end = client.is_allowed("DELETE", f"{tokens_path}/{{token_id}}")
    rows = (
        (await client.list_rows(tokens_path, {"limit": MAX_TOKENS}, **path_params)).rows
        if can_end
        else None
    )
    return {"tokens": rows}


def make_end_handler(records: Records, tokens_path: str, noun: str = "session") -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler that ends one or all tokens of a record.

    `tokens_path` is the API path of the tokens.
    """

    @post(f"/{records.resource}/{{identifier:str}}/tokens/end", status_code=200)
    async def end_record_tokens(exchange: Exchange, identifier: str) -> Response[bytes]:
        page_url, path_params = records.record_url(identifier), {records.name: identifier}
        return await end_tokens(exchange, page_url, tokens_path, noun, **path_params)

    return name_handler(end_record_tokens, f"console_{records.resource}_end_tokens")


async def end_tokens(
    exchange: Exchange, page_url: str, tokens_path: str, noun: str = "session", **path_params: str
) -> Response[bytes]:
    """End the token selected in the form, or all of the record's tokens."""
    token = session.read_form(exchange).get("token")
    single_texts, all_texts = END_TEXTS[noun]
    texts = single_texts if token else all_texts
    confirmation.require_confirmation(exchange, texts.question, texts.label)
    if token:
        await ApiClient(exchange).send(
            "DELETE", f"{tokens_path}/{{token_id}}", token_id=token, **path_params
        )
    else:
        await ApiClient(exchange).send("DELETE", tokens_path, **path_params)
    return responses.redirect_with_flash(exchange, page_url, message=texts.message)
