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
