"""The configured providers, and the store that a sign-in is for."""

from typing import NamedTuple

from pannier.accounts.models import Store
from pannier.accounts.stores import service as stores
from pannier.customers.providers.key_cache import KeyCache
from pannier.db import Database
from pannier.kit.credential import Mode
from pannier.settings import Settings
from pannier.web.http_client import HttpClient


class TokenIssuer(NamedTuple):
    """A provider's issuer names and public keys."""

    names: frozenset[str]
    keys: KeyCache


class ProviderRegistry:
    """All providers with their keys; one instance serves all requests of a process."""

    def __init__(self, settings: Settings) -> None:
        self.http_client = HttpClient(settings.ca_bundle)
        self.apple = TokenIssuer(
            _parse_names(settings.provider_a_issuer),
            KeyCache(self.http_client, settings.provider_a_keys, settings.provider_a_algorithm),
        )
        self.google = TokenIssuer(
            _parse_names(settings.provider_b_issuer),
            KeyCache(self.http_client, settings.provider_b_keys, settings.provider_b_algorithm),
        )
        self.facebook = TokenIssuer(
            _parse_names(settings.provider_c_issuer),
            KeyCache(self.http_client, settings.provider_c_keys, settings.provider_c_algorithm),
        )
        self.apple_exchange_url = settings.provider_a_exchange
        self.apple_revocation_url = settings.provider_a_revocation
        self.facebook_graph_url = settings.provider_c_graph.rstrip("/")


def _parse_names(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


class SignInStore(NamedTuple):
    """The store that somebody signs in to."""

    database: Database
    row: Store
    mode: Mode

    def unseal(self, ciphertext: bytes | None) -> str | None:
        """Decrypt one of the store's secrets."""
        return stores.unseal(self.database.keys, self.row.uuid, ciphertext)
