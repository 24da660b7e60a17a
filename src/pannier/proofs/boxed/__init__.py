"""What is done with strangers' bytes, in a process of its own; it imports nothing else of ours."""

import struct
from typing import Final

# What is asked for: which job, in how many seconds, of at most how many pixels; then its parts.
ASKED: Final = struct.Struct("<16sII")
# Before each thing that is told: how long its words are, and the bytes that go with them.
HEAD: Final = struct.Struct("<II")
# How it ended: its code, or the signal that ended it as a negative number.
ENDED: Final = struct.Struct("<i")
