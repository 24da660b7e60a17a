"""Google (provider B): an ID token."""

from datetime import datetime

from pannier.customers.providers import tokens
from pannier.customers.providers.claims import Claim, ProvenClaim
from pannier.customers.providers.refusals import ProofInvalid, ProviderNotEnabled
from pannier.customers.providers.registry import Providers, Shop
from pannier.customers.providers.schemas import ProviderBLogin
from pannier.customers.providers.tokens import Claims, Expected


async def prove(
    providers: Providers, shop: Shop, given: ProviderBLogin, now: datetime
) -> ProvenClaim:
    """Verify the ID token; the client id in the body must match it."""
    trust = shop.row.providers.b
    if trust is None:
        raise ProviderNotEnabled
    if given.client_id not in trust.client_ids:
        raise ProofInvalid("The client id does not belong to this store.")
    expected = Expected(
        issuers=providers.b.names, audiences=trust.client_ids, nonce=given.nonce or None
    )
    claims = await tokens.read(given.id_token, providers.b.keys, expected, now)
    if claims.audiences != [given.client_id]:
        raise ProofInvalid("The token was issued to another client than the client id.")
    claim = Claim(
        provider="b",
        subject=claims.sub,
        name=claims.name,
        email=claims.email,
        email_verified=authoritative(claims),
    )
    return ProvenClaim(claim=claim, used=tokens.used(given.id_token, claims))


def authoritative(claims: Claims) -> bool:
    """Return whether Google hosts the mailbox; it verified other addresses only once."""
    own = (claims.email or "").lower().endswith("@gmail.com")
    return tokens.affirmed(claims.email_verified) and (own or bool(claims.hd))
