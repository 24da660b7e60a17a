"""The doctor looks at the brokers, and says nothing of their passwords."""

from pathlib import Path

import pytest

import brokers
from cli import shell

pytestmark = pytest.mark.slow


def test_the_doctor_says_whether_brokers_answer(tmp_path: Path, database_url: str) -> None:
    with brokers.running(brokers.Nats(tmp_path)) as broker:
        settings = {
            "database_url": database_url,
            "mqtt_url": broker.mqtt_url,
            "mqtt_version": "3.1.1",
            "nats_url": broker.url,
        }
        well = shell.run(tmp_path, "doctor", **settings).stdout
        wrong = {**settings, "nats_url": broker.url.replace("secret", "guess")}
        forbidden = shell.run(tmp_path, "doctor", **wrong).stdout
    away = shell.run(tmp_path, "doctor", **settings).stdout
    assert f"ok     mqtt           mqtt://127.0.0.1:{broker.mqtt_port} responds." in well
    assert "ok     nats           JetStream responds. It has not been used yet." in well
    assert f"WRONG  nats           nats://127.0.0.1:{broker.port}: " in forbidden
    assert f"WRONG  mqtt           mqtt://127.0.0.1:{broker.mqtt_port}: " in away
    assert f"WRONG  nats           nats://127.0.0.1:{broker.port}: " in away
    assert not any(":secret" in said or ":guess" in said for said in (well, forbidden, away))


@pytest.mark.parametrize("broker", ["mqtt_url", "nats_url"])
def test_the_doctor_names_a_missing_file_of_authorities(
    tmp_path: Path, database_url: str, broker: str
) -> None:
    scheme = {"mqtt_url": "mqtts", "nats_url": "tls"}[broker]
    settings = {
        "database_url": database_url,
        "ca_bundle": "/nowhere.pem",
        broker: f"{scheme}://127.0.0.1:1",
    }
    said = shell.run(tmp_path, "doctor", **settings).stdout
    name = broker.removesuffix("_url")
    assert f"WRONG  {name}           PANNIER_CA_BUNDLE is invalid: there is no file" in said
