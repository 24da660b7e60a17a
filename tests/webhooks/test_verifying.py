import ast
import base64
import hashlib
import hmac
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from pannier.webhooks import InvalidSignature, verify
from program import PATIENCE, free_port

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "src" / "pannier" / "webhooks" / "verifying.py"
SNIPPETS = ROOT / "docs" / "guide" / "verify"

BODY = '{"event":"order.created","api_version":"1.0","data":{"note":"café. 1.2."}}'.encode()
ENVELOPE = json.loads(BODY)
NOW = 1_769_851_800
DELIVERY = "delivery_9mYx1ZrC5uKd7VaB"


def spelled(key: bytes) -> str:
    return f"whsec_{base64.b64encode(key).decode()}"


SECRET, OTHER, THIRD = (spelled(bytes(range(start, start + 32))) for start in (7, 99, 200))
EMPTY = "whsec_"


def code(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def plain(body: bytes, secret: str = SECRET, prefix: str = "sha256=") -> dict[str, str]:
    return {"X-Service-Signature": prefix + code(body, secret)}


def standard(
    body: bytes, *secrets: str, name: str = DELIVERY, moment: int = NOW, stated: str | None = None
) -> dict[str, str]:
    """Sign with the library of Standard Webhooks, which knows nothing of ours."""
    signed_at = datetime.fromtimestamp(moment, UTC)
    signatures = [
        Webhook(secret).sign(name, signed_at, body.decode()) for secret in secrets or (SECRET,)
    ]
    return {
        "webhook-id": name,
        "webhook-timestamp": str(moment) if stated is None else stated,
        "webhook-signature": " ".join(signatures),
    }


def refusal(body: bytes, headers: Mapping[str, str], secret: str | Sequence[str] = SECRET) -> str:
    with pytest.raises(InvalidSignature, match=r"\.$") as raised:
        verify(body, headers, secret, now=NOW)
    return str(raised.value)


# What is genuine


GENUINE_HEADERS = [
    plain(BODY),
    plain(BODY, prefix=""),
    {"x-SERVICE-signature": code(BODY)},
    plain(BODY, OTHER) | {"X-Service-Signature-Previous": f"sha256={code(BODY)}"},
    plain(BODY, OTHER, "") | {"X-Service-Signature-Previous": code(BODY)},
    standard(BODY),
    {name.title(): value for name, value in standard(BODY).items()},
    {name.upper(): value for name, value in standard(BODY).items()},
    standard(BODY, OTHER, SECRET),
    standard(BODY, SECRET, OTHER),
    standard(BODY) | {"X-Service-Signature": "sha256=of another scheme"},
    standard(BODY) | plain(BODY),
]


@pytest.mark.parametrize("headers", GENUINE_HEADERS)
def test_a_genuine_request_answers_its_envelope(headers: dict[str, str]) -> None:
    assert verify(BODY, headers, SECRET, now=NOW) == ENVELOPE


def test_signatures_of_unknown_versions_are_passed_over() -> None:
    headers = standard(BODY)
    genuine = headers["webhook-signature"]
    headers["webhook-signature"] = f"v1a,bm9uZQ== v2,{genuine[3:]} ,, v1 v1, {genuine}  v9"
    assert verify(BODY, headers, SECRET, now=NOW) == ENVELOPE
    headers["webhook-signature"] = f"v1a,{genuine[3:]} v2,{genuine[3:]} {genuine[3:]}"
    refusal(BODY, headers)


@pytest.mark.parametrize("age", [-300, -1, 0, 1, 300])
def test_a_signature_is_believed_within_the_tolerance(age: int) -> None:
    assert verify(BODY, standard(BODY, moment=NOW - age), SECRET, now=NOW) == ENVELOPE


@pytest.mark.parametrize("age", [-28_800, -301, 301, 28_800])
def test_a_signature_of_another_time_is_refused(age: int) -> None:
    headers = standard(BODY, moment=NOW - age)
    assert "too long ago" in refusal(BODY, headers)
    assert verify(BODY, headers, SECRET, now=NOW, tolerance=abs(age)) == ENVELOPE


def test_the_present_is_the_machines_unless_given() -> None:
    assert verify(BODY, standard(BODY, moment=int(time.time())), SECRET) == ENVELOPE
    with pytest.raises(InvalidSignature):
        verify(BODY, standard(BODY), SECRET)


@pytest.mark.parametrize(
    ("now", "tolerance"), [(float("nan"), 300.0), (NOW, float("nan")), (NOW, -1.0)]
)
def test_a_clock_that_makes_no_sense_believes_nothing(now: float, tolerance: float) -> None:
    with pytest.raises(InvalidSignature):
        verify(BODY, standard(BODY), SECRET, now=now, tolerance=tolerance)


# What is not


FORGED_HEADERS = [
    {},
    {"X-Service-Signature": ""},
    {"X-Service-Signature": "sha256="},
    {"X-Service-Signature": "sha256=é"},
    {"X-Service-Signature": "\udcff\ud800"},
    {"X-Service-Signature": "sha256=" + code(BODY).upper()},
    {"X-Service-Signature": "SHA256=" + code(BODY)},
    {"X-Service-Signature": "sha1=" + code(BODY)},
    {"X-Service-Signature": "sha256=sha256=" + code(BODY)},
    {"X-Service-Signature": code(BODY)[:-1]},
    {"X-Service-Signature": code(BODY) + "0"},
    {"X-Service-Signature": f"{code(BODY)}, {code(BODY)}"},
    {"X-Service-Signature": code(BODY), "x-service-signature": code(BODY)},
    {"X-Service-Signature": code(BODY, EMPTY)},
    {"X-Service-Signature": code(BODY, "")},
    {"X-Hub-Signature-256": "sha256=" + code(BODY)},
    {"X-Service-Event": "order.created"},
    plain(BODY, OTHER),
    plain(BODY + b" "),
    plain(b""),
]


@pytest.mark.parametrize("headers", FORGED_HEADERS)
def test_a_body_without_its_own_signature_is_refused(headers: dict[str, str]) -> None:
    refusal(BODY, headers)


def test_a_request_without_any_signature_is_told_so() -> None:
    assert "no signature" in refusal(BODY, {"Content-Type": "application/json"})


GENUINE = standard(BODY)
SIGNATURE = GENUINE["webhook-signature"]


WRONG_HEADERS = [
    {"webhook-id": ""},
    {"webhook-id": "delivery_of_another"},
    {"webhook-id": f"{DELIVERY}, {DELIVERY}"},
    {"webhook-id": "é"},
    {"webhook-id": "\udc80"},
    {"webhook-timestamp": ""},
    {"webhook-timestamp": str(NOW + 1)},
    {"webhook-timestamp": f"{NOW}, {NOW}"},
    {"webhook-timestamp": f"{NOW}.0"},
    {"webhook-timestamp": f" {NOW}"},
    {"webhook-timestamp": f"{NOW}\n"},
    {"webhook-timestamp": f"0{NOW}"},
    {"webhook-timestamp": f"+{NOW}"},
    {"webhook-timestamp": f"-{NOW}"},
    {"webhook-timestamp": "1_769_851_800"},
    {"webhook-timestamp": "١٧٦٩٨٥١٨٠٠"},
    {"webhook-timestamp": "nan"},
    {"webhook-timestamp": "inf"},
    {"webhook-timestamp": "1e999"},
    {"webhook-timestamp": "9" * 12},
    {"webhook-timestamp": "9" * 5000},
    {"webhook-signature": ""},
    {"webhook-signature": "v1,"},
    {"webhook-signature": "v1"},
    {"webhook-signature": ","},
    {"webhook-signature": "v1,é"},
    {"webhook-signature": "v1,\ud800"},
    {"webhook-signature": "v1,%%% not base64"},
    {"webhook-signature": SIGNATURE[:-1]},
    {"webhook-signature": SIGNATURE + "="},
    {"webhook-signature": SIGNATURE.replace("v1,", "v1,,")},
    {"webhook-signature": SIGNATURE.removeprefix("v1,")},
    {"webhook-signature": f"{SIGNATURE},{SIGNATURE}"},
    {"webhook-signature": "v1," + base64.b64encode(bytes(32)).decode()},
]


@pytest.mark.parametrize("change", WRONG_HEADERS)
def test_a_wrong_standard_header_is_refused_whatever_the_other_scheme_says(
    change: dict[str, str],
) -> None:
    refusal(BODY, GENUINE | change)
    refusal(BODY, GENUINE | change | plain(BODY))


@pytest.mark.parametrize("kept", [1, 2])
@pytest.mark.parametrize("turn", range(3))
def test_some_of_the_standard_headers_are_not_enough(kept: int, turn: int) -> None:
    names = [*GENUINE, *GENUINE][turn : turn + kept]
    headers = {name: GENUINE[name] for name in names}
    assert "is missing" in refusal(BODY, headers | plain(BODY))


def test_a_header_that_came_twice_is_joined_and_not_chosen_from() -> None:
    class Twice(dict[str, str]):
        """A request's headers as frameworks keep them: `items` tells a name as often as it came."""

        def items(self) -> Any:
            return [*GENUINE.items(), ("Webhook-Id", DELIVERY)]

    refusal(BODY, Twice())


def moved(moment: int) -> tuple[bytes, dict[str, str]]:
    """Send the end of a body, and say that its beginning was the id: the signature matches."""
    headers = standard(f'{{"note":"x.{moment}.{{}}'.encode(), moment=moment)
    return b"{}", headers | {"webhook-id": f'{DELIVERY}.{moment}.{{"note":"x'}


def test_the_borders_between_id_and_time_and_body_cannot_be_moved() -> None:
    body, headers = moved(NOW)
    signed = Webhook(SECRET).sign(headers["webhook-id"], datetime.fromtimestamp(NOW, UTC), "{}")
    assert signed == headers["webhook-signature"]
    assert "not a valid delivery id" in refusal(body, headers)


@pytest.mark.parametrize("body", [b"", b"[]", b'"text"', b"{", b"\xff", b"null", b"\xef\xbb\xbf{}"])
def test_what_is_signed_but_no_envelope_is_refused_with_a_sentence(body: bytes) -> None:
    assert "not a JSON object" in refusal(body, plain(body))


@pytest.mark.parametrize("body", [BODY.decode(), bytearray(BODY), ENVELOPE, None])
def test_anything_but_raw_bytes_is_the_callers_mistake(body: Any) -> None:
    with pytest.raises(TypeError, match="raw bytes of the body"):
        verify(body, plain(BODY), SECRET, now=NOW)


# Secrets


MALFORMED_SECRETS = [
    "",
    [],
    ["", ""],
    EMPTY,
    [SECRET, EMPTY],
    "whsec_AAAA",
    "whsec_====",
    "whsec_" + "*" * 44,
    "whsec_" + "é" * 44,
    "password",
    SECRET.removeprefix("whsec_"),
    SECRET.upper(),
    SECRET + "\n",
    SECRET[:-1],
    # The last letter has bits to spare: this one spells the same bytes.
    SECRET[:-2] + chr(ord(SECRET[-2]) + 1) + "=",
    f"{SECRET} {OTHER}",
]


@pytest.mark.parametrize("secret", MALFORMED_SECRETS)
@pytest.mark.parametrize("scheme", [plain, standard])
def test_what_cannot_be_a_secret_is_the_callers_mistake(secret: Any, scheme: Any) -> None:
    headers = scheme(BODY)
    with pytest.raises(ValueError, match=r"\.$") as raised:
        verify(BODY, headers, secret, now=NOW)
    assert not isinstance(raised.value, InvalidSignature)


@pytest.mark.parametrize("secret", [SECRET.encode(), [SECRET.encode()], [None, SECRET, 1]])
def test_a_secret_that_is_not_text_is_the_callers_mistake(secret: Any) -> None:
    with pytest.raises(TypeError, match="A secret must be text"):
        verify(BODY, plain(BODY), secret, now=NOW)


def test_a_secret_that_is_not_there_any_more_does_not_disturb() -> None:
    assert verify(BODY, plain(BODY), [SECRET, ""], now=NOW) == ENVELOPE


# Properties

BODIES = st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3).map(
    lambda data: json.dumps({"event": "order.created", "data": data}).encode()
)
SECRETS = st.binary(min_size=32, max_size=32).map(spelled)


