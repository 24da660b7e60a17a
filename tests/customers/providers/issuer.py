"""Three providers of sign-ins in one: real keys, real tokens, a real TLS server on loopback."""

import hashlib
import hmac
import json
import ssl
from base64 import urlsafe_b64encode
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import trustme
from aiohttp import web
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

from pannier.kit.clock import ManualClock

Key = RSAKey | ECKey
Provider = Literal["a", "b", "c"]

AUDIENCES = {"a": "com.acme.shop", "b": "acme-web.apps.example.com", "c": "1234567890"}
ISSUERS = {
    "a": "https://a.provider.test",
    "b": "https://b.provider.test",
    "c": "https://c.provider.test",
}
SECRET = "the-app-secret-of-acme"
ALLOWED = ["RS256", "RS384", "PS256", "ES256", "HS256"]


@cache
def rsa_key(name: str) -> RSAKey:
    """Make a key once a run; making one takes a moment."""
    return RSAKey.generate_key(2048, {"kid": name})


@cache
def ec_key(name: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": name})


@cache
def authority() -> trustme.CA:
    """Vouch for every provider of the run, so that who trusts it need read it only once."""
    return trustme.CA()


def segment(value: Any) -> str:
    """Spell a part of a token."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class Issuer:
    """The providers' side of the story."""

    clock: ManualClock
    folder: Path
    ca: trustme.CA = field(default_factory=authority)
    asked: Counter[str] = field(default_factory=Counter)
    published: dict[str, list[Key]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    # What the providers answer instead, while something is wrong with them.
    trouble: web.Response | None = None
    access: dict[str, dict[str, Any]] = field(default_factory=dict)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    exchanges: list[dict[str, str]] = field(default_factory=list)
    revocations: list[dict[str, str]] = field(default_factory=list)
    middlewares: list[Any] = field(default_factory=list)
    port: int = 0
    runner: web.AppRunner | None = None

    async def open(self, ca: trustme.CA | None = None) -> None:
        """Open for business, at the same address as before."""
        if not self.published:
            self.published = {name: [rsa_key(f"{name}-1")] for name in ISSUERS}
        app = web.Application(middlewares=self.middlewares)
        app.router.add_get("/{provider}/keys", self._keys)
        app.router.add_post("/a/token", self._exchange)
        app.router.add_post("/a/revoke", self._revoke)
        app.router.add_get("/graph/debug_token", self._debug)
        app.router.add_get("/graph/me", self._me)
        self.runner = web.AppRunner(app)
        await self.runner.setup()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        (ca or self.ca).issue_cert("127.0.0.1").configure_cert(context)
        site = web.TCPSite(self.runner, "127.0.0.1", self.port, ssl_context=context)
        await site.start()
        self.port = self.runner.addresses[0][1]

    async def close(self) -> None:
        """Go away: connections are refused."""
        if self.runner is not None:
            await self.runner.cleanup()

    @property
    def settings(self) -> dict[str, str]:
        """What an installation that trusts these providers is told."""
        url, bundle = f"https://127.0.0.1:{self.port}", self.folder / "ca.pem"
        if not bundle.exists():  # Written again, it would be read again, with all authorities.
            self.ca.cert_pem.write_to_path(str(bundle))
        keys = {f"provider_{name}_keys": f"{url}/{name}/keys" for name in ISSUERS}
        names = {f"provider_{name}_issuer": text for name, text in ISSUERS.items()}
        return {
            **keys,
            **names,
            "provider_a_exchange": f"{url}/a/token",
            "provider_a_revocation": f"{url}/a/revoke",
            "provider_c_graph": f"{url}/graph",
            "ca_bundle": str(bundle),
        }

    def rotate(self, provider: Provider) -> Key:
        """Publish a new key in place of the old ones."""
        key = rsa_key(f"{provider}-{len(self.published[provider]) + 1}")
        self.published[provider] = [key]
        return key

    def claims(self, provider: Provider, **more: Any) -> dict[str, Any]:
        """Say what a provider says of somebody; None leaves a claim out."""
        now = int(self.clock.now().timestamp())
        said = {
            "iss": ISSUERS[provider],
            "sub": f"sub-{provider}",
            "aud": AUDIENCES[provider],
            "iat": now,
            "exp": now + 600,
        }
        return {name: value for name, value in (said | more).items() if value is not None}

    def token(
        self,
        provider: Provider,
        *,
        key: Key | None = None,
        header: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """Sign what a provider says, in its name unless another key is given."""
        signer = key or self.published[provider][0]
        own = {"alg": "RS256", "kid": signer.kid, "typ": "JWT"} | (header or {})
        return self.signed(own, json.dumps(self.claims(provider, **claims)).encode(), signer)

    def signed(self, header: dict[str, Any], payload: bytes, key: Any) -> str:
        """Sign anything with any header, as somebody who minds no rules does."""
        plain = {name: value for name, value in header.items() if value is not None}
        text = f"{segment(plain)}.{segment(payload)}"
        algorithm = jws.JWSRegistry.algorithms[plain["alg"]]
        return f"{text}.{segment(algorithm.sign(text.encode(), key))}"

    def grant(self, token: str, user: str = "sub-c", **more: Any) -> str:
        """Give somebody an access token of provider C."""
        said = {"app_id": AUDIENCES["c"], "user_id": user, "is_valid": True, "type": "USER"}
        self.access[token] = said | {"expires_at": 0} | more
        self.people.setdefault(token, {"id": user, "name": "Cleo", "email": "cleo@example.com"})
        return token

    async def _keys(self, request: web.Request) -> web.Response:
        provider = request.match_info["provider"]
        self.asked[provider] += 1
        if self.trouble is not None:
            return self._troubled()
        keys = [key.as_dict(private=False, use="sig") for key in self.published[provider]]
        return web.json_response({"keys": keys}, headers=self.headers)

    def _troubled(self) -> web.Response:
        assert self.trouble is not None
        return web.Response(
            status=self.trouble.status, body=self.trouble.body, headers=self.trouble.headers
        )

    async def _exchange(self, request: web.Request) -> web.Response:
        self.asked["exchange"] += 1
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.exchanges.append(form)
        # Each code works once.
        subject = self.codes.pop(form["code"], None)
        if subject is None:
            return web.json_response({"error": "invalid_grant"}, status=400)
        token = self.token("a", sub=subject, aud=form["client_id"])
        return web.json_response({"id_token": token, "refresh_token": "r"})

    async def _revoke(self, request: web.Request) -> web.Response:
        if self.trouble is not None:
            return self._troubled()
        self.revocations.append(
            {name: str(value) for name, value in (await request.post()).items()}
        )
        return web.Response()

    async def _debug(self, request: web.Request) -> web.Response:
        self.asked["debug_token"] += 1
        if self.trouble is not None:
            return self._troubled()
        if request.query["access_token"] != f"{AUDIENCES['c']}|{SECRET}":
            return web.json_response({"error": {"message": "bad app"}}, status=400)
        token = request.query["input_token"]
        return web.json_response({"data": self.access.get(token, {"is_valid": False})})

    async def _me(self, request: web.Request) -> web.Response:
        token = request.query["access_token"]
        proof = hmac.new(SECRET.encode(), token.encode(), hashlib.sha256).hexdigest()
        if request.query.get("appsecret_proof") != proof or token not in self.people:
            return web.json_response({"error": {"message": "bad token"}}, status=400)
        return web.json_response(self.people[token])
