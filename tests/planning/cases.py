"""Planning problems for tests: drawn at random, or towns on a grid."""

from collections.abc import Callable
from random import Random

from hypothesis import strategies as st

from pannier.planning.problem import (
    Capacity,
    PlanBreak,
    PlanJob,
    PlanningProblem,
    PlanShift,
    PresentRoute,
    Roads,
    Visit,
    VisitKind,
)
from pannier.planning.search import DraftPlan

HOUR = 3600
DAY = 24 * HOUR
SKILLS = ("cold", "lift")


def steps(count: int) -> Callable[[DraftPlan], float]:
    """Count steps instead of seconds, so that a test does the same work on any machine."""
    done = 0

    def get_progress(_best: DraftPlan) -> float:
        nonlocal done
        done += 1
        return done / count

    return get_progress


def town(points: list[tuple[int, int]], speed: int = 8) -> Roads:
    """Measure streets that run in two directions."""
    metres = tuple(tuple(abs(a - c) + abs(b - d) for c, d in points) for a, b in points)
    return Roads(metres, tuple(tuple(length // speed for length in row) for row in metres))


def deliveries(count: int, shifts: int, *, seed: int = 1, hub: bool = True) -> PlanningProblem:
    """Make a day of deliveries from one hub, or from as many places as there are orders."""
    choose = Random(seed)
    points = [(choose.randrange(20_000), choose.randrange(20_000)) for _ in range(2 * count + 1)]
    jobs = []
    for number in range(1, count + 1):
        opens = choose.randrange(8, 16) * HOUR
        loads = (choose.randrange(1_000, 20_000), choose.randrange(1, 50), 1)
        pickup = Visit(
            key=f"p{number}",
            point=0 if hub else count + number,
            kind="pickup",
            loads=loads,
            setup=180,
        )
        dropoff = Visit(
            key=f"d{number}",
            point=number,
            loads=loads,
            setup=120,
            service=60,
            opens=opens,
            closes=opens + 3 * HOUR,
        )
        jobs.append(PlanJob(key=f"job{number}", visits=(pickup, dropoff)))
    shift = PlanShift(
        key="",
        opens=8 * HOUR,
        closes=18 * HOUR,
        start=0,
        end=0,
        capacity=(400_000, 2_000, None),
        breaks=(PlanBreak(opens=12 * HOUR, closes=14 * HOUR, duration=1800),),
        cost_hour=2_000,
        cost_km=30,
    )
    return PlanningProblem(
        jobs=tuple(jobs),
        shifts=tuple(
            PlanShift(**{**{f: getattr(shift, f) for f in shift.__struct_fields__}, "key": f"s{n}"})
            for n in range(shifts)
        ),
        roads={"car": town(points)},
    )


def _windows() -> st.SearchStrategy[tuple[int, int]]:
    opens = st.integers(0, 10 * HOUR)
    return st.one_of(
        st.just((0, DAY)), st.tuples(opens, st.integers(0, 4 * HOUR)).map(lambda w: (w[0], sum(w)))
    )


@st.composite
def _jobs(draw: st.DrawFn, number: int, points: int, shifts: list[str]) -> PlanJob:
    kinds: list[VisitKind] = draw(
        st.sampled_from(
            [
                ["pickup", "dropoff"],
                ["dropoff"],
                ["pickup"],
                ["pickup", "dropoff", "dropoff"],
                ["pickup", "pickup", "dropoff"],
                ["pickup", "dropoff", "pickup", "dropoff"],
            ]
        )
    )
    visits = []
    for at, kind in enumerate(kinds):
        opens, closes = draw(_windows())
        visit = Visit(
            key=f"{number}.{at}",
            point=draw(st.integers(0, points - 1)),
            kind=kind,
            loads=(draw(st.integers(0, 60)), draw(st.integers(0, 5)), 1),
            service=draw(st.sampled_from([0, 60, 900])),
            setup=draw(st.sampled_from([0, 120])),
            opens=opens,
            closes=closes,
        )
        visits.append(visit)
    return PlanJob(
        key=f"job{number}",
        visits=tuple(visits),
        skills=draw(st.frozensets(st.sampled_from(SKILLS), max_size=1)),
        shift=draw(st.sampled_from([None, None, None, *shifts])),
        priority=draw(st.sampled_from([0, 0, 1])),
    )


@st.composite
def _shifts(draw: st.DrawFn, key: str, points: int) -> PlanShift:
    opens = draw(st.integers(0, 6 * HOUR))
    closes = opens + draw(st.integers(HOUR, 10 * HOUR))
    place = st.none() | st.integers(0, points - 1)
    breaks = []
    if draw(st.booleans()):
        begin = draw(st.integers(opens, closes - 1800))
        latest = draw(st.integers(begin, closes - 1800))
        breaks.append(PlanBreak(opens=begin, closes=latest, duration=1800))
    capacity: Capacity = draw(st.sampled_from([(None, None, None), (100, None, 3), (80, 8, None)]))
    return PlanShift(
        key=key,
        opens=opens,
        closes=closes,
        start=draw(place),
        end=draw(place),
        breaks=tuple(breaks),
        capacity=capacity,
        skills=draw(st.frozensets(st.sampled_from(SKILLS))),
        profile=draw(st.sampled_from(["car", "bicycle"])),
        cost_fixed=draw(st.sampled_from([0, 500])),
        cost_hour=draw(st.sampled_from([0, 1_500])),
        cost_km=draw(st.sampled_from([0, 25])),
    )


@st.composite
def _roads(draw: st.DrawFn, points: int) -> Roads:
    """Draw roads that are longer in one direction; from some places no road leads elsewhere."""
    choose = Random(draw(st.integers(0, 1_000)))
    islands = draw(st.sampled_from([set(), set(), {0}]))
    rows = []
    for start in range(points):
        row: list[int | None] = []
        for end in range(points):
            apart = start != end and (start in islands or end in islands)
            row.append(None if apart else 0 if start == end else choose.randrange(60, 2_400))
        rows.append(tuple(row))
    times = tuple(rows)
    metres = tuple(tuple(None if cell is None else 9 * cell for cell in row) for row in times)
    return Roads(metres, times)


@st.composite
def problems(draw: st.DrawFn) -> PlanningProblem:
    """Draw a small problem with everything that a problem can have."""
    points = draw(st.integers(2, 8))
    keys = [f"shift{number}" for number in range(draw(st.integers(1, 4)))]
    jobs = [draw(_jobs(number, points, keys)) for number in range(draw(st.integers(0, 9)))]
    dealt: dict[str, list[str]] = {key: [] for key in keys}
    for job in jobs:
        key = draw(st.sampled_from([None, *keys]))
        if key is not None:
            dealt[key].append(job.key)
    return PlanningProblem(
        jobs=tuple(jobs),
        shifts=tuple(draw(_shifts(key, points)) for key in keys),
        roads={profile: draw(_roads(points)) for profile in ("car", "bicycle")},
        aim=draw(st.sampled_from(["time", "cost", "vehicles", "balance"])),
        present=tuple(PresentRoute(shift=key, jobs=tuple(own)) for key, own in dealt.items()),
    )
