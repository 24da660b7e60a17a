"""The doors of sign-ins with a provider.

What the provider signed is checked with no transaction open, because that may mean asking the
provider; then the request's own transaction acts upon what came of it.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

from pannier.accounts import queries
from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens.service import Origin
from pannier.customers import links
from pannier.customers.providers import provider_a, provider_b, provider_c
from pannier.customers.providers.claims import ProvenClaim
from pannier.customers.providers.refusals import (
    ProofInvalid,
    ProofReplayed,
    ProofRequired,
    ProviderNotEnabled,
    ProviderUnavailable,
    VerificationRequired,
)
from pannier.customers.providers.registry import Providers, Shop
from pannier.customers.providers.schemas import (
    AppleLogin,
    FacebookLogin,
    ProviderALogin,
    ProviderBLogin,
    ProviderCLogin,
)
from pannier.customers.schemas import CustomerSignedIn
from pannier.customers.service import Store
from pannier.errors import TooManyRequests
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget
from pannier.web.exchange import Exchange
from pannier.web.routes import post

PROBLEMS: Final = [
    ProviderNotEnabled,
    ProofInvalid,
    ProofReplayed,
    ProviderUnavailable,
    TooManyRequests,
]
PROBLEMS_OF_C: Final = [*PROBLEMS, ProofRequired, VerificationRequired]
FAILURES: Final = (5, timedelta(minutes=1))

Given = TypeVar("Given")
Prove = Callable[[Providers, Shop, Given, datetime], Awaitable[ProvenClaim]]


async def enter(
    exchange: Exchange, key: StorefrontKey, providers: Providers, given: Given, prove: Prove[Given]
) -> CustomerSignedIn:
    """Hear the provider's claim, then sign in whom it is about."""
    if exchange.outside_answer is None:
        async with exchange.edge.outside(exchange):
            exchange.outside_answer = await _claim(exchange, key, providers, given, prove)
    store = Store(key.company, key.store)
    done = await links.enter(exchange.db, store, exchange.outside_answer, Origin.of(exchange))
    return CustomerSignedIn.signed_in(done.customer, done.text)


async def _claim(
    exchange: Exchange, key: StorefrontKey, providers: Providers, given: Given, prove: Prove[Given]
) -> ProvenClaim:
    """Have a proof checked; whoever fails too often waits."""
    database, now = exchange.db.database, exchange.db.now
    network = addresses.neighbourhood(exchange.address)
    budget = Budget(f"provider-failures-from:{network}", *FAILURES)
    async with database.reading() as db:
        wait = await budgets.wait(db, [budget])
        row = await queries.store(db, key.company, str(key.store))
        mode = (await queries.company(db, key.company)).mode
    if wait > 0:
        raise TooManyRequests(wait)
    try:
        return await prove(providers, Shop(database, row, mode), given, now)
    except ProofInvalid:
        # Where others from there failed meanwhile, this one is told to wait.
        await budgets.spend(database, [budget])
        raise


@post(
    "/customers/login-with-provider-a",
    status_code=200,
    problems=PROBLEMS,
)
async def login_with_provider_a(
    key: StorefrontKey, data: ProviderALogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider A's identity token. `name` counts on the first sign-in only."""
    return await enter(exchange, key, providers, data, provider_a.prove)


@post(
    "/customers/login-with-apple",
    status_code=200,
    problems=PROBLEMS,
)
async def login_with_apple(
    key: StorefrontKey, data: AppleLogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider A, under the name that existing apps use."""
    return await enter(exchange, key, providers, data, provider_a.prove)


@post(
    "/customers/login-with-provider-b",
    status_code=200,
    problems=PROBLEMS,
)
async def login_with_provider_b(
    key: StorefrontKey, data: ProviderBLogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider B's ID token."""
    return await enter(exchange, key, providers, data, provider_b.prove)


@post(
    "/customers/login-with-google",
    status_code=200,
    problems=PROBLEMS,
)
async def login_with_google(
    key: StorefrontKey, data: ProviderBLogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider B, under the name that existing apps use."""
    return await enter(exchange, key, providers, data, provider_b.prove)


@post(
    "/customers/login-with-provider-c",
    status_code=200,
    problems=PROBLEMS_OF_C,
)
async def login_with_provider_c(
    key: StorefrontKey, data: ProviderCLogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider C. Without a token of the provider, the store's setting decides."""
    return await enter(exchange, key, providers, data, provider_c.prove)


@post(
    "/customers/login-with-facebook",
    status_code=200,
    problems=PROBLEMS_OF_C,
)
async def login_with_facebook(
    key: StorefrontKey, data: FacebookLogin, exchange: Exchange, providers: Providers
) -> CustomerSignedIn:
    """Sign in with provider C, under the name that existing apps use."""
    return await enter(exchange, key, providers, data, provider_c.prove)


handlers = (
    login_with_provider_a,
    login_with_apple,
    login_with_provider_b,
    login_with_google,
    login_with_provider_c,
    login_with_facebook,
)
