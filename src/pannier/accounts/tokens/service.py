"""Create, revoke and delete tokens. Lock the holder's row before creating one."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.tokens import known, rules
from pannier.accounts.tokens.known import Origin
from pannier.accounts.tokens.models import Holder, Token
from pannier.accounts.tokens.queries import ALIVE
from pannier.db import Db
from pannier.errors import NotFound
from pannier.kit import credential, ids

# Ending a session for this reason leaves its device trusted.
LOGOUT: Final = "logout"


class Opened(NamedTuple):
    """A token's row, its text, which is shown once, and the proof that the device keeps."""

    row: Token
    text: str
    proof: str


async def open_token(
    db: Db, holder: Holder, method: str, origin: Origin, *, life: timedelta | None = None
) -> Opened:
    """Create a token for a holder, storing only the network. Too many tokens end the oldest."""
    terms = rules.TERMS[holder.kind]
    minted = credential.mint(terms.prefix, (await accounts.company(db, holder.company)).mode)
    lasts = life or terms.life
    expires_at = None if lasts is None else db.now + lasts
    row = Token(
        **db.begun(holder.company) | holder.columns,
        public_id=f"session_{minted.id}",
        store=holder.store,
        secret_hash=minted.hash,
        method=method,
        user_agent=origin.user_agent,
        address=origin.network,
        last_used_at=db.now,
        expires_at=expires_at,
        idle=terms.idle,
        ends_at=rules.end(expires_at, terms.idle, db.now),
    )
    await db.insert("tokens", row)
    await _revoke(
        db,
        holder,
        f"""uuid in (select uuid from tokens
               where company = :company and kind = :kind and holder = :holder and {ALIVE}
               order by created_at desc, uuid desc offset :most)""",
        by="too many",
        most=terms.most,
    )
    return Opened(row, minted.text, known.prove(db.database.keys, holder, row.public_id))


async def revoke(db: Db, holder: Holder, token: str | UUID, *, by: str) -> None:
    """End one token of a holder. The next request with it is refused."""
    uuid = ids.as_uuid(str(token))
    named = "public_id = :named" if uuid is None else "uuid = :named"
    if not await _revoke(db, holder, named, by=by, named=uuid or token):
        raise NotFound
    if by != LOGOUT:
        await _distrust(db, holder, named, named=uuid or token)


async def revoke_all(
    db: Db, holder: Holder, *, by: str, but: UUID | None = None, known: str = ""
) -> int:
    """End every token of a holder, or all but one, and return their number.

    The devices and networks of all sign-ins lose their trust, also those of earlier sign-ins,
    except for `except_token` and `trusted_session`.
    """
    ended = await _revoke(db, holder, "uuid is distinct from :but", by=by, but=but)
    which = "uuid is distinct from :but and :known not in (public_id, uuid::text)"
    await _distrust(db, holder, which, but=but, known=known)
    return ended


async def end_by(db: Db, holder: Holder, moment: datetime) -> None:
    """Make every valid token of a holder expire at a moment at the latest."""
    await db.execute(
        f"""update tokens set expires_at = least(expires_at, :moment),
                ends_at = least(ends_at, :moment)
            where company = :company and kind = :kind and holder = :holder and {ALIVE}""",
        moment=moment,
        **holder.columns,
    )


async def _distrust(db: Db, holder: Holder, which: str, **values: object) -> None:
    await db.execute(
        f"""update tokens set vouches = false
            where company = :company and kind = :kind and holder = :holder
              and vouches and {which}""",
        **holder.columns,
        **values,
    )


async def _revoke(db: Db, holder: Holder, which: str, *, by: str, **values: object) -> int:
    return await db.execute(
        f"""update tokens set revoked_at = :now, revoked_by = :by, ends_at = :now
            where company = :company and kind = :kind and holder = :holder
              and {ALIVE} and {which}""",
        now=db.now,
        by=by,
        **holder.columns,
        **values,
    )


async def confirm(db: Db, holder: Holder, token: UUID) -> None:
    """Record that a holder has just proved their identity again."""
    await db.execute(
        f"""update tokens set confirmed_at = :now where company = :company and kind = :kind
              and holder = :holder and uuid = :token and {ALIVE}""",
        now=db.now,
        token=token,
        **holder.columns,
    )


async def forget(db: Db, holder: Holder) -> None:
    """Delete all tokens of a holder."""
    await db.execute(
        "delete from tokens where company = :company and kind = :kind and holder = :holder",
        **holder.columns,
    )
