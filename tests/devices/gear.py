"""What tests of devices begin with: devices as rows, and readings of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pannier.accounts.company_settings.models import InstallationLimits
from pannier.devices import store
from pannier.devices.event_types import RetentionClass
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import Reading
from pannier.devices.sources import Source
from pannier.kit import ids
from stage import NOON, Firm, House


@dataclass
class Gear:
    """A device of the cast, and what its company's programs may say of it."""

    firm: Firm
    uuid: UUID
    public_id: str
    number: int

    @property
    def own(self) -> Source:
        """It speaks for itself."""
        return Source(self.firm.uuid, self.uuid, None, speaks_for_all=False, adopts=False)

    @property
    def company(self) -> Source:
        """A program of its company speaks, for whichever device it names."""
        return Source(self.firm.uuid, None, None, speaks_for_all=True, adopts=False)


async def device(
    firm: Firm, identifier: str | None = None, *, kind: str = "tracker", adopts: bool = False
) -> Gear:
    """Take a device in."""
    uuid, public_id = ids.new_uuid(NOON), ids.new_public_id("device")
    async with firm.house.database.transaction() as db:
        number = await db.fetch_value(
            """insert into devices (uuid, public_id, company, name, kind, identifier, adopts, meta,
                                    created_at, updated_at)
               values (:uuid, :public_id, :company, 'A device', :kind, :identifier, :adopts, '{}',
                       :now, :now) returning number""",
            uuid=uuid,
            public_id=public_id,
            company=firm.uuid,
            kind=kind,
            identifier=identifier,
            adopts=adopts,
            now=NOON,
        )
    return Gear(firm, uuid, public_id, number)


def position(key: int, at: datetime = NOON, name: str | None = None, **more: Any) -> Reading:
    """A position; `key` tells it from others of the same moment."""
    usual = {"class_": RetentionClass.POSITION, "kind": 1, "latitude": 52.5, "longitude": 13.4}
    rest: dict[str, Any] = {"type": None, **usual, **more}
    return Reading(device=name, occurred_at=at, event_key=key, **rest)


async def flush(house: House, *puts: Submission) -> list[IngestOutcome]:
    """Store puts in one transaction."""
    async with house.database.transaction() as db:
        return await store.flush(db, puts, InstallationLimits.from_settings(house.settings))
