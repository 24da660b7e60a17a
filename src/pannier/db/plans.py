"""Plans for statements that touch a few rows of tables which grow and empty all day."""

from typing import Final

# The planner may know such a table as it was when it was nearly empty, and would go through all of
# it each time, until somebody tells it otherwise. Planning anew costs more than the work. Selected
# at the beginning of a transaction, this has the rest of it find rows by index, with plans that
# are made once. Where there is no other way than a forbidden one, it is taken to cost so much that
# some servers would compile it first, for half a second.
BY_INDEX: Final = """
    set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true),
    set_config('enable_bitmapscan', 'off', true),
    set_config('enable_sort', 'off', true),
    set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)"""
