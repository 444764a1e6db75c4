// Numbers that are rounded, and still add up as they stand.

/**
 * Parts rounded to so many digits, so that they add up to their rounded total: those that lost most are rounded up (largest
 * remainders). Parts that have another total are rounded each by itself.
 */
export function addingUp(parts: number[], total: number, digits = 2) {
  const unit = 10 ** digits;
  const down = parts.map((part) => Math.floor(part * unit));
  const missing = Math.round(total * unit) - down.reduce((sum, part) => sum + part, 0);
  if (missing < 0 || missing > parts.length) return parts.map((part) => Math.round(part * unit) / unit);
  const lost = (at: number) => parts[at] * unit - down[at];
  const up = new Set([...parts.keys()].sort((one, other) => lost(other) - lost(one)).slice(0, missing));
  return down.map((part, at) => (part + Number(up.has(at))) / unit);
}
