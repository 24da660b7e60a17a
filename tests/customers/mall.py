"""A storefront, and the people who come in."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx

from stage import Firm

PHONE = "+6591234567"
EMAIL = "ada@example.com"
PASSWORD = "a long sentence of my own"


@dataclass
class Mall:
    """A store's own door."""

    firm: Firm
    numbers: "count[int]"

    @property
    def client(self) -> httpx.AsyncClient:
        return self.firm.storefront

    def signed(self, token: str) -> httpx.AsyncClient:
        """Come in as a customer."""
        return self.firm.house.client(self.firm.storefront_key, **{"Customer-Token": token})

    async def post(self, action: str, **body: Any) -> httpx.Response:
        """Call one of the customers' doors with the key alone."""
        path = f"/storefront/v1/customers/{action}".removesuffix("/")
        return await self.client.post(path, json=body)

    async def message(self) -> dict[str, str]:
        """Read the message of the company that was sent last, as its recipient does."""
        message: dict[str, str] = await self.firm.house.value(
            """select jsonb_build_object('text', body, 'to', recipient, 'channel', channel)
               from messages where company = :company
               order by created_at desc, uuid desc limit 1""",
            company=self.firm.uuid,
        )
        return message

    async def texted(self) -> str:
        """Read the code that was sent last."""
        return (await self.message())["text"][:6]

    async def registered(self, name: str = "Ada", **more: Any) -> dict[str, Any]:
        """Register somebody with a phone of their own, or as is said."""
        if not {"phone", "email"} & more.keys():
            more["phone"] = f"+6598{next(self.numbers):06}"
        asked = {key: more[key] for key in ("phone", "email") if key in more}
        first = dict([next(iter(asked.items()))])
        sent = await self.post("request-creation-code", **first)
        assert sent.status_code == 200, sent.text
        made = await self.post("", name=name, code=await self.texted(), **more)
        assert made.status_code == 201, made.text
        shown: dict[str, Any] = made.json()
        return shown

    async def visitor(self, **more: Any) -> tuple[dict[str, Any], httpx.AsyncClient]:
        """Register somebody, and come in as them."""
        made = await self.registered(**more)
        return made["customer"], self.signed(made["token"])
