"""HTML pages for payers: the fake gateway's checkout, and the default return page.

They work without JavaScript, in light and dark mode, and on a phone.
"""

from typing import Final

from litestar import Response, Router
from markupsafe import Markup

from pannier.accounts import auth
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, columns
from pannier.errors import NotFound
from pannier.kit.money import Money
from pannier.payments import facts, fake, return_urls
from pannier.payments.gateway import Gateway, check_mode
from pannier.payments.transactions.models import Checkout, Transaction
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import find_checkout_status
from pannier.settings import Settings
from pannier.web.routes import get, post

STYLE: Final = """
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  background: light-dark(#f6f7f9, #0c0f14); color: light-dark(#141a23, #e7ebf1);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 400px; padding: 24px; border-radius: 12px;
  background: light-dark(#fff, #12161d); border: 1px solid light-dark(#e3e7ec, #232a35); }
h1 { margin: 0; font-size: 18px; line-height: 1.3; }
p { margin: 8px 0; color: light-dark(#5f6b7c, #8c97a8); overflow-wrap: anywhere; }
.amount { margin: 12px 0; font-size: 32px; font-weight: 650; line-height: 1.2;
  font-variant-numeric: tabular-nums; color: inherit; }
.note { margin: 0 0 16px; padding: 8px 12px; border-radius: 8px; font-size: 14px;
  background: light-dark(#fef3c7, #3a2c0a); color: light-dark(#7a3d06, #fcd34d); }
form { margin: 16px 0 0; }
button, .button { display: block; width: 100%; min-height: 48px; padding: 12px; font: inherit;
  font-weight: 600; text-align: center; text-decoration: none; border-radius: 8px;
  cursor: pointer; }
button { border: 0; background: light-dark(#2457e6, #3b6cf0); color: #fff; }
.button { margin-top: 8px; border: 1px solid light-dark(#cbd2db, #384152); color: inherit; }
:focus-visible { outline: 2px solid light-dark(#2457e6, #6d95ff); outline-offset: 2px; }
"""
PAGE_HTML: Final = Markup("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="/payments/style.css"></head>
<body><main>{content}</main></body></html>
""")
OPEN_HTML: Final = Markup("""<p class="note">Test gateway. No money is charged.</p>
<h1>{title}</h1>
<p class="amount">{amount}</p>
<p>{brand}<br>Reference: {transaction}</p>
<form method="post" action="{session}/pay"><button>Pay {amount}</button></form>
<a class="button" href="{cancel_url}">Cancel</a>""")
ENDED_HTML: Final = Markup("""<h1>{title}</h1>
<p>{message}</p>""")
STATUS_TEXTS: Final = {
    "paid": ("Payment received", "You can close this page."),
    "expired": ("Payment link expired", "Ask the store for a new one."),
}
DONE_TEXT: Final = ("You can close this page", "The store will confirm your payment.")
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'self'"
)


@get("/style.css")
async def show_style() -> Response[str]:
    headers = {"Cache-Control": "public, max-age=300"}
    return Response(STYLE, media_type="text/css", headers=headers)


@get("/done")
async def show_return_page() -> Response[str]:
    """Show the return page for payers without a return URL."""
    title, message = DONE_TEXT
    return _render_page(title, ENDED_HTML.format(title=title, message=message))


@get("/fake/{session:str}")
async def show_fake_checkout(
    session: str, db: Db, gateway: Gateway, settings: Settings
) -> Response[str]:
    page, transaction = await _get_page(db, gateway, session)
    brand = (await company_settings.load(db, page.company)).branding.name
    cancel_url = _build_return_url(page, transaction, settings, "canceled")
    status = find_checkout_status(page, db.now)
    return (
        _render_open_page(page, transaction, brand, cancel_url)
        if status == "open"
        else _render_ended_page(status)
    )


@post("/fake/{session:str}/pay", status_code=303)
async def pay_fake_checkout(
    session: str, db: Db, gateway: Gateway, settings: Settings
) -> Response[None]:
    """Simulate a payment, and redirect to the return URL."""
    page, transaction = await _get_page(db, gateway, session)
    return_url = _build_return_url(page, transaction, settings, "done")
    await _record_payment(db, gateway, page, transaction)
    return Response(None, status_code=303, headers={"Location": return_url})


def _render_open_page(
    page: Checkout, transaction: Transaction, brand: str, cancel_url: str
) -> Response[str]:
    content = OPEN_HTML.format(
        title="Pay for your delivery",
        amount=Money(page.get_amount(transaction), transaction.currency).format(),
        brand=brand,
        transaction=transaction.public_id,
        session=page.session,
        cancel_url=cancel_url,
    )
    return _render_page("Pay", content, form_target=cancel_url)


def _render_ended_page(status: str | None) -> Response[str]:
    title, message = STATUS_TEXTS.get(status or "", STATUS_TEXTS["expired"])
    return _render_page(title, ENDED_HTML.format(title=title, message=message))


async def _record_payment(
    db: Db, gateway: Gateway, page: Checkout, transaction: Transaction
) -> None:
    """Record a payment if the page is open."""
    if find_checkout_status(page, db.now) == "open":
        payment = fake.make_payment(page.uuid, page.get_amount(transaction), transaction.currency)
        await facts.record_facts(db, gateway, payment)


async def _get_page(db: Db, gateway: Gateway, session: str) -> tuple[Checkout, Transaction]:
    """Load a page of the fake gateway by its session, or raise NotFound."""
    page = await db.find(
        Checkout,
        f"""select {columns(Checkout)} from checkouts
            where gateway = 'fake' and gateway = :gateway and session = :session""",
        gateway=gateway.name,
        session=session,
    )
    if page is None:
        raise NotFound
    check_mode(gateway, (await company_settings.load(db, page.company)).mode)
    return page, await TRANSACTIONS.get(db, page.company, page.transaction)


def _build_return_url(
    page: Checkout, transaction: Transaction, settings: Settings, outcome: str
) -> str:
    default_url = f"{settings.base_url.rstrip('/')}/payments/done"
    return return_urls.add_outcome(page.return_url or default_url, transaction.public_id, outcome)


def _render_page(title: str, content: Markup, *, form_target: str = "") -> Response[str]:
    # Browsers also apply the policy to the redirect after a form.
    extra_target = f" {return_urls.get_origin(form_target)}" if form_target else ""
    headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY + extra_target}
    body = str(PAGE_HTML.format(title=title, content=content))
    return Response(body, media_type="text/html", headers=headers)


router: Final = Router(
    "/payments",
    route_handlers=[show_style, show_return_page, show_fake_checkout, pay_fake_checkout],
    before_request=auth.allow_anonymous,
    include_in_schema=False,
    security=[{}],
)
