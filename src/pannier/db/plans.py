"""Plans for statements that touch a few rows of tables which grow and empty all day."""

from typing import Final

# The planner may know such a table as it was when it was nearly empty, and would go through all of
# it each time, until somebody tells it otherwise. Planning anew costs more than the work. Selected
# at the beginning of a transaction, this has the rest of it find rows by index, with plans that
# are made once. Where there is no other way than a forbidden one, it is taken to cost so much that
# some servers would compile it first, for half a second.
_SETTINGS: Final = {
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_bitmapscan": "off",
    "enable_sort": "off",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
}
BY_INDEX: Final = ", ".join(
    f"set_config('{name}', '{value}', true)" for name, value in _SETTINGS.items()
)
# The same together with the beginning, in one go: of a small transaction it is a tenth.
BEGIN_BY_INDEX: Final = "; ".join(
    ["begin", *(f"set local {name} = {value}" for name, value in _SETTINGS.items())]
)
