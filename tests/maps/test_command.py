"""`pannier map` on the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli import shell
from maps import extracts
from pannier.maps.folder import CityFolder, MapFolder

pytestmark = pytest.mark.slow

SPOTS = [(9.50, 47.10), (9.51, 47.10), (9.52, 47.10)]


@pytest.fixture
def extract(tmp_path: Path, helsinki_pbf: Path) -> Path:
    """An extract with one street."""
    assert helsinki_pbf.exists()
    street = [1, 2, 3], {"highway": "residential", "name": "Long Street"}
    return extracts.write(tmp_path / "Väike Küla-latest.osm.pbf", SPOTS, [street])


def test_a_city_is_built_listed_used_and_removed(tmp_path: Path, extract: Path) -> None:
    data = tmp_path / "our data"
    built = shell.run(data, "map", "build", str(extract))
    assert built.returncode == 0, built.stderr
    assert "vaike-kula: 1 roads and rails" in built.stdout
    assert "map use" not in built.stdout

    other = shell.run(data, "map", "build", str(extract), "--name", "other")
    assert "Use it with `pannier map use other`." in other.stdout
    cities = shell.answer(data, "map", "list", "--json")
    assert [(city["name"], city["in_use"], city["state"]) for city in cities] == [
        ("other", False, "ready"), ("vaike-kula", True, "ready"),
    ]  # fmt: skip
    assert "in use" in shell.run(data, "map", "list").stdout

    assert shell.run(data, "map", "use", "other").stdout == "In use: other.\n"
    removed = shell.run(data, "map", "remove", "other")
    assert removed.stdout == "Removed: other. No city is in use now.\n"
    assert shell.run(data, "map", "remove", "vaike-kula").stdout == "Removed: vaike-kula.\n"
    assert shell.answer(data, "map", "list", "--json") == []
    assert "Build one with `pannier map build`" in shell.run(data, "map", "list").stderr


def test_no_city_can_be_chosen_as_well(tmp_path: Path, helsinki: CityFolder) -> None:
    maps = MapFolder(tmp_path)
    maps.cities.mkdir(parents=True)
    maps.get_city("helsinki").path.symlink_to(helsinki.path)
    assert shell.run(tmp_path, "map", "use", "helsinki").returncode == 0
    assert shell.run(tmp_path, "map", "use", "--none").stdout == "No city is in use.\n"
    assert maps.find_current_city() is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["use", "atlantis"], "There is no city atlantis. Build one with `pannier map build`."),
        (["remove", "atlantis"], "There is no city atlantis."),
        (["use"], "Give the name of a city, or --none."),
        (["use", "../secrets"], "is not a valid city name"),
        (["remove", "Big City"], "is not a valid city name"),
        (["build", "/nowhere/東京.osm.pbf"], "Name the city with --name"),
        (["build", "/nowhere/town.osm.pbf"], "cannot be read: No such file or directory."),
    ],
)
def test_a_mistake_is_explained_in_a_sentence(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = shell.run(tmp_path, "map", *words)
    assert done.returncode != 0
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_killed_build_leaves_no_program_and_no_city_and_continues(
    tmp_path: Path, extract: Path
) -> None:
    # The command ends itself in the middle of a program that it runs.
    kill = (
        "import os, signal, sys; from pannier import cli; from pannier.maps import graphs\n"
        "marks = dict(graphs.EXTRACT_MARKS)\n"
        "class Marks(dict):\n"
        "    def items(self): os.kill(os.getpid(), signal.SIGKILL)\n"
        "graphs.EXTRACT_MARKS = Marks()\n"
        "sys.exit(cli.run(sys.argv[1:]))\n"
    )
    words = ["map", "build", str(extract), "--data", str(tmp_path)]
    killed = subprocess.run([sys.executable, "-c", kill, *words], check=False, capture_output=True)
    assert killed.returncode == -9
    assert MapFolder(tmp_path).list_cities() == []
    done = shell.run(tmp_path, *words[:3])
    assert done.returncode == 0, done.stderr
    assert "Continuing an interrupted build." in done.stdout
    assert "Street tiles" not in done.stdout
    assert MapFolder(tmp_path).find_current_city() is not None
