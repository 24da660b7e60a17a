"""Sign-in with a code, also to complete a pending sign-in with a provider."""

from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import provider_links, queries, sessions
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.service import LOGIN, StoreRef, check_owner_code
from pannier.customers.sessions import CustomerSession
from pannier.db import Db
from pannier.verification.codes import CodeInvalid


async def verify_code(
    db: Db, store: StoreRef, identity: PhoneOrEmail, code: str, origin: SigninOrigin
) -> CustomerSession:
    """Sign in the owner of the identity that the code was sent to."""
    await check_owner_code(db, store, LOGIN, identity, code, origin)
    customer = await queries.find_owner(db, store.company, store.uuid, identity, lock="for update")
    customer = await provider_links.complete_email_verification(db, store, identity, customer)
    if customer is None:
        raise CodeInvalid
    return await sessions.open_session(db, customer, identity.channel, origin)
