/**
 * Compiles src/ to dist/ and copies what is not TypeScript (SQL migrations) beside it. Built next to its place and renamed: a build that
 * fails leaves the last one whole.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const building = join(root, 'dist.building');
const old = join(root, 'dist.old');
const migrations = 'ledger/migrations';

for (const leftover of [building, old]) rmSync(leftover, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), '--outDir', building], {
  stdio: 'inherit',
});
cpSync(join(root, 'src', migrations), join(building, migrations), { recursive: true });
if (existsSync(dist)) renameSync(dist, old);
renameSync(building, dist);
rmSync(old, { recursive: true, force: true });
