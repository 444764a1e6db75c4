"""Fonts with no more characters than a site needs."""

from fontTools import subset


def keep_characters(source, target, characters):
    """Writes what a font needs for some characters; those that it doesn't have are none of its business."""
    unicodes = ",".join(f"U+{ord(character):04X}" for character in sorted(characters))
    options = [f"--unicodes={unicodes}", "--layout-features=*", "--flavor=woff2", f"--output-file={target}"]
    subset.main([str(source), *options])
