"""Open the embedded server of a data directory, say so, and stop when the input ends."""

import sys
from pathlib import Path

from pannier.db.embedded import EmbeddedError, Server

try:
    server = Server.open(Path(sys.argv[1]), fsync=False)
except EmbeddedError as error:
    sys.exit(str(error))
sys.stdout.write("started\n" if server.started else "attached\n")
sys.stdout.flush()
sys.stdin.read()
server.stop()
