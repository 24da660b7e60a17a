"""Planner settings for statements that touch a few rows of tables which grow and empty all day."""

from typing import Final

# The planner's statistics may describe such a table as nearly empty, so it would scan all of it.
# Planning each statement anew would cost more than the work. At the beginning of a transaction,
# these settings make its statements find rows by index, with cached plans. If only a disabled plan
# remains, its high estimated cost would make some servers compile it for half a second.
PREFER_INDEXES: Final = """
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local enable_bitmapscan = off;
    set local enable_sort = off;
    set local jit = off;
    set local plan_cache_mode = force_generic_plan"""
