"""Find the programs for building cities and for routing, and the extract of the demo.

`pannier map setup` installs them into the data directory. A development environment has them in
`.venv`, where `scripts/setup dev` puts them, so that tests fetch nothing.
"""

import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final, Literal

from pannier.errors import SetupError
from pannier.maps.folder import MapFolder

Program = Literal["osrm-extract", "osrm-partition", "osrm-customize", "osrm-routed", "tippecanoe"]
# Parts of the programs folder: programs for any Python, and packages for the running one.
PROGRAMS_PART: Final = "programs"
PYTHON_PART: Final = "python"
# The environment that runs Pannier, such as `.venv`.
ENVIRONMENT: Final = Path(sys.prefix)
STAMP: Final = ".installed"
MISSING: Final = "The map programs are not installed. Run `pannier map setup`."


def find_program(name: Program, data: Path | None = None) -> Path:
    """Find the path of a program. Raise SetupError if it is not installed."""
    package = "tippecanoe" if name == "tippecanoe" else "osrm"
    program = find_programs_folder(data) / PROGRAMS_PART / package / "bin" / name
    if not program.is_file():
        raise SetupError(MISSING)
    return program


def find_profiles(data: Path | None = None) -> Path:
    """Find the folder with the routing engine's profiles."""
    return find_program("osrm-extract", data).parents[1] / "share" / "profiles"


def import_osmium(data: Path | None = None) -> ModuleType:
    """Import the package that reads OpenStreetMap files."""
    folder = find_programs_folder(data) / PYTHON_PART
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        return import_module("osmium")
    except ImportError:
        raise SetupError(
            "The map programs were installed for another Python. Run `pannier map setup` again."
        ) from None


def find_demo_extract(data: Path | None = None) -> Path | None:
    """Find the OpenStreetMap extract of central Helsinki, or return None if it is not installed."""
    for folder in list_programs_folders(data):
        extract = folder.with_name("maps-demo") / "Helsinki.osm.pbf"
        if is_installed(extract.parent):
            return extract
    return None


def find_programs_folder(data: Path | None = None) -> Path:
    """Find a folder with complete programs, or raise SetupError."""
    for folder in list_programs_folders(data):
        if is_installed(folder):
            return folder
    raise SetupError(MISSING)


def read_digest(data: Path | None = None) -> str:
    """Read the digest of the packages of the installed programs."""
    return (find_programs_folder(data) / STAMP).read_text().split()[0]


def list_programs_folders(data: Path | None) -> list[Path]:
    """List the folders in which programs can be installed, in order of precedence."""
    data_folders = [] if data is None else [MapFolder(data).programs]
    return [*data_folders, ENVIRONMENT / "maps-programs"]


def is_installed(folder: Path) -> bool:
    """Return whether an installation is complete. Its stamp is written last."""
    return (folder / STAMP).is_file()


def describe_platform() -> str:
    """Describe the Python and the platform for which packages are installed."""
    return f"{sys.implementation.cache_tag} {sysconfig.get_platform()}"
