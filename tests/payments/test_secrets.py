"""Neither keys nor what Stripe says or hands out is in any log line, or in what the doctor says."""

import contextlib
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

import program
from pannier.payments.stripe import load_client
from pannier.web import logs
from payments.bank import PRIVATE, PUBLISHABLE_KEY, SECRET_KEY, Bank, told
from payments.till import INTENT, KEY, Till, granted


@pytest.fixture
def logging_all() -> Iterator[None]:
    """Turn the logs on as a server does that is told to say everything."""
    before = structlog.get_config()
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    with io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True) as stderr:
        with contextlib.redirect_stderr(stderr):
            logs.configure("debug")
        yield
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("logging_all")
async def test_no_secret_is_in_any_log_line(
    striped: Till, bank: Bank, capfd: pytest.CaptureFixture[str]
) -> None:
    _, client = await striped.visitor()
    key = await granted(await client.post(KEY, json={"api_version": "2020-08-27"}))
    intent = await granted(await client.post(INTENT))
    for failure in (told(401, "x"), told(402, "card_error"), told(500, "x"), (200, b"nonsense")):
        bank.fail("/v1/setup_intents", failure)
        await client.post(INTENT)
    text = capfd.readouterr().err
    lines = [json.loads(line) for line in text.splitlines()]
    failed = [line for line in lines if line["event"] == "payment gateway failed"]
    assert [line["refusal"] for line in failed] == [
        "payment_gateway_misconfigured", "payment_refused", "payment_gateway_unavailable",
        "payment_gateway_unavailable",
    ]  # fmt: skip
    assert failed[0]["gateway_request"] == "req_1"
    token = client.headers["customer-token"].rpartition("_")[2]
    for secret in (
        SECRET_KEY, PRIVATE, key["ephemeralKey"], intent["setupIntent"], token, key["customerId"],
    ):  # fmt: skip
        assert secret not in text


@pytest.mark.parametrize(
    "text",
    [SECRET_KEY, "rk_live_51Abc_x", "ek_test_YWNjdF8xTm", "seti_1Mm8s8_secret_NXDhiddenNXD"],
)
def test_a_gateways_secret_is_hidden_inside_a_sentence_too(text: str) -> None:
    shown = logs.redact(f"while using {text}, it failed")
    assert text not in shown
    assert text[-8:] not in shown
    assert shown.endswith("…, it failed")


def test_stripes_client_is_told_to_be_quiet() -> None:
    stripe = load_client()
    assert stripe.enable_telemetry is False
    assert not logging.getLogger("stripe").isEnabledFor(logging.INFO)


@pytest.mark.slow
def test_the_doctor_names_the_gateway_and_none_of_its_keys(tmp_path: Path, server_url: str) -> None:
    def said(**settings: str) -> str:
        chosen = {"payments": "stripe", "stripe_secret_key": SECRET_KEY, **settings}
        return program.run(tmp_path, "doctor", database_url=server_url, **chosen).stdout

    wrong, right = said(), said(stripe_publishable_key=PUBLISHABLE_KEY)
    assert "PANNIER_STRIPE_PUBLISHABLE_KEY" in wrong
    assert "through Stripe" in right
    assert SECRET_KEY not in wrong + right
