"""Groups of commands. They import commands on demand, and their help is not truncated."""

import gc
from importlib import import_module

import click


class LazyCommand(click.Command):
    """A placeholder that imports its command when needed, because importing all is slow."""

    def __init__(self, name: str, module: str, sentence: str, *, hidden: bool = False) -> None:
        super().__init__(name, help=sentence, hidden=hidden)
        self._module = module

    def load(self) -> click.Command:
        """Import the command."""
        # Imported modules are not garbage, and repeated collections would take a fifth of the time.
        gc.disable()
        try:
            command: click.Command = getattr(import_module(self._module), self.name or "")
        finally:
            gc.enable()
        return command


class Group(click.Group):
    """A group whose help keeps the order of commands and does not truncate sentences."""

    group_class = type

    def list_commands(self, _: click.Context) -> list[str]:
        """List the commands in the order in which they were added."""
        return list(self.commands)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        command = self.commands.get(cmd_name)
        return command.load() if isinstance(command, LazyCommand) else command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its first sentence."""
        rows = [
            (name, (command.help or "").partition("\n")[0])
            for name, command in self.commands.items()
            if not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
