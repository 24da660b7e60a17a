"""Handlers of the device registry, for API keys and for operators."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from litestar import Response

from pannier.accounts import auth, doors
from pannier.accounts.auth import Caller
from pannier.accounts.tokens import api as tokens_api
from pannier.accounts.tokens.models import Holder
from pannier.db import Db, PageIn
from pannier.devices.registry import attachments, queries, service, tokens
from pannier.devices.registry.attaching import AttachmentOverlaps, DeviceNotAttached
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
from pannier.web.lists import Listed, enveloped, linked
from pannier.web.resources import Resource, read_only
from pannier.web.routes import get, post
from pannier.web.versions import Match, PreconditionFailed

# `create_device` is separate, because only its response has a token.
devices: Final = Resource(
    DEVICES,
    change=service.change,
    page=queries.devices,
    show=queries.shown,
    remove=service.let_go,
    problems={
        "change": [service.IdentifierTaken, service.KindFixed, attachments.DeviceFixed],
        "list": [NotFound],
    },
    says={"delete": "Delete a device. Its tokens end; its events stay."},
)
# Read-only routes under the path of the fleet module.
of_module: Final = read_only(DEVICES, queries.devices, queries.shown)


async def create_device(company: UUID, data: NewDeviceIn, db: Db) -> NewDeviceOut:
    """Register a device. Only this response contains its token."""
    made = await service.take_in(db, company, data)
    return await queries.new(db, company, made.device, made.token)


async def rotate_device_token(
    company: UUID, device_id: str, data: RotateTokenIn, db: Db
) -> NewDeviceOut:
    """Issue a new token, which only this response contains. The old one expires later."""
    device = await DEVICES.take(db, company, device_id)
    token = await tokens.rotate(db, device, data.grace)
    return await queries.new(db, company, device, token)


async def attach_device(
    company: UUID, device_id: str, data: AttachIn, match: Match, db: Db
) -> DeviceOut:
    """Attach a device to a vehicle. From then on its events belong to the vehicle."""
    device = await DEVICES.take(db, company, device_id)
    match(device.version)
    vehicle = await VEHICLES.named(db, company, "vehicle", data.vehicle, hold=True)
    return await devices.shown(db, await attachments.attach(db, device, vehicle, data.since))


async def detach_device(
    company: UUID, device_id: str, data: DetachIn, match: Match, db: Db
) -> DeviceOut:
    """Detach a device from its vehicle. Events until then still belong to the vehicle."""
    device = await DEVICES.take(db, company, device_id)
    match(device.version)
    return await devices.shown(db, await attachments.detach(db, device, data.until))


async def list_attachments(
    company: UUID, device_id: str, filters: PageIn, exchange: Exchange, db: Db
) -> Response[list[AttachmentOut]]:
    """List the vehicles a device was on, latest first. A phone follows its driver."""
    device = await DEVICES.get(db, company, device_id)
    found = await queries.attachments(db, company, device.uuid, filters)
    return linked(exchange, found, AttachmentOut.of)


async def list_attachments_enveloped(
    company: UUID, device_id: str, filters: PageIn, db: Db
) -> Listed[AttachmentOut]:
    """List the vehicles a device was on, latest first. A phone follows its driver."""
    device = await DEVICES.get(db, company, device_id)
    found = await queries.attachments(db, company, device.uuid, filters)
    return enveloped(found, AttachmentOut.of)


async def _held(db: Db, caller: Caller, device_id: str) -> Holder:
    """Return the device as a holder of tokens."""
    return tokens.holder(await DEVICES.get(db, caller.company, device_id))


_ALL, _ONE = "/devices", "/devices/{device_id:str}"
_ATTACHMENTS: Final = f"{_ONE}/attachments"
_MOVING: Final = [AttachmentOverlaps, attachments.DeviceFixed, PreconditionFailed]
_CREATING: Final = [service.IdentifierTaken, service.PhoneTaken, NotFound]
_verbs: Final[list[tuple[str, Any, dict[str, Any]]]] = [
    (_ALL, create_device, {"problems": _CREATING}),
    (f"{_ONE}/rotate-token", rotate_device_token, {"status_code": 200}),
    (f"{_ONE}/attach", attach_device, {"status_code": 200, "problems": [*_MOVING, NotFound]}),
    (
        f"{_ONE}/detach",
        detach_device,
        {"status_code": 200, "problems": [*_MOVING, DeviceNotAttached]},
    ),
]
_DISPATCHER: Final = auth.operator("dispatcher")


def _by_operators(name: str) -> Mapping[str, Any]:
    """Build the operation id of an operator's route, which must differ from the API key's."""
    return {"operation_id": f"{name}_as_operator"}


key_routes: Final = doors.for_keys(
    "Devices",
    "devices",
    [
        *devices.handlers(),
        *(post(path, **options)(verb) for path, verb, options in _verbs),
        get(_ATTACHMENTS, operation_id="list_device_attachments")(list_attachments),
    ],
)
desk_routes: Final = doors.for_operators(
    "Devices",
    "viewer",
    [
        *devices.handlers(wrapped=True, named="_as_operator", changing=_DISPATCHER),
        *(
            post(path, before_request=_DISPATCHER, **_by_operators(verb.__name__), **options)(verb)
            for path, verb, options in _verbs
        ),
        get(_ATTACHMENTS, **_by_operators("list_device_attachments"))(list_attachments_enveloped),
    ],
)
module_routes: Final = doors.for_viewers(
    "Devices",
    "devices",
    of_module.handlers(wrapped=True, named="_of_module"),
    prefix="/int/v1/fleet-module",
)
token_routes: Final = doors.for_operators(
    "Devices", "dispatcher", tokens_api.overseen("device", _held)
)
routers: Final = (key_routes, desk_routes, module_routes, token_routes)
