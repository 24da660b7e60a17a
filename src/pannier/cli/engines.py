"""The routing engine's processes under `pannier serve`."""

import signal
from functools import partial
from typing import Final

import click

from pannier.errors import SetupError
from pannier.maps.folder import PROFILES, MapFolder
from pannier.maps.programs import find_program
from pannier.routing.embedded import Engine
from pannier.settings import Settings
from pannier.supervisor import Child

NO_CITY: Final = (
    "PANNIER_ROUTER is `embedded`, but no city is in use. Distances are great circles until "
    "`pannier map build` and `pannier map use` have run."
)


class RoutingEngines:
    """One process for each profile of the city in use; none with another router."""

    def __init__(self, settings: Settings) -> None:
        self._data = settings.folder
        is_ours = settings.router in {"auto", "embedded"}
        self._engines = [Engine(settings.folder, name) for name in PROFILES] if is_ours else []
        self._is_reported = False
        if settings.router == "embedded" and MapFolder(settings.folder).find_current_city() is None:
            click.echo(NO_CITY)

    def build_environment(self) -> dict[str, str]:
        """Build the variables that tell other processes where the engines listen."""
        if not self._engines:
            return {}
        urls = (f"{engine.profile}={engine.url}" for engine in self._engines)
        return {"PANNIER_ROUTER_URL": " ".join(urls)}

    def make_children(self) -> list[Child]:
        """Make the child processes. Each runs while the city in use has its profile."""
        return [
            Child(
                f"routing {engine.profile}",
                engine.build_command,
                {},  # the engine needs none of our secrets
                should_run=partial(self._should_run, engine),
                find_version=engine.find_version,
                parent_death_signal=signal.SIGKILL,
            )
            for engine in self._engines
        ]

    def close(self) -> None:
        """Release the ports."""
        for engine in self._engines:
            engine.close()

    def _should_run(self, engine: Engine) -> bool:
        return engine.find_version() is not None and self._has_program()

    def _has_program(self) -> bool:
        try:
            find_program("osrm-routed", self._data)
        except SetupError as error:
            if not self._is_reported:
                click.echo(f"{error} Distances are great circles until then.")
                self._is_reported = True
            return False
        return True
