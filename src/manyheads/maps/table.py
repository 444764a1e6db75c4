"""A map as a table: a row for each weight."""

import csv
import io

import numpy as np

from manyheads.maps.names import CSV_COLUMNS


def csv_of(map):
    """The text that `AttentionMap.to_csv` writes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS if map.counts_layers else [*CSV_COLUMNS, "layer_name"])
    allowed = map.allowed
    for (layer, head, query, key), weight in np.ndenumerate(map.weights):
        number = str(weight) if allowed is None or allowed[query, key] else ""
        named = [] if map.counts_layers else [map.layer_names[layer]]
        writer.writerow([layer, head, query, key, map.query_tokens[query], map.key_tokens[key], number, *named])
    return text.getvalue()
