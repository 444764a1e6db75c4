def plain_html(map, compared=None, layer=0): return "<figure>plain</figure>"
