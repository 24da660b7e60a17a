"""Notifications to recipients: their channels and texts, with a live preview."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.accounts.company_settings.news import Kind
from pannier.console import door, lookup, render
from pannier.console.desk import Desk
from pannier.console.door import Sent
from pannier.console.forms import OVERTAKEN, Field, Form, Refusal, worded
from pannier.console.words import Zone, dig
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.versions import PreconditionFailed

SETTINGS: Final = "/int/v1/settings"
STORES: Final = "/int/v1/storefronts"
STORE: Final = "/int/v1/storefronts/{storefront_id}"
API: Final = "/int/v1/settings/news"
PREVIEW: Final = f"{API}/preview"
HOME: Final = "/console/settings/news"
KINDS: Final = dict(worded(Kind))
LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "German", "fr": "French"}
CHANNELS: Final[Mapping[str, str]] = {"push": "push message", "sms": "SMS", "email": "e-mail"}
NOBODY: Final = "none"


def _ways() -> Iterator[tuple[str, str]]:
    """List every order in which channels can be tried."""
    for count in (3, 2, 1):
        for ways in permutations(CHANNELS, count):
            label = ", then ".join(CHANNELS[way] for way in ways)
            yield ",".join(ways), label[0].upper() + label[1:]
    yield NOBODY, "Off"


WAYS: Final = Form(
    (
        *(
            Field(name=kind, label=label, kind="choice", options=tuple(_ways()), required=True)
            for kind, label in KINDS.items()
        ),
        Field(
            name="sms_per_day", label="SMS per day", kind="number",
            help="Above this limit, other channels are used and admins are notified.",
        ),
    )
)  # fmt: skip
WORDS: Final = Form(
    (
        Field(name="text", label="SMS and push text", kind="area"),
        Field(
            name="subject", label="Subject", help="Used for push messages and e-mails."
        ),
        Field(name="email", label="E-mail text", kind="area"),
    )
)  # fmt: skip


class Chosen(NamedTuple):
    """The template being edited: a kind of notification in a language."""

    kind: str
    language: str

    @classmethod
    def of(cls, given: Mapping[str, str], languages: Sequence[str]) -> "Chosen":
        kind = given.get("kind", "")
        language = given.get("language", "").strip()[:35]
        return cls(kind if kind in KINDS else next(iter(KINDS)), language or languages[0])


class Whose(NamedTuple):
    """The owner of the templates: the company, or a storefront with its own."""

    # None for the company.
    store: Any
    stores: Sequence[Any]
    settings: Any
    news: Any

    @classmethod
    async def of(cls, desk: Desk, given: Mapping[str, str]) -> "Whose":
        """Load the settings and templates of the company, or of the given storefront."""
        stores = (await desk.rows(STORES, {"limit": "100"})).rows
        settings, named = await desk.get(SETTINGS), given.get("storefront")
        if not named:
            return cls(None, stores, settings, await desk.get(API))
        store = await desk.get(STORE, storefront_id=named)
        return cls(store, stores, settings, await desk.get(API, {"storefront": store["id"]}))

    @property
    def id(self) -> str | None:
        """The storefront's id, or None for the company."""
        return None if self.store is None else str(self.store["id"])

    @property
    def texts(self) -> Mapping[str, Any]:
        """The templates that the owner has customized."""
        found: Mapping[str, Any] | None = dig(
            self.settings if self.store is None else self.store["settings"], "news.texts"
        )
        return found or {}

    @property
    def version(self) -> int:
        """The version of the owner's settings."""
        return int((self.store or self.settings)["version"])

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that select the owner."""
        return {} if self.id is None else {"storefront": self.id}


class Seen(NamedTuple):
    """A message as its recipient would read it, or the problem with its template."""

    shown: Any = None
    problem: Problem | None = None


@get("/settings/news")
async def show_news(exchange: Exchange) -> Response[bytes]:
    """Show the channels, and the templates with a preview."""
    return await _shown(Desk(exchange), Sent(exchange.query))


async def _shown(
    desk: Desk,
    given: Mapping[str, str],
    typed: Mapping[str, str] | None = None,
    refusal: Refusal | None = None,
    status: int = 200,
    wrong: str = "",
) -> Response[bytes]:
    whose = await Whose.of(desk, given)
    settings, news = whose.settings, whose.news
    chosen = Chosen.of(given, news["languages"])
    words = said(news, chosen)
    filled = {name: words[name] for name in ("subject", "text", "email")} | dict(typed or {})
    return await render.page(
        desk, "news/news.html", title="Notifications", at=HOME, news=news, chosen=chosen,
        own=words["own"] if words["language"] == chosen.language else None,
        ways=WAYS, ways_filled={**_filled(settings), **(typed or {} if wrong == "ways" else {})},
        words=WORDS, filled=filled,
        seen=await seen(desk, chosen, filled, whose.id) if desk.may("POST", PREVIEW) else None,
        whose=whose, kinds=KINDS, languages=_languages(news, chosen), refusal=refusal or Refusal(),
        wrong=wrong, status=status, version=whose.version,
        writes=desk.may("PATCH", SETTINGS),
    )  # fmt: skip


def _filled(settings: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    told = settings["news"]
    ways = {kind: ",".join(told[kind]) or NOBODY for kind in KINDS}
    return {**ways, "sms_per_day": str(told["sms_per_day"])}


def _languages(news: Any, chosen: Chosen) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Name the languages that have templates, and the selected one."""
    tags = dict.fromkeys([*news["languages"], chosen.language])
    return {tag: LANGUAGES.get(tag, tag) for tag in tags}


