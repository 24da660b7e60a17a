"""Real brokers for tests, each on ports of its own: nats-server, which also speaks MQTT 3.1.1."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from program import PATIENCE, free_port

SERVER = Path(sys.executable).with_name("nats-server")
CONFIGURATION = """
server_name: test
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", max_mem: 64MB, max_file: 256MB, sync_interval: 10s }}
mqtt {{ listen: 127.0.0.1:{mqtt_port}, ack_wait: "1s", max_ack_pending: 200 }}
authorization {{ user: pannier, password: secret }}
"""


class Nats:
    """A nats-server with JetStream, that can be killed and comes back with what it kept."""

    def __init__(self, folder: Path) -> None:
        self.port, self.mqtt_port = free_port(), free_port()
        self.url = f"nats://pannier:secret@127.0.0.1:{self.port}"
        self.mqtt_url = f"mqtt://pannier:secret@127.0.0.1:{self.mqtt_port}"
        self._file = folder / "nats.conf"
        self._file.write_text(
            CONFIGURATION.format(
                port=self.port, mqtt_port=self.mqtt_port, folder=folder / "jetstream"
            )
        )
        self._log = folder / "nats.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Nats":
        """Start, or start again, and wait until both doors are open."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([SERVER, "-c", self._file], stdout=log, stderr=log)
        for port in (self.port, self.mqtt_port):
            self._await(port)
        return self

    def _await(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                assert self._process is not None
                assert self._process.poll() is None, self._log.read_text()
                assert time.monotonic() < deadline, self._log.read_text()
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Let it end in peace."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None


@contextmanager
def nats(folder: Path) -> Iterator[Nats]:
    """Run a server for as long as it is needed."""
    server = Nats(folder).start()
    try:
        yield server
    finally:
        server.kill()
