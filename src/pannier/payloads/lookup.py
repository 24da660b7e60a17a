"""Finding what a request names, or making it of what was given."""

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar
from uuid import UUID

from pannier.db import Db, Table
from pannier.errors import Field, Invalid, NotFound
from pannier.kit import ids
from pannier.partners import queries as partners
from pannier.partners.schemas import ContactIn
from pannier.partners.service import create_contact
from pannier.payloads.fields import REQUIRED, below
from pannier.payloads.queries import Shown
from pannier.payloads.schemas import StopContact
from pannier.places import service as places
from pannier.places.models import Place
from pannier.places.queries import places as _places


class Named(Protocol):
    """Whatever goes by a UUID and a public id."""

    uuid: UUID
    public_id: str


Row = TypeVar("Row", bound=Named)


class Finder:
    """Finds places, contacts and vendors, each once a request.

    What a payload names already is known from the start, also when it was deleted since: sending
    back what was read must not fail.
    """

    def __init__(self, db: Db, company: UUID, known: Shown | None = None) -> None:
        self._db, self._company = db, company
        self._places: dict[str, Place] = by_name(known.places.values() if known else [])
        self._contacts: dict[str, Any] = by_name(known.contacts.values() if known else [])
        self._vendors: dict[str, Any] = by_name(known.vendors.values() if known else [])

    async def place(self, given: object, path: str) -> Place:
        """Find or make a place."""
        identifier = places.named(given)
        if identifier is None:
            return await places.resolve(self._db, self._company, given, path=path)
        name = plain(identifier)
        if name not in self._places:
            found = await places.resolve(self._db, self._company, given, path=path)
            self._places |= by_name([found])
        return self._places[name]

    async def existing_place(self, identifier: str, path: str) -> UUID:
        """Find a place by its identifier only."""
        return await self._find(_places, self._places, identifier, path)

    async def contact(self, given: str | StopContact, path: str) -> UUID:
        """Find a contact, or take one in."""
        identifier = given if isinstance(given, str) else given.id
        if identifier is None:
            return await self._new_contact(given, path)
        return await self._find(partners.contacts, self._contacts, identifier, path)

    async def vendor(self, given: str, path: str) -> UUID:
        """Find a vendor."""
        return await self._find(partners.vendors, self._vendors, given, path)

    async def _find(
        self, table: Table[Any], known: dict[str, Any], identifier: str, path: str
    ) -> UUID:
        name = plain(identifier)
        if name not in known:
            found = await table.find(self._db, self._company, name)
            if found is None:
                kind = table.name.removesuffix("s")
                raise NotFound(fields=[Field(path, f"There is no such {kind}.")])
            known |= by_name([found])
        uuid: UUID = known[name].uuid
        return uuid

    async def _new_contact(self, given: str | StopContact, path: str) -> UUID:
        if isinstance(given, str) or given.name is None:
            raise Invalid(fields=[Field(below(path, "name"), REQUIRED)])
        new = ContactIn(name=given.name, phone=given.phone, email=given.email)
        try:
            return (await create_contact(self._db, self._company, new)).uuid
        except Invalid as wrong:
            fields = [Field(below(path, one.path), one.message) for one in wrong.fields]
            raise Invalid(fields=fields) from None


def by_name(rows: Iterable[Row]) -> dict[str, Row]:
    """Look rows up by either of their identifiers."""
    return {name: row for row in rows for name in (row.public_id, str(row.uuid))}


def plain(identifier: str) -> str:
    """Spell a UUID in its one usual way."""
    return str(ids.as_uuid(identifier) or identifier)
