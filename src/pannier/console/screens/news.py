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
from pannier.console.region_options import LANGUAGE_NAMES
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
CHANNELS: Final[Mapping[str, str]] = {"push": "push notification", "sms": "SMS", "email": "email"}
OFF: Final = "none"


def _list_channel_orders() -> Iterator[tuple[str, str]]:
    """Yield the orders in which channels can be tried, as options."""
    for count in (3, 2, 1):
        for channel_order in permutations(CHANNELS, count):
            label = ", then ".join(CHANNELS[channel] for channel in channel_order)
            yield ",".join(channel_order), label[0].upper() + label[1:]
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
    def from_query(cls, query: Mapping[str, str], languages: Sequence[str]) -> "TemplateKey":
        kind = query.get("kind", "")
        language = query.get("language", "").strip()[:35]
        return cls(kind if kind in KINDS else next(iter(KINDS)), language or languages[0])


class TemplateOwner(NamedTuple):
    """The owner of the templates: the company, or a storefront with custom templates."""

    # None for the company.
    store: Any
    stores: Sequence[Any]
    settings: Any
    news: Any

    @classmethod
    async def load(cls, client: ApiClient, query: Mapping[str, str]) -> "TemplateOwner":
        """Load the settings and templates of the company, or of the storefront in the query."""
        stores = (await client.list_rows(STORES, {"limit": "100"})).rows
        settings, storefront = await client.get(SETTINGS), query.get("storefront")
        if not storefront:
            return cls(None, stores, settings, await client.get(API))
        store = await client.get(STORE, storefront_id=storefront)
        return cls(store, stores, settings, await client.get(API, {"store": store["id"]}))

    @property
    def id(self) -> str | None:
        """The storefront's id, or None for the company."""
        return None if self.store is None else str(self.store["id"])

    @property
    def texts(self) -> Mapping[str, Any]:
        """The templates that the owner has customized."""
        custom_texts: Mapping[str, Any] | None = dig(
            self.settings if self.store is None else self.store["settings"], "news.texts"
        )
        return custom_texts or {}

    @property
    def version(self) -> int:
        """The version of the owner's settings."""
        return int((self.store or self.settings)["version"])

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that select the owner."""
        return {} if self.id is None else {"storefront": self.id}


class Preview(NamedTuple):
    """A rendered message, or the problem with its template."""

    message: Any = None
    problem: Problem | None = None


@get("/settings/news")
async def show_news(exchange: Exchange) -> Response[bytes]:
    """Show the channels, and the templates with a preview."""
    return await _render_news(ApiClient(exchange), FormData(exchange.query))


async def _render_news(
    client: ApiClient,
    query: Mapping[str, str],
    input_values: Mapping[str, str] | None = None,
    form_errors: FormErrors | None = None,
    status: int = 200,
    refused_form: str = "",
) -> Response[bytes]:
    owner = await TemplateOwner.load(client, query)
    settings, news = owner.settings, owner.news
    template_key = TemplateKey.from_query(query, news["languages"])
    template = find_template(news, template_key)
    values = {name: template[name] for name in ("subject", "text", "email")} | dict(
        input_values or {}
    )
    return await responses.render_page(
        client,
        "news/news.html",
        title="Notifications",
        url=HOME,
        news=news,
        chosen=template_key,
        own=template["own"] if template["language"] == template_key.language else None,
        ways=CHANNELS_FORM,
        ways_filled={
            **_fill_channels(settings),
            **(input_values or {} if refused_form == "ways" else {}),
        },
        words=TEMPLATE_FORM,
        filled=values,
        preview=await load_preview(client, template_key, values, owner.id)
        if client.is_allowed("POST", PREVIEW)
        else None,
        owner=owner,
        kinds=KINDS,
        languages=_name_languages(news, template_key),
        refusal=form_errors or FormErrors(),
        refused_form=refused_form,
        status=status,
        version=owner.version,
        writes=client.is_allowed("PATCH", SETTINGS),
    )


def _fill_channels(settings: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    news = settings["news"]
    channels = {kind: ",".join(news[kind]) or OFF for kind in KINDS}
    return {**channels, "sms_per_day": str(news["sms_per_day"])}


def _name_languages(news: Any, template_key: TemplateKey) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the names of the languages with templates, and of the selected language."""
    tags = dict.fromkeys([*news["languages"], template_key.language])
    return {tag: LANGUAGE_NAMES.get(tag, tag) for tag in tags}


def find_template(news: Any, template_key: TemplateKey) -> Any:  # noqa: ANN401 - JSON
    """Return the template in the language, its base language or English."""
    templates_by_key = {
        (template["language"], template["kind"]): template for template in news["words"]
    }
    base_language = template_key.language.split("-", 1)[0]
    candidates = (
        templates_by_key.get((tag, template_key.kind))
        for tag in (template_key.language, base_language, "en")
    )
    return next(template for template in candidates if template is not None)


