"""What is done once Sphinx has written the pages: figures are drawn, frames get files, a policy says what may run."""

import hashlib
import os
import re
from html import unescape
from pathlib import Path

from manyheads.sphinxext import assets, equations, publishing, stylesheets, theme
from manyheads.sphinxext.figures import figures_in
from manyheads.sphinxext.policy import HAS_POLICY, with_policy
from manyheads.sphinxext.prerender import draw_figures
from manyheads.sphinxext.progress import stage
from manyheads.sphinxext.theme_fixes import fix

WRITTEN_OUT = re.compile(r'(<iframe class="bertviz"[^>]*) srcdoc="([^"]*)"')
OPTIONS = re.compile(r'<script src="(?P<address>[^"?]*/documentation_options\.js)[^"]*"></script>')
ARRIVING = re.compile(r'<link id="arriving" [^>]*href="(?P<address>[^"?]*)[^"]*"[^>]*>')


def finish(app, error):
    """Puts what the pages need into the built site: each is read once, once more where its figures are drawn."""
    if error or app.builder.format != "html":
        return
    site = Path(app.outdir)
    scripts = assets.version_folder(app.config)
    publishing.write_pages(site, publishing.chapters(app.env), scripts)
    written = read(path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts)
    # What is done here is written at once, so that a page has its policy when it has all else, of an earlier build too.
    new = [path for path, html in written.items() if HAS_POLICY not in html]
    live = [path for path in new if figures_in(written[path])]
    with stage(f"Drawing the figures of {len(live)} pages"):
        draw_figures(live)
    with stage(f"Finishing {len(new)} pages"):
        written |= read(live)
        pages = dict(written)
        for path in new:
            html = with_files(pages[path], path, site / "_static" / scripts / "bertviz")
            pages[path] = with_policy(fix(with_small_files(html, path), path.relative_to(site)))
        equations.copy_files(site, scripts, pages.values())
        if app.config.html_theme == theme.NAME:
            pages = stylesheets.with_styles(site, scripts, pages)
        for path, html in pages.items():
            if html != written[path]:
                path.write_text(html, encoding="utf-8")
        assets.finish_files(app)


def read(paths):
    """The text of each file."""
    return {path: path.read_text(encoding="utf-8") for path in paths}


def with_files(html, page, scripts):
    """A page whose BertViz frames are files of their own beside the scripts: only such frames wait for a reader."""

    def put(frame):
        text = unescape(frame[2])
        file = scripts / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.html"
        file.write_text(with_policy(text), encoding="utf-8")
        return f'{frame[1]} src="{Path(os.path.relpath(file, page.parent)).as_posix()}"'

    return WRITTEN_OUT.sub(put, html)


def with_small_files(html, page):
    """A page that has in it what it would wait for, where that is shorter than the asking."""

    def text(found):
        return (page.parent / found["address"]).read_text(encoding="utf-8")

    html = OPTIONS.sub(lambda found: f"<script>{text(found)}</script>", html)
    return ARRIVING.sub(lambda found: f'<style id="arriving">{text(found)}</style>', html)
