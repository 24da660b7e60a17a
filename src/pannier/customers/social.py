"""HTTP API of sign-ins with a provider.

The provider's proof is verified without an open transaction, because that may call the provider.
The request's own transaction then acts on the result.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from pannier.accounts import queries
from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import provider_links, reauthentication
from pannier.customers import queries as customers
from pannier.customers.auth import Shopper
from pannier.customers.providers import apple, facebook, google
from pannier.customers.providers.claims import ProvenClaim
from pannier.customers.providers.problems import (
    ProofInvalid,
    ProofReplayed,
    ProofRequired,
    ProviderNotEnabled,
    ProviderUnavailable,
    VerificationRequired,
)
from pannier.customers.providers.registry import ProviderRegistry, SignInStore
from pannier.customers.providers.schemas import (
    AppleLogin,
    FacebookLogin,
    ProviderALogin,
    ProviderBLogin,
    ProviderCLogin,
)
from pannier.customers.schemas import CustomerSignedIn, LinkedProvider
from pannier.customers.service import StoreRef
from pannier.errors import Problem, TooManyRequests
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget
from pannier.web.exchange import Exchange
from pannier.web.former_names import Deprecation
from pannier.web.routes import post

LOGIN_PROBLEMS: Final = [
    ProviderNotEnabled,
    ProofInvalid,
    ProofReplayed,
    ProviderUnavailable,
    TooManyRequests,
]
LINK_PROBLEMS: Final = [
    *LOGIN_PROBLEMS,
    ProofRequired,
    provider_links.ProviderTaken,
    *reauthentication.PROBLEMS,
]
FACEBOOK_PROBLEMS: Final = [*LOGIN_PROBLEMS, ProofRequired, VerificationRequired]
LOGIN_PATH: Final = "/storefront/v1/customers/login-with-"
FAILURE_LIMIT: Final = (5, timedelta(minutes=1))

Body = TypeVar("Body")
VerifyClaim = Callable[[ProviderRegistry, SignInStore, Body, datetime], Awaitable[ProvenClaim]]


async def sign_in(
    exchange: Exchange,
    key: StorefrontKey,
    providers: ProviderRegistry,
    data: Body,
    verify_claim: VerifyClaim[Body],
) -> CustomerSignedIn:
    """Verify the provider's claim, then sign in its subject."""
    if exchange.external_response is None:
        async with exchange.edge.suspend_transaction(exchange):
            exchange.external_response = await _verify_claim(
                exchange, key, providers, data, verify_claim
            )
    store = StoreRef(key.company, key.store)
    session = await provider_links.sign_in(
        exchange.db, store, exchange.external_response, SigninOrigin.from_exchange(exchange)
    )
    return CustomerSignedIn.from_session(session)


async def link_provider_account(
    exchange: Exchange,
    caller: Shopper,
    providers: ProviderRegistry,
    data: Body,
    verify_claim: VerifyClaim[Body],
) -> LinkedProvider:
    """Verify the provider's claim, then link its subject to the signed-in customer."""
    reauthentication.require_recent_authentication(exchange.db, caller)
    if exchange.external_response is None:
        async with exchange.edge.suspend_transaction(exchange):
            exchange.external_response = await _verify_claim(
                exchange, caller, providers, data, verify_claim
            )
    db, store = exchange.db, StoreRef(caller.company, caller.store)
    customer = await customers.lock_customer(db, caller.company, caller.store, caller.customer)
    origin = SigninOrigin.from_exchange(exchange)
    row = await provider_links.link_provider(
        db, store, caller, customer, exchange.external_response, origin
    )
    return LinkedProvider.from_row(row)


