"""`pannier map`: streets, roads and addresses of a city from one OpenStreetMap extract."""

import re
import unicodedata
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import click
import msgspec

from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.errors import SetupError
from pannier.maps import builder, cities, installer
from pannier.maps.folder import NAME_PATTERN, CityFolder, MapFolder
from pannier.settings import load
from pannier.settings.folder import make_private_folder, reject_unusable_folder

# Endings of extract names, which say nothing about the city.
EXTRACT_ENDINGS: Final = re.compile(r"(-latest)?(\.osm)?\.pbf$", re.IGNORECASE)
MAX_NAME_LENGTH: Final = 63
BAR_STEPS: Final = 1000
MEGABYTE: Final = 10**6
GIGABYTE: Final = 10**9


@click.group(cls=Group)
def map() -> None:  # noqa: A001 - the name of the command
    """Build and choose street maps with road routing and address search."""


@map.command("setup")
@access.data_option
def install_programs(data: str | None) -> None:
    """Install the programs that `map build` and road routing need."""
    folder = _prepare_folder(data)
    if installer.install_programs(folder, click.echo):
        click.echo("The map programs are installed.")
    else:
        click.echo("The map programs are up to date.")


@map.command("build")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Name of the city; by default that of the file.")
@access.data_option
def build_city(file: Path, name: str | None, data: str | None) -> None:
    """Build a city from an OpenStreetMap extract (.osm.pbf).

    Run it again when it was interrupted: finished steps are kept.
    """
    city_name = _check_name(name) if name else make_name(file)
    folder = _prepare_folder(data)
    with BuildBars() as progress:
        city = builder.build_city(folder, file, city_name, progress)
    current_city = MapFolder(folder).find_current_city()
    click.echo(_describe_city(city))
    if current_city is None or current_city.name != city.name:
        click.echo(f"Use it with `pannier map use {city.name}`.")


@map.command("list")
@access.data_option
@access.json_option
def list_cities(data: str | None, as_json: bool) -> None:
    """List the cities."""
    summaries = cities.list_summaries(load(data=data).folder)
    if as_json:
        click.echo(msgspec.json.encode(summaries))
        return
    rows = [
        (
            summary.name,
            _describe_state(summary),
            _format_bytes(summary.bytes),
            ", ".join(summary.profiles),
            summary.built_at,
            summary.source_name,
        )
        for summary in summaries
    ]
    header = ("NAME", "STATE", "SIZE", "PROFILES", "BUILT AT", "EXTRACT")
    tables.print_table(header, rows, empty_text="No city yet. Build one with `pannier map build`.")


@map.command("use")
@click.argument("name", required=False)
@click.option("--none", "use_none", is_flag=True, help="Use the world map instead of a city.")
@access.data_option
def use_city(name: str | None, use_none: bool, data: str | None) -> None:
    """Use a city, or none."""
    if use_none == (name is not None):
        raise click.UsageError("Give the name of a city, or --none.")
    folder = load(data=data).folder
    cities.use_city(folder, None if name is None else _check_name(name))
    click.echo(f"In use: {name}." if name else "No city is in use.")


@map.command("remove")
@click.argument("name")
@access.data_option
def remove_city(name: str, data: str | None) -> None:
    """Remove a city and its files."""
    was_used = cities.remove_city(load(data=data).folder, _check_name(name))
    click.echo(f"Removed: {name}.{' No city is in use now.' if was_used else ''}")


def make_name(file: Path) -> str:
    """Make the name of a city from the name of its extract."""
    stem = EXTRACT_ENDINGS.sub("", file.name)
    letters = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:MAX_NAME_LENGTH]
    if not name:
        raise click.UsageError(f"Name the city with --name: {file.name} has no ASCII letters.")
    return name


def _check_name(name: str) -> str:
    if not NAME_PATTERN.fullmatch(name):
        raise click.UsageError(
            f"{name} is not a valid city name. Use lower-case letters, digits and hyphens, at most "
            f"{MAX_NAME_LENGTH}."
        )
    return name


def _prepare_folder(data: str | None) -> Path:
    """Create the data directory if necessary, and return it."""
    folder = load(data=data).folder
    with reject_unusable_folder(folder):
        make_private_folder(folder)
    return folder


def _describe_state(summary: cities.CitySummary) -> str:
    state = "build again" if summary.state == "outdated" else summary.state
    return f"in use, {state}" if summary.in_use else state


def _describe_city(city: CityFolder) -> str:
    manifest = city.read_manifest()
    if manifest is None:
        raise SetupError(f"{city.name} was removed meanwhile.")
    counts = manifest.counts
    return (
        f"{city.name}: {counts.get('transportation', 0)} roads and rails, "
        f"{counts.get('building', 0)} buildings, {counts.get('housenumber', 0)} house numbers, "
        f"routes for {', '.join(manifest.profiles) or 'no profile'}, "
        f"{_format_bytes(cities.measure_size(city.path))}."
    )


def _format_bytes(count: int) -> str:
    return f"{count / GIGABYTE:.1f} GB" if count >= GIGABYTE else f"{count / MEGABYTE:.1f} MB"


class BuildBars:
    """Progress bars of a build, one for each step."""

    def __enter__(self) -> Self:
        self._bar = ExitStack()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.__exit__(kind, error, trace)

    def begin(self, title: str) -> Callable[[float], None]:
        """End the previous bar and begin one."""
        self._bar.close()
        bar = self._bar.enter_context(
            click.progressbar(length=BAR_STEPS, label=title.ljust(24), show_eta=False)
        )

        def advance(share: float) -> None:
            bar.update(max(0, int(min(share, 1) * BAR_STEPS) - bar.pos))

        self._bar.callback(lambda: advance(1))
        return advance

    def say(self, sentence: str) -> None:
        """Show a sentence below the bars."""
        self._bar.close()
        click.echo(sentence)
