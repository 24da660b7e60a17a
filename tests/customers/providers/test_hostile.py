"""Hostile sign-ins, each refused for its own reason, and none leaves anything behind."""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from customers.providers.issuer import AUDIENCES, Issuer, ec_key, rsa_key, segment
from customers.providers.lobby import Lobby
from pannier.kit.clock import ManualClock
from probe import refused

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

INVALID = (401, "provider_proof_invalid")
REPLAYED = (401, "provider_proof_replayed")
REQUIRED = (401, "provider_proof_required")
NOT_ENABLED = (404, "provider_not_enabled")
UNREADABLE = (422, "validation_failed")

ISSUER = "another issuer"
AUDIENCE = "another audience"
APP = "another store's app"
EXPIRED = "has expired"
EARLY = "not valid yet"
OLD = "too old"
NONCE = "nonce"
SOMEBODY = "belongs to another user"
ALGORITHM = "must be signed with RS256"
UNKNOWN_KEY = "not signed with a key of the provider"
SIGNATURE = "signature is invalid"
PARTS = "not those of the provider"
FORM = "not a signed JWT"
HEADER = "header is not supported"


@dataclass
class Stage:
    """What an attacker has at hand: both stores, the providers, time."""

    lobby: Lobby
    elsewhere: Lobby
    clock: ManualClock

    @property
    def issuer(self) -> Issuer:
        return self.lobby.issuer

    def at(self, **seconds: int) -> dict[str, int]:
        """Say claims of time, as seconds from now."""
        now = int(self.clock.now().timestamp())
        return {name: now + offset for name, offset in seconds.items()}


@dataclass
class Attempt:
    """A request that must be refused."""

    provider: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    address: str = "127.0.0.1"
    lobby: Lobby | None = None


Attack = Callable[[Stage], Awaitable[Attempt]]


def a(**token: Any) -> Attack:
    """Attack with a token of provider A that says something wrong."""

    async def attack(stage: Stage) -> Attempt:
        return Attempt("a", stage.lobby.body_a(**token))

    return attack


def a_at(**seconds: int) -> Attack:
    async def attack(stage: Stage) -> Attempt:
        return Attempt("a", stage.lobby.body_a(**stage.at(**seconds)))

    return attack


def a_raw(change: Callable[[Stage, str], str]) -> Attack:
    """Attack with a token of provider A that was tampered with."""

    async def attack(stage: Stage) -> Attempt:
        body = stage.lobby.body_a()
        return Attempt("a", body | {"identityToken": change(stage, body["identityToken"])})

    return attack


def a_signed(header: dict[str, Any], key: Callable[[], Any], **claims: Any) -> Attack:
    """Attack with a token under a header and a key of one's own."""

    def change(stage: Stage, _: str) -> str:
        payload = json.dumps(stage.issuer.claims("a", **claims)).encode()
        return stage.issuer.signed({"kid": "a-1", "typ": "JWT", **header}, payload, key())

    return a_raw(change)


def a_payload(payload: bytes) -> Attack:
    def change(stage: Stage, _: str) -> str:
        return stage.issuer.signed({"alg": "RS256", "kid": "a-1"}, payload, rsa_key("a-1"))

    return a_raw(change)


def b(**token: Any) -> Attack:
    """Attack with a token of provider B that says something wrong."""

    async def attack(stage: Stage) -> Attempt:
        return Attempt("b", stage.lobby.body_b(**token))

    return attack


def b_at(**seconds: int) -> Attack:
    async def attack(stage: Stage) -> Attempt:
        return Attempt("b", stage.lobby.body_b(**stage.at(**seconds)))

    return attack


def c_token(*, body: dict[str, Any] | None = None, **token: Any) -> Attack:
    """Attack with an authentication token of provider C that says something wrong."""

    async def attack(stage: Stage) -> Attempt:
        signed = stage.issuer.token("c", **token)
        return Attempt("c", stage.lobby.body_c(authenticationToken=signed, **(body or {})))

    return attack


def c_access(*, me: dict[str, Any] | None = None, **said: Any) -> Attack:
    """Attack with an access token of which provider C says something wrong."""

    async def attack(stage: Stage) -> Attempt:
        token = stage.issuer.grant("EAAB-evil", **said)
        stage.issuer.people[token] |= me or {}
        return Attempt("c", stage.lobby.body_c(accessToken=token))

    return attack


