"""HTTP handlers for photos of issues, for API keys and for the issue's driver."""

from litestar import Router

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound, TooLarge, Unavailable, UnsupportedMedia
from pannier.files.storage import Storage, StorageUnavailable
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.fleet.issues import queries
from pannier.fleet.issues.photos import TooManyPhotos
from pannier.fleet.queries import ISSUES
from pannier.orders.captures import api as captures
from pannier.orders.captures import forms
from pannier.orders.captures import service as looking
from pannier.orders.issue_photos import service
from pannier.orders.issue_photos.schemas import (
    IssuePhotoOut,
    IssuePhotosIn,
    ReportedOut,
    ReportIn,
)
from pannier.proofs import images
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

PHOTO_PROBLEMS = [
    NotFound, UnsupportedMedia, images.ImageTooLarge, images.ImageUnsupported,
    images.ImageUnreadable, images.ImageTooSlow, StorageUnavailable, TooLarge, Unavailable,
]  # fmt: skip
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}


def _body_options(json_type: type, **fields: object) -> dict[str, object]:
    form = {"type": "object", "properties": {"photos": _FILES, **fields}}
    return {"request_bodies": {"application/json": json_type, "multipart/form-data": form}}


@post(
    "/issues/with-photos",
    opt=_body_options(ReportIn, report={"type": "string"}),
    problems=PHOTO_PROBLEMS,
)
async def report_issue(
    caller: FleetKey | DriverCaller,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> ReportedOut:
    """Report an issue together with its photos."""
    form = await forms.parse_capture(exchange, ReportIn)
    # Check access first: pictures of unreachable records are neither processed nor stored.
    await service.check_report(
        db, caller.company, form.values, own_driver=auth.get_own_driver(caller)
    )
    evidence = await captures.store_evidence(exchange, storage, caller, form, looking.read_photos)
    issue = await service.report(
        db, caller.company, form.values, evidence, own_driver=auth.get_own_driver(caller)
    )
    return await service.load_report_out(db, settings, issue)


@post(
    "/issues/{issue_id:str}/photos",
    opt=_body_options(IssuePhotosIn),
    problems=[*PHOTO_PROBLEMS, TooManyPhotos],
)
async def add_issue_photos(
    caller: FleetKey | DriverCaller,
    issue_id: str,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> list[IssuePhotoOut]:
    """Add photos to an issue. Returns all of its photos."""
    form = await forms.parse_capture(exchange, IssuePhotosIn)
    # Check access first: pictures of unreachable issues are neither processed nor stored.
    unlocked_issue = await queries.get_issue(
        db, caller.company, issue_id, own_driver=auth.get_own_driver(caller)
    )
    evidence = await captures.store_evidence(exchange, storage, caller, form, looking.read_photos)
    issue = await ISSUES.lock(db, caller.company, unlocked_issue.uuid)
    return await service.load_photo_outs(
        db, settings, await service.attach_photos(db, issue, evidence)
    )


@get("/issues/{issue_id:str}/photos")
async def list_issue_photos(
    caller: FleetKey | DriverCaller, issue_id: str, db: Db, settings: Settings
) -> list[IssuePhotoOut]:
    """List the photos of an issue with fresh links. Drivers see their own issues."""
    issue = await queries.get_issue(
        db, caller.company, issue_id, own_driver=auth.get_own_driver(caller)
    )
    return await service.load_photo_outs(db, settings, issue)


routes = Router(
    "/v1",
    route_handlers=[report_issue, add_issue_photos, list_issue_photos],
    before_request=auth.require_driver_or_key("issues"),
    tags=["Issues"],
    security=[{"apiKey": []}, {"driverToken": []}],
)
