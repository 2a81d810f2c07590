import type { Reading } from '../reading.ts';
import type { Package } from './package.ts';
import { readXmlPart } from './read-part.ts';

/** A link from one part of a workbook to another. */
export interface Relationship {
  readonly id: string;
  /** The last word of the type's address, such as `worksheet`: the strict and the usual form of the format share it. */
  readonly type: string;
  /** The name of the part it leads to. */
  readonly partName: string;
}

/** The relationships of a part (`''` for the package itself) that lead to parts; none where the zip holds no list of them. */
export async function readRelationships(pack: Package, sourcePart: string, reading: Reading): Promise<readonly Relationship[]> {
  const slash = sourcePart.lastIndexOf('/') + 1;
  const folder = sourcePart.slice(0, slash);
  const listName = pack.find(`${folder}_rels/${sourcePart.slice(slash)}.rels`);
  if (listName === undefined) return [];
  const found: Relationship[] = [];
  await readXmlPart(
    pack.smallChunks(listName),
    {
      open(name, attributes, depth) {
        const { Id: id, Type: type, Target: target } = attributes;
        if (name !== 'Relationship' || depth !== 1 || attributes['TargetMode'] === 'External') return;
        if (id === undefined || type === undefined || target === undefined) return;
        found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), partName: partNameFor(pack, folder, target) });
      },
      close() {},
      text() {},
    },
    listName,
    reading,
  );
  return found;
}

/** Targets are addresses: absolute from the package's root, or relative to the source's folder, perhaps percent-encoded. */
function partNameFor(pack: Package, folder: string, target: string): string {
  const plain = resolveTarget(folder, target);
  return pack.find(plain) ?? pack.find(percentDecoded(plain)) ?? plain;
}

/** `('xl/', '../xl/styles.xml')` gives `xl/styles.xml`. */
function resolveTarget(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const steps: string[] = [];
  for (const step of (path.startsWith('/') ? path : folder + path).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
