"""The end of a connection that nobody has noticed yet."""

import asyncio
import threading

import asyncpg


def end_unheard(url: str, pid: int) -> None:
    """End a connection's backend while nobody listens: its last word waits to be read."""

    async def end() -> None:
        killer = await asyncpg.connect(url)
        await killer.fetchval("select pg_terminate_backend($1, 60000)", pid)
        await killer.close()

    ending = threading.Thread(target=asyncio.run, args=[end()])
    ending.start()
    ending.join()
