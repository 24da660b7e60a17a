"""Real brokers for tests, each on ports of its own.

nats-server comes along, and speaks MQTT 3.1.1 too. mosquitto, for MQTT 5, is used where it is
installed.
"""

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from program import PATIENCE, free_port

SERVER = Path(sys.executable).with_name("nats-server")
MOSQUITTO = shutil.which("mosquitto")
CONFIGURATION = """
server_name: test
listen: 127.0.0.1:{port}
jetstream {{ store_dir: "{folder}", max_mem: 64MB, max_file: 256MB, sync_interval: 10s }}
mqtt {{ listen: 127.0.0.1:{mqtt_port}, ack_wait: "1s", max_ack_pending: 200 }}
authorization {{ user: pannier, password: secret }}
"""


class Broker:
    """A server that can be killed, and comes back with what it kept."""

    def __init__(self, program: Path | str, folder: Path, configuration: str, *ports: int) -> None:
        self._program, self._ports = program, ports
        self.mqtt_port = ports[-1]
        self.mqtt_url = f"mqtt://pannier:secret@127.0.0.1:{self.mqtt_port}"
        self._file, self._log = folder / "broker.conf", folder / "broker.log"
        self._file.write_text(configuration)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, or start again, and wait until its doors are open."""
        with self._log.open("ab") as log:
            command = [self._program, "-c", self._file]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        for port in self._ports:
            self._await(port)

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
        """Kill it, if it runs."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(PATIENCE)
            self._process = None


class Nats(Broker):
    """A nats-server with JetStream."""

    def __init__(self, folder: Path) -> None:
        port, mqtt_port = free_port(), free_port()
        self.port, self.url = port, f"nats://pannier:secret@127.0.0.1:{port}"
        told = CONFIGURATION.format(port=port, mqtt_port=mqtt_port, folder=folder / "jetstream")
        super().__init__(SERVER, folder, told, port, mqtt_port)


class Mosquitto(Broker):
    """A mosquitto that lets everybody in."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        told = f"listener {port} 127.0.0.1\nallow_anonymous true\n"
        super().__init__(MOSQUITTO or "", folder, told, port)


Some = TypeVar("Some", bound=Broker)


@contextmanager
def running(broker: Some) -> Iterator[Some]:
    """Run a broker for as long as it is needed."""
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()
