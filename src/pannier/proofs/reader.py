"""A program of its own that reads codes, because reading may never end.

zxing falls into an endless loop over some quite ordinary pictures (zxing-cpp issue 1087), and while
a thread cannot be stopped, a process can. It gets a grey picture on its standard input and the
kinds of codes to look for as arguments, and tells a line of JSON after each kind: what was found
stays found when it is stopped over the next. It imports nothing of ours, to start quickly.
"""

import json
import resource
import struct
import sys
from typing import Any, Final

import zxingcpp

SIZE: Final = struct.Struct("<II")
# A picture takes a tenth of it. The system stops what takes more, even when nobody is left to ask
# for it, and on a busy machine no earlier than on an idle one.
CPU_SECONDS: Final = 2


def main() -> None:
    """Read one picture."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    width, height = SIZE.unpack(sys.stdin.buffer.read(SIZE.size))
    pixels = memoryview(sys.stdin.buffer.read()).cast("B", (height, width))
    for kinds in sys.argv[1:]:
        # Plain, for what people are shown instead has brackets and names of marks in it.
        found = zxingcpp.read_barcodes(
            pixels, zxingcpp.barcode_formats_from_str(kinds), text_mode=zxingcpp.TextMode.Plain
        )
        sys.stdout.write(json.dumps([told(code) for code in found]) + "\n")
        sys.stdout.flush()


def told(code: Any) -> tuple[str, str, str | None]:  # noqa: ANN401 - zxing types it loosely
    """Tell a code: its text, its kind, and its short form if it was printed in one."""
    return code.text, code.format.name, (code.extra or {}).get("UPCE")


if __name__ == "__main__":
    main()
