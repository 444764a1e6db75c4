// Sentences of a page's tables that are worth trying: a press puts one into the map before the table.

import { readsText } from "../math/families.ts";
import { hostHere } from "../math/host.ts";
import { WORTH_TRYING } from "../math/names.ts";
import { h } from "../views/dom.ts";
import { lead } from "./phrases.ts";

/** Makes buttons of the sentences of all such tables, once. */
export function makePressable() {
  if (hostHere()) return; // in a notebook they are links
  for (const table of document.querySelectorAll("table")) {
    if (
      !WORTH_TRYING.columns.includes(table.querySelector("th")?.textContent?.trim() ?? "") ||
      table.querySelector(".hm-press")
    )
      continue;
    const map = mapBefore(table);
    if (!map) continue;
    for (const text of table.querySelectorAll("tbody td:first-child em")) {
      const sentence = text.textContent?.trim() ?? "";
      if (sentence.split(" ").length >= WORTH_TRYING.words)
        text.replaceChildren(
          h(
            "button",
            {
              type: "button",
              class: "hm-press",
              onclick: () => {
                map.begin(sentence);
                lead(map, text);
              },
            },
            sentence,
          ),
        );
    }
  }
}

/** What answers to the sentences of a table. */
type Answering = HTMLElement & { begin(sentence: string): void };

/** The last figure before a table that answers to sentences. */
const mapBefore = (table: Element) =>
  [...document.querySelectorAll<Answering>("head-map:is([model], [models]), word-sense")].findLast(
    (map) =>
      readsText(map.getAttribute("model") ?? "") &&
      map.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
