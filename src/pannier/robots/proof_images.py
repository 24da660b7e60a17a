"""Images for simulated proofs, which are inspected once and stored for each proof."""

from typing import Final
from uuid import UUID

from pannier.db import Database
from pannier.files.storage import Storage
from pannier.orders.captures import service as captures
from pannier.orders.captures.forms import ParsedCapture
from pannier.orders.captures.schemas import PhotoIn, SignatureIn
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Evidence

VARIANTS: Final = 5


class ProofImages:
    """Signatures and photos of one company."""

    def __init__(self, database: Database, storage: Storage, variants: int = VARIANTS) -> None:
        self._database, self._storage, self._variants = database, storage, variants
        self._evidence: list[Evidence] = []

    async def store(self, company: UUID) -> list[Evidence]:
        """Store images for proofs. The sweep deletes unused ones."""
        if not self._evidence:
            self._evidence = await self._inspect_images(company)
        return await proofs.store_pictures(self._database, self._storage, self._evidence)

    async def _inspect_images(self, company: UUID) -> list[Evidence]:
        """Inspect the images with the same checks as a driver's images."""
        # Imported here, because most workers never draw and need no imaging library.
        from pannier.robots import pictures  # noqa: PLC0415 - see above

        photos = [pictures.draw_photo(number) for number in range(self._variants)]
        evidence = await captures.read_photos(company, ParsedCapture(PhotoIn(), photos))
        for number in range(self._variants):
            signatures = [pictures.draw_signature(number)]
            evidence += await captures.read_signature(
                company, ParsedCapture(SignatureIn(), signatures)
            )
        return evidence
