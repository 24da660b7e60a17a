"""A company that imports spreadsheets, and a worker that does it."""

import io
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook

from pannier.files.storage import make_storage
from pannier.imports.runner import ImportRunner
from stage import Firm, House

PLACES = "Name;Straße;PLZ;Ort;Breitengrad;Längengrad\nDepot;Hauptstr. 1;10115;Berlin;52,52;13,4\n"


@dataclass
class Clerk:
    """Uploads files, and imports them."""

    firm: Firm

    @property
    def house(self) -> House:
        return self.firm.house

    async def get(self, path: str) -> Any:
        answer = await self.firm.api.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def upload(self, data: str | bytes, name: str = "file.csv") -> str:
        content = data.encode() if isinstance(data, str) else data
        answer = await self.firm.api.post("/v1/files", files={"file": (name, content)})
        assert answer.status_code == 201, answer.text
        identifier: str = answer.json()["id"]
        return identifier

    async def create(
        self, resource: str, data: str | bytes, name: str = "file.csv", **more: Any
    ) -> dict[str, Any]:
        """Create an import of a new file."""
        file = await self.upload(data, name)
        answer = await self.firm.api.post(
            "/v1/imports", json={"resource": resource, "file": file, **more}
        )
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def request(self, row: dict[str, Any], task: str) -> dict[str, Any]:
        answer = await self.firm.api.post(f"/v1/imports/{row['id']}/{task}", json={})
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def run(self, row: dict[str, Any], task: str) -> dict[str, Any]:
        """Request a task, and have a worker do it."""
        await self.request(row, task)
        assert await runner(self.house).step()
        done: dict[str, Any] = await self.get(f"imports/{row['id']}")
        return done

    async def imported(self, resource: str, data: str | bytes, **more: Any) -> dict[str, Any]:
        """Import a file."""
        return await self.run(await self.create(resource, data, **more), "start")

    async def errors(self, row: dict[str, Any]) -> dict[int, list[str]]:
        """The errors of the faulty rows, by number."""
        rows = await self.get(f"imports/{row['id']}/rows?state=failed")
        return {
            each["number"]: [f"{error['column']}: {error['message']}" for error in each["errors"]]
            for each in rows
        }


def runner(house: House) -> ImportRunner:
    return ImportRunner(house.database, make_storage(house.settings))


def counts(row: dict[str, Any]) -> dict[str, int]:
    """The numbers of rows that are not zero."""
    return {state: count for state, count in row["counts"].items() if count}


def workbook(*rows: list[Any]) -> bytes:
    """Make an XLSX file."""
    book, data = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(data)
    return data.getvalue()