async def _verify_claim(
    exchange: Exchange,
    key: StorefrontKey | Shopper,
    providers: ProviderRegistry,
    data: Body,
    verify_claim: VerifyClaim[Body],
) -> ProvenClaim:
    """Verify a proof. A network with too many failures must wait."""
    database, now = exchange.db.database, exchange.db.now
    network = addresses.get_rate_limit_network(exchange.address)
    budget = Budget(f"provider-failures-from:{network}:{key.company}", *FAILURE_LIMIT)
    async with database.reading() as db:
        wait = await budgets.find_wait_seconds(db, [budget])
        row = await queries.get_store(db, key.company, str(key.store))
        mode = (await queries.get_company(db, key.company)).mode
    if wait > 0:
        raise TooManyRequests(wait)
    try:
        return await verify_claim(providers, SignInStore(database, row, mode), data, now)
    except ProofInvalid:
        # Parallel failures may exhaust the budget: then this request gets a 429.
        await budgets.spend(database, [budget])
        raise


def _make_login_handler(
    name: str,
    docstring: str,
    body: type[Body],
    verify_claim: VerifyClaim[Body],
    problems: Sequence[type[Problem]] = LOGIN_PROBLEMS,
    *,
    present_name: str | None = None,
) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the sign-in handler of a provider, or that of its former name for existing apps."""

    async def login(
        key: StorefrontKey, data: Body, exchange: Exchange, providers: ProviderRegistry
    ) -> CustomerSignedIn:
        return await sign_in(exchange, key, providers, data, verify_claim)

    login.__doc__, login.__annotations__["data"] = docstring, body
    deprecation = present_name and Deprecation(f"{LOGIN_PATH}{present_name}")
    return post(
        f"/customers/login-with-{name}",
        status_code=200,
        problems=problems,
        deprecated=deprecation,
    )(login)


def _make_link_handler(name: str, body: type[Body], verify_claim: VerifyClaim[Body]) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler that links a provider to the signed-in customer."""

    async def link_provider(
        caller: Shopper, data: Body, exchange: Exchange, providers: ProviderRegistry
    ) -> LinkedProvider:
        return await link_provider_account(exchange, caller, providers, data, verify_claim)

    sentence = f"Link provider {name.upper()} to the customer. Requires a token from the provider."
    link_provider.__doc__, link_provider.__annotations__["data"] = sentence, body
    return post(
        f"/customers/link-provider-{name}",
        status_code=200,
        problems=LINK_PROBLEMS,
    )(link_provider)


APPLE_DOCSTRING = (
    "Sign in with provider A's identity token. `name` is used on the first sign-in only."
)
GOOGLE_DOCSTRING = "Sign in with provider B's ID token."
FACEBOOK_DOCSTRING = (
    "Sign in with provider C. Without a token from the provider, the store's setting decides."
)
ALIAS_DOCSTRING = "Sign in with provider {} (former name for existing apps)."
login_handlers = (
    _make_login_handler("provider-a", APPLE_DOCSTRING, ProviderALogin, apple.verify_claim),
    _make_login_handler(
        "apple",
        ALIAS_DOCSTRING.format("A"),
        AppleLogin,
        apple.verify_claim,
        present_name="provider-a",
    ),
    _make_login_handler("provider-b", GOOGLE_DOCSTRING, ProviderBLogin, google.verify_claim),
    _make_login_handler(
        "google",
        ALIAS_DOCSTRING.format("B"),
        ProviderBLogin,
        google.verify_claim,
        present_name="provider-b",
    ),
    _make_login_handler(
        "provider-c", FACEBOOK_DOCSTRING, ProviderCLogin, facebook.verify_claim, FACEBOOK_PROBLEMS
    ),
    _make_login_handler(
        "facebook",
        ALIAS_DOCSTRING.format("C"),
        FacebookLogin,
        facebook.verify_claim,
        FACEBOOK_PROBLEMS,
        present_name="provider-c",
    ),
)
link_handlers = (
    _make_link_handler("a", ProviderALogin, apple.verify_claim),
    _make_link_handler("b", ProviderBLogin, google.verify_claim),
    _make_link_handler("c", ProviderCLogin, facebook.verify_claim),
)
