"""What only the chapters of this book import: the experiments, charts in a page's colours, BertViz in a frame.

It comes with the library, so that the chapters run as notebooks anywhere; the library doesn't know it. `site.py` tells
the Sphinx extension of it.
"""
