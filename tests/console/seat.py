"""An operator in front of the console, without a browser: pages are read, forms are sent."""

from typing import Any, ClassVar

import httpx

from console.reading import Page
from pannier.accounts.auth import SESSION_COOKIE
from pannier.accounts.models import Role
from stage import PASSWORD, Firm


class Seat:
    """Opens pages and sends forms, with the cookies of one sign-in."""

    # By the session's cookie: that of Acme's admin is the same in every test.
    _tokens: ClassVar[dict[str | None, str]] = {}

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    @classmethod
    async def of(cls, firm: Firm, role: Role = "admin") -> "Seat":
        """Sit down as an operator of some role."""
        token = firm.token if role == "admin" else await firm.sign_up(role)
        client = firm.house.client()
        client.cookies.set(SESSION_COOKIE, token)
        return cls(client)

    @classmethod
    async def signing_in(cls, firm: Firm, role: Role = "admin") -> "Seat":
        """Sit down by way of the sign-in page."""
        seat = cls(firm.house.client())
        given = {"email": firm.email(role), "password": PASSWORD}
        answer = await seat.client.post("/console/sign-in", data=given)
        assert answer.status_code == 303, answer.text
        return seat

    async def open(self, path: str, status: int = 200) -> Page:
        """Open a page, wherever it leads."""
        answer = await self.client.get(path, follow_redirects=True)
        assert answer.status_code == status, answer.text
        return Page(answer.text)

    async def _token(self) -> str:
        """Read the token that every page of a session carries, which is the same on all of them."""
        session = self.client.cookies.get(SESSION_COOKIE)
        if session not in self._tokens:
            page = await self.open("/console/contacts")
            self._tokens[session] = page.root.one("body")["data-csrf"]
        return self._tokens[session]

    async def send(
        self, path: str, fields: dict[str, Any] | None = None, *, on: str = ""
    ) -> httpx.Response:
        """Send a form, with the token that the pages of this session carry, and confirmed."""
        csrf = await self._token()
        # A browser says which page the form was on: that of the record, as a rule.
        seen = {"Referer": "http://test" + (on or "/".join(path.split("/")[:4]))}
        return await self.client.post(
            path, data={"csrf": csrf, "sure": "yes", **(fields or {})}, headers=seen
        )

    async def sent(self, path: str, fields: dict[str, Any] | None = None, *, on: str = "") -> Page:
        """Send a form of the page it is on, and read the page that it leads to."""
        answer = await self.send(path, fields, on=on)
        if answer.status_code == 303:
            return await self.open(answer.headers["Location"])
        return Page(answer.text)
