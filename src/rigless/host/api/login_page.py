"""The page for a browser that has no valid token: a field for it.

The page needs no other file, because files are served to known browsers only. Its script is inline
and named by its hash in the content security policy.
"""

import base64
import hashlib

SCRIPT = """
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = document.querySelector("input").value.trim();
  const token = /[?&]token=([^&#]+)/.exec(text)?.[1] ?? encodeURIComponent(text);
  location.href = `/?token=${token}${location.hash}`;
});
"""
LOGIN_SCRIPT_HASH = (
    f"'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'"
)
STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  box-sizing: border-box; font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#e9edf1, #101316); color: light-dark(#151a1f, #e6eaee); }
main { max-width: 460px; padding: 24px 28px; border-radius: 12px;
  background: light-dark(#fff, #1b2026); border: 1px solid light-dark(#d9dfe5, #2a3138); }
h1 { margin: 0 0 8px; font-size: 22px; }
label { display: block; margin: 16px 0 6px; font-weight: 600; }
input, button { box-sizing: border-box; width: 100%; min-height: 44px; padding: 0 12px;
  font: inherit; border-radius: 8px; border: 1px solid light-dark(#68737e, #7b8792); }
button { margin-top: 12px; font-weight: 700; cursor: pointer; color: #fff; border: 0;
  background: light-dark(#1d5fa8, #2968b0); }
code { font-size: 14px; overflow-wrap: anywhere; }
.wrong { color: light-dark(#b42522, #ff8a84); font-weight: 600; }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>rigless: token</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head>
<body><main><h1>rigless</h1>
{wrong}<p>This panel needs the token of the run. Open the URL that rigless printed as it started,
or paste the token or the URL here.</p>
<form><label for="token">Token</label>
<input id="token" name="token" type="text" autocomplete="off" spellcheck="false" autofocus required>
<button>Open the panel</button></form></main>
<script>{script}</script></body></html>
"""
WRONG = '<p class="wrong" role="alert">This token is not valid. Was rigless restarted?</p>'


def login_page(wrong: bool) -> bytes:
    """Return the page; with `wrong`, it says that the given token is not valid."""
    return PAGE.format(style=STYLE, script=SCRIPT, wrong=WRONG if wrong else "").encode()
