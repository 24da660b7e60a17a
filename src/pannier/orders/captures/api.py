"""HTTP handlers for captures and proofs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from litestar import Response, Router

from pannier.accounts import doors
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import NotFound, Problem, TooLarge, Unavailable, UnsupportedMedia
from pannier.files.storage import Storage, StorageAway
from pannier.fleet import auth as fleet
from pannier.fleet.queries import DRIVERS
from pannier.kit.phone import masked
from pannier.orders.aggregate import OrderClosed
from pannier.orders.captures import allowance, checks, documents, forms, service, views
from pannier.orders.captures.forms import Sent
from pannier.orders.captures.schemas import (
    CaptureIn,
    OverrideIn,
    PhotoIn,
    ProofCodeSent,
    ScanIn,
    SignatureIn,
    SmsIn,
    Unlocked,
)
from pannier.orders.doors import Coming, found, held, proved
from pannier.orders.flow import IllegalMove
from pannier.orders.queries import ORDERS
from pannier.proofs import codes, images, queries, signing
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Evidence
from pannier.proofs.schemas import CapturedOut, ChainOut, ProofFilters, ProofOut, VerdictOut
from pannier.settings import Settings
from pannier.verification import sending
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import get, post
from pannier.web.times import stamp

Answer = Response[CapturedOut]
Form = TypeVar("Form", bound=msgspec.Struct)
Captured = TypeVar("Captured", bound=CaptureIn)
Look = Callable[[UUID, Sent[Form]], Awaitable[list[Evidence]]]


async def seen(
    exchange: Exchange, storage: Storage, caller: Coming, sent: Sent[Form], look: Look[Form]
) -> list[Evidence]:
    """Validate and store pictures with no transaction open, because it may take long."""
    allowance.ask(exchange, caller.public_id, len(sent.pictures))
    try:
        async with exchange.edge.outside(exchange):
            looked = await look(caller.company, sent)
            pieces = await proofs.stored(exchange.edge.database, storage, looked)
    except Problem as refused:
        allowance.charge(exchange, caller.public_id, allowance.penalty(refused))
        raise
    allowance.charge(exchange, caller.public_id, allowance.size(pieces))
    return pieces


def _picturing(name: str, what: str, kind: type[Captured], look: Look[Captured]) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler for a proof method that includes pictures."""

    async def capture(
        caller: Coming,
        order_id: str,
        exchange: Exchange,
        db: Db,
        storage: Storage,
        settings: Settings,
        subject_id: str | None = None,
    ) -> Answer:
        sent = await forms.read(exchange, kind)
        # Check access first: pictures of unreachable orders are neither processed nor stored.
        await found(db, caller, order_id)
        pieces = await seen(exchange, storage, caller, sent, look)
        scene = await service.setting(db, await held(db, caller, order_id), subject_id)
        kept = await service.capture(db, caller, scene, sent.values, pieces)
        return await views.answered(db, settings, caller.company, kept)

    capture.__name__ = f"capture_{name}"
    capture.__doc__ = (
        f"Attach {what} to an order, a stop or an item; without a subject, to the order."
    )
    return capture


capture_signature = _picturing("signature", "a signature", SignatureIn, service.signatures)
capture_photo = _picturing("photo", "photos", PhotoIn, service.photos)
capture_qr = _picturing("qr", "what was scanned", ScanIn, service.scan)


async def capture_sms(
    caller: Coming,
    order_id: str,
    exchange: Exchange,
    db: Db,
    settings: Settings,
    subject_id: str | None = None,
) -> Answer:
    """Prove a delivery with the SMS code that the recipient gave to the driver."""
    sent = await forms.read(exchange, SmsIn)
    scene = await service.setting(db, await held(db, caller, order_id), subject_id)
    kept = await service.capture_code(db, caller, scene, sent.values)
    return await views.answered(db, settings, caller.company, kept)


async def send_sms_code(
    caller: Coming, order_id: str, db: Db, subject_id: str | None = None
) -> ProofCodeSent:
    """Send an SMS code to the stop's contact or the order's customer. Repeat to resend."""
    scene = await service.setting(db, await held(db, caller, order_id), subject_id)
    sent, phone = await service.send_code(db, scene, driver=fleet.own(caller))
    return ProofCodeSent(
        "ok",
        masked(phone),
        sent.expires_in,
        sent.resend_after,
        stamp(db.now + codes.LIFE),
    )


async def list_order_proofs(
    caller: Coming, order_id: str, db: Db, settings: Settings, subject_id: str | None = None
) -> list[ProofOut]:
    """List the proofs of an order, a stop or an item, in the order they were received."""
    order = await proved(db, caller, order_id)
    scene = None if subject_id is None else await service.setting(db, order, subject_id)
    subject = None if scene is None else scene.subject.uuid
    rows = await queries.of_order(db, caller.company, order.uuid, subject)
    return await views.outs(db, settings, caller.company, rows)


@get("/proofs", problems=[NotFound])
async def list_proofs(
    key: FleetKey, filters: ProofFilters, exchange: Exchange, db: Db, settings: Settings
) -> Response[list[ProofOut]]:
    """List proofs, newest first."""
    order = None
    if filters.order is not None:
        order = (await proved(db, key, filters.order)).uuid
    driver = None
    if filters.driver is not None:
        driver = (await DRIVERS.get(db, key.company, filters.driver)).uuid
    page = await queries.proofs(db, key.company, filters, order=order, driver=driver)
    spelled = await views.outs(db, settings, key.company, page.rows)
    shown = {row.uuid: out for row, out in zip(page.rows, spelled, strict=True)}
    return linked(exchange, page, lambda row: shown[row.uuid])