def c_bare(trust: dict[str, Any], **body: Any) -> Attack:
    """Attack with nothing but somebody's identifier."""

    async def attack(stage: Stage) -> Attempt:
        await stage.lobby.trust_all(**trust)
        return Attempt("c", stage.lobby.body_c(**body))

    return attack


def confused(secret: Callable[[], bytes]) -> Attack:
    """Attack with the public key, which everybody has, in the place of a shared secret."""

    def change(stage: Stage, _: str) -> str:
        header = {"alg": "HS256", "kid": "a-1", "typ": "JWT"}
        text = f"{segment(header)}.{segment(stage.issuer.claims('a'))}"
        return f"{text}.{segment(hmac.digest(secret(), text.encode(), 'sha256'))}"

    return a_raw(change)


def public_pem() -> bytes:
    return rsa_key("a-1").as_pem(private=False)


def public_json() -> bytes:
    return json.dumps(rsa_key("a-1").as_dict(private=False)).encode()


def unsigned(algorithm: str) -> Attack:
    def change(stage: Stage, _: str) -> str:
        header = {"alg": algorithm, "kid": "a-1"}
        return f"{segment(header)}.{segment(stage.issuer.claims('a'))}."

    return a_raw(change)


def flipped(text: str, part: int) -> str:
    """Change one letter in the middle of a part."""
    parts = text.split(".")
    middle = len(parts[part]) // 2
    letter = "A" if parts[part][middle] != "A" else "B"
    parts[part] = parts[part][:middle] + letter + parts[part][middle + 1 :]
    return ".".join(parts)


