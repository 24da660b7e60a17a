"""The source of connections for units of work: a pool and a synchronised clock."""

from pannier.db.actor import Actor
from pannier.db.clock import DatabaseClock, to_database_clock
from pannier.db.connection_pool import Connection, ConnectionPool
from pannier.db.versions import ProgramOutdated
from pannier.kit.clock import Clock


class ConnectionSource:
    """Lends connections whose time matches the clock."""

    def __init__(self, connections: ConnectionPool, clock: Clock, actor: Actor) -> None:
        self.connections = connections
        self.clock = clock
        # The default actor.
        self.actor = actor
        # Whether a newer release has migrated the database, and this program is too old for it.
        self.is_outdated = False

    @property
    def clock(self) -> DatabaseClock:
        return self._clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self._clock = to_database_clock(clock)

    async def acquire(self) -> Connection:
        """Lend a connection whose time matches the clock."""
        if self.is_outdated:
            raise ProgramOutdated
        connection = await self.connections.acquire()
        try:
            await self.clock.sync(connection)
        except BaseException:
            connection.terminate()
            self.release(connection)
            raise
        return connection

    def release(self, connection: Connection) -> None:
        self.connections.release(connection)

    async def measure_clock(self) -> None:
        """Compare the machine's clock with the database's now."""
        connection = await self.connections.acquire()
        try:
            await self.clock.measure(connection)
        finally:
            self.release(connection)