def flipped(text: str, data: st.DataObject) -> str:
    place = data.draw(st.integers(0, len(text) - 1), label="place")
    bit = data.draw(st.integers(0, 7), label="bit")
    return text[:place] + chr(ord(text[place]) ^ 1 << bit) + text[place + 1 :]


@pytest.mark.slow
@given(BODIES, SECRETS, st.data())
def test_any_flipped_bit_is_refused_in_the_standard_scheme(
    body: bytes, secret: str, data: st.DataObject
) -> None:
    headers = standard(body, secret)
    assert verify(body, headers, secret, now=NOW) == json.loads(body)
    for name in headers:
        refusal(body, headers | {name: flipped(headers[name], data)}, secret)
    refusal(flipped(body.decode("latin-1"), data).encode("latin-1"), headers, secret)
    with pytest.raises(ValueError, match=r"\.$"):
        verify(body, headers, flipped(secret, data), now=NOW)


@pytest.mark.slow
@given(BODIES, SECRETS, st.sampled_from(["sha256=", ""]), st.data())
def test_any_flipped_bit_is_refused_in_our_own_scheme(
    body: bytes, secret: str, prefix: str, data: st.DataObject
) -> None:
    headers = plain(body, secret, prefix)
    assert verify(body, headers, secret, now=NOW) == json.loads(body)
    refusal(body, {name: flipped(value, data) for name, value in headers.items()}, secret)
    refusal(flipped(body.decode("latin-1"), data).encode("latin-1"), headers, secret)
    with pytest.raises(ValueError, match=r"\.$"):
        verify(body, headers, flipped(secret, data), now=NOW)


