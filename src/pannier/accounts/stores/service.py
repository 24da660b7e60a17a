"""Change storefronts and their sign-in providers."""

from typing import Any, Final
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import UNSET
from msgspec.structs import replace

from pannier.accounts.company_settings import service as company_settings
from pannier.accounts.models import ProviderA, ProviderB, ProviderC, Providers, Store
from pannier.accounts.queries import STORES
from pannier.accounts.stores.schemas import (
    ProviderAIn,
    ProviderBIn,
    ProviderCIn,
    ProvidersChange,
    ProvidersOut,
    StorefrontChange,
)
from pannier.db import Db
from pannier.db.sealing import Sealed
from pannier.errors import Field, Invalid, checked
from pannier.kit.crypto import Keyring
from pannier.web.fields import Clearable

SEALING: Final = "provider secret"


def seal(keys: Keyring, store: UUID, secret: str) -> bytes:
    """Encrypt a store's secret for storage."""
    return keys.seal(SEALING, secret.encode(), context=store.bytes)


def unseal(keys: Keyring, store: UUID, sealed: bytes | None) -> str | None:
    """Decrypt a store's secret; None if it has none that was encrypted for it."""
    opened = None if sealed is None else keys.unseal(SEALING, sealed, context=store.bytes)
    return None if opened is None else opened.decode()


def resealed(keys: Keyring, store: Store) -> dict[str, Any]:
    """Encrypt a store's secrets with the current key; return the columns that contain them."""

    def again(sealed: bytes | None) -> bytes | None:
        if sealed is None:
            return None
        return keys.resealed(SEALING, sealed, context=store.uuid.bytes)

    a, c = store.providers.a, store.providers.c
    providers = replace(
        store.providers,
        a=None if a is None else replace(a, private_key=again(a.private_key)),
        c=None if c is None else replace(c, app_secret=again(c.app_secret)),
    )
    return {"providers": providers}


SEALED: Final = Sealed("stores", Store, resealed)


async def change(db: Db, store: Store, given: StorefrontChange) -> Store:
    """Change a storefront; the audit log records everything but the secrets."""
    wanted: dict[str, Any] = {}
    if given.name is not UNSET:
        wanted["name"] = given.name
    if given.providers is not UNSET:
        wanted["providers"] = _providers(db.database.keys, store, given.providers)
    if given.settings is not UNSET:
        wanted["settings"] = await company_settings.change_of_store(
            db, store.company, store.settings, given.settings
        )
    changed = msgspec.structs.replace(store, **wanted)
    details = {
        "name": changed.name,
        "providers": msgspec.to_builtins(ProvidersOut.of(changed.providers)),
        "settings": msgspec.to_builtins(changed.settings),
    }
    saved, _ = await STORES.change(db, store, log_details=details, **wanted)
    db.known.clear()
    return saved


def _providers(keys: Keyring, store: Store, given: ProvidersChange) -> Providers:
    kept = store.providers
    return Providers(
        a=kept.a if given.a is UNSET else _a(keys, store, given.a),
        b=kept.b if given.b is UNSET else _b(given.b),
        c=kept.c if given.c is UNSET else _c(keys, store, given.c),
    )


def _a(keys: Keyring, store: Store, given: ProviderAIn | None) -> ProviderA | None:
    if given is None:
        return None
    if isinstance(given.private_key, str):
        checked("providers.a.private_key", _check_key, given.private_key)
    present = None if store.providers.a is None else store.providers.a.private_key
    secret = _secret(keys, store, given.private_key, present)
    parts = {"team_id": given.team_id, "key_id": given.key_id, "private_key": secret}
    missing = [name for name, part in parts.items() if part is None]
    if 0 < len(missing) < len(parts):
        sentence = "Send `team_id`, `key_id` and `private_key` together."
        raise Invalid(fields=[Field(f"providers.a.{name}", sentence) for name in missing])
    return ProviderA(
        audiences=_once(given.audiences),
        team_id=given.team_id,
        key_id=given.key_id,
        private_key=secret,
    )


def _b(given: ProviderBIn | None) -> ProviderB | None:
    return None if given is None else ProviderB(client_ids=_once(given.client_ids))


def _c(keys: Keyring, store: Store, given: ProviderCIn | None) -> ProviderC | None:
    if given is None:
        return None
    present = None if store.providers.c is None else store.providers.c.app_secret
    secret = _secret(keys, store, given.app_secret, present)
    return ProviderC(app_id=given.app_id, app_secret=secret, mode=given.mode)


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _secret(
    keys: Keyring, store: Store, given: Clearable[str], present: bytes | None
) -> bytes | None:
    """Seal a new secret; keep the current one when none was sent, or the same one."""
    if given is UNSET or (given is not None and unseal(keys, store.uuid, present) == given):
        return present
    return None if given is None else seal(keys, store.uuid, given)


def _check_key(pem: str) -> None:
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):
        raise ValueError("must be a private key in PEM format.") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("must be an elliptic-curve key on P-256.")  # noqa: TRY004 - of the right type, and wrong
