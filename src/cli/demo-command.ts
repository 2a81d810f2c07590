import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { copyDurably } from '../ops/durable-files.ts';
import { packageFolder } from '../ops/system.ts';
import { commandResult, countsInWords, tableOf } from './terminal.ts';
import { exitCodeOf, isDone } from '../night/exit-codes.ts';
import { initCommand } from './init-command.ts';
import { type DryNight, freshFolder, runDryNights, startOwnSandbox, wasStopped } from '../night/own-sandbox.ts';
import type { RunSummary } from '../night/run.ts';
import { FILE_COLUMNS } from './run-command.ts';
import { sentence } from '../domain/sentences.ts';

/** In the month of the samples' due dates, so the demo is always the same. */
const NIGHTS = [
  {
    at: Date.UTC(2026, 10, 2, 7),
    samples: ['01-filled-template.xlsx', '02-agency-workbook.xlsx'],
    story: 'demo/first-night',
  },
  {
    at: Date.UTC(2026, 10, 9, 7),
    samples: ['03-european-export.csv', '04-corrections.xlsx', '05-second-look.csv'],
    story: 'demo/second-night',
  },
  {
    at: Date.UTC(2026, 10, 16, 7),
    samples: [],
    story: 'demo/third-night',
  },
];

export async function demoCommand(dir: string) {
  const root = resolve(dir);
  await freshFolder(root, 'demo');
  await initCommand(root);
  await writeFile(join(root, 'config.yaml'), sentence('demo/config'));
  await using sandbox = await startOwnSandbox(NIGHTS[0]?.at ?? 0, {
    seed: 10,
    progressHours: { min: 24, max: 420 },
    canceledShare: 0.04,
  });
  await writeFile(join(root, '.env'), sandbox.environment, { mode: 0o600 });
  const nights = NIGHTS.map(({ at, samples, story: plot }, index): DryNight => {
    const begin = async () => {
      for (const name of samples) await copyDurably(join(packageFolder(), 'samples', name), join(root, 'inbox', name));
    };
    const named = { night: index + 1, nights: NIGHTS.length, day: dayOf(at), story: sentence(plot) };
    const story = sentence('demo/night', named);
    return { command: 'run', at, story, begin, all: index === NIGHTS.length - 1 };
  });
  return conclude(root, await runDryNights(nights, sandbox, { workspace: root }));
}

function dayOf(at: number) {
  return new Date(at).toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' });
}

function conclude(root: string, nights: readonly RunSummary[]) {
  const [first, last] = [nights[0], nights.at(-1)];
  if (first === undefined || last === undefined) throw new Error('the demo has no night');
  const { delivery } = last;
  const seen = (path: string | null | undefined) => (path ? relative(process.cwd(), join(root, path)) : '(none)');
  const end = sentence('demo/end', {
    workbook: seen(delivery?.workbook),
    report: seen(delivery?.report),
    archive: seen(delivery?.archive),
    orders: seen(first.delivery?.orders),
    folder: seen(delivery?.folder),
    corrections: seen('corrections'),
  });
  const ended = nights.flatMap((night, index) => [...nightLines(night, nights[index - 1], index), '']);
  const text = [...ended, end].join('\n');
  const isWhole =
    first.orders.created > 0 && delivery?.workbook != null && nights.every(({ exitCode }) => isDone(exitCode));
  return commandResult(nights.find(wasStopped)?.exitCode ?? exitCodeOf({ fault: !isWhole }), text, {
    submit: first,
    collect: last,
    nights,
  });
}

function nightLines({ files, orders, projects }: RunSummary, before: RunSummary | undefined, index: number) {
  const since = (name: 'collected' | 'canceled') => projects[name] - (before?.projects[name] ?? 0);
  const accepted = files.reduce((sum, { rows }) => sum + rows.accepted, 0);
  const ordered = orders.created + orders.linked;
  const { skipped, refused } = orders;
  const outcomes = { ordered, repeats: skipped, refused, waiting: accepted - ordered - skipped - refused };
  const { Outcome: _outcome, 'Corrections workbook': _book, ...columns } = FILE_COLUMNS;
  return [
    `Night ${index + 1}, ${dayOf(NIGHTS[index]?.at ?? 0)}`,
    ...(files.length === 0 ? [] : [tableOf(files, columns)]),
    ...(accepted === 0 ? [] : [`Of ${accepted} accepted: ${countsInWords(outcomes)}.`]),
    `Back ${since('collected')}, canceled ${since('canceled')}, still out ${projects.outstanding}.`,
  ];
}