def replaced(part: int, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Attack:
    """Attack with a part of a good token written anew."""

    def rewrite(stage: Stage, text: str) -> str:
        parts = text.split(".")
        said = stage.issuer.claims("a") if part else {"alg": "RS256", "kid": "a-1", "typ": "JWT"}
        parts[part] = segment(change(said))
        return ".".join(parts)

    return a_raw(rewrite)


def spelled_otherwise(text: str) -> str:
    """Write a signature's last letter so that it means the same bytes."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1]


def again(
    *, minutes: int = 0, address: str = "127.0.0.1", agent: str = "python-httpx",
    change: Callable[[str], str] = str,
) -> Attack:  # fmt: skip
    """Attack with a token that its owner has just used."""

    async def attack(stage: Stage) -> Attempt:
        body = stage.lobby.body_a()
        await stage.lobby.enter("a", body, **{"User-Agent": "python-httpx"})
        stage.clock.advance(minutes=minutes)
        body["identityToken"] = change(body["identityToken"])
        return Attempt("a", body, {"User-Agent": agent}, address)

    return attack


async def after_closure(stage: Stage) -> Attempt:
    """The owner closes the account; somebody still has the token they came with."""
    body = stage.lobby.body_a()
    made = await stage.lobby.enter("a", body)
    await stage.lobby.firm.admin.post(
        f"/int/v1/customers/{made['id']}/close", json={"reason": "Wish of the customer."}
    )
    return Attempt("a", body, {"User-Agent": "another"})


async def in_another_store(stage: Stage) -> Attempt:
    """A token that was used in one store, in another that trusts the same audience."""
    await stage.elsewhere.trust(a={"audiences": [AUDIENCES["a"]]})
    body = stage.lobby.body_a()
    await stage.lobby.enter("a", body)
    return Attempt("a", body, address="192.0.2.7", lobby=stage.elsewhere)


async def for_another_store(stage: Stage) -> Attempt:
    """A good token of the rival's app."""
    await stage.elsewhere.trust(a={"audiences": ["com.rival.shop"]})
    return Attempt("a", stage.lobby.body_a(aud="com.rival.shop"))


async def for_another_store_b(stage: Stage) -> Attempt:
    await stage.elsewhere.trust(b={"client_ids": ["rival.apps"]})
    body = {"clientId": "rival.apps"}
    return Attempt("b", stage.lobby.body_b(aud="rival.apps", body=body))


def not_trusted(provider: str) -> Attack:
    async def attack(stage: Stage) -> Attempt:
        bodies = {
            "a": stage.lobby.body_a,
            "b": stage.lobby.body_b,
            "c": stage.lobby.body_c,
        }
        return Attempt(provider, bodies[provider](), lobby=stage.elsewhere)

    return attack


def crossed(provider: str, other: str) -> Attack:
    """Attack with another provider's token, which that one signed well."""

    async def attack(stage: Stage) -> Attempt:
        token = stage.issuer.token(
            other,  # type: ignore[arg-type]  # one of the three
            aud=AUDIENCES[provider],
        )
        bodies = {
            "a": {"identityToken": token, "providerAUserId": f"sub-{other}"},
            "b": {"idToken": token, "clientId": AUDIENCES["b"]},
            "c": {"authenticationToken": token, "providerCUserId": f"sub-{other}"},
        }
        return Attempt(provider, bodies[provider])

    return attack


async def one_good_one_bad(stage: Stage) -> Attempt:
    good = stage.issuer.token("c")
    bad = stage.issuer.grant("EAAB-evil", app_id="999")
    return Attempt("c", stage.lobby.body_c(authenticationToken=good, accessToken=bad))


async def linked_by_proof(stage: Stage) -> Attempt:
    """The identifier of somebody who proved it once, and nothing else."""
    await stage.lobby.trust_all(mode="trust_client")
    token = stage.issuer.token("c")
    await stage.lobby.enter("c", stage.lobby.body_c(authenticationToken=token))
    return Attempt("c", stage.lobby.body_c())


async def linked_by_code(stage: Stage) -> Attempt:
    """The identifier of somebody who came in by a code, and nothing else."""
    await stage.lobby.send("c", stage.lobby.body_c())
    code = await stage.lobby.mall.texted()
    done = await stage.lobby.mall.post("verify-code", identity="cleo@example.com", code=code)
    assert done.status_code == 200, done.text
    await stage.lobby.trust_all(mode="trust_client")
    return Attempt("c", stage.lobby.body_c())


def named(name: str, *, drop: str | None = None, **body: Any) -> Attack:
    """Attack with a body that lacks something, or has something odd."""

    async def attack(stage: Stage) -> Attempt:
        good = {"a": stage.lobby.body_a(), "b": stage.lobby.body_b(), "c": stage.lobby.body_c()}
        sent = {key: value for key, value in good[name].items() if key != drop}
        return Attempt(name, sent | body)

    return attack


HOUR = 3600
EVIL = {"jwk": rsa_key("evil").as_dict(private=False)}
KID_OF_B = {"alg": "RS256", "kid": "b-1"}
TRICKS = {"kid": "../../a-1' or 1=1 --"}

ATTACKS: dict[str, tuple[Attack, tuple[int, str], str]] = {
    # Provider A: what the token says.
    "wrong audience": (a(aud="com.evil.app"), INVALID, AUDIENCE),
    "the other store's token": (for_another_store, INVALID, AUDIENCE),
    "audience in other letters": (a(aud="COM.ACME.SHOP"), INVALID, AUDIENCE),
    "audience with a foreign one": (a(aud=["com.acme.shop", "com.evil.app"]), INVALID, AUDIENCE),
    "no audience in the list": (a(aud=[]), INVALID, AUDIENCE),
    "audience missing": (a(aud=None), INVALID, PARTS),
    "audience a number": (a(aud=1), INVALID, PARTS),
    "audience empty": (a(aud=""), INVALID, AUDIENCE),
    "other issuer": (a(iss="https://evil.test"), INVALID, ISSUER),
    "issuer with a slash": (a(iss="https://a.provider.test/"), INVALID, ISSUER),
    "issuer of another provider": (a(iss="https://b.provider.test"), INVALID, ISSUER),
    "issuer missing": (a(iss=None), INVALID, PARTS),
    "expired": (a_at(exp=-60), INVALID, EXPIRED),
    "expired long ago": (a_at(iat=-2 * HOUR, exp=-HOUR), INVALID, EXPIRED),
    "not yet valid": (a_at(nbf=61), INVALID, EARLY),
    "issued in the future": (a_at(iat=61), INVALID, EARLY),
    "issued too long ago": (a_at(iat=-661, exp=HOUR), INVALID, OLD),
    "without a time of issue": (a(iat=None), INVALID, PARTS),
    "without an end": (a(exp=None), INVALID, PARTS),
    "an end in words": (a(exp="never"), INVALID, PARTS),
    "an end that is true": (a(exp=True), INVALID, PARTS),
    "an end in the far future": (a(exp=10**12), INVALID, "too long"),
    "subject not the body's": (a(body={"providerAUserId": "victim"}), INVALID, SOMEBODY),
    "subject of another length": (a(body={"providerAUserId": "sub-a "}), UNREADABLE, ""),
    "subject missing": (a(sub=None, body={"providerAUserId": "sub-a"}), INVALID, PARTS),
    "subject empty": (a(sub="", body={"providerAUserId": "sub-a"}), INVALID, PARTS),
    "subject a number": (a(sub=7, body={"providerAUserId": "7"}), INVALID, PARTS),
    "subject with a zero byte": (a(sub="s\0", body={"providerAUserId": "s"}), INVALID, PARTS),
    "nonce wrong": (a(nonce="0" * 64, body={"nonce": "x"}), INVALID, NONCE),
    "nonce not hashed": (a(nonce="x", body={"nonce": "x"}), INVALID, NONCE),
    "nonce not in the token": (a(body={"nonce": "x"}), INVALID, NONCE),
    # Provider A: who signed it, and how.
    "algorithm none": (unsigned("none"), INVALID, ALGORITHM),
    "algorithm None": (unsigned("None"), INVALID, ALGORITHM),
    "algorithm RS256 without a signature": (unsigned("RS256"), INVALID, SIGNATURE),
    "HS256 with the public key": (confused(public_pem), INVALID, ALGORITHM),
    "HS256 with the key's JSON": (confused(public_json), INVALID, ALGORITHM),
    "RS384 with the right key": (
        a_signed({"alg": "RS384"}, lambda: rsa_key("a-1")), INVALID, ALGORITHM,
    ),
    "PS256 with the right key": (
        a_signed({"alg": "PS256"}, lambda: rsa_key("a-1")), INVALID, ALGORITHM,
    ),
    "ES256 with a key of one's own": (
        a_signed({"alg": "ES256"}, lambda: ec_key("evil")), INVALID, ALGORITHM,
    ),
    "key without a name": (a(header={"kid": None}), INVALID, PARTS),
    "key with an empty name": (a(header={"kid": ""}), INVALID, PARTS),
    "unknown key": (a(key=rsa_key("evil")), INVALID, UNKNOWN_KEY),
    "key's name with tricks": (a(header=TRICKS), INVALID, UNKNOWN_KEY),
    "wrong key under the right name": (
        a(key=rsa_key("evil"), header={"kid": "a-1"}), INVALID, SIGNATURE,
    ),
    "key of another provider": (a_signed(KID_OF_B, lambda: rsa_key("b-1")), INVALID, UNKNOWN_KEY),
    "key of another provider under this one's name": (
        a(key=rsa_key("b-1"), header={"kid": "a-1"}), INVALID, SIGNATURE,
    ),
    "key in the header": (a(key=rsa_key("evil"), header=EVIL), INVALID, UNKNOWN_KEY),
    "key in the header under the right name": (
        a(key=rsa_key("evil"), header=EVIL | {"kid": "a-1"}), INVALID, SIGNATURE,
    ),
    "address of a key set in the header": (
        a(key=rsa_key("evil"), header={"jku": "https://evil.test/keys", "kid": "a-1"}),
        INVALID, SIGNATURE,
    ),
    "address of a certificate in the header": (
        a(key=rsa_key("evil"), header={"x5u": "https://evil.test/x", "kid": "a-1"}),
        INVALID, SIGNATURE,
    ),
    "certificates in the header": (
        a(key=rsa_key("evil"), header={"x5c": ["MIIB"], "kid": "a-1"}), INVALID, SIGNATURE,
    ),
    "a critical header": (a(header={"crit": ["exp"]}), INVALID, HEADER),
    "an unencoded payload": (a(header={"b64": False, "crit": ["b64"]}), INVALID, HEADER),
    "a compressed payload": (a(header={"zip": "DEF"}), INVALID, HEADER),
    "an access token's type": (a(header={"typ": "at+jwt"}), INVALID, "not an identity token"),
    # Provider A: tampering.
    "one letter of the signature changed": (
        a_raw(lambda _, text: flipped(text, 2)), INVALID, SIGNATURE,
    ),
    "signature cut off": (a_raw(lambda _, text: text[:-20]), INVALID, SIGNATURE),
    "signature left out": (
        a_raw(lambda _, text: text.rpartition(".")[0] + "."), INVALID, SIGNATURE,
    ),
    "two parts": (a_raw(lambda _, text: text.rpartition(".")[0]), INVALID, FORM),
    "five parts": (a_raw(lambda _, text: f"{text}.x.y"), INVALID, FORM),
    "payload written anew": (replaced(1, lambda said: said | {"x": 1}), INVALID, SIGNATURE),
    "header written anew": (replaced(0, lambda said: said | {"x": 1}), INVALID, SIGNATURE),
    "a blank in front": (a_raw(lambda _, text: f" {text}"), INVALID, ""),
    "a line feed behind": (a_raw(lambda _, text: f"{text}\n"), INVALID, ""),
    "letters outside ASCII": (a_raw(lambda _, text: f"é{text}"), INVALID, FORM),
    "no token at all": (a_raw(lambda *_: "nonsense"), INVALID, FORM),
    "parts of nothing": (a_raw(lambda *_: ".."), INVALID, PARTS),
    "payload a list": (a_payload(b"[]"), INVALID, PARTS),
    "payload no JSON": (a_payload(b"{"), INVALID, PARTS),
    "payload no text": (a_payload(b"\xff\xfe"), INVALID, PARTS),
    "deeply nested payload": (a_payload(b"[" * 5000), INVALID, PARTS),
    "huge": (a_raw(lambda _, text: text + "A" * 20000), UNREADABLE, ""),
    "empty": (a_raw(lambda *_: ""), UNREADABLE, ""),
    "JSON in place of the not a signed JWT": (
        a_raw(lambda _, text: json.dumps({"payload": text})), INVALID, FORM,
    ),
    "base64 of another kind": (
        a_raw(lambda _, text: urlsafe_b64encode(text.encode()).decode()), INVALID, FORM,
    ),
    # Replays.
    "replayed by the same client later": (again(minutes=2), REPLAYED, ""),
    "replayed at once from elsewhere": (again(address="192.0.2.7"), REPLAYED, ""),
    "replayed at once by another program": (again(agent="curl/8"), REPLAYED, ""),
    "replayed with its signature spelled otherwise": (
        again(address="192.0.2.7", change=spelled_otherwise), INVALID, SIGNATURE,
    ),
    "replayed in another store": (in_another_store, REPLAYED, ""),
    "token of a closed account": (after_closure, REPLAYED, ""),
    # Provider B.
    "client id not configured": (
        b(body={"clientId": "evil.apps"}), INVALID, "not belong to this store",
    ),
    "client id and audience of another app": (
        b(aud="evil.apps", body={"clientId": "evil.apps"}), INVALID, "not belong to this store",
    ),
    "audience of another app": (b(aud="evil.apps"), INVALID, AUDIENCE),
    "client id another one of the store": (
        b(body={"clientId": "acme-ios.apps.example.com"}), INVALID, "not issued to this client",
    ),
    "requested by another app": (b(azp="evil.apps"), INVALID, APP),
    "requested by us for another app": (b(aud="evil.apps", azp=AUDIENCES["b"]), INVALID, AUDIENCE),
    "for us and for another app": (
        b(aud=[AUDIENCES["b"], "evil.apps"], azp=AUDIENCES["b"]), INVALID, AUDIENCE,
    ),
    "for two apps of the store": (
        b(aud=[AUDIENCES["b"], "acme-ios.apps.example.com"]), INVALID, "not issued to this client",
    ),
    "the other store's client": (for_another_store_b, INVALID, "not belong to this store"),
    "expired at B": (b_at(exp=-60), INVALID, EXPIRED),
    "other issuer at B": (b(iss="https://accounts.evil.test"), INVALID, ISSUER),
    "nonce wrong at B": (b(nonce="y", body={"nonce": "x"}), INVALID, NONCE),
    "A's token at B": (crossed("b", "a"), INVALID, UNKNOWN_KEY),
    "B's token at A": (crossed("a", "b"), INVALID, UNKNOWN_KEY),
    "B's token at C": (crossed("c", "b"), INVALID, UNKNOWN_KEY),
    # Provider C, with a proof.
    "authentication token of another app": (c_token(aud="999"), INVALID, AUDIENCE),
    "authentication token of somebody else": (c_token(sub="evil"), INVALID, SOMEBODY),
    "authentication token expired": (c_token(exp=1), INVALID, EXPIRED),
    "nonce wrong at C": (c_token(nonce="y", body={"nonce": "x"}), INVALID, NONCE),
    "authentication token of another issuer": (c_token(iss="https://evil.test"), INVALID, ISSUER),
    "access token of another app": (c_access(app_id="999"), INVALID, "another app"),
    "access token of no app": (c_access(app_id=None), INVALID, "another app"),
    "access token of somebody else": (c_access(user_id="evil"), INVALID, SOMEBODY),
    "access token without a user": (c_access(user_id=None), INVALID, SOMEBODY),
    "access token not valid": (c_access(is_valid=False), INVALID, "rejected the access token"),
    "access token of a page": (c_access(type="PAGE"), INVALID, "rejected the access token"),
    "access token expired": (c_access(expires_at=1), INVALID, EXPIRED),
    "access token whose owner is another": (c_access(me={"id": "evil"}), INVALID, SOMEBODY),
    "access token that nobody knows": (named("c", accessToken="EAAB-unknown"), INVALID, "valid"),
    "a good token and a bad one": (one_good_one_bad, INVALID, "another app"),
    # Provider C, with nothing.
    "bare where a proof is required": (c_bare({"mode": "require_proof"}), REQUIRED, ""),
    "bare without an address": (c_bare({}, email=None), REQUIRED, ""),
    "bare with an odd address": (c_bare({}, email="not an address"), UNREADABLE, ""),
    "bare on trust, of somebody who proved it": (linked_by_proof, REQUIRED, ""),
    "bare on trust, of somebody who came by a code": (linked_by_code, REQUIRED, ""),
    # The store, and the body.
    "A where it is not trusted": (not_trusted("a"), NOT_ENABLED, ""),
    "B where it is not trusted": (not_trusted("b"), NOT_ENABLED, ""),
    "C where it is not trusted": (not_trusted("c"), NOT_ENABLED, ""),
    "A without a token": (named("a", drop="identityToken"), UNREADABLE, ""),
    "A without a user": (named("a", drop="providerAUserId"), UNREADABLE, ""),
    "A with a user that is null": (named("a", providerAUserId=None), UNREADABLE, ""),
    "A with a token that is a list": (named("a", identityToken=[]), UNREADABLE, ""),
    "B without a client id": (named("b", drop="clientId"), UNREADABLE, ""),
    "B without a token": (named("b", drop="idToken"), UNREADABLE, ""),
    "C without a user": (named("c", drop="providerCUserId"), UNREADABLE, ""),
    "C with a zero byte": (named("c", providerCUserId="a\0b"), UNREADABLE, ""),
}  # fmt: skip


def test_the_table_has_sixty_hostile_sign_ins_and_more() -> None:
    assert len(ATTACKS) > 100


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_hostile_sign_in_is_refused_and_leaves_nothing_behind(
    lobby: Lobby, elsewhere: Lobby, clock: ManualClock, name: str
) -> None:
    attack, (status, code), sentence = ATTACKS[name]
    await lobby.mall.registered(email="ada@gmail.com", password="a long sentence of my own")
    attempt = await attack(Stage(lobby, elsewhere, clock))
    store = attempt.lobby or lobby
    before = await lobby.contents()
    client = lobby.house.client(store.firm.storefront_key, address=attempt.address)
    path = f"/storefront/v1/customers/login-with-provider-{attempt.provider}"
    answer = await client.post(path, json=attempt.body, headers=attempt.headers)
    body = refused(answer, status, code)
    assert sentence in body["detail"]
    assert "token" not in body
    assert await lobby.contents() == before
