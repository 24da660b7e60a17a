import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.web.limits import Rate, RateLimiter
from program import PATIENCE

NOW = 1_800_000_000.0
HAMMER = """
import sys
from pathlib import Path
from pannier.web.limits import Rate, RateLimiter
path, keys, hits, count = Path(sys.argv[1]), *map(int, sys.argv[2:])
print("ready", flush=True)
sys.stdin.readline()
limiter, rate = RateLimiter(path), Rate(count, 3600)
allowed = 0
for hit in range(hits):
    allowed += limiter.hit(f"key{hit % keys}", rate, 1_800_000_000.0) == 0
print(allowed, flush=True)
"""


def hammer(path: Path, *, processes: int, keys: int, hits: int, count: int) -> int:
    """Let real processes open the table at one moment and hit it; how many hits were allowed."""
    command = [sys.executable, "-c", HAMMER, str(path), str(keys), str(hits), str(count)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return sum(int(process.communicate(timeout=PATIENCE)[0]) for process in running)


@pytest.fixture(params=["private", "shared"])
def limiter(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RateLimiter]:
    limiter = RateLimiter(None if request.param == "private" else tmp_path / "limits")
    yield limiter
    limiter.close()


def test_a_burst_is_allowed_and_the_next_hit_waits_one_interval(limiter: RateLimiter) -> None:
    rate = Rate(5, 10)

    assert [limiter.hit("a", rate, NOW) for _ in range(5)] == [0.0] * 5
    assert limiter.hit("a", rate, NOW) == 2.0
    assert limiter.hit("a", rate, NOW + 1.5) == 0.5
    assert limiter.hit("a", rate, NOW + 2) == 0.0
    assert limiter.hit("a", rate, NOW + 2) == 2.0


def test_a_refused_hit_consumes_nothing(limiter: RateLimiter) -> None:
    rate = Rate(1, 60)
    limiter.hit("a", rate, NOW)

    assert {limiter.hit("a", rate, NOW) for _ in range(1000)} == {60.0}
    assert limiter.hit("a", rate, NOW + 60) == 0.0


def test_keys_do_not_touch_one_another(limiter: RateLimiter) -> None:
    rate = Rate(1, 60)

    assert [limiter.hit(f"key{number}", rate, NOW) for number in range(1000)] == [0.0] * 1000
    assert [limiter.hit(f"key{number}", rate, NOW) for number in range(1000)] == [60.0] * 1000


def test_a_smaller_burst_spreads_the_hits(limiter: RateLimiter) -> None:
    rate = Rate(60, 60, burst=1)

    assert limiter.hit("a", rate, NOW) == 0.0
    assert limiter.hit("a", rate, NOW) == 1.0
    assert limiter.hit("a", rate, NOW + 1) == 0.0


def test_remaining_tells_what_is_left_and_spends_nothing(limiter: RateLimiter) -> None:
    rate = Rate(3, 30)

    assert limiter.count_remaining_hits("a", rate, NOW) == 3
    limiter.hit("a", rate, NOW)
    assert limiter.count_remaining_hits("a", rate, NOW) == 2
    assert limiter.count_remaining_hits("a", rate, NOW) == 2
    limiter.hit("a", rate, NOW)
    limiter.hit("a", rate, NOW)
    assert limiter.count_remaining_hits("a", rate, NOW) == 0
    assert limiter.count_remaining_hits("a", rate, NOW + 10) == 1
    assert limiter.count_remaining_hits("a", rate, NOW + 1000) == 3


def test_a_key_may_hold_any_text_a_client_sends(limiter: RateLimiter) -> None:
    assert limiter.hit("login:\ud800\0é" + "x" * 10_000, Rate(1, 1), NOW) == 0.0
    assert limiter.hit("", Rate(1, 1), NOW) == 0.0


def test_a_clock_set_back_shuts_a_key_for_no_longer_than_its_rate(limiter: RateLimiter) -> None:
    rate = Rate(2, 60)
    limiter.hit("a", rate, NOW + 86_400)
    limiter.hit("a", rate, NOW + 86_400)

    assert limiter.hit("a", rate, NOW) == 30.0


@given(
    st.integers(1, 1000),
    st.sampled_from([0.1, 1, 7, 60, 3600, 86_400]),
    st.integers(1, 50),
)
def test_exactly_the_burst_passes_at_one_moment(count: int, seconds: float, burst: int) -> None:
    limiter = RateLimiter(None, slots=8)
    rate = Rate(count, seconds, burst)

    assert sum(limiter.hit("a", rate, NOW) == 0 for _ in range(burst + 10)) == burst


@given(
    st.integers(1, 20),
    st.integers(1, 20),
    st.lists(st.integers(0, 3_000_000_000), min_size=1, max_size=80),
)
def test_over_any_time_no_more_than_burst_and_rate_pass(
    count: int, burst: int, gaps: list[int]
) -> None:
    limiter, rate, elapsed, allowed = RateLimiter(None, slots=8), Rate(count, 10, burst), 0, 0
    for gap in gaps:
        elapsed += gap
        allowed += limiter.hit("a", rate, elapsed / 1e9) == 0
        assert allowed <= burst + elapsed * count / 10e9 + 1e-6


@given(st.integers(1, 50), st.integers(1, 5))
def test_waiting_as_long_as_told_is_enough(count: int, burst: int) -> None:
    limiter, rate = RateLimiter(None, slots=8), Rate(count, 60, burst)
    wait = [limiter.hit("a", rate, NOW) for _ in range(burst + 1)][-1]

    assert limiter.hit("a", rate, NOW + wait / 2) > 0
    # A microsecond more than told, because a present-day time in a float is no finer.
    assert limiter.hit("a", rate, NOW + wait + 1e-6) == 0.0


def test_a_full_table_gives_up_the_slot_that_frees_first() -> None:
    limiter = RateLimiter(None, slots=8)
    for minute in range(1, 9):
        limiter.hit(f"minute{minute}", Rate(1, 60 * minute), NOW)

    assert limiter.hit("newcomer", Rate(1, 3600), NOW) == 0.0
    assert limiter.hit("newcomer", Rate(1, 3600), NOW) == 3600.0
    assert limiter.hit("minute2", Rate(1, 120), NOW) == 120.0
    assert limiter.hit("minute1", Rate(1, 60), NOW) == 0.0


def test_a_slot_whose_time_has_passed_is_free_again() -> None:
    limiter = RateLimiter(None, slots=8)
    for number in range(8):
        limiter.hit(f"old{number}", Rate(1, 1), NOW)
    for number in range(8):
        limiter.hit(f"new{number}", Rate(1, 60), NOW + 2)

    assert [limiter.hit(f"new{number}", Rate(1, 60), NOW + 2) for number in range(8)] == [60.0] * 8


@pytest.mark.parametrize(
    "given_rate", [(0, 1, None), (1, 0, None), (1, 1, 0), (1, float("nan"), None), (-1, 1, 1)]
)
def test_an_impossible_rate_is_refused(given_rate: tuple[int, float, int | None]) -> None:
    with pytest.raises(ValueError, match="positive"):
        Rate(*given_rate)


def test_an_impossible_table_is_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 8"):
        RateLimiter(None, slots=12)


def test_a_second_opening_of_the_file_sees_the_first_ones_hits(tmp_path: Path) -> None:
    rate = Rate(1, 60)
    first = RateLimiter(tmp_path / "limits")
    first.hit("a", rate, NOW)
    first.close()
    second = RateLimiter(tmp_path / "limits")

    assert second.hit("a", rate, NOW) == 60.0
    second.close()


@pytest.mark.slow
def test_processes_that_create_and_hammer_one_table_allow_exactly_the_burst(
    tmp_path: Path,
) -> None:
    allowed = hammer(tmp_path / "limits", processes=6, keys=1, hits=4000, count=10_000)

    assert allowed == 10_000
    assert os.listdir(tmp_path) == ["limits"]  # noqa: PTH208 - names are the sentence


@pytest.mark.slow
def test_processes_that_hammer_many_keys_allow_exactly_each_keys_burst(tmp_path: Path) -> None:
    assert hammer(tmp_path / "limits", processes=4, keys=50, hits=5000, count=150) == 50 * 150


def test_threads_that_share_a_limiter_allow_exactly_the_burst(limiter: RateLimiter) -> None:
    rate = Rate(1000, 3600)
    with ThreadPoolExecutor(4) as pool:
        waits = list(pool.map(lambda _: limiter.hit("a", rate, NOW), range(4000)))

    assert waits.count(0.0) == 1000


@pytest.mark.parametrize(
    "content",
    [b"", b"pnlimit0" + bytes(64 + 65536 * 16 - 8), b"nonsense" * 1000, b"pnlimit1"],
    ids=["empty", "another version", "foreign", "cut short"],
)
def test_a_file_that_is_no_table_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "limits"
    path.write_bytes(content)
    limiter = RateLimiter(path)

    assert limiter.hit("a", Rate(1, 60), NOW) == 0.0
    assert limiter.hit("a", Rate(1, 60), NOW) == 60.0
    assert path.stat().st_size == 64 + 65536 * 16
    assert path.stat().st_mode & 0o777 == 0o600
    limiter.close()


def test_a_table_of_another_size_is_made_anew_and_the_old_one_goes_on_working(
    tmp_path: Path,
) -> None:
    old = RateLimiter(tmp_path / "limits", slots=64)
    new = RateLimiter(tmp_path / "limits", slots=16)

    assert old.hit("a", Rate(1, 60), NOW) == 0.0
    assert new.hit("a", Rate(1, 60), NOW) == 0.0
    assert old.hit("a", Rate(1, 60), NOW) == 60.0
    old.close()
    new.close()


def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("data")
    (tmp_path / "limits").symlink_to(target)

    with pytest.raises(OSError, match="limits"):
        RateLimiter(tmp_path / "limits")
    assert target.read_text() == "data"
