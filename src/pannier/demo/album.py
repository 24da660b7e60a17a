"""Images for the demo's proofs, which are inspected once and stored for each proof."""

from typing import Final
from uuid import UUID

from pannier.db import Database
from pannier.demo import pictures
from pannier.files.storage import Storage
from pannier.orders.captures import service as captures
from pannier.orders.captures.forms import Sent
from pannier.orders.captures.schemas import PhotoIn, SignatureIn
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Evidence

KINDS: Final = 5


class Album:
    """Signatures and photos of one company."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database, self._storage = database, storage
        self._looked_at: list[Evidence] = []

    async def stored(self, company: UUID) -> list[Evidence]:
        """Store images that proofs can use; the sweep deletes unused ones."""
        if not self._looked_at:
            self._looked_at = await self._look(company)
        return await proofs.stored(self._database, self._storage, self._looked_at)

    async def _look(self, company: UUID) -> list[Evidence]:
        """Inspect the images as those of any driver are."""
        photos = [pictures.photo(number) for number in range(KINDS)]
        found = await captures.photos(company, Sent(PhotoIn(), photos))
        for number in range(KINDS):
            drawn = [pictures.signature(number)]
            found += await captures.signatures(company, Sent(SignatureIn(), drawn))
        return found
