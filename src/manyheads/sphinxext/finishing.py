"""What is done once Sphinx has written the pages: figures are drawn, frames get files, a policy says what may run."""

import hashlib
import os
import re
import zlib
from functools import cache
from html import unescape
from pathlib import Path

from manyheads.sphinxext import assets, equations, light_theme, publishing
from manyheads.sphinxext.figures import figures_in
from manyheads.sphinxext.policy import HAS_POLICY, with_policy
from manyheads.sphinxext.prerender import draw_figures
from manyheads.sphinxext.progress import stage
from manyheads.sphinxext.theme_fixes import fixed

FILE = re.compile(r'(<(?:script|link)\b[^>]*\b(?:src|href)=")([^":?]+\.(?:js|css))(?:\?v=\w+)?(?=")')
WRITTEN_OUT = re.compile(r'(<iframe class="bertviz"[^>]*) srcdoc="([^"]*)"')


def finish(app, error):
    """Puts what the pages need into the built site."""
    if error or app.builder.format != "html":
        return
    site = Path(app.outdir)
    scripts = assets.version_folder(app.config)
    equations.copy_files(site)
    publishing.write_pages(site, publishing.chapters(app.env), scripts)
    pages = new_pages(site)
    live = [page for page in pages if figures_in(page.read_text(encoding="utf-8"))]
    with stage(f"Drawing the figures of {len(live)} pages"):
        draw_figures(live)
    with stage(f"Finishing {len(pages)} pages"):
        light_theme.lighten_files(app)
        hash_of.cache_clear()
        for page in pages:
            html = page.read_text(encoding="utf-8")
            html = with_files(html, page, site / "_static" / scripts / "bertviz")
            html = with_versions(fixed(html, page.relative_to(site)), page)
            page.write_text(with_policy(html), encoding="utf-8")
        assets.finish_files(app)


def new_pages(site):
    """The pages that this build wrote, in their order; those of an earlier build have their policy."""
    pages = (path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts)
    return [path for path in pages if HAS_POLICY not in path.read_text(encoding="utf-8")]


def with_files(html, page, scripts):
    """A page whose BertViz frames are files of their own beside the scripts: only such frames wait for a reader."""

    def put(frame):
        text = unescape(frame[2])
        file = scripts / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.html"
        file.write_text(with_policy(text), encoding="utf-8")
        return f'{frame[1]} src="{Path(os.path.relpath(file, page.parent)).as_posix()}"'

    return WRITTEN_OUT.sub(put, html)


def with_versions(html, page):
    """A page in whose addresses each script and each style has a version, for which the theme's templates don't care.

    It is a hash of the file; that of ours is in their folder's name.
    """

    def with_hash(found):
        path = os.path.normpath(page.parent / found[2])
        ours = f"_static/{assets.FOLDER}/" in found[2]
        return f"{found[1]}{found[2]}{'' if ours or not os.path.isfile(path) else f'?v={hash_of(path)}'}"

    return FILE.sub(with_hash, html)


@cache
def hash_of(path):
    """The hash of a file, as Sphinx writes it."""
    return f"{zlib.crc32(Path(path).read_bytes()):08x}"
