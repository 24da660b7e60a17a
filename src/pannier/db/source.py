"""Where units of work take their connections from: a pool, and the clock that follows its time."""

from pannier.db.actor import Actor
from pannier.db.clock import DatabaseClock, following
from pannier.db.connections import Connection, Connections
from pannier.kit.clock import Clock


class ConnectionSource:
    """Hands out connections whose time is the one that the clock knows."""

    def __init__(self, connections: Connections, clock: Clock, actor: Actor) -> None:
        self.connections = connections
        self.clock = clock
        # Who works here when nobody else is named.
        self.actor = actor

    @property
    def clock(self) -> DatabaseClock:
        """The clock that everything here goes by."""
        return self._clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        """Go by another clock."""
        self._clock = following(clock)

    async def take(self) -> Connection:
        """Take a connection whose time is the one that the clock knows."""
        connection = await self.connections.take()
        try:
            await self.clock.follow(connection)
        except BaseException:
            connection.terminate()
            self.give(connection)
            raise
        return connection

    def give(self, connection: Connection) -> None:
        """Give a connection back."""
        self.connections.give(connection)

    async def measure_clock(self) -> None:
        """Compare the machine's clock with the database's now."""
        connection = await self.connections.take()
        try:
            await self.clock.measure(connection)
        finally:
            self.give(connection)
