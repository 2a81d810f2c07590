/** What the scripts under `subjects/` report by: each runs in a process of its own. */

/** Measures `work`, and prints what it took and the facts it found as JSON on the last line of stdout. Loading the script is not counted. */
export async function report(work: () => Promise<Readonly<Record<string, number>>>): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const facts = await work();
  const wallMs = performance.now() - before;
  const cpu = process.cpuUsage(cpuBefore);
  const measured = {
    wallMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
    facts,
  };
  process.stdout.write(`\n${JSON.stringify(measured)}\n`);
}

/** An argument of the script, by its place from 0. */
export function argument(place: number): string {
  const given = process.argv[2 + place];
  if (given === undefined) throw new Error(`argument ${place} is missing`);
  return given;
}