@get("/proofs/{proof_id:str}")
async def get_proof(key: FleetKey, proof_id: str, db: Db, settings: Settings) -> ProofOut:
    """Read a proof, with a fresh link to its picture."""
    proof = await queries.get(db, key.company, proof_id)
    return (await views.outs(db, settings, key.company, [proof]))[0]


@get("/proofs/{proof_id:str}/verify", problems=[StorageAway])
async def verify_proof(
    key: FleetKey, proof_id: str, exchange: Exchange, db: Db, storage: Storage
) -> VerdictOut:
    """Verify that a proof, its picture and its order's chain are unchanged."""
    proof = await queries.get(db, key.company, proof_id)
    order = (await ORDERS.among(db, key.company, [proof.order_uuid]))[proof.order_uuid]
    chain = await proofs.chain(db, key.company, order.uuid, order.public_id)
    kept = await proofs.files_of(db, proof)
    async with exchange.edge.outside(exchange):
        verdict = await proofs.verify(storage, kept, chain, proof)
    return VerdictOut.of(verdict, proof, chain)


async def verify_proofs(caller: Coming, order_id: str, db: Db) -> ChainOut:
    """Verify that the proofs of an order are complete and unchanged."""
    order = await proved(db, caller, order_id)
    chain = await proofs.chain(db, order.company, order.uuid, order.public_id)
    return await asyncio.to_thread(ChainOut.of, chain)


@post("/orders/{order_id:str}/override-proof", problems=[IllegalMove, signing.KeyReplaced])
async def override_proof(
    caller: Caller, order_id: str, data: OverrideIn, db: Db, settings: Settings
) -> list[ProofOut]:
    """Allow an activity without its proofs. The reason is recorded."""
    order = await ORDERS.take(db, caller.company, order_id)
    made = await service.override(db, order, data.activity, data.reason)
    return await views.outs(db, settings, caller.company, made)


async def unlock_sms_code(
    caller: Caller, order_id: str, db: Db, subject_id: str | None = None
) -> Unlocked:
    """Allow SMS codes at a stop again after too many wrong ones."""
    order = await ORDERS.take(db, caller.company, order_id)
    await service.unlock(db, order, subject_id)
    return Unlocked()


_ORDER = "/orders/{order_id:str}"
_FILE = {"type": "string", "format": "binary", "description": "A picture, as a file."}
KEEPING = [
    OrderClosed, proofs.ProofConflict, proofs.TooManyProofs, NotFound, UnsupportedMedia,
    signing.KeyReplaced,
]  # fmt: skip
PICTURING = [
    *KEEPING, images.ImageTooLarge, images.ImageUnsupported, images.ImageUnreadable,
    images.ImageTooSlow, StorageAway, TooLarge, Unavailable,
]  # fmt: skip


def _form(**pictures: object) -> dict[str, object]:
    return {"type": "object", "properties": {**pictures, "remarks": {"type": "string"}}}


def _body(kind: type, **pictures: object) -> dict[str, Any]:
    bodies = {"application/json": kind, "multipart/form-data": _form(**pictures)}
    return {"request_bodies": bodies}


SIGNATURE = _body(SignatureIn, signature=_FILE, signer_name={"type": "string"})
PHOTO = _body(PhotoIn, photos={"type": "array", "items": _FILE})
SCAN = _body(ScanIn, code={"type": "string"}, photo=_FILE)
SMS = {"request_bodies": {"application/json": SmsIn}}


def _both(verb: Any, action: str, handler: Any, **options: Any) -> list[Any]:  # noqa: ANN401 - routes
    """Route a handler with a subject in its path, and without one for the whole order."""
    paths = (f"{_ORDER}/{action}", f"{_ORDER}/{action}/{{subject_id:str}}")
    return [verb(path, **options)(handler) for path in paths]


capture_routes = Router(
    "/v1",
    route_handlers=[
        *_both(
            post, "capture-signature", capture_signature, opt=SIGNATURE,
            problems=[*PICTURING, images.SignatureBlank],
        ),
        *_both(post, "capture-photo", capture_photo, opt=PHOTO, problems=PICTURING),
        *_both(
            post, "capture-qr", capture_qr, opt=SCAN,
            problems=[*PICTURING, service.CodeMismatch, service.CodeUnreadable],
        ),
        *_both(
            post, "capture-sms", capture_sms, opt=SMS,
            problems=[*KEEPING, codes.CodeIncorrect, codes.CodeLocked],
        ),
        *_both(
            post, "send-sms-code", send_sms_code, status_code=200,
            problems=[
                codes.PhoneMissing, codes.CodeLocked, OrderClosed, NotFound, *sending.REFUSALS,
            ],
        ),
        *_both(get, "proofs", list_order_proofs),
        get(f"{_ORDER}/verify-proofs")(verify_proofs),
        *documents.handlers,
    ],
    before_request=fleet.driver_or_key("orders"),
    tags=["Proofs"],
    security=[{"apiKey": []}, {"driverToken": []}],
)  # fmt: skip
proof_routes = doors.for_keys(
    "Proofs", "proofs", [list_proofs, get_proof, verify_proof, documents.chosen]
)
operator_routes = doors.for_operators(
    "Proofs",
    "dispatcher",
    [
        override_proof,
        *_both(post, "unlock-sms-code", unlock_sms_code, status_code=200, problems=[NotFound]),
    ],
)
routers = (capture_routes, proof_routes, operator_routes, *checks.routers)
