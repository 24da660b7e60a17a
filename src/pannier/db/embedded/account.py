"""The account that PostgreSQL runs as: our own or, because it refuses root, an unprivileged one."""

import os
import pwd
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pannier import child_process
from pannier.errors import SetupError

# The programs inherit none of our environment. PG* variables would redirect them, and other
# programs under the same account could read our secrets.
ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath}
DEFAULT_ACCOUNTS = ("postgres", "nobody")


class EmbeddedError(SetupError):
    """A problem with the embedded server, and its remedy, in one sentence."""


@dataclass(frozen=True, slots=True)
class Account:
    """A system account. `is_other` says whether it differs from the account of this process."""

    name: str
    uid: int
    gid: int
    is_other: bool

    def build_command(
        self, program: Sequence[str], *, stop_signal: signal.Signals, directory: Path | None = None
    ) -> list[str]:
        """Return the command that runs a program as this account and ends it with this process."""
        run_as = (self.uid, self.gid) if self.is_other else None
        return child_process.build_command(
            program, parent_death_signal=stop_signal, run_as=run_as, directory=directory
        )

    def run(
        self, *program: str, stdin: str = "", directory: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account, and return its exit code and output."""
        return subprocess.run(  # noqa: S603  programs of the wheel, arguments of ours
            self.build_command(program, stop_signal=signal.SIGKILL, directory=directory),
            env=ENVIRONMENT,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            start_new_session=True,  # Ctrl-C must reach only this process
        )

    def chown(self, folder: Path) -> None:
        """Give this account a folder that we have just created."""
        if self.is_other:
            os.chown(folder, self.uid, self.gid)


def choose_account(user: str | None, cluster: Path) -> Account:
    """Choose the account for a cluster: the named one, else its owner's, else a default one."""
    if os.geteuid() != 0:
        return _get_current_account(user)
    owner = cluster.stat().st_uid if (cluster / "PG_VERSION").exists() else None
    if user is None and owner:
        return _make_account_from_uid(owner, cluster.stat().st_gid)
    account = _make_account_from_name(user) if user else _find_default_account()
    if owner not in (None, account.uid):
        raise EmbeddedError(
            f"The database in {cluster} does not belong to the account {account.name}, which has "
            f"to run it. Change its owner with `chown -R {account.name} {cluster}`."
        )
    return account


def _get_current_account(user: str | None) -> Account:
    try:
        name = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        name = str(os.geteuid())
    if user not in (None, name):
        raise EmbeddedError(
            f"Only root can run the embedded PostgreSQL as the account {user}. Unset the account "
            f"to run it as {name}."
        )
    return Account(name, os.geteuid(), os.getegid(), is_other=False)


def _make_account_from_uid(uid: int, gid: int) -> Account:
    try:
        return _make_account_from_entry(pwd.getpwuid(uid))
    except KeyError:
        return Account(str(uid), uid, gid, is_other=True)


def _make_account_from_name(user: str) -> Account:
    try:
        account = _make_account_from_entry(pwd.getpwnam(user))
    except KeyError:
        raise EmbeddedError(
            f"The account {user} for the embedded PostgreSQL does not exist. Choose another "
            "account."
        ) from None
    if account.uid == 0:
        raise EmbeddedError("PostgreSQL refuses to run as root. Choose an unprivileged account.")
    return account


def _find_default_account() -> Account:
    entries_by_name = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in DEFAULT_ACCOUNTS:
        if name in entries_by_name:
            return _make_account_from_entry(entries_by_name[name])
    raise EmbeddedError(
        "PostgreSQL refuses to run as root, and the accounts postgres and nobody do not exist. "
        "Run Pannier as an ordinary user, or set PANNIER_DATABASE_URL."
    )


def _make_account_from_entry(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, is_other=True)
