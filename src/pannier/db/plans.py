"""Plans for statements that touch a few rows of tables which grow and empty all day."""

from typing import Final

# The planner may know such a table as it was when it was nearly empty, and would go through all of
# it each time, until somebody tells it otherwise. Planning anew costs more than the work. Said at
# the beginning of a transaction, this has the rest of it find rows by index, with plans that are
# made once. Where there is no other way than a forbidden one, it is taken to cost so much that
# some servers would compile it first, for half a second.
BY_INDEX: Final = """
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local enable_bitmapscan = off;
    set local enable_sort = off;
    set local jit = off;
    set local plan_cache_mode = force_generic_plan"""
