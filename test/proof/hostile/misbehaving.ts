// A process that does what it is told, for guarded-process.test.ts.
import { linesOf } from '../../../src/ops/lines.ts';

const held: Buffer[] = [];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const DEEDS: Readonly<Record<string, () => void>> = {
  answer: () => say(JSON.stringify({ environment: Object.keys(process.env) })),
  'compute forever': () => {
    for (;;) Math.sqrt(2);
  },
  'wait forever': () => void setInterval(() => {}, 60_000),
  'fill the heap': () => {
    const all: object[] = [];
    for (;;) all.push({ some: 'object' });
  },
  'fill memory outside the heap': () => void setInterval(() => held.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5),
  crash: () => process.abort(),
  exit: () => process.exit(7),
  'be stopped': () => void process.kill(process.pid, 'SIGTERM'),
};

say('ready');
for await (const deed of linesOf(process.stdin)) DEEDS[deed]?.();
process.exit();
