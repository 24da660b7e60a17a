"""Existing SDKs of this interface run unmodified: every call for the resources that exist here."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

import program
from cli import shell
from clients.packages import NODE
from proofs import drawn

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
MODULES: Final = ROOT / "frontend" / "node_modules"
SCRIPT: Final = Path(__file__).with_name("existing_sdks.mjs")
# Shops with products are another product's part.
SHOP: Final = (
    "about", "lookup", "search", "products.findAll", "categories.findAll", "foodTrucks.findAll",
    "reviews.findAll", "reviews.count", "cart.retrieve", "checkout.initialize",
)  # fmt: skip
# Calls that are refused, and why. Whatever starts to work has to leave this list.
REFUSED: Final = {
    **dict.fromkeys(SHOP, "no such path"),
    "drivers.login password": "does not support that method",  # drivers sign in by code
    # A driver belongs to one company, and gets no push messages.
    "drivers.listOrganizations": "no such path",
    "drivers.currentOrganization": "no such path",
    "drivers.switchOrganization": "no such path",
    "drivers.syncDevice": "no such path",
    # The address was not verified when the customer was created by phone.
    "customers.login password email": "is wrong",
    # No provider is configured.
    "customers.loginWithApple": "not enabled",
    "customers.loginWithGoogle": "not enabled",
    "customer.save": "no such path",  # a customer changes `me`
}
MIN_CALLS: Final = 140


def test_every_call_of_the_sdks_works_or_is_refused_for_a_known_reason(house_folder: Path) -> None:
    with program.serving(house_folder, payments="fake") as serve:
        serve.ready()
        company: dict[str, Any] = shell.answer(
            house_folder, "bootstrap", "--another", "Trial", "--mode", "test", "--json"
        )
        keys = json.dumps({**company, "signature": drawn.text(drawn.signature())})
        done = subprocess.run(
            [NODE, SCRIPT, MODULES, serve.url, keys],
            capture_output=True, text=True, timeout=program.PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{done.stderr[-2000:]}\nRun `make tools` first."
        results: dict[str, str | None] = json.loads(done.stdout.splitlines()[-1])
        assert serve.interrupt() == 0
    refused = {name: told for name, told in results.items() if told is not None}
    assert refused.keys() == REFUSED.keys(), refused
    for name, told in refused.items():
        assert REFUSED[name] in told, name
    assert len(results) >= MIN_CALLS
