"""The source of connections for units of work: a pool and a synchronised clock."""

from pannier.db.actor import Actor
from pannier.db.clock import DatabaseClock, following
from pannier.db.connections import Connection, Connections
from pannier.kit.clock import Clock


class ConnectionSource:
    """Lends connections whose time matches the clock."""

    def __init__(self, connections: Connections, clock: Clock, actor: Actor) -> None:
        self.connections = connections
        self.clock = clock
        # The default actor.
        self.actor = actor

    @property
    def clock(self) -> DatabaseClock:
        return self._clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self._clock = following(clock)

    async def take(self) -> Connection:
        """Lend a connection whose time matches the clock."""
        connection = await self.connections.take()
        try:
            await self.clock.follow(connection)
        except BaseException:
            connection.terminate()
            self.give(connection)
            raise
        return connection

    def give(self, connection: Connection) -> None:
        self.connections.give(connection)

    async def measure_clock(self) -> None:
        """Compare the machine's clock with the database's now."""
        connection = await self.connections.take()
        try:
            await self.clock.measure(connection)
        finally:
            self.give(connection)
