"""A store that trusts the three providers, and the people who come in by them."""

from dataclasses import dataclass
from typing import Any

import httpx

from customers.mall import Mall
from customers.providers.issuer import AUDIENCES, SECRET, Issuer
from stage import Firm, House

STORES = "/int/v1/storefronts"
# Everything a sign-in could leave behind.
TABLES = (
    "customers", "customer_identities", "tokens", "customer_pending_links", "contacts",
    "challenges", "codes", "messages", "events", "provider_replays",
)  # fmt: skip


@dataclass
class Lobby:
    """A store's door, with the providers at hand."""

    mall: Mall
    issuer: Issuer

    @property
    def firm(self) -> Firm:
        return self.mall.firm

    @property
    def house(self) -> House:
        return self.firm.house

    async def storefront(self) -> dict[str, Any]:
        """Read the store's settings."""
        row: dict[str, Any] = (await self.firm.admin.get(STORES)).json()["data"][0]
        return row

    async def trust(self, **providers: Any) -> dict[str, Any]:
        """Change which providers the store trusts."""
        path = f"{STORES}/{(await self.storefront())['id']}"
        answer = await self.firm.admin.patch(path, json={"providers": providers})
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def trust_all(self, **c: Any) -> None:
        """Trust all three, as Acme does."""
        await self.trust(
            a={"audiences": [AUDIENCES["a"], "com.acme.shop.web"]},
            b={"client_ids": [AUDIENCES["b"], "acme-ios.apps.example.com"]},
            c={"app_id": AUDIENCES["c"], "app_secret": SECRET, **c},
        )

    def body_a(self, *, body: dict[str, Any] | None = None, **token: Any) -> dict[str, Any]:
        """Write what an app sends after a sign-in with provider A."""
        subject = token.get("sub", "sub-a")
        return {
            "identityToken": self.issuer.token("a", **token),
            "authorizationCode": "c0de",
            "providerAUserId": subject,
            "name": "Ada Lovelace",
            **(body or {}),
        }

    def body_b(self, *, body: dict[str, Any] | None = None, **token: Any) -> dict[str, Any]:
        """Write what an app sends after a sign-in with provider B."""
        signed = self.issuer.token("b", **{"name": "Bob", **token})
        return {"idToken": signed, "clientId": AUDIENCES["b"], **(body or {})}

    def body_c(self, **body: Any) -> dict[str, Any]:
        """Write what an app sends after a sign-in with provider C."""
        return {
            "providerCUserId": "sub-c",
            "email": "cleo@example.com",
            "name": "Cleo",
            **body,
        }

    async def send(self, provider: str, body: dict[str, Any], **headers: str) -> httpx.Response:
        """Sign in, or try to."""
        path = f"/storefront/v1/customers/login-with-provider-{provider}"
        return await self.mall.client.post(path, json=body, headers=headers)

    async def enter(self, provider: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        """Sign in."""
        answer = await self.send(provider, body, **headers)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def contents(self) -> list[str]:
        """Read everything that a sign-in could leave behind."""
        return [
            await self.house.value(
                f"select coalesce(json_agg(to_jsonb(t) order by t::text)::text, '') from {name} t"
            )
            for name in TABLES
        ]

    async def count(self, table: str) -> int:
        found: int = await self.house.value(f"select count(*) from {table}")
        return found
