import { setTimeout as pause } from 'node:timers/promises';
import { Host } from '../../../src/fleet/hosts.ts';
import type { PostgresTarget } from '../../../src/ledger/postgres-driver.ts';
import { systemClock, systemSleep } from '../../../src/ops/system.ts';

// A host in a process of its own, to be killed and frozen. It takes the lock of the night, and says on each line whether it may send.

const { target, run, signs } = JSON.parse(process.argv[2] ?? '') as {
  target: PostgresTarget;
  run: string;
  signs: { everyMs: number; sureMs: number; endedMs: number };
};
const host = await Host.open({
  target,
  run,
  role: 'run',
  command: 'run',
  clock: systemClock,
  sleep: systemSleep,
  signs,
});
await host.takeNight();
for (let mayGoOn = true; mayGoOn;) {
  mayGoOn = await host.check().then(
    () => true,
    () => false,
  );
  process.stdout.write(mayGoOn ? 'may send\n' : 'may not send\n');
  await pause(20);
}
await host[Symbol.asyncDispose]();