def said(news: Any, chosen: Chosen) -> Any:  # noqa: ANN401 - JSON
    """Return the template that applies. A new language starts from the nearest one."""
    by = {(one["language"], one["kind"]): one for one in news["words"]}
    nearest = chosen.language.split("-", 1)[0]
    found = (by.get((tag, chosen.kind)) for tag in (chosen.language, nearest, "en"))
    return next(one for one in found if one is not None)


async def seen(
    desk: Desk, chosen: Chosen, filled: Mapping[str, str], store: str | None = None
) -> Seen:
    """Render a template as a recipient would read it, or report the problem."""
    parts = {field.name: filled.get(field.name, "").strip() or None for field in WORDS.fields}
    try:
        thought = {**chosen._asdict(), **parts, "storefront": store}
        return Seen(await desk.act("POST", PREVIEW, thought))
    except Problem as problem:
        return Seen(problem=problem)


@post("/settings/news/ways", status_code=200)
async def change_ways(exchange: Exchange) -> Response[bytes]:
    """Change the channels of notifications."""
    desk, sent = Desk(exchange), door.sent(exchange)
    settings = await desk.get(SETTINGS)
    before = _filled(settings)
    anew = {name: text for name, text in sent.items() if before.get(name, text) != text}
    body: dict[str, Any] = {
        kind: [] if anew[kind] == NOBODY else anew[kind].split(",")
        for kind in KINDS
        if kind in anew
    }
    budget = WAYS.fields[-1]
    if budget.name in anew:
        try:
            read = await lookup.resolve(desk, [budget], sent)
        except Problem as problem:
            return await _shown(desk, sent, sent, _refused(problem, WAYS), problem.status, "ways")
        body[budget.name] = budget.read(read, Zone.of({"settings": settings}).info)
    return await _saved(desk, sent, "ways", {"news": body} if body else {}, HOME)


@post("/settings/news/words", status_code=200)
async def change_words(exchange: Exchange) -> Response[bytes]:
    """Change the template of a notification, or preview it."""
    desk, sent = Desk(exchange), door.sent(exchange)
    if sent.get("do") == "look":
        return await _shown(desk, sent, sent)
    whose = await Whose.of(desk, sent)
    chosen = Chosen.of(sent, whose.news["languages"])
    texts = reworded(whose.texts, said(whose.news, chosen), chosen, sent)
    body = {} if texts == whose.texts else {"news": {"texts": texts or None}}
    here = render.address(HOME, {**whose.query, **chosen._asdict()})
    return await _saved(desk, sent, "words", body, f"{here}#words", whose.id)


async def _saved(
    desk: Desk, sent: Sent, part: str, body: Mapping[str, Any], to: str, store: str | None = None
) -> Response[bytes]:
    version = sent.get("version")
    try:
        if body and store is not None:
            changed = {"settings": body}
            await desk.act("PATCH", STORE, changed, version=version, storefront_id=store)
        elif body:
            await desk.act("PATCH", SETTINGS, body, version=version)
    except Problem as problem:
        await desk.undo(problem)
        form = WAYS if part == "ways" else WORDS
        return await _shown(desk, sent, sent, _refused(problem, form), problem.status, part)
    return render.led(desk.exchange, to, said="Saved." if body else "No changes.")


def _refused(problem: Problem, form: Form) -> Refusal:
    """Assign errors to fields. The path of a template's error ends with the field's name."""
    if isinstance(problem, PreconditionFailed):
        return Refusal(OVERTAKEN)
    beside = {}
    for offence in problem.fields:
        where, _, sentence = offence.message.partition(": ")
        name = (where if sentence else offence.path).rpartition(".")[2]
        beside[name] = sentence or offence.message
    known = {field.name for field in form.fields}
    if beside and beside.keys() <= known:
        return Refusal("Not saved. Check the marked fields.", beside)
    return Refusal(problem.detail, beside)


def reworded(
    texts: Mapping[str, Any], applied: Mapping[str, str], chosen: Chosen, sent: Sent
) -> dict[str, Any]:
    """Merge changed texts into the customized ones. An empty text restores the default."""
    own = dict(dig(texts, f"{chosen.language}.{chosen.kind}") or {})
    for field in WORDS.fields:
        typed = sent.get(field.name, applied[field.name]).replace("\r\n", "\n").strip()
        if typed != applied[field.name].strip():
            own[field.name] = typed
    kept = {name: text for name, text in own.items() if text}
    language = {**texts.get(chosen.language, {}), chosen.kind: kept}
    spoken = {kind: words for kind, words in language.items() if words}
    return {tag: words for tag, words in {**texts, chosen.language: spoken}.items() if words}


handlers: Final = [show_news, change_ways, change_words]
