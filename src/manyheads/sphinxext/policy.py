"""A Content-Security-Policy in every page of the built site: its scripts are the site's own, and it calls nobody else.

The theme writes scripts into its pages; the policy names them by their hashes.
"""

import base64
import hashlib
import re

SOURCES = {
    "default-src": "'self'",
    "script-src": "'self' 'wasm-unsafe-eval'",  # the pretrained models' kernel is WebAssembly
    "style-src": "'self' 'unsafe-inline'",  # maps are tinted by style attributes
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob: data:",  # in a page of another host, or in a sandboxed frame, a worker imports ours
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
HAS_POLICY = '<meta http-equiv="Content-Security-Policy"'
META = HAS_POLICY + ' content="{}">'
CHARSET = re.compile(r"<meta charset=[^>]*>", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


def inline_scripts(html):
    """The texts of the scripts that stand in a page.

    >>> inline_scripts('<script src="a.js"></script><script>b()</script><script type="application/json">{}</script>')
    ['b()']
    """
    return [
        found["text"]
        for found in SCRIPT.finditer(html)
        if not re.search(r'\bsrc=|type="(?!module|text/javascript)', found["attributes"])
    ]


def policy_of(html):
    """The policy of a page.

    >>> policy_of("<script>b()</script>").split("; ")[1]
    "script-src 'self' 'wasm-unsafe-eval' 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='"
    """
    digests = (hashlib.sha256(text.encode()).digest() for text in inline_scripts(html))
    hashes = dict.fromkeys(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    scripts = " ".join([SOURCES["script-src"], *hashes])
    return "; ".join(f"{kind} {sources}" for kind, sources in (SOURCES | {"script-src": scripts}).items())


def with_policy(html):
    """A page with its policy, which stands before all that it speaks of.

    >>> page = with_policy('<meta charset="utf-8"><script>b()</script>')
    >>> page.startswith('<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src')
    True

    A page that names no encoding stays as it is: it holds nothing but where to go.
    """
    return CHARSET.sub(lambda found: found[0] + META.format(policy_of(html)), html, count=1)
