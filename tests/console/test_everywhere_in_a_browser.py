"""What holds on every page of the console in a browser, found by walking through it.

Of the pages that load the same styles and scripts the first is opened. What every page has between
the side bar and the end is shown on a stage without the shell, which is the same on all of them:
with it, axe takes eight times as long.
"""

from itertools import groupby
from typing import Final

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import ViewportSize

from console import walk
from console.browser import AXE, RULE_FAILED, Tabs, in_both_themes
from console.looking import NARROW, SHOW
from console.reading import Page
from console.seat import Seat
from console.test_attempts import held
from console.test_new_order import RATE
from console.test_proofs import HERE
from pannier.console import assets, responses
from proofs.evidence import Courier
from stage import Firm

USUAL: Final[ViewportSize] = {"width": 1280, "height": 800}
ENDS: Final = "pickup=1.2840,103.8510&dropoff=1.3521,103.8198"
CONTRAST: Final = "color-contrast"
STAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Stage</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><head>
<link rel="stylesheet" href="{fonts}"><link rel="stylesheet" href="{style}"></head>
<body><div></div><main></main></body></html>"""
# What stands out to the right of a page that would have to be moved sideways.
OVERFLOW: Final = """() => {
    const wide = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= wide) return [];
    const moves = (one) => getComputedStyle(one).overflowX !== "visible";
    const held = (one) => one !== document.body && (moves(one) || held(one.parentElement));
    return [...document.querySelectorAll("body *")]
        .filter(one => one.getBoundingClientRect().right > wide + 1 && !held(one.parentElement))
        .map(one => `too wide: ${one.tagName} ${one.className}`).slice(0, 5);
}"""
# Takes away rows that have nothing but kinds of elements that rows above them have.
SHORTEN: Final = """() => {
    const kind = (one) => [one.tagName, one.className, one.type, one.getAttribute("role")].join();
    for (const list of document.querySelectorAll("main tbody, main ul, main ol, main select")) {
        const seen = new Set();
        for (const row of [...list.children]) {
            const kinds = [row, ...row.querySelectorAll("*")].map(kind);
            if (kinds.every((one) => seen.has(one))) row.remove();
            for (const one of kinds) seen.add(one);
        }
    }
}"""
# Leaves of a page only the words of a style that no page before it had, and what they stand in;
# tells whether there are any. A style is whatever the rules of the styles could ask for.
PRUNE: Final = """() => {
    const free = ["id", "name", "for", "href", "value"], word = /^[a-z-]*$/;
    const look = (one) => [one.tagName, one.className, one.matches("[type=radio]") && one.value,
        ...[...one.attributes].filter(({ name }) => !free.includes(name))
            .map(({ name, value }) => word.test(value) ? `${name}=${value}` : name)].join();
    const styles = [...document.styleSheets].map(({ href }) => href).join();
    const seen = ((window.looks ??= {})[styles] ??= new Set());
    const reads = (one) => one.matches("input, select, textarea")
        || [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const stays = (one, above) => {
        const style = `${above}/${look(one)}`;
        const inside = [...one.children].filter((child) => stays(child, style)).length > 0;
        const fresh = reads(one) && one.checkVisibility() && !seen.has(style);
        if (fresh) seen.add(style);
        // What is shown depends on what is checked.
        if (!inside && !fresh && !one.matches(":checked")) one.remove();
        return inside || fresh;
    };
    const main = document.querySelector("main");
    return [...main.children].filter((one) => stays(one, main.className)).length > 0;
}"""
# Names what a rule finds and on which page: the address is written on each part that is shown.
LOOK: Final = """(options) => axe.run({ include: [...document.querySelectorAll("main")] }, {
    resultTypes: ["violations"], preload: false, iframes: false, elementRef: true, ...options,
}).then((told) => [...told.violations, ...told.incomplete.filter(FAILED)].flatMap(
    ({ id, nodes }) => nodes.map(({ target, element }) =>
        [element.closest("main").dataset.address, `${id}: ${target[0]}`])))
""".replace("FAILED", RULE_FAILED)
# Shows pages one after another in one call, so that none of them is painted.
MEASURE: Final = f"""async (pages) => {{
    const found = [];
    for (const {{ address, text }} of pages) {{
        await ({SHOW})([text, "main"]);
        found.push(...({OVERFLOW})().map((one) => [address, one]));
    }}
    return found;
}}"""
# The colours of all of them are looked at together, below each other. Buttons of which one is
# chosen get names of their own, or one would be chosen on only one of the pages.
COMPARE: Final = f"""async ([pages, words, colours]) => {{
    const found = [], kept = [];
    for (const {{ address, text, first }} of pages) {{
        await ({SHOW})([text, "main"]);
        const main = document.querySelector("main");
        main.dataset.address = address;
        if (first) {{
            ({SHORTEN})();
            found.push(...await ({LOOK})(words));
        }}
        if (({PRUNE})()) kept.push(main);
    }}
    kept.forEach((main, number) => {{
        for (const one of main.querySelectorAll("[type=radio]")) one.name += number;
        main.style.contain = "layout";
    }});
    document.querySelector("main").replaceWith(...kept);
    document.body.style.display = "block";
    for (const theme of ["dark", "light"]) {{
        document.documentElement.dataset.theme = theme;
        const told = kept.length ? await ({LOOK})(colours) : [];
        found.push(...told.map(([address, one]) => [address, `${{theme}}: ${{one}}`]));
    }}
    document.body.style.display = "";
    for (const main of [...document.querySelectorAll("main")].slice(1)) main.remove();
    if (!kept.length) document.body.append(document.createElement("main"));
    return found;
}}"""
WORDS: Final = {"rules": {CONTRAST: {"enabled": False}}}
COLOURS: Final = {"runOnly": [CONTRAST]}


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_everybody_can_use_every_page_in_both_themes_and_on_a_phone(
    acme: Firm, seat: Seat, browse: Tabs
) -> None:
    await walk.furnish(acme)
    told = [*(await walk.pages(seat)).seen.values(), *await list_states(acme, seat)]
    seen = sorted(told, key=lambda one: list_files(one.page))
    page = await browse(maps=False)
    await page.set_viewport_size(NARROW)
    found = await look_at_whole_pages(page, seen)
    await page.set_viewport_size(USUAL)
    await page.goto(min(seen, key=lambda one: len(one.page.text)).address)
    found += [["the shell", one] for one in await in_both_themes(page)]
    await set_stage(page)
    await page.set_viewport_size(NARROW)
    found += await page.evaluate(
        MEASURE, [{"address": one.address, "text": one.page.text} for one in seen]
    )
    await page.set_viewport_size(USUAL)
    found += await look_closely(page, seen)
    assert found == []


async def look_at_whole_pages(page: Tab, seen: list[walk.Seen]) -> list[list[str]]:
    """Open a page of each set of styles and scripts, and name what is too wide for a phone."""
    found = []
    for _, alike in groupby(seen, key=lambda one: list_files(one.page)):
        whole = next(alike).address
        await page.goto(whole)
        found += [[f"{whole} with the shell", one] for one in await page.evaluate(OVERFLOW)]
    return found


async def look_closely(page: Tab, seen: list[walk.Seen]) -> list[list[str]]:
    """Name what keeps people from using what a page has, and from reading it in either theme.

    Only of a template that is new everything is looked at: colours are where a style is new.
    """
    await page.evaluate(AXE.read_text())
    found, templates = [], set[str]()
    for _, alike in groupby(seen, key=lambda one: list_styles(one.page)):
        pages = []
        for one in alike:
            first = one.template not in templates
            templates.add(one.template)
            pages.append({"address": one.address, "text": one.page.text, "first": first})
        found += await page.evaluate(COMPARE, [pages, WORDS, COLOURS])
    return found


async def list_states(firm: Firm, seat: Seat) -> list[walk.Seen]:
    """List pages that show more than those of the walk, each as a template of its own."""
    courier = Courier(firm)
    failed = await held(courier)
    proof = await courier.signed(await courier.careful("signature"), location=HERE)
    orders = {one["status"]: one for one in await courier.get("orders?limit=100")}
    rate = await courier.post("service-rates", **RATE)
    addresses = [
        *(f"/console/orders/{one['id']}" for one in (failed, *orders.values())),
        f"/console/proofs/{proof['id']}",
        f"/console/service-quotes/new?{ENDS}",
        f"/console/service-rates/{rate['id']}?{ENDS}",
    ]
    return [
        walk.Seen(address, await seat.open(address), 0, template=address) for address in addresses
    ]


async def set_stage(page: Tab) -> None:
    """Open an empty page with the styles and the policy of the console."""
    html = STAGE.format(fonts=assets.url("vendor/fonts/fonts.css"), style=assets.url("console.css"))
    headers = {"Content-Security-Policy": responses.format_policy("")}
    await page.route(
        "**/console/stage",
        lambda route: route.fulfill(body=html, content_type="text/html", headers=headers),
    )
    await page.goto("/console/stage")
    # Letters are as wide as they will be, though nothing is painted in between.
    await page.evaluate("Promise.all([...document.fonts].map((face) => face.load())).then(() => 0)")


def list_styles(page: Page) -> list[str]:
    """List the styles that a page loads."""
    return [one["href"] for one in page.root.all("link", rel="stylesheet")]


def list_files(page: Page) -> list[str]:
    """List the styles and scripts that a page loads."""
    return list_styles(page) + [one["src"] for one in page.root.all("script") if one["src"]]
