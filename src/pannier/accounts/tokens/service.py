"""Create, revoke and delete tokens. Lock the holder's row before creating one."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.tokens import device_proofs, rules
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder, Token
from pannier.accounts.tokens.queries import ALIVE
from pannier.db import Db
from pannier.errors import NotFound
from pannier.kit import credential, ids

# Ending a session for this reason leaves its device trusted.
LOGOUT: Final = "logout"


class NewToken(NamedTuple):
    """A token's row, its text, which is shown once, and the proof that the device keeps."""

    row: Token
    text: str
    proof: str


async def create_token(
    db: Db, holder: Holder, method: str, origin: SigninOrigin, *, lifetime: timedelta | None = None
) -> NewToken:
    """Create a token for a holder, and revoke the oldest beyond the limit.

    Only the network of the origin is stored, not the address.
    """
    limits = rules.TOKEN_LIMITS[holder.kind]
    new_credential = credential.mint(
        limits.prefix, (await accounts.get_company(db, holder.company)).mode
    )
    token_lifetime = lifetime or limits.lifetime
    expires_at = None if token_lifetime is None else db.now + token_lifetime
    row = Token(
        **db.new_row_fields(holder.company) | holder.key_columns,
        public_id=f"session_{new_credential.id}",
        store=holder.store,
        secret_hash=new_credential.hash,
        method=method,
        user_agent=origin.user_agent,
        address=origin.network,
        last_used_at=db.now,
        expires_at=expires_at,
        idle=limits.max_idle,
        ends_at=rules.compute_end_time(expires_at, limits.max_idle, db.now),
    )
    await db.insert("tokens", row)
    await _revoke_matching_tokens(
        db,
        holder,
        f"""uuid in (select uuid from tokens
               where company = :company and kind = :kind and holder = :holder and {ALIVE}
               order by created_at desc, uuid desc offset :max_alive)""",
        revoked_by="too many",
        max_alive=limits.max_alive,
    )
    return NewToken(
        row, new_credential.text, device_proofs.make_proof(db.database.keys, holder, row.public_id)
    )


async def revoke_token(db: Db, holder: Holder, token: str | UUID, *, revoked_by: str) -> None:
    """Revoke a holder's token. Later requests with it are refused."""
    uuid = ids.parse_uuid(str(token))
    condition = "public_id = :token" if uuid is None else "uuid = :token"
    if not await _revoke_matching_tokens(
        db, holder, condition, revoked_by=revoked_by, token=uuid or token
    ):
        raise NotFound
    if revoked_by != LOGOUT:
        await _stop_vouching(db, holder, condition, token=uuid or token)


async def revoke_all_tokens(
    db: Db,
    holder: Holder,
    *,
    revoked_by: str,
    except_token: UUID | None = None,
    trusted_session: str = "",
) -> int:
    """Revoke all tokens of a holder, or all but one, and return their number.

    The devices and networks of all sign-ins lose their trust, also those of earlier sign-ins,
    except for `except_token` and `trusted_session`.
    """
    token_count = await _revoke_matching_tokens(
        db,
        holder,
        "uuid is distinct from :except_token",
        revoked_by=revoked_by,
        except_token=except_token,
    )
    condition = """uuid is distinct from :except_token
        and :trusted_session not in (public_id, uuid::text)"""
    await _stop_vouching(
        db, holder, condition, except_token=except_token, trusted_session=trusted_session
    )
    return token_count


async def limit_expiry(db: Db, holder: Holder, moment: datetime) -> None:
    """Make every valid token of a holder expire by this time."""
    await db.execute(
        f"""update tokens set expires_at = least(expires_at, :moment),
                ends_at = least(ends_at, :moment)
            where company = :company and kind = :kind and holder = :holder and {ALIVE}""",
        moment=moment,
        **holder.key_columns,
    )


async def _stop_vouching(db: Db, holder: Holder, condition: str, **values: object) -> None:
    """End the trust in the devices and networks of some of a holder's sign-ins."""
    await db.execute(
        f"""update tokens set vouches = false
            where company = :company and kind = :kind and holder = :holder
              and vouches and {condition}""",
        **holder.key_columns,
        **values,
    )


async def _revoke_matching_tokens(
    db: Db, holder: Holder, condition: str, *, revoked_by: str, **values: object
) -> int:
    return await db.execute(
        f"""update tokens set revoked_at = :now, revoked_by = :revoked_by, ends_at = :now
            where company = :company and kind = :kind and holder = :holder
              and {ALIVE} and {condition}""",
        now=db.now,
        revoked_by=revoked_by,
        **holder.key_columns,
        **values,
    )


async def record_confirmation(db: Db, holder: Holder, token: UUID) -> None:
    """Record that a holder has just proved their identity again."""
    await db.execute(
        f"""update tokens set confirmed_at = :now where company = :company and kind = :kind
              and holder = :holder and uuid = :token and {ALIVE}""",
        now=db.now,
        token=token,
        **holder.key_columns,
    )


async def delete_all_tokens(db: Db, holder: Holder) -> None:
    """Delete all tokens of a holder."""
    await db.execute(
        "delete from tokens where company = :company and kind = :kind and holder = :holder",
        **holder.key_columns,
    )
