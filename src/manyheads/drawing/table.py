"""A map as a table: a row for each weight."""

import csv
import io

from manyheads.shared.names import CSV_COLUMNS


def csv_rows(attention):
    """The text that `AttentionMap.to_csv` writes, a query at a time."""
    named = [] if attention.counts_layers else ["layer_name"]
    yield f"{','.join([*CSV_COLUMNS, *named])}\n"
    queries, keys = [_cell(token) for token in attention.query_tokens], [_cell(token) for token in attention.key_tokens]
    allowed = attention.allowed
    for layer, heads in enumerate(attention.weights):
        end = f",{_cell(attention.layer_names[layer])}\n" if named else "\n"
        for head, rows in enumerate(heads):
            for query, row in enumerate(rows):
                numbers = [str(weight) for weight in row]
                if allowed is not None:
                    numbers = [number if seen else "" for number, seen in zip(numbers, allowed[query])]
                place, token = f"{layer},{head},{query}", queries[query]
                cells = enumerate(zip(keys, numbers))
                yield "".join(
                    [f"{place},{key},{token},{looked_at},{number}{end}" for key, (looked_at, number) in cells]
                )


def _cell(text):
    """A text as csv writes it beside others: in quotes where it needs them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(["", text])
    return line.getvalue()[1:-1]
