import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runSubject } from './measure/child.ts';
import { interleaved, type Measured } from './measure/measured.ts';
import { startServer } from './measure/server.ts';
import {
  atLeast,
  count,
  printTable,
  printTargets,
  TIME_AND_MEMORY_HEAD,
  timeAndMemory,
  times,
} from './measure/table.ts';
import { tempFolder } from './measure/temp-folder.ts';
import type { BenchOptions, Growing } from './options.ts';

const SERVE_REPORTS = new URL('./subjects/serve-reports.ts', import.meta.url);
const COLLECT_OURS = new URL('./subjects/collect-ours.ts', import.meta.url);
const COLLECT_BARE = new URL('./subjects/collect-bare.ts', import.meta.url);

const CONCURRENCY = 8;

/** A follow-up run over N returned projects, verified and on record, and a bare loop of fetch that makes the same requests and writes the files. */
export async function benchDownloads({ rounds, projects = 400, isTenfold }: BenchOptions): Promise<Growing> {
  const far = await measure(rounds, projects, 200_000, 50);
  printTargets([
    {
      ...atLeast('throughput: at least 0.9 × the bare loop', far.bare.wallMs / far.ours.wallMs, 0.9, times),
      why: 'Each project waits for the disk about five times, until its files, their folder and their record are safe: where others write much to the same disk, that takes longer than the requests.',
    },
  ]);
  if (isTenfold) return { downloads: far.ours };
  // With nothing to wait for, what is measured is the processor time that checking, hashing, syncing and keeping books takes.
  const near = await measure(rounds, Math.ceil(projects / 4), 2_000_000, 0);
  printTargets([
    atLeast(
      'throughput without latency: at least 0.5 × the bare loop (stretch: 0.7 ×)',
      near.bare.wallMs / near.ours.wallMs,
      0.5,
      times,
    ),
  ]);
  return { downloads: far.ours };
}

async function measure(
  rounds: number,
  projects: number,
  bytes: number,
  latencyMs: number,
): Promise<{ bare: Measured; ours: Measured }> {
  await using folder = await tempFolder();
  const against = async (script: URL, place: string): Promise<Measured> => {
    await mkdir(place);
    await using server = await startServer(SERVE_REPORTS, projects, bytes, latencyMs);
    const measured = await runSubject(script, JSON.stringify(server), projects, CONCURRENCY, place);
    if (measured.facts['reports'] !== projects)
      throw new Error(`${measured.facts['reports'] ?? 0} of ${projects} reports came`);
    return measured;
  };
  const { bare, ours } = await interleaved(rounds, {
    bare: (round) => against(COLLECT_BARE, join(folder.path, `bare ${round}`)),
    ours: (round) => against(COLLECT_OURS, join(folder.path, `ours ${round}`)),
  });
  printTable(
    `downloads: ${count(projects)} reports of ${count(bytes / 1e3)} KB, ${CONCURRENCY} at once, ${latencyMs === 0 ? 'no' : `${latencyMs} ms`} latency`,
    ['loop', ...TIME_AND_MEMORY_HEAD, 'MB/s', '× bare'],
    Object.entries({ 'bare fetch to disk': bare, 'ours: verified, synced, on record': ours }).map(([name, taken]) => [
      name,
      ...timeAndMemory(taken),
      count((projects * bytes) / 1e6 / (taken.wallMs / 1000)),
      times(bare.wallMs / taken.wallMs),
    ]),
  );
  return { bare, ours };
}
