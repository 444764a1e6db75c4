// A line of JSON for each test: its file, its name, and what failed.
import { inspect } from "node:util";

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (!/^test:(pass|fail)$/.test(type)) continue;
    const { file, name, details } = data;
    yield `${JSON.stringify({ file, name, ms: details.duration_ms, fault: type === "test:fail" ? inspect(details.error.cause ?? details.error) : null })}\n`;
  }
}
