"""Public verification: the signing keys, and a page that checks printed proof sheets."""

import asyncio
import re
from collections.abc import Sequence
from typing import Final

from litestar import Response, Router
from markupsafe import Markup

from pannier.accounts import api_routers, auth
from pannier.db import Db
from pannier.errors import NotFound
from pannier.orders import queries
from pannier.proofs import integrity, signing
from pannier.proofs import service as proofs
from pannier.proofs.integrity import Chain
from pannier.proofs.schemas import ProofKeyOut, ProofKeysOut
from pannier.web.docs.pages import CONTENT_SECURITY_POLICY
from pannier.web.routes import get

# A sheet's mark: its number of proofs, and the start of the last proof's hash.
MARK: Final = re.compile(r"([1-9][0-9]{0,5})-([0-9a-f]{16})", re.ASCII)
PAGE: Final = Markup("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>{title}</h1>{content}</main></body></html>
""")
GENUINE_TITLE: Final = "These proofs are genuine"
FAULTY_TITLE: Final = "These proofs could not be verified"
UNKNOWN: Final = "The order has no such proof, or no longer has it."


def sheet_link(base_url: str, chain: Chain) -> str | None:
    """Build the URL where a sheet with these proofs can be checked."""
    if not chain.proofs:
        return None
    last_proof = chain.proofs[-1]
    sheet_mark = f"{last_proof.sequence}-{last_proof.hash.hex()[:16]}"
    return f"{base_url.rstrip('/')}/verify/{chain.order_id}/{sheet_mark}"


@get("/jwks.json")
async def list_proof_keys(db: Db) -> Response[ProofKeysOut]:
    """List the public keys that verify proofs, with their dates, newest first."""
    keys = ProofKeysOut(
        [ProofKeyOut.from_row(key) for key in (await signing.load_trusted_keys(db)).values()]
    )
    return Response(keys, headers={"Cache-Control": "public, max-age=300"})


@get("/{order_id:str}/{sheet_mark:str}")
async def check_sheet(order_id: str, sheet_mark: str, db: Db) -> Response[bytes]:
    """Show whether the proofs on a printed sheet are unchanged.

    Guessing ids and marks reveals nothing, not even which orders exist.
    """
    sheet = _parse_mark(sheet_mark)
    order = await queries.find_by_sheet(db, order_id, *sheet)
    if order is None:
        return _page_response(404, render_page(FAULTY_TITLE, [UNKNOWN]))
    chain = await proofs.load_chain(db, order.company, order.uuid, order.public_id)
    return _page_response(200, await asyncio.to_thread(render_verdict, chain, sheet[0]))


def _page_response(status: int, page_html: Markup) -> Response[bytes]:
    headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
    return Response(page_html.encode(), status_code=status, media_type="text/html", headers=headers)


def render_verdict(chain: Chain, count: int) -> Markup:
    """Render the verdict on a chain that contains the last proof of the sheet."""
    # The page is public, so it checks only the chain: checking pictures costs too much.
    messages = integrity.find_chain_faults(chain)
    return render_page(
        FAULTY_TITLE if messages else GENUINE_TITLE, _describe_verdict(chain, count, messages)
    )


def render_page(title: str, sentences: Sequence[str]) -> Markup:
    """Render the page, which contains no personal data."""
    paragraphs = Markup("").join(Markup("<p>{}</p>").format(sentence) for sentence in sentences)
    return PAGE.format(title=title, content=paragraphs)


def _describe_verdict(chain: Chain, count: int, messages: Sequence[str]) -> list[str]:
    statement = {"at": "", **(chain.head_statement or {})}
    count_sentence = f"Proofs of the order {chain.order_id}: {len(chain.proofs)}."
    if messages:
        return [*messages, count_sentence]
    return [
        f"Proofs on the sheet: {count}, unchanged since their capture. {count_sentence}",
        f"The last proof was received at {statement['at']}.",
    ]


def _parse_mark(sheet_mark: str) -> tuple[int, str]:
    match = MARK.fullmatch(sheet_mark)
    if match is None:
        raise NotFound
    return int(match[1]), match[2]


keys_route = api_routers.guarded_router(
    "/.well-known", auth.allow_anonymous, "Proofs", [list_proof_keys], {}
)
page_route = Router(
    "/verify",
    route_handlers=[check_sheet],
    before_request=auth.allow_anonymous,
    include_in_schema=False,
    security=[{}],
)
routers = (keys_route, page_route)
