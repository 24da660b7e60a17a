"""What is done with strangers' bytes, in a process of its own; it imports nothing else of ours."""

import struct
from typing import Final

# Before each thing that is told: how long its words are, and the bytes that go with them.
HEAD: Final = struct.Struct("<II")
