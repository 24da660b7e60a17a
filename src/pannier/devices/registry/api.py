"""Handlers of the device registry, for API keys and for operators."""

from typing import Any, Final
from uuid import UUID

from litestar import Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller
from pannier.accounts.tokens import api as tokens_api
from pannier.accounts.tokens.models import Holder
from pannier.db import Db, PageIn
from pannier.devices.registry import attachments, queries, service, tokens
from pannier.devices.registry.attachment_plans import AttachmentOverlaps, DeviceNotAttached
from pannier.devices.registry.queries import DEVICES
from pannier.devices.registry.schemas import (
    AttachIn,
    AttachmentOut,
    DetachIn,
    DeviceOut,
    NewDeviceIn,
    NewDeviceOut,
    RotateTokenIn,
)
from pannier.errors import NotFound
from pannier.fleet.queries import VEHICLES
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_array_response, to_envelope
from pannier.web.resources import Resource, make_read_only
from pannier.web.routes import get, post
from pannier.web.versions import IfMatch, PreconditionFailed

# `create_device` is separate, because only its response has a token.
devices: Final = Resource(
    DEVICES,
    change=service.change,
    page=queries.list_devices,
    show=queries.to_out,
    remove=service.delete,
    problems={
        "change": [service.IdentifierTaken, service.KindFixed, attachments.DeviceFixed],
        "list": [NotFound],
    },
    summaries={"delete": "Delete a device. Its tokens end; its events stay."},
)
# Read-only routes under the path of the fleet module.
module_resource: Final = make_read_only(DEVICES, queries.list_devices, queries.to_out)


async def create_device(company: UUID, data: NewDeviceIn, db: Db) -> NewDeviceOut:
    """Register a device. Only this response contains its token."""
    new_device = await service.create(db, company, data)
    return await queries.to_new_out(db, company, new_device.device, new_device.token)


async def rotate_device_token(
    company: UUID, device_id: str, data: RotateTokenIn, db: Db
) -> NewDeviceOut:
    """Issue a new token. Only this response contains it. The old one expires later."""
    device = await DEVICES.lock(db, company, device_id)
    token = await tokens.rotate(db, device, data.grace)
    return await queries.to_new_out(db, company, device, token)


async def attach_device(
    company: UUID, device_id: str, data: AttachIn, match: IfMatch, db: Db
) -> DeviceOut:
    """Attach a device to a vehicle. From then on its events belong to the vehicle."""
    device = await DEVICES.lock(db, company, device_id)
    match(device.version)
    vehicle = await VEHICLES.resolve_reference(db, company, "vehicle", data.vehicle, lock=True)
    return await devices.to_out(db, await attachments.attach(db, device, vehicle, data.since))


async def detach_device(
    company: UUID, device_id: str, data: DetachIn, match: IfMatch, db: Db
) -> DeviceOut:
    """Detach a device from its vehicle. Earlier events still belong to the vehicle."""
    device = await DEVICES.lock(db, company, device_id)
    match(device.version)
    return await devices.to_out(db, await attachments.detach(db, device, data.until))


async def list_attachments(
    company: UUID, device_id: str, filters: PageIn, exchange: Exchange, db: Db
) -> Response[list[AttachmentOut]]:
    """List the vehicles that a device was attached to, latest first. A phone follows its driver."""
    device = await DEVICES.get(db, company, device_id)
    page = await queries.list_attachments(db, company, device.uuid, filters)
    return to_array_response(exchange, page, AttachmentOut.from_row)


async def list_attachments_enveloped(
    company: UUID, device_id: str, filters: PageIn, db: Db
) -> Listed[AttachmentOut]:
    """List the vehicles that a device was attached to, latest first. A phone follows its driver."""
    device = await DEVICES.get(db, company, device_id)
    page = await queries.list_attachments(db, company, device.uuid, filters)
    return to_envelope(page, AttachmentOut.from_row)


async def _load_holder(db: Db, caller: Caller, device_id: str) -> Holder:
    """Load the device as a token holder."""
    return tokens.to_holder(await DEVICES.get(db, caller.company, device_id))


_ALL, _ONE = "/devices", "/devices/{device_id:str}"
_ATTACHMENTS: Final = f"{_ONE}/attachments"
_ATTACHMENT_PROBLEMS: Final = [AttachmentOverlaps, attachments.DeviceFixed, PreconditionFailed]
_CREATE_PROBLEMS: Final = [service.IdentifierTaken, service.DriverHasPhone, NotFound]
_actions: Final[list[tuple[str, Any, dict[str, Any]]]] = [
    (_ALL, create_device, {"problems": _CREATE_PROBLEMS}),
    (f"{_ONE}/rotate-token", rotate_device_token, {"status_code": 200}),
    (
        f"{_ONE}/attach",
        attach_device,
        {"status_code": 200, "problems": [*_ATTACHMENT_PROBLEMS, NotFound]},
    ),
    (
        f"{_ONE}/detach",
        detach_device,
        {"status_code": 200, "problems": [*_ATTACHMENT_PROBLEMS, DeviceNotAttached]},
    ),
]
_DISPATCHER: Final = auth.require_operator("dispatcher")


key_routes: Final = api_routers.api_router(
    "Devices",
    "devices",
    [
        *devices.make_handlers(),
        *(post(path, **options)(handler) for path, handler, options in _actions),
        get(_ATTACHMENTS)(list_attachments),
    ],
)
operator_routes: Final = api_routers.operator_router(
    "Devices",
    "viewer",
    [
        *devices.make_handlers(with_envelope=True, write_check=_DISPATCHER),
        *(
            post(path, before_request=_DISPATCHER, **options)(handler)
            for path, handler, options in _actions
        ),
        get(_ATTACHMENTS)(list_attachments_enveloped),
    ],
)
module_routes: Final = api_routers.viewer_router(
    "Devices",
    "devices",
    module_resource.make_handlers(with_envelope=True),
    prefix="/int/v1/fleet-module",
)
token_routes: Final = api_routers.operator_router(
    "Devices", "dispatcher", tokens_api.make_managed_session_handlers("device", _load_holder)
)
routers: Final = (key_routes, operator_routes, module_routes, token_routes)
