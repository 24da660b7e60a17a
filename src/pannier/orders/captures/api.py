"""HTTP handlers for captures and proofs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from litestar import Response, Router

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import NotFound, Problem, TooLarge, Unavailable, UnsupportedMedia
from pannier.files.storage import Storage, StorageUnavailable
from pannier.fleet import auth as fleet
from pannier.fleet.queries import DRIVERS
from pannier.kit.phone import mask
from pannier.orders.access import OrderCaller, get_order_for_proofs, get_order_row, lock_order_row
from pannier.orders.aggregate import OrderClosed
from pannier.orders.captures import (
    allowance,
    checks,
    documents,
    forms,
    mismatches,
    service,
    views,
)
from pannier.orders.captures.forms import ParsedCapture
from pannier.orders.captures.schemas import (
    CaptureIn,
    CodesUnlocked,
    OverrideIn,
    PhotoIn,
    ProofCodeSent,
    ScanIn,
    SignatureIn,
    SmsIn,
)
from pannier.orders.flow import IllegalMove
from pannier.orders.queries import ORDERS
from pannier.proofs import codes, images, queries, signing
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Evidence
from pannier.proofs.schemas import CapturedOut, ChainOut, ProofFilters, ProofOut, VerdictOut
from pannier.settings import Settings
from pannier.verification import send_limits
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import get, post
from pannier.web.times import to_rfc3339

Answer = Response[CapturedOut]
Form = TypeVar("Form", bound=msgspec.Struct)
CaptureFields = TypeVar("CaptureFields", bound=CaptureIn)
EvidenceReader = Callable[[UUID, ParsedCapture[Form]], Awaitable[list[Evidence]]]


async def store_evidence(
    exchange: Exchange,
    storage: Storage,
    caller: OrderCaller,
    form: ParsedCapture[Form],
    read_evidence: EvidenceReader[Form],
) -> list[Evidence]:
    """Validate and store pictures with no transaction open, because it may take long."""
    allowance.check_rate(exchange, caller.public_id, len(form.pictures))
    try:
        async with exchange.edge.suspend_transaction(exchange):
            evidence = await read_evidence(caller.company, form)
            stored_evidence = await proofs.store_pictures(exchange.edge.database, storage, evidence)
    except Problem as problem:
        allowance.charge(exchange, caller.public_id, allowance.find_rejection_cost(problem))
        raise
    allowance.charge(exchange, caller.public_id, allowance.calculate_extra_cost(stored_evidence))
    return stored_evidence


def _make_capture_handler(
    name: str,
    description: str,
    fields_type: type[CaptureFields],
    read_evidence: EvidenceReader[CaptureFields],
) -> Any:  # noqa: ANN401 - Litestar's handler
    """Make the handler for a proof method that includes pictures."""

    async def capture(
        caller: OrderCaller,
        order_id: str,
        exchange: Exchange,
        db: Db,
        storage: Storage,
        settings: Settings,
        subject_id: str | None = None,
    ) -> Answer:
        form = await forms.parse_capture(exchange, fields_type)
        # Check access first: pictures of unreachable orders are neither processed nor stored.
        await get_order_row(db, caller, order_id)
        evidence = await store_evidence(exchange, storage, caller, form, read_evidence)
        context = await service.load_context(
            db, await lock_order_row(db, caller, order_id), subject_id
        )
        result = await service.capture(db, caller, context, form.values, evidence)
        return await views.to_response(db, settings, caller.company, result)

    capture.__name__ = f"capture_{name}"
    capture.__doc__ = (
        f"Attach {description} to an order, a stop or an item; without a subject, to the order."
    )
    return capture


capture_signature = _make_capture_handler(
    "signature", "a signature", SignatureIn, service.read_signature
)
capture_photo = _make_capture_handler("photo", "photos", PhotoIn, service.read_photos)
capture_qr = _make_capture_handler("qr", "a scanned code", ScanIn, service.read_scan)


async def capture_sms(
    caller: OrderCaller,
    order_id: str,
    exchange: Exchange,
    db: Db,
    settings: Settings,
    subject_id: str | None = None,
) -> Answer:
    """Prove a delivery with the SMS code that the recipient gave to the driver."""
    form = await forms.parse_capture(exchange, SmsIn)
    context = await service.load_context(db, await lock_order_row(db, caller, order_id), subject_id)
    result = await service.capture_code(db, caller, context, form.values)
    return await views.to_response(db, settings, caller.company, result)


async def send_sms_code(
    caller: OrderCaller, order_id: str, db: Db, subject_id: str | None = None
) -> ProofCodeSent:
    """Send an SMS code to the stop's contact or the order's customer. Repeat to resend."""
    context = await service.load_context(db, await lock_order_row(db, caller, order_id), subject_id)
    timing, phone = await service.send_code(db, context, driver=fleet.get_own_driver(caller))
    return ProofCodeSent(
        "ok",
        mask(phone),
        timing.expires_in,
        timing.resend_after,
        to_rfc3339(db.now + codes.CODE_LIFETIME),
    )


async def list_order_proofs(
    caller: OrderCaller, order_id: str, db: Db, settings: Settings, subject_id: str | None = None
) -> list[ProofOut]:
    """List the proofs of an order, a stop or an item, in the order they were received."""
    order = await get_order_for_proofs(db, caller, order_id)
    context = None if subject_id is None else await service.load_context(db, order, subject_id)
    subject = None if context is None else context.subject.uuid
    rows = await queries.list_order_proofs(db, caller.company, order.uuid, subject)
    return await views.load_proof_outs(db, settings, caller.company, rows)


@get("/proofs", problems=[NotFound])
async def list_proofs(
    key: FleetKey, filters: ProofFilters, exchange: Exchange, db: Db, settings: Settings
) -> Response[list[ProofOut]]:
    """List proofs, newest first."""
    order = None
    if filters.order is not None:
        order = (await get_order_for_proofs(db, key, filters.order)).uuid
    driver = None
    if filters.driver is not None:
        driver = (await DRIVERS.get(db, key.company, filters.driver)).uuid
    page = await queries.load_proof_page(db, key.company, filters, order=order, driver=driver)
    proof_outs = await views.load_proof_outs(db, settings, key.company, page.rows)
    outs = {row.uuid: proof_out for row, proof_out in zip(page.rows, proof_outs, strict=True)}
    return to_array_response(exchange, page, lambda row: outs[row.uuid])


@get("/proofs/{proof_id:str}")
async def get_proof(key: FleetKey, proof_id: str, db: Db, settings: Settings) -> ProofOut:
    """Retrieve a proof, with a fresh link to its image."""
    proof = await queries.get_proof(db, key.company, proof_id)
    return (await views.load_proof_outs(db, settings, key.company, [proof]))[0]


@get("/proofs/{proof_id:str}/verify", problems=[StorageUnavailable])
async def verify_proof(
    key: FleetKey, proof_id: str, exchange: Exchange, db: Db, storage: Storage
) -> VerdictOut:
    """Verify that a proof, its image and its order's chain are unchanged."""
    proof = await queries.get_proof(db, key.company, proof_id)
    order = (await ORDERS.load_many(db, key.company, [proof.order_uuid]))[proof.order_uuid]
    chain = await proofs.load_chain(db, key.company, order.uuid, order.public_id)
    stored_files = await proofs.load_files(db, proof)
    async with exchange.edge.suspend_transaction(exchange):
        verdict = await proofs.verify_stored_proof(storage, stored_files, chain, proof)
    return VerdictOut.from_verdict(verdict, proof, chain)


