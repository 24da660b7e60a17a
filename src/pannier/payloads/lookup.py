"""Resolution of places, contacts and vendors in a request, and creation of new ones."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from pannier.customers.recognition import PersonFields, find_or_create_contact, lock_new_people
from pannier.db import Db, Table
from pannier.errors import FieldError, Invalid, NotFound, join_path, prefix_fields
from pannier.kit import ids
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactIn
from pannier.payloads import queries
from pannier.payloads.fields import REQUIRED
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.queries import PayloadRecords
from pannier.payloads.schemas import StopContact
from pannier.places import service as places
from pannier.places.models import Owner, PlaceRow
from pannier.places.parsing import ParsedPlace
from pannier.places.queries import places as _places
from pannier.places.references import check_sent_fields

Row = TypeVar("Row", PlaceRow, Contact, Vendor)
NamedRow = TypeVar("NamedRow", PlaceRow, Contact, Vendor, Waypoint, Entity)


# The owner of places that are created for a payload before its order exists.
PENDING_ORDER: Final = Owner("order")


class ReferenceFinder:
    """Finds places, contacts and vendors once per request, and adds them to the records.

    The records of an existing payload are known from the start, even deleted ones, because a
    payload that is sent back unchanged must be accepted.
    """

    def __init__(
        self, db: Db, company: UUID, related: PayloadRecords, place_owner: Owner = PENDING_ORDER
    ) -> None:
        self._db, self._company, self._related = db, company, related
        self._place_owner = place_owner
        self._places: dict[str, PlaceRow] = index_by_identifier(related.places.values())
        self._contacts: dict[str, Contact] = index_by_identifier(related.contacts.values())
        self._vendors: dict[str, Vendor] = index_by_identifier(related.vendors.values())
        self._new_places: list[PlaceRow] = []

    async def prefetch(self, parsed_places: Iterable[ParsedPlace], contacts: Sequence[object],
                      vendors: Iterable[object]) -> None:  # fmt: skip
        """Look up all references in advance, and lock new contacts.

        Each table is read with one statement.
        """
        await self._prefetch_rows(
            _places, self._places, (place.identifier for place in parsed_places)
        )
        contact_ids = [
            person.id if isinstance(person, StopContact) else person for person in contacts
        ]
        await self._prefetch_rows(partners.contacts, self._contacts, contact_ids)
        await self._prefetch_rows(partners.vendors, self._vendors, vendors)
        await lock_new_people(self._db, self._company, list_described_people(contacts))

    async def _prefetch_rows(
        self, table: Table[Any], rows_by_identifier: dict[str, Any], identifiers: Iterable[object]
    ) -> None:
        keys = {
            normalise_identifier(identifier)
            for identifier in identifiers
            if isinstance(identifier, str)
        } - rows_by_identifier.keys()
        if keys:
            rows_by_identifier |= index_by_identifier(
                await queries.list_by_identifiers(self._db, self._company, table, keys)
            )

    async def find_or_build_place(self, parsed_place: ParsedPlace, base_path: str) -> PlaceRow:
        """Find a place, or build one that `save` inserts. `base_path` is its parent's path."""
        value, path = parsed_place.value, join_path(base_path, parsed_place.path)
        if self._place_owner.type == "customer":
            _check_place_fields(parsed_place, path)
        if isinstance(value, str):
            place = await self._find_row(_places, self._places, self._related.places, value, path)
        else:
            owner = self._place_owner
            place = await places.build_place(self._db, self._company, value, path=path, owner=owner)
            self._new_places.append(place)
            self._related.places[place.uuid] = place
        await check_sent_fields(self._db, self._company, parsed_place, place, base_path)
        return place

    def get_known_place(self, uuid: UUID) -> PlaceRow:
        """Return a place that the payload already has."""
        return self._related.places[uuid]

    async def find_place_uuid(self, identifier: str, path: str) -> UUID:
        """Find a place by its identifier only."""
        place = await self._find_row(_places, self._places, self._related.places, identifier, path)
        return place.uuid

    async def find_or_create_contact(self, contact: str | StopContact, path: str) -> UUID:
        """Find a contact by its identifier, or find or create one by its fields."""
        identifier = contact if isinstance(contact, str) else contact.id
        if identifier is None:
            new_contact = await self._match_or_create_contact(contact, path)
            self._related.contacts[new_contact.uuid] = new_contact
            return new_contact.uuid
        table, contacts = partners.contacts, self._related.contacts
        return (await self._find_row(table, self._contacts, contacts, identifier, path)).uuid

    async def find_vendor(self, identifier: str, path: str) -> UUID:
        table, vendors = partners.vendors, self._related.vendors
        return (await self._find_row(table, self._vendors, vendors, identifier, path)).uuid

    async def _find_row(
        self,
        table: Table[Row],
        rows_by_identifier: dict[str, Row],
        found_by_uuid: dict[UUID, Row],
        identifier: str,
        path: str,
    ) -> Row:
        """Return the row with this identifier, and remember it; report `path` if there is none."""
        key = normalise_identifier(identifier)
        if key not in rows_by_identifier:
            rows_by_identifier |= index_by_identifier(
                await queries.list_by_identifiers(self._db, self._company, table, [key])
            )
        if key not in rows_by_identifier:
            noun = table.name.removesuffix("s")
            raise NotFound(fields=[FieldError(path, f"There is no such {noun}.")])
        row = rows_by_identifier[key]
        found_by_uuid[row.uuid] = row
        return row

    async def _match_or_create_contact(self, contact: str | StopContact, path: str) -> Contact:
        if isinstance(contact, str) or contact.name is None:
            raise Invalid(fields=[FieldError(join_path(path, "name"), REQUIRED)])
        contact_in = ContactIn(name=contact.name, phone=contact.phone, email=contact.email)
        with prefix_fields(path):
            return await find_or_create_contact(self._db, self._company, contact_in)

    async def save(self) -> None:
        """Insert the new places, all in one statement."""
        await places.insert_places(self._db, self._new_places)
        self._new_places = []


def _check_place_fields(parsed_place: ParsedPlace, path: str) -> None:
    """Reject identifiers and owners of places: a customer's order gets its own new places."""
    if parsed_place.identifier is not None:
        raise Invalid(
            fields=[
                FieldError(
                    path, "Send coordinates such as 1.3521,103.8198, or an address with them."
                )
            ]
        )
    errors = [
        FieldError(join_path(path, name), "Leave this out: the place belongs to the customer.")
        for name in parsed_place.owner_fields
    ]
    if errors:
        raise Invalid(fields=errors)


def get_place_owner(related: PayloadRecords, payload: Payload) -> Owner:
    """Return the owner of a payload's new places, which is its order."""
    order = None if payload.order_uuid is None else related.orders.get(payload.order_uuid)
    return PENDING_ORDER if order is None else Owner("order", order.public_id)


def list_described_people(contacts: Iterable[object]) -> list[PersonFields]:
    """List the contacts of stops that are sent by their fields, not by id."""
    return [
        PersonFields(contact.name, contact.phone, contact.email)
        for contact in contacts
        if isinstance(contact, StopContact) and contact.id is None
    ]


def index_by_identifier(rows: Iterable[NamedRow]) -> dict[str, NamedRow]:
    """Index rows by their public ids and UUIDs."""
    return {key: row for row in rows for key in (row.public_id, str(row.uuid))}


def normalise_identifier(identifier: str) -> str:
    """Return a UUID in its canonical form, and any other identifier unchanged."""
    return str(ids.parse_uuid(identifier) or identifier)
