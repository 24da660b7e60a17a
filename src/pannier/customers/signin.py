"""Sign-in with a code, of a known customer or one announced by a provider."""

from pannier.accounts.tokens.known import Origin
from pannier.customers import links, queries, sessions
from pannier.customers.identities import Named
from pannier.customers.service import LOGIN, Store, check_of_owner
from pannier.customers.sessions import SignedIn
from pannier.db import Db
from pannier.verification.codes import CodeInvalid


async def verify_code(db: Db, store: Store, identity: Named, code: str, origin: Origin) -> SignedIn:
    """Sign in the owner of the identity that the code was sent to."""
    await check_of_owner(db, store, LOGIN, identity, code, origin)
    customer = await queries.owner(db, store.company, store.uuid, identity, lock="for update")
    customer = await links.announced(db, store, identity, customer)
    if customer is None:
        raise CodeInvalid
    return await sessions.open_session(db, customer, identity.channel, origin)
