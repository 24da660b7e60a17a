"""Google, which the API calls provider `b`: an ID token."""

from datetime import datetime

from pannier.customers.providers import tokens
from pannier.customers.providers.claims import ProvenClaim, ProviderClaim
from pannier.customers.providers.problems import ProofInvalid, ProviderNotEnabled
from pannier.customers.providers.registry import ProviderRegistry, SignInStore
from pannier.customers.providers.schemas import ProviderBLogin
from pannier.customers.providers.tokens import ExpectedClaims, TokenClaims


async def verify_claim(
    providers: ProviderRegistry, shop: SignInStore, data: ProviderBLogin, now: datetime
) -> ProvenClaim:
    """Verify the ID token; the client id in the body must match it."""
    config = shop.row.providers.b
    if config is None:
        raise ProviderNotEnabled
    if data.client_id not in config.client_ids:
        raise ProofInvalid("The client id does not belong to this store.")
    expected_claims = ExpectedClaims(
        issuers=providers.google.names, audiences=config.client_ids, nonce=data.nonce or None
    )
    claims = await tokens.verify_token(data.id_token, providers.google.keys, expected_claims, now)
    if claims.audiences != [data.client_id]:
        raise ProofInvalid("The token was not issued to this client id.")
    claim = ProviderClaim(
        provider="b",
        subject=claims.sub,
        name=claims.name,
        email=claims.email,
        email_verified=is_email_authoritative(claims),
    )
    return ProvenClaim(claim=claim, used_token=tokens.to_used_token(data.id_token, claims))


def is_email_authoritative(claims: TokenClaims) -> bool:
    """Tell whether Google hosts the mailbox. Google verifies other addresses only once."""
    is_gmail = (claims.email or "").lower().endswith("@gmail.com")
    return tokens.is_true(claims.email_verified) and (is_gmail or bool(claims.hd))
