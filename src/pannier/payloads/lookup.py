"""Resolving the places, contacts and vendors that a request names, or creating new ones."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from pannier.customers.recognition import PersonKey, expect, recognised_contact
from pannier.db import Db, Table
from pannier.errors import Field, Invalid, NotFound, below, naming
from pannier.kit import ids
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactIn
from pannier.payloads import queries
from pannier.payloads.fields import REQUIRED
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import Shown
from pannier.payloads.schemas import StopContact
from pannier.places import service as places
from pannier.places.models import Owner, Place
from pannier.places.parsing import ParsedPlace
from pannier.places.queries import places as _places
from pannier.places.references import check_claims

Row = TypeVar("Row", Place, Contact, Vendor)
Named = TypeVar("Named", Place, Contact, Vendor, Waypoint, Entity)


# The owner of places that are created for a payload before its order exists.
ORDERLESS: Final = Owner("order")


class Finder:
    """Finds places, contacts and vendors once per request, and adds them to the records.

    What a payload refers to is known from the start, even if it was deleted since. A payload that
    is sent back as it was read must be accepted.
    """

    def __init__(self, db: Db, company: UUID, shown: Shown, place_owner: Owner = ORDERLESS) -> None:
        self._db, self._company, self._shown = db, company, shown
        self._place_owner = place_owner
        self._places: dict[str, Place] = by_name(shown.places.values())
        self._contacts: dict[str, Contact] = by_name(shown.contacts.values())
        self._vendors: dict[str, Vendor] = by_name(shown.vendors.values())
        self._new_places: list[Place] = []

    async def prepare(self, given: Iterable[ParsedPlace], contacts: Sequence[object],
                      vendors: Iterable[object]) -> None:  # fmt: skip
        """Look up all references in advance, with one statement for each table."""
        await self._prepare(_places, self._places, (place.identifier for place in given))
        named = [person.id if isinstance(person, StopContact) else person for person in contacts]
        await self._prepare(partners.contacts, self._contacts, named)
        await self._prepare(partners.vendors, self._vendors, vendors)
        await expect(self._db, self._company, people_of(contacts))

    async def _prepare(
        self, table: Table[Any], known: dict[str, Any], wanted: Iterable[object]
    ) -> None:
        names = {plain(name) for name in wanted if isinstance(name, str)} - known.keys()
        if names:
            known |= by_name(await queries.named(self._db, self._company, table, names))

    async def place(self, given: ParsedPlace, part: str) -> Place:
        """Find a place, or build one that `save` inserts; `part` is its path."""
        wanted, path = given.wanted, below(part, given.path)
        if self._place_owner.type == "customer":
            _check_described(given, path)
        if isinstance(wanted, str):
            place = await self._find(_places, self._places, self._shown.places, wanted, path)
        else:
            owner = self._place_owner
            place = await places.new_place(self._db, self._company, wanted, path=path, owner=owner)
            self._new_places.append(place)
            self._shown.places[place.uuid] = place
        await check_claims(self._db, self._company, given, place, part)
        return place

    def known_place(self, uuid: UUID) -> Place:
        """Return a place that the payload already has."""
        return self._shown.places[uuid]

    async def existing_place(self, identifier: str, path: str) -> UUID:
        """Find a place by its identifier only."""
        found = await self._find(_places, self._places, self._shown.places, identifier, path)
        return found.uuid

    async def contact(self, given: str | StopContact, path: str) -> UUID:
        """Find a contact, or create one from the description."""
        identifier = given if isinstance(given, str) else given.id
        if identifier is None:
            new = await self._new_contact(given, path)
            self._shown.contacts[new.uuid] = new
            return new.uuid
        table, shown = partners.contacts, self._shown.contacts
        return (await self._find(table, self._contacts, shown, identifier, path)).uuid

    async def vendor(self, given: str, path: str) -> UUID:
        table, shown = partners.vendors, self._shown.vendors
        return (await self._find(table, self._vendors, shown, given, path)).uuid

    async def _find(
        self,
        table: Table[Row],
        known: dict[str, Row],
        shown: dict[UUID, Row],
        identifier: str,
        path: str,
    ) -> Row:
        name = plain(identifier)
        if name not in known:
            known |= by_name(await queries.named(self._db, self._company, table, [name]))
        if name not in known:
            kind = table.name.removesuffix("s")
            raise NotFound(fields=[Field(path, f"There is no such {kind}.")])
        shown[known[name].uuid] = known[name]
        return known[name]

    async def _new_contact(self, given: str | StopContact, path: str) -> Contact:
        if isinstance(given, str) or given.name is None:
            raise Invalid(fields=[Field(below(path, "name"), REQUIRED)])
        new = ContactIn(name=given.name, phone=given.phone, email=given.email)
        with naming(path):
            return await recognised_contact(self._db, self._company, new)

    async def save(self) -> None:
        """Insert the new places, all in one statement."""
        await places.save_new(self._db, self._new_places)
        self._new_places = []


def _check_described(given: ParsedPlace, path: str) -> None:
    """Reject identifiers and owners of places: a customer's order gets its own new places."""
    if given.identifier is not None:
        raise Invalid(
            fields=[
                Field(path, "Send coordinates such as 1.3521,103.8198, or an address with them.")
            ]
        )
    wrong = [
        Field(below(path, name), "Leave this out: the place belongs to the customer.")
        for name in given.owner_fields
    ]
    if wrong:
        raise Invalid(fields=wrong)


def order_owner(shown: Shown, payload: Payload) -> Owner:
    """Return the owner of places that are created for a payload: its order."""
    order = None if payload.order_uuid is None else shown.orders.get(payload.order_uuid)
    return ORDERLESS if order is None else Owner("order", order.public_id)


def people_of(contacts: Iterable[object]) -> list[PersonKey]:
    """List the people at stops who are described rather than named by id."""
    return [
        PersonKey(one.name, one.phone, one.email)
        for one in contacts
        if isinstance(one, StopContact) and one.id is None
    ]


def by_name(rows: Iterable[Named]) -> dict[str, Named]:
    """Index rows by their public ids and UUIDs."""
    return {name: row for row in rows for name in (row.public_id, str(row.uuid))}


def plain(identifier: str) -> str:
    """Return a UUID in its canonical form, and any other identifier unchanged."""
    return str(ids.as_uuid(identifier) or identifier)
