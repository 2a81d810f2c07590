import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes away with all that is in it. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'inspection-batch-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
