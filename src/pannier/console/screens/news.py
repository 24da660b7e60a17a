"""Notifications to recipients: their channels and texts, with a live preview."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.accounts.company_settings.news import Kind
from pannier.console import lookup, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.formatting import TimeZone, dig
from pannier.console.forms import STALE_MESSAGE, Field, Form, FormErrors, to_options
from pannier.console.session import FormData
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
KINDS: Final = dict(to_options(Kind))
LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "German", "fr": "French"}
CHANNELS: Final[Mapping[str, str]] = {"push": "push notification", "sms": "SMS", "email": "email"}
OFF: Final = "none"


def _list_channel_orders() -> Iterator[tuple[str, str]]:
    """List every order in which channels can be tried."""
    for count in (3, 2, 1):
        for ways in permutations(CHANNELS, count):
            label = ", then ".join(CHANNELS[channel] for channel in ways)
            yield ",".join(ways), label[0].upper() + label[1:]
    yield OFF, "Off"


CHANNELS_FORM: Final = Form(
    (
        *(
            Field(
                name=kind,
                label=label,
                kind="choice",
                options=tuple(_list_channel_orders()),
                required=True,
            )
            for kind, label in KINDS.items()
        ),
        Field(
            name="sms_per_day",
            label="SMS per day",
            kind="number",
            help="Above this limit, other channels are used and admins are notified.",
        ),
    )
)
TEMPLATE_FORM: Final = Form(
    (
        Field(name="text", label="SMS and push text", kind="area"),
        Field(
            name="subject", label="Subject", help="Used for push notifications and emails."
        ),
        Field(name="email", label="Email text", kind="area"),
    )
)  # fmt: skip


class TemplateKey(NamedTuple):
    """The template being edited: a kind of notification in a language."""

    kind: str
    language: str

    @classmethod
    def from_query(cls, given: Mapping[str, str], languages: Sequence[str]) -> "TemplateKey":
        kind = given.get("kind", "")
        language = given.get("language", "").strip()[:35]
        return cls(kind if kind in KINDS else next(iter(KINDS)), language or languages[0])


class TemplateOwner(NamedTuple):
    """The owner of the templates: the company, or a storefront with its own."""

    # None for the company.
    store: Any
    stores: Sequence[Any]
    settings: Any
    news: Any

    @classmethod
    async def load(cls, client: ApiClient, given: Mapping[str, str]) -> "TemplateOwner":
        """Load the settings and templates of the company, or of the given storefront."""
        stores = (await client.list_rows(STORES, {"limit": "100"})).rows
        settings, named = await client.get(SETTINGS), given.get("storefront")
        if not named:
            return cls(None, stores, settings, await client.get(API))
        store = await client.get(STORE, storefront_id=named)
        return cls(store, stores, settings, await client.get(API, {"storefront": store["id"]}))

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


class Preview(NamedTuple):
    """A message as its recipient would read it, or the problem with its template."""

    message: Any = None
    problem: Problem | None = None


@get("/settings/news")
async def show_news(exchange: Exchange) -> Response[bytes]:
    """Show the channels, and the templates with a preview."""
    return await _render_news(ApiClient(exchange), FormData(exchange.query))


async def _render_news(
    client: ApiClient,
    given: Mapping[str, str],
    typed: Mapping[str, str] | None = None,
    refusal: FormErrors | None = None,
    status: int = 200,
    wrong: str = "",
) -> Response[bytes]:
    owner = await TemplateOwner.load(client, given)
    settings, news = owner.settings, owner.news
    chosen = TemplateKey.from_query(given, news["languages"])
    words = find_template(news, chosen)
    filled = {name: words[name] for name in ("subject", "text", "email")} | dict(typed or {})
    return await responses.render_page(
        client,
        "news/news.html",
        title="Notifications",
        url=HOME,
        news=news,
        chosen=chosen,
        own=words["own"] if words["language"] == chosen.language else None,
        ways=CHANNELS_FORM,
        ways_filled={**_fill_channels(settings), **(typed or {} if wrong == "ways" else {})},
        words=TEMPLATE_FORM,
        filled=filled,
        seen=await load_preview(client, chosen, filled, owner.id)
        if client.is_allowed("POST", PREVIEW)
        else None,
        whose=owner,
        kinds=KINDS,
        languages=_language_names(news, chosen),
        refusal=refusal or FormErrors(),
        wrong=wrong,
        status=status,
        version=owner.version,
        writes=client.is_allowed("PATCH", SETTINGS),
    )


def _fill_channels(settings: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    news = settings["news"]
    ways = {kind: ",".join(news[kind]) or OFF for kind in KINDS}
    return {**ways, "sms_per_day": str(news["sms_per_day"])}


def _language_names(news: Any, chosen: TemplateKey) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Name the languages that have templates, and the selected one."""
    tags = dict.fromkeys([*news["languages"], chosen.language])
    return {tag: LANGUAGES.get(tag, tag) for tag in tags}


