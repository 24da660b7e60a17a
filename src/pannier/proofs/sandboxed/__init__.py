"""Code that decodes untrusted bytes in its own process; it imports nothing else of Pannier."""

import struct
from typing import Final

# A job's header: its name, CPU seconds and pixel limit; its parts follow.
JOB_HEADER: Final = struct.Struct("<16sII")
# A report's header: the lengths of the report and of its files.
REPORT_HEADER: Final = struct.Struct("<II")
# Exit code, or the negative number of the signal that killed the job.
EXIT_CODE: Final = struct.Struct("<i")