async def verify_proofs(caller: OrderCaller, order_id: str, db: Db) -> ChainOut:
    """Verify that the proofs of an order are complete and unchanged."""
    order = await get_order_for_proofs(db, caller, order_id)
    chain = await proofs.load_chain(db, order.company, order.uuid, order.public_id)
    return await asyncio.to_thread(ChainOut.from_chain, chain)


@post("/orders/{order_id:str}/override-proof", problems=[IllegalMove, signing.KeyReplaced])
async def override_proof(
    caller: Caller, order_id: str, data: OverrideIn, db: Db, settings: Settings
) -> list[ProofOut]:
    """Allow an activity without its proofs. The reason is recorded."""
    order = await ORDERS.lock(db, caller.company, order_id)
    overrides = await service.override_proofs(db, order, data.activity, data.reason)
    return await views.load_proof_outs(db, settings, caller.company, overrides)


async def unlock_sms_code(
    caller: Caller, order_id: str, db: Db, subject_id: str | None = None
) -> CodesUnlocked:
    """Unlock SMS codes for a stop after too many wrong codes."""
    order = await ORDERS.lock(db, caller.company, order_id)
    await service.unlock_codes(db, order, subject_id)
    return CodesUnlocked()


_ORDER = "/orders/{order_id:str}"
_FILE = {"type": "string", "format": "binary", "description": "A picture, as a file."}
CAPTURE_PROBLEMS = [
    OrderClosed, proofs.ProofConflict, proofs.TooManyProofs, NotFound, UnsupportedMedia,
    signing.KeyReplaced,
]  # fmt: skip
PICTURE_PROBLEMS = [
    *CAPTURE_PROBLEMS, images.ImageTooLarge, images.ImageUnsupported, images.ImageUnreadable,
    images.ImageTooSlow, StorageUnavailable, TooLarge, Unavailable,
]  # fmt: skip


