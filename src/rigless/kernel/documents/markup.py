"""Parts that reports as XML or HTML share: text that XML can hold, and one style sheet."""

STYLE = """
:root{color-scheme:light dark;--bad:#c0362c;--good:#2b7a4b;--line:#8884}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .4rem}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.4rem .6rem;border-top:1px solid var(--line);vertical-align:top}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}.dim{opacity:.7}
"""


def xml_text(text: str) -> str:
    """Replace the characters that XML cannot hold: controls, surrogates and noncharacters."""
    return "".join(
        c
        if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff"
        else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )
