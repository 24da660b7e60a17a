"""Images for simulated proofs, which are inspected once and stored for each proof."""

import asyncio
from collections.abc import Collection
from typing import Final
from uuid import UUID

from pannier.db import Database
from pannier.files.storage import Storage
from pannier.orders.captures import service as captures
from pannier.orders.captures.forms import ParsedCapture
from pannier.orders.captures.schemas import PhotoIn, SignatureIn
from pannier.proofs import service as proofs
from pannier.proofs.evidence import Evidence
from pannier.proofs.models import Method

VARIANTS: Final = 5
METHODS: Final[tuple[Method, ...]] = ("photo", "signature")


class ProofImages:
    """Signatures and photos of robots."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database, self._storage = database, storage
        self._evidence: dict[tuple[Method, int], Evidence] = {}

    async def store(
        self, company: UUID, number: int, methods: Collection[Method] = METHODS
    ) -> list[Evidence]:
        """Store an image for each method. The number chooses the variant."""
        return await self._store(company, [number % VARIANTS], methods)

    async def store_all(self, company: UUID) -> list[Evidence]:
        """Store all variants, for many orders. The sweep deletes unused ones."""
        return await self._store(company, range(VARIANTS), METHODS)

    async def _store(
        self, company: UUID, variants: Collection[int], methods: Collection[Method]
    ) -> list[Evidence]:
        evidence = [
            await self._get_or_inspect(company, method, variant)
            for method in methods
            for variant in variants
        ]
        return await proofs.store_pictures(self._database, self._storage, evidence)

    async def _get_or_inspect(self, company: UUID, method: Method, variant: int) -> Evidence:
        key = (method, variant)
        if key not in self._evidence:
            self._evidence[key] = await _inspect_image(company, method, variant)
        return self._evidence[key]


async def _inspect_image(company: UUID, method: Method, variant: int) -> Evidence:
    """Draw an image, and inspect it with the same checks as a driver's images."""
    data = await asyncio.to_thread(_draw_image, method, variant)
    if method == "photo":
        [evidence] = await captures.read_photos(company, ParsedCapture(PhotoIn(), [data]))
    else:
        [evidence] = await captures.read_signature(company, ParsedCapture(SignatureIn(), [data]))
    return evidence


def _draw_image(method: Method, variant: int) -> bytes:
    # Imported here, because most workers never draw and need no imaging library.
    from pannier.robots import pictures  # noqa: PLC0415 - see above

    return pictures.draw_photo(variant) if method == "photo" else pictures.draw_signature(variant)
