const NAME_LENGTH_MAX = 31;

/** A name that Excel takes: at most 31 characters, none of `[ ] : * ? / \ '`, not `History`, and not in `taken` (in lower case). */
export function validSheetName(wanted: string, taken: ReadonlySet<string>): string {
  const cleaned = wanted
    .replaceAll(/[[\]:*?/\\'\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const base = cleaned === '' || cleaned.toLowerCase() === 'history' ? `List ${cleaned}`.trim() : cleaned;
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const name = Array.from(base).slice(0, NAME_LENGTH_MAX - suffix.length).join('').slice(0, NAME_LENGTH_MAX - suffix.length).toWellFormed().trim() + suffix;
    if (!taken.has(name.toLowerCase())) return name;
  }
}
