"""Flows that are right, drawn at random."""

from typing import Final

from hypothesis import strategies as st

from pannier.orders.activities import Activity

NAMES: Final = ("collected", "enroute", "arrived", "unloaded", "handed_over", "checked")
ENDS: Final = ("done", "failed")
# As flows may have called an end before the code was reserved.
RETURNED: Final = "returned"
SIGNED: Final = "signed"
CODES: Final = (*NAMES, *ENDS, SIGNED)


@st.composite
def flows(draw: st.DrawFn, *more: str) -> list[Activity]:
    """Draw a chain to a completing end, with side ways, ways back and perhaps a second end."""
    codes = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    ends = draw(st.sampled_from([ENDS[:1], (*ENDS, *more)]))
    chain = []
    for number, code in enumerate(codes):
        after = [*codes[number + 1 : number + 2]] or [*ends]
        after += draw(st.lists(st.sampled_from([*codes, *ends]), max_size=2))
        chain.append(Activity(code=code, next=tuple(dict.fromkeys(after))))
    return [*chain, *(Activity(code=code, complete=True) for code in ends)]


@st.composite
def proving_flows(draw: st.DrawFn) -> list[Activity]:
    """Draw a flow of which a side way may ask for a proof."""
    first, *rest = draw(flows())
    if not draw(st.booleans()):
        return [first, *rest]
    signed = Activity(code=SIGNED, next=(ENDS[0],), require_pod=True, pod_method="signature")
    leading = Activity(code=first.code, next=(first.next[0], SIGNED, *first.next[1:]))
    return [leading, *rest, signed]
