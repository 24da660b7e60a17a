"""Makes `expect` cheap: a wait for an element that is not there yet describes no whole page.

Each time Playwright looks for an element in vain, it writes down the accessibility tree of the
page for the message of a failure. Of a load of the board that was half of the renderer's time.
Here it waits for the element first, which describes nothing, and looks at it afterwards.
"""

from typing import Any, Final

from playwright._impl.assertions import LocatorAssertions
from playwright.async_api import Error
from playwright.async_api import TimeoutError as LateError

# Assertions that an element fulfils by not being there, and whether they are negated.
FULFILLED_BY_ABSENCE: Final = {
    ("to.be.hidden", False),
    ("to.be.detached", False),
    ("to.be.visible", True),
    ("to.be.attached", True),
    ("to.be.in.viewport", True),
}
expect_at_once: Final = LocatorAssertions._call_expect  # noqa: SLF001 - there is no public way


def needs_element(expression: str, *, negated: bool) -> bool:
    """Tell whether an assertion can hold only of an element that is there."""
    counts = expression == "to.have.count" or expression.endswith(".array")
    return not counts and (expression, negated) not in FULFILLED_BY_ABSENCE


async def expect_when_attached(
    assertion: Any, expression: str, options: Any, title: str | None
) -> Any:
    """Wait until the element is there, then check the assertion as Playwright does."""
    if needs_element(expression, negated=options["isNot"]):
        try:
            await assertion._actual_locator.wait_for(options["timeout"], "attached")  # noqa: SLF001 - as Playwright
        except LateError:
            options["timeout"] = 1  # One look more, for the message.
        except Error:
            pass  # It comes again, and with the assertion's own words.
    return await expect_at_once(assertion, expression, options, title)


def install() -> None:
    """Let every `expect` of this process wait so."""
    LocatorAssertions._call_expect = expect_when_attached  # type: ignore[method-assign]  # noqa: SLF001