async def load_preview(
    client: ApiClient,
    template_key: TemplateKey,
    values: Mapping[str, str],
    store: str | None = None,
) -> Preview:
    """Render a template for a recipient, or report the problem with it."""
    texts = {
        field.name: values.get(field.name, "").strip() or None for field in TEMPLATE_FORM.fields
    }
    try:
        draft = {**template_key._asdict(), **texts, "store": store}
        return Preview(await client.send("POST", PREVIEW, draft))
    except Problem as problem:
        return Preview(problem=problem)


@post("/settings/news/ways", status_code=200)
async def change_channels(exchange: Exchange) -> Response[bytes]:
    """Change the channels of notifications."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    settings = await client.get(SETTINGS)
    previous_values = _fill_channels(settings)
    changed_values = {
        name: text for name, text in form_data.items() if previous_values.get(name, text) != text
    }
    body: dict[str, Any] = {
        kind: [] if changed_values[kind] == OFF else changed_values[kind].split(",")
        for kind in KINDS
        if kind in changed_values
    }
    budget_field = CHANNELS_FORM.fields[-1]
    if budget_field.name in changed_values:
        try:
            resolved_data = await lookup.resolve_form(client, [budget_field], form_data)
        except Problem as problem:
            return await _render_news(
                client,
                form_data,
                form_data,
                _to_errors(problem, CHANNELS_FORM),
                problem.status,
                "ways",
            )
        body[budget_field.name] = budget_field.parse(
            resolved_data, TimeZone.from_company({"settings": settings}).info
        )
    return await _save_settings(client, form_data, "ways", {"news": body} if body else {}, HOME)


@post("/settings/news/words", status_code=200)
async def change_template(exchange: Exchange) -> Response[bytes]:
    """Change the template of a notification, or preview it."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    if form_data.get("do") == "look":
        return await _render_news(client, form_data, form_data)
    owner = await TemplateOwner.load(client, form_data)
    template_key = TemplateKey.from_query(form_data, owner.news["languages"])
    texts = merge_texts(
        owner.texts, find_template(owner.news, template_key), template_key, form_data
    )
    body = {} if texts == owner.texts else {"news": {"texts": texts or None}}
    page_url = responses.build_url(HOME, {**owner.query, **template_key._asdict()})
    return await _save_settings(client, form_data, "words", body, f"{page_url}#words", owner.id)


async def _save_settings(
    client: ApiClient,
    form_data: FormData,
    form_name: str,
    body: Mapping[str, Any],
    redirect_url: str,
    store: str | None = None,
) -> Response[bytes]:
    version = form_data.get("version")
    try:
        if body and store is not None:
            store_change = {"settings": body}
            await client.send("PATCH", STORE, store_change, version=version, storefront_id=store)
        elif body:
            await client.send("PATCH", SETTINGS, body, version=version)
    except Problem as problem:
        await client.undo(problem)
        form = CHANNELS_FORM if form_name == "ways" else TEMPLATE_FORM
        return await _render_news(
            client, form_data, form_data, _to_errors(problem, form), problem.status, form_name
        )
    return responses.redirect_with_flash(
        client.exchange, redirect_url, message="Saved." if body else "No changes."
    )


def _to_errors(problem: Problem, form: Form) -> FormErrors:
    """Assign errors to fields. The message of a template's error starts with its path.

    The last part of that path is the field's name: `order.created.sms.text: must …`.
    """
    if isinstance(problem, PreconditionFailed):
        return FormErrors(STALE_MESSAGE)
    field_errors = {}
    for offence in problem.fields:
        path, _, sentence = offence.message.partition(": ")
        name = (path if sentence else offence.path).rpartition(".")[2]
        field_errors[name] = sentence or offence.message
    names = {field.name for field in form.fields}
    if field_errors and field_errors.keys() <= names:
        return FormErrors("Not saved. Check the marked fields.", field_errors)
    return FormErrors(problem.detail, field_errors)


def merge_texts(
    texts: Mapping[str, Any],
    template: Mapping[str, str],
    template_key: TemplateKey,
    form_data: FormData,
) -> dict[str, Any]:
    """Merge changed texts into the custom texts. An empty text restores the default."""
    custom_texts = dict(dig(texts, f"{template_key.language}.{template_key.kind}") or {})
    for field in TEMPLATE_FORM.fields:
        new_text = form_data.get(field.name, template[field.name]).replace("\r\n", "\n").strip()
        if new_text != template[field.name].strip():
            custom_texts[field.name] = new_text
    nonempty_texts = {name: text for name, text in custom_texts.items() if text}
    texts_by_kind = {**texts.get(template_key.language, {}), template_key.kind: nonempty_texts}
    language_texts = {kind: kind_texts for kind, kind_texts in texts_by_kind.items() if kind_texts}
    return {
        tag: kind_texts
        for tag, kind_texts in {**texts, template_key.language: language_texts}.items()
        if kind_texts
    }


handlers: Final = [show_news, change_channels, change_template]
