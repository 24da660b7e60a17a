"""HTTP API of sign-ins with a provider.

The provider's proof is verified without an open transaction, because that may call the provider.
The request's own transaction then acts on the result.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from pannier.accounts import queries
from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens.known import Origin
from pannier.customers import fresh, links
from pannier.customers import queries as customers
from pannier.customers.auth import Shopper
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
from pannier.customers.schemas import CustomerSignedIn, LinkedProvider
from pannier.customers.service import Store
from pannier.errors import Problem, TooManyRequests
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
LINKING: Final = [*PROBLEMS, ProofRequired, links.ProviderTaken, *fresh.REFUSALS]
PROBLEMS_OF_C: Final = [*PROBLEMS, ProofRequired, VerificationRequired]
FAILURES: Final = (5, timedelta(minutes=1))

Given = TypeVar("Given")
Prove = Callable[[Providers, Shop, Given, datetime], Awaitable[ProvenClaim]]


async def enter(
    exchange: Exchange, key: StorefrontKey, providers: Providers, given: Given, prove: Prove[Given]
) -> CustomerSignedIn:
    """Verify the provider's claim, then sign in its subject."""
    if exchange.outside_answer is None:
        async with exchange.edge.outside(exchange):
            exchange.outside_answer = await _claim(exchange, key, providers, given, prove)
    store = Store(key.company, key.store)
    done = await links.enter(exchange.db, store, exchange.outside_answer, Origin.of(exchange))
    return CustomerSignedIn.signed_in(done)


async def link(
    exchange: Exchange, caller: Shopper, providers: Providers, given: Given, prove: Prove[Given]
) -> LinkedProvider:
    """Verify the provider's claim, then link its subject to the signed-in customer."""
    fresh.require(exchange.db, caller)
    if exchange.outside_answer is None:
        async with exchange.edge.outside(exchange):
            exchange.outside_answer = await _claim(exchange, caller, providers, given, prove)
    db, store = exchange.db, Store(caller.company, caller.store)
    customer = await customers.take(db, caller.company, caller.store, caller.customer)
    origin = Origin.of(exchange)
    row = await links.link(db, store, caller, customer, exchange.outside_answer, origin)
    return LinkedProvider.of(row)


async def _claim(
    exchange: Exchange,
    key: StorefrontKey | Shopper,
    providers: Providers,
    given: Given,
    prove: Prove[Given],
) -> ProvenClaim:
    """Verify a proof; networks with too many failures must wait."""
    database, now = exchange.db.database, exchange.db.now
    network = addresses.neighbourhood(exchange.address)
    budget = Budget(f"provider-failures-from:{network}:{key.company}", *FAILURES)
    async with database.reading() as db:
        wait = await budgets.wait(db, [budget])
        row = await queries.store(db, key.company, str(key.store))
        mode = (await queries.company(db, key.company)).mode
    if wait > 0:
        raise TooManyRequests(wait)
    try:
        return await prove(providers, Shop(database, row, mode), given, now)
    except ProofInvalid:
        # Parallel failures may exhaust the budget: then this request gets a 429.
        await budgets.spend(database, [budget])
        raise


def _door(
    name: str,
    sentence: str,
    body: type[Given],
    prove: Prove[Given],
    problems: Sequence[type[Problem]] = PROBLEMS,
) -> Any:  # noqa: ANN401 - Litestar's handler
    """Build the sign-in handler of a provider, or its alias for existing apps."""

    async def login(
        key: StorefrontKey, data: Given, exchange: Exchange, providers: Providers
    ) -> CustomerSignedIn:
        return await enter(exchange, key, providers, data, prove)

    login.__doc__, login.__annotations__["data"] = sentence, body
    operation = f"login_with_{name.replace('-', '_')}"
    return post(
        f"/customers/login-with-{name}", status_code=200, problems=problems, operation_id=operation
    )(login)


def _link_door(name: str, body: type[Given], prove: Prove[Given]) -> Any:  # noqa: ANN401 - Litestar's handler
    """Build the handler that links a provider to the signed-in customer."""

    async def link_provider(
        caller: Shopper, data: Given, exchange: Exchange, providers: Providers
    ) -> LinkedProvider:
        return await link(exchange, caller, providers, data, prove)

    sentence = f"Link provider {name.upper()} to the customer. Requires a token of the provider."
    link_provider.__doc__, link_provider.__annotations__["data"] = sentence, body
    return post(
        f"/customers/link-provider-{name}",
        status_code=200,
        problems=LINKING,
        operation_id=f"link_provider_{name}",
    )(link_provider)


A = "Sign in with provider A's identity token. `name` is used on the first sign-in only."
B = "Sign in with provider B's ID token."
C = "Sign in with provider C. Without a token of the provider, the store's setting decides."
ALIAS = "Sign in with provider {}, under the name that existing apps use."
handlers = (
    _door("provider-a", A, ProviderALogin, provider_a.prove),
    _door("apple", ALIAS.format("A"), AppleLogin, provider_a.prove),
    _door("provider-b", B, ProviderBLogin, provider_b.prove),
    _door("google", ALIAS.format("B"), ProviderBLogin, provider_b.prove),
    _door("provider-c", C, ProviderCLogin, provider_c.prove, PROBLEMS_OF_C),
    _door("facebook", ALIAS.format("C"), FacebookLogin, provider_c.prove, PROBLEMS_OF_C),
)
linking = (
    _link_door("a", ProviderALogin, provider_a.prove),
    _link_door("b", ProviderBLogin, provider_b.prove),
    _link_door("c", ProviderCLogin, provider_c.prove),
)
