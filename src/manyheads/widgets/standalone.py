"""Figures as one file: a page that brings its style and its script, and asks nobody for anything."""

import gzip
from base64 import b64encode
from html import escape

from manyheads.widgets.web_files import built

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style class="manyheads">{style}</style>
</head>
<body>
{body}
<script type="module">
// The figures' script, packed so that the file is light to send.
const packed = Uint8Array.from(atob("{packed}"), (char) => char.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(unpacked).text();
document.head.append(script);
</script>
</body>
</html>
"""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"  # no network


def standalone_page(figures, module, style):
    """A page of figures, [(title or "", element), ...], with the module that brings them to life.

    >>> page = standalone_page([("Hot <tea>", "<head-map></head-map>")], "const end = '</script>';", "p { margin: 0 }")
    >>> "<h2>Hot &lt;tea&gt;</h2>" in page, page.count("</script>")
    (True, 1)
    """
    sections = [f"<h2>{escape(title)}</h2>{html}" if title else html for title, html in figures]
    return PAGE.format(
        policy=POLICY,
        title=escape(figures[0][0] or "Attention"),
        style=style + built("plain.css"),
        body="\n".join(f"<section>{section}</section>" for section in sections),
        packed=b64encode(gzip.compress(module.encode(), mtime=0)).decode(),
    )
