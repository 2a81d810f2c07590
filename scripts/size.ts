/**
 * Prints how many bytes of TypeScript and SQL `src` holds, by room, beside what size.json allows. `npm run size`. Exit code 1 if the total is
 * larger than allowed. `npm run size -- --record` writes today's figures.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const RECORD = join(ROOT, 'size.json');

const rooms: Record<string, number> = {};
for (const name of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).toSorted()) {
  if (!/\.(?:ts|sql)$/.test(name)) continue;
  const room = name.split(sep)[0] ?? name;
  rooms[room] = (rooms[room] ?? 0) + statSync(join(ROOT, 'src', name)).size;
}
const total = Object.values(rooms).reduce((sum, bytes) => sum + bytes, 0);

if (process.argv.includes('--record')) writeFileSync(RECORD, `${JSON.stringify({ total, rooms }, null, 2)}\n`);
const allowed = JSON.parse(readFileSync(RECORD, 'utf8')) as { total: number; rooms: Record<string, number> };

const rows = Object.entries(rooms).map(([room, bytes]) => [room, bytes, allowed.rooms[room] ?? 0] as const);
for (const [room, bytes, before] of [...rows, ['all of src', total, allowed.total] as const]) {
  const change = bytes === before ? '' : ` (${bytes > before ? '+' : ''}${(bytes - before).toLocaleString('en-US')})`;
  process.stdout.write(`${room.padEnd(12)} ${bytes.toLocaleString('en-US').padStart(10)}${change}\n`);
}
if (total > allowed.total) {
  process.stderr.write(
    `src holds ${total - allowed.total} bytes more than size.json allows: take out as much as was added.\n`,
  );
  process.exitCode = 1;
}
