"""Pictures and tables of an attention map, for places without scripts."""