@given(
    st.lists(SECRETS, min_size=1, max_size=4, unique=True),
    st.lists(SECRETS, min_size=1, max_size=4, unique=True),
    st.sampled_from([plain, standard]),
)
def test_any_secret_of_ours_that_is_one_of_the_receivers_is_enough(
    ours: list[str], theirs: list[str], scheme: Any
) -> None:
    known = set(ours) & set(theirs)
    signer = ours if scheme is standard else ours[:1]
    assert verify(BODY, scheme(BODY, *signer), [*theirs, signer[-1]], now=NOW) == ENVELOPE
    assert verify(BODY, scheme(BODY, *signer), [signer[0], *theirs], now=NOW) == ENVELOPE
    if not known:
        refusal(BODY, scheme(BODY, *signer), theirs)


@given(
    st.dictionaries(
        st.sampled_from([*GENUINE, *plain(BODY), "X-Service-Signature-Previous", "WEBHOOK-ID"]),
        st.text(st.characters()) | st.sampled_from([*GENUINE.values(), "v1,", "nan", str(NOW)]),
    )
)
def test_headers_of_any_text_are_refused_with_a_sentence(headers: dict[str, str]) -> None:
    refusal(b"{}", headers)


# On its own


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not on this machine")
@pytest.mark.parametrize("secret", [SECRET, OTHER])
def test_openssl_signs_what_we_verify(secret: str) -> None:
    command = ["openssl", "dgst", "-sha256", "-hmac", secret]
    answer = subprocess.run(command, input=BODY, capture_output=True, check=True).stdout.decode()
    headers = {"X-Service-Signature": "sha256=" + answer.split()[-1]}
    assert verify(BODY, headers, secret) == ENVELOPE


