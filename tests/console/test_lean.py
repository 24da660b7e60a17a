"""What phones load is what was written, without what only people read."""

import pytest

from pannier.console import assets
from pannier.console.minifier import minify


@pytest.mark.parametrize(
    ("written", "loaded"),
    [
        ("// Why.\n  const a = { b: 1 };\n", "const a={b:1};\n"),
        ("/** @type {(a: A) => B} */\nfunction b(a) {}\n", "function b(a){}\n"),
        ("const a = /** @type {A} */ (b), c = [/** @type {C} */ (d)];", "const a=(b),c=[(d)];"),
        ('say("/** a */", `/** b */`);', 'say("/** a */",`/** b */`);'),
        ('say("a , b = c", (d) => d);', 'say("a , b = c",(d)=>d);'),
        ('say("a \\" , b", c);', 'say("a \\" , b",c);'),
        ("t(`${a ? `, ${b}` : c} , d`, e, f);", "t(`${a ? `, ${b}` : c} , d`,e,f);"),
        ('text.replace(/^[/ ], "/g, "");', 'text.replace(/^[/ ], "/g,"");'),
        ("a = b / c, d = e / f;", "a=b / c,d=e / f;"),
        ("a = b - -c + +d;", "a=b - -c + +d;"),
        ("a = /, /.test(b) ?? c;", "a=/, /.test(b)??c;"),
        ("const a = () => {\n  b();\n  c();\n};\n", "const a=()=>{\nb()\nc()\n};\n"),
        (
            "let a = b;\n[c, d] = e;\n(f ?? g)();\n`h`.i;\n",
            "let a=b;\n[c,d]=e;\n(f??g)();\n`h`.i;\n",
        ),
    ],
)
def test_a_script_means_what_it_did(written: str, loaded: str) -> None:
    assert minify("driver/app.js", written.encode()).decode() == loaded


@pytest.mark.parametrize(
    ("written", "loaded"),
    [
        ("/* Why: { a } */\na { b: c, d; }\n", "a{b:c,d}"),
        ("a :hover > b + c { d: calc(1px + 2px); }", "a :hover > b + c{d:calc(1px + 2px)}"),
        ('a::after { content: " , "; }', 'a::after{content:" , "}'),
        ("a,\nb {\n  c: d;\n}\ne { f: g }\n", "a,b{c:d}e{f:g}"),
        ("@media (a: b) and (c: d) { e { f: g } }", "@media (a:b) and (c:d){e{f:g}}"),
    ],
)
def test_a_style_means_what_it_did(written: str, loaded: str) -> None:
    assert minify("driver/app.css", written.encode()).decode() == loaded


def test_what_others_made_is_served_as_it_is() -> None:
    shelf, name = assets.load_store(), "vendor/signature_pad.min.js"
    assert shelf.files[name] == (assets.VENDOR / "signature_pad.min.js").read_bytes()
