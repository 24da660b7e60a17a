"""The account that PostgreSQL runs as: our own or, because it refuses root, an unprivileged one."""

import os
import pwd
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pannier import lifeline
from pannier.errors import TroubleError

# The programs inherit none of our environment. PG* variables would redirect them, and others who
# use the account could read our secrets.
ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath}
USUAL = ("postgres", "nobody")


class EmbeddedError(TroubleError):
    """What is wrong with the embedded server, and the remedy, in one sentence."""


@dataclass(frozen=True, slots=True)
class Account:
    """A system account. `other` says that it differs from the account of this process."""

    name: str
    uid: int
    gid: int
    other: bool

    def command(
        self, program: Sequence[str], *, ending: signal.Signals, directory: Path | None = None
    ) -> list[str]:
        """Return the command that runs a program as this account and ends it with this process."""
        become = (self.uid, self.gid) if self.other else None
        return lifeline.command(program, ending=ending, become=become, directory=directory)

    def run(
        self, *program: str, stdin: str = "", directory: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603  programs of the wheel, arguments of ours
            self.command(program, ending=signal.SIGKILL, directory=directory),
            env=ENVIRONMENT,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            start_new_session=True,  # Ctrl-C reaches us alone; we decide what ends when
        )

    def own(self, folder: Path) -> None:
        """Give this account a folder that we have just created."""
        if self.other:
            os.chown(folder, self.uid, self.gid)


def choose(user: str | None, cluster: Path) -> Account:
    """Choose the account for a cluster: the named one, else its owner's, else a default one."""
    if os.geteuid() != 0:
        return _ourselves(user)
    owner = cluster.stat().st_uid if (cluster / "PG_VERSION").exists() else None
    if user is None and owner:
        return _numbered(owner, cluster.stat().st_gid)
    account = _named(user) if user else _usual()
    if owner not in (None, account.uid):
        raise EmbeddedError(
            f"The database in {cluster} does not belong to the account {account.name} that it is to"
            f" run as; hand it over with `chown -R {account.name} {cluster}`."
        )
    return account


def _ourselves(user: str | None) -> Account:
    try:
        name = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        name = str(os.geteuid())
    if user not in (None, name):
        raise EmbeddedError(
            f"Only root can run the embedded PostgreSQL as the account {user}; leave the account "
            f"out to run it as {name}."
        )
    return Account(name, os.geteuid(), os.getegid(), other=False)


def _numbered(uid: int, gid: int) -> Account:
    try:
        return _of(pwd.getpwuid(uid))
    except KeyError:
        return Account(str(uid), uid, gid, other=True)


def _named(user: str) -> Account:
    try:
        account = _of(pwd.getpwnam(user))
    except KeyError:
        raise EmbeddedError(
            f"There is no account {user} to run the embedded PostgreSQL as; name one that exists."
        ) from None
    if account.uid == 0:
        raise EmbeddedError("PostgreSQL refuses to run as root; name an unprivileged account.")
    return account


def _usual() -> Account:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in USUAL:
        if name in known:
            return _of(known[name])
    raise EmbeddedError(
        "PostgreSQL refuses to run as root and there is neither an account postgres nor nobody; "
        "run Pannier as an ordinary user or set PANNIER_DATABASE_URL."
    )


def _of(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, other=True)