def _form_schema(**pictures: object) -> dict[str, object]:
    return {"type": "object", "properties": {**pictures, "remarks": {"type": "string"}}}


def _body_options(json_type: type, **pictures: object) -> dict[str, Any]:
    bodies = {"application/json": json_type, "multipart/form-data": _form_schema(**pictures)}
    return {"request_bodies": bodies}


SIGNATURE = _body_options(SignatureIn, signature=_FILE, signer_name={"type": "string"})
PHOTO = _body_options(PhotoIn, photos={"type": "array", "items": _FILE})
SCAN = _body_options(ScanIn, code={"type": "string"}, photo=_FILE)
SMS = {"request_bodies": {"application/json": SmsIn}}


def _route_both(route: Any, action: str, handler: Any, **options: Any) -> list[Any]:  # noqa: ANN401 - routes
    """Route a handler under two paths: for the whole order, and for a stop or an item."""
    paths = (f"{_ORDER}/{action}", f"{_ORDER}/{action}/{{subject_id:str}}")
    return [route(path, **options)(handler) for path in paths]


capture_routes = Router(
    "/v1",
    route_handlers=[
        *_route_both(
            post,
            "capture-signature",
            capture_signature,
            opt=SIGNATURE,
            problems=[*PICTURE_PROBLEMS, images.SignatureBlank],
        ),
        *_route_both(post, "capture-photo", capture_photo, opt=PHOTO, problems=PICTURE_PROBLEMS),
        *_route_both(
            post,
            "capture-qr",
            capture_qr,
            opt=SCAN,
            problems=[
                *PICTURE_PROBLEMS,
                mismatches.CodeMismatch,
                mismatches.MismatchUnexplained,
                service.CodeUnreadable,
            ],
        ),
        *_route_both(
            post,
            "capture-sms",
            capture_sms,
            opt=SMS,
            problems=[*CAPTURE_PROBLEMS, codes.CodeIncorrect, codes.CodeLocked],
        ),
        *_route_both(
            post,
            "send-sms-code",
            send_sms_code,
            status_code=200,
            problems=[
                codes.PhoneMissing,
                codes.CodeLocked,
                OrderClosed,
                NotFound,
                *send_limits.SEND_PROBLEMS,
            ],
        ),
        *_route_both(get, "proofs", list_order_proofs),
        get(f"{_ORDER}/verify-proofs")(verify_proofs),
        *documents.handlers,
    ],
    before_request=fleet.require_driver_or_key("orders"),
    tags=["Proofs"],
    security=[{"apiKey": []}, {"driverToken": []}],
)
proof_routes = api_routers.api_router(
    "Proofs", "proofs", [list_proofs, get_proof, verify_proof, documents.pack_proofs_handler]
)
operator_routes = api_routers.operator_router(
    "Proofs",
    "dispatcher",
    [
        override_proof,
        *_route_both(
            post, "unlock-sms-code", unlock_sms_code, status_code=200, problems=[NotFound]
        ),
    ],
)
routers = (capture_routes, proof_routes, operator_routes, *checks.routers)
