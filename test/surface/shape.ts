/** The key paths of a JSON document with the types that occur there, a line each, `?` where a key is not always there. */
export function shapeOf(document: unknown): string {
  const types = new Map<string, Set<string>>();
  const seen = new Map<string, number>();
  const parents = new Map<string, string>();

  const look = (value: unknown, path: string): void => {
    seen.set(path, (seen.get(path) ?? 0) + 1);
    const held = types.get(path) ?? new Set<string>();
    types.set(path, held.add(typeOf(value)));
    if (Array.isArray(value)) {
      for (const item of value) look(item, `${path}[]`);
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        const innerPath = path === '' ? key : `${path}.${key}`;
        parents.set(innerPath, path);
        look(inner, innerPath);
      }
    }
  };
  look(document, '');

  const objects = countObjects(document);
  const lines = [...types].map(([path, held]) => {
    const parent = parents.get(path);
    const isOptional = parent !== undefined && (seen.get(path) ?? 0) < (objects.get(parent) ?? 0);
    return `${path === '' ? '(document)' : path}${isOptional ? '?' : ''}: ${[...held].toSorted().join(' | ')}`;
  });
  return `${lines.toSorted().join('\n')}\n`;
}

/** Seconds since the epoch on a day of 2001; what counts anything else in these documents is smaller, and what lasts says so in its name. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/** The paths of the numbers that look like times: `--json` gives times in ISO 8601. */
export function epochTimes(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'number') return value >= EPOCH_SECONDS_MIN && !path.endsWith('Ms') ? [path] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => epochTimes(inner, `${path}.${key}`));
}

/** How many objects stand at each path: a key is optional where fewer of them have it. */
function countObjects(document: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) count(item, `${path}[]`);
    } else if (value !== null && typeof value === 'object') {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      for (const [key, inner] of Object.entries(value)) count(inner, path === '' ? key : `${path}.${key}`);
    }
  };
  count(document, '');
  return counts;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