def find_template(news: Any, chosen: TemplateKey) -> Any:  # noqa: ANN401 - JSON
    """Return the template that applies. A new language starts from the nearest one."""
    by = {(template["language"], template["kind"]): template for template in news["words"]}
    nearest = chosen.language.split("-", 1)[0]
    found = (by.get((tag, chosen.kind)) for tag in (chosen.language, nearest, "en"))
    return next(template for template in found if template is not None)


async def load_preview(
    client: ApiClient, chosen: TemplateKey, filled: Mapping[str, str], store: str | None = None
) -> Preview:
    """Render a template as a recipient would read it, or report the problem."""
    parts = {
        field.name: filled.get(field.name, "").strip() or None for field in TEMPLATE_FORM.fields
    }
    try:
        draft = {**chosen._asdict(), **parts, "storefront": store}
        return Preview(await client.send("POST", PREVIEW, draft))
    except Problem as problem:
        return Preview(problem=problem)


@post("/settings/news/ways", status_code=200)
async def change_channels(exchange: Exchange) -> Response[bytes]:
    """Change the channels of notifications."""
    client, sent = ApiClient(exchange), session.read_form(exchange)
    settings = await client.get(SETTINGS)
    before = _fill_channels(settings)
    anew = {name: text for name, text in sent.items() if before.get(name, text) != text}
    body: dict[str, Any] = {
        kind: [] if anew[kind] == OFF else anew[kind].split(",") for kind in KINDS if kind in anew
    }
    budget = CHANNELS_FORM.fields[-1]
    if budget.name in anew:
        try:
            read = await lookup.resolve(client, [budget], sent)
        except Problem as problem:
            return await _render_news(
                client, sent, sent, _to_errors(problem, CHANNELS_FORM), problem.status, "ways"
            )
        body[budget.name] = budget.parse(read, TimeZone.from_company({"settings": settings}).info)
    return await _save(client, sent, "ways", {"news": body} if body else {}, HOME)


@post("/settings/news/words", status_code=200)
async def change_template(exchange: Exchange) -> Response[bytes]:
    """Change the template of a notification, or preview it."""
    client, sent = ApiClient(exchange), session.read_form(exchange)
    if sent.get("do") == "look":
        return await _render_news(client, sent, sent)
    owner = await TemplateOwner.load(client, sent)
    chosen = TemplateKey.from_query(sent, owner.news["languages"])
    texts = merge_texts(owner.texts, find_template(owner.news, chosen), chosen, sent)
    body = {} if texts == owner.texts else {"news": {"texts": texts or None}}
    page_url = responses.build_url(HOME, {**owner.query, **chosen._asdict()})
    return await _save(client, sent, "words", body, f"{page_url}#words", owner.id)


async def _save(
    client: ApiClient,
    sent: FormData,
    part: str,
    body: Mapping[str, Any],
    to: str,
    store: str | None = None,
) -> Response[bytes]:
    version = sent.get("version")
    try:
        if body and store is not None:
            changed = {"settings": body}
            await client.send("PATCH", STORE, changed, version=version, storefront_id=store)
        elif body:
            await client.send("PATCH", SETTINGS, body, version=version)
    except Problem as problem:
        await client.undo(problem)
        form = CHANNELS_FORM if part == "ways" else TEMPLATE_FORM
        return await _render_news(
            client, sent, sent, _to_errors(problem, form), problem.status, part
        )
    return responses.redirect_with_flash(
        client.exchange, to, message="Saved." if body else "No changes."
    )


def _to_errors(problem: Problem, form: Form) -> FormErrors:
    """Assign errors to fields. The path of a template's error ends with the field's name."""
    if isinstance(problem, PreconditionFailed):
        return FormErrors(STALE_MESSAGE)
    field_errors = {}
    for offence in problem.fields:
        where, _, sentence = offence.message.partition(": ")
        name = (where if sentence else offence.path).rpartition(".")[2]
        field_errors[name] = sentence or offence.message
    names = {field.name for field in form.fields}
    if field_errors and field_errors.keys() <= names:
        return FormErrors("Not saved. Check the marked fields.", field_errors)
    return FormErrors(problem.detail, field_errors)


def merge_texts(
    texts: Mapping[str, Any], applied: Mapping[str, str], chosen: TemplateKey, sent: FormData
) -> dict[str, Any]:
    """Merge changed texts into the customized ones. An empty text restores the default."""
    own = dict(dig(texts, f"{chosen.language}.{chosen.kind}") or {})
    for field in TEMPLATE_FORM.fields:
        typed = sent.get(field.name, applied[field.name]).replace("\r\n", "\n").strip()
        if typed != applied[field.name].strip():
            own[field.name] = typed
    kept = {name: text for name, text in own.items() if text}
    language = {**texts.get(chosen.language, {}), chosen.kind: kept}
    spoken = {kind: words for kind, words in language.items() if words}
    return {tag: words for tag, words in {**texts, chosen.language: spoken}.items() if words}


handlers: Final = [show_news, change_channels, change_template]
