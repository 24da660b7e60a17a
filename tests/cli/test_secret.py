"""`pannier secret rotate`, step by step."""

import asyncio
from pathlib import Path

import asyncpg
import msgspec
import pytest

import stage
from cli import shell
from pannier.db.embedded.lock import hold_lock
from pannier.kit.crypto import Keyring

pytestmark = pytest.mark.slow
NEW = "a new secret that is long enough too"


def said(data: Path, *words: str, **settings: str) -> str:
    done = shell.run(data, *words, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


def beat(url: str, secret: str) -> None:
    """Be a worker that was started with a secret."""

    async def write() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(
            """insert into heartbeats (worker, started_at, beat_at, secret_fingerprint)
               values ('one', pannier_now(), pannier_now(), $1)
               on conflict (worker) do update
               set beat_at = pannier_now(), secret_fingerprint = $1""",
            Keyring(secret).fingerprint(),
        )
        await connection.close()

    asyncio.run(write())


def test_a_secret_in_the_file_is_replaced_once_everybody_knows_the_new_one(
    tmp_path: Path, migrated_url: str
) -> None:
    said(tmp_path, "bootstrap", database_url=migrated_url)
    old = (tmp_path / "secret").read_text().split()
    beat(migrated_url, *old)
    asked = said(tmp_path, "secret", "rotate", database_url=migrated_url)
    assert "then run `pannier secret rotate` again" in asked
    new, *rest = (tmp_path / "secret").read_text().split()
    assert rest == old
    assert new not in old
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    # Whoever asks too early is told so again, and no third secret is made.
    assert said(tmp_path, "secret", "rotate", database_url=migrated_url) == asked
    told = said(tmp_path, "secret", "rotate", "--json", database_url=migrated_url)
    assert msgspec.json.decode(told) == {"finished": False, "sealed": None}
    assert "run `pannier secret rotate`" in said(tmp_path, "doctor", database_url=migrated_url)
    beat(migrated_url, new)
    with hold_lock(tmp_path / "secret.lock"):  # somebody else is at it just now
        twin = shell.run(tmp_path, "secret", "rotate", database_url=migrated_url)
    assert (twin.returncode, "Another" in twin.stderr) == (1, True)
    done = said(tmp_path, "secret", "rotate", database_url=migrated_url)
    assert "The new secret is in use" in done
    assert "none is missing" in said(tmp_path, "proofs", "verify", database_url=migrated_url)
    (tmp_path / "secret").write_text(new)
    assert "matches this database" in said(tmp_path, "doctor", database_url=migrated_url)


def test_a_secret_in_the_environment_is_the_operators_to_set(
    tmp_path: Path, migrated_url: str
) -> None:
    said(tmp_path, "bootstrap", database_url=migrated_url, secret=stage.SECRET.replace(" ", "-"))
    old = stage.SECRET.replace(" ", "-")
    told = shell.run(tmp_path, "secret", "rotate", database_url=migrated_url, secret=old)
    assert told.returncode == 1
    assert "PANNIER_OLD_SECRETS" in told.stderr
    both = {"secret": NEW.replace(" ", "-"), "old_secrets": old}
    beat(migrated_url, old)  # a machine that nobody thought of
    assert "some processes still use" in said(
        tmp_path, "secret", "rotate", database_url=migrated_url, **both
    )
    beat(migrated_url, both["secret"])
    assert "in use" in said(tmp_path, "secret", "rotate", database_url=migrated_url, **both)
    late = shell.run(tmp_path, "messages", database_url=migrated_url, secret=old)
    assert "does not match this database" in late.stderr
    known = said(tmp_path, "doctor", database_url=migrated_url, secret=both["secret"])
    assert "matches this database" in known