def test_the_library_of_standard_webhooks_and_we_agree_on_what_is_genuine() -> None:
    headers = standard(BODY, OTHER, SECRET, moment=int(time.time()))
    for secret in (SECRET, OTHER):
        assert Webhook(secret).verify(BODY, headers) == verify(BODY, headers, secret)


@pytest.mark.slow
def test_the_file_works_alone_where_it_is_copied_to(tmp_path: Path) -> None:
    shutil.copy(MODULE, tmp_path / "copied.py")
    program = (
        "import json, sys; sys.path.append(sys.argv[1]); import copied;"
        "body, headers, secret = json.load(sys.stdin);"
        f"print(json.dumps(copied.verify(body.encode(), headers, secret, now={NOW})))"
    )
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-W", "error", "-c", program, str(tmp_path)],
        input=json.dumps([BODY.decode(), standard(BODY), SECRET]).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(answer.stdout) == ENVELOPE


@pytest.mark.parametrize("path", [MODULE, SNIPPETS / "verify.py"], ids=lambda path: path.name)
def test_what_is_there_to_copy_is_python_39_and_the_standard_library(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    named = {alias.name for node in imports for alias in node.names}
    named |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in named} <= sys.stdlib_module_names


@pytest.mark.slow
def test_importing_it_imports_nobody_elses_module() -> None:
    program = (
        "import sys; before = set(sys.modules); import pannier.webhooks;"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(new - sys.stdlib_module_names))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert answer.stdout.decode().strip() == "['pannier']"


# The snippets of the guide


def only_where(program: str, *command: str) -> Any:
    """A language, left out with a reason where it is not installed."""
    missing = shutil.which(program) is None
    mark = pytest.mark.skipif(missing, reason=f"{program} is not on this machine")
    return pytest.param([program, *command], marks=mark, id=Path(program).name)


