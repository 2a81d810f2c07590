import { statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentLines } from '../src/sandbox/sandbox.ts';
import { type Server, startServer } from './measure/server.ts';

// Many nights, or large ones, against a sandbox in a process of its own.

const SERVE_CONTROLLED = new URL('./subjects/serve-controlled.ts', import.meta.url);

/** The sandbox with its control server. */
export interface ControlledServer extends Server {
  control(path: string, body?: object): Promise<unknown>;
  advance(seconds: number): Promise<void>;
}

export async function startControlledServer(): Promise<ControlledServer> {
  const server = await startServer(SERVE_CONTROLLED);
  const control = async (path: string, body?: object): Promise<unknown> => {
    const request =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${server.controlUrl}/${path}`, request);
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return { ...server, control, advance: async (advanceSeconds) => void (await control('time', { advanceSeconds })) };
}

/** Lays out a workspace in a folder. Photos are left out: each would be a file of its own. */
export async function layOutWorkspace(
  workspace: string,
  { baseUrl, controlUrl = '', credentials }: Server,
): Promise<void> {
  await mkdir(join(workspace, 'inbox'), { recursive: true });
  await writeFile(join(workspace, '.env'), environmentLines({ baseUrl, controlUrl, credentials }), { mode: 0o600 });
  await writeFile(
    join(workspace, 'config.yaml'),
    'intake:\n  settleSeconds: 0\nsubmit:\n  maxConcurrency: 16\ncollect:\n  images: none\n',
  );
}

/** What the ledger takes on the disk, with what is not in its main file yet. */
export function ledgerBytes(workspace: string): number {
  const paths = ['ledger.sqlite', 'ledger.sqlite-wal'].map((name) => join(workspace, 'state', name));
  return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