@pytest.fixture(
    params=[
        only_where(sys.executable, "-I", "-W", "error", str(SNIPPETS / "verify.py")),
        only_where("node", str(SNIPPETS / "verify.mjs")),
        only_where("php", str(SNIPPETS / "verify.php")),
        only_where("go", str(SNIPPETS / "verify.go")),
    ]
)
def snippet(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The command of a snippet; what must be compiled is."""
    command: list[str] = request.param
    if command[0] != "go":
        return command
    program = str(tmp_path / "verify")
    subprocess.run([command[0], "build", "-o", program, command[1]], check=True)
    return [program]


def cases() -> dict[str, tuple[bool, bytes, dict[str, str]]]:
    """Requests, and whether a receiver with SECRET and OTHER must believe them."""
    now = int(time.time())
    genuine = standard(BODY, moment=now)
    name = genuine["webhook-signature"]
    return {
        "prefixed": (True, BODY, plain(BODY)),
        "bare": (True, BODY, plain(BODY, prefix="")),
        "the other secret": (True, BODY, plain(BODY, OTHER)),
        "previous": (
            True,
            BODY,
            plain(BODY, THIRD) | {"x-service-signature-previous": code(BODY)},
        ),
        "standard": (True, BODY, genuine),
        "standard in capitals": (True, BODY, {key.upper(): genuine[key] for key in genuine}),
        "standard, second of two": (True, BODY, standard(BODY, THIRD, OTHER, moment=now)),
        "standard, another version": (
            True,
            BODY,
            genuine | {"webhook-signature": f"v1a,xyz v2 {name}"},
        ),
        "nothing": (False, BODY, {}),
        "an empty signature": (False, BODY, {"X-Service-Signature": ""}),
        "letters of elsewhere": (False, BODY, {"X-Service-Signature": "sha256=é"}),
        "another body": (False, BODY + b" ", plain(BODY)),
        "another secret": (False, BODY, plain(BODY, THIRD)),
        "an empty key": (False, BODY, plain(BODY, "")),
        "standard, another body": (False, BODY + b" ", genuine | plain(BODY + b" ")),
        "standard, too old": (False, BODY, standard(BODY, moment=now - 400) | plain(BODY)),
        "standard, too new": (False, BODY, standard(BODY, moment=now + 400)),
        "standard, no time": (False, BODY, genuine | {"webhook-timestamp": "nan"}),
        "standard, another time": (False, BODY, genuine | {"webhook-timestamp": str(now + 1)}),
        "standard, another id": (False, BODY, genuine | {"webhook-id": "delivery_2"}),
        "standard, moved borders": (False, *moved(now)),
        "standard, no signature": (False, BODY, {"webhook-id": DELIVERY} | plain(BODY)),
        "standard, garbage": (False, BODY, genuine | {"webhook-signature": "v1,é% v1"}),
    }


@contextmanager
def receiving(snippet: list[str], secrets: str) -> Iterator[int]:
    """Run a snippet as the receiver it is."""
    port = free_port()
    command = [*snippet, "serve", str(port)]
    if snippet[0] == "php":
        command = ["php", "-S", f"127.0.0.1:{port}", snippet[1]]
    quiet = subprocess.DEVNULL
    environment = os.environ | {"WEBHOOK_SECRET": secrets}
    with subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet) as program:
        try:
            yield port
        finally:
            program.kill()


def connected(port: int) -> socket.socket:
    """Reach the receiver as soon as it is up."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        time.sleep(0.02)
    raise TimeoutError("The receiver did not start.")


def answer(port: int, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a request and tell the answer's status."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.sock = connected(port)
    with closing(connection):
        connection.request("POST", "/hook", body, dict(headers))
        return connection.getresponse().status


@pytest.mark.slow
def test_a_snippet_answers_200_to_what_is_genuine_and_401_to_the_rest(snippet: list[str]) -> None:
    requests = cases()
    with receiving(snippet, f"{SECRET} {OTHER}") as port:
        statuses = {
            name: answer(port, body, headers) for name, (_, body, headers) in requests.items()
        }
    assert statuses == {name: 200 if genuine else 401 for name, (genuine, *_) in requests.items()}


@pytest.mark.slow
def test_a_snippet_outlives_somebody_who_hangs_up_halfway(snippet: list[str]) -> None:
    with receiving(snippet, SECRET) as port:
        with connected(port) as hasty:
            hasty.sendall(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n{")
        assert answer(port, BODY, plain(BODY)) == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("secrets", "headers", "genuine"),
    [
        (f"{OTHER} {SECRET}", plain(BODY), True),
        (OTHER, plain(BODY), False),
        (SECRET, standard(BODY) | plain(BODY), False),
        ("", plain(BODY, ""), False),
        (EMPTY, plain(BODY, EMPTY), False),
    ],
    ids=["genuine", "another secret", "another time", "no secret", "an empty secret"],
)
def test_a_snippet_is_a_command_that_tells_whether_a_request_is_genuine(
    snippet: list[str], tmp_path: Path, secrets: str, headers: dict[str, str], *, genuine: bool
) -> None:
    (tmp_path / "body").write_bytes(BODY)
    (tmp_path / "headers").write_text(json.dumps(headers))
    told = subprocess.run(
        [*snippet, "check", tmp_path / "body", tmp_path / "headers"],
        env=os.environ | {"WEBHOOK_SECRET": secrets},
        capture_output=True,
        check=False,
    )
    assert (told.returncode == 0) is genuine, told.stderr
